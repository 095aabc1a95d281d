// The authorization server as programs see it: metadata, registration, tokens, revocation, and
// authentication at /mcp. Codes are put into the store by hand: pages have their own suite.
import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { EXAMPLE_VAULT, VAULTD, cleanEnv, fetchHttp, initializeMessage, modernMessage, post, postModern, rawHttp, run, startHttp, tempDir } from '../support.mjs';

const URL_ = 'https://vault.example.com';
const USERS = { AUTH_USERS: 'alice:$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy', SERVER_URL: URL_ };
const VERIFIER = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
const REDIRECT = 'https://app.example/cb';
const CLIENTS = [
  { client_id: 'robot', client_secret: 's3cret/%+ä', grant_types: ['client_credentials'], scope: 'vault:read' },
  { client_id: 'poster', client_secret: 'posted', token_endpoint_auth_method: 'client_secret_post', grant_types: ['client_credentials'], scope: 'vault:write' },
  { client_id: 'app', redirect_uris: [REDIRECT] },
  { client_id: 'other', redirect_uris: [REDIRECT] },
];

async function start(t, options = {}) {
  const file = path.join(tempDir(t), 'clients.json');
  writeFileSync(file, JSON.stringify(CLIENTS));
  return startHttp(t, { ...options, env: { ...USERS, OAUTH_CLIENTS_FILE: file, ...options.env } });
}

const get = (server, target, headers = {}) => fetchHttp(server, { method: 'GET', path: target, headers });
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const form = (fields) => (typeof fields === 'string' ? fields : new URLSearchParams(fields).toString());
const send = (server, target, fields, headers = {}) =>
  fetchHttp(server, { path: target, headers: { ...FORM, ...headers }, body: form(fields) });
const token = (server, fields, headers) => send(server, '/oauth/token', fields, headers);
const register = (server, body, headers = {}) =>
  fetchHttp(server, { path: '/oauth/register', headers: { 'content-type': 'application/json', ...headers }, body: typeof body === 'string' ? body : JSON.stringify(body) });
const basic = (id, secret) => {
  const encode = (text) => new URLSearchParams({ x: text }).toString().slice(2);
  return { authorization: `Basic ${Buffer.from(`${encode(id)}:${encode(secret)}`).toString('base64')}` };
};
const bearer = (value) => ({ authorization: `Bearer ${value}` });
const discover = (server, headers) => postModern(server, modernMessage('server/discover'), headers);

/** A code as the consent page would have made it. */
function makeCode(server, { client = 'app', scopes = 3 } = {}) {
  const code = `vc_${randomBytes(32).toString('hex')}`;
  const db = new DatabaseSync(path.join(server.state, 'oauth.db'));
  db.exec('PRAGMA busy_timeout = 5000');
  const stamp = createHash('sha256').update(USERS.AUTH_USERS.split(':')[1]).digest('hex');
  db.prepare('INSERT INTO codes VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)').run(
    createHash('sha256').update(code).digest(), client, 'App', REDIRECT, CHALLENGE, 'alice', scopes, '', Math.floor(Date.now() / 1000) + 300, stamp);
  db.close();
  return code;
}

const redeem = (server, code, fields = {}) =>
  token(server, { grant_type: 'authorization_code', client_id: 'app', code, code_verifier: VERIFIER, redirect_uri: REDIRECT, ...fields });
const refresh = (server, value, fields = {}) =>
  token(server, { grant_type: 'refresh_token', client_id: 'app', refresh_token: value, ...fields });

function assertError(answer, status, error) {
  assert.equal(answer.status, status, answer.text);
  assert.equal(answer.message.error, error, answer.text);
  assert.equal(answer.headers['content-type'], 'application/json');
  assert.equal(answer.headers['cache-control'], 'no-store');
}

