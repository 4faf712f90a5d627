// One game: what the person sees, what may be done, what was said. Everything shown comes from the person's own view.

import { Clock } from "./clock.js";
import { die, ship } from "./figures.js";
import { remember } from "./games.js";
import { askKnowledge, listKnowledge, markKnowledge } from "./knowledge.js";
import { appear, roll } from "./motion.js";
import { drawPicture } from "./picture.js";
import { countResult, showRating } from "./rating.js";
import { drawCertainty, lift, listGuesses, resultWords, veilsOf } from "./reveal.js";
import { listPairs } from "./referee_log.js";
import { countGame } from "./series.js";
import { ask, button, byId, element, pause, tell } from "./service.js";
import { chime } from "./sound.js";

const play = byId("play");
const key = play.dataset.key;
const picture = byId("picture");
const state = byId("state");
const trouble = byId("trouble");
const buttons = byId("buttons");
const transcript = byId("transcript");
const MANY = 24, FEW = 4;
const SHORTEST = 150, LONGEST = 2000;
const clock = new Clock(key);
const COACHED = "fogspiel-coach";
let session = null;
let busy = false;

async function follow() {
  let wait = SHORTEST;
  while (session.thinking) {
    await pause(wait);
    wait = Math.min(wait * 1.4, LONGEST);
    try {
      await show(await look());
      if (session.trouble) tell(trouble, session.trouble);
      offline(false);
    } catch (error) {
      if (error.status) tell(trouble, error.message);
      else offline(true);
    }
  }
}

// While the server does not answer the board stays, dimmed, and it is asked again.
const AGAIN = 3000;
let away = false;
function offline(now) {
  if (now === away) return;
  away = now;
  play.classList.toggle("offline", away);
  byId("offline").hidden = !away;
  if (away) comeBack();
}
async function comeBack() {
  while (away) {
    await pause(AGAIN);
    const answer = await look().catch((error) => (error.status ? session : null));
    if (!answer) continue;
    offline(false);
    await show(answer);
  }
}

// The log grows at its end, and its last line may still change: all before it is not sent again.
function settled() {
  return Math.max((session?.transcript.length ?? 0) - 1, 0);
}
function whole(answer) {
  return answer.heard ? { ...answer, transcript: [...session.transcript.slice(0, answer.heard), ...answer.transcript] } : answer;
}
async function look() {
  return whole(await ask(`/api/play/${key}?heard=${settled()}`));
}

function act(action) {
  return send(`/api/play/${key}`, byId("draw")?.checked ? { action, draw: true } : { action });
}

async function send(path, body) {
  if (session.over) return;
  if (busy || session.thinking) return say("Your move is on its way: one moment.");
  busy = true;
  state.className = "state thinking"; // until the answer is there
  clock.run("other");
  tell(trouble, "");
  try {
    await show(whole(await ask(path, { ...body, moment: session.moment, ...(path.endsWith("resign") ? {} : { heard: settled() }) })));
  } catch (error) {
    if (error.status === 409) await show(await look().catch(() => session));
    if (!error.status) offline(true);
    else tell(trouble, error.message); // after the drawing, which tells the opponent's trouble
  } finally {
    busy = false;
    state.className = stateClass();
    clock.run(onTurn());
  }
  await follow();
}

// Say something in passing.
function say(words) {
  tell(byId("passing"), words);
  setTimeout(() => tell(byId("passing"), ""), 4000);
}

// The notice of an engine that is being compiled goes when that is done, also while nobody moves.
const NOTICED = 3000;
setInterval(async () => {
  if (session?.notice && !busy && !session.thinking && !document.hidden) await show(await look().catch(() => session));
}, NOTICED);

// Giving up takes a second press.
byId("resign").addEventListener("click", async ({ currentTarget: resign }) => {
  if (resign.dataset.sure) return send(`/api/play/${key}/resign`, {});
  resign.dataset.sure = "yes";
  resign.textContent = "Resign: are you sure?";
  await pause(4000);
  delete resign.dataset.sure;
  resign.textContent = "Resign";
  for (const words of document.querySelectorAll(".action-bar [data-press='#resign'] > span")) words.textContent = "Resign";
});

