// One run: its progress while it grows, and the buttons that stop and resume it.

import { drawable, drawProgress } from "./charts.js";
import { follow, showCheck } from "./checks.js";
import { askToDelete } from "./deletion.js";
import { ask, badgeClass, byId, element, lasting, pause, tell } from "./service.js";
import { measureWay, watch } from "./watch.js";

const SOON = 1000;
const MILLION = 1e6;
const LATELY = 8; // jobs that are listed
const RENEW = 8000; // milliseconds between two readings of the findings
const place = byId("run");
const run = place.dataset.run;
let latest = null;
let way = null;
let accepted = 0;
let renewed = 0;
let state = place.dataset.state;
let leaving = false;

function drawWay() {
  if (way === null || !drawable(way)) return;
  byId("way-chart").classList.remove("waiting-outline");
  byId("way-caption").textContent = way.chart.title;
  drawProgress(byId("way-chart"), [{ ...way, state, total: latest?.total }]);
}

async function measure() {
  byId("measure").disabled = true;
  byId("measure").textContent = "Measuring ..";
  try {
    way = await measureWay(run);
    drawWay();
  } catch (error) {
    tell(byId("trouble"), error.message);
  }
  byId("measure").disabled = false;
  byId("measure").textContent = "Measure again";
  byId("measure").hidden = state === "finished" && way !== null;
}

function draw() {
  if (latest === null) return;
  byId("figure").hidden = !drawable(latest);
  if (!drawable(latest)) return;
  byId("caption").textContent = latest.chart.title;
  const raced = latest.points.some((point) => "accepted" in point);
  byId("legend").textContent = raced
    ? "Bars are 95 % intervals, valid at any time; the others have theirs in the table of steps."
    : "The band is the 95 % interval, valid at any time.";
  if (latest.unit === "rounds") byId("legend").textContent = "The band is proved: the value lies inside.";
  drawProgress(byId("chart"), [latest]);
}

function progressText(progress) {
  if (progress.state === "queued") return "queued: it begins when one of the runs at work has ended";
  const done = Math.max(progress.done, progress.now?.at ?? 0);
  const of = progress.total ? ` of ${progress.total.toLocaleString("en")}` : "";
  const steps = progress.unit === "games" && progress.steps ? `${progress.steps.toLocaleString("en")} ${progress.steps === 1 ? "step" : "steps"}, ` : "";
  byId("progress").hidden = !progress.total || progress.state === "finished";
  if (progress.total) byId("progress").value = Math.min(1, done / progress.total);
  if (progress.now?.words && !progress.total) return `${progress.state}: ${progress.now.words}`;
  const unit = done === 1 && !progress.total ? progress.unit.replace(/s$/, "") : progress.unit;
  return `${progress.state}: ${steps}${done.toLocaleString("en")}${of} ${unit}`;
}

// How far the run is, how fast it goes, and what is left at this rate.
function listRates({ done: counted, now, total, unit, seconds }) {
  const done = Math.max(counted, now?.at ?? 0);
  const facts = done ? [[done >= MILLION ? `${(done / MILLION).toFixed(2)} M` : done.toLocaleString("en"), total ? `of ${total.toLocaleString("en")} ${unit}` : unit]] : [];
  if (seconds) facts.push([lasting(seconds), "run time"]);
  if (done && seconds) facts.push([(done / seconds).toLocaleString("en", { maximumSignificantDigits: 3 }), `${unit} per second`]);
  if (done && seconds && total > done && state === "running") facts.push([lasting(((total - done) * seconds) / done), "left, about"]);
  byId("rates").hidden = !facts.length;
  byId("rates").replaceChildren(...facts.map(([value, label]) => {
    const made = element("div");
    made.append(element("dt", "", label), element("dd", "", value));
    return made;
  }));
}

function listLately(progress) {
  const worded = progress.points.filter((point) => point.words).slice(-LATELY).reverse();
  byId("lately").hidden = worded.length === 0;
  byId("lately").replaceChildren(...worded.map((point) => element("li", "", point.words, { value: point.at })));
}

