// The life of a stdio server: how it ends, what it finishes first, and which calls wait.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import {
  EXAMPLE_VAULT, FIXTURE, SANITIZED, META, VAULTD, assertNoSanitizer, cleanEnv, envelope, initializeMessage, modernMessage, run, sleep, startStdio,
  tempDir, until, within,
} from '../support.mjs';

const wait = (ms, id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'test_wait', arguments: { ms } } });
const answers = (io, id) => io.messages.filter((m) => !m.method && m.id === id);
const textOf = (message) => message.result.content[0].text;

async function fixture(t, capabilities) {
  const io = startStdio(t, { program: 'fixture' });
  await io.initialize(undefined, capabilities);
  return io;
}

/* --- how it ends --- */

const ENDINGS = {
  EOF: (io) => io.child.stdin.end(),
  'the exit notification': (io) => io.notify('exit'),
  SIGTERM: (io) => io.ask(),
  SIGINT: (io) => io.ask('SIGINT'),
};

test('SEC-104: SIGHUP does not end it', async (t) => {
  const io = startStdio(t, { program: 'vaultd' });
  await io.initialize();
  io.ask('SIGHUP');
  await io.says(/ reloaded/);
  await io.inSync();
});

for (const [ending, end] of Object.entries(ENDINGS))
  test(`${ending} ends it with exit 0`, async (t) => {
    for (const program of ['vaultd', 'fixture']) {
      await t.test(`${program}, before any message`, async (t) => {
        const io = startStdio(t, { program });
        // A signal may arrive before the handlers are installed: wait until it reads.
        if (ending.startsWith('SIG')) await io.inSync();
        await end(io);
        await io.endsCleanly();
      });
      await t.test(`${program}, in a legacy session`, async (t) => {
        const io = startStdio(t, { program });
        await io.initialize();
        await end(io);
        await io.endsCleanly();
      });
    }
    await t.test('running calls are completed and answered first', async (t) => {
      const io = await fixture(t);
      for (let id = 1; id <= 5; id++) await io.send(wait(400, id));
      await io.inSync();
      await end(io);
      await io.endsCleanly();
      for (let id = 1; id <= 5; id++) assert.equal(textOf(answers(io, id)[0] ?? { result: { content: [{}] } }), 'waited', `call ${id}`);
    });
    if (ending === 'EOF' || ending === 'SIGTERM') await t.test('a call that would take a minute is abandoned', async (t) => {
      const io = await fixture(t);
      await io.send(wait(60_000, 'slow'));
      await io.inSync();
      await end(io);
      await within(io.ended, 'the end', 45_000);
      await io.endsCleanly();
      assert.deepEqual(answers(io, 'slow'), []);
    });
    await t.test('a listen stream gets its result', async (t) => {
      const io = startStdio(t, { program: 'fixture' });
      await io.send(modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'ear'));
      await io.take('the acknowledgement', (m) => m.method === 'notifications/subscriptions/acknowledged');
      await end(io);
      await io.endsCleanly();
      const [{ result }] = answers(io, 'ear');
      assert.equal(result.resultType, 'complete');
      assert.equal(result._meta[`${META}subscriptionId`], 'ear');
    });
    await t.test('an unanswered question does not delay it', async (t) => {
      const io = await fixture(t, { elicitation: {} });
      await io.send({ jsonrpc: '2.0', id: 'asks', method: 'tools/call', params: { name: 'test_elicitation', arguments: { message: 'Who?' } } });
      await io.take('the question', (m) => m.method === 'elicitation/create');
      await end(io);
      await within(io.ended, 'the end', 45_000);
      await io.endsCleanly();
    });
  });

test('everything written before EOF is answered', async (t) => {
  for (const pipes of [false, true])
    await t.test(pipes ? 'through pipes' : 'through sockets', async (t) => {
      const io = startStdio(t, { pipes });
      const lines = [initializeMessage()];
      for (let id = 1; id <= 200; id++)
        lines.push({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'vault_read', arguments: { path: 'Home.md' } } });
      io.child.stdin.end(lines.map((l) => `${JSON.stringify(l)}\n`).join(''));
      await io.endsCleanly();
      assert.deepEqual(answers(io).length, 0);
      assert.equal(new Set(io.messages.map((m) => m.id)).size, 201);
      assert.ok(io.messages.every((m) => m.result && !m.result.isError));
    });
  await t.test('from a file to a file', async (t) => {
    const dir = tempDir(t);
    writeFileSync(path.join(dir, 'in'), `${JSON.stringify(modernMessage('tools/call', { name: 'vault_info' }, 1))}\n${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })}\n`);
    const end = await run('/bin/sh', ['-c', '"$@" <in >out', 'sh', VAULTD, 'serve', '--stdio', EXAMPLE_VAULT], { env: cleanEnv(dir), cwd: dir });
    assert.equal(end.code, 0, end.stderr);
    assertNoSanitizer(end.stderr, 'vaultd');
    const got = readFileSync(path.join(dir, 'out'), 'utf8').trimEnd().split('\n').map((l) => JSON.parse(l));
    assert.deepEqual(got.map((m) => m.id).sort(), [1, 2]);
  });
  await t.test('from empty input', async (t) => {
    const dir = tempDir(t);
    const end = await run('/bin/sh', ['-c', '"$@" </dev/null', 'sh', VAULTD, 'serve', '--stdio', EXAMPLE_VAULT], { env: cleanEnv(dir) });
    assert.deepEqual([end.code, end.stdout], [0, ''], end.stderr);
  });
});