test('SEC-01 SEC-02 SEC-04 SEC-05 SEC-09 SEC-10 SEC-11 metadata', async (t) => {
  const server = await start(t);
  const base = { authorization_servers: [URL_], bearer_methods_supported: ['header'], scopes_supported: ['vault:read', 'vault:propose', 'vault:write'], resource_name: 'vault' };
  const root = await get(server, '/.well-known/oauth-protected-resource', { origin: 'https://inspector.example', host: '127.0.0.1' });
  assert.equal(root.status, 200);
  assert.deepEqual(root.message, { ...base, resource: URL_ });
  assert.equal(root.headers['access-control-allow-origin'], '*');
  assert.equal(root.headers['access-control-allow-credentials'], undefined);
  assert.deepEqual((await get(server, '/.well-known/oauth-protected-resource/mcp')).message, { ...base, resource: `${URL_}/mcp` });

  const as = await get(server, '/.well-known/oauth-authorization-server', { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http', forwarded: 'host=evil.example' });
  assert.equal(as.message.issuer, URL_);
  for (const [name, target] of Object.entries({ authorization: 'authorize', token: 'token', registration: 'register', revocation: 'revoke' }))
    assert.equal(as.message[`${name}_endpoint`], `${URL_}/oauth/${target}`);
  assert.deepEqual(as.message.response_types_supported, ['code']);
  assert.deepEqual(as.message.grant_types_supported, ['authorization_code', 'client_credentials', 'refresh_token']);
  assert.deepEqual(as.message.code_challenge_methods_supported, ['S256']);
  assert.deepEqual(as.message.token_endpoint_auth_methods_supported, ['none', 'client_secret_post', 'client_secret_basic']);
  assert.deepEqual(as.message.scopes_supported, ['vault:read', 'vault:propose', 'vault:write', 'offline_access']);
  assert.equal(as.message.client_id_metadata_document_supported, true);
  assert.equal(as.message.authorization_response_iss_parameter_supported, true);
  assert.equal((await get(server, '/.well-known/openid-configuration')).text, as.text);
  for (const suffix of ['oauth-authorization-server/mcp', 'openid-configuration/mcp'])
    assert.equal((await get(server, `/.well-known/${suffix}`)).text, as.text, suffix);
  for (const suffix of ['oauth-protected-resource/', 'oauth-protected-resource/mcp/', 'oauth-protected-resource/evil%0d', 'oauth-authorization-server/mcp/', 'oauth-authorization-server/x', 'openid-configuration/x', 'nothing'])
    assert.equal((await get(server, `/.well-known/${suffix}`)).status, 404, suffix);
  const options = await fetchHttp(server, { method: 'OPTIONS', path: '/oauth/token', headers: { origin: 'https://a.example', 'access-control-request-method': 'POST' } });
  assert.equal(options.status, 204);
  assert.equal(options.headers['access-control-allow-origin'], '*');
});

test('SEC-06 SEC-30 SEC-31 SEC-32 SEC-73 authentication at /mcp', async (t) => {
  const server = await start(t);
  const robot = (await token(server, { grant_type: 'client_credentials' }, basic('robot', CLIENTS[0].client_secret))).message.access_token;
  const challenge = `Bearer resource_metadata="${URL_}/.well-known/oauth-protected-resource/mcp", scope="vault:read vault:write"`;
  for (const method of ['POST', 'GET', 'DELETE']) {
    const answer = await fetchHttp(server, { method, headers: {} });
    assert.equal(answer.status, 401, method);
    assert.equal(answer.headers['www-authenticate'], challenge);
  }
  assert.equal((await fetchHttp(server, { method: 'OPTIONS', headers: {} })).status, 204);
  assert.equal((await post(server, initializeMessage())).status, 401);
  assert.equal((await fetchHttp(server, { path: '/mcp/' })).status, 401);
  for (const bad of ['x', 'Bearer', 'Bearer ', robot, `Basic ${robot}`, `Token ${robot}`]) {
    const answer = await discover(server, { authorization: bad });
    assert.equal(answer.status, 401, bad);
    const named = bad === 'Bearer ' ? undefined : /error=/.test(answer.headers['www-authenticate']);
    assert.ok(!named, bad);
  }
  for (const bad of ['x', robot.slice(1), `${robot}0`, robot.toUpperCase(), ` ${robot}`, `${robot}.x`, 'a.b.c', 'vk_' + robot]) {
    const answer = await discover(server, bearer(bad));
    assert.equal(answer.status, 401, bad);
    assert.match(answer.headers['www-authenticate'], /error="invalid_token"/);
  }
  for (const good of [`Bearer ${robot}`, `bearer ${robot}`, `BEARER ${robot}`])
    assert.equal((await discover(server, { authorization: good })).status, 200, good);
  assert.equal((await fetchHttp(server, { path: `/mcp?access_token=${robot}` })).status, 401);
  assert.equal((await fetchHttp(server, { headers: { cookie: `access_token=${robot}` } })).status, 401);
  assert.equal((await fetchHttp(server, { headers: FORM, body: `access_token=${robot}` })).status, 401);
  assert.equal((await discover(server, { 'x-forwarded-user': 'alice', 'tailscale-user-login': 'alice' })).status, 401);
  const twice = await rawHttp(server, `POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${robot}\r\nAuthorization: Bearer ${robot}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  assert.match(twice, /^HTTP\/1\.1 400 /);
  assert.doesNotMatch(server.stderr, new RegExp(robot));
});

test('SEC-03 SEC-15 SEC-20 SEC-21 SEC-22 SEC-24 registration', async (t) => {
  const server = await start(t);
  const example = { client_name: 'Claude', redirect_uris: ['https://claude.ai/oauth/callback'], grant_types: ['authorization_code'], response_types: ['code'], token_endpoint_auth_method: 'none' };
  const answer = await register(server, example, { origin: 'https://somewhere.example' });
  assert.equal(answer.status, 201);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['access-control-allow-origin'], '*');
  const { client_id: id, client_id_issued_at: issued, ...echoed } = answer.message;
  assert.deepEqual(echoed, example);
  assert.match(id, /^[0-9a-f-]{36}$/);
  assert.ok(Number.isInteger(issued));
  assert.equal((await fetchHttp(server, { path: '/register', headers: { 'content-type': 'application/json' }, body: JSON.stringify(example) })).message.client_id, id);

  const real = await register(server, { client_name: 'Cursor', redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback', 'https://www.cursor.com/agents/mcp/oauth/callback', 'http://localhost:8787/callback'] });
  assert.equal(real.status, 201);
  assertError(await register(server, '{'), 400, 'invalid_client_metadata');
  assertError(await register(server, '{"redirect_uris":["https://a/"],"redirect_uris":["https://b/"]}'), 400, 'invalid_client_metadata');
  assertError(await register(server, { redirect_uris: ['http://evil.example/cb'] }), 400, 'invalid_redirect_uri');
  assertError(await register(server, { redirect_uris: [REDIRECT], token_endpoint_auth_method: 'private_key_jwt' }), 400, 'invalid_client_metadata');
  assertError(await register(server, JSON.stringify(example), { 'content-type': 'text/plain' }), 400, 'invalid_client_metadata');
  assert.equal((await register(server, ' '.repeat(70_000))).status, 413);
  assert.equal((await get(server, '/oauth/register')).status, 405);

  // every listed authentication method can be registered and works
  for (const method of ['client_secret_post', 'client_secret_basic']) {
    const { message } = await register(server, { redirect_uris: [REDIRECT], token_endpoint_auth_method: method });
    assert.ok(message.client_secret.length >= 43);
    assert.equal(message.client_secret_expires_at, 0);
    const fields = { grant_type: 'authorization_code', code: makeCode(server, { client: message.client_id }), code_verifier: VERIFIER };
    const right = method === 'client_secret_post'
      ? [{ ...fields, client_id: message.client_id, client_secret: message.client_secret }, {}]
      : [fields, basic(message.client_id, message.client_secret)];
    const wrong = method === 'client_secret_basic'
      ? [{ ...fields, client_id: message.client_id, client_secret: message.client_secret }, {}]
      : [fields, basic(message.client_id, message.client_secret)];
    assertError(await token(server, ...wrong), 401, 'invalid_client');
    assertError(await token(server, { ...fields, client_id: message.client_id }), 401, 'invalid_client');
    assert.equal((await token(server, ...right)).status, 200, method);
  }
  let crowded;
  for (let i = 0; i < 31 && crowded?.status !== 429; i++) crowded = await register(server, { redirect_uris: [`https://a.example/${i}`] });
  assert.equal(crowded.status, 429);
  assert.ok(Number(crowded.headers['retry-after']) > 0);
});

test('SEC-02 SEC-07 SEC-08 SEC-14 SEC-15 SEC-16 SEC-73 the token endpoint\'s refusals, in order', async (t) => {
  const server = await start(t);
  const code = makeCode(server);
  const right = { grant_type: 'authorization_code', client_id: 'app', code, code_verifier: VERIFIER, redirect_uri: REDIRECT };
  const robot = basic('robot', CLIENTS[0].client_secret);
  const rows = [
    ['JSON', JSON.stringify(right), { 'content-type': 'application/json' }, 400, 'invalid_request'],
    ['a broken escape', 'grant_type=%zz', {}, 400, 'invalid_request'],
    ['NUL', 'grant_type=a%00', {}, 400, 'invalid_request'],
    ['invalid UTF-8', 'grant_type=%ff', {}, 400, 'invalid_request'],
    ['a parameter twice', `${form(right)}&code=x`, {}, 400, 'invalid_request'],
    ['no grant type', { client_id: 'nobody' }, {}, 400, 'invalid_request'],
    ['an unsupported grant type', { grant_type: 'password', client_id: 'nobody' }, {}, 400, 'unsupported_grant_type'],
    ['no client', { ...right, client_id: '' }, {}, 401, 'invalid_client'],
    ['an unknown client', { ...right, client_id: 'nobody' }, {}, 401, 'invalid_client'],
    ['two methods', { ...right, client_secret: 'x' }, robot, 400, 'invalid_request'],
    ['two names', { grant_type: 'client_credentials', client_id: 'poster' }, robot, 401, 'invalid_client'],
    ['a secret of a client that has none', { ...right, client_secret: 'x' }, {}, 401, 'invalid_client'],
    ['a wrong secret', { grant_type: 'client_credentials' }, basic('robot', 'wrong'), 401, 'invalid_client'],
    ['half a secret', { grant_type: 'client_credentials' }, basic('robot', 's3cret'), 401, 'invalid_client'],
    ['invalid Basic credentials', { grant_type: 'client_credentials' }, { authorization: 'Basic !' }, 401, 'invalid_client'],
    ['another method than registered', { grant_type: 'client_credentials' }, basic('poster', 'posted'), 401, 'invalid_client'],
    ['a grant that is not theirs', { grant_type: 'client_credentials', client_id: 'app' }, {}, 400, 'unauthorized_client'],
    ['codes of a robot', { grant_type: 'authorization_code', code, code_verifier: VERIFIER }, robot, 400, 'unauthorized_client'],
    ['another resource', { ...right, resource: 'https://evil.example/mcp' }, {}, 400, 'invalid_target'],
    ['a resource with fragment', { ...right, resource: `${URL_}/mcp#x` }, {}, 400, 'invalid_target'],
    ['no code', { ...right, code: '' }, {}, 400, 'invalid_request'],
    ['no verifier', { ...right, code_verifier: '' }, {}, 400, 'invalid_request'],
    ['an unknown code', { ...right, code: `vc_${'0'.repeat(64)}` }, {}, 400, 'invalid_grant'],
    ['another client', { ...right, client_id: 'other' }, {}, 400, 'invalid_grant'],
    ['another redirect URI', { ...right, redirect_uri: `${REDIRECT}/` }, {}, 400, 'invalid_grant'],
    ['another verifier', { ...right, code_verifier: CHALLENGE }, {}, 400, 'invalid_grant'],
    ['no refresh token', { grant_type: 'refresh_token', client_id: 'app' }, {}, 400, 'invalid_request'],
    ['an unknown refresh token', { grant_type: 'refresh_token', client_id: 'app', refresh_token: 'x' }, {}, 400, 'invalid_grant'],
    ['a malformed scope', { grant_type: 'client_credentials', scope: 'a"b' }, robot, 400, 'invalid_scope'],
    ['more than allowed', { grant_type: 'client_credentials', scope: 'vault:write' }, robot, 400, 'invalid_scope'],
  ];
  for (const [what, fields, headers, status, error] of rows) {
    const answer = await token(server, fields, headers);
    assertError(answer, status, error);
    assert.ok(!answer.text.includes(code) && !answer.text.includes('evil'), what);
    if (status === 401 && headers.authorization) assert.match(answer.headers['www-authenticate'], /^Basic /, what);
  }
  assert.equal((await get(server, `/oauth/token?${form(right)}`)).status, 405);
  assertError(await fetchHttp(server, { path: `/oauth/token?${form(right)}`, headers: FORM, body: '' }), 400, 'invalid_request');
  assert.equal((await token(server, `a=${'x'.repeat(70_000)}`)).status, 413);

  // none of that used up the code
  const answer = await token(server, { ...right, resource: `${URL_.toUpperCase()}/mcp/` });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers.pragma, 'no-cache');
  const { access_token: access, refresh_token: renew, ...rest } = answer.message;
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 86400, scope: 'vault:read vault:write' });
  assert.match(access, /^[0-9a-f]{64}$/);
  assert.equal((await discover(server, bearer(access))).status, 200);

  // a second use revokes everything
  assertError(await redeem(server, code), 400, 'invalid_grant');
  assert.equal((await discover(server, bearer(access))).status, 401);
  assertError(await refresh(server, renew), 400, 'invalid_grant');
  for (const secret of [code, access, renew, VERIFIER]) assert.ok(!server.stderr.includes(secret));
});

