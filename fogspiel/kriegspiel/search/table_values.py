"""The value of attempts against a lone king by what a table of the ending says of each square where it may be.

The table knows how soon the king would be mated if it were seen. Unseen it is the worse off the fewer squares it may
be on, so the value of a set of squares is

    - (moves to mate, on average and at worst, and weights times how large, how far and how free the set is)

and that of an attempt is the mean over the referee's answers, partly the worst of them, less what is risked. This is
all: nothing is looked ahead, for the table has done it.
"""

from typing import NamedTuple

import numpy as np

from ...core.kernel import kernel, ones, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import LIGHT_SQUARES
from ...games.chess.men import BISHOP, KINDS, KING, KNIGHT, PAWN, union
from ..beliefs.fills import around
from .endgame_table import NO_MATE, placement_of
from .lone_king_endgame import DIRECTIONS, MATED, PARTS, REFUSED, STALEMATED, distance, divide, sight

NOT_SOON = 36
"""What counts as moves to mate where the table has none: more than in any ending."""
NEAREST_EDGES = np.array([min(s % 8, 7 - s % 8) + min(s // 8, 7 - s // 8) for s in range(64)], np.float64)
"""The steps of a square to the nearest file and rank at the edge: 0 in a corner."""
TO_CORNER = np.array(
    [[abs(s % 8 - f) + abs(s // 8 - r) for s in range(64)] for r in (0, 7) for f in (0, 7)], np.float64
)
"""The files and ranks between a square and a1, h1, a8 and h8."""


class Weights(NamedTuple):
    """What counts how much in an ending, in moves to mate."""

    mate: float
    """The worth of mate, and of a pawn that has become a queen."""
    lost: float
    """The cost of losing a man, by its chance."""
    any_loss: float
    """The cost of any chance to lose a man or the win by stalemate."""
    stalemate: float
    """The cost of stalemate, by its chance."""
    worst: float
    """How much the worst answer counts against the mean."""
    again: float
    """The cost of men that stand as they did, each time."""
    size: float
    """From here on the costs of a set of squares: of each square,"""
    cage: float
    """of each square that the king could ever reach if the own men stood still,"""
    mean_moves: float
    most_moves: float
    """of the moves to mate on average and at most,"""
    mean_distance: float
    most_distance: float
    """of the distance to the own king,"""
    mean_edges: float
    most_edges: float
    """of the distance to the edges,"""
    hanging: float
    """of the share of squares from which the king attacks a man that is not protected,"""
    unwon: float
    """of the share of squares from which mate cannot be forced,"""
    root: float
    """of the square root of the number of squares,"""
    scattered: float
    """of the greatest distance of an own man from the own king,"""
    corner: float
    """of the greatest distance from a corner in which the men can mate, the best one,"""
    freedom: float
    """of the moves that the king has on average,"""
    next_size: float
    """and of the squares on which it may be after its next move."""


@kernel
def _corner(men, farthest):
    """The least of the greatest distances from a corner: with a knight only corners of the bishop's colour count."""
    dark, light = min(farthest[0], farthest[3]), min(farthest[1], farthest[2])
    if men[KNIGHT] and men[BISHOP]:
        return light if men[BISHOP] & LIGHT_SQUARES else dark
    return min(dark, light)


@kernel
def cost_of_set(men, kings, table, w, lines, farthest):
    """What it costs that the king may be on these squares and the own side is to move."""
    king, own, number, size = trailing_zeros(men[KING]), union(men), placement_of(men), ones(kings)
    free = ~sight(men, own, lines)
    spread = around(kings) & free & ~own
    cage, before = kings | spread, kings
    while cage != before:
        before = cage
        cage |= around(cage) & free & ~own
    moves, most_moves, far, farther, edges, most_edges, unwon, freedom = 0, 0, 0, 0, 0.0, 0.0, 0, 0
    for corner in range(4):
        farthest[corner] = 0.0
    left = kings
    while left:
        square = trailing_zeros(left)
        soon = np.int64(table[number, square])
        if soon == NO_MATE:
            unwon += 1
            soon = NOT_SOON
        moves += soon
        most_moves = max(most_moves, soon)
        away = distance(square, king)
        far += away
        farther = max(farther, away)
        edges += NEAREST_EDGES[square]
        most_edges = max(most_edges, NEAREST_EDGES[square])
        for corner in range(4):
            farthest[corner] = max(farthest[corner], TO_CORNER[corner, square])
        freedom += ones(bits.KING[square] & free)
        left &= left - 1
    scattered, left = 0, own
    while left:
        scattered = max(scattered, distance(trailing_zeros(left), king))
        left &= left - 1
    cost = w.size * size + w.cage * ones(cage) + w.root * np.sqrt(size) + w.next_size * ones(spread)
    cost += w.most_moves * most_moves + w.most_distance * farther + w.most_edges * most_edges
    cost += w.scattered * scattered + w.corner * _corner(men, farthest)
    mean = w.mean_moves * moves + w.mean_distance * far + w.mean_edges * edges + w.freedom * freedom
    return cost + (mean + w.hanging * ones(around(free & own) & kings) + w.unwon * unwon) / size


@kernel
def _weigh_answers(parts, shares, values, lost, w):
    """The value of an attempt by those of the answers: their mean and the worst of them, less what is risked."""
    total, mean, worst = shares[MATED] + shares[STALEMATED], w.mate * shares[MATED], w.mate
    for part in range(PARTS):
        if shares[part] and part != MATED and part != STALEMATED:
            value = values[part] if parts[part] else -w.lost  # if there is no square left, it can only take
            total += shares[part]
            mean += value * shares[part]
            worst = min(worst, value)
    total = max(1, total)
    risk = w.stalemate * shares[STALEMATED] / total + w.lost * lost / total
    risk += w.any_loss * ((shares[STALEMATED] > 0) + (lost > 0))
    return mean / total * (1.0 - w.worst) + worst * w.worst - risk


@kernel
def value_by_table(men, kings, moves, times, table, w, out):
    """Fill in the values of attempts; after each the own men stand for so many times as before."""
    after, lines, farthest = np.empty(KINDS, np.int64), np.empty(DIRECTIONS, np.int64), np.empty(4)
    parts, shares, values = np.empty(PARTS, np.int64), np.empty(PARTS, np.int64), np.empty(PARTS)
    for i in range(len(moves)):
        lost = divide(men, kings, moves[i], after, lines, parts, shares)
        for part in range(PARTS):
            if shares[part] == 0 or parts[part] == 0 or part in (MATED, STALEMATED):
                continue
            if part == REFUSED:
                values[part] = -cost_of_set(men, parts[part], table, w, lines, farthest)
            elif ones(after[PAWN]) != ones(men[PAWN]):
                values[part] = w.mate - 1.0
            else:
                values[part] = -cost_of_set(after, parts[part], table, w, lines, farthest)
        out[i] = _weigh_answers(parts, shares, values, lost, w) - w.again * times[i]
