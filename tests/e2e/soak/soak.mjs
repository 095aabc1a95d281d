// The soak: clients of a server over HTTP and of one on stdio read, search and change the same vault with the
// official SDKs, users sign in and are signed out, sync talks to a broken remote, another program edits notes;
// the servers are killed every few seconds, and in between live for a while.
//
// Must hold: no torn file; every acknowledged change is there, and of one that was not answered all or nothing;
// sign-ins and revocations survive; a read sees another program's edit; no call fails while its server lives;
// at comparable points of one life the same number of descriptors, and memory within 5 % (besides the list of
// changes that can be undone, which grows with them) and below a limit. Time only says how long it runs: it is
// never a condition.
import { mkdirSync, readFileSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sleep } from '../support.mjs';
import { callTool, letIn, register } from '../e2e/people.mjs';
import { Notes, makeRandom, numberOf, textOf } from './model.mjs';
import { HttpServer, StdioServer, makeWorld, measure } from './world.mjs';

const seconds = Number(process.argv[2] ?? 600);
const random = makeRandom(Number(process.argv[3] ?? Date.now() % 2 ** 31));
const CYCLE_S = 600; // half of it kills, half of it one life; in a long run a quarter of it
const POINTS = 8, WARM = 2; // of comparison in one life, and how many of them only warm it up
const JUDGED_S = 200; // a life must be that long, or its memory is still growing into place
const GROWTH = 1.05;
const CHANGE_BYTES = 160; // in memory for a change in the journal
const RSS_MAX = 200_000; // kB; the vault has 3 MB
const NOTES = 20;
const SAMPLES = 50_000;
const TOKENS = 20;

const world = await makeWorld(random);
const problems = { torn: [], lost: [], access: [], outside: [], failed: [], descriptors: [], memory: [], end: [] };
const times = { read: [], search: [], change: [], 'sign in': [] };
const seen = { read: 0, search: 0, change: 0, 'sign in': 0 };
const counts = { kills: 0, refused: 0, outside: 0, synced: 0, 'sign-ins': 0, revocations: 0, lives: 0 };

function record(kind, ms) {
  const at = seen[kind] < SAMPLES ? seen[kind] : random.below(seen[kind] + 1);
  if (at < SAMPLES) times[kind][at] = ms;
  seen[kind]++;
}

async function timed(kind, work) {
  const start = performance.now();
  const result = await work();
  record(kind, performance.now() - start);
  return result;
}

const acknowledged = () => sides.flatMap((s) => s.notes).reduce((n, notes) => n + notes.acknowledged, 0);

const dataOf = (result) => JSON.parse(result.content[0].text);

/* --- clients --- */

/** One change of one note; the model knows it before the server does. */
async function change(client, notes, note) {
  const next = textOf(note.name, ++notes.number);
  const [text, name, args] = note.text === null ? [next, 'vault_write', { content: next }]
    : random.below(8) === 0 ? [null, 'vault_delete', {}]
    : random.below(2) === 0 ? [next, 'vault_edit', { old_text: note.text, new_text: next }]
    : [next, 'vault_write', { content: next, overwrite: true }];
  notes.begin(note, text);
  const result = await timed('change', () => client.call(name, { path: note.path, ...args }));
  if (!result.isError) notes.acknowledge(note);
  else {
    notes.refuse(note);
    counts.refused++;
    problems.failed.push(`${name} ${note.path}: ${result.content[0].text.slice(0, 200)}`);
  }
}

async function look(client, note) {
  const result = await timed('read', () => client.call('vault_read', { path: note.path }));
  const found = result.isError ? null : dataOf(result).content;
  if (found !== note.text) problems.lost.push(`read ${note.path}: ${JSON.stringify(found?.slice(0, 60))}, expected ${JSON.stringify(note.text?.slice(0, 60))}`);
}

const QUESTIONS = [
  ['vault_search', { query: 'line 7 of' }], ['vault_search', { query: 'l[i]ne 1\\d of', mode: 'regex' }], ['vault_search', { query: 'soak', mode: 'words' }],
  ['vault_links', { path: 'Seeds/Seed 7.md' }], ['vault_query', { from: 'tags' }], ['vault_list', { path: 'Seeds' }], ['vault_info', {}], ['vault_changes', {}],
];

/** Uses its own notes until the life is over. */
async function actor(life, client, notes, pause) {
  while (!life.over) {
    const note = random.pick(notes.notes), what = random.below(20);
    if (what < 11) await look(client, note);
    else if (what < 13) {
      const [name, args] = random.pick(QUESTIONS);
      const result = await timed('search', () => client.call(name, args));
      if (result.isError) problems.failed.push(`${name}: ${result.content[0].text.slice(0, 200)}`);
    } else await change(client, notes, note);
    await sleep(pause);
  }
}

