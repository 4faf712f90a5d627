/* A board with hidden opposing men: own men to try moves with, by mouse, touch, keys or letters, and guesses where the others are.

   drawChess(container, part, choices, act, key)  act(action) tries a move; without act the board is only looked at
   drawHeat(container, part, belief)              what an engine believed */

import { carry } from "./carry.js";
import { Chessboard } from "./chessboard.js";
import { NAMES, man } from "./men.js";
import { slide } from "./motion.js";
import { Phantoms } from "./phantoms.js";
import { button, element } from "./service.js";
import { between, nameOf, squareOf, stepFrom } from "./squares.js";

export { drawHeat } from "./heat.js";

const TRAY = ["k", "q", "r", "b", "n", "p"];
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
const BREATH = 150; // milliseconds between two captures that are tried one after the other
const MOVE = /^[a-h][1-8][a-h][1-8][qrbn]?$/;
const KEYS =
  "On the board: arrow keys move, Enter picks up and tries, Escape lets go, T tries pawn captures, F turns the board. " +
  "K, Q, R, B, N and P put a guess on the square, Delete takes it away, U undoes.";
const QUESTION = "any"; // whether any own pawn can take, where the rules let one ask
const states = new Map();

/* What stays between two drawings of the same game: the cursor, the man or guess in hand, and the guesses. */
function stateOf(key, side) {
  if (!states.has(key)) {
    const cursor = squareOf(side === 0 ? "e2" : "e7");
    const phantoms = new Phantoms(key);
    states.set(key, { flipped: false, cursor, picked: null, armed: null, trying: null, said: "", keys: false, dropped: false, refused: undefined, phantoms, arrows: [] });
  }
  return states.get(key);
}

/* Choices by the square they leave and the square they reach; several are promotions. */
function movesOf(choices) {
  const moves = new Map();
  for (const choice of choices) {
    if (choice.label === QUESTION) continue;
    const [start, end] = [squareOf(choice.label), squareOf(choice.label.slice(2))];
    if (!moves.has(start)) moves.set(start, new Map());
    if (!moves.get(start).has(end)) moves.get(start).set(end, []);
    moves.get(start).get(end).push(choice);
  }
  return moves;
}

export class Playboard extends Chessboard {
  constructor(container, part, choices, act, key) {
    const state = stateOf(key, part.side);
    super(container, part, state.flipped ? 1 - part.side : part.side);
    Object.assign(this, { choices, act, state, phantoms: state.phantoms, moves: movesOf(choices), arrows: state.arrows });
    state.board = this;
    if (!this.moves.has(state.picked)) state.picked = null;
    const last = this.phantoms.last;
    if (last) Object.assign(this, { moved: last, crossed: [last[0], ...between(...last)] });
  }

  /* --- drawing --- */

  draw() {
    const inside = this.container.contains(document.activeElement) ? document.activeElement : null;
    const [onBoard, inEntry] = [inside?.dataset.square !== undefined, inside?.name === "move"];
    super.draw();
    if (onBoard) this.square(this.state.cursor).focus({ preventScroll: true });
    if (inEntry) this.container.querySelector("input[name=move]")?.focus({ preventScroll: true });
  }

  board() {
    this.goals = this.moves.get(this.state.picked) ?? new Map();
    const own = ({ label }) => squareOf(label) === this.state.picked;
    this.targets = new Set(this.part.tries ? this.captures().filter(own).map(({ label }) => label.slice(2, 4)) : []);
    const frame = super.board();
    frame.setAttribute("aria-label", "Chessboard: arrow keys move, Enter picks up and tries, Escape lets go");
    frame.addEventListener("keydown", (event) => this.press(event));
    return frame;
  }

  cell(square) {
    const cell = super.cell(square, "button");
    cell.type = "button";
    cell.tabIndex = square === this.state.cursor ? 0 : -1;
    if (this.phantoms.men.has(square)) cell.append(this.guess(this.phantoms.men.get(square)));
    cell.classList.toggle("movable", this.moves.has(square) || this.phantoms.men.has(square));
    cell.classList.toggle("picked", square === this.state.picked || square === this.state.armed);
    cell.classList.toggle("goal", this.goals.has(square));
    cell.classList.toggle("try", this.targets.has(nameOf(square)));
    cell.addEventListener("pointerdown", (event) => this.grab(event, square));
    cell.addEventListener("click", () => this.click(square));
    cell.addEventListener("focus", () => this.stand(square));
    return cell;
  }

