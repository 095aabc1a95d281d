// replicas.mjs: calls a second with one, two and three replicas behind nginx, the time from a change to its visibility
// elsewhere, and what PostgreSQL costs against SQLite. Prints rows of a Markdown table. VAULTD: the program.
//
// Everything runs on one machine. Where it has fewer cores than replicas, their number cannot raise the rate: then the
// CPU time that a call costs them (with the git commands they run) says more.
import { readFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import { modernHeaders, modernMessage } from '../tests/e2e/support.mjs';
import { callTool, letIn, startWithPeople } from '../tests/e2e/e2e/people.mjs';
import { startReplicas } from '../tests/e2e/e2e/replica_world.mjs';

const SECONDS = process.argv.includes('--quick') ? 3 : 10;
const CONNECTIONS = 16;
const MANY = 128; // changes that wait are pushed together, so their rate depends on how many there are
const CALLERS = 4; // each with a quarter of the connections
const TICK_MS = 10; // of the kernel's counters of CPU time

/** What the harness of the tests expects of a test. */
function makeOwner() {
  const ends = [];
  return { after: (end) => ends.push(end), diagnostic: () => {}, async end() { for (const end of ends) await end(); } };
}

const quantile = (times, q) => times.sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * q))];
const ms = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);

/* --- load --- */

/** A connection that costs the client little: one call at a time, sent and read as bytes. */
class Wire {
  #parts = [];
  #missing = Infinity;

  constructor(port) {
    this.port = port;
    this.#connect();
  }

  #connect() {
    this.socket?.destroy();
    this.socket = net.connect(this.port, '127.0.0.1').setNoDelay();
    this.socket.on('data', (data) => this.#take(data)).on('error', (error) => this.no?.(error));
  }

