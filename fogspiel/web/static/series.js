// The results of games in a row against the same opponent, kept by this tab of the browser.

const STORAGE_KEY = "fogspiel.series";
const MAX = 200;

// Count a game that is over, once; the results of the series it belongs to, as indices of the game's payoffs.
export function countGame({ key, game, against, mark }) {
  const series = known(`${game} ${against}`);
  if (!series.some((played) => played.key === key)) series.push({ key, mark });
  try {
    sessionStorage.setItem(STORAGE_KEY, JSON.stringify({ name: `${game} ${against}`, series: series.slice(-MAX) }));
  } catch {
    // a browser that keeps nothing can still play
  }
  return series.slice(-MAX).map((played) => played.mark);
}

function known(name) {
  try {
    const found = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? "{}");
    return found.name === name && Array.isArray(found.series) ? found.series : [];
  } catch {
    return [];
  }
}
