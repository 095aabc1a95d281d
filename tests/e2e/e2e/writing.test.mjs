// Whole files: what may be written, from which parts, and what comes back: text of any encoding, pictures, PDF, sounds.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { VAULTD, assertNoSanitizer, cleanEnv, run, startStdio, tempDir } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

/** A server on a vault of these files; ok() gives an answer, fails() an error's message. */
async function open(t, files = {}, args = []) {
  const vault = path.join(tempDir(t), 'vault');
  const put = (name, bytes) => {
    mkdirSync(path.dirname(path.join(vault, name)), { recursive: true });
    writeFileSync(path.join(vault, name), bytes);
  };
  for (const [name, bytes] of Object.entries({ '.obsidian/app.json': '{}', ...files })) put(name, bytes);
  const server = startStdio(t, { vault, args: ['--auto-context', 'off', ...args] });
  await server.initialize();
  const raw = async (name, given) => (await server.call(name, given)).result;
  return {
    vault, put, raw,
    bytes: (name) => readFileSync(path.join(vault, name)),
    text: (name) => readFileSync(path.join(vault, name), 'utf8'),
    has: (name) => existsSync(path.join(vault, name)),
    async ok(name, given) {
      const result = await raw(name, given);
      assert.ok(!result.isError, result.content[0].text);
      return JSON.parse(result.content.at(-1).text);
    },
    async fails(name, given, code) {
      const result = await raw(name, given);
      assert.ok(result.isError, `${name} did not fail: ${result.content[0].text}`);
      const { error } = JSON.parse(result.content[0].text);
      assert.equal(error.code, code, error.message);
      return error.message;
    },
  };
}

/** A PNG of one colour, or of noise, which does not compress. */
function png(width, height, noise = false) {
  const chunk = (type, data) => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2], 8);
  const rows = Buffer.alloc((1 + 3 * width) * height, 0x55);
  let random = 1;
  for (let i = 0; i < rows.length; i++) {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    if (i % (1 + 3 * width) === 0) rows[i] = 0;
    else if (noise) rows[i] = random >>> 24;
  }
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), chunk('IHDR', head), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]);
}

const hasGd = (() => {
  try {
    return execFileSync('/sbin/ldconfig', ['-p'], { encoding: 'utf8' }).includes('libgd.so.3');
  } catch {
    return false;
  }
})();

/* --- replacing --- */

test('vault_write does not replace what the client has not seen', async (t) => {
  const v = await open(t, { 'Plan.md': '# Plan\n\nfirst\nsecond\n' });
  const said = await v.fails('vault_write', { path: 'Plan.md', content: 'gone' }, 'FILE_EXISTS');
  const { etag } = await v.ok('vault_read', { path: 'Plan.md' });
  for (const part of [`etag ${etag}`, '21 bytes', '# Plan\n\nfirst', 'vault_edit', 'if_match', 'overwrite: true'])
    assert.ok(said.includes(part), `${part}: ${said}`);
  assert.equal(v.text('Plan.md'), '# Plan\n\nfirst\nsecond\n');
  await v.fails('vault_write', { path: 'Plan.md', content: 'gone', dry_run: true }, 'FILE_EXISTS');
  await v.fails('vault_write', { path: 'Plan', content: 'gone' }, 'FILE_EXISTS');
  assert.equal((await v.ok('vault_write', { path: 'Plan.md', content: '# Plan\n\nfirst\nsecond\n' })).unchanged, true);
  const next = await v.ok('vault_write', { path: 'Plan.md', content: 'seen', if_match: etag });
  assert.deepEqual([next.created, v.text('Plan.md')], [false, 'seen']);
  await v.fails('vault_write', { path: 'Plan.md', content: 'late', if_match: etag }, 'CONFLICT');
  await v.ok('vault_write', { path: 'Plan.md', content: 'unseen', overwrite: true });
  assert.equal(v.text('Plan.md'), 'unseen');
  await v.fails('vault_write', { path: 'New.md' }, 'INVALID_ARGUMENT');
});

