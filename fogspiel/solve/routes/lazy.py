"""Linear programming with the rows of one player generated when they are needed."""

from typing import TYPE_CHECKING

from ..progress import Options
from . import tree_route

if TYPE_CHECKING:
    from ..tree_routes import Find


def find(options: Options) -> "Find":
    """One-sided growth."""
    from ..row_generation import lazy
    from ..tree_routes import by_growth

    return by_growth("lazy one-sided growth", lazy)


ROUTES = (tree_route("lazy", find),)
