// Proposals in hosted vaults: each tenant sees and decides their own, on the page and nowhere else.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { VAULTD, cleanEnv, run, tempDir } from '../support.mjs';
import { Browser, callTool, startWithPeople } from './people.mjs';

test('tenants decide in their own vaults, also if the vault is closed meanwhile', async (t) => {
  const top = tempDir(t);
  const dir = path.join(top, 'vaults');
  const state = path.join(top, 'state');
  const env = cleanEnv(top, { STATE_DIR: state });
  const vaultd = async (...args) => {
    const end = await run(VAULTD, args, { env, cwd: top });
    assert.equal(end.code, 0, end.stderr);
    return end.stdout.trim();
  };
  for (const [name, user] of [['rose', 'anna'], ['oak', 'bob']]) {
    mkdirSync(path.join(dir, name), { recursive: true });
    writeFileSync(path.join(dir, name, 'Plan.md'), `${name} on Monday\n`);
    await vaultd('vault', 'add', '--adopt', name, '--vaults-dir', dir);
    await vaultd('vault', 'allow', name, user, '--vaults-dir', dir);
    await vaultd('vault', 'allow', name, `${user}/laptop`, '--vaults-dir', dir);
  }
  const server = await startWithPeople(t, { vault: `--vaults-dir=${dir}`, state, args: ['--writes', 'propose', '--answers', 'json', '--vaults-open', '1'] });
  const people = {};
  for (const name of ['anna', 'bob']) {
    const browser = new Browser(server);
    assert.equal((await browser.signIn(await browser.get('/proposals'), name)).status, 303);
    people[name] = { browser, token: await vaultd('key', 'add', `${name}/laptop`, 'write') };
    const answer = await callTool(server, people[name].token, 'vault_edit', { path: 'Plan.md', old_text: 'Monday', new_text: 'Tuesday' });
    people[name].id = /"proposal":"([0-9a-f]{12})"/.exec(JSON.stringify(answer).replaceAll('\\"', '"'))?.[1];
    assert.ok(people[name].id, JSON.stringify(answer));
  }
  const { anna, bob } = people;
  for (const query of [`id=${bob.id}`, `id=${bob.id}&vault=oak`]) assert.equal((await anna.browser.get(`/proposals?${query}`)).status, 404, query);
  const [form] = (await anna.browser.get(`/proposals?id=${anna.id}`)).forms;
  const others = form.fields.map(([name, value]) => [name, name === 'id' ? bob.id : value]);
  assert.equal((await anna.browser.post('/proposals', [...others, ['do', 'reject']])).status, 404);
  assert.deepEqual(JSON.parse(await vaultd('proposals', '--json')).proposals.map((x) => x.vault).sort(), ['oak', 'rose']);
  assert.match(await vaultd('accept', bob.id), /accepted as change/);
  assert.equal((await anna.browser.submit(form, { do: 'accept' })).status, 303);
  assert.equal(readFileSync(path.join(dir, 'rose/Plan.md'), 'utf8'), 'rose on Tuesday\n');
  assert.equal(readFileSync(path.join(dir, 'oak/Plan.md'), 'utf8'), 'oak on Tuesday\n');
});
