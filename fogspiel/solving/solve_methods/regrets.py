"""Regret minimisation by the method of that name, until the certified gap is small enough."""

from ..methods import tree_route, trees

ROUTES = (
    tree_route("cfr+", lambda options: trees().by_regrets(["cfr+"], options.gap)),
    tree_route("dcfr", lambda options: trees().by_regrets(["dcfr"], options.gap)),
    tree_route("pcfr+", lambda options: trees().by_regrets(["pcfr+"], options.gap)),
)
