/* Charts in SVG, drawn at the size of their place and again when that changes: lines with bands, dots and bars.

   drawChart(place, chart)     a chart as reports have it: kind, x, y, categories, series of x, y, low and high; besides
                               `until` (where x will end: the rest is fog), `level` (a line across), `now` (words beside the last point)
                               `cursor` (an x that is looked at), `onPick(x)`, `heights` (the y axis), `plain` (no legend),
                               `narrows` (the interval will, with the square root of x)
   drawProgress(place, runs)   the progress of one run or several over the same axes
   Colours are classes, so that a chart follows the theme. Numbers are read under the pointer; tables have them all. */

import { svgElement } from "./men.js";
import { element } from "./service.js";

const COLOURS = 7; // series that have a colour of their own
const MANY = 40; // points from which on a line has no dots
const LETTER = 7.2; // width of a digit of a tick
const TALL = 11; // above the baseline
const drawn = new WeakMap();
const sizes = new ResizeObserver((entries) => entries.forEach(({ target }) => paint(target)));

export function drawChart(place, chart) {
  drawn.set(place, chart);
  sizes.observe(place);
  paint(place);
}

const finite = (value) => typeof value === "number" && Number.isFinite(value);

/* Round steps of an axis: 1, 2 or 5 times a power of ten; whole ones if all that is counted is whole. */
export function ticksOf(low, high, most, whole = false) {
  const raw = (high - low) / most || 1, power = 10 ** Math.floor(Math.log10(raw));
  let step = [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999) * power;
  if (whole) step = Math.max(1, step);
  const first = Math.ceil(low / step - 1e-9), last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.max(last - first + 1, 0) }, (_, at) => (first + at) * step);
}

/* A number of an axis: 20k from ten thousand on, and no more digits than the step has. */
function tickText(value, step) {
  if (Math.abs(value) >= 10000 || step >= 10000) {
    const [size, unit] = step >= 1e6 || Math.abs(value) >= 1e7 ? [1e6, "M"] : [1e3, "k"];
    return value === 0 ? "0" : `${Number((value / size).toPrecision(4))}${unit}`;
  }
  return value.toFixed(Math.min(Math.max(-Math.floor(Math.log10(step || 1) + 1e-9), 0), 12)).replace("-", "−");
}

const pointText = (value) => (finite(value) ? (Number.isInteger(value) ? value.toLocaleString("en") : Number(value.toPrecision(4)).toString()) : String(value)).replace("-", "−");

function paint(place) {
  const chart = drawn.get(place), [width, height] = [place.clientWidth, place.clientHeight];
  if (!chart || width < 40 || height < 40) return;
  const field = new Field(chart, width, height);
  place.replaceChildren(...(field.isNamed ? [legend(chart)] : []), field.figure, field.reading);
}

function legend(chart) {
  const list = element("ul", "legend");
  list.append(...chart.series.map((series, number) => element("li", toneOf(series, number), series.name)));
  return list;
}

const toneOf = (series, number) => `tone-${series.tone ?? number % COLOURS}`;

