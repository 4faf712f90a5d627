"""From a phantom game to strategies in whole numbers and bounds that are proved, in steps that can be resumed.

PCFR+ runs until its bounds are close; then each player's support is solved exactly. Where that does not settle the
value, the last strategies are rounded to whole weights, and the bounds are what these guarantee, exactly.
"""

from collections.abc import Generator
from dataclasses import dataclass, replace
from fractions import Fraction
from operator import itemgetter

from ..solve.cfr import Bounds
from ..solve.checkers.phantom_solution import OPENING
from ..solve.progress import Progress
from ..solve.sequence_form import plan_of
from .bilinear_form import Form, form_of
from .exact_solution import Plan, best_plan, guarantee, whole_plan
from .generators import run_to_end
from .regret_matching import Regrets

SOLVABLE = {
    "phantom-ttt": ("ttt", "classical"),
    "phantom-ttt-numturns": ("ttt", "numturns"),
    "dark-hex-3x3": ("hex-3x3", "classical"),
}  # the board and the variant of each game
# Bounds this close are worth an attempt at the exact value, and another one whenever they are so many times closer.
CLOSE, CLOSER = 3e-5, 100
CLOSEST = 1e-14  # bounds that floats cannot bring closer
BATCH = 50  # iterations between two looks at the bounds


@dataclass(frozen=True, eq=False)
class Solution:
    """A plan for each player in whole numbers, and what they guarantee Black at least and at most."""

    game: str
    form: Form
    plans: tuple[Plan, Plan]
    lower: Fraction
    upper: Fraction
    iterations: int

    @property
    def exact(self) -> bool:
        """True if the value is known exactly, so that both plans are optimal."""
        return self.lower == self.upper


def find_form(game: str) -> Form:
    """The form of a game by its name in the catalogue, to which an opening may be added."""
    plain, _, opening = game.partition(OPENING)
    if plain not in SOLVABLE:
        raise ValueError(f"{game!r} cannot be solved here: the games are {', '.join(SOLVABLE)}")
    form = form_of(*SOLVABLE[plain])
    return form_after(form, opening_cell(form, opening)) if opening else form


def opening_cell(form: Form, name: str) -> int:
    """The cell that stands for all cells of the kind of this one."""
    named = {form.board.cell_name(cell): cell for cell in range(form.board.cells)}
    if name not in named:
        raise ValueError(f"the opening {name!r} is no cell: it is one of {', '.join(named)}")
    return next(int(moved[named[name]]) for moved in form.board.symmetries if moved[named[name]] in openings(form))


def openings(form: Form) -> dict[int, int]:
    """Black's first cells up to symmetry, and the sequence of each."""
    first, count = int(form.sides[0].first[0]), int(form.sides[0].count[0])
    return {form.cell_of(0, sequence): sequence for sequence in range(first, first + count)}


def form_after(form: Form, cell: int) -> Form:
    """The game in which Black's first stone goes to a cell or a symmetric one, drawn by lot and not told to White."""
    choices = openings(form)
    if cell not in choices:
        named = ", ".join(map(form.board.cell_name, choices))
        raise ValueError(f"cell {cell!r} is no opening up to symmetry: the openings are {named}, by number")
    black, white = form.sides
    first, count = black.first.copy(), black.count.copy()
    first[0], count[0] = choices[cell], 1
    return replace(form, sides=(replace(black, first=first, count=count), white))


def solve_in_steps(
    game: str, form: Form | None = None, close: float = 0.0, most: int = 10_000, state: bytes | None = None
) -> Generator[Progress, None, Solution]:
    """Solve a game (or a form of it, such as an opening's) step by step; `state` is that of an earlier step.

    It goes on until the value is exact, or the bounds are as close as is asked, or there were so many iterations.
    """
    form = form or find_form(game)
    regrets = Regrets(form)
    if state is not None:
        regrets.restore(state)
    worth_trying = CLOSE
    while True:
        bounds = regrets.bounds()
        yield Progress(f"PCFR+, {regrets.iterations} iterations", bounds.lower, bounds.upper, state=regrets.state)
        done = bounds.gap <= max(close, CLOSEST) or regrets.iterations >= most
        if bounds.gap <= worth_trying or done:
            exactly = bounds.gap <= worth_trying
            if exactly:
                yield Progress("exact plans", bounds.lower, bounds.upper)
            answer = prove(game, form, regrets, bounds, exactly)
            if answer.exact or done:
                yield Progress("proved", float(answer.lower), float(answer.upper))
                return answer
            worth_trying = bounds.gap / CLOSER
        regrets.advance(min(BATCH, most - regrets.iterations))


def prove(game: str, form: Form, regrets: Regrets, bounds: Bounds, exactly: bool) -> Solution:
    """Prove bounds by integer plans: the best strategies rounded, or the best on the latest supports."""
    found = []
    for player, (best, last) in enumerate(zip((bounds.first, bounds.second), regrets.last, strict=True)):
        side = form.sides[player]
        plans = [best_plan(form, player, plan_of(side, last)) if exactly else None, whole_plan(side, best)]
        guaranteed = [(guarantee(form, player, plan), plan) for plan in plans if plan is not None]
        found.append((min if player else max)(guaranteed, key=itemgetter(0)))
    (lower, black), (upper, white) = found
    return Solution(game, form, (black, white), lower, upper, regrets.iterations)


def solution(game: str, form: Form | None = None, close: float = 0.0, most: int = 10_000) -> Solution:
    """The result of `solve_in_steps`."""
    return run_to_end(solve_in_steps(game, form, close, most))


def opening_values(game: str) -> dict[str, Fraction]:
    """The value of the game for each kind of first cell: which of the symmetric ones it is, Black draws in secret."""
    form = find_form(game)
    found = {name: solution(f"{game}{OPENING}{name}") for name in map(form.board.cell_name, openings(form))}
    for name, answer in found.items():
        if not answer.exact:
            raise ValueError(f"the opening {name} of {game} is only known to be in [{answer.lower}, {answer.upper}]")
    return {name: answer.lower for name, answer in found.items()}
