"""The programs of Ciancarini and Favini (2010) as printed: `A:paper`, `B1:paper` (any k) and `C:paper`.

They use the paper's knowledge only. The engines `A`, `B1` and `C` are improved ones: C has values of men, an evaluation
of the board, a metaposition and endgames, and B the metaposition and the endgames.
"""

from functools import partial

import numpy as np

from ...kriegspiel.engine import EngineFactory, SearchLimit, Tunable
from ...kriegspiel.engines.mcts import ApproachA, PerceptionEngine
from ...kriegspiel.parameters import GENERIC_NAME, find_model
from ...kriegspiel.search.perception_search import PerceptionTree
from .abstract_model import FITTED_B, FITTED_C, PrintedConstants
from .approach_b import approach_b, list_moves
from .approach_c import approach_c, expand

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

    def begin_root(self, tree: PerceptionTree, refused: np.ndarray) -> None:
        expand(tree, 0, refused, self.constants, self.parameters)

    def search(self, thread: int, size: int) -> int:
        tree, stream = self.trees[thread], self.streams[thread]
        return int(approach_c(tree, self.attraction, self.constants, self.parameters, stream, size))


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


ENGINES: dict[str, EngineFactory] = {
    "A:paper": PrintedA,
    **{f"B{k}:paper": partial(PrintedB, k) for k in KS},
    "C:paper": PrintedC,
    "C:exposure": ExposedC,
    "C:allied": AlliedC,
}
FAMILIES = {
    r"B([1-9]\d?):paper": PrintedB,  # any k
    r"B([1-9]\d?):exposure": ExposedB,
}
TUNABLE = {
    "C:paper": Tunable(FITTED_C[0], PrintedC),
    "C:exposure": Tunable(FITTED_C[1], ExposedC),
    "B3:paper": Tunable(FITTED_B[0], partial(PrintedB, 3)),  # the constants of k = 3 serve every k
    "B3:exposure": Tunable(FITTED_B[1], partial(ExposedB, 3)),
}
