"""Point-based search for the vectors of a player: sweeps from the beginning of the game to its end and back.

On the way down windows are solved with the vectors that there are, and in every second sweep with hopes instead of
vectors that are missing; the most likely beliefs of each turn are the points of the next one. On the way back a window
at each point gives a vector, if it is better there than all others (Pineau, Gordon and Thrun 2003, for one player).
The k-th sweep follows from the vectors before it and from k, so that a search goes on from what it has saved.
"""

import zlib
from collections.abc import Callable
from typing import Any

import numpy as np

from ..games.shared.boards import Board
from .alpha_vectors import Library, Point, VectorNode
from .beliefs import permute
from .turn_fields import Fields
from .windows import Strategy, Window

ITERATIONS, FIRST_ITERATIONS = 60, 600  # rounds of regret matching for a window, and for the whole game's
POINTS, BRANCHES = 30, 4  # points of a turn at most, and how many of them follow from one of the turn before
LEAST_WEIGHT = 0.01  # worlds whose weight is less than this part of the largest are left out of a point
LEAST_GAIN = 1e-5
OPTIMISM = 1.2  # what is hoped for, as a multiple of what was found in the turn before
WIDTHS = ((4, 16), (14, 8), (40, 5), (1 << 30, 4))  # how many tries the planner chooses from: (worlds at most, tries)
KNOWN = 0.15  # the start is left for the whole game when the player is sure of this much there

Saved = dict[str, Any]


class PointSearch:
    """The vectors of one player, and the best strategy for the whole game by them."""

    def __init__(self, board: Board, player: int, check: Callable[[], None] = lambda: None) -> None:
        """`check` is called again and again, and stops the work if there is no time left for it."""
        self.check = check
        self.fields = Fields(board, player)
        self.library = Library(self.fields)
        self.sweeps = 0
        worlds = len(self.fields.worlds_beside(0))
        self.root = Point(0, np.full(worlds, 1 / worlds))
        self.start: Point | None = None
        self.best: Strategy | None = None

    def begin_at(self, own: int, other: int) -> None:
        """Until enough is found where both know these stones, begin there instead of at the beginning of the game."""
        least, turns = self.fields.image(own)
        known = int(permute(other, self.fields.board.symmetries[turns[0]]))
        weights = (self.fields.worlds_beside(least) & known == known).astype(float)
        self.start = Point(least, weights / weights.sum())

    def sweep(self) -> None:
        """One sweep; what it finds stays in the library."""
        draw = np.random.default_rng(self.sweeps)
        hopeful = self.sweeps % 2 == 0
        self.sweeps += 1
        layers = [[self.start or self.root]]
        while layers[-1]:
            layers.append(self._points_after(layers[-1], hopeful, len(layers) == 1, draw))
        for points in reversed(layers[1:]):
            self._improve(points)
        if self.start is not None:
            self._leave_start(self.start)
        else:
            found = self._window(self.root, FIRST_ITERATIONS, adversarial=True).strategy(adversarial=True)
            if self.best is None or found.worth > self.best.worth:
                self.best = found

    def _window(self, point: Point, iterations: int, hopeful: bool = False, adversarial: bool = False) -> Window:
        """The window at a point, solved."""
        self.check()
        possible = int((point.weights > 0).sum())
        width = next(width for most, width in WIDTHS if possible <= most or point.own == 0)
        window = Window(self.library, point, width, hopeful)
        window.solve(iterations, adversarial)
        return window

    def _points_after(
        self, points: list[Point], hopeful: bool, adversarial: bool, draw: np.random.Generator
    ) -> list[Point]:
        """Some points of the next turn, more likely ones more often."""
        found: list[tuple[float, Point]] = []
        for point in points:
            found += self._window(point, ITERATIONS // 2, hopeful, adversarial).points_after()
        if not found:
            return []
        chances = np.array([chance for chance, _ in found])
        count = min(POINTS, BRANCHES * len(points), len(found))
        chosen = draw.choice(len(found), count, replace=False, p=chances / chances.sum())
        return [_without_rare_worlds(found[k][1]) for k in sorted(chosen.tolist())]

    def _improve(self, points: list[Point]) -> None:
        """Add the vectors of the windows at points of one turn, and correct what is hoped for."""
        parts = []
        for point in points:
            window = self._window(point, ITERATIONS)
            if not window.sequences:
                continue
            found = window.strategy()
            won = float(self.fields.hopes(point.own) @ point.weights)
            if won > 0:
                parts.append(found.worth / won)
            if found.worth > self.library.worth(point) + LEAST_GAIN:
                self.library.add(VectorNode(point.own, found.rows, found.worths))
        if parts:
            self.library.hopes[points[0].own.bit_count()] = OPTIMISM * float(np.mean(parts))

    def _leave_start(self, start: Point) -> None:
        """Add the vector of the start, and go on to the whole game if it is good enough."""
        found = self._window(start, FIRST_ITERATIONS, adversarial=True).strategy(adversarial=True)
        if found.worth > 0:
            self.library.add(VectorNode(start.own, found.rows, found.worths))
        if found.worth > KNOWN:
            self.start = None

    def to_json(self) -> Saved:
        """All that it takes to go on."""
        best = self.best and [self.best.rows, self.best.worth]
        nodes = [
            [node.own, node.rows, zlib.compress(node.worths.astype("<i4").tobytes()).hex()]
            for node in self.library.nodes
        ]
        hopes = [[turn, hope] for turn, hope in self.library.hopes.items()]
        return {"sweeps": self.sweeps, "started": self.start is None, "nodes": nodes, "hopes": hopes, "best": best}

    def go_on_from(self, saved: Saved) -> None:
        """Take over what an earlier search has saved."""
        self.sweeps = saved["sweeps"]
        self.start = None if saved["started"] else self.start
        for own, rows, worths in saved["nodes"]:
            vector = np.frombuffer(zlib.decompress(bytes.fromhex(worths)), "<i4").astype(np.int64)
            self.library.add(VectorNode(own, rows, vector))
        self.library.hopes.update(saved["hopes"])
        if saved["best"] is not None:
            rows, worth = saved["best"]
            self.best = Strategy(rows, np.zeros(0, np.int64), worth)


def _without_rare_worlds(point: Point) -> Point:
    weights = np.where(point.weights < LEAST_WEIGHT * point.weights.max(), 0.0, point.weights)
    return Point(point.own, weights / weights.sum())
