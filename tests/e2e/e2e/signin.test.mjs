// Signing in and granting access: the whole way with plain requests, and what attackers try.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { VAULTD, cleanEnv, copyVault, run, tempDir, until } from '../support.mjs';
import { Browser, CALLBACK, CHALLENGE, USERS, authorizePath, callTool, choose, learned, redeem, register, startWithPeople, writing } from './people.mjs';

const DESCRIBED = /[a-z]/;

function assertPage(answer, status, what) {
  assert.equal(answer.status, status, `${what ?? ''} ${answer.text.slice(-600)}`);
  assert.match(answer.headers['content-type'], /^text\/html; charset=utf-8$/);
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal(answer.headers['x-frame-options'], 'DENY');
  assert.equal(answer.headers['x-content-type-options'], 'nosniff');
  assert.equal(answer.headers['referrer-policy'], 'same-origin');
  const policy = answer.headers['content-security-policy'];
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+';( script-src 'sha256-[^']+';)? img-src 'self'; base-uri 'none'; frame-ancestors 'none'$/);
  assert.equal(answer.headers['access-control-allow-origin'], undefined);
  const scripted = policy.includes('script-src'); // pages with times have our script, and so has a long list of folders; where one signs in there is none
  assert.ok(!scripted || answer.text.includes('aria-current="page"') || /action="[^"]*\/oauth\/consent"/.test(answer.text), 'only inside, and where folders are chosen');
  assert.ok(!scripted || !/action="[^"]*\/oauth\/login"/.test(answer.text), 'not where one signs in');
  assert.doesNotMatch(answer.text.replace(/<script>[^<]*<\/script>(?=<\/body>)/, scripted ? '' : '$&'), /<script|<[^>]*(javascript:|\son[a-z]+=)/i);
  assert.equal(answer.location, undefined);
}

/* --- success --- */

test('SEC-09 SEC-45 SEC-54 SEC-73 authorize, sign in, allow, token, call; then revoke', async (t) => {
  const server = await startWithPeople(t, { vault: copyVault(t) });
  const client = await register(server, { client_name: 'Claude <b>&' });
  const browser = new Browser(server);
  const login = await browser.get(authorizePath(client));
  assertPage(login, 200);
  assert.ok(login.text.includes('Claude &lt;b&gt;&amp;'));
  const signedIn = await browser.signIn(login);
  assert.equal(signedIn.status, 303);
  const consent = await browser.follow(signedIn);
  assertPage(consent, 200);
  for (const shown of ['client.example', 'Read and write', 'Read only', 'Journal', 'Recipes', 'anna']) assert.ok(consent.text.includes(shown), shown);
  assert.doesNotMatch(consent.text, /class="warning"/);

  const got = learned(await browser.submit(writing(consent), { decision: 'allow' }));
  assert.deepEqual({ ...got, code: undefined }, { at: CALLBACK, status: 303, code: undefined, state: 'a state & more', iss: server.issuer });
  const tokens = await redeem(server, client, got.code);
  assert.equal(tokens.status, 200, JSON.stringify(tokens));
  assert.equal(tokens.scope, 'vault:read vault:write');
  const call = await callTool(server, tokens.access_token, 'vault_info');
  assert.equal(call.status, 200, JSON.stringify(call));
  const written = await callTool(server, tokens.access_token, 'vault_write', { path: 'From e2e.md', content: 'hello' });
  assert.equal(written.message.result.isError ?? false, false, JSON.stringify(written));

  // again: this user has already allowed this client
  const again = learned(await browser.get(authorizePath(client)));
  assert.equal(again.status, 302);
  assert.match(again.code, /./);
  // another client always sees a page
  assertPage(await browser.get(authorizePath(await register(server))), 200);

  const account = await browser.get('/account');
  assertPage(account, 200);
  assert.ok(account.text.includes('Created From e2e.md'), account.text.slice(-3000));
  const undo = account.forms.find((f) => f.action === '/account/undo');
  const undone = await browser.submit(undo);
  assert.equal(undone.location, `${server.issuer}/account?done=undone`);
  const read = await callTool(server, tokens.access_token, 'vault_read', { path: 'From e2e.md' });
  assert.equal(read.message.result.isError, true);

  const revoke = account.forms.find((f) => f.action === '/account/revoke');
  assert.equal((await browser.submit(revoke)).location, `${server.issuer}/account?done=disconnected`);
  assert.equal((await callTool(server, tokens.access_token, 'vault_info')).status, 401);
  assertPage(await browser.submit(revoke), 400); // already gone

  const out = account.forms.find((f) => f.action === '/account/sign-out');
  assert.equal((await browser.submit(out)).status, 303);
  assert.ok((await browser.get('/account')).text.includes('name="password"'));
  for (const line of [/oauth\.sign-in .*user=anna/, /oauth\.consent decision=allowed/, /oauth\.revoked user=anna/, /oauth\.undo user=anna/, /oauth\.sign-out/]) await server.says(line);
  for (const secret of [USERS.anna.password, got.code, tokens.access_token, 'a%20state', ...browser.cookies.values()]) assert.ok(!server.stderr.includes(secret), secret);
});

