// The verbs that change notes: what is on disk afterwards, and that all of it can be undone.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, assertNoSanitizer, cleanEnv, run, tempDir } from '../support.mjs';

const NOTES = {
  'Plan.md': '---\nstatus: draft # soon\ntags: [work]\n---\n# Plan\n\nMeet next week.\n\n## Next steps\n\n- [ ] seeds\n',
  'Other.md': 'See [[Plan]], [[Plan#Next steps|steps]] and #work/deep.\r\nEnd',
  'Folder/Deep.md': '![[Plan]] [x](../Plan.md)\n',
  'Board.canvas': '{"nodes":[{"id":"1","type":"file","file":"Plan.md","x":0,"y":0,"width":1,"height":1}]}',
};

/** Every file below dir, hidden ones included, with its bytes. */
function tree(dir, below = '') {
  return readdirSync(path.join(dir, below)).sort().flatMap((name) => {
    const file = path.join(below, name);
    return statSync(path.join(dir, file)).isDirectory() ? tree(dir, file) : [[file, readFileSync(path.join(dir, file), 'latin1')]];
  });
}

class Changer {
  constructor(t) {
    const top = tempDir(t);
    this.vault = path.join(top, 'vault');
    for (const [name, text] of Object.entries({ '.obsidian/app.json': '{}', ...NOTES })) {
      mkdirSync(path.dirname(path.join(this.vault, name)), { recursive: true });
      writeFileSync(path.join(this.vault, name), text);
    }
    this.env = cleanEnv(top, { STATE_DIR: path.join(top, 'state'), VAULT_PATH: this.vault, TZ: 'UTC' });
    this.before = tree(this.vault);
  }

  async run(args, input) {
    const end = await run(VAULTD, args, { env: this.env, input });
    assertNoSanitizer(end.stderr, args.join(' '));
    return end;
  }

  async json(args, input) {
    const end = await this.run([...args, '--json'], input);
    assert.equal(end.code, 0, end.stderr);
    return JSON.parse(end.stdout);
  }

  async refused(code, says, args, input) {
    const before = tree(this.vault);
    const end = await this.run(args, input);
    assert.equal(end.code, code, end.stderr + end.stdout);
    assert.match(end.stderr, says);
    assert.deepEqual(tree(this.vault), before, 'nothing changed');
  }

  text(name) {
    return readFileSync(path.join(this.vault, name), 'utf8');
  }

  /** Undo the latest change; the vault is as it was when the test began. */
  async undone() {
    await this.json(['undo']);
    assert.deepEqual(tree(this.vault), this.before, 'as before');
  }
}

test('write, and write only if the file is new', async (t) => {
  const v = new Changer(t);
  const made = await v.json(['write', 'New/A.md', '# A']);
  assert.equal(v.text('New/A.md'), '# A\n', 'whole lines');
  assert.deepEqual(made, { path: 'New/A.md', created: true, size: 4, total_lines: 1, etag: made.etag, change: 1 });
  await v.refused(1, /already exists/, ['write', 'New/A.md', 'x']);
  await v.refused(1, /already exists/, ['write', 'new/a.md', 'x']);
  for (const bad of ['../x.md', 'a:b.md', '.hidden/x.md', 'con.md', 'x. /y.md'])
    await v.refused(bad.startsWith('.') ? 1 : 2, /vaultd: /, ['write', bad, 'x']);
  await v.undone();
});

test('edit: exact text, all occurrences, a pattern, a dry run', async (t) => {
  const v = new Changer(t);
  const dry = await v.json(['edit', 'Plan.md', 'next week', 'on Friday', '--dry-run']);
  assert.match(dry.diff, /^-Meet next week\.\n\+Meet on Friday\.$/m);
  assert.deepEqual(tree(v.vault), v.before);
  await v.json(['edit', 'Plan.md', 'next week', 'on Friday']);
  assert.equal(v.text('Plan.md'), NOTES['Plan.md'].replace('next week', 'on Friday'));
  await v.undone();
  await v.refused(2, /Text not found in file/, ['edit', 'Plan.md', 'nowhere', 'x']);
  await v.refused(2, /Text appears \d+ times in file, must be unique/, ['edit', 'Plan.md', 'e', 'x']);
  await v.json(['edit', 'Other.md', '-e', 'Plan(#[^|\\]]*)?', 'Idea$1']);
  assert.equal(v.text('Other.md'), 'See [[Idea]], [[Idea#Next steps|steps]] and #work/deep.\r\nEnd');
  await v.undone();
});

