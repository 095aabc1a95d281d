// vaultd status: the status of the servers that use a state folder.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { PORTABLE, VAULTD, WATCHING, cleanEnv, copyVault, run, startHttp, tempDir, until } from '../support.mjs';

const status = (state, args = []) => run(VAULTD, ['status', ...args], { env: cleanEnv(state, { STATE_DIR: state }) });

async function ready(state, n = 1) {
  return until('all are ready', async () => {
    const { stdout } = await status(state, ['--json']);
    const { servers } = JSON.parse(stdout);
    return servers.length === n && servers.every((s) => s.status === 'ok') && servers;
  });
}

test('a running server reports its status, only to its owner', async (t) => {
  const vault = copyVault(t);
  const server = await startHttp(t, { vault });
  const [told] = await ready(server.state);
  assert.equal(told.pid, server.pid);
  assert.equal(told.listening, `127.0.0.1:${server.port}`);
  assert.equal(told.vaults[0].folder, vault);
  assert.ok(told.vaults[0].notes > 0 && told.memory_bytes > 0);
  assert.equal(statSync(path.join(server.state, 'run')).mode & 0o777, 0o700);
  const { code, stdout } = await status(server.state);
  assert.equal(code, 0);
  assert.match(stdout, new RegExp(`^ok  vaultd \\S+ on 127\\.0\\.0\\.1:${server.port}, process ${server.pid}, for `));
  assert.match(stdout, /^vault +vault \(.*\)$/m);
  assert.match(stdout, new RegExp(`^index +\\d+ notes, \\d+ other files; changes by ${WATCHING}$`, 'm'));
  assert.match(stdout, PORTABLE ? /^sandbox +nothing$/m : /^sandbox +\S/m);
});

test('two servers can share a state folder; a crashed one is not listed', async (t) => {
  const first = await startHttp(t, { vault: copyVault(t) });
  const second = await startHttp(t, { vault: copyVault(t), state: first.state });
  await ready(first.state, 2);
  await first.crash();
  assert.equal((await ready(first.state, 1))[0].pid, second.pid);
  assert.ok(existsSync(path.join(first.state, 'run', `${first.pid}.sock`)));
  const third = await startHttp(t, { vault: copyVault(t), state: first.state });
  assert.ok(!existsSync(path.join(first.state, 'run', `${first.pid}.sock`)), 'who starts next clears up');
  await third.stop();
  await second.stop();
  assert.ok(!existsSync(path.join(first.state, 'run', `${second.pid}.sock`)));
  const none = await status(first.state);
  assert.equal(none.code, 1);
  assert.match(none.stdout, /^No server is running with this state folder: /);
  assert.deepEqual(JSON.parse((await status(first.state, ['--json'])).stdout), { servers: [] });
});

test('--ops-addr asks another server', async (t) => {
  const server = await startHttp(t, { args: ['--ops-addr', '127.0.0.1:0'] });
  const port = (await server.says(/ ops .*port=(\d+)/))[1];
  const told = await until('it is ready', async () => {
    const end = await status(tempDir(t), ['--json', '--ops-addr', `127.0.0.1:${port}`]);
    return end.code === 0 && JSON.parse(end.stdout);
  });
  assert.equal(told.servers[0].pid, server.pid);
  assert.equal((await status(tempDir(t), ['--ops-addr', 'nonsense'])).code, 2);
  assert.equal((await status(tempDir(t), ['word'])).code, 2);
});

test('a state folder with too long a name loses the status, nothing else', async (t) => {
  const state = path.join(tempDir(t), 'long'.repeat(30));
  const server = await startHttp(t, { state });
  await server.says(/warn no_status /);
  assert.ok(readdirSync(state).length > 0);
});
