"""Bossle 2018: The Resistance, exactly."""

from . import tables

EXPERIMENTS = (*tables.EXPERIMENTS,)
