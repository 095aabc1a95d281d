// The contract of the profile claude-desktop: fifteen tools that find notes by name, over stdio,
// with the user's notes for Claude in the first result and known tags only.
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Session, VAULTD, cleanEnv, run, startHttp, startStdio, tempDir } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const DESKTOP = CONNECTIONS.find((row) => row.name === 'SDK v1 over stdio');
const PROFILE = ['--profile', 'claude-desktop'];
const BEGIN = '\n\n---\n## Your personal notes\n\n';

function makeVault(t, files) {
  const vault = path.join(tempDir(t), 'Notes');
  mkdirSync(vault);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
    writeFileSync(path.join(vault, file), text);
  }
  return vault;
}

/** A client of a server with these files; call() returns the text of an answer. */
async function open(t, files, { args = [], fresh = false } = {}) {
  const vault = makeVault(t, files);
  const sdk = await connect(t, DESKTOP, { vault, args: [...PROFILE, ...args] });
  const raw = (name, input = {}) => sdk.call({ name, arguments: input });
  const one = async (name, input) => {
    const { content, isError, structuredContent } = await raw(name, input);
    assert.equal(content.length, 1, JSON.stringify(content));
    assert.equal(content[0].type, 'text');
    assert.equal(structuredContent, undefined);
    return { text: content[0].text, isError: isError === true };
  };
  const call = async (name, input) => {
    const { text, isError } = await one(name, input);
    assert.ok(!isError, `${name}: ${text}`);
    return text;
  };
  if (!fresh) await call('list_notes', { limit: 1 }); // has the auto-context
  return {
    vault, sdk, raw, call,
    json: async (name, input) => JSON.parse(await call(name, input)),
    fails: async (name, input) => {
      const { text, isError } = await one(name, input);
      assert.ok(isError, `${name} did not fail: ${text}`);
      return text;
    },
    file: (name) => readFileSync(path.join(vault, name), 'utf8'),
    write: (name, text) => writeFileSync(path.join(vault, name), text),
  };
}

const TOOLS = {
  read_note: ['name'],
  create_note: ['name', 'content', 'frontmatter'],
  append_note: ['name', 'text'],
  update_note: ['name', 'content'],
  delete_note: ['name', 'dry_run'],
  rename_note: ['old_name', 'new_name', 'dry_run'],
  search_notes: ['query', 'mode'],
  get_links: ['name', 'direction'],
  get_frontmatter: ['name'],
  set_frontmatter: ['name', 'key', 'value'],
  list_notes: ['limit', 'offset'],
  replace_note: ['name', 'old_text', 'new_text', 'replace_all'],
  insert_note: ['name', 'text', 'before', 'after'],
  read_section: ['name', 'section'],
  append_section: ['name', 'section', 'text'],
};

/* --- the server --- */

test('S3-01 S3-02 S3-19 the entry in claude_desktop_config.json works with env alone', async (t) => {
  const vault = makeVault(t, { 'Hello.md': 'hi\n' });
  const home = tempDir(t);
  const entry = { command: VAULTD, env: { OBSIDIAN_VAULT_PATH: vault, VAULTD_PROFILE: 'claude-desktop' } };
  const client = new Client({ name: 'claude-desktop', version: '1' });
  await client.connect(new StdioClientTransport({ command: entry.command, args: [], env: cleanEnv(home, entry.env), stderr: 'ignore' }), { timeout: 120_000 });
  t.after(() => client.close());
  const answer = await client.callTool({ name: 'read_note', arguments: { name: 'Hello' } }, undefined, { timeout: 120_000 });
  assert.ok(answer.content[0].text.startsWith('hi\n'));
});

test('S3-40 without a vault the server does not start, and says why', async (t) => {
  const home = tempDir(t);
  for (const [env, why] of [
    [{}, /vault/],
    [{ OBSIDIAN_VAULT_PATH: path.join(home, 'nowhere') }, /nowhere/],
  ]) {
    const end = await run(VAULTD, [], { env: cleanEnv(home, { VAULTD_PROFILE: 'claude-desktop', ...env }) });
    assert.notEqual(end.code, 0);
    assert.match(end.stderr, why);
    assert.equal(end.stdout, '');
  }
});

test('S3-03 S3-37 S3-38 exactly the fifteen tools with their arguments, and no batch', async (t) => {
  const { sdk } = await open(t, {});
  const { tools } = await sdk.client.listTools();
  assert.deepEqual(tools.map((tool) => [tool.name, Object.keys(tool.inputSchema.properties)]), Object.entries(TOOLS));
  const required = Object.fromEntries(tools.map((tool) => [tool.name, tool.inputSchema.required ?? []]));
  assert.deepEqual(required.create_note, ['name']);
  assert.deepEqual(required.insert_note, ['name', 'text']);
  assert.deepEqual(required.list_notes, []);
  const { properties } = tools.find((tool) => tool.name === 'create_note').inputSchema;
  assert.equal(properties.frontmatter.type, 'string');
  const capabilities = sdk.client.getServerCapabilities();
  assert.deepEqual(Object.keys(capabilities).filter((name) => name === 'prompts' || name === 'resources'), []);
});

