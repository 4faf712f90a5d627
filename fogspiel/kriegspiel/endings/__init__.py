"""Endgames."""
