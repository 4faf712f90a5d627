"""Resumable solver of phantom games: strategies in integers and proved bounds.

PCFR+ runs until its bounds are close; then each player's support is solved exactly. Where that does not settle the
value, the last strategies are rounded to integer weights, and the bounds are their exact guarantees.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from operator import itemgetter

import numpy as np

from ....core.compile.kernel import kernel
from ...exact import vertex
from ...proofs.checkers.phantom import OPENING
from ...tree.sequence_form import best_total, fold_best, links, multiply_transposed, plan_of
from .. import SolverProgress, run_to_end
from ..cfr import RegretMinimiser, ValueBounds
from ..lp import LinearProgram, Simplex, basis_statuses, planning_program
from .bilinear_form import BilinearForm, DecisionDag, build_form

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
    matrix, theirs, sign = (form.columns, form.sides[0], 1) if player else (form.rows, form.sides[1], -1)
    worth, value = np.empty(theirs.sequences, np.int64), np.empty(theirs.infosets, np.int64)
    multiply_transposed(matrix.start, matrix.column, matrix.value, plan.weights, worth)
    worth *= sign
    fold_best(theirs.first, theirs.count, theirs.start, theirs.follow, worth, value)
    return Fraction(1, 2) + Fraction(sign * int(worth[0]), form.unit * plan.denominator)


# PCFR+ on the two decision DAGs of a phantom game, and the bounds that its strategies prove.
#
# `methods.cfr` does the work, with alternating updates and quadratic averaging. On these games the last iterate
# converges fast, and to strategies with small supports. This part computes the bounds: the best behaviour found so far
# is a fourth row of each player's memory, after regret, average plan and latest behaviour.

BEST = 3  # the row of the behaviour that guarantees most


def guaranteed_value(form: BilinearForm, player: int, plan: np.ndarray) -> float:
    """Return Black's value if one player keeps to a plan and the other plays a best response."""
    matrix, theirs, sign = (form.columns, form.sides[0], 1) if player else (form.rows, form.sides[1], -1)
    worth = np.empty(theirs.sequences)
    multiply_transposed(matrix.start, matrix.column, matrix.value, plan, worth)
    return 0.5 + sign * best_total(theirs, sign * worth) / form.unit


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


SOLVABLE = {
    "phantom-ttt": ("ttt", "classical"),
    "phantom-ttt-numturns": ("ttt", "numturns"),
    "dark-hex-3x3": ("hex-3x3", "classical"),
}  # the board and the variant of each game
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


def find_form(game: str) -> BilinearForm:
    """Build the form of a game by its name in the catalogue, with an optional opening."""
    plain, _, opening = game.partition(OPENING)
    if plain not in SOLVABLE:
        raise ValueError(f"{game!r} cannot be solved here: the games are {', '.join(SOLVABLE)}")
    form = build_form(*SOLVABLE[plain])
    return form_after(form, opening_cell(form, opening)) if opening else form


def opening_cell(form: BilinearForm, name: str) -> int:
    """Return the representative of the cell's orbit."""
    named = {form.board.cell_name(cell): cell for cell in range(form.board.cells)}
    if name not in named:
        raise ValueError(f"the opening {name!r} is no cell: it is one of {', '.join(named)}")
    return next(int(moved[named[name]]) for moved in form.board.symmetries if moved[named[name]] in openings(form))


def openings(form: BilinearForm) -> dict[int, int]:
    first, count = int(form.sides[0].first[0]), int(form.sides[0].count[0])
    return {form.cell_of(0, sequence): sequence for sequence in range(first, first + count)}


def form_after(form: BilinearForm, cell: int) -> BilinearForm:
    """Return the game in which Black's first stone goes to a random cell of an orbit, unknown to White."""
    choices = openings(form)
    if cell not in choices:
        named = ", ".join(map(form.board.cell_name, choices))
        raise ValueError(f"cell {cell!r} is no opening up to symmetry: the openings are {named}, by number")
    black, white = form.sides
    first, count = black.first.copy(), black.count.copy()
    first[0], count[0] = choices[cell], 1
    return replace(form, sides=(replace(black, first=first, count=count), white))


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
