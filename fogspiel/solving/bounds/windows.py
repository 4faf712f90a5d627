"""Windows of one turn, solved at a point with the existing vectors: they give strategies, vectors and points."""

from dataclasses import dataclass

import numpy as np

from ...core.compile.kernel import inlined, kernel
from ...games.boards.board import GOES_ON, ILLEGAL, WINS
from .and_or_search import Fields
from .window_regrets import (
    BARRED,
    LOW,
    Decisions,
    Plan,
    Setting,
    Sums,
    Vectors,
    answer_values,
    best_rows,
    empty_cells,
    evaluate,
    regret_matching,
    round_shares,
    spread_shares,
    visited,
    worst_replies,
)

# Vectors of a planner: the values of strategies in each world, by the planner's stones.
#
# An opponent that sees the board at each of the planner's turns leaves a one-sided partially observable stochastic
# game, whose value is the maximum of linear functions of the belief (Horak, Bosansky and Pechoucek 2017): a vector has
# the guarantee of one strategy in each world, and a window solved at a point, a belief, gives the vector that is best
# there.

GRID = 10**5  # vectors are rounded down to multiples of 1 / GRID
SHARES = 500  # probabilities of a strategy are multiples of 1 / SHARES
Pick = tuple[int, int, int]  # continuation: a node, the symmetry that leads to it, its probability times SHARES
# For each try: a cell, its probability times SHARES, the row if it is illegal, and the continuation if it is legal.
Rows = list[list[tuple[int, int, int | None, list[Pick]]]]


@dataclass(frozen=True)
class VectorNode:
    """A strategy of one turn from own stones on, in canonical form, and its vector in units of 1 / GRID."""

    own: int
    rows: Rows
    worths: np.ndarray


@dataclass(frozen=True, eq=False)
class BeliefPoint:
    """Own stones in canonical form, and the weights of all worlds beside them."""

    own: int
    weights: np.ndarray


class VectorSet:
    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.nodes: list[VectorNode] = []
        self.by_own: dict[int, list[int]] = {}
        # By the number of own stones: the hoped-for fraction of the wins with perfect information.
        self.hopes: dict[int, float] = {}
        self._tables: dict[int, np.ndarray] = {}

    def add(self, node: VectorNode) -> int:
        number = len(self.nodes)
        self.nodes.append(node)
        self.by_own.setdefault(node.own, []).append(number)
        self._tables.pop(node.own, None)
        return number

    def table(self, own: int) -> np.ndarray:
        if own not in self._tables:
            rows = [self.nodes[number].worths for number in self.by_own.get(own, [])]
            self._tables[own] = np.array(rows, float) / GRID
        return self._tables[own]

    def worth(self, point: BeliefPoint) -> float:
        found = self.table(point.own)
        return float((found @ point.weights).max()) if len(found) else 0.0


# Subtracted from a float, in units of the grid, before it is rounded down: far more than rounding errors.
SLACK = 1e-3
MAX_INFOSETS, MAX_SEQUENCES = 4000, 40000
MAX_PICKS = 6  # candidate vectors of a sequence
ROUNDS = 3  # rounds of the search for better vectors
PRUNE = (0.1, 0.04, 0.015, 0.005)  # pruning thresholds for probabilities; the one that costs least is used
MIN_CHANCE = 1e-3  # less likely sequences lead to no point


@inlined
def all_fail(outcomes, k, cells):
    """True if a try of each of some cells (bits) is illegal in world k."""
    fail = True
    for c in range(outcomes.shape[1]):
        if (cells >> c) & 1 and outcomes[k, c] != ILLEGAL:
            fail = False
    return fail


