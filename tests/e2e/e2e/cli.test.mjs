// The verbs for people: their output on a terminal and in a pipe, and their exit codes.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { FOR_WINDOWS, SYSTEM, TOP, VAULTD, assertNoSanitizer, cleanEnv, copyVault, run, startHttp, tempDir, within } from '../support.mjs';

const ESC = '\u001b';

/** A folder with these files. */
function makeVault(t, files) {
  const dir = path.join(tempDir(t), 'vault');
  mkdirSync(path.join(dir, '.obsidian'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
  return dir;
}

/** vaultd with its own vault and state folder. */
class Cli {
  constructor(t, vault = copyVault(t), env = {}) {
    this.vault = vault;
    this.home = tempDir(t);
    this.state = path.join(this.home, 'state');
    this.env = cleanEnv(this.home, { STATE_DIR: this.state, VAULT_PATH: vault, TZ: 'UTC', ...env });
  }

  async run(args, { env = {}, ...more } = {}) {
    const end = await run(VAULTD, args, { env: { ...this.env, ...env }, ...more });
    assertNoSanitizer(end.stderr, `vaultd ${args.join(' ')}`);
    assert.equal(end.signal, null);
    return end;
  }

  /** stdout of a run that must exit with this code, and nothing on stderr but what -n left out. */
  async text(code, ...args) {
    const end = await this.run(args);
    const left = args.includes('-n') ? /^\d+ [^\n]*; (continue with --offset \d+|more with --limit)\n$/ : /^$/;
    assert.deepEqual([end.code, end.stderr.replace(left, '')], [code, ''], args.join(' '));
    return end.stdout;
  }

  async lines(code, ...args) {
    const text = await this.text(code, ...args);
    assert.match(text, /^$|\n$/, 'every line ends');
    for (const line of text.split('\n')) assert.doesNotMatch(line, /[ \t]$/, `blanks at the end: ${JSON.stringify(line)}`);
    return text.split('\n').slice(0, -1);
  }

  async json(code, ...args) {
    const text = await this.text(code, ...args, '--json');
    assert.match(text, /^[^\n]+\n$/, 'one line');
    return JSON.parse(text);
  }

  /** Fails with one sentence on stderr and nothing on stdout. */
  async fails(code, says, ...args) {
    const end = await this.run(args);
    assert.deepEqual([end.code, end.stdout], [code, ''], `${args.join(' ')}: ${end.stderr}`);
    assert.match(end.stderr, /^vaultd: [^\n]+\n$/, 'one line');
    assert.match(end.stderr, says);
  }

  /** Output on a terminal; stderr is the same terminal. */
  async terminal(args, env = {}) {
    const quoted = [VAULTD, ...args].map((a) => `'${a.replaceAll("'", "'\\''")}'`).join(' ');
    const end = await run('script', ['-qefc', quoted, '/dev/null'], { env: { ...this.env, TERM: 'xterm', SHELL: '/bin/sh', ...env } });
    assertNoSanitizer(end.stdout, `vaultd ${args.join(' ')}`);
    return { code: end.code, text: end.stdout.replace(/\r+\n/g, '\n').replace(/\x1b\[\?25[hl]|\x1b\[K/g, '') }; // Wine hides its cursor
  }
}

const hasScript = ['/usr/bin/script', '/bin/script'].some((f) => existsSync(f));
const terminalTest = (name, body) => test(name, { skip: !hasScript && 'needs script of util-linux' }, body);
const plain = (text) => text.replace(/\u001b\[[0-9;]*m/g, '');

/* --- the verbs --- */

test('search', async (t) => {
  const cli = new Cli(t);
  await t.test('output for scripts', async () => {
    const all = await cli.json(0, 'search', 'otter', '--limit', '1000');
    assert.equal(all.query, 'otter');
    assert.equal(all.results.length, all.total_matches);
    assert.equal(new Set(all.results.map((r) => r.path)).size, all.total_files);
    for (const r of all.results) assert.match(r.snippet, /\*\*otter\*\*/i);
    const content = all.results.filter((r) => r.match_type === 'content');
    for (const r of content) {
      const line = readFileSync(path.join(cli.vault, r.path), 'utf8').split('\n')[r.line - 1];
      assert.match(line, /otter/i);
    }
    const some = await cli.json(0, 'search', 'otter', '-n', '2', '--offset', '1');
    assert.deepEqual(some.results, all.results.slice(1, 3));
    assert.equal(some.total_matches, all.total_matches);
  });
  await t.test('in a pipe: like grep -n, with the unmodified line', async () => {
    assert.deepEqual(await cli.lines(0, 'search', 'Rain barrel.md'), ['Projects/Rain barrel.md']);
    const found = await cli.lines(0, 'search', '-m', 'regex', 'Log\\b');
    assert.ok(found.includes('Projects/Repair workshop/Log.md'), 'a name');
    for (const line of found.filter((l) => !/Log\.(md|base)$/.test(l))) {
      const [, file, number, text] = line.match(/^(.+?\.md):(\d+):(.*)$/);
      assert.equal(readFileSync(path.join(cli.vault, file), 'utf8').split('\n')[number - 1], text);
    }
  });
  await t.test('several words are one phrase', async () => {
    assert.deepEqual(await cli.lines(0, 'search', 'bed', 'plan', '-n', '3'), await cli.lines(0, 'search', 'bed plan', '-n', '3'));
  });
  await t.test('modes', async () => {
    const ranked = await cli.json(0, 'search', '--mode', 'words', 'garden', 'bed');
    assert.equal(ranked.results[0].path, 'Areas/Garden/Bed plan.md');
    assert.equal((await cli.json(1, 'search', '-m', 'regex', 'GARDEN OF')).total_matches, 0);
    assert.ok((await cli.json(0, 'search', '-m', 'regex', '-i', 'GARDEN OF')).total_matches > 0);
    const asked = await cli.json(0, 'search', '-m', 'query', 'path:Recipes line:(rye)');
    assert.ok(asked.results.every((r) => r.path.startsWith('Recipes/')));
  });
  await t.test('without a mode: the text, else the words; operators are understood', async () => {
    const apart = await cli.run(['search', 'barrel', 'water', 'rain']);
    assert.equal(apart.code, 0);
    assert.match(apart.stdout, /^[^\n]*Rain barrel\.md/);
    assert.match(apart.stderr, /^No exact match; these notes contain its words, or some of them, best match first\.\n$/);
    assert.deepEqual(await cli.lines(0, 'search', 'tag:#area/garden'), await cli.lines(0, 'search', '-m', 'query', 'tag:#area/garden'));
    assert.deepEqual(await cli.lines(0, 'search', '-m', 'names', 'plan', 'bed'), ['Areas/Garden/Bed plan.md', 'Attachments/bed-plan.png']);
  });
  await t.test('limited to some files', async () => {
    const paths = async (...args) => (await cli.json(0, 'search', 'garden', '-n', '1000', ...args)).results.map((r) => r.path);
    assert.ok((await paths('--folder', 'Projects')).every((p) => p.startsWith('Projects/')));
    assert.ok((await paths('--glob', '*.canvas')).every((p) => p.endsWith('.canvas')));
    assert.deepEqual(new Set(await paths('-g', 'Projects/*.{base,md}', '-g', '!Projects/C*')), new Set(['Projects/Rain barrel.md', 'Projects/Projects.base']));
    assert.ok((await paths('-g', '*.md,!Areas/**')).every((p) => p.endsWith('.md') && !p.startsWith('Areas/')));
    assert.deepEqual([...new Set(await paths('--tag', 'project/garden', '--folder', 'Projects'))].sort(), ['Projects/Cold frame.md', 'Projects/Rain barrel.md']);
  });
  await t.test('nothing found: exit 1, and a hint, or what was meant', async () => {
    assert.deepEqual(await cli.run(['search', 'xyzzyxyzzy']), { code: 1, signal: null, stdout: '', stderr: '' });
    const typo = await cli.run(['search', '-m', 'words', 'gardn']);
    assert.equal(typo.code, 0);
    assert.match(typo.stderr, /^Searched for garden \(for gardn\)\.\n/m);
    const counted = await cli.run(['search', '-c', 'gardn']);
    assert.deepEqual([counted.code, counted.stdout], [1, '']);
    assert.match(counted.stderr, /^Did you mean: garden.*\?\n$/);
    const apart = await cli.run(['search', '-m', 'text', 'beds raised']);
    assert.match(apart.stderr, /--mode words/);
    assert.equal((await cli.json(0, 'search', '-m', 'words', 'gardn')).corrected, 'garden (for gardn)');
    assert.ok((await cli.json(1, 'search', '-m', 'regex', 'gardn')).suggestions.includes('garden'));
  });
});

test('search -l, -c and -C print what rg prints', async (t) => {
  const cli = new Cli(t);
  const searched = ['--glob', '!Scratch/**', '--glob', '!*.pdf'];
  const rg = async (...args) => {
    const { stdout } = await run('rg', ['--no-heading', '--no-ignore', '--sort', 'path', ...searched, ...args, '.'], { env: cli.env, cwd: cli.vault });
    return stdout.replace(/^\.\//gm, '').replaceAll('\t', ' '); // as all output for people
  };
  const ours = (...args) => cli.text(0, 'search', '-m', 'regex', '-n', '1000', '-C', '0', ...searched, ...args);
  for (const lines of ['1', '3']) assert.equal(await ours('-C', lines, 'barrel'), await rg('-n', '-C', lines, 'barrel'));
  const names = (await ours('barrel')).split('\n').filter((l) => l && !/:\d+:/.test(l));
  const counts = (await ours('-c', 'barrel')).trimEnd().split('\n').map((l) => l.match(/^(.*):(\d+)$/).slice(1));
  assert.deepEqual(counts.map(([f, n]) => `${f}:${n - (names.includes(f) ? 1 : 0)}`).filter((l) => !l.endsWith(':0')), (await rg('-c', 'barrel')).trimEnd().split('\n'));
  assert.deepEqual((await ours('-l', 'barrel')).trimEnd().split('\n'), counts.map(([f]) => f));
  const { files, total_matches } = await cli.json(0, 'search', '-c', 'the');
  assert.equal(files.reduce((sum, f) => sum + f.matches, 0), total_matches);
});

terminalTest('search colours every word and every occurrence on a terminal', async (t) => {
  const cli = new Cli(t);
  writeFileSync(path.join(cli.vault, 'Colours.md'), 'quagga, then QUAGGA and zebu quagga\n');
  const red = (text) => [...text.matchAll(/\u001b\[1;31m([^\u001b]*)\u001b\[0m/g)].map((m) => m[1]);
  assert.deepEqual(red((await cli.terminal(['search', 'quagga'])).text), ['quagga', 'QUAGGA', 'quagga']);
  assert.deepEqual(red((await cli.terminal(['search', 'zebu', 'quagga', 'then'])).text).slice(0, 5), ['quagga', 'then', 'QUAGGA', 'zebu', 'quagga']);
  assert.deepEqual(red((await cli.terminal(['search', '-m', 'regex', 'qu..ga'])).text), ['quagga', 'quagga']);
  assert.deepEqual(red((await cli.terminal(['search', 'file:Colours zebu'])).text), ['zebu']);
  const around = plain((await cli.terminal(['search', '-C', '1', 'Rain barrel', '--folder', 'Books'])).text);
  assert.match(around, /^Books\/Walden\.md\n +\d+ {2}.*\n +\d+ {2}.*[Rr]ain barrel.*\n/);
});

test('search has the order of the tools, and no file hides others', async (t) => {
  const many = Array.from({ length: 60 }, (_, i) => `otter ${i}\n`).join('');
  const cli = new Cli(t, makeVault(t, {
    'A many.md': many, 'Otter.md': 'about the otter\n', 'Z.md': 'an otter\n', 'B/otter.svg': '<svg/>', 'A/otter pup.md': '', 'B/Otters.png': '',
    'Map.canvas': JSON.stringify({ nodes: [
      { id: 'c1', type: 'text', x: 0, y: 0, width: 9, height: 9, text: '# Pond\n\n- an otter "here"' },
      { id: 'c2', type: 'file', x: 0, y: 9, width: 9, height: 9, file: 'Otter.md' },
    ], edges: [] }, null, 1),
  }), { NO_COLOR: '1' });
  const files = (lines) => [...new Set(lines.map((l) => l.replace(/^(.*?\.[a-z]+):\d+:.*$/, '$1')))];
  const piped = await cli.lines(0, 'search', 'otter');
  const answer = await cli.json(0, 'search', 'otter');
  await t.test('in a pipe: everything, file by file, as in JSON', async () => {
    assert.deepEqual(files(piped), [...new Set(answer.results.map((r) => r.path))]);
    assert.deepEqual(files(piped).slice(0, 4), ['Otter.md', 'A/otter pup.md', 'B/Otters.png', 'B/otter.svg'], 'names first, and of these notes');
    assert.equal(piped.filter((l) => l.startsWith('A many.md:')).length, 60);
    assert.equal(answer.results.length, answer.total_matches);
    assert.equal(new Set(piped).size, piped.length, 'no line twice');
  });
  await t.test('as many as asked for, and a word on stderr about the rest', async () => {
    const few = await cli.run(['search', 'otter', '-n', '3']);
    assert.equal(few.stdout.trimEnd().split('\n').length, 3);
    assert.match(few.stderr, /^\d+ matches in 7 files; continue with --offset 3\n$/);
  });
  if (!hasScript) return;
  await t.test('on a terminal: a few lines of each file, and how many more', async () => {
    const { text } = await cli.terminal(['search', 'otter']);
    const at = text.indexOf('A many.md\n');
    assert.ok(at > text.indexOf('Otter.md\n'));
    assert.match(text.slice(at), /^A many\.md\n( +\d  otter \d\n){5} +… 55 more in this file\n/);
    assert.match(text, /^Z\.md\n +1 {2}an otter$/m, 'not hidden');
    assert.match(text, /^Map\.canvas\n +\d+ {2}card: - an otter "here"\n +\d+ {2}file: Otter\.md$/m);
    assert.match(text, /\n\d+ matches in 7 files\n$/);
    const all = (await cli.terminal(['search', 'otter', '-n', '0'])).text;
    assert.equal(all.match(/otter \d+$/gm).length, 60, '-n 0: all');
  });
});

test('a list in a pipe is complete, or says on stderr that it is not', async (t) => {
  const notes = Object.fromEntries(Array.from({ length: 1100 }, (_, i) => [`N${i}.md`, `- [ ] task ${i} [[Missing ${i}]]\n`]));
  const cli = new Cli(t, makeVault(t, { ...notes, 'Hub.md': 'Hub\n', 'Says.md': 'about Hub and\n'.repeat(250) }), { NO_COLOR: '1' });
  for (const [n, args, code = 0] of [[1102, ['query']], [1100, ['tasks']], [1100, ['check'], 1], [1100, ['search', 'task']], [250, ['links', 'Hub', '-m']]]) {
    const all = await cli.run(args);
    assert.deepEqual([all.code, all.stderr, all.stdout.trimEnd().split('\n').length], [code, '', n], args.join(' '));
    const some = await cli.run([...args, '-n', '7']);
    assert.deepEqual([some.code, some.stdout.trimEnd().split('\n').length], [code, 7], args.join(' '));
    assert.match(some.stderr, new RegExp(`${n}.*(--offset 7|--limit)\n$`), args.join(' '));
    if (!hasScript) continue;
    const shown = (await cli.terminal(args)).text.trimEnd().split('\n');
    assert.match(shown.at(-1), new RegExp(`${n}.*(--offset|--limit)`), `${args.join(' ')} on a terminal`);
  }
});

test('search counts the lines that rg counts', async (t) => {
  const cli = new Cli(t);
  const searched = ['--glob', '!Scratch/**', '--glob', '!*.pdf']; // excluded by the vault's settings; not text
  for (const [mode, word, flags] of [
    ['text', 'garden', ['-iF']],
    ['text', 'the', ['-iF']],
    ['text', 'café', ['-iF']],
    ['text', '日本', ['-iF']],
    ['text', '[[', ['-iF']],
    ['regex', '\\b[A-Z]{3,}\\b', []],
    ['regex', '^- \\[ \\]', []],
    ['regex', '\\p{Cyrillic}+', []],
  ]) {
    const ours = JSON.parse(await cli.text(0, 'search', '--json', '-m', mode, '-n', '1000', ...searched, '--', word));
    const content = ours.results.filter((r) => r.match_type === 'content').length;
    const rg = await run('rg', ['-c', '--no-ignore', '--no-messages', ...flags, ...searched, '-e', word, '.'], { env: cli.env, cwd: cli.vault });
    const theirs = rg.stdout.split('\n').filter(Boolean).reduce((sum, line) => sum + Number(line.match(/:(\d+)$/)[1]), 0);
    assert.equal(content, theirs, `${mode} ${word}`);
  }
});

test('read', async (t) => {
  const cli = new Cli(t, makeVault(t, {
    'Plan.md': '---\nup: x\n---\n# Plan\n\nThe goal. ^goal\n\n## Next steps\n\n- one\n- two\n\n### Soon\n\nnow\n\n## Later\n\nnever\n',
    'Other/Log.md': 'other\n',
    'Work/Log.md': 'work\n',
    'Crlf.md': 'a\r\nb\r\n',
    'No end.md': 'last line',
    'Empty.md': '',
  }));
  await t.test('in full, by path, by name, ignoring case', async () => {
    const whole = readFileSync(path.join(cli.vault, 'Plan.md'), 'utf8');
    for (const name of ['Plan.md', 'Plan', 'plan', '/Plan.md', './Plan.md']) assert.equal(await cli.text(0, 'read', name), whole, name);
    assert.equal(await cli.text(0, 'read', 'Work/Log'), 'work\n');
    assert.equal(await cli.text(0, 'read', 'No end'), 'last line');
    assert.equal(await cli.text(0, 'read', 'Crlf'), 'a\r\nb\r\n');
    assert.equal(await cli.text(0, 'read', 'Empty'), '');
  });
  await t.test('a section with its subsections', async () => {
    assert.equal(await cli.text(0, 'read', 'Plan', '--section', 'next steps'), '## Next steps\n\n- one\n- two\n\n### Soon\n\nnow\n\n');
    assert.equal(await cli.text(0, 'read', 'Plan', '--section', 'Next steps#Soon'), '### Soon\n\nnow\n\n');
    assert.deepEqual(await cli.json(0, 'read', 'Plan', '--section', 'Later'), { path: 'Plan.md', total_lines: 19, showing: [17, 19], content: '## Later\n\nnever\n', etag: 'eb82a94569fe2a63' });
    await cli.fails(1, /Heading "Nope" not found; the note has: "# Plan" \(line 4\)/, 'read', 'Plan', '--section', 'Nope');
  });
  await t.test('a block', async () => {
    assert.match(await cli.text(0, 'read', 'Plan', '--block', 'goal'), /^The goal\.( \^goal)?\n$/);
    assert.equal((await cli.json(0, 'read', 'Plan', '--block', 'goal')).showing[0], 6);
    await cli.fails(1, /Block \^nope not found; the note has \^goal \(line 6\)/, 'read', 'Plan', '--block', 'nope');
  });
  await t.test('the outline', async () => {
    assert.deepEqual(await cli.lines(0, 'read', 'Plan', '--outline'), ['    4  Plan', '    8    Next steps', '   13      Soon', '   17    Later']);
    assert.deepEqual((await cli.json(0, 'read', 'Plan', '--outline')).headings[1], { level: 2, title: 'Next steps', line: 8 });
  });
  await t.test('a range of lines', async () => {
    assert.equal(await cli.text(0, 'read', 'Plan', '--from', '10', '-n', '2'), '- one\n- two\n');
    assert.equal(await cli.text(0, 'read', 'Plan', '--from=19'), 'never\n');
    assert.equal((await cli.json(0, 'read', 'Plan', '--from', '10', '--lines', '1')).showing[0], 10);
    await cli.fails(2, /20|line/, 'read', 'Plan', '--from', '20');
  });
  await t.test('ambiguous and missing names', async () => {
    await cli.fails(2, /'Log' matches several files: 'Other\/Log\.md', 'Work\/Log\.md'|'Log' matches several files: 'Work\/Log\.md', 'Other\/Log\.md'/, 'read', 'Log');
    await cli.fails(1, /File not found: Palm/, 'read', 'Palm');
    await cli.fails(1, /File not found: goal\n/, 'read', 'goal'); // occurs in the text of a note, not in a name
    await cli.fails(1, /File not found: Plam; did you mean 'Plan\.md'\?/, 'read', 'Plam');
    await cli.fails(1, /File not found/, 'read', '../../../etc/passwd');
    await cli.fails(2, /give only one of/, 'read', 'Plan', '--outline', '--section', 'Later');
  });
  await t.test('files that are not text', async () => {
    const picture = new Cli(t);
    await picture.fails(2, /'Attachments\/bed-plan\.png' is not a text file/, 'read', 'bed-plan.png');
    assert.match(await picture.text(0, 'read', 'seed-inventory.csv', '-n', '1'), /,/);
  });
});

test('list', async (t) => {
  const cli = new Cli(t);
  const root = await cli.json(0, 'list');
  assert.deepEqual([root.path, root.total_entries], ['/', root.entries.length]);
  assert.deepEqual(root.entries.find((e) => e.name === 'Journal'), { name: 'Journal', type: 'folder', children: 5 });
  const home = root.entries.find((e) => e.name === 'Home.md');
  assert.equal(home.size, readFileSync(path.join(cli.vault, 'Home.md')).length);
  assert.match(home.modified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.ok(!root.entries.some((e) => e.name.startsWith('.')), 'hidden files stay hidden');
  const lines = await cli.lines(0, 'list');
  assert.deepEqual(lines.map((l) => l.slice(29)), root.entries.map((e) => (e.type === 'folder' ? `${e.name}/` : e.name)), 'names stand below each other');
  utimesSync(path.join(cli.vault, 'Inbox.md'), 1e9, 1e9);
  assert.ok((await cli.lines(0, 'list')).includes('    789 B  2001-09-09 01:46  Inbox.md'));
  const deep = await cli.json(0, 'list', '-r', 'Projects');
  assert.ok(deep.files.some((f) => f.path === 'Projects/Repair workshop/Log.md'));
  assert.equal((await cli.lines(0, 'list', 'Projects', '--recursive')).length, deep.total_files);
  await cli.fails(1, /nope/, 'list', 'nope');
  await cli.fails(2, /'Home\.md' is a file/, 'list', 'Home.md');
  await cli.fails(1, /./, 'list', '.obsidian');
});

test('links', async (t) => {
  const cli = new Cli(t, makeVault(t, {
    'A.md': '---\nup: "[[B]]"\n---\n[[B|the other]] and ![[C#Part]]\n[[Missing]] [web](https://example.org)\n',
    'B.md': 'A is mentioned, [[A]] is linked\n',
    'C.md': '# Part\n[[D]]\n',
    'D.md': '',
    'Lonely.md': 'nothing\n',
    'x/Twin.md': '',
    'y/Twin.md': '',
    'T.md': '[[Twin]] [[Missing]]\n',
    'The plan.md': 'see B\n',
  }));
  await t.test('outgoing links of a note', async () => {
    assert.deepEqual(await cli.json(0, 'links', 'A'), {
      path: 'A.md',
      links: [
        { link: 'B', path: 'B.md', line: 2 },
        { link: 'B', path: 'B.md', display: 'the other', line: 4 },
        { link: 'C', subpath: '#Part', path: 'C.md', line: 4, embed: true },
        { link: 'Missing', line: 5, resolved: false },
      ],
      total: 4,
    });
    assert.deepEqual(await cli.lines(0, 'links', 'A'), ['    2  B.md', '    4  B.md  "the other"', '    4  C.md#Part  (embedded)', '    5  Missing  (no such file)']);
    assert.deepEqual(await cli.json(1, 'links', 'Lonely'), { path: 'Lonely.md', links: [], total: 0 });
    assert.deepEqual(await cli.lines(1, 'links', 'Lonely'), []);
  });
  await t.test('explaining how a link resolves', async () => {
    assert.match((await cli.lines(0, 'links', 'T', '--explain'))[1], /^ +also fits: [xy]\/Twin\.md$/);
    const [twin] = (await cli.json(0, 'links', 'T', '--explain')).links;
    assert.deepEqual([twin.path, ...twin.others].sort(), ['x/Twin.md', 'y/Twin.md']);
    assert.match(twin.rule, /shortest/);
  });
  await t.test('to backlinks of a note', async () => {
    assert.deepEqual((await cli.json(0, 'links', 'B', '--backlinks')).links, [
      { path: 'A.md', line: 2, text: 'up: "[[B]]"' },
      { path: 'A.md', line: 4, text: '[[B|the other]] and ![[C#Part]]' },
    ]);
    assert.deepEqual(await cli.lines(0, 'links', 'B', '-b'), ['    2  A.md']);
    assert.deepEqual((await cli.json(1, 'links', 'Lonely', '-b')).links, []);
  });
  await t.test('unlinked mentions', async () => {
    assert.deepEqual((await cli.json(1, 'links', 'The plan', '-m')).links, []);
    appendFileSync(path.join(cli.vault, 'C.md'), 'About the plan: wait.\nThe plan, the plan!\n\n> [!the plan] `the plan`\n');
    assert.deepEqual((await cli.json(0, 'links', 'The plan', '--mentions')).links.map((m) => [m.path, m.line]), [['C.md', 3], ['C.md', 4], ['C.md', 4]]);
    assert.deepEqual(await cli.lines(0, 'links', 'The plan', '-m', '-n', '1'), ['C.md:3:About the plan: wait.']);
    assert.deepEqual((await cli.json(1, 'links', 'Lonely', '-m')).links, []);
  });
  await t.test('neighbours of a note, and the path between two notes', async () => {
    assert.deepEqual((await cli.json(0, 'links', 'A', '--depth', '2')).links.map((n) => `${n.path} ${n.distance}`).sort(), ['B.md 1', 'C.md 1', 'D.md 2']);
    assert.deepEqual(await cli.lines(0, 'links', 'B', '--to', 'D'), ['    0  B.md', '    1  A.md', '    2  C.md', '    3  D.md']);
    assert.deepEqual((await cli.json(1, 'links', 'B', '--to', 'Lonely')).links, []);
    await cli.fails(1, /File not found: Q/, 'links', 'B', '--to', 'Q');
  });
  await t.test('links of all notes', async () => {
    assert.deepEqual((await cli.json(0, 'links', '--unresolved')).links, [{ link: 'Missing', links: 2, sources: ['A.md', 'T.md'] }]);
    assert.deepEqual(await cli.lines(0, 'links', '--unresolved'), ['    2  Missing', '         in A.md', '         in T.md']);
    const orphans = (await cli.json(0, 'links', '--orphans')).links.map((o) => o.path);
    assert.ok(orphans.includes('Lonely.md') && !orphans.includes('A.md'));
    assert.deepEqual(await cli.lines(0, 'links', '--orphans'), orphans);
  });
  await t.test('no note, or options that exclude each other', async () => {
    await cli.fails(2, /the note is missing/, 'links');
    await cli.fails(2, /one of/, 'links', 'A', '-b', '--depth', '2');
    await cli.fails(2, /cannot be used with 'A'/, 'links', 'A', '--orphans');
  });
});

test('tags', async (t) => {
  const cli = new Cli(t);
  const { tags, total } = await cli.json(0, 'tags');
  assert.equal(tags.length, total);
  assert.deepEqual(tags.find((g) => g.tag === 'area/garden'), { tag: 'area/garden', notes: 7, with_nested: 7 });
  assert.equal(tags.find((g) => g.tag === 'area').with_nested, 14);
  const tree = await cli.lines(0, 'tags');
  assert.equal(tree.length, total);
  const area = tree.indexOf('    14  #area');
  assert.deepEqual(tree.slice(area + 1, area + 3), ['     7    /garden', '     7    /homelab']);
  const counts = (await cli.json(0, 'tags', '--by-count')).tags.map((g) => g.with_nested);
  assert.deepEqual(counts, counts.toSorted((a, b) => b - a));
  assert.equal((await cli.lines(0, 'tags', '--by-count'))[2], '     7  #area/garden');
  const of = await cli.json(0, 'tags', 'area');
  assert.deepEqual([of.tag, of.total, of.notes.length], ['area', 14, 14]);
  assert.deepEqual(await cli.lines(0, 'tags', '#AREA'), of.notes);
  await cli.fails(1, /no note has the tag 'garden'; did you mean 'area\/garden', 'project\/garden'\?/, 'tags', 'garden');
  await cli.fails(1, /no note has the tag 'gardn'; did you mean 'area\/garden', 'project\/garden'\?/, 'tags', 'gardn');
  await cli.fails(1, /no note has the tag 'nope'; vaultd tags/, 'tags', 'nope');
});

test('query', async (t) => {
  const cli = new Cli(t);
  await t.test('rows', async () => {
    const { rows, total } = await cli.json(0, 'query', 'status = active', '--select', 'status,due', '--sort', 'due');
    assert.equal(total, 2);
    assert.deepEqual(rows.map((r) => [r.path, r.values.status, r.values.due]), [
      ['Projects/Repair workshop/Repair workshop.md', 'active', '2026-11-28'],
      ['Projects/Backup rebuild.md', 'active', '2026-11-30'],
    ]);
    assert.deepEqual((await cli.json(0, 'query', 'status = active', '--sort=-due')).rows, rows.toReversed().map((r) => ({ path: r.path })));
  });
  await t.test('columns are aligned', async () => {
    assert.deepEqual(await cli.lines(0, 'query', 'status = active', '-s', 'status,due', '--sort', 'due'), [
      'Projects/Repair workshop/Repair workshop.md  active  2026-11-28',
      'Projects/Backup rebuild.md                   active  2026-11-30',
    ]);
    assert.deepEqual(await cli.lines(0, 'query', "file.folder = 'Projects'", '-s', 'status', '--sort', 'status'), [
      'Projects/Backup rebuild.md  active',
      'Projects/Rain barrel.md     done',
      'Projects/Cold frame.md      idea',
      'Projects/CLAUDE.md',
    ]);
  });
  await t.test('unquoted words are one condition', async () => {
    assert.deepEqual(await cli.lines(0, 'query', 'status', '=', 'active'), await cli.lines(0, 'query', 'status = active'));
  });
  await t.test('counts', async () => {
    assert.equal(await cli.text(0, 'query', '--count', 'status = active'), '2\n');
    assert.deepEqual(await cli.json(0, 'query', '--count', 'status = active'), { total: 2 });
    assert.equal(await cli.text(1, 'query', '--count', 'status = nonsense'), '0\n');
    const { groups, total, total_groups } = await cli.json(0, 'query', 'status exists', '--group', 'status');
    assert.equal(groups.reduce((sum, g) => sum + g.count, 0), total);
    assert.equal(groups.length, total_groups);
    assert.ok((await cli.lines(0, 'query', '--group', 'status')).includes('      2  active'));
  });
  await t.test('tasks', async () => {
    const { rows } = await cli.json(0, 'query', '--tasks', 'not task.done', '--folder', 'Areas/Garden');
    assert.deepEqual(rows[1], { path: 'Areas/Garden/Compost.md', line: 24, task: 'Tomato plants with blight', status: ' ' });
    const [row] = (await cli.json(0, 'query', '--tasks', 'task.text contains sixty', '-s', 'status,path')).rows;
    assert.deepEqual([row.path, row.status, row.values], ['Journal/2026-11-09.md', ' ', { status: null, path: null }], 'a property is not mistaken for what is known of the task');
    assert.equal((await cli.lines(0, 'query', '--tasks', 'not task.done', '--folder', 'Areas/Garden'))[1], 'Areas/Garden/Compost.md:24:[ ] Tomato plants with blight');
  });
  await t.test('limits', async () => {
    const all = (await cli.json(0, 'query')).rows;
    assert.deepEqual((await cli.json(0, 'query', '--limit', '3', '--offset', '2')).rows, all.slice(2, 5));
    assert.equal((await cli.lines(0, 'query', '-n', '3')).length, 3);
  });
  await t.test('a property that no note has', async () => {
    const end = await cli.run(['query', 'statuss = active']);
    assert.deepEqual(end, { code: 1, signal: null, stdout: '', stderr: "No note has a property 'statuss'; did you mean 'status'?\n" });
    assert.equal((await cli.json(1, 'query', 'statuss = active')).unknown[0].nearest[0], 'status');
  });
  await t.test('invalid conditions', async () => {
    await cli.fails(2, /expected a value at byte 8/, 'query', 'status =');
    await cli.fails(2, /./, 'query', '(status = active');
    await cli.fails(2, /file\.nam/, 'query', 'file.nam = x');
  });
});

test('query as a file: CSV, Markdown, paths', async (t) => {
  const vault = makeVault(t, { 'A.md': '---\nsays: a, "b"\nrank: 1\n---\n- [ ] one | two\n- [x] three\n', 'B/C.md': '---\nrank: 2\n---\n', 'D.md': '' });
  const cli = new Cli(t, vault);
  const out = async (...args) => (await cli.run(['query', ...args])).stdout;
  assert.equal(await out('rank', '-s', 'rank,says', '--csv'), 'path,rank,says\nA.md,1,"a, ""b"""\nB/C.md,2,\n');
  assert.equal(await out('rank', '-s', 'rank', '--md'), '| file | rank |\n| --- | --- |\n| [[A]] | 1 |\n| [[B/C]] | 2 |\n');
  assert.equal(await out('rank', '--paths'), 'A.md\nB/C.md\n');
  assert.equal(await out('--tasks', '--paths'), 'A.md\n', 'each note once');
  assert.equal(await out('--tasks', '--csv'), 'path,line,status,task\nA.md,5, ,one | two\nA.md,6,x,three\n');
  assert.match(await out('--tasks', 'not task.done', '--md'), /^\| file \| line \| status \| task \|\n\| --- \| --- \| --- \| --- \|\n\| \[\[A\]\] \| 5 \|.*one \\\| two \|\n$/);
  assert.equal(await out('rank', '--group', 'rank', '--csv'), 'rank,count\n1,1\n2,1\n');
  assert.equal(await out('rank > 5', '-s', 'rank', '--csv'), 'path,rank\n', 'a file without rows has its names');
  for (const args of [['rank', '--csv', '--md'], ['rank', '--csv', '--json'], ['rank', '--count', '--paths'], ['rank', '--group', 'rank', '--paths'], ['LIST', '--csv']])
    await cli.fails(2, /choose one of|leave out --paths|use only --limit/, 'query', ...args);
});

test('boxes of templates are no tasks, and templates are no orphans', async (t) => {
  const vault = makeVault(t, { 'Templates/Day.md': '- [ ] plan\n', 'Real.md': '- [ ] do it\n', '.obsidian/templates.json': '{"folder": "Templates"}' });
  const cli = new Cli(t, vault);
  const tasks = async (...args) => (await cli.json(0, 'tasks', ...args)).rows.map((row) => row.path);
  assert.deepEqual(await tasks(), ['Real.md']);
  assert.deepEqual(await tasks('--all'), ['Real.md']);
  assert.deepEqual(await tasks('--folder', 'Templates'), ['Templates/Day.md'], 'unless they are asked for');
  assert.deepEqual((await cli.json(0, 'check', '--kind', 'orphan_note')).findings.map((f) => f.path), ['Real.md']);
});

test('properties', async (t) => {
  const cli = new Cli(t);
  const all = await cli.json(0, 'properties');
  assert.equal(all.total, all.properties.length);
  const status = all.properties.find((p) => p.name === 'status');
  const values = await cli.json(0, 'properties', 'STATUS');
  assert.deepEqual([values.total, values.total_groups], [status.notes, status.total_values]);
  assert.ok((await cli.lines(0, 'properties')).some((l) => /^ +\d+ {2}rating +number +5, 4, 4\.5$/.test(l)));
  assert.deepEqual((await cli.lines(0, 'properties', 'status')).map((l) => l.trim().split(/\s+/)[1]), values.groups.map((g) => g.value));
  assert.deepEqual(await cli.run(['properties', 'statuss']), { code: 1, signal: null, stdout: '', stderr: "No note has a property 'statuss'; did you mean 'status'?\n" });
  assert.ok((await cli.json(0, 'properties', '--folder', 'Projects')).total < all.total);
});

test('check', async (t) => {
  const cli = new Cli(t);
  const { findings, total, counts } = await cli.json(1, 'check');
  assert.equal(findings.length, total);
  assert.equal(Object.values(counts).reduce((a, b) => a + b), total);
  assert.equal(counts.broken_link, 4);
  assert.equal(counts.broken_subpath, undefined, 'every heading and block that is linked to is there');
  assert.deepEqual(findings.find((f) => f.line === 20), { kind: 'broken_link', severity: 'warning', path: 'Inbox.md', line: 20, message: "There is no 'Worm bin' to link to", suggestion: 'Create the note, or remove the link' });
  assert.ok((await cli.lines(1, 'check')).includes("Inbox.md:20: broken_link: There is no 'Worm bin' to link to"));
  assert.equal((await cli.lines(1, 'check', '--kind', 'broken_link,ambiguous_link')).length, counts.broken_link + counts.ambiguous_link);
  assert.ok((await cli.json(1, 'check', '--all')).counts.orphan_note > 0);
  assert.ok((await cli.json(0, 'check', '-k', 'orphan_note')).total > 0, 'something that may be intentional is not a problem');
  const first = await cli.json(1, 'check', '--limit', '1');
  assert.deepEqual([first.findings.length, first.total], [1, total], 'and the rest counts, too');
  await cli.fails(2, /no kind 'broken'; there are not_indexed, .*orphan_attachment/, 'check', '--kind', 'broken');
  const good = new Cli(t, makeVault(t, { 'A.md': '[[B#^id]]\n', 'B.md': '[[A]] ^id\n' }));
  assert.deepEqual(await good.json(0, 'check'), { findings: [], total: 0, counts: {} });
  assert.equal(await good.text(0, 'check'), '');
});

test('tasks', async (t) => {
  const cli = new Cli(t, makeVault(t, {
    'A.md': '- [ ] dig #garden\n- [x] sow\n\ntext\n',
    'Work/B.md': '---\ntags: [office]\n---\n1. [ ] call Ann\n- [/] half done\n',
    'Work/C.md': '- [x] nothing left\n',
  }));
  assert.deepEqual(await cli.lines(0, 'tasks'), ['A.md:1:[ ] dig #garden', 'Work/B.md:4:[ ] call Ann']);
  assert.deepEqual(await cli.lines(0, 'tasks', '--done'), ['A.md:2:[x] sow', 'Work/B.md:5:[/] half done', 'Work/C.md:1:[x] nothing left']);
  assert.equal((await cli.lines(0, 'tasks', '--all')).length, 5);
  assert.deepEqual(await cli.lines(0, 'tasks', '--folder', 'Work'), ['Work/B.md:4:[ ] call Ann']);
  assert.deepEqual(await cli.lines(0, 'tasks', '--tag', '#garden'), ['A.md:1:[ ] dig #garden']);
  assert.deepEqual(await cli.lines(0, 'tasks', '--tag', 'office'), ['Work/B.md:4:[ ] call Ann']);
  await cli.fails(1, /no note has the tag 'nope'/, 'tasks', '--tag', 'nope');
  await cli.fails(1, /no note has the tag 'ofice'; did you mean 'office'\?/, 'tasks', '--tag', 'ofice');
  const { total, rows } = await cli.json(0, 'tasks');
  assert.deepEqual([total, rows.length], [2, 2]);
  assert.deepEqual(await cli.json(0, 'tasks'), await cli.json(0, 'query', '--tasks', 'not task.done', '-n', '1000'), 'one evaluator');
  await cli.fails(2, /give only one of --done and --all/, 'tasks', '--done', '--all');
  await cli.fails(1, /no note has the tag 'a" or "b'/, 'tasks', '--tag', 'a" or "b');
  if (!hasScript) return;
  const { text } = await cli.terminal(['tasks']);
  assert.match(plain(text), /^A\.md\n +1 +\[ \] dig #garden\n(\n)?Work\/B\.md\n +4 +\[ \] call Ann\n/);
});

test('open', async (t) => {
  const cli = new Cli(t, makeVault(t, { 'Work/Rain barrel.md': '', 'a&b.md': '', 'changes.md': '' }));
  const link = async (...args) => (await cli.text(0, 'open', '--print', ...args)).trimEnd();
  assert.equal(await link(), 'obsidian://open?vault=vault');
  assert.equal(await link('rain barrel'), 'obsidian://open?vault=vault&file=Work/Rain%20barrel.md');
  assert.equal(await link('a&b'), 'obsidian://open?vault=vault&file=a%26b.md');
  assert.equal(await link('changes.md'), 'obsidian://open?vault=vault&file=changes.md');
  assert.deepEqual(await cli.json(0, 'open', 'rain barrel'), { url: 'obsidian://open?vault=vault&file=Work/Rain%20barrel.md' });
  await cli.fails(1, /File not found/, 'open', 'Nothing');
  await cli.fails(1, /no server with this vault is running; start one with vaultd serve/, 'open', 'changes');
  if (SYSTEM !== 'linux') return; // a real program would open it
  const shown = await cli.run(['open', 'Rain barrel']);
  assert.deepEqual([shown.code, shown.stdout], [0, 'obsidian://open?vault=vault&file=Work/Rain%20barrel.md\n'], 'no screen: the link is printed');
  assert.match(shown.stderr, /copy the link/);
  const bin = tempDir(t), seen = path.join(bin, 'seen');
  writeFileSync(path.join(bin, 'xdg-open'), `#!/bin/sh\nprintf '%s' "$1" > '${seen}'\n`, { mode: 0o755 });
  const env = { PATH: `${bin}:/usr/bin:/bin`, DISPLAY: ':0' };
  assert.deepEqual(await cli.run(['open', 'Rain barrel'], { env }), { code: 0, signal: null, stdout: '', stderr: '' });
  assert.equal(readFileSync(seen, 'utf8'), 'obsidian://open?vault=vault&file=Work/Rain%20barrel.md');
  writeFileSync(path.join(bin, 'xdg-open'), '#!/bin/sh\nexit 3\n', { mode: 0o755 });
  assert.equal((await cli.run(['open'], { env })).stdout, 'obsidian://open?vault=vault\n', 'it failed');
});

test('open: the pages of a running server', async (t) => {
  const vault = makeVault(t, { 'A.md': '' }), other = makeVault(t, { 'B.md': '' });
  const server = await startHttp(t, { vault: `two=${other}`, args: ['--vault', `one=${vault}`, '--vault'] });
  const url = async (folder, page) => (await run(VAULTD, ['open', page, '--print', '-v', folder], { env: cleanEnv(tempDir(t), { STATE_DIR: server.state }) })).stdout;
  assert.equal(await url(vault, 'changes'), `http://127.0.0.1:${server.port}/changes\n`);
  assert.equal(await url(other, 'graph'), `http://127.0.0.1:${server.port}/graph?vault=two\n`);
  for (const [folder, page] of [[vault, 'changes'], [other, 'changes'], [vault, 'graph']])
    assert.equal((await fetch((await url(folder, page)).trim())).status, 200, `${page} of ${folder}`);
});

/* --- calls --- */

const VERBS = ['search', 'read', 'list', 'links', 'tags', 'properties', 'query', 'tasks', 'check', 'open'];

test('every verb has help and is in the list of commands', async (t) => {
  const cli = new Cli(t);
  const all = await cli.text(0, 'help', 'all');
  for (const verb of VERBS) {
    assert.match(all, new RegExp(`^  vaultd ${verb}\\b`, 'm'));
    const help = await cli.text(0, verb, '--help');
    assert.equal(await cli.text(0, verb, '-h'), help);
    assert.match(help, new RegExp(`^usage: vaultd ${verb} \\S`));
    const whole = await cli.text(0, verb, '--help-all');
    for (const flag of ['--vault-path', '--json', '--color', '--state-dir']) assert.ok(whole.includes(flag), flag);
    for (const line of `${help}\n${whole}`.split('\n')) assert.ok(line.length <= 90 && !/ $/.test(line), line);
  }
});

test('invalid calls: exit 2, one sentence on stderr, nothing on stdout', async (t) => {
  const cli = new Cli(t);
  for (const verb of VERBS) await cli.fails(2, /unknown option '--jsn'; did you mean '--json'\?/, verb, '--jsn');
  for (const [says, ...args] of [
    [/unknown option '-z'/, 'list', '-z'],
    [/usage: vaultd search TEXT\.\.\./, 'search'],
    [/usage: vaultd read NOTE/, 'read'],
    [/usage: vaultd read NOTE/, 'read', 'Home', 'Inbox'],
    [/usage: vaultd tags/, 'tags', 'a', 'b'],
    [/usage: vaultd check/, 'check', 'Home'],
    [/--mode: 'fuzzy' is not one of text, regex, words, query/, 'search', '--mode', 'fuzzy', 'x'],
    [/--limit: '-1' is not a whole number from 0/, 'search', '--limit=-1', 'x'],
    [/-n: 'many'/, 'query', '-n', 'many'],
    [/--offset: '-1'/, 'search', '--offset=-1', 'x'],
    [/--from: '0'/, 'read', 'Home', '--from', '0'],
    [/--depth: '1000'/, 'links', 'Home', '--depth', '1000'],
    [/--color: 'blue' is not one of auto, always, never/, 'list', '--color', 'blue'],
    [/--json: 'maybe' is not on or off/, 'list', '--json=maybe'],
    [/--section needs a value/, 'read', 'Home', '--section'],
    [/./, 'search', '-m', 'regex', '('],
    [/./, 'search', '-g', '[', 'x'],
  ]) await cli.fails(2, says, ...args);
});

test('unusual names', async (t) => {
  const names = ['-dash.md', '--json.md', 'with  blanks .md', 'Ünïcödé 日本語 🍅.md', FOR_WINDOWS ? "quo'te.md" : "quo'te\".md", 'a;b$(c).md', '#hash.md', 'per%20cent.md'];
  const cli = new Cli(t, makeVault(t, Object.fromEntries(names.map((n) => [n, `needle in ${n}\n`]))));
  for (const name of names) {
    assert.equal(await cli.text(0, 'read', '--', name), `needle in ${name}\n`);
    assert.deepEqual(JSON.parse(await cli.text(1, 'links', '-b', '--json', '--', name)), { path: name, links: [], total: 0 });
  }
  assert.deepEqual((await cli.json(0, 'list')).entries.map((e) => e.name).sort(), names.toSorted());
  assert.equal(await cli.text(0, 'read', '--', '-dash'), 'needle in -dash.md\n');
  await cli.fails(2, /usage/, 'read', '--', '-dash', '--json'); // after -- everything is a word
  assert.deepEqual(await cli.lines(0, 'search', '--', '--json'), ['--json.md', '--json.md:1:needle in --json.md']);
  assert.equal((await cli.json(0, 'search', 'needle')).total_matches, names.length);
  // the same name in another normal form
  assert.equal(await cli.text(0, 'read', 'Ünïcödé 日本語 🍅'.normalize('NFD')), 'needle in Ünïcödé 日本語 🍅.md\n');
});

/* --- which vault --- */

test('the vault: from the flag, the variable, or the current folder', async (t) => {
  const here = makeVault(t, { 'Here.md': '', 'deep/er/Note.md': '' }), there = makeVault(t, { 'There.md': '' });
  const cli = new Cli(t, here, { VAULT_PATH: '' });
  const names = async (args, more) => {
    const end = await cli.run(['list', '--json', ...args], more);
    assert.equal(end.code, 0, end.stderr);
    return JSON.parse(end.stdout).entries.map((e) => e.name);
  };
  const cwd = path.join(here, 'deep/er');
  assert.deepEqual(await names([], { cwd }), ['deep', 'Here.md'].sort(), 'upwards');
  assert.deepEqual(await names([], { cwd: here }), ['deep', 'Here.md'].sort());
  assert.deepEqual(await names([], { cwd, env: { VAULT_PATH: there } }), ['There.md'], 'the variable wins');
  assert.deepEqual(await names([], { cwd, env: { OBSIDIAN_VAULT_PATH: there } }), ['There.md']);
  assert.deepEqual(await names(['--vault-path', there], { cwd, env: { VAULT_PATH: here } }), ['There.md'], 'the flag wins over all');
  assert.deepEqual(await names(['-v', there], { cwd }), ['There.md']);
  assert.deepEqual(await names([`--vault-path=${path.relative(cwd, there)}`], { cwd }), ['There.md']);
  const link = path.join(tempDir(t), 'link');
  symlinkSync(there, link);
  assert.deepEqual(await names(['-v', link]), ['There.md']);
  symlinkSync(there, path.join(cli.home, 'Notes'));
  assert.deepEqual(await names(['-v', '~/Notes']), ['There.md']);
  const none = await cli.run(['list'], { cwd: tempDir(t) });
  assert.deepEqual([none.code, none.stdout], [2, '']);
  assert.match(none.stderr, /no vault: give --vault-path FOLDER, set VAULT_PATH, change into a vault's folder, one with \.obsidian, or choose a default vault with vaultd init/);
});

test('the default vault of the user: after flags, variables and the current folder, and never for a profile', async (t) => {
  const mine = makeVault(t, { 'Mine.md': '' }), other = makeVault(t, { 'Other.md': '' }), nowhere = tempDir(t);
  const cli = new Cli(t, mine, { VAULT_PATH: '' }), file = path.join(cli.home, '.config/vaultd/config');
  mkdirSync(path.dirname(file), { recursive: true });
  const is = (text) => writeFileSync(file, text);
  const names = async (args, more = {}) => (await cli.run(['list', ...args], { cwd: nowhere, ...more })).stdout.match(/\w+\.md/g);
  is(`# mine\nvault-path = ${mine}\n`);
  assert.deepEqual(await names([]), ['Mine.md']);
  assert.deepEqual(await names(['-v', other]), ['Other.md'], 'a flag');
  assert.deepEqual(await names([], { env: { VAULT_PATH: other } }), ['Other.md'], 'a variable');
  assert.deepEqual(await names([], { env: { VAULTS: `o=${other}` } }), ['Other.md'], 'another variable');
  mkdirSync(path.join(other, '.obsidian'), { recursive: true });
  assert.deepEqual(await names([], { cwd: other }), ['Other.md'], 'the current folder');
  is(`vaults = m=${mine}, o=${other}\n`);
  assert.deepEqual(await names([]), ['Mine.md']);
  assert.deepEqual(await names(['--vault', 'o']), ['Other.md']);
  assert.match((await cli.run(['search', 'Other', '--vault', '*'], { cwd: nowhere })).stdout, /o:Other\.md/);

  // Where it is from is said where people look.
  is(`vault-path = ${mine}\n`);
  const from = 'from ~/.config/vaultd/config';
  assert.ok((await cli.run(['read', '--help'], { cwd: nowhere })).stdout.includes(`(${from})`));
  assert.ok((await cli.run(['status'], { cwd: nowhere })).stdout.includes(`(${from})`));
  assert.ok((await cli.run(['doctor'], { cwd: nowhere })).stdout.includes(`the vault is ${from}`));
  assert.ok((await cli.run(['read', '--help'], { cwd: nowhere, env: { VAULT_PATH: other } })).stdout.includes('(from the environment)'));

  // A server uses it, but not one that imitates another server.
  const ping = { cwd: nowhere, input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })}\n` };
  assert.equal((await cli.run(['serve', '--stdio'], ping)).code, 0);
  const profile = await cli.run(['serve', '--profile', 'claude-desktop'], ping);
  assert.deepEqual([profile.code, profile.stdout], [2, '']);
  assert.match(profile.stderr, /no vault/);
  assert.match((await cli.run(['doctor', '--profile', 'claude-desktop'], { cwd: nowhere })).stdout, /no vault is configured/);

  // A file that is wrong is an error where it counts, and only there.
  is('vault_path = /x\n');
  const wrong = await cli.run(['list'], { cwd: nowhere });
  assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
  assert.match(wrong.stderr, /line 1: 'vault_path' is not .*did you mean 'vault-path'\?.*\.config\/vaultd\/config/);
  assert.deepEqual(await names(['-v', other]), ['Other.md']);
  assert.equal((await cli.run(['connect', 'cursor', '--url', 'http://127.0.0.1:8090/mcp'], { cwd: nowhere })).code, 0);
});

test('missing, invalid and empty vaults', async (t) => {
  const cli = new Cli(t, makeVault(t, {}));
  await cli.fails(2, /No such file.*\/nonexistent\/vault/, 'list', '-v', '/nonexistent/vault');
  await cli.fails(2, /Not a directory/, 'search', 'x', '-v', path.join(TOP, 'README.md'));
  assert.deepEqual(await cli.json(0, 'list'), { path: '/', entries: [], total_entries: 0 });
  assert.equal((await cli.json(1, 'search', 'x')).total_matches, 0);
  assert.deepEqual(await cli.json(1, 'tags'), { tags: [], total: 0 });
  assert.deepEqual(await cli.json(1, 'query'), { total: 0, rows: [] });
  assert.equal((await cli.json(0, 'check', '--all')).total, 0);
  assert.deepEqual(await cli.json(1, 'links', '--orphans'), { links: [], total: 0 });
  await cli.fails(1, /File not found: x/, 'read', 'x');
});

/* --- the snapshot --- */

test('the second run uses a snapshot, and sees later changes', async (t) => {
  const cli = new Cli(t);
  const find = async (word) => JSON.parse((await cli.run(['search', '--json', word])).stdout).total_matches;
  const snapshots = () => readdirSync(cli.state).filter((f) => /^index-.*\.snapshot$/.test(f)).map((f) => path.join(cli.state, f));
  const tags = await cli.text(0, 'tags', '--json');
  assert.equal(snapshots().length, 1);
  assert.equal(await cli.text(0, 'tags', '--json'), tags);
  appendFileSync(path.join(cli.vault, 'Inbox.md'), '\nquuxification\n');
  assert.equal(await find('quuxification'), 1, 'an edit');
  writeFileSync(path.join(cli.vault, 'Quuxification.md'), '');
  assert.equal(await find('quuxification'), 2, 'a new note');
  rmSync(path.join(cli.vault, 'Quuxification.md'));
  assert.equal(await find('quuxification'), 1, 'one that is gone');
  const [file] = snapshots();
  for (const [what, damage] of [
    ['cut', (b) => b.subarray(0, b.length >> 1)],
    ['empty', () => Buffer.alloc(0)],
    ['other bytes in the middle', (b) => Buffer.concat([b.subarray(0, 5000), Buffer.alloc(5000, 0xa5), b.subarray(10000)])],
    ['another beginning', (b) => Buffer.concat([Buffer.alloc(64, 0xff), b.subarray(64)])],
    ['something else', () => Buffer.from('not a snapshot')],
  ])
    await t.test(`a damaged snapshot is ignored: ${what}`, async () => {
      writeFileSync(file, damage(readFileSync(file)));
      assert.equal(await cli.text(0, 'tags', '--json'), tags);
      assert.equal(await find('quuxification'), 1);
    });
  assert.equal(snapshots().length, 1);
});

test('without a state folder it still works', async (t) => {
  const cli = new Cli(t);
  const file = path.join(tempDir(t), 'file');
  writeFileSync(file, '');
  const closed = path.join(tempDir(t), 'closed');
  mkdirSync(closed);
  chmodSync(closed, 0);
  for (const state of [path.join(file, 'state'), file, closed, '/proc/nowhere'])
    assert.equal((await cli.json(0, 'tags', 'area', '--state-dir', state)).total, 14, state);
  chmodSync(closed, 0o700);
  const { HOME, ...homeless } = { ...cli.env, STATE_DIR: '' };
  const end = await run(VAULTD, ['tags', 'area', '--json'], { env: homeless });
  assert.equal(end.code, 0, end.stderr);
});

/* --- terminals and pipes --- */

const NASTY = `before ${ESC}]0;title\u0007 ${ESC}[2J\u009b31m \u0008\u007f \u202eevil\u202c after\r\nsecond\tline\n`;
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

terminalTest('control characters of notes and names never reach a terminal', async (t) => {
  const odd = `x${ESC}[31mred\nline\u009b.md`;
  const cli = new Cli(t, makeVault(t, {
    'Nasty.md': `---\ntags: nasty\nnote: "a\\e[31mb\\nc"\n---\n${NASTY}# Head ${ESC}[1m\n- [ ] task ${ESC}[5m\n[[Gone ${ESC}c|shown ${ESC}c]] before\n`,
    [odd]: 'before\n',
  }), { NO_COLOR: '1' });
  for (const args of [
    ['read', 'Nasty'], ['read', 'Nasty', '--outline'], ['search', 'before'], ['search', '-m', 'words', 'before'], ['search', 'line'],
    ['list'], ['list', '-r'], ['links', 'Nasty'], ['links', '--unresolved'], ['links', '--orphans'], ['check', '--all'], ['tags', 'nasty'],
    ['query', '-s', 'note'], ['query', '--tasks'], ['query', '--group', 'note'], ['read', 'red'], ['read', 'Nasty', '--json'], ['query', '-s', 'note', '--json'],
  ]) {
    const { text } = await cli.terminal(args);
    assert.ok(text.length > 0, args.join(' '));
    assert.doesNotMatch(text, RAW, args.join(' '));
    if (args.includes('--json')) JSON.parse(text);
  }
  const { text } = await cli.terminal(['read', 'Nasty', '--json']);
  assert.ok(JSON.parse(text).content.includes(NASTY), 'JSON loses nothing');
});

test('read into a pipe gives the exact bytes', async (t) => {
  const bytes = Buffer.concat([Buffer.from(NASTY), Buffer.from([0xff, 0xfe, 0x80]), Buffer.from('\nend')]);
  const cli = new Cli(t, makeVault(t, { 'Nasty.md': bytes }));
  for (const args of [['read', 'Nasty'], ['read', 'Nasty', '--color', 'always']]) {
    const child = spawn(VAULTD, args, { env: cli.env, stdio: ['ignore', 'pipe', 'inherit'] });
    const out = [];
    child.stdout.on('data', (d) => out.push(d));
    assert.equal(await within(new Promise((done) => child.once('close', done)), 'read'), 0);
    assert.deepEqual(Buffer.concat(out), bytes);
  }
});

terminalTest('colours: on a terminal, unless told otherwise', async (t) => {
  const cli = new Cli(t);
  const args = ['search', 'otter', '-n', '3'];
  const coloured = async (more, env) => (await cli.terminal([...args, ...more], env)).text.includes(ESC);
  assert.equal(await coloured([]), true);
  assert.equal(await coloured([], { NO_COLOR: '1' }), false);
  assert.equal(await coloured([], { NO_COLOR: '' }), true, 'an empty NO_COLOR is none');
  assert.equal(await coloured([], { TERM: 'dumb' }), false);
  assert.equal(await coloured(['--color', 'never']), false);
  assert.equal(await coloured(['--color=always'], { NO_COLOR: '1' }), true);
  assert.ok(!(await cli.text(0, ...args)).includes(ESC), 'never in a pipe');
  assert.ok((await cli.text(0, ...args, '--color', 'always')).includes(`${ESC}[1;31m`), 'but when asked for');
  const { text } = await cli.terminal([...args, '--color', 'never']);
  assert.equal(plain((await cli.terminal(args)).text), text, 'colours change no text');
});

terminalTest('on a terminal: matches below their file, cut to its width', async (t) => {
  const long = `${'before '.repeat(40)}needle${' after'.repeat(40)}`;
  const cli = new Cli(t, makeVault(t, { 'Long.md': `${long}\n日本語 needle\n`, 'Short.md': 'needle\n' }), { NO_COLOR: '1' });
  const { code, text } = await cli.terminal(['search', 'needle']);
  assert.equal(code, 0);
  const lines = text.split('\n');
  assert.equal(lines[0], 'Long.md');
  assert.match(lines[1], /^     1  ….* needle .*…$/);
  assert.ok(lines[1].length <= 80, `${lines[1].length}`);
  assert.deepEqual(lines.slice(2), ['     2  日本語 needle', 'Short.md', '     1  needle', '', '3 matches in 2 files', '']);
  assert.deepEqual(await cli.terminal(['search', 'nothing at all']), { code: 1, text: 'Nothing found\n' });
  assert.deepEqual(await cli.terminal(['links', 'Short']), { code: 1, text: 'Nothing found\n' });
  assert.deepEqual(await cli.terminal(['query', 'file.size = 1']), { code: 1, text: 'Nothing found\n' });
  assert.match((await cli.terminal(['query', '-s', 'file.size'])).text, /^file +file\.size\nLong\.md +\d+\n/);
  assert.match((await cli.terminal(['query', '-n', '1'])).text, /^1 of 2; continue with --offset 1$/m);
});

test('a reader that closes the pipe early causes no error message', async (t) => {
  const files = Object.fromEntries(Array.from({ length: 3000 }, (_, i) => [`Note with a long name, number ${i}.md`, '']));
  const cli = new Cli(t, makeVault(t, files));
  const end = await run('sh', ['-c', '{ "$0" list -r; echo "code $?" >&2; } | head -1', VAULTD], { env: cli.env });
  assert.match(end.stdout, /^ +0 B .* Note with a long name, number 0\.md\n$/);
  assert.match(end.stderr, /^code (0|141)\n$/);
  const full = await run('sh', ['-c', '"$0" list -r >/dev/full', VAULTD], { env: cli.env });
  assert.equal(full.code, 1, 'but an answer that cannot be written is a failure');
  assert.match(full.stderr, /^vaultd: cannot write the output \(.*\)\n$/);
});