test('SEC-45 read only and some folders can be chosen, never more than was requested', async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server);
  const browser = new Browser(server);
  const consent = await browser.toConsent(authorizePath(client));
  const form = choose(consent.forms[0], [['access', 'read'], ['where', 'some'], ['folder', 'Journal'], ['folder', 'Books']]);
  const got = learned(await browser.submit(form, { decision: 'allow' }));
  assert.equal((await redeem(server, client, got.code)).scope, 'vault:read');
  assert.match((await browser.get('/account')).text, /Read only<\/span><bdi>Journal<\/bdi>, <bdi>Books<\/bdi>/);
  assertPage(await browser.get(authorizePath(client)), 200, 'writing was not allowed, so it is asked again');
  assert.ok(learned(await browser.get(authorizePath(client, { scope: 'vault:read' }))).code);

  const reader = await register(server);
  const bob = new Browser(server);
  const small = await bob.toConsent(authorizePath(reader, { scope: 'vault:read openid' }), 'bob');
  assert.doesNotMatch(small.text, /value="write"/);
  const forced = learned(await bob.submit(choose(small.forms[0], [['access', 'write']]), { decision: 'allow' }));
  assert.equal((await redeem(server, reader, forced.code)).scope, 'vault:read');
  assert.match((await bob.get('/account')).text, /Read only<\/span>The whole vault/);
});

test('SEC-45: a remembered consent gives what is requested now, not what was allowed then', async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server);
  const browser = new Browser(server);
  const first = learned(await browser.submit(writing(await browser.toConsent(authorizePath(client))), { decision: 'allow' }));
  assert.equal((await redeem(server, client, first.code)).scope, 'vault:read vault:write');
  const less = learned(await browser.get(authorizePath(client, { scope: 'vault:read' })));
  const tokens = await redeem(server, client, less.code);
  assert.equal(tokens.scope, 'vault:read');
  assert.equal((await callTool(server, tokens.access_token, 'vault_write', { path: 'No.md', content: 'x' })).status, 403);
  const all = learned(await browser.get(authorizePath(client)));
  assert.equal((await redeem(server, client, all.code)).scope, 'vault:read vault:write');
});

test('SEC-45: consent for loopback and private schemes is asked for every time', async (t) => {
  const server = await startWithPeople(t);
  const redirect_uris = ['http://localhost/callback', 'http://127.0.0.1:1234/cb', 'http://[::1]/cb', 'cursor://anysphere.cursor-mcp/oauth/callback'];
  const client = await register(server, { redirect_uris });
  for (const redirect_uri of redirect_uris) {
    const browser = new Browser(server);
    const way = authorizePath(client, { redirect_uri });
    assert.ok(learned(await browser.submit(writing(await browser.toConsent(way)), { decision: 'allow' })).code);
    const again = await browser.get(way);
    assertPage(again, 200, redirect_uri);
    assert.ok(again.forms[0].action.endsWith('/oauth/consent'), redirect_uri);
    if (redirect_uri.includes('localhost')) // another port may be another program
      assertPage(await browser.get(authorizePath(client, { redirect_uri: 'http://localhost:4444/callback' })), 200);
  }
});

test('no folder, a folder that was not offered, or no decision: the question is asked again', async (t) => {
  const server = await startWithPeople(t);
  const browser = new Browser(server);
  const consent = await browser.toConsent(authorizePath(await register(server)));
  const ticket = consent.forms[0].fields.find(([name]) => name === 'ticket');
  const some = [ticket, ['where', 'some']];
  const rows = [
    [...some, ['decision', 'allow']], [...some, ['decision', 'allow'], ['folder', 'Elsewhere']], [...some, ['decision', 'allow'], ['folder', 'Journal'], ['folder', '../x']],
    [ticket, ['decision', 'allow']], [...some, ['folder', 'Journal']], [...some, ['decision', 'maybe'], ['folder', 'Journal']],
  ];
  for (const fields of rows) assertPage(await browser.post('/oauth/consent', fields), 400, JSON.stringify(fields));
  assert.ok(learned(await browser.post('/oauth/consent', [...some, ['decision', 'allow'], ['folder', 'Journal']])).code);
});

