// How many requests a connection and an address may make per minute; and which proxies may name
// the address.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, cleanEnv, copyVault, fetchHttp, initializeMessage, modernHeaders, modernMessage, post, run, startHttp, tempDir, untilRefused } from '../support.mjs';
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

/** The error of a tool that had to wait for too long. */
function assertLimited({ status, message }, what) {
  assert.equal(status, 200);
  assert.equal(message.result.isError, true, JSON.stringify(message));
  const { code, message: text } = message.result.structuredContent.error;
  assert.equal(code, 'RATE_LIMITED');
  const [, kind, seconds] = text.match(/^too many (\w+) within a minute, nothing was done: try again in (\d+) seconds$/) ?? assert.fail(text);
  assert.equal(kind, what);
  assert.ok(Number(seconds) > 10 && Number(seconds) <= 30, text);
}

test('one connection has a rate limit, which its tools explain; others are unaffected', async (t) => {
  const { server, keys } = await startWithKey(t, ['--rate-calls', '2']);
  for (let i = 0; i < 2; i++) assert.equal((await callTool(server, keys[0], 'vault_info')).status, 200);
  assertLimited(await raw(server, keys[0], 'vault_info'), 'requests');
  const list = modernMessage('tools/list');
  const refused = await fetchHttp(server, { headers: { ...modernHeaders(list), authorization: `Bearer ${keys[0]}` }, body: JSON.stringify(list) });
  assert.match(refused.message.error.message, /^too many requests within a minute/);
  assert.equal((await callTool(server, keys[1], 'vault_info')).status, 200);
});

test('a flood is refused before it is read', async (t) => {
  const { server, keys } = await startWithKey(t, ['--rate-calls', '2']);
  const seen = [];
  for (let i = 0; i < 9; i++) seen.push(await raw(server, keys[0], 'vault_info'));
  assert.deepEqual(seen.map((answer) => answer.status), [...Array(8).fill(200), 429]);
  const wait = Number(seen.at(-1).headers['retry-after']);
  assert.ok(wait >= 1 && wait <= 120, String(wait));
  assert.equal(seen.at(-1).message.error, 'rate_limited');
});

test('calls above the limit wait for their turn, without holding up others', async (t) => {
  const { server, keys } = await startWithKey(t, ['--rate-calls', '60', '--rate-writes', '60', '--confirm-files', '1000']);
  const write = (i) => raw(server, keys[0], 'vault_write', { path: `rates/${i}.md`, content: 'x' });
  const started = Date.now();
  const writes = Array.from({ length: 64 }, (_, i) => write(i));
  assert.equal((await callTool(server, keys[1], 'vault_info')).status, 200);
  const answers = await Promise.all(writes);
  assert.ok(answers.every(({ status, message }) => status === 200 && !message.result.isError), JSON.stringify(answers.find(({ message }) => message?.result?.isError)));
  assert.ok(Date.now() - started >= 3000, 'sixty at once, then one each second');
});

test('a client that leaves while it waits for its turn is forgotten', async (t) => {
  const { server, keys } = await startWithKey(t, ['--rate-writes', '12']);
  const write = (i) => raw(server, keys[0], 'vault_write', { path: `rates/${i}.md`, content: 'x' });
  for (let i = 0; i < 12; i++) assert.equal((await write(i)).message.result.isError, undefined);
  /** Whether the client had left before it was answered: on a busy machine it may be its turn at once. */
  const leaves = async (path) => {
    const gone = new AbortController();
    const message = modernMessage('tools/call', { name: 'vault_write', arguments: { path, content: 'x' } });
    const left = fetch(`${server.origin}/mcp`, { method: 'POST', signal: gone.signal, headers: { ...modernHeaders(message), authorization: `Bearer ${keys[0]}` }, body: JSON.stringify(message) });
    setTimeout(() => gone.abort(), 500);
    return left.then(() => false, () => true);
  };
  let tries = 0;
  while (!(await leaves(`rates/gone ${++tries}.md`)));
  const end = await write('later');
  assert.equal(end.message.result.isError, undefined, JSON.stringify(end.message));
  assert.equal((await callTool(server, keys[0], 'vault_read', { path: `rates/gone ${tries}.md` })).message.result.isError, true);
});