test('S3-22 S3-29 S3-30 S3-48 instructions contain base rules only: neither notes nor CLAUDE.md', async (t) => {
  const { sdk, call } = await open(t, {
    'CLAUDE.md': 'SECRET RULE\n',
    'Style.md': '---\ntags: [claude]\ndescription: Read it first\n---\n',
  }, { fresh: true });
  const instructions = sdk.client.getInstructions();
  assert.match(instructions, /read_note/);
  assert.doesNotMatch(instructions, /SECRET|Read it first|vault_/);
  assert.doesNotMatch(await call('list_notes'), /SECRET/);
});

test('S3-20 S3-21 S3-39 answers are JSON text, errors are tool errors with plain text', async (t) => {
  const { json, fails } = await open(t, { 'A.md': 'a\n' });
  assert.equal(typeof (await json('get_links', { name: 'A' })), 'object');
  const text = await fails('read_note', { name: 'Missing' });
  assert.throws(() => JSON.parse(text));
  assert.match(text, /not found.*Missing/i);
  assert.match(await fails('read_note', {}), /name/);
  assert.doesNotMatch(text, /vault_/);
});

/* --- names --- */

test('S3-52 a note is identified by its name, its path, or its path without .md', async (t) => {
  const { call, fails, write } = await open(t, {
    'Projects/My big plan.md': 'plan\n', 'Версия 1.2.md': 'v\n', 'A/Twin.md': 'a\n', 'B/Twin.md': 'b\n', 'Pic.png': 'x',
    'Top.md': 'top\n', 'Deep/Top.md': 'deep\n',
  });
  for (const name of ['My big plan', 'my BIG plan', 'Projects/My big plan', 'Projects/My big plan.md', '/Projects/My big plan.md', '[[My big plan]]'])
    assert.equal(await call('read_note', { name }), 'plan\n', name);
  assert.equal(await call('read_note', { name: 'Версия 1.2' }), 'v\n');
  const twins = await fails('read_note', { name: 'Twin' });
  assert.match(twins, /A\/Twin\.md/);
  assert.match(twins, /B\/Twin\.md/);
  assert.equal(await call('read_note', { name: 'B/Twin' }), 'b\n');
  assert.equal(await call('read_note', { name: 'Top' }), 'top\n');
  assert.match(await fails('read_note', { name: 'Pic.png' }), /not a note/);
  assert.match(await fails('read_note', { name: 'my big pla' }), /My big plan/);
  write('New.md', 'new\n');
  assert.equal(await call('read_note', { name: 'New' }), 'new\n');
});

test('hidden files and paths that leave the vault are refused by every tool', async (t) => {
  const { fails } = await open(t, { 'A.md': 'a\n', '.obsidian/app.json': '{}', '.hidden/B.md': 'b\n' });
  for (const name of ['.obsidian/app.json', '.hidden/B', '.hidden/B.md', '../Notes/A', '..'])
    for (const [tool, fields] of Object.entries(TOOLS)) {
      if (!fields.includes('name') && tool !== 'rename_note') continue;
      const rest = { content: 'x', text: 'x', key: 'k', value: 'v', old_text: 'a', new_text: 'b', before: 'a', section: 's', old_name: name, new_name: 'N' };
      const input = Object.fromEntries(fields.filter((f) => f in rest).map((f) => [f, rest[f]]));
      await fails(tool, 'old_name' in input ? input : { ...input, name });
    }
  assert.match(await fails('rename_note', { old_name: 'A', new_name: '.trash/A' }), /./);
});

/* --- reading --- */

test('S3-04 read_note returns the whole text, frontmatter and body, byte for byte', async (t) => {
  const text = '\ufeff---\r\ntags: [a]\r\n---\r\nbody  \r\n\r\nend without break';
  const { call } = await open(t, { 'Odd.md': text, 'Empty.md': '' });
  assert.equal(await call('read_note', { name: 'Odd' }), text);
  assert.equal(await call('read_note', { name: 'Empty' }), '');
});

test('a note that is too long for an answer is an error that says what to do', async (t) => {
  const { call, fails } = await open(t, { 'Long.md': `# A\n${'x'.repeat(79).concat('\n').repeat(14000)}# B\nshort\n` });
  assert.match(await fails('read_note', { name: 'Long' }), /read_section/);
  assert.equal(await call('read_section', { name: 'Long', section: 'B' }), 'short');
});

test('S3-17 S3-46 read_section returns a section as plain text, without its heading', async (t) => {
  const { call, fails } = await open(t, { 'N.md': '---\na: 1\n---\nlead\n\n# One\n\nfirst\n\n## Sub\nsub\n\n# Two\nsecond\n\nSetext\n======\nunder\n\n# Empty\n' });
  assert.equal(await call('read_section', { name: 'N', section: 'One' }), 'first\n\n## Sub\nsub');
  assert.equal(await call('read_section', { name: 'N', section: '## Sub' }), 'sub');
  assert.equal(await call('read_section', { name: 'N', section: 'Two' }), 'second');
  assert.equal(await call('read_section', { name: 'N', section: 'Setext' }), 'under');
  assert.equal(await call('read_section', { name: 'N', section: 'Empty' }), '');
  assert.match(await fails('read_section', { name: 'N', section: 'Three' }), /Three.*not found/);
});

