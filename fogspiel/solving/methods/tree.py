"""The solution of any game by its whole tree: presolve, a search for an equilibrium, then exact bounds and a proof."""

import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil, floor, inf, lcm
from typing import Any

import numpy as np

from ...stats.linear_programs import LpFailure
from ..exact import ExactBounds, exact_bounds, exact_from, round_strategy, vertex
from ..policies.best_response import exact_exploitability, exploitability
from ..proofs import solution_certificate
from ..proofs.checkers import refined as checker
from ..proofs.checkers.tree import (
    EXACT_LARGE_FORMAT,
    FORMAT,
    LARGE_FORMAT,
    LONGEST_LINE,
    ExactLargeTreeCertificate,
    LargeTreeCertificate,
    Row,
    TreeCertificate,
)
from ..quasi_perfect import quasi_perfect
from ..reduce import ReducedGame, presolve_tree
from ..reduce.colour_refinement import refine
from ..refinement import UNITS, Behaviours, NotRefined, refine_in_floats, uniform_behaviour, whole_shares
from ..refinement import refine as refine_strategies
from ..sources import GameSource, Knowledge
from ..tree import Tree, sequence_form
from ..tree.sequence_form import Treeplex, behaviour_of, guaranteed_value, infosets_of, plan_of
from . import EASY_TO_CHECK, Size, Solution, SolveOptions, SolverProgress, SolverState, Work
from .cfr import METHODS, TreeRegrets, ValueBounds
from .double_oracle import double_oracle
from .lp import Simplex, basis_statuses, plans_of, primal_player_of, program_of

# From a tree to an equilibrium: by the simplex method, by generated sequences, or by regret minimisation.
#
# Each is a generator that reports its progress and can be resumed; it works on the reduced game of presolve.

SMALL_ENOUGH = 2_000_000  # nonzeros of a program up to which `auto` uses the simplex method
SMALL_IF_WIDE = 20_000  # the same where they need Python integers, whose best responses take 0.01 s
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
    if form.wide:
        from .normal_form import by_fractions

        return (yield from by_fractions(reduced, saved))
    primal_player = primal_player_of(form)
    program = program_of(form, primal_player)
    quotient = refine(program)
    small = quotient.program
    simplex = Simplex(small, saved.state)
    while not simplex.advance(SLICE):
        yield SolverProgress(f"simplex, {simplex.iterations} iterations", state=simplex.basis)
    point = simplex.point
    plans = plans_of(form, primal_player, *quotient.lift(point.primal, point.dual))
    sizes = {"reduced": form.sizes, "program": program.sizes, "quotient": small.sizes}
    solver = (
        f"simplex on the sequence form, {small.height} rows x {small.width} columns (player {primal_player + 1}'s LP)"
    )

    def exactly() -> ExactBounds:
        every = np.arange(small.width), np.arange(small.height)
        corner = vertex(small, basis_statuses(small, simplex.basis), *every)
        if corner is None:
            return exact_bounds(form, primal_player, replace(point, basis=None))
        (primal, dual), planner = quotient.lift(*corner), form.treeplexes[primal_player]
        mine, theirs = primal[: planner.sequences], dual[1 + planner.infosets :]
        return exact_from(form, *((theirs, mine) if primal_player else (mine, theirs)))

    lower, upper = guaranteed_value(form, *plans)
    yield SolverProgress("optimal", lower, upper)
    return TreeEquilibrium(solver, reduced.lift(*map(behaviour_of, form.treeplexes, plans)), sizes, exactly)


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
            for runner, (stalls, regrets) in zip(runners, json.loads(zlib.decompress(saved.state)), strict=True):
                runner.regrets.restore(b64decode(regrets))
                runner.stalls = stalls
        for runner in runners:
            runner.regrets.advance(max(0, FIRST_CHECK - runner.regrets.iterations))
            runner.bounds = runner.regrets.gap()
        while True:
            first = max(runners, key=lambda runner: runner.bounds.lower)
            second = min(runners, key=lambda runner: runner.bounds.upper)
            lower, upper = first.bounds.lower, second.bounds.upper
            runner = min(runners, key=lambda runner: runner.promise)
            remark = f"{runner.regrets.method}, {runner.regrets.iterations} iterations"
            if upper - lower <= gap:
                break
            state = [[runner.stalls, b64encode(runner.regrets.state).decode()] for runner in runners]
            yield SolverProgress(remark, lower, upper, state=zlib.compress(json.dumps(state).encode(), 1))
            before = runner.bounds.gap
            runner.regrets.advance(runner.regrets.iterations)
            runner.bounds = runner.regrets.gap()
            runner.stalls += runner.bounds.gap > before / 2
        yield SolverProgress(remark, lower, upper)
        used = ", ".join(f"{runner.regrets.method} {runner.regrets.iterations}" for runner in runners)
        behaviours = reduced.lift(first.bounds.first, second.bounds.second)
        return TreeEquilibrium(f"regret minimisation ({used} iterations)", behaviours, {"reduced": form.sizes})

    return search


