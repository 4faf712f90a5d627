// The list of runs: ticks for comparing, and figures that follow the runs at work.

import { askToDelete } from "./deletion.js";
import { sparkline } from "./figures.js";
import { ask, badgeClass, byId, element, lasting, tell } from "./service.js";
import { listen } from "./watch.js";

const MIN = 2;
const MAX = 8;
const form = byId("comparison");

function count() {
  const ticked = form.querySelectorAll("input[name=run]:checked").length;
  const words = ticked < MIN ? `Tick two runs or more to compare them, at most ${MAX}.` : `${ticked} runs are ticked.`;
  byId("compare").disabled = ticked < MIN || ticked > MAX;
  byId("ticked").textContent = ticked > MAX ? `${ticked} runs are ticked: at most ${MAX} fit.` : words;
}

// The way of a run as far as it came, within the range of its intervals; what is still to come is fog.
async function sketch(row) {
  const { points, chart, done, total, state, words, now } = await ask(`/api/runs/${encodeURIComponent(row.dataset.run)}/sketch`);
  const so = row.querySelector(".so-far");
  const far = Math.max(done, now?.at ?? 0), come = state === "finished" || !total ? 1 : Math.min(far / total, 1);
  row.querySelector(".sentence").textContent = words || (state === "running" ? "Nothing to report yet." : state === "queued" ? "Begins when another run has ended." : state === "interrupted" ? `Stopped${total ? ` at ${Math.round(100 * come)} %` : ""}.` : "");
  tellLeft(row, come, state);
  if (points.length < 2) {
    if (come === 1) return so.replaceChildren();
    const bar = element("span", "bar");
    bar.append(element("i"));
    bar.style.setProperty("--share", come);
    return so.replaceChildren(bar, element("span", "small soft", `${Math.round(100 * come)} %`));
  }
  const ends = points.flatMap((point) => [point.value, point.low ?? point.value, point.high ?? point.value]);
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const share = (value) => (value - low) / (high - low || 1);
  const band = points.map((point) => [point.low ?? point.value, point.high ?? point.value].map(share));
  const made = sparkline(points.map((point) => share(point.value)), band, come);
  for (const [name, words] of [["role", "img"], ["aria-label", `${chart.title}: ${points.at(-1).value.toFixed(4)} so far`]]) made.setAttribute(name, words);
  made.removeAttribute("aria-hidden");
  so.replaceChildren(made);
}

// How much of a run at work is done, and about how long the rest takes at its rate.
function tellLeft(row, come, state) {
  const place = row.querySelector(".left"), seconds = Number(row.dataset.seconds);
  place.replaceChildren();
  if (state !== "running" || come >= 1) return;
  const bar = element("span", "bar");
  bar.append(element("i"));
  bar.style.setProperty("--share", come);
  const left = come > 0.01 && seconds ? `, about ${lasting((seconds * (1 - come)) / come)} left` : "";
  place.append(bar, element("span", "small", `${Math.round(100 * come)} %${left}`));
}

const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    sketch(target).catch(() => {});
  }
});

function renew(line) {
  const row = document.querySelector(`tr[data-run="${CSS.escape(line.name)}"]`);
  if (!row) return;
  const shown = { worth: line.worth, age: line.age, state: line.state, steps: line.steps.toLocaleString("en") };
  row.dataset.seconds = line.seconds ?? "";
  if (line.games !== null) shown.games = line.games.toLocaleString("en");
  for (const [name, words] of Object.entries(shown)) {
    const cell = row.querySelector(`[data-field="${name}"]`);
    if (!cell || cell.textContent === words) continue;
    cell.textContent = words;
    if (name === "steps") seen.observe(row);
  }
  row.querySelector(".badge").className = badgeClass(line.state);
}

function follow() {
  listen(() => "/api/events", ({ runs, total }) => {
    if (total !== Number(form.dataset.total) && !document.querySelector("dialog[open]") && !form.querySelector("input:checked")) return location.reload();
    return runs.forEach(renew);
  }, () => {});
}

for (const choice of byId("filter")?.querySelectorAll("select") ?? []) choice.addEventListener("change", () => byId("filter").submit());
if (form) {
  for (const button of form.querySelectorAll(".delete")) {
    button.disabled = false;
    button.addEventListener("click", () => {
      tell(byId("trouble"), "");
      byId("deletion-run").textContent = button.dataset.run;
      askToDelete(button.dataset.run, () => location.reload(), (words) => tell(byId("trouble"), words));
    });
  }
  form.addEventListener("change", count);
  for (const row of form.querySelectorAll("tr[data-run]")) seen.observe(row);
  count();
  follow();
}
