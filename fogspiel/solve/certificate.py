"""Certificates: a strategy for each side with what it secures, in the form that `fogspiel.verify` checks."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from ..core.game import Game, blank
from ..core.session import view_of
from .checkers.tree_certificate import FORMAT, digest_of
from .tree import Tree

Knowledge = Callable[[int], tuple[list[int], list[int]]]
"""From the number of an infoset to the owner's view and the actions there."""


def moment_of(game: Game, tree: Tree, infoset: int) -> tuple[np.ndarray, list[int]]:
    """What the owner of an infoset sees there and may do, by replaying one history that leads to it."""
    rules, state, out = game.rules, blank(game.sizes.state), blank(game.sizes.actions)
    rules.start(state)
    for slot in tree.way_to(int(tree.samples[infoset])):
        rules.legal(state, out)
        rules.apply(state, out[slot])
    return view_of(game, state, int(tree.owner[infoset])), out[: rules.legal(state, out)].tolist()


def knowledge_of(game: Game, tree: Tree) -> Knowledge:
    """The views and actions of a game record, as lists."""

    def known(infoset: int) -> tuple[list[int], list[int]]:
        seen, actions = moment_of(game, tree, infoset)
        return seen.tolist(), actions

    return known


def rows_of(tree: Tree, player: int, behaviour: Sequence[Fraction], known: Knowledge) -> list[dict[str, Any]]:
    """The rows of a strategy: one for each infoset that the player can reach by it."""
    rows: list[dict[str, Any]] = []
    decisions: dict[int, tuple[int, int] | None] = {0: None}  # behind each sequence he uses: a row and an action
    for infoset in tree.numbers(player).tolist():
        before, first, count = int(tree.before[infoset]), int(tree.first[infoset]), int(tree.count[infoset])
        if before not in decisions:
            continue
        view, actions = known(infoset)
        shares = behaviour[first : first + count]
        for slot in range(count):
            if shares[slot]:
                decisions[first + slot] = (len(rows), actions[slot])
        after = decisions[before]
        rows.append(
            {
                "after": None if after is None else list(after),
                "view": view,
                "actions": actions,
                "probabilities": [str(Fraction(share)) for share in shares],
            }
        )
    return rows


def certificate(
    name: str,
    version: int | str,
    tree: Tree,
    known: Knowledge,
    behaviours: tuple[Sequence[Fraction], Sequence[Fraction]],
    bounds: tuple[Fraction, Fraction],
) -> dict[str, Any]:
    """The certificate that these strategies secure these bounds."""
    lower, upper = bounds
    body: dict[str, Any] = {
        "format": FORMAT,
        "game": name,
        "rules": version,
        "value": str(lower if lower == upper else (lower + upper) / 2),
        "lower": str(lower),
        "upper": str(upper),
        "strategies": [rows_of(tree, player, behaviours[player], known) for player in (0, 1)],
    }
    return body | {"digest": digest_of(body)}
