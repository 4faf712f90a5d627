// The form that starts a run: everything that is wrong is said at once, beside its field.

import { asked, tell } from "./service.js";

const LISTED = ["players"];
const form = document.getElementById("request");
const trouble = document.getElementById("trouble");
const names = JSON.parse(document.getElementById("known").textContent);

function offerNames() {
  const list = document.getElementById("names");
  list.replaceChildren(...(names[form.elements.game?.value] ?? []).map((name) => new Option(name, name)));
}

function order() {
  const filled = { kind: form.dataset.kind };
  for (const [name, value] of new FormData(form)) {
    const words = value.trim();
    if (LISTED.includes(name)) filled[name] = words.split(/\s+/).filter(Boolean);
    else if (words !== "") filled[name] = words;
  }
  return filled;
}

function faults(said) {
  return said.fields ?? {};
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
  try {
    const { run } = await asked("/api/runs", order());
    location.assign(`/runs/${encodeURIComponent(run)}`);
  } catch (error) {
    const wrong = faults(error.said ?? {});
    mark(wrong);
    const known = Object.keys(wrong).filter((name) => document.getElementById(`${name}-wrong`));
    tell(trouble, known.length ? `${known.length === 1 ? "One field needs" : `${known.length} fields need`} another look.` : error.message);
  } finally {
    button.disabled = false;
  }
});
form.elements.game?.addEventListener("change", offerNames);
offerNames();
