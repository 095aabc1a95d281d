// Contract 000 as a client author reads it: written from its text alone.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { cleanEnv, post, initializeMessage, run, Session, startHttp, tempDir, VAULTD } from '../support.mjs';
import { changesNothing, picture, textOf, vaultOf } from './blackbox.mjs';

/** A server whose vault is a subfolder of a larger one, and a session with it. */
async function open(t, files, { args = [] } = {}) {
  const top = vaultOf(t, { 'private.md': 'PRIVATE devlog', 'claude/_index.md': '', ...Object.fromEntries(Object.entries(files).map(([name, text]) => [`claude/${name}`, text])) });
  const vault = path.join(top, 'claude');
  const server = await startHttp(t, { vault, args: ['--profile', 'obsidian-vault-mcp', ...args] });
  const session = await Session.open(server, '2025-03-26');
  const raw = async (name, given) => (await session.call(name, given)).message.result;
  return {
    top, vault, server, session, raw,
    ok: async (name, given) => {
      const result = await raw(name, given);
      assert.ok(!result.isError, JSON.stringify(result));
      const value = JSON.parse(result.content[0].text);
      if (result.structuredContent) assert.deepEqual(result.structuredContent, value);
      return value;
    },
    refused: async (name, given) => {
      const result = await raw(name, given);
      assert.equal(result.isError, true, `${name} ${JSON.stringify(given)}: ${JSON.stringify(result)}`);
    },
    read: (name) => textOf(vault, name),
  };
}

test('S0-49 S0-50 the official client makes two calls in one session', async (t) => {
  const { server } = await open(t, { 'a.md': 'devlog' });
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  for (let i = 0; i < 2; i++) {
    const result = await client.callTool({ name: 'vault_search', arguments: { query: 'devlog' } });
    assert.deepEqual(JSON.parse(result.content[0].text), { results: [{ path: 'a.md', line: 1, text: 'devlog' }] });
  }
  await client.close();
});

