"""Phantom ponnuki on boards from 6x6 to 9x9."""

from ...core.game import equip
from . import look
from .look import GAMES as GAMES

equip(GAMES, look)
