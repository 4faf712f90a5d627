"""Tuning of external programs: the tuned values, in the user's units, and the validation of their gain."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...core.agents import Agent
from ...core.game import Game
from ...stats.race import Race
from ...tuning.programs.contest import SHARE, FunctionBackend, ProgramContest, Scale
from ...tuning.programs.parameters import Parameters, Value, read_parameters
from ...tuning.tune import DEFAULT_METHOD, START, search, split_budget
from ..kind import Context, DecisionBar, Kind, Outputs, Recorder, in_sentences
from ..programs import UCI, ProgramSpec, option_for, title_of
from ..report import Cell, Chart, Curve, Part, Report, Series, Table
from ..request import check_seed, signed, with_interval
from ..requests import ProgramMatchRequest, ProgramRequest
from ..store import Json, Run, StoreError
from ..tuning_run import (
    CAPITAL,
    TESTED,
    UNPROVED,
    StepRow,
    TuningWork,
    capital_bar,
    gain_test_of,
    lengthen,
    pairs_sentence,
    proof_sentence,
    recommendation_of,
    thin_evenly,
)
from .tune import RaceCurve, TuningKind, VectorCells

# Fields of a request that have lines of their own.
WRITTEN_OUT = ("sort", "digest", "parameters", "search", "range", "alone", "facts", "first", "second", "proves")
NO_GAMES = (
    "The store keeps counts, not games: `--pgn FILE`, an option of tune, match and resume, adds every game to a file."
)


def demand_program(
    request: ProgramRequest | ProgramMatchRequest, run: str, named: ProgramSpec, does: str
) -> str | None:
    """Raise ValueError for a program other than the run's; return a remark if it may be another one."""
    if named.type != request.sort:
        titles = f"a {title_of(request.sort)}, not a {title_of(named.type)}"
        raise ValueError(f"run {run} {does} {titles}: name it by --{request.sort}")
    if named.digest == request.digest:
        return None
    if named.fixed:
        raise ValueError(
            f"{named.spec} has changed since run {run} began, or is another {title_of(request.sort)}: "
            "name the old one, or begin a new run"
        )
    title = title_of(request.sort)
    return f"run {run} began with another {title} than {named.spec}: its earlier games count all the same"


class ProgramRun(Kind, ABC):
    """A run of an external program, which the user names whenever the run begins or goes on."""

    does = "tunes"

    @abstractmethod
    def check(self, run: Run) -> ProgramRequest | ProgramMatchRequest: ...

    def check_source(self, run: Run, source: str | None) -> None:
        if source is not None:
            raise ValueError(f"run {run.name} {self.does} a program, not a game: name it by {self._option(run)}")

    def program_of(self, run: Run, context: Context) -> ProgramContest:
        program = context.prepared
        if not isinstance(program, ProgramContest):
            raise self.unnamed(run)
        program.door.tell_faults(context.on_fault)
        return program

    @contextmanager
    def resumable(self, recorder: Recorder, context: Context) -> Iterator[None]:
        """Keep the state after an error of the program, which can be mended and the run resumed."""
        try:
            yield
        except StoreError:
            raise
        except ValueError as error:
            recorder.interrupt()
            raise ValueError(f"{error}; nothing is lost, go on with: {context.resume_command}") from error

    def unnamed(self, run: Run) -> ValueError:
        again = f"fogspiel resume {run.name} {self._option(run)}"
        return ValueError(f"run {run.name} {self.does} a program, which is run only if you name it: {again}")

    def request_lines(self, ask: Json) -> list[tuple[str, str]]:
        """Return the program, the plain fields, the conditions of the games, and each parameter."""
        _, *plain = super().request_lines({key: value for key, value in ask.items() if key not in WRITTEN_OUT})
        lines = [("program", title_of(ask["sort"])), ("digest of the program", ask["digest"]), *plain]
        lines += [(key.replace("_", " "), str(value)) for key, value in (ask.get("facts") or {}).items()]
        for table in ask["parameters"]:
            words = [f"{key} {value}" for key, value in table.items() if key != "name" and value is not False]
            lines.append((f"parameter {table['name']}", ", ".join(words)))
        return lines

    def games_note(self, ask: Json) -> str | None:
        return NO_GAMES if ask["sort"] == UCI else None

    def resume_command(self, run: Run, resume: str) -> str:
        return f"{resume} {self._option(run)}"

    def _option(self, run: Run) -> str:
        return option_for(run.request["sort"], run.request["digest"])

    def playable(self, run: Run) -> bool:
        return False

    def agent(self, run: Run, game: Game) -> Agent:
        raise ValueError(
            f"run {run.name} {self.does} an outside program, whose values play no game of ours: export them"
        )


