"""Matrix games by two players that learn, to compare with: a --gap of 0.001 may take millions of steps."""

from typing import TYPE_CHECKING

from ..progress import Options
from . import Route, tree_route

if TYPE_CHECKING:
    from ..tree_routes import Find


def bandit_route(name: str) -> Route:
    """The route of one of the methods."""

    def find(options: Options) -> "Find":
        from ..bandits import by_bandit

        return by_bandit(name, options.gap)

    return tree_route(name, find)


ROUTES = (bandit_route("grigoriadis-khachiyan"), bandit_route("exp3"))
