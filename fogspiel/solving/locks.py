"""Given policies in solving: information states that are locked to them, and opponents to gain from."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import numpy as np

from ..core.agents import Agent
from ..core.behaviour_policy import MissingState
from ..core.game import Game
from .policies import refuse_faulty
from .policies.exploitability import behaviour_mixture, behaviour_of, states_of
from .proofs.checkers.refined import LockedPositions, locked_game
from .refinement import uniform_behaviour
from .sources import GameSource, Knowledge, Watch, in_silence
from .tree import CHANCE_NODE, Tree, build_tree, chance_moves, histories_of
from .tree.sequence_form import infosets_of

if TYPE_CHECKING:
    from .tree.builder import LabelledTree

FINEST = 1000  # the largest denominator of a probability that is given as a float
Row = list[Fraction]


class GivenPolicy(NamedTuple):
    """A policy that the user names, for one seat or for both."""

    game: Game
    agent: Agent
    seat: int | None = None

    def rows(self, source: GameSource, tree: Tree) -> list[Row | None]:
        """Return the probabilities at each infoset of a tree; None where the policy has none."""
        own = tree if source.game is not None else build_tree(self.game)
        states = states_of(self.game, own)
        refuse_faulty(self.agent, states)
        law = behaviour_mixture(self.game, self.agent)
        found: list[Row | None] = [None] * len(states)
        mixed = [behaviour_of(own, states, player, law, "uniform") for player in (0, 1)] if len(law) > 1 else []
        for number, state in enumerate(states):
            if self.seat in (None, state.player):
                # The view of a game that was read as a tree holds the number of the infoset there
                place = number if source.game is not None else int(state.view[1])
                with suppress(MissingState):
                    first = int(own.first[number])
                    shares = mixed[state.player][first:] if mixed else law[0][1].action_probabilities(state)
                    found[place] = rounded(shares[: len(state.actions)])
        return found

    def behaviours(self, source: GameSource, tree: Tree) -> tuple[list[Fraction], list[Fraction]]:
        """Return the policy in both seats by sequences, uniform where it has no probabilities."""
        if isinstance(source, LockedSource):
            found = self.rows(source.base, source.base.tree(0))
            rows = [found[origin // 2] for origin in source.origin.tolist()]
        else:
            rows = self.rows(source, tree)
        both = []
        for player in (0, 1):
            behaviour = uniform_behaviour(tree.treeplex(player))
            places = zip(tree.numbers(player).tolist(), infosets_of(tree.treeplex(player)), strict=True)
            for infoset, (_, first, count) in places:
                behaviour[first : first + count] = rows[infoset] or behaviour[first : first + count]
            both.append(behaviour)
        return both[0], both[1]


def rounded(shares: Sequence[Any]) -> Row:
    """Return probabilities in fractions; floats are rounded, and the likeliest action takes the rest."""
    if all(isinstance(share, Fraction) for share in shares):
        return list(shares)
    row = [Fraction(float(share)).limit_denominator(FINEST) for share in shares]
    row[max(range(len(row)), key=row.__getitem__)] += 1 - sum(row)
    return row


class LockedSource(GameSource):
    """A game in which chance acts at the information states that a policy locks, always or with a probability."""

    def __init__(self, base: GameSource, policy: GivenPolicy, weight: Fraction) -> None:
        super().__init__(base.name, base.version, base.source)
        self.base, self.policy, self.weight = base, policy, weight
        self._tree: Tree | None = None

    def tree(self, memory: float, watch: Watch = in_silence) -> Tree:
        if self._tree is None:
            whole = self.base.tree(memory, watch)
            rows = self.policy.rows(self.base, whole)
            locks = {infoset: row for infoset, row in enumerate(rows) if row is not None}
            owners = {int(whole.owner[infoset]) for infoset in locks}
            if not locks:
                raise ValueError(f"{self.policy.agent.name} has no probabilities at any information state of that seat")
            if self.weight < 1 and len(owners) > 1:
                raise ValueError("--lock-weight is for the policy of one seat: add --seat 1 or --seat 2")
            self._owners, known = owners, self.base.knowledge(whole)
            self._histories = histories_of(whole, lambda infoset: known(infoset)[1])
            self._locks = lock_json(whole, locks, self.weight, known, self._histories)
            self._tree, self.origin = lock_tree(whole, locks, self.weight)
        return self._tree

    @property
    def lock(self) -> dict[str, Any]:
        """The locks, as they stand in a certificate."""
        return self._locks

    def knowledge(self, tree: Tree) -> Knowledge:
        base = self.base.knowledge(self.base.tree(0))

        def known(infoset: int) -> tuple[list[int], list[int]]:
            origin, hold = divmod(int(self.origin[infoset]), 2)
            view, actions = base(origin)
            if int(tree.owner[infoset]) in self._owners:
                view = [*view, *self._histories[origin], *([] if self.weight == 1 else [hold])]
            return view, actions

        return known

    def words(self, view: list[int], actions: list[int]) -> tuple[str, list[str]]:
        return self.base.words(view, actions)

    def positions(self) -> LockedPositions:
        return locked_game(self.base.positions(), self._locks)

    def describe(self, memory: float = 0) -> "LabelledTree":
        return self._refuse()

    def _refuse(self) -> NoReturn:
        raise ValueError(f"{self.name} with locks cannot be exported: export the game itself")


def lock_json(
    tree: Tree, locks: Mapping[int, Row], weight: Fraction, known: Knowledge, histories: Sequence[list[int]]
) -> dict[str, Any]:
    sides: tuple[list[Any], list[Any]] = [], []
    for infoset, row in locks.items():
        view, actions = known(infoset)
        shares = [str(share) for share in row]
        state = {"history": histories[infoset], "view": view, "actions": actions, "probabilities": shares}
        sides[int(tree.owner[infoset])].append(state)
    return {"weight": str(weight), "rows": list(sides)}


def lock_tree(tree: Tree, locks: Mapping[int, Row], weight: Fraction) -> tuple[Tree, np.ndarray]:
    """Return the tree with locked infosets as moves of chance, and the origin of its infosets.

    With a weight below 1 the locks hold in the second of two copies of the tree only, which chance chooses between. The
    origin of an infoset is twice its number in the given tree, plus 1 if it is in a copy where the locks hold and is
    of their owner.
    """
    infosets = len(tree.owner)
    locked = np.zeros(infosets, bool)
    locked[list(locks)] = True
    ours = np.isin(tree.owner, tree.owner[locked])
    held = np.flatnonzero(ours & ~locked)  # infosets of the owners of locks where the locks hold
    free = np.flatnonzero(~ours) if weight == 1 else np.arange(infosets)
    origin = np.sort(np.r_[2 * free, 2 * held + 1]) if weight == 1 else np.r_[2 * free, 2 * held + 1]
    number = np.full(2 * infosets, CHANCE_NODE)
    number[origin] = np.arange(len(origin))
    place = np.where(ours, 2 * np.arange(infosets) + 1, 2 * np.arange(infosets))
    with_locks = number[place]
    copies = [with_locks] if weight == 1 else [number[::2], with_locks]
    labels = [np.where(tree.label >= 0, copy[np.maximum(tree.label, 0)], tree.label) for copy in copies]
    parts = [_chances(tree, {} if weight < 1 and not k else locks) for k in range(len(copies))]
    if weight == 1:
        parent, slot, label, chances = tree.parent, tree.slot, labels[0], parts[0]
    else:
        below = tree.parent + 1
        parent = np.r_[-1, below, below + tree.nodes]
        parent[[1, 1 + tree.nodes]] = 0
        slot = np.r_[0, tree.slot, tree.slot]
        slot[1 + tree.nodes] = 1
        label = np.r_[CHANCE_NODE, labels[0], labels[1]]
        chances = [Fraction(1), *((1 - weight) * share for share in parts[0]), *(weight * share for share in parts[1])]
    table = {share: place for place, share in enumerate(dict.fromkeys(chances))}
    index = np.array([table[share] for share in chances])
    owner, count = tree.owner[origin // 2], tree.count[origin // 2]
    first = np.zeros(len(origin), np.int64)
    for player in (0, 1):
        mine = owner == player
        first[mine] = 1 + np.cumsum(count[mine]) - count[mine]
    parent, slot, label, index = (np.asarray(row, np.int32) for row in (parent, slot, label, index))
    before = np.zeros_like(first)
    cut = Tree(tree.title, parent, slot, label, index, tuple(table), tree.payoffs, owner, before, first, count)
    cut.before[:] = cut.sequences[cut.samples, owner]
    return cut, origin


def _chances(tree: Tree, locks: Mapping[int, Row]) -> list[Fraction]:
    """Return the probability of chance's moves and locked actions on the path to each node."""
    moves, found = chance_moves(tree), [Fraction(1)]
    cached: dict[tuple[Fraction, Fraction], Fraction] = {}
    label = tree.label.tolist()
    for above, slot in zip(tree.parent.tolist()[1:], tree.slot.tolist()[1:], strict=True):
        row = moves[above] if label[above] == CHANCE_NODE else locks.get(label[above])
        before = found[above]
        if row is None:
            found.append(before)
        else:
            key = before, row[slot]
            found.append(cached.setdefault(key, before * row[slot]))
    return found
