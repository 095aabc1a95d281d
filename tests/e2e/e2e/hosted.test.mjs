// A server with many vaults (--vaults-dir): who sees which, adding and removing them while it
// runs, opening and closing, sync for each, and search across them.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test from 'node:test';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { VAULTD, cleanEnv, run, tempDir, until, untilQuiet } from '../support.mjs';
import { startHttps, startMute } from './forges.mjs';
import { makeWorld } from './git_world.mjs';
import { startGitHub } from '../standins.mjs';
import { Browser, authorizePath, callTool, choose, freePort, learned, letIn, redeem, register, startWithPeople } from './people.mjs';
import { certificate } from './proxies.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

/** A folder of vaults, its state, and the command that manages the table. */
function makeHost(t) {
  const top = tempDir(t);
  const host = {
    top, dir: path.join(top, 'vaults'), state: path.join(top, 'state'),
    async cli(...args) {
      const end = await run(VAULTD, ['vault', ...args], { env: cleanEnv(top, { STATE_DIR: host.state, VAULTS_DIR: host.dir }) });
      assert.equal(end.code, 0, end.stderr);
      return end.stdout;
    },
    async fails(...args) {
      const end = await run(VAULTD, ['vault', ...args], { env: cleanEnv(top, { STATE_DIR: host.state, VAULTS_DIR: host.dir }) });
      assert.notEqual(end.code, 0, end.stdout);
      return end.stderr;
    },
    /** vaultd sync status: the vaults by name. */
    async status() {
      const end = await run(VAULTD, ['sync', 'status', '--json'], { env: cleanEnv(top, { STATE_DIR: host.state, VAULTS_DIR: host.dir }), cwd: top });
      assert.equal(end.code, 0, end.stderr);
      return Object.fromEntries(JSON.parse(end.stdout).vaults.map((v) => [v.vault, v]));
    },
    /** A vault in the folder with these notes, for these users. */
    async add(name, notes = {}, ...users) {
      for (const [file, text] of Object.entries(notes)) {
        mkdirSync(path.dirname(path.join(host.dir, name, file)), { recursive: true });
        writeFileSync(path.join(host.dir, name, file), text);
      }
      await host.cli('add', '--adopt', name);
      if (users.length) await host.cli('allow', name, ...users);
    },
    start: (options = {}) => startWithPeople(t, { vault: `--vaults-dir=${host.dir}`, state: host.state, ...options, args: ['--answers', 'json', ...(options.args ?? [])] }),
  };
  mkdirSync(host.dir, { recursive: true });
  return host;
}

const SDKS = {
  v1: (url, headers) => [new Client1({ name: 'e2e', version: '1' }, { capabilities: {} }), new Http1(new URL(url), { requestInit: { headers } })],
  v2: (url, headers) => [new Client2({ name: 'e2e', version: '1' }, { capabilities: {}, versionNegotiation: { mode: 'auto' } }), new Http2(new URL(url), { requestInit: { headers } })],
};

/** A user's client with an official SDK. */
async function clientOf(t, server, token, sdk = 'v2') {
  const [client, transport] = SDKS[sdk](server.url, { authorization: `Bearer ${token}` });
  await client.connect(transport);
  t.after(() => client.close().catch(() => {}));
  const raw = (name, args = {}) => client.callTool({ name, arguments: args });
  return {
    client, raw,
    async call(name, args) {
      const result = await raw(name, args);
      assert.ok(!result.isError, JSON.stringify(result.content));
      return JSON.parse(result.content[0].text);
    },
    async error(name, args) {
      const result = await raw(name, args);
      assert.ok(result.isError, JSON.stringify(result.content));
      return JSON.parse(result.content[0].text).error;
    },
  };
}

const userOf = async (t, server, name, sdk) => clientOf(t, server, (await letIn(server, { name })).token, sdk);

/** How many vaults are open, as the operator sees it. */
async function openVaults(server, host) {
  const end = await run(VAULTD, ['status', '--json'], { env: cleanEnv(host.top, { STATE_DIR: host.state }) });
  assert.equal(end.code, 0, end.stderr);
  return JSON.parse(end.stdout).servers[0].vaults.map((v) => v.name);
}

test('vaultd vault: the table on the command line', async (t) => {
  const host = makeHost(t);
  const elsewhere = path.join(host.top, 'elsewhere');
  mkdirSync(path.join(elsewhere, 'inner'), { recursive: true });
  assert.match(await host.cli('add', 'team', 'https://example.com/team.git'), /Added team/);
  await host.cli('add', 'old', elsewhere);
  await host.cli('allow', 'TEAM', 'anna', 'bob');
  await host.cli('deny', 'team', 'bob');
  const { vaults } = JSON.parse(await host.cli('list', '--json'));
  assert.deepEqual(vaults.map(({ created, identity, ...rest }) => rest).sort((a, b) => (a.name < b.name ? -1 : 1)), [
    { name: 'old', folder: elsewhere, users: [] },
    { name: 'team', folder: path.join(host.dir, 'team'), remote: 'https://example.com/team.git', users: ['anna'] },
  ]);
  assert.match(await host.cli('list'), /team +anna +https:\/\/example\.com\/team\.git/);
  assert.match(await host.fails('add', 'Team'), /already a vault named 'Team'/);
  assert.match(await host.fails('add', 'a b'), /letters, digits/);
  assert.match(await host.fails('add', 'part', path.join(elsewhere, 'inner')), /vault 'old' is the same or overlaps/);
  assert.match(await host.fails('add', 'none', path.join(host.top, 'missing')), /cannot find the folder/);
  assert.match(await host.fails('allow', 'nope', 'anna'), /no vault named 'nope'/);
  assert.match(await host.fails('deny', 'team', 'bob'), /was not allowed/);
  assert.match(await host.fails('rename', 'team'), /usage: vaultd vault/);
  await host.cli('remove', 'old');
  assert.ok(existsSync(elsewhere), 'its files stay');
  assert.match(await host.fails('remove', 'old'), /no vault named 'old'/);
});

