"""The Python game loop: one game in progress, played move by move, and replayed from its record.

The compiled loop of `simulate` plays many games of policies. A `Session` serves everything that needs one move at a
time: other players, people, records, web pages. Streams are those of the compiled loop: a seed for each game number,
and from it one stream for chance, one for each seat, and one that draws the members of mixtures. So both games of a
pair are the same deal between the same members.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from . import BadInput
from .agents import ALONE, Agent, ParametricPolicy, Player, find_policy, replay_choice, theta_for
from .game import CHANCE, OVER, UNIFORM, Game, demand_even_payoffs, draw_by_weight, draw_view, new_cells
from .plugins import former_names
from .rng import random_below, stream_of


@former_names(score="payoff_index", why_impossible="illegal_reason")
class Session:
    """One game: its state, the player to move, the legal actions, each player's view, and the record so far."""

    def __init__(self, game: Game | str | Path):
        """Start a game, given as a record or as the text of the command line."""
        if isinstance(game, str | Path):
            from .find import load_game

            game = load_game(game)
        if not isinstance(game, Game):
            raise BadInput(f"{type(game).__name__} is not a game: give a name, a file or a Game")
        self.game = game
        self.record: list[int] = []
        self.state = new_cells(game.sizes.state)
        game.rules.start(self.state)
        self._observers: dict[int, tuple[Callable[[np.ndarray], None], np.ndarray]] = {}

    @property
    def mover(self) -> int:
        """The player to move: 0 or 1, or CHANCE, or OVER."""
        return int(self.game.rules.mover(self.state))

    @property
    def over(self) -> bool:
        return bool(self.game.rules.mover(self.state) == OVER)

    @property
    def payoff_index(self) -> int | None:
        """The index of the first player's payoff, once the game is over."""
        return int(self.game.rules.score(self.state)) if self.over else None

    @property
    def actions(self) -> list[int]:
        """Actions of the player to move, or outcomes of chance; empty once the game is over."""
        game, state = self.game, self.state  # asked twice for each attempt: no call that can be spared
        if game.rules.mover(state) == OVER:
            return []
        out = np.zeros(game.sizes.actions, np.int64)
        found: list[int] = out[: game.rules.legal(state, out)].tolist()
        return found

    def draw_chance(self, stream: np.ndarray) -> int:
        """Return one of the outcomes of chance, as the compiled loop draws it."""
        actions = self.actions
        if self.game.rules.weights is None:
            return actions[random_below(stream, len(actions))]
        weights = new_cells(self.game.sizes.actions)
        self.game.rules.weights(self.state, weights)
        return actions[draw_by_weight(weights[: len(actions)], stream)]

    def view(self, player: int) -> np.ndarray:
        """Return the player's view: all of its knowledge."""
        return view_of(self.game, self.state, player)

    def illegal_reason(self, action: int) -> str:
        """Explain why an action is not legal for the player to move."""
        return f"player {self.mover + 1} of {self.game.name} tried {action}, which is not among {self.actions[:12]}"

    def seat(self, player: Player, side: int) -> None:
        """Begin a player's game; its `observe`, if it has one, is called whenever its own view has changed.

        The calls depend on that player's views alone, so their number and order report nothing else.
        """
        player.begin(side)
        if observe := getattr(player, "observe", None):
            self._observers[side] = observe, self.view(side)

    def apply(self, action: int) -> None:
        """Apply an action, whose legality is not checked here."""
        self.record.append(action)
        self.game.rules.apply(self.state, action)
        for side, (observe, before) in self._observers.items():
            now = self.view(side)
            if not np.array_equal(before, now):
                self._observers[side] = observe, now
                observe(now.copy())


class Position(NamedTuple):
    """One moment of a game: the state, the player to move (or CHANCE or OVER), and the actions."""

    state: np.ndarray
    mover: int
    actions: list[int]


def replay(game: Game, record: Sequence[int]) -> Iterator[Position]:
    """Yield every position of a recorded game, the last one included; raise a ValueError for an illegal record."""
    session = Session(game)
    for number, action in enumerate([*record, None], 1):
        actions = session.actions
        yield Position(session.state.copy(), session.mover, actions)
        if action is not None:
            if action not in actions:
                raise ValueError(f"move {number} of the record, {action}, is not possible there")
            session.apply(action)


