"""What the command line shows: tables on stdout, progress on stderr, numbers the way people read them.

All that is printed is text: a path, a run's name or a message may have square brackets or colons, which Rich would
otherwise take for styles and pictures.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from ..runs.formatting import ago as ago
from ..runs.formatting import with_interval as with_interval

REMARK_SECONDS = 30.0
"""How often a remark about the work is a line of its own where stderr is not a terminal."""

out = Console(soft_wrap=True, markup=False, emoji=False, highlight=False)
err = Console(stderr=True, soft_wrap=True, markup=False, emoji=False, highlight=False)
wide = Console(width=160, markup=False, emoji=False, highlight=False)


def bold(words: str) -> Text:
    """Words in bold."""
    return Text(words, style="bold")


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table; columns whose cells are numbers align to the right."""
    shown = Table(title=title, title_justify="left", header_style="bold")
    for number, column in enumerate(columns):
        numeric = bool(rows) and all(str(row[number])[:1].isdigit() for row in rows)
        shown.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(str(cell) for cell in row))
    (out if sys.stdout.isatty() else wide).print(shown, soft_wrap=False)


class Remarks:
    """Lines on stderr that say now and then how far the work is, where nobody sees a bar."""

    def __init__(self, title: str):
        self._title, self._told = title, time.monotonic()

    def tell(self, remark: str) -> None:
        """Print the remark if the last one is a while ago."""
        if remark and time.monotonic() >= self._told + REMARK_SECONDS:
            self._told = time.monotonic()
            err.print(f"{self._title}: {remark}")


class Bar:
    """A progress bar with a rate and a remark; lines now and then where stderr is not a terminal."""

    def __init__(self, progress: Progress, task: TaskID, remarks: Remarks | None):
        self._progress, self._task, self._began, self._remarks = progress, task, time.monotonic(), remarks

    def show(self, share: float | None, remark: str, games: int | None) -> None:
        """Move the bar to the share that is done, where it is known, and say how fast games are played."""
        rate = "" if games is None else f"{games / max(time.monotonic() - self._began, 1e-3):,.0f} games/s"
        total = None if share is None else 1.0
        self._progress.update(self._task, completed=share or 0.0, total=total, rate=rate, remark=remark)
        if self._remarks is not None:
            done = "" if share is None else f"{share:.0%}"
            self._remarks.tell(", ".join(word for word in (done, rate, remark) if word))


@contextmanager
def progress(title: str) -> Iterator[Bar]:
    """A progress bar on stderr; where that is not a terminal, a line now and then."""
    columns = (
        _column("{task.description}"), BarColumn(bar_width=24), TaskProgressColumn(), _column("{task.fields[rate]}"),
        _column("{task.fields[remark]}"), TimeRemainingColumn(),
    )  # fmt: skip
    remarks = None if err.is_terminal else Remarks(title)
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as shown:
        yield Bar(shown, shown.add_task(title, total=None, rate="", remark=""), remarks)


def _column(words: str) -> TextColumn:
    return TextColumn(words, markup=False)


@contextmanager
def status(title: str) -> Iterator[Callable[[str], None]]:
    """A line on stderr that says what is going on; where that is not a terminal, a line now and then."""
    if not err.is_terminal:
        yield Remarks(title).tell
        return
    with err.status(Text(title)) as status:
        yield lambda remark: status.update(Text(f"{title}: {remark}"))
