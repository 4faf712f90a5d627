"""Approach C as printed (section 5.3, figures 8 and 9): every node is evaluated once, and the maximum is backed up."""

import math
from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import in_place, kernel
from ...games.chess.bitboards import PAWN, bit, kind_on
from ...games.chess.position import end_of, start_of
from ...kriegspiel.beliefs.probability_matrices import PAWNS, PIECES
from ...kriegspiel.search.move_value import OUTCOMES
from ...kriegspiel.search.perception_search import DEEPEST, NO_CHILD, WORSE_THAN_ANY, add_child, has_room
from ...kriegspiel.search.perception_search import sample_outcome as probabilistic_message
from .abstract_model import get_outcome_probabilities, material_balance, update_model
from .approach_b import backpropagate_mean, list_moves, new_leaf, open_branch, simulation


@in_place
def weighed_average(chances, values):
    """Return the weighed average of figure 8: the sum of outcomes[a] * probabilities[a]."""
    found = 0.0
    for outcome in range(OUTCOMES):
        found += chances[outcome] * values[outcome]
    return found


@in_place
def explore(tree, place, row, constants, parameters, chances, values):
    """Return the weighed average of an attempt's outcomes; the survey is that of its node."""
    node, move = tree.nodes[place], tree.attempts[row].move
    kind, survey = kind_on(node.known.men, start_of(move)), tree.features[0].survey
    get_outcome_probabilities(node.prob, node.known, kind, move, survey, constants, parameters, chances, values)
    return weighed_average(chances, values)


@kernel
def expand(tree, place, refused, constants, parameters):
    """List the attempts at a node and explore each once; return their number.

    An illegal attempt leaves the balance as it is, so its value counts with Prob_legal.
    """
    list_moves(tree, place, refused, parameters)
    node = tree.nodes[place]
    chances, values = np.empty(OUTCOMES, np.float64), np.empty(OUTCOMES, np.float64)
    node.board = material_balance(node.known, constants.theirs)
    for row in range(node.first, node.first + node.listed):
        attempt = tree.attempts[row]
        outcome = explore(tree, place, row, constants, parameters, chances, values)
        attempt.value = node.board + attempt.legal * (outcome - node.board)
        attempt.visits = 1
    node.visits = max(1, node.listed)
    node.value = maximum(tree, place)
    return node.listed


@in_place
def maximum(tree, place):
    """Return the value of a node by the backup operator of approach C: that of its best attempt."""
    node = tree.nodes[place]
    found = node.board
    for row in range(node.first, node.first + node.listed):
        if row == node.first or tree.attempts[row].value > found:
            found = tree.attempts[row].value
    return found


@in_place
def backpropagate_maximum(tree, place, row):
    """Set the value of an attempt by its outcomes, those with a node by the maximum there, and that of its node."""
    node, attempt = tree.nodes[place], tree.attempts[row]
    branch = tree.branches[attempt.branch]
    found = 0.0
    for outcome in range(OUTCOMES):
        child = branch.child[outcome]
        value = branch.board[outcome] if child == NO_CHILD else tree.nodes[child].value
        found += branch.chance[outcome] * value
    attempt.value = node.board + attempt.legal * (found - node.board)
    attempt.visits += 1
    node.visits += 1
    node.value = maximum(tree, place)


@kernel
def approach_c(tree, attraction, constants, parameters, strategy, stream, nodes):
    """Figure 8: select by UCT and by probabilistic messages down to a new node, explore it, back up the maximum."""
    places, rows = np.empty(DEEPEST + 1, np.int64), np.empty(DEEPEST + 1, np.int64)
    refused, survey, done = np.zeros(64, np.int64), tree.features[0].survey, 0
    while done < nodes:
        place, depth = 0, 0
        while depth < DEEPEST:
            row = uct_selection(tree, place, parameters.exploration, strategy)
            if row < 0 or not has_room(tree):
                break
            if tree.attempts[row].branch == NO_CHILD:
                open_branch(tree, place, row, constants, parameters)
            places[depth], rows[depth] = place, row
            depth += 1
            number = tree.attempts[row].branch
            outcome = probabilistic_message(tree.branches[number].chance, stream)
            child = tree.branches[number].child[outcome]
            if child == NO_CHILD:
                child = add_child(tree, place, number, outcome)
                new = tree.nodes[child]
                update_model(
                    new.prob, new.known, tree.attempts[row].move, outcome, attraction, parameters, survey, stream
                )
                done += expand(tree, child, refused, constants, parameters)
                if strategy.unpruned:
                    order_by_heuristic(tree, child, strategy)
                break
            place = child
        done += 1
        for level in range(depth - 1, -1, -1):
            backpropagate_maximum(tree, places[level], rows[level])
    return done


# Progressive strategies for young nodes (section 7; reference [21]: Chaslot and others 2008), as selection of C.
#
# Progressive bias adds H / (n + 1) to the UCT value of an attempt with n visits. Progressive unpruning offers only the
# best attempts by the heuristic at first; attempt number `unpruned` + j joins when the node has been selected A * B **
# j times. Section 7 expects that "objective-based heuristics are the most likely candidates": H counts the objectives
# of an attempt, a capture by its probability and the progress of a pawn towards promotion. Without either strategy the
# selection is that of figure 8.

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


# Hybrid of B and C (section 7): the first move evaluated like C, then longer simulations for the next moves.
#
# As in reference [20], the evaluation of C is the prior of a node: every attempt of a new node has the weighed average
# of its outcomes as the value of its first visit. Simulations of k moves start at the node, and their mean is backed
# up.


@kernel
def explore_moves(tree, place, refused, constants, parameters):
    """List the attempts at a node, each with the value of approach C if it is accepted; return their number."""
    list_moves(tree, place, refused, parameters)
    node = tree.nodes[place]
    chances, values = np.empty(OUTCOMES, np.float64), np.empty(OUTCOMES, np.float64)
    for row in range(node.first, node.first + node.listed):
        attempt = tree.attempts[row]
        attempt.value, attempt.visits = explore(tree, place, row, constants, parameters, chances, values), 1
    node.visits = max(1, node.listed)
    return node.listed


@kernel
def approach_bc(tree, k, attraction, constants, parameters, stream, nodes):
    """Select as B, explore the moves of the new node as C, simulate k moves from it, back up the mean."""
    rows, places = np.empty(DEEPEST + 1, np.int64), np.empty(DEEPEST + 1, np.int64)
    refused, done = np.zeros(64, np.int64), 0
    while done < nodes:
        depth, n, is_new, lost, was_capture = new_leaf(tree, attraction, constants, parameters, stream, places, rows)
        value = material_balance(tree.nodes[n].known, constants.theirs)
        if is_new:
            done += explore_moves(tree, n, refused, constants, parameters)
            value = simulation(tree, n, k, lost, was_capture, attraction, constants, parameters, stream)
        done += 1
        backpropagate_mean(tree, value, places, rows, depth)
    return done
