"""Phantom four in a row by permutations."""

from .rules import GAMES as GAMES
