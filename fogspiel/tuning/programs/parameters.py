"""Parameters of external programs: read from a file, seen by methods as vectors, returned in the user's units.

A file, TOML or JSON, has a table for each parameter: `start`, and optionally the limits `low` and `high`, `scale` (the
change that matters) and `whole = true`; or `start` and `choices`, of which it is one. Methods see the vector (value -
start) / scale, so that the initial parameters are the null vector and a step of 1 matters everywhere.

The default of `scale` is a tenth of the range from `low` to `high`; where one of these is missing, a quarter of
`start`; where that is 0, it is 1. For integers it is at least 1, as smaller steps would be rounded away. With `scale =
"log"` methods see the logarithm of the value instead, in tenths of its range, or in steps of a quarter.

A choice is a hashed parameter: a number z without a direction. The normal distribution function at z, in as many equal
cells as there are choices, selects one of them; the cells are arranged so that z = 0 is the middle of the cell of
`start`.
"""

import math
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from statistics import NormalDist
from typing import Any, Self

import numpy as np

from ...core.untrusted_input import parse_json, read_bytes, shorten

Value = str | int | float | bool  # a setting of a parameter
MAX = 1e100  # largest absolute value of a parameter's numbers
MAX_WHOLE = 2**53  # integers up to here are exact as floats
FARTHEST = 1e6  # range of a parameter without a limit, in scales
MAX_LETTERS = 200  # of the name of a parameter
NUMBER_KEYS, CHOICE_KEYS = ("start", "low", "high", "scale", "whole"), ("start", "choices")
RANGE_SHARE, START_SHARE = 1 / 10, 1 / 4
LOG = "log"  # the scale of a parameter whose ratios matter, not its differences
NORMAL = NormalDist()


@dataclass(frozen=True)
class Parameter:
    """One parameter: its initial value, its limits, and the change of it that matters."""

    name: str
    start: Value
    low: float | None = None
    high: float | None = None
    scale: float = 1.0
    whole: bool = False
    choices: tuple[Value, ...] = ()
    log: bool = False

    @cached_property
    def limits(self) -> tuple[float, float]:
        """The least and the greatest number of a vector that make a difference."""
        if self.choices:
            most = NORMAL.inv_cdf(1 - 1 / (4 * len(self.choices)))  # in the last cell on either side
            return -most, most
        low, high = (None if limit is None else self._number(limit) for limit in (self.low, self.high))
        farthest = math.log(MAX) / 2 / self.scale if self.log else FARTHEST
        return -farthest if low is None else low, farthest if high is None else high

    def _number(self, value: float) -> float:
        """Return the number of a vector that stands for a value."""
        start = float(self.start)
        return (math.log(value / start) if self.log else value - start) / self.scale

    @cached_property
    def representatives(self) -> tuple[float, ...]:
        """A number of a vector for each choice, that of the start first."""
        shares = ((0.5 + cell / len(self.choices)) % 1 for cell in range(len(self.choices)))
        return tuple(NORMAL.inv_cdf(share) if share else self.limits[0] for share in shares)

    def at_limit(self, value: Value) -> str | None:
        """Return `low` or `high` if a value is that limit."""
        return next((key for key in ("low", "high") if not self.choices and value == getattr(self, key)), None)

    def value(self, number: float) -> Value:
        least, most = self.limits
        number = min(max(float(number), least), most)
        if self.choices:
            many, first = len(self.choices), place_of(self.start, self.choices)
            cell = math.floor((NORMAL.cdf(number) - 0.5) * many + 0.5)
            return self.choices[(first + cell) % many]
        start, moved = float(self.start), self.scale * number
        found = start * math.exp(moved) if self.log else start + moved
        low, high = -MAX if self.low is None else self.low, MAX if self.high is None else self.high
        found = min(max(round(found) if self.whole else found, low), high)  # the last digit may be over a limit
        return int(found) if self.whole else found

    def to_json(self) -> dict[str, Any]:
        if self.choices:
            return {"start": self.start, "choices": list(self.choices)}
        limits = {key: value for key, value in (("low", self.low), ("high", self.high)) if value is not None}
        return {"start": self.start, **limits, "scale": LOG if self.log else self.scale, "whole": self.whole}


