// The surroundings of the soak: a vault with a repository, a remote that does everything wrong, servers
// that can be killed and started again, and the official client for each of them.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Server, VAULTD, assertNoSanitizer, cleanEnv } from '../support.mjs';
import { USERS, freePort } from '../e2e/people.mjs';
import { textOf } from './model.mjs';

const SEEDS = 1000;
const INFO = { name: 'soak', version: '1' };
const CALL_MS = 300_000;
const yes = async () => ({ action: 'accept', content: {} });

/** Accepts connections and closes them at once, later, in the middle of an answer, or never. */
async function brokenRemote(random) {
  const server = net.createServer((socket) => {
    socket.on('error', () => {});
    const kind = random.below(4);
    if (kind === 0) socket.destroy();
    if (kind === 1) socket.end('HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n');
    if (kind === 2) socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\nContent-Length: 4000\r\n\r\n001e# service=git-up');
    if (kind === 3) setTimeout(() => socket.destroy(), 20_000).unref();
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  server.unref();
  return `https://127.0.0.1:${server.address().port}/notes.git`;
}

export async function makeWorld(random) {
  const top = mkdtempSync(path.join(tmpdir(), 'vaultd-soak-'));
  const vault = path.join(top, 'vault');
  mkdirSync(path.join(vault, 'Seeds'), { recursive: true });
  for (let i = 0; i < SEEDS; i++) writeFileSync(path.join(vault, 'Seeds', `Seed ${i}.md`), textOf(`Seed ${i}`, i));
  const git = (...args) => execFileSync('git', args, { cwd: vault, env: { PATH: process.env.PATH, HOME: top, GIT_CONFIG_NOSYSTEM: '1' }, stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '.');
  git('-c', 'user.name=Soak', '-c', 'user.email=soak@example.org', 'commit', '--quiet', '-m', 'seeds');
  return { top, vault, state: path.join(top, 'state'), remote: await brokenRemote(random), port: await freePort(), remove: () => rmSync(top, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }) };
}

const COMMON = ['--confirm', 'never', '--log-level', 'warn'];

/** A server over HTTP with users and git; it can be killed and started again at the same port. */
export class HttpServer {
  constructor(world) {
    this.world = world;
    this.port = world.port;
    this.origin = this.issuer = `http://127.0.0.1:${world.port}`;
    this.url = `${this.origin}/mcp`;
  }

  async start() {
    const { vault, state, top, port } = this.world;
    const args = ['serve', '--port', String(port), ...COMMON, '--log-level', 'info', '--sync', 'git', '--git-remote', this.world.remote, '--git-branch', 'main', '--rate-calls', '0', '--rate-writes', '0', '--rate-address', '0', vault];
    const users = Object.entries(USERS).map(([name, { hash }]) => `${name}:${hash}`).join(',');
    const child = spawn(VAULTD, args, { env: cleanEnv(top, { STATE_DIR: state, AUTH_USERS: users }), stdio: ['ignore', 'ignore', 'pipe'] });
    this.process = new Server(child, 'vaultd');
    await this.process.says(/http:\/\/\S*:(\d+)\/mcp/);
    this.pid = child.pid;
  }

  async kill() {
    await this.process.crash();
  }

  async stop() {
    await this.process.stop();
  }

  async connect(token) {
    const client = new Client2(INFO, { capabilities: { elicitation: {} }, versionNegotiation: { mode: 'auto', probe: { timeoutMs: CALL_MS } } });
    client.setRequestHandler('elicitation/create', yes);
    await client.connect(new StreamableHTTPClientTransport(new URL(this.url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
    return { call: (name, args) => client.callTool({ name, arguments: args }, { timeout: CALL_MS }), close: () => client.close().catch(() => {}) };
  }
}

/** A server on stdio, started by its client. */
export class StdioServer {
  constructor(world) {
    this.world = world;
  }

  async start() {
    const { vault, state, top } = this.world;
    const client = new Client1(INFO, { capabilities: { elicitation: {} } });
    client.setRequestHandler(ElicitRequestSchema, yes);
    this.transport = new StdioClientTransport({ command: VAULTD, args: ['serve', '--stdio', ...COMMON, vault], env: cleanEnv(top, { STATE_DIR: state }), stderr: 'pipe' });
    this.stderr = '';
    this.transport.stderr.on('data', (text) => (this.stderr += text));
    await client.connect(this.transport);
    this.client = client;
    this.pid = this.transport.pid;
  }

  async kill() {
    const gone = new Promise((done) => (this.client.onclose = done));
    process.kill(this.pid, 'SIGKILL');
    await gone;
    assertNoSanitizer(this.stderr, 'vaultd --stdio');
  }

  async stop() {
    await this.client.close();
    assertNoSanitizer(this.stderr, 'vaultd --stdio');
  }

  async connect() {
    const { client } = this;
    return { call: (name, args) => client.callTool({ name, arguments: args }, undefined, { timeout: CALL_MS }), close: async () => {} };
  }
}

/** Whether a process has children, which have pipes to it. */
function hasChildren(pid) {
  try {
    return readdirSync(`/proc/${pid}/task`).some((thread) => readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8') !== '');
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'ESRCH') throw error;
    return true; // a thread has just ended
  }
}

/** Memory in kB and open descriptors of a process; null while it runs a program. */
export function measure(pid) {
  if (hasChildren(pid)) return null;
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return { rss: Number(status.match(/^VmRSS:\s*(\d+)/m)[1]), descriptors: readdirSync(`/proc/${pid}/fd`).length };
}