test('SEC-09 a user can deny, and can switch accounts', async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server);
  const browser = new Browser(server);
  const consent = await browser.toConsent(authorizePath(client));
  const switched = await browser.submit(consent.forms[0], { decision: 'switch' });
  assert.equal(switched.status, 303);
  const login = await browser.follow(switched);
  assertPage(login, 200);
  const other = await browser.follow(await browser.signIn(login, 'bob'));
  assert.ok(other.text.includes('<strong>bob</strong>'));
  const denied = learned(await browser.submit(other.forms[0], { decision: 'deny' }));
  assert.match(denied.error_description, DESCRIBED);
  assert.deepEqual({ ...denied, error_description: '' }, { at: CALLBACK, status: 303, error: 'access_denied', error_description: '', state: 'a state & more', iss: server.issuer });
  assertPage(await browser.submit(other.forms[0], { decision: 'allow' }), 400, 'the form was used');
  assertPage(await browser.get(authorizePath(client)), 200, 'a denial is not remembered');
});

/* --- invalid requests --- */

test('SEC-40 SEC-42 until the redirect URI is verified, nothing is redirected', async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server);
  const browser = new Browser(server);
  const good = authorizePath(client);
  const rows = {
    'no client': authorizePath(undefined),
    'unknown client': authorizePath('nobody'),
    'client twice': `${good}&client_id=${client}`,
    'state twice': `${good}&state=x`,
    'redirect_uri twice': `${good}&redirect_uri=${encodeURIComponent(CALLBACK)}`,
    'broken escape': `${good}&x=%zz`,
    'half an escape': `${good}&x=%4`,
    NUL: `${good}&x=%00`,
    'not UTF-8': `${good}&x=%ff`,
    'script as client': authorizePath('<script>alert(1)</script>'),
    'no query': '/oauth/authorize',
  };
  for (const [name, path] of Object.entries(rows)) {
    const answer = await browser.get(path);
    assertPage(answer, 400, name);
    assert.ok(!answer.text.includes('alert(1)'), name);
  }
  assert.equal((await browser.get(`${good}&x=${'y'.repeat(9000)}`)).status, 414);
  for (const method of ['POST', 'PUT', 'DELETE', 'HEAD']) assert.equal((await browser.send(good, { method })).status, 405, method);
});

test('SEC-41 26 manipulated redirect URIs', async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server);
  const browser = new Browser(server);
  const bent = [
    'https://client.example/callback/', 'https://client.example/Callback', 'https://CLIENT.example/callback', 'HTTPS://client.example/callback',
    'http://client.example/callback', 'https://client.example:443/callback', 'https://client.example:8443/callback', 'https://client.example/callback?x=1',
    'https://client.example/callback?', 'https://client.example/callback#', 'https://client.example/callback#x', 'https://client.example/./callback',
    'https://client.example/x/../callback', 'https://client.example//callback', 'https://client.example/%63allback', 'https://client.example/callback%2f',
    'https://user@client.example/callback', 'https://client.example@evil.example/callback', 'https://client.example.evil.example/callback',
    'https://evil.example/https://client.example/callback', 'https://client.example\\@evil.example/callback', 'https://client.example./callback',
    'https://client.example/callback\0', ' https://client.example/callback', 'https://client.exаmple/callback', 'javascript:alert(1)//client.example/callback',
    '//client.example/callback', '/callback', 'https://client.example/callback\r\nX: y', 'https://client.example/callback,https://evil.example',
  ];
  assert.ok(bent.length >= 26);
  for (const redirect_uri of bent) assertPage(await browser.get(authorizePath(client, { redirect_uri })), 400, JSON.stringify(redirect_uri));
  assertPage(await browser.get(authorizePath(client, { redirect_uri: undefined })), 200, 'the only one');
  const two = await register(server, { redirect_uris: [CALLBACK, `${CALLBACK}2`] });
  assertPage(await browser.get(authorizePath(two, { redirect_uri: undefined })), 400, 'one of two');
});

test('SEC-41 SEC-45 loopback: any port, the rest exact, with a warning', async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server, { redirect_uris: ['http://localhost/callback', 'http://127.0.0.1:1234/cb', 'http://[::1]/cb'] });
  for (const redirect_uri of ['http://localhost:61234/callback', 'http://127.0.0.1:1/cb', 'http://127.0.0.1/cb', 'http://[::1]:8080/cb'])
    assertPage(await new Browser(server).get(authorizePath(client, { redirect_uri })), 200, redirect_uri);
  for (const redirect_uri of ['http://localhost:61234/other', 'http://127.0.0.1:99/callback', 'http://127.0.0.2:1/cb', 'http://localhost:1:2/callback', 'http://localhost:x/callback', 'http://localhost.evil.example/callback', 'https://localhost:61234/callback', 'http://localhost:99999999/callback'])
    assertPage(await new Browser(server).get(authorizePath(client, { redirect_uri })), 400, redirect_uri);
  const browser = new Browser(server);
  const consent = await browser.toConsent(authorizePath(client, { redirect_uri: 'http://localhost:61234/callback' }));
  assert.match(consent.text, /class="warning"/);
  assert.match(consent.text, /this computer \(localhost\)/);
  assert.equal(learned(await browser.submit(consent.forms[0], { decision: 'allow' })).at, 'http://localhost:61234/callback');
});

