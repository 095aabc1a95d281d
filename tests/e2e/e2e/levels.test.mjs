// A level for each folder, and tools, of keys and grants: what is written, what is proposed, what does not exist.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { VAULTD, cleanEnv, copyVault, run, tempDir } from '../support.mjs';
import { Browser, authorizePath, callTool, choose, learned, letIn, levels, redeem, register, startWithPeople, writing } from './people.mjs';

const FILES = { 'Home.md': '[[Plan]] [[In]]\n', 'Inbox/In.md': 'one\n', 'Work/Plan.md': 'one\n', 'Work/Drafts/D.md': 'one\n', 'Diary/Day.md': 'secret [[Plan]]\n' };

async function start(t, options = {}) {
  const vault = path.join(tempDir(t), 'vault');
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(vault, name)), { recursive: true });
    writeFileSync(path.join(vault, name), text);
  }
  const server = await startWithPeople(t, { vault, ...options });
  server.text = (name) => readFileSync(path.join(vault, name), 'utf8');
  server.vault = vault;
  server.cli = (...args) => run(VAULTD, args, { env: cleanEnv(tempDir(t), { STATE_DIR: server.state, VAULT_PATH: vault }) });
  server.key = async (...args) => {
    const made = await server.cli('key', 'add', ...args);
    assert.equal(made.code, 0, made.stderr);
    return made.stdout.trim();
  };
  return server;
}

