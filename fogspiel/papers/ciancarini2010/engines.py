"""The programs of Ciancarini and Favini (2010) as printed: `A:paper`, `B1:paper` (any k) and `C:paper`.

They use the paper's knowledge only. The engines `A`, `B1` and `C` are improved ones: C has values of men, an evaluation
of the board, a metaposition and endgames, and B the metaposition and the endgames.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from ...kriegspiel.engine import EngineFactory, SearchLimit
from ...kriegspiel.engines.mcts import ApproachA, PerceptionEngine
from ...kriegspiel.parameters import GENERIC_NAME, find_model
from ...kriegspiel.search.perception_search import PerceptionTree
from .abstract_model import CONSTANTS, PRINTED
from .approaches import approach_b, approach_c, expand, list_moves

KS = (1, 3, 7, 10)  # the values of k in figure 10
B_EXPLORATION = 1.0  # "approach C uses a lower value of c" (section 6.1)


class PrintedEngine(PerceptionEngine):
    """Engine with the abstract model of section 5.2 and an averaged opponent of the database (section 5)."""

    def __init__(self, effort: SearchLimit, stream: np.ndarray, exploration: float = PRINTED.exploration):
        super().__init__(effort, stream, replace(PRINTED, exploration=exploration), find_model(GENERIC_NAME))


class PrintedC(PrintedEngine):
    """Approach C as printed: every node is evaluated once, and the maximum is backed up."""

    def begin_root(self, tree: PerceptionTree, refused: np.ndarray) -> None:
        expand(tree, 0, refused, CONSTANTS, self.parameters)

    def search(self, thread: int, size: int) -> int:
        tree, stream = self.trees[thread], self.streams[thread]
        return int(approach_c(tree, self.attraction, CONSTANTS, self.parameters, stream, size))


class PrintedB(PrintedEngine):
    """Approach B(k) as printed: simulated messages, k moves long, and the mean is backed up."""

    size = 100

    def __init__(self, k: int, effort: SearchLimit, stream: np.ndarray):
        super().__init__(effort, stream, B_EXPLORATION)
        self.k = k

    def begin_root(self, tree: PerceptionTree, refused: np.ndarray) -> None:
        list_moves(tree, 0, refused, self.parameters)

    def search(self, thread: int, size: int) -> int:
        tree, stream = self.trees[thread], self.streams[thread]
        return int(approach_b(tree, self.k, self.attraction, CONSTANTS, self.parameters, stream, size))


class PrintedA(ApproachA):
    """Approach A as printed: random boards by the averaged opponent of the database, played to their end."""

    def __init__(self, effort: SearchLimit, stream: np.ndarray):
        super().__init__(effort, stream, PRINTED, find_model(GENERIC_NAME))


ENGINES: dict[str, EngineFactory] = {
    "A:paper": PrintedA,
    **{f"B{k}:paper": partial(PrintedB, k) for k in KS},
    "C:paper": PrintedC,
}
FAMILIES = {r"B([1-9]\d?):paper": PrintedB}  # B with any k
