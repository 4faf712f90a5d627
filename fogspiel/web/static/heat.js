/* The belief of an engine as a heat map, with the true men on top. */

import { Chessboard } from "./chessboard.js";
import { button, element } from "./service.js";

const CLASSES = ["King", "Pawns", "Pieces"];
let shown = 0;

/* belief: chances of king, pawns and pieces for the 64 squares from a1 to h8, or null. */
export function drawHeat(container, part, belief) {
  const bare = { ...part, refused: [], checks: [], captured: "" };
  const frame = new Chessboard(container, bare).board();
  const row = element("div", "row heat-classes", "", { role: "group", "aria-label": "Chances of" });
  CLASSES.forEach((name, number) => {
    const choose = () => {
      shown = number;
      drawHeat(container, part, belief);
      container.querySelectorAll(".heat-classes button")[number].focus();
    };
    row.append(button(name, choose, "", { "aria-pressed": String(number === shown) }));
  });
  frame.classList.add("heat");
  for (const cell of belief ? frame.querySelectorAll("[data-square]") : []) {
    const chance = belief[shown][Number(cell.dataset.square)];
    const percent = Math.round(100 * chance);
    cell.style.setProperty("--chance", String(Math.sqrt(chance)));
    if (percent) cell.append(element("span", "chance", String(percent)));
    cell.setAttribute("aria-label", `${cell.getAttribute("aria-label")}, ${percent} per cent`);
  }
  const words = belief
    ? "Chances in per cent; the men stand where they really were."
    : "The opponent kept no belief at this moment.";
  container.classList.add("chess");
  container.replaceChildren(row, frame, element("p", "soft small", words));
}
