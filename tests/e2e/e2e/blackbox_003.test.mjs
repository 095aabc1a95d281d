// Contract 003 as a client author reads it: written from its text alone.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { existsSync, writeFileSync } from 'node:fs';
import { cleanEnv, initializeMessage, run, startStdio, tempDir, until, VAULTD } from '../support.mjs';
import { changesNothing, picture, textOf, vaultOf } from './blackbox.mjs';

const GUIDE = '---\ntags: [claude]\ndescription: "Читать перед генерацией любого текста для пользователя. Анти-паттерны ИИ-текста."\n---\nBody.\n';
const TAIL = '\n\n---\n';

/** A server whose first result, with the appended block, has already been read. */
async function open(t, files, args = []) {
  const vault = vaultOf(t, files);
  const server = startStdio(t, { vault, args: ['--profile', 'claude-desktop', ...args] });
  server.init = await server.initialize('2025-06-18');
  const raw = async (name, given = {}) => {
    const { result, error } = await server.call(name, given);
    assert.ok(result, `${name}: ${JSON.stringify(error)}`);
    assert.equal(result.content.length, 1, 'one content block');
    assert.equal(result.content[0].type, 'text');
    return { text: result.content[0].text, failed: result.isError === true };
  };
  return {
    server, vault, raw,
    first: async () => (await raw('list_notes')).text,
    text: async (name, given) => {
      const { text, failed } = await raw(name, given);
      assert.ok(!failed, `${name}: ${text}`);
      return text;
    },
    async json(name, given) { return JSON.parse(await this.text(name, given)); },
    refused: async (name, given) => {
      const { text, failed } = await raw(name, given);
      assert.ok(failed, `${name} ${JSON.stringify(given)} was not refused: ${text}`);
      assert.throws(() => JSON.parse(text), 'the error is its text');
      return text;
    },
    read: (name) => textOf(vault, name),
  };
}

async function opened(t, files, args) {
  const desk = await open(t, files, args);
  await desk.first();
  return desk;
}

test('S3-02 S3-19 started by Claude Desktop with only env and stdio', async (t) => {
  const vault = vaultOf(t, { 'A note.md': 'text' });
  const home = tempDir(t);
  const lines = [initializeMessage('2024-11-05', {}, 1), { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'read_note', arguments: { name: 'A note' } } }];
  const env = cleanEnv(home, { STATE_DIR: path.join(home, 's'), OBSIDIAN_VAULT_PATH: vault, VAULTD_PROFILE: 'claude-desktop' });
  const end = await run(VAULTD, [], { env, input: lines.map((line) => `${JSON.stringify(line)}\n`).join('') });
  assert.equal(end.code, 0, end.stderr);
  const answers = end.stdout.trim().split('\n').map((line) => JSON.parse(line));
  assert.ok(answers.find((answer) => answer.id === 2).result.content[0].text.startsWith(`text${TAIL}`));
});

test('S3-40 without a vault, or with a missing one, the server does not start', async (t) => {
  const home = tempDir(t);
  for (const extra of [{}, { OBSIDIAN_VAULT_PATH: path.join(home, 'nowhere') }]) {
    const end = await run(VAULTD, [], { env: cleanEnv(home, { STATE_DIR: path.join(home, 's'), VAULTD_PROFILE: 'claude-desktop', ...extra }) });
    assert.notEqual(end.code, 0);
    assert.equal(end.stdout, '');
    assert.match(end.stderr, /vault|folder/);
  }
});

test('S3-04 … S3-18 fifteen tools, with the arguments that the document names', async (t) => {
  const { server } = await open(t, {});
  const { tools } = (await server.request('tools/list')).result;
  const shape = (tool) => {
    const all = Object.keys(tool.inputSchema.properties ?? {});
    const needed = tool.inputSchema.required ?? [];
    return `${tool.name}(${all.map((name) => name + (needed.includes(name) ? '' : '?')).join(', ')})`;
  };
  assert.deepEqual(tools.map(shape).sort(), [
    'append_note(name, text)', 'append_section(name, section, text)', 'create_note(name, content?, frontmatter?)',
    'delete_note(name, dry_run?)', 'get_frontmatter(name)', 'get_links(name, direction?)', 'insert_note(name, text, before?, after?)',
    'list_notes(limit?, offset?)', 'read_note(name)', 'read_section(name, section)', 'rename_note(old_name, new_name, dry_run?)',
    'replace_note(name, old_text, new_text, replace_all?)', 'search_notes(query, mode?)', 'set_frontmatter(name, key, value)',
    'update_note(name, content)',
  ]);
  assert.equal(tools.find((tool) => tool.name === 'create_note').inputSchema.properties.frontmatter.type, 'string');
});

