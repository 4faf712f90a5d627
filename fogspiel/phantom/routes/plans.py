"""Phantom games with many histories: a double oracle over pure strategies up to symmetry, then exactly."""

from typing import TYPE_CHECKING

from ...solve.checkers.plans_certificate import FORMAT
from ...solve.progress import Options, Saved, Work
from ...solve.routes import Proofs, Route, later
from ...solve.solution import Size, Solution

if TYPE_CHECKING:
    from ...solve.game_sources import Problem


def fits(problem: "Problem") -> bool:
    """True if the game is one of those that it was tried on."""
    if problem.family != "phantom":
        return False
    from ..pure_strategies.double_oracle import SOLVABLE

    return problem.name in SOLVABLE


def solve(problem: "Problem", options: Options, saved: Saved) -> Work:
    """Solve by a double oracle; the state is that of its plans."""
    from ..pure_strategies.double_oracle import solve_in_steps

    found = yield from solve_in_steps(problem.name, saved.state)
    sizes: dict[str, Size] = {"rounds": found.rounds, "plans": found.plans, "support": found.support}
    return Solution.proved("double oracle on pure strategies, then exactly", sizes, found.certificate)


ROUTES = (
    Route(
        "plans",
        solve,
        exact=True,
        made_for="abrupt and numturns phantom tic-tac-toe, abrupt dark hex 3x3, dark hex 3x4 and 4x3",
        fits=fits,
        proofs=Proofs(
            FORMAT, later("phantom.pure_strategies.play", "follower"), later("phantom.pure_strategies.words", "explain")
        ),
    ),
)
