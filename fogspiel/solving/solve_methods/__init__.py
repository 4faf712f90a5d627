"""Solve methods."""