test('a long note is shown in part when it is not replaced', async (t) => {
  const v = await open(t, { 'Long.md': 'ü'.repeat(5000), 'x.bin': Buffer.from([0, 1, 2]) });
  assert.ok((await v.fails('vault_write', { path: 'Long.md', content: 'x' }, 'FILE_EXISTS')).length < 800);
  assert.doesNotMatch(await v.fails('vault_write', { path: 'x.bin', content: 'x' }, 'FILE_EXISTS'), /begins/);
});

test('a name without extension is a note', async (t) => {
  const v = await open(t, { LICENSE: 'free\n', 'Projects/x.md': 'x' });
  const made = await v.ok('vault_write', { path: 'Inbox/New idea', content: 'x' });
  assert.deepEqual([made.path, v.has('Inbox/New idea.md'), v.has('Inbox/New idea')], ['Inbox/New idea.md', true, false]);
  assert.match(made.warnings[0], /'\.md' was added/);
  assert.equal((await v.ok('vault_write', { path: 'v1.2', content: 'x' })).path, 'v1.2.md');
  assert.equal((await v.ok('vault_write', { path: 'Projects', content: 'x' })).path, 'Projects.md');
  assert.equal((await v.ok('vault_write', { path: 'LICENSE', content: 'not free\n', overwrite: true })).path, 'LICENSE');
  assert.equal((await v.ok('vault_write', { path: 'list.txt', content: 'x' })).warnings, undefined);
  for (const name of ['Brandnew', 'Inbox/Sub/Brandnew', 'Inbox/v1.3']) {
    const inserted = await v.ok('vault_insert', { path: name, content: '- x', create: true });
    assert.deepEqual([inserted.path, inserted.created, v.text(`${name}.md`), v.has(name)], [`${name}.md`, true, '- x\n', false]);
  }
  await v.ok('vault_batch', { steps: [
    { tool: 'vault_insert', path: 'Steps/First', content: 'one', create: true },
    { tool: 'vault_insert', path: 'Steps/First', content: 'two', create: true }] });
  assert.equal(v.text('Steps/First.md'), 'one\n\ntwo\n');
  const found = await v.ok('vault_insert', { path: 'new idea', content: 'y', create: true });
  assert.deepEqual([found.path, found.created, v.has('new idea.md')], ['Inbox/New idea.md', false, false]);
  assert.equal((await v.ok('vault_insert', { path: 'Sub/Brandnew', content: 'y', create: true })).path, 'Sub/Brandnew.md');
});

test('a name that a note has does not make a second one', async (t) => {
  const v = await open(t, { 'Projects/Rain barrel.md': '# Barrel\n', 'Projects/data.json': '{}', 'Garden.md': '[[Rain barrel]]\n', 'Walden.md': 'w\n' });
  const { etag } = await v.ok('vault_read', { path: 'Rain barrel' });
  for (const name of ['Rain barrel', 'rain barrel.md'])
    for (const more of [{}, { overwrite: true }, { if_match: etag }]) {
      const said = await v.fails('vault_write', { path: name, content: 'x', ...more }, 'AMBIGUOUS');
      for (const part of ["'Projects/Rain barrel.md'", `etag ${etag}`, "'/rain barrel.md'", 'overwrite'])
        assert.ok(said.toLowerCase().includes(part.toLowerCase()), `${part}: ${said}`);
    }
  await v.fails('vault_batch', { steps: [{ tool: 'vault_write', path: 'New/Fern.md', content: 'x' }, { tool: 'vault_write', path: 'Fern', content: 'y' }] }, 'AMBIGUOUS');
  assert.ok(!v.has('Rain barrel.md') && !v.has('Fern.md'));
  const env = cleanEnv(tempDir(t), { VAULT_PATH: v.vault, STATE_DIR: tempDir(t) });
  assert.match((await run(VAULTD, ['write', 'Rain barrel', 'x'], { env })).stderr, /'Projects\/Rain barrel\.md' has that name/);
  assert.equal((await v.ok('vault_write', { path: 'data.json', content: '[]' })).path, 'data.json');
  assert.equal((await v.ok('vault_write', { path: 'Other/Rain barrel', content: 'x' })).path, 'Other/Rain barrel.md');
  assert.equal((await v.ok('vault_write', { path: '/Rain barrel.md', content: 'x' })).path, 'Rain barrel.md');
  assert.equal((await v.ok('vault_write', { path: 'Rain barrel', content: 'y', overwrite: true })).path, 'Rain barrel.md');
  await v.ok('vault_delete', { path: 'Rain barrel.md' });
  await v.ok('vault_delete', { path: 'Other/Rain barrel.md' });
  const moved = await v.ok('vault_move', { path: 'Walden', to: 'Rain barrel' });
  assert.deepEqual([moved.to, moved.warnings], ['Rain barrel.md', ["another note has that name: 'Projects/Rain barrel.md'"]]);
  assert.equal((await v.ok('vault_move', { path: '/Rain barrel.md', to: 'Elsewhere/' })).warnings, undefined);
});

