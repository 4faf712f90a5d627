// A solved game, decision by decision: grids of hands by histories, the way to a decision, and training.

import { fillCard, figureOf } from "./figures.js";
import { amount, costTag, shareWords } from "./knowledge.js";
import { ask, button, byId, element, pause, tell } from "./service.js";

const page = byId("explore");
const { game, player } = page.dataset;
const KEPT = `fogspiel-training-${game}`, LATEST = 20, LONG = 24, SURE = 1 - 1e-9, NEVER = 1e-9;
const FACE = /^(\d{1,2}|[JQKA])[♣♦♥♠]?$/;
let [side, group, here, outline, mode] = [0, 0, null, null, "explore"];
let spot = null;

// Ask for something of this solution, again while it is being computed.
async function load(path) {
  const address = `/api/explore/${encodeURIComponent(game)}${path}${path.includes("?") ? "&" : "?"}player=${encodeURIComponent(player)}`;
  for (;;) {
    try {
      return await ask(address);
    } catch (error) {
      if (error.status !== 429) throw error;
      await pause(1500);
    }
  }
}

const guarded = (work) => async (...given) => {
  tell(byId("trouble"), "");
  try {
    await work(...given);
  } catch (error) {
    tell(byId("trouble"), `${error.message}.`);
  }
};

function press(buttons, chosen) {
  for (const one of buttons) one.setAttribute("aria-pressed", String(one === chosen));
}

// A card, a die or words, small or large.
function cardOf({ text, look, name }, size) {
  const looks = look.split(" ").filter(Boolean);
  const card = element("span", `${size === "chip" ? "card-chip" : "playing-card"} ${looks.map((one) => `look-${one}`).join(" ")}`, "", { role: "img", "aria-label": name || text || "face down" });
  const figure = figureOf({ text }, looks);
  if (figure) card.append(figure);
  else if (size !== "chip" && FACE.test(text)) fillCard(card, text);
  else card.textContent = text;
  return card;
}

function handOf({ own, shared, words }, size) {
  const made = element("span", "hand-cells");
  if (!own.length) made.append(element("span", "words-of", words));
  made.append(...own.map((cell) => cardOf(cell, size)));
  if (shared.length) made.append(element("i", "slash", size === "chip" ? "/" : ""), ...shared.map((cell) => cardOf(cell, size)));
  return made;
}

async function chooseSide(next, place = null) {
  side = next;
  press(page.querySelectorAll("[data-side]"), page.querySelector(`[data-side="${side}"]`));
  outline = await load(`?side=${side}`);
  listGroups();
  await go(place ?? outline.first);
}

function listGroups() {
  const names = outline.groups;
  if (names.length <= 4 && names.join("").length < 70) {
    const row = element("div", "segments", "", { role: "group", "aria-label": "Decisions" });
    row.append(...names.map((name, number) => button(name, guarded(() => showGrid(number)), "", { "data-group": number, "aria-pressed": "false" })));
    return byId("groups").replaceChildren(row);
  }
  const list = element("select", "", "", { "aria-label": "Decisions" });
  names.forEach((name, number) => list.append(new Option(name, number)));
  list.addEventListener("change", guarded(() => showGrid(Number(list.value))));
  byId("groups").replaceChildren(list);
}

// The colour of an action: the last is the boldest, the first of two is calm, the first of three gives up.
function tone(number, many) {
  if (many === 3 && number === 0) return "var(--folded)";
  const bold = many === 1 ? 0 : many === 3 ? number - 1 : number / (many - 1);
  return `color-mix(in oklch, var(--attack) ${Math.round(100 * bold)}%, var(--stay))`;
}

function swatch(number, many) {
  const made = element("i", "swatch");
  made.style.setProperty("background", tone(number, many));
  return made;
}

// What the log says, with the opponent's name.
const said = (words) => words.replace(/^the other: /, "Opponent: ");

