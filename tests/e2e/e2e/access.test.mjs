// --read-only, --read-paths, --write-paths, --deny-paths: what is not allowed does not exist.
//
// The proof is a twin: one vault has the hidden notes, the other never had them, and both
// servers have the same settings. Whatever a client asks, it gets the same bytes from both.
import assert from 'node:assert/strict';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { EXAMPLE_VAULT, VAULTD, cleanEnv, run, settle, startStdio, tempDir } from '../support.mjs';

const WHEN = new Date('2026-01-02T03:04:05Z');
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

/* Hidden notes that try everything to be noticed. */
const HIDDEN = {
  'Private/Zephyr plan.md': '---\ntags: [zephyrtag, garden]\naliases: [Zephyr alias]\nstatus: zephyrstatus\n---\n# Zephyr heading\n\nzephyrword [[Home]] [[Cold frame]] [[Twice]] ^zephyrblock\n\n- [ ] zephyr task\n',
  'Private/Twice.md': 'The other one: [[Zephyr plan]]',
  'Private/Home.md': 'A second note of that name',
  'Private/CLAUDE.md': 'zephyrrules',
  'Private/Guide.md': '---\ndescription: zephyrguide\n---\n#claude',
  'Private/Ask.md': '---\ndescription: zephyrprompt\n---\n#prompt zephyrask {{thing}}',
  'Private/deep/zephyr.png': PNG,
  'Private/zephyr.canvas': '{"nodes":[{"id":"a","type":"file","file":"Home.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
  'Areas/zephyr.secret.md': 'zephyrword #zephyrtag [[Garden]] Cold frame',
};

/* Visible notes that mention the hidden ones. */
const SEEN = {
  'Links.md': '[[Zephyr plan]] [[Private/Zephyr plan]] [[Twice]] ![[zephyr.png]] [x](Private/Twice.md) [[zephyr.secret]] Zephyr plan, Zephyr alias and Twice. #linktag ^here\n\n## Zephyr plan\n',
  'Scratch/Twice.md': 'One of two [[Links]]',
};

const SETTINGS = ['--deny-paths', 'private,*.secret.md'];

function put(vault, files) {
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
    writeFileSync(path.join(vault, file), content);
  }
}

const walk = (dir, below = '') => readdirSync(path.join(dir, below)).sort().flatMap((name) => {
  const at = path.posix.join(below, name);
  return statSync(path.join(dir, at)).isDirectory() ? [at, ...walk(dir, at)] : [at];
});

const contents = (dir) => Object.fromEntries(walk(dir).filter((f) => statSync(path.join(dir, f)).isFile())
  .map((f) => [f, readFileSync(path.join(dir, f), 'latin1')]));

/** A copy of the example vault; all files have the same time, so that two copies look the same. */
function makeVault(t, ...more) {
  const vault = path.join(tempDir(t), 'vault');
  cpSync(EXAMPLE_VAULT, vault, { recursive: true });
  for (const files of more) put(vault, files);
  for (const file of walk(vault)) utimesSync(path.join(vault, file), WHEN, WHEN);
  return vault;
}

async function start(t, vault, args = SETTINGS) {
  const server = startStdio(t, { vault, args });
  await server.initialize();
  return { server, vault };
}

const twins = async (t, args = SETTINGS) =>
  [await start(t, makeVault(t, SEEN, HIDDEN), args), await start(t, makeVault(t, SEEN), args)];

/** Send the same request to both; the times of changes may differ. */
async function same(pair, method, params) {
  const answers = [];
  for (const { server } of pair) {
    const answer = await server.request(method, params, 1);
    answers.push(JSON.stringify(answer).replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, (when) => (when === '2026-01-02T03:04:05Z' ? when : 'now')).replace(/\b\d{15,16}\b/g, 'cursor'));
  }
  const what = `${method} ${JSON.stringify(params)}`;
  assert.equal(answers[0], answers[1], what);
  return JSON.parse(answers[0]);
}