@kernel
def build_infosets(weights, outcomes, scores, own, width, failed, first, cell, down):
    """Number the planner's infosets and sequences, and return the size of both.

    Each infoset has the `width` most promising tries, or a dominating one alone. Return zero infosets without space.
    """
    worlds, cells = outcomes.shape
    infosets, sequences = 1, 0
    failed[0], first[0] = 0, 0
    worth, wins, going = np.zeros(cells), np.zeros(cells, np.int64), np.zeros(cells, np.int64)
    begin, end = 0, 1  # infosets come in layers, by the number of failed tries
    while begin < end:
        for i in range(begin, end):
            worth[:] = 0.0
            wins[:] = 0
            going[:] = 0
            for k in range(worlds):
                if weights[k] <= 0.0 or not all_fail(outcomes, k, failed[i]):
                    continue
                for c in range(cells):
                    worth[c] += weights[k] * scores[k, c]
                    wins[c] += outcomes[k, c] == WINS
                    going[c] += outcomes[k, c] == GOES_ON
            first[i] = sequences
            forced = -1
            for c in range(cells):
                if wins[c] > 0 and going[c] == 0 and not ((own | failed[i]) >> c) & 1:
                    forced = c
                    break
            taken = 0
            for _ in range(width if forced < 0 else 1):
                best = forced
                if forced < 0:
                    for c in range(cells):
                        if (taken >> c) & 1 or wins[c] + going[c] == 0:
                            continue
                        if best < 0 or worth[c] > worth[best] + LOW:
                            best = c
                if best < 0:
                    break
                taken |= 1 << best
            for c in range(cells):
                if not (taken >> c) & 1:
                    continue
                if sequences >= len(cell):
                    return 0, 0
                cell[sequences] = c
                down[sequences] = -1
                after = failed[i] | (1 << c)
                possible = False
                for k in range(worlds):
                    if weights[k] > 0.0 and all_fail(outcomes, k, after):
                        possible = True
                        break
                if possible:
                    for j in range(end, infosets):
                        if failed[j] == after:
                            down[sequences] = j
                    if down[sequences] < 0:
                        if infosets + 1 >= len(failed):
                            return 0, 0
                        failed[infosets] = after
                        down[sequences] = infosets
                        infosets += 1
                sequences += 1
        begin = end
        end = infosets
    first[infosets] = sequences
    return infosets, sequences


@dataclass(frozen=True, eq=False)
class WindowStrategy:
    rows: Rows
    worths: np.ndarray
    worth: float  # its value at the point, or in the worst world if the opponent chooses the world


