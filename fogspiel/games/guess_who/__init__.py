"""Guess Who."""

from .rules import GAMES as GAMES
