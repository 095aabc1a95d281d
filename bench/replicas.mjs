// replicas.mjs: calls a second with one, two and three replicas behind nginx, the time from a change to its visibility
// elsewhere, and what PostgreSQL costs against SQLite. Prints rows of a Markdown table. VAULTD: the program.
import http from 'node:http';
import { modernHeaders, modernMessage } from '../tests/e2e/support.mjs';
import { callTool, letIn, startWithPeople } from '../tests/e2e/e2e/people.mjs';
import { startReplicas } from '../tests/e2e/e2e/replica_world.mjs';

const SECONDS = process.argv.includes('--quick') ? 3 : 10;
const CONNECTIONS = 16;

/** What the harness of the tests expects of a test. */
function makeOwner() {
  const ends = [];
  return { after: (end) => ends.push(end), diagnostic: () => {}, async end() { for (const end of ends) await end(); } };
}

const quantile = (times, q) => times.sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * q))];
const ms = (value) => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
const row = (...cells) => console.log(`| ${cells.join(' | ')} |`);

/** Call a tool over so many connections for so long. */
async function load({ port, issuer }, token, name, argsOf) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const times = [];
  const end = performance.now() + 1000 * SECONDS;
  let n = 0;
  const one = () => new Promise((done, no) => {
    const message = modernMessage('tools/call', { name, arguments: argsOf(n++) });
    const began = performance.now();
    const request = http.request({ agent, port, host: '127.0.0.1', method: 'POST', path: '/mcp', headers: { ...modernHeaders(message), host: new URL(issuer).host, authorization: `Bearer ${token}` } }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => (text += part)).once('end', () => {
        times.push(performance.now() - began);
        if (answer.statusCode === 200 && !JSON.parse(text).result.isError) done();
        else no(new Error(`${answer.statusCode}: ${text}`)); // a failed call must not count as a fast one
      });
    });
    request.on('error', no).end(JSON.stringify(message));
  });
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => { while (performance.now() < end) await one(); }));
  agent.destroy();
  return { rate: Math.round(times.length / SECONDS), p99: quantile(times, 0.99), p50: quantile(times, 0.5) };
}

async function measureReplicas(n) {
  const t = makeOwner();
  const w = await startReplicas(t, { n });
  const anna = await letIn(w.front);
  await callTool(w.front, anna.token, 'vault_info');
  const reads = await load(w.front, anna.token, 'vault_read', () => ({ path: 'Garden.md' }));
  row(`vault_read, ${n} ${n === 1 ? 'replica' : 'replicas'}`, `${reads.rate}/s, p99 ${ms(reads.p99)}`);
  const writes = await load(w.front, anna.token, 'vault_write', (i) => ({ path: `Load/${i}.md`, content: 'x\n' }));
  row(`vault_write with --sync-ack push, ${n} ${n === 1 ? 'replica' : 'replicas'}`, `${writes.rate}/s, p50 ${ms(writes.p50)}, p99 ${ms(writes.p99)}`);
  if (n === 3) await measureVisibility(w, anna);
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
for (const n of [1, 2, 3]) await measureReplicas(n);
const alone = makeOwner();
await measureStore('SQLite', await startWithPeople(alone, { args: ['--rate-calls', '0', '--rate-address', '0'] }));
await alone.end();
const shared = makeOwner();
const w = await startReplicas(shared, { n: 1, ack: 'local' });
await measureStore('PostgreSQL', w.front);
await shared.end();
