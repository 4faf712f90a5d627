"""Cauwet and Teytaud 2018: tuning."""

from . import algorithm4, figure1, red_queen, section5, table2, table3

EXPERIMENTS = (
    *algorithm4.EXPERIMENTS,
    *figure1.EXPERIMENTS,
    *red_queen.EXPERIMENTS,
    *section5.EXPERIMENTS,
    *table2.EXPERIMENTS,
    *table3.EXPERIMENTS,
)
