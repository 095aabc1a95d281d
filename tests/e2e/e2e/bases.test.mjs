// Bases from the wire and the command line to the disk and back: running views, checking before a
// base is written, and renaming what bases name.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { VAULTD, assertNoSanitizer, cleanEnv, copyVault, run, startStdio, tempDir } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const LIBRARY = `filters:
  and:
    - file.inFolder("Books")
    - file.hasTag("book")
formulas:
  per page: if(pages, (price / pages).round(2))
  late: due < date("2026-03-15")
properties:
  formula.per page:
    displayName: Per page
views:
  - type: table
    name: All
    order: [file.name, author, price, formula.per page]
    sort:
      - property: price
        direction: DESC
    groupBy: {property: status, direction: ASC}
    summaries: {price: Sum}
  - type: cards
    name: Top
    filters: rating >= 4
    order: [file.name, rating]
    limit: 1
    sort:
      - property: rating
        direction: DESC
  - type: table
    name: By author
    filters: author == this
`;

const NOTES = {
  'Library.base': LIBRARY,
  'Books/Dune.md': '---\ntags: [book]\nauthor: "[[Frank Herbert]]"\nprice: 12.5\npages: 500\nrating: 5\nstatus: done\n---\n',
  'Books/Emma.md': '---\ntags: [book/classic]\nauthor: "[[Jane Austen]]"\nprice: 8\npages: 400\nrating: 4\nstatus: reading\n---\n',
  'Books/Plain.md': '---\ntags: [book]\n---\n',
  'Books/Other.md': 'not tagged\n',
  'People/Frank Herbert.md': '# Frank Herbert\n\n![[Library.base#By author]]\n',
  'People/Jane Austen.md': '# Jane Austen\n',
  'Dashboard.md': '# Reading\n\n```base\nfilters: author == this.focus\nviews:\n  - name: Mine\n    order: [file.name]\n```\n\n# People\n\n```base\nfilters: file.inFolder("People")\nviews:\n  - name: All people\n    order: [file.name]\n```\n'.replace(/^/, '---\nfocus: "[[Jane Austen]]"\n---\n'),
};

function makeVault(t, files = NOTES) {
  const dir = path.join(tempDir(t), 'vault');
  mkdirSync(path.join(dir, '.obsidian'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
  return dir;
}

async function start(t, vault = makeVault(t), args = []) {
  const io = startStdio(t, { vault, args: ['--auto-context', 'off', ...args] });
  await io.initialize();
  const call = async (name, given) => {
    const { result } = await io.call(name, given);
    return { failed: result.isError === true, value: JSON.parse(result.content[0].text) };
  };
  return {
    io,
    read: (file) => readFileSync(path.join(vault, file), 'utf8'),
    async ok(name, given) {
      const { failed, value } = await call(name, given);
      assert.ok(!failed, JSON.stringify(value));
      return value;
    },
    async fails(name, given, message) {
      const { failed, value } = await call(name, given);
      assert.ok(failed, `${name} did not fail: ${JSON.stringify(value)}`);
      assert.match(value.error.message, message);
      return value.error;
    },
  };
}

const paths = (answer) => answer.rows.map((row) => row.path);

/* --- running --- */

test('vault_query runs a view with formulas, groups and summaries', async (t) => {
  const s = await start(t);
  const all = await s.ok('vault_query', { base: 'Library.base' });
  assert.deepEqual([all.path, all.view, all.type, all.views, all.total], ['Library.base', 'All', 'table', ['All', 'Top', 'By author'], 3]);
  assert.deepEqual(all.columns.map((c) => c.name), ['name', 'author', 'price', 'Per page']);
  assert.deepEqual(paths(all), ['Books/Dune.md', 'Books/Emma.md', 'Books/Plain.md']);
  assert.deepEqual(all.rows[0], {
    group: { value: 'done', count: 1, summaries: { price: { Sum: 12.5 } } },
    path: 'Books/Dune.md',
    cells: { 'file.name': 'Dune', author: '[[Frank Herbert]]', price: 12.5, 'formula.per page': 0.03 },
  });
  assert.deepEqual(all.rows[2].group, { value: null, count: 1, summaries: { price: { Sum: 0 } } });
  assert.deepEqual(all.summaries, { price: { Sum: 20.5 } });

  const top = await s.ok('vault_query', { base: 'library', view: 'top' });
  assert.deepEqual([paths(top), top.total, top.view], [['Books/Dune.md'], 2, 'Top'], 'a limit of one, and both are counted');
  assert.equal((await s.ok('vault_query', { base: '[[Library.base#Top]]' })).view, 'Top');
  await s.fails('vault_query', { base: 'Library.base', view: 'Nope' }, /no view 'Nope'; there are: 'All', 'Top', 'By author'/);
  await s.fails('vault_query', { base: 'Nope.base' }, /File not found: Nope\.base/);
  await s.fails('vault_query', { base: 'Books/Other.md' }, /no such base in 'Books\/Other\.md'/);
  await s.fails('vault_query', { base: 'Library.base', where: 'a = 1' }, /a base has its own filters/);
  await s.fails('vault_query', { view: 'All' }, /view needs base/);
});

test('this is the base, the note with the block, or the note that is given', async (t) => {
  const s = await start(t);
  const of = async (given) => paths(await s.ok('vault_query', given));
  assert.deepEqual(await of({ base: 'Library.base', view: 'By author' }), []);
  assert.deepEqual(await of({ base: 'Library.base', view: 'By author', this: 'People/Frank Herbert.md' }), ['Books/Dune.md']);
  assert.deepEqual(await of({ base: 'Library.base', view: 'By author', this: 'Jane Austen' }), ['Books/Emma.md']);
  assert.deepEqual(await of({ base: 'Dashboard' }), ['Books/Emma.md']);
  const people = ['People/Frank Herbert.md', 'People/Jane Austen.md'];
  for (const given of [{ base: 'Dashboard#People' }, { base: 'Dashboard.md#2' }, { base: 'Dashboard', view: 'All people' }]) assert.deepEqual(await of(given), people, JSON.stringify(given));
  await s.fails('vault_query', { base: 'Dashboard#Nope' }, /no heading 'Nope' in 'Dashboard\.md'/);
});

test('a base that is not saved runs, in pages, and its mistakes have a place', async (t) => {
  const s = await start(t);
  const base = 'filters: file.ext == "md"\nviews:\n  - order: [file.name]\n    sort: [{property: file.path, direction: DESC}]\n';
  const first = await s.ok('vault_query', { base, limit: 2 });
  assert.deepEqual([paths(first), first.total, first.next], [['People/Jane Austen.md', 'People/Frank Herbert.md'], 7, { offset: 2 }]);
  const second = await s.ok('vault_query', { base, limit: 2, offset: 2 });
  assert.deepEqual(paths(second), ['Dashboard.md', 'Books/Plain.md']);
  assert.deepEqual(paths(await s.ok('vault_query', { base: 'filters: rating > 4' })), ['Books/Dune.md']);
  await s.fails('vault_query', { base: 'filters:\n  and:\n    - rating >> 4\n' }, /^base: line 3, column 15: filter: /);
  await s.fails('vault_query', { base: 'views:\n  a: 1\n' }, /^base: line 1, column 1: views must be a list/);
  const misspelt = await s.ok('vault_query', { base: 'filters: file.hasTga("x")\n' });
  assert.deepEqual([misspelt.total, misspelt.errors.rows], [0, 8]);
  assert.match(misspelt.errors.first, /hasTag/);
  const odd = await s.ok('vault_query', { base: 'extra: 1\nviews:\n  - order: [formula.no]\n    limit: 1\n' });
  assert.match(odd.warnings[0], /unknown key 'extra'/);
  const near = await s.ok('vault_query', { base: 'filters: ratign > 4' });
  assert.deepEqual(near.warnings, ["no note has the property 'ratign'; did you mean 'rating'?"]);
  assert.match(odd.rows[0].cells['formula.no'].error, /no formula 'no'/);
});

test('an empty table says what no file has, and odd arguments what to pass', async (t) => {
  const s = await start(t);
  const warnings = async (base) => (await s.ok('vault_query', { base })).warnings;
  assert.deepEqual(await warnings('filters: file.inFolder("Boks")\n'), ["no file is in the folder 'Boks' (did you mean 'Books'?)"]);
  assert.deepEqual(await warnings('filters: file.name == "Dnue"\n'), ["no file has file.name 'Dnue' (did you mean 'Dune'?)"]);
  assert.match((await warnings('filters: file.hasLink(this)\n'))[0], /uses `this`, which means nothing here .*: pass the path of a note as this/);
  assert.deepEqual(paths(await s.ok('vault_query', { base: '```base\nfilters: rating > 4\n```' })), ['Books/Dune.md']);
  const grouped = await s.ok('vault_query', { base: 'formulas: {x: 1}\nviews:\n  - groupBy: {property: formula.y}\n' });
  assert.match(grouped.warnings[0], /there is no formula 'y'/);
  await s.fails('vault_query', { base: '' }, /base is empty: pass the path of a \.base file/);
  await s.fails('vault_query', { base: 'xyzzy' }, /File not found: xyzzy; nor is it the text of a base/);
});

test('a caller who may see one folder gets rows of that folder only', async (t) => {
  const s = await start(t, makeVault(t), ['--read-paths', 'Books,Library.base']);
  const everything = await s.ok('vault_query', { base: 'views:\n  - order: [file.backlinks]\n' });
  assert.deepEqual(paths(everything), ['Books/Dune.md', 'Books/Emma.md', 'Books/Other.md', 'Books/Plain.md', 'Library.base']);
  assert.doesNotMatch(JSON.stringify(everything), /Dashboard|People\//);
});

for (const row of CONNECTIONS.filter(({ name }) => ['SDK v1 over stdio', 'SDK v2 pinned over HTTP'].includes(name))) {
  test(`a saved view is a resource (${row.name})`, async (t) => {
    const sdk = await connect(t, row, { vault: makeVault(t) });
    const { resourceTemplates } = await sdk.client.listResourceTemplates();
    const template = resourceTemplates.find(({ name }) => name === 'base');
    assert.equal(template.uriTemplate, 'vault-base:///{view}/{+path}');
    const uri = 'vault-base:///Top/Library.base';
    const { contents } = await sdk.client.readResource({ uri });
    assert.deepEqual([contents[0].uri, contents[0].mimeType], [uri, 'text/plain']);
    assert.equal(contents[0].text, 'Library.base, view Top (others: All, By author): 1 of 2 files\npath | rating\nBooks/Dune.md | 5\n');
    const complete = async (name, value, args) => (await sdk.client.complete({ ref: { type: 'ref/resource', uri: template.uriTemplate }, argument: { name, value }, ...(args && { context: { arguments: args } }) })).completion.values;
    assert.deepEqual(await complete('path', 'lib'), ['Library.base']);
    assert.deepEqual(await complete('view', 'b', { path: 'Library.base' }), ['By author']);
    await sdk.close();
  });
}

test('a model gets a table in plain text', async (t) => {
  const io = startStdio(t, { vault: makeVault(t), args: ['--auto-context', 'off', '--answers', 'text'] });
  await io.initialize();
  const { result } = await io.call('vault_query', { base: 'Library.base' });
  assert.equal(result.content[0].text, `Library.base, view All (others: Top, By author): 3 files