test('S3-14 S3-36 S3-50 list_notes returns names without paths, 100 from 0 on by default', async (t) => {
  const files = Object.fromEntries(Array.from({ length: 130 }, (_, i) => [`Folder ${i % 3}/Note ${String(i).padStart(3, '0')}.md`, 'x\n']));
  const { json, fails } = await open(t, { ...files, 'pic.png': 'x', '.trash/Gone.md': 'x' });
  const first = await json('list_notes');
  assert.equal(first.notes.length, 100);
  assert.equal(first.total, 130);
  assert.ok(first.notes.every((name) => /^Note \d+$/.test(name)));
  const rest = await json('list_notes', { offset: 100 });
  assert.equal(rest.notes.length, 30);
  assert.equal(new Set([...first.notes, ...rest.notes]).size, 130);
  assert.deepEqual((await json('list_notes', { limit: 2, offset: 1 })).notes, first.notes.slice(1, 3));
  assert.deepEqual((await json('list_notes', { offset: 5000 })).notes, []);
  assert.match(await fails('list_notes', { limit: -1 }), /limit/);
});

test('S3-10 search_notes supports name, name_partial, content and tag', async (t) => {
  const { json, fails } = await open(t, {
    'Garden plan.md': 'Tomatoes and #veg/tomato\n',
    'Plan.md': '---\ntags: [veg]\n---\nthe garden\n',
    'Сад.md': 'Помидоры, [x] (a.b)\n',
    'a.txt': 'tomatoes\n',
  });
  const names = async (query, mode) => (await json('search_notes', { query, ...(mode ? { mode } : {}) })).results.map((r) => r.name);
  assert.deepEqual(await names('plan', 'name'), ['Plan']);
  assert.deepEqual(await names('plan', 'name_partial'), ['Garden plan', 'Plan']);
  assert.deepEqual(await names('САД', 'name'), ['Сад']);
  assert.deepEqual(await names('tomatoes', 'content'), ['Garden plan']);
  assert.deepEqual(await names('garden', 'content'), ['Plan']);
  assert.deepEqual(await names('[x] (a.b)', 'content'), ['Сад']);
  assert.deepEqual(await names('veg', 'tag'), ['Garden plan', 'Plan']);
  assert.deepEqual(await names('#veg/tomato', 'tag'), ['Garden plan']);
  assert.deepEqual((await names('garden')).sort(), ['Garden plan', 'Plan']);
  assert.deepEqual(await names('nothing like it', 'content'), []);
  assert.deepEqual(await json('search_notes', { query: 'plan', mode: 'name' }), { results: [{ name: 'Plan', path: 'Plan.md' }], total: 1 });
  assert.match(await fails('search_notes', { query: 'x', mode: 'regex' }), /name_partial/);
});

test('a search with many matches shows some and says how many there are', async (t) => {
  const { json } = await open(t, Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`N${i}.md`, 'word #t\n'])));
  for (const [query, mode] of [['N', 'name_partial'], ['word', 'content'], ['t', 'tag'], ['word', undefined]]) {
    const answer = await json('search_notes', { query, ...(mode ? { mode } : {}) });
    assert.equal(answer.results.length, 100, mode);
    assert.equal(answer.total, 120, mode);
    assert.match(answer.note, /Not all/);
  }
});

test('S3-11 get_links returns incoming and outgoing links', async (t) => {
  const { json, fails } = await open(t, {
    'Hub.md': '[[A]] [[A|again]] [[Nowhere]] [md](B%20b.md)\n', 'A.md': 'back to [[Hub]]\n', 'B b.md': '![[Hub]]\n', 'C.md': 'none\n',
  });
  const both = await json('get_links', { name: 'Hub' });
  assert.deepEqual(both.incoming.map((l) => l.name), ['A', 'B b']);
  assert.deepEqual(both.outgoing, [
    { name: 'A', path: 'A.md', count: 2 }, { name: 'B b', path: 'B b.md', count: 1 }, { name: 'Nowhere', exists: false, count: 1 },
  ]);
  assert.deepEqual(Object.keys(await json('get_links', { name: 'Hub', direction: 'incoming' })), ['name', 'path', 'incoming']);
  assert.deepEqual((await json('get_links', { name: 'C', direction: 'outgoing' })).outgoing, []);
  assert.match(await fails('get_links', { name: 'Hub', direction: 'sideways' }), /incoming, outgoing, both/);
});

test('S3-12 get_frontmatter returns the frontmatter as JSON', async (t) => {
  const { json, fails } = await open(t, {
    'P.md': '---\ntags: [a, b]\nn: 5\nok: true\nwhen: 2024-05-01\nup: "[[Q]]"\nempty:\ndeep: {x: [1]}\n---\n', 'Q.md': 'none\n', 'Bad.md': '---\na: [\n---\n',
  });
  assert.deepEqual(await json('get_frontmatter', { name: 'P' }),
    { tags: ['a', 'b'], n: 5, ok: true, when: '2024-05-01', up: '[[Q]]', empty: null, deep: { x: [1] } });
  assert.deepEqual(await json('get_frontmatter', { name: 'Q' }), {});
  assert.match(await fails('get_frontmatter', { name: 'Bad' }), /line 3/);
});