class Window:
    """A window from a point on; `sequences` is 0 if there is nothing to try, or too much."""

    def __init__(self, library: VectorSet, point: BeliefPoint, width: int, hopeful: bool) -> None:
        """Build the window; `hopeful` adds hypothetical vectors, part of the wins with perfect information."""
        fields = self.fields = library.fields
        field = self.field = fields.field(point.own)
        self.library, self.weights, cells = library, point.weights, fields.board.cells
        # For each stone: the node and the symmetry behind every row of its table, -1 for none.
        self.sources: list[list[tuple[int, int]]] = []
        tables = [self._table(stone, hopeful) for stone in range(cells)]
        self.rows = np.array([len(table) for table in tables], np.int64)
        base = np.r_[0, np.cumsum([table.size for table in tables])[:-1]].astype(np.int64)
        self.vectors = Vectors(base, field.wide, np.concatenate([table.ravel() for table in tables]))
        failed, first = np.zeros(MAX_INFOSETS, np.int64), np.zeros(MAX_INFOSETS + 1, np.int64)
        cell, down = np.zeros(MAX_SEQUENCES, np.int64), np.zeros(MAX_SEQUENCES, np.int64)
        self.infosets, self.sequences = build_infosets(
            point.weights, field.answers.outcomes, field.scores, point.own, width, failed, first, cell, down
        )
        counts = self.sequences
        self.decisions = Decisions(first[: self.infosets + 1].copy(), cell[:counts].copy(), down[:counts].copy())
        self.setting = Setting(field.answers, self.decisions, self.vectors)
        self.picks, self.picked = np.zeros((counts, MAX_PICKS), np.int64), np.ones(counts, np.int64)
        beliefs = np.ones((counts, int(field.wide.max(initial=1))))
        self.sums = Sums(np.zeros(counts), np.zeros((counts, MAX_PICKS)), beliefs)

    def _table(self, stone: int, hopeful: bool) -> np.ndarray:
        """Return the vectors after a stone, one per row, over the worlds after it; the first pays nothing."""
        sources, wide = [(-1, 0)], int(self.field.wide[stone])
        rows = [np.zeros((1, wide))]
        if wide:
            own, turns = self.fields.image(self.field.own | 1 << stone)
            if hopeful:
                sources.append((-1, 0))
                hopes = self.fields.hopes(own)[self.fields.ranks(self.field, stone, turns[0])]
                rows.append(self.library.hopes.get(own.bit_count(), 1.0) * hopes[None, :])
            found = self.library.table(own)
            if len(found):
                for turn in turns:
                    sources += [(number, turn) for number in self.library.by_own[own]]
                    rows.append(found[:, self.fields.ranks(self.field, stone, turn)])
        self.sources.append(sources)
        return np.concatenate(rows)

    def solve(self, iterations: int, adversarial: bool = False) -> None:
        """Repeat regret matching with the best vectors so far; `adversarial`: the opponent chooses a weighted world."""
        chosen = np.zeros(self.sequences, np.int64)
        for turn in range(ROUNDS + 1):
            best_rows(self.decisions.cell, self.vectors, self.rows, self.sums.beliefs, chosen)
            known = (self.picks == chosen[:, None]) & (np.arange(MAX_PICKS) < self.picked[:, None])
            new = np.flatnonzero(~known.any(axis=1) & (self.picked < MAX_PICKS))
            self.picks[new, self.picked[new]] = chosen[new]
            self.picked[new] += 1
            for total in self.sums:
                total[:] = 0
            steps = iterations if turn == ROUNDS else iterations // 4
            regret_matching(steps, adversarial, self.weights, self.setting, self.picks, self.picked, self.sums)
        for total in self.sums:
            total /= iterations * (iterations + 1) // 2

    def points_after(self) -> list[tuple[float, BeliefPoint]]:
        """Return the points of the next turn that the solution leads to, with their probabilities."""
        plan, _, beliefs = self.sums
        masses, found = beliefs.sum(axis=1), []
        for s in np.flatnonzero((plan > MIN_CHANCE) & (masses > MIN_CHANCE)).tolist():
            stone = int(self.decisions.cell[s])
            own, turns = self.fields.image(self.field.own | 1 << stone)
            weights = np.zeros(len(self.fields.worlds_beside(own)))
            belief = beliefs[s, : int(self.field.wide[stone])]
            weights[self.fields.ranks(self.field, stone, turns[0])] = belief / belief.sum()
            found.append((float(plan[s] * masses[s]), BeliefPoint(own, weights)))
        return found

    def strategy(self, adversarial: bool = False) -> WindowStrategy:
        """Return the best of several roundings of the solution, with its vector."""
        found = [self._rounded(least, adversarial) for least in PRUNE]
        behaviour, choice, out, worth = max(found, key=lambda one: one[3])
        worths = np.maximum(np.floor(out * GRID - SLACK), 0).astype(np.int64)
        return WindowStrategy(self._rows(behaviour, choice), worths, worth)

    def _rounded(self, least: float, adversarial: bool) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """Return the solution in shares, pruned below `least`, and its value in each world and overall."""
        plan, plan_shares, _ = self.sums
        behaviour, choice = np.zeros(self.sequences, np.int64), np.zeros(plan_shares.shape, np.int64)
        round_shares(self.decisions.first, plan, plan_shares, least, SHARES, behaviour, choice)
        reach, share, shares = np.zeros(self.infosets), np.zeros(self.sequences), np.zeros(plan_shares.shape)
        spread_shares(self.decisions, behaviour / SHARES, choice / SHARES, reach, share, shares)
        out = np.zeros(len(self.weights))
        evaluate(self.setting, Plan(share, self.picks, shares), out)
        worth = out[self.weights > 0].min() if adversarial else out @ self.weights
        return behaviour, choice, out, float(worth)

    def _rows(self, behaviour: np.ndarray, choice: np.ndarray) -> Rows:
        """Return a rounded strategy as rows; unreachable ones are left out."""
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
        sources = self.sources[int(self.decisions.cell[s])]
        shares = zip((sources[row] for row in self.picks[s].tolist()), choice.tolist(), strict=True)
        return [(node, turn, share) for (node, turn), share in shares if share and node >= 0]


