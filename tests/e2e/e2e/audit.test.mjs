// The audit log: what clients read and changed, over every transport, in every tool of every set; how it is read, and what
// happens when it cannot be written.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmdirSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Session, VAULTD, asBody, cleanEnv, fetchHttp, initializeMessage, modernHeaders, modernMessage, run, startHttp, startStdio, tempDir, until, withToken } from '../support.mjs';
import { callTool, letIn, startWithPeople } from './people.mjs';

const NOTES = {
  'Garden.md': '---\nstatus: open\ntags: [area, claude]\ndue: 2026-11-20\n---\n# Garden\n\nBeds and [[Plan]].\n\n## Soil\n\nThe quince needs loam. ^bed\n\n- [ ] dig #task\n',
  'Plan.md': '# Plan\n\nSee [[Garden]] for the quince.\n',
  'Deep/Down/Note.md': '# Note\n\nquince [[Plan]]\n',
  'Board.md': '---\nkanban-plugin: board\n---\n\n## Todo\n\n- [ ] one\n',
  'Shape.canvas': '{"nodes":[{"id":"a","type":"file","file":"Garden.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
};

function makeVault(t) {
  const vault = tempDir(t);
  for (const [name, text] of Object.entries(NOTES)) {
    mkdirSync(path.dirname(path.join(vault, name)), { recursive: true });
    writeFileSync(path.join(vault, name), text);
  }
  return vault;
}

