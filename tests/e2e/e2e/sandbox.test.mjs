// The sandbox around a real server: what is reported about it, and that it breaks nothing.
// Attempts to escape are in tests/unit/base/test_sandbox.c and tests/unit/app/test_confine.c.
import assert from 'node:assert/strict';
import { chownSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { PORTABLE, VAULTD, cleanEnv, copyVault, modernMessage, postModern, run, startHttp, tempDir } from '../support.mjs';
import { USERS, letIn, startWithPeople } from './people.mjs';

const call = async (server, name, args) => {
  const { message } = await postModern(server, modernMessage('tools/call', { name, arguments: args }));
  return message.result;
};

const sandboxOf = async (server) => {
  const { stdout } = await run(VAULTD, ['status', '--json', '--state-dir', server.state], { env: cleanEnv(server.state) });
  return JSON.parse(stdout).servers[0].sandbox;
};

if (PORTABLE) test('a build that confines nothing says so, and does not start if it must', async (t) => {
  const server = await startHttp(t);
  await server.says(/ warn sandbox confined=nothing landlock=0/);
  assert.deepEqual(await sandboxOf(server), { files: false, ports: false, system_calls: false });
  const end = await run(VAULTD, ['serve', '--port', '0', '--sandbox', 'required', copyVault(t)], { env: cleanEnv(tempDir(t)) });
  assert.equal(end.code, 2, end.stderr);
  assert.match(end.stderr, /--sandbox required, but this build of vaultd has no sandbox: use a package for Linux, or --sandbox auto/);
});

test('SEC-95 it is on by default, for every thread, and the server works in it', async (t) => {
  if (PORTABLE) return t.skip('a portable build confines nothing');
  const server = await startHttp(t, { vault: copyVault(t) });
  await server.says(/ info sandbox confined="files, ports and system calls"|warn sandbox confined=/);
  assert.equal(server.status('NoNewPrivs'), '1');
  assert.equal(server.status('Seccomp'), '2');
  assert.equal((await sandboxOf(server)).system_calls, true);
  const written = await call(server, 'vault_write', { path: 'New/Folder/Note.md', content: '# Note\n' });
  assert.ok(!written.isError, JSON.stringify(written));
  assert.ok(!(await call(server, 'vault_move', { path: 'New/Folder/Note.md', to: 'Moved.md' })).isError);
  assert.ok(!(await call(server, 'vault_search', { query: 'No[t]e', mode: 'regex' })).isError);
});

test('SEC-95: root does not serve the vault of another user', async (t) => {
  if (process.getuid() !== 0) return t.skip('only root can give a vault to another user');
  const vault = copyVault(t);
  chownSync(vault, 12345, 54321);
  for (const args of [['serve', '--port', '0'], ['serve', '--stdio']]) {
    const end = await run(VAULTD, [...args, vault], { env: cleanEnv(tempDir(t)) });
    assert.equal(end.code, 2, end.stderr);
    assert.match(end.stderr, /belongs to user 12345 .*start vaultd as that user.*--user 12345:54321/s);
  }
});

test('off is off, and required starts if the kernel supports it', async (t) => {
  const off = await startHttp(t, { args: ['--sandbox', 'off'] });
  assert.equal(off.status('Seccomp'), '0');
  assert.deepEqual(await sandboxOf(off), { files: false, ports: false, system_calls: false });
  const auto = await startHttp(t);
  if (!(await sandboxOf(auto)).files) return t.skip('this kernel has no Landlock');
  const required = await startHttp(t, { args: ['--sandbox', 'required'] });
  assert.equal((await sandboxOf(required)).files, true);
});

test('required cannot be used with a sync command', async (t) => {
  const dir = tempDir(t);
  const end = await run(VAULTD, ['serve', '--port', '0', '--sandbox', 'required', '--sync-command', 'true', copyVault(t)], { env: cleanEnv(dir) });
  assert.equal(end.code, 2, end.stderr);
  assert.match(end.stderr, /--sandbox required cannot be used with --sync-command/);
});

test('a replaced users file is read again', async (t) => {
  const file = path.join(tempDir(t), 'users');
  writeFileSync(file, `anna:${USERS.anna.hash}\n`);
  const server = await startWithPeople(t, { args: ['--auth-users-file', file], env: { AUTH_USERS: '' } });
  await letIn(server, { name: 'anna' });
  writeFileSync(`${file}.new`, `bob:${USERS.bob.hash}\n`);
  renameSync(`${file}.new`, file);
  await letIn(server, { name: 'bob' });
  assert.doesNotMatch(server.stderr, /users file/);
});
