// What all scripts share: requests to the server, and elements of the page.

// Ask the server: JSON in, JSON out; what cannot be done comes back as an Error with its one sentence.
export async function ask(path, body) {
  const how = body === undefined ? {} : {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  };
  let answer;
  try {
    answer = await fetch(path, how);
  } catch {
    throw new Error("The server does not answer: is `fogspiel web` still running?");
  }
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const refusal = new Error(found.error ?? `The server answered ${answer.status}.`);
    throw Object.assign(refusal, { status: answer.status, fields: found.fields ?? {} });
  }
  return found;
}

export function byId(name) {
  return document.getElementById(name);
}

export function pause(milliseconds) {
  return new Promise((done) => setTimeout(done, milliseconds));
}

// An element with a class, words and attributes.
export function element(tag, look = "", words = "", attributes = {}) {
  const made = document.createElement(tag);
  if (look) made.className = look;
  if (words) made.textContent = words;
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

// A button with words, what it does, a class and attributes.
export function button(words, act, look = "", attributes = {}) {
  const made = element("button", look, words, { type: "button", ...attributes });
  made.addEventListener("click", act);
  return made;
}

// The class of the badge that shows the state of a run.
export function badgeClass(state) {
  return `badge ${{ running: "live", starting: "live", queued: "fog", stopping: "fog", finished: "good", damaged: "bad" }[state] ?? ""}`;
}

// Show a sentence in its place, or hide the place if there is none.
export function tell(place, words) {
  place.textContent = words;
  place.hidden = !words;
}

// A time in its largest unit.
export function lasting(seconds) {
  const [size, unit] = [[3600, "h"], [60, "min"], [1, "s"]].find(([least]) => seconds >= least) ?? [1, "s"];
  return `${(seconds / size).toFixed(seconds / size < 10 && size > 1 ? 1 : 0)} ${unit}`;
}
