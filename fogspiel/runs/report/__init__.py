"""Reports: tables, charts, paragraphs and headings; the curve of a run, a point per step; and their files.

A report is written as Markdown, HTML, JSON, a CSV per table, and charts as SVG and PNG. Equal reports are
byte-identical: no output depends on the time or the machine.
"""

import csv
import io
import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self

from ...core.untrusted_input import JsonRecord
from ..request import check_name
from ..store import Json

Cell = str | int | float | None
KINDS = ("line", "dots", "bars")
HEADING = "## "
FIGURES = re.compile(r"[-+]?\d[^A-Za-z]*")
NUMBER = re.compile(r"[-+]?\d[\d,]*(\.\d+)?(e[-+]?\d+)?", re.IGNORECASE)
FORMULA = re.compile(r"[=+@\t\n-]")  # starts a formula of a spreadsheet, unless the whole cell is figures
FIGURES_ALONE = re.compile(r"[-+]?[0-9](?:[0-9.,;/%=() \[\]+-]|(?<=[0-9])e(?=[-+]?[0-9]))*")


def cell_text(cell: Cell) -> str:
    """Format a cell: floats with four decimals, or three significant digits if very small or large."""
    if cell is None:
        return ""
    if isinstance(cell, float) and (cell == 0 or 1e-3 <= abs(cell) < 1e6):
        return f"{cell:,.4f}"
    return f"{cell:.3g}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else cell


def numeric(table: "Table", column: int) -> bool:
    """True if a column holds only numbers or numeric text, and so aligns to the right."""
    cells = [row[column] for row in table.rows if row[column] not in (None, "")]
    return bool(cells) and all(FIGURES.fullmatch(cell) for cell in cells if isinstance(cell, str))


def _plain(cell: Any) -> Cell:
    """Convert a cell to a JSON type, including numbers of other libraries."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, Integral):
        return int(cell)
    if isinstance(cell, Real) and math.isfinite(cell):
        return float(cell)
    raise ValueError(f"a report cannot show {cell!r}: write text, a finite number, or None for what is missing")


@dataclass(frozen=True)
class Table(JsonRecord):
    """Rows of cells; None is missing, and floats are rounded for display only."""

    PART, KEYS = "table", ("name", "title", "columns", "rows", "note")

    name: str
    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    def __post_init__(self) -> None:
        check_name(self.name, "the name")
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "rows", tuple(tuple(_plain(cell) for cell in row) for row in self.rows))
        for row in self.rows:
            if len(row) != len(self.columns):
                raise ValueError(f"a row of table {self.name} has {len(row)} cells for {len(self.columns)} columns")


@dataclass(frozen=True)
class Series(JsonRecord):
    """Points of one name; with `low` and `high`, the limits of its interval."""

    KEYS = ("name", "x", "y", "low", "high")

    name: str
    x: Sequence[Cell]
    y: Sequence[Cell]
    low: Sequence[Cell] = ()
    high: Sequence[Cell] = ()

    def __post_init__(self) -> None:
        for field in ("x", "y", "low", "high"):
            object.__setattr__(self, field, tuple(_plain(cell) for cell in getattr(self, field)))
        lengths = (len(self.y), len(self.low) or len(self.x), len(self.high) or len(self.x))
        if lengths != (len(self.x),) * 3 or bool(self.low) != bool(self.high):
            raise ValueError(f"series {self.name} needs as many y (and low and high, if any) as x")

    @classmethod
    def of(cls, name: str, points: Iterable[Sequence[Any]]) -> Self:
        return cls(name, *(list(zip(*points, strict=True)) or ((), ())))


@dataclass(frozen=True)
class Chart(JsonRecord):
    """Series over one pair of axes; charts of one `group` are panels of one figure."""

    PART, KEYS = "chart", ("name", "title", "x", "y", "series", "kind", "note", "group")

    name: str
    title: str
    x: str
    y: str
    series: Sequence[Series]
    kind: str = "line"
    note: str = ""
    group: str = ""

    def __post_init__(self) -> None:
        check_name(self.figure, "the name")
        object.__setattr__(self, "series", tuple(self.series))
        if self.kind not in KINDS:
            raise ValueError(f"chart {self.name} is of kind {self.kind!r}: it must be {', '.join(KINDS)}")

    @property
    def figure(self) -> str:
        return self.group or self.name

    @property
    def categories(self) -> list[str]:
        """Names along a categorical x axis."""
        if self.kind != "bars" and not any(isinstance(x, str) for series in self.series for x in series.x):
            return []
        return list(dict.fromkeys(cell_text(x) for series in self.series for x in series.x))


Part = Table | Chart | str


@dataclass(frozen=True)
class Report:
    """Paragraphs, then parts: tables, charts, further paragraphs, and headings (text that starts with `## `)."""

    name: str
    title: str
    command: str
    paragraphs: Sequence[str]
    parts: Sequence[Part]

    def __post_init__(self) -> None:
        check_name(self.name, "the name")
        object.__setattr__(self, "paragraphs", tuple(self.paragraphs))
        object.__setattr__(self, "parts", tuple(self.parts))
        names = [part.name for part in self.parts if not isinstance(part, str)]
        groups = {part.group for part in self.parts if isinstance(part, Chart)}
        clashing = {name for name in names if names.count(name) > 1 or name in groups}
        if clashing:
            raise ValueError(f"report {self.name} has several parts called {min(clashing)}: each needs its own name")

    @property
    def tables(self) -> list[Table]:
        return [part for part in self.parts if isinstance(part, Table)]

    def facts(self, run: str | None) -> dict[str, Any]:
        """Return the `--json` object of the report: its tables, with each row as an object by column."""
        tables = {one.name: [dict(zip(one.columns, row, strict=True)) for row in one.rows] for one in self.tables}
        return {"paper": self.name, "run": run, "command": self.command, "tables": tables}

    @property
    def figures(self) -> dict[str, list[Chart]]:
        found: dict[str, list[Chart]] = {}
        for part in self.parts:
            if isinstance(part, Chart):
                found.setdefault(part.figure, []).append(part)
        return found

    def blocks(self) -> Iterator[Table | list[Chart] | str]:
        """Yield the parts in order, a figure with all its panels in place of its first panel."""
        figures = self.figures
        for part in self.parts:
            if not isinstance(part, Chart):
                yield part
            elif part.figure in figures:
                yield figures.pop(part.figure)


# A report in Markdown, JSON and CSV.


def to_json(report: Report) -> dict[str, Any]:
    """Return the whole report, unrounded."""
    parts = [{"text": part} if isinstance(part, str) else {part.PART: part.to_json()} for part in report.parts]
    head = {"name": report.name, "title": report.title, "command": report.command}
    return head | {"paragraphs": list(report.paragraphs), "parts": parts}


def json_text(report: Report) -> str:
    return json.dumps(to_json(report), indent=1, ensure_ascii=False) + "\n"


def as_csv(table: Table) -> str:
    """Return a table as CSV, unrounded."""
    return csv_text([table.columns, *table.rows])


def csv_text(rows: Iterable[Sequence[Cell]]) -> str:
    """Return rows as CSV; an apostrophe keeps spreadsheets from running a text of others as a formula."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([_inert(cell) for cell in row] for row in rows)
    return text.getvalue()


