// Profile vault-git: a vault in git behind GitHub sign-in and JWTs, with the tools of the MCP
// filesystem server and some for Obsidian. Everything is set by environment variables alone.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test from 'node:test';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  MODERN, Server, Session, TOP, VAULTD, cleanEnv, fetchHttp, initializeMessage, modernMessage, post, postModern, run, tempDir, until, untilRefused, withToken,
} from '../support.mjs';
import { startGitHub } from '../standins.mjs';
import { pushPhone } from './git_world.mjs';
import { Browser, authorizePath, freePort, learned, register, writing } from './people.mjs';

const TOOLS = [
  'read_file', 'write_file', 'edit_file', 'delete_file', 'rename_file', 'list_directory', 'create_directory', 'search_files', 'grep',
  'find_files', 'get_vault_info', 'get_backlinks', 'get_tags', 'get_obsidian_guide', 'get_claude_context',
];
const WRITING = ['write_file', 'edit_file', 'delete_file', 'rename_file', 'create_directory'];

/* --- the surroundings: a remote, a phone, GitHub --- */

const FILES = {
  'CLAUDE.md': '# Rules of the root\n\nAnswer in English.\n',
  'Home.md': '---\ntags: [start]\n---\n# Home\n\nSee [[Plan]] and [[Garden/Leek|leeks]].\nThe *second* line.\n',
  'Projects/CLAUDE.md': 'Rules of Projects\n',
  'Projects/Plan.md': '# Plan\n\n- [ ] write it #work/open\n- [x] think\n\nBack to [[Home]].\n',
  'Projects/Deep/CLAUDE.md': 'Rules of Deep\n',
  'Projects/Deep/Note.md': 'deep\n',
  'Garden/Leek.md': 'Leeks (and onions)\r\nare hardy.\r\n#work\n',
  'Garden/leek.csv': 'name,count\nleek,40\n',
};

function writeFiles(folder, files) {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
    writeFileSync(path.join(folder, file), text);
  }
}

