// Completions as the shells themselves offer them, and what meson install generates from the tables.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { TOP, VAULTD, cleanEnv, run, tempDir } from '../support.mjs';

const HERE = path.dirname(fileURLToPath(import.meta.url));

const BASH = `source "$1"
COMP_WORDS=("\${@:2}") COMP_CWORD=$(($# - 2)) COMPREPLY=()
"$(complete -p vaultd | sed 's/.*-F \\([^ ]*\\).*/\\1/')" 2>/dev/null # compopt has no completion to change here
printf '%s\\n' "\${COMPREPLY[@]}"`;

/** Each shell: the file for its script, and how to ask it. */
const SHELLS = {
  bash: { file: 'vaultd', ask: (file, words) => ['bash', '--norc', '-c', BASH, 'bash', file, 'vaultd', ...words.flatMap((w) => w.split(/(?<=^--[a-z-]+)(=)/).filter((p, i) => p || i === 0))] },
  zsh: { file: '_vaultd', ask: (file, words) => ['zsh', '-f', path.join(HERE, '../complete.zsh'), path.dirname(file), `vaultd ${words.join(' ')}`] },
  fish: { file: 'vaultd.fish', ask: (file, words) => ['fish', '--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', file, `vaultd ${words.join(' ')}`] },
};

/** Typed text, and what is offered. */
const OFFERS = [
  ['commands', ['se'], ['search', 'serve']],
  ['flags of the server without a command', ['--auth-u'], ['--auth-users', '--auth-users-file']],
  ['flags of the server', ['serve', '--log-'], ['--log-format', '--log-level']],
  ['flags of a verb, and no other', ['undo', '--s'], ['--state-db', '--state-db-file', '--state-dir']],
  ['values of a flag', ['serve', '--log-level', ''], ['debug', 'error', 'info', 'warn']],
  ['values after =', ['serve', '--log-level=w'], ['warn']],
  ['tool sets', ['--tools', 'ch'], ['chatgpt']],
  ['a second tool set', ['--tools', 'default,ch'], ['chatgpt']],
  ['what a command does', ['key', ''], ['add', 'list', 'revoke']],
  ['folders for a folder', ['--state-dir', 'Pro'], ['Projects']],
  ['files for a file', ['--auth-users-file', 'Pro'], ['Projects', 'Prose.md']],
  ['files where there is no vault', ['read', 'Pros'], ['Prose.md']],
];

/** The word alone: shells differ in what they print around it. */
const bare = (line) => line.split('\t')[0].replace(/^.*[,=]/, '').replace(/\/$/, '');

/** A folder in which vaultd is: the scripts ask it. */
function withVaultd(dir) {
  const bin = path.join(dir, 'bin');
  mkdirSync(bin);
  symlinkSync(VAULTD, path.join(bin, 'vaultd'));
  return bin;
}

for (const [shell, { file, ask }] of Object.entries(SHELLS))
  test(`${shell} completes`, async (t) => {
    const dir = tempDir(t), env = cleanEnv(dir, { PATH: `${withVaultd(dir)}:/usr/bin:/bin` }), cwd = path.join(dir, 'vault'), script = path.join(dir, file);
    mkdirSync(path.join(cwd, 'Projects'), { recursive: true });
    writeFileSync(path.join(cwd, 'Prose.md'), '');
    const page = await run(VAULTD, ['docs', shell], { env });
    assert.deepEqual([page.code, page.stderr], [0, '']);
    writeFileSync(script, page.stdout);

    await t.test('the script loads without warnings', async () => {
      const end = await run(shell, ['-n', script], { env });
      assert.deepEqual([end.code, end.stderr], [0, '']);
    });

    for (const [what, words, offers] of OFFERS) {
      if (shell === 'bash' && what === 'files where there is no vault') continue; // bash does that itself when we offer nothing
      await t.test(what, async () => {
        const [program, ...args] = ask(script, words);
        const end = await run(program, args, { env, cwd });
        assert.deepEqual([...new Set(end.stdout.split('\n').filter(Boolean).map(bare))].sort(), offers, end.stderr);
      });
    }
  });

/** In a vault: typed text, and what is offered. */
const IN_VAULT = [
  ['notes by name', ['read', 'ra'], ['Rain barrel', 'Rare']],
  ['notes by path', ['edit', 'Work/'], ['Work/Log.md', 'Work/Rain barrel.md']],
  ['tags', ['search', '--tag', 'pr'], ['project', 'project/garden']],
  ['tags as an argument', ['tags', 'project/'], ['project/garden']],
  ['folders of the vault', ['tasks', '--folder', 'W'], ['Work']],
  ['words besides notes', ['open', 'gr'], ['graph', 'Green']],
  ['headings of the note', ['read', 'Green', '--section', 'Ru'], ['Rules']],
  ['fields of a query', ['query', 'file.fo'], ['file.folder']],
  ['properties of the vault', ['query', '-s', 'rat'], ['rating']],
  ['kinds of findings', ['check', '--kind', 'twin'], ['twin_path']],
  ['clients', ['connect', 'curs'], ['cursor']],
];

