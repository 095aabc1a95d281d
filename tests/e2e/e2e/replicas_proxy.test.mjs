// The proxies of examples/proxy in front of several replicas: what is sent to another one, and what is never sent twice.
import assert from 'node:assert/strict';
import http from 'node:http';
import test from 'node:test';
import { NEWEST_LEGACY, Session, modernHeaders, modernMessage, sleep, until, within, withToken } from '../support.mjs';
import { callTool, freePort, letIn } from './people.mjs';
import { FRONTS, REPEATS, startFront } from './replica_fronts.mjs';
import { CLIENTS, caughtUp, startReplicas } from './replica_world.mjs';

/* --- servers that only count --- */

/** Two of them. behave: what each does with a request that it has read, by its number; all: the requests of both. */
async function startCounters(t) {
  const two = { all: [], servers: [], ports: [], behave: [] };
  for (const i of [0, 1]) {
    const server = http.createServer((request, response) => {
      if (request.url === '/health') return response.end();
      request.resume().once('end', () => {
        two.all.push(i);
        const status = two.behave[i];
        if (status === 'reset') request.socket.destroy();
        else response.writeHead(status, { 'content-type': 'text/plain' }).end(String(i));
      });
    }).listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    two.servers.push(server);
    two.ports.push(server.address().port);
  }
  t.after(() => two.servers.forEach((server) => server.closeAllConnections() ?? server.close()));
  return two;
}

const LATER = { 'last-event-id': '0000000000000010-1' };

/** By method and headers: what the two do, the statuses that the client may get, and how many requests they may get. */
const CASES = [
  ['a POST is answered', 'POST', {}, [200, 200], [200], 1],
  ['a POST is not repeated after 503', 'POST', {}, [503, 503], [503], 1],
  ['a POST is not repeated after 404', 'POST', {}, [404, 404], [404], 1],
  ['a POST that was sent is not repeated when the connection breaks', 'POST', {}, ['reset', 'reset'], [502], 1],
  ['a GET is not repeated after 503', 'GET', {}, [503, 503], [503], 1],
  ['a stream is found at the other one', 'GET', LATER, [404, 200], [200], 2],
  ['a stream is found at the first one', 'GET', LATER, [200, 404], [200], 2],
  ['an unknown stream', 'GET', LATER, [404, 404], [404], 2],
];

for (const kind of Object.keys(FRONTS))
  test(`replicas: ${kind} repeats only what was not begun`, async (t) => {
    const port = await freePort();
    const two = await startCounters(t);
    await startFront(t, kind, port, two.ports);
    const ask = (method, headers) => fetch(`http://127.0.0.1:${port}/mcp`, { method, headers, body: method === 'POST' ? '{}' : undefined });
    const both = async () => {
      two.behave = [200, 200];
      await until('both are used', async () => {
        two.all = [];
        for (let i = 0; i < 8; i++) await ask('POST', {});
        return new Set(two.all).size === 2;
      });
    };
    for (const [name, method, headers, behave, statuses, most] of CASES) {
      two.behave = behave;
      for (let i = 0; i < 4; i++) { // beginning with either of them
        two.all = [];
        const { status } = await ask(method, headers);
        assert.ok(statuses.includes(status), `${name}: ${status}`);
        assert.ok(two.all.length >= 1 && two.all.length <= most, `${name}: ${two.all}`);
        if (behave.includes('reset')) await both(); // one that has failed is left out for a while
        two.behave = behave;
      }
    }
    await both();
    two.all = [];
    for (const at of ['/changes', '/changes?change=1', '/account', '/account/undo', '/changes'])
      assert.equal((await fetch(`http://127.0.0.1:${port}${at}`, { method: at.endsWith('undo') ? 'POST' : 'GET' })).status, 200);
    assert.equal(new Set(two.all).size, 1, 'a browser stays with one');
    two.servers[0].closeAllConnections();
    await new Promise((done) => two.servers[0].close(done));
    const other = async () => {
      for (let i = 0; i < 8; i++) if ((await (await ask('POST', {})).text()) !== '1') return false;
      return true;
    };
    if (REPEATS[kind]) assert.ok(await other(), 'one that is down is not noticed');
    else await until('one that is down is left out', other);
  });

for (const kind of Object.keys(FRONTS))
  test(`replicas: ${kind} sends each call with its own body`, async (t) => {
    const port = await freePort();
    const server = http.createServer((request, response) => {
      const parts = [];
      request.on('data', (part) => parts.push(part)).once('end', () => response.end(`${request.headers['x-call']} ${Buffer.concat(parts)}`));
    }).listen(0, '127.0.0.1');
    await new Promise((done) => server.once('listening', done));
    t.after(() => server.closeAllConnections() ?? server.close());
    await startFront(t, kind, port, [await freePort(), server.address().port]); // one is down
    let n = 0, sent = 0;
    const client = async () => {
      while (n < 400) {
        const call = String(10_000_000 + n++);
        const answer = await fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers: { 'x-call': call }, body: call });
        const text = await answer.text();
        if (answer.status !== 200) continue;
        assert.equal(text, `${call} ${call}`);
        sent++;
      }
    };
    await Promise.all(Array.from({ length: 16 }, client));
    assert.ok(sent > 0);
  });