test('S3-23 S3-25 S3-28 S3-47 S3-49 the block is appended to the first result only', async (t) => {
  const desk = await open(t, { 'AI Text Quality Guidelines.md': GUIDE, 'Work/Rules.md': '---\ntags: claude\ndescription: When working\n---\n', 'Other.md': 'text\n' });
  const first = await desk.text('read_note', { name: 'Other' });
  const block = `text\n${TAIL}## Your personal notes\n\n- "AI Text Quality Guidelines" — Читать перед генерацией любого текста для пользователя. Анти-паттерны ИИ-текста.\n- "Rules" — When working\n\nUse read_note() to access full content when needed.\n---`;
  assert.equal(first.slice(0, block.length), block);
  assert.match(first.slice(block.length), /claude/); // the tag policy
  assert.equal(await desk.text('read_note', { name: 'Other' }), 'text\n');
});

test('S3-29 S3-30 S3-43 CLAUDE.md is an ordinary note: without tagged notes the section says how to create them', async (t) => {
  const desk = await open(t, { 'CLAUDE.md': 'ROOT-RULES' });
  assert.ok(desk.server.init.instructions);
  assert.doesNotMatch(desk.server.init.instructions, /ROOT-RULES|personal notes/);
  const text = await desk.first();
  assert.ok(text.includes(`${TAIL}## Your personal notes\n\nNo personal notes found. Create notes with tag 'claude' to use auto-context.`), text);
  assert.doesNotMatch(text, /ROOT-RULES/);
});

test('S3-41 a claude note without a description gets a placeholder', async (t) => {
  const desk = await open(t, { 'N.md': '---\ntags:\n  - claude # keep\nx: 1\n---\nbody\r\n' });
  const line = (await desk.first()).match(/^- "N" — (.+)$/m);
  assert.match(line[1], /description/);
  assert.equal((await desk.json('get_frontmatter', { name: 'N' })).description, line[1]);
  assert.ok(desk.read('N.md').startsWith('---\ntags:\n  - claude # keep\nx: 1\n'));
  assert.ok(desk.read('N.md').endsWith('\n---\nbody\r\n'));
});

test('S3-41 an existing description is never overwritten, whatever its form', async (t) => {
  const desk = await open(t, {
    'L.md': '---\ntags: [claude]\ndescription: [when writing, when coding]\n---\n', 'M.md': '---\ntags: [claude]\ndescription:\n  when: writing\n---\n',
    'N.md': '---\ntags: [claude]\ndescription: 2026\n---\n', 'Up.md': '---\ntags: [claude]\nDescription: here\n---\n',
  });
  await changesNothing(desk.vault, [() => desk.first()]);
});

test('S3-24 S3-41 a note tagged only with a child of claude is not included, and is left alone', async (t) => {
  const desk = await open(t, { 'N.md': '---\ntags: [claude/archive]\n---\n' });
  await changesNothing(desk.vault, [() => desk.first()]);
});

test('S3-25 of concurrent calls exactly one gets the block, and no append is lost', async (t) => {
  const desk = await open(t, { 'A.md': 'a\n' });
  const all = await Promise.all(Array.from({ length: 16 }, (_, i) => desk.text('append_note', { name: 'A', text: `- item ${i}` })));
  assert.equal(all.filter((text) => text.includes('personal notes')).length, 1);
  for (let i = 0; i < 16; i++) assert.equal(desk.read('A.md').split(`- item ${i}\n`).length, 2);
});

