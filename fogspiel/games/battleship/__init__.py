"""Battleship: rules, fleets, strategy."""

from ...core.game import equip
from . import look
from .strategy import GAMES as GAMES

equip(GAMES, look)
