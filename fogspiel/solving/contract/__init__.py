"""Arrays that report what compiled code would let pass: missing cells, writes to frozen cells, non-integers."""

from typing import Any

import numpy as np


class OutOfCells(IndexError):
    """Access to a cell out of bounds."""

    def __init__(self, role: str, index: int, cells: int):
        super().__init__(f"cell {index} of {cells}")
        self.role, self.index, self.cells = role, index, cells


class NotWhole(TypeError):
    """A value other than an integer was written into a cell."""


class FrozenCell(TypeError):
    """A write to a read-only cell."""


class CheckedCells(np.ndarray):
    """Checked cells of a state, a view or a list of actions."""

    role = ""
    frozen = False

    def __array_finalize__(self, source: object) -> None:
        self.role, self.frozen = getattr(source, "role", ""), getattr(source, "frozen", False)

    def _check(self, key: Any) -> None:
        if isinstance(key, int | np.integer) and not -len(self) <= key < len(self):
            raise OutOfCells(self.role, int(key), len(self))

    def __getitem__(self, key: Any) -> Any:
        self._check(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        self._check(key)
        if self.frozen:
            raise FrozenCell(self.role)
        if np.asarray(value).dtype.kind not in "iub":
            raise NotWhole(f"{value}")
        super().__setitem__(key, value)


def cells_of(role: str, values: np.ndarray, *, frozen: bool = False) -> CheckedCells:
    found = np.array(values, np.int64).view(CheckedCells)
    found.role, found.frozen = role, frozen
    return found


def plain(cells: np.ndarray) -> np.ndarray:
    return np.array(cells, np.int64)


def differences(cells: np.ndarray, before: np.ndarray, what: str) -> str:
    cell = int(np.flatnonzero(cells != before)[0])
    return f"{what}: cell {cell} is {cells[cell]} instead of {before[cell]}"
