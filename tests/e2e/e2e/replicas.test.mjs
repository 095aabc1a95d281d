// Several replicas behind nginx: any of them serves any request, and what one did is true for all.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { modernHeaders, modernMessage, tempDir, until } from '../support.mjs';
import { callTool, letIn } from './people.mjs';
import { CLIENTS, caughtUp, startReplicas } from './replica_world.mjs';

const textOf = (result) => {
  assert.ok(!result.isError, JSON.stringify(result));
  return JSON.parse(result.content[0].text);
};

/** One request of the legacy era, to one replica. */
async function legacy(replica, token, message, session, method = 'POST', headers = {}) {
  const answer = await fetch(replica.url, {
    method, body: message && JSON.stringify(message),
    headers: { authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...(session ? { 'mcp-session-id': session } : {}), ...headers },
  });
  const text = method === 'GET' ? '' : await answer.text();
  const data = text.match(/^data: (.*)$/m)?.[1] ?? text;
  return { status: answer.status, session: answer.headers.get('mcp-session-id'), message: data ? JSON.parse(data) : undefined, body: answer.body, answer };
}

test('replicas: clients of both eras are served by all of them', { timeout: 300_000 }, async (t) => {
  const log = path.join(tempDir(t), 'own', 'calls.jsonl');
  const w = await startReplicas(t, { args: ['--audit', log] });
  const { replicas, front } = w;

  await t.test('a person signs in through all of them, and the token works everywhere', async () => {
    w.anna = await letIn(front);
    for (const replica of replicas) {
      const { status, message } = await callTool(replica, w.anna.token, 'vault_info');
      assert.equal(status, 200);
      assert.ok(!message.result.isError, JSON.stringify(message));
    }
  });

  await t.test('the audit log says which replica a call was made at', async () => {
    const lines = await until('a line of each', () => {
      const all = readFileSync(log, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)).filter((line) => line.event === 'call');
      return all.length >= replicas.length && all;
    });
    assert.equal(new Set(lines.map((line) => line.replica)).size, replicas.length);
    for (const line of lines) assert.deepEqual([line.user, line.name], ['anna', 'vault_info']);
  });

  for (const [era, connect] of Object.entries(CLIENTS))
    await t.test(`the official client of the ${era} era, through nginx`, async () => {
      const { client, call } = await connect(front.url, w.anna.token);
      for (let i = 0; i < 9; i++) {
        const path = `${era} ${i}.md`;
        await call('vault_write', { path, content: `note ${i}\n` }).then(textOf);
        for (let k = 0; k < 3; k++) assert.equal(textOf(await caughtUp(() => call('vault_read', { path }))).content, `note ${i}\n`, 'a client reads what it wrote, wherever it reads');
      }
      await client.close();
    });

  await t.test('a legacy session is known to all, and ends for all', async () => {
    const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } } };
    const { session } = await legacy(replicas[0], w.anna.token, hello);
    const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
    for (const replica of replicas) assert.equal((await legacy(replica, w.anna.token, ping, session)).status, 200);
    assert.equal((await legacy(replicas[1], w.anna.token, undefined, session, 'DELETE')).status, 204);
    for (const replica of replicas) await until('it has ended', async () => (await legacy(replica, w.anna.token, ping, session)).status === 404);
  });

  await t.test('a subscription made at one is heard on the stream at another, of a change at a third', async () => {
    const hello = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } } };
    const { session } = await legacy(replicas[0], w.anna.token, hello);
    const stream = await legacy(replicas[0], w.anna.token, undefined, session, 'GET');
    let heard = '';
    (async () => { for await (const part of stream.body) heard += Buffer.from(part); })().catch(() => {});
    await legacy(replicas[1], w.anna.token, { jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri: 'vault:///Garden.md' } }, session);
    await until('the stream knows of it', async () => {
      const change = await callTool(replicas[2], w.anna.token, 'vault_insert', { path: 'Garden.md', content: 'more' });
      assert.ok(!change.message.result.isError, JSON.stringify(change.message));
      return /resources\/updated.*Garden\.md/.test(heard);
    });
    const lost = await legacy(replicas[1], w.anna.token, undefined, session, 'GET', { 'last-event-id': '0000000000000010-1' });
    assert.equal(lost.status, 404, 'the stream of a call cannot be resumed elsewhere');
    await stream.body.cancel().catch(() => {});
  });

  await t.test('a task that runs at one is known to the others', async () => {
    const ask = async (replica, method, params) => {
      const message = modernMessage(method, { ...params, _meta: { 'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } } } });
      const answer = await fetch(replica.url, { method: 'POST', body: JSON.stringify(message), headers: { ...modernHeaders(message), authorization: `Bearer ${w.anna.token}` } });
      return (await answer.json()).result;
    };
    const { taskId, status } = await ask(replicas[0], 'tools/call', { name: 'vault_sync', arguments: {} });
    assert.equal(status, 'working');
    let task;
    await until('another one has the result', async () => (task = await ask(replicas[1], 'tasks/get', { taskId }))?.status === 'completed');
    assert.equal(JSON.parse(task.result.content[0].text).kind, 'git');
    assert.ok(await ask(replicas[2], 'tasks/cancel', { taskId }));
  });

  await t.test('a change with a key is made once, wherever the retries go', async () => {
    const wish = { path: 'Garden.md', content: 'Once', idempotency_key: 'once' };
    const results = await Promise.all([0, 1, 2, 0, 1, 2].map((i) => callTool(replicas[i], w.anna.token, 'vault_insert', wish)));
    for (const { message } of results) assert.ok(!message.result.isError, JSON.stringify(message));
    await w.converge();
    assert.equal(w.git('remote.git', 'show', 'main:Garden.md').match(/^Once$/gm).length, 1);
    const other = await callTool(replicas[1], w.anna.token, 'vault_insert', { ...wish, content: 'Twice' });
    assert.match(other.message.result.content[0].text, /KEY_REUSED/);
  });

  await t.test('changes at all of them at the same time are all pushed', async () => {
    const people = [];
    for (let i = 0; i < 6; i++) people.push(await letIn(front));
    const results = await Promise.all(Array.from({ length: 48 }, (_, i) => callTool(replicas[i % 3], people[i % 6].token, 'vault_write', { path: `Together/${i}.md`, content: 'x\n' })));
    for (const { message } of results) assert.ok(!message.result.isError, JSON.stringify(message));
    assert.equal(w.git('remote.git', 'ls-tree', '-r', '--name-only', 'main', 'Together/').split('\n').length, 48);
  });

  await t.test('a change is visible elsewhere soon, and at once for the client that made it', async () => {
    const bob = await letIn(front, { name: 'bob' });
    const times = [];
    for (let i = 0; i < 5; i++) {
      await callTool(replicas[i % 3], w.anna.token, 'vault_write', { path: `Fresh ${i}.md`, content: 'x\n' });
      const began = performance.now();
      await until('others see it', async () => !(await callTool(replicas[(i + 1) % 3], bob.token, 'vault_read', { path: `Fresh ${i}.md` })).message.result.isError);
      times.push(performance.now() - began);
      const own = await callTool(replicas[(i + 2) % 3], w.anna.token, 'vault_read', { path: `Fresh ${i}.md` });
      assert.ok(!own.message.result.isError, JSON.stringify(own.message));
    }
    t.diagnostic(`visible elsewhere after ${times.map(Math.round).join(', ')} ms`);
  });

  await t.test('revocation and reuse of a refresh token hold everywhere', async () => {
    const carl = await letIn(front);
    for (const replica of replicas) assert.equal((await callTool(replica, carl.token, 'vault_info')).status, 200);
    const revoke = (token) => fetch(`${replicas[0].origin}/oauth/revoke`, { method: 'POST', body: new URLSearchParams({ token, client_id: carl.client }) });
    assert.equal((await revoke(carl.refresh_token)).status, 200);
    const began = performance.now();
    for (const replica of replicas) await until('it is revoked', async () => (await callTool(replica, carl.token, 'vault_info')).status === 401);
    t.diagnostic(`revoked everywhere after ${Math.round(performance.now() - began)} ms`);

    const dora = await letIn(front);
    const refresh = async (replica, token) => {
      const answer = await fetch(`${replica.origin}/oauth/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: token, client_id: dora.client }) });
      return { status: answer.status, ...(await answer.json()) };
    };
    let token = dora.refresh_token;
    for (const replica of [...replicas, ...replicas]) {
      const next = await refresh(replica, token);
      assert.equal(next.status, 200, JSON.stringify(next));
      token = next.refresh_token;
    }
    assert.equal((await refresh(replicas[1], dora.refresh_token)).status, 400, 'an old token at another replica');
    assert.equal((await refresh(replicas[2], token)).status, 400, 'its family is revoked');
  });
  await w.converge();
});
