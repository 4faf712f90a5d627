"""Ciancarini and Favini 2010: Kriegspiel."""

from . import figure10, sentences

EXPERIMENTS = (*figure10.EXPERIMENTS, *sentences.EXPERIMENTS)
