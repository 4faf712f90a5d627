/* What an engine makes of a game of Kriegspiel: in the replay of each turn, beside a live game of the own view.

   new ReplayPanel(key, whole, go)        the panel of a replay; go(number) shows a moment
   askAdvice(key, note, place, isWanted)  the coach's words about the present turn */

import { Chessboard } from "./chessboard.js";
import { svgElement } from "./men.js";
import { ask, button, byId, element, pause, tell } from "./service.js";
import { squareOf } from "./squares.js";

const ARROWS = 3;
const WAIT = 700;
const NOTE = "Value: pawns more than the mean attempt gains on the boards where it is legal, with a standard error. These are the engine's own estimates, with their noise, not a proof.";

const ENDING = "An ending against a lone king, played by exact sets of squares without values of attempts.";

const isEnding = (position) => position.boards > 0 && position.attempts.length === 0;
const percent = (chance) => (chance > 0 && chance < 0.01 ? "under 1 %" : `${Math.round(100 * chance)} %`);
const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(2)}`;
const withError = (value, error) => signed(value) + (error === null ? "" : ` ± ${error.toFixed(2)}`);

/* A bar of a share of its cell, with words beside it. */
function barCell(share, words, look) {
  const cell = element("td", `bar-cell ${look}`);
  const bar = element("span", "bar", "", { "aria-hidden": "true" });
  bar.style.setProperty("--share", String(Math.min(Math.max(share, 0), 1)));
  cell.append(bar, element("span", "", words));
  return cell;
}

/* The attempts of a position, the best one first. */
function attemptTable(position) {
  const table = element("table", "attempts");
  const head = element("tr");
  head.append(...["Attempt", "Legal", "Value"].map((name) => element("th", "", name, { scope: "col" })));
  const worth = position.attempts.filter((one) => one.value !== null || one.move === position.tried);
  const values = worth.map((one) => one.value ?? 0);
  const [least, most] = [Math.min(...values, 0), Math.max(...values, 0.01)];
  const rows = worth.map((one) => {
    const row = element("tr", one.move === position.tried ? "tried" : "");
    row.append(element("th", "mono", one.move + (one.move === position.tried ? " (tried)" : ""), { scope: "row" }));
    row.append(barCell(one.legal, percent(one.legal), "legal"));
    const share = one.value === null ? 0 : (one.value - least) / (most - least);
    row.append(barCell(share, one.value === null ? "never legal" : withError(one.value, one.error), "value"));
    return row;
  });
  const [top, body] = [element("thead"), element("tbody")];
  top.append(head);
  body.append(...rows);
  table.append(top, body);
  return table;
}

/* The own men with arrows for the best attempts: the likelier one is legal, the stronger its arrow. */
function arrowBoard(part, position) {
  const board = new Chessboard(element("div"), { ...part, refused: [], checks: [] });
  const frame = board.board();
  const middle = (square) => board.at(square).map((place) => place + 0.5);
  const overlay = frame.querySelector(".overlay");
  const shown = position.attempts.filter((one) => one.value !== null).slice(0, ARROWS);
  shown.reverse().forEach((one) => {
    const [[x1, y1], [x2, y2]] = [middle(squareOf(one.move)), middle(squareOf(one.move.slice(2)))];
    const long = Math.hypot(x2 - x1, y2 - y1);
    const [dx, dy] = [(x2 - x1) / long, (y2 - y1) / long];
    const [ex, ey] = [x2 - 0.25 * dx, y2 - 0.25 * dy];
    const arrow = svgElement("g", { class: one.move === position.best ? "arrow best" : "arrow", opacity: 0.35 + 0.6 * one.legal });
    arrow.append(svgElement("line", { x1, y1, x2: ex - 0.1 * dx, y2: ey - 0.1 * dy }));
    arrow.append(svgElement("path", { d: `M${ex + 0.2 * dx} ${ey + 0.2 * dy}L${ex - 0.14 * dx - 0.17 * dy} ${ey - 0.14 * dy + 0.17 * dx}L${ex - 0.14 * dx + 0.17 * dy} ${ey - 0.14 * dy - 0.17 * dx}Z` }));
    overlay.append(arrow);
  });
  const box = element("div", "chess");
  box.append(frame);
  return box;
}

/* What is known at a position, as sentences. */
function sentences(position) {
  const list = element("ul", "implied");
  list.append(...position.implied.map((words) => element("li", "", `${words}.`)));
  const [many, drawn] = [position.boards, position.evaluated].map((count) => count.toLocaleString("en"));
  list.append(element("li", "soft", isEnding(position) ? ENDING : position.boards === 1 ? "One board in mind." : `${many} different boards in mind, attempts valued on ${drawn} drawn from these.`));
  return list;
}

function heading(position) {
  if (position.tried === null) return `${position.turn} The engine would first try ${position.best}.`;
  const answer = position.accepted ? "" : " (refused)";
  const cost = position.cost === null ? "its cost is not known" : `cost ${withError(position.cost, position.cost_error).replace("+", "")} pawns`;
  const better = position.best === position.tried ? "the engine's first choice, too" : `the engine would first have tried ${position.best}`;
  return `${position.turn} ${position.tried}${answer}: ${cost}; ${better}.`;
}

/* A bar that says how far the work is. */
function progressBar(done, total) {
  const bar = element("progress", "", "", { max: total, value: done, "aria-label": "Analysed" });
  return [bar, element("span", "", done ? `${done} of ${total} attempts` : "getting the engine ready ...")];
}

export class ReplayPanel {
  constructor(key, whole, go) {
    Object.assign(this, { key, whole, go, side: whole.side, positions: [], asked: 0, now: null });
    this.choice = byId("analysis-side");
    this.choice.value = String(whole.side);
    byId("analyse").addEventListener("click", () => this.begin());
    byId("analyse").disabled = false;
    this.choice.addEventListener("change", () => this.asked && this.begin());
    addEventListener("pagehide", () => this.asked && fetch(`/api/play/${key}/analysis/stop`, { method: "POST", keepalive: true }));
  }

  /* Ask until the game is worked through; a later wish ends this one. */
  async begin() {
    const wish = (this.asked += 1);
    this.side = Number(this.choice.value);
    this.positions = [];
    byId("analyse").disabled = true;
    tell(byId("analysis-trouble"), "");
    for (let finished = false; !finished && wish === this.asked; ) {
      try {
        const found = await ask(`/api/play/${this.key}/analysis?side=${this.side}&after=${this.positions.length}`);
        if (wish !== this.asked) return;
        this.positions.push(...found.positions);
        this.tellProgress(found);
        tell(byId("analysis-trouble"), found.trouble ? `${found.trouble}.` : "");
        finished = found.finished;
        this.draw();
      } catch (error) {
        tell(byId("analysis-trouble"), error.message);
        if (error.status !== 429) break;
      }
      if (!finished) await pause(WAIT);
    }
    if (wish === this.asked) byId("analyse").disabled = false;
  }

  tellProgress(found) {
    const place = byId("analysis-progress");
    place.hidden = false;
    if (found.finished) place.replaceChildren(element("span", "soft", `By ${found.engine}, from this side's own view. ${NOTE}`));
    else place.replaceChildren(...progressBar(found.done, found.total));
  }

  /* The numbers of the moments at which this side decided. */
  get moments() {
    return this.whole.moments.flatMap(({ mover }, number) => (mover === this.side ? [number] : []));
  }

  /* A moment is looked at. */
  show(number, pictures) {
    this.now = { number, pictures };
    this.draw();
  }

  draw() {
    if (!this.asked || !this.now) return;
    const place = this.moments.indexOf(this.now.number);
    const position = this.positions[place];
    const turn = byId("analysis-turn");
    if (place < 0) turn.replaceChildren(element("p", "soft", "The other side moves here: go on to the next turn of this side."));
    else if (!position) turn.replaceChildren(element("p", "soft", "This turn has not been analysed yet."));
    else turn.replaceChildren(element("h3", "", heading(position)), this.details(position));
    this.listWorst();
  }

  details(position) {
    const box = element("div", "analysis-parts");
    const part = this.now.pictures.views[this.side].find((known) => known.kind === "chess");
    const heat = element("div");
    if (position.belief) import("./chess.js").then(({ drawHeat }) => drawHeat(heat, this.now.pictures.truth.find((known) => known.kind === "chess"), position.belief));
    const [words, table] = [element("div"), element("div", "wide")];
    if (!isEnding(position)) table.append(attemptTable(position));
    words.append(sentences(position), table);
    box.append(words, arrowBoard(part, position), heat);
    return box;
  }

  listWorst() {
    const made = this.positions.map((one, place) => ({ ...one, place })).filter((one) => one.accepted && one.cost > 0);
    const worst = made.sort((one, other) => other.cost - one.cost).slice(0, 5);
    const list = element("ol", "plain");
    list.append(...worst.map((one) => {
      const line = element("li");
      line.append(button(heading(one), () => this.go(this.moments[one.place]), "quiet"));
      return line;
    }));
    byId("analysis-worst").replaceChildren(...(worst.length ? [element("h3", "", "What cost most"), list] : []));
  }
}

/* Ask for advice about the present turn until it is there, as long as it is wanted: isWanted() is the session or false. */
export async function askAdvice(key, note, place, isWanted) {
  const session = isWanted();
  if (!session) return;
  const isNow = () => isWanted() && isWanted().moment === session.moment;
  place.replaceChildren();
  if (session.over || session.thinking) {
    note.textContent = session.over ? "The game is over: see the whole game." : "It is not your turn.";
    return;
  }
  note.textContent = "The engine looks at what you know ...";
  while (isNow()) {
    try {
      const found = await ask(`/api/play/${key}/advice`);
      if (!isNow()) return;
      if (found.finished) {
        note.textContent = found.trouble ? `${found.trouble}.` : `By ${found.engine}, from your own view only: it knows no more than you. ${NOTE}`;
        for (const position of found.positions) place.replaceChildren(element("p", "", heading(position)), sentences(position), ...(isEnding(position) ? [] : [attemptTable(position)]));
        return;
      }
    } catch (error) {
      note.textContent = `${error.message}.`;
      if (error.status !== 429) return;
    }
    await pause(WAIT);
  }
}
