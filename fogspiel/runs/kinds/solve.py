"""Solving of games, and the base of runs that bound a game's value."""

import shlex
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

from ...core.agents import Agent
from ...core.compile.kernel import interpreted
from ...core.find import is_code
from ...core.game import Game, game_or_none
from ...process.heartbeat import limit_memory
from ...solving.methods import (
    EASY_TO_CHECK,
    NO_STATE,
    Solution,
    SolveMethod,
    SolveOptions,
    SolverState,
    choose_solve_method,
)
from ...solving.methods import SolverProgress as RouteProgress
from ...solving.proofs import certificate_agent
from ...solving.sources import GameSource, KernelSource, build_small_tree, find_source, is_nameless
from ..kind import Context, Kind, Outputs, Progress, Recorder, ignore_progress, run_generator
from ..report import BoundsCurve, Cell, Curve
from ..requests import SolveRequest
from ..store import Json, Run, Summary, default_path

if TYPE_CHECKING:
    from ...solving.refinement import Behaviours
    from ...solving.tree import Tree

LONG = 60  # characters of a fraction that are displayed


class ValueKind(Kind):
    """Base of runs that compute the value of a game, with a certificate."""

    has_report = True

    def curve(self, ask: Json) -> Curve:
        return BoundsCurve()

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        counted = any("iterations" in step for step in run.steps)
        lines: list[Sequence[Cell]] = [("iterations" if counted else "round", "lower", "upper")]
        lines += [(step.get("iterations", step["number"]), step["lower"], step["upper"]) for step in run.steps]
        if run.result:
            lines.append(("result", run.result["lower"], run.result["upper"]))
        return lines

    def certificate(self, run: Run) -> Json | None:
        return run.result and run.result["certificate"]

    def solution(self, run: Run) -> Json:
        found = self.certificate(run)
        if found is None:
            raise ValueError(f"run {run.name} has no certificate: it must be finished, and small enough to have one")
        return found

    def summary(self, run: Run) -> list[str]:
        result = run.result
        if result is None:
            return []
        if result["exact"]:
            value = str(result.get("value", result["lower"]))
            number = value if len(value) < LONG else value[: LONG - 3] + ".."
            decimal = f" = {result['score']:.9g}" if "/" in value else ""
            said = f"The first player gets exactly {number}{decimal}."
        else:
            low, high = result["interval"]
            said = f"The first player gets {result['score']:.9g}, certainly between {low:.9g} and {high:.9g}."
        proof = "Both strategies are proved by a certificate."
        if result["certificate"] is None:
            reason = (
                "it would be too large to check"
                if result["exact"]
                else "the strategies were checked in floating point only"
            )
            proof = f"There is no certificate: {reason}."
        return [said, *([f"Found by {result['solver']}."] if "solver" in result else []), proof]


def facts_of(run: Run, keys: Sequence[str], delivered: Outputs) -> Json:
    """Return the first `--json` keys: the run, these keys of its result, and the time spent."""
    result, seconds = run.result or {}, delivered.seconds
    found = {key: result[key] for key in keys}
    spent = {"cpu_seconds": None if seconds is None else round(seconds, 3)}
    proof = {"certificate": None if delivered.certificate is None else str(delivered.certificate)}
    return {"run": run.name, "state": "finished", "game": run.request["game"], **found, **spent, **proof}


# Solves, resumable at every step.

Watch = Callable[[Progress], None]


@dataclass(frozen=True, eq=False)
class SolveTask:
    """A request with its game and the chosen method."""

    request: SolveRequest
    problem: GameSource
    route: SolveMethod
    small: bool = False  # true if compiling the kernels would take longer than solving
    against: "Callable[[Tree], Behaviours] | None" = None  # the opponents that the strategies are refined against

    @property
    def ask(self) -> Json:
        return self.request.to_json(self.problem)

    def solve(self, watch: Callable[[RouteProgress], None], saved: SolverState = NO_STATE) -> Solution:
        """Run the method from a saved state."""
        ask = self.request
        refine = "uniform" if self.against else ask.refine
        options = SolveOptions(
            ask.exact, ask.gap, ask.memory, ask.seed, ask.iterations, ask.seconds,
            refine, self.against, ask.fraction("safety", 0),
        )  # fmt: skip
        with interpreted() if self.small else nullcontext():
            return run_generator(self.route.solve(self.problem, options, saved), watch)


