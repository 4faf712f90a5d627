"""The HTML page of a report, self-contained with inline style and scripts, and its charts.

Charts are plotly JSON on the page, and SVG and PNG files if matplotlib is installed.
"""

import html
import io
import json
import math
from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from typing import Any
from urllib.parse import quote

from . import HEADING, NUMBER, Cell, Chart, Report, Series, Table, as_csv, cell_text, json_text, numeric

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f")
"""Okabe and Ito's palette, which is safe for all types of colour vision."""
BAND = 0.18
PANEL, ALONE = (4.1, 3.7), (6.8, 4.2)  # inches of one of several panels, and of a single chart
ACROSS = 3  # panels per row
LETTERS = 10  # characters per inch
LOOK = {
    "svg.hashsalt": "fogspiel",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e3e6ea",
    "legend.frameon": False,
    "axes.titlesize": 11,
}


def colours_of(report: Report) -> dict[str, str]:
    """Assign one colour to each series name, the same in all charts."""
    charts = (chart for panels in report.figures.values() for chart in panels)
    names = dict.fromkeys(series.name for chart in charts for series in chart.series)
    return {name: COLOURS[i % len(COLOURS)] for i, name in enumerate(names)}


def _apart(ends: Sequence[Cell], middles: Sequence[Cell]) -> list[float]:
    """Return the distances of the limits from the points; 0 if either is missing."""
    return [
        abs(end - middle) if isinstance(end, int | float) and isinstance(middle, int | float) else 0.0
        for end, middle in zip(ends, middles, strict=True)
    ]


def _with_limits(series: Series) -> list[int]:
    return [i for i, ends in enumerate(zip(series.low, series.high, strict=True)) if None not in ends]


# plotly


def plot_chart(chart: Chart, colours: dict[str, str]) -> dict[str, Any]:
    """Return the chart as plotly JSON; the page sets the colours of paper and ink."""
    traces, names = [], bool(chart.categories)
    for series in chart.series:
        colour, x = colours[series.name], [cell_text(at) for at in series.x] if names else list(series.x)
        label = html.escape(series.name, quote=False)  # plotly interprets some HTML in its labels
        trace: dict[str, Any] = {"name": label, "legendgroup": label, "x": x, "y": list(series.y)}
        if chart.kind == "line":
            trace |= {"type": "scatter", "mode": "lines", "line": {"color": colour, "width": 2}}
            kept = _with_limits(series)
            if kept:
                back = kept[::-1]
                band: dict[str, Any] = {"x": [x[i] for i in kept + back], "legendgroup": label}
                band["y"] = [series.low[i] for i in kept] + [series.high[i] for i in back]
                faint = f"rgba({','.join(str(int(colour[i : i + 2], 16)) for i in (1, 3, 5))},{BAND})"
                band |= {"type": "scatter", "mode": "none", "fill": "toself", "fillcolor": faint}
                band |= {"hoverinfo": "skip", "showlegend": False}
                traces.append(band)
        elif chart.kind == "dots":
            trace |= {"type": "scatter", "mode": "markers", "marker": {"color": colour, "size": 8}}
        else:
            trace |= {"type": "bar", "marker": {"color": colour}}
        if series.low and chart.kind != "line":
            above, below = _apart(series.high, series.y), _apart(series.low, series.y)
            trace["error_y"] = {"type": "data", "symmetric": False, "array": above, "arrayminus": below}
        traces.append(trace)
    layout: dict[str, Any] = {
        "margin": {"l": 10, "r": 10, "t": 30, "b": 10},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "xaxis": {"title": {"text": html.escape(chart.x, quote=False)}, "automargin": True}
        | ({"type": "category"} if names else {}),
        "yaxis": {"title": {"text": html.escape(chart.y, quote=False)}, "automargin": True},
        "showlegend": len(chart.series) > 1,
        "legend": {"orientation": "h", "x": 0, "y": 1.02, "yanchor": "bottom"},
        "hovermode": "x unified" if chart.kind == "line" else "closest",
        "scattermode": "group" if names and chart.kind == "dots" else "overlay",
    }
    if chart.kind == "dots":
        # All points and limits, and a margin of 5 %: plotly would start at 0 for dots in groups.
        cells = [y for series in chart.series for y in (*series.y, *series.low, *series.high)]
        points = [y for y in cells if isinstance(y, int | float)]
        low, high = min(points, default=0.0), max(points, default=1.0)
        more = (high - low) / 20 or 0.5
        layout["yaxis"] |= {"range": [low - more, high + more]}
    return {"data": traces, "layout": layout}


