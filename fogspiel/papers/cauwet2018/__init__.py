"""Cauwet and Teytaud 2018: tuning."""

from . import figure1, section5, table2, table3

EXPERIMENTS = (*figure1.EXPERIMENTS, *section5.EXPERIMENTS, *table2.EXPERIMENTS, *table3.EXPERIMENTS)
