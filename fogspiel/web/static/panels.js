// Tunings of programs and matches: the way of each parameter between its limits, its landscape, and the sequential test.

import { ask, byId, element } from "./service.js";

const RENEW = 8000; // milliseconds between two readings of a run at work
const [WIDTH, HEIGHT, EDGE] = [320, 120, 6];
const run = byId("run").dataset.run;

function drawn(name, facts) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(facts)) made.setAttribute(key, value);
  return made;
}

// Points [x, y], each perhaps with an interval [x, y, low, high], as a picture with this range of y.
function picture(words, points, low, high) {
  const xs = points.map((point) => point[0]);
  const [first, last] = [Math.min(...xs), Math.max(...xs)];
  const across = (x) => EDGE + ((x - first) / (last - first || 1)) * (WIDTH - 2 * EDGE);
  const down = (y) => HEIGHT - EDGE - ((y - low) / (high - low || 1)) * (HEIGHT - 2 * EDGE);
  const place = (x, y) => `${across(x).toFixed(1)},${down(y).toFixed(1)}`;
  const made = drawn("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, width: WIDTH, height: HEIGHT, role: "img", "aria-label": words });
  const wide = points.filter((point) => point.length > 2);
  const band = [...wide.map((point) => place(point[0], point[2])), ...[...wide].reverse().map((point) => place(point[0], point[3]))];
  if (wide.length) made.append(drawn("polygon", { points: band.join(" "), fill: "currentColor", opacity: 0.15 }));
  made.append(drawn("polyline", { points: points.map(([x, y]) => place(x, y)).join(" "), fill: "none", stroke: "currentColor", "stroke-width": 2 }));
  return made;
}

function panel(one) {
  const number = (value) => (one.choices.length ? one.choices.indexOf(value) : Number(value));
  const shown = (value) => (typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(5) : String(value));
  const made = element("figure", "");
  const between = one.choices.length ? one.choices.join(", ") : `${one.low ?? "no limit"} to ${one.high ?? "no limit"}`;
  const sure = one.importance === undefined ? "" : `; slope of ${one.importance.toFixed(1)} standard errors`;
  made.append(element("figcaption", "", `${one.name}: ${shown(one.value)} (began with ${shown(one.start)}; ${between}${sure})`));
  const way = one.way.map(([games, value]) => [games, number(value)]);
  const places = [number(one.start), ...way.map((point) => point[1])];
  const [low, high] = one.choices.length ? [0, one.choices.length - 1] : [one.low ?? Math.min(...places), one.high ?? Math.max(...places)];
  if (way.length > 1) made.append(picture(`${one.name} by games`, way, low, high));
  if (one.points) {
    const points = one.points.map(([value, ...scores]) => [number(value), ...scores]);
    const scores = points.flatMap((point) => point.slice(1));
    made.append(picture(`Score above the start by ${one.name}`, points, Math.min(...scores), Math.max(...scores)));
  }
  return made;
}

function bar(decision) {
  const made = element("p", "");
  const [low, high] = [decision.low ?? 0, decision.high];
  const meter = document.createElement("meter");
  Object.assign(meter, { min: low, max: high, value: Math.min(Math.max(decision.value, low), high) });
  made.append(meter, ` ${decision.text}`);
  return made;
}

async function renew() {
  const found = await ask(`/api/runs/${run}/panels`);
  byId("panels").replaceChildren(...(found.decision ? [bar(found.decision)] : []), ...found.parameters.map(panel));
  if (found.state !== "finished") setTimeout(renew, RENEW);
}

renew();
