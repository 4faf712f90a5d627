"""Phantom games on boards."""

from .look import GAMES as GAMES
