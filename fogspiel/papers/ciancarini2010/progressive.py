"""Progressive strategies for young nodes (section 7; reference [21]: Chaslot and others 2008), as selection of C.

Progressive bias adds H / (n + 1) to the UCT value of an attempt with n visits. Progressive unpruning offers only the
best attempts by the heuristic at first; attempt number `unpruned` + j joins when the node has been selected A * B ** j
times. Section 7 expects that "objective-based heuristics are the most likely candidates": H counts the objectives of an
attempt, a capture by its probability and the progress of a pawn towards promotion. Without either strategy the
selection is that of figure 8.
"""

import math
from typing import NamedTuple

from ...core.compile.kernel import in_place, kernel
from ...games.chess.bitboards import PAWN, bit
from ...games.chess.position import end_of, start_of
from ...kriegspiel.beliefs.probability_matrices import PAWNS, PIECES
from ...kriegspiel.search.perception_search import WORSE_THAN_ANY

FIRST_VISITS, GROWTH = 50.0, 1.3  # A and B of [21]
LAST_STEP = 6.0  # ranks from a pawn's home to its promotion


class Progressive(NamedTuple):
    """Strategy of selection; zeros leave UCT as it is."""

    bias: float = 0.0  # weight of H, in men
    unpruned: int = 0  # attempts offered at first; 0 offers all


PLAIN = Progressive()


@in_place
def objective(node, move):
    """Return H of an attempt: the chance of a capture, and for a pawn its share of the way to promotion."""
    start, end = start_of(move), end_of(move)
    if not node.known.men[PAWN] & bit(start):
        return node.prob[PAWNS, end] + node.prob[PIECES, end]
    rank = end // 8 if node.known.colour == 0 else 7 - end // 8
    capture = node.prob[PAWNS, end] + node.prob[PIECES, end] if (end - start) % 8 else 0.0
    return capture + (rank - 1) / LAST_STEP


@in_place
def offered(node, strategy):
    """Return the number of attempts of a node that may be selected; its first visits are those of its expansion."""
    if not strategy.unpruned:
        return node.listed
    selected = node.visits - node.listed
    more = 0 if selected < FIRST_VISITS else int(math.log(selected / FIRST_VISITS) / math.log(GROWTH)) + 1
    return min(node.listed, strategy.unpruned + more)


@in_place
def uct_selection(tree, place, c, strategy):
    """Return the attempt with the greatest value + c * sqrt(ln N / n) + bias * H / (n + 1), or -1."""
    node = tree.nodes[place]
    log, best, chosen = math.log(node.visits + 1.0), WORSE_THAN_ANY, -1
    for row in range(node.first, node.first + offered(node, strategy)):
        attempt = tree.attempts[row]
        score = attempt.value + c * math.sqrt(log / attempt.visits)
        if strategy.bias > 0.0:
            score += strategy.bias * objective(node, attempt.move) / (attempt.visits + 1.0)
        if score > best:
            best, chosen = score, row
    return chosen


@in_place
def promise(tree, place, row, strategy):
    """Return the heuristic of unpruning: the value of the first exploration, and H."""
    attempt = tree.attempts[row]
    return attempt.value + strategy.bias * objective(tree.nodes[place], attempt.move)


@kernel
def order_by_heuristic(tree, place, strategy):
    """Sort the attempts of a new node, the most promising first; none of them has a branch yet."""
    node = tree.nodes[place]
    for row in range(node.first + 1, node.first + node.listed):
        at = row
        while at > node.first and promise(tree, place, at, strategy) > promise(tree, place, at - 1, strategy):
            one, other = tree.attempts[at], tree.attempts[at - 1]
            one.move, other.move = other.move, one.move
            one.legal, other.legal = other.legal, one.legal
            one.value, other.value = other.value, one.value
            at -= 1
