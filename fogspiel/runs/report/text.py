"""A report in Markdown, JSON and CSV."""

import csv
import io
import json
import re
from dataclasses import asdict
from typing import Any

from .parts import HEADING, Report, Table, cell_text, numeric


def as_json(report: Report) -> dict[str, Any]:
    """Everything in the report, unrounded."""
    parts = [{"text": part} if isinstance(part, str) else {part.part: asdict(part)} for part in report.parts]
    head = {"name": report.name, "title": report.title, "command": report.command}
    return head | {"paragraphs": list(report.paragraphs), "parts": parts}


def json_text(report: Report) -> str:
    """`as_json`, written."""
    return json.dumps(as_json(report), indent=1, ensure_ascii=False) + "\n"


def as_csv(table: Table) -> str:
    """A table for other programs, unrounded."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([table.columns, *table.rows])
    return text.getvalue()


def _escape(text: str) -> str:
    """Text that Markdown shows as it is, but for `code`."""
    pieces = " ".join(text.split()).split("`")
    for i in range(0, len(pieces), 2):
        kept = re.sub(r"([\\*~]|(?<!\w)_|_(?!\w)|(?<=\])\()", r"\\\1", pieces[i])
        pieces[i] = re.sub(r"&(?=#?\w+;)", "&amp;", kept).replace("<", "&lt;")
    return re.sub(r"^(?=[#>+-])", r"\\", "`".join(pieces))


def as_markdown(report: Report, drawn: bool) -> str:
    """The report in Markdown, with the charts if they were `drawn`."""
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
