/* The six men of chess, drawn for this project: plain shapes on a field of 40 by 40, one path list each. */

const SVG = "http://www.w3.org/2000/svg";
const FOOT = "M10.5 33h19a1.5 1.5 0 0 1 1.5 1.5V37H9v-2.5a1.5 1.5 0 0 1 1.5-1.5z";
const SKIRT = "M13.4 27.5h13.2L29 33H11z";
const SHAPES = {
  p: ["M20 7.5a5.3 5.3 0 0 1 3.4 9.4h1.9v2.6h-2.6c.2 5 1.8 8.8 4.8 13.5H12.5c3-4.7 4.6-8.5 4.8-13.5h-2.6v-2.6h1.9A5.3 5.3 0 0 1 20 7.5z"],
  n: [
    "M17.2 5.5l1.7 3.4C26.5 9.6 30.3 17 29.5 33H12.4c-.4-6.3 5.4-8.3 6.2-13.4-2 1.8-3.3 2.1-4.6 2.6-1 2.3-4.6 1.9-5-.9-.2-1.5.5-2.4 1.3-3.5 1.5-2.2 2.3-4.5 3.8-6.3l-.4-3.9 3.1 1z",
    "M15.6 14.2l1.6-.9",
  ],
  b: [
    "M20 4a2.3 2.3 0 0 1 1.5 4c4.8 3.3 6.5 9 3.2 14.2l1.1 3.3H14.2l1.1-3.3C12 17 13.7 11.3 18.5 8A2.3 2.3 0 0 1 20 4z",
    SKIRT,
    "M22.3 11.5l-3.2 5.3",
  ],
  r: ["M10.5 7h4.8v3.3h2.8V7h3.8v3.3h2.8V7h4.8v7.3L26.8 17v10l2.7 6h-19l2.7-6V17l-2.7-2.7z", "M13.2 17h13.6"],
  q: [
    "M8.3 11.2a2 2 0 1 1 1.9.2l4.5 6.5.6-8.5a2 2 0 1 1 1.9-.2L20 17l2.8-7.8a2 2 0 1 1 1.9.2l.6 8.5 4.5-6.5a2 2 0 1 1 1.9-.2l-4.3 14.3H12.6z",
    SKIRT,
  ],
  k: [
    "M18.7 3h2.6v2.4h2.4V8h-2.4v3.3c4.3-2.7 10.2-.5 9.9 5-.2 4-3.3 6-4 9.2H12.8c-.7-3.2-3.8-5.2-4-9.2-.3-5.5 5.6-7.7 9.9-5V8h-2.4V5.4h2.4z",
    SKIRT,
    "M20 12.5v10",
  ],
};
export const NAMES = { p: "pawn", n: "knight", b: "bishop", r: "rook", q: "queen", k: "king" };

/* An SVG element with attributes. */
export function svgElement(name, attributes = {}) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

/* The figure of a man by its letter: capitals are White's. */
export function man(letter) {
  const kind = letter.toLowerCase();
  const colour = kind === letter ? "black" : "white";
  const figure = svgElement("svg", { viewBox: "3 2.5 34 36", class: `man ${colour}`, "aria-hidden": "true" });
  for (const path of [FOOT, ...SHAPES[kind]]) figure.append(svgElement("path", { d: path }));
  return figure;
}
