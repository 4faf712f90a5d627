"""Tuning runs of outside programs: the values that are found, in the user's units, and what is proved about them."""

from collections.abc import Iterator, Sequence

from ...core.agents import Agent
from ...core.game import Game
from ...stats.race import Race
from ...tuning.programs.contest import SHARE, ProgramContest, Scale
from ...tuning.programs.parameters import Value
from ...tuning.tune import START
from ..curve import Curve
from ..execute import Context, Recorder
from ..kind import Kind, Outputs, in_sentences
from ..programs import ProgramSpec, option_for, title_of
from ..report import Cell, Table
from ..request import asks
from ..requests import ProgramRequest
from ..store import Json, Run, StoreError
from ..tuning_run import (
    StepRow,
    TuningTask,
    keep_recommendation,
    pairs_sentence,
    proof_sentence,
    recommendation_of,
    tune_contest,
)
from .tune import RaceCurve


def demand_program(request: ProgramRequest, run: str, named: ProgramSpec) -> str | None:
    """Refuse a program that is not the one the run began with; a remark where it may be another one."""
    if named.sort != request.sort:
        titles = f"a {title_of(request.sort)}, not a {title_of(named.sort)}"
        raise ValueError(f"run {run} tunes {titles}: name it by --{request.sort}")
    if named.digest == request.digest:
        return None
    if named.fixed:
        raise ValueError(
            f"{named.words} has changed since run {run} began, or is another {title_of(request.sort)}: "
            "name the old one, or begin a new run"
        )
    title = title_of(request.sort)
    return f"run {run} began with another {title} than {named.words}: its earlier games count all the same"