def task_of(
    request: SolveRequest,
    watch: Watch = ignore_progress,
    problem: GameSource | None = None,
    store: Path | None = None,
) -> SolveTask:
    """Return the task; raise ValueError for an impossible one, before anything is stored."""
    problem = problem or find_source(request.game)
    route = choose_solve_method(request.solver, problem)
    if route.made_for or route.samples:
        if request.lock or request.against or request.refined:
            told = f"{route.name} has its own strategies, which are neither locked nor refined"
            raise ValueError(f"{told}: take --method lp, if the whole tree of {problem.name} fits into memory")
        return SolveTask(request, problem, route)
    small = route.exact and build_small_tree(problem, request.memory)
    if not small:
        began = process_time()
        problem.tree(request.memory, lambda nodes, share: watch(_growth(nodes, share, process_time() - began)))
    with interpreted() if small else nullcontext():
        locked, against = _given(request, problem, store or default_path())
        tree = locked.tree(request.memory)
    chosen = request.lock or request.against or request.refined
    if chosen and tree.nodes > EASY_TO_CHECK:
        told = f"{problem.name} has {tree.nodes:,} histories, too many for the proof of a lock or a refinement"
        raise ValueError(f"{told}: that takes at most {EASY_TO_CHECK:,}")
    return SolveTask(request, locked, route, small, against)


def _given(
    request: SolveRequest, problem: GameSource, store: Path
) -> "tuple[GameSource, Callable[[Tree], Behaviours] | None]":
    """Return the game with its locks, and the opponents to gain from, if the request names policies."""
    if request.lock is None and request.against is None:
        return problem, None
    from ...solving.locks import GivenPolicy, LockedSource

    game = problem.as_game(request.memory)
    if request.lock is not None:
        policy = GivenPolicy(game, request.lock.agent(game, store, request.seed), request.seat and request.seat - 1)
        problem = LockedSource(problem, policy, request.fraction("lock_weight", 1))
    if request.against is None:
        return problem, None
    against = GivenPolicy(game, request.against.agent(game, store, request.seed))
    return problem, lambda tree: against.behaviours(problem, tree)


def _growth(nodes: int, share: float | None, seconds: float) -> Progress:
    """Describe the growth of the tree and the remaining time, extrapolated from the traversed part."""
    left = f", about {seconds * (1 / share - 1):,.0f} CPU s left" if share else ""
    return Progress(f"{nodes:,} histories{left}", share)


def source_of(run: Run, named: str | None) -> str:
    """Return the source of a stored run's rules: the user's, else the stored one unless that is code."""
    source = run.request["source"]
    if named is None and is_code(source):
        raise ValueError(
            f"the rules of run {run.name} are Python code, which runs only if you name its file: "
            f"fogspiel resume {run.name} --source {shlex.quote(source)}"
        )
    return named or source


def task_of_run(run: Run, watch: Watch, source: str | None = None, store: Path | None = None) -> SolveTask:
    """Return the task of a stored run; raise ValueError if its rules, perhaps at the user's `source`, have changed."""
    ask, problem = run.request, find_source(source_of(run, source))
    if problem.name != ask["game"]:
        raise ValueError(
            f"run {run.name} solves {ask['game']}, but --source names {problem.name}: give the rules again"
        )
    if ask["rules"] != problem.version:
        raise ValueError(
            f"run {run.name} was solved by version {ask['rules']} of the rules of {ask['game']}, which now are at "
            f"version {problem.version}: it can be exported, but not resumed"
        )
    return task_of(SolveRequest.from_json(ask, problem.source), watch, problem, store)


def solve_unstored(
    request: SolveRequest, watch: Watch = ignore_progress, problem: GameSource | None = None
) -> Solution:
    return task_of(request.resolved(default_path()), watch, problem).solve(
        lambda progress: watch(_progress_of(progress))
    )


def _progress_of(progress: RouteProgress) -> Progress:
    lower, upper = progress.lower, progress.upper
    bounds = "" if lower is None or upper is None else f", value in [{lower:.8f}, {upper:.8f}]"
    return Progress(progress.remark + bounds)


def solve_game(game: Game | str, **options: Any) -> Solution:
    """Solve a game, given as a record or as on the command line; options as in `SolveRequest`."""
    if isinstance(game, Game):
        return solve_unstored(SolveRequest(game=game.name, **options), problem=KernelSource(game, game.name))
    return solve_unstored(SolveRequest(game=str(game), **options))


# The kind


