"""Searches of the engines."""
