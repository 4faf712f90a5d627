"""The programs of Ciancarini and Favini (2010) as printed: `A:paper`, `B1:paper` (any k) and `C:paper`.

They use the paper's knowledge only. The engines `A`, `B1` and `C` are improved ones: C has values of men, an evaluation
of the board, a metaposition and endgames, and B the metaposition and the endgames.
"""

from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from ...kriegspiel.engine import EngineFactory, SearchLimit, Tunable
from ...kriegspiel.engines.fog import BeliefSize, BoardBelief
from ...kriegspiel.engines.mcts import ApproachA, ApproachC, PerceptionEngine
from ...kriegspiel.parameters import GENERIC_NAME, FogParameters, MatrixParameters, find_model, read_fog_weights
from ...kriegspiel.search.approach_a import Remedies
from ...kriegspiel.search.perception_search import PerceptionTree
from .abstract_model import FITTED_B, FITTED_C, PrintedConstants
from .approach_b import approach_b, list_moves
from .approach_c import PLAIN, Progressive, approach_bc, approach_c, expand, explore_moves, order_by_heuristic

KS = (1, 3, 7, 10)  # the values of k in figure 10


class PrintedEngine(PerceptionEngine):
    """Engine with the abstract model of section 5.2 and an averaged opponent of the database (section 5)."""

    by_exposure = False  # the reading of the chance to suffer a capture
    theirs = 1.0  # weight of their men in the balance
    fitted = FITTED_C
    capacity = 1 << 17  # nodes of a tree: about a second of C or B1, and there is no other end than the time

    def __init__(self, effort: SearchLimit, stream: np.ndarray, parameters: PrintedConstants | None = None):
        constants = parameters or self.fitted[self.by_exposure]
        super().__init__(effort, stream, constants.matrices, find_model(GENERIC_NAME))
        self.constants = constants.opponent(self.by_exposure, self.theirs)


class PrintedC(PrintedEngine):
    """Approach C as printed: every node is evaluated once, and the maximum is backed up."""

    strategy = PLAIN

    def begin_root(self, tree: PerceptionTree, refused: np.ndarray) -> None:
        expand(tree, 0, refused, self.constants, self.parameters)

    def search(self, thread: int, size: int) -> int:
        tree, stream = self.trees[thread], self.streams[thread]
        return int(approach_c(tree, self.attraction, self.constants, self.parameters, self.strategy, stream, size))


class ExposedC(PrintedC):
    """Approach C with the second reading of section 5.2: every man of ours has a chance to be captured."""

    by_exposure = True


class AlliedC(PrintedC):
    """Approach C that counts our men alone, "the number of allied pieces" of section 5.3."""

    theirs = 0.0


class PrintedB(PrintedEngine):
    """Approach B(k) as printed: simulated messages, k moves long, and the mean is backed up."""

    size = 100
    fitted = FITTED_B

    def __init__(self, k: int, effort: SearchLimit, stream: np.ndarray, parameters: PrintedConstants | None = None):
        super().__init__(effort, stream, parameters)
        self.k = k

    def begin_root(self, tree: PerceptionTree, refused: np.ndarray) -> None:
        list_moves(tree, 0, refused, self.parameters)

    def search(self, thread: int, size: int) -> int:
        tree, stream = self.trees[thread], self.streams[thread]
        return int(approach_b(tree, self.k, self.attraction, self.constants, self.parameters, stream, size))


class ExposedB(PrintedB):
    """Approach B(k) with the second reading of section 5.2: every man of ours has a chance to be captured."""

    by_exposure = True


class PrintedA(ApproachA):
    """Approach A as printed: random boards by the averaged opponent of the database, played to their end."""

    def __init__(self, effort: SearchLimit, stream: np.ndarray):
        super().__init__(effort, stream, FITTED_C[0].matrices, find_model(GENERIC_NAME))


# Section 5.1 names three reasons why A fails; each of these engines removes one alone (`paper ablation`).

HORIZON = 20  # plies of a playout that ends before nothing happens in it
DRAWN = 64  # boards of the belief from which an iteration takes one


class BoardsA(PrintedA):
    """Approach A on boards of fog's belief, where men protect each other: the first reason removed."""

    def __init__(self, effort: SearchLimit, stream: np.ndarray):
        super().__init__(effort, stream)
        fog = FogParameters()
        size = BeliefSize(fog.boards, fog.floor, fog.variants)
        self.belief = BoardBelief(size, np.exp(read_fog_weights().replies), self.stream)

    def reset(self, seen: np.ndarray) -> None:
        super().reset(seen)
        self.belief.begin(self.side, seen)

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        super().on_acceptance(move, message, seen)
        self.belief.accept(move, message)

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        super().on_refusal(move, seen)
        self.belief.refuse(move, seen)

    def on_answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        super().on_answer(message, seen)
        self.belief.answer(message, seen)

    def prune(self, seen: np.ndarray, moves: list[int]) -> None:
        super().prune(seen, moves)
        if self.belief.count:  # otherwise random boards
            self.remedies = Remedies(self.belief.boards[self.belief.draw(DRAWN)])