@dataclass(frozen=True)
class Parameters:
    """All parameters of a program, in their order: the space of its vectors."""

    members: tuple[Parameter, ...]

    @classmethod
    def of(cls, tables: object, source: str = "the parameters") -> Self:
        """Return the parameters in a mapping of tables, or raise a ValueError that names the problem and its source."""
        if not isinstance(tables, Mapping):
            raise ValueError(f"{source} must have a table for each parameter, not {shorten(tables)}")
        if not tables:
            raise ValueError(f"{source} has no parameters: give a table for each, as in [margin] with start = 5")
        return cls(tuple(_parameter(name, table, source) for name, table in tables.items()))

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        return tuple(member.name for member in self.members)

    @cached_property
    def unordered(self) -> tuple[str, ...]:
        return tuple(member.name for member in self.members if member.choices)

    @property
    def per_seat(self) -> bool:
        return False

    @property
    def start(self) -> np.ndarray:
        return np.zeros(len(self.members))

    def clip(self, theta: np.ndarray) -> np.ndarray:
        return np.asarray(np.clip(theta, self._limits[0], self._limits[1]))

    def values(self, theta: Iterable[float]) -> dict[str, Value]:
        return {member.name: member.value(number) for member, number in zip(self.members, theta, strict=True)}

    def to_json(self) -> list[dict[str, Any]]:
        """Return a table for each parameter, with its name: a list, since stores sort mappings."""
        return [{"name": member.name, **member.to_json()} for member in self.members]

    @classmethod
    def from_json(cls, tables: Iterable[Mapping[str, Any]]) -> Self:
        return cls.of({table["name"]: {key: table[key] for key in table if key != "name"} for table in tables})

    @cached_property
    def _limits(self) -> np.ndarray:
        return np.array([member.limits for member in self.members]).T

    @property
    def box(self) -> np.ndarray:
        """The lowest and the highest numbers of vectors, infinite where a parameter has no limit."""
        missing = [[not one.choices and limit is None for limit in (one.low, one.high)] for one in self.members]
        return np.where(np.array(missing).T, np.array([[-np.inf], [np.inf]]), self._limits)


def place_of(value: object, choices: Iterable[object]) -> int:
    """Return the index of a value among others, where True differs from 1; -1 if it is missing."""
    sames = (value == other and isinstance(value, bool) == isinstance(other, bool) for other in choices)
    return next((place for place, same in enumerate(sames) if same), -1)


def _parameter(name: str, table: object, source: str) -> Parameter:
    if not name.strip() or not name.isprintable() or len(name) > MAX_LETTERS:
        raise ValueError(
            f"{source} has a parameter called {shorten(name)}: a name has 1 to {MAX_LETTERS} printable characters"
        )
    what = f"the parameter {name} in {source}"
    if not isinstance(table, Mapping):
        raise ValueError(f"{what} is {shorten(table)}: it must be a table, as in [{name}] with start = 5")
    keys = CHOICE_KEYS if "choices" in table else NUMBER_KEYS
    for key in table:
        if key not in keys:
            other = " (with choices)" if "choices" in table else ""
            raise ValueError(f"{what} has the unknown key {shorten(key)}: the keys{other} are {', '.join(keys)}")
    if "start" not in table:
        raise ValueError(f"{what} has no start: give the value that it has now, as in start = 5")
    return _choice(name, table, what) if "choices" in table else _number(name, table, what)


