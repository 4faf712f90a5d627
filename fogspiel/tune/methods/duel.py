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
from ..ascent import DIRECTIONS, Ascent, within
from ..step import LEAST_SIGMA, MOST_SIGMA, Step, hashed_parameters

MEMORY = 0.1  # of the lead, for one step
WEAK, STRONG = 0.1**2, 0.2**2  # squared leads between which sigma stays: the stronger side wins 55 to 70 %, or so
WIDER = 1.03
WIDEST = 2.0  # most sigma, in units of the start or of x itself: duels further apart say nothing about players like x
GUARDED = 32  # steps between two visits of the guard
GUARD = Race("count-mixture-asymmetric", delta=0.05, epsilon=0.02)


def duel(arena: Arena) -> Iterator[Step]:
    """Antithetic gradient with momentum, sigma and gain adapted, guarded; answers the average of its way."""
    seeds, most = hashed_parameters(arena), 2 * arena.game.top
    way, sigma, lead = Ascent(arena.start), 1.0, WEAK
    safe, step = way.average, 0
    while True:
        step, kept = step + 1, False
        if not seeds.all():
            e = np.where(seeds, 0.0, arena.gaussians(DIRECTIONS))
            leads = arena.play_pairs(way.x + sigma * e, way.x - sigma * e, pairs=2).sum(axis=2) / most - 0.5
            way.follow(leads.mean(axis=1) @ e / DIRECTIONS, sigma)
            # The luck of two pairs on different deals is independent, so the mean of their product is the squared lead.
            lead += MEMORY * (float((leads[:, 0] * leads[:, 1]).mean()) - lead)
            widest = WIDEST * max(1.0, math.sqrt(float((way.x[~seeds] ** 2).mean())))
            if not WEAK <= lead <= STRONG:
                sigma = within(sigma * WIDER if lead < WEAK else sigma / WIDER, LEAST_SIGMA, min(widest, MOST_SIGMA))
            if step % GUARDED == 0:
                kept = arena.race(safe, way.average, GUARD).decision < 0
                if not kept:  # the checkpoint has proved to be better
                    way.restart(safe)
                safe = way.average
        if seeds.any() and (step % GUARDED == 0 or seeds.all()):
            redrawn = way.average.copy()
            place = np.flatnonzero(seeds)[arena.pick(int(seeds.sum()))]
            redrawn[place] = arena.gaussian()[place]
            if arena.race(redrawn, way.average, GUARD).decision > 0:
                way.x, kept = np.where(seeds, redrawn, way.x), True
                way.average = safe = redrawn
        yield Step(way.average, kept, sigma)


METHODS = {"duel": duel}