test('no vault has files of another one, or of the server', async (t) => {
  const host = makeHost(t);
  const secret = path.join(host.dir, 'secret');
  await host.add('secret', { 'Secret.md': 'of others\n' });
  symlinkSync(secret, path.join(host.dir, 'alias'));
  for (const [name, ...place] of [['same', secret], ['outer', host.dir], ['root', '/'], ['alias']])
    assert.match(await host.fails('add', name, ...place), /vault 'secret' is the same or overlaps|a vault may not contain vaultd's state folder/);
  assert.match(await host.fails('add', 'state', host.state), /a vault may not contain vaultd's state folder/);
  const nowhere = await run(VAULTD, ['vault', 'add', 'same', secret], { env: cleanEnv(host.top, { STATE_DIR: host.state }) });
  assert.match(nowhere.stderr, /give --vaults-dir/);

  // A symlink that takes the place of a folder later.
  rmSync(path.join(host.dir, 'alias'));
  await host.add('alias', { 'Own.md': 'mine\n' }, 'anna');
  rmSync(path.join(host.dir, 'alias'), { recursive: true });
  symlinkSync(secret, path.join(host.dir, 'alias'));
  const server = await host.start();
  const anna = await userOf(t, server, 'anna');
  const answer = JSON.stringify(await anna.raw('vault_read', { path: 'Secret.md' }));
  assert.match(answer, /overlaps with that of another vault/);
  assert.doesNotMatch(answer, /of others|secret/);
});

test('an open vault whose folder becomes a link to that of others is not reopened there', async (t) => {
  const host = makeHost(t);
  await host.add('secret', { 'Secret.md': 'of others\n' }, 'bob');
  await host.add('mine', { 'Own.md': 'mine\n' }, 'anna');
  const server = await host.start();
  const anna = await userOf(t, server, 'anna');
  assert.match((await anna.call('vault_read', { path: 'Own.md' })).content, /mine/);
  renameSync(path.join(host.dir, 'mine'), path.join(host.dir, 'away'));
  symlinkSync(path.join(host.dir, 'secret'), path.join(host.dir, 'mine'));
  for (let i = 0; i < 3; i++) {
    assert.equal((await anna.error('vault_write', { path: 'Evil.md', content: 'x' })).code, 'VAULT_UNAVAILABLE');
    assert.doesNotMatch(JSON.stringify(await anna.raw('vault_search', { query: 'others' })), /of others/);
    assert.doesNotMatch(JSON.stringify(await anna.raw('vault_read', { path: 'Secret.md' })), /of others/);
  }
  assert.ok(!existsSync(path.join(host.dir, 'secret/Evil.md')));
  rmSync(path.join(host.dir, 'mine'));
  renameSync(path.join(host.dir, 'away'), path.join(host.dir, 'mine'));
  await anna.call('vault_write', { path: 'Back.md', content: 'x' });
});

test('of two vaults that are links to one folder, only the first can be opened', async (t) => {
  const host = makeHost(t);
  mkdirSync(path.join(host.dir, 'real'));
  writeFileSync(path.join(host.dir, 'real/Plan.md'), 'of the first\n');
  for (const [name, user] of [['first', 'anna'], ['second', 'bob']]) {
    await host.add(name, {}, user);
    rmSync(path.join(host.dir, name), { recursive: true, force: true });
    symlinkSync(path.join(host.dir, 'real'), path.join(host.dir, name));
  }
  const server = await host.start();
  const [anna, bob] = [await userOf(t, server, 'anna'), await userOf(t, server, 'bob')];
  assert.match(JSON.stringify(await anna.raw('vault_read', { path: 'Plan.md' })), /of the first/);
  assert.match(JSON.stringify(await bob.raw('vault_read', { path: 'Plan.md' })), /overlaps with that of another vault/);
});

for (const sdk of Object.keys(SDKS)) {
  test(`two users with different vaults, SDK ${sdk}`, async (t) => {
    const host = makeHost(t);
    await host.add('anna-notes', { 'Secret.md': 'zephyr of anna [[Plan]]\n', 'Ask.md': '---\narguments: [who]\n---\nAsk {{who}}. #prompt\n' }, 'anna');
    await host.add('bobs', { 'Bob.md': 'barrel of bob\n', 'CLAUDE.md': 'Rules of bob.\n' }, 'bob');
    await host.add('shared', { 'Team.md': 'zephyr of all\n' }, '*');
    const server = await host.start();
    const anna = await userOf(t, server, 'anna', sdk), bob = await userOf(t, server, 'bob', sdk);

    assert.deepEqual((await anna.call('vault_info')).vaults.sort(), ['anna-notes', 'shared']);
    assert.deepEqual((await bob.call('vault_info')).vaults.sort(), ['bobs', 'shared']);
    assert.match((await anna.call('vault_read', { vault: 'ANNA-notes', path: 'Secret.md' })).content, /of anna/);
    await bob.call('vault_write', { vault: 'shared', path: 'New.md', content: 'from bob\n' });
    assert.equal(readFileSync(path.join(host.dir, 'shared/New.md'), 'utf8'), 'from bob\n');

    // What bob may not see does not exist: the same answer as for an unknown name.
    const hidden = await bob.error('vault_read', { vault: 'anna-notes', path: 'Secret.md' });
    const never = await bob.error('vault_read', { vault: 'anna-xxxxx', path: 'Secret.md' });
    assert.deepEqual(hidden, { ...never, message: never.message.replace('anna-xxxxx', 'anna-notes') });
    assert.equal(hidden.code, 'VAULT_NOT_FOUND');
    assert.match(hidden.message, /use one of (bobs, shared|shared, bobs)$/);
    assert.equal((await bob.error('vault_read', { vault: '*', path: 'x' })).code, 'INVALID_ARGUMENT');

    const seen = [];
    const look = async (promise) => seen.push(JSON.stringify(await promise.catch((error) => ({ error: error.message }))));
    seen.push(bob.client.getInstructions());
    assert.match(bob.client.getInstructions(), /Vaults of this user: .*"bobs"/);
    await look(bob.client.listTools());
    await look(bob.client.listPrompts());
    await look(bob.client.listResourceTemplates());
    for (let cursor; ;) {
      const page = await bob.client.listResources({ cursor });
      seen.push(JSON.stringify(page));
      if (!(cursor = page.nextCursor)) break;
    }
    await look(bob.client.complete({ ref: { type: 'ref/resource', uri: 'vault://{vault}/{+path}' }, argument: { name: 'vault', value: '' } }));
    await assert.rejects(bob.client.complete({ ref: { type: 'ref/resource', uri: 'vault://{vault}/{+path}' }, argument: { name: 'path', value: '' }, context: { arguments: { vault: 'anna-notes' } } }), /there is no vault/);
    await look(bob.client.complete({ ref: { type: 'ref/prompt', name: 'tidy_note' }, argument: { name: 'vault', value: 'a' } }));
    await look(bob.client.getPrompt({ name: 'tidy_note', arguments: { note: 'Bob', vault: 'shared' } }));
    await look(bob.client.getPrompt({ name: 'daily_review', arguments: {} }));
    await look(bob.raw('vault_search', { vault: '*', query: 'zephyr' }));
    await look(bob.raw('vault_move', { vault: 'bobs', path: 'Bob.md', to: 'nowhere/Bob.md', dry_run: true }));
    assert.doesNotMatch(seen.join('\n'), /anna/);
    assert.match(seen.join('\n'), /Bob\.md/);
    await assert.rejects(bob.client.readResource({ uri: 'vault://anna-notes/Secret.md' }), /there is no vault|not found/i);
    await assert.rejects(bob.client.getPrompt({ name: 'anna-notes/Ask', arguments: { who: 'x' } }), /Unknown prompt|no such prompt/);
    await assert.rejects(bob.client.getPrompt({ name: 'daily_review', arguments: { vault: 'anna-notes' } }), /there is no vault/);
    assert.match(JSON.stringify(await anna.client.getPrompt({ name: 'anna-notes/Ask', arguments: { who: 'Eve' } })), /Ask Eve/);
    assert.deepEqual((await anna.client.complete({ ref: { type: 'ref/resource', uri: 'vault://{vault}/{+path}' }, argument: { name: 'vault', value: 'AN' } })).completion.values, ['anna-notes']);
    await anna.client.close();
    await bob.client.close();
  });
}

test('the pages of a browser show a user no other vaults', async (t) => {
  const host = makeHost(t);
  await host.add('anna-notes', { 'Secret.md': 'x\n' }, 'anna');
  await host.add('bobs', { 'Bob.md': 'y\n' }, 'bob');
  const server = await host.start();
  const bob = await userOf(t, server, 'bob');
  await bob.call('vault_write', { path: 'New.md', content: 'z\n' });
  const client = await register(server, {});
  const browser = new Browser(server);
  const login = await browser.get(authorizePath(client));
  const consent = await browser.follow(await browser.signIn(login, 'bob'));
  assert.match(consent.text, /value="read bobs:"/);
  const pages = [login, consent];
  for (const address of ['/', '/changes', '/account', '/graph/data?path=Bob.md&depth=1', '/changes?vault=bobs', '/changes?vault=anna-notes'])
    pages.push(await browser.get(address));
  pages.push(await new Browser(server).get('/.well-known/oauth-protected-resource/mcp'));
  for (const page of pages) assert.doesNotMatch(page.text, /anna-notes/);
  assert.equal(pages.at(-2).status, 404);
  assert.match(pages[3].text, /New\.md/);
  assert.match(pages[5].text, /Bob/);

  // Access to one vault only, chosen on the consent page.
  await host.cli('allow', 'anna-notes', 'bob');
  const { token } = await letIn(server, { name: 'bob', choices: [['where', 'some'], ['folder', 'bobs:']] });
  const limited = await clientOf(t, server, token);
  assert.deepEqual((await limited.call('vault_info')).vaults, ['bobs']);
});

test('vaults are added, allowed, denied and removed while the server runs', async (t) => {
  const host = makeHost(t);
  const server = await host.start();
  const anna = await userOf(t, server, 'anna');
  assert.match((await anna.error('vault_info')).message, /you do not have access to a vault yet/);
  await host.add('garden', { 'Bed.md': 'beans\n' }, 'anna');
  const names = async () => (await anna.call('vault_info')).vaults;
  await until('it is there', async () => !(await anna.raw('vault_info')).isError);
  assert.deepEqual(await names(), ['garden']);
  await host.add('shed', { 'Tools.md': 'spade\n' });
  await host.cli('allow', 'shed', 'anna');
  await until('the second, too', async () => (await names()).length === 2);
  assert.match((await anna.call('vault_read', { vault: 'shed', path: 'Tools.md' })).content, /spade/);
  await host.cli('deny', 'shed', 'anna');
  await until('it is gone', async () => (await names()).length === 1);
  assert.equal((await anna.error('vault_read', { vault: 'shed', path: 'Tools.md' })).code, 'VAULT_NOT_FOUND');
  await host.cli('remove', 'garden');
  await until('nothing is left', async () => (await anna.raw('vault_info')).isError);
  await until('all are closed', async () => (await openVaults(server, host)).length <= 1);
  await host.cli('add', 'garden', '--adopt');
  await host.cli('allow', 'garden', 'anna');
  await until('it is back', async () => !(await anna.raw('vault_info')).isError);
  assert.match((await anna.call('vault_read', { path: 'Bed.md' })).content, /beans/);
});

test('a folder elsewhere must be known at the start', async (t) => {
  const host = makeHost(t);
  const [early, late] = ['early', 'late'].map((name) => path.join(host.top, name));
  for (const folder of [early, late]) {
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'Note.md'), `in ${folder}\n`);
  }
  await host.cli('add', 'early', early);
  await host.cli('allow', 'early', '*');
  const server = await host.start();
  const anna = await userOf(t, server, 'anna');
  assert.match((await anna.call('vault_read', { path: 'Note.md' })).content, /early/);
  await host.cli('add', 'late', late);
  await host.cli('allow', 'late', '*');
  await until('it is there', async () => (await anna.call('vault_info')).vaults.length === 2);
  const answer = JSON.stringify(await anna.raw('vault_read', { vault: 'late', path: 'Note.md' }));
  assert.match(answer, /outside of --vaults-dir and was added after the server was started|in .*late/); // the second without a sandbox
});

