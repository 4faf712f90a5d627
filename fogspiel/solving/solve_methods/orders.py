"""Permutation tic-tac-toe: orders of the cells up to symmetry, found by best responses when they are needed."""

from typing import TYPE_CHECKING

from ..methods import CertificateFormat, SolveMethod, lazy_function
from ..proofs.checkers.permutation import FORMAT
from ..solution import Solution, SolveOptions, SolverProgress, SolverState, Work

if TYPE_CHECKING:
    from ..sources import GameSource


def solve(problem: "GameSource", options: SolveOptions, saved: SolverState) -> Work:
    """Solve by a double oracle; every round is a row."""
    from ..methods.permutation import rounds

    rows = list(saved.rows)
    for step in rounds(stored=saved.rows):
        rows.append(step.record)
        remark = f"round {step.number}, {step.sizes[0]} and {step.sizes[1]} orders"
        yield SolverProgress(remark, step.lower, step.upper, rows[-1])
    proof = rows[-1]["certificate"]
    sizes = {"rounds": len(rows), "orders": rows[-1]["sizes"], "support": [len(proof["first"]), len(proof["second"])]}
    return Solution.proved("double oracle on orders of the cells, then exactly", sizes, proof)


ROUTES = (
    SolveMethod(
        "orders",
        solve,
        exact=True,
        made_for="permutation tic-tac-toe",
        fits=lambda problem: problem.family == "permutation",
        proofs=CertificateFormat(
            FORMAT,
            lazy_function("solving.methods.permutation", "follower"),
            lazy_function("solving.methods.permutation", "explain"),
        ),
    ),
)