async function call(server, token, name, args) {
  const { status, message } = await callTool(server, token, name, args);
  const text = message.result?.content?.map((c) => c.text).join('\n') ?? JSON.stringify(message);
  return { status, text, failed: status !== 200 || message.error !== undefined || message.result?.isError === true, proposed: /waits for the user's review|waiting for review/.test(text) };
}

const edit = (file) => ({ path: file, old_text: 'one', new_text: 'two' });
const LEVELS = { Inbox: 'write', Work: 'propose', Diary: 'none' };

/** What a client with these levels can do, however it got them. */
async function assertLevels(server, token) {
  const written = await call(server, token, 'vault_edit', edit('Inbox/In.md'));
  assert.ok(!written.failed && !written.proposed, written.text);
  assert.equal(server.text('Inbox/In.md'), 'two\n');
  const proposed = await call(server, token, 'vault_edit', edit('Work/Plan.md'));
  assert.ok(!proposed.failed && proposed.proposed, proposed.text);
  assert.equal(server.text('Work/Plan.md'), 'one\n');
  const refused = await call(server, token, 'vault_insert', { path: 'Home.md', content: 'x' });
  assert.ok(refused.failed, refused.text);
  assert.equal(server.text('Home.md'), FILES['Home.md']);
  const hidden = await call(server, token, 'vault_read', { path: 'Diary/Day.md' });
  assert.match(hidden.text, /not found/i);
  assert.doesNotMatch((await call(server, token, 'vault_list', { recursive: true })).text, /Diary|Day/);
  assert.doesNotMatch((await call(server, token, 'vault_search', { query: 'secret' })).text, /Day/);
  const both = await call(server, token, 'vault_batch', { steps: [{ tool: 'vault_edit', path: 'Inbox/In.md', old_text: 'two', new_text: 'three' }, { tool: 'vault_edit', ...edit('Work/Drafts/D.md') }] });
  assert.ok(!both.failed && both.proposed, both.text);
  assert.equal(server.text('Inbox/In.md'), 'two\n');
  const rename = await call(server, token, 'vault_move', { path: 'Inbox/In.md', to: 'Inbox/New.md' });
  assert.ok(rename.failed, 'a link in a note that is only read');
  for (const [from, to] of [['Work', 'Job'], ['Diary', 'Inbox/Diary'], ['Inbox/In.md', 'Diary/In.md']])
    assert.ok((await call(server, token, 'vault_move', { path: from, to, keep_links: true })).failed || from === 'Work', `${from} ${to}`);
  for (const name of Object.keys(FILES)) assert.ok(existsSync(path.join(server.vault, name)), name);
}

test('a key reads here, writes there, proposes elsewhere, and does not know a folder', async (t) => {
  const server = await start(t);
  await assertLevels(server, await server.key('agent', '--level', 'read', '--write', 'Inbox', '--propose', 'Work', '--deny', 'Diary'));
});

test('an app is allowed the same on the consent page, and refreshes it', async (t) => {
  const server = await start(t);
  const anna = await letIn(server, { choices: levels(LEVELS, 'read') });
  assert.equal(anna.scope, 'vault:read vault:write');
  await assertLevels(server, anna.token);
  const refresh = async (more) => (await fetch(`${server.origin}/oauth/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token', client_id: anna.client, ...more }) })).json();
  const less = await refresh({ refresh_token: anna.refresh_token, scope: 'vault:propose' });
  assert.equal(less.scope, 'vault:read vault:propose');
  const proposed = await call(server, less.access_token, 'vault_insert', { path: 'Inbox/In.md', content: 'x' });
  assert.ok(proposed.proposed, proposed.text);
  const again = await refresh({ refresh_token: less.refresh_token });
  assert.equal(again.scope, 'vault:read vault:write', 'as granted');
  const account = (await anna.browser.get('/account')).text;
  for (const part of [/Read and write<\/span><bdi>Inbox/, /Propose changes<\/span><bdi>Work/, /No access<\/span><bdi>Diary/, /Read only<\/span>everywhere else/]) assert.match(account, part);
});

test('an app that is not configured is suggested to propose; one that is, what it asks for', async (t) => {
  const file = path.join(tempDir(t), 'clients.json');
  writeFileSync(file, JSON.stringify([{ client_id: 'known', redirect_uris: ['https://client.example/callback'], token_endpoint_auth_method: 'none' }]));
  const server = await start(t, { env: { OAUTH_CLIENTS_FILE: file } });
  const suggested = async (client, scope) => {
    const page = await new Browser(server).toConsent(authorizePath(client, { scope }));
    return [page.forms[0].fields.find(([name]) => name === 'access')[1], [...page.text.matchAll(/name="access" value="(\w+)"/g)].map(([, value]) => value).join()];
  };
  const client = await register(server);
  assert.deepEqual(await suggested(client, 'vault:read vault:write'), ['propose', 'write,propose,read,each']);
  assert.deepEqual(await suggested(client, 'vault:propose'), ['propose', 'propose,read,each']);
  assert.deepEqual(await suggested(client, 'vault:read'), ['read', 'read,each']);
  assert.deepEqual(await suggested('known', 'vault:read vault:write'), ['write', 'write,propose,read,each']);
});

test('a folder in another one is as that, unless something else is chosen', async (t) => {
  const server = await startWithPeople(t, { vault: copyVault(t) });
  const client = await register(server), page = await new Browser(server).toConsent(authorizePath(client));
  const row = (folder) => new RegExp(`<bdi>${folder}</bdi><select name="folder">(<option[^>]*>[^<]*</option>)`).exec(page.text)?.[1];
  assert.match(row('Areas'), /value="none Areas" selected/);
  assert.match(row('Areas/Garden'), /value="same" selected/);
  assert.ok(page.forms[0].fields.length < 300);
  const app = await letIn(server, { choices: [...levels({ Areas: 'read', 'Areas/Garden': 'write' }), ['folder', 'same'], ['folder', 'same']] });
  const works = async (name, args) => { const { message } = await callTool(server, app.token, name, args); return Boolean(message.result && !message.result.isError); };
  assert.ok(await works('vault_read', { path: 'Areas/Homelab/Homelab.md' }));
  assert.ok(!await works('vault_write', { path: 'Areas/Homelab/New.md', content: 'x' }));
  assert.ok(await works('vault_write', { path: 'Areas/Garden/New.md', content: 'x' }));
  assert.ok(!await works('vault_read', { path: 'Home.md' }));
});

test('SEC-05: forms cannot allow more than was asked, nor what was not offered', async (t) => {
  const server = await start(t);
  const answer = async (scope, fields, client) => {
    const browser = new Browser(server), page = await browser.toConsent(authorizePath(client, { scope }));
    return browser.submit(choose(page.forms[0], fields), { decision: 'allow' });
  };
  let apps = 0;
  const allowed = async (scope, fields) => {
    const client = await register(server, { client_name: `App ${++apps}` });
    return (await redeem(server, client, learned(await answer(scope, fields, client)).code)).scope;
  };
  const client = await register(server);
  assert.equal(await allowed('vault:read', [['access', 'write']]), 'vault:read');
  assert.equal(await allowed('vault:propose', [['access', 'write']]), 'vault:read vault:propose');
  assert.equal(await allowed('vault:read', levels({ Inbox: 'write' })), 'vault:read');
  assert.equal(await allowed('vault:read vault:write', levels({ Inbox: 'propose' }, 'read')), 'vault:read vault:propose');
  for (const fields of [
    levels({}), levels({ Inbox: 'none' }), levels({ Elsewhere: 'write' }), levels({ Inbox: 'admin' }), levels({ '../x': 'read' }), levels({ 'Inbox\u202e': 'read' }),
    levels({ [`x${'y'.repeat(10000)}`]: 'read' }), [['access', 'each'], ['rest', 'all']], [['access', 'each'], ['rest', ''], ['folder', 'write Inbox']], [['access', 'each'], ['rest', 'none'], ['folder', 'write']],
    [['access', 'write'], ['where', 'some']], [['access', 'write'], ['where', 'none'], ['folder', 'none Inbox']],
  ]) assert.equal((await answer('vault:read vault:write', fields, client)).status, 400, JSON.stringify(fields).slice(0, 80));
  const many = Array.from({ length: 10000 }, (_, i) => ['folder', `read f${i}`]);
  assert.ok((await answer('vault:read vault:write', [['access', 'each'], ['rest', 'none'], ...many], client)).status >= 400);
});

test('SEC-45: what an app may do is lowered on /account, never raised, and a reconnection asks again', async (t) => {
  const server = await start(t);
  const anna = await letIn(server, { choices: levels({ Inbox: 'write', Work: 'propose' }, 'read') });
  const form = async () => (await anna.browser.get('/account')).forms.find((f) => f.action === '/account/lower');
  const lower = async (places, rest) => anna.browser.submit(choose(await form(), [['rest', rest], ...Object.entries(places).map(([folder, level]) => ['folder', `${level} ${folder}`])]));
  assert.equal((await lower({ Inbox: 'propose', Work: 'write', Diary: 'write' }, 'write')).status, 303);
  const status = async (token) => (await callTool(server, token, 'vault_info')).status;
  assert.equal(await status(anna.token), 401, 'the token that says more has ended');
  const renewed = await (await fetch(`${server.origin}/oauth/token`, { method: 'POST', body: new URLSearchParams({ grant_type: 'refresh_token', client_id: anna.client, refresh_token: anna.refresh_token }) })).json();
  assert.equal(renewed.scope, 'vault:read vault:propose');
  for (const file of ['Inbox/In.md', 'Work/Plan.md']) assert.ok((await call(server, renewed.access_token, 'vault_edit', edit(file))).proposed, file);
  assert.ok((await call(server, renewed.access_token, 'vault_insert', { path: 'Home.md', content: 'x' })).failed);
  assert.equal(server.text('Inbox/In.md'), 'one\n');
  const asked = await anna.browser.get(authorizePath(anna.client, { scope: 'vault:read' }));
  assert.equal(asked.status, 200, 'the consent is not remembered');
  assert.equal((await lower({ Inbox: 'none', Work: 'none' }, 'none')).status, 400, 'nothing would be left');
  const bob = new Browser(server);
  await bob.signIn(await bob.get('/account'), 'bob');
  const foreign = choose(await form(), []), ticket = (await bob.get('/account')).forms[0].fields.find(([name]) => name === 'ticket');
  assert.equal((await bob.submit(choose(foreign, [ticket]))).status, 400, 'not by another user');
  assert.equal((await bob.submit(foreign)).status, 403, 'nor with the ticket of another page');
});

test('a key for some tools has no others: not listed, not named, not as a step', async (t) => {
  const server = await start(t);
  const token = await server.key('finder', '--tools', 'vault_read,vault_batch,vault_insert');
  const listed = await (await fetch(server.url, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' }, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 'e', version: '1' }, 'io.modelcontextprotocol/clientCapabilities': {} } } }) })).json();
  assert.deepEqual(listed.result.tools.map((tool) => tool.name).sort(), ['vault_batch', 'vault_insert', 'vault_read']);
  const hidden = await callTool(server, token, 'vault_delete', { path: 'Home.md' }), unknown = await callTool(server, token, 'vault_deleet', { path: 'Home.md' });
  assert.equal(hidden.status, unknown.status, 'no step-up for what is not there');
  assert.equal(hidden.message.error.message.replace('vault_delete', ''), unknown.message.error.message.replace('vault_deleet', ''));
  const step = await call(server, token, 'vault_batch', { steps: [{ tool: 'vault_delete', path: 'Home.md' }] });
  assert.match(step.text, /'vault_delete' cannot be a step; use vault_insert/);
  assert.equal(server.text('Home.md'), FILES['Home.md']);
  const made = await call(server, token, 'vault_batch', { steps: [{ tool: 'vault_insert', path: 'Home.md', content: 'x' }] });
  assert.ok(!made.failed, made.text);
});

test('SEC-34: symlinks, renamed folders and other spellings lead to no higher level', async (t) => {
  const server = await start(t);
  symlinkSync('../Work', path.join(server.vault, 'Inbox/link'));
  symlinkSync('../../Work/Plan.md', path.join(server.vault, 'Inbox/In-link.md'));
  const token = await server.key('agent', '--level', 'read', '--write', 'Inbox', '--propose', 'Work');
  for (const file of ['Inbox/link/Plan.md', 'inbox/In.md', 'INBOX/New.md', 'Inbox/../Work/Plan.md', './Work/Plan.md', 'Inbox//../Home.md']) {
    await call(server, token, 'vault_edit', edit(file));
    await call(server, token, 'vault_write', { path: file, content: 'x', overwrite: true });
  }
  assert.equal(server.text('Work/Plan.md'), 'one\n');
  assert.equal(server.text('Home.md'), FILES['Home.md']);
  assert.ok(!existsSync(path.join(server.vault, 'INBOX')));
  renameSync(path.join(server.vault, 'Work'), path.join(server.vault, 'Job'));
  const moved = await call(server, token, 'vault_write', { path: 'Job/Plan.md', content: 'x', overwrite: true });
  assert.ok(moved.failed, 'a level belongs to a path');
});

test('--writes propose offers no writing, and --state memory no proposing', async (t) => {
  const server = await start(t, { args: ['--writes', 'propose'] });
  const scopes = async (s) => (await (await fetch(`${s.origin}/.well-known/oauth-protected-resource/mcp`)).json()).scopes_supported;
  assert.deepEqual(await scopes(server), ['vault:read', 'vault:propose']);
  const client = await register(server);
  const page = await new Browser(server).toConsent(authorizePath(client));
  assert.doesNotMatch(page.text, /value="write"/);
  const memory = await start(t, { args: ['--state', 'memory'] });
  assert.deepEqual(await scopes(memory), ['vault:read', 'vault:write']);
  const asked = await new Browser(memory).toConsent(authorizePath(await register(memory), { scope: 'vault:propose' }));
  assert.doesNotMatch(asked.text, /value="(write|propose)"/);
  assert.ok(writing(asked));
});
