// Third-party clients go the whole way: discovery, registration, sign-in and consent, tokens,
// MCP calls, refresh, revocation. And a third-party library for JWTs checks ours, and forges
// some.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { SignJWT, UnsecuredJWT, createRemoteJWKSet, exportSPKI, generateKeyPair, importJWK, jwtVerify } from 'jose';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { UnauthorizedError as Unauthorized1 } from '@modelcontextprotocol/sdk/client/auth.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2, UnauthorizedError as Unauthorized2 } from '@modelcontextprotocol/client';
import { MODERN, MODULES, NODE22, cleanEnv, copyVault, modernMessage, postModern, run, tempDir, withToken } from '../support.mjs';
import { Browser, choose, letIn, startWithPeople, writing } from './people.mjs';

const CALLBACK = 'http://localhost:6274/oauth/callback';

/** A user at the URL a client sent them to; returns what comes back to the client. */
async function goThere(server, url, choices = []) {
  const browser = new Browser(server);
  const { pathname, search, origin } = new URL(url);
  assert.equal(origin, server.issuer);
  let answer = await browser.signIn(await browser.get(pathname + search));
  if (answer.location?.startsWith(server.issuer)) {
    const page = await browser.follow(answer);
    answer = await browser.submit(choose(writing(page), choices), { decision: 'allow' });
  }
  assert.equal(answer.status, 303, answer.text);
  return new URL(answer.location);
}

const discover = async (server, token) => (await postModern(withToken(server, token), modernMessage('server/discover'))).status;

/* --- the official SDKs --- */

