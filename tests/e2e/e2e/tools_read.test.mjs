// The tools that read: what they answer, what they refuse, and that no answer exceeds its budget.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { cleanEnv, copyVault, run, startStdio, tempDir, until, VAULTD, within } from '../support.mjs';

/** Calls that return an answer's data, or its error as {code, message}. */
async function open(t, dir, args = []) {
  const io = startStdio(t, { vault: dir, args: ['--auto-context', 'off', ...args] });
  await io.initialize();
  const raw = (name, args = {}) => within(io.call(name, args), `${name} ${JSON.stringify(args)}`).then((m) => m.result);
  const call = async (name, args) => {
    const result = await raw(name, args);
    const data = JSON.parse(result.content.at(-1).text);
    return result.isError ? data.error : data;
  };
  return { io, raw, call };
}

const example = async (t) => {
  const dir = copyVault(t);
  return { dir, ...(await open(t, dir)) };
};

/** A vault of these files. */
async function vault(t, files) {
  const dir = path.join(tempDir(t), 'vault');
  mkdirSync(dir);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.join(dir, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(dir, name), text);
  }
  return { dir, ...(await open(t, dir)) };
}

const byBytes = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));

function filesBelow(dir, below = '') {
  return readdirSync(path.join(dir, below)).filter((n) => !n.startsWith('.')).flatMap((n) => {
    const file = path.join(below, n);
    return statSync(path.join(dir, file)).isDirectory() ? filesBelow(dir, file) : [file];
  }).sort(byBytes);
}

const BYTES_PER_TOKEN = 4;
const MARGIN = 600; // bytes: the last item and what surrounds the list

/** All items of a paged answer, each page within its budget. */
async function pages({ raw }, tool, args, items) {
  const all = [];
  for (let offset = 0, n = 0; ; n++) {
    assert.ok(n < 1000, 'it ends');
    const result = await raw(tool, { ...args, offset });
    const text = result.content[0].text, data = JSON.parse(text);
    assert.ok(!result.isError, text);
    if (args.budget) assert.ok(Buffer.byteLength(text) <= args.budget * BYTES_PER_TOKEN + MARGIN, `${tool}: ${text.length} bytes`);
    if (args.limit) assert.ok(items(data).length <= args.limit);
    all.push(...items(data));
    if (!data.truncated) {
      assert.equal(data.next, undefined);
      return { all, pages: n + 1, data };
    }
    assert.ok(items(data).length > 0, 'every page gets on');
    offset = data.next.offset;
  }
}

/* --- vault_list --- */

test('S1-47 S1-48 S1-52 vault_list: every file of any type, with size, UTC time and tags', async (t) => {
  const { dir, call } = await example(t);
  const got = await call('vault_list', { recursive: true });
  const want = filesBelow(dir);
  assert.equal(got.total_files, want.length);
  assert.deepEqual(got.files.map((f) => f.path), want);
  assert.ok(want.includes('Languages/日本語ノート.md') && want.includes('Attachments/bed-plan.png'));
  for (const f of got.files) {
    const stat = statSync(path.join(dir, f.path));
    assert.deepEqual(Object.keys(f), ['path', 'size', 'modified', 'tags']);
    assert.equal(f.size, stat.size);
    assert.equal(f.modified, stat.mtime.toISOString().replace(/\.\d+Z$/, 'Z'));
  }
  assert.equal(got.truncated, undefined);
});

test('S1-49 S1-51 S1-52 tags are from the YAML of notes; hidden files are not listed', async (t) => {
  const { call } = await vault(t, {
    'a.md': '---\ntags: [One, two/three]\n---\n#body\n', 'b.md': '---\ntags: one\n---\n', 'c.md': '#body only\n',
    'd.txt': '---\ntags: [x]\n---\n', 'e.md': '---\ntags: [broken\n---\n', '.hidden/x.md': 'x', '.dot.md': 'x', '.obsidian/app.json': '{}',
  });
  const { files } = await call('vault_list', { recursive: true });
  assert.deepEqual(Object.fromEntries(files.map((f) => [f.path, f.tags])),
    { 'a.md': ['One', 'two/three'], 'b.md': ['one'], 'c.md': [], 'd.txt': [], 'e.md': [] });
});

test('S1-50 a changed file is listed with its current values', async (t) => {
  const { dir, call } = await vault(t, { 'a.md': '---\ntags: [one]\n---\n' });
  assert.deepEqual((await call('vault_list', { recursive: true })).files[0].tags, ['one']);
  writeFileSync(path.join(dir, 'a.md'), '---\ntags: [two, three]\n---\n');
  await call('vault_read', { path: 'a.md' });
  assert.deepEqual((await call('vault_list', { recursive: true })).files[0].tags, ['two', 'three']);
});

test('vault_list by folder, tag and glob', async (t) => {
  const { call } = await vault(t, {
    'A/x.md': '#t/u\n', 'A/B/y.md': '---\ntags: t\n---\n', 'A/z.png': '', 'Ab/x.md': '', 'é/ü.md': '#t\n',
  });
  const paths = async (args) => (await call('vault_list', { recursive: true, ...args })).files.map((f) => f.path);
  assert.deepEqual(await paths({ path: 'A' }), ['A/B/y.md', 'A/x.md', 'A/z.png']);
  assert.deepEqual(await paths({ path: '/a/b/' }), ['A/B/y.md']);
  assert.deepEqual(await paths({ path: 'E\u0301' }), ['é/ü.md']);
  assert.deepEqual(await paths({ tag: '#T' }), ['A/B/y.md', 'A/x.md', 'é/ü.md']);
  assert.deepEqual(await paths({ path_filter: ['*.md', '!A/B/**'] }), ['A/x.md', 'Ab/x.md', 'é/ü.md']);
  assert.deepEqual(await paths({ path: 'A', tag: 't', path_filter: 'x.*' }), ['A/x.md']);
  const none = await call('vault_list', { recursive: true, path: 'Nope' });
  assert.deepEqual([none.total_files, none.files], [0, []]);
  assert.match(none.note, /No such folder 'Nope'/);
  assert.equal((await call('vault_list', { recursive: true, path_filter: ['[z'] })).code, 'INVALID_ARGUMENT');
});

