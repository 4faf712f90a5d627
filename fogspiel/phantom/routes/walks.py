"""Abrupt phantom tic-tac-toe, whose form does not fit into memory: bounds by depth-first walks."""

from typing import TYPE_CHECKING

from ...solve.progress import Options, Saved, Work
from ...solve.routes import Route
from ...solve.solution import Solution

if TYPE_CHECKING:
    from ...solve.game_sources import Problem


COARSE = 1e-2
"""How close the bounds come by walks in reasonable time."""


def solve(problem: "Problem", options: Options, saved: Saved) -> Work:
    """Narrow the bounds; the state is that of the walks."""
    from ..abrupt import narrow_bounds

    bounds = yield from narrow_bounds("ttt", close=max(options.gap, COARSE), state=saved.state)
    return Solution.bounded("PCFR+ by depth-first walks", {}, *bounds)


ROUTES = (
    Route(
        "walks",
        solve,
        made_for="abrupt phantom tic-tac-toe",
        fits=lambda problem: problem.family == "phantom" and problem.name == "phantom-ttt-abrupt",
    ),
)
