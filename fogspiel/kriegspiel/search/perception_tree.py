"""The three-tier tree of approaches B and C (figure 3) in preallocated arrays.

A node is a decision of ours: the matrices, the known facts, and a row of attempts. A selected attempt has a branch: the
twelve outcomes of the two message tiers, each with its probability, the value of the board, and its node once a
simulation went there. Values are in pawns.
"""

import math
from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import in_place, inlined, trailing_zeros
from ...core.rng import random_unit
from ...games.chess.bitboards import KING, attacks_of, bit
from ...games.chess.moves import MAX_ATTEMPTS
from ...games.chess.position import end_of
from ..beliefs.matrix_motion import predict_capture, predict_quiet_move
from ..beliefs.probability_matrices import (
    KINGS,
    KNOWN,
    PROTECTED,
    UNPROTECTED,
    attacked_squares,
    exclude_king,
    lose_man,
    note_own_move,
    scale_row,
    survey_board,
)
from .board_features import FEATURES, value_of
from .move_value import CHECK, MOVED_TAKEN, OTHER_TAKEN, OUTCOMES, OUTLOOK, REPLIES

DEEPEST = 24  # greatest depth of the tree in own moves
NO_CHILD = -1
ATTEMPTS_PER_NODE, BRANCHES_PER_NODE = 40, 2  # mean capacity per node
WORSE_THAN_ANY = -1e9
_NODE = [
    ("known", KNOWN),
    ("prob", np.float32, (3, 64)),
    ("first", np.int32),  # index of its first attempt
    ("listed", np.int32),  # number of attempts
    ("visits", np.int32),
    ("board", np.float32),  # static value of the board
    ("value", np.float32),  # the value of the best attempts
    ("gain", np.float32),  # expected gain of attempts at following nodes that have not been visited
]
_ATTEMPT = [
    ("move", np.int32),
    ("legal", np.float32),  # the probability that it is legal
    ("value", np.float32),
    ("visits", np.int32),
    ("branch", np.int32),  # its branch, or NO_CHILD
]
_BRANCH = [
    ("chance", np.float32, OUTCOMES),
    ("board", np.float32, OUTCOMES),  # value of the board after each outcome
    ("child", np.int32, OUTCOMES),  # the node that it leads to, or NO_CHILD
    ("bonus", np.float32),  # added to the value of every outcome
]
NODE, ATTEMPT, BRANCH = (np.dtype((np.record, np.dtype(fields, align=True))) for fields in (_NODE, _ATTEMPT, _BRANCH))


class PerceptionTree(NamedTuple):
    """The nodes, the first being the root, their attempts and branches."""

    nodes: np.ndarray
    attempts: np.ndarray
    branches: np.ndarray
    used: np.ndarray  # numbers of nodes, attempts and branches
    handicap: np.ndarray  # cost subtracted from the value of each attempt at the root
    features: np.ndarray
    outlook: np.ndarray
    ahead: np.ndarray  # one scratch record each: of a node, of a move, and the node of a simulation beyond the tree


def empty_tree(nodes: int) -> PerceptionTree:
    """Return a tree with capacity for this many nodes."""
    attempts = np.empty(ATTEMPTS_PER_NODE * nodes + MAX_ATTEMPTS, ATTEMPT)
    branches = np.empty(BRANCHES_PER_NODE * nodes, BRANCH)
    handicap, used = np.zeros(MAX_ATTEMPTS, np.float32), np.zeros(3, np.int64)
    records = np.zeros(1, FEATURES), np.zeros(1, OUTLOOK), np.zeros(1, NODE)
    return PerceptionTree(np.empty(nodes, NODE), attempts, branches, used, handicap, *records)


@inlined
def has_room(tree):
    nodes, attempts, branches = tree.used[0] + 1, tree.used[1] + MAX_ATTEMPTS, tree.used[2] + 1
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
    """Give an attempt a branch without nodes."""
    tree.attempts[row].branch = tree.used[2]
    child = tree.branches[tree.used[2]].child
    tree.used[2] += 1
    for outcome in range(OUTCOMES):
        child[outcome] = NO_CHILD


