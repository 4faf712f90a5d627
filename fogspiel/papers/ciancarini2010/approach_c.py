"""Approach C as printed (section 5.3, figures 8 and 9): every node is evaluated once, and the maximum is backed up."""

import numpy as np

from ...core.compile.kernel import in_place, kernel
from ...games.chess.bitboards import kind_on
from ...games.chess.position import start_of
from ...kriegspiel.search.move_value import OUTCOMES
from ...kriegspiel.search.perception_search import DEEPEST, NO_CHILD, add_child, best_by_uct, has_room
from ...kriegspiel.search.perception_search import sample_outcome as probabilistic_message
from .abstract_model import get_outcome_probabilities, material_balance, update_model
from .approach_b import list_moves, open_branch


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
def approach_c(tree, attraction, constants, parameters, stream, nodes):
    """Figure 8: select by UCT and by probabilistic messages down to a new node, explore it, back up the maximum."""
    places, rows = np.empty(DEEPEST + 1, np.int64), np.empty(DEEPEST + 1, np.int64)
    refused, survey, done = np.zeros(64, np.int64), tree.features[0].survey, 0
    while done < nodes:
        place, depth = 0, 0
        while depth < DEEPEST:
            node = tree.nodes[place]
            row = best_by_uct(tree.attempts, node.first, node.first + node.listed, node.visits, parameters.exploration)
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
                break
            place = child
        done += 1
        for level in range(depth - 1, -1, -1):
            backpropagate_maximum(tree, places[level], rows[level])
    return done