class RepliesA(PrintedA):
    """Approach A whose simulated players capture what is worth most: the second reason removed."""

    remedies = Remedies(eager=True)


class ProgressA(PrintedA):
    """Approach A whose playouts are short and end with a count of men: the third reason removed."""

    remedies = Remedies(horizon=HORIZON)


class AnywhereA(PrintedA):
    """Approach A without the limits of section 5.1 on the pawns of a file: many of its boards cannot occur."""

    remedies = Remedies(files=False)


# Between the printed C and ours: one kind of knowledge added at a time (`paper ablation`).

TUNED = MatrixParameters()
WITH_VALUES = replace(
    TUNED, advance=0.0, mobility=0.0, confinement=0.0, centre=0.0, approach=0.0, mate=0.0, protection=0.0,
    king_escape=0.0, advance_early=0.0, king_danger=0.0, repetition=0.0,
)  # fmt: skip
MEN_ALONE = replace(
    WITH_VALUES, value_pawn=1.0, value_knight=1.0, value_bishop=1.0, value_rook=1.0, value_queen=1.0,
    value_their_pawn=1.0, value_their_piece=1.0,
)  # fmt: skip


class Knowledge(NamedTuple):
    """Knowledge of C up to a step."""

    title: str
    parameters: MatrixParameters = TUNED
    metaposition: bool = False


KNOWLEDGE = {
    1: Knowledge("our search, every man counts one", MEN_ALONE),
    2: Knowledge("+ values of men", WITH_VALUES),
    3: Knowledge("+ evaluation of the board"),
    4: Knowledge("+ metaposition", metaposition=True),
}


class AblatedC(ApproachC):
    """Our approach C with part of its knowledge, and without its endgames."""

    def __init__(self, step: int, effort: SearchLimit, stream: np.ndarray):
        self.knowledge = KNOWLEDGE[step]
        super().__init__(effort, stream, self.knowledge.parameters)

    def sharpen(self) -> None:
        if self.knowledge.metaposition:
            super().sharpen()

    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        return super(ApproachC, self).attempt(seen, actions)  # the tree search, never the player of endgames


# Future work of section 7, compared with the plain programs by `paper future-work`.


class HybridBC(PrintedB):
    """Hybrid of B(k) and C: the first move evaluated like C, then simulations of k moves."""

    size = 2000

    def begin_root(self, tree: PerceptionTree, refused: np.ndarray) -> None:
        explore_moves(tree, 0, refused, self.constants, self.parameters)

    def search(self, thread: int, size: int) -> int:
        tree, stream = self.trees[thread], self.streams[thread]
        return int(approach_bc(tree, self.k, self.attraction, self.constants, self.parameters, stream, size))


class BiasedC(PrintedC):
    """Approach C as printed with progressive bias: objectives attract the first visits."""

    strategy = Progressive(bias=1.0)


class UnprunedC(PrintedC):
    """Approach C as printed with progressive unpruning: the best attempts first, the others as a node is visited."""

    strategy = Progressive(bias=0.2, unpruned=5)

    def begin_root(self, tree: PerceptionTree, refused: np.ndarray) -> None:
        super().begin_root(tree, refused)
        order_by_heuristic(tree, 0, self.strategy)


ENGINES: dict[str, EngineFactory] = {
    "A:paper": PrintedA,
    "A:boards": BoardsA,
    "A:replies": RepliesA,
    "A:progress": ProgressA,
    "A:anywhere": AnywhereA,
    **{f"B{k}:paper": partial(PrintedB, k) for k in KS},
    "C:paper": PrintedC,
    "C:exposure": ExposedC,
    "C:allied": AlliedC,
    "BC3:paper": partial(HybridBC, 3),
    "C:bias": BiasedC,
    "C:unprune": UnprunedC,
}
FAMILIES = {
    r"B([1-9]\d?):paper": PrintedB,  # any k
    r"B([1-9]\d?):exposure": ExposedB,
    r"BC([1-9]\d?):paper": HybridBC,
    r"C:step([1-4])": AblatedC,
}
TUNABLE = {
    "C:paper": Tunable(FITTED_C[0], PrintedC),
    "C:exposure": Tunable(FITTED_C[1], ExposedC),
    "B3:paper": Tunable(FITTED_B[0], partial(PrintedB, 3)),  # the constants of k = 3 serve every k
    "B3:exposure": Tunable(FITTED_B[1], partial(ExposedB, 3)),
}