// Words with `code` in them, as a paragraph.
function paragraph(words) {
  const made = element("p");
  made.append(...words.split("`").map((piece, number) => (number % 2 ? element("code", "", piece) : piece)));
  return made;
}

// What was found is read anew when something was accepted, but not too often: the whole run is verified for it.
async function renewFindings(progress) {
  const count = progress.points.filter((point) => point.accepted ?? true).length + (progress.now && !("accepted" in progress.now) ? progress.now.at : 0);
  if (count === accepted || Date.now() < renewed + RENEW) return;
  [accepted, renewed] = [count, Date.now()];
  const { found, playable } = await ask(`/api/runs/${encodeURIComponent(run)}`);
  if (found.length) byId("findings").replaceChildren(...found.map(paragraph));
  for (const link of document.querySelectorAll(".playable")) link.hidden = !playable;
}

function onNews(progress) {
  if (leaving) return;
  if (progress.state !== state && progress.state === "finished") return location.reload();
  state = progress.state;
  latest = progress;
  const words = progressText(progress);
  if (byId("status").textContent !== words) byId("status").textContent = words;
  for (const badge of document.querySelectorAll("h1 .badge")) {
    badge.textContent = state;
    badge.className = badgeClass(state);
  }
  byId("stop").hidden = !["running", "starting", "queued"].includes(state);
  byId("delete").disabled = ["running", "starting", "queued"].includes(state);
  if (progress.seconds !== null && byId("worked")) byId("worked").textContent = `${progress.seconds.toFixed(1)} s`;
  byId("resume").hidden = state !== "interrupted";
  tell(byId("trouble"), progress.trouble ?? "");
  listLately(progress);
  listRates(progress);
  drawWay();
  if (byId("age") && progress.age) byId("age").textContent = progress.age;
  draw();
  renewFindings(progress).catch(() => {});
}

async function command(button, verb) {
  button.disabled = true;
  try {
    const answer = await ask(`/api/runs/${encodeURIComponent(run)}/${verb}`, {});
    leaving = verb === "resume" || answer.state !== state;
    if (leaving) return location.reload();
  } catch (error) {
    tell(byId("trouble"), error.message);
  }
  button.disabled = false;
}

// The report of a run that has ended: its tables and charts, from its own page, which may have to be worked out first.
async function showReport(place) {
  let answer;
  while ((answer = await fetch(place.dataset.report)).status === 202) await pause(SOON);
  if (!answer.ok) return;
  const found = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("report-blocks");
  place.replaceChildren(...found.childNodes);
  await import("./result.js");
}
if (byId("report")) showReport(byId("report")).catch(() => {}); // the link to it stays

// The buttons are served disabled: a click before this script is ready would be lost.
for (const verb of ["stop", "resume"]) {
  byId(verb).addEventListener("click", () => command(byId(verb), verb));
  byId(verb).disabled = false;
}
byId("copy")?.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(byId("command").textContent);
    byId("copy").textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(byId("command"));
  }
});
byId("measure")?.addEventListener("click", measure);
byId("verify")?.addEventListener("click", async () => {
  byId("verify").disabled = true;
  showCheck("The certificate is being checked ..", null);
  try {
    await follow(await ask(`/api/runs/${encodeURIComponent(run)}/verify`, {}));
  } catch (error) {
    showCheck(error.message, false);
  }
  byId("verify").disabled = false;
});
if (byId("verify")) byId("verify").disabled = false;
byId("note-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await ask(`/api/runs/${encodeURIComponent(run)}/note`, { note: byId("note").value });
    byId("note-kept").textContent = "Saved.";
  } catch (error) {
    byId("note-kept").textContent = error.message;
  }
});
byId("note").addEventListener("input", () => (byId("note-kept").textContent = ""));
byId("note-form").querySelector("button").disabled = false;
byId("delete").addEventListener("click", () =>
  askToDelete(run, () => location.assign("/runs"), (words, dialog) => (dialog.close(), tell(byId("trouble"), words))));
byId("delete").disabled = ["running", "starting", "queued"].includes(state);
if (byId("measure")) measure(); // also of a run at work, once: some seconds of one core
watch(run, onNews, (words) => (words || latest) && tell(byId("trouble"), words || (latest.trouble ?? "")));
