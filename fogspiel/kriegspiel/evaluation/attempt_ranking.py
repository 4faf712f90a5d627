"""Order of attempts, by a table of their gains on weighted boards.

A refused attempt costs nothing, and where it is refused another one follows. So an attempt is compared with another
on the boards on which both are legal, for there the one that is tried first is made: it should be tried first if it
gains more there. The first attempt is the one whose worst comparison is best. Of attempts that gain the same, one
that is less often legal comes first, because a refusal tells something.
"""

import numpy as np

from ...core.kernel import in_place, kernel
from .board_evaluator import ILLEGAL

COMPARED = 10  # attempts that are compared in pairs: those with the greatest mean advantage


@in_place
def mean_advantages(gains, weights, costs, doubt, means, legal):
    """Each attempt's mean advantage over the mean one, less its cost, and the weight of the boards where it is legal.

    On boards of the weight `doubt`, besides those on which it was evaluated, an attempt is taken to be average.
    """
    boards, attempts = gains.shape
    for a in range(attempts):
        means[a], legal[a] = 0.0, 0.0
    for b in range(boards):
        total, possible = 0.0, 0
        for a in range(attempts):
            if gains[b, a] != ILLEGAL:
                total += gains[b, a]
                possible += 1
        for a in range(attempts):
            if gains[b, a] != ILLEGAL:
                means[a] += weights[b] * (gains[b, a] - total / possible)
                legal[a] += weights[b]
    for a in range(attempts):
        means[a] = means[a] / (legal[a] + doubt) - costs[a] if legal[a] > 0.0 else -np.inf


@in_place
def advantage_over(gains, weights, a, other, doubt):
    """The mean advantage of an attempt over another on the boards on which both are legal."""
    total, both = 0.0, 0.0
    for b in range(len(gains)):
        if gains[b, a] != ILLEGAL and gains[b, other] != ILLEGAL:
            total += weights[b] * (gains[b, a] - gains[b, other])
            both += weights[b]
    return total / (both + doubt)


@kernel
def rank_attempts(gains, weights, costs, doubt, probing, ranks):
    """Fill in ranks: the greatest is that of the attempt to make first. Whether any attempt is known to be legal.

    The rank of an attempt that is compared is its worst comparison, and `probing` times the chance that it is refused.
    """
    attempts = gains.shape[1]
    means, legal = np.empty(attempts), np.empty(attempts)
    mean_advantages(gains, weights, costs, doubt, means, legal)
    order, total = np.argsort(-means), weights.sum()
    ranks[:] = -np.inf
    for i in range(min(COMPARED, attempts)):
        a = order[i]
        if legal[a] > 0.0:
            ranks[a] = np.inf
            for j in range(min(COMPARED, attempts)):
                other = order[j]
                if j != i and legal[other] > 0.0:
                    ahead = advantage_over(gains, weights, a, other, doubt) - costs[a] + costs[other]
                    ranks[a] = min(ranks[a], ahead)
            ranks[a] += probing * (1.0 - legal[a] / total)
    return legal.max() > 0.0
