// The switches of the header: light or dark, and sound.

import { latestRating, showRating } from "./rating.js";
import { byId } from "./service.js";
import "./sound.js";

const root = document.documentElement;

function isDark() {
  return (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
}

function keep(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // it holds for this page
  }
}

byId("theme").addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  keep("fogspiel.theme", root.dataset.theme);
  tell();
});

function tell() {
  byId("theme").setAttribute("aria-pressed", String(isDark()));
}

tell();
if (latestRating()) showRating(byId("play")?.dataset.game ?? byId("game")?.dataset.game ?? "");
document.addEventListener("click", ({ target }) => {
  for (const open of document.querySelectorAll("details.more[open]")) if (!open.contains(target)) open.open = false;
});