def view_of(game: Game, state: np.ndarray, player: int) -> np.ndarray:
    seen = new_cells(game.sizes.view)
    game.rules.view(state, player, seen)
    return seen


def actions_in(game: Game, state: np.ndarray) -> np.ndarray:
    out = new_cells(game.sizes.actions)
    return out[: game.rules.legal(state, out)]


class GameRecord(NamedTuple):
    """A finished game: its actions, chance included, and the index of the first player's payoff."""

    record: list[int]
    score: int


def play_game(game: Game, players: tuple[Player, Player], chance: np.ndarray) -> GameRecord:
    """Let two players play one game; an illegal action raises a ValueError."""
    session = Session(game)
    finish_game(session, players, chance)
    return GameRecord(session.record, int(game.rules.score(session.state)))


def finish_game(
    session: Session, players: tuple[Player, Player], chance: np.ndarray, goes_on: Callable[[], bool] = lambda: True
) -> None:
    """Let two players finish a game that has started, or play as long as `goes_on` returns True."""
    for side, player in enumerate(players):
        session.seat(player, side)
    while (mover := session.mover) != OVER and goes_on():
        if mover == CHANCE:
            action = session.draw_chance(chance)
        else:
            actions = session.actions
            action = players[mover].choose(session.view(mover), list(actions))
            if action not in actions:
                raise ValueError(session.illegal_reason(action))
        session.apply(action)


class AgentMatch:
    """Two agents at one game, move by move; for policies the numbers, streams and scores of `PolicyMatch`."""

    def __init__(self, game: Game, first: Agent, second: Agent):
        demand_even_payoffs(game)
        self.game, self.agents = game, (first, second)

    def scores(self, key: int, first: int, count: int, seats: str = "swapped", threads: int = 1) -> np.ndarray:
        """Return the first agent's scores in games `first`.. of stream `key`: a row per number, a column per seat."""
        out = np.empty((count, 2 if seats == "swapped" else 1), np.int64)
        for i in range(count):
            number = first + i
            draws = stream_of(key, number, 3)
            one, other = (_member(agent, number, draws) for agent in self.agents)
            swap = number % 2 if seats == "alternating" else random_below(draws, 2) if seats == "coin" else 0
            for column in range(out.shape[1]):
                swapped = (column + swap) % 2 == 1
                score = _play_number(self.game, (other, one) if swapped else (one, other), key, number).score
                out[i, column] = self.game.max_score - score if swapped else score
        return out


def record_game(game: Game, first: Agent, second: Agent, key: int, number: int) -> GameRecord:
    """Play game `number` of stream `key` as the compiled loop does, with `first` in the first seat."""
    draws = stream_of(key, number, 3)
    one, other = (_member(agent, number, draws) for agent in (first, second))
    return _play_number(game, (one, other), key, number)


def play_trial(game: Game, decisions: int = 4) -> None:
    """Play the first decisions of a game as a person would, so that its kernels are loaded or compiled."""
    session = PersonSession(game, find_policy(game, UNIFORM.name), 0, 1)
    for _ in range(decisions):
        while session.go_on():
            pass
        if session.over:
            return
        draw_view(game, session.seen())
        session.act(session.choices()[0])


def _play_number(game: Game, agents: tuple[Agent, Agent], key: int, number: int) -> GameRecord:
    first, second = (agent.new_player(stream_of(key, number, 1 + side)) for side, agent in enumerate(agents))
    return play_game(game, (first, second), stream_of(key, number, 0))


def _member(agent: Agent, number: int, draws: np.ndarray) -> Agent:
    """Return the player of game (pair) `number`: for a policy, the member whose turn it is or that is drawn."""
    if not isinstance(agent, ParametricPolicy):
        return agent
    return replace(agent, thetas=theta_for(agent, number, draws)[None], selection=ALONE, weights=())


# One game between a person and an agent, in any user interface.
#
# The person is shown a view and the legal actions, and nothing else until the game is over. A session is determined by
# its seed and its record: restored from them, it continues with an opponent that remembers the game.


class Moment(NamedTuple):
    """A moment of a finished game: the player to move, the action, and both views before it."""

    mover: int
    action: int | None
    reveal: str
    views: tuple[np.ndarray, np.ndarray]
    state: np.ndarray


