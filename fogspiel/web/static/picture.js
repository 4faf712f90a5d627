// Draws a picture of a game: parts as `fogspiel.core.picture` names them, cell by cell, as the person may see them.
// A cell whose action is among the choices can be pressed; arrow keys go from cell to cell.

import { figureOf } from "./figures.js";
import { button, element } from "./service.js";

const DRAW = { board: drawBoard, cards: drawCards, facts: drawFacts, words: drawWords, text: drawText };

// Draw the parts anew; `choices` may be tried now, `act(action)` tries one. The cell that had the focus keeps it.
// Cells at the `latest` places (part, row, column) have just changed.
export async function drawPicture(container, parts, choices = [], act = null, latest = []) {
  container.classList.toggle("boards-2", parts.filter((part) => part.kind === "board").length > 1);
  const focused = container.contains(document.activeElement) ? document.activeElement.dataset.place : null;
  const chess = parts.some((part) => part.kind === "chess") ? await import("./chess.js") : null;
  const old = [...container.children];
  parts.forEach((part, number) => {
    let place = old[number];
    if (!place || place.dataset.kind !== part.kind) {
      place = element("div", `part part-${part.kind}`, "", { "data-kind": part.kind });
      if (old[number]) old[number].replaceWith(place);
      else container.append(place);
    }
    if (part.kind === "chess") chess.drawChess(place, part, choices, act);
    else place.replaceChildren(...DRAW[part.kind](part, new Actions(choices, act, number)));
  });
  old.slice(parts.length).forEach((place) => place.remove());
  for (const place of latest) container.querySelector(`[data-place="${place.join("-")}"]`)?.classList.add("latest");
  if (focused) container.querySelector(`[data-place="${focused}"]`)?.focus();
}

// What may be done now, for the cells of one part.
class Actions {
  constructor(choices, act, part) {
    this.labels = new Map(choices.map((choice) => [choice.action, choice.label]));
    this.act = act;
    this.part = part;
  }

  // A cell as something to press, or as something to read.
  cell(cell, row, column, looks) {
    const open = this.act !== null && cell.action !== null && this.labels.has(cell.action);
    const words = cell.look.split(" ").filter(Boolean);
    const look = words.map((word) => `look-${word}`).join(" ");
    const figure = figureOf(cell, words);
    const faced = !figure && looks === "playing-card" && isFace(cell) ? "faced" : "";
    const text = figure && !words.includes("hand") ? "" : cell.text;
    const made = element(open ? "button" : "span", `${looks} ${look} ${faced}`.trim(), text, { "data-place": `${this.part}-${row}-${column}` });
    if (figure) made.prepend(figure);
    if (faced) made.dataset.corner = cell.text;
    made.style.setProperty("--letters", Math.max(cell.text.length, 3));
    const aloud = cell.name || cell.text || "empty";
    if (open) {
      made.type = "button";
      made.setAttribute("aria-label", `${aloud}: ${this.labels.get(cell.action)}`);
      made.addEventListener("click", () => this.act(cell.action));
    } else {
      made.setAttribute("role", "img");
      made.setAttribute("aria-label", aloud);
      if (this.act !== null) made.tabIndex = -1;
    }
    if (cell.name) made.title = cell.name;
    return made;
  }
}

// Whether a card shows a rank, with or without a suit, and not words.
function isFace(cell) {
  return /^(\d{1,2}|[JQKA])[♣♦♥♠]?$/.test(cell.text) && !cell.look.includes("token");
}

