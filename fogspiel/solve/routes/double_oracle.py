"""Both players' sequences generated when they are needed."""

from typing import TYPE_CHECKING

from ..progress import Options
from . import tree_route

if TYPE_CHECKING:
    from ..tree_routes import Find


def find(options: Options) -> "Find":
    """Two-sided growth."""
    from ..double_oracle import double_oracle
    from ..tree_routes import by_growth

    return by_growth("double oracle", double_oracle)


ROUTES = (tree_route("double-oracle", find),)
