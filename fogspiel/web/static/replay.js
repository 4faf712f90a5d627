// A game that is over: the truth and both views, moment by moment, and what the opponent believed.

import { drawPicture } from "./picture.js";
import { ask, button, byId, element, pause, tell } from "./service.js";

const replay = byId("replay");
const key = replay.dataset.key;
const slider = byId("moment");
const chance = byId("chance");
const record = byId("record");
const trouble = byId("trouble");
const WHO = { 0: replay.dataset.first, 1: replay.dataset.second, chance: "Chance" };
const requested = new Map(); // pictures by moment
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
  record.replaceChildren(...stops.map((moment, place) => {
    const line = element("li");
    line.append(button(actionText(moment), () => { slider.value = place; show(); }, "quiet"));
    return line;
  }));
}

function pictures(number) {
  if (!requested.has(number)) requested.set(number, ask(`/api/play/${key}/replay/${number}`));
  return requested.get(number);
}

async function show() {
  const place = Number(slider.value), moment = stops[place];
  wanted = moment.number;
  byId("now").textContent = sentence(place, moment);
  slider.setAttribute("aria-valuetext", sentence(place, moment));
  record.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const line = record.children[place];
  line.setAttribute("aria-current", "step");
  record.scrollTop = line.offsetTop - record.clientHeight / 2;
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
  const words = byId("could-words"), mine = moment.mover === Number(could.dataset.side) && moment.action !== null;
  byId("could-states").replaceChildren();
  words.textContent = mine ? "..." : "Choose a moment at which you moved.";
  while (mine && wanted === moment.number && could.open) {
    try {
      const found = await ask(`/api/play/${key}/belief/${moment.number}`);
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
  const count = `${place + 1} of ${stops.length}. `;
  return count + actionText(moment);
}

function actionText(moment) {
  if (moment.mover === "over") return "The end";
  if (moment.action === null) return whole.agreed ? "A draw is agreed" : "You resigned";
  return `${WHO[moment.mover]}: ${moment.action}${moment.refused ? " (refused)" : ""}`;
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

// The panel in which an engine analyses the game, and from which one can go to a moment.
async function addAnalysis() {
  if (!replay.dataset.panel) return;
  const { ReplayPanel } = await import(replay.dataset.panel);
  panel = new ReplayPanel(key, whole, (number) => {
    slider.value = stops.findIndex((moment) => moment.number === number);
    return show();
  });
}

ask(`/api/play/${key}/replay`).then((found) => {
  whole = found;
  byId("result").textContent = found.result ?? "";
  byId("chance-choice").hidden = !found.moments.some((moment) => moment.mover === "chance");
  listStops(location.hash ? Number(location.hash.slice(1)) || 0 : Infinity); // where the person was: at the end
  return addAnalysis().then(show);
}).catch((error) => tell(trouble, error.message));