def by_iterations(name: str, most: int) -> Find:
    """Make the search by so many iterations of a regret minimiser; bounds of the averages after powers of two are rows.

    It takes the whole game, without presolve, so that the rows can be compared with the method's published form.
    """

    def search(whole: ReducedGame, saved: SolverState) -> Search:
        form, regrets = whole.form, TreeRegrets(whole.form, name)
        if saved.state is not None:
            regrets.restore(saved.state)
        checks = [count for count in (1 << power for power in range(most.bit_length())) if count < most] + [most]
        for number, count in enumerate(checks):
            if count < regrets.iterations:
                continue
            regrets.advance(count - regrets.iterations)
            lower, upper = guaranteed_value(form, *map(plan_of, form.treeplexes, regrets.average))
            row = {"number": number, "iterations": count, "lower": lower, "upper": upper}
            stored = number < len(saved.rows)  # before an interruption
            yield SolverProgress(f"{name}, {count} iterations", lower, upper, None if stored else row, regrets.state)
        return TreeEquilibrium(f"{name}, {most:,} iterations on the whole tree", regrets.average)

    return search


def by_whatever_suits(gap: float) -> Find:
    """Make the default search: the simplex method if the game is small, else regret minimisation."""

    def search(reduced: ReducedGame, saved: SolverState) -> Search:
        small = len(reduced.form.payoffs) <= (SMALL_IF_WIDE if reduced.form.wide else SMALL_ENOUGH)
        return (by_simplex if small else by_regrets(METHODS, gap))(reduced, saved)

    return search


# Nodes of a tree and its infosets up to which there is a certificate, which is checked within ten minutes.
MAX_CHECKED, MAX_LINES = 12_000_000, 500_000
QUICKLY_EXACT = 20_000  # nodes up to which the exact value is computed by default
FINE = 10**9  # the largest denominator of a probability in the certificate of strategies that are not exact


def solve_tree(problem: GameSource, options: SolveOptions, find: Find, saved: SolverState) -> Work:
    tree = problem.tree(options.memory)
    yield SolverProgress("presolve")
    if options.iterations is None:
        reduced = presolve_tree(tree)
    else:
        reduced = ReducedGame(sequence_form(tree), lambda *behaviours: behaviours)
    found = yield from find(reduced, saved)
    yield SolverProgress("exact bounds")
    found = replace(found, sizes={"nodes": tree.nodes, **sequence_form(tree).sizes, **found.sizes})
    known = problem.knowledge(tree)
    if tree.nodes > EASY_TO_CHECK:
        exact = found.exactly() if options.exact and found.exactly is not None else None
        proved = exact if exact is not None and exact.proved else None
        if tree.nodes <= MAX_CHECKED and len(tree.owner) <= MAX_LINES:
            head = problem.name, problem.version, tree, known
            large = proved and exact_large_certificate(*head, reduced.lift(*proved.behaviours), proved.value)
            large = large or large_certificate(*head, found.behaviours)
            return Solution.proved(found.solver, found.sizes, large)
        # The exact bounds are those of the reduced game, which has the same value; the whole one is checked in floats
        whole = exploitability(tree, *found.behaviours)
        solution = Solution.bounded(found.solver, found.sizes, whole.lower, whole.upper)
        if proved is None:
            return solution
        text = str(proved.value)
        return replace(solution, value=text, lower=text, upper=text, exact=True, score=float(proved.value))
    required = options.refine in ("uniform", "quasi-perfect")
    if found.exactly is not None and (options.exact or required or tree.nodes <= QUICKLY_EXACT):
        behaviours = reduced.lift(*found.exactly().behaviours)
    else:
        first, second = (round_strategy(tree.treeplex(player), found.behaviours[player], FINE) for player in (0, 1))
        behaviours = first, second
    judged = exact_exploitability(tree, *behaviours)
    bounds = (judged.lower, judged.upper)
    more: dict[str, Any] = {}
    solver = found.solver
    quick = tree.nodes <= QUICKLY_EXACT and bounds[0] == bounds[1]
    if required or (options.refine == "auto" and quick):
        try:
            behaviours, more = yield from _refined(tree, options, known, behaviours, bounds)
        except (NotRefined, LpFailure) as reason:
            if required:
                raise ValueError(f"{problem.name} cannot be refined: {reason}") from reason
            solver += f"; not refined: {reason}"
    proof = make_certificate(problem.name, problem.version, tree, known, behaviours, bounds, more, problem.lock)
    return Solution.proved(solver, found.sizes, proof)


