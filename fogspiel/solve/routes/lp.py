"""Presolve, colour refinement, then the simplex method; a vertex, so exact values can follow."""

from typing import TYPE_CHECKING

from ..progress import Options
from . import tree_route

if TYPE_CHECKING:
    from ..tree_routes import Find


def find(options: Options) -> "Find":
    """The vertex of the smallest program that describes the game."""
    from ..tree_routes import by_simplex

    return by_simplex


ROUTES = (tree_route("lp", find, exact=True),)
