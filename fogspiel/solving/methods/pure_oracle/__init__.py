"""A phantom game solved by a double oracle over pure strategies (McMahan, Gordon and Blum 2003), ending in fractions.

A plan stands for all its images under the symmetries of the board. Each round solves the game restricted to the plans
found so far, and adds a best response of each player. The responses are to an average of the mixtures of this round
and earlier ones, which oscillates less than the mixtures (smoothing, Wentges 1997). Plans unused for long are dropped.
When the bounds are close, responses are to the mixtures themselves. When these are no better than the restricted game,
its basis is solved in fractions, and the checker of the certificate decides whether it is a proof.
"""

import io
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import lcm
from typing import Any

import numpy as np

from ....core.agents import PlayerAgent
from ....core.rng import random_below, random_unit
from ....games.boards.board import BOARDS, Board
from ....games.phantom.look import PhantomName
from ....games.phantom.rules import COUNTED, SEEN_PLAYER, SEEN_RECORD, TURNS
from ....stats.linear_programs import BASIC, matrix_program, run, set_basis, solver_of, statuses
from ...exact import Statuses, vertex
from ...proofs import solution_certificate
from ...proofs.checkers.primitives import rules_version
from ...proofs.checkers.pure_strategies import (
    FORMAT,
    PLAYERS,
    RULES,
    PhantomRules,
    PlanNode,
    PlansCertificate,
    plan_of,
    rules_of,
    verify,
)
from ...sources import GameSource
from ...tree.sequence_form import Sparse
from .. import Size, Solution, SolveOptions, SolverProgress, SolverState, Work
from ..double_oracle import oracle_rounds
from ..lp import LinearProgram
from ..normal_form import lemke_howson
from ..phantom.private_histories import simple_board
from .best_response import best_reply, complete, room_for
from .tables import EMPTY, NONE, Mixture, PhantomTables, build_tables, fill_points, least_image, mixture_of

# The matrix game of the plans found so far: its equilibrium in floats, warm-started, and then in fractions. White's
# rows come after the sum of Black's weights; their duals are White's mixture.

MATRIX_TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class MixedEquilibrium:
    """The value in half points times symmetries, a mixture for each player, and the basis they come from."""

    value: float
    mixtures: tuple[np.ndarray, np.ndarray]
    basis: Statuses


def program_of(points: np.ndarray) -> LinearProgram:
    """Return the LP of a matrix of points, one row for each plan of Black's."""
    (cost, lower, upper), rows = matrix_program(points, 0)
    matrix = Sparse(rows.start, rows.column, rows.value.astype(float))
    return LinearProgram(cost, matrix, rows.value, rows.lower, rows.upper, lower, upper, Fraction(-1))


def solve(program: LinearProgram, last: Statuses | None = None) -> MixedEquilibrium:
    """Return the equilibrium, warm-started from the last basis; new plans start with weight 0."""
    model = program.model
    solver = solver_of(
        model,
        presolve="off",
        primal_feasibility_tolerance=MATRIX_TOLERANCE,
        dual_feasibility_tolerance=MATRIX_TOLERANCE,
    )
    if last is not None:
        columns, rows = np.zeros(program.width, np.uint8), np.full(program.height, BASIC, np.uint8)
        known = len(last[0]) - 1
        columns[:known], columns[-1] = last[0][:known], last[0][known]
        rows[: len(last[1])] = last[1]
        set_basis(solver, columns.tobytes(), rows.tobytes())
    run(solver)
    found = solver.getSolution()
    x, y = np.array(found.col_value)[:-1], np.array(found.row_dual)[1:]
    value = -float(solver.getInfo().objective_function_value)
    return MixedEquilibrium(value, (normalise(x), normalise(y)), statuses(solver))


def normalise(weights: np.ndarray) -> np.ndarray:
    positive = np.maximum(weights, 0.0)
    return np.asarray(positive / positive.sum())


# Cells of the boards, by variant: classical games on smaller ones have private histories, others a small tree.
CELLS = {"classical": range(10, 13), "abrupt": range(7, 10), "numturns": range(7, 10)}


def parts_of(game: str) -> PhantomName:
    parts = PhantomName.parse(game)
    if parts is None or BOARDS[parts.board].suicide:
        raise ValueError(f"{game} has no plans: they are for phantom tic-tac-toe and dark hex")
    return parts


def fits(game: str) -> bool:
    """True if the double oracle is the method for a game of this name."""
    parts = PhantomName.parse(game)
    if parts is None or parts.is_large or BOARDS[parts.board].cells not in CELLS[parts.variant]:
        return False
    return simple_board(parts.board, CELLS[parts.variant][-1])


