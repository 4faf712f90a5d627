"""Approach B (section 5.2, figure 6): the tree of perceptions with simulated messages, k moves long.

A simulation ends after k moves, the first of which leads to the new place, and goes on while men are being taken. Its
value is what our men are worth less his; the mean is backed up.
"""

import math

import numpy as np

from ...core.kernel import kernel
from ...core.rng import below, unit
from ...games.chess.attempts import MOST_ATTEMPTS, attempts
from ...games.chess.men import KING, PAWN, QUEEN, kind_on
from ...games.chess.move_code import end_of, promotion_of, start_of
from ..beliefs.board_survey import legality, survey_board
from ..evaluation.features import material
from ..evaluation.move_value import ANSWERS, OUTCOMES, PAWN_TAKEN, PIECE_TAKEN, parry_chance, weigh
from .transition import evolve
from .tree import DEEPEST, NO_CHILD, copy_place, has_room, sample_outcome

LONGEST_STRING = 6
"""A simulation goes on for at most so many moves of a string of captures."""
ALMOST_ALWAYS = 0.9
"""How often a simulated move takes back or uses a pawn try if it can."""
UNLIKELY = 0.02


@kernel
def list_attempts(tree, place, refused, parameters):
    """Write the attempts at a place that may be legal; nobody has tried them yet."""
    prob, known, features = tree.prob[place], tree.known[place], tree.features[0]
    listed = np.empty(MOST_ATTEMPTS, np.int64)
    survey_board(prob, known, parameters, features.survey)
    number = attempts(known.men, known.own, known.colour, known.rights, known.tries, refused, listed)
    row = tree.used[1]
    tree.first[place] = row
    for i in range(number):
        move = listed[i]
        start, end = start_of(move), end_of(move)
        kind = kind_on(known.men, start)
        legal = legality(prob, known, features.survey, kind, start, end, parameters)
        if known.checks and kind != KING:
            legal *= parry_chance(prob, known, end)
        if (promotion_of(move) and promotion_of(move) != QUEEN) or (place > 0 and legal < UNLIKELY):
            continue
        tree.moves[row] = move
        tree.legal[row] = max(legal, UNLIKELY)
        tree.value[row] = 0.0
        tree.tried[row] = 0
        tree.branch[row] = NO_CHILD
        row += 1
    tree.listed[place] = row - tree.first[place]
    tree.visits[place] = 0
    tree.used[1] = row


@kernel
def sample_accepted_attempt(tree, place, parameters, stream):
    """The first attempt that the simulated referee accepts: new ones in random order, then the best by UCT; or -1."""
    first, count = tree.first[place], tree.listed[place]
    out = np.zeros(MOST_ATTEMPTS, np.bool_)
    log = math.log(tree.visits[place] + 1.0)
    for _ in range(count):
        fresh = 0
        for i in range(count):
            if tree.tried[first + i] == 0 and not out[i]:
                fresh += 1
        chosen, best, nth = -1, -1e9, below(stream, fresh) if fresh else -1
        for i in range(count):
            row = first + i
            if out[i]:
                continue
            if fresh:
                if tree.tried[row] == 0:
                    if nth == 0:
                        chosen = i
                    nth -= 1
            else:
                score = tree.value[row] + parameters.exploration * math.sqrt(log / tree.tried[row])
                if score > best:
                    best, chosen = score, i
        if unit(stream) < tree.legal[first + chosen]:
            return first + chosen
        out[chosen] = True
    return -1


@kernel
def simulate_move(prob, known, survey, parameters, lost, stream, listed):
    """A pseudorandom attempt that is accepted: almost always one that takes back or uses a pawn try; or -1."""
    refused = np.zeros(64, np.int64)
    count = attempts(known.men, known.own, known.colour, known.rights, known.tries, refused, listed)
    eager = unit(stream) < ALMOST_ALWAYS
    for turn in range(0 if eager else 1, 2):
        left = count
        while left:
            i = below(stream, left)
            left -= 1
            move = listed[i]
            listed[i], listed[left] = listed[left], move
            start, end = start_of(move), end_of(move)
            kind = kind_on(known.men, start)
            takes = end == lost or (kind == PAWN and (end - start) % 8 != 0)
            if (turn == 0 and not takes) or (promotion_of(move) and promotion_of(move) != QUEEN):
                continue
            if unit(stream) < legality(prob, known, survey, kind, start, end, parameters):
                return move
    return -1


