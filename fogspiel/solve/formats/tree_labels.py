"""A tree with the words needed to print a solution: who plays, where a player decides, and what there is to do."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import NamedTuple

from ...core.game import Game
from ..tree import Tree, session_at, tree_of

PLAYERS = ("Player 1", "Player 2")
LONGEST_NAME = 160


class Labels(NamedTuple):
    """The names of infosets and of their actions, by the infoset's number, and of chance's moves, by the node's."""

    infosets: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]
    chance: Mapping[int, tuple[str, ...]] = {}


class LabelledTree(NamedTuple):
    """A tree and its words. The payoffs are the first player's; the second gets `total` minus that."""

    tree: Tree
    players: tuple[str, str]
    labels: Labels
    total: Fraction = Fraction(0)


def numbered(tree: Tree) -> Labels:
    """Labels for a tree that has no words: actions by their number, from 1."""
    actions = tuple(tuple(str(slot + 1) for slot in range(count)) for count in tree.count.tolist())
    return Labels(("",) * len(tree.owner), actions)


def one_line(text: str) -> str:
    """A text in one line, cut where it is too long for a name."""
    line = " | ".join(part.strip() for part in text.splitlines() if part.strip())
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 3] + "..."


def distinct(names: Sequence[str], owners: Sequence[int]) -> tuple[str, ...]:
    """The names, numbered where one player has the same name twice, as Gambit does not accept that; none stays none."""
    used = set(zip(owners, names, strict=True))
    met: Counter[tuple[int, str]] = Counter()
    out = []
    for owner, name in zip(owners, names, strict=True):
        met[owner, name] += 1
        if name and met[owner, name] > 1:
            numbered_names = (f"{name} ({k})" for k in count(met[owner, name]))
            out.append(next(fresh for fresh in numbered_names if (owner, fresh) not in used))
            used.add((owner, out[-1]))
        else:
            out.append(name)
    return tuple(out)


def describe(game: Game, tree: Tree | None = None) -> LabelledTree:
    """The tree of a game in the game's own words: an infoset is named by what its owner sees there."""
    tree = tree_of(game) if tree is None else tree
    names, actions = [], []
    for owner, node in zip(tree.owner.tolist(), tree.samples.tolist(), strict=True):
        session = session_at(game, tree, node)
        names.append(one_line(game.show(session.view(owner))))
        actions.append(tuple(map(game.label, session.actions)))
    # Payoffs are symmetric around what each would get if they shared alike.
    total = game.payoffs[0] + game.payoffs[-1]
    return LabelledTree(tree, PLAYERS, Labels(distinct(names, tree.owner.tolist()), tuple(actions)), total)
