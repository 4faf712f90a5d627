"""The route made for the game if there is one; else lp if the reduced game is small, else the regret minimisers."""

from typing import TYPE_CHECKING

from ..progress import Options
from . import tree_route

if TYPE_CHECKING:
    from ..tree_routes import Find


def find(options: Options) -> "Find":
    """What suits a game for which no route was made."""
    from ..cfr import METHODS
    from ..tree_routes import by_regrets, by_simplex, whichever

    return whichever(by_simplex, by_regrets(METHODS, options.gap))


ROUTES = (tree_route("auto", find, exact=True),)
