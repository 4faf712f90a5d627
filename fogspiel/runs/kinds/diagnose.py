"""Diagnosis of tuning runs: exploitability of the result, forgotten opponents and cycling."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ...core import agents
from ...core.agents import ParametricPolicy, PolicyJson, decode_policy, encode_policy, policy_json_in
from ...core.find import absolute_spec, load_game
from ...core.game import WIN_DRAW_LOSS, Game, known_game
from ...core.rng import child
from ...process.heartbeat import say as tell_fault
from ...process.jobs import run_jobs
from ...stats.evaluate import MatchResult, evaluate, report_key
from ...stats.round_robin import counts_of
from ...tuning.best_response import Exploiter, find_exploiter
from ..kind import AnswerKind
from ..report import Cell, Chart, Part, Report, Series, Table
from ..requests import DiagnoseRequest
from ..standings import RISK, Standings, charts, sentences, tables, unit_of
from ..store import Json, Run
from ..tuning_run import recommendations_of, thin_evenly
from .tune import KIND as TUNE
from .tune import tuned_game

MAX_CHECKPOINTS = 12
# Streams below the one that only measures: the exploiter trains on a separate stream, so all scores are of fresh games.
EXPLOITED, HISTORY = 1, 2


@dataclass(frozen=True, eq=False)
class Diagnosis:
    run: str
    game: str
    method: str
    members: int
    exploiter: Exploiter
    score: MatchResult  # of the exploiter
    best: Sequence[agents.BestResponseScore]
    history: Standings | None  # standings of the checkpoints, oldest first; None if there is only one

    @property
    def gain(self) -> float:
        """The 95 % lower bound of the exploitability."""
        return self.score.interval[0] - (self.score.payoffs[0] + self.score.payoffs[-1]) / 2

    @property
    def forgotten(self) -> list[str]:
        """Older checkpoints that beat the latest one: simultaneous 95 % intervals that lie below 1/2."""
        if self.history is None:
            return []
        upper = self.history.limits[-1, :-1, 1]
        return [self.history.players[i] for i in np.flatnonzero(upper < 0.5).tolist()]

    @property
    def conclusion(self) -> str:
        where = f"exploitable by at least {self.gain:.4f}" if self.gain > 0 else "no exploiter was found"
        exact = [reply for reply in self.best if reply.exact]
        if exact:
            where += f" (exactly {exact[0].score - 0.5:.4f})"
        if self.history is None:
            way = "nothing can be said about cycling, as there is one checkpoint only"
        elif self.history.circle:
            circle = self.history.circle
            way = f"it goes in circles ({' beats '.join([*circle, circle[0]])})"
        elif self.forgotten:
            way = f"no circle is proved, but it has forgotten how to play against {', '.join(self.forgotten)}"
        else:
            way = "no sign of cycling"
        return f"{self.run}: {where}; {way}."

    def to_json(self) -> dict[str, Any]:
        return {
            "run": self.run,
            "game": self.game,
            "method": self.method,
            "members": self.members,
            "exploiter": {
                "player": self.exploiter.policy.name,
                "theta": self.exploiter.policy.theta,
                "training_games": self.exploiter.games,
                "lower_bound": self.gain,
                **self.score.to_json(),
            },
            "best_replies": [{"among": r.among, "score": r.score, "exact": r.exact} for r in self.best],
            "history": None if self.history is None else self.history.to_json(),
            "forgotten": self.forgotten,
            "conclusion": self.conclusion,
        }


def checkpoints(game: Game, run: Run) -> list[ParametricPolicy]:
    """Return the initial and the accepted policies, oldest first, thinned evenly to twelve; the last is the result."""
    answers = [answer for _, answer in recommendations_of(run)]
    if run.result is not None:
        answers.append(policy_json_in(run.result))
    kept = [answer for place, answer in enumerate(answers) if place == 0 or answer != answers[place - 1]]
    return [
        decode_policy(game, answer, "the start" if place == 0 else f"answer {place}")
        for place, answer in thin_evenly(kept, MAX_CHECKPOINTS)
    ]


def game_of(run: Run) -> Game:
    return tuned_game(run, "diagnose takes runs of `fogspiel tune`")


@dataclass(frozen=True)
class DiagnosisJob:
    """One half of a diagnosis as a picklable job: exploiter training or the checkpoints' round robin."""

    run: str
    game: str
    source: str | None  # source of user-supplied rules
    player: PolicyJson
    checkpoints: tuple[tuple[str, PolicyJson], ...]
    request: DiagnoseRequest
    history: bool  # true for a round robin of checkpoints; else an exploiter is trained and best responses computed
    threads: int = 1

    def __str__(self) -> str:
        return f"{self.run}: {'its checkpoints against each other' if self.history else 'an exploiter of its answer'}"

    def __call__(self) -> Json:
        game, ask = load_game(self.source) if self.source else known_game(self.game), self.request
        if self.history:
            earlier = [decode_policy(game, numbers, name) for name, numbers in self.checkpoints]
            observed = {}
            for number, (i, j) in enumerate(combinations(range(len(earlier)), 2)):
                key = int(child(report_key(ask.seed), HISTORY, number))
                met = evaluate(game, earlier[i], earlier[j], key, ask.pair_games, threads=self.threads)
                observed[i, j] = met.observed
            return {"observed": observed}
        player = decode_policy(game, self.player, self.run)
        found = find_exploiter(game, player, ask.games, ask.seed, self.threads)
        key = int(child(report_key(ask.seed), EXPLOITED))
        score = evaluate(game, found.policy, player, key, ask.report_games, threads=self.threads)
        numbers = {"name": found.policy.name, "numbers": encode_policy(game, found.policy), "games": found.games}
        return numbers | {"score": score, "best": agents.best_response_scores(game, player)}


