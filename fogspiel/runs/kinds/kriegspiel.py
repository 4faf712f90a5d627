"""Matches and round robins of Kriegspiel engines: stored bout by bout, resumed where they were left.

A bout is two games with the colours swapped. Its row depends on the engines, their code, their effort, the seed and its
number alone, so a longer match, or a round robin with one engine more, recalls what was played before.
"""

from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from ... import __version__
from ...core.game import find_game
from ...kriegspiel.matches import EngineSpec, Row, bout, code_of, elo_of_pairs, endings_of, parse_engine_spec
from ...kriegspiel.referee import WILD_16, Switches
from ...stats.elo import Strength
from ...stats.race import Race, decision
from ...stats.round_robin import counts_of
from ..jobs import Job
from ..standings import Standings, standings
from ..store import Run
from ..workers import Limits, run_jobs, say
from .tune import check_seed

GAME = METHOD = "kriegspiel"
"""The game, and what stands for the method in the request of such a run."""
RACE = Race("count-mixture")
"""What may stop a match before all its games are played."""
FEWEST, MOST = 2, 100
NODES_A_SECOND = 1000
"""What the slowest engine searches at least: so long one waits for a sign of life."""


@dataclass(frozen=True)
class EngineMatch:
    """What was asked: two engines or more, each against each."""

    seats: tuple[EngineSpec, ...]
    games: int
    """At most so many games a pair of engines; an odd number is rounded up."""
    seed: int = 1
    longest: int | None = None
    """After so many plies a game counts as drawn."""
    stop: bool = False
    """Whether two engines stop as soon as it is proved who is better."""
    switches: Switches = WILD_16

    def __post_init__(self) -> None:
        """Check everything at once, so that nothing is written for a request that cannot be met."""
        check_seed(self.seed)
        if not FEWEST <= len(self.seats) <= MOST:
            raise ValueError(f"a round robin has {FEWEST} to {MOST} engines, not {len(self.seats)}")
        for name in self.names if len(self.seats) > 2 else ():
            if self.names.count(name) > 1:
                raise ValueError(f"{name} is there {self.names.count(name)} times: the engines must be different")
        if self.games <= 0:
            raise ValueError(f"--games is {self.games}: it must be a positive number")
        if self.longest is not None and self.longest <= 0:
            raise ValueError(f"--longest is {self.longest}: it must be a positive number of plies")

    @property
    def names(self) -> list[str]:
        """The engines with their efforts."""
        return [seat.name for seat in self.seats]

    @property
    def bouts(self) -> int:
        """The most bouts of two engines."""
        return -(-self.games // 2)

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Who meets whom."""
        return list(combinations(range(len(self.seats)), 2))

    @property
    def timed(self) -> bool:
        """Whether an engine has seconds, so that the machine has a say in its moves."""
        return any(seat.effort.seconds is not None for seat in self.seats)

    def as_ask(self) -> Row:
        """The first row of the run."""
        return {
            "game": GAME,
            "method": METHOD,
            "players": [seat.as_json() for seat in self.seats],
            "codes": [code_of(seat.engine) for seat in self.seats],
            "games": self.games,
            "seed": self.seed,
            "longest": self.longest,
            "stop": self.stop,
            "switches": self.switches.as_json(),
            "rules": find_game(GAME).version,
            "fogspiel": __version__,
        }


def parse_ask(ask: Row) -> EngineMatch:
    """The meeting that a request describes."""
    seats = tuple(parse_engine_spec(kept) for kept in ask["players"])
    return EngineMatch(seats, ask["games"], ask["seed"], ask["longest"], ask["stop"], Switches(**ask["switches"]))


def request_of(run: Run) -> EngineMatch:
    """The meeting that a stored run plays, if the engines are still those that have played it."""
    request = parse_ask(run.ask)
    if not run.finished and run.ask != request.as_ask():
        raise ValueError(
            f"run {run.name} was played by fogspiel {run.ask['fogspiel']} or by engines whose code has changed since: "
            "start it anew"
        )
    return request


# Playing


def jobs(request: EngineMatch, pair: tuple[int, int]) -> list[Job]:
    """A job for every bout of two engines."""
    ask = request.as_ask()
    shared = {
        "first": request.names[pair[0]],
        "second": request.names[pair[1]],
        "seats": [ask["players"][i] for i in pair],
        "codes": [ask["codes"][i] for i in pair],
        "longest": request.longest,
        "switches": ask["switches"],
        "rules": ask["rules"],
        "seed": request.seed,
    }
    return [Job(bout, shared | {"number": number}) for number in range(request.bouts)]


def patience(request: EngineMatch) -> Limits:
    """How long a worker may be silent: engines do not tell that they go on while they think about a move."""
    usual = Limits()
    longest = max(seat.effort.seconds or (seat.effort.nodes or 0) / NODES_A_SECOND for seat in request.seats)
    return usual._replace(going_on=usual.going_on + 3 * longest)


Watch = Callable[[int, int, Strength, Row], None]
"""Is told how many bouts are done, of how many, how the two engines stand, and the new row."""


def carry_on(
    run: Run,
    processes: int,
    known: dict[str, Row],
    watch: Watch = lambda done, total, strength, row: None,
    cluster: str | None = None,
    on_fault: Callable[[str], None] = say,
) -> list[list[Row]]:
    """Play on until all engines have met, each bout stored as a step; returns the bouts of every two of them."""
    request = request_of(run)
    met: list[list[Row]] = [[] for _ in request.pairs]
    known = known | {body["key"]: body["row"] for body in run.steps}
    stored, done, total = len(run.steps), 0, len(request.pairs) * request.bouts
    # Without a race all bouts are one batch, so that nobody waits for the last bout of each two engines.
    for batch in [[place] for place in range(len(met))] if request.stop else [list(range(len(met)))]:
        asked = [(place, job) for place in batch for job in jobs(request, request.pairs[place])]
        with closing(_play_pairs([job for _, job in asked], request, known, processes, cluster, on_fault)) as found:
            for (place, job), row in zip(asked, found, strict=True):
                met[place].append(row)
                done += 1
                if done > stored:
                    run.append("step", {"key": job.key, "row": row})
                strength = elo_of_pairs(met[place])
                watch(done, total, strength, row)
                if request.stop and proved_winner(strength):
                    break
    if not run.finished:
        run.append("result", outcome(request, met))
    return met


def _play_pairs(
    asked: list[Job],
    request: EngineMatch,
    known: dict[str, Row],
    processes: int,
    cluster: str | None,
    on_fault: Callable[[str], None],
) -> Generator[Row, None, None]:
    """The rows of the bouts, in their order; what is known is not played again."""
    left = [job for job in asked if job.key not in known]
    with closing(run_jobs(left, processes, cluster, on_fault, patience(request))) as fresh:
        for job in asked:
            yield known[job.key] if job.key in known else next(fresh)


def proved_winner(strength: Strength) -> int:
    """Which engine is proved to be the better one: 1 the first, -1 the second, 0 neither yet."""
    return decision(RACE, np.array(strength.pairs, np.int64))


def rows_in(run: Run) -> list[list[Row]]:
    """The stored bouts of every two engines of a run, as far as they were played."""
    request = parse_ask(run.ask)
    places = {(request.names[i], request.names[j]): place for place, (i, j) in enumerate(request.pairs)}
    met: list[list[Row]] = [[] for _ in request.pairs]
    for body in run.steps:
        met[places[body["row"]["first"], body["row"]["second"]]].append(body["row"])
    return met


# Reporting


def outcome(request: EngineMatch, met: Sequence[Sequence[Row]]) -> Row:
    """What came out, as the last row of the run."""
    games = 2 * sum(len(rows) for rows in met)
    if len(met) > 1:
        return {"games": games, "best": standing_of(request, met).best}
    strength = elo_of_pairs(met[0])
    return strength.as_json(request.stop) | {"decision": proved_winner(strength)} | endings_of(met[0]).as_json()


def standing_of(request: EngineMatch, met: Sequence[Sequence[Row]]) -> Standings:
    """The standings of a round robin."""
    counts = {pair: elo_of_pairs(rows).pairs for pair, rows in zip(request.pairs, met, strict=True)}
    return standings(request.names, counts_of(len(request.seats), counts), request.seed)


def as_json(run: str, request: EngineMatch, met: Sequence[Sequence[Row]]) -> Row:
    """What `--json` prints."""
    facts: dict[str, Any] = {"run": run, "state": "finished", "game": GAME, "seed": request.seed}
    facts |= {"longest": request.longest, "stop": request.stop, "switches": request.switches.as_json()}
    if len(met) == 1:
        first, second = (seat.as_json() for seat in request.seats)
        return facts | {"first": first, "second": second} | outcome(request, met)
    pairs = [
        {"first": request.names[i], "second": request.names[j]}
        | elo_of_pairs(rows).as_json(request.stop)
        | endings_of(rows).as_json()
        for (i, j), rows in zip(request.pairs, met, strict=True)
    ]
    return facts | standing_of(request, met).as_json() | {"meetings": pairs}
