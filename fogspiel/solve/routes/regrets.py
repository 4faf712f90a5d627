"""Regret minimisation by the method of that name, until the certified gap is small enough."""

from . import tree_route, trees

ROUTES = tuple(
    tree_route(name, lambda options, name=name: trees().by_regrets([name], options.gap))
    for name in ("cfr+", "dcfr", "pcfr+")
)
