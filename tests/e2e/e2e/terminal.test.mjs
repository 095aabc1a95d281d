// What people see in a terminal: everything fits its width, and what is longer than the screen is in a pager.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, assertNoSanitizer, cleanEnv, copyVault, run, tempDir, until, within } from '../support.mjs';

const hasScript = ['/usr/bin/script', '/bin/script'].some((f) => existsSync(f));
const terminalTest = (name, body) => test(name, { skip: !hasScript && 'needs script of util-linux' }, body);

/** A command in a terminal of that size: its lines, without colours. */
async function screen(t, dir, args, { columns = 80, rows = 24, ...env } = {}) {
  const quoted = [VAULTD, ...args].map((a) => `'${a.replaceAll("'", "'\\''")}'`).join(' ');
  const end = await run('script', ['-qefc', `stty rows ${rows} cols ${columns}; ${quoted}`, '/dev/null'],
    { env: cleanEnv(dir, { TERM: 'xterm', SHELL: '/bin/sh', PATH: '/usr/bin:/bin', STATE_DIR: path.join(dir, 'state'), PAGER: 'cat', ...env }), cwd: dir });
  assertNoSanitizer(end.stdout, args.join(' '));
  const text = end.stdout.replace(/\r+\n/g, '\n');
  return { code: end.code, raw: text, lines: text.replace(/\x1b\[[\d;]*[mK]/g, '').split('\n') };
}

/** The columns of a line: wide characters take two. */
const columnsOf = (line) => [...line.replace(/\p{Mn}|\u200d|\ufe0f/gu, '')].reduce((n, c) => n + (/[\u1100-\u115f\u2e80-\uffdc\u{1f300}-\u{1faff}]/u.test(c) ? 2 : 1), 0);

/** Everything but texts of notes and diffs, which people copy. */
const COMMANDS = [
  ['tasks'], ['tasks', '--due', '2030-01-01'], ['check'], ['check', '--all'], ['properties'], ['properties', 'status'], ['related', 'Compost'], ['links', 'Home', '--explain'],
  ['links', 'Garden', '--mentions'], ['links', '--unresolved'], ['links', 'Garden', '-b'], ['links', 'Home', '--depth', '2'], ['query', 'status', '-s', 'status,due,tags,file.backlinks'],
  ['query', '--tasks', 'not task.done', '-s', 'task.due'], ['list', '-r'], ['tags'], ['tags', 'area/garden'], ['search', 'barrel'], ['search', '-l', 'barrel'], ['search', '-m', 'names', 'garden'],
  ['read', 'Home', '--outline'], ['read', 'Hoome'], ['read', 'Index'], ['sync', 'status'], ['sync'], ['status'], ['doctor'], ['changes'], ['restore'], ['proposals'], ['check', '--kind', 'brokn'],
  ['sync', 'resolve'], ['key', 'list'], ['model', 'status'], ['read', 'Home', '--help'], ['connect', 'cursr'], ['changes', '--since', 'someday'],
  ['search', 'x', '--folder', 'Aeras'], ['query', 'status = = x'], ['task', 'Compost:3', '--done'], ['help'], ['help', 'all'], ['help', 'serve'], ['help', 'read'], ['help', 'key'], ['doctor', '--help'], ['sync', '--help-all'],
];

for (const columns of [44, 80, 120, 200])
  terminalTest(`everything fits ${columns} columns`, async (t) => {
    const dir = tempDir(t), vault = copyVault(t);
    await run(VAULTD, ['write', 'Inbox/A note with a rather long name that says what it is about', 'x', '-v', vault], { env: cleanEnv(dir, { STATE_DIR: path.join(dir, 'state') }) });
    for (const args of COMMANDS) {
      const help = args.some((word) => /^(--)?help/.test(word));
      const { lines } = await screen(t, dir, help ? args : args[0] === 'doctor' ? [...args, vault] : args[0] === 'status' ? args : [...args, '-v', vault], { columns });
      assert.ok(lines.length > 1, args.join(' '));
      for (const line of lines) assert.ok(columnsOf(line) <= columns, `${args.join(' ')}: ${columnsOf(line)} columns: ${line}`);
    }
  });

terminalTest('errors have the words of commands, and a mark below the place in a query', async (t) => {
  const dir = tempDir(t), vault = copyVault(t);
  const says = async (...args) => (await screen(t, dir, [...args, '-v', vault])).lines.join('\n');
  assert.match(await says('query', 'status == == 3'), /^ {2}status == == 3\n {12}\^\nvaultd: .* at byte 10/);
  assert.match(await says('query', 'ﬂower = ü and ='), /^ {2}ﬂower = ü and =\n {16}\^\nvaultd: /);
  assert.match(await says('read', 'Home', '--from', '900'), /vaultd: line 900 is outside 'Home.md'/);
  assert.match(await says('edit', 'Home', 'the', 'a'), /or\s+give -a/);
  const piped = await run(VAULTD, ['query', 'status = ', '-v', vault], { env: cleanEnv(dir) });
  assert.match(piped.stderr, /^vaultd: where: expected a value at byte 9, found the end\n$/, 'one line for programs');
});

terminalTest('what is longer than the screen is shown in a pager, and nothing else is', async (t) => {
  const dir = tempDir(t), vault = copyVault(t);
  const list = ['list', '-r', '-v', vault];
  const paged = async (args, env) => {
    const { lines, raw } = await screen(t, dir, args, { PAGER: "sed 's/^/P:/'", ...env });
    return { some: lines.some((line) => line.startsWith('P:')), all: lines.slice(0, -1).every((line) => line.startsWith('P:')), lines, raw };
  };
  const long = await paged(list);
  assert.ok(long.all && long.lines.length > 30, long.lines.join('\n'));
  assert.match(long.raw, /\x1b\[/, 'with its colours');
  assert.ok(!(await paged(list, { rows: 200 })).some, 'it fits');
  assert.ok((await paged(['help', 'serve'])).all, 'help');
  assert.ok((await paged(['read', 'Garden log 2026', '-v', vault])).all, 'a note');
  assert.ok(!(await paged(list, { VAULTD_PAGER: '' })).some, 'its own variable wins, and an empty one means none');
  assert.ok(!(await paged(list, { PAGER: 'cat' })).some);
  assert.ok(!(await paged([...list, '--json'])).some, 'JSON is for programs');
  assert.ok(!(await paged(list, { TERM: 'dumb' })).some);
  const missing = await paged(list, { PAGER: '/no/such/pager 2>/dev/null' });
  assert.equal(missing.lines.filter((line) => /Rain barrel/.test(line)).length, long.lines.filter((line) => /Rain barrel/.test(line)).length, 'a pager that cannot be started');
  const closed = await screen(t, dir, list, { PAGER: 'head -n 2' });
  assert.deepEqual([closed.code, closed.lines.length], [0, 3], 'a pager that does not read everything');
  const piped = await run(VAULTD, list, { env: cleanEnv(dir, { STATE_DIR: path.join(dir, 'state'), PAGER: "sed 's/^/P:/'" }) });
  assert.ok(!/^P:/m.test(piped.stdout), 'a pipe has no screen');
});

terminalTest('edit without a text opens an editor, whose result is one change, and no text is ever lost', async (t) => {
  const dir = tempDir(t), vault = copyVault(t), state = path.join(dir, 'state'), note = path.join(vault, 'Inbox.md');
  const kept = () => (existsSync(path.join(state, 'edit')) ? readdirSync(path.join(state, 'edit')).map((name) => path.join(state, 'edit', name)) : []);
  const edit = async (body, env = {}) => {
    const script = path.join(dir, 'my editor');
    writeFileSync(script, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    const end = await screen(t, dir, ['edit', 'Inbox', '-v', vault], { EDITOR: `'${script}'`, ...env, columns: 200 });
    return { code: end.code, says: end.lines.join('\n') };
  };
  const before = readFileSync(note, 'utf8');
  const one = await edit('case "$1" in */edit/*-Inbox.md) ;; *) exit 9;; esac; echo "- by hand" >>"$1"');
  assert.equal(one.code, 0, one.says);
  assert.match(one.says, /Inbox\.md/);
  assert.equal(readFileSync(note, 'utf8'), `${before}- by hand\n`);
  assert.deepEqual(kept(), []);
  const changes = (await screen(t, dir, ['changes', '-v', vault])).lines;
  assert.match(changes[0], /^1 {2}just now .* 1 file {2}.*Inbox\.md/);
  assert.match((await edit(':')).says, /Nothing was changed/);
  assert.deepEqual(kept(), []);

  // VISUAL comes before EDITOR; without a terminal there is none.
  assert.match((await edit('echo editor >&2; exit 3', { VISUAL: 'false' })).says, /the editor 'false' ended with 1; nothing was changed/);
  const piped = await run(VAULTD, ['edit', 'Inbox', '-v', vault], { env: cleanEnv(dir, { STATE_DIR: state, EDITOR: 'false' }) });
  assert.equal(piped.code, 2);
  assert.match(piped.stderr, /give PATH, OLD and NEW/);

  // An editor that crashes after it has saved: the note stays, the text is kept.
  const crashed = await edit('echo "- half" >>"$1"; kill -9 $$');
  assert.equal(crashed.code, 1);
  assert.match(crashed.says, /ended with 137; nothing was changed, and your text is kept in (\S+)/);
  assert.equal(readFileSync(note, 'utf8'), `${before}- by hand\n`);
  assert.equal(readFileSync(kept()[0], 'utf8'), `${before}- by hand\n- half\n`);
  rmSync(kept()[0]);

  // Meanwhile the note was changed: elsewhere is merged, at the same place is refused, with the text kept.
  const first = before.split('\n').find((line) => line.startsWith('# '));
  const merged = await edit(`sed -i 's/^${first}$/${first} of mine/' '${note}'; echo "- two" >>"$1"`);
  assert.equal(merged.code, 0, merged.says);
  assert.match(readFileSync(note, 'utf8'), new RegExp(`^${first} of mine$[^]*- by hand\n- two\n$`, 'm'));
  const both = await edit(`sed -i 's/^- two$/- theirs/' '${note}'; sed -i 's/^- two$/- mine/' "$1"`);
  assert.equal(both.code, 1);
  assert.match(both.says, /changed meanwhile, at the same place; nothing was changed, and your text is kept in/);
  assert.match(readFileSync(note, 'utf8'), /- theirs\n$/);
  assert.match(readFileSync(kept()[0], 'utf8'), /- mine\n$/);
});

/** A command in a terminal, to which keys are typed once it shows something. */
class Keys {
  constructor(t, dir, line, env = {}) {
    this.child = spawn('script', ['-qefc', `stty rows 24 cols 80; ${line}`, '/dev/null'], { env: cleanEnv(dir, { TERM: 'xterm', SHELL: '/bin/sh', PATH: '/usr/bin:/bin', STATE_DIR: path.join(dir, 'state'), PAGER: 'cat', ...env }), cwd: dir, stdio: ['pipe', 'pipe', 'pipe'] });
    this.text = '';
    this.seen = 0;
    this.child.stdout.on('data', (d) => (this.text += d));
    this.child.stdin.on('error', () => {});
    this.ended = new Promise((done) => this.child.once('close', (code) => done((this.code = code))));
    t.after(() => this.child.exitCode === null && this.child.kill('SIGKILL'));
  }

  /** Waits until it shows something new, then types. */
  async at(pattern, keys = '') {
    await until(`${pattern}`, () => {
      const found = this.text.slice(this.seen).match(pattern);
      if (found) this.seen += found.index + found[0].length;
      else if (this.code !== undefined) throw new Error(`ended: ${this.text}`);
      return found;
    });
    if (keys) this.child.stdin.write(keys);
  }

  async end() {
    const code = await within(this.ended, 'it ends');
    assertNoSanitizer(this.text, 'in a terminal');
    return code;
  }
}

terminalTest('a note is picked where a name is ambiguous, and for open', async (t) => {
  const dir = tempDir(t), vault = path.join(dir, 'vault');
  for (const folder of ['.obsidian', 'One', 'Two']) mkdirSync(path.join(vault, folder), { recursive: true });
  for (const [name, text] of Object.entries({ 'One/Note.md': 'of one\n', 'Two/Note.md': '---\na: 1\n---\n\nof two\n', 'Other.md': 'other\n' })) writeFileSync(path.join(vault, name), text);
  const vaultd = (...args) => `'${VAULTD}' ${args.join(' ')} -v '${vault}'`;

  const read = new Keys(t, dir, `${vaultd('read', 'Note')}; stty -a`);
  await read.at(/> .*One\/Note\.md.*\r\n.*Two\/Note\.md.*\r\n.*2 of 2 {2}of one.*\r\n.*Which one\?/, 'tw');
  await read.at(/> .*Two\/Note\.md.*\r\n.*1 of 2 {2}of two.*\r\n.*Which one\? t?w/, '\r');
  assert.equal(await read.end(), 0);
  assert.match(read.text, /of two\r\n/);
  assert.match(read.text, / icanon .* echo /s, 'the terminal is as before');

  const down = new Keys(t, dir, vaultd('edit', 'Note', 'of', 'OF'));
  await down.at(/Which one\?/, '\x1b[B');
  await down.at(/> .*Two\/Note\.md/, '\r');
  assert.equal(await down.end(), 0, down.text);
  assert.match(readFileSync(path.join(vault, 'Two/Note.md'), 'utf8'), /OF two/);

  for (const key of ['\x1b', '\x03']) {
    const none = new Keys(t, dir, vaultd('read', 'Note'));
    await none.at(/Which one\?/, key);
    assert.equal(await none.end(), 2);
    assert.match(none.text, /vaultd: nothing was chosen/);
  }

  const open = new Keys(t, dir, vaultd('open'));
  await open.at(/3 of 3 .*Which one\?/s, 'oth');
  await open.at(/1 of 3 {2}other/, '\r');
  assert.equal(await open.end(), 0);
  assert.match(open.text, /obsidian:\/\/open\?vault=vault&file=Other\.md/);

  const piped = await run(VAULTD, ['read', 'Note', '-v', vault], { env: cleanEnv(dir) });
  assert.match(piped.stderr, /'Note' matches several files: 'One\/Note\.md', 'Two\/Note\.md'/, 'a pipe gets the names');
});

terminalTest('serve says on a terminal what it serves, and how', async (t) => {
  const dir = tempDir(t), vault = copyVault(t);
  const server = new Keys(t, dir, `exec '${VAULTD}' serve --port 0 --read-only`, { VAULT_PATH: vault });
  await server.at(/to stop +Ctrl-C/);
  await until('its log', () => /info serving [^\n]*\n/.test(server.text)); // another thread writes it
  server.child.stdin.write('\x03');
  await server.end();
  const text = server.text.replace(/\r/g, '');
  for (const line of [/^ {2}vault +\S+ \(from the environment\)$/m, /^ {2}page +http:\/\/127\.0\.0\.1:\d+\/$/m, /^ {2}URL +http:\/\/127\.0\.0\.1:\d+\/mcp$/m, /^ {2}apps may +read$/m,
    /^ {2}sign-in +not required$/m, /^ {2}by meaning +off: vaultd model install adds it$/m, /^ {2}sync +off$/m, /^ {2}Claude Code +claude mcp add/m])
    assert.match(text, line);
  assert.match(text, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d info serving /m, 'local time');
});

terminalTest('read has colours, and every character of the note', async (t) => {
  const dir = tempDir(t), vault = path.join(dir, 'vault'), text = '---\na: 1\n---\n# Head\n\nsee [[Other|it]] and #tag/b, not a#b\n\n```js\n# code [[x]]\n```\n\n\ttab\nend';
  mkdirSync(path.join(vault, '.obsidian'), { recursive: true });
  writeFileSync(path.join(vault, 'Note.md'), text);
  const { raw, lines } = await screen(t, dir, ['read', 'Note', '-v', vault]);
  assert.equal(lines.join('\n'), `${text}\n`, 'and a line end for the prompt');
  for (const part of ['\x1b[2ma: 1\x1b[0m', '\x1b[1m# Head\x1b[0m', '\x1b[35m[[Other|it]]\x1b[0m', '\x1b[35m#tag/b\x1b[0m', 'not a#b', '\x1b[2m# code [[x]]\x1b[0m'])
    assert.ok(raw.includes(part), `${JSON.stringify(part)} in ${JSON.stringify(raw)}`);
  const plain = await screen(t, dir, ['read', 'Note', '-v', vault], { NO_COLOR: '1' });
  assert.equal(plain.raw, `${text}\n`);
});
