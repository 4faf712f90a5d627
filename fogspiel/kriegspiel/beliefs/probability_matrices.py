"""The probability matrices of approaches B and C (section 5.2): where the men of the other side may stand.

`prob` has three rows of 64: the chance that their king, a pawn, another piece of theirs stands on each square (P_k, P_w
and P_c of the paper). A row sums to the number of such men. `known` is a record of what is known for sure.
"""

import numpy as np

from ...core.compile.kernel import in_place, ones, trailing_zeros
from ...games.chess.bitboards import BETWEEN, KINDS, KING, LAST_RANKS, NONE, ROOK, attacks_of, bit, kind_on, union
from ...games.chess.position import KING_SIDE, QUEEN_SIDE, ROOK_HOME, end_of, promotion_of, start_of
from ..game.attempts import MAN_TAKEN, NOTHING_TAKEN, PAWN_TAKEN, PIECE_TAKEN, move_own

KINGS, PAWNS, PIECES = 0, 1, 2  # the rows of the matrices
_FIELDS = [
    ("men", np.int64, KINDS),  # our men by kind, as sets of squares
    ("own", np.int64),  # all of them
    ("colour", np.int64),  # ours
    ("rights", np.int64),  # our castling rights
    ("tries", np.int64),  # our pawn tries as announced (inside a search: 1, because they are not simulated)
    ("their_pawns", np.int64),  # how many pawns and pieces they have, by what was taken
    ("their_pieces", np.int64),
    ("checks", np.int64),  # the directions of check to our king
]
KNOWN = np.dtype((np.record, np.dtype(_FIELDS, align=True)))
SURE = 0.98  # no square is taken as occupied with more than this chance
LEAST = 1e-4  # chances below this are not followed any further
LOST_ROW = 1e-3  # a row of which less than this share is left has contradicted what was said, and is spread anew


def new_record(layout: np.dtype) -> np.record:
    """A record of zeros, whose fields kernels read and write."""
    record: np.record = np.zeros(1, layout)[0]
    return record


@in_place
def place_at_home(prob, known, colour):
    """Place their men as at the start of a game."""
    for square in range(64):
        rank = square // 8 if colour == 1 else 7 - square // 8
        prob[KINGS, square] = 1.0 if rank == 0 and square % 8 == 4 else 0.0
        prob[PAWNS, square] = 1.0 if rank == 1 else 0.0
        prob[PIECES, square] = 1.0 if rank == 0 and square % 8 != 4 else 0.0
    known.colour = colour
    known.their_pawns, known.their_pieces = 8, 7
    known.checks = 0


@in_place
def place_anywhere(prob, known, pawns, pieces):
    """Place their men for a game that begins in the middle: anywhere they may stand."""
    known.their_pawns, known.their_pieces = pawns, pieces
    free = ~known.own
    inside = free & ~LAST_RANKS[0] & ~LAST_RANKS[1]
    for square in range(64):
        prob[KINGS, square] = 1.0 / ones(free) if free & bit(square) else 0.0
        prob[PAWNS, square] = pawns / ones(inside) if inside & bit(square) else 0.0
        prob[PIECES, square] = pieces / ones(free) if free & bit(square) else 0.0
    exclude_king(prob, known)


@in_place
def occupancy(prob, square):
    """The chance that a man of theirs stands on a square."""
    return min(SURE, prob[KINGS, square] + prob[PAWNS, square] + prob[PIECES, square])


@in_place
def total(prob, row):
    """Return the number of men in a row of the matrices."""
    found = 0.0
    for square in range(64):
        found += prob[row, square]
    return found


@in_place
def scale_row(prob, row, wanted, possible):
    """Bring the sum of a row to `wanted`; if nothing was left of it, spread it over the possible squares."""
    present = total(prob, row)
    if present > LOST_ROW * wanted:
        factor = wanted / present
        for square in range(64):
            prob[row, square] *= factor
        return
    share = wanted / max(1, ones(possible))
    for square in range(64):
        prob[row, square] = share if possible & bit(square) else 0.0


