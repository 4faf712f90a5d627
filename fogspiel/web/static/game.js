// The page of a game: the button that solves it, and the games that were played here.

import { showGames } from "./games.js";
import { ratingIn } from "./rating.js";
import { ask, byId, pause, tell } from "./service.js";

const { game } = byId("game").dataset;
const address = `/api/games/${encodeURIComponent(game)}`;
const SOON = 1000;

ask(`${address}/powers`)
  .then(({ powers }) => {
    byId("powers-list").replaceChildren(...powers.map((words) => Object.assign(document.createElement("li"), { textContent: words })));
    byId("powers").hidden = powers.length === 0;
  })
  .catch(() => byId("powers").remove());

// Where the solution stands, again and again while a run works on it; once it is there it is the first opponent.
async function followSolving() {
  for (;;) {
    const { solved, offered, run, words } = await ask(`${address}/solving`);
    if (solved) return location.reload();
    byId("solving").hidden = false;
    if (byId("solving-words").textContent !== words) tell(byId("solving-words"), words);
    byId("solve").hidden = !offered;
    byId("solving-progress").hidden = run === null || offered;
    byId("solving-run").hidden = run === null;
    byId("solving-run").href = `/runs/${encodeURIComponent(run)}`;
    if (run === null || offered) return null;
    do await pause(SOON); while (document.hidden);
  }
}

function tellTrouble(error) {
  byId("solving").hidden = false;
  tell(byId("solving-trouble"), error.message);
}

byId("solve")?.addEventListener("click", async ({ currentTarget: solve }) => {
  solve.disabled = true;
  tell(byId("solving-trouble"), "");
  try {
    await ask(`${address}/solving`, {});
    await followSolving();
  } catch (error) {
    tellTrouble(error);
  }
  solve.disabled = false;
});
if (byId("solving")) followSolving().catch(tellTrouble);
showGames(game);

// The level next to the player's own rating is chosen.
const own = ratingIn(game), rated = [...document.querySelectorAll("#level [data-rating]")];
if (own && rated.length) {
  const far = (place) => Math.abs(Number(place.dataset.rating) - own.value);
  rated.sort((one, other) => far(one) - far(other))[0].closest("label").querySelector("input").checked = true;
  tell(byId("suggested"), `suggested for ${own.value}`);
}
