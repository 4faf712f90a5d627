// Draws a picture of a game: parts as `fogspiel.core.picture` names them, cell by cell, as the person may see them.
// A cell whose action is among the choices can be pressed; arrow keys go from cell to cell.

import { carry } from "./carry.js";
import { chips, faceName, figureOf, fillCard, flame, person, ship, stone } from "./figures.js";
import { fogLayer } from "./fog.js";
import { svgElement } from "./men.js";
import { moveIn, remember } from "./motion.js";
import { button, element } from "./service.js";

const DRAW = { board: drawBoard, cards: drawCards, facts: drawFacts, stakes: drawStakes, race: drawRace, words: drawWords, text: drawText };

// Draw the parts anew; `choices` may be tried now, `act(action)` tries one. The cell that had the focus keeps it.
// Cells at the `latest` places (part, row, column) have just changed.
export async function drawPicture(container, picture, choices = [], act = null, latest = []) {
  const scene = container.dataset.scene ??= picture.some((part) => part.shape === "hexagons") ? "hex" : "tiles";
  const before = remember(container), onSeas = handOf(container, picture, () => drawPicture(container, picture, choices, act, latest));
  const parts = picture.filter((part) => !onSeas || part.turned === undefined || part.turned === null || part.turned === onSeas.turned);
  container.classList.toggle("boards-2", parts.filter((part) => part.kind === "board").length > 1);
  const focused = container.contains(document.activeElement) ? document.activeElement.dataset.place : null;
  const chess = parts.some((part) => part.kind === "chess") ? await import("./chess.js") : null;
  container.querySelector(":scope > .fleet")?.remove();
  const old = [...container.children];
  parts.forEach((part, number) => {
    let place = old[number];
    if (!place || place.dataset.kind !== part.kind) {
      place = element("div", "", "", { "data-kind": part.kind });
      if (old[number]) old[number].replaceWith(place);
      else container.append(place);
    }
    if (part.kind === "chess") chess.drawChess(place, part, choices, act);
    else place.replaceChildren(...DRAW[part.kind](part, new Actions(choices, act, number, scene)));
    place.classList.add("part", `part-${part.kind}`);
    if (part.seat) place.classList.add(`seat-${part.seat}`);
  });
  old.slice(parts.length).forEach((place) => place.remove());
  for (const place of latest) container.querySelector(`[data-place="${place.join("-")}"]`)?.classList.add("latest");
  moveIn(container, before, scene);
  if (onSeas) takeInHand(container, onSeas);
  if (focused) container.querySelector(`[data-place="${focused}"]`)?.focus();
}

// What may be done now, for the cells of one part.
class Actions {
  constructor(choices, act, part, scene) {
    this.labels = new Map(choices.map((choice) => [choice.action, choice.label]));
    this.act = act;
    this.part = part;
    this.scene = scene;
  }

