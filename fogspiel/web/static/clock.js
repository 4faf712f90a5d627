// How long each side has thought in this game: shown, not enforced, kept by this tab of the browser, and hidden on demand.

import { keepChoice } from "./comforts.js";
import { byId } from "./service.js";

const EVERY = 500;

export class Clock {
  constructor(key) {
    this.storage = `fogspiel.clock.${key}`;
    this.spent = known(this.storage);
    this.running = null;
    this.since = performance.now();
    keepChoice(byId("show-clock"), "fogspiel.clock", true, (shown) => {
      for (const face of document.querySelectorAll("[data-clock]")) face.hidden = !shown;
    });
    setInterval(() => this.draw(), EVERY);
  }

  // The side that thinks from now on: you, other, or null when the game is over.
  run(side) {
    this.count();
    this.running = side;
    this.draw();
  }

  count() {
    const now = performance.now();
    if (this.running) this.spent[this.running] += now - this.since;
    this.since = now;
  }

  draw() {
    this.count();
    for (const side of ["you", "other"]) {
      const words = minutes(this.spent[side]);
      const place = byId(`clock-${side}`);
      if (place.textContent !== words) place.textContent = words;
      place.parentElement.classList.toggle("running-clock", this.running === side);
    }
    try {
      sessionStorage.setItem(this.storage, JSON.stringify(this.spent));
    } catch {
      // a browser that keeps nothing begins anew after each reload
    }
  }
}

function known(storage) {
  try {
    const { you, other } = JSON.parse(sessionStorage.getItem(storage) ?? "{}");
    return { you: Number(you) || 0, other: Number(other) || 0 };
  } catch {
    return { you: 0, other: 0 };
  }
}

function minutes(milliseconds) {
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
