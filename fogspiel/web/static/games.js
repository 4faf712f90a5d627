// The games that this browser has begun, newest first: their keys are remembered here and nowhere else.

const SHELF = "fogspiel.games";
const MOST = 12;

export function remembered() {
  try {
    const found = JSON.parse(localStorage.getItem(SHELF) ?? "[]");
    return Array.isArray(found) ? found : [];
  } catch {
    return [];
  }
}

export function remember(scene) {
  const game = { key: scene.key, title: scene.title, against: scene.against.slice(0, 60), over: scene.over };
  write([game, ...remembered().filter((known) => known.key !== scene.key)].slice(0, MOST));
}

export function forget() {
  write([]);
}

function write(games) {
  try {
    localStorage.setItem(SHELF, JSON.stringify(games));
  } catch {
    // a browser that keeps nothing can still play
  }
}