/* --- what is valid --- */

test('what other programs could not read is not written, by any tool', async (t) => {
  const v = await open(t, { 'Good.md': '---\na: 1\n---\nbody\n', 'Broken.md': '---\na: [\n---\nbody\n' });
  const broken = '---\nstatus: done\ntags: [a, b\n---\n';
  assert.match(await v.fails('vault_write', { path: 'New.md', content: broken }, 'INVALID_CONTENT'), /'New\.md' would not be valid: line \d+/);
  assert.match(await v.fails('vault_write', { path: 'New.md', content: '---\na: 1\n---\n\n---\nb: 2\n---\n' }, 'INVALID_CONTENT'), /line 5:/);
  assert.match(await v.fails('vault_write', { path: 'New.md', content: '---\na: 1\nno end\n' }, 'INVALID_CONTENT'), /no closing ---/);
  assert.match(await v.fails('vault_edit', { path: 'Good.md', old_text: 'a: 1', new_text: 'a: [' }, 'INVALID_CONTENT'), /'Good\.md'/);
  await v.fails('vault_insert', { path: 'Good.md', content: '---\nb: 1\n---', where: 'prepend' }, 'INVALID_CONTENT');
  await v.ok('vault_edit', { path: 'Broken.md', old_text: 'body', new_text: 'other' });
  assert.equal(v.text('Good.md'), '---\na: 1\n---\nbody\n');
  await v.fails('vault_write', { path: 'x.canvas', content: '{"nodes": [' }, 'INVALID_CONTENT');
  assert.match(await v.fails('vault_write', { path: 'x.canvas', content: '{"nodes":[\n{"id":"a","type":"text","text":"x"}]}' }, 'INVALID_CONTENT'), /line 2: a node needs the number x/);
  await v.ok('vault_write', { path: 'x.canvas', content: '{"nodes":[{"id":"a","type":"text","text":"x","x":0,"y":0,"width":10,"height":10}],"edges":[]}' });
  assert.match(await v.fails('vault_write', { path: 'x.base', content: 'views: table\n' }, 'INVALID_CONTENT'), /line 1, column 1: views must be a list/);
  await v.ok('vault_write', { path: 'x.base', content: 'views:\n  - type: table\n    name: All\n' });
  for (const file of ['New.md', 'none.canvas']) assert.ok(!v.has(file));
});

test('sets in the form of other servers write what they are given', async (t) => {
  const v = await open(t, {}, ['--tools', 'vault-sync']);
  const result = await v.raw('vault_write', { path: 'New.md', content: '---\na: [\n---\n' });
  assert.ok(!result.isError, result.content[0].text);
  assert.ok(!(await v.raw('vault_write', { path: 'New.md', content: 'replaced' })).isError);
});

/* --- templates and properties --- */