def parts_of(run: Run, request: DiagnoseRequest, threads: int) -> list[DiagnosisJob]:
    """Return the two jobs that diagnose a tuning run, finished or not."""
    game = game_of(run)
    player, source = TUNE.agent(run, game), absolute_spec(game.name)
    earlier = tuple((one.name, encode_policy(game, one)) for one in checkpoints(game, run))
    shared = (run.name, game.name, source, encode_policy(game, player), earlier, request)
    return [DiagnosisJob(*shared, history=history, threads=threads) for history in (False, True)]


def diagnose(
    runs: Sequence[Run],
    request: DiagnoseRequest,
    processes: int = 1,
    cluster: str | None = None,
    say: Callable[[str], None] = lambda words: None,
    on_fault: Callable[[str], None] = tell_fault,
) -> list[Diagnosis]:
    """Diagnose tuning runs by two jobs each, on local threads or distributed, with the same results."""
    alone = cluster is None and len(runs) == 1
    parts = [part for run in runs for part in parts_of(run, request, processes if alone else 1)]
    found: list[Json] = []
    with closing(run_jobs(parts, 1 if alone else processes, cluster, on_fault)) as results:
        for number, part in enumerate(parts):
            say(f"{number + 1} of {len(parts)}: {part}")
            found.append(next(results))
    diagnoses = []
    for run, part, exploited, met in zip(runs, parts[::2], found[::2], found[1::2], strict=True):
        game, name, history = game_of(run), exploited["name"], None
        policy = agents.decode_policy_or_none(game, exploited["numbers"], name) or agents.find_policy(game, name)
        if met["observed"]:
            counts = counts_of(len(part.checkpoints), met["observed"])
            history = Standings([one for one, _ in part.checkpoints], counts, request.seed)
        figures = (Exploiter(policy, exploited["games"]), exploited["score"], exploited["best"], history)
        members = len(part.player.get("weights", (1,)))
        diagnoses.append(Diagnosis(run.name, game.name, run.request["method"], members, *figures))
    return diagnoses


# Reporting