test('S0-05 S0-06 S0-51 every initialize starts a new session; answers are SSE', async (t) => {
  const { server, session } = await open(t, {});
  const first = await post(server, initializeMessage('2025-03-26'));
  const second = await post(server, initializeMessage('2025-03-26'));
  assert.match(first.headers['content-type'], /^text\/event-stream/);
  assert.match(first.text, /^event: message\r?\ndata: \{/m);
  assert.throws(() => JSON.parse(first.text));
  assert.equal(new Set([first, second].map((answer) => answer.headers['mcp-session-id'])).size, 2);
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  assert.match((await session.post(call)).headers['content-type'], /^text\/event-stream/);
  assert.equal((await post(server, call)).status, 400);
  assert.equal((await post(server, call, { 'mcp-session-id': 'unknown' })).status, 404);
});

test('S0-07 S0-08 without VAULT_PATH, or with a bad PORT, it does not start', async (t) => {
  const home = tempDir(t);
  for (const extra of [{}, { VAULT_PATH: home, PORT: 'abc' }, { VAULT_PATH: path.join(home, 'no') }]) {
    const end = await run(VAULTD, [], { env: cleanEnv(home, { STATE_DIR: path.join(home, 's'), VAULTD_PROFILE: 'obsidian-vault-mcp', ...extra }) });
    assert.notEqual(end.code, 0, JSON.stringify(extra));
  }
});

test('S0-10 S0-11 S0-12 note_read returns the exact bytes; a missing note is exists: false', async (t) => {
  const files = { 'devlog/topic.md': '---\ntags: [devlog]\n---\nx\n', 'a b/Юни код.md': 'при\r\nвет', 'empty.md': '', 'a..b.md': 'dots' };
  const vault = await open(t, files);
  for (const [name, content] of Object.entries(files)) assert.deepEqual(await vault.ok('note_read', { path: name }), { content, exists: true });
  for (const name of ['missing.md', 'no/such/folder.md', 'empty.md/x.md', 'x...md'])
    assert.deepEqual(await vault.ok('note_read', { path: name }), { exists: false, content: '' });
});

test('S0-16 S0-17 S0-18 S0-34 S0-35 note_upsert writes frontmatter and content, and creates folders', async (t) => {
  const vault = await open(t, {});
  const frontmatter = { tags: ['adr', 'accepted'], adr: 7, date: '2026-02-20', status: 'accepted', project: 'a: b', related: [] };
  assert.deepEqual(await vault.ok('note_upsert', { path: 'adr/new/ADR-007-x.md', content: '# Title\n', frontmatter }), { created: true });
  const text = vault.read('adr/new/ADR-007-x.md');
  assert.match(text, /^---\ntags:\n {2}- adr\n {2}- accepted\nadr: 7\ndate: '?2026-02-20'?\nstatus: accepted\nproject: ["']a: b["']\nrelated: \[\]\n---\n# Title\n$/);
  assert.deepEqual(await vault.ok('note_read', { path: 'adr/new/ADR-007-x.md' }), { content: text, exists: true });
  assert.deepEqual(await vault.ok('note_upsert', { path: 'plain.md', content: 'text\n' }), { created: true });
  assert.equal(vault.read('plain.md'), 'text\n');
});

test('S0-16 S0-19 S0-20 note_upsert appends a line feed and the content to every kind of note, and ignores frontmatter', async (t) => {
  const files = { 'a.md': '---\nx: 1\n---\nbody\n', 'nonl.md': 'end', 'crlf.md': 'a\r\nb\r\n', 'empty.md': '', 'odd.md': Buffer.from([0xff, 0x0a]), 'cyr.md': 'д' };
  const vault = await open(t, files);
  const before = picture(vault.vault);
  for (const name of Object.keys(files)) {
    assert.deepEqual(await vault.ok('note_upsert', { path: name, content: '## New\nline', frontmatter: { y: 2 } }), { created: false });
    assert.equal(picture(vault.vault)[name], `${before[name]}\n## New\nline`);
  }
});

test('S0-19 concurrent appends are all present, each once', async (t) => {
  const vault = await open(t, { 'log.md': 'start' });
  await Promise.all(Array.from({ length: 20 }, (_, i) => vault.ok('note_upsert', { path: 'log.md', content: `entry ${i};` })));
  const lines = vault.read('log.md').split('\n');
  assert.equal(lines.length, 21);
  assert.equal(new Set(lines).size, 21);
});

test('S0-13 S0-21 S0-29 no path escapes the vault or enters hidden folders, and nothing changes', async (t) => {
  const vault = await open(t, { 'a.md': 'a', '.obsidian/app.json': '{}', 'dir/b.md': 'b' });
  symlinkSync(path.join(vault.top, 'private.md'), path.join(vault.vault, 'out.md'));
  symlinkSync(vault.top, path.join(vault.vault, 'outdir'));
  const bad = ['../private.md', '..', 'dir/../../private.md', 'dir/../a.md', '/../private.md', 'out.md', 'outdir/private.md', '.obsidian/app.json', 'dir', '', 'a.md\u0000x'];
  await changesNothing(vault.top, bad.flatMap((name) => [() => vault.refused('note_upsert', { path: name, content: 'x' }), () => vault.refused('note_read', { path: name })]));
  const abroad = await vault.raw('note_read', { path: path.join(vault.top, 'private.md') });
  assert.doesNotMatch(JSON.stringify(abroad), /PRIVATE/);
  assert.deepEqual(await vault.ok('vault_search', { query: 'PRIVATE' }), { results: [] });
  await changesNothing(vault.top, [{ path: 'n.md' }, { path: 'n.md', content: 5 }, { path: 'n.md', content: 'x', frontmatter: 'a: 1' }, { content: 'x' }]
    .map((given) => () => vault.refused('note_upsert', given)));
});

test('S0-21 a path that ends in a slash is a folder, so nothing is written', async (t) => {
  const vault = await open(t, {});
  await changesNothing(vault.vault, [() => vault.refused('note_upsert', { path: 'devlog/', content: 'x' })]);
});

test('S0-22 … S0-28 vault_search gives the same answers as rg', async (t) => {
  const vault = await open(t, {
    'devlog/topic.md': '---\ntags: [devlog]\n---\nfoo(bar) 42\n  indented Devlog\t\n', 'devlog/sub/x.md': 'devlog deep\ndevlog again devlog\n', 'adr/ADR-001 имя.md': 'привет devlog\nend',
    'top.md': 'a.b axb\n**devlog**\n', 't.txt': 'devlog text\n', '.obsidian/x.md': 'devlog', '.hid.md': 'devlog', 'empty.md': '',
  });
  const cases = [['devlog'], ['Devlog'], ['(?i)DEVLOG'], ['foo\\(bar\\)\\s+\\d+'], ['a\\.b'], ['^devlog'], ['end$'], ['\\bdeep\\b'], ['привет|deep'], ['\\w+ devlog'], ['nothing-here'], ['--files'],
    ['[[:digit:]]{2}'], ['devlog', 'devlog/*.md'], ['devlog', '*.md'], ['devlog', '**/*.md'], ['devlog', 'devlog/**'], ['devlog', '!devlog/**'], ['devlog', '*.{txt,canvas}'], ['devlog', 'topic.md'],
    ['devlog', '/top.md'], ['devlog', 'nosuch/*.md'], ['devlog', 'ADR-??? *.md'], ['devlog', '[a-d]*/*.md']];
  for (const [query, path_filter] of cases) {
    const { results } = await vault.ok('vault_search', { query, ...(path_filter ? { path_filter } : {}) });
    const rg = await run('rg', ['--json', '--sort', 'path', ...(path_filter ? ['--glob', path_filter] : []), '-e', query, '.'], { cwd: vault.vault, env: cleanEnv(vault.top) });
    const hits = rg.stdout.trim().split('\n').filter(Boolean).map((line) => JSON.parse(line)).filter((event) => event.type === 'match')
      .map(({ data }) => ({ path: data.path.text.replace(/^\.\//, ''), line: data.line_number, text: data.lines.text.replace(/\n$/, '') }));
    const seen = hits.filter((hit) => !/(^|\/)\./.test(hit.path)); // a glob makes rg look into hidden files
    assert.deepEqual(results, seen, `${query} ${path_filter ?? ''}`);
  }
});

test('S0-27 a bad pattern is an error, and the server keeps running; a read-only server does not write', async (t) => {
  const vault = await open(t, { 'a.md': 'x' }, { args: ['--read-only'] });
  for (const given of [{ query: '(' }, { query: '[a' }, { query: 'x', path_filter: '[a' }, {}, { query: 5 }]) await vault.refused('vault_search', given);
  await changesNothing(vault.vault, [async () => {
    const { message } = await vault.session.call('note_upsert', { path: 'a.md', content: 'y' });
    assert.ok(message.error || message.result.isError);
  }]);
  assert.deepEqual(await vault.ok('vault_search', { query: 'x' }), { results: [{ path: 'a.md', line: 1, text: 'x' }] });
});

test('S0-12 a large note is read in full', async (t) => {
  const big = `${'0123456789abcde\n'.repeat(200_000)}end`;
  const vault = await open(t, { 'big.md': big });
  assert.equal((await vault.ok('note_read', { path: 'big.md' })).content, big);
  await vault.ok('note_upsert', { path: 'big.md', content: 'tail' });
  assert.equal(readFileSync(path.join(vault.vault, 'big.md'), 'utf8'), `${big}\ntail`);
  assert.ok(existsSync(path.join(vault.top, 'private.md')));
});
