"""Catalogue of reproducible parts of papers: stored experiments, and computations of some seconds."""

import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

from ..core.find import unknown
from ..core.plugins import collect, help_of
from ..runs.kind import Row, rows_of
from ..runs.report import Report, Table
from ..runs.requests import PaperRequest
from ..runs.store import Json, Store
from .claims import Claim
from .kinds import LAST, PaperPart

Say = Callable[[str], None]


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
    claims: Callable[[Options, Say], Sequence[Claim]] | None = None  # the claims of the paper that it decides

    @property
    def help(self) -> str:
        return help_of(sys.modules[self.compute.__module__])


def parts() -> dict[str, PaperPart | Computation]:
    found: dict[str, PaperPart | Computation] = collect("papers", "EXPERIMENTS")
    return dict(sorted(found.items(), key=lambda part: part[1].place))


def paper_key(citation: str) -> str:
    """Return the short name of a paper: first author and year of its citation, as in `bossle2018`."""
    author, year = citation.split()[0], re.search(r"\d{4}", citation)
    return author.lower() + (year.group() if year else "")


def papers() -> dict[str, list[PaperPart | Computation]]:
    """Return the parts of every paper, by its short name."""
    found: dict[str, list[PaperPart | Computation]] = {}
    for part in parts().values():
        if part.claims is not None:
            found.setdefault(paper_key(part.paper), []).append(part)
    return found


def claims_of(part: PaperPart | Computation, store: Path, options: Options, say: Say) -> list[Claim]:
    """Return the claims that a part decides: computed at once, or from its newest finished run in the store."""
    if part.claims is None:
        return []
    if isinstance(part, Computation):
        found, command = part.claims(options, say), f"fogspiel paper {part.name}"
    else:
        request, rows = newest_run(part.name, store)
        found, command = part.claims(request, rows), request.command
    return [claim if claim.command else replace(claim, command=command) for claim in found]


def newest_run(name: str, store: Path) -> tuple[PaperRequest, list[Row]]:
    """Return the request and the rows of the newest finished run of a part; without one, the default and no rows."""
    if store.exists():
        with Store.open(store, write=False) as runs:
            for summary in sorted(runs.summaries(), key=lambda one: one.created, reverse=True):
                if (summary.method, summary.game) == ("paper", name):
                    run = runs.read(summary.name)
                    if run.finished:
                        return PaperRequest.from_json(run.request), rows_of(run)
    return PaperRequest(name=name), []


EVERY = "all"  # every paper


def find_part(name: str) -> PaperPart | Computation:
    """Return the part of a paper of that name, or raise a ValueError that lists the names."""
    found = parts()
    if name in found:
        return found[name]
    if name in (known := check_name(name)):
        names = " or ".join(part.name for part in known[name])
        raise ValueError(f"{name} is a paper: add --claims, or name one of its parts, {names}")
    raise ValueError(f"{EVERY} names every paper: add --claims")


def check_name(name: str) -> dict[str, list[PaperPart | Computation]]:
    """Return the papers, or raise a ValueError if the name is neither a part, nor a paper, nor `all`."""
    found, known = parts(), papers()
    if name not in found and name not in known and name != EVERY:
        raise unknown("paper", name, found)
    return known


def claims_of_papers(name: str, store: Path, options: Options, say: Say) -> dict[str, list[Claim]]:
    """Return the claims of a part, of a paper or of all papers, by citation."""
    known = check_name(name)
    asked = {name: [parts()[name]]} if name in parts() else known if name == EVERY else {name: known[name]}
    found: dict[str, list[Claim]] = {}
    for part in (part for group in asked.values() for part in group):
        say(f"claims of {part.name}")
        found.setdefault(part.paper, []).extend(claims_of(part, store, options, say))
    if not any(found.values()):
        raise ValueError(f"paper {name} has no claims: parts with claims are {', '.join(map(_names, known.values()))}")
    return found


def _names(group: Sequence[PaperPart | Computation]) -> str:
    return ", ".join(part.name for part in group)
