"""Battleship: rules, fleets, strategy."""

from .strategy import GAMES as GAMES
