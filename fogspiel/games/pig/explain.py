"""Pig in words: the threshold, what it scores and what it costs."""

import numpy as np

from ...core.agents import Policy, find_policy, redrawn_baseline
from ...core.explanation import Explanation, Table, heat_map
from ...core.game import Game, Strategy
from .exact import optimum, rate, redrawn_law, saddle, threshold_matrix
from .rules import GOAL, LEAST, OPTIMUM, threshold_of, words

BANKS = range(0, GOAL, 10)


def explain(game: Game, player: Policy, seed: int) -> Explanation:
    """The scores, and for a threshold what it loses by not being the best one."""
    if player.strategy is OPTIMUM:
        others = [find_policy(game, name) for name in game.named if name != player.name] + [redrawn_baseline(game)]
        return _optimal(player, _scores(player, {other.name: rate(player, other) for other in others}))
    threshold, best, matrix = threshold_of(player.thetas[0]), saddle(), threshold_matrix()
    scores = {}
    for name, known in game.named.items():
        if isinstance(known, Strategy):
            scores[name] = rate(player, find_policy(game, name))
        else:
            scores[name] = float(matrix[threshold, threshold_of(np.array(known))])
    scores["redrawn"] = float(matrix[threshold, LEAST:] @ redrawn_law()[LEAST:])
    worst = LEAST + int(matrix[threshold, LEAST:].argmin())
    regret = 0.5 - matrix[threshold, best]
    if threshold == best:
        second = f"No other threshold beats {best}: its regret is 0."
    else:
        second = f"Against {best}, the threshold that no other one beats, it scores {0.5 - regret:.6f}: a regret of "
        second += f"{regret:.6f}; of all thresholds {worst} beats it most and leaves it {matrix[threshold, worst]:.6f}."
    return Explanation((f"{player.name} {words(player.thetas[0])}.", second), (_scores(player, scores),))


def _scores(player: Policy, scores: dict[str, float]) -> Table:
    rows = tuple((name, f"{score:.6f}") for name, score in scores.items())
    return Table(f"What {player.name} scores, by calculation", ("against", "score"), rows)


def _optimal(player: Policy, scores: Table) -> Explanation:
    """The points of a turn at which optimal play stops first, by both banks."""
    rolls = optimum().rolls
    first_hold = [
        [
            next((turn for turn in range(LEAST, GOAL - own) if not rolls[own, other, turn]), GOAL - own)
            for other in BANKS
        ]
        for own in BANKS
    ]
    title = "Points of a turn at which it stops first (or has won): own bank downwards, the other's across"
    table = Table(
        title, ("own bank", *map(str, BANKS)), tuple((own, *row) for own, row in zip(BANKS, first_hold, strict=True))
    )
    shares = [[stop / GOAL for stop in row] for row in first_hold]
    picture = heat_map(title + ", as a share of 100", shares, list(BANKS), list(BANKS), 1.0)
    said = f"{player.name} looks at both banks and at the turn, and has the best chance to win in every position."
    level = f"With nothing banked on either side the first total of a turn at which it stops is {first_hold[0][0]}."
    return Explanation((said, level), (scores, table), (picture,))
