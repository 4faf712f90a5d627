// The games that this browser has begun, newest first: their keys are remembered here and nowhere else.

const STORAGE_KEY = "fogspiel.games";
const MOST = 12;

export function knownGames() {
  try {
    const found = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

export function remember({ key, title, against, over }) {
  const game = { key, title, against: against.slice(0, 60), over };
  write([game, ...knownGames().filter((known) => known.key !== key)].slice(0, MOST));
}

export function forget() {
  write([]);
}

function write(games) {
  try {
    localStorage.setItem(STORAGE_KEY, JSON.stringify(games));
  } catch {
    // a browser that keeps nothing can still play
  }
}
