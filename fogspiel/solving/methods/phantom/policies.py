"""Policies of phantom games, queried and measured by merged histories, in the terms of `policies.exploitability`."""

import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from math import lcm
from typing import NamedTuple

import numpy as np

from ....core.agents import Agent, PlayerAgent, draw_index
from ....core.behaviour_policy import (
    ROUNDING,
    ActionProbabilities,
    BehaviourPolicy,
    ExactOrFloat,
    InformationState,
    InformationStates,
    Probabilities,
    check_probabilities,
    uniform_probabilities,
)
from ....core.compile.kernel import kernel
from ....core.game import Game
from ....games.boards.board import BOARDS, Board
from ....games.phantom import rules
from ....games.phantom.look import PhantomName
from ...policies import PolicyTable
from ...policies.exploitability import CostlyDecision, ExploitResult, PolicyProbe, Rows, Watch, behaviour_mixture
from ...proofs.checkers.phantom import (
    NOWHERE,
    PLAYERS,
    PhantomCertificate,
    Situation,
    board_of,
    image,
    strategy_of,
)
from ...tree.sequence_form import MAX_NUMERATOR
from .bilinear_form import find_form, solvable_parts
from .merged_histories import (
    MAX_GROUPS,
    MAX_UNIT,
    Ask,
    Held,
    PolicyWeights,
    Questions,
    Sets,
    Shares,
    Side,
    grow_side,
    meet,
    next_nodes,
    respond,
    sequence_of,
    sets_of,
    try_value,
    uniform,
    unknown,
    weigh,
    weigh_uniform,
)
from .private_histories import INFOSET, SEQUENCE, TURN, Histories, geometry

TERMS = 1 << 24  # more than any sum here has


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
        unit = self.weights[0].unit * self.weights[1].unit
        if unit <= MAX_NUMERATOR:  # more than any sum, as the absolute values sum to a probability
            return Fraction(int(numbers @ worth), unit)
        used = np.flatnonzero(numbers)
        total = sum(map(int.__mul__, numbers[used].tolist(), worth[used].tolist()))
        return Fraction(total, unit)

    def best(self, player: int) -> float | Fraction:
        return self._number(self.replies[player].value.item(0), self.weights[1 - player].unit)

    def losses(self, player: int) -> np.ndarray:
        """Return the loss of the player's policy at each node, in floats; the sum is the best response's gain."""
        side, value = self.sides[player], self.replies[player].value
        out = np.empty(len(side.group))
        give_away(self.sets, side, self.weights[player].numbers, self.worths[player], value, out)
        return out / (self.weights[0].unit * self.weights[1].unit) if self.exact else out

    def tries(self, player: int, node: int) -> list[Try]:
        side, value = self.sides[player], self.replies[player].value
        free = int(unknown(self.sets, side, side.group[node])) & ~int(side.tried[node])
        found = []
        for cell in (cell for cell in range(self.sets.cells) if free >> cell & 1):
            weight = self.weights[player].numbers.item(sequence_of(side, node, free, cell))
            less = value[node] - try_value(self.sets, side, self.worths[player], value, node, free, cell)
            loss = self._number(less, self.weights[1 - player].unit)
            found.append(Try(cell, self._number(weight, self.weights[player].unit), loss))
        return found

    def _number(self, number: float, unit: int) -> float | Fraction:
        return Fraction(int(number), unit) if self.exact else float(number)


def evaluate_policies(
    board: Board, asks: tuple[Ask, Ask], watch: Callable[[int], None] = lambda states: None
) -> Evaluation:
    """Evaluate two policies, in integers where their probabilities allow it; `watch` counts the queries."""
    sets = sets_of(board)
    sides = grow_side(sets, 0), grow_side(sets, 1)
    if asks != (uniform, uniform):  # nodes that can be reached are marked before a policy is queried there
        _worths(sets, sides, tuple(np.zeros(len(side.stones), np.int64) for side in sides))
    found: list[PolicyWeights] = []
    for side, ask in zip(sides, asks, strict=True):
        before = sum(weight.states for weight in found)
        found.append(weigh_uniform(sets, side) if ask is uniform else weigh(board, sets, side, ask, watch, before))
    first, second = found if all(weight.unit for weight in found) else [weight.in_floats() for weight in found]
    worths = _worths(sets, sides, (first.numbers, second.numbers))
    weights = first.counted(sides[0]), second.counted(sides[1])
    replies = []
    for side, worth in zip(sides, worths, strict=True):
        reply = BestReply(np.empty(len(side.group), worth.dtype), np.empty(len(side.group), np.int8))
        respond(sets, side, worth, *reply)
        replies.append(reply)
    return Evaluation(sets, sides, weights, worths, (replies[0], replies[1]))


