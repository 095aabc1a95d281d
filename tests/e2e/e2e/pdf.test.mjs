// PDF files: searched, read by page, shown as pictures; damaged and hostile ones.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import zlib from 'node:zlib';
import { PORTABLE, cleanEnv, run, startStdio, tempDir, until, VAULTD, within } from '../support.mjs';

const PROGRAMS = ['pdfinfo', 'pdftotext', 'pdftoppm'];
const installed = PROGRAMS.every((name) => process.env.PATH.split(':').some((dir) => existsSync(path.join(dir, name))));
const poppler = { skip: installed ? false : 'poppler-utils is not installed' };

/* --- files, written by hand --- */

/** A PDF of these objects, numbered from 1. */
function assemble(objects, trailer = '') {
  const parts = [Buffer.from('%PDF-1.4\n')], offsets = [];
  let at = parts[0].length;
  objects.forEach((body, i) => {
    const bytes = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), Buffer.from(body), Buffer.from('\nendobj\n')]);
    offsets.push(at);
    at += bytes.length;
    parts.push(bytes);
  });
  const table = offsets.map((n) => `${String(n).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(Buffer.from(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer << /Size ${objects.length + 1} /Root 1 0 R /Info 4 0 R ${trailer} >>\nstartxref\n${at}\n%%EOF\n`));
  return Buffer.concat(parts);
}

const stream = (bytes, more = '') => Buffer.concat([Buffer.from(`<< /Length ${bytes.length} ${more} >>\nstream\n`), Buffer.from(bytes), Buffer.from('\nendstream')]);
const lines = (page) => `BT /F1 12 Tf 20 250 Td 14 TL ${page.map((line) => `(${line}) Tj T*`).join(' ')} ET`;

/** A PDF with these pages, each a list of lines; options replace parts of it. */
function pdf(pages, { title = 'A title', count = pages.length, kids, trailer, contents } = {}) {
  const numbers = kids ?? pages.map((_, i) => `${5 + 2 * i} 0 R`).join(' ');
  return assemble([
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${numbers}] /Count ${count} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    `<< /Title (${title}) >>`,
    ...pages.flatMap((page, i) => [
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Contents ${6 + 2 * i} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
      contents ?? stream(lines(page)),
    ]),
  ], trailer);
}

const PLAN = pdf([['The giraffe pavilion', 'has a tall door'], [], ['Budget for the pavilion', 'Zoo-related costs']], { title: 'Zoo plan' });
const LOCKED = pdf([['secret']], { trailer: `/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <${'41'.repeat(32)}> /U <${'42'.repeat(32)}> >> /ID [<00> <00>]` });

/** Name: bytes that must cost nothing but their own answer. */
const HOSTILE = {
  'not.pdf': Buffer.from('this is not a PDF'),
  'empty.pdf': Buffer.alloc(0),
  'locked.pdf': LOCKED,
  'truncated.pdf': PLAN.subarray(0, 200),
  'many-pages.pdf': pdf([['one']], { count: 1000000000 }),
  'own-child.pdf': pdf([['one']], { kids: '2 0 R '.repeat(50), count: 50 }),
  'deep.pdf': pdf([['one']], { contents: stream(`${'['.repeat(300000)}`) }),
  'bomb.pdf': pdf([['one']], { contents: stream(zlib.deflateSync(Buffer.from(`BT /F1 1 Tf ${'(aaaaaaaa) Tj T* '.repeat(60000)} ET`)), '/Filter /FlateDecode') }),
  'page-bomb.pdf': pdf([['one']], { contents: stream(zlib.deflateSync(Buffer.alloc(100 << 20)), '/Filter /FlateDecode') }),
};

/* --- servers --- */

function makeVault(t, files) {
  const dir = path.join(tempDir(t), 'vault');
  mkdirSync(path.join(dir, '.obsidian'), { recursive: true });
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(path.join(dir, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(dir, name), bytes);
  }
  return dir;
}

