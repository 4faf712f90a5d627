"""Stand-in for the game records of the package: kernels as plain functions on lists of whole numbers.

The builder writes `kernels.py`, in which the functions of a game are its kernels' sources, each with the constants that
it uses.
"""

from collections.abc import Callable
from fractions import Fraction
from importlib import import_module
from typing import Any, NamedTuple

CHANCE, OVER = -1, -2


class Cells(list[int]):
    """An array of whole numbers: of NumPy's, what kernels need. A slice is a view."""

    def __getitem__(self, place: Any) -> Any:
        if isinstance(place, slice):
            return View(self, range(*place.indices(len(self))))
        return list.__getitem__(self, place)

    def __setitem__(self, place: Any, value: Any) -> None:
        if isinstance(place, slice):
            View(self, range(*place.indices(len(self)))).fill(value)
        else:
            list.__setitem__(self, place, int(value))

    def copy(self) -> "Cells":
        return Cells(self)

    def tolist(self) -> list[int]:
        return list(self)

    def sum(self) -> int:
        return sum(self)

    def fill(self, value: Any) -> None:
        self[:] = value


class View:
    """Some cells of an array, which are changed in it."""

    def __init__(self, cells: Cells, places: range) -> None:
        self.cells, self.places = cells, places

    def __len__(self) -> int:
        return len(self.places)

    def __getitem__(self, place: Any) -> Any:
        found = self.places[place]
        return View(self.cells, found) if isinstance(found, range) else self.cells[found]

    def __setitem__(self, place: Any, value: Any) -> None:
        found = self.places[place]
        if isinstance(found, range):
            View(self.cells, found).fill(value)
        else:
            self.cells[found] = value

    def fill(self, value: Any) -> None:
        given = [value] * len(self) if isinstance(value, int) else list(value)
        for place, number in zip(self.places, given, strict=True):
            list.__setitem__(self.cells, place, int(number))

    def copy(self) -> Cells:
        return Cells(self.tolist())

    def tolist(self) -> list[int]:
        return [self.cells[place] for place in self.places]

    def sum(self) -> int:
        return sum(self.tolist())


class Numbers:
    """The part of NumPy that kernels of rules use."""

    int64 = uint64 = int

    @staticmethod
    def zeros(shape: int | tuple[int, int], kind: object = int) -> Any:
        if isinstance(shape, tuple):
            return [Cells([0] * shape[1]) for _ in range(shape[0])]
        return Cells([0] * shape)

    empty = zeros


def new_cells(cells: int) -> Cells:
    return Cells([0] * cells)


class Rules(NamedTuple):
    """The kernels of a game."""

    start: Callable[..., Any]
    mover: Callable[..., Any]
    legal: Callable[..., Any]
    apply: Callable[..., Any]
    view: Callable[..., Any]
    score: Callable[..., Any]
    weights: Callable[..., Any] | None


class Sizes(NamedTuple):
    """Cells of a state and of a view, and the most actions ever listed at once."""

    state: int
    view: int
    actions: int


class Game(NamedTuple):
    """The record of a game."""

    name: str
    version: int
    rules: Rules
    sizes: Sizes
    payoffs: tuple[Fraction, ...]


def known_game(name: str) -> Game:
    """Return the game of that name, or raise a ValueError."""
    games: dict[str, Callable[[], tuple[Any, ...]]] = import_module("fogspiel.kernels").GAMES
    if name not in games:
        raise ValueError(f"there is no game called {name[:60]!r} here; the package may have it: fogspiel verify")
    version, kernels, sizes, payoffs = games[name]()
    return Game(name, version, Rules(*kernels), Sizes(*sizes), tuple(map(Fraction, payoffs)))
