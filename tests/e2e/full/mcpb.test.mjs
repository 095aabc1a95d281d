// The bundle as it is distributed: a static program, on a system that has nothing else.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { mcpb, startOf } from '../bundle.mjs';
import { EXAMPLE_VAULT, tempDir } from '../support.mjs';
import { HOUR_MS, copyIn, makePackage, newSystem } from './chroot.mjs';
import { assertStatic } from './programs.mjs';

test('the bundle runs on a system without any of our libraries', { timeout: HOUR_MS }, async (t) => {
  const unpacked = path.join(tempDir(t), 'bundle');
  const bundle = await makePackage('mcpb');
  await mcpb('unpack', bundle, unpacked);
  // one for several machines starts a script that chooses
  const program = ['server/vaultd', `server/vaultd-${os.machine()}`].findLast((name) => existsSync(path.join(unpacked, name)));
  await assertStatic(path.join(unpacked, program));
  t.diagnostic(`bundle ${statSync(bundle).size} bytes, binary ${statSync(path.join(unpacked, program)).size} bytes`);

  const system = await newSystem(t, 'mcpb');
  copyIn(system, unpacked, '/opt/bundle');
  copyIn(system, EXAMPLE_VAULT, '/srv/notes');
  for (const name of new Set(['server/vaultd', program])) chmodSync(system.path(path.join('/opt/bundle', name)), 0o755);
  const { command, args, env } = await startOf(unpacked, { vault: '/srv/notes', read_only: false });
  const client = system.stdio(t, [command.replace(unpacked, '/opt/bundle'), ...args], { env });
  await client.initialize();
  assert.match(JSON.stringify(await client.call('obsidian_read_note', { name: 'Garden' })), /Areas\/Garden\/Garden.md/);
  assert.match(JSON.stringify(await client.call('vault_search', { query: 'tomato' })), /Tomato/);
  await client.eof();
});
