// The profile obsidian-vault-mcp, as its document specifies it: eight tools for agents on the LAN,
// no sign-in, always event streams; and the skills, followed to the letter.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import YAML from 'yaml';
import { EXAMPLE_VAULT, Server, Session, TOP, VAULTD, cleanEnv, copyVault, fetchHttp, initializeMessage, modernMessage, post, postModern, run, startHttp, tempDir, until } from '../support.mjs';
import { freePort } from './people.mjs';
import { certificate, startProxy } from './proxies.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const PROFILE = ['--profile', 'obsidian-vault-mcp'];
const TOOLS = ['note_read', 'note_upsert', 'vault_search', 'vault_sync', 'link_add', 'backlinks_search', 'graph_neighbors', 'adr_publish'];
const HTTP = CONNECTIONS.filter((row) => row.http);

const emptyVault = (t) => {
  const vault = path.join(tempDir(t), 'Vault/claude');
  mkdirSync(vault, { recursive: true });
  return vault;
};

const put = (vault, file, text) => {
  mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
  writeFileSync(path.join(vault, file), text);
};

const text = (vault, file) => readFileSync(path.join(vault, file), 'utf8');

/** A connected client: call() returns a tool's answer, refuse() its error. */
async function agent(t, { vault, args = [], row = HTTP[0], ...options }) {
  const server = await startHttp(t, { vault, args: [...PROFILE, ...args], ...options });
  const sdk = await connect(t, row, { url: server.url });
  return {
    server, sdk,
    async call(name, values = {}) {
      const result = await sdk.call({ name, arguments: values });
      assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
      assert.equal(result.content.length, 1);
      const answer = JSON.parse(result.content[0].text);
      if (result.structuredContent) assert.deepEqual(result.structuredContent, answer);
      return answer;
    },
    async refuse(name, values = {}) {
      const result = await sdk.call({ name, arguments: values });
      assert.ok(result.isError, `${name} worked: ${JSON.stringify(result.content)}`);
      return JSON.parse(result.content[0].text).error;
    },
  };
}

/* --- the server --- */

const start = (t, env, args = []) => {
  const server = new Server(spawn(VAULTD, args, { env: cleanEnv(tempDir(t), { STATE_DIR: tempDir(t), ...env }), stdio: ['ignore', 'ignore', 'pipe'] }), 'vaultd');
  return server.guard(t, () => server.stop());
};

test('S0-01 S0-07 S0-08 S0-36 S0-37 the environment alone is enough to start it: VAULT_PATH, PORT, no sign-in, every address', async (t) => {
  const port = await freePort();
  const server = start(t, { VAULTD_PROFILE: 'obsidian-vault-mcp', VAULT_PATH: emptyVault(t), PORT: String(port) });
  await server.says(new RegExp(`:${port}/mcp`));
  server.port = port;
  const answer = await post(server, initializeMessage(), { host: 'vault.tailnet.example:1065' });
  assert.equal(answer.status, 200, answer.text);
});

test('S0-07 without VAULT_PATH it does not start, and says what is missing', async (t) => {
  const end = await run(VAULTD, [], { env: cleanEnv(tempDir(t), { VAULTD_PROFILE: 'obsidian-vault-mcp' }) });
  assert.notEqual(end.code, 0);
  assert.match(end.stderr, /VAULT_PATH/);
});

test('S0-04 S0-08 the port is 1065 unless PORT is set', async (t) => {
  const alone = ['-rn', VAULTD, ...PROFILE, emptyVault(t)]; // a separate network, where the port is free
  if ((await run('unshare', ['-rn', 'true'])).code !== 0) return t.skip('no namespaces here');
  const child = spawn('unshare', alone, { env: cleanEnv(tempDir(t), { STATE_DIR: tempDir(t) }), stdio: ['ignore', 'ignore', 'pipe'] });
  const server = new Server(child, 'vaultd').guard(t, () => server.stop());
  await server.says(/:1065\/mcp/);
});

test('S0-05 S0-06 S0-40 S0-49 S0-51 every initialize starts a new session, identified by its header, and answers are event streams', async (t) => {
  const server = await startHttp(t, { vault: emptyVault(t), args: PROFILE });
  const one = await Session.open(server), two = await Session.open(server);
  assert.notEqual(one.id, two.id);
  assert.ok(one.id.length >= 36, one.id);
  for (const session of [one, two, one]) {
    const answer = await session.call('vault_search', { query: 'devlog' });
    assert.match(answer.headers['content-type'], /^text\/event-stream/);
    assert.match(answer.text, /^event: message\ndata: \{.*\}\n\n/m);
    assert.throws(() => JSON.parse(answer.text)); // what curl | jq would see
    assert.deepEqual(answer.message.result.structuredContent, { results: [] });
  }
  assert.ok((await one.delete()).status < 300);
  const stranger = await post(server, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, { 'mcp-session-id': 'x' });
  assert.ok(stranger.status >= 400, String(stranger.status));
  const stateless = await postModern(server, modernMessage('tools/list'));
  assert.match(stateless.headers['content-type'], /^text\/event-stream/);
});

