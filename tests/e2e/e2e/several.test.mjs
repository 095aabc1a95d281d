// Several vaults in one server: the argument vault, resources, prompts, completion, changes,
// start-up errors, and the command line.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Session, VAULTD, cleanEnv, copyVault, run, startHttp, startStdio, tempDir, until } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const TEMPLATE = { type: 'ref/resource', uri: 'vault://{vault}/{+path}' };

/** Two vaults, and how a server is started with them (its last argument is also a vault). */
function twoVaults(t) {
  const work = copyVault(t);
  const home = path.join(tempDir(t), 'My home');
  mkdirSync(path.join(home, 'Garden'), { recursive: true });
  writeFileSync(path.join(home, 'Home.md'), '# Home\nOnly at home. [[Tulips]]\n');
  writeFileSync(path.join(home, 'Garden/Tulips.md'), 'Red tulips. #flower\n');
  writeFileSync(path.join(home, 'Ask.md'), '---\narguments: [who]\n---\nAsk {{who}} kindly. #prompt\n');
  return { work, home, start: { args: [`--vault=work=${work}`], vault: `--vault=home=${home}` } };
}

const data = (result) => {
  assert.ok(!result.isError, JSON.stringify(result.content));
  return JSON.parse(result.content[0].text);
};
const error = (result) => {
  assert.ok(result.isError, JSON.stringify(result.content));
  return JSON.parse(result.content[0].text).error;
};
const call = async (sdk, name, args) => sdk.call({ name, arguments: args });