# Demands of a one-turn window strategy on the vectors that continue it.


@kernel
def demand_worths(setting, plan, wanted, demanded):
    """Raise `demanded`, laid out like the table of the vectors, to what gives the planner `wanted[k]` in each world k.

    After an answer that gives the planner more than it needs, the least important stones can be dropped, and less of
    the others suffices. For each world in which more is wanted than is won at once:

    1. the guaranteed value of each stone, against the best response of an opponent that has found it;
    2. for each answer of the opponent, which stones are needed and what part of them;
    3. what is needed of a reply where the opponent has found the stone: only the least counts;
    4. raise the demand on every vector that continues the strategy.
    """
    (outcomes, leaf, free), (first, cell, _), (base, wide, table) = setting
    picks, shares, cells = plan.picks, plan.shares, outcomes.shape[1]
    inside = np.zeros(len(first) - 1, np.bool_)
    value, live = np.zeros((cells, cells)), np.zeros(cells, np.bool_)
    low, part, need, need_low = np.zeros(cells), np.zeros(cells), np.zeros((cells, cells)), np.zeros(cells)
    for k in range(len(wanted)):
        if wanted[k] <= 0.0:
            continue
        visited(k, setting, inside)
        won = answer_values(k, setting, plan, inside, value, live)
        target, empty = wanted[k] - won, empty_cells(k, free)
        if target <= 0.0:
            continue
        worst_replies(k, setting.answers, value, live, low)  # 1.
        need_low[:] = 0.0
        need[:] = 0.0
        # 2. Drop the least of the stones while the target is met without it, then scale down all others.
        for d in empty:
            total, possible = 0.0, False
            for c in range(cells):
                part[c] = 0.0
                if live[c]:
                    possible = possible or leaf[k, c, d] != BARRED
                    part[c] = low[c] if leaf[k, c, d] == BARRED else value[c, d]
                    total += part[c]
            if not possible:
                continue
            while True:
                least = -1
                for c in range(cells):
                    if part[c] > 0.0 and (least < 0 or part[c] < part[least]):
                        least = c
                if least < 0 or total - part[least] < target:
                    break
                total -= part[least]
                part[least] = 0.0
            scale = min(target / total, 1.0) if total > 0.0 else 1.0
            for c in range(cells):
                if part[c] > 0.0:
                    if leaf[k, c, d] == BARRED:
                        need_low[c] = max(need_low[c], scale)
                    else:
                        need[c, d] = max(need[c, d], scale)
        # 3. A reply that gives more than the worst one needs only as much of it.
        for c in range(cells):
            if need_low[c] > 0.0:
                for d in empty:
                    if leaf[k, c, d] >= 0 and value[c, d] > 0.0:
                        need[c, d] = max(need[c, d], need_low[c] * low[c] / value[c, d])
        # 4. The demands.
        for i in range(len(inside)):
            if not inside[i]:
                continue
            for s in range(first[i], first[i + 1]):
                c = cell[s]
                for d in empty:
                    if live[c] and leaf[k, c, d] >= 0 and need[c, d] > 0.0:
                        for j in range(picks.shape[1]):
                            if shares[s, j] > 0.0:
                                at = base[c] + picks[s, j] * wide[c] + leaf[k, c, d]
                                demanded[at] = max(demanded[at], need[c, d] * table[at])
