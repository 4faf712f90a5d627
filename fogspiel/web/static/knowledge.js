// What a person can know at its turn, as the server counts it from the own views: hidden cards and stones in heather,
// the cost of each choice on the choice itself, the boards that fit.

import { faceName, fillCard, figureOf } from "./figures.js";
import { drawPicture } from "./picture.js";
import { ask, element, pause } from "./service.js";

const NEVER = 1e-5, CHEAP = 0.1, LIKELY = 0.25, MANY = 5;
let latest = null;

// Ask once for each moment; the answer is drawn again after every drawing of the picture.
export async function askKnowledge(key, session) {
  if (latest?.moment === session.moment && latest.key === key) return latest;
  latest = null;
  for (let left = 20; left; left -= 1) {
    try {
      latest = { key, ...(await ask(`/api/play/${key}/knowledge`)) };
      return latest;
    } catch (error) {
      if (error.status !== 429) throw error;
      await pause(2000);
    }
  }
  return null;
}

// The share of a chance as people read it: a simple fraction, a percentage, or never.
export function shareWords({ share, fraction }) {
  if (share < NEVER) return "never";
  if (fraction && fraction[1] > 1) return `${fraction[0]} of ${fraction[1]}`;
  if (share > 1 - NEVER) return "surely";
  return share < 0.005 ? "under 1 %" : `${Math.round(100 * share)} %`;
}

// An amount in the unit of the game; shares of wins are per hundred.
export function amount(number, unit) {
  const rounded = unit === "wins" ? Number((100 * number).toFixed(1)) : Number(number.toFixed(3));
  return `${Object.is(rounded, -0) ? 0 : rounded}${unit === "wins" ? " %" : ""}`;
}

export function costTag(cost, unit) {
  const free = cost < NEVER;
  return element("span", `cost ${free ? "moss" : cost < (unit === "wins" ? CHEAP : 1) ? "straw" : "rust"}`, `costs ${free ? "0" : amount(cost, unit)}`);
}

// Draw on the picture and on the buttons what is known; returns what the panel says.
export function markKnowledge(picture, buttons, known) {
  unmark(picture, buttons);
  if (!known) return;
  markHidden(picture, known);
  markCosts(picture, buttons, known);
}

function unmark(picture, buttons) {
  for (const made of [...picture.querySelectorAll(".may-hold, .belief-mark, .on-cell"), ...buttons.querySelectorAll(".cost, .worth")]) made.remove();
  for (const cell of picture.querySelectorAll(".advised, .surely-free")) cell.classList.remove("advised", "surely-free");
}

// Fractions where all chances have simple ones, else percentages: the two do not mix in one picture.
function plain(known) {
  const all = known.hidden.flatMap(({ chances }) => chances);
  if (all.every(({ share, fraction }) => fraction || share < NEVER)) return known.hidden;
  return known.hidden.map((place) => ({ ...place, chances: place.chances.map((chance) => ({ ...chance, fraction: null })) }));
}

function markHidden(picture, known) {
  const told = new Set();
  for (const place of plain(known)) {
    const at = `${place.part}-${place.row}-${place.column}`;
    const cell = picture.querySelector(`[data-place="${at}"]`);
    told.add(at);
    if (!cell) continue;
    if (cell.matches(".look-token")) continue; // people are listed in the panel
    if (cell.matches(".playing-card")) mayHold(cell, place);
    else cell.append(believed(place));
  }
  if (!known.exact || !known.boards.length) return;
  for (const cell of picture.querySelectorAll(".part-board .look-fog")) {
    if (!told.has(cell.dataset.place) && !cell.matches(".look-refused")) cell.classList.add("surely-free");
  }
}

// Beside a covered card: what it may be, likely ones lit.
function mayHold(cell, place) {
  const row = element("div", "may-hold", "", { role: "list", "aria-label": "What it may be" });
  const most = Math.max(...place.chances.map((chance) => chance.share));
  for (const chance of place.chances) {
    const one = element("span", chance.share < NEVER ? "never" : "", "", { role: "listitem", "aria-label": `${chance.text}: ${shareWords(chance)}` });
    const bar = element("i", "column");
    bar.style.setProperty("--share", chance.share / most);
    one.append(bar, phantomOf(chance), element("b", "", shareWords(chance)));
    row.append(one);
  }
  row.classList.toggle("many", place.chances.length > 3);
  const part = cell.closest(".part"), holder = part.querySelector(".may-hold-all") ?? part.appendChild(element("div", "may-hold-all may-hold"));
  holder.append(row);
}

function phantomOf(chance) {
  const looks = chance.look.split(" ").filter(Boolean);
  const card = element("span", `phantom-card ${looks.map((look) => `look-${look}`).join(" ")}`, "", { "aria-hidden": "true" });
  const figure = figureOf(chance, looks);
  if (figure) card.append(figure);
  else if (/^(\d{1,2}|[JQKA])[♣♦♥♠]?$/.test(chance.text)) fillCard(card, chance.text);
  else card.textContent = chance.text;
  return card;
}

// On a square of a board, or on a person: how likely something of the opponent's is there.
function believed(place) {
  const share = place.chances.reduce((sum, chance) => sum + chance.share, 0);
  const fraction = place.chances.length === 1 ? place.chances[0].fraction : null;
  const mark = element("span", "belief-mark", "", { title: "What the opponent may have here" });
  mark.style.setProperty("--chance", share);
  if (share >= LIKELY) mark.append(element("i", "", "?"));
  mark.append(element("b", "", shareWords({ share, fraction })));
  return mark;
}