path | author | price | Per page
# done (1): price Sum 12.5
Books/Dune.md | [[Frank Herbert]] | 12.5 | 0.03
# reading (1): price Sum 8
Books/Emma.md | [[Jane Austen]] | 8 | 0.02
# None (1): price Sum 0
Books/Plain.md |  |  | ${''}
= price Sum 20.5
`);
});

test('hostile bases meet a limit, not a stall', async (t) => {
  const s = await start(t);
  const nested = (n) => `filters: ${'{and: ['.repeat(n)}a${']}'.repeat(n)}\n`;
  await s.fails('vault_query', { base: nested(66) }, /filters are nested deeper than 64 levels/);
  await s.fails('vault_query', { base: nested(5000) }, /depth of lists and maps is above/);
  await s.fails('vault_query', { base: `filters: ${'('.repeat(3000)}\n` }, /nested deeper than/);
  await s.fails('vault_query', { base: `filters: "${'a'.repeat(20000)}"\n` }, /too long/);
  await s.fails('vault_query', { base: `# ${'a'.repeat(1 << 20)}\nviews: []\n` }, /bytes, more than/);
  await s.fails('vault_query', { base: `formulas:\n${Array.from({ length: 300 }, (_, i) => `  f${i}: 1\n`).join('')}` }, /more than 256 items/);
  await s.fails('vault_query', { base: 'a: &a [x, x, x, x, x, x, x, x, x, x]\nb: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\nd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]\ne: [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]\n' }, /number of values is above/);
  const list = `[${Array.from({ length: 300 }, (_, i) => i)}]`;
  const slow = await s.ok('vault_query', { base: `formulas:\n  a: formula.b\n  b: formula.a\n  big: '${list}.map(${list}.map(${list}.map(value)))'\nviews:\n  - order: [formula.a, formula.big]\n    limit: 1\n` });
  assert.match(slow.rows[0].cells['formula.a'].error, /uses itself/);
  assert.ok(slow.partial || slow.rows[0].cells['formula.big'].error, 'thirty million items');
  await s.fails('vault_query', { base: `filters: ${Array(901).fill('a').join(' + ')}\n` }, /filter: more than 256 operators in a row/);
  const stopped = await s.ok('vault_query', { base: `filters: '${list}.map(${list}.map(${list}.map(value))).length > 1'\n` });
  assert.equal(stopped.partial, true);
  assert.match(stopped.limit, /^more than (5 seconds|50 million steps|256 MB of memory)$/);
});