test('vault_write begins with a template', async (t) => {
  const v = await open(t, {
    '.obsidian/templates.json': '{"folder": "Templates", "dateFormat": "YYYY"}',
    '.obsidian/plugins/templater-obsidian/data.json': '{"templates_folder": "Scripts"}',
    'Templates/Meeting.md': '---\ntype: meeting\n---\n# {{title}} {{date}}\n',
    'Templates/Open.md': '- [ ] ',
    'Templates/Blank.md': '- [ ] \r\n\r\n',
    'Scripts/Person.md': '# <% tp.file.title %> <% tp.date.now("YYYY") %>\n<%* await tp.system.prompt("Who?") %>\n',
  });
  const year = new Date().getFullYear();
  await v.ok('vault_write', { path: 'Kick-off', template: 'Meeting', content: '- Ann\n' });
  assert.equal(v.text('Kick-off.md'), `---\ntype: meeting\n---\n# Kick-off ${year}\n\n- Ann\n`);
  for (const [template, start] of [['Open', '- [ ] \n\n'], ['Blank', '- [ ] \r\n\r\n']]) {
    await v.ok('vault_write', { path: `/${template}.md`, template, content: 'Extra' });
    assert.equal(v.text(`${template}.md`), `${start}Extra`);
  }
  const made = await v.ok('vault_write', { path: 'People/Ann.md', template: 'person', content: '' });
  assert.equal(v.text('People/Ann.md'), `# Ann ${year}\n<%* await tp.system.prompt("Who?") %>\n`);
  assert.match(made.warnings[0], /Templater plugin.*<%\* await/);
  assert.match(await v.fails('vault_write', { path: 'X.md', template: 'Nothing', content: '' }, 'TEMPLATE_NOT_FOUND'), /'Meeting'/);
  await v.fails('vault_write', { path: 'X.md', template: 'Meeting', content: '---\na: 1\n---\n' }, 'INVALID_ARGUMENT');
});

test('vault_write replaces the body and keeps the properties', async (t) => {
  const v = await open(t, { 'N.md': '---\na: 1 # why\n---\n\nold\n' });
  const { etag } = await v.ok('vault_read', { path: 'N.md' });
  await v.fails('vault_write', { path: 'N.md', content: 'new\n', keep_properties: true }, 'FILE_EXISTS');
  await v.ok('vault_write', { path: 'N.md', content: 'new\n', keep_properties: true, if_match: etag });
  assert.equal(v.text('N.md'), '---\na: 1 # why\n---\n\nnew\n');
  await v.fails('vault_write', { path: 'N.md', content: '---\nb: 2\n---\n', keep_properties: true, overwrite: true }, 'INVALID_ARGUMENT');
});

/* --- dated notes --- */