/** Settings with a client that the operator configured: others get the same as a link on a page. */
const configured = (t) => {
  const file = path.join(tempDir(t), 'clients.json');
  writeFileSync(file, JSON.stringify([{ client_id: 'configured', client_name: 'Configured', redirect_uris: [CALLBACK] }]), { mode: 0o600 });
  return { args: ['--oauth-clients-file', file] };
};

test('SEC-02 SEC-07 SEC-08 SEC-09 errors found after the redirect URI is verified are reported to the client', async (t) => {
  const server = await startWithPeople(t, configured(t));
  const client = 'configured', stranger = await register(server), own = await register(server, { redirect_uris: ['http://127.0.0.1/own'] });
  const rows = [
    ['unsupported_response_type', { response_type: 'token' }],
    ['unsupported_response_type', { response_type: 'code token' }],
    ['invalid_request', { response_type: undefined }],
    ['invalid_request', { response_type: '' }],
    ['invalid_request', { code_challenge: undefined }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_request', { code_challenge: `${CHALLENGE.slice(1)}+` }],
    ['invalid_request', { code_challenge: `${CHALLENGE}=` }],
    ['invalid_request', { code_challenge_method: undefined }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge_method: 's256' }],
    ['invalid_target', { resource: 'https://other.example/mcp' }],
    ['invalid_target', { resource: `${server.issuer}/mcp#x` }],
    ['invalid_scope', { scope: 'vault:read "x"' }],
    ['login_required', { prompt: 'none' }],
    ['login_required', { prompt: 'consent none' }],
  ];
  for (const [error, changes] of rows) {
    const got = learned(await new Browser(server).get(authorizePath(client, changes)));
    assert.match(got.error_description, DESCRIBED);
    assert.deepEqual({ ...got, error_description: '' }, { at: CALLBACK, status: 302, error, error_description: '', state: 'a state & more', iss: server.issuer }, JSON.stringify(changes));
    const shown = await new Browser(server).get(authorizePath(stranger, changes));
    assertPage(shown, 400, JSON.stringify(changes));
    assert.equal(shown.headers.location, undefined);
    assert.match(shown.text, new RegExp(`<a href="${CALLBACK}\\?error=${error}&amp;[^"]*"`));
    assert.equal(learned(await new Browser(server).get(authorizePath(own, { ...changes, redirect_uri: 'http://127.0.0.1:4711/own' }))).error, error, 'on the own computer');
  }
  const long = learned(await new Browser(server).get(authorizePath(client, { state: 's'.repeat(4097) })));
  assert.deepEqual([long.error, long.state], ['invalid_request', undefined]);
  for (const changes of [{ resource: server.issuer }, { resource: `${server.issuer}/` }, { resource: `${server.issuer}/mcp` }, { scope: undefined }, { scope: 'openid email offline_access' }, { prompt: 'consent' }, { state: undefined }])
    assertPage(await new Browser(server).get(authorizePath(client, changes)), 200, JSON.stringify(changes));
  assertPage(await new Browser(server).get(`${authorizePath(client, { resource: server.issuer })}&resource=${encodeURIComponent(`${server.issuer}/mcp`)}`), 200);
});

test('SEC-43 state is returned byte for byte, whatever it is', async (t) => {
  const server = await startWithPeople(t, configured(t));
  const client = 'configured';
  const browser = new Browser(server);
  for (const state of ['x', 'a b+c%20d', 'ä€🌱', '"><script>', 'x'.repeat(4000), '&code=evil&iss=evil#', 'a\r\nSet-Cookie: x=y'])
    assert.equal(learned(await browser.get(authorizePath(client, { state, prompt: 'none' }))).state, state);
});

/* --- forged forms --- */

