// What people see in a terminal: everything fits its width, and what is longer than the screen is in a pager.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, assertNoSanitizer, cleanEnv, copyVault, run, tempDir } from '../support.mjs';

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