const logIn = (t) => path.join(tempDir(t), 'own', 'calls.jsonl');
const linesOf = (file) => readFileSync(file, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
/** The lines of calls once there are n of them: a line may be written after its answer. */
const calls = (file, n) => until(`${n} lines`, () => existsSync(file) && linesOf(file).filter((l) => l.event === 'call').length >= n && linesOf(file).filter((l) => l.event === 'call'));

test('each call has a line: who, what, which files, how much, and no contents', async (t) => {
  const vault = makeVault(t), file = logIn(t);
  const io = startStdio(t, { vault, args: ['--audit', file] });
  await io.initialize();
  await io.call('vault_read', { path: 'Garden' });
  await io.call('vault_search', { query: 'quince' });
  await io.call('vault_write', { path: 'New.md', content: 'secret words\n' });
  await io.call('vault_move', { path: 'Plan.md', to: 'Deep/Plan.md' });
  await io.call('vault_read', { path: 'Missing.md' });
  await io.request('resources/read', { uri: 'vault:///Board.md' });
  await io.request('resources/list');
  await io.request('completion/complete', { ref: { type: 'ref/resource', uri: 'vault:///{+path}' }, argument: { name: 'path', value: 'Gar' } });
  await io.request('prompts/get', { name: 'weekly_summary', arguments: {} });
  const trace = '0af7651916cd43dd8448eb211c80319c';
  await io.modern('tools/call', { name: 'vault_read', arguments: { path: 'Board.md' }, _meta: { traceparent: `00-${trace}-b7ad6b7169203331-01` } });
  await io.request('tools/list');
  const lines = await calls(file, 10);
  assert.deepEqual(lines.map((l) => l.name ?? l.method), ['vault_read', 'vault_search', 'vault_write', 'vault_move', 'vault_read', 'vault:///Board.md', 'resources/list', 'completion/complete', 'weekly_summary', 'vault_read']);
  assert.deepEqual(lines.map((l) => l.era), [...Array(9).fill('legacy'), 'modern']);
  assert.deepEqual(lines[0].read, ['Garden.md']);
  assert.deepEqual([...lines[1].read].sort(), ['Deep/Down/Note.md', 'Garden.md', 'Plan.md']);
  assert.deepEqual(lines[2].changed, ['New.md']);
  assert.ok(lines[3].changed.includes('Deep/Plan.md') && lines[3].changed.includes('Plan.md'), JSON.stringify(lines[3]));
  assert.equal(lines[4].outcome, 'FILE_NOT_FOUND');
  assert.deepEqual(lines[5].read, ['Board.md']);
  assert.deepEqual(lines[9].read, ['Board.md']);
  assert.deepEqual(lines.map((l) => l.trace), [...Array(9).fill(undefined), trace]);
  for (const line of lines) {
    assert.match(line.time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.equal(line.transport, 'stdio');
    assert.ok(line.bytes_out > 0 && line.us >= 0 && line.bytes_in >= 0, JSON.stringify(line));
  }
  assert.doesNotMatch(readFileSync(file, 'utf8'), /quince|secret words|loam/);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  await io.eof();
});

test('several vaults, HTTP and keys: the line says which, and who', async (t) => {
  const one = makeVault(t), two = makeVault(t), file = logIn(t), state = path.join(tempDir(t), 'state');
  const added = await run(VAULTD, ['key', 'add', 'backup', 'read', '--state-dir', state], { env: cleanEnv(tempDir(t)) });
  const key = added.stdout.match(/vd_\S+|[\w-]{30,}/)[0];
  const server = await startHttp(t, { vault: `--vault=b=${two}`, state, args: ['--audit', file, '--server-url', 'http://127.0.0.1:1', '--vault', `a=${one}`] });
  const post = (message, headers = {}) => fetchHttp(withToken(server, key), { headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers }, body: asBody(message) });
  const opened = await post(initializeMessage());
  assert.equal(opened.status, 200, opened.text);
  const session = { 'mcp-session-id': opened.headers['mcp-session-id'], 'mcp-protocol-version': '2025-11-25' };
  for (const args of [{ path: 'Garden.md', vault: 'b' }, { query: 'quince', vault: '*' }])
    assert.equal((await post({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: args.path ? 'vault_read' : 'vault_search', arguments: args } }, session)).status, 200);
  const [line, search] = await calls(file, 2);
  assert.equal(line.transport, 'http');
  assert.deepEqual(line.read, ['Garden.md']);
  assert.equal(line.vault, 'b');
  assert.ok(search.read.includes('Garden.md') && search.read.includes('Deep/Down/Note.md'), JSON.stringify(search));
  assert.ok([line.user, line.client].includes('backup'), JSON.stringify(line));
  assert.match(line.session, /^[0-9a-f]{8}$/);
  assert.ok(Number.isInteger(line.grant));
  assert.ok(!readFileSync(file, 'utf8').includes(key));
  // a key for one folder: what it cannot see is not in its lines, nor read
  const narrow = (await run(VAULTD, ['key', 'add', 'narrow', 'read', 'b:Deep', '--state-dir', state], { env: cleanEnv(tempDir(t)) })).stdout.match(/vd_\S+|[\w-]{30,}/)[0];
  for (const params of [{ name: 'vault_search', arguments: { query: 'quince', vault: 'b' } }, { name: 'vault_read', arguments: { path: 'Garden.md', vault: 'b' } }]) {
    const message = modernMessage('tools/call', params);
    await fetchHttp(withToken(server, narrow), { headers: modernHeaders(message), body: asBody(message) });
  }
  const [, , found, missing] = await calls(file, 4);
  assert.deepEqual([found.outcome, found.read], ['ok', ['Deep/Down/Note.md']]);
  assert.deepEqual([missing.outcome, missing.read], ['FILE_NOT_FOUND', undefined]);
});

test('what is found before the first index is complete is in the line, too', async (t) => {
  const vault = tempDir(t), file = logIn(t);
  for (let i = 0; i < 3000; i++) writeFileSync(path.join(vault, `Note ${i}.md`), `# Note ${i}\n\n${'Some words of it, to be indexed. '.repeat(40)}${i === 7 ? 'quince' : ''}\n`);
  const io = startStdio(t, { vault, args: ['--audit', file] });
  await io.initialize();
  await io.call('vault_search', { query: 'quince', mode: 'text' });
  assert.deepEqual((await calls(file, 1))[0].read, ['Note 7.md']);
  await io.eof();
});

