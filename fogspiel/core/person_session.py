"""One game between a person and an agent, whoever asks the person.

The person is shown a view and what may be tried, and nothing else until the game is over. A session is its seed and its
record: made again from them it stands where it stood, with an opponent that remembers the game.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from .agents import Agent, Player, remind
from .game import CHANCE, OVER, Game
from .rng import stream_of
from .session import Session


class Moment(NamedTuple):
    """A moment of a finished game: who acted, what they did, and what both could see before."""

    mover: int
    action: int | None
    reveal: str
    views: tuple[np.ndarray, np.ndarray]
    state: np.ndarray


class PersonSession(Session):
    """One game; `side` is the person's seat."""

    def __init__(
        self,
        game: Game,
        opponent: Agent,
        side: int,
        seed: int,
        record: Sequence[int] = (),
        resigned: bool = False,
        agreed: bool = False,
    ):
        if side not in (0, 1):
            raise ValueError(f"the side is {side}: it must be 0 (moves first) or 1")
        super().__init__(game)
        self.side, self.seed, self.opponent = side, seed, opponent
        self.resigned = False
        """Whether the person has given the game up."""
        self.agreed = False
        """Whether the opponent has accepted a draw."""
        self.declined = False
        """Whether the last offer of a draw was declined."""
        self._accepts_draw: Callable[[Player], bool] | None = None
        self.decisions: list[tuple[np.ndarray, int]] = []
        """The person's own actions, each with what was seen before it."""
        self._chance = stream_of(seed, 0)
        self._player: Player = opponent.player(stream_of(seed, 2 - side))
        self._player.begin(1 - side)
        for action in record:
            self._repeat(action)
        self.resigned = resigned and self.mover == side
        self.agreed = agreed and self.mover == 1 - side

    @property
    def over(self) -> bool:
        """Whether the game has ended: by its rules, because the person has resigned, or as an agreed draw."""
        return self.resigned or self.agreed or super().over

    @property
    def score(self) -> int | None:
        """The index of the first player's payoff, once the game is over; who resigns gets the least."""
        if self.resigned:
            return 0 if self.side == 0 else self.game.top
        if self.agreed:
            return self.game.top // 2
        return super().score

    @property
    def mark(self) -> int | None:
        """The index of the person's payoff, once the game is over."""
        return self.score if self.score is None or self.side == 0 else self.game.top - self.score

    @property
    def waits_for_person(self) -> bool:
        """Whether the person is to act, or the game is over: nothing else can be done."""
        return self.agreed or self.mover in (OVER, self.side)

    def seen(self) -> np.ndarray:
        """Everything that the person knows."""
        return self.view(self.side)

    def choices(self) -> list[int]:
        """What the person may try now."""
        return self.actions if self.mover == self.side and not self.resigned else []

    def act(self, action: int) -> None:
        """The person's move, or a ValueError."""
        if self.over:
            raise ValueError("the game is over")
        if self.mover != self.side:
            raise ValueError("it is not your turn")
        if action not in self.actions:
            raise ValueError(f"{action} cannot be tried now")
        self.apply(action)

    def resign(self) -> None:
        """Give the game up, or a ValueError."""
        if self.over:
            raise ValueError("the game is over")
        if self.mover != self.side:
            raise ValueError("it is not your turn")
        self.resigned = True

    @property
    def offers_draw(self) -> bool:
        """Whether the opponent will be asked for a draw in its next turn."""
        return self._accepts_draw is not None

    def offer_draw(self, accepts: Callable[[Player], bool] | None) -> None:
        """Offer a draw with the next move, or nothing; `accepts` says what a player that has chosen its move says."""
        self._accepts_draw, self.declined = accepts, False

    def go_on(self) -> bool:
        """Let chance or the opponent make one move; False if it is the person's turn or the game is over."""
        if self.waits_for_person:
            return False
        mover, actions = self.mover, self.actions
        if mover == CHANCE:
            self.apply(self.draw_chance(self._chance))
            return True
        action = int(self._player.choose(self.view(mover), actions))
        if action not in actions:
            raise ValueError(f"the opponent tried {action}, which is not among its actions")
        if self._accepts_draw is not None:
            self.agreed = self._accepts_draw(self._player)
            self.declined, self._accepts_draw = not self.agreed, None
            if self.agreed:
                return False
        self.apply(action)
        return True

    def moments(self) -> Iterator[Moment]:
        """The whole truth, move by move, once the game is over; the last moment is its end."""
        if not self.over:
            raise ValueError("the whole game can be seen when it is over")
        again = Session(self.game)
        for action in [*self.record, None]:
            views = (again.view(0), again.view(1))
            yield Moment(again.mover, action, self.game.reveal(again.state), views, again.state.copy())
            if action is not None:
                again.apply(action)

    def moment(self, number: int) -> Moment:
        """One moment of a game that is over."""
        for place, found in enumerate(self.moments()):
            if place == number:
                return found
        raise ValueError(f"the game has moments 0 to {len(self.record)}, not {number}")

    def apply(self, action: int) -> None:
        """Move on; an action of the person is remembered with what was seen before it."""
        if self.mover == self.side:
            self.decisions.append((self.seen(), action))
        super().apply(action)

    def _repeat(self, action: int) -> None:
        """Make a recorded move again; chance and the opponent draw what they drew then."""
        mover, actions = self.mover, self.actions
        if action not in actions:
            raise ValueError(f"the record does not fit the rules of {self.game.name}: {action} cannot be tried there")
        if mover == CHANCE:
            self.draw_chance(self._chance)
        elif mover != self.side:
            remind(self._player, self.view(mover), actions, action)
        self.apply(action)
