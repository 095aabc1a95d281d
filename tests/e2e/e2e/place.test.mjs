// A vault's folder that vanishes, returns, or is replaced: no acknowledged write goes to the old one.
import assert from 'node:assert/strict';
import { cpSync, existsSync, readFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { copyVault, fetchHttp, modernMessage, postModern, startHttp, tempDir, until } from '../support.mjs';

const read = (dir, file) => (existsSync(path.join(dir, file)) ? readFileSync(path.join(dir, file), 'utf8') : undefined);

async function start(t, args = []) {
  const backup = copyVault(t), vault = path.join(tempDir(t), 'Notes');
  cpSync(backup, vault, { recursive: true });
  const server = await startHttp(t, { vault, args });
  await server.says(/ indexed /);
  const call = async (name, arguments_ = {}) => {
    const { message } = await postModern(server, modernMessage('tools/call', { name, arguments: arguments_ }));
    return JSON.parse(message.result.content[0].text);
  };
  const health = async () => (await fetchHttp(server, { method: 'GET', path: '/health' })).status;
  return { server, vault, backup, call, health };
}

test('SEC-103: a vanished vault fails clearly, nothing is created at its path, and it works again when it is back', async (t) => {
  const { server, vault, call, health } = await start(t);
  renameSync(vault, `${vault}.old`);
  const refused = await call('vault_write', { path: 'new.md', content: 'x' });
  assert.equal(refused.error?.code, 'VAULT_UNAVAILABLE', JSON.stringify(refused));
  assert.match(refused.error.message, /is missing .*restore it/);
  await server.says(/ vault_gone /);
  assert.equal(await health(), 503);
  const info = await call('vault_info');
  assert.deepEqual([info.can_change, /is missing/.test(info.why_not)], [false, true]);
  assert.ok(!existsSync(vault));
  renameSync(`${vault}.old`, vault);
  assert.equal((await call('vault_write', { path: 'new.md', content: 'x' })).error, undefined);
  assert.equal(read(vault, 'new.md'), 'x');
  await server.says(/ vault_returned /);
  assert.equal(await health(), 200);
});

test('a vault folder that was replaced is opened again: writes and reads use the new one', async (t) => {
  const { server, vault, backup, call, health } = await start(t, ['--sandbox', 'off']);
  await call('vault_write', { path: 'before.md', content: 'old folder' });
  renameSync(vault, `${vault}.old`);
  cpSync(backup, vault, { recursive: true });
  assert.equal((await call('vault_write', { path: 'after.md', content: 'new folder' })).error, undefined);
  await server.says(/ vault_reopened /);
  assert.equal(read(vault, 'after.md'), 'new folder');
  assert.equal(read(`${vault}.old`, 'after.md'), undefined);
  await until('the index follows', async () => (await call('vault_read', { path: 'before.md' })).error?.code === 'FILE_NOT_FOUND');
  assert.equal(await health(), 200);
});

test('in the sandbox, a replaced vault folder refuses writes and reads and says to restart', async (t) => {
  const { server, vault, backup, call, health } = await start(t);
  if (Number((await server.says(/ sandbox .*landlock=(-?\d+)/))[1]) <= 0) {
    t.skip('no Landlock here');
    return;
  }
  renameSync(vault, `${vault}.old`);
  cpSync(backup, vault, { recursive: true });
  const refused = await call('vault_write', { path: 'after.md', content: 'x' });
  assert.equal(refused.error?.code, 'VAULT_UNAVAILABLE', JSON.stringify(refused));
  assert.match(refused.error.message, /restart vaultd/);
  await server.says(/ vault_replaced /);
  for (const [tool, args] of [['vault_read', { path: 'before.md' }], ['vault_search', { query: 'before' }]]) {
    const old = await call(tool, args);
    assert.equal(old.error?.code, 'VAULT_UNAVAILABLE', `${tool}: ${JSON.stringify(old)}`);
  }
  assert.equal(await health(), 503);
  assert.equal(read(`${vault}.old`, 'after.md'), undefined);
  assert.equal(read(vault, 'after.md'), undefined);
});
