"""From a tree to an equilibrium: the routes there are, each a generator that tells how far it is and can be resumed.

| route | what it does |
|---|---|
| lp | presolve, colour refinement, then the simplex method; a vertex, so exact values can follow |
| cfr+, dcfr, pcfr+ | regret minimisation until the certified gap is small enough |
| lazy | linear programming with the rows of one player generated when they are needed |
| double-oracle | both players' sequences generated when they are needed |
| auto | lp if the reduced game is small enough for it, else the three regret minimisers, whichever does best |
"""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any, NamedTuple

import numpy as np

from .cfr import METHODS, Bounds, Regrets
from .colour_refinement import refine
from .double_oracle import double_oracle
from .exact_basis import vertex
from .fractions import Exact, exact_from, exact_of
from .lp import Simplex, basis_statuses, guaranteed_value, planner_of
from .presolve.pipeline import Lift, Reduced, presolve_tree
from .row_generation import Growth, lazy
from .sequence_form import behaviour_of
from .sequence_lp import plans_of, program_of
from .tree import Tree

ROUTES = ("auto", "lp", *METHODS, "lazy", "double-oracle")
WITH_VERTEX = ("auto", "lp")
SMALL_ENOUGH = 2_000_000
"""Nonzeros of a program up to which `auto` trusts the simplex method."""
SLICE = 2_000
"""Simplex iterations between two savings."""
FIRST_CHECK = 16
"""Iterations of regret minimisation before bounds are looked at for the first time; then always twice as many."""

Pair = tuple[np.ndarray, np.ndarray]


class Progress(NamedTuple):
    """How far a route is: bounds where there are some, and what it takes to go on from here."""

    remark: str
    lower: float | None = None
    upper: float | None = None
    row: dict[str, Any] | None = None
    """A step to be kept for good."""
    state: bytes | None = None
    """All that matters, in place of what was kept before."""


@dataclass(frozen=True, eq=False)
class Found:
    """What a route arrived at: behaviour strategies in the numbering of the tree."""

    method: str
    """What was done, in words."""
    behaviours: Pair
    sizes: dict[str, Any] = field(default_factory=dict)
    exactly: Callable[[], Exact] | None = None
    """The same in fractions for the reduced game, where there is a vertex to start from."""
    lift: Lift | None = None
    """From the reduced game to the whole one."""


Route = Generator[Progress, None, Found]


class Saved(NamedTuple):
    """What an interrupted route left behind."""

    rows: Sequence[dict[str, Any]] = ()
    state: bytes | None = None


AFRESH = Saved()


def route(tree: Tree, name: str, gap: float, saved: Saved = AFRESH) -> Route:
    """The route of that name through the tree, from where it was left."""
    if name not in ROUTES:
        raise ValueError(f"there is no method {name!r}: it is {', '.join(ROUTES[:-1])} or {ROUTES[-1]}")
    yield Progress("presolve")
    reduced = presolve_tree(tree)
    if name == "auto":
        small = len(reduced.form.payoffs) <= SMALL_ENOUGH
        name = "lp" if small else "regret minimisation"
    if name == "lp":
        found = yield from by_simplex(reduced, saved.state)
    elif name == "lazy":
        found = yield from by_growth(reduced, "lazy one-sided growth", lazy(reduced.form, records=saved.rows))
    elif name == "double-oracle":
        found = yield from by_growth(reduced, "double oracle", double_oracle(reduced.form, records=saved.rows))
    else:
        names = tuple(METHODS) if name not in METHODS else (name,)
        found = yield from by_regrets(reduced, names, gap, saved)
    return found