function drawBoard(board, actions) {
  const columns = Math.max(...board.rows.map((row) => row.length));
  const hexagons = board.shape === "hexagons";
  const named = board.row_names.length > 0;
  const grid = element("div", `grid ${board.shape}`, "", { role: "group", "aria-label": board.title || "board" });
  grid.style.setProperty("--columns", columns + (hexagons ? (board.rows.length - 1) / 2 : 0));
  grid.style.setProperty("--rows", board.rows.length + (board.column_names.length ? 0.5 : 0));
  if (board.column_names.length) {
    const head = element("div", "line names", "", { "aria-hidden": "true" });
    if (named) head.append(element("span", "row-name"));
    board.column_names.forEach((name) => head.append(element("span", "column-name", name)));
    grid.append(head);
  }
  board.rows.forEach((row, number) => {
    const line = element("div", "line");
    line.style.setProperty("--row", number);
    if (named) line.append(element("span", "row-name", board.row_names[number] ?? "", { "aria-hidden": "true" }));
    row.forEach((cell, column) => line.append(actions.cell(cell, number, column, "cell")));
    grid.append(line);
  });
  grid.addEventListener("keydown", (event) => walk(event, grid));
  grid.addEventListener("focusin", (event) => enterAt(grid, event.target));
  enterAt(grid, grid.querySelector("button.cell"));
  return [...heading(board.title), grid];
}

function drawCards(cards, actions) {
  if (cards.together && actions.act) return drawTogether(cards, actions);
  const row = element("div", "hand", "", { role: "group", "aria-label": cards.title || "cards" });
  cards.cards.forEach((cell, number) => row.append(actions.cell(cell, 0, number, "playing-card")));
  if (!cards.cards.length) row.append(element("span", "soft", "none"));
  row.addEventListener("keydown", (event) => walk(event, row));
  return [...heading(cards.title), row];
}

// Cards of which several make one action: each press picks one or lets it go, and the last button sends them.
function drawTogether(cards, actions) {
  const row = element("div", "hand", "", { role: "group", "aria-label": cards.title });
  const send = element("button", "primary", "", { type: "button" });
  const picked = new Set();
  const settle = () => {
    const action = [...picked].reduce((sum, bit) => sum + bit, 0);
    send.disabled = !actions.labels.has(action);
    send.textContent = actions.labels.get(action) ?? `${picked.size} picked`;
    send.onclick = () => actions.act(action);
  };
  cards.cards.forEach((cell, number) => {
    const card = actions.cell({ ...cell, action: null }, 0, number, "playing-card");
    const choose = () => {
      if (!picked.delete(cell.action)) picked.add(cell.action);
      pick.setAttribute("aria-pressed", String(picked.has(cell.action)));
      settle();
    };
    const pick = button(cell.text, choose, card.className, { "aria-label": cell.name, "aria-pressed": "false", "data-place": card.dataset.place });
    row.append(pick);
  });
  row.addEventListener("keydown", (event) => walk(event, row));
  settle();
  return [...heading(cards.title), row, send];
}

function drawFacts(facts) {
  const list = element("dl", "facts");
  for (const [name, value] of facts.rows) list.append(element("dt", "", name), element("dd", "", value));
  return [...heading(facts.title), list];
}

function drawWords(words) {
  const list = element("ul", "words plain");
  words.lines.forEach((line) => list.append(element("li", "", line)));
  return [...heading(words.title), list];
}

function drawText(text) {
  return [element("pre", "letters", text.text)];
}

function heading(title) {
  return title ? [element("h3", "", title)] : [];
}

// The tab key enters a board at one cell only; from there the arrow keys go on.
function enterAt(grid, entry) {
  for (const cell of grid.querySelectorAll("button.cell")) cell.tabIndex = cell === entry ? 0 : -1;
}

const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

// The arrow keys go to the nearest cell in their direction, as it lies on the screen.
function walk(event, area) {
  const step = STEPS[event.key];
  if (!step || !event.target.dataset.place) return;
  const [x, y] = middle(event.target);
  let nearest = null, least = Infinity;
  for (const cell of area.querySelectorAll("[data-place]")) {
    const [dx, dy] = middle(cell).map((value, axis) => value - [x, y][axis]);
    const along = dx * step[0] + dy * step[1], across = Math.abs(dx * step[1]) + Math.abs(dy * step[0]);
    const distance = along + 3 * across;
    if (along > 1 && distance < least) [nearest, least] = [cell, distance];
  }
  event.preventDefault();
  nearest?.focus();
}

function middle(cell) {
  const box = cell.getBoundingClientRect();
  return [box.left + box.width / 2, box.top + box.height / 2];
}
