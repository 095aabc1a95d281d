// Streamable HTTP: streams that outlive their connection, hang-ups, all kinds of sockets,
// browsers, and shutting down a busy server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import {
  EXAMPLE_VAULT, LEGACY, META, MODERN, NEWEST_LEGACY, SYSTEM, Server, Session, VAULTD, assertNoSanitizer, cleanEnv, copyVault, fetchHttp, initializeMessage, modernHeaders, modernMessage,
  openHttp, openModern, post, postModern, run, sleep, startFixture, startHttp, tempDir, until, within,
} from '../support.mjs';

const STREAMING = LEGACY.slice(1); // revisions with Streamable HTTP
const call = (name, args = {}, meta, id = 7) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: args, ...(meta ? { _meta: meta } : {}) } });
const progressing = call('test_tool_with_progress', {}, { progressToken: 'tok' });
const textOf = (message) => message.result.content[0].text;
const changed = (e) => e.message?.method === 'notifications/tools/list_changed';
const isAnswer = (e) => e.message?.id === 7;
const steps = (events) => events.filter((e) => e.message).map((e) => e.message.params?.progress ?? 'answer');

/** How many calls of test_wait have begun in a fixture. */
const begun = (server) => server.stderr.split('test_wait begins').length - 1;
const waits = (server, n) => until(`${n} calls run`, () => begun(server) >= n);

/* --- streams that can be resumed --- */

for (const revision of STREAMING)
  test(`${revision}: the stream of a call`, async (t) => {
    const server = await startFixture(t);
    const session = await Session.open(server, revision);
    const hasPrimer = revision >= '2025-11-25';

    await t.test('begins with a primer from 2025-11-25 on, but not before', async () => {
      const stream = await session.open(progressing);
      await stream.end;
      assert.equal(stream.status, 200);
      assert.equal(stream.headers['content-type'], 'text/event-stream');
      assert.match(stream.headers['cache-control'], /no-cache/);
      const [first, ...rest] = stream.events;
      if (hasPrimer) {
        assert.match(first.id, /-0$/);
        assert.equal(first.data, '');
        assert.ok(Number(first.retry) > 0);
      } else {
        assert.equal(first.message.params.progress, 0);
      }
      assert.ok(rest.every((e) => e.message), 'no other event without a message');
      assert.deepEqual(steps(stream.events), [0, 50, 100, 'answer']);
      assert.equal(new Set(stream.events.map((e) => e.id)).size, stream.events.length, 'event ids are unique');
    });

    await t.test('resumes where it was cut: hanging up does not cancel the call', async () => {
      const stream = await session.open(progressing);
      const cut = await stream.next('the first progress', (e) => e.message?.params?.progress === 0);
      stream.close();
      const resumed = await session.listen(cut.id);
      assert.equal(resumed.status, 200);
      await resumed.next('the answer', isAnswer);
      await within(resumed.end, 'the resumed stream ends behind the answer');
      assert.deepEqual(steps(resumed.events), [50, 100, 'answer']);
      assert.equal(textOf(resumed.messages.at(-1)), 'Progress done');
    });

    await t.test('can be replayed after its end, from any event on', async () => {
      const stream = await session.open(progressing);
      await stream.end;
      const all = stream.events;
      for (const [i, event] of all.entries()) {
        const again = await session.listen(event.id);
        if (i < all.length - 1) await within(again.end, 'the replay ends');
        else again.close(); // nothing is missing
        assert.deepEqual(again.events.map((e) => e.data), all.slice(i + 1).map((e) => e.data), `behind event ${i}`);
      }
    });

    await t.test('is not available to another session', async () => {
      const stream = await session.open(progressing);
      await stream.end;
      const stranger = await Session.open(server, revision);
      const theft = await stranger.listen(stream.events[0].id);
      await sleep(100);
      theft.close();
      assert.deepEqual(theft.messages, []);
    });

    await t.test('a slow call releases the connection of a client that can come back, and no other', async () => {
      const stream = await session.open(call('test_reconnection'));
      await within(stream.end, 'the first answer ends');
      if (!hasPrimer) {
        assert.equal(stream.headers['content-type'], 'application/json');
        return;
      }
      assert.deepEqual(stream.events.map((e) => e.data), ['']);
      const back = await session.listen(stream.events[0].id);
      await back.next('the answer', isAnswer);
      await within(back.end, 'the stream ends');
      assert.equal(textOf(back.messages[0]), 'Reconnection test completed');
    });

    await t.test('quick answers are plain JSON', async () => {
      const answer = await session.request('ping');
      assert.equal(answer.headers['content-type'], 'application/json');
    });
  });

