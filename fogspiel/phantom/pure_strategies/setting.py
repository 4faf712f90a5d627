"""Tables of a phantom game for the kernels of the double oracle: board, variant, outcomes.

An outcome is all that a player learns between two tries: 0, the try failed; 1, the stone stayed; where tries are
counted (numturns) k, the stone stayed and the other player then took k tries. A course is the list of the outcomes so
far. A pure strategy tells what was tried, so one cell per course is all of it. Courses are numbered so that those
that begin with a course follow it: course, everything after failure, everything after success.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from ...games.shared.boards import BOARDS, WINS, Board

VARIANTS = ("classical", "abrupt", "numturns")
NONE = -1  # no course, no node, no cell


class Courses(NamedTuple):
    """The courses of one player."""

    follow: np.ndarray  # follow[course, outcome] is the next course, or NONE if that cannot be
    end: np.ndarray  # the courses that begin with a course are those from it up to, but not including, this one


class Setting(NamedTuple):
    """A phantom game as kernels take it."""

    cells: int
    full: int
    abrupt: bool
    counted: bool
    winning: np.ndarray  # winning[player, own] are the cells that win for a player with these stones
    hopeful: np.ndarray  # hopeful[player, theirs]: whether a player may still win against these stones
    images: np.ndarray  # images[s, cell] is where a symmetry takes a cell
    least: np.ndarray  # least[some, cell]: whether none of some symmetries (bits) takes the cell to a smaller one
    keeping: np.ndarray  # keeping[some, cell] are those of some symmetries (bits) that keep the cell
    courses: tuple[Courses, Courses]


@cache
def setting_of(name: str, variant: str) -> Setting:
    """The setting of a variant of a board game."""
    if variant not in VARIANTS:
        raise ValueError(f"there is no variant {variant!r}: it is {', '.join(VARIANTS)}")
    board = BOARDS[name]
    winning = winning_cells(board)
    masks = np.arange(board.full + 1)
    won = np.zeros(winning.shape, bool)
    for cell in range(board.cells):
        bit = 1 << cell
        won |= (masks & bit != 0) & (winning[:, masks & ~bit] & bit != 0)
    some = np.arange(1 << len(board.symmetries))
    chosen = some[:, None] >> np.arange(len(board.symmetries)) & 1 == 1
    smaller = board.symmetries < np.arange(board.cells)
    kept = (board.symmetries == np.arange(board.cells)).astype(np.int64) << np.arange(len(board.symmetries))[:, None]
    return Setting(
        board.cells,
        board.full,
        variant == "abrupt",
        variant == "numturns",
        winning,
        won[:, board.full & ~masks],
        board.symmetries,
        ~(chosen[:, :, None] & smaller).any(axis=1),
        some[:, None] & kept.sum(axis=0),
        (courses_of(board.cells, 0, variant), courses_of(board.cells, 1, variant)),
    )


def winning_cells(board: Board) -> np.ndarray:
    """The cells that win, for each player and each set of stones."""
    found = np.zeros((2, board.full + 1), np.int64)
    for player in range(2):
        for own in range(board.full + 1):
            cells = (cell for cell in range(board.cells) if board.fate(player, own, 0, cell) == WINS)
            found[player, own] = sum(1 << cell for cell in cells)
    return found


def courses_of(cells: int, player: int, variant: str) -> Courses:
    """All courses of a player before a try that may both stay and leave the game undecided."""
    outcomes = 3 + cells // 2 if variant == "numturns" else 2
    follow: list[list[int]] = []
    end: list[int] = []

    def write(stones: int, failures: int, suffered: int) -> int:
        """Write a course with so many own stones and failures, and failures of the other; its number, or NONE."""
        if variant == "abrupt":
            possible = stones + failures < cells
        else:
            theirs = stones + player
            possible = failures <= theirs and stones + theirs < cells
        if not possible:
            return NONE
        course = len(follow)
        follow.append([NONE] * outcomes)
        end.append(0)
        follow[course][0] = write(stones, failures + 1, suffered)
        for outcome in range(1, outcomes):
            more = suffered + outcome - 1
            if more <= stones + 1:
                follow[course][outcome] = write(stones + 1, failures, more)
        end[course] = len(follow)
        return course

    write(0, 0, 0)
    return Courses(np.array(follow, np.int32), np.array(end, np.int32))
