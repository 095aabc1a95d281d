// The profile vault-sync against the document it comes from: six tools byte for byte, six error
// codes, OAuth with passwords, its flags and environment.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Server, TOP, VAULTD, cleanEnv, copyVault, fetchHttp, post, run, initializeMessage, startStdio, tempDir, withToken, Session } from '../support.mjs';
import { Browser, USERS, authorizePath, freePort, learned, redeem, startWithPeople } from './people.mjs';

const PROFILE = ['--profile', 'vault-sync'];
const URL_ = 'https://vault.example.com';
const start = (t, options = {}) => startWithPeople(t, { url: URL_, ...options, args: [...PROFILE, ...(options.args ?? [])] });

/** The six tools on a vault with these files, without sign-in, which has its own tests. */
async function withVault(t, files) {
  const dir = path.join(tempDir(t), 'vault');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
  const io = startStdio(t, { vault: dir, args: PROFILE });
  await io.initialize();
  const raw = async (name, args = {}) => (await io.request('tools/call', { name, arguments: args })).result;
  return {
    dir, io, raw,
    text: (name) => readFileSync(path.join(dir, name), 'utf8'),
    call: async (name, args) => {
      const result = await raw(name, args);
      assert.equal(result.isError, undefined, JSON.stringify(result));
      return JSON.parse(result.content[0].text);
    },
    fails: async (name, args) => {
      const result = await raw(name, args);
      assert.equal(result.isError, true, JSON.stringify(result));
      const body = JSON.parse(result.content[0].text);
      assert.deepEqual([Object.keys(body), Object.keys(body.error)], [['error'], ['code', 'message']]); // S1-90
      return body.error;
    },
  };
}

const aged = (dir, name, when) => utimesSync(path.join(dir, name), new Date(when), new Date(when));

/* --- the tools --- */

test('S1-01 S1-47 S1-53 S1-58 S1-66 S1-75 S1-83 six tools with these names and parameters', async (t) => {
  const { io } = await withVault(t, { 'a.md': '' });
  const { tools } = (await io.request('tools/list')).result;
  const shape = Object.fromEntries(tools.map((tool) => [tool.name, tool.inputSchema]));
  assert.deepEqual(Object.keys(shape), ['vault_list_all', 'vault_list', 'vault_read', 'vault_search', 'vault_write', 'vault_edit']);
  const types = (name) => Object.fromEntries(Object.entries(shape[name].properties).map(([key, { type }]) => [key, type]));
  assert.equal(shape.vault_list_all.required, undefined);
  assert.deepEqual(types('vault_list'), { path: 'string' });
  assert.equal(shape.vault_list.properties.path.default, '/');
  assert.deepEqual(types('vault_read'), { path: 'string', offset: 'integer', limit: 'integer' });
  assert.deepEqual([shape.vault_read.required, shape.vault_read.properties.offset.default], [['path'], 1]);
  assert.deepEqual(types('vault_search'), { query: 'string', max_results: 'integer' });
  assert.deepEqual([shape.vault_search.required, shape.vault_search.properties.max_results.default], [['query'], 20]);
  assert.deepEqual(types('vault_write'), { path: 'string', content: 'string', create_dirs: 'boolean' });
  assert.deepEqual([shape.vault_write.required, shape.vault_write.properties.create_dirs.default], [['path', 'content'], true]);
  assert.deepEqual(types('vault_edit'), { path: 'string', old_text: 'string', new_text: 'string' });
  assert.deepEqual(shape.vault_edit.required, ['path', 'old_text', 'new_text']);
});