// A draw is offered with a move, and answered when the other has thought about it.
function showOffer() {
  if (!byId("draw")) return;
  byId("draw-row").hidden = session.over;
  byId("draw").disabled = session.thinking;
  if (session.draw !== "offered" && !session.thinking) byId("draw").checked = false;
  document.querySelector(".action-bar [data-press='#draw']")?.setAttribute("aria-pressed", String(byId("draw").checked));
  tell(byId("draw-answer"), session.draw === "declined" ? "The opponent declines the draw." : "");
}

// Do what is routine until there is something to decide; another press stops.
let playingOn = false;
byId("play-on")?.addEventListener("click", async ({ currentTarget: on }) => {
  playingOn = !playingOn;
  if (!playingOn) return;
  on.textContent = "Stop";
  while (playingOn && session.routine !== null && !session.over) {
    const before = session.moment;
    await act(session.routine);
    if (session.moment === before) break;
  }
  playingOn = false;
  on.textContent = "Play on";
  showPlayOn();
});

// Its place stays where it is, so that nothing moves when it comes and goes.
function showPlayOn() {
  byId("play-on-row")?.classList.toggle("resting", !playingOn && session.routine === null);
}

async function show(next) {
  const before = session;
  session = next;
  byId("notice").textContent = session.over ? "" : session.notice ?? session.seat ?? "";
  if (before && before.moment === next.moment && before.thinking === next.thinking && before.over === next.over) return;
  clock.run(onTurn());
  chime(before, session);
  const lost = buttons.contains(document.activeElement);
  const held = lost || picture.contains(document.activeElement);
  play.classList.toggle("waiting", session.thinking);
  byId("screen").classList.toggle("over", session.over);
  state.textContent = sentence();
  state.className = stateClass();
  if (session.trouble) tell(trouble, session.trouble);
  listChoices();
  listTranscript();
  showPlayOn();
  byId("resign-row").hidden = session.over;
  byId("resign").disabled = session.thinking;
  showOffer();
  await drawBoards();
  askCoach();
  byId("after").hidden = !session.over;
  remember(session);
  if (session.over) showStanding();
  if (session.over) tellEnd();
  if (session.over && before && !before.over && held) byId("result").focus();
  else if (lost) buttons.querySelector("button")?.focus();
}

// Once the game is over the board shows the truth, where anything was hidden, or what the person saw.
let asSeen = false;
async function drawBoards() {
  const told = session.truth !== null;
  byId("truth-bar").hidden = !told;
  byId("truth-title").textContent = asSeen ? "What you saw" : "The truth";
  byId("truth-toggle").textContent = asSeen ? "The truth" : "As you saw it";
  if (told && !asSeen) await drawTruth();
  else await drawSeen();
  showRoll();
}
// The truth lies as the own board lay, and the fog of the last drawing lifts from it.
async function drawTruth() {
  let truth = session.truth.map((part) => (part.kind === "chess" ? { ...part, side: session.side, refused: [] } : part));
  const boards = truth.filter(({ kind }) => kind === "board");
  if (boards.length === 2) truth = [boards[1 - session.side], boards[session.side], ...truth.filter(({ kind }) => kind !== "board")]; // theirs stays where it lay
  const veils = veilsOf(picture), changes = shapeOf(truth) !== shapeOf(session.picture);
  if (changes) picture.replaceChildren(); // a table of other parts comes as a whole, instead of moving piece by piece
  await drawPicture(picture, truth);
  if (changes) appear(picture);
  lift(picture, veils, truth);
  listGuesses(byId("guesses"), picture, truth, location.pathname + location.hash);
}

const shapeOf = (parts) => parts.map((part) => `${part.kind} ${part.cards?.length ?? ""}`).join();