for (const revision of STREAMING)
  test(`${revision}: the standalone stream`, async (t) => {
    const server = await startFixture(t);
    const session = await Session.open(server, revision);
    const trigger = () => session.call('test_trigger_tool_change');

    await t.test('carries changes, and nothing else', async () => {
      const stream = await session.listen();
      assert.deepEqual([stream.status, stream.headers['content-type']], [200, 'text/event-stream']);
      await trigger();
      const event = await stream.next('the change', changed);
      assert.ok(event.id);
      assert.ok(stream.events.every((e) => changed(e) || (e.data === '' && revision >= '2025-11-25')));
      stream.close();
    });

    await t.test('a client that reconnects gets what it missed, once', async () => {
      const stream = await session.listen();
      await trigger();
      const { id } = await stream.next('the change', changed);
      stream.close();
      await sleep(50);
      await trigger();
      await trigger();
      const back = await session.listen(id);
      await until('both are replayed', () => back.events.filter(changed).length === 2);
      await trigger();
      await until('and it goes on', () => back.events.filter(changed).length === 3);
      back.close();
    });

    await t.test('each session has its own copy', async () => {
      const other = await Session.open(server, revision);
      const streams = [await session.listen(), await other.listen()];
      await trigger();
      for (const stream of streams) await stream.next('the change', changed);
      for (const stream of streams) {
        assert.equal(stream.events.filter(changed).length, 1);
        stream.close();
      }
    });

    await t.test('a second stream replaces the first', async () => {
      const first = await session.listen();
      const second = await session.listen();
      await within(first.end, 'the first is closed');
      await trigger();
      await second.next('the change', changed);
      second.close();
    });

    if (revision === NEWEST_LEGACY) await t.test('HEAD checks for it without opening it', async () => {
      const stream = await session.listen();
      const { 'content-type': _, ...headers } = session.headers;
      const head = await fetchHttp(server, { method: 'HEAD', headers: { ...headers, accept: 'text/event-stream' } });
      assert.equal(head.text, '');
      await trigger();
      await stream.next('the change, in spite of HEAD', changed);
      stream.close();
    });

    await t.test('resource updates arrive while subscribed', async () => {
      const stream = await session.listen();
      const uri = 'test://watched-resource';
      const updates = () => stream.events.filter((e) => e.message?.method === 'notifications/resources/updated').length;
      await session.call('test_update_resource');
      assert.deepEqual((await session.request('resources/subscribe', { uri })).message.result, {});
      await session.call('test_update_resource');
      await until('the update', () => updates() === 1);
      assert.deepEqual((await session.request('resources/unsubscribe', { uri })).message.result, {});
      await session.call('test_update_resource');
      await trigger();
      await stream.next('the change behind it', changed);
      assert.equal(updates(), 1);
      stream.close();
    });

    await t.test('DELETE ends it', async () => {
      const stream = await session.listen();
      assert.equal((await session.delete()).status, 204);
      await within(stream.end, 'the stream ends');
    });
  });

