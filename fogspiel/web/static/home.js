// The small pictures of the catalogue, drawn when they come into sight.

import { drawPicture } from "./picture.js";
import { begin, prepareAll } from "./begin.js";
import { ask } from "./service.js";

const SHOWN = ["chess", "board", "cards", "text", "facts"];

// The parts that make a good small picture: the first kind there is, at most two of it.
export function samples(parts) {
  const kind = SHOWN.find((shown) => parts.some((part) => part.kind === shown && !isEmpty(part)));
  return parts.filter((part) => part.kind === kind && !isEmpty(part)).slice(0, kind === "cards" ? 2 : 1);
}

function isEmpty(part) {
  return part.kind === "cards" && part.cards.length === 0;
}

// Draw a sample into its frame and make it as large as the frame allows.
export async function drawSample(frame, game) {
  const { scene, picture } = await ask(`/api/games/${encodeURIComponent(game)}/picture${frame.dataset.first ? "?first=true" : ""}`);
  const drawn = document.createElement("span");
  drawn.className = "drawn picture";
  drawn.dataset.scene = scene;
  drawn.inert = true;
  frame.replaceChildren(drawn);
  await drawPicture(drawn, samples(picture));
  const inner = getComputedStyle(frame);
  const width = frame.clientWidth - 2 * parseFloat(inner.paddingLeft);
  const height = frame.clientHeight - 2 * parseFloat(inner.paddingTop);
  const scale = Math.min(width / drawn.offsetWidth, height / drawn.offsetHeight, 1);
  drawn.style.setProperty("transform", `scale(${scale})`);
}

// One after the other, those in sight first: on a new machine a game is compiled before its picture can be drawn.
const visible = new Set();
let drawing = false;

async function drawVisible() {
  if (drawing) return;
  drawing = true;
  while (visible.size) {
    const [frame] = visible;
    visible.delete(frame);
    watcher.unobserve(frame);
    await drawSample(frame, frame.dataset.sample).catch(() => frame.classList.add("missing"));
  }
  drawing = false;
}

const watcher = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (entry.isIntersecting) visible.add(entry.target);
    else visible.delete(entry.target);
  }
  drawVisible();
}, { rootMargin: "150px" });
for (const start of document.querySelectorAll("[data-begin]")) start.addEventListener("click", () => begin(start));
document.querySelectorAll("[data-sample]").forEach((frame) => watcher.observe(frame));
prepareAll(document.querySelectorAll("[data-begin]")).catch(() => {}); // a click says what is wrong
