"""Tuning runs, stored step by step and resumed by replaying the recorded events.

Several seeds are independent jobs. The best seed on selection games is measured on fresh ones, so its score is free
of selection bias; the spread of the seeds shows how reliable a single run is.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any

import numpy as np

from ...core.agents import ParametricPolicy, decode_policy, encode_policy, named_policy, policy_json_in
from ...core.find import absolute_spec, command_spec
from ...core.game import WIN_DRAW_LOSS, Game, game_or_none, known_game, parameters_of
from ...core.rng import child
from ...stats.evaluate import evaluate, median_interval, report_key
from ...stats.race import Race, interval, mean
from ...tuning.arena import decode
from ...tuning.best_response import MIN_GAMES, find_exploiter
from ...tuning.methods import REMOVED, tune_methods
from ...tuning.methods.auto import HARD
from ...tuning.tune import SHARE, tune_strategy
from ..kind import Context, Job, JobRunner, Kind, Outputs, Progress, Recorder, Row, game_of_job, in_sentences, rows_of
from ..report import Cell, Curve, CurvePoint, Table
from ..request import game_of_run, with_interval
from ..requests import MIXING, TuneRequest
from ..store import Json, Run, Summary
from ..store import Row as StoredRow
from ..tuning_run import (
    UNPROVED,
    StepRow,
    TuningWork,
    keep_recommendation,
    lengthen,
    proof_sentence,
    recommendation_of,
)

SHOWN_PARAMETERS = 8
# A result of so many games meets an exploiter, trained with this part of them and at most so many.
EXPLOITED_FROM, EXPLOITING, MOST_EXPLOITING = 100_000, 20, 50_000
EXPLOITED = 2  # child stream of the report stream: games that score an exploiter
SELECTION = 1  # child stream of the report stream: games that select among the seeds


# Parameter names, the cells of the initial vector, and a formatter of vectors.
VectorCells = tuple[Sequence[str], Sequence[Cell], Callable[[Sequence[float]], Sequence[Cell]]]


class TuningKind(Kind, ABC):
    """Tuning of a game's strategy or of a program: steps of a method, then races against the initial parameters."""

    compact_rows: Callable[[list[StoredRow], StoredRow], None] | None = staticmethod(keep_recommendation)

    @abstractmethod
    def show_vectors(self, run: Run) -> VectorCells:
        """Return the parameter columns of the table of steps."""

    @abstractmethod
    def lengthened(self, run: Run, games: int, prepared: object) -> tuple[Json, list[Json]]:
        """Return the request and the first steps of a run that goes on with the search of this one."""

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        """Return a line per step, with the most recently accepted vector."""
        names, cells, show = self.show_vectors(run)
        lines: list[Sequence[Cell]] = [("step", "games", "accepted", "sigma", "population", *names)]
        for number, step in enumerate(map(StepRow.from_json, run.steps), 1):
            cells = cells if step.theta is None else show(step.theta)
            lines.append((number, step.games, int(step.accepted), step.sigma, step.population, *cells))
        return lines


