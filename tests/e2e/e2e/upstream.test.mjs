// Signing in with GitHub, played by a stand-in: our question comes first, and only the same
// browser's answer counts.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../support.mjs';
import { startGitHub } from '../standins.mjs';
import { Browser, CALLBACK, authorizePath, callTool, learned, redeem, register, startWithPeople, writing } from './people.mjs';

async function start(t, { people = false, allowed = 'ada', args = [], secret = { GITHUB_CLIENT_SECRET: 'gh-secret' } } = {}) {
  const github = await startGitHub();
  t.after(() => github.stop());
  const server = await startWithPeople(t, {
    args,
    env: {
      ...(people ? {} : { AUTH_USERS: '' }), GITHUB_CLIENT_ID: 'gh-client', ...secret,
      GITHUB_ALLOWED_USERS: allowed, GITHUB_OAUTH_URL: github.url, GITHUB_API_URL: github.url,
    },
  });
  return { github, server, client: await register(server), browser: new Browser(server) };
}

const pressGitHub = (browser, page) => browser.submit(page.forms.find((f) => f.action === '/oauth/upstream'), { provider: 'github' });

/** Go to GitHub's page; returns its URL. */
async function toGitHub({ browser, client }) {
  const consent = await browser.get(authorizePath(client)); // nothing to choose: the question comes first
  assert.match(consent.text, /Allow and go to GitHub/);
  const away = await browser.submit(writing(consent), { decision: 'allow' });
  assert.equal(away.status, 303);
  return { away: new URL(away.location), consent };
}

/** GitHub's answer: the redirect back to us, as path and query. */
async function back(url) {
  const answer = await fetch(url, { redirect: 'manual' });
  const to = new URL(answer.headers.get('location'));
  return to.pathname + to.search;
}

test('SEC-27 consent, GitHub, code; then /account the same way', async (t) => {
  const all = await start(t);
  const { server, github, client, browser } = all;
  const { away, consent } = await toGitHub(all);
  assert.ok(away.href.startsWith(`${github.url}/login/oauth/authorize?`));
  assert.equal(away.searchParams.get('redirect_uri'), `${server.issuer}/oauth/github/callback`);
  assert.match(away.searchParams.get('state'), /^\S{43,}$/);
  assert.ok(!consent.text.includes(away.searchParams.get('state')), 'the state comes after consent');
  const path = await back(away);
  const got = learned(await browser.get(path));
  assert.deepEqual([got.at, got.state, got.iss, got.status], [CALLBACK, 'a state & more', server.issuer, 302]);
  const tokens = await redeem(server, client, got.code);
  assert.equal((await callTool(server, tokens.access_token, 'vault_info')).status, 200);
  assert.equal((await browser.get(path)).status, 400, 'once');
  assert.match((await browser.get('/account')).text, /<strong>github:Ada<\/strong>/);

  const other = new Browser(server);
  const login = await other.get('/account');
  assert.doesNotMatch(login.text, /name="password"/);
  const straight = await pressGitHub(other, login);
  const into = await other.get(await back(straight.location));
  assert.equal(into.location, `${server.issuer}/account`);
  assert.match((await other.get('/account')).text, /Test client/);
  assert.doesNotMatch(server.stderr, /gho_|gh-secret/);
});

test('SEC-27 the callback is accepted only in the same browser, with its state, at its address', async (t) => {
  const all = await start(t);
  const { away } = await toGitHub(all);
  const path = await back(away);
  const thief = new Browser(all.server);
  assert.equal((await thief.get(path)).status, 403);
  await thief.get(authorizePath(all.client));
  assert.equal((await thief.get(path)).status, 400);
  assert.equal((await all.browser.get(path.replace('github', 'oidc'))).status, 400);
  const again = await toGitHub(all);
  const good = await back(again.away);
  assert.equal((await all.browser.get(good.replace(/state=[^&]*/, `state=${'x'.repeat(43)}`))).status, 400);
  assert.equal((await all.browser.get(good.replace(/state=[^&]*&?/, ''))).status, 400);
  assert.equal((await all.browser.get(`${good}&state=x`)).status, 400);
  assert.ok(learned(await all.browser.get(good)).code);
});

test('SEC-27 a user who is not on the list, denies, or is not confirmed by GitHub does not get in', async (t) => {
  const all = await start(t, { allowed: 'somebody,ad' });
  const { away } = await toGitHub(all);
  const refused = await all.browser.get(await back(away));
  assert.equal(refused.status, 403);
  assert.equal(refused.headers['set-cookie'], undefined);
  const known = await start(t);
  for (const behaviour of ['denied', 'badstate', 'error200', 'garbage', 'status', 'huge', 'slow']) {
    known.github.behaviour = behaviour;
    const answer = await known.browser.get(await back((await toGitHub(known)).away));
    assert.ok([400, 403, 502].includes(answer.status), `${behaviour}: ${answer.status}`);
    assert.equal(answer.location, undefined);
    assert.ok((await known.browser.get('/account')).text.includes('Sign in'), behaviour);
  }
});

test('SEC-27 a name that now belongs to another account is refused', async (t) => {
  const all = await start(t);
  assert.ok(learned(await all.browser.get(await back((await toGitHub(all)).away))).code);
  all.github.user = { login: 'Ada', id: 99 };
  const later = { ...all, browser: new Browser(all.server) };
  assert.equal((await later.browser.get(await back((await toGitHub(later)).away))).status, 403);
});

test('SEC-27: another account is refused, however it spells the name; the first one keeps its place', async (t) => {
  const all = await start(t); // signs in as Ada
  assert.ok(learned(await all.browser.get(await back((await toGitHub(all)).away))).code);
  const comes = async (login, id) => {
    all.github.user = { login, id };
    const browser = new Browser(all.server);
    return { browser, answer: await browser.get(await back((await toGitHub({ ...all, browser })).away)) };
  };
  const first = all.github.user.id;
  for (const login of ['ada', 'ADA', 'aDa', 'Ada']) assert.equal((await comes(login, 99)).answer.status, 403, login);
  const renamed = await comes('ADA', first);
  assert.ok(learned(renamed.answer).code);
  const account = (await renamed.browser.get('/account')).text;
  assert.match(account, /<strong>github:Ada<\/strong>/, 'one user, whatever the spelling');
});

test('with password users both ways are offered; denying never redirects to GitHub', async (t) => {
  const all = await start(t, { people: true });
  const login = await all.browser.get(authorizePath(all.client));
  assert.match(login.text, /name="password"/);
  const asked = await pressGitHub(all.browser, login);
  assert.equal(asked.status, 303);
  const consent = await all.browser.follow(asked); // our own, before GitHub's page
  const denied = learned(await all.browser.submit(consent.forms[0], { decision: 'deny' }));
  assert.equal(denied.error, 'access_denied');
  assert.equal(all.github.asked.length, 0);
  const page = await all.browser.get(authorizePath(all.client));
  assert.equal((await all.browser.submit(page.forms[1], { provider: 'elsewhere' })).status, 400);
});

test('the secret from a file; GitHub becoming unreachable', async (t) => {
  const file = path.join(tempDir(t), 'secret');
  writeFileSync(file, 'gh-secret\n');
  const all = await start(t, { secret: {}, args: ['--github-client-secret-file', file] });
  assert.ok(learned(await all.browser.get(await back((await toGitHub(all)).away))).code);
  const later = { ...all, browser: new Browser(all.server) };
  const way = await back((await toGitHub(later)).away);
  await all.github.stop();
  const answer = await later.browser.get(way);
  assert.deepEqual([answer.status, answer.location], [502, undefined]);
});
