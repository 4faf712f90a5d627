"""Point-based search for the vectors of a player: sweeps from the first turn of the game to its end and back.

On the way down windows are solved with the existing vectors, and in every second sweep with hopes in place of missing
vectors; the most likely beliefs of each turn are the points of the next one. On the way back a window at each point
gives a vector, if it is better there than all others (Pineau, Gordon and Thrun 2003, for one player). The k-th sweep
depends only on the vectors before it and on k, so a search resumes from its saved vectors.
"""

import zlib
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

from ...games.boards.board import Board
from ..proofs.checkers.phantom_bounds import PonnukiRules
from .and_or_search import Fields, TurnOutcomes
from .beliefs import permute
from .certificate import Jump, NodeJson, Place, Row
from .window_regrets import Decisions, Plan, Setting, Vectors, spread_shares
from .windows import (
    GRID,
    SHARES,
    SLACK,
    BeliefPoint,
    Pick,
    Rows,
    VectorNode,
    VectorSet,
    Window,
    WindowStrategy,
    demand_worths,
)

ITERATIONS, FIRST_ITERATIONS = 60, 600  # iterations of regret matching for a window, and for the whole game's
POINTS, BRANCHES = 30, 4  # maximum number of points of a turn, and of successors of one point
MIN_WEIGHT = 0.01  # worlds with less than this fraction of the largest weight are left out of a point
MIN_GAIN = 1e-5
OPTIMISM = 1.2  # the hoped-for value, as a multiple of the value found in the turn before
WIDTHS = ((4, 16), (14, 8), (40, 5), (1 << 30, 4))  # number of tries the planner chooses from: (worlds at most, tries)
KNOWN = 0.15  # guarantee at the start position from which the search continues with the whole game

Saved = dict[str, Any]


