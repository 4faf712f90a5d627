"""Methods on the normal form: Lemke and Howson's algorithm, and two learning players.

The algorithm of Lemke and Howson (1964) solves bimatrix games in exact arithmetic. Both players' best-response
polytopes have a label for every pure strategy of either. From the two zero vectors, which have all labels, one label is
dropped; the duplicate label is then dropped in the opposite polytope, and so on, until the first label comes back (as
in von Stengel 2007). The game need not be zero-sum. Tableaux hold integers over one common denominator, and ties are
broken lexicographically, so the algorithm terminates in degenerate games too.
"""

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ...core.compile.kernel import kernel
from ...core.rng import random_unit, stream_of
from ..exact import exact_from, exact_worth, in_units
from ..reduce import ReducedGame
from ..tree.sequence_form import SequenceForm, Treeplex, behaviour_of, guaranteed_value, infosets_of
from . import Size, SolverProgress, SolverState
from .tree import SMALL_IF_WIDE, Find, Search, TreeEquilibrium

Matrix = Sequence[Sequence[int]]
MAX_PIVOTS = 100_000  # paths can be exponentially long (Savani and von Stengel 2006)


@dataclass(frozen=True)
class BimatrixEquilibrium:
    """A Nash equilibrium: a mixture of rows, one of columns, and the number of pivots."""

    rows: list[Fraction]
    columns: list[Fraction]
    pivots: int


class Tableau:
    """One polytope: the columns are the variables of all labels and the right-hand side, the rows the basic ones."""

    def __init__(self, table: Matrix, own: Sequence[int], slack: Sequence[int]) -> None:
        """Set up rows `sum over own variables + slack = 1`, all coefficients positive, with the labels of both."""
        size = len(own) + len(slack)
        self.basic = list(slack)
        self.rows = [[0] * (size + 1) for _ in slack]
        for k, line in enumerate(self.rows):
            for label, coefficient in zip(own, table[k], strict=True):
                line[label] = coefficient
            line[slack[k]] = 1
            line[size] = 1
        self.slack = list(slack)
        self.denominator = 1

    def pivot(self, entering: int) -> int:
        """Let the variable of a label enter, and return the label that leaves."""
        ratios = [k for k, line in enumerate(self.rows) if line[entering] > 0]
        # Ties are broken by the right-hand side, then by the columns of the first basis
        order = [-1, *self.slack]
        leaving = min(ratios, key=lambda k: [Fraction(self.rows[k][c], self.rows[k][entering]) for c in order])
        chosen, label = self.rows[leaving], self.basic[leaving]
        by = chosen[entering]
        for k, line in enumerate(self.rows):
            if k != leaving:
                factor = line[entering]
                self.rows[k] = [
                    (cell * by - factor * other) // self.denominator for cell, other in zip(line, chosen, strict=True)
                ]
        self.denominator = by
        self.basic[leaving] = entering
        return label

    def mixture(self, own: Sequence[int]) -> list[Fraction]:
        weight = {label: line[-1] for label, line in zip(self.basic, self.rows, strict=True)}
        total = sum(weight.get(label, 0) for label in own)
        return [Fraction(weight.get(label, 0), total) for label in own]


def lemke_howson(first: Matrix, second: Matrix, label: int = 0) -> BimatrixEquilibrium:
    """Find an equilibrium of the game in which the row player gets `first` and the column player `second`.

    Rows have the labels 0, 1, .., columns those that follow; the path starts by dropping `label`.
    """
    height, width = len(first), len(first[0]) if first else 0
    if not height or not width or any(len(row) != width for table in (first, second) for row in table):
        raise ValueError("both tables of payoffs must have the same rows and columns, at least one of each")
    if len(second) != height or not 0 <= label < height + width:
        raise ValueError(f"there are {height} rows and {width} columns: a label is from 0 to {height + width - 1}")
    rows, columns = range(height), range(height, height + width)
    lowest = min(min(map(min, table)) for table in (first, second))
    mine = [[cell - lowest + 1 for cell in row] for row in first]
    theirs = [[row[k] - lowest + 1 for row in second] for k in range(width)]
    # x >= 0, B' x <= 1 has the rows' variables and the columns' slacks; y >= 0, A y <= 1 vice versa
    polytopes = Tableau(theirs, rows, columns), Tableau(mine, columns, rows)
    turn = 0 if label in rows else 1
    entering, pivots = label, 0
    while pivots < MAX_PIVOTS:
        entering = polytopes[turn].pivot(entering)
        pivots += 1
        turn = 1 - turn
        if entering == label:
            return BimatrixEquilibrium(polytopes[0].mixture(rows), polytopes[1].mixture(columns), pivots)
    raise ValueError(f"the path is longer than {MAX_PIVOTS:,} pivots: take another method")


