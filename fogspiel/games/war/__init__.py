"""War and Batawaf."""

from .strategy import GAMES as GAMES