test('server requests are sent on the stream of the call, and answers are POSTs', async (t) => {
  const server = await startFixture(t);
  for (const revision of STREAMING)
    await t.test(revision, async () => {
      const session = await Session.open(server, revision, { elicitation: {}, sampling: {} });
      const aside = await session.listen();
      const stream = await session.open(call('test_sampling', { prompt: 'Capital?' }));
      const { message } = await stream.next('the question', (e) => e.message?.method === 'sampling/createMessage');
      assert.ok(!aside.messages.length, 'one message goes to one stream');
      const answer = { jsonrpc: '2.0', id: message.id, result: { role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } } };
      const stranger = await Session.open(server, revision, { sampling: {} });
      assert.equal((await stranger.post({ ...answer, result: { ...answer.result, content: { type: 'text', text: 'Rome' } } })).status, 202);
      assert.equal((await session.post(answer)).status, 202);
      await within(stream.end, 'the call ends');
      assert.equal(textOf(stream.messages.at(-1)), 'LLM response: Paris');
      aside.close();
    });
  await t.test('notifications/cancelled ends a call without an answer, also on its stream', async () => {
    const session = await Session.open(server, NEWEST_LEGACY, { elicitation: {} });
    const stream = await session.open(call('test_elicitation', { message: 'Who?' }));
    await stream.next('the question', (e) => e.message?.method === 'elicitation/create');
    assert.equal((await session.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } })).status, 202);
    await within(stream.end, 'the stream ends');
    assert.ok(!stream.messages.some((m) => m.id === 7));
  });
  await t.test('a cancellation from another session does nothing', async () => {
    const [session, stranger] = [await Session.open(server), await Session.open(server)];
    const before = begun(server);
    const waiting = session.post(call('test_wait', { ms: 400 }));
    await waits(server, before + 1);
    await stranger.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } });
    assert.equal(textOf((await waiting).message), 'waited');
  });
});

/* --- modern streams --- */

test('modern: streams, filters and hang-ups', async (t) => {
  const server = await startFixture(t);

  await t.test('progress makes the answer a stream without ids; no session, no primer', async () => {
    const stream = await openModern(server, modernMessage('tools/call', { name: 'test_tool_with_progress', arguments: {}, _meta: { progressToken: 5 } }, 7));
    await stream.end;
    assert.equal(stream.headers['content-type'], 'text/event-stream');
    assert.match(stream.headers['cache-control'], /no-cache/);
    assert.equal(stream.headers['x-accel-buffering'], 'no');
    assert.equal(stream.headers['mcp-session-id'], undefined);
    assert.ok(stream.events.every((e) => !e.id && !e.retry && e.event === 'message'));
    assert.deepEqual(steps(stream.events), [0, 50, 100, 'answer']);
    assert.ok(stream.messages.slice(0, 3).every((m) => m.params.progressToken === 5));
  });

  await t.test('without any message before the answer it is JSON', async () => {
    const answer = await postModern(server, modernMessage('tools/call', { name: 'test_tool_with_progress', arguments: {} }));
    assert.equal(answer.headers['content-type'], 'application/json');
  });

  await t.test('closing the connection cancels the call', async () => {
    const streams = [];
    for (let i = 0; i < 8; i++) {
      const message = modernMessage('tools/call', { name: 'test_wait', arguments: { ms: 60_000 } });
      const socket = net.connect(server.port, '127.0.0.1');
      const body = JSON.stringify(message);
      const head = Object.entries({ host: 'localhost', ...modernHeaders(message), 'content-length': body.length }).map(([k, v]) => `${k}: ${v}\r\n`).join('');
      socket.on('error', () => {});
      socket.write(`POST /mcp HTTP/1.1\r\n${head}\r\n${body}`);
      streams.push(socket);
    }
    await sleep(300);
    for (const socket of streams) socket.destroy();
    const next = await within(postModern(server, modernMessage('tools/call', { name: 'test_simple_text', arguments: {} })), 'a worker is free again', 45_000);
    assert.equal(next.status, 200);
  });

  await t.test('listen: acknowledged first, tagged, filtered; the client ends it by hanging up', async () => {
    const listen = (notifications, id) => openModern(server, modernMessage('subscriptions/listen', { notifications }, id));
    const trigger = (name) => postModern(server, modernMessage('tools/call', { name, arguments: {} }));
    const tools = await listen({ toolsListChanged: true }, 'tools'), prompts = await listen({ promptsListChanged: true, toolsListChanged: false }, 2);
    const uri = 'test://watched-resource';
    const updates = await listen({ resourceSubscriptions: [uri] }, 3);
    for (const [stream, id, honoured] of [[tools, 'tools', { toolsListChanged: true }], [prompts, 2, { promptsListChanged: true }], [updates, 3, { resourceSubscriptions: [uri] }]]) {
      const { message } = await stream.next('the acknowledgement', (e) => e.message);
      assert.equal(message.method, 'notifications/subscriptions/acknowledged');
      assert.deepEqual(message.params, { _meta: { [`${META}subscriptionId`]: id }, notifications: honoured });
    }
    await trigger('test_trigger_tool_change');
    await trigger('test_trigger_prompt_change');
    await trigger('test_update_resource');
    await tools.next('the tools', changed);
    await prompts.next('the prompts', (e) => e.message?.method === 'notifications/prompts/list_changed');
    const { message } = await updates.next('the update', (e) => e.message?.method === 'notifications/resources/updated');
    assert.equal(message.params.uri, uri);
    for (const [stream, id] of [[tools, 'tools'], [prompts, 2], [updates, 3]]) {
      assert.equal(stream.messages.length, 2, 'nothing that was not asked for');
      assert.ok(stream.messages.every((m) => m.params._meta[`${META}subscriptionId`] === id));
      stream.close();
    }
  });

  await t.test('listening to nothing is acknowledged and ends', async () => {
    const stream = await openModern(server, modernMessage('subscriptions/listen', { notifications: {} }, 7));
    await within(stream.end, 'it ends');
    assert.deepEqual(stream.messages[0].params.notifications, {});
    assert.equal(stream.messages[1].result.resultType, 'complete');
  });

  await t.test('five hundred concurrent streams, all notified', async () => {
    const streams = await Promise.all(Array.from({ length: 500 }, (_, i) => openModern(server, modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } }, i))));
    await Promise.all(streams.map((s) => s.next('the acknowledgement', (e) => e.message)));
    await postModern(server, modernMessage('tools/call', { name: 'test_trigger_tool_change', arguments: {} }));
    await Promise.all(streams.map((s) => s.next('the change', changed)));
    for (const s of streams) s.close();
  });
});

