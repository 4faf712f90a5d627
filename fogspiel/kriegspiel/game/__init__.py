"""Kriegspiel."""

from .look import GAMES as GAMES
