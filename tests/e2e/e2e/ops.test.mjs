// What operators see: /health for everyone, in one word; details and counters on a separate
// listener; secrets that do not stay where others can see them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import test from 'node:test';
import { PORTABLE, TOP, VAULTD, WATCHING, cleanEnv, copyVault, fetchHttp, modernMessage, postModern, run, startHttp, tempDir, until } from '../support.mjs';
import { makeWorld } from './git_world.mjs';
import { CALLBACK, USERS, letIn, startWithPeople } from './people.mjs';

const get = (server, target, headers = {}) => fetchHttp(server, { method: 'GET', path: target, headers });

async function startWithOps(t, options = {}) {
  const server = await startHttp(t, { ...options, args: ['--ops-addr', '127.0.0.1:0', ...(options.args ?? [])] });
  server.ops = { port: Number((await server.says(/ ops .*port=(\d+)/))[1]) };
  await until('it is ready', async () => (await get(server, '/health')).status === 200);
  return server;
}

test('/health says one word to everyone', async (t) => {
  const vault = copyVault(t);
  const server = await startWithPeople(t, { vault });
  await until('it is ready', async () => (await get(server, '/health')).status === 200);
  const answer = await get(server, '/health');
  assert.deepEqual(answer.message, { status: 'ok' });
  assert.equal(answer.headers['cache-control'], 'no-store');
  assert.equal((await fetchHttp(server, { method: 'POST', path: '/health' })).status, 405);
  assert.equal((await get(server, '/metrics')).status, 404);
  renameSync(vault, `${vault}-gone`);
  const gone = await get(server, '/health');
  assert.deepEqual([gone.status, gone.message], [503, { status: 'failing' }]);
  renameSync(`${vault}-gone`, vault);
  assert.equal((await get(server, '/health')).status, 200);
});

test('with --stop-delay, /health fails first', async (t) => {
  const server = await startHttp(t, { args: ['--stop-delay', '20'] });
  await until('it is ready', async () => (await get(server, '/health')).status === 200);
  server.child.kill('SIGTERM');
  const health = await until('it fails', async () => {
    const answer = await get(server, '/health');
    return answer.status !== 200 && answer;
  });
  assert.deepEqual([health.status, health.message], [503, { status: 'stopping' }]);
  assert.ok(!(await postModern(server, modernMessage('tools/call', { name: 'vault_info', arguments: {} }))).message.result.isError, 'calls are served');
  await server.stop(); // a second signal: it does not wait
});

test('operators see details and counters', async (t) => {
  const server = await startWithOps(t);
  const message = await until('watching', async () => {
    const health = (await get(server.ops, '/health')).message;
    return health.vaults[0].watching !== 'off' && health; // it begins after the index is ready
  });
  assert.equal(message.status, 'ok');
  assert.equal(message.sign_in, false);
  assert.match(message.version, /^\d+\.\d+\.\d+/);
  assert.ok(message.uptime_seconds >= 0);
  assert.deepEqual(message.vaults.map((v) => [v.name, v.status, v.index.ready, v.watching]), [['vault', 'ok', true, WATCHING]]);

  assert.equal((await postModern(server, modernMessage('tools/call', { name: 'vault_info', arguments: {} }))).status, 200);
  await postModern(server, modernMessage('tools/call', { name: 'vault_read', arguments: { path: 'nowhere.md' } }));
  await postModern(server, modernMessage('made/up'));
  const { text, headers } = await get(server.ops, '/metrics');
  assert.match(headers['content-type'], /^text\/plain; version=0\.0\.4/);
  for (const line of [
    'vaultd_calls_total{name="vault_info",outcome="ok"} 1', 'vaultd_calls_total{name="vault_info",outcome="error"} 0',
    'vaultd_calls_total{name="vault_read",outcome="error"} 1', 'vaultd_vaults_ready 1', '# TYPE vaultd_notes gauge',
  ])
    assert.ok(text.includes(`${line}\n`), `${line} in ${text}`);
  assert.match(text, /^vaultd_notes [1-9]\d*$/m);
  assert.match(text, /^vaultd_http_connections \d+$/m);
  assert.match(text, /^process_resident_memory_bytes [1-9]/m);
  assert.doesNotMatch(text, /made|nowhere/);
  for (const line of text.trimEnd().split('\n')) assert.match(line, /^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{[a-z]+="[^"\n]*"(,[a-z]+="[^"\n]*")*\})? [-+.0-9eInf]+)$/);
  assert.equal((await get(server.ops, '/mcp')).status, 404);
});

