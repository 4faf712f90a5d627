// The form that begins a game.

import { prepared } from "./begin.js";
import { remember, showGames } from "./games.js";
import { drawSample } from "./home.js";
import { ask, byId, element, tell } from "./service.js";

const form = byId("new");
const { game, rules, against, numbers, effort } = form.elements;
const trouble = byId("trouble");
const GROUPS = { solution: "Exact solutions", engine: "Engines", run: "Tuned by a run", strategy: "Named strategies" };
const NUMBERS = "numbers";
let listed = [];

async function chooseGame(wish) {
  const chosen = game.value;
  try {
    const [about, found] = await Promise.all([ask(`/api/games/${chosen}`), ask(`/api/games/${chosen}/opponents`)]);
    if (chosen !== game.value) return;
    listed = found.opponents;
    listOpponents(about, wish);
    nameSides(about);
    tell(trouble, "");
  } catch (error) {
    tell(trouble, error.message);
  }
  drawSample(byId("sample"), chosen).catch(() => {});
}

function listOpponents(about, wish) {
  against.replaceChildren();
  for (const [kind, title] of Object.entries(GROUPS)) {
    const members = listed.filter((opponent) => opponent.kind === kind);
    if (!members.length) continue;
    const group = element("optgroup", "", "", { label: title });
    members.forEach((opponent) => group.append(new Option(opponent.title, opponent.words)));
    against.append(group);
  }
  if (about.parameters) {
    const group = element("optgroup", "", "", { label: "Your own" });
    const many = about.parameters === 1 ? "1 number" : `${about.parameters} numbers`;
    group.append(new Option(many, NUMBERS));
    against.append(group);
    byId("numbers-hint").textContent = about.parameters === 1 ? many : `${many} with commas between them`;
  }
  against.value = listed.some((opponent) => opponent.words === wish) ? wish : usual();
  if (wish && against.value !== wish) takeWish(wish);
  describe();
}

// An opponent in the address that is not in the list: an engine with its effort, or numbers.
function takeWish(wish) {
  const [name, own] = wish.split("@");
  if (own && listed.some((opponent) => opponent.words === name)) {
    against.value = name;
    if (![...effort.options].some((option) => option.value === own)) effort.append(new Option(own, own));
    effort.value = own;
  } else if (against.querySelector(`option[value="${NUMBERS}"]`)) {
    against.value = NUMBERS;
    numbers.value = wish;
  }
}

// The strongest opponent that is known; the list begins with it.
function usual() {
  return listed[0]?.words ?? "uniform";
}

function describe() {
  const chosen = listed.find((opponent) => opponent.words === against.value);
  byId("about").textContent = chosen ? `${chosen.level}: ${chosen.about}` : "";
  byId("rules-link").href = `/games/${encodeURIComponent(game.value)}`;
  byId("numbers-field").hidden = against.value !== NUMBERS;
  byId("effort-field").hidden = chosen?.kind !== "engine";
}

// The rule sets of the game, where it has several.
function describeRules() {
  for (const option of rules.options) option.hidden = option.disabled = option.dataset.game !== game.value;
  const own = [...rules.options].filter((option) => !option.disabled);
  byId("rules-field").hidden = !own.length;
  if (!own.length) return;
  if (rules.selectedOptions[0]?.disabled ?? true) rules.value = own[0].value;
  byId("rules-about").textContent = `The referee tells: ${rules.selectedOptions[0].dataset.about}.`;
}

function nameSides(about) {
  const names = game.selectedOptions[0].dataset.seats?.split(",") ?? ["the first player", "the second player"];
  const [first, second] = form.querySelectorAll("#side span");
  first.textContent = names[0];
  second.textContent = names[1];
  byId("side").hidden = about.symmetric;
}

function opponent() {
  if (against.value === NUMBERS) return numbers.value.trim();
  const kind = listed.find((known) => known.words === against.value)?.kind;
  return kind === "engine" ? `${against.value}@${effort.value}` : against.value;
}

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const side = form.elements.side.value === "any" ? crypto.getRandomValues(new Uint8Array(1))[0] % 2 : Number(form.elements.side.value);
  const button = form.querySelector("button[type=submit]");
  button.disabled = true;
  try {
    await prepared(game.value, opponent(), byId("passing"));
    const house = byId("rules-field").hidden ? {} : { rules: rules.value };
    const session = await ask("/api/play", { game: game.value, against: opponent(), side, ...house });
    remember(session);
    location.assign(`/play/${session.key}`);
  } catch (error) {
    tell(trouble, error.message);
    tell(byId("passing"), "");
    button.disabled = false;
  }
});

game.addEventListener("change", () => { describeRules(); chooseGame(""); });
rules.addEventListener("change", describeRules);
against.addEventListener("change", describe);
form.elements.side.value = form.dataset.side;
describeRules();
showGames();
chooseGame(form.dataset.against);
