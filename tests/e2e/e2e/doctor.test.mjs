// vaultd doctor: one broken setup per finding. --connector is tested in proxy.test.mjs.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { WORDS_NUMBERS, startEmbeddings } from '../embeddings.mjs';
import { PORTABLE, VAULTD, cleanEnv, copyVault, run, startHttp, tempDir } from '../support.mjs';
import { USERS } from './people.mjs';

async function doctor(t, args, { env = {}, state = path.join(tempDir(t), 'state') } = {}) {
  const end = await run(VAULTD, ['doctor', '--json', '--port', '0', ...args], { env: cleanEnv(tempDir(t), { STATE_DIR: state, ...env }) });
  assert.equal(end.stderr, '');
  const told = JSON.parse(end.stdout);
  const failed = told.checks.filter((c) => c.status === 'failed');
  assert.equal(end.code, failed.length > 0 ? 1 : 0);
  assert.equal(told.ok, failed.length === 0);
  for (const c of told.checks) assert.equal(typeof c.fix, c.status === 'ok' ? 'undefined' : 'string', JSON.stringify(c));
  told.of = (id) => told.checks.filter((c) => c.id === id);
  return told;
}

/** The check with that id has this status, and says how to fix it. */
function says(told, id, status, got, fix) {
  const hit = told.of(id).find((c) => c.status === status && got.test(c.got));
  assert.ok(hit, `${id} ${status} ${got}: ${JSON.stringify(told.checks, null, 1)}`);
  if (fix) assert.match(hit.fix, fix);
}

async function listenOn(t, server) {
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  t.after(() => server.close());
  return server.address().port;
}

test('a good setup has no findings', async (t) => {
  const told = await doctor(t, [copyVault(t)]);
  assert.equal(told.ok, true);
  assert.deepEqual([...new Set(told.checks.map((c) => c.id))], ['settings', 'vault', 'watches', 'index', 'state', 'sign_in', 'port', 'clock', 'sandbox', 'pdf', 'clients']);
  const { code, stdout } = await run(VAULTD, ['doctor', '--port', '0', copyVault(t)], { env: cleanEnv(tempDir(t)) });
  assert.equal(code, 0);
  assert.match(stdout, /^✓ Settings: /);
  assert.match(stdout, /\n0 broken, \d+ to check\n$/);
});

test('clients that start vaultd, and those that would fail to', async (t) => {
  const vault = copyVault(t), home = tempDir(t);
  mkdirSync(path.join(home, '.cursor'));
  writeFileSync(path.join(home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: { vault: { command: VAULTD, args: ['serve', '--stdio', '/no/such/folder'] } } }));
  mkdirSync(path.join(home, '.gemini'));
  writeFileSync(path.join(home, '.gemini/settings.json'), '{');
  const told = await doctor(t, [vault], { env: { HOME: home } });
  assert.equal(told.ok, true, 'nothing of the server is broken');
  says(told, 'clients', 'warning', /^Cursor, entry vault: there is no folder \/no\/such\/folder$/, /vaultd connect cursor --write/);
  says(told, 'clients', 'warning', /^Gemini CLI: cannot read its configuration: .*line 1/, /Repair .*settings\.json/);
  says(await doctor(t, [vault]), 'clients', 'ok', /no AI client is configured/);
});

test('settings that contradict each other', async (t) => {
  const told = await doctor(t, ['--oidc-issuer', 'https://id.example', copyVault(t)]);
  says(told, 'settings', 'failed', /--oidc-client-id/);
  const end = await run(VAULTD, ['doctor', '--colour'], { env: cleanEnv(tempDir(t)) });
  assert.equal(end.code, 2);
});

