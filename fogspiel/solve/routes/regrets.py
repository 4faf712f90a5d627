"""Regret minimisation by the method of that name, until the certified gap is small enough."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..progress import Options
from . import tree_route

if TYPE_CHECKING:
    from ..tree_routes import Find


def finder(name: str) -> "Callable[[Options], Find]":
    """How to search by this method, given the options."""

    def find(options: Options) -> "Find":
        from ..tree_routes import by_regrets

        return by_regrets([name], options.gap)

    return find


ROUTES = (
    tree_route("cfr+", finder("cfr+")),
    tree_route("dcfr", finder("dcfr")),
    tree_route("pcfr+", finder("pcfr+")),
)