def _worths(sets: Sets, sides: tuple[Side, Side], weights: tuple[np.ndarray, ...]) -> tuple[np.ndarray, np.ndarray]:
    turns, kind = 2 + sets.cells // 2, weights[0].dtype
    held = Held(np.zeros((2, turns, MAX_GROUPS), np.int32), np.zeros((2, turns), np.int64), np.zeros((2, turns), kind))
    worths = np.zeros(len(weights[0]), kind), np.zeros(len(weights[1]), kind)
    meet(sets, *sides, *weights, held, *worths)
    return worths


# Policies as they are asked, and what they lose


def ask_of(game: Game, policy: BehaviourPolicy, inquiry: PolicyProbe) -> Ask:
    if policy.probabilities is uniform_probabilities:
        return uniform
    batch = policy.batch
    if batch is not None:
        return lambda questions: Shares(checked_batch(game, policy.name, states := questions.states, batch(states)))

    def ask(questions: Questions) -> Shares:
        states = questions.states
        rows = [inquiry.shares(states.state(game, row)) for row in range(len(states.views))]
        listed = [share for row in rows for share in row]
        exact = [share for share in listed if isinstance(share, Fraction)]
        unit = lcm(*(share.denominator for share in exact)) if len(exact) == len(listed) else 0
        if unit > MAX_UNIT:
            unit = 0
        numbers = np.zeros(states.legal.shape, np.int64 if unit else np.float64)
        numbers[states.legal] = [int(share * unit) if unit else float(share) for share in listed]
        return Shares(numbers, unit)

    return ask


def checked_batch(game: Game, name: str, states: InformationStates, answer: object) -> np.ndarray:
    """Return the probabilities of a policy for many states, or raise ValueError with the first invalid one."""
    found = np.asarray(answer, np.float64)
    if found.shape != states.legal.shape:
        raise ValueError(
            f"{name} answers with an array of shape {found.shape}: it must have the shape {states.legal.shape}, a row "
            "for each state and a column for each action"
        )
    wrong = ~(np.isfinite(found) & (found >= 0)).all(axis=1) | (found * ~states.legal).any(axis=1)
    wrong |= abs(found.sum(axis=1) - 1) > ROUNDING
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        state = states.state(game, row)
        raise ValueError(
            f"{name} at {state.line!r} (state {state.id}): {found[row].tolist()} are not probabilities of the actions "
            f"{state.actions} that add up to 1"
        )
    return np.asarray(found / found.sum(axis=1, keepdims=True))


def state_after(game: Game, board: Board, player: int, tries: Sequence[tuple[int, int]]) -> InformationState:
    """Return the information state of a player after these tries (cell, 1 if it failed)."""
    view, turn = np.zeros(game.sizes.view, np.int64), 0
    turns = (len(view) - rules.SEEN_RECORD) // 2
    view[: rules.SEEN_RECORD] = board.rows, board.columns, turns, 0, player, 0, -1, 0
    record = view[rules.SEEN_RECORD :]
    record[::2] = -1
    for cell, failed in tries:
        if failed:
            record[2 * turn + 1] |= 1 << cell
            view[rules.SEEN_KNOWN] |= 1 << cell
        else:
            record[2 * turn] = cell
            turn += 1
    view[rules.SEEN_TURN] = 2 * turn + player
    done = tuple(cell for cell, _ in tries)
    return InformationState(game, player, view, [cell for cell in range(board.cells) if cell not in done], done)