class ProgramKind(Kind):
    """Tune the parameters of an outside program."""

    name, title, method = "program", "tuning a program", "program"
    asked = asks(
        sort=str, digest=str, parameters=[dict], search=str, race=str, delta=float, epsilon=float, observation=str,
        seed=int, games=(int,), seconds=(float,), range=([float],), alone=bool, facts=dict, rules=(int,),
    )  # fmt: skip
    keep_telling = staticmethod(keep_recommendation)
    heading = "Tuning"
    request = ProgramRequest
    has_report = True

    def check(self, run: Run) -> ProgramRequest:
        return ProgramRequest.from_json(run.ask)

    def check_source(self, run: Run, source: str | None) -> None:
        if source is not None:
            raise ValueError(f"run {run.name} tunes a program, not a game: name it by {self._option(run)}")

    def find(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Let the method run, judge its answer, and give its values in the user's units."""
        request, program = self.check(run), context.prepared
        if not isinstance(program, ProgramContest):
            raise self.unnamed(run)
        program.door.tell_faults(context.on_fault)
        race = Race(request.race, request.delta, request.epsilon)
        search = TuningTask(
            program, request.search, race, START, request.observation, request.seed, request.games, request.seconds,
            SHARE,
        )  # fmt: skip
        try:
            result = tune_contest(search, run, recorder, context)
        except StoreError:
            raise
        except ValueError as error:  # of the program: it can be mended, and the run goes on
            recorder.interrupt()
            raise ValueError(f"{error}; nothing is lost, go on with: {context.again}") from error
        proof = result["proof"]
        figures = {key: proof[key] for key in ("score", "interval") if key in proof}
        return {"parameters": request.space.values(result["theta"]), **result, **figures}

    def unnamed(self, run: Run) -> ValueError:
        """Return the message where the user has not named the program of a run."""
        again = f"fogspiel resume {run.name} {self._option(run)}"
        return ValueError(f"run {run.name} tunes a program, which is run only if you name it: {again}")

    def again(self, run: Run, resume: str) -> str:
        return f"{resume} {self._option(run)}"

    def _option(self, run: Run) -> str:
        return option_for(run.ask["sort"], run.ask["digest"])

    # Telling

    def headline(self, run: Run) -> str:
        many, sort = len(run.ask["parameters"]), title_of(run.ask["sort"])
        return f"{run.ask['search']} on {many} parameter{'s' * (many > 1)} of a {sort}, seed {run.ask['seed']}"

    def summary(self, run: Run) -> list[str]:
        return in_sentences(self._found(run))

    def _found(self, run: Run) -> list[str]:
        """Describe the proof, or the progress of the run."""
        if run.result is None:
            return ["nothing is proved before the run has ended with a race against the start"]
        proof = run.result["proof"]
        more = [pairs_sentence(proof)] if proof.get("normalised_elo") is not None else []
        return [program_proof(proof, self.check(run).scale), *more]

    def lines(self, run: Run, delivered: Outputs) -> Iterator[str | Table]:
        result = run.result or {}
        yield f"{run.name}: {self.headline(run)}"
        yield f"{result['games']:,} games in {result['steps']} steps"
        yield from self._found(run)
        yield Table("parameters", "Values", ("parameter", "start", "value"), self._values(run))
        yield f"keep them: fogspiel export {run.name}"

    def _values(self, run: Run) -> list[Sequence[Cell]]:
        """Every parameter: where it started, and where it is now."""
        space, found = self.check(run).space, self._answer(run)
        start = space.values(space.start)
        return [(name, shown(start[name]), shown(found[name])) for name in space.parameters]

    def _answer(self, run: Run) -> dict[str, Value]:
        """The values that were found so far; the start before anything was."""
        space, answer = self.check(run).space, recommendation_of(run)
        return space.values(space.start if answer is None else answer["theta"])

    def outcome(self, run: Run, delivered: Outputs) -> Json:
        return super().outcome(run, delivered) | {key: run.ask[key] for key in ("sort", "search")}

    def request_lines(self, ask: Json) -> list[tuple[str, str]]:
        _, *rest = super().request_lines(ask)
        scores = "wins, draws and losses" if ask["range"] is None else f"{ask['range'][0]:g} to {ask['range'][1]:g}"
        alone = [("scored", "each vector alone, on the same seeds")] if ask["alone"] else []
        first = [
            ("program", title_of(ask["sort"])),
            ("digest of the program", ask["digest"]),
            ("method", ask["search"]),
        ]
        named = [(f"parameter {table['name']}", _table_words(table)) for table in ask["parameters"]]
        return [*first, ("scores", scores), *alone, *rest, *named]

    # Drawing and exporting

    def trail(self, ask: Json) -> Curve:
        trail = RaceCurve(ask)
        trail.top = ProgramRequest.from_json(ask).scale.steps
        return trail

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        """A line for every step, with the values of the point that was accepted last."""
        space = self.check(run).space
        lines: list[Sequence[Cell]] = [("step", "games", "accepted", "sigma", "population", *space.parameters)]
        values = space.values(space.start)
        for number, step in enumerate(map(StepRow.from_json, run.steps), 1):
            values = values if step.theta is None else space.values(step.theta)
            row = (number, step.games, int(step.accepted), step.sigma, step.population)
            lines.append((*row, *map(_cell, values.values())))
        if run.result is not None:
            found = space.values(run.result["theta"]).values()
            lines.append(
                ("result", run.result["games"], int(run.result["proof"]["proved"]), None, None, *map(_cell, found))
            )
        return lines

    def numbers(self, run: Run) -> Json:
        """The values in the user's units, and the vector that methods see."""
        answer = recommendation_of(run)
        if answer is None:
            return {"parameters": None, "theta": None}
        return {"parameters": self._answer(run), "theta": answer["theta"]}

    def parameters(self, run: Run) -> list[tuple[str, str]]:
        if recommendation_of(run) is None:
            return []
        return [(name, shown(value)) for name, value in self._answer(run).items()]

    # Playing

    def agent(self, run: Run, game: Game) -> Agent:
        raise ValueError(f"run {run.name} tunes an outside program, whose values play no game of ours: export them")

    def playable(self, run: Run) -> bool:
        return False


KIND = ProgramKind()
KINDS = (KIND,)


def program_proof(proof: Json, scale: Scale) -> str:
    """Describe the proof about a program in a sentence."""
    if not proof["proved"] or "elo" in proof:
        return proof_sentence(proof)
    equal = 0.0 if scale.alone else (scale.low + scale.high) / 2
    gain, low, high = (number - equal for number in (proof["score"], *proof["interval"]))
    what = "better than the start by" if scale.alone else "scores against the start more than an even game by"
    return f"{what} {gain:.4g} [{low:.4g}, {high:.4g}] in {proof['games']:,} fresh games, valid at any time"


def shown(value: Value) -> str:
    """A value as people read it."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _cell(value: Value) -> Cell:
    return str(value).lower() if isinstance(value, bool) else value


def _table_words(table: Json) -> str:
    return ", ".join(f"{key} {value}" for key, value in table.items() if key != "name" and value is not False)
