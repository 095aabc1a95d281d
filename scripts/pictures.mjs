// Makes the pictures of docs/pictures: drawings from NAME.draw, terminals from NAME.term, pages in a browser (PNG).
// Usage: VAULTD=path/to/vaultd node scripts/pictures.mjs [NAME...]; without a name, all of them. Terminals are recorded and pages are
// photographed on a copy of examples/vault; everything else follows from the texts, which readme.test.mjs checks.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { EXAMPLE_VAULT, META, TOP, VAULTD, cleanEnv, modernMessage, postModern, startHttp } from '../tests/e2e/support.mjs';
import { USERS, authorizePath, register, startWithPeople } from '../tests/e2e/e2e/people.mjs';

const FOLDER = path.join(TOP, 'docs/pictures');
const HASHES = path.join(FOLDER, 'sources.tsv');
const MONO = 'ui-monospace, SFMono-Regular, Menlo, Consolas, &quot;DejaVu Sans Mono&quot;, monospace'.replaceAll('&quot;', '"');
const SANS = 'system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif';
const inFolder = (name) => path.join(FOLDER, name);
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

function svg(width, height, title, style, dark, shapes) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img">
<title>${escaped(title)}</title>
<style>
.page { fill: #fff; stroke: #d0d7de }
${style}
@media (prefers-color-scheme: dark) {
.page { fill: #0d1117; stroke: #30363d }
${dark}
}
</style>
<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
${shapes.join('\n')}
</svg>
`;
}

/* --- drawings: "box ID COLUMN,ROW text / text", "arrow|both|dash A B label", "note COLUMN,ROW text" --- */

const CELL = { width: 250, height: 92 }, BOX = { width: 176, height: 50 }, EDGE = 24;
const at = (place) => {
  const [column, row] = place.split(',').map(Number);
  return { x: EDGE + column * CELL.width + BOX.width / 2, y: EDGE + row * CELL.height + BOX.height / 2 };
};

/** Where the line between two centers leaves the first box. */
function border(from, to) {
  const dx = to.x - from.x, dy = to.y - from.y;
  const scale = Math.min(BOX.width / 2 / Math.abs(dx || 1e-9), BOX.height / 2 / Math.abs(dy || 1e-9));
  return { x: Math.round(from.x + dx * scale), y: Math.round(from.y + dy * scale) };
}

function lineBetween(kind, from, to, label) {
  const a = border(from, to), b = border(to, from);
  const ends = `marker-end="url(#end)"${kind === 'both' ? ' marker-start="url(#end)"' : ''}`;
  const shapes = [`<line class="${kind}" x1="${a.x}" y1="${a.y}" x2="${b.x}" y2="${b.y}" ${ends}/>`];
  if (!label) return shapes;
  const upright = Math.abs(a.x - b.x) < 20;
  const x = (a.x + b.x) / 2 + (upright ? 8 : 0), y = (a.y + b.y) / 2;
  label.split(' / ').forEach((text, i, all) =>
    shapes.push(`<text class="label" x="${x}" y="${y + (upright ? 4 - (all.length - 1) * 7 : -6 - (all.length - 1) * 14) + i * 14}"${upright ? '' : ' text-anchor="middle"'}>${escaped(text)}</text>`));
  return shapes;
}

function draw(text) {
  const boxes = new Map(), shapes = [], lines = [];
  let title = '', right = 0, bottom = 0;
  for (const line of text.split('\n').filter((l) => l && !l.startsWith('#'))) {
    const [kind, ...words] = line.split(' ');
    if (kind === 'title') title = words.join(' ');
    else if (kind === 'box' || kind === 'note') {
      const name = kind === 'box' ? words.shift() : undefined, center = at(words.shift());
      const rows = words.join(' ').split(' / ');
      if (name) {
        boxes.set(name, center);
        shapes.push(`<rect class="box" x="${center.x - BOX.width / 2}" y="${center.y - BOX.height / 2}" width="${BOX.width}" height="${BOX.height}" rx="6"/>`);
      }
      rows.forEach((row, i) => shapes.push(`<text class="${name && i === 0 ? 'head' : 'label'}" x="${name ? center.x : center.x - BOX.width / 2}" y="${center.y + 5 - (rows.length - 1) * 8 + i * 16}"${name ? ' text-anchor="middle"' : ''}>${escaped(row)}</text>`));
      const width = name ? BOX.width / 2 : Math.max(...rows.map((r) => r.length)) * 6.6 - BOX.width / 2;
      right = Math.max(right, center.x + width);
      bottom = Math.max(bottom, center.y + BOX.height / 2);
    } else {
      const [from, to, ...label] = words;
      if (!boxes.has(from) || !boxes.has(to)) throw new Error(`no such box: ${line}`);
      lines.push(...lineBetween(kind, boxes.get(from), boxes.get(to), label.join(' ')));
    }
  }
  const style = `.box { fill: #f6f8fa; stroke: #59636e }
line { stroke: #59636e; stroke-width: 1.3 } .dash { stroke-dasharray: 5 4 } #end path { fill: #59636e }
text { font: 11.5px ${SANS}; fill: #59636e } .head { font-size: 13px; font-weight: 600; fill: #1f2328 }`;
  const dark = `.box { fill: #161b22; stroke: #9198a1 } line { stroke: #9198a1 } #end path { fill: #9198a1 }
text { fill: #9198a1 } .head { fill: #e6edf3 }`;
  const marker = '<marker id="end" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0 8 4 0 8z"/></marker>';
  return svg(Math.ceil(right + EDGE), Math.ceil(bottom + EDGE), title, style, dark, [marker, ...lines, ...shapes]);
}

/* --- plots: "series NAME: X Y, X Y"; both axes are logarithmic --- */

const AXES = { left: 64, top: 24, width: 430, height: 250, x: [3.8, 6.2], y: [-2, 2] };
const plotX = (x) => Math.round(AXES.left + ((Math.log10(x) - AXES.x[0]) / (AXES.x[1] - AXES.x[0])) * AXES.width);
const plotY = (y) => Math.round(AXES.top + ((AXES.y[1] - Math.log10(y)) / (AXES.y[1] - AXES.y[0])) * AXES.height);

function plot(text) {
  const [, title, unit] = /^title (.*)\nunit (.*)\n/.exec(text), shapes = [];
  for (let power = AXES.y[0]; power <= AXES.y[1]; power++) {
    const y = plotY(10 ** power);
    shapes.push(`<line class="grid" x1="${AXES.left}" y1="${y}" x2="${AXES.left + AXES.width}" y2="${y}"/>`, `<text x="${AXES.left - 8}" y="${y + 4}" text-anchor="end">${10 ** power} ms</text>`);
  }
  for (const x of [1e4, 1e5, 1e6]) shapes.push(`<text x="${plotX(x)}" y="${AXES.top + AXES.height + 20}" text-anchor="middle">${x.toLocaleString('en')}</text>`);
  shapes.push(`<text x="${AXES.left + AXES.width / 2}" y="${AXES.top + AXES.height + 40}" text-anchor="middle">${escaped(unit)}</text>`);
  for (const [i, [, name, points]] of [...text.matchAll(/^series (.+?): (.+)$/gm)].entries()) {
    const places = points.split(', ').map((p) => p.split(' ').map(Number)).map(([x, y]) => [plotX(x), plotY(y)]);
    shapes.push(`<polyline class="s${i}" points="${places.join(' ')}"/>`, ...places.map(([x, y]) => `<circle class="s${i}" cx="${x}" cy="${y}" r="3.5"/>`));
    shapes.push(`<text class="t${i}" x="${places[0][0]}" y="${places[0][1] + 18}">${escaped(name)}</text>`);
  }
  const colors = ['#0550ae', '#8250df', '#bc4c00'], bright = ['#79c0ff', '#d2a8ff', '#ffa657'];
  const series = (list) => list.map((c, i) => `.s${i} { stroke: ${c} } circle.s${i}, .t${i} { fill: ${c} }`).join('\n');
  const style = `text { font: 11.5px ${SANS}; fill: #59636e } .grid { stroke: #d0d7de } polyline { fill: none; stroke-width: 1.6 }\n${series(colors)}`;
  return svg(AXES.left + AXES.width + 24, AXES.top + AXES.height + 56, title, style, `text { fill: #9198a1 } .grid { stroke: #30363d }\n${series(bright)}`, shapes);
}

/* --- terminals: what was typed and printed, with its colors --- */

const COLORS = { 1: 'b', 2: 'd', 31: 'r', 32: 'g', 33: 'y', 35: 'm' };
const plain = (line) => line.replace(/\x1b\[[0-9;]*m/g, '');

function colored(line) {
  let open = [];
  return line.split(/(\x1b\[[0-9;]*m)/).map((part) => {
    const codes = /^\x1b\[([0-9;]*)m$/.exec(part);
    if (codes) open = codes[1].split(';').map((c) => COLORS[c]).filter(Boolean);
    return codes || part === '' ? '' : open.length ? `<tspan class="${open.join(' ')}">${escaped(part)}</tspan>` : escaped(part);
  }).join('');
}

function terminal(text) {
  const [title, ...lines] = text.trimEnd().split('\n');
  const columns = Math.max(...lines.map((l) => [...plain(l)].length));
  const shapes = lines.map((line, i) => `<text class="${line.startsWith('$ ') ? 'c' : 'o'}" x="20" y="${34 + i * 18}" xml:space="preserve">${colored(line)}</text>`);
  const style = `text { font: 12.5px ${MONO}; fill: #1f2328 } .c { font-weight: 600 } .b { font-weight: 600 } .d { fill: #59636e }
.r { fill: #cf222e } .g { fill: #1a7f37 } .y { fill: #9a6700 } .m { fill: #8250df }`;
  const dark = `text { fill: #e6edf3 } .d { fill: #9198a1 } .r { fill: #ff7b72 } .g { fill: #56d364 } .y { fill: #e3b341 } .m { fill: #d2a8ff }`;
  return svg(Math.ceil(columns * 7.6 + 40), lines.length * 18 + 34, title, style, dark, shapes);
}

const PTY = `import pty; pty.spawn(["bash", "-c", 'stty cols 96; eval "$TYPED"'])`;

/** A home folder with the vault as Notes; asUser: programs do not run as root. */
function world(dir, asUser) {
  const home = path.join(dir, 'me');
  mkdirSync(path.join(home, '.config/Claude'), { recursive: true });
  mkdirSync(path.join(dir, 'bin'));
  symlinkSync(VAULTD, path.join(dir, 'bin/vaultd'));
  cpSync(EXAMPLE_VAULT, path.join(home, 'Notes'), { recursive: true });
  const user = asUser && process.getuid?.() === 0 ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'] : [];
  if (user.length) {
    chmodSync(dir, 0o755);
    spawnSync('chown', ['-R', '65534:65534', home]);
  }
  const env = cleanEnv(home, { PATH: `${path.join(dir, 'bin')}:/usr/bin:/bin`, TZ: 'UTC', TERM: 'xterm', STATE_DIR: path.join(home, '.local/state/vaultd') });
  delete env.VAULTD_PDF;
  const onTerminal = ['python3', '-c', PTY], inPipe = ['bash', '-c', 'eval "$TYPED"'];
  const tidy = (text) => text.replaceAll('\r', '').replaceAll(path.join(dir, 'bin/vaultd'), '/usr/bin/vaultd').replaceAll(home, '/home/me');
  const run = ([program, ...args], command) => spawnSync(program, args, { cwd: path.join(home, 'Notes'), env: { ...env, TYPED: command }, input: '', encoding: 'utf8', timeout: 120_000 }).stdout;
  return (command, piped) => tidy(run([...user, ...(piped ? inPipe : onTerminal)], command));
}

/** What a terminal shows: title, the command that is printed, and, if it differs, the one that is run; same: on every machine. */
export const TERMINALS = {
  search: { title: 'vaultd search', same: true, steps: [['vaultd search rain barrel --glob "*.md" -n 5'], ['vaultd query "status = active" -s status,due --sort due']] },
  connect: { title: 'vaultd connect', same: true, steps: ['claude-desktop -v ~/Notes', 'claude-desktop -v ~/Notes --write', '--list | head -3'].map((words) => [`vaultd connect ${words}`, `stty cols 200; vaultd connect ${words}`]) }, // paths there are longer than those shown
  doctor: { title: 'vaultd doctor', steps: [['vaultd doctor ~/Notes', 'mkdir -p "$STATE_DIR"; chmod 755 "$STATE_DIR"; vaultd doctor ~/Notes']] },
  status: { title: 'vaultd status', piped: true, steps: [['vaultd status', 'vaultd serve --port 0 ~/Notes 2>/dev/null & until vaultd status >/dev/null 2>&1; do sleep 0.1; done; vaultd status; kill $!; wait']] },
};

/** What differs from machine to machine, and says nothing. */
const typical = (text) => text.replace(/process \d+/, 'process 4711').replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:8090').replace(/for \d+ (s|min)\b/, 'for 3 d 4 h').replace(/\d+ (GB left)/, '412 $1').replace(/up to \d+ can/, 'up to 524288 can');

export function record(name) {
  const dir = mkdtempSync(path.join(tmpdir(), 'vaultd-terminal-'));
  try {
    const { title, steps, same, piped } = TERMINALS[name], shell = world(dir, !same);
    const shown = steps.map(([typed, ran = typed]) => `$ ${typed}\n${shell(ran, piped).trimEnd()}\n`);
    return typical(`${title}\n${shown.join('')}`);
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/* --- pages --- */

/** What is on each page: the files whose texts it shows. */
export const PAGES = {
  changes: ['src/app/web/changes_page.c', 'src/oauth/page.c', 'src/oauth/page_style.c'],
  map: ['src/app/catalog/view.html', 'src/app/catalog/view_map.js', 'src/app/catalog/view_page.js'],
  home: ['src/app/web/front_page.c', 'src/app/web/home_status.c', 'src/oauth/page.c', 'src/oauth/page_style.c'],
  reader: ['src/app/web/note_page.c', 'src/app/web/note_html.c', 'src/oauth/page.c', 'src/oauth/page_style.c'],
  consent: ['src/oauth/page_consent.c', 'src/oauth/page.c', 'src/oauth/page_style.c'],
  'sign-in': ['src/oauth/page_login.c', 'src/oauth/page.c', 'src/oauth/page_style.c'],
};

/** A hash of the texts in the sources of a page: strings of C files, others as they are. */
export function hashOf(name) {
  const hash = createHash('sha256');
  for (const file of PAGES[name]) {
    const text = readFileSync(path.join(TOP, file), 'utf8');
    const code = text.replace(/\/\*[^]*?\*\/|^#include.*$/gm, '');
    hash.update(file.endsWith('.c') ? (code.match(/"(?:[^"\\]|\\.)*"/g) ?? []).join('\n') : text);
  }
  return hash.digest('hex').slice(0, 16);
}

export const hashes = () => Object.fromEntries(readFileSync(HASHES, 'utf8').trim().split('\n').map((line) => line.split('\t')));

const CALLS = [
  ['vault_insert', { path: 'Inbox', content: '- [ ] buy bean seeds' }],
  ['vault_frontmatter', { path: 'Projects/Backup rebuild.md', set: { status: 'done' } }],
  ['vault_move', { path: 'Cold frame', to: 'Warm frame' }],
  ['vault_edit', { path: 'Areas/Garden/Compost.md', old_text: 'Tomato plants with blight', new_text: 'Tomato and potato plants with blight' }],
];

/** As a PNG with few colors, which is a third as large. */
async function keep(page, name, options = {}) {
  const colors = execFileSync('pngquant', ['--speed', '1', '48', '-'], { input: await page.screenshot(options) });
  writeFileSync(inFolder(`${name}.png`), colors);
}

/** Until nothing on the page moves. */
async function settled(page) {
  for (let before, now = ''; now !== before; await new Promise((done) => setTimeout(done, 500)))
    [before, now] = [now, await page.locator('body').innerHTML()];
}

async function shootOpenPages(t, page, wanted) {
  const vault = path.join(t.dir, 'Notes');
  cpSync(EXAMPLE_VAULT, vault, { recursive: true });
  rmSync(path.join(vault, 'Languages'), { recursive: true }); // in scripts that few machines have fonts for
  const server = await startHttp(t, { vault, args: ['--confirm', 'never'] });
  const origin = `http://127.0.0.1:${server.port}`;
  const _meta = { [`${META}clientInfo`]: { name: 'claude-ai', version: '1.0' } };
  for (const [name, args] of CALLS) await postModern(server, modernMessage('tools/call', { name, arguments: args, _meta }));
  if (wanted('changes')) {
    await page.goto(`${origin}/changes`);
    await keep(page, 'changes');
  }
  if (wanted('home')) {
    await page.setViewportSize({ width: 1100, height: 760 });
    await page.goto(`${origin}/`);
    await keep(page, 'home');
  }
  if (wanted('reader')) {
    await page.setViewportSize({ width: 1100, height: 700 });
    await page.goto(`${origin}/note/Projects/Rain%20barrel.md`);
    await keep(page, 'reader');
  }
  if (wanted('map')) {
    await page.setViewportSize({ width: 1100, height: 700 });
    await page.goto(`${origin}/graph?path=Garden`);
    await page.locator('.node').first().waitFor();
    await settled(page);
    await keep(page, 'map');
  }
}

async function shootSignIn(t, page, wanted) {
  const vault = path.join(t.dir, 'signed/Notes');
  cpSync(EXAMPLE_VAULT, vault, { recursive: true });
  const server = await startWithPeople(t, { vault });
  const client = await register(server, { client_name: 'Claude', redirect_uris: ['https://claude.ai/api/mcp/auth_callback'] });
  await page.setViewportSize({ width: 640, height: 560 });
  await page.goto(server.origin + authorizePath(client, { redirect_uri: 'https://claude.ai/api/mcp/auth_callback' }));
  if (wanted('sign-in')) await keep(page, 'sign-in');
  await page.getByLabel('Name').fill('anna');
  await page.getByLabel('Password').fill(USERS.anna.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('button', { name: 'Allow' }).waitFor();
  if (wanted('consent')) await keep(page, 'consent', { fullPage: true });
}

async function shoot(names) {
  const { chromium } = await import('../tests/e2e/node_modules/playwright-core/index.mjs');
  const undo = [], t = { after: (f) => undo.unshift(f), name: 'pictures', dir: mkdtempSync(path.join(tmpdir(), 'vaultd-pages-')) };
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM || '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
  try {
    const page = await browser.newPage({ viewport: { width: 900, height: 620 }, timezoneId: 'UTC' });
    const wanted = (name) => names.includes(name);
    if (['changes', 'map', 'home', 'reader'].some(wanted)) await shootOpenPages(t, page, wanted);
    if (wanted('sign-in') || wanted('consent')) await shootSignIn(t, page, wanted);
  } finally {
    await browser.close();
    for (const f of undo) await f();
    rmSync(t.dir, { recursive: true, force: true });
  }
  const all = { ...(existsSync(HASHES) ? hashes() : {}), ...Object.fromEntries(names.map((name) => [name, hashOf(name)])) };
  writeFileSync(HASHES, Object.keys(all).sort().map((name) => `${name}\t${all[name]}\n`).join(''));
}

/* --- all of them --- */

/** The picture that follows from a text of docs/pictures: name.svg and what it contains. */
export function drawn(file) {
  const text = readFileSync(inFolder(file), 'utf8');
  const kind = { '.draw': draw, '.plot': plot, '.term': terminal }[path.extname(file)];
  return { name: `${path.basename(file, path.extname(file))}.svg`, text: kind(text) };
}

export const texts = () => readdirSync(FOLDER).filter((name) => /\.(draw|plot|term)$/.test(name)).sort();

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const names = process.argv.slice(2), wanted = (name) => names.length === 0 || names.includes(name);
  for (const name of Object.keys(TERMINALS).filter(wanted)) writeFileSync(inFolder(`${name}.term`), record(name));
  for (const file of texts().filter((f) => wanted(path.parse(f).name))) {
    const { name, text } = drawn(file);
    writeFileSync(inFolder(name), text);
  }
  const pages = Object.keys(PAGES).filter(wanted);
  if (pages.length) await shoot(pages);
}
