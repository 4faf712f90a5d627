"""Our own engine: it evaluates attempts by gain and threat on the boards consistent with all messages.

    belief      distinct boards, weighted by the likelihoods of all messages (`BoardBelief`), against an opponent
                whose replies are learned from games (`beliefs.board_filter`)
    evaluation  gain and threat of each attempt on boards drawn by their weights (`search.gain_tables`), with
                values of men learned from games of Kriegspiel
    choice      the attempt that loses no comparison with another one (`search.gain_tables`)
    endgames    against a lone king, exact sets of squares (`endings`)

A node is the evaluation of one attempt on one board.
"""

from collections import Counter, deque
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np

from ...core.rng import random_below, random_unit
from ...games.chess.bitboards import ALL, KINDS, KING, NO_SQUARE, QUEEN
from ...games.chess.position import MEN, MOVER, POSITION
from ..beliefs import board_filter
from ..beliefs.board_filter import empty_children, keep_where_refused, list_children, select_children
from ..beliefs.consistent_boards import observation_of, observe_last, vary_boards
from ..beliefs.reply_policy import HEARD, HEARD_BEFORE, HEARD_THEIRS, MEMORY, ROW
from ..endings import LoneKingPlayer, begin_ending, faces_lone_king
from ..engine import Choice, Engine, EngineFactory, SearchLimit, placement_after
from ..game import rules
from ..game.attempts import MESSAGE, SQUARE
from ..parameters import FogParameters, FogWeights, read_fog_weights
from ..search.gain_tables import ThreatEvaluator, mean_advantages, rank_attempts

# Belief as weighted boards, updated throughout a game and rejuvenated when few boards are left.
#
# A filter fails by errors that all of its boards share. So the belief remembers some boards of each of the last turns,
# with the attempts and messages since. When it becomes thin, variants of remembered boards (`vary_boards`) are replayed
# through all messages since then; those consistent with every message join the belief.

NO_BOARDS = np.empty((0, ROW), np.int64)
REMEMBERED = 10  # number of remembered turns
# Ages in turns from which a thin belief restarts: recent errors are corrected by few messages, old ones by many.
TURNS_BACK = (2, 5, 9)
# Greatest share of weight for joining boards, and how many of them an old board counts for.
MAX_NEW, OLD_COUNTS = 0.5, 4
SPARE_ROOM = 64  # boards


def room_for(boards: int) -> int:
    """Return the room in which so many boards are selected: `select_children` may find some more."""
    return boards * 5 // 4 + SPARE_ROOM


@dataclass(frozen=True)
class BeliefSize:
    most: int  # boards
    floor: int  # rejuvenated if the effective number of boards is below this
    variants: int  # variants tried from each turn at a rejuvenation
    kept: int = 300  # remembered boards of each turn


@dataclass
class BeliefTurn:
    """An own turn: boards and view at its start, the attempts, and the messages about both moves."""

    boards: np.ndarray
    seen: np.record
    refused: list[int] = field(default_factory=list)
    move: int | None = None
    own: np.ndarray | None = None
    other: np.ndarray | None = None