def _choice(name: str, table: Mapping[str, Any], what: str) -> Parameter:
    start, choices = table["start"], table["choices"]
    if not isinstance(choices, list | tuple) or len(choices) < 2:
        raise ValueError(f"{what} has the choices {shorten(choices)}: they must be a list of two values or more")
    for place, choice in enumerate(choices):
        if not isinstance(choice, str | bool | int | float):
            raise ValueError(f"{what} has the choice {shorten(choice)}: it must be a text, a number, true or false")
        if isinstance(choice, float) and not math.isfinite(choice):
            raise ValueError(f"{what} has the choice {choice}: a number must be finite")
        if place_of(choice, choices) != place:
            raise ValueError(f"{what} has the choice {shorten(choice)} twice: the choices must be different")
    place = place_of(start, choices)
    if place < 0:
        raise ValueError(
            f"{what} starts with {shorten(start)}: start must be one of its choices {shorten(list(choices))}"
        )
    return Parameter(name, choices[place], choices=tuple(choices))


def _number(name: str, table: Mapping[str, Any], what: str) -> Parameter:
    whole = table.get("whole", False)
    if not isinstance(whole, bool):
        raise ValueError(f"{what} has whole = {shorten(whole)}: it must be true or false")
    log = table.get("scale") == LOG
    start, low, high = (_real(table, key, what) for key in ("start", "low", "high"))
    scale = None if log else _real(table, "scale", what)
    assert start is not None
    for key, value in (("start", start), ("low", low), ("high", high)):
        if whole and value is not None and not (value == round(value) and abs(value) <= MAX_WHOLE):
            raise ValueError(f"{what} has {key} = {value:g}: of a whole parameter it must be a whole number up to 2^53")
    if low is not None and high is not None and low >= high:
        raise ValueError(f"{what} has low = {low:g} and high = {high:g}: low must be below high")
    if (low is not None and start < low) or (high is not None and start > high):
        limits = f"{'any number' if low is None else f'{low:g}'} .. {'any number' if high is None else f'{high:g}'}"
        raise ValueError(f"{what} starts at {start:g}: start must be within its limits {limits}")
    if log:
        if start <= 0 or (low is not None and low <= 0):
            raise ValueError(f'{what} has scale = "log": its start and its low must be above 0')
        scale = START_SHARE if low is None or high is None else math.log(high / low) * RANGE_SHARE
    elif scale is None:
        scale = abs(start) * START_SHARE or 1.0 if low is None or high is None else (high - low) * RANGE_SHARE
        scale = max(scale, 1.0) if whole else scale
    if scale <= 0:
        raise ValueError(f"{what} has scale = {scale:g}: it must be above 0, the change that matters")
    if not log and start + scale == start:
        raise ValueError(f"{what} has scale = {scale:g}, too small to change its start {start:g}: give a larger one")
    return Parameter(name, int(start) if whole else start, low, high, scale, whole, log=log)


def _real(table: Mapping[str, Any], key: str, what: str) -> float | None:
    if key not in table:
        return None
    value = table[key]
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{what} has {key} = {shorten(value)}: it must be a number")
    if not abs(value) <= MAX:  # also where it is NaN, or too large for a float
        raise ValueError(f"{what} has {key} = {shorten(value)}: it must be a number of at most {MAX:g}")
    return float(value)


# Parameter files: TOML, or JSON by suffix; any error in one becomes one message.

MAX_BYTES = 1_000_000


def read_parameters(path: str | Path) -> Parameters:
    """Return the parameters in a file, or raise a ValueError with the file, the problem and the remedy."""
    path = Path(path)
    content = read_bytes(path, "the parameter file", MAX_BYTES, "it needs a table of some lines each")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"the parameter file {path} is not text: it must be TOML or JSON in UTF-8") from None
    if not text.strip():
        raise ValueError(
            f"the parameter file {path} is empty: give a table for each parameter, as in [margin] with start = 5"
        )
    is_json = path.suffix.lower() == ".json"
    try:
        tables = parse_json(text) if is_json else tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a too long integer is not a TOMLDecodeError
        raise ValueError(f"the parameter file {path} is {'of no use' if is_json else 'not TOML'}: {error}") from None
    return Parameters.of(tables, str(path))
