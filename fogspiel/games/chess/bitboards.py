"""Bitboards: sets of squares as the bits of an int64, and attack sets.

Square 0 is a1, 7 is h1, 63 is h8; bit s of a set is square s. Sliding attacks use obstruction difference: on a line
through a square, subtracting the nearest blocker below from the blockers above flips exactly the bits between the two
nearest blockers.
"""

import numpy as np

from ...core.compile.kernel import in_place, inlined, leading_zeros

NONE, ALL = np.int64(0), np.int64(-1)
NO_SQUARE = -1
A_FILE = np.int64(0x0101010101010101)
H_FILE = np.int64(-0x7F7F7F7F7F7F7F80)
SECOND_RANKS = np.array([0xFF << 8, 0xFF << 48], np.int64)
LAST_RANKS = np.array([-(1 << 56), 0xFF], np.int64)  # start rank and promotion rank of each colour's pawns
LIGHT_SQUARES = np.int64(0x55AA55AA55AA55AA)
# The lines through a square: its rank, its file, the diagonal parallel to a1-h8, and that parallel to a8-h1.
RANK, FILE, RISING, FALLING = 0, 1, 2, 3
STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))  # one step up each line, as ranks and files
KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))
KING_STEPS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))


def _word(squares: list[int]) -> int:
    bits = sum(1 << square for square in squares)
    return bits - 2**64 if bits >= 2**63 else bits


def _squares_reached(square: int, steps: tuple[tuple[int, int], ...], far: bool = False) -> list[int]:
    found = []
    for up, right in steps:
        rank, file = square // 8 + up, square % 8 + right
        while 0 <= rank < 8 and 0 <= file < 8:
            found.append(8 * rank + file)
            rank, file = rank + up, file + right
            if not far:
                break
    return found


def _table(rows: list[list[list[int]]]) -> np.ndarray:
    return np.array([[_word(squares) for squares in row] for row in rows], np.int64)


def _between(a: int, b: int) -> tuple[list[int], list[int]]:
    """Return the squares strictly between two squares of a line, and the whole line; empty if they share no line."""
    for up, right in STEPS:
        above, below = _squares_reached(a, ((up, right),), True), _squares_reached(a, ((-up, -right),), True)
        for side in (above, below):
            if b in side:
                return side[: side.index(b)], [a, *above, *below]
    return [], []


SQUARES = range(64)
KNIGHT_ATTACKS = _table([[_squares_reached(s, KNIGHT_STEPS) for s in SQUARES]])[0]
KING_ATTACKS = _table([[_squares_reached(s, KING_STEPS) for s in SQUARES]])[0]
# Capture squares of a pawn, by colour and square.
PAWN_ATTACKS = _table([[_squares_reached(s, ((up, -1), (up, 1))) for s in SQUARES] for up in (1, -1)])
ABOVE = _table([[_squares_reached(s, (step,), True) for s in SQUARES] for step in STEPS])
# The squares of each line above and below a square.
BELOW = _table([[_squares_reached(s, ((-step[0], -step[1]),), True) for s in SQUARES] for step in STEPS])
BETWEEN = _table([[_between(a, b)[0] for b in SQUARES] for a in SQUARES])
THROUGH = _table([[_between(a, b)[1] for b in SQUARES] for a in SQUARES])  # the line through two squares


def rows_of(sets: np.ndarray) -> np.ndarray:
    return (sets[..., None] >> np.arange(64)) & 1


@inlined
def bit(square):
    return np.int64(1) << square


@inlined
def along(line, square, occupied):
    """Return the squares that a sliding man reaches on this line, up to and including the nearest blockers."""
    below = BELOW[line, square] & occupied
    above = ABOVE[line, square] & occupied
    nearest = np.int64(1) << (63 - leading_zeros(below | 1))
    return (above ^ (above - nearest)) & (ABOVE[line, square] | BELOW[line, square])


@inlined
def straight(square, occupied):
    return along(RANK, square, occupied) | along(FILE, square, occupied)


@inlined
def diagonal(square, occupied):
    return along(RISING, square, occupied) | along(FALLING, square, occupied)


# Kinds and colours of men, six sets of squares (one for each kind), and attack sets.

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = 0, 1, 2, 3, 4, 5
KINDS = 6
NO_MAN = 6  # value of an empty square
WHITE, BLACK = 0, 1
UPSIDE_DOWN = 56  # exclusive-or mask that turns a square number upside down
FORWARD = np.array([8, -8], np.int64)  # offset of the square in front of a pawn, by colour
_LINES = ABOVE | BELOW
_STRAIGHT, _DIAGONAL = _LINES[RANK] | _LINES[FILE], _LINES[RISING] | _LINES[FALLING]
# The squares that a man attacks on an empty board, by kind and square; none for a pawn.
ALONE = np.array(
    [0 * KING_ATTACKS, KNIGHT_ATTACKS, _DIAGONAL, _STRAIGHT, _DIAGONAL | _STRAIGHT, KING_ATTACKS], np.int64
)


