// Sounds of moves and of the end of the game, synthesised.

import { $ } from "./elements.js";
import { readFen } from "./moves.js";

let context = null;

// A knock on wood: a short noise through a band-pass filter.
function knock(at, pitch, loudness) {
  const length = 0.09;
  const buffer = context.createBuffer(1, Math.ceil(context.sampleRate * length), context.sampleRate);
  const samples = buffer.getChannelData(0);
  for (let i = 0; i < samples.length; i++) samples[i] = (2 * Math.random() - 1) * Math.exp((-9 * i) / samples.length);
  const source = new AudioBufferSourceNode(context, { buffer });
  const filter = new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: 4 });
  source.connect(filter).connect(new GainNode(context, { gain: loudness })).connect(context.destination);
  source.start(at);
}

// A tone that fades away.
function tone(at, pitch, length, loudness) {
  const gain = new GainNode(context, { gain: loudness });
  gain.gain.setValueAtTime(loudness, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + length);
  const source = new OscillatorNode(context, { type: "triangle", frequency: pitch });
  source.connect(gain).connect(context.destination);
  source.start(at);
  source.stop(at + length);
}

const SOUNDS = {
  move: now => knock(now, 900, 1.6),
  capture: now => { knock(now, 650, 2); knock(now + 0.06, 1100, 1.4); },
  end: now => [392, 494, 587].forEach((pitch, index) => tone(now + index * 0.12, pitch, 0.7, 0.12)),
};

// The sound for the change between two states; null when stepping through the game.
function soundOf(before, state) {
  if (before?.number !== state.number) return null;
  if (state.end && !before.end) return "end";
  const isNext = state.ply === before.ply + 1 && state.line.length <= before.line.length + 1;
  if (!isNext) return null;
  const count = ({ fen }) => readFen(fen).pieces.size;
  return count(state) < count(before) ? "capture" : "move";
}

export function play(before, state) {
  const sound = $("sounds").checked && document.hasFocus() && soundOf(before, state);
  if (!sound || !window.AudioContext) return;
  context ??= new AudioContext();
  // Browsers suspend audio until the user has clicked.
  if (context.state === "suspended") context.resume();
  SOUNDS[sound](context.currentTime + 0.01);
}
