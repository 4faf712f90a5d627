// Watching a run: its progress is asked for piece by piece, often while it grows and seldom while nothing happens.

import { ask, pause } from "./service.js";

const SOON = 1000;
const SELDOM = 10000;
const AT_REST = 15000;
const SLOWER = 1.5;
const BEING_WORKED_OUT = 429;
const ENDED = ["finished", "damaged"];

// Where a match stood each time we asked, as long as no step says it; races are shown when they are over.
function watchedPoints(before, found) {
  const last = before.now && !("accepted" in before.now) && found.next === before.next ? [before.now] : [];
  return [...(before.watched ?? []), ...last].filter((point) => point.at < (found.now?.at ?? found.done));
}

// The progress so far; `next` is where the following question begins.
export async function readMore(progress) {
  for (;;) {
    const found = await ask(`/api/runs/${encodeURIComponent(progress.run)}/steps?after=${progress.next}`);
    const known = found.after === progress.next && found.next >= progress.next ? progress.points : [];
    const points = [...known, ...found.points];
    progress = { ...found, points, watched: watchedPoints(progress, found) };
    if (found.next >= found.steps) return progress;
  }
}

// How a tuning run scores on the way: worked out by the server, which may take some seconds.
export async function measureWay(run) {
  for (;;) {
    try {
      return await ask(`/api/runs/${encodeURIComponent(run)}/way`);
    } catch (error) {
      if (error.status !== BEING_WORKED_OUT) throw error;
      await pause(SOON);
    }
  }
}

export function noProgress(run) {
  return { run, next: 0, points: [] };
}

// Ask until the run has ended; `onNews` gets the progress each time, `onTrouble` the error when the server does not answer.
export async function watch(run, onNews, onTrouble) {
  let progress = noProgress(run);
  let wait = SOON;
  for (;;) {
    const before = `${progress.next} ${progress.now?.at} ${progress.state}`;
    try {
      progress = await readMore(progress);
      onNews(progress);
      if (ENDED.includes(progress.state)) return;
      const still = before === `${progress.next} ${progress.now?.at} ${progress.state}`;
      wait = still ? Math.min(wait * SLOWER, progress.state === "interrupted" ? AT_REST : SELDOM) : SOON;
    } catch (error) {
      onTrouble(error);
      wait = Math.min(wait * SLOWER, AT_REST);
    }
    await pause(wait);
    while (document.hidden) await pause(SOON);
  }
}
