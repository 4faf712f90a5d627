"""Ponnuki on boards of any size, cell by cell: where the bits of one integer do not suffice, and for quick playouts.

A position is an array `stones` with one entry per cell, row * columns + column: EMPTY, BLACK or WHITE. `near` has up to
four neighbours per cell, then NOWHERE. `work` is room for a flood fill: a stack, then a mark per cell, then the last
mark that was used; it starts as zeros and is handed on.
"""

import numpy as np

from ...core.kernel import inlined, kernel
from .boards import GOES_ON, ILLEGAL, WINS

EMPTY, BLACK, WHITE = 0, 1, 2  # a stone of player p is p + BLACK; the other's is OTHER less that
OTHER = BLACK + WHITE
NOWHERE = -1
SIDES = 4


@kernel
def fill_neighbours(rows, columns, near):
    """Write the neighbours of every cell, then NOWHERE."""
    for cell in range(rows * columns):
        row, column, count = cell // columns, cell % columns, 0
        if row > 0:
            near[cell, count] = cell - columns
            count += 1
        if column > 0:
            near[cell, count] = cell - 1
            count += 1
        if column < columns - 1:
            near[cell, count] = cell + 1
            count += 1
        if row < rows - 1:
            near[cell, count] = cell + columns
            count += 1
        while count < SIDES:
            near[cell, count] = NOWHERE
            count += 1


@kernel
def breathes(stones, near, cell, barred, work):
    """True if the chain of the stone on the cell has a liberty other than the cell `barred`."""
    cells = len(near)
    colour, waiting = stones[cell], 1
    work[2 * cells] += 1
    mark = work[2 * cells]
    work[0] = cell
    work[cells + cell] = mark
    while waiting > 0:
        waiting -= 1
        at = work[waiting]
        for side in range(SIDES):
            beside = near[at, side]
            if beside == NOWHERE:
                break
            if stones[beside] == EMPTY:
                if beside != barred:
                    return True
            elif stones[beside] == colour and work[cells + beside] != mark:
                work[cells + beside] = mark
                work[waiting] = beside
                waiting += 1
    return False


@kernel
def try_stone(stones, near, colour, cell, work):
    """WINS by capture, ILLEGAL (occupied, or suicide) or GOES_ON; the stones stay as they are."""
    if stones[cell] != EMPTY:
        return ILLEGAL
    free = False
    for side in range(SIDES):
        beside = near[cell, side]
        if beside == NOWHERE:
            break
        if stones[beside] == EMPTY:
            free = True
        elif stones[beside] == OTHER - colour and not breathes(stones, near, beside, cell, work):
            return WINS
    if free:
        return GOES_ON
    for side in range(SIDES):
        beside = near[cell, side]
        if beside == NOWHERE:
            break
        if stones[beside] == colour and breathes(stones, near, beside, cell, work):
            return GOES_ON
    return ILLEGAL


@kernel
def can_move(stones, near, colour, work):
    """True if a player has a legal cell."""
    for cell in range(len(near)):
        if stones[cell] == EMPTY and try_stone(stones, near, colour, cell, work) != ILLEGAL:
            return True
    return False


@inlined
def room_to_work(cells):
    """Room for flood fills on a board of so many cells."""
    return np.zeros(2 * cells + 1, np.int64)
