// Changing several notes at once: batches, links that follow, deleting with counts, the trash, undo.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { VAULTD, cleanEnv, run, startStdio, tempDir, until } from '../support.mjs';

/** Every file with its bytes, the trash included. */
function everything(dir, below = '') {
  return Object.fromEntries(readdirSync(path.join(dir, below)).flatMap((name) => {
    const at = path.posix.join(below, name);
    return statSync(path.join(dir, at)).isDirectory() ? Object.entries(everything(dir, at)) : [[at, readFileSync(path.join(dir, at), 'latin1')]];
  }));
}

const NOTES = {
  '.obsidian/app.json': '{"trashOption":"local"}',
  'Home.md': 'Start at [[Cold frame]] or [[Plan]].\n',
  'Projects/Cold frame.md': '---\nstatus: active\ntags: [garden]\n---\n# Cold frame\n\n## Log\n\n- first\n',
  'Projects/Plan.md': '# Plan\n\nSee [frame](<./Cold frame.md>) #garden.\n\n```\n#garden in code\n```\n',
  'Areas/Garden.md': '[frame](../Projects/Cold%20frame.md) and [[Cold frame#Log]]\n',
};

async function start(t, files = NOTES, options = {}) {
  const vault = tempDir(t);
  const write = (file, text) => {
    mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
    writeFileSync(path.join(vault, file), text);
  };
  for (const [file, text] of Object.entries(files)) write(file, text);
  const server = startStdio(t, { vault, ...options });
  await server.initialize();
  const call = async (name, args) => {
    const { result } = await server.call(name, args);
    return { failed: result.isError === true, value: JSON.parse(result.content[0].text) };
  };
  return {
    vault,
    write,
    read: (file) => readFileSync(path.join(vault, file), 'utf8'),
    has: (file) => existsSync(path.join(vault, file)),
    files: () => everything(vault),
    async ok(name, args) {
      const { failed, value } = await call(name, args);
      assert.ok(!failed, JSON.stringify(value));
      return value;
    },
    async fails(name, args, code, message = /./) {
      const before = everything(vault);
      const { failed, value } = await call(name, args);
      assert.ok(failed, `${name} did not fail: ${JSON.stringify(value)}`);
      assert.equal(value.error.code, code, JSON.stringify(value));
      assert.match(value.error.message, message);
      assert.deepEqual(everything(vault), before, `${name} failed and changed something`);
    },
  };
}

/* --- vault_batch --- */

test('vault_batch makes every kind of change as one change, and steps see each other', async (t) => {
  const s = await start(t);
  const before = s.files();
  const steps = [
    { tool: 'vault_write', path: 'Projects/New.md', content: '# New\n\nabout [[Cold frame]]\n' },
    { tool: 'vault_edit', path: 'Projects/New.md', old_text: 'about', new_text: 'all about' },
    { tool: 'vault_move', path: 'Cold frame', to: 'Warm frame' },
    { tool: 'vault_insert', path: 'Warm frame', content: '- second', where: 'section_end', anchor: 'Log' },
    { tool: 'vault_frontmatter', path: 'Projects/Warm frame.md', set: { status: 'done' } },
    { tool: 'vault_move', path: 'New', to: 'Areas/' },
    { tool: 'vault_delete', path: 'Plan' },
    { tool: 'vault_daily', date: '2026-11-16', append: '- tidied up' },
  ];
  const plan = await s.ok('vault_batch', { steps, dry_run: true });
  assert.match(plan.diff, /rename to Projects\/Warm frame\.md/);
  assert.match(plan.diff, /\+- second/);
  assert.deepEqual(s.files(), before);

  const r = await s.ok('vault_batch', { steps });
  assert.deepEqual(r.steps.map((step) => step.tool), steps.map((step) => step.tool));
  assert.deepEqual([r.steps[0].created, r.steps[1].replacements, r.steps[2].to, r.steps[2].action], [true, 1, 'Projects/Warm frame.md', 'renamed']);
  assert.deepEqual([r.steps[4].changed, r.steps[5].to, r.steps[6].deleted], [['status'], 'Areas/New.md', true]);
  assert.equal(r.change, 1, 'one change');
  assert.equal(s.read('Areas/New.md'), '# New\n\nall about [[Warm frame]]\n');
  assert.match(s.read('Projects/Warm frame.md'), /status: done[^]*- first\n- second/);
  assert.match(s.read('Home.md'), /\[\[Warm frame\]\] or \[\[Plan\]\]/);
  assert.equal((await s.ok('vault_read', { path: 'Projects/Warm frame.md' })).etag, r.steps[4].etag);
  assert.equal(r.steps[3].etag, undefined, 'only what is true after all steps');
  assert.ok(!s.has('Projects/Plan.md') && s.has('.trash/Projects/Plan.md') && s.read('2026-11-16.md').includes('- tidied up'));

  const undone = await s.ok('vault_undo', {});
  assert.equal(undone.undone, 1);
  assert.deepEqual(s.files(), before, 'one undo');
  assert.deepEqual(Object.fromEntries(undone.files.map((f) => [f.to ?? f.path, f.outcome])), {
    'Projects/Plan.md': 'restored', 'Projects/Cold frame.md': 'moved back', 'Areas/New.md': 'removed', '2026-11-16.md': 'removed',
    'Home.md': 'changed back', 'Areas/Garden.md': 'changed back',
  });
  assert.equal(undone.files.length, 6, 'each file once');
});

