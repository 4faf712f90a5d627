"""Values of attempts against a lone king: by the table of the endgame where there is one, else by lookahead.

The weights of the rook, the pawn, and the minor pieces were found by CMA-ES (16 or 18 candidates, 150 to 1,500 random
positions per generation, the same for all) against the best defence with full information; those of the queen are set
by hand. `benchmarks/kriegspiel_endings_tuning.py` continues the tuning.
"""

from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import inlined, kernel, ones, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import BISHOP, KINDS, KING, KNIGHT, NONE, PAWN, QUEEN, ROOK, around, bit, union
from ...games.chess.moves import MAX_MOVES
from ..search.metaposition_value import NEAREST_EDGES
from . import search, tablebase
from .search import DIRECTIONS, MATED, PARTS, REFUSED, SILENT, STALEMATED, distance, empty_stack, hear, sight
from .tablebase import NO_MATE, NOT_SOON, endgame_table, kinds_of, placement_of, reply, restrict_belief

# Value of attempts against a lone king by the endgame table at each of its possible squares.
#
# The table has the distance to mate of a visible king. An unseen king is worse off the fewer its possible squares, so
# the value of a set of squares, each with its probability, is
#
#     - (moves to mate, on average and at worst, and weights times how large, how far and how free the set is)
#
# and that of an attempt is the mean over the referee's answers, partly the worst of them, minus the risk. Mostly there
# is no lookahead, because the table contains it. With a pawn, the value of the best next attempt counts alongside that
# of the set that an answer leaves, because the table ignores unseen stalemates.