/** What the SDKs require of an application: it stores tokens, and shows users a URL. */
class Provider {
  redirectUrl = CALLBACK;
  clientMetadata = { client_name: 'SDK', redirect_uris: [CALLBACK], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' };
  asked = [];
  saved = 0;
  state() { return 'a state / of + the SDK'; }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.now; }
  saveTokens(tokens) { this.now = tokens; this.saved++; }
  codeVerifier() { return this.verifier; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  redirectToAuthorization(url) { this.asked.push(url); }
  invalidateCredentials(what) { if (['all', 'tokens'].includes(what)) this.now = undefined; if (['all', 'client'].includes(what)) this.client = undefined; }
}

const INFO = { name: 'e2e', version: '1' };
const v2 = (mode) => ({
  Unauthorized: Unauthorized2,
  client: () => new Client2(INFO, { versionNegotiation: { mode } }),
  transport: (url, authProvider) => new Http2(new URL(url), { authProvider }),
  finish: (transport, back) => transport.finishAuth(back.searchParams),
});
const SDKS = {
  'SDK v1': {
    Unauthorized: Unauthorized1,
    client: () => new Client1(INFO),
    transport: (url, authProvider) => new Http1(new URL(url), { authProvider }),
    finish: (transport, back) => transport.finishAuth(back.searchParams.get('code')),
  },
  'SDK v2 legacy': v2('legacy'),
  'SDK v2 auto': v2('auto'),
  'SDK v2 pinned': v2({ pin: MODERN }),
};

/** Connect as an application does: once to be sent to sign in, then again. */
async function connect(t, sdk, server, provider, choices) {
  const first = sdk.transport(server.url, provider);
  await assert.rejects(sdk.client().connect(first), (error) => error instanceof sdk.Unauthorized || /unauthorized/i.test(String(error)));
  await sdk.finish(first, await goThere(server, provider.asked.at(-1), choices));
  const client = sdk.client(), transport = sdk.transport(server.url, provider);
  await client.connect(transport);
  t.after(() => client.close().catch(() => {}));
  return { client, transport };
}

for (const [name, sdk] of Object.entries(SDKS)) {
  test(`${name}: from discovery to a call, refresh, revocation`, async (t) => {
    const server = await startWithPeople(t, { vault: copyVault(t) });
    const provider = new Provider();
    const { client } = await connect(t, sdk, server, provider);
    const asked = provider.asked[0].searchParams;
    assert.equal(asked.get('resource'), server.url);
    assert.match(asked.get('scope'), /^vault:read vault:write( offline_access)?$/);
    assert.equal(provider.now.scope, 'vault:read vault:write');
    const read = () => client.callTool({ name: 'vault_read', arguments: { path: 'Home.md' } });
    assert.ok(!(await read()).isError);
    assert.ok(!(await client.callTool({ name: 'vault_write', arguments: { path: 'SDK.md', content: 'x' } })).isError);

    const before = provider.now;
    provider.now = { ...before, access_token: 'f'.repeat(64) }; // as good as expired
    assert.ok(!(await read()).isError);
    assert.notEqual(provider.now.refresh_token, before.refresh_token, 'it rotates');
    assert.equal(provider.asked.length, 1, 'the user was not asked again');

    const { revocation_endpoint: revoke } = await (await fetch(`${server.issuer}/.well-known/oauth-authorization-server`)).json();
    const body = new URLSearchParams({ token: provider.now.refresh_token, client_id: provider.client.client_id });
    assert.equal((await fetch(revoke, { method: 'POST', body })).status, 200);
    await assert.rejects(read());
    assert.equal(provider.asked.length, 2, 'now the user has to sign in again');
    assert.equal(await discover(server, before.access_token), 401);
  });
}

for (const name of Object.keys(SDKS).filter((sdk) => sdk.startsWith('SDK v2'))) {
  test(`${name}: asks for more when a call needs it`, async (t) => {
    const server = await startWithPeople(t, { vault: copyVault(t) });
    const provider = new Provider();
    const { client, transport } = await connect(t, SDKS[name], server, provider, [['access', 'read']]);
    assert.equal(provider.now.scope, 'vault:read');
    const { tools } = await client.listTools();
    assert.ok(!tools.some((tool) => tool.name === 'vault_write'));
    const write = () => client.callTool({ name: 'vault_write', arguments: { path: 'More.md', content: 'x' } });
    await assert.rejects(write(), (error) => error instanceof Unauthorized2);
    const scopes = provider.asked.at(-1).searchParams.get('scope').split(' ');
    assert.ok(scopes.includes('vault:write') && scopes.includes('vault:read'), scopes.join());
    await SDKS[name].finish(transport, await goThere(server, provider.asked.at(-1), [['access', 'write']]));
    assert.equal(provider.now.scope, 'vault:read vault:write');
    assert.ok(!(await write()).isError);
  });
}

/* --- the Inspector --- */

test('the Inspector with a token', async (t) => {
  const server = await startWithPeople(t, { vault: copyVault(t) });
  const { token } = await letIn(server, { choices: [['access', 'read']] });
  const inspect = (...args) => run(NODE22, [path.join(MODULES, '.bin/mcp-inspector'), '--cli', server.url, '--transport', 'http', ...args], { env: cleanEnv(tempDir(t)) });
  for (const era of ['legacy', 'auto', 'modern']) {
    const with_ = ['--protocol-era', era, '--header', `Authorization: Bearer ${token}`];
    const listed = await inspect(...with_, '--method', 'tools/list');
    assert.equal(listed.code, 0, listed.stderr);
    assert.match(listed.stdout, /vault_read/);
    assert.doesNotMatch(listed.stdout, /vault_write/);
    const read = await inspect(...with_, '--method', 'tools/call', '--tool-name', 'vault_read', '--tool-arg', 'path=Home.md');
    assert.equal(read.code, 0, read.stderr);
    assert.notEqual((await inspect('--protocol-era', era, '--method', 'tools/list')).code, 0, 'without the token');
  }
});

/* --- strict OAuth libraries --- */

test('oauth4webapi, which is strict', async (t) => {
  const server = await startWithPeople(t);
  const insecure = { [oauth.allowInsecureRequests]: true };
  const resource = await oauth.processResourceDiscoveryResponse(new URL(server.url), await oauth.resourceDiscoveryRequest(new URL(server.url), insecure));
  assert.deepEqual(resource.authorization_servers, [server.issuer]);
  const issuer = new URL(resource.authorization_servers[0]);
  const discoverAs = async (algorithm) =>
    oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, { ...insecure, algorithm }));
  const as = await discoverAs('oauth2');
  assert.deepEqual(await discoverAs('oidc'), as);
  for (const [method, authenticate] of [['none', () => oauth.None()], ['client_secret_post', oauth.ClientSecretPost], ['client_secret_basic', oauth.ClientSecretBasic]]) {
    const client = await oauth.processDynamicClientRegistrationResponse(await oauth.dynamicClientRegistrationRequest(
      as, { client_name: `strict ${method}`, redirect_uris: [CALLBACK], token_endpoint_auth_method: method }, insecure));
    assert.equal(client.token_endpoint_auth_method, method);
    const proof = authenticate(client.client_secret);
    const verifier = oauth.generateRandomCodeVerifier(), state = oauth.generateRandomState();
    const url = new URL(as.authorization_endpoint);
    for (const [key, value] of Object.entries({
      response_type: 'code', client_id: client.client_id, redirect_uri: CALLBACK, scope: 'vault:read', state, resource: resource.resource,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
    })) url.searchParams.set(key, value);
    const back = oauth.validateAuthResponse(as, client, await goThere(server, url), state);
    const got = await oauth.processAuthorizationCodeResponse(as, client, await oauth.authorizationCodeGrantRequest(
      as, client, proof, back, CALLBACK, verifier, { ...insecure, additionalParameters: { resource: resource.resource } }));
    assert.equal(got.scope, 'vault:read');
    assert.equal(await discover(server, got.access_token), 200);
    const again = await oauth.processRefreshTokenResponse(as, client, await oauth.refreshTokenGrantRequest(as, client, proof, got.refresh_token, insecure));
    assert.equal(await discover(server, again.access_token), 200);
    for (const token of [again.access_token, again.refresh_token, 'unknown'])
      await oauth.processRevocationResponse(await oauth.revocationRequest(as, client, proof, token, insecure));
    for (const token of [got.access_token, again.access_token]) assert.equal(await discover(server, token), 401);
    await assert.rejects(async () => oauth.processRefreshTokenResponse(as, client, await oauth.refreshTokenGrantRequest(as, client, proof, again.refresh_token, insecure)),
      (error) => error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant');
  }
  // the 401 has a challenge that it can parse
  await assert.rejects(oauth.protectedResourceRequest('f'.repeat(64), 'POST', new URL(server.url), undefined, undefined, insecure).then(async (r) => {
    if (!r.ok) throw new Error(r.status);
  }), (error) => error instanceof oauth.WWWAuthenticateChallengeError && error.cause[0].scheme === 'bearer' && error.cause[0].parameters.error === 'invalid_token');
});

