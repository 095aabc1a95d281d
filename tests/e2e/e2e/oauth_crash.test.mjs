// The server is killed repeatedly while clients register, get codes, redeem, refresh and
// revoke: everything it answered holds after the restart, and nothing else (SEC-26).
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { modernMessage, postModern, sleep, startHttp, tempDir, until, withToken } from '../support.mjs';
import { Browser, USERS, VERIFIER, authorizePath, CALLBACK, freePort, learned, register } from './people.mjs';

const ROUNDS = 12;
const WORKERS = 4;
const KILL_AFTER_MS = 400; // at most; the exact time is random

/** An exchange with a complete answer; undefined if the server died in the meantime. */
async function answered(exchange) {
  try {
    return await exchange();
  } catch (error) {
    if (error instanceof assert.AssertionError) throw error;
    return undefined;
  }
}

/** What clients know: the tokens of every grant, and whether revoking was requested or answered. */
class Clients {
  grants = [];
  registered = [];
  done = { registrations: 0, codes: 0, tokens: 0, refreshes: 0, revocations: 0 };

  constructor(origin, browser, client) {
    Object.assign(this, { origin, browser, client });
  }

  post(target, fields) {
    return answered(async () => {
      const answer = await fetch(`${this.origin}${target}`, { method: 'POST', body: new URLSearchParams({ client_id: this.client, ...fields }) });
      return { status: answer.status, body: await answer.json() };
    });
  }

  refresh(token) {
    return this.post('/token', { grant_type: 'refresh_token', refresh_token: token });
  }

  async register() {
    const id = await answered(() => register(this.browser.server, { client_name: `C ${Math.random()}` }));
    if (id) this.registered.push(id);
    if (id) this.done.registrations++;
  }

  async begin() {
    const back = await answered(() => this.browser.get(authorizePath(this.client)));
    if (!back) return undefined;
    const { code } = learned(back);
    this.done.codes++;
    const answer = await this.post('/token', { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: VERIFIER });
    if (!answer) return undefined;
    assert.equal(answer.status, 200, JSON.stringify(answer));
    const grant = { code, access: [answer.body.access_token], refresh: answer.body.refresh_token };
    this.grants.push(grant);
    this.done.tokens++;
    return grant;
  }

  async renew(grant) {
    const answer = await this.refresh(grant.refresh);
    if (!answer) return;
    assert.equal(answer.status, 200, JSON.stringify(answer));
    grant.access.push(answer.body.access_token);
    grant.refresh = answer.body.refresh_token;
    this.done.refreshes++;
  }

  async end(grant) {
    grant.ending = true;
    const answer = await this.post('/revoke', { token: grant.refresh });
    if (!answer) return;
    assert.equal(answer.status, 200);
    grant.ended = true;
    this.done.revocations++;
  }

  async work(alive) {
    await this.register();
    while (alive()) {
      const grant = await this.begin();
      for (let i = 0; grant && i < 3 && alive(); i++) await this.renew(grant);
      if (grant && alive() && Math.random() < 0.5) await this.end(grant);
    }
  }

  /** Everything that was answered holds. Checked grants are not used again. */
  async check(server) {
    const status = async (token) => (await postModern(withToken(server, token), modernMessage('server/discover'))).status;
    for (const id of this.registered.splice(0)) assert.equal((await this.browser.get(authorizePath(id))).status, 200, 'a registered client is known');
    for (const grant of this.grants.splice(0)) {
      if (grant.ending && !grant.ended) continue; // either is possible
      for (const token of grant.access) assert.equal(await status(token), grant.ended ? 401 : 200);
      const again = await this.refresh(grant.refresh);
      assert.equal(again.status, grant.ended ? 400 : 200, JSON.stringify(again));
      const replay = await this.post('/token', { grant_type: 'authorization_code', code: grant.code, redirect_uri: CALLBACK, code_verifier: VERIFIER });
      assert.equal(replay.body.error, 'invalid_grant');
      assert.equal(await status(grant.access[0]), 401, 'a code used twice ends everything');
    }
  }
}

test('SEC-13 SEC-26 killed at any time: no issued token is lost, nothing revoked comes back', async (t) => {
  const state = path.join(tempDir(t), 'state'), port = await freePort();
  const users = { AUTH_USERS: `anna:${USERS.anna.hash}` };
  const start = async () => Object.assign(await startHttp(t, { state, port, env: users }), { origin: `http://127.0.0.1:${port}`, issuer: `http://127.0.0.1:${port}` });
  let server = await start();
  const browser = new Browser(server), client = await register(server);
  await browser.allow(authorizePath(client));
  const clients = new Clients(server.origin, browser, client);
  const done = () => Object.values(clients.done).every((n) => n > 0);
  for (let round = 0; round < ROUNDS || !done(); round++) { // a slow machine needs more rounds
    let alive = true;
    const work = Array.from({ length: WORKERS }, () => clients.work(() => alive));
    const before = clients.done.tokens;
    await until('a client got a token', () => clients.done.tokens > before);
    await sleep(Math.random() * KILL_AFTER_MS * Math.max(1, round / ROUNDS));
    alive = false;
    await server.crash();
    await Promise.all(work);
    server = browser.server = await start();
    await clients.check(server);
  }
  t.diagnostic(JSON.stringify(clients.done));
  assert.ok(done());
});
