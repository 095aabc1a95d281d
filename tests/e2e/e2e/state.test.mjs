// The state folder: upgrades, downgrades, backup and restore, as docs/operate.md promises.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, cleanEnv, copyVault, modernMessage, postModern, run, startHttp, tempDir, withToken } from '../support.mjs';

const vaultd = (state, args, more = {}) => run(VAULTD, args, { env: cleanEnv(state, { STATE_DIR: state, SERVER_URL: 'https://vault.example' }), ...more });
const addKey = async (state) => (await vaultd(state, ['key', 'add', 'robot', 'read'])).stdout.trim().split('\n').at(-1);
const mayCall = async (server, key) => (await postModern(withToken(server, key), modernMessage('tools/list'))).status === 200;
const start = (t, vault, state) => startHttp(t, { vault, state, args: ['--auth', 'required', '--server-url', 'https://vault.example'] });

test('a newer vaultd\'s database is refused, and left unchanged', async (t) => {
  const state = tempDir(t), file = path.join(state, 'oauth.db');
  await addKey(state);
  const bytes = readFileSync(file);
  bytes.writeUInt32BE(99, 60); // SQLite's user_version
  writeFileSync(file, bytes);
  const end = await vaultd(state, ['serve', '--port', '0', copyVault(t)]);
  assert.equal(end.code, 2, end.stderr);
  assert.match(end.stderr, /made by a newer vaultd \(version 99; this one supports \d+\): use that one, or another --state-dir/);
  assert.deepEqual(readFileSync(file), bytes);
});

test('a stored index from another version is discarded and rebuilt', async (t) => {
  const vault = copyVault(t);
  const first = await startHttp(t, { vault });
  await first.says(/ indexed /);
  await first.stop();
  const name = readdirSync(first.state).find((n) => n.endsWith('.snapshot'));
  const file = path.join(first.state, name), bytes = readFileSync(file);
  bytes.fill(7, 0, 64);
  writeFileSync(file, bytes);
  const second = await startHttp(t, { vault, state: first.state });
  await second.says(/ index_rebuilt /);
  await second.says(/ indexed files=\d+ bytes=\d+ read=[1-9]/);
  await second.stop();
  const third = await startHttp(t, { vault, state: first.state });
  await third.says(/ indexed /); // changes at the very end are read again, so maybe some
  assert.doesNotMatch(third.stderr, / index_rebuilt /);
});

test('a copy of the folder is a backup: keys and undo are restored with it', async (t) => {
  const vault = copyVault(t), state = tempDir(t), backup = path.join(tempDir(t), 'backup');
  const key = await addKey(state);
  const server = await start(t, vault, state);
  assert.ok(await mayCall(server, key));
  assert.equal((await vaultd(state, ['write', '-v', vault, 'New.md', 'new'])).code, 0);
  await server.stop();
  cpSync(state, backup, { recursive: true });
  assert.equal((await vaultd(state, ['key', 'revoke', 'robot'])).code, 0);
  const without = await start(t, vault, state);
  assert.ok(!(await mayCall(without, key)));
  await without.stop();
  rmSync(state, { recursive: true });
  cpSync(backup, state, { recursive: true });
  const again = await start(t, vault, state);
  assert.ok(await mayCall(again, key));
  assert.match((await vaultd(state, ['changes', '-v', vault])).stdout, /New\.md/);
  assert.equal((await vaultd(state, ['undo', '-v', vault])).code, 0);
});
