"""Game pairs of two engines with the colours swapped, as rows that can be stored, and statistics of such rows.

A pair depends only on the two engines, their limits, the rule switches, the seed and its number. With node limits it is
byte-identical whenever it is played; with time limits it also depends on the machine.
"""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, NotRequired, Self, TypedDict

import numpy as np

from ..core.compile.cache import code_digest
from ..core.rng import stream_of
from ..core.untrusted_input import JsonRecord
from ..process.jobs import SilenceLimits
from ..runs.kind import Job, Row
from ..runs.request import check_option, check_players, check_seed, versions
from ..runs.standings import Meetings, tally
from ..runs.store import Json
from ..stats.evaluate import MatchResult, Strength, strength_of
from .engine import PROGRAM, SearchLimit, TimeControl, allotted_seconds, engine_file, find_engine, short_name
from .engines.program import bring_programs, commands_of
from .referee import LIMIT, WILD_16, HouseRules, Referee, SideClock, play_game
from .warm_up import play_trial

MatchRow = Mapping[str, Any]  # a stored game pair: the request, and the `games`


class EngineJson(TypedDict):
    """An engine with its search limit, as stored in a request."""

    engine: str
    seconds: float | None
    nodes: int | None
    threads: int
    clock: NotRequired[str]  # of a game with clocks; the seconds are those of the first move then


class GameJson(TypedDict):
    """One game of a pair; two-element lists belong to the first engine and to the second."""

    white: int  # engine with White: 0 or 1
    result: int  # of the first engine: 0 loss, 1 draw, 2 win
    ending: str
    plies: int
    refused: list[int]  # numbers of illegal attempts
    nodes: list[int | None]
    seconds: NotRequired[list[float]]  # spent, unless both limits are numbers of nodes
    record: list[int]


@dataclass(frozen=True)
class EngineSpec:
    """An engine with its search limit, or its clock."""

    engine: str
    effort: SearchLimit
    clock: TimeControl | None = None

    @classmethod
    def with_clock(cls, engine: str, clock: TimeControl, threads: int = 1) -> Self:
        seconds = allotted_seconds(clock.seconds, clock.increment)
        return cls(engine, SearchLimit(seconds, threads=threads), clock)

    @property
    def name(self) -> str:
        effort = self.effort
        nodes = f"{effort.nodes:,} node{'' if effort.nodes == 1 else 's'}" if effort.nodes is not None else None
        spent = nodes or (f"{effort.seconds:g} s" if self.clock is None else str(self.clock))
        return f"{short_name(self.engine)} ({spent}{f', {effort.threads} threads' if effort.threads > 1 else ''})"

    def to_json(self) -> EngineJson:
        effort = self.effort
        kept: EngineJson = {
            "engine": self.engine,
            "seconds": effort.seconds,
            "nodes": effort.nodes,
            "threads": effort.threads,
        }
        if self.clock is not None:
            kept["clock"] = str(self.clock)
        return kept

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        if "clock" in kept:
            return cls.with_clock(kept["engine"], TimeControl.parse(kept["clock"]), kept["threads"])
        return cls(kept["engine"], SearchLimit(kept.get("seconds"), kept.get("nodes"), kept["threads"]))


def code_of(engine: str) -> str:
    """Return a digest of an engine's code, and of its model, weights or tuned constants, which may change its play."""
    maker, code = find_engine(engine), code_digest(engine_file(engine))
    while isinstance(maker, partial):
        model, learned = maker.keywords.get("model"), maker.keywords.get("learned")
        numbers = (model,) if model is not None else learned
        if isinstance(constants := maker.keywords.get("parameters"), JsonRecord):
            numbers = (np.array(list(constants.to_json().values()), np.float64),)
        if numbers is not None:
            content = b"".join(array.tobytes() for array in numbers)
            return f"{code}-{hashlib.blake2b(content, digest_size=10).hexdigest()}"
        maker = next((given for given in maker.args if isinstance(given, partial)), maker.func)
    return code


