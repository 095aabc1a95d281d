// A folder of 50,000 notes that link to each other is renamed, killed on the way at both ends, and renamed back by undo.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, run, tempDir, until } from '../support.mjs';
import { HOUR_MS } from './chroot.mjs';

const NOTES = Number(process.env.NOTES ?? 50000), FOLDERS = 100;

const nameOf = (i) => `d${i % FOLDERS}/n${i % NOTES}`;
const textOf = (i) => `# n${i}\n\nsee [[Big/${nameOf(i + 1)}]] and [x](../${nameOf(i + 7)}.md) #tag${i % 50}\n${'words and more words\n'.repeat(10)}`;

function makeVault(t) {
  const vault = path.join(tempDir(t), 'vault');
  for (let i = 0; i < FOLDERS; i++) mkdirSync(path.join(vault, 'Big', `d${i}`), { recursive: true });
  for (let i = 0; i < NOTES; i++) writeFileSync(path.join(vault, 'Big', `${nameOf(i)}.md`), textOf(i));
  return vault;
}

/** All paths and texts. */
function digest(vault) {
  const all = createHash('sha256');
  const names = readdirSync(vault, { recursive: true, withFileTypes: true }).filter((one) => one.isFile()).map((one) => path.join(one.parentPath, one.name));
  for (const name of names.sort()) all.update(`${path.relative(vault, name)}\0`).update(readFileSync(name));
  return all.digest('hex');
}

test('a folder of 50,000 notes is renamed, killed, recovered and undone', { timeout: HOUR_MS }, async (t) => {
  const vault = makeVault(t), env = { ...process.env, VAULT_PATH: vault, STATE_DIR: path.join(tempDir(t), 'state') };
  const vaultd = async (...args) => {
    const end = await run(VAULTD, args, { env, ms: HOUR_MS });
    assert.equal(end.code, 0, end.stderr);
  };
  const before = digest(vault);
  await vaultd('move', 'Big', 'Large');
  const after = digest(vault);
  assert.notEqual(after, before);
  assert.equal(readdirSync(path.join(vault, 'Large')).length, FOLDERS);
  await vaultd('undo');
  assert.equal(digest(vault), before, 'undone');

  const half = path.join(vault, 'Big', `d${FOLDERS / 2}`);
  const moments = {
    'half of the notes are prepared': () => readdirSync(half).some((name) => name.startsWith('.vaultd')),
    'the folder is moved': () => readdirSync(vault).includes('Large'),
  };
  for (const [name, reached] of Object.entries(moments)) {
    const child = spawn(VAULTD, ['move', 'Big', 'Large'], { env, stdio: 'ignore' });
    const ended = new Promise((done) => child.on('exit', done));
    await until(name, () => reached() || child.exitCode !== null, HOUR_MS);
    child.kill('SIGKILL');
    await ended;
    await vaultd('changes'); // recovers first
    const now = digest(vault);
    assert.ok(now === before || now === after, `${name}: neither before nor after`);
    if (now === after) await vaultd('undo');
    assert.equal(digest(vault), before, name);
  }
});
