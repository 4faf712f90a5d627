"""The three-tier tree of approaches B and C (figure 3) in preallocated arrays.

A node is a moment at which we are to move: the matrices, what is known, and a row of attempts. An attempt that was
chosen has a branch: the twelve outcomes of the two message tiers, each with its chance, the value of the board, and the
node that it leads to once a simulation went there. Values are in pawns.
"""

import math
from typing import NamedTuple

import numpy as np

from ...core.kernel import in_place, inlined
from ...core.rng import unit
from ...games.chess.attempts import MOST_ATTEMPTS
from ..beliefs.probability_matrices import KNOWN
from ..evaluation.features import FEATURES
from ..evaluation.move_value import OUTCOMES, OUTLOOK

DEEPEST = 24  # so many own moves the tree is deep at most
NO_CHILD = -1
ATTEMPTS_PER_NODE, BRANCHES_PER_NODE = 40, 2  # for so many there is room, on average
WORSE_THAN_ANY = -1e9
_NODE = [
    ("known", KNOWN),
    ("prob", np.float32, (3, 64)),
    ("first", np.int32),  # the first of its attempts
    ("listed", np.int32),  # how many attempts there are
    ("visits", np.int32),
    ("board", np.float32),  # what the board is worth as it stands
    ("value", np.float32),  # the value of the best attempts
    ("gain", np.float32),  # what attempts are expected to add at nodes that follow and that have not been seen
]
_ATTEMPT = [
    ("move", np.int32),
    ("legal", np.float32),  # the chance that it is legal
    ("value", np.float32),
    ("visits", np.int32),
    ("branch", np.int32),  # its branch, or NO_CHILD
]
_BRANCH = [
    ("chance", np.float32, OUTCOMES),
    ("board", np.float32, OUTCOMES),  # what the board is worth after each outcome
    ("child", np.int32, OUTCOMES),  # the node that it leads to, or NO_CHILD
    ("bonus", np.float32),  # what is added to the value whatever the outcome
]
NODE, ATTEMPT, BRANCH = (np.dtype((np.record, np.dtype(fields, align=True))) for fields in (_NODE, _ATTEMPT, _BRANCH))


class Tree(NamedTuple):
    """The nodes, of which the first is the root, their attempts and branches."""

    nodes: np.ndarray
    attempts: np.ndarray
    branches: np.ndarray
    used: np.ndarray  # how many nodes, attempts and branches there are
    handicap: np.ndarray  # what is taken off the value of each attempt at the root
    features: np.ndarray
    outlook: np.ndarray
    ahead: np.ndarray  # one record each, to work in: of a node, of a move, and the node of a simulation beyond the tree


def empty_tree(nodes: int) -> Tree:
    """A tree with room for so many nodes."""
    attempts = np.empty(ATTEMPTS_PER_NODE * nodes + MOST_ATTEMPTS, ATTEMPT)
    branches = np.empty(BRANCHES_PER_NODE * nodes, BRANCH)
    handicap, used = np.zeros(MOST_ATTEMPTS, np.float32), np.zeros(3, np.int64)
    records = np.zeros(1, FEATURES), np.zeros(1, OUTLOOK), np.zeros(1, NODE)
    return Tree(np.empty(nodes, NODE), attempts, branches, used, handicap, *records)


@inlined
def has_room(tree):
    """True if another node can be added."""
    nodes, attempts, branches = tree.used[0] + 1, tree.used[1] + MOST_ATTEMPTS, tree.used[2] + 1
    return nodes < len(tree.nodes) and attempts < len(tree.attempts) and branches < len(tree.branches)


@in_place
def add_attempt(tree, move, legal, value, visits):
    """Add an attempt to the node that is being expanded."""
    attempt = tree.attempts[tree.used[1]]
    tree.used[1] += 1
    attempt.move, attempt.legal, attempt.value = move, legal, value
    attempt.visits, attempt.branch = visits, NO_CHILD


@in_place
def add_branch(tree, row):
    """Give an attempt a branch that leads nowhere yet."""
    tree.attempts[row].branch = tree.used[2]
    child = tree.branches[tree.used[2]].child
    tree.used[2] += 1
    for outcome in range(OUTCOMES):
        child[outcome] = NO_CHILD


@in_place
def add_child(tree, node, branch, outcome):
    """Add a node that an outcome leads to and that begins with what is known at its parent. Its number."""
    child = tree.used[0]
    tree.used[0] += 1
    tree.branches[branch].child[outcome] = child
    tree.nodes[child] = tree.nodes[node]
    return child


@in_place
def best_by_uct(attempts, first, last, visits, c):
    """The attempt with the greatest value + c * sqrt(ln N / n), or -1."""
    log, best, chosen = math.log(visits + 1.0), WORSE_THAN_ANY, -1
    for i in range(first, last):
        score = attempts[i].value + c * math.sqrt(log / attempts[i].visits)
        if score > best:
            best, chosen = score, i
    return chosen


@in_place
def sample_outcome(chance, stream):
    """An outcome by its chance: probabilisticMessage of figures 6 and 8."""
    u = unit(stream)
    for outcome in range(OUTCOMES):
        u -= chance[outcome]
        if u < 0.0:
            return outcome
    return 0


def root_attempts(tree: Tree) -> np.ndarray:
    """The attempts at the root."""
    first = int(tree.nodes[0].first)
    return tree.attempts[first : first + int(tree.nodes[0].listed)]


def forbid(tree: Tree, move: int) -> None:
    """Take a refused attempt off the root; the rest of the tree is used again."""
    attempts = root_attempts(tree)
    row = attempts["move"].tolist().index(move)
    attempts[row], tree.handicap[row] = attempts[-1], tree.handicap[len(attempts) - 1]
    tree.nodes[0].listed -= 1