test('vault_list pages: each file exactly once, whatever limit and budget', async (t) => {
  const names = Array.from({ length: 400 }, (_, i) => `Ordner ${i % 7}/Notiz ${i} ${'ü'.repeat(i % 40)}.md`).sort(byBytes);
  const v = await vault(t, Object.fromEntries(names.map((n) => [n, '---\ntags: [a, b]\n---\n'])));
  const whole = await v.call('vault_list', { recursive: true });
  assert.deepEqual([whole.total_files, whole.truncated], [400, true]);
  for (const args of [{ budget: 100 }, { budget: 1000 }, { limit: 7 }, { limit: 150, budget: 3000 }, { limit: 400, budget: 25000 }]) {
    const { all, data } = await pages(v, 'vault_list', { recursive: true, ...args }, (d) => d.files);
    assert.deepEqual(all.map((f) => f.path), names, JSON.stringify(args));
    assert.equal(data.total_files, 400);
  }
  assert.deepEqual(await v.call('vault_list', { recursive: true, offset: 1000 }), { total_files: 400, files: [] });
});

/* --- vault_read --- */

test('S1-58 to S1-62 vault_read: lines, the threshold of 200, and an etag that follows the content', async (t) => {
  const text = Array.from({ length: 250 }, (_, i) => `line ${i + 1}`).join('\n');
  const { dir, call } = await vault(t, { 'long.md': text, 'short.md': 'a\r\nb' });
  const first = await call('vault_read', { path: 'long.md' });
  assert.deepEqual([first.total_lines, first.showing, first.truncated], [250, [1, 200], true]);
  const rest = await call('vault_read', { path: 'long.md', offset: 201 });
  assert.deepEqual([rest.showing, rest.truncated], [[201, 250], undefined]);
  assert.equal(first.content + rest.content, text);
  assert.match(first.etag, /^[0-9a-f]{16}$/);
  assert.equal(rest.etag, first.etag);
  assert.deepEqual((await call('vault_read', { path: 'long.md', limit: 0 })).content, text);
  assert.deepEqual(Object.keys(await call('vault_read', { path: 'short.md' })), ['path', 'total_lines', 'showing', 'content', 'etag']);

  const written = await call('vault_write', { path: 'short.md', content: 'new\n', if_match: (await call('vault_read', { path: 'short.md' })).etag });
  assert.equal(written.created, false, JSON.stringify(written));
  assert.equal((await call('vault_read', { path: 'short.md' })).etag, written.etag);
  writeFileSync(path.join(dir, 'short.md'), 'from outside\n');
  assert.notEqual((await call('vault_read', { path: 'short.md' })).etag, written.etag);
});

test('S1-63 S1-64 S1-65 what vault_read refuses, and other files raw', async (t) => {
  const { call, dir } = await example(t);
  const missing = await call('vault_read', { path: 'Nirgends.md' });
  assert.equal(missing.code, 'FILE_NOT_FOUND');
  assert.match(missing.message, /^File not found: Nirgends\.md.+(did you mean|vault_search)/);
  assert.equal((await call('vault_read', { path: '../x.md' })).code, 'PATH_NOT_ALLOWED');
  assert.equal((await call('vault_read', { path: 'Home.md', offset: 9999 })).code, 'INVALID_RANGE');
  const whole = await call('vault_read', { path: 'Home.md' });
  assert.equal((await call('vault_read', { path: 'Home.md', offset: 0 })).content, whole.content);
  assert.match((await call('vault_read', { path: 'Log' })).message, /matches several files.*Homelab\/Log\.md/);
  assert.equal((await call('vault_read', { path: 'Languages' })).code, 'INVALID_ARGUMENT');
  writeFileSync(path.join(dir, 'x.bin'), Buffer.from([0, 1, 2, 3]));
  assert.equal((await call('vault_read', { path: 'x.bin' })).code, 'NOT_TEXT');
  const csv = 'Attachments/seed-inventory.csv';
  assert.equal((await call('vault_read', { path: csv })).content, readFileSync(path.join(dir, csv), 'utf8'));
});

test('SEC-90 a note is found by its name, without .md, in another case or normal form', async (t) => {
  const { call } = await example(t);
  for (const [asked, found] of [
    ['Home', 'Home.md'], ['garden', 'Areas/Garden/Garden.md'], ['Homelab/Log', 'Areas/Homelab/Log.md'],
    ['Café à Paris'.normalize('NFD'), 'Travel/Café à Paris.md'], ['travel/CAFÉ À PARIS.MD', 'Travel/Café à Paris.md'],
    ['日本語ノート', 'Languages/日本語ノート.md'], ['🍅 Tomato sauce', 'Recipes/🍅 Tomato sauce.md'], ['/Inbox.md', 'Inbox.md'],
  ])
    assert.equal((await call('vault_read', { path: asked, limit: 1 })).path.normalize(), found.normalize(), asked);
});

