// The end of a game as an event: the fog that was over the own view lifts from the truth, and guesses are compared with it.

import { liftFog } from "./fog.js";
import { NAMES } from "./men.js";
import { Phantoms } from "./phantoms.js";
import { element } from "./service.js";
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

// What was guessed, beside what was: a chip for each guess, or nothing where none was made.
export function listGuesses(place, truth, key) {
  const part = truth.find(({ kind }) => kind === "chess");
  const guesses = part ? [...new Phantoms(key).men] : [];
  const chips = guesses.map(([square, kind]) => {
    const stood = part.men[square];
    const right = stood !== "." && !isOwn(stood, part.side) && stood.toLowerCase() === kind;
    return [right, element("span", `chip ${right ? "moss" : "heather"}`, `${right ? "✓ " : ""}${NAMES[kind]} on ${nameOf(square)}`)];
  });
  place.hidden = !chips.length;
  const right = chips.filter(([found]) => found).length;
  place.replaceChildren(element("strong", "", `${right} of ${chips.length} guesses right`), ...chips.map(([, chip]) => chip));
}