function markCosts(picture, buttons, known) {
  const plays = new Map((known.plays ?? []).map((one) => [one.action, one]));
  for (const { action, share } of plays.values()) {
    for (const cell of picture.querySelectorAll(`[data-action="${action}"]`)) cell.classList.toggle("advised", share > 0.05);
  }
  for (const { action, cost, worth } of known.costs ?? []) {
    const choice = buttons.querySelector(`[data-action="${action}"]`);
    choice?.append(costTag(cost, known.unit));
    if (known.unit === "wins" && choice) choice.querySelector(".note")?.replaceChildren(`wins ${amount(worth, known.unit)}`);
    for (const cell of picture.querySelectorAll(`button[data-action="${action}"]`)) {
      const tag = costTag(cost, known.unit);
      tag.classList.add("on-cell");
      cell.append(tag);
    }
  }
}

const nameOf = (number) => faceName(number + 1);

// The panel: the best choice in words, how the solution plays, the boards that fit, and from what all this is counted.
export async function listKnowledge(place, known, session) {
  if (!known) return place.replaceChildren();
  const labels = new Map(session.choices.map(({ action, label }) => [action, label]));
  const parts = [];
  if (known.costs?.length) parts.push(...adviceOf(known, labels));
  if (known.count && known.boards.length) parts.push(await boardsOf(known, session.scene));
  const people = plain(known).filter(({ chances }) => chances.some(({ look }) => look.includes("token")));
  if (people.length) parts.push(...peopleOf(people, known.count));
  if (known.plays?.length) parts.push(...playsOf(known, labels));
  if (known.count === 0) parts.push(element("p", "small", "There is too much to count here."));
  const from = known.costs?.length ? (known.proved ? "Costs are counted from the proved solution. " : known.erred ? "Only an error of the opponent leads here: the costs take it to have slipped. " : "Costs are exact. ") : "";
  const how = known.count === null ? "Nothing is hidden." : `Chances follow from your own views, as if ${known.assumes}${known.exact ? "." : "; they are estimated by drawing."}`;
  place.replaceChildren(...parts, element("p", "soft small", from + how));
}

function adviceOf(known, labels) {
  const free = known.costs.filter(({ cost }) => cost < NEVER).map(({ action }) => labels.get(action) ?? "");
  const worst = known.costs.reduce((most, one) => (one.cost > most.cost ? one : most));
  if (free.length > MANY) free.splice(MANY - 1, free.length, `${free.length - MANY + 1} more`);
  const names = free.length > 2 ? `${free.slice(0, -1).join(", ")} and ${free.at(-1)}` : free.join(" and ");
  const many = free.length > 1 ? "cost" : "costs";
  const head = element("p", "advice", `${names[0]?.toUpperCase() ?? ""}${names.slice(1)} ${many} nothing.`);
  if (worst.cost < NEVER) return [head];
  const unit = known.unit === "wins" ? "games in 100" : known.unit;
  const number = known.unit === "wins" ? Number((100 * worst.cost).toFixed(1)) : Number(worst.cost.toFixed(3));
  return [head, element("p", "small", `The worst choice, ${labels.get(worst.action)}, costs ${number} ${unit}.`)];
}

function playsOf(known, labels) {
  const row = element("div", "shares");
  known.plays.forEach(({ action, share, exact }, number) => {
    const piece = element("span", `share-${Math.min(number, 3)}`, share > 0.25 ? labels.get(action) : "", { title: `${labels.get(action)}: ${exact}` });
    piece.style.setProperty("--share", share);
    row.append(piece);
  });
  const words = known.plays.map(({ action, share, exact }) => `${labels.get(action)} ${exact === "1" ? "always" : exact.length < 12 ? exact : `${Math.round(100 * share)} %`}`);
  const shown = words.length > 4 ? `${words.slice(0, 4).join(", ")} ..` : words.join(", ");
  return [element("h3", "label", "How the solution plays this"), row, element("p", "small", shown)];
}

// People who may be spies, with the share of what still fits.
function peopleOf(people, count) {
  const list = element("dl", "people");
  for (const { row, column, chances } of people) {
    const bar = element("dd", "bar heather");
    bar.append(element("i"));
    bar.style.setProperty("--share", chances[0].share);
    list.append(element("dt", "", nameOf(row + column)), bar, element("dd", "", shareWords(chances[0])));
  }
  return [element("h3", "label", "Who may be a spy"), list, element("p", "small soft", `${count} ${count === 1 ? "pair or group" : "groups"} of spies still fit.`)];
}

async function boardsOf(known, scene) {
  const box = element("div", "fitting");
  box.append(element("b", "figure-large", known.exact ? String(known.count) : "many"));
  for (const { probability, picture } of known.boards) {
    const mini = element("div", "mini", "", { "data-scene": scene, title: `${Math.round(100 * probability)} %`, role: "img", "aria-label": `A board that fits, ${Math.round(100 * probability)} %` });
    await drawPicture(mini, picture);
    box.append(mini);
  }
  const more = known.count > known.boards.length ? `the likeliest ${known.boards.length} of those that fit` : "boards that fit all you were told";
  const whole = element("div");
  whole.append(element("h3", "label", "What the opponent may have"), box, element("p", "small soft", more));
  return whole;
}
