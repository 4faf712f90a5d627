"""Vectors of a planner: what strategies get in each world, by the planner's stones.

An opponent that sees the board at each of the planner's turns leaves a one-sided partially observable stochastic game,
whose value is the largest of linear functions of the belief (Horak, Bosansky and Pechoucek 2017): a vector has what one
strategy guarantees in each world, and a window solved at a point, a belief, gives the vector that is best there.
"""

from dataclasses import dataclass

import numpy as np

from .turn_fields import Fields

GRID = 10**5  # vectors are rounded down to multiples of 1 / GRID
SHARES = 500  # probabilities of a strategy are multiples of 1 / SHARES
Pick = tuple[int, int, int]  # a node to go on by: its number, the symmetry that leads to it, how many times 1 / SHARES
# For each try: a cell, its probability times SHARES, the row if it is illegal, and how to go on if it is legal.
Rows = list[list[tuple[int, int, int | None, list[Pick]]]]


@dataclass(frozen=True)
class VectorNode:
    """A strategy of one turn from own stones on, in canonical form, and its vector in units of 1 / GRID."""

    own: int
    rows: Rows
    worths: np.ndarray


@dataclass(frozen=True, eq=False)
class Point:
    """Own stones in canonical form, and the weights of all worlds beside them."""

    own: int
    weights: np.ndarray


class Library:
    """The vectors of a player, by own stones."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.nodes: list[VectorNode] = []
        self.by_own: dict[int, list[int]] = {}
        # By the number of own stones: the part of what is won with open eyes that may be hoped for.
        self.hopes: dict[int, float] = {}
        self._tables: dict[int, np.ndarray] = {}

    def add(self, node: VectorNode) -> int:
        """Keep a node; its number."""
        number = len(self.nodes)
        self.nodes.append(node)
        self.by_own.setdefault(node.own, []).append(number)
        self._tables.pop(node.own, None)
        return number

    def table(self, own: int) -> np.ndarray:
        """The vectors for own stones in canonical form, a row each."""
        if own not in self._tables:
            rows = [self.nodes[number].worths for number in self.by_own.get(own, [])]
            self._tables[own] = np.array(rows, float) / GRID
        return self._tables[own]

    def hope(self, own: int) -> float:
        """Return the share of the perfect-information win that may be hoped for."""
        return self.hopes.get(own.bit_count(), 1.0)

    def worth(self, point: Point) -> float:
        """Return the value of the best vector at a point."""
        found = self.table(point.own)
        return float((found @ point.weights).max()) if len(found) else 0.0
