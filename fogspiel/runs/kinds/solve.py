"""Solves: worked on step by step, and resumed from where they were left."""

import shlex
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Generator, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, Self

from ... import __version__
from ...core.agents import Agent
from ...core.game import Game, games
from ...solve.best_response import exact_exploitability, exploitability
from ...solve.certificate import certificate
from ...solve.certificates import certificate_agent
from ...solve.fractions import round_strategy
from ...solve.game_sources import Problem, find_problem, is_code
from ...solve.memory_limit import limit_memory
from ...solve.routes import AFRESH, ROUTES, WITH_VERTEX, Found, Saved, route
from ...solve.routes import Progress as RouteProgress
from ...solve.tree import DEFAULT_MEMORY, Tree, sequence_form
from ..kind import Delivered
from ..request import check_option
from ..store import Json, Run, Summary
from ..value import LONG, ValueKind, facts_of
from ..work import Context, Progress, Recorder, drive, in_silence

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

Watch = Callable[[Progress], None]


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
        check_option("gap", self.gap)
        check_option("memory", self.memory, "a positive number of GiB")

    def to_json(self, problem: Problem) -> Json:
        """The first row of the run."""
        body = asdict(self) | {"game": problem.name, "source": problem.source, "method": KIND.method}
        return body | {"rules": problem.version, "fogspiel": __version__}

    @classmethod
    def from_json(cls, ask: Json, source: str) -> Self:
        """The request that a first row keeps, of the game at that source."""
        return cls(**{key: ask[key] for key in cls.__dataclass_fields__} | {"game": source})


@dataclass(frozen=True, eq=False)
class Task:
    """A request with the game it is about, and its tree where that is what will be solved."""

    request: Request
    problem: Problem
    tree: Tree | None

    @property
    def ask(self) -> Json:
        """The first row of the run."""
        return self.request.to_json(self.problem)


def task_of(request: Request, watch: Watch = in_silence) -> Task:
    """What there is to do, or a ValueError if it cannot be done; nothing is stored before this is known."""
    problem = find_problem(request.game)
    if _specialist(request, problem):
        return Task(request, problem, None)
    if request.solver == KNOWLEDGE_TREES:
        raise ValueError(f"--method {KNOWLEDGE_TREES} is for The Resistance, not for {problem.name}")
    tree = problem.tree(request.memory, lambda nodes: watch(Progress(f"{nodes:,} histories")))
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
    return task_of(Request.from_json(ask, problem.source), watch)


Work = Generator[RouteProgress, None, Json]


def solve_unstored(request: Request, watch: Watch = in_silence) -> Json:
    """The result of a solve that is not stored."""
    return drive(_work(task_of(request, watch), AFRESH), lambda progress: watch(_progress_of(progress)))


def _progress_of(progress: RouteProgress) -> Progress:
    """How far a route is, in words."""
    lower, upper = progress.lower, progress.upper
    bounds = "" if lower is None or upper is None else f", value in [{lower:.8f}, {upper:.8f}]"
    return Progress(progress.remark + bounds)


def solution(game: str, **options: Any) -> Json:
    """What solving a game gives (`value`, `lower`, `upper`, `exact`, `certificate` ..); options as in `Request`."""
    return solve_unstored(Request(game, **options))


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
        yield RouteProgress(f"round {step.number}, {step.rows} plans", step.lower, step.upper, rows[-1])
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
        yield RouteProgress(remark, step.lower, step.upper, rows[-1])
    proof = rows[-1]["certificate"]
    sizes = {"rounds": len(rows), "orders": rows[-1]["sizes"], "support": [len(proof["first"]), len(proof["second"])]}
    return _result("double oracle on orders of the cells, then exactly", sizes, proof)


def _by_tree(request: Request, problem: Problem, tree: Tree, saved: Saved) -> Work:
    """Any game: its whole tree, then one of the routes."""
    found = yield from route(tree, request.solver, request.gap, saved)
    yield RouteProgress("exact bounds")
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


def _result(method: str, sizes: Json, proof: Json) -> Json:
    """The result of a solve from its certificate; fractions where the bounds meet, else the bounds as numbers."""
    lower, upper = Fraction(proof["lower"]), Fraction(proof["upper"])
    exact = lower == upper
    numbers: Json = {name: proof[name] if exact else float(Fraction(proof[name])) for name in BOUNDS}
    return {
        **numbers,
        "exact": exact,
        "solver": method,
        "sizes": sizes,
        "certificate": proof,
        "score": float(Fraction(proof["value"])),
        "interval": [float(lower), float(upper)],
    }


def _without_certificate(tree: Tree, found: Found, insist: bool, sizes: Json) -> Json:
    """The result for a tree that is too large to be judged in fractions.

    The exact bounds are those of the reduced game, which has the same value; in the whole game they are only checked
    in floats.
    """
    judged = exploitability(tree, *found.behaviours)
    result = _bounds_result(found.method, sizes, judged.lower, judged.upper)
    if insist and found.exactly is not None and (exact := found.exactly()).proved:
        result |= {"exact": True, **dict.fromkeys(BOUNDS, str(exact.value)), "score": float(exact.value)}
    return result


