"""Morra."""

from .rules import GAMES as GAMES