test('SEC-49 a form from another site, from another browser or submitted twice does nothing', async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server);
  const browser = new Browser(server);
  const login = await browser.get(authorizePath(client));
  const [form] = login.forms;
  const person = { username: 'anna', password: USERS.anna.password };
  const bad = {
    'foreign Origin': { origin: 'https://evil.example' },
    'null Origin': { origin: 'null' },
    'our Origin on another port': { origin: 'http://127.0.0.1:1' },
    'cross-site': { 'sec-fetch-site': 'cross-site' },
    'same-site': { 'sec-fetch-site': 'same-site' },
    'typed in': { 'sec-fetch-site': 'none' },
  };
  for (const [name, headers] of Object.entries(bad)) {
    const answer = await browser.submit(form, person, headers);
    assert.equal(answer.status, 403, name);
    assert.equal(answer.headers['set-cookie'], undefined, name);
  }
  for (const type of ['text/plain', 'application/json', 'multipart/form-data; boundary=x']) assert.equal((await browser.submit(form, person, { 'content-type': type })).status, 400, type);
  assertPage(await new Browser(server).submit(form, person), 403, 'no cookie');
  const other = new Browser(server);
  await other.get(authorizePath(client));
  assertPage(await other.submit(form, person), 400, 'the cookie of another browser');
  assertPage(await browser.post('/oauth/login', { ...person }), 400, 'no ticket');
  assertPage(await browser.post('/oauth/login', { ...person, ticket: 'f'.repeat(64) }), 400, 'a guess');
  assertPage(await browser.post('/oauth/login', [...form.fields, ...form.fields, ...Object.entries(person)]), 400, 'ticket twice');
  assertPage(await browser.post('/oauth/consent', [...form.fields, ['decision', 'allow']]), 400, 'before signing in');
  const big = await browser.submit(form, { username: 'anna', password: 'x'.repeat(17000) });
  assert.equal(big.status, 413);
  // none of that affected the form
  const signedIn = await browser.submit(form, person);
  assert.equal(signedIn.status, 303);
  assertPage(await browser.submit(form, person), 400, 'replayed');

  const consent = await browser.follow(signedIn);
  const stolen = new Browser(server);
  const theirs = await stolen.toConsent(authorizePath(client), 'bob');
  assertPage(await stolen.submit(consent.forms[0], { decision: 'allow' }), 400, "anna's form in bob's browser");
  assertPage(await stolen.get(new URL(signedIn.location).pathname + new URL(signedIn.location).search), 400, "anna's page in bob's browser");
  assert.ok(theirs.text.includes('<strong>bob</strong>'));
  for (const headers of Object.values(bad)) assert.equal((await browser.submit(consent.forms[0], { decision: 'allow' }, headers)).status, 403);
  assert.ok(learned(await browser.submit(consent.forms[0], { decision: 'allow' })).code);
  assertPage(await browser.submit(consent.forms[0], { decision: 'allow' }), 400, 'replayed');
});

test('SEC-49 OAuth parameters in a form change nothing', async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server);
  const browser = new Browser(server);
  const evil = { redirect_uri: 'https://evil.example/', client_id: 'evil', state: 'evil', scope: 'vault:write', next: 'https://evil.example/' };
  const login = await browser.get(authorizePath(client));
  const signedIn = await browser.submit(login.forms[0], { username: 'anna', password: USERS.anna.password, ...evil });
  const consent = await browser.follow(signedIn);
  const got = learned(await browser.submit(consent.forms[0], { decision: 'allow', ...evil }));
  assert.deepEqual([got.at, got.state], [CALLBACK, 'a state & more']);
});

test('SEC-49 credentials in a URL are ignored', async (t) => {
  const server = await startWithPeople(t);
  const browser = new Browser(server);
  const login = await browser.get(authorizePath(await register(server)));
  const query = new URLSearchParams([...login.forms[0].fields, ['username', 'anna'], ['password', USERS.anna.password]]);
  assertPage(await browser.get(`/oauth/login?${query}`), 400);
  assert.ok((await browser.get(`/account?${query}`)).text.includes('name="password"'));
  assert.ok(!server.stderr.includes('sesame'));
});

