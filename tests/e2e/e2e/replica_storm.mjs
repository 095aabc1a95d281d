// Clients that write through nginx while replicas, the database, the git server and the network fail in turns.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { modernHeaders, modernMessage, until } from '../support.mjs';
import { callTool, letIn } from './people.mjs';

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** One attempt of a call. why: how it ended. */
async function attempt(front, token, name, args) {
  const message = modernMessage('tools/call', { name, arguments: args });
  try {
    const answer = await fetch(front.url, {
      method: 'POST', headers: { ...modernHeaders(message), authorization: `Bearer ${token}` }, body: JSON.stringify(message), signal: AbortSignal.timeout(30_000),
    });
    if (answer.status !== 200) return { isError: true, why: `status ${answer.status}` };
    const { result } = await answer.json();
    return { ...result, why: result.isError ? JSON.parse(result.content[0].text).error.code : 'answered' };
  } catch (error) {
    return { isError: true, why: error.cause?.code ?? error.name };
  }
}

/** Writes notes of its own and lines of a note that all share, until it is stopped; a call is repeated with its key. */
async function writer(w, token, name, storm) {
  for (let i = 0; !storm.over; i++) {
    const own = i % 2 === 0;
    const text = `line ${name}-${i}`;
    const wish = own ? ['vault_write', { path: `Own/${name}-${i}.md`, content: `${text}\n` }] : ['vault_insert', { path: `Shared ${i % 3}.md`, content: text, create: true }];
    const key = `key ${name}-${i}`;
    let result;
    do {
      const began = performance.now();
      result = await attempt(w.front, token, wish[0], { ...wish[1], idempotency_key: key });
      (storm.ends[result.why] ??= []).push(Math.round(performance.now() - began));
      if (result.isError) await sleep(200);
    } while (result.isError && !storm.over);
    if (!result.isError) storm.acknowledged.push(text);
  }
}

/** What goes wrong, one after the other; each is over when it returns. */
function troubles(w) {
  const replica = (i) => async () => {
    await w.replicas[i].crash();
    await sleep(500);
    await w.again(i);
  };
  const pause = async (begin, end, ms = 1500) => {
    await begin();
    await sleep(ms);
    await end();
  };
  const { database } = w.wires;
  return [
    ['kill replica 0', replica(0)],
    ['kill the database', () => pause(() => w.pg.kill(), () => w.pg.again())],
    ['kill replica 1', replica(1)],
    ['kill the git server', () => pause(() => w.forge.stop(), () => w.forge.start())],
    ['slow database', () => pause(() => { database.delay = 100; }, () => { database.delay = 0; })],
    ['kill replica 2', replica(2)],
    ['drop connections to the database', () => pause(() => { database.cut = true; }, () => { database.cut = false; database.drop(); })],
  ];
}

/** All texts of notes in a folder. */
function textsOf(folder) {
  const all = [];
  for (const name of readdirSync(folder, { recursive: true })) if (name.endsWith('.md') && !name.startsWith('.git')) all.push(readFileSync(path.join(folder, name), 'utf8'));
  return all.join('\n');
}

/** Run it for so long; then everything that was acknowledged is everywhere. */
export async function storm(t, w, seconds) {
  const anna = await letIn(w.front);
  const state = { over: false, ends: {}, acknowledged: [] };
  const writers = ['a', 'b', 'c', 'd'].map((name) => writer(w, anna.token, name, state));
  const rows = troubles(w);
  const end = Date.now() + 1000 * seconds;
  let n = 0;
  for (; Date.now() < end || n < rows.length; n++) {
    const [name, make] = rows[n % rows.length];
    const before = state.acknowledged.length;
    await make();
    await until(`changes are made again after: ${name}`, () => state.acknowledged.length > before, 60_000);
  }
  state.over = true;
  await Promise.all(writers);
  for (const replica of w.replicas)
    await until('it syncs', async () => !(await callTool(replica, anna.token, 'vault_sync')).message.result?.isError, 30_000);
  await w.converge(60_000);
  t.diagnostic(`${n} troubles, ${state.acknowledged.length} changes acknowledged`);
  for (const [why, times] of Object.entries(state.ends)) t.diagnostic(`${times.length} calls: ${why}, after ${Math.max(...times)} ms at most, ${Math.round(times.reduce((a, b) => a + b) / times.length)} on average`);
  for (const [i] of w.replicas.entries()) {
    const folder = path.join(w.folderOf(i), 'vault');
    assert.ok(existsSync(folder));
    const text = textsOf(folder);
    const counts = new Map();
    for (const [line] of text.matchAll(/^line \w+-\d+$/gm)) counts.set(line, (counts.get(line) ?? 0) + 1);
    const lost = state.acknowledged.filter((line) => !counts.has(line));
    assert.deepEqual(lost, [], `replica ${i} has everything that was acknowledged`);
    assert.doesNotMatch(text, /^(<<<<<<<|>>>>>>>)/m);
  }
  return state;
}
