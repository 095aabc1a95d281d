// Clients that write through nginx while replicas, the database, the git server and the network fail in turns; and
// what must be true afterwards.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { modernHeaders, modernMessage, sleep, startHttp, until } from '../support.mjs';
import { callTool, letIn } from './people.mjs';

const WRITERS = [...'abcdefghijkl'];
const SHARED = 3; // notes that all append to
const PATIENCE_MS = 30_000;
const CALM = 6; // changes acknowledged after a trouble, before the next one

/* --- clients --- */

/** One attempt of a call. why: how it ended. */
async function attempt(front, token, name, args) {
  const message = modernMessage('tools/call', { name, arguments: args });
  try {
    const answer = await fetch(front.url, {
      method: 'POST', headers: { ...modernHeaders(message), authorization: `Bearer ${token}` }, body: JSON.stringify(message), signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (answer.status !== 200) return { isError: true, why: `status ${answer.status}` };
    const { result } = await answer.json();
    return { ...result, why: result.isError ? JSON.parse(result.content[0].text).error.code : 'answered' };
  } catch (error) {
    return { isError: true, why: error.cause?.code ?? error.name };
  }
}

/** What a writer does in turn; line: a text that must be found once in the note afterwards. */
const WISHES = [
  (name, i) => ({ tool: 'vault_write', args: { path: `Own/${name}-${i}.md`, content: `line ${name}-${i} of [[Board]]\n` }, line: `line ${name}-${i} of [[Board]]`, note: `Own/${name}-${i}.md` }),
  (name, i) => ({ tool: 'vault_insert', args: { path: `Shared ${i % SHARED}.md`, content: `line ${name}-${i} #storm` }, line: `line ${name}-${i} #storm`, note: `Shared ${i % SHARED}.md` }),
  (name, i) => ({ tool: 'vault_edit', args: { path: `Own/${name}-${i - 2}.md`, old_text: 'of [[Board]]', new_text: `of [[Board]]\nline ${name}-${i}` }, line: `line ${name}-${i}`, note: `Own/${name}-${i - 2}.md` }),
  (name, i) => ({ tool: 'vault_insert', args: { path: 'Board.md', where: 'section_end', anchor: `Of ${name}`, content: `line ${name}-${i}` }, line: `line ${name}-${i}`, note: 'Board.md' }),
  (name, i) => ({ tool: 'vault_move', args: { path: `Own/${name}-${i - 4}.md`, to: `Moved/${name}-${i - 4}.md` }, from: `Own/${name}-${i - 4}.md`, note: `Moved/${name}-${i - 4}.md` }),
];

/** Makes one change after the other until the storm is over; a call is repeated with its key until it is answered. */
async function writer(front, token, name, storm) {
  for (let i = 0; !storm.over; i++) {
    const wish = WISHES[i % WISHES.length](name, i);
    for (wish.tries = 1; ; wish.tries++) {
      const began = performance.now();
      const result = await attempt(front, token, wish.tool, { ...wish.args, idempotency_key: `key ${name}-${i}` });
      (storm.ends[result.why] ??= []).push(Math.round(performance.now() - began));
      if (!result.isError) break;
      if (storm.over) return storm.unanswered.push(wish);
      await sleep(100);
    }
    storm.acknowledged.push(wish);
  }
}

/* --- troubles --- */

/** What goes wrong, one after the other; each is over when it returns. */
function troubles(w) {
  const replica = (i) => async () => {
    await w.replicas[i].crash();
    await sleep(500);
    await w.again(i);
  };
  const pause = (begin, end, ms = 1500) => async () => {
    await begin();
    await sleep(ms);
    await end();
  };
  const bad = (wire, change, ms) => pause(() => Object.assign(wire, change), () => {
    Object.assign(wire, { delay: 0, loss: 0, cut: false });
    if (change.cut) wire.drop();
  }, ms);
  const { database, git } = w.wires;
  return [
    ['kill replica 0', replica(0)],
    ['kill the database', pause(() => w.pg.kill(), () => w.pg.again())],
    ['kill the git server', pause(() => w.forge.stop(), () => w.startForge())],
    ['slow network to the database', bad(database, { delay: 100 })],
    ['kill replica 1', replica(1)],
    ['slow network to the git server', bad(git, { delay: 50 })],
    ['a network that drops connections to the git server', bad(git, { loss: 0.05 })],
    ['cut the network to the database', bad(database, { cut: true })],
    ['kill replica 2', replica(2)],
    ['cut the network to the git server', bad(git, { cut: true })],
    ['a network that drops connections to the database', bad(database, { loss: 0.05 })],
  ];
}

/** All of them in turn, for so long; changes are made again after each of them. */
async function makeTrouble(w, state, seconds) {
  const rows = troubles(w);
  const end = Date.now() + 1000 * seconds;
  let n = 0;
  for (; Date.now() < end || n < rows.length; n++) {
    const [name, make] = rows[n % rows.length];
    await make();
    const before = state.acknowledged.length;
    await until(`changes are made again after: ${name}`, () => state.acknowledged.length >= before + CALM);
  }
  return n;
}

/* --- afterwards --- */

/** Text of the notes in a folder, by path. */
function notesOf(folder) {
  const names = readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.md') && !name.startsWith('.git'));
  return new Map(names.map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]));
}

