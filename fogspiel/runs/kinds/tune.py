"""Tuning runs: played, stored step by step, and resumed by playing them again from the record."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...core.agents import ParametricPolicy, decode_policy, named_policy, policy_json_in
from ...core.find import command_spec
from ...core.game import WIN_DRAW_LOSS, Game, known_game, list_games, parameters_of
from ...stats.evaluate import evaluate, report_key
from ...stats.race import Race, interval, mean
from ...tuning.arena import decode
from ...tuning.methods import REMOVED, tune_methods
from ...tuning.tune import SHARE
from ..curve import Curve, CurvePoint
from ..execute import Context, Recorder
from ..formatting import with_interval
from ..kind import Kind, Outputs, in_sentences
from ..report import Cell
from ..request import asks, game_of_run
from ..requests import MIXING, TuneRequest
from ..store import Json, Run, Summary
from ..tuning_run import StepRow, TuningTask, keep_recommendation, proof_sentence, recommendation_of, tune_contest

SHOWN_PARAMETERS = 8


ASKED = asks(
    race=str, delta=float, epsilon=float, observation=str, baseline=str, seed=int, games=(int,), seconds=(float,),
    report_games=int, final=(bool,),
)  # fmt: skip


# Work


class TuneKind(Kind):
    """Tune the strategy of a game."""

    name, title = "tune", "tuning"
    asked = ASKED
    keep_telling = staticmethod(keep_recommendation)
    request = TuneRequest

    def made(self, method: str | None) -> bool:
        return method in REMOVED or method in tune_methods()

    def check(self, run: Run) -> TuneRequest:
        """The request, if the rules are still the same."""
        rules, version = run.ask["rules"], game_of_run(run).version
        if rules != version:
            raise ValueError(
                f"run {run.name} was played by version {rules} of the rules of {run.ask['game']}, which now are at "
                f"version {version}: it can be exported, but not resumed"
            )
        return TuneRequest.from_json(run.ask)

    def find(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Play the method from its start, judge its answer, and score it against the baseline on fresh games."""
        request = self.check(run)
        game, race = known_game(request.game), Race(request.race, request.delta, request.epsilon)
        search = TuningTask(
            game, request.method, race, request.baseline, request.observation, request.seed, request.games,
            request.seconds, SHARE if request.final else 0.0,
        )  # fmt: skip
        result = tune_contest(search, run, recorder, context)
        score = evaluate(
            game,
            decode_policy(game, policy_json_in(result)),
            named_policy(game, request.baseline, request.seed),
            report_key(request.seed),
            request.report_games,
            threads=context.threads or 1,
        ).as_json()
        result |= {"against": request.baseline, "report": score}
        return result | {key: score[key] for key in ("score", "interval")}

    # Telling

    def headline(self, run: Run) -> str:
        return f"{run.ask['method']} on {run.ask['game']}, seed {run.ask['seed']}"

    def summary(self, run: Run) -> list[str]:
        found = self._found(run, list_games().get(run.ask["game"]))
        return in_sentences(found) if recommendation_of(run) else [*found, "Nothing has beaten the starting point yet."]

    def _found(self, run: Run, game: Game | None) -> list[str]:
        """The score, and what is said of the heaviest vector, a line each."""
        answer, found = recommendation_of(run), []
        if run.result is not None:
            against, report = run.result["against"], run.result["report"]
            seed = f" of seed {run.ask['seed']}" if against == "fixed" else ""
            score, fresh = with_interval(report["score"], report["interval"]), f"in {report['games']} fresh games"
            found += self._proved(run)
            found.append(f"scores {score} against the baseline `{against}`{seed} {fresh}")
        if answer is not None and "weights" in answer:
            many, heaviest = len(answer["weights"]), max(answer["weights"])
            mixture = f"a mixture of {many} vectors, one drawn before every pair of games"
            found.append(f"{mixture}; the heaviest ({heaviest:.1%}):")
        if answer is not None and game and game.strategy and game.strategy.words:
            found.append(game.strategy.words(np.array(answer["theta"])))
        return found

    def _proved(self, run: Run) -> list[str]:
        """Describe the result against the initial parameters, and the reason for it, where the run says so."""
        result = run.result or {}
        proof = [proof_sentence(result["proof"])] if "proof" in result else []
        return [*proof, *([result["why"]] if result.get("why") else [])]

    def lines(self, run: Run, delivered: Outputs) -> Iterator[str]:
        """The score, what the strategy does, its parameters, and what can be done with it."""
        ask, result = run.ask, run.result or {}
        yield f"{run.name}: {ask['method']} on {ask['game']}, {ask['race']} race, seed {ask['seed']}"
        yield f"{result['games']} games in {result['steps']} steps"
        yield from self._found(run, list_games().get(ask["game"]))
        theta = policy_json_in(result)["theta"]
        shown = ", ".join(f"{value:.4g}" for value in theta[:SHOWN_PARAMETERS])
        yield f"parameters: {shown}{', ..' if len(theta) > SHOWN_PARAMETERS else ''}"
        match = f"fogspiel match {command_spec(ask['game'])} {run.name} PLAYER"
        yield f"play against it: {match}; keep it: fogspiel export {run.name}"

    # Drawing and exporting

    def trail(self, ask: Json) -> Curve:
        return RaceCurve(ask)

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        game, many = list_games().get(run.ask["game"]), len((self.numbers(run)["theta"]) or ())
        names = parameters_of(game) if game else [f"parameter {number}" for number in range(1, many + 1)]
        lines: list[Sequence[Cell]] = [("step", "games", "accepted", "sigma", "population", *names)]
        theta: Sequence[Cell] = (None,) * len(names)  # until a step says what was found
        for number, step in enumerate(map(StepRow.from_json, run.steps), 1):
            theta = step.theta or theta
            lines.append((number, step.games, int(step.accepted), step.sigma, step.population, *theta))
        return lines

    # Playing

    def agent(self, run: Run, game: Game) -> ParametricPolicy:
        if run.ask["game"] != game.name:
            raise ValueError(f"run {run.name} tuned {run.ask['game']}, not {game.name}")
        found = recommendation_of(run)
        if found is None:
            raise ValueError(f"run {run.name} has not found anything yet: resume it with `fogspiel resume {run.name}`")
        return decode_policy(game, found, run.name)

    def numbers(self, run: Run) -> Json:
        answer = recommendation_of(run)
        return super().numbers(run) if answer is None else {**answer}

    def opponent(self, summary: Summary) -> tuple[str, str] | None:
        if not summary.steps and summary.state != "finished":
            return None
        so_far = "the best it found" if summary.state == "finished" else f"{summary.state}: the best so far"
        return "run", f"{summary.method}, {so_far}"


