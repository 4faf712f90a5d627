"""A sitting: one game between a person and a player, whoever asks the person.

The person is shown a view and what may be tried, and nothing else until the game is over. A sitting is its seed and its
record: made again from them it stands where it stood, with an opponent who remembers the game.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .game import CHANCE, OVER, Game, blank
from .players import Entrant, Player, remind
from .rng import below, stream_of


class Moment(NamedTuple):
    """A moment of a finished game: who acted, what they did, and what everybody could see before."""

    mover: int
    action: int | None
    reveal: str
    views: tuple[np.ndarray, np.ndarray]
    state: np.ndarray


class Sitting:
    """One game; `side` is the person's seat."""

    def __init__(self, game: Game, opponent: Entrant, side: int, seed: int, record: Sequence[int] = ()):
        if side not in (0, 1):
            raise ValueError(f"the side is {side}: it must be 0 (moves first) or 1")
        self.game, self.side, self.seed = game, side, seed
        self.record: list[int] = []
        self.decisions: list[tuple[np.ndarray, int]] = []
        """The person's own actions, each with what was seen before it."""
        self._state, self._out = blank(game.sizes.state), blank(game.sizes.actions)
        self._chance = stream_of(seed, 0)
        self._player: Player = opponent.player(stream_of(seed, 2 - side))
        self._player.begin(1 - side)
        game.rules.start(self._state)
        for action in record:
            self._repeat(action)

    @property
    def own(self) -> int:
        """How many actions are the person's."""
        return len(self.decisions)

    @property
    def mover(self) -> int:
        """0 or 1, or CHANCE, or OVER."""
        return int(self.game.rules.mover(self._state))

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.mover == OVER

    @property
    def waits_for_person(self) -> bool:
        """Whether the person is to act, or the game is over: nobody else has anything to do."""
        return self.mover in (OVER, self.side)

    @property
    def score(self) -> int | None:
        """The index of the first player's payoff, once the game is over."""
        return int(self.game.rules.score(self._state)) if self.over else None

    def seen(self) -> np.ndarray:
        """Everything that the person knows."""
        return self._view(self.side)

    def actions(self) -> list[int]:
        """What the person may try now."""
        return self._actions() if self.mover == self.side else []

    def act(self, action: int) -> None:
        """The person's move, or a ValueError."""
        if self.over:
            raise ValueError("the game is over")
        if self.mover != self.side:
            raise ValueError("it is not your turn")
        if action not in self._actions():
            raise ValueError(f"{action} cannot be tried now")
        self._apply(action)

    def go_on(self) -> bool:
        """Let chance or the opponent make one move; False if it is the person's turn or the game is over."""
        if self.waits_for_person:
            return False
        who, actions = self.mover, self._actions()
        if who == CHANCE:
            self._apply(actions[below(self._chance, len(actions))])
            return True
        action = int(self._player.choose(self._view(who), actions))
        if action not in actions:
            raise ValueError(f"the opponent tried {action}, which is not among its actions")
        self._apply(action)
        return True

    def moments(self) -> Iterator[Moment]:
        """The whole truth, move by move, once the game is over."""
        for state, action in self._truth():
            yield self._moment(state, action)

    def moment(self, number: int) -> Moment:
        """One moment of a game that is over; the last one is its end."""
        for place, (state, action) in enumerate(self._truth()):
            if place == number:
                return self._moment(state, action)
        raise ValueError(f"the game has moments 0 to {len(self.record)}, not {number}")

    def _truth(self) -> Iterator[tuple[np.ndarray, int | None]]:
        """The states of a finished game, each with the action that followed."""
        if not self.over:
            raise ValueError("the whole game can be seen when it is over")
        state = blank(self.game.sizes.state)
        self.game.rules.start(state)
        for action in self.record:
            yield state, action
            self.game.rules.apply(state, action)
        yield state, None

    def _moment(self, state: np.ndarray, action: int | None) -> Moment:
        first, second = (blank(self.game.sizes.view) for _ in range(2))
        for player, view in enumerate((first, second)):
            self.game.rules.view(state, player, view)
        mover = int(self.game.rules.mover(state))
        return Moment(mover, action, self.game.reveal(state), (first, second), state.copy())

    def _repeat(self, action: int) -> None:
        """Make a recorded move again; chance and the opponent draw what they drew then."""
        who, actions = self.mover, self._actions()
        if action not in actions:
            raise ValueError(f"the record does not fit the rules of {self.game.name}: {action} cannot be tried there")
        if who == CHANCE:
            below(self._chance, len(actions))
        elif who != self.side:
            remind(self._player, self._view(who), actions, action)
        self._apply(action)

    def _actions(self) -> list[int]:
        return self._out[: self.game.rules.legal(self._state, self._out)].tolist()

    def _view(self, side: int) -> np.ndarray:
        seen = blank(self.game.sizes.view)
        self.game.rules.view(self._state, side, seen)
        return seen

    def _apply(self, action: int) -> None:
        if self.mover == self.side:
            self.decisions.append((self.seen(), action))
        self.record.append(action)
        self.game.rules.apply(self._state, action)