test('SEC-13 twenty concurrent redemptions: one succeeds', async (t) => {
  const server = await start(t);
  const code = makeCode(server);
  const answers = await Promise.all(Array.from({ length: 20 }, () => redeem(server, code)));
  const good = answers.filter((a) => a.status === 200);
  assert.equal(good.length, 1);
  for (const a of answers) if (a !== good[0]) assertError(a, 400, 'invalid_grant');
  assert.equal((await discover(server, bearer(good[0].message.access_token))).status, 401);
});

test('SEC-05 SEC-17 SEC-18 SEC-26 refreshing, despite lost answers, restarts and theft', async (t) => {
  const state = path.join(tempDir(t), 'state');
  let server = await start(t, { state });
  const first = (await redeem(server, makeCode(server))).message;
  const [a, b] = await Promise.all([refresh(server, first.refresh_token), refresh(server, first.refresh_token)]);
  assert.equal(a.message.refresh_token, b.message.refresh_token);
  const read = await refresh(server, a.message.refresh_token, { scope: 'vault:read offline_access' });
  assert.equal(read.message.scope, 'vault:read');

  await server.crash();
  server = await start(t, { state, env: { REFRESH_REUSE_WINDOW: '0' } });
  assert.equal((await discover(server, bearer(read.message.access_token))).status, 200);
  const again = await refresh(server, read.message.refresh_token);
  assert.equal(again.message.scope, 'vault:read vault:write');
  assertError(await refresh(server, again.message.refresh_token, { client_id: 'other' }), 400, 'invalid_grant');
  assertError(await refresh(server, first.refresh_token), 400, 'invalid_grant'); // stolen long ago
  assertError(await refresh(server, again.message.refresh_token), 400, 'invalid_grant');
  assert.equal((await discover(server, bearer(again.message.access_token))).status, 401);
  await server.says(/warn oauth\.reuse client=app user=alice/);
  assert.equal(statSync(path.join(state, 'oauth.db')).mode & 0o777, 0o600);
});

