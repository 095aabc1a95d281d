// A proposal that was made at one replica is decided at another: in a browser, and by a command that knows only the state
// folder of a server, not the database.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, cleanEnv, modernMessage, openModern, run, tempDir, until, withToken } from '../support.mjs';
import { Browser, callTool } from './people.mjs';
import { startReplicas } from './replica_world.mjs';

test('replicas: proposals are made at one and decided at another', { timeout: 300_000 }, async (t) => {
  const w = await startReplicas(t, { n: 2, args: ['--writes', 'propose'] });
  const [one, two] = w.replicas;
  const env = cleanEnv(tempDir(t));
  const key = await run(VAULTD, ['key', 'add', 'anna/laptop', 'write'], { env: { ...env, STATE_DB: w.pg.url() } });
  assert.equal(key.code, 0, key.stderr);
  const token = key.stdout.trim();
  const browsers = [new Browser(one), new Browser(two)];
  assert.equal((await browsers[0].signIn(await browsers[0].get('/proposals'), 'anna')).status, 303);
  browsers[1].cookies = browsers[0].cookies;
  const text = (i, name) => readFileSync(path.join(w.folderOf(i), 'vault', name), 'utf8');
  const propose = async (name, args) => {
    const answer = JSON.stringify(await callTool(one, token, name, args)).replaceAll('\\"', '"');
    return /"proposal":"([0-9a-f]{12})"/.exec(answer)?.[1] ?? assert.fail(answer);
  };
  const decide = async (i, id) => {
    const page = await browsers[i].get(`/proposals?id=${id}`);
    assert.equal(page.status, 200, page.text);
    return browsers[i].submit(page.forms[0], { do: 'accept' });
  };

  const first = await propose('vault_write', { path: 'Plan.md', content: '# Plan\n\non Monday\n\nkeep\n' });
  assert.equal((await decide(0, first)).status, 303);
  const second = await propose('vault_edit', { path: 'Plan.md', old_text: 'Monday', new_text: 'Tuesday' });
  const stream = await openModern(withToken(one, token), modernMessage('subscriptions/listen', { notifications: { resourceSubscriptions: [`vault-proposal:///${second}`] } }, 'ears'));
  assert.equal((await decide(1, second)).status, 303, 'the other has pulled what the proposal is based on');
  assert.match(text(1, 'Plan.md'), /on Tuesday/);
  await stream.next('the notification of a decision elsewhere', (e) => e.message?.method === 'notifications/resources/updated');
  const outcome = await callTool(one, token, 'vault_changes', { proposal: second });
  assert.match(JSON.stringify(outcome), /accepted/);
  await until('the first has the change', () => /on Tuesday/.test(text(0, 'Plan.md')));

  const third = await propose('vault_edit', { path: 'Plan.md', old_text: 'keep', new_text: 'kept' });
  const command = await run(VAULTD, ['accept', third, '--state-dir', path.join(w.folderOf(1), 'state')], { env, cwd: w.top });
  assert.match(command.stdout, /^accepted as change/, command.stderr);
  assert.match(text(1, 'Plan.md'), /kept/);
  const again = await run(VAULTD, ['accept', third, '--state-dir', path.join(w.folderOf(0), 'state')], { env, cwd: w.top });
  assert.match(again.stderr, /is accepted/);
  await w.converge();
});
