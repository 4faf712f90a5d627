"""Checkers."""