test('SEC-19 revocation', async (t) => {
  const state = path.join(tempDir(t), 'state');
  let server = await start(t, { state });
  const { access_token: access, refresh_token: renew } = (await redeem(server, makeCode(server))).message;
  const second = (await refresh(server, renew)).message;
  const revoke = (fields, headers) => send(server, '/oauth/revoke', fields, headers);
  assertError(await revoke('token=%'), 400, 'invalid_request');
  assertError(await revoke({ token: access }), 401, 'invalid_client');
  assertError(await revoke({ client_id: 'app' }), 400, 'invalid_request');
  assert.equal((await revoke({ client_id: 'app', token: 'unknown', token_type_hint: 'nonsense' })).text, '{}');
  assert.equal((await revoke({ client_id: 'other', token: access })).status, 200);
  assert.equal((await discover(server, bearer(access))).status, 200);
  assert.equal((await revoke({ client_id: 'app', token: access, token_type_hint: 'refresh_token' })).status, 200);
  assert.equal((await discover(server, bearer(access))).status, 401);
  assert.equal((await discover(server, bearer(second.access_token))).status, 200);
  assert.equal((await send(server, '/revoke', { client_id: 'app', token: second.refresh_token })).status, 200);
  assert.equal((await discover(server, bearer(second.access_token))).status, 401);
  await server.crash();
  server = await start(t, { state });
  assert.equal((await discover(server, bearer(second.access_token))).status, 401);
  assertError(await refresh(server, second.refresh_token), 400, 'invalid_grant');
});