test('SEC-54 /account needs a sign-in, and its forms a ticket', async (t) => {
  const server = await startWithPeople(t);
  const browser = new Browser(server);
  const login = await browser.get('/account');
  assertPage(login, 200);
  for (const path of ['/account/revoke', '/account/undo', '/account/sign-out']) {
    const answer = await browser.post(path, { id: '1' });
    assert.deepEqual([answer.status, answer.location], [303, `${server.issuer}/account`], path);
  }
  const into = await browser.signIn(login);
  assert.equal(into.location, `${server.issuer}/account`);
  const account = await browser.get('/account');
  assertPage(account, 200);
  for (const path of ['/account/revoke', '/account/undo', '/account/sign-out']) {
    assertPage(await browser.post(path, { id: '1' }), 403, path);
    assertPage(await browser.post(path, { id: '1', ticket: '0'.repeat(64) }), 403, path);
    assert.equal((await browser.post(path, { id: '1' }, { origin: 'https://evil.example' })).status, 403, path);
  }
  const [out] = account.forms;
  assertPage(await browser.post('/account/revoke', [...out.fields, ['id', '99']]), 400);
  assertPage(await browser.post('/account/revoke', [...out.fields, ['id', 'x']]), 400);
  assertPage(await browser.post('/account/undo', [...out.fields, ['id', '-1']]), 400);
  assertPage(await browser.get('/account/revoke'), 405);
  assertPage(await browser.get('/account/elsewhere'), 404);
  assertPage(await browser.get('/oauth/elsewhere'), 404);
  assert.equal((await browser.submit(out)).status, 303);
  assertPage(await browser.get('/account/sign-out'), 200);
  // the previous cookie is no longer valid
  const thief = new Browser(server);
  thief.cookies = new Map(browser.cookies);
  assert.ok((await thief.get('/account')).text.includes('name="password"'));
});

test("users cannot see each other's grants", async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server);
  const anna = new Browser(server);
  const got = await anna.allow(authorizePath(client));
  const tokens = await redeem(server, client, got.code);
  const revoke = (await anna.get('/account')).forms.find((f) => f.action === '/account/revoke');
  const [, id] = revoke.fields.find(([name]) => name === 'id');
  const bob = new Browser(server);
  await bob.signIn(await bob.get('/account'), 'bob');
  const page = await bob.get('/account');
  assert.ok(page.text.includes('No app has access'));
  assertPage(await bob.post('/account/revoke', [...page.forms[0].fields, ['id', id]]), 400);
  assert.equal((await callTool(server, tokens.access_token, 'vault_info')).status, 200);
});

/* --- guessing --- */

/** The page keeps the name that was typed, with the focus where something is missing, and nothing else of the attempt. */
const withoutTyped = (text) => text.replace(/<input id="(?:username|password)"[^>]*>/g, (input) => input.replace(/ value="[^"]*"| autofocus/g, ''));

test('SEC-48 SEC-51 all failures look alike', async (t) => {
  const server = await startWithPeople(t);
  const browser = new Browser(server);
  const login = await browser.get(authorizePath(await register(server)));
  const rows = {
    'wrong password': { username: 'anna', password: 'wrong' },
    'unknown user': { username: 'nobody', password: 'wrong' },
    'hash as password': { username: 'bob', password: USERS.bob.hash },
    'glued pair': { username: `anna:${USERS.anna.hash}`, password: USERS.anna.password },
    'no password': { username: 'anna' },
    'no name': { password: USERS.anna.password },
    nothing: {},
    'over 72 bytes': { username: 'bob', password: 'x'.repeat(73) },
    'long name': { username: 'x'.repeat(129), password: 'wrong' },
    script: { username: '<script>alert(1)</script>', password: '"><b>' },
  };
  const seen = new Set();
  for (const [name, fields] of Object.entries(rows)) {
    const answer = await browser.submit(login.forms[0], fields);
    assertPage(answer, 401, name);
    const { date, 'content-length': length, ...headers } = answer.headers;
    seen.add(JSON.stringify([headers, withoutTyped(answer.text)]));
  }
  assert.equal(seen.size, 1);
  assertPage(await browser.post('/oauth/login', `${new URLSearchParams(login.forms[0].fields)}&username=anna&password=open%20sesame%00`), 400, 'a form must not contain NUL');
  assert.ok(!server.stderr.includes('alert(1)'));
});

test('SEC-52 guessing leads to a lockout, in which even the right password fails', async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server);
  const browser = new Browser(server);
  const login = await browser.get(authorizePath(client));
  const elsewhere = new Browser(server);
  const there = await elsewhere.get(authorizePath(client));
  for (const username of ['anna', 'nobody']) {
    for (let i = 0; i < 5; i++) assertPage(await browser.submit(login.forms[0], { username, password: `guess ${i}` }), 401);
    const answer = await browser.submit(login.forms[0], { username, password: USERS.anna.password });
    assertPage(answer, 429, username);
    assert.ok(Number(answer.headers['retry-after']) > 0 && Number(answer.headers['retry-after']) <= 30);
    assert.match(answer.text, /role="alert">Too many failed sign-ins/);
    assertPage(await elsewhere.signIn(there, username, USERS.anna.password), 429, 'in another browser, too');
  }
  assert.equal((await browser.signIn(login, 'bob')).status, 303, 'others are not shut out');
  await server.says(/oauth\.sign-in result=throttled user=anna/);
  assert.doesNotMatch(server.stderr, /guess/);
});

