// Sign-in never fails open: a server that others can reach requires it, or does not start.
import assert from 'node:assert/strict';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { EXAMPLE_VAULT, VAULTD, cleanEnv, fetchHttp, modernMessage, postModern, run, startHttp, tempDir } from '../support.mjs';

const PUBLIC = ['--server-url', 'https://vault.example.com'];
const discover = async (server, headers) => (await postModern(server, modernMessage('server/discover'), headers)).status;
const bearer = (key) => ({ authorization: `Bearer ${key}` });
const vaultd = (t, state, ...args) => run(VAULTD, args, { env: cleanEnv(tempDir(t), { STATE_DIR: state }) });

async function addKey(t, state) {
  const end = await vaultd(t, state, 'key', 'add', 'robot', 'read');
  assert.equal(end.code, 0, end.stderr);
  return end.stdout.trim();
}

test('SEC-28: revoking the last key does not open a public server, nor does a restart', async (t) => {
  const state = path.join(tempDir(t), 'state'), key = await addKey(t, state);
  const first = await startHttp(t, { state, args: PUBLIC });
  assert.equal(await discover(first, bearer(key)), 200);
  assert.equal((await vaultd(t, state, 'key', 'revoke', 'robot')).code, 0);
  assert.deepEqual([await discover(first), await discover(first, bearer(key))], [401, 401]);
  await first.stop();

  const second = await startHttp(t, { state, args: PUBLIC });
  assert.deepEqual([await discover(second), await discover(second, bearer(key))], [401, 401]);
  assert.equal((await fetchHttp(second, { method: 'GET', path: '/graph/data' })).status, 401);
  assert.equal(await discover(second, bearer(await addKey(t, state))), 200);
});

test('SEC-28: revoking the last key does not open a local server either', async (t) => {
  const state = path.join(tempDir(t), 'state');
  await addKey(t, state);
  assert.equal((await vaultd(t, state, 'key', 'revoke', 'robot')).code, 0);
  const server = await startHttp(t, { state, args: ['--server-url', 'http://localhost:1'] });
  assert.equal(await discover(server), 401);
  const open = await startHttp(t, { state, args: ['--auth', 'none'] });
  assert.equal(await discover(open), 200);
});

test('a server that loses its state folder stays closed, and does not start again', async (t) => {
  const state = path.join(tempDir(t), 'state'), key = await addKey(t, state);
  const server = await startHttp(t, { state, args: PUBLIC });
  rmSync(state, { recursive: true });
  assert.equal(await discover(server), 401);
  assert.equal(await discover(server, bearer('vk_' + '0'.repeat(64))), 401);
  await server.crash();
  rmSync(state, { recursive: true, force: true });
  const end = await vaultd(t, state, 'serve', '--port', '0', ...PUBLIC, EXAMPLE_VAULT);
  assert.equal(end.code, 2, end.stderr);
  assert.match(end.stderr, /server-url 'https:\/\/vault\.example\.com' makes the server reachable by others without signing in/);
  assert.ok(key);
});

test('state in memory does not hide that others had access', async (t) => {
  const state = path.join(tempDir(t), 'state');
  await addKey(t, state);
  for (const args of [[], PUBLIC]) {
    const end = await vaultd(t, state, 'serve', '--port', '0', '--state', 'memory', ...args, EXAMPLE_VAULT);
    assert.equal(end.code, 2, end.stderr);
    assert.match(end.stderr, /--state memory ignores.*--auth-users-file.*--auth none/);
  }
});

test('queries create nothing, so that a local server stays open', async (t) => {
  const state = path.join(tempDir(t), 'state');
  for (const query of [['key', 'list'], ['vault', 'list'], ['vault', 'list', '--vaults-dir', tempDir(t)], ['status'], ['doctor', EXAMPLE_VAULT]]) {
    await vaultd(t, state, ...query);
    assert.ok(!existsSync(state), query.join(' '));
  }
  assert.deepEqual((({ code, stdout }) => [code, stdout])(await vaultd(t, state, 'vault', 'list')), [0, '']);
  assert.equal(await discover(await startHttp(t, { state })), 200);
});

