// What a client learns about its own proposals, in both eras, and how it builds on one; others learn nothing.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { META, NEWEST_LEGACY, VAULTD, cleanEnv, initializeMessage, modernMessage, openModern, run, startStdio, tempDir, until, withToken } from '../support.mjs';
import { Browser, callTool, startWithPeople } from './people.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const NOTE = '# Plan\n\nCall Anna on Monday at ten.\n\nkeep\n\nbuy milk\n\nend\n';
const TASKS = { [`${META}clientCapabilities`]: { extensions: { [`${META}tasks`]: {} } } };

function place(t, files = { 'Plan.md': NOTE }) {
  const dir = tempDir(t);
  const vault = path.join(dir, 'vault');
  const state = path.join(dir, 'state');
  mkdirSync(vault);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(vault, name), text);
  return {
    t, vault, state,
    text: (name) => readFileSync(path.join(vault, name), 'utf8'),
    cli: (...args) => run(VAULTD, [...args, '--vault-path', vault], { env: cleanEnv(dir, { STATE_DIR: state }) }),
  };
}

const textOf = (result) => result.content.map((c) => c.text).join('\n');
const idOf = (text) => /"proposal":"([0-9a-f]{12})"/.exec(text)[1];

/** A stdio client that calls itself so. */
async function client(t, p, name = 'e2e') {
  const server = startStdio(t, { vault: p.vault, state: p.state, args: ['--writes', 'propose'] });
  const hello = initializeMessage(NEWEST_LEGACY);
  hello.params.clientInfo = { name, version: '1' };
  await server.exchange(hello, hello.id);
  await server.notify('notifications/initialized');
  const call = async (tool, args) => {
    const { result } = await server.request('tools/call', { name: tool, arguments: args });
    return { text: textOf(result), failed: result.isError === true };
  };
  const edit = async (old_text, new_text, more = {}) => {
    const answer = await call('vault_edit', { path: 'Plan.md', old_text, new_text, ...more });
    return answer.failed ? answer : idOf(answer.text);
  };
  return { server, call, edit };
}

/** A browser in which a user has signed in, and a key of that user for a program. */
async function signedIn(p, server, name) {
  const browser = new Browser(server);
  const end = await browser.signIn(await browser.get('/proposals'), name);
  assert.equal(end.status, 303, end.text);
  const key = await run(VAULTD, ['key', 'add', `${name}/laptop`, 'write', '--state-dir', p.state], { env: cleanEnv(tempDir(p.t)) });
  return { browser, token: key.stdout.trim() };
}

test('vault_changes lists the client\'s own proposals, with their outcome and the reason', async (t) => {
  const p = place(t);
  const mine = await client(t, p, 'Mine');
  const other = await client(t, p, 'Other');
  const accepted = await mine.edit('Monday', 'Tuesday');
  const rejected = await mine.edit('milk', 'oat milk');
  await p.cli('accept', accepted);
  await p.cli('reject', rejected, 'no', 'oats');
  const { proposals, changes } = JSON.parse((await mine.call('vault_changes', {})).text);
  assert.deepEqual(new Map(proposals.map((x) => [x.id, [x.state, x.reason]])), new Map([[accepted, ['accepted', undefined]], [rejected, ['rejected', 'no oats']]]));
  assert.equal(proposals.find((x) => x.id === accepted).change, changes[0].change);
  assert.equal(JSON.parse((await other.call('vault_changes', {})).text).proposals, undefined);
  assert.equal(JSON.parse((await mine.call('vault_changes', { proposal: rejected })).text).reason, 'no oats');
  const hidden = await other.call('vault_changes', { proposal: rejected });
  assert.ok(hidden.failed);
  assert.match(hidden.text, /there is no proposal/);
  assert.ok((await other.server.request('resources/read', { uri: `vault-proposal:///${rejected}` })).error);
});

test('a client cannot fill the place of another one', async (t) => {
  const p = place(t);
  const greedy = await client(t, p, 'Greedy');
  for (let i = 0; i < 100; i++) assert.equal(typeof (await greedy.edit('Monday', `day ${i}`)), 'string');
  assert.match((await greedy.edit('Monday', 'one more')).text, /100 proposals of this client wait/);
  assert.equal(typeof (await (await client(t, p, 'Modest')).edit('Monday', 'Tuesday')), 'string');
});

