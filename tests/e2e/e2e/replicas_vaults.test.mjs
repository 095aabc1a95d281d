// Several replicas with several vaults: a client reads what it wrote wherever it reads, whichever vault
// it is about, and a change of the table of vaults is known everywhere at once.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, cleanEnv, modernHeaders, modernMessage, run, startHttp, tempDir, until } from '../support.mjs';
import { startHttps } from './forges.mjs';
import { makeWorld } from './git_world.mjs';
import { Browser, USERS, callTool, freePort, letIn } from './people.mjs';
import { caughtUp, isLate, startPostgres } from './replica_world.mjs';

/** Replicas without a proxy. vaultsOf(folder): the arguments that name the vaults of the replica in that folder. */
async function startReplicas(t, pg, top, vaultsOf, n = 3) {
  const users = Object.entries(USERS).map(([name, { hash }]) => `${name}:${hash}`).join(',');
  const ports = [];
  for (let i = 0; i < n; i++) ports.push(await freePort());
  return Promise.all(ports.map(async (port, i) => {
    const folder = path.join(top, `replica-${i}`);
    mkdirSync(folder, { recursive: true });
    const server = await startHttp(t, {
      ...vaultsOf(folder), state: path.join(folder, 'state'), port, env: { AUTH_USERS: users, STATE_DB: pg.url() },
      args: ['--git-pull-interval', '0', '--confirm', 'never', '--rate-calls', '0', '--rate-writes', '0', '--rate-address', '0', '--answers', 'json',
        '--server-url', `http://127.0.0.1:${ports[0]}`, ...(vaultsOf(folder).args ?? [])],
    });
    server.origin = `http://127.0.0.1:${port}`;
    server.issuer = `http://127.0.0.1:${ports[0]}`;
    return server;
  }));
}

/** One request of the stateless era: its result. */
async function ask(replica, token, method, params) {
  const message = modernMessage(method, params);
  const answer = await fetch(replica.url, { method: 'POST', body: JSON.stringify(message), headers: { ...modernHeaders(message), authorization: `Bearer ${token}` } });
  const { result, error } = await answer.json();
  assert.ok(result || isLate(error), JSON.stringify(error));
  return result ?? error;
}

const tool = async (replica, token, name, args) => {
  const { message } = await callTool(replica, token, name, args);
  assert.ok(message.result && (!message.result.isError || isLate(message)), JSON.stringify(message));
  return message.result;
};
const valueOf = (result) => JSON.parse(result.content[0].text);

/** What is written at one replica is read at once at the others, in every way to read. */
async function readsItsWrites(replicas, token, vaults, rounds) {
  for (let i = 0; i < rounds; i++) {
    const [here, there, beyond] = [0, 1, 2].map((k) => replicas[(i + k) % 3]);
    for (const vault of vaults) {
      const note = `Round ${i}`;
      const word = `zephyr${i}${vault}`;
      await tool(here, token, 'vault_write', { vault, path: `${note}.md`, content: `---\ntags: [prompt]\n---\n${word}\n` });
      const [read, resource, found, typed, prompt, listed] = await caughtUp(() => Promise.all([
        tool(there, token, 'vault_read', { vault, path: `${note}.md` }),
        ask(beyond, token, 'resources/read', { uri: `vault://${vault}/${encodeURIComponent(`${note}.md`)}` }),
        tool(beyond, token, 'vault_search', { vault: '*', query: word }),
        ask(there, token, 'completion/complete', { ref: { type: 'ref/resource', uri: 'vault://{vault}/{+path}' }, argument: { name: 'path', value: note }, context: { arguments: { vault } } }),
        ask(beyond, token, 'prompts/get', { name: `${vault}/${note}` }),
        ask(there, token, 'prompts/list', {}),
      ]));
      assert.match(valueOf(read).content, new RegExp(word));
      assert.equal(read.content.length, 1, 'nothing says that it may be older');
      assert.match(resource.contents[0].text, new RegExp(word));
      assert.deepEqual(valueOf(found).results.map((r) => [r.vault, r.path]), [[vault, `${note}.md`]]);
      assert.deepEqual(typed.completion.values, [`${note}.md`]);
      assert.match(prompt.messages[0].content.text, new RegExp(word));
      assert.ok(listed.prompts.some(({ name }) => name === `${vault}/${note}`), JSON.stringify(listed.prompts));
    }
  }
}

