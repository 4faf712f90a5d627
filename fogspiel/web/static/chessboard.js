/* A chessboard to look at: men, marks, refused tries and rays of check, as a part `Chess` of a picture has them. */

import { fogLayer } from "./fog.js";
import { NAMES, man, svgElement } from "./men.js";
import { element } from "./service.js";
import { inDirection, isOwn, nameOf, squareOf } from "./squares.js";

const ALL = [...Array(64).keys()];
const WORTH = 10; // per cent from which on a chance has a number

export class Chessboard {
  /* `below` is the side whose men stand below: 0 is White. */
  constructor(container, part, below = part.side) {
    Object.assign(this, { container, part, below, crossed: [], moved: [], arrows: [], chances: null });
  }

  /* Where a square is on the screen, column and row from the top left. */
  at(square) {
    const [file, rank] = [square % 8, Math.floor(square / 8)];
    return this.below === 0 ? [file, 7 - rank] : [7 - file, rank];
  }

  isOwn(square) {
    return isOwn(this.part.men[square], this.part.side);
  }

  square(square) {
    return this.container.querySelector(`[data-square="${square}"]`);
  }

  /* Draw everything. The referee's words, the tools and the counts have places of their own on the page of a game, so that
     the board stays where it is; elsewhere they stand around it. The place of the words stays, so that they are read aloud. */
  draw() {
    const slots = this.container.closest("#picture") ? document : this.container;
    let words = slots.querySelector(".referee");
    if (!words) {
      words = element("div", "referee", "", { "aria-live": "polite" });
      this.container.replaceChildren(words);
    }
    this.container.classList.add("chess");
    this.speak(words);
    for (const child of [...this.container.children]) if (child !== words) child.remove();
    this.container.append(this.board());
    (slots.querySelector("#board-tools") ?? this.container).append(...this.replaced([...this.tools(), this.counts()]));
  }

  /* The new tools, after the old ones are gone. */
  replaced(tools) {
    document.querySelector("#board-tools")?.replaceChildren();
    return tools;
  }

  /* What stands beside the board; nothing if it is only looked at. */
  tools() {
    return [];
  }

  speak(place) {
    const { words, refused, tries } = this.part;
    const lines = words.length ? words : ["White begins."];
    const said = lines.map((line, i) => element("p", i === lines.length - 1 ? "latest" : "soft", line));
    if (refused.length) said.push(element("p", "refusal", `Refused in this turn: ${refused.join(", ")}.`));
    if (tries) said.push(element("p", "badge warn", tries === 1 ? "1 pawn try" : `${tries} pawn tries`));
    if (place.textContent !== said.map((line) => line.textContent).join("")) place.replaceChildren(...said);
  }

  board() {
    const frame = element("div", "chessboard", "", { role: "grid", "aria-label": "Chessboard" });
    const order = [...ALL].sort((one, other) => this.at(one)[1] - this.at(other)[1] || this.at(one)[0] - this.at(other)[0]);
    for (let row = 0; row < 8; row += 1) {
      const line = element("div", "rank", "", { role: "row" });
      line.append(...order.slice(8 * row, 8 * row + 8).map((square) => this.cell(square)));
      frame.append(line);
    }
    frame.prepend(fogLayer(8, 8, (column, row) => this.density(column, row)));
    frame.append(this.overlay());
    if (this.chances) this.showChances(frame);
    return frame;
  }

  /* How thick the fog is on a square, from the own view alone: thinner near own pieces and where one has just passed. A
     board that shows the other side has none, and a problem only where the king may be. */
  density(column, row) {
    const [file, rank] = this.below === 0 ? [column, 7 - row] : [7 - column, row];
    const square = file + 8 * rank;
    if (this.part.possible) return this.part.possible.includes(nameOf(square)) ? 0.8 : 0;
    if (this.part.men[square] !== "." || !this.hides) return 0;
    if (this.crossed?.includes(square)) return 0.25;
    const far = Math.min(...this.owned.map((own) => Math.max(Math.abs((own % 8) - file), Math.abs(Math.floor(own / 8) - rank))));
    return Math.min(0.45 + 0.15 * far, 1);
  }

  get owned() {
    return ALL.filter((square) => this.isOwn(square));
  }

  /* True if this is the view of one side. */
  get hides() {
    return ALL.every((square) => this.part.men[square] === "." || this.isOwn(square));
  }

