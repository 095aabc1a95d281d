// The tools that change a vault: what they answer, and what is on disk afterwards.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Session, VAULTD, cleanEnv, copyVault, modernMessage, postModern, run, startHttp, startStdio, tempDir } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const PLAN = 'Projects/Cold frame.md';

/** Every file with its bytes, hidden ones (the trash) included. */
function everything(dir, below = '') {
  return Object.fromEntries(readdirSync(path.join(dir, below)).flatMap((name) => {
    const at = path.posix.join(below, name);
    return statSync(path.join(dir, at)).isDirectory() ? Object.entries(everything(dir, at)) : [[at, readFileSync(path.join(dir, at), 'latin1')]];
  }));
}

/** A server on a copy of the vault; ok() and fails() call a tool and expect exactly that. */
async function start(t, options = {}) {
  const vault = copyVault(t);
  const server = startStdio(t, { vault, ...options });
  await server.initialize();
  const call = async (name, args) => {
    const { result } = await server.call(name, args);
    return { failed: result.isError === true, value: JSON.parse(result.content[0].text) };
  };
  return {
    server,
    vault,
    read: (file) => readFileSync(path.join(vault, file), 'utf8'),
    has: (file) => existsSync(path.join(vault, file)),
    write(file, text) {
      mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
      writeFileSync(path.join(vault, file), text);
    },
    files: () => everything(vault),
    /** The same through the server, so that its index is up to date. */
    make(file, content) {
      return this.ok('vault_write', { path: file, content, overwrite: true });
    },
    async ok(name, args) {
      const { failed, value } = await call(name, args);
      assert.ok(!failed, JSON.stringify(value));
      return value;
    },
    async fails(name, args, code, message = /./) {
      const before = everything(vault);
      const { failed, value } = await call(name, args);
      assert.ok(failed, `${name} did not fail: ${JSON.stringify(value)}`);
      assert.deepEqual(Object.keys(value), ['error']);
      assert.equal(value.error.code, code, JSON.stringify(value));
      assert.match(value.error.message, message);
      assert.deepEqual(everything(vault), before, `${name} failed and changed something`);
    },
  };
}

/* --- vault_write --- */

test('vault_write creates and replaces (S1-75, S1-76, S1-77, S1-78)', async (t) => {
  const s = await start(t);
  const made = await s.ok('vault_write', { path: 'New/Deep/Note.md', content: 'one\ntwo\n' });
  assert.deepEqual([made.path, made.created, made.size, made.total_lines], ['New/Deep/Note.md', true, 8, 2]);
  assert.equal(s.read('New/Deep/Note.md'), 'one\ntwo\n');
  const again = await s.ok('vault_write', { path: 'New/Deep/Note.md', content: 'three', if_match: made.etag });
  assert.deepEqual([again.created, again.size, again.total_lines], [false, 5, 1]);
  assert.equal(s.read('New/Deep/Note.md'), 'three');
  await s.fails('vault_write', { path: 'Other/Note.md', content: 'x', create_dirs: false }, 'FILE_NOT_FOUND');
});

test('vault_write keeps to the vault (S1-80, S1-81)', async (t) => {
  const s = await start(t);
  for (const bad of ['../out.md', 'Projects/../../out.md', '.obsidian/app.json', '.hidden.md'])
    await s.fails('vault_write', { path: bad, content: 'x' }, 'PATH_NOT_ALLOWED');
});

/* --- vault_edit --- */

test('vault_edit replaces one exact text (S1-83, S1-84, S1-88, S1-89)', async (t) => {
  const s = await start(t);
  const before = s.read(PLAN);
  const r = await s.ok('vault_edit', { path: PLAN, old_text: '## Questions\n\n- Where?', new_text: '## Open\n\n- But where?' });
  assert.equal(s.read(PLAN), before.replace('## Questions\n\n- Where?', '## Open\n\n- But where?'));
  assert.deepEqual([r.path, r.replaced, r.total_lines], [PLAN, true, before.split('\n').length - 1]);
  assert.deepEqual([r.size_before, r.size], [Buffer.byteLength(before), Buffer.byteLength(s.read(PLAN))]);
  const first = s.read(PLAN).split('\n').indexOf('## Open') + 1;
  assert.deepEqual(r.changed_lines, [first, first + 2]);
  assert.ok(r.change > 0 && /^[0-9a-f]{16}$/.test(r.etag));
  assert.ok(!JSON.stringify(r).includes('south wall'), 'no echo of the content');
  const gone = await s.ok('vault_edit', { path: PLAN, old_text: '## Open\n\n', new_text: '' });
  assert.equal(gone.replaced, true);
  assert.ok(!s.read(PLAN).includes('## Open'));
  const found = await s.ok('vault_search', { query: 'But where?' });
  assert.equal(found.total_matches, 1, 'the index knows');
});