test('SEC-52 a browser in which a user has signed in before is not locked out by others', async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server);
  const mine = new Browser(server), stranger = new Browser(server);
  assert.equal((await mine.signIn(await mine.get(authorizePath(client)), 'anna')).status, 303);
  assert.match(mine.cookies.get('vaultd_device'), /^[0-9a-f]{64}\.[0-9a-f]{64}$/);
  mine.cookies.delete('vaultd_sign_in');
  const login = await stranger.get(authorizePath(client));
  for (let i = 0; i < 5; i++) assertPage(await stranger.submit(login.forms[0], { username: 'anna', password: 'x' }), 401);
  assertPage(await stranger.signIn(login, 'anna'), 429, 'from the same address');
  stranger.cookies.set('vaultd_device', mine.cookies.get('vaultd_device').replace(/.$/, (c) => (c === '0' ? '1' : '0')));
  assertPage(await stranger.signIn(login, 'anna'), 429, 'with a forged cookie');
  stranger.cookies.set('vaultd_device', mine.cookies.get('vaultd_device'));
  assertPage(await stranger.submit(login.forms[0], { username: 'bob', password: 'x' }), 401, 'it is for one user');
  assert.equal((await mine.signIn(await mine.get(authorizePath(client)), 'anna')).status, 303);
  mine.cookies.delete('vaultd_sign_in');
  const again = await mine.get(authorizePath(client));
  for (let i = 0; i < 5; i++) assertPage(await mine.submit(again.forms[0], { username: 'anna', password: 'x' }), 401);
  assertPage(await mine.signIn(again, 'anna'), 429, 'its own failures count');
});

test('SEC-52 guessing for many names is stopped by address', async (t) => {
  const server = await startWithPeople(t);
  const browser = new Browser(server);
  const login = await browser.get(authorizePath(await register(server)));
  const statuses = [];
  for (let i = 0; i < 22; i++) statuses.push((await browser.submit(login.forms[0], { username: `user${i}`, password: 'x' })).status);
  assert.deepEqual(statuses, [...Array(20).fill(401), 429, 429]);
});

/* --- cookies --- */

test('SEC-50 cookies: __Host- and Secure with https, plain on loopback, new at each sign-in', async (t) => {
  const plain = await startWithPeople(t);
  const browser = new Browser(plain);
  const path = authorizePath(await register(plain));
  const login = await browser.get(path);
  assert.deepEqual(login.headers['set-cookie'].map((c) => c.replace(/=[0-9a-f]{64};/, '=X;')), ['vaultd_browser=X; Path=/; Max-Age=600; HttpOnly; SameSite=Lax']);
  const before = new Map(browser.cookies);
  await browser.get(path);
  assert.equal(browser.cookies.get('vaultd_browser'), before.get('vaultd_browser'), 'two tabs share it');
  const planted = new Browser(plain);
  planted.cookies.set('vaultd_browser', 'a'.repeat(64));
  await planted.get(path);
  assert.notEqual(planted.cookies.get('vaultd_browser'), 'a'.repeat(64), 'one that we did not give is replaced');
  await browser.signIn(login);
  assert.notEqual(browser.cookies.get('vaultd_browser'), before.get('vaultd_browser'));

  const url = 'https://vault.example';
  const secure = await startWithPeople(t, { url });
  const far = new Browser(secure);
  const client = await register(secure);
  const page = await far.get(authorizePath(client));
  assert.match(page.headers['set-cookie'][0], /^__Host-vaultd_browser=[0-9a-f]{64}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/);
  const signedIn = await far.signIn(page);
  assert.equal(signedIn.status, 303, signedIn.text);
  assert.ok(signedIn.headers['set-cookie'].every((c) => c.startsWith('__Host-') && c.endsWith('; Secure')));
  assert.ok(signedIn.location.startsWith(`${url}/oauth/consent?`));
});

test('two tabs at the same time: both succeed', async (t) => {
  const server = await startWithPeople(t);
  const browser = new Browser(server);
  const one = await browser.get(authorizePath(await register(server, { client_name: 'One' })));
  const two = await browser.get(authorizePath(await register(server, { client_name: 'Two' })));
  const first = await browser.follow(await browser.signIn(one));
  const second = await browser.follow(await browser.signIn(two));
  assert.ok(first.text.includes('One') && second.text.includes('Two'));
  assert.ok(learned(await browser.submit(second.forms[0], { decision: 'allow' })).code);
  assert.ok(learned(await browser.submit(first.forms[0], { decision: 'allow' })).code);
});

