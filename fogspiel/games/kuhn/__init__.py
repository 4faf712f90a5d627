"""Kuhn poker."""

from .rules import GAMES as GAMES
