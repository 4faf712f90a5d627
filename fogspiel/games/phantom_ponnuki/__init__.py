"""Phantom ponnuki on boards from 6x6 to 9x9."""

from .look import GAMES as GAMES