test('S0-51 a request without an Accept header is not a server error', async (t) => {
  const server = await startHttp(t, { vault: emptyVault(t), args: PROFILE });
  const answer = await fetchHttp(server, { headers: { 'content-type': 'application/json' }, body: JSON.stringify(initializeMessage()) });
  assert.ok(answer.status < 500, String(answer.status));
});

for (const row of HTTP)
  test(`S0-03 S0-09 S0-10 S0-14 S0-15 S0-22 S0-23 S0-39 S0-50 the tools and their shapes: ${row.name}`, async (t) => {
    const vault = emptyVault(t);
    const { call, sdk } = await agent(t, { vault, row });
    const { tools } = await sdk.client.listTools();
    assert.deepEqual(tools.map((tool) => tool.name), TOOLS);
    const shape = Object.fromEntries(tools.map(({ name, inputSchema: { properties, required = [] } }) =>
      [name, Object.entries(properties).map(([key, { type }]) => `${key}${required.includes(key) ? '' : '?'}: ${type}`).join(', ')]));
    assert.equal(shape.note_read, 'path: string');
    assert.equal(shape.note_upsert, 'path: string, content: string, frontmatter?: object');
    assert.equal(shape.vault_search, 'query: string, path_filter?: string');
    assert.deepEqual(await call('note_upsert', { path: 'devlog/a.md', content: 'hello' }), { created: true });
    assert.deepEqual(await call('note_read', { path: 'devlog/a.md' }), { content: 'hello', exists: true });
    assert.deepEqual(await call('vault_search', { query: 'hel+o' }), { results: [{ path: 'devlog/a.md', line: 1, text: 'hello' }] });
    await sdk.close();
  });

/* --- note_read and note_upsert --- */

test('S0-11 S0-12 S0-13 S0-30 S0-38 note_read returns every byte; a missing note is not an error; .. is', async (t) => {
  const vault = emptyVault(t);
  const odd = '\uFEFF---\r\na: 1\r\n---\r\n# Ünï 🎉\u0000x\n\n\ttab';
  put(vault, 'devlog/odd.md', odd.replace('\u0000', ''));
  put(vault, 'Empty.md', '');
  put(vault, '../secret.md', 'personal');
  put(vault, '.obsidian/app.json', '{}');
  symlinkSync('../secret.md', path.join(vault, 'way out.md'));
  const { call, refuse, sdk } = await agent(t, { vault });
  assert.doesNotMatch(JSON.stringify(await sdk.call({ name: 'note_read', arguments: { path: 'way out.md' } })), /personal/);
  assert.deepEqual(await call('vault_search', { query: 'personal' }), { results: [] });
  assert.deepEqual(await call('note_read', { path: 'devlog/odd.md' }), { content: odd.replace('\u0000', ''), exists: true });
  assert.deepEqual(await call('note_read', { path: '/devlog/odd.md' }), { content: odd.replace('\u0000', ''), exists: true });
  assert.deepEqual(await call('note_read', { path: 'Empty.md' }), { content: '', exists: true });
  for (const missing of ['nope.md', 'no/such/folder/x.md', 'odd.md', 'devlog/odd', 'a..b.md'])
    assert.deepEqual(await call('note_read', { path: missing }), { content: '', exists: false }, missing);
  for (const bad of ['../secret.md', 'devlog/../../secret.md', 'devlog/../Empty.md', '..', '/../secret.md', '.obsidian/app.json'])
    assert.equal((await refuse('note_read', { path: bad })).code, 'PATH_NOT_ALLOWED', bad);
  assert.ok(await refuse('note_read', { path: 'devlog' }));
  assert.ok(await refuse('note_read', {}));
});

test('S0-15 S0-16 S0-17 S0-18 a new note: frontmatter in the given order, then the content; folders are created', async (t) => {
  const vault = emptyVault(t);
  const { call } = await agent(t, { vault });
  const frontmatter = { tags: ['devlog'], topic: 'auth: part 2', size: 1.5, ok: true, none: null, deep: { list: [{ a: 1 }] }, created: '2026-02-20' };
  assert.deepEqual(await call('note_upsert', { path: 'a/b/c/new.md', content: '# Title\n', frontmatter }), { created: true });
  assert.equal(text(vault, 'a/b/c/new.md'),
    "---\ntags:\n  - devlog\ntopic: 'auth: part 2'\nsize: 1.5\nok: true\nnone: null\ndeep:\n  list:\n    - a: 1\ncreated: '2026-02-20'\n---\n# Title\n");
  const block = text(vault, 'a/b/c/new.md').split('---\n')[1];
  assert.deepEqual(YAML.parse(block), frontmatter);
  assert.deepEqual(await call('note_upsert', { path: 'plain.md', content: 'as it is' }), { created: true });
  assert.equal(text(vault, 'plain.md'), 'as it is');
  assert.deepEqual(await call('note_upsert', { path: 'empty.md', content: 'x', frontmatter: {} }), { created: true });
  assert.equal(text(vault, 'empty.md'), 'x');
  await call('note_upsert', { path: 'own.md', content: '---\na: 1 # one\n---\nx\n', frontmatter: { b: 2 } });
  assert.equal(text(vault, 'own.md'), '---\na: 1 # one\nb: 2\n---\nx\n');
});