/* The axes of one chart at one size, with what is drawn between them. */
class Field {
  constructor(chart, width, height) {
    this.isNamed = chart.series.length > 1 && !chart.plain;
    Object.assign(this, { chart, width, height: this.isNamed ? height - 26 : height });
    const points = chart.series.flatMap((series) => series.x.map((x, at) => [x, series.y[at], series.low?.[at], series.high?.[at]]));
    const places = points.map(([x]) => this.number(x)).filter(finite);
    const heights = [...points.flatMap((point) => point.slice(1)), ...(chart.heights ?? []), ...(chart.kind === "bars" || chart.series.some(({ kind }) => kind === "bars") ? [0] : [])].filter(finite);
    if (finite(chart.level)) heights.push(chart.level);
    [this.low, this.high] = [Math.min(...heights), Math.max(...heights)];
    const more = (this.high - this.low) * 0.05 || Math.abs(this.high) * 0.1 || 0.5;
    if (!chart.heights) [this.low, this.high] = [chart.kind === "bars" && this.low === 0 ? 0 : this.low - more, this.high + more];
    const beside = chart.categories || chart.series.some(({ kind }) => kind === "bars") ? 0.5 : 0;
    [this.first, this.last] = [Math.min(...places) - beside, Math.max(...places, chart.until ?? -Infinity) + beside];
    if (this.first === this.last) [this.first, this.last] = [this.first - 1, this.last + 1];
    this.rows = ticksOf(this.low, this.high, Math.max(2, Math.floor(this.height / 56)));
    this.step = this.rows.length > 1 ? this.rows[1] - this.rows[0] : 1;
    const rowTexts = this.rows.map((row) => tickText(row, this.step));
    this.box = { left: Math.max(...rowTexts.map((text) => text.length), 1) * LETTER + 10, right: width - 14, top: chart.y ? 24 : 10, bottom: this.height - (chart.x ? 40 : 22) };
    this.figure = svgElement("svg", { viewBox: `0 0 ${width} ${this.height}`, width, height: this.height, class: "chart-figure", "aria-hidden": "true" });
    this.reading = element("output", "chart-reading", "", { "aria-hidden": "true" });
    this.axes(rowTexts);
    if (chart.cursor) this.add("rect", { class: "cursor", x: this.x(chart.cursor) - 16, y: this.box.top - 6, width: 32, height: this.box.bottom - this.box.top + 6, rx: 6 });
    if (chart.until > this.reached) this.fog();
    chart.series.forEach((series, number) => this.series(series, number));
    if (finite(chart.level)) this.add("line", { class: "level", x1: this.box.left, x2: this.box.right, y1: this.y(chart.level), y2: this.y(chart.level) });
    if (chart.now) this.mark(chart.now);
    this.figure.addEventListener("pointermove", (event) => this.read(event));
    this.figure.addEventListener("pointerleave", () => this.read(null));
    if (chart.onPick) this.figure.addEventListener("click", (event) => chart.onPick(Math.round(this.under(event.clientX - this.figure.getBoundingClientRect().left))));
  }

  number(x) {
    return this.chart.categories ? this.chart.categories.indexOf(String(x)) : Number(x);
  }

  x(value) {
    const { left, right } = this.box;
    return left + ((this.number(value) - this.first) / (this.last - this.first)) * (right - left);
  }

  /* The number at a place of the x axis. */
  under(place) {
    const { left, right } = this.box;
    return Math.min(Math.max(this.first + ((place - left) / (right - left)) * (this.last - this.first), this.first), this.last);
  }

  y(value) {
    const { top, bottom } = this.box;
    return bottom - ((value - this.low) / (this.high - this.low || 1)) * (bottom - top);
  }

  add(tag, attributes, words = "") {
    const made = svgElement(tag, attributes);
    made.textContent = words;
    this.figure.append(made);
    return made;
  }

  axes(rowTexts) {
    const { left, right, top, bottom } = this.box;
    this.rows.forEach((row, at) => {
      this.add("line", { class: "grid-line", x1: left, x2: right, y1: this.y(row), y2: this.y(row) });
      this.add("text", { x: left - 6, y: this.y(row) + 4, "text-anchor": "end" }, rowTexts[at]);
    });
    const wide = (right - left) / 74;
    const names = this.chart.categories?.map((name, at) => [at, name]);
    const every = names ? Math.ceil(names.length / Math.max(wide, 1)) : 1;
    const columns = names ? names.filter((_, at) => at % every === 0) : ticksOf(this.first, this.last, Math.max(2, this.chart.plain ? 2 * wide : wide), true);
    const step = columns.length > 1 ? columns[1] - columns[0] : 1;
    for (const column of columns) {
      const [at, words] = names ? column : [column, tickText(column, step)];
      const x = left + ((at - this.first) / (this.last - this.first)) * (right - left);
      const letters = Math.floor((right - left) / Math.max(columns.length, 1) / LETTER);
      this.add("text", { x, y: bottom + 17, "text-anchor": "middle" }, names && words.length > letters + 1 ? `${words.slice(0, letters)}..` : words);
    }
    if (this.chart.x) this.add("text", { class: "axis", x: right, y: bottom + 34, "text-anchor": "end" }, this.chart.x);
    if (this.chart.y) this.add("text", { class: "axis", x: 2, y: TALL }, this.chart.y);
  }

