"""The list of runs as a person wants to see it: of a game, a kind, a state, with some words in it, in some order."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

if TYPE_CHECKING:
    from .pages.runs import RunLine

PAGE = 100
"""Runs on one page of the list."""
ORDERS: dict[str, tuple[str, Callable[["RunLine"], Any]]] = {
    "newest": ("newest first", lambda line: -line.created),
    "oldest": ("oldest first", lambda line: line.created),
    "seen": ("worked on last", lambda line: -(line.seen or line.created)),
    "name": ("by name", lambda line: line.name),
    "score": ("best score first", lambda line: (line.score is None, -(line.score or 0.0))),
    "games": ("most games first", lambda line: -(line.games or 0)),
    "steps": ("most steps first", lambda line: -line.steps),
}


@dataclass(frozen=True)
class Filter:
    """Which runs are wanted, and in which order; what is empty says nothing."""

    game: str = ""
    kind: str = ""
    state: str = ""
    words: str = ""
    order: str = "newest"

    def __post_init__(self) -> None:
        if self.order not in ORDERS:
            raise ValueError(f"there is no order {self.order[:40]!r}: it must be {', '.join(ORDERS)}")

    def passes(self, line: "RunLine") -> bool:
        """Whether a run is wanted: every word must be somewhere in its name, game, method, kind, state or note."""
        for wanted, found in ((self.game, line.game), (self.kind, line.kind), (self.state, line.state)):
            if wanted and wanted != found:
                return False
        text = " ".join((line.name, line.title, line.method or "", line.kind, line.state, line.note)).casefold()
        return all(word in text for word in self.words.casefold().split())

    def address(self, **changed: str | int) -> str:
        """The address of the list with this filter and these changes."""
        asked = {"game": self.game, "kind": self.kind, "state": self.state, "q": self.words, "sort": self.order}
        rest = {key: value for key, value in (asked | changed).items() if value not in ("", "newest", 1)}
        return f"/runs?{urlencode(rest)}" if rest else "/runs"


class RunPage(NamedTuple):
    """A page of the list: its runs, how many are wanted in all, and what there is to choose from."""

    lines: Sequence["RunLine"]
    found: int
    total: int
    number: int
    pages: int
    games: dict[str, str]
    kinds: list[str]
    states: list[str]


def page_of(lines: Sequence["RunLine"], wanted: Filter, number: int) -> RunPage:
    """The runs that are wanted, a page of them."""
    found = sorted(filter(wanted.passes, lines), key=ORDERS[wanted.order][1])
    pages = max(1, -(-len(found) // PAGE))
    number = min(number, pages)
    return RunPage(
        found[(number - 1) * PAGE : number * PAGE],
        len(found),
        len(lines),
        number,
        pages,
        {line.game: line.title for line in sorted(lines, key=lambda line: line.title)},
        sorted({line.kind for line in lines}),
        sorted({line.state for line in lines}),
    )