/** The answer has no trace of hidden notes, except for the words of the request. */
function assertClean(answer, params) {
  const asked = JSON.stringify(params ?? {}).toLowerCase();
  const text = JSON.stringify(answer).toLowerCase();
  for (const trace of ['zephyrtag', 'zephyrword', 'zephyrstatus', 'zephyrrules', 'zephyrguide', 'zephyrprompt', 'zephyrask', 'zephyr heading', 'zephyr task'])
    if (!asked.includes(trace)) assert.ok(!text.includes(trace), `${trace} in ${text.slice(0, 500)}`);
}

const WORDS = ['Private/Zephyr plan.md', 'private/zephyr plan.md', 'Private/Zephyr plan', 'Zephyr plan', 'Zephyr alias', 'Private', 'private/', 'Private/deep',
  'Private/none.md', 'Private/deep/zephyr.png', 'Private/zephyr.canvas', 'Areas/zephyr.secret.md', 'zephyr.secret', 'Areas/none.secret.md', 'Twice', 'Home', 'Private/../Home.md'];

/** Calls of every tool that reads. */
function looks() {
  const calls = [['vault_info', {}], ['vault_list', { recursive: true }], ['vault_list', { recursive: true, tag: 'zephyrtag' }], ['vault_list', { recursive: true, path_filter: ['*.png', 'Private/**'] }],
    ['vault_list', {}], ['vault_list', { path: 'Areas' }], ['vault_query', { from: 'tags' }], ['vault_query', { from: 'properties' }], ['vault_list', { tag: 'garden' }],
    ['vault_context', {}], ['vault_changes', {}], ['vault_changes', { all: true }], ['vault_guide', { topic: 'links' }],
    ['vault_query', { where: 'status = "zephyrstatus"' }], ['vault_query', { count: true }], ['vault_query', { group: 'file.folder' }], ['vault_query', { from: 'tasks', count: true }],
    ['vault_query', { where: 'file.name contains "zephyr"', select: ['file.path', 'file.backlinks'] }], ['vault_query', { folder: 'Private' }],
    ['vault_links', { direction: 'unresolved' }], ['vault_links', { direction: 'orphans' }], ['vault_links', { path: 'Home.md' }], ['vault_links', { path: 'Links.md' }],
    ['vault_links', { path: 'Links.md', direction: 'neighbours', depth: 3 }], ['vault_links', { path: 'Projects/Cold frame.md', direction: 'mentions' }],
    ['vault_links', { path: 'Scratch/Twice.md', direction: 'mentions' }], ['vault_links', { path: 'Links.md', direction: 'path', to: 'Home.md' }],
    ['vault_read', { path: 'Links.md', view: 'links' }], ['vault_read', { path: 'Links.md' }], ['vault_read', { path: 'Home.md', paths: WORDS }]];
  calls.push(['vault_check', {}], ['vault_check', { folder: 'Private' }], ['vault_query', { dql: 'TABLE file.inlinks, status FROM #zephyrtag or "Private" or outgoing([[Links]])' }],
    ['vault_query', { base: 'filters: file.name.contains("ephyr") || file.hasTag("zephyrtag")\nviews:\n  - type: table\n    order: [file.path, file.backlinks]\n' }], ['vault_query', { base: 'views:\n  - {type: table, order: [file.links]}\n' }],
    ['vault_query', { from: 'tasks', where: 'blocked or due exists' }], ['vault_links', { path: 'Links.md', direction: 'related' }]);
  for (const mode of ['auto', 'names', 'text', 'words', 'regex', 'query'])
    for (const query of ['zephyrword', 'zephyr', 'Zephyr plan', 'cold frame', 'tag:zephyrtag', 'path:Private', 'Twice'])
      calls.push(['vault_search', { query, mode }], ['vault_search', { query, mode, folder: 'Private' }], ['vault_search', { query, mode, path_filter: ['Private/**'] }]);
  for (const word of WORDS) {
    calls.push(['vault_list', { path: word }], ['vault_list', { recursive: true, path: word }], ['vault_context', { path: word }], ['vault_links', { path: word }],
      ['vault_links', { path: 'Links.md', direction: 'path', to: word }], ['vault_links', { path: word, direction: 'mentions' }], ['vault_query', { where: `file.folder = "${word}"` }]);
    for (const view of ['text', 'outline', 'frontmatter', 'links']) calls.push(['vault_read', { path: word, view }]);
    calls.push(['vault_read', { path: word, section: 'Zephyr heading' }], ['vault_read', { path: word, block: 'zephyrblock' }]);
  }
  return calls;
}