test('S1-47 S1-48 S1-49 S1-51 S1-52 vault_list_all, byte for byte', async (t) => {
  const { dir, raw, io } = await withVault(t, {
    'projects/vault-sync.md': '---\ntags: [project, go]\n---\n# Vault Sync\n', 'daily/2026-02-08.md': '---\ntags: daily\n---\n',
    'image.png': 'not parsed', '.obsidian/app.json': '{}', '.hidden/x.md': 'x', 'projects/.dot.md': 'x',
  });
  for (const name of ['projects/vault-sync.md', 'daily/2026-02-08.md', 'image.png']) aged(dir, name, '2026-02-08T14:30:00Z');
  await io.request('tools/call', { name: 'vault_read', arguments: { path: 'image.png' } });
  const want = '{"total_files":3,"files":['
    + '{"path":"daily/2026-02-08.md","size":20,"modified":"2026-02-08T14:30:00Z","tags":["daily"]},'
    + '{"path":"image.png","size":10,"modified":"2026-02-08T14:30:00Z","tags":[]},'
    + '{"path":"projects/vault-sync.md","size":41,"modified":"2026-02-08T14:30:00Z","tags":["project","go"]}]}';
  for (let tries = 0; ; tries++) { // the times changed without the server's knowledge
    const { text } = (await raw('vault_list_all')).content[0];
    if (text === want) break;
    if (tries === 200) assert.equal(text, want);
  }
});

test('S1-50 S1-74 a change on disk is noticed', async (t) => {
  const { dir, call } = await withVault(t, { 'a.md': '---\ntags: [one]\n---\n' });
  assert.deepEqual((await call('vault_list_all')).files[0].tags, ['one']);
  writeFileSync(path.join(dir, 'a.md'), '---\ntags: [two, three]\n---\n');
  let tags;
  for (let tries = 0; tries < 500 && tags?.length !== 2; tries++) tags = (await call('vault_list_all')).files[0].tags;
  assert.deepEqual(tags, ['two', 'three']);
});

test('a list that is too long for one answer continues with its cursor', async (t) => {
  const names = Array.from({ length: 1500 }, (_, i) => `Note ${String(i).padStart(4, '0')} ${'x'.repeat(40)}.md`);
  const { call, fails } = await withVault(t, Object.fromEntries(names.map((name) => [name, 'x'])));
  const first = await call('vault_list_all');
  assert.equal(first.total_files, 1500);
  const second = await call('vault_list_all', { cursor: first.next_cursor });
  assert.equal(second.next_cursor, undefined);
  assert.deepEqual([...first.files, ...second.files].map((f) => f.path), names);
  assert.equal((await fails('vault_list_all', { cursor: 'x' })).code, 'INVALID_RANGE');
});

test('S1-53 S1-54 S1-55 vault_list, byte for byte', async (t) => {
  const { dir, raw } = await withVault(t, { 'projects/vault-sync.md': 'x'.repeat(2340), 'projects/archive/a.md': '', 'projects/archive/b/c.md': '' });
  aged(dir, 'projects/vault-sync.md', '2026-02-08T14:30:00Z');
  const { text } = (await raw('vault_list', { path: 'projects' })).content[0];
  const { path: shown, entries, total_entries } = JSON.parse(text);
  assert.deepEqual([shown, total_entries], ['/projects', 2]);
  const file = entries.find((e) => e.type === 'file'), folder = entries.find((e) => e.type === 'folder');
  assert.equal(JSON.stringify(file), '{"name":"vault-sync.md","type":"file","size":2340,"modified":"2026-02-08T14:30:00Z"}');
  assert.equal(JSON.stringify(folder), '{"name":"archive","type":"folder","children":2}');
  assert.deepEqual(JSON.parse((await raw('vault_list')).content[0].text), { path: '/', entries: [{ name: 'projects', type: 'folder', children: 2 }], total_entries: 1 });
});

