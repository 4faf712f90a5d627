"""From a tree to an equilibrium: by the simplex method, by sequences that are generated, or by regret minimisation.

Each is a generator that tells how far it is and can be resumed; it works on the reduced game that presolve leaves.
"""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf
from typing import Protocol

import numpy as np

from .cfr import METHODS, Bounds, Regrets
from .colour_refinement import refine
from .double_oracle import double_oracle
from .exact_basis import vertex
from .formats.nfg import payoff_table, plans, strategies
from .fractions import Exact, exact_from, exact_of
from .lemke_howson import lemke_howson
from .lp import Simplex, basis_statuses, planner_of
from .presolve.pipeline import Reduced
from .progress import Progress, Record, Saved
from .row_generation import Growth, lazy
from .sequence_form import SequenceForm, behaviour_of, guaranteed_value
from .sequence_lp import plans_of, program_of
from .solution import Size

SMALL_ENOUGH = 2_000_000  # nonzeros of a program up to which `auto` trusts the simplex method
SLICE = 2_000  # simplex iterations between two savings
# Iterations of regret minimisation before bounds are looked at for the first time; then always twice as many.
FIRST_CHECK = 16


@dataclass(frozen=True, eq=False)
class Found:
    """Result of a route: behaviour strategies in the numbering of the tree."""

    solver: str  # what was done, in words
    behaviours: tuple[np.ndarray, np.ndarray]
    sizes: Mapping[str, Size] = field(default_factory=dict)
    # The same in fractions for the reduced game, where there is a vertex to start from.
    exactly: Callable[[], Exact] | None = None


Search = Generator[Progress, None, Found]
Find = Callable[[Reduced, Saved], Search]  # how to search a reduced game, going on from what was saved


def by_simplex(reduced: Reduced, saved: Saved) -> Search:
    """The vertex of the smallest program that describes the game."""
    form = reduced.form
    planner = planner_of(form)
    program = program_of(form, planner)
    quotient = refine(program)
    small = quotient.program
    simplex = Simplex(small, saved.state)
    while not simplex.advance(SLICE):
        yield Progress(f"simplex, {simplex.iterations} iterations", state=simplex.basis)
    point = simplex.point
    plans = plans_of(form, planner, *quotient.lift(point.primal, point.dual))
    first, second = (behaviour_of(treeplex, plan) for treeplex, plan in zip(form.treeplexes, plans, strict=True))
    sizes = {"reduced": form.sizes, "program": program.sizes, "quotient": small.sizes}
    solver = f"simplex on the sequence form ({small.height} x {small.width}), player {planner + 1} plans"

    def exactly() -> Exact:
        columns, rows = np.arange(small.width), np.arange(small.height)
        corner = vertex(small, basis_statuses(small, simplex.basis), columns, rows)
        if corner is None:
            return exact_of(form, planner, replace(point, basis=None))
        primal, dual = quotient.lift(*corner)
        mine, theirs = primal[: form.treeplexes[planner].sequences], dual[1 + form.treeplexes[planner].infosets :]
        return exact_from(form, *((theirs, mine) if planner else (mine, theirs)))

    lower, upper = guaranteed_value(form, *plans)
    yield Progress("optimal", lower, upper)
    return Found(solver, reduced.lift(first, second), sizes, exactly)


MOST_STRATEGIES = 500  # pure strategies of either player that Lemke and Howson's algorithm takes


def by_lemke_howson(reduced: Reduced, saved: Saved) -> Search:
    """Complementary pivoting on the normal form of the reduced game."""
    form = reduced.form
    heights = [strategies(treeplex) for treeplex in form.treeplexes]
    if max(heights) > MOST_STRATEGIES:
        raise ValueError(
            f"--method lemke-howson takes {MOST_STRATEGIES} pure strategies of each player at most, and this game "
            "has more: take --method lp"
        )
    yield Progress(f"a table of {heights[0]} by {heights[1]} strategies")
    listed = [plans(treeplex) for treeplex in form.treeplexes]
    table = payoff_table(form, *listed)
    found = lemke_howson(table, [[-cell for cell in row] for row in table])
    exact_plans = [
        _mixed_plan(treeplex.sequences, pure, mixture)
        for treeplex, pure, mixture in zip(form.treeplexes, listed, (found.rows, found.columns), strict=True)
    ]
    exact = exact_from(form, *exact_plans)
    x, y = (
        behaviour_of(treeplex, np.array(plan, float))
        for treeplex, plan in zip(form.treeplexes, exact_plans, strict=True)
    )
    solver = f"Lemke-Howson on the normal form ({heights[0]} x {heights[1]}), {found.pivots} pivots"
    yield Progress("an equilibrium", float(exact.lower), float(exact.upper))
    return Found(solver, reduced.lift(x, y), {"reduced": form.sizes, "normal_form": heights}, lambda: exact)


