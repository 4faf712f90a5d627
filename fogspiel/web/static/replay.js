// A game that is over: the truth and both views, moment by moment, with the moves in pairs and what they cost.

import { drawChart } from "./charts.js";
import { drawPicture } from "./picture.js";
import { ask, button, byId, element, pause, tell } from "./service.js";

const replay = byId("replay");
const { base, key } = replay.dataset;
const own = Number(replay.dataset.side);
const slider = byId("moment");
const chance = byId("chance");
const record = byId("record");
const trouble = byId("trouble");
const requested = new Map(); // pictures by moment
const costs = new Map(); // what a move cost, by moment: { cost, tone }
let whole = null;
let stops = [];
let wanted = 0;
let panel = null;

// The moments at which the slider stops: all decisions and the end, and what chance did if that is wished.
function listStops(at) {
  stops = whole.moments.map((moment, number) => ({ ...moment, number }));
  if (!chance.checked) stops = stops.filter((moment) => moment.mover !== "chance");
  slider.max = stops.length - 1;
  slider.value = Math.max(0, stops.findLastIndex((moment) => moment.number <= at));
  listMoves();
}

// Rows of the record: a move of each player, their refused attempts before it; chance and the end stand alone.
function rowsOf() {
  const rows = [];
  let row = null;
  stops.forEach((moment, place) => {
    const column = moment.mover === own ? 0 : moment.mover === 1 - own ? 1 : 2;
    const closed = row && (row.wide || column === 2 || row.done[column] || (moment.mover === 0 && row.cells.flat().length && row.done[column === 0 ? 1 : 0]));
    if (!row || closed) rows.push((row = { cells: [[], [], []], done: [false, false], wide: column === 2 }));
    row.cells[column].push({ ...moment, place });
    if (column < 2 && !moment.refused) row.done[column] = true;
  });
  return rows;
}

function listMoves() {
  let count = 0;
  record.replaceChildren(...rowsOf().map((row) => {
    const line = element("li", row.wide ? "wide" : "");
    if (row.wide) return line.append(...row.cells[2].map(moveButton)), line;
    line.append(element("span", "count", String((count += 1))));
    for (const moves of row.cells.slice(0, 2)) {
      const cell = element("span", "moves");
      cell.append(...moves.map(moveButton));
      line.append(cell);
    }
    return line;
  }));
}

function moveButton(moment) {
  const made = button("", () => { slider.value = moment.place; show(); }, `quiet${moment.refused ? " refused" : ""}`, { "data-stop": moment.place, "aria-label": actionText(moment) });
  made.append(element("span", "", moment.mover === "over" || moment.action === null ? actionText(moment) : moment.mover === "chance" ? `Chance: ${moment.action}` : worded(moment.action)));
  const found = costs.get(moment.number);
  if (moment.refused) made.append(element("span", "cost berry", "refused"));
  else if (found) made.append(element("b", `tag ${found.tone}`, found.words));
  return made;
}

// A move from square to square, with a dash between.
function worded(action) {
  return /^[a-h][1-8][a-h][1-8]/.test(action) ? `${action.slice(0, 2)} – ${action.slice(2)}` : action;
}

function pictures(number) {
  if (!requested.has(number)) requested.set(number, ask(`${base}/replay/${number}`));
  return requested.get(number);
}

async function show() {
  const place = Number(slider.value), moment = stops[place];
  wanted = moment.number;
  byId("now").textContent = sentence(place, moment);
  slider.setAttribute("aria-valuetext", sentence(place, moment));
  record.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const line = record.querySelector(`[data-stop="${place}"]`);
  line.setAttribute("aria-current", "step");
  record.scrollTop = line.closest("li").offsetTop - record.clientHeight / 2;
  tellMoment(moment);
  try {
    const found = await pictures(moment.number);
    if (wanted !== moment.number) return;
    await drawPicture(byId("truth"), found.truth);
    for (const side of [0, 1]) await drawPicture(byId(`view-${side}`), found.views[side]);
    await showBelief(moment, found);
    showKnowledge(moment).catch((error) => tell(trouble, error.message));
    panel?.show(moment.number, found);
    tell(trouble, "");
  } catch (error) {
    requested.delete(moment.number);
    tell(trouble, error.message);
  }
  if (place + 1 < stops.length) pictures(stops[place + 1].number).catch(() => requested.delete(stops[place + 1].number));
}

