// Real servers that reject pushes, are unreachable, or never answer: a note is written immediately,
// nothing is lost or left running, and everything is pushed later.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Server, VAULTD, assertNoSanitizer, cleanEnv, run, startClock, until, within, withLimit } from '../support.mjs';
import { FORGES, startMute, startSsh } from './forges.mjs';
import { makeWorld } from './git_world.mjs';
import { freePort } from './people.mjs';
import { alive, gone, groupOf, serve } from './remote_side.mjs';

/* --- rejected pushes --- */

/** Install a hook in the remote's repository. */
function setHook(w, name, script) {
  const file = path.join(w.remote, 'hooks', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return () => rmSync(file);
}

for (const [kind, start] of Object.entries(FORGES)) {
  test(`over ${kind}: a rejected push is reported in the remote's own words`, async (t) => {
    const w = makeWorld(t);
    const side = await serve(t, w, await start(t, w.remote));
    await side.call('vault_sync');
    const lift = setHook(w, 'pre-receive', 'echo "Lock the shed: no notes on Fridays" >&2; exit 1');
    const said = await side.fails(/Lock the shed: no notes on Fridays/, 'One.md');
    assert.match(said, /pre-receive hook declined/);
    lift();
    const other = setHook(w, 'update', '[ "$1" != refs/heads/main ] || { echo "main is protected, open a request" >&2; exit 1; }');
    await side.fails(/main is protected, open a request/, 'Two.md');
    other();
    await side.recovers('One.md', 'Two.md');
    await side.keepsSecrets();
  });

  test(`over ${kind}: others' pushes are pulled even though ours is rejected`, async (t) => {
    const w = makeWorld(t);
    const side = await serve(t, w, await start(t, w.remote));
    await side.call('vault_sync');
    const lift = setHook(w, 'update', '[ -n "$PHONE" ] || { echo "read only for robots" >&2; exit 1; }');
    w.env.PHONE = '1';
    w.push({ 'Phone.md': 'Phone.md\n' }, 'phone: still there');
    await side.fails(/read only for robots/, 'One.md');
    assert.equal((await side.call('vault_read', { path: 'Phone.md' })).content, 'Phone.md\n');
    lift();
    await side.recovers('One.md', 'Phone.md');
  });

  /* --- unreachable servers --- */

  test(`over ${kind}: a closed port; once it is open again, everything is pushed automatically`, async (t) => {
    const w = makeWorld(t);
    const forge = await start(t, w.remote);
    const side = await serve(t, w, forge);
    await side.call('vault_sync');
    await forge.stop();
    await side.fails(/Connection refused|Failed to connect|Couldn't connect/, 'One.md');
    await forge.start();
    await until('it is pushed', () => w.log()[0] === 'vault_write: One.md');
    await side.recovers('One.md');
    await side.keepsSecrets();
  });

  test(`over ${kind}: a server that never answers is abandoned after a while, and blocks no one`, async (t) => {
    await withLimit(4, (limit) => abandonMute(t, start, limit));
  });
}

const SSH_CONNECT_S = 15; // then ssh itself gives up

/** The limit is that of git: false if a sync that works needs a good part of it. */
async function abandonMute(t, start, limit) {
  const w = makeWorld(t);
  const forge = await start(t, w.remote);
  const clone = startClock();
  const side = await serve(t, w, forge, { more: ['--sync-timeout', String(limit), '--sync-wait', '300'] })
    .catch((error) => { if (clone() < limit) throw error; });
  const sync = startClock();
  const synced = await side?.call('vault_sync').catch((error) => { if (sync() < limit) throw error; });
  if (!synced || sync() > limit / 2) return false;
  await forge.stop();
  const mute = await startMute(t, forge.port);
  const asked = side.refusal('vault_sync');
  await mute.visited();
  const group = groupOf(side.server.pid);
  assert.ok(alive(group).length >= 2, 'git and what it runs');
  for (let i = 0; i < 5; i++) await side.call('vault_write', { path: `Note ${i}.md`, content: `Note ${i}.md\n` });
  assert.equal(new Set((await side.call('vault_search', { query: 'note' })).results.map((r) => r.path)).size, 5);
  const { message } = await asked;
  if (limit < SSH_CONNECT_S || !/timed out during banner exchange/.test(message)) assert.match(message, new RegExp(`git took longer than ${limit} s`));
  await gone(group);
  await mute.leave();
  await forge.start();
  await until('a sync within the limit', () => side.call('vault_sync').catch(() => null));
  await side.recovers(...[0, 1, 2, 3, 4].map((i) => `Note ${i}.md`));
  await side.keepsSecrets();
  return true;
}

test('a server that never answers does not delay shutdown', async (t) => {
  const w = makeWorld(t);
  const forge = await startSsh(t, w.remote);
  const side = await serve(t, w, forge);
  await side.call('vault_sync');
  await forge.stop();
  const mute = await startMute(t, forge.port);
  await side.call('vault_write', { path: 'One.md', content: 'One.md\n' });
  await mute.visited();
  const group = groupOf(side.server.pid);
  await side.server.stop();
  await gone(group);
  await mute.leave();
  await forge.start();
  await (await serve(t, w, forge)).recovers('One.md');
});

for (const [verb, signal] of [['serve', 'SIGTERM'], ['sync', 'SIGINT']])
  test(`vaultd ${verb} interrupted while cloning leaves nothing running`, async (t) => {
    const w = makeWorld(t);
    const port = await freePort();
    const mute = await startMute(t, port);
    const args = [verb, '--vault-path', w.vault, '--git-remote', `https://127.0.0.1:${port}/x.git`];
    const child = new Server(spawn(VAULTD, args, { env: cleanEnv(w.top, { STATE_DIR: w.state }), stdio: ['ignore', 'ignore', 'pipe'] }), verb);
    t.after(() => child.child.kill('SIGKILL'));
    await mute.visited();
    const group = groupOf(child.pid);
    assert.ok(alive(group).length >= 2, 'git and what it runs');
    child.child.kill(signal);
    assert.equal((await within(child.ended, 'it ends')).signal, signal);
    assertNoSanitizer(child.stderr, verb);
    await gone(group);
  });

test('vaultd sync, when interrupted, leaves nothing running and loses nothing', async (t) => {
  const w = makeWorld(t);
  const forge = await startSsh(t, w.remote);
  const env = cleanEnv(w.top, { STATE_DIR: w.state });
  const args = ['--vault-path', w.vault];
  const vaultd = async (...more) => assert.equal((await run(VAULTD, more, { env })).code, 0, more.join(' '));
  await vaultd('sync', ...args, ...forge.args);
  await vaultd('write', 'One.md', 'One.md\n', ...args);
  await forge.stop();
  const mute = await startMute(t, forge.port);
  const child = new Server(spawn(VAULTD, ['sync', ...args, ...forge.args], { env, stdio: ['ignore', 'ignore', 'pipe'] }), 'sync');
  t.after(() => child.child.kill('SIGKILL'));
  await mute.visited();
  const group = groupOf(child.pid);
  child.child.kill('SIGINT');
  assert.equal((await within(child.ended, 'it ends')).signal, 'SIGINT');
  assertNoSanitizer(child.stderr, 'sync');
  await gone(group);
  await mute.leave();
  await forge.start();
  await vaultd('sync', ...args, ...forge.args);
  assert.deepEqual(w.log(), ['write: One.md', 'phone: the garden']);
});
