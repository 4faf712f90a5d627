"""The parts of papers that can be done again, by name: stored experiments, and computations of some seconds."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from ..core.game_names import unknown
from ..core.plugins import collect, help_of
from ..runs.report import Report, Table
from ..runs.store import Json
from .kinds import LAST, PaperPart

Say = Callable[[str], None]


def verdict(holds: bool) -> str:
    """True if a claim of a paper holds."""
    return "holds" if holds else "does not hold"


class Options(NamedTuple):
    """Options of a computation."""

    players: int = 10  # the Resistance: solve up to this many players
    full: int = 7  # the Resistance: Bossle's own program up to this many
    certificates: Path | None = None  # the Resistance: where to write certificates


class Computed(NamedTuple):
    """Result of a computation, as JSON and as text."""

    facts: Json
    lines: Sequence[str | Table]
    report: Report | None = None  # the same with figures, to be written where the user names a folder


@dataclass(frozen=True)
class Computation:
    """A part of a paper that is worked out at once: it gives a report, or facts and lines."""

    name: str
    paper: str
    compute: Callable[[Options, Say], Report | Computed]
    place: int = LAST

    @property
    def help(self) -> str:
        """The first line of its module's docstring."""
        return help_of(sys.modules[self.compute.__module__])


def parts() -> dict[str, PaperPart | Computation]:
    """Every part of a paper by name, in the order in which they are listed."""
    found: dict[str, PaperPart | Computation] = collect("papers", "EXPERIMENTS")
    return dict(sorted(found.items(), key=lambda part: part[1].place))


def find_part(name: str) -> PaperPart | Computation:
    """The part of a paper of that name, or a ValueError that lists the names there are."""
    found = parts()
    if name not in found:
        raise unknown("paper", name, found)
    return found[name]
