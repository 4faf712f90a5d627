"""Weighted maximax over metapositions (paper, section 4.3).

There are no min nodes: after an own move the likeliest evolution is assumed, which is that it is accepted in silence,
then that the other side makes some silent move. The value of a node is ALPHA of its static value and the rest of the
best of its children. At a node all moves are valued; the best of those not yet in a table of moves looked at before,
and the best of those in it, are looked into, and share the budget that is left.
"""

from typing import NamedTuple

import numpy as np

from ...core.kernel import kernel, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import bit
from ...games.chess.men import KINDS, KING, PAWN, kind_on, reach
from ...games.chess.move_code import end_of, start_of
from ...games.chess.moves import MOST_MOVES, castlings, list_queening_moves, pushes
from ..beliefs.metaposition import META, grow_older, move, repair, sure_attacks, take
from ..beliefs.metaposition_checks import hear_check_to_us
from ..beliefs.metaposition_motion import spread
from ..beliefs.metaposition_update import hear_tries
from ..evaluation.metaposition_value import ALPHA, prey, value

DEEPEST = 8
FRESH, FAMILIAR = 5, 10
"""How many of the best moves are looked into: of those not in the history, and of those in it."""
HOPELESS, DECIDED = -150.0, 400.0
COUNTED, LEFT, SHARE, NEXT, PICKS = 0, 1, 2, 3, 4
FRAME = 5
"""The cells of a level: moves listed, budget left, share of each move, the next pick, and the number of picks."""


class Room(NamedTuple):
    """The arrays in which one thread searches."""

    frames: np.ndarray
    boards: np.ndarray
    moves: np.ndarray
    values: np.ndarray
    picks: np.ndarray
    worths: np.ndarray
    """The static value of each level, and the best value of its moves so far."""
    history: np.ndarray
    """For every kind and square where its moves went that were looked into."""
    spent: np.ndarray
    """Metapositions valued so far."""
    zeros: np.ndarray
    """A zero for every square."""


def empty_room() -> Room:
    """Room for one thread."""
    return Room(
        np.zeros((DEEPEST, FRAME), np.int64),
        np.zeros(DEEPEST + 1, META),
        np.zeros((DEEPEST, MOST_MOVES), np.int64),
        np.zeros((DEEPEST, MOST_MOVES)),
        np.zeros((DEEPEST, FRESH + FAMILIAR), np.int64),
        np.zeros((2, DEEPEST)),
        np.zeros((KINDS, 64), np.int64),
        np.zeros(1, np.int64),
        np.zeros(64, np.int64),
    )


@kernel
def plausible_moves(meta, out):
    """List the own moves that may be legal: not through squares that are surely occupied, promoting to queens."""
    count, own, blocked = 0, meta.own, ~meta.empty
    for kind in range(KINDS):
        men = meta.men[kind]
        while men:
            start = trailing_zeros(men)
            if kind == PAWN:
                ends = pushes(start, 0, blocked)
                if meta.tries:
                    ends |= bits.PAWN[0, start] & ~own
            else:
                ends = reach(kind, start, blocked) & ~own
                if kind == KING and meta.rights:
                    ends |= castlings(start, 0, meta.rights, blocked)
            count = list_queening_moves(start, ends, kind == PAWN, out, count)
            men &= men - 1
    return count


@kernel
def assume(meta, action, power):
    """Make an own move as it will most likely go; `power` are squares where it surely takes. Whether it takes."""
    start, end = start_of(action), end_of(action)
    here = bit(end)
    pawn_takes = meta.men[PAWN] & bit(start) != 0 and (end - start) % 8 != 0
    takes = meta.empty & here == 0 or pawn_takes or power & here != 0
    is_pawn = meta.theirs[PAWN] & here != 0
    move(meta, action)
    if takes:
        take(meta, end, is_pawn)
    return takes


@kernel
def reply_in_silence(meta, zeros):
    """The other side makes a move of which the referee has nothing to say."""
    kings = meta.theirs[KING] & ~sure_attacks(meta)
    if kings:
        meta.theirs[KING] = kings
    spread(meta)
    hear_check_to_us(meta, 0)
    meta.tries = 0
    hear_tries(meta, 0, zeros)
    repair(meta)
    grow_older(meta)


