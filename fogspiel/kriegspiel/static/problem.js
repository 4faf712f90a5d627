// One problem to solve: every attempt goes to the server with those before it, and the worst answer comes back.

import { Playboard } from "./chess.js";
import { addFaint } from "./faint.js";
import { NAMES } from "./men.js";
import { ask, byId, element, pause, tell } from "./service.js";
import { isOwn, nameOf } from "./squares.js";

const KEYS =
  "On the board: arrow keys move, Enter picks up and tries, Escape lets go, U takes the last attempt back, F turns the board.";
const TOO_BUSY = 429;
const WAIT = 1500; // milliseconds until a busy server is asked again
const number = byId("problem").dataset.number;
const KEPT = "fogspiel-problems"; // of each solved problem, how many tries it took
const began = Date.now();
let attempts = [];
let busy = false;
let failed = new Set(); // first attempts of wrong lines, here
let tries = 0;

/* The board of a problem: faint men where they may be, and no guesses to put. */
class ProblemBoard extends Playboard {
  constructor(container, scene) {
    super(container, { ...scene.picture, possible: Object.keys(scene.possible) }, scene.choices, (action) => attempt(scene.choices[action].label), location.pathname);
    this.possible = scene.possible;
  }

  get keys() {
    return KEYS;
  }

  board() {
    const frame = super.board();
    for (const [square, letters] of Object.entries(this.possible)) addFaint(frame, square, letters[0]);
    return frame;
  }

  tools() {
    return this.part.over ? [] : [this.controls()];
  }

  aloud(square) {
    const [letter, may] = [this.part.men[square], this.possible[nameOf(square)]];
    const own = isOwn(letter, this.part.side) ? "your" : "Black's";
    const there = letter !== "." ? `${own} ${NAMES[letter.toLowerCase()]}` : may ? `perhaps the ${[...may].map((one) => NAMES[one]).join(" or the ")}` : "empty";
    return [there, ...(square === this.state.picked ? ["picked up"] : [])];
  }

  place() {} // nobody has to guess: what is possible is known

  press(event) {
    if (event.key.toLowerCase() !== "u" || event.ctrlKey || event.altKey || event.metaKey) return super.press(event);
    event.preventDefault();
    return goTo(attempts.slice(0, -1));
  }
}

// Ask until the server has worked it out.
async function askPatiently(path, body) {
  for (;;) {
    try {
      return await ask(`/api/problems/${number}${path}`, body);
    } catch (error) {
      if (error.status !== TOO_BUSY) throw error;
      tell(byId("help"), "Computing the answer; compiling kernels takes up to 30 s on first use.");
      await pause(WAIT);
    }
  }
}

// Do one thing at a time, and say what goes wrong.
async function alone(work) {
  if (busy) return;
  busy = true;
  tell(byId("trouble"), "");
  try {
    await work();
  } catch (error) {
    tell(byId("trouble"), error.message);
  }
  busy = false;
}

function attempt(label) {
  return goTo([...attempts, label]);
}

function goTo(line) {
  return alone(async () => {
    const scene = await askPatiently("", { attempts: line });
    const further = scene.heard.length > attempts.length;
    attempts = scene.heard.map((heard) => heard.attempt);
    tell(byId("help"), "");
    show(scene);
    if (scene.solved) return keep();
    if (!further) return;
    const goes = !scene.over && (await askPatiently("/hint", { attempts })).attempt !== null;
    tell(byId("help"), "");
    judge(scene, goes);
  });
}

// Whether mate can still be forced in time after the last attempt, and why not.
function judge(scene, goes) {
  const card = byId("verdict-card"), last = attempts.at(-1), kings = Object.keys(scene.possible);
  card.classList.toggle("wrong-way", !goes);
  if (goes) {
    byId("why").textContent = scene.heard.at(-1).answer.includes("illegal") ? "It was refused, which tells you something." : "Mate is still forced.";
    return;
  }
  failed.add(last);
  tries += 1;
  const many = scene.moves_left === 1 ? "one move is left" : `${scene.moves_left} moves are left`;
  byId("state").textContent = "Not the move";
  byId("why").textContent = scene.over ? `${scene.state}` : `After ${last} the king may stand on ${listed(kings)}, and ${many}: nothing forces mate now.`;
  listFailed();
  byId("back").focus();
}