test('vault_batch: a failing step is named, with its own hint, and nothing is done', async (t) => {
  const s = await start(t);
  const good = { tool: 'vault_edit', path: 'Home', old_text: 'Start', new_text: 'Begin' };
  const fails = (steps, code, message, more = {}) => s.fails('vault_batch', { steps, ...more }, code, message);
  await fails([good, { tool: 'vault_edit', path: 'Home.md', old_text: 'Start at [[Cold frame]] or [[Plan]].', new_text: 'x' }], 'TEXT_NOT_FOUND', /^step 2 \(vault_edit\): [^]*Begin at/);
  await fails([good, { tool: 'vault_edit', path: 'Hmoe.md', old_text: 'x', new_text: 'y' }], 'FILE_NOT_FOUND', /^step 2 \(vault_edit\): File not found: Hmoe\.md/);
  await fails([good, { tool: 'vault_edit', path: 'Home.md', old: 'x' }], 'INVALID_ARGUMENT', /^step 2 \(vault_edit\): .*old/);
  await fails([{ tool: 'vault_read', path: 'Home.md' }], 'INVALID_ARGUMENT', /^step 1: .*vault_read.*vault_edit/);
  await fails([{ path: 'Home.md' }], 'INVALID_ARGUMENT', /^step 1: tool is missing/);
  await fails([{ tool: 'vault_batch', steps: [] }], 'INVALID_ARGUMENT', /^step 1/);
  await fails([{ ...good, dry_run: true }], 'INVALID_ARGUMENT', /dry_run is for all steps/);
  await fails([], 'INVALID_ARGUMENT', /steps is empty/);
  await fails(Array.from({ length: 501 }, () => good), 'LIMIT_EXCEEDED', /at most 500 steps/);
  await fails([good, { ...good, if_match: '0123456789abcdef' }], 'CONFLICT', /^step 2 \(vault_edit\)/);
});

test('vault_batch: a repeated call is made once', async (t) => {
  const s = await start(t);
  const args = { steps: [{ tool: 'vault_insert', path: 'Home.md', content: '- x' }, { tool: 'vault_move', path: 'Home.md', to: 'Start' }], idempotency_key: 'k' };
  const first = await s.ok('vault_batch', args);
  const after = s.files();
  const again = await s.ok('vault_batch', args);
  assert.deepEqual([again.repeated, again.change, again.steps.length], [true, first.change, 2]);
  assert.deepEqual(s.files(), after);
});

