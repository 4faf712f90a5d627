"""The three-tier tree of approaches B and C (figure 3) in preallocated arrays.

A place is a moment at which we are to move: the matrices, what is known, and a row of attempts. An attempt that was
chosen has a branch: the twelve outcomes of the two message tiers, each with its chance, its value, and the place that
it leads to once the search went there.
"""

import math
from typing import NamedTuple

import numpy as np

from ...core.kernel import inlined, kernel
from ...core.rng import unit
from ...games.chess.attempts import MOST_ATTEMPTS
from ..beliefs.probability_matrices import KNOWN
from ..evaluation.features import FEATURES
from ..evaluation.move_value import OUTCOMES, OUTLOOK

DEEPEST = 24
NO_CHILD = -1


class Tree(NamedTuple):
    """Rows of places, of attempts and of branches."""

    prob: np.ndarray
    known: np.ndarray
    first: np.ndarray
    listed: np.ndarray
    visits: np.ndarray
    stand: np.ndarray
    worth: np.ndarray
    gain: np.ndarray
    moves: np.ndarray
    legal: np.ndarray
    value: np.ndarray
    tried: np.ndarray
    branch: np.ndarray
    chances: np.ndarray
    stands: np.ndarray
    child: np.ndarray
    bonus: np.ndarray
    handicap: np.ndarray
    """What is taken off the value of each attempt at the root."""
    used: np.ndarray
    """How many places, attempts and branches there are."""
    features: np.ndarray
    outlook: np.ndarray
    ahead: np.ndarray
    """One record each, to work in: of a place, of a move, and of what is known in a simulation beyond the tree."""


def empty_tree(places: int) -> Tree:
    """A tree with room for so many places."""
    rows, branches = 40 * places + MOST_ATTEMPTS, 2 * places
    return Tree(
        np.empty((places, 3, 64), np.float32),
        np.empty(places, KNOWN),
        np.empty(places, np.int32),
        np.empty(places, np.int32),
        np.empty(places, np.int32),
        np.empty(places, np.float32),
        np.empty(places, np.float32),
        np.empty(places, np.float32),
        np.empty(rows, np.int32),
        np.empty(rows, np.float32),
        np.empty(rows, np.float32),
        np.empty(rows, np.int32),
        np.empty(rows, np.int32),
        np.empty((branches, OUTCOMES), np.float32),
        np.empty((branches, OUTCOMES), np.float32),
        np.empty((branches, OUTCOMES), np.int32),
        np.empty(branches, np.float32),
        np.zeros(MOST_ATTEMPTS, np.float32),
        np.zeros(3, np.int64),
        np.zeros(1, FEATURES),
        np.zeros(1, OUTLOOK),
        np.zeros(1, KNOWN),
    )


@inlined
def has_room(tree):
    """Whether another place can be added."""
    places, rows, branches = tree.used[0], tree.used[1], tree.used[2]
    return places + 1 < len(tree.first) and rows + MOST_ATTEMPTS < len(tree.moves) and branches + 1 < len(tree.child)


@kernel
def best_by_uct(value, tried, first, last, visits, c):
    """The attempt with the greatest value + c * sqrt(ln N / n), or -1."""
    log, best, chosen = math.log(visits + 1.0), -1e9, -1
    for i in range(first, last):
        score = value[i] + c * math.sqrt(log / tried[i])
        if score > best:
            best, chosen = score, i
    return chosen


@kernel
def sample_outcome(chances, stream):
    """An outcome by its chance: probabilisticMessage of figures 6 and 8."""
    u = unit(stream)
    for outcome in range(OUTCOMES):
        u -= chances[outcome]
        if u < 0.0:
            return outcome
    return 0


@kernel
def copy_place(prob, known, source, target):
    """Begin a place with what is known at another."""
    for row in range(3):
        for square in range(64):
            prob[target, row, square] = prob[source, row, square]
    known[target] = known[source]


def forbid(tree: Tree, move: int) -> None:
    """The root's attempt was refused: it goes, the rest of the tree is used again."""
    first, last = int(tree.first[0]), int(tree.first[0] + tree.listed[0]) - 1
    row = first + tree.moves[first : last + 1].tolist().index(move)
    for column in (tree.moves, tree.legal, tree.value, tree.tried, tree.branch):
        column[row] = column[last]
    tree.handicap[row - first] = tree.handicap[last - first]
    tree.listed[0] -= 1