// What is seen; of two seas the own one stands in the panel.
async function drawSeen() {
  const second = byId("second-board");
  const boards = second ? session.picture.filter((part) => part.kind === "board" && typeof part.turned !== "boolean") : [];
  const own = boards.length > 1 ? boards.at(-1) : null;
  await drawPicture(picture, session.picture.filter((part) => part !== own), session.choices, act, session.latest);
  if (!second) return;
  const placing = session.picture.find((part) => typeof part.turned === "boolean");
  second.hidden = !own && !placing;
  if (own) await drawPicture(second.querySelector(".picture"), [own, ...session.picture.filter((part) => part.kind === "race")]);
  else if (placing) second.querySelector(".picture").replaceChildren(...fleetOf(placing));
}
// The ships of the fleet while they are placed: those on the sea, the one in hand, those that follow.
const LENGTHS = ["", "One", "Two", "Three", "Four", "Five", "Six"];
function fleetOf({ ships, in_hand: length, fleet, row_names: rows, column_names: columns }) {
  const squares = fleet.reduce((sum, one) => sum + one, 0);
  const head = element("p", "row fleet-head");
  head.append(element("strong", "label", `Fleet, ${squares} squares`), element("span", "small soft", `${ships.length} of ${fleet.length} placed`));
  const list = fleet.map((size, number) => {
    const placed = ships[number], held = number === ships.length;
    const line = element("div", `fleet-row${placed ? " placed" : held ? " held" : ""}`);
    const figure = element("span", "fleet-ship");
    figure.style.setProperty("--length", size);
    figure.append(ship(size));
    const name = (row, column) => `${columns[column]}${rows[row]}`;
    const end = placed && name(placed[0] + (placed[3] ? size - 1 : 0), placed[1] + (placed[3] ? 0 : size - 1));
    line.append(figure, element("b", "", LENGTHS[size] ?? String(size)), element("span", `chip ${placed ? "moss" : held ? "spruce" : ""}`, placed ? `✓ ${name(placed[0], placed[1])} to ${end}` : held ? "in your hand" : "then"));
    return line;
  });
  return [head, ...list, element("p", "small soft", `Ships of ${length} and others lie across or down and may touch. R turns the one in hand.`)];
}
byId("truth-toggle").addEventListener("click", () => { asSeen = !asSeen; drawBoards(); });

// The die that was rolled last, large, with what this turn has brought so far.
let rolled = 0;
function showRoll() {
  const place = byId("last-roll"), rolls = session.transcript.filter((line) => line.die);
  place.hidden = !rolls.length;
  if (!rolls.length) return;
  const [race] = session.picture.filter((part) => part.kind === "race"), risk = Math.max(0, ...(race?.rows.map((row) => row[2]) ?? []));
  let left = risk;
  const turn = [];
  for (let at = rolls.length - 1; at >= 0 && left > 0; left -= rolls[at].die, at -= 1) turn.unshift(die(rolls[at].die));
  const latest = rolls.at(-1), words = element("div", "turn-so-far"), row = element("div", "row");
  row.append(...turn);
  words.append(element("span", "", "this turn"), element("b", "figure-large", String(risk)), row, element("p", latest.die === 1 ? "lost" : "", latest.words));
  const large = die(latest.die);
  place.replaceChildren(large, words);
  if (rolls.length !== rolled && rolled) roll(large);
  rolled = rolls.length;
}

// The score of all games in a row against this opponent, with its interval.
async function showStanding() {
  const marks = countGame(session);
  try {
    const { games, mean, interval } = await ask(`/api/games/${session.game}/standing?marks=${marks.join(",")}`);
    const many = games === 1 ? "1 game" : `${games} games`;
    const [low, high] = interval.map((bound) => bound.toFixed(2));
    tell(byId("running"), `${many} in a row: ${mean.toFixed(2)} per game on average.`);
    byId("interval").hidden = false;
    byId("interval-words").textContent = `The true mean lies between ${low} and ${high} (95 %).`;
  } catch (error) {
    tell(byId("running"), error.message);
  }
}