def moments_of(game: Game, record: Sequence[int]) -> Iterator[Moment]:
    """Yield the full state of a recorded game, move by move; the last moment is its end."""
    for (state, mover, _), action in zip(replay(game, record), [*record, None], strict=True):
        views = view_of(game, state, 0), view_of(game, state, 1)
        yield Moment(mover, action, game.reveal(state), views, state)


class PersonSession(Session):
    """One game against a person, whose seat is `side`."""

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
        self.resigned = False  # true if the person has resigned
        self.agreed = False  # true if the opponent has accepted a draw
        self.declined = False  # true if the last offer of a draw was declined
        self._accepts_draw: Callable[[Player], bool] | None = None
        self.decisions: list[tuple[np.ndarray, int]] = []  # the person's actions, each with the view before it
        self._chance = stream_of(seed, 0)
        self._player: Player = opponent.new_player(stream_of(seed, 2 - side))
        self.seat(self._player, 1 - side)
        for action in record:  # chance and the opponent draw as before
            mover, actions = self.mover, self.actions
            if action not in actions:
                raise ValueError(f"the record does not fit the rules of {game.name}: {action} cannot be tried there")
            if mover == CHANCE:
                self.draw_chance(self._chance)
            elif mover != side:
                replay_choice(self._player, self.view(mover), actions, action)
            self.apply(action)
        self.resigned = resigned and self.mover == side
        self.agreed = agreed and self.mover == 1 - side

    @property
    def over(self) -> bool:
        """True if the game has ended: by its rules, because the person has resigned, or as an agreed draw."""
        return self.resigned or self.agreed or super().over

    @property
    def payoff_index(self) -> int | None:
        """The index of the first player's payoff, once the game is over; resigning gives the lowest payoff."""
        if self.resigned:
            return 0 if self.side == 0 else self.game.max_score
        if self.agreed:
            return self.game.max_score // 2
        return super().payoff_index

    @property
    def mark(self) -> int | None:
        """The index of the person's payoff, once the game is over."""
        index = self.payoff_index
        return index if index is None or self.side == 0 else self.game.max_score - index

    @property
    def waits_for_person(self) -> bool:
        """True if the person is to act, or the game is over."""
        return self.agreed or self.mover in (OVER, self.side)

    def seen(self) -> np.ndarray:
        return self.view(self.side)

    def choices(self) -> list[int]:
        return self.actions if self.mover == self.side and not self.resigned else []

    def _check_turn(self) -> None:
        if self.over:
            raise ValueError("the game is over")
        if self.mover != self.side:
            raise ValueError("it is not your turn")

    def act(self, action: int) -> None:
        self._check_turn()
        if action not in self.actions:
            raise ValueError(f"{action} cannot be tried now")
        self.apply(action)

    def before_last_action(self) -> "PersonSession":
        """Return the game as it was before the person's last action; raise a ValueError where that cannot be done."""
        if not self.decisions:
            raise ValueError("there is nothing to take back: you have not acted yet")
        if getattr(self._player, "follow", None) is None:
            raise ValueError(f"{self.opponent.name} cannot take anything back: play on, or begin another game")
        moments = zip(replay(self.game, self.record), range(len(self.record)), strict=False)
        last = max(number for moment, number in moments if moment.mover == self.side)
        return PersonSession(self.game, self.opponent, self.side, self.seed, self.record[:last])

    def resign(self) -> None:
        self._check_turn()
        self.resigned = True

    @property
    def offers_draw(self) -> bool:
        return self._accepts_draw is not None

    def offer_draw(self, accepts: Callable[[Player], bool] | None) -> None:
        """Offer a draw with the next move, or none; `accepts` is called with the opponent after its move."""
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
        """Yield the full state, move by move, once the game is over; the last moment is its end."""
        if not self.over:
            raise ValueError("the whole game can be seen when it is over")
        yield from moments_of(self.game, self.record)

    def moment(self, number: int) -> Moment:
        for place, found in enumerate(self.moments()):
            if place == number:
                return found
        raise ValueError(f"the game has moments 0 to {len(self.record)}, not {number}")

    def apply(self, action: int) -> None:
        """Apply an action; the person's are remembered with the view before them."""
        if self.mover == self.side:
            self.decisions.append((self.seen(), action))
        super().apply(action)
