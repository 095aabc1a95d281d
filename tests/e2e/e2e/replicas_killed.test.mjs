// A replica is killed while it works: the others say within seconds what became of its tasks and its changes.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { startPostgres } from '../postgres.mjs';
import { modernHeaders, modernMessage, until } from '../support.mjs';
import { startHttps } from './forges.mjs';
import { makeWorld } from './git_world.mjs';
import { callTool, freePort, letIn, startWithPeople } from './people.mjs';
import { startReplicas } from './replica_world.mjs';

const TASKS = { _meta: { 'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } } } };

const errorOf = ({ message }) => message.result.structuredContent?.error ?? JSON.parse(message.result.content[0].text).error;

async function ask(replica, token, method, params) {
  const message = modernMessage(method, { ...params, ...TASKS });
  const answer = await fetch(replica.url, { method: 'POST', body: JSON.stringify(message), headers: { ...modernHeaders(message), authorization: `Bearer ${token}` } });
  return (await answer.json()).result;
}

async function kill(replica) {
  replica.child.kill('SIGKILL');
  await replica.ended;
}

test('a task of a replica that was killed is reported as failed, within seconds', { timeout: 300_000 }, async (t) => {
  const w = await startReplicas(t, { n: 2 });
  const [one, two] = w.replicas;
  const { token } = await letIn(w.front);
  const go = path.join(w.top, 'go');
  const lift = w.hook('exit 1');
  assert.equal(errorOf(await callTool(one, token, 'vault_write', { path: 'New.md', content: 'x\n' })).code, 'NOT_PUSHED');
  lift();
  w.hook(`while [ ! -e ${go} ]; do sleep 0.1; done; exit 1`);
  const { taskId, status } = await ask(one, token, 'tools/call', { name: 'vault_sync', arguments: {} });
  assert.equal(status, 'working');
  await kill(one);
  const began = Date.now();
  assert.equal((await ask(two, token, 'tasks/get', { taskId })).status, 'working', 'it may be slow');
  let task;
  await until('the task has failed', async () => (task = await ask(two, token, 'tasks/get', { taskId })).status === 'failed');
  t.diagnostic(`noticed after ${Date.now() - began} ms`);
  assert.match(task.error.message, /server that ran this task has stopped, so its result is not known/);
  writeFileSync(go, '');
});

test('a change of a replica that was killed is made once, and a retry elsewhere is told what became of it', { timeout: 300_000 }, async (t) => {
  const w = await startReplicas(t, { n: 2 });
  const { token } = await letIn(w.front);
  const insert = (i, word) => callTool(w.replicas[i], token, 'vault_insert', { path: 'Garden.md', content: word, idempotency_key: word });
  const lift = w.hook('exit 1');
  for (const word of ['Beans', 'Peas']) assert.equal(errorOf(await insert(0, word)).code, 'NOT_PUSHED');
  const name = createHash('sha256').update('\nanna\nPeas').digest('hex');
  w.pg.sql(`UPDATE once SET number = 0, answer = '' WHERE name = '${name}'`); // as if it could not say any more that it was made
  await kill(w.replicas[0]);
  lift();
  assert.equal(errorOf(await insert(1, 'Peas')).code, 'BUSY');
  const began = Date.now();
  let error;
  await until('the end of the other one is noticed', async () => /has stopped/.test((error = errorOf(await insert(1, 'Peas'))).message));
  t.diagnostic(`noticed after ${Date.now() - began} ms`);
  assert.equal(error.code, 'BUSY');
  const advice = /repeat this call when that server is back, with the same idempotency_key: .* With a new key, or without one, it is made again, and may be applied twice/;
  assert.match(error.message, /the remote does not have it: repeat/);
  assert.match(error.message, advice);
  error = errorOf(await insert(1, 'Beans'));
  assert.equal(error.code, 'NOT_PUSHED');
  assert.match(error.message, /server that made this change stopped before it pushed it: do not make it again, repeat/);
  assert.match(error.message, advice);

  await w.again(0); // it pushes what it had made
  let found;
  for (const word of ['Beans', 'Peas']) {
    await until(`${word} is found`, async () => !(found = (await insert(1, word)).message.result).isError);
    assert.equal(JSON.parse(found.content[0].text).repeated, true, JSON.stringify(found));
  }
  assert.ok(!(await insert(0, 'Peas')).message.result.isError);
  await w.converge();
  const text = w.git('remote.git', 'show', 'main:Garden.md');
  assert.deepEqual(['Beans', 'Peas'].map((word) => text.match(new RegExp(`^${word}$`, 'gm')).length), [1, 1], text);
});

test('of two servers, one publishes at a time; after it was killed, the other one does', { timeout: 300_000 }, async (t) => {
  const w = makeWorld(t);
  const repository = (await startHttps(t, w.remote)).args.map((arg) => (arg === '--git-remote' ? '--adr-repo' : arg));
  const database = startPostgres(t).create().url, url = `http://127.0.0.1:${await freePort()}`;
  const start = (name) => {
    const vault = path.join(w.top, name);
    mkdirSync(path.join(vault, 'ADR'), { recursive: true });
    writeFileSync(path.join(vault, `ADR/${name}.md`), `---\nstatus: accepted\n---\n# ${name}\n`);
    return startWithPeople(t, { url, vault, state: path.join(w.top, `${name}-state`), args: ['--tools', 'adr', ...repository, '--adr-branch', 'main', '--state-db', database] });
  };
  const one = await start('One'), two = await start('Two');
  const { token } = await letIn(one);
  const [begun, go] = ['begun', 'go'].map((name) => path.join(w.top, name));
  w.hook(`[ -e ${begun} ] || { touch ${begun}; while [ ! -e ${go} ]; do sleep 0.1; done; exit 1; }`); // the first push hangs
  callTool(one, token, 'adr_publish', { path: 'One' }).catch(() => {});
  await until('the first one pushes', () => existsSync(begun));
  const publish = async () => (await callTool(two, token, 'adr_publish', { path: 'Two' })).message.result;
  assert.match(JSON.stringify(await publish()), /another record is being published/);
  await kill(one);
  writeFileSync(go, ''); // its push is refused, and the forge is free again
  let published;
  await until('the second one has the duty', async () => !(published = await publish()).isError);
  assert.equal(w.log()[0], 'adr_publish: Two.md', JSON.stringify(published));
});