def play_pair(
    seats: Sequence[EngineJson],
    seed: int,
    number: int,
    longest: int | None,
    switches: Mapping[str, Any],
    programs: Mapping[str, tuple[str, ...]] | None = None,
    **labels: object,
) -> dict[str, list[GameJson]]:
    """Play two games with swapped colours, the first engine White in the first; each player has its own stream.

    `programs` are the commands of engines that are programs. Labels (names, digests of the engines' code) distinguish
    pairs, but do not change how they are played.
    """
    bring_programs(programs or {})
    specs, house = [EngineSpec.from_json(seat) for seat in seats], HouseRules.from_json(switches)
    return {"games": [_play_one(specs, seed, number, white, longest, house) for white in (0, 1)]}


def _play_one(
    specs: Sequence[EngineSpec], seed: int, number: int, white: int, longest: int | None, switches: HouseRules
) -> GameJson:
    is_timed = any(spec.effort.seconds is not None for spec in specs)
    if is_timed:
        for spec in specs:
            _compile(spec.engine)
    one, other = (
        find_engine(spec.engine)(spec.effort, stream_of(seed, number, white, who)) for who, spec in enumerate(specs)
    )
    first, second = (SideClock(spec.clock) for spec in specs)
    clocks = ((second, first) if white else (first, second)) if is_timed else None
    referee = play_game((other, one) if white else (one, other), Referee(switches=switches), longest, clocks)
    refused = referee.refused[::-1] if white else referee.refused
    game: GameJson = {
        "white": white,
        "result": 2 - referee.payoff_index if white else referee.payoff_index,
        "ending": referee.ending or LIMIT,
        "plies": referee.plies,
        "refused": list(refused),
        "nodes": [None if nodes is None else int(nodes) for nodes in (getattr(p, "nodes", None) for p in (one, other))],
        "record": referee.record,
    }
    if is_timed:
        game["seconds"] = [round(clock.spent, 6) for clock in (first, second)]
    return game


@cache
def _compile(engine: str) -> None:
    """Compile an engine, once per process, before its time is measured; a program does so by itself."""
    if not engine.startswith(PROGRAM):
        play_trial(find_engine(engine))


def results_of(rows: Sequence[MatchRow]) -> list[list[int]]:
    return [[game["result"] for game in row["games"]] for row in rows]


def elo_of_pairs(rows: Sequence[MatchRow]) -> Strength:
    return strength_of(results_of(rows))


@dataclass(frozen=True)
class GameStatistics(JsonRecord):
    """Means over games: length, illegal attempts, nodes and seconds per move of each engine, reasons for the end."""

    KEYS = ("plies", "refused_per_move", "nodes_per_move", "endings", "seconds_per_move")

    plies: float
    refused_per_move: list[float]
    nodes_per_move: list[float | None]  # None where an engine does not count its nodes
    endings: dict[str, int]
    seconds_per_move: list[float] | None = None  # None where they were not measured

    def to_json(self) -> dict[str, Any]:
        return {key: value for key, value in super().to_json().items() if value is not None}


