"""What the command line shows: tables on stdout, progress on stderr, numbers the way people read them."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from ..runs.formatting import ago as ago
from ..runs.formatting import with_interval as with_interval

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Print a table; columns whose cells are numbers align to the right."""
    shown = Table(title=title, title_justify="left", header_style="bold")
    for number, column in enumerate(columns):
        numeric = bool(rows) and all(str(row[number])[:1].isdigit() for row in rows)
        shown.add_column(column, justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        shown.add_row(*(str(cell) for cell in row))
    (out if sys.stdout.isatty() else Console(width=160, highlight=False)).print(shown, soft_wrap=False)


class Bar:
    """A progress bar with a rate and a remark."""

    def __init__(self, progress: Progress, task: TaskID):
        self._progress, self._task, self._began = progress, task, time.monotonic()

    def show(self, share: float | None, remark: str, games: int | None) -> None:
        """Move the bar to the share that is done, where it is known, and say how fast games are played."""
        rate = "" if games is None else f"{games / max(time.monotonic() - self._began, 1e-3):,.0f} games/s"
        total = None if share is None else 1.0
        self._progress.update(self._task, completed=share or 0.0, total=total, rate=rate, remark=remark)


@contextmanager
def progress(title: str) -> Iterator[Bar]:
    """A progress bar on stderr, silent where stderr is not a terminal."""
    columns = (
        TextColumn(title), BarColumn(bar_width=24), TaskProgressColumn(), TextColumn("{task.fields[rate]}"),
        TextColumn("{task.fields[remark]}"), TimeRemainingColumn(),
    )  # fmt: skip
    with Progress(*columns, console=err, transient=True, disable=not err.is_terminal) as shown:
        yield Bar(shown, shown.add_task(title, total=None, rate="", remark=""))


@contextmanager
def status(title: str) -> Iterator[Callable[[str], None]]:
    """A line on stderr that says what is going on, silent where stderr is not a terminal."""
    with err.status(title) if err.is_terminal else nullcontext() as status:

        def say(remark: str) -> None:
            if status is not None:
                status.update(f"{title}: {remark}")

        yield say