async function showGrid(number) {
  group = number;
  const grid = await load(`/grids/${number}?side=${side}`);
  for (const one of byId("groups").querySelectorAll("[data-group]")) one.setAttribute("aria-pressed", String(Number(one.dataset.group) === number));
  const list = byId("groups").querySelector("select");
  if (list) list.value = number;
  byId("map-label").textContent = grid.rows[0]?.shared.length ? "Your card / public card, by the actions so far" : grid.rows[0]?.own.length ? "What you hold, by the actions so far" : "What you see";
  const head = element("tr");
  head.append(element("td"), ...grid.columns.map((column) => element("th", "", column.join(", ") || "to open", { scope: "col" })));
  const body = grid.rows.map((row, at) => {
    const line = element("tr"), name = element("th", "", "", { scope: "row" });
    name.append(handOf(row, "chip"));
    line.append(name, ...grid.cells[at].map((cell) => cellOf(cell, grid)));
    return line;
  });
  byId("grid").replaceChildren(head, ...body);
  byId("grid").style.setProperty("--columns", grid.columns.length);
  const legend = grid.actions.map((label, at) => {
    const one = element("span");
    one.append(swatch(at, grid.actions.length), label);
    return one;
  });
  if (grid.cells.flat().some((cell) => cell?.seldom)) legend.push(element("span", "soft", "low bar: you hardly ever get here"));
  if (grid.hidden_columns) legend.push(element("span", "soft", `the ${grid.columns.length} likeliest of ${grid.columns.length + grid.hidden_columns} histories`));
  byId("legend").replaceChildren(...legend.slice(0, 9));
  markHere();
}

function cellOf(cell, { actions }) {
  const place = element("td");
  if (!cell) return place;
  const made = button("", guarded(() => go(cell.place)), `decision${cell.seldom ? " seldom" : ""}`, { "data-at": cell.place });
  const stripes = [];
  let from = 0;
  (cell.shares ?? []).map((share, at) => ({ share, at })).reverse().forEach(({ share, at }) => {
    if (!share) return;
    stripes.push(`${tone(at, actions.length)} ${100 * from}% ${100 * (from + share)}%`);
    from += share;
  });
  if (stripes.length) made.style.setProperty("--mix", `linear-gradient(90deg, ${stripes.join(", ")})`);
  const words = cell.shares ? wordsOf(cell.shares, actions) : "never";
  made.classList.toggle("open", !cell.shares);
  made.append(element("span", "", words));
  made.setAttribute("aria-label", cell.shares ? cell.shares.map((share, at) => `${actions[at]} ${Math.round(100 * share)} %`).filter((_, at) => cell.shares[at]).join(", ") : "never reached");
  place.append(made);
  return place;
}

// The one action, or the share of the boldest of several.
function wordsOf(shares, actions) {
  const sure = shares.findIndex((share) => share >= SURE);
  if (sure >= 0) return actions[sure];
  const last = shares.findLastIndex((share) => share > 0);
  const percent = `${Math.max(1, Math.round(100 * shares[last]))} %`;
  return actions.length > 2 ? `${actions[last]} ${percent}` : percent;
}

function markHere() {
  for (const cell of byId("grid").querySelectorAll("[aria-current]")) cell.removeAttribute("aria-current");
  byId("grid").querySelector(`[data-at="${here?.place}"]`)?.setAttribute("aria-current", "true");
}

// Arrow keys walk in the grid.
byId("grid").addEventListener("keydown", (event) => {
  const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
  const cell = event.target.closest("td");
  if (!step || !cell) return;
  event.preventDefault();
  const row = cell.parentElement;
  byId("grid").rows[row.rowIndex + step[0]]?.cells[cell.cellIndex + step[1]]?.querySelector("button")?.focus();
});

async function go(place) {
  const next = await load(`/decisions/${place}?side=${side}`);
  here = next;
  history.replaceState(null, "", `#${side}-${place}`);
  if (group !== here.group || !byId("grid").rows.length) await showGrid(here.group);
  markHere();
  drawWalk();
  drawDetail(here);
}

function drawWalk() {
  const cards = handOf(here, "large");
  byId("hand").replaceChildren(cards);
  const steps = here.path.map(({ words, share, place }) => {
    const step = element("li", place === null ? "news" : "own");
    step.append(place === null ? element("span", "", said(words)) : button(words, guarded(() => go(place)), "link"), element("b", "", share === null ? "" : `${Math.round(100 * share)} %`));
    return step;
  });
  byId("way").replaceChildren(...steps, element("li", "at-hand", "Your choice"));
  const many = here.choices.length;
  byId("walk-choices").replaceChildren(...here.choices.map((choice, at) => {
    const box = element("details"), head = element("summary");
    head.append(swatch(at, many), element("span", "", choice.label), element("b", "", choice.share === null ? "" : `${percent(choice.share)}`));
    box.append(head);
    const ends = 1 - choice.next.reduce((sum, one) => sum + one.share, 0);
    for (const one of choice.next.slice(0, 24)) {
      const next = button(said(one.words), guarded(() => go(one.place)), "link");
      next.append(element("b", "", percent(one.share)));
      box.append(next);
    }
    if (ends > NEVER) box.append(element("p", "small soft", choice.next.length ? `The game ends: ${percent(ends)}` : "The game ends."));
    return box;
  }));
}

