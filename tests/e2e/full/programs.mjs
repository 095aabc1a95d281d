// Programs from packages: what they need, and talking to one that any command starts.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { Stdio, cleanEnv, run, tempDir } from '../support.mjs';
import { makePackage } from './chroot.mjs';

/** The archive of the static program, and the folder in which it is unpacked. */
export async function unpackTar(t) {
  const archive = await makePackage('tar'), unpacked = path.join(tempDir(t), 'tar');
  mkdirSync(unpacked);
  assert.equal((await run('tar', ['-xzf', archive, '--strip-components=1', '-C', unpacked], { env: process.env })).code, 0);
  return { archive, unpacked };
}

/** It needs neither libraries nor a loader. */
export async function assertStatic(program) {
  const { code, stdout } = await run('readelf', ['-W', '-d', '-l', program], { env: process.env });
  assert.equal(code, 0);
  assert.doesNotMatch(stdout, /NEEDED|INTERP/);
}

/** vaultd serve --stdio, started by words, and initialized. */
export async function startProgram(t, words, vault, env = {}) {
  const home = tempDir(t);
  const child = spawn(words[0], [...words.slice(1), 'serve', '--stdio', '--vault-path', vault], {
    env: cleanEnv(home, { PATH: process.env.PATH, STATE_DIR: path.join(home, 'state'), ...env }), stdio: ['pipe', 'pipe', 'pipe'],
  });
  const client = new Stdio(child, words.join(' '));
  client.guard(t, () => client.eof());
  const { serverInfo } = await client.initialize();
  assert.equal(serverInfo.name, 'vaultd');
  return client;
}

/** Start it, search, write a note, and end. */
export async function serveOnce(t, words, vault, env) {
  const client = await startProgram(t, words, vault, env);
  assert.match(JSON.stringify(await client.call('vault_search', { query: 'tomato' })), /Tomato/);
  assert.match(JSON.stringify(await client.call('vault_write', { path: 'New.md', content: 'from a package' })), /New\.md/);
  await client.eof();
}
