/* Phantoms: a player's guesses where the other side's men are. They stay in this browser and are never sent. */

import { between, isOwn } from "./squares.js";

const HOME = "rnbqkbnr";
const MAX_UNDONE = 50;

export class Phantoms {
  /* The guesses of the game with this key. */
  constructor(key) {
    this.place = `fogspiel.phantoms.${key}`;
    const kept = JSON.parse(sessionStorage.getItem(this.place) ?? "null") ?? {};
    this.men = new Map(kept.men ?? []);
    this.past = kept.past ?? [];
    this.before = kept.before ?? "";
    this.tried = kept.tried ?? null;
    this.last = kept.last ?? null; // the own move before this one, from square to square
  }

  keep() {
    const kept = { men: [...this.men], past: this.past.slice(-MAX_UNDONE), before: this.before, tried: this.tried, last: this.last };
    sessionStorage.setItem(this.place, JSON.stringify(kept));
  }

  remember() {
    this.past.push([...this.men]);
  }

  put(square, letter) {
    this.remember();
    this.men.set(square, letter);
    this.keep();
  }

  move(start, end) {
    this.remember();
    this.men.set(end, this.men.get(start));
    this.men.delete(start);
    this.keep();
  }

  remove(square) {
    if (!this.men.has(square)) return;
    this.remember();
    this.men.delete(square);
    this.keep();
  }

  undo() {
    if (this.past.length) this.men = new Map(this.past.pop());
    this.keep();
  }

  clear() {
    this.remember();
    this.men.clear();
    this.keep();
  }

  /* All men of the other side at home, where no own man stands. */
  setHome(own, side) {
    this.remember();
    this.men.clear();
    const [last, second] = side === 0 ? [56, 48] : [0, 8];
    for (let file = 0; file < 8; file += 1) {
      for (const [square, letter] of [[last + file, HOME[file]], [second + file, "p"]]) {
        if (own[square] === ".") this.men.set(square, letter);
      }
    }
    this.keep();
  }

  /* How many guesses there are of a pawn, a king or a piece. */
  count(kind) {
    const kinds = { p: "p", k: "k" }[kind] ?? "qrbn";
    return [...this.men.values()].filter((letter) => kinds.includes(letter)).length;
  }

  /* A move is tried: if it is accepted, its way was free and no man stands where it ended. */
  attempt(start, end) {
    this.tried = [start, end];
    this.keep();
  }

  /* Take away what is proved wrong: where own men stand, and where one of them has passed. */
  look(own, side) {
    const wrong = [...Array(64).keys()].filter((square) => own[square] !== ".");
    if (this.before && this.before !== own) {
      const moves = this.moved(own, side);
      for (const [start, end] of moves) wrong.push(end, ...between(start, end));
      if (moves.length) this.last = moves[0];
      this.tried = null;
    }
    const gone = wrong.filter((square) => this.men.has(square));
    if (gone.length) this.remember();
    for (const square of gone) this.men.delete(square);
    this.before = own;
    this.keep();
  }

  /* The own move since the last look: the one that was tried here, or the one that the men tell of. */
  moved(own, side) {
    const has = (men, square) => isOwn(men[square], side);
    const squares = [...Array(64).keys()];
    const left = squares.filter((square) => has(this.before, square) && !has(own, square));
    if (this.tried) return left.includes(this.tried[0]) ? [this.tried] : [];
    const reached = squares.filter((square) => has(own, square) && !has(this.before, square));
    const moves = reached.flatMap((end) => left.filter((start) => this.before[start] === own[end]).map((start) => [start, end]));
    return moves.length === 1 ? moves : [];
  }
}
