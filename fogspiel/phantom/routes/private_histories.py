"""Phantom games: private histories without order, symmetric copies and dominated tries; PCFR+, then exactly."""

from typing import TYPE_CHECKING

from ...solve.checkers.phantom_solution import FORMAT, OPENING
from ...solve.progress import Options, Saved, Work
from ...solve.routes import Proofs, Route, later
from ...solve.solution import Solution

if TYPE_CHECKING:
    from ...solve.game_sources import Problem


def fits(problem: "Problem") -> bool:
    """True if the form of the game fits into memory."""
    if problem.family != "phantom":
        return False
    from ..solver import SOLVABLE

    return problem.name.partition(OPENING)[0] in SOLVABLE


def solve(problem: "Problem", options: Options, saved: Saved) -> Work:
    """Solve a phantom game; the state is that of its regrets."""
    from ..solution_certificate import certificate
    from ..solver import solve_in_steps

    solver = "PCFR+ on private histories, then exactly on the supports"
    found = yield from solve_in_steps(problem.name, close=0.0 if options.exact else options.gap, state=saved.state)
    sizes = {**found.form.sizes, "iterations": found.iterations}
    if found.form.variant == "classical":
        return Solution.proved(solver, sizes, certificate(found))
    return Solution.bounded(solver, sizes, float(found.lower), float(found.upper))


ROUTES = (
    Route(
        "private-histories",
        solve,
        exact=True,
        made_for="phantom tic-tac-toe and dark hex",
        fits=fits,
        proofs=Proofs(
            FORMAT,
            later("phantom.play", "follower"),
            later("phantom.words", "explain"),
            later("phantom.play", "probabilities_of"),
        ),
        exploit=later("phantom.policies", "exploit"),
        exploit_cost="about 0.8 GB, and the policy is asked at up to six million information states",
        questions=later("phantom.questions", "questions"),
        answers=later("phantom.questions", "answered"),
    ),
)
