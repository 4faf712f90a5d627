"""The solution of a phantom game in JSON; its checker reads it and returns the bounds it proves.

    format, game, rules     the format, the game, and the version of its rules
    value, lower, upper     Black's value, and the strategies' guarantees: Black's minimum and maximum
    strategies              {"black": [row, ..], "white": [row, ..]}
    digest                  of all the rest

A row is [history, failed, {cell: probability}]: after the turns of the history and the failed tries in this turn, the
player names the cells with these probabilities. A history is a list of turns, "A1 B1,B2:C1" is a stone on A1 and then,
after failures on B1 and B2, one on C1. Rows are stored up to symmetry: of all images of history and failed tries the
one whose turns, the earliest first, have the smallest (failed set, cell), and at last the smallest failed set, where
cell is row * columns + column and a set is the sum of 2 ** cell. The probabilities of a row are invariant under every
symmetry that fixes its history and failed tries. Without a row the player names the first cell that it does not know.
"""

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from ....core.compile.kernel import kernel
from ....games.boards.board import Board
from ....games.phantom.look import GAMES
from ...proofs.checkers.phantom import FORMAT, OPENING, PhantomCertificate
from ...proofs.checkers.primitives import cells_of, digest_of
from .bilinear_form import BilinearForm
from .merged_histories import (
    MAX_GROUPS,
    Held,
    Sets,
    Side,
    grow_side,
    meet,
    respond,
    sequence_of,
    sets_of,
    try_value,
    unknown,
)
from .policy_weights import Ask, PolicyWeights, Watch, weigh
from .private_histories import INFOSET, SEQUENCE, TURN, geometry
from .solver import PhantomSolution, RealisationPlan

Row = list[Any]


def make_certificate(solution: PhantomSolution) -> PhantomCertificate:
    if solution.form.variant != "classical":
        raise ValueError(f"certificates are for classical games, but {solution.game} is {solution.form.variant}")
    rows = [strategy_rows(solution.form, player, plan) for player, plan in enumerate(solution.plans)]
    body: PhantomCertificate = {
        "format": FORMAT,
        "game": solution.game,
        "rules": next(game.version for game in GAMES if game.name == solution.game.partition(OPENING)[0]),
        "value": str((solution.lower + solution.upper) / 2),
        "lower": str(solution.lower),
        "upper": str(solution.upper),
        "strategies": {"black": rows[0], "white": rows[1]},
        "digest": "",
    }
    body["digest"] = digest_of(body)
    return body


def history_text(form: BilinearForm, player: int, sequence: int) -> str:
    """Format the turns of a history, by its number among the histories."""
    histories, words = form.histories[player], []
    while sequence > 0:
        infoset = histories.infosets[histories.sequences[sequence, SEQUENCE.infoset]]
        failed = set_text(form, int(infoset[INFOSET.tried]))
        stone = form.board.cell_name(int(histories.sequences[sequence, SEQUENCE.cell]))
        words.append(f"{failed}:{stone}" if failed else stone)
        sequence = int(histories.turns[infoset[INFOSET.turn], TURN.before])
    return " ".join(reversed(words))


def set_text(form: BilinearForm, mask: int) -> str:
    return ",".join(map(form.board.cell_name, cells_of(mask)))


