// All attacks at once: strangers, a limited key and a second tenant beside one reader.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { SANITIZED, VAULTD, Session, cleanEnv, fetchHttp, modernHeaders, modernMessage, run, tempDir, until, withToken } from '../support.mjs';
import { startWithPeople } from './people.mjs';

const MIB = 1 << 20;
// A read waits while all processors search: with --full more often, and each search until its deadline of five seconds.
const READS = process.env.ROUNDS_FACTOR ? 100 : 20;
const SEARCHED = process.env.ROUNDS_FACTOR ? 6 * MIB : MIB / 2; // half a second, several times what a call that is light takes

// What the server may use in all: 64 MiB each for what arrives (received_all) and for what is not
// read (queued_all), 256 MiB for requests without an answer (MCP_BYTES_ALL), 32 MiB for each of
// two workers that read a large note, and what it has anyway.
const MEMORY_MAX_MIB = 64 + 64 + 256 + 64 + 64;

const peak = (server) => Number(readFileSync(`/proc/${server.pid}/status`, 'latin1').match(/VmHWM:\s+(\d+) kB/)[1]) / 1024;

async function startWithKeys(t, names, vault) {
  const state = path.join(tempDir(t), 'state'), env = cleanEnv(tempDir(t), { STATE_DIR: state }), keys = {};
  for (const [name, args] of Object.entries(names))
    assert.ok((keys[name] = (await run(VAULTD, ['key', 'add', name, ...args], { env })).stdout.trim()));
  return { server: await startWithPeople(t, { vault, state, args: ['--trusted-proxies', '127.0.0.1'] }), keys };
}

function vaultWithLargeNotes(t, size = 6 * MIB) {
  const vault = path.join(tempDir(t), 'vault');
  mkdirSync(path.join(vault, 'A'), { recursive: true });
  writeFileSync(path.join(vault, 'A', 'Large.md'), `# Large\n\n${'ab '.repeat(size / 3)}\n`);
  for (let i = 0; i < 40; i++) writeFileSync(path.join(vault, 'A', `Note ${i}.md`), `# Note ${i}\n`);
  return vault;
}

const ask = (server, key, method, params, headers = {}) => {
  const message = modernMessage(method, params);
  return fetchHttp(server, { headers: { ...modernHeaders(message), authorization: `Bearer ${key}`, ...headers }, body: JSON.stringify(message) });
};
const search = { name: 'vault_search', arguments: { mode: 'regex', query: '(a|ab|b| )*[c-y]' } };
const read = { name: 'vault_read', arguments: { path: 'A/Note 1.md' } };

/** A connection that sends these bytes and reads nothing, or as told. */
function raw(t, server, bytes, { reads = true } = {}) {
  const socket = net.connect(server.port, '127.0.0.1');
  socket.on('error', () => {});
  if (reads) socket.on('data', () => {});
  else socket.pause();
  socket.write(bytes);
  t.after(() => socket.destroy());
  return socket;
}

const head = (key, length, more = '') =>
  `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n${key ? `Authorization: Bearer ${key}\r\n` : ''}Content-Length: ${length}\r\n${more}\r\n`;