async function open(t, dir, { args = [], env = {}, state } = {}) {
  const io = startStdio(t, { vault: dir, state, args: ['--auto-context', 'off', ...args], env: { VAULTD_PDF: 'on', ...env } });
  await io.initialize();
  const raw = (name, args = {}) => within(io.call(name, args), `${name} ${JSON.stringify(args)}`, 120000).then((m) => m.result);
  const call = async (name, args) => {
    const result = await raw(name, args);
    const data = JSON.parse(result.content.at(-1).text);
    return result.isError ? data.error : data;
  };
  /** The answer to a search, when all files are read. */
  const search = (query, more = {}) => until(`PDF files are read for ${query}`, async () => {
    const found = await call('vault_search', { query, ...more });
    return found.pdf_not_read_yet === undefined && found;
  }, 120000);
  return { io, raw, call, search };
}

/** Programs in PATH instead of poppler's: each prints what a shell script prints. */
function standIns(t, scripts) {
  const dir = path.join(tempDir(t), 'bin');
  mkdirSync(dir);
  for (const name of PROGRAMS) {
    writeFileSync(path.join(dir, name), `#!/bin/sh\n${scripts[name] ?? 'exit 1'}\n`);
    chmodSync(path.join(dir, name), 0o755);
  }
  return { PATH: `${dir}:/usr/bin:/bin` };
}

const withoutPoppler = (t) => standIns(t, {}).PATH.split(':')[0];

/* --- what it is for --- */

test('a PDF is found by its text, with page and line', poppler, async (t) => {
  const { search, call } = await open(t, makeVault(t, { 'Papers/plan.pdf': PLAN, 'Note.md': 'A [[plan.pdf#page=3]] for the pavilion\n' }));
  const { results, total_files } = await search('pavilion');
  assert.equal(total_files, 2);
  const hits = results.filter((r) => r.path === 'Papers/plan.pdf');
  assert.deepEqual(hits.map((h) => [h.page, h.line]), [[1, 2], [3, 6]]);
  assert.match(hits[0].snippet, /^ ?The giraffe \*\*pavilion\*\* has a tall door/);
  assert.equal(results.find((r) => r.path === 'Note.md').page, undefined);
  const ranked = await search('costs budget', { mode: 'words' });
  assert.deepEqual([ranked.results[0].path, ranked.results[0].page], ['Papers/plan.pdf', 3]);
  assert.equal((await search('gir.ffe', { mode: 'regex' })).results[0].page, 1);
  const read = await call('vault_read', { path: 'Papers/plan.pdf', offset: hits[1].line, limit: 1 });
  assert.deepEqual(await call('vault_read', { path: 'plan.pdf', offset: hits[1].line, limit: 1 }), read, 'by its name');
  assert.equal(read.content, 'Budget for the pavilion\n');
});

test('a PDF that is added, changed, moved or removed is followed', poppler, async (t) => {
  const dir = makeVault(t, { 'a.pdf': PLAN });
  const { search, call } = await open(t, dir);
  const paths = async (query) => (await search(query)).results.filter((r) => r.match_type === 'content').map((r) => r.path);
  assert.deepEqual(await paths('giraffe'), ['a.pdf']);
  writeFileSync(path.join(dir, 'b.pdf'), pdf([['a lonely okapi']]));
  await until('the new one is found', async () => (await paths('okapi')).includes('b.pdf'), 60000);
  renameSync(path.join(dir, 'b.pdf'), path.join(dir, 'c.pdf'));
  await until('the moved one is found', async () => (await paths('okapi')).join() === 'c.pdf', 60000);
  writeFileSync(path.join(dir, 'c.pdf'), pdf([['a busy aardvark']]));
  await until('the changed one is found', async () => (await paths('aardvark')).includes('c.pdf') && (await paths('okapi')).length === 0, 60000);
  rmSync(path.join(dir, 'c.pdf'));
  await until('the removed one is not', async () => (await paths('aardvark')).length === 0, 60000);
  assert.equal((await call('vault_check')).error, undefined);
});

