// One click to a game: the level that is chosen beside the button, or the one in the middle; a side by lot where they differ.

import { remember } from "./games.js";
import { ask, byId, element, pause, tell } from "./service.js";

const SOON = 700;
const USUAL = "Club";

// The side that is stated or chosen beside the button; a lot is drawn here.
function sideOf({ dataset }) {
  const side = byId(dataset.sideOf)?.querySelector(":checked")?.value ?? dataset.side ?? 0;
  return side === "lot" ? Math.floor(2 * Math.random()) : Number(side);
}

function preparationOf(game, against) {
  return ask(`/api/games/${encodeURIComponent(game)}/prepare`, { against });
}

// Wait until a game can begin: a bar says what is done, for how long, and about how long it takes.
export async function prepared(game, against, place) {
  for (;;) {
    const { ready, seconds, about } = await preparationOf(game, against);
    if (ready) return tell(place, "");
    const left = Math.max(about - seconds, 0);
    const words = left > 1 ? `About ${Math.ceil(left)} s left.` : `${Math.round(seconds)} s so far: this machine is busy.`;
    const bar = element("progress", "", "", { max: about, value: Math.min(seconds, 0.95 * about), "aria-label": "Preparing" });
    place.replaceChildren(element("span", "", `Preparing this game, once: its rules are compiled for this machine. ${words}`), bar);
    place.hidden = false;
    await pause(SOON);
  }
}

// The opponent of a level in a game.
async function opponentOf(game, wanted) {
  const { levels } = await ask(`/api/games/${encodeURIComponent(game)}/levels`);
  return levels[wanted] ?? Object.values(levels)[0] ?? "uniform";
}

export async function begin(start) {
  const game = start.dataset.begin, wanted = byId(start.dataset.levelOf)?.querySelector(":checked")?.value ?? USUAL;
  start.disabled = true;
  try {
    const against = await opponentOf(game, wanted);
    await prepared(game, against, byId("passing"));
    const session = await ask("/api/play", { game, against, side: sideOf(start) });
    remember(session);
    location.assign(`/play/${session.key}`);
  } catch (error) {
    tell(byId("trouble"), error.message);
    start.disabled = false;
  }
  tell(byId("passing"), "");
}

// Prepare the games of the page in the background, one after the other, so that a click finds them ready.
export async function prepareAll(starts) {
  for (const { dataset } of starts) {
    const against = await opponentOf(dataset.begin, USUAL);
    while (!(await preparationOf(dataset.begin, against)).ready) await pause(3 * SOON);
  }
}
