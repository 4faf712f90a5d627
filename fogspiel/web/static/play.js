// One game: what the person sees, what may be done, what was said. Everything shown comes from the person's own view.

import { remember } from "./games.js";
import { drawPicture } from "./picture.js";
import { asked, element, pause, tell } from "./service.js";

const play = document.getElementById("play");
const key = play.dataset.key;
const picture = document.getElementById("picture");
const state = document.getElementById("state");
const trouble = document.getElementById("trouble");
const buttons = document.getElementById("buttons");
const told = document.getElementById("told");
const MANY = 24;
const SHORTEST = 150, LONGEST = 2000;
let scene = null;
let busy = false;

async function follow() {
  let wait = SHORTEST;
  while (scene.thinking) {
    await pause(wait);
    wait = Math.min(wait * 1.4, LONGEST);
    try {
      await show(await asked(`/api/play/${key}`));
      tell(trouble, scene.trouble ?? "");
    } catch (error) {
      tell(trouble, error.message);
    }
  }
}

async function act(action) {
  if (busy || scene.thinking || scene.over) return;
  busy = true;
  tell(trouble, "");
  try {
    await show(await asked(`/api/play/${key}`, { action, moment: scene.moment }));
  } catch (error) {
    tell(trouble, error.message);
    if (error.status === 409) await show(await asked(`/api/play/${key}`).catch(() => scene));
  } finally {
    busy = false;
  }
  follow();
}

async function show(next) {
  const before = scene;
  scene = next;
  if (before && before.moment === next.moment && before.thinking === next.thinking && before.over === next.over) return;
  const lost = buttons.contains(document.activeElement);
  play.classList.toggle("waiting", scene.thinking);
  state.textContent = sentence();
  state.className = `state ${scene.over ? "over" : scene.thinking ? "thinking" : "turn"}`;
  tell(trouble, scene.trouble ?? "");
  listChoices();
  listTold();
  await drawPicture(picture, scene.picture, scene.choices, act);
  document.getElementById("after").hidden = !scene.over;
  remember(scene);
  if (lost) (scene.over ? document.getElementById("whole") : buttons.querySelector("button"))?.focus();
}

function sentence() {
  if (scene.over) return `The game is over. ${scene.result}`;
  return scene.thinking ? `${scene.against.slice(0, 60)} is thinking ...` : "It is your turn.";
}

function listChoices() {
  document.getElementById("choices").hidden = scene.choices.length === 0;
  const list = element("div", "choices");
  scene.choices.forEach(({ action, label }, number) => {
    const button = element("button", "", "", { type: "button" });
    button.append(element("span", "key", String(number + 1), { "aria-hidden": "true" }), element("span", "", label));
    button.addEventListener("click", () => act(action));
    list.append(button);
  });
  if (scene.choices.length <= MANY && !isOnBoard()) return buttons.replaceChildren(list);
  const folded = element("details");
  folded.open = buttons.querySelector("details")?.open ?? !isOnBoard();
  folded.append(element("summary", "", `All ${scene.choices.length} choices`), finder(list), list);
  buttons.replaceChildren(folded);
}

// Whether what may be done now can be done on the picture itself.
function isOnBoard() {
  const actions = new Set(scene.choices.map((choice) => choice.action));
  const offers = (cell) => cell.action !== null && actions.has(cell.action);
  return scene.picture.some((part) => part.kind === "chess" || part.together || (part.rows ?? []).flat().some(offers));
}

// A field that narrows a long list down; Enter takes what is left first.
function finder(list) {
  const field = element("input", "", "", { type: "search", placeholder: "find", "aria-label": "Find a choice" });
  const left = () => [...list.children].filter((button) => !button.hidden);
  field.addEventListener("input", () => {
    const words = field.value.trim().toLowerCase();
    for (const button of list.children) button.hidden = !button.lastChild.textContent.toLowerCase().includes(words);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && field.value.trim()) left()[0]?.click();
  });
  return field;
}

function listTold() {
  const known = told.children.length;
  if (scene.told.length < known) told.replaceChildren();
  const low = told.scrollHeight - told.scrollTop - told.clientHeight < 60;
  scene.told.forEach(({ who, words }, number) => {
    const line = told.children[number];
    if (line && line.textContent === words && line.className === who) return;
    const made = element("li", who, words);
    if (line) line.replaceWith(made);
    else told.append(made);
  });
  if (low) told.scrollTop = told.scrollHeight;
}

// Number keys go to a choice, Enter takes it.
let typed = "", latest = 0;
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter") typed = "";
  if (!/^\d$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, textarea, select")) return;
  typed = event.timeStamp - latest < 900 ? typed + event.key : event.key;
  latest = event.timeStamp;
  const choices = buttons.querySelectorAll(".choices button");
  const chosen = choices[Number(typed) - 1] ?? choices[Number(event.key) - 1];
  if (!chosen) return;
  chosen.closest("details")?.setAttribute("open", "");
  chosen.focus();
});

async function again(side) {
  try {
    const next = await asked("/api/play", { game: scene.game, against: scene.against, side });
    remember(next);
    location.assign(`/play/${next.key}`);
  } catch (error) {
    tell(trouble, error.message);
  }
}
document.getElementById("again").addEventListener("click", () => again(scene.side));
document.getElementById("swap").addEventListener("click", () => again(1 - scene.side));

asked(`/api/play/${key}`).then(show).then(follow).catch((error) => tell(trouble, error.message));