test('a server that syncs reports every metric of the dashboard and of docs/metrics.md, with their labels', async (t) => {
  const w = makeWorld(t);
  const server = await startWithOps(t, { vault: w.vault, state: w.state, args: ['--git-remote', w.remote, '--audit', path.join(tempDir(t), 'audit', 'calls.jsonl')] });
  await postModern(server, modernMessage('tools/call', { name: 'vault_info', arguments: {} }));
  const text = await until('the first sync is over', async () => {
    const { text } = await get(server.ops, '/metrics');
    return text.includes('vaultd_sync_success_age_seconds ') && text;
  });
  const panels = readFileSync(path.join(TOP, 'examples/grafana/vaultd.json'), 'utf8'), page = readFileSync(path.join(TOP, 'docs/metrics.md'), 'utf8');
  const exprs = JSON.parse(panels).panels.flatMap((panel) => panel.targets.map((target) => target.expr));
  const listed = [...page.matchAll(/^\| `([a-z_]+)\S* \| (counter|gauge|histogram) \|/gm)];
  assert.ok(exprs.length > 15 && listed.length > 20, `${exprs.length} ${listed.length}`);
  for (const [, name, type] of listed) assert.ok(text.includes(`# TYPE ${name} ${type}\n`), name);
  for (const expr of exprs) {
    for (const [name] of expr.matchAll(/(vaultd|process)_[a-z_]+/g)) assert.match(text, new RegExp(`^${name}(\\{| )`, 'm'), expr);
    for (const [, label] of expr.matchAll(/(?:by \(|\{)([a-z]+)/g)) assert.match(text, new RegExp(`[{,]${label}="`), expr);
    for (const [, pair] of expr.matchAll(/\{([a-z]+="[a-z]+")\}/g)) assert.ok(text.includes(pair), expr);
  }
});

test('a stop ends both listeners, even during a request', async (t) => {
  const server = await startWithOps(t);
  const agent = new http.Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  await new Promise((done) => http.get({ port: server.ops.port, host: '127.0.0.1', path: '/health', agent }, (r) => r.resume().once('end', done)));
  await server.stop();
});

test('on a unix socket', async (t) => {
  const socketPath = path.join(tempDir(t), 'ops');
  const server = await startHttp(t, { args: ['--ops-addr', `unix:${socketPath}`] });
  await until('it is ready', async () => (await get({ socketPath }, '/health', { host: 'localhost' })).status === 200);
  assert.equal(typeof server.port, 'number');
});

test('an operator address that is in use or invalid prevents startup', async (t) => {
  const server = await startHttp(t);
  const tried = (address) => run(VAULTD, ['serve', '--port', '0', '--ops-addr', address, copyVault(t)], { env: cleanEnv(tempDir(t)) });
  const taken = await tried(`127.0.0.1:${server.port}`);
  assert.equal(taken.code, 1, taken.stderr);
  const none = await tried('nonsense');
  assert.equal(none.code, 2);
  assert.match(none.stderr, /ops-addr: .*'nonsense'/);
  for (const address of [':9090', '0.0.0.0:9090', '192.0.2.1:9090', '[::]:9090']) {
    const open = await tried(address);
    assert.equal(open.code, 2, address);
    assert.match(open.stderr, /ops-addr '.*' is open to other machines, .*: give a loopback address/);
  }
});

test('SEC-74 secrets are removed from the environment, and not accepted as arguments', async (t) => {
  const secrets = { AUTH_USERS: `anna:${USERS.anna.hash}`, GITHUB_CLIENT_SECRET: 'gh-very-secret', OIDC_CLIENT_SECRET: 'oidc-very-secret' };
  const server = await startWithPeople(t, { env: secrets });
  let environment = '';
  try {
    environment = readFileSync(`/proc/${server.pid}/environ`, 'latin1');
  } catch (error) {
    assert.equal(error.code, 'EACCES'); // only root may read it
  }
  for (const value of Object.values(secrets)) assert.ok(!environment.includes(value));

  const dir = tempDir(t);
  const tried = (args, env = {}) => run(VAULTD, ['serve', ...args, copyVault(t)], { env: cleanEnv(dir, env) });
  writeFileSync(path.join(dir, 'empty'), '\n');
  for (const [args, env, says] of [
    [['--github-client-secret', 'x'], {}, /unknown option '--github-client-secret'/],
    [['--github-client-secret-file', '/nonexistent'], {}, /GITHUB_CLIENT_SECRET_FILE: it cannot be opened/],
    [['--oidc-client-secret-file', path.join(dir, 'empty')], {}, /OIDC_CLIENT_SECRET_FILE is empty/],
    [['--oidc-client-secret-file', path.join(dir, 'empty')], { OIDC_CLIENT_SECRET: 'hush' }, /OIDC_CLIENT_SECRET or OIDC_CLIENT_SECRET_FILE, not both/],
    [['--oidc-issuer', 'https://id.example'], {}, /--oidc-client-id/],
    [['--oidc-issuer', 'https://id.example', '--oidc-client-id', 'x'], {}, /--oidc-allowed/],
    [['--auth', 'none', '--trusted-proxies', '10.0.0.0/99'], {}, /trusted-proxies: '10\.0\.0\.0\/99'/],
    [['--rate-address', '119'], {}, /rate-address must be 0 or at least 120/],
  ]) {
    const end = await tried(args, env);
    assert.equal(end.code, 2, end.stderr);
    assert.match(end.stderr, says);
    assert.doesNotMatch(end.stderr, /hush/);
  }
});

/* --- SIGHUP --- */

test('SEC-104: SIGHUP reads clients again; a broken file changes nothing', async (t) => {
  const file = path.join(tempDir(t), 'clients.json');
  const robot = (name) => ({ client_id: name, client_secret: `secret of ${name}`, grant_types: ['client_credentials'], scope: 'vault:read' });
  writeFileSync(file, JSON.stringify([robot('one')]));
  const server = await startWithPeople(t, { env: { OAUTH_CLIENTS_FILE: file } });
  const token = async (name) => {
    const authorization = `Basic ${Buffer.from(`${name}:${encodeURIComponent(`secret of ${name}`)}`).toString('base64')}`;
    const answer = await fetch(`${server.origin}/oauth/token`, { method: 'POST', headers: { authorization }, body: new URLSearchParams({ grant_type: 'client_credentials' }) });
    return answer.status === 200 ? (await answer.json()).access_token : undefined;
  };
  const may = async (value) => (await postModern(server, modernMessage('server/discover'), { authorization: `Bearer ${value}` })).status === 200;
  const hup = async (pattern) => {
    const before = server.stderr.length;
    server.child.kill('SIGHUP');
    const said = await until('it has reloaded', () => server.stderr.slice(before).match(/^[^]*(reloaded what=all|reloaded_in_part)/));
    assert.match(said[0], pattern);
  };
  const first = await token('one');
  assert.ok(first && (await may(first)) && !(await token('two')));
  writeFileSync(file, JSON.stringify([robot('two')]));
  await hup(/reloaded what=clients/);
  assert.ok(!(await token('one')) && !(await may(first)), 'a client that is gone');
  const second = await token('two');
  assert.ok(second);
  writeFileSync(file, '[{');
  await hup(/reloaded what=users\n.*not_reloaded what=clients error=/s);
  assert.ok((await may(second)) && (await token('two')));
});

test('SEC-104: SIGHUP says that a broken users file was not read', async (t) => {
  const file = path.join(tempDir(t), 'users');
  writeFileSync(file, `anna:${USERS.anna.hash}\n`);
  const server = await startWithPeople(t, { env: { AUTH_USERS: '', AUTH_USERS_FILE: file } });
  writeFileSync(file, 'anna:no hash\n');
  await letIn(server, { name: 'anna' }); // the file was looked at before the signal
  server.child.kill('SIGHUP');
  await server.says(/not_reloaded what=users error=/);
  await letIn(server, { name: 'anna' });
});

test('SEC-104: a broken users file does not keep the clients from being read, and what is gone stays gone', async (t) => {
  const folder = tempDir(t), users = path.join(folder, 'users'), clients = path.join(folder, 'clients.json'), state = path.join(folder, 'state');
  const app = { client_id: 'app', client_name: 'App', redirect_uris: [CALLBACK], grant_types: ['authorization_code', 'refresh_token'] };
  writeFileSync(users, `anna:${USERS.anna.hash}\n`);
  writeFileSync(clients, JSON.stringify([app]));
  const start = () => startWithPeople(t, { state, env: { AUTH_USERS: '', AUTH_USERS_FILE: users, OAUTH_CLIENTS_FILE: clients } });
  const server = await start();
  const { token } = await letIn(server, { client: 'app' });
  const may = async (at) => (await postModern(at, modernMessage('server/discover'), { authorization: `Bearer ${token}` })).status === 200;
  assert.ok(await may(server));
  writeFileSync(clients, '[]');
  writeFileSync(users, 'anna:no hash\n');
  server.child.kill('SIGHUP');
  await server.says(/not_reloaded what=users .*reloaded what=clients.*reloaded_in_part/s);
  assert.doesNotMatch(server.stderr, /reloaded what=all/);
  assert.ok(!(await may(server)));
  await server.stop();
  writeFileSync(users, `anna:${USERS.anna.hash}\n`);
  const again = await start();
  assert.ok(!(await may(again)), 'after a restart');
  await again.stop();
  writeFileSync(clients, JSON.stringify([app]));
  assert.ok(!(await may(await start())), 'after it was added again');
});

test('SEC-104: SIGHUP opens a log file again that was renamed', async (t) => {
  if (PORTABLE) return t.skip('a portable build does not know where its log is');
  const home = tempDir(t), folder = path.join(home, 'log'), file = path.join(folder, 'vaultd.log');
  mkdirSync(folder);
  const log = openSync(file, 'a');
  const child = spawn(VAULTD, ['serve', '--port', '0', copyVault(t)], { env: cleanEnv(home, { STATE_DIR: path.join(home, 'state') }), stdio: ['ignore', 'ignore', log] });
  closeSync(log);
  t.after(() => child.kill('SIGKILL'));
  const ended = new Promise((done) => child.once('close', (code) => done(code)));
  await until('it serves', () => /serving/.test(readFileSync(file, 'utf8')));
  await until('it is indexed', () => /indexed/.test(readFileSync(file, 'utf8')));
  renameSync(file, `${file}.1`);
  child.kill('SIGHUP');
  await until('there is a new log', () => existsSync(file) && /reloaded what=all/.test(readFileSync(file, 'utf8')));
  child.kill('SIGTERM');
  assert.equal(await ended, 0);
  assert.match(readFileSync(file, 'utf8'), /stopped/);
  assert.doesNotMatch(readFileSync(`${file}.1`, 'utf8'), /stopped/);
});
