"""Nim."""

from .rules import GAMES as GAMES
