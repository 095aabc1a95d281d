// vault_edit and vault_insert, and the same on the command line: what docs/editing.md promises.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { VAULTD, cleanEnv, run, startHttp, startStdio, Session, tempDir } from '../support.mjs';

/** Tools of a server on a vault with these files. */
function toolsOf(vault, call) {
  const answer = async (name, args) => {
    const { result } = await call(name, args);
    return { failed: result.isError === true, value: JSON.parse(result.content[0].text) };
  };
  return {
    read: (file) => readFileSync(path.join(vault, file), 'utf8'),
    write(file, text) {
      mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
      writeFileSync(path.join(vault, file), text);
    },
    async ok(name, args) {
      const { failed, value } = await answer(name, args);
      assert.ok(!failed, JSON.stringify(value));
      return value;
    },
    async fails(name, args, code, message = /./) {
      const { failed, value } = await answer(name, args);
      assert.ok(failed, `${name} did not fail: ${JSON.stringify(value)}`);
      assert.equal(value.error.code, code, JSON.stringify(value));
      assert.match(value.error.message, message);
      return value.error.message;
    },
  };
}

async function start(t, files) {
  const vault = tempDir(t);
  let server;
  const s = toolsOf(vault, (name, args) => server.call(name, args));
  for (const [file, text] of Object.entries(files)) s.write(file, text);
  server = startStdio(t, { vault });
  await server.initialize();
  return s;
}

const NESTED = '# Top\n\nintro ^in\n\n## Plan\n\n- a\n\n### Details\n\ntext\n\n## Next\n\nlast\n';

test('a section or block that was read can be written back', async (t) => {
  const s = await start(t, { 'N.md': NESTED, 'C.md': NESTED.replaceAll('\n', '\r\n').trimEnd() });
  for (const file of ['N.md', 'C.md']) {
    const before = s.read(file);
    for (const section of ['Top', 'Plan', 'Details', 'Next']) {
      const { content } = await s.ok('vault_read', { path: file, section });
      for (const text of [content, content.trimEnd(), content.replaceAll('\r', ''), content.split('\n').slice(1).join('\n')]) {
        const r = await s.ok('vault_insert', { path: file, where: 'section_replace', anchor: section, content: text });
        assert.equal(r.unchanged, true, JSON.stringify([section, text]));
        assert.equal(s.read(file), before);
      }
    }
    const { content } = await s.ok('vault_read', { path: file, block: 'in' });
    for (const text of [content, content.replace(' ^in', '')])
      assert.equal((await s.ok('vault_insert', { path: file, where: 'block_replace', anchor: 'in', content: text })).unchanged, true);
  }
  const { content } = await s.ok('vault_read', { path: 'N.md', section: 'Plan' });
  await s.ok('vault_insert', { path: 'N.md', where: 'section_replace', anchor: 'Plan', content: content.replace('text', 'new text') });
  assert.equal(s.read('N.md'), NESTED.replace('text', 'new text'), 'subsections are not doubled');
});

test('a concurrent change is not overwritten', async (t) => {
  const s = await start(t, { 'N.md': NESTED });
  const replace = { path: 'N.md', where: 'section_replace', anchor: 'Plan', content: 'mine' };
  await s.ok('vault_read', { path: 'N.md', section: 'Plan' });
  s.write('N.md', NESTED.replace('last', 'changed elsewhere'));
  assert.equal((await s.ok('vault_insert', { ...replace, dry_run: true })).dry_run, true, 'another section does not matter');
  s.write('N.md', NESTED.replace('text', 'theirs'));
  const message = await s.fails('vault_insert', replace, 'CONFLICT', /changed since you read it.*etag [0-9a-f]{16}.*theirs/s);
  assert.ok(!message.includes('last'), 'only this section');
  assert.equal(s.read('N.md'), NESTED.replace('text', 'theirs'));
  await s.ok('vault_insert', replace);
  assert.equal(s.read('N.md'), '# Top\n\nintro ^in\n\n## Plan\n\nmine\n\n## Next\n\nlast\n', 'the refusal showed it');
  await s.ok('vault_insert', { ...replace, content: 'mine again' });

  await s.ok('vault_read', { path: 'N.md' });
  s.write('N.md', s.read('N.md').replace('intro', 'their intro'));
  await s.fails('vault_insert', { path: 'N.md', where: 'block_replace', anchor: 'in', content: 'x' }, 'CONFLICT', /their intro/);
  const { etag } = await s.ok('vault_read', { path: 'N.md' });
  s.write('N.md', `above\n${s.read('N.md')}`);
  await s.fails('vault_edit', { path: 'N.md', lines: '3', new_text: 'x' }, 'CONFLICT', /These lines changed since you read it/);
  await s.fails('vault_edit', { path: 'N.md', lines: '3', new_text: 'x', if_match: etag }, 'CONFLICT', /etag/);
});

