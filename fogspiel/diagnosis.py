"""What is wrong with a tuned player: who exploits him, what was forgotten on the way, and whether it goes in circles.

All games are fresh: the exploiter trains on a stream of its own, and every score comes from streams that only measure.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from .arena import report_key
from .contender import Contender, fixed
from .entrants import found_by_run
from .experiments.standings import RISK, Standings, charts, sentences, standings, tables, unit_of
from .experiments.tournament import METHOD as TOURNAMENT
from .exploiter import LEAST_GAMES, exploiter
from .game import WIN_DRAW_LOSS, Game, game_named
from .measure import Score, measured
from .optimise.step import Answer, mixed
from .ranking import counts_of
from .report import Chart, Part, Report, Series, Table
from .rng import child
from .runs import Run
from .solving import METHOD as SOLVE
from .truth.replies import BestReply, best_replies
from .tuning import check_seed, player_of

MOST_CHECKPOINTS = 12
EXPLOITED, HISTORY = 1, 2
"""Streams of games below the one that only measures."""


@dataclass(frozen=True)
class Request:
    """How much work a diagnosis may be."""

    games: int = 400_000
    """Training games of the exploiter."""
    report_games: int = 20_000
    """Fresh games that score the exploiter."""
    pair_games: int = 4_000
    """Fresh games for each pair of checkpoints."""
    seed: int = 1

    def __post_init__(self) -> None:
        check_seed(self.seed)
        for option, least in (("games", LEAST_GAMES), ("report_games", 1), ("pair_games", 1)):
            if getattr(self, option) < least:
                name = option.replace("_", "-")
                raise ValueError(f"--{name} is {getattr(self, option)}: it must be at least {least}")


@dataclass(frozen=True, eq=False)
class Diagnosis:
    """What was found out about one run."""

    run: str
    game: str
    method: str
    members: int
    exploiter: Contender
    trained: int
    score: Score
    best: list[BestReply]
    history: Standings | None
    """Of the checkpoints, oldest first; None where there is only one."""

    @property
    def forgotten(self) -> list[str]:
        """The older checkpoints to which the latest one loses: all limits are right with 95 %, and these below 1/2."""
        if self.history is None:
            return []
        upper = self.history.limits[-1, :-1, 1]
        return [self.history.players[i] for i in np.flatnonzero(upper < 0.5).tolist()]

    @property
    def gain(self) -> float:
        """What exploitability is at least, with 95 %."""
        return self.score.interval[0] - (self.score.payoffs[0] + self.score.payoffs[-1]) / 2

    @property
    def conclusion(self) -> str:
        """One sentence."""
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

    def as_json(self) -> dict[str, Any]:
        """Everything, for programs."""
        return {
            "run": self.run,
            "game": self.game,
            "method": self.method,
            "members": self.members,
            "exploiter": {
                "player": self.exploiter.name,
                "theta": self.exploiter.theta,
                "training_games": self.trained,
                "lower_bound": self.gain,
                **self.score.as_json(),
            },
            "best_replies": [{"among": r.among, "score": r.score, "exact": r.exact} for r in self.best],
            "history": None if self.history is None else self.history.as_json(),
            "forgotten": self.forgotten,
            "conclusion": self.conclusion,
        }


def answers_of(run: Run) -> Iterator[Answer]:
    """What a run would have answered after each of its rows that changed the answer."""
    members: list[list[float]] = []
    for row in run.rows:
        members += row.body.get("newcomers", ())
        if "thetas" in row.body:
            yield Answer(*(np.array(row.body[key]) for key in ("theta", "thetas", "weights")))
        elif "weights" in row.body:
            yield mixed(np.array(members), np.array(row.body["weights"]))
        elif "theta" in row.body:
            yield Answer(np.array(row.body["theta"]))


def checkpoints(game: Game, run: Run) -> list[Contender]:
    """The start and what was accepted since, oldest first, thinned evenly to twelve; the last is the answer."""
    kept = [Answer(fixed(game, run.ask["seed"]).thetas[0])]
    for answer in answers_of(run):
        if answer.as_json() != kept[-1].as_json():
            kept.append(answer)
    places = np.unique(np.linspace(0, len(kept) - 1, min(len(kept), MOST_CHECKPOINTS)).round().astype(int)).tolist()
    names = ["the start" if place == 0 else f"answer {place}" for place in places]
    return [player_of(game, kept[place], name) for place, name in zip(places, names, strict=True)]


def game_of(run: Run) -> Game:
    """The game of a tuning run, or a ValueError for a run of another kind."""
    kind = run.ask["method"]
    if "first" in run.ask or kind in (SOLVE, TOURNAMENT, "bounds", "paper"):
        what = "match" if "first" in run.ask else kind
        raise ValueError(f"run {run.name} is a {what} run: diagnose takes runs of `fogspiel tune`")
    game = game_named(run.ask["game"])
    if run.ask["rules"] != game.version:
        raise ValueError(
            f"run {run.name} was tuned by version {run.ask['rules']} of the rules of {game.name}, which now are at "
            f"version {game.version}: tune it anew"
        )
    return game


def diagnosed(
    run: Run, request: Request, threads: int = 1, say: Callable[[str], None] = lambda words: None
) -> Diagnosis:
    """The diagnosis of a tuning run, finished or not."""
    game = game_of(run)
    frozen, measuring = player_of(game, found_by_run(game, run), run.name), report_key(request.seed)
    say(f"{run.name}: training an exploiter")
    found, trained = exploiter(game, frozen, request.games, request.seed, threads)
    key = int(child(measuring, EXPLOITED))
    score = measured(game, found, frozen, key, request.report_games, threads=threads)
    say(f"{run.name}: computing best replies")
    best = best_replies(game, frozen)
    players, met = checkpoints(game, run), {}
    for number, (i, j) in enumerate(combinations(range(len(players)), 2)):
        say(f"{run.name}: {players[i].name} against {players[j].name}")
        pair = measured(
            game, players[i], players[j], int(child(measuring, HISTORY, number)), request.pair_games, threads=threads
        )
        met[i, j] = pair.observed
    history = None
    if len(players) > 1:
        counts = counts_of(len(players), met)
        history = standings([player.name for player in players], counts, request.seed)
    return Diagnosis(run.name, game.name, run.ask["method"], len(frozen.thetas), found, trained, score, best, history)


# Reporting

EXPLOITERS = (
    "run", "game", "exploiter scores", "from", "to", "best reply, exactly", "best reply at most", "best threshold",
    "exploiter", "training games", "fresh games",
)  # fmt: skip
EXPLOITERS_NOTE = (
    "What the exploiter scores is a lower limit of what the best reply scores: it was trained against the frozen "
    "answer and scored on fresh games (95 %, valid at any time). Exploitability is the score less what equal players "
    "get, one half where a win counts 1. Exact best replies are known for Morra, Nim, Pig, Guess Who and permutation "
    "tic-tac-toe; against a mixture at Nim, Pig and Guess Who there is an upper limit: what somebody scores who is "
    "told which member he meets."
)
LATEST = ("run", "checkpoint", "the answer scores", "from", "to", "forgotten")
LATEST_NOTE = (
    "An older checkpoint is forgotten where the interval is below one half; all intervals of a run hold together."
)


def report(found: Sequence[Diagnosis], command: str) -> Report:
    """Conclusions, the exploiters, and for each run its history."""
    exploiters = Table("exploiters", "Exploiters", EXPLOITERS, [_line(one) for one in found], note=EXPLOITERS_NOTE)
    names = [one.run for one in found]
    low, high = ([one.score.interval[side] for one in found] for side in (0, 1))
    series = [Series("exploiter", names, [one.score.mean for one in found], low, high)]
    known = {one.run: reply.score for one in found for reply in one.best if reply.exact}
    if known:
        series.append(Series("best reply, exactly", list(known), list(known.values())))
    parts: list[Part] = [exploiters]
    latest = [line for one in found for line in _latest(one)]
    if latest:
        played = [game_named(name) for name in sorted({one.game for one in found})]
        units = [f" At {game.title} {unit_of(game)}." for game in played if game.payoffs != WIN_DRAW_LOSS]
        note = LATEST_NOTE + "".join(units)
        parts.append(Table("latest", "The answer against older checkpoints", LATEST, latest, note=note))
    parts.append(Chart("exploiters-chart", "Exploiters", "run", "score", series, kind="dots"))
    for one in found:
        if one.history is not None:
            parts += [f"## {one.run}", *sentences(one.history), _over_time(one.run, one.history)]
            parts += [
                *tables(one.history, f"{one.run}-", f" of the history of {one.run}"),
                charts(one.history, f"{one.run}-")[-1],
            ]
    return Report(
        name="diagnosis",
        title="Diagnosis of " + ", ".join(names),
        command=command,
        paragraphs=[one.conclusion for one in found],
        parts=parts,
    )


def _line(one: Diagnosis) -> tuple:
    exact = [reply.score for reply in one.best if reply.exact]
    told, threshold = (
        [r.score for r in one.best if r.among.startswith(what)] for what in ("anybody who", "a threshold")
    )
    limits = (values[0] if values else None for values in (exact, told, threshold))
    return (
        one.run, one.game, one.score.mean, *one.score.interval, *limits, one.exploiter.name, one.trained,
        one.score.games,
    )  # fmt: skip


def _latest(one: Diagnosis) -> Iterator[tuple]:
    """The answer's scores against the older checkpoints."""
    if one.history is not None:
        for i, name in enumerate(one.history.players[:-1]):
            forgotten = "yes" if name in one.forgotten else "no"
            yield (one.run, name, one.history.scores[-1, i], *one.history.limits[-1, i], forgotten)


def _over_time(run: str, history: Standings) -> Chart:
    """What the answer scores against what came before."""
    older = range(len(history.players) - 1)
    low, high = ([float(history.limits[-1, i, side]) for i in older] for side in (0, 1))
    scores = Series("score", [history.players[i] for i in older], [history.scores[-1, i] for i in older], low, high)
    title = f"The answer of {run} against its older checkpoints"
    return Chart(f"{run}-latest", title, "checkpoint", "score", [scores], kind="dots", note=f"Risk {RISK:.0%} for all.")
