// Proofs that ship with the package: seals, buttons that check one or all, and the filter of the gallery.

import { result } from "./checks.js";
import { seal } from "./figures.js";
import { ask, byId, tell } from "./service.js";

for (const place of document.querySelectorAll("[data-seal]")) place.append(seal(place.dataset.seal));

// Check one proof: its bounds must be those of the sentence on the page.
async function check(place) {
  const [start, words] = place.children, { proof, lower, upper } = place.dataset;
  if (start.disabled) return;
  const show = (text, look) => {
    words.className = `chip ${look}`;
    tell(words, text);
  };
  start.disabled = true;
  place.classList.add("at-work");
  show("Checking ..", "spruce");
  try {
    const { valid, facts, words: sentence } = await result(await ask(`/api/values/${encodeURIComponent(proof)}/verify`, {}));
    if (!valid) show(sentence, "berry");
    else if (facts.lower !== lower || facts.upper !== upper) show(`It proves ${facts.lower} to ${facts.upper}`, "berry");
    else show(`✓ True, in ${facts.cpu_seconds.toFixed(2)} s`, "moss");
  } catch (error) {
    show(error.message, "berry");
    start.disabled = false;
  }
  place.classList.remove("at-work");
}

const places = [...document.querySelectorAll("[data-proof]")];
for (const place of places) place.firstElementChild.addEventListener("click", () => check(place));

byId("check-all")?.addEventListener("click", async ({ currentTarget: start }) => {
  start.disabled = true;
  let [done, words] = [0, start.textContent];
  for (const place of places) {
    start.textContent = `Checking ${(done += 1)} of ${places.length}`;
    await check(place);
  }
  start.textContent = words;
  start.disabled = false;
});

const filters = [...document.querySelectorAll("[data-show]")];
for (const filter of filters) {
  filter.addEventListener("click", () => {
    for (const other of filters) other.setAttribute("aria-pressed", other === filter);
    for (const card of byId("gallery").children) card.hidden = !card.dataset.kinds.split("|").includes(filter.dataset.show);
  });
}