class SolveKind(ValueKind):
    name, title, method = "solve", "solution", "solve"
    heading = "Solved"
    request = SolveRequest

    def check(self, run: Run) -> SolveRequest:
        """Return the request; `task_of_run` checks the rules when they are loaded."""
        return SolveRequest.from_json(run.request)

    def check_source(self, run: Run, source: str | None) -> None:
        source_of(run, source)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        def watch(progress: RouteProgress) -> None:
            state = progress.state
            if progress.row is not None:
                recorder.step(progress.row, progress.row["number"])
            if state is not None:
                bounds = {"lower": progress.lower, "upper": progress.upper}  # for observers, if they are finite
                known = all(bound is not None and isfinite(bound) for bound in bounds.values())
                told = {"remark": progress.remark} | (bounds if known else {})
                recorder.save_partial(lambda: {"state": b64encode(state).decode(), **told})
            context.on_progress(_progress_of(progress))

        sys.set_int_max_str_digits(0)  # exact fractions may have thousands of digits
        with limit_memory(run.request["memory"]):
            ready = context.prepared
            task = ready if isinstance(ready, SolveTask) else None
            task = task or task_of_run(run, context.on_progress, context.source, context.store)
            kept = run.partial()
            return task.solve(watch, SolverState(run.steps, b64decode(kept["state"]) if kept else None)).to_json()

    def form_of(self, ask: Json) -> dict[str, str] | None:
        return super().form_of(ask) if game_or_none(ask["source"]) is not None else None

    def headline(self, run: Run) -> str:
        return f"solving {run.request['source']}"

    def resume_command(self, run: Run, resume: str) -> str:
        return resume + (_where(run) if is_code(run.request["source"]) else "")

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        body = facts_of(run, ("value", "lower", "upper", "exact", "sizes"), delivered)
        return body | {"method": (run.result or {})["solver"]}

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str]:
        ask, found = run.request, Solution.from_json(run.result or {})
        yield f"{ask['game']}: the first player gets {found.words}"
        spent = "" if delivered.seconds is None else f", {delivered.seconds:.2f} CPU s"
        yield f"by {found.description}{spent}{_sizes(found.sizes)}"
        yield from _chosen(found.certificate or {})
        path, where = delivered.certificate, _where(run)
        if path is None:
            yield found.unproved
            return
        source = ask["source"]
        play = f"; play them: fogspiel match {shlex.quote(source)} {run.name} uniform"
        yield f"strategies: fogspiel explain {run.name}{where}{'' if is_nameless(source) else play}"
        yield f"certificate: {path}; check it with: fogspiel verify {shlex.quote(str(path))}{where}"

    def agent(self, run: Run, game: Game) -> Agent:
        if run.request["game"] != game.name or run.request["rules"] != game.version:
            raise ValueError(
                f"run {run.name} solved version {run.request['rules']} of {run.request['game']}, not {game.name}"
            )
        found = self.certificate(run)
        if found is None:
            raise ValueError(f"run {run.name} has no strategies yet: finish it with `fogspiel resume {run.name}`")
        return certificate_agent(run.name, found, game)

    def playable(self, run: Run) -> bool:
        proof = self.certificate(run)
        return game_or_none(run.request["game"]) is not None and proof is not None and proof.get("sides") != NO_SIDES

    def opponent(self, summary: Summary) -> tuple[str, str] | None:
        if summary.state != "finished" or summary.interval is None:
            return None
        low, high = summary.interval
        if low == high:
            return "solution", "plays the exact solution that it found: nobody beats it in the long run"
        worse = f"at most {high - low:.1g} per game worse than a perfect one"
        return "solution", f"plays the solution that it found, {worse}"


NO_SIDES = [None, None]  # of a certificate that proves the payoffs of a game alone, and has no strategy


def _where(run: Run) -> str:
    """Return the `--source` option of rules outside the package."""
    return "" if run.request["source"] == run.request["game"] else f" --source {shlex.quote(run.request['source'])}"


def _chosen(body: Mapping[str, Any]) -> Iterator[str]:
    """Describe the locks and the refinement of a certificate."""
    lock, refinement = body.get("lock"), body.get("refinement")
    if "quasi_perfect" in body:
        yield "refined: quasi-perfect, each decision is best against an opponent who errs rarely (proved)"
    if lock is not None:
        counts = " and ".join(f"{len(rows)}" for rows in lock["rows"])
        yield f"locked: {counts} information states of the two players, with probability {lock['weight']}"
    if refinement is not None:
        first, second = (f"{float(Fraction(score)):.6g}" for score in refinement["scores"])
        who = "uniform play" if refinement["opponent"] == "uniform" else "the given policy"
        less = "" if refinement["safety"] == "0" else f" less {refinement['safety']}"
        best = f"the best of all that secure the value{less}"
        if "slack" in refinement:
            slack = max(float(Fraction(number)) for number in refinement["slack"])
            best = f"in floating point, at most {slack:.1e} below the best that secure as much"
        yield f"refined: against {who} {first} and {second}, {best} (proved)"


def _sizes(sizes: Mapping[str, Any]) -> str:
    nodes = f"; {sizes['nodes']:,} histories" if "nodes" in sizes else ""
    infosets = "; " + " and ".join(f"{number:,}" for number in sizes["infosets"]) if "infosets" in sizes else ""
    return f"{nodes}{infosets and infosets + ' infosets'}"


KIND = SolveKind()
KINDS = (KIND,)