  aloud(square) {
    const [, ...taken] = super.aloud(square);
    const [letter, guess] = [this.part.men[square], this.phantoms.men.get(square)];
    const there = letter !== "." ? `your ${NAMES[letter.toLowerCase()]}` : guess ? `your guess: ${NAMES[guess]}` : "nothing known";
    return [there, ...taken, ...(square === this.state.picked ? ["picked up"] : [])];
  }

  /* A guess, drawn as believed. */
  guess(kind) {
    return man(kind, true);
  }

  /* What the keys do, in words. */
  get keys() {
    return KEYS;
  }

  tools() {
    return this.part.over ? [] : [this.controls(), this.tray()];
  }

  controls() {
    const row = element("div", "row chess-tools");
    const form = element("form", "entry");
    const entry = element("input", "", "", { name: "move", autocomplete: "off", autocapitalize: "off", spellcheck: "false", maxlength: 5, placeholder: "e2e4" });
    entry.setAttribute("aria-label", "A move in letters, as e2e4 or e7e8q");
    const send = element("button", "", "Try");
    send.disabled = entry.disabled = !this.choices.length;
    form.append(entry, send);
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.enter(entry.value.trim().toLowerCase().replace("-", ""));
    });
    row.append(form);
    const question = this.question();
    if (question) row.append(button("Any? (Can a pawn capture?)", () => this.act(question.action)));
    const captures = button(`Pawn captures: ${this.captures().length}`, () => this.tryCaptures());
    captures.disabled = !this.captures().length;
    captures.id = "captures";
    row.append(captures);
    row.append(button("Turn", () => this.flip(), "", { "aria-label": "Turn the board" }));
    const keys = element("details");
    keys.open = this.state.keys;
    keys.append(element("summary", "", "Keys"), element("p", "", this.keys));
    keys.addEventListener("toggle", () => (this.state.keys = keys.open));
    row.append(element("p", "entry-words small", this.state.said, { role: "status" }), keys);
    return row;
  }

  /* The men of the other side, as many as were announced, to be put where they may be. */
  tray() {
    const left = Object.fromEntries(this.part.counts);
    const men = left["the other's pawns and pieces"]; // where it is not said which of them were taken
    const [pawns, pieces] = [left["the other's pawns"] ?? Math.min(men, 8), left["the other's pieces"] ?? men];
    const most = { p: pawns, k: 1 };
    const box = element("div", "tray", "", { role: "group", "aria-label": "Your guesses" });
    const row = element("div", "row");
    for (const kind of TRAY) {
      const put = button("", () => this.arm(kind), "phantom-kind", { "aria-label": `Guess a ${NAMES[kind]}` });
      put.append(this.guess(kind));
      put.setAttribute("aria-pressed", String(this.state.armed === kind));
      put.disabled = this.phantoms.count(kind) >= (most[kind] ?? pieces);
      put.addEventListener("pointerdown", (event) => {
        if (event.button === 0 && !put.disabled) this.carry(event, this.guess(kind), (end) => end !== null && this.place(end, kind));
      });
      row.append(put);
    }
    const steps = element("div", "row steps");
    const placedWords = () => `Clear ${this.phantoms.men.size || ""}`.trim();
    steps.append(
      button("All at home", () => this.change(() => this.phantoms.setHome(this.part.men, this.part.side)), "quiet small-button"),
      button("Undo", () => this.change(() => this.phantoms.undo()), "quiet small-button"),
      button(placedWords(), () => this.change(() => this.phantoms.clear()), "small-button", { "aria-label": "Remove all" }),
    );
    const [p, q] = [this.phantoms.count("p"), this.phantoms.count("q")];
    const placed = men === undefined ? `Placed: ${p} of ${pawns} pawns, ${q} of ${pieces} pieces.` : `Placed: ${p + q} of ${men} pieces.`;
    steps.append(element("span", "small soft", placed));
    const head = element("div", "card-head");
    head.append(element("p", "label", "Your guesses"), element("span", "small soft", "Drag onto the board. Only you see them."));
    box.append(head, row, steps);
    return box;
  }

  tell(words) {
    this.state.said = words;
    const place = this.container.querySelector(".entry-words");
    if (place) place.textContent = words;
  }

  /* --- keys, clicks and drags --- */

  stand(square) {
    this.square(this.state.cursor)?.setAttribute("tabindex", "-1");
    this.state.cursor = square;
    this.square(square).setAttribute("tabindex", "0");
  }

  press(event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const square = this.state.cursor;
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (ARROWS[key]) {
      const [right, up] = ARROWS[key].map((step) => (this.below === 0 ? step : -step));
      const next = stepFrom(square, right, up);
      if (next >= 0) this.square(next).focus();
    } else if (key === "Escape") this.letGo();
    else if (TRAY.includes(key)) this.place(square, key);
    else if (key === "Delete" || key === "Backspace") this.change(() => this.phantoms.remove(square));
    else if (key === "t") this.tryCaptures();
    else if (key === "u") this.change(() => this.phantoms.undo());
    else if (key === "f") this.flip();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /* Picks up an own man, tries a move, or puts or moves a guess. */
  click(square) {
    if (this.dragged) return;
    const { picked, armed } = this.state;
    if (this.goals.has(square)) this.attempt(picked, square);
    else if (this.moves.has(square)) this.hold({ picked: square === picked ? null : square });
    else if (typeof armed === "number") this.shift(armed, square);
    else if (armed) this.place(square, armed);
    else if (this.phantoms.men.has(square)) this.hold({ armed: square });
    else this.letGo();
  }

  /* Drag an own man to a square that it may try, or a guess anywhere; off the board it is gone. */
  grab(event, square) {
    const guess = this.phantoms.men.get(square);
    if (event.button !== 0 || !(this.moves.has(square) || guess)) return;
    if (guess) {
      this.carry(event, this.guess(guess), (end) => {
        if (end === null) this.change(() => this.phantoms.remove(square));
        else if (end !== square) this.shift(square, end);
      });
      return;
    }
    const show = () => {
      for (const end of this.moves.get(square).keys()) this.square(end).classList.add("goal");
    };
    this.carry(event, man(this.part.men[square]), (end) => {
      if (this.moves.get(square)?.has(end)) this.attempt(square, end);
      else this.letGo();
    }, show);
  }

  carry(event, figure, drop, begin = () => {}) {
    const size = this.square(0).getBoundingClientRect().width;
    const start = () => {
      this.dragged = true;
      begin();
    };
    carry(event, figure, size, start, (under) => {
      setTimeout(() => (this.dragged = false), 0); // after the click that ends a drag
      const cell = under?.closest("[data-square]");
      drop(cell && this.container.contains(cell) ? Number(cell.dataset.square) : null);
    });
  }

  /* A man that is picked up, or a kind or a guess that waits for a square. */
  hold({ picked = null, armed = null }) {
    Object.assign(this.state, { picked, armed });
    this.draw();
  }

  letGo() {
    this.state.trying = null;
    this.hold({});
  }

  flip() {
    this.state.flipped = !this.state.flipped;
    this.below = 1 - this.below;
    this.draw();
  }

  /* --- guesses --- */

  arm(kind) {
    this.hold({ armed: this.state.armed === kind ? null : kind });
  }

  place(square, kind) {
    if (this.isOwn(square)) this.tell("One of your pieces stands there.");
    else this.change(() => this.phantoms.put(square, kind));
  }

  shift(start, end) {
    this.state.armed = null;
    if (this.isOwn(end)) this.tell("One of your pieces stands there.");
    else this.change(() => (start === end ? this.phantoms.remove(start) : this.phantoms.move(start, end)));
  }

  change(act) {
    act();
    this.draw();
  }

  /* --- tries --- */

  /* Try a move; a pawn on the last rank is asked what it becomes. */
  async attempt(start, end) {
    const found = this.moves.get(start).get(end);
    const choice = found.length === 1 ? found[0] : await this.promotion(found);
    if (choice) this.send(choice);
    else this.letGo();
  }

  send(choice) {
    Object.assign(this.state, { picked: null, armed: null, dropped: this.dragged, arrows: [] });
    this.arrows = [];
    this.tell("");
    this.phantoms.attempt(squareOf(choice.label), squareOf(choice.label.slice(2)));
    this.act(choice.action);
  }

  promotion(found) {
    const dialog = element("dialog", "promotion", "", { "aria-label": "What does the pawn become?" });
    for (const kind of ["q", "r", "b", "n"]) {
      const become = button("", () => dialog.close(kind), "", { "aria-label": NAMES[kind] });
      become.append(man(this.part.side === 0 ? kind.toUpperCase() : kind));
      dialog.append(become);
    }
    this.container.append(dialog);
    dialog.showModal();
    return new Promise((resolve) => {
      dialog.addEventListener("close", () => {
        dialog.remove();
        resolve(found.find(({ label }) => label[4] === dialog.returnValue) ?? null);
      });
    });
  }

  enter(text) {
    const choice = this.choices.find(({ label }) => label === text || label === `${text}q`);
    if (choice?.label === QUESTION) this.act(choice.action);
    else if (choice) this.send(choice);
    else if (!MOVE.test(text)) this.tell("Write the squares that a piece leaves and goes to, as e2e4.");
    else if (this.part.refused.includes(text.slice(0, 4))) this.tell(`${text} was refused already in this turn.`);
    else this.tell(`${text} cannot be tried now.`);
  }

  question() {
    return this.choices.find(({ label }) => label === QUESTION);
  }

  /* The pawn captures that can be tried now: first where a man is guessed, then those far ahead. */
  captures() {
    const isPawn = (label) => "pP".includes(this.part.men[squareOf(label)]);
    const ahead = (label) => (this.part.side === 0 ? Number(label[3]) : 9 - Number(label[3]));
    const rank = ({ label }) => ahead(label) + (this.phantoms.men.has(squareOf(label.slice(2))) ? 8 : 0);
    return this.choices
      .filter(({ label }) => label !== QUESTION && label[0] !== label[2] && isPawn(label) && "q".includes(label[4] ?? ""))
      .sort((one, other) => rank(other) - rank(one));
  }

  /* Try them one after the other, until one is accepted. */
  tryCaptures() {
    const [first] = this.captures();
    if (!first) return;
    this.state.trying = first.label.slice(0, 4);
    this.send(first);
  }

  /* The piece on a square slides to it, or, refused, towards it and back. */
  slide(start, end, comesBack = false) {
    const stands = this.square(comesBack ? start : end);
    slide(stands.querySelector(".man"), this.square(start), this.square(end), comesBack);
  }

  /* After a drawing: go on with the captures if the last one was refused. */
  rest() {
    if (!this.choices.length) return;
    const { trying } = this.state;
    this.state.trying = null;
    if (trying && this.part.refused.includes(trying)) setTimeout(() => this.tryCaptures(), BREATH);
  }
}

/* The coach's arrows on the board that is played on, until the next move. */
export function setArrows(arrows) {
  for (const state of states.values()) {
    if (!state.board?.container.isConnected) continue;
    state.arrows = state.board.arrows = arrows;
    state.board.draw();
  }
}

export function drawChess(container, part, choices = [], act = null, key = location.pathname + location.hash) {
  if (!act) return new Chessboard(container, part).draw();
  const { phantoms, dropped } = stateOf(key, part.side);
  const [before, known] = [phantoms.before, String(phantoms.last)];
  phantoms.look(part.men, part.side);
  const board = new Playboard(container, part, choices, act, key);
  const refused = part.refused.at(-1);
  const isNew = refused && refused !== board.state.refused;
  board.state.refused = refused;
  board.state.dropped = false;
  board.draw();
  if (dropped || !before) return board.rest();
  if (before !== part.men && String(phantoms.last) !== known) board.slide(...phantoms.last);
  else if (isNew) board.slide(squareOf(refused), squareOf(refused.slice(2)), true);
  board.rest();
}
