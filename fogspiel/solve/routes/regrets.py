"""Regret minimisation by the method of that name, until the certified gap is small enough."""

from functools import partial
from typing import TYPE_CHECKING

from ..progress import Options, Saved, Work
from . import Route

if TYPE_CHECKING:
    from ..game_sources import Problem


def solve(name: str, problem: "Problem", options: Options, saved: Saved) -> Work:
    """Solve a game by its whole tree."""
    from ..tree_routes import by_regrets
    from ..tree_solution import solve_tree

    return solve_tree(problem, options, by_regrets([name], options.gap), saved)


ROUTES = (
    Route("cfr+", partial(solve, "cfr+")),
    Route("dcfr", partial(solve, "dcfr")),
    Route("pcfr+", partial(solve, "pcfr+")),
)
