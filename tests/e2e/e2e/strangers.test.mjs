// Callers without a token: how much memory and how many connections they can take.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { VAULTD, cleanEnv, fetchHttp, modernHeaders, modernMessage, run, tempDir, until } from '../support.mjs';
import { startWithPeople } from './people.mjs';

const MIB = 1 << 20;

/** VmHWM or VmRSS of the server, in MiB. */
const memory = (server, what) => Number(readFileSync(`/proc/${server.pid}/status`, 'latin1').match(new RegExp(`${what}:\\s+(\\d+) kB`))[1]) / 1024;

async function addKey(t, server, name) {
  const env = cleanEnv(tempDir(t), { STATE_DIR: server.state });
  return (await run(VAULTD, ['key', 'add', name], { env })).stdout.trim();
}

/** A connection that has sent a head, and may send more. */
class Sender {
  text = '';
  closed = false;

  constructor(t, server, { headers = {}, length }) {
    this.socket = net.connect(server.port, '127.0.0.1');
    this.socket.on('data', (data) => { this.text += data; });
    this.socket.on('error', () => {});
    this.socket.on('close', () => { this.closed = true; });
    t.after(() => this.socket.destroy());
    const all = { Host: 'localhost', 'Content-Type': 'application/json', 'Content-Length': length, ...headers };
    this.socket.write(`POST /mcp HTTP/1.1\r\n${Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
  }

  get status() { return Number(this.text.match(/^HTTP\/1\.1 (\d{3})/)?.[1] ?? 0); }
}

const ask = (server, key, headers = {}) => {
  const message = modernMessage('tools/call', { name: 'vault_info', arguments: {} });
  return fetchHttp(server, { headers: { ...modernHeaders(message), authorization: `Bearer ${key}`, ...headers }, body: JSON.stringify(message) });
};

test('bodies of strangers are refused at the end of the head, and take no memory', async (t) => {
  const server = await startWithPeople(t);
  const before = memory(server, 'VmRSS');
  const senders = Array.from({ length: 100 }, () => new Sender(t, server, { length: 4 * MIB }));
  const body = Buffer.alloc(MIB / 2, 'x');
  for (const { socket } of senders) socket.write(body);
  await until('all of them are refused', () => senders.every((s) => s.status === 401));
  assert.ok(memory(server, 'VmHWM') - before < 40, `${memory(server, 'VmHWM')} MiB, ${before} before`);
});

test('an unknown token is refused in the same way, and a valid one may send all of it at once', async (t) => {
  const server = await startWithPeople(t);
  const key = await addKey(t, server, 'one');
  const wrong = new Sender(t, server, { length: MIB, headers: { Authorization: `Bearer ${'0'.repeat(64)}` } });
  await until('it is refused', () => wrong.status === 401);
  const message = modernMessage('tools/call', { name: 'vault_info', arguments: {}, _meta: { padding: 'x'.repeat(MIB) } });
  const body = JSON.stringify({ ...message, params: { ...message.params, _meta: { ...message.params._meta, padding: 'x'.repeat(MIB) } } });
  const right = new Sender(t, server, { length: body.length, headers: { ...modernHeaders(message), Accept: 'application/json, text/event-stream', Authorization: `Bearer ${key}` } });
  right.socket.write(body);
  await until('it is answered', () => right.status === 200);
});

test('one address behind the proxy cannot take all connections', async (t) => {
  const server = await startWithPeople(t, { args: ['--trusted-proxies', '127.0.0.1', '--max-connections', '128'] });
  const key = await addKey(t, server, 'one');
  const from = (address) => ({ 'X-Forwarded-For': address });
  const senders = Array.from({ length: 120 }, () => new Sender(t, server, { length: 100, headers: from('203.0.113.7') }));
  await until('most of them are refused', () => senders.filter((s) => s.status === 429).length === 120 - 32);
  assert.equal((await ask(server, key, from('203.0.113.8'))).status, 200);
  assert.equal((await ask(server, key, from('203.0.113.7'))).status, 200, 'a known token from the same address');
});

test('strangers of many addresses leave a quarter of the connections to others', async (t) => {
  const server = await startWithPeople(t, { args: ['--trusted-proxies', '127.0.0.1', '--max-connections', '64'] });
  const key = await addKey(t, server, 'one');
  const senders = Array.from({ length: 60 }, (_, i) => new Sender(t, server, { length: 100, headers: { 'X-Forwarded-For': `203.0.113.${i}` } }));
  await until('the rest is refused', () => senders.filter((s) => s.status === 503).length === 60 - 48);
  assert.equal((await ask(server, key)).status, 200);
});

test('callers who take all connections lose one to a caller who has none', async (t) => {
  const server = await startWithPeople(t, { args: ['--max-connections', '32'] });
  const keys = [];
  for (const name of ['one', 'two', 'three']) keys.push(await addKey(t, server, name));
  const send = (key) => new Sender(t, server, { length: 100, headers: { Authorization: `Bearer ${key}`, Expect: '100-continue' } });
  const senders = Array.from({ length: 32 }, (_, i) => send(keys[i % 2]));
  await until('all of them may send', () => senders.every((s) => s.status === 100 || s.closed));
  assert.equal((await ask(server, keys[2])).status, 200);
  await until('one of them is closed', () => senders.some((s) => s.closed));
});
