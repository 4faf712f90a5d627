// The log of a game with a referee in two columns: the own moves and the other side's, each with what was announced of it.

import { element } from "./service.js";

// Lines of the log as pairs of moves; `own` is the name of the own side, with which the referee begins its lines.
function pairsOf(lines, own) {
  const pairs = [], isFirst = own !== "Black";
  let pair = null;
  const side = (words, who) => (who === "you" || words.startsWith(own) ? "mine" : "theirs");
  for (const { who, words } of lines) {
    const column = side(words, who);
    const opens = (column === "mine") === isFirst && (isFirst ? pair?.theirs.length : pair?.mine.length || (pair?.theirs.length && who !== "you"));
    if (!pair || opens) pairs.push((pair = { mine: [], theirs: [] }));
    pair[column].push({ who, words });
  }
  return pairs;
}

const dashed = (words) => words.replace(/^([a-h][1-8])([a-h][1-8])/, "$1 – $2");

// A line as the move and a chip for each thing that was announced with it.
function partsOf({ who, words }, column) {
  if (who === "you") {
    const [move, ...said] = dashed(words).split(": ");
    if (!said.length) return [element("b", "", move)];
    return [element("span", "chip berry", `× ${move} ${said.join(": ")}`), element("span", "small soft only-you", "Only you are notified. Try again.")];
  }
  const [head, ...said] = words.replace(/\.$/, "").split(", ");
  const moved = column === "theirs" ? [element("span", "moved", head.replace(/^\w+ (?=moved)/, ""))] : head.endsWith(" moved") ? [] : [element("span", "moved", head)];
  return [...moved, ...said.map((one) => element("span", `chip ${column === "theirs" && /^(piece|pawn) taken/.test(one) ? "berry" : /taken/.test(one) ? "" : "lantern"}`, one))];
}

export function listPairs(list, lines, own) {
  const made = pairsOf(lines, own).map((pair, number) => {
    const line = element("li", "turn-pair");
    line.append(element("span", "count", String(number + 1)));
    for (const column of ["mine", "theirs"]) {
      const cell = element("div", column);
      for (const one of pair[column]) cell.append(...partsOf(one, column));
      line.append(cell);
    }
    return line;
  });
  made.forEach((line, number) => {
    const old = list.children[number];
    if (!old) list.append(line);
    else if (old.textContent !== line.textContent) old.replaceWith(line);
  });
  while (list.children.length > made.length) list.lastChild.remove();
}
