"""Matches of external programs: two engines, or two settings of one program, in pairs of games with swapped seats."""

from collections.abc import Iterator
from functools import partial

from ...core.game import WIN_DRAW_LOSS
from ...process.line_process import Answer
from ...stats.evaluate import MatchResult, elo_of, report_key
from ...tuning.programs.contest import ProgramContest, ProgramMatch, parameter_values
from ..kind import Context, Kind, Outputs, Progress, Recorder
from ..request import score_sentence, signed
from ..requests import ProgramMatchRequest
from ..store import Json, Run
from .match import MatchKind, counted_so_far, sprt_bar, sprt_json, sprt_sentence
from .program import ProgramRun

OUTCOMES, SIDES = len(WIN_DRAW_LOSS), ("first", "second")


class ProgramMatchKind(ProgramRun, MatchKind):
    """A match that a sequential test may end after any pair of games, so that batches change nothing."""

    name, title, method = "program_match", "match of programs", "program-match"
    request = ProgramMatchRequest  # type: ignore[assignment]
    state_is_step, does = False, "plays"

    def check(self, run: Run) -> ProgramMatchRequest:  # type: ignore[override]
        return ProgramMatchRequest.from_json(run.request)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        request, program = self.check(run), self.program_of(run, context)
        with self.resumable(recorder, context):
            return play(request, program, counted_so_far(run), recorder, context)

    def headline(self, run: Run) -> str:
        return " - ".join(run.request["names"])

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str]:
        counted = run.result or counted_so_far(run) or {}
        yield f"{run.name}: {_score(run.request, counted)}"
        score, (low, high) = counted["score"], counted["interval"]
        elo, *ends = (None if x in (0.0, 1.0) else elo_of(x) for x in (score, low, high))
        span = ", ".join(signed(end, sign) for end, sign in zip(ends, "-+", strict=True))
        elos = f"{signed(elo, '+' if score else '-')} Elo [{span}]"
        yield f"{counted['wins']} wins, {counted['draws']} draws, {counted['losses']} losses: {elos}"
        if "sprt" in counted:
            yield sprt_sentence(counted["sprt"])
        yield f"{counted['games']} games in pairs, seed {run.request['seed']}; 95 % interval, valid at any time"

    def request_lines(self, ask: Json) -> list[tuple[str, str]]:
        sides = ((side, ", ".join(f"{name} {value}" for name, value in ask[side].items())) for side in SIDES)
        return [*super().request_lines(ask), *((f"values of the {side}", words) for side, words in sides if words)]

    def summary(self, run: Run) -> list[str]:
        counted = run.result or counted_so_far(run)
        return [] if counted is None else [f"{_score(run.request, counted)}."]

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        facts = {key: run.request[key] for key in ("game", "names", "first", "second", "seed")}
        return facts | (run.result or counted_so_far(run) or {}) | {"state": "finished"}

    interruption = Kind.interruption

    csv = Kind.csv


def play(
    request: ProgramMatchRequest, program: ProgramContest, counted: Json | None, recorder: Recorder, context: Context
) -> Json:
    """Play pair after pair until the test decides or the games are spent; only pairs that count are kept as PGN."""
    sides = [[parameter_values(values)] for values in (request.first, request.second)]
    match, key, pairs = ProgramMatch(program, *sides), report_key(request.seed), request.games // 2
    outcomes, observed = ([0] * size for size in (OUTCOMES, 2 * OUTCOMES - 1))
    if counted is not None:
        outcomes, observed = list(counted["outcomes"]), list(counted["observed"])
    announced = done = sum(observed)
    keep, held = program.sink, list[Answer]()
    program.sink = held.append
    test, verdict = request.test, 0
    while done < pairs and not verdict:
        batch = min(program.least, pairs - done)
        if program.in_advance:
            until = min(done + batch + program.in_advance, pairs)
            program.door.announce(match.questions(key, announced, until - announced, 2))
            announced = until
        for number, row in enumerate(match.scores(key, done, batch).tolist()):
            for score in row:
                outcomes[score] += 1
            observed[sum(row)] += 1
            done += 1
            for answer in held[2 * number : 2 * number + 2]:
                keep(answer)
            if test is not None and (verdict := test.decision(observed)):
                break
        held.clear()
        found = MatchResult(tuple(map(float, WIN_DRAW_LOSS)), tuple(outcomes), tuple(observed)).to_json()
        found |= {} if test is None else {"sprt": sprt_json(test, observed)}
        recorder.save_partial(partial(dict, found))
        words = f"{found['score']:.4f}" + ("" if test is None else f", {sprt_bar(test, observed)}")
        context.on_progress(Progress(words, done / pairs, 2 * done))
    return found


def _score(ask: Json, counted: Json) -> str:
    first, second = ask["names"]
    return score_sentence(first, second, counted)


KIND = ProgramMatchKind()
KINDS = (KIND,)