EXPLOITERS = (
    "run", "game", "exploiter scores", "from", "to", "best reply, exactly", "best reply at most", "best threshold",
    "exploiter", "training games", "fresh games",
)  # fmt: skip
EXPLOITERS_NOTE = (
    "What the exploiter scores is a lower limit of what the best reply scores: it was trained against the frozen "
    "answer and scored on fresh games (95 %, valid at any time). Exploitability is the score less what equal players "
    "get, one half where a win counts 1. Exact best replies are known for Morra, Nim, Pig, Guess Who and permutation "
    "tic-tac-toe; against a mixture at Nim, Pig and Guess Who there is an upper limit: what a player scores that "
    "is told which member it meets."
)
LATEST = ("run", "checkpoint", "the answer scores", "from", "to", "forgotten")
LATEST_NOTE = (
    "An older checkpoint is forgotten where the interval is below one half; all intervals of a run hold together."
)


def report(found: Sequence[Diagnosis], command: str) -> Report:
    exploiters = Table("exploiters", "Exploiters", EXPLOITERS, [_line(one) for one in found], note=EXPLOITERS_NOTE)
    series = [Series.of("exploiter", [(one.run, one.score.mean, *one.score.interval) for one in found])]
    known = {one.run: reply.score for one in found for reply in one.best if reply.exact}
    if known:
        series.append(Series.of("best reply, exactly", known.items()))
    parts: list[Part] = [exploiters]
    latest = [line for one in found for line in _latest(one)]
    if latest:
        played = [known_game(name) for name in sorted({one.game for one in found})]
        units = [f" At {game.title} {unit_of(game)}." for game in played if game.payoffs != WIN_DRAW_LOSS]
        note = LATEST_NOTE + "".join(units)
        parts.append(Table("latest", "The answer against older checkpoints", LATEST, latest, note=note))
    parts.append(Chart("exploiters-chart", "Exploiters", "run", "score", series, kind="dots"))
    for one in found:
        if one.history is not None:
            scores = Series.of("score", [(name, *figures) for _, name, *figures, _ in _latest(one)])
            title, note = f"The answer of {one.run} against its older checkpoints", f"Risk {RISK:.0%} for all."
            over_time = Chart(f"{one.run}-latest", title, "checkpoint", "score", [scores], kind="dots", note=note)
            parts += [f"## {one.run}", *sentences(one.history), over_time]
            parts += tables(one.history, f"{one.run}-", f" of the history of {one.run}")
            parts.append(charts(one.history, f"{one.run}-")[-1])
    title = "Diagnosis of " + ", ".join(one.run for one in found)
    return Report("diagnosis", title, command, [one.conclusion for one in found], parts)


def _line(one: Diagnosis) -> Sequence[Cell]:
    exact = [reply.score for reply in one.best if reply.exact]
    told = [reply.score for reply in one.best if reply.among.startswith(agents.TOLD)]
    threshold = [reply.score for reply in one.best if reply.among.startswith(agents.THRESHOLD)]
    limits = (values[0] if values else None for values in (exact, told, threshold))
    player, games = one.exploiter
    return (one.run, one.game, one.score.mean, *one.score.interval, *limits, player.name, games, one.score.games)


def _latest(one: Diagnosis) -> Iterator[Sequence[Cell]]:
    if one.history is not None:
        for i, name in enumerate(one.history.players[:-1]):
            forgotten = "yes" if name in one.forgotten else "no"
            yield (one.run, name, one.history.scores[-1, i], *one.history.limits[-1, i], forgotten)


class DiagnoseKind(AnswerKind):
    name = method = "diagnose"
    title = heading = "diagnosis"
    request = DiagnoseRequest

    def headline(self, run: Run) -> str:
        return f"diagnosis of {', '.join(run.request['runs'])}"

    def summary(self, run: Run) -> list[str]:
        return [one["conclusion"] for one in (run.result or {"runs": []})["runs"]]


KINDS = (DiagnoseKind(),)