test('a PDF is read by page', poppler, async (t) => {
  const { call, raw } = await open(t, makeVault(t, { 'plan.pdf': PLAN, 'scan.pdf': pdf([[], []]) }));
  const whole = await call('vault_read', { path: 'plan.pdf' });
  assert.deepEqual([whole.pages, whole.title, whole.etag, whole.total_lines], [3, 'Zoo plan', undefined, 7]);
  assert.equal(whole.content, '--- page 1 ---\nThe giraffe pavilion\nhas a tall door\n--- page 2 ---\n--- page 3 ---\nBudget for the pavilion\nZoo-related costs\n');
  const third = await call('vault_read', { path: 'plan.pdf', section: 'page=3' });
  assert.deepEqual([third.showing, third.content], [[5, 7], '--- page 3 ---\nBudget for the pavilion\nZoo-related costs\n']);
  assert.equal((await call('vault_read', { path: 'plan.pdf', section: 'page=1-2' })).showing[1], 4);
  const cut = await call('vault_read', { path: 'plan.pdf', limit: 6, offset: 3 });
  assert.match(cut.content, /^has a tall door\n--- page 2 ---\n--- page 3 ---\n/);
  for (const [section, code] of [['page=4', 'INVALID_RANGE'], ['page=0', 'INVALID_RANGE'], ['page=3-2', 'INVALID_RANGE'], ['Budget', 'HEADING_NOT_FOUND']])
    assert.equal((await call('vault_read', { path: 'plan.pdf', section })).code, code, section);
  const { io } = await open(t, makeVault(t, { 'plan.pdf': PLAN, 'scan.pdf': pdf([[], []]) }), { args: ['--answers', 'text'] });
  const text = async (args) => (await io.call('vault_read', args)).result.content.at(-1).text;
  assert.match(await text({ path: 'plan.pdf', section: 'page=3' }), /^plan\.pdf \(lines 5-7 of 7, 3 pages, "Zoo plan"\)\n--- page 3 ---\nBudget/);
  assert.match(await text({ path: 'scan.pdf' }), /^scan\.pdf \(2 lines, 2 pages, "A title"\)\n\[.*scanned.*view image/);
  assert.equal((await raw('vault_read', { path: 'plan.pdf', view: 'outline' })).isError, true);
});

test('PDF files are read among others, and by page as in a link', poppler, async (t) => {
  const { call } = await open(t, makeVault(t, { 'plan.pdf': PLAN, 'other.pdf': pdf([['Second file']]), 'broken.pdf': Buffer.from('this is not a PDF'), 'Note.md': '# One\n\ntext\n\n# Two\n\nmore ^id\n' }));
  const { files } = await call('vault_read', { path: 'Note', paths: ['plan.pdf', 'broken.pdf', 'other.pdf', 'plan.pdf#page=3', 'Note#Two'] });
  assert.deepEqual(files.map((f) => [f.path, f.showing ?? f.error.includes('broken.pdf')]), [
    ['Note.md', [1, 7]], ['plan.pdf', [1, 7]], ['broken.pdf', true], ['other.pdf', [1, 2]], ['plan.pdf', [5, 7]], ['Note.md', [5, 7]]]);
  assert.match(files[3].content, /Second file/);
  const third = await call('vault_read', { path: 'plan.pdf#page=3' });
  assert.deepEqual(third, await call('vault_read', { path: 'plan.pdf', section: 'page=3' }));
  assert.equal((await call('vault_read', { path: 'Note#^id' })).content, 'more ^id');
  assert.equal((await call('vault_read', { path: 'Note#Nothing' })).code, 'HEADING_NOT_FOUND');
  assert.equal((await call('vault_read', { path: 'Missing#Two' })).code, 'FILE_NOT_FOUND');
});

test('a page of a PDF is shown as a picture, and the file as it is', poppler, async (t) => {
  const { raw, call } = await open(t, makeVault(t, { 'plan.pdf': PLAN, 'Note.md': 'text\n' }));
  const { content } = await raw('vault_read', { path: 'plan.pdf', view: 'image', section: 'page=3' });
  const png = Buffer.from(content[0].data, 'base64');
  assert.equal(content[0].mimeType, 'image/png');
  assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1176, 1568], 'width and height');
  assert.equal(JSON.parse(content[1].text).page, 3);
  assert.equal((await call('vault_read', { path: 'plan.pdf', view: 'image' })).page, 1);
  assert.equal((await call('vault_read', { path: 'plan.pdf', view: 'image', section: 'page=9' })).code, 'INVALID_RANGE');
  const file = await raw('vault_read', { path: 'plan.pdf', view: 'file' });
  assert.deepEqual(Buffer.from(file.content[0].resource.blob, 'base64'), PLAN);
  assert.match((await call('vault_read', { path: 'Note.md', view: 'image' })).message, /is text: leave out view/);
});

