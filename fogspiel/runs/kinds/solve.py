"""A solve from request to result: worked on step by step, stored, and resumed from where it was left."""

import shlex
import sys
import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator
from dataclasses import asdict, dataclass
from fractions import Fraction
from math import isfinite
from typing import Any

from ... import __version__
from ...solve.best_response import exact_exploitability, exploitability
from ...solve.certificate import certificate
from ...solve.fractions import round_strategy
from ...solve.game_sources import Problem, find_problem, is_code
from ...solve.routes import AFRESH, ROUTES, WITH_VERTEX, Found, Progress, Saved, route
from ...solve.tree import DEFAULT_MEMORY, Tree, sequence_form
from ..store import Run

METHOD = "solve"
"""What stands for the method in the request of a solve."""
KEEP_SECONDS = 2.0
GAP = 1e-6
EASY_TO_CHECK = 1_000_000
"""Nodes of a tree up to which its strategies are judged in fractions and certified."""
QUICKLY_EXACT = 20_000
"""Nodes up to which the exact value is looked for without being asked."""
KNOWLEDGE_TREES = "knowledge-trees"
BOUNDS = ("value", "lower", "upper")
COARSE = 1e-2
"""How close the bounds come by walks in reasonable time."""
FINE = 10**9
"""The largest denominator of a probability in the certificate of strategies that are not exact."""

Watch = Callable[[str, float | None, float | None], None]


@dataclass(frozen=True)
class Request:
    """What a user asks of a solve; everything its result depends on."""

    game: str
    solver: str = "auto"
    exact: bool = False
    gap: float = GAP
    memory: float = DEFAULT_MEMORY

    def __post_init__(self) -> None:
        """Check everything at once, so that nothing is written for a request that cannot be met."""
        if self.solver not in (*ROUTES, KNOWLEDGE_TREES):
            raise ValueError(
                f"there is no method {self.solver!r}: it is {', '.join(ROUTES)}, "
                f"or {KNOWLEDGE_TREES} for The Resistance"
            )
        if self.exact and self.solver not in (*WITH_VERTEX, KNOWLEDGE_TREES):
            raise ValueError(f"--exact needs a vertex: take --method auto or lp, not {self.solver}")
        if not (isfinite(self.gap) and self.gap > 0):
            raise ValueError(f"--gap is {self.gap}: it must be a positive number")
        if not (isfinite(self.memory) and self.memory > 0):
            raise ValueError(f"--memory is {self.memory}: it must be a positive number of GiB")

    def as_ask(self, problem: Problem) -> dict[str, Any]:
        """The first row of the run."""
        body = asdict(self) | {"game": problem.name, "source": problem.source, "method": METHOD}
        return body | {"rules": problem.version, "fogspiel": __version__}


@dataclass(frozen=True, eq=False)
class Task:
    """A request with the game it is about, and its tree where that is what will be solved."""

    request: Request
    problem: Problem
    tree: Tree | None

    @property
    def ask(self) -> dict[str, Any]:
        """The first row of the run."""
        return self.request.as_ask(self.problem)


def task_of(request: Request, watch: Watch) -> Task:
    """What there is to do, or a ValueError if it cannot be done; nothing is stored before this is known."""
    problem = find_problem(request.game)
    if _specialist(request, problem):
        return Task(request, problem, None)
    if request.solver == KNOWLEDGE_TREES:
        raise ValueError(f"--method {KNOWLEDGE_TREES} is for The Resistance, not for {problem.name}")
    tree = problem.tree(request.memory, lambda nodes: watch(f"{nodes:,} histories", None, None))
    return Task(request, problem, tree)


def source_of(run: Run, named: str | None) -> str:
    """Where the rules of a stored run are: where the user says, or else where the run says unless that is code."""
    source = run.ask["source"]
    if named is None and is_code(source):
        raise ValueError(
            f"the rules of run {run.name} are Python code, which runs only if you name its file: "
            f"fogspiel resume {run.name} --game {shlex.quote(source)}"
        )
    return named or source


def task_of_run(run: Run, watch: Watch, source: str | None = None) -> Task:
    """The task of a stored run, if its rules, which may be at the source that the user names, are still the same."""
    ask, problem = run.ask, find_problem(source_of(run, source))
    if problem.name != ask["game"]:
        raise ValueError(f"run {run.name} solves {ask['game']}, but --game names {problem.name}: give the rules again")
    if ask["rules"] != problem.version:
        raise ValueError(
            f"run {run.name} was solved by version {ask['rules']} of the rules of {ask['game']}, which now are at "
            f"version {problem.version}: it can be exported, but not resumed"
        )
    kept = {key: ask[key] for key in Request.__dataclass_fields__}
    return task_of(Request(**kept | {"game": problem.source}), watch)