def is_equilibrium(first: Matrix, second: Matrix, found: BimatrixEquilibrium) -> bool:
    """True if no pure strategy of either player is better against the opponent's mixture."""
    gains = [sum(a * y for a, y in zip(row, found.columns, strict=True)) for row in first]
    costs = [sum(x * row[k] for x, row in zip(found.rows, second, strict=True)) for k in range(len(found.columns))]
    best = sum(x * g for x, g in zip(found.rows, gains, strict=True)) == max(gains)
    return best and sum(y * c for y, c in zip(found.columns, costs, strict=True)) == max(costs)


def whole_table(table: Sequence[Sequence[Fraction]]) -> list[list[int]]:
    """Return payoffs as integers, times their common denominator, which changes no best response."""
    unit = math.lcm(*(cell.denominator for row in table for cell in row))
    return [[int(cell * unit) for cell in row] for row in table]


def equilibrium_of(first: Matrix, second: Matrix) -> BimatrixEquilibrium:
    """Find an equilibrium of a table of limited size, or raise ValueError."""
    if max(len(first), len(first[0])) > MAX_STRATEGIES:
        raise ValueError(f"Lemke-Howson takes {MAX_STRATEGIES} strategies of each player at most: take a smaller table")
    return lemke_howson(first, second)


# Payoff tables: a reduced pure strategy picks an action wherever the player's own choices lead


def strategies(treeplex: Treeplex) -> int:
    below = [1] * treeplex.sequences
    for parent, first, count in reversed([*infosets_of(treeplex)]):
        below[parent] *= sum(below[first : first + count])
    return below[0]


def plans(treeplex: Treeplex) -> list[tuple[int, ...]]:
    """Return the reduced pure strategies of a player, each as its sequences by their number, the empty one first."""
    below: list[list[tuple[int, ...]]] = [[()] for _ in range(treeplex.sequences)]
    for parent, first, count in reversed([*infosets_of(treeplex)]):
        here = [(s, *rest) for s in range(first, first + count) for rest in below[s]]
        below[parent] = [mine + rest for mine in here for rest in below[parent]]
    return [(0, *sorted(plan)) for plan in below[0]]


def payoff_table(form: SequenceForm, rows: list[tuple[int, ...]], columns: list[tuple[int, ...]]) -> list[list[int]]:
    """Return the payoffs of rows against columns, times the denominator of the form."""
    wide = form.treeplexes[1].sequences
    padded = np.full((len(columns), max(len(plan) for plan in columns)), wide)
    for k, plan in enumerate(columns):
        padded[k, : len(plan)] = plan
    start = np.searchsorted(form.rows, np.arange(form.treeplexes[0].sequences + 1))
    table = []
    for plan in rows:
        worth = np.zeros(wide + 1, form.payoffs.dtype)
        for s in plan:
            cells = slice(start[s], start[s + 1])
            worth[form.columns[cells]] += form.payoffs[cells]
        table.append(worth[padded].sum(axis=1).tolist())
    return table


def mixed_plan(treeplex: Treeplex, pure: list[tuple[int, ...]], mixture: list[Fraction]) -> list[Fraction]:
    """Return the realisation plan of a mixture of pure strategies."""
    plan = [Fraction(0)] * treeplex.sequences
    for chosen, weight in zip(pure, mixture, strict=True):
        for sequence in chosen if weight else ():
            plan[sequence] += weight
    return plan


MAX_STRATEGIES = 500  # maximum pure strategies of either player for Lemke and Howson's algorithm


