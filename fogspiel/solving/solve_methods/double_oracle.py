"""Both players' sequences generated when they are needed."""

from ..methods import tree_route, trees

ROUTES = (tree_route("double-oracle", lambda options: trees().by_growth),)
