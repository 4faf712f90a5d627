"""Teytaud2011."""