/* --- changing --- */

test('S3-05 S3-37 create_note takes content, and frontmatter as a JSON string', async (t) => {
  const { json, fails, file } = await open(t, {});
  const made = await json('create_note', { name: 'Идея', content: 'текст\n', frontmatter: '{"tags": ["one"], "n": 5, "aliases": "x"}' });
  assert.deepEqual(made, { name: 'Идея', path: 'Идея.md', created: true });
  assert.equal(file('Идея.md').replace(/\r/g, ''), '---\ntags:\n  - one\nn: 5\naliases:\n  - x\n---\nтекст\n');
  await json('create_note', { name: 'Folder/Sub/Deep note', content: 'x' });
  assert.equal(file('Folder/Sub/Deep note.md'), 'x');
  await json('create_note', { name: 'v1.2' });
  assert.equal(file('v1.2.md'), '');
  await json('create_note', { name: 'Obj', frontmatter: { status: 'new' } });
  assert.equal(file('Obj.md'), '---\nstatus: new\n---\n');
  await json('create_note', { name: 'Both', content: '---\na: 1\n---\nbody\n', frontmatter: '{"b": 2}' });
  assert.equal(file('Both.md'), '---\na: 1\nb: 2\n---\nbody\n');
  await json('create_note', { name: 'None', content: 'x\n', frontmatter: '' });
  assert.equal(file('None.md'), 'x\n');
  assert.match(await fails('create_note', { name: 'Bad', frontmatter: 'tags: a' }), /JSON/);
  assert.match(await fails('create_note', { name: 'Bad', frontmatter: '[1]' }), /JSON/);
});

test('S3-05 create_note refuses a name that is taken, and changes nothing', async (t) => {
  const { fails, file, json } = await open(t, { 'Work/Plan.md': 'mine\n', 'Top.md': 'top\n' });
  assert.match(await fails('create_note', { name: 'Plan', content: 'x' }), /Work\/Plan\.md/);
  assert.match(await fails('create_note', { name: 'top', content: 'x' }), /exists/);
  assert.match(await fails('create_note', { name: 'Work/Plan.md', content: 'x' }), /exists/);
  assert.equal(file('Work/Plan.md'), 'mine\n');
  assert.equal(file('Top.md'), 'top\n');
  await json('create_note', { name: 'Home/Plan', content: 'x' });
});

test('a new note goes where Obsidian\'s settings say', async (t) => {
  const { json } = await open(t, { '.obsidian/app.json': '{"newFileLocation":"folder","newFileFolderPath":"Inbox"}' });
  assert.equal((await json('create_note', { name: 'Fresh' })).path, 'Inbox/Fresh.md');
  assert.equal((await json('create_note', { name: '/Rooted' })).path, 'Rooted.md');
});

test('S3-06 append_note adds at the end', async (t) => {
  const { json, file } = await open(t, { 'L.md': '---\na: 1\n---\n- one\n', 'Crlf.md': 'a\r\n' });
  assert.deepEqual(await json('append_note', { name: 'L', text: '- two' }), { name: 'L', path: 'L.md', appended: true });
  assert.equal(file('L.md'), '---\na: 1\n---\n- one\n- two\n');
  await json('append_note', { name: 'Crlf', text: 'b' });
  assert.equal(file('Crlf.md'), 'a\r\n\r\nb\r\n');
});

test('S3-07 update_note replaces the body and keeps the frontmatter byte for byte', async (t) => {
  const top = '---\n# comment\ntags:   [ x,y ]\n"odd" : \'q\'   \n---\n';
  const { json, call, fails, file } = await open(t, { 'U.md': `${top}old\n`, 'Bare.md': 'old\n', 'Top.md': '---\na: 1\n---' });
  await json('update_note', { name: 'U', content: '\n# New\n' });
  assert.equal(file('U.md'), `${top}\n# New\n`);
  await json('update_note', { name: 'U', content: `${await call('read_note', { name: 'U' })}more\n` });
  assert.equal(file('U.md'), `${top}\n# New\nmore\n`, 'what read_note gave does not double the frontmatter');
  assert.match(await fails('update_note', { name: 'U', content: '---\nother: 1\n---\nx\n' }), /set_frontmatter/);
  assert.equal(file('U.md'), `${top}\n# New\nmore\n`);
  await json('update_note', { name: 'U', content: '---\n\nA rule, not properties\n' });
  assert.equal(file('U.md'), `${top}---\n\nA rule, not properties\n`);
  await json('update_note', { name: 'Bare', content: 'new\n' });
  assert.equal(file('Bare.md'), 'new\n');
  await json('update_note', { name: 'Top', content: 'new\n' });
  assert.equal(file('Top.md'), '---\na: 1\n---\nnew\n');
});