def _inert(cell: Cell) -> Cell:
    if not isinstance(cell, str):
        return cell
    text = cell.replace("\r", "\n")  # which csv quotes; readers take a bare \r for the end of the row
    return f"'{text}" if FORMULA.match(text) and not FIGURES_ALONE.fullmatch(text) else text


def _escape(text: str) -> str:
    """Escape Markdown markup, except `code`."""
    pieces = " ".join(text.split()).split("`")
    for i in range(0, len(pieces), 2):
        kept = re.sub(r"([\\*~]|(?<!\w)_|_(?!\w)|(?<=\])\()", r"\\\1", pieces[i])
        pieces[i] = re.sub(r"&(?=#?\w+;)", "&amp;", kept).replace("<", "&lt;")
    return re.sub(r"^(?=[#>+-])", r"\\", "`".join(pieces))


def as_markdown(report: Report, drawn: bool) -> str:
    """Return the report in Markdown, with image links if the charts were `drawn`."""
    blocks = [f"# {_escape(report.title)}", f"Made by `{report.command}`.", *map(_escape, report.paragraphs)]
    if report.figures and not drawn:
        page = f"{report.name}.html"
        blocks.append(f"The charts are in `{page}` only, because matplotlib (the extra `paper`) is not installed.")
    for block in report.blocks():
        if isinstance(block, str):
            heading = HEADING if block.startswith(HEADING) else ""
            blocks.append(heading + _escape(block.removeprefix(HEADING)))
        elif isinstance(block, Table):
            rules = ["---:" if numeric(block, column) else "---" for column in range(len(block.columns))]
            rows = [block.columns, *([cell_text(cell) for cell in row] for row in block.rows)]
            lines = ["| " + " | ".join(_escape(cell).replace("|", r"\|") for cell in row) + " |" for row in rows]
            lines.insert(1, "|" + "|".join(rules) + "|")
            blocks += [f"**{_escape(block.title)}**", "\n".join(lines), _escape(block.note)]
        else:
            titles = "; ".join(_escape(chart.title) for chart in block)
            if drawn:
                alternative = titles.replace("[", r"\[").replace("]", r"\]")
                blocks.append(f"![{alternative}]({report.name}-{block[0].figure}.svg)")
            blocks += [f"**{titles}**", *(_escape(chart.note) for chart in block)]
    return "\n\n".join(block for block in blocks if block) + "\n"


