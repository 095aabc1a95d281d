// Servers, raw clients and throw-away folders for the suites.
//
// Every server started here is also checked at its end: unless a test kills it, it must exit 0 on
// SIGTERM (or on EOF, with stdio) and must not have written anything that only a sanitizer
// writes. Waits have limits only so that a hang becomes a failure.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { SHAPES, checkPrinted, checkResult } from './answers.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
export const TOP = path.resolve(here, '../..');
export const MODULES = path.join(here, 'node_modules');
const resolved = (value, fallback) => path.resolve(TOP, value || fallback);
export const VAULTD = resolved(process.env.VAULTD, '.build/test/src/app/vaultd');
/** On Windows, the program that asks others to end (tests/wine/launch.c). */
const LAUNCH = process.env.LAUNCH;
export const FIXTURE = resolved(process.env.FIXTURE, '.build/test/tests/fixture/fixture');
/** Whether VAULTD is a build with -Dportable=true; tests of what it lacks are skipped. */
export const PORTABLE = process.env.PORTABLE === '1';
/** What VAULTD is for: linux, darwin, win32, or wine, which is win32 on this Linux (tests/wine/run). */
export const SYSTEM = process.env.SYSTEM ?? process.platform;
export const FOR_WINDOWS = SYSTEM === 'win32' || SYSTEM === 'wine';
/** Whether the wall clock is shifted, but not that of the kernel, which files get (tests/support/shifted_clock.c). */
export const SHIFTED = 'SHIFT_SECONDS' in process.env;
export const WATCHING = PORTABLE ? 'polling' : FOR_WINDOWS ? 'ReadDirectoryChangesW' : SYSTEM === 'darwin' ? 'FSEvents' : 'inotify';
export const NODE22 = process.execPath;
export const EXAMPLE_VAULT = path.join(TOP, 'examples/vault');

export const MODERN = '2026-07-28';
export const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const NEWEST_LEGACY = '2025-11-25';
export const META = 'io.modelcontextprotocol/';

const HANG_MS = 120_000;
const LONGEST_PAUSE_MS = 150;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/* --- waiting --- */

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