@kernel
def simulate_value(tree, prob, k, lost, was_capture, attraction, parameters, stream):
    """Play k - 1 further moves by simulated messages, more while men are being taken. What the men are worth then."""
    known, features, outlook = tree.ahead[0], tree.features[0], tree.outlook[0]
    listed = np.empty(MOST_ATTEMPTS, np.int64)
    chances, stands = np.empty(OUTCOMES, np.float64), np.empty(OUTCOMES, np.float64)
    for played in range(1, k + LONGEST_STRING):
        if played >= k and not was_capture:
            break
        survey_board(prob, known, parameters, features.survey)
        move = simulate_move(prob, known, features.survey, parameters, lost, stream, listed)
        if move < 0 or (played >= k and end_of(move) != lost):
            break
        weigh(prob, known, move, parameters, features, outlook, chances, stands)
        u, outcome = unit(stream), 0
        while outcome < OUTCOMES - 1 and u >= chances[outcome]:
            u -= chances[outcome]
            outcome += 1
        lost = evolve(prob, known, move, outcome, attraction, parameters, features.survey)
        was_capture = lost >= 0
    return material(known, parameters)


@kernel
def simulate(tree, attraction, k, parameters, stream, simulations):
    """Approach B (figure 6): select by UCT and by simulated messages, expand, simulate k moves, back up the mean."""
    rows, places = np.empty(DEEPEST + 1, np.int64), np.empty(DEEPEST + 1, np.int64)
    prob, refused = np.empty((3, 64), np.float32), np.zeros(64, np.int64)
    features, outlook = tree.features[0], tree.outlook[0]
    for _ in range(simulations):
        place, depth, value = 0, 0, 0.0
        while True:
            row = sample_accepted_attempt(tree, place, parameters, stream)
            if row < 0 or depth == DEEPEST or not has_room(tree):
                value = material(tree.known[place], parameters)
                break
            places[depth], rows[depth] = place, row
            depth += 1
            is_new = tree.branch[row] == NO_CHILD
            if is_new:
                tree.branch[row] = tree.used[2]
                tree.used[2] += 1
                for outcome in range(OUTCOMES):
                    tree.child[tree.branch[row], outcome] = NO_CHILD
            branch, move = tree.branch[row], tree.moves[row]
            if is_new:
                weigh(
                    tree.prob[place], tree.known[place], move, parameters, features, outlook, tree.chances[branch],
                    tree.stands[branch],
                )  # fmt: skip
            outcome = sample_outcome(tree.chances[branch], stream)
            child = tree.child[branch, outcome]
            if child == NO_CHILD:
                child = tree.used[0]
                tree.used[0] += 1
                copy_place(tree.prob, tree.known, place, child)
                lost = evolve(
                    tree.prob[child], tree.known[child], move, outcome, attraction, parameters, features.survey
                )
                tree.child[branch, outcome] = child
                list_attempts(tree, child, refused, parameters)
                for kind in range(3):
                    for square in range(64):
                        prob[kind, square] = tree.prob[child, kind, square]
                tree.ahead[0] = tree.known[child]
                taken = outcome // ANSWERS
                was_capture = lost >= 0 or taken in (PAWN_TAKEN, PIECE_TAKEN)
                value = simulate_value(tree, prob, k, lost, was_capture, attraction, parameters, stream)
                break
            place = child
        for level in range(depth):
            place, row = places[level], rows[level]
            tree.visits[place] += 1
            tree.tried[row] += 1
            tree.value[row] += (value - tree.value[row]) / tree.tried[row]
    return simulations