  // A cell as something to press, or as something to read.
  cell(cell, row, column, looks) {
    const open = this.act !== null && cell.action !== null && this.labels.has(cell.action);
    const words = cell.look.split(" ").filter(Boolean);
    const look = words.map((word) => `look-${word}`).join(" ");
    const made = element(open ? "button" : "span", `${looks} ${look}`.trim(), "", { "data-place": `${this.part}-${row}-${column}` });
    const person = this.scene === "room" && words.includes("token");
    fillCell(made, cell, words, person ? "person" : looks === "playing-card" ? "card" : this.scene, row * 31 + column);
    made.style.setProperty("--letters", Math.max(cell.text.length, 3));
    made.style.setProperty("--at-row", row);
    made.style.setProperty("--at-column", column);
    const aloud = cell.name || cell.text || "empty";
    if (open) {
      made.type = "button";
      made.dataset.action = cell.action;
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

// What stands on a cell: a figure, a stone, a card, a mark or its text, and the fog over what is not known.
function fillCell(made, cell, words, scene, place) {
  const figure = figureOf(cell, words);
  const isStone = words.includes("own") || words.includes("other");
  if (scene === "person") return fillPerson(made, cell);
  if (scene === "card" && !figure && isFace(cell)) return fillCard(made, cell.text);
  if (STONES[scene] && isStone && (cell.text === "X" || cell.text === "O")) return made.append(STONES[scene](cell.text));
  if (scene === "sea") return fillSea(made, cell, words, place);
  if (words.includes("fog") || cell.text === "?") made.append(fogLayer(1, 1, () => density(words, place), place));
  if (cell.text === "?" && words.includes("unknown")) return made.append(element("span", "guess-mark", "?"));
  if (figure) made.append(figure);
  if (words.includes("face")) made.append(element("span", "", faceName(Number(cell.text))));
  else if (cell.text && !words.includes("refused") && (!figure || words.includes("hand"))) made.append(element("span", "", cell.text));
}

// A person at the table: a figure in the fog, with number and name.
function fillPerson(made, cell) {
  made.append(person(), element("span", "person-name", `${cell.text} ${faceName(Number(cell.text))}`));
}

function fillSea(made, cell, words, place) {
  if (words.includes("unknown") && !cell.text) made.append(fogLayer(1, 1, () => density(words, place), place));
  else if (cell.text === "×") made.append(flame());
  else if (cell.text === "·") made.append(element("span", "miss"));
  else if (cell.text && !words.includes("ship")) made.append(element("span", "", cell.text));
}

// Open water with the whole ships on it: row, column, length, and whether a ship stands.
function drawSea(ships) {
  const sea = element("div", "sea", "", { "aria-hidden": "true" });
  for (const place of ships) sea.append(afloat(...place));
  return sea;
}

function afloat(row, column, length, stands) {
  const made = placed(element("span", "afloat"), row, column);
  made.style.setProperty("--wide-cells", stands ? 1 : length);
  made.style.setProperty("--tall-cells", stands ? length : 1);
  made.append(ship(length, stands));
  return made;
}

// The ship in hand, where the boards of a picture are one sea: R or its button turns it.
function handOf(container, parts, draw) {
  const boards = parts.filter((part) => typeof part.turned === "boolean");
  if (!boards.length) return null;
  const turned = container.dataset.turned === "true";
  return { turned, length: boards[0].in_hand, turn: () => { container.dataset.turned = String(!turned); draw(); } };
}

function takeInHand(container, { turned, length, turn }) {
  const grid = container.querySelector(".grid"), sea = grid.querySelector(".sea");
  let held = null;
  const hold = ({ target }) => {
    held?.remove();
    const cell = target.closest?.("button.cell");
    if (!cell) return;
    held = afloat(Number(cell.style.getPropertyValue("--at-row")), Number(cell.style.getPropertyValue("--at-column")), length, turned);
    held.classList.add("in-hand");
    sea.append(held);
  };
  for (const kind of ["pointerover", "focusin"]) grid.addEventListener(kind, hold);
  grid.addEventListener("keydown", (event) => event.key.toLowerCase() === "r" && turn());
  const side = element("div", "row fleet");
  const piece = element("span", "in-port", "", { title: "Drag it onto your sea" });
  piece.append(ship(length, turned));
  piece.addEventListener("pointerdown", (event) => {
    event.preventDefault();
    const size = parseFloat(getComputedStyle(grid.querySelector(".cell")).width);
    carry(event, afloat(0, 0, length, turned), size, () => {}, (under) => under?.closest("button.cell")?.click());
  });
  side.append(piece, button("Turn it (R)", turn, "small-button"));
  container.append(side);
}

// Fog is thinner where an own try was refused; a board on which all is seen has none.
function density(words, place) {
  return words.includes("refused") ? 0.4 : 0.8 + 0.2 * Math.sin(place);
}

const disc = (mark) => element("span", `disc disc-${mark}`);
const STONES = { tiles: stone, go: disc, hex: disc, frame: disc };

// Whether a card shows a rank, with or without a suit, and not words.
function isFace(cell) {
  return /^(\d{1,2}|[JQKA])[♣♦♥♠]?$/.test(cell.text) && !cell.look.includes("token");
}

function drawBoard(board, actions) {
  const columns = Math.max(...board.rows.map((row) => row.length));
  const hexagons = board.shape === "hexagons";
  const named = board.row_names.length > 0;
  const grid = element("div", `grid ${board.shape}`, "", { role: "group", "aria-label": board.title || "board" });
  grid.style.setProperty("--columns", columns);
  grid.style.setProperty("--rows-only", board.rows.length);
  grid.style.setProperty("--rows", board.rows.length + (board.column_names.length ? 0.5 : 0));
  if (board.column_names.length) {
    const head = element("div", "line names", "", { "aria-hidden": "true" });
    if (named) head.append(element("span", "row-name"));
    board.column_names.forEach((name, column) => head.append(placed(element("span", "column-name", name), 0, column)));
    grid.append(head);
  }
  board.rows.forEach((row, number) => {
    const line = element("div", "line");
    if (named) line.append(placed(element("span", "row-name", board.row_names[number] ?? "", { "aria-hidden": "true" }), number, 0));
    row.forEach((cell, column) => line.append(actions.cell(cell, number, column, "cell")));
    grid.append(line);
  });
  if (hexagons) grid.prepend(...rims(board.rows.length, columns));
  if (actions.scene === "sea") grid.prepend(drawSea(board.ships ?? []));
  grid.addEventListener("keydown", (event) => walk(event, grid));
  grid.addEventListener("focusin", (event) => enterAt(grid, event.target));
  enterAt(grid, grid.querySelector("button.cell"));
  return [...heading(board.title), grid];
}

function placed(made, row, column) {
  made.style.setProperty("--at-row", row);
  made.style.setProperty("--at-column", column);
  return made;
}

// The coloured edges of a board of hexagons: the first side joins the first row to the last, the second the columns.
const CORNERS = [[50, 0], [150, 0], [200, 86.6], [150, 173.2], [50, 173.2], [0, 86.6]];
function rims(rows, columns) {
  const made = [];
  const edge = (row, column, look, corners) => {
    const figure = placed(svgElement("svg", { viewBox: "0 0 200 173.2", class: "rim-cell", "aria-hidden": "true", preserveAspectRatio: "none" }), row, column);
    corners.slice(1).forEach((end, at) => {
      const [[x1, y1], [x2, y2]] = [CORNERS[corners[at]], CORNERS[end]];
      figure.append(svgElement("line", { x1, y1, x2, y2, class: look }));
    });
    made.push(figure);
  };
  for (let row = 0; row < rows; row += 1) edge(row, 0, "rim-other", [0, 5, 4].slice(0, row === rows - 1 ? 2 : 3)), edge(row, columns - 1, "rim-other", [1, 2, 3].slice(row ? 0 : 1));
  for (let column = 0; column < columns; column += 1) edge(0, column, "rim-own", column ? [0, 1, 2] : [5, 0, 1, 2]), edge(rows - 1, column, "rim-own", column === columns - 1 ? [2, 3, 4, 5] : [3, 4, 5]);
  return made;
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
    const pick = button("", choose, card.className, { "aria-label": cell.name, "aria-pressed": "false", "data-place": card.dataset.place });
    pick.append(...card.childNodes);
    pick.style.setProperty("--at-column", number);
    row.append(pick);
  });
  row.style.setProperty("--of", cards.cards.length);
  row.addEventListener("keydown", (event) => walk(event, row));
  settle();
  return [...heading(cards.title), row, send];
}

function drawFacts(facts) {
  const list = element("dl", "facts");
  for (const [name, value] of facts.rows) list.append(element("dt", "", name), element("dd", "", value));
  return [...heading(facts.title), list];
}

// The pot in chips, and who paid what.
function drawStakes({ own, other, rows }) {
  const pot = element("div", "pot", "", { role: "img", "aria-label": `${own + other} in the pot` });
  pot.append(chips(own, "pale"), chips(other), element("b", "figure-large", String(own + other)), element("span", "small", "in the pot"));
  const table = element("table", "payments");
  table.append(tableRow(["", "you", "opponent"], "th"), ...rows.map((row) => tableRow(row, "td")));
  return [pot, table];
}

function tableRow(cells, tag) {
  const row = element("tr");
  row.append(...cells.map((words) => element(tag, "", words)));
  return row;
}

const SEGMENTS = 20;
// Points on their way to a goal: a bar with those at risk hatched, or a segment for each point.
function drawRace({ rows }) {
  return rows.map(([name, points, risk, goal], number) => {
    const line = element("div", `race race-${number}${goal <= SEGMENTS ? " few" : ""}`, "", { role: "img", "aria-label": `${name}: ${points} of ${goal}${risk ? `, ${risk} at risk` : ""}` });
    const words = element("span", "whose", name), bar = element("span", "track");
    if (risk) words.append(element("small", "", ` and ${risk} at risk`));
    bar.style.setProperty("--done", points / goal);
    bar.style.setProperty("--risk", Math.min(risk, goal - points) / goal);
    bar.style.setProperty("--goal", goal);
    line.append(words, element("b", "", goal <= SEGMENTS ? `${points} of ${goal}` : String(points)), bar);
    return line;
  });
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