test('SEC-98 a damaged or hostile PDF costs nothing but its own answer', poppler, async (t) => {
  const { search, call, raw } = await open(t, makeVault(t, { ...HOSTILE, 'plan.pdf': PLAN, 'Note.md': 'a giraffe\n' }));
  const { results } = await search('giraffe');
  assert.deepEqual(results.map((r) => r.path).sort(), ['Note.md', 'plan.pdf']);
  for (const name of Object.keys(HOSTILE)) {
    const answer = await call('vault_read', { path: name });
    assert.ok(answer.pages >= 1 || ['NOT_TEXT', 'FILE_TOO_LARGE', 'TIMEOUT'].includes(answer.code), `${name}: ${JSON.stringify(answer).slice(0, 300)}`);
    const picture = await raw('vault_read', { path: name, view: 'image' });
    assert.ok(!picture.isError || /PDF|page/.test(picture.content[0].text), name);
  }
  assert.match((await call('vault_read', { path: 'locked.pdf' })).message, /'locked\.pdf': the PDF is encrypted and needs a password; view file gives the file as it is/);
  assert.match((await call('vault_read', { path: 'truncated.pdf' })).message, /damaged/);
  const check = JSON.stringify(await call('vault_check', { kinds: ['unread_file'] }));
  assert.match(check, /locked\.pdf/);
  assert.equal((await call('vault_read', { path: 'plan.pdf' })).pages, 3);
});

test('a restart reads nothing again', poppler, async (t) => {
  const dir = makeVault(t, { 'plan.pdf': PLAN }), state = path.join(tempDir(t), 'state');
  const first = await open(t, dir, { state });
  assert.equal((await first.search('giraffe')).results.length, 1);
  await first.io.eof();
  const cached = readdirSync(path.join(state, 'pdf'));
  assert.equal(cached.length, 1);
  assert.equal(statSync(path.join(state, 'pdf', cached[0])).mode & 0o777, 0o600);
  const broken = { env: standIns(t, {}), state };
  const second = await open(t, dir, broken);
  assert.equal((await second.search('giraffe')).results.length, 1, 'from the stored index');
  await second.io.eof();
  for (const name of readdirSync(state).filter((n) => n.endsWith('.snapshot'))) rmSync(path.join(state, name));
  const third = await open(t, dir, broken);
  assert.equal((await third.search('giraffe')).results.length, 1, 'from the cache');
  assert.equal((await third.call('vault_read', { path: 'plan.pdf' })).pages, 3);
  await third.io.eof();
  const off = await open(t, dir, { state, env: { VAULTD_PDF: 'off' } });
  assert.equal((await off.search('giraffe')).results.length, 0, 'not with --pdf off');
});

test('a PDF that clients may not read is not found', poppler, async (t) => {
  const dir = makeVault(t, { 'Private/plan.pdf': PLAN, 'Public/plan.pdf': PLAN });
  const { search, call } = await open(t, dir, { args: ['--deny-paths', 'Private'] });
  assert.deepEqual((await search('giraffe')).results.map((r) => r.path), ['Public/plan.pdf']);
  assert.equal((await call('vault_read', { path: 'Private/plan.pdf' })).code, 'FILE_NOT_FOUND');
});