class ProgramKind(ProgramRun, TuningKind):
    name, title, method = "program", "tuning a program", "program"
    heading = "Tuning"
    request = ProgramRequest
    has_report = True

    def check(self, run: Run) -> ProgramRequest:
        return ProgramRequest.from_json(run.request)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Run the method, validate its result, and return the values in the user's units."""
        request, program = self.check(run), self.program_of(run, context)
        with self.resumable(recorder, context):
            result = TuningWork(program, request.search, START, SHARE, request, run, recorder, context).tune()
        proof = result["proof"]
        figures = {key: proof[key] for key in ("score", "interval") if key in proof}
        return {"parameters": request.space.values(result["theta"]), **result, **figures}

    # Terminal output

    def headline(self, run: Run) -> str:
        many, sort = len(run.request["parameters"]), title_of(run.request["sort"])
        what = "test of the values of" if run.request.get("proves") else run.request["search"] + " on"
        return f"{what} {many} parameter{'s' * (many > 1)} of a {sort}, seed {run.request['seed']}"

    def summary(self, run: Run) -> list[str]:
        return in_sentences(self._found(run))

    def _found(self, run: Run) -> list[str]:
        if run.result is None:
            return ["nothing is proved before the run has ended with a race against the start"]
        proof = run.result["proof"]
        more = [pairs_sentence(proof)] if proof.get("normalised_elo") is not None else []
        return [program_proof(proof, self.check(run).scale), *more]

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str | Table]:
        result = run.result or {}
        yield f"{run.name}: {self.headline(run)}"
        yield f"{result['games']:,} games in {result['steps']} steps"
        yield from self._found(run)
        space, found = self.check(run).space, self._answer(run)
        unproved = self.values_found(run) if UNPROVED in result else None
        rows, columns = [], ("parameter", "start", "value" if unproved is None else "found, not proved")
        for member in space.members:
            value = (unproved or found)[member.name]
            limit = member.at_limit(value) if value != member.start else None
            rows.append((member.name, shown(member.start), shown(value) + (f" (its {limit})" if limit else "")))
        yield Table("parameters", "Values", columns, rows)
        if ends := [name for name, _, value in rows if value.endswith(")")]:
            yield f"at a limit: {', '.join(ends)}; if it may be crossed, widen it and go on with --from {run.name}"
        if unproved is None:
            yield f"keep them: fogspiel export {run.name}"
        elif result["proof"]["games"]:
            more = MORE_GAMES * result["proof"]["games"]
            yield f"prove them: fogspiel resume {run.name} --prove --games {more} {self._option(run)}"

    def values_found(self, run: Run) -> dict[str, Value]:
        """Return the values that the search found, proved or not."""
        found = (run.result or {}).get(UNPROVED) or recommendation_of(run)
        space = self.check(run).space
        return space.values(space.start if found is None else found["theta"])

    def test_of(self, run: Run, games: int) -> ProgramRequest:
        """Return the request that goes on with the test of a run's values."""
        request, result = self.check(run), run.result
        if result is None:
            raise ValueError(f"run {run.name} has not ended: resume it first, without --prove")
        proof, found = result["proof"], result.get(UNPROVED)
        if proof["proved"] or found is None or "test" not in proof:
            raise ValueError(
                f"run {run.name} has nothing left to prove: its result is {program_proof(proof, request.scale)}"
            )
        proves = {"run": run.name, "theta": found["theta"], "test": proof["test"], "pairs": proof["pairs"]}
        return request.model_copy(update={"games": games, "seconds": None, "proves": proves})

    def lengthened(self, run: Run, games: int, prepared: object) -> tuple[Json, list[Json]]:
        request = self.check(run)
        if request.proves is not None:
            raise ValueError(f"run {run.name} is a test: go on with it by --prove --games {games}")
        assert isinstance(prepared, ProgramContest)
        ask, steps = lengthen(prepared, request.search, START, SHARE, request, run, games)
        return ask.to_json(), steps

    def _answer(self, run: Run) -> dict[str, Value]:
        space, answer = self.check(run).space, recommendation_of(run)
        return space.values(space.start if answer is None else answer["theta"])

    def result_json(self, run: Run, delivered: Outputs) -> Json:
        return super().result_json(run, delivered) | {key: run.request[key] for key in ("sort", "search")}

    def request_lines(self, ask: Json) -> list[tuple[str, str]]:
        scores = "wins, draws and losses" if ask["range"] is None else f"{ask['range'][0]:g} to {ask['range'][1]:g}"
        alone = [("scored", "each vector alone, on the same seeds")] if ask["alone"] else []
        proves = [("goes on with the test of", ask["proves"]["run"])] if ask.get("proves") else []
        program, digest, *rest = super().request_lines(ask)
        return [program, digest, ("method", ask["search"]), ("scores", scores), *alone, *proves, *rest]

    # Drawing and exporting

    def report(self, run: Run) -> Report:
        """Add the test of the result, and the score along the parameters that matter most."""
        report, result, scale = super().report(run), run.result or {}, self.check(run).scale
        span = float(scale.payoffs[-1] - scale.payoffs[0])
        found = sorted(result.get("landscape", ()), key=lambda one: -one["importance"])
        if not found:
            return report
        rows = [(one["parameter"], one["importance"], max(one["points"], key=lambda at: at[1])[0]) for one in found]
        columns = ("parameter", "slope in standard errors", "best of the points")
        parts: list[Part] = [Table("importance", "Importance of the parameters", columns, rows)]
        for number, one in enumerate(found[:MOST_CHARTS], 1):
            points = [(value, *(span * score for score in scores)) for value, *scores in one["points"]]
            series = [Series.of("the fitted surface", points)]
            title, axis = f"Score above the start by {one['parameter']}", "score above the start"
            parts.append(Chart(f"along-{number}", title, one["parameter"], axis, series, group="landscape"))
        return replace(report, parts=(*report.parts, *parts))

    def panels_json(self, run: Run) -> Json:
        """Return the way of each parameter between its limits, its landscape, and the capital of the test."""
        space, found, now = self.check(run).space, (run.result or {}).get("landscape", ()), self.values_found(run)
        steps = [step for step in map(StepRow.from_json, run.steps) if step.theta is not None]
        way = [(step.games, space.values(step.theta or ())) for _, step in thin_evenly(steps, MOST_POINTS)]
        landscapes = {one["parameter"]: {key: one[key] for key in ("importance", "points")} for one in found}
        parameters = [
            {"name": one.name, "start": one.start, "value": now[one.name], "low": one.low, "high": one.high}
            | {"choices": list(one.choices), "way": [[games, values[one.name]] for games, values in way]}
            | landscapes.get(one.name, {})
            for one in space.members
        ]
        return super().panels_json(run) | {"parameters": parameters}

    def decision(self, run: Run) -> DecisionBar | None:
        request, proof, partial = self.check(run), (run.result or {}).get("proof", {}), run.partial() or {}
        counts = partial.get(TESTED) or partial.get("counts")
        if "capital" in proof:
            return DecisionBar(CAPITAL, proof["capital"], None, proof["goal"])
        total = request.games or next((row["budget"] for row in run.steps if "budget" in row), 0)
        if "spent" not in partial or counts is None:
            return None
        test = gain_test_of(request, split_budget(total, SHARE)[1] // 2)
        return capital_bar(test, counts)

    def curve(self, ask: Json) -> Curve:
        trail = RaceCurve(ask)
        trail.top = ProgramRequest.from_json(ask).scale.steps
        return trail

    def show_vectors(self, run: Run) -> VectorCells:
        space = self.check(run).space

        def show(theta: Sequence[float]) -> Sequence[Cell]:
            return list(map(_cell, space.values(theta).values()))

        return list(space.parameters), show(space.start.tolist()), show

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        lines, result, (_, _, show) = super().csv(run), run.result, self.show_vectors(run)
        if result is not None:
            proved = int(result["proof"]["proved"])
            lines.append(("result", result["games"], proved, None, None, *show(result["theta"])))
        return lines

    def parameters_json(self, run: Run) -> Json:
        """Return the values in the user's units and the vector that tuning methods use."""
        answer = recommendation_of(run)
        if answer is None:
            return {"parameters": None, "theta": None}
        return {"parameters": self._answer(run), "theta": answer["theta"]}

    def parameters(self, run: Run) -> list[tuple[str, str]]:
        if recommendation_of(run) is None:
            return []
        return [(name, shown(value)) for name, value in self._answer(run).items()]


KIND = ProgramKind()
KINDS = (KIND,)


def program_proof(proof: Json, scale: Scale) -> str:
    """Return one sentence about the validation of a program's values."""
    if not proof["proved"] and proof["games"]:
        score = with_interval(proof["score"], proof["interval"])
        elo = ""
        if "elo" in proof:
            low, high = (signed(limit, sign) for limit, sign in zip(proof["elo_interval"], "-+", strict=True))
            elo = f", {signed(proof['elo'], '+')} Elo [{low}, {high}]"
        what = f"the values found score {score}{elo} against the initial ones in {proof['games']:,} held-out games"
        return f"no gain was shown: {what}, so the run returns the initial values"
    if not proof["proved"] or "elo" in proof:
        return proof_sentence(proof)
    equal = 0.0 if scale.single else (scale.low + scale.high) / 2
    gain, low, high = (number - equal for number in (proof["score"], *proof["interval"]))
    what = (
        "better than the initial values by"
        if scale.single
        else "scores more than an even game against the initial values by"
    )
    return f"{what} {gain:.4g} [{low:.4g}, {high:.4g}] in {proof['games']:,} held-out games (anytime-valid)"


def shown(value: Value) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _cell(value: Value) -> Cell:
    return str(value).lower() if isinstance(value, bool) else value


# Tuning of a Python function in this process, without a store

DEFAULT_GAMES = 20_000
MOST_CHARTS = 24  # panels of the landscape
MOST_POINTS = 200  # of the way of a parameter
MORE_GAMES = 4  # the games of a test that goes on, in units of those it had


@dataclass(frozen=True)
class FunctionTuneResult:
    """Tuned values of a function, in the user's units, and their validation."""

    parameters: dict[str, Value]
    proof: Json  # score, interval, Elo and pentanomial counts against the initial values, on held-out games
    games: int
    steps: int
    scale: Scale

    @property
    def proved(self) -> bool:
        """True if a gain over the initial values was shown; otherwise the values are the initial ones."""
        return bool(self.proof["proved"])

    def __str__(self) -> str:
        return program_proof(self.proof, self.scale)


def tune_function(
    function: Callable[..., Any],
    parameters: Mapping[str, Mapping[str, Any]] | Parameters | str | Path,
    games: int = DEFAULT_GAMES,
    seed: int = 1,
    method: str = DEFAULT_METHOD,
    race: Race | None = None,
    score_range: tuple[float, float] | None = None,
    alone: bool = False,
) -> FunctionTuneResult:
    """Tune the arguments of `function(a, b, seed)`, the score of a against b; it is called in this process, serially.

    Parameters are tables by name (`{"margin": {"start": 5, "low": 0, "high": 20}}`) or a file of them. Scores are 0,
    1/2 and 1, or any number in `score_range`; with `alone` the function is `function(a, seed)`.
    """
    if isinstance(parameters, str | Path):
        space = read_parameters(parameters)
    else:
        space = parameters if isinstance(parameters, Parameters) else Parameters.of(parameters)
    check_seed(seed)
    if games < 2:
        raise ValueError(f"the budget is {games} games: give two or more")
    scale = Scale(*(score_range or (0.0, 1.0)), graded=score_range is not None, single=alone)
    program = ProgramContest("the function", space, FunctionBackend(function, scale), scale)
    answer, played, steps, final = search(program, method, games, seed, race, share=SHARE)
    assert final is not None
    return FunctionTuneResult(space.values(answer["theta"]), final.to_json(scale.payoffs), played, steps, scale)
