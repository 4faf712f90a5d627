"""Windows of one turn, solved at a point with the vectors that there are: they give strategies, vectors and points."""

from dataclasses import dataclass

import numpy as np

from .alpha_vectors import GRID, SHARES, Library, Point, Rows
from .window_kernels import build_infosets
from .window_regrets import Decisions, Vectors, best_rows, evaluate, regret_matching, round_shares, spread_shares

# What is taken off a float, in units of the grid, before it is rounded down: far more than rounding errors.
SLACK = 1e-3
MOST_INFOSETS, MOST_SEQUENCES = 4000, 40000
MOST_PICKS = 6  # vectors that a sequence chooses from at a time
ROUNDS = 3  # how often better vectors are looked for
PRUNE = (0.1, 0.04, 0.015, 0.005)  # probabilities below one of these are left out: the one that costs least is taken
LEAST_CHANCE = 1e-3  # sequences that are less likely lead to no point


@dataclass(frozen=True, eq=False)
class Strategy:
    """A strategy for a window and its vector."""

    rows: Rows
    worths: np.ndarray
    worth: float  # what it gets at the point, or in the worst world if the opponent chooses that


class Window:
    """A window from a point on; `sequences` is 0 if there is nothing to try, or too much."""

    def __init__(self, library: Library, point: Point, width: int, hopeful: bool) -> None:
        """If `hopeful` there are also vectors that no strategy has yet: part of what is won with open eyes."""
        fields = self.fields = library.fields
        field = self.field = fields.field(point.own)
        self.library, self.weights, cells = library, point.weights, fields.board.cells
        # For each stone: the node and the symmetry behind every row of its table, -1 for none.
        self.sources: list[list[tuple[int, int]]] = []
        tables = [self._table(stone, hopeful) for stone in range(cells)]
        self.rows = np.array([len(table) for table in tables], np.int64)
        base = np.r_[0, np.cumsum([table.size for table in tables])[:-1]].astype(np.int64)
        self.vectors = Vectors(base, field.wide, np.concatenate([table.ravel() for table in tables]))
        failed, first = np.zeros(MOST_INFOSETS, np.int64), np.zeros(MOST_INFOSETS + 1, np.int64)
        cell, down = np.zeros(MOST_SEQUENCES, np.int64), np.zeros(MOST_SEQUENCES, np.int64)
        self.infosets, self.sequences = build_infosets(
            field.worlds,
            point.weights,
            field.outcomes,
            field.scores,
            point.own,
            cells,
            width,
            failed,
            first,
            cell,
            down,
        )
        counts = self.sequences
        self.decisions = Decisions(first[: self.infosets + 1].copy(), cell[:counts].copy(), down[:counts].copy())
        self.picks, self.picked = np.zeros((counts, MOST_PICKS), np.int64), np.ones(counts, np.int64)
        self.plan, self.plan_shares = np.zeros(counts), np.zeros((counts, MOST_PICKS))
        self.beliefs = np.ones((counts, int(field.wide.max(initial=1))))

    def _table(self, stone: int, hopeful: bool) -> np.ndarray:
        """The vectors after a stone, a row each, over the worlds after it; the first pays nothing."""
        sources, wide = [(-1, 0)], int(self.field.wide[stone])
        rows = [np.zeros((1, wide))]
        if wide:
            own, turns = self.fields.image(self.field.own | 1 << stone)
            if hopeful:
                sources.append((-1, 0))
                hopes = self.fields.hopes(own)[self.fields.ranks(self.field, stone, turns[0])]
                rows.append(self.library.hope(own) * hopes[None, :])
            found = self.library.table(own)
            if len(found):
                for turn in turns:
                    sources += [(number, turn) for number in self.library.by_own[own]]
                    rows.append(found[:, self.fields.ranks(self.field, stone, turn)])
        self.sources.append(sources)
        return np.concatenate(rows)

    def solve(self, iterations: int, adversarial: bool = False) -> None:
        """Regret matching, some times with the best vectors for the beliefs that it has led to so far.

        If it is `adversarial` the opponent chooses the world, among those with a weight.
        """
        chosen = np.zeros(self.sequences, np.int64)
        for turn in range(ROUNDS + 1):
            best_rows(self.decisions.cell, self.vectors, self.rows, self.beliefs, chosen)
            self._pick(chosen)
            for total in (self.plan, self.plan_shares, self.beliefs):
                total[:] = 0
            steps = iterations if turn == ROUNDS else iterations // 4
            regret_matching(
                steps, adversarial, self.weights, self.field.answers, self.decisions, self.vectors, self.picks,
                self.picked, self.plan, self.plan_shares, self.beliefs,
            )  # fmt: skip
        steps = iterations * (iterations + 1) // 2
        for total in (self.plan, self.plan_shares, self.beliefs):
            total /= steps

    def _pick(self, chosen: np.ndarray) -> None:
        """Add the chosen vectors to the candidates, while there is room."""
        known = (self.picks == chosen[:, None]) & (np.arange(MOST_PICKS) < self.picked[:, None])
        new = np.flatnonzero(~known.any(axis=1) & (self.picked < MOST_PICKS))
        self.picks[new, self.picked[new]] = chosen[new]
        self.picked[new] += 1

    def points_after(self) -> list[tuple[float, Point]]:
        """The points of the next turn that the solution leads to, with how likely they are."""
        masses = self.beliefs.sum(axis=1)
        likely = np.flatnonzero((self.plan > LEAST_CHANCE) & (masses > LEAST_CHANCE)).tolist()
        return [(float(self.plan[s] * masses[s]), self._point_after(s)) for s in likely]

    def _point_after(self, s: int) -> Point:
        """The point after a sequence, in canonical form."""
        stone = int(self.decisions.cell[s])
        own, turns = self.fields.image(self.field.own | 1 << stone)
        weights = np.zeros(len(self.fields.worlds_beside(own)))
        belief = self.beliefs[s, : int(self.field.wide[stone])]
        weights[self.fields.ranks(self.field, stone, turns[0])] = belief / belief.sum()
        return Point(own, weights)

    def strategy(self, adversarial: bool = False) -> Strategy:
        """The best of several roundings of the solution, with its vector."""
        found = [self._rounded(least, adversarial) for least in PRUNE]
        behaviour, choice, out, worth = max(found, key=lambda one: one[3])
        worths = np.maximum(np.floor(out * GRID - SLACK), 0).astype(np.int64)
        return Strategy(self._rows(behaviour, choice), worths, worth)

    def _rounded(self, least: float, adversarial: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """The solution in shares without what is less likely than `least`, what it gets in each world, and in all."""
        behaviour, choice = np.zeros(self.sequences, np.int64), np.zeros(self.plan_shares.shape, np.int64)
        round_shares(self.decisions.first, self.plan, self.plan_shares, least, SHARES, behaviour, choice)
        reach, share, shares = np.zeros(self.infosets), np.zeros(self.sequences), np.zeros(self.plan_shares.shape)
        spread_shares(self.decisions, behaviour / SHARES, choice / SHARES, reach, share, shares)
        out = np.zeros(len(self.weights))
        evaluate(self.field.answers, self.decisions, self.vectors, share, self.picks, shares, out)
        worth = out[self.weights > 0].min() if adversarial else out @ self.weights
        return behaviour, choice, out, float(worth)

    def _rows(self, behaviour: np.ndarray, choice: np.ndarray) -> Rows:
        """A rounded strategy as rows; those that nothing leads to are left out."""
        first, cell, down = (array.tolist() for array in self.decisions)
        used = {0}
        for i in range(self.infosets):  # a failed try leads to a later infoset
            if i in used:
                used |= {down[s] for s in range(first[i], first[i + 1]) if behaviour[s] and down[s] >= 0}
        numbers = {i: number for number, i in enumerate(sorted(used))}
        rows: Rows = []
        for i in numbers:
            tries = [s for s in range(first[i], first[i + 1]) if behaviour[s]]
            rows.append([(cell[s], int(behaviour[s]), numbers.get(down[s]), self._jump(s, choice[s])) for s in tries])
        return rows

    def _jump(self, s: int, choice: np.ndarray) -> list[tuple[int, int, int]]:
        """The nodes that a sequence goes on by."""
        sources = self.sources[int(self.decisions.cell[s])]
        shares = [
            (sources[row], int(share)) for row, share in zip(self.picks[s].tolist(), choice, strict=True) if share
        ]
        return [(node, turn, share) for (node, turn), share in shares if node >= 0]