/** Another program saves notes as editors do; a read must show it at once. */
async function editor(life, client) {
  const folder = path.join(world.vault, 'Outside');
  mkdirSync(folder, { recursive: true });
  while (!life.over) {
    const name = `Outside ${random.below(10)}`, text = textOf(name, ++counts.outside);
    writeFileSync(path.join(folder, `${name}.tmp`), text);
    renameSync(path.join(folder, `${name}.tmp`), path.join(folder, `${name}.md`));
    const result = await client.call('vault_read', { path: `Outside/${name}.md` });
    if (result.isError || dataOf(result).content !== text) problems.outside.push(`${name}: ${result.content[0].text.slice(0, 100)}`);
    await sleep(200);
  }
}

/** The remote is broken: a sync may fail, and must not stop anybody. */
async function syncer(life, client) {
  while (!life.over) {
    await client.call('vault_sync', { status: random.below(3) > 0 });
    counts.synced++;
    for (let i = 0; i < 20 && !life.over; i++) await sleep(100);
  }
}

/* --- users --- */

const access = { good: [], ended: [], client: null };

async function person(life, server) {
  while (!life.over) {
    access.client ??= await register(server, { client_name: 'Soak' });
    const grant = await timed('sign in', () => letIn(server, { client: access.client }));
    counts['sign-ins']++;
    access.good.push(grant.token);
    if (access.good.length > TOKENS || random.below(2) === 0) {
      const token = access.good.shift(); // until it is answered, nobody knows
      const answer = await fetch(`${server.origin}/oauth/revoke`, { method: 'POST', body: new URLSearchParams({ client_id: access.client, token }) });
      if (answer.status !== 200) problems.access.push(`revoke: ${answer.status}`);
      counts.revocations++;
      access.ended = [...access.ended, token].slice(-TOKENS);
    }
    for (let i = 0; i < 10 && !life.over; i++) await sleep(100);
  }
}

async function checkAccess(server) {
  for (const [list, want] of [[access.good, 200], [access.ended, 401]])
    for (const token of list) {
      const { status } = await callTool(server, token, 'vault_info');
      if (status !== want) problems.access.push(`${status} instead of ${want} after a restart`);
    }
}

/* --- servers --- */

const http = new HttpServer(world), stdio = new StdioServer(world);
const sides = [
  { server: http, notes: ['A', 'B', 'C', 'D'].map((n) => new Notes(world.vault, n, NOTES)) },
  { server: stdio, notes: ['E', 'F'].map((n) => new Notes(world.vault, n, NOTES)) },
];

/** Start the clients of a side; what fails after the end of the life is not a problem. */
async function begin(side, pause) {
  const life = { over: false };
  const token = side.server === http ? (await letIn(http, { client: (access.client ??= await register(http, { client_name: 'Soak' })) })).token : null;
  const clients = await Promise.all([...side.notes, 0, 0].map(() => side.server.connect(token)));
  const jobs = side.notes.map((notes, i) => actor(life, clients[i], notes, pause));
  jobs.push(editorOf(side, life, clients.at(-1)));
  if (side.server === http) jobs.push(person(life, http), syncer(life, clients.at(-2)));
  const guarded = jobs.map((job) => job.catch((error) => life.over || problems.failed.push(String(error.stack ?? error).slice(0, 400))));
  side.life = {
    async end() {
      life.over = true;
      await Promise.all(guarded);
      await Promise.all(clients.map((client) => client.close()));
    },
    cut() {
      life.over = true;
    },
  };
  counts.lives++;
}

/** Only one program edits the notes outside. */
const editorOf = (side, life, client) => (side.server === http ? editor(life, client) : Promise.resolve());

function settle(side) {
  for (const notes of side.notes)
    for (const problem of notes.settle()) problems[problem.startsWith('torn') ? 'torn' : 'lost'].push(problem);
}

async function killAndRestart(side) {
  side.life.cut();
  await side.server.kill();
  counts.kills++;
  await side.life.end();
  await side.server.start();
  settle(side);
  if (side.server === http) await checkAccess(http);
  await begin(side, 0);
}

/** Idle: the least of some seconds, without connections that are about to close, and while git does not run. */
async function point(pid) {
  const all = [];
  while (all.length < 16) {
    await sleep(500);
    const now = measure(pid);
    if (now !== null) all.push(now);
  }
  return { changes: acknowledged(), rss: Math.min(...all.map((m) => m.rss)), descriptors: Math.min(...all.map((m) => m.descriptors)) };
}