/* --- writing --- */

test('a base with a mistake is not written, unless it was broken before', async (t) => {
  const s = await start(t, makeVault(t, { ...NOTES, 'Broken.base': 'filters: a ==\n' }));
  await s.fails('vault_write', { path: 'New.base', content: 'formulas:\n  total: price *\n' }, /'New\.base' would not be valid: line 2, column \d+: formula total: /);
  await s.fails('vault_edit', { path: 'Library.base', old_text: 'rating >= 4', new_text: 'rating => 4' }, /line 22, column \d+: filter of view Top: /);
  await s.fails('vault_insert', { path: 'Dashboard.md', content: '```base\nfilters: (a\n```\n' }, /line \d+, column \d+: filter: /);
  await s.fails('vault_write', { path: 'New.base', content: 'filters: file.hasTga("x")\n' }, /line 1, column 15: filter: there is no function 'hasTga' \(byte 5\); did you mean 'hasTag'\?/);
  await s.fails('vault_write', { path: 'New.base', content: 'formulas:\n  due: 1\nviews:\n  - order: [formula.deu]\n' }, /line 4, column 13: order of view View 1: there is no formula 'deu' \(byte 0\); did you mean 'due'\?/);
  assert.equal(s.read('Library.base'), LIBRARY);
  await s.ok('vault_edit', { path: 'Broken.base', old_text: 'a ==', new_text: 'b ==' });
  await s.ok('vault_write', { path: 'New.base', content: 'filters: price > 1\n' });
});

