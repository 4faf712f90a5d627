"""Charts as plotly JSON for the HTML page, and as SVG and PNG if matplotlib is installed."""

import html
import io
import math
from collections.abc import Sequence
from typing import Any

from .model import Cell, Chart, Report, Series, cell_text

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
    names = dict.fromkeys(
        series.name for charts in report.figures.values() for chart in charts for series in chart.series
    )
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
                band |= {"type": "scatter", "mode": "none", "fill": "toself", "fillcolor": _faint(colour)}
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
        layout["yaxis"] |= {"range": _span(chart)}  # plotly would start at 0 for dots in groups
    return {"data": traces, "layout": layout}


def _span(chart: Chart) -> list[float]:
    """Return the range of the y axis: all points and limits, and a margin of 5 %."""
    points = [
        y for series in chart.series for y in (*series.y, *series.low, *series.high) if isinstance(y, int | float)
    ]
    low, high = min(points, default=0.0), max(points, default=1.0)
    more = (high - low) / 20 or 0.5
    return [low - more, high + more]


def _faint(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{BAND})"


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
    handles = {
        label: handle for panel in panels for handle, label in zip(*panel.get_legend_handles_labels(), strict=True)
    }
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