test('S3-08 delete_note moves to .trash/ and unlinks; dry_run only previews it', async (t) => {
  const { json, fails, file, vault } = await open(t, { 'Sub/Gone.md': 'x\n', 'A.md': 'see [[Gone]] and [[Gone|this]]\n', 'B.md': 'no\n' });
  const plan = await json('delete_note', { name: 'Gone', dry_run: true });
  assert.deepEqual(plan, {
    name: 'Gone', path: 'Sub/Gone.md', deleted: false, trash: '.trash/Sub/Gone.md', updated_links: 2, updated_notes: ['A.md'], dry_run: true,
  });
  assert.equal(file('Sub/Gone.md'), 'x\n');
  assert.equal(file('A.md'), 'see [[Gone]] and [[Gone|this]]\n');
  assert.deepEqual(await json('delete_note', { name: 'Gone' }), { ...plan, deleted: true, dry_run: false });
  assert.ok(!existsSync(path.join(vault, 'Sub/Gone.md')));
  assert.equal(file('.trash/Sub/Gone.md'), 'x\n');
  assert.equal(file('A.md'), 'see Gone and this\n');
  await fails('read_note', { name: 'Gone' });
});

test('S3-09 rename_note renames and updates links; dry_run only previews it', async (t) => {
  const { json, fails, file, vault } = await open(t, { 'Sub/Old.md': '[[Old#h]]\n', 'A.md': '[[Old]] ![[Old|o]]\n', 'Taken.md': 't\n', 'Sub/New name/x.md': 'x\n' });
  const plan = await json('rename_note', { old_name: 'Old', new_name: 'New name', dry_run: true });
  assert.equal(plan.renamed, false);
  assert.equal(plan.path, 'Sub/New name.md');
  assert.equal(file('A.md'), '[[Old]] ![[Old|o]]\n');
  const done = await json('rename_note', { old_name: 'Old', new_name: 'New name' });
  assert.deepEqual([done.old_name, done.new_name, done.renamed, done.dry_run], ['Old', 'New name', true, false]);
  assert.equal(done.updated_links, plan.updated_links);
  assert.equal(file('A.md'), '[[New name]] ![[New name|o]]\n');
  assert.ok(!existsSync(path.join(vault, 'Sub/Old.md')));
  assert.match(await fails('rename_note', { old_name: 'A', new_name: 'Taken' }), /Taken/);
  assert.equal(file('Taken.md'), 't\n');
  assert.equal((await json('rename_note', { old_name: 'Taken', new_name: 'Else/v1.2' })).path, 'Else/v1.2.md');
});

test('S3-13 set_frontmatter sets one key and leaves everything else alone', async (t) => {
  const { json, call, file } = await open(t, { 'S.md': '---\na: 1 # why\nb: two\n---\nbody\n', 'N.md': 'body\n' }, { args: ['--tag-policy', 'off'] });
  assert.deepEqual(await json('set_frontmatter', { name: 'S', key: 'b', value: 'three' }), { name: 'S', path: 'S.md', updated: true });
  assert.equal(file('S.md'), '---\na: 1 # why\nb: three\n---\nbody\n');
  const values = [['n', 5], ['s', '5'], ['yes', true], ['list', ['x', 'y']], ['map', { k: 'v' }], ['word', 'true'], ['nothing', '']];
  for (const [key, value] of values) await json('set_frontmatter', { name: 'N', key, value });
  assert.deepEqual(await json('get_frontmatter', { name: 'N' }), Object.fromEntries(values));
  assert.ok((await call('read_note', { name: 'N' })).endsWith('---\nbody\n'));
  for (const [value, want] of [
    ['["a","b/c"]', ['a', 'b/c']], [['#a', 'b'], ['a', 'b']], ['one', ['one']], ['one, two', ['one', 'two']], ['#one #two', ['one', 'two']], [[], []],
  ]) {
    await json('set_frontmatter', { name: 'N', key: 'tags', value });
    assert.deepEqual((await json('get_frontmatter', { name: 'N' })).tags, want, JSON.stringify(value));
  }
});

test('S3-15 S3-44 replace_note changes the body only and returns the number of replacements', async (t) => {
  const { json, call, fails, file } = await open(t, { 'R.md': '---\nt: cat\n---\ncat dog cat\n', 'One.md': '---\nt: cat\n---\none cat\n' });
  assert.match(await fails('replace_note', { name: 'R', old_text: 'cat', new_text: 'x' }), /2 times/);
  assert.equal(await call('replace_note', { name: 'R', old_text: 'cat', new_text: 'x', replace_all: true }), '{"replaced":2}');
  assert.equal(file('R.md'), '---\nt: cat\n---\nx dog x\n');
  assert.deepEqual(await json('replace_note', { name: 'One', old_text: 'cat', new_text: '' }), { replaced: 1 });
  assert.equal(file('One.md'), '---\nt: cat\n---\none \n');
  assert.match(await fails('replace_note', { name: 'R', old_text: 't: cat', new_text: 'x' }), /frontmatter/);
  assert.match(await fails('replace_note', { name: 'R', old_text: 'bird', new_text: 'x' }), /not found/);
  assert.equal(file('R.md'), '---\nt: cat\n---\nx dog x\n');
});