test('the command line reads and finds PDF files', poppler, async (t) => {
  const dir = makeVault(t, { 'plan.pdf': PLAN, 'locked.pdf': LOCKED });
  const env = cleanEnv(tempDir(t), { VAULTD_PDF: 'on' });
  const cli = (...args) => run(VAULTD, [args[0], '--vault-path', dir, ...args.slice(1)], { env });
  // a search waits for texts for a second only, and finds those of the run before
  await until('the text is found', async () => (await cli('search', 'giraffe')).stdout === 'plan.pdf:2:(page 1) The giraffe pavilion\n');
  assert.equal(JSON.parse((await cli('search', 'budget', '--json')).stdout).results[0].page, 3);
  assert.equal((await cli('read', 'plan.pdf', '--section', 'page=3')).stdout, '--- page 3 ---\nBudget for the pavilion\nZoo-related costs\n');
  assert.equal(JSON.parse((await cli('read', 'plan.pdf', '--json')).stdout).title, 'Zoo plan');
  const locked = await cli('read', 'locked.pdf');
  assert.deepEqual([locked.code, /encrypted/.test(locked.stderr)], [2, true]);
  assert.equal((await cli('search', 'giraffe', '--pdf', 'off')).code, 1);
});

/* --- on every machine --- */

test('without poppler-utils a PDF is a file, and its answer says what to install', async (t) => {
  const dir = makeVault(t, { 'plan.pdf': PLAN }), bin = withoutPoppler(t);
  for (const name of PROGRAMS) rmSync(path.join(bin, name));
  const { raw, call, search } = await open(t, dir, { env: { PATH: bin } });
  const { content } = await raw('vault_read', { path: 'plan.pdf' });
  assert.deepEqual(Buffer.from(content[0].resource.blob, 'base64'), PLAN);
  assert.match(JSON.parse(content[1].text).note, /install poppler-utils/);
  assert.equal((await search('giraffe')).total_matches, 0);
  assert.equal((await call('vault_read', { path: 'plan.pdf', view: 'file' })).size, PLAN.length);
  const env = cleanEnv(tempDir(t), { VAULTD_PDF: 'on', PATH: bin });
  assert.match((await run(VAULTD, ['read', '--vault-path', dir, 'plan.pdf'], { env })).stderr, /install poppler-utils/);
  const { checks } = JSON.parse((await run(VAULTD, ['doctor', '--json', '--port', '0', dir], { env })).stdout);
  assert.match(checks.find((c) => c.id === 'pdf').fix, /Install poppler-utils/);
});

test('SEC-98 a program that is killed, prints without end or looks around', async (t) => {
  const secret = path.join(tempDir(t), 'secret');
  writeFileSync(secret, 'the secret\n');
  const looks = PORTABLE ? ':' : `cat ${secret}; ls ${path.dirname(secret)}; kill -9 $PPID`; // a portable build confines nothing
  const env = standIns(t, {
    pdfinfo: 'in=$(cat); case "$in" in *killed*) ulimit -t 1; while :; do :; done;; esac; echo "Pages: 1"',
    pdftotext: `in=$(cat); case "$in" in *endless*) exec yes a line;; *looks*) ${looks};; esac; printf 'the text\\n\\f'`,
  });
  const bytes = (word) => Buffer.from(`%PDF-1.4 ${word}`);
  const dir = makeVault(t, { 'killed.pdf': bytes('killed'), 'endless.pdf': bytes('endless'), 'looks.pdf': bytes('looks'), 'plain.pdf': bytes('plain') });
  const { search, call } = await open(t, dir, { env });
  assert.deepEqual((await search('the text')).results.map((r) => r.path), ['looks.pdf', 'plain.pdf']);
  assert.equal((await search('secret', { mode: 'text' })).total_matches, 0);
  assert.match((await call('vault_read', { path: 'killed.pdf' })).message, /reading the PDF failed/);
  assert.equal((await call('vault_read', { path: 'looks.pdf' })).content, '--- page 1 ---\nthe text\n');
  assert.deepEqual([(await call('vault_read', { path: 'endless.pdf', limit: 2 })).pages_cut], [true]);
});