test('S1-56 S1-57 S1-63 S1-65 S1-80 S1-81 S1-85 S1-91 S1-92 missing files and forbidden paths', async (t) => {
  const { fails, dir } = await withVault(t, { 'a.md': 'x', '.obsidian/app.json': '{}' });
  assert.equal((await fails('vault_list', { path: 'nope' })).code, 'FILE_NOT_FOUND');
  assert.deepEqual(await fails('vault_read', { path: 'projects/nonexistent.md' }),
    { code: 'FILE_NOT_FOUND', message: 'File not found: projects/nonexistent.md' });
  assert.deepEqual(await fails('vault_edit', { path: 'projects/nonexistent.md', old_text: 'a', new_text: 'b' }),
    { code: 'FILE_NOT_FOUND', message: 'File not found: projects/nonexistent.md' });
  for (const [name, more] of Object.entries({ vault_list: {}, vault_read: {}, vault_write: { content: 'x' }, vault_edit: { old_text: 'a', new_text: 'b' } }))
    for (const bad of ['../x.md', 'a/../../x.md', '..'])
      assert.equal((await fails(name, { path: bad, ...more })).code, 'PATH_NOT_ALLOWED', `${name} ${bad}`);
  for (const bad of ['.obsidian/app.json', '.obsidian/plugins/x.md'])
    assert.equal((await fails('vault_write', { path: bad, content: 'x' })).code, 'PATH_NOT_ALLOWED');
  assert.equal(readFileSync(path.join(dir, '.obsidian/app.json'), 'utf8'), '{}');
  assert.deepEqual(readdirSync(path.dirname(dir)), ['vault']);
});

test('S1-58 S1-59 S1-60 S1-61 S1-62 S1-64 S1-91 vault_read', async (t) => {
  const long = Array.from({ length: 347 }, (_, i) => `line ${i + 1}`).join('\n');
  const { raw, call, fails } = await withVault(t, { 'long.md': long, 'short.md': 'a\nb\n', 'data.csv': '1,2\n' });
  assert.equal((await raw('vault_read', { path: 'short.md' })).content[0].text, '{"path":"short.md","total_lines":2,"showing":[1,2],"content":"a\\nb\\n"}');
  assert.equal((await raw('vault_read', { path: 'data.csv' })).content[0].text, '{"path":"data.csv","total_lines":1,"showing":[1,1],"content":"1,2\\n"}');
  const cut = await call('vault_read', { path: 'long.md' });
  assert.deepEqual([cut.total_lines, cut.showing, cut.truncated], [347, [1, 200], true]);
  const some = await call('vault_read', { path: 'long.md', offset: 1, limit: 100 });
  assert.deepEqual(some, { path: 'long.md', total_lines: 347, showing: [1, 100], content: long.split('\n').slice(0, 100).join('\n') + '\n' });
  assert.equal((await call('vault_read', { path: 'long.md', limit: 0 })).content, long);
  assert.deepEqual((await call('vault_read', { path: 'long.md', offset: 201, limit: 0 })).showing, [201, 347]);
  for (const args of [{ offset: 0 }, { offset: -1 }, { offset: 348 }, { limit: -5 }])
    assert.equal((await fails('vault_read', { path: 'long.md', ...args })).code, 'INVALID_RANGE', JSON.stringify(args));
});

test('S1-62 the threshold is configurable', async (t) => {
  const dir = path.join(tempDir(t), 'vault');
  mkdirSync(dir);
  writeFileSync(path.join(dir, 'a.md'), '1\n2\n3\n');
  const io = startStdio(t, { vault: dir, args: [...PROFILE, '--read-lines', '2'] });
  await io.initialize();
  const { content } = (await io.request('tools/call', { name: 'vault_read', arguments: { path: 'a.md' } })).result;
  assert.equal(content[0].text, '{"path":"a.md","total_lines":3,"showing":[1,2],"content":"1\\n2\\n","truncated":true}');
});

