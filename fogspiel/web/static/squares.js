/* Squares of a chessboard: names, neighbours, and the lines along which a king hears check. */

const FILES = "abcdefgh";
const WAYS = { rank: [[1, 0]], file: [[0, 1]], rising: [[1, 1]], falling: [[1, -1]] };
const LEAPS = [[1, 2], [2, 1], [2, -1], [1, -2], [-1, -2], [-2, -1], [-2, 1], [-1, 2]];

export const nameOf = (square) => FILES[square % 8] + (Math.floor(square / 8) + 1);
export const squareOf = (name) => FILES.indexOf(name[0]) + 8 * (Number(name[1]) - 1);
export const isOwn = (letter, side) => letter !== "." && (letter === letter.toUpperCase()) === (side === 0);

/* The square one step away, or -1 beyond the edge. */
export function stepFrom(square, right, up) {
  const file = (square % 8) + right;
  const rank = Math.floor(square / 8) + up;
  return file < 0 || file > 7 || rank < 0 || rank > 7 ? -1 : file + 8 * rank;
}

/* The squares strictly between two squares of a line; none if they are not on one. */
export function between(start, end) {
  const across = (end % 8) - (start % 8);
  const up = Math.floor(end / 8) - Math.floor(start / 8);
  if (across && up && Math.abs(across) !== Math.abs(up)) return [];
  const found = [];
  for (let at = stepFrom(start, Math.sign(across), Math.sign(up)); at >= 0 && at !== end; ) {
    found.push(at);
    at = stepFrom(at, Math.sign(across), Math.sign(up));
  }
  return found;
}

/* What lies in a direction of check from the king: ends of rays, or the squares of knights. */
export function inDirection(direction, king, isBlocked) {
  if (direction === "knight") {
    const leaps = LEAPS.map(([right, up]) => stepFrom(king, right, up));
    return { rays: [], squares: leaps.filter((square) => square >= 0 && !isBlocked(square)) };
  }
  const risingIsLong = (king % 8 < 4) === king < 32;
  const way = { "long diagonal": risingIsLong ? "rising" : "falling", "short diagonal": risingIsLong ? "falling" : "rising" };
  const [[right, up]] = WAYS[way[direction] ?? direction];
  const rays = [];
  for (const sign of [1, -1]) {
    let end = king;
    for (let at = stepFrom(king, sign * right, sign * up); at >= 0 && !isBlocked(at); at = stepFrom(at, sign * right, sign * up)) end = at;
    if (end !== king) rays.push(end);
  }
  return { rays, squares: [] };
}
