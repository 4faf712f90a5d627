"""Kriegspiel: a referee, engines, and matches between them."""