test('an incomplete last line is not treated as a message', async (t) => {
  const io = startStdio(t);
  await io.inSync();
  await io.write('{"jsonrpc":"2.0","id":1,"meth');
  await io.eof();
  assert.ok(io.lines.length <= 2);
});

test('a client that closes its end of stdout ends it, too', async (t) => {
  const io = startStdio(t, { program: 'fixture' });
  await io.initialize();
  io.child.stdout.destroy();
  await until('it ends', async () => {
    if (!io.end) await io.notify('notifications/x').catch(() => {});
    if (!io.end) await io.send({ jsonrpc: '2.0', id: 1, method: 'ping' });
    return io.end;
  });
  await io.endsCleanly();
});

test('it exits with its parent, even if another process holds stdin open', async (t) => {
  for (const [program, command] of [['vaultd', [VAULTD, 'serve', '--stdio', EXAMPLE_VAULT]], ['fixture', [FIXTURE, '--stdio']]])
    await t.test(program, async (t) => {
      const home = tempDir(t);
      // The shell is the parent; we hold the other end of stdin, and of stderr.
      const parent = spawn('/bin/sh', ['-c', 'exec 3<&0; "$@" <&3 3<&- & echo "pid $!" >&2; wait', 'sh', ...command],
        { env: cleanEnv(home, { STATE_DIR: home, FIXTURE_STATE: home }), stdio: ['pipe', 'pipe', 'pipe'] });
      let stderr = '', stdout = '';
      parent.stderr.on('data', (d) => (stderr += d));
      parent.stdout.on('data', (d) => (stdout += d));
      const closed = new Promise((done) => parent.once('close', done)); // of stdout: by its last holder
      parent.stdin.on('error', () => {});
      parent.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
      await until('the ping is answered', () => stdout.includes('"id":1') && /pid \d+\n/.test(stderr));
      const pid = Number(stderr.match(/pid (\d+)/)[1]);
      t.after(() => {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // it is gone, as expected
        }
      });
      parent.kill('SIGKILL');
      await within(closed, `${program} outlives its parent`, 45_000);
      await until('the process is gone', () => {
        const stat = `/proc/${pid}/stat`;
        return !existsSync(stat) || /\) Z/.test(readFileSync(stat, 'utf8'));
      });
      assertNoSanitizer(stderr, program);
      assert.ok(!parent.stdin.writableEnded, 'stdin was open all the time');
    });
});

/* --- slow calls and clients --- */

test('slow calls do not hold up quick ones', async (t) => {
  const io = await fixture(t);
  for (let i = 0; i < 8; i++) await io.send(wait(60_000, `slow ${i}`)); // every worker is busy
  assert.equal(textOf(await within(io.call('echo', { text: 'quick' }), 'echo', 45_000)), 'quick');
  assert.deepEqual((await io.request('ping')).result, {});
  assert.ok((await io.request('tools/list')).result.tools.length > 10);
  await io.inSync();
  for (let i = 0; i < 8; i++) await io.notify('notifications/cancelled', { requestId: `slow ${i}` });
  assert.equal(textOf(await within(io.call('test_simple_text'), 'a worker is free again', 45_000)), 'This is a simple text response for testing.');
  assert.ok(!io.messages.some((m) => String(m.id).startsWith('slow')));
});

test('answers arrive as they are ready, not in request order', async (t) => {
  const io = await fixture(t);
  for (const [ms, id] of [[600, 'c'], [300, 'b'], [1, 'a']]) await io.send(wait(ms, id));
  await io.take('the last', (m) => m.id === 'c');
  assert.deepEqual(io.messages.filter((m) => 'abc'.includes(m.id)).map((m) => m.id), ['a', 'b', 'c']);
});

