"""Flip."""

from .rules import GAMES as GAMES