def files(report: Report) -> dict[str, bytes]:
    """Return every file of a report, by name; figures only if matplotlib is installed."""
    from .html_page import as_html, drawings  # most runs write no report

    drawn = drawings(report)
    texts = {f"{report.name}.md": as_markdown(report, bool(drawn)), f"{report.name}.html": as_html(report)}
    texts[f"{report.name}.json"] = json_text(report)
    texts |= {f"{report.name}-{table.name}.csv": as_csv(table) for table in report.tables}
    return {name: text.encode() for name, text in texts.items()} | drawn


def write_report(report: Report, folder: Path) -> list[Path]:
    """Write every file of a report to a folder, each atomically."""
    made, paths = files(report), []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in made.items():
            _replace(folder / name, content)
            paths.append(folder / name)
    except OSError as error:
        why = error.strerror or error
        raise ValueError(f"the report cannot be written to {folder} ({why}): name a folder that can be") from None
    return paths


def _replace(path: Path, content: bytes) -> None:
    draft = path.with_name(f"{path.name}.{os.getpid()}-draft")
    try:
        draft.write_bytes(content)
        os.replace(draft, path)
    finally:
        with suppress(OSError):
            draft.unlink()


# Curves


@dataclass(frozen=True, slots=True)
class CurvePoint(JsonRecord):
    """State of a run after a step; None if unknown."""

    KEYS = ("at", "value", "low", "high", "accepted", "population", "words")

    at: int
    value: float | None = None
    low: float | None = None
    high: float | None = None
    accepted: bool | None = None
    population: int | None = None
    text: str | None = None

    def to_json(self) -> Json:
        return {key: value for key, value in JsonRecord.to_json(self).items() if value is not None}


class Curve:
    """Base curve: a count of finished jobs."""

    title, x, y = "", "jobs", ""

    def __init__(self, total: int | None = None, unit: str = "jobs"):
        self.total, self.unit = total, unit
        self.done = 0

    def step(self, body: Json) -> CurvePoint:
        self.done += 1
        row = body.get("row", {})
        words = " ".join(str(row[key]) for key in ("job", "game", "method", "first", "second", "seed") if key in row)
        return CurvePoint(self.done, text=words)

    def under_way(self, body: Json) -> CurvePoint | None:
        """Return the point of the current, unfinished step."""
        return None

    def end(self, body: Json) -> CurvePoint | None:
        """Return the point of the result, if it adds to the steps."""
        return None

    def points(self, steps: Iterable[Json]) -> list[CurvePoint]:
        return [self.step(body) for body in steps]

    def to_json(self) -> Json:
        drawn = {"title": self.title, "x": self.x, "y": self.y}
        return {"chart": drawn if self.title else None, "done": self.done, "total": self.total, "unit": self.unit}


class BoundsCurve(Curve):
    title, x, y = "The value lies between", "rounds", "value of the game"

    def __init__(self) -> None:
        super().__init__(unit="rounds")

    def step(self, body: Json) -> CurvePoint:
        self.done = body["number"]
        return _bounds_point(self.done, body)

    def under_way(self, partial: Json) -> CurvePoint | None:
        saved, words = partial.get("saved") or partial, partial.get("remark")
        if "lower" in saved:
            return replace(_bounds_point(1, saved), text=words)
        return None if words is None else CurvePoint(self.done, text=words)

    def end(self, result: Json) -> CurvePoint | None:
        return None if self.done else _bounds_point(1, result)


def _bounds_point(at: int, body: Json) -> CurvePoint:
    """Return the point of numeric bounds, given as numbers or as text of fractions."""
    lower, upper = (None if body.get(key) is None else float(Fraction(str(body[key]))) for key in ("lower", "upper"))
    return CurvePoint(at, None if lower is None or upper is None else (lower + upper) / 2, lower, upper)


def trail_chart(trail: Curve, points: Sequence[CurvePoint]) -> Chart | None:
    """Chart the values with their intervals; None if no step has a value."""
    known = [point for point in points if point.value is not None]
    if not known:
        return None
    series = Series.of(trail.y or "value", [(point.at, point.value, point.low, point.high) for point in known])
    return Chart("way", trail.title, trail.x, trail.y, [series])