test('hosted vaults: sign-ins and calls are in one stream, and each line names its user', async (t) => {
  const top = tempDir(t), file = logIn(t), env = cleanEnv(top, { STATE_DIR: path.join(top, 'state'), VAULTS_DIR: path.join(top, 'vaults') });
  for (const [name, user] of [['garden', 'anna'], ['boat', 'bob']]) {
    mkdirSync(path.join(top, 'vaults', name), { recursive: true });
    writeFileSync(path.join(top, 'vaults', name, 'Home.md'), `# ${name}\n`);
    for (const args of [['add', '--adopt', name], ['allow', name, user]]) assert.equal((await run(VAULTD, ['vault', ...args], { env })).code, 0);
  }
  const server = await startWithPeople(t, { vault: `--vaults-dir=${path.join(top, 'vaults')}`, state: path.join(top, 'state'), args: ['--audit', file] });
  for (const name of ['anna', 'bob']) {
    const { token } = await letIn(server, { name });
    assert.equal((await callTool(server, token, 'vault_read', { path: 'Home.md' })).status, 200);
    await callTool(server, token, 'vault_read', { path: 'Home.md', vault: name === 'anna' ? 'boat' : 'garden' });
  }
  const lines = await calls(file, 4);
  assert.deepEqual(lines.map((l) => [l.user, l.vault, l.outcome, l.read]), [
    ['anna', 'garden', 'ok', ['Home.md']], ['anna', undefined, 'VAULT_NOT_FOUND', undefined],
    ['bob', 'boat', 'ok', ['Home.md']], ['bob', undefined, 'VAULT_NOT_FOUND', undefined],
  ]);
  for (const line of lines) assert.deepEqual([/^App \d+$/.test(line.client), typeof line.client_id, line.era], [true, 'string', 'modern']);
  const events = linesOf(file).filter((l) => l.event.startsWith('oauth.'));
  for (const user of ['anna', 'bob']) assert.ok(events.some((l) => l.event === 'oauth.token' && l.user === user), JSON.stringify(events));
  const shown = await run(VAULTD, ['audit', '--audit', file, '--user', 'bob', '--summary'], { env });
  assert.match(shown.stdout, /^App \d+ for bob\n {2}2 calls \(1 not ok\), 1 files read, 0 changed/);
});

test('/account shows what each app and key read and changed, to its user alone', async (t) => {
  const file = logIn(t), vault = makeVault(t);
  writeFileSync(path.join(vault, 'Odd\u202egnp.md'), 'odd\n');
  const server = await startWithPeople(t, { vault, args: ['--audit', file] });
  const anna = await letIn(server), other = await letIn(server), bob = await letIn(server, { name: 'bob' });
  const added = await run(VAULTD, ['key', 'add', 'anna/phone', 'read', '--state-dir', server.state], { env: cleanEnv(tempDir(t)) });
  for (const args of [{ path: 'Garden.md' }, { path: 'Odd\u202egnp.md' }, { path: 'Garden.md' }]) await callTool(server, anna.token, 'vault_read', args);
  await callTool(server, anna.token, 'vault_write', { path: 'New <b>.md'.replace(/[<>]/g, '_'), content: 'x\n' });
  await callTool(server, other.token, 'vault_read', { path: 'Plan.md' });
  await callTool(server, added.stdout.trim(), 'vault_read', { path: 'Board.md' });
  await callTool(server, bob.token, 'vault_read', { path: 'Deep/Down/Note.md' });
  await calls(file, 7);
  const page = (await anna.browser.get('/account')).text;
  assert.match(page, /In the last 30 days: 4 calls, 2 files read, 1 changed/);
  assert.match(page, /In the last 30 days: 1 call, 1 files read, 0 changed/);
  for (const part of ['<bdi>Garden.md</bdi>', '<bdi>Plan.md</bdi>', '<bdi>Board.md</bdi>', '<bdi>New _b_.md</bdi>', 'Odd‹U+202E›gnp.md']) assert.ok(page.includes(part), `${part} in ${page}`);
  assert.ok(!page.includes('Down/Note.md') && !page.includes('\u202e'));
  const bobs = (await bob.browser.get('/account')).text;
  assert.ok(bobs.includes('Deep/Down/Note.md') && !bobs.includes('Garden.md</bdi>') && !bobs.includes('Board.md'));
});

