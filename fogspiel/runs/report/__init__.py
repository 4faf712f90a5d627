"""Reports, written as Markdown, HTML, JSON, a CSV per table, and charts as SVG and PNG.

Equal reports are byte-identical: no output depends on the time or the machine.
"""

import os
from contextlib import suppress
from pathlib import Path

from .model import Cell, Chart, Part, Report, Series, Table, as_csv, as_markdown, cell_text, json_text, to_json

__all__ = ["Cell", "Chart", "Part", "Report", "Series", "Table", "cell_text", "files", "to_json", "write_report"]


def files(report: Report) -> dict[str, bytes]:
    """Return every file of a report, by name; figures only if matplotlib is installed."""
    from .charts import drawings  # most runs write no report
    from .html_page import as_html

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