test('vault_edit says what is wrong (S1-85, S1-86, S1-87, S1-90, S1-91, S1-92)', async (t) => {
  const s = await start(t);
  s.write('Twice.md', 'same\nother\nsame\nsame\n');
  await s.fails('vault_edit', { path: 'projects/nonexistent.md', old_text: 'a', new_text: 'b' }, 'FILE_NOT_FOUND', /^File not found: projects\/nonexistent\.md/);
  await s.fails('vault_edit', { path: PLAN, old_text: 'no such words at all 12345', new_text: 'b' }, 'TEXT_NOT_FOUND', /^Text not found in file/);
  await s.fails('vault_edit', { path: PLAN, old_text: '- How deep? Thirty centimeters at the back', new_text: 'b' }, 'TEXT_NOT_FOUND', /^Text not found in file.*Thirty centimetres/s);
  await s.fails('vault_edit', { path: 'Twice.md', old_text: 'same', new_text: 'b' }, 'TEXT_NOT_UNIQUE', /^Text appears 3 times in file, must be unique/);
  await s.fails('vault_edit', { path: '../x.md', old_text: 'a', new_text: 'b' }, 'PATH_NOT_ALLOWED');
  await s.fails('vault_edit', { path: PLAN, old_text: 'a' }, 'INVALID_ARGUMENT', /new_text is missing/);
  await s.fails('vault_edit', { path: PLAN, new_text: 'a' }, 'INVALID_ARGUMENT', /old_text is missing/);
  await s.fails('vault_edit', { path: PLAN, old_text: 'a', new_text: 'b', edits: [] }, 'INVALID_ARGUMENT');
  await s.fails('vault_edit', { path: PLAN, edits: [] }, 'INVALID_ARGUMENT', /empty/);
  await s.fails('vault_edit', { path: PLAN, edits: [{ old_text: 'a' }] }, 'INVALID_ARGUMENT', /item 1: new_text is missing/);
  await s.fails('vault_edit', { path: PLAN, old_text: 'a', new_text: 'b', old: 'c' }, 'INVALID_ARGUMENT', /unknown argument/);
});

test('vault_edit: all occurrences, several edits, patterns', async (t) => {
  const s = await start(t);
  s.write('T.md', 'same\nother 5 EUR\nsame\n');
  assert.equal((await s.ok('vault_edit', { path: 'T.md', old_text: 'same', new_text: 'one', replace_all: true })).replacements, 2);
  assert.equal(s.read('T.md'), 'one\nother 5 EUR\none\n');
  await s.ok('vault_edit', { path: 'T.md', edits: [{ old_text: 'one', new_text: 'two', replace_all: true }, { old_text: 'other', new_text: 'third' }] });
  assert.equal(s.read('T.md'), 'two\nthird 5 EUR\ntwo\n');
  await s.fails('vault_edit', { path: 'T.md', edits: [{ old_text: 'third', new_text: 'x' }, { old_text: 'absent', new_text: 'y' }] }, 'TEXT_NOT_FOUND');
  await s.ok('vault_edit', { path: 'T.md', old_text: '(\\d+) EUR', new_text: '$1 euros', regex: true });
  assert.equal(s.read('T.md'), 'two\nthird 5 euros\ntwo\n');
});

/* --- vault_insert --- */

