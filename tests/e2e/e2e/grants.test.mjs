// A grant's rights reach the vault, and end when it is revoked: scopes, folders, the journal, open
// streams, removed users.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import {
  LEGACY, Session, VAULTD, cleanEnv, copyVault, fetchHttp, modernHeaders, modernMessage, openHttp, openModern, postModern, run, sleep, startClock, startHttp, tempDir, until, withLimit, withToken,
} from '../support.mjs';
import { Browser, USERS, authorizePath, choose, freePort, learned, letIn, redeem, register, startWithPeople, writing } from './people.mjs';

/** One request of a caller; returns its result or its error. */
async function ask(as, method, params) {
  const { status, message, text } = await postModern(as, modernMessage(method, params));
  assert.equal(status, 200, text);
  return message;
}
const call = (as, name, args = {}) => ask(as, 'tools/call', { name, arguments: args });
const toolsOf = async (as) => (await ask(as, 'tools/list')).result.tools.map((tool) => tool.name);

/** Ways to connect with read access only, or to some folders only. */
const WAYS = {
  'a token': async (t, server, { write, folders = [] }) => {
    const choices = [['access', write ? 'write' : 'read'], ...(folders.length ? [['where', 'some'], ...folders.map((f) => ['folder', f])] : [])];
    return (await letIn(server, { choices })).token;
  },
  'a key': async (t, server, { write, folders = [] }) => {
    const end = await run(VAULTD, ['key', 'add', 'robot', write ? 'write' : 'read', ...folders], { env: cleanEnv(tempDir(t), { STATE_DIR: server.state }) });
    assert.equal(end.code, 0, end.stderr);
    return end.stdout.trim();
  },
};

/* --- scopes --- */

function assertStepUp(server, answer, what) {
  assert.equal(answer.status, 403, `${what}: ${answer.text}`);
  assert.match(answer.headers['content-type'], /^application\/json/, what);
  const challenge = answer.headers['www-authenticate'];
  assert.match(challenge, /^Bearer /);
  for (const part of ['error="insufficient_scope"', 'scope="vault:write"', `resource_metadata="${server.issuer}/.well-known/oauth-protected-resource/mcp"`])
    assert.ok(challenge.includes(part), `${what}: ${challenge}`);
  assert.equal(answer.message.error, 'insufficient_scope');
}