test('S1-66 S1-67 S1-68 S1-69 S1-70 S1-71 S1-72 S1-73 vault_search', async (t) => {
  const before = 'The house is warm because the Go-based ', after = ' communicates via MQTT with every room of it, always';
  const { raw, call } = await withVault(t, {
    'homelab/Heating-Controller.md': 'nothing\n',
    'projects/home-automation.md': '---\ntitle: x\ntags: [heating-controller, go, mqtt]\n---\n',
    'projects/heating-system.md': `one\n\n${before}heating-controller${after}\n`,
  });
  const found = await call('vault_search', { query: 'HEATING-controller' });
  assert.deepEqual(Object.keys(found), ['query', 'total_matches', 'results']);
  assert.deepEqual([found.query, found.total_matches], ['HEATING-controller', 4]);
  assert.deepEqual(found.results.map((r) => r.match_type), ['filename', 'tag', 'content', 'content']);
  for (const r of found.results) assert.deepEqual(Object.keys(r), ['path', 'match_type', 'snippet', 'line']);
  const { snippet, line, path: where } = found.results.find((r) => r.match_type === 'content' && r.path.endsWith('heating-system.md'));
  assert.deepEqual([where, line], ['projects/heating-system.md', 3]);
  assert.match(snippet, /Go-based \*\*heating-controller\*\* communicates via MQTT/);
  assert.ok(snippet.length > 80 && snippet.length < 200, snippet);
  assert.match(found.results[0].snippet, /\*\*Heating-Controller\*\*/);
  assert.equal((await call('vault_read', { path: where, offset: line, limit: 1 })).content, `${before}heating-controller${after}\n`);
  assert.equal((await call('vault_search', { query: 'e', max_results: 1 })).results.length, 1);
  assert.equal((await raw('vault_search', { query: 'zzz' })).content[0].text, '{"query":"zzz","total_matches":0,"results":[]}');
});

test('vault_search returns twenty results by default', async (t) => {
  const { call } = await withVault(t, Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`n${i}.md`, 'needle\n'])));
  const { total_matches, results } = await call('vault_search', { query: 'needle' });
  assert.deepEqual([total_matches, results.length], [30, 20]);
});

test('S1-75 S1-76 S1-77 S1-78 S1-79 S1-82 vault_write, byte for byte', async (t) => {
  const { raw, text, call, fails, dir } = await withVault(t, { 'old.md': 'old' });
  chmodSync(path.join(dir, 'old.md'), 0o640);
  assert.equal((await raw('vault_write', { path: 'projects/new-idea.md', content: 'one\ntwo\n' })).content[0].text,
    '{"path":"projects/new-idea.md","created":true,"size":8,"total_lines":2}');
  assert.equal(text('projects/new-idea.md'), 'one\ntwo\n');
  const { ino } = statSync(path.join(dir, 'old.md'));
  assert.equal((await raw('vault_write', { path: 'old.md', content: 'ü' })).content[0].text, '{"path":"old.md","created":false,"size":2,"total_lines":1}');
  assert.notEqual(statSync(path.join(dir, 'old.md')).ino, ino, 'another file took its place');
  assert.equal(statSync(path.join(dir, 'old.md')).mode & 0o777, 0o640);
  assert.deepEqual(readdirSync(dir).sort(), ['old.md', 'projects']);
  assert.equal((await call('vault_search', { query: 'two' })).total_matches, 1);
  assert.equal((await fails('vault_write', { path: 'none/x.md', content: '', create_dirs: false })).code, 'FILE_NOT_FOUND');
});

test('S1-82 S1-83 S1-84 S1-86 S1-87 S1-88 S1-89 S1-91 vault_edit, byte for byte', async (t) => {
  const { raw, text, fails, call } = await withVault(t, { 'a.md': 'one\n  two\nthree three\n' });
  assert.equal((await raw('vault_edit', { path: 'a.md', old_text: '  two\n', new_text: 'zwei\nund\n' })).content[0].text, '{"path":"a.md","replaced":true,"total_lines":4}');
  assert.equal(text('a.md'), 'one\nzwei\nund\nthree three\n');
  assert.equal((await call('vault_search', { query: 'zwei' })).total_matches, 1);
  await call('vault_edit', { path: 'a.md', old_text: 'und\n', new_text: '' });
  assert.equal(text('a.md'), 'one\nzwei\nthree three\n');
  assert.deepEqual(await fails('vault_edit', { path: 'a.md', old_text: 'ONE', new_text: '' }), { code: 'TEXT_NOT_FOUND', message: 'Text not found in file' });
  assert.deepEqual(await fails('vault_edit', { path: 'a.md', old_text: 'nothing like it', new_text: '' }), { code: 'TEXT_NOT_FOUND', message: 'Text not found in file' });
  assert.deepEqual(await fails('vault_edit', { path: 'a.md', old_text: 'three', new_text: '' }),
    { code: 'TEXT_NOT_UNIQUE', message: 'Text appears 2 times in file, must be unique' });
  assert.equal(text('a.md'), 'one\nzwei\nthree three\n');
});