  get reached() {
    return Math.max(...this.chart.series.flatMap((series) => series.x.map(Number)));
  }

  /* What is still to come. The interval of a score over all games narrows with the square root of their number; of nothing else
     is said where it will lie. */
  fog() {
    const { top, bottom, right } = this.box, [series] = this.chart.series, last = series.x.length - 1;
    const [value, low, high] = [series.y[last], series.low?.[last], series.high?.[last]];
    const from = this.reached, ends = [0, 0.1, 0.25, 0.5, 0.75, 1].map((share) => from + share * (this.chart.until - from));
    if (this.chart.narrows && finite(low) && finite(high) && from > 0) {
      const edge = (bound) => ends.map((at) => `${this.x(at)} ${Math.min(Math.max(this.y(value + (bound - value) * Math.sqrt(from / at)), top), bottom)}`);
      this.add("polygon", { class: "future", points: [...edge(high), ...edge(low).reverse()].join(" ") });
    } else this.add("rect", { class: "future", x: this.x(from), y: top, width: Math.max(right - this.x(from), 0), height: bottom - top });
    if (right - this.x(from) > 120) this.add("text", { class: "future-words", x: right - 8, y: (top + bottom) / 2 - 12, "text-anchor": "end" }, "still in the fog");
  }

  series(series, number) {
    const tone = toneOf(series, number);
    const points = series.x.map((x, at) => ({ x, value: series.y[at], low: series.low?.[at], high: series.high?.[at], look: series.looks?.[at] ?? "" })).filter(({ value }) => finite(value));
    if ((series.kind ?? this.chart.kind) === "bars") return this.bars(points, series.kind ? 0 : number, tone);
    const lined = (this.chart.kind ?? "line") === "line" && !series.dots;
    const banded = points.filter(({ low, high }) => finite(low) && finite(high));
    if (lined && banded.length > 1) {
      const edge = (side) => banded.map((point) => `${this.x(point.x)} ${this.y(point[side])}`);
      this.add("polygon", { class: `band ${tone}`, points: [...edge("high"), ...edge("low").reverse()].join(" ") });
    }
    if (series.filled) this.add("polygon", { class: `band ${tone}`, points: [`${this.x(points[0].x)} ${this.box.bottom}`, ...points.map(({ x, value }) => `${this.x(x)} ${this.y(value)}`), `${this.x(points.at(-1).x)} ${this.box.bottom}`].join(" ") });
    if (lined && points.length > 1) this.add("polyline", { class: `line ${tone}`, points: points.map(({ x, value }) => `${this.x(x)} ${this.y(value)}`).join(" ") });
    if (!lined || points.length === 1) {
      for (const { x, low, high } of banded) this.add("line", { class: `limits ${tone}`, x1: this.x(x), x2: this.x(x), y1: this.y(low), y2: this.y(high) });
    }
    if (!lined || points.length <= MANY) {
      for (const { x, value } of points) this.add("circle", { class: `dot ${tone} ${series.look ?? ""}`, cx: this.x(x), cy: this.y(value), r: lined ? 3 : 4 });
    }
  }

  bars(points, number, tone) {
    const many = this.chart.kind === "bars" ? this.chart.series.length : 1, room = (this.box.right - this.box.left) / Math.max(this.chart.categories?.length ?? points.length, 1);
    const wide = Math.min((room * 0.7) / many, 46);
    for (const { x, value, low, high, look } of points) {
      const left = this.x(x) + (number - many / 2) * wide, [from, to] = [this.y(Math.max(value, 0)), this.y(Math.min(value, 0))];
      this.add("rect", { class: `column ${tone} ${look}`, x: left, y: from, width: Math.max(wide - 2, 1), height: Math.max(to - from, 1), rx: 2 });
      if (finite(low) && finite(high)) this.add("line", { class: "limits ink", x1: left + wide / 2, x2: left + wide / 2, y1: this.y(low), y2: this.y(high) });
    }
  }

