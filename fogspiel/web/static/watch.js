// Watching a run: its trail is asked for piece by piece, often while it grows and seldom while nothing happens.

import { asked, pause } from "./service.js";

const SOON = 1000;
const SELDOM = 10000;
const AT_REST = 15000;
const SLOWER = 1.5;
const BEING_WORKED_OUT = 429;
const ENDED = ["finished", "damaged"];

// Where a match stood each time we asked, as long as no step tells it; races are shown when they are over.
function stillHeard(before, found) {
  const last = before.now && !("accepted" in before.now) && found.next === before.next ? [before.now] : [];
  return [...(before.heard ?? []), ...last].filter((point) => point.at < (found.now?.at ?? found.done));
}

// The trail so far; `next` is where the following question begins.
export async function moreOf(trail) {
  for (;;) {
    const found = await asked(`/api/runs/${encodeURIComponent(trail.run)}/steps?after=${trail.next}`);
    const known = found.after === trail.next && found.next >= trail.next ? trail.points : [];
    const points = [...known, ...found.points];
    trail = { ...found, points, heard: stillHeard(trail, found) };
    if (found.next >= found.steps) return trail;
  }
}

// How a tuning run scores on the way: worked out by the server, which may take some seconds.
export async function wayOf(run) {
  for (;;) {
    try {
      return await asked(`/api/runs/${encodeURIComponent(run)}/way`);
    } catch (error) {
      if (error.status !== BEING_WORKED_OUT) throw error;
      await pause(SOON);
    }
  }
}

export function beginning(run) {
  return { run, next: 0, points: [] };
}

// Ask until the run has ended; `onNews` is told every trail, `onTrouble` when the server does not answer.
export async function watch(run, onNews, onTrouble) {
  let trail = beginning(run);
  let wait = SOON;
  for (;;) {
    const before = `${trail.next} ${trail.now?.at} ${trail.state}`;
    try {
      trail = await moreOf(trail);
      onNews(trail);
      if (ENDED.includes(trail.state)) return;
      const still = before === `${trail.next} ${trail.now?.at} ${trail.state}`;
      wait = still ? Math.min(wait * SLOWER, trail.state === "interrupted" ? AT_REST : SELDOM) : SOON;
    } catch (error) {
      onTrouble(error);
      wait = Math.min(wait * SLOWER, AT_REST);
    }
    await pause(wait);
    while (document.hidden) await pause(SOON);
  }
}
