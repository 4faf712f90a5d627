"""Engines of the studies: parts of the knowledge of C, approach A without a fault, and the future work of section 7.

A plug-in: `fogspiel --plugins benchmarks/plugins kriegspiel match C:bias C:paper`.
"""

import math
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import numpy as np

from fogspiel.core.compile.kernel import in_place, kernel
from fogspiel.games.chess.bitboards import PAWN, bit
from fogspiel.games.chess.position import end_of, start_of
from fogspiel.kriegspiel.beliefs.probability_matrices import PAWNS, PIECES
from fogspiel.kriegspiel.engine import EngineFactory, SearchLimit
from fogspiel.kriegspiel.engines.fog import BeliefSize, BoardBelief
from fogspiel.kriegspiel.engines.mcts import ApproachC
from fogspiel.kriegspiel.parameters import FogParameters, MatrixParameters, read_fog_weights
from fogspiel.kriegspiel.search.approach_a import Remedies
from fogspiel.kriegspiel.search.move_value import OUTCOMES
from fogspiel.kriegspiel.search.perception_search import (
    DEEPEST,
    NO_CHILD,
    WORSE_THAN_ANY,
    PerceptionTree,
    add_child,
    has_room,
)
from fogspiel.kriegspiel.search.perception_search import sample_outcome as probabilistic_message
from fogspiel.papers.ciancarini2010.abstract_model import material_balance, update_model
from fogspiel.papers.ciancarini2010.approach_b import (
    backpropagate_mean,
    list_moves,
    new_leaf,
    open_branch,
    simulation,
)
from fogspiel.papers.ciancarini2010.approach_c import backpropagate_maximum, expand, explore
from fogspiel.papers.ciancarini2010.engines import PrintedA, PrintedB, PrintedC

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


# Progressive strategies for young nodes (section 7; reference [21]: Chaslot and others 2008), as selection of C.
#
# Progressive bias adds H / (n + 1) to the UCT value of an attempt with n visits. Progressive unpruning offers only the
# best attempts by the heuristic at first; attempt number `unpruned` + j joins when the node has been selected A * B **
# j times. Section 7 expects that "objective-based heuristics are the most likely candidates": H counts the objectives
# of an attempt, a capture by its probability and the progress of a pawn towards promotion. Without either strategy the
# selection is that of figure 8.

FIRST_VISITS, GROWTH = 50.0, 1.3  # A and B of [21]
LAST_STEP = 6.0  # ranks from a pawn's home to its promotion


class Progressive(NamedTuple):
    """Strategy of selection; zeros leave UCT as it is."""

    bias: float = 0.0  # weight of H, in men
    unpruned: int = 0  # attempts offered at first; 0 offers all


PLAIN = Progressive()


@in_place
def objective(node, move):
    """Return H of an attempt: the chance of a capture, and for a pawn its share of the way to promotion."""
    start, end = start_of(move), end_of(move)
    if not node.known.men[PAWN] & bit(start):
        return node.prob[PAWNS, end] + node.prob[PIECES, end]
    rank = end // 8 if node.known.colour == 0 else 7 - end // 8
    capture = node.prob[PAWNS, end] + node.prob[PIECES, end] if (end - start) % 8 else 0.0
    return capture + (rank - 1) / LAST_STEP


@in_place
def offered(node, strategy):
    """Return the number of attempts of a node that may be selected; its first visits are those of its expansion."""
    if not strategy.unpruned:
        return node.listed
    selected = node.visits - node.listed
    more = 0 if selected < FIRST_VISITS else int(math.log(selected / FIRST_VISITS) / math.log(GROWTH)) + 1
    return min(node.listed, strategy.unpruned + more)


@in_place
def uct_selection(tree, place, c, strategy):
    """Return the attempt with the greatest value + c * sqrt(ln N / n) + bias * H / (n + 1), or -1."""
    node = tree.nodes[place]
    log, best, chosen = math.log(node.visits + 1.0), WORSE_THAN_ANY, -1
    for row in range(node.first, node.first + offered(node, strategy)):
        attempt = tree.attempts[row]
        score = attempt.value + c * math.sqrt(log / attempt.visits)
        if strategy.bias > 0.0:
            score += strategy.bias * objective(node, attempt.move) / (attempt.visits + 1.0)
        if score > best:
            best, chosen = score, row
    return chosen


@in_place
def promise(tree, place, row, strategy):
    """Return the heuristic of unpruning: the value of the first exploration, and H."""
    attempt = tree.attempts[row]
    return attempt.value + strategy.bias * objective(tree.nodes[place], attempt.move)


@kernel
def order_by_heuristic(tree, place, strategy):
    """Sort the attempts of a new node, the most promising first; none of them has a branch yet."""
    node = tree.nodes[place]
    for row in range(node.first + 1, node.first + node.listed):
        at = row
        while at > node.first and promise(tree, place, at, strategy) > promise(tree, place, at - 1, strategy):
            one, other = tree.attempts[at], tree.attempts[at - 1]
            one.move, other.move = other.move, one.move
            one.legal, other.legal = other.legal, one.legal
            one.value, other.value = other.value, one.value
            at -= 1


