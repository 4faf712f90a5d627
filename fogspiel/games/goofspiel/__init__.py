"""Goofspiel."""

from .rules import GAMES as GAMES