const SECTIONS = '---\ntitle: T\n---\n# A\none\n## B\ntwo\n\n- item ^id1\n- other\n## C\nthree\n# D\nA paragraph. ^end\n';

test('a section or a block of a note, with the file\'s line numbers', async (t) => {
  const { call } = await vault(t, { 's.md': SECTIONS, 'long.md': `# One\n${'x\n'.repeat(300)}# Two\nend\n` });
  const read = (args) => call('vault_read', { path: 's.md', ...args });
  const b = await read({ section: 'A#B' });
  assert.deepEqual([b.content, b.showing, b.total_lines], ['## B\ntwo\n\n- item ^id1\n- other\n', [6, 10], 14]);
  assert.deepEqual((await read({ section: 'd' })).content, '# D\nA paragraph. ^end\n');
  assert.deepEqual((await read({ section: 'B', offset: 7, limit: 1 })).content, 'two\n');
  assert.deepEqual((await read({ block: '^id1' })).showing, [9, 9]);
  assert.match((await read({ block: 'end' })).content, /^A paragraph/);
  assert.equal((await read({ section: 'Nope' })).code, 'HEADING_NOT_FOUND');
  assert.equal((await read({ block: 'nope' })).code, 'BLOCK_NOT_FOUND');
  assert.equal((await read({ section: 'B', offset: 3 })).code, 'INVALID_RANGE');
  assert.equal((await read({ section: 'B', offset: 12 })).code, 'INVALID_RANGE');
  const long = await call('vault_read', { path: 'long', section: 'One' });
  assert.deepEqual([long.showing, long.truncated], [[1, 200], true]);
  const rest = await call('vault_read', { path: 'long', section: 'One', offset: 201 });
  assert.deepEqual([rest.showing, rest.truncated], [[201, 301], undefined]);
});

test('outline, frontmatter and links of a note', async (t) => {
  const { call } = await vault(t, {
    's.md': SECTIONS, 'p.md': '---\nn: 5\nlist: [a, "[[s]]"]\nd: 2026-11-16\nmap: {x: true}\nnothing:\n---\n[[s#B|see]] ![[gone]] [m](s.md)\n',
    'broken.md': '---\na: [\n---\n', 'plain.md': 'text\n', 'x.png': 'no picture',
  });
  assert.deepEqual((await call('vault_read', { path: 's', view: 'outline' })).headings,
    [[1, 'A', 4], [2, 'B', 6], [2, 'C', 11], [1, 'D', 13]].map(([level, title, line]) => ({ level, title, line })));
  assert.deepEqual((await call('vault_read', { path: 'p', view: 'frontmatter' })).frontmatter,
    { n: 5, list: ['a', '[[s]]'], d: '2026-11-16', map: { x: true }, nothing: null });
  assert.deepEqual((await call('vault_read', { path: 'plain', view: 'frontmatter' })).frontmatter, {});
  assert.ok((await call('vault_read', { path: 'broken', view: 'frontmatter' })).problem);
  const { links, total_links } = await call('vault_read', { path: 'p', view: 'links' });
  assert.equal(total_links, 4);
  assert.deepEqual(links[1], { link: 's', subpath: '#B', path: 's.md', display: 'see', line: 8 });
  assert.deepEqual(links[2], { link: 'gone', line: 8, embed: true });
  assert.equal((await call('vault_read', { path: 'x.png' })).code, 'NOT_TEXT');
});

test('a long outline pages by line', async (t) => {
  const v = await vault(t, { 'h.md': Array.from({ length: 500 }, (_, i) => `## Heading ${i}\n`).join('text\n') });
  const seen = [];
  for (let offset = 1; offset; ) {
    const got = await v.call('vault_read', { path: 'h.md', view: 'outline', budget: 500, offset });
    assert.ok(JSON.stringify(got).length < 500 * BYTES_PER_TOKEN + MARGIN);
    seen.push(...got.headings.map((h) => h.title));
    offset = got.next?.offset;
  }
  assert.deepEqual(seen, Array.from({ length: 500 }, (_, i) => `Heading ${i}`));
});

test('several files in one call, under one budget; a missing one does not affect the others', async (t) => {
  const { call, raw } = await vault(t, { 'a.md': 'A\n', 'b.md': 'B\n', 'big.md': 'ü"\n'.repeat(20000), 'line.md': 'é'.repeat(100000) });
  const got = await call('vault_read', { path: 'a', paths: ['nope', 'b.md', 'a'] });
  assert.deepEqual(got.files.map((f) => f.content ?? f.error.slice(0, 20)), ['A\n', 'File not found: nope', 'B\n']);
  for (const budget of [undefined, 100, 2000]) {
    const { content: [{ text }] } = await raw('vault_read', { path: 'a', paths: ['big', 'b', 'line'], limit: 0, budget });
    assert.ok(Buffer.byteLength(text) <= (budget ?? 10000) * BYTES_PER_TOKEN + MARGIN, `${text.length}`);
    const { files: [, big], truncated, not_read } = JSON.parse(text);
    assert.equal(truncated, true);
    assert.deepEqual(not_read, big ? ['b', 'line'] : ['big', 'b', 'line']);
    assert.ok(!big || big.truncated);
    assert.equal(big?.content, big && 'ü"\n'.repeat(big.showing[1]));
    assert.equal(big === undefined, budget === 100);
  }
  const outlines = await call('vault_read', { path: 'a', paths: ['b'], view: 'outline' });
  assert.deepEqual(outlines.files.map((f) => f.headings), [[], []]);
});

