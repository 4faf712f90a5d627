"""The Python game loop: one game in progress, played move by move, and replayed from its record.

The compiled loop of `simulate` plays many games of policies; whatever needs a game one move at a time (players that are
no policies, people, records, pages) uses a `Session`. Streams are those of the compiled loop: a seed for each game
number, and from it one stream for chance, one for each seat, and one that draws the members of mixtures, so that both
games of a pair are the same deal between the same members.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from .agents import ALONE, Agent, Player, Policy, theta_for
from .game import CHANCE, OVER, Game, blank, draw_by_weight
from .rng import below, stream_of


class Session:
    """One game: its state, who is to move, what may be tried, what each player sees, and the record so far."""

    def __init__(self, game: Game):
        self.game = game
        self.record: list[int] = []
        self.state = blank(game.sizes.state)
        self._out = blank(game.sizes.actions)
        game.rules.start(self.state)

    @property
    def mover(self) -> int:
        """0 or 1, or CHANCE, or OVER."""
        return int(self.game.rules.mover(self.state))

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.mover == OVER

    @property
    def score(self) -> int | None:
        """The index of the first player's payoff, once the game is over."""
        return int(self.game.rules.score(self.state)) if self.over else None

    @property
    def actions(self) -> list[int]:
        """What the mover may try, or the outcomes of chance; nothing once the game is over."""
        return [] if self.over else self._out[: self.game.rules.legal(self.state, self._out)].tolist()

    def draw_chance(self, stream: np.ndarray) -> int:
        """One of the outcomes of chance, as the compiled loop draws it."""
        actions = self.actions
        if self.game.rules.weights is None:
            return actions[below(stream, len(actions))]
        weights = blank(self.game.sizes.actions)
        self.game.rules.weights(self.state, weights)
        return actions[draw_by_weight(weights[: len(actions)], stream)]

    def view(self, player: int) -> np.ndarray:
        """Everything the player knows."""
        return view_of(self.game, self.state, player)

    def why_impossible(self, action: int) -> str:
        """What is wrong with an action of the mover that is not one of the actions."""
        return f"player {self.mover + 1} of {self.game.name} tried {action}, which is not among {self.actions[:12]}"

    def apply(self, action: int) -> None:
        """Move on by one of the actions, which is not checked here."""
        self.record.append(action)
        self.game.rules.apply(self.state, action)


class Position(NamedTuple):
    """One moment of a game: the state, who is to move (CHANCE and OVER included), and the actions there are."""

    state: np.ndarray
    mover: int
    actions: list[int]


def replay(game: Game, record: Sequence[int]) -> Iterator[Position]:
    """Every position of a recorded game, the last one included; a ValueError where the record breaks the rules."""
    session = Session(game)
    for number, action in enumerate([*record, None], 1):
        actions = session.actions
        yield Position(session.state.copy(), session.mover, actions)
        if action is not None:
            if action not in actions:
                raise ValueError(f"move {number} of the record, {action}, is not possible there")
            session.apply(action)


def view_of(game: Game, state: np.ndarray, player: int) -> np.ndarray:
    """What the player knows in this state."""
    seen = blank(game.sizes.view)
    game.rules.view(state, player, seen)
    return seen


class GameRecord(NamedTuple):
    """A finished game: its actions, chance included, and the index of the first player's payoff."""

    record: list[int]
    score: int


def play_game(game: Game, players: tuple[Player, Player], chance: np.ndarray) -> GameRecord:
    """Let two players play one game; an action that is not on the list ends it with a ValueError."""
    session = Session(game)
    finish_game(session, players, chance)
    return GameRecord(session.record, int(game.rules.score(session.state)))


def finish_game(
    session: Session, players: tuple[Player, Player], chance: np.ndarray, goes_on: Callable[[], bool] = lambda: True
) -> None:
    """Let two players play a game that has begun to its end, or as long as it `goes_on`."""
    for side, player in enumerate(players):
        player.begin(side)
    while (mover := session.mover) != OVER and goes_on():
        if mover == CHANCE:
            action = session.draw_chance(chance)
        else:
            actions = session.actions
            action = players[mover].choose(session.view(mover), list(actions))
            if action not in actions:
                raise ValueError(session.why_impossible(action))
        session.apply(action)


class PlayerMatch:
    """Two agents at one game, move by move; between policies the numbers, streams and scores of `simulate.Match`."""

    def __init__(self, game: Game, first: Agent, second: Agent):
        self.game, self.agents = game, (first, second)

    def scores(self, key: int, first: int, count: int, seats: str = "swapped", threads: int = 1) -> np.ndarray:
        """The first agent's scores in games `first`.. of stream `key`: a row per number, a column per seat."""
        out = np.empty((count, 2 if seats == "swapped" else 1), np.int64)
        for i in range(count):
            number = first + i
            draws = stream_of(key, number, 3)
            one, other = (_member(agent, number, draws) for agent in self.agents)
            swap = number % 2 if seats == "alternating" else below(draws, 2) if seats == "coin" else 0
            for column in range(out.shape[1]):
                swapped = (column + swap) % 2 == 1
                score = _play_number(self.game, (other, one) if swapped else (one, other), key, number).score
                out[i, column] = self.game.top - score if swapped else score
        return out


def record_game(game: Game, first: Agent, second: Agent, key: int, number: int) -> GameRecord:
    """Game `number` of stream `key` as the compiled loop plays it, with `first` in the first seat."""
    draws = stream_of(key, number, 3)
    one, other = (_member(agent, number, draws) for agent in (first, second))
    return _play_number(game, (one, other), key, number)


def _play_number(game: Game, agents: tuple[Agent, Agent], key: int, number: int) -> GameRecord:
    first, second = (agent.player(stream_of(key, number, 1 + side)) for side, agent in enumerate(agents))
    return play_game(game, (first, second), stream_of(key, number, 0))


def _member(agent: Agent, number: int, draws: np.ndarray) -> Agent:
    """Who plays game (pair) `number`: of a policy the member whose turn it is, or that is drawn."""
    if not isinstance(agent, Policy):
        return agent
    return replace(agent, thetas=theta_for(agent, number, draws)[None], how=ALONE, weights=())
