/* The six chess pieces, drawn for this project in a field of 100 by 100: foot, body, collar and head. */

const SVG = "http://www.w3.org/2000/svg";
const FOOT = "M25 82h50a5.5 5.5 0 0 1 0 11h-50a5.5 5.5 0 0 1 0-11z";
const HEM = "M24 79h52l4 11q-5-5-10 0t-10 0-10 0-10 0-10 0-10 0z"; // a guess has no foot: a wavy hem
const SKIRT = "M41 57h18c1 11 6 18 9 25H32c3-7 8-14 9-25z";
const COLLAR = "M37 49h26a4 4 0 0 1 0 8H37a4 4 0 0 1 0-8z";
const SHAPES = {
  p: ["M50 17a15 15 0 0 1 0 30a15 15 0 0 1 0-30z", SKIRT, COLLAR],
  n: [
    "M40 12l9 9c22 2 31 26 27 61H32c-2-16 14-20 17-33-7 6-15 7-20 12-6 4-13-1-11-9 3-8 9-15 14-22z",
    "M56 32c8 8 12 20 10 34", "M37 39h1",
  ],
  b: ["M50 4a5 5 0 0 1 0 10a5 5 0 0 1 0-10z", "M50 14c14 8 21 22 15 35H35c-6-13 1-27 15-35z", SKIRT, COLLAR, "M51 25l8 12"],
  r: ["M38 42h24l5 40H33z", "M27 16h11v7h7v-7h10v7h7v-7h11v20l-7 8H34l-7-8z", "M36 64h28"],
  q: [
    "M28 20l11 19 5-26 6 25 6-25 5 26 11-19-7 37H35z", "M28 13a5 5 0 0 1 0 10a5 5 0 0 1 0-10z",
    "M44 6a5 5 0 0 1 0 10a5 5 0 0 1 0-10z", "M56 6a5 5 0 0 1 0 10a5 5 0 0 1 0-10z", "M72 13a5 5 0 0 1 0 10a5 5 0 0 1 0-10z",
    SKIRT, "M33 55h34", "M50 57v0z",
  ],
  k: [
    "M46.5 2h7v6h6v7h-6v8h-7v-8h-6V8h6z", "M50 25c9-7 25-3 24 9-1 8-9 12-12 17H38c-3-5-11-9-12-17-1-12 15-16 24-9z",
    SKIRT, COLLAR, "M50 27v20",
  ],
};
export const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

/* An SVG element with attributes. */
export function svgElement(name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/* The figure of a piece by its letter: capitals are White's; a guess is drawn as believed, not as known. */
export function man(letter, guessed = false) {
  const kind = letter.toLowerCase();
  const colour = guessed ? "phantom" : kind === letter ? "black" : "white";
  const figure = svgElement("svg", { viewBox: "0 0 100 100", class: `man ${colour}`, "aria-hidden": "true" });
  if (!guessed) figure.append(svgElement("ellipse", { cx: 50, cy: 93, rx: 36, ry: 6, class: "shade" }));
  for (const path of [...SHAPES[kind], guessed ? HEM : FOOT]) figure.append(svgElement("path", { d: path }));
  return figure;
}
