// vaultd syncing with a forge, a client of it, checks for both, and the processes it starts.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { VAULTD, assertNoSanitizer, cleanEnv, fetchHttp, run, startHttp, until } from '../support.mjs';
import { clientOf } from './git_world.mjs';

/** A PATH on which git and ssh record their arguments before they run. */
function spiedPath(w) {
  const bin = path.join(w.top, 'bin');
  mkdirSync(bin, { recursive: true });
  for (const program of ['git', 'ssh'])
    writeFileSync(path.join(bin, program), `#!/bin/sh\nprintf '%s\\n' "${program} $*" >> "$HOME/arguments"\nexec /usr/bin/${program} "$@"\n`, { mode: 0o755 });
  return `${bin}:${process.env.PATH}`;
}

/** What the programs recorded in git's home, the only place where the sandbox lets them write. */
const argumentsIn = (state) => readdirSync(state).filter((name) => /^sync-[0-9a-f]+$/.test(name)).map((home) => readFileSync(path.join(state, home, 'arguments'), 'utf8'));

const QUIET = ['--git-pull-interval', '0', '--ops-addr', '127.0.0.1:0', '--confirm', 'never'];

/** vaultd syncing with a forge, a client of it, and checks for both. */
export async function serve(t, w, forge, { args = forge.args, more = [] } = {}) {
  const server = await startHttp(t, { vault: w.vault, state: w.state, args: [...args, ...QUIET, ...more], env: { PATH: spiedPath(w) } });
  const client = await clientOf(t, server);
  const ops = { port: Number((await server.says(/ ops .*port=(\d+)/))[1]) };
  const side = {
    ...client, server,
    health: async () => (await fetchHttp(ops, { method: 'GET', path: '/health' })).message,
    metric: async (name) => Number((await fetchHttp(ops, { method: 'GET', path: '/metrics' })).text.match(new RegExp(`^vaultd_sync_${name} (\\d+)$`, 'm'))?.[1]),

    /** A note is written immediately, though sync fails; the reason is reported everywhere. */
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
      await server.says(new RegExp(`warn sync_failed .*${words.source}`));
      assert.equal((await client.call('vault_read', { path: note })).content, `${note}\n`);
      return error.message;
    },

    /** Everything works again: both sides have everything. */
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

    /** No credential was reported, logged, stored or passed as an argument. */
    async keepsSecrets() {
      const told = [...client.heard, JSON.stringify(await side.health()), server.stderr, ...argumentsIn(w.state),
        readFileSync(path.join(w.vault, '.git/config'), 'utf8')];
      for (const file of readdirSync(w.state)) if (file.endsWith('.json')) told.push(readFileSync(path.join(w.state, file), 'utf8'));
      for (const secret of forge.secrets) for (const text of told) assert.ok(!text.includes(secret), text);
    },
  };
  return side;
}

/** A start that must fail, since the first clone does; returns its output. */
export async function failsToStart(w, args) {
  const end = await run(VAULTD, ['serve', '--port', '0', ...args, w.vault], { env: cleanEnv(w.top, { STATE_DIR: w.state }) });
  assertNoSanitizer(end.stderr, 'vaultd');
  assert.notEqual(end.code, 0);
  return end.stderr;
}

/* --- processes --- */

/** [pid, parent, group] of all running processes. */
function processes() {
  const all = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const [state, parent, group] = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
      if (state !== 'Z') all.push([pid, parent, group].map(Number));
    } catch {
      // it has ended in the meantime
    }
  }
  return all;
}

/** The process group of a server's child. */
export const groupOf = (server) => processes().find(([, parent]) => parent === server)?.[2];
export const alive = (group) => processes().filter(([, , its]) => its === group);

/** No process of the group is left; exiting may take a moment, but ssh would give up by itself after 15 seconds. */
export const gone = (group) => until(`group ${group} is gone`, () => alive(group).length === 0);
