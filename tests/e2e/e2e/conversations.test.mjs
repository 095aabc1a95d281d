// The conversations of conversations.mjs, through the official SDKs: over both transports and in both eras, in turn.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { CONVERSATIONS } from '../conversations.mjs';
import { tempDir } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

function makeVault(t, files) {
  const vault = path.join(tempDir(t), 'vault');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(vault, name)), { recursive: true });
    writeFileSync(path.join(vault, name), text);
  }
  return vault;
}

async function play(t, row, { files, calls }) {
  const vault = makeVault(t, files);
  const sdk = await connect(t, row, { vault, args: ['--answers', 'text', '--auto-context', 'off'] });
  const answers = [];
  for (const [name, args] of calls) {
    const answer = await sdk.call({ name, arguments: args });
    answers.push(answer.content.map((part) => part.text ?? '').join('\n'));
  }
  await sdk.close();
  const file = (name) => (existsSync(path.join(vault, name)) ? readFileSync(path.join(vault, name), 'utf8') : '');
  return { said: answers.join('\n'), bytes: Buffer.byteLength(answers.join('')), file };
}

test('twenty conversations take few calls and short answers', async (t) => {
  assert.equal(CONVERSATIONS.length, 20);
  let calls = 0, bytes = 0;
  for (const [i, one] of CONVERSATIONS.entries()) {
    const row = CONNECTIONS[i % CONNECTIONS.length];
    await t.test(`${one.task} (${row.name})`, async (t) => {
      const end = await play(t, row, one);
      assert.ok(one.done(end), end.said);
      assert.ok(one.calls.length <= one.most[0], `${one.calls.length} calls`);
      assert.ok(end.bytes <= one.most[1], `${end.bytes} bytes:\n${end.said}`);
      calls += one.calls.length;
      bytes += end.bytes;
      t.diagnostic(`${one.calls.length} calls, ${end.bytes} bytes; before: ${one.before.join(' calls, ')} bytes`);
    });
  }
  t.diagnostic(`all: ${calls} calls, ${bytes} bytes`);
});
