// The plan at a real table: one says how the mission went, and sees whom to send next.

const POINTS = 3;
const plan = document.getElementById("plan");
const part = (name) => document.getElementById(name);
let outcomes = "";

function line(so_far) {
  return plan.querySelector(`tr[data-outcomes="${so_far}"]`);
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
  part("round").textContent = over || `Round ${outcomes.length + 1}: send`;
  part("score").textContent = over ? "" : `(${line(outcomes).cells[2].textContent.trim()})`;
  part("send").replaceChildren(...(over ? [] : [line(outcomes).querySelector(".crew").cloneNode(true)]));
  part("succeeded").disabled = part("sabotaged").disabled = Boolean(over);
  part("back").disabled = outcomes === "";
  part("now").hidden = false;
}

function go(next) {
  outcomes = next;
  show();
}

part("succeeded").addEventListener("click", () => go(outcomes + "+"));
part("sabotaged").addEventListener("click", () => go(outcomes + "-"));
part("back").addEventListener("click", () => go(outcomes.slice(0, -1)));
part("print").addEventListener("click", () => print());
show();