/* --- renaming --- */

test('moving and renaming changes what bases name, and undo brings it back', async (t) => {
  const files = {
    'Books/Dune.md': '---\ntags: [book]\ndue: 2026-01-01\n---\n',
    'List.base': '# Books and "Dune"\nfilters:\n  and:\n    - file.inFolder("Books")  # Books\n    - file.hasTag("book")\n    - \'!file.hasLink("Dune")\'\n    - due < today()\nviews:\n  - order: [due, note.due]\n',
    'Note.md': '```base\nfilters: file.folder == "Books"\n```\n\nBooks\n',
  };
  const s = await start(t, makeVault(t, files));
  const steps = [
    [{ path: 'Books', to: 'Library' }, [['inFolder("Books")', 'inFolder("Library")']]],
    [{ path: 'Dune', to: 'Arrakis' }, [['hasLink("Dune")', 'hasLink("Arrakis")']]],
    [{ tag: 'book', to: 'read/book' }, [['hasTag("book")', 'hasTag("read/book")']]],
    [{ property: 'due', to: 'deadline' }, [['- due <', '- deadline <'], ['[due, note.due]', '[deadline, note.deadline]']]],
  ];
  let want = files['List.base'];
  for (const [args, changes] of steps) {
    await s.ok('vault_move', args);
    for (const [from, to] of changes) want = want.replace(from, to);
    assert.equal(s.read('List.base'), want, JSON.stringify(args));
  }
  assert.equal(s.read('Note.md'), files['Note.md'].replace('== "Books"', '== "Library"'));
  assert.equal(s.read('Library/Arrakis.md'), '---\ntags: [read/book]\ndeadline: 2026-01-01\n---\n');
  await s.fails('vault_move', { property: 'due', to: 'x' }, /no note has the property 'due'/);
  await s.fails('vault_move', { property: 'a', tag: 'b', to: 'x' }, /only one of heading, block, tag and property/);
  for (let i = 0; i < steps.length; i++) await s.ok('vault_undo', {});
  assert.equal(s.read('List.base'), files['List.base']);
  assert.equal(s.read('Note.md'), files['Note.md']);
});