UNLIKELY = 0.004  # probability ignored in worst cases
NO_CHANCE = 1e-12  # bound of rounding errors in probabilities
ROOK_SLOWER = 6.0  # cost in moves to mate of a pawn that promotes to a rook instead of a queen
TO_CORNER = np.array(
    [[abs(s % 8 - f) + abs(s // 8 - r) for r in (0, 7) for f in (0, 7)] for s in range(64)], np.float64
)  # files and ranks between a square and a1, h1, a8 and h8
FARTHEST_TABLE = 14.0  # the files and ranks between opposite corners


class EndingWeights(NamedTuple):
    """Weights of the terms of an endgame's cost, in moves to mate."""

    mate: float  # value of mate, and of a pawn that has become a queen
    lost: float  # cost of losing a man, by its probability
    any_loss: float  # cost of any probability of losing a man or the win by stalemate
    stalemate: float  # cost of stalemate, by its probability
    worst: float  # weight of the worst answer against the mean
    again: float  # cost of each repetition of a placement
    size: float  # from here on the costs of a set of squares: of each square,
    cage: float  # of each square that the king could ever reach if the own men stood still,
    mean_moves: float
    most_moves: float  # of the moves to mate on average and at most,
    mean_distance: float
    most_distance: float  # of the distance to the own king,
    mean_edges: float
    most_edges: float  # of the distance to the edges,
    hanging: float  # of the share of squares from which the king attacks a man that is not protected,
    unwon: float  # of the share of squares from which mate cannot be forced,
    root: float  # of the square root of the number of squares,
    scattered: float  # of the greatest distance of an own man from the own king,
    corner: float  # of the greatest distance from a corner in which the men can mate, the best one,
    freedom: float  # of the moves that the king has on average,
    next_size: float  # of the squares on which it may be after its next move,
    entropy: float = 0.0  # of the entropy of the probabilities,
    mean_corner: float = 0.0  # of the mean distance from the nearest corner in which the men can mate,
    behind: float = 0.0  # of the ranks that the own king is behind a pawn,
    beside: float = 0.0  # of the files between it and the pawn,
    ranks_to_go: float = 0.0  # and of the ranks that the pawn has to go
    ahead: float = 0.0  # the share of the best next attempt in the value of a set of squares


class Scratch(NamedTuple):
    """Working arrays of an attempt; parts are the referee's answers."""

    after: np.ndarray  # own men after it
    here: np.ndarray  # by part, the squares of the king when it is made,
    squares: np.ndarray  # its possible squares before the next own attempt,
    belief: np.ndarray  # their probabilities,
    left: np.ndarray  # the sum of these probabilities, 0 where nothing is left to evaluate,
    values: np.ndarray  # and the value
    moves: np.ndarray  # the next own moves
    lines: np.ndarray
    farthest: np.ndarray


@kernel
def empty_scratch():
    after, lines, moves = np.empty(KINDS, np.int64), np.empty(DIRECTIONS, np.int64), np.empty(MAX_MOVES, np.int64)
    here, squares = np.empty(PARTS, np.int64), np.empty(PARTS, np.int64)
    belief, left, values = np.empty((PARTS, 64)), np.empty(PARTS), np.empty(PARTS)
    return Scratch(after, here, squares, belief, left, values, moves, lines, np.empty(4))


@inlined
def _nearest(corners, distances):
    nearest = FARTHEST_TABLE
    for corner in range(4):
        if corners >> corner & 1:
            nearest = min(nearest, distances[corner])
    return nearest


@kernel
def cost_of_set(men, kings, belief, total, table, w, scratch):
    """Return the cost, before an own move, of a set of king squares whose probabilities add up to `total`.

    1 means over all squares, and the worst of the likely ones    2 the squares of the next reply, and of all replies
    3 the own men around their king    4 the weighted sum, with the terms of a pawn
    """
    king, own, number = trailing_zeros(men[KING]), union(men), placement_of(men)
    free, farthest = ~sight(men, own, scratch.lines), scratch.farthest
    moves, most_moves, far, farther, edges, most_edges, unwon, freedom = 0.0, 0, 0.0, 0, 0.0, 0.0, 0.0, 0.0
    for corner in range(4):
        farthest[corner] = 0.0
    left, likely, hanging, attackers, entropy = kings, NONE, 0.0, around(free & own), 0.0
    # The corners in which the own men can mate, as four bits: with bishop and knight, the bishop's colour.
    mean_corner, corners = 0.0, 0b1111
    if men[KNIGHT] and men[BISHOP]:
        corners = 0b0110 if men[BISHOP] & bitboards.LIGHT_SQUARES else 0b1001
    # 1. Means weigh by probability; maxima ignore squares below UNLIKELY, else one stray square would decide.
    while left:
        square = trailing_zeros(left)
        left &= left - 1
        chance = belief[square] / total
        soon = np.int64(table[number, square])
        if soon == NO_MATE:
            unwon += chance
            soon = NOT_SOON
        moves += chance * soon
        away = distance(square, king)
        far += chance * away
        edges += chance * NEAREST_EDGES[square]
        freedom += chance * ones(bitboards.KING_ATTACKS[square] & free)
        if attackers >> square & 1:
            hanging += chance
        if chance > 0.0:
            entropy -= chance * np.log(chance)
        mean_corner += chance * _nearest(corners, TO_CORNER[square])
        if chance > UNLIKELY:
            likely |= bit(square)
            most_moves = max(most_moves, soon)
            farther = max(farther, away)
            most_edges = max(most_edges, NEAREST_EDGES[square])
            for corner in range(4):
                farthest[corner] = max(farthest[corner], TO_CORNER[square, corner])
    # 2. The cage is the closure of king steps over squares that the own men, standing still, do not attack.
    spread = around(likely) & free & ~own
    cage, before = likely | spread, likely
    while cage != before:
        before = cage
        cage |= around(cage) & free & ~own
    # 3. Men far from the own king cannot be protected in time.
    scattered, left = 0, own
    while left:
        scattered = max(scattered, distance(trailing_zeros(left), king))
        left &= left - 1
    # 4. Weights are in moves to mate (`EndingWeights`).
    size = ones(likely)
    cost = w.size * size + w.cage * ones(cage) + w.root * np.sqrt(size) + w.next_size * ones(spread)
    cost += w.most_moves * most_moves + w.most_distance * farther + w.most_edges * most_edges
    cost += w.scattered * scattered + w.corner * _nearest(corners, farthest)
    cost += w.mean_moves * moves + w.mean_distance * far + w.mean_edges * edges + w.freedom * freedom
    cost += w.entropy * entropy + w.mean_corner * mean_corner
    if men[PAWN]:
        pawn = trailing_zeros(men[PAWN])
        cost += w.behind * max(0, (pawn >> 3) - (king >> 3)) + w.ranks_to_go * (7 - (pawn >> 3))
        cost += w.beside * abs((pawn & 7) - (king & 7))
    return cost + w.hanging * hanging + w.unwon * unwon


@inlined
def chance_of(belief, kings):
    total = 0.0
    while kings:
        total += belief[trailing_zeros(kings)]
        kings &= kings - 1
    return total


@kernel
def hear_answers(men, kings, belief, action, table, w, scratch):
    """Make an attempt, let the king reply to each answer, and value the sets that the answers leave.

    Return the probability that the king captures a man.
    """
    after, here, squares, values, left = scratch.after, scratch.here, scratch.squares, scratch.values, scratch.left
    free = hear(men, kings, action, after, scratch.lines, here)
    own, number, lost = union(after), placement_of(after), 0.0
    promotes = men[PAWN] != 0 and after[PAWN] == 0
    for part in range(PARTS):
        left[part], values[part] = 0.0, w.mate
        if here[part] == 0 or (part != REFUSED and part < SILENT):
            continue
        chance = chance_of(belief, here[part])
        if part == REFUSED:
            squares[part], left[part] = here[part], chance
            scratch.belief[part] = belief
        elif promotes:
            lost += chance_of(belief, here[part] & around(free & own))
            values[part] = w.mate - (1.0 if after[QUEEN] else ROOK_SLOWER)
        else:
            squares[part] = around(here[part]) & free & ~own
            taken = reply(belief, here[part], own, free, table, number, scratch.belief[part])
            values[part] = -w.lost
            if squares[part] and chance - taken > NO_CHANCE:
                left[part] = chance - taken
            lost += taken
        if left[part] > 0.0:
            stand = men if part == REFUSED else after
            values[part] = -cost_of_set(stand, squares[part], scratch.belief[part], left[part], table, w, scratch)
    return lost


@kernel
def weigh_answers(belief, lost, w, scratch):
    """Return the value of an attempt from its answers: their mean and the worst of them, minus the risk."""
    here = scratch.here
    mean, worst = w.mate * chance_of(belief, here[MATED]), w.mate
    for part in range(PARTS):
        if here[part] and (part == REFUSED or part >= SILENT):
            chance = chance_of(belief, here[part])
            mean += scratch.values[part] * chance
            if chance > UNLIKELY:
                worst = min(worst, scratch.values[part])
    stalemate = chance_of(belief, here[STALEMATED])
    risk = w.stalemate * stalemate + w.lost * lost
    risk += w.any_loss * ((stalemate > UNLIKELY) + (lost > UNLIKELY))
    return mean * (1.0 - w.worst) + worst * w.worst - risk


@kernel
def value_attempt(men, kings, belief, action, table, w, scratch, further):
    """Return the value of an attempt by the sets that the answers leave and, by `ahead`, by the best next attempt."""
    lost = hear_answers(men, kings, belief, action, table, w, scratch)
    for part in range(PARTS):
        if w.ahead > 0.0 and scratch.left[part] > 0.0:
            stand, squares, believed = men if part == REFUSED else scratch.after, scratch.squares, scratch.belief[part]
            if part != REFUSED:
                tablebase.neglect_hopeless(believed, stand, table)
            restrict_belief(believed, squares[part])
            best = -np.inf
            for i in range(search.list_own_moves(stand, further.moves)):
                taken = hear_answers(stand, squares[part], believed, further.moves[i], table, w, further)
                best = max(best, weigh_answers(believed, taken, w, further))
            scratch.values[part] += w.ahead * (best - scratch.values[part])
    return weigh_answers(belief, lost, w, scratch)


@kernel
def value_by_table(men, kings, belief, moves, times, table, w, out):
    """Fill in the values of attempts; `times` counts the earlier occurrences of the placement after each."""
    scratch, further = empty_scratch(), empty_scratch()
    for i in range(len(moves)):
        out[i] = value_attempt(men, kings, belief, moves[i], table, w, scratch, further) - w.again * times[i]


# Own moves of lookahead, number of best moves searched, and number of moves at the next level.
FARTHEST, FAR, WIDTH = 2, 8, 6
BEHIND = 1e9  # offset that ranks the moves with less lookahead behind the others
# Own moves without capture or pawn move that end the game, and how long before that patience starts to fall.
FIFTY, LAST_MOVES = 50, 10
# Allowed repetitions of a placement since the last capture or pawn move; cost of one, and of one too many.
TOO_OFTEN, STALE, LOOP = 2, 0.3, 1000.0
WEIGHTS: dict[tuple[int, ...], EndingWeights] = {
    (QUEEN,): EndingWeights(
        80, 450, 2, 300, 0.3, 5, 0.8, 0.15, 1, 0.6, 0.3,
        0.3, 0.1, 0.1, 2, 20, 0, 0.1, 0.1, 0.1, 0.1,
    ),
    (ROOK,): EndingWeights(
        237.593, 582.323, 3.27, 489.955, 0.283, 0.276, 0.31, -0.02, 0.342, 1.065, 0.588,
        0.126, -0.078, 0.315, 1.364, 39.625, 0.032, 0.742, 0.054, 0.079, 0.048, 0.218, 0.051,
    ),
    (PAWN,): EndingWeights(
        -1.985, 265.43, 2.473, 194.45, 0.179, 26.49, 0.521, -0.58, 5.743, 2.522, -0.359,
        0.075, 0.085, 0.588, 3.064, 1.632, -0.643, 0.346, -0.115, -0.236, 0.634, 0.09, 0.415, 0.247,
        1.423, 1.124, 0.421,
    ),
    (BISHOP, BISHOP): EndingWeights(
        119.758, 1349.137, 2.083, 489.676, 0.039, 2.082, 0.989, 0.074, 0.716, 0.774, 1.7,
        0.072, 0.034, -0.073, -0.828, 39.731, 0.096, -0.372, -0.174, -0.133, 0.157, 0.871, -0.027,
    ),
    (BISHOP, KNIGHT): EndingWeights(
        138.835, 358.816, 0.941, 586.949, 0, 4.056, 1.374, 0.015, 0.961, 3.841, 0.693,
        0.06, 0.526, 0.149, 2.431, 17.176, 0.254, 0.208, 0.35, 0.523, 0.186, -0.071, 0.253,
    ),
}  # fmt: skip
"""Weights by the kinds of the own men besides the king."""


NO_TABLE = np.empty((0, 64), np.uint8)  # placeholder where there is no table


def table_of_ending(men: np.ndarray) -> np.ndarray:
    """Return the distance-to-mate table of the endgame; empty if its attempts are evaluated without one."""
    kinds = kinds_of(men)
    return endgame_table(*kinds).to_mate if kinds in WEIGHTS else NO_TABLE


def value_attempts(
    men: np.ndarray, kings: int, belief: np.ndarray, moves: np.ndarray, times: np.ndarray, left: int
) -> np.ndarray:
    """Return the values of the moves, given earlier occurrences of each placement and the moves left."""
    if kinds_of(men) in WEIGHTS:
        values = np.empty(len(moves))
        value_by_table(men, kings, belief, moves, times, table_of_ending(men), WEIGHTS[kinds_of(men)], values)
        return np.asarray(values - LOOP * (times >= TOO_OFTEN))
    patience = min(1.0, max(0.0, left / LAST_MOVES))
    stack, values, farther = empty_stack(FARTHEST), np.empty(len(moves)), np.empty(min(FAR, len(moves)))
    costs = STALE * times + LOOP * (times >= TOO_OFTEN)
    search.value_moves(men, kings, moves, FARTHEST - 1, WIDTH, patience, stack, values)
    best = np.argsort(costs - values, kind="stable")[:FAR]
    search.value_moves(men, kings, moves[best], FARTHEST, WIDTH, patience, stack, farther)
    values -= BEHIND
    values[best] = farther
    return np.asarray(values - costs)
