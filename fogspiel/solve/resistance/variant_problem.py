"""Variants of The Resistance as something to be solved: their numbers are all there is, for no kernels play them."""

from ...games.resistance.setups import VERSION, find_setup, name_of
from ..checkers.lone_spies import PREFIX
from ..game_sources import TreelessProblem


class VariantProblem(TreelessProblem):
    """A set-up of The Resistance, which only the route for knowledge trees can solve."""

    def __init__(self, name: str, prefix: str = "") -> None:
        """The name says all the numbers; a ValueError says which of them is wrong."""
        found = prefix + name_of(find_setup(name.removeprefix(prefix)))
        super().__init__(found, VERSION, f"{prefix}resistance", "a variant of The Resistance")


class LoneProblem(VariantProblem):
    """A set-up in which spies do not know each other and sabotages are counted in public."""

    def __init__(self, name: str) -> None:
        """The name is `lone-` and that of a set-up."""
        super().__init__(name, PREFIX)
