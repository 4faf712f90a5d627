"""Permutation four in a row: its players never vary, so any set of them has an exact matrix of scores.

No equilibrium of the whole game is known; that of the seeds at hand is the equilibrium of their matrix.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from ...core.agents import REDRAWN, Policy
from ...core.exact import members_of
from ...core.game import Game, check_vector
from ...core.kernel import kernel
from .rules import GAMES, play

FOUR = GAMES[0]


@kernel
def fill_scores(state, plans_0, plans_1, out):
    """Half points of every plan that moves first against every plan that moves second."""
    unused = np.zeros(1, np.uint64)
    for i in range(len(plans_0)):
        for j in range(len(plans_1)):
            out[i, j] = play(state, plans_0[i], plans_1[j], unused, unused, unused)


def _plans(thetas: Sequence[Sequence[float]] | np.ndarray) -> np.ndarray:
    assert FOUR.strategy is not None
    plans = np.zeros((len(thetas), FOUR.strategy.plan))
    for theta, plan in zip(thetas, plans, strict=True):
        FOUR.strategy.prepare(check_vector(FOUR, theta), plan)
    return plans


def first_player_matrix(firsts: Sequence[float], seconds: Sequence[float]) -> np.ndarray:
    """Half points (0, 1, 2) of the first player for each seed that moves first against each that moves second."""
    out = np.zeros((len(firsts), len(seconds)), np.int64)
    plans_0, plans_1 = _plans([(seed, 0.0) for seed in firsts]), _plans([(0.0, seed) for seed in seconds])
    fill_scores(np.zeros(FOUR.sizes.state, np.int64), plans_0, plans_1, out)
    return out


def _members(player: Policy) -> list[tuple[Fraction, np.ndarray]]:
    """The vectors of a policy with their probabilities."""
    members = members_of(player, Fraction)
    if player.how == REDRAWN or player.strategy is not FOUR.strategy:
        raise ValueError(f"the exact score of {player.name} at permutation-four is not known: play games instead")
    return members


def exact_score(game: Game, first: Policy, second: Policy) -> Fraction:
    """The exact score of `first` against `second`, seeds or mixtures of them, the mean of both starting orders."""
    one, other = _members(first), _members(second)
    starting = first_player_matrix([float(t[0]) for _, t in one], [float(t[1]) for _, t in other])
    following = first_player_matrix([float(t[0]) for _, t in other], [float(t[1]) for _, t in one])
    total = Fraction(0)
    for i, (weight, _) in enumerate(one):
        for j, (weight_other, _) in enumerate(other):
            total += weight * weight_other * (2 + int(starting[i, j]) - int(following[j, i])) / 4
    return total
