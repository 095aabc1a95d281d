// What must not be lost: the history of changes, when it is full and when the clock is wrong.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { SHIFTED, VAULTD, cleanEnv, copyVault, run, startHttp, startStdio, tempDir } from '../support.mjs';

const DAY = 24 * 60 * 60;

async function start(t, { vault, state = tempDir(t), args = [] } = {}) {
  const server = startStdio(t, { vault, state, args });
  await server.initialize();
  const call = async (name, args_) => JSON.parse((await server.call(name, args_)).result.content[0].text);
  return { server, state, call };
}

test('SEC-123: small calls cannot wipe the undo history: the change is refused and the first one can be undone', async (t) => {
  const vault = copyVault(t);
  writeFileSync(path.join(vault, 'precious.md'), 'precious\n');
  const { call } = await start(t, { vault, args: ['--history-size', '1'] });
  const first = await call('vault_write', { path: 'precious.md', content: 'spoiled\n', overwrite: true });
  assert.ok(first.change > 0, JSON.stringify(first));
  let answer;
  for (let i = 0; i < 30 && !answer?.error; i++)
    answer = await call('vault_write', { path: 'big.md', content: String(i).repeat(100_000).slice(0, 100_000), overwrite: true });
  assert.equal(answer.error?.code, 'HISTORY_FULL', JSON.stringify(answer).slice(0, 200));
  assert.match(answer.error.message, /for 30 days.*--history-size/);
  assert.equal((await call('vault_undo', { change: first.change })).error, undefined);
  assert.equal(readFileSync(path.join(vault, 'precious.md'), 'utf8'), 'precious\n');
});

test('a clock that jumped ahead is reported, and nothing is dropped by it', { skip: SHIFTED && 'files have another clock here, which is reported instead' }, async (t) => {
  const vault = copyVault(t), state = tempDir(t);
  const before = await start(t, { vault, state });
  const { change } = await before.call('vault_write', { path: 'a.md', content: 'a' });
  await before.server.stop();
  const folder = path.join(state, readdirSync(state).find((n) => n.startsWith('changes-')));
  const witness = path.join(folder, 'clock');
  assert.ok(existsSync(witness));
  // as if the clock had jumped ahead by ten years since
  writeFileSync(witness, `${Math.floor(Date.now() / 1000) - 3650 * DAY} 0 0\n`);
  const doctor = await run(VAULTD, ['doctor', vault], { env: cleanEnv(state, { STATE_DIR: state }) });
  assert.match(doctor.stdout, /! Clock: it is 3650 days ahead of the last change: until it is accepted, no old change or sign-in is deleted/);
  const http = await startHttp(t, { vault, state });
  await http.says(/ clock_in_doubt .*no change is pruned/);
  await http.says(/ indexed /);
  const status = await run(VAULTD, ['status', '--state-dir', state], { env: cleanEnv(state) });
  assert.match(status.stdout, /clock +in doubt: far ahead of every known date/);
  await http.stop();
  const after = await start(t, { vault, state });
  await after.call('vault_write', { path: 'b.md', content: 'b' });
  await after.server.says(/ clock_in_doubt .*no change is pruned/);
  const { changes } = await after.call('vault_changes', {});
  assert.ok(changes.some((c) => c.change === change), JSON.stringify(changes));
});