test('only access that was given requires sign-in, not a file in the state folder', async (t) => {
  const state = path.join(tempDir(t), 'state'), users = path.join(tempDir(t), 'users');
  writeFileSync(users, 'anna:$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy\n', { mode: 0o600 });
  const first = await startHttp(t, { state, args: ['--auth-users-file', users, '--server-url', 'http://localhost:1'] });
  assert.equal(await discover(first), 401);
  await first.stop();
  assert.ok(existsSync(path.join(state, 'oauth.db')));
  assert.equal(await discover(await startHttp(t, { state })), 200);
});

test('a server that no one can sign in to says so in its log, to status and to doctor', async (t) => {
  const state = path.join(tempDir(t), 'state');
  await addKey(t, state);
  assert.equal((await vaultd(t, state, 'key', 'revoke', 'robot')).code, 0);
  const server = await startHttp(t, { state, args: ['--server-url', 'http://localhost:1'] });
  await server.says(/clients must sign in, but there is no user or key: add a key with vaultd key add/);
  assert.match((await vaultd(t, state, 'status')).stdout, /clients must sign in, but there is no user or key/);
  assert.match((await vaultd(t, state, 'doctor', EXAMPLE_VAULT)).stdout, /! Sign-in: clients must sign in, but there is no user or key/);
  await addKey(t, state);
  assert.doesNotMatch((await vaultd(t, state, 'status')).stdout, /no user or key/);
});

const USERS_FILE = ['--auth-users-file', '/nowhere/users'], LAN = ['--profile', 'obsidian-vault-mcp'];
for (const [what, args, why] of [
  ['a users file', [...LAN, ...USERS_FILE, EXAMPLE_VAULT], /profile obsidian-vault-mcp lets everyone in, but --auth-users-file names who may sign in: .*--auth required/],
  ['hosted vaults', [...LAN, '--vaults-dir', '/tmp'], /profile obsidian-vault-mcp lets everyone in, but --vaults-dir/],
  ['a users file and --auth none', ['--auth', 'none', ...USERS_FILE, EXAMPLE_VAULT], /--auth none lets everyone in, but --auth-users-file names who may sign in: remove one/],
  ['hosted vaults and --auth none', ['--auth', 'none', '--vaults-dir', '/tmp'], /--auth none lets everyone in, but --vaults-dir/],
])
  test(`a server without sign-in does not start with ${what}`, async (t) => {
    const end = await vaultd(t, path.join(tempDir(t), 's'), 'serve', '--listen-addr', '127.0.0.1:0', ...args);
    assert.equal(end.code, 2, end.stderr);
    assert.match(end.stderr, why);
    const doctor = await vaultd(t, path.join(tempDir(t), 's'), 'doctor', '--listen-addr', '127.0.0.1:0', ...args);
    assert.match(doctor.stdout, why);
  });

test('keys contradict a server without sign-in', async (t) => {
  const state = path.join(tempDir(t), 'state');
  await addKey(t, state);
  for (const args of [LAN, ['--auth', 'none']]) {
    const end = await vaultd(t, state, 'serve', '--listen-addr', '127.0.0.1:0', ...args, EXAMPLE_VAULT);
    assert.equal(end.code, 2, end.stderr);
    assert.match(end.stderr, /lets everyone in, but the state folder has API keys: revoke them/);
  }
  assert.equal((await vaultd(t, state, 'key', 'revoke', 'robot')).code, 0);
  assert.match((await vaultd(t, state, 'serve', '--listen-addr', '127.0.0.1:0', ...LAN, EXAMPLE_VAULT)).stderr, /users signed in to this state folder/);
});

test('a proxy in front of a server without sign-in is noticed', async (t) => {
  const server = await startHttp(t);
  assert.equal(await discover(server), 200);
  for (const headers of [{ 'x-forwarded-for': '203.0.113.7' }, { 'X-Forwarded-Proto': 'https' }, { forwarded: 'for=203.0.113.7' }, { via: '1.1 caddy' }, { 'x-real-ip': '203.0.113.7' }]) {
    assert.equal(await discover(server, headers), 403, JSON.stringify(headers));
    for (const page of ['/graph', '/graph/data'])
      assert.equal((await fetchHttp(server, { method: 'GET', path: page, headers })).status, 403, page);
  }
  const open = await startHttp(t, { args: ['--auth', 'none'] });
  assert.equal(await discover(open, { 'x-forwarded-for': '203.0.113.7' }), 200);
});