test('every option and profile of serve is one of doctor', async (t) => {
  const flags = (text) => [...new Set(text.match(/--[a-z][a-z-]*[a-z]/g))];
  const help = (await run(VAULTD, ['serve', '--help'], { env: cleanEnv(tempDir(t)) })).stdout;
  const table = help.split('\n').filter((line) => /^ +(-[a-zA-Z], )?--[a-z]/.test(line)).flatMap((line) => flags(line.trim().split(/ {2,}/)[0]));
  assert.ok(table.length > 80, help);
  const refused = [];
  for (const flag of table.filter((name) => !['--help', '--version', '--git'].includes(name))) {
    const end = await run(VAULTD, ['doctor', `${flag}=?`, '--color', 'nonsense'], { env: cleanEnv(tempDir(t)) });
    if (/unknown option/.test(end.stderr)) refused.push(flag);
  }
  assert.deepEqual(refused, []);
  for (const profile of ['default', 'obsidian-vault-mcp', 'vault-sync', 'obsidian-bundle', 'claude-desktop', 'vault-git'])
    for (const [args, env] of [[['--profile', profile], {}], [['--read-only'], { VAULTD_PROFILE: profile }]]) {
      const end = await run(VAULTD, ['doctor', '--json', ...args, copyVault(t)], { env: cleanEnv(tempDir(t), env) });
      assert.notEqual(end.code, 2, end.stderr);
      assert.deepEqual(JSON.parse(end.stdout).checks.filter((c) => c.id === 'vault' && c.status === 'failed'), [], profile);
    }
});

test('what a profile needs, and users who cannot be read', async (t) => {
  says(await doctor(t, ['--profile', 'vault-sync', copyVault(t)]), 'settings', 'failed', /profile vault-sync needs --server-url/);
  const url = ['--server-url', 'https://vault.example'];
  says(await doctor(t, ['--auth-users-file', '/nowhere/users', ...url, copyVault(t)]), 'settings', 'failed', /users/);
  says(await doctor(t, ['--oauth-clients-file', '/nowhere/clients', ...url, copyVault(t)]), 'settings', 'failed', /clients/);
});

