"""Variants of The Resistance as something to be solved: their numbers are all there is, for no kernels play them."""

from typing import TYPE_CHECKING, NoReturn

from ...games.resistance.setups import VERSION, find_setup, name_of
from ..checkers.lone_spies import PREFIX
from ..game_sources import Problem, Watch, in_silence

if TYPE_CHECKING:
    from ..certificate import Knowledge
    from ..checkers.tree_certificate import Positions
    from ..formats.tree_labels import LabelledTree
    from ..tree import Tree


class VariantProblem(Problem):
    """A set-up of The Resistance, which only the route for knowledge trees can solve."""

    def __init__(self, name: str, prefix: str = "") -> None:
        """The name says all the numbers; a ValueError says which of them is wrong."""
        found = prefix + name_of(find_setup(name.removeprefix(prefix)))
        super().__init__(found, VERSION, found)

    @property
    def family(self) -> str:
        return "resistance"

    def tree(self, memory: float, watch: Watch = in_silence) -> "Tree":
        self._refuse()

    def knowledge(self, tree: "Tree") -> "Knowledge":
        self._refuse()

    def words(self, view: list[int], actions: list[int]) -> tuple[str, list[str]]:
        self._refuse()

    def positions(self) -> "Positions":
        self._refuse()

    def describe(self, memory: float) -> "LabelledTree":
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise ValueError(f"{self.name} has no tree here: a variant of The Resistance is solved by --method auto only")


class LoneProblem(VariantProblem):
    """A set-up in which spies do not know each other and sabotages are counted in public."""

    def __init__(self, name: str) -> None:
        """The name is `lone-` and that of a set-up."""
        super().__init__(name, PREFIX)

    @property
    def family(self) -> str:
        return "lone-resistance"