def _mixed_plan(sequences: int, pure: list[tuple[int, ...]], mixture: list[Fraction]) -> list[Fraction]:
    """The realisation plan of a mixture of pure strategies."""
    plan = [Fraction(0)] * sequences
    for chosen, weight in zip(pure, mixture, strict=True):
        for sequence in chosen if weight else ():
            plan[sequence] += weight
    return plan


class Grow(Protocol):
    """Restricted games that grow, after the records of earlier rounds."""

    def __call__(self, form: SequenceForm, *, records: Sequence[Record]) -> Iterator[Growth]: ...


def by_growth(words: str, grow: Grow) -> Find:
    """Make the search by restricted games that grow; every round is a row."""

    def search(reduced: Reduced, saved: Saved) -> Search:
        last = None
        for last in grow(reduced.form, records=saved.rows):
            remark = f"round {last.number}, {last.generated[0]} and {last.generated[1]} sequences"
            yield Progress(remark, last.lower, last.upper, last.record)
        assert last is not None
        sizes: Mapping[str, Size] = {"reduced": reduced.form.sizes, "generated": list(last.generated)}
        return Found(f"{words}, {last.number} rounds", reduced.lift(*last.behaviours), sizes)

    return search


by_growth_of_one = by_growth("lazy one-sided growth", lazy)
by_growth_of_both = by_growth("double oracle", double_oracle)


NO_BOUNDS = Bounds(-inf, inf, np.empty(0), np.empty(0))


@dataclass
class Runner:
    """One of the regret minimisers that run side by side."""

    regrets: Regrets
    stalls: int = 0
    bounds: Bounds = NO_BOUNDS

    @property
    def promise(self) -> float:
        """The gap, doubled for every time that twice as many iterations did not halve it."""
        return self.bounds.gap * 2.0**self.stalls


def by_regrets(names: Iterable[str], gap: float) -> Find:
    """Make the search by regret minimisation until the bounds are close enough.

    The most promising method has its iterations doubled. Each side has the best strategy that any of them found.
    """

    def search(reduced: Reduced, saved: Saved) -> Search:
        form = reduced.form
        runners = [Runner(Regrets(form, name)) for name in names]
        if saved.state is not None:
            _restore(runners, saved.state)
        for runner in runners:
            runner.regrets.advance(max(0, FIRST_CHECK - runner.regrets.iterations))
            runner.bounds = runner.regrets.gap()
        while True:
            first = max(runners, key=lambda runner: runner.bounds.lower)
            second = min(runners, key=lambda runner: runner.bounds.upper)
            lower, upper = first.bounds.lower, second.bounds.upper
            runner = min(runners, key=lambda runner: runner.promise)
            regrets = runner.regrets
            remark = f"{regrets.method}, {regrets.iterations} iterations"
            if upper - lower <= gap:
                break
            yield Progress(remark, lower, upper, state=_state(runners))
            before = runner.bounds.gap
            regrets.advance(regrets.iterations)
            runner.bounds = regrets.gap()
            runner.stalls += runner.bounds.gap > before / 2
        yield Progress(remark, lower, upper)
        used = ", ".join(f"{runner.regrets.method} {runner.regrets.iterations}" for runner in runners)
        behaviours = reduced.lift(first.bounds.first, second.bounds.second)
        return Found(f"regret minimisation ({used} iterations)", behaviours, {"reduced": form.sizes})

    return search


def by_whatever_suits(gap: float) -> Find:
    """Make the default search: the simplex method if the game is small, else regret minimisation."""

    def search(reduced: Reduced, saved: Saved) -> Search:
        small = len(reduced.form.payoffs) <= SMALL_ENOUGH
        return (by_simplex if small else by_regrets(METHODS, gap))(reduced, saved)

    return search


def _state(runners: list[Runner]) -> bytes:
    """All runners as bytes."""
    body = [[runner.stalls, b64encode(runner.regrets.state).decode()] for runner in runners]
    return zlib.compress(json.dumps(body).encode(), 1)


def _restore(runners: list[Runner], state: bytes) -> None:
    for runner, (stalls, regrets) in zip(runners, json.loads(zlib.decompress(state)), strict=True):
        runner.regrets.restore(b64decode(regrets))
        runner.stalls = stalls
