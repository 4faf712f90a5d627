"""Builder of trees: nodes come in preorder, from any source, and every rule a solver relies on is checked.

Those rules are perfect recall (all histories of an infoset share their owner's sequence of moves), one list of actions
for each infoset, and payoffs of the two players that always have the same sum.
"""

from array import array
from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from itertools import count
from typing import NamedTuple

import numpy as np

from ...core.game import Game
from . import CHANCE_NODE, LEAF, TooLarge, Tree, build_tree, session_at

# A tree with the labels needed to print a solution: players, infosets and actions.

PLAYERS = ("Player 1", "Player 2")
LONGEST_NAME = 160


class Labels(NamedTuple):
    """The names of infosets and of their actions, by the infoset's number, and of chance's moves, by the node's."""

    infosets: tuple[str, ...]
    actions: tuple[tuple[str, ...], ...]
    chance: Mapping[int, tuple[str, ...]] = {}


class LabelledTree(NamedTuple):
    """A tree and its labels. The payoffs are the first player's; the second gets `total` minus that."""

    tree: Tree
    players: tuple[str, str]
    labels: Labels
    total: Fraction = Fraction(0)


def numbered(tree: Tree) -> Labels:
    """Return labels for an unlabelled tree: actions by their number, from 1."""
    actions = tuple(tuple(str(slot + 1) for slot in range(count)) for count in tree.count.tolist())
    return Labels(("",) * len(tree.owner), actions)


def one_line(text: str) -> str:
    """Return a text in one line, truncated where it is too long for a name."""
    line = " | ".join(part.strip() for part in text.splitlines() if part.strip())
    return line if len(line) <= LONGEST_NAME else line[: LONGEST_NAME - 3] + "..."


def distinct(names: Sequence[str], owners: Sequence[int]) -> tuple[str, ...]:
    """Number names that one player has twice, as Gambit rejects duplicates; empty names stay empty."""
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
    """Return the tree of a game with the game's own labels: an infoset is named by its owner's view."""
    tree = build_tree(game) if tree is None else tree
    names, actions = [], []
    for owner, node in zip(tree.owner.tolist(), tree.samples.tolist(), strict=True):
        session = session_at(game, tree, node)
        names.append(one_line(game.show(session.view(owner))))
        actions.append(tuple(map(game.label, session.actions)))
    # Payoffs are symmetric around an equal split.
    total = game.payoffs[0] + game.payoffs[-1]
    return LabelledTree(tree, PLAYERS, Labels(distinct(names, tree.owner.tolist()), tuple(actions)), total)


# Default maximum of nodes of a tree; a node takes about half a kilobyte while it is read.
DEFAULT_MOST = 3_000_000
SIMPLE = 10**6  # rounded numbers are read as fractions with denominators up to this
LONG = 10**9  # decimals of at most nine places that sum to 1 are never assumed to be rounded
# Readings of rounded probabilities: the largest denominator q, the largest error, and how many times nearer they must
# be than 1 / q^2, as near as any number is to some fraction. Eight places are unmistakable up to a thousand.
READINGS = (SIMPLE, Fraction(1, LONG), 1000), (1000, Fraction(1, 10**8), 100)

# Payoffs and probabilities of chance on the way to a leaf have numbers below this, so that a hostile file cannot make
# them grow with its depth; ten moves of chance in eight decimals have 2^266.
FINEST = 2**512
MAX_SHARED = 1000  # payoffs that are recognised as objects, which must stay alive for that

Pay = tuple[Fraction, Fraction]
NO_PAY = (Fraction(0), Fraction(0))


class ImperfectRecall(ValueError):
    """A game whose players forget."""


class InsertionPoint(NamedTuple):
    parent: int
    slot: int
    chance_index: int
    last: tuple[int, int]
    paid: Pay


class Infoset(NamedTuple):
    owner: int
    before: int
    first: int
    name: str
    actions: tuple[str, ...]