for (const [way, come] of Object.entries(WAYS)) {
  test(`SEC-34 ${way} that only reads has no tool that writes`, async (t) => {
    const vault = copyVault(t);
    const server = await startWithPeople(t, { vault });
    const reader = withToken(server, await come(t, server, { write: false }));
    const writer = withToken(server, (await letIn(server)).token);
    const few = await toolsOf(reader), all = await toolsOf(writer);
    const writing = all.filter((name) => !few.includes(name));
    for (const name of ['vault_write', 'vault_edit', 'vault_insert', 'vault_frontmatter', 'vault_move', 'vault_delete', 'vault_undo']) assert.ok(writing.includes(name), name);
    for (const tool of (await ask(reader, 'tools/list')).result.tools) assert.equal(tool.annotations.readOnlyHint, true, tool.name);

    const args = { path: 'New.md', content: 'x' };
    for (const name of writing) assertStepUp(server, await postModern(reader, modernMessage('tools/call', { name, arguments: args })), name);
    const unknown = await postModern(reader, modernMessage('tools/call', { name: 'no_such_tool', arguments: {} }));
    assert.notEqual(unknown.status, 403);
    for (const revision of LEGACY) {
      const session = await Session.open(reader, revision);
      assertStepUp(server, await session.call('vault_write', args), revision);
      assert.equal((await session.call('vault_info')).status, 200, revision);
    }
    const session = await Session.open(reader, '2025-03-26');
    const element = (id, name) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: name === 'vault_write' ? args : {} } });
    assertStepUp(server, await session.post([element(1, 'vault_info'), element(2, 'vault_write')]), 'a batch');
    assert.equal((await session.post([element(1, 'vault_info')])).status, 200);
    assert.equal((await call(reader, 'vault_read', { path: 'Home.md' })).result.isError ?? false, false);
    assert.ok(!existsSync(path.join(vault, 'New.md')), 'before any effect');
  });

  test(`${way} for a folder sees that folder and nothing else`, async (t) => {
    const vault = copyVault(t);
    const secret = '---\ntags: [zephyrtag]\naliases: [Zephyr alias]\nstatus: zephyrstatus\n---\n# Zephyr heading\nzephyrword [[Walden]] #zephyrtag\n';
    mkdirSync(path.join(vault, 'Zephyr'));
    writeFileSync(path.join(vault, 'Zephyr/Zephyr.md'), secret);
    writeFileSync(path.join(vault, 'Zephyr/Ask.md'), '---\ndescription: zephyrprompt\n---\n#prompt zephyr {{thing}}');
    writeFileSync(path.join(vault, 'Zephyr/CLAUDE.md'), 'zephyrrules');
    const server = await startWithPeople(t, { vault });
    const as = withToken(server, await come(t, server, { write: true, folders: ['Books'] }));
    const everybody = withToken(server, (await letIn(server)).token);
    assert.match(JSON.stringify(await call(everybody, 'vault_search', { query: 'zephyrword' })), /Zephyr\.md/);

    const questions = [
      ['tools/call', { name: 'vault_info', arguments: {} }],
      ['tools/call', { name: 'vault_list', arguments: {} }],
      ['tools/call', { name: 'vault_list', arguments: { recursive: true } }],
      ['tools/call', { name: 'vault_query', arguments: { from: 'tags' } }],
      ['tools/call', { name: 'vault_links', arguments: { path: 'Books/Walden.md' } }],
      ['tools/call', { name: 'vault_context', arguments: { path: 'Books/Walden.md' } }],
      ['tools/call', { name: 'vault_guide', arguments: {} }],
      ['tools/call', { name: 'vault_changes', arguments: {} }],
      ['tools/call', { name: 'vault_search', arguments: { query: 'tag:#z' } }],
      ['resources/list', {}],
      ['resources/templates/list', {}],
      ['prompts/list', {}],
    ];
    for (const [method, params] of questions) {
      const answer = await ask(as, method, params);
      assert.ok(answer.result, JSON.stringify(answer));
      assert.doesNotMatch(JSON.stringify(answer), /zephyr/i, `${method} ${params.name ?? ''}`);
    }
    const found = JSON.stringify(await call(as, 'vault_search', { query: 'the' }));
    assert.match(found, /Books\//);
    assert.doesNotMatch(found, /"(Home|Inbox|Journal|Recipes|People)[^"]*\.md"/);
    assert.equal((await call(as, 'vault_read', { path: 'Books/Walden.md' })).result.isError ?? false, false);
    const listed = (await ask(as, 'resources/list')).result.resources.map((r) => r.uri);
    assert.ok(listed.every((uri) => uri.includes('Books')), listed.join(' '));
    const all = (await ask(everybody, 'resources/list')).result.resources.map((r) => r.uri);
    const hidden = (all.find((uri) => uri.includes('Home.md')) ?? all[0]);
    assert.ok((await postModern(as, modernMessage('resources/read', { uri: hidden }))).message.error, hidden);
    const template = (await ask(as, 'resources/templates/list')).result.resourceTemplates[0];
    const variable = template.uriTemplate.match(/\{\+?(\w+)\*?\}/)[1];
    for (const [value, some] of [['Zeph', false], ['Wald', true]]) {
      const answer = await ask(as, 'completion/complete', { ref: { type: 'ref/resource', uri: template.uriTemplate }, argument: { name: variable, value } });
      assert.equal(answer.result.completion.values.length > 0, some, JSON.stringify(answer));
    }

    for (const [name, args] of [
      ['vault_read', { path: 'Zephyr/Zephyr.md' }], ['vault_read', { path: 'Home.md' }],
      ['vault_write', { path: 'Elsewhere.md', content: 'x' }], ['vault_write', { path: 'Zephyr/New.md', content: 'x' }],
      ['vault_move', { from: 'Books/Walden.md', to: 'Recipes/Walden.md' }], ['vault_delete', { path: 'Home.md' }],
    ]) assert.equal((await call(as, name, args)).result?.isError ?? true, true, `${name} ${JSON.stringify(args)}`);
    assert.ok(!existsSync(path.join(vault, 'Elsewhere.md')) && !existsSync(path.join(vault, 'Zephyr/New.md')));
    assert.equal((await call(as, 'vault_write', { path: 'Books/New.md', content: 'x' })).result.isError ?? false, false);
  });
}