test('a subscription is told of the decision (legacy), also if another process decides', async (t) => {
  const p = place(t);
  const mine = await client(t, p);
  const id = await mine.edit('Monday', 'Tuesday');
  const uri = `vault-proposal:///${id}`;
  const { result } = await mine.server.request('resources/read', { uri });
  assert.match(JSON.parse(result.contents[0].text).diff, /\+Call Anna on Tuesday/);
  assert.deepEqual((await mine.server.request('resources/subscribe', { uri })).result, {});
  await p.cli('reject', id, 'later');
  const { message } = await mine.server.take('the notification', (m) => m.method === 'notifications/resources/updated');
  assert.equal(message.params.uri, uri);
  assert.equal(JSON.parse((await mine.server.request('resources/read', { uri })).result.contents[0].text).reason, 'later');
});

test('a subscription is told of the decision (modern), and only of one\'s own', async (t) => {
  const p = place(t);
  const server = await startWithPeople(t, { vault: p.vault, state: p.state, args: ['--writes', 'propose'] });
  const people = { anna: await signedIn(p, server, 'anna'), bob: await signedIn(p, server, 'bob') };
  const ids = {};
  const streams = {};
  for (const [name, { token }] of Object.entries(people)) {
    ids[name] = idOf(JSON.stringify(await callTool(server, token, 'vault_edit', { path: 'Plan.md', old_text: 'Monday', new_text: name })).replaceAll('\\"', '"'));
    streams[name] = await openModern(withToken(server, token), modernMessage('subscriptions/listen', { notifications: { resourceSubscriptions: ['vault-proposal:///'] } }, name));
    await streams[name].next('the acknowledgement', (e) => e.message?.method === 'notifications/subscriptions/acknowledged');
  }
  for (const name of ['anna', 'bob']) {
    const [form] = (await people[name].browser.get(`/proposals?id=${ids[name]}`)).forms;
    assert.equal((await people[name].browser.submit(form, { do: 'reject' })).status, 303);
    await streams[name].next('the notification', (e) => e.message?.method === 'notifications/resources/updated');
  }
  for (const name of ['anna', 'bob'])
    assert.deepEqual(streams[name].messages.filter((m) => m.method === 'notifications/resources/updated').map((m) => m.params.uri), [`vault-proposal:///${ids[name]}`]);
});

test('a task waits for the decision', async (t) => {
  const p = place(t);
  const server = startStdio(t, { vault: p.vault, state: p.state, args: ['--writes', 'propose'] });
  const ask = async (method, params) => (await server.modern(method, { ...params, _meta: { ...TASKS, ...params._meta } })).result;
  const id = idOf(textOf(await ask('tools/call', { name: 'vault_edit', arguments: { path: 'Plan.md', old_text: 'Monday', new_text: 'Tuesday' } })));
  const task = await ask('tools/call', { name: 'vault_changes', arguments: { proposal: id, wait: 300 } });
  assert.equal(task.resultType, 'task', JSON.stringify(task));
  assert.equal((await ask('tasks/get', { taskId: task.taskId })).status, 'working');
  await p.cli('accept', id);
  const done = await until('the task is completed', async () => {
    const now = await ask('tasks/get', { taskId: task.taskId });
    return now.status === 'completed' && now;
  });
  assert.equal(JSON.parse(textOf(done.result)).state, 'accepted');
});

test('a call without tasks waits, too, and ends with the state as it is', async (t) => {
  const p = place(t);
  const mine = await client(t, p);
  const id = await mine.edit('Monday', 'Tuesday');
  assert.equal(JSON.parse((await mine.call('vault_changes', { proposal: id, wait: 1 })).text).state, 'waiting');
  const waiting = mine.call('vault_changes', { proposal: id, wait: 600 });
  await p.cli('reject', id);
  assert.equal(JSON.parse((await waiting).text).state, 'rejected');
});

