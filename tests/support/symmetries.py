"""Symmetries that are known: "these two players are interchangeable", "suits are interchangeable".

They judge colour refinement, which finds colourings at least as coarse without being told.

A generator is a map of actions and of views that commutes with the rules; the group that some of them generate cuts
the infosets and sequences into orbits. It is tried on random histories first. The orbits are an equitable colouring of
the linear program, which is confirmed as in `refine` before anything is built on it.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from fogspiel.core.game import OVER, Game
from fogspiel.core.rng import random_below, stream_of
from fogspiel.solving.methods.lp import program_of
from fogspiel.solving.reduce.colour_refinement import Colours, Quotient, quotient
from fogspiel.solving.tree import Tree, sequence_form
from fogspiel.solving.tree.sequence_form import SequenceForm


class Kinds(NamedTuple):
    """The colour of each infoset and of each sequence of one player."""

    infosets: np.ndarray
    sequences: np.ndarray


def kinds_of(form: SequenceForm, primal_player: int, colours: Colours) -> tuple[Kinds, Kinds]:
    """Which infosets and sequences of both players have one colour, from the colours of `program_of(form, planner)`."""
    mine = form.treeplexes[primal_player]
    planning = Kinds(colours.rows[1 : 1 + mine.infosets], colours.columns[: mine.sequences])
    responding = Kinds(colours.columns[1 + mine.sequences :], colours.rows[1 + mine.infosets :])
    return (responding, planning) if primal_player else (planning, responding)


def colours_from(primal_player: int, kinds: tuple[Kinds, Kinds]) -> Colours:
    """The colours of `program_of(form, planner)` from those of both players' infosets and sequences."""
    planning, responding, root = kinds[primal_player], kinds[1 - primal_player], np.zeros(1, np.int64)
    return Colours(
        _apart(root, planning.infosets, responding.sequences), _apart(planning.sequences, root, responding.infosets)
    )


def _apart(*parts: np.ndarray) -> np.ndarray:
    """The colours of all parts in turn, no two parts sharing one."""
    offsets = np.cumsum([0, *(int(part.max(initial=-1)) + 1 for part in parts[:-1])])
    return np.concatenate([part + offset for part, offset in zip(parts, offsets, strict=True)])


@dataclass(frozen=True, eq=False)
class Generator:
    """A symmetry of a game that leaves both seats as they are."""

    name: str
    action: Callable[[np.ndarray, int], int] | np.ndarray
    """From a state and an action there (chance's too) to the image of the action; or the image of each action."""
    view: Callable[[int, np.ndarray], np.ndarray] | np.ndarray
    """From a player and his view to the image of the view; or, for each cell, the cell of the view that it shows."""

    def moved(self, state: np.ndarray, action: int) -> int:
        return int(self.action[action] if isinstance(self.action, np.ndarray) else self.action(state, action))

    def seen(self, player: int, view: np.ndarray) -> np.ndarray:
        return view[self.view] if isinstance(self.view, np.ndarray) else self.view(player, view)


class _Twins:
    """A history and its image under a generator, replayed side by side."""

    def __init__(self, game: Game, generator: Generator) -> None:
        self.game, self.generator = game, generator
        self.states = np.zeros((2, game.sizes.state), np.int64)
        self.history: list[int] = []
        for state in self.states:
            game.rules.start(state)

    def complaint(self, what: str) -> ValueError:
        return ValueError(
            f"{self.generator.name} is no symmetry of {self.game.name}: after the history {self.history} {what} "
            f"differ; its maps of actions and views must commute with the rules"
        )

    def legal(self) -> tuple[list[int], list[int], list[int]]:
        """The actions, their images, and the actions of the image."""
        out = np.zeros(self.game.sizes.actions, np.int64)
        here, there = (out[: self.game.rules.legal(state, out)].tolist() for state in self.states)
        images = [self.generator.moved(self.states[0], action) for action in here]
        if sorted(images) != sorted(there):
            raise self.complaint("the actions")
        return here, images, there

    def play(self, action: int, image: int) -> None:
        for state, move in zip(self.states, (action, image), strict=True):
            self.game.rules.apply(state, move)
        self.history.append(action)

    def check(self) -> int:
        """Who is to move, if the rules say the same of the history and of its image."""
        rules = self.game.rules
        one, two = (int(rules.mover(state)) for state in self.states)
        if one != two:
            raise self.complaint("the players to move")
        for player in (0, 1):
            here, there = np.zeros((2, self.game.sizes.view), np.int64)
            rules.view(self.states[0], player, here)
            rules.view(self.states[1], player, there)
            if not np.array_equal(self.generator.seen(player, here), there):
                raise self.complaint(f"the views of player {player + 1}")
        if one == OVER and rules.score(self.states[0]) != rules.score(self.states[1]):
            raise self.complaint("the payoffs")
        return one


