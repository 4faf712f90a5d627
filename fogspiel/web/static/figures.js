// Dice, hands, faces and ships, drawn here: each figure is made from the words of a cell.

import { svgElement } from "./men.js";

const PIPS = {
  1: [[2, 2]], 2: [[1, 1], [3, 3]], 3: [[1, 1], [2, 2], [3, 3]], 4: [[1, 1], [1, 3], [3, 1], [3, 3]],
  5: [[1, 1], [1, 3], [2, 2], [3, 1], [3, 3]], 6: [[1, 1], [1, 2], [1, 3], [3, 1], [3, 2], [3, 3]],
};
const FINGERS = [[8, 15], [13, 9], [19, 7], [25, 9], [31, 15]]; // tips, from the thumb on
const SHOWN = { rock: [], paper: [0, 1, 2, 3, 4], scissors: [1, 2] };
const SKIN = ["#f2d2b0", "#e3b48a", "#c68f62", "#96643f", "#6f4a30"];
const HAIR = ["#2c2320", "#6b4423", "#b5793a", "#d9b44a", "#8d8d8d", "#a8421f"];

// A die with its pips.
export function die(number) {
  const figure = svgElement("svg", { viewBox: "0 0 4 4", class: "figure figure-die", "aria-hidden": "true" });
  for (const [cx, cy] of PIPS[number] ?? []) figure.append(svgElement("circle", { cx, cy, r: 0.42 }));
  return figure;
}

// A hand that shows some fingers.
function hand(shown) {
  const figure = svgElement("svg", { viewBox: "0 0 40 40", class: "figure figure-hand", "aria-hidden": "true" });
  for (const finger of shown) {
    const [x, y] = FINGERS[finger];
    figure.append(svgElement("line", { x1: x, y1: y, x2: 20 + (x - 20) / 2, y2: 26 }));
  }
  figure.append(svgElement("rect", { x: 12, y: 21, width: 17, height: 14, rx: 6 }));
  return figure;
}

// A face of its own for each number.
function face(number) {
  const figure = svgElement("svg", { viewBox: "0 0 40 40", class: "figure figure-face", "aria-hidden": "true" });
  const add = (tag, attributes) => figure.append(svgElement(tag, attributes));
  const [skin, hair] = [SKIN[(number * 7) % SKIN.length], HAIR[(number * 5) % HAIR.length]];
  if (number % 3 === 0) add("path", { d: "M8 20Q8 5 20 5T32 20V33H8z", fill: hair });
  add("ellipse", { cx: 20, cy: 22, rx: 11, ry: 13, fill: skin });
  add("path", { d: ["M9 18Q12 6 20 7T31 18Q25 12 20 13T9 18", "M9 19Q9 6 20 6T31 19Q28 14 22 14T9 19", "M12 13Q14 8 20 8T28 13z"][number % 3], fill: hair });
  for (const cx of [15.5, 24.5]) add("circle", { cx, cy: 21, r: 1.5, fill: "#222" });
  if (number % 4 === 1) for (const cx of [15.5, 24.5]) add("circle", { cx, cy: 21, r: 3.4, fill: "none", stroke: "#222" });
  if (number % 5 === 2) add("path", { d: "M11 25Q20 38 29 25Q27 35 20 35T11 25", fill: hair });
  if (number % 7 === 3) add("path", { d: "M7 12H33L28 4H12z", fill: ["#a3271f", "#1f4e79", "#23683a"][number % 3] });
  add("path", { d: number % 2 ? "M15 29Q20 32 25 29" : "M16 30H24", fill: "none", stroke: "#7a2a22", "stroke-width": 1.4 });
  return figure;
}

// A square of a ship, with its hatch.
function ship() {
  const figure = svgElement("svg", { viewBox: "0 0 10 10", class: "figure figure-ship", "aria-hidden": "true" });
  figure.append(svgElement("rect", { x: 1, y: 1, width: 8, height: 8, rx: 2.5 }), svgElement("circle", { cx: 5, cy: 5, r: 1.3 }));
  return figure;
}

// The figure of a cell, or null where its text says it all.
export function figureOf(cell, looks) {
  const number = Number(cell.text);
  if (looks.includes("die") && PIPS[number]) return die(number);
  if (looks.includes("hand")) return hand(SHOWN[cell.text] ?? [...Array(Math.min(number, 5)).keys()]);
  if (looks.includes("face") && number) return face(number);
  if (looks.includes("ship")) return ship();
  return null;
}