test('vaults are opened when used and closed when idle, never too many', async (t) => {
  const host = makeHost(t);
  for (let i = 0; i < 12; i++) await host.add(`v${i}`, { 'Note.md': `number ${i}\n` });
  for (let i = 0; i < 12; i++) await host.cli('allow', `v${i}`, 'anna');
  const server = await host.start({ args: ['--vaults-open', '3', '--vaults-idle', '1'] });
  const anna = await userOf(t, server, 'anna');
  const names = Array.from({ length: 36 }, (_, i) => `v${(i * 5) % 12}`);
  const answers = await Promise.all(names.map((vault) => anna.raw('vault_read', { vault, path: 'Note.md' })));
  answers.forEach((a, i) => assert.match(JSON.stringify(a), new RegExp(`number ${names[i].slice(1)}\\b`)));
  assert.ok((await openVaults(server, host)).length <= 3);
  await anna.call('vault_write', { vault: 'v7', path: 'Kept.md', content: 'written before it was closed\n' });
  await until('all are closed', async () => (await openVaults(server, host)).length === 0);
  assert.match((await anna.call('vault_read', { vault: 'v7', path: 'Kept.md' })).content, /before it was closed/);
  assert.equal((await anna.call('vault_changes', { vault: 'v7' })).changes.length, 1);
  const all = async (vault) => (await anna.call('vault_changes', { vault, all: true })).files.map((f) => `${f.kind} ${f.path} ${f.tool}`);
  assert.deepEqual([await all('v7'), await all('v6')], [['created Kept.md vault_write'], []], 'each vault has its own list');
});

