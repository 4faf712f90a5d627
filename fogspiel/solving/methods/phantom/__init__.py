"""Resumable solver of phantom games: strategies in integers and proved bounds.

PCFR+ runs until its bounds are close; then each player's support is solved exactly. Where that does not settle the
value, the last strategies are rounded to integer weights, and the bounds are their exact guarantees.

The solution in JSON, from which its checker proves the bounds:

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

from collections.abc import Generator
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from ....core.compile.kernel import kernel
from ....core.game import known_game
from ...exact import vertex
from ...proofs import solution_certificate
from ...proofs.checkers.phantom import (
    FORMAT,
    OPENING,
    PLAYERS,
    PhantomCertificate,
    Situation,
    board_of,
    cell_of,
    image,
    known_cells,
    own_stones,
    situation_of,
    verify,
)
from ...proofs.checkers.primitives import Board, cells_of
from ...sources import GameSource
from ...tree.sequence_form import fold_best, links, multiply_transposed, plan_of
from .. import Solution, SolveOptions, SolverProgress, SolverState, Work, run_to_end
from ..cfr import RegretMinimiser, ValueBounds
from ..lp import LinearProgram, Simplex, basis_statuses, planning_program
from .bilinear_form import BilinearForm, DecisionDag, find_form, openings
from .private_histories import INFOSET, SEQUENCE, TURN, geometry

# From the last iterate of a phantom game to strategies in fractions whose guarantees are proved in integers.
#
# A player's last plan has a small support. The best plan with that support is a small linear program against all the
# opponent's answers; its vertex has small denominators and is found exactly by `exact.vertex`. Nothing of this is
# trusted: conservation of flow and the best response in the whole form are checked in integers.

NOISE = 1e-9  # weights up to this do not count as support
MAX = 2**62  # sums in integers stay below this, so that they fit into 64 bits
DOWN = 1.0 - 1e-15  # rounds a product of floats down, so that the probabilities of an infoset never exceed 1
LARGEST = 600_000  # larger programs, by rows and columns, are not tried
FINE = 2**48  # the denominator of a plan whose weights are rounded


@dataclass(frozen=True, eq=False)
class RealisationPlan:
    weights: np.ndarray
    denominator: int


def restrict_to_support(form: BilinearForm, player: int, support: np.ndarray) -> LinearProgram:
    """Return the LP of a player restricted to a support, against all answers; columns: plan, then values.

    It is a minimisation for both: White's loss, or minus Black's gain, in units of 1 / unit.
    """
    matrix, sign = (form.columns, 1) if player else (form.rows, -1)
    entries = np.concatenate([np.arange(matrix.start[s], matrix.start[s + 1]) for s in support])
    places = np.repeat(np.arange(len(support)), np.diff(matrix.start)[support])
    gains = sign * matrix.value[entries].astype(np.int64)
    mine, theirs = form.sides[player], form.sides[1 - player]
    return planning_program(mine, theirs, support, matrix.column[entries], places, gains, Fraction(sign, form.unit))


def best_plan(form: BilinearForm, player: int, plan: np.ndarray) -> RealisationPlan | None:
    """Return the best plan with the support of another one, in integers, or None if too hard or too large."""
    support = np.flatnonzero(plan > NOISE)
    theirs = form.sides[1 - player]
    if len(support) + theirs.sequences + theirs.infosets > LARGEST:
        return None
    program = restrict_to_support(form, player, support)
    simplex = Simplex(program)
    simplex.optimum()
    statuses = basis_statuses(program, simplex.basis)
    corner = vertex(program, statuses, np.arange(len(support)), np.zeros(0, np.int64))
    if corner is None or min(corner[0]) < 0:  # feasible only up to the solver's tolerance
        return None
    denominator = lcm(*(weight.denominator for weight in corner[0]))
    if denominator * form.unit >= MAX:
        return None
    weights = np.zeros(form.sides[player].sequences, np.int64)
    weights[support] = [int(weight * denominator) for weight in corner[0]]
    return RealisationPlan(weights, denominator)


def whole_plan(side: DecisionDag, behaviour: np.ndarray) -> RealisationPlan:
    weights = np.zeros(side.sequences, np.int64)
    divide(side.first, side.count, side.start, side.follow, behaviour, np.zeros(side.infosets, np.int64), FINE, weights)
    return RealisationPlan(weights, FINE)


@kernel
def divide(first, count, start, follow, behaviour, reach, whole, weights):
    """Divide the flow into each infoset in integers; the likeliest action takes the rest."""
    weights[0] = whole
    for k in range(start[0], start[1]):
        reach[follow[k]] = whole
    for i in range(len(first)):
        likeliest, rest = first[i], reach[i]
        for s in range(first[i], first[i] + count[i]):
            weights[s] = np.int64(reach[i] * behaviour[s] * DOWN)
            rest -= weights[s]
            if behaviour[s] > behaviour[likeliest]:
                likeliest = s
        weights[likeliest] += rest
        for s in range(first[i], first[i] + count[i]):
            for k in range(start[s], start[s + 1]):
                reach[follow[k]] += weights[s]


def check_flow(side: DecisionDag, plan: RealisationPlan) -> None:
    """Raise a ValueError unless the weights are a plan, exactly."""
    weights, denominator = plan.weights, plan.denominator
    if weights[0] != denominator or weights.min() < 0:
        raise ValueError("a plan has no negative weights, and the first is the denominator")
    leaving, entered = links(side)
    flow = np.zeros(side.infosets, np.int64)
    np.add.at(flow, entered, weights[leaving])
    owner = side.infoset_of
    np.subtract.at(flow, owner[1:], weights[1:])
    if flow.any():
        raise ValueError(f"{np.count_nonzero(flow)} infosets of a plan are not left as often as they are entered")


def guarantee(form: BilinearForm, player: int, plan: RealisationPlan) -> Fraction:
    """Return Black's least (or greatest) payoff under a plan, by an exact best response."""
    check_flow(form.sides[player], plan)
    # Every sum below is of payoffs times weights of disjoint histories, so that it is at most unit times denominator
    if plan.denominator * form.unit >= MAX:
        raise ValueError(f"the denominator of a plan must be less than {MAX // form.unit}")
    return Fraction(1, 2) + Fraction(best_answer(form, player, plan.weights), form.unit * plan.denominator)


