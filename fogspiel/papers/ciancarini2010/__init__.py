"""Ciancarini and Favini 2010: Kriegspiel."""

from . import ablation, calibration, figure10

EXPERIMENTS = figure10.EXPERIMENTS + ablation.EXPERIMENTS + calibration.EXPERIMENTS