def exact_probabilities(probabilities: Sequence[Fraction]) -> Sequence[Fraction]:
    """Return the exact values of rounded decimals: simple fractions, if they are unambiguous and sum to 1."""
    if sum(probabilities) == 1 and max(p.denominator for p in probabilities) <= LONG:
        return probabilities
    for largest, error, nearer in READINGS:
        simple = [p.limit_denominator(largest) for p in probabilities]
        misses = [(abs(p - q), q.denominator) for p, q in zip(probabilities, simple, strict=True)]
        if sum(simple) == 1 and all(miss <= error and miss * nearer * q**2 <= 1 for miss, q in misses):
            return simple
    return probabilities


def too_large(source: str, most: int) -> TooLarge:
    return TooLarge(f"{source} has more than {most:,} nodes: raise --memory (or `most`), or take a smaller game")


class TreeBuilder:
    """A tree that grows node by node; `where` is the prefix of every error message.

    If `remember`, a player's own moves distinguish its infosets, in addition to their keys.
    """

    def __init__(self, source: str, most: int, where: Callable[[], str], remember: bool = False):
        self._source, self._most, self._where, self._remember = source, most, where, remember
        self._parent, self._slot, self._label, self._chance_index = array("i"), array("i"), array("i"), array("i")
        self._chance_prob = [Fraction(1)]
        self._chance_number = {Fraction(1): 0}
        self._payoffs: dict[Fraction, int] = {}
        self._numbers: dict[tuple[int, Hashable, int], int] = {}
        self._infosets: list[Infoset] = []
        self._sequences = [1, 1]
        self._chance: dict[int, tuple[str, ...]] = {}
        self._total: Fraction | None = None
        self._leaves: dict[int, tuple[Pay, int]] = {}
        self._open = [InsertionPoint(-1, 0, 0, (0, 0), NO_PAY)]

    @property
    def complete(self) -> bool:
        """True if every action leads to a node."""
        return not self._open

    def add_chance(self, names: tuple[str, ...], probabilities: Sequence[Fraction], pay: Pay = NO_PAY) -> None:
        place = self._next_place(CHANCE_NODE)
        if min(probabilities) < 0:
            told = f"a move of chance has the probability {_brief(min(probabilities))}, below 0"
            raise ValueError(f"{self._where()}: {told}")
        total = sum(probabilities, Fraction(0))
        if total != 1:
            raise ValueError(f"{self._where()}: the probabilities of chance add up to {_brief(total)}, not to 1")
        chances = [self._chance_after(place.chance_index, p) for p in probabilities]
        self._chance[len(self._parent) - 1] = names
        self._offer(place, pay, chances, [place.last] * len(chances))

    def add_decision(self, player: int, key: Hashable, name: str, actions: tuple[str, ...], pay: Pay = NO_PAY) -> None:
        """Add a decision of a player, in its infoset of that key."""
        place = self._next_place(0)
        before = place.last[player]
        number = self._numbers.setdefault((player, key, before if self._remember else 0), len(self._infosets))
        self._label[-1] = number
        if number == len(self._infosets):
            self._infosets.append(Infoset(player, before, self._sequences[player], name, actions))
            self._sequences[player] += len(actions)
        infoset = self._infosets[number]
        if infoset.actions != actions:
            rule = "all histories of an infoset must offer the same actions in the same order"
            told = f"infoset {infoset.name!r} of player {player + 1} had other actions before"
            raise ValueError(f"{self._where()}: {told}: {rule}")
        if infoset.before != before:
            twice = self._passes(player, before, number)
            again = "is met twice in one history" if twice else "can be reached by different moves of that player"
            told = f"infoset {infoset.name!r} of player {player + 1} {again}"
            raise ImperfectRecall(f"{self._where()}: {told}: only games with perfect recall can be solved")
        own, (first, second) = range(infoset.first, infoset.first + len(actions)), place.last
        lasts = [(sequence, second) if player == 0 else (first, sequence) for sequence in own]
        self._offer(place, pay, [place.chance_index] * len(actions), lasts)

    def add_leaf(self, pay: Pay, called: str = "a leaf") -> None:
        """Add a terminal node, at which the players get `pay` and their earlier payments."""
        place = self._next_place(0)
        paid = self._paid(place, pay)
        pay_and_number = self._leaves.get(id(paid))  # fractions are slow to compare: most leaves share few objects
        if pay_and_number is None:
            first, second = paid
            if self._total is None:
                self._total = first + second
            if first + second != self._total:
                raise ValueError(
                    f"{self._where()}: with {called} the players get {_brief(first)} and {_brief(second)}, together "
                    f"{_brief(first + second)}, but {_brief(self._total)} before: the sum must be the same everywhere"
                )
            pay_and_number = paid, self._payoffs.setdefault(first, len(self._payoffs))
            if len(self._leaves) < MAX_SHARED:
                self._leaves[id(paid)] = pay_and_number
        self._label[-1] = LEAF - pay_and_number[1]

    def described(self, title: str, players: tuple[str, str]) -> LabelledTree:
        assert self.complete and self._total is not None
        rows, payoffs = self._infosets, sorted(self._payoffs)
        nodes = (self._parent, self._slot, self._label, self._chance_index)
        parent, slot, label, chance_index = (np.array(column, np.int32) for column in nodes)
        leaves = label <= LEAF
        rank = {pay: number for number, pay in enumerate(payoffs)}
        label[leaves] = LEAF - np.array([rank[pay] for pay in self._payoffs])[LEAF - label[leaves]]
        infosets = [(row.owner, row.before, row.first, len(row.actions)) for row in rows]
        columns = np.array(infosets, np.int64).reshape(-1, 4).T.copy()
        tree = Tree(title, parent, slot, label, chance_index, tuple(self._chance_prob), tuple(payoffs), *columns)
        names = distinct([row.name for row in rows], [row.owner for row in rows])
        labels = Labels(names, tuple(row.actions for row in rows), self._chance)
        return LabelledTree(tree, players, labels, self._total)

    def _next_place(self, label: int) -> InsertionPoint:
        place = self._open.pop()
        self._parent.append(place.parent)
        self._slot.append(place.slot)
        self._label.append(label)
        self._chance_index.append(place.chance_index)
        return place

    def _offer(self, place: InsertionPoint, pay: Pay, chances: list[int], lasts: list[tuple[int, int]]) -> None:
        """Open an insertion point for each action of the node just added, the first action on top."""
        node, count = len(self._parent) - 1, len(chances)
        if len(self._parent) + len(self._open) + count > self._most:
            raise too_large(self._source, self._most)
        paid = self._paid(place, pay)
        for slot in range(count - 1, -1, -1):
            self._open.append(InsertionPoint(node, slot, chances[slot], lasts[slot], paid))

    def _paid(self, place: InsertionPoint, pay: Pay) -> Pay:
        if pay is NO_PAY or place.paid is NO_PAY:
            return place.paid if pay is NO_PAY else pay
        paid = (place.paid[0] + pay[0], place.paid[1] + pay[1])
        if max(abs(part) for sum_ in paid for part in sum_.as_integer_ratio()) > FINEST:
            raise ValueError(f"{self._where()}: the payoffs on the way here need numbers above 2^512 to add up exactly")
        return paid

    def _chance_after(self, chance_index: int, probability: Fraction) -> int:
        """Return the number of the probability of reaching a node and then of one move of chance."""
        chance_prob = self._chance_prob[chance_index] * probability
        if chance_prob.denominator > FINEST:
            raise ValueError(f"{self._where()}: the probabilities of chance are finer than 1 / 2^512 on the way here")
        number = self._chance_number.setdefault(chance_prob, len(self._chance_prob))
        if number == len(self._chance_prob):
            self._chance_prob.append(chance_prob)
        return number

    def _passes(self, player: int, sequence: int, number: int) -> bool:
        target = self._infosets[number]
        mine = [row for row in self._infosets if row.owner == player]
        while sequence > 0:
            row = next(row for row in mine if row.first <= sequence < row.first + len(row.actions))
            if row is target:
                return True
            sequence = row.before
        return False


def _brief(number: Fraction) -> str:
    short = max(abs(number.numerator), number.denominator) < 10**9
    return str(number) if short else f"{float(number):.12g}"
