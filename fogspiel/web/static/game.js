// The page of a game: a picture of a first position.

import { drawPicture } from "./picture.js";
import { ask, byId } from "./service.js";

const { game } = byId("game").dataset;

ask(`/api/games/${encodeURIComponent(game)}/picture?first=true`)
  .then(({ picture }) => drawPicture(byId("first"), picture))
  .catch(() => byId("first").remove());
