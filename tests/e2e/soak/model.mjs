// What the notes of the soak must contain: every note has one writer, so what was acknowledged is known.
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Numbers that depend on the seed only. */
export function makeRandom(seed) {
  let a = seed >>> 0;
  const next = () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let t = Math.imul(a ^ (a >>> 15), a | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  return { below: (n) => Math.floor(next() * n), pick: (list) => list[Math.floor(next() * list.length)] };
}

/** A text that says which one it is, of any length, so that half of it is recognised. */
export function textOf(name, number) {
  const lines = [`# ${name} ${number}`];
  for (let i = 0; i < (number * 7919) % 60; i++) lines.push(`line ${i} of ${number} #soak [[Seed ${(number + i) % 100}]]`);
  return `${lines.join('\n')}\nend ${number}\n`;
}

/** Whether text is exactly one that textOf() makes; null: it is torn. */
export function numberOf(name, text) {
  const number = Number(text.match(/^# .* (\d+)\n/)?.[1]);
  return text === textOf(name, number) ? number : null;
}

const read = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
};

/** The notes of one client. A value is a text, or null for a note that does not exist. */
export class Notes {
  constructor(vault, folder, count) {
    this.vault = vault;
    this.acknowledged = 0;
    this.number = 0;
    this.notes = Array.from({ length: count }, (_, i) => ({ name: `${folder} ${i}`, path: `${folder}/${folder} ${i}.md`, text: null, pending: [] }));
  }

  onDisk(note) {
    return read(path.join(this.vault, note.path));
  }

  begin(note, text) {
    note.pending.push(text);
  }

  acknowledge(note) {
    note.text = note.pending[0];
    note.pending = [];
    this.acknowledged++;
  }

  refuse(note) {
    note.pending = [];
  }

  /** After a crash: what was not answered may have happened or not; nothing else. Returns the problems. */
  settle() {
    const problems = [];
    for (const note of this.notes) {
      const found = this.onDisk(note);
      if (found !== null && numberOf(note.name, found) === null) problems.push(`torn: ${note.path}: ${JSON.stringify(found.slice(0, 200))}`);
      else if (found !== note.text && !note.pending.includes(found)) problems.push(`lost: ${note.path} is ${JSON.stringify(found?.slice(0, 40))}, expected ${JSON.stringify(note.text?.slice(0, 40))}`);
      note.text = found;
      note.pending = [];
    }
    return problems;
  }
}
