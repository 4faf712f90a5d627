"""Linear programming with the rows of one player generated when they are needed."""

from ..methods import tree_route, trees

ROUTES = (tree_route("lazy", lambda options: trees().by_growth_of_one),)