/* --- folders are literal --- */

for (const [way, come] of Object.entries(WAYS))
  test(`SEC-34: ${way} for a folder is for the folder of that name, whatever its characters`, async (t) => {
    const vault = path.join(tempDir(t), 'v');
    const odd = ['[Archive]', '{Inbox,Private}', '*', 'Work'];
    const plain = ['A', 'r', 'Archive', 'Inbox', 'Private', 'work', 'WORK', 'Other'];
    for (const folder of [...odd, ...plain]) {
      mkdirSync(path.join(vault, folder), { recursive: true });
      writeFileSync(path.join(vault, folder, 'n.md'), `inside ${folder}.`);
    }
    const server = await startWithPeople(t, { vault });
    for (const folder of odd) {
      const as = withToken(server, await come(t, server, { write: true, folders: [folder] }));
      const all = (await call(as, 'vault_list', { recursive: true })).result.content[0].text;
      for (const other of [...odd, ...plain]) {
        // a note of the view may be found by another spelling; it is the note of the granted folder
        const read = JSON.stringify(await call(as, 'vault_read', { path: `${other}/n.md` }));
        assert.equal(read.includes(`inside ${other}.`), other === folder, `${folder} reads ${other}: ${read}`);
        await call(as, 'vault_insert', { path: `${other}/n.md`, content: `by ${odd.indexOf(folder)}` });
        assert.equal(readFileSync(path.join(vault, other, 'n.md'), 'utf8').includes(`by ${odd.indexOf(folder)}`), other === folder, `${folder} writes ${other}`);
        assert.equal(all.includes(`"${other}/n.md"`), other === folder, `${folder} lists ${other}: ${all}`);
      }
      if (way === 'a key') assert.equal((await run(VAULTD, ['key', 'revoke', 'robot'], { env: cleanEnv(tempDir(t), { STATE_DIR: server.state }) })).code, 0);
    }
  });

for (const [way, come] of Object.entries(WAYS))
  test(`SEC-34: ${way} for a folder of one vault is not for the same folder of another`, async (t) => {
    const top = tempDir(t), names = ['work', 'home'];
    for (const name of names) {
      mkdirSync(path.join(top, name, 'Plans'), { recursive: true });
      writeFileSync(path.join(top, name, 'Plans/n.md'), `in ${name}`);
    }
    const server = await startWithPeople(t, { args: ['--vault', `work=${top}/work`, '--vault'], vault: `home=${top}/home` });
    const as = withToken(server, await come(t, server, { write: true, folders: ['home:Plans'] }));
    for (const name of names) {
      const read = (await call(as, 'vault_read', { vault: name, path: 'Plans/n.md' })).result;
      assert.equal(!read.isError, name === 'home', name);
    }
  });

