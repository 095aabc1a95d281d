// The programs for macOS, which cannot run here: compiled and linked with all libraries, signed if they must be, and packed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { mcpb } from '../bundle.mjs';
import { run, tempDir } from '../support.mjs';
import { HOUR_MS, makePackage, makePackages } from './chroot.mjs';

const MAGIC_64 = 0xfeedfacf, MAGIC_FAT = 0xcafebabe;
const CPU = { x64: 0x01000007, arm64: 0x0100000c };
const LOAD_DYLIB = 0xc, UUID = 0x1b, SIGNATURE = 0x1d, BUILD_VERSION = 0x32;
const skip = process.arch === 'x64' ? false : 'zig is pinned for x86-64 only';

/** The load commands of a program: [kind, bytes]. */
function commandsOf(program) {
  const commands = [];
  for (let i = 0, at = 32; i < program.readUInt32LE(16); i++, at += program.readUInt32LE(at + 4))
    commands.push([program.readUInt32LE(at), program.subarray(at, at + program.readUInt32LE(at + 4))]);
  return commands;
}

function assertProgram(program, cpu) {
  assert.equal(program.readUInt32LE(0), MAGIC_64);
  assert.equal(program.readUInt32LE(4), CPU[cpu]);
  const commands = commandsOf(program);
  const find = (kind) => commands.filter(([one]) => one === kind).map(([, bytes]) => bytes);
  const libraries = find(LOAD_DYLIB).map((bytes) => bytes.subarray(bytes.readUInt32LE(8)).toString().replace(/\0.*/s, ''));
  assert.deepEqual(libraries, ['/usr/lib/libSystem.B.dylib']);
  assert.equal(find(SIGNATURE).length, cpu === 'arm64' ? 1 : 0); // arm64 starts nothing without one; zig makes none for others
  assert.equal(find(UUID).length, 1); // the snapshot belongs to one build
  assert.equal(find(BUILD_VERSION)[0].readUInt32LE(12) >> 16, 13); // runs on macOS 13
}

test('the programs for macOS', { timeout: HOUR_MS, skip }, async (t) => {
  const packages = await makePackages('npm', 'macos-amd64', 'macos-arm64');

  await t.test('the packages for npm have them', async (t) => {
    for (const cpu of ['x64', 'arm64']) {
      const file = packages.find((one) => one.includes(`darwin-${cpu}`)), to = tempDir(t);
      assert.equal((await run('tar', ['-xzf', file, '-C', to], { env: process.env })).code, 0);
      assertProgram(readFileSync(path.join(to, 'package/bin/vaultd')), cpu);
      const about = JSON.parse(readFileSync(path.join(to, 'package/package.json'), 'utf8'));
      assert.deepEqual([about.os, about.cpu], [['darwin'], [cpu]]);
      assert.match(about.description, /not yet tried by us/);
      assert.ok(readFileSync(path.join(to, 'package/licenses/openssl'), 'utf8').length > 0);
    }
  });

  const assertBoth = (both) => {
    assert.deepEqual([both.readUInt32BE(0), both.readUInt32BE(4)], [MAGIC_FAT, 2]);
    ['x64', 'arm64'].forEach((cpu, i) => {
      const [kind, , offset, size] = [0, 4, 8, 12].map((at) => both.readUInt32BE(8 + 20 * i + at));
      assert.equal(kind, CPU[cpu]);
      assertProgram(both.subarray(offset, offset + size), cpu);
    });
  };

  await t.test('the archive has one file for both', async (t) => {
    const to = tempDir(t);
    assert.equal((await run('tar', ['-xzf', await makePackage('tar', 'macos-universal'), '--strip-components=1', '-C', to], { env: process.env })).code, 0);
    assertBoth(readFileSync(path.join(to, 'bin/vaultd')));
    assert.match(readFileSync(path.join(to, 'share/doc/vaultd/libraries.tsv'), 'utf8'), /^openssl\t3\..*^zig\t/ms);
    assert.match(readFileSync(path.join(to, 'README'), 'utf8'), /not yet tried by us on a real Mac/);
  });

  await t.test('the bundle has one file for both, and chooses it', async (t) => {
    const bundle = await makePackage('mcpb', 'amd64', 'macos-amd64', 'macos-arm64');
    const unpacked = path.join(tempDir(t), 'bundle');
    await mcpb('unpack', bundle, unpacked);
    const { server, compatibility } = JSON.parse(readFileSync(path.join(unpacked, 'manifest.json'), 'utf8'));
    assert.deepEqual(compatibility.platforms.slice(0, 2), ['linux', 'darwin']);
    assert.equal(server.mcp_config.platform_overrides.darwin.command, '${__dirname}/server/vaultd-macos');
    assertBoth(readFileSync(path.join(unpacked, 'server/vaultd-macos')));
  });
});