test('a subscription keeps its vault open, or has it opened', async (t) => {
  const host = makeHost(t);
  await host.add('garden', { 'Bed.md': 'beans\n' }, 'anna');
  const server = await host.start({ args: ['--vaults-idle', '1'] });
  const anna = await userOf(t, server, 'anna', 'v1');
  const heard = [];
  anna.client.fallbackNotificationHandler = async (n) => { heard.push(n.params?.uri); };
  await anna.client.subscribeResource({ uri: 'vault://garden/Bed.md' });
  await until('it is open', async () => (await openVaults(server, host)).length === 1);
  await new Promise((done) => setTimeout(done, 2500));
  heard.length = 0;
  writeFileSync(path.join(host.dir, 'garden/Bed.md'), 'peas\n');
  await until('the change is heard', () => heard.includes('vault://garden/Bed.md'));
});

test('clients do not notice what others do', async (t) => {
  const host = makeHost(t);
  await host.add('anna-notes', { 'Secret.md': 'x\n' }, 'anna');
  await host.add('bobs', { 'Bob.md': 'y\n' }, 'bob');
  const server = await host.start({ args: ['--vaults-idle', '1'] });
  const bob = await userOf(t, server, 'bob', 'v1');
  const heard = [];
  bob.client.fallbackNotificationHandler = async (n) => { heard.push(n.method); };
  await bob.client.subscribeResource({ uri: 'vault://anna-notes/Secret.md' });
  await untilQuiet(() => heard, 1500); // of his own sign-in
  heard.length = 0;
  await userOf(t, server, 'anna', 'v1');
  await new Promise((done) => setTimeout(done, 4000)); // subscriptions are looked for every three seconds
  assert.deepEqual(heard, []);
  assert.ok(!(await openVaults(server, host)).includes('anna-notes'));
  await host.cli('allow', 'anna-notes', 'bob');
  await until('the lists have changed', () => heard.includes('notifications/resources/list_changed'));
  await until('it is open', async () => (await openVaults(server, host)).includes('anna-notes'));
});

test('each vault syncs with its own remote, cloned at its first use', async (t) => {
  const host = makeHost(t);
  const worlds = { one: makeWorld(t), two: makeWorld(t) };
  worlds.two.push({ 'Second.md': 'the second\n' }, 'phone: second');
  for (const [name, w] of Object.entries(worlds)) {
    await host.cli('add', name, `file://${w.remote}`);
    await host.cli('allow', name, 'anna');
  }
  await host.add('plain', { 'Note.md': 'no remote\n' }, 'anna');
  const server = await host.start({ args: ['--vaults-idle', '1'] });
  const anna = await userOf(t, server, 'anna');
  assert.match((await anna.call('vault_read', { vault: 'one', path: 'Garden.md' })).content, /Tomatoes/);
  assert.match((await anna.call('vault_read', { vault: 'two', path: 'Second.md' })).content, /the second/);
  await anna.call('vault_write', { vault: 'one', path: 'Mine.md', content: 'from anna\n' });
  await until('it is pushed', () => worlds.one.log().length === 2);
  assert.doesNotMatch(worlds.two.log().join(), /Mine/);
  worlds.two.push({ 'Later.md': 'pulled\n' }, 'phone: later');
  await anna.call('vault_sync', { vault: 'two' });
  assert.match((await anna.call('vault_read', { vault: 'two', path: 'Later.md' })).content, /pulled/);
  assert.match((await anna.error('vault_sync', { vault: 'plain' })).message, /has no remote/);

  // What could not be pushed is pushed after the vault was closed and opened again.
  await until('all are closed', async () => (await openVaults(server, host)).length === 0);
  worlds.one.push({ 'Other.md': 'while it was closed\n' }, 'phone: other');
  assert.match((await anna.call('vault_sync', { vault: 'one' })).kind, /git/);
  assert.match((await anna.call('vault_read', { vault: 'one', path: 'Other.md' })).content, /while it was closed/);
});

test('a vault that is closed before its changes are pushed pushes them when it is opened', async (t) => {
  const host = makeHost(t);
  const w = makeWorld(t);
  await host.cli('add', 'team', `file://${w.remote}`);
  await host.cli('allow', 'team', 'anna');
  await host.add('other', { 'Note.md': 'other\n' }, 'anna');
  const server = await host.start({ args: ['--vaults-open', '1', '--vaults-idle', '1'] });
  const anna = await userOf(t, server, 'anna');
  await anna.call('vault_sync', { vault: 'team' });
  renameSync(w.remote, `${w.remote}.away`);
  await anna.call('vault_write', { vault: 'team', path: 'Kept.md', content: 'kept for the next opening\n' });
  await new Promise((done) => setTimeout(done, 2500));
  assert.deepEqual(await openVaults(server, host), ['team'], 'idle, but it has something to push');
  assert.match((await anna.call('vault_read', { vault: 'other', path: 'Note.md' })).content, /other/);
  assert.ok(!(await openVaults(server, host)).includes('team'), 'there was no room for both'); // a busy machine asks after the other is idle, too
  const closed = await host.status();
  assert.equal(closed.team.open, false);
  assert.ok(closed.team.sync.ahead > 0 && closed.team.sync.last_error, JSON.stringify(closed.team));
  assert.doesNotMatch(w.git('remote.git.away', 'ls-tree', '--name-only', 'main'), /Kept/);
  renameSync(`${w.remote}.away`, w.remote);
  assert.match((await anna.call('vault_read', { vault: 'team', path: 'Kept.md' })).content, /next opening/);
  await until('it is pushed', () => /Kept/.test(w.git('remote.git', 'ls-tree', '--name-only', 'main')));
  await until('nothing is left', async () => (await host.status()).team.sync.ahead === 0);
});