/* Settings with which serve does not start, what it says, and what doctor says, if that is not the same. */
const PUBLIC = ['--server-url', 'https://vault.example'];
const WRONG = [
  [['--auth-users-file', '/nowhere/users', ...PUBLIC], /users file cannot be opened/],
  [['--auth-users-file', 'plain', ...PUBLIC], /expected a bcrypt hash/],
  [['--auth-users-file', 'users'], /give --server-url/],
  [['--auth-users-file', 'users', '--server-url', 'http://vault.example'], /https/],
  [['--auth-users-file', 'users', '--server-url', 'vault.example'], /must begin with https/],
  [['--auth-users-file', 'users', '--auth', 'none', ...PUBLIC], /lets everyone in/],
  [['--oauth-clients-file', '/nowhere/clients', ...PUBLIC], /oauth-clients-file: /],
  [['--oauth-clients-file', 'plain', ...PUBLIC], /oauth-clients-file: /],
  [['--oauth-clients-file', 'empty.json', '--auth', 'none', ...PUBLIC], /lets everyone in/],
  [['--webhook-secret-file', '/nowhere/secret'], /webhook-secret-file/],
  [['--webhook-secret-file', '/nowhere/secret', '--sync-command', 'true'], /webhook-secret-file/],
  [['--webhook-secret-file', 'short', '--sync-command', 'true'], /at least 8 characters/],
  [['--tools', 'foo'], /no such tool or tool set 'foo'/],
  [['--tools', 'default,-vault_raed'], /vault_raed/],
  [['--tools', 'adr'], /--adr-repo/],
  [['--read-paths', '/../x'], /x/],
  [['--propose-paths', '[a'], /\[a/],
  [['--trusted-proxies', 'everybody'], /everybody/],
  [['--listen-addr', 'nowhere'], /listen-addr/],
  [['--ops-addr', '0.0.0.0:9090'], /ops-addr/],
  [['--rate-address', '5'], /at least/],
  [['--rate-calls', 'many'], /not a whole number/],
  [['--log-level', 'loud'], /is not one of/],
  [['--profile', 'vault-sync'], /needs --server-url/],
  [['--profile', 'nothing'], /is not one of/],
  [['--state', 'memory', '--state-db', 'postgresql://localhost/x'], /state/],
  [['--state-db', 'mysql://localhost/x'], /./],
  [['--state-db-file', '/nowhere/db'], /STATE_DB_FILE/],
  [['--github-client-id', 'x', ...PUBLIC], /github-client-id needs --github-client-secret-file/],
  [['--github-client-id', 'x', '--github-client-secret-file', 'short', ...PUBLIC], /needs --github-allowed-users/],
  [['--github-client-id', 'x', '--github-client-secret-file', '/nowhere/secret', ...PUBLIC], /GITHUB_CLIENT_SECRET/],
  [['--oidc-issuer', 'https://id.example', ...PUBLIC], /needs --oidc-client-id/],
  [['--oidc-issuer', 'https://id.example', '--oidc-client-id', 'x', ...PUBLIC], /needs --oidc-allowed/],
  [['--embeddings', 'ftp://models.example/v1'], /embeddings/],
  [['--audit', '/dev/null/log'], /cannot be created/, /\/dev\/null\/log cannot be written/],
  [['--git-remote', 'https://git.example/x.git', '--sync-command', 'true'], /./],
  [['--sync', 'command'], /./],
  [['--vault', 'one=.', '--vault', 'two=.'], /one|two/],
  [['--vault', 'one=.'], /contradict|not both|one of|replace/],
  [['--vaults-dir', '.'], /contradict|not both|one of|replace/],
];

test('doctor fails wherever serve does not start, and says the same', async (t) => {
  const dir = tempDir(t), vault = copyVault(t);
  for (const [name, text] of [['plain', 'anna:secret\n'], ['users', `anna:${USERS.anna.hash}\n`], ['short', 'x\n'], ['empty.json', '[]']])
    writeFileSync(path.join(dir, name), text, { mode: 0o600 });
  for (const [args, message, own] of WRONG) {
    const address = args.includes('--listen-addr') ? [] : ['--port', '0'];
    const call = (verb) => run(VAULTD, [verb, ...address, ...args, vault], { env: cleanEnv(tempDir(t), { STATE_DIR: path.join(tempDir(t), 'state') }), cwd: dir });
    const [serve, told] = [await call('serve'), await call('doctor')];
    assert.notEqual(serve.code, 0, `serve ${args.join(' ')}`);
    const why = serve.stderr.split('\n').find((line) => line.startsWith('vaultd: '))?.slice('vaultd: '.length);
    assert.match(why, message, args.join(' '));
    assert.notEqual(told.code, 0, `doctor ${args.join(' ')}: ${told.stdout}`);
    if (own) assert.match(told.stdout, own);
    else assert.ok((told.stdout + told.stderr).includes(why.replace(/ \([^)]*\)$/, '')), `${args.join(' ')}\nserve: ${why}\ndoctor: ${told.stdout}${told.stderr}`);
  }
});

test('what is right for serve is right for doctor', async (t) => {
  const dir = tempDir(t), users = path.join(dir, 'users');
  writeFileSync(users, `anna:${USERS.anna.hash}\n`, { mode: 0o600 });
  for (const args of [[], ['--read-only'], ['--tools', 'default,-vault_delete'], ['--auth', 'none', ...PUBLIC],
    ['--auth-users-file', users, ...PUBLIC], ['--auth-users-file', users, '--server-url', 'https://vault.example/mcp/']]) {
    await startHttp(t, { vault: copyVault(t), args });
    assert.deepEqual((await doctor(t, [...args, copyVault(t)])).checks.filter((c) => c.status === 'failed'), [], args.join(' '));
  }
});