/* --- the command line --- */

test('vaultd base prints tables, and other forms for scripts', async (t) => {
  const vault = makeVault(t), home = tempDir(t);
  const env = cleanEnv(home, { STATE_DIR: path.join(home, 'state'), VAULT_PATH: vault, TZ: 'UTC' });
  const base = async (code, ...args) => {
    const end = await run(VAULTD, ['base', ...args], { env });
    assertNoSanitizer(end.stderr, args.join(' '));
    assert.equal(end.code, code, `${args.join(' ')}: ${end.stderr}`);
    return code === 0 ? end.stdout : end.stderr;
  };
  assert.equal(await base(0, 'Library', 'Top'), 'Books/Dune.md  5\n');
  assert.equal(await base(0, 'Library', '--paths'), 'Books/Dune.md\nBooks/Emma.md\nBooks/Plain.md\n');
  assert.equal(await base(0, 'Library', '--views'), 'All\nTop\nBy author\n');
  assert.equal(await base(0, 'Library.base#Top', '--csv'), 'path,name,rating\nBooks/Dune.md,Dune,5\n');
  assert.equal(await base(0, 'Library', 'Top', '--md'), '| file | rating |\n| --- | --- |\n| [[Books/Dune]] | 5 |\n');
  assert.match(await base(0, 'Library', '--md'), /^### done\n\n\| file \| author \| price \| Per page \|\n[^]*\n### None\n\n/);
  assert.match(await base(0, 'Library'), /^# done \(1\): price Sum 12\.5\nBooks\/Dune\.md .*0\.03\n[^]*= price Sum 20\.5\n$/);
  assert.equal(JSON.parse(await base(0, 'Library', '--json')).total, 3);
  assert.deepEqual(JSON.parse(await base(0, 'Library', 'By author', '--this', 'Frank Herbert', '--json')).rows.map((r) => r.path), ['Books/Dune.md']);
  assert.equal(await base(0, 'Dashboard#People', '--paths'), 'People/Frank Herbert.md\nPeople/Jane Austen.md\n');
  await base(1, 'Library', 'By author');
  assert.match(await base(1, 'Library', 'Nope'), /^vaultd: no view 'Nope'/);
  assert.match(await base(2, 'Library', '--csv', '--json'), /choose one of/);
});

test('the bases of the example vault run', async (t) => {
  const s = await start(t, copyVault(t));
  const all = await s.ok('vault_query', { base: 'Projects.base' });
  assert.deepEqual(all.views, ['All projects', 'Active', 'Garden', 'Done']);
  assert.equal(all.errors, undefined);
  assert.deepEqual(paths(await s.ok('vault_query', { base: 'Projects.base', view: 'Done' })), ['Projects/Rain barrel.md']);
  const books = await s.ok('vault_query', { base: 'Reading list' });
  assert.equal(books.total, 3);
  assert.deepEqual(books.rows[0].cells['formula.age'], 2026 - 1988);
});
