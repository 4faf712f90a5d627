"""Kriegspiel."""

from .words import GAMES as GAMES
