"""The Resistance: knowledge trees up to relabelling, plans generated when they are needed."""

from typing import TYPE_CHECKING

from ..checkers.resistance_certificate import FORMAT
from ..progress import Options, Progress, Saved, Work
from ..solution import Solution
from . import Proofs, Route, later

if TYPE_CHECKING:
    from ..game_sources import Problem


def solve(problem: "Problem", options: Options, saved: Saved) -> Work:
    """Solve The Resistance round by round; every round is a row."""
    from ...games.resistance.setups import find_setup
    from ..resistance.opening import opening
    from ..resistance.row_generation import steps

    setup = find_setup(problem.name)
    rows = list(saved.rows)
    for step in steps(setup, saved.rows):
        rows.append({key: value for key, value in step.record.items() if key != "seconds"})
        yield Progress(f"round {step.number}, {step.rows} plans", step.lower, step.upper, rows[-1])
    game = opening(setup)
    infosets = [len(game.infosets) + len(game.tails), len(game.spy_parent)]
    sizes = {"spy_sets": game.total, "infosets": infosets, "rounds": len(rows), "plans": rows[-1]["rows"]}
    return Solution.proved("lazy plans on knowledge trees", sizes, rows[-1]["certificate"])


ROUTES = (
    Route(
        "knowledge-trees",
        solve,
        exact=True,
        made_for="The Resistance",
        fits=lambda problem: problem.family == "resistance",
        proofs=Proofs(FORMAT, later("solve.resistance.play", "follower"), later("solve.resistance.words", "explain")),
    ),
)
