// Checks of certificates: begun here, worked out by the server, and told in a sentence.

import { ask, byId, pause, tell } from "./service.js";

const SOON = 400;

// Send the bytes of a file; nothing is read or changed on the way.
export async function upload(file) {
  const answer = await fetch("/api/certificates", { method: "POST", headers: { "content-type": "application/json" }, body: file });
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(found.error ?? `The server answered ${answer.status}.`);
  return found;
}

// Show what came of a check: valid is true, false, or null while nobody knows.
export function showCheck(words, valid) {
  const place = byId("checked");
  place.className = valid === false ? "trouble" : valid ? "notice proved" : "notice";
  tell(place, words);
}

// Ask until a check is over, and show each answer; the last one is what came of it.
export async function result(check, show = () => {}) {
  for (;;) {
    show(check);
    if (check.valid !== null) return check;
    await pause(SOON);
    check = await ask(`/api/certificates/${check.check}`);
  }
}

export function follow(check) {
  return result(check, ({ words, valid }) => showCheck(words, valid));
}