test('what the client changed itself counts as read', async (t) => {
  const s = await start(t, { 'N.md': NESTED });
  await s.ok('vault_read', { path: 'N.md' });
  await s.ok('vault_edit', { path: 'N.md', old_text: 'text', new_text: 'words' });
  await s.ok('vault_edit', { path: 'N.md', lines: '1', new_text: '# Top\n\nmore' });
  await s.ok('vault_insert', { path: 'N.md', where: 'append', content: 'end' });
  await s.ok('vault_frontmatter', { path: 'N.md', set: { a: 1 } });
  const { content } = await s.ok('vault_read', { path: 'N.md', section: 'Plan' });
  await s.ok('vault_insert', { path: 'N.md', where: 'section_replace', anchor: 'Plan', content });
  const { change } = await s.ok('vault_insert', { path: 'N.md', where: 'section_replace', anchor: 'Plan', content: 'short' });
  await s.ok('vault_edit', { path: 'N.md', lines: '5', new_text: 'fifth' });
  await s.ok('vault_write', { path: 'M.md', content: NESTED });
  await s.ok('vault_insert', { path: 'M.md', where: 'section_replace', anchor: 'Plan', content: 'x' });
  await s.ok('vault_edit', { path: 'N.md', lines: '5', new_text: '' });
  await s.ok('vault_undo', {});
  await s.ok('vault_insert', { path: 'N.md', where: 'section_replace', anchor: 'Plan', content: 'after the undo' });
  assert.ok(change > 0);
});

test('each session has its own memory', async (t) => {
  const vault = tempDir(t);
  const server = await startHttp(t, { vault });
  const [one, two] = await Promise.all([Session.open(server), Session.open(server)]);
  const tools = (session) => toolsOf(vault, async (name, args) => (await session.call(name, args)).message);
  const [a, b] = [tools(one), tools(two)];
  a.write('N.md', NESTED);
  await a.ok('vault_read', { path: 'N.md' });
  a.write('N.md', NESTED.replace('text', 'theirs'));
  await b.ok('vault_insert', { path: 'N.md', where: 'section_replace', anchor: 'Next', content: 'b never read it' });
  await a.fails('vault_insert', { path: 'N.md', where: 'section_replace', anchor: 'Next', content: 'x' }, 'CONFLICT', /b never read it/);
});