test('/account says how to record it if there is no audit log, and reads only the end of a long one', async (t) => {
  const without = await startWithPeople(t, { vault: makeVault(t) });
  assert.match((await (await letIn(without)).browser.get('/account')).text, /What apps read is not recorded. With --audit FILE/);
  const file = logIn(t), server = await startWithPeople(t, { vault: makeVault(t), args: ['--audit', file] });
  const { token, client, browser } = await letIn(server);
  await callTool(server, token, 'vault_read', { path: 'Garden.md' });
  const [line] = await calls(file, 1);
  const entry = (name, time) => `${JSON.stringify({ ...line, time, read: [name] })}\n`, now = new Date().toISOString();
  appendFileSync(file, entry('Old.md', '2020-01-01T00:00:00.000Z') + entry('Early.md', now) + entry('Filler.md', now).repeat(Math.ceil((9 << 20) / entry('Filler.md', now).length)) + entry('Late.md', now) + '{"torn');
  const page = (await browser.get('/account')).text;
  assert.ok(page.includes('Late.md') && page.includes('Filler.md') && !page.includes('Old.md') && !page.includes('Early.md'), client);
  assert.match(page, /Only the latest entries of the audit log, since \d{4}-\d\d-\d\d/);
});

/* --- every tool of every set --- */

const SETS = ['default', 'chatgpt', 'claude-desktop', 'obsidian-bundle', 'obsidian-vault-mcp', 'vault-git', 'vault-sync'];
const VALUES = [
  [/^(query|search|pattern|text_query|q)$/i, 'quince'], [/^(to|destination|new_path|newPath|new_name|newName|target)$/i, 'Moved.md'],
  [/^(paths|files|filenames|names)$/i, ['Garden.md', 'Plan.md']], [/^(path|file|filepath|filename|note|id|name|source|from|title)$/i, 'Garden.md'],
  [/^(content|text|body|new_content)$/i, 'words\n'], [/^(folder|directory|dir)$/i, 'Deep'], [/^(tag|tags)$/i, 'area'], [/^(old|find|old_text|oldText)$/i, 'Beds'], [/^(new|replace|new_text|newText)$/i, 'Rows'],
];

function argumentsFor(schema, given) {
  const args = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    const value = VALUES.find(([pattern]) => pattern.test(name))?.[1];
    if (!(schema.required ?? []).includes(name) && !given.includes(name)) continue;
    if (field.enum) args[name] = field.enum[0];
    else if (field.type === 'integer' || field.type === 'number') args[name] = 1;
    else if (field.type === 'boolean') args[name] = true;
    else if (field.type === 'array') args[name] = Array.isArray(value) ? value : [value ?? 'Garden.md'];
    else if (field.type === 'object') args[name] = {};
    else args[name] = Array.isArray(value) ? value[0] : value ?? 'Garden.md';
  }
  return args;
}

/** Paths that an answer names: whole JSON strings, and whole or leading parts of lines. */
function named(result) {
  const found = new Set();
  const texts = [...(result.content ?? []).map((c) => c.text ?? c.resource?.uri ?? ''), JSON.stringify(result.structuredContent ?? {})];
  for (const text of texts)
    for (const note of Object.keys(NOTES)) {
      const escaped = note.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
      if (new RegExp(`"(path|id|file|filename|filepath|note)":\\s*"${escaped}"|^${escaped}($| \\(|:)`, 'm').test(text)) found.add(note);
    }
  return [...found];
}

for (const set of SETS)
  for (const form of set === 'default' ? ['text', 'json'] : ['text'])
    test(`what an answer names is in the line: every tool of ${set} (${form})`, async (t) => {
      const vault = makeVault(t), file = logIn(t);
      const io = startStdio(t, { vault, args: ['--audit', file, '--tools', set, '--answers', form, '--confirm', 'never'] });
      io.hasOwnTools = false;
      await io.initialize();
      const { tools } = (await io.request('tools/list')).result;
      assert.ok(tools.length > 0);
      let n = 0, answered = 0, names = 0;
      for (const tool of [...tools].sort((a, b) => Number(b.annotations?.readOnlyHint ?? 0) - Number(a.annotations?.readOnlyHint ?? 0)))
        for (const given of [[], ['path', 'query', 'filepath', 'filename', 'folder']]) {
          const { result } = await io.call(tool.name, argumentsFor(tool.inputSchema, given));
          const line = (await calls(file, ++n))[n - 1];
          assert.equal(line.name, tool.name);
          if (!result || result.isError) continue;
          answered++;
          const known = [...(line.read ?? []), ...(line.changed ?? [])];
          names += named(result).length;
          for (const note of named(result)) assert.ok(known.includes(note), `${tool.name} named ${note}: ${JSON.stringify(line)}\n${JSON.stringify(result).slice(0, 1500)}`);
        }
      assert.ok(names > 0 || set === 'claude-desktop', 'some of them name notes');
      assert.ok(answered >= tools.length / 2, `${answered} of ${2 * n} calls were answered`);
      await io.eof();
    });

