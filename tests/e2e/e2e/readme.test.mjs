// Everything the README describes is done here, word for word, and no link in our pages is dead.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import * as pictures from '../../../scripts/pictures.mjs';
import { picture } from '../../../scripts/session.mjs';
import { EXAMPLE_VAULT, Server, TOP, VAULTD, assertNoSanitizer, cleanEnv, run, startStdio, tempDir } from '../support.mjs';
import { CONNECTIONS } from './sdk.mjs';

const page = (name) => readFileSync(path.join(TOP, name), 'utf8');
const README = page('README.md');

/* --- the commands --- */

const blocks = (language) => [...README.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map((m) => m[1]);

/** A line may continue on the next one: after a backslash, or inside quotes. */
const isOpen = (text) => /\\$/.test(text) || text.replace(/\s#.*$/gm, '').split("'").length % 2 === 0;

function commands(block) {
  const found = [];
  for (const line of block.split('\n').filter(Boolean)) {
    if (found.length > 0 && isOpen(found.at(-1))) found.push(`${found.pop()}\n${line}`);
    else found.push(line);
  }
  return found;
}

const inBash = (world, command) => run('/bin/bash', ['-c', command], { env: world.env, cwd: world.cwd });

/** Run it to the end; it exits with the code and its output matches. */
const ends = (pattern, code = 0) => async (world, command) => {
  const end = await inBash(world, command.replace('https://vault.example.com', world.server?.origin));
  assertNoSanitizer(end.stderr, command);
  assert.equal(end.code, code, `${command}: ${end.stdout}${end.stderr}`);
  assert.match(end.stdout, pattern, command);
};

/** Start a server instead of the previous one: at the page's address, or on a free port if that is taken. */
async function serves(world, command) {
  await world.server?.stop();
  for (const port of [undefined, '0']) {
    const child = spawn('/bin/bash', ['-c', `exec ${command}`], { env: { ...world.env, ...(port && { PORT: port }) }, cwd: world.cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    const server = new Server(child, command);
    const said = await server.says(/url=(http:\S+)\/mcp|Address already in use/);
    if (!said[1]) {
      await server.ended;
      continue;
    }
    server.origin = said[1];
    world.server = server.guard(world.t, () => server.stop());
    return;
  }
  assert.fail(`no port for ${command}`);
}

/** The page's remote is a local repository, of which ~/Notes is a clone. */
async function servesWithGit(world, command) {
  const remote = path.join(world.home, 'notes.git');
  const git = (...args) => execFileSync('git', ['-C', world.vault, '-c', 'user.name=e2e', '-c', 'user.email=e2e@localhost', ...args], { env: world.env, stdio: 'ignore' });
  execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote], { env: world.env });
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-q', '-m', 'as it was');
  git('push', '-q', remote, 'main');
  await serves(world, command.replace('git@github.com:me/notes.git', `'${remote}'`));
}

const DONE = [
  [/^vaultd connect claude-desktop -v ~\/Notes --write/, ends(/^Written$/m)],
  [/^vaultd connect --list/, ends(/^claude-desktop +connected as vault: .*\/Notes$/m)],
  [/^vaultd serve ~\/Notes/, serves],
  [/^curl -s http:\/\/127\.0\.0\.1:8090\/mcp /, (world, command) => ends(/"path\\":\\"Home\.md\\"/)(world, command.replace('http://127.0.0.1:8090', world.server.origin))],
  [/^cd ~\/Notes$/, async (world) => { world.cwd = world.vault; }],
  [/^vaultd search /, ends(/^Projects\/Rain barrel\.md$/m)],
  [/^vaultd query /, ends(/Backup rebuild\.md +2026-11-30$/m)],
  [/^vaultd links .* --backlinks$/, ends(/Home\.md$/m)],
  [/^vaultd check/, ends(/^Inbox\.md:20: broken_link: /m, 1)],
  [/^vaultd move /, ends(/^moved Projects\/Cold frame\.md to Archive\/Cold frame\.md$/m)],
  [/^vaultd undo/, ends(/^change 1 is undone/m)],
  [/^vaultd serve --git-remote git@github\.com:me\/notes\.git ~\/Notes$/, servesWithGit],
  [/^vaultd doctor --connector https:\/\/vault\.example\.com\/mcp$/, ends(/none failed$/m)],
  [/^vaultd --profile obsidian-bundle --vault-path ~\/Notes$/, ends(/^$/)], // stdin is empty: it exits immediately
];

const NOT_DONE = [
  [/^\.\/run /, 'builds another binary; the suite full does it on a new system'],
  [/^\.\/package (deb|mcpb|tar|model)/, 'builds packages; the suite full does'],
  [/^\.\/test/, 'is what runs this'],
  [/^vaultd init/, 'asks on a terminal; init.test.mjs answers'],
];

test('every command of the README does what it says', async (t) => {
  const home = tempDir(t);
  const bin = path.join(home, 'bin');
  const vault = path.join(home, 'Notes');
  mkdirSync(bin);
  symlinkSync(VAULTD, path.join(bin, 'vaultd'));
  cpSync(EXAMPLE_VAULT, vault, { recursive: true });
  const world = { t, home, vault, cwd: home, env: cleanEnv(home, { PATH: `${bin}:${process.env.PATH}` }) };
  const used = new Set();
  for (const command of blocks('sh').flatMap(commands)) {
    const known = [...DONE, ...NOT_DONE].filter(([pattern]) => pattern.test(command.replace(/ +# .*$/, '')));
    assert.equal(known.length, 1, `this test does not know what to do with: ${command}`);
    used.add(known[0]);
    if (DONE.includes(known[0])) await t.test(command.split(/ +#| +\\/)[0], () => known[0][1](world, command));
    else t.diagnostic(`not executed: ${command} (${known[0][1]})`);
  }
  assert.deepEqual([...DONE, ...NOT_DONE].filter((row) => !used.has(row)).map(String), [], 'commands that the README no longer has');
  await world.server?.stop();
});

test('the configuration in the README starts a server for the client', async (t) => {
  const configs = blocks('json').map(JSON.parse);
  assert.equal(configs.length, 1);
  const { command, args } = configs[0].mcpServers.vault;
  assert.equal(command, '/usr/bin/vaultd'); // where the package puts it
  assert.ok(args.includes('/home/me/Notes'));
  const home = tempDir(t);
  const sdk = CONNECTIONS.find((row) => row.name === 'SDK v1 over stdio').make();
  t.after(() => sdk.client.close());
  await sdk.client.connect(sdk.transport({ command: { command: VAULTD, args: args.map((arg) => arg.replace('/home/me/Notes', EXAMPLE_VAULT)), env: cleanEnv(home) } }));
  assert.ok((await sdk.client.listTools()).tools.some((tool) => tool.name === 'vault_read'));
  assert.match((await sdk.call({ name: 'vault_read', arguments: { path: 'Home.md' } })).content[0].text, /"path":"Home\.md"/);
});

/** Rows of two columns: the words in backquotes on the right. */
const ourSide = (text) => [...text.matchAll(/^\| `.* \| (.*) \|$/gm)].map(([row, right]) => ({ row, words: [...right.matchAll(/`([^`]+)`/g)].map((m) => m[1]) }));

test('docs/moving.md names tools, arguments and values that exist', async (t) => {
  const { tools } = (await startStdio(t).modern('tools/list')).result;
  const rows = ourSide(page('docs/moving.md'));
  assert.ok(rows.length > 60);
  for (const { row, words } of rows) {
    const named = words.filter((word) => word.startsWith('vault_'));
    const properties = named.map((name) => tools.find((tool) => tool.name === name)?.inputSchema.properties ?? assert.fail(`no tool ${name}: ${row}`));
    for (const [, key, value] of words.flatMap((word) => [...word.matchAll(/^(?!vault_)([a-z_]+)(?:: (.+))?$/g)])) {
      if (key === 'prompt') continue; // a tag
      const property = properties.find((all) => all[key])?.[key];
      assert.ok(property, `no argument ${key}: ${row}`);
      if (property.enum && value) assert.ok(property.enum.includes(value), `no ${key}: ${value}: ${row}`);
    }
  }
});

test('docs/session.svg shows a real session', async () => {
  assert.equal(page('docs/session.svg'), await picture(), 'generate it again: node scripts/session.mjs > docs/session.svg');
});

/* --- links between our pages --- */

const PAGES = ['README.md', 'ARCHITECTURE.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'bench/README.md', 'examples/README.md',
  ...readdirSync(path.join(TOP, 'docs')).filter((f) => f.endsWith('.md')).map((f) => `docs/${f}`)];

const withoutFences = (text) => text.replace(/^```.*?^```$/gms, '');
const prose = (text) => withoutFences(text).replace(/(`+)(?:(?!\n\n).)*?\1/gs, '');

/** The anchors of headings, as the forges name them. */
function anchors(text) {
  const seen = new Map();
  return new Set([...withoutFences(text).matchAll(/^#{1,6} (.*)$/gm)].map(([, heading]) => {
    const name = heading.toLowerCase().replace(/[^\p{L}\p{N}\p{M} _-]/gu, '').replaceAll(' ', '-');
    const times = seen.get(name) ?? 0;
    seen.set(name, times + 1);
    return times === 0 ? name : `${name}-${times}`;
  }));
}

for (const name of PAGES)
  test(`every link in ${name} works`, () => {
    for (const [, target] of prose(page(name)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      const [file, anchor] = decodeURIComponent(target).split('#');
      const place = file === '' ? name : path.join(path.dirname(name), file);
      assert.ok(existsSync(path.join(TOP, place)), `${name}: there is no ${place}`);
      if (anchor !== undefined) assert.ok(anchors(page(place)).has(anchor), `${name}: ${place} has no heading for #${anchor}`);
    }
  });

/** The part of the README that lists the pages of a kind. */
const LISTS = { Start: '**Start here**', 'How-to': '| How to |', Reference: '| Reference |', Background: '| Background |' };
const listed = (kind) => README.slice(README.indexOf(LISTS[kind])).split('\n\n')[0];

test('every page of docs says which of the four kinds it is, and the README lists it there alone', () => {
  for (const name of PAGES.filter((p) => p.startsWith('docs/'))) {
    const kind = /^# .+\n\n\*(\S+) · \[all pages\]\(\.\.\/README\.md#documentation\)\*\n\n/.exec(page(name))?.[1];
    assert.ok(kind in LISTS, `${name} does not say its kind`);
    assert.deepEqual(Object.keys(LISTS).filter((k) => listed(k).includes(`](${name})`)), [kind], name);
  }
});

/* --- pictures: scripts/pictures.mjs makes them again --- */

const shownBy = (name) => [...prose(page(name)).matchAll(/!\[[^\]]+\]\(([^)]+)\)|<img src="([^"]+)"[^>]* alt="[^"]+"/g)].map((m) => path.join(path.dirname(name), m[1] ?? m[2]));
const PICTURES = readdirSync(path.join(TOP, 'docs/pictures')).filter((f) => /\.(svg|png)$/.test(f)).map((f) => `docs/pictures/${f}`);

test('every picture that a page shows is there and small, and every picture is shown once', () => {
  const shown = PAGES.flatMap(shownBy);
  for (const name of shown) assert.ok(statSync(path.join(TOP, name)).size < (name.endsWith('.png') ? 60_000 : 10_000), name);
  assert.deepEqual(shown.filter((name) => name.startsWith('docs/pictures/')).sort(), PICTURES.sort());
});

test('drawings and terminals are what their texts say', () => {
  for (const { name, text } of pictures.texts().map(pictures.drawn)) assert.equal(page(`docs/pictures/${name}`), text, name);
});

test('screenshots are not older than the texts of their pages', () => {
  assert.deepEqual(PICTURES.filter((f) => f.endsWith('.png')).map((f) => path.basename(f, '.png')).sort(), Object.keys(pictures.PAGES).sort());
  for (const name of Object.keys(pictures.PAGES)) assert.equal(pictures.hashes()[name], pictures.hashOf(name), `the page has changed: node scripts/pictures.mjs ${name}`);
});

for (const name of Object.keys(pictures.TERMINALS).filter((n) => pictures.TERMINALS[n].same))
  test(`docs/pictures/${name}.term is what vaultd prints`, () => assert.equal(page(`docs/pictures/${name}.term`), pictures.record(name)));

test('the plot has the figures of bench/README.md', () => {
  const figures = [...page('docs/pictures/search-time.plot').matchAll(/\d+ ([\d.]+)(?:,|$)/gm)].map((m) => m[1]);
  assert.equal(figures.length, 7);
  for (const figure of figures) assert.ok(page('bench/README.md').includes(`| ${figure} ms |`), figure);
});
