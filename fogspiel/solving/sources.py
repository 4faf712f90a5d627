"""Sources of solvable games: the package, a Python file with the six rules, a Gambit file, or OpenSpiel."""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from ..core.compile.kernel import interpreted, need_no_compiler
from ..core.find import is_tree, load_game, read_tree
from ..core.game import CHANCE, OVER, Game, known_game
from ..core.plugins import extras
from ..core.session import Session
from .methods import DEFAULT_MEMORY
from .proofs.checkers.phantom import OPENING, board_of
from .proofs.checkers.tree import GamePositions, PositionFacts, Positions

if TYPE_CHECKING:
    from .methods import NamedGames
    from .tree import Tree
    from .tree.builder import LabelledTree

NODE_BYTES = 400  # maximum bytes of a node of a tree that is built in Python
# Receives the number of histories so far, and the fraction of the total where that is known.
Watch = Callable[[int, float | None], None]
Knowledge = Callable[[int], tuple[list[int], list[int]]]  # from an infoset to the owner's view and the actions there


def in_silence(nodes: int, share: float | None) -> None:
    """Ignore progress."""


class GameSource(ABC):
    """A solvable game from any source of rules."""

    game: Game | None = None
    family: str  # of a game of the package, else empty

    def __init__(self, name: str, version: int | str, source: str, family: str = "") -> None:
        self.name, self.family = name, family
        self.version = version  # of the rules: a number, or the digest of the file that holds them
        self.source = source  # the argument that finds the game again

    @abstractmethod
    def tree(self, memory: float, watch: Watch = in_silence) -> "Tree":
        """Return the whole tree, within a memory limit in GiB; it is built once."""

    @abstractmethod
    def knowledge(self, tree: "Tree") -> Knowledge:
        """Return each infoset's view and actions of its owner, in the form of a certificate."""

    @abstractmethod
    def words(self, view: list[int], actions: list[int]) -> tuple[str, list[str]]:
        """Return the texts of a view and its actions, as they stand in a certificate."""

    @property
    def lock(self) -> "Mapping[str, Any] | None":
        """The locked information states, as they stand in a certificate, if there are any."""
        return None

    @abstractmethod
    def positions(self) -> Positions:
        """Return the rules for the checker of certificates."""

    @abstractmethod
    def describe(self, memory: float = DEFAULT_MEMORY) -> "LabelledTree":
        """Return the tree with all its labels, for export."""

    def as_game(self, memory: float = DEFAULT_MEMORY) -> Game:
        """Return the rules as kernels: those of the game itself, or those that traverse the tree that was read."""
        from .tree.game import game_of_tree

        return self.game or game_of_tree(self.describe(memory), self.name, self.version)


class KernelSource(GameSource):
    game: Game

    def __init__(self, game: Game, source: str) -> None:
        super().__init__(game.name, game.version, source, game.family)
        self.game = game
        self._tree: Tree | None = None

    def tree(self, memory: float, watch: Watch = in_silence) -> "Tree":
        from .tree import build_tree

        if self._tree is None:
            self._tree = build_tree(self.game, memory, lambda nodes: watch(nodes, None))
        return self._tree

    def knowledge(self, tree: "Tree") -> Knowledge:
        from .tree import session_at

        def known(infoset: int) -> tuple[list[int], list[int]]:
            """Replay one history that leads to the infoset."""
            session = session_at(self.game, tree, int(tree.samples[infoset]))
            return session.view(int(tree.owner[infoset])).tolist(), session.actions

        return known

    def words(self, view: list[int], actions: list[int]) -> tuple[str, list[str]]:
        seen = np.array(view[: self.game.sizes.view], np.int64)  # a certificate with locks says more
        return self.game.show(seen), [self.game.label(action) for action in actions]

    def positions(self) -> Positions:
        return GamePositions(self.game)

    def describe(self, memory: float = DEFAULT_MEMORY) -> "LabelledTree":
        from .tree.builder import describe

        return describe(self.game, self.tree(memory))


class TreeSource(GameSource):
    """A game that is read as a tree with its own labels; a view is the number of the infoset."""

    def __init__(self, name: str, version: str, source: str, read: Callable[[int, Watch], "LabelledTree"]) -> None:
        """Set the reader, with its limit on nodes and its observer."""
        super().__init__(name, version, source)
        self._read = read
        self._described: LabelledTree | None = None

    def describe(self, memory: float = DEFAULT_MEMORY, watch: Watch = in_silence) -> "LabelledTree":
        if self._described is None:
            self._described = self._read(max(1, int(memory * 2**30 / NODE_BYTES)), watch)
        return self._described

    def tree(self, memory: float, watch: Watch = in_silence) -> "Tree":
        return self.describe(memory, watch).tree

    def knowledge(self, tree: "Tree") -> Knowledge:
        return lambda infoset: ([infoset], list(range(int(tree.count[infoset]))))

    def words(self, view: list[int], actions: list[int]) -> tuple[str, list[str]]:
        labels, infoset = self.describe().labels, view[0]
        return labels.infosets[infoset] or f"infoset {infoset + 1}", [labels.actions[infoset][a] for a in actions]

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
        from .tree import CHANCE_NODE, LEAF

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
        super().__init__(name, version, name, family)
        self._what = what

    def _refuse(self, *given: Any, **options: Any) -> NoReturn:
        raise ValueError(f"{self.name} has no tree here: {self._what} is solved by --method auto only")

    tree = knowledge = words = positions = describe = _refuse


