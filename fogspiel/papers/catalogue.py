"""Catalogue of reproducible parts of papers: stored experiments, and computations of some seconds."""

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
    return "holds" if holds else "does not hold"


class Options(NamedTuple):
    players: int = 10  # the Resistance: solve up to this many players
    full: int = 7  # the Resistance: Bossle's own program up to this many
    certificates: Path | None = None  # the Resistance: where to write certificates


class Computed(NamedTuple):
    facts: Json
    lines: Sequence[str | Table]
    report: Report | None = None  # the same with figures, to be written where the user names a folder


@dataclass(frozen=True)
class Computation:
    """A part of a paper that is computed at once: it gives a report, or facts and lines."""

    name: str
    paper: str
    compute: Callable[[Options, Say], Report | Computed]
    place: int = LAST

    @property
    def help(self) -> str:
        return help_of(sys.modules[self.compute.__module__])


def parts() -> dict[str, PaperPart | Computation]:
    found: dict[str, PaperPart | Computation] = collect("papers", "EXPERIMENTS")
    return dict(sorted(found.items(), key=lambda part: part[1].place))


def find_part(name: str) -> PaperPart | Computation:
    """Return the part of a paper of that name, or raise a ValueError that lists the names."""
    found = parts()
    if name not in found:
        raise unknown("paper", name, found)
    return found[name]
