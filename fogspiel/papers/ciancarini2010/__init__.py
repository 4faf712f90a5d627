"""Ciancarini and Favini 2010: Kriegspiel."""

from . import ablation, calibration, figure10, future_work, sentences

EXPERIMENTS = (
    *figure10.EXPERIMENTS,
    *ablation.EXPERIMENTS,
    *calibration.EXPERIMENTS,
    *future_work.EXPERIMENTS,
    *sentences.EXPERIMENTS,
)
