"""Approaches A, B(k) and C of Ciancarini and Favini, "Monte Carlo tree search in Kriegspiel" (2010), as engines.

Root parallelism: every thread grows its own tree with its own stream, and the visits of the roots are added.
"""

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property, partial

import numpy as np

from ...core.agents import Player
from ...core.rng import split
from ...games.chess.bitboards import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK
from ...games.chess.position import promotion_of
from ..beliefs.matrix_update import note_accepted, note_answer, note_refused, sharpen
from ..beliefs.metaposition import enemies
from ..beliefs.probability_matrices import KNOWN, SURVEY, new_record, place_anywhere, place_at_home
from ..engine import Choice, Engine, EngineFactory, SearchLimit, Tunable, placement_after, plain_message
from ..game import rules
from ..game.attempts import CHECKS, MESSAGE, TAKEN, TRIES
from ..parameters import NO_MODEL, MatrixParameters, attraction_of, find_model, habits_of
from ..search import perception_search
from ..search.approach_a import NO_NODE, MessageTree, Remedies, empty_message_tree, play_boards
from ..search.perception_search import PerceptionTree, empty_tree, expand, forbid, grow_tree, root_attempts, simulate
from .minimax import Minimax

# Common base of A, B and C: an engine that updates the probability matrices by the referee's messages.

ALL_MEN = 8, 7  # initial pawns and pieces, besides the king


class MatrixEngine(Engine):
    """Engine that keeps P_k, P_w and P_c, and counts the repetitions of its placements."""

    def __init__(
        self,
        effort: SearchLimit,
        stream: np.ndarray,
        parameters: MatrixParameters | None = None,
        model: np.ndarray | None = None,
        opposed: tuple[int, int] = ALL_MEN,
    ):
        """Create the engine; `opposed`: their pawns and pieces in a game that does not start with all men at home."""
        super().__init__(effort, stream)
        self.opposed = opposed
        self.chosen = parameters or MatrixParameters()
        self.parameters, self.model = self.chosen.record, model
        self.streams = [np.array([split(stream[0], thread)], np.uint64) for thread in range(effort.threads)]
        self.prob = np.zeros((3, 64), np.float32)
        self.known, self.survey = new_record(KNOWN), new_record(SURVEY)
        self.men: np.ndarray = self.known.men  # our men: a view, because record fields are slow to reach
        self.said = np.zeros(MESSAGE, np.int64)  # the message after our last move
        self.attraction = np.ones((3, 64), np.float32)  # attraction of squares for their men in their next move
        self.answers = -1  # number of their last move, the first being 0

    def reset(self, seen: np.ndarray) -> None:
        place_at_home(self.prob, self.known, self.side)
        self._look(seen)
        if seen[rules.SEEN_PLY] > 1 or self.opposed != ALL_MEN:
            place_anywhere(self.prob, self.known, *self.opposed)
        self.fresh, self.quiet, self.answers = True, 0, -1
        self.attraction = self._attraction(0)
        self.said[:] = 0
        self.stood: Counter[bytes] = Counter()

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        self._count_quiet(message)
        self.said[:], self.fresh = plain_message(message, self.side, seen), True
        note_accepted(self.prob, self.known, move, self.said)
        self.stood[self.men.tobytes()] += 1

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        note_refused(self.prob, self.known, move, self.parameters, self.survey)

    def on_answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        self._count_quiet(message)
        self.answers = max(0, int(seen[rules.SEEN_PLY]) - 1) // 2
        told = plain_message(message, 1 - self.side, seen)
        note_answer(self.prob, self.known, self._attraction(self.answers), self.said, told, self.parameters)
        self.attraction = self._attraction(self.answers + 1)
        self._look(seen)

    def _attraction(self, move: int) -> np.ndarray:
        return attraction_of(self.model, 1 - self.side, move, self.chosen.model_scale)

    def _count_quiet(self, message: np.ndarray) -> None:
        """Count moves since the last capture, after which no position can repeat."""
        self.quiet += 1
        if message[TAKEN]:
            self.stood.clear()
            self.quiet = 0

    def _look(self, seen: np.ndarray) -> None:
        self.men[:] = seen[rules.OWN_MEN]
        self.known.own = np.bitwise_or.reduce(self.men)
        self.known.rights = seen[rules.SEEN_RIGHTS]
        self.known.checks = seen[rules.SEEN_OTHER + CHECKS]
        heard = seen[rules.OTHER_MESSAGE]
        self.known.tries = plain_message(heard, 1 - self.side, seen)[TRIES]


