"""What an explanation is made of: sentences, tables, and pictures drawn with characters."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from math import isfinite
from typing import Any

SHADES = " .:-=+*#%@"
BAR = 40
"""Characters of the longest bar."""

Cell = str | int | float


@dataclass(frozen=True)
class Table:
    """Rows under named columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True)
class Picture:
    """Lines of text, and the numbers behind them: a cell for each named row and column, None where there is none."""

    title: str
    lines: tuple[str, ...]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    grid: tuple[tuple[float | None, ...], ...]


@dataclass(frozen=True)
class Explanation:
    """What a player does, for people to read."""

    sentences: tuple[str, ...]
    tables: tuple[Table, ...] = ()
    pictures: tuple[Picture, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The explanation as JSON has it."""
        return asdict(self)


Grid = Sequence[Sequence[float]]


def percent(share: float) -> str:
    """A share as people read it."""
    return f"{share:.1%}".replace("%", " %")


def _picture(
    title: str, lines: Iterable[str], grid: Grid, rows: Iterable[object], columns: Iterable[object]
) -> Picture:
    numbers = tuple(tuple(float(cell) if isfinite(cell) else None for cell in row) for row in grid)
    return Picture(title, tuple(lines), tuple(map(str, rows)), tuple(map(str, columns)), numbers)


def heat_map(title: str, grid: Grid, rows: Sequence[object], columns: Sequence[object], most: float) -> Picture:
    """A grid of numbers from 0 to `most` as shades, two characters a cell."""
    wide = max(len(str(name)) for name in rows)
    beside = max(len(str(name)) for name in columns)
    head = [" " * wide + "".join(f" {str(name).rjust(beside)[i]}" for name in columns) for i in range(beside)]
    lines = []
    for name, row in zip(rows, grid, strict=True):
        marks = [
            SHADES[min(int(cell / most * len(SHADES)), len(SHADES) - 1)] if isfinite(cell) else "?" for cell in row
        ]
        lines.append(str(name).rjust(wide) + "".join(f" {mark}" for mark in marks))
    scale = f"scale: '{SHADES}' from 0 to {percent(most)}"
    return _picture(title, [*head, *lines, scale], grid, rows, columns)


def bars(title: str, shares: Sequence[float], names: Sequence[object]) -> Picture:
    """Shares as bars, one below the other."""
    wide, most = max(len(str(name)) for name in names), max(shares)
    lines = [
        f"{str(name).rjust(wide)} {percent(share).rjust(7)} {'#' * round(BAR * share / most)}".rstrip()
        for name, share in zip(names, shares, strict=True)
    ]
    return _picture(title, lines, [[share] for share in shares], names, ("share",))