test('the command line knows hosted vaults', async (t) => {
  const host = makeHost(t);
  const w = makeWorld(t);
  await host.add('garden', { 'Bed.md': 'a zephyr over the beans\n\nzephyr again\n' }, 'anna');
  await host.add('shed', { 'Tools.md': 'zephyr and spade\n' });
  await host.cli('add', 'team', `file://${w.remote}`);
  await host.cli('allow', 'team', 'anna');
  const vaultd = (...args) => run(VAULTD, args, { env: cleanEnv(host.top, { STATE_DIR: host.state, VAULTS_DIR: host.dir }), cwd: host.top });
  const out = async (...args) => {
    const end = await vaultd(...args);
    assert.equal(end.code, 0, end.stderr);
    return end;
  };

  assert.match((await out('read', '--vault', 'SHED', 'Tools.md')).stdout, /spade/);
  const found = await out('search', '--vault', '*', 'zephyr');
  assert.equal(found.stdout, 'garden:Bed.md:1:a zephyr over the beans\nshed:Tools.md:1:zephyr and spade\ngarden:Bed.md:3:zephyr again\n', 'the best of each first');
  assert.match(found.stderr, /not searched: team/, 'it was not cloned yet');
  assert.deepEqual((await out('search', 'zephyr')).stdout, found.stdout, 'all, if none is chosen');
  const json = JSON.parse((await out('search', '--vault', '*', '--json', '-n', '1', '--offset', '1', 'zephyr')).stdout);
  assert.deepEqual([json.vaults_searched, json.total_matches, json.results.map((r) => r.vault), json.not_searched], [2, 3, ['shed'], ['team']]);
  assert.equal((await vaultd('search', '--vault', '*', 'nowhere to be found')).code, 1);
  assert.equal((await vaultd('search', '--vault', '*', '-l', 'nowhere to be found')).code, 1);
  for (const [options, lines] of [
    [['-l'], ['garden:Bed.md', 'shed:Tools.md']],
    [['-c'], ['garden:Bed.md:2', 'shed:Tools.md:1']],
    [['-C', '1'], ['garden:Bed.md:1:a zephyr over the beans', 'garden:Bed.md-2-', 'garden:Bed.md:3:zephyr again', '--', 'shed:Tools.md:1:zephyr and spade']],
    [['-C', '1', '-n', '1', '--offset', '1'], ['garden:Bed.md-2-', 'garden:Bed.md:3:zephyr again']],
    [['-C', '1', '--offset', '2'], ['shed:Tools.md:1:zephyr and spade']],
  ]) {
    const some = await out('search', '--vault', '*', ...options, 'zephyr');
    assert.equal(some.stdout, lines.map((l) => `${l}\n`).join(''), options.join(' '));
    if (!options.includes('-n')) assert.match(some.stderr, /^not searched: team\n$/);
  }
  for (const [args, why] of [
    [['search', '--vault', '*', '-m', 'regex', '('], /unclosed group/],
    [['read', '--vault', '*', 'Bed.md'], /vaultd read works on one vault/],
    [['sync', '--vault', '*', '--sync', 'git'], /vaultd sync works on one vault/],
    [['read', 'Bed.md'], /several vaults: choose one with --vault NAME/],
    [['read', '--vault', 'attic', 'Bed.md'], /no vault named 'attic': vaultd vault list shows all/],
  ]) {
    const end = await vaultd(...args);
    assert.equal(end.code, 2, `${args}: ${end.stdout}`);
    assert.match(end.stderr, why);
  }

  let server = await host.start();
  const anna = await userOf(t, server, 'anna');
  await anna.call('vault_sync', { vault: 'team' });
  const { team, garden } = await host.status();
  assert.deepEqual([team.sync.kind, team.sync.remote, team.open], ['git', `file://${w.remote}`, true]);
  assert.deepEqual(garden, { vault: 'garden', open: false });
  assert.match((await out('status')).stdout, /hosted +3 vaults, 1 open/);
  await server.stop();
  server = await host.start({ args: ['--vaults-idle', '1'] });
  await (await userOf(t, server, 'anna')).call('vault_sync', { vault: 'team' });
  await until('it is closed', async () => !(await host.status()).team.open);
  assert.match((await out('sync', 'status')).stdout, /team \(closed\)\nsynced by +git\n/);
  assert.equal(JSON.parse((await out('sync', 'status', '--vault', 'team', '--json')).stdout).kind, 'git');
});

test('vaultd sync uses the remote of the table', async (t) => {
  const host = makeHost(t);
  const w = makeWorld(t);
  await host.cli('add', 'team', `file://${w.remote}`);
  await host.add('plain', { 'Note.md': 'no remote\n' });
  const vaultd = (...args) => run(VAULTD, args, { env: cleanEnv(host.top, { STATE_DIR: host.state, VAULTS_DIR: host.dir }), cwd: host.top });
  const synced = async () => {
    const end = await vaultd('sync', '--vault', 'team', '--json');
    assert.equal(end.code, 0, end.stderr);
    return JSON.parse(end.stdout);
  };
  assert.equal((await synced()).remote, `file://${w.remote}`);
  assert.match(readFileSync(path.join(host.dir, 'team/Garden.md'), 'utf8'), /Tomatoes/, 'it was cloned');
  w.push({ 'Later.md': 'pulled\n' }, 'phone: later');
  assert.equal((await vaultd('write', '--vault', 'team', 'Mine.md', 'pushed')).code, 0);
  const state = await synced();
  assert.deepEqual([state.ahead, state.behind, state.last_error], [0, 0, undefined]);
  assert.equal(readFileSync(path.join(host.dir, 'team/Later.md'), 'utf8'), 'pulled\n');
  assert.equal(w.git('remote.git', 'show', 'main:Mine.md'), 'pushed');
  assert.equal((await host.status()).team.sync.kind, 'git', 'the server finds the same status');
  const none = await vaultd('sync', '--vault', 'plain');
  assert.deepEqual([none.code, /sync is not configured/.test(none.stderr)], [2, true], none.stderr);
});

test('with --sync-ack push, what has a remote is pushed before it is answered', async (t) => {
  const host = makeHost(t);
  const world = makeWorld(t);
  await host.cli('add', 'one', `file://${world.remote}`);
  await host.cli('allow', 'one', 'anna');
  await host.add('plain', { 'Note.md': 'no remote\n' }, 'anna');
  const server = await host.start({ args: ['--sync-ack', 'push', '--git-push-delay', '600'] });
  const anna = await userOf(t, server, 'anna');
  await anna.call('vault_write', { vault: 'one', path: 'Mine.md', content: 'from anna\n' });
  assert.equal(world.git('remote.git', 'show', 'main:Mine.md'), 'from anna');
  assert.equal((await anna.call('vault_write', { vault: 'plain', path: 'Mine.md', content: 'here\n' })).created, true);
});

test('the last pushes of many vaults are made at the same time', async (t) => {
  const host = makeHost(t);
  const forge = await startHttps(t, makeWorld(t).remote);
  const names = Array.from({ length: 9 }, (_, i) => `v${i}`);
  for (const name of names) {
    await host.cli('add', name, forge.url);
    await host.cli('allow', name, 'anna');
  }
  const server = await host.start({ args: [...forge.args.slice(2), '--git-token-host', new URL(forge.url).host, '--git-push-delay', '600'] });
  const anna = await userOf(t, server, 'anna');
  for (const vault of names) await anna.call('vault_sync', { vault });
  for (const vault of names) await anna.call('vault_write', { vault, path: `${vault}.md`, content: 'x\n' });
  await anna.client.close();
  await forge.stop();
  const mute = await startMute(t, forge.port);
  server.child.kill('SIGTERM');
  await mute.visited(3); // it answers none of them, so one after the other would be one
  await server.crash();
});