// The end in large words; what was announced last, and the log, stay at hand.
function tellEnd() {
  byId("result").textContent = resultWords(session);
  tell(byId("after-words"), session.result.replace(/^[^.:]*[.:] ?/, "").replace(/^./, (letter) => letter.toUpperCase()) || (session.truth ? "The fog is lifting." : ""));
  byId("after-log").className = transcript.className;
  byId("after-log").replaceChildren(...[...transcript.children].map((line) => line.cloneNode(true)));
  const change = countResult(session);
  showRating(session.game);
  tell(byId("rating-change"), change === null ? "" : `${change < 0 ? "−" : "+"}${Math.abs(change)} rating`);
  byId("rating-change").className = `chip ${change < 0 ? "berry" : "moss"}`;
  const chess = session.picture.some(({ kind }) => kind === "chess");
  const [won, lost] = [session.score > 0, session.score < 0];
  tell(byId("score"), chess ? (won || lost ? (won === (session.side === 0) ? "1 : 0" : "0 : 1") : "½ : ½") : "");
  if (chess) byId("next").textContent = `Next game, as ${session.side === 0 ? "Black" : "White"}`;
  if (!chess || !play.dataset.panel || !byId("certainty").hidden) return;
  byId("certainty").hidden = false; // its place is kept, so that nothing moves when the curve comes
  drawCertainty(byId("certainty"), key, session.side, play.dataset.panel).catch(() => {});
}

function onTurn() {
  return session.over ? null : session.thinking ? "other" : "you";
}

function stateClass() {
  return `state ${session.over ? "over" : session.thinking ? "thinking" : "turn"}`;
}

function sentence() {
  if (session.over) return `The game is over. ${session.result}`;
  return session.thinking ? "The opponent is thinking." : "It is your turn.";
}

let onBoard = false; // of the choices now or, while the opponent thinks, of those before
function listChoices() {
  byId("choices").hidden = false; // while the opponent thinks, its place stays
  byId("choices").classList.toggle("resting", session.choices.length === 0);
  const list = element("div", "choices");
  if (session.choices.length) onBoard = isOnBoard();
  list.setAttribute("role", "group");
  session.choices.forEach(({ action, label, note }, number) => {
    const choice = button("", () => act(action), "", { "data-action": action });
    const words = element("span", "what", label);
    if (note) words.append(element("small", "note", note));
    choice.append(element("span", "key", String(number + 1), { "aria-hidden": "true" }), words);
    list.append(choice);
  });
  if (session.choices.length <= MANY && !onBoard) return buttons.replaceChildren(list);
  const folded = element("details");
  folded.open = buttons.querySelector("details")?.open ?? !onBoard;
  folded.append(element("summary", "", session.choices.length === 1 ? "The only choice" : `All ${session.choices.length} choices`), finder(list), list);
  buttons.replaceChildren(folded);
}

// Whether what may be done now can be done on the picture itself.
function isOnBoard() {
  const actions = new Set(session.choices.map((choice) => choice.action));
  const offers = (cell) => cell.action !== null && actions.has(cell.action);
  const onCards = (part) => session.choices.length > FEW && (part.cards ?? []).some(offers);
  return session.picture.some((part) => part.kind === "chess" || part.together || (part.kind === "board" && part.rows.flat().some(offers)) || onCards(part));
}

// A field that narrows a long list down; Enter takes what is left first.
function finder(list) {
  const field = element("input", "", "", { type: "search", placeholder: "find", "aria-label": "Find a choice" });
  const left = () => [...list.children].filter((choice) => !choice.hidden);
  field.addEventListener("input", () => {
    const words = field.value.trim().toLowerCase();
    for (const choice of list.children) choice.hidden = !choice.lastChild.textContent.toLowerCase().includes(words);
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && field.value.trim()) left()[0]?.click();
  });
  return field;
}

function listTranscript() {
  const known = transcript.children.length;
  const low = transcript.scrollHeight - transcript.scrollTop - transcript.clientHeight < 60;
  if (transcript.classList.contains("in-pairs")) listPairs(transcript, session.transcript, session.seat);
  else if (session.transcript.length < known) transcript.replaceChildren();
  if (!transcript.classList.contains("in-pairs")) session.transcript.forEach(({ who, words, die: face }, number) => {
    const line = transcript.children[number];
    if (line && line.textContent === words && line.className === who) return;
    const made = element("li", who, words);
    if (face) made.prepend(die(face));
    if (line) line.replaceWith(made);
    else transcript.append(made);
  });
  if (low) transcript.scrollTop = transcript.scrollHeight;
}

// Its end stays in sight when its place changes.
let atEnd = true;
transcript.addEventListener("scroll", () => (atEnd = transcript.scrollHeight - transcript.scrollTop - transcript.clientHeight < 60));
new ResizeObserver(() => atEnd && (transcript.scrollTop = transcript.scrollHeight)).observe(transcript);