test('the journal names user and client as they signed in, then what the client calls itself', async (t) => {
  const server = await startWithPeople(t, { vault: copyVault(t) });
  const anna = await letIn(server);
  const as = withToken(server, anna.token);
  await call(as, 'vault_write', { path: 'Modern.md', content: 'x' });
  const session = await Session.open(as);
  await session.call('vault_write', { path: 'Legacy.md', content: 'x' });
  const key = withToken(server, await WAYS['a key'](t, server, { write: true }));
  await call(key, 'vault_write', { path: 'Key.md', content: 'x' });
  const { changes } = JSON.parse((await call(as, 'vault_changes')).result.content[0].text);
  const by = (file) => {
    const change = changes.find((c) => c.files.some((f) => f.path === file));
    return [change.who, change.client];
  };
  assert.deepEqual(by('Modern.md'), ['anna', `${anna.client_name} (e2e 1)`]);
  assert.deepEqual(by('Legacy.md'), ['anna', `${anna.client_name} (e2e 1)`]);
  assert.deepEqual(by('Key.md'), ['robot', 'robot (e2e 1)']);
});

/* --- sessions --- */

test('SEC-33 a session belongs to one user and one client, even after signing in again', async (t) => {
  const server = await startWithPeople(t);
  const anna = await letIn(server);
  const session = await Session.open(withToken(server, anna.token));
  const use = async (token) => {
    session.server = withToken(server, token);
    return (await session.call('vault_info')).status;
  };
  assert.equal(await use(anna.token), 200);
  assert.equal(await use((await letIn(server, { name: 'bob', client: anna.client })).token), 404, 'another user');
  assert.equal(await use((await letIn(server)).token), 404, 'another client');
  assert.equal(await use((await letIn(server, { client: anna.client })).token), 200, 'the same again');
});

/* --- the end of a grant --- */

const listenMessage = () => modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true, resourcesListChanged: true } });

/** A stream of each kind. */
async function openStreams(as) {
  const message = listenMessage();
  const listen = await openHttp(as, { headers: modernHeaders(message), body: JSON.stringify(message) });
  assert.equal(listen.status, 200);
  await listen.next('the acknowledgement', (e) => e.message);
  const session = await Session.open(as);
  const standalone = await session.listen();
  assert.equal(standalone.status, 200);
  return { listen, standalone, session };
}

const SOON_MS = 1000; // SEC-54: how often streams are judged; tests/unit/app/web/test_stream_check.c counts it

async function assertEndsSoon(streams, what) {
  for (const kind of ['listen', 'standalone'])
    await until(`${what}: the ${kind} stream ends`, () => streams[kind].closed);
}