test('vault_insert inserts text at every kind of position', async (t) => {
  const s = await start(t);
  const note = '---\na: 1\n---\n# A\n\nfirst ^b1\n\n## B\n\nsecond\n';
  const places = [
    [{ where: 'append' }, '---\na: 1\n---\n# A\n\nfirst ^b1\n\n## B\n\nsecond\n\nNEW\n'],
    [{ where: 'prepend' }, '---\na: 1\n---\nNEW\n\n# A\n\nfirst ^b1\n\n## B\n\nsecond\n'],
    [{ where: 'before', anchor: 'second' }, '---\na: 1\n---\n# A\n\nfirst ^b1\n\n## B\n\nNEW\nsecond\n'],
    [{ where: 'after', anchor: 'first' }, '---\na: 1\n---\n# A\n\nfirst ^b1\nNEW\n\n## B\n\nsecond\n'],
    [{ where: 'line', line: 8 }, '---\na: 1\n---\n# A\n\nfirst ^b1\n\nNEW\n## B\n\nsecond\n'],
    [{ where: 'section_start', anchor: 'B' }, '---\na: 1\n---\n# A\n\nfirst ^b1\n\n## B\n\nNEW\n\nsecond\n'],
    [{ where: 'section_end', anchor: 'A' }, '---\na: 1\n---\n# A\n\nfirst ^b1\n\n## B\n\nsecond\n\nNEW\n'],
    [{ where: 'section_replace', anchor: 'A' }, '---\na: 1\n---\n# A\n\nNEW\n'],
    [{ where: 'section_replace', anchor: 'A#B' }, '---\na: 1\n---\n# A\n\nfirst ^b1\n\n## B\n\nNEW\n'],
    [{ where: 'section_end', anchor: 'C', create: true }, `${note}\n## C\n\nNEW\n`],
    [{ where: 'block_before', anchor: 'b1' }, '---\na: 1\n---\n# A\n\nNEW\n\nfirst ^b1\n\n## B\n\nsecond\n'],
    [{ where: 'block_after', anchor: '^b1' }, '---\na: 1\n---\n# A\n\nfirst ^b1\n\nNEW\n\n## B\n\nsecond\n'],
    [{ where: 'block_replace', anchor: 'b1' }, '---\na: 1\n---\n# A\n\nNEW ^b1\n\n## B\n\nsecond\n'],
  ];
  for (const [i, [how, expected]] of places.entries()) {
    s.write(`T${i}.md`, note);
    const r = await s.ok('vault_insert', { path: `T${i}.md`, content: 'NEW', ...how });
    assert.equal(s.read(`T${i}.md`), expected, JSON.stringify(how));
    const [first, last] = r.changed_lines;
    assert.ok(expected.split('\n').slice(first - 1, last).join('\n').includes('NEW'), JSON.stringify([how, r]));
    assert.equal(r.total_lines, expected.split('\n').length - 1);
  }
});

test('vault_insert creates a note on request, and refuses invalid arguments', async (t) => {
  const s = await start(t);
  await s.fails('vault_insert', { path: 'New/N.md', content: 'x' }, 'FILE_NOT_FOUND', /set create: true/);
  await s.fails('vault_insert', { path: 'Cold frme', content: 'x' }, 'FILE_NOT_FOUND', /did you mean '[^']+'[^?]*\? to create it, set create: true/);
  assert.equal((await s.ok('vault_insert', { path: 'New/N.md', content: 'x', create: true })).created, true);
  assert.equal(s.read('New/N.md').trim(), 'x');
  assert.equal((await s.ok('vault_insert', { path: 'New/N.md', content: 'y', create: true })).created, false);
  await s.fails('vault_insert', { path: '../N.md', content: 'x', create: true }, 'PATH_NOT_ALLOWED');
  await s.fails('vault_insert', { path: PLAN, content: 'x', where: 'after' }, 'INVALID_ARGUMENT', /needs anchor/);
  await s.fails('vault_insert', { path: PLAN, content: 'x', anchor: 'Questions' }, 'INVALID_ARGUMENT', /takes no anchor/);
  await s.fails('vault_insert', { path: PLAN, content: 'x', where: 'line' }, 'INVALID_ARGUMENT', /needs line/);
  await s.fails('vault_insert', { path: PLAN, content: 'x', where: 'line', line: 9999 }, 'LINE_OUT_OF_RANGE');
  await s.fails('vault_insert', { path: PLAN, content: 'x', where: 'section_end', anchor: 'Qestions' }, 'HEADING_NOT_FOUND', /^Heading "Qestions" not found.*Questions/);
  await s.fails('vault_insert', { path: PLAN, content: 'x', where: 'block_after', anchor: 'none' }, 'BLOCK_NOT_FOUND');
});

/* --- vault_frontmatter --- */

