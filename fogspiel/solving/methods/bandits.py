"""Matrix games by learning players: Grigoriadis and Khachiyan 1995, and EXP3.

Both players draw a row and a column at every step. In Grigoriadis and Khachiyan's method a player then observes the
payoffs of all its strategies against the opponent's draw; in EXP3 (Auer, Cesa-Bianchi, Freund and Schapire 2002, in
the form of Bubeck and Cesa-Bianchi 2012, section 3.1) only that of its own draw. So a step reads a row and a column of
the table, or one cell. The results are evaluated by best responses like any other solution.

With payoffs of span 1, T steps, m rows and n columns, the mean gap is at most
    Grigoriadis and Khachiyan: sqrt(ln(m n) / T), here by the bound of two Hedge players on sampled payoffs;
    EXP3: sqrt(2 m ln m / T) + sqrt(2 n ln n / T), of the mixtures averaged over all runs.
"""

import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass

import numpy as np

from ...core.compile.kernel import kernel
from ...core.rng import random_unit, stream_of
from ..reduce.presolve import ReducedGame
from ..solution import SolverProgress, SolverState
from ..tree.sequence_form import SequenceForm, behaviour_of, guaranteed_value
from .tree import Find, Search, TreeEquilibrium

KHACHIYAN, EXP3 = "grigoriadis-khachiyan", "exp3"
FIRST_STEPS, LONGER = 1 << 10, 4  # steps of the first trial, and the growth factor of the following ones
MAX_STEPS = 1 << 34  # steps of the longest trial
SLICE = 1 << 18  # steps between two checks of the clock
SEED = 1995


@kernel
def soft_max(scores, out):
    most, total = scores[0], 0.0
    for k in range(1, len(scores)):
        most = max(most, scores[k])
    for k in range(len(scores)):
        out[k] = math.exp(scores[k] - most)
        total += out[k]
    for k in range(len(scores)):
        out[k] /= total


@kernel
def draw(chances, stream):
    u, place = random_unit(stream), 0
    while place < len(chances) - 1 and u >= chances[place]:
        u -= chances[place]
        place += 1
    return place


@kernel
def step_by_payoffs(payoffs, rate, row_scores, column_scores, row_sums, column_sums, steps, stream):
    """Play steps in which both observe the payoffs of all their strategies; count the strategies played."""
    rows, columns = np.empty(len(row_scores)), np.empty(len(column_scores))
    for _ in range(steps):
        soft_max(row_scores, rows)
        soft_max(column_scores, columns)
        i, j = draw(rows, stream), draw(columns, stream)
        row_sums[i] += 1
        column_sums[j] += 1
        for k in range(len(rows)):
            row_scores[k] += rate * payoffs[k, j]
        for k in range(len(columns)):
            column_scores[k] -= rate * payoffs[i, k]


@kernel
def step_by_cells(payoffs, row_rate, column_rate, row_scores, column_scores, row_sums, column_sums, steps, stream):
    """Play steps in which both observe only their own payoff; sum the probabilities played."""
    rows, columns = np.empty(len(row_scores)), np.empty(len(column_scores))
    for _ in range(steps):
        soft_max(row_scores, rows)
        soft_max(column_scores, columns)
        i, j = draw(rows, stream), draw(columns, stream)
        for k in range(len(rows)):
            row_sums[k] += rows[k]
        for k in range(len(columns)):
            column_sums[k] += columns[k]
        row_scores[i] -= row_rate * (1.0 - payoffs[i, j]) / rows[i]
        column_scores[j] -= column_rate * payoffs[i, j] / columns[j]