@in_place
def add_child(tree, node, branch, outcome):
    """Add the node of an outcome, starting with its parent's knowledge; return its number."""
    child = tree.used[0]
    tree.used[0] += 1
    tree.branches[branch].child[outcome] = child
    tree.nodes[child] = tree.nodes[node]
    return child


@in_place
def best_by_uct(attempts, first, last, visits, c):
    """Return the attempt with the greatest value + c * sqrt(ln N / n), or -1."""
    log, best, chosen = math.log(visits + 1.0), WORSE_THAN_ANY, -1
    for i in range(first, last):
        score = attempts[i].value + c * math.sqrt(log / attempts[i].visits)
        if score > best:
            best, chosen = score, i
    return chosen


@in_place
def sample_outcome(chance, stream):
    """Draw an outcome by its probability: probabilisticMessage of figures 6 and 8."""
    u = random_unit(stream)
    for outcome in range(OUTCOMES):
        u -= chance[outcome]
        if u < 0.0:
            return outcome
    return 0


def root_attempts(tree: PerceptionTree) -> np.ndarray:
    first = int(tree.nodes[0].first)
    return tree.attempts[first : first + int(tree.nodes[0].listed)]


def forbid(tree: PerceptionTree, move: int) -> None:
    """Remove a refused attempt from the root; the rest of the tree is reused."""
    attempts = root_attempts(tree)
    row = attempts["move"].tolist().index(move)
    attempts[row], tree.handicap[row] = attempts[-1], tree.handicap[len(attempts) - 1]
    tree.nodes[0].listed -= 1


# Transition between nodes of the tree: our move, the referee's answer, their reply (figure 3).


@in_place
def most_exposed(prob, known, spared, parameters, survey):
    """Return the square of the man that they most probably capture next, except on `spared`, or -1."""
    survey_board(prob, known, parameters, survey)
    net, worst, found = attacked_squares(known), 0.0, -1
    for kind in range(KING):
        left = known.men[kind]
        while left:
            square = trailing_zeros(left)
            danger = survey.hazard[PROTECTED if net & bit(square) else UNPROTECTED, square]
            danger *= value_of(kind, square, known, parameters)
            if square != spared and danger > worst:
                worst, found = danger, square
            left &= left - 1
    return found


@in_place
def hear_answer(prob, known, move, answer):
    """Update the matrices and known facts by our move and the referee's answer to it."""
    end = end_of(move)
    kind = note_own_move(prob, known, move, answer if answer != CHECK else 0, end)
    if answer == CHECK:
        hits = attacks_of(kind, end, known.colour, known.own)
        for square in range(64):
            if not hits & bit(square):
                prob[KINGS, square] = 0.0
        scale_row(prob, KINGS, 1.0, hits)
    else:
        exclude_king(prob, known)


@in_place
def hear_reply(prob, known, victim, attraction, is_check, parameters):
    """Update the matrices and known facts by their capture on the square `victim`, or by a quiet move if it is -1."""
    if victim >= 0:
        lose_man(known, victim)
        predict_capture(prob, known, victim, 1, parameters)
    else:
        predict_quiet_move(prob, known, attraction, is_check, parameters)
    exclude_king(prob, known)
    known.tries, known.checks = 1, 0  # tries are not simulated; a check to us is not expected


@in_place
def evolve(prob, known, move, outcome, attraction, parameters, survey):
    """Update the matrices and known facts by our move and its outcome; return their capture square, or -1."""
    answer, reply, victim = outcome // REPLIES, outcome % REPLIES, -1
    hear_answer(prob, known, move, answer)
    if reply == MOVED_TAKEN:
        victim = end_of(move)
    elif reply == OTHER_TAKEN:
        victim = most_exposed(prob, known, end_of(move), parameters, survey)
    hear_reply(prob, known, victim, attraction, answer == CHECK, parameters)
    return victim
