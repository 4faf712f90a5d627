/* Faint men: where somebody may stand. */

import { man } from "./men.js";
import { squareOf } from "./squares.js";

/* Draw a man that may stand on a square of a board. */
export function addFaint(board, square, letter) {
  const figure = man(letter, true);
  const cell = board.querySelector(`[data-square="${squareOf(square)}"]`);
  cell.append(figure);
  cell.classList.add("possible");
}