def strategy_rows(form: BilinearForm, player: int, plan: RealisationPlan) -> list[Row]:
    """Return the rows of a plan: at each reached turn first the tries that Lemma 3 forces, then the choices."""
    side, histories, rows = form.sides[player], form.histories[player], []
    opened = set()
    for infoset in range(side.infosets):
        chosen = range(int(side.first[infoset]), int(side.first[infoset] + side.count[infoset]))
        total = sum(int(plan.weights[s]) for s in chosen)
        if not total:
            continue
        place = int(side.places[infoset])
        turn, tried = (int(histories.infosets[place, column]) for column in (INFOSET.turn, INFOSET.tried))
        if turn not in opened:
            opened.add(turn)
            rows += forced_rows(form, player, turn)
        cells = form.board.cells
        shares: dict[int, Fraction] = {}
        children = histories.child[place * cells : (place + 1) * cells, 0]
        for s in chosen:
            members = np.flatnonzero(children == side.numbers[s]).tolist()
            share = Fraction(int(plan.weights[s]), total * len(members))
            shares |= dict.fromkeys(members, share) if share else {}
        rows.append(_row(form, player, turn, tried, shares))
    for sequence in np.flatnonzero(plan.weights).tolist():  # turns that are won at once have no infosets
        ahead = histories.sequences[side.numbers[sequence]]
        for turn in range(ahead[SEQUENCE.first_turn], ahead[SEQUENCE.first_turn] + ahead[SEQUENCE.turns]):
            if turn not in opened:
                rows += forced_rows(form, player, turn)
    return rows


def forced_rows(form: BilinearForm, player: int, turn: int) -> list[Row]:
    """Return the rows before the first choice of a turn: the winning cells are tried, with equal probabilities."""
    histories, image = form.histories[player], geometry(form.name).image
    before = histories.sequences[histories.turns[turn, TURN.before]]
    columns = SEQUENCE.stones, SEQUENCE.failed, SEQUENCE.stabiliser
    stones, failed, stabiliser = (int(before[column]) for column in columns)
    forced = int(histories.turns[turn, TURN.forced])
    opposing = stones.bit_count() + player
    if stones.bit_count() + opposing == form.board.cells - 1:
        return []  # a single empty cell is no choice
    rows = []
    for tried in (mask for mask in range(forced) if mask & ~forced == 0):
        smallest = all(image[g, tried] >= tried for g in range(len(image)) if stabiliser >> g & 1)
        if smallest and (failed | tried).bit_count() <= opposing:
            left = cells_of(forced & ~tried)
            rows.append(_row(form, player, turn, tried, dict.fromkeys(left, Fraction(1, len(left)))))
    return rows


def _row(form: BilinearForm, player: int, turn: int, tried: int, shares: dict[int, Fraction]) -> Row:
    named = {form.board.cell_name(cell): str(share) for cell, share in sorted(shares.items())}
    sequence = int(form.histories[player].turns[turn, TURN.before])
    return [history_text(form, player, sequence), set_text(form, tried), named]


# Exact exploitability of phantom policies on merged histories, for trees too large to traverse.
#
# The passes:
#
#     grow       number the groups, nodes and sequences of a player
#     weigh      query the policy wherever it can come to, and sum realisation weights by sequence
#     meet       traverse the orders of stones with the groups of both players that fit the stones: given the stones,
#                the failures of the two are independent, so the value of a sequence is the sum of the opponent's
#                weights times the payoff, over all ends of games
#     respond    backwards through the nodes: the best-response value, and its tries
#
# Neither symmetry nor dominance is assumed of a policy.


@kernel
def give_away(sets, side, weights, worth, value, out):
    """Write a policy's loss at each node: its weight there times its shortfall from the best try."""
    for node in range(len(side.group)):
        out[node] = 0.0
        if side.reached[node]:
            free = unknown(sets, side, side.group[node]) & ~np.int64(side.tried[node])
            for cell in range(sets.cells):
                if free >> cell & 1:
                    weight = weights[sequence_of(side, node, free, cell)]
                    if weight:
                        less = value[node] - try_value(sets, side, worth, value, node, free, cell)
                        out[node] += np.float64(weight) * np.float64(less)


class BestReply(NamedTuple):
    value: np.ndarray  # its value from each node on, weighted by the opponent's play
    choice: np.ndarray  # the cell it tries at each node, or NOWHERE at unreachable ones


class Try(NamedTuple):
    """A cell that may be tried at a node: the policy's weight on it, and its shortfall from the best one."""

    cell: int
    weight: float | Fraction
    loss: float | Fraction