test('S3-16 S3-45 insert_note inserts before or after a pattern, and takes exactly one of them', async (t) => {
  const { json, fails, file } = await open(t, { 'I.md': '---\nt: beta\n---\nalpha\nbeta gamma\n\n## Tasks\n- one\n' });
  const both = "Exactly one of 'before' or 'after' must be provided";
  assert.equal(await fails('insert_note', { name: 'I', text: 'x' }), both);
  assert.equal(await fails('insert_note', { name: 'I', text: 'x', before: 'a', after: 'b' }), both);
  assert.equal(await fails('insert_note', { name: 'I', text: 'x', before: '', after: '' }), both);
  await json('insert_note', { name: 'I', text: 'big ', before: 'gamma' });
  await json('insert_note', { name: 'I', text: '!', after: 'gamma' });
  await json('insert_note', { name: 'I', text: '- zero', after: '## Tasks' });
  assert.equal(file('I.md'), '---\nt: beta\n---\nalpha\nbeta big gamma!\n\n## Tasks\n- zero\n- one\n');
  await json('insert_note', { name: 'I', text: 'x', before: 'beta' });
  assert.ok(file('I.md').includes('\nxbeta big'));
  assert.match(await fails('insert_note', { name: 'I', text: 'x', after: 'nowhere' }), /not found/);
});

test('S3-18 append_section adds at the end of a section', async (t) => {
  const { json, call, fails, file } = await open(t, { 'N.md': '# Log\n- one\n\n# Next\ntext\n' });
  assert.deepEqual(await json('append_section', { name: 'N', section: 'Log', text: '- two' }), { name: 'N', path: 'N.md', appended: true });
  assert.equal(file('N.md'), '# Log\n- one\n- two\n\n# Next\ntext\n');
  assert.equal(await call('read_section', { name: 'N', section: 'Log' }), '- one\n- two');
  assert.match(await fails('append_section', { name: 'N', section: 'Nope', text: 'x' }), /not found/);
});

test('every change can be undone', async (t) => {
  const files = { 'A.md': '---\nk: 1\n---\n# H\nsome text\n', 'B.md': '[[A]]\n' };
  const { json, call, file, vault } = await open(t, files, { args: ['--tools', 'default,claude-desktop'] });
  for (const [tool, input] of [
    ['append_note', { text: 'x' }], ['update_note', { content: 'x' }], ['set_frontmatter', { key: 'k', value: 2 }],
    ['replace_note', { old_text: 'some', new_text: 'x' }], ['insert_note', { text: 'x', after: 'some' }],
    ['append_section', { section: 'H', text: 'x' }], ['delete_note', {}], ['rename_note', { old_name: 'A', new_name: 'C' }],
  ]) {
    await json(tool, 'old_name' in input ? input : { name: 'A', ...input });
    assert.ok(!existsSync(path.join(vault, 'A.md')) || file('A.md') !== files['A.md'], tool);
    await call('vault_undo', {});
    for (const [name, text] of Object.entries(files)) assert.equal(file(name), text, tool);
  }
  await json('create_note', { name: 'New' });
  await call('vault_undo', {});
  assert.ok(!existsSync(path.join(vault, 'New.md')));
});

test('read-only offers only the tools that change nothing', async (t) => {
  const { sdk } = await open(t, { 'A.md': 'a\n' }, { args: ['--read-only'] });
  const names = (await sdk.client.listTools()).tools.map((tool) => tool.name);
  assert.deepEqual(names, ['read_note', 'search_notes', 'get_links', 'get_frontmatter', 'list_notes', 'read_section']);
});

/* --- auto-context --- */

const GUIDE = {
  'AI Text Quality Guidelines.md': '---\ntags: [claude]\ndescription: "Читать перед генерацией любого текста для пользователя. Анти-паттерны ИИ-текста."\n---\ntext\n',
};
const BLOCK = `${BEGIN}- "AI Text Quality Guidelines" — Читать перед генерацией любого текста для пользователя. Анти-паттерны ИИ-текста.\n\nUse read_note() to access full content when needed.\n---`;
const policy = (tags) => `\n## Tag policy\n\nAllowed: ${tags}.\nAsk user before creating new tags.\n---`;

test('S3-23 S3-24 S3-25 S3-27 S3-28 S3-34 S3-47 S3-49 the block is appended to the first result of any tool, and to no later one', async (t) => {
  for (const [tool, input] of [['read_note', { name: 'Other' }], ['list_notes', {}], ['append_note', { name: 'Other', text: 'x' }]]) {
    const { call } = await open(t, { ...GUIDE, 'Other.md': 'other #vc/project\n' }, { fresh: true });
    const first = await call(tool, input);
    assert.ok(first.endsWith(BLOCK + policy('claude, vc/project')), first);
    const original = first.slice(0, first.indexOf(BEGIN));
    if (tool === 'read_note') assert.equal(original, 'other #vc/project\n');
    else JSON.parse(original);
    assert.ok(!(await call(tool, input)).includes('Your personal notes'));
    assert.ok(!(await call('search_notes', { query: 'other' })).includes('Your personal notes'));
  }
});

test('S3-25 a failed call does not count as the first result', async (t) => {
  const { call, fails } = await open(t, GUIDE, { fresh: true });
  assert.ok(!(await fails('read_note', { name: 'Nope' })).includes('personal notes'));
  assert.ok((await call('get_links', { name: 'AI Text Quality Guidelines' })).includes(BLOCK));
});

