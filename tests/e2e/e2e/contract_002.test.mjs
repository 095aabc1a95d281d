// The profile obsidian-bundle against the document it comes from: JSON-RPC over stdio, nine tools,
// an envelope around answers, errors with codes.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, cleanEnv, copyVault, run, startStdio, tempDir } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const PROFILE = ['--profile', 'obsidian-bundle'];
const TOOLS = ['create_note', 'read_note', 'append_note', 'prepend_note', 'delete_note', 'move_note', 'rename_note', 'open_note', 'file_info']
  .map((name) => `obsidian_${name}`);

async function start(t, { vault = copyVault(t), args = [], env } = {}) {
  const io = startStdio(t, { vault, args: [...PROFILE, ...args], env });
  await io.initialize('2024-11-05');
  return {
    io, vault,
    text: (file) => readFileSync(path.join(vault, file), 'utf8'),
    call: (name, args) => io.request('tools/call', { name: `obsidian_${name}`, arguments: args }),
  };
}

const dataOf = (answer) => {
  assert.equal(answer.error, undefined, JSON.stringify(answer.error));
  assert.equal(answer.result.content.length, 1);
  const envelope = JSON.parse(answer.result.content[0].text);
  assert.equal(envelope.success, true);
  return envelope.data;
};

const assertError = (answer, code, errorCode, message) => {
  assert.equal(answer.result, undefined);
  assert.equal(answer.error.code, code, JSON.stringify(answer));
  assert.equal(answer.error.data.errorCode, errorCode);
  if (message) assert.match(answer.error.message, message);
};

test('S2-12 S2-13 S2-14 S2-16 S2-17 S2-18 S2-34 S2-36 the handshake, byte for byte', async (t) => {
  const io = startStdio(t, { vault: copyVault(t), args: PROFILE });
  await io.send('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"Claude Desktop","version":"1.0.0"}}}');
  const { line } = await io.take('the answer', (m) => m.id === 1);
  assert.equal(line, '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{}},"serverInfo":{"name":"obsidian-mcp","version":"1.0.0"}}}');
});

test('S2-03 S2-04 S2-19 S2-20 S2-21 tools/list: nine tools with schemas, the first as in the document', async (t) => {
  const { io } = await start(t);
  const { tools } = (await io.request('tools/list', {})).result;
  assert.deepEqual(tools.map((tool) => tool.name), TOOLS);
  assert.deepEqual(tools[0], {
    name: 'obsidian_create_note',
    description: 'Create a new note in the vault',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Note name (without .md extension) or exact path' },
        content: { type: 'string', description: 'Initial note content (markdown)' },
        overwrite: { type: 'boolean', description: 'Overwrite if file exists' },
      },
      required: ['name'],
    },
  });
  for (const tool of tools) {
    assert.equal(tool.inputSchema.type, 'object');
    assert.ok(tool.inputSchema.required.includes('name'), tool.name);
    assert.ok(tool.description.length > 5);
  }
});

test('S2-22 S2-23 the document\'s call and answer, byte for byte', async (t) => {
  const { io, text } = await start(t);
  await io.send('{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"obsidian_create_note","arguments":{"name":"Meeting Notes","content":"# Meeting Notes\\n\\n- Agenda item 1"}}}');
  const { line } = await io.take('the answer', (m) => m.id === 3);
  assert.equal(line, '{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"{\\"success\\":true,\\"data\\":{\\"path\\":\\"Meeting Notes.md\\",\\"created\\":true}}"}]}}');
  assert.equal(text('Meeting Notes.md'), '# Meeting Notes\n\n- Agenda item 1');
});