class Evaluation(NamedTuple):
    """Two policies of a phantom game: their merged weights, the values of sequences to either player, best responses.

    Payoffs are +1 for a win, 0 for a draw and -1 for a loss of the player in question. Values are integers in units of
    1 / unit of the opponent's weights, or floats.
    """

    sets: Sets
    sides: tuple[Side, Side]
    weights: tuple[PolicyWeights, PolicyWeights]
    worths: tuple[np.ndarray, np.ndarray]
    replies: tuple[BestReply, BestReply]

    @property
    def exact(self) -> bool:
        return self.weights[0].unit > 0

    @property
    def value(self) -> float | Fraction:
        """Expected payoff of the first player."""
        numbers, worth = self.weights[0].numbers, self.worths[0]
        if not self.exact:
            return float(numbers @ worth)
        used = np.flatnonzero(numbers)
        total = sum(map(int.__mul__, numbers[used].tolist(), worth[used].tolist()))
        return Fraction(total, self.weights[0].unit * self.weights[1].unit)

    def best(self, player: int) -> float | Fraction:
        return self._number(self.replies[player].value.item(0), self.weights[1 - player].unit)

    def losses(self, player: int) -> np.ndarray:
        """Return the loss of the player's policy at each node, in floats; the sum is the best response's gain."""
        out = np.empty(len(self.sides[player].group))
        give_away(self.sets, self.sides[player], self.weights[player].numbers, *self._rest(player), out)
        return out / (self.weights[0].unit * self.weights[1].unit) if self.exact else out

    def tries(self, player: int, node: int) -> list[Try]:
        side, value = self.sides[player], self.replies[player].value
        free = int(unknown(self.sets, side, side.group[node])) & ~int(side.tried[node])
        found = []
        for cell in (cell for cell in range(self.sets.cells) if free >> cell & 1):
            weight = self.weights[player].numbers.item(sequence_of(side, node, free, cell))
            less = value[node] - try_value(self.sets, side, *self._rest(player), node, free, cell)
            loss = self._number(less, self.weights[1 - player].unit)
            found.append(Try(cell, self._number(weight, self.weights[player].unit), loss))
        return found

    def _rest(self, player: int) -> tuple[np.ndarray, np.ndarray]:
        return self.worths[player], self.replies[player].value

    def _number(self, number: float, unit: int) -> float | Fraction:
        return Fraction(int(number), unit) if self.exact else float(number)


def evaluate_policies(board: Board, asks: tuple[Ask, Ask], watch: Watch = lambda states: None) -> Evaluation:
    """Evaluate two policies, in integers where their probabilities allow it; `watch` counts the queries."""
    sets = sets_of(board)
    sides = grow_side(sets, 0), grow_side(sets, 1)
    nothing = np.zeros(len(sides[0].stones), np.int64), np.zeros(len(sides[1].stones), np.int64)
    _worths(sets, sides, nothing)  # marks the nodes that can be reached
    first = weigh(board, sets, sides[0], asks[0], watch)
    second = weigh(board, sets, sides[1], asks[1], lambda states: watch(first.states + states))
    weights = (first, second) if first.unit and second.unit else (first.in_floats(), second.in_floats())
    worths = _worths(sets, sides, (weights[0].numbers, weights[1].numbers))
    replies = []
    for side, worth in zip(sides, worths, strict=True):
        reply = BestReply(np.empty(len(side.group), worth.dtype), np.empty(len(side.group), np.int8))
        respond(sets, side, worth, *reply)
        replies.append(reply)
    return Evaluation(sets, sides, weights, worths, (replies[0], replies[1]))


def _worths(
    sets: Sets, sides: tuple[Side, Side], weights: tuple[np.ndarray, np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    turns, kind = 2 + sets.cells // 2, weights[0].dtype
    held = Held(np.zeros((2, turns, MAX_GROUPS), np.int32), np.zeros((2, turns), np.int64), np.zeros((2, turns), kind))
    worths = np.zeros(len(weights[0]), kind), np.zeros(len(weights[1]), kind)
    meet(sets, *sides, *weights, held, *worths)
    return worths
