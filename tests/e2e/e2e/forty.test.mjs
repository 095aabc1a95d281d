// Forty tasks as an agent does them (forty.mjs): each is done, with few calls and short answers.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { SESSIONS } from '../forty.mjs';
import { copyVault, startStdio } from '../support.mjs';

const CALLS_MAX = 110;
const TOKENS_MAX = 500; // of answers, for one task on average
const TOKEN = 4; // bytes

const etagIn = (text) => /etag (?:is (?:now )?)?([0-9a-f]{16})/.exec(text)?.[1];

/** $etag in the arguments is the etag that the last answer named. */
const filled = (args, text) => JSON.parse(JSON.stringify(args).replaceAll('$etag', etagIn(text) ?? '$etag'));

async function run(t, calls) {
  const vault = copyVault(t);
  const io = startStdio(t, { vault, args: ['--answers', 'text', '--auto-context', 'off'] });
  await io.initialize();
  let text = '', bytes = 0;
  for (const [tool, args] of calls) {
    const { result, error } = await io.call(tool, filled(args, text));
    assert.ok(result, `${tool}: ${JSON.stringify(error)}`);
    text = result.content.map((part) => part.text ?? '').join('\n');
    bytes += Buffer.byteLength(text);
  }
  const file = (name) => (existsSync(path.join(vault, name)) ? readFileSync(path.join(vault, name), 'utf8') : '');
  return { text, bytes, file };
}

test('forty tasks are done with few calls and short answers', async (t) => {
  assert.equal(SESSIONS.length, 40);
  const sums = {};
  for (const [kind, task, calls, done] of SESSIONS)
    await t.test(task, async (t) => {
      const end = await run(t, calls);
      assert.ok(done(end), `${JSON.stringify(calls.at(-1))} answered: ${end.text}`);
      const sum = (sums[kind] ??= { tasks: 0, calls: 0, bytes: 0 });
      sum.tasks++;
      sum.calls += calls.length;
      sum.bytes += end.bytes;
    });
  const total = (key) => Object.values(sums).reduce((n, sum) => n + sum[key], 0);
  for (const [kind, { tasks, calls, bytes }] of Object.entries(sums)) t.diagnostic(`${kind}: ${tasks} tasks, ${calls} calls, ${bytes} bytes`);
  t.diagnostic(`all: ${total('tasks')} tasks, ${total('calls')} calls, ${total('bytes')} bytes`);
  assert.ok(total('calls') <= CALLS_MAX, `${total('calls')} calls`);
  assert.ok(total('bytes') <= TOKENS_MAX * TOKEN * SESSIONS.length, `${total('bytes')} bytes`);
});
