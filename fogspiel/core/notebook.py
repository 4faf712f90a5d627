"""Results in notebooks: a small table in HTML."""

from collections.abc import Mapping
from html import escape


def html_table(title: str, rows: Mapping[str, object]) -> str:
    """A table of two columns; texts of several lines keep them."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left;white-space:pre'>{escape(str(value))}</td></tr>"
        for name, value in rows.items()
    )
    return f"<table><caption><b>{escape(title)}</b></caption>{cells}</table>"
