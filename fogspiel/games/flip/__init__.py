"""Flip."""

from ...core.game import equip
from . import look
from .rules import GAMES as GAMES

equip(GAMES, look)