test('vault_batch respects a read-only server and folders that may not be written', async (t) => {
  const s = await start(t, NOTES, { args: ['--write-paths', 'Projects'] });
  await s.fails('vault_batch', { steps: [{ tool: 'vault_edit', path: 'Projects/Plan.md', old_text: 'See', new_text: 'Look at' }, { tool: 'vault_edit', path: 'Home.md', old_text: 'Start', new_text: 'x' }] }, 'PATH_NOT_ALLOWED', /^step 2/);
});

test('vault_move names all notes whose links may not be rewritten', async (t) => {
  const s = await start(t, NOTES, { args: ['--write-paths', 'Projects'] });
  const before = s.files();
  await s.fails('vault_move', { path: 'Projects/Cold frame.md', to: 'Projects/Frame.md' }, 'PATH_NOT_ALLOWED', /'Areas\/Garden.md'.*'Home.md'.*may not be written.*keep_links/s);
  assert.deepEqual(s.files(), before);
});

/* --- deleting --- */

test('vault_delete says which links are broken, and needs the number of files for a folder', async (t) => {
  const s = await start(t);
  const note = await s.ok('vault_delete', { path: 'Cold frame' });
  assert.deepEqual([note.path, note.broken_links, note.broken_in], ['Projects/Cold frame.md', 4, ['Areas/Garden.md', 'Home.md', 'Projects/Plan.md']]);
  await s.ok('vault_undo', {});
  await s.fails('vault_delete', { path: 'Projects', recursive: true }, 'NOT_CONFIRMED', /2 files would be deleted.*confirm: 2/);
  await s.fails('vault_delete', { path: 'Projects', recursive: true, confirm: 3 }, 'NOT_CONFIRMED', /not as many/);
  const folder = await s.ok('vault_delete', { path: 'Projects', recursive: true, confirm: 2 });
  assert.deepEqual([folder.deleted_files, folder.broken_links], [2, 4]);
  assert.ok(!s.has('Projects'));
});

test('vault_batch: deleting more than a few files needs the number, too', async (t) => {
  const names = Array.from({ length: 6 }, (_, i) => `N${i}.md`);
  const s = await start(t, Object.fromEntries(names.map((name) => [name, name])));
  const steps = names.map((name) => ({ tool: 'vault_delete', path: name }));
  await s.ok('vault_batch', { steps: steps.slice(0, 5), dry_run: true });
  await s.fails('vault_batch', { steps }, 'NOT_CONFIRMED', /6 files would be deleted/);
  assert.equal((await s.ok('vault_batch', { steps, confirm: 6 })).files.length, 6);
});

test('vault_delete: links follow to another note', async (t) => {
  const s = await start(t, { ...NOTES, 'Frames.md': '# Frames\n\n## Other\n' });
  const r = await s.ok('vault_delete', { path: 'Cold frame', links_to: 'Frames' });
  assert.deepEqual([r.rewritten_notes, r.rewritten_links, r.broken_links], [3, 4, undefined]);
  assert.equal(s.read('Home.md'), 'Start at [[Frames]] or [[Plan]].\n');
  assert.equal(s.read('Areas/Garden.md'), '[frame](../Frames.md) and [[Frames#Log]]\n');
  assert.match(r.warnings.join(), /'Areas\/Garden\.md' links to '#Log', which 'Frames\.md' does not have/);
  await s.ok('vault_undo', {});
  await s.fails('vault_delete', { path: 'Cold frame', links_to: 'Cold frame' }, 'INVALID_ARGUMENT');
  await s.fails('vault_delete', { path: 'Cold frame', links_to: 'Nowhere' }, 'FILE_NOT_FOUND', /Nowhere/);
  await s.fails('vault_delete', { path: 'Cold frame', links_to: 'Plan', unlink: true }, 'INVALID_ARGUMENT');
});

