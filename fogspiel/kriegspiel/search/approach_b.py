"""Approach B (section 5.2, figure 6): the tree of perceptions with simulated messages, k moves long.

A simulation ends after k moves, the first of which leads to the new node, and goes on while men are being taken. Its
value is what our men are worth less theirs; the mean is backed up.
"""

import math

import numpy as np

from ...core.compile.kernel import inlined, kernel
from ...core.rng import random_below, random_unit
from ...games.chess.bitboards import KING, PAWN, QUEEN, kind_on
from ...games.chess.moves import MAX_ATTEMPTS
from ...games.chess.position import end_of, promotion_of, start_of
from ..beliefs.probability_matrices import legality, survey_board
from ..evaluation.board_evaluator import material
from ..evaluation.move_value import OUTCOMES, PAWN_TAKEN, PIECE_TAKEN, REPLIES, parry_chance, weigh_outcomes
from ..game.attempts import attempts
from .perception_tree import (
    DEEPEST,
    NO_CHILD,
    WORSE_THAN_ANY,
    add_attempt,
    add_branch,
    add_child,
    evolve,
    has_room,
    sample_outcome,
)

LONGEST_STRING = 6  # a simulation goes on for at most so many moves of a string of captures
ALMOST_ALWAYS = 0.9  # how often a simulated move takes back or uses a pawn try if it can
UNLIKELY = 0.02  # inside the tree attempts that are legal with less than this chance are left out


@inlined
def _underpromotes(move):
    """True if a pawn becomes anything but a queen, which is never looked at."""
    return promotion_of(move) and promotion_of(move) != QUEEN


@kernel
def list_attempts(tree, place, refused, parameters):
    """Write the attempts at a node that may be legal; none of them has been visited."""
    node, survey, listed = tree.nodes[place], tree.features[0].survey, np.empty(MAX_ATTEMPTS, np.int64)
    known, prob = node.known, node.prob
    survey_board(prob, known, parameters, survey)
    number = attempts(known.men, known.own, known.colour, known.rights, known.tries, refused, listed)
    node.first, node.visits = tree.used[1], 0
    for i in range(number):
        start, end = start_of(listed[i]), end_of(listed[i])
        kind = kind_on(known.men, start)
        legal = legality(prob, known, survey, kind, start, end, parameters)
        if known.checks and kind != KING:
            legal *= parry_chance(prob, known, end)
        if not _underpromotes(listed[i]) and (place == 0 or legal >= UNLIKELY):
            add_attempt(tree, listed[i], max(legal, UNLIKELY), 0.0, 0)
    node.listed = tree.used[1] - node.first


@kernel
def sample_accepted_attempt(tree, place, parameters, stream):
    """The first attempt that the simulated referee accepts: new ones in random order, then the best by UCT; or -1."""
    node, is_refused = tree.nodes[place], np.zeros(MAX_ATTEMPTS, np.bool_)
    first, count, log = node.first, node.listed, math.log(node.visits + 1.0)
    for _ in range(count):
        fresh = 0
        for i in range(count):
            if tree.attempts[first + i].visits == 0 and not is_refused[i]:
                fresh += 1
        chosen, best, nth = -1, WORSE_THAN_ANY, random_below(stream, fresh) if fresh else -1
        for i in range(count):
            attempt = tree.attempts[first + i]
            if is_refused[i]:
                continue
            if fresh:
                if attempt.visits == 0:
                    if nth == 0:
                        chosen = i
                    nth -= 1
            else:
                score = attempt.value + parameters.exploration * math.sqrt(log / attempt.visits)
                if score > best:
                    best, chosen = score, i
        if random_unit(stream) < tree.attempts[first + chosen].legal:
            return first + chosen
        is_refused[chosen] = True
    return -1


@kernel
def simulate_move(prob, known, survey, parameters, lost, stream, listed):
    """A pseudorandom attempt that is accepted: almost always one that takes back or uses a pawn try; or -1."""
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
            if (turn == 0 and not takes) or _underpromotes(move):
                continue
            if random_unit(stream) < legality(prob, known, survey, kind, start, end, parameters):
                return move
    return -1


@kernel
def simulate_value(tree, place, k, lost, was_capture, attraction, parameters, stream):
    """Play k - 1 further moves by simulated messages, more while men are being taken. What the men are worth then."""
    tree.ahead[0] = tree.nodes[place]
    known, prob, features, outlook = tree.ahead[0].known, tree.ahead[0].prob, tree.features[0], tree.outlook[0]
    listed = np.empty(MAX_ATTEMPTS, np.int64)
    chance, board = np.empty(OUTCOMES, np.float64), np.empty(OUTCOMES, np.float64)
    for played in range(1, k + LONGEST_STRING):
        if played >= k and not was_capture:
            break
        survey_board(prob, known, parameters, features.survey)
        move = simulate_move(prob, known, features.survey, parameters, lost, stream, listed)
        if move < 0 or (played >= k and end_of(move) != lost):
            break
        weigh_outcomes(prob, known, move, parameters, features, outlook, chance, board)
        u, outcome = random_unit(stream), 0
        while outcome < OUTCOMES - 1 and u >= chance[outcome]:
            u -= chance[outcome]
            outcome += 1
        lost = evolve(prob, known, move, outcome, attraction, parameters, features.survey)
        was_capture = lost >= 0
    return material(known, parameters)


@kernel
def simulate(tree, attraction, k, parameters, stream, simulations):
    """Approach B (figure 6): select by UCT and by simulated messages, expand, simulate k moves, back up the mean."""
    rows, places = np.empty(DEEPEST + 1, np.int64), np.empty(DEEPEST + 1, np.int64)
    refused, features, outlook = np.zeros(64, np.int64), tree.features[0], tree.outlook[0]
    for _ in range(simulations):
        place, depth, value = 0, 0, 0.0
        while True:
            row, node = sample_accepted_attempt(tree, place, parameters, stream), tree.nodes[place]
            if row < 0 or depth == DEEPEST or not has_room(tree):
                value = material(node.known, parameters)
                break
            places[depth], rows[depth] = place, row
            depth += 1
            move, is_new = tree.attempts[row].move, tree.attempts[row].branch == NO_CHILD
            if is_new:
                add_branch(tree, row)
            number = tree.attempts[row].branch
            branch = tree.branches[number]
            if is_new:
                weigh_outcomes(node.prob, node.known, move, parameters, features, outlook, branch.chance, branch.board)
            outcome = sample_outcome(branch.chance, stream)
            if branch.child[outcome] == NO_CHILD:
                child = add_child(tree, place, number, outcome)
                new = tree.nodes[child]
                lost = evolve(new.prob, new.known, move, outcome, attraction, parameters, features.survey)
                list_attempts(tree, child, refused, parameters)
                was_capture = lost >= 0 or outcome // REPLIES in (PAWN_TAKEN, PIECE_TAKEN)
                value = simulate_value(tree, child, k, lost, was_capture, attraction, parameters, stream)
                break
            place = branch.child[outcome]
        for level in range(depth):
            attempt = tree.attempts[rows[level]]
            tree.nodes[places[level]].visits += 1
            attempt.visits += 1
            attempt.value += (value - attempt.value) / attempt.visits
    return simulations
