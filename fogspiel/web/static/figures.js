// Figures drawn here: dice, hands, faces, ships, stones, chips, playing cards and seals, each from the words of a cell.

import { man, svgElement } from "./men.js";
import { element } from "./service.js";

const PIPS = {
  1: [[2, 2]], 2: [[1, 1], [3, 3]], 3: [[1, 1], [2, 2], [3, 3]], 4: [[1, 1], [1, 3], [3, 1], [3, 3]],
  5: [[1, 1], [1, 3], [2, 2], [3, 1], [3, 3]], 6: [[1, 1], [1, 2], [1, 3], [3, 1], [3, 2], [3, 3]],
};
const FINGERS = [[8, 15], [13, 9], [19, 7], [25, 9], [31, 15]]; // tips, from the thumb on
const SHOWN = { rock: [], paper: [0, 1, 2, 3, 4], scissors: [1, 2] };
const SKIN = ["#f6d3b3", "#e3b48a", "#c68f62", "#96643f", "#f9ddc4"];
const HAIR = ["#2c2320", "#6b4423", "#a8501f", "#e0b345", "#8c979d", "#1d2126"];
const SHIRTS = ["#b84f1c", "#0d5c5f", "#4f6b2c", "#8a3346", "#3b68a8", "#7a5a2c"];
const GROUNDS = ["#f4e3c1", "#f2ddd0", "#e4ecd8", "#dfe8f2"];
const PEOPLE = "Ada Ben Cleo Dan Edda Finn Gia Hugo Ines Jon Kaja Leo Mara Nils Olga Paul Quin Rosa Sven Tara Udo Vera Wim Zoe".split(" ");

function drawing(box, look, parts) {
  const figure = svgElement("svg", { viewBox: box, class: `figure ${look}`, "aria-hidden": "true" });
  for (const [tag, attributes] of parts) figure.append(svgElement(tag, attributes));
  return figure;
}

// A die with its pips.
export function die(number) {
  return drawing("0 0 4 4", "figure-die", (PIPS[number] ?? []).map(([cx, cy]) => ["circle", { cx, cy, r: 0.42 }]));
}

// Some dice with the same face, as they are bid.
function bid(count, number) {
  const made = element("span", "bid", "", { "aria-hidden": "true" });
  for (let at = 0; at < count; at += 1) made.append(die(number));
  return made;
}

// A hand that shows some fingers.
function hand(shown) {
  const fingers = shown.map((finger) => {
    const [x, y] = FINGERS[finger];
    return ["line", { x1: x, y1: y, x2: 20 + (x - 20) / 2, y2: 26 }];
  });
  return drawing("0 0 40 40", "figure-hand", [...fingers, ["rect", { x: 12, y: 21, width: 17, height: 14, rx: 6 }]]);
}

// The name of a face.
export function faceName(number) {
  const round = Math.floor((number - 1) / PEOPLE.length);
  return PEOPLE[(number - 1) % PEOPLE.length] + (round ? ` ${round + 1}` : "");
}

