"""Bounds on games that are too large to be solved: narrowed as long as the budget lasts."""

import shlex
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Self

from ...core.game import find_game
from ...phantom.bounds import Step, bounds_of
from ...solve.checkers.phantom_bounds import GAMES
from ..kind import Delivered
from ..request import check_option, versions
from ..store import Json, Run
from ..value import ValueKind, facts_of
from ..work import Context, Progress, Recorder, drive


@dataclass(frozen=True)
class Request:
    """What a user asks: which game, for how many CPU seconds, within how many GiB."""

    game: str
    seconds: float = 300.0
    memory: float = 1.0

    def __post_init__(self) -> None:
        """Check everything at once, so that nothing is written for a request that cannot be met."""
        if self.game not in GAMES:
            find_game(self.game)
            raise ValueError(f"there are no bounds for {self.game}: the games are {', '.join(GAMES)}")
        check_option("time", self.seconds)
        check_option("memory", self.memory)

    def to_json(self) -> Json:
        """The first row of the run."""
        return asdict(self) | {"method": KIND.method} | versions(self.game)

    @classmethod
    def from_json(cls, ask: Json) -> Self:
        """The request that a first row keeps."""
        return cls(ask["game"], ask["seconds"], ask["memory"])


class Bounds(ValueKind):
    """Prove bounds on the value of a game that is too large to be solved."""

    name = title = method = "bounds"
    heading = "Bounds"
    form = ("game", "seconds", "memory")

    def check(self, run: Run) -> Request:
        """The request."""
        return Request.from_json(run.ask)

    def find(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Narrow the bounds until they meet or the budget is spent."""
        request, kept = self.check(run), run.partial()
        saved = kept["saved"] if kept else None
        if saved is not None:  # a run of before has no CPU time: what passed on the clock is the most that it can be
            saved.setdefault("seconds", run.seconds_worked)
        stages = bounds_of(request.game, request.seconds, request.memory, saved)

        def watch(stage: Step) -> None:
            recorder.keep(lambda: {"saved": stage.saved})
            bounds = f"value in [{float(stage.lower):.6f}, {float(stage.upper):.6f}]"
            context.watch(Progress(f"{stage.remark}, {bounds}"))

        proof = drive(stages, watch)
        lower, upper = Fraction(proof["lower"]), Fraction(proof["upper"])
        found = {"lower": str(lower), "upper": str(upper), "exact": lower == upper, "certificate": dict(proof)}
        return found | {"score": float((lower + upper) / 2), "interval": [float(lower), float(upper)]}

    def headline(self, run: Run) -> str:
        return f"bounds on {run.ask['game']}"

    def outcome(self, run: Run, delivered: Delivered) -> Json:
        return facts_of(run, ("lower", "upper", "exact"), delivered)

    def lines(self, run: Run, delivered: Delivered) -> Iterator[str]:
        """The bounds, and how to check them."""
        result = run.result or {}
        if result["exact"]:
            value = f"exactly {result['lower']}"
        else:
            lower, upper = result["interval"]
            width = f"({lower:.6f} and {upper:.6f}, width {upper - lower:.6f})"
            value = f"between {result['lower']} and {result['upper']} {width}"
        spent = "" if delivered.seconds is None else f", {delivered.seconds:.1f} CPU s"
        yield f"{run.ask['game']} (classical): the first player gets {value}{spent}"
        path = delivered.certificate
        yield f"proof: {path}; check it with: fogspiel verify {shlex.quote(str(path))}"


KIND = Bounds()
KINDS = (KIND,)