const CHECKS = {
  async 'instructions name the vaults first'(sdk) {
    const text = sdk.client.getInstructions();
    assert.ok(text.startsWith('Obsidian vaults "work" (default), "home", chosen by the argument vault: '), text);
    assert.ok(text.length < 2000, String(text.length));
  },

  async 'every tool takes vault, and the first is the default'(sdk) {
    const { tools } = await sdk.client.listTools();
    for (const tool of tools) {
      const { vault } = tool.inputSchema.properties;
      const all = tool.name === 'vault_search'; // the only one that takes all of them
      assert.deepEqual(vault, { type: 'string', description: `Which vault${all ? '; *: all' : ''}`, enum: ['work', 'home', ...(all ? ['*'] : [])], default: 'work' }, tool.name);
      assert.ok(!(tool.inputSchema.required ?? []).includes('vault'));
    }
  },

  async 'vault_info lists them'(sdk) {
    const work = data(await call(sdk, 'vault_info', {}));
    assert.equal(work.name, 'work');
    assert.deepEqual(work.vaults, ['work', 'home']);
    const home = data(await call(sdk, 'vault_info', { vault: 'home' }));
    assert.deepEqual([home.name, home.notes, home.folders, home.links], ['home', 3, 1, 1]);
  },

  async 'each sees its own notes'(sdk) {
    assert.match(data(await call(sdk, 'vault_read', { path: 'Home.md', vault: 'home' })).content, /Only at home/);
    assert.doesNotMatch(data(await call(sdk, 'vault_read', { path: 'Home.md' })).content, /Only at home/);
    assert.equal(data(await call(sdk, 'vault_read', { path: 'Tulips', vault: 'HOME' })).path, 'Garden/Tulips.md');
    assert.equal(error(await call(sdk, 'vault_read', { path: 'Garden/Tulips.md' })).code, 'FILE_NOT_FOUND');
    assert.equal(data(await call(sdk, 'vault_search', { query: 'red tulips', vault: 'home' })).total_matches, 1);
    assert.equal(data(await call(sdk, 'vault_search', { query: 'red tulips', mode: 'text', vault: 'work' })).total_matches, 0);
    assert.deepEqual(data(await call(sdk, 'vault_list', { recursive: true, vault: 'home' })).files.map((f) => f.path), ['Ask.md', 'Garden/Tulips.md', 'Home.md']);
    assert.match(JSON.stringify(data(await call(sdk, 'vault_links', { path: 'Tulips', vault: 'home' }))), /"path":"Home.md"/);
  },

  async 'a search can be in all of them'(sdk) {
    const found = data(await call(sdk, 'vault_search', { query: 'only at home', vault: '*' }));
    assert.deepEqual([found.results[0].vault, found.results[0].path], ['home', 'Home.md'], 'before notes that only have some of the words');
    assert.equal(found.vaults_searched, 2);
    const both = data(await call(sdk, 'vault_search', { query: 'Home', mode: 'names', vault: '*' }));
    assert.deepEqual(both.results.slice(0, 2).map((r) => r.vault), ['work', 'home']);
    assert.match(error(await call(sdk, 'vault_read', { path: 'Home.md', vault: '*' })).message, /must be one of: work, home/);
  },

  async 'a name that is none is refused, and nothing happens'(sdk, { work, home }) {
    const { code, message } = error(await call(sdk, 'vault_write', { path: 'New.md', content: 'x', vault: 'attic' }));
    assert.deepEqual([code, message], ['INVALID_ARGUMENT', 'vault must be one of: work, home']);
    assert.ok(!existsSync(path.join(work, 'New.md')) && !existsSync(path.join(home, 'New.md')));
  },

  async 'changes, their list and undo belong to one vault'(sdk, { work, home }) {
    const file = `By ${sdk.name}.md`.replaceAll(':', ' ');
    const made = data(await call(sdk, 'vault_write', { path: file, content: 'x\n', vault: 'home' }));
    assert.ok(existsSync(path.join(home, file)) && !existsSync(path.join(work, file)));
    assert.ok(data(await call(sdk, 'vault_changes', { vault: 'home' })).changes.some((c) => c.change === made.change));
    assert.ok(!JSON.stringify(data(await call(sdk, 'vault_changes', {}))).includes(file));
    data(await call(sdk, 'vault_undo', { change: made.change, vault: 'home' }));
    assert.ok(!existsSync(path.join(home, file)));
  },

  async 'nothing moves from one to the other'(sdk, { home }) {
    for (const to of ['work/Home.md', 'vault://work/Home.md', 'Work/']) {
      const { code, message } = error(await call(sdk, 'vault_move', { path: 'Home.md', to, vault: 'home' }));
      assert.equal(code, 'INVALID_ARGUMENT');
      assert.match(message, /^cannot move from one vault to another/);
    }
    assert.ok(existsSync(path.join(home, 'Home.md')) && !existsSync(path.join(home, 'work')));
  },

  async 'resources of all vaults, one after the other'(sdk, { work }) {
    const all = [];
    for (let cursor; ;) {
      const page = await sdk.client.listResources(cursor ? { cursor } : {});
      all.push(...page.resources);
      if (!(cursor = page.nextCursor)) break;
    }
    const uris = all.map((r) => r.uri);
    assert.deepEqual(uris.slice(-3), ['vault://home/Ask.md', 'vault://home/Garden/Tulips.md', 'vault://home/Home.md']);
    assert.ok(uris.slice(0, -3).every((uri) => uri.startsWith('vault://work/')));
    assert.equal(uris.length - 3, readdirSync(work, { recursive: true, withFileTypes: true })
      .filter((e) => e.isFile() && !path.relative(work, path.join(e.parentPath ?? e.path, e.name)).split('/').some((s) => s.startsWith('.'))).length);
    const { contents } = await sdk.client.readResource({ uri: 'vault://home/Garden/Tulips.md' });
    assert.deepEqual(contents, [{ uri: 'vault://home/Garden/Tulips.md', mimeType: 'text/markdown', text: 'Red tulips. #flower\n' }]);
    for (const uri of ['vault:///Home.md', 'vault://attic/Home.md', 'vault://work/Garden/Tulips.md', 'vault://home/../Home.md'])
      await assert.rejects(sdk.client.readResource({ uri }), undefined, uri);
    const { resourceTemplates } = await sdk.client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map((r) => r.uriTemplate), [TEMPLATE.uri, 'vault-base://{vault}/{view}/{+path}']);
  },

  async 'completion knows which vault'(sdk) {
    const offered = async (ref, name, value, vault) => (await sdk.client.complete({
      ref, argument: { name, value }, ...(vault ? { context: { arguments: { vault } } } : {}),
    })).completion.values;
    assert.deepEqual(await offered(TEMPLATE, 'vault', ''), ['work', 'home']);
    assert.deepEqual(await offered(TEMPLATE, 'vault', 'H'), ['home']);
    assert.deepEqual(await offered(TEMPLATE, 'path', 'Tul', 'home'), ['Garden/Tulips.md']);
    assert.deepEqual(await offered(TEMPLATE, 'path', 'Tul'), []);
    const prompt = { type: 'ref/prompt', name: 'find_related' };
    assert.deepEqual(await offered(prompt, 'vault', 'w'), ['work']);
    assert.deepEqual(await offered(prompt, 'note', 'tul', 'home'), ['Garden/Tulips.md']);
    assert.deepEqual(await offered({ type: 'ref/prompt', name: 'weekly_summary' }, 'tag', 'flo', 'home'), ['flower']);
  },

  async 'prompts of all vaults'(sdk) {
    const names = (await sdk.client.listPrompts()).prompts.map((p) => p.name);
    assert.ok(names.includes('home/Ask') && names.includes('work/Weekly review'), String(names));
    const asked = await sdk.client.getPrompt({ name: 'home/Ask', arguments: { who: 'Ada' } });
    assert.match(asked.messages[0].content.text, /Ask Ada kindly/);
    const related = await sdk.client.getPrompt({ name: 'find_related', arguments: { note: 'Tulips', vault: 'home' } });
    assert.equal(related.messages[0].content.resource.uri, 'vault://home/Garden/Tulips.md');
    assert.match(related.messages[1].content.text, /Pass vault "home" to every tool/);
    for (const name of ['Ask', 'work/Ask', 'attic/Ask']) await assert.rejects(sdk.client.getPrompt({ name }), undefined, name);
  },
};