/* --- browsers --- */

test('SEC-11 browsers: preflight, exposed headers, allowed origins', async (t) => {
  const server = await startHttp(t, { args: ['--allowed-origins', 'https://app.example, https://other.example:8443'] });
  const preflight = (origin) => fetchHttp(server, { method: 'OPTIONS', headers: {
    origin, 'access-control-request-method': 'POST',
    'access-control-request-headers': 'content-type, mcp-protocol-version, mcp-param-region, x-strange',
  } });

  for (const origin of ['http://localhost:6274', 'https://app.example', 'https://other.example:8443'])
    await t.test(`preflight from ${origin}`, async () => {
      const { status, headers, text } = await preflight(origin);
      assert.deepEqual([status, text], [204, '']);
      assert.equal(headers['access-control-allow-origin'], origin);
      assert.match(headers.vary, /origin/i);
      for (const method of ['POST', 'GET', 'DELETE']) assert.match(headers['access-control-allow-methods'], new RegExp(method));
      const allowed = headers['access-control-allow-headers'].toLowerCase().split(/\s*,\s*/);
      for (const name of ['authorization', 'content-type', 'accept', 'mcp-protocol-version', 'mcp-session-id', 'mcp-method', 'mcp-name', 'mcp-param-region', 'last-event-id'])
        assert.ok(allowed.includes(name), name);
      assert.ok(!allowed.includes('x-strange'));
      assert.equal(headers['access-control-allow-credentials'], undefined);
    });

  for (const origin of ['https://evil.example', 'http://app.example', 'https://app.example:444', 'null'])
    await t.test(`no preflight from ${origin}`, async () => {
      const { status, headers } = await preflight(origin);
      assert.equal(status, 403);
      assert.equal(headers['access-control-allow-origin'], undefined);
    });

  await t.test('answers expose the headers that scripts need, also on streams and errors', async () => {
    const origin = 'https://app.example';
    const hello = await post(server, initializeMessage(), { origin });
    const id = hello.headers['mcp-session-id'];
    const stream = await openHttp(server, { method: 'GET', headers: { origin, accept: 'text/event-stream', 'mcp-session-id': id } });
    stream.close();
    for (const answer of [hello, stream, await post(server, '{', { origin }), await post(server, { jsonrpc: '2.0', id: 1, method: 'ping' }, { origin, 'mcp-session-id': 'x' })]) {
      assert.equal(answer.headers['access-control-allow-origin'], origin);
      for (const name of ['mcp-session-id', 'www-authenticate']) assert.ok(answer.headers['access-control-expose-headers'].toLowerCase().includes(name));
    }
  });

  await t.test('OPTIONS without Origin is not a preflight', async () => {
    const { status, headers } = await fetchHttp(server, { method: 'OPTIONS' });
    assert.equal(status, 204);
    assert.match(headers.allow, /POST/);
    assert.equal(headers['access-control-allow-origin'], undefined);
  });
});

