"""Four in a row."""

from .rules import GAMES as GAMES