def best_answer(form: BilinearForm, player: int, weights: np.ndarray) -> Any:
    """Return Black's payoff from a draw, in units, if one player keeps to a plan and the other plays a best response.

    It is an integer for a plan in integers.
    """
    matrix, theirs, sign = (form.columns, form.sides[0], 1) if player else (form.rows, form.sides[1], -1)
    worth, value = np.empty(theirs.sequences, weights.dtype), np.empty(theirs.infosets, weights.dtype)
    multiply_transposed(matrix.start, matrix.column, matrix.value, weights, worth)
    worth *= sign
    fold_best(theirs.first, theirs.count, theirs.start, theirs.follow, worth, value)
    return sign * worth.item(0)


# PCFR+ on the two decision DAGs of a phantom game, and the bounds that its strategies prove.
#
# `methods.cfr` does the work, with alternating updates and quadratic averaging. On these games the last iterate
# converges fast, and to strategies with small supports. This part computes the bounds: the best behaviour found so far
# is a fourth row of each player's memory, after regret, average plan and latest behaviour.

BEST = 3  # the row of the behaviour that guarantees most


def guaranteed_value(form: BilinearForm, player: int, plan: np.ndarray) -> float:
    """Return Black's value if one player keeps to a plan and the other plays a best response."""
    return 0.5 + float(best_answer(form, player, plan)) / form.unit


class PhantomRegrets(RegretMinimiser):
    parts = 4

    def __init__(self, form: BilinearForm):
        super().__init__(form.sides, (form.rows, form.columns), "pcfr+")
        self.form = form
        self.lower, self.upper = 0.0, 1.0

    def bounds(self) -> ValueBounds:
        """Return the bounds so far, up to rounding, by latest and average strategies at all evaluations."""
        best = [rows[BEST] for rows in self._rows(self._memory)]
        for player, behaviours in enumerate(zip(self.last, self.average, strict=True)):
            for behaviour in behaviours:
                found = guaranteed_value(self.form, player, plan_of(self.treeplexes[player], behaviour))
                if found < self.upper if player else found > self.lower:
                    best[player][:] = behaviour
                    self.lower, self.upper = (self.lower, found) if player else (found, self.upper)
        return ValueBounds(self.lower, self.upper, best[0].copy(), best[1].copy())

    @property
    def _remembered(self) -> list[float]:
        return [self.lower, self.upper]

    def _recall(self, remembered: list[float]) -> None:
        self.lower, self.upper = remembered


# Bounds this close trigger an attempt at the exact value, and another one whenever they are this many times closer.
CLOSE, CLOSER = 3e-5, 100
CLOSEST = 1e-14  # limit of bounds in floats
BATCH = 50  # iterations between two evaluations of the bounds


@dataclass(frozen=True, eq=False)
class PhantomSolution:
    """A plan for each player in integers, and their guarantees: Black's minimum and maximum."""

    game: str
    form: BilinearForm
    plans: tuple[RealisationPlan, RealisationPlan]
    lower: Fraction
    upper: Fraction
    iterations: int

    @property
    def exact(self) -> bool:
        return self.lower == self.upper


