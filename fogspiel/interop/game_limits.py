"""Bounds of a game's numbers where its rules do not give them: actions, length of games, cells of views.

A small game is traversed completely, and its limits are exact. For a larger one, fixed random games are played, and a
margin is added to what they reach. That is no proof, so users of a limit check it in play.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..core.game import CHANCE, WRONG_WEIGHTS, Game, new_cells, total_weight
from ..core.rng import random_below, stream_of
from ..core.session import Session

MAX_NODES = 20_000  # nodes of a game that is traversed completely
MAX_GAMES, MAX_MOVES = 64, 40_000  # random games, and moves after which no other one starts
MARGIN = 4  # factor by which a game may be longer than those
LIMITS_STREAM = 0x11A17
HIGHEST_ACTION = (1 << 20) - 1
FLOAT_CELL = 1 << 24  # up to this, 32-bit floats hold every integer
# If the sampled games have a larger cell than this, other games may have cells above FLOAT_CELL.
NARROW_CELL = FLOAT_CELL // 16


class GameLimits(NamedTuple):
    actions: int  # the actions of players are numbers below this
    moves: int  # moves of both players in one game
    draws: int  # moves of chance in one game
    wide: bool  # true if views may have cells that 32-bit floats cannot hold


@dataclass
class _Reached:
    action: int = 0
    moves: int = 0
    draws: int = 0
    wide: bool = False

    def look(self, session: Session, moves: int, draws: int) -> list[int]:
        self.moves, self.draws = max(self.moves, moves), max(self.draws, draws)
        self.wide = self.wide or any(largest_cell(session.view(player)) > NARROW_CELL for player in (0, 1))
        if session.mover == CHANCE:
            return [action for action, share in zip(session.actions, chance_shares(session), strict=True) if share]
        actions = session.actions
        if actions:
            check_actions(session.game, actions, HIGHEST_ACTION + 1)
            self.action = max(self.action, *actions)
        return actions


def measure_limits(game: Game, actions: int | None = None, moves: int | None = None) -> GameLimits:
    """Return the limits of a game; given ones are used unchanged."""
    for name, given in {"actions": actions, "moves": moves}.items():
        if given is not None and given < 1:
            raise ValueError(f"`{name}` is {given}: it must be at least 1")
    reached = _walk(game)
    if reached:
        found = GameLimits(reached.action + 1, reached.moves, reached.draws, reached.wide)
    else:
        reached = _sample(game, moves)
        dense = reached.action < game.sizes.actions
        numbers = game.sizes.actions if dense else 1 << reached.action.bit_length()
        found = GameLimits(numbers, MARGIN * reached.moves, MARGIN * reached.draws, reached.wide)
    return found._replace(actions=actions or found.actions, moves=moves or found.moves)


def _walk(game: Game) -> _Reached | None:
    """Traverse the whole game, if it is small."""
    session, reached = Session(game), _Reached()
    stack, nodes = [(session.state.copy(), 0, 0)], 0
    while stack:
        nodes += 1
        if nodes > MAX_NODES:
            return None
        state, moves, draws = stack.pop()
        session.state = state
        chance = session.mover == CHANCE
        for action in reached.look(session, moves, draws):
            after = state.copy()
            game.rules.apply(after, action)
            stack.append((after, moves + (not chance), draws + chance))
    return reached


def _sample(game: Game, longest: int | None) -> _Reached:
    """Play some random games; one that does not end is cut off if its length is known."""
    reached, total = _Reached(), 0
    for number in range(MAX_GAMES):
        session, stream, moves, draws = Session(game), stream_of(LIMITS_STREAM, number), 0, 0
        while actions := reached.look(session, moves, draws):
            if moves + draws >= MAX_MOVES:
                if longest is None:
                    raise ValueError(
                        f"a random game of {game.name} has not ended after {MAX_MOVES:,} moves: say how many there are"
                    )
                break
            chance = session.mover == CHANCE
            moves, draws = moves + (not chance), draws + chance
            session.apply(actions[random_below(stream, len(actions))])
        total += moves + draws
        if total >= MAX_MOVES:
            break
    return reached


def check_actions(game: Game, actions: list[int], limit: int) -> None:
    """Raise a ValueError if an action's number is not below the limit."""
    if min(actions) < 0 or max(actions) >= limit:
        wrong = min(actions) if min(actions) < 0 else max(actions)
        remedy = f"; say `actions={wrong + 1}` or more" if limit <= wrong <= HIGHEST_ACTION else ""
        raise ValueError(f"{game.name} has the action {wrong}, but exported are actions from 0 to {limit - 1}{remedy}")


def largest_cell(view: np.ndarray) -> int:
    return max(int(view.max()), -int(view.min()))


def chance_shares(session: Session) -> list[float]:
    count, rules = len(session.actions), session.game.rules
    if rules.weights is None:
        return [1 / count] * count
    out = new_cells(session.game.sizes.actions)
    rules.weights(session.state, out)
    weights = out[:count].tolist()
    if not total_weight(out[:count]):
        raise ValueError(f"{session.game.name} has the weights {weights[:12]}: {WRONG_WEIGHTS}")
    return [weight / sum(weights) for weight in weights]


def zero_sum(game: Game, score: int) -> tuple[float, float]:
    """Return both players' payoffs at the end, minus half of their sum each."""
    first = float(game.payoffs[score] - (game.payoffs[0] + game.payoffs[-1]) / 2)
    return first, -first
