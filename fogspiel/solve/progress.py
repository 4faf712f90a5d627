"""Progress reports of a solver, and its state for resumption."""

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from .solution import Solution

# What is kept of one round of a solver, ready for JSON; each solver that has rounds says what is in it.
Record = Mapping[str, Any]


class Progress(NamedTuple):
    """Progress of a solver: bounds where there are some, and the state to resume from."""

    remark: str
    lower: float | None = None
    upper: float | None = None
    row: Record | None = None  # a round to be kept for good
    state: bytes | None = None  # all that matters, in place of what was kept before


class Saved(NamedTuple):
    """State of an interrupted solver."""

    rows: Sequence[Record] = ()
    state: bytes | None = None


AFRESH = Saved()


DEFAULT_MEMORY = 4.0  # giB that a game may take unless the user says otherwise


class Options(NamedTuple):
    """User options of any route."""

    exact: bool = False  # insist on the exact value, as a fraction
    gap: float = 1e-6  # regret minimisation stops when the bounds are this close
    memory: float = DEFAULT_MEMORY
    seed: int = 0  # of routes that draw at random, as are the budgets
    iterations: int | None = None
    seconds: float | None = None  # CPU time


Work = Generator[Progress, None, "Solution"]
