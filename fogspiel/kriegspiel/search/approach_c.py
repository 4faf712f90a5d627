"""The search of approach C (figure 8): a tree of perceptions whose leaves are weighed once and whose best is backed up.

Attempts that may be refused cost nothing, so they are tried in the order of their value, and the value of a node is the
weighted sum over that order (paper: the maximum; the same where moves are surely legal). What the best attempt adds to
the board as it stands counts for `hope` of it.
"""

import numpy as np

from ...core.compile.kernel import in_place, kernel, trailing_zeros
from ...games.chess.bitboards import KINDS, LAST_RANKS, PAWN, QUEEN, bit
from ...games.chess.position import move_of
from ..evaluation.board_evaluator import board_value, lift, measure_board
from ..evaluation.move_value import OUTCOMES, expected_value, legal_chance, look_ahead, weigh_outcomes
from ..game.attempts import attempt_squares
from .perception_tree import (  # fmt: skip
    DEEPEST,
    NO_CHILD,
    WORSE_THAN_ANY,
    add_attempt,
    add_branch,
    add_child,
    best_by_uct,
    evolve,
    has_room,
    sample_outcome,
)

# So many attempts are taken into account in the value of a node, or fewer if one is legal but for this chance.
MAX_REFUSALS, REST = 8, 0.03
MIN_LEGAL = 1e-3  # no attempt is taken to be less likely legal: the referee has not refused it
UNLIKELY = 0.02  # inside the tree attempts that are legal with less than this chance are left out


@in_place
def value_of_attempts(attempts, first, last, otherwise):
    """The value of a node: the attempts in the order of their value, each by the chance that it is the first legal."""
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
    """List the attempts at a node and value each of them once. How many there are."""
    node, features, outlook = tree.nodes[place], tree.features[0], tree.outlook[0]
    known, prob, first = node.known, node.prob, tree.used[1]
    measure_board(prob, known, parameters, features)
    node.board = board_value(known, prob, features, parameters)
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
                legal = legal_chance(prob, known, features, kind, start, end, parameters)
                if legal < UNLIKELY and place > 0:
                    continue
                move = move_of(start, end, QUEEN if kind == PAWN and LAST_RANKS[known.colour] & bit(end) else 0)
                look_ahead(prob, known, features, kind, move, parameters, outlook)
                value = expected_value(outlook, parameters)
                if place == 0:
                    value -= tree.handicap[tree.used[1] - first]
                add_attempt(tree, move, max(legal, MIN_LEGAL), value, 1)
            men &= men - 1
    last = tree.used[1]
    node.first, node.listed, node.visits = first, last - first, max(1, last - first)
    value = value_of_attempts(tree.attempts, first, last, node.board)
    node.gain = parameters.patience * parameters.hope * (value - node.board)
    for i in range(first, last):
        tree.attempts[i].value += node.gain  # until it is visited, what follows is taken to be as good as here
    node.value = value + node.gain
    return node.listed


@in_place
def value_of_branch(tree, row, parameters):
    """The weighted sum over the outcomes of an attempt, by what is known of each."""
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
    """Work out the outcomes of an attempt, so that nodes can grow from them; those that have grown stay."""
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
    """Approach C (figure 8): select by UCT, expand, weigh, back up the best. The number of attempts valued.

    `is_changed`: the matrices at the root have changed since the tree has grown, so its attempts are weighed again.
    """
    places, rows = np.empty(DEEPEST + 1, np.int64), np.empty(DEEPEST + 1, np.int64)
    refused, done = np.zeros(64, np.int64), 0
    if is_changed:
        for row in range(tree.nodes[0].first, tree.nodes[0].first + tree.nodes[0].listed):
            open_branch(tree, 0, row, parameters)
    while done < nodes:
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
                if has_room(tree):
                    child = add_child(tree, place, number, outcome)
                    new, survey = tree.nodes[child], tree.features[0].survey
                    evolve(new.prob, new.known, tree.attempts[row].move, outcome, attraction, parameters, survey)
                    done += expand(tree, child, refused, parameters)
                break
            place = child
            if depth == DEEPEST:
                break
        done += 1
        for level in range(depth - 1, -1, -1):
            node, row = tree.nodes[places[level]], rows[level]
            node.visits += 1
            tree.attempts[row].visits += 1
            if tree.attempts[row].branch != NO_CHILD:
                tree.attempts[row].value = value_of_branch(tree, row, parameters)
            node.value = value_of_attempts(tree.attempts, node.first, node.first + node.listed, node.board)
    return done