test('S3-43 without such notes the section has a hint', async (t) => {
  const { call } = await open(t, { 'A.md': 'a\n' }, { fresh: true });
  assert.equal(await call('read_note', { name: 'A' }), `a\n${BEGIN}No personal notes found. Create notes with tag 'claude' to use auto-context.\n---`);
});

test('S3-26 S3-41 a note without a description gets a placeholder, as a change that can be undone', async (t) => {
  const text = '---\ntags: [claude] # mine\n---\nbody\n';
  const { call, json, file } = await open(t, { 'Rules.md': text, 'Sub/Inline.md': 'for #claude\n', 'Bad.md': '---\na: [\n---\n#claude\n' }, { fresh: true });
  const first = await call('list_notes');
  const line = first.match(/^- "Rules" — (.+)$/m)[1];
  assert.match(line, /description/);
  assert.ok(first.includes(`- "Inline" — ${line}\n`));
  assert.ok(first.includes(`- "Bad" — ${line}\n`));
  assert.equal((await json('get_frontmatter', { name: 'Rules' })).description, line);
  assert.ok(file('Rules.md').startsWith('---\ntags: [claude] # mine\ndescription: '));
  assert.equal(file('Bad.md'), '---\na: [\n---\n#claude\n');
  await json('set_frontmatter', { name: 'Rules', key: 'description', value: 'Read first' });
});

test('S3-41 nothing is written if writing is not allowed', async (t) => {
  const files = { 'Rules.md': '---\ntags: [claude]\n---\n' };
  const { call, file } = await open(t, files, { fresh: true, args: ['--read-only'] });
  assert.match(await call('list_notes'), /- "Rules" — No description yet/);
  assert.equal(file('Rules.md'), files['Rules.md']);
});

test('S3-48 CLAUDE.md with the tag is an ordinary note', async (t) => {
  const { call } = await open(t, { 'CLAUDE.md': '---\ntags: [claude]\ndescription: Always\n---\n' }, { fresh: true });
  assert.ok((await call('list_notes')).includes('- "CLAUDE" — Always\n'));
});

test('a description is one line, whatever it contains', async (t) => {
  const { call } = await open(t, { 'M.md': '---\ntags: [claude]\ndescription: |\n  one\n  ---\n  two\n---\n' }, { fresh: true });
  assert.ok((await call('list_notes')).includes('- "M" — one --- two'));
});

test('over HTTP each legacy session gets it once, the stateless revision never', async (t) => {
  const vault = makeVault(t, GUIDE);
  const server = await startHttp(t, { vault, args: [...PROFILE, '--stdio=off'] });
  const told = (answer) => answer.message.result.content[0].text.includes('Your personal notes');
  for (let i = 0; i < 2; i++) {
    const session = await Session.open(server);
    assert.ok(told(await session.call('list_notes')));
    assert.ok(!told(await session.call('list_notes')));
  }
  const modern = await connect(t, CONNECTIONS.find((row) => row.modern && row.http), { url: server.url });
  assert.ok(!(await modern.call({ name: 'list_notes', arguments: {} })).content[0].text.includes('Your personal notes'));
});

test('--auto-context off adds nothing', async (t) => {
  const { call } = await open(t, GUIDE, { fresh: true, args: ['--auto-context', 'off'] });
  assert.ok(!(await call('list_notes')).includes('personal notes'));
});

/* --- tag policy --- */

const TAGGED = { 'A.md': '---\ntags: [vc/project, Person]\n---\n#dns inline\n', 'B.md': 'plain\n' };
const refused = (tag, allowed = 'dns, Person, vc/project') =>
  `Tag '${tag}' not in allowed list. Allowed: ${allowed}.\nAsk user before creating new tags.`;

test('S3-31 S3-32 S3-33 S3-35 S3-51 a tag that the vault does not have is refused with the list', async (t) => {
  const { fails, json, file, vault } = await open(t, TAGGED);
  assert.equal(await fails('create_note', { name: 'N', frontmatter: '{"tags": ["Person", "career"]}' }), refused('career'));
  assert.ok(!existsSync(path.join(vault, 'N.md')));
  assert.equal(await fails('set_frontmatter', { name: 'B', key: 'tags', value: ['career'] }), refused('career'));
  assert.equal(await fails('set_frontmatter', { name: 'B', key: 'tags', value: 'dns, career' }), refused('career'));
  assert.equal(await fails('set_frontmatter', { name: 'B', key: 'Tags', value: '["two words"]' }), refused('two words'));
  assert.equal(await fails('set_frontmatter', { name: 'B', key: 'tags', value: ['vc'] }), refused('vc'));
  assert.equal(file('B.md'), 'plain\n');
  await json('create_note', { name: 'Ok', frontmatter: '{"tags": ["person", "#dns", "vc/project"]}' });
  await json('set_frontmatter', { name: 'B', key: 'tags', value: 'dns' });
  await json('set_frontmatter', { name: 'B', key: 'status', value: 'career' });
});