test('the trash can be listed, and a wrong name gets the nearest', async (t) => {
  const s = await start(t);
  assert.deepEqual(await s.ok('vault_delete', { restore: true }), { trash: [], total: 0 });
  await s.ok('vault_delete', { path: 'Cold frame' });
  const { trash } = await s.ok('vault_delete', { restore: true });
  assert.deepEqual(trash.map(({ path: at, from }) => [at, from]), [['Projects/Cold frame.md', 'Projects/Cold frame.md']]);
  assert.ok(Math.abs(Date.parse(trash[0].deleted) - Date.now()) < 600_000);
  await s.fails('vault_delete', { path: 'Cold frmae', restore: true }, 'FILE_NOT_FOUND', /did you mean 'Projects\/Cold frame\.md'/);
  await s.fails('vault_delete', { path: 'Nothing like it', restore: true }, 'FILE_NOT_FOUND', /restore without a path lists/);
  await s.fails('vault_delete', {}, 'INVALID_ARGUMENT', /path is missing/);
  for (const [tool, args] of [['vault_read', {}], ['vault_edit', { old_text: 'a', new_text: 'b' }], ['vault_move', { to: 'x' }]])
    await s.fails(tool, { path: '.trash/Projects/Cold frame.md', ...args }, 'PATH_NOT_ALLOWED', /restore/);
  assert.equal((await s.ok('vault_delete', { path: 'Projects/Cold frame', restore: true })).restored, true);
  assert.equal(s.read('Projects/Cold frame.md'), NOTES['Projects/Cold frame.md']);
});

/* --- moving --- */

test('a link spelled as a path stays one when its target moves', async (t) => {
  const s = await start(t);
  const r = await s.ok('vault_move', { path: 'Cold frame', to: 'Archive/2026/Warm frame' });
  assert.deepEqual([r.to, r.action, r.link_format], ['Archive/2026/Warm frame.md', 'moved and renamed', 'shortest and relative']);
  assert.equal(s.read('Areas/Garden.md'), '[frame](../Archive/2026/Warm%20frame.md) and [[Warm frame#Log]]\n');
  assert.match(s.read('Projects/Plan.md'), /\[frame\]\(<\.\.\/Archive\/2026\/Warm frame\.md>\)/);
  await s.ok('vault_undo', {});
  await s.ok('vault_move', { path: 'Projects', to: 'Areas/Work' });
  assert.match(s.read('Areas/Garden.md'), /\[frame\]\(Work\/Cold%20frame\.md\)/);
});

test('a bare name renames in place; a path or a folder moves', async (t) => {
  const s = await start(t);
  assert.equal((await s.ok('vault_move', { path: 'Cold frame', to: 'Warm frame' })).to, 'Projects/Warm frame.md');
  assert.equal((await s.ok('vault_move', { path: 'Warm frame', to: 'Areas' })).to, 'Areas/Warm frame.md');
  assert.equal((await s.ok('vault_move', { path: 'Warm frame', to: '/Warm frame' })).to, 'Warm frame.md');
});

test('a tag rename counts tags and says what it left', async (t) => {
  const s = await start(t);
  const r = await s.ok('vault_move', { tag: 'garden', to: 'plot' });
  assert.deepEqual([r.rewritten_tags, r.rewritten_links], [2, undefined]);
  assert.match(r.warnings.join(), /left in code or comments: 1, in 'Projects\/Plan\.md'/);
});

const QUERY = (text) => `\`\`\`dataview\n${text}\n\`\`\`\n`;

