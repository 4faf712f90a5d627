"""The solution of any game by its whole tree: presolve, a search for an equilibrium, then exact bounds and a proof."""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf

import numpy as np

from ..exact import ExactBounds, exact_bounds, exact_from, round_strategy, vertex
from ..policies.best_response import exact_exploitability, exploitability
from ..proofs.certificate_files import large_certificate, make_certificate
from ..reduce.colour_refinement import refine
from ..reduce.presolve import ReducedGame, presolve_tree
from ..solution import Size, Solution, SolveOptions, SolverProgress, SolverState, Work
from ..sources import GameSource
from ..tree.sequence_form import behaviour_of, guaranteed_value
from ..tree.tree import Tree, sequence_form
from .cfr import METHODS, TreeRegrets, ValueBounds
from .double_oracle import double_oracle
from .lemke_howson import lemke_howson, payoff_table, plans, strategies
from .lp import Simplex, basis_statuses, plans_of, primal_player_of, program_of

# From a tree to an equilibrium: by the simplex method, by generated sequences, or by regret minimisation.
#
# Each is a generator that reports its progress and can be resumed; it works on the reduced game of presolve.

SMALL_ENOUGH = 2_000_000  # nonzeros of a program up to which `auto` uses the simplex method
SLICE = 2_000  # simplex iterations between two saved states
# Iterations of regret minimisation before the first evaluation of bounds; the interval then doubles.
FIRST_CHECK = 16


@dataclass(frozen=True, eq=False)
class TreeEquilibrium:
    """Result of a method: behaviour strategies in the numbering of the tree."""

    solver: str  # what was done, as text
    behaviours: tuple[np.ndarray, np.ndarray]
    sizes: Mapping[str, Size] = field(default_factory=dict)
    # The same in fractions for the reduced game, where there is a vertex to start from.
    exactly: Callable[[], ExactBounds] | None = None


Search = Generator[SolverProgress, None, TreeEquilibrium]
Find = Callable[[ReducedGame, SolverState], Search]  # how to search a reduced game, resuming from a saved state


def by_simplex(reduced: ReducedGame, saved: SolverState) -> Search:
    """Find a vertex of the smallest program that describes the game."""
    form = reduced.form
    primal_player = primal_player_of(form)
    program = program_of(form, primal_player)
    quotient = refine(program)
    small = quotient.program
    simplex = Simplex(small, saved.state)
    while not simplex.advance(SLICE):
        yield SolverProgress(f"simplex, {simplex.iterations} iterations", state=simplex.basis)
    point = simplex.point
    plans = plans_of(form, primal_player, *quotient.lift(point.primal, point.dual))
    first, second = (behaviour_of(treeplex, plan) for treeplex, plan in zip(form.treeplexes, plans, strict=True))
    sizes = {"reduced": form.sizes, "program": program.sizes, "quotient": small.sizes}
    solver = f"simplex on the sequence form ({small.height} x {small.width}), player {primal_player + 1} plans"

    def exactly() -> ExactBounds:
        columns, rows = np.arange(small.width), np.arange(small.height)
        corner = vertex(small, basis_statuses(small, simplex.basis), columns, rows)
        if corner is None:
            return exact_bounds(form, primal_player, replace(point, basis=None))
        primal, dual = quotient.lift(*corner)
        mine, theirs = (
            primal[: form.treeplexes[primal_player].sequences],
            dual[1 + form.treeplexes[primal_player].infosets :],
        )
        return exact_from(form, *((theirs, mine) if primal_player else (mine, theirs)))

    lower, upper = guaranteed_value(form, *plans)
    yield SolverProgress("optimal", lower, upper)
    return TreeEquilibrium(solver, reduced.lift(first, second), sizes, exactly)


MAX_STRATEGIES = 500  # maximum pure strategies of either player for Lemke and Howson's algorithm


def by_lemke_howson(reduced: ReducedGame, saved: SolverState) -> Search:
    """Run complementary pivoting on the normal form of the reduced game."""
    form = reduced.form
    heights = [strategies(treeplex) for treeplex in form.treeplexes]
    if max(heights) > MAX_STRATEGIES:
        raise ValueError(
            f"--method lemke-howson takes {MAX_STRATEGIES} pure strategies of each player at most, and this game "
            "has more: take --method lp"
        )
    yield SolverProgress(f"a table of {heights[0]} by {heights[1]} strategies")
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
    yield SolverProgress("an equilibrium", float(exact.lower), float(exact.upper))
    return TreeEquilibrium(solver, reduced.lift(x, y), {"reduced": form.sizes, "normal_form": heights}, lambda: exact)


def _mixed_plan(sequences: int, pure: list[tuple[int, ...]], mixture: list[Fraction]) -> list[Fraction]:
    plan = [Fraction(0)] * sequences
    for chosen, weight in zip(pure, mixture, strict=True):
        for sequence in chosen if weight else ():
            plan[sequence] += weight
    return plan


def by_growth(reduced: ReducedGame, saved: SolverState) -> Search:
    """Search by growing restricted games; every round is a row."""
    last = None
    for last in double_oracle(reduced.form, records=saved.rows):
        remark = f"round {last.number}, {last.generated[0]} and {last.generated[1]} sequences"
        yield SolverProgress(remark, last.lower, last.upper, last.record)
    assert last is not None
    sizes: Mapping[str, Size] = {"reduced": reduced.form.sizes, "generated": list(last.generated)}
    return TreeEquilibrium(f"double oracle, {last.number} rounds", reduced.lift(*last.behaviours), sizes)