for (const row of CONNECTIONS)
  test(`several vaults: ${row.name}`, async (t) => {
    const vaults = twoVaults(t);
    const sdk = await connect(t, row, vaults.start);
    sdk.name = row.name;
    for (const [name, check] of Object.entries(CHECKS)) await t.test(name, () => check(sdk, vaults));
    await sdk.close();
  });

test('subscriptions name the vault', async (t) => {
  const { work, home, start } = twoVaults(t);
  const server = await startHttp(t, start);
  const session = await Session.open(server);
  await session.call('vault_info', { vault: 'home' });
  const stream = await session.listen();
  await session.request('resources/subscribe', { uri: 'vault://home/Home.md' });
  appendFileSync(path.join(work, 'Home.md'), 'not this one\n');
  appendFileSync(path.join(home, 'Home.md'), 'this one\n');
  const { message } = await stream.next('an update', (e) => e.message?.method === 'notifications/resources/updated');
  assert.equal(message.params.uri, 'vault://home/Home.md');
  await session.call('vault_write', { path: 'Other.md', content: 'x' });
  assert.equal(stream.messages.filter((m) => m.method === 'notifications/resources/updated').length, 1);
  stream.close();
});

test('a single named vault looks like one vault', async (t) => {
  const vault = copyVault(t);
  const list = async (options) => {
    const server = startStdio(t, options);
    const { instructions } = await server.initialize();
    const tools = (await server.request('tools/list')).result;
    const info = data((await server.call('vault_info')).result);
    const read = (await server.request('resources/read', { uri: 'vault:///Home.md' })).result;
    return { instructions, tools, info, read };
  };
  const plain = await list({ vault });
  const named = await list({ vault: `--vault=notes=${vault}` });
  assert.deepEqual(named.tools, plain.tools);
  assert.deepEqual(named.read, plain.read);
  assert.ok(JSON.stringify(plain.tools).length < 16384);
  assert.equal(named.instructions, plain.instructions.replace('"vault"', '"notes"'));
  assert.deepEqual({ ...named.info, name: 0 }, { ...plain.info, name: 0 });
  assert.ok(!('vaults' in plain.info) && named.info.name === 'notes');
});