test('S2-01 S2-02 the nine tools do what their names say', async (t) => {
  const vault = copyVault(t);
  writeFileSync(path.join(vault, 'Pointer.md'), 'See [[New]].\n');
  const { call, text } = await start(t, { vault });
  assert.deepEqual(dataOf(await call('create_note', { name: 'Ideas/New', content: '---\nkind: idea\n---\nOne\n' })), { path: 'Ideas/New.md', created: true });
  assert.deepEqual(dataOf(await call('append_note', { name: 'New', content: 'Two' })), { path: 'Ideas/New.md', appended: true });
  assert.deepEqual(dataOf(await call('prepend_note', { name: 'Ideas/New.md', content: 'Zero' })), { path: 'Ideas/New.md', prepended: true });
  const { path: where, content } = dataOf(await call('read_note', { name: 'new' }));
  assert.equal(where, 'Ideas/New.md');
  assert.equal(content, text('Ideas/New.md'));
  assert.match(content, /^---\nkind: idea\n---\n+Zero\n+One\n+Two\n$/);
  const moved = dataOf(await call('move_note', { name: 'New', to: 'Archive' }));
  assert.deepEqual([moved.path, moved.from, moved.moved], ['Archive/New.md', 'Ideas/New.md', true]);
  const renamed = dataOf(await call('rename_note', { name: 'New', new_name: 'Old' }));
  assert.deepEqual([renamed.path, renamed.renamed, renamed.updatedLinks], ['Archive/Old.md', true, 1]);
  assert.equal(text('Pointer.md'), 'See [[Old]].\n');
  const info = dataOf(await call('file_info', { name: 'Old' }));
  assert.deepEqual([info.path, info.name, info.extension, info.folder, info.size],
    ['Archive/Old.md', 'Old', 'md', 'Archive', Buffer.byteLength(content)]);
  assert.match(info.modified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.deepEqual(dataOf(await call('delete_note', { name: 'Old' })), { path: 'Archive/Old.md', deleted: true });
  assert.ok(!existsSync(path.join(vault, 'Archive/Old.md')));
  assert.equal(readFileSync(path.join(vault, '.trash/Archive/Old.md'), 'utf8'), content);
});

test('overwrite: refused without it, done with it, and then created is false', async (t) => {
  const { call, text } = await start(t);
  const before = text('Home.md');
  assertError(await call('create_note', { name: 'Home', content: 'x' }), -32000, 'FILE_EXISTS', /overwrite/);
  assert.equal(text('Home.md'), before);
  assert.deepEqual(dataOf(await call('create_note', { name: 'Home', content: 'x', overwrite: true })), { path: 'Home.md', created: false });
  assert.equal(text('Home.md'), 'x');
});

test('S2-05 S2-06 S2-24 S2-26 application errors have codes, and say what to do', async (t) => {
  const vault = copyVault(t);
  for (const folder of ['A', 'B']) {
    mkdirSync(path.join(vault, folder));
    writeFileSync(path.join(vault, folder, 'Twin.md'), folder);
  }
  const { call } = await start(t, { vault });
  assertError(await call('read_note', { name: 'No such note' }), -32003, 'FILE_NOT_FOUND', /No such note/);
  assertError(await call('read_note', { name: 'Home', vault: 'Other' }), -32002, 'VAULT_NOT_FOUND', /Other/);
  assertError(await call('read_note', { name: 'Twin' }), -32004, 'AMBIGUOUS_NAME', /A\/Twin\.md.*B\/Twin\.md/);
  assertError(await call('read_note', { name: '../secret' }), -32005, 'PERMISSION_DENIED', /\.\./);
  assertError(await call('create_note', { name: '.obsidian/x', content: '' }), -32005, 'PERMISSION_DENIED');
  assertError(await call('rename_note', { name: 'Home', new_name: 'A/B' }), -32602, 'INVALID_PARAMS', /obsidian_move_note/);
  assertError(await call('create_note', { name: '  ' }), -32602, 'INVALID_PARAMS', /name/);
});

test('S2-25 standard codes: parse, request, method, params', async (t) => {
  const { io, call } = await start(t);
  const code = async (message, id = null) => {
    await io.send(message);
    return (await io.take(`the error for ${message}`, (m) => m.error && (m.id ?? null) === id)).message.error.code;
  };
  assert.equal(await code('{"jsonrpc":'), -32700);
  assert.equal(await code('{"jsonrpc":"2.0","id":"a","method":"no/such"}', 'a'), -32601);
  assert.equal(await code('{"jsonrpc":"1.0","id":"b","method":"ping"}', 'b'), -32600);
  assertError(await call('read_note', {}), -32602, 'INVALID_PARAMS', /name/);
  assertError(await call('create_note', { name: 7 }), -32602, 'INVALID_PARAMS', /name/);
  assertError(await call('create_note', { name: 'x', colour: 'red' }), -32602, 'INVALID_PARAMS', /colour/);
  assert.equal((await io.request('tools/call', { name: 'obsidian_fly', arguments: {} })).error.code, -32602);
});

/** A program with that name in PATH that writes its arguments to a file. */
function fakeProgram(t, name, then = '') {
  const folder = tempDir(t);
  const log = path.join(folder, 'arguments');
  writeFileSync(path.join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$@" > '${log}'\n${then}\n`);
  chmodSync(path.join(folder, name), 0o755);
  return { PATH: `${folder}:/usr/bin:/bin`, log };
}

test("obsidian_open_note uses the app's own command line, or the desktop's opener", async (t) => {
  const app = fakeProgram(t, 'obsidian');
  const first = await start(t, { env: { PATH: app.PATH } });
  assert.deepEqual(dataOf(await first.call('open_note', { name: 'Home' })), { path: 'Home.md', opened: true });
  assert.equal(readFileSync(app.log, 'utf8'), `vault=${path.basename(first.vault)}\nopen\npath=Home.md\n`);
  const desktop = fakeProgram(t, 'xdg-open');
  const second = await start(t, { env: { PATH: desktop.PATH, DISPLAY: ':9' } });
  assert.equal(dataOf(await second.call('open_note', { name: 'Reading list' })).opened, true);
  assert.equal(readFileSync(desktop.log, 'utf8'), `obsidian://open?vault=${path.basename(second.vault)}&file=Books/Reading%20list.md\n`);
});

test('S2-24 without the app, the answer is the document\'s sentence', async (t) => {
  const { call } = await start(t, { env: { PATH: '/nowhere' } });
  assertError(await call('open_note', { name: 'Home' }), -32001, 'OBSIDIAN_NOT_RUNNING',
    /^Obsidian application is not running\. Please start Obsidian and try again\.$/);
});

test('S2-07 a command that exceeds its timeout is stopped', async (t) => {
  const app = fakeProgram(t, 'obsidian', 'sleep 60');
  const { call } = await start(t, { env: { PATH: app.PATH } });
  assertError(await call('open_note', { name: 'Home', timeout_ms: 300 }), -32006, 'TIMEOUT', /300 ms/);
});

test('S2-08 S2-15 S2-33 logs go to stderr only, and contain no note content', async (t) => {
  const { io, call } = await start(t, { args: ['--log-level', 'debug'] });
  await call('create_note', { name: 'Diary', content: 'a secret of mine' });
  await call('read_note', { name: 'Diary' });
  await io.says(/obsidian_read_note/);
  assert.doesNotMatch(io.stderr, /a secret of mine/);
  assert.ok(io.messages.every((m) => m.jsonrpc === '2.0'));
});

test('S2-09 S2-27 exit ends the server silently, after pending requests', async (t) => {
  const { io, call, text } = await start(t);
  const running = call('create_note', { name: 'Last', content: 'kept' });
  const count = io.messages.length;
  await io.notify('exit');
  assert.equal(dataOf(await running).created, true);
  await io.endsCleanly();
  assert.equal(io.messages.length, count + 1);
  assert.equal(text('Last.md'), 'kept');
});

test('S2-28 S2-35 EOF ends it, too', async (t) => {
  const { io } = await start(t);
  io.child.stdin.end();
  await io.endsCleanly();
});

test('S2-32 no tool can be called before the handshake', async (t) => {
  const vault = copyVault(t);
  const io = startStdio(t, { vault, args: PROFILE });
  const answer = await io.request('tools/call', { name: 'obsidian_create_note', arguments: { name: 'Early' } });
  assert.ok(answer.error.code <= -32600, JSON.stringify(answer));
  assert.ok(!readdirSync(vault).includes('Early.md'));
});

test('S2-26 if the vault is missing, it does not start, and says so', async (t) => {
  const { code, stdout, stderr } = await run(VAULTD, [...PROFILE, '--vault-path', '/no/such/vault'], { env: cleanEnv(tempDir(t)) });
  assert.notEqual(code, 0);
  assert.equal(stdout, '');
  assert.match(stderr, /vault/);
});

for (const row of CONNECTIONS.filter((row) => !row.http))
  test(`S2-36 the official client: ${row.name}`, async (t) => {
    const vault = copyVault(t);
    const sdk = await connect(t, row, { vault, args: PROFILE });
    const { tools } = await sdk.client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), TOOLS);
    const result = await sdk.call({ name: 'obsidian_create_note', arguments: { name: 'By SDK', content: 'x' } });
    assert.deepEqual(JSON.parse(result.content[0].text), { success: true, data: { path: 'By SDK.md', created: true } });
    await assert.rejects(() => sdk.call({ name: 'obsidian_read_note', arguments: { name: 'nope' } }),
      (error) => error.code === -32003 && error.data.errorCode === 'FILE_NOT_FOUND');
    await sdk.close();
  });
