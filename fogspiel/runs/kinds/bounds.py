"""Bounds on games too large to solve, narrowed until the budget is spent."""

import shlex
from collections.abc import Iterator
from fractions import Fraction

from ...solving.bounds import BoundsStep, Schedule, informed_bounds, search_bounds
from ..kind import Context, Outputs, Progress, Recorder, run_generator
from ..requests import BoundsRequest
from ..store import Json, Run
from .solve import ValueKind, facts_of


class BoundsKind(ValueKind):
    name = title = method = "bounds"
    heading = "Bounds"
    request = BoundsRequest

    def check(self, run: Run) -> BoundsRequest:
        return BoundsRequest.from_json(run.request)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        request, kept = self.check(run), run.partial()
        saved = kept["saved"] if kept else None
        if saved is not None:  # runs of earlier versions stored no CPU time: wall-clock time is an upper bound
            saved.setdefault("seconds", run.seconds_worked)

        def watch(stage: BoundsStep) -> None:
            recorder.save_partial(lambda: {"saved": stage.saved})
            bounds = f"value in [{float(stage.lower):.6f}, {float(stage.upper):.6f}]"
            context.on_progress(Progress(f"{stage.remark}, {bounds}"))

        limits = (request.seconds, request.memory, saved)
        if request.informed is None:
            stages = search_bounds(request.game, *limits)
        else:
            stages = informed_bounds(request.game, Schedule.parse(request.informed), *limits)
        proof = run_generator(stages, watch)
        lower, upper = Fraction(proof["lower"]), Fraction(proof["upper"])
        found = {"lower": str(lower), "upper": str(upper), "exact": lower == upper, "certificate": dict(proof)}
        return found | {"score": float((lower + upper) / 2), "interval": [float(lower), float(upper)]}

    def headline(self, run: Run) -> str:
        return f"bounds on {run.request['game']}{_opponent(run)}"

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        return facts_of(run, ("lower", "upper", "exact"), delivered)

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str]:
        result = run.result or {}
        if result["exact"]:
            value = f"exactly {result['lower']}"
        else:
            lower, upper = result["interval"]
            width = f"({lower:.6f} and {upper:.6f}, width {upper - lower:.6f})"
            value = f"between {result['lower']} and {result['upper']} {width}"
        spent = "" if delivered.seconds is None else f", {delivered.seconds:.1f} CPU s"
        yield f"{run.request['game']} (classical){_opponent(run)}: the first player gets {value}{spent}"
        path = delivered.certificate
        yield f"proof: {path}; check it with: fogspiel verify {shlex.quote(str(path))}"


def _opponent(run: Run) -> str:
    """Describe the opponent's information if the bounds are those of Lemma 2."""
    return f", the opponent informed {run.request['informed']}" if "informed" in run.request else ""


KIND = BoundsKind()
KINDS = (KIND,)