/* --- settings --- */

const serve = (t, args, env = {}) => run(VAULTD, args, { env: cleanEnv(tempDir(t), env) });

test('S1-06 S1-08 S1-09 required settings must be given', async (t) => {
  const vault = copyVault(t);
  const AUTH_USERS = `anna:${USERS.anna.hash}`;
  for (const [env, want] of [
    [{ SERVER_URL: URL_, AUTH_USERS }, /VAULT_PATH/],
    [{ VAULT_PATH: vault, AUTH_USERS }, /--server-url/],
    [{ VAULT_PATH: vault, SERVER_URL: URL_ }, /--auth-users/],
    [{ VAULT_PATH: vault, SERVER_URL: URL_, AUTH_USERS: 'anna:plain' }, /bcrypt/],
    [{ VAULT_PATH: '/no/such', SERVER_URL: URL_, AUTH_USERS }, /vault/],
  ]) {
    const { code, stderr } = await serve(t, PROFILE, env);
    assert.notEqual(code, 0);
    assert.match(stderr, want);
  }
});

test('S1-05 S1-07 S1-10 flags win over the environment; the defaults are the document\'s', async (t) => {
  const server = await start(t, { env: { LOG_LEVEL: 'error', SERVER_URL: 'https://other.example' }, args: ['--log-level', 'info'] });
  await server.says(/info serving/);
  const { message } = await fetchHttp(server, { method: 'GET', path: '/.well-known/oauth-authorization-server' });
  assert.equal(message.issuer, URL_);
  const { stdout } = await run(VAULTD, ['docs', 'settings'], { env: cleanEnv(tempDir(t)) });
  assert.match(stdout, /`--log-level LEVEL`.*`info`/);
});

test('S1-07 S1-98 S1-99 S1-100 the document\'s systemd unit, run unchanged', async (t) => {
  const unit = readFileSync(path.join(TOP, 'tests/e2e/e2e/vault-sync.service'), 'utf8');
  const environment = Object.fromEntries([...unit.matchAll(/^Environment=(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]));
  assert.deepEqual(Object.keys(environment), ['VAULT_PATH', 'LISTEN_ADDR', 'SERVER_URL', 'AUTH_USERS']);
  assert.match(unit, /After=network\.target vault-sync\.service[\s\S]*Restart=always[\s\S]*WantedBy=multi-user\.target/);
  const program = path.join(tempDir(t), path.basename(unit.match(/^ExecStart=(.*)$/m)[1]));
  symlinkSync(VAULTD, program);
  const home = tempDir(t), port = await freePort();
  const child = spawn(program, [], {
    env: cleanEnv(home, { ...environment, VAULT_PATH: copyVault(t), LISTEN_ADDR: `:${port}`, AUTH_USERS: `alex:${USERS.anna.hash}` }),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const server = new Server(child, 'the unit');
  server.guard(t, () => server.stop());
  await server.says(/serving/);
  server.port = port;
  const { status, headers } = await post(server, initializeMessage(), { host: 'vault.example.com' });
  assert.equal(status, 401);
  assert.match(headers['www-authenticate'], /^Bearer resource_metadata="https:\/\/vault\.example\.com\/\.well-known\/oauth-protected-resource"/);
});

test('S1-11 S1-12 vault-sync-mcp hash-password makes a hash that its user can sign in with', async (t) => {
  const program = path.join(tempDir(t), 'vault-sync-mcp');
  symlinkSync(VAULTD, program);
  const { code, stdout, stderr } = await run(program, ['hash-password'], { env: cleanEnv(tempDir(t)), input: 'a long password\n' });
  assert.equal(code, 0, stderr);
  assert.match(stdout.trim(), /^\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}$/);
  const server = await start(t, { env: { AUTH_USERS: `zoe:${stdout.trim()}` } });
  const browser = new Browser(server);
  const client_id = await register(server);
  const login = await browser.get(authorizePath(client_id));
  assert.equal((await browser.submit(login.forms[0], { username: 'zoe', password: 'a long password' })).status, 303);
});

/* --- signing in, step by step --- */

const REGISTRATION = {
  client_name: 'Claude', redirect_uris: ['https://claude.ai/oauth/callback'], grant_types: ['authorization_code'], response_types: ['code'],
  token_endpoint_auth_method: 'none',
};

async function register(server, changes = {}) {
  const answer = await fetchHttp(server, { path: '/oauth/register', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ client_name: 'Test', redirect_uris: ['https://client.example/callback'], token_endpoint_auth_method: 'none', ...changes }) });
  assert.equal(answer.status, 201, answer.text);
  return answer.message.client_id;
}

