// The page of examples: every component and figure of the design language, drawn as the other pages draw it.

import { chips, seal, ship, sparkline } from "./figures.js";
import { man } from "./men.js";
import { drawPicture } from "./picture.js";

const FIGURES = {
  seal: () => [seal("PROVED")],
  "seal-small": () => [seal()],
  sparkline: () => [sparkline([0.4, 0.5, 0.45, 0.6, 0.62, 0.66], [[0.1, 0.9], [0.2, 0.85], [0.25, 0.8], [0.35, 0.82], [0.4, 0.8], [0.5, 0.8]], 0.7)],
  pieces: () => [..."KQRBNPkqrbnp"].map((letter) => man(letter)).concat([..."kqrbnp"].map((letter) => man(letter, true))),
  chips: () => [chips(5), chips(3, "pale")],
  ships: () => [ship(4), ship(2)],
};
const cell = (text, look = "", name = text) => ({ text, look, action: null, name });
const board = (rows, more = {}) => [{ kind: "board", rows, title: "", shape: "squares", row_names: [], column_names: [], ...more }];
const [X, O, FREE] = [cell("X", "own"), cell("O", "other"), cell("", "fog", "nothing known")];
const cards = (title, ...shown) => ({ kind: "cards", title, cards: shown, together: false });
const MEN = "R.B.R.K." + ".P...PPP" + "..P....." + "P..P...." + "....P.NQ" + "........".repeat(3);
const EXAMPLES = {
  chess: [{ kind: "chess", men: MEN, side: 0, turn: true, refused: ["e5d6"], tries: 1, checks: [], captured: "h7", words: [], counts: [], over: false }],
  tiles: board([[O, cell("×", "refused"), FREE], [FREE, X, cell("?", "unknown")], [FREE, X, X]], { row_names: ["3", "2", "1"], column_names: ["A", "B", "C"] }),
  hex: board([[FREE, FREE, X, FREE], [FREE, FREE, X, FREE], [FREE, O, FREE, FREE]], { shape: "hexagons", row_names: ["1", "2", "3"], column_names: ["A", "B", "C", "D"] }),
  go: board([[FREE, FREE, FREE, FREE], [X, O, X, FREE], [FREE, X, FREE, FREE], [FREE, FREE, FREE, FREE]]),
  frame: board([[FREE, FREE, FREE, FREE], [FREE, O, FREE, FREE], [X, X, FREE, FREE], [O, X, O, FREE]]),
  sea: board([["", "", "×", "·"], ["", "·", "×", ""], ["", "", "", ""], ["·", "", "", ""]].map((row) => row.map((text) => cell(text, text ? "" : "unknown", text || "not shot at")))),
  felt: [cards("", cell("K"), cell("Q"), cell("J"), cell("A"), cell("7"), cell("", "face-down", "a card face down"))],
  dice: [cards("", ...[1, 2, 3, 4, 5, 6].map((pips) => cell(String(pips), "die")), cell("", "die face-down", "a die under its cup"))],
  faces: board([[1, 2, 3, 4].map((number) => cell(String(number), "face")), [cell("5", "face"), cell("", "unknown", "ruled out"), cell("7", "face"), cell("8", "face")]]),
};

for (const place of document.querySelectorAll("[data-figure]")) place.append(...FIGURES[place.dataset.figure]());
for (const place of document.querySelectorAll("[data-example]")) drawPicture(place, EXAMPLES[place.dataset.example]);
document.querySelector(".bar > i").style.setProperty("--share", 0.55);