test('a budget for one file cuts at whole lines, or inside a line that is too long', async (t) => {
  const { call } = await vault(t, { 'big.md': 'some text here\n'.repeat(5000), 'line.md': 'é'.repeat(100000) });
  let text = '';
  for (let offset = 1; offset; ) {
    const got = await call('vault_read', { path: 'big', limit: 0, budget: 5000, offset });
    assert.ok(JSON.stringify(got).length <= 5000 * BYTES_PER_TOKEN + MARGIN);
    text += got.content;
    offset = got.truncated ? got.showing[1] + 1 : 0;
  }
  assert.equal(text, 'some text here\n'.repeat(5000));
  const line = await call('vault_read', { path: 'line', budget: 1000 });
  assert.match(line.content, /^é+$/);
  assert.deepEqual([line.truncated, line.showing], [true, [1, 1]]);
  assert.match(line.note, /truncated/);
});

test('a picture is returned as an image, in at most 1 MB', async (t) => {
  const { dir, raw, call } = await example(t);
  const file = path.join(dir, 'Attachments/bed-plan.png');
  const { content } = await raw('vault_read', { path: 'bed-plan.png' });
  assert.deepEqual(content[0], { type: 'image', data: readFileSync(file).toString('base64'), mimeType: 'image/png' });
  assert.deepEqual(JSON.parse(content[1].text), { path: 'Attachments/bed-plan.png', size: statSync(file).size, mime_type: 'image/png' });
  writeFileSync(path.join(dir, 'huge.png'), Buffer.concat([readFileSync(file), Buffer.alloc(1 << 20)]));
  const huge = await raw('vault_read', { path: 'huge.png' });
  if (huge.isError) return t.skip('libgd is not installed');
  assert.ok(Buffer.from(huge.content[0].data, 'base64').length < 1 << 20);
  writeFileSync(path.join(dir, 'larger.png'), Buffer.concat([readFileSync(file), Buffer.alloc(33 << 20)]));
  assert.equal((await call('vault_read', { path: 'larger.png' })).code, 'FILE_TOO_LARGE');
});

/* --- vault_search --- */

const BARREL = {
  'Projects/Rain barrel.md': '---\nstatus: active\naliases: Water butt\n---\nCollects water. #garden\n',
  'Garden/Log.md': Array.from({ length: 53 }, (_, i) => `${i}: watered the beans\n`).join(''),
  'Garden/Zinnia.md': 'watered once, see http://seeds.example/zinnia\n',
  'Docs.md': 'Use path:Projects to search in a folder.\n',
};

test('vault_search finds a note without being told a mode, and says how', async (t) => {
  const { call } = await vault(t, BARREL);
  const search = async (query, args) => {
    const { mode, note, results, total_matches } = await call('vault_search', { query, ...args });
    assert.equal(mode !== undefined, note !== undefined, `${query}: ${note}`);
    assert.equal(total_matches, results.length);
    return [mode, ...results.map((r) => `${r.match_type} ${r.path}`)];
  };
  assert.deepEqual(await search('RAIN barrel'), [undefined, 'filename Projects/Rain barrel.md']);
  assert.deepEqual(await search('barrel water rain'), ['words', 'content Projects/Rain barrel.md', 'content Garden/Log.md', 'content Garden/Zinnia.md'],
    'those with all words, then others');
  assert.deepEqual(await search('barrel water rain', { folder: 'Garden' }), ['words', 'content Garden/Log.md', 'content Garden/Zinnia.md'],
    'other forms of water');
  assert.deepEqual(await search('tag:#garden'), ['query', 'content Projects/Rain barrel.md']);
  assert.deepEqual(await search('[status:active]'), ['query', 'content Projects/Rain barrel.md']);
  assert.deepEqual(await search('path:Projects collects'), ['query', 'content Projects/Rain barrel.md']);
  assert.deepEqual(await search('path:Projects', { mode: 'text' }), [undefined, 'content Docs.md']);
  assert.deepEqual(await search('http://seeds'), [undefined, 'content Garden/Zinnia.md']);
  assert.deepEqual(await search('/wat.red/'), [undefined]);
  const literal = await call('vault_search', { query: 'barrel water rain', mode: 'text' });
  assert.deepEqual([literal.total_matches, literal.note], [0, '1 note has all these words, but not as one phrase: omit mode']);
});

test('vault_search for names only, and names in mode regex', async (t) => {
  const { call } = await vault(t, BARREL);
  const names = async (query, mode = 'names') => (await call('vault_search', { query, mode })).results.map((r) => r.snippet);
  assert.deepEqual(await names('BARREL'), ['Projects/Rain **barrel**.md']);
  assert.deepEqual(await names('butt'), ['Projects/Rain barrel.md (alias: Water **butt**)']);
  assert.deepEqual(await names('barrel projects'), ['Projects/Rain barrel.md']);
  assert.deepEqual(await names('beans'), []);
  assert.deepEqual(await names('^Garden/Z', 'regex'), ['**Garden/Z**innia.md']);
});

test('a file with many matches does not hide the others, and each match is returned once', async (t) => {
  const v = await vault(t, BARREL);
  const first = await v.call('vault_search', { query: 'watered', max_results: 5 });
  assert.deepEqual([first.total_matches, first.total_files], [54, 2]);
  assert.deepEqual(first.results.map((r) => [r.path, r.line]), [
    ['Garden/Log.md', 1], ['Garden/Zinnia.md', 1], ['Garden/Log.md', 2], ['Garden/Log.md', 3], ['Garden/Log.md', 4]]);
  for (const args of [{ max_results: 5 }, { max_results: 7, budget: 300 }, {}]) {
    const { all } = await pages(v, 'vault_search', { query: 'watered', ...args }, (d) => d.results.map((r) => `${r.path}:${r.line}`));
    assert.equal(all.length, 54);
    assert.equal(new Set(all).size, 54);
  }
});

