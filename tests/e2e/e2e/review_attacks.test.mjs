// Attacks on reviews: a client that would accept, hide, repeat or multiply what it proposes.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Session, VAULTD, cleanEnv, run, startHttp, tempDir } from '../support.mjs';
import { Browser, callTool, letIn, startWithPeople } from './people.mjs';

const PROPOSE = ['--writes', 'propose'];
const WRITE = [['access', 'write']];

function place(t, files) {
  const dir = tempDir(t), vault = path.join(dir, 'vault'), state = path.join(dir, 'state');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(vault, name)), { recursive: true });
    writeFileSync(path.join(vault, name), text);
  }
  return {
    vault, state,
    has: (name) => existsSync(path.join(vault, name)),
    text: (name) => readFileSync(path.join(vault, name), 'utf8'),
    cli: (...args) => run(VAULTD, [...args, '--vault-path', vault], { env: cleanEnv(dir, { STATE_DIR: state }) }),
  };
}

const idIn = (answer) => /proposal(?:"|\\")?:?(?:"|\\")? ?([0-9a-f]{12})/.exec(JSON.stringify(answer))?.[1];

/** A client of a server without sign-in, and the browser of a person. */
async function start(t, files) {
  const p = place(t, files);
  p.server = await startHttp(t, { vault: p.vault, state: p.state, args: PROPOSE });
  p.server.issuer = `http://127.0.0.1:${p.server.port}`;
  p.session = await Session.open(p.server);
  p.propose = async (name, args) => idIn((await p.session.request('tools/call', { name, arguments: args })).message.result);
  p.link = new URL((await p.cli('proposals', '--link')).stdout.trim());
  p.person = new Browser(p.server);
  p.open = () => p.person.get(p.link.pathname + p.link.search);
  return p;
}

test('an idempotency key repeats no proposal of another app of the same user', async (t) => {
  const p = place(t, { 'a.md': 'one\n' });
  const server = await startWithPeople(t, { vault: p.vault, state: p.state, args: PROPOSE });
  const first = await letIn(server, { choices: WRITE }), second = await letIn(server, { choices: WRITE });
  const change = { path: 'a.md', old_text: 'one', new_text: 'two', idempotency_key: 'k' };
  const made = idIn(await callTool(server, first.token, 'vault_edit', change));
  assert.equal(idIn(await callTool(server, first.token, 'vault_edit', change)), made);
  const other = await callTool(server, second.token, 'vault_edit', change);
  assert.notEqual(idIn(other), made);
  assert.doesNotMatch(JSON.stringify(other), /repeated/);
  const reused = await callTool(server, second.token, 'vault_edit', { ...change, idempotency_key: 'l' });
  assert.equal(reused.message.result.isError, undefined, JSON.stringify(reused));
});

test('what only removes folders is shown, and can be accepted', async (t) => {
  const p = await start(t, { 'a.md': 'one\n' });
  mkdirSync(path.join(p.vault, 'Old/Sub\u202e'), { recursive: true });
  const id = await p.propose('vault_delete', { path: 'Old', recursive: true, permanent: true });
  assert.match((await p.cli('proposals', id)).stdout, /deleted the folder Old\/Sub‹U\+202E›\n.*deleted the folder Old\n/);
  await p.open();
  const page = await p.person.get(`/proposals?id=${id}`);
  assert.match(page.text, /Remove the folder <bdi>Old\/Sub‹U\+202E›<\/bdi>/);
  const done = await p.person.submit(page.forms[0], { do: 'accept' });
  assert.match(done.location ?? done.text, /done=accepted/);
  assert.equal(p.has('Old'), false);
});

test('a change that cannot be seen is announced', async (t) => {
  const p = await start(t, { 'a.md': 'one\ntwo\n' });
  await p.open();
  for (const content of ['one\r\ntwo\r\n', 'one\ntwo']) {
    const id = await p.propose('vault_write', { path: 'a.md', content, overwrite: true });
    assert.match((await p.cli('proposals', id)).stdout, /note: both look the same, only line breaks or the encoding change/);
    assert.match((await p.person.get(`/proposals?id=${id}`)).text, /Both look the same: only line breaks or the encoding change/);
  }
  const id = await p.propose('vault_write', { path: 'a.md', content: 'one —\u200c\u200d\u200c\ntwo\n', overwrite: true });
  const page = await p.person.get(`/proposals?id=${id}`);
  assert.match(page.text, /—‹U\+200C›‹U\+200D›‹U\+200C›/);
  assert.doesNotMatch(page.text, /Both look the same/);
});

test('a program that looks at the link of a review does not use it up', async (t) => {
  const p = await start(t, { 'a.md': 'one\n' });
  const looked = await new Browser(p.server).send(p.link.pathname + p.link.search, { method: 'HEAD' });
  assert.equal(looked.headers['set-cookie'], undefined);
  assert.equal((await p.open()).status, 303);
});

