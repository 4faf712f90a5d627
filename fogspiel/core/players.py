"""Players: whatever sits down at a game and chooses by what it sees.

A tuned vector, a solved table and an engine are all players: `begin` says which seat they have, `choose` shows them
their view and what they may try.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from .agents import IN_TURN, Contender
from .rng import unit
from .simulate import theta_for


class Player(Protocol):
    """Two methods make a player."""

    def begin(self, side: int) -> None:
        """A new game begins; the player moves first (0) or second (1)."""

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        """One of the actions, by what is seen."""


def remind(player: Player, seen: np.ndarray, actions: Sequence[int], action: int) -> None:
    """Let a player make an earlier choice again, when a game is taken up from its record.

    Most choose by their stream alone, which then goes on as it did; who thinks by the clock has a method `follow`.
    """
    follow = getattr(player, "follow", None)
    if follow:
        follow(seen, action)
    else:
        player.choose(seen, actions)


@dataclass(frozen=True)
class Entrant:
    """Somebody who can send a player to a game: the player draws from the stream that belongs to his seat."""

    name: str
    player: Callable[[np.ndarray], Player]


class Planned:
    """Plays by the parameters of a contender; where they are drawn, from its own stream."""

    def __init__(self, contender: Contender, stream: np.ndarray):
        self.contender, self.stream = contender, stream
        self.plan = np.zeros(contender.strategy.plan)

    def begin(self, side: int) -> None:
        self.contender.strategy.prepare(theta_for(self.contender, 0, self.stream), self.plan)

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        return int(self.contender.strategy.choose(seen, np.array(actions, np.int64), self.plan, self.stream))


def entrant_of(contender: Contender) -> Entrant:
    """The contender as somebody who sends players."""
    if contender.how == IN_TURN:
        raise ValueError(f"{contender.name}: players in turn have no player for a single game; send each of them alone")
    return Entrant(contender.name, lambda stream: Planned(contender, stream))


def drawn(odds: Sequence[float], stream: np.ndarray) -> int:
    """A place in the list, drawn by these probabilities."""
    u, place = unit(stream) * sum(odds), 0
    while place < len(odds) - 1 and u >= odds[place]:
        u -= odds[place]
        place += 1
    while odds[place] <= 0:  # rounding may end on an action that is never played
        place -= 1
    return place


Rows = Sequence[Mapping[str, Any]]
Knowledge = tuple[tuple[int, int] | None, tuple[int, ...]]
Table = Mapping[Knowledge, tuple[int, list[float]]]
"""By the last decision (row, action) and the view: the number of the row, and the probabilities of the actions."""


def table_of(rows: Rows) -> Table:
    """The rows of a certificate, ready to be looked up."""
    return {
        (tuple(row["after"]) if row["after"] is not None else None, tuple(row["view"])): (
            number,
            [_float(share) for share in row["probabilities"]],
        )
        for number, row in enumerate(rows)
    }


def _float(share: str) -> float:
    above, _, below = share.partition("/")
    return int(above) / int(below or 1)


class Follower:
    """Follows the strategies of a certificate, each side by its own table; it remembers its last decision."""

    def __init__(self, tables: tuple[Table, Table], stream: np.ndarray):
        self.tables, self.stream = tables, stream

    def begin(self, side: int) -> None:
        self.table = self.tables[side]
        self.decision: tuple[int, int] | None = None

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        number, odds = self.table[self.decision, tuple(seen.tolist())]
        action = int(actions[drawn(odds, self.stream)])
        self.decision = (number, action)
        return action


def follower_of(name: str, strategies: Sequence[Rows]) -> Entrant:
    """Somebody who follows the two strategies of a certificate."""
    first, second = (table_of(rows) for rows in strategies)
    return Entrant(name, lambda stream: Follower((first, second), stream))
