// The plan at a real table: one says how the mission went, and sees whom to send next.

import { byId } from "./service.js";

const POINTS = 3;
const plan = byId("plan");
let outcomes = "";

function line(before) {
  return plan.querySelector(`tr[data-outcomes="${before}"]`);
}

function winner() {
  const [won, lost] = ["+", "-"].map((sign) => outcomes.split(sign).length - 1);
  return won === POINTS ? "The resistance wins." : lost === POINTS ? "The spies win." : "";
}

function show() {
  const over = winner();
  for (const row of plan.tBodies[0].rows) {
    row.classList.toggle("here", row.dataset.outcomes === outcomes);
    row.classList.toggle("off", !row.dataset.outcomes.startsWith(outcomes) && !outcomes.startsWith(row.dataset.outcomes));
  }
  byId("round").textContent = over || `Round ${outcomes.length + 1}: send`;
  byId("score").textContent = over ? "" : `(${line(outcomes).cells[2].textContent.trim()})`;
  byId("send").replaceChildren(...(over ? [] : [line(outcomes).querySelector(".crew").cloneNode(true)]));
  byId("succeeded").disabled = byId("sabotaged").disabled = Boolean(over);
  byId("back").disabled = outcomes === "";
  byId("now").hidden = false;
}

function go(next) {
  outcomes = next;
  show();
}

byId("succeeded").addEventListener("click", () => go(outcomes + "+"));
byId("sabotaged").addEventListener("click", () => go(outcomes + "-"));
byId("back").addEventListener("click", () => go(outcomes.slice(0, -1)));
byId("print").addEventListener("click", () => print());
show();
