// Watching runs: the server sends what is new as it comes, in one stream per page that is in sight.

import { ask, pause } from "./service.js";

const SOON = 1000;
const AGAIN = 5000; // milliseconds until a stream that was refused is asked for again
const BEING_WORKED_OUT = 429;
const ENDED = ["finished", "damaged"];

// Where a match stood each time we heard, as long as no step says it; races are shown when they are over.
function watchedPoints(before, found) {
  const last = before.now && !("accepted" in before.now) && found.next === before.next ? [before.now] : [];
  return [...(before.watched ?? []), ...last].filter((point) => point.at < (found.now?.at ?? found.done));
}

// The progress with what was found since.
function added(progress, found) {
  const known = found.after === progress.next && found.next >= progress.next ? progress.points : [];
  return { ...found, points: [...known, ...found.points], watched: watchedPoints(progress, found) };
}

// The progress so far; `next` is where the following question begins.
export async function readMore(progress) {
  for (;;) {
    progress = added(progress, await ask(`/api/runs/${encodeURIComponent(progress.run)}/steps?after=${progress.next}`));
    if (progress.next >= progress.steps) return progress;
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

// Follow a stream of events while the page is in sight: a browser has few connections to one server. `address()` is asked
// again each time it opens; `onNews` returns true when there is nothing more to hear.
export function listen(address, onNews, onTrouble) {
  let source = null, over = false;
  const close = () => (source?.close(), (source = null));
  const open = () => {
    if (source || over || document.hidden) return;
    source = new EventSource(address());
    source.addEventListener("message", ({ data }) => {
      onTrouble("");
      over = onNews(JSON.parse(data)) === true;
      if (over) close();
    });
    source.addEventListener("trouble", ({ data }) => {
      over = true;
      close();
      onTrouble(`${JSON.parse(data)}.`);
    });
    source.addEventListener("error", () => {
      onTrouble("The server does not answer: is `fogspiel web` still running?");
      if (source?.readyState !== EventSource.CLOSED) return; // the browser tries again
      close();
      setTimeout(open, AGAIN);
    });
  };
  document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
  addEventListener("pagehide", close);
  open();
}

// Follow a run until it has ended; `onNews` gets the progress each time, `onTrouble` a sentence or nothing.
export function watch(run, onNews, onTrouble) {
  let progress = noProgress(run);
  listen(() => `/api/events?run=${encodeURIComponent(run)}&after=${progress.next}`, (found) => {
    progress = added(progress, found);
    if (progress.next >= progress.steps) onNews(progress);
    return ENDED.includes(progress.state) && progress.next >= progress.steps;
  }, onTrouble);
}
