"""Chess search: a static value, quiescence, and alpha-beta to a small depth.

Values are in centipawns for the side to move. Men have a value by kind and square; a bare king loses value near the
edge and near the pursuing king. Quiescence searches captures, queen promotions and all check evasions; out of check,
the side to move may stand pat at the static value. A lone king that cannot move is stalemate.

A search is a stack of rows, one per ply. Layout of a row:
    0 position, as in `chess.position`       13 checks and pins, as in `chess.moves`
    16 static value for White                 17 plies left before quiescence
    18 alpha, 19 beta, 20 best value so far   21 moves made, 22 moves listed
    23 moves, each with its rank in the order above bit 16
"""

import numpy as np

from ...core.compile.kernel import inlined, kernel, trailing_zeros
from . import bitboards
from .bitboards import (
    FORWARD,
    KINDS,
    KING,
    LAST_RANKS,
    NO_MAN,
    NO_SQUARE,
    NONE,
    PAWN,
    QUEEN,
    ROOK,
    THROUGH,
    WHITE,
    bit,
    kind_on,
    reach,
)
from .moves import (
    ALLOWED,
    CHECKERS,
    LIMITS,
    MAX_MOVES,
    PINNED,
    attackers,
    destinations,
    legal_moves,
    list_moves,
    list_queening_moves,
    pawn_captures,
    restrict,
    threatened_by_pawns,
)
from .position import (
    MEN,
    MOVER,
    PASSANT,
    castling_rook,
    copy_board,
    end_of,
    king_of,
    make,
    move_of,
    promotion_of,
    start_of,
    victim_square,
)

LIMITED, SCORE, DEPTH, ALPHA, BETA, BEST, NEXT, COUNT, MOVES = 13, 16, 17, 18, 19, 20, 21, 22, 23
ROW = MOVES + MAX_MOVES
LEVELS = 64  # rows of a full search: quiescence ends at the last one, which has not been reached in any observed game
MATE = 20_000  # value of a mate on the board; a mate in n plies has n less
INFINITE = 30_000
VALUE = np.array([100, 320, 330, 500, 950, 0, 0], np.int64)  # value of a man by kind, on any square
# Value of a bare king's step away from the centre, and of the pursuing king's step towards it.
EDGE_DRIVE, NEAR_DRIVE = 12, 6
ORDER, MOVE_BITS = 16, 0xFFFF  # a listed move: its number, and its rank in the order above it


def _placement(kind: int, rank: int, file: int) -> int:
    """Return the positional bonus of a square for a man, ranks counted from its own side."""
    centre = min(rank, 7 - rank) + min(file, 7 - file)
    if kind == PAWN:
        return (0, 0, 3, 10, 20, 40, 80, 0)[rank] + (3 * min(file, 7 - file) if rank in (2, 3) else 0)
    if kind == KING:
        return -12 * min(rank, 3) + (8 if rank == 0 and file in (1, 2, 6) else 0)
    if kind == ROOK:
        return 20 if rank == 6 else 2 * min(file, 7 - file)
    return (0, 8, 5, 0, 2, 0)[kind] * (centre - 3) - (8 if rank == 0 else 0)


