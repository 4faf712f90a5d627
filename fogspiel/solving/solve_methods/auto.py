"""The route made for the game if there is one; else lp if the reduced game is small, else the regret minimisers."""

from ..methods import tree_route, trees

ROUTES = (tree_route("auto", lambda options: trees().by_whatever_suits(options.gap), exact=True),)
