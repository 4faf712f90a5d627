"""Linear programming with the rows of one player generated when they are needed."""

from typing import TYPE_CHECKING

from ..progress import Options, Saved, Work
from . import Route

if TYPE_CHECKING:
    from ..game_sources import Problem


def solve(problem: "Problem", options: Options, saved: Saved) -> Work:
    """Solve a game by its whole tree."""
    from ..row_generation import lazy
    from ..tree_routes import by_growth
    from ..tree_solution import solve_tree

    return solve_tree(problem, options, by_growth("lazy one-sided growth", lazy), saved)


ROUTES = (Route("lazy", solve),)