// A face of its own for each number.
function face(number) {
  const [skin, hair, shirt] = [SKIN[(number * 7) % SKIN.length], HAIR[(number * 5 + (number >> 2)) % HAIR.length], SHIRTS[(number * 11) % SHIRTS.length]];
  const ink = { stroke: "#13232b", "stroke-width": 2.4, "stroke-linejoin": "round", "stroke-linecap": "round" };
  const parts = [["rect", { width: 100, height: 90, fill: GROUNDS[number % GROUNDS.length] }]];
  const long = number % 3 === 0;
  if (long) parts.push(["path", { d: "M24 80V40q0-30 26-30t26 30v40z", fill: hair, ...ink }]);
  parts.push(["path", { d: "M12 92q4-20 24-22h28q20 2 24 22z", fill: shirt, ...ink }]);
  for (const cx of [28, 72]) parts.push(["circle", { cx, cy: 46, r: 5, fill: skin, ...ink }]);
  parts.push(["path", { d: "M30 38q0-20 20-20t20 20v14q0 22-20 24-20-2-20-24z", fill: skin, ...ink }]);
  const tops = ["M28 42q-2-30 22-30t22 30q-6-14-16-16-14 8-28 16z", "M28 40q0-28 22-28t22 28q-22-12-44 0z", "M30 32q4-18 20-18t20 18z"];
  parts.push(["path", { d: tops[(number >> 1) % 3], fill: hair, ...ink }]);
  if (number % 7 === 4) parts.push(["circle", { cx: 50, cy: 9, r: 7, fill: hair, ...ink }]);
  if (number % 5 === 2) parts.push(["path", { d: "M31 52q19 12 38 0 0 24-19 24T31 52z", fill: hair, ...ink }]);
  for (const cx of [42, 58]) parts.push(["circle", { cx, cy: 44, r: 2.3, fill: "#13232b" }]);
  parts.push(["path", { d: "M50 46l-3 9h5", fill: "none", ...ink, "stroke-width": 1.8 }]);
  if (number % 4 === 1) for (const cx of [41, 59]) parts.push(["circle", { cx, cy: 44, r: 7.5, fill: "none", ...ink }]);
  if (number % 11 === 3) parts.push(["path", { d: "M20 26h60M30 26q2-20 20-20t20 20z", fill: shirt, ...ink }]);
  parts.push(["path", { d: number % 2 ? "M42 62q8 7 16 0" : "M43 64h14", fill: "none", ...ink }]);
  if (number % 3 === 1) for (const cx of [28, 72]) parts.push(["circle", { cx, cy: 54, r: 3, fill: "#62c6bb", ...ink, "stroke-width": 1.2 }]);
  return drawing("0 0 100 90", "figure-face", parts);
}

// A ship of some squares, its bow to the right or, standing, down.
export function ship(length, standing = false) {
  const long = 100 * length;
  const hull = `M18 22h${long - 78}q24 4 46 28-22 24-46 28H18q-8 0-8-8V30q0-8 8-8z`;
  const body = svgElement("g", standing ? { transform: `translate(100 0) rotate(90)` } : {});
  body.append(svgElement("path", { d: hull, class: "hull-shade", transform: "translate(0 8)" }), svgElement("path", { d: hull, class: "hull" }));
  body.append(svgElement("rect", { x: 28, y: 34, width: long - 86, height: 32, class: "deck" }));
  for (let square = 0; square < length; square += 1) {
    const x = 50 + 100 * square - (square === length - 1 ? 12 : 0);
    if (square === Math.floor(length / 2) && length > 2) body.append(svgElement("rect", { x: x - 17, y: 33, width: 34, height: 34, rx: 8, class: "tower" }));
    else body.append(svgElement("path", { d: `M${x} 50h32`, class: "barrel" }), svgElement("circle", { cx: x, cy: 50, r: 12, class: "tower" }));
  }
  const figure = svgElement("svg", { viewBox: standing ? `0 0 100 ${long}` : `0 0 ${long} 100`, class: "figure figure-ship", "aria-hidden": "true" });
  figure.append(body);
  return figure;
}

// Somebody whose side is not known.
export function person() {
  return drawing("0 0 40 40", "figure-person", [["circle", { cx: 20, cy: 14, r: 8 }], ["path", { d: "M4 40q0-16 16-16t16 16z" }]]);
}

export function flame() {
  return drawing("0 0 40 40", "figure-flame", [
    ["path", { d: "M20 3q3 8 9 13 5 6 4 12-2 9-13 9T7 28q-1-6 3-10 2 4 5 4-1-12 5-19z", class: "hot" }],
    ["path", { d: "M20 19q2 5 5 8 2 7-5 8-7-1-5-8 4-3 5-8z", class: "core" }],
  ]);
}

// A stone as a cross or a ring, as a disc on hexagons, or as a stone of Go.
export function stone(mark) {
  if (mark === "X") return drawing("0 0 100 100", "figure-cross", [["path", { d: "M24 24L76 76M76 24L24 76", class: "rim" }], ["path", { d: "M24 24L76 76M76 24L24 76" }]]);
  return drawing("0 0 100 100", "figure-ring", [["circle", { cx: 50, cy: 50, r: 27, class: "rim" }], ["circle", { cx: 50, cy: 50, r: 27 }]]);
}