  #take(data) {
    this.#parts.push(data);
    if (this.#missing === Infinity) {
      const text = Buffer.concat(this.#parts).toString('latin1');
      const head = text.indexOf('\r\n\r\n');
      if (head < 0) return;
      this.#missing = head + 4 + Number(text.slice(0, head).match(/^content-length: (\d+)/im)[1]) - text.length;
    } else this.#missing -= data.length;
    if (this.#missing > 0) return;
    const answer = Buffer.concat(this.#parts).toString();
    this.#parts = [];
    this.#missing = Infinity;
    if (/^connection: close/im.test(answer)) this.#connect(); // nginx does so after a thousand calls
    if (answer.startsWith('HTTP/1.1 200 ') && !answer.includes('"isError":true')) this.done();
    else this.no(new Error(answer)); // a failed call must not count as a fast one
  }

  call(bytes) {
    return new Promise((done, no) => {
      Object.assign(this, { done, no });
      this.socket.write(bytes);
    });
  }
}

function bytesOf(issuer, token, name, args) {
  const message = modernMessage('tools/call', { name, arguments: args });
  const body = JSON.stringify(message);
  const headers = { ...modernHeaders(message), host: new URL(issuer).host, authorization: `Bearer ${token}`, 'content-length': Buffer.byteLength(body) };
  return `POST /mcp HTTP/1.1\r\n${Object.entries(headers).map(([key, value]) => `${key}: ${value}\r\n`).join('')}\r\n${body}`;
}

/** CPU time of processes and the children they have waited for, in milliseconds. */
function cpuOf(servers) {
  const ticks = ({ pid }) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 15).reduce((sum, n) => sum + Number(n), 0);
  return TICK_MS * servers.reduce((sum, server) => sum + ticks(server), 0);
}

/** Call a tool over all connections for so long. cpu: of the replicas, for a call; client: cores that this process used. */
async function load({ front: { port, issuer }, replicas }, tokens, name, argsOf, connections = CONNECTIONS) {
  const times = [];
  const before = cpuOf(replicas), own = process.cpuUsage();
  const began = performance.now(), end = began + 1000 * SECONDS;
  let n = 0;
  await Promise.all(Array.from({ length: connections }, async (_, i) => {
    const wire = new Wire(port);
    for (let now; (now = performance.now()) < end; times.push(performance.now() - now)) await wire.call(bytesOf(issuer, tokens[i % tokens.length], name, argsOf(n++)));
    wire.socket.destroy();
  }));
  const took = performance.now() - began, { user, system } = process.cpuUsage(own);
  return {
    rate: Math.round((1000 * times.length) / took), p50: quantile(times, 0.5), p99: quantile(times, 0.99),
    cpu: (cpuOf(replicas) - before) / times.length, client: (user + system) / 1000 / took,
  };
}

const said = ({ rate, p50, p99, cpu, client }) => `${rate}/s, p50 ${ms(p50)}, p99 ${ms(p99)}; CPU of the replicas ${cpu.toFixed(2)} ms a call; the client used ${client.toFixed(2)} cores`;

async function measureReplicas(n) {
  const t = makeOwner();
  const w = await startReplicas(t, { n });
  const callers = [];
  for (let i = 0; i < CALLERS; i++) callers.push(await letIn(w.front));
  const tokens = callers.map(({ token }) => token);
  for (const token of tokens) for (const replica of w.replicas) await callTool(replica, token, 'vault_info');
  const name = `${n} ${n === 1 ? 'replica' : 'replicas'}`;
  row(`vault_read, ${name}`, said(await load(w, tokens, 'vault_read', () => ({ path: 'Garden.md' }))));
  for (const connections of [CONNECTIONS, MANY])
    row(`vault_write with --sync-ack push, ${name}, ${connections} connections`, said(await load(w, tokens, 'vault_write', (i) => ({ path: `Load ${connections}/${i}.md`, content: 'x\n' }), connections)));
  if (n === 3) await measureVisibility(w, callers[0]);
  await t.end();
}

/** From the answer to a change until another user's client reads it at another replica. */
async function measureVisibility(w, anna) {
  const bob = await letIn(w.front, { name: 'bob' });
  const times = [];
  for (let i = 0; i < 20; i++) {
    const path = `Seen ${i}.md`;
    await callTool(w.replicas[i % 3], anna.token, 'vault_write', { path, content: 'x\n' });
    const began = performance.now();
    while ((await callTool(w.replicas[(i + 1) % 3], bob.token, 'vault_read', { path })).message.result.isError) continue;
    times.push(performance.now() - began);
  }
  row('a change visible at another replica, after its answer', `p50 ${ms(quantile(times, 0.5))}, p99 ${ms(quantile(times, 0.99))}`);
}

async function measureStore(name, server) {
  const anna = await letIn(server);
  const time = async (n, call) => {
    const times = [];
    for (let i = 0; i < n; i++) {
      const began = performance.now();
      await call(i);
      times.push(performance.now() - began);
    }
    return quantile(times, 0.5);
  };
  let token = anna.refresh_token;
  const tokens = [];
  const refresh = await time(50, async () => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token, client_id: anna.client });
    const answer = await (await fetch(`${server.origin}/oauth/token`, { method: 'POST', body })).json();
    token = answer.refresh_token;
    tokens.push(answer.access_token);
  });
  const fresh = await time(tokens.length, (i) => callTool(server, tokens[i], 'vault_info'));
  const known = await time(200, () => callTool(server, tokens.at(-1), 'vault_info'));
  row(`refresh, ${name}`, ms(refresh));
  row(`a call with a token not seen before / seen before, ${name}`, `${ms(fresh)} / ${ms(known)}`);
}

row('replicas', 'measured');
row('---', '---');
row('this machine', `${os.availableParallelism()} cores for everything; load ${os.loadavg()[0].toFixed(1)} before`);
for (const n of [1, 2, 3]) await measureReplicas(n);
const alone = makeOwner();
await measureStore('SQLite', await startWithPeople(alone, { args: ['--rate-calls', '0', '--rate-address', '0'] }));
await alone.end();
const shared = makeOwner();
const w = await startReplicas(shared, { n: 1, ack: 'local' });
await measureStore('PostgreSQL', w.front);
await shared.end();
