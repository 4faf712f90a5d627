// One run: its trail while it grows, and the buttons that stop and resume it.

import { drawable, drawTrails, whenColoursChange } from "./charts.js";
import { asked, element, tell } from "./service.js";
import { watch, wayOf } from "./watch.js";

const LATELY = 8;
const RENEW = 8000;
const place = document.getElementById("run");
const run = place.dataset.run;
const part = (name) => document.getElementById(name);
let latest = null;
let way = null;
let accepted = 0;
let renewed = 0;
let state = place.dataset.state;
let leaving = false;

function drawWay() {
  if (way === null || !window.Plotly) return;
  part("way-figure").hidden = false;
  part("way-caption").textContent = way.chart.title;
  drawTrails(part("way-chart"), [way]);
}

async function measure() {
  part("measure").disabled = true;
  part("measure").textContent = "Measuring ..";
  try {
    way = await wayOf(run);
    drawWay();
  } catch (error) {
    tell(part("trouble"), error.message);
  }
  part("measure").disabled = false;
  part("measure").textContent = "Measure it against the baseline";
  part("measure").hidden = state === "finished" && way !== null;
}

function draw() {
  if (latest === null || !window.Plotly) return;
  part("figure").hidden = !drawable(latest);
  if (!drawable(latest)) return;
  part("caption").textContent = latest.chart.title;
  const raced = latest.points.some((point) => "accepted" in point);
  part("legend").textContent = raced
    ? "Bars are 95 % intervals, valid at any time; the others have theirs in the table of steps."
    : "The band is the 95 % interval, valid at any time.";
  if (latest.unit === "rounds") part("legend").textContent = "The band is proved: the value lies inside.";
  drawTrails(part("chart"), [latest]);
}

function progress(trail) {
  const done = Math.max(trail.done, trail.now?.at ?? 0);
  const of = trail.total ? ` of ${trail.total.toLocaleString("en")}` : "";
  const steps = trail.unit === "games" && trail.steps ? `${trail.steps.toLocaleString("en")} ${trail.steps === 1 ? "step" : "steps"}, ` : "";
  part("progress").hidden = !trail.total || trail.state === "finished";
  if (trail.total) part("progress").value = Math.min(1, done / trail.total);
  return `${trail.state}: ${steps}${done.toLocaleString("en")}${of} ${trail.unit}`;
}

function listLately(trail) {
  const worded = trail.points.filter((point) => point.words).slice(-LATELY).reverse();
  part("lately").hidden = worded.length === 0;
  part("lately").replaceChildren(...worded.map((point) => element("li", "", point.words, { value: point.at })));
}

// Words with `code` in them, as a paragraph.
function paragraph(words) {
  const made = element("p");
  made.append(...words.split("`").map((piece, number) => (number % 2 ? element("code", "", piece) : piece)));
  return made;
}

// What was found is read anew when something was accepted, but not too often: the whole run is verified for it.
async function renewFindings(trail) {
  const count = trail.points.filter((point) => point.accepted ?? true).length + (trail.now && !("accepted" in trail.now) ? trail.now.at : 0);
  if (count === accepted || Date.now() < renewed + RENEW) return;
  [accepted, renewed] = [count, Date.now()];
  const { found, playable } = await asked(`/api/runs/${encodeURIComponent(run)}`);
  if (found.length) part("findings").replaceChildren(...found.map(paragraph));
  for (const link of document.querySelectorAll(".playable")) link.hidden = !playable;
}

function onNews(trail) {
  if (leaving) return;
  if (trail.state !== state && trail.state === "finished") return location.reload();
  state = trail.state;
  latest = trail;
  const words = progress(trail);
  if (part("status").textContent !== words) part("status").textContent = words;
  for (const badge of document.querySelectorAll("h1 .badge")) {
    badge.textContent = state;
    badge.className = `badge ${{ running: "live", starting: "live", finished: "good" }[state] ?? "warn"}`;
  }
  part("stop").hidden = !["running", "starting"].includes(state);
  part("resume").hidden = state !== "interrupted";
  tell(part("trouble"), trail.trouble ?? "");
  listLately(trail);
  draw();
  renewFindings(trail).catch(() => {});
}

async function command(button, verb) {
  button.disabled = true;
  try {
    const answer = await asked(`/api/runs/${encodeURIComponent(run)}/${verb}`, {});
    leaving = verb === "resume" || answer.state !== state;
    if (leaving) return location.reload();
  } catch (error) {
    tell(part("trouble"), error.message);
  }
  button.disabled = false;
}

// The buttons are served disabled: a click before this script is ready would be lost.
for (const verb of ["stop", "resume"]) {
  part(verb).addEventListener("click", () => command(part(verb), verb));
  part(verb).disabled = false;
}
part("copy")?.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(part("command").textContent);
    part("copy").textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(part("command"));
  }
});
part("measure")?.addEventListener("click", measure);
if (part("measure") && ["finished", "interrupted"].includes(state)) measure();
whenColoursChange(() => (draw(), drawWay()));
watch(run, onNews, (error) => tell(part("trouble"), error.message));
