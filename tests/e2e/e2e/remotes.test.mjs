// Sync with real servers: OpenSSH's sshd, and nginx with git's http-backend. Whatever goes wrong with
// them, a note is written at once, nothing is lost, what is told is in the server's own words, all of
// it is pushed later, and no credential is seen anywhere.
import assert from 'node:assert/strict';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, assertNoSanitizer, cleanEnv, fetchHttp, run, startHttp, until } from '../support.mjs';
import { FORGES, makeKey, startHttps, startMute, startSsh } from './forges.mjs';
import { clientOf, makeWorld } from './git_world.mjs';

/** A PATH on which git and ssh note their arguments before they run. */
function spiedPath(w) {
  const bin = path.join(w.top, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const program of ['git', 'ssh'])
    writeFileSync(path.join(bin, program), `#!/bin/sh\nprintf '%s\\n' "${program} $*" >> ${w.top}/arguments\nexec /usr/bin/${program} "$@"\n`, { mode: 0o755 });
  return `${bin}:${process.env.PATH}`;
}

const QUIET = ['--git-pull-interval', '0', '--ops-addr', '127.0.0.1:0', '--confirm', 'never'];

/** vaultd that syncs with a forge, a client of it, and what is checked of both. */
async function serve(t, w, forge, { args = forge.args, more = [] } = {}) {
  const server = await startHttp(t, { vault: w.vault, state: w.state, args: [...args, ...QUIET, ...more], env: { PATH: spiedPath(w) } });
  const client = await clientOf(t, server);
  const ops = { port: Number((await server.says(/ ops .*port=(\d+)/))[1]) };
  const side = {
    ...client, server,
    health: async () => (await fetchHttp(ops, { method: 'GET', path: '/health' })).message,
    metric: async (name) => Number((await fetchHttp(ops, { method: 'GET', path: '/metrics' })).text.match(new RegExp(`^vaultd_sync_${name} (\\d+)$`, 'm'))?.[1]),

    /** A note is written at once, though sync fails; everybody is told why. */
    async fails(words, note) {
      await client.call('vault_write', { path: note, content: `${note}\n` });
      const error = await client.refusal('vault_sync');
      assert.equal(error.code, 'SYNC_FAILED');
      assert.match(error.message, words);
      assert.match(error.message, /The notes here are safe/);
      const { sync } = await client.call('vault_info');
      assert.match(sync.last_error, words);
      assert.ok(sync.ahead >= 1, JSON.stringify(sync));
      assert.match((await side.health()).sync.last_error, words);
      assert.ok(await side.metric('failures_total') >= 1);
      assert.equal(await side.metric('ahead'), sync.ahead);
      assert.match(server.stderr, new RegExp(`warn sync_failed .*${words.source}`));
      assert.equal((await client.call('vault_read', { path: note })).content, `${note}\n`);
      return error.message;
    },

    /** All is well again: everything is here and there. */
    async recovers(...notes) {
      const state = await client.call('vault_sync');
      assert.deepEqual([state.ahead, state.behind, state.last_error], [0, 0, undefined]);
      assert.equal((await side.health()).sync.last_error, undefined);
      assert.deepEqual([await side.metric('ahead'), await side.metric('behind'), await side.metric('waiting')], [0, 0, 0]);
      assert.ok(await side.metric('success_age_seconds') >= 0);
      for (const note of notes) assert.equal(w.git('remote.git', 'show', `main:${note}`), note);
      w.git('remote.git', 'fsck', '--full', '--strict');
      w.git('vault', 'fsck', '--full', '--strict');
    },

    /** No credential was told, logged, kept or given as an argument. */
    async keepsSecrets() {
      const told = [...client.heard, JSON.stringify(await side.health()), server.stderr, readFileSync(path.join(w.top, 'arguments'), 'utf8'),
        readFileSync(path.join(w.vault, '.git/config'), 'utf8')];
      for (const file of readdirSync(w.state)) if (file.endsWith('.json')) told.push(readFileSync(path.join(w.state, file), 'utf8'));
      for (const secret of forge.secrets) for (const text of told) assert.ok(!text.includes(secret), text);
    },
  };
  return side;
}