test('a renamed property, folder or tag is renamed in fields, bases, queries and canvases, or named', async (t) => {
  const s = await start(t, {
    '.obsidian/types.json': '{"types":{"rating":"number"}}',
    'Books/Emma.md': '---\nrating: 5\ntags: [book]\n---\n[rating:: 4]\n',
    'List.md': QUERY('TABLE rating FROM "Books" and #book WHERE rating > 3'),
    'Script.md': '```dataviewjs\ndv.pages(\'"Books"\').map(p => p.rating)\n```\n',
    'Best.base': 'filters: rating > 3 && file.inFolder("Books") && file.hasTag("book")\n',
    'Map.canvas': '{"nodes":[{"id":"a","type":"text","text":"see #book","x":0,"y":0,"width":1,"height":1}]}',
  });
  const p = await s.ok('vault_move', { property: 'rating', to: 'score' });
  assert.deepEqual([p.rewritten_properties, p.rewritten_notes], [5, 3]);
  assert.match(p.warnings.join('; '), /were not changed, because their meaning is not certain: in 'Script\.md'; the type of the property \(number\) is a setting of Obsidian/);
  assert.equal(s.read('Books/Emma.md'), '---\nscore: 5\ntags: [book]\n---\n[score:: 4]\n');
  assert.match((await s.ok('vault_move', { path: 'Books', to: 'Shelf' })).warnings.join(), /'Script\.md'/);
  assert.equal((await s.ok('vault_move', { tag: 'book', to: 'novel' })).rewritten_tags, 4);
  assert.equal(s.read('List.md'), QUERY('TABLE score FROM "Shelf" and #novel WHERE score > 3'));
  assert.equal(s.read('Best.base'), 'filters: score > 3 && file.inFolder("Shelf") && file.hasTag("novel")\n');
  assert.match(s.read('Map.canvas'), /"see #novel"/);
  await s.fails('vault_move', { property: 'nothing', to: 'x' }, 'NOT_FOUND', /no note has the property 'nothing'/);
});

test('what bases and queries name follows a merge and a new heading, and is named by a deletion', async (t) => {
  const s = await start(t, {
    'Old.md': '# Part\n', 'To.md': '# Piece\n', 'List.md': QUERY('LIST FROM [[Old]]'),
    'B.base': 'filters: file.hasLink("Old#Part")\n', 'Gone.md': '', 'C.md': '```base\nfilters: file.hasLink("Gone")\n```\n',
  });
  await s.ok('vault_move', { path: 'Old', heading: 'Part', to: 'Piece' });
  assert.equal(s.read('B.base'), 'filters: file.hasLink("Old#Piece")\n');
  await s.ok('vault_delete', { path: 'Old', links_to: 'To' });
  assert.equal(s.read('B.base'), 'filters: file.hasLink("To#Piece")\n');
  assert.equal(s.read('List.md'), QUERY('LIST FROM [[To]]'));
  const gone = await s.ok('vault_delete', { path: 'Gone' });
  assert.deepEqual([gone.broken_links, gone.broken_in], [1, ['C.md']]);
});

test('a deleted note is restored by its path in any normal form', async (t) => {
  const s = await start(t, { ...NOTES, 'People/Le\u0301a.md': 'x\n' });
  await s.ok('vault_delete', { path: 'People/L\u00e9a.md' });
  await s.ok('vault_delete', { path: 'People/L\u00e9a.md', restore: true });
  assert.equal(s.read('People/Le\u0301a.md'), 'x\n');
});

test('a move names notes that are too large to be read', async (t) => {
  const s = await start(t, { ...NOTES, 'Big.md': `[[Cold frame]]\n${'x'.repeat((8 << 20) + 1)}` });
  const r = await s.ok('vault_move', { path: 'Cold frame', to: 'Warm frame' });
  assert.match(r.warnings.join(), /not checked.*'Big\.md'/);
});

