"""Ciancarini and Favini 2010: Kriegspiel."""

from . import figure10

EXPERIMENTS = (*figure10.EXPERIMENTS,)
