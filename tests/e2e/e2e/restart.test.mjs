// A server is killed and restarted between two requests: its clients do not notice.
import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { LEGACY, MODERN, Session, copyVault, fetchHttp, modernMessage, post, postModern, startHttp, until } from '../support.mjs';

/** A server that can be killed and restarted at the same address with the same state. */
async function phoenix(t, options = {}) {
  const bird = { server: await startHttp(t, options), lives: 1 };
  bird.rise = async (how = 'crash') => {
    await bird.server[how]();
    const { port, state } = bird.server;
    bird.server = await startHttp(t, { ...options, port, state });
    bird.lives++;
  };
  return bird;
}

/** fetch, with an action before some of the client's POSTs. */
const fetchAfter = (before) => {
  let posts = 0;
  return async (url, init) => {
    if (init?.method === 'POST') await before(++posts);
    return fetch(url, init);
  };
};

async function connectV1(url, before, capabilities = {}) {
  const client = new Client({ name: 'v1', version: '1' }, { capabilities });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: fetchAfter(before) }), { timeout: 120_000 });
  return client;
}

const SESSION = [
  (c) => c.listTools(),
  (c) => c.callTool({ name: 'vault_info' }),
  (c) => c.callTool({ name: 'vault_list', arguments: { path: 'Areas' } }),
  (c) => c.ping(),
  (c) => c.callTool({ name: 'vault_read', arguments: { path: 'Home.md' } }),
  (c) => c.callTool({ name: 'vault_read', arguments: { path: 'Nope.md' } }),
  (c) => c.callTool({ name: 'vault_read', arguments: { path: 'Areas/Garden/Garden log 2026.md', offset: 201 } }),
  (c) => c.listTools(),
];
const POSTS = SESSION.length + 2; // plus initialize and notifications/initialized

async function play(client) {
  const answers = [];
  for (const step of SESSION) answers.push(await step(client));
  await client.transport.terminateSession?.();
  await client.close();
  return answers;
}

test('killed and restarted between any two requests, the v1 client does not notice', async (t) => {
  const bird = await phoenix(t);
  const calm = await play(await connectV1(bird.server.url, () => {}));
  for (let gap = 2; gap <= POSTS; gap++)
    await t.test(`before POST number ${gap} of ${POSTS}`, async () => {
      const lives = bird.lives;
      const client = await connectV1(bird.server.url, async (n) => n === gap && bird.rise());
      assert.deepEqual(await play(client), calm);
      assert.equal(bird.lives, lives + 1);
    });
  await t.test('before each of its POSTs', async () => {
    const client = await connectV1(bird.server.url, async (n) => n > 1 && bird.rise());
    assert.deepEqual(await play(client), calm);
  });
  await t.test('stopped by SIGTERM instead, before each of its POSTs', async () => {
    const client = await connectV1(bird.server.url, async (n) => n > 1 && bird.rise('stop'));
    assert.deepEqual(await play(client), calm);
  });
});

for (const mode of ['legacy', 'auto', { pin: MODERN }])
  test(`killed before each POST, the v2 client (${mode.pin ?? mode}) does not notice`, async (t) => {
    const bird = await phoenix(t);
    const connect = async (before) => {
      const client = new Client2({ name: 'v2', version: '1' }, { versionNegotiation: { mode } });
      await client.connect(new Http2(new URL(bird.server.url), { fetch: fetchAfter(before) }), { timeout: 120_000 });
      return client;
    };
    const steps = SESSION.filter((_, i) => i !== 3); // ping is gone in the modern era
    const playAll = async (client) => {
      const answers = [];
      for (const step of steps) answers.push(await step(client));
      await client.close();
      return answers;
    };
    const calm = await playAll(await connect(() => {}));
    assert.deepEqual(await playAll(await connect(async (n) => n > 1 && bird.rise())), calm);
    assert.ok(bird.lives >= steps.length);
  });

