// Charts, drawn by plotly from the installed package in the colours of the page: the progress of runs, charts of reports.

import { byId } from "./service.js";

const COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"];
const MANY = 40; // points from which on a line has no dots
const LARGE = 10000; // numbers from which on ticks are written as 20k
const FEW = 10; // whole numbers that have a tick each
let script = null;

// Plotly is large: it is loaded when there is something to draw.
export function loadPlotly() {
  script ??= new Promise((done, failed) => {
    const made = document.createElement("script");
    made.src = new URL("./plotly.min.js", import.meta.url).href;
    made.onload = done;
    made.onerror = () => failed(new Error("The script that draws charts could not be loaded."));
    document.head.append(made);
  });
  return script;
}

// Ticks of an axis that counts something: whole numbers, never thousandths.
function countingAxis(words, most) {
  const title = { text: plain(words) };
  if (most >= LARGE) return { title, tickformat: "~s" };
  return most <= FEW ? { title, tickformat: "d", dtick: 1 } : { title, tickformat: ",d" };
}

// The colour of a token, light or dark, in hexadecimal digits.
function colour(name) {
  const probe = document.body.appendChild(document.createElement("i"));
  probe.style.setProperty("color", `var(${name})`);
  const numbers = getComputedStyle(probe).color.match(/\d+/g).slice(0, 3).map(Number);
  probe.remove();
  return `#${numbers.map((number) => number.toString(16).padStart(2, "0")).join("")}`;
}

// Plotly reads a little HTML in its labels.
function plain(words) {
  return words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

function faint(hex) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
  return `rgba(${red},${green},${blue},0.18)`;
}

function show(place, traces, layout) {
  const ink = colour("--ink");
  const axis = { gridcolor: colour("--line"), linecolor: colour("--edge"), zeroline: false, automargin: true };
  const whole = {
    margin: { l: 10, r: 10, t: 30, b: 10 },
    paper_bgcolor: "rgba(0,0,0,0)",
    plot_bgcolor: "rgba(0,0,0,0)",
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom" },
    ...layout,
    font: { family: "system-ui, sans-serif", size: 13, color: ink },
    hoverlabel: { bgcolor: colour("--surface"), bordercolor: colour("--line"), font: { color: ink } },
    xaxis: { ...layout.xaxis, ...axis },
    yaxis: { ...layout.yaxis, ...axis },
  };
  window.Plotly.react(place, traces, whole, { displayModeBar: false, responsive: true });
}

// All points with a value: of the steps, and of the step under way as far as it was watched.
function pointsOf(progress) {
  return [...progress.points, ...(progress.watched ?? []), ...(progress.now ? [progress.now] : [])].filter((point) => point.value != null);
}

// The traces of a run: dots for races, with bars where a newcomer was accepted; else a line within its interval.
function traces(progress, name, tint, group) {
  const known = pointsOf(progress);
  const common = { ...(name ? { legendgroup: group } : {}), type: "scatter" };
  const hover = "%{y:.4f} after %{x:,}<extra></extra>";
  if (known.some((point) => "accepted" in point)) {
    const [taken, left] = [known.filter((point) => point.accepted), known.filter((point) => !point.accepted)];
    const dots = (points, more) => ({
      ...common, mode: "markers", x: points.map((point) => point.at), y: points.map((point) => point.value),
      hovertemplate: hover, ...more,
    });
    const limits = (side) => taken.map((point) => (point.low == null ? 0 : Math.abs(point[side] - point.value)));
    return [
      dots(left, { name: `${name}not taken`, marker: { color: faint(tint), size: 5, line: { color: tint, width: 0.5 } } }),
      dots(taken, {
        name: `${name}taken`, marker: { color: tint, size: 8 },
        error_y: { type: "data", symmetric: false, array: limits("high"), arrayminus: limits("low"), color: tint, thickness: 1 },
      }),
    ];
  }
  const lined = known.filter((point) => point.low != null);
  const back = [...lined].reverse();
  const ends = [...lined.map((point) => point.low), ...back.map((point) => point.high)];
  return [
    { ...common, mode: "none", fill: "toself", fillcolor: faint(tint), hoverinfo: "skip", showlegend: false,
      x: [...lined, ...back].map((point) => point.at), y: ends },
    { ...common, mode: ["markers", "lines+markers", "lines"][(lined.length > 1) + (lined.length > MANY)], name: name.trim() || "value",
      line: { color: tint, width: 2 }, marker: { color: tint, size: lined.length > 1 ? 5 : 8 }, x: known.map((point) => point.at), y: known.map((point) => point.value),
      hovertemplate: hover,
      ...(lined.length > 1 ? {} : { error_y: { type: "data", symmetric: false, color: tint,
        array: lined.map((point) => point.high - point.value), arrayminus: lined.map((point) => point.value - point.low) } }) },
  ];
}

// A chart needs two places at least: a single point is said in words.
export function drawable(progress) {
  return Boolean(progress.chart) && new Set(pointsOf(progress).map((point) => point.at)).size > 1;
}

// The progress of one run or several over the same axes.
export async function drawProgress(place, runs) {
  await loadPlotly();
  const most = Math.max(...runs.flatMap((progress) => pointsOf(progress).map((point) => point.at)));
  const several = runs.length > 1;
  const drawn = runs.flatMap((progress, number) =>
    traces(progress, several ? `${plain(progress.run)} ` : "", several ? COLOURS[number % COLOURS.length] : colour("--spruce"), progress.run));
  const raced = runs.some((progress) => progress.points.some((point) => "accepted" in point));
  const half = { type: "line", xref: "paper", x0: 0, x1: 1, y0: 0.5, y1: 0.5, line: { color: colour("--edge"), width: 1, dash: "dot" } };
  show(place, drawn, {
    xaxis: countingAxis(runs[0].chart.x, most),
    yaxis: { title: { text: plain(runs[0].chart.y) } },
    shapes: raced ? [half] : [],
    showlegend: several || raced,
    hovermode: "closest",
  });
}

// The charts of a report, each described in a block of JSON behind its place.
export async function drawReport() {
  const places = document.querySelectorAll(".chart[data-chart]");
  if (places.length) await loadPlotly();
  for (const place of places) {
    const chart = JSON.parse(byId(place.dataset.chart).textContent);
    for (const trace of chart.data) if (trace.type === "bar" && trace.error_y) trace.error_y.color = colour("--ink");
    show(place, chart.data, chart.layout);
  }
}

export function whenColoursChange(draw) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}
