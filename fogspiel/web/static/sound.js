// Sounds of a game, made by the browser itself, off unless a person wants them.

import { keepChoice } from "./comforts.js";
import { byId } from "./service.js";

const TUNES = { turn: [523], refused: [196, 165], won: [523, 659, 784], lost: [392, 330, 262], even: [440, 440] };
const LENGTH = 0.14, LOUDNESS = 0.12;
let wanted = false;
let context = null;

keepChoice(byId("sound"), "fogspiel.sound", false, (on) => {
  wanted = on;
  if (on && navigator.userActivation?.hasBeenActive) play("turn");
});

// Say what is new to the person: the own turn, an attempt that was refused, or the end.
export function chime(before, now) {
  if (!wanted || !before || now.thinking || (before.moment === now.moment && before.over === now.over)) return;
  const own = now.transcript.at(-1);
  if (now.over) play(/won/.test(now.result) ? "won" : /draw/.test(now.result) ? "even" : "lost");
  else play(own?.who === "you" && /refused/.test(own.words) ? "refused" : "turn");
}

function play(name) {
  context ??= new AudioContext();
  context.resume();
  TUNES[name].forEach((pitch, place) => {
    const begin = context.currentTime + place * LENGTH;
    const tone = context.createOscillator(), volume = context.createGain();
    tone.type = "triangle";
    tone.frequency.value = pitch;
    volume.gain.setValueAtTime(LOUDNESS, begin);
    volume.gain.exponentialRampToValueAtTime(0.001, begin + LENGTH);
    tone.connect(volume).connect(context.destination);
    tone.start(begin);
    tone.stop(begin + LENGTH);
  });
}