def named_games() -> dict[str, "NamedGames"]:
    return extras("solving.methods", "SOURCES")


def is_nameless(words: str) -> bool:
    """True if the name is of a game that can be solved but is not in the catalogue, so that it cannot be played."""
    return OPENING in words or any(games.fit(words) for games in named_games().values())


def find_source(words: str) -> GameSource:
    """Return the source that the argument names, executing a Python file, or raise ValueError with the valid forms."""
    if OPENING in words:  # a phantom game whose first stone goes to a cell of one kind
        plain, _, cell = words.partition(OPENING)
        try:
            names = board_of(plain).names
        except ValueError:
            names = []
        if cell not in names:
            valid = f"phantom-ttt{OPENING}CELL or dark-hex-3x3{OPENING}CELL"
            raise ValueError(f"{words!r} is no opening that can be solved: it is {valid}, with a cell from A1 to C3")
        return NamedSource(words, known_game(plain).version, known_game(plain).family, "an opening")
    for games in named_games().values():
        found = games.find(words)
        if found is not None:
            return found
    return read_tree(words) if is_tree(words) else KernelSource(load_game(words), words)


def tree_strategies(words: str, strategies: Any, lock: Any) -> Any:
    """Return the strategies and the locks of a certificate of a tree for its game."""
    from .tree.game import translate_rows

    try:
        return translate_rows(read_tree(words).describe(), strategies, lock)
    except (IndexError, KeyError, TypeError):
        raise ValueError(f"the certificate is not valid: its rows do not fit the tree of {words}") from None


# Estimate of a tree's size, before it is built.
#
# A random walk from the root that follows one of k branches at each node counts a node for k others of its depth, so
# the sum of the products of k along the walk is, on average, the number of all histories (Knuth 1975, Estimating the
# efficiency of backtrack programs). The estimates vary widely: the mean of a few random walks is rough.

WALKS = 200
MAX_MOVES = 400  # of a random walk; a tree with longer ones is far too large to be built
SEED = 1


def estimate_histories(game: Game, most: float) -> float | None:
    """Estimate the number of histories; None if it is more than `most`."""
    draws, total = random.Random(SEED), 0.0
    with interpreted():  # these few random walks finish before the kernels would be compiled
        for _ in range(WALKS):
            session, moves, size, product = Session(game), 0, 1.0, 1.0
            while actions := session.actions:
                product *= len(actions)
                size += product
                if moves == MAX_MOVES - 1 or size > WALKS * most - total:
                    return None
                moves += 1
                session.apply(draws.choice(actions))
            total += size
    return total / WALKS


# Small trees need no compiler: they are finished before their kernels would be compiled.
#
# Compiling all that solves a game takes ten CPU seconds and more, once per machine; a game of some thousand histories
# takes one or two without. So where these kernels have never been compiled, a tree is built by the interpreter as long
# as it is small.

HISTORIES_PER_SECOND = 4000  # of a tree that the interpreter builds and solves


class _WorthCompiling(Exception):
    """A tree that is large enough to be built by compiled kernels."""


def build_small_tree(problem: GameSource, memory: float) -> bool:
    """Build the tree of a game by the interpreter, as long as it is small and the kernels were never compiled."""
    from .exact import lift
    from .policies.best_response import respond
    from .reduce.colour_refinement import split_unlike
    from .reduce.dominance import strike_dominated
    from .tree import grow
    from .tree.sequence_form import multiply

    kernels = grow, multiply, respond, split_unlike, lift, strike_dominated  # of the files that do most of the work

    def watch(nodes: int, share: float | None) -> None:
        if not need_no_compiler(nodes / HISTORIES_PER_SECOND, *kernels):
            raise _WorthCompiling

    if problem.game is None or not need_no_compiler(0, *kernels):
        return False
    try:
        with interpreted():
            problem.tree(memory, watch)
    except _WorthCompiling:
        return False
    return True


@contextmanager
def compiling_if_worth_it(game: Game, memory: float) -> Iterator[None]:
    """Interpret kernels within this context if the tree of the game is small."""
    small = build_small_tree(KernelSource(game, game.name), memory)
    with interpreted() if small else nullcontext():
        yield
