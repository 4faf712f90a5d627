// Tunings of programs and matches: the way of each parameter between its limits, its landscape, and the sequential test.

import { sparkline } from "./figures.js";
import { ask, byId, element } from "./service.js";

const RENEW = 8000; // milliseconds between two readings of a run at work
const run = byId("run").dataset.run;

// Points [x, y], each perhaps with an interval [x, y, low, high], as a line within this range of y.
function line(words, points, low, high) {
  const share = (y) => (y - low) / (high - low || 1);
  const made = sparkline(points.map((point) => share(point[1])), points.filter((point) => point.length > 2).map((point) => point.slice(2).map(share)));
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", words);
  made.removeAttribute("aria-hidden");
  return made;
}

const shown = (value) => (typeof value === "number" && !Number.isInteger(value) ? value.toPrecision(5) : String(value));

function panel(one, most) {
  const number = (value) => (one.choices.length ? one.choices.indexOf(value) : Number(value));
  const way = one.way.map(([games, value]) => [games, number(value)]);
  const places = [number(one.start), ...way.map((point) => point[1])];
  const [low, high] = one.choices.length ? [0, one.choices.length - 1] : [one.low ?? Math.min(...places), one.high ?? Math.max(...places)];
  const between = one.choices.length ? one.choices.join(", ") : `${one.low ?? "no limit"} to ${one.high ?? "no limit"}`;
  const atLimit = !one.choices.length && [one.low, one.high].includes(one.value);
  const made = element("figure", `card parameter${atLimit ? " at-limit" : ""}`);
  const head = element("figcaption", "card-head");
  head.append(element("strong", "", one.name), element("b", "", shown(one.value)));
  const foot = element("p", "card-head small soft");
  foot.append(element("span", "", atLimit ? "at its limit: widen it" : `from ${shown(one.start)}`, { title: between }));
  if (one.importance !== undefined) foot.append(bar(one.importance / most, `${one.importance.toFixed(1)} standard errors`));
  made.append(head);
  if (way.length > 1) made.append(line(`${one.name} by games, ${between}`, way, low, high));
  if (one.points) {
    const points = one.points.map(([value, ...scores]) => [number(value), ...scores]);
    const scores = points.flatMap((point) => point.slice(1));
    made.append(element("span", "small soft", "score by value"), line(`Score above the start by ${one.name}`, points, Math.min(...scores), Math.max(...scores)));
    made.lastChild.classList.add("landscape");
  }
  made.append(foot);
  return made;
}

function bar(share, words) {
  const made = element("span", "bar", "", { title: words, role: "img", "aria-label": words });
  made.append(element("i"));
  made.style.setProperty("--share", Math.min(Math.max(share, 0), 1));
  return made;
}

// The test, with its bounds at the ends: a capital grows to its goal, a likelihood ratio goes either way.
const REACHED = ["The gain is shown.", "The upper hypothesis is accepted."];
function decide(decision, ended) {
  const [low, high] = [decision.low ?? 0, decision.high];
  const two = Number(decision.low !== null);
  const below = two && decision.value <= low;
  const verdict = decision.value >= high ? REACHED[two] : below ? "The lower hypothesis is accepted." : ended ? "Not decided." : "Not decided yet.";
  const made = [element("h2", "label", "Towards the decision"), element("p", "verdict-words", verdict)];
  made.push(bar((decision.value - low) / (high - low || 1), decision.text));
  const ends = element("p", "card-head small soft");
  ends.append(element("span", "", low.toFixed(2)), element("b", "", `${decision.title} ${decision.value.toFixed(2)}`), element("span", "", high.toFixed(2)));
  return [...made, ends];
}

async function renew() {
  const found = await ask(`/api/runs/${run}/panels`);
  const most = Math.max(...found.parameters.map((one) => one.importance ?? 0), 1);
  byId("panels").replaceChildren(...found.parameters.map((one) => panel(one, most)));
  byId("decision").hidden = !found.decision;
  if (found.decision) byId("decision").replaceChildren(...decide(found.decision, found.state === "finished"));
  if (found.state !== "finished") setTimeout(renew, RENEW);
}

renew();