test('SEC-30 JWT access tokens', async (t) => {
  const server = await start(t, { env: { TOKEN_FORMAT: 'jwt' } });
  const { access_token: jwt } = (await redeem(server, makeCode(server, { scopes: 1 }))).message;
  const [head, claims] = jwt.split('.').slice(0, 2).map((part) => JSON.parse(Buffer.from(part, 'base64url')));
  assert.deepEqual({ ...head, kid: '' }, { typ: 'at+jwt', alg: 'ES256', kid: '' });
  assert.equal(claims.iss, URL_);
  assert.equal(claims.aud, `${URL_}/mcp`);
  assert.equal(claims.sub, 'alice');
  assert.equal(claims.scope, 'vault:read');
  assert.equal((await discover(server, bearer(jwt))).status, 200);
  const as = (await get(server, '/.well-known/oauth-authorization-server')).message;
  const { keys } = (await get(server, new URL(as.jwks_uri).pathname)).message;
  assert.deepEqual(Object.keys(keys[0]).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
  // a third-party library agrees with the signature
  const key = await crypto.subtle.importKey('jwk', keys[0], { name: 'ECDSA', namedCurve: 'P-256' }, false, ['verify']);
  const [h, c, s] = jwt.split('.');
  assert.ok(await crypto.subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, Buffer.from(s, 'base64url'), Buffer.from(`${h}.${c}`)));
  const none = `${Buffer.from(JSON.stringify({ ...head, alg: 'none' })).toString('base64url')}.${c}.`;
  assert.equal((await discover(server, bearer(none))).status, 401);
  await send(server, '/oauth/revoke', { client_id: 'app', token: jwt });
  assert.equal((await discover(server, bearer(jwt))).status, 401);
});

