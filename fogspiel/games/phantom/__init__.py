"""Phantom games on boards."""

from .words import GAMES as GAMES