test('accepted host names: the server URL and the allowed hosts', async (t) => {
  const server = await startHttp(t, { args: ['--server-url', 'https://vault.example.com/', '--allowed-hosts', 'box.lan,nas', '--auth', 'none'] });
  const discover = modernMessage('server/discover');
  for (const [headers, status] of [[{ host: 'vault.example.com' }, 200], [{ host: 'vault.example.com:443' }, 200], [{ host: 'BOX.lan:8090' }, 200], [{ host: 'nas' }, 200], [{ host: 'localhost' }, 200],
    [{ host: 'example.com' }, 421], [{ host: 'xvault.example.com' }, 421], [{ host: 'vault.example.com.evil.net' }, 421],
    [{ origin: 'https://vault.example.com' }, 200], [{ origin: 'https://evil.example' }, 403]])
    await t.test(`${JSON.stringify(headers)}: ${status}`, async () => {
      assert.equal((await postModern(server, discover, headers)).status, status);
    });
});

/* --- all kinds of sockets --- */

/** vaultd with our own command line; ready when it reports that it is serving. */
async function startVaultd(t, args, { env = {}, launcher = [] } = {}) {
  const home = tempDir(t);
  const command = [...launcher, VAULTD, 'serve', ...args];
  const child = spawn(command[0], command.slice(1), { env: cleanEnv(home, { STATE_DIR: path.join(home, 'state'), ...env }), stdio: ['ignore', 'ignore', 'pipe'] });
  const server = new Server(child, 'vaultd');
  server.guard(t, () => server.stop());
  await server.says(/serving/);
  return server;
}

const answers = async (server) => {
  const got = await postModern(server, modernMessage('tools/call', { name: 'vault_info', arguments: {} }), server.socketPath ? { host: 'localhost' } : {});
  assert.equal(got.status, 200);
  assert.equal(JSON.parse(textOf(got.message)).name, 'vault');
};

test('a unix socket', async (t) => {
  if (SYSTEM === 'wine') return t.skip('Wine has no unix sockets');
  const socketPath = path.join(tempDir(t), 'vaultd.sock');
  const args = ['--listen-addr', `unix:${socketPath}`, EXAMPLE_VAULT];

  await t.test('serves, and removes its file at the end', async (t) => {
    const server = await startVaultd(t, args);
    server.socketPath = socketPath;
    await answers(server);
    const session = await Session.open(server);
    assert.equal((await session.request('ping')).status, 200);
    await server.stop();
    assert.ok(!existsSync(socketPath));
  });

  await t.test('a stale file is replaced, a running server\'s is not', async (t) => {
    const crashed = await startVaultd(t, args);
    await crashed.crash();
    assert.ok(existsSync(socketPath));
    const server = await startVaultd(t, args);
    server.socketPath = socketPath;
    await answers(server);
    const second = spawn(VAULTD, ['serve', ...args], { env: cleanEnv(tempDir(t)), stdio: 'ignore' });
    assert.equal(await within(new Promise((done) => second.once('exit', done)), 'the second gives up'), 1);
    await answers(server);
  });
});

