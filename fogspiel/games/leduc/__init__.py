"""Leduc poker."""

from .rules import GAMES as GAMES
