"""The route made for the game if there is one; else lp if the reduced game is small, else the regret minimisers."""

from typing import TYPE_CHECKING

from ..progress import Options, Saved, Work
from . import Route

if TYPE_CHECKING:
    from ..game_sources import Problem
    from ..presolve.pipeline import Reduced
    from ..tree_routes import Search


def solve(problem: "Problem", options: Options, saved: Saved) -> Work:
    """Solve a game for which no route was made."""
    from ..cfr import METHODS
    from ..tree_routes import by_regrets, by_simplex, is_small
    from ..tree_solution import solve_tree

    def search(reduced: "Reduced", saved: Saved) -> "Search":
        find = by_simplex if is_small(reduced) else by_regrets(METHODS, options.gap)
        return find(reduced, saved)

    return solve_tree(problem, options, search, saved)


ROUTES = (Route("auto", solve, exact=True),)
