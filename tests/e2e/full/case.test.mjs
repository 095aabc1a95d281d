// A vault on a file system that ignores case, as those of macOS, Windows and memory cards do: exFAT, in an image.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, run, tempDir, until } from '../support.mjs';
import { HOUR_MS } from './chroot.mjs';
import { startProgram } from './programs.mjs';

const LINKS = 'see [[a]] and [[Plans/One]]\n';

const must = async (program, ...args) => {
  const end = await run(program, args, { env: process.env, ms: HOUR_MS });
  assert.equal(end.code, 0, `${program} ${args.join(' ')}: ${end.stdout}${end.stderr}`);
  return end.stdout.trim();
};

/** A mounted folder; FUSE mounts a device, so the image becomes one. */
async function mountExfat(t) {
  const undo = [];
  t.after(async () => { for (const [program, ...args] of undo.reverse()) await must(program, ...args); }); // before the folder goes
  const home = tempDir(t), image = path.join(home, 'image'), folder = path.join(home, 'mounted');
  mkdirSync(folder);
  await must('truncate', '-s', '64M', image);
  await must('mkfs.exfat', image);
  const device = await must('losetup', '--find', '--show', image);
  undo.push(['losetup', '--detach', device]);
  await must('mount.exfat-fuse', device, folder);
  undo.push(['umount', folder]);
  return folder;
}

test('a vault whose file system ignores case', { timeout: HOUR_MS }, async (t) => {
  const vault = path.join(await mountExfat(t), 'notes');
  mkdirSync(path.join(vault, 'Private'), { recursive: true });
  mkdirSync(path.join(vault, 'Plans'));
  const put = (name, text) => writeFileSync(path.join(vault, name), text);
  const text = (name) => readFileSync(path.join(vault, name), 'utf8');
  put('a.md', '# A\n');
  put('Links.md', LINKS);
  put('Plans/One.md', 'one\n');
  put('Private/Key.md', 'secret\n');
  const client = await startProgram(t, [VAULTD], vault, { DENY_PATHS: 'Private' });
  const call = async (tool, args) => JSON.stringify(await client.call(tool, args));

  /** Exactly these paths, in the file system and in the index. */
  const assertPaths = async (...paths) => {
    const onDisk = readdirSync(vault, { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && !one.parentPath.endsWith('Private')).map((one) => path.relative(vault, path.join(one.parentPath, one.name)));
    assert.deepEqual(onDisk.sort(), paths.toSorted());
    const listed = await client.call('vault_list', { recursive: true });
    assert.deepEqual(JSON.parse(listed.result.content[0].text).files.map((one) => one.path), paths);
  };

  await t.test('a note gets another case, and its links follow', async () => {
    assert.match(await call('vault_move', { path: 'a.md', to: 'A.md' }), /renamed/);
    await assertPaths('A.md', 'Links.md', 'Plans/One.md');
    assert.match(await call('vault_read', { path: 'A.md' }), /# A/);
    assert.match(text('Links.md'), /\[\[A\]\]/);
    assert.match(await call('vault_links', { path: 'A.md' }), /Links\.md/);
  });

  await t.test('so does a folder', async () => {
    assert.match(await call('vault_move', { path: 'Plans', to: 'pLANS' }), /renamed/);
    await assertPaths('A.md', 'Links.md', 'pLANS/One.md');
    assert.match(await call('vault_read', { path: 'pLANS/One.md' }), /one/);
    assert.match(await call('vault_links', { path: 'pLANS/One.md' }), /Links\.md/);
  });

  await t.test('undo gives back the old cases', async () => {
    await call('vault_undo', { change: 2 });
    await assertPaths('A.md', 'Links.md', 'Plans/One.md');
    await call('vault_undo', { change: 1 });
    await assertPaths('Links.md', 'Plans/One.md', 'a.md');
    assert.equal(text('Links.md'), LINKS);
  });

  await t.test('a note beside one of another case is refused', async () => {
    assert.match(await call('vault_write', { path: 'LINKS.md', content: 'other' }), /exists/);
    assert.match(await call('vault_write', { path: 'LINKS.md', content: 'other', overwrite: true }), /exists/);
    assert.match(await call('vault_write', { path: 'plans/Two.md', content: 'two' }), /exists/);
    assert.equal(text('Links.md'), LINKS);
    await assertPaths('Links.md', 'Plans/One.md', 'a.md');
  });

  await t.test('reading another spelling adds nothing to the index, and names the file as it is', async () => {
    const read = await client.call('vault_read', { path: 'PLANS/one.md' });
    const { path: named, content } = JSON.parse(read.result.content[0].text);
    assert.deepEqual([named, content], ['Plans/One.md', 'one\n']);
    await assertPaths('Links.md', 'Plans/One.md', 'a.md');
  });

  await t.test('what is read is what is there, even if size and time are the same', async () => {
    for (const now of ['two\n', 'six\n', 'ten\n']) {
      const { atime, mtime } = statSync(path.join(vault, 'Plans/One.md'));
      put('Plans/One.md', now);
      utimesSync(path.join(vault, 'Plans/One.md'), atime, mtime);
      const read = await client.call('vault_read', { path: 'Plans/One.md' });
      assert.equal(JSON.parse(read.result.content[0].text).content, now);
    }
  });

  await t.test('batches whose paths differ only in case are undone', async () => {
    put('X.md', 'x\n');
    put('y.md', 'y\n');
    const before = ['Links.md', 'Plans/One.md', 'X.md', 'a.md', 'y.md'];
    await until('both are known', async () => /y\.md/.test(await call('vault_list', { recursive: true })));
    await assertPaths(...before);
    for (const [steps, ...after] of [
      [[{ tool: 'vault_move', path: 'X.md', to: 'c.md' }, { tool: 'vault_move', path: 'y.md', to: 'x.md' }], 'Links.md', 'Plans/One.md', 'a.md', 'c.md', 'x.md'],
      [[{ tool: 'vault_move', path: 'X.md', to: 't.md' }, { tool: 'vault_move', path: 'y.md', to: 'X.md' }, { tool: 'vault_move', path: 't.md', to: 'Y.md' }],
        'Links.md', 'Plans/One.md', 'X.md', 'Y.md', 'a.md'],
      [[{ tool: 'vault_move', path: 'X.md', to: 'x.md' }, { tool: 'vault_edit', path: 'x.md', old_text: 'x', new_text: 'z' }], 'Links.md', 'Plans/One.md', 'a.md', 'x.md', 'y.md'],
    ]) {
      assert.doesNotMatch(await call('vault_batch', { steps }), /"isError":true/);
      await assertPaths(...after);
      assert.doesNotMatch(await call('vault_undo', {}), /"isError":true/);
      await assertPaths(...before);
      assert.deepEqual([text('X.md'), text('y.md')], ['x\n', 'y\n']);
    }
  });

  await t.test('a denied folder stays closed in every spelling', async () => {
    for (const name of ['Private/Key.md', 'private/key.md', 'PRIVATE/KEY.md'])
      assert.doesNotMatch(await call('vault_read', { path: name }), /secret/);
  });
  await client.eof();
});
