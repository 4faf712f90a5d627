"""The Resistance: knowledge trees up to relabelling, plans generated when they are needed."""

from typing import TYPE_CHECKING

from ...solving.methods import CertificateFormat, SolveMethod, lazy_function
from ...solving.solution import Solution, SolveOptions, SolverProgress, SolverState, Work
from ..checkers.lone_spies import FORMAT as LONE_FORMAT
from ..checkers.resistance import FORMAT

if TYPE_CHECKING:
    from ...solving.sources import GameSource


def solve(problem: "GameSource", options: SolveOptions, saved: SolverState) -> Work:
    """Solve The Resistance round by round; every round is a row."""
    from ..game.setups import find_setup
    from ..row_generation import steps
    from ..variants import opening

    setup = find_setup(problem.name)
    rows = list(saved.rows)
    for step in steps(setup, saved.rows):
        rows.append({key: value for key, value in step.record.items() if key != "seconds"})
        yield SolverProgress(f"round {step.number}, {step.rows} plans", step.lower, step.upper, rows[-1])
    game = opening(setup)
    infosets = [len(game.infosets) + len(game.tails), len(game.spy_parent)]
    sizes = {"spy_sets": game.total, "infosets": infosets, "rounds": len(rows), "plans": rows[-1]["rows"]}
    return Solution.proved("lazy plans on knowledge trees", sizes, rows[-1]["certificate"])


METHODS = (
    SolveMethod(
        "knowledge-trees",
        solve,
        __doc__ or "",
        exact=True,
        made_for="The Resistance",
        proofs_elsewhere=(
            CertificateFormat(
                LONE_FORMAT,
                lazy_function("resistance.explain", "follower"),
                lazy_function("resistance.explain", "explain_lone_spies"),
            ),
        ),
        fits=lambda source: source.family == "resistance",
        proofs=CertificateFormat(
            FORMAT, lazy_function("resistance.player", "follower"), lazy_function("resistance.explain", "explain")
        ),
    ),
)
