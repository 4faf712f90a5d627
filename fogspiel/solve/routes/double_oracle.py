"""Both players' sequences generated when they are needed."""

from typing import TYPE_CHECKING

from ..progress import Options, Saved, Work
from . import Route

if TYPE_CHECKING:
    from ..game_sources import Problem


def solve(problem: "Problem", options: Options, saved: Saved) -> Work:
    """Solve a game by its whole tree."""
    from ..double_oracle import double_oracle
    from ..tree_routes import by_growth
    from ..tree_solution import solve_tree

    return solve_tree(problem, options, by_growth("double oracle", double_oracle), saved)


ROUTES = (Route("double-oracle", solve),)