@in_place
def clear_squares(prob, squares, possible):
    """Take all of their men off these squares and spread them over the rest: "their total sum does not change"."""
    for row in range(3):
        before, gone = total(prob, row), 0.0
        left = squares
        while left:
            square = trailing_zeros(left)
            gone += prob[row, square]
            prob[row, square] = 0.0
            left &= left - 1
        if gone > 0.0:
            scale_row(prob, row, before, possible)


@in_place
def attacked_squares(known):
    """The squares that our men attack, through their men, whom we do not see; a protected man of ours is on one."""
    found = NONE
    for kind in range(KINDS):
        left = known.men[kind]
        while left:
            found |= attacks_of(kind, trailing_zeros(left), known.colour, known.own)
            left &= left - 1
    return found


@in_place
def end_rights(known):
    """A rook that is not at home any more does not castle."""
    for side in (KING_SIDE, QUEEN_SIDE):
        if not known.men[ROOK] & bit(ROOK_HOME[known.colour, side]):
            known.rights &= ~(1 << (2 * known.colour + side))


@in_place
def lose_man(known, square):
    """A man of ours is taken. Its kind."""
    kind = kind_on(known.men, square)
    known.men[kind] &= ~bit(square)
    known.own &= ~bit(square)
    end_rights(known)
    return kind


@in_place
def likelier_kind(prob, known, square):
    """Return the likelier kind, pawn or piece, of a captured man whose kind is not announced."""
    if known.their_pieces == 0:
        return PAWN_TAKEN
    if known.their_pawns == 0:
        return PIECE_TAKEN
    return PAWN_TAKEN if prob[PAWNS, square] > prob[PIECES, square] else PIECE_TAKEN


@in_place
def note_own_move(prob, known, move, taken, victim):
    """Make our move; the referee said what it took (if anything) and where. The kind that stands on the new square."""
    end = end_of(move)
    kind = move_own(known.men, known.colour, move)
    known.own = union(known.men)
    if kind == KING:
        known.rights = 0
    end_rights(known)
    possible = ~known.own
    if taken == MAN_TAKEN:
        taken = likelier_kind(prob, known, victim)
    if taken != NOTHING_TAKEN:
        row = PAWNS if taken == PAWN_TAKEN else PIECES
        before, there = total(prob, row), prob[row, victim]
        if taken == PIECE_TAKEN and before < 0.5:  # all seven pieces are gone: a pawn has become one
            scale_row(prob, PAWNS, max(0.0, total(prob, PAWNS) - 1.0), possible)
        if taken == PAWN_TAKEN or known.their_pieces == 0:
            known.their_pawns -= 1
        else:
            known.their_pieces -= 1
        prob[row, victim] = 0.0
        if before - there > 0.0:
            factor = max(0.0, before - 1.0) / (before - there)
            for square in range(64):
                prob[row, square] *= factor
    clear_squares(prob, BETWEEN[start_of(move), end] | bit(end), possible)
    return promotion_of(move) if promotion_of(move) else kind


@in_place
def exclude_king(prob, known):
    """It is our move: their king stands on no square that we attack, as far as the way there is clear."""
    own = known.own
    for kind in range(KINDS):
        men = known.men[kind]
        while men:
            start = trailing_zeros(men)
            left = attacks_of(kind, start, known.colour, own) & ~own
            while left:
                square = trailing_zeros(left)
                if prob[KINGS, square] > 0.0:
                    clear, between = 1.0, BETWEEN[start, square]
                    while between:
                        inside = trailing_zeros(between)
                        clear *= 1.0 - min(SURE, prob[PAWNS, inside] + prob[PIECES, inside])
                        between &= between - 1
                    prob[KINGS, square] *= 1.0 - clear
                left &= left - 1
            men &= men - 1
    scale_row(prob, KINGS, 1.0, ~(own | attacked_squares(known)))
