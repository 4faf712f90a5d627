"""Studies of Ciancarini and Favini (2010) beside the paper: ablation of C and A, calibration, its future work.

A plug-in: `fogspiel --plugins benchmarks/plugins paper ablation`.
"""

from . import ablation, calibration, future_work

EXPERIMENTS = (*ablation.EXPERIMENTS, *calibration.EXPERIMENTS, *future_work.EXPERIMENTS)