const revokers = {
  'on /account': async (t, server, { browser }) => {
    const page = await browser.get('/account');
    const form = page.forms.find((f) => f.action === '/account/revoke');
    assert.equal((await browser.submit(form)).status, 303);
  },
  'by /revoke': async (t, server, { client, refresh_token }) => {
    const answer = await fetch(`${server.origin}/revoke`, { method: 'POST', body: new URLSearchParams({ client_id: client, token: refresh_token }) });
    assert.equal(answer.status, 200);
  },
  'its access token alone': async (t, server, { client, token }) => {
    const answer = await fetch(`${server.origin}/revoke`, { method: 'POST', body: new URLSearchParams({ client_id: client, token, token_type_hint: 'access_token' }) });
    assert.equal(answer.status, 200);
  },
  'by a stolen refresh token': async (t, server, { client, refresh_token }) => {
    const refresh = (value) => fetch(`${server.origin}/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token', client_id: client, refresh_token: value }) });
    let next = refresh_token;
    for (let i = 0; i < 10; i++) next = (await (await refresh(next)).json()).refresh_token;
    assert.equal((await refresh(refresh_token)).status, 400);
  },
};

for (const [how, revoke] of Object.entries(revokers)) {
  test(`SEC-54 revoking ${how} ends the streams of that grant and no other`, async (t) => {
    const vault = copyVault(t);
    const server = await startWithPeople(t, { vault });
    const anna = await letIn(server), other = await letIn(server), bob = await letIn(server, { name: 'bob' });
    const gone = await openStreams(withToken(server, anna.token));
    const stay = [await openStreams(withToken(server, other.token)), await openStreams(withToken(server, bob.token))];
    await revoke(t, server, how === 'on /account' ? other : anna);
    const [ended, kept] = how === 'on /account' ? [stay[0], [gone, stay[1]]] : [gone, stay];
    await assertEndsSoon(ended, how);
    writeFileSync(path.join(vault, 'A change.md'), 'x');
    for (const streams of kept) {
      for (const kind of ['listen', 'standalone']) {
        await streams[kind].next('the change', (e) => e.message?.method === 'notifications/resources/list_changed');
        assert.ok(!streams[kind].closed);
        streams[kind].close();
      }
    }
    assert.doesNotMatch(ended.listen.text + ended.standalone.text, /resources\/list_changed/);
    assert.equal((await ended.session.listen()).status, 401);
  });
}

test('revoking a key in another process ends its streams, and no others', async (t) => {
  const server = await startWithPeople(t);
  const env = cleanEnv(tempDir(t), { STATE_DIR: server.state });
  const add = async (name) => (await run(VAULTD, ['key', 'add', name], { env })).stdout.trim();
  const gone = await openStreams(withToken(server, await add('one')));
  const kept = await openStreams(withToken(server, await add('two')));
  assert.equal((await run(VAULTD, ['key', 'revoke', 'one'], { env })).code, 0);
  await assertEndsSoon(gone, 'key revoke');
  await sleep(SOON_MS);
  assert.ok(!kept.listen.closed && !kept.standalone.closed);
  kept.listen.close();
  kept.standalone.close();
});

test('SEC-54: streams end when the folders of their client are narrowed by SIGHUP, and name nothing afterwards', async (t) => {
  const file = path.join(tempDir(t), 'clients.json'), vault = copyVault(t);
  const robot = (folders) => ({ client_id: 'robot', client_secret: 'secret', grant_types: ['client_credentials'], scope: 'vault:read', folders });
  writeFileSync(file, JSON.stringify([robot(['/'])]));
  const server = await startWithPeople(t, { vault, env: { OAUTH_CLIENTS_FILE: file } });
  const authorization = `Basic ${Buffer.from('robot:secret').toString('base64')}`;
  const answer = await fetch(`${server.origin}/oauth/token`, { method: 'POST', headers: { authorization }, body: new URLSearchParams({ grant_type: 'client_credentials' }) });
  const as = withToken(server, (await answer.json()).access_token);
  const streams = await openStreams(as), kept = await openStreams(withToken(server, (await letIn(server)).token));
  writeFileSync(file, JSON.stringify([robot(['Projects'])]));
  server.ask('SIGHUP');
  await assertEndsSoon(streams, 'narrowed');
  const again = await openStreams(as);
  writeFileSync(path.join(vault, 'Elsewhere.md'), 'x');
  await kept.listen.next('the change', (e) => e.message?.method === 'notifications/resources/list_changed');
  assert.doesNotMatch(streams.listen.text + streams.standalone.text + again.listen.text, /list_changed/);
  for (const open of [again, kept]) for (const kind of ['listen', 'standalone']) open[kind].close();
});

test('SEC-54: streams end when the user is removed from the users file', async (t) => {
  const file = path.join(tempDir(t), 'users'), port = await freePort();
  const write = (names) => writeFileSync(file, names.map((name) => `${name}:${USERS[name].hash}\n`).join(''));
  write(['anna', 'bob']);
  const server = await startHttp(t, { port, env: { AUTH_USERS_FILE: file } });
  server.origin = server.issuer = `http://127.0.0.1:${port}`;
  const anna = await letIn(server), bob = await letIn(server, { name: 'bob' });
  const gone = await openStreams(withToken(server, bob.token)), kept = await openStreams(withToken(server, anna.token));
  write(['anna']);
  await assertEndsSoon(gone, 'bob is removed');
  await sleep(SOON_MS);
  assert.ok(!kept.listen.closed && !kept.standalone.closed);
  for (const kind of ['listen', 'standalone']) kept[kind].close();
});

test('SEC-54: streams end when the token expires', async (t) => {
  await withLimit(3, async (ttl) => {
    const server = await startWithPeople(t, { args: ['--access-ttl', String(ttl)] });
    const { token } = await letIn(server), clock = startClock();
    const opened = await openStreams(withToken(server, token)).catch((error) => ({ error }));
    if (opened.error && clock() >= ttl - 1) return false; // it expires within its last second
    assert.ifError(opened.error);
    await assertEndsSoon(opened, 'expired');
    assert.equal((await opened.session.listen()).status, 401);
    return true;
  });
});

test('SEC-64: a user has at most 64 streams; others are not affected', async (t) => {
  const server = await startWithPeople(t);
  const anna = withToken(server, (await letIn(server)).token), other = withToken(server, (await letIn(server)).token);
  const bob = withToken(server, (await letIn(server, { name: 'bob' })).token);
  const open = [];
  const listen = (who) => openModern(who, modernMessage('subscriptions/listen', { notifications: { resourcesListChanged: true } }));
  const session = await Session.open(anna);
  open.push(await session.listen());
  for (let i = 0; i < 63; i++) {
    const stream = await listen(i % 2 ? anna : other);
    assert.equal(stream.status, 200);
    open.push(stream);
  }
  const refused = await listen(anna);
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers['retry-after']) > 0);
  assert.equal((await (await Session.open(other)).listen()).status, 429, 'with another client, too');
  const again = await session.listen();
  assert.equal(again.status, 200, 'a session may replace its own stream');
  const his = await listen(bob);
  assert.equal(his.status, 200);
  for (const stream of [...open, again, his]) stream.close();
  await until('closed streams do not count', async () => {
    const stream = await listen(anna);
    stream.close();
    return stream.status === 200;
  });
});

