"""A solved tree as one of its players walks through it: values of actions, histories that fit, what follows.

Everything is relative to the opponent's known strategy; the own past actions count as certain.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ...core.agents import Agent
from ...core.game import Game
from ...core.session import Session
from ..tree import build_tree, session_at
from ..tree.sequence_form import proportional
from .best_response import responses
from .exploitability import behaviour_mixture, behaviour_of, states_of

MAX_MEMORY = 0.5  # GiB for the tree


class Worth(NamedTuple):
    """Mean payoff of an action with best play after it, and how much less that is than the best action's."""

    action: int
    worth: float
    cost: float


class SolvedTree:
    """Every decision of one seat of a game tree against one opponent."""

    def __init__(self, game: Game, side: int, opponent: Agent):
        self.game, self.side = game, side
        self.tree = build_tree(game, MAX_MEMORY)
        self.states = states_of(game, self.tree)
        law = behaviour_mixture(game, opponent)
        theirs = np.array(behaviour_of(self.tree, self.states, 1 - side, law, "uniform"), float)
        mine = proportional(self.tree.treeplex(side), np.zeros(self.tree.treeplex(side).sequences))
        found = responses(self.tree, *((mine, theirs) if side == 0 else (theirs, mine)))
        nodes = np.flatnonzero(self.tree.label >= 0)
        self._nodes = nodes[self.tree.owner[self.tree.label[nodes]] == side]
        chance = np.array(self.tree.chance_prob, float)[self.tree.chance_index]
        self._weights = chance * np.asarray(found.reach[1 - side])[self.tree.sequences[:, 1 - side]]
        labels, weights = self.tree.label[self._nodes], self._weights[self._nodes]
        self.gains, self.likely = np.asarray(found.gains[side]), np.bincount(labels, weights, len(self.states))
        own = ((infoset, state) for infoset, state in enumerate(self.states) if state.player == side)
        self._places = {(state.history, state.view.tobytes()): infoset for infoset, state in own}

    def place(self, history: Sequence[int], seen: np.ndarray) -> int:
        """Return the number of the information state with these own actions and this view."""
        return self._places[tuple(history), seen.tobytes()]

    def worths(self, infoset: int) -> list[Worth]:
        """Return the value of every action; nothing costs anything where the opponent never leads."""
        actions, first, likely = self.states[infoset].actions, int(self.tree.first[infoset]), self.likely[infoset]
        scale = 1 / likely if likely > 0 else 0.0
        values = (self.gains[first : first + len(actions)] * scale).tolist()
        best = max(values)
        return [Worth(action, value, best - value) for action, value in zip(actions, values, strict=True)]

    # The tree as its player walks through it: from one own decision to the next.

    @cached_property
    def _by_infoset(self) -> tuple[np.ndarray, np.ndarray]:
        order = self._nodes[np.argsort(self.tree.label[self._nodes], kind="stable")]
        return order, np.searchsorted(self.tree.label[order], np.arange(len(self.states) + 1))

    def nodes(self, infoset: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the histories of an information state with their probabilities, which sum to 1.

        Where the opponent never leads, they are those of chance alone.
        """
        order, edges = self._by_infoset
        nodes = order[edges[infoset] : edges[infoset + 1]]
        weights = self._weights[nodes]
        if not weights.sum() > 0:
            weights = np.array(self.tree.chance_prob, float)[self.tree.chance_index[nodes]]
        return nodes, weights / weights.sum()

    def histories(self, infoset: int) -> Iterator[tuple[Session, float]]:
        """Yield the games that lead to an information state, with their probabilities; impossible ones are left out."""
        for node, weight in zip(*self.nodes(infoset), strict=True):
            if weight > 0:
                yield session_at(self.game, self.tree, int(node)), float(weight)

    @cached_property
    def _after(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for infoset in self.tree.numbers(self.side).tolist():
            found.setdefault(int(self.tree.before[infoset]), []).append(infoset)
        return found

    def next_places(self, infoset: int, action: int) -> list[tuple[int, float]]:
        """Return the next own decisions after an action, with their probabilities; the game ends with the rest."""
        sequence = int(self.tree.first[infoset]) + list(self.states[infoset].actions).index(action)
        likely = self.likely[infoset]
        after = self._after.get(sequence, [])
        return [(place, float(self.likely[place] / likely) if likely > 0 else 0.0) for place in after]

    @cached_property
    def _parents(self) -> dict[int, int]:
        mine = self.tree.numbers(self.side)
        return {
            sequence: infoset
            for infoset in mine.tolist()
            for sequence in range(
                int(self.tree.first[infoset]), int(self.tree.first[infoset] + self.tree.count[infoset])
            )
        }

    def path(self, infoset: int) -> list[tuple[int, int]]:
        """Return the own decisions that lead to an information state, each with the action there."""
        found = []
        while (sequence := int(self.tree.before[infoset])) > 0:
            infoset = self._parents[sequence]
            found.append((infoset, self.states[infoset].actions[sequence - int(self.tree.first[infoset])]))
        return found[::-1]

    def public_actions(self, infoset: int) -> tuple[tuple[int, int], ...]:
        """Return all actions so far with their players, where every history has the same ones; else the own actions."""
        paths = {self._actions_to(int(node)) for node in self.nodes(infoset)[0]}
        if len(paths) == 1:
            return paths.pop()
        return tuple((self.side, action) for action in self.states[infoset].history)

    def _actions_to(self, node: int) -> tuple[tuple[int, int], ...]:
        found = []
        while (above := int(self.tree.parent[node])) >= 0:
            infoset = int(self.tree.label[above])
            if infoset >= 0:
                state = self.states[infoset]
                found.append((state.player, state.actions[int(self.tree.slot[node])]))
            node = above
        return tuple(reversed(found))