test('text under an empty heading follows the note, then its neighbours', async (t) => {
  const s = await start(t, {
    'Own.md': '# A\n- a\n\n# Log\n\n# B\n',
    'Daily/2026-01-01.md': '# Log\n- one\n',
    'Daily/2026-01-02.md': '# Log\n',
    'Apart/1.md': '# Log\n\n- one\n',
    'Apart/2.md': '# Log\n',
    'Tight.md': '# N\n## One\n- a\n## Log\n## Three\n- c\n',
  });
  const add = (file) => s.ok('vault_insert', { path: file, where: 'section_end', anchor: 'Log', content: '- new' });
  await s.ok('vault_list', {}); // the index is loaded
  await add('Own.md');
  assert.equal(s.read('Own.md'), '# A\n- a\n\n# Log\n- new\n\n# B\n');
  await add('Daily/2026-01-02.md');
  assert.equal(s.read('Daily/2026-01-02.md'), '# Log\n- new\n');
  await add('Apart/2.md');
  assert.equal(s.read('Apart/2.md'), '# Log\n\n- new\n');
  await add('Tight.md');
  await s.ok('vault_insert', { path: 'Tight.md', where: 'section_end', anchor: 'One', content: '- b' });
  assert.equal(s.read('Tight.md'), '# N\n## One\n- a\n- b\n## Log\n- new\n## Three\n- c\n');
  await s.ok('vault_insert', { path: 'Tight.md', where: 'section_end', anchor: 'Log', content: '<div>\nx\n</div>' });
  assert.match(s.read('Tight.md'), /<\/div>\n\n## Three/);
  await s.ok('vault_insert', { path: 'Apart/1.md', where: 'after', anchor: '# Log', content: '- first' });
  assert.equal(s.read('Apart/1.md'), '# Log\n- first\n\n- one\n', 'the next line, literally');
});

test('answers name the lines that differ, with their text', async (t) => {
  const s = await start(t, { 'N.md': NESTED });
  const r = await s.ok('vault_edit', { path: 'N.md', old_text: '## Plan\n\n- a\n\n### Details', new_text: '## Plan\n\n- b\n\n### Details' });
  assert.deepEqual([r.changed_lines, r.new_lines], [[7, 7], '- b\n']);
  const gone = await s.ok('vault_edit', { path: 'N.md', old_text: '- b\n\n', new_text: '' });
  assert.deepEqual([gone.changed_lines, gone.new_lines], [[7, 7], undefined]);
  const added = await s.ok('vault_insert', { path: 'N.md', content: 'one\ntwo' });
  assert.deepEqual(added.new_lines, 'one\ntwo\n');
  const set = await s.ok('vault_frontmatter', { path: 'N.md', set: { a: 1, b: 2 } });
  assert.match(set.new_lines, /^---\na: 1\nb: 2\n---\n/);
});

test('an edit can be limited to a section, and replace lines', async (t) => {
  const s = await start(t, { 'N.md': '# A\n\nx\n\n# B\n\nx\n\n## C\n\ny\n' });
  await s.fails('vault_edit', { path: 'N.md', old_text: 'x', new_text: 'z' }, 'TEXT_NOT_UNIQUE');
  await s.ok('vault_edit', { path: 'N.md', section: 'B', old_text: 'x', new_text: 'z' });
  await s.fails('vault_edit', { path: 'N.md', section: 'A', old_text: 'z', new_text: 'w' }, 'TEXT_NOT_FOUND', /line 7, outside/);
  await s.ok('vault_edit', { path: 'N.md', section: 'B', edits: [{ old_text: 'z', new_text: 'x' }, { old_text: 'y', new_text: 'yy' }] });
  await s.ok('vault_edit', { path: 'N.md', section: 'B', regex: true, old_text: '[xy]+', new_text: '<$0>' });
  assert.equal(s.read('N.md'), '# A\n\nx\n\n# B\n\n<x>\n\n## C\n\n<yy>\n');
  await s.ok('vault_edit', { path: 'N.md', lines: '5-7', new_text: '# D\n' });
  await s.ok('vault_edit', { path: 'N.md', lines: '3', new_text: '' });
  assert.equal(s.read('N.md'), '# A\n\n\n# D\n\n## C\n\n<yy>\n');
  await s.fails('vault_edit', { path: 'N.md', lines: '8-9', new_text: 'x' }, 'LINE_OUT_OF_RANGE', /the note has 8 lines/);
  await s.fails('vault_edit', { path: 'N.md', lines: 'two', new_text: 'x' }, 'INVALID_RANGE');
  await s.fails('vault_edit', { path: 'N.md', lines: '1', old_text: 'x', new_text: 'x' }, 'INVALID_ARGUMENT', /only one of/);
  await s.fails('vault_edit', { path: 'N.md', lines: '1' }, 'INVALID_ARGUMENT', /needs new_text/);
  await s.fails('vault_edit', { path: 'N.md', cells: { a: 'b' } }, 'INVALID_ARGUMENT', /needs row/);
});

test('table rows are changed, added and removed by key', async (t) => {
  const table = '| Name  | Qty |\n| ----- | --: |\n| beans |   3 |\n';
  const s = await start(t, { 'N.md': `# Stock\n\n${table}\ntext\n` });
  await s.ok('vault_edit', { path: 'N.md', row: 'beans', cells: { Qty: 12 } });
  await s.ok('vault_edit', { path: 'N.md', row: 'kale', cells: { qty: '1|2' }, section: 'Stock' });
  assert.equal(s.read('N.md'), '# Stock\n\n| Name  |  Qty |\n| ----- | ---: |\n| beans |   12 |\n| kale  | 1\\|2 |\n\ntext\n');
  const r = await s.ok('vault_edit', { path: 'N.md', row: 'beans' });
  assert.equal(r.target, 'the table at line 3');
  assert.ok(!s.read('N.md').includes('beans'));
  await s.fails('vault_edit', { path: 'N.md', row: 'beans' }, 'TEXT_NOT_FOUND', /no row "beans"; it has "kale"/);
  await s.fails('vault_edit', { path: 'N.md', row: 'kale', cells: { Price: '1' } }, 'INVALID_ARGUMENT', /it has "Name", "Qty"/);
  await s.fails('vault_edit', { path: 'N.md', row: 'kale', cells: {} }, 'INVALID_ARGUMENT', /leave it out/);
  await s.ok('vault_edit', { path: 'N.md', row: 'kale', cells: { Qty: null } });
  assert.match(s.read('N.md'), /^\| kale  \| {6}\|$/m);
});

test('a regular expression may span lines', async (t) => {
  const s = await start(t, { 'N.md': 'a\n%% one\ntwo %%\nb %% three %%\n' });
  const r = await s.ok('vault_edit', { path: 'N.md', regex: true, old_text: '%%[\\s\\S]*?%%', new_text: '-' });
  assert.deepEqual([r.replacements, r.lines], [2, 3]);
  assert.equal(s.read('N.md'), 'a\n-\nb -\n');
  await s.fails('vault_edit', { path: 'N.md', regex: true, old_text: 'a.-', new_text: 'x' }, 'TEXT_NOT_FOUND', /\(\?s\)/);
  await s.ok('vault_edit', { path: 'N.md', regex: true, old_text: '(?s)a.-', new_text: 'x' });
  assert.equal(s.read('N.md'), 'x\nb -\n');
});

test('quotes, spaces and normal forms do not matter if only one place is meant', async (t) => {
  const s = await start(t, { 'N.md': 'He said “hi”  \nto cafe\u0301 5\u00a0km\n' });
  const r = await s.ok('vault_edit', { path: 'N.md', old_text: 'said "hi"\nto caf\u00e9 5 km', new_text: 'said "hi"\nto caf\u00e9 6 km' });
  assert.match(r.warnings[0], /no exact match: line 2 was used/);
  assert.equal(s.read('N.md'), 'He said “hi”  \nto cafe\u0301 6\u00a0km\n', 'the rest keeps its spelling');
  await s.ok('vault_insert', { path: 'N.md', where: 'after', anchor: '"hi"', content: 'and' });
  assert.equal(s.read('N.md'), 'He said “hi”  \nand\nto cafe\u0301 6\u00a0km\n');
  s.write('T.md', '“a”\n“a”\n');
  await s.fails('vault_edit', { path: 'T.md', old_text: '"a"', new_text: 'b' }, 'TEXT_NOT_UNIQUE', /not found exactly.*lines 1, 2/);
});

test('the command line edits the same way', async (t) => {
  const vault = tempDir(t);
  const home = tempDir(t);
  const env = cleanEnv(home, { STATE_DIR: path.join(home, 'state'), VAULT_PATH: vault });
  const s = toolsOf(vault);
  const cli = async (...args) => {
    const r = await run(VAULTD, args, { env });
    return r.code === 0 ? '' : r.stderr;
  };
  s.write('N.md', '# A\n\nx\n\n# B\n\nx\n\n| K | V |\n| - | - |\n| a | 1 |\n');
  assert.equal(await cli('edit', 'N.md', 'x', 'z', '--section', 'B'), '');
  assert.equal(await cli('edit', 'N.md', '--lines', '3', 'third'), '');
  assert.equal(await cli('edit', 'N.md', '--row', 'b', 'V=2, 3'), '');
  assert.equal(await cli('edit', 'N.md', '--row', 'a'), '');
  assert.equal(await cli('insert', 'N.md', 'literal', '--after', '# A'), '');
  assert.equal(s.read('N.md'), '# A\nliteral\n\nthird\n\n# B\n\nz\n\n| K | V |\n| - | - |\n| b | 2, 3 |\n');
  assert.equal(await cli('insert', 'N.md', '# B\n\nall', '--section', 'B', '--replace'), '');
  assert.equal(await cli('edit', 'N.md', '--lines', '1-2'), '');
  assert.equal(s.read('N.md'), '\nthird\n\n# B\n\nall\n');
  assert.match(await cli('edit', 'N.md', 'x'), /PATH, OLD and NEW/);
  assert.match(await cli('edit', 'N.md', '--lines', '99', 'x'), /the note has 6 lines/);
});

test('a lone CR ends a line for reading, searching, editing and tasks alike', async (t) => {
  const text = 'one\nprogress 10%\rprogress 100%\nthree\nfour target\n- [ ] do it\n';
  const s = await start(t, { 'A.md': text, 'B.md': text.replaceAll('\n', '\r') });
  for (const path of ['A.md', 'B.md']) {
    for (const mode of ['text', 'regex', 'words']) {
      const { results } = await s.ok('vault_search', { query: 'target', mode, path_filter: path });
      assert.deepEqual(results.map((r) => r.line), [5], `${path} ${mode}: ${JSON.stringify(results)}`);
    }
    const hit = await s.ok('vault_search', { query: '^progress 100%$', mode: 'regex', path_filter: path });
    assert.deepEqual(hit.results.map((r) => r.line), [3], path);
    const part = await s.ok('vault_read', { path, offset: 5, limit: 1 });
    assert.match(part.content, /^four target/);
    assert.equal(part.total_lines, 6);
    const tasks = await s.ok('vault_query', { from: 'tasks', where: `file.name = "${path[0]}"` });
    assert.deepEqual(tasks.rows.map((r) => r.line), [6], JSON.stringify(tasks));
    await s.ok('vault_edit', { path, lines: '5', new_text: 'five' });
    assert.equal(s.read(path), (path === 'A.md' ? text : text.replaceAll('\n', '\r')).replace('four target', 'five'));
  }
});

test('a section that is moved into an open code block is reported', async (t) => {
  const s = await start(t, { 'A.md': '# A\n\n## Last\n\ntext\n', 'B.md': '# B\n\n```\nopen\n' });
  const moved = await s.ok('vault_move', { path: 'A.md', heading: 'Last', into: 'B.md' });
  assert.match(JSON.stringify(moved.warnings), /code block/);
});