test('names: the best first, folders last, and contents are not hidden by them', async (t) => {
  const files = { 'sync.md': 'sync\n', 'A/re-sync.md': '', 'A/Synchrony.md': '', 'A/Other.md': '---\naliases: my sync\n---\n', 'Sync/x.md': 'sync, too\n' };
  const small = await vault(t, files);
  const names = (await small.call('vault_search', { query: 'sync', mode: 'names' })).results.map((r) => r.path);
  assert.deepEqual(names, ['sync.md', 'A/Synchrony.md', 'A/re-sync.md', 'A/Other.md', 'Sync/x.md']);
  const all = (await small.call('vault_search', { query: 'sync' })).results.map((r) => `${r.match_type} ${r.path}`);
  assert.deepEqual(all, ['filename sync.md', 'filename A/Synchrony.md', 'filename A/re-sync.md', 'content A/Other.md', 'content Sync/x.md',
    'content sync.md', 'filename Sync/x.md']);

  const many = await vault(t, Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`Sync ${i}.md`, 'a\nto sync\n'])));
  const first = (await many.call('vault_search', { query: 'sync' })).results.map((r) => r.match_type);
  assert.deepEqual(first, [...Array(10).fill('filename'), ...Array(10).fill('content')]);
  for (const max_results of [7, 20, 60]) {
    const { all: found } = await pages(many, 'vault_search', { query: 'sync', max_results }, (d) => d.results.map((r) => `${r.path}:${r.match_type}`));
    assert.deepEqual([found.length, new Set(found).size], [60, 60]);
  }
});

/* --- vault_links --- */

const LINKED = {
  'A.md': '---\nup: "[[B]]"\n---\nsee [[B#x|bee]] and [[Gone]]\n', 'Ordner/B.md': 'to [[Ü]] and ![[A]]\n', 'Ü.md': 'speaks of A here\n',
  'C.md': '[[Gone]] [[gone]]\n', 'Alone.md': 'nobody\n', 'x.canvas': '{"nodes":[{"id":"1","type":"file","file":"A.md","x":0,"y":0,"width":1,"height":1}],"edges":[]}',
};

test('vault_links: outgoing links and backlinks with lines, or both together', async (t) => {
  const { call } = await vault(t, LINKED);
  const links = async (args) => (await call('vault_links', args)).links;
  assert.deepEqual(await links({ path: 'A', direction: 'outgoing' }), [
    { link: 'B', path: 'Ordner/B.md', line: 2 },
    { link: 'B', subpath: '#x', path: 'Ordner/B.md', display: 'bee', line: 4, broken_subpath: true },
    { link: 'Gone', line: 4, resolved: false },
  ]);
  assert.deepEqual(await links({ path: 'b', direction: 'backlinks' }), [
    { path: 'A.md', line: 2, text: 'up: "[[B]]"' },
    { path: 'A.md', line: 4, text: 'see [[B#x|bee]] and [[Gone]]', subpath: '#x' },
  ]);
  const of_a = await links({ path: 'A', direction: 'backlinks' });
  assert.deepEqual(of_a[0], { path: 'Ordner/B.md', line: 1, text: 'to [[Ü]] and ![[A]]', embed: true });
  assert.deepEqual(of_a[1].path, 'x.canvas');
  const both = await call('vault_links', { path: 'A' });
  assert.deepEqual(both.links.map((l) => l.direction), ['outgoing', 'outgoing', 'outgoing', 'backlink', 'backlink']);
  assert.deepEqual([both.path, both.total], ['A.md', 5]);
});

test('vault_links: neighbours, paths, unresolved links, orphans, mentions', async (t) => {
  const { call } = await vault(t, LINKED);
  const links = async (args) => (await call('vault_links', args)).links;
  assert.deepEqual(await links({ path: 'A', direction: 'neighbours' }), [{ path: 'Ordner/B.md', distance: 1 }, { path: 'x.canvas', distance: 1 }]);
  assert.deepEqual((await links({ path: 'A', direction: 'neighbours', depth: 2 })).find((l) => l.distance === 2), { path: 'Ü.md', distance: 2 });
  assert.deepEqual((await links({ path: 'A', direction: 'path', to: 'u\u0308' })).map((l) => l.path), ['A.md', 'Ordner/B.md', 'Ü.md']);
  assert.deepEqual(await links({ path: 'A', direction: 'path', to: 'Alone' }), []);
  assert.deepEqual(await links({ direction: 'unresolved' }), [{ link: 'Gone', links: 3, sources: ['A.md', 'C.md'] }]);
  assert.deepEqual(await links({ path: 'C', direction: 'unresolved' }), [{ link: 'Gone', line: 1, resolved: false }, { link: 'gone', line: 1, resolved: false }]);
  assert.deepEqual(await links({ direction: 'orphans' }), [{ path: 'Alone.md' }]);
  assert.deepEqual(await links({ path: 'Alone', direction: 'mentions' }), []);
  assert.equal((await call('vault_links', { direction: 'backlinks' })).code, 'INVALID_ARGUMENT');
  assert.equal((await call('vault_links', { path: 'A', direction: 'path' })).code, 'INVALID_ARGUMENT');
  assert.equal((await call('vault_links', { path: 'Nope' })).code, 'FILE_NOT_FOUND');
  assert.equal((await call('vault_links', { path: 'A', direction: 'path', to: 'Nope' })).code, 'FILE_NOT_FOUND');
  assert.equal((await call('vault_links', { path: 'A', direction: 'sideways' })).code, 'INVALID_ARGUMENT');
});

