"""Pig."""

from ...core.game import equip
from . import exact, look
from .rules import GAMES as GAMES

equip(GAMES, look, exact)
