// Generates docs/session.svg: a conversation about examples/vault, with the calls of the assistant and the answers of vaultd as they are.
// Usage: VAULTD=path/to/vaultd node scripts/session.mjs > docs/session.svg
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONNECTIONS } from '../tests/e2e/e2e/sdk.mjs';
import { EXAMPLE_VAULT, VAULTD, cleanEnv } from '../tests/e2e/support.mjs';

const TURNS = [
  { you: 'What is due next?',
    call: ['vault_query', { where: 'status = active', select: ['due'], sort: ['due'] }],
    reply: 'The repair workshop on Saturday 28 November, then the backup rebuild on the 30th.' },
  { you: 'And the cold frame? Call it warm frame, please.',
    call: ['vault_move', { path: 'Cold frame', to: 'Warm frame' }],
    reply: 'Renamed. The notes that link to it use the new name now.' },
  { you: 'Hm, no. I liked the old name.',
    call: ['vault_undo', {}],
    reply: 'Everything is as it was before.' },
];

const COLUMNS = 92;
const LINE = 19;
const LETTER = 8.05; // the widest of the common monospace fonts at this size
const MARGIN = 22;
const TALK = 7.4; // the width of a letter of what people say
const BUBBLE = 30;

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

/** Cut a line that is too long, with an ellipsis. */
function cut(line) {
  const letters = [...line];
  return letters.length <= COLUMNS ? line : `${letters.slice(0, COLUMNS - 1).join('')}…`;
}

/** Have the conversation with the official SDK on a copy of the vault. */
async function record(dir) {
  const vault = path.join(dir, 'Notes');
  cpSync(EXAMPLE_VAULT, vault, { recursive: true });
  const sdk = CONNECTIONS.find((row) => row.name === 'SDK v1 over stdio').make();
  const args = ['serve', '--stdio', '--answers', 'text', '--auto-context', 'off', vault];
  await sdk.client.connect(sdk.transport({ command: { command: VAULTD, args, env: cleanEnv(dir) } }));
  try {
    const turns = [];
    for (const turn of TURNS) {
      const answer = await sdk.call({ name: turn.call[0], arguments: turn.call[1] });
      turns.push({ ...turn, answer: answer.content[0].text.trimEnd().split('\n') });
    }
    return turns;
  } finally {
    await sdk.client.close();
  }
}

const WIDTH = Math.ceil(COLUMNS * LETTER + 2 * MARGIN);

/** Collects shapes from top to bottom. */
class Page {
  y = MARGIN;
  shapes = [];

  line(kind, text) {
    this.shapes.push(`  <text class="${kind}" x="${MARGIN}" y="${this.y + 14}" xml:space="preserve">${text}</text>\n`);
    this.y += LINE;
  }

  /** What the person says, on the right. */
  bubble(text) {
    const width = Math.ceil(text.length * TALK + 28);
    const x = WIDTH - MARGIN - width;
    this.shapes.push(`  <rect class="bubble" x="${x}" y="${this.y}" width="${width}" height="${BUBBLE}" rx="15"/>\n`);
    this.shapes.push(`  <text class="talk" x="${x + width / 2}" y="${this.y + 20}" text-anchor="middle">${escaped(text)}</text>\n`);
    this.y += BUBBLE + 12;
  }

  space(height) {
    this.y += height;
  }
}

function draw(turns) {
  const page = new Page();
  for (const { you, call: [name, input], answer, reply } of turns) {
    page.bubble(you);
    const words = Object.entries(input).map(([key, value]) => `${key}: ${[value].flat().join(', ')}`).join('  ');
    page.line('call', `<tspan class="tool">${name}</tspan> ${escaped(words)}`);
    for (const line of answer) page.line('answer', escaped(cut(line)));
    page.space(8);
    page.line('talk', escaped(reply));
    page.space(16);
  }
  const height = page.y - 16 + MARGIN;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img">
  <title>A person asks, an assistant calls vaultd and replies</title>
  <style>
    .page { fill: #ffffff; stroke: #d0d7de }
    .bubble { fill: #ddf4ff }
    text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #59636e }
    .talk { font: 15px system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #1f2328 }
    .tool { fill: #0550ae; font-weight: 600 }
    @media (prefers-color-scheme: dark) {
      .page { fill: #0d1117; stroke: #30363d }
      .bubble { fill: #1f3a5f }
      text { fill: #9198a1 }
      .talk { fill: #e6edf3 }
      .tool { fill: #79c0ff }
    }
  </style>
  <rect class="page" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
${page.shapes.join('')}</svg>
`;
}

/** Have the conversation now and draw it. */
export async function picture() {
  const dir = mkdtempSync(path.join(tmpdir(), 'vaultd-session-'));
  try {
    return draw(await record(dir));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(await picture());
