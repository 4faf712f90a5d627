"""Cauwet and Teytaud 2018: tuning."""

from . import figure1, section2, section5, table1, table2, table3

EXPERIMENTS = (
    *table1.EXPERIMENTS, *table2.EXPERIMENTS, *table3.EXPERIMENTS, *section2.EXPERIMENTS, *section5.EXPERIMENTS,
    *figure1.EXPERIMENTS,
)  # fmt: skip
