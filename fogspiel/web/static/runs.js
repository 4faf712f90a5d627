// The list of runs: ticks for comparing, and figures that follow the runs at work.

import { askToDelete } from "./deletion.js";
import { ask, badgeClass, byId, pause, tell } from "./service.js";

const MIN = 2;
const MAX = 8;
const SOON = 2000;
const SELDOM = 15000;
const form = byId("comparison");

function count() {
  const ticked = form.querySelectorAll("input[name=run]:checked").length;
  const words = ticked < MIN ? `Tick two runs or more to compare them, at most ${MAX}.` : `${ticked} runs are ticked.`;
  byId("compare").disabled = ticked < MIN || ticked > MAX;
  byId("ticked").textContent = ticked > MAX ? `${ticked} runs are ticked: at most ${MAX} fit.` : words;
}

function renew(line) {
  const row = document.querySelector(`tr[data-run="${CSS.escape(line.name)}"]`);
  if (!row) return;
  const shown = { worth: line.worth, age: line.age, state: line.state, steps: line.steps.toLocaleString("en") };
  if (line.games !== null) shown.games = line.games.toLocaleString("en");
  for (const [name, words] of Object.entries(shown)) {
    const cell = row.querySelector(`[data-field="${name}"]`);
    if (cell.textContent !== words) cell.textContent = words;
  }
  row.querySelector(".badge").className = badgeClass(line.state);
}

async function follow() {
  for (;;) {
    let wait = SELDOM;
    await pause(document.querySelector(".badge.live") ? SOON : SELDOM);
    while (document.hidden) await pause(SOON);
    try {
      const { runs } = await ask("/api/runs");
      if (runs.length !== Number(form.dataset.total) && !document.querySelector("dialog[open]") && !form.querySelector("input:checked")) return location.reload();
      runs.forEach(renew);
      wait = 0;
    } catch {
      await pause(wait);
    }
  }
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
  count();
  follow();
}
