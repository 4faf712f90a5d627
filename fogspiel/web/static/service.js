// Questions to the server: JSON in, JSON out; what cannot be done comes back as an Error with its one sentence.

export async function asked(path, body) {
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
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) {
    const refusal = new Error(said.error ?? `The server answered ${answer.status}.`);
    refusal.status = answer.status;
    refusal.said = said;
    throw refusal;
  }
  return said;
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

export function tell(place, words) {
  place.textContent = words;
  place.hidden = !words;
}
