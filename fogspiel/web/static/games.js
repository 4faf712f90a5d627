// The games that this browser has begun, newest first: their keys are remembered here and nowhere else.

import { ask, byId, element, tell } from "./service.js";

const STORAGE_KEY = "fogspiel.games";
const MAX = 200;
const SHOWN = 8;

function knownKeys() {
  try {
    const found = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(found) ? found.map(({ key }) => key).filter((key) => typeof key === "string") : [];
  } catch {
    return [];
  }
}

export function remember({ key }) {
  write([key, ...knownKeys().filter((known) => known !== key)].slice(0, MAX));
}

function write(keys) {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(keys.map((key) => ({ key }))));
  } catch {
    // a browser that keeps nothing can still play
  }
}

// List the games of this browser with their results, or those of one game only, and the score so far per game.
export async function listGames(only = "") {
  const place = byId("games"), keys = knownKeys();
  place.hidden = true;
  if (!keys.length) return;
  const { games, standings } = await ask("/api/play/history", { keys, game: only });
  place.hidden = !games.length;
  byId("games-list").replaceChildren(...games.slice(0, SHOWN).map((game) => line(game, only)));
  byId("earlier").hidden = games.length <= SHOWN;
  byId("earlier-title").textContent = `Earlier games: ${games.length - SHOWN}`;
  byId("earlier-list").replaceChildren(...games.slice(SHOWN).map((game) => line(game, only)));
  byId("scores").replaceChildren(...standings.map((score) => element("li", "", scoreText(score, only))));
}

function line({ key, title, against, seat, began, over, result }, only) {
  const made = element("li");
  const when = new Date(1000 * began).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
  const side = seat ? `, as ${seat}` : "";
  made.append(element("a", "", only ? `against ${against}` : title, { href: `/play/${key}${over ? "/replay" : ""}` }));
  made.append(`${only ? "" : ` against ${against}`}${side}, `, element("span", "soft", when), " ");
  made.append(element("span", over ? "badge" : "badge live", over ? result.replace(/[.:].*$/, "") : "going on"));
  return made;
}

function scoreText({ title, games, mean, interval }, only) {
  const [low, high] = interval.map((bound) => bound.toFixed(2));
  const many = games === 1 ? "1 game" : `${games} games`;
  return `${only ? "" : `${title}: `}${many}, ${mean.toFixed(2)} per game on average (95 %: ${low} to ${high})`;
}

export function showGames(only) {
  listGames(only).catch((error) => tell(byId("games-trouble"), error.message));
}

byId("forget")?.addEventListener("click", () => {
  write([]);
  byId("games").hidden = true;
});