test('SEC-28 SEC-31 API keys and introspection', async (t) => {
  const state = path.join(tempDir(t), 'state');
  const vaultd = (...args) => run(VAULTD, ['key', ...args], { env: cleanEnv(tempDir(t), { STATE_DIR: state }) });
  // what does not add a key must not make sign-in required
  for (const words of [['add'], ['add', 'x', 'bogus'], ['add', 'x', 'read', ''], ['revoke', 'x'], ['list', 'x'], ['help']]) assert.notEqual((await vaultd(...words)).code, 0, words.join());
  assert.equal((await vaultd('list')).code, 0);
  assert.ok(!existsSync(path.join(state, 'oauth.db')));
  const made = await vaultd('add', 'backup', 'read', 'Projects');
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /^vk_[0-9a-f]{64}\n$/);
  const key = made.stdout.trim();
  assert.match((await vaultd('add', 'backup')).stderr, /key 'backup' already exists/);
  assert.match((await vaultd('list')).stdout, /^backup\tvault:read\tProjects\tcreated \d{4}-\d\d-\d\d \d\d:\d\d\tused never\n$/);
  assert.equal((await vaultd('frobnicate')).code, 2);

  // keys alone require authentication, without users
  const server = await startHttp(t, { state, env: { SERVER_URL: URL_ } });
  assert.equal((await discover(server, {})).status, 401);
  assert.equal((await discover(server, bearer(key))).status, 200);
  assert.equal((await fetchHttp(server, { path: `/mcp?key=${key}` })).status, 401);
  const asked = await send(server, '/oauth/introspect', { token: key }, bearer(key));
  assert.equal(asked.message.active, true);
  assert.equal(asked.message.scope, 'vault:read');
  assert.deepEqual((await send(server, '/oauth/introspect', { token: 'x' }, bearer(key))).message, { active: false });
  assertError(await send(server, '/oauth/introspect', { token: key }), 401, 'invalid_client');
  assert.equal((await vaultd('revoke', 'backup')).code, 0);
  assert.equal((await discover(server, bearer(key))).status, 401); // immediately, from another process
  assert.equal((await vaultd('revoke', 'backup')).code, 1);
  assert.ok(!readFileSync(path.join(state, 'oauth.db')).includes(key.slice(3)));
});

test('settings', async (t) => {
  const tried = (args, env) => run(VAULTD, ['serve', '--port', '0', ...args, EXAMPLE_VAULT], { env: cleanEnv(tempDir(t), env) });
  const rows = [
    [['--server-url', 'http://vault.example.com'], { AUTH_USERS: USERS.AUTH_USERS }, /server-url must begin with https/],
    [[], { AUTH_USERS: USERS.AUTH_USERS }, /give --server-url/],
    [['--oauth-clients-file', '/nonexistent/clients.json'], { SERVER_URL: URL_ }, /oauth-clients-file/],
    [['--token-format', 'paseto'], USERS, /token-format/],
  ];
  for (const [args, env, says] of rows) {
    const end = await tried(args, env);
    assert.equal(end.code, 2, end.stderr);
    assert.match(end.stderr, says);
  }
  const memory = path.join(tempDir(t), 'state');
  const server = await start(t, { state: memory, args: ['--state', 'memory'] });
  assert.equal((await register(server, { redirect_uris: [REDIRECT] })).status, 201);
  assert.throws(() => statSync(path.join(memory, 'oauth.db')));
  // without users and keys, a server on loopback requires no authentication
  const open = await startHttp(t);
  assert.equal((await discover(open, {})).status, 200);
});
