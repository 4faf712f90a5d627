"""Phantom games solved by a double oracle over pure strategies."""