test('vault_links pages: each link exactly once', async (t) => {
  const files = { 'Hub.md': 'x\n', 'Mention me.md': '' };
  for (let i = 0; i < 120; i++) files[`n${String(i).padStart(3, '0')}.md`] = `${'word '.repeat(i)}[[Hub]]\nagain [[hub]], mention me, [[missing ${i}]]\n`;
  const v = await vault(t, files);
  for (const args of [{ budget: 200 }, { limit: 7 }, { limit: 1000, budget: 25000 }]) {
    const back = await pages(v, 'vault_links', { path: 'Hub', direction: 'backlinks', ...args }, (d) => d.links);
    assert.deepEqual(back.all.map((l) => `${l.path}:${l.line}`), Object.keys(files).slice(2).flatMap((n) => [`${n}:1`, `${n}:2`]));
    const mentions = await pages(v, 'vault_links', { path: 'Mention me', direction: 'mentions', ...args }, (d) => d.links);
    assert.equal(new Set(mentions.all.map((l) => l.path)).size, 120);
    assert.equal(mentions.all.length, 120);
    const nowhere = await pages(v, 'vault_links', { direction: 'unresolved', ...args }, (d) => d.links);
    assert.equal(new Set(nowhere.all.map((l) => l.link)).size, 120);
    assert.equal(nowhere.all.length, 120);
  }
});

/* --- tags --- */

test('tags: counts with nested tags, notes with a tag, pages', async (t) => {
  const v = await vault(t, { 'b.md': '#Projekt/Größe text\n', 'a.md': '---\ntags: [projekt]\n---\n', 'c.md': '#other\n' });
  assert.deepEqual(await v.call('vault_query', { from: 'tags' }), { total: 3, tags: [
    { tag: 'other', notes: 1, with_nested: 1 }, { tag: 'Projekt', notes: 1, with_nested: 2 }, { tag: 'Projekt/Größe', notes: 1, with_nested: 1 }] });
  assert.deepEqual((await v.call('vault_list', { tag: '#PROJEKT' })).files.map((f) => f.path), ['a.md', 'b.md']);
  assert.match((await v.call('vault_list', { tag: 'größe' })).note, /did you mean 'Projekt\/Größe'\?$/);
  assert.match((await v.call('vault_list', { tag: 'nope' })).note, /list the tags to see what there is/);
  assert.match((await v.call('vault_query', { from: 'tags', select: ['x'] })).message, /from tags takes only where/);
  const many = await vault(t, Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`${i}.md`, `#all #tag/n${i}\n`])));
  for (const args of [{ budget: 100 }, { limit: 9 }, {}]) {
    const tags = await pages(many, 'vault_query', { from: 'tags', ...args }, (d) => d.tags);
    assert.deepEqual([tags.all.length, new Set(tags.all.map((x) => x.tag)).size], [152, 152]);
    const notes = await pages(many, 'vault_list', { tag: 'all', ...args }, (d) => d.files.map((f) => f.path));
    assert.deepEqual([notes.all.length, new Set(notes.all).size], [150, 150]);
  }
});

/* --- vault_check --- */

test('vault_check: kinds, a folder, pages, and what is not in the index', async (t) => {
  const long = `${'n'.repeat(250)}.md`; // 253 bytes
  const deep = Array.from({ length: 258 }, () => 'd').join('/');
  const v = await vault(t, {
    'CLAUDE.md': 'rules\n', 'P/CLAUDE.md': 'rules of P\n', 'P/AGENTS.md': '[[Gone]] [[Nowhere]]\n', 'AGENTS.md': '',
    'P/a.md': '---\nx: [\n---\n', 'twice.md': '[[P/a]] [[twice]]\n', 'P/twice.md': '[[CLAUDE]]\n',
    [long]: 'too long a name\n', 'Big.md': 'x'.repeat(9 << 20), [`${deep}/e.md`]: 'too deep\n',
  });
  const check = async (args) => (await v.call('vault_check', args)).findings.map((f) => `${f.kind} ${f.path.length > 99 ? f.path.length : f.path}`);
  assert.deepEqual(await check({ kinds: ['not_indexed', 'unread_file', 'duplicate_name'] }), [
    'unread_file Big.md', 'duplicate_name P/twice.md', 'not_indexed 513', 'not_indexed 253']);
  const { counts, total } = await v.call('vault_check');
  assert.deepEqual(counts, { not_indexed: 2, unread_file: 1, broken_properties: 1, broken_link: 2, ambiguous_link: 2, duplicate_name: 1 });
  assert.deepEqual(await check({ folder: 'P', kinds: ['broken_link', 'not_indexed'] }), ['broken_link P/AGENTS.md', 'broken_link P/AGENTS.md']);
  assert.ok((await check({ kinds: ['orphan_note'] })).length > 0);
  for (const args of [{ limit: 1 }, { limit: 3 }, {}]) assert.equal((await pages(v, 'vault_check', args, (d) => d.findings)).all.length, total);
  assert.match((await v.call('vault_check', { kinds: ['nonsense'] })).message, /^no kind 'nonsense'; there are not_indexed, unread_file, /);
});

