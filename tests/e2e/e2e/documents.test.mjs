// Clients described by a document at their id (SEC-25): valid ones get in, and no one can make
// us contact machines that only we can reach.
import assert from 'node:assert/strict';
import http from 'node:http';
import net from 'node:net';
import { test } from 'node:test';
import { fetchHttp, tempDir } from '../support.mjs';
import { Browser, CALLBACK, authorizePath, callTool, letIn, redeem, register, startWithPeople } from './people.mjs';

/** A server of documents; each path behaves differently. */
async function startDocuments(t) {
  const asked = [];
  const server = http.createServer((req, res) => {
    asked.push(req.url);
    const url = `http://127.0.0.1:${server.address().port}${req.url}`;
    const about = { client_id: url, client_name: 'Documented', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' };
    const send = (value, type = 'application/json', status = 200, headers = {}) => {
      res.writeHead(status, { 'content-type': type, ...headers });
      res.end(typeof value === 'string' ? value : JSON.stringify(value));
    };
    const behaviours = {
      '/good': () => send(about),
      '/other-id': () => send({ ...about, client_id: `${url}x` }),
      '/large': () => send({ ...about, client_name: 'x'.repeat(6000) }),
      '/redirect': () => send('', 'text/plain', 302, { location: '/good' }),
      '/html': () => send(JSON.stringify(about), 'text/html'),
      '/no-json': () => send('client_id=1'),
      '/missing': () => send({}, 'application/json', 404),
      '/secret': () => send({ ...about, client_secret: 'x' }),
      '/no-callback': () => send({ ...about, redirect_uris: ['http://evil.example/'] }),
      '/slow': () => {},
    };
    (behaviours[req.url.split('?')[0]] ?? behaviours['/missing'])();
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, url: `http://127.0.0.1:${server.address().port}` };
}

test('SEC-25 in development a document on loopback may describe a client', async (t) => {
  const documents = await startDocuments(t);
  const server = await startWithPeople(t, { args: ['--oauth-development'] });
  const id = `${documents.url}/good`;
  const browser = new Browser(server);
  const page = await browser.get(authorizePath(id));
  assert.equal(page.status, 200, page.text);
  const got = await new Browser(server).allow(authorizePath(id));
  assert.equal(got.at, CALLBACK);
  assert.equal((await redeem(server, id, got.code)).status, 200);
  assert.deepEqual(documents.asked, ['/good'], 'asked once, then remembered');

  const fault = await new Browser(server).get(authorizePath(id, { prompt: 'none' }));
  assert.deepEqual([fault.status, fault.headers.location], [400, undefined], 'the author of a document cannot redirect with our address');
  assert.match(fault.text, new RegExp(`<a href="${CALLBACK}\\?error=login_required&amp;`));

  for (const name of ['other-id', 'large', 'redirect', 'html', 'no-json', 'missing', 'secret', 'no-callback', 'slow'])
    await t.test(name, async () => {
      const answer = await new Browser(server).get(authorizePath(`${documents.url}/${name}`));
      assert.equal(answer.status, 400, answer.text);
      assert.equal(answer.location, undefined);
      assert.doesNotMatch(answer.text, /name="password"/);
    });
  assert.equal(documents.asked.filter((p) => p === '/good').length, 1, 'redirects are not followed');
});

test('SEC-25 otherwise no address of this machine or network is ever contacted', async (t) => {
  let connections = 0;
  const trap = net.createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await new Promise((done) => trap.listen(0, '::', done)); // both families
  t.after(() => trap.close());
  const { port } = trap.address();
  const server = await startWithPeople(t);
  const hosts = [
    '127.0.0.1', 'localhost', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '0.0.0.0', '[::1]', '[::]', '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]', '127.0.0.2', '10.0.0.1', '172.16.0.1', '192.168.0.1', '169.254.169.254', '100.64.0.1', '[fe80::1]', '[fd00::1]',
    'user@127.0.0.1', '[64:ff9b::7f00:1]',
  ];
  for (const scheme of ['https', 'http'])
    for (const host of hosts) {
      const answer = await new Browser(server).get(authorizePath(`${scheme}://${host}:${port}/client`));
      assert.equal(answer.status, 400, `${scheme} ${host}: ${answer.text}`);
    }
  assert.equal(connections, 0);
});

test('SEC-25: clients with silent documents hold up no call, no refresh and no sign-in', async (t) => {
  const documents = await startDocuments(t);
  const server = await startWithPeople(t, { args: ['--oauth-development'] });
  const { token, refresh_token, client } = await letIn(server);
  let waiting = 0;
  const ask = async (send) => {
    waiting++;
    const answer = await send();
    waiting--;
    return answer;
  };
  const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
  const exchange = (fields) => fetchHttp(server, { path: '/oauth/token', headers: FORM, body: new URLSearchParams(fields).toString() });
  const strangers = [];
  for (let i = 0; i < 40; i++) {
    const client_id = `${documents.url}/slow?${i}`;
    strangers.push(ask(() => exchange({ grant_type: 'refresh_token', refresh_token: 'x', client_id })));
    strangers.push(ask(() => new Browser(server).get(authorizePath(client_id))));
  }
  while (documents.asked.length < 4) await new Promise((done) => setTimeout(done, 5));
  assert.equal(documents.asked.length, 4, 'at once');

  assert.equal((await callTool(server, token, 'vault_info')).status, 200);
  const refreshed = await exchange({ grant_type: 'refresh_token', refresh_token, client_id: client });
  assert.equal(refreshed.status, 200, refreshed.text);
  await register(server, { client_name: 'Late' });
  assert.equal((await fetchHttp(server, { method: 'GET', path: '/health' })).status, 200);
  assert.ok(waiting >= 4, 'all that while strangers wait for their documents');

  const answers = await Promise.all(strangers);
  const busy = answers.filter((a) => a.status === 503);
  assert.ok(busy.length >= 1, 'the others are refused at once');
  for (const answer of busy) {
    assert.match(answer.headers['retry-after'] ?? answer.headers.get?.('retry-after') ?? '', /^\d+$/);
    if (answer.message) assert.equal(answer.message.error, 'temporarily_unavailable');
  }
});

/** A document that must be fetched for every request, on a server whose mood can change. */
async function startMoody(t) {
  const mood = { send: 'document', redirect_uris: [CALLBACK] };
  const server = http.createServer((req, res) => {
    const about = { client_id: mood.id, client_name: 'Moody', redirect_uris: mood.redirect_uris, token_endpoint_auth_method: 'none' };
    if (mood.send === 'nothing') return res.destroy();
    const status = mood.send === 'document' ? 200 : mood.send;
    res.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'max-age=0' });
    return res.end(JSON.stringify(about));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  mood.id = `http://127.0.0.1:${server.address().port}/client`;
  return mood;
}

test('SEC-25: a client whose document cannot be reached stays connected, also after a restart; one that changed is believed at once', async (t) => {
  const mood = await startMoody(t), state = tempDir(t);
  const start = () => startWithPeople(t, { args: ['--oauth-development'], state });
  let server = await start();
  const got = await new Browser(server).allow(authorizePath(mood.id));
  let { refresh_token } = await redeem(server, mood.id, got.code);
  const refresh = async () => {
    const body = new URLSearchParams({ grant_type: 'refresh_token', client_id: mood.id, refresh_token });
    const answer = await fetch(`${server.origin}/oauth/token`, { method: 'POST', body });
    const said = await answer.json();
    refresh_token = said.refresh_token ?? refresh_token;
    return [answer.status, said.error];
  };
  for (const trouble of ['nothing', 503, 429, 403]) {
    mood.send = trouble;
    assert.deepEqual(await refresh(), [200, undefined], `${trouble}`);
    await server.stop(); // it must not be remembered as failed, nor only in memory
    server = await start();
    assert.deepEqual(await refresh(), [200, undefined], `${trouble} after a restart`);
    await server.says(/ oauth.document_stale /);
    await server.stop();
    server = await start();
  }
  mood.send = 'document';
  mood.redirect_uris = ['https://client.example/elsewhere'];
  assert.equal((await new Browser(server).get(authorizePath(mood.id))).status, 400, 'the old redirect URI is not allowed any more');
  assert.deepEqual(await refresh(), [200, undefined]);
  mood.send = 404;
  await server.stop();
  server = await start();
  assert.equal((await refresh())[0], 401, 'there is no such client any more');
  mood.send = 'nothing';
  await server.stop();
  server = await start();
  assert.equal((await refresh())[0], 401, 'and no copy of it');
});
