"""Our own engine: it evaluates attempts by gain and threat on the boards consistent with all messages.

    belief      distinct boards, weighted by the likelihoods of all messages (`beliefs.board_belief`), against an
                opponent whose replies are learned from games (`beliefs.board_filter`)
    evaluation  gain and threat of each attempt on boards drawn by their weights (`search.gain_tables`), with
                values of men learned from games of Kriegspiel
    choice      the attempt that loses no comparison with another one (`search.gain_tables`)
    endgames    against a lone king, exact sets of squares (`endings`)

A node is the evaluation of one attempt on one board.
"""

from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np

from ...core.rng import random_below
from ...games.chess.bitboards import ALL, KINDS, KING, NO_SQUARE, PAWN, QUEEN
from ...games.chess.position import MEN, start_of
from ..beliefs.board_belief import BeliefSize, BoardBelief
from ..endings import LoneKingPlayer, begin_ending, faces_lone_king
from ..engine import Choice, Engine, EngineFactory, SearchLimit, placement_after
from ..game import rules
from ..game.attempts import SQUARE
from ..parameters import FogParameters, FogWeights, read_fog_weights
from ..search.gain_tables import ThreatEvaluator, mean_advantages, rank_attempts

NODES_AT_A_TIME = 480  # between two readings of the clock
# After this many boards the means change by less than a centipawn; spare capacity for some more.
MAX_BOARDS, ROOM = 4096, 4096 + NODES_AT_A_TIME
# After this many boards the worse half of the attempts is dropped, and again each time the number of boards has
# tripled, while there are more than this many attempts (sequential halving, Karnin, Koren & Somekh 2013).
FIRST_HALVING, NEXT_HALVING, FINALISTS = 48, 3, 4
NODES_PER_SECOND = 200_000  # nodes per second assumed for the size of a belief
# Limit for which a belief has its default size, and its shares at the smallest and greatest limits.
DEFAULT_SECONDS, MIN_SHARE, MAX_SHARE = 0.1, 0.2, 4.0


def belief_size(effort: SearchLimit, parameters: FogParameters) -> BeliefSize:
    """Return the belief size that takes a small part of the limit; variants above the default do not improve it."""
    seconds = effort.seconds or (effort.nodes or 0) / NODES_PER_SECOND
    share = min(max(seconds / DEFAULT_SECONDS, MIN_SHARE), MAX_SHARE)
    variants = int(min(max(share, 2 * MIN_SHARE), 1.0) * parameters.variants)
    return BeliefSize(int(share * parameters.boards), parameters.floor, variants)


