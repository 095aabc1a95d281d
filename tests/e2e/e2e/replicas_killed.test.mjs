// A replica is killed while it works: the others say within seconds what became of its tasks and its changes.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { modernHeaders, modernMessage, until } from '../support.mjs';
import { callTool, letIn } from './people.mjs';
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
  await until('the task has failed', async () => (task = await ask(two, token, 'tasks/get', { taskId })).status === 'failed', 30_000);
  t.diagnostic(`noticed after ${Date.now() - began} ms`);
  assert.match(task.error.message, /server that ran this task has stopped, so its result is not known/);
  writeFileSync(go, '');
});