@kernel
def approach_c(tree, attraction, constants, parameters, strategy, stream, nodes):
    """Figure 8 with a strategy of selection; the package's kernel of that name is the same without one."""
    places, rows = np.empty(DEEPEST + 1, np.int64), np.empty(DEEPEST + 1, np.int64)
    refused, survey, done = np.zeros(64, np.int64), tree.features[0].survey, 0
    while done < nodes:
        place, depth = 0, 0
        while depth < DEEPEST:
            row = uct_selection(tree, place, parameters.exploration, strategy)
            if row < 0 or not has_room(tree):
                break
            if tree.attempts[row].branch == NO_CHILD:
                open_branch(tree, place, row, constants, parameters)
            places[depth], rows[depth] = place, row
            depth += 1
            number = tree.attempts[row].branch
            outcome = probabilistic_message(tree.branches[number].chance, stream)
            child = tree.branches[number].child[outcome]
            if child == NO_CHILD:
                child = add_child(tree, place, number, outcome)
                new = tree.nodes[child]
                update_model(
                    new.prob, new.known, tree.attempts[row].move, outcome, attraction, parameters, survey, stream
                )
                done += expand(tree, child, refused, constants, parameters)
                if strategy.unpruned:
                    order_by_heuristic(tree, child, strategy)
                break
            place = child
        done += 1
        for level in range(depth - 1, -1, -1):
            backpropagate_maximum(tree, places[level], rows[level])
    return done


# Hybrid of B and C (section 7): the first move evaluated like C, then longer simulations for the next moves.
#
# As in reference [20], the evaluation of C is the prior of a node: every attempt of a new node has the weighed average
# of its outcomes as the value of its first visit. Simulations of k moves start at the node, and their mean is backed
# up.


@kernel
def explore_moves(tree, place, refused, constants, parameters):
    """List the attempts at a node, each with the value of approach C if it is accepted; return their number."""
    list_moves(tree, place, refused, parameters)
    node = tree.nodes[place]
    chances, values = np.empty(OUTCOMES, np.float64), np.empty(OUTCOMES, np.float64)
    for row in range(node.first, node.first + node.listed):
        attempt = tree.attempts[row]
        attempt.value, attempt.visits = explore(tree, place, row, constants, parameters, chances, values), 1
    node.visits = max(1, node.listed)
    return node.listed


@kernel
def approach_bc(tree, k, attraction, constants, parameters, stream, nodes):
    """Select as B, explore the moves of the new node as C, simulate k moves from it, back up the mean."""
    rows, places = np.empty(DEEPEST + 1, np.int64), np.empty(DEEPEST + 1, np.int64)
    refused, done = np.zeros(64, np.int64), 0
    while done < nodes:
        depth, n, is_new, lost, was_capture = new_leaf(tree, attraction, constants, parameters, stream, places, rows)
        value = material_balance(tree.nodes[n].known, constants.theirs)
        if is_new:
            done += explore_moves(tree, n, refused, constants, parameters)
            value = simulation(tree, n, k, lost, was_capture, attraction, constants, parameters, stream)
        done += 1
        backpropagate_mean(tree, value, places, rows, depth)
    return done


# The engines of future work, compared with the plain programs by `paper future-work`.


class HybridBC(PrintedB):
    """Hybrid of B(k) and C: the first move evaluated like C, then simulations of k moves."""

    size = 2000

    def begin_root(self, tree: PerceptionTree, refused: np.ndarray) -> None:
        explore_moves(tree, 0, refused, self.constants, self.parameters)

    def search(self, thread: int, size: int) -> int:
        tree, stream = self.trees[thread], self.streams[thread]
        return int(approach_bc(tree, self.k, self.attraction, self.constants, self.parameters, stream, size))


class ProgressiveC(PrintedC):
    """Approach C as printed with a strategy of selection."""

    strategy = PLAIN

    def search(self, thread: int, size: int) -> int:
        tree, stream = self.trees[thread], self.streams[thread]
        return int(approach_c(tree, self.attraction, self.constants, self.parameters, self.strategy, stream, size))


class BiasedC(ProgressiveC):
    """Approach C as printed with progressive bias: objectives attract the first visits."""

    strategy = Progressive(bias=1.0)


class UnprunedC(ProgressiveC):
    """Approach C as printed with progressive unpruning: the best attempts first, the others as a node is visited."""

    strategy = Progressive(bias=0.2, unpruned=5)

    def begin_root(self, tree: PerceptionTree, refused: np.ndarray) -> None:
        super().begin_root(tree, refused)
        order_by_heuristic(tree, 0, self.strategy)


ENGINES: dict[str, EngineFactory] = {
    "A:boards": BoardsA,
    "A:replies": RepliesA,
    "A:progress": ProgressA,
    "A:anywhere": AnywhereA,
    "BC3:paper": partial(HybridBC, 3),
    "C:bias": BiasedC,
    "C:unprune": UnprunedC,
}
FAMILIES = {r"BC([1-9]\d?):paper": HybridBC, r"C:step([1-4])": AblatedC}