test('insert: items that begin with a dash, sections, CRLF preserved', async (t) => {
  const v = new Changer(t);
  await v.json(['insert', 'Plan.md', '- [ ] soil', '--section', 'Next steps']);
  assert.ok(v.text('Plan.md').endsWith('- [ ] seeds\n- [ ] soil\n'));
  await v.undone();
  await v.json(['insert', 'Other.md', 'More.']);
  assert.equal(v.text('Other.md'), NOTES['Other.md'] + '\r\n\r\nMore.');
  await v.undone();
  await v.json(['insert', 'Log.md', '--create'], '- from stdin\n');
  assert.equal(v.text('Log.md'), '- from stdin\n');
  await v.undone();
});

test('frontmatter: only the given properties change', async (t) => {
  const v = new Changer(t);
  await v.json(['frontmatter', 'Plan.md', 'status=done', 'rating=5', '--add', 'tags=garden']);
  assert.equal(v.text('Plan.md'), NOTES['Plan.md'].replace('draft # soon', 'done # soon').replace('[work]\n', '[work, garden]\nrating: 5\n'));
  await v.undone();
  const read = await v.json(['frontmatter', 'Plan.md', 'a=1']);
  await v.refused(1, /has changed: its etag is now/, ['frontmatter', 'Plan.md', 'a=2', '--if-match', '0000000000000000']);
  await v.json(['frontmatter', 'Plan.md', '--remove', 'a', '--if-match', read.etag]);
  assert.deepEqual(tree(v.vault), v.before);
});