/** Calls of every tool that changes notes, in a sensible order. */
function changes() {
  const calls = [];
  for (const word of WORDS) {
    calls.push(
      ['vault_write', { path: word, content: 'x' }], ['vault_write', { path: word, content: 'x', overwrite: true }], ['vault_write', { path: word, content: 'x', create_dirs: false }],
      ['vault_write', { path: word, content: 'x', if_match: '0000000000000000' }], ['vault_write', { path: word, content: 'x', overwrite: true, dry_run: true }],
      ['vault_write', { path: `${word}/new.md`, content: 'x', dry_run: true }],
      ['vault_edit', { path: word, old_text: 'zephyrword', new_text: 'y' }], ['vault_insert', { path: word, content: 'y' }], ['vault_insert', { path: word, content: 'y', create: true, dry_run: true }],
      ['vault_task', { path: word, text: 'zephyrword', status: 'done' }], ['vault_task', { path: word, add: 'y', dry_run: true }], ['vault_task', { path: 'Projects/Cold frame.md', line: 25, to: word, dry_run: true }],
      ['vault_canvas', { path: word, steps: [{ change: 'b7d1000000000004', text: 'y' }], dry_run: true }],
      ['vault_canvas', { path: 'Canvas/Garden year.canvas', steps: [{ change: 'b7d1000000000005', file: word }], dry_run: true }],
      ['vault_frontmatter', { path: word, set: { a: 1 } }], ['vault_move', { path: word, to: 'Elsewhere.md', dry_run: true }], ['vault_move', { path: 'Inbox.md', to: word, dry_run: true }],
      ['vault_move', { path: 'Inbox.md', to: `${word}/`, dry_run: true }], ['vault_move', { path: word, heading: 'Zephyr heading', to: 'Other' }], ['vault_move', { path: word, block: 'zephyrblock', to: 'other' }],
      ['vault_delete', { path: word, dry_run: true }], ['vault_delete', { path: word, recursive: true, dry_run: true }], ['vault_delete', { path: word, unlink: true, dry_run: true }],
      ['vault_delete', { path: word, permanent: true, recursive: true, dry_run: true }], ['vault_delete', { path: word, restore: true }], ['vault_delete', { path: 'Inbox.md', restore: true, to: word }],
      ['vault_delete', { path: 'Inbox.md', links_to: word, dry_run: true }], ['vault_frontmatter', { paths: ['Inbox.md', word], set: { a: 1 } }],
      ['vault_batch', { steps: [{ tool: 'vault_insert', path: 'Inbox.md', content: 'y' }, { tool: 'vault_edit', path: word, old_text: 'zephyrword', new_text: 'y' }] }],
      ['vault_batch', { steps: [{ tool: 'vault_move', path: 'Inbox.md', to: 'In.md' }, { tool: 'vault_move', path: word, to: 'Elsewhere.md' }], dry_run: true }]);
  }
  calls.push(['vault_delete', { restore: true }], ['vault_frontmatter', { where: 'zephyr exists', set: { a: 1 } }]);
  calls.push(['vault_move', { tag: 'zephyrtag', to: 'other' }], ['vault_move', { tag: 'garden', to: 'gardening' }], ['vault_move', { path: 'Projects/Cold frame.md', to: 'Projects/Hot frame.md' }],
    ['vault_move', { path: 'Home.md', to: 'House.md' }], ['vault_move', { path: 'Areas', to: 'Zones' }], ['vault_delete', { path: 'Areas', recursive: true }], ['vault_delete', { path: 'Areas', recursive: true, confirm: 11 }],
    ['vault_delete', { path: 'Scratch/Twice.md', unlink: true }], ['vault_daily', { date: '2026-11-16' }], ['vault_daily', { date: '2026-11-16', append: 'z' }],
    ['vault_write', { path: 'Twice.md', content: '[[Twice]] [[Zephyr plan]]', overwrite: true }], ['vault_undo', {}], ['vault_undo', { change: 999 }], ['vault_changes', {}], ['vault_changes', { since: 1 }], ['vault_changes', { all: true }], ['vault_info', {}]);
  return calls;
}

