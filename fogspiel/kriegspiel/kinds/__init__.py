"""Kinds of run of Kriegspiel."""