// A stack of chips.
export function chips(number, look = "") {
  const layers = Math.min(Math.max(Math.ceil(number), 1), 6), parts = [];
  for (let at = 0; at < layers; at += 1) {
    const cy = 30 + 7 * (layers - 1 - at);
    parts.push(["path", { d: `M4 ${cy}a28 12 0 0 0 56 0v7a28 12 0 0 1 -56 0z`, class: "side" }], ["ellipse", { cx: 32, cy, rx: 28, ry: 12, class: "face" }]);
  }
  parts.push(["ellipse", { cx: 32, cy: 30, rx: 18, ry: 7, class: "mark" }]);
  return drawing("0 14 64 74", `figure-chips ${look}`, parts);
}

// What is drawn on a playing card of this rank: the queen, the jack as a knight, the ace as a pawn, else the number.
const COURT = { K: "K", Q: "Q", J: "N", A: "P" };
export function fillCard(card, rank) {
  const [, name, suit] = rank.match(/^(\d{1,2}|[JQKA])([♣♦♥♠]?)$/);
  const panel = element("span", "panel");
  if (COURT[name]) panel.append(man(COURT[name]));
  else panel.append(element("b", "", name));
  if (suit) panel.append(element("small", "", suit));
  card.classList.add("faced", `rank-${name}`);
  card.dataset.corner = rank;
  card.append(panel);
}

// The mark of a proof: 28 teeth and a tick, with a word on large ones.
export function seal(word = "") {
  const teeth = Array.from({ length: 56 }, (_, at) => {
    const [angle, radius] = [(at * Math.PI) / 28, at % 2 ? 46 : 50];
    return `${(50 + radius * Math.cos(angle)).toFixed(1)} ${(50 + radius * Math.sin(angle)).toFixed(1)}`;
  });
  const figure = drawing("0 0 100 100", "seal", [
    ["polygon", { points: teeth.join(" "), class: "teeth" }], ["circle", { cx: 50, cy: 50, r: 40, class: "ring" }],
    ["path", { d: word ? "M34 56l11 11 22-24" : "M28 52l16 16 30-34", class: "tick" }],
  ]);
  if (word) {
    const text = svgElement("text", { x: 50, y: 28 });
    text.textContent = word;
    figure.append(text);
  }
  return figure;
}

// A line with its band, and what is still unknown as fog; values as shares of the height from below.
export function sparkline(values, band = [], share = 1) {
  const at = (place) => (150 * share * place) / Math.max(values.length - 1, 1);
  const points = (row) => row.map((value, place) => `${at(place).toFixed(1)} ${(40 - 40 * value).toFixed(1)}`);
  const parts = [];
  if (share < 1) parts.push(["rect", { x: 150 * share, y: 8, width: 150 * (1 - share), height: 24, rx: 5, class: "future" }]);
  if (band.length) {
    const [low, high] = [0, 1].map((edge) => points(band.map((pair) => pair[edge])));
    parts.push(["polygon", { points: [...low, ...high.reverse()].join(" "), class: "band" }]);
  }
  parts.push(["polyline", { points: points(values).join(" ") }]);
  const [cx, cy] = points(values).at(-1).split(" ");
  parts.push(["circle", { cx, cy, r: 4, class: "now" }]);
  return drawing("0 0 150 40", "sparkline", parts);
}

// The figure of a cell, or null where its text says it all.
export function figureOf(cell, looks) {
  const number = Number(cell.text);
  if (looks.includes("die") && PIPS[number]) return die(number);
  if (looks.includes("hand")) return hand(SHOWN[cell.text] ?? [...Array(Math.min(number, 5)).keys()]);
  if (looks.includes("face") && number) return face(number);
  if (looks.includes("ship")) return ship(1);
  if (looks.includes("bid")) return bid(...cell.text.split(" x ").map(Number));
  return null;
}