SHARE = 0.7  # the weight of the earlier mixtures in an average
CLOSE = 1e-5  # when the bounds are this close, responses are to the mixtures themselves
LIGHT = 1e-5  # plans with less weight are left out of an average
PATIENCE = 60  # plans outside all mixtures for this many rounds are dropped
MATCHING = 1e-9  # a response better than the restricted game by no more than this matches it
TOLERANCE = 1e-12  # responses may be worse than the best by this much for each try


class DoubleOracle:
    """The plans found so far, which grow round by round; the state can be saved, restored and continued."""

    def __init__(self, setting: PhantomTables) -> None:
        self.setting = setting
        self.rounds = 0
        self.lower, self.upper = 0.0, 1.0
        self.plans: tuple[list[np.ndarray], list[np.ndarray]] = ([], [])
        self.average = [np.ones(1), np.ones(1)]
        self.used = [np.zeros(1, np.int64), np.zeros(1, np.int64)]  # the last round in which the average had each plan
        self.basis: Statuses | None = None
        self.points = np.zeros((0, 0), np.int64)
        self._known: tuple[set[bytes], set[bytes]] = (set(), set())
        self._rooms = room_for(setting, 0), room_for(setting, 1)
        for player, courses in enumerate(setting.courses):
            plan = np.full(len(courses.follow), NONE, np.int8)
            complete(setting, player, EMPTY, plan)
            self._add(player, plan)
        self._fill_points()
        self.unit = 2 * len(setting.images)  # the points of a win against a plan and all its images

    def advance(self) -> MixedEquilibrium | None:
        """Run one round: add responses; return the equilibrium if they match it, a candidate for the whole game."""
        found = solve(program_of(self.points), self.basis)
        value, matching = found.value / self.unit, False
        self.basis = found.basis
        self.rounds += 1
        if self.upper - self.lower <= CLOSE:
            scores = self._reply(found.mixtures)
            matching = max(scores[0] - value, scores[1] - (1 - value)) <= MATCHING
        else:
            self._take_in(found)
            self._forget(*found.basis)
            self._reply(self.average)
        self._fill_points()
        return found if matching else None

    def _take_in(self, found: MixedEquilibrium) -> None:
        for player, weights in enumerate(found.mixtures):
            average, used = (1 - SHARE) * weights, np.full(len(weights), self.rounds)
            average[: len(self.average[player])] += SHARE * self.average[player]
            used[: len(self.used[player])] = self.used[player]
            average[average < LIGHT] = 0.0
            used[average > 0.0] = self.rounds
            self.average[player], self.used[player] = average / average.sum(), used

    def _forget(self, columns: np.ndarray, rows: np.ndarray) -> None:
        """Drop the plans that were unused for long and are not in the basis, whose statuses these are."""
        inside = columns[:-1] == BASIC, rows[1:] != BASIC
        for player in (0, 1):
            kept = np.flatnonzero((self.used[player] > self.rounds - PATIENCE) | inside[player])
            self.plans[player][:] = [self.plans[player][number] for number in kept]
            self.average[player], self.used[player] = self.average[player][kept], self.used[player][kept]
            self.points = self.points.take(kept, axis=player)
            self._known[player].clear()
            self._known[player].update(plan.tobytes() for plan in self.plans[player])
            if player == 0:
                columns = columns[np.append(kept, len(columns) - 1)]
            else:
                rows = rows[np.append(0, 1 + kept)]
        self.basis = columns, rows

    def _reply(self, mixtures: Sequence[np.ndarray]) -> list[float]:
        """Add the best response of each player to the opponent's mixture; return their scores."""
        trees: list[Mixture] = []
        for player, weights in enumerate(mixtures):
            used = np.flatnonzero(weights)
            plans = np.array([self.plans[player][number] for number in used])
            trees.append(mixture_of(self.setting, player, plans, weights[used]))
        scores = []
        for player in (0, 1):
            room = self._rooms[player]
            plan, points = best_reply(self.setting, player, trees[1 - player], trees[player], room, TOLERANCE)
            scores.append(points / 2)
            self._add(player, plan)
        self.upper, self.lower = min(self.upper, scores[0]), max(self.lower, 1 - scores[1])
        return scores

    def _add(self, player: int, plan: np.ndarray) -> None:
        least = least_image(self.setting, plan)
        if least.tobytes() not in self._known[player]:
            self._known[player].add(least.tobytes())
            self.plans[player].append(least)

    def _fill_points(self) -> None:
        rows, columns = self.points.shape
        points = np.zeros((len(self.plans[0]), len(self.plans[1])), np.int64)
        points[:rows, :columns] = self.points
        fill_points(self.setting, np.array(self.plans[0]), np.array(self.plans[1]), rows, columns, points)
        self.points = points

    @property
    def state(self) -> bytes:
        pairs = {"plans": self.plans, "average": self.average, "used": self.used, "basis": self.basis or ()}
        parts = {f"{name}{player}": np.array(part) for name, pair in pairs.items() for player, part in enumerate(pair)}
        file = io.BytesIO()
        np.savez_compressed(file, progress=np.array([self.rounds, self.lower, self.upper]), **parts)  # type: ignore[arg-type]
        return file.getvalue()

    def restore(self, state: bytes) -> None:
        try:
            with np.load(io.BytesIO(state), allow_pickle=False) as parts:
                rounds, self.lower, self.upper = parts["progress"].tolist()
                found = [parts["plans0"], parts["plans1"]]
                self.average = [parts["average0"], parts["average1"]]
                self.used = [parts["used0"], parts["used1"]]
                self.basis = (parts["basis0"], parts["basis1"]) if "basis0" in parts else None
        except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise ValueError("these bytes are no saved state; give the `state` of such a run") from error
        self.rounds = int(rounds)
        for player, plans in enumerate(found):
            if plans.dtype != np.int8 or plans.shape[1:] != self.plans[player][0].shape:
                raise ValueError("the saved state is of another game; it must be of this one")
            self.plans[player][:] = list(plans)
            self._known[player].clear()
            self._known[player].update(plan.tobytes() for plan in plans)
        self.points = np.zeros((0, 0), np.int64)
        self._fill_points()