test('S0-16 S0-19 S0-20 appending adds a line break and the content, byte for byte; frontmatter is ignored', async (t) => {
  const vault = emptyVault(t);
  const { call } = await agent(t, { vault });
  for (const before of ['', 'x', 'x\n', 'x\r\n', '---\na: 1\n---\n', '\uFEFFx']) {
    put(vault, 'n.md', before);
    assert.deepEqual(await call('note_upsert', { path: 'n.md', content: 'y 🎉\n', frontmatter: { tags: ['no'] } }), { created: false });
    assert.equal(text(vault, 'n.md'), `${before}\ny 🎉\n`);
  }
});

test('S0-14 many agents append concurrently, and nothing is lost', async (t) => {
  const vault = emptyVault(t);
  const { call } = await agent(t, { vault });
  const made = await Promise.all([...Array(30).keys()].map((i) => call('note_upsert', { path: 'log.md', content: `entry ${i}.` })));
  assert.equal(made.filter(({ created }) => created).length, 1);
  const lines = text(vault, 'log.md').split('\n');
  assert.deepEqual(lines.sort(), [...Array(30).keys()].map((i) => `entry ${i}.`).sort());
});

test('S0-21 S0-29 S0-38 paths that are outside, hidden or invalid are refused, and nothing is written', async (t) => {
  const vault = emptyVault(t);
  put(vault, 'pic.png', Buffer.from([0x89, 0x50, 0, 0xff]));
  put(vault, 'folder/x.md', 'x');
  const { call, refuse } = await agent(t, { vault });
  const bad = ['../up.md', 'a/../../up.md', '..', '.hidden.md', '.obsidian/x.md', 'a\\b.md', 'folder', '', 'nul\u0000.md', 'pic.png'];
  for (const file of bad) assert.ok(await refuse('note_upsert', { path: file, content: 'x' }), file);
  assert.ok(await refuse('note_upsert', { path: 'n.md', content: '---\na: [\n---\n', frontmatter: { b: 1 } }));
  assert.ok(await refuse('note_upsert', { path: 'n.md', content: 'x', frontmatter: 'text' }));
  assert.ok(await refuse('note_upsert', { path: 'n.md' }));
  assert.deepEqual(readdirSync(vault).sort(), ['folder', 'pic.png']);
  assert.deepEqual(readdirSync(path.dirname(vault)), ['claude']);
  assert.deepEqual(await call('note_read', { path: 'n.md' }), { content: '', exists: false });
});

/* --- vault_search --- */

