"""Bouts: two games of two engines with the colours swapped, as a row that can be stored.

A bout depends on the two engines, their effort, the rule switches, the seed and its number alone. With nodes it is
the same bytes whenever it is played; with seconds the machine has a say in it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np

from ..core.agents import Player
from ..core.heartbeat import beat
from ..core.rng import stream_of
from ..core.source_digest import digest_of
from ..stats.elo import Strength, strength_of
from .engine import Effort, find_engine, home_of
from .referee import LIMIT, Referee, Switches, play_game

Row = dict[str, Any]


@dataclass(frozen=True)
class EngineSpec:
    """An engine at a board, and what it may spend on a move."""

    engine: str
    effort: Effort

    @property
    def name(self) -> str:
        """The engine with its effort: `C (0.1 s)`."""
        effort = self.effort
        nodes = f"{effort.nodes:,} node{'' if effort.nodes == 1 else 's'}" if effort.nodes is not None else None
        spent = nodes or f"{effort.seconds:g} s"
        return f"{self.engine} ({spent}{f', {effort.threads} threads' if effort.threads > 1 else ''})"

    def as_json(self) -> Row:
        """The seat as a request keeps it."""
        return {"engine": self.engine, **asdict(self.effort)}


def parse_engine_spec(kept: Mapping[str, Any]) -> EngineSpec:
    """The seat that a request keeps."""
    return EngineSpec(kept["engine"], Effort(kept["seconds"], kept["nodes"], kept["threads"]))


def code_of(engine: str) -> str:
    """A digest of all the code, and of the opponent's model, that an engine uses: with others it may play otherwise."""
    maker, code = find_engine(engine), digest_of(home_of(engine))
    while isinstance(maker, partial):
        model = maker.keywords.get("model")
        if model is not None:
            return f"{code}-{hashlib.blake2b(model.tobytes(), digest_size=10).hexdigest()}"
        maker = next((given for given in maker.args if isinstance(given, partial)), maker.func)
    return code


class Watched:
    """A player whose attempts are counted; each is a sign that the game goes on."""

    def __init__(self, player: Player):
        self.player, self.attempts = player, 0

    def begin(self, side: int) -> None:
        self.player.begin(side)

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        beat()
        self.attempts += 1
        return self.player.choose(seen, actions)

    @property
    def nodes(self) -> int | None:
        """The nodes that the engine has searched, if it counts them."""
        nodes = getattr(self.player, "nodes", None)
        return None if nodes is None else int(nodes)


def bout(seats: Sequence[Row], seed: int, number: int, longest: int | None, switches: Row, **labels: Any) -> Row:
    """Two games: the first engine has White in the one, Black in the other; every player has a stream of its own.

    Labels (names, digests of the engines' code) tell bouts apart, but do not change how they are played.
    """
    games = []
    for swapped in (0, 1):
        watched = [
            Watched(find_engine(seat.engine)(seat.effort, stream_of(seed, number, swapped, who)))
            for who, seat in enumerate(map(parse_engine_spec, seats))
        ]
        white, black = watched[::-1] if swapped else watched
        umpire = play_game((white, black), Referee(switches=Switches(**switches)), longest)
        games.append(
            {
                "white": swapped,
                "result": 2 - umpire.score if swapped else umpire.score,
                "ending": umpire.ending or LIMIT,
                "plies": umpire.plies,
                "refused": [
                    player.attempts - (umpire.plies + 1 - (who ^ swapped)) // 2 for who, player in enumerate(watched)
                ],
                "nodes": [player.nodes for player in watched],
                "record": umpire.record,
            }
        )
    return {"games": games}


def results_of(rows: Sequence[Row]) -> list[list[int]]:
    """The first engine's results in each bout."""
    return [[game["result"] for game in row["games"]] for row in rows]


def elo_of_pairs(rows: Sequence[Row]) -> Strength:
    """What bouts say about the first engine's strength."""
    return strength_of(results_of(rows))


@dataclass(frozen=True)
class Manner:
    """How games went, on average: their length, refused attempts and nodes for a move of each engine, endings."""

    plies: float
    refused: tuple[float, float]
    nodes: tuple[float | None, float | None]
    endings: dict[str, int]

    def as_json(self) -> Row:
        """The figures of a report."""
        return {
            "plies": self.plies,
            "refused_per_move": list(self.refused),
            "nodes_per_move": list(self.nodes),
            "endings": self.endings,
        }


def endings_of(rows: Sequence[Row]) -> Manner:
    """How the games of these bouts went."""
    games = [game for row in rows for game in row["games"]]
    moves = [sum((game["plies"] + (game["white"] == who)) // 2 for game in games) for who in (0, 1)]
    endings: dict[str, int] = {}
    for game in games:
        endings[game["ending"]] = endings.get(game["ending"], 0) + 1

    def per_move(what: str, who: int) -> float | None:
        counted = [game[what][who] for game in games]
        return None if None in counted else sum(counted) / max(moves[who], 1)

    refused = (per_move("refused", 0) or 0.0, per_move("refused", 1) or 0.0)
    plies = sum(game["plies"] for game in games) / max(len(games), 1)
    return Manner(plies, refused, (per_move("nodes", 0), per_move("nodes", 1)), dict(sorted(endings.items())))