Work = Generator[Progress, None, dict[str, Any]]


def in_silence(remark: str, lower: float | None, upper: float | None) -> None:
    """Watch without a word."""


def carry_on(
    run: Run, watch: Watch = in_silence, task: Task | None = None, source: str | None = None
) -> dict[str, Any]:
    """Work on a solve until it is done; returns the result, which is stored as the last row."""
    task = task or task_of_run(run, watch, source)
    sys.set_int_max_str_digits(0)  # exact fractions may have thousands of digits
    partial = run.partial()
    saved = Saved(run.steps, b64decode(partial["state"]) if partial else None)
    work = _work(task, saved)
    latest: Progress | None = None
    kept = time.monotonic()
    try:
        while True:
            progress = next(work)
            watch(progress.remark, progress.lower, progress.upper)
            if progress.row is not None and progress.row["number"] > len(run.steps):
                run.append("step", progress.row)
            if progress.state is not None:
                latest = progress
                if time.monotonic() - kept > KEEP_SECONDS:
                    _keep(run, progress)
                    kept = time.monotonic()
    except StopIteration as end:
        result = end.value
    except KeyboardInterrupt:
        if latest is not None:
            _keep(run, latest)
        raise
    run.append("result", result)
    return result


def solve_unstored(request: Request, watch: Watch = in_silence) -> dict[str, Any]:
    """The result of a solve that is not stored."""
    work = _work(task_of(request, watch), AFRESH)
    while True:
        try:
            progress = next(work)
            watch(progress.remark, progress.lower, progress.upper)
        except StopIteration as end:
            return end.value


def solution(game: str, **options: Any) -> dict[str, Any]:
    """What solving a game gives (`value`, `lower`, `upper`, `exact`, `certificate` ..); options as in `Request`."""
    return solve_unstored(Request(game, **options))


def _keep(run: Run, progress: Progress) -> None:
    assert progress.state is not None
    run.keep_partial({"state": b64encode(progress.state).decode()})


def _work(task: Task, saved: Saved) -> Work:
    """The way to the result of a task."""
    if specialist := _specialist(task.request, task.problem):
        return specialist(task.request, task.problem, saved)
    assert task.tree is not None
    return _by_tree(task.request, task.problem, task.tree, saved)


def _specialist(request: Request, problem: Problem) -> Callable[[Request, Problem, Saved], Work] | None:
    """The solver that was made for a game, if there is one and it is wanted."""
    family = problem.game.family if problem.game else ""
    if family == "resistance" and request.solver in ("auto", KNOWLEDGE_TREES):
        return _by_knowledge
    if family == "phantom" and request.solver == "auto":
        from ...phantom.solver import SOLVABLE

        if problem.name in SOLVABLE:
            return _by_private_histories
        return _by_walks if problem.name == "phantom-ttt-abrupt" else None
    return _by_orders if family == "permutation" and request.solver == "auto" else None


def _by_private_histories(request: Request, problem: Problem, saved: Saved) -> Work:
    """Phantom games: private histories without order, symmetric copies and dominated tries; PCFR+, then exactly."""
    from ...phantom.solution_certificate import certificate as phantom_certificate
    from ...phantom.solver import solve_in_steps

    method = "PCFR+ on private histories, then exactly on the supports"
    found = yield from solve_in_steps(problem.name, close=0.0 if request.exact else request.gap, state=saved.state)
    sizes = {**found.form.sizes, "iterations": found.iterations}
    if found.form.variant == "classical":
        return _result(method, sizes, phantom_certificate(found))
    return _bounds_result(method, sizes, float(found.lower), float(found.upper))


def _by_walks(request: Request, problem: Problem, saved: Saved) -> Work:
    """Abrupt phantom tic-tac-toe, whose form does not fit into memory: bounds by depth-first walks."""
    from ...phantom.abrupt import narrow_bounds

    bounds = yield from narrow_bounds("ttt", close=max(request.gap, COARSE), state=saved.state)
    return _bounds_result("PCFR+ by depth-first walks", {}, *bounds)