test('a note that is only in iCloud is named, not replaced, and found when it arrives', async (t) => {
  const v = await vault(t, { 'Home.md': '[[Far]]\n', 'In/.Far.md.icloud': 'bplist00', 'Secret/.Plan.md.icloud': 'bplist00' });
  const why = 'it is only in iCloud: open it in Obsidian, or choose Download Now in the Finder';
  const { findings } = await v.call('vault_check', { kinds: ['not_indexed'] });
  assert.deepEqual(findings.map((f) => [f.path, f.message]), [['In/Far.md', `Not in the index: ${why}`], ['Secret/Plan.md', `Not in the index: ${why}`]]);
  for (const word of ['In/Far.md', 'far']) assert.ok((await v.call('vault_read', { path: word })).message.startsWith(`File not found: In/Far.md cannot be used: ${why}`), word);
  assert.ok((await v.call('vault_write', { path: 'In/Far.md', content: 'new\n' })).message.startsWith(`'In/Far.md' already exists: ${why}`));
  assert.ok((await v.call('vault_move', { path: 'Home.md', to: 'In/Far.md' })).message.startsWith(`'In/Far.md' already exists: ${why}`));
  const limited = await open(t, v.dir, ['--deny-paths', 'Secret']);
  assert.deepEqual((await limited.call('vault_check', { kinds: ['not_indexed'] })).findings.map((f) => f.path), ['In/Far.md']);
  assert.doesNotMatch((await limited.call('vault_read', { path: 'Plan' })).message, /iCloud|Secret/);
  assert.doesNotMatch((await limited.call('vault_read', { path: 'Secret/Plan.md' })).message, /iCloud/);
  renameSync(path.join(v.dir, 'In/.Far.md.icloud'), path.join(v.dir, 'In/Far.md'));
  await until('it has arrived', async () => (await v.call('vault_read', { path: 'far' })).message === undefined);
  await until('nothing is left out there', async () => (await v.call('vault_check', { kinds: ['not_indexed'] })).findings.length === 1);
});

test('vault_check: hubs, stale notes and near duplicates, each with its reason, only if asked for', async (t) => {
  const text = 'The barrel collects rain from the roof of the shed, about two hundred litres in a wet month, and the tap at the bottom fills the cans for the beds.\n';
  const files = { 'Hub.md': 'x', 'Copy.md': text, 'Old.md': `---\nstatus: draft\n---\n${text}`, 'Todo.md': '- [ ] paint it\n' };
  for (let i = 0; i < 5; i++) files[`From ${i}.md`] = `[[Hub]] ${i < 3 ? '[[Old]]' : ''}\n`;
  const dir = path.join(tempDir(t), 'vault');
  mkdirSync(dir);
  for (const [name, content] of Object.entries(files)) {
    const at = ['Old.md', 'Todo.md'].includes(name) ? 1600000000 : new Date(); // not the kernel's clock, which may be another one
    writeFileSync(path.join(dir, name), content);
    utimesSync(path.join(dir, name), at, at);
  }
  const { call } = await open(t, dir);
  const check = async (...kinds) => (await call('vault_check', kinds.length > 0 ? { kinds } : {})).findings.map((f) => `${f.kind} ${f.path}: ${f.message}`);
  assert.deepEqual(await check('hub_note'), ['hub_note Hub.md: 5 files link here']);
  assert.deepEqual(await check('stale_note'), [
    'stale_note Old.md: 3 files link here, but it has not changed since 2020-09-13',
    'stale_note Todo.md: 1 open task, but it has not changed since 2020-09-13',
  ]);
  assert.deepEqual(await check('near_duplicate'), ["near_duplicate Copy.md: 100 % of the text is also in 'Old.md'", "near_duplicate Old.md: 100 % of the text is also in 'Copy.md'"]);
  assert.deepEqual(await check(), []);
  const { stdout } = await run(VAULTD, ['check', '--vault-path', dir, '--kind', 'near_duplicate'], { env: cleanEnv(tempDir(t)) });
  assert.match(stdout, /^Copy\.md: near_duplicate: 100 % of the text is also in 'Old\.md'\n/);
});

/* --- vault_query --- */

test('vault_query: notes and tasks, fields, order, groups, counts', async (t) => {
  const { call } = await vault(t, {
    'P/a.md': '---\nstatus: active\nrating: 3\n---\n- [ ] buy\n- [x] done\n', 'P/b.md': '---\nstatus: active\nrating: 10\n---\n',
    'ü.md': '---\nstatus: Done\n---\n- [ ] later\n',
  });
  assert.deepEqual(await call('vault_query', { where: 'status = active', select: ['rating', 'file.name'], sort: ['-rating'] }), { total: 2, rows: [
    { path: 'P/b.md', values: { rating: 10, 'file.name': 'b' } }, { path: 'P/a.md', values: { rating: 3, 'file.name': 'a' } }] });
  assert.deepEqual(await call('vault_query', { from: 'tasks', where: 'not task.done' }), { total: 2, rows: [
    { path: 'P/a.md', line: 5, task: 'buy', status: ' ' }, { path: 'ü.md', line: 4, task: 'later', status: ' ' }] });
  assert.deepEqual(await call('vault_query', { group: 'status' }), { total: 3, total_groups: 2, groups: [{ value: 'active', count: 2 }, { value: 'Done', count: 1 }] });
  assert.deepEqual(await call('vault_query', { folder: 'p', count: true }), { total: 2 });
  const typo = await call('vault_query', { where: 'statsu = active' });
  assert.deepEqual([typo.total, typo.unknown], [0, [{ field: 'statsu', nearest: ['status'] }]]);
  const wrong = await call('vault_query', { where: 'status = = x' });
  assert.equal(wrong.code, 'INVALID_QUERY');
});

