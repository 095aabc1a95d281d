// A vault on a file system that ignores case, as those of macOS, Windows and memory cards do: exFAT, in an image.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, run, tempDir } from '../support.mjs';
import { HOUR_MS } from './chroot.mjs';
import { startProgram } from './programs.mjs';

const must = async (program, ...args) => {
  const end = await run(program, args, { env: process.env, ms: HOUR_MS });
  assert.equal(end.code, 0, `${program} ${args.join(' ')}: ${end.stdout}${end.stderr}`);
  return end.stdout.trim();
};

/** A mounted folder; FUSE mounts a device, so the image becomes one. */
async function mountExfat(t) {
  const home = tempDir(t), image = path.join(home, 'image'), folder = path.join(home, 'mounted');
  mkdirSync(folder);
  await must('truncate', '-s', '64M', image);
  await must('mkfs.exfat', image);
  const device = await must('losetup', '--find', '--show', image);
  t.after(() => must('losetup', '--detach', device));
  await must('mount.exfat-fuse', device, folder);
  t.after(() => must('umount', folder));
  return folder;
}

test('a vault whose file system ignores case', { timeout: HOUR_MS }, async (t) => {
  const vault = path.join(await mountExfat(t), 'notes');
  mkdirSync(path.join(vault, 'Private'), { recursive: true });
  mkdirSync(path.join(vault, 'Plans'));
  const put = (name, text) => writeFileSync(path.join(vault, name), text);
  const text = (name) => readFileSync(path.join(vault, name), 'utf8');
  const names = (folder = '') => readdirSync(path.join(vault, folder)).sort();
  put('a.md', '# A\n');
  put('Links.md', 'see [[a]] and [[plans/one]]\n');
  put('Plans/One.md', 'one\n');
  put('Private/Key.md', 'secret\n');
  const client = await startProgram(t, [VAULTD], vault, { DENY_PATHS: 'Private' });
  const call = async (tool, args) => JSON.stringify(await client.call(tool, args));

  await t.test('a note gets another case, and its links follow', async () => {
    assert.doesNotMatch(await call('vault_move', { from: 'a.md', to: 'A.md' }), /exists/);
    assert.ok(names().includes('A.md') && !names().includes('a.md'), names().join());
    assert.match(await call('vault_read', { path: 'A.md' }), /# A/);
    assert.match(text('Links.md'), /\[\[A\]\]|\[\[a\]\]/);
    const listed = await call('vault_list', {});
    assert.match(listed, /A\.md/);
    assert.doesNotMatch(listed, /\ba\.md/);
  });

  await t.test('so does a folder', async () => {
    assert.doesNotMatch(await call('vault_move', { from: 'Plans', to: 'plans' }), /itself|exists/);
    assert.ok(names().includes('plans'), names().join());
    assert.match(await call('vault_read', { path: 'plans/One.md' }), /one/);
  });

  await t.test('undo gives back the old case', async () => {
    await call('vault_undo', {});
    assert.ok(names().includes('Plans'), names().join());
  });

  await t.test('a note beside one of another case is refused', async () => {
    assert.match(await call('vault_write', { path: 'LINKS.md', content: 'other' }), /exists/);
    assert.match(text('Links.md'), /see/);
  });

  await t.test('a denied folder stays closed in every spelling', async () => {
    for (const name of ['Private/Key.md', 'private/key.md', 'PRIVATE/KEY.md'])
      assert.doesNotMatch(await call('vault_read', { path: name }), /secret/);
  });
  await client.eof();
});
