// Three replicas of a server on one machine: a real PostgreSQL, a real git server, and a real nginx with the
// configuration of examples/proxy, each of which can be killed and started again, or slowed down.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types1 from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { MODERN, Server, TOP, cleanEnv, startHttp, tempDir, until } from '../support.mjs';
import { startHttps } from './forges.mjs';
import { makeWorld } from './git_world.mjs';
import { USERS, freePort } from './people.mjs';
import { answers } from './proxies.mjs';

/** A connection to a port that can be slowed down or cut, as by a bad network. */
export async function startWire(t, target) {
  const wire = { delay: 0, cut: false, pairs: new Set() };
  const server = net.createServer((near) => {
    const far = net.connect(target, '127.0.0.1');
    const end = () => {
      near.destroy();
      far.destroy();
      wire.pairs.delete(end);
    };
    wire.pairs.add(end);
    for (const [from, to] of [[near, far], [far, near]])
      from.on('data', (data) => setTimeout(() => wire.cut || to.destroyed || to.write(data), wire.delay)).on('error', end).on('close', end);
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  wire.port = server.address().port;
  /** Drop every connection; new ones are accepted. */
  wire.drop = () => [...wire.pairs].forEach((end) => end());
  t.after(() => {
    wire.drop();
    server.close();
  });
  return wire;
}

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

/* --- nginx --- */

async function startNginx(t, port, backends) {
  const dir = tempDir(t);
  const conf = readFileSync(path.join(TOP, 'examples/proxy/nginx-replicas.conf'), 'utf8');
  const servers = backends.map((backend) => `server 127.0.0.1:${backend} max_fails=1 fail_timeout=1s;`).join('\n');
  const site = conf.replace(/( *server 10\.0\.0\.1\d:8090.*\n)+/, `${servers}\n`).replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replace(/ *ssl_certificate.*\n/g, '').replace('server_name vault.example.com', 'server_name 127.0.0.1');
  for (const backend of backends) assert.ok(site.includes(`:${backend}`));
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`).join('\n');
  writeFileSync(path.join(dir, 'nginx.conf'), `daemon off; master_process off; pid ${dir}/pid; error_log stderr error;\nevents {}\nhttp { access_log off; ${temporary}\n${site}\n}`);
  const proxy = new Server(spawn('/usr/sbin/nginx', ['-p', dir, '-c', path.join(dir, 'nginx.conf'), '-e', 'stderr'], { env: cleanEnv(dir), cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] }), 'nginx');
  t.after(async () => {
    proxy.child.kill('SIGKILL');
    await proxy.ended;
  });
  await until('nginx listens', () => answers(port));
}

/* --- everything --- */

/** Replicas and what they share. wired: the database is reached over a wire that can be slowed down. front: to be used like a server of people.mjs, through nginx. */
export async function startReplicas(t, { n = 3, args = [], ack = 'push', wired = false } = {}) {
  const w = makeWorld(t);
  const pg = await startPostgres(t);
  const forge = await startHttps(t, w.remote);
  const wires = { database: await startWire(t, pg.port) };
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
      args: [...forge.args, '--git-pull-interval', '60', '--sync-ack', ack, '--sync-timeout', '20', '--confirm', 'never', '--confirm-files', '0', '--rate-calls', '0', '--rate-writes', '0', '--rate-address', '0', '--answers', 'json', '--refresh-reuse-window', '0',
        '--server-url', origin, '--trusted-proxies', '127.0.0.1', ...args],
      env: { AUTH_USERS: users, STATE_DB: pg.url(wired ? wires.database.port : pg.port) },
    });
    server.origin = `http://127.0.0.1:${ports[i]}`;
    server.issuer = origin;
    return server;
  };
  const replicas = await Promise.all(ports.map((_, i) => start(i)));
  await startNginx(t, port, ports);
  const world = {
    ...w, pg, forge, wires, replicas, folderOf,
    front: { port, origin, issuer: origin, url: `${origin}/mcp` },
    async again(i) {
      replicas[i] = await start(i);
    },
    git_of: (i, ...more) => w.git(path.join(`replica-${i}`, 'vault'), ...more),
    /** All clones have the tree of the remote, and nothing else. */
    async converge(ms = 30_000) {
      const tree = () => w.git('remote.git', 'rev-parse', 'main^{tree}');
      await until('all clones are the same', () => replicas.every((_, i) => world.git_of(i, 'rev-parse', 'HEAD^{tree}') === tree() && world.git_of(i, 'status', '--porcelain') === ''), ms);
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
