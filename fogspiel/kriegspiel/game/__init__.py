"""Kriegspiel."""

from ...core.game import equip
from . import look
from .look import GAMES as GAMES

equip(GAMES, look)