def statistics_of(rows: Sequence[MatchRow]) -> GameStatistics:
    games: list[GameJson] = [game for row in rows for game in row["games"]]
    moves = [max(1, sum((game["plies"] + (game["white"] == who)) // 2 for game in games)) for who in (0, 1)]
    refused = [sum(game["refused"][who] for game in games) / moves[who] for who in (0, 1)]
    counted = [[game["nodes"][who] for game in games] for who in (0, 1)]
    nodes = [
        None if None in counts else sum(count or 0 for count in counts) / made
        for counts, made in zip(counted, moves, strict=True)
    ]
    plies = sum(game["plies"] for game in games) / max(len(games), 1)
    endings = dict(sorted(Counter(game["ending"] for game in games).items()))
    if not games or any("seconds" not in game for game in games):
        return GameStatistics(plies, refused, nodes, endings)
    seconds = [sum(game["seconds"][who] for game in games) / moves[who] for who in (0, 1)]
    return GameStatistics(plies, refused, nodes, endings, seconds)


# Matches and round robins of Kriegspiel engines: players, number of games, and statistics of the rows.
#
# A row is a game pair with the colours swapped. It depends only on the engines, their code, their limits, the seed and
# its number, so a longer match, or a round robin with one engine more, reuses what was played before.

GAME = METHOD = "kriegspiel"  # the game, and the method name in the request of such a run
NODES_PER_SECOND = 1000  # minimum speed of the slowest engine, for the longest wait between heartbeats


@dataclass(frozen=True)
class EngineMatch(Meetings):
    """Request of a match of two engines, or of a round robin; a job is a game pair."""

    seats: tuple[EngineSpec, ...]
    games: int  # greatest number of games of two engines; an odd number is rounded up
    seed: int = 1
    longest: int | None = None  # after this many plies a game counts as drawn
    stop: bool = False  # true if a match of two stops as soon as the better engine is shown at 95 % confidence
    switches: HouseRules = WILD_16

    def __post_init__(self) -> None:
        """Check everything first, so that nothing is written for an invalid request."""
        check_seed(self.seed)
        if len(self.seats) != 2:  # two may be equal
            check_players(self.names, "a round robin", "engines")
        if len({seat.clock for seat in self.seats}) > 1:
            raise ValueError("the engines have different clocks: give all of them the same")
        check_option("games", self.games)
        if self.longest is not None:
            check_option("max-plies", self.longest, "a positive number of plies")

    @property
    def names(self) -> list[str]:
        return [seat.name for seat in self.seats]

    @property
    def patience(self) -> SilenceLimits:
        """Silence limit of a worker: engines send no heartbeat while they search."""
        usual = SilenceLimits()
        longest = max(
            seat.clock.seconds if seat.clock else seat.effort.seconds or (seat.effort.nodes or 0) / NODES_PER_SECOND
            for seat in self.seats
        )
        return usual._replace(going_on=usual.going_on + 3 * longest)

    def to_json(self) -> Json:
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
        seats = tuple(EngineSpec.from_json(kept) for kept in ask["players"])
        return cls(seats, ask["games"], ask["seed"], ask["longest"], ask["stop"], HouseRules.from_json(ask["switches"]))

    def jobs(self, meeting: tuple[int, int]) -> list[Job]:
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
            for number in range(-(-self.games // 2))
        ]

    def observed(self, rows: Sequence[Row]) -> tuple[int, ...]:
        return elo_of_pairs(rows).pairs

    def tally(self, rows: Sequence[Row]) -> str:
        return f" {tally(elo_of_pairs(rows).to_json())}"

    def pairs(self, rows: Sequence[Sequence[Row]]) -> list[tuple[str, str, Json]]:
        met = zip(self.meetings, rows, strict=True)
        return [(self.names[i], self.names[j], self.figures(part)) for (i, j), part in met]

    def outcome(self, rows: Sequence[Sequence[Row]]) -> Json:
        if len(rows) > 1:
            return super().outcome(rows)
        return self.figures(rows[0]) | {"decision": self.proved_winner(rows[0])}

    def figures(self, rows: Sequence[Row]) -> Json:
        return {**elo_of_pairs(rows).to_json(self.stop), **statistics_of(rows).to_json()}


def play_engines(
    match: EngineMatch, payoffs: tuple[float, ...], counted: Json | None, watch: Callable[[MatchResult], None]
) -> MatchResult:
    """Return the score of two engines from the games of their stored match, resumed after those counted."""
    outcomes, observed = (counted["outcomes"], counted["observed"]) if counted else ([0] * 3, [0] * 5)
    score = MatchResult(payoffs, tuple(outcomes), tuple(observed))
    for job in match.jobs((0, 1))[sum(observed) :]:
        (results,) = results_of([job()])
        for result in results:
            outcomes[result] += 1
        observed[sum(results)] += 1
        score = MatchResult(payoffs, tuple(outcomes), tuple(observed))
        watch(score)
    return score