test('no tool distinguishes a hidden note from a missing one', async (t) => {
  const pair = await twins(t);
  const { result: { tools } } = await same(pair, 'tools/list');
  const used = new Set();
  for (const [name, args] of [...looks(), ...changes(), ...looks()]) {
    if (name === 'vault_info' && used.has('vault_undo')) continue; // the age of the newest file differs
    used.add(name);
    assertClean(await same(pair, 'tools/call', { name, arguments: args }), args);
  }
  assert.deepEqual(tools.map((tool) => tool.name).filter((name) => !used.has(name)), []);
  const [there, never] = pair.map(({ vault }) => contents(vault));
  for (const [file, content] of Object.entries(HIDDEN)) {
    assert.equal(there[file], Buffer.from(content).toString('latin1'), `${file} is untouched`);
    delete there[file];
  }
  assert.deepEqual(there, never);
});

test('no resource, template, prompt or completion distinguishes them either', async (t) => {
  const pair = await twins(t);
  const { result: { prompts } } = await same(pair, 'prompts/list');
  await same(pair, 'resources/templates/list');
  const listed = await same(pair, 'resources/list');
  assertClean(listed);
  assert.ok(listed.result.resources.length > 20 && !JSON.stringify(listed).includes('Private'));
  for (const word of [...WORDS, 'Home.md', 'Links.md']) {
    const uri = `vault:///${word.split('/').map(encodeURIComponent).join('/')}`;
    assertClean(await same(pair, 'resources/read', { uri }));
    await same(pair, 'resources/subscribe', { uri });
    for (const { name, arguments: fields = [] } of prompts) {
      const args = Object.fromEntries(fields.map((f) => [f.name, word]));
      assertClean(await same(pair, 'prompts/get', { name, arguments: args }));
    }
  }
  assertClean(await same(pair, 'prompts/get', { name: 'Ask', arguments: { thing: 'x' } }));
  for (const value of ['', 'z', 'zephyr', 'Private/', 'priv', 'Tw', 'zephyrt', 'areas/z']) {
    assertClean(await same(pair, 'completion/complete', { ref: { type: 'ref/resource', uri: 'vault:///{+path}' }, argument: { name: 'path', value } }), { value });
    for (const { name, arguments: fields = [] } of prompts)
      for (const field of fields)
        assertClean(await same(pair, 'completion/complete', { ref: { type: 'ref/prompt', name }, argument: { name: field.name, value } }), { value });
  }
});

/* --- what notes say themselves (docs/access.md): the same twins, without any setting --- */

/** A whole folder is hidden by its rule, other notes by their property, in several spellings. */
const OWN_WORDS = { ...HIDDEN, 'Private/_policy.md': '---\nai: hidden\n---\nzephyrword', 'Areas/zephyr.secret.md': `---\r\nAI: [Hidden]\r\n---\r\n${HIDDEN['Areas/zephyr.secret.md']}`,
  'Areas/zephyrbroken.md': '---\nx: [\nai: hidden\ntags: zephyrtag\n---\nzephyrword [[Home]] Zephyr alias', 'Zephyrask.md': '---\nai: hidden\ndescription: zephyrprompt\n---\n#prompt zephyrask {{thing}}' };

const policyTwins = (t) => Promise.all([[SEEN, OWN_WORDS], [SEEN]].map((files) => makeVault(t, ...files)).map((vault) => start(t, vault, [])));