/* --- it cannot be written --- */

/** The file becomes a folder, so it cannot be opened, not even by root. */
function breakLog(file) {
  unlinkSync(file);
  mkdirSync(file);
}

test('refuse: without a line a call is refused, and nothing is read or changed', async (t) => {
  const vault = makeVault(t), file = logIn(t);
  const server = await startHttp(t, { vault, args: ['--audit', file, '--audit-fail', 'refuse', '--audit-sync'] });
  const session = await Session.open(server);
  assert.ok((await session.call('vault_read', { path: 'Garden.md' })).message.result);
  breakLog(file);
  const read = (await session.call('vault_read', { path: 'Garden.md' })).message;
  assert.match(read.error.message, /audit log cannot be written/);
  assert.doesNotMatch(JSON.stringify(read), /quince/);
  const write = (await session.call('vault_write', { path: 'New.md', content: 'x\n' })).message;
  assert.match(JSON.stringify(write), /AUDIT_UNAVAILABLE|audit log cannot be written/);
  assert.ok(!existsSync(path.join(vault, 'New.md')), 'nothing was changed');
  assert.equal((await fetchHttp(server, { method: 'GET', path: '/health' })).status, 503);
  await session.request('ping');
  rmdirSync(file);
  assert.ok((await session.call('vault_write', { path: 'New.md', content: 'x\n' })).message.result);
  const lines = linesOf(file);
  assert.ok(lines.some((l) => l.event === 'audit.lost'), 'it says that lines are missing');
  assert.deepEqual(lines.filter((l) => l.name === 'vault_write').map((l) => [l.event, l.outcome, l.changed]), [['begin', undefined, undefined], ['call', 'ok', ['New.md']]]);
  assert.equal((await fetchHttp(server, { method: 'GET', path: '/health' })).status, 200);
});

test('warn: calls are answered, lost lines are counted in status and metrics', async (t) => {
  const vault = makeVault(t), file = logIn(t);
  const server = await startHttp(t, { vault, args: ['--audit', file, '--ops-addr', `unix:${path.join(tempDir(t), 'ops')}`] });
  const session = await Session.open(server);
  await session.call('vault_read', { path: 'Garden.md' });
  await calls(file, 1);
  breakLog(file);
  assert.ok((await session.call('vault_read', { path: 'Garden.md' })).message.result);
  await server.says(/audit_failed/);
  const status = await run(VAULTD, ['status', '--state-dir', server.state], { env: cleanEnv(tempDir(t)) });
  assert.match(status.stdout, /audit +\S+, 1 lines written, 1 lost\n +failing: /);
  rmdirSync(file);
  await session.call('vault_read', { path: 'Garden.md' });
  await calls(file, 1);
  assert.deepEqual(linesOf(file).map((l) => l.event), ['audit.lost', 'call']);
  await server.says(/audit_goes_on/);
});

test('a file that cannot be written, or whose folder is shared, is refused at the start; doctor says so', async (t) => {
  const vault = makeVault(t), folder = tempDir(t), env = cleanEnv(tempDir(t));
  mkdirSync(path.join(folder, 'calls'));
  const wrong = await run(VAULTD, ['serve', '--stdio', '--audit', path.join(folder, 'calls'), vault], { env });
  assert.notEqual(wrong.code, 0);
  const shared = await run(VAULTD, ['serve', '--stdio', '--audit', '/tmp/calls.jsonl', vault], { env });
  assert.equal(shared.code, 2);
  assert.match(shared.stderr, /a folder of its own/);
  const doctor = await run(VAULTD, ['doctor', '--no-network', '--audit', '/proc/none/calls', vault], { env });
  assert.match(doctor.stdout + doctor.stderr, /calls cannot be written: lines would be lost|unknown option/);
});