test('a move names notes that are not in the index: long names and deep folders', async (t) => {
  const long = `${'l'.repeat(249)}.md`, deep = 'd/'.repeat(257);
  const s = await start(t, { ...NOTES, [`Areas/${long}`]: '[[Cold frame]]\n', [`${deep}x.md`]: '[[Cold frame]]\n' });
  const warned = async (to) => (await s.ok('vault_move', { path: 'Projects/Cold frame.md', to, dry_run: true })).warnings?.join() ?? '';
  const both = await warned('Warm frame');
  assert.match(both, /not checked.*'Areas\/l{74}\.\.\.' \(the name has 252 bytes, more than 250\)/);
  assert.match(both, /'(d\/)+d?\.\.\.' \(folders are nested too deeply\)/);
  const findings = (await s.ok('vault_check', { kinds: ['not_indexed'] })).findings.map((f) => f.path);
  assert.deepEqual(findings, [`Areas/${long}`, deep.slice(0, -1)]);

  // it follows the disk
  rmSync(path.join(s.vault, 'd'), { recursive: true });
  rmSync(path.join(s.vault, 'Areas', long));
  await until('both are gone', async () => !/not checked/.test(await warned('Warm frame')));
  s.write(`Projects/${long}`, 'x');
  await until('a new one is there', async () => /'Projects\/lll/.test(await warned('Warm frame')));
});

test('a section moves to another note, with the links to it and those in it', async (t) => {
  const files = {
    'Home.md': '[[Plan#Later]] [[Plan#Later#Deep]] [[Plan#Now]] [[Plan#^b1]] [x](Work/Plan.md#Later)\n',
    'Work/Plan.md': '# Plan\n\nSee [[#Later]] and [[#Now]].\n\n## Later\n\nAfter [[#Now]], see [pic](./pic.png), [[#Deep]]. ^b1\n\n### Deep\n\ntext\n\n## Now\n\nnow\n',
    'Work/pic.png': 'x',
    'Ideas.md': '# Ideas\n\n## Old\n\nsee [[Plan#Later]]\n',
  };
  const s = await start(t, files);
  const before = s.files();
  const r = await s.ok('vault_move', { path: 'Plan', heading: 'Later', into: 'Ideas' });
  assert.deepEqual([r.path, r.heading, r.to, r.action], ['Work/Plan.md', 'Later', 'Ideas.md', 'moved']);
  assert.equal(s.read('Work/Plan.md'), '# Plan\n\nSee [[Ideas#Later]] and [[#Now]].\n\n## Now\n\nnow\n');
  assert.equal(s.read('Ideas.md'), '# Ideas\n\n## Old\n\nsee [[Ideas#Later]]\n\n## Later\n\nAfter [[Plan#Now]], see [pic](Work/pic.png), [[#Deep]]. ^b1\n\n### Deep\n\ntext\n');
  assert.equal(s.read('Home.md'), '[[Ideas#Later]] [[Ideas#Later#Deep]] [[Plan#Now]] [[Ideas#^b1]] [x](Ideas.md#Later)\n');
  await s.ok('vault_undo', {});
  assert.deepEqual(s.files(), before, 'one change');
  await s.ok('vault_move', { path: 'Plan', block: 'b1', into: 'Ideas', to: 'Old' });
  assert.match(s.read('Ideas.md'), /## Old\n\nsee \[\[Plan#Later\]\]\n\nAfter .* \^b1\n$/);
  assert.match(s.read('Home.md'), /\[\[Ideas#\^b1\]\]/);
  await s.ok('vault_move', { path: 'Plan', heading: 'Later', into: 'Ideas', to: 'Old' });
  assert.match(s.read('Ideas.md'), /## Old\n[^]*\n### Later\n[^]*\n#### Deep\n\ntext\n$/, 'it does not end the section that it is in');
  await s.fails('vault_move', { path: 'Plan', into: 'Ideas' }, 'INVALID_ARGUMENT', /heading or block/);
  await s.fails('vault_move', { path: 'Plan', heading: 'Now', into: 'Plan' }, 'INVALID_ARGUMENT', /same note/);
  await s.fails('vault_move', { path: 'Plan', heading: 'None', into: 'Ideas' }, 'HEADING_NOT_FOUND');
  await s.fails('vault_move', { path: 'Plan' }, 'INVALID_ARGUMENT', /to is missing/);
});

test('links follow to a note, not to a heading of it', async (t) => {
  const s = await start(t);
  await s.fails('vault_delete', { path: 'Cold frame', links_to: 'Plan#Now' }, 'INVALID_ARGUMENT', /links_to is a note, without a heading: give 'Plan'/);
});

/* --- properties --- */

test('vault_frontmatter changes several notes at once and shows their properties', async (t) => {
  const s = await start(t);
  const one = await s.ok('vault_frontmatter', { path: 'Cold frame', set: { rating: 5 } });
  assert.deepEqual([one.changed, one.properties], [['rating'], 'status: active\ntags: [garden]\nrating: 5\n']);
  const two = await s.ok('vault_frontmatter', { paths: ['Plan', 'Home.md'], set: { seen: true } });
  assert.deepEqual(two.notes.map((n) => [n.path, n.properties]), [['Home.md', 'seen: true\n'], ['Projects/Plan.md', 'seen: true\n']]);
  const found = await s.ok('vault_frontmatter', { where: 'seen = true', set: { seen: false } });
  assert.deepEqual([found.notes.length, found.change], [2, two.change + 1]);
  await s.fails('vault_frontmatter', { paths: ['Plan', 'Nowhere'], set: { a: 1 } }, 'FILE_NOT_FOUND', /Nowhere.*nothing was changed/);
  await s.fails('vault_frontmatter', { where: 'seen = 17', set: { a: 1 } }, 'FILE_NOT_FOUND', /no note matches/);
  await s.fails('vault_frontmatter', { where: 'seen =', set: { a: 1 } }, 'INVALID_QUERY');
  await s.fails('vault_frontmatter', { path: 'Plan', paths: ['Plan'], set: { a: 1 } }, 'INVALID_ARGUMENT', /path alone/);
  await s.fails('vault_frontmatter', { set: { a: 1 } }, 'INVALID_ARGUMENT', /either path/);
});

/* --- names --- */

test('every changing tool finds a note by its name, as vault_read does', async (t) => {
  const s = await start(t);
  for (const word of ['Cold frame', 'cold frame', '[[Cold frame]]', 'Projects/Cold frame']) {
    await s.ok('vault_edit', { path: word, old_text: 'first', new_text: 'first' });
    await s.ok('vault_insert', { path: word, content: '- x', dry_run: true });
    await s.ok('vault_frontmatter', { path: word, set: { a: 1 }, dry_run: true });
    await s.ok('vault_move', { path: word, to: 'Other', dry_run: true });
    await s.ok('vault_delete', { path: word, dry_run: true });
  }
  for (const [tool, args] of [['vault_edit', { old_text: 'a', new_text: 'b' }], ['vault_insert', { content: 'x' }], ['vault_frontmatter', { set: { a: 1 } }], ['vault_move', { to: 'x' }], ['vault_delete', {}]])
    await s.fails(tool, { path: 'Cold frme.md', ...args }, 'FILE_NOT_FOUND', /did you mean .*Cold frame/);
});

test('every changing verb finds a note by its name, as read does', async (t) => {
  const top = tempDir(t);
  const vault = path.join(top, 'vault');
  for (const [file, text] of Object.entries(NOTES)) {
    mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
    writeFileSync(path.join(vault, file), text);
  }
  const env = cleanEnv(top, { STATE_DIR: path.join(top, 'state'), VAULT_PATH: vault, TZ: 'UTC' });
  const go = async (...args) => {
    const end = await run(VAULTD, args, { env, input: '' });
    assert.equal(end.code, 0, `${args.join(' ')}: ${end.stderr}`);
    return end.stdout;
  };
  await go('edit', 'Cold frame', 'first', 'second');
  await go('frontmatter', 'Cold frame', 'rating=5');
  await go('insert', 'Cold frame', '- third');
  assert.match(await go('move', 'Cold frame', 'Warm frame'), /moved Projects\/Cold frame\.md to Projects\/Warm frame\.md/);
  assert.match(await go('delete', 'Warm frame'), /4 links to it in [^,\n]+\.\w+, [^,\n]+, [^,\n]+$/m);
  assert.match(await go('restore'), /Projects\/Warm frame\.md/);
  const folder = await run(VAULTD, ['delete', 'Projects'], { env, input: '' });
  assert.match(folder.stderr, /'Projects' is a folder with \d+ files?: use -r to delete it$/m);
  assert.match(await go('undo'), /restored Projects\/Warm frame\.md\nchange 5 is undone/);
  assert.match(readFileSync(path.join(vault, 'Projects/Warm frame.md'), 'utf8'), /rating: 5[^]*- second[^]*- third/);
});