class MergedPolicies:
    def __init__(self, game: Game, board: Board, found: Evaluation):
        self.game, self.board, self.found = game, board, found

    def way_to(self, player: int, node: int) -> list[tuple[int, int]]:
        """Return tries that lead to a node, those that failed in a turn in the order of their cells."""
        side, way = self.found.sides[player], list[tuple[int, int]]()
        while True:
            failed = int(side.tried[node])
            way = [(cell, 1) for cell in range(self.board.cells) if failed >> cell & 1] + way
            sequence = int(side.group[node])
            if sequence == 0:
                return way
            node = int(np.searchsorted(side.first_sequence, sequence, "right")) - 1
            stone = int(side.stones[sequence]) & ~int(side.stones[side.group[node]])
            way = [(stone.bit_length() - 1, 0), *way]

    def decisions(self, player: int, most: int | None) -> list[CostlyDecision]:
        """Return the nodes at which a policy loses value, the most costly first."""
        losses = self.found.losses(player)
        order = np.argsort(-losses, kind="stable")[: most or np.count_nonzero(losses > 0)]
        costly = []
        for node in (int(node) for node in order if losses[node] > 0):
            tries = self.found.tries(player, node)
            weight = sum((cell.weight for cell in tries), Fraction(0))
            loss = sum((cell.weight * cell.loss for cell in tries), Fraction(0)) / 2
            best = min(tries, key=lambda cell: cell.loss).cell
            state = state_after(self.game, self.board, player, self.way_to(player, node))
            costly.append(CostlyDecision(state, loss, [cell.weight / weight for cell in tries], best))
        return costly

    def reply(self, player: int) -> Rows:
        side, choice = self.found.sides[player], self.found.replies[player].choice
        rows, ahead = [], [(0, list[tuple[int, int]]())]
        while ahead:
            node, way = ahead.pop()
            state, cell = state_after(self.game, self.board, player, way), int(choice[node])
            rows.append((state, [Fraction(int(action == cell)) for action in state.actions]))
            free = int(unknown(self.found.sets, side, side.group[node])) & ~int(side.tried[node])
            for failed, following in enumerate(next_nodes(self.found.sets, side, node, free, cell)):
                if following != NOWHERE:
                    ahead.append((int(following), [*way, (cell, failed)]))
        return rows


def parts_of(game: Game) -> PhantomName:
    parts = solvable_parts(game.name)
    if parts is None:
        raise ValueError(f"{game.name} has no merged histories: its board has more than nine cells, or suicide")
    return parts


def exploit(game: Game, agents: tuple[Agent, Agent], missing: str, watch: Watch) -> ExploitResult:
    """Measure two agents at a classical phantom game on at most nine cells."""
    name, variant = parts_of(game)
    if variant != "classical":
        raise ValueError(
            f"policies of {game.name} cannot be measured: there every try is announced, so that orders of tries do not "
            "merge, and some ten thousand million histories would have to be walked"
        )
    began, board = time.process_time(), BOARDS[name]
    asks, inquiries = [], []
    for player, agent in enumerate(agents):
        (_, policy), *more = behaviour_mixture(game, agent)
        if more:
            raise ValueError(f"{agent.name} is a mixture: at {game.name} only single policies can be measured")
        inquiries.append(PolicyProbe(policy, player, missing))
        asks.append(ask_of(game, policy, inquiries[-1]))
    found = evaluate_policies(board, (asks[0], asks[1]), lambda states: watch(states, most_states(board.cells)))
    for inquiry in inquiries:
        inquiry.end()
    measured = MergedPolicies(game, board, found)
    first, second = (1 + found.best(player) for player in (0, 1))
    rounding = 0.0 if found.exact else TERMS * float(np.finfo(float).eps)
    return ExploitResult(
        game=game.name,
        value=(1 + found.value) / 2,
        best_replies=(first / 2, second / 2),
        total=Fraction(1),
        states=(found.weights[0].states, found.weights[1].states),
        decisions=measured.decisions,
        reply_rows=measured.reply,
        rounding=rounding,
        seconds=time.process_time() - began,
    )


def most_states(cells: int) -> int:
    """Return an upper bound on the information states of both players, as if nobody could win."""

    @cache
    def count(player: int, stones: int, failures: int) -> int:
        theirs = stones + player
        if stones + theirs >= cells:
            return 0
        after = count(player, stones + 1, failures) + (failures < theirs and count(player, stones, failures + 1))
        return 1 + (cells - stones - failures) * after

    return count(0, 0, 0) + count(1, 0, 0)


# Playing a phantom certificate: the view is mapped to the image that has a row, and the choice is mapped back.


def situation_seen(seen: np.ndarray) -> Situation:
    """Return a player's knowledge at its turn, in the form of a certificate's rows."""
    turn = int(seen[rules.SEEN_TURN]) // 2
    record = seen[rules.SEEN_RECORD : rules.SEEN_RECORD + 2 * (turn + 1)].reshape(-1, 2).tolist()
    past = [(failed, stone) for stone, failed in record[:turn]]
    return (*past, (record[turn][1], NOWHERE))


def shares_of(document: PhantomCertificate) -> Callable[[int, np.ndarray], dict[int, Fraction] | None]:
    """Return a certificate's probabilities by player and view, None where it has no row."""
    board = board_of(document["game"])
    strategies = [strategy_of(board, player, document["strategies"][who]) for player, who in enumerate(PLAYERS)]

    def shares(player: int, seen: np.ndarray) -> dict[int, Fraction] | None:
        situation = situation_seen(seen)
        smallest, moved = min((image(situation, moved), moved) for moved in board.symmetries)
        found = strategies[player].get(smallest)
        return found and {moved.index(cell): share for cell, share in found.items()}

    return shares