// What is said of a moment: by the panel of the game if it has something to say, else what the coach found, else the move.
function tellMoment(moment) {
  const known = panel?.words(moment.number) ?? costs.get(moment.number);
  byId("moment-title").textContent = known?.title ?? (moment.mover === "over" ? whole.result || "The end" : `${actionText(moment)}.`);
  tell(byId("moment-why"), known?.why ?? "");
  byId("moment-error").textContent = known?.error ?? "";
  const chips = byId("moment-chips");
  for (const old of chips.querySelectorAll(".of-moment")) old.remove();
  for (const [look, words] of known?.chips ?? []) chips.append(element("span", `${look} of-moment`, words));
  for (const chip of chips.querySelectorAll(":scope > .chip:not(.of-moment)")) chip.hidden = Boolean(known?.chips?.length);
}

// What moves cost, by moment, from the coach or the panel: into the record and the curve.
export function tellCosts(found) {
  for (const [number, one] of found) costs.set(number, one);
  const now = stops[Number(slider.value)];
  listMoves();
  record.querySelector(`[data-stop="${slider.value}"]`)?.setAttribute("aria-current", "step");
  tellMoment(now);
}

// The curve under the board: costs as columns, and a line where something is followed; a click goes to the moment.
export function drawCurve(chart, words, moments) {
  byId("curve-figure").hidden = false;
  byId("curve-words").replaceChildren(...words);
  drawChart(byId("curve"), { ...chart, onPick: (x) => { slider.value = Math.max(0, stops.findLastIndex((moment) => moment.number <= moments[x - 1])); show(); } });
}

async function showBelief(moment, found) {
  const part = found.truth.find((known) => known.kind === "chess");
  const believed = Boolean(part && moment.belief);
  byId("belief-part").hidden = !believed;
  if (!believed) return;
  const { drawHeat } = await import("./chess.js");
  drawHeat(byId("belief"), part, moment.belief);
}

// The states that fit the person's own views at a decision, the most probable first; asked for while they are shown.
const could = byId("could");
const SOON = 1000;

async function showKnowledge(moment) {
  if (!could?.open) return;
  const words = byId("could-words"), mine = moment.mover === own && moment.action !== null;
  byId("could-states").replaceChildren();
  words.textContent = mine ? "..." : "Choose a moment at which you moved.";
  while (mine && wanted === moment.number && could.open) {
    try {
      const found = await ask(`${base}/belief/${moment.number}`);
      if (wanted === moment.number) await drawKnowledge(words, found);
      return;
    } catch (error) {
      if (error.status !== 429) throw error;
      await pause(SOON);
    }
  }
}

async function drawKnowledge(words, { lost, exact, count, states }) {
  const kind = exact ? "by enumeration" : "in a sample";
  words.textContent = lost
    ? "No state was found that fits all your views."
    : `${count} ${count === 1 ? "state fits" : "states fit"} your views (${kind}, if your opponent moved at random). The most probable:`;
  for (const { probability, picture } of states) {
    const part = element("section"), place = element("div", "picture");
    part.append(element("h3", "", `${(100 * probability).toFixed(1)} %`), place);
    byId("could-states").append(part);
    await drawPicture(place, picture);
  }
}

could?.addEventListener("toggle", () => show());

function sentence(place, moment) {
  const of = `${place + 1} of ${stops.length}`;
  return moment.mover === "over" || moment.action === null ? `${of}, ${actionText(moment).toLowerCase()}` : of;
}

