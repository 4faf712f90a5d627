// Motion between two drawings of the own view: cells are known by their place; only opacity and transform move.

import { isStill } from "./fog.js";

const DEAL = { duration: 240, easing: "ease-out" };
const TURN = { duration: 220, easing: "ease-out" };
const FALL = { duration: 180, easing: "ease-in" };
const ROLL = { duration: 600, easing: "ease-out" };
const ROLLED = [[{ transform: "rotate(-200deg) scale(0.7)" }, { transform: "rotate(20deg) scale(1.05)" }, { transform: "none" }], ROLL];
const SLIDE = { duration: 150, easing: "cubic-bezier(.2,.8,.2,1)" };
const BACK = { duration: 180, easing: "ease-in-out" };

// What each place shows now.
export function remember(container) {
  return new Map([...container.querySelectorAll("[data-place]")].map((cell) => [cell.dataset.place, signOf(cell)]));
}

function signOf(cell) {
  return `${cell.getAttribute("aria-label")?.split(":")[0]} ${cell.className.replace(/ ?latest/, "")}`;
}

// Move what has changed since: a card is dealt or turned, a die rolls, a stone falls or is put down.
export function moveIn(container, before, scene) {
  if (isStill() || !before.size) return;
  for (const cell of container.querySelectorAll("[data-place]")) {
    const old = before.get(cell.dataset.place);
    if (old === signOf(cell)) continue;
    const [frames, timing] = motionOf(cell, old, scene);
    if (frames) (scene === "frame" ? cell.querySelector(".disc") : cell)?.animate(frames, timing);
  }
}

function motionOf(cell, old, scene) {
  if (cell.matches(".look-die")) return ROLLED;
  if (cell.matches(".playing-card")) {
    if (old?.includes("look-face-down")) return [[{ transform: "scaleX(0)" }, { transform: "none" }], TURN];
    return [[{ transform: "translateY(-40px) rotate(-6deg)", opacity: 0 }, { transform: "none", opacity: 1 }], DEAL];
  }
  if (!old || !cell.matches(".look-own, .look-other, .look-refused, .look-marked")) return [null, null];
  if (scene === "frame") return [[{ transform: `translateY(-${100 * (Number(cell.style.getPropertyValue("--at-row")) + 1)}%)` }, { transform: "none" }], FALL];
  return [[{ transform: "scale(0.85)", opacity: 0.4 }, { transform: "none", opacity: 1 }], FALL];
}

// A die rolls.
export function roll(figure) {
  if (!isStill()) figure.animate(...ROLLED);
}

// A figure slides from the middle of one place to that of another, or there and back.
export function slide(figure, start, end, comesBack = false) {
  if (isStill() || !figure || !start || !end) return;
  const [from, to] = [start.getBoundingClientRect(), end.getBoundingClientRect()];
  const away = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
  const there = `translate(${to.left - from.left}px, ${to.top - from.top}px)`;
  if (comesBack) figure.animate([{ transform: "none" }, { transform: there }, { transform: "none" }], BACK);
  else figure.animate([{ transform: away }, { transform: "none" }], SLIDE);
}

// Something comes as a whole.
export function appear(place) {
  if (!isStill()) place.animate([{ opacity: 0 }, { opacity: 1 }], { duration: 320, easing: "ease-out" });
}
