"""Moves of whole sets of men of one kind at once, as sets of squares.

Sliding men flood the squares that are open to them, by doubling steps (1, 2, 4 squares); a mask stops each direction
at the edge of the board and also the sign bit, which `>>` drags along.
"""

import numpy as np

from ...core.kernel import in_place, inlined
from ...games.chess.bits import A_FILE, H_FILE

TOP, BOTTOM = np.int64(-(1 << 56)), np.int64(0xFF)
EAST, WEST = ~A_FILE, ~H_FILE
NORTH, SOUTH = ~BOTTOM, ~TOP
TWO_EAST, TWO_WEST = np.int64(~0x0303030303030303), np.int64(0x3F3F3F3F3F3F3F3F)
TWO_NORTH, TWO_SOUTH = np.int64(~0xFFFF), np.int64(0x0000FFFFFFFFFFFF)


@inlined
def fill_up(men, open_squares, step):
    """The squares that `men` reach over open squares in a direction that raises the number of the square."""
    men |= open_squares & (men << step)
    open_squares &= open_squares << step
    men |= open_squares & (men << 2 * step)
    open_squares &= open_squares << 2 * step
    return men | open_squares & (men << 4 * step)


@inlined
def fill_down(men, open_squares, step):
    """The squares that `men` reach over open squares in a direction that lowers the number of the square."""
    men |= open_squares & (men >> step)
    open_squares &= open_squares >> step
    men |= open_squares & (men >> 2 * step)
    open_squares &= open_squares >> 2 * step
    return men | open_squares & (men >> 4 * step)


@in_place
def sideways(men, open_squares):
    """Squares that rooks reach along ranks, with their own."""
    return fill_up(men, open_squares & EAST, 1) | fill_down(men, open_squares & WEST, 1)


@in_place
def north(men, open_squares):
    """Squares that rooks reach up the files, with their own."""
    return fill_up(men, open_squares & NORTH, 8)


@in_place
def south(men, open_squares):
    """Squares that rooks reach down the files, with their own."""
    return fill_down(men, open_squares & SOUTH, 8)


@in_place
def diagonally(men, open_squares):
    """Squares that bishops reach, with their own."""
    rising = fill_up(men, open_squares & NORTH & EAST, 9) | fill_down(men, open_squares & SOUTH & WEST, 9)
    return rising | fill_up(men, open_squares & NORTH & WEST, 7) | fill_down(men, open_squares & SOUTH & EAST, 7)


@in_place
def beside(men):
    """The squares next to a set along ranks and files."""
    return (men << 1) & EAST | (men >> 1) & WEST | (men << 8) & NORTH | (men >> 8) & SOUTH


@in_place
def cornering(men):
    """The squares next to a set along diagonals."""
    east, west = (men << 1) & EAST, (men >> 1) & WEST
    return (east | west) << 8 & NORTH | (east | west) >> 8 & SOUTH


@in_place
def around(men):
    """The squares that kings on a set reach."""
    return beside(men) | cornering(men)


@in_place
def leaps(men):
    """The squares that knights on a set reach."""
    near = (men << 1) & EAST | (men >> 1) & WEST
    far = (men << 2) & TWO_EAST | (men >> 2) & TWO_WEST
    return (near << 16) & TWO_NORTH | (near >> 16) & TWO_SOUTH | (far << 8) & NORTH | (far >> 8) & SOUTH
