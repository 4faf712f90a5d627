// Several runs over the same axes: how they score against their baselines on the way, or what their own steps say.

import { drawable, drawProgress, whenColoursChange } from "./charts.js";
import { byId } from "./service.js";
import { measureWay, noProgress, readMore } from "./watch.js";

const place = byId("chart");
const RESTING = ["finished", "interrupted"];

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
  const left = found.length - alike.length;
  byId("caption").textContent = [...new Set(alike.map((progress) => progress.chart.title))].join("; ");
  byId("legend").textContent =
    "Intervals are 95 %, valid at any time." + (left ? ` ${left} of the runs count something else and are not drawn.` : "");
  draw();
  whenColoursChange(draw);
} else {
  byId("figure").hidden = true;
}