test('S1-14 S1-36 S1-46 S1-91 without a token: 401, with where to sign in', async (t) => {
  const server = await start(t);
  for (const headers of [{}, { authorization: 'Bearer nonsense' }]) {
    const answer = await post(server, initializeMessage(), headers);
    assert.equal(answer.status, 401);
    assert.ok(answer.headers['www-authenticate'].startsWith(`Bearer resource_metadata="${URL_}/.well-known/oauth-protected-resource"`), answer.headers['www-authenticate']);
    assert.equal(answer.message.error.code, 'AUTH_REQUIRED');
  }
  assert.equal((await fetchHttp(server, { method: 'GET', headers: {} })).status, 401);
});

test('S1-13 S1-15 S1-16 S1-23 S1-24 S1-25 S1-26 S1-27 S1-28 S1-29 both metadata documents', async (t) => {
  const server = await start(t);
  const resource = (await fetchHttp(server, { method: 'GET', path: '/.well-known/oauth-protected-resource' })).message;
  assert.deepEqual([resource.resource, resource.authorization_servers, resource.bearer_methods_supported], [URL_, [URL_], ['header']]);
  const { message } = await fetchHttp(server, { method: 'GET', path: '/.well-known/oauth-authorization-server' });
  for (const [name, value] of Object.entries({
    issuer: URL_, authorization_endpoint: `${URL_}/oauth/authorize`, token_endpoint: `${URL_}/oauth/token`, registration_endpoint: `${URL_}/oauth/register`,
    response_types_supported: ['code'], grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
    code_challenge_methods_supported: ['S256'], token_endpoint_auth_methods_supported: ['none', 'client_secret_post', 'client_secret_basic'],
  })) assert.deepEqual(message[name], value, name);
});

test('S1-17 S1-30 S1-31 S1-33 S1-34 S1-102 the document\'s registration request', async (t) => {
  const server = await start(t);
  const answer = await fetchHttp(server, { path: '/oauth/register', headers: { 'content-type': 'application/json' }, body: JSON.stringify(REGISTRATION) });
  assert.equal(answer.status, 201);
  assert.ok(answer.message.client_id.length >= 16);
  for (const [name, value] of Object.entries(REGISTRATION)) assert.deepEqual(answer.message[name], value, name);
  assert.equal(answer.message.client_secret, undefined);
  for (const uri of ['https://a.example/cb?x=1', 'http://localhost:33418/callback', 'http://127.0.0.1/cb', 'com.example.app://callback/done'])
    await register(server, { redirect_uris: [uri] });
});