test('a client reads and edits on top of its own proposal', async (t) => {
  const p = place(t);
  const mine = await client(t, p, 'Mine');
  const other = await client(t, p, 'Other');
  const first = await mine.edit('Monday', 'Tuesday');
  const plain = await mine.call('vault_read', { path: 'Plan.md' });
  assert.match(plain.text, /Monday/);
  assert.match(plain.text, new RegExp(`wait for review: ${first}`));
  assert.doesNotMatch((await other.call('vault_read', { path: 'Plan.md' })).text, /wait for review/);
  assert.match((await mine.call('vault_read', { path: 'Plan.md', proposal: first })).text, /Tuesday/);
  assert.ok((await other.call('vault_read', { path: 'Plan.md', proposal: first })).failed);
  assert.match((await mine.edit('Tuesday', 'Friday')).text, /TEXT_NOT_FOUND/);
  assert.match((await other.edit('Tuesday', 'Friday', { proposal: first })).text, /there is no proposal/);
  const second = await mine.edit('Tuesday at ten', 'Tuesday at noon', { proposal: first });
  assert.equal((await p.cli('accept', first)).code, 0);
  assert.equal((await p.cli('accept', second)).code, 0);
  assert.equal(p.text('Plan.md'), NOTE.replace('Monday at ten', 'Tuesday at noon'));
  assert.match((await mine.edit('noon', 'one', { proposal: first })).text, /is accepted: leave out proposal/);
});

test('what builds on a rejected proposal is merged, or is a conflict', async (t) => {
  const p = place(t);
  const mine = await client(t, p);
  const first = await mine.edit('Monday', 'Tuesday');
  const apart = await mine.edit('milk', 'oat milk', { proposal: first });
  const on = await mine.edit('on Tuesday', 'next Tuesday', { proposal: first });
  await p.cli('reject', first);
  assert.match((await p.cli('accept', apart)).stdout, /merged/);
  assert.equal(p.text('Plan.md'), NOTE.replace('milk', 'oat milk'), 'nothing of what was rejected');
  assert.match((await p.cli('accept', on)).stderr, /has changed since in the same places: nothing was changed/);
  assert.equal(JSON.parse((await p.cli('proposals', on, '--json')).stdout).files[0].now, 'conflict');
});

test('only what needs a review can build on a proposal', async (t) => {
  const p = place(t, { 'Plan.md': NOTE });
  mkdirSync(path.join(p.vault, 'Work'));
  writeFileSync(path.join(p.vault, 'Work/a.md'), 'one\n');
  const server = startStdio(t, { vault: p.vault, state: p.state, args: ['--propose-paths', 'Work'] });
  await server.initialize();
  const call = async (name, args) => textOf((await server.request('tools/call', { name, arguments: args })).result);
  const id = idOf(await call('vault_edit', { path: 'Work/a.md', old_text: 'one', new_text: 'two' }));
  assert.match(await call('vault_edit', { path: 'Plan.md', old_text: 'Monday', new_text: 'Tuesday', proposal: id }), /can only be proposed, and this needs no review/);
  assert.equal(p.text('Plan.md'), NOTE);
});

for (const row of CONNECTIONS)
  test(`the official client learns the outcome: ${row.name}`, async (t) => {
    const p = place(t);
    const sdk = await connect(t, row, { vault: p.vault, args: ['--writes', 'propose', '--state-dir', p.state] });
    const id = idOf(textOf(await sdk.call({ name: 'vault_edit', arguments: { path: 'Plan.md', old_text: 'Monday', new_text: 'Tuesday' } })));
    const read = async () => JSON.parse((await sdk.client.readResource({ uri: `vault-proposal:///${id}` })).contents[0].text);
    assert.equal((await read()).state, 'waiting');
    assert.equal((await run(VAULTD, ['accept', id, '--vault-path', p.vault, '--state-dir', p.state], { env: cleanEnv(tempDir(t)) })).code, 0);
    assert.equal((await read()).state, 'accepted');
    assert.equal(p.text('Plan.md'), NOTE.replace('Monday', 'Tuesday'));
    await sdk.close();
  });
