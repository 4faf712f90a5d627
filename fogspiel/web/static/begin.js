// One click to a game: the level that is chosen beside the button, or the one in the middle; a side by lot where they differ.

import { remember } from "./games.js";
import { ask, byId, tell } from "./service.js";

const SLOW = 600;
const USUAL = "Club";

// The side that is stated or chosen beside the button; a lot is drawn here.
function sideOf({ dataset }) {
  const side = byId(dataset.sideOf)?.querySelector(":checked")?.value ?? dataset.side ?? 0;
  return side === "lot" ? Math.floor(2 * Math.random()) : Number(side);
}

export async function begin(start) {
  const game = start.dataset.begin, wanted = byId(start.dataset.levelOf)?.querySelector(":checked")?.value ?? USUAL;
  start.disabled = true;
  const slow = setTimeout(() => tell(byId("passing"), "Preparing this game, once. About 20 s; next time it starts at once."), SLOW);
  try {
    const { levels } = await ask(`/api/games/${encodeURIComponent(game)}/levels`);
    const against = levels[wanted] ?? Object.values(levels)[0] ?? "uniform";
    const session = await ask("/api/play", { game, against, side: sideOf(start) });
    remember(session);
    location.assign(`/play/${session.key}`);
  } catch (error) {
    tell(byId("trouble"), error.message);
    start.disabled = false;
  }
  clearTimeout(slow);
  tell(byId("passing"), "");
}