const attacks = {
  /** Subscriptions of many sessions. */
  subscriptions: async (t, server, key) => {
    for (let i = 0; i < 8; i++) {
      const session = await Session.open(withToken(server, key));
      for (let j = 0; j < 10; j++) session.request('resources/subscribe', { uri: `vault:///A/${'x'.repeat(1500)}${j}` }).catch(() => {});
    }
  },
  /** Unfinished bodies of strangers, of many addresses. */
  strangers: (t, server) => {
    for (let i = 0; i < 100; i++)
      raw(t, server, head('', 4 * MIB, `X-Forwarded-For: 203.0.113.${i}\r\n`)).write(Buffer.alloc(256 << 10, 'x'));
  },
  /** Unfinished bodies of a key. */
  uploads: (t, server, key) => {
    for (let i = 0; i < 60; i++) raw(t, server, head(key, 4 * MIB)).write(Buffer.alloc(3 * MIB, 'x'));
  },
  /** Large JSON, complete; made once, or the reader's requests wait in this process until the server drops them as too slow. */
  json: (t, server, key) => {
    const message = modernMessage('ping', { padding: Array.from({ length: 300_000 }, (_, i) => i) }), body = JSON.stringify(message);
    for (let i = 0; i < 30; i++) fetchHttp(server, { headers: { ...modernHeaders(message), authorization: `Bearer ${key}` }, body }).catch(() => {});
  },
  /** Searches that run into their deadline. */
  searches: (t, server, key) => {
    for (let i = 0; i < 16; i++) ask(server, key, 'tools/call', search).catch(() => {});
  },
  /** A large note, as a resource; half of the readers stop reading. */
  resources: (t, server, key) => {
    const message = modernMessage('resources/read', { uri: 'vault:///A/Large.md' }), body = JSON.stringify(message);
    const headers = Object.entries(modernHeaders(message)).filter(([name]) => /^mcp-/i.test(name)).map(([name, value]) => `${name}: ${value}\r\n`).join('');
    for (let i = 0; i < 24; i++) raw(t, server, head(key, body.length, headers) + body, { reads: i % 2 === 0 });
  },
  /** Calls that wait for their turn. */
  turns: (t, server, key) => {
    for (let i = 0; i < 100; i++) ask(server, key, 'tools/call', { ...read, _meta: { padding: 'x'.repeat(100_000) } }).catch(() => {});
  },
};

test('the memory of the server has a bound under all attacks at once, and a reader is answered', { skip: SANITIZED && 'sanitizers need more memory' }, async (t) => {
  const { server, keys } = await startWithKeys(t, { hostile: ['read', 'A'], other: [], reader: [] }, vaultWithLargeNotes(t));
  await ask(server, keys.reader, 'tools/call', read);
  for (const attack of Object.values(attacks)) for (const key of [keys.hostile, keys.other]) await attack(t, server, key);
  for (let i = 0; i < 20; i++) {
    const { status, message } = await ask(server, keys.reader, 'tools/call', read);
    assert.equal(status, 200, JSON.stringify(message));
    assert.ok(!message.result.isError, JSON.stringify(message));
  }
  t.diagnostic(`VmHWM ${peak(server).toFixed(0)} MiB, bound ${MEMORY_MAX_MIB}`);
  assert.ok(peak(server) < MEMORY_MAX_MIB, `${peak(server)} MiB`);
  assert.match(server.stderr, / request /);
});

test('16 hostile callers beside one reader: a read waits for few of their calls', async (t) => {
  const names = Object.fromEntries([...Array.from({ length: 16 }, (_, i) => [`hostile${i}`, []]), ['reader', []]]);
  const { server, keys } = await startWithKeys(t, names, vaultWithLargeNotes(t, SEARCHED));
  await ask(server, keys.reader, 'tools/call', read);
  let ended = 0, stop = false;
  const hostile = Object.entries(names).filter(([name]) => name !== 'reader').flatMap(([name]) => Array.from({ length: 2 }, async () => {
    while (!stop) {
      await ask(server, keys[name], 'tools/call', search).catch(() => {});
      ended++;
    }
  }));
  await until('the workers are busy', () => ended > 0);
  const turns = [];
  for (let i = 0; i < READS; i++) {
    const before = ended;
    assert.equal((await ask(server, keys.reader, 'tools/call', read)).status, 200);
    turns.push(ended - before);
  }
  stop = true;
  turns.sort((a, b) => a - b);
  const mean = turns.reduce((a, b) => a + b) / turns.length;
  t.diagnostic(`calls of others that ended during a read: mean ${mean}, p50 ${turns[READS / 2]}, but for one at most ${turns[READS - 2]}`);
  // First come, first served: all 32 that are in the queue before it.
  assert.ok(turns[READS - 2] < 32, `a read waited for ${turns[READS - 2]} calls`);
  assert.ok(mean < 8, `mean: ${mean}`);
  await server.stop();
  await Promise.all(hostile);
});
