"""Cauwet and Teytaud 2018: tuning."""

from . import algorithm4, figure1, red_queen, section2, section5, table1, table2, table3

PARTS = (table1, table2, table3, section2, section5, figure1, red_queen, algorithm4)
EXPERIMENTS = tuple(experiment for part in PARTS for experiment in part.EXPERIMENTS)
