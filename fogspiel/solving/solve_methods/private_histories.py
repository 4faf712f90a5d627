"""Phantom games: private histories without order, symmetric copies and dominated tries; PCFR+, then exactly."""

from typing import TYPE_CHECKING

from ..methods import CertificateFormat, SolveMethod, lazy_function
from ..proofs.checkers.phantom import FORMAT, OPENING
from ..solution import Solution, SolveOptions, SolverState, Work

if TYPE_CHECKING:
    from ..sources import GameSource


def fits(problem: "GameSource") -> bool:
    """True if the form of the game fits into memory."""
    if problem.family != "phantom":
        return False
    from ..methods.phantom.solver import SOLVABLE

    return problem.name.partition(OPENING)[0] in SOLVABLE


def solve(problem: "GameSource", options: SolveOptions, saved: SolverState) -> Work:
    """Solve a phantom game; the state is that of its regrets."""
    from ..methods.phantom.certificate import certificate
    from ..methods.phantom.solver import solve_in_steps

    solver = "PCFR+ on private histories, then exactly on the supports"
    found = yield from solve_in_steps(problem.name, close=0.0 if options.exact else options.gap, state=saved.state)
    sizes = {**found.form.sizes, "iterations": found.iterations}
    if found.form.variant == "classical":
        return Solution.proved(solver, sizes, certificate(found))
    return Solution.bounded(solver, sizes, float(found.lower), float(found.upper))


ROUTES = (
    SolveMethod(
        "private-histories",
        solve,
        exact=True,
        made_for="phantom tic-tac-toe and dark hex",
        fits=fits,
        proofs=CertificateFormat(
            FORMAT,
            lazy_function("solving.methods.phantom.policies", "follower"),
            lazy_function("solving.methods.phantom.explain", "explain"),
            lazy_function("solving.methods.phantom.policies", "probabilities_of"),
        ),
        exploit=lazy_function("solving.methods.phantom.policies", "exploit"),
        exploit_cost="about 0.8 GB, and the policy is asked at up to six million information states",
        questions=lazy_function("solving.methods.phantom.explain", "questions"),
        answers=lazy_function("solving.methods.phantom.explain", "answered"),
    ),
)