def try_out(game: Game, generator: Generator, histories: int = 100, seed: int = 0) -> None:
    """Try a generator on random histories: movers, actions, views and payoffs must commute with it, else ValueError."""
    for number in range(histories):
        stream, twins = stream_of(seed, number), _Twins(game, generator)
        while twins.check() != OVER:
            here, images, _ = twins.legal()
            slot = random_below(stream, len(here))
            twins.play(here[slot], images[slot])


def orbits(game: Game, tree: Tree, generators: Sequence[Generator]) -> tuple[Kinds, Kinds]:
    """The orbits of both players' infosets and sequences under the group that the generators generate."""
    infosets = np.arange(len(tree.owner))
    start = np.concatenate(([0], np.cumsum(tree.count)))
    actions = np.arange(start[-1])
    for generator in generators:
        for infoset, image, slots in _images(game, tree, generator):
            _unite(infosets, infoset, image)
            for slot, moved in enumerate(slots):
                _unite(actions, start[infoset] + slot, start[image] + moved)
    infosets, actions = (np.array([_root(links, k) for k in range(len(links))]) for links in (infosets, actions))
    one, two = (
        Kinds(
            np.unique(infosets[tree.numbers(player)], return_inverse=True)[1],
            1 + np.unique(actions[np.repeat(tree.owner == player, tree.count)], return_inverse=True)[1],
        )
        for player in (0, 1)
    )
    return _with_empty(one), _with_empty(two)


def _with_empty(kinds: Kinds) -> Kinds:
    """The same with the empty sequence, which is alone in its orbit."""
    return Kinds(kinds.infosets, np.concatenate(([0], kinds.sequences)))


def symmetric(game: Game, tree: Tree, primal_player: int, generators: Sequence[Generator]) -> Quotient:
    """The quotient of a game's program by the symmetries that the generators generate, once they have been tried."""
    for generator in generators:
        try_out(game, generator)
    return quotient(
        program_of(sequence_form(tree), primal_player), colours_from(primal_player, orbits(game, tree, generators))
    )


def _images(game: Game, tree: Tree, generator: Generator) -> Iterator[tuple[int, int, list[int]]]:
    """Each infoset with its image and the slots of its actions' images, by replaying the way to one of its nodes."""
    child = np.argsort(tree.parent, kind="stable")
    begin = np.searchsorted(tree.parent[child], np.arange(tree.nodes + 1))
    needed = np.zeros(tree.nodes, np.bool_)
    frontier = tree.samples
    while len(frontier):
        needed[frontier] = True
        above = np.unique(tree.parent[frontier])
        frontier = above[(above >= 0) & ~needed[above]]
    sampled = dict(zip(tree.samples.tolist(), range(len(tree.owner)), strict=True))
    twins = _Twins(game, generator)
    way: list[tuple[int, int, np.ndarray, list[int], list[int], list[int]]] = []
    for node in np.flatnonzero(needed).tolist():
        image = 0
        while way and way[-1][0] != tree.parent[node]:
            way.pop()
        if way:
            _, up, states, here, images, there = way[-1]
            slot = int(tree.slot[node])
            twins.states[:] = states
            del twins.history[len(way) - 1 :]
            twins.play(here[slot], images[slot])
            image = int(child[begin[up] + there.index(images[slot])])
        here, images, there = twins.legal()
        way.append((node, image, twins.states.copy(), here, images, there))
        if node in sampled:
            yield sampled[node], int(tree.label[image]), [there.index(moved) for moved in images]


def _root(links: np.ndarray, k: int) -> int:
    """The name of the set that holds k, with the path to it halved."""
    while links[k] != k:
        links[k] = links[links[k]]
        k = links[k]
    return k


def _unite(links: np.ndarray, one: int, two: int) -> None:
    links[_root(links, two)] = _root(links, one)
