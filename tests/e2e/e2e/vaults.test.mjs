// Badly arranged vaults: every answer is still quick, bounded and valid.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { startStdio, tempDir, within } from '../support.mjs';

/** A vault with one note and what make(dir) adds; call(tool, args) returns data or the error's code. */
async function vault(t, make) {
  const dir = path.join(tempDir(t), 'vault');
  mkdirSync(dir);
  writeFileSync(path.join(dir, 'Note.md'), 'one\n');
  make(dir);
  const io = startStdio(t, { vault: dir });
  await io.initialize();
  return async (name, args = {}) => {
    const { result } = await within(io.call(name, args), `${name} ${JSON.stringify(args)}`, 30_000);
    const data = JSON.parse(result.content[0].text);
    return result.isError ? data.error.code : data;
  };
}

const named = (data) => data.entries.map((e) => e.name);

test('symbolic links that form a cycle are walked once', async (t) => {
  const call = await vault(t, (dir) => {
    for (const name of ['a', 'b', 'c']) symlinkSync('.', path.join(dir, name));
    mkdirSync(path.join(dir, 'Deep'));
    symlinkSync('..', path.join(dir, 'Deep', 'up'));
  });
  const info = await call('vault_info');
  assert.equal(info.notes, 1);
  assert.equal(info.bytes, 4);
  assert.ok(named(await call('vault_list')).includes('Note.md'));
});

test('SEC-82 a symbolic link out of the vault does not exist for clients', async (t) => {
  const call = await vault(t, (dir) => {
    symlinkSync('/etc', path.join(dir, 'etc'));
    symlinkSync('/etc/hostname', path.join(dir, 'hostname.md'));
    symlinkSync('../outside.md', path.join(dir, 'up.md'));
    writeFileSync(path.join(dir, '../outside.md'), 'secret\n');
    symlinkSync('nowhere', path.join(dir, 'dead.md'));
  });
  assert.deepEqual(named(await call('vault_list')), ['Note.md']);
  assert.equal((await call('vault_info')).notes, 1);
  for (const note of ['hostname.md', 'up.md', 'dead.md', 'etc/hostname'])
    assert.ok(['FILE_NOT_FOUND', 'PATH_NOT_ALLOWED'].includes(await call('vault_read', { path: note })), note);
  assert.ok(['FILE_NOT_FOUND', 'PATH_NOT_ALLOWED'].includes(await call('vault_list', { path: 'etc' })));
});

test('SEC-83 a pipe and a socket are not notes, and nothing blocks on them', async (t) => {
  const call = await vault(t, (dir) => execFileSync('mkfifo', [path.join(dir, 'pipe.md')]));
  assert.equal(await call('vault_read', { path: 'pipe.md' }), 'INVALID_ARGUMENT');
  assert.equal((await call('vault_info')).notes, 1);
});

test('SEC-81 SEC-87 bytes that are not UTF-8, in notes and in names', async (t) => {
  const call = await vault(t, (dir) => {
    writeFileSync(path.join(dir, 'odd.md'), Buffer.from([0x61, 0xff, 0xfe, 0x62, 0x0a]));
    writeFileSync(Buffer.concat([Buffer.from(`${dir}/bad`), Buffer.from([0xff]), Buffer.from('name.md')]), 'x');
  });
  assert.deepEqual((await call('vault_read', { path: 'odd.md' })).content, 'a\u00ff\u00feb\n');
  assert.deepEqual(named(await call('vault_list')), ['Note.md', 'odd.md']);
});

test('everything listed can be read: a name that no path can express is not listed', async (t) => {
  const call = await vault(t, (dir) => {
    for (const name of ['new\nline.md', 'back\\slash.md', `${'x'.repeat(251)}.md`, 'tab\t.md', 'del\x7f.md', 'fine …  "quotes".md'])
      writeFileSync(path.join(dir, name), 'x');
  });
  const unreadable = [];
  for (const name of named(await call('vault_list')))
    if (typeof (await call('vault_read', { path: name })) !== 'object') unreadable.push(name);
  assert.deepEqual(unreadable, []);
});

test('SEC-86 files that are too large, and binary files, are refused by name', async (t) => {
  const call = await vault(t, (dir) => {
    for (const [name, size] of [['huge.md', 20 * 2 ** 30], ['nul.md', 1 << 20]]) {
      writeFileSync(path.join(dir, name), '');
      truncateSync(path.join(dir, name), size);
    }
    writeFileSync(path.join(dir, 'long.md'), 'x'.repeat(5_000_000));
  });
  assert.equal(await call('vault_read', { path: 'huge.md' }), 'FILE_TOO_LARGE');
  assert.equal(await call('vault_read', { path: 'nul.md' }), 'NOT_TEXT');
  const cut = await call('vault_read', { path: 'long.md' });
  assert.ok(cut.truncated && cut.content.length <= 40_000);
  assert.equal((await call('vault_read', { path: 'long.md', limit: 0 })).content.length, 5_000_000);
  assert.equal((await call('vault_info')).bytes, 4 + 20 * 2 ** 30 + (1 << 20) + 5_000_000);
});

test('SEC-86 ten thousand notes in one folder, and folders 150 deep', async (t) => {
  const deep = Array.from({ length: 150 }, (_, i) => `f${i}`).join('/');
  const call = await vault(t, (dir) => {
    mkdirSync(path.join(dir, 'many'));
    for (let i = 0; i < 10_000; i++) writeFileSync(path.join(dir, 'many', `${i}.md`), '');
    mkdirSync(path.join(dir, deep), { recursive: true });
    writeFileSync(path.join(dir, deep, 'bottom.md'), 'deep\n');
  });
  assert.equal((await call('vault_list', { path: 'many' })).total_entries, 10_000);
  assert.equal((await call('vault_read', { path: `${deep}/bottom.md` })).content, 'deep\n');
  const info = await call('vault_info');
  assert.deepEqual([info.notes, info.folders], [10_002, 151]);
});

test('SEC-90 names that differ by case or by Unicode form are different notes', async (t) => {
  const call = await vault(t, (dir) => {
    writeFileSync(path.join(dir, 'note.md'), 'lower\n');
    writeFileSync(path.join(dir, 'é.md'.normalize('NFC')), 'composed\n');
    writeFileSync(path.join(dir, 'é.md'.normalize('NFD')), 'decomposed\n');
  });
  assert.equal((await call('vault_read', { path: 'note.md' })).content, 'lower\n');
  assert.equal((await call('vault_read', { path: 'é.md'.normalize('NFC') })).content, 'composed\n');
  assert.equal((await call('vault_read', { path: 'é.md'.normalize('NFD') })).content, 'decomposed\n');
});

test('an unreadable folder is counted as such', { skip: process.getuid() === 0 && 'root reads everything' }, async (t) => {
  let closed;
  const call = await vault(t, (dir) => {
    closed = path.join(dir, 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0);
  });
  try {
    assert.equal((await call('vault_info')).unreadable_folders, 1);
  } finally {
    chmodSync(closed, 0o700); // before the folder is removed
  }
});
