// Checks of certificates: begun here, worked out by the server, and told in a sentence.

import { ask, byId, pause, tell } from "./service.js";

const SOON = 700;

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

// Ask until a check is over.
export async function follow(check) {
  for (;;) {
    showCheck(check.words, check.valid);
    if (check.valid !== null) return;
    await pause(SOON);
    check = await ask(`/api/certificates/${check.check}`);
  }
}
