// An estimate of the player's rating in each game, from games against rated opponents; it is kept by this browser alone.

import { byId, tell } from "./service.js";

const STORAGE_KEY = "fogspiel.rating";
const MAX = 400; // games that are kept
const SCALE = Math.LN10 / 400; // of Elo's logistic curve
const SPREAD = 350; // standard deviation of ratings before the first game, around the mean of the opponents
const ROUNDS = 30; // of Newton's method, which converges in a few

function known() {
  try {
    const found = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(found) ? found.filter((one) => typeof one.game === "string" && Number.isFinite(one.rating) && one.share >= 0 && one.share <= 1) : [];
  } catch {
    return [];
  }
}

// The most probable rating and its standard error, from results [{ rating, share }] against rated opponents; null without any.
export function estimate(results) {
  if (!results.length) return null;
  const middle = results.reduce((sum, { rating }) => sum + rating, 0) / results.length;
  let value = middle, bend = 0;
  for (let round = 0; round < ROUNDS; round += 1) {
    let slope = -(value - middle) / SPREAD ** 2;
    bend = 1 / SPREAD ** 2;
    for (const { rating, share } of results) {
      const expected = 1 / (1 + Math.exp(-SCALE * (value - rating)));
      slope += SCALE * (share - expected);
      bend += SCALE ** 2 * expected * (1 - expected);
    }
    value += slope / bend;
  }
  return { value: Math.round(value), error: Math.round(1 / Math.sqrt(bend)), games: results.length };
}

export function ratingIn(game) {
  return estimate(known().filter((one) => one.game === game));
}

// The game that was rated last, with its estimate.
export function latestRating() {
  const last = known().at(-1);
  return last ? { title: last.title, ...ratingIn(last.game) } : null;
}

// Count a game that is over, once, if its opponent is rated; how much the estimate changed, or null.
export function countResult({ key, game, title, rating, share }) {
  if (rating === null || share === null) return null;
  const before = ratingIn(game), results = known();
  if (!results.some((one) => one.key === key)) results.push({ key, game, title, rating, share });
  else return null;
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(results.slice(-MAX)));
  } catch {
    return null; // a browser that keeps nothing has no rating
  }
  return before && ratingIn(game).value - before.value;
}

// The player's rating in the header and, in a game, beside the player.
export function showRating(game = "") {
  const found = game ? ratingIn(game) : latestRating();
  const words = found ? `You ${found.value.toLocaleString("en")}` : "";
  const chip = byId("rating");
  tell(chip, words);
  if (found) chip.title = `Your rating${game ? "" : ` in ${found.title}`}: ${found.value} ± ${2 * found.error} (95 %), from ${found.games === 1 ? "1 game" : `${found.games} games`} against rated opponents. Kept by this browser alone.`;
  if (game && byId("own-rating")) tell(byId("own-rating"), found ? `rated ${found.value}` : "");
}