test('what the client sent at initialize survives: revision and capabilities', async (t) => {
  const bird = await phoenix(t, { program: 'fixture' });
  await t.test('a v1 client can still be asked after a restart', async () => {
    const client = await connectV1(bird.server.url, async (n) => n === 3 && bird.rise(), { elicitation: {} });
    client.setRequestHandler(ElicitRequestSchema, () => ({ action: 'accept', content: { username: 'ada', email: 'a@b' } }));
    const { content } = await client.callTool({ name: 'test_elicitation', arguments: { message: 'Who?' } });
    assert.equal(content[0].text, 'User response: ada');
    await client.close();
  });
  for (const revision of LEGACY)
    await t.test(`a session of ${revision} keeps its revision`, async () => {
      const session = await Session.open(bird.server, revision);
      await bird.rise();
      session.server = bird.server;
      assert.equal((await session.request('ping')).status, 200);
      const batch = await session.post([{ jsonrpc: '2.0', id: 1, method: 'ping' }]);
      assert.equal(batch.status, revision === '2025-03-26' ? 200 : 400);
      const link = (await session.call('test_resource_link')).message.result.content[0].type;
      assert.equal(link, revision >= '2025-06-18' ? 'resource_link' : 'text');
    });
});

test('raw HTTP: one session, a new server for each of its requests', async (t) => {
  const bird = await phoenix(t);
  const session = await Session.open(bird.server);
  const again = async (how) => {
    await bird.rise(how);
    session.server = bird.server;
  };
  for (const [what, ask, status] of [
    ['ping', () => session.request('ping'), 200],
    ['tools/list', () => session.request('tools/list'), 200],
    ['a call', () => session.call('vault_info'), 200],
    ['a notification', () => session.post({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' }), 202],
    ['an unknown method', () => session.request('no/such'), 200],
    ['a broken message', () => session.post('{'), 400],
    ['the standalone stream', async () => {
      const stream = await session.listen();
      stream.close();
      return stream;
    }, 200],
    ['another call', () => session.call('vault_read', { path: 'Home.md' }), 200],
    ['the end of it', () => session.delete(), 204],
  ])
    for (const how of status === 204 ? ['crash'] : ['crash', 'stop'])
      await t.test(`${what}, after a ${how}`, async () => {
        await again(how);
        assert.equal((await ask()).status, status);
      });
});

test('a modern call with two rounds survives a restart between them', async (t) => {
  const bird = await phoenix(t, { program: 'fixture' });
  const ask = (extra = {}) => modernMessage('tools/call', {
    name: 'test_input_required_result_elicitation', arguments: {}, ...extra,
    _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } },
  });
  const { result } = (await postModern(bird.server, ask())).message;
  assert.equal(result.resultType, 'input_required');
  assert.ok(result.requestState);
  const answer = ask({ requestState: result.requestState, inputResponses: { user_name: { action: 'accept', content: { name: 'Ada' } } } });
  await bird.rise();
  assert.equal((await postModern(bird.server, answer)).message.result.content[0].text, 'Hello, Ada!');

  await t.test('but a server with another key does not accept state of the first', async () => {
    const stranger = await startHttp(t, { program: 'fixture' });
    assert.equal((await postModern(stranger, answer)).message.error.code, -32602);
  });
});

test('SEC-33 foreign session ids, and sessions that have ended', async (t) => {
  const server = await startHttp(t);
  const session = await Session.open(server);
  const gone = async (id, what) => {
    const answer = await post(server, { jsonrpc: '2.0', id: 1, method: 'ping' }, { 'mcp-session-id': id });
    assert.equal(answer.status, 404, what);
    assert.equal(answer.message.error.code, -32001, what);
    assert.ok(!('id' in answer.message), what);
  };

  await t.test('one signed with another key is 404', async () => {
    const stranger = await startHttp(t);
    await gone((await Session.open(stranger)).id, 'of another server');
    assert.equal((await session.request('ping')).status, 200);
  });

  await t.test('one with any single character changed is 404', async () => {
    for (let i = 0; i < session.id.length; i++) {
      const other = session.id[i] === 'A' ? 'B' : 'A';
      await gone(session.id.slice(0, i) + other + session.id.slice(i + 1), `character ${i}`);
    }
  });

  for (const [what, id] of [['nonsense', 'nonsense'], ['an id cut short', session.id.slice(0, -1)], ['an id made longer', `${session.id}A`],
    ['an empty id', ''], ['a very long id', 'A'.repeat(8000)]])
    await t.test(`${what} is 404`, () => gone(id, what));

  await t.test('DELETE ends it: 204, then 404 for POST, GET and DELETE; other sessions continue', async () => {
    const other = await Session.open(server);
    assert.equal((await session.delete()).status, 204);
    await gone(session.id, 'after DELETE');
    const { 'content-type': _, ...headers } = session.headers;
    assert.equal((await fetchHttp(server, { method: 'GET', headers: { ...headers, accept: 'text/event-stream' } })).status, 404);
    assert.equal((await session.delete()).status, 404);
    assert.equal((await other.request('ping')).status, 200);
  });

  await t.test('the key file is readable only by its owner', () => {
    const files = readdirSync(server.state);
    assert.ok(files.length > 0);
    for (const file of files) assert.equal(statSync(`${server.state}/${file}`).mode & 0o077, 0, file);
  });
});

const UPDATED = 'notifications/resources/updated';
const kept = (state) => readdirSync(state).filter((f) => /^clients-.*\.json$/.test(f)).map((f) => readFileSync(path.join(state, f), 'utf8')).join();

for (const how of ['crash', 'stop'])
  test(`subscriptions of a legacy session survive (${how})`, async (t) => {
    const vault = copyVault(t);
    const bird = await phoenix(t, { vault });
    const session = await Session.open(bird.server), other = await Session.open(bird.server);
    await session.request('resources/subscribe', { uri: 'vault:///Home.md' });
    await session.request('resources/subscribe', { uri: 'vault:///Areas' });
    await session.request('resources/unsubscribe', { uri: 'vault:///Areas' });
    await other.request('resources/subscribe', { uri: 'vault:///Home.md' });
    await other.delete();
    if (how === 'crash') await until('it is kept', () => kept(bird.server.state).split('vault:///').length === 2 && !kept(bird.server.state).includes('Areas'));
    await bird.rise(how);
    session.server = bird.server;
    const stream = await session.listen();
    await session.call('vault_info');
    appendFileSync(path.join(vault, 'Home.md'), 'changed\n');
    const { message } = await stream.next('an update', (e) => e.message?.method === UPDATED);
    assert.equal(message.params.uri, 'vault:///Home.md');
    assert.equal(kept(bird.server.state).split('vault:///').length, 2, 'the session that said goodbye is forgotten');
    stream.close();
  });

test('a damaged client memory is ignored', async (t) => {
  const vault = copyVault(t);
  const bird = await phoenix(t, { vault });
  const session = await Session.open(bird.server);
  await session.request('resources/subscribe', { uri: 'vault:///Home.md' });
  await until('it is kept', () => kept(bird.server.state));
  await bird.server.crash();
  for (const file of readdirSync(bird.server.state).filter((f) => f.startsWith('clients-')))
    writeFileSync(path.join(bird.server.state, file), '[{"client":"\0\xff');
  const { port, state } = bird.server;
  bird.server = await startHttp(t, { vault, port, state });
  session.server = bird.server;
  assert.equal((await session.request('ping')).status, 200);
  assert.ok((await session.request('resources/subscribe', { uri: 'vault:///Home.md' })).message.result);
  await until('it is whole again', () => kept(state).includes('"uris":["vault:///Home.md"]'));
});
