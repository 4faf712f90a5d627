"""Policies of phantom games, queried and measured by merged histories, in the terms of `policies.exploitability`."""

import time
from collections.abc import Sequence
from fractions import Fraction
from math import lcm

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
from ....core.game import Game
from ....games.boards.board import BOARDS, Board
from ....games.phantom import rules
from ....games.phantom.rules import SEEN_PLAYER, SEEN_RECORD, SEEN_TURN
from ...policies import PolicyTable
from ...policies.exploitability import CostlyDecision, ExploitResult, PolicyProbe, Rows, Watch, behaviour_mixture
from ...proofs.checkers.phantom import (
    NOWHERE,
    PLAYERS,
    PhantomCertificate,
    Situation,
    Strategy,
    board_of,
    image,
    strategy_of,
)
from ...proofs.checkers.primitives import Board as CheckerBoard
from . import SOLVABLE, find_form
from .evaluation import MAX_UNIT, Ask, Evaluation, Questions, Shares, evaluate_policies, next_nodes, uniform
from .merged_histories import unknown
from .private_histories import INFOSET, SEQUENCE, TURN, Histories, geometry

TERMS = 1 << 24  # more than any sum here has


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
        unit = 0
        if all(isinstance(share, Fraction) for share in listed):
            unit = lcm(*(share.denominator for share in listed if isinstance(share, Fraction)))
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


def exploit(game: Game, agents: tuple[Agent, Agent], missing: str, watch: Watch) -> ExploitResult:
    """Measure two agents at a classical phantom game on at most nine cells."""
    name, variant = SOLVABLE[game.name]
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
    found = evaluate_policies(board, (asks[0], asks[1]), lambda states: watch(states, SIZES[game.name]))
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


# Information states of both players: the maximum that a policy can reach.
SIZES = {"phantom-ttt": 3_683_314 + 2_307_355, "dark-hex-3x3": 3_720_850 + 2_352_067}


# Playing a phantom certificate: the view is mapped to the image that has a row, and the choice is mapped back.


def situation_seen(seen: np.ndarray) -> Situation:
    """Return a player's knowledge at its turn, in the form of a certificate's rows."""
    turn = int(seen[SEEN_TURN]) // 2
    record = seen[SEEN_RECORD : SEEN_RECORD + 2 * (turn + 1)].reshape(-1, 2).tolist()
    past = [(failed, stone) for stone, failed in record[:turn]]
    return (*past, (record[turn][1], NOWHERE))


class CertificatePlayer:
    """Player that follows the strategies of a certificate, in either seat."""

    def __init__(self, board: CheckerBoard, strategies: tuple[Strategy, Strategy], stream: np.ndarray) -> None:
        self.board, self.strategies, self.stream = board, strategies, stream

    def begin(self, side: int) -> None:
        """Do nothing: the view holds the whole history."""

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        situation, strategy = situation_seen(seen), self.strategies[int(seen[SEEN_PLAYER])]
        smallest, moved = min((image(situation, moved), moved) for moved in self.board.symmetries)
        shares = strategy.get(smallest)
        if shares is None:
            return int(actions[0])
        cells = list(shares)
        chosen = cells[draw_index([float(shares[cell]) for cell in cells], self.stream)]
        return int(moved.index(chosen))


def probabilities_of(document: PhantomCertificate) -> Probabilities:
    board = board_of(document["game"])
    strategies = [strategy_of(board, p, document["strategies"][PLAYERS[p]]) for p in (0, 1)]

    def probabilities(state: InformationState) -> ActionProbabilities:
        situation = situation_seen(state.view)
        smallest, moved = min((image(situation, moved), moved) for moved in board.symmetries)
        shares = strategies[state.player].get(smallest)
        if shares is None:
            return {state.actions[0]: 1}
        return {moved.index(cell): share for cell, share in shares.items()}

    return probabilities


def follower(name: str, document: PhantomCertificate) -> PlayerAgent:
    board = board_of(document["game"])
    black, white = (strategy_of(board, p, document["strategies"][PLAYERS[p]]) for p in (0, 1))
    return PlayerAgent(name, lambda stream: CertificatePlayer(board, (black, white), stream))


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
            situation = _situation(histories, int(place))
            found.append(_state_of(game, player, min(image(situation, moved) for moved in moves)))
    return found


def _situation(histories: Histories, infoset: int) -> Situation:
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
    return state_after(game, BOARDS[SOLVABLE[game.name][0]], player, tries)


def answered(game: Game, table: PolicyTable) -> Probabilities:
    """Return the policy of answers to questions: they hold for all orders and images.

    Positions reachable only after the opponent misses a win have no question: the policy is uniform there.
    """
    asked_for = _ids_of_questions(game, table)
    moves, wins = board_of(game.name).symmetries, geometry(SOLVABLE[game.name][0]).wins
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
        shares = dict(
            zip(asked.actions, check_probabilities(asked, table.probabilities(asked), str(table.file)), strict=True)
        )
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


def _ids_of_questions(game: Game, table: PolicyTable) -> set[str]:
    """Return the ids of all questions; reject answers to other questions."""
    states = questions(game)
    known = {name for state in states for name in (state.id, state.line)}
    for (_, name), rows in table.rows.items():
        if name not in known:
            raise ValueError(f"{table.file}, {rows[0][0]}: there is no question {name!r} about {game.name}")
    return {state.id for state in states}