@kernel
def _valued(meta, action, power, boards, weights):
    """The static value of a metaposition after an own move, which is made on the first of the boards."""
    boards[0] = meta
    took = assume(boards[0], action, power)
    worth = value(boards[0], end_of(action), took, weights)
    kind = kind_on(meta.men, start_of(action))
    return worth if took or kind == PAWN else worth + prey(meta, kind, end_of(action), weights)


@kernel
def value_moves(meta, moves, count, power, boards, weights, out):
    """The static values of moves; `power` has for every square where its man surely takes; a board is overwritten."""
    for i in range(count):
        out[i] = _valued(meta, moves[i], power[start_of(moves[i])], boards, weights)


@kernel
def _picked(meta, moves, values, count, history, picks):
    """The moves to look into, best first of those not in the history and of those in it; all enter the history."""
    fresh, familiar, chosen = FRESH, FAMILIAR, 0
    for _ in range(FRESH + FAMILIAR):
        best = -1
        for i in range(count):
            known = history[kind_on(meta.men, start_of(moves[i])), start_of(moves[i])] & bit(end_of(moves[i])) != 0
            if (familiar if known else fresh) and (best < 0 or values[i] > values[best]):
                listed = False
                for j in range(chosen):
                    listed |= picks[j] == i
                if not listed:
                    best = i
        if best < 0:
            break
        start = start_of(moves[best])
        if history[kind_on(meta.men, start), start] & bit(end_of(moves[best])):
            familiar -= 1
        else:
            fresh -= 1
        picks[chosen] = best
        chosen += 1
    for j in range(chosen):
        start = start_of(moves[picks[j]])
        history[kind_on(meta.men, start), start] |= bit(end_of(moves[picks[j]]))
    return chosen


@kernel
def _open(level, budget, room, weights):
    """Value all moves of a level's metaposition, and pick those to look into."""
    meta, frame, moves, values = room.boards[level], room.frames[level], room.moves[level], room.values[level]
    count = plausible_moves(meta, moves)
    value_moves(meta, moves, count, room.zeros, room.boards[level + 1 :], weights, values)
    frame[COUNTED], frame[LEFT], frame[NEXT] = count, budget - count, 0
    frame[PICKS] = _picked(meta, moves, values, count, room.history, room.picks[level])
    frame[SHARE] = max(0, frame[LEFT]) // max(1, frame[PICKS])
    room.spent[0] += count


@kernel
def search_deeper(static, budget, room, weights):
    """The value of the metaposition after an own move of this static value, with so many metapositions to value.

    It is the first of the boards, and is overwritten.
    """
    boards, statics, best = room.boards, room.worths[0], room.worths[1]
    reply_in_silence(boards[0], room.zeros)
    _open(0, budget, room, weights)
    statics[0], best[0], level = static, -1e9, 0
    while True:
        frame = room.frames[level]
        if frame[NEXT] < frame[PICKS]:
            place = room.picks[level, frame[NEXT]]
            frame[NEXT] += 1
            worth = room.values[level, place]
            if level + 2 >= DEEPEST or frame[SHARE] < frame[COUNTED] or worth < HOPELESS or worth > DECIDED:
                best[level] = max(best[level], worth)
                continue
            below = level + 1
            boards[below] = boards[level]
            assume(boards[below], room.moves[level, place], 0)
            reply_in_silence(boards[below], room.zeros)
            _open(below, frame[SHARE], room, weights)
            statics[below], best[below] = worth, -1e9
            level = below
            continue
        worth = statics[level]
        if frame[COUNTED]:
            worth = weights[ALPHA] * worth + (1.0 - weights[ALPHA]) * best[level]
        if level == 0:
            return worth
        level -= 1
        best[level] = max(best[level], worth)


@kernel
def search_moves(meta, moves, power, statics, places, budget, room, weights, out):
    """The values by search of the moves in these places, each with so many metapositions to value."""
    for kind in range(KINDS):
        for square in range(64):
            room.history[kind, square] = 0
    for place in places:
        room.boards[0] = meta
        assume(room.boards[0], moves[place], power[start_of(moves[place])])
        out[place] = search_deeper(statics[place], budget, room, weights)