function listed(words) {
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} or ${words.at(-1)}` : words.join("");
}

function listFailed() {
  byId("tries-here").hidden = !failed.size;
  byId("failed").replaceChildren(...[...failed].map((label) => element("span", "chip berry", `× ${label}`)));
}

// What was solved on this machine, and in how many tries.
function kept() {
  try {
    return JSON.parse(localStorage.getItem(KEPT)) ?? {};
  } catch {
    return {};
  }
}

function keep() {
  const all = kept();
  all[number] ??= tries + 1;
  localStorage.setItem(KEPT, JSON.stringify(all));
  byId("why").textContent = tries ? `Solved after ${tries} wrong ${tries === 1 ? "try" : "tries"}.` : "Solved at the first try.";
  byId("onward").textContent = byId("onward").textContent.replace("Skip to", "Next:");
  byId("onward").classList.add("primary");
  drawProgress();
}

function drawProgress() {
  const all = kept(), many = Number(byId("problem").dataset.many);
  const solved = Object.keys(all).filter((one) => Number(one) <= many);
  byId("solved-words").textContent = `${solved.length} of ${many} solved`;
  byId("first-words").textContent = `first try: ${solved.filter((one) => all[one] === 1).length}`;
  for (const dot of byId("dots").children) {
    if (!all[dot.dataset.problem]) continue;
    dot.classList.add("done");
    dot.textContent = "✓";
    dot.setAttribute("aria-label", `Problem ${dot.dataset.problem}, solved`);
  }
}

setInterval(() => {
  const seconds = Math.floor((Date.now() - began) / 1000);
  byId("clock").textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}, 1000);

function show(scene) {
  byId("state").textContent = scene.state;
  byId("state").className = `state ${scene.solved ? "solved" : scene.over ? "over" : "turn"}`;
  byId("verdict-card").className = `card verdict-card ${scene.solved ? "right-way" : ""}`;
  byId("why").textContent = attempts.length ? "" : "Move a piece, or type a move.";
  new ProblemBoard(byId("picture"), scene).draw();
  byId("heard").replaceChildren(...scene.heard.flatMap(({ attempt, answer, reply }) => [element("li", "you", attempt), ...[answer, reply].filter(Boolean).map(told)]));
  byId("heard").scrollTop = byId("heard").scrollHeight;
  byId("back").disabled = byId("reset").disabled = !attempts.length;
  byId("hint").disabled = scene.over;
}

// What the referee said: a refusal in berry, the rest as it was announced.
function told(words) {
  const line = element("li");
  line.append(element("span", `chip ${words.includes("illegal") ? "berry" : "lantern"}`, `${words}.`));
  return line;
}

// The solution as nested lists: attempts, and what may be heard after each.
function drawStep(step, move) {
  const list = element("ul");
  for (const branch of step.branches) {
    const heard = [branch.answer, branch.reply].filter(Boolean).map((words) => words.replace(/^White moved(, |; |$)|^Black moved(, |$)/, "")).filter(Boolean);
    const line = element("li", "", `${heard.join("; then ") || "silence"}: king on ${branch.kings.join(" ")}`);
    if (branch.next) line.append(...drawStep(branch.next, move + (branch.answer === "illegal move" ? 0 : 1)));
    list.append(line);
  }
  return [element("p", "attempt", `${move}. ${step.attempt}`), list];
}

byId("back").addEventListener("click", () => goTo(attempts.slice(0, -1)));
byId("reset").addEventListener("click", () => goTo([]));
byId("hint").addEventListener("click", () => alone(async () => {
  const { attempt: next } = await askPatiently("/hint", { attempts });
  tell(byId("help"), next ? `Try ${next}.` : "There is no mate in time any more: take something back.");
}));
byId("solve").addEventListener("click", () => alone(async () => {
  const { tree } = await askPatiently("/solution");
  tell(byId("help"), "");
  byId("tree").replaceChildren(...drawStep(tree, 1));
  byId("solution").hidden = false;
}));
drawProgress();
goTo([]);