test('no tool distinguishes a note that its owner has hidden from a missing one', async (t) => {
  const pair = await policyTwins(t);
  for (const [name, args] of looks()) assertClean(await same(pair, 'tools/call', { name, arguments: args }), args);
  // what changes visible notes, their links and tags has the same outcome
  const visible = [['vault_move', { tag: 'garden', to: 'gardening' }], ['vault_move', { path: 'Projects/Cold frame.md', to: 'Projects/Hot frame.md' }], ['vault_move', { path: 'Home.md', to: 'House.md' }],
    ['vault_frontmatter', { where: 'zephyr exists', set: { a: 1 } }], ['vault_delete', { path: 'Scratch/Twice.md', unlink: true }], ['vault_undo', {}], ['vault_changes', {}], ['vault_delete', { restore: true }]];
  for (const [name, args] of visible) assertClean(await same(pair, 'tools/call', { name, arguments: args }), args);
  for (const [name, args] of looks()) if (name !== 'vault_info') assertClean(await same(pair, 'tools/call', { name, arguments: args }), args);
  const there = contents(pair[0].vault), never = contents(pair[1].vault);
  for (const [file, content] of Object.entries(OWN_WORDS)) {
    assert.equal(there[file], Buffer.from(content).toString('latin1'), `${file} is untouched`);
    delete there[file];
  }
  assert.deepEqual(there, never);
});

test('nor does a resource, prompt or completion', async (t) => {
  const pair = await policyTwins(t);
  const { result: { prompts } } = await same(pair, 'prompts/list');
  assertClean(await same(pair, 'resources/list'));
  for (const word of [...WORDS, 'Zephyrask.md', 'Areas/zephyrbroken.md', 'Home.md', 'Links.md']) {
    assertClean(await same(pair, 'resources/read', { uri: `vault:///${word.split('/').map(encodeURIComponent).join('/')}` }), { word });
    for (const { name, arguments: fields = [] } of prompts)
      assertClean(await same(pair, 'prompts/get', { name, arguments: Object.fromEntries(fields.map((f) => [f.name, word])) }), { word });
  }
  for (const value of ['', 'z', 'zephyr', 'Private/', 'priv', 'Tw', 'areas/z'])
    for (const ref of [{ type: 'ref/resource', uri: 'vault:///{+path}', field: 'path' }, ...prompts.flatMap(({ name, arguments: fields = [] }) => fields.map((f) => ({ type: 'ref/prompt', name, field: f.name })))]) {
      const { field, ...to } = ref;
      assertClean(await same(pair, 'completion/complete', { ref: to, argument: { name: field, value } }), { value });
    }
});

test('a note that is hidden while a client reads it is gone at once, and the owner still has it', async (t) => {
  const vault = makeVault(t, SEEN), { server } = await start(t, vault, []);
  const text = async (name, args) => (await server.call(name, args)).result.content[0].text;
  assert.match(await text('vault_read', { path: 'Links.md' }), /Zephyr plan/);
  put(vault, { 'Links.md': '---\nai: hidden\n---\nzephyrword' });
  assert.equal(JSON.parse(await text('vault_read', { path: 'Links.md' })).error.code, 'FILE_NOT_FOUND');
  for (const [name, args] of [['vault_write', { path: 'Links.md', content: 'x', overwrite: true }], ['vault_write', { path: 'New/_policy.md', content: 'x' }]])
    assert.equal(JSON.parse(await text(name, args)).error.code, 'PATH_NOT_ALLOWED');
  for (const [name, args] of [['vault_write', { path: 'New.md', content: '---\nai: hidden\n---\n' }], ['vault_frontmatter', { path: 'Home.md', set: { ai: 'read-only' } }],
    ['vault_batch', { steps: [{ tool: 'vault_frontmatter', path: 'Home.md', set: { llm: 'hidden' } }, { tool: 'vault_move', property: 'llm', to: 'ai' }] }]])
    assert.equal(JSON.parse(await text(name, args)).error.code, 'POLICY_NOT_ALLOWED', name);
  const owner = await run(VAULTD, ['read', 'Links.md', '--vault-path', vault], { env: cleanEnv(tempDir(t)) });
  assert.match(owner.stdout, /zephyrword/);
});