test('a last push that hangs does not keep its place from other vaults', async (t) => {
  const host = makeHost(t);
  const forge = await startHttps(t, makeWorld(t).remote);
  await host.cli('add', 'stuck', forge.url);
  await host.cli('allow', 'stuck', 'anna');
  await host.add('fine', { 'Note.md': 'a zephyr\n' }, 'bob');
  const server = await host.start({ args: [...forge.args.slice(2), '--git-token-host', new URL(forge.url).host, '--git-push-delay', '600', '--vaults-open', '1'] });
  const [anna, bob] = [await userOf(t, server, 'anna'), await userOf(t, server, 'bob')];
  await anna.call('vault_sync', { vault: 'stuck' });
  await forge.stop();
  const mute = await startMute(t, forge.port);
  let round = 0;
  await until('he reads while the push hangs', async () => {
    await anna.call('vault_write', { vault: 'stuck', path: `${round++}.md`, content: 'x\n' });
    const opened = bob.call('vault_read', { vault: 'fine', path: 'Note.md' });
    await mute.visited();
    assert.match((await opened).content, /zephyr/);
    return mute.isVisited();
  });
  await mute.leave();
  await forge.start();
  assert.equal((await anna.call('vault_read', { vault: 'stuck', path: '0.md' })).content, 'x\n', 'it waits for its own closing only');
});

test('a remote that does not answer fails only its own vault', async (t) => {
  const host = makeHost(t);
  await host.cli('add', 'broken', 'file:///no/such/repository.git');
  await host.cli('allow', 'broken', 'anna');
  await host.add('fine', { 'Note.md': 'works\n' }, 'anna');
  const server = await host.start();
  const anna = await userOf(t, server, 'anna');
  const [bad, good] = await Promise.all([anna.raw('vault_read', { vault: 'broken', path: 'x.md' }), anna.call('vault_read', { vault: 'fine', path: 'Note.md' })]);
  assert.ok(bad.isError, JSON.stringify(bad));
  assert.match(good.content, /works/);
  assert.match(JSON.stringify(await anna.client.listResources()), /vault:\/\/fine\/Note\.md/);
  assert.match(JSON.stringify(await anna.client.listPrompts()), /daily_review/);
});

