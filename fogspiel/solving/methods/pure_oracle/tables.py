"""Tables of a phantom game for the kernels of the double oracle: board, variant, outcomes.

An outcome is a player's observation between two tries: 0, the try failed; 1, the stone stayed; where tries are
counted (numturns) k, the stone stayed and the opponent then took k tries. A course is the list of the outcomes so
far. A pure strategy determines the tries, so one cell per course is all of it. Courses are numbered so that the
extensions of a course follow it: course, everything after failure, everything after success.
"""

from functools import cache
from typing import NamedTuple

import numpy as np

from ....core.compile.kernel import kernel
from ....games.boards.board import BOARDS
from ..phantom.private_histories import winning_cells

VARIANTS = ("classical", "abrupt", "numturns")
NONE = -1  # no course, no node, no cell


class Courses(NamedTuple):
    follow: np.ndarray  # follow[course, outcome] is the next course, or NONE if that is impossible
    end: np.ndarray  # the extensions of a course are those from it up to, but not including, this one


class PhantomTables(NamedTuple):
    """A phantom game as an argument of kernels."""

    cells: int
    full: int
    abrupt: bool
    counted: bool
    winning: np.ndarray  # winning[player, own] are the cells that win for a player with these stones
    hopeful: np.ndarray  # hopeful[player, theirs]: whether a player may still win against these stones
    images: np.ndarray  # images[s, cell] is the image of a cell under a symmetry
    least: np.ndarray  # least[some, cell]: whether none of some symmetries (bits) takes the cell to a smaller one
    keeping: np.ndarray  # keeping[some, cell] are those of some symmetries (bits) that fix the cell
    courses: tuple[Courses, Courses]


