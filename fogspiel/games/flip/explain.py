"""Flip in words: the terms that weigh most, and what the player prefers in a sample position."""

import numpy as np

from ...core.agents import Policy
from ...core.explanation import Explanation, Table
from ...core.game import CHANCE, OVER, Game
from ...core.rng import below, stream_of
from ...core.session import view_of
from ..shared.sampling import actions_in, choices, plan_of
from .rules import MANY, PILE, RANKS, SEEN_HELD, SEEN_OPEN, SEEN_PILE, coefficients, label, show, value_of_play, words

SHOWN, STREAM, LEAST_PLAYS = 10, 0xF11B, 4


def explain(game: Game, player: Policy, seed: int) -> Explanation:
    """The largest coefficients, and the plays of one position in the order of their values."""
    theta, plan, state = player.thetas[0], plan_of(player), sample(game, seed)
    mover = int(game.rules.mover(state))
    seen, actions, counts = view_of(game, state, mover), actions_in(game, state).tolist(), np.zeros(MANY)
    at = (SEEN_PILE, SEEN_HELD, SEEN_HELD + 1, SEEN_OPEN, SEEN_OPEN + RANKS)
    values = {action: float(value_of_play(plan, seen, *at, counts, action)) for action in actions}
    [chosen] = choices(game, player, state, seed, 1)
    ranked = sorted(actions, key=lambda action: (-values[action], action))
    title = "A sample position: " + "; ".join(show(seen).splitlines())
    plays = tuple((label(action), f"{values[action]:+.4g}", "chosen" if action == chosen else "") for action in ranked)
    tables = [Table(title, ("play", "value", ""), plays)]
    if heavy := coefficients(theta)[:SHOWN]:
        rows = tuple((f"{weight:+.4g}", name) for name, weight in heavy)
        tables.insert(
            0, Table("The largest coefficients; features are counts over their units", ("weight", "of"), rows)
        )
    tied = sum(value == values[chosen] for value in values.values()) > 1
    equal = ", the lowest of equals" if tied else ", to which it gives the highest value"
    sentence = f"In the sample position it prefers {label(chosen)}{equal}."
    return Explanation((f"{player.name} {words(theta)}.", sentence), tuple(tables))


def sample(game: Game, seed: int) -> np.ndarray:
    """The first position of a random game in which there are several plays on different piles."""
    stream, state = stream_of(seed, STREAM), np.zeros(game.sizes.state, np.int64)
    game.rules.start(state)
    while True:
        mover = int(game.rules.mover(state))
        if mover == OVER:
            game.rules.start(state)
            continue
        actions = actions_in(game, state)
        if mover != CHANCE and len(actions) >= LEAST_PLAYS and state[PILE] != state[PILE + 1]:
            return state
        game.rules.apply(state, actions[below(stream, len(actions))])
