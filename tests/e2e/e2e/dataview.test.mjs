// Inline fields of Dataview as properties, and its queries, through tools and on the command line.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, startStdio, tempDir, within } from '../support.mjs';

const FILES = {
  'Books/Dune.md': '---\nrating: 5\ntags: [book]\n---\nrating:: 4\n\n**Read By**:: [[Ines]]\n\n- [ ] lend it [effort:: 2] 📅 2026-11-20\n- [x] read it\n',
  'Books/Emma.md': '---\ntags: [book/old]\n---\nI give it (rating:: 3), it took [pages:: 474].\n\n- mood:: fine\n',
  'Books/None.md': '#book\n\n`rating:: 9`\n\n```\nrating:: 8\n```\n',
  'Ines.md': 'Reads.\n',
  'Dash.md': '# Books\n\nwanted:: 3\n\n```dataview\nTABLE rating FROM #book\nWHERE max(rating) >= this.wanted\nSORT file.name\n```\n\n## Tasks\n\n> ```dataview\n> TASK\n> WHERE !completed\n> ```\n',
  'Script.md': '```dataviewjs\ndv.list([1])\n```\n',
};

function makeVault(t, files = FILES) {
  const dir = path.join(tempDir(t), 'vault');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(dir, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
  return dir;
}

async function open(t, dir, ...args) {
  const io = startStdio(t, { vault: dir, args: ['--auto-context', 'off', ...args] });
  await io.initialize();
  const say = async (name, given) => (await within(io.call(name, given), JSON.stringify(given))).result.content.at(-1).text;
  const call = async (name, given) => {
    const data = JSON.parse(await say(name, given));
    return data.error ?? data;
  };
  return { io, say, call };
}

const paths = (answer) => answer.rows.map((row) => row.path);

test('inline fields are properties in queries', async (t) => {
  const dir = makeVault(t);
  const { call } = await open(t, dir);
  const find = async (where, more = {}) => paths(await call('vault_query', { where, ...more }));
  assert.deepEqual(await find('rating = 4'), ['Books/Dune.md']);
  assert.deepEqual(await find('rating >= 3'), ['Books/Dune.md', 'Books/Emma.md'], 'not in code');
  assert.deepEqual(await find('`Read By` = [[Ines]]'), ['Books/Dune.md']);
  assert.deepEqual(await find('read-by exists'), ['Books/Dune.md']);
  assert.deepEqual(await find('mood = fine and pages > 400'), ['Books/Emma.md']);
  assert.deepEqual(await find('effort exists'), [], 'a field of a task is not one of its note');
  assert.deepEqual((await call('vault_query', { where: 'rating exists', select: ['rating'] })).rows.map((row) => row.values.rating), [[5, 4], 3]);
  const tasks = await call('vault_query', { from: 'tasks', where: 'effort = 2', select: ['effort', 'rating'] });
  assert.deepEqual(tasks.rows.map((row) => [row.path, row.values]), [['Books/Dune.md', { effort: 2, rating: [5, 4] }]]);
  const { properties } = await call('vault_query', { from: 'properties' });
  assert.deepEqual(properties.filter((p) => ['rating', 'Read By', 'effort'].includes(p.name)).map((p) => [p.name, p.notes]), [['rating', 2], ['Read By', 1]]);
});

test('inline fields stay right when notes change', async (t) => {
  const dir = makeVault(t);
  const { call } = await open(t, dir);
  const find = async (where) => paths(await call('vault_query', { where }));
  assert.deepEqual(await find('rating = 3'), ['Books/Emma.md']);
  await call('vault_edit', { path: 'Books/Emma.md', old_text: '(rating:: 3)', new_text: '(rating:: 2)' });
  assert.deepEqual(await find('rating = 3'), []);
  assert.deepEqual(await find('rating = 2'), ['Books/Emma.md']);
  await call('vault_write', { path: 'New.md', content: 'rating:: 3\n' });
  assert.deepEqual(await find('rating = 3'), ['New.md']);
  await call('vault_delete', { path: 'New.md' });
  assert.deepEqual(await find('rating = 3'), []);
});

test('properties of a note are those of its frontmatter, and say where inline fields are', async (t) => {
  const dir = makeVault(t);
  const json = await open(t, dir), text = await open(t, dir, '--answers', 'text');
  const read = await json.call('vault_read', { path: 'Books/Dune.md', view: 'frontmatter' });
  assert.deepEqual(read.frontmatter, { rating: 5, tags: ['book'] });
  assert.deepEqual(read.inline.map((f) => [f.key, f.value, f.line]), [['rating', 4, 5], ['Read By', '[[Ines]]', 7]]);
  assert.match(await text.say('vault_read', { path: 'Books/Emma.md', view: 'frontmatter' }), /\[inline fields: rating in line 4, pages in line 4, mood in line 6\]/);
  assert.match(await text.say('vault_frontmatter', { path: 'Books/Emma.md', set: { rating: 4 } }), /'rating' is also an inline field, in line 5, which stays as it is/);
});

test('queries of Dataview', async (t) => {
  const dir = makeVault(t);
  const { call } = await open(t, dir);
  const dql = (query, more = {}) => call('vault_query', { dql: query, ...more });
  assert.deepEqual(await dql('TABLE rating, length(file.tasks) AS "n" FROM #book SORT file.name'), { total: 3, rows: [
    { path: 'Books/Dune.md', values: { rating: [5, 4], n: 2 } },
    { path: 'Books/Emma.md', values: { rating: 3, n: 0 } },
    { path: 'Books/None.md', values: { rating: null, n: 0 } }] });
  assert.deepEqual(await dql('task where due'), { total: 1, rows: [{ path: 'Books/Dune.md', line: 9, task: 'lend it [effort:: 2] 📅 2026-11-20', status: ' ' }] });
  assert.deepEqual(await dql('LIST length(rows) FROM "Books" GROUP BY econtains(file.etags, "#book") AS old'), { total: 2, rows: [
    { key: false, rows: [{ path: 'Books/Emma.md' }], values: { 'length(rows)': 1 } },
    { key: true, rows: [{ path: 'Books/Dune.md' }, { path: 'Books/None.md' }], values: { 'length(rows)': 2 } }] });
  const page = await dql('LIST FROM "Books"', { limit: 1, offset: 1 });
  assert.deepEqual([page.total, paths(page), page.next], [3, ['Books/Emma.md'], { offset: 2 }]);
  assert.deepEqual(paths(await dql('LIST FROM [[Ines]]')), ['Books/Dune.md']);
});

test('queries in the code blocks of notes', async (t) => {
  const dir = makeVault(t);
  const { call } = await open(t, dir);
  const first = await call('vault_query', { dql: 'Dash' });
  assert.deepEqual([first.path, first.block, paths(first)], ['Dash.md', 1, ['Books/Dune.md', 'Books/Emma.md']]);
  const second = await call('vault_query', { dql: 'Dash.md#Tasks' });
  assert.deepEqual([second.block, second.rows[0].line], [2, 9]);
  assert.deepEqual(await call('vault_query', { dql: 'Dash#2' }), second);
  assert.match((await call('vault_query', { dql: 'Script' })).message, /only dataviewjs/);
  assert.match((await call('vault_query', { dql: 'Ines' })).message, /no dataview code block/);
  assert.match((await call('vault_query', { dql: 'Nobody.md' })).message, /Nobody/);
});

test('what is not supported is refused by name and place', async (t) => {
  const { call } = await open(t, makeVault(t));
  for (const [query, message] of [
    ['CALENDAR file.day', /CALENDAR at byte 0 is not supported: use LIST, TABLE or TASK/],
    ['LIST WHERE lenght(x)', /'lenght' at byte 11 is not supported; did you mean 'length'\?/],
    ['LIST FROM "Books" WHERE', /expected a field or value at byte 23, found the end/],
    ['LIST WHERE file.lists', /'file.lists' at byte 16 is not supported/],
    ['LIST FROM csv("x")', /csv\(\) at byte 10 is not supported/],
    ['LIST WHERE due < date(tody)', /'tody' at byte 22 is not a date; did you mean 'today'\?/],
    ['= this.wanted', /inline queries \(=\) are not supported/],
    ['$= dv.current()', /inline scripts \(\$=\) are not supported/],
    ['```dataviewjs\ndv.list([1])\n```', /dataviewjs, which is JavaScript and is not run/],
  ]) {
    const error = await call('vault_query', { dql: query });
    assert.equal(error.code, 'INVALID_QUERY', query);
    assert.match(error.message, message);
  }
  assert.match((await call('vault_query', { dql: 'LIST', where: 'x' })).message, /use only this, limit and offset/);
});

test('an empty answer says what no note has', async (t) => {
  const { call } = await open(t, makeVault(t));
  const { say } = await open(t, makeVault(t), '--answers', 'text');
  const answer = async (given) => [await call('vault_query', given)].map(({ total, note, unknown }) => [total, note ?? unknown?.[0]])[0];
  assert.deepEqual(await answer({ where: 'mood = fien' }), [0, "no note has mood 'fien' (did you mean 'fine'?)"]);
  assert.deepEqual(await answer({ where: 'tag = #bok', count: true }), [0, "no note has the tag 'bok' (did you mean 'book'?)"]);
  assert.deepEqual(await answer({ dql: 'LIST FROM "Boks"' }), [0, "no note is in the folder 'Boks' (did you mean 'Books'?)"]);
  assert.deepEqual(await answer({ dql: 'TABLE ratign FROM "Books"' }), [3, { field: 'ratign', nearest: ['rating'] }]);
  assert.equal(await say('vault_query', { dql: 'LIST FROM #old' }), "0 notes\n[no note has the tag 'old' (did you mean 'book/old'?)]\n");
  assert.match((await call('vault_query', { where: 'due < tomorow' })).message, /'tomorow' at byte 6 is not a date; did you mean 'tomorrow'\?/);
  assert.match((await call('vault_query', { dql: 'xyzzy' })).message, /File not found: xyzzy; nor is it a query, which begins with LIST/);
  assert.match((await call('vault_query', { dql: '' })).message, /dql is empty/);
});

test('this is the note that is given', async (t) => {
  const { call } = await open(t, makeVault(t));
  const query = 'LIST FROM "Books" WHERE max(rating) >= this.wanted';
  assert.deepEqual(paths(await call('vault_query', { dql: query, this: 'Dash' })), ['Books/Dune.md', 'Books/Emma.md']);
  assert.deepEqual(paths(await call('vault_query', { dql: '```dataview\nLIST FROM outgoing([[]])\n```', this: 'Books/Dune.md' })), ['Ines.md']);
  assert.match((await call('vault_query', { where: 'rating', this: 'Dash' })).message, /this needs base or dql/);
});

test('vaultd query takes a query of Dataview', (t) => {
  const dir = makeVault(t);
  const run = (...args) => execFileSync(VAULTD, ['query', '-v', dir, ...args], { encoding: 'utf8' });
  assert.equal(run('TABLE rating FROM #book WHERE rating SORT rating'), '2 notes\npath | rating\nBooks/Dune.md | 5, 4\nBooks/Emma.md | 3\n');
  assert.equal(run('TASK WHERE !completed'), '1 task\nBooks/Dune.md\n9: [ ] lend it [effort:: 2] 📅 2026-11-20\n');
  assert.deepEqual(JSON.parse(run('--json', 'LIST FROM "Books" LIMIT 1')), { total: 1, rows: [{ path: 'Books/Dune.md' }] });
  assert.equal(run('mood = fine'), 'Books/Emma.md\n');
  const refused = spawnSync(VAULTD, ['query', '-v', dir, 'CALENDAR x'], { encoding: 'utf8' });
  assert.match(refused.stderr, /CALENDAR/);
  assert.match(execFileSync(VAULTD, ['properties', '-v', dir], { encoding: 'utf8' }), /Read By/);
  assert.equal(readFileSync(path.join(dir, 'Ines.md'), 'utf8'), FILES['Ines.md']);
});