class Fog(Engine):
    """Tries what gains and threatens most on the mean of weighted boards that explain everything."""

    nodes = 0  # attempts evaluated on a board so far
    # True if every attempt is evaluated on every drawn board, for analysis; otherwise bad ones are dropped.
    thorough = False

    def __init__(
        self,
        effort: SearchLimit,
        stream: np.ndarray,
        learned: FogWeights | None = None,
        parameters: FogParameters | None = None,
    ):
        super().__init__(effort, stream)
        self.parameters = parameters or FogParameters()
        learned = learned or read_fog_weights()
        self.belief = BoardBelief(belief_size(effort, self.parameters), np.exp(learned.replies), stream)
        self.evaluator = ThreatEvaluator(self.parameters, learned.worths, effort.threads)

    def begin(self, side: int) -> None:
        super().begin(side)
        self.stood: Counter[bytes] = Counter()
        self.ending: LoneKingPlayer | None = None
        self.quiet = 0  # own moves since the last capture or pawn move
        self.men = np.zeros(KINDS, np.int64)
        self._forget(np.empty(0, np.int64))

    def _forget(self, offered: np.ndarray) -> None:
        """Start a table of gains: a row for every board, and how often it was drawn."""
        self.offered, self.evaluated = offered, 0
        self.gains, self.drawn = np.empty((ROOM, len(offered)), np.int32), np.zeros(ROOM)
        self.ranks = np.full(len(offered), -np.inf)

    def follow(self, seen: np.ndarray, action: int) -> None:
        super().follow(seen, action)
        self.men = seen[rules.OWN_MEN].copy()

    def reset(self, seen: np.ndarray) -> None:
        self.belief.begin(self.side, seen)

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        if self.ending:
            return self.ending.on_acceptance(move, message, seen)
        self.belief.accept(move, message)
        self.stood[seen[rules.OWN_MEN].tobytes()] += 1
        takes, pawn = message[SQUARE] != NO_SQUARE, self.men[PAWN] >> start_of(move) & 1
        self.quiet = 0 if takes or pawn else self.quiet + 1
        return None

    def on_answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        if self.ending:
            return self.ending.on_answer(message, seen)
        if message[SQUARE] != NO_SQUARE:
            self.quiet = 0
        return self.belief.answer(message, seen)

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        if self.ending:
            return self.ending.on_refusal(move, seen)
        return self.belief.refuse(move, seen)

    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        self.men = seen[rules.OWN_MEN].copy()
        if faces_lone_king(seen):
            self.ending = self.ending or self._begin_ending(seen)
            return self.ending.attempt(seen, actions)
        self._forget(actions[(actions >> 12 == 0) | (actions >> 12 == QUEEN)])
        if self.thorough or len(self.offered) > 1:
            self._evaluate()
        self.ranks, costs = np.empty(len(self.offered)), self._costs()
        table = self.gains[: self.evaluated], self.drawn[: self.evaluated]
        if not rank_attempts(*table, costs, self.parameters.doubt, self.parameters.probing, self.ranks):
            return int(self.offered[random_below(self.stream, len(self.offered))])
        return int(self.offered[np.argmax(self.ranks)])

    def _begin_ending(self, seen: np.ndarray) -> LoneKingPlayer:
        kings = self.belief.boards[:, KING] & self.belief.boards[:, MEN + 1 - self.side]
        return begin_ending(self, seen, int(np.bitwise_or.reduce(kings)) or int(ALL), self.quiet)

    def _evaluate(self) -> None:
        """Evaluate attempts on drawn boards until the limit is reached; repeated boards count repeatedly."""
        belief, halving = self.belief, FIRST_HALVING
        rows = np.full(belief.count, -1)
        for nodes in self.effort.left(self.began).slices(NODES_AT_A_TIME):
            if belief.count == 0 or self.evaluated >= MAX_BOARDS:
                return
            numbers = belief.draw(nodes // len(self.offered) + 1)
            new = np.unique(numbers[rows[numbers] < 0])
            here = slice(self.evaluated, self.evaluated + len(new))
            rows[new], self.drawn[here], self.evaluated = np.arange(here.start, here.stop), 0.0, here.stop
            if len(new):
                self.evaluator.evaluate(belief.boards[new], self.offered, self.gains[here])
                self.nodes += len(new) * len(self.offered)
            np.add.at(self.drawn, rows[numbers], 1.0)
            if (rows >= 0).all():  # all boards are evaluated: their weights are more exact than drawing
                self.drawn[rows] = belief.weights * belief.count
                return
            if self.evaluated >= halving and len(self.offered) > FINALISTS and not self.thorough:
                self._keep_better_half()
                halving *= NEXT_HALVING

    def _keep_better_half(self) -> None:
        means, legal = np.empty((2, len(self.offered)))
        table = self.gains[: self.evaluated], self.drawn[: self.evaluated]
        mean_advantages(*table, self._costs(), self.parameters.doubt, means, legal)
        kept = np.sort(np.argsort(-means)[: max(FINALISTS, len(means) // 2)])
        self.offered, self.gains = self.offered[kept], np.ascontiguousarray(self.gains[:, kept])

    def _costs(self) -> np.ndarray:
        costs = np.zeros(len(self.offered))
        for place, move in enumerate(self.offered):
            costs[place] = self.parameters.stale * self.stood[placement_after(self.men, self.side, int(move))]
        return costs


ENGINES: dict[str, EngineFactory] = {"fog": Fog}
# With the weights of a file, or with the shipped ones.
CHOICES: dict[str, Choice] = {"fog": lambda words: partial(Fog, learned=read_fog_weights(*[Path(words)] * bool(words)))}