test('a cancelled request gets no answer', async (t) => {
  const cancel = (io, requestId) => io.notify('notifications/cancelled', { requestId, reason: 'enough' });

  await t.test('legacy and modern, text and number ids', async (t) => {
    const io = await fixture(t);
    await io.send(wait(1500, 5));
    await io.send(wait(1500, 'five'));
    await io.send(modernMessage('tools/call', { name: 'test_wait', arguments: { ms: 1500 } }, 'modern'));
    for (const id of [5, 'five', 'modern']) await cancel(io, id);
    await io.request('tools/call', { name: 'test_wait', arguments: { ms: 2000 } });
    for (const id of [5, 'five', 'modern']) assert.deepEqual(answers(io, id), []);
  });

  await t.test('an id of another type or spelling is a different request', async (t) => {
    const io = await fixture(t);
    await io.send(wait(300, 5));
    for (const id of ['5', 50, null, undefined, { id: 5 }]) await cancel(io, id);
    assert.equal(textOf((await io.take('the call', (m) => m.id === 5)).message), 'waited');
  });

  await t.test('cancelling a finished or unknown request does nothing', async (t) => {
    const io = await fixture(t);
    const { id } = await io.request('ping');
    await cancel(io, id);
    await cancel(io, 'never');
    await io.inSync();
  });

  await t.test('progress stops, too', async (t) => {
    const io = await fixture(t);
    const progress = (id) => io.messages.filter((m) => m.method === 'notifications/progress' && m.params.progressToken === id).length;
    let inTime = false; // the call takes 150 ms; a slow machine may cancel too late, but not always
    for (let i = 0; i < 20 && !inTime; i++) {
      const id = `p${i}`;
      await io.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'test_tool_with_progress', _meta: { progressToken: id } } });
      await until('the first progress', () => progress(id) > 0);
      await cancel(io, id);
      await io.request('tools/call', { name: 'test_wait', arguments: { ms: 400 } });
      inTime = answers(io, id).length === 0;
      assert.ok(inTime ? progress(id) < 3 : progress(id) === 3, `${progress(id)} of 3`);
    }
    assert.ok(inTime);
  });

  await t.test('a call that waits for the user\'s answer is cancelled, too', async (t) => {
    const io = await fixture(t, { elicitation: {} });
    await io.send({ jsonrpc: '2.0', id: 'asks', method: 'tools/call', params: { name: 'test_elicitation', arguments: { message: 'Who?' } } });
    const { message: question } = await io.take('the question', (m) => m.method === 'elicitation/create');
    await cancel(io, 'asks');
    await io.send({ jsonrpc: '2.0', id: question.id, result: { action: 'accept', content: { username: 'late', email: 'l@x' } } });
    await io.request('tools/call', { name: 'test_wait', arguments: { ms: 200 } });
    assert.deepEqual(answers(io, 'asks'), []);
  });

  await t.test('a listen stream ends without an answer, and gets nothing more', async (t) => {
    const io = startStdio(t, { program: 'fixture' });
    const listen = (id) => io.send(modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } }, id));
    const changed = (id) => io.messages.filter((m) => m.method === 'notifications/tools/list_changed' && m.params._meta[`${META}subscriptionId`] === id).length;
    await listen('one');
    await listen(2);
    for (const id of ['one', 2]) await io.take('ack', (m) => m.method?.endsWith('acknowledged') && m.params._meta[`${META}subscriptionId`] === id);
    await io.modern('tools/call', { name: 'test_trigger_tool_change' });
    await until('both hear it', () => changed('one') === 1 && changed(2) === 1);
    await cancel(io, 'one');
    await io.modern('tools/call', { name: 'test_trigger_tool_change' });
    await until('the other hears it', () => changed(2) === 2);
    assert.equal(changed('one'), 1);
    await io.eof();
    assert.deepEqual(answers(io, 'one'), []);
    assert.equal(answers(io, 2).length, 1);
  });
});