test('S3-31 S3-32 S3-35 S3-51 an unknown tag is refused with the list, and nothing is written', async (t) => {
  const desk = await opened(t, { 'A.md': '---\ntags: [vc, vc/project]\n---\n', 'B.md': '---\ntags: Person\n---\n', 'C.md': '---\ntags:\n  - Organization\n---\nand #dns\n', '.h/x.md': '#secret' });
  const error = /^Tag 'career' not in allowed list\. Allowed: ([^.]*)\.\s+Ask user before creating new tags\.$/;
  const tries = [['create_note', { name: 'N', frontmatter: '{"tags": ["vc", "career"]}' }], ['create_note', { name: 'N', frontmatter: '{"tags": "career"}' }],
    ['create_note', { name: 'N', content: '---\ntags: [career]\n---\n' }], ['set_frontmatter', { name: 'A', key: 'tags', value: ['career'] }],
    ['set_frontmatter', { name: 'A', key: 'tags', value: '["career"]' }], ['set_frontmatter', { name: 'A', key: 'tags', value: 'career' }],
    ['set_frontmatter', { name: 'A', key: 'tags', value: '#career' }]];
  await changesNothing(desk.vault, tries.map(([name, given]) => async () => {
    const match = (await desk.refused(name, given)).match(error);
    assert.ok(match, name);
    assert.deepEqual(match[1].split(', ').sort(), ['Organization', 'Person', 'dns', 'vc', 'vc/project']);
  }));
});

test('S3-51 the list of allowed tags is current at each call', async (t) => {
  const desk = await opened(t, { 'A.md': '---\ntags: [vc]\n---\n' });
  await desk.refused('create_note', { name: 'N', frontmatter: '{"tags": ["late"]}' });
  writeFileSync(path.join(desk.vault, 'B.md'), '---\ntags: [late]\n---\n');
  await until('the new tag is allowed', async () => !(await desk.raw('set_frontmatter', { name: 'A', key: 'tags', value: ['late'] })).failed);
  assert.deepEqual((await desk.json('get_frontmatter', { name: 'A' })).tags, ['late']);
});