  /* The latest point, with its words. */
  mark(words) {
    const [series] = this.chart.series, value = series.y.at(-1), x = this.x(series.x.at(-1));
    if (!finite(value)) return;
    this.add("line", { class: "now-line", x1: x, x2: x, y1: this.box.top, y2: this.box.bottom });
    this.add("circle", { class: "now-dot", cx: x, cy: this.y(value), r: 6 });
    const right = x < (this.box.left + this.box.right) / 2;
    this.add("text", { class: "now-words", x: right ? x + 10 : x - 10, y: this.box.top + 14, "text-anchor": right ? "start" : "end" }, words);
  }

  /* The nearest point to the pointer, in figures. */
  read(event) {
    if (!event) return (this.reading.textContent = "");
    const box = this.figure.getBoundingClientRect(), [px, py] = [event.clientX - box.left, event.clientY - box.top];
    const all = this.chart.series.flatMap((series) => series.x.map((x, at) => ({ series, x, value: series.y[at], low: series.low?.[at], high: series.high?.[at] })));
    const far = ({ x, value }) => Math.abs(this.x(x) - px) + 0.2 * Math.abs(this.y(value) - py);
    const near = all.filter(({ value }) => finite(value)).sort((one, other) => far(one) - far(other))[0];
    if (!near) return null;
    const limits = finite(near.low) && finite(near.high) ? ` [${pointText(near.low)}, ${pointText(near.high)}]` : "";
    this.reading.textContent = `${this.chart.series.length > 1 ? `${near.series.name}: ` : ""}${pointText(near.value)}${limits} at ${pointText(near.x)}`;
    this.reading.style.setProperty("left", `${Math.min(Math.max(this.x(near.x), 70), this.width - 70)}px`);
    return null;
  }
}

/* All points with a value: of the steps, and of the step under way as far as it was watched. */
function pointsOf(progress) {
  return [...progress.points, ...(progress.watched ?? []), ...(progress.now ? [progress.now] : [])].filter((point) => point.value != null);
}

function seriesOf(name, points, more = {}) {
  const column = (key) => points.map((point) => point[key] ?? null);
  return { name, x: column("at"), y: column("value"), low: column("low"), high: column("high"), ...more };
}

/* A chart needs two places at least: a single point is said in words. */
export function drawable(progress) {
  return Boolean(progress.chart) && new Set(pointsOf(progress).map((point) => point.at)).size > 1;
}

/* Dots for races, those taken with their intervals; else a line within its interval, and fog over what is to come. */
export function drawProgress(place, runs) {
  const several = runs.length > 1, [{ chart, state, total }] = runs;
  const raced = runs.some((progress) => progress.points.some((point) => "accepted" in point));
  const series = runs.flatMap((progress, number) => {
    const known = pointsOf(progress), name = several ? `${progress.run} ` : "", tone = several ? { tone: number % COLOURS } : { tone: "spruce" };
    if (!known.some((point) => "accepted" in point)) return [seriesOf(name.trim() || chart.y, known, tone)];
    return [
      seriesOf(`${name}not taken`, known.filter((point) => !point.accepted).map(({ at, value }) => ({ at, value })), { ...tone, dots: true, look: "faint" }),
      seriesOf(`${name}taken`, known.filter((point) => point.accepted), { ...tone, dots: true }),
    ].filter(({ x }) => x.length);
  });
  const last = several || raced ? null : pointsOf(runs[0]).at(-1);
  const until = last && state !== "finished" && total > last.at ? total : undefined;
  const limits = last && last.low != null ? `, between ${pointText(last.low)} and ${pointText(last.high)}` : "";
  drawChart(place, { kind: "line", x: chart.x, y: chart.y, series, until, level: raced ? 0.5 : undefined, narrows: runs[0].unit === "games", now: until ? `now: ${pointText(last.value)}${limits}` : "" });
}

/* The charts of a report, each described in a block of JSON behind its place. */
export function drawReport() {
  for (const place of document.querySelectorAll(".chart[data-chart]")) drawChart(place, JSON.parse(document.getElementById(place.dataset.chart).textContent));
}
