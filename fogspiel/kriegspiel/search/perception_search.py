"""Approaches B and C on the tree of perceptions (sections 5.2 and 5.3, figures 6 and 8).

B  simulate    attempts and messages are drawn by their probabilities, k moves long, and further during captures;
               the value is that of our men minus theirs, and the mean is backed up
C  grow_tree   leaves are evaluated once, and the best is backed up. Refusals cost nothing, so attempts are tried
               in the order of their value, and the value of a node is the weighted sum over that order (paper: the
               maximum; the same where moves are surely legal). The best attempt's gain over the static value of
               the board counts with the factor `hope`.
"""

import math
from typing import NamedTuple

import numpy as np

from ...core.compile.kernel import in_place, inlined, kernel, trailing_zeros
from ...core.rng import random_below, random_unit
from ...games.chess.bitboards import KINDS, KING, LAST_RANKS, PAWN, QUEEN, bit, kind_on
from ...games.chess.moves import MAX_ATTEMPTS
from ...games.chess.position import end_of, move_of, promotion_of, start_of
from ..beliefs.probability_matrices import KNOWN, legality, parry_chance, survey_board
from ..game.attempts import attempt_squares, attempts
from . import move_value
from .move_value import OUTCOMES, PAWN_TAKEN, PIECE_TAKEN, REPLIES, evolve, lift, look_ahead, material, weigh_outcomes

# The three-tier tree of approaches B and C (figure 3) in preallocated arrays.
#
# A node is a decision of ours: the matrices, the known facts, and a row of attempts. A selected attempt has a branch:
# the twelve outcomes of the two message tiers, each with its probability, the value of the board, and its node once a
# simulation went there. Values are in pawns.

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
    attempts = np.empty(ATTEMPTS_PER_NODE * nodes + MAX_ATTEMPTS, ATTEMPT)
    branches = np.empty(BRANCHES_PER_NODE * nodes, BRANCH)
    handicap, used = np.zeros(MAX_ATTEMPTS, np.float32), np.zeros(3, np.int64)
    records = np.zeros(1, move_value.FEATURES), np.zeros(1, move_value.OUTLOOK), np.zeros(1, NODE)
    return PerceptionTree(np.empty(nodes, NODE), attempts, branches, used, handicap, *records)


@inlined
def has_room(tree):
    nodes, attempts, branches = tree.used[0] + 1, tree.used[1] + MAX_ATTEMPTS, tree.used[2] + 1
    return nodes < len(tree.nodes) and attempts < len(tree.attempts) and branches < len(tree.branches)


@in_place
def add_attempt(tree, move, legal, value, visits):
    attempt = tree.attempts[tree.used[1]]
    tree.used[1] += 1
    attempt.move, attempt.legal, attempt.value = move, legal, value
    attempt.visits, attempt.branch = visits, NO_CHILD


@in_place
def add_branch(tree, row):
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


# Approach B.

LONGEST_STRING = 6  # greatest number of moves by which a string of captures extends a simulation
ALMOST_ALWAYS = 0.9  # probability that a simulated move recaptures or uses a pawn try if it can
UNLIKELY = 0.02  # inside the tree attempts with a smaller probability of being legal are omitted


@inlined
def _underpromotes(move):
    """True if a pawn promotes to anything but a queen, which is never searched."""
    return promotion_of(move) and promotion_of(move) != QUEEN


@kernel
def list_attempts(tree, place, refused, parameters):
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
    """Return the first attempt that the simulated referee accepts: new ones at random, then by UCT; or -1."""
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
    """Return a pseudorandom accepted attempt, almost always a recapture or a pawn try; or -1."""
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
    """Play k - 1 further moves by simulated messages, more during captures; return the material value then."""
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
        # Selection: the first attempt that the simulated referee accepts, then one of its messages at random.
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
                # Expansion and simulation: the new node is played k moves on, beyond the tree.
                child = add_child(tree, place, number, outcome)
                new = tree.nodes[child]
                lost = evolve(new.prob, new.known, move, outcome, attraction, parameters, features.survey)
                list_attempts(tree, child, refused, parameters)
                was_capture = lost >= 0 or outcome // REPLIES in (PAWN_TAKEN, PIECE_TAKEN)
                value = simulate_value(tree, child, k, lost, was_capture, attraction, parameters, stream)
                break
            place = branch.child[outcome]
        # Backup of the mean.
        for level in range(depth):
            attempt = tree.attempts[rows[level]]
            tree.nodes[places[level]].visits += 1
            attempt.visits += 1
            attempt.value += (value - attempt.value) / attempt.visits
    return simulations


# Approach C.

# Number of attempts in the value of a node, or fewer if the remaining probability is below this.
MAX_REFUSALS, REST = 8, 0.03
MIN_LEGAL = 1e-3  # minimum legality of an attempt that the referee has not refused


@in_place
def value_of_attempts(attempts, first, last, otherwise):
    """Return the value of a node: attempts in order of value, each by its probability of being the first legal one."""
    if first == last:
        return otherwise
    bound, left, found = -WORSE_THAN_ANY, 1.0, 0.0
    for _ in range(MAX_REFUSALS):
        best, clear = WORSE_THAN_ANY, 1.0
        for i in range(first, last):
            value, illegal = attempts[i].value, 1.0 - attempts[i].legal
            if value < bound and value >= best:
                clear = clear * illegal if value == best else illegal
                best = value
        if best == WORSE_THAN_ANY:
            break
        found += left * (1.0 - clear) * best
        left *= clear
        bound = best
        if left < REST:
            break
    return found + left * bound


