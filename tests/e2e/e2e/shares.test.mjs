// What callers share has a limit for each of them and one for all: no caller can use up the
// server's log, workers, memory or connections.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { VAULTD, cleanEnv, copyVault, fetchHttp, modernHeaders, modernMessage, rawHttp, run, startHttp, startStdio, tempDir, untilRefused, within } from '../support.mjs';
import { startWithPeople } from './people.mjs';

const GET = (rest = '') => `GET /health HTTP/1.1\r\nHost: localhost\r\n${rest}\r\n`;

/** Ask the process to stop while its stderr is not read; then read it. */
async function stopsUnread(server) {
  const exit = new Promise((done) => server.child.once('exit', (code) => done(code)));
  server.child.kill('SIGTERM');
  assert.equal(await within(exit, 'the exit'), 0);
  server.child.stderr.resume();
  await server.endsCleanly();
}

test('a reader of stderr that stops reading does not stop the server', async (t) => {
  const server = await startHttp(t);
  server.child.stderr.pause();
  const text = await rawHttp(server, GET().repeat(3000) + GET('Connection: close\r\n'));
  assert.equal(text.match(/HTTP\/1\.1 \d{3} /g).length, 3001);
  assert.equal((await fetchHttp(server, { method: 'GET', path: '/health' })).status, 200);
  await stopsUnread(server);
});

test('nor does it stop stdio', async (t) => {
  const server = startStdio(t, { args: ['--log-level', 'debug'] });
  await server.initialize();
  server.child.stderr.pause();
  for (let i = 0; i < 3000; i++) await server.send({ jsonrpc: '2.0', id: `p${i}`, method: 'ping' });
  await server.take('the last answer', (m) => m.id === 'p2999');
  await stopsUnread(server);
});

/* --- with keys, as several users have them --- */

/** A server, and keys for it by name. */
async function startWithKeys(t, names, args = []) {
  const state = path.join(tempDir(t), 'state'), keys = {};
  for (const name of names)
    keys[name] = (await run(VAULTD, ['key', 'add', name], { env: cleanEnv(tempDir(t), { STATE_DIR: state }) })).stdout.trim();
  const server = await startWithPeople(t, { vault: copyVault(t), state, args });
  return { server, keys };
}

const ask = (server, key, method, params) => {
  const message = modernMessage(method, params);
  return fetchHttp(server, { headers: { ...modernHeaders(message), authorization: `Bearer ${key}` }, body: JSON.stringify(message) });
};

test('an object with too many members is refused', async (t) => {
  const { server, keys } = await startWithKeys(t, ['one']);
  const members = Object.fromEntries(Array.from({ length: 70_000 }, (_, i) => [`k${i}`, 0]));
  const { status, message } = await ask(server, keys.one, 'tools/call', { name: 'vault_info', arguments: members });
  assert.equal(status, 400);
  assert.match(message.error.message, /more than 65536 keys/);
});

test('large bodies count as many requests', async (t) => {
  const { server, keys } = await startWithKeys(t, ['one', 'two'], ['--rate-calls', '30']);
  const large = { name: 'vault_info', arguments: {}, _meta: { padding: 'x'.repeat(3 << 20) } };
  assert.equal((await ask(server, keys.one, 'tools/call', large)).status, 200);
  const { message } = await ask(server, keys.one, 'tools/call', { name: 'vault_info', arguments: {} });
  assert.match(JSON.stringify(message), /too many requests within a minute/);
  assert.equal((await ask(server, keys.two, 'tools/call', { name: 'vault_info', arguments: {} })).status, 200);
});

test('the webhook has the limit of an address, too', async (t) => {
  const secret = path.join(tempDir(t), 'secret');
  writeFileSync(secret, 'a secret of the webhook\n', { mode: 0o600 });
  const server = await startHttp(t, { args: ['--rate-address', '120', '--webhook-secret-file', secret, '--sync-command', 'true'] });
  const hook = async () => (await fetchHttp(server, { path: '/hooks/git', headers: { 'content-type': 'application/json', 'x-hub-signature-256': `sha256=${'0'.repeat(64)}`, 'x-forwarded-for': '203.0.113.7' }, body: '{}' })).status;
  await untilRefused(120, hook);
});

test('requests that an unknown local proxy passes on are not local: they have the limit of an address', async (t) => {
  const server = await startHttp(t, { args: ['--rate-address', '120'] });
  const health = async (headers) => (await fetchHttp(server, { method: 'GET', path: '/health', headers })).status;
  const forwarded = { 'x-forwarded-for': '203.0.113.7' };
  await untilRefused(120, () => health(forwarded));
  assert.notEqual(await health({}), 429);
});
