// How many requests a connection and an address may make per minute; and which proxies may name
// the address.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, cleanEnv, copyVault, fetchHttp, initializeMessage, modernHeaders, modernMessage, post, run, startHttp, tempDir } from '../support.mjs';
import { callTool, startWithPeople } from './people.mjs';

/** A server and a key for it. */
async function startWithKey(t, args) {
  const state = path.join(tempDir(t), 'state');
  const key = async (name) => (await run(VAULTD, ['key', 'add', name], { env: cleanEnv(tempDir(t), { STATE_DIR: state }) })).stdout.trim();
  const keys = [await key('one'), await key('two')];
  const server = await startWithPeople(t, { vault: copyVault(t), state, args });
  return { server, keys };
}

const raw = (server, token, name, args = {}) => {
  const message = modernMessage('tools/call', { name, arguments: args });
  return fetchHttp(server, { headers: { ...modernHeaders(message), authorization: `Bearer ${token}` }, body: JSON.stringify(message) });
};

test('one connection has a rate limit; others are unaffected', async (t) => {
  const { server, keys } = await startWithKey(t, ['--rate-calls', '5']);
  for (let i = 0; i < 5; i++) assert.equal((await callTool(server, keys[0], 'vault_info')).status, 200);
  const refused = await raw(server, keys[0], 'vault_info');
  assert.equal(refused.status, 429);
  const wait = Number(refused.headers['retry-after']);
  assert.ok(wait >= 1 && wait <= 120, String(wait));
  assert.equal(refused.message.error, 'rate_limited');
  assert.equal((await callTool(server, keys[1], 'vault_info')).status, 200);
});

test('changes have their own limit, also in batches', async (t) => {
  const { server, keys } = await startWithKey(t, ['--rate-writes', '3']);
  const write = (i) => raw(server, keys[0], 'vault_write', { path: `rates/${i}.md`, content: 'x' });
  for (let i = 0; i < 3; i++) assert.equal((await write(i)).status, 200);
  assert.equal((await write(3)).status, 429);
  assert.equal((await callTool(server, keys[0], 'vault_info')).status, 200, 'reading goes on');
  const gone = await callTool(server, keys[0], 'vault_read', { path: 'rates/3.md' });
  assert.equal(gone.message.result.isError, true, 'nothing was written');

  const authorization = `Bearer ${keys[1]}`;
  const opened = await post(server, initializeMessage('2025-03-26'), { authorization });
  const call = (id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'vault_write', arguments: { path: `rates/b${id}.md`, content: 'x' } } });
  const batch = await post(server, [1, 2, 3, 4].map(call), { authorization, 'mcp-session-id': opened.headers['mcp-session-id'] });
  assert.equal(batch.status, 429);
});

test('SEC-52 one address has a rate limit, unless it is this machine\'s', async (t) => {
  const server = await startWithPeople(t, { args: ['--rate-address', '120', '--trusted-proxies', '127.0.0.1'] });
  const ask = (from, target = '/oauth/token') => fetchHttp(server, { path: target, headers: { 'x-forwarded-for': from, 'content-type': 'application/x-www-form-urlencoded' }, body: 'x=1' });
  const seen = [];
  for (let i = 0; i < 121; i++) seen.push((await ask('203.0.113.9', ['/oauth/token', '/oauth/register', '/mcp'][i % 3])).status);
  assert.equal(seen.indexOf(429), 120, String(seen));
  assert.notEqual((await ask('203.0.113.10')).status, 429);
  assert.match(server.stderr, /peer=203\.0\.113\.9 /);
  for (let i = 0; i < 130; i++) assert.notEqual((await ask('127.0.0.1')).status, 429);

  const network = [];
  for (let i = 0; i < 121; i++) network.push((await ask(`2001:db8:1:2:${i.toString(16)}::${i}`)).status);
  assert.equal(network.indexOf(429), 120, `a /64 network counts as one address: ${network}`);
  assert.notEqual((await ask('2001:db8:1:3::1')).status, 429);
});

test('SEC-10 only a trusted proxy can name the client\'s address; 0 means no limit', async (t) => {
  const server = await startHttp(t, { args: ['--rate-address', '120'] });
  for (let i = 0; i < 130; i++) assert.notEqual((await fetchHttp(server, { method: 'GET', path: '/mcp', headers: { 'x-forwarded-for': '203.0.113.9' } })).status, 429);
  assert.doesNotMatch(server.stderr, /203\.0\.113\.9/);
  const { server: free, keys } = await startWithKey(t, ['--rate-address', '0', '--rate-calls', '0', '--rate-writes', '0']);
  for (let i = 0; i < 100; i++) assert.equal((await raw(free, keys[0], 'vault_write', { path: 'rates/x.md', content: String(i) })).status, 200);
});