def solve_plans(source: GameSource, options: SolveOptions, saved: SolverState) -> Work:
    return solve_in_steps(source.name, saved.state)


def solve_in_steps(game: str, state: bytes | None = None) -> Work:
    """Solve a game round by round; `state` is that of an earlier step."""
    oracle = DoubleOracle(build_tables(*parts_of(game)))
    if state is not None:
        oracle.restore(state)

    def respond() -> tuple[float, float, MixedEquilibrium | None]:
        matching = oracle.advance()  # which adds the responses too, for they are part of its state
        return oracle.lower, oracle.upper, matching

    for number, lower, upper, found in oracle_rounds(respond, lambda _: True, oracle.rounds):
        sizes = [len(plans) for plans in oracle.plans]
        remark = f"round {number}, {sizes[0]} and {sizes[1]} plans"
        yield SolverProgress(remark, lower, upper, state=oracle.state)
        if found is None:
            continue
        yield SolverProgress(f"{remark}, exact weights", lower, upper)
        proof = certify(game, oracle, weights_of(oracle, found))
        closed = sizes == [len(weights) for weights in found.mixtures]
        if proof is None and closed:  # the basis, optimal in floats, is not so in fractions
            exact = lemke_howson(oracle.points.tolist(), (-oracle.points).tolist())
            proof = certify(game, oracle, (exact.rows, exact.columns))
        if proof is not None:
            support = [len(proof["black"]), len(proof["white"])]
            reported: dict[str, Size] = {"rounds": number, "plans": sizes, "support": support}
            return Solution.proved("double oracle on pure strategies, then exactly", reported, proof)
        if closed:
            break
    raise RuntimeError("nothing is left to add, but the mixtures in fractions prove no value")


Weights = tuple[Sequence[Fraction], Sequence[Fraction]]


def weights_of(oracle: DoubleOracle, found: MixedEquilibrium) -> Weights | None:
    """Return the mixtures at the basis of an equilibrium, in fractions."""
    program = program_of(oracle.points[: len(found.mixtures[0]), : len(found.mixtures[1])])
    return vertex(program, found.basis, np.arange(program.width - 1), np.arange(1, program.height))


def certify(game: str, oracle: DoubleOracle, weights: Weights | None) -> PlansCertificate | None:
    """Return the certificate of two mixtures of the plans found first, if its checker accepts it."""
    if weights is None or any(min(shares) < 0 or sum(shares) != 1 for shares in weights):
        return None
    points = oracle.points[: len(weights[0]), : len(weights[1])]
    least = min(sum(w * p for w, p in zip(weights[0], column, strict=True) if w) for column in points.T.tolist())
    proof = make_certificate(game, oracle.plans, weights, Fraction(least) / oracle.unit)
    try:
        verify(proof)
    except ValueError:
        return None
    return proof


def make_certificate(
    game: str,
    plans: tuple[list[np.ndarray], list[np.ndarray]],
    weights: Weights,
    value: Fraction,
) -> PlansCertificate:
    """Return the value and both mixtures as JSON; `checkers.pure_strategies` defines the entries."""
    mixtures = []
    for known, shares in zip(plans, weights, strict=False):
        unit = lcm(*(share.denominator for share in shares))
        entries = {text_of(plan): str(int(share * unit)) for plan, share in zip(known, shares, strict=False) if share}
        mixtures.append(dict(sorted(entries.items())))
    black, white = mixtures
    found: PlansCertificate = solution_certificate(
        FORMAT, game, rules_version(game, RULES), value, value, value, black=black, white=white
    )
    return found


