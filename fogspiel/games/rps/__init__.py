"""Rock-paper-scissors."""

from .rules import GAMES as GAMES
