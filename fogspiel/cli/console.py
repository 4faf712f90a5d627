"""Output of the command line: tables and JSON on stdout, progress on stderr, files.

All output is plain text: a path, a run's name or a message may have square brackets or colons, which Rich would
otherwise interpret as styles and emoji.
"""

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

REMARK_SECONDS = 30.0  # interval between remarks, a line each, where stderr is not a terminal

GAP = 2  # spaces between two columns of a table
# Words of more characters are paths or digests, not names, and may be broken, except in the first column.
LONG_NAME = 30

out = Console(soft_wrap=True, markup=False, emoji=False, highlight=False)
err = Console(stderr=True, soft_wrap=True, markup=False, emoji=False, highlight=False)


def bold(words: str) -> Text:
    return Text(words, style="bold")


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[object]], spare: Sequence[str] = ()) -> None:
    """Print a table that breaks no name; where it is too wide, without the spare columns, or row by row.

    Where stdout is not a terminal, columns are as wide as their cells. Columns of numbers align to the right.
    """
    cells = [tuple(str(cell) for cell in row) for row in rows]
    room = out.width if out.is_terminal else sys.maxsize
    widths = _column_widths(columns, cells, room)
    if widths is None and spare:
        kept = [number for number, column in enumerate(columns) if column not in spare]
        columns, cells = [columns[number] for number in kept], [tuple(row[number] for number in kept) for row in cells]
        widths = _column_widths(columns, cells, room)
    out.print(bold(title))
    if widths is None:
        for first, *others in cells:
            out.print(bold(first))
            for column, cell in zip(columns[1:], others, strict=True):
                if cell:
                    out.print(f"  {column}: {cell}")
        return
    shown = Table(header_style="bold", box=SIMPLE_HEAD if out.is_terminal else None, show_edge=False, pad_edge=False)
    shown.padding = (0, GAP - 1 if shown.box else GAP, 0, 0)  # a frame adds another space
    for number, column in enumerate(columns):
        numeric = bool(cells) and all(row[number][:1].isdigit() for row in cells)
        shown.add_column(column, justify="right" if numeric else "left", overflow="fold", width=widths[number])
    for row in cells:
        shown.add_row(*row)
    width = sum(widths) + GAP * len(widths)
    printer = out if out.is_terminal else Console(width=width, markup=False, emoji=False, highlight=False)
    with printer.capture() as page:
        printer.print(shown, soft_wrap=False, width=width)
    out.file.write("".join(f"{line.rstrip()}\n" for line in page.get().splitlines()))


def _column_widths(columns: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Return the width of each column, the widest ones narrowed to fit; None if a name would be broken."""
    texts = [[column, *(row[number] for row in rows)] for number, column in enumerate(columns)]
    widths = [max(cell_len(line) for text in column for line in text.split("\n")) for column in texts]
    least = [max((cell_len(word) for text in column for word in text.split()), default=0) for column in texts]
    least = [least[0], *(min(width, LONG_NAME) for width in least[1:])]
    room -= GAP * (len(columns) - 1)
    if sum(least) > room:
        return None
    while sum(widths) > room:
        widest = max((number for number, width in enumerate(widths) if width > least[number]), key=widths.__getitem__)
        widths[widest] -= 1
    return widths


class Remarks:
    """Occasional progress lines on stderr, where no bar is visible."""

    def __init__(self, title: str):
        self._title, self._told = title, time.monotonic()

    def tell(self, remark: str) -> None:
        """Print the remark if the last one was REMARK_SECONDS ago."""
        if remark and time.monotonic() >= self._told + REMARK_SECONDS:
            self._told = time.monotonic()
            err.print(f"{self._title}: {remark}")


class Bar:
    """Progress bar with a rate and a remark; occasional lines where stderr is not a terminal."""

    def __init__(self, progress: Progress, task: TaskID, remarks: Remarks | None):
        self._progress, self._task, self._began, self._remarks = progress, task, time.monotonic(), remarks

    def show(self, share: float | None, remark: str, games: int | None) -> None:
        """Move the bar to the completed fraction, where it is known, and show the rate of games."""
        rate = "" if games is None else f"{games / max(time.monotonic() - self._began, 1e-3):,.0f} games/s"
        total = None if share is None else 1.0
        self._progress.update(self._task, completed=share or 0.0, total=total, rate=rate, remark=remark)
        if self._remarks is not None:
            done = "" if share is None else f"{share:.0%}"
            self._remarks.tell(", ".join(word for word in (done, rate, remark) if word))


@contextmanager
def progress(title: str) -> Iterator[Bar]:
    """Show a progress bar on stderr, or occasional lines where that is not a terminal."""
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
    """Show the current activity on stderr, or occasional lines where that is not a terminal."""
    if not err.is_terminal:
        yield Remarks(title).tell
        return
    with err.status(Text(title)) as status:
        yield lambda remark: status.update(Text(f"{title}: {remark}"))


# JSON and files


def print_json(body: Mapping[str, Any]) -> None:
    """Print the one JSON object of a command, its renamed keys under both names."""
    sys.stdout.write(json.dumps(with_new_keys(body), allow_nan=False) + "\n")


def _is_row(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, int) for one in value)


NEW_KEYS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "proof": ("validation", lambda value: isinstance(value, dict)),
    "observed": ("pair_counts", _is_row),
    "pairs": ("pair_counts", _is_row),
    "claims": ("p_values", lambda value: isinstance(value, list) and all(isinstance(row, list) for row in value)),
    "circle": ("cycle", lambda value: isinstance(value, list)),
    "seen": ("last_seen", lambda value: not isinstance(value, str)),
    "how": ("ending", lambda value: True),
    "why": ("reason", lambda value: True),
    "against": ("opponent", lambda value: True),
    "as": ("seat", lambda value: True),
    "sort": ("program_type", lambda value: True),
    "change": ("fix", lambda value: isinstance(value, str)),
    "place": ("location", lambda value: value is None or isinstance(value, str)),
}  # by the key from before 1.0: the new key, printed too, and whether a value has that meaning
RULE_SET = re.compile(r"[a-z][a-z-]*")  # names one; versions of rules are numbers or digests, other texts neither
STORED = ("ask", "steps", "result", "lines", "tables")  # content of rows and files, printed unchanged


def with_new_keys(body: Any) -> Any:
    """Return a JSON value with keys from before 1.0 under their new names too."""
    if isinstance(body, list):
        return [with_new_keys(one) for one in body]
    if not isinstance(body, Mapping):
        return body
    found = {key: value if key in STORED else with_new_keys(value) for key, value in body.items()}
    for key, (new, means) in NEW_KEYS.items():  # in a fixed order: the output is the same in every process
        if key in body and means(body[key]):
            found.setdefault(new, found[key])
    if isinstance(rules := body.get("rules"), int) or str(rules).startswith("sha256 "):
        found.setdefault("rules_version", rules)
    elif isinstance(rules, str) and RULE_SET.fullmatch(rules):
        found.setdefault("rule_set", rules)
    return found


def write_text(text: str, output: Path | None) -> None:
    """Write to a file, or to stdout if none is named."""
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ValueError(f"{output} cannot be written: {error.strerror or error}") from None
