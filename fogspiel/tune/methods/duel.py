"""Duels: x + sigma e meets x - sigma e in many directions e, and x moves towards the winners.

The antithetic estimator of evolution strategies (Salimans et al. 2017; the one-direction case is Spall's SPSA, 1992) on
head-to-head games. A pair of games says little, but about every parameter at once, and what the steps say adds up: no
comparison needs to be settled but those of the guard. The constants serve any game and 1 to some hundred parameters.
"""

import math
from collections.abc import Iterator

import numpy as np

from ...stats.race import Race
from ..arena import Arena
from ..step import LEAST_SIGMA, MOST_SIGMA, Step, hashed_parameters

DIRECTIONS = 64
MOMENTUM = 0.8
LEARNING = 0.1  # of the gain, from one cosine
MEMORY = 0.1  # of the lead, for one step
LEAST_GAIN, MOST_GAIN = 1e-3, 1e3
WEAK, STRONG = 0.1**2, 0.2**2  # squared leads between which sigma stays: the stronger side wins 55 to 70 %, or so
WIDER = 1.03
WIDEST = 2.0  # most sigma, in units of the start or of x itself: duels further apart say nothing about players like x
GUARDED = 32  # steps between two visits of the guard
GUARD = Race("count-mixture-asymmetric", delta=0.05, epsilon=0.02)


def duel(arena: Arena) -> Iterator[Step]:
    """Antithetic gradient with momentum, sigma and gain adapted, guarded; answers the average of its way."""
    seeds, most = hashed_parameters(arena), 2 * (len(arena.game.payoffs) - 1)
    x, sigma, gain, lead = arena.start, 1.0, 1.0, WEAK
    average, safe, drift = x, x, np.zeros(len(x))
    step = since = 0  # steps in all, and since the average began
    while True:
        step, since, kept = step + 1, since + 1, False
        if not seeds.all():
            e = np.where(seeds, 0.0, arena.gaussians(DIRECTIONS))
            leads = arena.meetings(x + sigma * e, x - sigma * e, pairs=2).sum(axis=2) / most - 0.5
            slope = leads.mean(axis=1) @ e / DIRECTIONS
            # Kesten (1958): longer strides while the slopes agree with the way come, shorter ones when they turn.
            gain = within(gain * math.exp(LEARNING * cosine(slope, drift)), LEAST_GAIN, MOST_GAIN)
            drift = MOMENTUM * drift + (1 - MOMENTUM) * slope
            x = x + gain * sigma * drift
            average = average + (x - average) * 2 / (since + 2)  # weights 1, 2, 3, .. (Polyak's, but forgetting)
            # The luck of two pairs on different deals is independent, so the mean of their product is the squared lead.
            lead += MEMORY * (float((leads[:, 0] * leads[:, 1]).mean()) - lead)
            widest = WIDEST * max(1.0, math.sqrt(float((x[~seeds] ** 2).mean())))
            if not WEAK <= lead <= STRONG:
                sigma = within(sigma * WIDER if lead < WEAK else sigma / WIDER, LEAST_SIGMA, min(widest, MOST_SIGMA))
            if step % GUARDED == 0:
                kept = arena.race(safe, average, GUARD).decision < 0
                if not kept:  # the checkpoint has proved to be better
                    x, average, drift, since, gain = safe, safe, np.zeros(len(x)), 0, gain / 2
                safe = average
        if seeds.any() and (step % GUARDED == 0 or seeds.all()):
            redrawn = average.copy()
            place = np.flatnonzero(seeds)[arena.pick(int(seeds.sum()))]
            redrawn[place] = arena.gaussian()[place]
            if arena.race(redrawn, average, GUARD).decision > 0:
                x, kept = np.where(seeds, redrawn, x), True
                average = safe = redrawn
        yield Step(average, kept, sigma)


def cosine(a: np.ndarray, b: np.ndarray) -> float:
    """The cosine of the angle between two vectors, 0 if one of them is null."""
    lengths = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(a @ b) / lengths if lengths > 0 else 0.0


def within(value: float, low: float, high: float) -> float:
    """The value, or the limit it exceeds."""
    return min(max(value, low), high)


METHODS = {"duel": duel}