// What the person's moves so far cost, if that is wanted.
async function askCoach() {
  if (!session || !byId("coach").open) return; // show() asks again once the game is there
  if (play.dataset.coach) {
    const { askAdvice } = await import(play.dataset.coach);
    await askAdvice(key, byId("coach-note"), byId("coach-moves"), () => byId("coach").open && session);
    return;
  }
  await showKnowledge();
  if (costless) return;
  try {
    const { against, moves } = await ask(`/api/play/${key}/coach`);
    byId("coach-note").textContent = moves.length ? `On average, against ${against}:` : "You have not moved yet.";
    byId("coach-moves").replaceChildren(...moves.map((move) => element("li", "", `${move.sentence}.`)));
  } catch (error) {
    byId("coach-note").textContent = `${error.message}.`;
  }
}
byId("coach").addEventListener("toggle", () => {
  localStorage.setItem(COACHED, byId("coach").open ? "yes" : "");
  if (byId("coach").open) askCoach();
  else if (!play.dataset.coach) markKnowledge(picture, buttons, null);
});

// What can be known now, on the picture, the choices and the panel. Where costs come from a
// table of the whole game, the list of past costs is not asked for.
let costless = false;
async function showKnowledge() {
  const asked = session;
  if (asked.over || asked.thinking) {
    markKnowledge(picture, buttons, null);
    return asked.over && byId("known").replaceChildren();
  }
  try {
    const known = await askKnowledge(key, asked);
    if (session !== asked || !byId("coach").open) return;
    costless = known !== null && !known.proved && known.costs !== null;
    markKnowledge(picture, buttons, known);
    await listKnowledge(byId("known"), known, asked);
    byId("coach-exact").hidden = !known?.proved;
  } catch (error) {
    if (error.status !== 409) byId("coach-note").textContent = `${error.message}.`;
  }
}

// The bar of a phone: sheets that it opens, and controls that it presses.
for (const tool of document.querySelectorAll(".action-bar [data-sheet]")) {
  tool.addEventListener("click", () => {
    const sheet = document.querySelector(tool.dataset.sheet), open = tool.getAttribute("aria-expanded") !== "true";
    for (const other of document.querySelectorAll(".action-bar [data-sheet]")) {
      other.setAttribute("aria-expanded", String(other === tool && open));
      document.querySelector(other.dataset.sheet).classList.toggle("sheet-open", other === tool && open);
    }
    if (sheet.matches("details")) sheet.open = open;
    if (open) transcript.scrollTop = transcript.scrollHeight;
  });
}
for (const tool of document.querySelectorAll(".action-bar [data-press]")) {
  tool.addEventListener("click", () => {
    const pressed = document.querySelector(tool.dataset.press);
    pressed?.click();
    if (pressed?.matches("input")) tool.setAttribute("aria-pressed", String(pressed.checked));
    else if (pressed?.dataset.sure) tool.lastElementChild.textContent = "Sure?";
  });
}

// Number keys go to a choice, Enter takes it.
let typed = "", latest = 0;
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter") typed = "";
  if (!/^\d$/.test(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.matches("input, textarea, select")) return;
  typed = event.timeStamp - latest < 900 ? typed + event.key : event.key;
  latest = event.timeStamp;
  const choices = buttons.querySelectorAll(".choices button");
  const chosen = choices[Number(typed) - 1] ?? choices[Number(event.key) - 1];
  if (!chosen) return;
  chosen.closest("details")?.setAttribute("open", "");
  chosen.focus();
});

async function again(side) {
  try {
    const next = await ask("/api/play", { game: session.game, against: session.against, side });
    remember(next);
    location.assign(`/play/${next.key}`);
  } catch (error) {
    tell(trouble, error.message);
  }
}
byId("next").addEventListener("click", () => again(1 - session.side)); // sides change, as in a match
byId("again").addEventListener("click", () => again(session.side));
byId("swap").addEventListener("click", () => again(1 - session.side));

if (!play.dataset.coach && localStorage.getItem(COACHED)) byId("coach").open = true;
ask(`/api/play/${key}`).then(show).then(follow).catch((error) => tell(trouble, error.message));
