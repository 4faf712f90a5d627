"""The lines of the board, square by square: along them chances are carried one step at a time."""

import numpy as np

from ...games.chess.bits import SQUARES, STEPS


def _step(square: int, up: int, right: int) -> int:
    """The square that is so many ranks and files away, or -1 beyond the edge."""
    rank, file = square // 8 + up, square % 8 + right
    return 8 * rank + file if 0 <= rank < 8 and 0 <= file < 8 else -1


NEXT = np.array(
    [[_step(square, sign * up, sign * right) for square in SQUARES] for sign in (1, -1) for up, right in STEPS]
)  # the next square in each direction, or -1: the four lines upwards, in the order of `bits.STEPS`, then downwards


def _line(direction: int, square: int) -> list[int]:
    """A square and all that follow it in a direction."""
    found = [square]
    while NEXT[direction, found[-1]] >= 0:
        found.append(int(NEXT[direction, found[-1]]))
    return found


_ALL = [
    _line(direction, square)
    for direction in range(len(STEPS))
    for square in SQUARES
    if NEXT[direction + len(STEPS), square] < 0 <= NEXT[direction, square]
]
LENGTHS = np.array([len(line) for line in _ALL])
# Every rank, file and diagonal of two squares or more: its squares from the lower end, and how many they are.
LINES = np.array([line + [0] * (8 - len(line)) for line in _ALL])
