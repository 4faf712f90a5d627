"""The Resistance."""

from .rules import GAMES as GAMES
