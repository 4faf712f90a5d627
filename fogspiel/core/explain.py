"""Strategies in words: what a player does, in sentences, tables and pictures, with exact numbers where there are some.

A family that has something to compute does so in its file `explain`, by `explain(game, player, seed)` for a player that
is always the same and `explain_mixture(player)` for all of a mixture; everything else is said in general.
"""

import numpy as np

from .agents import IN_TURN, MIXED, REDRAWN, Policy
from .explanation import Explanation, Picture, Table, percent
from .game import UNIFORM, Game, part_of

__all__ = ["Explanation", "Picture", "Table", "explain"]

MOST_MEMBERS = 20
"""Members of a mixture that are listed."""


def explain(game: Game, player: Policy, seed: int) -> Explanation:
    """What a player does; where something has to be sampled the seed decides what is drawn."""
    strategy = player.strategy
    if player.how == REDRAWN:
        many = len(strategy.parameters)
        drawn = f"draws {many} standard Gaussian parameter{'s' if many > 1 else ''} anew before every pair of games"
        return Explanation((f"{player.name} {drawn} and plays them: {strategy.name}.",))
    if strategy is UNIFORM:
        return Explanation((f"{player.name} tries any of the possible actions with equal probability.",))
    if player.how in (MIXED, IN_TURN):
        return _mixture(game, player, seed)
    explain_one = part_of(game, "explain", "explain")
    if explain_one is not None:
        found: Explanation = explain_one(game, player, seed)
        return found
    said = strategy.words(player.thetas[0]) if strategy.words else f"plays by its rule: {strategy.name}"
    return Explanation((f"{player.name} {said}.",))


def _mixture(game: Game, player: Policy, seed: int) -> Explanation:
    """The members with their weights, then the heaviest one alone."""
    many = len(player.thetas)
    weights = np.array(player.weights or (1 / many,) * many)
    order = np.argsort(-weights, kind="stable").tolist()
    if player.how == MIXED:
        said = f"{player.name} draws one of {many} members before every pair of games, by weight"
    else:
        said = f"{player.name}: {many} members play in turn"
    rows = [(member + 1, percent(weights[member]), _shortened(player.thetas[member])) for member in order]
    members = Table(f"The members of {player.name}", ("member", "weight", "parameters"), tuple(rows[:MOST_MEMBERS]))
    left = f"; the {many - MOST_MEMBERS} lightest members are not listed" if many > MOST_MEMBERS else ""
    heaviest = order[0]
    name = f"member {heaviest + 1}"
    alone = explain(game, Policy(name, player.strategy, player.thetas[heaviest : heaviest + 1]), seed)
    explain_whole = part_of(game, "explain", "explain_mixture")
    first = (said + left + ".", *(explain_whole(player) if explain_whole else ()))
    weight = percent(weights[heaviest])
    beginning = f"The heaviest member is {name} ({weight}); what follows is about it alone."
    return Explanation((*first, beginning, *alone.sentences), (members, *alone.tables), alone.pictures)


def _shortened(theta: np.ndarray) -> str:
    """The first parameters of a vector."""
    return ", ".join(f"{number:g}" for number in theta[:6].tolist()) + (", .." if len(theta) > 6 else "")