test('changes to hidden notes are not reported', async (t) => {
  const folder = makeVault(t, SEEN, HIDDEN);
  settle(folder);
  const { server, vault } = await start(t, folder);
  await server.request('resources/subscribe', { uri: 'vault:///' });
  await server.call('vault_info'); // the index is ready
  put(vault, { 'Private/Zephyr plan.md': 'changed', 'Private/new.md': 'new', 'Areas/new.secret.md': 'new' });
  put(vault, { 'Seen.md': 'new' });
  await server.take('the visible one', (m) => m.method === 'notifications/resources/updated' && m.params.uri === 'vault:///Seen.md');
  const updated = server.messages.filter((m) => m.method === 'notifications/resources/updated').map((m) => m.params.uri);
  assert.deepEqual([...new Set(updated)], ['vault:///Seen.md']);
});

test('read-paths: only these files exist', async (t) => {
  const args = ['--read-paths', 'Projects,Areas/Garden/', '--read-paths', 'Journal/2026-*'];
  const { server } = await start(t, makeVault(t, SEEN, HIDDEN), args);
  const call = async (name, a) => JSON.parse((await server.call(name, a)).result.content[0].text);
  const { files } = await call('vault_list', { recursive: true });
  assert.ok(files.length > 3);
  for (const { path: file } of files) assert.match(file, /^(Projects|Areas\/Garden)\/|^Journal\/2026-/);
  assert.deepEqual((await call('vault_list', {})).entries.map((e) => e.name), [...new Set(files.map((f) => f.path.split('/')[0]))].sort());
  assert.deepEqual((await call('vault_list', { path: 'Areas' })).entries.map((e) => e.name), ['Garden']);
  assert.equal((await call('vault_read', { path: 'Home.md' })).error.code, 'FILE_NOT_FOUND');
  assert.equal((await call('vault_write', { path: 'Home.md', content: 'x' })).error.code, 'PATH_NOT_ALLOWED');
  assert.equal((await call('vault_write', { path: 'Other/None.md', content: 'x' })).error.message, "'Other/None.md' may not be written: only in Areas/Garden, Journal/2026-*, Projects");
});

test('write-paths: only these files can be changed', async (t) => {
  const vault = makeVault(t, { 'A.md': '[[B]]', 'Drop/B.md': 'b' });
  const { server } = await start(t, vault, ['--write-paths', 'Drop']);
  const call = async (name, a) => JSON.parse((await server.call(name, a)).result.content[0].text);
  const info = await call('vault_info', {});
  assert.deepEqual([info.can_change, info.writable], [true, 'Drop']);
  const before = contents(vault);
  for (const [name, args] of [['vault_write', { path: 'A.md', content: 'x' }], ['vault_write', { path: 'none.md', content: 'x' }], ['vault_edit', { path: 'A.md', old_text: 'B', new_text: 'C' }],
    ['vault_insert', { path: 'A.md', content: 'x' }], ['vault_frontmatter', { path: 'A.md', set: { a: 1 } }], ['vault_move', { path: 'A.md', to: 'Drop/' }], ['vault_move', { path: 'Drop/B.md', to: 'C.md' }],
    ['vault_move', { path: 'Drop/B.md', to: 'Drop/C.md' }], ['vault_move', { path: 'Drop/B.md', to: 'Drop/C.md', dry_run: true }], ['vault_delete', { path: 'A.md' }], ['vault_delete', { path: 'Areas', recursive: true }]]) {
    const { error } = await call(name, args);
    assert.equal(error?.code, 'PATH_NOT_ALLOWED', `${name} ${JSON.stringify(args)} ${JSON.stringify(error)}`);
  }
  assert.deepEqual(contents(vault), before);
  assert.match((await call('vault_move', { path: 'Drop/B.md', to: 'Drop/C.md' })).error.message, /'A\.md'.*keep_links/);
  assert.equal((await call('vault_move', { path: 'Drop/B.md', to: 'Drop/C.md', keep_links: true })).rewritten_links, 0);
  assert.equal(readFileSync(path.join(vault, 'A.md'), 'utf8'), '[[B]]');
  assert.equal((await call('vault_delete', { path: 'Drop/C.md' })).deleted, true);
  assert.equal((await call('vault_undo', {})).files.length > 0, true);
  assert.ok(existsSync(path.join(vault, 'Drop/C.md')));
});

