"""Distance-to-mate tables of a visible lone king against a king and one or two men, by retrograde analysis.

A placement of the own men is a number in base 64: king + 64 * first man + 4096 * second man. The lone king blocks no
line that matters to itself, so its moves depend on the own men alone, and a whole set of its squares is computed at
once. Layer by layer, n being the own moves to mate:

    doomed  the king is to move, and is mated, or can only go to squares that are won in n; captures are escapes
    won     the own side is to move, and a move that is possible from there leads to doomed
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from ...core.compile.kernel import kernel, ones, trailing_zeros
from ...games.chess import bitboards
from ...games.chess.bitboards import BETWEEN, KING, LAST_RANKS, NONE, PAWN, QUEEN, around, bit, reach, union
from ...games.chess.moves import pushes
from ..beliefs.metaposition import threatened_by_pawns_up
from .search import DIRECTIONS, sight

NO_MATE = 255  # table value where mate cannot be forced
LONGEST = 60  # upper bound of the own moves in any endgame of two men against a king


@kernel
def placement_of(men):
    """Return the number of a placement of own men by kind: the king, then the others from queens down to pawns."""
    number, place = trailing_zeros(men[KING]), 6
    for kind in range(QUEEN, PAWN - 1, -1):
        left = men[kind]
        while left:
            number |= trailing_zeros(left) << place
            place += 6
            left &= left - 1
    return number


@kernel
def stand(number, kinds, squares):
    """Decode a placement; return the set of its squares, or 0 if two are the same."""
    own = NONE
    for man in range(len(kinds) + 1):
        squares[man] = (number >> (6 * man)) & 63
        if own & bit(squares[man]) or (man and kinds[man - 1] == PAWN and not 8 <= squares[man] < 56):
            return NONE
        own |= bit(squares[man])
    return own


@kernel
def _note(distances, number, squares, layer):
    while squares:
        distances[number, trailing_zeros(squares)] = layer
        squares &= squares - 1


@kernel
def _doom(kinds, won, doomed, fresh, attacked, to_be_mated, layer):
    """Mark where the king to move is mated within this many more own moves; return True if any square is new."""
    squares, found = np.empty(len(kinds) + 1, np.int64), False
    for number in range(len(won)):
        own = stand(number, kinds, squares)
        fresh[number] = 0
        if own == 0:
            continue
        free = ~attacked[number]
        here = ~(own | bitboards.KING_ATTACKS[squares[0]]) & ~around(free & ~won[number]) & (~free | around(free))
        fresh[number] = here & ~doomed[number]
        if fresh[number]:
            doomed[number] |= here
            _note(to_be_mated, number, fresh[number], layer)
            found = True
    return found


@kernel
def _win(kinds, won, fresh, attacked, to_mate, queens, layer):
    """Mark where the own side to move can reach a newly doomed placement; `queens` if it promotes."""
    squares = np.empty(len(kinds) + 1, np.int64)
    for number in range(len(won)):
        own = stand(number, kinds, squares)
        open_squares = ~(attacked[number] | own | won[number]) if own else NONE
        if open_squares == 0:
            continue
        gained = NONE
        for man in range(len(kinds) + 1):
            start, kind = squares[man], KING if man == 0 else kinds[man - 1]
            ends = pushes(start, 0, own) if kind == PAWN else reach(kind, start, own) & ~own
            while ends:
                end = trailing_zeros(ends)
                after = number + ((end - start) << (6 * man))
                passed = BETWEEN[start, end] | bit(end)
                if kind == PAWN and LAST_RANKS[0] & bit(end):
                    left = open_squares & ~passed & ~gained
                    while left:
                        if queens[after, trailing_zeros(left)] < layer:
                            gained |= left & -left
                        left &= left - 1
                else:
                    gained |= fresh[after] & open_squares & ~passed
                ends &= ends - 1
        won[number] |= gained
        _note(to_mate, number, gained, layer)


@kernel
def _begin(kinds, attacked):
    squares = np.empty(len(kinds) + 1, np.int64)
    for number in range(len(attacked)):
        own = stand(number, kinds, squares)
        if own == 0:
            continue
        attacked[number] = bitboards.KING_ATTACKS[squares[0]]
        for man in range(1, len(kinds) + 1):
            if kinds[man - 1] == PAWN:
                attacked[number] |= threatened_by_pawns_up(bit(squares[man]))
            else:
                attacked[number] |= reach(kinds[man - 1], squares[man], own)


@dataclass(frozen=True)
class EndgameTable:
    """Own moves to mate by placement and square of the lone king, with the own side or the king to move."""

    kinds: tuple[int, ...]
    to_mate: np.ndarray
    to_be_mated: np.ndarray


def kinds_of(men: np.ndarray) -> tuple[int, ...]:
    """Return the kinds of the own men besides the king, from queens down to pawns, with repetitions."""
    return tuple(kind for kind in range(QUEEN, PAWN - 1, -1) for _ in range(ones(men[kind])))


@cache
def endgame_table(*kinds: int) -> EndgameTable:
    """Return the table of a king with these men against a king; a single pawn promotes to a queen."""
    if not 1 <= len(kinds) <= 2 or (PAWN in kinds and len(kinds) > 1):
        raise ValueError(f"there is no table of {len(kinds)} men: it must be one man, or two that are not pawns")
    placements = 64 ** (len(kinds) + 1)
    listed = np.array(kinds, np.int64)
    won, doomed, fresh, attacked = np.zeros((4, placements), np.int64)
    to_mate, to_be_mated = np.full((2, placements, 64), NO_MATE, np.uint8)
    queens = endgame_table(QUEEN).to_be_mated if kinds == (PAWN,) else to_be_mated
    _begin(listed, attacked)
    for layer in range(LONGEST):
        if not _doom(listed, won, doomed, fresh, attacked, to_be_mated, layer) and PAWN not in kinds:
            break
        _win(listed, won, fresh, attacked, to_mate, queens, layer + 1)
    return EndgameTable(kinds, to_mate, to_be_mated)


# Probability and importance of each possible square of the lone king, by a model of its replies.
#
# A king that sees the board captures if it can, and otherwise mostly goes where mate is farthest by the table: a move
# that is nearer by one is less likely by a factor. A king that sees nothing makes any move. The model is a mixture of
# the two, so that every possible square keeps a probability. Squares from which mate cannot be forced are given less
# than their probability, because the choice there matters little. Numbers are set by hand.

SEES = 0.8  # probability that a reply is that of a king that sees the board
NOT_SOON = 36  # moves to mate assumed where the table has none: more than in any endgame
HOPELESS = 0.1  # factor, after every move, for a square from which mate cannot be forced
# Relative probability of a reply that is nearer to mate by this many moves than the best one.
FADING = np.exp(-1.0 * np.arange(NO_MATE + 1))


@kernel
def moves_to_mate(table, number, square):
    return min(np.int64(table[number, square]), NOT_SOON)


@kernel
def reply(belief, here, own, free, table, number, out):
    """Let the king reply from the squares `here`; fill in its probabilities, and return that of a capture."""
    lost = 0.0
    out[:] = 0.0
    while here:
        square = trailing_zeros(here)
        here &= here - 1
        replies, chance = bitboards.KING_ATTACKS[square] & free, belief[square]
        if replies == 0:
            continue
        quiet, blind, seeing = replies & ~own, (1.0 - SEES) * chance / ones(replies), 0.0
        if replies & own:
            lost += chance - blind * ones(quiet)
        else:
            farthest, total, left = 0, 0.0, quiet
            while left:
                farthest = max(farthest, moves_to_mate(table, number, trailing_zeros(left)))
                left &= left - 1
            left = quiet
            while left:
                total += FADING[farthest - moves_to_mate(table, number, trailing_zeros(left))]
                left &= left - 1
            seeing = SEES * chance / total
        while quiet:
            end = trailing_zeros(quiet)
            out[end] += blind
            if seeing > 0.0:
                out[end] += seeing * FADING[farthest - moves_to_mate(table, number, end)]
            quiet &= quiet - 1
    return lost


@kernel
def restrict_belief(belief, kings):
    """Restrict the probabilities to these squares and normalise them; uniform if none is left."""
    total = 0.0
    for square in range(64):
        if not kings >> square & 1:
            belief[square] = 0.0
        total += belief[square]
    for square in range(64):
        if total > 0.0:
            belief[square] /= total
        elif kings >> square & 1:
            belief[square] = 1.0 / ones(kings)


@kernel
def neglect_hopeless(belief, men, table):
    """Discount squares from which mate cannot be forced: against the best defence nothing is gained there."""
    number = placement_of(men)
    for square in range(64):
        if table[number, square] == NO_MATE:
            belief[square] *= HOPELESS


@kernel
def begin_belief(belief, kings, men, table):
    """Start from these possible squares of the king, regardless of the past."""
    belief[:] = 1.0
    if len(table):
        neglect_hopeless(belief, men, table)
    restrict_belief(belief, kings)


@kernel
def let_reply(belief, kings, men, table):
    """Update by a reply without a capture from these squares; uniform without a table."""
    before, own = belief.copy(), union(men)
    if len(table):
        reply(before, kings, own, ~sight(men, own, np.empty(DIRECTIONS, np.int64)), table, placement_of(men), belief)
        neglect_hopeless(belief, men, table)
    else:
        belief[:] = 1.0