  cell(square, tag = "div") {
    const dark = (square + Math.floor(square / 8)) % 2 === 0;
    const name = nameOf(square);
    const cell = element(tag, `square ${dark ? "dark" : "light"}`, "", { role: "gridcell", "data-square": square });
    cell.setAttribute("aria-label", [name, ...this.aloud(square)].join(", "));
    const [column, row] = this.at(square);
    if (column === 0) cell.append(element("span", "rank-name", name[1]));
    if (row === 7) cell.append(element("span", "file-name", name[0]));
    if (this.part.men[square] !== ".") cell.append(man(this.part.men[square]));
    cell.classList.toggle("moved", this.moved.includes(square));
    cell.classList.toggle("taken", this.part.captured === name);
    if (this.part.captured === name) cell.append(element("span", "corner", "", { "aria-hidden": "true" }));
    return cell;
  }

  /* How likely somebody stands on each square, in per cent, where it is worth a number. */
  showChances(frame) {
    frame.classList.add("heat");
    for (const cell of frame.querySelectorAll("[data-square]")) {
      const square = Number(cell.dataset.square), percent = Math.round(100 * Math.min(this.chances[square], 1));
      if (percent < WORTH || this.part.men[square] !== ".") continue;
      cell.style.setProperty("--chance", String(percent / 100));
      cell.append(element("span", "chance", String(percent)));
      cell.setAttribute("aria-label", `${cell.getAttribute("aria-label")}, ${percent} per cent`);
    }
  }

  /* What is said of a square after its name. */
  aloud(square) {
    const letter = this.part.men[square];
    const colour = letter === letter.toUpperCase() ? "White" : "Black";
    const there = letter === "." ? "empty" : `${colour} ${NAMES[letter.toLowerCase()]}`;
    return this.part.captured === nameOf(square) ? [there, "a piece was captured here last"] : [there];
  }

  /* Refused tries as dashed lines, and the rays of check. */
  overlay() {
    const field = svgElement("svg", { viewBox: "0 0 8 8", class: "overlay", "aria-hidden": "true" });
    const middle = (square) => this.at(square).map((place) => place + 0.5);
    const king = ALL.find((square) => this.isOwn(square) && "kK".includes(this.part.men[square]));
    for (const direction of king === undefined ? [] : this.part.checks) {
      const { rays, squares } = inDirection(direction, king, (square) => this.part.men[square] !== ".");
      for (const end of rays) {
        const [[x, y], [x2, y2]] = [middle(king), middle(end)];
        const [x1, y1] = [x + 0.42 * Math.sign(x2 - x), y + 0.42 * Math.sign(y2 - y)]; // beside the king, not across it
        field.append(svgElement("line", { x1, y1, x2, y2, class: "ray" }));
      }
      for (const [cx, cy] of squares.map(middle)) field.append(svgElement("circle", { cx, cy, r: 0.3, class: "ray" }));
    }
    for (const refused of this.part.refused) {
      const [[x1, y1], [x2, y2]] = [middle(squareOf(refused)), middle(squareOf(refused.slice(2)))];
      field.append(svgElement("line", { x1, y1, x2, y2, class: "ghost" }));
      field.append(svgElement("circle", { cx: x2, cy: y2, r: 0.22, class: "ghost-disc" }));
      field.append(svgElement("path", { d: `M${x2 - 0.14} ${y2 - 0.14}l.28 .28m0 -.28l-.28 .28`, class: "ghost-end" }));
    }
    for (const { move, look, opacity } of this.arrows) field.append(this.arrow(middle(squareOf(move)), middle(squareOf(move.slice(2))), look, opacity));
    return field;
  }

  arrow([x1, y1], [x2, y2], look, opacity) {
    const long = Math.hypot(x2 - x1, y2 - y1), [dx, dy] = [(x2 - x1) / long, (y2 - y1) / long];
    const [ex, ey] = [x2 - 0.25 * dx, y2 - 0.25 * dy];
    const arrow = svgElement("g", { class: `arrow ${look}`.trim(), opacity });
    arrow.append(svgElement("line", { x1, y1, x2: ex - 0.1 * dx, y2: ey - 0.1 * dy }));
    arrow.append(svgElement("path", { d: `M${ex + 0.2 * dx} ${ey + 0.2 * dy}L${ex - 0.14 * dx - 0.17 * dy} ${ey - 0.14 * dy + 0.17 * dx}L${ex - 0.14 * dx + 0.17 * dy} ${ey - 0.14 * dy - 0.17 * dx}Z` }));
    return arrow;
  }

  counts() {
    const list = element("dl", "facts");
    for (const [name, number] of this.part.counts) list.append(element("dt", "", name), element("dd", "", String(number)));
    return list;
  }
}