test('a first vault that cannot be opened does not block the others', async (t) => {
  const host = makeHost(t);
  await host.cli('add', 'broken', 'file:///no/such/repository.git');
  await host.cli('allow', 'broken', 'anna');
  await host.add('fine', { 'Note.md': 'a zephyr\n' }, 'anna');
  await host.add('hers', { 'Secret.md': 'x\n' }, 'bob');
  const server = await host.start({ args: ['--tools', 'default,chatgpt', '--auto-context', 'on'] });
  const { token, browser } = await letIn(server);
  const anna = await clientOf(t, server, token, 'v1');
  for (const args of [{}, { vault: 'broken' }]) {
    const about = await anna.call('vault_info', args);
    assert.deepEqual([about.name, about.vaults, about.notes], ['broken', ['broken', 'fine'], undefined]);
    assert.match(about.cannot_be_opened, /git ls-remote: /);
  }
  assert.equal((await anna.call('vault_info', { vault: 'fine' })).notes, 1);
  assert.match(JSON.stringify(await anna.raw('vault_guide', { topic: 'links' })), /\[\[/);
  const found = await anna.raw('search', { query: 'zephyr' });
  assert.deepEqual(JSON.parse(found.content[0].text).results.map((r) => r.id), ['fine/Note.md']);
  assert.match(found.content[1].text, /^Not searched: the vault 'broken' \(git ls-remote: .*\)\.$/);
  assert.match((await anna.call('fetch', { id: 'fine/Note.md' })).text, /zephyr/);
  assert.match((await anna.error('vault_list')).message, /git ls-remote: /);
  assert.match((await anna.error('fetch', { id: 'broken/Note.md' })).message, /git ls-remote: /);
  const page = await browser.get('/changes');
  assert.equal(page.status, 503);
  assert.match(page.text, /cannot be opened now: git ls-remote/);
  assert.match(page.text, /href="\/changes\?vault=fine"/);
});

test('remotes that hang do not block other vaults', async (t) => {
  const host = makeHost(t);
  const port = await freePort();
  const mute = await startMute(t, port);
  const hanging = Array.from({ length: 12 }, (_, i) => `mute${i}`);
  for (const name of hanging) await host.cli('add', name, `https://127.0.0.1:${port}/${name}.git`);
  await host.cli('add', 'late', `file://${makeWorld(t).remote}`);
  for (const name of [...hanging, 'late']) await host.cli('allow', name, 'anna');
  await host.add('fine', { 'Note.md': 'a zephyr\n' }, 'anna');
  const server = await host.start({ args: ['--vaults-open', '1'] });
  const anna = await userOf(t, server, 'anna');
  const stuck = hanging.map((vault) => anna.error('vault_read', { vault, path: 'x.md' }));
  await mute.visited();
  assert.match((await anna.call('vault_read', { vault: 'fine', path: 'Note.md' })).content, /zephyr/);
  await until('its turn comes though all others hang', async () => /Tomatoes/.test(JSON.stringify(await anna.raw('vault_read', { vault: 'late', path: 'Garden.md' }))));
  const found = await anna.call('vault_search', { vault: '*', query: 'zephyr' });
  assert.deepEqual([found.results.map((r) => r.vault), found.vaults_not_searched], [['fine'], 12], 'what hangs is left out');
  for (const { code, message } of await Promise.all(stuck)) {
    assert.equal(code, 'BUSY');
    assert.match(message, /'mute\d+': the vault (is being cloned|waits to be cloned)/);
  }
  await mute.leave();
});

test('search across a hundred vaults', async (t) => {
  const host = makeHost(t);
  for (let i = 0; i < 100; i++) {
    const name = `team${String(i).padStart(3, '0')}`;
    mkdirSync(path.join(host.dir, name), { recursive: true });
    writeFileSync(path.join(host.dir, name, 'Note.md'), i % 10 ? 'nothing here\n' : `the zephyr of ${name}\n\nzephyr again\n`);
    await host.cli('add', '--adopt', name);
    if (i < 25) await host.cli('allow', name, 'anna');
    else await host.cli('allow', name, 'bob');
  }
  const server = await host.start({ args: ['--vaults-open', '10'] });
  const [anna, bob] = [await userOf(t, server, 'anna'), await userOf(t, server, 'bob')];
  const found = await anna.call('vault_search', { vault: '*', query: 'zephyr' });
  assert.equal(found.vaults_searched, 25);
  assert.equal(found.total_files, 3);
  assert.deepEqual(found.results.slice(0, 3).map((r) => r.vault), ['team000', 'team010', 'team020'], 'the best of each first');
  assert.ok(found.results.every((r) => Number(r.vault.slice(4)) < 25));
  const rest = await anna.call('vault_search', { vault: '*', query: 'zephyr', max_results: 2, offset: 2 });
  assert.deepEqual(rest.results.map((r) => r.vault), ['team020', 'team000']);
  const many = await bob.call('vault_search', { vault: '*', query: 'zephyr' });
  assert.equal(many.vaults_searched + many.vaults_not_searched, 75);
  assert.ok(many.vaults_not_searched > 0 && many.not_searched.length === 5, JSON.stringify(many).slice(0, 500));
  assert.match((await anna.error('vault_search', { vault: '*', query: '(', mode: 'regex' })).message, /unclosed group/);
  assert.ok((await openVaults(server, host)).length <= 10);
  const listed = await bob.call('vault_info');
  assert.equal(listed.vaults.length + listed.more_vaults, 75);
});

test('over stdio all vaults are there', async (t) => {
  const host = makeHost(t);
  await host.add('garden', { 'Bed.md': 'beans\n' });
  const sdk = await connect(t, CONNECTIONS.find((c) => c.name === 'SDK v2 auto over stdio'), { vault: `--vaults-dir=${host.dir}`, args: ['--state-dir', host.state] });
  assert.match(JSON.stringify(await sdk.call({ name: 'vault_read', arguments: { path: 'Bed.md', vault: 'garden' } })), /beans/);
  await sdk.close();
});

test('--vaults-dir and --vault-path are not given together', async (t) => {
  const host = makeHost(t);
  const end = await run(VAULTD, ['serve', '--stdio', '--vaults-dir', host.dir, '--vault-path', host.top], { env: cleanEnv(host.top, { STATE_DIR: host.state }) });
  assert.equal(end.code, 2);
  assert.match(end.stderr, /not both/);
});

/* --- the question of the consent page --- */

test('users of GitHub choose among their own vaults, after they have signed in', async (t) => {
  const host = makeHost(t), github = await startGitHub();
  t.after(() => github.stop());
  await host.add('team', { 'a.md': 'TEAM' }, 'github:Ada');
  await host.add('mine', { 'b.md': 'MINE' }, 'github:Ada');
  await host.add('other', { 'c.md': 'OTHER' });
  const server = await host.start({ env: {
    AUTH_USERS: '', GITHUB_CLIENT_ID: 'gh-client', GITHUB_CLIENT_SECRET: 'gh-secret', GITHUB_ALLOWED_USERS: 'ada', GITHUB_OAUTH_URL: github.url, GITHUB_API_URL: github.url,
  } });
  const client = await register(server), browser = new Browser(server);
  const login = await browser.get(authorizePath(client));
  const away = await browser.submit(login.forms.find((f) => f.action === '/oauth/upstream'), { provider: 'github' });
  const back = new URL((await fetch(away.location, { redirect: 'manual' })).headers.get('location'));
  const returned = await browser.get(back.pathname + back.search);
  assert.match(returned.location, /\/oauth\/consent\?request=/, 'no code without a question');
  const consent = await browser.follow(returned);
  assert.match(consent.text, /all your vaults/);
  assert.deepEqual([...consent.text.matchAll(/value="none ([^"]*)"/g)].map((m) => m[1]).sort(), ['mine:', 'team:']);
  const answer = (page, ...choices) => browser.submit(choose(page.forms[0], [['where', 'some'], ...choices]), { decision: 'allow' });
  const none = await answer(consent);
  assert.equal(none.status, 400);
  assert.match(none.text, /Choose at least one vault/);
  const foreign = await answer(none, ['folder', 'other:']);
  assert.equal(foreign.status, 400);
  const got = learned(await answer(foreign, ['folder', 'team:']));
  const { access_token } = await redeem(server, client, got.code);
  assert.ok(!(await callTool(server, access_token, 'vault_read', { path: 'a.md', vault: 'team' })).message.result.isError);
  assert.equal((await callTool(server, access_token, 'vault_read', { path: 'b.md', vault: 'mine' })).message.result.isError, true);
});

test('an offer that became empty allows nothing, unless all vaults were chosen', async (t) => {
  const host = makeHost(t);
  await host.add('team', { 'a.md': 'TEAM' }, 'anna');
  const server = await host.start();
  const client = await register(server), browser = new Browser(server);
  const page = await browser.toConsent(authorizePath(client));
  await host.cli('deny', 'team', 'anna');
  await until('the server has noticed', async () => !/team:/.test((await new Browser(server).toConsent(authorizePath(client))).text));
  let answer = page;
  for (const choices of [[['where', 'some'], ['folder', 'team:']], [['where', 'some']], [['where', 'none']]]) {
    answer = await browser.submit(choose(answer.forms[0], choices), { decision: 'allow' });
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.text, /Choose at least one vault/);
  }
  assert.match(answer.text, /all your vaults/);
  assert.ok(learned(await browser.submit(choose(answer.forms[0], [['where', 'all']]), { decision: 'allow' })).code);
});

test('a vault that is added again under the same name begins with nothing', async (t) => {
  const host = makeHost(t);
  await host.add('notes', {}, 'anna');
  const server = await host.start();
  const anna = await userOf(t, server, 'anna');
  await anna.call('vault_write', { path: 'gone.md', content: '# ANNA-GONE\n' });
  await anna.call('vault_delete', { path: 'gone.md', permanent: true });
  const changes = (await anna.call('vault_changes')).changes.length;
  assert.ok(changes >= 2);
  await host.cli('remove', 'notes');
  rmSync(path.join(host.dir, 'notes'), { recursive: true });
  await host.cli('add', 'notes');
  await host.cli('allow', 'notes', 'bob');
  const bob = await userOf(t, server, 'bob');
  await until('the new vault is there', async () => !(await bob.raw('vault_info')).isError);
  assert.deepEqual((await bob.call('vault_changes')).changes, []);
  for (let n = 1; n <= changes; n++) await bob.error('vault_undo', { change: n });
  assert.ok(!existsSync(path.join(host.dir, 'notes', 'gone.md')));
  await server.stop();
});

test('files that lie in the folder of a new vault are adopted only if that is asked for', async (t) => {
  const host = makeHost(t);
  await host.add('notes', { 'a.md': 'of anna\n', 'In/b.md': 'x\n', '.git/config': '' }, 'anna');
  await host.cli('remove', 'notes');
  for (const args of [['notes'], ['notes', 'https://example.com/x.git'], ['Notes2/../notes']]) {
    const says = await host.fails('add', ...args);
    if (args[0] === 'notes') assert.match(says, /notes has 3 files already.*--adopt/);
  }
  assert.deepEqual(JSON.parse(await host.cli('list', '--json')).vaults, []);
  await host.cli('add', 'notes', '--adopt');
  assert.match(await host.fails('add', 'notes'), /already a vault named 'notes'/);
  await host.cli('remove', 'notes');
  await host.cli('add', 'again', path.join(host.dir, 'notes')); // an explicit folder
});

test('no secret of a remote is in the table, nor printed from it', async (t) => {
  const host = makeHost(t);
  for (const url of ['https://me:s3cret@example.com/x.git', 'https://s3cret@example.com/x.git', 'HTTPS://me:s3cret@example.com/x', 'ssh://git:s3cret@example.com/x']) {
    const says = await host.fails('add', 'x', url);
    assert.match(says, /without it.*--git-token-file/, url);
    assert.doesNotMatch(says, /s3cret/);
  }
  for (const [i, url] of ['ssh://git@example.com/x.git', 'git@example.com:x.git', 'https://example.com/x@y.git'].entries()) await host.cli('add', `ok${i}`, url);
  const db = new DatabaseSync(path.join(host.state, 'oauth.db')); // from before
  db.exec("UPDATE vaults SET remote = 'https://me:s3cret@example.com/x.git' WHERE name = 'ok2'");
  db.close();
  for (const out of [await host.cli('list'), await host.cli('list', '--json')]) {
    assert.match(out, /https:\/\/\*\*\*@example\.com\/x\.git/);
    assert.doesNotMatch(out, /s3cret/);
  }
});

test('rights end with their owner: a later key or user of the name inherits nothing', async (t) => {
  const host = makeHost(t);
  const key = (...args) => run(VAULTD, ['key', ...args], { env: cleanEnv(host.top, { STATE_DIR: host.state }) });
  const usersOf = async () => JSON.parse(await host.cli('list', '--json')).vaults.map((v) => `${v.name}: ${v.users}`);
  await host.add('team', { 'a.md': 'TEAM' }, 'backup', 'anna');
  await host.add('other', { 'b.md': 'x' }, 'anna');
  assert.equal((await key('add', 'backup')).code, 0);
  assert.equal((await key('add', 'anna/phone')).code, 0);
  assert.equal((await key('revoke', 'anna/phone')).code, 0);
  assert.equal((await key('revoke', 'backup')).code, 0);
  assert.deepEqual(await usersOf(), ['team: anna', 'other: anna'], "the key's rights are gone, anna's are not");
  const second = (await key('add', 'backup')).stdout.trim();
  const server = await host.start();
  assert.match(JSON.stringify((await callTool(server, second, 'vault_info', {})).message), /you do not have access to a vault yet/);
  assert.match(await host.cli('forget', 'anna', 'nobody'), /anna: removed from 2 vaults\nnobody: removed from 0 vaults/);
  assert.deepEqual(await usersOf(), ['team: ', 'other: ']);
});

/** A git host that refuses all requests, under a name of this machine; seen: what it was sent as Authorization. */
async function startThief(t, name, tls) {
  const seen = [];
  const server = https.createServer({ key: readFileSync(tls.key), cert: readFileSync(tls.cert) }, (request, response) => {
    seen.push(request.headers.authorization ?? '');
    response.writeHead(401, { 'www-authenticate': 'Basic realm="notes"' }).end();
  }).listen(0, '127.0.0.1');
  await new Promise((done, no) => server.once('listening', done).once('error', no));
  t.after(() => new Promise((done) => server.close(done)));
  return { seen, url: `https://${name}:${server.address().port}/x.git` };
}

test('the git token goes to its own host only, and tells nothing to clients of single folders', async (t) => {
  const host = makeHost(t), token = path.join(host.top, 'token');
  writeFileSync(token, 'OPERATOR-GIT-TOKEN\n', { mode: 0o600 });
  const tls = await certificate(t);
  const ours = await startThief(t, '127.0.0.1', tls), thief = await startThief(t, 'localhost', tls);
  for (const [name, forge] of [['ours', ours], ['theirs', thief]]) {
    await host.cli('add', name, forge.url);
    await host.cli('allow', name, 'anna', 'anna/part');
  }
  const key = await run(VAULTD, ['key', 'add', 'anna/part', 'read', 'theirs:Public'], { env: cleanEnv(host.top, { STATE_DIR: host.state }) });
  const server = await host.start({ args: ['--git-token-file', token, '--git-token-host', new URL(ours.url).host, '--git-ca-file', tls.ca] });
  const anna = await userOf(t, server, 'anna');
  for (const vault of ['ours', 'theirs']) await until(`${vault} was asked for`, async () => /could not read|denied|failed|401|Authentication|refused|token/i.test((await anna.error('vault_read', { vault, path: 'x.md' })).message));
  const basic = (text) => Buffer.from(text.replace(/^Basic /, ''), 'base64').toString();
  assert.ok(ours.seen.some((text) => basic(text).includes('OPERATOR-GIT-TOKEN')), ours.seen.join());
  assert.ok(thief.seen.length > 0 && !thief.seen.some((text) => basic(text).includes('OPERATOR')), thief.seen.map(basic).join());
  const hidden = JSON.stringify((await callTool(server, key.stdout.trim(), 'vault_read', { vault: 'theirs', path: 'Public/x.md' })).message);
  assert.match(hidden, /cannot be opened now/);
  assert.doesNotMatch(hidden, /localhost|x\.git/);
});

test('a name that is added again with another remote never joins the two repositories', async (t) => {
  const host = makeHost(t), alice = makeWorld(t), bob = makeWorld(t);
  alice.push({ 'secret.md': 'ALICE-SECRET\n' }, 'alice: secret');
  await host.cli('add', 'team', `file://${alice.remote}`);
  await host.cli('allow', 'team', 'anna');
  const server = await host.start({ args: ['--git-push-delay', '0'] });
  const anna = await userOf(t, server, 'anna'), ben = await userOf(t, server, 'bob');
  await until('cloned', async () => !(await anna.raw('vault_read', { path: 'secret.md' })).isError);
  await host.cli('remove', 'team');
  assert.match(await host.fails('add', 'team', `file://${bob.remote}`), /files already/);
  await host.cli('add', 'team', `file://${bob.remote}`, '--adopt');
  await host.cli('allow', 'team', 'bob');
  const before = bob.log();
  await until('refused', async () => /no common history|other/.test((await ben.error('vault_read', { path: 'Garden.md' })).message));
  await server.stop();
  assert.deepEqual(bob.log(), before);
  assert.ok(!bob.log().join().includes('secret'));
});
