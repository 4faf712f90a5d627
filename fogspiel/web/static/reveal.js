// The end of a game as an event: the fog that was over the own view lifts from the truth, and guesses are compared with it.

import { drawChart } from "./charts.js";
import { liftFog } from "./fog.js";
import { NAMES, man, svgElement } from "./men.js";
import { Phantoms } from "./phantoms.js";
import { byId, element } from "./service.js";
import { isOwn, nameOf } from "./squares.js";

// The fog of a drawing, to be laid over the next one: by place, or over the whole chessboard.
export function veilsOf(picture) {
  return [...picture.querySelectorAll(".mist")].map((mist) => [mist.closest("[data-place]")?.dataset.place ?? null, mist.cloneNode(true)]);
}

// Lay the fog over the truth and lift it, outward from the king or from the middle.
export function lift(picture, veils, truth) {
  const chess = truth.find((part) => part.kind === "chess");
  for (const [place, veil] of veils) {
    const under = place === null ? picture.querySelector(".chessboard") : picture.querySelector(`[data-place="${place}"]`);
    if (!under) continue;
    under.append(veil);
    liftFog(veil, chess ? kingPlace(chess) : [0, 0]);
  }
}

// Column and row of the other side's king, as the board lies.
function kingPlace({ men, side }) {
  const square = [...men].findIndex((letter) => "kK".includes(letter) && !isOwn(letter, side));
  const [file, rank] = [square % 8, Math.floor(square / 8)];
  return side === 0 ? [file, 7 - rank] : [7 - file, rank];
}

// Each piece of the other side beside what was guessed of it; on the board a tick for what was right, and from a wrong guess
// an arrow to the nearest piece of its kind. Nothing where no guess was made.
export function listGuesses(card, picture, truth, key) {
  const part = truth.find(({ kind }) => kind === "chess");
  const guesses = part ? [...new Phantoms(key).men] : [];
  card.hidden = !guesses.length;
  if (!guesses.length) return;
  const theirs = [...part.men].flatMap((letter, square) => (letter === "." || isOwn(letter, part.side) ? [] : [{ kind: letter.toLowerCase(), letter, square }]));
  const right = theirs.filter(({ kind, square }) => guesses.some(([at, guess]) => at === square && guess === kind));
  const wrong = guesses.filter(([at, guess]) => !right.some(({ kind, square }) => at === square && guess === kind));
  const found = new Map(right.map((piece) => [piece, piece.square])), frame = picture.querySelector(".chessboard");
  for (const [at, guess] of wrong) {
    const free = theirs.filter((piece) => piece.kind === guess && !found.has(piece)).sort((one, other) => apart(one.square, at) - apart(other.square, at));
    if (free.length) found.set(free[0], at);
    markWrong(frame, at, guess, free[0]?.square);
  }
  for (const { square } of right) squareIn(frame, square).append(element("span", "right-guess", "✓", { "aria-hidden": "true" }));
  const shown = theirs.filter((piece) => found.has(piece) || piece.kind !== "p").sort((one, other) => ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind));
  byId("guesses-right").textContent = `${right.length} of ${guesses.length} guesses right`;
  byId("believed").replaceChildren(...shown.map((piece) => {
    const line = element("li"), at = found.get(piece), hit = at === piece.square;
    line.append(man(piece.letter), element("span", "", `${piece.kind === "k" ? "The king" : `A ${NAMES[piece.kind]}`} stood on ${nameOf(piece.square)}`));
    line.append(element("span", `chip ${hit ? "moss" : at === undefined ? "fog" : "heather"}`, at === undefined ? "no guess" : `${hit ? "✓ " : ""}your guess: ${nameOf(at)}`));
    return line;
  }));
}

const ORDER = "kqrbnp";
const apart = (one, other) => Math.max(Math.abs((one % 8) - (other % 8)), Math.abs(Math.floor(one / 8) - Math.floor(other / 8)));
const squareIn = (frame, square) => frame.querySelector(`[data-square="${square}"]`);

// A guess that was wrong, faint where it lay, and an arrow to where such a piece stood.
function markWrong(frame, at, guess, to) {
  const cell = squareIn(frame, at);
  if (!cell.querySelector(".man")) cell.append(man(guess, true));
  if (to === undefined) return;
  const middle = (square) => {
    const [box, whole] = [squareIn(frame, square).getBoundingClientRect(), frame.getBoundingClientRect()];
    return [(8 * (box.left + box.width / 2 - whole.left)) / whole.width, (8 * (box.top + box.height / 2 - whole.top)) / whole.height];
  };
  const [[x1, y1], [x2, y2]] = [middle(at), middle(to)], long = Math.hypot(x2 - x1, y2 - y1);
  const [ex, ey] = [x2 - (0.3 * (x2 - x1)) / long, y2 - (0.3 * (y2 - y1)) / long];
  frame.querySelector(".overlay").append(svgElement("line", { x1, y1, x2: ex, y2: ey, class: "belief-line" }), svgElement("circle", { cx: ex, cy: ey, r: 0.11, class: "belief-end" }));
}

// The result in large words, as a person would say it: how it ended, and in how many moves.
export function resultWords({ result, picture, transcript }) {
  const chess = picture.find(({ kind }) => kind === "chess"), plain = result.replace(/[.:].*$/, "");
  const end = chess?.words.at(-1)?.match(/: ([a-z ]+)\.$/)?.[1];
  const moves = transcript.filter(({ who, words }) => who === "you" && !words.includes(": ")).length;
  if (end !== "checkmate") return end && !plain.includes("resigned") ? `${plain} by ${end}` : plain;
  return `${plain} by checkmate in ${moves}`;
}

// How sure of the king an engine would have been from the own view, move by move, as far as it is worked out.
export async function drawCertainty(figure, key, side, script) {
  const { analysed, certainty, stopOnLeaving } = await import(script);
  const known = [];
  stopOnLeaving(key);
  for await (const found of analysed(key, side, () => !document.hidden || known.length === 0)) {
    known.push(...found.positions.filter((one) => one.accepted));
    if (known.length < 2) continue;
    const y = [...known.map(certainty), ...(found.finished ? [100] : [])], x = y.map((_, at) => at + 1); // at the end all is known
    const series = [{ name: "certainty", tone: "heather", filled: true, x, y }];
    drawChart(figure.querySelector(".chart"), { x: "", series, heights: [0, 100], plain: true, until: Math.max(found.total, y.length) });
  }
}
