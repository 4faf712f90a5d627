"""Phantom ponnuki on boards from 6x6 to 9x9."""

from .words import GAMES as GAMES
