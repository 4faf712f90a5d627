"""Bounds on the value of any game, narrowed until the budget is spent."""

import shlex
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator
from fractions import Fraction
from math import inf

from ...core.find import spec_of
from ...core.game import known_game
from ...solving.bounds import BoundsStep, Schedule, board_of, informed_bounds, search_bounds
from ...solving.bounds.any_game import bound
from ...solving.bounds.lemma_two import InformedGame, Turns, informed_board
from ...solving.bounds.sure_win import random_play_bounds
from ...solving.methods import SolveOptions, SolverProgress, SolverState
from ...solving.proofs.checkers.phantom_bounds import is_bounded
from ...solving.proofs.checkers.refutation import FORMAT as REFUTATION
from ...solving.sources import GameSource, KernelSource, find_source
from ..kind import Context, Outputs, Progress, Recorder, run_generator
from ..requests import BoundsRequest
from ..store import Json, Run
from .solve import LONG, NO_SIDES, ValueKind, facts_of

UNBOUNDED = (
    "nothing is proved but its lowest and highest payoff: its histories and its states are too many for this budget; "
    "a smaller variant may have bounds"
)
NOTHING = Fraction(0), Fraction(1)  # the bounds of an empty proof
LEMMA_4 = "a bound of Lemma 4, by random play of who wins with open eyes"
LEMMA_VISITS = 50_000_000  # positions to decide who wins with open eyes, some 15 CPU s; 5x5 takes 190,000


class BoundsKind(ValueKind):
    name = title = method = "bounds"
    heading = "Bounds"
    request = BoundsRequest

    def check(self, run: Run) -> BoundsRequest:
        return BoundsRequest.from_json(run.request)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        request, kept = self.check(run), run.partial()
        if (request.informed or "").startswith("T:"):
            return _literal_lemma(request.game, Turns.parse(str(request.informed)))
        if request.informed is None and not is_bounded(request.game):
            return _bound_any(request, recorder, context, kept)
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
        proved = Fraction(proof["lower"]), Fraction(proof["upper"])
        lower, upper = self._at_least_lemma_four(request, proved)
        return {
            "lower": str(lower),
            "upper": str(upper),
            "exact": lower == upper,
            "certificate": None if proved == NOTHING else dict(proof),
            "score": float((lower + upper) / 2),
            "interval": [float(lower), float(upper)],
        } | ({} if (lower, upper) == proved else {"uncertified": LEMMA_4})

    def _at_least_lemma_four(self, request: BoundsRequest, proved: tuple[Fraction, Fraction]) -> tuple[Fraction, ...]:
        """Return the proved bounds, or Lemma 4's where nothing is proved: they cost little, but have no certificate."""
        if request.informed is not None or (proved[0] > 0 and proved[1] < 1) or proved[0] == 1:
            return proved
        _, lemma = random_play_bounds(board_of(request.game), LEMMA_VISITS)
        return max(proved[0], lemma[0]), min(proved[1], lemma[1])

    def headline(self, run: Run) -> str:
        return f"bounds on {run.request['game']}{_opponent(run)}"

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        return facts_of(run, ("lower", "upper", "exact"), delivered)

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str]:
        result = run.result or {}
        lower, upper = result["interval"]
        exact, between = f"exactly {result['lower']}", f"between {result['lower']} and {result['upper']}"
        if result["exact"]:
            value = exact if len(exact) < LONG else f"exactly {exact[: LONG - 3]}.. = {lower:.12g}"
        elif len(between) < 2 * LONG:
            value = f"{between} ({lower:.6f} and {upper:.6f}, width {upper - lower:.6f})"
        else:
            value = f"between {lower:.9g} and {upper:.9g} (width {upper - lower:.3g})"
        spent = "" if delivered.seconds is None else f", {delivered.seconds:.1f} CPU s"
        variant = " (classical)" if is_bounded(run.request["game"]) else ""
        yield f"{run.request['game']}{variant}{_opponent(run)}: the first player gets {value}{spent}"
        if "solver" in result and result["sizes"]:
            yield f"by {result['solver']}"
        if (result["certificate"] or {}).get("format") == REFUTATION:
            yield "Black has no sure win: for every strategy White has a first stone and replies that do not lose"
        path = delivered.certificate
        if path is not None:
            words = spec_of(run.request["game"])
            where = "" if words is None else f" --source {shlex.quote(words.typed)}"
            yield f"proof: {path}; check it with: fogspiel verify {shlex.quote(str(path))}{where}"
        if "uncertified" in result:
            yield f"without a certificate: {result['uncertified']}"
        elif "turns" in result:
            yield f"Lemma 2 with {result['turns']}: the lower bound is Black's exact value in that game; no certificate"
        elif (result["certificate"] or {}).get("sides") == NO_SIDES:
            yield UNBOUNDED
        elif path is None:
            yield "nothing is proved, so there is no certificate: grant more --seconds"

    def summary(self, run: Run) -> list[str]:
        result = run.result
        if result is None:
            return []
        said, *_ = super().summary(run)
        proof = "The bounds are proved by a certificate." if result["certificate"] else "There is no certificate."
        return [said, *([f"Found by {result['solver']}."] if "solver" in result else []), proof]


def _bound_any(request: BoundsRequest, recorder: Recorder, context: Context, kept: Json | None) -> Json:
    """Return the bounds of a game by the best methods for it."""
    found, worst = _source_of(request.game), (-inf, inf)

    def watch(step: SolverProgress) -> None:
        state, lower, upper = step.state, step.lower, step.upper
        if state is not None:
            recorder.save_partial(
                lambda: {"state": b64encode(state).decode(), "remark": step.remark, "lower": lower, "upper": upper}
            )
        bounds = "" if (lower, upper) in (worst, (None, None)) else f", value in [{lower:.6f}, {upper:.6f}]"
        context.on_progress(Progress(f"{step.remark}{bounds}"))

    seconds = None if request.iterations else request.seconds
    options = SolveOptions(
        memory=request.memory, seed=request.seed or 0, iterations=request.iterations, seconds=seconds
    )
    sys.set_int_max_str_digits(0)  # exact fractions may have thousands of digits
    state = SolverState((), b64decode(kept["state"]) if kept and "state" in kept else None)
    body = run_generator(bound(found, options, state), watch).to_json()
    proved = body["certificate"] or body
    lower, upper = (str(Fraction(proved[name])) for name in ("lower", "upper"))
    return body | {"lower": lower, "upper": upper, "exact": lower == upper, "value": str(body["value"])}


def _source_of(name: str) -> GameSource:
    words = spec_of(name)
    return KernelSource(known_game(name), name) if words is None else find_source(words.absolute)


def _literal_lemma(game: str, turns: Turns) -> Json:
    """Return the bounds of the game G' of Lemma 2, whose value is a lower bound for Black."""
    value = InformedGame(informed_board(game), turns).value()
    found = {"lower": str(value), "upper": "1", "exact": value == 1, "certificate": None, "turns": str(turns)}
    return found | {"score": float((value + 1) / 2), "interval": [float(value), 1.0]}


def _opponent(run: Run) -> str:
    """Describe the opponent's information if the bounds are those of Lemma 2."""
    words = run.request.get("informed")
    if words is None:
        return ""
    return f", {words}" if words.startswith("T:") else f", the opponent informed {words}, before the player's move"


KIND = BoundsKind()
KINDS = (KIND,)