@cache
def build_tables(name: str, variant: str) -> PhantomTables:
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
    return PhantomTables(
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


def courses_of(cells: int, player: int, variant: str) -> Courses:
    """Return all courses of a player before a try that may both stay and leave the game undecided."""
    outcomes = 3 + cells // 2 if variant == "numturns" else 2
    follow: list[list[int]] = []
    end: list[int] = []

    def write(stones: int, failures: int, suffered: int) -> int:
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


# Pure strategies of a phantom game: a cell per course, their images under symmetry, and their scores.


@kernel
def half_points(setting, black, white, image):
    """Return Black's half points if Black follows a plan and White the image of another one under a symmetry."""
    follow = (setting.courses[0].follow, setting.courses[1].follow)
    stones, course, waiting = [0, 0], [0, 0], [False, False]
    player, tries, others = 0, 0, 1
    while True:
        if waiting[player]:  # the outcome of its last stone is known after the opponent's turn
            course[player] = follow[player][course[player], others if setting.counted else 1]
            waiting[player] = False
        cell = np.int64(black[course[0]]) if player == 0 else setting.images[image, white[course[1]]]
        tries += 1
        if stones[1 - player] >> cell & 1:
            course[player] = follow[player][course[player], 0]
            if not setting.abrupt:
                continue
        else:
            if setting.winning[player, stones[player]] >> cell & 1:
                return 2 - 2 * player
            stones[player] |= 1 << cell
            if stones[0] | stones[1] == setting.full:
                return 1
            waiting[player] = True
        player, tries, others = 1 - player, 0, tries


@kernel
def fill_points(setting, blacks, whites, row, column, points):
    """Write the half points of all pairs beyond those of the first rows and columns, summed over the symmetries."""
    for i in range(len(blacks)):
        for j in range(column if i < row else 0, len(whites)):
            points[i, j] = 0
            for image in range(len(setting.images)):
                points[i, j] += half_points(setting, blacks[i], whites[j], image)


def least_image(setting: PhantomTables, plan: np.ndarray) -> np.ndarray:
    images = [np.where(plan >= 0, moved[plan], plan).astype(np.int8) for moved in setting.images]
    return min(images, key=lambda image: image.tobytes())


# A mixture of plans and their images, merged: a tree of its player's possible tries, with weights.
#
# A node is a course and the cells tried along it. An entry is a cell that some plan tries there; its weight is that of
# all plans that reach it, and it has a node for each outcome. Entry 0 is before the first try.


class Mixture(NamedTuple):
    first: np.ndarray
    entries: np.ndarray  # the entries of each node
    cell: np.ndarray
    weight: np.ndarray
    child: np.ndarray  # the node after each entry and outcome, or NONE
    sizes: np.ndarray  # numbers of nodes and entries


def new_mixture(room: int, outcomes: int) -> Mixture:
    """Return space for a tree of that many entries."""
    first, entries, cell = np.empty(room, np.int32), np.empty(room, np.int32), np.empty(room, np.int64)
    return Mixture(first, entries, cell, np.empty(room), np.empty((room, outcomes), np.int32), np.zeros(2, np.int64))


EMPTY = new_mixture(1, 1)  # a tree without entries
EMPTY.first[0] = EMPTY.entries[0] = 0

ENTRY, OUTCOME, COURSE, OWN, BEGIN, END = range(6)
DEEP = 1 << 12  # nodes that wait to be written: cells times outcomes times turns at most


@kernel
def write_mixture(setting, player, plans, weights, members, tree):
    """Write the tree of a mixture; return False if the arrays are full.

    The members, each a plan and a symmetry, that reach a node are adjacent, and are sorted by their cell there. Nodes
    after one entry share their members, and are written one after the other.
    """
    follow, images = setting.courses[player].follow, setting.images
    outcomes, kinds = follow.shape[1], len(images)
    waiting = np.empty((DEEP, 6), np.int64)
    tally, place = np.empty(setting.cells, np.int64), np.empty(setting.cells, np.int64)
    mass = np.empty(setting.cells)
    sorted_ones = np.empty(len(members), np.int32)
    tree.sizes[0], tree.sizes[1] = 0, 1
    tree.weight[0] = 1.0
    waiting[0] = 0
    waiting[0, END] = len(members)
    top = 1
    while top > 0:
        top -= 1
        entry, outcome = waiting[top, ENTRY], waiting[top, OUTCOME]
        course, own = waiting[top, COURSE], waiting[top, OWN]
        begin, end = waiting[top, BEGIN], waiting[top, END]
        node = tree.sizes[0]
        if node == len(tree.first) or tree.sizes[1] + setting.cells > len(tree.cell):
            return False
        tree.sizes[0] += 1
        tree.child[entry, outcome] = node
        tally[:] = 0
        mass[:] = 0.0
        for m in range(begin, end):
            cell = images[members[m] % kinds, plans[members[m] // kinds, course]]
            tally[cell] += 1
            mass[cell] += weights[members[m] // kinds]
        tree.first[node] = tree.sizes[1]
        at = begin
        for cell in range(setting.cells):
            place[cell] = at
            if tally[cell] == 0:
                continue
            new = tree.sizes[1]
            tree.sizes[1] += 1
            tree.cell[new], tree.weight[new] = cell, mass[cell] / kinds
            for result in range(outcomes):
                tree.child[new, result] = NONE
                following = follow[course, result]
                if following == NONE or (result > 0 and setting.winning[player, own] >> cell & 1):
                    continue
                waiting[top, ENTRY], waiting[top, OUTCOME], waiting[top, COURSE] = new, result, following
                waiting[top, OWN] = own | 1 << cell if result > 0 else own
                waiting[top, BEGIN], waiting[top, END] = at, at + tally[cell]
                top += 1
            at += tally[cell]
        tree.entries[node] = tree.sizes[1] - tree.first[node]
        for m in range(begin, end):
            cell = images[members[m] % kinds, plans[members[m] // kinds, course]]
            sorted_ones[place[cell]] = members[m]
            place[cell] += 1
        members[begin:end] = sorted_ones[begin:end]
    tree.child[0, :outcomes] = 0
    return True


def mixture_of(setting: PhantomTables, player: int, plans: np.ndarray, weights: np.ndarray) -> Mixture:
    outcomes = setting.courses[player].follow.shape[1]
    room = 1 << 18
    while True:
        tree = new_mixture(room, outcomes)
        members = np.arange(len(plans) * len(setting.images), dtype=np.int32)
        if write_mixture(setting, player, plans, weights, members, tree):
            return tree
        room *= 2