def _by_knowledge(request: Request, problem: Problem, saved: Saved) -> Work:
    """The Resistance: knowledge trees up to relabelling, plans generated when they are needed."""
    from ...games.resistance.setups import SETUPS
    from ...solve.resistance.opening import opening
    from ...solve.resistance.row_generation import steps

    setup = SETUPS[int(problem.name.removeprefix("resistance"))]
    rows = list(saved.rows)
    for step in steps(setup, saved.rows):
        rows.append({key: value for key, value in step.record().items() if key != "seconds"})
        yield Progress(f"round {step.number}, {step.rows} plans", step.lower, step.upper, rows[-1])
    game = opening(setup)
    infosets = [len(game.infosets) + len(game.tails), len(game.spy_parent)]
    sizes = {"spy_sets": game.total, "infosets": infosets, "rounds": len(rows), "plans": rows[-1]["rows"]}
    return _result("lazy plans on knowledge trees", sizes, rows[-1]["certificate"])


def _by_orders(request: Request, problem: Problem, saved: Saved) -> Work:
    """Permutation tic-tac-toe: orders of the cells up to symmetry, found by best responses when they are needed."""
    from ...phantom.permutation.double_oracle import rounds

    rows = list(saved.rows)
    for step in rounds(stored=saved.rows):
        rows.append(step.record)
        remark = f"round {step.number}, {step.sizes[0]} and {step.sizes[1]} orders"
        yield Progress(remark, step.lower, step.upper, rows[-1])
    proof = rows[-1]["certificate"]
    sizes = {"rounds": len(rows), "orders": rows[-1]["sizes"], "support": [len(proof["first"]), len(proof["second"])]}
    return _result("double oracle on orders of the cells, then exactly", sizes, proof)


def _by_tree(request: Request, problem: Problem, tree: Tree, saved: Saved) -> Work:
    """Any game: its whole tree, then one of the routes."""
    found = yield from route(tree, request.solver, request.gap, saved)
    yield Progress("exact bounds")
    sizes = {"nodes": tree.nodes, **sequence_form(tree).sizes, **found.sizes}
    if tree.nodes > EASY_TO_CHECK:
        return _without_certificate(tree, found, request.exact, sizes)
    behaviours = _in_fractions(tree, found, request.exact)
    judged = exact_exploitability(tree, *behaviours)
    bounds = (judged.lower, judged.upper)
    proof = certificate(problem.name, problem.version, tree, problem.knowledge(tree), behaviours, bounds)
    return _result(found.method, sizes, proof)


def _in_fractions(tree: Tree, found: Found, insist: bool) -> tuple[list[Fraction], list[Fraction]]:
    """The strategies in fractions: exact where there is a vertex to start from, else close to the floats."""
    if found.exactly is not None and found.lift is not None and (insist or tree.nodes <= QUICKLY_EXACT):
        return found.lift(*found.exactly().behaviours)
    first, second = (round_strategy(tree.plex(player), found.behaviours[player], FINE) for player in (0, 1))
    return first, second


def _result(method: str, sizes: dict[str, Any], proof: dict[str, Any]) -> dict[str, Any]:
    """The result of a solve from its certificate; fractions where the bounds meet, else the bounds as numbers."""
    lower, upper = Fraction(proof["lower"]), Fraction(proof["upper"])
    exact = lower == upper
    numbers: dict[str, Any] = {name: proof[name] if exact else float(Fraction(proof[name])) for name in BOUNDS}
    return {
        **numbers,
        "exact": exact,
        "solver": method,
        "sizes": sizes,
        "certificate": proof,
        "score": float(Fraction(proof["value"])),
        "interval": [float(lower), float(upper)],
    }


def _without_certificate(tree: Tree, found: Found, insist: bool, sizes: dict[str, Any]) -> dict[str, Any]:
    """The result for a tree that is too large to be judged in fractions.

    The exact bounds are those of the reduced game, which has the same value; in the whole game they are only checked
    in floats.
    """
    judged = exploitability(tree, *found.behaviours)
    result = _bounds_result(found.method, sizes, judged.lower, judged.upper)
    if insist and found.exactly is not None and (exact := found.exactly()).proved:
        result |= {"exact": True, **dict.fromkeys(BOUNDS, str(exact.value)), "score": float(exact.value)}
    return result


def _bounds_result(method: str, sizes: dict[str, Any], lower: float, upper: float) -> dict[str, Any]:
    """The result of a solve that has bounds in floats and no certificate."""
    value = (lower + upper) / 2
    bounds = {"value": value, "lower": lower, "upper": upper, "exact": False}
    return {**bounds, "solver": method, "sizes": sizes, "certificate": None, "score": value, "interval": [lower, upper]}