/** What ripgrep finds, by path. Pictures and PDFs do not count as text here, whatever their bytes are. */
function ripgrep(vault, query, filter) {
  const args = ['--sort', 'path', '--line-number', '--with-filename', '--no-heading', '--null', '--color=never', ...(filter ? ['--glob', filter] : []), '-e', query, '.'];
  let out = '';
  try {
    out = execFileSync('rg', args, { cwd: vault, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    if (error.status !== 1) return null; // rg refuses the pattern
  }
  const rows = out.split('\n').slice(0, -1).map((row) => {
    const [, file, line, found] = row.match(/^\.\/([^\0]*)\0(\d+):(.*)$/s);
    return { path: file, line: Number(line), text: found };
  });
  return rows.filter((row) => !/\.(svg|pdf)$/.test(row.path));
}

const PATTERNS = ['garden', 'Garden', '(?i)garden', '^# ', '^#+ \\w+$', '\\bthe\\b.*\\band\\b', '\\d{4}-\\d{2}-\\d{2}', '\\[\\[[^\\]|]+\\]\\]', '^- \\[[ x]\\] ',
  'colou?r|tea', '[[:alpha:]]+://', '\\p{Lu}\\p{Ll}+ \\p{Lu}', '[^\\x00-\\x7F]', '(?x) a  b # no', '\\$\\d', 'x{2,}', '^tags:', '^$', '^\\s+-', 'zzz-nothing', '\\.md\\)',
  '(?P<word>note)s?', '\\Athe', 'end\\z', '(?-i)Tea', '(?s).', 'a.c', '\\t', '\\r$', "it's", '"', '\\u{e9}|é', '(?m)^x', '[a-m&&f-z]{3}', '[a-z--[aeiou]]{5}', '', 'a|b|'];
const FILTERS = [undefined, '*.md', 'Projects/*.md', 'Projects/**', '**/*.md', '!Projects/**', '!*.md', 'P*/**/*.md', '*.{md,canvas}', '[A-H]*.md', '/Home.md', 'Home.md', 'nothing/**', 'Journal/**/2026-*.md', '?nbox.md', '*.canvas', 'Projects', '!Journal'];
const REFUSED = ['(', '[a', '(?=x)', '(?<!x)', '(a)\\1', 'a{2', '*a', '\\q', '(?z)', '[a&&b]'];

test('S0-22 S0-24 S0-25 S0-26 S0-27 S0-28 vault_search finds what ripgrep finds, line for line', async (t) => {
  const vault = copyVault(t);
  put(vault, 'Odd/crlf.md', 'one\r\ntwo tea\r\n');
  put(vault, 'Odd/no end.md', 'the first\nlast line without end');
  put(vault, 'Odd/a b/x.md', 'tea here\n');
  put(vault, 'Odd/a/x.md', 'tea there\n');
  put(vault, '.hidden/x.md', 'tea secret\n');
  const { call, refuse } = await agent(t, { vault });
  let lines = 0;
  for (const query of PATTERNS)
    for (const path_filter of ['', '(?s).', 'a|b|'].includes(query) ? ['Home.md'] : ['garden', '^# '].includes(query) ? FILTERS : [undefined, '!Journal/**']) {
      const want = ripgrep(vault, query, path_filter);
      const { results, truncated } = await call('vault_search', path_filter === undefined ? { query } : { query, path_filter });
      assert.ok(want, `rg takes ${query}`);
      assert.ok(!truncated, query);
      assert.deepEqual(results, want, `${query} in ${path_filter}`);
      lines += results.length;
    }
  assert.ok(lines > 500, `only ${lines} lines compared`);
  for (const query of REFUSED) {
    assert.equal(ripgrep(vault, query), null, query);
    assert.match((await refuse('vault_search', { query })).message, /byte|regex|pattern/, query);
  }
  for (const path_filter of ['[', '{a', 'a{b']) assert.ok(await refuse('vault_search', { query: 'x', path_filter }), path_filter);
});

test('S0-27 no matches give an empty list, also in an empty vault', async (t) => {
  const { call } = await agent(t, { vault: emptyVault(t) });
  assert.deepEqual(await call('vault_search', { query: 'x' }), { results: [] });
  assert.deepEqual(await call('vault_search', { query: '^', path_filter: 'devlog/*.md' }), { results: [] });
});

test('S0-24 too many lines are truncated, with the total and what to do', async (t) => {
  const vault = emptyVault(t);
  put(vault, 'many.md', 'tea\n'.repeat(3000));
  put(vault, 'long.md', `tea ${'x'.repeat(100_000)}\n`);
  const { call } = await agent(t, { vault });
  const all = await call('vault_search', { query: 'tea', path_filter: 'many.md' });
  assert.deepEqual([all.truncated, all.total, all.results.length], [true, 3000, 1000]);
  assert.match(all.note, /first 1000 of 3000/);
  const [long] = (await call('vault_search', { query: 'tea', path_filter: 'long.md' })).results;
  assert.ok(long.text.startsWith('tea x') && long.text.length <= 2048, String(long.text.length));
});

/* --- phase 2 --- */

function linked(t) {
  const vault = emptyVault(t);
  put(vault, 'adr/ADR-001-sqlite.md', '# ADR-001\n');
  put(vault, 'adr/ADR-002-wal.md', 'After [[ADR-001-sqlite]].\n');
  put(vault, 'devlog/db.md', '# Log\n\nSee [the decision](../adr/ADR-001-sqlite.md) and\n![[ADR-002-wal#x]]\n\n## Related\n\n- [[ADR-002-wal]]\n\n## Next\n\nx\n');
  put(vault, 'Alone.md', 'nothing\n');
  put(vault, 'other/Alone.md', 'nothing\n');
  return vault;
}

test('S0-44 link_add writes a link in the vault\'s style, once, at the end or under a heading', async (t) => {
  const vault = linked(t);
  const { call, refuse } = await agent(t, { vault });
  assert.deepEqual(await call('link_add', { path: 'adr/ADR-001-sqlite.md', target: 'devlog/db.md' }), { added: true, link: '[[db]]' });
  assert.equal(text(vault, 'adr/ADR-001-sqlite.md'), '# ADR-001\n\n- [[db]]\n');
  assert.deepEqual(await call('link_add', { path: 'adr/ADR-001-sqlite.md', target: 'db' }), { added: false, link: '[[db]]' });
  assert.deepEqual(await call('link_add', { path: 'adr/ADR-001-sqlite.md', target: 'db', text: 'the log', again: true }), { added: true, link: '[[db|the log]]' });
  assert.equal(text(vault, 'adr/ADR-001-sqlite.md'), '# ADR-001\n\n- [[db]]\n- [[db|the log]]\n');
  const log = text(vault, 'devlog/db.md');
  assert.deepEqual(await call('link_add', { path: 'devlog/db.md', target: 'other/Alone.md', heading: 'Related' }), { added: true, link: '[[other/Alone]]' });
  assert.equal(text(vault, 'devlog/db.md'), log.replace('- [[ADR-002-wal]]\n', '- [[ADR-002-wal]]\n- [[other/Alone]]\n'));
  await call('link_add', { path: 'Alone.md', target: 'db', heading: 'See also' });
  assert.match(text(vault, 'Alone.md'), /\n## See also\n\n- \[\[db\]\]\n$/);
  assert.match((await refuse('link_add', { path: 'Alone.md', target: 'nope' })).message, /nope/);
  assert.equal((await refuse('link_add', { path: '../x.md', target: 'db' })).code, 'PATH_NOT_ALLOWED');
  assert.ok(await refuse('link_add', { path: 'other/Alone.md', target: 'db', text: 'a]]b' }));
  assert.equal(text(vault, 'other/Alone.md'), 'nothing\n');
});

test('S0-44 link_add follows the vault\'s settings: Markdown links, relative paths', async (t) => {
  const vault = linked(t);
  put(vault, '.obsidian/app.json', '{"useMarkdownLinks":true,"newLinkFormat":"relative"}');
  const { call } = await agent(t, { vault });
  assert.deepEqual(await call('link_add', { path: 'adr/ADR-002-wal.md', target: 'db' }), { added: true, link: '[db](../devlog/db.md)' });
  assert.equal(text(vault, 'adr/ADR-002-wal.md'), 'After [[ADR-001-sqlite]].\n\n- [db](../devlog/db.md)\n');
});

test('S0-45 backlinks_search returns every link to a note with its line', async (t) => {
  const { call, refuse } = await agent(t, { vault: linked(t) });
  const two = [
    { path: 'adr/ADR-002-wal.md', line: 1, text: 'After [[ADR-001-sqlite]].' },
    { path: 'devlog/db.md', line: 3, text: 'See [the decision](../adr/ADR-001-sqlite.md) and' },
  ];
  assert.deepEqual(await call('backlinks_search', { path: 'adr/ADR-001-sqlite.md' }), { results: two });
  assert.deepEqual(await call('backlinks_search', { path: 'ADR-001-sqlite', path_filter: '!adr/**' }), { results: [two[1]] });
  assert.deepEqual((await call('backlinks_search', { path: 'ADR-002-wal' })).results.map(({ line }) => line), [4, 8]);
  assert.deepEqual(await call('backlinks_search', { path: 'devlog/db.md' }), { results: [] });
  assert.match((await refuse('backlinks_search', { path: 'ADR-001-sqlit' })).message, /ADR-001-sqlite/);
  const { message } = await refuse('backlinks_search', { path: 'zzz' });
  assert.doesNotMatch(message, /vault_(list|read|info)|vault_search finds/);
});

test('S0-46 graph_neighbors: depth, direction, and a limit', async (t) => {
  const { call, refuse } = await agent(t, { vault: linked(t) });
  const near = async (values) => Object.fromEntries((await call('graph_neighbors', values)).results.map((r) => [r.path, r.distance]));
  assert.deepEqual(await near({ path: 'adr/ADR-001-sqlite.md' }), { 'adr/ADR-002-wal.md': 1, 'devlog/db.md': 1 });
  assert.deepEqual(await near({ path: 'ADR-001-sqlite', direction: 'outgoing' }), {});
  assert.deepEqual(await near({ path: 'devlog/db.md', direction: 'outgoing', depth: 3 }), { 'adr/ADR-001-sqlite.md': 1, 'adr/ADR-002-wal.md': 1 });
  assert.deepEqual(await near({ path: 'ADR-002-wal', direction: 'incoming', depth: 2 }), { 'devlog/db.md': 1 });
  assert.deepEqual(await near({ path: 'other/Alone.md', depth: 10 }), {});
  const cut = await call('graph_neighbors', { path: 'ADR-001-sqlite', limit: 1 });
  assert.deepEqual([cut.results.length, cut.truncated, cut.total], [1, true, 2]);
  for (const values of [{ depth: 0 }, { depth: 11 }, { direction: 'up' }, { limit: 0 }]) assert.ok(await refuse('graph_neighbors', { path: 'ADR-001-sqlite', ...values }));
});

test('S0-43 vault_sync runs the configured rclone; without one it says how to set it up', async (t) => {
  const vault = emptyVault(t), remote = tempDir(t);
  put(remote, 'devlog/far.md', 'from the remote\n');
  const { call } = await agent(t, { vault, args: ['--sync-command', `rclone copy ${remote} {vault}`], env: { RCLONE_CONFIG: '/dev/null' } });
  assert.equal((await call('vault_sync')).synced, true);
  await until('the index has it', async () => (await call('vault_search', { query: 'from the remote' })).results.length === 1);
  assert.deepEqual(await call('note_read', { path: 'devlog/far.md' }), { content: 'from the remote\n', exists: true });
  const bare = await agent(t, { vault: emptyVault(t) });
  const { code, message } = await bare.refuse('vault_sync');
  assert.equal(code, 'NOT_CONFIGURED');
  assert.match(message, /--sync-command/);
});

test('S0-43 a failing vault_sync reports the command\'s own message', async (t) => {
  const { refuse } = await agent(t, { vault: emptyVault(t), args: ['--sync-command', 'ls /no/such/remote'] });
  assert.equal((await refuse('vault_sync')).code, 'SYNC_FAILED');
});

test('S0-47 adr_publish puts an accepted decision into docs/adr of the code\'s repository', async (t) => {
  const dir = tempDir(t), repo = path.join(dir, 'code.git'), vault = emptyVault(t);
  const git = (...args) => execFileSync('git', args, { cwd: dir, encoding: 'utf8', env: cleanEnv(dir, { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' }), stdio: ['ignore', 'pipe', 'pipe'] });
  git('init', '-q', '--bare', '-b', 'main', repo);
  git('clone', '-q', repo, 'work');
  writeFileSync(path.join(dir, 'work/README'), 'code\n');
  git('-C', 'work', 'checkout', '-q', '-B', 'main');
  git('-C', 'work', 'add', '.');
  git('-C', 'work', 'commit', '-qm', 'code');
  git('-C', 'work', 'push', '-q', 'origin', 'main');
  const { call, refuse } = await agent(t, { vault, args: ['--adr-repo', repo, '--adr-branch', 'main'] });
  await call('note_upsert', { path: 'adr/ADR-001-x.md', content: '# X\n', frontmatter: { status: 'accepted' } });
  await call('note_upsert', { path: 'adr/ADR-002-y.md', content: '# Y\n', frontmatter: { status: 'proposed' } });
  assert.equal((await call('adr_publish', { path: 'adr/ADR-001-x.md' })).published, 'docs/adr/ADR-001-x.md');
  assert.equal(git('-C', repo, 'show', 'main:docs/adr/ADR-001-x.md'), '---\nstatus: accepted\n---\n# X\n');
  assert.equal((await refuse('adr_publish', { path: 'ADR-002-y' })).code, 'NOT_ACCEPTED');
  const bare = await agent(t, { vault });
  const error = await bare.refuse('adr_publish', { path: 'adr/ADR-001-x.md' });
  assert.deepEqual([error.code, /--adr-repo/.test(error.message)], ['NOT_CONFIGURED', true]);
  assert.equal((await bare.call('adr_publish', { path: 'adr/ADR-001-x.md', dry_run: true })).changed, false);
});

test('S0-48 behind Caddy, set up with our example, a client works unchanged', async (t) => {
  const vault = emptyVault(t), tls = await certificate(t), port = await freePort();
  const server = await startHttp(t, { vault, args: [...PROFILE, '--server-url', `https://localhost:${port}`, '--trusted-proxies', '127.0.0.1'] });
  await startProxy(t, 'caddy', { port, backend: server.port, tls });
  const curl = (...args) => execFileSync('curl', ['-sS', '--cacert', tls.ca, '-H', 'content-type: application/json', '-H', 'accept: application/json, text/event-stream', ...args, `https://localhost:${port}/mcp`], { encoding: 'utf8' });
  const hello = curl('-i', '-d', JSON.stringify(initializeMessage()));
  const session = hello.match(/^mcp-session-id: (\S+)/im)[1];
  assert.match(hello, /event: message\ndata: \{/);
  const called = curl('-H', `mcp-session-id: ${session}`, '-d', JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'note_upsert', arguments: { path: 'a.md', content: 'x' } } }));
  assert.match(called, /"created":true/);
});

/* --- access --- */

test('an agent\'s changes can be undone', async (t) => {
  const vault = linked(t);
  const { call, server } = await agent(t, { vault });
  await call('note_upsert', { path: 'Alone.md', content: 'more' });
  await call('link_add', { path: 'Alone.md', target: 'db' });
  await server.stop();
  for (const want of ['nothing\n\nmore', 'nothing\n']) {
    const end = await run(VAULTD, ['undo'], { env: cleanEnv(tempDir(t), { STATE_DIR: server.state, VAULT_PATH: vault }) });
    assert.equal(end.code, 0, end.stderr);
    assert.equal(text(vault, 'Alone.md'), want);
  }
});

test('read-only: tools that change the vault are not offered', async (t) => {
  const { sdk, call } = await agent(t, { vault: linked(t), args: ['--read-only'] });
  const names = (await sdk.client.listTools()).tools.map((tool) => tool.name);
  assert.deepEqual(names, ['note_read', 'vault_search', 'backlinks_search', 'graph_neighbors']);
  assert.equal((await call('note_read', { path: 'Alone.md' })).exists, true);
});

test('denied files look as if they did not exist', async (t) => {
  const vault = linked(t);
  const { call, refuse } = await agent(t, { vault, args: ['--deny-paths', 'adr', '--write-paths', 'devlog'] });
  assert.equal((await call('note_read', { path: 'adr/ADR-001-sqlite.md' })).exists, false);
  assert.deepEqual(await call('vault_search', { query: 'ADR-00', path_filter: 'adr/**' }), { results: [] });
  assert.deepEqual(await call('graph_neighbors', { path: 'devlog/db.md' }), { results: [] });
  assert.ok(await refuse('backlinks_search', { path: 'adr/ADR-001-sqlite.md' }));
  assert.equal((await refuse('note_upsert', { path: 'adr/ADR-001-sqlite.md', content: 'x' })).code, 'PATH_NOT_ALLOWED');
  assert.equal((await refuse('note_upsert', { path: 'adr/new.md', content: 'x' })).code, 'PATH_NOT_ALLOWED');
  assert.ok(await refuse('link_add', { path: 'Alone.md', target: 'db' }));
  assert.equal(text(vault, 'Alone.md'), 'nothing\n');
  assert.deepEqual(await call('note_upsert', { path: 'devlog/db.md', content: 'x' }), { created: false });
});

/* --- a network mount --- */

const MOUNTS = {
  bindfs: (behind, mount) => execFileSync('bindfs', [behind, mount], { stdio: 'ignore' }),
  // as used for Google Drive: no hard links, its own cache, no change notifications
  rclone: (behind, mount) => execFileSync('rclone', ['mount', behind, mount, '--daemon', '--vfs-cache-mode', 'writes', '--dir-cache-time', '1s', '--attr-timeout', '0s', '--config', '/dev/null', '--cache-dir', `${mount}.cache`], { stdio: 'ignore' }),
};

for (const [name, make] of Object.entries(MOUNTS))
  test(`S0-02 on a mount by ${name}: read, create, append, link, search; external changes are seen`, async (t) => {
    let mounted;
    t.after(() => mounted && execFileSync('umount', ['-l', mounted])); // before the folder is removed
    const behind = emptyVault(t), mount = path.join(tempDir(t), 'mnt');
    mkdirSync(mount);
    put(behind, 'devlog/db.md', 'first\n');
    try {
      accessSync('/dev/fuse', constants.R_OK | constants.W_OK);
      make(behind, mount);
    } catch {
      return t.skip('no FUSE here');
    }
    mounted = mount;
    const { call, server } = await agent(t, { vault: mount });
    await server.says(/watch=polling/);
    const reaches = (file, want) => until(`${file} is ${want}`, () => existsSync(path.join(behind, file)) && text(behind, file) === want);
    assert.deepEqual(await call('note_read', { path: 'devlog/db.md' }), { content: 'first\n', exists: true });
    assert.deepEqual(await call('note_upsert', { path: 'devlog/db.md', content: 'second' }), { created: false });
    assert.deepEqual(await call('note_upsert', { path: 'adr/new/ADR-001-x.md', content: '# X\n', frontmatter: { adr: 1 } }), { created: true });
    assert.deepEqual(await call('link_add', { path: 'devlog/db.md', target: 'ADR-001-x' }), { added: true, link: '[[ADR-001-x]]' });
    await reaches('devlog/db.md', 'first\n\nsecond\n\n- [[ADR-001-x]]');
    await reaches('adr/new/ADR-001-x.md', '---\nadr: 1\n---\n# X\n');
    put(behind, 'devlog/far.md', 'brought from afar\n');
    await until('it can be read', async () => (await call('note_read', { path: 'devlog/far.md' })).exists);
    await until('the search finds it', async () => (await call('vault_search', { query: 'brought from' })).results.length === 1);
    put(behind, 'devlog/db.md', 'changed elsewhere\n');
    await until('the mount shows it', async () => (await call('note_read', { path: 'devlog/db.md' })).content === 'changed elsewhere\n');
    assert.deepEqual(await call('note_upsert', { path: 'devlog/db.md', content: 'third' }), { created: false });
    await reaches('devlog/db.md', 'changed elsewhere\n\nthird');
    assert.deepEqual(readdirSync(behind, { recursive: true }).sort(), ['adr', 'adr/new', 'adr/new/ADR-001-x.md', 'devlog', 'devlog/db.md', 'devlog/far.md']);
    await server.stop();
  });

/* --- the skills --- */

const SKILLS = path.join(TOP, '.claude/skills');
const skill = (name) => {
  const [, front, body] = text(SKILLS, `${name}.md`).match(/^---\n(.*?)\n---\n\n(.*)$/s);
  return { ...YAML.parse(front), body };
};

/** The calls that a skill shows, in order: indented lines that begin with a tool's name. */
function callsOf(body) {
  const blocks = [...body.matchAll(/^    (\w+) (\{(?:.*\}|\n(?:(?:    .*)?\n)*?    \}))$/gm)];
  return blocks.map(([, tool, json]) => ({ tool, json }));
}

/** Fill in what an agent would: {words}, N, dates. */
function filled(json, values) {
  const full = json.replace(/\{([A-Za-z][\w -]*)\}/g, (_, name) => {
    assert.ok(name in values, `{${name}} is known`);
    return JSON.stringify(values[name]).slice(1, -1);
  })
    .replaceAll('YYYY-MM-DD', '2026-11-16').replace(/: N,/, `: ${values.N},`);
  return JSON.parse(full);
}

test('S0-41 the skills exist, and are offered verbatim as prompts', async (t) => {
  assert.ok(existsSync(path.join(TOP, '.claude/CLAUDE.md')));
  const { sdk } = await agent(t, { vault: emptyVault(t) });
  const { prompts } = await sdk.client.listPrompts();
  assert.deepEqual(prompts.map((p) => p.name), ['adr', 'devlog']);
  for (const { name, description } of prompts) {
    const { name: called, description: about, body } = skill(name);
    assert.deepEqual([called, about], [name, description]);
    const { messages } = await sdk.client.getPrompt({ name, arguments: { project: 'vaultd', [name === 'adr' ? 'title' : 'topic']: 'Use "SQLite"' } });
    assert.ok(messages[0].content.text.startsWith(body), name);
    assert.match(messages[0].content.text.slice(body.length), /Today is \d{4}-\d\d-\d\d.*\n(Title|Topic): Use "SQLite"\nProject: vaultd\n$/s);
    const tools = callsOf(body).map(({ tool }) => tool);
    assert.ok(tools.length >= 3 && tools.every((tool) => TOOLS.includes(tool)), tools.join());
  }
});

const frontmatterOf = (note) => YAML.parse(note.match(/^---\n(.*?)\n---\n/s)[1]);

test('S0-32 S0-34 an agent that follows the devlog skill creates the layout', async (t) => {
  const vault = emptyVault(t);
  const { call } = await agent(t, { vault });
  const log = async (entry) => {
    const values = { 'topic-slug': 'auth-refactor', 'project-name': 'vaultd', 'the entry': entry };
    const answers = [];
    for (const { tool, json } of callsOf(skill('devlog').body)) answers.push(await call(tool, filled(json, values)));
    return answers;
  };
  const entries = ['## 2026-11-16: Tokens\n\n- Rotate them.\n', '## 2026-11-17: More\n\n- "Quoted" \\ and {braces}.\n'];
  const first = await log(entries[0]), second = await log(entries[1]);
  assert.deepEqual(first, [{ results: [] }, { content: '', exists: false }, { created: true }]);
  assert.deepEqual(second[0].results, [{ path: 'devlog/auth-refactor.md', line: 4, text: 'topic: auth-refactor' }]);
  assert.deepEqual(second[2], { created: false });
  const note = text(vault, 'devlog/auth-refactor.md');
  assert.deepEqual(frontmatterOf(note), { tags: ['devlog'], topic: 'auth-refactor', project: 'vaultd', created: '2026-11-16', updated: '2026-11-16' });
  assert.equal(note.split('---\n')[2], entries.join('\n'));
  assert.deepEqual(readdirSync(vault), ['devlog']);
});

test('S0-31 S0-33 S0-35 an agent that follows the adr skill creates the layout', async (t) => {
  const vault = emptyVault(t);
  const { call } = await agent(t, { vault });
  const [isNew, numbers, write, readIndex, makeIndex, addRow, replace, publish] = callsOf(skill('adr').body);
  assert.deepEqual([isNew, numbers, write, readIndex, makeIndex, addRow, replace, publish].map(({ tool }) => tool),
    ['vault_search', 'vault_search', 'note_upsert', 'note_read', 'note_upsert', 'note_upsert', 'note_upsert', 'adr_publish']);
  const decide = async (title, slug) => {
    const values = { title, slug, 'project-name': 'vaultd', status: 'accepted', 'words of the decision': title };
    assert.deepEqual(await call(isNew.tool, filled(isNew.json, values)), { results: [] });
    const { results } = await call(numbers.tool, filled(numbers.json, values));
    values.N = Math.max(0, ...results.map((r) => Number(r.text.match(/\d+/)[0]))) + 1;
    values.NNN = String(values.N).padStart(3, '0');
    assert.deepEqual(await call(write.tool, filled(write.json, values)), { created: true });
    if (!(await call(readIndex.tool, filled(readIndex.json, values))).exists) await call(makeIndex.tool, filled(makeIndex.json, values));
    assert.deepEqual(await call(addRow.tool, filled(addRow.json, values)), { created: false });
    return values;
  };
  await decide('Use SQLite', 'use-sqlite');
  await decide('Keep a WAL', 'keep-a-wal');
  const third = await decide('Use files', 'use-files');
  assert.deepEqual(await call(replace.tool, filled(replace.json.replace('{slug}', 'use-sqlite'), { ...third, OLD: '001' })), { created: false });
  assert.deepEqual(readdirSync(path.join(vault, 'adr')).sort(), ['ADR-001-use-sqlite.md', 'ADR-002-keep-a-wal.md', 'ADR-003-use-files.md']);
  const note = text(vault, 'adr/ADR-001-use-sqlite.md');
  assert.deepEqual(frontmatterOf(note), { tags: ['adr', 'accepted'], adr: 1, date: '2026-11-16', status: 'accepted', project: 'vaultd', related: [] });
  assert.match(note, /\n# ADR-001: Use SQLite\n[^]*\n> Replaced by \[\[ADR-003-use-files\]\] on 2026-11-16\.\n$/);
  const row = (n, slug, title) => `| [[ADR-00${n}-${slug}]] | ${title} | accepted | 2026-11-16 | vaultd |`;
  assert.equal(text(vault, '_index.md'), ['# Decisions', '', '| ADR | Title | Status | Date | Project |', '|---|---|---|---|---|',
    row(1, 'use-sqlite', 'Use SQLite'), row(2, 'keep-a-wal', 'Keep a WAL'), row(3, 'use-files', 'Use files')].join('\n'));
  const { results } = await call('backlinks_search', { path: 'ADR-003-use-files' });
  assert.deepEqual(results.map((r) => r.path), ['_index.md', 'adr/ADR-001-use-sqlite.md']);
});

test('S0-42 a real vault, from start to finish', async (t) => {
  const vault = copyVault(t);
  const { call } = await agent(t, { vault });
  const { results } = await call('vault_search', { query: '^# ', path_filter: '*.md' });
  for (const file of new Set(results.map((r) => r.path)))
    assert.deepEqual(await call('note_read', { path: file }), { content: readFileSync(path.join(EXAMPLE_VAULT, file), 'utf8'), exists: true });
  assert.ok((await call('backlinks_search', { path: 'Home' })).results.length > 0);
  assert.ok((await call('graph_neighbors', { path: 'Home', depth: 2 })).results.length > 3);
});