def by_simplex(reduced: Reduced, basis: bytes | None) -> Route:
    """The vertex of the smallest program that describes the game."""
    form = reduced.form
    planner = planner_of(form)
    program = program_of(form, planner)
    quotient = refine(program)
    small = quotient.program
    simplex = Simplex(small, basis)
    while not simplex.advance(SLICE):
        yield Progress(f"simplex, {simplex.iterations} iterations", state=simplex.basis)
    point = simplex.point
    plans = plans_of(form, planner, *quotient.lift(point.primal, point.dual))
    behaviours = _behaviours(reduced, plans)
    sizes = {
        "reduced": form.sizes,
        "program": {"rows": program.height, "columns": program.width, "nonzeros": len(program.whole)},
        "quotient": {"rows": small.height, "columns": small.width, "nonzeros": len(small.whole)},
    }
    method = f"simplex on the sequence form ({small.height} x {small.width}), player {planner + 1} plans"

    def exactly() -> Exact:
        columns, rows = np.arange(small.width), np.arange(small.height)
        corner = vertex(small, basis_statuses(small, simplex.basis), columns, rows)
        if corner is None:
            return exact_of(form, planner, replace(point, basis=None))
        primal, dual = quotient.lift(*corner)
        mine, theirs = primal[: form.plexes[planner].sequences], dual[1 + form.plexes[planner].infosets :]
        return exact_from(form, *((theirs, mine) if planner else (mine, theirs)))

    lower, upper = guaranteed_value(form, *plans)
    yield Progress("optimal", lower, upper)
    return Found(method, behaviours, sizes, exactly, reduced.lift)


def by_growth(reduced: Reduced, words: str, rounds: Iterator[Growth]) -> Route:
    """Restricted games that grow; every round is a row."""
    last = None
    for last in rounds:
        remark = f"round {last.number}, {last.generated[0]} and {last.generated[1]} sequences"
        yield Progress(remark, last.lower, last.upper, last.record)
    assert last is not None
    sizes = {"reduced": reduced.form.sizes, "generated": list(last.generated)}
    return Found(f"{words}, {last.number} rounds", reduced.lift(*last.behaviours), sizes)


NO_BOUNDS = Bounds(-inf, inf, np.empty(0), np.empty(0))


@dataclass
class Runner:
    """One regret minimiser in the field."""

    regrets: Regrets
    stalls: int = 0
    bounds: Bounds = NO_BOUNDS

    @property
    def promise(self) -> float:
        """The gap, doubled for every time that twice as many iterations did not halve it."""
        return (self.bounds.upper - self.bounds.lower) * 2.0**self.stalls


def by_regrets(reduced: Reduced, names: Sequence[str], gap: float, saved: Saved) -> Route:
    """Regret minimisation: the most promising method has its iterations doubled, until the bounds are close enough.

    Each side has the best strategy that any of the methods found.
    """
    form = reduced.form
    field = [Runner(Regrets(form, name)) for name in names]
    if saved.state is not None:
        _restore(field, saved.state)
    for runner in field:
        runner.regrets.advance(max(0, FIRST_CHECK - runner.regrets.iterations))
        runner.bounds = runner.regrets.gap()
    while True:
        first = max(field, key=lambda runner: runner.bounds.lower)
        second = min(field, key=lambda runner: runner.bounds.upper)
        lower, upper = first.bounds.lower, second.bounds.upper
        runner = min(field, key=lambda runner: runner.promise)
        regrets = runner.regrets
        remark = f"{regrets.method}, {regrets.iterations} iterations"
        if upper - lower <= gap:
            break
        yield Progress(remark, lower, upper, state=_state(field))
        before = runner.bounds.upper - runner.bounds.lower
        regrets.advance(regrets.iterations)
        runner.bounds = regrets.gap()
        runner.stalls += runner.bounds.upper - runner.bounds.lower > before / 2
    yield Progress(remark, lower, upper)
    used = ", ".join(f"{runner.regrets.method} {runner.regrets.iterations}" for runner in field)
    behaviours = reduced.lift(first.bounds.first, second.bounds.second)
    return Found(f"regret minimisation ({used} iterations)", behaviours, {"reduced": form.sizes})


def _state(field: list[Runner]) -> bytes:
    """All runners as bytes."""
    body = [[runner.stalls, b64encode(runner.regrets.state).decode()] for runner in field]
    return zlib.compress(json.dumps(body).encode(), 1)


def _restore(field: list[Runner], state: bytes) -> None:
    for runner, (stalls, regrets) in zip(field, json.loads(zlib.decompress(state)), strict=True):
        runner.regrets.restore(b64decode(regrets))
        runner.stalls = stalls


def _behaviours(reduced: Reduced, plans: Pair) -> Pair:
    first, second = (behaviour_of(plex, plan) for plex, plan in zip(reduced.form.plexes, plans, strict=True))
    return reduced.lift(first, second)