class BoardBelief:
    """Distinct boards that are consistent with all messages, with weights that sum to 1."""

    def __init__(self, size: BeliefSize, policy: np.ndarray, stream: np.ndarray):
        self.size, self.policy, self.stream = size, policy, stream
        room = room_for(size.most) + len(TURNS_BACK) * room_for(size.variants)
        self._boards, self._spare = np.empty((2, room, ROW), np.int64)
        self._weights, self._spare_weights = np.empty((2, room))
        self._children = empty_children(room)
        self.count = 0

    @property
    def boards(self) -> np.ndarray:
        return self._boards[: self.count]

    @property
    def weights(self) -> np.ndarray:
        return self._weights[: self.count]

    @property
    def effective(self) -> float:
        return float(1 / (self.weights**2).sum()) if self.count else 0.0

    def begin(self, side: int, seen: np.ndarray) -> None:
        """Start with all men at home, or, if the game starts in the middle, anywhere consistent with the view."""
        self.side, self.switches = side, int(seen[rules.SEEN_SWITCHES])
        self.turns: deque[BeliefTurn] = deque(maxlen=REMEMBERED)
        self._boards[0, :POSITION], self._boards[0, MEMORY] = rules.HOME[:POSITION], 0
        self._weights[0], self.count = 1.0, 1
        home = rules.HOME[:KINDS] & rules.HOME[MEN + side]
        at_home = seen[rules.SEEN_PLY] <= 1 and np.array_equal(home, seen[rules.OWN_MEN])
        if not at_home:
            self.begin_anew(seen, NO_BOARDS)
        if not at_home or rules.HOME[MOVER] == side:
            self.begin_turn(seen)

    def begin_anew(self, seen: np.ndarray, models: np.ndarray) -> None:
        """Restart from boards that explain the last observation alone and resemble the models."""
        self.count = observe_last(observation_of(seen), models, self.size.variants, self.stream, self._boards)
        self.boards[:, MEMORY] = 0
        self.weights[:] = 1 / max(self.count, 1)

    def begin_turn(self, seen: np.ndarray) -> None:
        kept = self.boards if self.count <= self.size.kept else self.boards[self.draw(self.size.kept)]
        self.turns.append(BeliefTurn(kept.copy(), observation_of(seen)))

    def draw(self, wanted: int) -> np.ndarray:
        """Return board numbers, each drawn in proportion to its weight (systematic sampling)."""
        edges = np.cumsum(self.weights)
        marks = (np.arange(wanted) + random_unit(self.stream)) / wanted * edges[-1]
        return np.asarray(np.minimum(np.searchsorted(edges, marks), self.count - 1))

    def refuse(self, move: int, seen: np.ndarray) -> None:
        self.turns[-1].refused.append(move)
        self._drop_legal(move)
        self.mend(seen)

    def accept(self, move: int, message: np.ndarray) -> None:
        self.turns[-1].move, self.turns[-1].own = move, message.copy()
        self._make(move, message)

    def answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        if self.turns and self.turns[-1].move is None:  # the game started here, and the boards explain the message
            return
        if self.turns:
            self.turns[-1].other = message.copy()
        self._reply(len(self.turns) - 1, message, self.size.most)
        self.mend(seen)
        self.begin_turn(seen)

    def _drop_legal(self, move: int) -> None:
        self.count = keep_where_refused(self._boards, self._weights, self.count, move)

    def _make(self, move: int, message: np.ndarray) -> None:
        boards = self._boards, self._weights, self.count
        self.count = board_filter.keep_where_accepted(*boards, move, message, self.switches)

    def _heard(self, number: int) -> np.ndarray:
        """Return what the opponent has heard when it answers the own turn of this number, or the first one: -1."""
        heard = np.zeros(HEARD, np.int64)
        heard[[SQUARE, HEARD_THEIRS + SQUARE, HEARD_BEFORE]] = NO_SQUARE
        if number >= 0 and (own := self.turns[number].own) is not None:
            heard[:MESSAGE] = own
        if number >= 1:
            before = self.turns[number - 1]
            if before.other is not None:
                heard[HEARD_THEIRS:HEARD_BEFORE] = before.other
            if before.own is not None:
                heard[HEARD_BEFORE] = before.own[SQUARE]
        return heard

    def _reply(self, number: int, message: np.ndarray, wanted: int) -> None:
        """Make all moves of the opponent that give a message, in answer to the own turn of this number."""
        children, heard = self._children, self._heard(number)
        found = list_children(self.boards, self.weights, heard, message, self.switches, self.policy, children)
        given = children, found, wanted, message, self.switches, self.stream
        room = slice(room_for(wanted))
        self.count = select_children(self._boards, *given, self._spare[room], self._spare_weights[room])
        self._boards, self._spare = self._spare, self._boards
        self._weights, self._spare_weights = self._spare_weights, self._weights

    def mend(self, seen: np.ndarray) -> None:
        """Rejuvenate the belief if too few boards are left; restart it if none is left."""
        self.weights[:] /= max(self.weights.sum(), np.finfo(float).tiny)
        if self.effective >= self.size.floor:
            return
        boards, weights = self.boards.copy(), self.weights.copy()
        joining = []
        for back in TURNS_BACK:
            if len(self.turns) > back:
                self._lead_variants(len(self.turns) - 1 - back)
                joining.append((self.boards.copy(), self.weights.copy()))
        new = sum(len(boards) for boards, _ in joining)
        if len(boards) + new == 0:
            return self.begin_anew(seen, self.turns[-1].boards if self.turns else NO_BOARDS)
        if len(boards) + new > len(self._boards):  # keep the heaviest, in their order
            chosen = np.sort(np.argsort(-weights, kind="stable")[: len(self._boards) - new])
            boards, weights = boards[chosen], weights[chosen]
        share = min(MAX_NEW, new / (new + OLD_COUNTS * len(boards))) if len(boards) else 1.0
        self.count = 0
        self._join(boards, weights, 1 - share)
        for boards, weights in joining:
            self._join(boards, weights, share * len(boards) / max(new, 1))
        return None

    def _join(self, boards: np.ndarray, weights: np.ndarray, share: float) -> None:
        here = slice(self.count, self.count + len(boards))
        self._boards[here], self._weights[here] = boards, weights * (share / max(weights.sum(), np.finfo(float).tiny))
        self.count += len(boards)

    def _lead_variants(self, first: int) -> None:
        """Replace the boards by the variants of a remembered turn, replayed to the present."""
        turn = self.turns[first]
        self.count = vary_boards(turn.seen, turn.boards, self.size.variants, self.stream, self._boards)
        self.weights[:] = 1 / max(self.count, 1)
        for number, turn in enumerate(list(self.turns)[first:], first):
            for move in turn.refused:
                self._drop_legal(move)
            if turn.move is None or turn.own is None or turn.other is None:  # the current turn
                return
            self._make(turn.move, turn.own)
            self._reply(number, turn.other, self.size.variants)


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
        self.men = np.zeros(KINDS, np.int64)
        self._forget(np.empty(0, np.int64))

    def _forget(self, offered: np.ndarray) -> None:
        """Start a table of gains: a row for every board, and how often it was drawn."""
        self.offered, self.evaluated = offered, 0
        self.gains, self.drawn = np.empty((ROOM, len(offered)), np.int32), np.zeros(ROOM)
        self.ranks = np.full(len(offered), -np.inf)

    def reset(self, seen: np.ndarray) -> None:
        self.belief.begin(self.side, seen)

    def on_acceptance(self, move: int, message: np.ndarray, seen: np.ndarray) -> None:
        self.belief.accept(move, message)
        self.stood[seen[rules.OWN_MEN].tobytes()] += 1

    def on_answer(self, message: np.ndarray, seen: np.ndarray) -> None:
        self.belief.answer(message, seen)

    def on_refusal(self, move: int, seen: np.ndarray) -> None:
        self.belief.refuse(move, seen)

    def attempt(self, seen: np.ndarray, actions: np.ndarray) -> int:
        self.men = seen[rules.OWN_MEN].copy()
        if faces_lone_king(seen):
            if self.ending is None:
                kings = self.belief.boards[:, KING] & self.belief.boards[:, MEN + 1 - self.side]
                self.ending = begin_ending(self, seen, int(np.bitwise_or.reduce(kings)) or int(ALL))
            return self.ending.attempt(seen, actions)
        self._forget(actions[(actions >> 12 == 0) | (actions >> 12 == QUEEN)])
        if self.thorough or len(self.offered) > 1:
            self._evaluate()
        self.ranks, costs = np.empty(len(self.offered)), self._costs()
        table = self.gains[: self.evaluated], self.drawn[: self.evaluated]
        probing = self.parameters.probing * self.leisure  # a likely refusal is worth less when the time runs out
        if not rank_attempts(*table, costs, self.parameters.doubt, probing, self.ranks):
            return int(self.offered[random_below(self.stream, len(self.offered))])
        return int(self.offered[np.argmax(self.ranks)])

    def _evaluate(self) -> None:
        """Evaluate attempts on drawn boards until the limit is reached; repeated boards count repeatedly."""
        belief, halving = self.belief, FIRST_HALVING
        rows = np.full(belief.count, -1)
        for nodes in self.limit.slices(NODES_AT_A_TIME):
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
                means, legal = np.empty((2, len(self.offered)))
                table = self.gains[: self.evaluated], self.drawn[: self.evaluated]
                mean_advantages(*table, self._costs(), self.parameters.doubt, means, legal)
                kept = np.sort(np.argsort(-means)[: max(FINALISTS, len(means) // 2)])
                self.offered, self.gains = self.offered[kept], np.ascontiguousarray(self.gains[:, kept])
                halving *= NEXT_HALVING

    def _costs(self) -> np.ndarray:
        stood = [self.stood[placement_after(self.men, self.side, int(move))] for move in self.offered]
        return self.parameters.stale * np.array(stood, float)


ENGINES: dict[str, EngineFactory] = {"fog": Fog}
# With the weights of a file, or with the shipped ones.
CHOICES: dict[str, Choice] = {"fog": lambda words: partial(Fog, learned=read_fog_weights(*[Path(words)] * bool(words)))}
