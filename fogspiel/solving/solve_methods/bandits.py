"""Matrix games by two players that learn, to compare with: a --gap of 0.001 may take millions of steps."""

from typing import TYPE_CHECKING

from ..methods import SolveMethod, tree_route
from ..solution import SolveOptions

if TYPE_CHECKING:
    from ..methods.tree import Find


def bandit_route(name: str) -> SolveMethod:
    """The route of one of the methods."""

    def find(options: SolveOptions) -> "Find":
        from ..methods.bandits import by_bandit

        return by_bandit(name, options.gap)

    return tree_route(name, find)


ROUTES = (bandit_route("grigoriadis-khachiyan"), bandit_route("exp3"))