test('replicas: hosted vaults', { timeout: 300_000 }, async (t) => {
  const pg = await startPostgres(t);
  const top = tempDir(t);
  const worlds = { team: makeWorld(t), plan: makeWorld(t), late: makeWorld(t) };
  const vault = async (...args) => {
    const end = await run(VAULTD, ['vault', ...args], { env: cleanEnv(top, { STATE_DIR: path.join(top, 'cli'), VAULTS_DIR: path.join(top, 'vaults'), STATE_DB: pg.url() }) });
    assert.equal(end.code, 0, end.stderr);
  };
  for (const [name, w] of Object.entries(worlds)) {
    await vault('add', name, `file://${w.remote}`);
    await vault('allow', name, 'anna', 'bob');
  }
  const replicas = await startReplicas(t, pg, top, (folder) => ({ vault: `--vaults-dir=${path.join(folder, 'vaults')}`, args: ['--vaults-open', '2', '--vaults-idle', '2'] }));
  const anna = await letIn(replicas[0]);

  await t.test('a client reads what it wrote, also while vaults are opened and closed', () => readsItsWrites(replicas, anna.token, ['team', 'plan'], 3));

  /** A page of a replica, in the browser in which anna has signed in. */
  const browserAt = (replica) => Object.assign(new Browser(replica), { cookies: anna.browser.cookies });

  const [first] = valueOf(await tool(replicas[0], anna.token, 'vault_info')).vaults; // they are as old as each other
  await t.test('a page has what its reader has seen with a program', async () => {
    for (let i = 0; i < 6; i++) {
      const [here, there] = [replicas[i % 3], replicas[(i + 1) % 3]];
      await tool(here, anna.token, 'vault_write', { vault: first, path: `Page ${i}.md`, content: 'x\n' });
      const [list, account, map] = await caughtUp(() => Promise.all(['/changes', '/account', `/graph/data?path=Page%20${i}.md`].map((at) => browserAt(there).get(at))));
      assert.match(list.text, new RegExp(`Page ${i}\\.md`), list.text);
      assert.match(account.text, new RegExp(`Page ${i}\\.md`), account.text);
      assert.equal(map.status, 200, map.text);
    }
  });

  await t.test('the number of a change undoes nothing at another replica', async () => {
    const [here, there] = replicas;
    await tool(here, anna.token, 'vault_write', { vault: first, path: 'Kept.md', content: 'kept\n' });
    const list = await browserAt(here).get('/changes');
    const form = list.forms.find(({ fields }) => fields.some(([name]) => name === 'at'));
    const one = list.text.match(/href="([^"]*change=[^"]*)"/)[1].replaceAll('&amp;', '&');
    assert.equal((await browserAt(here).get(one)).status, 200);
    const elsewhere = await browserAt(there).get(one);
    assert.deepEqual([elsewhere.status, /in another list/.test(elsewhere.text)], [404, true], 'a proxy asks the next one');
    const posted = await browserAt(there).submit(form);
    assert.deepEqual([posted.status, /Nothing was undone/.test(posted.text)], [409, true], posted.text);
    assert.deepEqual((await browserAt(there).get('/account')).forms.filter(({ action }) => action.endsWith('/account/undo')), []);
    assert.equal((await browserAt(here).submit(form)).status, 303);
    await until('it is gone everywhere', async () => (await callTool(there, anna.token, 'vault_read', { vault: first, path: 'Kept.md' })).message.result.isError);
  });

  await t.test('a vault that was never open at a replica counts as behind', async () => {
    await tool(replicas[1], anna.token, 'vault_write', { vault: 'late', path: 'First.md', content: 'first\n' });
    for (const replica of [replicas[2], replicas[0]])
      assert.equal(valueOf(await tool(replica, anna.token, 'vault_read', { vault: 'late', path: 'First.md' })).content, 'first\n');
  });

  await t.test('what cannot be there yet is said, by a tool and beside a resource', async () => {
    const { remote } = worlds.late;
    renameSync(remote, `${remote}.away`);
    await tool(replicas[1], anna.token, 'vault_write', { vault: 'late', path: 'First.md', content: 'second\n', overwrite: true });
    const [read, resource] = await Promise.all([
      tool(replicas[2], anna.token, 'vault_read', { vault: 'late', path: 'First.md' }),
      ask(replicas[0], anna.token, 'resources/read', { uri: 'vault://late/First.md' }),
    ]);
    assert.equal(valueOf(read).content, 'first\n');
    assert.match(read.content[1].text, /may be out of date/);
    assert.match(resource.contents[1].uri, /First\.md#older$/);
    assert.match(resource.contents[1].text, /may be out of date/);
    assert.match((await browserAt(replicas[2]).get('/changes?vault=late')).text, /may be out of date/);
    const other = await tool(replicas[2], anna.token, 'vault_read', { vault: 'team', path: 'Garden.md' });
    assert.equal(other.content.length, 1, 'other vaults are not concerned');
    renameSync(`${remote}.away`, remote);
    await tool(replicas[1], anna.token, 'vault_sync', { vault: 'late' });
    assert.equal(valueOf(await tool(replicas[2], anna.token, 'vault_read', { vault: 'late', path: 'First.md' })).content, 'second\n');
  });

  await t.test('what cannot be there yet is said by each page', async () => {
    const { remote } = worlds[first];
    renameSync(remote, `${remote}.away`);
    await tool(replicas[1], anna.token, 'vault_write', { vault: first, path: 'Unseen.md', content: 'unseen\n' });
    for (const at of ['/changes', '/account', '/graph/data?path=Unseen.md', '/graph/data?path=Garden.md', '/graph/data?find=unseen']) {
      const page = await browserAt(replicas[2]).get(at);
      assert.match(page.text, /has not received the latest changes that you have seen/, at);
      assert.doesNotMatch(page.text, /Unseen\.md"/, at);
    }
    renameSync(`${remote}.away`, remote);
    await tool(replicas[1], anna.token, 'vault_sync', { vault: first });
    const map = await caughtUp(() => browserAt(replicas[2]).get('/graph/data?path=Unseen.md'));
    assert.equal(map.status, 200, map.text);
  });

  await t.test('who is denied a vault loses it everywhere', async () => {
    const bob = await letIn(replicas[0], { name: 'bob' });
    const sees = async (replica) => !(await callTool(replica, bob.token, 'vault_read', { vault: 'plan', path: 'Garden.md' })).message.result.isError;
    for (const replica of replicas) assert.ok(await sees(replica));
    for (const [verb, wanted] of [['deny', false], ['allow', true], ['deny', false]]) {
      await vault(verb, 'plan', 'bob');
      const began = performance.now();
      await Promise.all(replicas.map((replica) => until(`${verb} is known`, async () => (await sees(replica)) === wanted)));
      t.diagnostic(`${verb} is known everywhere after ${Math.round(performance.now() - began)} ms`);
    }
    await vault('remove', 'plan');
    await Promise.all(replicas.map((replica) => until('it is gone', async () => valueOf(await tool(replica, anna.token, 'vault_info')).vaults.length === 2)));
  });
});

test('replicas: the vaults of the settings', { timeout: 300_000 }, async (t) => {
  const pg = await startPostgres(t);
  const w = makeWorld(t);
  w.git('', 'clone', '--quiet', '--bare', 'remote.git', 'second.git');
  const forge = await startHttps(t, w.remote);
  const vaults = { work: 'remote.git', home: 'second.git' };
  for (let i = 0; i < 3; i++)
    for (const [name, repository] of Object.entries(vaults)) {
      w.git('', 'clone', '--quiet', repository, `replica-${i}/${name}`);
      w.git(`replica-${i}/${name}`, 'remote', 'set-url', 'origin', new URL(repository, forge.url).href);
    }
  const replicas = await startReplicas(t, pg, w.top, (folder) => ({
    vault: '--sync=git', args: [...forge.args.slice(2), '--git-token-host', new URL(forge.url).host, ...Object.keys(vaults).flatMap((name) => ['--vault', `${name}=${path.join(folder, name)}`])],
  }));
  const anna = await letIn(replicas[0]);
  await t.test('a client reads what it wrote, in the first and in the second', () => readsItsWrites(replicas, anna.token, Object.keys(vaults), 2));
});