function percent(share) {
  return share > 0 && share < 0.005 ? "under 1 %" : `${Math.round(100 * share)} %`;
}

function headline({ choices }) {
  if (choices.some((choice) => choice.share === null)) return "The solution never comes here";
  const used = choices.filter((choice) => choice.share > 0).reverse();
  const title = (words) => words[0].toUpperCase() + words.slice(1);
  if (used.length === 1) return `Always ${used[0].label}`;
  const hundred = (choice) => Math.round(100 * choice.share) || "under 1";
  if (used.length === 2) return `${title(used[0].label)} ${hundred(used[0])} of 100, else ${used[1].label}`;
  return `${used.slice(0, 4).map((choice, at) => `${at ? choice.label : title(choice.label)}: ${hundred(choice)}`).join(", ")} of 100`;
}

function drawDetail(state) {
  const top = element("p", "detail-top");
  top.append(handOf(state, "chip"), element("span", "soft small", state.history.length ? `after ${state.history.join(", ")}` : "to open"));
  const parts = [top, element("h2", "", headline(state))];
  const bar = element("div", "mix-bar"), exact = element("p", "exact mono small");
  [...state.choices].reverse().forEach((choice, at) => {
    if (!choice.share) return;
    const piece = element("span", "", choice.share > 0.2 ? choice.label : "", { title: choice.label });
    piece.style.setProperty("--share", choice.share);
    piece.style.setProperty("background", tone(state.choices.length - 1 - at, state.choices.length));
    bar.append(piece);
    exact.append(exactOf(choice));
  });
  if (bar.childElementCount) parts.push(bar);
  if (bar.childElementCount > 1) parts.push(exact);
  if (state.possible) parts.push(worthsOf(state));
  else parts.push(element("p", "soft small", "The solution of the other side never leads here, so nothing is lost or won."));
  parts.push(...hiddenOf(state));
  byId("detail").replaceChildren(...parts);
}

// The exact probability; a long fraction as decimals that open to it.
function exactOf({ label, share, exact }) {
  if (exact.length <= LONG) return element("span", "", `${label} ${exact}`);
  const whole = element("details");
  whole.append(element("summary", "", `${label} ${share.toFixed(6)}..`), element("span", "", exact));
  return whole;
}

function worthsOf({ choices, unit }) {
  const list = element("dl", "worths");
  for (const { label, worth, cost } of choices) {
    const value = element("dd");
    value.append(element("b", "", `${amount(worth, unit)}${unit === "wins" ? "" : ` ${unit}`}`), cost > NEVER ? costTag(cost, unit) : "");
    list.append(element("dt", "", unit === "wins" ? `${label} wins` : `${label} is worth`), value);
  }
  return list;
}

function hiddenOf({ hidden }) {
  return hidden.slice(0, 4).flatMap(({ chances }) => {
    const list = element("dl", "may");
    for (const chance of chances) {
      const bar = element("dd", "bar heather"), name = element("dt");
      bar.append(element("i"));
      bar.style.setProperty("--share", chance.share);
      name.append(cardOf({ ...chance, name: chance.text }, "chip"));
      list.append(name, bar, element("dd", "", shareWords({ ...chance, fraction: null })));
    }
    return [element("h3", "label", "What the opponent may hold"), list];
  });
}

// Training: spots are drawn, answers are scored by what they give away, and the last twenty are kept on this machine.
function training() {
  const kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
  return Array.isArray(kept) ? kept.filter(Number.isFinite).slice(-LATEST) : [];
}

