// Behind nginx and Caddy, with the files we ship: sign-in, calls and event streams work, and the
// doctor agrees; if a proxy is broken, the doctor says how.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, assertNoSanitizer, cleanEnv, modernHeaders, modernMessage, run, tempDir, within } from '../support.mjs';
import { Browser, CALLBACK, VERIFIER, authorizePath, freePort, register } from './people.mjs';
import { PROXIES, startBehind } from './proxies.mjs';

async function doctor(t, server, { key = true, ca = true, args = [], url = `${server.issuer}/mcp` } = {}) {
  const dir = tempDir(t);
  const file = path.join(dir, 'key');
  writeFileSync(file, `${server.key ?? ''}\n`);
  const words = ['doctor', '--connector', url, ...(ca ? ['--ca-file', server.tls.ca] : []), ...(key ? ['--key-file', file] : []), ...args];
  const end = await run(VAULTD, words, { env: cleanEnv(dir) });
  assertNoSanitizer(end.stderr, 'vaultd doctor');
  assert.equal(end.stderr, '');
  return end;
}

const examine = async (t, server, options = {}) => {
  const end = await doctor(t, server, { ...options, args: ['--json', ...(options.args ?? [])] });
  return { code: end.code, ...JSON.parse(end.stdout) };
};

const failed = (report) => Object.fromEntries(report.steps.filter((s) => s.status === 'failed').map((s) => [s.id, s.cause]));

/** An event stream through the proxy; returns its first chunk. */
function firstEvent(server, token) {
  const message = modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } });
  return within(new Promise((done, no) => {
    const request = https.request({ host: '127.0.0.1', ...server.front, method: 'POST', path: '/mcp', agent: false,
      headers: { ...modernHeaders(message), host: new URL(server.issuer).host, authorization: `Bearer ${token}` } }, (response) => {
      response.once('data', (data) => {
        done({ type: response.headers['content-type'], text: String(data) });
        request.destroy();
      });
    });
    request.on('error', no).end(JSON.stringify(message));
  }), 'the first event', 10_000);
}

for (const kind of Object.keys(PROXIES))
  test(`behind ${kind}: sign in, call, stream; the doctor finds nothing`, async (t) => {
    const server = await startBehind(t, kind);
    const browser = new Browser(server);
    const client = await register(server);
    const got = await browser.allow(authorizePath(client));
    assert.deepEqual([got.at, got.iss], [CALLBACK, server.issuer]);
    const answer = await browser.post('/oauth/token', { grant_type: 'authorization_code', client_id: client, code: got.code, redirect_uri: CALLBACK, code_verifier: VERIFIER });
    assert.equal(answer.status, 200, answer.text);
    const token = JSON.parse(answer.text).access_token;
    const message = modernMessage('tools/call', { name: 'vault_info', arguments: {} });
    const called = await browser.send('/mcp', { method: 'POST', headers: { ...modernHeaders(message), authorization: `Bearer ${token}` }, body: JSON.stringify(message) });
    assert.equal(called.status, 200, called.text);
    assert.equal(called.headers['strict-transport-security'], 'max-age=31536000');
    const event = await firstEvent(server, token);
    assert.match(event.type, /^text\/event-stream/);
    assert.match(event.text, /acknowledged/);

    const report = await examine(t, server);
    assert.deepEqual([failed(report), report.ok, report.code], [{}, true, 0], JSON.stringify(report, null, 1));
    assert.deepEqual(report.steps.filter((s) => s.status === 'skipped').map((s) => s.id), ['plain_http']);
    const people = await doctor(t, server, { key: false, args: ['--no-register'] });
    assert.equal(people.code, 0, people.stdout);
    assert.match(people.stdout, /^✓ claude\.ai asks without a token: 401 with a challenge$/m);
    assert.match(people.stdout, /^– Clients register with their callbacks: --no-register$/m);
    assert.match(people.stdout, /^– An event stream arrives as it is written: give a key/m);
  });

const inLocation = (line) => (text) => text.replace('proxy_http_version 1.1;', `proxy_http_version 1.1;\n${line}`);
const inProxy = (line) => (text) => text.replace('flush_interval -1', `flush_interval -1\n${line}`);
const inServer = (block) => (text) => text.replace('location / {', `${block}\nlocation / {`);

