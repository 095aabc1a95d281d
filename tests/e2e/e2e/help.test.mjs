// The first minute: help on one screen, and what happens to a word that is not a command.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, assertNoSanitizer, cleanEnv, run, tempDir } from '../support.mjs';

/** What a terminal of 80 columns and 24 lines shows, and the exit code. */
async function screen(dir, args) {
  const quoted = [VAULTD, ...args].map((a) => `'${a.replaceAll("'", "'\\''")}'`).join(' ');
  const env = cleanEnv(dir, { TERM: 'xterm', SHELL: '/bin/sh' });
  const end = await run('script', ['-qefc', `stty rows 24 cols 80; ${quoted}`, '/dev/null'], { env, cwd: dir });
  assertNoSanitizer(end.stdout, args.join(' '));
  return { code: end.code, lines: end.stdout.replace(/\r+\n/g, '\n').replace(/\x1b\[[\d;]*m/g, '').split('\n').slice(0, -1) };
}

test('vaultd alone, help and --help show one page that fits a screen', async (t) => {
  const dir = tempDir(t);
  const alone = await screen(dir, []);
  assert.equal(alone.code, 0);
  assert.ok(alone.lines.length < 24, `${alone.lines.length} lines`);
  for (const line of alone.lines) assert.ok(line.length <= 80 && !/ $/.test(line), line);
  for (const args of [['help'], ['--help'], ['-h']]) assert.deepEqual(await screen(dir, args), alone, args.join(' '));
  const text = alone.lines.join('\n');
  const all = [...(await run(VAULTD, ['help', 'all'], { env: cleanEnv(dir) })).stdout.matchAll(/^ {2}vaultd (\S+)/gm)].map((m) => m[1]);
  assert.ok(all.length > 25);
  for (const name of all) assert.match(text, new RegExp(`[ \n]${name}( |$)`, 'm'), name);
  assert.equal([...text.matchAll(/^ {2}vaultd ([a-z]+)/gm)].filter(([, name]) => all.includes(name)).length, 10, 'ten commands with an example');
});

test('help explains every command within 80 columns', async (t) => {
  const env = cleanEnv(tempDir(t));
  const out = async (...args) => (await run(VAULTD, args, { env })).stdout;
  for (const [, name] of (await out('help', 'all')).matchAll(/^ {2}vaultd (\S+)/gm)) {
    const page = await out('help', name);
    assert.match(page, new RegExp(`^usage: vaultd ${name}\\b`), name);
    assert.equal(await out(name, '--help'), page, name);
    for (const line of page.split('\n')) assert.ok([...line].length <= 80 && !/ $/.test(line), `${name}: ${line}`);
    if (!page.includes(`vaultd ${name} --help-all`)) continue;
    const whole = await out(name, '--help-all');
    assert.ok(!page.includes('--history-size'), name);
    if (name !== 'sync') assert.ok(page.split('\n').length <= 48, `${name}: a screen`); // which has all settings of git
    assert.match(whole, /^ +-v, --vault-path FOLDER[^]*--history-size[^]*--json[^]*-h, --help/m, name);
    for (const [flag] of page.matchAll(/^ +(-\w, )?--[\w-]+/gm)) assert.ok(whole.includes(flag), `${name}: ${flag}`);
  }
});

test('wrong settings are no reason to refuse help', async (t) => {
  const env = cleanEnv(tempDir(t), { PORT: 'nonsense' });
  for (const args of [['help'], ['help', 'all'], ['help', 'serve'], ['help', 'search']]) {
    const end = await run(VAULTD, args, { env });
    assert.deepEqual([end.code, end.stderr], [0, ''], args.join(' '));
  }
  assert.match((await run(VAULTD, ['version'], { env })).stdout, /^vaultd \d+\.\d+\.\d+\S*\n$/);
});

test('a mistyped command is not taken for a vault', async (t) => {
  const dir = tempDir(t), env = cleanEnv(dir);
  writeFileSync(path.join(dir, 'notes.txt'), '');
  for (const [says, ...args] of [
    [/^vaultd: no such command 'serch'; did you mean 'search'\?\n$/, 'serch', 'foo'],
    [/^vaultd: no such command 'chnages'; did you mean 'changes'\?\n$/, 'chnages', '--verify'],
    [/^vaultd: no such command 'serch'; did you mean 'search'\?\n$/, 'help', 'serch'],
    [/^vaultd: no such command 'Garden', and no such folder; vaultd help lists the commands\n$/, 'Garden'],
    [/^vaultd: no such command 'notes.txt', and no such folder/, 'notes.txt'],
    [/^vaultd: 'search' is a command: put it first, and its options after it\n$/, '--port', '1', 'search', 'x'],
    [/^vaultd: no such command 'garden'; vaultd help lists the commands\n$/, 'help', 'garden'],
    [/nope/, './nope'],
  ]) {
    const end = await run(VAULTD, args, { env, cwd: dir });
    assert.deepEqual([end.code, end.stdout], [2, ''], args.join(' '));
    assert.match(end.stderr, says);
  }
});

test('options that all commands have may come before the command', async (t) => {
  const dir = tempDir(t), env = cleanEnv(dir);
  writeFileSync(path.join(dir, 'Note.md'), 'needle\n');
  for (const first of [['-v', dir], [`--vault-path=${dir}`], ['--color', 'never', '-v', dir]]) {
    const end = await run(VAULTD, [...first, 'search', 'needle'], { env });
    assert.deepEqual([end.code, end.stdout, end.stderr], [0, 'Note.md:1:needle\n', ''], first.join(' '));
  }
  assert.equal(JSON.parse((await run(VAULTD, ['--json', '-v', dir, 'query'], { env })).stdout).total, 1);
  for (const bad of [['-v', 'search', 'needle'], ['-v'], ['-v', dir, 'serch', 'x']]) {
    const end = await run(VAULTD, bad, { env, cwd: dir });
    assert.deepEqual([end.code, end.stdout], [2, ''], bad.join(' '));
  }
});

test('a folder without a command is served, and serve finds the vault that contains the current folder', async (t) => {
  const dir = tempDir(t);
  mkdirSync(path.join(dir, 'search me', '.obsidian'), { recursive: true });
  mkdirSync(path.join(dir, 'search me', 'Deep'));
  const hello = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } } });
  for (const [cwd, args] of [[dir, ['search me', '--stdio']], [path.join(dir, 'search me', 'Deep'), ['serve', '--stdio']]]) {
    const end = await run(VAULTD, args, { env: cleanEnv(dir), cwd, input: `${hello}\n` });
    assert.equal(end.code, 0, end.stderr);
    assert.equal(JSON.parse(end.stdout.split('\n')[0]).id, 1);
  }
  const nowhere = await run(VAULTD, ['serve', '--stdio'], { env: cleanEnv(dir), cwd: dir, input: '' });
  assert.deepEqual([nowhere.code, nowhere.stdout], [2, '']);
  assert.match(nowhere.stderr, /no vault: give --vault-path FOLDER/);
});

test('without a terminal, vaultd alone serves as before', async (t) => {
  const dir = tempDir(t), vault = path.join(dir, 'v');
  mkdirSync(vault);
  const hello = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const end = await run(VAULTD, [], { env: cleanEnv(dir, { VAULTD_PROFILE: 'claude-desktop', VAULT_PATH: vault }), cwd: dir, input: `${hello}\n` });
  assert.doesNotMatch(end.stdout + end.stderr, /All commands/);
});
