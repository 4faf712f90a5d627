"""Hybrid of B and C (section 7): the first move evaluated like C, then longer simulations for the next moves.

As in reference [20], the evaluation of C is the prior of a node: every attempt of a new node has the weighed average of
its outcomes as the value of its first visit. Simulations of k moves start at the node, and their mean is backed up.
"""

import numpy as np

from ...core.compile.kernel import kernel
from ...kriegspiel.search.move_value import OUTCOMES
from ...kriegspiel.search.perception_search import DEEPEST
from .abstract_model import material_balance
from .approach_b import backpropagate, list_moves, new_leaf, simulation
from .approach_c import explore


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
        backpropagate(tree, value, places, rows, depth)
    return done