for (const [shell, { file, ask }] of Object.entries(SHELLS))
  test(`${shell} completes notes and tags`, async (t) => {
    const dir = tempDir(t), cwd = path.join(dir, 'vault'), script = path.join(dir, file);
    for (const folder of ['.obsidian', 'Work', 'Deep']) mkdirSync(path.join(cwd, folder), { recursive: true });
    for (const [name, text] of Object.entries({ 'Work/Rain barrel.md': '#project/garden', 'Deep/Rare.md': '', 'Green.md': '---\nrating: 1\n---\n# Rules\n', 'Log.md': '', 'Work/Log.md': '' })) writeFileSync(path.join(cwd, name), text);
    const env = cleanEnv(dir, { PATH: `${withVaultd(dir)}:/usr/bin:/bin`, STATE_DIR: path.join(dir, 'state') });
    writeFileSync(script, (await run(VAULTD, ['docs', shell], { env })).stdout);
    const offered = async (words, folder = cwd) => {
      const [program, ...args] = ask(script, words);
      const end = await run(program, args, { env, cwd: folder });
      return [...new Set(end.stdout.split('\n').filter(Boolean).map((line) => line.split('\t')[0].replaceAll('\\', '')))].sort(); // zsh shows its quotes
    };
    for (const [what, words, offers] of IN_VAULT)
      await t.test(what, async () => assert.deepEqual(await offered(words), [...offers].sort()));
    await t.test('in the vault of -v', async () => assert.deepEqual(await offered(['search', '-v', cwd, '--tag', 'pr'], dir), ['project', 'project/garden']));
  });

test('completion is bounded and silent', async (t) => {
  const dir = tempDir(t), env = cleanEnv(dir);
  assert.equal((await run(VAULTD, ['complete', 'read', 'x'], { env, cwd: dir })).stdout, ':files\n', 'no vault');
  mkdirSync(path.join(dir, 'v', '.obsidian'), { recursive: true });
  for (let i = 0; i < 700; i++) writeFileSync(path.join(dir, 'v', `note ${i}.md`), '');
  const all = (await run(VAULTD, ['complete', 'read', 'note'], { env: { ...env, VAULT_PATH: path.join(dir, 'v') } })).stdout.split('\n');
  assert.deepEqual([all.length, all[500]], [502, ':names']);
});

test('bash falls back to file names', async (t) => {
  const page = await run(VAULTD, ['docs', 'bash'], { env: cleanEnv(tempDir(t)) });
  assert.match(page.stdout, /^complete .*-o default .*vaultd$/m);
});

test('every command and flag in the help is offered, and in the manual', async (t) => {
  const env = cleanEnv(tempDir(t));
  const out = async (...args) => (await run(VAULTD, args, { env })).stdout;
  const offered = async (...words) => new Set((await out('complete', ...words)).split('\n').map((line) => line.split('\t')[0]));
  const commands = [...(await out('help', 'all')).matchAll(/^ {2}vaultd (\S+)/gm)].map((m) => m[1]);
  const man = (await Promise.all(commands.map((c) => out('docs', `man-${c}`)))).join('').replaceAll('\\-', '-'), all = await offered('');
  let flags = 0;
  for (const command of commands) {
    assert.ok(all.has(command) && man.includes(command), command);
    if (['key', 'hash-password', 'docs', 'help', 'version'].includes(command)) continue;
    const known = await offered(command, '-');
    for (const [, flag] of (await out(command, '--help')).matchAll(/^ {2}(?:-\w,|   ) (--[a-z-]+)/gm)) {
      assert.ok(known.has(flag) && man.includes(flag), `${command} ${flag}`);
      flags++;
    }
  }
  assert.ok(flags > 80, String(flags));
});

test('the pages of the manual have no warnings', async (t) => {
  const dir = tempDir(t), env = cleanEnv(dir, { LC_ALL: 'C.UTF-8', MANWIDTH: '80' }), folder = path.join(dir, 'man1');
  const made = await run(path.join(TOP, 'packaging/man_pages'), [folder, VAULTD], { env: { ...env, PATH: process.env.PATH } });
  assert.deepEqual([made.code, made.stderr], [0, '']);
  const pages = readdirSync(folder).map((name) => path.join(folder, name));
  const commands = [...(await run(VAULTD, ['help', 'all'], { env })).stdout.matchAll(/^ {2}vaultd (\S+)/gm)].map((m) => `vaultd-${m[1]}.1`);
  assert.deepEqual(readdirSync(folder).sort(), ['vaultd.1', ...new Set(commands)].sort());
  const lint = await run('mandoc', ['-T', 'lint', ...pages], { env });
  assert.deepEqual([lint.code, lint.stdout], [0, '']);
  const show = async (name) => {
    const man = await run('man', ['--warnings', '-E', 'UTF-8', '-l', path.join(folder, name)], { env });
    assert.deepEqual([man.code, man.stderr], [0, ''], name);
    return man.stdout;
  };
  const overview = await show('vaultd.1');
  for (const heading of ['NAME', 'SYNOPSIS', 'COMMANDS', 'FILES', 'EXIT STATUS', 'EXAMPLES', 'SEE ALSO']) assert.match(overview, new RegExp(`^${heading}$`, 'm'));
  assert.match(await show('vaultd-serve.1'), /^ {7}--listen-addr ADDRESS$/m);
  assert.match(await show('vaultd-search.1'), /^NAME\n {7}vaultd-search - /m);
});