test('vault_daily creates no note or heading without being asked', async (t) => {
  const v = await open(t, { '.obsidian/plugins/periodic-notes/data.json': '{"monthly": {"enabled": true}}' });
  assert.match(await v.fails('vault_daily', { period: 'week', date: '2026-11-17' }, 'NOT_SET_UP'), /no weekly notes.*Periodic Notes.*create/);
  assert.ok(!v.has('2026-W47.md'));
  assert.equal((await v.ok('vault_daily', { period: 'month', date: '2026-11-17' })).created, true);
  assert.equal((await v.ok('vault_daily', { period: 'week', date: '2026-11-17', create: true })).path, '2026-W47.md');
  assert.equal((await v.ok('vault_daily', { period: 'week', date: '2026-11-17' })).created, false);
  const day = { date: '2026-11-17', append: '- x', section: 'Log' };
  assert.match(await v.fails('vault_daily', day, 'HEADING_NOT_FOUND'), /create: true/);
  assert.ok(!v.has('2026-11-17.md'));
  await v.ok('vault_daily', { ...day, create: true });
  assert.match(v.text('2026-11-17.md'), /^## Log\n/);
  await v.ok('vault_daily', { ...day, append: '- y' });
});

/* --- encodings --- */

test('a note that is not UTF-8 is read, found and edited as text, and keeps its encoding', async (t) => {
  const text = '# Größe\n\nCafé #maß [[Ziel]]\n- [ ] Prüfen\n';
  const wide = (s) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(s, 'utf16le')]);
  const rows = [['Latin.md', 'windows-1252', (s) => Buffer.from(s, 'latin1')], ['Wide.md', 'UTF-16LE', wide]];
  const v = await open(t, { 'Latin.md': rows[0][2](text), 'Wide.md': wide(text), 'Ziel.md': 'x\n', 'Odd.md': Buffer.concat([Buffer.from('Größe\n'), Buffer.from([0xff])]), 'Good.md': '# Größe\n' });
  for (const [file, encoding, bytes] of rows) {
    const read = await v.ok('vault_read', { path: file });
    assert.deepEqual([read.content, read.encoding, read.total_lines], [text, encoding, 4]);
    for (const search of [{ query: 'café' }, { query: 'Caf[é]', mode: 'regex' }, { query: 'café', mode: 'words' }, { query: 'tag:#maß', mode: 'query' }])
      assert.ok((await v.ok('vault_search', search)).results.some((hit) => hit.path === file && hit.line === 3), JSON.stringify(search));
    assert.match(await v.fails('vault_write', { path: file, content: read.content, if_match: read.etag }, 'NOT_TEXT'), new RegExp(`is ${encoding}`));
    const edited = await v.ok('vault_edit', { path: file, old_text: 'Café', new_text: 'Thé', if_match: read.etag });
    assert.match(JSON.stringify(edited), /Thé #maß/); // not cut at the first byte that is not ASCII
    assert.deepEqual(v.bytes(file), bytes(text.replace('Café', 'Thé')));
    assert.equal(edited.etag, (await v.ok('vault_read', { path: file })).etag);
    await v.ok('vault_undo', {});
    assert.deepEqual(v.bytes(file), bytes(text));
    await v.ok('vault_edit', { path: file, lines: '3', new_text: 'Höhe' });
    await v.ok('vault_insert', { path: file, content: '- grün' });
    const done = { path: file, text: 'Prüfen', status: 'done' };
    if (encoding === 'UTF-16LE') await v.ok('vault_task', done);
    else assert.match(await v.fails('vault_task', done, 'NOT_TEXT'), /has no '✅'/);
    assert.equal((await v.ok('vault_read', { path: file })).encoding, encoding);
    const env = cleanEnv(tempDir(t), { VAULT_PATH: v.vault, STATE_DIR: tempDir(t) });
    const cli = await run(VAULTD, ['edit', file, 'Größe', 'Länge'], { env });
    assert.equal(cli.code, 0, cli.stderr);
    assert.match((await v.ok('vault_read', { path: file })).content, /^# Länge\n\nHöhe\n/);
    await v.ok('vault_write', { path: file, content: read.content, overwrite: true });
    assert.equal(v.text(file), text);
    v.put(file, bytes(text));
  }
  assert.match(await v.fails('vault_insert', { path: 'Latin.md', content: '→' }, 'NOT_TEXT'), /'Latin.md' is windows-1252, which has no '→'.*vault_write and overwrite/);
  assert.deepEqual(v.bytes('Latin.md'), rows[0][2](text));
  await v.ok('vault_insert', { path: 'Wide.md', content: '→' });
  await v.ok('vault_move', { path: 'Ziel.md', to: 'Übung.md' });
  assert.deepEqual(v.bytes('Latin.md'), rows[0][2](text.replace('Ziel', 'Übung')));
  v.put('2026-11-17.md', wide('# Größe\n'));
  await v.ok('vault_daily', { date: '2026-11-17', append: '- x' });
  assert.match((await v.ok('vault_read', { path: '2026-11-17.md' })).content, /^# Größe\n[^]*- x\n/);
  const odd = await v.ok('vault_read', { path: 'Odd.md' });
  assert.deepEqual([odd.content, odd.encoding], ['Größe\n\uFFFD', 'UTF-8 with invalid bytes']);
  assert.equal((await v.ok('vault_read', { path: 'Good.md' })).encoding, undefined);
  const env = cleanEnv(tempDir(t), { VAULT_PATH: v.vault });
  v.put('Latin.md', rows[0][2](text));
  const json = JSON.parse((await run(VAULTD, ['read', 'Latin.md', '--json'], { env })).stdout);
  assert.deepEqual([json.content, json.encoding], [text, 'windows-1252']);
  assert.match((await run(VAULTD, ['read', 'Latin.md'], { env })).stdout, /# Gr\uFFFD\uFFFDe/); // byte for byte
});

test('an edit says once that hard links keep the old text', async (t) => {
  const v = await open(t, { 'A.md': 'old\n' });
  linkSync(path.join(v.vault, 'A.md'), path.join(v.vault, 'B.md'));
  await v.ok('vault_search', { query: 'old' });
  v.put('A.md', 'old one\n');
  await v.ok('vault_read', { path: 'A.md' });
  const edit = (from, to) => v.ok('vault_edit', { path: 'A.md', old_text: from, new_text: to });
  assert.match(JSON.stringify(await edit('old', 'new')), /'A\.md' had hard links: the other names keep the old text/);
  assert.doesNotMatch(JSON.stringify(await edit('new', 'newer')), /hard links/);
  assert.deepEqual([v.text('A.md'), v.text('B.md')], ['newer one\n', 'old one\n']);
});

/* --- attachments --- */

test('attachments are written as base64, and only as what they are', async (t) => {
  const v = await open(t, {}, ['--attachment-max', '1']);
  const picture = png(20, 10), data = picture.toString('base64');
  assert.match(await v.fails('vault_write', { path: 'a.png', content: data }, 'INVALID_CONTENT'), /encoding base64/);
  await v.fails('vault_write', { path: 'a.jpg', content: data, encoding: 'base64' }, 'INVALID_CONTENT');
  assert.doesNotMatch(await v.fails('vault_write', { path: 'a.png', content: 'SGVsbG8=', encoding: 'base64' }, 'INVALID_CONTENT'), /base64/);
  await v.fails('vault_write', { path: 'a.md', content: data, encoding: 'base64' }, 'INVALID_CONTENT');
  await v.fails('vault_write', { path: 'a.png', content: 'not base64!', encoding: 'base64' }, 'INVALID_ARGUMENT');
  await v.fails('vault_write', { path: 'a.png', content: Buffer.alloc((1 << 20) + 1).toString('base64'), encoding: 'base64' }, 'FILE_TOO_LARGE');
  assert.ok(!v.has('a.png') && !v.has('a.jpg'));
  const made = await v.ok('vault_write', { path: 'Files/a.png', content: data, encoding: 'base64' });
  assert.deepEqual([made.size, made.total_lines, v.bytes('Files/a.png')], [picture.length, undefined, picture]);
  await v.fails('vault_write', { path: 'Files/a.png', content: png(1, 1).toString('base64'), encoding: 'base64' }, 'FILE_EXISTS');
  await v.ok('vault_write', { path: 'b.png', content: `data:image/png;base64,${data.replace(/.{40}/g, '$&\n')}`, encoding: 'base64' });
  assert.deepEqual(v.bytes('b.png'), picture);
  await v.ok('vault_undo', {});
  assert.ok(!v.has('b.png'));
});

test('PDF and sounds come as they are, within a limit', async (t) => {
  const pdf = Buffer.from('%PDF-1.4\n%\xE2\xE3\n', 'latin1'), sound = Buffer.from('ID3\x04\0\0\0\0\0\0', 'latin1');
  const v = await open(t, { 'Files/My report.pdf': pdf, 'x.mp3': sound, 'fake.mp3': 'text', 'big.pdf': Buffer.concat([pdf, Buffer.alloc(1 << 20)]) }, ['--attachment-max', '1']);
  const [first, second] = (await v.raw('vault_read', { path: 'My report.pdf' })).content;
  assert.deepEqual(first, { type: 'resource', resource: { uri: 'vault:///Files/My%20report.pdf', mimeType: 'application/pdf', blob: pdf.toString('base64') } });
  assert.deepEqual(JSON.parse(second.text), { path: 'Files/My report.pdf', size: pdf.length, mime_type: 'application/pdf' });
  assert.deepEqual((await v.raw('vault_read', { path: 'x.mp3' })).content[0], { type: 'audio', data: sound.toString('base64'), mimeType: 'audio/mpeg' });
  await v.fails('vault_read', { path: 'fake.mp3' }, 'NOT_TEXT');
  assert.match(await v.fails('vault_read', { path: 'big.pdf' }, 'FILE_TOO_LARGE'), /--attachment-max/);
});

for (const connection of CONNECTIONS.filter((c) => c.name.startsWith('SDK v1') || c.name.startsWith('SDK v2 auto')))
  test(`a large picture is scaled down: ${connection.name}`, async (t) => {
    if (!hasGd) return t.skip('libgd is not installed');
    const vault = path.join(tempDir(t), 'vault');
    mkdirSync(vault);
    writeFileSync(path.join(vault, 'wide.png'), png(3136, 20));
    writeFileSync(path.join(vault, 'noise.png'), png(1000, 700, true));
    writeFileSync(path.join(vault, 'cut.png'), png(3136, 20).subarray(0, 100));
    writeFileSync(path.join(vault, 'bomb.png'), png(1, 1).fill(0xff, 16, 17));
    const sdk = await connect(t, connection, { vault });
    const read = (file) => sdk.call({ name: 'vault_read', arguments: { path: file } });
    const [wide, about] = (await read('wide.png')).content;
    assert.equal(wide.type, 'image', JSON.stringify(wide).slice(0, 300));
    const copy = Buffer.from(wide.data, 'base64');
    assert.deepEqual([wide.type, wide.mimeType, copy.readUInt32BE(16), copy.readUInt32BE(20)], ['image', 'image/png', 1568, 10]);
    assert.match(about.text, /3136/);
    const noise = (await read('noise.png')).content[0];
    assert.equal(noise.mimeType, 'image/jpeg');
    assert.ok(Buffer.from(noise.data, 'base64').length <= 1 << 20);
    const many = await Promise.all(Array.from({ length: 6 }, () => read('wide.png')));
    assert.deepEqual(many.map(({ content }) => content[0].data), many.map(() => wide.data), 'they take turns');
    for (const [file, says] of [['cut.png', /damaged/], ['bomb.png', /pixels/]]) {
      const { isError, content } = await read(file);
      assert.ok(isError && says.test(content[0].text), content[0].text);
    }
    await sdk.close();
  });

/* --- the command line --- */

test('vaultd write: .md, --overwrite, --if-match, --template, --keep-properties', async (t) => {
  const top = tempDir(t), vault = path.join(top, 'vault');
  mkdirSync(path.join(vault, '.obsidian'), { recursive: true });
  mkdirSync(path.join(vault, 'T'));
  writeFileSync(path.join(vault, '.obsidian/templates.json'), '{"folder": "T"}');
  writeFileSync(path.join(vault, 'T/Day.md'), '# {{title}}\n');
  const env = cleanEnv(top, { VAULT_PATH: vault, STATE_DIR: path.join(top, 'state') });
  const vaultd = async (...args) => {
    const end = await run(VAULTD, args, { env, input: '' });
    assertNoSanitizer(end.stderr, args.join(' '));
    return end;
  };
  const text = (file) => readFileSync(path.join(vault, file), 'utf8');
  const made = await vaultd('write', 'New idea', '---\na: 1\n---\none\n');
  assert.match(made.stdout, /created New idea\.md/);
  const refused = await vaultd('write', 'New idea', 'two\n');
  assert.equal(refused.code, 1);
  const [, etag] = /'New idea\.md' already exists.*--overwrite.*--if-match ([0-9a-f]{16})/.exec(refused.stderr);
  assert.equal((await vaultd('write', '--keep-properties', '--if-match', etag, 'New idea', 'two\n')).code, 0);
  assert.equal(text('New idea.md'), '---\na: 1\n---\ntwo\n');
  assert.equal((await vaultd('write', '--overwrite', 'New idea.md', 'three')).code, 0);
  assert.equal((await vaultd('write', '--template', 'Day', 'Monday')).code, 0);
  assert.equal(text('Monday.md'), '# Monday\n');
  assert.match((await vaultd('insert', 'CLI idea', 'hi')).stderr, /--create/);
  assert.match((await vaultd('move', 'New idea', 'Monday')).stderr, /'Monday\.md' already exists; choose another name, or move or delete/);
  assert.match((await vaultd('insert', 'CLI idea', 'hi', '--create')).stdout, /created CLI idea\.md/);
  assert.match((await vaultd('write', 'Bad', '---\na: [\n---\n')).stderr, /'Bad\.md' would not be valid: line/);
  assert.match((await vaultd('daily', '--period', 'week')).stderr, /no weekly notes/);
  assert.match((await vaultd('daily', '--section', 'Log', '- x')).stderr, /Log/);
  assert.equal((await vaultd('daily', '--section', 'Log', '--create', '- x')).code, 0);
});