SLICE = 2000  # nodes between two readings of the clock
AGAIN = 8  # after a refusal the tree is reused, and an eighth of the nodes is enough
# Nodes after which C stops, whatever time is left: the best of uncertain branches is backed up, so a deeper search is
# more optimistic. With 150,000 nodes it lost to itself with 10,000 by 29 games to 19, with 4 draws.
ENOUGH = 10_000
NO_END = 1 << 60  # more nodes than any search has
NODES = 1 << 15  # capacity of a tree: more nodes than C searches, and some tenths of a second for B
# B's simulations end with the sum of C's values of men, without the advance of pawns; each is a noisy sample, so B
# explores more than C.
BY_MEN = MatrixParameters(exploration=1.0, advance=0.0)
A_EXPLORATION = 0.7  # c of UCT for A, whose values are scores from 0 to 1
BY_VALUE = 1e-3  # weight of an attempt's value, in pawns, against a visit
A_NODES = 1 << 17  # capacity of a tree of A
LAST_QUIET_PLY = 99  # a simulated game does not start with the draw of the fifty-move rule


class TreeEngine(MatrixEngine):
    """Engine that searches trees, one per thread, and attempts the most visited move."""

    size = SLICE
    enough = NO_END  # more nodes in a tree than this are of no use
    nodes = 0  # nodes searched so far

    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        moves = [int(move) for move in actions if promotion_of(move) in (0, QUEEN)]
        if len(moves) == 1:
            return moves[0]
        if self.fresh:
            self.plant(seen, moves)
            limit, enough = self.limit, self.enough
        else:
            self.prune(seen, moves)
            nodes = self.effort.nodes and max(1, self.effort.nodes // AGAIN)
            limit, enough = replace(self.limit, nodes=nodes), self.enough // AGAIN
        self.fresh = False
        self.spend(limit, enough)
        visits: dict[int, float] = dict.fromkeys(moves, 0.0)
        for thread in range(limit.threads):
            for move, number in self.root_visits(thread).items():
                if move in visits:
                    visits[move] += number
        return max(visits, key=lambda move: visits[move])

    def spend(self, effort: SearchLimit, enough: int) -> None:
        """Search until the limit or `enough` is reached, in several threads if there are any."""
        with ThreadPoolExecutor(effort.threads) as pool:  # it starts no thread before it is used
            run: Callable[..., Iterable[int]] = map if effort.threads == 1 else pool.map
            for size in effort.slices(self.size):
                if enough <= 0:
                    return
                self.nodes += sum(run(self.search, range(effort.threads), [min(size, enough)] * effort.threads))
                enough -= size

    @abstractmethod
    def plant(self, seen: np.ndarray, moves: list[int]) -> None:
        """Start new trees from the current knowledge."""

    @abstractmethod
    def prune(self, seen: np.ndarray, moves: list[int]) -> None:
        """Reuse the trees after an illegal attempt."""

    @abstractmethod
    def search(self, thread: int, size: int) -> int:
        """Search this many nodes in the tree of a thread; return the number searched."""

    @abstractmethod
    def root_visits(self, thread: int) -> dict[int, float]:
        """Return the visits of each attempt at the root of a tree; values break ties."""


class PerceptionEngine(TreeEngine):
    """Engine that searches trees of perceptions (figure 3)."""

    places = 0  # nodes of the tree searched so far
    capacity = NODES  # of a tree; a full one grows no more

    @cached_property
    def trees(self) -> list[PerceptionTree]:
        return [empty_tree(self.capacity) for _ in range(self.effort.threads)]

    def spend(self, effort: SearchLimit, enough: int) -> None:
        before = sum(int(tree.used[0]) for tree in self.trees)
        super().spend(effort, enough)
        self.places += sum(int(tree.used[0]) for tree in self.trees) - before

    def plant(self, seen: np.ndarray, moves: list[int]) -> None:
        self.changed: set[int] = set()
        for tree in self.trees:
            tree.used[:] = 1, 0, 0
            tree.nodes["prob"][0], tree.nodes["known"][0] = self.prob, self.known
            for place, move in enumerate(moves):
                stood = self.stood[placement_after(self.men, self.side, move)]
                tree.handicap[place] = self.chosen.repetition * stood
            self.begin_root(tree, np.ascontiguousarray(seen[rules.REFUSALS]))

    @abstractmethod
    def begin_root(self, tree: PerceptionTree, refused: np.ndarray) -> None:
        """List the attempts at the root of a new tree."""

    def prune(self, seen: np.ndarray, moves: list[int]) -> None:
        for tree in self.trees:
            forbid(tree, self.last or 0)
            tree.nodes["prob"][0] = self.prob
        self.changed = set(range(len(self.trees)))

    def root_visits(self, thread: int) -> dict[int, float]:
        attempts = root_attempts(self.trees[thread])
        ranks = attempts["visits"] + BY_VALUE * attempts["value"].astype(np.float64)
        return dict(zip(attempts["move"].tolist(), ranks.tolist(), strict=True))


class ApproachC(PerceptionEngine):
    """Approach C: a tree of perceptions whose leaves are weighed once.

    Ours beyond the paper: a metaposition is kept beside the matrices, which sharpens them where something is impossible
    or certain, and whose special endings are played when the other side has nothing left but its king.
    """

    enough = ENOUGH

    @cached_property
    def certain(self) -> Minimax:
        return Minimax(self.effort, self.stream, opposed=self.opposed)

    def begin(self, side: int) -> None:
        super().begin(side)
        self.certain.begin(side)

    def reset(self, seen: np.ndarray) -> None:
        super().reset(seen)
        self.certain.reset(seen)

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        super().on_acceptance(move, message, seen)
        self.certain.on_acceptance(move, message, seen)
        self.sharpen()

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        super().on_refusal(move, seen)
        self.certain.on_refusal(move, seen)
        self.sharpen()

    def on_answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        super().on_answer(message, seen)
        self.certain.on_answer(message, seen)
        self.sharpen()

    def sharpen(self) -> None:
        """Remove from the matrices what the metaposition excludes (ours)."""
        meta = self.certain.meta
        theirs = meta.theirs
        pieces = theirs[KNIGHT] | theirs[BISHOP] | theirs[ROOK] | theirs[QUEEN]
        sets = np.array([theirs[KING], theirs[PAWN], pieces, ~(meta.empty | meta.own)], np.int64)
        if self.side:
            sets = sets.byteswap()
        sharpen(self.prob, sets, sets[3], meta.fewest, meta.most)

    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        if enemies(self.certain.meta) == 0:
            self.certain.end = self.end
            return self.certain.attempt(seen, actions)
        return super().attempt(seen, actions)

    def begin_root(self, tree: PerceptionTree, refused: np.ndarray) -> None:
        expand(tree, 0, refused, self.parameters)

    def search(self, thread: int, size: int) -> int:
        is_changed = thread in self.changed
        self.changed.discard(thread)
        tree, stream = self.trees[thread], self.streams[thread]
        return int(grow_tree(tree, self.attraction, self.parameters, stream, size, is_changed))


class ApproachB(ApproachC):
    """Approach B: the same tree with simulated messages, k moves long."""

    size = 100
    enough = NO_END

    def __init__(self, k: int, effort: SearchLimit, stream: np.ndarray, model: np.ndarray | None = None):
        super().__init__(effort, stream, BY_MEN, model)
        self.k = k

    def begin_root(self, tree: PerceptionTree, refused: np.ndarray) -> None:
        perception_search.list_attempts(tree, 0, refused, self.parameters)

    def search(self, thread: int, size: int) -> int:
        return int(simulate(self.trees[thread], self.attraction, self.k, self.parameters, self.streams[thread], size))


class ApproachA(TreeEngine):
    """Approach A: random boards, played to their end."""

    size = 20
    remedies = Remedies()

    def plant(self, seen: np.ndarray, moves: list[int]) -> None:
        self.forest: list[MessageTree] = [empty_message_tree(A_NODES) for _ in range(self.effort.threads)]
        self.heard_last = seen[rules.OTHER_MESSAGE].copy()
        self.prune(seen, moves)

    def prune(self, seen: np.ndarray, moves: list[int]) -> None:
        self.seen_refused = np.ascontiguousarray(seen[rules.REFUSALS])
        self.likely = self.prob * habits_of(self.model, 1 - self.side, self.answers)

    def search(self, thread: int, size: int) -> int:
        tree, quiet = self.forest[thread], min(self.quiet, LAST_QUIET_PLY)
        boards = (self.likely, self.known, quiet, self.seen_refused, self.heard_last)
        return int(play_boards(tree, *boards, A_EXPLORATION, self.remedies, self.streams[thread], size))

    def root_visits(self, thread: int) -> dict[int, float]:
        nodes, found = self.forest[thread].nodes, {}
        child = nodes[0].child
        while child != NO_NODE:
            found[int(nodes[child].key)] = float(nodes[child].visits)
            child = nodes[child].sibling
        return found


def with_model(maker: Callable[..., Player], words: str) -> EngineFactory:
    """Return an approach with the opponent model of this text (`generic`, `none` or a file), or without one."""
    return partial(maker, model=find_model(words or NO_MODEL))


ENGINES: dict[str, EngineFactory] = {
    "A": ApproachA,
    **{f"B{k}": partial(ApproachB, k) for k in (1, 3, 7, 10)},
    "C": ApproachC,
}
FAMILIES = {r"B([1-9]\d?)": ApproachB}  # B with any k
CHOICES: dict[str, Choice] = {name: partial(with_model, maker) for name, maker in ENGINES.items()}
TUNABLE = {"C": Tunable(MatrixParameters(), ApproachC)}