def by_lemke_howson(reduced: ReducedGame, saved: SolverState) -> Search:
    """Run complementary pivoting on the normal form of the reduced game."""
    form = reduced.form
    heights = [strategies(treeplex) for treeplex in form.treeplexes]
    if max(heights) > MAX_STRATEGIES:
        told = f"--method lemke-howson takes {MAX_STRATEGIES} pure strategies of each player at most"
        raise ValueError(f"{told}, and this game has more: take --method lp")
    yield SolverProgress(f"a table of {heights[0]} by {heights[1]} strategies")
    listed = [plans(treeplex) for treeplex in form.treeplexes]
    table = payoff_table(form, *listed)
    found = lemke_howson(table, [[-cell for cell in row] for row in table])
    exact_plans = [*map(mixed_plan, form.treeplexes, listed, (found.rows, found.columns))]
    exact = exact_from(form, *exact_plans)
    x, y = map(behaviour_of, form.treeplexes, (np.array(plan, float) for plan in exact_plans))
    solver = f"Lemke-Howson on the normal form ({heights[0]} x {heights[1]}), {found.pivots} pivots"
    yield SolverProgress("an equilibrium", float(exact.lower), float(exact.upper))
    return TreeEquilibrium(solver, reduced.lift(x, y), {"reduced": form.sizes, "normal_form": heights}, lambda: exact)


# Sums that do not fit into 64 bits: a double oracle over pure strategies (McMahan, Gordon and Blum 2003) in integers.

MAX_PLANS = 200  # pure strategies of a player that are generated; a table of more takes minutes


def by_fractions(reduced: ReducedGame, saved: SolverState) -> Search:
    """Generate best responses until neither player has a better one; all sums are in integers of any size."""
    form, rounds = reduced.form, 0
    if len(form.payoffs) > SMALL_IF_WIDE:
        told = f"{len(form.payoffs):,} payoffs whose sums do not fit into 64 bits are too many for an exact value"
        raise ValueError(f"{told}: take --method cfr+ for bounds in floats")
    pure = [[best_plan(treeplex, [0] * treeplex.sequences)] for treeplex in form.treeplexes]
    while True:
        rounds += 1
        table = payoff_table(form, *pure)
        found = lemke_howson(table, [[-cell for cell in row] for row in table])
        x, y = map(mixed_plan, form.treeplexes, pure, (found.rows, found.columns))
        exact = exact_from(form, x, y)
        yield SolverProgress(f"double oracle in integers, round {rounds}", float(exact.lower), float(exact.upper))
        if exact.proved:
            break
        for player, other in enumerate((y, x)):
            units = in_units(other)
            assert units is not None  # `exact_from` has found them
            answer = best_plan(form.treeplexes[player], exact_worth(form, 1 - player, units.weights))
            if answer not in pure[player]:
                pure[player].append(answer)
        if max(map(len, pure)) > MAX_PLANS:
            told = f"an exact value takes more than {MAX_PLANS} pure strategies of a player"
            raise ValueError(f"{told}: take --method cfr+ for bounds in floats")
    behaviours = map(behaviour_of, form.treeplexes, (np.array(plan, float) for plan in (x, y)))
    sizes: dict[str, Size] = {"reduced": form.sizes, "normal_form": list(map(len, pure))}
    solver = f"a double oracle in integers, {rounds} rounds"
    return TreeEquilibrium(solver, reduced.lift(*behaviours), sizes, lambda: exact)


def best_plan(treeplex: Treeplex, worth: list[int]) -> tuple[int, ...]:
    """Return the reduced pure strategy with the largest payoff, the first action among equal ones."""
    folded, chosen = list(worth), {0}
    rows = [*infosets_of(treeplex)]
    for parent, first, count in reversed(rows):
        folded[parent] += max(folded[first : first + count])
    for parent, first, count in rows:
        if parent in chosen:
            chosen.add(max(range(first, first + count), key=lambda s: folded[s]))
    return tuple(sorted(chosen))


