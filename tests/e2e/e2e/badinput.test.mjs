// Whatever is sent, the answer has the right code and status, and the stream stays in sync.
import assert from 'node:assert/strict';
import net from 'node:net';
import test from 'node:test';
import {
  SANITIZED, JSON_HEADERS, LEGACY, META, MODERN, NEWEST_LEGACY, Session, asBody, envelope, initializeMessage, modernHeaders, modernMessage,
  post, postModern, rawHttp, startFixture, startHttp, startStdio, within, withHeaders,
} from '../support.mjs';

const VERSION = `${META}protocolVersion`, CAPABILITIES = `${META}clientCapabilities`, INFO = `${META}clientInfo`, LEVEL = `${META}logLevel`;
const rpc = (method, params, id = 7) => ({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) });
const note = (method, params) => ({ jsonrpc: '2.0', method, ...(params ? { params } : {}) });
/** A modern request with a changed envelope; undefined removes a key. */
const claiming = (meta, method = 'server/discover') =>
  rpc(method, { _meta: withHeaders({ ...envelope(), ...meta }) });

/* --- invalid messages, in any era, on any transport --- */

const deep = (n) => `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":${'['.repeat(n)}${']'.repeat(n)}}}`;
const text = (bytes) => Buffer.concat([Buffer.from('{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"'), Buffer.from(bytes), Buffer.from('"}}')]);

