// Fog over a board: veils and puffs, square by square. Its density comes from the own view alone, its puffs from the place.

import { element } from "./service.js";

// A number from 0 to 1 that belongs to a place.
function scatter(place, turn) {
  const mixed = Math.sin(place * 127.1 + turn * 311.7) * 43758.5453;
  return mixed - Math.floor(mixed);
}

// A layer of fog; density(column, row) is 0 where nothing is hidden. Layers of one square differ by their place.
export function fogLayer(columns, rows, density, first = 0) {
  const layer = element("div", "mist", "", { "aria-hidden": "true" });
  layer.style.setProperty("--across", columns);
  layer.style.setProperty("--down", rows);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const dense = density(column, row);
      if (!dense) continue;
      const place = first + row * columns + column;
      const puff = element("i", "puff", "", { "data-at": `${column}-${row}` });
      const measures = { column, row, dense, x: scatter(place, 1), y: scatter(place, 2), u: scatter(place, 3), v: scatter(place, 4) };
      for (const [name, value] of Object.entries(measures)) puff.style.setProperty(`--${name}`, value);
      layer.append(puff);
    }
  }
  return layer;
}

// Lift the fog outward from a place, 45 ms later for each square of distance; at once where motion is not wanted.
export async function liftFog(layer, [column, row]) {
  if (!layer) return;
  if (isStill()) return layer.remove();
  const ends = [...layer.children].map((puff) => {
    const [x, y] = puff.dataset.at.split("-").map(Number);
    const delay = 45 * Math.max(Math.abs(x - column), Math.abs(y - row));
    const frames = [{ opacity: 1, transform: "scale(1)" }, { opacity: 0, transform: "scale(1.15)" }];
    return puff.animate(frames, { duration: 420, delay, easing: "ease-out", fill: "forwards" }).finished;
  });
  await Promise.allSettled(ends);
  layer.remove();
}

export function isStill() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
