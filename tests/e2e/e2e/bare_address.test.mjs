// People give their client the bare address: the endpoint answers there as at /mcp.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { JSON_HEADERS, asBody, fetchHttp, initializeMessage, modernHeaders, modernMessage, openHttp, startHttp } from '../support.mjs';
import { letIn, startWithPeople } from './people.mjs';

const send = (server, message, headers = {}) => fetchHttp(server, { path: '/', headers: { ...JSON_HEADERS, ...headers }, body: asBody(message) });

test('POST, GET and DELETE of the bare address are the endpoint, in both eras', async (t) => {
  const server = await startHttp(t);
  const discover = modernMessage('server/discover');
  assert.equal((await send(server, discover, modernHeaders(discover))).status, 200);
  const opened = await send(server, initializeMessage());
  const session = { 'mcp-session-id': opened.headers['mcp-session-id'] };
  assert.equal((await send(server, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, session)).status, 200);
  const stream = await openHttp(server, { method: 'GET', path: '/', headers: { ...session, accept: 'text/event-stream' } });
  assert.equal(stream.headers['content-type'].split(';')[0], 'text/event-stream');
  stream.close();
  assert.equal((await fetchHttp(server, { method: 'DELETE', path: '/', headers: session })).status, 204);
  assert.equal((await send(server, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, session)).status, 404);
});

test('the official client works with the bare address', async (t) => {
  const server = await startHttp(t);
  const client = new Client({ name: 'e2e', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${server.port}`)));
  assert.ok((await client.listTools()).tools.length > 10);
  await client.close();
});

test('SEC-06 SEC-30 the gate is the same, and its challenge is about the bare address', async (t) => {
  const server = await startWithPeople(t);
  for (const method of ['POST', 'DELETE']) {
    const { status, headers } = await fetchHttp(server, { method, path: '/', headers: JSON_HEADERS });
    assert.equal(status, 401, method);
    const url = headers['www-authenticate'].match(/resource_metadata="([^"]+)"/)[1];
    assert.equal(url, `${server.issuer}/.well-known/oauth-protected-resource`);
    const { message } = await fetchHttp(server, { method: 'GET', path: new URL(url).pathname, headers: {} });
    assert.equal(message.resource, server.issuer);
  }
  assert.equal((await fetchHttp(server, { method: 'GET', path: '/', headers: { accept: 'text/event-stream' } })).status, 401);
  const { token } = await letIn(server);
  const discover = modernMessage('server/discover');
  assert.equal((await send(server, discover, { ...modernHeaders(discover), authorization: `Bearer ${token}` })).status, 200);
});

test('SEC-68 hosts and origins are checked as at /mcp', async (t) => {
  const server = await startHttp(t);
  const discover = modernMessage('server/discover');
  for (const headers of [{ host: 'evil.example' }, { origin: 'https://evil.example' }]) {
    const at = (path) => fetchHttp(server, { path, headers: { ...modernHeaders(discover), ...headers }, body: asBody(discover) });
    const [here, there] = [await at('/'), await at('/mcp')];
    assert.ok(here.status >= 400, JSON.stringify(headers));
    assert.equal(here.status, there.status);
  }
});

test('HEAD answers as GET does, without a body', async (t) => {
  for (const server of [await startHttp(t), await startWithPeople(t)])
    for (const accept of ['text/html', '*/*']) {
      const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetchHttp(server, { method, path: '/', headers: { accept } })));
      assert.deepEqual([head.status, head.headers['content-type'], head.text], [get.status, get.headers['content-type'], '']);
    }
});

test('prompts name the date of the local time zone, as daily notes do', async (t) => {
  const dates = [];
  for (const TZ of ['Pacific/Kiritimati', 'Etc/GMT+12']) { // 26 hours apart: never the same date
    const server = await startHttp(t, { env: { TZ } });
    const message = modernMessage('prompts/get', { name: 'daily_review' });
    const answer = await fetchHttp(server, { path: '/mcp', headers: modernHeaders(message), body: asBody(message) });
    dates.push(answer.text.match(/Today is (\d{4}-\d{2}-\d{2})/)[1]);
  }
  assert.ok(dates[0] > dates[1], dates.join(' '));
});
