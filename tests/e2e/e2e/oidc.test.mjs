// Signing in with an OpenID Connect provider, played by a stand-in: both ways of sending the
// secret, every claim, and no misbehaviour lets anyone in.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../support.mjs';
import { startOpenId } from '../standins.mjs';
import { Browser, CALLBACK, authorizePath, callTool, freePort, learned, redeem, register, startWithPeople, writing } from './people.mjs';

const SECRET = 'oidc secret/with:odd chars';

async function start(t, { post = false, args = [], env = { OIDC_CLIENT_SECRET: SECRET }, allowed = 'ADA@example.com' } = {}) {
  const provider = await startOpenId({ post });
  t.after(() => provider.stop());
  const server = await startWithPeople(t, {
    args: ['--oidc-issuer', provider.url, '--oidc-client-id', 'oidc-client', '--oidc-name', 'Example ID', '--oidc-allowed', allowed, ...args],
    env: { AUTH_USERS: '', ...env },
  });
  return { provider, server, client: await register(server), browser: new Browser(server) };
}

/** Go to the provider's page; returns the redirect to it. */
async function away({ browser, client }) {
  const consent = await browser.get(authorizePath(client));
  assert.match(consent.text, /Allow and go to Example ID/);
  return browser.submit(writing(consent), { decision: 'allow' });
}

/** The provider's answer: the redirect back to us. */
async function back(url) {
  const answer = await fetch(url, { redirect: 'manual' });
  const to = new URL(answer.headers.get('location'));
  return to.pathname + to.search;
}

const signIn = async (all) => all.browser.get(await back((await away(all)).location));

test('consent, the provider, code; the secret by Basic, or in the form if required', async (t) => {
  for (const post of [false, true])
    await t.test(post ? 'client_secret_post' : 'client_secret_basic', async (t) => {
      const all = await start(t, { post });
      const url = new URL((await away(all)).location);
      assert.equal(url.searchParams.get('redirect_uri'), `${all.server.issuer}/oauth/oidc/callback`);
      assert.match(url.searchParams.get('nonce'), /^\S{20,}$/);
      const path = await back(url);
      const got = learned(await all.browser.get(path));
      assert.deepEqual([got.at, got.iss], [CALLBACK, all.server.issuer]);
      const tokens = await redeem(all.server, all.client, got.code);
      assert.equal((await callTool(all.server, tokens.access_token, 'vault_info')).status, 200);
      assert.equal((await all.browser.get(path)).status, 400, 'once');
      assert.match((await all.browser.get('/account')).text, /ada@example\.com/);
      assert.doesNotMatch(all.server.stderr, /odd chars|upstream/);
    });
});

test('the secret from a file, another claim', async (t) => {
  const file = path.join(tempDir(t), 'secret');
  writeFileSync(file, `${SECRET}\n`);
  const all = await start(t, { env: {}, allowed: 'ada', args: ['--oidc-client-secret-file', file, '--oidc-claim', 'preferred_username'] });
  all.provider.behaviour = 'unverified'; // an address that is not requested
  assert.ok(learned(await signIn(all)).code);
});

test('no one else gets in, however the provider misbehaves', async (t) => {
  const all = await start(t);
  for (const behaviour of ['denied', 'badstate', 'error200', 'garbage', 'status', 'huge', 'slow', 'forged', 'expired', 'nonce', 'unverified'])
    await t.test(behaviour, async () => {
      all.provider.behaviour = behaviour;
      const answer = await signIn(all);
      assert.ok([400, 403, 502].includes(answer.status), `${behaviour}: ${answer.status}`);
      assert.equal(answer.location, undefined);
      assert.doesNotMatch(answer.text, /odd chars|id_token/);
      assert.match((await all.browser.get('/account')).text, /Sign in/);
    });
  all.provider.behaviour = 'good';
  assert.ok(learned(await signIn(all)).code, 'and then it works again');
});

test('users who are not on the list are refused; so is another person with the same address', async (t) => {
  const all = await start(t, { allowed: 'bob@example.com,ada@example.org' });
  assert.equal((await signIn(all)).status, 403);
  const known = await start(t);
  assert.ok(learned(await signIn(known)).code);
  known.provider.user = { ...known.provider.user, sub: 'user-2' };
  const later = { ...known, browser: new Browser(known.server) };
  assert.equal((await signIn(later)).status, 403);
});

test('SEC-27: names are pinned in any case, and a subject is allowed exactly', async (t) => {
  const all = await start(t);
  assert.ok(learned(await signIn(all)).code);
  const first = { ...all.provider.user };
  for (const email of ['ada@example.com', 'Ada@Example.com', 'ADA@EXAMPLE.COM']) {
    all.provider.user = { ...first, email, sub: 'another' };
    assert.equal((await signIn({ ...all, browser: new Browser(all.server) })).status, 403, email);
  }
  all.provider.user = { ...first, email: 'ADA@example.COM' };
  assert.ok(learned(await signIn({ ...all, browser: new Browser(all.server) })).code);

  const exact = await start(t, { allowed: 'SuB-1,sub-2', args: ['--oidc-claim', 'sub'] });
  for (const [sub, status] of [['sub-1', 403], ['SUB-1', 403], ['SuB-1', 302], ['sub-2', 302], ['Sub-2', 403]]) {
    exact.provider.user = { ...exact.provider.user, sub };
    assert.equal((await signIn({ ...exact, browser: new Browser(exact.server) })).status, status, sub);
  }
});

test('a provider that is missing, or is a different one', async (t) => {
  const all = await start(t);
  all.provider.issuer = 'https://somebody.example';
  assert.equal((await away(all)).status, 502);
  all.provider.issuer = undefined;
  const port = await freePort();
  const server = await startWithPeople(t, {
    args: ['--oidc-issuer', `http://127.0.0.1:${port}`, '--oidc-client-id', 'x', '--oidc-name', 'Example ID', '--oidc-allowed', 'a'],
    env: { AUTH_USERS: '' },
  });
  const nobody = await away({ browser: new Browser(server), client: await register(server) });
  assert.equal(nobody.status, 502);
  assert.equal(nobody.location, undefined);
});
