"""A mixture of plans and their images, merged: a tree of what its player may have tried, with weights.

A node is a course and the cells tried on the way. An entry is a cell that some plan tries there; its weight is that of
all plans that come so far, and it has a node for each outcome. Entry 0 is before the first try.
"""

from typing import NamedTuple

import numpy as np

from ...core.kernel import kernel
from .setting import NONE, Setting


class Mixture(NamedTuple):
    """The tree of a mixture."""

    first: np.ndarray
    entries: np.ndarray  # the entries of each node
    cell: np.ndarray
    weight: np.ndarray
    child: np.ndarray  # the node after each entry and outcome, or NONE
    sizes: np.ndarray  # how many nodes and entries there are


EMPTY = Mixture(
    np.zeros(1, np.int32),
    np.zeros(1, np.int32),
    np.zeros(1, np.int64),
    np.zeros(1),
    np.full((1, 1), NONE, np.int32),
    np.zeros(2, np.int64),
)  # a tree without entries

ENTRY, OUTCOME, COURSE, OWN, BEGIN, END = range(6)
DEEP = 1 << 12  # nodes that wait to be written: cells times outcomes times turns at most


@kernel
def write_mixture(setting, player, plans, weights, members, tree):
    """Write the tree of a mixture; returns whether there was room.

    The members, each a plan and a symmetry, that come to a node lie next to each other, and are sorted by their cell
    there. Nodes after one entry share their members, and are written one after the other.
    """
    follow, images = setting.courses[player].follow, setting.images
    outcomes, kinds = follow.shape[1], len(images)
    waiting = np.empty((DEEP, 6), np.int64)
    tally, place = np.empty(setting.cells, np.int64), np.empty(setting.cells, np.int64)
    mass = np.empty(setting.cells)
    sorted_ones = np.empty(len(members), np.int32)
    tree.sizes[0], tree.sizes[1] = 0, 1
    tree.weight[0] = 1.0
    for spot in range(6):
        waiting[0, spot] = 0
    waiting[0, END] = len(members)
    top = 1
    while top > 0:
        top -= 1
        entry, outcome, course, own = (
            waiting[top, ENTRY],
            waiting[top, OUTCOME],
            waiting[top, COURSE],
            waiting[top, OWN],
        )
        begin, end = waiting[top, BEGIN], waiting[top, END]
        node = tree.sizes[0]
        if node == len(tree.first) or tree.sizes[1] + setting.cells > len(tree.cell):
            return False
        tree.sizes[0] += 1
        tree.child[entry, outcome] = node
        for cell in range(setting.cells):
            tally[cell], mass[cell] = 0, 0.0
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
        for m in range(begin, end):
            members[m] = sorted_ones[m]
    for result in range(outcomes):
        tree.child[0, result] = 0
    return True


def mixture_of(setting: Setting, player: int, plans: np.ndarray, weights: np.ndarray) -> Mixture:
    """The tree of a mixture of plans, each of which stands for its images."""
    outcomes = setting.courses[player].follow.shape[1]
    room = 1 << 18
    while True:
        tree = Mixture(
            np.empty(room, np.int32),
            np.empty(room, np.int32),
            np.empty(room, np.int64),
            np.empty(room),
            np.empty((room, outcomes), np.int32),
            np.zeros(2, np.int64),
        )
        members = np.arange(len(plans) * len(setting.images), dtype=np.int32)
        if write_mixture(setting, player, plans, weights, members, tree):
            return tree
        room *= 2