/** Every change that was acknowledged was made once, where it was asked for; any other at most once. */
function checkChanges(notes, { acknowledged, unanswered }) {
  const moved = new Map([...acknowledged, ...unanswered].filter(({ from, note }) => from && notes.has(note)).map(({ from, note }) => [from, note]));
  const counts = new Map();
  for (const [note, text] of notes) {
    assert.doesNotMatch(text, /^(<<<<<<<|=======|>>>>>>>)/m, note);
    for (const [line] of text.matchAll(/^line .*$/gm)) counts.set(line, [...(counts.get(line) ?? []), note]);
  }
  for (const { from, note } of acknowledged.filter((wish) => wish.from)) assert.ok(notes.has(note) && !notes.has(from), `${from} was moved: ${JSON.stringify([notes.get(from), notes.get(note)])}`);
  const wrong = acknowledged.filter(({ line, note }) => line && String(counts.get(line)) !== (moved.get(note) ?? note));
  assert.deepEqual(wrong.map(({ line, note }) => `${line}: ${counts.get(line) ?? 'lost'}, not ${note}`), []);
  assert.deepEqual([...counts].filter(([, found]) => found.length > 1), [], 'nothing was made twice');
}

/** A clone has no damage, and nothing that an interrupted step left. */
function checkClone(w, i) {
  assert.equal(w.git_of(i, 'fsck', '--full', '--no-dangling', '--no-progress'), '', `the clone of replica ${i}`);
  const left = readdirSync(w.folderOf(i), { recursive: true }).filter((name) => /\.lock$|under-way$|tmp_obj|MERGE_HEAD$/.test(name));
  assert.deepEqual(left, [], `files left by replica ${i}`);
}

const QUESTIONS = [
  ['vault_list', { recursive: true, limit: 1000, budget: 25_000 }],
  ['vault_search', { query: 'line', max_results: 1000 }],
  ['vault_search', { query: '#storm', max_results: 1000 }],
  ['vault_links', { path: 'Board.md', limit: 1000, budget: 25_000 }],
  ['vault_check', { limit: 1000, budget: 25_000 }],
];

/** What a server knows about its vault, without times. */
async function knowledgeOf(server, token) {
  const all = [];
  for (const [name, args] of QUESTIONS) {
    const { message } = await callTool(server, token, name, args);
    assert.ok(!message.result.isError, JSON.stringify(message));
    all.push(JSON.parse(message.result.content[0].text, (key, value) => (/^(modified|created|updated|score)$/.test(key) ? undefined : value)));
  }
  return all;
}

/** Every replica answers as a server that has just read the remote's tree. */
async function checkIndexes(t, w, token) {
  w.git('', 'clone', '--quiet', 'remote.git', 'fresh');
  const fresh = await startHttp(t, { vault: path.join(w.top, 'fresh'), args: ['--answers', 'json'] });
  const expected = await knowledgeOf(fresh, '');
  for (const replica of w.replicas) assert.deepEqual(await knowledgeOf(replica, token), expected);
}

function report(t, n, { acknowledged, unanswered, ends }) {
  const retried = acknowledged.filter(({ tries }) => tries > 1).length;
  const refused = Object.entries(ends).filter(([why]) => why !== 'answered').reduce((sum, [, times]) => sum + times.length, 0);
  t.diagnostic(`${n} troubles; ${acknowledged.length} changes acknowledged, ${retried} of them to a retry; ${refused} attempts refused or lost; ${unanswered.length} unanswered at the end`);
  for (const [why, times] of Object.entries(ends)) t.diagnostic(`${times.length} calls: ${why}, after ${Math.max(...times)} ms at most, ${Math.round(times.reduce((a, b) => a + b) / times.length)} on average`);
}

/** Run it for so long (each trouble occurs at least once); then everything that was acknowledged is everywhere. */
export async function storm(t, w, seconds) {
  const people = [await letIn(w.front), await letIn(w.front, { name: 'bob' }), await letIn(w.front)];
  const prepare = [['Board.md', WRITERS.map((name) => `## Of ${name}\n\nlines of ${name}\n`).join('\n')], ...Array.from({ length: SHARED }, (_, i) => [`Shared ${i}.md`, '# Shared\n'])];
  for (const [note, content] of prepare) assert.equal((await attempt(w.front, people[0].token, 'vault_write', { path: note, content })).why, 'answered');
  const state = { over: false, ends: {}, acknowledged: [], unanswered: [] };
  const writers = WRITERS.map((name, i) => writer(w.front, people[i % people.length].token, name, state));
  const n = await makeTrouble(w, state, seconds);
  state.over = true;
  await Promise.all(writers);
  for (const replica of w.replicas)
    await until('it syncs', async () => !(await callTool(replica, people[0].token, 'vault_sync')).message.result?.isError);
  await w.converge(60_000);
  report(t, n, state);
  for (const [i] of w.replicas.entries()) {
    assert.ok(existsSync(w.folderOf(i)));
    checkClone(w, i);
  }
  assert.equal(w.git('remote.git', 'fsck', '--full', '--no-dangling', '--no-progress'), '', 'the remote');
  await checkIndexes(t, w, people[0].token);
  checkChanges(notesOf(path.join(w.top, 'fresh')), state);
  return state;
}
