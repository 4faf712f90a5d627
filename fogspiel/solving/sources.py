"""Sources of solvable games: the package, a Python file with the six rules, a Gambit file, or OpenSpiel."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..core.find import is_tree, load_game, read_tree
from ..core.game import CHANCE, OVER, Game, known_game
from ..core.plugins import extras
from .proofs.checkers.phantom import GAMES as OPENED
from .proofs.checkers.phantom import NAMES, OPENING
from .proofs.checkers.tree import GamePositions, PositionFacts, Positions
from .solution import DEFAULT_MEMORY

if TYPE_CHECKING:
    from .methods import NamedGames
    from .proofs.certificate_files import Knowledge
    from .tree.builder import LabelledTree
    from .tree.tree import Tree

NODE_BYTES = 400  # maximum bytes of a node of a tree that is built in Python
# Receives the number of histories so far, and the fraction of the total where that is known.
Watch = Callable[[int, float | None], None]


def in_silence(nodes: int, share: float | None) -> None:
    """Ignore progress."""


class GameSource(ABC):
    """A solvable game from any source of rules."""

    game: Game | None = None

    def __init__(self, name: str, version: int | str, source: str) -> None:
        self.name = name
        self.version = version  # of the rules: a number, or the digest of the file that holds them
        self.source = source  # the argument that finds the game again

    @property
    def family(self) -> str:
        """The family of a game of the package, else empty."""
        return self.game.family if self.game else ""

    @abstractmethod
    def tree(self, memory: float, watch: Watch = in_silence) -> "Tree":
        """Return the whole tree, within a memory limit in GiB; it is built once."""

    @abstractmethod
    def knowledge(self, tree: "Tree") -> "Knowledge":
        """Return each infoset's view and actions of its owner, in the form of a certificate."""

    @abstractmethod
    def words(self, view: list[int], actions: list[int]) -> tuple[str, list[str]]:
        """Return the texts of a view and its actions, as they stand in a certificate."""

    @abstractmethod
    def positions(self) -> Positions:
        """Return the rules for the checker of certificates."""

    @abstractmethod
    def describe(self, memory: float) -> "LabelledTree":
        """Return the tree with all its labels, for export."""


class KernelSource(GameSource):
    """A game whose rules are kernels."""

    game: Game

    def __init__(self, game: Game, source: str) -> None:
        super().__init__(game.name, game.version, source)
        self.game = game
        self._tree: Tree | None = None

    def tree(self, memory: float, watch: Watch = in_silence) -> "Tree":
        from .tree.tree import build_tree

        if self._tree is None:
            self._tree = build_tree(self.game, memory, lambda nodes: watch(nodes, None))
        return self._tree

    def knowledge(self, tree: "Tree") -> "Knowledge":
        from .proofs.certificate_files import knowledge_of

        return knowledge_of(self.game, tree)

    def words(self, view: list[int], actions: list[int]) -> tuple[str, list[str]]:
        return self.game.show(np.array(view, np.int64)), [self.game.label(action) for action in actions]

    def positions(self) -> Positions:
        return GamePositions(self.game)

    def describe(self, memory: float) -> "LabelledTree":
        from .tree.builder import describe

        return describe(self.game, self.tree(memory))


class TreeSource(GameSource):
    """A game that is read as a tree with its own labels; a view is the number of the infoset."""

    def __init__(self, name: str, version: str, source: str, read: Callable[[int, Watch], "LabelledTree"]) -> None:
        """Set the reader, with its limit on nodes and its observer."""
        super().__init__(name, version, source)
        self._read = read
        self._described: LabelledTree | None = None

    def describe(self, memory: float | None = None, watch: Watch = in_silence) -> "LabelledTree":
        if self._described is None:
            self._described = self._read(max(1, int((memory or DEFAULT_MEMORY) * 2**30 / NODE_BYTES)), watch)
        return self._described

    def tree(self, memory: float, watch: Watch = in_silence) -> "Tree":
        return self.describe(memory, watch).tree

    def knowledge(self, tree: "Tree") -> "Knowledge":
        return lambda infoset: ([infoset], list(range(int(tree.count[infoset]))))

    def words(self, view: list[int], actions: list[int]) -> tuple[str, list[str]]:
        labels, infoset = self.describe().labels, view[0]
        return labels.infosets[infoset] or f"infoset {infoset + 1}", [labels.actions[infoset][a] for a in actions]

    def as_game(self) -> Game:
        from .tree.game import game_of_tree

        return game_of_tree(self.describe(), self.name, self.version)

    def positions(self) -> Positions:
        return TreePositions(self.name, self.version, self.describe().tree)