def text_of(plan: np.ndarray) -> str:
    """Return a plan as certificate text: a letter for each course that can be reached."""
    return "".join(chr(ord("a") + cell) for cell in plan.tolist() if cell != NONE)


# The optimal mixtures of a plans certificate as text: their use, and the first tries of their heaviest plans.


SHOWN, DEPTH = 5, 3  # number of plans of a side, and of their tries, that are shown by default


def explain(document: Any, everything: bool = False) -> list[str]:
    """Describe both strategies: their value, their use, and the first tries of the plans, by descending weight."""
    value, _ = verify(document)
    rules, board = rules_of(document["game"]), BOARDS[parts_of(document["game"]).board]
    return [
        f"{document['game']} ({rules.variant}): Black gets {value} = {float(value):.6f} on average or more, White "
        f"{float(1 - value):.6f}, whatever the other side does (a win counts 1, a draw 1/2).",
        "Before each game draw one of the plans of your side by lot, with the chances before them, then turn or mirror "
        f"it at random, all {len(rules.board.symmetries)} ways alike.",
        "In a plan, [..] is what to try after a failure, and what comes after a comma follows if the stone stays.",
        *(line for player in (0, 1) for line in side_lines(rules, board, player, document, everything)),
    ]


def side_lines(rules: PhantomRules, board: Board, player: int, document: Any, everything: bool) -> list[str]:
    entries = sorted(((int(weight), text) for text, weight in document[PLAYERS[player]].items()), reverse=True)
    total = sum(weight for weight, _ in entries)
    shown = entries if everything else entries[:SHOWN]
    part = "" if everything else f"; the heaviest {len(shown)}, their first {DEPTH} tries"
    lines = ["", f"{PLAYERS[player].capitalize()}, {len(entries)} plans{part}:"]
    for weight, text in shown:
        plan = plan_of(rules, player, text)
        words = plan_words(board, plan, rules.board.cells if everything else DEPTH)
        lines.append(f"{float(Fraction(weight, total)):>7.2%}  {words}")
    return lines


def plan_words(board: Board, plan: PlanNode, depth: int) -> str:
    """Format a plan to this depth: the cell, in brackets what follows a failure, and what follows the stone."""
    words = board.cell_name(plan.cell)
    if depth == 1:
        return words
    if plan.after[0] is not None:
        words += f" [{plan_words(board, plan.after[0], depth - 1)}]"
    stays = [plan_words(board, rest, depth - 1) for rest in plan.after[1:] if rest is not None]
    if len(stays) > 1:
        numbered = (f"{tries}: {rest}" for tries, rest in enumerate(stays, 1))
        return f"{words}, by the other's tries ({'; '.join(numbered)})"
    return f"{words}, {stays[0]}" if stays else words


# Playing a plans certificate: a plan is drawn before the game, turned at random, and followed.

Plans = tuple[list[PlanNode], list[float]]  # the plans of one side, with their cumulative probabilities


class Follower:
    """Player that follows the strategies of a certificate, in either seat."""

    def __init__(self, rules: PhantomRules, sides: tuple[Plans, Plans], stream: np.ndarray) -> None:
        self.rules, self.sides, self.stream = rules, sides, stream

    def begin(self, side: int) -> None:
        plans, cumulated = self.sides[side]
        place = int(np.searchsorted(cumulated, random_unit(self.stream) * cumulated[-1], "right"))
        self.plan = plans[min(place, len(plans) - 1)]
        self.moved = self.rules.board.symmetries[int(random_below(self.stream, len(self.rules.board.symmetries)))]

    def choose(self, seen: np.ndarray, actions: Sequence[int]) -> int:
        turns, player = int(seen[TURNS]), int(seen[SEEN_PLAYER])
        record = seen[SEEN_RECORD : SEEN_RECORD + 2 * turns].reshape(-1, 2).tolist()
        counts = seen[SEEN_RECORD + 2 * turns :].tolist()
        plan: PlanNode | None = self.plan
        turn = 0
        while True:
            assert plan is not None
            cell = self.moved[plan.cell]
            stone, failed = record[turn]
            if stone == cell:
                plan = plan.after[counts[turn + player] if seen[COUNTED] else 1]
                turn += 1
            elif failed >> cell & 1:
                plan = plan.after[0]
                turn += self.rules.variant == "abrupt"
            else:
                return cell


def follower(name: str, document: PlansCertificate) -> PlayerAgent:
    rules = rules_of(document["game"])
    black, white = (plans_of(rules, player, document) for player in (0, 1))
    return PlayerAgent(name, lambda stream: Follower(rules, (black, white), stream))


def plans_of(rules: PhantomRules, player: int, document: PlansCertificate) -> Plans:
    entries = document["white"] if player else document["black"]
    total = sum(map(int, entries.values()))
    shares = accumulate(int(weight) / total for weight in entries.values())
    return [plan_of(rules, player, text) for text in entries], list(shares)
