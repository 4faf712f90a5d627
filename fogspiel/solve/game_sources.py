"""What can be solved: a game of the package, a Python file with the six rules, a Gambit file, or an OpenSpiel game."""

import hashlib
import importlib.util
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np

from ..core.game import CHANCE, OVER, Game, find_game
from .certificate import Knowledge, knowledge_of
from .checkers.tree_certificate import GamePositions, Look, Positions
from .formats import LabelledTree, describe, from_openspiel, read_efg, read_nfg
from .tree import CHANCE_NODE, DEFAULT_MEMORY, LEAF, Tree, tree_of

OPENSPIEL = "openspiel:"
Watch = Callable[[int], None]


@dataclass(frozen=True, eq=False)
class Problem:
    """A game to be solved, wherever its rules come from."""

    name: str
    version: int | str
    """Of the rules: a number, or the digest of the file that holds them."""
    source: str
    """The words that find the game again."""
    tree: Callable[[float, Watch], Tree]
    """The whole tree, within a memory limit in GiB."""
    knowledge: Callable[[Tree], Knowledge]
    words: Callable[[list[int], list[int]], tuple[str, list[str]]]
    """A view and the actions there, as they stand in a certificate, in words."""
    positions: Callable[[], Positions]
    """The rules as the checker of certificates needs them."""
    describe: Callable[[float], LabelledTree]
    """The tree with all its words, for other programs."""
    game: Game | None = None


def problem_of_package(name: str) -> Problem:
    """The game of the package that has this name, or a ValueError with names that look like it."""
    return _of_game(find_game(name), name, None)


def is_code(words: str) -> bool:
    """Whether words name a Python file: only the user's own words may do so, never a file, a store or a page."""
    return words.partition(":")[0].endswith(".py")


def find_problem(words: str) -> Problem:
    """The problem that the user's words stand for, or a ValueError that says what they could have been.

    The Python file that they name is run.
    """
    if words.startswith(OPENSPIEL):
        name = words.removeprefix(OPENSPIEL)
        read = partial(from_openspiel, name)
        return _described(_plain(words), f"OpenSpiel {name}", words, lambda memory: read(_nodes(memory)))
    path, _, chosen = words.partition(":")
    if is_code(words):
        return _of_game(_game_of_file(Path(path), chosen), words, _digest(Path(path)))
    if words.endswith((".efg", ".nfg")):
        file = Path(words)
        read = partial(read_efg if words.endswith(".efg") else read_nfg, file)
        return _described(_plain(file.stem), _digest(file), words, lambda memory: read(_nodes(memory)))
    return problem_of_package(words)


def _plain(words: str) -> str:
    """The words as the name of a game, from which runs are named."""
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") or "game"


def _digest(path: Path) -> str:
    """What stands for the version of the rules in a file: any change makes another game."""
    try:
        return "sha256 " + hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise ValueError(f"the game file {path} cannot be read: {error.strerror or error}") from None


def _game_of_file(path: Path, name: str) -> Game:
    """A game of a Python file: the one of that name, or the only one there is."""
    _digest(path)
    found = importlib.util.spec_from_file_location(f"fogspiel_game_{path.stem}", path)
    if found is None or found.loader is None:
        raise ValueError(f"the game file {path} cannot be loaded: it must be Python")
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    try:
        found.loader.exec_module(module)
    except Exception as error:  # whatever is wrong in a user's file is told in a sentence
        raise ValueError(f"the game file {path} cannot be loaded: {type(error).__name__}: {error}") from error
    games = getattr(module, "GAMES", None)
    if not isinstance(games, list | tuple) or not games or not all(isinstance(game, Game) for game in games):
        raise ValueError(f"the game file {path} has no GAMES: it must list at least one fogspiel.game.Game")
    named = {game.name: game for game in games}
    if name in named or (not name and len(games) == 1):
        return named[name] if name else games[0]
    raise ValueError(f"{path} has the games {', '.join(named)}: say which one, as in {path}:{games[0].name}")


def _of_game(game: Game, source: str, digest: str | None) -> Problem:
    return Problem(
        name=game.name,
        version=digest or game.version,
        source=source,
        tree=lambda memory, watch: tree_of(game, memory, watch),
        knowledge=lambda tree: knowledge_of(game, tree),
        words=lambda view, actions: (game.show(np.array(view, np.int64)), [game.label(action) for action in actions]),
        positions=lambda: GamePositions(game),
        describe=lambda memory: describe(game, tree_of(game, memory)),
        game=game,
    )


class TreePositions:
    """The positions of a tree that was read from a file are its nodes; a view is the number of the infoset."""

    def __init__(self, tree: Tree):
        self.tree = tree
        self.children: list[list[int]] = [[] for _ in range(tree.nodes)]
        for node, above in enumerate(tree.parent.tolist()[1:], 1):
            self.children[above].append(node)

    def root(self) -> int:
        return 0

    def look(self, position: int) -> Look:
        tree, label = self.tree, int(self.tree.label[position])
        if label <= LEAF:
            return Look(OVER, [], [], (), tree.payoffs[LEAF - label])
        slots = list(range(len(self.children[position])))
        if label == CHANCE_NODE:
            here = tree.odds[tree.luck[position]]
            below = [tree.odds[tree.luck[child]] for child in self.children[position]]
            return Look(CHANCE, slots, [part / here if here else Fraction(0) for part in below], ())
        return Look(int(tree.owner[label]), slots, [], (label,))

    def after(self, position: int, action: int) -> int:
        return self.children[position][action]


def _described(name: str, version: str, source: str, read: Callable[[float], LabelledTree]) -> Problem:
    """A problem whose tree comes with its own words."""
    kept: list[LabelledTree] = []

    def whole(memory: float = DEFAULT_MEMORY) -> LabelledTree:
        if not kept:
            kept.append(read(memory))
        return kept[0]

    def knowledge(tree: Tree) -> Knowledge:
        return lambda infoset: ([infoset], list(range(int(tree.count[infoset]))))

    def words(view: list[int], actions: list[int]) -> tuple[str, list[str]]:
        labels, infoset = whole().labels, view[0]
        return labels.infosets[infoset] or f"infoset {infoset + 1}", [labels.actions[infoset][a] for a in actions]

    return Problem(
        name=name,
        version=version,
        source=source,
        tree=lambda memory, watch: whole(memory).tree,
        knowledge=knowledge,
        words=words,
        positions=lambda: TreePositions(whole().tree),
        describe=whole,
    )


NODE_BYTES = 400
"""What a node of a tree that is built in Python takes at most while it is built."""


def _nodes(memory: float) -> int:
    """How many nodes may be built within a memory limit in GiB."""
    return max(1, int(memory * 2**30 / NODE_BYTES))