class TreePositions:
    """Positions of a tree from a file: its nodes; a view is the number of the infoset."""

    def __init__(self, name: str, version: int | str, tree: "Tree"):
        self.name, self.version, self.tree = name, version, tree
        self.children: list[list[int]] = [[] for _ in range(tree.nodes)]
        for node, above in enumerate(tree.parent.tolist()[1:], 1):
            self.children[above].append(node)

    def root(self) -> int:
        return 0

    def look(self, position: int) -> PositionFacts:
        from .tree.tree import CHANCE_NODE, LEAF

        tree, label, children = self.tree, int(self.tree.label[position]), self.children[position]
        if label <= LEAF:
            return PositionFacts(OVER, [], [], (), tree.payoffs[LEAF - label])
        slots = list(range(len(children)))
        if label == CHANCE_NODE:
            here = tree.chance_prob[tree.chance_index[position]]
            below = [tree.chance_prob[tree.chance_index[child]] for child in children]
            return PositionFacts(CHANCE, slots, [part / here if here else Fraction(0) for part in below], ())
        return PositionFacts(int(tree.owner[label]), slots, [], (label,))

    def after(self, position: int, action: int) -> int:
        return self.children[position][action]


class NamedSource(GameSource):
    """A game given by its name alone, which only the methods made for it can solve."""

    def __init__(self, name: str, version: int | str, family: str, what: str) -> None:
        super().__init__(name, version, name)
        self._family, self._what = family, what

    @property
    def family(self) -> str:
        return self._family

    def tree(self, memory: float, watch: Watch = in_silence) -> "Tree":
        self._refuse()

    def knowledge(self, tree: "Tree") -> "Knowledge":
        self._refuse()

    def words(self, view: list[int], actions: list[int]) -> tuple[str, list[str]]:
        self._refuse()

    def positions(self) -> Positions:
        self._refuse()

    def describe(self, memory: float) -> "LabelledTree":
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ValueError(f"{self.name} has no tree here: {self._what} is solved by --method auto only")


def named_games() -> dict[str, "NamedGames"]:
    return extras("solving.methods", "SOURCES")


def is_nameless(words: str) -> bool:
    """True if the name is of a game that can be solved but is not in the catalogue, so that it cannot be played."""
    return OPENING in words or any(games.fit(words) for games in named_games().values())


def problem_of_opening(words: str) -> GameSource:
    """Return a phantom game whose first stone goes to a cell of one kind."""
    plain, _, cell = words.partition(OPENING)
    if cell not in NAMES or plain not in OPENED:
        games = " or ".join(f"{name}{OPENING}CELL" for name in OPENED)
        raise ValueError(f"{words!r} is no opening that can be solved: it is {games}, with a cell from A1 to C3")
    return NamedSource(words, known_game(plain).version, known_game(plain).family, "an opening")


def problem_of_package(name: str) -> GameSource:
    """Return the game of the package with this name, or raise ValueError with similar names."""
    return KernelSource(known_game(name), name)


def find_source(words: str) -> GameSource:
    """Return the source that the argument names, executing a Python file, or raise ValueError with the valid forms."""
    if OPENING in words:
        return problem_of_opening(words)
    for games in named_games().values():
        found = games.find(words)
        if found is not None:
            return found
    return read_tree(words) if is_tree(words) else KernelSource(load_game(words), words)


def tree_strategies(words: str, strategies: Any) -> Any:
    from .tree.game import translate_rows

    try:
        return translate_rows(read_tree(words).describe(), strategies)
    except (IndexError, KeyError, TypeError):
        raise ValueError(f"the certificate is not valid: its rows do not fit the tree of {words}") from None