class CertificatePlayer(NamedTuple):
    """Player that follows the strategies of a certificate, in either seat."""

    shares: Callable[[int, np.ndarray], dict[int, Fraction] | None]
    stream: np.ndarray

    def begin(self, side: int) -> None:
        """Do nothing: the view holds the whole history."""

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        shares = self.shares(int(seen[rules.SEEN_PLAYER]), seen)
        if shares is None:
            return int(actions[0])
        return list(shares)[draw_index(list(map(float, shares.values())), self.stream)]


def probabilities_of(document: PhantomCertificate) -> Probabilities:
    shares = shares_of(document)
    return lambda state: shares(state.player, state.view) or {state.actions[0]: 1}


def follower(name: str, document: PhantomCertificate) -> PlayerAgent:
    shares = shares_of(document)
    return PlayerAgent(name, lambda stream: CertificatePlayer(shares, stream))


# The decisions of a phantom game as questions, each once: without the order of tries, up to symmetry.
#
# A cell that wins, unless it is occupied, is tried before anything else (Lemma 3 of Teytaud and Teytaud 2011), so there
# is no question as long as there is one, nor where a single cell can be tried. Answers apply to all images of a
# question and to all orders of its tries.


def questions(game: Game) -> list[InformationState]:
    """One information state for each decision of a classical game."""
    form, moves = find_form(game.name), board_of(game.name).symmetries
    found = []
    for player, (side, histories) in enumerate(zip(form.sides, form.histories, strict=True)):
        for place in side.places.tolist():
            situation = situation_of(histories, int(place))
            found.append(_state_of(game, player, min(image(situation, moved) for moved in moves)))
    return found


def situation_of(histories: Histories, infoset: int) -> Situation:
    turns = [(int(histories.infosets[infoset, INFOSET.tried]), NOWHERE)]
    while (sequence := int(histories.turns[histories.infosets[infoset, INFOSET.turn], TURN.before])) > 0:
        infoset = int(histories.sequences[sequence, SEQUENCE.infoset])
        turns.insert(
            0, (int(histories.infosets[infoset, INFOSET.tried]), int(histories.sequences[sequence, SEQUENCE.cell]))
        )
    return tuple(turns)


def _state_of(game: Game, player: int, situation: Situation) -> InformationState:
    tries = []
    for failed, stone in situation:
        tries += [(cell, 1) for cell in range(failed.bit_length()) if failed >> cell & 1]
        tries += [(stone, 0)] if stone != NOWHERE else []
    return state_after(game, BOARDS[parts_of(game).board], player, tries)


def answered(game: Game, table: PolicyTable) -> Probabilities:
    """Return the policy of answers to questions: they hold for all orders and images.

    Positions reachable only after the opponent misses a win have no question: the policy is uniform there.
    """
    states = questions(game)
    asked_for = {state.id for state in states}
    known_names = asked_for | {state.line for state in states}
    for (_, name), rows in table.rows.items():
        if name not in known_names:
            raise ValueError(f"{table.file}, {rows[0][0]}: there is no question {name!r} about {game.name}")
    moves, wins = board_of(game.name).symmetries, geometry(parts_of(game).board).wins
    known: dict[tuple[int, Situation], dict[int, ExactOrFloat]] = {}

    def shares_at(state: InformationState, situation: Situation) -> dict[int, ExactOrFloat]:
        own = sum(1 << stone for _, stone in situation if stone != NOWHERE)
        winning = [cell for cell in state.actions if wins[state.player, own] >> cell & 1]
        forced = winning if winning or len(state.actions) > 1 else state.actions
        if forced:
            return dict.fromkeys(forced, Fraction(1, len(forced)))
        smallest = min(image(situation, moved) for moved in moves)
        asked = _state_of(game, state.player, smallest)
        if asked.id not in asked_for:
            return dict.fromkeys(state.actions, Fraction(1, len(state.actions)))
        checked = check_probabilities(asked, table.probabilities(asked), str(table.file))
        shares = dict(zip(asked.actions, checked, strict=True))
        images = [moved for moved in moves if image(situation, moved) == smallest]
        # Several images where the situation is symmetric itself: the answer holds for all of them alike
        return {
            cell: sum((shares[moved[cell]] for moved in images), Fraction(0)) / len(images) for cell in state.actions
        }

    def probabilities(state: InformationState) -> ActionProbabilities:
        situation = situation_seen(state.view)
        if (state.player, situation) not in known:
            known[state.player, situation] = shares_at(state, situation)
        return known[state.player, situation]

    return probabilities
