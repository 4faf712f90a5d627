"""The Resistance with spies who do not know each other: orders of a coordinator, a double oracle, exact fractions."""

from typing import TYPE_CHECKING

from ...solving.methods import CertificateFormat, SolveMethod, lazy_function
from ...solving.solution import Solution, SolveOptions, SolverProgress, SolverState, Work
from ..checkers.lone_spies import FORMAT

if TYPE_CHECKING:
    from ...solving.sources import GameSource


def solve(problem: "GameSource", options: SolveOptions, saved: SolverState) -> Work:
    """Solve it round by round; every round is a row."""
    from ..checkers.lone_spies import setup_of
    from ..lone_spies import certificate, exact_solution, lone_game, rounds

    yield SolverProgress("listing what the spies can be told")
    game = lone_game(setup_of(problem.name))
    rows = list(saved.rows)
    for growth in rounds(game, saved.rows):
        rows.append(growth.record)
        remark = f"round {growth.number}, {growth.generated[0]} and {growth.generated[1]} sequences"
        yield SolverProgress(remark, 2 * growth.lower - 1, 2 * growth.upper - 1, rows[-1])
    sizes = game.form.sizes | {"rounds": len(rows), "generated": list(rows[-1]["generated"])}
    return Solution.proved("double oracle on orders", sizes, certificate(game, exact_solution(game, rows)))


METHODS = (
    SolveMethod(
        "lone-spies",
        solve,
        __doc__ or "",
        exact=True,
        made_for="The Resistance with spies who do not know each other",
        fits=lambda source: source.family == "lone-resistance",
        proofs=CertificateFormat(
            FORMAT,
            lazy_function("resistance.explain", "follower"),
            lazy_function("resistance.explain", "explain_lone_spies"),
        ),
    ),
)
