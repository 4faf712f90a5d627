"""Cauwet and Teytaud 2018: tuning."""

from . import figure1, section2, section5, table1, table2, table3

PARTS = (table1, table2, table3, section2, section5, figure1)
EXPERIMENTS = tuple(experiment for part in PARTS for experiment in part.EXPERIMENTS)