test('openid-client', async (t) => {
  const clients = path.join(tempDir(t), 'clients.json');
  writeFileSync(clients, JSON.stringify([{ client_id: 'robot', client_secret: 's3cret of: a/robot+', grant_types: ['client_credentials'], scope: 'vault:read' }]));
  const server = await startWithPeople(t, { env: { OAUTH_CLIENTS_FILE: clients } });
  const options = { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] };
  const config = await openid.dynamicClientRegistration(new URL(server.issuer), { client_name: 'openid-client', redirect_uris: [CALLBACK], token_endpoint_auth_method: 'none' }, openid.None(), options);
  const verifier = openid.randomPKCECodeVerifier(), state = openid.randomState();
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: CALLBACK, scope: 'vault:read vault:write offline_access openid email', state, resource: server.url,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256',
  });
  const got = await openid.authorizationCodeGrant(config, await goThere(server, url), { pkceCodeVerifier: verifier, expectedState: state });
  assert.equal(got.scope, 'vault:read vault:write');
  assert.ok(got.expiresIn() > 0);
  const message = modernMessage('server/discover');
  const answer = await openid.fetchProtectedResource(config, got.access_token, new URL(server.url), 'POST', JSON.stringify(message),
    new Headers({ 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': MODERN, 'mcp-method': message.method }));
  assert.equal(answer.status, 200);
  const next = await openid.refreshTokenGrant(config, got.refresh_token, { scope: 'vault:read' });
  assert.equal(next.scope, 'vault:read');
  await openid.tokenRevocation(config, next.refresh_token);
  assert.equal(await discover(server, next.access_token), 401);
  await assert.rejects(openid.refreshTokenGrant(config, next.refresh_token), { error: 'invalid_grant' });

  const robot = await openid.discovery(new URL(server.issuer), 'robot', undefined, openid.ClientSecretBasic('s3cret of: a/robot+'), options);
  const own = await openid.clientCredentialsGrant(robot, { scope: 'vault:read', resource: server.url });
  assert.equal(await discover(server, own.access_token), 200);
  assert.equal((await openid.tokenIntrospection(robot, own.access_token)).active, true);
  await openid.tokenRevocation(robot, own.access_token);
  assert.equal((await openid.tokenIntrospection(robot, own.access_token)).active, false);
});

/* --- JWTs --- */

test('SEC-30 jose verifies our JWTs, and its forgeries are refused', async (t) => {
  const server = await startWithPeople(t, { args: ['--token-format', 'jwt'] });
  const { token } = await letIn(server);
  const { jwks_uri } = await (await fetch(`${server.issuer}/.well-known/oauth-authorization-server`)).json();
  const keys = createRemoteJWKSet(new URL(jwks_uri));
  const expected = { issuer: server.issuer, audience: server.url, typ: 'at+jwt', algorithms: ['ES256'], requiredClaims: ['jti', 'client_id', 'scope', 'sub', 'iat', 'exp'] };
  const { payload, protectedHeader: head } = await jwtVerify(token, keys, expected);
  assert.equal(payload.sub, 'anna');
  assert.equal(payload.scope, 'vault:read vault:write');

  // The store knows issued tokens by their hash, which alone rules out any forgery. Here each is
  // added to the store, so that only the JWT itself is judged.
  const db = new DatabaseSync(path.join(server.state, 'oauth.db'));
  t.after(() => db.close());
  db.exec('PRAGMA busy_timeout = 5000');
  const hash = (text) => createHash('sha256').update(text).digest();
  const row = db.prepare('SELECT grant_id, scopes, created, expires FROM tokens WHERE hash = ?').get(hash(token));
  const issue = (text) => db.prepare('INSERT INTO tokens VALUES(?, ?, ?, ?, ?)').run(hash(text), row.grant_id, row.scopes, row.created, row.expires);
  const { private: d, public: xy } = db.prepare('SELECT private, public FROM jwt_keys WHERE kid = ?').get(head.kid);
  const b64 = (bytes) => Buffer.from(bytes).toString('base64url');
  const jwk = { kty: 'EC', crv: 'P-256', x: b64(xy.subarray(0, 32)), y: b64(xy.subarray(32)) };
  const ours = await importJWK({ ...jwk, d: b64(d) }, 'ES256');
  const stranger = await generateKeyPair('ES256', { extractable: true });
  const rsa = await generateKeyPair('RS256');
  const publicKey = await importJWK(jwk, 'ES256', { extractable: true });
  const pem = Buffer.from(await exportSPKI(publicKey));
  const sign = (claims = {}, header = {}, key = ours) => new SignJWT({ ...payload, jti: crypto.randomUUID(), ...claims }).setProtectedHeader({ ...head, ...header }).sign(key);
  const now = Math.floor(Date.now() / 1000);

  const good = await sign();
  assert.equal(await discover(server, good), 401, 'never issued');
  issue(good);
  assert.equal(await discover(server, good), 200, 'this test can sign');

  const [h, c, s] = good.split('.');
  const swap = (bytes) => b64([...Buffer.from(bytes, 'base64url')].map((byte, i) => (i === 8 ? byte ^ 1 : byte)));
  const forgeries = {
    'alg none': new UnsecuredJWT(payload).encode(),
    'alg none in our header': `${b64(JSON.stringify({ ...head, alg: 'none' }))}.${c}.`,
    'alg NONE': `${b64(JSON.stringify({ ...head, alg: 'nOnE' }))}.${c}.`,
    'HS256 with the public key': await sign({}, { alg: 'HS256' }, Buffer.from(xy)),
    'HS256 with the public key as PEM': await sign({}, { alg: 'HS256' }, pem),
    'HS256 with the public key as JWK': await sign({}, { alg: 'HS256' }, Buffer.from(JSON.stringify(jwk))),
    'RS256': await sign({}, { alg: 'RS256' }, rsa.privateKey),
    'another key': await sign({}, {}, stranger.privateKey),
    'another key, brought along': await sign({}, { jwk: jwk }, stranger.privateKey),
    'a jku': await sign({}, { jku: 'https://evil.example/jwks' }),
    'an x5u': await sign({}, { x5u: 'https://evil.example/x' }),
    'an unknown kid': await sign({}, { kid: 'other' }),
    'no kid': await sign({}, { kid: undefined }),
    'a kid that is a path': await sign({}, { kid: '../../dev/null' }),
    'another audience': await sign({ aud: 'https://evil.example/mcp' }),
    'the origin as audience': await sign({ aud: server.issuer }),
    'no audience': await sign({ aud: undefined }),
    'another issuer': await sign({ iss: 'https://evil.example' }),
    'the issuer with a slash': await sign({ iss: `${server.issuer}/` }),
    'expired': await sign({ exp: now - 1 }),
    'no end': await sign({ exp: undefined }),
    'not yet': await sign({ nbf: now + 3600 }),
    'typ JWT': await sign({}, { typ: 'JWT' }),
    'typ in another spelling': await sign({}, { typ: 'application/at+jwt' }),
    'no typ': await sign({}, { typ: undefined }),
    'no jti': await sign({ jti: undefined }),
    'no client': await sign({ client_id: undefined }),
    'no scope': await sign({ scope: undefined }),
    'a changed claim': `${h}.${swap(c)}.${s}`,
    'a changed signature': `${h}.${c}.${swap(s)}`,
    'no signature': `${h}.${c}.`,
    'a zero signature': `${h}.${c}.${b64(Buffer.alloc(64))}`,
    'padding': `${good}=`,
    'a fourth part': `${good}.${s}`,
  };
  for (const [what, forgery] of Object.entries(forgeries)) {
    issue(forgery);
    assert.equal(await discover(server, forgery), 401, what);
  }
  const bits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const twin = `${good.slice(0, -1)}${bits[bits.indexOf(good.at(-1)) ^ 1]}`; // the same bytes, spelled another way
  issue(twin);
  assert.equal(await discover(server, twin), 401, 'unused bits of the last character');
  assert.equal(await discover(server, good), 200);
});