def solve_in_steps(
    game: str, form: BilinearForm | None = None, close: float = 0.0, most: int = 10_000, state: bytes | None = None
) -> Generator[SolverProgress, None, PhantomSolution]:
    """Solve a game (or a form of it, such as an opening's) step by step; `state` is that of an earlier step.

    Stop when the value is exact, the bounds differ by at most `close`, or after `most` iterations.
    """
    form = form or find_form(game)
    regrets = PhantomRegrets(form)
    if state is not None:
        regrets.restore(state)
    worth_trying = CLOSE
    while True:
        bounds = regrets.bounds()
        yield SolverProgress(f"PCFR+, {regrets.iterations} iterations", bounds.lower, bounds.upper, state=regrets.state)
        done = bounds.gap <= max(close, CLOSEST) or regrets.iterations >= most
        if bounds.gap <= worth_trying or done:
            exactly = bounds.gap <= worth_trying
            if exactly:
                yield SolverProgress("exact plans", bounds.lower, bounds.upper)
            answer = prove(game, form, regrets, bounds, exactly)
            if answer.exact or done:
                yield SolverProgress("proved", float(answer.lower), float(answer.upper))
                return answer
            worth_trying = bounds.gap / CLOSER
        regrets.advance(min(BATCH, most - regrets.iterations))


def prove(
    game: str, form: BilinearForm, regrets: PhantomRegrets, bounds: ValueBounds, exactly: bool
) -> PhantomSolution:
    """Prove bounds by integer plans: the best strategies rounded, or the best on the latest supports."""
    found = []
    for player, (best, last) in enumerate(zip((bounds.first, bounds.second), regrets.last, strict=True)):
        side = form.sides[player]
        plans = [best_plan(form, player, plan_of(side, last)) if exactly else None, whole_plan(side, best)]
        guaranteed = [(guarantee(form, player, plan), plan) for plan in plans if plan is not None]
        found.append((min if player else max)(guaranteed, key=itemgetter(0)))
    (lower, black), (upper, white) = found
    return PhantomSolution(game, form, (black, white), lower, upper, regrets.iterations)


def solution(game: str, form: BilinearForm | None = None, close: float = 0.0, most: int = 10_000) -> PhantomSolution:
    return run_to_end(solve_in_steps(game, form, close, most))


def opening_values(game: str) -> dict[str, Fraction]:
    """Return the value of the game for each orbit of first cells, from which Black draws one in secret."""
    form = find_form(game)
    found = {name: solution(f"{game}{OPENING}{name}") for name in map(form.board.cell_name, openings(form))}
    for name, answer in found.items():
        if not answer.exact:
            raise ValueError(f"the opening {name} of {game} is only known to be in [{answer.lower}, {answer.upper}]")
    return {name: answer.lower for name, answer in found.items()}


# The certificate of a solution

Row = list[Any]


def make_certificate(solution: PhantomSolution) -> PhantomCertificate:
    if solution.form.variant != "classical":
        raise ValueError(f"certificates are for classical games, but {solution.game} is {solution.form.variant}")
    rows = [strategy_rows(solution.form, player, plan) for player, plan in enumerate(solution.plans)]
    rules = known_game(solution.game.partition(OPENING)[0]).version
    value = (solution.lower + solution.upper) / 2
    strategies = {"black": rows[0], "white": rows[1]}
    found: PhantomCertificate = solution_certificate(
        FORMAT, solution.game, rules, value, solution.lower, solution.upper, strategies=strategies
    )
    return found


def solve(source: GameSource, options: SolveOptions, saved: SolverState) -> Work:
    """Solve a phantom game; the state is that of its regrets."""
    solver = "PCFR+ on private histories, then exactly on the supports"
    found = yield from solve_in_steps(source.name, close=0.0 if options.exact else options.gap, state=saved.state)
    sizes = {**found.form.sizes, "iterations": found.iterations}
    if found.form.variant == "classical":
        return Solution.proved(solver, sizes, make_certificate(found))
    return Solution.bounded(solver, sizes, float(found.lower), float(found.upper))


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
    histories, words = form.histories[player], list[str]()
    while (sequence := int(histories.turns[turn, TURN.before])) > 0:
        infoset = histories.infosets[histories.sequences[sequence, SEQUENCE.infoset]]
        turn, failed = int(infoset[INFOSET.turn]), int(infoset[INFOSET.tried])
        stone = form.board.cell_name(int(histories.sequences[sequence, SEQUENCE.cell]))
        words.insert(0, f"{set_text(form, failed)}:{stone}" if failed else stone)
    return [" ".join(words), set_text(form, tried), named]


