/* What an engine makes of a game of Kriegspiel: in the replay of each turn, beside a live game of the own view.

   new ReplayPanel(key, whole, page, begin)  the panel of a replay, which tells the page what moves cost
   askAdvice(key, note, place, isWanted)     the coach's words about the present turn, and its arrows on the board */

import { setArrows } from "./chess.js";
import { Chessboard } from "./chessboard.js";
import { ask, byId, element, pause, tell } from "./service.js";
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

/* Arrows for the best attempts: the likelier one is legal, the stronger its arrow; the one made is drawn in ink. */
function arrowsOf(position) {
  const best = position.attempts.filter((one) => one.value !== null).slice(0, ARROWS);
  const shown = best.map((one) => ({ move: one.move, look: one.move === position.best ? "best" : "", opacity: 0.3 + 0.65 * one.legal }));
  const made = position.tried && position.tried !== position.best ? [{ move: position.tried, look: "made", opacity: 0.85 }] : [];
  return [...made, ...shown.filter(({ move }) => move !== position.tried || move === position.best)].reverse();
}

/* What is known at a position, as sentences. */
function sentences(position) {
  const list = element("ul", "implied");
  list.append(...[...position.reasons, ...position.implied].map((words) => element("li", "", `${words}.`)));
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

/* The words of a position for the page: chips, a sentence, and why. A reason of the analysis comes first, if it has one. */
function wordsOf(position) {
  const first = position.best === position.tried ? "This is the engine's first choice, too." : `The engine would first have tried ${dashed(position.best)}.`;
  const answer = position.accepted ? "" : " was refused";
  const made = `${dashed(position.tried)}${answer}`;
  const known = position.cost !== null && !isEnding(position);
  const tone = known ? toneOf(position.cost) : "";
  const chips = known ? [[`cost ${tone}`, position.cost < 0.005 ? "costs nothing" : `cost ${position.cost.toFixed(2)} of a pawn`]] : [];
  const said = (position.heard ?? "").split(/[,.] */).filter((one) => /try|tries|check|captured|taken/.test(one));
  for (const one of said) chips.push([/captured|taken/.test(one) ? "chip berry" : "chip lantern", one]);
  const best = position.attempts.find(({ move }) => move === position.best);
  const why = isEnding(position) ? ENDING : best && position.best !== position.tried
    ? `${dashed(best.move)} is legal on ${percent(best.legal)} of the boards that fit what was announced.${best.legal < 0.995 ? " A refusal costs nothing: only its player is notified." : ""}` : "";
  const error = known && position.cost_error !== null ? `± ${position.cost_error.toFixed(2)}` : "";
  return { title: `${position.reasons.length ? `${position.reasons[0]}. ` : `${made}. `}${first}`, why, chips, error };
}

const dashed = (move) => (move.length > 3 ? `${move.slice(0, 2)} – ${move.slice(2)}` : move);
const toneOf = (cost) => (cost < 0.1 ? "moss" : cost < 0.3 ? "straw" : cost < 0.6 ? "rust" : "berry");

/* How likely the likeliest square of the other king is, in per cent. */
export const certainty = (position) => (position.belief ? 100 * Math.max(...position.belief[0]) : null);

/* Ask for the analysis of one side until it is there; `isWanted()` ends it. */
export async function* analysed(key, side, isWanted) {
  for (let known = 0, finished = false; !finished && isWanted(); ) {
    try {
      const found = await ask(`/api/play/${key}/analysis?side=${side}&after=${known}`);
      if (!isWanted()) return;
      known += found.positions.length;
      ({ finished } = found);
      yield found;
    } catch (error) {
      if (error.status !== 429) throw error;
    }
    if (!finished) await pause(WAIT);
  }
}

/* The server stops the analysis of a game that nobody looks at. */
export function stopOnLeaving(key) {
  addEventListener("pagehide", () => fetch(`/api/play/${key}/analysis/stop`, { method: "POST", keepalive: true }));
}

/* The curve of the own positions: certainty as a line, costs as columns of hundredths of a pawn, at most one pawn. */
export function curveOf(positions, cursor) {
  const made = positions.filter((one) => one.accepted || one.tried === null);
  const x = made.map((_, at) => at + 1);
  const series = [
    { name: "certainty", tone: "heather", filled: true, x, y: made.map(certainty) },
    { name: "cost", kind: "bars", x, y: made.map((one) => Math.min(100 * Math.max(one.cost ?? 0, 0.012), 100)), looks: made.map((one) => `tone-${toneOf(one.cost ?? 0)}`) },
  ];
  return { x: "", series, heights: [0, 100], plain: true, cursor };
}

export class ReplayPanel {
  /* A panel of the replay of a game; it begins at once if that is wished. */
  constructor(key, whole, page, begin) {
    Object.assign(this, { key, whole, page, positions: [[], []], now: null, begun: false });
    byId("analyse").addEventListener("click", () => this.begin());
    byId("analyse").disabled = false;
    if (begin) this.begin();
  }

  /* Both sides, each from its own view: the person's first. */
  async begin() {
    if (this.begun) return;
    this.begun = true;
    byId("analysis-ask").hidden = true;
    tell(byId("analysis-trouble"), "");
    stopOnLeaving(this.key);
    try {
      for (const side of [this.whole.side, 1 - this.whole.side]) await this.follow(side);
    } catch (error) {
      tell(byId("analysis-trouble"), error.message);
      this.begun = false;
      byId("analysis-ask").hidden = false;
    }
  }

  async follow(side) {
    this.positions[side] = [];
    for await (const found of analysed(this.key, side, () => true)) {
      this.positions[side].push(...found.positions);
      this.tellProgress(found, side);
      if (found.trouble) tell(byId("analysis-trouble"), `${found.trouble}.`);
      const moments = this.moments(side);
      this.page.tellCosts(this.positions[side].flatMap((one, place) => (one.cost === null || !one.accepted ? [] : [[moments[place], { words: one.cost < 0.005 ? "0" : one.cost.toFixed(2), tone: toneOf(one.cost) }]])));
      if (side === this.whole.side) this.drawCurve();
      this.draw();
    }
  }

  drawCurve() {
    const own = this.positions[this.whole.side], moments = this.moments(this.whole.side).filter((_, place) => own[place]?.accepted);
    if (!moments.length) return;
    const legend = [element("span", "key tone-rust", "cost in pawns, at most 1"), element("span", "key tone-heather", "how sure of the king, %")];
    const place = this.now ? moments.findLastIndex((number) => number <= this.now.number) : -1;
    this.page.drawCurve(curveOf(own, place + 1), legend, moments);
  }

  tellProgress(found, side) {
    const place = byId("analysis-progress");
    place.hidden = false;
    const who = side === this.whole.side ? "your view" : "your opponent's own view";
    const bar = element("progress", "", "", { max: found.total, value: found.done, "aria-label": "Analysed" });
    if (!found.finished) place.replaceChildren(bar, element("span", "", found.done ? `${found.done} of ${found.total} attempts, from ${who}` : "getting the engine ready .."));
    else if (side !== this.whole.side) place.replaceChildren(noteOf(found.engine));
  }

  /* The numbers of the moments at which a side decided. */
  moments(side) {
    return this.whole.moments.flatMap(({ mover }, number) => (mover === side ? [number] : []));
  }

  positionAt(number) {
    const { mover } = this.whole.moments[number];
    return mover === 0 || mover === 1 ? this.positions[mover][this.moments(mover).indexOf(number)] : undefined;
  }

  /* What is said of a moment, once it is analysed. */
  words(number) {
    const position = this.positionAt(number);
    return position && position.tried ? wordsOf(position) : null;
  }

  /* A moment is looked at. */
  show(number, pictures) {
    this.now = { number, pictures };
    if (this.begun) this.drawCurve();
    this.draw();
  }

  draw() {
    if (!this.begun || !this.now) return;
    const position = this.positionAt(this.now.number), turn = byId("analysis-turn");
    byId("analysis-details").hidden = !position;
    if (!position) return;
    turn.replaceChildren(element("h3", "", heading(position)), sentences(position), ...(isEnding(position) ? [] : [attemptTable(position)]));
    const { mover } = this.whole.moments[this.now.number], place = byId(`view-${mover}`);
    const part = this.now.pictures.views[mover].find((known) => known.kind === "chess");
    const board = new Chessboard(place.querySelector(".chess"), { ...part, refused: [], checks: [] });
    board.arrows = arrowsOf(position);
    const ends = new Set(position.attempts.map(({ move }) => squareOf(move.slice(2))));
    board.chances = position.belief?.[2].map((_, square) => (ends.has(square) ? position.belief.reduce((sum, kind) => sum + kind[square], 0) : 0));
    place.querySelector(".chessboard").replaceWith(board.board());
  }
}

function noteOf(engine) {
  const box = element("details");
  box.append(element("summary", "", "How sure is that?"), element("p", "", `By ${engine}, from each side's own view. ${NOTE}`));
  return box;
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
        for (const position of found.positions) setArrows(arrowsOf(position));
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