class TuneKind(TuningKind):
    """Tuning of a game's strategy from one seed."""

    name, title = "tune", "tuning"
    request = TuneRequest
    remedy = "it can be exported, but not resumed"  # if the rules have changed

    def handles(self, method: str | None) -> bool:
        return method in REMOVED or method in tune_methods()

    def check(self, run: Run) -> TuneRequest:
        rules, version = run.request["rules"], game_of_run(run).version
        if rules != version:
            raise ValueError(
                f"run {run.name} was played by version {rules} of the rules of {run.request['game']}, which now are at "
                f"version {version}: {self.remedy}"
            )
        return TuneRequest.from_json(run.request)

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Run the method, validate its result, and score it against the baseline on fresh games."""
        request = self.check(run)
        result = TuningWork(*self._task(request), request, run, recorder, context).tune()
        threads = context.threads or 1
        if request.final and result["games"] >= EXPLOITED_FROM:
            result |= {"exploited": _exploited(request, result, threads)}
        return result | _fresh_score(request, result, request.seed, threads)

    def _task(self, request: TuneRequest) -> tuple[Game, str, str, float]:
        return known_game(request.game), request.method, request.baseline, SHARE if request.final else 0.0

    def lengthened(self, run: Run, games: int, prepared: object) -> tuple[Json, list[Json]]:
        request = self.check(run)
        if request.seeds is not None:
            raise ValueError(f"run {run.name} tunes from several seeds: tune from one of them, and lengthen that run")
        ask, steps = lengthen(*self._task(request), request, run, games)
        return ask.to_json(), steps

    # Terminal output

    def headline(self, run: Run) -> str:
        return f"{run.request['method']} on {run.request['game']}, seed {run.request['seed']}"

    def summary(self, run: Run) -> list[str]:
        found = self._found(run, game_or_none(run.request["game"]))
        return in_sentences(found) if recommendation_of(run) else [*found, "Nothing has beaten the starting point yet."]

    def _found(self, run: Run, game: Game | None) -> list[str]:
        answer, found = recommendation_of(run), []
        if run.result is not None:
            against, report = run.result["against"], run.result["report"]
            seed = f" of seed {run.request['seed']}" if against == "fixed" else ""
            score, fresh = with_interval(report["score"], report["interval"]), f"in {report['games']:,} held-out games"
            found += [proof_sentence(run.result["proof"])] if "proof" in run.result else ["not compared with its start"]
            found += [run.result["why"]] if run.result.get("why") else []
            found.append(f"baseline `{against}`{seed}: score {score} {fresh}")
            found += _exploited_words(run.result) if game is not None else []
        if answer is not None and "weights" in answer:
            many, heaviest = len(answer["weights"]), max(answer["weights"])
            mixture = f"a mixture of {many} vectors, one drawn before every pair of games"
            found.append(f"{mixture}; the heaviest ({heaviest:.1%}):")
        return [*found, *_strategy_words(game, answer)]

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str | Table]:
        ask, result = run.request, run.result or {}
        yield f"{run.name}: {ask['method']} on {ask['game']}, {ask['race']} race, seed {ask['seed']}"
        yield f"{result['games']} games in {result['steps']} steps"
        yield from self._found(run, game_or_none(ask["game"]))
        theta = policy_json_in(result)["theta"]
        shown = ", ".join(f"{value:.4g}" for value in theta[:SHOWN_PARAMETERS])
        yield f"parameters: {shown}{', ..' if len(theta) > SHOWN_PARAMETERS else ''}"
        match = f"fogspiel match {command_spec(ask['game'])} {run.name} PLAYER"
        yield f"play against it: {match}; keep it: fogspiel export {run.name}"
        if UNPROVED in result:
            yield f"what the method found, unproved, is a player too: {run.name}:{UNPROVED}"

    # Drawing and exporting

    def curve(self, ask: Json) -> Curve:
        return RaceCurve(ask)

    def show_vectors(self, run: Run) -> VectorCells:
        game, many = game_or_none(run.request["game"]), len((self.parameters_json(run)["theta"]) or ())
        names = parameters_of(game) if game else [f"parameter {number}" for number in range(1, many + 1)]
        return names, (None,) * len(names), lambda theta: theta

    # Playing

    def agent(self, run: Run, game: Game) -> ParametricPolicy:
        if run.request["game"] != game.name:
            raise ValueError(f"run {run.name} tuned {run.request['game']}, not {game.name}")
        found = recommendation_of(run)
        if found is None:
            raise ValueError(f"run {run.name} has not found anything yet: resume it with `fogspiel resume {run.name}`")
        return decode_policy(game, found, run.name)

    def parameters_json(self, run: Run) -> Json:
        answer = recommendation_of(run)
        return super().parameters_json(run) if answer is None else {**answer}

    def opponent(self, summary: Summary) -> tuple[str, str] | None:
        if not summary.steps and summary.state != "finished":
            return None
        so_far = "the best it found" if summary.state == "finished" else f"{summary.state}: the best so far"
        return "run", f"{summary.method}, {so_far}"


class TuneSeedsKind(TuneKind):
    """Tuning of a game's strategy from several seeds."""

    name, title, method = "tune_seeds", "tuning seeds", TuneRequest.seeds_method
    remedy = "start it anew"
    compact_rows = None
    handles = Kind.handles

    def row_types(self) -> dict[str, Any]:
        return super().row_types() | {"search": str, "seeds": int}

    def compute(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Tune from every seed, select one, and measure it on games outside the selection."""
        request, rows = self.check(run), list[Row]()
        jobs = jobs_of(request)
        with closing(JobRunner(run, recorder, context).rows(jobs)) as found:
            for row in found:
                rows.append(row)
                context.on_progress(Progress(f"{len(rows)} of {len(jobs)} seeds", len(rows) / len(jobs)))
        best = max(rows, key=lambda row: row["selected"]["score"])
        fresh = _fresh_score(request, best, best["seed"])
        spread = median_interval([row["selected"]["score"] for row in rows]).to_json()
        result: Json = {**policy_json_in(best), "games": sum(row["played"] for row in rows), "chosen": best["seed"]}
        result |= {"against": fresh["against"], "report": fresh["report"], "spread": spread}
        result |= {key: fresh[key] for key in ("score", "interval")}
        return result | ({"proof": best["proof"]} if "proof" in best else {})

    # Terminal output

    def headline(self, run: Run) -> str:
        asked = run.request
        return f"{asked['search']} on {asked['game']}, {asked['seeds']} seeds from {asked['seed']} on"

    def summary(self, run: Run) -> list[str]:
        return [] if run.result is None else in_sentences(self._chosen(run, run.result))

    def _chosen(self, run: Run, result: Json) -> Iterator[str]:
        spread, score = result["spread"], with_interval(result["score"], result["interval"])
        yield (
            f"the best of {run.request['seeds']} seeds is {result['chosen']}: {score} against `{result['against']}` in "
            f"{result['report']['games']} fresh games, which had no part in the choice"
        )
        limits = f"{spread['median']:.4f} [{spread['low']:.4f}, {spread['high']:.4f}]"
        yield f"the median of the seeds is {limits} (the true median lies there with {spread['confidence']:.1%})"
        if "proof" in result:
            yield proof_sentence(result["proof"])
        yield from _strategy_words(game_or_none(run.request["game"]), result)

    def terminal_lines(self, run: Run, delivered: Outputs) -> Iterator[str | Table]:
        yield f"{run.name}: {self.headline(run)}"
        yield from self._chosen(run, run.result or {})
        yield self._table(run)

    def _table(self, run: Run) -> Table:
        cells: list[Sequence[Cell]] = []
        for row in rows_of(run):
            score, proved = row["selected"], "yes" if row.get("proof", {}).get("proved") else "no"
            cells.append((row["seed"], score["score"], *score["interval"], proved, row["played"], row["steps"]))
        columns = ("seed", "score", "from", "to", "better than its start", "games", "steps")
        note = "Scores of the games that chose the best seed: that of the best one is too high by the choice."
        return Table("seeds", "All seeds", columns, cells, note)

    # Drawing and playing

    def curve(self, ask: Json) -> Curve:
        return SeedCurve(ask["seeds"])

    def csv(self, run: Run) -> list[Sequence[Cell]]:
        return Kind.csv(self, run)

    def opponent(self, summary: Summary) -> tuple[str, str] | None:
        return ("run", "the best of several seeds") if summary.state == "finished" else None


def jobs_of(request: TuneRequest) -> list[Job]:
    shared = {key: value for key, value in request if key not in ("kind", "seconds", "seed", "seeds", "planned")}
    source, seeds = absolute_spec(request.game), range(request.seed, request.seed + (request.seeds or 1))
    shared |= {"rules": known_game(request.game).version}
    return [Job("tuned", tune_seed, {**shared, "seed": seed}, {"source": source}) for seed in seeds]


def tune_seed(
    game: str, rules: int | str, method: str, race: str, delta: float, epsilon: float, observation: str,
    baseline: str, seed: int, games: int, report_games: int, final: bool, source: str | None = None,
) -> Row:  # fmt: skip
    """Tune from one seed; return the result, its validation, and its score on the selection games."""
    chosen = game_of_job(game, rules, source)
    found = tune_strategy(chosen, method, games, seed, Race(race, delta, epsilon), baseline, observation, final)
    key = int(child(report_key(seed), SELECTION))
    score = _score(chosen, found.policy, baseline, seed, key, report_games)
    proof = {"proof": found.final.to_json(chosen.payoffs)} if found.final else {}
    row: Row = {**encode_policy(chosen, found.policy), "played": found.games, "steps": found.steps}
    return row | proof | {"selected": score}


def _score(
    game: Game, policy: ParametricPolicy, against: str, seed: int, key: int, games: int, threads: int = 1
) -> Json:
    return evaluate(game, policy, named_policy(game, against, seed), key, games, threads=threads).to_json()


def _fresh_score(request: TuneRequest, result: Json, seed: int, threads: int = 1) -> Json:
    """Score a result against the baseline on fresh games."""
    game, against = known_game(request.game), request.baseline
    policy = decode_policy(game, policy_json_in(result))
    score = _score(game, policy, against, seed, report_key(seed), request.report_games, threads)
    return {"against": against, "report": score} | {key: score[key] for key in ("score", "interval")}


def _exploited(request: TuneRequest, result: Json, threads: int) -> Json:
    """Train an exploiter against a result with a twentieth of its games; score it on fresh ones."""
    game = known_game(request.game)
    policy, games = decode_policy(game, policy_json_in(result)), max(result["games"] // EXPLOITING, MIN_GAMES)
    found = find_exploiter(game, policy, min(games, MOST_EXPLOITING), request.seed, threads)
    key = int(child(report_key(request.seed), EXPLOITED))
    score = evaluate(game, found.policy, policy, key, request.report_games, threads=threads)
    share = (score.mean - float(game.payoffs[0])) / float(game.payoffs[-1] - game.payoffs[0])
    return {"score": score.mean, "interval": list(score.interval), "share": share, "games": found.games}


def _exploited_words(result: Json) -> list[str]:
    """Return a sentence about the exploiter of a result; a remedy if a vector loses to it."""
    found = result.get("exploited")
    if found is None:
        return []
    score = with_interval(found["score"], found["interval"])
    words = f"an exploiter found in {found['games']:,} games scores {score} against it; a best response scores no less"
    if found["share"] <= HARD or "weights" in result or "why" in result:  # `auto` has said why it is a vector
        return [words]
    return [words, "a mixture is harder to exploit than one vector: try --method psro"]


def _strategy_words(game: Game | None, answer: Mapping[str, Any] | None) -> list[str]:
    if answer is None or game is None or game.strategy is None or game.strategy.describe is None:
        return []
    return [game.strategy.describe(np.array(answer["theta"]))]


KIND = TuneKind()
KINDS = (KIND, TuneSeedsKind())


def tuned_game(run: Run, wants: str) -> Game:
    """Return the game of a tuning run with unchanged rules; raise ValueError, with `wants` for another kind of run."""
    if not KIND.handles(run.request.get("method")):
        raise ValueError(f"run {run.name} has the method {run.request.get('method')}: {wants}")
    game = game_of_run(run)
    if run.request["rules"] != game.version:
        raise ValueError(
            f"run {run.name} was tuned by version {run.request['rules']} of the rules of {game.name}, which now are at "
            f"version {game.version}: tune it anew"
        )
    return game


# The chart


class RaceCurve(Curve):
    """Score in the last race of each step, or the value of the mixture."""

    title = "Every step: the newcomer's score against whom it had to beat"
    x, y = "games", "score"

    def __init__(self, ask: Json):
        super().__init__(ask["games"], "games")
        game = game_or_none(ask["game"])
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
        if "counts" in event:
            return np.array(event["counts"], np.int64)
        if not event.get("scores"):
            return None
        return np.bincount(decode(event["scores"]).reshape(-1, 2).sum(axis=1), minlength=2 * self.top + 1)


def _race_point(at: int, counts: np.ndarray | None, accepted: bool, population: int | None = None) -> CurvePoint:
    if counts is None:
        return CurvePoint(at, accepted=accepted, population=population)
    return CurvePoint(at, mean(counts), *interval(counts), accepted=accepted, population=population)


class SeedCurve(Curve):
    title, x, y = "What every seed found: its score against the baseline", "seeds", "score"

    def __init__(self, total: int) -> None:
        super().__init__(total, "seeds")

    def step(self, body: dict[str, Any]) -> CurvePoint:
        self.done += 1
        selected = body["row"]["selected"]
        low, high = selected["interval"]
        return CurvePoint(self.done, selected["score"], low, high, text=f"seed {body['row']['seed']}")