/* --- replicas --- */

/** A change that waits for the git server is under way when its replica is killed: it fails, and no other replica makes it again. */
async function checkKilled(w, anna, kind) {
  await w.converge(60_000); // without what a change would have to pull first
  w.wires.git.cut = true;
  const message = modernMessage('tools/call', { name: 'vault_insert', arguments: { path: 'Garden.md', content: 'Only once' } });
  const change = fetch(w.front.url, { method: 'POST', headers: { ...modernHeaders(message), authorization: `Bearer ${anna.token}` }, body: JSON.stringify(message) });
  const committed = (i) => w.git_of(i, 'show', 'HEAD:Garden.md').includes('Only once');
  const has = (i) => w.git_of(i, 'diff', 'HEAD', '--', 'Garden.md').includes('Only once') || committed(i);
  // a change that is on the disk and not yet in the journal would be rolled back, one that is committed is complete
  const at = await until('a replica commits it', () => w.replicas.findIndex((_, i) => committed(i)) + 1) - 1;
  await w.replicas[at].crash();
  assert.equal((await change).status, 502);
  const goOn = async () => {
    for (let i = 0; i < 6; i++) if ((await callTool(w.front, anna.token, 'vault_info')).status !== 200) return false;
    return true;
  };
  if (REPEATS[kind]) assert.ok(await goOn(), 'the others go on');
  else await until('the others go on', goOn);
  assert.ok(w.replicas.every((_, i) => i === at || !has(i)), 'it was not sent to another replica');
  w.wires.git.cut = false;
  w.wires.git.drop();
  await w.again(at);
  await w.converge(60_000);
  assert.equal(w.git('remote.git', 'show', 'main:Garden.md').match(/^Only once$/gm).length, 1);
}

/** How many calls each replica has logged. */
const calls = (w) => w.replicas.map(({ stderr }) => stderr.match(/ request .*path=\/mcp/g)?.length ?? 0);

/** The proxy sends calls to all of them. */
async function allUsed(w, anna) {
  const before = calls(w);
  await until('all are used', async () => {
    await callTool(w.front, anna.token, 'vault_info');
    return calls(w).every((n, i) => n > before[i]);
  });
}

/** The first replica is told to stop, and goes on until the proxy has noticed: a second signal then ends the wait. */
async function leftOut(w, anna) {
  w.replicas[0].child.kill('SIGTERM');
  await until('the proxy leaves it out', async () => {
    const before = calls(w), logged = () => calls(w).reduce((sum, n, i) => sum + n - before[i], 0);
    while (logged() < 40) await callTool(w.front, anna.token, 'vault_info'); // the log is written after the answer
    return calls(w)[0] === before[0];
  });
}

for (const [kind, n] of [['nginx', 3], ['caddy', 2]])
  test(`replicas: ${n} of them behind ${kind}`, { timeout: 300_000 }, async (t) => {
    const w = await startReplicas(t, { n, proxy: kind, wired: true, args: REPEATS[kind] ? [] : ['--stop-delay', '20'] });
    const anna = await letIn(w.front);
    for (const [era, connect] of Object.entries(CLIENTS)) {
      const { client, call } = await connect(w.front.url, anna.token);
      const path = `${era}.md`;
      assert.ok(!(await call('vault_write', { path, content: 'note\n' })).isError);
      for (let i = 0; i < 2 * n; i++) assert.ok(!(await caughtUp(() => call('vault_read', { path }))).isError, 'a client reads what it wrote, wherever it reads');
      await client.close();
    }

    await t.test('events arrive at once, and a stream ends with its session', async () => {
      const session = await Session.open(withToken(w.front, anna.token), NEWEST_LEGACY);
      const stream = await session.listen();
      assert.ok(!(await session.request('resources/subscribe', { uri: 'vault:///Garden.md' })).message.error);
      await until('the change is heard', async () => {
        await callTool(w.replicas[0], anna.token, 'vault_insert', { path: 'Garden.md', content: 'more' });
        return stream.messages.some(({ method }) => method === 'notifications/resources/updated');
      });
      assert.equal((await session.delete()).status, 204);
      await within(stream.end, 'the stream ends');
    });

    await t.test('a replica that is stopped is not noticed', async () => {
      await allUsed(w, anna); // none is left out because it was slow before
      let over = false;
      const failed = [];
      const reader = async () => {
        while (!over) {
          const answer = await callTool(w.front, anna.token, 'vault_read', { path: 'Garden.md' });
          if (answer.status !== 200) failed.push(answer); // with the message: the proxy sends none
        }
      };
      const readers = [reader(), reader(), reader()];
      await sleep(300);
      if (!REPEATS[kind]) await leftOut(w, anna);
      await w.replicas[0].stop();
      await sleep(1000);
      over = true;
      await Promise.all(readers);
      assert.deepEqual(failed, []);
      await w.again(0);
      await allUsed(w, anna);
    });

    await t.test('a replica that is killed: what it was doing fails, and is not repeated', () => checkKilled(w, anna, kind));
    if (!REPEATS[kind]) w.replicas.forEach(({ child }) => child.kill('SIGTERM')); // the next one ends them at once
  });