test('SEC-122 read-only: tools that change the vault are neither listed nor callable', async (t) => {
  const vault = makeVault(t);
  const before = contents(vault);
  const server = startStdio(t, { vault, env: { READ_ONLY: 'true' } });
  const { instructions } = await server.initialize();
  assert.match(instructions, /This vault is read-only/);
  const all = (await startStdio(t).modern('tools/list')).result.tools;
  const { result: { tools } } = await server.request('tools/list');
  assert.ok(tools.length > 5 && tools.every((tool) => tool.annotations.readOnlyHint));
  for (const { name } of all.filter((tool) => !tools.some((kept) => kept.name === tool.name))) {
    const answer = await server.request('tools/call', { name, arguments: { path: 'Home.md', content: 'x' } });
    assert.equal(answer.error?.message, `Unknown tool: ${name}`);
  }
  const info = JSON.parse((await server.call('vault_info')).result.content[0].text);
  assert.equal(info.can_change, false);
  assert.match(info.why_not, /read-only/);
  assert.deepEqual(contents(vault), before);
});

test('a vault on a read-only mount can be read', { skip: process.getuid() === 0 && 'root writes anywhere' }, async (t) => {
  const vault = makeVault(t);
  chmodSync(vault, 0o555);
  try {
    const { server } = await start(t, vault, []);
    assert.equal(JSON.parse((await server.call('vault_read', { path: 'Home.md' })).result.content[0].text).path, 'Home.md');
  } finally {
    chmodSync(vault, 0o755); // before the folder is removed
  }
});

test('a symbolic link does not bypass the restrictions', async (t) => {
  const vault = makeVault(t, HIDDEN);
  symlinkSync('Private/Zephyr plan.md', path.join(vault, 'way.md'));
  symlinkSync('Private', path.join(vault, 'ways'));
  const { server } = await start(t, vault);
  for (const file of ['way.md', 'ways/Zephyr plan.md', 'ways'])
    assert.equal(JSON.parse((await server.call('vault_read', { path: file })).result.content[0].text).error.code, 'FILE_NOT_FOUND', file);
  assert.equal(JSON.parse((await server.call('vault_search', { query: 'zephyrword' })).result.content[0].text).total_matches, 0);
  assert.equal(JSON.parse((await server.call('vault_write', { path: 'ways/new.md', content: 'x' })).result.content[0].text).error.code, 'PATH_NOT_ALLOWED');
  assert.ok(!existsSync(path.join(vault, 'Private/new.md')));
});

test('the command line obeys the same settings', async (t) => {
  const vault = makeVault(t, SEEN, HIDDEN), before = contents(vault);
  const cli = (args, env = {}) => run(VAULTD, [...args, '--vault-path', vault], { env: cleanEnv(tempDir(t), { DENY_PATHS: 'private', ...env }) });
  assert.equal((await cli(['search', 'zephyrstatus'])).stdout, '');
  assert.equal((await cli(['list'])).stdout.includes('Private'), false);
  const [hidden, missing] = [await cli(['read', 'Private/Zephyr plan.md']), await cli(['read', 'Private/Xephyr plan.md'])];
  assert.equal(hidden.code, missing.code);
  assert.match((await cli(['write', 'Private/x.md', 'x'])).stderr, /'Private\/x\.md' may not be written/);
  for (const verb of [['write', 'x.md', 'x'], ['delete', 'Home.md'], ['move', 'Home.md', 'House.md'], ['undo']]) {
    const end = await cli(verb, { READ_ONLY: '1' });
    assert.equal(end.code, 1, verb.join(' '));
    assert.match(end.stderr, /^vaultd: this vault is read-only: [^\n]*\n$/);
  }
  assert.deepEqual(contents(vault), before);
});

test('an invalid path is named at startup', async (t) => {
  for (const [args, message] of [[['--deny-paths', '../x'], /'\.\.\/x'/], [['--read-paths', '!a*'], /deny-paths/], [['--write-paths', '.obsidian'], /'\.obsidian'/]]) {
    const end = await run(VAULTD, ['serve', '--stdio', ...args, EXAMPLE_VAULT], { env: cleanEnv(tempDir(t)) });
    assert.equal(end.code, 2);
    assert.match(end.stderr, message);
  }
});
