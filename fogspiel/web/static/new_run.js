// The form that starts a run: what is wrong is said beside its field; beside it stands what will happen.

import { ask, button, byId, element, pause, tell } from "./service.js";

const LISTED = ["players", "runs"];
const OTHER = "\u0000", SETTLED = 350;
const form = byId("request");
const trouble = byId("trouble");

// Players are chosen from those that exist; a text of one's own stands behind the list.
async function offerPlayers() {
  const game = form.elements.game?.value;
  const fields = [...form.querySelectorAll("[data-players]")];
  if (!game || !fields.length) return;
  const { opponents } = await ask(`/api/games/${encodeURIComponent(game)}/opponents`).catch(() => ({ opponents: [] }));
  if (game !== form.elements.game.value) return;
  for (const field of fields) (LISTED.includes(field.name) ? offerMany : offerOne)(field, opponents);
}

function offerOne(field, opponents) {
  const before = field.parentElement.querySelector(".players");
  const list = before ?? element("select", "players", "", { "aria-label": field.labels[0]?.textContent ?? field.name });
  const kept = !before || list.value === OTHER;
  const known = opponents.map(({ words }) => words);
  list.replaceChildren(...opponents.map(({ words, title, level }) => new Option(title === words ? `${words}, ${level}` : `${title}, ${level}`, words)), new Option("Something else: type it", OTHER));
  if (!known.includes(field.value)) field.value = kept && before ? field.value : form.dataset.fresh && known.length ? nextOf(field, known) : field.value;
  list.value = known.includes(field.value) ? field.value : OTHER;
  field.hidden = list.value !== OTHER;
  if (before) return;
  list.addEventListener("change", () => {
    field.hidden = list.value !== OTHER;
    field.value = list.value === OTHER ? "" : list.value;
    if (!field.hidden) field.focus();
    plan();
  });
  field.before(list);
}

// A player that no other field has yet.
function nextOf(field, known) {
  const taken = [...form.querySelectorAll("[data-players]")].filter((other) => other !== field).map(({ value }) => value);
  return known.find((words) => !taken.includes(words)) ?? known[0];
}

function offerMany(field, opponents) {
  field.parentElement.querySelector(".player-chips")?.remove();
  const chosen = () => field.value.split(/\s+/).filter(Boolean);
  const known = opponents.map(({ words }) => words);
  if (form.dataset.fresh) field.value = chosen().filter((words) => known.includes(words)).join(" ") || known.slice(0, 3).join(" ");
  const row = element("div", "row player-chips", "", { role: "group", "aria-label": "Players that exist" });
  for (const { words, title } of opponents) {
    const chip = button(title, () => {
      const left = chosen().filter((other) => other !== words);
      field.value = (left.length < chosen().length ? left : [...left, words]).join(" ");
      chip.setAttribute("aria-pressed", String(chosen().includes(words)));
      plan();
    }, "chip", { "aria-pressed": String(chosen().includes(words)) });
    row.append(chip);
  }
  field.before(row);
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

// What the request would do, from the server, a moment after the last change.
let latest = 0;
async function plan() {
  if (form.dataset.question) return;
  const turn = (latest += 1);
  await pause(SETTLED);
  if (turn !== latest) return;
  try {
    const found = await ask("/api/runs/plan", request());
    if (turn !== latest) return;
    byId("plan-title").textContent = found.title;
    byId("command").textContent = found.command;
    const facts = found.facts.flatMap(([name, value]) => {
      const one = element("div");
      one.append(element("dd", "figure", value), element("dt", "small", name));
      return [one];
    });
    byId("plan-facts").replaceChildren(...facts);
    mark({}, false);
  } catch (error) {
    byId("command").textContent = "";
    byId("plan-facts").replaceChildren(element("p", "small soft", error.fields && Object.keys(error.fields).length ? `Not yet: ${Object.values(error.fields)[0]}.` : error.message));
  }
}

function mark(wrong, leads = true) {
  for (const place of form.querySelectorAll(".wrong")) {
    const name = place.id.replace(/-wrong$/, "");
    place.textContent = wrong[name] ?? "";
    form.elements[name]?.setAttribute("aria-invalid", String(name in wrong));
    if (name in wrong) place.closest("details")?.setAttribute("open", "");
  }
  const first = form.querySelector("[aria-invalid=true]");
  if (leads) (first?.hidden ? first.previousElementSibling : first)?.focus();
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const start = form.querySelector("button[type=submit]");
  start.disabled = true;
  start.textContent = "Starting ..";
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
  start.disabled = false;
  start.textContent = "Start";
});
byId("copy")?.addEventListener("click", async ({ currentTarget }) => {
  await navigator.clipboard?.writeText(byId("command").textContent);
  currentTarget.textContent = "Copied";
  await pause(2000);
  currentTarget.textContent = "Copy";
});
form.elements.game?.addEventListener("change", async () => {
  form.dataset.fresh = "yes";
  await offerPlayers();
  plan();
});
form.addEventListener("input", plan);
form.querySelector("button[type=submit]").disabled = false;
offerPlayers().then(plan);
