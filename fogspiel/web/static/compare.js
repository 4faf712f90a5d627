// Several runs over the same axes: how they score against their baselines on the way, or what their own steps say.

import { drawable, drawProgress } from "./charts.js";
import { byId, tell } from "./service.js";
import { measureWay, noProgress, readMore } from "./watch.js";

const place = byId("chart");
const RESTING = ["finished", "interrupted"];
const WHY = "a run is drawn if it has scores at two moments or more, over the same axes as the others.";

// Runs at work are not measured, so that they are not slowed down.
async function progressOf(run) {
  const progress = await readMore(noProgress(run));
  const raced = progress.points.some((point) => "accepted" in point);
  return raced && RESTING.includes(progress.state) ? measureWay(run).catch(() => progress) : progress;
}

const found = await Promise.all(place.dataset.runs.split(" ").map(progressOf));
const drawn = found.filter(drawable);
const alike = drawn.filter((progress) => progress.chart.x === drawn[0].chart.x && progress.chart.y === drawn[0].chart.y);

function draw() {
  drawProgress(place, alike);
}

if (alike.length) {
  byId("caption").textContent = [...new Set(alike.map((progress) => progress.chart.title))].join("; ");
  byId("legend").textContent = "Intervals are 95 %, valid at any time.";
  byId("figure").hidden = false;
  draw();
}
const rest = found.length - alike.length;
if (!alike.length) tell(byId("nothing"), `There is nothing to draw: ${WHY} The table compares the rest.`);
else if (rest) tell(byId("nothing"), `${rest === 1 ? "One run is" : `${rest} runs are`} not drawn: ${WHY}`);
