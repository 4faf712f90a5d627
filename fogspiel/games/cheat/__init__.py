"""Cheat."""

from .rules import GAMES as GAMES