function actionText(moment) {
  if (moment.mover === "over") return "The end";
  if (moment.action === null) return whole.agreed ? "A draw is agreed" : "You resigned";
  const [mine, theirs] = key ? ["You", "Your opponent"] : [replay.dataset.own, replay.dataset.other];
  const who = moment.mover === own ? mine : moment.mover === "chance" ? "Chance" : theirs;
  return `${who}: ${moment.action}${moment.refused ? " (refused)" : ""}`;
}

function step(by) {
  const next = Math.min(Math.max(Number(slider.value) + by, 0), stops.length - 1);
  if (next === Number(slider.value)) return;
  slider.value = next;
  show();
}

const STEPS = { ArrowLeft: -1, ArrowRight: 1, PageUp: -10, PageDown: 10, Home: -Infinity, End: Infinity };
document.addEventListener("keydown", (event) => {
  if (!(event.key in STEPS) || event.target.matches("input, select, textarea") || event.ctrlKey || event.altKey) return;
  event.preventDefault();
  step(STEPS[event.key]);
});
slider.addEventListener("input", show);
for (const [name, by] of [["first", -Infinity], ["back", -1], ["on", 1], ["last", Infinity]]) {
  byId(name).addEventListener("click", () => step(by));
}
chance.addEventListener("change", () => { listStops(wanted); show(); });

// One board at a time: what was seen, or the truth.
for (const choice of document.querySelectorAll("[data-show]")) {
  choice.addEventListener("click", () => {
    for (const other of document.querySelectorAll("[data-show]")) {
      other.setAttribute("aria-pressed", String(other === choice));
      byId(other.dataset.show).hidden = other !== choice;
    }
  });
}

// What a cost is called and how it is coloured, as a share of a whole (a pawn, or all that can be won).
export function toneOf(share) {
  return share < 0.1 ? "moss" : share < 0.3 ? "straw" : share < 0.6 ? "rust" : "berry";
}

// Costs of the own moves by the coach, where the game has one of its own it is the panel's.
async function askCoach() {
  const { moves, against, range } = await ask(`${base}/coach`);
  const mine = whole.moments.flatMap(({ mover, action }, number) => (mover === own && action !== null ? [number] : []));
  const found = moves.map(({ cost, best, action }, place) => {
    const words = cost < 1e-9 ? "0" : cost.toPrecision(2), tone = cost < 1e-9 ? "moss" : toneOf(2 * cost / range);
    const title = cost < 1e-9 ? `${action} was as good as anything.` : `${action} cost ${words} on average. ${best} was better.`;
    return [mine[place], { words, tone, cost, title, why: `Against ${against}.`, chips: [[`cost ${tone}`, `costs ${words}`]] }];
  });
  tellCosts(found);
  if (!found.length) return;
  const series = [{ name: "cost", kind: "bars", x: found.map((_, at) => at + 1), y: found.map(([, { cost }]) => cost), looks: found.map(([, { tone }]) => `tone-${tone}`) }];
  drawCurve({ x: "your moves", series }, ["What each of your moves cost on average"], mine);
}

// The panel in which an engine analyses the game, and from which one can go to a moment.
async function addAnalysis() {
  if (!key) return null;
  if (!replay.dataset.panel) return askCoach().catch(() => {}); // without a coach there are no costs
  const { ReplayPanel } = await import(replay.dataset.panel);
  panel = new ReplayPanel(key, whole, { tellCosts, drawCurve, toneOf }, location.hash === "#analyse");
  return null;
}

ask(`${base}/replay`).then((found) => {
  whole = found;
  byId("chance-choice").hidden = !found.moments.some((moment) => moment.mover === "chance");
  listStops(Number(location.hash.slice(1)) || Infinity); // where the person was: at the end
  addAnalysis();
  return show();
}).catch((error) => tell(trouble, error.message));
