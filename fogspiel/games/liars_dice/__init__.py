"""Liar's dice."""

from .rules import GAMES as GAMES
