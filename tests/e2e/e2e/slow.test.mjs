// Changes that would take long time out, and do not block other calls.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { copyVault, modernMessage, postModern, startHttp, startStdio } from '../support.mjs';

async function call(server, name, args = {}) {
  const { status, message, text } = await postModern(server, modernMessage('tools/call', { name, arguments: args }));
  assert.equal(status, 200, text);
  return message.result;
}

/** Each line alone is within the limits, all of them together take very long. */
const SLOW = { old_text: '(x+x+)+y|(a*)*c', new_text: 'x', regex: true };
const slowText = `${'a'.repeat(16)}\n`.repeat(30000);

test('SEC-71: a regular expression that takes too long ends with TIMEOUT, and others can write', async (t) => {
  const vault = copyVault(t), file = path.join(vault, 'Slow.md');
  writeFileSync(file, slowText);
  const server = await startHttp(t, { vault, args: ['--confirm', 'never'] });
  assert.ok(!(await call(server, 'vault_read', { path: 'Slow.md', limit: 1 })).isError);
  let ended = false;
  const slow = call(server, 'vault_edit', { path: 'Slow.md', ...SLOW }).finally(() => (ended = true));
  for (let i = 0; i < 5; i++) assert.ok(!(await call(server, 'vault_write', { path: `Quick ${i}.md`, content: 'text' })).isError);
  assert.ok(!ended, 'the changes did not wait for the slow one');
  const result = await slow;
  assert.equal(result.isError, true);
  assert.match(result.content[0].text, /TIMEOUT.*takes too long: nothing was changed/s);
  assert.equal(readFileSync(file, 'utf8'), slowText);
});

test('a cancelled regular expression blocks no other call', async (t) => {
  const vault = copyVault(t);
  writeFileSync(path.join(vault, 'Slow.md'), slowText);
  const server = startStdio(t, { vault, args: ['--confirm', 'never'] });
  await server.initialize();
  const id = 4711;
  server.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'vault_edit', arguments: { path: 'Slow.md', ...SLOW } } });
  server.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
  const { result } = await server.request('tools/call', { name: 'vault_write', arguments: { path: 'Quick.md', content: 'text' } });
  assert.ok(!result.isError);
});