// proxy, what is wrong, its rule, a step that fails, the cause named
const BROKEN = [
  ['nginx', 'strips Authorization', inLocation('proxy_set_header Authorization "";'), 'authorization', 'authorization_stripped'],
  ['nginx', 'buffers event streams', (text) => text.replace('proxy_buffering off;', 'proxy_buffering on; proxy_ignore_headers X-Accel-Buffering;'), 'stream', 'buffering'],
  ['nginx', 'keeps /.well-known/ for itself', inServer('location /.well-known/ { root /nonexistent; }'), 'resource_path', 'well_known_not_forwarded'],
  ['nginx', 'strips WWW-Authenticate', inLocation('proxy_hide_header WWW-Authenticate;'), 'claude', 'challenge_stripped'],
  ['nginx', 'takes only small bodies', (text) => text.replace('client_max_body_size 5m;', ''), 'body', 'body_limit'],
  ['nginx', 'asks for a password', inLocation('auth_basic "x"; auth_basic_user_file /dev/null;'), 'claude', 'proxy_asks_for_password'],
  ['nginx', 'cuts off a prefix', (text) => text.replace(/location \/ \{\s*proxy_pass (\S+);/, 'location / {\nproxy_pass $1/base/;'), 'claude', 'path_not_forwarded'],
  ['caddy', 'strips Authorization', inProxy('header_up -Authorization'), 'authorization', 'authorization_stripped'],
  ['caddy', 'strips WWW-Authenticate', inProxy('header_down -WWW-Authenticate'), 'claude', 'challenge_stripped'],
  ['caddy', 'rewrites Host', inProxy('header_up Host backend.internal'), 'claude', 'host_rewritten'],
  ['caddy', 'refuses robots', (text) => text.replace('\treverse_proxy', '\t@bots header User-Agent Claude-User\n\trespond @bots "Access denied" 403\n\treverse_proxy'), 'claude', 'blocked'],
  ['caddy', 'redirects the slash', (text) => text.replace('\treverse_proxy', '\tredir /mcp/ /mcp 308\n\treverse_proxy'), 'slash', 'redirected'],
  ['caddy', 'answers OPTIONS itself', (text) => text.replace('\treverse_proxy', '\t@options method OPTIONS\n\trespond @options 204\n\treverse_proxy'), 'preflight', 'cors'],
];

test('the doctor names what is wrong with a proxy, and the rule that fixes it', async (t) => {
  for (const [kind, what, change, step, cause] of BROKEN)
    await t.test(`${kind} ${what}`, async (t) => {
      const server = await startBehind(t, kind, { change });
      const report = await examine(t, server, { args: ['--no-register'] });
      assert.equal(report.code, 1, JSON.stringify(report, null, 1));
      assert.equal(failed(report)[step], cause, JSON.stringify(report, null, 1));
      const { fix, expected, got, why } = report.steps.find((s) => s.id === step);
      assert.ok(fix.nginx && fix.caddy && expected && got && why);
    });
});

test('not vaultd, no server at all, a bad certificate, a wrong URL', async (t) => {
  const server = await startBehind(t, 'nginx');
  const first = async (options) => {
    const report = await examine(t, server, options);
    assert.equal(report.code, 1);
    const [bad, ...rest] = report.steps;
    return { cause: bad.cause, skipped: rest.filter((s) => s.status === 'skipped').length === rest.length };
  };
  assert.deepEqual(await first({ ca: false }), { cause: 'certificate', skipped: true });
  assert.deepEqual(await first({ url: `https://localhost:${await freePort()}/mcp` }), { cause: 'not_reachable', skipped: true });
  assert.deepEqual(await first({ url: 'https://nowhere.invalid/mcp' }), { cause: 'no_address', skipped: true });
  assert.equal((await first({ url: `${server.issuer}/other` })).cause, 'path_not_forwarded');
  const elsewhere = await examine(t, server, { url: `https://127.0.0.1:${server.front.port}/mcp` });
  assert.equal(failed(elsewhere).server, 'server_url');
  await server.stop();
  assert.equal((await first({})).cause, 'proxy_without_vaultd');
  const end = await run(VAULTD, ['doctor', '--connector', 'vault.example.com'], { env: cleanEnv(tempDir(t)) });
  assert.equal(end.code, 2);
  assert.match(end.stderr, /^vaultd: usage: vaultd doctor --connector https:\/\/NAME\/mcp/);
});