test('S1-03 S1-18 S1-19 S1-20 S1-21 S1-22 S1-35 S1-39 S1-41 S1-43 S1-44 S1-45 from the login form to a call with a token', async (t) => {
  const server = await start(t);
  const client_id = await register(server);
  const browser = new Browser(server);
  const at = authorizePath(client_id, { resource: URL_, scope: undefined });
  const login = await browser.get(at);
  assert.match(login.text, /type="password"/);
  assert.equal((await browser.signIn(login, 'anna', 'wrong')).location, undefined);
  const { code, state } = await browser.allow(at);
  assert.equal(state, 'a state & more');
  const form = { grant_type: 'authorization_code', client_id, code, redirect_uri: 'https://client.example/callback' };
  const wrong = await fetch(`${server.origin}/oauth/token`, { method: 'POST', body: new URLSearchParams({ ...form, code_verifier: 'x'.repeat(50) }) });
  assert.deepEqual([wrong.status, (await wrong.json()).error], [400, 'invalid_grant']);
  const again = learned(await browser.get(at)); // already allowed
  const tokens = await redeem(server, client_id, again.code);
  assert.equal(tokens.status, 200, JSON.stringify(tokens));
  assert.match(tokens.access_token, /^[0-9a-f]{64}$/);
  assert.deepEqual([tokens.token_type.toLowerCase(), tokens.expires_in], ['bearer', 86400]);
  assert.equal((await redeem(server, client_id, again.code)).error, 'invalid_grant', 'a code is good once');
});

test('S1-22 S1-43 S1-44 S1-45 a session with a token', async (t) => {
  const server = await start(t);
  const client_id = await register(server);
  const { code } = await new Browser(server).allow(authorizePath(client_id));
  const { access_token } = await redeem(server, client_id, code);
  const session = await Session.open(withToken(server, access_token), '2025-03-26');
  const answer = await session.call('vault_list', {});
  assert.equal(JSON.parse(answer.message.result.content[0].text).path, '/');
  const stream = await session.listen();
  assert.deepEqual([stream.status, stream.headers['content-type']], [200, 'text/event-stream']);
  stream.close();
});

test('S1-32 S1-37 S1-40 S1-42 with --state memory nothing is written, and a restart forgets tokens and clients', async (t) => {
  const state = path.join(tempDir(t), 'state');
  const first = await start(t, { args: ['--state', 'memory'], state });
  const client_id = await register(first);
  const { code } = await new Browser(first).allow(authorizePath(client_id));
  const { access_token } = await redeem(first, client_id, code);
  assert.equal((await post(withToken(first, access_token), initializeMessage())).status, 200);
  await first.stop();
  assert.ok(!readdirSync(state).includes('oauth.db'));
  const second = await start(t, { args: ['--state', 'memory'], state });
  assert.equal((await post(withToken(second, access_token), initializeMessage())).status, 401);
  assert.notEqual((await new Browser(second).get(authorizePath(client_id))).status, 200);
});

test('S1-103 without --state memory both survive', async (t) => {
  const state = path.join(tempDir(t), 'state');
  const first = await start(t, { state });
  const client_id = await register(first);
  const { code } = await new Browser(first).allow(authorizePath(client_id));
  const { access_token } = await redeem(first, client_id, code);
  await first.stop();
  const second = await start(t, { state });
  assert.equal((await post(withToken(second, access_token), initializeMessage())).status, 200);
});

test('S1-104 the resource parameter: this server, with or without /mcp, and nothing else', async (t) => {
  const server = await start(t);
  const client_id = await register(server);
  for (const [resource, good] of [[URL_, true], [`${URL_}/mcp`, true], [`${URL_}/`, true], ['https://other.example', false]]) {
    const { status, text } = await new Browser(server).get(authorizePath(client_id, { resource }));
    assert.equal(status === 200 && /type="password"/.test(text), good, resource);
  }
});

test('S1-02 S1-04 another program adds and removes files: the server only watches', async (t) => {
  const { dir, call } = await withVault(t, { 'a.md': 'x' });
  writeFileSync(path.join(dir, 'synced.md'), 'by the daemon\n');
  assert.equal((await call('vault_read', { path: 'synced.md' })).content, 'by the daemon\n');
  const { stdout } = await run('ls', ['-A', dir]);
  assert.deepEqual(stdout.trim().split('\n').sort(), ['a.md', 'synced.md']);
});

test('S1-97 one binary that needs none of our other files', async (t) => {
  const { stdout } = await run(VAULTD, ['--version'], { env: cleanEnv(tempDir(t)), cwd: '/' });
  assert.match(stdout, /^vaultd \d/);
});
