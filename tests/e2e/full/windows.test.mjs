// The program for Windows, which cannot run here without Wine: compiled and linked with all libraries, described, and packed.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { mcpb } from '../bundle.mjs';
import { TOP, run, tempDir } from '../support.mjs';
import { HOUR_MS, makePackage, makePackages } from './chroot.mjs';

const skip = process.arch === 'x64' ? false : 'zig is pinned for x86-64 only';
const AMD64 = 0x8664, CONSOLE = 3, PE32_PLUS = 0x20b;
const HIGH_ENTROPY_VA = 0x20, DYNAMIC_BASE = 0x40, NX_COMPAT = 0x100;
const IMPORTS = 1, RESOURCES = 2; // of the data directories
// What every Windows from 10 1903 on has.
const SYSTEM_LIBRARIES = /^(kernel32|ntdll|advapi32|ws2_32|bcrypt|bcryptprimitives|crypt32|user32|psapi|iphlpapi|userenv|secur32|shell32|ole32|dbghelp|api-ms-win-crt-[a-z]+-l1-1-0)\.dll$/;

/** What the headers of a program say, and a function from addresses in memory to those in the file. */
function parse(program) {
  const at = program.readUInt32LE(0x3c);
  assert.equal(program.toString('latin1', at, at + 4), 'PE\0\0');
  const sections = program.readUInt16LE(at + 6), optional = at + 24, table = optional + program.readUInt16LE(at + 20);
  const offsetOf = (address) => {
    for (let i = 0; i < sections; i++) {
      const [size, start, , offset] = [8, 12, 16, 20].map((field) => program.readUInt32LE(table + 40 * i + field));
      if (address >= start && address < start + size) return address - start + offset;
    }
    return undefined;
  };
  const directory = (i) => [0, 4].map((field) => program.readUInt32LE(optional + 112 + 8 * i + field));
  return {
    machine: program.readUInt16LE(at + 4), magic: program.readUInt16LE(optional), subsystem: program.readUInt16LE(optional + 68),
    flags: program.readUInt16LE(optional + 70), directory, offsetOf,
  };
}

/** Names of the libraries that a program loads. */
function librariesOf(program) {
  const { directory, offsetOf } = parse(program), names = [];
  for (let at = offsetOf(directory(IMPORTS)[0]); program.readUInt32LE(at + 12) !== 0; at += 20) {
    const name = offsetOf(program.readUInt32LE(at + 12));
    names.push(program.toString('latin1', name, program.indexOf(0, name)).toLowerCase());
  }
  return names;
}

function assertProgram(program) {
  const { machine, magic, subsystem, flags, directory, offsetOf } = parse(program);
  assert.deepEqual([machine, magic, subsystem], [AMD64, PE32_PLUS, CONSOLE]);
  for (const flag of [HIGH_ENTROPY_VA, DYNAMIC_BASE, NX_COMPAT]) assert.ok(flags & flag, `no flag ${flag.toString(16)}`);
  for (const name of librariesOf(program)) assert.match(name, SYSTEM_LIBRARIES);
  const [start, size] = directory(RESOURCES), resources = program.subarray(offsetOf(start), offsetOf(start) + size);
  assert.match(resources.toString('latin1'), /<activeCodePage [^>]*>UTF-8<.*<longPathAware [^>]*>true</s);
  const version = readFileSync(path.join(TOP, 'meson.build'), 'utf8').match(/^ +version: '(.*)'/m)[1];
  assert.ok(resources.includes(Buffer.from(`ProductVersion\0\0${version}`, 'utf16le')) || resources.includes(Buffer.from(`ProductVersion\0${version}`, 'utf16le')));
  assert.ok(resources.includes(Buffer.from('\x89PNG', 'latin1')));
}

test('the program for Windows', { timeout: HOUR_MS, skip }, async (t) => {
  await t.test('the archive has it, with licences', async (t) => {
    const archive = await makePackage('zip'), to = tempDir(t);
    assert.match(archive, /vaultd-[0-9.]+-windows-x86_64\.zip$/);
    assert.equal((await run('python3', ['-m', 'zipfile', '-e', archive, to], { env: process.env })).code, 0);
    const folder = path.join(to, path.basename(archive, '.zip'));
    assertProgram(readFileSync(path.join(folder, 'vaultd.exe')));
    for (const name of ['LICENSE', 'licenses/curl', 'licenses/openssl', 'licenses/zig']) assert.ok(existsSync(path.join(folder, name)), name);
    assert.match(readFileSync(path.join(folder, 'README.txt'), 'utf8'), /not yet tried by us on a real Windows\.\r\n/);
  });

  await t.test('the package for npm has it', async (t) => {
    const file = (await makePackages('npm', 'windows-amd64')).find((one) => one.includes('win32-x64')), to = tempDir(t);
    assert.equal((await run('tar', ['-xzf', file, '-C', to], { env: process.env })).code, 0);
    assertProgram(readFileSync(path.join(to, 'package/bin/vaultd.exe')));
    const about = JSON.parse(readFileSync(path.join(to, 'package/package.json'), 'utf8'));
    assert.match(about.name, /^@[\w-]+\/vaultd-win32-x64$/);
    assert.deepEqual([about.os, about.cpu], [['win32'], ['x64']]);
    assert.match(about.description, /not yet tried by us/);
  });

  await t.test('a bundle for three systems chooses it', async (t) => {
    const bundle = await makePackage('mcpb', 'amd64', 'arm64', 'macos-amd64', 'macos-arm64', 'windows-amd64');
    assert.match(bundle, /vaultd-[0-9.]+\.mcpb$/);
    const unpacked = path.join(tempDir(t), 'bundle');
    await mcpb('unpack', bundle, unpacked);
    assert.match(await mcpb('validate', path.join(unpacked, 'manifest.json')), /valid|passes/i);
    const { server, compatibility } = JSON.parse(readFileSync(path.join(unpacked, 'manifest.json'), 'utf8'));
    assert.deepEqual(compatibility.platforms, ['linux', 'darwin', 'win32']);
    assert.equal(server.mcp_config.platform_overrides.win32.command, '${__dirname}/server/vaultd.exe');
    assertProgram(readFileSync(path.join(unpacked, 'server/vaultd.exe')));
    t.diagnostic(`bundle ${readFileSync(bundle).length} bytes`);
  });
});