async function phaseOfKills(until) {
  for (const side of sides) await begin(side, 0);
  while (Date.now() < until) {
    await sleep(1000 + random.below(4000));
    const victims = random.pick([[sides[0]], [sides[1]], sides]);
    await Promise.all(victims.map(killAndRestart));
  }
  for (const side of sides) await side.life.end();
}

/** The point with the least memory: what a round of sync leaves to the allocator comes and goes, a leak stays. */
const least = (list) => list.reduce((a, b) => (b.rss < a.rss ? b : a));

async function longLife(until) {
  const each = Math.max(1000, (until - Date.now()) / POINTS - 9000), start = Date.now();
  const points = sides.map(() => []);
  for (let i = 0; i < POINTS; i++) {
    for (const side of sides) await begin(side, 10);
    await sleep(each);
    for (const side of sides) await side.life.end();
    for (const [k, side] of sides.entries()) points[k].push(point(side.server.pid));
    await Promise.all(points.map((list) => list.at(-1)));
  }
  const judged = Date.now() - start >= JUDGED_S * 1000;
  for (const [k, name] of ['HTTP', 'stdio'].entries()) {
    const list = await Promise.all(points[k]), half = (POINTS + WARM) / 2;
    const from = least(list.slice(WARM, half)), to = least(list.slice(half));
    const most = from.rss * GROWTH + ((to.changes - from.changes) * CHANGE_BYTES) / 1024;
    console.log(`# 1 life over ${name}, at numbers of changes: ${list.map((p) => `${p.rss} kB ${p.descriptors} descriptors at ${p.changes}`).join(', ')}${judged ? '' : ' (too short to judge)'}`);
    if (list.at(-1).descriptors > list[WARM].descriptors) problems.descriptors.push(`${name}: ${list[WARM].descriptors} to ${list.at(-1).descriptors}`);
    if (judged && to.rss > most) problems.memory.push(`${name}: ${from.rss} to ${to.rss} kB, with ${to.changes - from.changes} changes`);
    if (Math.max(...list.map((p) => p.rss)) > RSS_MAX) problems.memory.push(`${name}: more than ${RSS_MAX} kB`);
  }
}

/* --- the end --- */

function checkVault() {
  for (const entry of readdirSync(world.vault, { recursive: true, withFileTypes: true })) {
    const relative = path.relative(world.vault, path.join(entry.parentPath, entry.name));
    if (/^\.(git|trash)\b/.test(relative) || !entry.isFile()) continue;
    if (!entry.name.endsWith('.md')) problems.torn.push(`left behind: ${relative}`);
    else if (numberOf(entry.name.slice(0, -3), readFileSync(path.join(world.vault, relative), 'utf8')) === null) problems.torn.push(`torn: ${relative}`);
  }
}

const TITLES = {
  torn: 'no file is torn or left behind',
  lost: 'SEC-100 no acknowledged change is lost',
  access: 'SEC-26 sign-ins and revocations survive',
  outside: 'SEC-112 a read shows the edit of another program',
  failed: 'no call fails while its server lives',
  descriptors: 'the number of descriptors does not grow in one life',
  memory: 'memory does not grow by more than 5 % in one life',
  end: 'the servers end cleanly',
};

function report() {
  const sorted = (kind) => times[kind].toSorted((a, b) => a - b);
  for (const kind of Object.keys(times)) {
    const list = sorted(kind), at = (q) => (list[Math.floor(list.length * q)] ?? 0).toFixed(1);
    console.log(`# ${seen[kind]} × ${kind}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(0.999999)} ms`);
  }
  console.log(`# ${acknowledged()} acknowledged changes; ${Object.entries(counts).map(([k, v]) => `${k}: ${v}`).join(', ')}`);
  for (const [name, title] of Object.entries(TITLES)) {
    console.log(`${problems[name].length ? 'not ok' : 'ok'} - soak: ${title}`);
    for (const problem of problems[name].slice(0, 10)) console.log(`#   ${problem.replaceAll('\n', ' ')}`);
  }
}

const end = Date.now() + seconds * 1000;
await Promise.all([http.start(), stdio.start()]);
while (Date.now() < end) {
  const cycle = Math.min(Math.max(CYCLE_S, seconds / 4) * 1000, end - Date.now());
  await phaseOfKills(Date.now() + cycle / 2);
  await longLife(Date.now() + cycle / 2);
}
for (const { server } of sides) await server.stop().catch((error) => problems.end.push(String(error.message).slice(0, 500)));
for (const side of sides) settle(side);
checkVault();
report();
world.remove();
process.exit(Object.values(problems).some((list) => list.length > 0) ? 1 : 0);