/** A start that must fail, since the first clone does; what it said. */
async function failsToStart(w, args) {
  const end = await run(VAULTD, ['serve', '--port', '0', ...args, w.vault], { env: cleanEnv(w.top, { STATE_DIR: w.state }) });
  assertNoSanitizer(end.stderr, 'vaultd');
  assert.notEqual(end.code, 0);
  return end.stderr;
}

/* --- all is well --- */

const KINDS = [
  ['ssh with an ed25519 key', (t, w) => startSsh(t, w.remote, 'ed25519')],
  ['ssh with an RSA key', (t, w) => startSsh(t, w.remote, 'rsa')],
  ['https with a token and an authority of its own', (t, w) => startHttps(t, w.remote)],
];

for (const [name, start] of KINDS)
  test(`over ${name}: the first start clones, what others push comes in, what is written is pushed`, async (t) => {
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

/* --- who we are --- */

test('a key that ssh does not take: the first start says so; later, notes wait until it is taken again', async (t) => {
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

test('a token that expired is refused; the next one is taken from its file without a restart', async (t) => {
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

test('a token within the URL is used, and kept out of sight', async (t) => {
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

/* --- who they are --- */

test('a host that is not in the file of known hosts is not talked to until it is', async (t) => {
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

test('a certificate that nobody vouches for is not trusted; the authority is named by --git-ca-file', async (t) => {
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

/* --- what they do not want --- */

/** A hook of the remote's repository. */
function setHook(w, name, script) {
  const file = path.join(w.remote, 'hooks', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return () => rmSync(file);
}

for (const [kind, start] of Object.entries(FORGES)) {
  test(`over ${kind}: a push that is rejected is told in the remote's own words`, async (t) => {
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

  test(`over ${kind}: what others push comes in though ours is rejected`, async (t) => {
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

  /* --- where they are not --- */

  test(`over ${kind}: a port that is closed; once it is open again, all is pushed without being asked`, async (t) => {
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

  test(`over ${kind}: a server that never answers is left after a while, and nobody waits for it`, async (t) => {
    const w = makeWorld(t);
    const forge = await start(t, w.remote);
    const side = await serve(t, w, forge, { more: ['--sync-timeout', '5'] });
    await side.call('vault_sync');
    await forge.stop();
    const mute = await startMute(t, forge.port);
    const asked = side.refusal('vault_sync');
    await mute.visited();
    const group = groupOf(side.server.pid);
    assert.ok(alive(group).length >= 2, 'git and what it runs');
    for (let i = 0; i < 5; i++) await side.call('vault_write', { path: `Note ${i}.md`, content: `Note ${i}.md\n` });
    assert.equal(new Set((await side.call('vault_search', { query: 'note' })).results.map((r) => r.path)).size, 5);
    assert.match((await asked).message, /git took longer than 5 s/);
    assert.deepEqual(alive(group), [], 'nothing of it is left');
    await mute.leave();
    await forge.start();
    await side.recovers(...[0, 1, 2, 3, 4].map((i) => `Note ${i}.md`));
    await side.keepsSecrets();
  });
}

test('a server that never answers does not delay the end', async (t) => {
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
  assert.deepEqual(alive(group), []);
  await mute.leave();
  await forge.start();
  await (await serve(t, w, forge)).recovers('One.md');
});

/* --- processes --- */

/** [pid, parent, group] of all that run. */
function processes() {
  const all = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [state, parent, group] = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
      if (state !== 'Z') all.push([pid, parent, group].map(Number));
    } catch {
      // it has ended meanwhile
    }
  }
  return all;
}

/** The process group of a server's child. */
const groupOf = (server) => processes().find(([, parent]) => parent === server)?.[2];
const alive = (group) => processes().filter(([, , its]) => its === group);