// name, bytes, code, the id of the answer (none: it could not be read)
const MALFORMED = [
  ['half an object', '{', -32700],
  ['not JSON at all', 'hello', -32700],
  ['a missing value', '{"jsonrpc":}', -32700],
  ['a trailing comma', '{"jsonrpc":"2.0","id":7,"method":"ping",}', -32700],
  ['single quotes', "{'jsonrpc':'2.0'}", -32700],
  ['NaN', '{"jsonrpc":"2.0","id":NaN,"method":"ping"}', -32700],
  ['a comment', '{"jsonrpc":"2.0",/* */"id":7,"method":"ping"}', -32700],
  ['two values', '{"jsonrpc":"2.0","id":7,"method":"ping"} {}', -32700],
  ['a number with a leading zero', '{"jsonrpc":"2.0","id":07,"method":"ping"}', -32700],
  ['a duplicate key', '{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}', -32700],
  ['a duplicate key, spelled differently', '{"jsonrpc":"2.0","id":7,"\\u0069d":8,"method":"ping"}', -32700],
  ['a byte order mark', '\ufeff{"jsonrpc":"2.0","id":7,"method":"ping"}', -32700],
  ['a tab inside a string', '{"jsonrpc":"2.0","id":7,"method":"pi\tng"}', -32700],
  ['a NUL byte', text([0]), -32700],
  ['a byte that is never UTF-8', text([0xff]), -32700],
  ['a cut UTF-8 sequence', text([0xe2, 0x82]), -32700],
  ['an overlong UTF-8 sequence', text([0xc0, 0xaf]), -32700],
  ['a surrogate as UTF-8', text([0xed, 0xa0, 0x80]), -32700],
  ['a lone surrogate escape', text('\\ud800'), -32700],
  ['arrays 10,000 deep', deep(10_000), -32700],
  ['arrays 10,000 deep that never end', `{"a":${'['.repeat(10_000)}`, -32700],
  ['objects 10,000 deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, -32700],
  ['a string', '"ping"', -32600],
  ['a number', '7', -32600],
  ['null', 'null', -32600],
  ['an empty object', '{}', -32600],
  ['no jsonrpc', '{"id":7,"method":"ping"}', -32600, 7],
  ['jsonrpc 1.0', '{"jsonrpc":"1.0","id":7,"method":"ping"}', -32600, 7],
  ['jsonrpc as a number', '{"jsonrpc":2.0,"id":7,"method":"ping"}', -32600, 7],
  ['id null', '{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
  ['a fraction as id', '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
  ['true as id', '{"jsonrpc":"2.0","id":true,"method":"ping"}', -32600],
  ['an object as id', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
  ['an array as id', '{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600],
  ['an id of 257 bytes', `{"jsonrpc":"2.0","id":"${'x'.repeat(255)}","method":"ping"}`, -32600],
  ['an id of a megabyte', `{"jsonrpc":"2.0","id":"${'x'.repeat(1 << 20)}","method":"ping"}`, -32600],
  ['an integer of 300 digits as id', `{"jsonrpc":"2.0","id":${'9'.repeat(300)},"method":"ping"}`, -32600],
  ['a number as method', '{"jsonrpc":"2.0","id":7,"method":5}', -32600, 7],
  ['null as method', '{"jsonrpc":"2.0","id":7,"method":null}', -32600, 7],
  ['neither method nor result', '{"jsonrpc":"2.0","id":7}', -32600, 7],
  ['result and error', '{"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"m"}}', -32600, 7],
  ['a result without id', '{"jsonrpc":"2.0","result":{}}', -32600],
  ['params as an array', '{"jsonrpc":"2.0","id":7,"method":"ping","params":[]}', -32602, 7],
  ['params as a string', '{"jsonrpc":"2.0","id":7,"method":"ping","params":"x"}', -32602, 7],
  ['params null', '{"jsonrpc":"2.0","id":7,"method":"ping","params":null}', -32602, 7],
];

function checkError(message, code, id, what) {
  assert.equal(message?.error?.code, code, `${what}: ${JSON.stringify(message)}`);
  assert.equal(message.jsonrpc, '2.0');
  assert.equal(typeof message.error.message, 'string');
  assert.ok(!message.result, what);
  if (id === undefined) assert.ok(!('id' in message), `${what}: an id that was not sent: ${JSON.stringify(message)}`);
  else assert.equal(message.id, id, what);
}

const SPELLINGS = ['0', '-0', '-1', '9007199254740993', '12345678901234567890123456789', '"a"', '""', '"\\u0041\\/\\n"', '"\\u0000"', '"é🍅"', `"${'x'.repeat(254)}"`];

const ENVELOPES = [
  ['a number as version', { [VERSION]: 5 }, VERSION],
  ['null as version', { [VERSION]: null }, VERSION],
  ['no capabilities', { [CAPABILITIES]: undefined }, CAPABILITIES],
  ['an array of capabilities', { [CAPABILITIES]: [] }, CAPABILITIES],
  ['null capabilities', { [CAPABILITIES]: null }, CAPABILITIES],
  ['a client that is only a name', { [INFO]: 'me' }, INFO],
  ['a client without version', { [INFO]: { name: 'me' } }, INFO],
  ['an unknown log level', { [LEVEL]: 'loud' }, LEVEL],
  ['a number as log level', { [LEVEL]: 3 }, LEVEL],
];

const UNSUPPORTED = ['2099-01-01', '2025-11-25', '2024-11-05', 'v999.0.0', ''];

function checkUnsupported(message, requested) {
  checkError(message, -32022, 7, requested);
  assert.deepEqual(message.error.data, { supported: [MODERN], requested });
}

const BARE = ['tools/list', 'tools/call', 'server/discover', 'logging/setLevel', 'no/such/method', ''];

/** The error for a request without a claim names what is missing and the alternative. */
function checkMissingEnvelope(message) {
  checkError(message, -32602, 7, 'without envelope');
  for (const part of [VERSION, CAPABILITIES, 'initialize']) assert.ok(message.error.message.includes(part), message.error.message);
}

/* --- stdio --- */

const newline = Buffer.from('\n');
const asLine = (message) => Buffer.concat([Buffer.from(asBody(message)), newline]);

/** Send bytes as a line; returns the expected error. */
async function refused(io, bytes, code, id, what) {
  await io.write(asLine(bytes));
  const { message } = await io.take(`a refusal of ${what}`, (m) => m.error && m.id === id);
  checkError(message, code, id, what);
  return message;
}

test('stdio: malformed messages', async (t) => {
  for (const [when, start] of [['before initialize', () => {}], ['in a legacy session', (io) => io.initialize()]])
    await t.test(when, async (t) => {
      const io = startStdio(t);
      await start(io);
      for (const [what, bytes, code, id] of MALFORMED)
        await t.test(`${what}: ${code}`, async () => {
          await refused(io, bytes, code, id, what);
          await io.inSync();
        });
      await t.test('each message got exactly one answer', () => assert.equal(io.taken.size, io.lines.length));
    });
});

test('SEC-65 stdio: ids come back byte for byte', async (t) => {
  const io = startStdio(t);
  for (const id of SPELLINGS)
    await t.test(id.slice(0, 40), async () => {
      await io.send(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`);
      const { line } = await io.take('the ping', (m) => m.result);
      assert.equal(line, `{"jsonrpc":"2.0","id":${id},"result":{}}`);
    });
});

test('stdio: the era is decided per message', async (t) => {
  const io = startStdio(t);
  for (const [what, meta, key] of ENVELOPES)
    await t.test(`${what}: -32602 that names the key`, async () => {
      const answer = await io.exchange(claiming(meta), 7);
      checkError(answer, -32602, 7, what);
      assert.ok(answer.error.message.includes(key), answer.error.message);
    });
  for (const version of UNSUPPORTED)
    await t.test(`version '${version}': -32022 with both lists`, async () => checkUnsupported(await io.exchange(claiming({ [VERSION]: version }), 7), version));
  await t.test('clientInfo may be absent', async () => {
    assert.ok((await io.exchange(claiming({ [INFO]: undefined }), 7)).result);
  });
  await t.test('ping before initialize: {}', async () => assert.deepEqual((await io.exchange(rpc('ping'), 7)).result, {}));
  for (const method of BARE)
    await t.test(`bare '${method}' before initialize: -32602`, async () => checkMissingEnvelope(await io.exchange(rpc(method, {}), 7)));
  await t.test('initialize inside a valid envelope: -32601', async () => {
    const message = rpc('initialize', { ...initializeMessage().params, _meta: envelope() });
    checkError(await io.exchange(message, 7), -32601, 7, 'initialize');
  });
  for (const method of ['no/such/method', 'ping', 'logging/setLevel', 'resources/subscribe', 'initialize', 'tools/List', ''])
    await t.test(`modern '${method}': -32601`, async () => checkError(await io.exchange(claiming({}, method), 7), -32601, 7, method));
  await t.test('unknown notifications and stray responses get no answer', async () => {
    const before = io.lines.length;
    for (const m of [note('notifications/whatever'), note('no/such'), note('notifications/cancelled', { requestId: 99 }), note('notifications/cancelled'),
      { jsonrpc: '2.0', id: 5, result: {} }, { jsonrpc: '2.0', id: 5, error: { code: 1, message: 'm' } }, { jsonrpc: '2.0', error: { code: 1, message: 'm' } }])
      await io.send(m);
    await io.inSync();
    assert.equal(io.lines.length, before + 1);
  });
  await t.test('a modern notification is not treated as a legacy one', async () => {
    await io.send(note('notifications/initialized', { _meta: envelope() }));
    checkMissingEnvelope(await io.exchange(rpc('tools/list', {}), 7));
  });
  await t.test('initialize without a version: -32602, and initialize can be retried', async () => {
    for (const params of [undefined, {}, { protocolVersion: 5 }, { protocolVersion: NEWEST_LEGACY, capabilities: [] }])
      checkError(await io.exchange(rpc('initialize', params), 7), -32602, 7, JSON.stringify(params));
    checkMissingEnvelope(await io.exchange(rpc('tools/list', {}), 7));
  });
  await t.test('after all these probes, initialize still works', () => io.initialize());
  await t.test('after that, both eras are served side by side', async () => {
    assert.ok((await io.request('tools/list')).result.tools);
    assert.ok(!('resultType' in (await io.request('tools/list')).result));
    assert.equal((await io.modern('tools/list')).result.resultType, 'complete');
    checkError(await io.exchange(rpc('server/discover'), 7), -32601, 7, 'legacy discover');
    checkError(await io.exchange(rpc('no/such/method'), 7), -32601, 7, 'legacy unknown');
    checkError(await io.exchange(claiming({ [VERSION]: '2099-01-01' }), 7), -32022, 7, 'modern unsupported');
    assert.deepEqual((await io.request('ping')).result, {});
  });
});

test('stdio: an error that quotes client text truncates it at a character boundary', async (t) => {
  const io = startStdio(t);
  await io.initialize();
  const long = `x${'é'.repeat(300)}`;
  for (const [what, message] of [
    ['an unknown method', rpc(long)],
    ['an unknown tool', rpc('tools/call', { name: long })],
    ['a missing note', rpc('tools/call', { name: 'vault_read', arguments: { path: `${'x/'.repeat(50)}${'é'.repeat(100)}.md` } })],
    ['a name that is too long', rpc('tools/call', { name: 'vault_read', arguments: { path: long } })],
  ])
    await t.test(what, async () => {
      const answer = JSON.stringify(await io.exchange(message, 7));
      assert.ok(answer.includes('éé'), answer);
      assert.ok(!answer.includes('\ufffd'), answer);
    });
});

test('stdio: initialize answers with a revision that both sides support', async (t) => {
  for (const [asked, given] of [...LEGACY.map((r) => [r, r]), [MODERN, NEWEST_LEGACY], ['2099-01-01', NEWEST_LEGACY], ['1999-01-01', NEWEST_LEGACY], ['', NEWEST_LEGACY]])
    await t.test(`'${asked}' gets ${given}`, async (t) => {
      const io = startStdio(t);
      const message = initializeMessage(asked);
      const { result } = await io.exchange(message, message.id);
      assert.equal(result.protocolVersion, given);
      assert.ok(!('resultType' in result) && !('_meta' in result));
    });
  await t.test('an invalid claim does not prevent initialize from being a handshake', async (t) => {
    const io = startStdio(t);
    const answer = await io.exchange(rpc('initialize', { ...initializeMessage().params, _meta: { [VERSION]: 5 } }), 7);
    assert.equal(answer.result.protocolVersion, NEWEST_LEGACY);
  });
});

const ping = (id) => rpc('ping', undefined, id);
const many = (n) => Array.from({ length: n }, (_, i) => ping(i + 1));

/** Batches of a 2025-03-26 session; got(batch) returns the parsed answer, or undefined for none. */
const BATCHES = {
  'requests get one array of answers': async (got) =>
    assert.deepEqual((await got([ping(1), ping('b')])).map((m) => m.id).sort(), ['b', 1].sort()),
  'notifications among them get none': async (got) =>
    assert.deepEqual(await got([note('notifications/x'), ping(3)]), [{ jsonrpc: '2.0', id: 3, result: {} }]),
  'of notifications and responses only: no answer': async (got) =>
    assert.equal(await got([note('notifications/x'), { jsonrpc: '2.0', id: 4, result: {} }]), undefined),
  'a bad element is refused by itself': async (got) => {
    const answers = await got([ping(5), { jsonrpc: '1.0', id: 6, method: 'ping' }, 7, [], { jsonrpc: '2.0', id: 8, method: 'no/such' }]);
    assert.deepEqual(answers.map((m) => [m.id, m.error?.code]).sort(), [[5, undefined], [6, -32600], [8, -32601], [undefined, -32600], [undefined, -32600]].sort());
  },
  'initialize cannot be in one': async (got) =>
    assert.deepEqual((await got([initializeMessage('2025-03-26', {}, 9)])).map((m) => [m.id, m.error?.code]), [[9, -32600]]),
  'slow and quick ones come together': async (got) => {
    const answers = await got([rpc('tools/call', { name: 'vault_info' }, 10), ping(11), rpc('tools/call', { name: 'vault_read', arguments: { path: 'Home.md' } }, 12)]);
    assert.deepEqual(answers.map((m) => m.id).sort(), [10, 11, 12]);
    assert.ok(answers.every((m) => m.result && !m.result.isError));
  },
  'a hundred elements are the most': async (got) =>
    assert.deepEqual((await got(many(100))).map((m) => m.id).sort((a, b) => a - b), many(100).map((m) => m.id)),
};

test('SEC-65 stdio: batches', async (t) => {
  await t.test('2025-03-26 supports them', async (t) => {
    const io = startStdio(t);
    await io.initialize('2025-03-26');
    const got = async (batch) => {
      const before = io.lines.length;
      await io.send(batch);
      await io.inSync();
      // Workers may finish after the discover; a batch that needs an answer gets it.
      const due = batch.some((m) => !(m.method && !('id' in m)) && !('result' in m));
      if (due) return (await io.take('a batch of answers', Array.isArray)).message;
      assert.equal(io.lines.length, before + 1);
      return undefined;
    };
    for (const [name, check] of Object.entries(BATCHES)) await t.test(name, () => check(got));
    for (const [what, batch] of [['an empty one', []], ['one of 101', many(101)]])
      await t.test(`${what}: -32600`, async () => {
        await refused(io, batch, -32600, undefined, what);
        await io.inSync();
      });
  });
  for (const revision of [undefined, ...LEGACY.filter((r) => r !== '2025-03-26')])
    await t.test(`${revision ? `in ${revision}` : 'before initialize'}: -32600`, async (t) => {
      const io = startStdio(t);
      if (revision) await io.initialize(revision);
      for (const batch of [[ping(1)], [], many(101), [claiming({})]]) await refused(io, batch, -32600, undefined, 'a batch');
      await io.inSync();
    });
});

test('stdio: lines of any length', async (t) => {
  await t.test('100 MB without a newline: one error, bounded memory, still in sync', async (t) => {
    const io = startStdio(t);
    await io.inSync();
    const piece = Buffer.alloc(1 << 20, 'x');
    for (let i = 0; i < 100; i++) await io.write(piece);
    await io.write('\n');
    const { message } = await io.take('the refusal', (m) => m.error);
    checkError(message, -32600, undefined, 'a long line');
    await io.inSync();
    assert.equal(io.lines.length, 3);
    if (!SANITIZED) assert.ok(Number(io.status('VmHWM')) < 200 * 1024, `${io.status('VmHWM')} kB at the most`);
  });

  await t.test('100 MB of valid JSON on one line: the same', async (t) => {
    const io = startStdio(t);
    await io.write('{"jsonrpc":"2.0","id":7,"method":"ping","params":{"a":"');
    const piece = Buffer.alloc(1 << 20, 'x');
    for (let i = 0; i < 100; i++) await io.write(piece);
    await io.write('"}}\n');
    const { message } = await io.take('the refusal', (m) => m.error);
    checkError(message, -32600, undefined, 'a long line');
    await io.inSync();
    if (!SANITIZED) assert.ok(Number(io.status('VmHWM')) < 200 * 1024);
  });

  await t.test('9 MB are accepted and returned in full', async (t) => {
    const io = startStdio(t, { program: 'fixture' });
    const long = 'ü'.repeat(4_500_000);
    const answer = await io.modern('tools/call', { name: 'echo', arguments: { text: long } });
    assert.ok(answer.result.content[0].text === long);
    await io.inSync();
  });

  await t.test('CRLF also ends a line, and empty lines are ignored', async (t) => {
    const io = startStdio(t);
    await io.write('\n\r\n   \n{"jsonrpc":"2.0","id":1,"method":"ping"}\r\n\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n');
    await io.take('the first', (m) => m.id === 1);
    await io.take('the second', (m) => m.id === 2);
    await io.inSync();
    assert.equal(io.lines.length, 3);
  });

  await t.test('a message may arrive one byte at a time', async (t) => {
    const io = startStdio(t);
    for (const byte of Buffer.from(asLine(ping(1)))) await io.write(Buffer.from([byte]));
    await io.take('the ping', (m) => m.id === 1);
  });
});

test('stdio: ten thousand requests written before any answer is read', async (t) => {
  const io = startStdio(t);
  await io.initialize();
  io.child.stdout.pause();
  const N = 10_000;
  const message = (i) => (i % 3 === 0 ? modernMessage('server/discover', {}, i) : i % 3 === 1 ? ping(i) : rpc('tools/call', { name: 'vault_read', arguments: { path: 'Home.md' } }, i));
  const all = Array.from({ length: N }, (_, i) => `${JSON.stringify(message(i + 1))}\n`).join('');
  await within(io.write(all), 'writing without reading');
  const before = io.lines.length;
  io.child.stdout.resume();
  await io.request('ping', undefined, 'behind');
  await within((async () => { while (io.lines.length < before + N + 1) await new Promise((r) => setTimeout(r, 20)); })(), 'all answers');
  const ids = io.messages.slice(before).filter((m) => m.id !== 'behind').map((m) => m.id).sort((a, b) => a - b);
  assert.deepEqual(ids, Array.from({ length: N }, (_, i) => i + 1));
  assert.ok(io.messages.slice(before).every((m) => m.result && !m.result.isError));
  await io.inSync();
});

/* --- HTTP --- */

/** A request as bytes. A header that is undefined is left out, a list is sent as duplicates. */
function bytes({ method = 'POST', path = '/mcp', headers = {}, body }) {
  const all = { host: '127.0.0.1', ...headers };
  const payload = body === undefined ? Buffer.alloc(0) : Buffer.from(asBody(body));
  if (body !== undefined && !('content-length' in all) && !('transfer-encoding' in all)) all['content-length'] = payload.length;
  const lines = Object.entries(all).flatMap(([name, value]) => [value].flat().filter((v) => v !== undefined).map((v) => `${name}: ${v}\r\n`));
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), payload]);
}

/** The answers in the bytes received on a socket. */
function parseAnswers(text, methods = []) {
  const answers = [];
  for (let at = 0; at < text.length;) {
    const bodiless = methods[answers.length] === 'HEAD';
    const end = text.indexOf('\r\n\r\n', at);
    const [first, ...fields] = text.slice(at, end).split('\r\n');
    const headers = Object.fromEntries(fields.map((f) => [f.slice(0, f.indexOf(':')).toLowerCase(), f.slice(f.indexOf(':') + 1).trim()]));
    const length = bodiless ? 0 : Number(headers['content-length'] ?? 0);
    const body = Buffer.from(text.slice(end + 4, end + 4 + length), 'latin1').toString();
    const json = headers['content-type']?.startsWith('application/json');
    answers.push({ status: Number(first.split(' ')[1]), headers, body, message: json && body ? JSON.parse(body) : undefined });
    at = end + 4 + length;
  }
  return answers;
}

/** Send a request, then a discover on the same connection, which must be answered correctly. */
async function send(server, request, { closes = false } = {}) {
  const check = modernMessage('server/discover', {}, 'check');
  const behind = bytes({ headers: { ...modernHeaders(check), connection: 'close' }, body: check });
  const answers = parseAnswers(await rawHttp(server, Buffer.concat([bytes(request), behind])), [request.method]);
  if (closes) {
    assert.equal(answers.length, 1, 'the connection is closed behind the refusal');
    const again = await postModern(server, modernMessage('server/discover'));
    assert.equal(again.status, 200);
  } else {
    assert.equal(answers.length, 2, JSON.stringify(answers));
    assert.equal(answers[1].status, 200);
    assert.equal(answers[1].message.id, 'check');
    assert.deepEqual(answers[1].message.result.supportedVersions, [MODERN]);
  }
  return answers[0];
}

const bare = (body, headers = {}) => ({ body, headers: { ...JSON_HEADERS, ...headers } });
const modern = (message, headers = {}) => ({ body: message, headers: { ...modernHeaders(message), ...headers } });
const inSession = (session, body, headers = {}) => ({ body, headers: { ...session.headers, ...headers } });

test('HTTP: malformed messages', async (t) => {
  const server = await startHttp(t);
  const session = await Session.open(server);
  for (const [what, body, code, id] of MALFORMED)
    await t.test(`${what}: 400 ${code}`, async () => {
      for (const request of [bare(body), inSession(session, body), bare(body, { 'mcp-protocol-version': MODERN, 'mcp-method': 'ping' })]) {
        const answer = await send(server, request);
        assert.equal(answer.status, 400);
        checkError(answer.message, code, id, what);
      }
    });
  await t.test('an empty body: 400 -32700', async () => {
    const answer = await send(server, bare(''));
    assert.equal(answer.status, 400);
    checkError(answer.message, -32700, undefined, 'empty');
  });
});

test('SEC-65 HTTP: ids come back byte for byte', async (t) => {
  const server = await startHttp(t);
  for (const id of SPELLINGS)
    await t.test(id.slice(0, 40), async () => {
      const body = JSON.stringify(modernMessage('server/discover', {}, 0)).replace('"id":0', `"id":${id}`);
      const answer = await send(server, { body, headers: modernHeaders(modernMessage('server/discover')) });
      assert.ok(answer.body.startsWith(`{"jsonrpc":"2.0","id":${id},"result":{`), answer.body.slice(0, 400));
    });
});

test('SEC-67 SEC-68 SEC-69 HTTP: the ladder', async (t) => {
  const server = await startHttp(t);
  const session = await Session.open(server);
  const discover = modernMessage('server/discover', {}, 7);
  const call = (name = 'vault_info') => modernMessage('tools/call', { name, arguments: {} }, 7);
  const expect = (name, request, status, code, { id, closes, also } = {}) =>
    t.test(`${name}: ${status}${code ? ` ${code}` : ''}`, async () => {
      const answer = await send(server, request, { closes });
      assert.equal(answer.status, status, answer.body);
      if (code) checkError(answer.message, code, id, name);
      also?.(answer);
    });
  const ok = (name, request, also) => expect(name, request, 200, 0, { also: (a) => {
    assert.ok(a.message.result, a.body);
    also?.(a);
  } });

  // 1. Origin and Host
  for (const origin of ['http://evil.example', 'https://evil.example:443', 'null', 'http://localhost.evil.example', 'http://127.0.0.1.evil.example', 'http://localhost@evil.example', 'file://', ''])
    await expect(`Origin '${origin}'`, modern(discover, { origin }), 403, 0, { closes: true });
  await expect('two Origins', modern(discover, { origin: ['http://localhost', 'http://localhost'] }), 403, 0, { closes: true });
  for (const origin of ['http://localhost', 'http://localhost:6274', 'https://localhost', 'http://127.0.0.1:1', 'http://[::1]:9'])
    await ok(`Origin ${origin}`, modern(discover, { origin }), (a) => assert.equal(a.headers['access-control-allow-origin'], origin));
  for (const host of ['evil.example', 'evil.example:80', 'localhost.evil.example', '127.0.0.1.evil.example', '127.0.0.2'])
    await expect(`Host '${host}'`, modern(discover, { host }), 421, 0, { closes: true });
  for (const host of ['localhost', 'LOCALHOST:1', '127.0.0.1', '[::1]', '[::1]:5'])
    await ok(`Host ${host}`, modern(discover, { host }));
  await expect('a foreign Origin on GET', { method: 'GET', headers: { ...session.headers, origin: 'http://evil.example' } }, 403, 0, { closes: true });
  await expect('a foreign Origin on DELETE', { method: 'DELETE', headers: { ...session.headers, origin: 'http://evil.example' } }, 403, 0, { closes: true });
  await expect('a foreign Origin on OPTIONS', { method: 'OPTIONS', headers: { origin: 'http://evil.example' } }, 403, 0, { closes: true });
  await expect('a foreign Origin wins over a wrong type and a broken body', { body: '{', headers: { origin: 'http://evil.example' } }, 403, 0, { closes: true });

  // 3. methods
  for (const method of ['GET', 'DELETE'])
    for (const version of [MODERN, '2099-01-01'])
      await expect(`${method} of revision ${version}`, { method, headers: { ...session.headers, accept: 'text/event-stream', 'mcp-protocol-version': version } }, 405, 0,
        { also: (a) => assert.equal(a.headers.allow, 'POST') });
  for (const method of ['PUT', 'PATCH'])
    await expect(method, { method, headers: JSON_HEADERS }, 405, 0, { also: (a) => assert.match(a.headers.allow, /POST/) });
  await expect('another path', { path: '/other', body: discover, headers: modernHeaders(discover) }, 404, 0, { closes: true });
  await expect('a path below', { path: '/mcp/x', body: discover, headers: modernHeaders(discover) }, 404, 0);
  await ok('a slash behind', { path: '/mcp/', body: discover, headers: modernHeaders(discover) });
  await ok('a query behind', { path: '/mcp?x=1', body: discover, headers: modernHeaders(discover) });

  // 4. type, size
  for (const type of ['text/plain', 'application/jsonp', 'application/json-rpc', 'text/json', 'multipart/form-data; boundary=application/json', '', undefined])
    await expect(`Content-Type '${type}'`, modern(discover, { 'content-type': type }), 415, 0);
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;x=y', ' application/json '])
    await ok(`Content-Type '${type}'`, modern(discover, { 'content-type': type }));
  await expect('a compressed body', modern(discover, { 'content-encoding': 'gzip' }), 415, 0, { closes: true });

  // 5. arrays
  await expect('an empty array', bare('[]'), 400, -32600);
  await expect('an array with a claim', bare([claiming({})]), 400, -32600);
  await expect('an array with a claim in a session', inSession(session, [ping(1), claiming({})]), 400, -32600);
  await expect('an array without session', bare([ping(1)]), 400, -32000);
  await expect('101 messages', bare(many(101)), 400, -32600);

  // 6. notifications and responses
  const empty = { also: (a) => assert.deepEqual([a.body, a.headers['content-type']], ['', undefined]) };
  await expect('a notification with a claim', bare(note('notifications/cancelled', { requestId: 1, _meta: envelope() })), 202, 0, empty);
  await expect('a notification with a modern header', bare(note('notifications/x'), { 'mcp-protocol-version': MODERN }), 202, 0, empty);
  await expect('a notification in a session', inSession(session, note('notifications/x')), 202, 0, empty);
  await expect('a response in a session', inSession(session, { jsonrpc: '2.0', id: 5, result: {} }), 202, 0, empty);
  await expect('an error response in a session', inSession(session, { jsonrpc: '2.0', id: 5, error: { code: 1, message: 'm' } }), 202, 0, empty);
  await expect('a legacy notification without session', bare(note('notifications/x')), 400, -32000);
  await expect('a response without session', bare({ jsonrpc: '2.0', id: 5, result: {} }), 400, -32000);

  // 7. requests: which era
  const handshake = { ...initializeMessage(), id: 7 };
  await expect('initialize with a modern header', bare(handshake, { 'mcp-protocol-version': MODERN }), 400, -32020, { id: 7 });
  await expect('initialize with a broken claim and a modern header',
    bare({ ...handshake, params: { ...handshake.params, _meta: { [VERSION]: 5 } } }, { 'mcp-protocol-version': MODERN }), 400, -32020, { id: 7 });
  await ok('initialize with a broken claim', bare({ ...handshake, params: { ...handshake.params, _meta: { [VERSION]: 5 } } }));
  await ok('initialize with a legacy header', bare(handshake, { 'mcp-protocol-version': NEWEST_LEGACY }));
  for (const [what, meta, key] of ENVELOPES)
    await expect(what, { body: claiming(meta), headers: modernHeaders(discover) }, 400, -32602,
      { id: 7, also: (a) => assert.ok(a.message.error.message.includes(key), a.body) });
  await expect('a broken envelope without headers', bare(claiming({ [CAPABILITIES]: undefined })), 400, -32602, { id: 7 });
  for (const [version, header] of [['v999.0.0', MODERN], [MODERN, NEWEST_LEGACY], [MODERN, '2099-01-01'], ['2025-11-25', MODERN], [MODERN, '']])
    await expect(`header version '${header}' and '${version}' in the body`, { body: claiming({ [VERSION]: version }), headers: { ...modernHeaders(discover), 'mcp-protocol-version': header } }, 400, -32020, { id: 7 });
  for (const method of ['tools/list', 'Server/Discover', 'server/discover2', ''])
    await expect(`Mcp-Method '${method}' for server/discover`, modern(discover, { 'mcp-method': method }), 400, -32020, { id: 7 });
  for (const [what, params] of [['no params', undefined], ['no _meta', {}], ['an empty _meta', { _meta: {} }], ['other keys only', { _meta: { progressToken: 1, [CAPABILITIES]: {} } }], ['a _meta that is no object', { _meta: 5 }]])
    await expect(`a modern header and ${what}`, bare(rpc('server/discover', params), { 'mcp-protocol-version': MODERN, 'mcp-method': 'server/discover' }), 400, -32602,
      { id: 7, also: (a) => checkMissingEnvelope(a.message) });
  await expect('neither claim nor session', bare(rpc('tools/list')), 400, -32000);

  // 8. modern, continued
  for (const version of UNSUPPORTED) {
    await expect(`version '${version}' without headers`, bare(claiming({ [VERSION]: version })), 400, -32022, { id: 7, also: (a) => checkUnsupported(a.message, version) });
    if (version) await expect(`version '${version}' with its header`, bare(claiming({ [VERSION]: version }), { 'mcp-protocol-version': version }), 400, -32022, { id: 7 });
  }
  await expect('MCP-Protocol-Version missing', modern(discover, { 'mcp-protocol-version': undefined }), 400, -32020, { id: 7 });
  await expect('Mcp-Method missing', modern(discover, { 'mcp-method': undefined }), 400, -32020, { id: 7 });
  await expect('Mcp-Name missing', modern(call(), { 'mcp-name': undefined }), 400, -32020, { id: 7 });
  for (const name of ['vault_list', 'VAULT_INFO', 'vault_info2', '', '=?base64?dmF1bHRfbGlzdA==?=', '=?base64?dmF1bHRfaW5mbw?=', '=?base64?dmF1bHRfaW5mbw=?=', '=?base64?dmF1bHRfaW5mb*==?=',
    '=?base64?dmF1bHRfaW5mbw==', 'dmF1bHRfaW5mbw==?=', '=?BASE64?dmF1bHRfaW5mbw==?=', '=?base64??='])
    await expect(`Mcp-Name '${name}' for vault_info`, modern(call(), { 'mcp-name': name }), 400, -32020, { id: 7 });
  for (const [header, values] of [['mcp-name', ['vault_info', 'vault_list']], ['mcp-method', ['tools/call', 'tools/list']], ['mcp-protocol-version', [MODERN, NEWEST_LEGACY]]])
    await expect(`${header} twice, with two values`, modern(call(), { [header]: values }), 400, -32020, { id: 7 });
  for (const name of ['vault_info', '  vault_info\t', '=?base64?dmF1bHRfaW5mbw==?='])
    await ok(`Mcp-Name '${name}' for vault_info`, modern(call(), { 'mcp-name': name }));
  await ok('header names in any case', { body: call(), headers: { 'CONTENT-TYPE': 'application/json', 'MCP-PROTOCOL-VERSION': MODERN, 'mCP-mETHOD': 'tools/call', 'MCP-NAME': 'vault_info' } });
  await ok('an Accept that is lax', modern(discover, { accept: 'text/html' }));
  await ok('no Accept', modern(discover, { accept: undefined }));
  await ok('an unknown session id, which does not matter here', modern(discover, { 'mcp-session-id': 'nonsense', 'last-event-id': 'x' }),
    (a) => assert.equal(a.headers['mcp-session-id'], undefined));
  await expect('call without a name in the body, none in the header', modern(modernMessage('tools/call', { arguments: {} }, 7)), 200, -32602, { id: 7 });
  await expect('a name that is no text', { body: modernMessage('tools/call', { name: 5 }, 7), headers: { ...modernHeaders(discover), 'mcp-method': 'tools/call' } }, 200, -32602, { id: 7 });
  for (const method of ['no/such/method', 'ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'notifications/initialized', 'tasks/list', 'tools/list/'])
    await expect(`modern '${method}'`, modern(modernMessage(method, {}, 7)), 404, -32601, { id: 7 });
  await expect('an unknown method without Mcp-Method', modern(modernMessage('no/such', {}, 7), { 'mcp-method': undefined }), 400, -32020, { id: 7 });
  await expect('an unknown tool', modern(call('no_such_tool')), 200, -32602, { id: 7 });
  await expect('arguments that are no object', modern(modernMessage('tools/call', { name: 'vault_info', arguments: [] }, 7)), 200, -32602, { id: 7 });
  for (const cursor of ['nonsense', 5, {}, null, '999999999999999999999'])
    await expect(`cursor ${JSON.stringify(cursor)}`, modern(modernMessage('tools/list', { cursor }, 7)), 200, -32602, { id: 7 });
  await ok('the empty cursor', modern(modernMessage('tools/list', { cursor: '' }, 7)));
});

test('HTTP: legacy sessions', async (t) => {
  const server = await startHttp(t);
  const session = await Session.open(server);
  const expect = (name, request, status, code, { id, also } = {}) =>
    t.test(`${name}: ${status}${code ? ` ${code}` : ''}`, async () => {
      const answer = await send(server, request);
      assert.equal(answer.status, status, answer.body);
      if (code) checkError(answer.message, code, id, name);
      also?.(answer);
    });

  await expect('no session id', inSession(session, ping(7), { 'mcp-session-id': undefined }), 400, -32000);
  await expect('an unknown session id', inSession(session, ping(7), { 'mcp-session-id': 'nonsense' }), 404, -32001);
  for (const version of ['1999-01-01', 'nonsense', ''])
    await expect(`MCP-Protocol-Version '${version}'`, inSession(session, ping(7), { 'mcp-protocol-version': version }), 400, version > MODERN ? -32602 : -32000, { id: version > MODERN ? 7 : undefined });
  await expect('MCP-Protocol-Version absent', inSession(session, ping(7), { 'mcp-protocol-version': undefined }), 200);
  await expect('a second initialize inside the session', inSession(session, { ...initializeMessage(), id: 7 }), 400, -32600);
  await expect('an unknown method', inSession(session, rpc('no/such/method')), 200, -32601, { id: 7 });
  await expect('server/discover', inSession(session, rpc('server/discover')), 200, -32601, { id: 7 });
  await expect('a method that is not offered', inSession(session, rpc('logging/setLevel', { level: 'info' })), 200, -32601, { id: 7 });
  await expect('an unknown tool', inSession(session, rpc('tools/call', { name: 'no_such_tool' })), 200, -32602, { id: 7 });
  await expect('a bad cursor', inSession(session, rpc('tools/list', { cursor: 'nonsense' })), 200, -32602, { id: 7 });
  await expect('initialize without version', bare(rpc('initialize', {})), 200, -32602, { id: 7, also: (a) => assert.equal(a.headers['mcp-session-id'], undefined) });
  await expect('GET without session', { method: 'GET', headers: { accept: 'text/event-stream' } }, 400, -32000);
  await expect('DELETE without session', { method: 'DELETE' }, 400, -32000);
  await expect('HEAD without session', { method: 'HEAD', headers: { accept: 'text/event-stream' } }, 400);

  for (const accept of ['application/json', 'text/event-stream', 'text/html', 'application/json, text/event-stream;q=0', 'application/json;q=0, */*', ''])
    await expect(`Accept '${accept}'`, inSession(session, ping(7), { accept }), 406, -32000);
  for (const accept of ['*/*', 'application/*, text/*', 'text/event-stream,application/json', 'application/json;q=0.1, TEXT/EVENT-STREAM', ['application/json', 'text/event-stream']])
    await expect(`Accept '${accept}'`, inSession(session, ping(7), { accept }), 200);
  await expect('initialize with Accept application/json', bare(initializeMessage(), { accept: 'application/json' }), 406, -32000);
  await expect('GET with Accept application/json', { method: 'GET', headers: { ...session.headers, accept: 'application/json' } }, 406, -32000);

  await t.test('ping is exactly {} in every revision, and results have no modern fields', async () => {
    for (const revision of LEGACY) {
      const old = await Session.open(server, revision);
      assert.equal((await old.request('ping', undefined, 1)).text, '{"jsonrpc":"2.0","id":1,"result":{}}');
      const { result } = (await old.call('vault_info')).message;
      for (const key of ['resultType', '_meta', 'ttlMs', 'cacheScope']) assert.ok(!(key in result), key);
    }
  });

  await t.test('batches in 2025-03-26', async (t) => {
    const old = await Session.open(server, '2025-03-26');
    const got = async (batch) => {
      const answer = await send(server, inSession(old, batch));
      assert.equal(answer.status, answer.message ? 200 : 202);
      return answer.message;
    };
    for (const [name, check] of Object.entries(BATCHES)) await t.test(name, () => check(got));
    for (const [what, batch] of [['an empty one', []], ['one of 101', many(101)]])
      await t.test(`${what}: 400 -32600`, async () => {
        const answer = await send(server, inSession(old, batch));
        assert.equal(answer.status, 400);
        checkError(answer.message, -32600, undefined, what);
      });
  });
  for (const revision of LEGACY.filter((r) => r !== '2025-03-26'))
    await t.test(`batches in ${revision}: 400 -32600`, async () => {
      const answer = await send(server, inSession(await Session.open(server, revision), [ping(1)]));
      assert.equal(answer.status, 400);
      checkError(answer.message, -32600, undefined, revision);
    });
});

test('HTTP: requests that only the fixture supports', async (t) => {
  const server = await startFixture(t);
  const session = await Session.open(server);
  const expect = (name, request, status, code, also) =>
    t.test(`${name}: ${status}${code ? ` ${code}` : ''}`, async () => {
      const answer = await send(server, request);
      assert.equal(answer.status, status, answer.body);
      if (code) checkError(answer.message, code, 7, name);
      also?.(answer);
    });
  const tool = (name, extra = {}) => modernMessage('tools/call', { name, arguments: {}, ...extra }, 7);
  const headers = (args, params) => modern(tool('test_custom_headers', { arguments: args }), params);

  await expect('a capability that was not declared', modern(tool('test_missing_capability')), 400, -32021,
    (a) => assert.deepEqual(a.message.error.data, { requiredCapabilities: { sampling: {} } }));
  await expect('a resource that is not there', modern(modernMessage('resources/read', { uri: 'test://nothing' }, 7)), 200, -32602,
    (a) => assert.equal(a.message.error.data.uri, 'test://nothing'));
  await expect('a resource without uri', modern(modernMessage('resources/read', {}, 7)), 200, -32602);
  await expect('a legacy resource that is not there', inSession(session, rpc('resources/read', { uri: 'test://nothing' })), 200, -32002,
    (a) => assert.equal(a.message.error.data.uri, 'test://nothing'));
  await expect('an unknown prompt', modern(modernMessage('prompts/get', { name: 'nothing' }, 7)), 200, -32602);
  await expect('a missing prompt argument', modern(modernMessage('prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: '1' } }, 7)), 200, -32602);
  await expect('Mcp-Name of a resource', modern(modernMessage('resources/read', { uri: 'test://static-text' }, 7), { 'mcp-name': 'test://static-binary' }), 400, -32020);
  await expect('Mcp-Name of a prompt', modern(modernMessage('prompts/get', { name: 'test_simple_prompt' }, 7), { 'mcp-name': undefined }), 400, -32020);
  await expect('Mcp-Name of a task', modern(modernMessage('tasks/get', { taskId: 'x', _meta: { [CAPABILITIES]: { extensions: { [`${META}tasks`]: {} } } } }, 7), { 'mcp-name': 'y' }), 400, -32020);
  await expect('tasks/get without the extension', modern(modernMessage('tasks/get', { taskId: 'x' }, 7)), 400, -32021);
  for (const [what, extra] of [['an invented requestState', { requestState: 'nonsense' }], ['a requestState that is not a string', { requestState: 5 }],
    ['inputResponses as an array', { inputResponses: [] }], ['inputResponses as text', { inputResponses: 'x' }]])
    await expect(what, modern(tool('test_input_required_result_elicitation', { ...extra, _meta: { [CAPABILITIES]: { elicitation: {} } } })), 200, -32602);
  for (const notifications of [undefined, 5, [], { toolsListChanged: 'yes' }, { resourceSubscriptions: 'x' }, { resourceSubscriptions: [5] }])
    await expect(`listen to ${JSON.stringify(notifications)}`, modern(modernMessage('subscriptions/listen', { notifications }, 7)), 200, -32602);
  for (const [what, params] of [['no ref', { argument: { name: 'arg1', value: '' } }], ['no argument', { ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' } }],
    ['an unknown ref', { ref: { type: 'ref/x' }, argument: { name: 'a', value: '' } }], ['an unknown prompt', { ref: { type: 'ref/prompt', name: 'nothing' }, argument: { name: 'a', value: '' } }]])
    await expect(`completion with ${what}`, modern(modernMessage('completion/complete', params, 7)), 200, -32602);
  for (const level of ['loud', 5, undefined])
    await expect(`logging/setLevel ${level}`, inSession(session, rpc('logging/setLevel', { level })), 200, -32602);
  await expect('subscribe without uri', inSession(session, rpc('resources/subscribe', {})), 200, -32602);

  for (const [what, args, params, fine] of [
    ['a marked argument and its header', { region: 'eu' }, { 'mcp-param-region': 'eu' }, true],
    ['a marked argument without header', { region: 'eu' }, {}, false],
    ['another value in the header', { region: 'eu' }, { 'mcp-param-region': 'us' }, false],
    ['another case in the header', { region: 'eu' }, { 'mcp-param-region': 'EU' }, false],
    ['base64 in the header', { region: 'Ürdingen' }, { 'mcp-param-region': `=?base64?${Buffer.from('Ürdingen').toString('base64')}?=` }, true],
    ['wrong padding', { region: 'eu' }, { 'mcp-param-region': '=?base64?ZXU?=' }, false],
    ['foreign characters in base64', { region: 'eu' }, { 'mcp-param-region': '=?base64?Z!U=?=' }, false],
    ['only the prefix of an encoding, taken literally', { region: '=?base64?x' }, { 'mcp-param-region': '=?base64?x' }, true],
    ['null, which needs no header', { region: null }, {}, true],
    ['a header without argument', {}, { 'mcp-param-region': 'eu' }, true],
    ['42 as 42', { priority: 42 }, { 'mcp-param-priority': '42' }, true],
    ['42 as 42.0', { priority: 42 }, { 'mcp-param-priority': '42.0' }, true],
    ['42.0 as 42', { priority: 42.0 }, { 'mcp-param-priority': '42' }, true],
    ['42 as 43', { priority: 42 }, { 'mcp-param-priority': '43' }, false],
    ['42 as text', { priority: 42 }, { 'mcp-param-priority': '"42"' }, false],
    ['both, one of them wrong', { region: 'eu', priority: 1 }, { 'mcp-param-region': 'eu', 'mcp-param-priority': '2' }, false],
  ])
    await expect(what, headers(args, params), fine ? 200 : 400, fine ? 0 : -32020);
});

/* --- too much data --- */

test('SEC-62 HTTP: bodies and headers of any size', async (t) => {
  const server = await startHttp(t);
  const discover = modernMessage('server/discover', {}, 7);
  const long = (n) => JSON.stringify({ ...discover, params: { ...discover.params, pad: 'x'.repeat(n) } });
  const status = (text) => Number(text.split(' ')[1]);
  const alive = async () => assert.equal((await postModern(server, modernMessage('server/discover'))).status, 200);

  await t.test('3.9 MB are accepted', async () => assert.equal((await post(server, long(3_900_000), modernHeaders(discover))).status, 200));
  await t.test('5 MB with a Content-Length: 413 before the body is read', async () => {
    const body = long(5_000_000);
    const head = bytes({ headers: { ...modernHeaders(discover), 'content-length': body.length } });
    assert.equal(status(await rawHttp(server, head)), 413);
    const answer = await fetch(server.url, { method: 'POST', headers: modernHeaders(discover), body }).catch(() => null);
    if (answer) assert.equal(answer.status, 413); // a client that keeps writing may see the reset instead
    await alive();
  });
  await t.test('5 MB in chunks: 413', async () => {
    const chunk = `10000\r\n${'x'.repeat(65536)}\r\n`;
    const head = bytes({ headers: { ...modernHeaders(discover), 'transfer-encoding': 'chunked' } });
    assert.equal(status(await rawHttp(server, Buffer.concat([head, Buffer.from(chunk.repeat(80))]))), 413);
    await alive();
  });
  await t.test('a body in chunks of one byte is one message', async () => {
    const body = [...Buffer.from(asBody(discover))].map((b) => `1\r\n${String.fromCharCode(b)}\r\n`).join('');
    const text = await rawHttp(server, Buffer.concat([bytes({ headers: { ...modernHeaders(discover), 'transfer-encoding': 'chunked', connection: 'close' } }), Buffer.from(`${body}0\r\n\r\n`)]));
    assert.equal(parseAnswers(text)[0].message.id, 7);
  });
  for (const [what, request, want] of [
    ['a header of 40 KB', bytes({ headers: { ...modernHeaders(discover), x: 'y'.repeat(40_000) } }), 431],
    ['200 headers', bytes({ headers: { ...modernHeaders(discover), x: Array(200).fill('y') } }), 431],
    ['a path of 10 KB', bytes({ path: `/${'x'.repeat(10_000)}` }), 414],
    ['no HTTP', Buffer.from('hello\r\n\r\n'), 400],
    ['a length and chunks', bytes({ headers: { ...modernHeaders(discover), 'content-length': 5, 'transfer-encoding': 'chunked' } }), 400],
    ['two lengths', bytes({ headers: { ...modernHeaders(discover), 'content-length': [5, 6] } }), 400],
    ['a length that is not a number', bytes({ headers: { ...modernHeaders(discover), 'content-length': '5x' } }), 400],
    ['a folded header', Buffer.from('GET /mcp HTTP/1.1\r\nhost: localhost\r\nx: y\r\n z\r\n\r\n'), 400],
    ['a bare LF', Buffer.from('GET /mcp HTTP/1.1\nhost: localhost\n\n'), 400],
    ['no Host', Buffer.from('GET /mcp HTTP/1.1\r\n\r\n'), 400],
    ['two Hosts', Buffer.from('GET /mcp HTTP/1.1\r\nhost: localhost\r\nhost: localhost\r\n\r\n'), 400],
    ['HTTP/3.0', Buffer.from('GET /mcp HTTP/3.0\r\nhost: localhost\r\n\r\n'), 505],
  ])
    await t.test(`${what}: ${want}`, async () => {
      assert.equal(status(await rawHttp(server, request)), want);
      await alive();
    });
});

test('HTTP: ten thousand pipelined requests, with no answer read until all are written', async (t) => {
  const server = await startHttp(t);
  const N = 10_000;
  const all = Buffer.concat(Array.from({ length: N }, (_, i) => {
    const message = modernMessage(i % 2 ? 'server/discover' : 'tools/call', i % 2 ? {} : { name: 'vault_read', arguments: { path: 'Inbox.md', limit: 1 } }, i);
    return bytes({ headers: { ...modernHeaders(message), ...(i === N - 1 ? { connection: 'close' } : {}) }, body: message });
  }));
  const socket = net.connect(server.port, '127.0.0.1').pause();
  const pieces = [];
  const written = new Promise((done) => socket.write(all, done));
  // What the kernel does not buffer waits until we read: that is where the server stops waiting.
  await Promise.race([written, new Promise((r) => setTimeout(r, 1500))]);
  socket.on('data', (d) => pieces.push(d)).resume();
  await within(new Promise((done) => socket.once('close', done)), 'all answers');
  const answers = parseAnswers(Buffer.concat(pieces).toString('latin1'));
  assert.equal(answers.length, N);
  assert.ok(answers.every((a, i) => a.status === 200 && a.message.id === i && a.message.result), 'every answer, in order');
  assert.equal((await post(server, initializeMessage())).status, 200);
});
