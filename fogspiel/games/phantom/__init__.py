"""Phantom games on boards."""

from .look import GAMES as GAMES
from .look import named_game as named_game
