"""Kriegspiel."""