NO_BOUNDS = ValueBounds(-inf, inf, np.empty(0), np.empty(0))


@dataclass
class Runner:
    """One of the regret minimisers that run in parallel."""

    regrets: TreeRegrets
    stalls: int = 0
    bounds: ValueBounds = NO_BOUNDS

    @property
    def promise(self) -> float:
        """The gap, doubled for every doubling of iterations that did not halve it."""
        return self.bounds.gap * 2.0**self.stalls


def by_regrets(names: Iterable[str], gap: float) -> Find:
    """Make the search by regret minimisation until the bounds are close enough.

    The most promising method has its iterations doubled. Each side has the best strategy that any of them found.
    """

    def search(reduced: ReducedGame, saved: SolverState) -> Search:
        form = reduced.form
        runners = [Runner(TreeRegrets(form, name)) for name in names]
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
            yield SolverProgress(remark, lower, upper, state=_state(runners))
            before = runner.bounds.gap
            regrets.advance(regrets.iterations)
            runner.bounds = regrets.gap()
            runner.stalls += runner.bounds.gap > before / 2
        yield SolverProgress(remark, lower, upper)
        used = ", ".join(f"{runner.regrets.method} {runner.regrets.iterations}" for runner in runners)
        behaviours = reduced.lift(first.bounds.first, second.bounds.second)
        return TreeEquilibrium(f"regret minimisation ({used} iterations)", behaviours, {"reduced": form.sizes})

    return search


def by_whatever_suits(gap: float) -> Find:
    """Make the default search: the simplex method if the game is small, else regret minimisation."""

    def search(reduced: ReducedGame, saved: SolverState) -> Search:
        small = len(reduced.form.payoffs) <= SMALL_ENOUGH
        return (by_simplex if small else by_regrets(METHODS, gap))(reduced, saved)

    return search


def _state(runners: list[Runner]) -> bytes:
    body = [[runner.stalls, b64encode(runner.regrets.state).decode()] for runner in runners]
    return zlib.compress(json.dumps(body).encode(), 1)


def _restore(runners: list[Runner], state: bytes) -> None:
    for runner, (stalls, regrets) in zip(runners, json.loads(zlib.decompress(state)), strict=True):
        runner.regrets.restore(b64decode(regrets))
        runner.stalls = stalls


# Nodes of a tree up to which its strategies are evaluated in fractions; those of a larger one are certified in units.
EASY_TO_CHECK = 1_000_000
# Nodes of a tree and its infosets up to which there is a certificate, which is checked within ten minutes.
MAX_CHECKED, MAX_LINES = 12_000_000, 500_000
QUICKLY_EXACT = 20_000  # nodes up to which the exact value is computed by default
FINE = 10**9  # the largest denominator of a probability in the certificate of strategies that are not exact


def solve_tree(problem: GameSource, options: SolveOptions, find: Find, saved: SolverState) -> Work:
    tree = problem.tree(options.memory)
    yield SolverProgress("presolve")
    reduced = presolve_tree(tree)
    found = yield from find(reduced, saved)
    yield SolverProgress("exact bounds")
    found = replace(found, sizes={"nodes": tree.nodes, **sequence_form(tree).sizes, **found.sizes})
    if tree.nodes > EASY_TO_CHECK:
        if tree.nodes <= MAX_CHECKED and len(tree.owner) <= MAX_LINES and not options.exact:
            known = problem.knowledge(tree)
            large = large_certificate(problem.name, problem.version, tree, known, found.behaviours)
            return Solution.proved(found.solver, found.sizes, large)
        return _without_certificate(tree, found, options.exact)
    behaviours = _in_fractions(tree, reduced, found, options.exact)
    judged = exact_exploitability(tree, *behaviours)
    bounds = (judged.lower, judged.upper)
    proof = make_certificate(problem.name, problem.version, tree, problem.knowledge(tree), behaviours, bounds)
    return Solution.proved(found.solver, found.sizes, proof)


def _in_fractions(
    tree: Tree, reduced: ReducedGame, found: TreeEquilibrium, insist: bool
) -> tuple[list[Fraction], list[Fraction]]:
    if found.exactly is not None and (insist or tree.nodes <= QUICKLY_EXACT):
        return reduced.lift(*found.exactly().behaviours)
    first, second = (round_strategy(tree.treeplex(player), found.behaviours[player], FINE) for player in (0, 1))
    return first, second


def _without_certificate(tree: Tree, found: TreeEquilibrium, insist: bool) -> Solution:
    """Return the solution of a tree that is too large to be evaluated in fractions.

    The exact bounds are those of the reduced game, which has the same value; in the whole game they are only checked
    in floats.
    """
    judged = exploitability(tree, *found.behaviours)
    solution = Solution.bounded(found.solver, found.sizes, judged.lower, judged.upper)
    if insist and found.exactly is not None and (exact := found.exactly()).proved:
        text = str(exact.value)
        return replace(solution, value=text, lower=text, upper=text, exact=True, score=float(exact.value))
    return solution