test('a client that does not read for a while misses nothing', async (t) => {
  for (const pipes of [false, true])
    await t.test(pipes ? 'through pipes' : 'through sockets', async (t) => {
      const io = startStdio(t, { program: 'fixture', pipes });
      await io.inSync();
      io.child.stdout.pause();
      // 64 MB of answers, twice what the server buffers for a client that does not read.
      const text = 'x'.repeat(1 << 20), n = 64;
      const written = Promise.all(Array.from({ length: n }, (_, i) => io.send(modernMessage('tools/call', { name: 'echo', arguments: { text } }, i))));
      await sleep(1500);
      io.child.stdout.resume();
      await within(written, 'all is written');
      await until('all is answered', () => io.lines.length >= n + 1);
      assert.deepEqual(io.messages.slice(1).map((m) => m.id).sort((a, b) => a - b), Array.from({ length: n }, (_, i) => i));
      assert.ok(io.messages.slice(1).every((m) => textOf(m) === text));
      if (!SANITIZED && !pipes) assert.ok(Number(io.status('VmHWM')) < 200 * 1024, `${io.status('VmHWM')} kB at the most`);
      await io.inSync();
    });
  await t.test('a client that never reads again does not keep the server alive', async (t) => {
    const io = startStdio(t, { program: 'fixture' });
    await io.inSync();
    io.child.stdout.pause();
    for (let i = 0; i < 8; i++) await io.send(modernMessage('tools/call', { name: 'echo', arguments: { text: 'x'.repeat(1 << 20) } }, i));
    io.child.stdin.end();
    await within(new Promise((done) => io.child.once('exit', done)), 'the end', 60_000);
    io.child.stdout.destroy();
    await io.endsCleanly();
  });
});

/* --- what may be on stdout, and when --- */

test('stdout has only JSON lines, whatever is logged', async (t) => {
  for (const format of ['text', 'json'])
    await t.test(`log format ${format}`, async (t) => {
      const io = startStdio(t, { args: ['--log-level', 'debug', '--log-format', format] });
      await io.initialize();
      await io.call('vault_read', { path: 'Nope.md' });
      await io.send('nonsense');
      await io.take('a refusal', (m) => m.error);
      await io.eof(); // every line has been parsed already
      assert.equal(io.lines.length, 3);
      assert.match(io.stderr, /vault_read/);
      if (format === 'json') for (const line of io.stderr.trimEnd().split('\n')) JSON.parse(line);
    });
});

test('the server sends notifications only to a client that has finished its handshake', async (t) => {
  const io = startStdio(t, { program: 'fixture' });
  const unasked = () => io.messages.filter((m) => m.method === 'notifications/tools/list_changed').length;
  await io.modern('tools/call', { name: 'test_trigger_tool_change' });
  const hello = initializeMessage();
  await io.exchange(hello, hello.id);
  await io.call('test_trigger_tool_change');
  await io.inSync();
  assert.equal(unasked(), 0);
  await io.notify('notifications/initialized');
  await io.call('test_trigger_tool_change');
  await until('it hears of it', () => unasked() === 1);
});

test('server requests: answers, refusals, and unexpected answers', async (t) => {
  const io = await fixture(t, { elicitation: {}, sampling: {} });
  const ask = async (id) => {
    await io.send({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'test_elicitation', arguments: { message: 'Who?' } } });
    return (await io.take('the question', (m) => m.method === 'elicitation/create')).message;
  };
  await t.test('the answer goes to the call that asked, whatever the order', async () => {
    const questions = [await ask('q1'), await ask('q2')];
    assert.notEqual(questions[0].id, questions[1].id);
    for (const [i, q] of questions.entries())
      await io.send({ jsonrpc: '2.0', id: q.id, result: { action: 'accept', content: { username: `user ${i}`, email: 'e@x' } } });
    for (const i of [0, 1]) assert.equal(textOf((await io.take('the call', (m) => m.id === `q${i + 1}`)).message), `User response: user ${i}`);
  });
  await t.test('an error instead of an answer ends the call', async () => {
    const question = await ask('q3');
    await io.send({ jsonrpc: '2.0', id: question.id, error: { code: -1, message: 'no user here' } });
    const { message } = await io.take('the call', (m) => m.id === 'q3');
    assert.ok(message.error || message.result.isError, JSON.stringify(message));
  });
  await t.test('an unexpected answer, and a second answer, are ignored', async () => {
    const question = await ask('q4');
    const answer = { jsonrpc: '2.0', id: question.id, result: { action: 'decline' } };
    await io.send({ ...answer, id: 'nothing' });
    await io.send(answer);
    await io.send(answer);
    assert.equal(textOf((await io.take('the call', (m) => m.id === 'q4')).message), 'User declined');
    await io.inSync();
  });
  await t.test('a client without elicitation is not asked', async (t) => {
    const other = await fixture(t);
    const answer = await other.call('test_elicitation', { message: 'Who?' });
    assert.ok(answer.error || answer.result.isError, JSON.stringify(answer));
    assert.ok(!other.messages.some((m) => m.method));
  });
});

test('two servers on one vault; the session key is not created until it is needed', async (t) => {
  const state = path.join(tempDir(t), 'state');
  const [one, two] = [startStdio(t, { state }), startStdio(t, { state })];
  await Promise.all([one.initialize(), two.modern('server/discover', { _meta: envelope() })]);
  await Promise.all([one.eof(), two.eof()]);
  assert.ok(!existsSync(path.join(state, 'session.key')), 'a key that was not needed');
});