test('changes have their own limit, also in batches', async (t) => {
  const { server, keys } = await startWithKey(t, ['--rate-writes', '2']);
  const write = (i) => raw(server, keys[0], 'vault_write', { path: `rates/${i}.md`, content: 'x' });
  for (let i = 0; i < 2; i++) assert.equal((await write(i)).message.result.isError, undefined);
  assertLimited(await write(3), 'changes');
  assert.equal((await callTool(server, keys[0], 'vault_info')).status, 200, 'reading goes on');
  const gone = await callTool(server, keys[0], 'vault_read', { path: 'rates/3.md' });
  assert.equal(gone.message.result.isError, true, 'nothing was written');

  const authorization = `Bearer ${keys[1]}`;
  const opened = await post(server, initializeMessage('2025-03-26'), { authorization });
  const call = (id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'vault_write', arguments: { path: `rates/b${id}.md`, content: 'x' } } });
  const batch = await post(server, [1, 2, 3, 4].map(call), { authorization, 'mcp-session-id': opened.headers['mcp-session-id'] });
  assert.equal(batch.status, 200);
  assert.equal(batch.message.filter(({ result }) => result.isError).length, 2, JSON.stringify(batch.message));
});

test('requests with a valid token do not count against the address', async (t) => {
  const { server, keys } = await startWithKey(t, ['--rate-address', '120', '--trusted-proxies', '127.0.0.1']);
  const message = modernMessage('tools/call', { name: 'vault_info', arguments: {} });
  const ask = (headers) => fetchHttp(server, { headers: { ...modernHeaders(message), 'x-forwarded-for': '203.0.113.9', ...headers }, body: JSON.stringify(message) });
  for (let i = 0; i < 130; i++) assert.equal((await ask({ authorization: `Bearer ${keys[0]}` })).status, 200);
  const refused = await untilRefused(120, async () => (await ask({ authorization: 'Bearer wrong' })).status);
  assert.ok(refused.every((status) => status === 401), String(refused));
});

test('SEC-52 one address has a rate limit, unless it is this machine\'s', async (t) => {
  const server = await startWithPeople(t, { args: ['--rate-address', '120', '--trusted-proxies', '127.0.0.1'] });
  const ask = (from, target = '/oauth/token') => fetchHttp(server, { path: target, headers: { 'x-forwarded-for': from, 'content-type': 'application/x-www-form-urlencoded' }, body: 'x=1' });
  await untilRefused(120, async (i) => (await ask('203.0.113.9', ['/oauth/token', '/oauth/register', '/mcp'][i % 3])).status);
  assert.notEqual((await ask('203.0.113.10')).status, 429);
  await server.says(/peer=203\.0\.113\.9 /);
  for (let i = 0; i < 130; i++) assert.notEqual((await ask('127.0.0.1')).status, 429);

  // a /64 network counts as one address
  await untilRefused(120, async (i) => (await ask(`2001:db8:1:2:${i.toString(16)}::${i.toString(16)}`)).status);
  assert.notEqual((await ask('2001:db8:1:3::1')).status, 429);
});

test('SEC-10 only a trusted proxy can name the client\'s address; 0 means no limit', async (t) => {
  const server = await startHttp(t, { args: ['--rate-address', '120'] });
  const statuses = async (headers) => {
    const all = [];
    for (let i = 0; i < 130; i++) all.push((await fetchHttp(server, { method: 'GET', path: '/mcp', headers: headers(i) })).status);
    return all;
  };
  assert.ok(!(await statuses(() => ({}))).includes(429), 'local requests are not limited');
  // what an unknown proxy passes on is not local, and its addresses do not count one by one
  await untilRefused(120, async (i) => (await fetchHttp(server, { method: 'GET', path: '/mcp', headers: { 'x-forwarded-for': `203.0.113.${i % 250}` } })).status);
  assert.doesNotMatch(server.stderr, /203\.0\.113\./);
  const { server: free, keys } = await startWithKey(t, ['--rate-address', '0', '--rate-calls', '0', '--rate-writes', '0']);
  for (let i = 0; i < 100; i++) assert.equal((await raw(free, keys[0], 'vault_write', { path: 'rates/x.md', content: String(i), overwrite: true })).status, 200);
});
