// The list of problems: a small board for each, with faint men where they may be.

import { Chessboard } from "./chessboard.js";
import { element } from "./service.js";
import { addFaint } from "./faint.js";

for (const frame of document.querySelectorAll("[data-men]")) {
  const place = element("span", "chess");
  const board = new Chessboard(place, { men: frame.dataset.men, side: 0, refused: [], checks: [], captured: "", possible: frame.dataset.possible.split(" ").map((word) => word.slice(0, 2)) }).board();
  for (const word of frame.dataset.possible.split(" ").filter(Boolean)) addFaint(board, word.slice(0, 2), word[2]);
  place.append(board);
  frame.replaceChildren(place);
}
