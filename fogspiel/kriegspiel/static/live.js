// The board of the first page: a stored game between two engines, as White saw it, move by move.

import { Chessboard } from "./chessboard.js";
import { isStill } from "./fog.js";
import { slide } from "./motion.js";
import { ask } from "./service.js";
import { between, squareOf } from "./squares.js";

const EVERY = 2600;
const box = document.querySelector("[data-live]");
const place = box.querySelector(".chess");

function show({ picture, words, tried }, number) {
  const board = new Chessboard(place, picture);
  const squares = tried && [squareOf(tried), squareOf(tried.slice(2))];
  if (squares) Object.assign(board, { moved: squares, crossed: [squares[0], ...between(...squares)] });
  const frame = board.board();
  frame.setAttribute("aria-hidden", "true"); // the label of its place says what it is
  place.replaceChildren(frame);
  if (squares) slide(board.square(squares[1]).querySelector(".man"), ...squares.map((square) => board.square(square)));
  document.getElementById("live-words").textContent = words;
  document.getElementById("live-move").textContent = `Move ${number + 1}${tried ? `. White moved ${tried.slice(0, 2)} – ${tried.slice(2, 4)}.` : "."}`;
}

const { frames } = await ask(box.dataset.live);
let at = Math.min(8, frames.length - 1);
show(frames[at], at);
if (!isStill()) {
  setInterval(() => {
    if (document.hidden) return;
    at = (at + 1) % frames.length;
    show(frames[at], at);
  }, EVERY);
}