KIND = TuneKind()
KINDS = (KIND,)


def tuned_game(run: Run, wants: str) -> Game:
    """The game of a tuning run whose rules are still the same, or a ValueError that says what is wanted."""
    if not KIND.made(run.ask.get("method")):
        raise ValueError(f"run {run.name} has the method {run.ask.get('method')}: {wants}")
    game = game_of_run(run)
    if run.ask["rules"] != game.version:
        raise ValueError(
            f"run {run.name} was tuned by version {run.ask['rules']} of the rules of {game.name}, which now are at "
            f"version {game.version}: tune it anew"
        )
    return game


# The chart


class RaceCurve(Curve):
    """The last race of each step, or the value of the mixture that was found."""

    title = "Every step: the newcomer's score against whom it had to beat"
    x, y = "games", "score"

    def __init__(self, ask: Json):
        super().__init__(ask["games"], "games")
        game = list_games().get(ask["game"])
        self.top = len(game.payoffs) - 1 if game else 2
        self.symmetric = game is not None and game.symmetric
        self.mixing = ask["method"] in MIXING
        if game and game.payoffs != WIN_DRAW_LOSS:
            self.y = f"score, as the share of the way from {float(game.payoffs[0]):g} to {float(game.payoffs[-1]):g}"
        if self.mixing:
            self.title = "Every step: what the first player gets where nobody of the mixture can do better"

    def step(self, body: Json) -> CurvePoint:
        step = StepRow.from_json(body)
        self.done = step.games
        if self.mixing:
            value = None if self.symmetric else step.value
            return CurvePoint(self.done, value, accepted=step.accepted, population=step.population)
        found = (counts for event in reversed(step.events) if (counts := self._counts(event)) is not None)
        return _race_point(self.done, next(found, None), step.accepted, step.population)

    def under_way(self, partial: Json) -> CurvePoint | None:
        counts = self._counts(partial)
        if counts is None or self.mixing:
            return None
        return _race_point(self.done + partial["games"], counts, accepted=False)

    def _counts(self, event: Mapping[str, Any]) -> np.ndarray | None:
        """The newcomer's observations, by their score."""
        if "counts" in event:
            return np.array(event["counts"], np.int64)
        if not event.get("scores"):
            return None
        return np.bincount(decode(event["scores"]).reshape(-1, 2).sum(axis=1), minlength=2 * self.top + 1)


def _race_point(at: int, counts: np.ndarray | None, accepted: bool, population: int | None = None) -> CurvePoint:
    if counts is None:
        return CurvePoint(at, accepted=accepted, population=population)
    return CurvePoint(at, mean(counts), *interval(counts), accepted=accepted, population=population)
