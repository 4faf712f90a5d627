"""Weighted maximax over metapositions (paper, section 4.3).

There are no min nodes: after an own move the likeliest evolution is assumed, which is that it is accepted in silence,
then that the other side makes some silent move. The value of a node is ALPHA of its static value and the rest of the
best of its children. At a node all moves are valued; the best of those not yet in a table of moves looked at before,
and the best of those in it, are looked into, and share the budget that is left.
"""

from ...core.kernel import kernel, trailing_zeros
from ...games.chess import bits
from ...games.chess.bits import bit
from ...games.chess.moves import castlings, list_queening_moves, pushes, reach
from ...games.chess.position import KINDS, KING, PAWN, end_of, kind_on, start_of
from ..beliefs.metaposition import commanded, grow_older, move, repair, take
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
def reply_in_silence(meta, nobody):
    """The other side makes a move of which the referee has nothing to say."""
    kings = meta.theirs[KING] & ~commanded(meta)
    if kings:
        meta.theirs[KING] = kings
    spread(meta)
    hear_check_to_us(meta, 0)
    meta.tries = 0
    hear_tries(meta, 0, nobody)
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
def _open(level, budget, frames, boards, moves, values, picks, history, nobody, weights):
    """Value all moves of a level's metaposition, and pick those to look into."""
    meta, frame = boards[level], frames[level]
    count = plausible_moves(meta, moves[level])
    value_moves(meta, moves[level], count, nobody, boards[level + 1 :], weights, values[level])
    frame[COUNTED], frame[LEFT], frame[NEXT] = count, budget - count, 0
    frame[PICKS] = _picked(meta, moves[level], values[level], count, history, picks[level])
    frame[SHARE] = max(0, frame[LEFT]) // max(1, frame[PICKS])
    return count


@kernel
def search_deeper(meta, static, budget, frames, boards, moves, values, picks, worths, history, nobody, weights, spent):
    """The value of the metaposition after an own move of this static value, with so many metapositions to value."""
    statics, best = worths[0], worths[1]
    boards[0] = meta
    reply_in_silence(boards[0], nobody)
    spent[0] += _open(0, budget, frames, boards, moves, values, picks, history, nobody, weights)
    statics[0], best[0], level = static, -1e9, 0
    while True:
        frame = frames[level]
        if frame[NEXT] < frame[PICKS]:
            place = picks[level, frame[NEXT]]
            frame[NEXT] += 1
            worth = values[level, place]
            if level + 2 >= DEEPEST or frame[SHARE] < frame[COUNTED] or worth < HOPELESS or worth > DECIDED:
                best[level] = max(best[level], worth)
                continue
            below = level + 1
            boards[below] = boards[level]
            assume(boards[below], moves[level, place], 0)
            reply_in_silence(boards[below], nobody)
            spent[0] += _open(below, frame[SHARE], frames, boards, moves, values, picks, history, nobody, weights)
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
