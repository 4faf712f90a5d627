"""Presolve, colour refinement, then the simplex method; a vertex, so exact values can follow."""

from ..methods import tree_route, trees

ROUTES = (tree_route("lp", lambda options: trees().by_simplex, exact=True),)