@dataclass(frozen=True, eq=False)
class BanditRun:
    """A run of one of the methods for a fixed number of steps."""

    method: str
    payoffs: np.ndarray  # of the first player, from 0 to 1
    steps: int

    @property
    def rate(self) -> float:
        """The proven rate of the mean gap, in units of the span of the payoffs."""
        height, width = self.payoffs.shape
        if self.method == KHACHIYAN:
            return math.sqrt(math.log(height * width) / self.steps)
        return sum(math.sqrt(2 * count * math.log(count) / self.steps) for count in (height, width))

    def play(self) -> Generator[int, None, tuple[np.ndarray, np.ndarray]]:
        """Return the mean mixtures of both; yield the number of finished steps."""
        sizes, stream = self.payoffs.shape, stream_of(SEED, self.steps)
        scores, sums = [np.zeros(size) for size in sizes], [np.zeros(size) for size in sizes]
        for done in range(0, self.steps, SLICE):
            if done:
                yield done
            count = min(SLICE, self.steps - done)
            if self.method == KHACHIYAN:
                rate = 2 * math.sqrt(math.log(sizes[0] * sizes[1]) / self.steps)
                step_by_payoffs(self.payoffs, rate, *scores, *sums, count, stream)
            else:
                rates = [math.sqrt(2 * math.log(size) / (size * self.steps)) for size in sizes]
                step_by_cells(self.payoffs, *rates, *scores, *sums, count, stream)
        return sums[0] / self.steps, sums[1] / self.steps


def table_of(form: SequenceForm) -> np.ndarray:
    if max(treeplex.infosets for treeplex in form.treeplexes) > 1:
        counts = " and ".join(str(treeplex.infosets) for treeplex in form.treeplexes)
        raise ValueError(
            f"{KHACHIYAN} and {EXP3} are for matrix games, in which each player decides once: here there are {counts} "
            "decisions; solve it by --method lp or cfr+, or write it as a matrix with `fogspiel export-game`"
        )
    table = np.zeros([treeplex.sequences for treeplex in form.treeplexes])
    table[form.rows, form.columns] = form.payoffs / form.denominator
    for axis, treeplex in enumerate(form.treeplexes):
        if treeplex.infosets:  # a payoff without a decision applies to all
            first, rest = np.split(table, [1], axis)
            table = rest + first
    return table


def trials(method: str, payoffs: np.ndarray, gap: float, span: float = 1.0) -> Iterator[BanditRun]:
    """Yield longer and longer trials; none if the proven rate shows that the gap is out of reach."""
    trial = BanditRun(method, payoffs, FIRST_STEPS)
    needed = FIRST_STEPS * (trial.rate * span / gap) ** 2
    if needed > MAX_STEPS:
        least = trial.rate * span * math.sqrt(FIRST_STEPS / MAX_STEPS)
        raise ValueError(
            f"{method} may take {needed:.0e} steps to a gap of {gap:g}: give a --gap of at least {least:.1g}"
        )
    yield trial
    while trial.steps < MAX_STEPS:
        trial = BanditRun(method, payoffs, LONGER * trial.steps)
        yield trial


def by_bandit(method: str, gap: float) -> Find:
    """Make the search of a matrix game by one of the methods until the bounds are close enough."""

    def search(reduced: ReducedGame, saved: SolverState) -> Search:
        form = reduced.form
        table = table_of(form)
        least, span = float(table.min()), float(np.ptp(table)) or 1.0
        begin = int(saved.state or 0)
        for trial in trials(method, (table - least) / span, gap, span):
            if trial.steps < begin:
                continue
            playing = trial.play()
            while True:
                try:
                    done = next(playing)
                except StopIteration as end:
                    mixtures = end.value
                    break
                yield SolverProgress(f"{method}, {done} of {trial.steps} steps", state=str(trial.steps).encode())
            plans = [
                np.concatenate([[1.0], mixture]) if treeplex.infosets else np.ones(1)
                for mixture, treeplex in zip(mixtures, form.treeplexes, strict=True)
            ]
            lower, upper = guaranteed_value(form, plans[0], plans[1])
            words = f"{method}, {trial.steps} steps (proven mean gap: at most {span * trial.rate:.3g})"
            yield SolverProgress(words, lower, upper, state=str(trial.steps).encode())
            if upper - lower <= gap:
                break
        first, second = (behaviour_of(treeplex, plan) for treeplex, plan in zip(form.treeplexes, plans, strict=True))
        return TreeEquilibrium(words, reduced.lift(first, second), {"reduced": form.sizes, "steps": trial.steps})

    return search