test('vault_frontmatter changes properties and nothing else', async (t) => {
  const s = await start(t);
  const before = s.read(PLAN);
  const r = await s.ok('vault_frontmatter', { path: PLAN, set: { status: 'active', budget: 70 }, add: { tags: ['garden'], people: 'Ann' }, remove: ['spent'] });
  assert.deepEqual([...r.changed].sort(), ['budget', 'people', 'spent', 'status', 'tags']);
  const now = s.read(PLAN);
  for (const line of ['status: active', 'budget: 70', '  - project/garden\n  - garden', 'due: 2027-03-20'])
    assert.ok(now.includes(line), `${line} in ${now.slice(0, 300)}`);
  assert.ok(!now.includes('spent:'));
  assert.equal(now.slice(now.indexOf('# Cold frame')), before.slice(before.indexOf('# Cold frame')));
  await s.ok('vault_frontmatter', { path: PLAN, take: { tags: 'project/garden' } });
  assert.ok(!s.read(PLAN).includes('project/garden'));
  const same = await s.ok('vault_frontmatter', { path: PLAN, set: { status: 'active' } });
  assert.deepEqual([same.unchanged, same.change], [true, undefined]);
  await s.fails('vault_frontmatter', { path: PLAN }, 'INVALID_ARGUMENT', /nothing to do/);
  await s.fails('vault_frontmatter', { path: 'No.md', set: { a: 1 } }, 'FILE_NOT_FOUND');
  s.write('Broken.md', '---\na: [1\n---\nx\n');
  await s.fails('vault_frontmatter', { path: 'Broken.md', set: { b: 1 } }, 'BROKEN_FRONTMATTER');
});

/* --- vault_move --- */

