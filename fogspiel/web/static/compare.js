// Several runs over the same axes: how they score against their baselines on the way, or what their own trails say.

import { drawable, drawTrails, whenColoursChange } from "./charts.js";
import { beginning, moreOf, wayOf } from "./watch.js";

const place = document.getElementById("chart");
const RESTING = ["finished", "interrupted"];

// Runs at work are not measured, so that they are not slowed down.
async function trailOf(run) {
  const trail = await moreOf(beginning(run));
  const raced = trail.points.some((point) => "accepted" in point);
  return raced && RESTING.includes(trail.state) ? wayOf(run).catch(() => trail) : trail;
}

const found = await Promise.all(place.dataset.runs.split(" ").map(trailOf));
const trails = found.filter(drawable);
const alike = trails.filter((trail) => trail.chart.x === trails[0].chart.x && trail.chart.y === trails[0].chart.y);

function draw() {
  drawTrails(place, alike);
}

if (alike.length) {
  const left = found.length - alike.length;
  document.getElementById("caption").textContent = [...new Set(alike.map((trail) => trail.chart.title))].join("; ");
  document.getElementById("legend").textContent =
    "Intervals are 95 %, valid at any time." + (left ? ` ${left} of the runs count something else and are not drawn.` : "");
  draw();
  whenColoursChange(draw);
} else {
  document.getElementById("figure").hidden = true;
}