test('each vault keeps its own index and journal in one state folder', async (t) => {
  const { home, start } = twoVaults(t);
  const state = tempDir(t);
  const first = startStdio(t, { ...start, state });
  await first.initialize();
  data((await first.call('vault_info')).result); // the index has been read by now
  const made = data((await first.call('vault_write', { path: 'Kept.md', content: 'x\n', vault: 'home' })).result);
  await until('both indexes are stored', () => readdirSync(state).filter((f) => f.endsWith('.snapshot')).length === 2);
  await first.eof();
  // On its own, and by its folder, it is still the same vault.
  const second = startStdio(t, { vault: home, state });
  await second.initialize();
  data((await second.call('vault_undo', { change: made.change })).result);
  assert.ok(!existsSync(path.join(home, 'Kept.md')));
});

test('VAULTS does the same as --vault', async (t) => {
  const { work, home } = twoVaults(t);
  const home0 = tempDir(t);
  const env = cleanEnv(home0, { VAULTS: `work=${work},home=${home}`, STATE_DIR: path.join(home0, 'state') });
  const input = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } } })}\n`;
  const { stdout } = await run(VAULTD, ['serve', '--stdio'], { env, input });
  assert.match(JSON.parse(stdout).result.instructions, /^Obsidian vaults "work" \(default\), "home"/);
});

test('vaults that cannot be served are reported at startup', async (t) => {
  const { work, home } = twoVaults(t);
  const link = path.join(tempDir(t), 'link');
  symlinkSync(work, link);
  const cases = [
    [[`--vault=a=${work}`, `--vault=a=${home}`], /there are two vaults named 'a'/],
    [[`--vault=a=${work}`, `--vault=b=${link}`], /vaults 'a' and 'b' are the same folder/],
    [[`--vault=a=${work}`, `--vault=b=${work}/Areas`], /vaults 'b' and 'a' overlap/],
    [[`--vault=${work}`], /is not NAME=FOLDER/],
    [[`--vault=my vault=${work}`], /vault name 'my vault' must be/],
    [[`--vault=a=${work}`, home], /not both/],
    [[`--vault=a=${work}`, `--vault-path=${home}`], /not both/],
    [[`--vault=a=${work}`, `--vault=b=${home}/nope`], /nope|no such|does not exist|not found/i],
    [[work, home], /give each a name: --vault NAME=FOLDER/],
  ];
  for (const [args, why] of cases) {
    const { code, stderr, stdout } = await run(VAULTD, ['serve', '--stdio', ...args], { env: cleanEnv(tempDir(t)) });
    assert.equal(code, 2, `${args}: ${stderr}`);
    assert.match(stderr, why);
    assert.equal(stdout, '');
  }
});

test('the command line finds a vault by its name', async (t) => {
  const { work, home } = twoVaults(t);
  const home0 = tempDir(t);
  const env = cleanEnv(home0, { VAULTS: `work=${work},home=${home}`, STATE_DIR: path.join(home0, 'state') });
  const vaultd = (...args) => run(VAULTD, args, { env, cwd: home0 });
  assert.match((await vaultd('read', 'Home.md', '--vault', 'home')).stdout, /Only at home/);
  assert.doesNotMatch((await vaultd('read', 'Home.md')).stdout, /Only at home/);
  assert.match((await vaultd('read', 'Home.md', '--vault-path', home)).stdout, /Only at home/);
  assert.equal((await vaultd('write', 'New.md', 'x', '--vault=HOME')).code, 0);
  assert.equal(readFileSync(path.join(home, 'New.md'), 'utf8').trim(), 'x');
  const all = JSON.parse((await vaultd('search', '--vault', '*', '--json', 'home')).stdout);
  assert.deepEqual([all.vaults_searched, [...new Set(all.results.map((r) => r.vault))].sort()], [2, ['home', 'work']]);
  const none = await run(VAULTD, ['search', '--vault', '*', 'home'], { env: cleanEnv(home0), cwd: home });
  assert.deepEqual([none.code, none.stderr], [2, 'vaultd: --vault needs named vaults: give --vaults or --vaults-dir\n']);
  const { code, stderr } = await vaultd('read', 'Home.md', '--vault', 'attic');
  assert.equal(code, 2);
  assert.match(stderr, /there is no vault named 'attic'; VAULTS names: work, home/);
});

test('an answer that wrote names its vault, in every tool set; a search names the vaults it left out', async (t) => {
  const { start } = twoVaults(t);
  const all = async (args) => {
    const server = startStdio(t, { ...start, args: [...start.args, '--auto-context', 'off', ...args] });
    await server.initialize();
    return async (name, of) => {
      const { result } = await server.call(name, of);
      assert.ok(!result.isError, `${name}: ${JSON.stringify(result)}`);
      return result.content.map((c) => c.text).join('\n');
    };
  };
  const text = await all(['--answers', 'text']), json = await all(['--answers', 'json']);
  for (const vault of [undefined, 'home']) {
    const where = vault ?? 'work', of = vault ? { vault } : {};
    assert.match(await text('vault_write', { path: 'New.md', content: 'one\n', overwrite: true, ...of }), new RegExp(`^created New\\.md \\(vault ${where}, `));
    assert.match(await text('vault_edit', { path: 'New.md', old_text: 'one', new_text: 'two', ...of }), new RegExp(`\\(vault ${where}, `));
    assert.match(await text('vault_undo', of), new RegExp(`\\(vault ${where}, `));
    const change = JSON.parse(await json('vault_write', { path: 'Json.md', content: 'x\n', idempotency_key: `k${where}`, ...of }));
    const again = JSON.parse(await json('vault_write', { path: 'Json.md', content: 'x\n', idempotency_key: `k${where}`, ...of }));
    const undone = JSON.parse(await json('vault_undo', { change: change.change, ...of }));
    assert.deepEqual([change.vault, again.vault, again.repeated, undone.vault], [where, where, true, where]);
    const batch = JSON.parse(await json('vault_batch', { steps: [{ tool: 'vault_write', path: 'B.md', content: 'b\n' }], ...of }));
    assert.deepEqual([batch.vault, batch.steps[0].vault], [where, undefined]);
    const found = JSON.parse(await json('vault_search', { query: 'tulips', ...of }));
    assert.deepEqual([found.vaults_not_searched, found.not_searched], vault ? [undefined, undefined] : [1, ['home']]);
    assert[vault ? 'doesNotMatch' : 'match'](await text('vault_search', { query: 'tulips', ...of }), /not searched: home; vault '\*' searches all/);
  }
  const FOREIGN = {
    'obsidian-vault-mcp': ['note_upsert', { path: 'F.md', content: 'x' }],
    'vault-sync': ['vault_write', { path: 'F.md', content: 'x' }],
    'claude-desktop': ['create_note', { name: 'G', content: 'x' }],
    'vault-git': ['write_file', { path: 'F.md', content: 'x' }],
  };
  for (const [set, [tool, args]] of Object.entries(FOREIGN)) {
    const use = await all(['--tools', set]);
    assert.match(await use(tool, args), /\(vault work\)$/, set);
  }
  const one = startStdio(t, { vault: copyVault(t), args: ['--tools', 'vault-git'] });
  await one.initialize();
  assert.doesNotMatch(JSON.stringify((await one.call('write_file', { path: 'F.md', content: 'x' })).result), /vault work|\(vault/);
});
