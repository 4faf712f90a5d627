"""Action frequencies of a player in a position, by sampling."""

from collections import Counter

import numpy as np

from ..core.agents import ParametricPolicy
from ..core.explain import percent
from ..core.game import Game
from ..core.rng import stream_of
from ..core.session import view_of
from ..stats.evaluate import MatchResult

STREAM = 0xE4B1  # separate from the streams of games, so that samples are independent of all games a method has used


def plan_of(player: ParametricPolicy) -> np.ndarray:
    """Return the plan of a player that does not change from game to game."""
    plan = np.zeros(player.strategy.plan_size)
    player.strategy.prepare(player.thetas[0], plan)
    return plan


def actions_in(game: Game, state: np.ndarray) -> np.ndarray:
    out = np.zeros(game.sizes.actions, np.int64)
    return out[: game.rules.legal(state, out)].copy()


def choices(game: Game, player: ParametricPolicy, state: np.ndarray, seed: int, many: int) -> Counter[int]:
    """Count the player's choices when it is to move in this position."""
    seen, actions = view_of(game, state, int(game.rules.mover(state))), actions_in(game, state)
    plan, stream, choose = plan_of(player), stream_of(seed, STREAM), player.strategy.choose
    return Counter(int(choose(seen, actions, plan, stream)) for _ in range(many))


def estimate_score(count: int, many: int) -> str:
    """Return a sampled frequency with its 95 % interval, as text."""
    counts = (many - count, count)
    low, high = MatchResult((0.0, 1.0), counts, counts).interval
    return f"{percent(count / many)} ({100 * low:.1f} to {100 * high:.1f})"