# A strategy as text and small boards, from its certificate.
#
# Tries that win or fail for sure (Lemma 3) are stated once for all turns; the rest of Black's strategy in phantom
# tic-tac-toe is a dozen lines.


MARKS = "XO"
ORDINALS = ("first", "second", "third", "fourth", "fifth")
# Names of the cells of an empty board, by the smallest cell of each kind.
KINDS = {"ttt": {0: "a corner", 1: "an edge", 4: "the centre"}}


class CertificateRow(NamedTuple):
    situation: Situation
    own: int
    known: int
    odds: dict[int, Fraction]


def explain(document: Any, everything: bool = False) -> list[str]:
    """Describe Black's strategy with small boards, and all of White's too if `everything`."""
    lines = strategy_lines(document)
    return [*lines, "", *strategy_lines(document, "white", boards=False)] if everything else lines


def strategy_lines(document: Any, player: str = "black", boards: bool = True) -> list[str]:
    """Describe a player's strategy in a certificate, with boards or with one line for each decision."""
    if player not in PLAYERS:
        raise ValueError(f"there is no player {player!r}: it is {' or '.join(PLAYERS)}")
    lower, upper = verify(document)
    number, board = PLAYERS.index(player), board_of(document["game"])
    secure = lower if number == 0 else 1 - upper
    lines = [
        f"{document['game']} (classical): {player} gets {secure} on average or more, whatever the other side does "
        "(a win counts 1, a draw 1/2).",
        "Turn or mirror the board so that it looks like the one described; if there are several ways, draw lots."
        if len(board.symmetries) > 2
        else "Turn the board upside down if it then looks like the one described; if it does both ways, draw lots.",
        "Always: as long as a cell would win and is not known to be taken, try it first.",
    ]
    advices = []
    for place, (history, failed, shares) in enumerate(document["strategies"][player]):
        situation = situation_of(board, number, history, failed, f"row {place}")
        own = own_stones(situation)
        odds = {cell_of(board, name, f"row {place}"): Fraction(share) for name, share in shares.items()}
        if not all(board.won[number][own | 1 << cell] for cell in odds):  # the rule for all turns does not say it
            advices.append(CertificateRow(situation, own, known_cells(situation) & ~own, odds))
    for item, advice in enumerate(sorted(advices, key=lambda advice: (len(advice.situation), advice.situation)), 1):
        words = f"{item:>3}. {occasion(board, advice)}: {choice(board, advice)}."
        picture = board_text(board, number, advice) if boards else []
        lines += [words, *(f"       {row}" for row in picture)]
    return lines


def named(board: Board, mask: int) -> str:
    names = [board.names[cell] for cell in cells_of(mask)]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def occasion(board: Board, advice: CertificateRow) -> str:
    words = f"your {ORDINALS[len(advice.situation) - 1]} stone"
    turns = [board.names[cell] for _, cell in advice.situation[:-1]]
    if turns:
        words += f", you have {' then '.join(turns)}"
    if advice.known:
        found = [
            f"{named(board, tries)} in turn {number}" for number, (tries, _) in enumerate(advice.situation, 1) if tries
        ]
        words += f", taken: {', '.join(found)}"
    return words


def choice(board: Board, advice: CertificateRow) -> str:
    kinds: dict[int, list[int]] = {}
    alike = [moved for moved in board.symmetries if image(advice.situation, moved) == advice.situation]
    for cell in sorted(advice.odds):
        kinds.setdefault(min(moved[cell] for moved in alike), []).append(cell)
    words = []
    for smallest, cells in sorted(kinds.items(), key=lambda kind: -advice.odds[kind[1][0]] * len(kind[1])):
        word = " or ".join(board.names[cell] for cell in cells) + (" drawn by lot" if len(cells) > 1 else "")
        if len(advice.situation) == 1 and not advice.known and board.name in KINDS:
            word = KINDS[board.name][smallest] + (" drawn by lot" if len(cells) > 1 else "")
        share = advice.odds[cells[0]] * len(cells)
        words.append(word if share == 1 else f"{word} with probability {share}")
    return "try " + ", ".join(words)


def board_text(board: Board, player: int, advice: CertificateRow) -> list[str]:
    """Draw the board of the player's knowledge, * where it may try, the last row on top; hex leans to the right."""
    marks = [
        MARKS[player] if advice.own >> cell & 1
        else MARKS[1 - player] if advice.known >> cell & 1
        else "*" if cell in advice.odds
        else "."
        for cell in range(board.cells)
    ]  # fmt: skip
    lean, columns = int(board.name.startswith("hex")), board.columns
    return [" " * lean * r + " ".join(marks[r * columns : (r + 1) * columns]) for r in reversed(range(board.rows))]