WORTH = np.array(
    [
        [[int(VALUE[kind]) + _placement(kind, square // 8 ^ 7 * colour, square % 8) for square in range(64)]
         for kind in range(KINDS)]
        for colour in (0, 1)
    ],
    np.int64,
)  # fmt: skip
"""Value of a man by colour, kind and square."""
# Distance of a square from the centre, in steps along ranks and files.
EDGE = np.array([6 - min(s // 8, 7 - s // 8) - min(s % 8, 7 - s % 8) for s in range(64)], np.int64)


@kernel
def material_score(pos, worths):
    total = 0
    for colour in range(2):
        for kind in range(KINDS):
            men = pos[kind] & pos[MEN + colour]
            while men:
                worth = worths[colour, kind, trailing_zeros(men)]
                total += worth if colour == WHITE else -worth
                men &= men - 1
    return total


@kernel
def change(pos, move, worths):
    """Return the change of the material score by a legal move."""
    mover, start, end, promotion = pos[MOVER], start_of(move), end_of(move), promotion_of(move)
    kind, victim = kind_on(pos, start), victim_square(pos, move)
    gain = worths[mover, promotion if promotion else kind, end] - worths[mover, kind, start]
    if victim != NO_SQUARE:
        gain += worths[1 - mover, kind_on(pos, victim), victim]
    elif kind == KING and abs(end - start) == 2:
        gain += worths[mover, ROOK, (start + end) // 2] - worths[mover, ROOK, castling_rook(mover, start, end)]
    return gain if mover == WHITE else -gain


@kernel
def drive(pos, colour):
    """Score the pursuit of a bare king: near the edge, and near the pursuing king."""
    king, own = king_of(pos, 1 - colour), king_of(pos, colour)
    near = 14 - abs(king // 8 - own // 8) - abs(king % 8 - own % 8)
    return EDGE_DRIVE * EDGE[king] + NEAR_DRIVE * near


@inlined
def static_value(row):
    score = row[SCORE]
    if row[MEN + 1] & (row[MEN + 1] - 1) == 0:
        score += drive(row, 0)
    if row[MEN] & (row[MEN] - 1) == 0:
        score -= drive(row, 1)
    return score if row[MOVER] == WHITE else -score


@kernel
def takings(pos, limits, out):
    """List the legal captures and the promotions to a queen."""
    mover = pos[MOVER]
    own, other = pos[MEN + mover], pos[MEN + 1 - mover]
    occ, king = own | other, king_of(pos, mover)
    allowed, pinned, count = other & limits[ALLOWED], limits[PINNED], 0
    for kind in range(1, KING):
        men = pos[kind] & own
        while men:
            square = trailing_zeros(men)
            ends = reach(kind, square, occ) & allowed
            if ends and pinned & bit(square):
                ends &= THROUGH[king, square]
            count = list_moves(square, ends, False, out, count)
            men &= men - 1
    ends = bitboards.KING_ATTACKS[king] & other
    while ends:
        square = trailing_zeros(ends)
        if attackers(pos, square, 1 - mover, occ & ~bit(king)) == 0:
            out[count] = move_of(king, square, 0)
            count += 1
        ends &= ends - 1
    victims = other if pos[PASSANT] == NO_SQUARE else other | bit(pos[PASSANT])
    pawns, last = pos[PAWN] & own, LAST_RANKS[mover]
    if threatened_by_pawns(pos, mover) & victims == 0:
        pawns &= _before(last, mover)
    while pawns:
        square = trailing_zeros(pawns)
        promotes = bit(square + FORWARD[mover]) & last
        ends = destinations(pos, PAWN, square, limits) if promotes else pawn_captures(pos, square, limits)
        count = list_queening_moves(square, ends, True, out, count)
        pawns &= pawns - 1
    return count


@inlined
def _before(last, mover):
    return (last >> 8) & np.int64(0x00FF000000000000) if mover == WHITE else last << 8


@kernel
def arrange(row):
    """Rank captures and promotions: most valuable victim first, least valuable attacker first."""
    for i in range(MOVES, MOVES + row[COUNT]):
        move = row[i]
        victim = kind_on(row, end_of(move))
        if victim != NO_MAN:
            row[i] |= (64 + 8 * victim - kind_on(row, start_of(move))) << ORDER
        if promotion_of(move) == QUEEN:
            row[i] += 100 << ORDER


@kernel
def take_next_move(row):
    """Swap the best remaining move to the current place in the list and return it."""
    first = MOVES + row[NEXT]
    best = first
    for i in range(first + 1, MOVES + row[COUNT]):
        if row[i] >> ORDER > row[best] >> ORDER:
            best = i
    move = row[best]
    row[best] = row[first]
    row[NEXT] += 1
    return move & MOVE_BITS


@kernel
def enter(row, level, last, depth, alpha, beta):
    """Enter a position: list its moves, or set its value if there is nothing to search."""
    limits = row[LIMITED : LIMITED + LIMITS]
    restrict(row, limits)
    row[DEPTH], row[ALPHA], row[BETA], row[BEST], row[NEXT], row[COUNT] = depth, alpha, beta, -INFINITE, 0, 0
    checked = limits[CHECKERS] != NONE
    if depth > 0 or checked:
        row[COUNT] = legal_moves(row, limits, row[MOVES:])
        if row[COUNT] == 0:
            row[BEST] = level - MATE if checked else 0
        elif level == last:
            row[BEST], row[COUNT] = static_value(row), 0
    else:
        mover = row[MOVER]
        if row[MEN + mover] & (row[MEN + mover] - 1) == 0 and destinations(row, KING, king_of(row, mover), limits) == 0:
            row[BEST] = 0
            return
        row[BEST] = static_value(row)
        if row[BEST] < beta and level < last:
            row[ALPHA] = max(alpha, row[BEST])
            row[COUNT] = takings(row, limits, row[MOVES:])
    if row[COUNT] > 1:
        arrange(row)


@kernel
def search_move(rows, worths, depth, alpha, beta):
    """Search the first row, whose static value is set, to at most all rows; return its value for the side to move."""
    level, last, nodes = 0, len(rows) - 1, 1
    enter(rows[0], 0, last, depth, alpha, beta)
    while True:
        row = rows[level]
        if row[NEXT] < row[COUNT] and row[BEST] < row[BETA]:
            move = take_next_move(row)
            level += 1
            below = rows[level]
            copy_board(row, below)
            below[SCORE] = row[SCORE] + change(row, move, worths)
            make(below, move)
            enter(below, level, last, row[DEPTH] - 1, -row[BETA], -row[ALPHA])
            nodes += 1
        elif level == 0:
            return row[BEST], nodes
        else:
            level -= 1
            above = rows[level]
            above[BEST] = max(above[BEST], -row[BEST])
            above[ALPHA] = max(above[ALPHA], above[BEST])


@kernel
def place(rows, pos, worths):
    copy_board(pos, rows[0])
    rows[0, SCORE] = material_score(pos, worths)


def value_of(pos: np.ndarray, depth: int = 0) -> tuple[int, int]:
    """Search this many plies and quiescence; return the value for the side to move and the nodes searched."""
    rows = np.zeros((LEVELS, ROW), np.int64)
    place(rows, pos, WORTH)
    value, nodes = search_move(rows, WORTH, depth, -INFINITE, INFINITE)
    return int(value), int(nodes)