test('vault_query: what is asked for is said once, and by its name', async (t) => {
  const { call } = await vault(t, { 'P/a.md': '---\ndue: 2026-11-20\n---\n- [ ] buy [[b]]\n', 'b.md': '[[a]] [[Gone]]\n' });
  const [row] = (await call('vault_query', { from: 'tasks', select: ['task.text', 'Task.Mark', 'due'] })).rows;
  assert.deepEqual(row, { path: 'P/a.md', line: 4, values: { 'task.text': 'buy [[b]]', 'Task.Mark': ' ', due: '2026-11-20' } });
  assert.deepEqual((await call('vault_query', { select: ['file.links.length', 'file.backlinks.length'], sort: ['-file.links.length'] })).rows, [
    { path: 'b.md', values: { 'file.links.length': 2, 'file.backlinks.length': 1 } }, { path: 'P/a.md', values: { 'file.links.length': 1, 'file.backlinks.length': 1 } }]);
  assert.match((await call('vault_query', { select: ['file.modifed'] })).message, /^select: unknown field 'file\.modifed' at byte 0; did you mean 'file\.modified'\?$/);
  assert.match((await call('vault_query', { select: ['file.colour'] })).message, /^select: unknown field 'file\.colour' at byte 0; after 'file\.' there can be name, path,/);
});

test('vault_query from properties: names, types, number of notes, values', async (t) => {
  const v = await vault(t, {
    'P/a.md': '---\nstatus: active\nrating: 3\n---\n', 'P/b.md': '---\nStatus: done\ntags: [x, y]\n---\n', 'c.md': '---\nstatus: active\nempty:\n---\n',
    '.obsidian/types.json': '{"types":{"rating":"number"}}',
  });
  assert.deepEqual(await v.call('vault_query', { from: 'properties' }), { total: 4, properties: [
    { name: 'status', type: 'text', notes: 3, values: ['active', 'done'] }, { name: 'empty', type: 'empty', notes: 1, values: [] },
    { name: 'rating', type: 'number', notes: 1, values: [3] }, { name: 'tags', type: 'list', notes: 1, values: ['x', 'y'] }] });
  assert.deepEqual((await v.call('vault_query', { from: 'properties', folder: 'P' })).properties.map((p) => [p.name, p.notes]), [['Status', 2], ['rating', 1], ['tags', 1]]);
  assert.match((await v.call('vault_query', { from: 'properties', where: 'status' })).message, /takes only folder, limit and offset/);
  const paged = await pages(v, 'vault_query', { from: 'properties', limit: 1 }, (d) => d.properties);
  assert.equal(new Set(paged.all.map((p) => p.name)).size, 4);
  const many = await vault(t, Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`${i}.md`, `---\nk: ${i}\n---\n`])));
  assert.deepEqual((await many.call('vault_query', { from: 'properties' })).properties, [{ name: 'k', type: 'number', notes: 9, values: [0, 1, 2, 3, 4], total_values: 9 }]);
});

test('vault_query pages: each row and group exactly once', async (t) => {
  const v = await vault(t, Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`${i}.md`, `---\nk: ${i}\n---\n- [ ] task ${i}\n`])));
  for (const args of [{ budget: 100 }, { limit: 9 }, { limit: 1000 }]) {
    const rows = await pages(v, 'vault_query', { ...args, select: ['k'], sort: 'k' }, (d) => d.rows);
    assert.deepEqual(rows.all.map((r) => r.values.k), Array.from({ length: 200 }, (_, i) => i));
    const groups = await pages(v, 'vault_query', { ...args, group: 'k' }, (d) => d.groups);
    assert.equal(new Set(groups.all.map((g) => g.value)).size, 200);
    assert.equal((await pages(v, 'vault_query', { ...args, from: 'tasks' }, (d) => d.rows)).all.length, 200);
  }
});

/* --- vault_info, and all of them --- */

test('vault_info: the index, links and tags, and the vault\'s settings', async (t) => {
  const { call } = await vault(t, {
    ...LINKED, 'Ü.md': '#a/b\n', '.obsidian/app.json': '{"newLinkFormat":"relative","useMarkdownLinks":true}', '.obsidian/daily-notes.json': '{"folder":"Tage","format":"YYYY/MM-DD"}',
  });
  await call('vault_query', { from: 'tags' });
  const info = await call('vault_info');
  assert.deepEqual([info.notes, info.attachments, info.folders], [5, 1, 1]);
  assert.deepEqual([info.links, info.unresolved_links, info.tags], [8, 3, 2]);
  assert.equal(info.can_change, true);
  assert.deepEqual([info.link_format, info.markdown_links, info.daily_notes], ['relative', true, { folder: 'Tage', format: 'YYYY/MM-DD' }]);
});

test('tools/list stays below 16 KB', async (t) => {
  const { io } = await example(t);
  const { result } = await io.request('tools/list');
  assert.ok(JSON.stringify(result.tools).length < 16_384, `${JSON.stringify(result.tools).length}`);
});

test('a search for a text before the first index is complete gives the same answer as one after it', async (t) => {
  const filler = 'Words that make the index take a while: one, two, three.\n'.repeat(100);
  const files = {};
  for (let i = 0; i < 1500; i++) {
    const text = i % 100 === 7 ? `---\ntags: [Quince]\n---\nA quince, and [[Note ${i + 1}]].\n` : '';
    files[`Note ${i}.md`] = `${text}${filler}${i}\n`;
  }
  const { call } = await vault(t, files);
  const search = () => call('vault_search', { query: 'quince', max_results: 50 });
  const early = await search();
  assert.equal(early.total_files, 15);
  assert.equal((await call('vault_info')).notes, 1500);
  assert.deepEqual(await search(), early);
});