function drawTraining(unit) {
  const kept = training(), box = byId("training");
  if (!kept.length) return box.replaceChildren(element("p", "small soft", "Train: a spot is dealt, you choose, and the answer is scored exactly."));
  const right = kept.filter((cost) => cost < NEVER).length, lost = kept.reduce((sum, cost) => sum + cost, 0);
  const head = element("p", "row"), dots = element("div", "dots", "", { role: "img", "aria-label": `${right} of ${kept.length} exact` });
  head.append(element("strong", "", "Your training"), element("span", "small", `${right} of ${kept.length} exact`));
  dots.append(...kept.map((cost) => element("i", cost < NEVER ? "moss" : cost < (unit === "wins" ? 0.1 : 1) ? "straw" : "rust")));
  const words = unit === "wins" ? `${Number((100 * lost).toFixed(1))} games in 100` : `${Number(lost.toFixed(2))} ${unit}`;
  box.replaceChildren(head, dots, element("p", "small soft", `Cost so far: ${words} in ${kept.length} ${kept.length === 1 ? "spot" : "spots"}`));
}

async function deal() {
  const drawn = await load("/spot");
  const state = await load(`/decisions/${drawn.place}?side=${drawn.side}`);
  spot = { ...state, answered: false };
  const told = element("div", "told");
  told.append(element("p", "small", `You are the ${["first", "second"][drawn.side]} player.`), ...state.path.map(({ words }) => element("p", "", said(words))));
  byId("spot").replaceChildren(handOf(state, "large"), told);
  byId("answers").replaceChildren(...state.choices.map((choice, at) => {
    const made = button("", () => answer(choice), "large", { "data-action": choice.action });
    made.append(element("span", "key", String(at + 1), { "aria-hidden": "true" }), element("span", "what", choice.label));
    return made;
  }));
  byId("verdict").replaceChildren();
  byId("detail").replaceChildren(element("p", "soft", "Choose first: the solution is shown after your answer."));
  byId("answers").querySelector("button").focus();
}

function answer(choice) {
  if (!spot || spot.answered) return;
  spot.answered = true;
  const { unit } = spot;
  localStorage.setItem(KEPT, JSON.stringify([...training(), choice.cost].slice(-LATEST)));
  for (const { action, cost } of spot.choices) {
    const made = byId("answers").querySelector(`[data-action="${action}"]`);
    made.append(costTag(cost, unit));
    made.setAttribute("aria-disabled", "true");
    made.classList.toggle("primary", action === choice.action);
  }
  const free = spot.choices.filter(({ cost }) => cost < NEVER).map(({ label }) => label);
  const words = choice.cost < NEVER ? "Exact." : "Not the best.";
  const why = choice.cost < NEVER ? `${choice.label} gives nothing away.` : `${choice.label} costs ${amount(choice.cost, unit)}${unit === "wins" ? "" : ` ${unit}`}. Free: ${free.join(", ")}.`;
  byId("verdict").replaceChildren(element("h2", choice.cost < NEVER ? "right" : "wrong", words), element("p", "", why), button("Next spot", guarded(deal), "primary large"), button("Look at it", guarded(() => { setMode("explore"); return chooseSide(spot.side, spot.place); }), "large"));
  byId("verdict").querySelector("button").focus();
  side = spot.side;
  drawDetail(spot);
  drawTraining(unit);
}

function setMode(next) {
  mode = next;
  press(page.querySelectorAll("[data-mode]"), page.querySelector(`[data-mode="${mode}"]`));
  byId("map").hidden = mode === "train";
  byId("drill").hidden = mode !== "train";
  page.classList.toggle("training-on", mode === "train");
}

for (const one of page.querySelectorAll("[data-mode]")) one.addEventListener("click", guarded(async () => {
  setMode(one.dataset.mode);
  if (mode === "train") await deal();
  else await chooseSide(side, here?.side === side ? here.place : null);
}));
for (const one of page.querySelectorAll("[data-side]")) one.addEventListener("click", guarded(() => chooseSide(Number(one.dataset.side))));
document.addEventListener("keydown", (event) => {
  if (mode !== "train" || !/^[1-9]$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  byId("answers").querySelectorAll("button")[Number(event.key) - 1]?.click();
});
byId("play-on").addEventListener("click", guarded(async () => {
  const at = mode === "train" && spot ? spot : here;
  const { key } = await ask(`/api/explore/${encodeURIComponent(game)}/play`, { place: at.place, side: at.side, player });
  location.assign(`/play/${key}`);
}));

const [startSide, startPlace] = location.hash.slice(1).split("-").map(Number);
guarded(async () => {
  await chooseSide(startSide === 1 ? 1 : 0, Number.isInteger(startPlace) && location.hash.length > 2 ? startPlace : null);
  drawTraining(outline.unit);
})();