test('no vault, a file instead of one, and a folder never opened in Obsidian', async (t) => {
  const dir = tempDir(t);
  says(await doctor(t, []), 'vault', 'failed', /no vault is configured, and this folder is not inside one/, /--vault-path/);
  writeFileSync(path.join(dir, 'file'), '');
  says(await doctor(t, [path.join(dir, 'file')]), 'vault', 'failed', /is not a folder/);
  const told = await doctor(t, [dir]);
  says(told, 'vault', 'warning', /has no \.obsidian/);
  assert.equal(told.ok, true);
});

test('the vault that contains the current folder', async (t) => {
  const vault = copyVault(t);
  mkdirSync(path.join(vault, '.obsidian'), { recursive: true });
  const end = await run(VAULTD, ['doctor', '--port', '0'], { env: cleanEnv(tempDir(t)), cwd: path.join(vault, 'Projects') });
  assert.match(end.stdout, new RegExp(`^✓ Vault: ${vault}, \\d+ folders$`, 'm'));
  const small = path.join(tempDir(t), 'small');
  mkdirSync(path.join(small, '.obsidian'), { recursive: true });
  const one = await run(VAULTD, ['doctor', '--port', '0', small], { env: cleanEnv(tempDir(t)) });
  assert.match(one.stdout, /^✓ Vault: \S+, 1 folder$/m);
  assert.match(one.stdout, PORTABLE ? /^✓ Watching for changes: by polling/m : /^✓ Watching for changes: 1 folder;/m);
});

test('symbolic links that leave the vault', async (t) => {
  const vault = copyVault(t);
  symlinkSync('/etc/hostname', path.join(vault, 'Out.md'));
  symlinkSync('Home.md', path.join(vault, 'In.md'));
  says(await doctor(t, [vault]), 'vault', 'warning', /^1 symbolic link leads outside .*: Out\.md$/, /not followed/);
});

test('a vault owned by another user', { skip: process.getuid() !== 0 && 'needs root to become another user' }, async (t) => {
  const vault = copyVault(t), top = path.dirname(vault), state = path.join(top, 'state');
  mkdirSync(state);
  chownSync(state, 65534, 65534);
  chmodSync(top, 0o755);
  copyFileSync(VAULTD, path.join(top, 'vaultd')); // ours may be in a folder that only root can read
  mkdirSync(path.join(vault, 'Closed'));
  chmodSync(path.join(vault, 'Closed'), 0o700);
  symlinkSync('/etc/hostname', path.join(vault, 'Out.md')); // each check lists only its own names
  const as = async (args = []) => {
    const command = [path.join(top, 'vaultd'), 'doctor', '--json', '--port', '0', '--state-dir', state, ...args, vault];
    try {
      return execFileSync(command[0], command.slice(1), { uid: 65534, gid: 65534, env: cleanEnv(top), encoding: 'utf8' });
    } catch (error) {
      return error.stdout;
    }
  };
  const checks = async (args) => JSON.parse(await as(args)).checks;
  const messages = (list) => list.map((c) => `${c.id} ${c.status} ${c.got}`).join('\n');
  assert.match(messages(await checks()), /vault failed .* cannot be written/);
  assert.match(messages(await checks()), /vault warning 1 folder .*: Closed$/m);
  assert.match(messages(await checks()), /vault warning 1 symbolic link .*: Out\.md$/m);
  assert.doesNotMatch(messages(await checks(['--read-only'])), /vault failed/);
  chmodSync(vault, 0o700);
  assert.match(messages(await checks()), /vault failed .* cannot be read/);
});

test('a state folder that other users can read, or that is not a folder', async (t) => {
  const state = tempDir(t), vault = copyVault(t);
  chmodSync(state, 0o755);
  says(await doctor(t, [vault], { state }), 'state', 'warning', /other users can read/, /^chmod 700 /);
  writeFileSync(path.join(state, 'file'), '');
  says(await doctor(t, [vault], { state: path.join(state, 'file') }), 'state', 'failed', /cannot be used/, /--state-dir/);
});