@inlined
def union(men):
    found = NONE
    for kind in range(KINDS):
        found |= men[kind]
    return found


@in_place
def kind_on(pos, square):
    there, found = bit(square), 0
    for kind in range(1, KINDS):  # branch-free, so that nothing is mispredicted
        found += kind * (pos[kind] & there != 0)
    return found if found or pos[PAWN] & there else NO_MAN


@inlined
def reach(kind, square, occ):
    if kind == KNIGHT:
        return KNIGHT_ATTACKS[square]
    if kind == KING:
        return KING_ATTACKS[square]
    found = NONE
    if kind != BISHOP:
        found |= straight(square, occ)
    if kind != ROOK:
        found |= diagonal(square, occ)
    return found


@in_place
def attacks_of(kind, square, colour, occ):
    return PAWN_ATTACKS[colour, square] if kind == PAWN else reach(kind, square, occ)


# Moves of whole sets of men of one kind at once, as sets of squares.
#
# Sliding men flood the squares that are open to them, by doubling steps (1, 2, 4 squares); a mask stops each direction
# at the edge of the board and also the sign bit, which `>>` drags along.

TOP, BOTTOM = np.int64(-(1 << 56)), np.int64(0xFF)
EAST, WEST = ~A_FILE, ~H_FILE
NORTH, SOUTH = ~BOTTOM, ~TOP
TWO_EAST, TWO_WEST = np.int64(~0x0303030303030303), np.int64(0x3F3F3F3F3F3F3F3F)
TWO_NORTH, TWO_SOUTH = np.int64(~0xFFFF), np.int64(0x0000FFFFFFFFFFFF)


@inlined
def fill_up(men, open_squares, step):
    """Return the squares that `men` reach over open squares in a direction of rising square numbers."""
    men |= open_squares & (men << step)
    open_squares &= open_squares << step
    men |= open_squares & (men << 2 * step)
    open_squares &= open_squares << 2 * step
    return men | open_squares & (men << 4 * step)


@inlined
def fill_down(men, open_squares, step):
    """Return the squares that `men` reach over open squares in a direction of falling square numbers."""
    men |= open_squares & (men >> step)
    open_squares &= open_squares >> step
    men |= open_squares & (men >> 2 * step)
    open_squares &= open_squares >> 2 * step
    return men | open_squares & (men >> 4 * step)


@in_place
def sideways(men, open_squares):
    """Return the squares that rooks reach along ranks, their own included."""
    return fill_up(men, open_squares & EAST, 1) | fill_down(men, open_squares & WEST, 1)


@in_place
def north(men, open_squares):
    return fill_up(men, open_squares & NORTH, 8)


@in_place
def south(men, open_squares):
    return fill_down(men, open_squares & SOUTH, 8)


@in_place
def diagonally(men, open_squares):
    """Return the squares that bishops reach, their own included."""
    rising = fill_up(men, open_squares & NORTH & EAST, 9) | fill_down(men, open_squares & SOUTH & WEST, 9)
    return rising | fill_up(men, open_squares & NORTH & WEST, 7) | fill_down(men, open_squares & SOUTH & EAST, 7)


@in_place
def beside(men):
    return (men << 1) & EAST | (men >> 1) & WEST | (men << 8) & NORTH | (men >> 8) & SOUTH


@in_place
def cornering(men):
    east, west = (men << 1) & EAST, (men >> 1) & WEST
    return (east | west) << 8 & NORTH | (east | west) >> 8 & SOUTH


@in_place
def around(men):
    return beside(men) | cornering(men)


@in_place
def leaps(men):
    near = (men << 1) & EAST | (men >> 1) & WEST
    far = (men << 2) & TWO_EAST | (men >> 2) & TWO_WEST
    return (near << 16) & TWO_NORTH | (near >> 16) & TWO_SOUTH | (far << 8) & NORTH | (far >> 8) & SOUTH


# Lines of the board, square by square; probabilities are propagated along them one step at a time.


# The next square in each direction, or -1: the four lines upwards, in the order of STEPS, then downwards.
NEXT = np.array(
    [
        [next(iter(_squares_reached(square, ((sign * up, sign * right),))), -1) for square in SQUARES]
        for sign in (1, -1)
        for up, right in STEPS
    ]
)
_ALL = [
    [square, *_squares_reached(square, (step,), True)]
    for direction, step in enumerate(STEPS)
    for square in SQUARES
    if NEXT[direction + len(STEPS), square] < 0 <= NEXT[direction, square]
]
LENGTHS = np.array([len(line) for line in _ALL])
# Every rank, file and diagonal of at least two squares: its squares from the lower end, and their number.
LINES = np.array([line + [0] * (8 - len(line)) for line in _ALL])
