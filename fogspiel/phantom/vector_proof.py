"""The proof of what vectors guarantee: the nodes behind the strategy for the whole game, with no more than is needed.

From the whole game down, a node has to be worth something in some worlds only: in those that an answer leads to which
would cost too much otherwise. Answers that are no good leave room, so that most worlds are not needed at all.
"""

from fractions import Fraction

import numpy as np

from ..solve.checkers.phantom_bounds import Rules
from .alpha_vectors import GRID, SHARES, Library, Pick, Rows
from .bounds_certificate import Jump, NodeJson, Place, Row
from .point_based import PointSearch, Saved
from .turn_fields import Field
from .window_demands import demand_worths
from .window_regrets import Decisions, Vectors, spread_shares
from .windows import SLACK

SAFE = 1e-9  # demands are larger by this, which is more than rounding errors


class VectorProof:
    """The nodes behind a strategy, numbered anew, those they lead to before them."""

    def __init__(self, library: Library, rows: Rows, worth: Fraction, turns: list[int]) -> None:
        """`turns` has the checker's number of each symmetry."""
        self.library, self.turns, self.fields = library, turns, library.fields
        self.demands: dict[int, np.ndarray] = {}  # what a node must be worth in each world, in units of 1 / GRID
        self._demand_of(0, np.full(len(self.fields.worlds_beside(0)), float(worth)), rows)
        for number in range(len(library.nodes) - 1, -1, -1):  # a node leads to earlier nodes only
            if number in self.demands:
                node = library.nodes[number]
                self._demand_of(node.own, self.demands[number] / GRID, node.rows)
        self.numbers = {number: new for new, number in enumerate(sorted(self.demands))}
        self.rows = [self._row(row) for row in rows]

    def _demand_of(self, own: int, wanted: np.ndarray, rows: Rows) -> None:
        """Demand of other nodes what a strategy needs to get this much in each world."""
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
        demand_worths(field.answers, decisions, vectors, share, picks, shares, wanted, demanded)
        for stone, listed in sources.items():
            wide, base = int(field.wide[stone]), int(vectors.base[stone])
            for row, (number, turn) in enumerate(listed):
                self._note(field, stone, number, turn, demanded[base + row * wide : base + (row + 1) * wide])

    def _vectors(
        self, field: Field, tries: list[tuple[int, int, int | None, list[Pick]]]
    ) -> tuple[dict[int, list[tuple[int, int]]], Vectors]:
        """The nodes and symmetries that each stone goes on by, and their vectors."""
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

    def _note(self, field: Field, stone: int, number: int, turn: int, demanded: np.ndarray) -> None:
        """Raise the demands of a node to what is demanded in the worlds after a stone."""
        wanted = np.ceil(demanded * GRID * (1 + SAFE)).astype(np.int64)
        if wanted.any():
            worths, ranks = self.library.nodes[number].worths, self.fields.ranks(field, stone, turn)
            found = self.demands.setdefault(number, np.zeros(len(worths), np.int64))
            found[ranks] = np.maximum(found[ranks], np.minimum(wanted, worths[ranks]))

    def nodes(self) -> list[NodeJson]:
        """The nodes as the proof has them, without that of the whole game."""
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
        """Return the continuation; what leads nowhere goes to the first node as well, at no cost."""
        known = [(self.numbers[number], turn, share) for number, turn, share in picks if number in self.numbers]
        if not known:
            return None
        rest = SHARES - sum(share for _, _, share in known)
        jump: Jump = []
        for place, (number, turn, share) in enumerate(known):
            jump.append([number, self.turns[turn], str(Fraction(share + (rest if place == 0 else 0), SHARES))])
        return jump


def proved_worth(saved: Saved) -> Fraction:
    """Return the guarantee of a saved strategy in the whole game."""
    return Fraction(max(int(saved["best"][1] * GRID - SLACK), 0), GRID) if saved["best"] else Fraction(0)


def vector_proof(search: PointSearch) -> list[NodeJson]:
    """The nodes that prove what a search has found for the whole game."""
    saved, board, worlds = search.to_json(), search.fields.board, search.fields.worlds_beside(0).tolist()
    rules, worth = Rules(board.rows), proved_worth(saved)
    turns = [rules.turns.index(shift.tolist()) for shift in board.symmetries]
    proof = VectorProof(search.library, saved["best"][0], worth, turns)
    return [*proof.nodes(), {"own": 0, "worlds": worlds, "worth": str(worth), "rows": proof.rows}]
