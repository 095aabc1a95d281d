// Another program has locked the vault: calls that change it wait for a limited time, do not keep
// other calls from running, and say what is the matter.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { existsSync } from 'node:fs';
import test from 'node:test';
import { VAULTD, cleanEnv, copyVault, modernMessage, postModern, run, startHttp, until } from '../support.mjs';

/** Another program that locks the folder until release() is called. */
async function lock(t, folder) {
  const child = spawn('flock', [folder, 'sh', '-c', 'echo held; exec cat'], { stdio: ['pipe', 'pipe', 'ignore'] });
  t.after(() => child.kill());
  await once(child.stdout, 'data');
  return { release: async () => (child.stdin.end(), once(child, 'close')) };
}

async function call(server, name, args = {}) {
  const { status, message, text } = await postModern(server, modernMessage('tools/call', { name, arguments: args }));
  assert.equal(status, 200, text);
  return message.result;
}
const write = (server, name) => call(server, 'vault_write', { path: name, content: 'text' });

const status = (server, ...args) => run(VAULTD, ['status', ...args], { env: cleanEnv(server.state, { STATE_DIR: server.state }) });
const blocked = async (server) => JSON.parse((await status(server, '--json')).stdout).servers[0].vaults[0];

test('a lock of another program makes changes fail with BUSY, and nothing else wait', async (t) => {
  const vault = copyVault(t);
  const server = await startHttp(t, { vault, args: ['--confirm', 'never'] });
  await call(server, 'vault_info');
  const other = await lock(t, vault);
  let ended = 0;
  const writes = Array.from({ length: 6 }, (_, i) => write(server, `New ${i}.md`).finally(() => ended++)); // more than there are workers
  await until('the status shows it', async () => (await blocked(server)).blocked_by === 'another program');
  for (let i = 0; i < 50; i++) assert.ok(!(await call(server, 'vault_read', { path: 'Home.md' })).isError);
  assert.ok(ended < writes.length, 'reading did not wait for the changes');
  for (const result of await Promise.all(writes)) {
    assert.equal(result.isError, true);
    assert.match(result.content[0].text, /BUSY/);
    assert.match(result.content[0].text, /try again later/);
  }
  const late = await write(server, 'Late.md');
  assert.match(late.content[0].text, /another program has locked this vault's folder/);
  assert.ok((await blocked(server)).blocked_seconds >= 10);
  assert.match((await status(server)).stdout, /^changes +not possible for \d+ s: another program has locked the vault/m);
  await other.release();
  assert.ok(!(await write(server, 'Free.md')).isError);
  assert.equal((await blocked(server)).blocked_by, undefined);
  assert.deepEqual(['New 0.md', 'Late.md', 'Free.md'].map((name) => existsSync(path.join(vault, name))), [false, false, true]);
});

test('many changes at once wait for each other, and none is refused', async (t) => {
  const vault = copyVault(t);
  const server = await startHttp(t, { vault, args: ['--confirm', 'never', '--rate-writes', '0'] });
  const names = Array.from({ length: 40 }, (_, i) => `New ${i}.md`);
  for (const result of await Promise.all(names.map((name) => write(server, name)))) assert.ok(!result.isError, result.content[0].text);
  for (const name of names) assert.ok(existsSync(path.join(vault, name)), name);
});

test('a locked vault can be served and read, and the server ends while calls wait', async (t) => {
  const vault = copyVault(t);
  const other = await lock(t, vault);
  const server = await startHttp(t, { vault, args: ['--confirm', 'never'] });
  assert.ok(!(await call(server, 'vault_read', { path: 'Home.md' })).isError);
  const waits = write(server, 'New.md').catch(() => undefined); // it may end without an answer
  await until('it waits', async () => (await blocked(server)).blocked_by);
  await server.stop();
  await waits;
  await other.release();
  assert.ok(!existsSync(path.join(vault, 'New.md')));
});