Proof = Generator[SolverProgress, None, tuple[Behaviours, dict[str, Any]]]


def _refined(
    tree: Tree, options: SolveOptions, known: Knowledge, optimal: Behaviours, bounds: tuple[Fraction, Fraction]
) -> Proof:
    """Return the strategies of a certificate that are refined, and the part of it that proves the refinement."""
    form, safety = sequence_form(tree), options.safety
    if form.wide:
        raise NotRefined("sums of its payoffs and probabilities do not fit into 64 bits")
    first, second = form.treeplexes
    if options.refine == "quasi-perfect":
        if bounds[0] != bounds[1]:
            raise NotRefined("the value is not exact")
        if max(first.infosets, second.infosets) > MAX_ROWS:
            raise NotRefined(f"a player has more than {MAX_ROWS:,} infosets")
        errors = quasi_perfect(form)
        trembles = [tremble_rows(tree, player, plan, known) for player, plan in enumerate(errors.plans)]
        return errors.behaviours, {checker.QUASI_PERFECT: trembles}
    stated = options.against(tree) if options.against else (uniform_behaviour(first), uniform_behaviour(second))
    rounded = False
    try:
        if bounds[0] != bounds[1]:
            raise NotRefined("the value is not exact")
        found = yield from refine_strategies(form, optimal, stated, safety)
    except NotRefined as reason:
        yield SolverProgress(f"refined in floating point: {reason}")
        found, rounded = refine_in_floats(form, optimal, stated, safety), True
    chosen = found[0].behaviour, found[1].behaviour
    rows = [rows_of(tree, 1 - player, found[player].proof, known) for player in (0, 1)]
    opponents = [rows_of(tree, player, stated[player], known) for player in (0, 1)]
    body = {
        "opponent": opponents if options.against else checker.UNIFORM,
        "safety": str(safety),
        "scores": [str(side.score) for side in found],
        "weights": [str(side.weight) for side in found],
        "proofs": rows,
    }
    if rounded:
        less = bounds[0] - found[0].secured, found[1].secured - bounds[1]
        slacks = [str(side.slack) for side in found]
        body |= {"safety": str(max(0, *less)), "secured": [str(side.secured) for side in found], "slack": slacks}
    if rounded or safety:
        body |= {"strategies": [rows_of(tree, player, chosen[player], known, True) for player in (0, 1)]}
    return optimal if rounded or safety else chosen, {"refinement": body}


# Certificates of trees: a strategy for each side, in the forms that `checkers.tree` checks, in full or as lines.

MAX_ROWS = 5_000  # infosets of a player up to which a refined strategy goes on after mistakes of its own
SPARE = 1e-9  # slack of its bounds for rounding errors of floats
Decision = tuple[list[int] | None, list[int], list[int], Sequence[Any]]


def used_decisions(
    tree: Tree, player: int, shares: Sequence[Any], known: Knowledge, mistakes: bool = False
) -> Iterator[Decision]:
    """Yield the decisions that own play reaches: the one before (its number and action), view, actions, shares.

    With `mistakes`, also those after mistakes of its own, if they are not too many.
    """
    number = 0
    decisions: dict[int, list[int] | None] = {0: None}  # the decision of each sequence in use
    treeplex = tree.treeplex(player)
    mistakes = mistakes and treeplex.infosets <= MAX_ROWS
    for infoset, (before, first, count) in zip(tree.numbers(player).tolist(), infosets_of(treeplex), strict=True):
        if before in decisions:
            (view, actions), row = known(infoset), shares[first : first + count]
            decisions |= {first + slot: [number, actions[slot]] for slot in range(count) if row[slot] or mistakes}
            yield decisions[before], view, actions, row
            number += 1


