"""Ciancarini and Favini 2010: Kriegspiel."""

from .figure10 import EXPERIMENTS

__all__ = ["EXPERIMENTS"]