test('several processes write one file', async (t) => {
  const vault = makeVault(t), file = logIn(t);
  const all = [1, 2, 3].map(() => startStdio(t, { vault, args: ['--audit', file] }));
  for (const io of all) await io.initialize();
  await Promise.all(all.map(async (io) => {
    for (let i = 0; i < 20; i++) await io.call('vault_read', { path: 'Garden.md' });
  }));
  assert.equal((await calls(file, 60)).length, 60);
  for (const io of all) await io.eof();
});

/* --- reading it --- */

test('vaultd audit: filters, a summary, torn and forged lines', async (t) => {
  const vault = makeVault(t), file = logIn(t), env = cleanEnv(tempDir(t));
  const io = startStdio(t, { vault, args: ['--audit', file] });
  const evil = 'Claude"}\n{"event":"call"}\u202e\u001b[2J';
  const hello = initializeMessage();
  hello.params.clientInfo = { name: evil, version: '1' };
  assert.ok((await io.exchange(hello, hello.id)).result);
  await io.notify('notifications/initialized');
  await io.call('vault_read', { path: 'Garden.md' });
  await io.call('vault_write', { path: 'Deep/New.md', content: 'x\n' });
  await calls(file, 2);
  await io.eof();
  const audit = (...args) => run(VAULTD, ['audit', '--audit', file, ...args], { env });
  const raw = readFileSync(file, 'utf8');
  assert.equal(raw.split('\n').length, 3);
  assert.doesNotMatch(raw, /[\u202e\u001b]/);
  const shown = await audit();
  assert.equal(shown.code, 0, shown.stderr);
  assert.doesNotMatch(shown.stdout, /[\u202e\u001b]/);
  assert.equal(shown.stdout.trim().split('\n').length, 2);
  assert.match(shown.stdout, /vault_read {2}read Garden\.md/);
  assert.match((await audit('--path', 'Deep')).stdout, /^\S+ .*vault_write {2}changed Deep\/New\.md\n$/);
  assert.equal((await audit('--path', 'Dee')).code, 1);
  assert.equal((await audit('--tool', 'vault_read', '--json')).stdout, `${raw.split('\n')[0]}\n`);
  assert.equal((await audit('--client', 'nobody')).code, 1);
  assert.equal((await audit('--since', '1h')).stdout, shown.stdout);
  assert.equal((await audit('--since', '2999-01-01')).code, 1);
  assert.equal((await audit('--since', 'soon')).code, 2);
  assert.match((await audit('--summary')).stdout, /2 calls \(0 not ok\), 1 files read, 1 changed/);
  appendFileSync(file, 'not a line\n{"time":"2026-11-18T00:00:00.000Z","event":"ca');
  const torn = await audit();
  assert.equal(torn.stdout, shown.stdout);
  assert.match(torn.stderr, /1 damaged lines were skipped/);
  assert.match(torn.stderr, /the last line is incomplete/);
  const piped = await run(VAULTD, ['audit', '--audit', '-'], { env, input: raw });
  assert.equal(piped.stdout, shown.stdout);
  assert.equal((await run(VAULTD, ['audit'], { env })).code, 2);
});

test('a summary has at most 1,000 apps, whatever clients call themselves', async (t) => {
  const file = path.join(tempDir(t), 'calls.jsonl');
  let text = '';
  for (let i = 0; i < 10000; i++) text += `{"time":"2026-11-18T00:00:00.000Z","event":"call","program":"App ${i}","name":"vault_read","read":["A.md"],"bytes_out":10,"outcome":"ok"}\n`;
  writeFileSync(file, text);
  writeFileSync(`${file}.1`, text.slice(0, 150 * 5));
  const { stdout } = await run(VAULTD, ['audit', '--audit', file, '--summary', '--json'], { env: cleanEnv(tempDir(t)) });
  const apps = stdout.trim().split('\n').map((line) => JSON.parse(line));
  assert.equal(apps.length, 1001);
  assert.equal(apps[1000].client, '(further apps)');
  assert.ok(apps[1000].calls >= 9000);
});