def rows_of(
    tree: Tree, player: int, behaviour: Sequence[Fraction], known: Knowledge, mistakes: bool = False
) -> list[Row]:
    return [
        {"after": after, "view": view, "actions": actions, "probabilities": [str(Fraction(share)) for share in shares]}
        for after, view, actions, shares in used_decisions(tree, player, behaviour, known, mistakes)
    ]


def tremble_rows(tree: Tree, player: int, plan: Sequence[Sequence[Fraction]], known: Knowledge) -> list[Any]:
    """Return rows with the coefficients of a plan in place of probabilities."""
    listed = [[str(share) for share in shares] for shares in zip(*plan, strict=True)]
    return [
        {"after": after, "view": view, "actions": actions, "plan": shares}
        for after, view, actions, shares in used_decisions(tree, player, listed, known, True)
    ]


def lines_of(tree: Tree, player: int, shares: Sequence[Any], known: Knowledge) -> list[str]:
    found = used_decisions(tree, player, shares, known)
    return ["|".join(" ".join(map(str, part or ())) for part in parts) for parts in found]


def make_certificate(
    name: str,
    version: int | str,
    tree: Tree,
    known: Knowledge,
    behaviours: tuple[Sequence[Fraction], Sequence[Fraction]],
    bounds: tuple[Fraction, Fraction],
    refined: Mapping[str, Any] | None = None,
    lock: Mapping[str, Any] | None = None,
) -> TreeCertificate:
    """Return the certificate of a tree; if its strategies are refined, with a proof, also after own mistakes."""
    whole = bool(refined and "strategies" not in refined.get("refinement", ()))
    strategies = [rows_of(tree, player, behaviours[player], known, whole) for player in (0, 1)]
    body = {"strategies": strategies, **(refined or {})} | ({"lock": lock} if lock else {})
    form = checker.FORMAT if len(body) > 1 else FORMAT
    found: TreeCertificate = solution_certificate(form, name, version, (bounds[0] + bounds[1]) / 2, *bounds, **body)
    return found


def large_certificate(
    name: str, version: int | str, tree: Tree, known: Knowledge, behaviours: tuple[np.ndarray, np.ndarray]
) -> LargeTreeCertificate:
    """Return the certificate of an interval by strategies in floats, which are rounded first."""
    shares = [whole_shares(tree.treeplex(player), behaviours[player]) for player in (0, 1)]
    judged = exploitability(tree, *(np.concatenate(([1.0], row[1:] / UNITS)) for row in shares))
    lower = Fraction(floor((judged.lower - SPARE) * UNITS), UNITS)
    upper = Fraction(ceil((judged.upper + SPARE) * UNITS), UNITS)
    strategies = [lines_of(tree, player, shares[player].tolist(), known) for player in (0, 1)]
    head = LARGE_FORMAT, name, version, (lower + upper) / 2, lower, upper
    found: LargeTreeCertificate = solution_certificate(*head, denominator=UNITS, strategies=strategies)
    return found


def exact_large_certificate(
    name: str,
    version: int | str,
    tree: Tree,
    known: Knowledge,
    behaviours: tuple[Sequence[Fraction], Sequence[Fraction]],
    value: Fraction,
) -> ExactLargeTreeCertificate | None:
    """Return the certificate of an exact value by strategies in fractions; None if a line would be too long."""
    shares = [proportional_shares(tree.treeplex(player), behaviours[player]) for player in (0, 1)]
    strategies = [lines_of(tree, player, shares[player], known) for player in (0, 1)]
    if max(len(line) for lines in strategies for line in lines) > LONGEST_LINE:
        return None
    head = EXACT_LARGE_FORMAT, name, version, value, value, value
    found: ExactLargeTreeCertificate = solution_certificate(*head, strategies=strategies)
    return found


def proportional_shares(treeplex: Treeplex, behaviour: Sequence[Fraction]) -> list[int]:
    """Return integers in proportion to the probabilities at each infoset."""
    shares = [1] * len(behaviour)
    for _, first, count in infosets_of(treeplex):
        row = behaviour[first : first + count]
        unit = lcm(*(share.denominator for share in row))
        shares[first : first + count] = [int(share * unit) for share in row]
    return shares
