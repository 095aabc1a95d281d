// What belongs to a call that runs at one replica reaches another one: answers to questions, cancellations, requests
// about tasks, streams that are resumed, sessions that end.
import assert from 'node:assert/strict';
import test from 'node:test';
import { NEWEST_LEGACY, Session, modernMessage, nextId, openModern, postModern, sleep, until, within, withToken } from '../support.mjs';
import { callTool, letIn } from './people.mjs';
import { startReplicas } from './replica_world.mjs';

const TASKS = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } } };
const ASKS = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
const isQuestion = ({ message }) => message?.method === 'elicitation/create';

/** A legacy session whose requests can be sent to any replica. */
async function openSession(server) {
  const session = await Session.open(server, NEWEST_LEGACY, { elicitation: {} });
  session.at = (other) => Object.assign(Object.create(Session.prototype), session, { server: other });
  session.callAt = (other, name, args, id = nextId()) => session.at(other).open({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args } });
  session.answerAt = async (other, id, result) => assert.equal((await session.at(other).post({ jsonrpc: '2.0', id, result })).status, 202);
  return session;
}

test('replicas: a call that runs at one is served by all of them', { timeout: 300_000 }, async (t) => {
  const w = await startReplicas(t, { wired: true, confirm: 'always' });
  const anna = await letIn(w.front), bob = await letIn(w.front, { name: 'bob' });
  const [one, two, three] = w.replicas.map((replica) => withToken(replica, anna.token));
  const front = withToken(w.front, anna.token);
  const write = async (path, content = 'x\n') => {
    const { message } = await callTool(two, anna.token, 'vault_write', { path, content });
    assert.ok(!message.result.isError, JSON.stringify(message));
  };
  const exists = async (path) => !(await callTool(three, anna.token, 'vault_read', { path })).message.result.isError;

  await t.test('a question that one asks is answered at another, each call by its own answer', async () => {
    for (const name of ['A', 'B']) await write(`${name}.md`);
    const session = await openSession(front);
    const calls = [await session.callAt(one, 'vault_delete', { path: 'A.md' }), await session.callAt(two, 'vault_delete', { path: 'B.md' })];
    const [first, second] = await Promise.all(calls.map((call) => call.next('a question', isQuestion)));
    assert.notEqual(first.message.id, second.message.id, 'in one session');
    await session.answerAt(one, second.message.id, { action: 'decline' });
    await session.answerAt(three, first.message.id, { action: 'accept', content: {} });
    const ends = await Promise.all(calls.map((call) => within(call.end, 'the call ends')));
    const [deleted, kept] = ends.map((end) => end.messages.at(-1).result);
    assert.ok(!deleted.isError, JSON.stringify(deleted));
    assert.ok(kept.isError, JSON.stringify(kept));
    assert.deepEqual([await exists('A.md'), await exists('B.md')], [false, true]);
  });

  await t.test('a long answer reaches the replica that asked; one that is too long is refused', async () => {
    await write('Long.md');
    const session = await openSession(front);
    const call = await session.callAt(one, 'vault_delete', { path: 'Long.md' });
    const { message } = await call.next('a question', isQuestion);
    const answer = (length) => ({ action: 'accept', content: {}, _meta: { pad: 'x'.repeat(length) } });
    const refused = await session.at(two).post({ jsonrpc: '2.0', id: message.id, result: answer(70_000) });
    assert.equal(refused.status, 413);
    assert.match(JSON.stringify(refused), /too large to be passed on to it: send at most 64,000 bytes/);
    await session.answerAt(two, message.id, answer(60_000));
    const { messages } = await within(call.end, 'the call ends');
    assert.ok(!messages.at(-1).result.isError, JSON.stringify(messages.at(-1)));
    assert.equal(await exists('Long.md'), false);
  });

  await t.test('a question of the stateless era is answered anywhere, by the same user, for the same call', async () => {
    await write('C.md');
    const wish = { name: 'vault_delete', arguments: { path: 'C.md' }, _meta: ASKS };
    const asked = (await postModern(one, modernMessage('tools/call', wish))).message.result;
    assert.equal(asked.resultType, 'input_required', JSON.stringify(asked));
    const inputResponses = Object.fromEntries(Object.keys(asked.inputRequests).map((key) => [key, { action: 'accept', content: {} }]));
    const again = { ...wish, inputResponses, requestState: asked.requestState };
    const stranger = await postModern(withToken(w.replicas[1], bob.token), modernMessage('tools/call', again));
    assert.equal(stranger.message.error?.code, -32602, JSON.stringify(stranger.message));
    const other = await postModern(two, modernMessage('tools/call', { ...again, arguments: { path: 'B.md' } }));
    assert.equal(other.message.error?.code, -32602);
    const done = (await postModern(three, modernMessage('tools/call', again))).message.result;
    assert.ok(!done.isError, JSON.stringify(done));
    assert.equal(await exists('C.md'), false);
    for (const replica of [one, two, three]) {
      const replayed = await postModern(replica, modernMessage('tools/call', again));
      assert.match(replayed.message.error?.message ?? '', /a confirmation counts once/, JSON.stringify(replayed.message));
    }
  });

  await t.test('a call is cancelled at another replica, and its question is void', async () => {
    await write('D.md');
    const session = await openSession(front);
    const id = nextId();
    const call = await session.callAt(one, 'vault_delete', { path: 'D.md' }, id);
    const { message } = await call.next('a question', isQuestion);
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id, reason: 'changed my mind' } };
    assert.equal((await session.at(two).post(cancel)).status, 202);
    const { messages } = await within(call.end, 'the call ends');
    assert.ok(!messages.some((m) => m.id === id), 'a cancelled call is not answered');
    await session.answerAt(three, message.id, { action: 'accept', content: {} });
    await sleep(300);
    assert.equal(await exists('D.md'), true);
  });

  await t.test('the stream of a call is resumed where it is; nginx finds it', async () => {
    await write('E.md');
    const session = await openSession(front);
    const call = await session.callAt(one, 'vault_delete', { path: 'E.md' });
    const { message } = await call.next('a question', isQuestion);
    const begun = call.events[0].id;
    assert.ok(begun);
    call.close();
    for (const other of [two, three]) {
      const refused = await session.at(other).listen(begun);
      assert.equal(refused.status, 404, 'it says clearly that it does not have it');
    }
    const resumed = await session.listen(begun);
    assert.equal(resumed.status, 200);
    assert.equal((await resumed.next('the question again', isQuestion)).message.id, message.id);
    await session.answerAt(two, message.id, { action: 'accept', content: {} });
    const { messages } = await within(resumed.end, 'the resumed stream ends');
    assert.ok(messages.at(-1).result && !messages.at(-1).result.isError, JSON.stringify(messages));
    assert.equal(await exists('E.md'), false);
  });

  await t.test('a session that is deleted at one has ended at all, with its stream', async () => {
    const session = await openSession(one);
    const stream = await session.listen();
    assert.equal(stream.status, 200);
    assert.equal((await session.at(two).delete()).status, 204);
    await within(stream.end, 'its stream ends');
    for (const other of [one, two, three]) await until('it has ended', async () => (await session.at(other).request('ping')).status === 404);
  });

  await t.test('a task is followed and cancelled anywhere, by its user', async () => {
    const ask = async (server, method, params) => (await postModern(server, modernMessage(method, { ...params, _meta: TASKS }))).message;
    w.wires.git.cut = true; // the sync goes on for as long as that
    const { taskId, status } = (await ask(one, 'tools/call', { name: 'vault_sync', arguments: {} })).result;
    assert.equal(status, 'working');
    for (const other of [one, two, three]) assert.equal((await ask(other, 'tasks/get', { taskId })).result.status, 'working');
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const { error } = await ask(withToken(w.replicas[1], bob.token), method, { taskId });
      assert.deepEqual([error?.code, error?.message], [-32602, 'Unknown task'], `${method} of another user`);
    }
    for (const method of ['tasks/list', 'tasks/result']) assert.equal((await ask(two, method, { taskId })).error.code, -32601, 'not in this era');
    assert.ok((await ask(two, 'tasks/update', { taskId, inputResponses: {} })).result);
    assert.ok((await ask(three, 'tasks/cancel', { taskId })).result);
    for (const other of [one, two, three]) await until('it is cancelled', async () => (await ask(other, 'tasks/get', { taskId })).result.status === 'cancelled');
    w.wires.git.cut = false;
    w.wires.git.drop();
  });

  await t.test('a stream of subscriptions/listen hears what is changed at another replica', async () => {
    await write('F.md');
    const id = nextId();
    const stream = await openModern(one, modernMessage('subscriptions/listen', { notifications: { resourceSubscriptions: ['vault:///F.md'], resourcesListChanged: true } }, id));
    await stream.next('the acknowledgement', ({ message }) => message?.method === 'notifications/subscriptions/acknowledged');
    assert.ok(!(await callTool(three, anna.token, 'vault_insert', { path: 'F.md', content: 'more' })).message.result.isError);
    await stream.next('the change', ({ message }) => message?.method === 'notifications/resources/updated' && message.params.uri === 'vault:///F.md');
    await write('New.md');
    await stream.next('the new note', ({ message }) => message?.method === 'notifications/resources/list_changed');
    stream.close();
  });

  await t.test('a section that was read at one is replaced at another, unless another client has changed it', async () => {
    await write('G.md', '# One\n\nold\n\n# Two\n\nsame\n');
    const read = (server) => callTool(server, anna.token, 'vault_read', { path: 'G.md' });
    const replace = async (server, token, content) => (await callTool(server, token, 'vault_insert', { path: 'G.md', where: 'section_replace', anchor: 'One', content })).message.result;
    await read(one);
    const mine = await replace(three, anna.token, 'mine');
    assert.ok(!mine.isError, JSON.stringify(mine));
    await read(one);
    const theirs = await replace(two, bob.token, 'theirs');
    assert.ok(!theirs.isError, JSON.stringify(theirs));
    await w.converge();
    const stale = await replace(three, anna.token, 'mine again');
    assert.ok(stale.isError);
    assert.match(stale.content[0].text, /STALE|changed since you read it/);
    // Where she has read it travels by itself: if it is late, nothing is replaced, and the next change of his is read.
    await until('it is known at one that she has read it at two', async () => {
      await w.converge();
      assert.match((await read(two)).message.result.content[0].text, /theirs/);
      const right = await replace(one, anna.token, 'now it is right');
      if (!right.isError) return true;
      assert.match(right.content[0].text, /changed since you read it/);
      await replace(two, bob.token, 'theirs again');
      return false;
    });
  });

  await t.test('while git hangs at a replica, the first read there waits for it, and no other', async () => {
    await w.converge();
    w.wires.gits[2].cut = true;
    await write('L.md');
    assert.ok(!(await callTool(two, bob.token, 'vault_read', { path: 'L.md' })).message.result.isError);
    const read = async ({ token }) => (await callTool(three, token, 'vault_read', { path: 'L.md' })).message.result;
    const lasts = async (times, people) => {
      const began = performance.now();
      for (let i = 0; i < times; i++) {
        const { content, isError } = await read(people[i % people.length]);
        assert.ok(isError, 'it cannot be there yet');
        assert.match(content.at(-1).text, /may be out of date/);
      }
      return performance.now() - began;
    };
    const first = await lasts(1, [anna]), others = await lasts(10, [anna, bob]);
    t.diagnostic(`the first read took ${Math.round(first)} ms, ten others ${Math.round(others)} ms`);
    assert.ok(others / 10 < first / 2, `${others} ms, ${first} ms`);
    w.wires.gits[2].cut = false;
    w.wires.gits[2].drop();
    for (const person of [anna, bob])
      await until('it is there, and nothing says that it may be older', async () => {
        const { content, isError } = await read(person);
        assert.ok(!isError || /may be out of date/.test(content.at(-1).text), JSON.stringify(content));
        return !isError && content.length === 1;
      });
    let n = 0;
    await until('a read waits again for what it needs', async () => {
      await write(`M ${++n}.md`);
      const fresh = (await callTool(three, anna.token, 'vault_read', { path: `M ${n}.md` })).message.result;
      return !fresh.isError && fresh.content.length === 1;
    });
  });

  await t.test('a change is undone by the replica that made it, and no other change is instead of it', async () => {
    const made = [];
    for (const [i, replica] of [one, two, three].entries()) {
      const { content } = (await callTool(replica, anna.token, 'vault_write', { path: `U${i}.md`, content: 'x\n' })).message.result;
      made.push(JSON.parse(content[0].text).change);
    }
    assert.equal(new Set(made).size, 3);
    const undo = async (replica, change) => (await callTool(replica, anna.token, 'vault_undo', { change })).message.result;
    for (const replica of [two, three]) assert.match((await undo(replica, made[0])).content[0].text, /no such change.*repeat the call/);
    const undone = await undo(one, made[0]);
    assert.ok(!undone.isError, JSON.stringify(undone));
    await w.converge();
    const exists = async (path) => !(await callTool(two, anna.token, 'vault_read', { path })).message.result.isError;
    assert.deepEqual([await exists('U0.md'), await exists('U1.md'), await exists('U2.md')], [false, true, true]);
  });

  await t.test('without the database, an answer says that it may be older, and so does an error', async () => {
    await write('H.md');
    await w.converge();
    w.pg.kill();
    for (const path of ['H.md', 'Not there.md']) {
      const { content, isError } = (await callTool(three, anna.token, 'vault_read', { path })).message.result;
      assert.equal(isError ?? false, path !== 'H.md');
      assert.match(content.at(-1).text, /may be out of date/, JSON.stringify(content));
    }
    w.pg.again();
  });

  await t.test('a change that was made without the database is found by the others when it is back', async () => {
    w.pg.kill();
    await until('it is noticed', async () => (await (await fetch(`${two.origin}/health`)).json()).status === 'degraded');
    await write('J.md');
    w.pg.again();
    const back = async (replica) => (await (await fetch(`${replica.origin}/health`)).json()).status === 'ok';
    for (const replica of [two, three]) await until('it is back', () => back(replica));
    await w.converge();
    const read = async (replica) => (await callTool(replica, anna.token, 'vault_read', { path: 'J.md' })).message.result;
    assert.ok(!(await read(two)).isError);
    await until('the others know that it is pushed', async () => {
      const { content, isError } = await read(three);
      assert.ok(!isError, JSON.stringify(content));
      return !/may be out of date/.test(content.at(-1).text);
    });
  });

  await t.test('after a database outage, answers are not assumed to be up to date', async () => {
    w.pg.kill();
    await until('it is noticed', async () => (await (await fetch(`${two.origin}/health`)).json()).status === 'degraded');
    await write('K.md');
    w.wires.git.cut = true;
    w.pg.again();
    await until('it is back', async () => (await (await fetch(`${three.origin}/health`)).json()).status === 'ok');
    const read = async () => (await callTool(three, anna.token, 'vault_read', { path: 'K.md' })).message.result;
    for (let i = 0; i < 2; i++) {
      const { content, isError } = await read();
      assert.ok(isError, 'it cannot be there yet');
      assert.match(content.at(-1).text, /may be out of date/);
    }
    w.wires.git.cut = false;
    w.wires.git.drop();
    await until('it is there', async () => {
      const { content, isError } = await read();
      assert.ok(!isError || /may be out of date/.test(content.at(-1).text), JSON.stringify(content));
      return !isError;
    });
  });
});
