"""One tuning from several seeds: each is a job of its own, the best on games for choosing is measured on fresh ones.

How the results of the seeds spread says how far one run can be trusted; the best of them was chosen, so its score is
that of games which had no part in the choice.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import Any

from ...core.agents import ParametricPolicy, decode_policy, encode_policy, named_policy, policy_json_in
from ...core.find import load_game, spec_of
from ...core.game import Game, known_game, list_games
from ...core.rng import child
from ...stats.elo import median_interval
from ...stats.evaluate import MatchResult, evaluate, report_key
from ...stats.race import Race
from ...tuning.tune import tune_strategy
from ..curve import Curve, CurvePoint
from ..execute import Context, Job, JobRunner, Progress, Recorder, Row
from ..formatting import with_interval
from ..kind import Kind, Outputs, in_sentences
from ..report import Table
from ..request import game_of_run
from ..requests import TuneRequest
from ..store import Json, Run, Summary
from ..tuning_run import proof_sentence, validation_json
from .tune import ASKED

SELECTION = 1  # the stream, below the one that only measures, of the games that choose between the seeds


def jobs_of(request: TuneRequest) -> list[Job]:
    """Return a job for every seed."""
    shared = {key: value for key, value in request if key not in ("kind", "seconds", "seed", "seeds")}
    words = spec_of(request.game)
    return [
        Job(
            "tuned",
            tune_seed,
            {**shared, "rules": known_game(request.game).version, "seed": request.seed + number},
            {"source": words.absolute if words else None},
        )
        for number in range(request.seeds or 1)
    ]


def tune_seed(
    game: str, rules: int | str, method: str, race: str, delta: float, epsilon: float, observation: str,
    baseline: str, seed: int, games: int, report_games: int, final: bool, source: str | None = None,
) -> Row:  # fmt: skip
    """One seed: what it finds, how that did against the start, and its score on the games that choose."""
    chosen = load_game(source) if source else known_game(game)
    if chosen.version != rules:
        raise ValueError(f"the rules of {game} have changed while it was tuned: start it anew")
    found = tune_strategy(chosen, method, games, seed, Race(race, delta, epsilon), baseline, observation, final)
    key = int(child(report_key(seed), SELECTION))
    score = _score(chosen, found.policy, baseline, seed, key, report_games).as_json()
    proof = {"proof": validation_json(found.final, chosen.payoffs)} if found.final else {}
    return {
        **encode_policy(chosen, found.policy),
        "played": found.games,
        "steps": found.steps,
        **proof,
        "selected": score,
    }


def _score(game: Game, policy: ParametricPolicy, against: str, seed: int, key: int, games: int) -> MatchResult:
    return evaluate(game, policy, named_policy(game, against, seed), key, games)


class TuneSeedsKind(Kind):
    """Tune the strategy of a game from several seeds."""

    name, title, method = "tune_seeds", "tuning seeds", TuneRequest.seeds_method
    request = TuneRequest
    asked = ASKED | {"search": str, "seeds": int}

    def check(self, run: Run) -> TuneRequest:
        """The request, if the rules are still the same."""
        rules, version = run.ask["rules"], game_of_run(run).version
        if rules != version:
            raise ValueError(
                f"run {run.name} was played by version {rules} of the rules of {run.ask['game']}, which now are at "
                f"version {version}: start it anew"
            )
        return TuneRequest.from_json(run.ask)

    def find(self, run: Run, recorder: Recorder, context: Context) -> Json:
        """Have every seed done, choose, and measure what was chosen on games that chose nothing."""
        request, rows = self.check(run), list[Row]()
        jobs = jobs_of(request)
        with closing(JobRunner(run, recorder, context).rows(jobs)) as found:
            for row in found:
                rows.append(row)
                context.watch(Progress(f"{len(rows)} of {len(jobs)} seeds", len(rows) / len(jobs)))
        best = max(rows, key=lambda row: row["selected"]["score"])
        game = known_game(request.game)
        fresh = _score(
            game, decode_policy(game, policy_json_in(best)), request.baseline, best["seed"], report_key(best["seed"]),
            request.report_games,
        ).as_json()  # fmt: skip
        spread = median_interval([row["selected"]["score"] for row in rows]).to_json()
        result: Json = {**policy_json_in(best), "games": sum(row["played"] for row in rows), "chosen": best["seed"]}
        result |= {"against": request.baseline, "report": fresh, "spread": spread}
        result |= {key: fresh[key] for key in ("score", "interval")}
        return result | ({"proof": best["proof"]} if "proof" in best else {})

    # Telling

    def headline(self, run: Run) -> str:
        return f"{run.ask['search']} on {run.ask['game']}, {run.ask['seeds']} seeds from {run.ask['seed']} on"

    def summary(self, run: Run) -> list[str]:
        return [] if run.result is None else in_sentences(self._found(run, run.result))

    def _found(self, run: Run, result: Json) -> Iterator[str]:
        spread, score = result["spread"], with_interval(result["score"], result["interval"])
        yield (
            f"the best of {run.ask['seeds']} seeds is {result['chosen']}: {score} against `{result['against']}` in "
            + (f"{result['report']['games']} fresh games, which had no part in the choice")
        )
        limits = f"{spread['median']:.4f} [{spread['low']:.4f}, {spread['high']:.4f}]"
        yield f"the median of the seeds is {limits} (the true median lies there with {spread['confidence']:.1%})"
        if "proof" in result:
            yield proof_sentence(result["proof"])
        game = list_games().get(run.ask["game"])
        if game is not None and game.strategy is not None and game.strategy.words is not None:
            yield game.strategy.words(decode_policy(game, policy_json_in(result)).heaviest)

    def lines(self, run: Run, delivered: Outputs) -> Iterator[str | Table]:
        """The best seed, the spread, and a line per seed."""
        yield f"{run.name}: {self.headline(run)}"
        yield from self._found(run, run.result or {})
        yield self._table(run)

    def _table(self, run: Run) -> Table:
        rows = [body["row"] for body in run.steps]
        cells = [
            (
                row["seed"], row["selected"]["score"], *row["selected"]["interval"],
                "yes" if row.get("proof", {}).get("proved") else "no", row["played"], row["steps"],
            )
            for row in rows
        ]  # fmt: skip
        columns = ("seed", "score", "from", "to", "better than its start", "games", "steps")
        note = "Scores of the games that chose the best seed: that of the best one is too high by the choice."
        return Table("seeds", "All seeds", columns, cells, note)

    # Drawing and playing

    def trail(self, ask: Json) -> Curve:
        return SeedCurve(ask["seeds"])

    def agent(self, run: Run, game: Game) -> ParametricPolicy:
        if run.ask["game"] != game.name:
            raise ValueError(f"run {run.name} tuned {run.ask['game']}, not {game.name}")
        if run.result is None:
            raise ValueError(f"run {run.name} is not finished: resume it with `fogspiel resume {run.name}`")
        return decode_policy(game, policy_json_in(run.result), run.name)

    def numbers(self, run: Run) -> Json:
        return super().numbers(run) if run.result is None else {**policy_json_in(run.result)}

    def opponent(self, summary: Summary) -> tuple[str, str] | None:
        return ("run", "the best of several seeds") if summary.state == "finished" else None


class SeedCurve(Curve):
    """Results of all seeds so far."""

    title, x, y = "What every seed found: its score against the baseline", "seeds", "score"

    def __init__(self, total: int) -> None:
        super().__init__(total, "seeds")

    def step(self, body: dict[str, Any]) -> CurvePoint:
        self.done += 1
        selected = body["row"]["selected"]
        low, high = selected["interval"]
        return CurvePoint(self.done, selected["score"], low, high, words=f"seed {body['row']['seed']}")


KIND = TuneSeedsKind()
KINDS = (KIND,)
