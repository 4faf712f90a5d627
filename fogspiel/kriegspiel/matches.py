"""Pairs of games of two engines with the colours swapped, as rows that can be stored, and what such rows say.

A pair depends on the two engines, their effort, the rule switches, the seed and its number alone. With nodes it is the
same bytes whenever it is played; with seconds the machine has a say in it.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Self, TypedDict

from ..core.rng import stream_of
from ..core.source_digest import digest_of
from ..stats.elo import Strength, strength_of
from .engine import Effort, find_engine, home_of
from .engines.program import bring_programs
from .referee import LIMIT, Referee, Switches, play_game

Row = Mapping[str, Any]  # a stored pair of games: what was asked, and the `games`


class EngineJson(TypedDict):
    """An engine with its effort, as a request keeps it."""

    engine: str
    seconds: float | None
    nodes: int | None
    threads: int


class GameJson(TypedDict):
    """One game of a pair; what there are two of belongs to the first engine and to the second."""

    white: int  # which engine has White: 0 or 1
    result: int  # the first engine's: 0 loss, 1 draw, 2 win
    ending: str
    plies: int
    refused: list[int]  # how many attempts were refused
    nodes: list[int | None]
    record: list[int]


@dataclass(frozen=True)
class EngineSpec:
    """An engine, and what it may spend on a move."""

    engine: str
    effort: Effort

    @property
    def name(self) -> str:
        """The engine with its effort: `C (0.1 s)`."""
        effort = self.effort
        nodes = f"{effort.nodes:,} node{'' if effort.nodes == 1 else 's'}" if effort.nodes is not None else None
        spent = nodes or f"{effort.seconds:g} s"
        return f"{self.engine} ({spent}{f', {effort.threads} threads' if effort.threads > 1 else ''})"

    def to_json(self) -> EngineJson:
        """The engine as a request keeps it."""
        effort = self.effort
        return {"engine": self.engine, "seconds": effort.seconds, "nodes": effort.nodes, "threads": effort.threads}

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """The engine that a request keeps."""
        return cls(kept["engine"], Effort(kept["seconds"], kept["nodes"], kept["threads"]))


def code_of(engine: str) -> str:
    """A digest of all the code and of the model or weights that an engine uses: with others it may play otherwise."""
    maker, code = find_engine(engine), digest_of(home_of(engine))
    while isinstance(maker, partial):
        model, learned = maker.keywords.get("model"), maker.keywords.get("learned")
        numbers = (model,) if model is not None else learned
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
    """Play two games: the first engine has White in the one, Black in the other; each player has its own stream.

    Programs are the commands of engines that are programs. Labels (names, digests of the engines' code) tell pairs
    apart, but do not change how they are played.
    """
    bring_programs(programs or {})
    specs, house = [EngineSpec.from_json(seat) for seat in seats], Switches(**switches)
    return {"games": [_play_one(specs, seed, number, white, longest, house) for white in (0, 1)]}


def _play_one(
    specs: Sequence[EngineSpec], seed: int, number: int, white: int, longest: int | None, switches: Switches
) -> GameJson:
    """One game of a pair, in which the engine of that number has White."""
    one, other = (
        find_engine(spec.engine)(spec.effort, stream_of(seed, number, white, who)) for who, spec in enumerate(specs)
    )
    referee = play_game((other, one) if white else (one, other), Referee(switches=switches), longest)
    refused = referee.refused[::-1] if white else referee.refused
    return {
        "white": white,
        "result": 2 - referee.score if white else referee.score,
        "ending": referee.ending or LIMIT,
        "plies": referee.plies,
        "refused": list(refused),
        "nodes": [None if nodes is None else int(nodes) for nodes in (getattr(p, "nodes", None) for p in (one, other))],
        "record": referee.record,
    }


def results_of(rows: Sequence[Row]) -> list[list[int]]:
    """The first engine's results in each pair."""
    return [[game["result"] for game in row["games"]] for row in rows]


def elo_of_pairs(rows: Sequence[Row]) -> Strength:
    """Return the first engine's strength from pairs of games."""
    return strength_of(results_of(rows))


@dataclass(frozen=True)
class GameStatistics:
    """Means over games: length, refused attempts and nodes per move of each engine, endings."""

    plies: float
    refused_per_move: list[float]
    nodes_per_move: list[float | None]  # none where an engine does not count its nodes
    endings: dict[str, int]

    def to_json(self) -> dict[str, object]:
        """The figures of a report."""
        return asdict(self)


def statistics_of(rows: Sequence[Row]) -> GameStatistics:
    """Return the statistics of these pairs' games."""
    games: list[GameJson] = [game for row in rows for game in row["games"]]
    moves = [max(1, sum((game["plies"] + (game["white"] == who)) // 2 for game in games)) for who in (0, 1)]
    refused = [sum(game["refused"][who] for game in games) / moves[who] for who in (0, 1)]
    counted = [[game["nodes"][who] for game in games] for who in (0, 1)]
    nodes = [
        None if None in counts else sum(count or 0 for count in counts) / made
        for counts, made in zip(counted, moves, strict=True)
    ]
    plies = sum(game["plies"] for game in games) / max(len(games), 1)
    return GameStatistics(plies, refused, nodes, dict(sorted(Counter(game["ending"] for game in games).items())))