test('SEC-44 client names are shown as text, and nothing else', async (t) => {
  const server = await startWithPeople(t);
  const names = ['\u202eedualC', 'Cla\u200bude', '"><img src=x onerror=alert(1)>', 'x'.repeat(79), "Robert'); DROP TABLE"];
  for (const client_name of names) {
    const client = await register(server, { client_name, logo_uri: 'https://evil.example/logo.png', client_uri: 'https://evil.example/' });
    const page = await new Browser(server).toConsent(authorizePath(client), 'bob');
    assertPage(page, 200, client_name);
    assert.doesNotMatch(page.text, /[\u202e\u200b]|<img|evil\.example/);
  }
});


/* --- concurrency and shutdown --- */

test('SEC-52 a rush of sign-ins is answered, one way or another, and everything else keeps working', async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server);
  const browsers = Array.from({ length: 60 }, () => new Browser(server));
  const pages = await Promise.all(browsers.map((b) => b.get(authorizePath(client))));
  const answers = Promise.all(browsers.map((b, i) => b.submit(pages[i].forms[0], { username: `nobody${i}`, password: 'x' })));
  assertPage(await new Browser(server).get(authorizePath(client)), 200, 'in the meantime');
  const statuses = (await answers).map((a) => a.status);
  assert.ok(statuses.every((s) => [401, 429, 503].includes(s)), statuses.join(' '));
  assert.ok(statuses.filter((s) => s === 401).length <= 20 && statuses.includes(401) && statuses.includes(503), statuses.join(' '));
});

test('a server stopped during a sign-in exits cleanly', async (t) => {
  const server = await startWithPeople(t);
  const browser = new Browser(server);
  const page = await browser.get(authorizePath(await register(server)));
  const answer = browser.signIn(page).catch(() => undefined); // it may have been too late
  await new Promise((done) => setTimeout(done, 50));
  await server.stop();
  assert.equal((await answer)?.status ?? 303, 303);
});

test('a user removed from the file is signed out', async (t) => {
  const file = path.join(tempDir(t), 'users');
  const pair = (name) => `${name}:${USERS[name].hash}\n`;
  writeFileSync(file, pair('anna') + pair('bob'));
  const server = await startWithPeople(t, { env: { AUTH_USERS: '', AUTH_USERS_FILE: file } });
  const browser = new Browser(server);
  await browser.signIn(await browser.get('/account'));
  assert.match((await browser.get('/account')).text, /Your account/);
  writeFileSync(file, pair('bob'));
  await until('it is noticed', async () => /name="password"/.test((await browser.get('/account')).text));
});

test('a new password ends sign-ins and remembered consent', async (t) => {
  const file = path.join(tempDir(t), 'users');
  writeFileSync(file, `anna:${USERS.anna.hash}\nbob:${USERS.bob.hash}\n`);
  const server = await startWithPeople(t, { env: { AUTH_USERS: '', AUTH_USERS_FILE: file } });
  const client = await register(server), browser = new Browser(server), bob = new Browser(server);
  await bob.signIn(await bob.get('/account'), 'bob');
  assert.ok((await browser.allow(authorizePath(client))).code);
  const pending = learned(await browser.get(authorizePath(client)));
  assert.ok(pending.code, 'consent is remembered');
  writeFileSync(file, `# a new password\nanna:${USERS.bob.hash}\nbob:${USERS.bob.hash}\n`);
  await until('it is noticed', async () => /name="password"/.test((await browser.get('/account')).text));
  assert.match((await bob.get('/account')).text, /Your account/);
  assert.equal((await redeem(server, client, pending.code)).error, 'invalid_grant');
  const login = await browser.get(authorizePath(client));
  assert.match(login.text, /name="password"/);
  const asked = await browser.follow(await browser.signIn(login, 'anna', USERS.bob.password));
  assert.ok(asked.forms[0].action.endsWith('/oauth/consent'), 'consent is asked for again');
});

test('/account shows the keys of the user, and no others', async (t) => {
  const server = await startWithPeople(t);
  const names = ['backup', 'anna', 'anna/phone', 'bob/laptop', 'annabel/x', 'anna/phone/y', '/z'];
  for (const name of names) {
    const end = await run(VAULTD, ['key', 'add', name, 'read'], { env: cleanEnv(tempDir(t), { STATE_DIR: server.state }) });
    assert.equal(end.code, 0, end.stderr);
  }
  for (const [user, own] of [['anna', ['anna/phone']], ['bob', ['bob/laptop']]]) {
    const browser = new Browser(server);
    await browser.signIn(await browser.get('/account'), user);
    const { text } = await browser.get('/account');
    assert.deepEqual(names.filter((name) => text.includes(`<h3>${name}</h3>`)), own, user);
  }
});