/** A bare repository with the files, and the clone of a phone with Obsidian Git. */
function makeRemote(t, files = FILES) {
  const top = tempDir(t);
  const env = {
    PATH: process.env.PATH, HOME: top, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'ann@example.org', GIT_COMMITTER_NAME: 'Ann', GIT_COMMITTER_EMAIL: 'ann@example.org',
  };
  const git = (cwd, ...args) => execFileSync('git', args, { cwd: path.join(top, cwd), env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  git('', 'init', '--quiet', '--bare', '--initial-branch=main', 'remote.git');
  git('', 'clone', '--quiet', 'remote.git', 'phone');
  git('phone', 'checkout', '-q', '-B', 'main');
  const remote = {
    top, git, url: path.join(top, 'remote.git'), vault: path.join(top, 'vault'),
    push(changed, subject) {
      writeFiles(path.join(top, 'phone'), changed);
      git('phone', 'add', '.');
      git('phone', 'commit', '--quiet', '-m', subject);
      pushPhone(git);
    },
    subjects: () => git('remote.git', 'log', '--format=%s', 'main').split('\n'),
    files: () => git('remote.git', '-c', 'core.quotePath=false', 'ls-tree', '-r', '--name-only', 'main').split('\n'),
    text: (file) => git('remote.git', 'show', `main:${file}`),
  };
  writeFiles(path.join(top, 'phone'), files);
  git('phone', 'add', '.');
  git('phone', 'commit', '--quiet', '-m', 'phone: begin');
  git('phone', 'push', '--quiet', 'origin', 'main');
  return remote;
}

/** The server's whole environment. */
async function environment(t, remote, { allowed = 'ada', ...more } = {}) {
  const github = await startGitHub();
  t.after(() => github.stop());
  const port = await freePort();
  const env = {
    VAULTD_PROFILE: 'vault-git', VAULT_PATH: remote.vault, GIT_REMOTE: remote.url, GIT_PULL_INTERVAL: '0',
    LISTEN_ADDR: `127.0.0.1:${port}`, SERVER_URL: `http://127.0.0.1:${port}`, STATE_DIR: path.join(remote.top, 'state'),
    GITHUB_CLIENT_ID: 'gh-client', GITHUB_CLIENT_SECRET: 'gh-secret', GITHUB_ALLOWED_USERS: allowed,
    GITHUB_OAUTH_URL: github.url, GITHUB_API_URL: github.url, RATE_CALLS: '0', RATE_WRITES: '0', ...more,
  };
  return { github, port, env };
}

/** A server started by its name alone. */
async function start(t, { remote = makeRemote(t), ...more } = {}) {
  const { github, port, env } = await environment(t, remote, more);
  const child = spawn(VAULTD, [], { env: cleanEnv(tempDir(t), env), stdio: ['ignore', 'ignore', 'pipe'] });
  const server = new Server(child, 'vaultd');
  server.guard(t, () => server.stop());
  Object.assign(server, { github, remote, env, port, state: env.STATE_DIR, origin: env.SERVER_URL, issuer: env.SERVER_URL, url: `${env.SERVER_URL}/mcp` });
  await server.says(/http:\/\/\S*:(\d+)\/mcp/);
  return server;
}

/** A key for a program, equivalent to a user's token: with write access, or for some folders. */
async function keyFor(t, server, ...rights) {
  const end = await run(VAULTD, ['key', 'add', `robot${Math.random()}`, ...(rights.length ? rights : ['write'])], { env: cleanEnv(tempDir(t), { STATE_DIR: server.state }) });
  assert.equal(end.code, 0, end.stderr);
  return end.stdout.trim();
}

/** The official client; call returns the text of a result, refusal that of an error. */
async function connect(t, server, token) {
  token ??= await keyFor(t, server);
  const client = new Client({ name: 'e2e', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
  await client.connect(transport);
  t.after(() => client.close().catch(() => {}));
  const ask = async (name, args = {}) => {
    const result = await client.callTool({ name, arguments: args }, undefined, { timeout: 120_000 });
    assert.equal(result.content.length, 1, JSON.stringify(result));
    return { failed: Boolean(result.isError), text: result.content[0].text };
  };
  return {
    client, transport, token,
    call: async (name, args) => {
      const { failed, text } = await ask(name, args);
      assert.ok(!failed, `${name}: ${text}`);
      return text;
    },
    refusal: async (name, args) => {
      const { failed, text } = await ask(name, args);
      assert.ok(failed, `${name} was not refused: ${text}`);
      return JSON.parse(text).error;
    },
  };
}

/* --- signing in --- */

const CALLBACK = 'http://localhost:6274/oauth/callback';

/** What the SDK requires of an application: it stores tokens, and shows users a URL. */
class Provider {
  redirectUrl = CALLBACK;
  clientMetadata = { client_name: 'Claude', redirect_uris: [CALLBACK], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' };
  state() { return 'the client\'s own state'; }
  clientInformation() { return this.client; }
  saveClientInformation(client) { this.client = client; }
  tokens() { return this.now; }
  saveTokens(tokens) { this.now = tokens; }
  codeVerifier() { return this.verifier; }
  saveCodeVerifier(verifier) { this.verifier = verifier; }
  redirectToAuthorization(url) { this.asked = url; }
}

/** A user at the URL: our question, then GitHub. Returns what GitHub sends back to us. */
async function toGitHubAndBack(server, browser, url) {
  const { pathname, search } = new URL(url);
  const consent = await browser.get(pathname + search);
  assert.equal(consent.status, 200, consent.text);
  const away = new URL((await browser.submit(writing(consent), { decision: 'allow' })).location);
  const back = new URL((await fetch(away, { redirect: 'manual' })).headers.get('location'));
  return { away, back: back.pathname + back.search };
}

test('S4-05 S4-06 S4-07 S4-11 S4-12 S4-13 S4-14 S4-15 S4-16 S4-17 S4-18 S4-32 S4-34 S4-35 the SDK registers, the user signs in with GitHub, and a JWT is accepted at /mcp', async (t) => {
  const server = await start(t, { allowed: 'somebody,aDA' });
  const metadata = await (await fetch(`${server.issuer}/.well-known/oauth-authorization-server`)).json();
  assert.deepEqual(
    [metadata.registration_endpoint, metadata.authorization_endpoint, metadata.token_endpoint],
    ['register', 'authorize', 'token'].map((name) => `${server.issuer}/oauth/${name}`));

  const provider = new Provider();
  const first = new StreamableHTTPClientTransport(new URL(server.url), { authProvider: provider });
  await assert.rejects(new Client({ name: 'e2e', version: '1' }).connect(first), UnauthorizedError);
  assert.ok(provider.client.client_id, 'it registered itself');
  const asked = provider.asked;
  assert.equal(asked.origin + asked.pathname, `${server.issuer}/oauth/authorize`);
  assert.equal(asked.searchParams.get('code_challenge_method'), 'S256');

  const browser = new Browser(server);
  const { away, back } = await toGitHubAndBack(server, browser, asked);
  assert.equal(away.origin + away.pathname, `${server.github.url}/login/oauth/authorize`);
  assert.equal(away.searchParams.get('redirect_uri'), `${server.issuer}/oauth/github/callback`);
  assert.notEqual(away.searchParams.get('state'), provider.state(), 'the client\'s state stays with us');
  assert.ok(back.startsWith('/oauth/github/callback?'));
  const got = learned(await browser.get(back));
  assert.deepEqual([got.at, got.state], [CALLBACK, provider.state()]);
  assert.deepEqual(server.github.asked.slice(-2), ['POST /login/oauth/access_token', 'GET /user']);
  assert.equal((await browser.get(back)).status, 400, 'the session is spent');

  await first.finishAuth(got.code);
  assert.ok(provider.now.refresh_token);
  const keys = createRemoteJWKSet(new URL(metadata.jwks_uri));
  const { payload } = await jwtVerify(provider.now.access_token, keys, { issuer: server.issuer, audience: server.url });
  assert.equal(payload.sub, 'github:Ada');
  const { call } = await connect(t, server, provider.now.access_token);
  assert.match(await call('read_file', { path: 'Home.md' }), /# Home/);

  const [head, claims, signature] = provider.now.access_token.split('.');
  const forged = Buffer.from(JSON.stringify({ ...payload, sub: 'github:Eve' })).toString('base64url');
  for (const token of [`${head}.${forged}.${signature}`, `${head}.${claims}.`, 'nonsense', undefined]) {
    const refused = await post(server, initializeMessage(), { authorization: token && `Bearer ${token}` });
    assert.equal(refused.status, 401, token);
    assert.match(refused.headers['www-authenticate'], /^Bearer /);
  }
  const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token: provider.now.refresh_token, client_id: provider.client.client_id });
  const renewed = await (await fetch(metadata.token_endpoint, { method: 'POST', body })).json();
  assert.equal(renewed.access_token.split('.').length, 3);
  assert.notEqual(renewed.refresh_token, provider.now.refresh_token);
});

test('S4-15 a user who is not on the list gets no code; S4-17 nor does a client with the wrong verifier', async (t) => {
  const server = await start(t, { allowed: 'grace' });
  const client = await register(server);
  const browser = new Browser(server);
  const { back } = await toGitHubAndBack(server, browser, `${server.issuer}${authorizePath(client)}`);
  const refused = await browser.get(back);
  assert.deepEqual([refused.status, refused.location], [403, undefined]);

  server.github.user = { login: 'Grace', id: 12 };
  const again = new Browser(server);
  const got = learned(await again.get((await toGitHubAndBack(server, again, `${server.issuer}${authorizePath(client)}`)).back));
  const body = new URLSearchParams({ grant_type: 'authorization_code', client_id: client, code: got.code, redirect_uri: got.at, code_verifier: 'x'.repeat(50) });
  assert.equal((await fetch(`${server.issuer}/oauth/token`, { method: 'POST', body })).status, 400);
});

test('S4-33 S4-35 with STATE=memory no clients or tokens outlive the process; sessions never do', async (t) => {
  const remote = makeRemote(t);
  const before = await start(t, { remote, STATE: 'memory' });
  const client = await register(before);
  const browser = new Browser(before);
  const { back } = await toGitHubAndBack(before, browser, `${before.issuer}${authorizePath(client)}`);
  await before.stop();
  const after = await start(t, { remote, STATE: 'memory', LISTEN_ADDR: before.env.LISTEN_ADDR, SERVER_URL: before.issuer });
  assert.notEqual((await browser.get(back)).status, 302);
  assert.equal((await new Browser(Object.assign(Object.create(after), { port: before.port, issuer: before.issuer })).get(authorizePath(client))).status, 400);
});

/* --- transport --- */

test('S4-08 S4-10 S4-19 S4-24 S4-31 every client has its own session, and answers are event streams', async (t) => {
  const server = await start(t);
  const token = await keyFor(t, server);
  const [one, two] = await Promise.all([connect(t, server, token), connect(t, server, token)]);
  assert.ok(one.transport.sessionId && two.transport.sessionId);
  assert.notEqual(one.transport.sessionId, two.transport.sessionId);
  const both = await Promise.all([one, two, one, two].map((c) => c.call('read_file', { path: 'Home.md' })));
  assert.equal(new Set(both).size, 1);

  const session = await Session.open(withToken(server, token));
  const answer = await session.call('list_directory');
  assert.match(answer.headers['content-type'], /^text\/event-stream/);
  assert.equal(answer.events.at(-1).message.result.content[0].type, 'text');
  const modern = await postModern(withToken(server, token), modernMessage('tools/list'));
  assert.match(modern.headers['content-type'], /^text\/event-stream/);
});

/* --- git --- */

test('S4-01 S4-02 S4-03 S4-09 S4-26 S4-42 the vault is cloned; every write is committed and pushed; the phone gets it', async (t) => {
  const server = await start(t);
  const { remote } = server;
  const { call } = await connect(t, server);
  const pushed = (n) => until(`commit ${n} is pushed`, () => remote.subjects().length === n);
  assert.match(await call('read_file', { path: 'Projects/Plan.md' }), /# Plan/);

  await call('write_file', { path: 'Inbox/New.md', content: 'new\n' });
  await pushed(2);
  assert.equal(remote.text('Inbox/New.md'), 'new');
  await call('edit_file', { path: 'Inbox/New.md', edits: [{ oldText: 'new', newText: 'newer' }] });
  await pushed(3);
  assert.equal(remote.text('Inbox/New.md'), 'newer');
  await call('rename_file', { source: 'Projects/Plan.md', destination: 'Projects/The plan.md' });
  await pushed(4);
  assert.ok(remote.files().includes('Projects/The plan.md'));
  assert.match(remote.text('Home.md'), /\[\[The plan\]\]/, 'in the same commit');
  await call('delete_file', { path: 'Inbox/New.md' });
  await pushed(5);
  assert.ok(!remote.files().includes('Inbox/New.md'));
  assert.deepEqual(remote.subjects().slice(0, 4).map((s) => s.split(':')[0]), ['delete_file', 'rename_file', 'edit_file', 'write_file']);

  writeFileSync(path.join(remote.vault, 'By hand.md'), 'somebody edits the folder itself\n');
  await call('write_file', { path: 'Other.md', content: 'x\n' });
  await until('git add . takes what else is there', () => remote.files().includes('By hand.md') && remote.files().includes('Other.md'));
  remote.git('phone', 'pull', '--quiet', '--rebase', 'origin', 'main');
  assert.equal(readFileSync(path.join(remote.top, 'phone/Other.md'), 'utf8'), 'x\n');
});

test('S4-02 S4-03 S4-29 what the phone pushes arrives on its own, at startup and at an interval', async (t) => {
  const server = await start(t, { GIT_PULL_INTERVAL: '1' });
  const { call } = await connect(t, server);
  server.remote.push({ 'Ideas/Compost.md': 'Worms and leaves\n' }, 'phone: compost');
  await until('the periodic pull', async () => /Compost\.md:1:Worms/.test(await call('grep', { pattern: 'Worms' })));
  await server.stop();
  server.remote.push({ 'Ideas/Later.md': 'Moths\n' }, 'phone: later');
  const again = await start(t, { remote: server.remote });
  const later = await connect(t, again);
  await until('the pull at start', async () => /Later/.test(await later.call('search_files', { pattern: '**/*.md' })));
});

/* --- CLAUDE.md --- */

test('S4-20 S4-21 S4-23 SEC-120 the current root CLAUDE.md is in the instructions, after our own text', async (t) => {
  const server = await start(t);
  const file = path.join(server.remote.vault, 'CLAUDE.md');
  const token = await keyFor(t, server);
  const told = async () => (await connect(t, server, token)).client.getInstructions();
  const text = await told();
  assert.ok(text.includes(FILES['CLAUDE.md']), text);
  assert.ok(text.indexOf('edit_file') < 500 && text.indexOf('show the user') < 500 && text.indexOf('Rules of the root') > 500);

  writeFileSync(file, 'Rules of another day\n');
  assert.match(await told(), /Rules of another day/);
  assert.doesNotMatch(await told(), /Rules of the root/);
  const modern = await postModern(withToken(server, token), modernMessage('server/discover'));
  assert.match(modern.message.result.instructions, /Rules of another day/);
  assert.deepEqual([modern.message.result.cacheScope, modern.message.result.ttlMs], ['private', 0]);

  writeFileSync(file, 'ä'.repeat(5000));
  const long = await told();
  assert.ok(long.includes('ä'.repeat(4000)) && !long.includes('ä'.repeat(4001)));
  assert.match(long, /\(cut here after 8000 of 10000 bytes; all of it: get_claude_context\)$/);
  assert.ok((await (await connect(t, server, token)).call('get_claude_context')).includes('ä'.repeat(5000)));

  rmSync(file);
  assert.doesNotMatch(await told(), /wrote for assistants/);
});

test('S4-21 a caller who may not read the root CLAUDE.md does not get it', async (t) => {
  const server = await start(t);
  symlinkSync('../CLAUDE.md', path.join(server.remote.vault, 'Garden/CLAUDE.md'));
  const some = await connect(t, server, await keyFor(t, server, 'write', 'Garden'));
  assert.doesNotMatch(some.client.getInstructions(), /Rules of the root/);
  assert.doesNotMatch(await some.call('get_claude_context', { path: 'Garden' }), /Rules of/);
  const modern = await postModern(withToken(server, some.token), modernMessage('server/discover'));
  assert.doesNotMatch(modern.message.result.instructions, /Rules of/);
  const root = await connect(t, server, await keyFor(t, server, 'read', 'CLAUDE.md'));
  assert.match(root.client.getInstructions(), /Rules of the root/);
});

test('S4-22 S4-23 get_claude_context walks from the root to the target', async (t) => {
  const server = await start(t);
  const { call } = await connect(t, server);
  const all = await call('get_claude_context', { path: 'Projects/Deep' });
  assert.equal(all, `--- CLAUDE.md ---\n${FILES['CLAUDE.md']}\n--- Projects/CLAUDE.md ---\nRules of Projects\n\n--- Projects/Deep/CLAUDE.md ---\nRules of Deep\n`);
  assert.equal(await call('get_claude_context', { path: '/Projects/Deep/Note.md' }), all, 'a file is in its folder');
  assert.equal(await call('get_claude_context', { path: 'Garden' }), `--- CLAUDE.md ---\n${FILES['CLAUDE.md']}`);
  writeFileSync(path.join(server.remote.vault, 'Garden/CLAUDE.md'), 'Rules of Garden');
  assert.match(await call('get_claude_context', { path: 'Garden/New/Thing.md' }), /--- Garden\/CLAUDE\.md ---\nRules of Garden\n$/);
  for (const file of ['CLAUDE.md', 'Garden/CLAUDE.md']) rmSync(path.join(server.remote.vault, file));
  assert.match(await call('get_claude_context', { path: 'Garden' }), /^No CLAUDE\.md/);
});

/* --- the tools --- */

test('the tools of vault-git', async (t) => {
  const server = await start(t);
  const { vault } = server.remote;
  const { client, call, refusal } = await connect(t, server);
  const { tools } = await client.listTools();

  await t.test('S4-36 S4-37 S4-38 S4-39 S4-40 exactly these tools', () => {
    assert.deepEqual(tools.map((tool) => tool.name), TOOLS);
    const text = JSON.stringify(tools) + client.getInstructions();
    assert.doesNotMatch(text, /\bvault_[a-z]/, 'nothing speaks of tools that are not there');
    const known = text.match(/\b(get|list|create|search|find|read|write|edit|delete|rename)_[a-z_]+/g).filter((word) => !TOOLS.includes(word));
    assert.deepEqual(known, []);
  });

  await t.test('S4-27 S4-28 write tools are marked destructive and recommend a preview; so do the instructions', () => {
    for (const tool of tools) {
      const writes = WRITING.includes(tool.name);
      assert.deepEqual([tool.annotations.destructiveHint, tool.annotations.readOnlyHint], [writes, !writes], tool.name);
      assert.equal(/Show the user the planned change first/.test(tool.description), writes, tool.name);
    }
    const instructions = client.getInstructions();
    for (const name of WRITING) assert.ok(instructions.includes(name), name);
    assert.match(instructions, /show the user what you plan and let them decide/);
  });

  await t.test('S4-36 read_file: whole, head, tail, by name', async () => {
    assert.equal(await call('read_file', { path: 'Garden/Leek.md' }), FILES['Garden/Leek.md']);
    assert.equal(await call('read_file', { path: '/Garden/leek.csv' }), FILES['Garden/leek.csv']);
    assert.equal(await call('read_file', { path: 'Garden/Leek.md', head: 1 }), 'Leeks (and onions)');
    assert.equal(await call('read_file', { path: 'Garden/Leek.md', tail: 2 }), 'are hardy.\r\n#work');
    assert.equal(await call('read_file', { path: 'Garden/Leek.md', tail: 99 }), FILES['Garden/Leek.md'].trimEnd());
    assert.equal(await call('read_file', { path: 'Plan', offset: 2, head: 1 }), '- [ ] write it #work/open');
    assert.equal((await refusal('read_file', { path: 'Plan', head: 1, tail: 1 })).code, 'INVALID_ARGUMENT');
    const missing = await refusal('read_file', { path: 'Projects/Leek.md' });
    assert.equal(missing.code, 'FILE_NOT_FOUND');
    assert.match(missing.message, /did you mean 'Garden\/Leek\.md'/);
    assert.match((await refusal('read_file', { path: 'Projects' })).message, /list_directory/);
  });

  await t.test('S4-36 write_file creates and replaces', async () => {
    assert.equal(await call('write_file', { path: 'A/B/c.md', content: 'one\n' }), 'Successfully wrote to A/B/c.md');
    assert.equal(await call('write_file', { path: 'A/B/c.md', content: 'two [[Home]]\n' }), 'Successfully wrote to A/B/c.md');
    assert.equal(readFileSync(path.join(vault, 'A/B/c.md'), 'utf8'), 'two [[Home]]\n');
    await refusal('write_file', { path: 'A/B', content: 'x' });
    assert.match((await refusal('write_file', { path: 'x.md', content: 'x', mode: 'append' })).message, /unknown argument 'mode'/);
  });

  await t.test('S4-36 edit_file: a git-style diff, dryRun, all edits or none', async () => {
    const edits = [{ oldText: 'two', newText: 'three' }, { oldText: 'three [[Home]]\n', newText: 'three [[Home]]\n```\ncode\n```\n' }];
    const plan = await call('edit_file', { path: 'A/B/c.md', edits, dryRun: true });
    assert.equal(plan, '````diff\n--- A/B/c.md\n+++ A/B/c.md\n@@ -1 +1,4 @@\n-two [[Home]]\n+three [[Home]]\n+```\n+code\n+```\n````\n\n');
    assert.equal(await call('read_file', { path: 'A/B/c.md' }), 'two [[Home]]\n');
    assert.equal(await call('edit_file', { path: 'A/B/c.md', edits }), plan);
    assert.match(await call('read_file', { path: 'A/B/c.md' }), /^three/);
    const half = await refusal('edit_file', { path: 'A/B/c.md', edits: [{ oldText: 'three', newText: 'four' }, { oldText: 'nothing like it', newText: '' }] });
    assert.equal(half.code, 'TEXT_NOT_FOUND');
    assert.match(await call('read_file', { path: 'A/B/c.md' }), /^three/);
    assert.equal((await refusal('edit_file', { path: 'A/B/c.md', edits: [{ oldText: '```', newText: '~~~' }] })).code, 'TEXT_NOT_UNIQUE');
    await call('edit_file', { path: 'A/B/c.md', edits: [{ oldText: '```', newText: '~~~', replace_all: true }] });
    await call('edit_file', { path: 'Garden/Leek.md', edits: [{ oldText: 'onions)\nare', newText: 'onions)\nall are' }] });
    assert.equal(await call('read_file', { path: 'Garden/Leek.md' }), 'Leeks (and onions)\r\nall are hardy.\r\n#work\n', 'line breaks stay');
    for (const bad of [[], [{ oldText: 'x' }], [{ oldText: 'x', newText: 'y', regex: true }]])
      assert.equal((await refusal('edit_file', { path: 'A/B/c.md', edits: bad })).code, 'INVALID_ARGUMENT');
    assert.equal((await refusal('edit_file', { path: 'A/B/d.md', edits })).code, 'FILE_NOT_FOUND');
  });

  await t.test('S4-36 rename_file updates links and overwrites nothing', async () => {
    const said = await call('rename_file', { source: 'A/B/c.md', destination: 'A/Sea.md' });
    assert.match(said, /^Successfully moved A\/B\/c\.md to A\/Sea\.md/);
    assert.match(await call('rename_file', { source: 'Home.md', destination: 'Start.md' }), /\nLinks updated: 2, in 2 other files/);
    assert.match(await call('read_file', { path: 'A/Sea.md' }), /\[\[Start\]\]/);
    assert.match(await call('read_file', { path: 'Projects/Plan.md' }), /Back to \[\[Start\]\]/);
    assert.equal((await refusal('rename_file', { source: 'Start.md', destination: 'A/Sea.md' })).code, 'FILE_EXISTS');
    assert.equal((await refusal('rename_file', { source: 'Nowhere.md', destination: 'B.md' })).code, 'FILE_NOT_FOUND');
    await call('rename_file', { source: 'Start.md', destination: 'Home.md' });
  });

  await t.test('S4-36 delete_file moves to the trash; a directory only when requested', async () => {
    assert.match(await call('delete_file', { path: 'A/Sea.md' }), /^Successfully deleted A\/Sea\.md \(it is in the vault's trash\)/);
    assert.match(readFileSync(path.join(vault, '.trash/A/Sea.md'), 'utf8'), /^three/);
    assert.equal((await refusal('delete_file', { path: 'A/Sea.md' })).code, 'FILE_NOT_FOUND');
    await call('write_file', { path: 'A/x.md', content: 'x' });
    assert.equal((await refusal('delete_file', { path: 'A' })).code, 'IS_FOLDER');
    await call('delete_file', { path: 'A', recursive: true });
    assert.doesNotMatch(await call('list_directory'), /\[DIR\] A$/m);
  });

  await t.test('S4-37 list_directory and create_directory', async () => {
    assert.equal(await call('list_directory', { path: 'Garden' }), '[FILE] Leek.md\n[FILE] leek.csv');
    assert.equal(await call('list_directory', { path: '.' }), '[FILE] CLAUDE.md\n[DIR] Garden\n[FILE] Home.md\n[DIR] Projects');
    assert.equal(await call('create_directory', { path: 'X/Y/Z' }), 'Successfully created directory X/Y/Z');
    assert.equal(await call('create_directory', { path: 'X/Y/Z' }), 'Successfully created directory X/Y/Z');
    assert.equal(await call('list_directory', { path: 'X/Y' }), '[DIR] Z');
    assert.equal(await call('list_directory', { path: 'X/Y/Z' }), 'The directory is empty');
    await refusal('create_directory', { path: 'Home.md' });
    assert.match((await refusal('list_directory', { path: 'Home.md' })).message, /read_file/);
    assert.equal((await refusal('list_directory', { path: 'Nope' })).code, 'FILE_NOT_FOUND');
    rmSync(path.join(vault, 'X'), { recursive: true });

    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`Many/${10000 + i}.txt`, '']));
    writeFiles(vault, many);
    const page = (await call('list_directory', { path: 'Many' })).split('\n');
    assert.deepEqual([page.length, page.at(-1)], [1001, '(1000 of 1001; continue with offset 1000)']);
    assert.equal(await call('list_directory', { path: 'Many', offset: 1000 }), '[FILE] 11000.txt');
    rmSync(path.join(vault, 'Many'), { recursive: true });
    await until('the index has seen it', async () => JSON.parse(await call('get_vault_info')).folders === 3);
  });

  await t.test('S4-38 search_files: path globs below a directory', async () => {
    const found = async (args) => (await call('search_files', args)).split('\n');
    assert.deepEqual(await found({ path: '', pattern: '*.md' }), ['CLAUDE.md', 'Home.md']);
    assert.deepEqual(await found({ path: 'Projects', pattern: '**/*.md' }), ['Projects/CLAUDE.md', 'Projects/Deep/CLAUDE.md', 'Projects/Deep/Note.md', 'Projects/Plan.md']);
    assert.deepEqual(await found({ path: '.', pattern: '**/[PD]*', excludePatterns: ['**/CLAUDE.md'] }), ['Projects', 'Projects/Deep', 'Projects/Plan.md']);
    assert.deepEqual(await found({ path: 'Projects', pattern: '**', excludePatterns: ['Deep'] }), ['Projects/CLAUDE.md', 'Projects/Plan.md']);
    assert.equal(await call('search_files', { path: '', pattern: '*.pdf' }), 'No matches found');
    await refusal('search_files', { path: '', pattern: '{a' });
  });

  await t.test('S4-38 grep: path:line:text', async () => {
    assert.equal(await call('grep', { pattern: '^- \\[.\\] ' }), 'Projects/Plan.md:3:- [ ] write it #work/open\nProjects/Plan.md:4:- [x] think');
    assert.equal(await call('grep', { pattern: 'leeks (and', literal: true, ignoreCase: true }), 'Garden/Leek.md:1:Leeks (and onions)');
    assert.equal(await call('grep', { pattern: 'leek', include: '*.csv' }), 'Garden/leek.csv:2:leek,40');
    assert.equal(await call('grep', { pattern: 'Rules', path: 'Projects/Deep' }), 'Projects/Deep/CLAUDE.md:1:Rules of Deep');
    assert.equal(await call('grep', { pattern: '.', path: 'Projects/Deep/Note.md' }), 'Projects/Deep/Note.md:1:deep');
    assert.equal(await call('grep', { pattern: 'Rules', limit: 1, offset: 1 }), 'Projects/CLAUDE.md:1:Rules of Projects\n(2 of 3; continue with offset 2)');
    assert.equal(await call('grep', { pattern: 'no such text' }), 'No matches found');
    assert.match((await refusal('grep', { pattern: '(' })).message, /regular expression/);
    assert.equal((await refusal('grep', { pattern: 'x', path: 'Nope' })).code, 'FILE_NOT_FOUND');
  });

  await t.test('S4-38 find_files: by name, tag, time and size', async () => {
    const found = async (args) => (await call('find_files', args)).split('\n').map((line) => line.split('  ')[0]);
    assert.match(await call('find_files', { name: 'plan' }), /^Projects\/Plan\.md  \(\d+ bytes, modified: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\)$/);
    assert.deepEqual(await found({ name: 'LEEK' }), ['Garden/Leek.md', 'Garden/leek.csv']);
    assert.deepEqual(await found({ name: '*.csv' }), ['Garden/leek.csv']);
    assert.deepEqual(await found({ tag: 'work' }), ['Garden/Leek.md', 'Projects/Plan.md']);
    assert.deepEqual(await found({ path: 'Projects', size_max: 6 }), ['Projects/Deep/Note.md']);
    const then = new Date('2020-05-05T12:00:00Z');
    utimesSync(path.join(vault, 'Projects/Deep/Note.md'), then, then);
    await call('read_file', { path: 'Projects/Deep/Note.md' }); // reading a file looks it up on disk
    assert.deepEqual(await found({ modified_before: '2020-05-07', modified_after: '2020-05-05T11:59:59Z' }), ['Projects/Deep/Note.md']);
    assert.equal(await call('find_files', { modified_after: '2020-05-05T12:00:01Z', modified_before: '2020-05-07T00:00:00+02:00' }), 'No files found');
    assert.match((await refusal('find_files', { modified_after: 'yesterday' })).message, /2026-03-01/);
  });

  await t.test('S4-39 get_vault_info, get_backlinks, get_tags', async () => {
    const info = JSON.parse(await call('get_vault_info'));
    assert.deepEqual([info.name, info.notes, info.attachments, info.folders, info.can_change], ['vault', 7, 1, 3, true]);
    assert.equal(info.sync.kind, 'git');
    assert.deepEqual(JSON.parse(await call('get_backlinks', { path: 'Projects/Plan.md' })), {
      path: 'Projects/Plan.md', total: 1, backlinks: [{ path: 'Home.md', line: 6, text: 'See [[Plan]] and [[Garden/Leek|leeks]].' }],
    });
    assert.equal(JSON.parse(await call('get_backlinks', { path: 'Leek' })).backlinks[0].path, 'Home.md');
    assert.equal((await refusal('get_backlinks', { path: 'Nope' })).code, 'FILE_NOT_FOUND');
    assert.deepEqual(JSON.parse(await call('get_tags')), {
      total: 3, tags: [{ tag: 'start', count: 1 }, { tag: 'work', count: 1, count_with_nested: 2 }, { tag: 'work/open', count: 1 }],
    });
  });

  await t.test('S4-40 get_obsidian_guide: a topic from a list, in words that fit these tools', async () => {
    const { inputSchema } = tools.find((tool) => tool.name === 'get_obsidian_guide');
    const topics = inputSchema.properties.topic.enum;
    assert.ok(topics.includes('links') && topics.includes('callouts') && topics.length >= 10);
    for (const topic of topics) {
      const text = await call('get_obsidian_guide', { topic });
      assert.match(text, /^# /);
      assert.doesNotMatch(text, /\bvault_[a-z]|[\x00-\x09\x0b-\x1f]/, topic);
      assert.ok(Buffer.byteLength(text) <= 1500, topic);
    }
    assert.equal((await refusal('get_obsidian_guide', { topic: 'cooking' })).code, 'INVALID_ARGUMENT');
  });

  await t.test('S4-41 prompts, in words that fit these tools', async () => {
    const { prompts } = await client.listPrompts();
    assert.deepEqual(prompts.map((p) => p.name), ['answer_from_notes', 'file_inbox', 'find_related', 'tidy_note', 'weekly_summary']);
    for (const { name } of prompts) {
      const { messages } = await client.getPrompt({ name, arguments: { note: 'Home', question: 'why?', tag: 'work' } });
      const text = messages.at(-1).content.text;
      assert.doesNotMatch(text, /\bvault_[a-z]/, name);
      assert.match(text, new RegExp(TOOLS.join('|')), name);
      assert.doesNotMatch(text, /\s$|  /, name);
    }
  });

  await t.test('S4-25 S4-43 every path is resolved inside the vault; links that leave it do not work', async () => {
    const outside = tempDir(t);
    writeFileSync(path.join(outside, 'secret.md'), 'a secret\n');
    symlinkSync(path.join(outside, 'secret.md'), path.join(vault, 'Out.md'));
    symlinkSync(outside, path.join(vault, 'Outside'));
    symlinkSync('Home.md', path.join(vault, 'Inside.md'));
    const bad = ['../secret.md', 'Projects/../../secret.md', '/etc/passwd', `${outside}/secret.md`, 'Out.md', 'Outside/secret.md', '.git/config', '.obsidian/app.json', 'a\0b.md', '..\\secret.md'];
    for (const file of bad) {
      for (const [tool, args] of [['read_file', { path: file }], ['edit_file', { path: file, edits: [{ oldText: 'a', newText: 'b' }] }], ['delete_file', { path: file }]])
        assert.doesNotMatch((await refusal(tool, args)).message, /a secret/, `${tool} ${file}`);
    }
    for (const file of ['../x.md', '.git/hooks/x', 'Outside/new.md', '.hidden/x.md', 'Projects/../../x.md']) {
      await refusal('write_file', { path: file, content: 'x' });
      await refusal('rename_file', { source: 'Home.md', destination: file });
      await refusal('create_directory', { path: file });
    }
    for (const folder of ['..', 'Outside', '.git'])
      for (const tool of ['list_directory', 'search_files', 'grep', 'find_files']) await refusal(tool, { path: folder, pattern: '**' });
    await refusal('get_claude_context', { path: '../..' });
    assert.match(await call('read_file', { path: 'Inside.md' }), /# Home/);
    assert.deepEqual(readdirSync(outside), ['secret.md']);
    assert.equal(readFileSync(path.join(outside, 'secret.md'), 'utf8'), 'a secret\n');
    assert.equal(await call('grep', { pattern: 'a secret' }), 'No matches found');
    for (const link of ['Out.md', 'Outside', 'Inside.md']) rmSync(path.join(vault, link));
  });

  await t.test('S4-44 S4-45 memory matches the disk; files have a maximum size', async () => {
    for (let i = 0; i < 20; i++) {
      writeFileSync(path.join(vault, 'Home.md'), `version ${i}\n`);
      assert.equal(await call('read_file', { path: 'Home.md' }), `version ${i}\n`);
    }
    writeFileSync(path.join(vault, 'Large.md'), 'a line of text\n'.repeat(100_000));
    const large = await refusal('read_file', { path: 'Large.md' });
    assert.equal(large.code, 'FILE_TOO_LARGE');
    assert.match(large.message, /offset and head/);
    assert.equal(await call('read_file', { path: 'Large.md', offset: 50_000, head: 2 }), 'a line of text\na line of text');
    writeFileSync(path.join(vault, 'Large.md'), 'x'.repeat((8 << 20) + 1));
    assert.equal((await refusal('read_file', { path: 'Large.md', head: 1 })).code, 'FILE_TOO_LARGE');
    rmSync(path.join(vault, 'Large.md'));
  });
});

test('S4-09 a read-only caller has no tool that writes, and sees only the granted folders', async (t) => {
  const server = await start(t);
  const reader = await connect(t, server, await keyFor(t, server, 'read'));
  assert.deepEqual((await reader.client.listTools()).tools.map((tool) => tool.name), TOOLS.filter((name) => !WRITING.includes(name)));
  const some = await connect(t, server, await keyFor(t, server, 'write', 'Garden'));
  assert.equal(await some.call('list_directory'), '[DIR] Garden');
  assert.equal(await some.call('search_files', { pattern: '**' }), 'Garden\nGarden/Leek.md\nGarden/leek.csv');
  assert.equal(await some.call('grep', { pattern: 'Home|Rules' }), 'No matches found');
  assert.equal(JSON.parse(await some.call('get_backlinks', { path: 'Garden/Leek.md' })).total, 0);
  await some.call('write_file', { path: 'Garden/Mine.md', content: 'x' });
  for (const args of [{ path: 'Home.md', content: 'x' }, { path: 'New.md', content: 'x' }]) await some.refusal('write_file', args);
  assert.equal((await some.refusal('read_file', { path: 'Home.md' })).code, 'FILE_NOT_FOUND');
  await some.refusal('rename_file', { source: 'Garden/Mine.md', destination: 'Mine.md' });
});

/* --- operation --- */

test('S4-30 S4-46 a sliding limit for each key', async (t) => {
  const server = await start(t, { RATE_CALLS: '6' });
  const [one, two] = [await keyFor(t, server), await keyFor(t, server)];
  const ask = async (key) => (await postModern(withToken(server, key), modernMessage('tools/list'))).status;
  const seen = await untilRefused(6, () => ask(one));
  assert.ok(seen.every((status) => status === 200), String(seen));
  assert.equal(await ask(two), 200, 'another key is not touched');
  const refused = await postModern(withToken(server, one), modernMessage('tools/list'));
  const wait = Number(refused.headers['retry-after']);
  assert.ok(wait >= 1 && wait <= 120, String(wait)); // sliding is tested in tests/unit/oauth/test_limiter.c
});

test('SEC-73 S4-47 every log line is JSON with time, level and event, and without secrets', async (t) => {
  const server = await start(t, { LOG_LEVEL: 'debug' });
  const { call } = await connect(t, server);
  await call('write_file', { path: 'x.md', content: 'private words' });
  await until('the change is synced', () => server.remote.subjects().length === 2);
  await server.stop();
  const lines = server.stderr.trim().split('\n').map((line) => JSON.parse(line));
  for (const line of lines) {
    assert.match(line.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.ok(['debug', 'info', 'warn', 'error'].includes(line.level) && line.event, JSON.stringify(line));
  }
  assert.ok(lines.some((line) => line.event === 'call' && line.name === 'write_file'));
  assert.doesNotMatch(server.stderr, /private words|gh-secret/);
});

test('S4-28 confirmation is advice: the user is not asked, unless the operator wants it', async (t) => {
  const server = await start(t);
  const token = await keyFor(t, server);
  const client = new Client({ name: 'e2e', version: '1' }, { capabilities: { elicitation: {} } });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers: { authorization: `Bearer ${token}` } } }));
  t.after(() => client.close().catch(() => {}));
  const result = await client.callTool({ name: 'delete_file', arguments: { path: 'Projects', recursive: true } });
  assert.ok(!result.isError, JSON.stringify(result));
});

/* --- as a container's only process --- */

/**
 * A separate root with an empty /vault, in its own namespaces; the rest is the machine's.
 * The script's command becomes process 1 there.
 */
const CONTAINER = `
root=$1; shift
mount -t tmpfs none "$root" || exit 99
for at in /*; do
  case $at in /proc|/vault) continue;; esac
  if [ -L "$at" ]; then cp -P "$at" "$root$at"
  elif [ -d "$at" ]; then mkdir "$root$at" && mount --rbind "$at" "$root$at" || exit 99
  fi
done
mkdir "$root/proc" "$root/vault" && mount -t proc none "$root/proc" || exit 99
exec chroot "$root" "$@"`;
const inContainer = (root, ...command) => ['-Urmpf', 'sh', '-c', CONTAINER, 'sh', root, ...command];

const childrenOf = (pid) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').filter(Boolean);
const stateOf = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/.*\) /, '')[0];

test('S4-01 S4-03 S4-04 S4-31 S4-48 process 1 of a container, configured by its environment alone, with the vault at /vault', async (t) => {
  const root = mkdtempSync(path.join(tmpdir(), 'vaultd-root-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  if ((await run('unshare', inContainer(root, '/bin/true')).catch(() => ({}))).code !== 0) return t.skip('no namespaces here');
  const remote = makeRemote(t);
  const { env, port } = await environment(t, remote);
  delete env.VAULT_PATH;
  const child = spawn('unshare', inContainer(root, VAULTD), { env: cleanEnv('/tmp', env), stdio: ['ignore', 'ignore', 'pipe'] });
  const server = new Server(child, 'vaultd in a container');
  server.guard(t, () => server.stop('SIGKILL').catch(() => {}));
  await server.says(/http:\/\/\S*:(\d+)\/mcp/);
  Object.assign(server, { port, state: env.STATE_DIR, url: `${env.SERVER_URL}/mcp` });
  const first = childrenOf(server.pid)[0];

  const { call } = await connect(t, server);
  assert.equal(JSON.parse(await call('get_vault_info')).name, 'vault');
  assert.match(await call('read_file', { path: 'Home.md' }), /# Home/);
  for (let i = 0; i < 3; i++) await call('write_file', { path: `New ${i}.md`, content: 'x' });
  await until('all is pushed', () => ['New 0.md', 'New 1.md', 'New 2.md'].every((file) => remote.files().includes(file)));
  const family = [first, ...childrenOf(first)];
  await until('git has ended', () => family.flatMap(childrenOf).length <= 1);
  for (const pid of family.flatMap((id) => [id, ...childrenOf(id)])) assert.notEqual(stateOf(pid), 'Z', 'a zombie');
  process.kill(Number(first), 'SIGTERM');
  await server.endsCleanly();
});

test('S4-48 every setting has a variable, and docs/profiles.md names the relevant ones', async (t) => {
  const docs = readFileSync(path.join(TOP, 'docs/profiles.md'), 'utf8');
  const section = docs.slice(docs.indexOf('\n## vault-git')).split('\n## ')[1];
  const settings = readFileSync(path.join(TOP, 'docs/settings.md'), 'utf8');
  const named = [...new Set(section.match(/`[A-Z][A-Z_]+`/g))].map((word) => word.slice(1, -1)).filter((word) => word !== 'SIGTERM');
  assert.ok(named.length > 15);
  for (const name of named) assert.ok(settings.includes(name), name);
  for (const name of TOOLS) assert.ok(section.includes(`\`${name}\``), name);
  const refused = await run(VAULTD, [], { env: cleanEnv(tempDir(t), { VAULTD_PROFILE: 'vault-git', VAULT_PATH: tempDir(t) }) });
  assert.equal(refused.code, 2);
  assert.match(refused.stderr, /github-client-id/);
});
