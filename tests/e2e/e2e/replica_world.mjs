// Three replicas of a server on one machine: a real PostgreSQL, a real git server, and a real nginx or Caddy with the
// configuration of examples/proxy, each of which can be killed and started again, or slowed down.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types1 from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { MODERN, TOP, startHttp, tempDir, until } from '../support.mjs';
import { startHttps } from './forges.mjs';
import { makeWorld } from './git_world.mjs';
import { USERS, freePort } from './people.mjs';
import { startFront } from './replica_fronts.mjs';
import { bundle, startWire } from './wires.mjs';

/* --- PostgreSQL --- */

export async function startPostgres(t) {
  let up = false;
  t.after(() => up && pg.kill()); // before its folder is removed
  const folder = path.join(tempDir(t), 'pg');
  const port = await freePort();
  const script = (verb, ...more) => execFileSync(path.join(TOP, 'tests/support/postgres.sh'), [verb, folder, ...more], { stdio: ['ignore', 'pipe', 'inherit'] });
  execFileSync('chmod', ['755', path.dirname(folder)]);
  script('start', String(port));
  up = true;
  const pg = {
    port,
    url: (at = port) => `postgres://vaultd:right%20horse@127.0.0.1:${at}/postgres`,
    sql: (text) => execFileSync(path.join(TOP, 'tests/support/postgres.sh'), ['sql', folder, 'postgres'], { input: text }),
    kill() {
      script('kill');
      up = false;
    },
    again() {
      script('again', String(port));
      up = true;
    },
  };
  return pg;
}

/* --- everything --- */

/** Replicas and what they share. wired: the database and the git server are reached over a bad network; each replica has its own wire to the git server (wires.gits). front: to be used like a server of people.mjs, through the proxy. */
export async function startReplicas(t, { n = 3, args = [], ack = 'push', wired = false, confirm = 'never', proxy = 'nginx' } = {}) {
  const w = makeWorld(t);
  const pg = await startPostgres(t);
  const forge = await startHttps(t, w.remote);
  const gits = [];
  for (let i = 0; i < n; i++) gits.push(await startWire(t, forge.port));
  const wires = { database: await startWire(t, pg.port), git: bundle(gits), gits };
  const remoteOf = (i) => (wired ? forge.args.map((arg) => (arg === forge.url ? forge.url.replace(`:${forge.port}/`, `:${gits[i].port}/`) : arg)) : forge.args);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const users = Object.entries(USERS).map(([name, { hash }]) => `${name}:${hash}`).join(',');
  const ports = [];
  for (let i = 0; i < n; i++) ports.push(await freePort());
  const folderOf = (i) => path.join(w.top, `replica-${i}`);
  const start = async (i) => {
    mkdirSync(folderOf(i), { recursive: true });
    const server = await startHttp(t, {
      vault: path.join(folderOf(i), 'vault'), state: path.join(folderOf(i), 'state'), port: ports[i],
      args: [...remoteOf(i), '--git-pull-interval', '60', '--sync-ack', ack, '--sync-timeout', '20', '--confirm', confirm, '--confirm-files', '0', '--rate-calls', '0', '--rate-writes', '0', '--rate-address', '0', '--answers', 'json', '--refresh-reuse-window', '0',
        '--server-url', origin, '--trusted-proxies', '127.0.0.1', ...args],
      env: { AUTH_USERS: users, STATE_DB: pg.url(wired ? wires.database.port : pg.port) },
    });
    server.origin = `http://127.0.0.1:${ports[i]}`;
    server.issuer = origin;
    return server;
  };
  const replicas = await Promise.all(ports.map((_, i) => start(i)));
  await startFront(t, proxy, port, ports);
  const world = {
    ...w, pg, forge, wires, replicas, folderOf,
    front: { port, origin, issuer: origin, url: `${origin}/mcp` },
    /** The git server after it was killed; its operator removes the locks of pushes that ended with it. */
    async startForge() {
      for (const name of readdirSync(w.remote, { recursive: true })) if (name.endsWith('.lock')) rmSync(path.join(w.remote, name));
      await forge.start();
    },
    async again(i) {
      replicas[i] = await start(i);
    },
    git_of: (i, ...more) => w.git(path.join(`replica-${i}`, 'vault'), ...more),
    /** All clones have the tree of the remote, and nothing else but what was deleted there. */
    async converge(ms = 30_000) {
      const tree = () => w.git('remote.git', 'rev-parse', 'main^{tree}');
      const states = () => replicas.map((_, i) => `${world.git_of(i, 'rev-parse', 'HEAD^{tree}')} ${world.git_of(i, 'status', '--porcelain', '--', '.', ':(exclude).trash')}`.trim());
      const ended = await until('all clones are the same', () => states().every((state) => state === tree()), ms).catch((error) => error);
      assert.ok(ended === true, `${ended}: ${tree()} at the remote, but ${states().join(', ')}; ${replicas.map(({ stderr }) => stderr.slice(-1500)).join('\n')}`);
      return tree();
    },
  };
  return world;
}

/* --- clients --- */

const INFO = { name: 'e2e', version: '1' };

/** The official clients of both eras, with a token. */
export const CLIENTS = {
  legacy: async (url, token, { hear } = {}) => {
    const client = new Client1(INFO, { capabilities: { elicitation: {} } });
    if (hear) client.setNotificationHandler(types1.ResourceUpdatedNotificationSchema, hear);
    await client.connect(new Http1(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
    return { client, call: (name, args) => client.callTool({ name, arguments: args }) };
  },
  stateless: async (url, token) => {
    const client = new Client2(INFO, { capabilities: {}, versionNegotiation: { mode: { pin: MODERN } } });
    await client.connect(new Http2(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
    return { client, call: (name, args) => client.callTool({ name, arguments: args }) };
  },
};

/** Says an answer that this replica has not received what the client has seen? A busy machine pulls late. */
export const isLate = (answer) => /has not received the latest changes/.test(JSON.stringify(answer));

/** Asks again while the replica is late. */
export const caughtUp = async (ask) => {
  let answer;
  await until('the replica has received it', async () => !isLate(answer = await ask()));
  return answer;
};
