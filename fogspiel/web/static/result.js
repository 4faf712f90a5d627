// A report: its charts, and tables that are sorted by a click on the head of a column.

import { drawReport } from "./charts.js";

const FIGURES = /^[-+]?[\d,]*\.?\d+(e[-+]?\d+)?/i;

function worth(cell) {
  const words = cell.textContent.trim();
  const found = words.match(FIGURES);
  return cell.className === "number" && found ? Number(found[0].replaceAll(",", "")) : words;
}

function sort(table, head) {
  const sign = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", sign > 0 ? "ascending" : "descending");
  const key = (row) => worth(row.cells[head.cellIndex]);
  const compare = (a, b) => (a === "") - (b === "") || sign * (typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b)));
  table.tBodies[0].append(...[...table.tBodies[0].rows].sort((a, b) => compare(key(a), key(b))));
}

for (const table of document.querySelectorAll("table.report")) {
  for (const head of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sorter";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => sort(table, head));
  }
}
drawReport();
