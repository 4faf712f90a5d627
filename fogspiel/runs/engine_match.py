"""Matches and round robins of Kriegspiel engines: who plays, for how many games, and what the rows say.

A row is a pair of games with the colours swapped. It depends on the engines, their code, their effort, the seed and its
number alone, so a longer match, or a round robin with one engine more, recalls what was played before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Self

import numpy as np

from ..kriegspiel.engines.program import commands_of
from ..kriegspiel.matches import EngineSpec, code_of, elo_of_pairs, play_pair, results_of, statistics_of
from ..kriegspiel.referee import WILD_16, Switches
from ..stats.elo import Strength
from ..stats.evaluate import Score
from ..stats.race import Race, decision
from .checks import check_option, check_players, check_seed
from .jobs import Job, Row, rows_of
from .request import versions
from .standings import Standings, standings_of_pairs
from .store import Json, Run
from .workers import Limits

GAME = METHOD = "kriegspiel"
"""The game, and what stands for the method in the request of such a run."""
RACE = Race("count-mixture")
"""What may stop a match before all its games are played."""
NODES_PER_SECOND = 1000
"""What the slowest engine searches at least: so long one waits for a sign of life."""


@dataclass(frozen=True)
class EngineMatch:
    """What was asked: two engines or more, each against each."""

    seats: tuple[EngineSpec, ...]
    games: int
    """At most so many games of two engines; an odd number is rounded up."""
    seed: int = 1
    longest: int | None = None
    """After so many plies a game counts as drawn."""
    stop: bool = False
    """Whether two engines stop as soon as it is proved who is better."""
    switches: Switches = WILD_16

    def __post_init__(self) -> None:
        """Check everything at once, so that nothing is written for a request that cannot be met."""
        check_seed(self.seed)
        if len(self.seats) != 2:  # two may be the same
            check_players(self.names, "a round robin", "engines")
        check_option("games", self.games)
        if self.longest is not None:
            check_option("longest", self.longest, "a positive number of plies")

    @property
    def names(self) -> list[str]:
        """The engines with their efforts."""
        return [seat.name for seat in self.seats]

    @property
    def pairs_of_games(self) -> int:
        """The most pairs of games of two engines."""
        return -(-self.games // 2)

    @property
    def meetings(self) -> list[tuple[int, int]]:
        """Who meets whom."""
        return list(combinations(range(len(self.seats)), 2))

    @property
    def patience(self) -> Limits:
        """How long a worker may be silent: engines do not tell that they go on while they think about a move."""
        usual = Limits()
        longest = max(seat.effort.seconds or (seat.effort.nodes or 0) / NODES_PER_SECOND for seat in self.seats)
        return usual._replace(going_on=usual.going_on + 3 * longest)

    def to_json(self) -> Json:
        """The first row of the run."""
        return {
            "game": GAME,
            "method": METHOD,
            "players": [seat.to_json() for seat in self.seats],
            "codes": [code_of(seat.engine) for seat in self.seats],
            "games": self.games,
            "seed": self.seed,
            "longest": self.longest,
            "stop": self.stop,
            "switches": self.switches.to_json(),
            **versions(GAME),
        }

    @classmethod
    def from_json(cls, ask: Json) -> Self:
        """The request that a first row keeps."""
        seats = tuple(EngineSpec.from_json(kept) for kept in ask["players"])
        return cls(seats, ask["games"], ask["seed"], ask["longest"], ask["stop"], Switches(**ask["switches"]))

    def jobs(self, meeting: tuple[int, int]) -> list[Job]:
        """A job for every pair of games of two engines."""
        ask = self.to_json()
        shared = {
            "first": self.names[meeting[0]],
            "second": self.names[meeting[1]],
            "seats": [ask["players"][i] for i in meeting],
            "codes": [ask["codes"][i] for i in meeting],
            "longest": self.longest,
            "switches": ask["switches"],
            "rules": ask["rules"],
            "seed": self.seed,
        }
        by_nodes = all(self.seats[i].effort.seconds is None for i in meeting)
        programs = commands_of([self.seats[i].engine for i in meeting])
        given = {"programs": programs} if programs else {}
        return [
            Job("bout", play_pair, shared | {"number": number}, given, repeatable=by_nodes and not programs)
            for number in range(self.pairs_of_games)
        ]

    def rows(self, run: Run) -> list[list[Row]]:
        """The stored rows of every two engines, as far as they were played."""
        places = {(self.names[i], self.names[j]): place for place, (i, j) in enumerate(self.meetings)}
        found: list[list[Row]] = [[] for _ in self.meetings]
        for row in rows_of(run):
            found[places[row["first"], row["second"]]].append(row)
        return found

    def standings(self, rows: Sequence[Sequence[Row]]) -> Standings:
        """The standings of a round robin."""
        return standings_of_pairs(tuple(self.names), tuple(elo_of_pairs(part).pairs for part in rows), self.seed)

    def pairs(self, rows: Sequence[Sequence[Row]]) -> list[tuple[str, str, Json]]:
        """Every two engines, and the figures of their games."""
        met = zip(self.meetings, rows, strict=True)
        return [(self.names[i], self.names[j], self.figures(part)) for (i, j), part in met]

    def outcome(self, rows: Sequence[Sequence[Row]]) -> Json:
        """What came out: the figures of a match, or who is best of a round robin."""
        if len(rows) > 1:
            return {"games": 2 * sum(len(part) for part in rows), "best": self.standings(rows).best}
        strength = elo_of_pairs(rows[0])
        return self.figures(rows[0]) | {"decision": proved_winner(strength)}

    def figures(self, rows: Sequence[Row]) -> Json:
        """How strong two engines are and how their games went."""
        return {**elo_of_pairs(rows).to_json(self.stop), **statistics_of(rows).to_json()}


def play_engines(
    match: EngineMatch, payoffs: tuple[float, ...], counted: Json | None, watch: Callable[[Score], None]
) -> Score:
    """The score of two engines in the games of their stored match, on from what was counted before."""
    outcomes, observed = (counted["outcomes"], counted["observed"]) if counted else ([0] * 3, [0] * 5)
    score = Score(payoffs, tuple(outcomes), tuple(observed))
    for job in match.jobs((0, 1))[sum(observed) :]:
        (results,) = results_of([job()])
        for result in results:
            outcomes[result] += 1
        observed[sum(results)] += 1
        score = Score(payoffs, tuple(outcomes), tuple(observed))
        watch(score)
    return score


def proved_winner(strength: Strength) -> int:
    """Which engine is proved to be the better one: 1 the first, -1 the second, 0 neither yet."""
    return decision(RACE, np.array(strength.pairs, np.int64))
