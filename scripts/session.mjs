// Generates docs/session.svg: a recorded session between an AI client and vaultd on examples/vault.
// Usage: VAULTD=path/to/vaultd node scripts/session.mjs > docs/session.svg
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CONNECTIONS } from '../tests/e2e/e2e/sdk.mjs';
import { EXAMPLE_VAULT, VAULTD, cleanEnv } from '../tests/e2e/support.mjs';

const CALLS = [
  ['vault_query', { where: 'status = active', select: ['due'], sort: ['due'] }],
  ['vault_search', { query: 'rain barrel', max_results: 2 }],
  ['vault_move', { path: 'Projects/Cold frame.md', to: 'Projects/Warm frame.md' }],
  ['vault_undo', {}],
];

const COLUMNS = 96;
const LINE = 19;
const LETTER = 8.05; // the widest of the common monospace fonts at this size
const MARGIN = 22;

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);

/** JSON without braces and quotes, for people to read. */
function plain(value) {
  if (Array.isArray(value)) return value.map(plain).join(', ');
  if (!isObject(value)) return String(value);
  return Object.entries(value).map(([key, part]) => (isObject(part) ? plain(part) : `${key}: ${plain(part)}`)).join('  ');
}

/** A response as lines: the scalar fields, then each element of its lists. */
function answerLines(answer) {
  const isList = ([, value]) => Array.isArray(value) && isObject(value[0]);
  const fields = Object.entries(answer);
  const first = plain(Object.fromEntries(fields.filter((field) => !isList(field))));
  return [first, ...fields.filter(isList).flatMap(([, list]) => list.map((item) => `  ${plain(item)}`))];
}

/** Cut a line that is too long, with an ellipsis. */
function cut(line) {
  const letters = [...line];
  return letters.length <= COLUMNS ? line : `${letters.slice(0, COLUMNS - 1).join('')}…`;
}

/** Make the calls with the official SDK on a copy of the vault, and return them with their responses. */
async function record(dir) {
  const vault = path.join(dir, 'Notes');
  cpSync(EXAMPLE_VAULT, vault, { recursive: true });
  const sdk = CONNECTIONS.find((row) => row.name === 'SDK v1 over stdio').make();
  const args = ['serve', '--stdio', '--auto-context', 'off', vault];
  await sdk.client.connect(sdk.transport({ command: { command: VAULTD, args, env: cleanEnv(dir) } }));
  try {
    const rows = [];
    for (const [name, input] of CALLS) {
      const answer = await sdk.call({ name, arguments: input });
      rows.push({ name, input: plain(input), answer: JSON.parse(answer.content[0].text) });
    }
    return rows;
  } finally {
    await sdk.client.close();
  }
}

function draw(rows) {
  const lines = [];
  for (const { name, input, answer } of rows) {
    lines.push(`<tspan class="tool">${name}</tspan>${input && ` ${escaped(input)}`}`);
    for (const line of answerLines(answer)) lines.push(`<tspan class="answer">${escaped(cut(line))}</tspan>`);
    lines.push('');
  }
  lines.pop();
  const width = Math.ceil(COLUMNS * LETTER + 2 * MARGIN);
  const height = lines.length * LINE + 2 * MARGIN;
  const text = lines.map((line, i) => (line ? `  <text x="${MARGIN}" y="${MARGIN + 14 + i * LINE}" xml:space="preserve">${line}</text>\n` : ''));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
  <title>Four calls of an AI client to vaultd, and the answers</title>
  <style>
    rect { fill: #f6f8fa; stroke: #d0d7de }
    text { font: 13px ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; fill: #1f2328 }
    .tool { fill: #0550ae; font-weight: 600 }
    .answer { fill: #59636e }
    @media (prefers-color-scheme: dark) {
      rect { fill: #161b22; stroke: #30363d }
      text { fill: #e6edf3 }
      .tool { fill: #79c0ff }
      .answer { fill: #9198a1 }
    }
  </style>
  <rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${text.join('')}</svg>
`;
}

/** Run a session now and draw it. */
export async function picture() {
  const dir = mkdtempSync(path.join(tmpdir(), 'vaultd-session-'));
  try {
    return draw(await record(dir));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(await picture());
