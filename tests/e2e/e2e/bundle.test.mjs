// The bundle for Claude Desktop and server.json for the registry, made from the binary under test.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import Ajv from 'ajv';
import { SERVER_SCHEMA, mcpb, startOf } from '../bundle.mjs';
import { TOP, VAULTD, cleanEnv, copyVault, run, tempDir } from '../support.mjs';

const OPTIONS = readFileSync(path.join(TOP, 'packaging/mcpb/build'), 'utf8').match(/^options="(.*)"$/m)[1].split(' ');
const MACHINE = os.machine();

test('the bundle', async (t) => {
  const dir = tempDir(t);
  let unpacked = path.join(dir, 'unpacked');
  const tree = path.join(dir, 'tree'), licenses = path.join(tree, 'share/doc/vaultd/licenses');
  for (const folder of [path.join(tree, 'bin'), licenses]) mkdirSync(folder, { recursive: true });
  symlinkSync(VAULTD, path.join(tree, 'bin/vaultd'));
  writeFileSync(path.join(licenses, 'libuv1-dev'), 'a licence');
  const pack = async (to, machines = [`linux-${MACHINE}`], from = tree) => {
    mkdirSync(to);
    const made = await run('python3', [path.join(TOP, 'packaging/mcpb/pack.py'), to, ...machines.map((name) => `${name}=${from}`), '--', ...OPTIONS], { env: cleanEnv(dir) });
    assert.equal(made.code, 0, made.stderr);
    return made.stdout.trim();
  };
  const bundle = await pack(path.join(dir, 'dist'));
  await mcpb('unpack', bundle, unpacked);

  await t.test('the official tool accepts its manifest', async () => {
    assert.match(await mcpb('validate', path.join(unpacked, 'manifest.json')), /valid|passes/i);
    assert.match(await mcpb('info', bundle), /vaultd/);
    assert.equal(statSync(path.join(unpacked, 'server/vaultd')).mode & 0o777, 0o755);
    assert.equal(readFileSync(path.join(unpacked, 'licenses/libuv1-dev'), 'utf8'), 'a licence');
  });

  await t.test('its icon has the size that Claude shows', () => {
    const png = readFileSync(path.join(unpacked, 'icon.png'));
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [128, 128]);
  });

  /** The bundle as a desktop starts it with these settings. */
  const start = async (t, settings) => {
    const { command, args, env } = await startOf(unpacked, settings);
    assert.ok(args.includes(settings.vault), args.join(' '));
    const client = new Client({ name: 'e2e', version: '1' });
    await client.connect(new StdioClientTransport({ command, args, env: cleanEnv(tempDir(t), env), stderr: 'ignore' }));
    t.after(() => client.close());
    return {
      names: (await client.listTools()).tools.map((tool) => tool.name),
      call: (name, args) => client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 }),
    };
  };

  for (const read_only of [false, true])
    await t.test(`it starts as the manifest says, read_only: ${read_only}`, async (t) => {
      const { names, call } = await start(t, { vault: copyVault(t), read_only });
      assert.equal(names.filter((name) => name.startsWith('obsidian_')).length, read_only ? 3 : 9);
      for (const name of ['vault_search', 'vault_read', 'vault_query']) assert.ok(names.includes(name), name);
      assert.equal(names.includes('vault_edit'), !read_only);
      assert.match(JSON.stringify((await call('obsidian_read_note', { name: 'Home' })).content), /Home/);
      assert.match(JSON.stringify((await call('vault_search', { query: 'tomato' })).content), /Tomato/);
      const append = call('obsidian_append_note', { name: 'Home', content: 'x' });
      if (read_only) await assert.rejects(append, /Unknown tool/);
      else assert.match(JSON.stringify((await append).content), /appended/);
    });

  await t.test('its settings choose the folders and the tools', async (t) => {
    const { names, call } = await start(t, { vault: copyVault(t), read_paths: 'Areas, Recipes', write_paths: 'Areas/Garden', deny_paths: 'Areas/Homelab', tools: 'default' });
    assert.ok(names.includes('vault_search') && !names.includes('obsidian_read_note'), names.join(' '));
    const failed = async (name, args) => (await call(name, args)).isError === true;
    assert.deepEqual([await failed('vault_read', { path: 'Areas/Garden/Garden.md' }), await failed('vault_read', { path: 'Home.md' }), await failed('vault_read', { path: 'Areas/Homelab/Log.md' })], [false, true, true]);
    assert.deepEqual([await failed('vault_write', { path: 'Areas/Garden/New.md', content: 'x' }), await failed('vault_write', { path: 'Recipes/New.md', content: 'x' })], [false, true]);
    const nine = await start(t, { vault: copyVault(t), tools: 'obsidian-bundle' });
    assert.equal(nine.names.length, 9);
  });

  await t.test('server.json is valid for the registry and describes this bundle', () => {
    const server = JSON.parse(readFileSync(path.join(dir, 'dist/server.json'), 'utf8'));
    const validate = new Ajv({ allErrors: true, strict: false }).compile(SERVER_SCHEMA);
    assert.ok(validate(server), JSON.stringify(validate.errors));
    const [entry, npm] = server.packages;
    assert.equal(entry.fileSha256, createHash('sha256').update(readFileSync(bundle)).digest('hex'));
    assert.ok(entry.identifier.endsWith(`/v${server.version}/${path.basename(bundle)}`));
    assert.ok(server.description.length <= 100);
    assert.doesNotMatch(JSON.stringify(server), /@[A-Z_]+@/);
    assert.doesNotMatch(readFileSync(path.join(unpacked, 'manifest.json'), 'utf8'), /@[A-Z_]+@/);
    const settings = readFileSync(path.join(TOP, 'docs/settings.md'), 'utf8');
    for (const { name, value } of [entry, npm].flatMap((one) => [...one.packageArguments, ...one.environmentVariables])) assert.ok(value ?? settings.includes(name), name);
    assert.deepEqual([npm.version, ...npm.packageArguments.map((one) => one.value ?? one.name)], [server.version, 'serve', '--stdio', '--vault-path']);
  });

  await t.test('a bundle for several machines starts the program of this one', async (t) => {
    const both = await pack(path.join(dir, 'both'), [`linux-${MACHINE}`, 'linux-another']);
    assert.match(both, /vaultd-[0-9.]+-linux\.mcpb$/);
    unpacked = path.join(dir, 'unpacked both');
    await mcpb('unpack', both, unpacked);
    assert.ok(readFileSync(path.join(unpacked, `server/vaultd-${MACHINE}`)).equals(readFileSync(VAULTD)));
    const { names } = await start(t, { vault: copyVault(t) });
    assert.ok(names.includes('vault_search'), names.join(' '));
  });

  await t.test('a bundle for three systems names the program of each, and what was not tried', async () => {
    const others = path.join(dir, 'others');
    for (const folder of ['bin', 'share/doc/vaultd/licenses']) mkdirSync(path.join(others, folder), { recursive: true });
    writeFileSync(path.join(others, 'bin/vaultd'), Buffer.from('cffaedfe0700000103000000', 'hex')); // begins as programs for macOS do
    writeFileSync(path.join(others, 'bin/vaultd.exe'), 'MZ');
    const all = await pack(path.join(dir, 'all'), [`linux-${MACHINE}`, 'linux-another', 'darwin-x86_64', 'darwin-arm64', 'win32-x86_64'], others);
    assert.match(all, /\/vaultd-[0-9.]+\.mcpb$/);
    const folder = path.join(dir, 'unpacked all');
    await mcpb('unpack', all, folder);
    assert.match(await mcpb('validate', path.join(folder, 'manifest.json')), /valid|passes/i);
    const manifest = JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8'));
    assert.deepEqual(manifest.compatibility.platforms, ['linux', 'darwin', 'win32']);
    assert.deepEqual(manifest.server.mcp_config.platform_overrides, { darwin: { command: '${__dirname}/server/vaultd-macos' }, win32: { command: '${__dirname}/server/vaultd.exe' } });
    assert.match(manifest.long_description, /For macOS and Windows, this bundle was built, but not yet tried by us on a real machine\./);
    for (const name of ['vaultd', `vaultd-${MACHINE}`, 'vaultd-another', 'vaultd-macos', 'vaultd.exe']) assert.equal(statSync(path.join(folder, 'server', name)).mode & 0o777, 0o755, name);
    assert.match(manifest.privacy_policies[0], /\/docs\/privacy\.md$/);
    assert.ok(existsSync(path.join(TOP, 'docs/privacy.md')));
  });

  await t.test('the same binary gives a byte-identical bundle', async () => {
    assert.deepEqual(readFileSync(await pack(path.join(dir, 'again'))), readFileSync(bundle));
  });
});
