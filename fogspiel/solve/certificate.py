"""The certificate of a whole tree: a strategy for each side, in the form that `checkers.tree_certificate` checks."""

from collections.abc import Callable, Sequence
from fractions import Fraction

from ..core.game import Game
from .checkers.primitives import digest_of
from .checkers.tree_certificate import FORMAT, Row, TreeCertificate
from .tree import Tree, session_at

# From the number of an infoset to the owner's view and the actions there.
Knowledge = Callable[[int], tuple[list[int], list[int]]]


def knowledge_of(game: Game, tree: Tree) -> Knowledge:
    """The views and actions of a game record, by replaying one history that leads to an infoset."""

    def known(infoset: int) -> tuple[list[int], list[int]]:
        session = session_at(game, tree, int(tree.samples[infoset]))
        return session.view(int(tree.owner[infoset])).tolist(), session.actions

    return known


def rows_of(tree: Tree, player: int, behaviour: Sequence[Fraction], known: Knowledge) -> list[Row]:
    """The rows of a strategy: one for each infoset that the player can reach by it."""
    rows: list[Row] = []
    decisions: dict[int, list[int] | None] = {0: None}  # behind each sequence in use: a row and an action
    for infoset in tree.numbers(player).tolist():
        before, first, count = int(tree.before[infoset]), int(tree.first[infoset]), int(tree.count[infoset])
        if before not in decisions:
            continue
        view, actions = known(infoset)
        shares = behaviour[first : first + count]
        decisions |= {first + slot: [len(rows), actions[slot]] for slot in range(count) if shares[slot]}
        probabilities = [str(Fraction(share)) for share in shares]
        rows.append({"after": decisions[before], "view": view, "actions": actions, "probabilities": probabilities})
    return rows


def certificate(
    name: str,
    version: int | str,
    tree: Tree,
    known: Knowledge,
    behaviours: tuple[Sequence[Fraction], Sequence[Fraction]],
    bounds: tuple[Fraction, Fraction],
) -> TreeCertificate:
    """The certificate that these strategies secure these bounds."""
    lower, upper = bounds
    body: TreeCertificate = {
        "format": FORMAT,
        "game": name,
        "rules": version,
        "value": str(lower if lower == upper else (lower + upper) / 2),
        "lower": str(lower),
        "upper": str(upper),
        "strategies": [rows_of(tree, player, behaviours[player], known) for player in (0, 1)],
        "digest": "",
    }
    body["digest"] = digest_of(body)
    return body