test('vault_move moves notes and folders, and links follow', async (t) => {
  const s = await start(t);
  await s.make('Links.md', 'See [[Cold frame]] and [[Projects/Rain barrel|barrel]].\n');
  const r = await s.ok('vault_move', { path: PLAN, to: 'Areas/Garden/Frame' });
  assert.deepEqual([r.path, r.to, r.moved_files], [PLAN, 'Areas/Garden/Frame.md', 1]);
  assert.ok(r.rewritten_notes >= 1 && r.rewritten_links >= r.rewritten_notes && r.change > 0);
  assert.ok(!s.has(PLAN) && s.has('Areas/Garden/Frame.md'));
  assert.match(s.read('Links.md'), /\[\[Frame/);
  await s.ok('vault_move', { path: 'Projects', to: 'Work' });
  assert.ok(!s.has('Projects') && s.has('Work/Rain barrel.md'));
  assert.ok(!s.read('Links.md').includes('Projects/'));
  await s.fails('vault_move', { path: 'Nowhere.md', to: 'X.md' }, 'FILE_NOT_FOUND');
  await s.fails('vault_move', { path: 'Links.md', to: 'Work/Rain barrel.md' }, 'FILE_EXISTS');
  await s.fails('vault_move', { to: 'X.md' }, 'INVALID_ARGUMENT', /path is missing/);
  await s.fails('vault_move', { path: 'Links.md', tag: 'a', to: 'b' }, 'INVALID_ARGUMENT');
});

test('vault_move renames headings, blocks and tags', async (t) => {
  const s = await start(t);
  await s.make('A.md', '# One\n\ntext ^b1\n\n#odd/tag\n');
  await s.make('B.md', '[[A#One]] [[A#^b1]] #odd\n');
  const heading = await s.ok('vault_move', { path: 'A.md', heading: 'One', to: 'Two' });
  assert.equal(heading.path, 'A.md');
  await s.ok('vault_move', { path: 'A.md', block: 'b1', to: 'b2' });
  const tag = await s.ok('vault_move', { tag: 'odd', to: 'even' });
  assert.deepEqual([tag.rewritten_notes, tag.rewritten_tags], [2, 2]);
  assert.equal(s.read('A.md'), '# Two\n\ntext ^b2\n\n#even/tag\n');
  assert.equal(s.read('B.md'), '[[A#Two]] [[A#^b2]] #even\n');
  await s.fails('vault_move', { path: 'A.md', heading: 'None', to: 'X' }, 'HEADING_NOT_FOUND');
  await s.fails('vault_move', { path: 'A.md', block: 'none', to: 'x' }, 'BLOCK_NOT_FOUND');
  await s.fails('vault_move', { tag: 'none', to: 'x' }, 'TAG_NOT_FOUND');
});

/* --- vault_delete --- */

test('SEC-123 vault_delete moves to the trash and restores from it', async (t) => {
  const s = await start(t);
  const before = s.read(PLAN);
  const r = await s.ok('vault_delete', { path: PLAN });
  assert.deepEqual([r.path, r.deleted, r.to], [PLAN, true, `.trash/${PLAN}`]);
  assert.ok(!s.has(PLAN) && s.read(`.trash/${PLAN}`) === before);
  const back = await s.ok('vault_delete', { path: PLAN, restore: true });
  assert.deepEqual([back.path, back.restored], [PLAN, true]);
  assert.equal(s.read(PLAN), before);
  await s.fails('vault_delete', { path: 'Projects' }, 'IS_FOLDER', /recursive/);
  await s.fails('vault_delete', { path: 'None.md' }, 'FILE_NOT_FOUND');
  await s.fails('vault_delete', { path: 'None.md', restore: true }, 'FILE_NOT_FOUND');
  await s.fails('vault_delete', { path: '/', recursive: true }, 'PATH_NOT_ALLOWED');
  const folder = await s.ok('vault_delete', { path: 'Projects', recursive: true, confirm: 8 });
  assert.ok(!s.has('Projects') && s.read(`${folder.to}/Cold frame.md`) === before);
  await s.make('L.md', 'a [[Walden|book]] here\n');
  const gone = await s.ok('vault_delete', { path: 'Books/Walden.md', permanent: true, unlink: true });
  assert.ok(gone.rewritten_notes >= 1 && gone.to === undefined);
  assert.equal(s.read('L.md'), 'a book here\n');
  assert.ok(!s.has('.trash/Books/Walden.md'));
});

/* --- vault_daily --- */

test('vault_daily creates the note from its template, and adds to it', async (t) => {
  const s = await start(t);
  const r = await s.ok('vault_daily', { date: '2027-01-05' });
  assert.deepEqual([r.path, r.created], ['Journal/2027-01-05.md', true]);
  assert.equal(r.content, s.read('Journal/2027-01-05.md'));
  const more = await s.ok('vault_daily', { date: '2027-01-05', append: '- called Ann', section: 'Calls', create: true });
  assert.equal(more.created, false);
  assert.match(s.read('Journal/2027-01-05.md'), /## Calls\n\n- called Ann\n/);
  assert.equal(more.content, undefined, 'no echo of what was written');
  const looked = await s.ok('vault_daily', { date: '2027-01-05' });
  assert.deepEqual([looked.unchanged, looked.change, looked.etag], [true, undefined, more.etag]);
  s.write('Journal/2027-01-06.md', 'line of text\n'.repeat(100));
  const cut = await s.ok('vault_daily', { date: '2027-01-06', budget: 100 });
  assert.ok(cut.truncated && cut.content.length <= 400 && cut.content.endsWith('text\n') && cut.total_lines === 100);
  await s.fails('vault_daily', { date: '05.01.2027' }, 'INVALID_ARGUMENT', /is not a date/);
  await s.fails('vault_daily', { section: 'Calls' }, 'INVALID_ARGUMENT', /append/);
});

/* --- vault_undo and vault_changes --- */

test('SEC-123 vault_undo restores every byte', async (t) => {
  const s = await start(t);
  const before = s.files();
  const calls = [
    ['vault_write', { path: PLAN, content: 'all gone', overwrite: true }],
    ['vault_edit', { path: PLAN, old_text: 'Two old windows', new_text: 'Three' }],
    ['vault_insert', { path: PLAN, content: 'more' }],
    ['vault_frontmatter', { path: PLAN, set: { status: 'x' } }],
    ['vault_move', { path: 'Projects', to: 'Work' }],
    ['vault_move', { tag: 'project', to: 'work' }],
    ['vault_delete', { path: 'Areas', recursive: true, confirm: 11 }],
    ['vault_delete', { path: PLAN, permanent: true, unlink: true }],
    ['vault_daily', { date: '2027-01-05', append: 'x' }],
  ];
  for (const [name, args] of calls) {
    const { change } = await s.ok(name, args);
    assert.notDeepEqual(s.files(), before, name);
    const undone = await s.ok('vault_undo', {});
    assert.equal(undone.undone, change);
    assert.ok(undone.files.length > 0 && undone.change > change);
    assert.deepEqual(s.files(), before, `${name} undone`);
  }
  await s.fails('vault_undo', {}, 'CHANGE_NOT_FOUND', /nothing to undo/);
  await s.fails('vault_undo', { change: 1 }, 'CONFLICT');
  await s.fails('vault_undo', { change: 4711 }, 'CHANGE_NOT_FOUND');
});

test('vault_undo refuses to overwrite later changes', async (t) => {
  const s = await start(t);
  const { change } = await s.ok('vault_insert', { path: PLAN, content: 'more' });
  s.write(PLAN, 'by hand\n');
  await s.fails('vault_undo', { change }, 'CONFLICT');
});

test('vault_changes lists changes, and continues where it stopped', async (t) => {
  const s = await start(t);
  const empty = await s.ok('vault_changes', {});
  assert.deepEqual(empty, { changes: [], latest: 0 });
  for (const content of ['a', 'b', 'c']) await s.make('C.md', content);
  await s.ok('vault_undo', {});
  const all = await s.ok('vault_changes', {});
  assert.deepEqual(all.changes.map((c) => [c.change, c.tool]), [[4, 'vault_undo'], [3, 'vault_write'], [2, 'vault_write'], [1, 'vault_write']]);
  assert.deepEqual([all.changes[0].undoes, all.changes[1].undone_by, all.latest], [3, 4, 4]);
  assert.deepEqual(all.changes[3].files, [{ path: 'C.md', operation: 'write' }]);
  assert.match(all.changes[3].time, /^\d{4}-\d\d-\d\dT[\d:]+Z$/);
  const page = await s.ok('vault_changes', { since: 1, limit: 2 });
  assert.deepEqual([page.changes.map((c) => c.change), page.truncated, page.latest], [[2, 3], true, 3]);
  const rest = await s.ok('vault_changes', { since: page.latest });
  assert.deepEqual([rest.changes.map((c) => c.change), rest.truncated, rest.latest], [[4], undefined, 4]);
  assert.deepEqual((await s.ok('vault_changes', { since: 4 })).changes, []);
});

const LABELS = [
  ['stdio, modern', async (t, options) => {
    const server = startStdio(t, options);
    return (name, args) => server.modern('tools/call', { name, arguments: args });
  }],
  ['stdio, legacy', async (t, options) => {
    const server = startStdio(t, options);
    await server.initialize();
    return (name, args) => server.call(name, args);
  }],
  ['HTTP, modern', async (t, options) => {
    const server = await startHttp(t, options);
    return async (name, args) => (await postModern(server, modernMessage('tools/call', { name, arguments: args }))).message;
  }],
  ['HTTP, legacy', async (t, options) => {
    const session = await Session.open(await startHttp(t, options));
    return async (name, args) => (await session.call(name, args)).message;
  }],
];
for (const [how, open] of LABELS)
  test(`vault_changes and the command line name the client and its version: ${how}`, async (t) => {
    const options = { vault: copyVault(t), state: tempDir(t) };
    const send = await open(t, options);
    const call = async (name, args) => JSON.parse((await send(name, args)).result.content[0].text);
    await call('vault_write', { path: 'C.md', content: 'x' });
    assert.equal((await call('vault_changes', {})).changes[0].client, 'e2e 1');
    const told = await run(VAULTD, ['changes', '--json', '-v', options.vault], { env: cleanEnv(tempDir(t), { STATE_DIR: options.state }) });
    assert.equal(JSON.parse(told.stdout).changes[0].client, 'e2e 1', told.stderr);
  });

/* --- common arguments --- */

const CHANGING = [
  ['vault_write', { path: 'Fresh.md', content: 'x' }],
  ['vault_edit', { path: PLAN, old_text: 'Two old windows', new_text: 'Three' }],
  ['vault_insert', { path: PLAN, content: 'more' }],
  ['vault_frontmatter', { path: PLAN, set: { status: 'x' } }],
  ['vault_move', { path: PLAN, to: 'Elsewhere.md' }],
  ['vault_delete', { path: PLAN }],
  ['vault_daily', { date: '2027-01-05', append: 'x' }],
];

test('dry_run changes nothing and shows the diff', async (t) => {
  const s = await start(t);
  const before = s.files();
  for (const [name, args] of CHANGING) {
    const r = await s.ok(name, { ...args, dry_run: true });
    assert.ok(r.dry_run && r.diff.length > 0 && r.change === undefined, `${name}: ${JSON.stringify(r)}`);
    assert.deepEqual(s.files(), before, name);
  }
  assert.deepEqual((await s.ok('vault_changes', {})).changes, []);
});

test('SEC-114 a repeated call with an idempotency_key makes no second change', async (t) => {
  for (const [name, args] of CHANGING) {
    await t.test(name, async (t) => {
      const s = await start(t);
      const first = await s.ok(name, { ...args, idempotency_key: 'k1' });
      const after = s.files();
      const second = await s.ok(name, { ...args, idempotency_key: 'k1' });
      assert.deepEqual([second.repeated, second.change, second.path], [true, first.change, first.path]);
      assert.deepEqual(s.files(), after);
      await s.fails('vault_insert', { path: 'CLAUDE.md', content: 'other', idempotency_key: 'k1' }, 'KEY_REUSED');
    });
  }
  await t.test('vault_undo', async (t) => {
    const s = await start(t);
    for (const content of ['a', 'b']) await s.make('C.md', content);
    await s.ok('vault_undo', { idempotency_key: 'u' });
    assert.equal((await s.ok('vault_undo', { idempotency_key: 'u' })).repeated, true);
    assert.equal(s.read('C.md'), 'a');
  });
});

test('SEC-110 concurrent calls do not interfere with each other', async (t) => {
  const s = await start(t);
  const all = (n, call) => Promise.all(Array.from({ length: n }, (_, i) => s.ok(...call(i))));
  await all(12, (i) => ['vault_insert', { path: 'Inbox.md', content: `- item ${i}.` }]);
  await all(12, (i) => ['vault_edit', { path: 'Inbox.md', old_text: `- item ${i}.`, new_text: `- [ ] item ${i}.` }]);
  await all(12, (i) => ['vault_frontmatter', { path: 'Inbox.md', set: { [`key${i}`]: i } }]);
  for (let i = 0; i < 12; i++) assert.match(s.read('Inbox.md'), new RegExp(`^key${i}: ${i}$[^]*^- \\[ \\] item ${i}\\.$`, 'm'));
  const days = await all(8, (i) => ['vault_daily', { date: '2030-01-01', append: `- entry ${i}.` }]);
  assert.equal(days.filter((d) => d.created).length, 1);
  assert.equal(s.read('Journal/2030-01-01.md').match(/^- entry \d\.$/gm).length, 8);
  const moves = ['Books/Walden.md', 'Projects/Rain barrel.md', PLAN, 'Areas/Garden/Garden.md', 'People/Ines Okafor.md'];
  await all(moves.length, (i) => ['vault_move', { path: moves[i], to: `Moved ${i}.md` }]);
  await all(3, (i) => ['vault_move', { tag: ['journal', 'adr', 'project'][i], to: `tag${i}` }]);
  const { links } = await s.ok('vault_links', { direction: 'unresolved' });
  assert.deepEqual(links.map((l) => l.link), ['Areas/Garden/Mushroom logs', 'Hedges and birds.md', 'Sourdough mistakes', 'Worm bin']);
});

test('SEC-111 if_match refuses a file that has changed since', async (t) => {
  const s = await start(t);
  const { etag } = await s.ok('vault_insert', { path: PLAN, content: 'seen' });
  const calls = CHANGING.filter(([, args]) => args.path === PLAN);
  for (const [name, args] of calls) await s.ok(name, { ...args, if_match: etag, dry_run: true });
  s.write(PLAN, `${s.read(PLAN)}by hand\n`);
  for (const [name, args] of calls) await s.fails(name, { ...args, if_match: etag }, 'CONFLICT', /its etag is now [0-9a-f]{16}/);
});

test('tools/list stays small', async (t) => {
  const s = await start(t);
  const { result } = await s.server.request('tools/list');
  for (const tool of result.tools)
    assert.ok(JSON.stringify(tool).length < 2000, `${tool.name}: ${JSON.stringify(tool).length}`);
});

/* --- asking the user --- */

const ASKING = CONNECTIONS.filter(({ name }) => /SDK v1|SDK v2 pinned/.test(name));

/** An SDK client that answers every question with action. */
async function person(t, row, { action, args, prepare }) {
  const vault = copyVault(t);
  prepare?.(vault);
  const asked = [];
  const setup = (sdk) => sdk.handle('elicitation/create', async (request) => {
    asked.push(request.params.message);
    return action === 'accept' ? { action, content: {} } : { action };
  });
  const sdk = await connect(t, row, { vault, setup, args });
  const call = async (name, values) => {
    const result = await sdk.call({ name, arguments: values });
    return JSON.parse(result.content[0].text);
  };
  return { vault, asked, call, close: sdk.close, has: (file) => existsSync(path.join(vault, file)) };
}

for (const row of ASKING) {
  test(`a folder is deleted if the user agrees: ${row.name}`, async (t) => {
    const p = await person(t, row, { action: 'accept' });
    const r = await p.call('vault_delete', { path: 'Projects', recursive: true });
    assert.equal(r.deleted, true, JSON.stringify(r));
    assert.equal(p.asked.length, 1);
    assert.match(p.asked[0], /Projects.*8 files/);
    assert.ok(!p.has('Projects'));
    await p.call('vault_delete', { path: 'Books/Walden.md' });
    assert.equal(p.asked.length, 1, 'one note is not a reason to ask');
    await p.close();
  });

  test(`and kept if not: ${row.name}`, async (t) => {
    const p = await person(t, row, { action: 'decline' });
    const before = everything(p.vault);
    const r = await p.call('vault_delete', { path: 'Projects', recursive: true });
    assert.deepEqual([r.error.code, /not confirmed/.test(r.error.message)], ['NOT_CONFIRMED', true]);
    assert.deepEqual(everything(p.vault), before);
    await p.close();
  });
}

const STDIO = ASKING.find(({ http, modern }) => !http && !modern);

test('SEC-123 --confirm large asks before more than 20 notes are touched', async (t) => {
  const prepare = (vault) => {
    for (let i = 0; i < 25; i++) writeFileSync(path.join(vault, `N${i}.md`), `[[Cold frame]] #${i < 3 ? 'few' : 'lots'}\n`);
  };
  const p = await person(t, STDIO, { action: 'cancel', prepare });
  const before = everything(p.vault);
  for (const args of [{ path: PLAN, to: 'Frame.md' }, { tag: 'lots', to: 'many' }])
    assert.equal((await p.call('vault_move', args)).error.code, 'NOT_CONFIRMED');
  assert.equal(p.asked.length, 2);
  assert.match(p.asked[0], /\d+ notes/);
  assert.deepEqual(everything(p.vault), before);
  await p.call('vault_move', { path: PLAN, to: 'Frame.md', dry_run: true });
  assert.equal((await p.call('vault_move', { tag: 'few', to: 'some' })).rewritten_notes, 3);
  assert.equal(p.asked.length, 2, 'neither a look nor a small change is a reason to ask');
  await p.close();
});

test('vault_batch asks once for all its steps', async (t) => {
  const p = await person(t, STDIO, { action: 'accept' });
  const steps = ['Projects', 'Recipes'].map((folder) => ({ tool: 'vault_delete', path: folder, recursive: true }));
  const r = await p.call('vault_batch', { steps });
  assert.deepEqual(r.steps?.map((step) => step.deleted_files), [8, 3], JSON.stringify(r));
  assert.equal(p.asked.length, 1);
  assert.match(p.asked[0], /Projects.*8 files.*Recipes.*3 files/);
  assert.ok(!p.has('Projects') && !p.has('Recipes'));
  await p.close();
});

test('--confirm always asks before notes are replaced, moved or deleted', async (t) => {
  const p = await person(t, STDIO, { action: 'decline', args: ['--confirm', 'always'] });
  const before = everything(p.vault);
  const calls = [['vault_write', { path: PLAN, content: 'x', overwrite: true }], ['vault_move', { path: PLAN, to: 'X.md' }], ['vault_delete', { path: PLAN }]];
  for (const [name, args] of calls) assert.equal((await p.call(name, args)).error.code, 'NOT_CONFIRMED', name);
  assert.deepEqual(everything(p.vault), before);
  assert.equal(p.asked.length, 3);
  assert.equal((await p.call('vault_write', { path: 'New.md', content: 'x' })).created, true);
  assert.equal(p.asked.length, 3, 'a new note replaces nothing');
  await p.close();
});

test('--confirm never does not ask, and a client that cannot ask has to say how many files it deletes', async (t) => {
  const p = await person(t, STDIO, { action: 'decline', args: ['--confirm', 'never'] });
  assert.equal((await p.call('vault_delete', { path: 'Projects', recursive: true })).deleted, true);
  assert.equal(p.asked.length, 0);
  await p.close();
  const s = await start(t, { args: ['--confirm', 'always'] });
  await s.fails('vault_delete', { path: 'Projects', recursive: true }, 'NOT_CONFIRMED', /confirm: 8/);
  assert.equal((await s.ok('vault_delete', { path: 'Projects', recursive: true, confirm: 8 })).deleted, true);
  const never = await start(t, { args: ['--confirm', 'never'] });
  assert.equal((await never.ok('vault_delete', { path: 'Projects', recursive: true })).deleted, true);
});
