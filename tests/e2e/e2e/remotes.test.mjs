// Sync with real servers: OpenSSH's sshd, and nginx with git's http-backend. Whichever side is not
// trusted, a note is written immediately, nothing is lost, errors are in the server's own words,
// everything is pushed later, and no credential is exposed.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { until } from '../support.mjs';
import { makeKey, startHttps, startSsh } from './forges.mjs';
import { makeWorld } from './git_world.mjs';
import { failsToStart, serve } from './remote_side.mjs';

/* --- no problems --- */

const KINDS = [
  ['ssh with an ed25519 key', (t, w) => startSsh(t, w.remote, 'ed25519')],
  ['ssh with an RSA key', (t, w) => startSsh(t, w.remote, 'rsa')],
  ['https with a token and an authority of its own', (t, w) => startHttps(t, w.remote)],
];

for (const [name, start] of KINDS)
  test(`over ${name}: the first start clones, others' pushes are pulled, changes are pushed`, async (t) => {
    const w = makeWorld(t);
    const forge = await start(t, w);
    const side = await serve(t, w, forge);
    assert.equal((await side.call('vault_read', { path: 'Garden.md' })).content, '# Garden\n\nTomatoes\n');
    w.push({ 'Compost.md': 'Worms\n' }, 'phone: compost');
    await side.call('vault_sync');
    assert.equal((await side.call('vault_read', { path: 'Compost.md' })).content, 'Worms\n');
    await side.call('vault_write', { path: 'Mine.md', content: 'Mine.md\n' });
    await until('it is pushed', () => w.log()[0] === 'vault_write: Mine.md');
    w.push({ 'Garden.md': '# Garden\n\nTomatoes\n\nBeans\n' }, 'phone: beans');
    await side.call('vault_edit', { path: 'Garden.md', old_text: '# Garden', new_text: '# The garden' });
    await side.recovers('Mine.md');
    assert.equal(w.git('remote.git', 'show', 'main:Garden.md'), '# The garden\n\nTomatoes\n\nBeans');
    await side.keepsSecrets();
  });

/* --- our credentials --- */

test('an ssh key that is refused: the first start says so; later, notes wait until it is accepted', async (t) => {
  const w = makeWorld(t);
  const forge = await startSsh(t, w.remote);
  const stranger = await makeKey(path.join(w.top, 'stranger'));
  forge.allow(stranger);
  const said = await failsToStart(w, forge.args);
  assert.match(said, /Permission denied \(publickey\)/);
  assert.ok(!existsSync(path.join(w.vault, 'Garden.md')));

  forge.allow(forge.key);
  const side = await serve(t, w, forge);
  await side.call('vault_sync');
  forge.allow(stranger);
  await side.fails(/Permission denied \(publickey\)/, 'One.md');
  await side.fails(/Permission denied \(publickey\)/, 'Two.md');
  forge.allow(forge.key);
  await side.recovers('One.md', 'Two.md');
  await side.keepsSecrets();
});

test('an expired token is refused; the next one is read from its file without a restart', async (t) => {
  const w = makeWorld(t);
  const forge = await startHttps(t, w.remote);
  const side = await serve(t, w, forge);
  await side.call('vault_sync');
  forge.secrets.push('second-of-all-tokens');
  forge.allow(forge.secrets[1]);
  await side.fails(/Authentication failed/, 'One.md');
  rmSync(forge.token);
  await side.fails(/could not read Password|Authentication failed/, 'Two.md');
  writeFileSync(forge.token, forge.secrets[1]);
  await side.recovers('One.md', 'Two.md');
  await side.keepsSecrets();
});

test('SEC-125 a token in the URL is used, and never shown', async (t) => {
  const w = makeWorld(t);
  const forge = await startHttps(t, w.remote);
  const remote = forge.url.replace('://', `://ann:${forge.secrets[0]}@`);
  const ca = forge.args.slice(-2);
  const side = await serve(t, w, forge, { args: ['--git-remote', remote, ...ca] });
  await side.call('vault_write', { path: 'One.md', content: 'One.md\n' });
  await side.recovers('One.md');
  forge.allow('another');
  await side.fails(/Authentication failed/, 'Two.md');
  await side.keepsSecrets();
  await side.server.stop();

  forge.allow(forge.secrets[0]);
  const named = ['--git-remote', forge.url.replace('://', '://ann@'), '--git-token-file', forge.token, ...ca];
  await (await serve(t, w, forge, { args: named })).recovers('Two.md');
});

/* --- their identity --- */

test('a host missing from the known hosts is not contacted until it is added', async (t) => {
  const w = makeWorld(t);
  const forge = await startSsh(t, w.remote);
  const other = await makeKey(path.join(w.top, 'other'));
  writeFileSync(forge.knownHosts, `example.org ${readFileSync(`${other}.pub`)}`);
  assert.match(await failsToStart(w, forge.args), /No ED25519 host key is known for \[127\.0\.0\.1\]:\d+/);

  appendFileSync(forge.knownHosts, forge.hostLine(forge.host));
  const side = await serve(t, w, forge);
  await side.call('vault_sync');
  writeFileSync(forge.knownHosts, '');
  await side.fails(/No ED25519 host key is known for \[127\.0\.0\.1\]:\d+/, 'One.md');
  writeFileSync(forge.knownHosts, forge.hostLine(forge.host));
  await side.recovers('One.md');
});

for (const pinned of [true, false])
  test(`a host whose key changed is not talked to, ${pinned ? 'known by a file' : 'known since it was first met'}`, async (t) => {
    const w = makeWorld(t);
    const forge = await startSsh(t, w.remote);
    const impostor = await makeKey(path.join(w.top, 'impostor'));
    const side = await serve(t, w, forge, { args: pinned ? forge.args : forge.args.slice(0, 4) });
    await side.call('vault_sync');
    await forge.stop();
    forge.becomeHost(impostor);
    await forge.start();
    const said = await side.fails(/Host key for \[127\.0\.0\.1\]:\d+ has changed/, 'One.md');
    assert.doesNotMatch(said, /@@@|\/tmp\//);
    await forge.stop();
    forge.becomeHost(forge.host);
    await forge.start();
    await side.recovers('One.md');
    await side.keepsSecrets();
  });

test('an untrusted certificate is refused; --git-ca-file names its authority', async (t) => {
  const w = makeWorld(t);
  const forge = await startHttps(t, w.remote);
  assert.match(await failsToStart(w, forge.credentials), /certificate verification failed/);
  const first = await serve(t, w, forge);
  await first.call('vault_sync');
  await first.server.stop();
  const second = await serve(t, w, forge, { args: forge.credentials });
  await second.fails(/certificate verification failed/, 'One.md');
  await second.keepsSecrets();
  await second.server.stop();
  await (await serve(t, w, forge)).recovers('One.md');
});