/** The promise, or a failure that names what did not happen. */
export async function within(promise, what, ms = HANG_MS) {
  let timer;
  const late = new Promise((_, no) => {
    timer = setTimeout(() => no(new Error(`hangs: ${what}`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Repeat until the result is true. */
export async function until(what, ask, ms = HANG_MS) {
  let pause = 10; // at first: what takes long is asked less often, since a question may start a program
  for (const end = Date.now() + ms; ; await sleep(pause), pause = Math.min(pause * 1.2, LONGEST_PAUSE_MS)) {
    const answer = await ask();
    if (answer) return answer;
    if (Date.now() > end) throw new Error(`never: ${what}`);
  }
}

/**
 * Run attempt(seconds) with a short time limit of the server under test, and with twice as much while it returns false: this
 * machine is too slow for that limit now.
 */
export async function withLimit(seconds, attempt) {
  for (let limit = seconds; !(await attempt(limit)); limit *= 2)
    assert.ok(limit * 1000 < HANG_MS, `too slow even for ${limit} s`);
}

/**
 * Ask until the status is 429, with a limit per minute: what is let through before is the limit, and what the minute frees while
 * this takes, since it slides.
 */
export async function untilRefused(limit, ask) {
  const seen = [], clock = startClock();
  while (seen.at(-1) !== 429 && seen.length <= limit + 1 + (clock() * limit) / 60) seen.push(await ask(seen.length));
  assert.ok(seen.at(-1) === 429 && seen.length > limit, `after ${limit} requests, and not before: ${seen}`);
  return seen.slice(0, -1);
}

/** Wait until list() has not become longer for some time: what began before has ended, also on a busy machine. */
export async function untilQuiet(list, ms) {
  for (let before = -1; list().length !== before; await sleep(ms)) before = list().length;
}

/** A clock that begins now: seconds that have passed. */
export function startClock() {
  const began = performance.now();
  return () => (performance.now() - began) / 1000;
}

/* --- folders --- */

/** A path as the program shows it to people, and writes it for other programs: under Wine, / is the drive Z:. */
export const shown = (file) => (FOR_WINDOWS ? `${SYSTEM === 'wine' ? 'Z:' : ''}${file}`.replaceAll('/', '\\') : file);
/** The program, as it calls itself. */
export const PROGRAM = SYSTEM === 'wine' ? shown(`${VAULTD}.exe`) : shown(VAULTD);

/** Remove dir, though a server that is shutting down may still write its index there. */
async function removeDir(dir) {
  for (let tries = 100; ; tries--) {
    try {
      return rmSync(dir, { recursive: true, force: true });
    } catch (error) {
      if (error.code !== 'ENOTEMPTY' || tries === 0) throw error;
      await sleep(50);
    }
  }
}

export function tempDir(t) {
  const dir = mkdtempSync(path.join(realpathSync.native(tmpdir()), 'vaultd-e2e-')); // Windows may give a short name
  t.after(() => removeDir(dir));
  return dir;
}

/**
 * Waits until what was written before counts as older than a server that starts next: the clock of files has ticks (vault.c), and
 * is compared with itself, since that of this process may be another one.
 */
export function settle(folder) {
  const probe = path.join(path.dirname(folder), `.settle-${process.pid}`);
  const now = () => (writeFileSync(probe, ''), statSync(probe).ctimeMs);
  for (const from = now(); now() <= from + 15; );
  rmSync(probe);
}

/** A copy of examples/vault that the test may change. */
export function copyVault(t) {
  const dir = path.join(tempDir(t), 'vault');
  cpSync(EXAMPLE_VAULT, dir, { recursive: true });
  return dir;
}

/* --- processes --- */

const SANITIZER = /AddressSanitizer|LeakSanitizer|UndefinedBehavior|MemorySanitizer|ThreadSanitizer|runtime error:|\bBUG\b/;

export function assertNoSanitizer(stderr, who) {
  const at = stderr.search(SANITIZER);
  assert.ok(at < 0, `${who}: ${stderr.slice(Math.max(0, at - 200), at + 3000)}`);
}

/** A server's environment: only the variables it needs from ours. Programs get JSON; answers for models are tested in words.test.mjs. What PDF files hold is searched some time after the start, and only where poppler-utils is installed: see pdf.test.mjs. */
export function cleanEnv(home, extra = {}) {
  const env = { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', VAULTD_ANSWERS: 'json', VAULTD_PDF: 'off', PAGER: 'cat' };
  if (SYSTEM === 'win32') Object.assign(env, { USERPROFILE: home, APPDATA: path.join(home, 'AppData', 'Roaming'), LOCALAPPDATA: path.join(home, 'AppData', 'Local') });
  for (const name of ['ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS', 'TSAN_OPTIONS', 'LD_LIBRARY_PATH', 'TZ', 'SystemRoot', 'TEMP', 'TMP', ...(SHIFTED ? ['LD_PRELOAD', 'SHIFT_SECONDS'] : [])])
    if (process.env[name]) env[name] = process.env[name];
  return { ...env, ...extra };
}

/** Whether the programs are built with a sanitizer that needs memory: memory figures mean nothing then. */
export const SANITIZED = existsSync(VAULTD) && ['__asan_init', '__tsan_init'].some((name) => readFileSync(VAULTD).includes(name));

/** Servers of tests get the time to stop that a busy machine needs. */
const PATIENT = { STOP_TIMEOUT: '60' };

/** Run a program to its end. */
export function run(program, args, { env, input, cwd, ms } = {}) {
  const child = spawn(program, args, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  const out = [], err = [];
  child.stdout.on('data', (d) => out.push(d));
  child.stderr.on('data', (d) => err.push(d));
  child.stdin.on('error', () => {});
  child.stdin.end(input ?? '');
  const ended = new Promise((done, no) => {
    child.once('error', no);
    child.once('close', (code, signal) =>
      done({ code, signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() }));
  });
  return within(ended, `${program} ${args.join(' ')}`, ms).finally(() => {
    if (child.exitCode === null) child.kill('SIGKILL');
  }).then((end) => {
    const json = args.lastIndexOf('--json') > 0 && !args.slice(0, args.indexOf('--json')).includes('--');
    if (program === VAULTD && args[0] in SHAPES.verbs && json && end.stdout) checkPrinted(args[0], end.stdout);
    return end;
  });
}

/** Whether a server has the tools that docs/answers.md describes, and answers in JSON. */
const hasOwnTools = (program, args, env) =>
  program === 'vaultd' && args[args.indexOf('--answers') + 1] !== 'text' && ![...args, ...Object.keys(env)].some((word) => /^--tools|^TOOLS|profile/i.test(word));

/** A child process and its stderr. */
export class Server {
  constructor(child, name) {
    this.child = child;
    this.name = name;
    this.pid = child.pid;
    this.stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text) => (this.stderr += text));
    this.ended = new Promise((done) => {
      child.once('error', (error) => done({ code: null, signal: String(error) }));
      child.once('close', (code, signal) => done({ code, signal }));
    });
    this.ended.then((end) => (this.end = end));
  }

  /** Wait for a match on stderr. */
  async says(pattern) {
    return until(`${this.name} says ${pattern}`, () => {
      const match = this.stderr.match(pattern);
      if (!match && this.end) throw new Error(`${this.name} ended early: ${this.stderr}`);
      return match;
    });
  }

  status(field) {
    return readFileSync(`/proc/${this.pid}/status`, 'utf8').match(new RegExp(`^${field}:\\s*(\\d+)`, 'm'))?.[1];
  }

  /** Kill it, as a crash would. */
  async crash() {
    this.child.kill('SIGKILL');
    await within(this.ended, `${this.name} dies`);
    assertNoSanitizer(this.stderr, this.name);
  }

  /** It has been asked to exit: check how it does. */
  async endsCleanly() {
    const { code, signal } = await within(this.ended, `${this.name} exits; it said: ${this.stderr.slice(-2000)}`);
    assertNoSanitizer(this.stderr, this.name);
    assert.deepEqual({ code, signal }, { code: 0, signal: null }, `${this.name}: ${this.stderr.slice(-2000)}`);
    assert.doesNotMatch(this.stderr, / loop_waits /, 'nothing slow on the event loop');
  }

  /** Ask it to end, or to reload: Windows has no signals, but events with the number of the process. */
  ask(signal = 'SIGTERM') {
    if (SYSTEM === 'win32') spawnSync(LAUNCH, ['--ask', signal === 'SIGHUP' ? 'reload' : 'stop', String(this.pid)]);
    else this.child.kill(signal);
  }

  async stop(signal = 'SIGTERM') {
    if (!this.end) this.ask(signal);
    await this.endsCleanly();
  }

  /** However the test ends, the process is gone, and it exited cleanly unless the test killed it. */
  guard(t, stop) {
    t.after(async () => {
      try {
        if (!this.end) await stop();
        else if (this.end.signal !== 'SIGKILL') await this.endsCleanly();
      } finally {
        this.child.kill('SIGKILL');
      }
    });
    return this;
  }
}

/* --- servers over HTTP --- */

/**
 * Start vaultd (the default) or the fixture on a free port, or vaultd where listen says.
 * state: a folder that outlives the process; give the same one and the same port to start it
 * again.
 */
export async function startHttp(t, { program = 'vaultd', vault = EXAMPLE_VAULT, port = 0, listen, state, args = [], env = {} } = {}) {
  const home = tempDir(t);
  const fixture = program === 'fixture';
  state ??= path.join(home, 'state');
  mkdirSync(state, { recursive: true });
  const command = fixture ? [FIXTURE, `127.0.0.1:${port}`] : [VAULTD, 'serve', ...(listen ? ['--listen-addr', listen] : ['--port', String(port)]), ...args, vault];
  const child = spawn(command[0], command.slice(1), {
    env: cleanEnv(home, { ...(fixture ? { FIXTURE_STATE: state } : { STATE_DIR: state, ...PATIENT }), ...env }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const server = new Server(child, program);
  server.guard(t, () => server.stop());
  server.state = state;
  server.hasOwnTools = hasOwnTools(program, args, env);
  server.port = Number((await server.says(/http:\/\/\S*:(\d+)\/mcp/))[1]);
  server.url = `http://127.0.0.1:${server.port}/mcp`;
  return server;
}

export const startFixture = (t, options = {}) => startHttp(t, { program: 'fixture', ...options });

/* --- raw HTTP --- */

/** Server-Sent Events from text; comments are dropped. */
export function parseEvents(text) {
  const events = [];
  for (const block of text.split('\n\n').slice(0, -1)) {
    const event = { data: [] };
    for (const line of block.split('\n')) {
      const [, field, value] = line.match(/^([a-z]*): ?(.*)$/s) ?? [];
      if (field === 'data') event.data.push(value);
      else if (field) event[field] = value;
    }
    if (block.split('\n').every((line) => line.startsWith(':'))) continue;
    event.data = event.data.join('\n');
    if (event.data) event.message = JSON.parse(event.data);
    events.push(event);
  }
  return events;
}

function address(server) {
  return server.socketPath ? { socketPath: server.socketPath } : { host: '127.0.0.1', port: server.port };
}

/** Open an exchange; resolves at the response headers, while the body is still arriving. */
export function openHttp(server, { method = 'POST', path: target = '/mcp', headers = {}, body } = {}) {
  const opened = new Promise((done, no) => {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const request = http.request({ ...address(server), method, path: target, headers: { ...server.headers, ...headers }, agent: server.agent ?? false }, (response) => {
      const stream = {
        status: response.statusCode, headers: response.headers, text: '', closed: false,
        get events() { return parseEvents(this.text); },
        get messages() { return this.events.flatMap((e) => (e.message ? [e.message] : [])); },
        /** Wait for a matching event. */
        async next(what, fits) {
          return until(what, () => {
            const found = this.events.find(fits);
            if (!found && this.closed) throw new Error(`the stream ended before ${what}: ${this.text}`);
            return found;
          });
        },
        end: null,
        /** Hang up. */
        close() { request.destroy(); },
      };
      response.on('data', (data) => (stream.text += decoder.decode(data, { stream: true })));
      stream.end = new Promise((over) => response.once('close', () => {
        stream.closed = true;
        over(stream);
      }));
      response.on('error', () => {});
      done(stream);
    });
    request.on('error', no);
    request.end(body);
  });
  return within(opened, `${method} ${target}`);
}

/** One exchange, read to its end. */
export async function fetchHttp(server, options) {
  const stream = await openHttp(server, options);
  await within(stream.end, `the body of ${options?.method ?? 'POST'}`);
  const type = stream.headers['content-type'] ?? '';
  const message = type.startsWith('application/json') && stream.text ? JSON.parse(stream.text)
    : type.startsWith('text/event-stream') ? stream.messages.at(-1) : undefined;
  return { status: stream.status, headers: stream.headers, text: stream.text, message, events: stream.events };
}

/** The same server, for a client that sends this token with every request. */
export const withToken = (server, token) =>
  Object.assign(Object.create(server), { headers: { authorization: `Bearer ${token}` } });

export const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

export const asBody = (message) => (typeof message === 'string' || Buffer.isBuffer(message) ? message : JSON.stringify(message));

export const post = (server, message, headers = {}) =>
  fetchHttp(server, { headers: withHeaders({ ...JSON_HEADERS, ...headers }), body: asBody(message) });

/** A header set to undefined is left out. */
export const withHeaders = (headers) => Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));

/** Send bytes on a socket; returns everything received until the peer closes or there is enough. */
export async function rawHttp(server, bytes, { enough } = {}) {
  const socket = server.socketPath ? net.connect(server.socketPath) : net.connect(server.port, '127.0.0.1');
  let text = '';
  const over = new Promise((done) => {
    socket.setEncoding('latin1').on('data', (piece) => {
      text += piece;
      if (enough?.(text)) done();
    });
    socket.on('error', () => {}).once('close', done);
  });
  socket.write(bytes);
  await within(over, 'the answer on a raw socket');
  socket.destroy();
  return text;
}

/* --- modern requests (2026-07-28) --- */

export const envelope = (extra = {}) => ({
  [`${META}protocolVersion`]: MODERN,
  [`${META}clientInfo`]: { name: 'e2e', version: '1' },
  [`${META}clientCapabilities`]: {},
  ...extra,
});

let ids = 1_000_000; // out of the range that tests choose
export const nextId = () => ++ids;

export const modernMessage = (method, params = {}, id = nextId()) =>
  ({ jsonrpc: '2.0', id, method, params: { ...params, _meta: envelope(params._meta) } });

const plain = (text) => /^[\x20-\x7e]*$/.test(text) && text === text.trim();
export const headerValue = (text) => (plain(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`);

export function modernHeaders(message) {
  const { name, uri, taskId } = message.params;
  const named = message.method.startsWith('tasks/') ? taskId
    : message.method === 'resources/read' ? uri
    : ['tools/call', 'prompts/get'].includes(message.method) ? name : undefined;
  return {
    ...JSON_HEADERS,
    'mcp-protocol-version': MODERN,
    'mcp-method': message.method,
    ...(named === undefined ? {} : { 'mcp-name': headerValue(named) }),
  };
}

export const postModern = (server, message, headers = {}) =>
  fetchHttp(server, { headers: withHeaders({ ...modernHeaders(message), ...headers }), body: asBody(message) });

export const openModern = (server, message) =>
  openHttp(server, { headers: modernHeaders(message), body: asBody(message) });

/* --- legacy sessions --- */

export const initializeMessage = (revision = NEWEST_LEGACY, capabilities = {}, id = nextId()) => ({
  jsonrpc: '2.0', id, method: 'initialize',
  params: { protocolVersion: revision, capabilities, clientInfo: { name: 'e2e', version: '1' } },
});

/** A handshake over HTTP, and requests in its session. */
export class Session {
  static async open(server, revision = NEWEST_LEGACY, capabilities = {}) {
    const session = new Session();
    session.server = server;
    session.revision = revision;
    const answer = await post(server, initializeMessage(revision, capabilities));
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.message.result.protocolVersion, revision);
    session.result = answer.message.result;
    session.id = answer.headers['mcp-session-id'];
    assert.match(session.id, /^[\x21-\x7e]+$/);
    assert.equal((await session.post({ jsonrpc: '2.0', method: 'notifications/initialized' })).status, 202);
    return session;
  }

  get headers() {
    const late = this.revision >= '2025-06-18';
    return { ...JSON_HEADERS, 'mcp-session-id': this.id, ...(late ? { 'mcp-protocol-version': this.revision } : {}) };
  }

  post(message, headers = {}) {
    return post(this.server, message, { ...this.headers, ...headers });
  }

  request(method, params, id = nextId()) {
    return this.post({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) });
  }

  async call(name, args = {}, meta) {
    const answer = await this.request('tools/call', { name, arguments: args, ...(meta ? { _meta: meta } : {}) });
    if (this.server.hasOwnTools) checkResult(name, answer.message?.result);
    return answer;
  }

  open(message) {
    return openHttp(this.server, { headers: this.headers, body: asBody(message) });
  }

  /** The standalone stream, or a resumed one. */
  listen(lastEventId) {
    const headers = { ...this.headers, accept: 'text/event-stream', ...(lastEventId ? { 'last-event-id': lastEventId } : {}) };
    delete headers['content-type'];
    return openHttp(this.server, { method: 'GET', headers });
  }

  delete() {
    return fetchHttp(this.server, { method: 'DELETE', headers: this.headers });
  }
}

/* --- stdio --- */

export class Stdio extends Server {
  constructor(child, name) {
    super(child, name);
    this.lines = [];
    this.taken = new Set();
    this.rest = []; // of an incomplete line
    child.stdin.on('error', () => {});
    child.stdout.on('data', (data) => this.#feed(data));
  }

  #feed(data) {
    let from = 0;
    for (let at; (at = data.indexOf(10, from)) >= 0; from = at + 1) {
      const line = UTF8.decode(Buffer.concat([...this.rest, data.subarray(from, at)]));
      this.rest = [];
      this.lines.push({ line, message: JSON.parse(line) }); // anything else violates the protocol
    }
    if (from < data.length) this.rest.push(data.subarray(from));
  }

  get messages() {
    return this.lines.map((l) => l.message);
  }

  write(text) {
    return new Promise((done) => this.child.stdin.write(text, () => done()));
  }

  send(message) {
    return this.write(`${asBody(message)}\n`);
  }

  /** The oldest matching line that has not been taken yet. */
  async take(what, fits) {
    return until(what, () => {
      const found = this.lines.find((l) => !this.taken.has(l) && fits(l.message));
      if (!found && this.end) throw new Error(`${this.name} ended before ${what}: ${this.stderr.slice(-1000)}`);
      if (found) this.taken.add(found);
      return found;
    });
  }

  /** Send a message as it is; returns its answer, found by id, or the next one without an id. */
  async exchange(message, id) {
    await this.send(message);
    const answer = (await this.take(`an answer to ${asBody(message).slice(0, 100)}`, (m) => !m.method && m.id === id)).message;
    if (this.hasOwnTools && message.method === 'tools/call') checkResult(message.params.name, answer.result);
    return answer;
  }

  request(method, params, id = nextId()) {
    return this.exchange({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) }, id);
  }

  modern(method, params, id = nextId()) {
    return this.exchange(modernMessage(method, params, id), id);
  }

  call(name, args = {}, meta) {
    return this.request('tools/call', { name, arguments: args, ...(meta ? { _meta: meta } : {}) });
  }

  notify(method, params) {
    return this.send({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
  }

  async initialize(revision = NEWEST_LEGACY, capabilities = {}) {
    const message = initializeMessage(revision, capabilities);
    const answer = await this.exchange(message, message.id);
    assert.equal(answer.result?.protocolVersion, revision, JSON.stringify(answer));
    await this.notify('notifications/initialized');
    return answer.result;
  }

  /** The stream is in sync: a new request gets its own answer. */
  async inSync() {
    const answer = await this.modern('server/discover');
    assert.deepEqual(answer.result?.supportedVersions, [MODERN], JSON.stringify(answer));
  }

  /** Close stdin; the process finishes its work and exits. */
  async eof() {
    this.child.stdin.end();
    await this.endsCleanly();
    assert.equal(this.rest.length, 0, 'stdout ends with half a line');
  }
}

/** pipes: use real pipes, where Node would use socket pairs. */
export function startStdio(t, { program = 'vaultd', vault = EXAMPLE_VAULT, args = [], env = {}, state, pipes = false } = {}) {
  const home = tempDir(t);
  state ??= path.join(home, 'state');
  const command = program === 'fixture' ? [FIXTURE, '--stdio'] : [VAULTD, 'serve', '--stdio', ...args, vault];
  if (pipes) command.unshift('/bin/bash', '-c', 'set -o pipefail; cat | "$@" | cat', 'bash');
  const child = spawn(command[0], command.slice(1), {
    env: cleanEnv(home, { STATE_DIR: state, FIXTURE_STATE: state, ...PATIENT, ...env }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const server = new Stdio(child, `${program} --stdio`);
  server.hasOwnTools = hasOwnTools(program, args, env);
  return server.guard(t, () => server.eof());
}

/* --- servers that a third-party client starts itself --- */

/**
 * A command line for clients that start their server: it records what each process wrote to
 * stderr and how it exited. check() waits for all of them and checks.
 */
export function watchedCommand(t, { program = 'vaultd', vault = EXAMPLE_VAULT, args = [] } = {}) {
  const dir = tempDir(t);
  const server = program === 'fixture' ? [FIXTURE, '--stdio'] : [VAULTD, 'serve', '--stdio', ...args, vault];
  // A client in a hurry sends SIGTERM to the shell, which still waits for the server.
  const script = 'trap true TERM; d=$1; shift; echo $$ >"$d/$$.pid"; "$@" 2>"$d/$$.err"; echo $? >"$d/$$.end"; mv "$d/$$.end" "$d/$$.code"';
  const watched = {
    command: '/bin/sh',
    args: ['-c', script, 'sh', dir, ...server],
    env: cleanEnv(dir, { STATE_DIR: path.join(dir, 'state'), FIXTURE_STATE: path.join(dir, 'state'), ...PATIENT }),
    /** How many servers were started; each has exited with 0, and cleanly. */
    async check() {
      const pids = readdirSync(dir).filter((f) => f.endsWith('.pid')).map((f) => f.slice(0, -4));
      for (const pid of pids) {
        await until(`server of shell ${pid} ends`, () => !existsSync(`/proc/${pid}`) || existsSync(`${dir}/${pid}.code`));
        assertNoSanitizer(readFileSync(`${dir}/${pid}.err`, 'utf8'), program);
        if (existsSync(`${dir}/${pid}.code`)) assert.equal(readFileSync(`${dir}/${pid}.code`, 'utf8'), '0\n');
      }
      return pids.length;
    },
  };
  return watched;
}
