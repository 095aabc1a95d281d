// Many changes in a short time need a confirmation (SEC-123).
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { copyVault, startHttp, startStdio } from '../support.mjs';
import { callTool, letIn, startWithPeople } from './people.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const read = ({ message }) => JSON.parse(message.result.content[0].text);

test('SEC-123: a grant changes 50 files in ten minutes; more are refused if its client cannot ask', async (t) => {
  const vault = copyVault(t);
  mkdirSync(path.join(vault, 'Many'));
  for (let i = 0; i < 60; i++) writeFileSync(path.join(vault, 'Many', `${i}.md`), 'x');
  const server = await startWithPeople(t, { vault, args: ['--rate-writes', '0'] });
  const [one, other] = [await letIn(server), await letIn(server)];
  const write = async (grant, i, more = {}) => read(await callTool(server, grant.token, 'vault_write', { path: `n${i}.md`, content: `${i}`, ...more }));
  const moved = read(await callTool(server, one.token, 'vault_move', { path: 'Many', to: 'Moved' }));
  assert.equal(moved.error?.code, 'NOT_CONFIRMED', 'a folder counts with all its files');
  for (let i = 0; i < 50; i++) assert.equal((await write(one, i)).error, undefined, `file ${i}`);
  const refused = await write(one, 50);
  assert.equal(refused.error?.code, 'NOT_CONFIRMED', JSON.stringify(refused));
  assert.match(refused.error.message, /more than 50 files .* 10 minutes.*--confirm-files/);
  assert.equal((await write(one, 50, { dry_run: true })).error, undefined, 'a look is no change');
  assert.equal((await write(other, 51)).error, undefined, 'another grant has its own count');
  const undo = read(await callTool(server, one.token, 'vault_undo'));
  assert.equal(undo.error?.code, 'NOT_CONFIRMED');
});

test('SEC-114, SEC-123: undoing counts all files of the change, and repeating an undo is answered', async (t) => {
  const vault = copyVault(t);
  mkdirSync(path.join(vault, 'Two'));
  for (const name of ['a.md', 'b.md']) writeFileSync(path.join(vault, 'Two', name), 'x');
  const server = await startWithPeople(t, { vault, args: ['--rate-writes', '0', '--confirm-files', '4'] });
  const [one, other] = [await letIn(server), await letIn(server)];
  const call = async (grant, name, args) => read(await callTool(server, grant.token, name, args));
  assert.equal((await call(one, 'vault_move', { path: 'Two', to: 'Zwei' })).error, undefined);
  const again = { idempotency_key: 'undo it' };
  const undone = await call(one, 'vault_undo', again);
  assert.equal(undone.error, undefined, JSON.stringify(undone));
  const repeated = await call(one, 'vault_undo', again);
  assert.deepEqual([repeated.error, repeated.undone], [undefined, undone.undone], JSON.stringify(repeated));
  assert.equal((await call(other, 'vault_write', { path: 'n.md', content: 'x' })).error, undefined);
  const moved = await call(other, 'vault_move', { path: 'Two', to: 'Zwei' });
  assert.equal(moved.error, undefined, JSON.stringify(moved));
  assert.equal((await call(other, 'vault_undo', {})).error?.code, 'NOT_CONFIRMED', '3 and 2 more');
});

test('SEC-123: files of all vaults count together, also for clients that did not sign in', async (t) => {
  const named = ['a', 'b', 'c'].map((name) => `${name}=${copyVault(t)}`), vault = named.pop();
  const args = ['--confirm', 'never', '--answers', 'json', '--rate-writes', '0', '--confirm-files', '4', ...named.flatMap((one) => ['--vault', one]), '--vault'];
  const signedIn = await startWithPeople(t, { vault, args: args.slice(2) }), open = await startHttp(t, { vault, args });
  const { token } = await letIn(signedIn);
  for (const [who, server] of Object.entries({ anna: signedIn, anyone: open })) {
    const write = async (name, i) => read(await callTool(server, token, 'vault_write', { vault: name, path: `${who} ${i}.md`, content: 'x' })).error?.code;
    for (const [i, name] of ['a', 'b', 'c', 'a'].entries()) assert.equal(await write(name, i), undefined, `${who}: ${name} ${i}`);
    for (const name of ['a', 'b', 'c']) assert.equal(await write(name, 'more'), 'NOT_CONFIRMED', `${who}: ${name}`);
  }
});

const STDIO = CONNECTIONS.find(({ name, http, modern }) => /SDK v1/.test(name) && !http && !modern);

test('SEC-123: the user is asked if the client can, and then not for the next files', async (t) => {
  const asked = [];
  let action = 'accept';
  const setup = (sdk) => sdk.handle('elicitation/create', async (request) => {
    asked.push(request.params.message);
    return action === 'accept' ? { action, content: {} } : { action };
  });
  const sdk = await connect(t, STDIO, { vault: copyVault(t), setup, args: ['--confirm-files', '3'] });
  const write = async (i) => JSON.parse((await sdk.call({ name: 'vault_write', arguments: { path: `n${i}.md`, content: `${i}` } })).content[0].text);
  for (let i = 0; i < 4; i++) assert.equal((await write(i)).error, undefined);
  assert.deepEqual(asked, ['3 files were changed in the last 10 minutes, and this would change 1 more. Continue?']);
  for (let i = 4; i < 7; i++) assert.equal((await write(i)).error, undefined);
  assert.equal(asked.length, 1, 'after a confirmation the count begins again');
  action = 'decline';
  assert.equal((await write(7)).error?.code, 'NOT_CONFIRMED');
  assert.equal(asked.length, 2);
  await sdk.close();
});

test('SEC-123: many changes of one file are one file', async (t) => {
  const asked = [];
  const setup = (sdk) => sdk.handle('elicitation/create', async (request) => {
    asked.push(request.params.message);
    return { action: 'accept', content: {} };
  });
  const sdk = await connect(t, STDIO, { vault: copyVault(t), setup, args: ['--confirm-files', '3'] });
  const insert = async (path) => JSON.parse((await sdk.call({ name: 'vault_insert', arguments: { path, content: '- more' } })).content[0].text);
  for (let i = 0; i < 10; i++) assert.equal((await insert('Inbox.md')).error, undefined);
  assert.equal((await insert('Home.md')).error, undefined);
  assert.deepEqual(asked, []);
  for (const path of ['CLAUDE.md', 'Reading list']) assert.equal((await insert(path)).error, undefined);
  assert.deepEqual(asked, ['3 files were changed in the last 10 minutes, and this would change 1 more. Continue?']);
  await sdk.close();
});

test('over stdio, a client that cannot ask is not limited', async (t) => {
  const server = startStdio(t, { vault: copyVault(t), args: ['--confirm-files', '2'] });
  await server.initialize();
  for (let i = 0; i < 4; i++) {
    const { result } = await server.call('vault_write', { path: `n${i}.md`, content: `${i}` });
    assert.notEqual(result.isError, true, JSON.stringify(result));
  }
});