test('DNS rebinding and a second server open no page', async (t) => {
  const p = await start(t, { 'a.md': 'one\n' });
  const id = await p.propose('vault_edit', { path: 'a.md', old_text: 'one', new_text: 'two' });
  await p.open();
  const [form] = (await p.person.get(`/proposals?id=${id}`)).forms;
  const rebound = await p.person.submit(form, { do: 'accept' }, { host: 'evil.example', origin: 'http://evil.example' });
  assert.equal(rebound.status, 421);
  const second = await startHttp(t, { vault: p.vault, state: p.state, args: PROPOSE });
  const page = new Browser({ port: second.port, issuer: `http://127.0.0.1:${second.port}` });
  page.cookies = new Map(p.person.cookies);
  assert.equal((await page.get(`/proposals?id=${id}`)).forms.length, 0);
  assert.notEqual((await page.submit(form, { do: 'accept' })).status, 303);
  assert.equal(p.text('a.md'), 'one\n');
});

test('one client cannot take all the space of a vault for proposals', async (t) => {
  const p = place(t, { 'a.md': 'one\n' });
  const server = await startWithPeople(t, { vault: p.vault, state: p.state, args: PROPOSE });
  const greedy = await letIn(server, { choices: WRITE }), other = await letIn(server, { name: 'bob', choices: WRITE });
  const content = 'x'.repeat(3 << 20);
  const answers = [];
  for (let i = 0; i < 6; i++) answers.push(await callTool(server, greedy.token, 'vault_write', { path: `${i}.md`, content }));
  assert.equal(answers.filter((a) => idIn(a)).length, 5);
  assert.match(JSON.stringify(answers.at(-1)), /5 proposals of this client wait for a review \(at most 100, and 16 MiB\)/);
  assert.ok(idIn(await callTool(server, other.token, 'vault_write', { path: 'other.md', content })));
});

test('levels hold wherever links, moves and batches lead', async (t) => {
  const p = place(t, { 'Inbox/i.md': 'inbox\n', 'Work/w.md': 'work\n', 'Work/Diary/d.md': 'diary\n', 'Ref/r.md': 'ref\n' });
  const server = await startWithPeople(t, { vault: p.vault, state: p.state });
  const made = await run(VAULTD, ['key', 'add', 'agent', '--level', 'none', '--write', 'Inbox', '--propose', 'Work', '--read', 'Ref', '--deny', 'Work/Diary'], { env: cleanEnv(tempDir(t), { STATE_DIR: p.state }) });
  const call = (name, args) => callTool(server, made.stdout.trim(), name, args);
  const edit = (file) => ({ tool: 'vault_write', path: file, content: 'x', overwrite: true });
  for (const [name, args] of [
    ['vault_move', { path: 'Work', to: 'Inbox/Work' }], // with a folder that does not exist for it
    ['vault_move', { path: 'Work/w.md', to: 'Ref/w.md' }],
    ['vault_move', { path: 'Inbox/i.md', to: 'Work/Diary/i.md' }],
    ['vault_write', { path: 'Work/Diary/n.md', content: 'x' }],
    ['vault_write', { path: 'inbox/n.md', content: 'x' }],
    ['vault_write', { path: 'Inbox/../Ref/n.md', content: 'x' }],
    ['vault_batch', { steps: [edit('Inbox/i.md'), edit('Ref/r.md')] }],
  ]) {
    const answer = await call(name, args);
    assert.match(JSON.stringify(answer), /PATH_NOT_ALLOWED/, `${name} ${JSON.stringify(args)}`);
  }
  for (const [name, args] of [
    ['vault_move', { path: 'Work/w.md', to: 'Inbox/w.md' }],
    ['vault_move', { path: 'Inbox/i.md', to: 'Work/i.md' }],
    ['vault_batch', { steps: [edit('Inbox/i.md'), edit('Work/w.md')] }],
    ['vault_batch', { steps: [{ tool: 'vault_move', path: 'Work/w.md', to: 'Inbox/w.md' }, edit('Inbox/w.md')] }],
    ['vault_delete', { path: 'Work/w.md', permanent: true }],
  ])
    assert.ok(idIn(await call(name, args)), `${name} ${JSON.stringify(args)}`);
  assert.deepEqual(['Inbox/i.md', 'Work/w.md', 'Ref/r.md'].map(p.text), ['inbox\n', 'work\n', 'ref\n']);
});

test('tools that a key leaves out do not exist for it, also not as steps', async (t) => {
  const p = place(t, { 'a.md': 'one\n' });
  const server = await startWithPeople(t, { vault: p.vault, state: p.state });
  const made = await run(VAULTD, ['key', 'add', 'finder', 'write', '--tools', 'vault_read,vault_batch,vault_insert'], { env: cleanEnv(tempDir(t), { STATE_DIR: p.state }) });
  const call = async (name, args = {}) => (await callTool(server, made.stdout.trim(), name, args)).message;
  assert.match((await call('vault_nothing')).error.message, /Unknown tool: vault_nothing/);
  for (const name of ['vault_edit', 'vault_delete', 'vault_list']) assert.deepEqual((await call(name)).error, { code: -32602, message: `Unknown tool: ${name}` });
  for (const tool of ['vault_nothing', 'vault_delete', 'vault_write']) {
    const answer = await call('vault_batch', { steps: [{ tool, path: 'a.md', content: 'x', overwrite: true }] });
    assert.match(JSON.stringify(answer), new RegExp(`'${tool}' cannot be a step; use vault_insert;`));
  }
  await call('vault_batch', { steps: [{ tool: 'vault_insert', path: 'a.md', content: 'two' }] });
  assert.equal(p.text('a.md'), 'one\n\ntwo\n');
});