@in_place
def expand(tree, place, refused, parameters):
    """List the attempts at a node and evaluate each of them once; return their number."""
    node, features, outlook = tree.nodes[place], tree.features[0], tree.outlook[0]
    known, prob, first = node.known, node.prob, tree.used[1]
    move_value.measure_board(prob, known, parameters, features)
    node.board = move_value.board_value(known, prob, features, parameters)
    for kind in range(KINDS):
        men = known.men[kind]
        while men:
            start = trailing_zeros(men)
            lift(known, start, parameters, features)
            ends = attempt_squares(kind, start, known.colour, known.own, known.rights, known.tries)
            ends &= ~refused[start]
            while ends:
                end = trailing_zeros(ends)
                ends &= ends - 1
                legal = move_value.legal_chance(prob, known, features, kind, start, end, parameters)
                if legal < UNLIKELY and place > 0:
                    continue
                move = move_of(start, end, QUEEN if kind == PAWN and LAST_RANKS[known.colour] & bit(end) else 0)
                look_ahead(prob, known, features, kind, move, parameters, outlook)
                value = move_value.expected_value(outlook, parameters)
                if place == 0:
                    value -= tree.handicap[tree.used[1] - first]
                add_attempt(tree, move, max(legal, MIN_LEGAL), value, 1)
            men &= men - 1
    last = tree.used[1]
    node.first, node.listed, node.visits = first, last - first, max(1, last - first)
    value = value_of_attempts(tree.attempts, first, last, node.board)
    node.gain = parameters.patience * parameters.hope * (value - node.board)
    for i in range(first, last):
        tree.attempts[i].value += node.gain  # until it is visited, the continuation is assumed to be as good as here
    node.value = value + node.gain
    return node.listed


@in_place
def value_of_branch(tree, row, parameters):
    """Return the weighted sum over the outcomes of an attempt, by the knowledge of each."""
    branch = tree.branches[tree.attempts[row].branch]
    found = branch.bonus
    for outcome in range(OUTCOMES):
        value = branch.board[outcome]
        if branch.child[outcome] != NO_CHILD:
            child = tree.nodes[branch.child[outcome]]
            value = child.board + parameters.hope * (child.value - child.board)
        found += branch.chance[outcome] * value
    return found


@in_place
def open_branch(tree, place, row, parameters):
    """Compute the outcomes of an attempt, so that nodes can grow from them; existing nodes stay."""
    node, attempt = tree.nodes[place], tree.attempts[row]
    if attempt.branch == NO_CHILD:
        add_branch(tree, row)
    branch, features, outlook = tree.branches[attempt.branch], tree.features[0], tree.outlook[0]
    legal = weigh_outcomes(
        node.prob, node.known, attempt.move, parameters, features, outlook, branch.chance, branch.board
    )
    bonus = outlook.bonus
    if place == 0:
        bonus -= tree.handicap[row - node.first]
    for outcome in range(OUTCOMES):
        branch.board[outcome] += node.gain
    attempt.legal = max(legal, MIN_LEGAL)
    branch.bonus = bonus
    attempt.value = value_of_branch(tree, row, parameters)


@kernel
def grow_tree(tree, attraction, parameters, stream, nodes, is_changed):
    """Approach C (figure 8): select by UCT, expand, evaluate, back up the best; return the attempts evaluated.

    `is_changed`: the matrices at the root have changed since the tree has grown, so its attempts are evaluated again.
    """
    places, rows = np.empty(DEEPEST + 1, np.int64), np.empty(DEEPEST + 1, np.int64)
    refused, done = np.zeros(64, np.int64), 0
    if is_changed:
        for row in range(tree.nodes[0].first, tree.nodes[0].first + tree.nodes[0].listed):
            open_branch(tree, 0, row, parameters)
    while done < nodes:
        # Selection: our attempt by UCT, the message by its probability, down to an outcome without a node.
        place, depth = 0, 0
        while True:
            node = tree.nodes[place]
            row = best_by_uct(tree.attempts, node.first, node.first + node.listed, node.visits, parameters.exploration)
            if row < 0:
                break
            places[depth], rows[depth] = place, row
            depth += 1
            if tree.attempts[row].branch == NO_CHILD:
                if not has_room(tree):
                    break
                open_branch(tree, place, row, parameters)
            number = tree.attempts[row].branch
            outcome = sample_outcome(tree.branches[number].chance, stream)
            child = tree.branches[number].child[outcome]
            if child == NO_CHILD:
                if has_room(tree):  # expansion: a new node evaluates all of its attempts, and each counts as searched
                    child = add_child(tree, place, number, outcome)
                    new, survey = tree.nodes[child], tree.features[0].survey
                    evolve(new.prob, new.known, tree.attempts[row].move, outcome, attraction, parameters, survey)
                    done += expand(tree, child, refused, parameters)
                break
            place = child
            if depth == DEEPEST:
                break
        # Backup, leaf first: the attempt by its outcomes, the node by its attempts in their order.
        done += 1
        for level in range(depth - 1, -1, -1):
            node, row = tree.nodes[places[level]], rows[level]
            node.visits += 1
            tree.attempts[row].visits += 1
            if tree.attempts[row].branch != NO_CHILD:
                tree.attempts[row].value = value_of_branch(tree, row, parameters)
            node.value = value_of_attempts(tree.attempts, node.first, node.first + node.listed, node.board)
    return done
