"""Commands of Kriegspiel."""
