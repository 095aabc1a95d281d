// Packages for arm64, made on another machine. qemu runs their programs; it has no Landlock, so nothing is confined.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { mcpb, startOf } from '../bundle.mjs';
import { EXAMPLE_VAULT, run, tempDir } from '../support.mjs';
import { HOUR_MS, makePackage } from './chroot.mjs';
import { assertStatic, serveOnce } from './programs.mjs';

const QEMU = 'qemu-aarch64-static';
const here = process.arch === 'arm64' ? 'this machine is arm64: the other tests try its packages' : false;

const unpack = async (t, command, args) => {
  const to = path.join(tempDir(t), 'unpacked'), vault = path.join(tempDir(t), 'notes');
  mkdirSync(to);
  cpSync(EXAMPLE_VAULT, vault, { recursive: true });
  const end = await run(command, args(to), { env: process.env, ms: HOUR_MS });
  assert.equal(end.code, 0, end.stderr);
  return { to, vault };
};

test('the static program for arm64 serves', { timeout: HOUR_MS, skip: here }, async (t) => {
  const archive = await makePackage('tar', 'arm64');
  assert.match(archive, /-linux-aarch64\.tar\.gz$/);
  const { to, vault } = await unpack(t, 'tar', (to) => ['-xzf', archive, '--strip-components=1', '-C', to]);
  await assertStatic(path.join(to, 'bin/vaultd'));
  await serveOnce(t, [QEMU, path.join(to, 'bin/vaultd')], vault);
});

test('the Debian package for arm64 serves', { timeout: HOUR_MS, skip: here }, async (t) => {
  const deb = await makePackage('deb', 'arm64');
  const { to, vault } = await unpack(t, 'dpkg-deb', (to) => ['-x', deb, to]);
  assert.equal((await run('dpkg-deb', ['-f', deb, 'Architecture'], { env: process.env })).stdout, 'arm64\n');
  const lint = await run('lintian', ['--fail-on', 'error,warning', deb], { env: process.env, ms: HOUR_MS });
  assert.deepEqual([lint.code, lint.stdout], [0, '']);
  await serveOnce(t, [QEMU, path.join(to, 'usr/bin/vaultd')], vault);
});

test('a bundle for both machines starts on either', { timeout: HOUR_MS, skip: here }, async (t) => {
  const bundle = await makePackage('mcpb', 'amd64', 'arm64');
  const unpacked = path.join(tempDir(t), 'bundle');
  await mcpb('unpack', bundle, unpacked);
  for (const machine of ['x86_64', 'aarch64']) await assertStatic(path.join(unpacked, `server/vaultd-${machine}`));
  const { command } = await startOf(unpacked, { vault: '/notes' });
  const { stdout } = await run(command, ['--version'], { env: process.env });
  assert.match(stdout, /^vaultd \d/);
  const vault = path.join(tempDir(t), 'notes');
  cpSync(EXAMPLE_VAULT, vault, { recursive: true });
  await serveOnce(t, [QEMU, path.join(unpacked, 'server/vaultd-aarch64')], vault);
});