test('a sign-in database that is damaged or from a newer version', async (t) => {
  const state = tempDir(t), vault = copyVault(t), file = path.join(state, 'oauth.db');
  chmodSync(state, 0o700);
  writeFileSync(file, 'no database at all, but long enough to be taken for one at first sight');
  says(await doctor(t, [vault], { state }), 'database', 'failed', /damaged/, /backup/);
  const head = Buffer.alloc(4096);
  head.write('SQLite format 3\0', 'latin1');
  head.writeUInt32BE(99, 60);
  writeFileSync(file, head);
  says(await doctor(t, [vault], { state }), 'database', 'failed', /newer vaultd \(version 99; /, /backup/);
});

test('the stored index', async (t) => {
  const vault = copyVault(t);
  const server = await startHttp(t, { vault });
  await server.says(/ indexed /);
  await server.stop();
  says(await doctor(t, [vault], { state: server.state }), 'index', 'ok', /will be fast/);
  says(await doctor(t, [vault]), 'index', 'ok', /none yet/);
});

test('sync: secrets that others can read, a missing remote, a missing program', async (t) => {
  const dir = tempDir(t), vault = copyVault(t), token = path.join(dir, 'token');
  execFileSync('git', ['init', '--quiet', '--bare', path.join(dir, 'remote.git')]);
  writeFileSync(token, 'x\n', { mode: 0o644 });
  const remote = ['--git-remote', path.join(dir, 'remote.git')];
  says(await doctor(t, [...remote, vault]), 'sync', 'ok', /the remote answers/);
  says(await doctor(t, [...remote, '--git-token-file', token, vault]), 'sync', 'failed', /can be read by others/, /^chmod 600 /);
  says(await doctor(t, ['--git-remote', path.join(dir, 'none.git'), vault]), 'sync', 'failed', /git/, /ls-remote/);
  says(await doctor(t, ['--sync-command', 'no-such-program-here now', vault]), 'sync', 'failed', /no program no-such-program-here/, /Install/);
  says(await doctor(t, [...remote, vault], { env: { PATH: '/nonexistent' } }), 'sync', 'failed', /git/, /install git/);
});

test('files with secrets that every user of the machine can read', async (t) => {
  const dir = tempDir(t), vault = copyVault(t), users = path.join(dir, 'users'), hook = path.join(dir, 'hook');
  writeFileSync(users, `anna:${USERS.anna.hash}\n`, { mode: 0o644 });
  writeFileSync(hook, 'hush\n', { mode: 0o644 });
  const args = ['--auth-users-file', users];
  says(await doctor(t, [...args, vault]), 'secrets', 'warning', /every user .* can read or change .*users \(--auth-users-file\)$/, /^chmod 600 '.*users'$/);
  const server = await startHttp(t, { vault, args: [...args, '--server-url', 'https://vault.example'] });
  await server.says(/secret_exposed.*auth-users-file.*chmod 600/);
  await server.stop();
  chmodSync(users, 0o640);
  assert.deepEqual((await doctor(t, [...args, vault])).of('secrets'), []);

  await t.test('read-only secrets of a container are accepted', async (t) => {
    chmodSync(users, 0o444);
    const readOnly = ['-rm', 'sh', '-c', `mount --bind '${dir}' '${dir}' && mount -o remount,bind,ro '${dir}' && exec "$@"`, 'sh'];
    if ((await run('unshare', [...readOnly, 'true'])).code !== 0) return t.skip('no namespaces here');
    const env = cleanEnv(tempDir(t), { STATE_DIR: path.join(tempDir(t), 'state') });
    const end = await run('unshare', [...readOnly, VAULTD, 'doctor', '--json', '--port', '0', ...args, '--git-remote', vault, '--webhook-secret-file', hook, vault], { env });
    assert.deepEqual(JSON.parse(end.stdout).checks.filter((c) => c.id === 'secrets'), [], end.stderr);
  });
});

test('a port in use, by another program or by vaultd', async (t) => {
  const vault = copyVault(t);
  const port = await listenOn(t, net.createServer((socket) => socket.end('hello\n')));
  says(await doctor(t, ['--port', String(port), vault]), 'port', 'failed', /is in use by .*, process \d+/, /another --port/);
  const server = await startHttp(t, { vault });
  says(await doctor(t, ['--port', String(server.port), vault]), 'port', 'ok', /vaultd is already running on/);
});

test('a proxy that is not trusted', async (t) => {
  const args = ['--server-url', 'https://vault.invalid', copyVault(t)];
  says(await doctor(t, args), 'proxy', 'warning', /see all clients as one/, /--trusted-proxies 127\.0\.0\.1/);
  says(await doctor(t, ['--trusted-proxies', '127.0.0.1', ...args]), 'proxy', 'ok', /--connector/);
});

test('a wrong clock', async (t) => {
  const port = await listenOn(t, http.createServer((_, answer) => {
    answer.setHeader('Date', new Date(Date.now() - 3600_000).toUTCString());
    answer.end('{}');
  }));
  says(await doctor(t, ['--server-url', `http://127.0.0.1:${port}`, copyVault(t)]), 'clock', 'failed', /differs by 3[56]\d\d s/, /set-ntp/);
});

test('a sandbox that is off, or reduced', async (t) => {
  says(await doctor(t, ['--sandbox', 'off', copyVault(t)]), 'sandbox', 'warning', /^off$/);
  says(await doctor(t, ['--sync-command', 'true', copyVault(t)]), 'sandbox', 'warning', PORTABLE ? /has no sandbox/ : /may need any file/);
});

test('what this build watches and confines', async (t) => {
  const told = await doctor(t, ['--pdf', 'on', copyVault(t)]);
  if (PORTABLE) {
    says(told, 'watches', 'ok', /^by polling every second: this build cannot watch folders$/);
    says(told, 'sandbox', 'warning', /^this build has no sandbox: vaultd and the programs it starts have all permissions of their user$/, /package for Linux/);
    says(told, 'pdf', 'warning', /programs that this build cannot confine$|is missing$/, /--pdf off/);
  } else {
    says(told, 'watches', 'ok', /folders?; up to \d+ can be watched$/);
    assert.doesNotMatch(JSON.stringify(told), /this build/);
  }
});

test('an embeddings endpoint: whether it answers, and that notes leave the machine', async (t) => {
  const standin = await startEmbeddings(t), vault = copyVault(t), key = path.join(tempDir(t), 'key');
  writeFileSync(key, `${standin.key}\n`, { mode: 0o600 });
  const asked = (model, ...more) => doctor(t, ['--embeddings', standin.url, '--embeddings-model', model, ...more, vault]);
  says(await asked('words'), 'embeddings', 'ok', new RegExp(`^words at ${new URL(standin.url).host} returns embeddings of ${WORDS_NUMBERS} dimensions in \\d+ ms$`));
  says(await asked('locked', '--embeddings-key-file', key), 'embeddings', 'ok', /returns embeddings/);
  says(await asked('locked'), 'embeddings', 'failed', /did not accept the key \(401\)/, /docs\/search\.md/);
  says(await asked('broken'), 'embeddings', 'failed', /answered with status 500$/, /Start that server/);
  chmodSync(key, 0o644);
  says(await asked('locked', '--embeddings-key-file', key), 'embeddings', 'warning', /can be read by others$/, /^chmod 600/);
  assert.deepEqual([...new Set(standin.texts)], ['vaultd doctor'], 'no note is sent');
  says(await doctor(t, ['--embeddings', 'openai', vault]), 'settings', 'failed', /^embeddings is off, auto or a URL/);
});
