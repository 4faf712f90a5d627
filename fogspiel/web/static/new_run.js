// The form that starts a run: everything that is wrong is said at once, beside its field.

import { ask, byId, tell } from "./service.js";

const LISTED = ["players", "runs"];
const form = byId("request");
const trouble = byId("trouble");
const names = JSON.parse(byId("known").textContent);

function offerNames() {
  const list = byId("names");
  list.replaceChildren(...(names[form.elements.game?.value] ?? []).map((name) => new Option(name, name)));
}

function request() {
  const filled = { kind: form.dataset.kind };
  for (const [name, value] of new FormData(form)) {
    const words = value.trim();
    if (LISTED.includes(name)) filled[name] = words.split(/\s+/).filter(Boolean);
    else if (words !== "") filled[name] = words;
  }
  return filled;
}

function mark(wrong) {
  for (const place of form.querySelectorAll(".wrong")) {
    const name = place.id.replace(/-wrong$/, "");
    place.textContent = wrong[name] ?? "";
    form.elements[name]?.setAttribute("aria-invalid", String(name in wrong));
  }
  form.querySelector("[aria-invalid=true]")?.focus();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button[type=submit]");
  button.disabled = true;
  button.textContent = "Starting ..";
  tell(trouble, "");
  try {
    if (form.dataset.question) {
      const { question } = await ask("/api/questions", request());
      location.assign(`/questions/${question}`);
    } else {
      const { run } = await ask("/api/runs", request());
      location.assign(`/runs/${encodeURIComponent(run)}`);
    }
    return;
  } catch (error) {
    const wrong = error.fields ?? {};
    mark(wrong);
    const known = Object.keys(wrong).filter((name) => byId(`${name}-wrong`));
    tell(trouble, known.length ? `${known.length === 1 ? "One field needs" : `${known.length} fields need`} another look.` : error.message);
  }
  button.disabled = false;
  button.textContent = "Start";
});
form.querySelector("button[type=submit]").disabled = false;
form.elements.game?.addEventListener("change", offerNames);
offerNames();