test('move: a note, a folder, a heading, a tag, and all links to them', async (t) => {
  const v = new Changer(t);
  await v.json(['move', 'Plan', 'Archive/Big plan']);
  assert.equal(v.text('Other.md').split('\r')[0], 'See [[Big plan]], [[Big plan#Next steps|steps]] and #work/deep.');
  assert.match(v.text('Folder/Deep.md'), /^!\[\[Big plan\]\] \[x\]\(.*Big%20plan\.md\)\n$/);
  assert.match(v.text('Board.canvas'), /"file":"Archive\/Big plan\.md"/);
  await v.undone();
  await v.json(['move', 'Folder', 'Elsewhere']);
  assert.ok(existsSync(path.join(v.vault, 'Elsewhere/Deep.md')) && !existsSync(path.join(v.vault, 'Folder')));
  await v.undone();
  await v.json(['move', 'Plan.md', 'Later', '--heading', 'Next steps']);
  assert.match(v.text('Other.md'), /\[\[Plan#Later\|steps\]\]/);
  assert.match(v.text('Plan.md'), /^## Later$/m);
  await v.undone();
  await v.json(['move', '--tag', 'work', 'job']);
  assert.match(v.text('Other.md'), /#job\/deep/);
  assert.match(v.text('Plan.md'), /^tags: \[job\]$/m);
  await v.undone();
  await v.refused(1, /exists|already/, ['move', 'Plan.md', 'Other.md']);
  await v.refused(1, /File not found: Nothing\.md/, ['move', 'Nothing.md', 'X.md']);
});

test('delete, restore, and folders only on request', async (t) => {
  const v = new Changer(t);
  await v.refused(2, /is a folder/, ['delete', 'Folder']);
  await v.json(['delete', 'Plan.md']);
  assert.equal(v.text('.trash/Plan.md'), NOTES['Plan.md']);
  assert.equal((await v.run(['search', 'seeds'])).code, 1, 'what is in the trash is not found');
  assert.deepEqual((await v.json(['restore'])).trash.map(({ path: at, from }) => [at, from]), [['Plan.md', 'Plan.md']]);
  await v.json(['restore', 'Plan.md']);
  assert.equal(v.text('Plan.md'), NOTES['Plan.md']);
  await v.json(['delete', 'Folder', '-r', '--forever']);
  assert.ok(!existsSync(path.join(v.vault, 'Folder')));
  await v.json(['undo']);
  assert.equal(v.text('Folder/Deep.md'), NOTES['Folder/Deep.md']);
});

test('daily: uses the vault\'s settings and template', async (t) => {
  const v = new Changer(t);
  writeFileSync(path.join(v.vault, '.obsidian/daily-notes.json'), '{"folder":"Days","format":"YYYY/MM-DD","template":"Folder/Day"}');
  writeFileSync(path.join(v.vault, 'Folder/Day.md'), '# {{title}} {{date:YYYY}}\n');
  await v.json(['daily', '--date', '2026-11-16', '- called Ann']);
  assert.equal(v.text('Days/2026/11-16.md'), '# 11-16 2026\n\n- called Ann\n');
  await v.json(['daily', '--date', '2026-11-16', '- and Ben']);
  assert.ok(v.text('Days/2026/11-16.md').endsWith('- called Ann\n- and Ben\n'));
  await v.refused(2, /is not a date/, ['daily', '--date', '2026-13-40', 'x']);
});

test('batch: all or nothing', async (t) => {
  const v = new Changer(t);
  const lines = [
    { op: 'write', path: 'A', content: '# A\n', create: true },
    { op: 'insert', path: 'A.md', content: 'text' },
    { op: 'insert', path: 'B', content: 'text', create: true },
    { op: 'edit', path: 'Plan.md', old_text: 'seeds', new_text: 'beans' },
    { op: 'frontmatter', path: 'Plan.md', set: { status: 'done' } },
    { op: 'delete', path: 'Other.md' },
  ].map((line) => JSON.stringify(line));
  const done = await v.json(['batch'], lines.join('\n') + '\n');
  assert.ok(done.change > 0);
  assert.equal(v.text('A.md'), '# A\n\ntext\n');
  assert.equal(v.text('B.md'), 'text\n');
  assert.match(v.text('Plan.md'), /status: done # soon[^]*beans/);
  await v.undone();
  await v.refused(1, /line 3: File not found: None\.md; nothing was done/, ['batch'], [...lines.slice(0, 2), '{"op":"edit","path":"None.md","old_text":"a","new_text":"b"}', ''].join('\n'));
  await v.refused(2, /line 1: .*nothing was done/, ['batch'], 'not json\n');
  await v.refused(2, /op must be one of/, ['batch'], '{"op":"dance"}\n');
});

test('the same command with the same key is executed once', async (t) => {
  const v = new Changer(t);
  const add = ['insert', 'Plan.md', '--idempotency-key', 'k1', '--section', 'Next steps'];
  const first = await v.json(add, '- [ ] soil\n');
  assert.deepEqual(first, { ...first, path: 'Plan.md', created: false, target: first.target, change: 1 });
  const after = tree(v.vault);
  assert.deepEqual(await v.json(add, '- [ ] soil\n'), { ...first, repeated: true });
  assert.match((await v.run([...add, '--color', 'never'], '- [ ] soil\n')).stdout, /^already made, as change 1\n$/);
  assert.deepEqual(tree(v.vault), after, 'once');
  await v.refused(1, /idempotency_key was used for another change/, add, '- [ ] pots\n');
  const edit = ['edit', 'Plan.md', 'next week', 'on Friday', '--idempotency-key', 'k2'];
  assert.equal((await v.json(edit)).change, 2);
  assert.deepEqual(await v.json(edit).then((r) => [r.repeated, r.change, r.replacements]), [true, 2, 1]);
  const undo = ['undo', '--idempotency-key', 'k3'];
  assert.deepEqual(await v.json(undo), { undone: 2, files: [{ path: 'Plan.md', outcome: 'changed back', etag: '0848360a75e3b2c6' }], change: 3 });
  assert.deepEqual(await v.json(undo), { undone: 2, change: 3, repeated: true });
  assert.equal((await v.run(undo)).stdout, 'already made, as change 3\n');
  assert.deepEqual(tree(v.vault), after);
});

test('concurrent commands: all are executed, none is lost', async (t) => {
  const v = new Changer(t);
  writeFileSync(path.join(v.vault, 'List.md'), '');
  const items = ['a', 'b', 'c', 'd', 'e', 'f'];
  await Promise.all(items.map((item) => v.json(['insert', 'List.md', `- ${item}`])));
  assert.deepEqual(v.text('List.md').trim().split('\n').sort(), items.map((item) => `- ${item}`));
});

test('check --fix: ambiguous links become full paths, in one change', async (t) => {
  const v = new Changer(t);
  for (const [name, text] of Object.entries({ 'X/Log.md': 'see [[Log]]\r\n', 'Y/Log.md': '', 'Links.md': '[[Log]], ![[Log]], [[Log#A]], [[Log|the log]], [md](Log.md), [[X/Log]] and `[[Log]]`\n\n| a |\n| - |\n| [[Log]] |\n' })) {
    mkdirSync(path.dirname(path.join(v.vault, name)), { recursive: true });
    writeFileSync(path.join(v.vault, name), text);
  }
  v.before = tree(v.vault);
  const dry = await v.run(['check', '--fix']);
  assert.equal(dry.code, 0, dry.stderr);
  assert.match(dry.stdout, /^\+\[\[X\/Log\|Log\]\], !\[\[X\/Log\]\], /m);
  assert.match(dry.stdout, /6 ambiguous links in 2 notes would change; nothing was changed \(--yes makes the changes\)\n$/);
  assert.deepEqual(tree(v.vault), v.before);
  const made = await v.run(['check', '--fix', '--yes']);
  assert.match(made.stdout, /fixed 6 ambiguous links in 2 notes; change 1, undo it with vaultd undo 1\n$/);
  assert.equal(v.text('Links.md'), '[[X/Log|Log]], ![[X/Log]], [[X/Log#A]], [[X/Log|the log]], [md](Log.md), [[X/Log]] and `[[Log]]`\n\n| a |\n| - |\n| [[X/Log\\|Log]] |\n');
  assert.equal(v.text('X/Log.md'), 'see [[X/Log|Log]]\r\n', 'line ends stay');
  assert.match((await v.run(['check', '--fix'])).stdout, /nothing to fix/);
  await v.undone();
  await v.refused(2, /--fix without --json/, ['check', '--fix', '--json']);
});

test('changes: the list, undo and redo, byte for byte', async (t) => {
  const v = new Changer(t);
  await v.json(['write', 'A.md', 'one']);
  await v.json(['write', '--overwrite', 'A.md', 'two']);
  await v.json(['undo', '2']);
  assert.equal(v.text('A.md'), 'one\n');
  const list = (await v.json(['changes'])).changes;
  assert.deepEqual(list.map((c) => [c.change, c.tool, c.undone_by, c.undoes]), [[3, 'undo', undefined, 2], [2, 'write', 3, undefined], [1, 'write', undefined, undefined]]);
  await v.json(['undo', '3']);
  assert.equal(v.text('A.md'), 'two\n', 'undoing the undo makes the change again');
  writeFileSync(path.join(v.vault, 'A.md'), 'by somebody else');
  await v.refused(1, /'A\.md' has changed since/, ['undo', '4']);
  assert.match((await v.run(['changes', '--verify'])).stdout, /The journal is intact: 4 changes/);
  const folder = path.join(v.env.STATE_DIR, readdirSync(v.env.STATE_DIR).find((f) => f.startsWith('changes-')));
  const segment = path.join(folder, readdirSync(folder).find((f) => f.startsWith('journal-')));
  writeFileSync(segment, readFileSync(segment, 'latin1').replace('"write"', '"wrote"'), 'latin1');
  const end = await v.run(['changes', '--verify']);
  assert.notEqual(end.code, 0, 'tampering is noticed');
});

test('changes: columns that people can read, what was moved first, and filters', async (t) => {
  const v = new Changer(t);
  await v.json(['move', 'Plan.md', 'Deep/Down/Goal.md']);
  await v.json(['write', 'Notes/A.md', 'one\n']);
  await v.json(['frontmatter', 'Notes/A.md', 'status=done']);
  await v.json(['delete', 'Notes/A.md']);
  await v.json(['undo']);
  const lines = async (...args) => (await v.run(['changes', ...args])).stdout.split('\n').slice(0, -1);
  const numbers = async (...args) => (await lines(...args)).map((line) => Number(line.split(' ')[0]));
  const all = await lines();
  assert.equal(all.length, 5);
  for (const line of all) assert.match(line, /^\d {2}\d{4}-\d\d-\d\d \d\d:\d\d {2}\S+ {2}vaultd {2} ?\d files? {2}\S/, line);
  assert.match(all[4], /4 files {2}moved Plan\.md to Deep\/Down\/Goal\.md$/);
  assert.deepEqual(all.slice(0, 4).map((line) => line.replace(/^.* files? {2}/, '')), ['restored Notes/A.md  undoes 4', 'deleted Notes/A.md  undone by 5', 'changed Notes/A.md', 'created Notes/A.md']);
  assert.deepEqual(await numbers('--path', 'Plan'), [1]);
  assert.deepEqual(await numbers('--path', 'Deep'), [1]);
  assert.deepEqual(await numbers('--path', 'Notes/A.md', '-n', '2'), [5, 4]);
  assert.deepEqual(await numbers('--since', '3'), [5, 4]);
  assert.deepEqual(await numbers('--since', '2020-01-01', '--client', 'VAULT'), [5, 4, 3, 2, 1]);
  for (const since of ['yesterday', '7d', '48h', '2w']) assert.deepEqual(await numbers('--since', since), [5, 4, 3, 2, 1], since);
  assert.equal((await v.run(['changes', '--since', '2999-01-01'])).code, 1);
  assert.equal((await v.run(['changes', '--client', 'claude'])).code, 1);
  await v.refused(2, /--since: 'soon' is neither a date \(YYYY-MM-DD, today, yesterday\), a time such as 24h or 7d, nor the number of a change/, ['changes', '--since', 'soon']);
  const [first] = (await v.json(['changes', '--path', 'Plan'])).changes;
  assert.deepEqual(first.files[0], { path: 'Plan.md', operation: 'move', to: 'Deep/Down/Goal.md' });
});

test('changes on a terminal: one line each', { skip: !existsSync('/usr/bin/script') && 'needs script of util-linux' }, async (t) => {
  const v = new Changer(t);
  const long = `A folder with a long name/${'very '.repeat(20)}long.md`;
  await v.json(['write', long, 'one\n']);
  await v.json(['move', long, 'B.md']);
  await v.json(['undo']);
  const end = await run('script', ['-qefc', `stty rows 24 cols 80; '${VAULTD}' changes --color never`, '/dev/null'], { env: { ...v.env, TERM: 'xterm', SHELL: '/bin/sh' } });
  const lines = end.stdout.replace(/\r+\n/g, '\n').split('\n').slice(0, -1);
  assert.equal(lines.length, 3, end.stdout);
  for (const line of lines) assert.ok([...line].length <= 80, line);
  assert.match(lines[1], /moved A folder.*…  undone by 3$/);
});

test('changes N: the diff, also when the note has changed since', async (t) => {
  const v = new Changer(t);
  await v.json(['write', 'A.md', 'one\n']);
  await v.json(['write', 'A.md', 'two\n', '--overwrite']);
  await v.json(['move', 'A.md', 'B.md']);
  await v.json(['write', 'B.md', 'three\n', '--overwrite']);
  writeFileSync(path.join(v.vault, 'B.md'), 'four\n');
  const shown = (await v.run(['changes', '2'])).stdout;
  assert.match(shown, /^change 2\nwhen {4}\d{4}-.*\nwho {5}\S+\nclient {2}vaultd\ntool {4}write\nfiles {3}1\n\n--- A\.md\n\+\+\+ A\.md\n@@ -1 \+1 @@\n-one\n\+two\n$/m, 'change 4 has kept it');
  assert.match((await v.run(['changes', '4'])).stdout, /\(no diff: its new text is no longer available\)/);
  const moved = await v.json(['changes', '3']);
  assert.deepEqual([moved.files, moved.diff], [[{ path: 'A.md', outcome: 'moved', to: 'B.md' }], 'rename from A.md\nrename to B.md\n']);
  await v.refused(1, /no such change 9/, ['changes', '9']);
  await v.refused(2, /'last' is not the number of a change/, ['changes', 'last']);
});

test('a state folder that cannot be used is named', async (t) => {
  const v = new Changer(t);
  v.env.STATE_DIR = path.join(v.vault, 'Plan.md');
  await v.refused(1, /the state folder cannot be used; give another --state-dir \(Not a directory: \S+Plan\.md\)/, ['write', 'X.md', 'x']);
  await v.refused(1, /Plan\.md\)/, ['changes']);
});

test('undo --dry-run: what it would do, and nothing happens', async (t) => {
  const v = new Changer(t);
  await v.json(['write', 'A.md', 'one\n']);
  await v.json(['write', 'A.md', 'two\n', '--overwrite']);
  await v.json(['move', 'Plan.md', 'Goal.md']);
  const before = tree(v.vault);
  assert.equal((await v.run(['undo', '2', '--dry-run'])).stdout, 'Undoing change 2 would do this:\n--- A.md\n+++ A.md\n@@ -1 +1 @@\n-two\n+one\n');
  assert.match((await v.run(['undo', '--dry-run'])).stdout, /^Undoing change 3 would do this:\n[^]*^rename from Goal\.md\nrename to Plan\.md$/m);
  const plan = await v.json(['undo', '1', '--dry-run']).catch((error) => error);
  assert.ok(plan instanceof Error, 'it has changed since');
  const latest = await v.json(['undo', '--dry-run']);
  assert.equal(latest.dry_run, true);
  assert.ok(latest.files.some((f) => f.outcome === 'moved' && f.to === 'Plan.md'));
  assert.deepEqual(tree(v.vault), before);
  assert.equal((await v.json(['changes'])).changes.length, 3);
});
