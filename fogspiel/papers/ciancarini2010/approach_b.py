"""Approach B(k) as printed (section 5.2, figure 6): simulated messages, k moves long, mean backup."""

import numpy as np

from ...core.compile.kernel import in_place, kernel
from ...core.rng import random_below, random_unit
from ...games.chess.bitboards import KING, PAWN, QUEEN, kind_on
from ...games.chess.moves import MAX_ATTEMPTS
from ...games.chess.position import end_of, promotion_of, start_of
from ...kriegspiel.beliefs.probability_matrices import parry_chance, survey_board
from ...kriegspiel.game.attempts import attempts
from ...kriegspiel.search.move_value import OUTCOMES, PAWN_TAKEN, PIECE_TAKEN, REPLIES
from ...kriegspiel.search.perception_search import DEEPEST, NO_CHILD, add_attempt, add_branch, add_child, has_room
from ...kriegspiel.search.perception_search import sample_accepted_attempt as uct_selection
from ...kriegspiel.search.perception_search import sample_outcome as probabilistic_message
from .abstract_model import get_outcome_probabilities, material_balance, prob_legal, update_model

LONGEST_STRING = 6  # moves by which a string of captures extends a simulation ("accounts for quiescence")
ALMOST_ALWAYS = 0.9  # "both players almost always try to capture back or exploit a pawn try" (5.1, shared by all)
MIN_LEGAL = 1e-3  # minimum chance of an attempt that the referee has not refused


@kernel
def list_moves(tree, place, refused, parameters):
    """Expansion: list the attempts at a node with their Prob_legal, unvisited."""
    node, survey, listed = tree.nodes[place], tree.features[0].survey, np.empty(MAX_ATTEMPTS, np.int64)
    known, prob = node.known, node.prob
    survey_board(prob, known, parameters, survey)
    count = attempts(known.men, known.own, known.colour, known.rights, known.tries, refused, listed)
    node.first, node.visits = tree.used[1], 0
    for i in range(count):
        start, end = start_of(listed[i]), end_of(listed[i])
        kind = kind_on(known.men, start)
        if promotion_of(listed[i]) and promotion_of(listed[i]) != QUEEN:
            continue
        legal = prob_legal(prob, known, survey, kind, start, end)
        if known.checks and kind != KING:
            legal *= parry_chance(prob, known, end)
        add_attempt(tree, listed[i], max(legal, MIN_LEGAL), 0.0, 0)
    node.listed = tree.used[1] - node.first


@in_place
def open_branch(tree, place, row, constants, parameters):
    """Give an attempt its outcomes, so that nodes can grow from them."""
    node, attempt, survey = tree.nodes[place], tree.attempts[row], tree.features[0].survey
    add_branch(tree, row)
    branch = tree.branches[attempt.branch]
    survey_board(node.prob, node.known, parameters, survey)
    kind = kind_on(node.known.men, start_of(attempt.move))
    get_outcome_probabilities(
        node.prob, node.known, kind, attempt.move, survey, constants, parameters, branch.chance, branch.board
    )


@kernel
def pseudorandom_move(prob, known, survey, lost, stream, listed):
    """Return a random accepted attempt, almost always one that recaptures or uses a pawn try; or -1."""
    refused = np.zeros(64, np.int64)
    count = attempts(known.men, known.own, known.colour, known.rights, known.tries, refused, listed)
    eager = random_unit(stream) < ALMOST_ALWAYS
    for turn in range(0 if eager else 1, 2):
        left = count
        while left:
            i = random_below(stream, left)
            left -= 1
            move = listed[i]
            listed[i], listed[left] = listed[left], move
            start, end = start_of(move), end_of(move)
            kind = kind_on(known.men, start)
            takes = end == lost or (kind == PAWN and (end - start) % 8 != 0)
            if (turn == 0 and not takes) or (promotion_of(move) and promotion_of(move) != QUEEN):
                continue
            if random_unit(stream) < prob_legal(prob, known, survey, kind, start, end):
                return move
    return -1


@kernel
def simulation(tree, place, k, lost, was_capture, attraction, constants, parameters, stream):
    """Play at most k - 1 further moves, more during a string of captures; return the balance of men then."""
    tree.ahead[0] = tree.nodes[place]
    known, prob, survey = tree.ahead[0].known, tree.ahead[0].prob, tree.features[0].survey
    listed = np.empty(MAX_ATTEMPTS, np.int64)
    chances, values = np.empty(OUTCOMES, np.float64), np.empty(OUTCOMES, np.float64)
    for played in range(1, k + LONGEST_STRING):
        if played >= k and not was_capture:
            break
        survey_board(prob, known, parameters, survey)
        move = pseudorandom_move(prob, known, survey, lost, stream, listed)
        if move < 0 or (played >= k and end_of(move) != lost):
            break
        kind = kind_on(known.men, start_of(move))
        get_outcome_probabilities(prob, known, kind, move, survey, constants, parameters, chances, values)
        outcome = probabilistic_message(chances, stream)
        lost = update_model(prob, known, move, outcome, attraction, parameters, survey, stream)
        was_capture = lost >= 0
    return material_balance(known, constants.theirs)


@kernel
def new_leaf(tree, attraction, constants, parameters, stream, places, rows):
    """Select by UCT and by probabilistic messages down to a new node.

    Return the depth, the node (the last one if the tree cannot grow), whether it is new, the square of their capture
    or -1, and whether there was a capture.
    """
    place, depth, survey = 0, 0, tree.features[0].survey
    while True:
        row = uct_selection(tree, place, parameters, stream)
        if row < 0 or depth == DEEPEST or not has_room(tree):
            return depth, place, False, -1, False
        places[depth], rows[depth] = place, row
        depth += 1
        if tree.attempts[row].branch == NO_CHILD:
            open_branch(tree, place, row, constants, parameters)
        move, number = tree.attempts[row].move, tree.attempts[row].branch
        branch = tree.branches[number]
        outcome = probabilistic_message(branch.chance, stream)
        if branch.child[outcome] == NO_CHILD:
            child = add_child(tree, place, number, outcome)
            new = tree.nodes[child]
            lost = update_model(new.prob, new.known, move, outcome, attraction, parameters, survey, stream)
            return depth, child, True, lost, lost >= 0 or outcome // REPLIES in (PAWN_TAKEN, PIECE_TAKEN)
        place = branch.child[outcome]


@in_place
def backpropagate_mean(tree, value, places, rows, depth):
    """Back up the average."""
    for level in range(depth):
        attempt = tree.attempts[rows[level]]
        tree.nodes[places[level]].visits += 1
        attempt.visits += 1
        attempt.value += (value - attempt.value) / attempt.visits


@kernel
def approach_b(tree, k, attraction, constants, parameters, stream, simulations):
    """Figure 6: select by UCT and by probabilistic messages, expand, simulate, back up the mean."""
    rows, places = np.empty(DEEPEST + 1, np.int64), np.empty(DEEPEST + 1, np.int64)
    refused = np.zeros(64, np.int64)
    for _ in range(simulations):
        depth, n, is_new, lost, was_capture = new_leaf(tree, attraction, constants, parameters, stream, places, rows)
        value = material_balance(tree.nodes[n].known, constants.theirs)
        if is_new:
            list_moves(tree, n, refused, parameters)
            value = simulation(tree, n, k, lost, was_capture, attraction, constants, parameters, stream)
        backpropagate_mean(tree, value, places, rows, depth)
    return simulations