/* --- removed users --- */

test('a new password ends the grants of that user and their streams, and no others', async (t) => {
  const file = path.join(tempDir(t), 'users');
  writeFileSync(file, `anna:${USERS.anna.hash}\nbob:${USERS.bob.hash}\n`);
  const server = await startWithPeople(t, { env: { AUTH_USERS: '', AUTH_USERS_FILE: file } });
  const anna = await letIn(server), bob = await letIn(server, { name: 'bob' });
  const gone = await openStreams(withToken(server, anna.token)), kept = await openStreams(withToken(server, bob.token));
  writeFileSync(file, `# a new password\nanna:${USERS.bob.hash}\nbob:${USERS.bob.hash}\n`);
  await assertEndsSoon(gone, 'another password');
  assert.deepEqual([kept.listen.closed ?? false, kept.standalone.closed ?? false], [false, false]);
  const status = async (token) => (await postModern(withToken(server, token), modernMessage('server/discover'))).status;
  assert.deepEqual([await status(anna.token), await status(bob.token)], [401, 200]);
  const refreshed = await fetch(`${server.origin}/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token', client_id: anna.client, refresh_token: anna.refresh_token }) });
  assert.equal((await refreshed.json()).error, 'invalid_grant');
});

test('a removed user loses access', async (t) => {
  const state = path.join(tempDir(t), 'state'), port = await freePort();
  const file = path.join(tempDir(t), 'users');
  const write = (names) => writeFileSync(file, names.map((name) => `${name}:${USERS[name].hash}\n`).join(''));
  write(['anna', 'bob']);
  const clients = path.join(tempDir(t), 'clients.json');
  writeFileSync(clients, JSON.stringify([{ client_id: 'robot', client_secret: 'secret-of-the-robot', grant_types: ['client_credentials'], scope: 'vault:read' }]));
  const server = await startHttp(t, { state, port, env: { AUTH_USERS_FILE: file, OAUTH_CLIENTS_FILE: clients } });
  server.origin = server.issuer = `http://127.0.0.1:${port}`;
  const anna = await letIn(server), bob = await letIn(server, { name: 'bob' });
  const robot = await (await fetch(`${server.origin}/token`, {
    method: 'POST', body: new URLSearchParams({ grant_type: 'client_credentials' }), headers: { authorization: `Basic ${btoa('robot:secret-of-the-robot')}` },
  })).json();
  const key = await WAYS['a key'](t, server, { write: false });
  const status = async (token) => (await postModern(withToken(server, token), modernMessage('server/discover'))).status;
  const refresh = async ({ client, refresh_token }) =>
    (await fetch(`${server.origin}/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token', client_id: client, refresh_token }) })).status;
  const all = async () => Promise.all([anna.token, bob.token, robot.access_token, key].map(status));
  assert.deepEqual(await all(), [200, 200, 200, 200]);
  write(['bob']);
  await until('it is noticed', async () => (await status(anna.token)) === 401);
  assert.deepEqual(await all(), [401, 200, 200, 200]);
  assert.equal(await refresh(anna), 400);
  assert.equal(await refresh(bob), 200);
  const asked = await fetchHttp(server, { path: '/oauth/introspect', headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: `Bearer ${key}` }, body: new URLSearchParams({ token: anna.token }).toString() });
  assert.deepEqual(asked.message, { active: false });
  write(['anna', 'bob']); // an operator's typo costs no one their connections
  await until('it is noticed', async () => (await status(anna.token)) === 200);
  assert.deepEqual(await all(), [200, 200, 200, 200]);
});

/* --- which tools --- */

test('SEC-45: an app has the tools that were ticked on the consent page, and no others exist for it', async (t) => {
  const server = await startWithPeople(t, { vault: copyVault(t) });
  const client = await register(server, { client_name: 'Few' }), browser = new Browser(server);
  const page = await browser.toConsent(authorizePath(client, { scope: 'vault:read vault:write' }));
  const offered = page.forms[0].fields.map(([name]) => name).filter((name) => name.startsWith('tool.'));
  assert.ok(offered.includes('tool.vault_delete') && offered.length > 15, offered.join(' '));
  const none = await browser.submit(choose(writing(page), offered.map((name) => [name, ''])), { decision: 'allow' });
  assert.equal(none.status, 400);
  assert.match(none.text, /Choose at least one tool/);
  const without = ['tool.vault_delete', 'tool.vault_undo', 'tool.vault_batch'];
  const invented = [...without.map((name) => [name, '']), ['tool.no_such_tool', 'on']];
  const answer = await browser.submit(choose(writing(none), [...offered.filter((name) => !without.includes(name)).map((name) => [name, 'on']), ...invented]), { decision: 'allow' });
  const tokens = await redeem(server, client, learned(answer).code);
  assert.equal(tokens.status, 200, JSON.stringify(tokens));
  const as = withToken(server, tokens.access_token);
  const names = await toolsOf(as);
  assert.equal(names.length, offered.length - without.length);
  for (const name of without) assert.ok(!names.includes(name.slice(5)), name);
  const gone = await call(as, 'vault_delete', { path: 'Home.md' });
  assert.match(gone.error.message, /Unknown tool/);
  for (const [method, params] of [['tools/list', {}], ['server/discover', {}], ['tools/call', { name: 'vault_guide', arguments: {} }], ['prompts/list', {}]])
    assert.doesNotMatch(JSON.stringify(await ask(as, method, params)), /vault_(delete|undo|batch)\b/, method);
  // a refreshed grant has the same, and what is unticked later is gone, too
  const account = await browser.get('/account');
  assert.match(account.text, /Tools: .*vault_read/);
  const lower = account.forms.find((f) => f.action === '/account/lower');
  assert.deepEqual(lower.fields.filter(([name]) => name.startsWith('tool.')).map(([name]) => name.slice(5)).sort(), [...names].sort());
  assert.equal((await browser.submit(choose(lower, [['tool.vault_write', ''], ['tool.vault_delete', 'on']]))).status, 303);
  const refreshed = await fetchHttp(server, { path: '/oauth/token', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: client }).toString() });
  assert.equal(refreshed.status, 200, refreshed.text);
  const later = await toolsOf(withToken(server, JSON.parse(refreshed.text).access_token));
  assert.deepEqual(later.sort(), names.filter((name) => name !== 'vault_write').sort());
});