test('S3-32 tags in the frontmatter of new text count; tags in the body and existing tags do not', async (t) => {
  const { fails, json } = await open(t, { ...TAGGED, 'Odd.md': '---\ntags: [two words]\n---\n' });
  assert.equal(await fails('create_note', { name: 'N', content: '---\ntags: [career]\n---\n' }), refused('career'));
  assert.equal(await fails('update_note', { name: 'B', content: '---\ntags: career\n---\n' }), refused('career'));
  await json('append_note', { name: 'B', text: 'ask in #general; the colour is #fff' });
  await json('set_frontmatter', { name: 'Odd', key: 'x', value: 1 });
  await json('append_note', { name: 'B', text: 'a #dns, `#code`, issue #12' });
});

test('S3-51 the list is current at the time of the call', async (t) => {
  const { fails, json, write } = await open(t, TAGGED);
  assert.equal(await fails('set_frontmatter', { name: 'B', key: 'tags', value: ['fresh'] }), refused('fresh'));
  write('C.md', 'a #fresh tag\n');
  await json('set_frontmatter', { name: 'B', key: 'tags', value: ['fresh'] });
});

test('a vault without tags accepts its first ones', async (t) => {
  const { json, fails } = await open(t, { 'A.md': 'a\n' });
  await json('set_frontmatter', { name: 'A', key: 'tags', value: ['first', 'second'] });
  assert.equal(await fails('set_frontmatter', { name: 'A', key: 'tags', value: ['third'] }), refused('third', 'first, second'));
});

test('--tag-policy warn writes and warns, off is silent', async (t) => {
  const warned = await open(t, TAGGED, { args: ['--tag-policy', 'warn'] });
  assert.match((await warned.json('set_frontmatter', { name: 'B', key: 'tags', value: ['career'] })).warnings[0], /'career' is new/);
  const free = await open(t, TAGGED, { args: ['--tag-policy', 'off'], fresh: true });
  assert.ok(!(await free.call('list_notes')).includes('Tag policy'));
  assert.equal((await free.json('set_frontmatter', { name: 'B', key: 'tags', value: ['career'] })).warnings, undefined);
});

/* --- the same for the default set --- */

async function openDefault(t, files, args = []) {
  const vault = makeVault(t, files);
  const io = startStdio(t, { vault, args });
  await io.initialize();
  return { vault, call: async (name, input) => (await io.call(name, input)).result };
}

test('the default set lists notes for Claude in a separate block, once, and writes nothing', async (t) => {
  const { vault, call } = await openDefault(t, { ...GUIDE, 'New.md': '#claude\n' });
  const { content } = await call('vault_search', { query: 'nothing' });
  assert.equal(content.length, 2);
  JSON.parse(content[0].text);
  assert.match(content[1].text, /- "AI Text Quality Guidelines" \(AI Text Quality Guidelines\.md\) — Читать/);
  assert.match(content[1].text, /vault_read/);
  assert.doesNotMatch(content[1].text, /read_note|[Tt]ag policy/);
  assert.equal((await call('vault_list', {})).content.length, 1);
  assert.equal(readFileSync(path.join(vault, 'New.md'), 'utf8'), '#claude\n');
});

test('SEC-120 the default set adds nothing without such notes, over HTTP, or when turned off', async (t) => {
  const none = await openDefault(t, { 'A.md': 'a\n' });
  assert.equal((await none.call('vault_list', {})).content.length, 1);
  const off = await openDefault(t, GUIDE, ['--auto-context', 'off']);
  assert.equal((await off.call('vault_list', {})).content.length, 1);
  const session = await Session.open(await startHttp(t, { vault: makeVault(t, GUIDE) }));
  assert.equal((await session.call('vault_list')).message.result.content.length, 1);
});

const TAG_WRITES = [
  ['vault_write', { path: 'N.md', content: '---\ntags: [career]\n---\n' }],
  ['vault_edit', { path: 'B.md', old_text: 'plain', new_text: '---\ntags: [career]\n---\n' }],
  ['vault_frontmatter', { path: 'B.md', add: { tags: ['career'] } }],
];

test('--tag-policy enforce refuses new tags in every default tool that writes properties', async (t) => {
  const { call, vault } = await openDefault(t, TAGGED, ['--tag-policy', 'enforce']);
  for (const [tool, input] of TAG_WRITES) {
    const { isError, content } = await call(tool, input);
    assert.ok(isError, tool);
    assert.deepEqual(JSON.parse(content[0].text).error, { code: 'TAG_NOT_ALLOWED', message: refused('career') }, tool);
  }
  assert.equal(readFileSync(path.join(vault, 'B.md'), 'utf8'), 'plain\n');
  assert.ok(!(await call('vault_insert', { path: 'B.md', content: '#dns' })).isError);
  assert.ok(!(await call('vault_move', { tag: 'dns', to: 'names' })).isError, 'a tag may be renamed');
});

test('--tag-policy warn reports new tags in warnings', async (t) => {
  for (const [tool, input] of TAG_WRITES) {
    const { call } = await openDefault(t, TAGGED, ['--tag-policy', 'warn']);
    const { isError, content } = await call(tool, input);
    assert.ok(!isError, content[0].text);
    assert.match(JSON.parse(content[0].text).warnings.join(), /'career' is new/, tool);
  }
});