# matplotlib


def drawings(report: Report) -> dict[str, bytes]:
    """Draw every figure as SVG and PNG, by file name; return nothing without matplotlib."""
    if not report.figures:
        return {}
    try:
        from matplotlib import style
    except ImportError:
        return {}
    drawn, colours = {}, colours_of(report)
    for name, charts in report.figures.items():
        with style.context(["default", LOOK]):  # ignores the reader's own settings
            figure = draw_figure(charts, colours)
            for ending, unsigned in (("svg", {"Date": None, "Creator": None}), ("png", {"Software": None})):
                content = io.BytesIO()
                figure.savefig(content, format=ending, dpi=150, metadata=unsigned)
                drawn[f"{report.name}-{name}.{ending}"] = content.getvalue()
    return drawn


def draw_figure(charts: list[Chart], colours: dict[str, str]) -> Any:
    from matplotlib.figure import Figure

    width, height = PANEL if len(charts) > 1 else ALONE
    across = min(len(charts), ACROSS)
    rows = math.ceil(len(charts) / across)
    figure = Figure(figsize=(width * across, height * rows), layout="constrained")
    panels = [figure.add_subplot(rows, across, place + 1) for place in range(len(charts))]
    for panel, chart in zip(panels, charts, strict=True):
        _draw(panel, chart, colours, figure.get_figwidth() / across)
    legends = [zip(*panel.get_legend_handles_labels(), strict=True) for panel in panels]
    handles = {label: handle for legend in legends for handle, label in legend}
    if len(handles) > 1:
        fitting = int(figure.get_figwidth() * LETTERS / (max(map(len, handles)) + 6))
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=max(1, min(len(handles), fitting)))
    return figure


def _draw(panel: Any, chart: Chart, colours: dict[str, str], inches: float) -> None:
    names, count = chart.categories, len(chart.series)
    width = (0.8 if chart.kind == "bars" else 0.4) / count if count else 0.0
    for number, series in enumerate(chart.series):
        look = {"label": _literal(series.name), "color": colours[series.name]}
        shift = (number - (count - 1) / 2) * width if chart.kind != "line" else 0
        x = [names.index(cell_text(at)) + shift for at in series.x] if names else series.x
        y = [math.nan if at is None else at for at in series.y]
        limits = [_apart(series.low, series.y), _apart(series.high, series.y)] if series.low else None
        if chart.kind == "bars":
            panel.bar(x, y, width, yerr=limits, capsize=3, ecolor="#444444", **look)
        elif chart.kind == "dots":
            panel.errorbar(x, y, limits, fmt="o", markersize=5, capsize=3, **look)
        else:
            panel.plot(x, y, linewidth=1.6, **look)
            kept = _with_limits(series)
            low, high = [series.low[i] for i in kept], [series.high[i] for i in kept]
            panel.fill_between([x[i] for i in kept], low, high, color=look["color"], alpha=BAND, linewidth=0)
    if names:
        room = inches / len(names)
        slanted = {"rotation": 30, "ha": "right"} if max(map(len, names)) > LETTERS * room else {}
        panel.set_xticks(range(len(names)), map(_literal, names), **slanted)
        panel.grid(visible=False, axis="x")
    panel.set_title(_literal(chart.title), loc="left")
    panel.set_xlabel(_literal(chart.x))
    panel.set_ylabel(_literal(chart.y))


def _literal(text: str) -> str:
    """Escape matplotlib's math markup and drop backticks."""
    return text.replace("$", r"\$").replace("`", "")


# The page

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
