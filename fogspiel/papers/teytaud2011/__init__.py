"""Teytaud and Teytaud 2011: phantom games."""

from . import claims

EXPERIMENTS = (*claims.EXPERIMENTS,)
