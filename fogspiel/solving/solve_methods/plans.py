"""Phantom games with many histories: a double oracle over pure strategies up to symmetry, then exactly."""

from typing import TYPE_CHECKING

from ..methods import CertificateFormat, SolveMethod, lazy_function
from ..proofs.checkers.pure_strategies import FORMAT
from ..solution import Size, Solution, SolveOptions, SolverState, Work

if TYPE_CHECKING:
    from ..sources import GameSource


def fits(problem: "GameSource") -> bool:
    """True if the game is one of those that it was tried on."""
    if problem.family != "phantom":
        return False
    from ..methods.pure_oracle.double_oracle import SOLVABLE

    return problem.name in SOLVABLE


def solve(problem: "GameSource", options: SolveOptions, saved: SolverState) -> Work:
    """Solve by a double oracle; the state is that of its plans."""
    from ..methods.pure_oracle.double_oracle import solve_in_steps

    found = yield from solve_in_steps(problem.name, saved.state)
    sizes: dict[str, Size] = {"rounds": found.rounds, "plans": found.plans, "support": found.support}
    return Solution.proved("double oracle on pure strategies, then exactly", sizes, found.certificate)


ROUTES = (
    SolveMethod(
        "plans",
        solve,
        exact=True,
        made_for="abrupt and numturns phantom tic-tac-toe, abrupt dark hex 3x3, dark hex 3x4 and 4x3",
        fits=fits,
        proofs=CertificateFormat(
            FORMAT,
            lazy_function("solving.methods.pure_oracle.explain", "follower"),
            lazy_function("solving.methods.pure_oracle.explain", "explain"),
        ),
    ),
)
