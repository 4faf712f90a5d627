"""The search of approach C (figure 8): a tree of perceptions whose leaves are weighed once and whose best is backed up.

Values are in pawns. stand: what the board is worth at a place; worth: the value of the best attempts. Attempts that may
be refused cost nothing, so they are tried in the order of their value, and a place is worth the weighed sum over that
order (paper: the maximum; the same where moves are surely legal). What the best attempt adds to the board as it stands
counts for `hope` of it.
"""

import numpy as np

from ...core.kernel import kernel, trailing_zeros
from ...games.chess.attempts import attempt_squares
from ...games.chess.bits import LAST_RANKS, bit
from ...games.chess.men import KING, PAWN, QUEEN
from ...games.chess.move_code import move_of
from ..evaluation.features import lay_ground, lift, material_balance
from ..evaluation.move_value import OUTCOMES, legal_chance, look_ahead, weigh, weigh_moves
from .transition import evolve
from .tree import DEEPEST, NO_CHILD, best_by_uct, copy_place, has_room, sample_outcome

MOST_REFUSALS = 8
"""So many attempts are taken into account in the value of a place."""
LEAST_LEGAL = 1e-3
UNLIKELY = 0.02
"""Inside the tree attempts that are legal with less than this chance are left out."""


@kernel
def worth_of(value, legal, first, last, otherwise):
    """The value of a place: the attempts in the order of their value, each by the chance that it is the first legal."""
    if first == last:
        return otherwise
    bound, left, found = 1e9, 1.0, 0.0
    for _ in range(MOST_REFUSALS):
        best, clear = -1e9, 1.0
        for i in range(first, last):
            if value[i] < bound and value[i] >= best:
                clear = clear * (1.0 - legal[i]) if value[i] == best else 1.0 - legal[i]
                best = value[i]
        if best == -1e9:
            break
        found += left * (1.0 - clear) * best
        left *= clear
        bound = best
        if left < 0.03:
            break
    return found + left * bound


@kernel
def expand(tree, place, refused, parameters):
    """List the attempts at a place and value each of them once. How many there are."""
    prob, known, features, outlook = tree.prob[place], tree.known[place], tree.features[0], tree.outlook[0]
    lay_ground(prob, known, parameters, features)
    tree.stand[place] = material_balance(known, prob, features, parameters)
    row = tree.used[1]
    tree.first[place] = row
    for kind in range(KING + 1):
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
                value = weigh_moves(outlook, parameters)
                if place == 0:
                    value -= tree.handicap[row - tree.first[0]]
                tree.moves[row] = move
                tree.legal[row] = max(legal, LEAST_LEGAL)
                tree.value[row] = value
                tree.tried[row] = 1
                tree.branch[row] = NO_CHILD
                row += 1
            men &= men - 1
    tree.listed[place] = row - tree.first[place]
    tree.visits[place] = max(1, tree.listed[place])
    tree.used[1] = row
    worth = worth_of(tree.value, tree.legal, tree.first[place], row, tree.stand[place])
    tree.gain[place] = parameters.patience * parameters.hope * (worth - tree.stand[place])
    for i in range(tree.first[place], row):
        tree.value[i] += tree.gain[place]  # until somebody looks, what follows is taken to be as good as here
    tree.worth[place] = worth + tree.gain[place]
    return tree.listed[place]


@kernel
def value_of_branch(tree, row, parameters):
    """The weighed sum over the outcomes of an attempt, by what is known of each."""
    branch = tree.branch[row]
    found = tree.bonus[branch]
    for outcome in range(OUTCOMES):
        child = tree.child[branch, outcome]
        value = tree.stands[branch, outcome]
        if child != NO_CHILD:
            value = tree.stand[child] + parameters.hope * (tree.worth[child] - tree.stand[child])
        found += tree.chances[branch, outcome] * value
    return found


@kernel
def open_branch(tree, place, row, parameters):
    """Work out the outcomes of an attempt and keep them, so that places can grow from them; those that have, stay."""
    if tree.branch[row] == NO_CHILD:
        tree.branch[row] = tree.used[2]
        tree.used[2] += 1
        for outcome in range(OUTCOMES):
            tree.child[tree.branch[row], outcome] = NO_CHILD
    branch, move = tree.branch[row], tree.moves[row]
    legal, bonus = weigh(
        tree.prob[place], tree.known[place], move, parameters, tree.features[0], tree.outlook[0], tree.chances[branch],
        tree.stands[branch],
    )  # fmt: skip
    if place == 0:
        bonus -= tree.handicap[row - tree.first[0]]
    for outcome in range(OUTCOMES):
        tree.stands[branch, outcome] += tree.gain[place]
    tree.legal[row] = max(legal, LEAST_LEGAL)
    tree.bonus[branch] = bonus
    tree.value[row] = value_of_branch(tree, row, parameters)


@kernel
def grow_tree(tree, attraction, parameters, stream, nodes, is_changed):
    """Approach C (figure 8): select by UCT, expand, weigh, back up the best. The number of attempts valued.

    `is_changed`: the matrices at the root have changed since the tree has grown, so its attempts are weighed again.
    """
    places, rows = np.empty(DEEPEST + 1, np.int64), np.empty(DEEPEST + 1, np.int64)
    refused, done = np.zeros(64, np.int64), 0
    if is_changed:
        for row in range(tree.first[0], tree.first[0] + tree.listed[0]):
            open_branch(tree, 0, row, parameters)
    while done < nodes:
        place, depth = 0, 0
        while True:
            first = tree.first[place]
            last = first + tree.listed[place]
            row = best_by_uct(tree.value, tree.tried, first, last, tree.visits[place], parameters.exploration)
            if row < 0:
                break
            places[depth], rows[depth] = place, row
            depth += 1
            if tree.branch[row] == NO_CHILD:
                if not has_room(tree):
                    break
                open_branch(tree, place, row, parameters)
            branch = tree.branch[row]
            outcome = sample_outcome(tree.chances[branch], stream)
            child = tree.child[branch, outcome]
            if child == NO_CHILD:
                if has_room(tree):
                    child = tree.used[0]
                    tree.used[0] += 1
                    tree.child[branch, outcome] = child
                    copy_place(tree.prob, tree.known, place, child)
                    evolve(
                        tree.prob[child], tree.known[child], tree.moves[row], outcome, attraction, parameters,
                        tree.features[0].survey,
                    )  # fmt: skip
                    done += expand(tree, child, refused, parameters)
                break
            place = child
            if depth == DEEPEST:
                break
        done += 1
        for level in range(depth - 1, -1, -1):
            place, row = places[level], rows[level]
            tree.tried[row] += 1
            tree.visits[place] += 1
            if tree.branch[row] != NO_CHILD:
                tree.value[row] = value_of_branch(tree, row, parameters)
            first = tree.first[place]
            last = first + tree.listed[place]
            tree.worth[place] = worth_of(tree.value, tree.legal, first, last, tree.stand[place])
    return done


@kernel
def begin_tree(tree, refused, parameters):
    """List and value the attempts at the root, whose matrices and knowledge are there."""
    expand(tree, 0, refused, parameters)
