"""Pig."""

from .rules import GAMES as GAMES
