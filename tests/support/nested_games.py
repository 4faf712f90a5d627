"""Games as nested tuples: a payoff, Luck with (probability, game) pairs, or Choice with what the mover sees."""

from fractions import Fraction
from random import Random
from typing import Any, NamedTuple

import numpy as np

from fogspiel.solving.tree import CHANCE_NODE, LEAF, Tree


class Luck(NamedTuple):
    outcomes: list[tuple[Fraction, Any]]


class Choice(NamedTuple):
    player: int
    seen: Any
    actions: list[Any]


PENNIES = Choice(0, "", [Choice(1, "", [Fraction(1), Fraction(-1)]), Choice(1, "", [Fraction(-1), Fraction(1)])])


def tree_from(game: Any, title: str = "by hand") -> Tree:
    """The tree of nested tuples: infosets are told apart by the owner's past moves and what it sees."""
    nodes: list[list[int]] = []
    infosets: dict[tuple, list[int]] = {}
    widths, chance_prob, payoffs = [1, 1], [Fraction(1)], []

    def grow(game, parent, slot, chance, last):
        if chance not in chance_prob:
            chance_prob.append(chance)
        number = len(nodes)
        node = [parent, slot, CHANCE_NODE, chance_prob.index(chance)]
        nodes.append(node)
        if isinstance(game, Luck):
            for k, (p, below) in enumerate(game.outcomes):
                grow(below, number, k, chance * p, last)
        elif isinstance(game, Choice):
            key = (game.player, last[game.player], game.seen)
            if key not in infosets:
                infosets[key] = [len(infosets), widths[game.player], len(game.actions)]
                widths[game.player] += len(game.actions)
            infoset, first, _ = infosets[key]
            node[2] = infoset
            for k, below in enumerate(game.actions):
                moved = list(last)
                moved[game.player] = first + k
                grow(below, number, k, chance, tuple(moved))
        else:
            if game not in payoffs:
                payoffs.append(game)
            node[2] = LEAF - payoffs.index(game)

    grow(game, -1, 0, Fraction(1), (0, 0))
    rows = [(player, before, first, count) for (player, before, _), (_, first, count) in infosets.items()]
    columns, known = np.array(nodes, np.int32).T.copy(), np.array(rows, np.int64).T.copy()
    return Tree(title, *columns, tuple(chance_prob), tuple(payoffs), *known)


def random_game(rng: Random, depth: int, finest: int) -> Any:
    """A small game; what a player sees also says how many actions there are."""
    kind = rng.random()
    if depth == 0 or kind < 0.1:
        return Fraction(rng.randint(-2 * finest, 2 * finest), rng.randint(1, finest))
    if kind < 0.3:
        parts = [rng.randint(1, 4) for _ in range(rng.randint(1, 3))]
        return Luck([(Fraction(part, sum(parts)), random_game(rng, depth - 1, finest)) for part in parts])
    seen = rng.randint(0, 2)
    return Choice(rng.randint(0, 1), seen, [random_game(rng, depth - 1, finest) for _ in range(seen + 1)])


def random_trees(seed: int, how_many: int, depth: int, finest: int = 3, deciding: int = 2) -> list[tuple[Any, Tree]]:
    """Games in which so many players or more have something to decide; a small `finest` makes for many ties."""
    rng, found = Random(seed), []
    while len(found) < how_many:
        game = random_game(rng, depth, finest)
        if len(_owners(game)) >= deciding:
            found.append((game, tree_from(game)))
    return found


def _owners(game: Any) -> set[int]:
    if isinstance(game, Luck):
        return set().union(*(_owners(below) for _, below in game.outcomes))
    if isinstance(game, Choice):
        return {game.player}.union(*(_owners(below) for below in game.actions))
    return set()