/*
 * What systemd does before it starts a service: sockets from descriptor 3 on, and LISTEN_PID.
 * Arguments: paths of unix sockets, "tcp", or "public" for TCP on every address; then "--" and the command.
 */
const ACTIVATE = `
import os, socket, sys
at = sys.argv.index("--")
for fd, kind in enumerate(sys.argv[1:at], 3):
    s = socket.socket(socket.AF_INET if kind in ("tcp", "public") else socket.AF_UNIX)
    s.bind(("0.0.0.0" if kind == "public" else "127.0.0.1", 0) if kind in ("tcp", "public") else kind)
    s.listen()
    if kind in ("tcp", "public"):
        print("port", s.getsockname()[1], file=sys.stderr, flush=True)
    os.dup2(s.detach(), 40 + fd, False)
for fd in range(3, 2 + at):
    os.dup2(40 + fd, fd, True)
    os.close(40 + fd)
os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS=str(at - 1))
os.execv(sys.argv[at + 1], sys.argv[at + 1:])
`;

/** A datagram socket, which Node does not have; returns what arrives there. */
async function notifySocket(t, name) {
  const script = 'import socket,sys\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\nn=sys.argv[1]\ns.bind("\\0"+n[1:] if n[0]=="@" else n)\n' +
    'print("bound",flush=True)\nwhile True: print(s.recv(4096).decode(),flush=True)';
  const child = spawn('python3', ['-c', script, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  const heard = { text: '' };
  child.stdout.on('data', (d) => (heard.text += d));
  await until('the notify socket is there', () => heard.text.includes('bound'));
  return heard;
}

test('systemd: sockets are passed, readiness is reported', async (t) => {
  if (SYSTEM !== 'linux') return t.skip('systemd is of Linux');
  const activated = (t, ...sockets) => startVaultd(t, [EXAMPLE_VAULT], { env: { PORT: '1' }, launcher: ['python3', '-c', ACTIVATE, ...sockets, '--'] });

  await t.test('TCP sockets', async (t) => {
    const server = await activated(t, 'tcp', 'tcp');
    const ports = [...server.stderr.matchAll(/^port (\d+)$/gm)].map((m) => Number(m[1]));
    assert.equal(ports.length, 2);
    for (const port of ports) await answers({ port });
  });

  await t.test('a unix socket, whose file is left in place', async (t) => {
    const socketPath = path.join(tempDir(t), 's');
    const server = await activated(t, socketPath);
    await answers({ socketPath });
    await server.stop();
    assert.ok(existsSync(socketPath));
  });

  await t.test('a socket that others can reach needs sign-in, whatever listen-addr says', async (t) => {
    const launcher = ['python3', '-c', ACTIVATE, 'public', '--'], local = ['--listen-addr', '127.0.0.1:1', EXAMPLE_VAULT];
    const home = tempDir(t);
    const end = await run('python3', ['-c', ACTIVATE, 'tcp', 'public', '--', VAULTD, 'serve', ...local], { env: cleanEnv(home, { STATE_DIR: path.join(home, 'state') }) });
    assert.equal(end.code, 2, end.stderr);
    assert.match(end.stderr, /an inherited socket makes the server reachable by others.*--auth-users-file/);

    const closed = await startVaultd(t, ['--auth', 'required', ...local], { launcher });
    const [, port] = await closed.says(/^port (\d+)$/m);
    assert.equal((await postModern({ port }, modernMessage('server/discover'))).status, 401);

    const open = await startVaultd(t, ['--auth', 'none', ...local], { launcher });
    await answers({ port: (await open.says(/^port (\d+)$/m))[1] });
  });

  await t.test('sockets passed to another process are not used', async (t) => {
    const server = await startVaultd(t, ['--port', '0', EXAMPLE_VAULT], { env: { LISTEN_FDS: '1', LISTEN_PID: '1' } });
    [, server.port] = await server.says(/127\.0\.0\.1:(\d+)/);
    await answers(server);
  });

  for (const kind of ['a path', 'an abstract name'])
    await t.test(`READY=1 goes to ${kind}, STOPPING=1 follows`, async (t) => {
      const name = kind === 'a path' ? path.join(tempDir(t), 'notify') : `@vaultd-e2e-${process.pid}`;
      const heard = await notifySocket(t, name);
      const server = await startVaultd(t, ['--port', '0', EXAMPLE_VAULT], { env: { NOTIFY_SOCKET: name } });
      await until('READY=1', () => heard.text.includes('READY=1'));
      await server.stop();
      await until('STOPPING=1', () => heard.text.includes('STOPPING=1'));
    });

  await t.test('a missing notify socket is ignored', async (t) => {
    const server = await startVaultd(t, ['--port', '0', EXAMPLE_VAULT], { env: { NOTIFY_SOCKET: '/nonexistent/socket' } });
    await server.stop();
  });
});

/* --- shutdown --- */

test('SEC-104 shutdown while calls run', async (t) => {
  const patient = { env: { FIXTURE_PATIENT: '1' } };
  for (const signal of ['SIGTERM', 'SIGINT'])
    await t.test(`${signal}: each call is completed and answered, then the server exits with 0`, async (t) => {
      const server = await startFixture(t, patient);
      const session = await Session.open(server);
      const running = [
        session.post(call('test_wait', { ms: 2000 })),
        postModern(server, modernMessage('tools/call', { name: 'test_wait', arguments: { ms: 2000 } })),
      ];
      await waits(server, 2);
      server.ask(signal);
      for (const answer of await Promise.all(running)) {
        assert.equal(answer.status, 200);
        assert.equal(textOf(answer.message), 'waited');
      }
      await server.endsCleanly();
    });

  await t.test('it can be stopped as soon as it reports that it is serving', async (t) => {
    for (let i = 0; i < 30; i++) {
      const server = await startVaultd(t, ['--port', '0', EXAMPLE_VAULT]);
      await server.stop();
    }
  });

  for (const era of ['legacy', 'modern'])
    await t.test(`a ${era} call that is already streaming gets its answer too`, async (t) => {
      const server = await startFixture(t, patient);
      const session = await Session.open(server);
      const stream = era === 'legacy' ? await session.open(progressing)
        : await openModern(server, modernMessage('tools/call', { name: 'test_tool_with_progress', arguments: {}, _meta: { progressToken: 'tok' } }, 7));
      await stream.next('the first progress', (e) => e.message?.params?.progress === 0);
      server.ask();
      await within(stream.end, 'the stream ends');
      assert.deepEqual(steps(stream.events), [0, 50, 100, 'answer']);
      await server.endsCleanly();
    });

  await t.test('listen streams end with their result, standalone streams just end', async (t) => {
    const server = await startFixture(t);
    const session = await Session.open(server);
    const standalone = await session.listen();
    const listen = await openModern(server, modernMessage('subscriptions/listen', { notifications: { toolsListChanged: true } }, 'ear'));
    await listen.next('the acknowledgement', (e) => e.message);
    server.ask();
    await within(Promise.all([standalone.end, listen.end]), 'both end');
    await server.endsCleanly();
    const last = listen.messages.at(-1);
    assert.equal(last.id, 'ear', JSON.stringify(last));
    assert.equal(last.result.resultType, 'complete');
    assert.equal(last.result._meta[`${META}subscriptionId`], 'ear');
  });

  await t.test('no new connections are accepted', async (t) => {
    const server = await startFixture(t, patient);
    const running = postModern(server, modernMessage('tools/call', { name: 'test_wait', arguments: { ms: 2000 } }));
    await waits(server, 1);
    server.ask();
    await until('connections are refused', () => postModern(server, modernMessage('server/discover')).then(() => false, () => true));
    assert.equal((await running).status, 200);
    await server.endsCleanly();
  });

  await t.test('a call that would take a minute is abandoned; a second signal speeds it up', async (t) => {
    const server = await startFixture(t);
    const running = postModern(server, modernMessage('tools/call', { name: 'test_wait', arguments: { ms: 60_000 } })).catch(() => null);
    await waits(server, 1);
    server.ask();
    await sleep(300);
    server.ask();
    await within(server.ended, 'the end', 45_000);
    await server.endsCleanly();
    await running;
  });

  await t.test('idle connections and open questions do not delay it', async (t) => {
    const server = await startFixture(t);
    const idle = net.connect(server.port, '127.0.0.1');
    t.after(() => idle.destroy());
    const session = await Session.open(server, NEWEST_LEGACY, { elicitation: {} });
    const stream = await session.open(call('test_elicitation', { message: 'Who?' }));
    await stream.next('the question', (e) => e.message?.method === 'elicitation/create');
    server.ask();
    await within(server.ended, 'the end', 45_000);
    await server.endsCleanly();
  });
});

/* --- signals that work whatever is stuck --- */

/** A server that need not end cleanly. */
async function startStuck(t, vault, args = []) {
  const home = tempDir(t);
  const child = spawn(VAULTD, ['serve', '--port', '0', ...args, vault], { env: cleanEnv(home, { STATE_DIR: path.join(home, 'state') }), stdio: ['ignore', 'ignore', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const server = new Server(child, 'vaultd');
  server.port = Number((await server.says(/http:\/\/\S*:(\d+)\/mcp/))[1]);
  return server;
}

test('SEC-104: SIGTERM ends the server although another program holds the vault\'s lock', async (t) => {
  const vault = copyVault(t);
  const server = await startStuck(t, vault);
  await server.says(/indexed/);
  const holder = spawn('flock', [vault, 'sh', '-c', 'echo held; exec sleep 3600'], { stdio: ['ignore', 'pipe', 'ignore'], detached: true });
  t.after(() => process.kill(-holder.pid, 'SIGKILL'));
  await once(holder.stdout, 'data');
  const write = postModern(server, modernMessage('tools/call', { name: 'vault_write', arguments: { path: 'Stuck.md', content: 'x' } })).catch(() => null);
  await sleep(500);
  server.ask();
  const { signal } = await within(server.ended, 'the end', 45_000);
  assert.equal(signal, null);
  assertNoSanitizer(server.stderr, 'vaultd');
  assert.match(server.stderr, / stopped(_late)? /);
  await write;
});

test('SEC-104: SIGTERM leaves no program running that ignores it', async (t) => {
  const vault = copyVault(t);
  const pids = path.join(tempDir(t), 'pids');
  const script = path.join(tempDir(t), 'stubborn');
  writeFileSync(script, `#!/bin/sh\ntrap '' TERM\necho $$ > ${pids}\nwhile :; do sleep 1; done\n`, { mode: 0o755 });
  const server = await startStuck(t, vault, ['--sync-command', script]);
  const sync = postModern(server, modernMessage('tools/call', { name: 'vault_sync', arguments: {} })).catch(() => null);
  await until('the command runs', () => existsSync(pids) && readFileSync(pids, 'utf8').trim());
  server.ask();
  await within(server.ended, 'the end', 45_000);
  assert.throws(() => process.kill(Number(readFileSync(pids, 'utf8')), 0), { code: 'ESRCH' });
  assertNoSanitizer(server.stderr, 'vaultd');
  await sync;
});

test('excess connections are refused, and accepted again later', async (t) => {
  const server = await startHttp(t, { args: ['--max-connections', '3'] });
  const session = await Session.open(server);
  const { 'content-type': _, ...headers } = session.headers;
  const sockets = [];
  for (let i = 0; i < 3; i++) {
    const socket = net.connect(server.port, '127.0.0.1');
    await new Promise((done) => socket.once('connect', done));
    sockets.push(socket);
  }
  await until('503', async () => (await fetchHttp(server, { method: 'OPTIONS', headers }).catch(() => ({}))).status === 503);
  for (const socket of sockets) socket.destroy();
  await until('room again', async () => (await fetchHttp(server, { method: 'OPTIONS', headers }).catch(() => ({}))).status === 204);
  assert.equal((await postModern(server, modernMessage('server/discover'))).message.result.supportedVersions[0], MODERN);
});