class PointSearch:
    """The vectors of one player, and the best strategy for the whole game by them."""

    def __init__(self, board: Board, player: int, check: Callable[[], None] = lambda: None) -> None:
        """Set up the search; `check` is called repeatedly, and raises when no time is left."""
        self.check = check
        self.fields = Fields(board, player)
        self.library = VectorSet(self.fields)
        self.sweeps = 0
        worlds = len(self.fields.worlds_beside(0))
        self.root = BeliefPoint(0, np.full(worlds, 1 / worlds))
        self.start: BeliefPoint | None = None
        self.best: WindowStrategy | None = None

    def begin_at(self, own: int, other: int) -> None:
        """Search from these stones, known to both, until the guarantee there suffices; then from the empty board."""
        least, turns = self.fields.image(own)
        known = int(permute(other, self.fields.board.symmetries[turns[0]]))
        weights = (self.fields.worlds_beside(least) & known == known).astype(float)
        self.start = BeliefPoint(least, weights / weights.sum())

    def sweep(self) -> None:
        draw = np.random.default_rng(self.sweeps)
        hopeful = self.sweeps % 2 == 0
        self.sweeps += 1
        layers = [[self.start or self.root]]
        while layers[-1]:
            layers.append(self._points_after(layers[-1], hopeful, len(layers) == 1, draw))
        for points in reversed(layers[1:]):
            self._improve(points)
        first = layers[0][0]
        found = self._window(first, FIRST_ITERATIONS, adversarial=True).strategy(adversarial=True)
        if self.start is None:
            self.best = found if self.best is None or found.worth > self.best.worth else self.best
            return
        if found.worth > 0:
            self.library.add(VectorNode(first.own, found.rows, found.worths))
        if found.worth > KNOWN:
            self.start = None

    def _window(self, point: BeliefPoint, iterations: int, hopeful: bool = False, adversarial: bool = False) -> Window:
        self.check()
        possible = int((point.weights > 0).sum())
        width = next(width for most, width in WIDTHS if possible <= most or point.own == 0)
        window = Window(self.library, point, width, hopeful)
        window.solve(iterations, adversarial)
        return window

    def _points_after(
        self, points: list[BeliefPoint], hopeful: bool, adversarial: bool, draw: np.random.Generator
    ) -> list[BeliefPoint]:
        """Sample points of the next turn without replacement, in proportion to their probabilities."""
        found: list[tuple[float, BeliefPoint]] = []
        for point in points:
            found += self._window(point, ITERATIONS // 2, hopeful, adversarial).points_after()
        if not found:
            return []
        chances = np.array([chance for chance, _ in found])
        count = min(POINTS, BRANCHES * len(points), len(found))
        chosen = draw.choice(len(found), count, replace=False, p=chances / chances.sum())
        after = []
        for _, point in (found[k] for k in sorted(chosen.tolist())):
            weights = np.where(point.weights < MIN_WEIGHT * point.weights.max(), 0.0, point.weights)
            after.append(BeliefPoint(point.own, weights / weights.sum()))
        return after

    def _improve(self, points: list[BeliefPoint]) -> None:
        """Add the vectors of the windows at points of one turn, and correct the hoped-for values."""
        parts = []
        for point in points:
            window = self._window(point, ITERATIONS)
            if not window.sequences:
                continue
            found = window.strategy()
            won = float(self.fields.hopes(point.own) @ point.weights)
            if won > 0:
                parts.append(found.worth / won)
            if found.worth > self.library.worth(point) + MIN_GAIN:
                self.library.add(VectorNode(point.own, found.rows, found.worths))
        if parts:
            self.library.hopes[points[0].own.bit_count()] = OPTIMISM * float(np.mean(parts))

    def to_json(self) -> Saved:
        best = self.best and [self.best.rows, self.best.worth]
        nodes = [
            [node.own, node.rows, zlib.compress(node.worths.astype("<i4").tobytes()).hex()]
            for node in self.library.nodes
        ]
        hopes = [[turn, hope] for turn, hope in self.library.hopes.items()]
        return {"sweeps": self.sweeps, "started": self.start is None, "nodes": nodes, "hopes": hopes, "best": best}

    def go_on_from(self, saved: Saved) -> None:
        self.sweeps = saved["sweeps"]
        self.start = None if saved["started"] else self.start
        for own, rows, worths in saved["nodes"]:
            vector = np.frombuffer(zlib.decompress(bytes.fromhex(worths)), "<i4").astype(np.int64)
            self.library.add(VectorNode(own, rows, vector))
        self.library.hopes.update(saved["hopes"])
        if saved["best"] is not None:
            rows, worth = saved["best"]
            self.best = WindowStrategy(rows, np.zeros(0, np.int64), worth)


# The proof of the vectors' guarantee: the nodes behind the strategy for the whole game, reduced to the necessary ones.
#
# From the whole game down, a node needs a positive value only in some worlds: those after an answer that would cost too
# much otherwise. Bad answers of the opponent leave slack, so most worlds are not needed at all.

SAFE = 1e-9  # added to demands; larger than rounding errors


class VectorProof:
    """The nodes behind a strategy, renumbered, successors first."""

    def __init__(self, library: VectorSet, rows: Rows, worth: Fraction, turns: list[int]) -> None:
        """Collect the demands of a strategy; `turns` has the checker's number of each symmetry."""
        self.library, self.turns, self.fields = library, turns, library.fields
        self.demands: dict[int, np.ndarray] = {}  # the value a node must have in each world, in units of 1 / GRID
        self._demand_of(0, np.full(len(self.fields.worlds_beside(0)), float(worth)), rows)
        for number in range(len(library.nodes) - 1, -1, -1):  # a node leads to earlier nodes only
            if number in self.demands:
                node = library.nodes[number]
                self._demand_of(node.own, self.demands[number] / GRID, node.rows)
        self.numbers = {number: new for new, number in enumerate(sorted(self.demands))}
        self.rows = [self._row(row) for row in rows]

    def _demand_of(self, own: int, wanted: np.ndarray, rows: Rows) -> None:
        """Add the demands on other nodes that give a strategy the wanted value in each world."""
        field = self.fields.field(own)
        tries = [one for row in rows for one in row]
        first = np.cumsum([0, *map(len, rows)])
        down = np.array([-1 if below is None else below for _, _, below, _ in tries], np.int64)
        decisions = Decisions(first.astype(np.int64), np.array([cell for cell, *_ in tries], np.int64), down)
        sources, vectors = self._vectors(field, tries)
        most = max(1, *(len(picks) for *_, picks in tries))
        behaviour = np.array([share for _, share, _, _ in tries]) / SHARES
        picks, choice = np.zeros((len(tries), most), np.int64), np.zeros((len(tries), most))
        for s, (stone, _, _, jump) in enumerate(tries):
            for j, (number, turn, part) in enumerate(jump):
                picks[s, j], choice[s, j] = sources[stone].index((number, turn)), part / SHARES
        reach, share, shares = np.zeros(len(rows)), np.zeros(len(tries)), np.zeros((len(tries), most))
        spread_shares(decisions, behaviour, choice, reach, share, shares)
        demanded = np.zeros(len(vectors.table))
        demand_worths(Setting(field.answers, decisions, vectors), Plan(share, picks, shares), wanted, demanded)
        for stone, listed in sources.items():
            wide, base = int(field.wide[stone]), int(vectors.base[stone])
            for row, (number, turn) in enumerate(listed):
                self._note(field, stone, number, turn, demanded[base + row * wide : base + (row + 1) * wide])

    def _vectors(
        self, field: TurnOutcomes, tries: list[tuple[int, int, int | None, list[Pick]]]
    ) -> tuple[dict[int, list[tuple[int, int]]], Vectors]:
        """Return the nodes and symmetries that continue each stone, and their vectors."""
        sources: dict[int, list[tuple[int, int]]] = {}
        for stone, _, _, picks in tries:
            listed = sources.setdefault(stone, [])
            listed += sorted({(number, turn) for number, turn, _ in picks} - set(listed))
        base, tables = np.zeros(self.fields.board.cells, np.int64), [np.zeros(0)]
        for stone, listed in sources.items():
            base[stone] = sum(map(len, tables))
            for number, turn in listed:
                tables.append(self.library.nodes[number].worths[self.fields.ranks(field, stone, turn)] / GRID)
        return sources, Vectors(base, field.wide, np.concatenate(tables))

    def _note(self, field: TurnOutcomes, stone: int, number: int, turn: int, demanded: np.ndarray) -> None:
        wanted = np.ceil(demanded * GRID * (1 + SAFE)).astype(np.int64)
        if wanted.any():
            worths, ranks = self.library.nodes[number].worths, self.fields.ranks(field, stone, turn)
            found = self.demands.setdefault(number, np.zeros(len(worths), np.int64))
            found[ranks] = np.maximum(found[ranks], np.minimum(wanted, worths[ranks]))

    def nodes(self) -> list[NodeJson]:
        out: list[NodeJson] = []
        for number in self.numbers:
            node, demands = self.library.nodes[number], self.demands[number]
            worlds = self.fields.worlds_beside(node.own)[demands > 0].tolist()
            rows = [self._row(row) for row in node.rows]
            worths = demands[demands > 0].tolist()
            out.append({"own": node.own, "worlds": worlds, "worths": worths, "unit": GRID, "rows": rows})
        return out

    def _row(self, row: list[tuple[int, int, int | None, list[Pick]]]) -> Row:
        return [[stone, str(Fraction(share, SHARES)), below, self._jump(picks)] for stone, share, below, picks in row]

    def _jump(self, picks: list[Pick]) -> Place:
        """Return the continuation; an empty one goes to the first node as well, at no cost."""
        known = [(number, turn, share) for number, turn, share in picks if number in self.numbers]
        rest, jump = SHARES - sum(share for _, _, share in known), Jump()
        for number, turn, share in known:
            jump.append([self.numbers[number], self.turns[turn], str(Fraction(share + rest, SHARES))])
            rest = 0
        return jump or None


def proved_worth(saved: Saved) -> Fraction:
    return Fraction(max(int(saved["best"][1] * GRID - SLACK), 0), GRID) if saved["best"] else Fraction(0)


def vector_proof(search: PointSearch) -> list[NodeJson]:
    saved, board, worlds = search.to_json(), search.fields.board, search.fields.worlds_beside(0).tolist()
    rules, worth = PonnukiRules(board.rows, board.columns), proved_worth(saved)
    turns = [rules.turns.index(shift.tolist()) for shift in board.symmetries]
    proof = VectorProof(search.library, saved["best"][0], worth, turns)
    return [*proof.nodes(), {"own": 0, "worlds": worlds, "worth": str(worth), "rows": proof.rows}]
