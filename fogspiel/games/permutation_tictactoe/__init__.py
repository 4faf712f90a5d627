"""Phantom tic-tac-toe by permutations."""

from .rules import GAMES as GAMES
