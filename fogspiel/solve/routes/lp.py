"""Presolve, colour refinement, then the simplex method; a vertex, so exact values can follow."""

from typing import TYPE_CHECKING

from ..progress import Options, Saved, Work
from . import Route

if TYPE_CHECKING:
    from ..game_sources import Problem


def solve(problem: "Problem", options: Options, saved: Saved) -> Work:
    """Solve a game by its whole tree."""
    from ..tree_routes import by_simplex
    from ..tree_solution import solve_tree

    return solve_tree(problem, options, by_simplex, saved)


ROUTES = (Route("lp", solve, exact=True),)