def _bounds_result(method: str, sizes: Json, lower: float, upper: float) -> Json:
    """The result of a solve that has bounds in floats and no certificate."""
    value = (lower + upper) / 2
    bounds = {"value": value, "lower": lower, "upper": upper, "exact": False}
    return {**bounds, "solver": method, "sizes": sizes, "certificate": None, "score": value, "interval": [lower, upper]}


# The kind


class Solve(ValueKind):
    """Solve a two-player zero-sum game."""

    name, title, method = "solve", "solution", "solve"
    heading = "Solved"

    def check(self, run: Run) -> Request:
        """The request; whether the rules are still the same is known when they are found."""
        return Request.from_json(run.ask, run.ask["source"])

    def check_source(self, run: Run, source: str | None) -> None:
        source_of(run, source)

    def find(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Go the way to the result from where it was left."""

        def watch(progress: RouteProgress) -> None:
            state = progress.state
            if progress.row is not None:
                recorder.step(progress.row, progress.row["number"])
            if state is not None:
                recorder.keep(lambda: {"state": b64encode(state).decode()})
            context.watch(_progress_of(progress))

        sys.set_int_max_str_digits(0)  # exact fractions may have thousands of digits
        with limit_memory(run.ask["memory"]):
            ready = context.prepared
            task = ready if isinstance(ready, Task) else task_of_run(run, context.watch, context.source)
            kept = run.partial()
            work = _work(task, Saved(run.steps, b64decode(kept["state"]) if kept else None))
            return drive(work, watch)

    def headline(self, run: Run) -> str:
        return f"solving {run.ask['source']}"

    def again(self, run: Run, resume: str) -> str:
        return resume + (_where(run) if is_code(run.ask["source"]) else "")

    def outcome(self, run: Run, delivered: Delivered) -> Json:
        body = facts_of(run, ("value", "lower", "upper", "exact", "sizes"), delivered)
        return body | {"method": (run.result or {})["solver"]}

    def lines(self, run: Run, delivered: Delivered) -> Iterator[str]:
        """The value, how it was found, and what can be done with the certificate."""
        ask, result = run.ask, run.result or {}
        score, (lower, upper) = result["score"], result["interval"]
        if result["exact"]:
            number = result["value"] if len(result["value"]) < LONG else f"{result['value'][: LONG - 3]}.. "
            value = f"exactly {number}" + (f" = {score:.12g}" if "/" in number else "")
        else:
            value = f"{score:.9g}, certainly between {lower:.9g} and {upper:.9g}"
        yield f"{ask['game']}: the first player gets {value}"
        spent = "" if delivered.seconds is None else f", {delivered.seconds:.2f} CPU s"
        yield f"by {result['solver']}{spent}{_sizes(result['sizes'])}"
        path, where = delivered.certificate, _where(run)
        if path is None:
            yield "there is no certificate: the strategies were checked in floating point only"
            return
        play = "" if where else f"; play them: fogspiel match {ask['game']} {run.name} uniform"
        yield f"strategies: fogspiel explain {run.name}{where}{play}"
        yield f"certificate: {path}; check it with: fogspiel verify {shlex.quote(str(path))}{where}"

    def command(self, ask: Json) -> str:
        return f"fogspiel solve {ask.get('source', ask['game'])}"

    def solution(self, run: Run) -> Json:
        found = self.certificate(run)
        if found is None:
            raise ValueError(f"run {run.name} has no certificate: it must be a finished solve")
        return found

    def agent(self, run: Run, game: Game) -> Agent:
        if run.ask["game"] != game.name or run.ask["rules"] != game.version:
            raise ValueError(f"run {run.name} solved version {run.ask['rules']} of {run.ask['game']}, not {game.name}")
        found = self.certificate(run)
        if found is None:
            raise ValueError(f"run {run.name} has no strategies yet: finish it with `fogspiel resume {run.name}`")
        return certificate_agent(run.name, found)

    def playable(self, run: Run) -> bool:
        return run.ask["game"] in games() and self.certificate(run) is not None

    def opponent(self, summary: Summary) -> tuple[str, str] | None:
        return ("solution", "plays the exact solution that it found") if summary.state == "finished" else None


def _where(run: Run) -> str:
    """How to say where the rules are, if they are not in the package."""
    return "" if run.ask["source"] == run.ask["game"] else f" --game {shlex.quote(run.ask['source'])}"


def _sizes(sizes: Json) -> str:
    """The sizes that matter to people."""
    nodes = f"; {sizes['nodes']:,} histories" if "nodes" in sizes else ""
    infosets = "; " + " and ".join(f"{number:,}" for number in sizes["infosets"]) if "infosets" in sizes else ""
    return f"{nodes}{infosets and infosets + ' infosets'}"


KIND = Solve()
KINDS = (KIND,)
