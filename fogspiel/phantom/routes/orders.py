"""Permutation tic-tac-toe: orders of the cells up to symmetry, found by best responses when they are needed."""

from typing import TYPE_CHECKING

from ...solve.checkers.permutation_certificate import FORMAT
from ...solve.progress import Options, Progress, Saved, Work
from ...solve.routes import Proofs, Route, later
from ...solve.solution import Solution

if TYPE_CHECKING:
    from ...solve.game_sources import Problem


def solve(problem: "Problem", options: Options, saved: Saved) -> Work:
    """Solve by a double oracle; every round is a row."""
    from ..permutation.double_oracle import rounds

    rows = list(saved.rows)
    for step in rounds(stored=saved.rows):
        rows.append(step.record)
        remark = f"round {step.number}, {step.sizes[0]} and {step.sizes[1]} orders"
        yield Progress(remark, step.lower, step.upper, rows[-1])
    proof = rows[-1]["certificate"]
    sizes = {"rounds": len(rows), "orders": rows[-1]["sizes"], "support": [len(proof["first"]), len(proof["second"])]}
    return Solution.proved("double oracle on orders of the cells, then exactly", sizes, proof)


ROUTES = (
    Route(
        "orders",
        solve,
        exact=True,
        made_for="permutation tic-tac-toe",
        fits=lambda problem: problem.family == "permutation",
        proofs=Proofs(
            FORMAT, later("phantom.permutation.play", "follower"), later("phantom.permutation.words", "explain")
        ),
    ),
)