# Matrix games by learning players: Grigoriadis and Khachiyan 1995, and EXP3.
#
# Both players draw a row and a column at every step. In Grigoriadis and Khachiyan's method a player then observes the
# payoffs of all its strategies against the opponent's draw; in EXP3 (Auer, Cesa-Bianchi, Freund and Schapire 2002, in
# the form of Bubeck and Cesa-Bianchi 2012, section 3.1) only that of its own draw. So a step reads a row and a column
# of the table, or one cell. The results are evaluated by best responses like any other solution.
#
# With payoffs of span 1, T steps, m rows and n columns, the mean gap is at most
#     Grigoriadis and Khachiyan: sqrt(ln(m n) / T), here by the bound of two Hedge players on sampled payoffs;
#     EXP3: sqrt(2 m ln m / T) + sqrt(2 n ln n / T), of the mixtures averaged over all runs.


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
def play_steps(payoffs, all_seen, rates, row_scores, column_scores, row_sums, column_sums, steps, stream):
    """Play steps in which both observe the payoffs of all their strategies, or only their own payoff.

    Count the strategies played in the first case, sum their probabilities in the second.
    """
    rows, columns = np.empty(len(row_scores)), np.empty(len(column_scores))
    for _ in range(steps):
        soft_max(row_scores, rows)
        soft_max(column_scores, columns)
        i, j = draw(rows, stream), draw(columns, stream)
        if all_seen:
            row_sums[i] += 1
            column_sums[j] += 1
            for k in range(len(rows)):
                row_scores[k] += rates[0] * payoffs[k, j]
            for k in range(len(columns)):
                column_scores[k] -= rates[1] * payoffs[i, k]
        else:
            for k in range(len(rows)):
                row_sums[k] += rows[k]
            for k in range(len(columns)):
                column_sums[k] += columns[k]
            row_scores[i] -= rates[0] * (1.0 - payoffs[i, j]) / rows[i]
            column_scores[j] -= rates[1] * payoffs[i, j] / columns[j]


@dataclass(frozen=True, eq=False)
class BanditRun:
    """A run of one of the methods for a fixed number of steps."""

    method: str
    payoffs: np.ndarray  # of the first player, from 0 to 1
    steps: int
    seed: int = SEED

    @property
    def rate(self) -> float:
        """The proven rate of the mean gap, in units of the span of the payoffs."""
        height, width = self.payoffs.shape
        if self.method == KHACHIYAN:
            return math.sqrt(math.log(height * width) / self.steps)
        return sum(math.sqrt(2 * count * math.log(count) / self.steps) for count in (height, width))

    def play(self) -> Generator[SolverProgress, None, tuple[np.ndarray, np.ndarray]]:
        """Return the mean mixtures of both; report the number of finished steps."""
        sizes, stream, all_seen = self.payoffs.shape, stream_of(self.seed, self.steps), self.method == KHACHIYAN
        scores, sums = [np.zeros(size) for size in sizes], [np.zeros(size) for size in sizes]
        rates = [math.sqrt(2 * math.log(size) / (size * self.steps)) for size in sizes]
        if all_seen:
            rates = [2 * math.sqrt(math.log(sizes[0] * sizes[1]) / self.steps)] * 2
        for done in range(0, self.steps, SLICE):
            if done:
                text = f"{self.method}, {done} of {self.steps} steps"
                yield SolverProgress(text, state=str(self.steps).encode())
            count = min(SLICE, self.steps - done)
            play_steps(self.payoffs, all_seen, tuple(rates), *scores, *sums, count, stream)
        return sums[0] / self.steps, sums[1] / self.steps


def table_of(form: SequenceForm) -> np.ndarray:
    if max(treeplex.infosets for treeplex in form.treeplexes) > 1:
        counts = " and ".join(str(treeplex.infosets) for treeplex in form.treeplexes)
        raise ValueError(
            f"{KHACHIYAN} and {EXP3} are for matrix games, in which each player decides once: here there are {counts} "
            "decisions; solve it by --method lp or cfr+, or write it as a matrix with `fogspiel export-game`"
        )
    table = np.zeros([treeplex.sequences for treeplex in form.treeplexes])
    table[form.rows, form.columns] = form.floats
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
        told = f"{method} may take {needed:.0e} steps to a gap of {gap:g}"
        raise ValueError(f"{told}: give a --gap of at least {least:.1g}")
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
            mixtures = yield from trial.play()
            plans = [
                np.concatenate([[1.0], mixture]) if treeplex.infosets else np.ones(1)
                for mixture, treeplex in zip(mixtures, form.treeplexes, strict=True)
            ]
            lower, upper = guaranteed_value(form, plans[0], plans[1])
            words = f"{method}, {trial.steps} steps (proven mean gap: at most {span * trial.rate:.3g})"
            yield SolverProgress(words, lower, upper, state=str(trial.steps).encode())
            if upper - lower <= gap:
                break
        behaviours = reduced.lift(*map(behaviour_of, form.treeplexes, plans))
        return TreeEquilibrium(words, behaviours, {"reduced": form.sizes, "steps": trial.steps})

    return search
