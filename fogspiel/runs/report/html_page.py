"""Self-contained HTML page of a report, with inline style, scripts and plotly."""

import html
import json
from contextlib import suppress
from fractions import Fraction
from urllib.parse import quote

from .charts import colours_of, plot_chart
from .model import HEADING, NUMBER, Cell, Chart, Report, Table, as_csv, cell_text, json_text, numeric

STYLE = """
:root { color-scheme: light dark; --ink: #1d2530; --soft: #5b6675; --line: #dfe3e8; --page: #fdfdfc; --row: #f3f5f7;
  --link: #0b62a8 }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e7eb; --soft: #9aa5b1; --line: #333b45; --page: #14181d;
  --row: #1c2229; --link: #79b8f3 } }
body { margin: 0 auto; max-width: 66rem; padding: 1.5rem 1rem 4rem; background: var(--page); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif }
h1 { font-size: 1.6rem; line-height: 1.25 } h2 { font-size: 1.25rem; margin-top: 2.4rem }
p, h1 { max-width: 44rem; overflow-wrap: break-word }
a { color: var(--link) } code { font-size: .92em; overflow-wrap: anywhere }
.note, .made { color: var(--soft); font-size: .9rem }
.wide { overflow-x: auto } table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums }
caption, figcaption { text-align: left; font-weight: 600; padding: .4rem 0 }
th, td { padding: .35rem .8rem .35rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line) }
th { border-bottom: 2px solid var(--soft); vertical-align: bottom } tbody tr:hover { background: var(--row) }
th button { all: unset; cursor: pointer } th button:focus-visible { outline: 2px solid var(--link) }
th[aria-sort=ascending] button::after { content: " ▴" } th[aria-sort=descending] button::after { content: " ▾" }
.number { text-align: right } td.number { white-space: nowrap }
.panels { display: grid; gap: 0 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(100%, 19rem), 1fr)) }
figure { margin: 1.2rem 0; min-width: 0 } .chart { height: 22rem }
"""

SCRIPT = """
for (const table of document.querySelectorAll("table")) table.tHead.addEventListener("click", event => {
  const head = event.target.closest("button")?.closest("th"), body = table.tBodies[0];
  if (!head) return;
  const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
  const key = row => row.cells[head.cellIndex].dataset.key;
  const order = head.className ? (a, b) => a - b : (a, b) => a.localeCompare(b);
  const compare = (a, b) => (a === "") - (b === "") || sign * order(a, b);
  body.append(...[...body.rows].sort((a, b) => compare(key(a), key(b))));
});
const colour = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const draw = () => {
  for (const place of document.querySelectorAll(".chart")) {
    const chart = JSON.parse(place.nextElementSibling.textContent);
    chart.layout.font = { family: "system-ui, sans-serif", size: 13, color: colour("--ink") };
    chart.layout.hoverlabel = { bgcolor: colour("--page"), font: { color: colour("--ink") } };
    for (const trace of chart.data) if (trace.type === "bar" && trace.error_y) trace.error_y.color = colour("--ink");
    for (const axis of [chart.layout.xaxis, chart.layout.yaxis])
      Object.assign(axis, { gridcolor: colour("--line"), linecolor: colour("--soft"), zeroline: false });
    Plotly.react(place, chart.data, chart.layout, { displayModeBar: false, responsive: true });
  }
};
if (window.Plotly) {
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}
"""


def _inline_html(text: str) -> str:
    """Escape text for HTML, with `code` as code."""
    pieces = html.escape(text).split("`")
    return "".join(f"<code>{piece}</code>" if i % 2 else piece for i, piece in enumerate(pieces))


def _link(name: str, kind: str, text: str) -> str:
    return f'<a download="{name}" href="data:{kind};charset=utf-8,{quote(text)}">{name}</a>'


def _number(text: str) -> str:
    """Return the sort key of a text that starts with a number, or is a fraction."""
    with suppress(ValueError, ZeroDivisionError):
        return str(float(Fraction(text)))
    found = NUMBER.match(text)
    return found[0].replace(",", "") if found else ""


def _html_table(report: Report, table: Table) -> str:
    right = [' class="number"' if numeric(table, column) else "" for column in range(len(table.columns))]

    def cell(value: Cell, style: str) -> str:
        key = _number(value) if style and isinstance(value, str) else "" if value is None else str(value)
        return f'<td{style} data-key="{html.escape(key)}">{_inline_html(cell_text(value))}</td>'

    heads = "".join(
        f"<th{style}><button>{_inline_html(name)}</button></th>"
        for name, style in zip(table.columns, right, strict=True)
    )
    rows = "\n".join(f"<tr>{''.join(map(cell, row, right))}</tr>" for row in table.rows)
    link = _link(f"{report.name}-{table.name}.csv", "text/csv", as_csv(table))
    return (
        f'<div class="wide"><table><caption>{_inline_html(table.title)}</caption><thead><tr>{heads}</tr></thead>\n'
        f'<tbody>{rows}</tbody></table></div>\n<p class="note">{_inline_html(table.note)} {link}</p>'
    )


def _html_figure(charts: list[Chart], colours: dict[str, str]) -> str:
    panels = []
    for chart in charts:
        body = json.dumps(plot_chart(chart, colours), ensure_ascii=False).replace("<", "\\u003c")
        note = f'<p class="note">{_inline_html(chart.note)}</p>' if chart.note else ""
        panels.append(
            f'<figure><figcaption>{_inline_html(chart.title)}</figcaption><div class="chart"></div>'
            f'<script type="application/json">{body}</script>{note}</figure>'
        )
    return f'<div class="panels">{"".join(panels)}</div>'


def as_html(report: Report) -> str:
    """Return the report as a self-contained page, with plotly's script if there are charts."""
    blocks, colours = [f"<p>{_inline_html(text)}</p>" for text in report.paragraphs], colours_of(report)
    for block in report.blocks():
        if isinstance(block, Table):
            blocks.append(_html_table(report, block))
        elif isinstance(block, list):
            blocks.append(_html_figure(block, colours))
        elif block.startswith(HEADING):
            blocks.append(f"<h2>{_inline_html(block.removeprefix(HEADING))}</h2>")
        else:
            blocks.append(f"<p>{_inline_html(block)}</p>")
    scripts = [SCRIPT]
    if report.figures:
        from plotly.offline import get_plotlyjs

        scripts.insert(0, get_plotlyjs())
    everything = _link(f"{report.name}.json", "application/json", json_text(report))
    return "\n".join(
        [
            '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{html.escape(report.title)}</title>\n<style>{STYLE}</style>\n<h1>{_inline_html(report.title)}</h1>",
            f'<p class="made">Made by <code>{html.escape(report.command)}</code>. All numbers: {everything}</p>',
            *blocks,
            *(f"<script>{script}</script>" for script in scripts),
            "</html>\n",
        ]
    )
