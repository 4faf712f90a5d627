"""What can be solved: a game of the package, a Python file with the six rules, a Gambit file, or an OpenSpiel game."""

import hashlib
import importlib.util
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..core.game import CHANCE, OVER, Game, find_game
from .checkers.tree_certificate import GamePositions, Look, Positions
from .progress import DEFAULT_MEMORY

if TYPE_CHECKING:
    from .certificate import Knowledge
    from .formats.tree_labels import LabelledTree
    from .tree import Tree

OPENSPIEL = "openspiel:"
NODE_BYTES = 400
"""What a node of a tree that is built in Python takes at most while it is built."""
Watch = Callable[[int], None]
"""Is told how many histories there are so far."""


class Problem(ABC):
    """A game to be solved, wherever its rules come from."""

    game: Game | None = None

    def __init__(self, name: str, version: int | str, source: str) -> None:
        self.name = name
        self.version = version
        """Of the rules: a number, or the digest of the file that holds them."""
        self.source = source
        """The words that find the game again."""

    @property
    def family(self) -> str:
        """The family of the game, if it is one of the package."""
        return self.game.family if self.game else ""

    @abstractmethod
    def tree(self, memory: float, watch: Watch = lambda nodes: None) -> "Tree":
        """The whole tree, within a memory limit in GiB; it is built once."""

    @abstractmethod
    def knowledge(self, tree: "Tree") -> "Knowledge":
        """What the owner of each infoset sees there and may do, as a certificate has it."""

    @abstractmethod
    def words(self, view: list[int], actions: list[int]) -> tuple[str, list[str]]:
        """A view and the actions there, as they stand in a certificate, in words."""

    @abstractmethod
    def positions(self) -> Positions:
        """The rules as the checker of certificates needs them."""

    @abstractmethod
    def describe(self, memory: float) -> "LabelledTree":
        """The tree with all its words, for other programs."""


class GameProblem(Problem):
    """A game whose rules are kernels."""

    game: Game

    def __init__(self, game: Game, source: str, digest: str | None = None) -> None:
        super().__init__(game.name, digest or game.version, source)
        self.game = game
        self._tree: Tree | None = None

    def tree(self, memory: float, watch: Watch = lambda nodes: None) -> "Tree":
        from .tree import tree_of

        if self._tree is None:
            self._tree = tree_of(self.game, memory, watch)
        return self._tree

    def knowledge(self, tree: "Tree") -> "Knowledge":
        from .certificate import knowledge_of

        return knowledge_of(self.game, tree)

    def words(self, view: list[int], actions: list[int]) -> tuple[str, list[str]]:
        return self.game.show(np.array(view, np.int64)), [self.game.label(action) for action in actions]

    def positions(self) -> Positions:
        return GamePositions(self.game, self.version)

    def describe(self, memory: float) -> "LabelledTree":
        from .formats.tree_labels import describe

        return describe(self.game, self.tree(memory))


class TreeProblem(Problem):
    """A game that is read as a tree with its own words; a view is the number of the infoset."""

    def __init__(self, name: str, version: str, source: str, read: Callable[[int], "LabelledTree"]) -> None:
        """How to read it, given the most nodes that there may be."""
        super().__init__(name, version, source)
        self._read = read
        self._described: LabelledTree | None = None

    def describe(self, memory: float | None = None) -> "LabelledTree":
        if self._described is None:
            self._described = self._read(max(1, int((memory or DEFAULT_MEMORY) * 2**30 / NODE_BYTES)))
        return self._described

    def tree(self, memory: float, watch: Watch = lambda nodes: None) -> "Tree":
        return self.describe(memory).tree

    def knowledge(self, tree: "Tree") -> "Knowledge":
        return lambda infoset: ([infoset], list(range(int(tree.count[infoset]))))

    def words(self, view: list[int], actions: list[int]) -> tuple[str, list[str]]:
        labels, infoset = self.describe().labels, view[0]
        return labels.infosets[infoset] or f"infoset {infoset + 1}", [labels.actions[infoset][a] for a in actions]

    def positions(self) -> Positions:
        return TreePositions(self.name, self.version, self.describe().tree)


class TreePositions:
    """The positions of a tree that was read from a file are its nodes; a view is the number of the infoset."""

    def __init__(self, name: str, version: int | str, tree: "Tree"):
        self.name, self.version, self.tree = name, version, tree
        self.children: list[list[int]] = [[] for _ in range(tree.nodes)]
        for node, above in enumerate(tree.parent.tolist()[1:], 1):
            self.children[above].append(node)

    def root(self) -> int:
        return 0

    def look(self, position: int) -> Look:
        from .tree import CHANCE_NODE, LEAF

        tree, label, children = self.tree, int(self.tree.label[position]), self.children[position]
        if label <= LEAF:
            return Look(OVER, [], [], (), tree.payoffs[LEAF - label])
        slots = list(range(len(children)))
        if label == CHANCE_NODE:
            here = tree.chance_prob[tree.chance_index[position]]
            below = [tree.chance_prob[tree.chance_index[child]] for child in children]
            return Look(CHANCE, slots, [part / here if here else Fraction(0) for part in below], ())
        return Look(int(tree.owner[label]), slots, [], (label,))

    def after(self, position: int, action: int) -> int:
        return self.children[position][action]


def problem_of_package(name: str) -> Problem:
    """The game of the package that has this name, or a ValueError with names that look like it."""
    return GameProblem(find_game(name), name)


def is_code(words: str) -> bool:
    """Whether words name a Python file: only the user's own words may do so, never a file, a store or a page."""
    return words.partition(":")[0].endswith(".py")


def find_problem(words: str) -> Problem:
    """The problem that the user's words stand for, or a ValueError that says what they could have been.

    The Python file that they name is run.
    """
    path, _, chosen = words.partition(":")
    if not words.startswith(OPENSPIEL) and is_code(words):
        return GameProblem(_game_of_file(Path(path), chosen), words, _digest(Path(path)))
    if words.startswith(OPENSPIEL) or words.endswith((".efg", ".nfg")):
        return _problem_of_format(words)
    return problem_of_package(words)


def _problem_of_format(words: str) -> Problem:
    """The game of a Gambit file or of OpenSpiel, which is not read yet."""
    from .formats import from_openspiel, read_efg, read_nfg

    if words.startswith(OPENSPIEL):
        name = words.removeprefix(OPENSPIEL)
        return TreeProblem(_plain(words), f"OpenSpiel {name}", words, lambda most: from_openspiel(name, most))
    file, read = Path(words), read_efg if words.endswith(".efg") else read_nfg
    return TreeProblem(_plain(file.stem), _digest(file), words, lambda most: read(file, most))


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
        raise ValueError(f"the game file {path} has no GAMES: it must list at least one fogspiel.core.game.Game")
    by_name: dict[str, Game] = {game.name: game for game in games}
    if name in by_name or (not name and len(games) == 1):
        return by_name[name or games[0].name]
    raise ValueError(f"{path} has the games {', '.join(by_name)}: say which one, as in {path}:{games[0].name}")
