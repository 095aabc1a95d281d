// Contract 002 as a client author reads it: written from its text alone.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { cleanEnv, run, startStdio, tempDir, VAULTD } from '../support.mjs';
import { changesNothing, textOf, vaultOf } from './blackbox.mjs';

const PROFILE = ['--profile', 'obsidian-bundle'];

async function open(t, files, args = []) {
  const vault = vaultOf(t, files);
  const server = startStdio(t, { vault, args: [...PROFILE, ...args] });
  await server.initialize('2024-11-05');
  return {
    vault, server,
    ok: async (name, given) => {
      const answer = await server.call(`obsidian_${name}`, given);
      assert.ok(answer.result, JSON.stringify(answer));
      assert.deepEqual(Object.keys(answer.result), ['content']);
      const envelope = JSON.parse(answer.result.content[0].text);
      assert.equal(envelope.success, true);
      return envelope.data;
    },
    fails: async (code, name, given) => {
      const { error } = await server.call(`obsidian_${name}`, given);
      assert.equal(error?.code, code, `${name} ${JSON.stringify(given)}: ${JSON.stringify(error)}`);
      assert.ok(error.message.length > 0);
      assert.match(error.data.errorCode, /^[A-Z_]+$/);
      return error;
    },
    read: (name) => textOf(vault, name),
  };
}

test('S2-12 … S2-28 the document\'s messages get the document\'s answers, one line each, and exit ends the server', async (t) => {
  const vault = vaultOf(t, {});
  const home = tempDir(t);
  const lines = [
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"Claude Desktop","version":"1.0.0"}}}',
    '{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{}}',
    '{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"obsidian_create_note","arguments":{"name":"Meeting Notes","content":"# Meeting Notes\\n\\n- Agenda item 1"}}}',
    '{"jsonrpc":"2.0","method":"exit"}'];
  const env = cleanEnv(home, { STATE_DIR: path.join(home, 's') });
  const end = await run(VAULTD, [...PROFILE, '--vault-path', vault], { env, input: lines.map((line) => `${line}\n`).join('') });
  assert.equal(end.code, 0, end.stderr);
  assert.ok(end.stdout.endsWith('\n'));
  const answers = Object.fromEntries(end.stdout.trim().split('\n').map((line) => JSON.parse(line)).map((answer) => [answer.id, answer]));
  assert.deepEqual(Object.keys(answers), ['1', '2', '3']);
  assert.deepEqual(answers[1].result, { protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 'obsidian-mcp', version: '1.0.0' } });
  const create = answers[2].result.tools.find((tool) => tool.name === 'obsidian_create_note');
  assert.deepEqual(create, {
    name: 'obsidian_create_note', description: 'Create a new note in the vault',
    inputSchema: {
      type: 'object', required: ['name'],
      properties: {
        name: { type: 'string', description: 'Note name (without .md extension) or exact path' },
        content: { type: 'string', description: 'Initial note content (markdown)' },
        overwrite: { type: 'boolean', description: 'Overwrite if file exists' },
      },
    },
  });
  assert.equal(answers[2].result.tools.length, 9);
  assert.deepEqual(answers[3], { jsonrpc: '2.0', id: 3, result: { content: [{ type: 'text', text: '{"success":true,"data":{"path":"Meeting Notes.md","created":true}}' }] } });
  assert.equal(textOf(vault, 'Meeting Notes.md'), '# Meeting Notes\n\n- Agenda item 1');
});

test('S2-24 S2-25 S2-26 every failure has its code, changes nothing, and the server keeps running', async (t) => {
  const it = await open(t, { 'A.md': 'a', 'x/Same.md': '1', 'y/Same.md': '2', '.obsidian/app.json': '{}', 'Sub/B.md': 'b', 'Sub/C.md': 'c' });
  const tools = { read_note: {}, append_note: { content: 'x' }, prepend_note: { content: 'x' }, delete_note: {}, move_note: { to: 'Sub' }, rename_note: { new_name: 'New' }, open_note: {}, file_info: {} };
  const names = [[-32003, 'Nobody'], [-32004, 'Same'], [-32005, '../A'], [-32005, '.obsidian/app.json'], [-32602, undefined], [-32602, 7]];
  await changesNothing(it.vault, [
    ...names.flatMap(([code, name]) => Object.entries(tools).map(([tool, more]) => () => it.fails(code, tool, { name, ...more }))),
    () => it.fails(-32000, 'create_note', { name: 'A', content: 'new' }), () => it.fails(-32000, 'rename_note', { name: 'Sub/B', new_name: 'C' }),
    () => it.fails(-32602, 'rename_note', { name: 'A', new_name: '../x' }), () => it.fails(-32005, 'move_note', { name: 'A', to: '../x' }),
    () => it.fails(-32005, 'create_note', { name: '../up' }), () => it.fails(-32602, 'create_note', { content: 'x' }),
    () => it.fails(-32001, 'open_note', { name: 'A' }),
    async () => assert.equal((await it.server.request('no/such')).error.code, -32601),
  ]);
  assert.equal((await it.ok('read_note', { name: 'A' })).content, 'a');
});

test('S2-25 S2-36 a line that is not JSON gets a complete JSON-RPC 2.0 error: -32700 with id null', async (t) => {
  const it = await open(t, {});
  await it.server.send('{"jsonrpc":');
  const { message } = await it.server.take('the parse error', (answer) => answer.error?.code === -32700);
  assert.deepEqual([message.jsonrpc, message.id], ['2.0', null]);
});

test('S2-26 writing to a read-only vault is -32005, permission denied', async (t) => {
  const it = await open(t, { 'A.md': 'a' }, ['--read-only']);
  await changesNothing(it.vault, [() => it.fails(-32005, 'append_note', { name: 'A', content: 'x' })]);
});

test('S2-27 S2-28 requests sent before exit are completed and answered; names may contain spaces and any letters', async (t) => {
  const vault = vaultOf(t, { 'Мои заметки/Имя с пробелом.md': '---\r\na: 1\r\n---\r\nbody\r\n' });
  const home = tempDir(t);
  const call = (id, tool, given) => JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: `obsidian_${tool}`, arguments: { name: 'Имя с пробелом', ...given } } });
  const lines = ['{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}',
    ...Array.from({ length: 20 }, (_, i) => call(i + 1, i % 2 ? 'append_note' : 'prepend_note', { content: `- item ${i};` })), '{"jsonrpc":"2.0","method":"exit"}'];
  const end = await run(VAULTD, [...PROFILE, '--vault-path', vault], { env: cleanEnv(home, { STATE_DIR: path.join(home, 's') }), input: `${lines.join('\n')}\n` });
  assert.equal(end.code, 0, end.stderr);
  assert.equal(end.stdout.trim().split('\n').filter((line) => JSON.parse(line).result).length, 21);
  const text = textOf(vault, 'Мои заметки/Имя с пробелом.md');
  assert.ok(text.startsWith('---\r\na: 1\r\n---\r\n') && text.includes('body\r\n'), text);
  for (let i = 0; i < 20; i++) assert.equal(text.split(`- item ${i};`).length, 2);
});
