// A game that is over: the truth and both views, moment by moment, and what the opponent believed.

import { drawPicture } from "./picture.js";
import { asked, element, tell } from "./service.js";

const replay = document.getElementById("replay");
const key = replay.dataset.key;
const slider = document.getElementById("moment");
const chance = document.getElementById("chance");
const record = document.getElementById("record");
const trouble = document.getElementById("trouble");
const WHO = { 0: replay.dataset.first, 1: replay.dataset.second, chance: "Chance" };
const drawn = new Map();
let whole = null;
let stops = [];
let wanted = 0;

// The moments at which the slider stops: all decisions and the end, and what chance did if that is wished.
function listStops(at) {
  stops = whole.moments.map((moment, number) => ({ ...moment, number }));
  if (!chance.checked) stops = stops.filter((moment) => moment.mover !== "chance");
  slider.max = stops.length - 1;
  slider.value = Math.max(0, stops.findLastIndex((moment) => moment.number <= at));
  record.replaceChildren(...stops.map((moment, place) => {
    const line = element("li");
    const button = element("button", "quiet", deed(moment), { type: "button" });
    button.addEventListener("click", () => { slider.value = place; show(); });
    line.append(button);
    return line;
  }));
}

function pictures(number) {
  if (!drawn.has(number)) drawn.set(number, asked(`/api/play/${key}/replay/${number}`));
  return drawn.get(number);
}

async function show() {
  const place = Number(slider.value), moment = stops[place];
  wanted = moment.number;
  document.getElementById("now").textContent = sentence(place, moment);
  slider.setAttribute("aria-valuetext", sentence(place, moment));
  record.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const line = record.children[place];
  line.setAttribute("aria-current", "step");
  record.scrollTop = line.offsetTop - record.clientHeight / 2;
  try {
    const found = await pictures(moment.number);
    if (wanted !== moment.number) return;
    await drawPicture(document.getElementById("truth"), found.truth);
    for (const side of [0, 1]) await drawPicture(document.getElementById(`view-${side}`), found.views[side]);
    await showBelief(moment, found);
    tell(trouble, "");
  } catch (error) {
    drawn.delete(moment.number);
    tell(trouble, error.message);
  }
  if (place + 1 < stops.length) pictures(stops[place + 1].number).catch(() => drawn.delete(stops[place + 1].number));
}

async function showBelief(moment, found) {
  const part = found.truth.find((known) => known.kind === "chess");
  const believed = Boolean(part && moment.belief);
  document.getElementById("belief-part").hidden = !believed;
  if (!believed) return;
  const { drawHeat } = await import("./chess.js");
  drawHeat(document.getElementById("belief"), part, moment.belief);
}

function sentence(place, moment) {
  const count = `${place + 1} of ${stops.length}. `;
  return count + deed(moment);
}

function deed(moment) {
  if (moment.mover === "over") return "The end";
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
  document.getElementById(name).addEventListener("click", () => step(by));
}
chance.addEventListener("change", () => { listStops(wanted); show(); });

asked(`/api/play/${key}/replay`).then((found) => {
  whole = found;
  document.getElementById("result").textContent = found.result ?? "";
  document.getElementById("chance-choice").hidden = !found.moments.some((moment) => moment.mover === "chance");
  listStops(0);
  return show();
}).catch((error) => tell(trouble, error.message));