test('S3-06 S3-32 the tag policy does not apply to text: only tags in frontmatter are checked', async (t) => {
  const desk = await opened(t, { 'A.md': '---\ntags: [vc]\n---\na\n' });
  await desk.text('append_note', { name: 'A', text: 'Ask in #general; the colour is #fff.' });
  assert.match(desk.read('A.md'), /Ask in #general; the colour is #fff\./);
});

test('S3-32 tags that are neither a string nor a list are refused', async (t) => {
  const desk = await opened(t, { 'A.md': '---\ntags: [vc]\n---\n' });
  await changesNothing(desk.vault, [() => desk.refused('set_frontmatter', { name: 'A', key: 'tags', value: { career: 1 } })]);
});

test('S3-05 S3-37 create_note: JSON frontmatter round-trips; an existing name is refused', async (t) => {
  const desk = await opened(t, { 'Sub/Есть уже.md': 'old' });
  const given = { title: 'a: b', date: '2026-01-02', yes: 'yes', n: 1.5, none: null, list: ['x', 'y z'], deep: { a: [1] }, 'ключ': '😀', lines: 'a\nb' };
  await desk.text('create_note', { name: 'Имя с пробелом', content: '# Тело\n', frontmatter: JSON.stringify(given) });
  assert.deepEqual(await desk.json('get_frontmatter', { name: 'Имя с пробелом' }), given);
  assert.ok(desk.read('Имя с пробелом.md').endsWith('\n---\n# Тело\n'));
  await desk.text('create_note', { name: 'Empty' });
  assert.equal(desk.read('Empty.md'), '');
  await changesNothing(desk.vault, [['Имя с пробелом', {}], ['Есть уже', {}], ['X', { frontmatter: '{no' }], ['X', { frontmatter: '[1]' }], ['X', { frontmatter: '"text"' }]]
    .map(([name, more]) => () => desk.refused('create_note', { name, content: 'new', ...more })));
});

test('S3-05 create_note refuses a name shared by two notes, just as it refuses one that is taken', async (t) => {
  const desk = await opened(t, { 'a/Same.md': '1', 'b/Same.md': '2' });
  await changesNothing(desk.vault, [() => desk.refused('create_note', { name: 'Same', content: 'third' })]);
});

test('SEC-87 S3-04 S3-07 update_note changes the body only: comments, order, CRLF and BOM of the frontmatter stay', async (t) => {
  const heads = { 'A.md': '---\nb: 1 # why\na: [x,  y]\n---\n', 'CR.md': '---\r\nk: v\r\n---\r\n', 'BOM.md': '\ufeff---\nk: v\n---\n', 'None.md': '', 'Broken.md': '---\na: [1\n---\n' };
  const desk = await opened(t, Object.fromEntries(Object.entries(heads).map(([name, head]) => [name, `${head}old body\n`])));
  for (const [name, head] of Object.entries(heads)) {
    await desk.text('update_note', { name: name.slice(0, -3), content: 'new body' });
    assert.match(desk.read(name).slice(head.length), /^new body\r?\n?$/);
    assert.equal(desk.read(name).slice(0, head.length), head);
    assert.equal((await desk.text('read_note', { name: name.slice(0, -3) })).replace('\ufeff', ''), desk.read(name).replace('\ufeff', ''));
  }
});

test('S3-06 S3-13 append_note and set_frontmatter keep every other byte', async (t) => {
  const desk = await opened(t, { 'A.md': '# c\n---\nno frontmatter', 'CR.md': '---\r\nz: 1 # c\r\n---\r\nx\r\n', 'Odd.md': Buffer.from([0x61, 0xff, 0x0a]), 'E.md': '' });
  await desk.text('append_note', { name: 'A', text: 'tail' });
  assert.match(desk.read('A.md'), /^# c\n---\nno frontmatter\n+tail\n?$/);
  await desk.text('set_frontmatter', { name: 'CR', key: 'y', value: 'two words' });
  assert.match(desk.read('CR.md'), /^---\r\nz: 1 # c\r\ny: "?two words"?\r\n---\r\nx\r\n$/);
  await desk.text('append_note', { name: 'Odd', text: 'tail' });
  assert.ok(picture(desk.vault)['Odd.md'].startsWith('a\xff\n'));
  await desk.text('append_note', { name: 'E', text: 'tail' });
  assert.match(desk.read('E.md'), /^tail\n?$/);
  await desk.text('set_frontmatter', { name: 'E', key: 'n', value: 5 });
  assert.deepEqual(await desk.json('get_frontmatter', { name: 'E' }), { n: 5 });
  assert.deepEqual(await desk.json('get_frontmatter', { name: 'A' }), {});
});

const LINKED = {
  'Target.md': 'self [[Target]]\n', 'L.md': '[[Target]] [[target|shown]] [md](Target.md) [[Target#H]]\n`[[Target]]`\n```\n[[Target]]\n```\n',
  'FM.md': '---\nup: "[[Target]]"\n---\nx\n', 'Sub/Other.md': 'o', '.trash/Target.md': 'deleted before', 'E.md': 'before ![[Target]] after\n',
};

test('S3-08 delete_note: links become text, the note goes to .trash, nothing in the trash is overwritten', async (t) => {
  const desk = await opened(t, LINKED);
  await changesNothing(desk.vault, [() => desk.json('delete_note', { name: 'Target', dry_run: true })]);
  await desk.json('delete_note', { name: 'Target' });
  const after = picture(desk.vault);
  assert.ok(!('Target.md' in after));
  assert.equal(after['.trash/Target.md'], 'deleted before');
  assert.deepEqual(Object.keys(after).filter((name) => name.startsWith('.trash/') && after[name] === 'self [[Target]]\n').length, 1);
  assert.match(after['L.md'], /^Target shown md Target[^\n]*\n`\[\[Target\]\]`\n```\n\[\[Target\]\]\n```\n$/);
  assert.equal(after['FM.md'], '---\nup: "Target"\n---\nx\n');
  await desk.refused('delete_note', { name: 'Target' });
});

test('S3-08 an embed of a deleted note is replaced by its name, like a link', async (t) => {
  const desk = await opened(t, LINKED);
  await desk.json('delete_note', { name: 'Target' });
  assert.equal(desk.read('E.md'), 'before Target after\n');
});

test('S3-09 rename_note: every link follows, dry_run changes nothing, no note is overwritten', async (t) => {
  const desk = await opened(t, LINKED);
  await changesNothing(desk.vault, [() => desk.json('rename_note', { old_name: 'Target', new_name: 'Новое имя', dry_run: true }),
    ...['L', '../up', 'a/../b', '.hidden', '', 'Sub/Other'].map((new_name) => () => desk.refused('rename_note', { old_name: 'Target', new_name })),
    () => desk.refused('rename_note', { old_name: 'Nobody', new_name: 'X' })]);
  await desk.json('rename_note', { old_name: 'Target', new_name: 'Новое имя' });
  assert.equal(desk.read('Новое имя.md'), 'self [[Новое имя]]\n');
  assert.match(desk.read('L.md'), /^\[\[Новое имя\]\] \[\[Новое имя\|shown\]\] \[md\]\(.*\) \[\[Новое имя#H\]\]\n`\[\[Target\]\]`\n```\n\[\[Target\]\]\n```\n$/);
  assert.equal(desk.read('FM.md'), '---\nup: "[[Новое имя]]"\n---\nx\n');
  assert.equal(desk.read('E.md'), 'before ![[Новое имя]] after\n');
  await desk.json('rename_note', { old_name: 'Other', new_name: 'Renamed' });
  assert.ok(existsSync(path.join(desk.vault, 'Sub/Renamed.md')), 'stays in its folder');
});

test('S3-10 S3-11 search_notes has four modes, get_links two directions', async (t) => {
  const desk = await opened(t, { 'Plan.md': '---\ntags: [vc/project]\n---\n[[Planet]]\n', 'Planet.md': 'an apple\n', 'Sub/X.md': 'Apple pie #dns [[Plan]]', '.h/Plan.md': 'apple' });
  const names = async (query, mode) => (await desk.json('search_notes', { query, mode })).results.map((hit) => hit.name).sort();
  assert.deepEqual(await names('Plan', 'name'), ['Plan']);
  assert.deepEqual(await names('plan', 'name_partial'), ['Plan', 'Planet']);
  assert.deepEqual(await names('apple', 'content'), ['Planet', 'X']);
  assert.deepEqual(await names('dns', 'tag'), ['X']);
  assert.deepEqual(await names('vc/project', 'tag'), ['Plan']);
  assert.deepEqual(await names('nothing', 'content'), []);
  await desk.refused('search_notes', { query: 'x', mode: 'other' });
  const links = await desk.json('get_links', { name: 'Plan' });
  assert.deepEqual([links.incoming.map((link) => link.name), links.outgoing.map((link) => link.name)], [['X'], ['Planet']]);
  assert.ok(!('outgoing' in await desk.json('get_links', { name: 'Plan', direction: 'incoming' })));
});

test('S3-14 S3-50 list_notes: 100 names without paths, limit and offset', async (t) => {
  const desk = await opened(t, { ...Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`Folder/Note ${i}.md`, ''])), '.obsidian/x.md': '', 'a.png': '' });
  const { notes } = await desk.json('list_notes');
  assert.equal(notes.length, 100);
  assert.ok(notes.every((name) => /^Note \d+$/.test(name)));
  const rest = (await desk.json('list_notes', { offset: 100 })).notes;
  assert.equal(new Set([...notes, ...rest]).size, 120);
  assert.deepEqual((await desk.json('list_notes', { limit: 3, offset: 99 })).notes, [notes[99], ...rest.slice(0, 2)]);
  assert.deepEqual((await desk.json('list_notes', { offset: 500 })).notes, []);
});

test('S3-15 S3-16 S3-44 S3-45 replace_note and insert_note work on the body and return a count', async (t) => {
  const head = '---\nword: alpha\n---\n';
  const desk = await opened(t, { 'A.md': `${head}one two one\nlast\n` });
  assert.deepEqual(await desk.json('replace_note', { name: 'A', old_text: 'two', new_text: 'alpha' }), { replaced: 1 });
  await changesNothing(desk.vault, [
    () => desk.refused('replace_note', { name: 'A', old_text: 'word', new_text: 'x' }),
    () => desk.refused('replace_note', { name: 'A', old_text: 'word', new_text: 'x', replace_all: true }),
    () => desk.refused('replace_note', { name: 'A', old_text: '', new_text: 'x', replace_all: true }),
    async () => assert.match(await desk.refused('insert_note', { name: 'A', text: 'x' }), /Exactly one of 'before' or 'after' must be provided/),
    async () => assert.match(await desk.refused('insert_note', { name: 'A', text: 'x', before: 'last', after: 'one' }), /Exactly one of 'before' or 'after' must be provided/),
    () => desk.refused('insert_note', { name: 'A', text: 'x', after: 'missing' }),
    () => desk.refused('insert_note', { name: 'A', text: 'x', after: 'word' }),
  ]);
  assert.deepEqual(await desk.json('replace_note', { name: 'A', old_text: 'one', new_text: 'two', replace_all: true }), { replaced: 2 });
  await desk.json('insert_note', { name: 'A', text: ' (new)', after: 'alpha' });
  await desk.json('insert_note', { name: 'A', text: 'very ', before: 'ast' });
  assert.equal(desk.read('A.md'), `${head}two alpha (new) two\nlvery ast\n`);
});

test('S3-17 S3-18 S3-46 sections: read without the heading, appended to at the end', async (t) => {
  const desk = await opened(t, { 'A.md': '# План\n\nодин\n\n```\n# not one\n```\n\n# Last\nend' });
  assert.equal((await desk.text('read_section', { name: 'A', section: 'План' })).trim(), 'один\n\n```\n# not one\n```');
  await desk.json('append_section', { name: 'A', section: 'План', text: 'два' });
  assert.match(desk.read('A.md'), /^# План\n\nодин\n\n```\n# not one\n```\n+два\n+# Last\nend$/);
  await desk.json('append_section', { name: 'A', section: 'Last', text: 'more' });
  assert.match(desk.read('A.md'), /# Last\nend\n+more\n?$/);
  await changesNothing(desk.vault, ['not one', 'Nope', ''].map((section) => () => desk.refused('append_section', { name: 'A', section, text: 'x' })));
});

test('S3-21 S3-39 S3-52 names that escape the vault, are hidden, or are ambiguous: an error, no change, and the server keeps running', async (t) => {
  const desk = await opened(t, { 'A.md': 'a', 'x/Same.md': '1', 'y/Same.md': '2', '.obsidian/app.json': '{}', '.h/S.md': 's', 'pic.png': 'png' });
  const bad = ['../A', '..', 'x/../A', '/../A', '.obsidian/app.json', '.h/S', 'Same', 'Nobody', '', 'pic.png', 'x', 'a\u0000b', 'n'.repeat(5000)];
  const calls = [['read_note', {}], ['append_note', { text: 'x' }], ['update_note', { content: 'x' }], ['delete_note', {}], ['get_links', {}], ['get_frontmatter', {}],
    ['set_frontmatter', { key: 'k', value: 'v' }], ['replace_note', { old_text: 'a', new_text: 'b', replace_all: true }], ['insert_note', { text: 'x', after: 'a' }],
    ['read_section', { section: 'S' }], ['append_section', { section: 'S', text: 'x' }]];
  const before = picture(desk.vault);
  for (const name of bad) for (const [tool, more] of calls) await desk.refused(tool, { name, ...more });
  for (const name of ['../A', '.h/N', 'a/../../b', '']) await desk.refused('create_note', { name });
  assert.deepEqual(picture(desk.vault), before);
  assert.match(await desk.refused('read_note', { name: 'Same' }), /x\/Same\.md.*y\/Same\.md/);
  assert.equal(await desk.text('read_note', { name: 'A' }), 'a');
});

test('S3-08 S3-52 if names differ only in case, the exact match wins', async (t) => {
  const desk = await opened(t, { 'Note.md': 'upper', 'note.md': 'lower' });
  assert.equal(await desk.text('read_note', { name: 'Note' }), 'upper');
  assert.equal(await desk.text('read_note', { name: 'note' }), 'lower');
  await desk.json('delete_note', { name: 'note' });
  assert.equal(desk.read('Note.md'), 'upper');
  assert.ok(!existsSync(path.join(desk.vault, 'note.md')));
});

test('S3-41 a read-only server changes nothing, not even a missing description', async (t) => {
  const desk = await open(t, { 'N.md': '---\ntags: claude\n---\n[[N]]' }, ['--read-only']);
  await changesNothing(desk.vault, [async () => assert.match(await desk.first(), /- "N" — .*description/),
    ...['append_note', 'delete_note', 'create_note'].map((tool) => async () => {
      const answer = await desk.server.call(tool, { name: 'N', text: 'x' });
      assert.ok(answer.error || answer.result.isError);
    })]);
});
