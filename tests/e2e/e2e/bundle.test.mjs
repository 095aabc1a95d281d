// The bundle for Claude Desktop and server.json for the registry, made from the binary under test.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import Ajv from 'ajv';
import { SERVER_SCHEMA, mcpb, startOf } from '../bundle.mjs';
import { TOP, VAULTD, cleanEnv, copyVault, run, tempDir } from '../support.mjs';

const OPTIONS = readFileSync(path.join(TOP, 'packaging/mcpb/build'), 'utf8').match(/^options="(.*)"$/m)[1].split(' ');

test('the bundle', async (t) => {
  const dir = tempDir(t), unpacked = path.join(dir, 'unpacked');
  const pack = async (to) => {
    mkdirSync(to);
    const made = await run('python3', [path.join(TOP, 'packaging/mcpb/pack.py'), VAULTD, to, ...OPTIONS], { env: cleanEnv(dir) });
    assert.equal(made.code, 0, made.stderr);
    return made.stdout.trim();
  };
  const bundle = await pack(path.join(dir, 'dist'));
  await mcpb('unpack', bundle, unpacked);

  await t.test('the official tool accepts its manifest', async () => {
    assert.match(await mcpb('validate', path.join(unpacked, 'manifest.json')), /valid|passes/i);
    assert.match(await mcpb('info', bundle), /vaultd/);
    assert.equal(statSync(path.join(unpacked, 'server/vaultd')).mode & 0o777, 0o755);
  });

  await t.test('its icon has the size that Claude shows', () => {
    const png = readFileSync(path.join(unpacked, 'icon.png'));
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [128, 128]);
  });

  for (const read_only of [false, true])
    await t.test(`it starts as the manifest says, read_only: ${read_only}`, async (t) => {
      const vault = copyVault(t);
      const { command, args, env } = await startOf(unpacked, { vault, read_only });
      assert.ok(args.join(' ').includes('--profile obsidian-bundle') && args.includes(vault), args.join(' '));
      const client = new Client({ name: 'e2e', version: '1' });
      await client.connect(new StdioClientTransport({ command, args, env: cleanEnv(tempDir(t), env), stderr: 'ignore' }));
      const { tools } = await client.listTools();
      assert.equal(tools.length, 9);
      const answer = await client.callTool({ name: 'obsidian_read_note', arguments: { name: 'Home' } }, undefined, { timeout: 120_000 });
      assert.match(JSON.stringify(answer.content), /Home/);
      const append = client.callTool({ name: 'obsidian_append_note', arguments: { name: 'Home', content: 'x' } }, undefined, { timeout: 120_000 });
      if (read_only) await assert.rejects(append, (error) => error.code === -32005);
      else assert.match(JSON.stringify((await append).content), /appended/);
      await client.close();
    });

  await t.test('server.json is valid for the registry and describes this bundle', () => {
    const server = JSON.parse(readFileSync(path.join(dir, 'dist/server.json'), 'utf8'));
    const validate = new Ajv({ allErrors: true, strict: false }).compile(SERVER_SCHEMA);
    assert.ok(validate(server), JSON.stringify(validate.errors));
    const [entry] = server.packages;
    assert.equal(entry.fileSha256, createHash('sha256').update(readFileSync(bundle)).digest('hex'));
    assert.ok(entry.identifier.endsWith(`/v${server.version}/${path.basename(bundle)}`));
    assert.ok(server.description.length <= 100);
    const settings = readFileSync(path.join(TOP, 'docs/settings.md'), 'utf8');
    for (const { name } of [...entry.packageArguments, ...entry.environmentVariables]) assert.ok(settings.includes(name), name);
  });

  await t.test('the same binary gives a byte-identical bundle', async () => {
    assert.deepEqual(readFileSync(await pack(path.join(dir, 'again'))), readFileSync(bundle));
  });
});
