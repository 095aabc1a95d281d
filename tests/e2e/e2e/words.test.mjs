// Answers for models: plain text, in which nothing is escaped and nothing is said twice.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { EXAMPLE_VAULT, TOP, copyVault, startStdio, tempDir } from '../support.mjs';

const DOC = path.join(TOP, 'docs/answers.md');
const UI = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } };

async function open(t, { vault = EXAMPLE_VAULT, args = [], capabilities } = {}) {
  const io = startStdio(t, { vault, args: ['--answers', 'text', '--auto-context', 'off', ...args] });
  await io.initialize(undefined, capabilities);
  const ask = async (tool, wish) => {
    const { result } = await io.call(tool, wish);
    return { text: result.content[0].text, failed: result.isError === true, result };
  };
  return { io, ask };
}

function vaultOf(t, files) {
  const dir = path.join(tempDir(t), 'vault');
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, file)), { recursive: true });
    writeFileSync(path.join(dir, file), text);
  }
  return dir;
}

/** The examples of docs/answers.md: a call, then its answer. UPDATE_GOLDEN=1 rewrites the answers. */
test('the examples in docs/answers.md are what a model gets', async (t) => {
  const { ask } = await open(t, { vault: copyVault(t) });
  let doc = readFileSync(DOC, 'utf8');
  for (const [block, call] of doc.matchAll(/^```text\n> (.*)\n(?:.*\n)*?^```$/gm)) {
    const [, tool, args] = /^(\w+) (.*)$/.exec(call);
    const { text } = await ask(tool, JSON.parse(args));
    const steady = text.replace(/change \d+/g, 'change 1').trimEnd();
    const wanted = `\`\`\`text\n> ${call}\n${steady}\n\`\`\``;
    if (process.env.UPDATE_GOLDEN) doc = doc.replace(block, () => wanted);
    else assert.equal(block, wanted);
  }
  if (process.env.UPDATE_GOLDEN) writeFileSync(DOC, doc);
});

test('a note is returned as it is, after one line', async (t) => {
  const { ask } = await open(t);
  const notes = readdirSync(EXAMPLE_VAULT, { recursive: true }).filter((file) => /^[^.].*\.(md|canvas|base|csv)$/.test(file));
  assert.ok(notes.length > 50);
  for (const file of notes) {
    const stored = readFileSync(path.join(EXAMPLE_VAULT, file), 'utf8');
    const { text } = await ask('vault_read', { path: file, limit: 0 });
    const [head, ...rest] = text.split('\n');
    assert.match(head, new RegExp(` \\(\\d+ lines?, etag [0-9a-f]{16}${file.endsWith('.base') ? ', views: [^()]+' : ''}\\)$`), file);
    assert.ok(head.startsWith(`${file} (`), head);
    const body = rest[0].startsWith('[hidden text: ') ? rest.slice(1) : rest;
    assert.equal(body.join('\n'), stored.endsWith('\n') || stored === '' ? stored : `${stored}\n`, file);
  }
});

/** tool, arguments, how an item begins: following "more" gives every item once. */
const MANY = 300;
const LISTS = [
  ['vault_list', { recursive: true }, /^ *Note \d+\.md$/gm],
  ['vault_list', { path: 'Many' }, /^Note \d+\.md$/gm],
  ['vault_search', { query: 'needle', max_results: 1000 }, /^\d+: .*\*\*needle\*\*.*$/gm],
  ['vault_query', { where: 'index exists', select: ['index'], limit: 1000 }, /^Many\/Note \d+\.md \| \d+$/gm],
  ['vault_query', { where: 'index exists', group: 'index', limit: 1000 }, /^\d+ \| 1$/gm],
  ['vault_query', { from: 'tasks', limit: 1000 }, /^\d+: \[ \] task.*$/gm],
  ['vault_links', { path: 'Hub.md', direction: 'outgoing', limit: 1000 }, /^\d+: Many\/Note.*$/gm],
  ['vault_links', { path: 'Hub.md', direction: 'backlinks', limit: 1000 }, /^\d+: .*$/gm],
  ['vault_links', { direction: 'unresolved', limit: 1000 }, /^1 Nowhere \d+ in .*$/gm],
  ['vault_query', { from: 'tags', limit: 1000 }, /^#tag\d+ 1$/gm],
  ['vault_list', { tag: 'common', limit: 1000 }, /^ *Note \d+\.md$/gm],
];

test('answers in words keep their budget, and say where to go on', async (t) => {
  const files = { 'Hub.md': Array.from({ length: MANY }, (_, i) => `- [[Note ${i}]]\n`).join('') };
  for (let i = 0; i < MANY; i++)
    files[`Many/Note ${i}.md`] = `---\ntags: [tag${i}, common]\nindex: ${i}\n---\n[[Hub]] needle ${i} [[Nowhere ${i}]]\n\n- [ ] task ${i}\n`;
  const { ask } = await open(t, { vault: vaultOf(t, files) });
  for (const [tool, args, item] of LISTS) {
    let offset = 0, found = [];
    for (let pages = 0; offset !== undefined; pages++) {
      const { text } = await ask(tool, { ...args, budget: 500, offset });
      assert.ok(Buffer.byteLength(text) <= 2000, `${tool}: ${text.length}`);
      assert.ok(pages < 200, `${tool} does not end`);
      found.push(...(text.match(item) ?? []));
      const more = /^\[more: offset (\d+)\]$/m.exec(text);
      offset = more ? Number(more[1]) : undefined;
    }
    assert.equal(found.length, MANY, `${tool} ${JSON.stringify(args)}`);
    assert.equal(new Set(found).size, MANY, `${tool} ${JSON.stringify(args)}`);
  }
});

test('a hit is the line itself, with every match in it in bold', async (t) => {
  const files = { 'Barrel.md': '---\ntags: water\nup: rain\n---\n# Rain barrel\n\nWater, and more water.\nRain is water.\n' };
  const { ask } = await open(t, { vault: vaultOf(t, files) });
  const lines = async (query, mode) => (await ask('vault_search', { query, mode })).text.split('\n').filter((line) => /^\d+: /.test(line));
  assert.deepEqual(await lines('more water', 'text'), ['7: Water, and **more water**.']);
  assert.deepEqual(await lines('and water', 'words'), ['7: **Water**, **and** more **water**.']);
  assert.deepEqual(await lines('barrel rain', 'words'), ['5: # **Rain** **barrel**']);
  assert.deepEqual(await lines('water rain', 'words'), ['8: **Rain** is **water**.']);
  assert.deepEqual(await lines('water', 'text'), ['2: tags: **water**', '7: **Water**, and more **water**.', '8: Rain is **water**.']);
});

test('in a question, words that are everywhere do not count', async (t) => {
  const files = { 'Butt.md': 'The butt is for water from the roof.\n', 'Beds.md': 'Water for the garden.\n' };
  for (let i = 0; i < 20; i++) files[`Other ${i}.md`] = `I look for the number ${i}, and how.\n`;
  const { ask } = await open(t, { vault: vaultOf(t, files) });
  const { text } = await ask('vault_search', { query: 'how do I keep the water for the garden?' });
  assert.equal(text, '2 matches in 2 files\nBeds.md\n1: **Water** for the **garden**.\nButt.md\n1: The butt is for **water** from the roof.\n'
    + '[No note contains all the words; these contain some of them.]\n');
  assert.match((await ask('vault_search', { query: 'for the unknown' })).text, /^22 matches/);
});

test('a tag that no note has is answered with those that may be meant', async (t) => {
  const { ask } = await open(t);
  const says = async (tool, args, wanted) => assert.ok((await ask(tool, args)).text.includes(wanted), `${tool} ${JSON.stringify(args)}`);
  const meant = "o note has the tag 'gardn'; did you mean 'area/garden', 'project/garden'?";
  await says('vault_move', { tag: 'gardn', to: 'beds' }, meant);
  await says('vault_search', { query: 'bed', tag: 'gardn' }, meant);
  await says('vault_list', { recursive: true, tag: 'gardn' }, meant);
  for (const query of ['tag:garden', 'bed tag:#gardn', '-x (tag:gardn OR tag:garden)'])
    await says('vault_search', { query }, '[did you mean: tag:#area/garden, tag:#project/garden]');
});

test('an answer without results says what to do next', async (t) => {
  const { ask } = await open(t, { vault: vaultOf(t, { 'A.md': '---\nstatus: done\n---\n', 'B.md': 'b\n' }) });
  const NEXT = '[try fewer or other words; vault_query from tags and vault_list show what there is]\n';
  for (const query of ['(((', 'zzqx', 'tag:zzqx'])
    assert.ok((await ask('vault_search', { query })).text.endsWith(NEXT), query);
  const { text } = await ask('vault_query', { select: ['statsu'] });
  assert.match(text, /^\[no note has 'statsu'; did you mean: status\]\n2 notes\n/);
  assert.match((await ask('vault_query', { group: 'status' })).text, /^\(none\) \| 1$/m);
});

test('only a page beside the answer gets it as JSON', async (t) => {
  const plain = await open(t), shown = await open(t, { capabilities: UI });
  for (const [tool, args] of [['vault_search', { query: 'otter' }], ['vault_links', { path: 'Home' }]]) {
    assert.equal((await plain.ask(tool, args)).result.structuredContent, undefined);
    const { result, text } = await shown.ask(tool, args);
    assert.equal(typeof result.structuredContent, 'object', tool);
    assert.throws(() => JSON.parse(text));
  }
  assert.equal((await shown.ask('vault_query', { from: 'tags' })).result.structuredContent, undefined);
});

test('text that people do not see is reported in words', async (t) => {
  const vault = vaultOf(t, { 'A.md': 'one\n<!-- obey -->\nzero\u200bwidth needle\n', 'B.md': '<!--\nneedle\n-->\n' });
  const { ask } = await open(t, { vault });
  const { text } = await ask('vault_read', { path: 'A.md' });
  assert.match(text.split('\n')[1], /^\[hidden text: html_comment in line 2, zero_width in line 3\. People do not see it/);
  const found = (await ask('vault_search', { query: 'needle' })).text;
  assert.match(found, /\*\*needle\*\* \[people do not see this\]/);
  assert.match(found, /^\[hidden text: .* of this answer/m);
});

test('a failure in words is one sentence', async (t) => {
  const { ask } = await open(t);
  const { text, failed, result } = await ask('vault_read', { path: '../x' });
  assert.ok(failed);
  assert.match(text, /^'\.\.' is not allowed in a path/);
  assert.equal(result.structuredContent, undefined);
});

test('a move names the files it has changed by where they are now, and the format of the links it has written', async (t) => {
  const files = {
    'Shop/Shop.md': '# Shop\n\n[log](./Log.md) [[Index]]\n', 'Shop/Log.md': '# Log\n\n## Day\n\n[[Shop/Shop]] #old\n',
    'Index.md': '[shop](Shop/Shop.md) [up](./Shop/Log.md) #old\n', 'Other.md': '[up](./Shop/Log.md) [[Log#Day]]\n',
  };
  const { ask } = await open(t, { vault: vaultOf(t, files) });
  const lines = async (wish) => (await ask('vault_move', wish)).text.trimEnd().split('\n');
  const [head, changed] = await lines({ path: 'Shop', to: 'Fix shop' });
  assert.match(head, /^renamed Shop to Fix shop \(2 files, rewrote 5 links in 4 notes, links by path or relative path: as written before, change 1\)$/);
  assert.deepEqual(changed.slice('changed '.length).split(', ').sort(), ['Fix shop/Log.md', 'Fix shop/Shop.md', 'Index.md', 'Other.md']);
  assert.match((await lines({ path: 'Fix shop/Log', to: 'Fix shop/Diary' }))[0], /, links by [a-z ]+: as written before/);
  assert.doesNotMatch((await lines({ path: 'Other', to: 'Fix shop/Other' }))[0], /shortest/);
  assert.deepEqual((await lines({ tag: 'old', to: 'new' })).slice(1), ['changed Fix shop/Diary.md, Index.md']);
  assert.deepEqual((await lines({ path: 'Diary', heading: 'Day', to: 'Days' })).slice(1), ['3: ## Days', 'changed Fix shop/Diary.md, Fix shop/Other.md']);
  assert.deepEqual((await lines({ path: 'Index', heading: 'Nothing', to: 'x' })).length, 1);
});

test('deleting a folder needs one more call, and restoring only a name', async (t) => {
  const { ask } = await open(t, { vault: copyVault(t) });
  const wish = async (args) => (await ask('vault_delete', args)).text.split('\n')[0];
  assert.equal(await wish({ path: 'Journal' }), "'Journal' is a folder with 5 files: to delete it give recursive: true and confirm: 5");
  assert.match(await wish({ path: 'Journal', recursive: true, confirm: 5 }), /^deleted Journal to /);
  assert.match(await wish({ path: 'Jrnal', restore: true }), /did you mean 'Journal'\?$/);
  await ask('vault_delete', { path: 'Cold frame' });
  assert.match(await wish({ path: 'cold frame', restore: true }), /^restored Projects\/Cold frame\.md \(/);
});

test('the first line says what was done, and to how much', async (t) => {
  const table = '| A | B |\n| - | - |\n| x | 1 |\n| New part | 2 |\n';
  const files = { 't.md': table, 'p.md': '---\ntags: [a]\n---\n', 'q.md': 'q\n', 'Sub/one.md': '1\n', 'Sub/two.md': '2\n', 'big.md': 'a'.repeat(9 << 20) };
  const { ask } = await open(t, { vault: vaultOf(t, files) });
  const says = async (tool, args, ...wanted) => {
    const { text } = await ask(tool, args);
    const lines = text.trimEnd().split('\n');
    wanted.forEach((want, i) => assert.match(lines[i] ?? '', want, text));
    return lines;
  };
  assert.equal((await says('vault_edit', { path: 't', row: 'New part' }, /^edited t\.md \(removed row 'New part', /)).length, 1);
  await says('vault_edit', { path: 't', old_text: '1', new_text: '2' }, /^edited t\.md \(1 replacement, /, /^3: \| x \| 2 \|$/);
  await says('vault_frontmatter', { path: 'p', remove: ['nope'] }, /^unchanged p\.md /, /^tags: \[a\]$/, /^\[there is no property 'nope'\]$/);
  await says('vault_frontmatter', { path: 'p', take: { tags: ['b'] } }, /^unchanged/, /^tags/, /^\['tags' has none of the values to take\]$/);
  const notes = { paths: ['p', 'q'], set: { done: true } };
  await says('vault_frontmatter', notes, /^changed 2 notes \(change \d+\)$/);
  await says('vault_frontmatter', notes, /^unchanged 2 notes$/, /^unchanged p\.md/);
  const steps = [{ tool: 'vault_write', path: 'n.md', content: 'x' }, { tool: 'vault_insert', path: 'n.md', content: 'y' }, { tool: 'vault_move', path: 'q', to: 'r' }];
  const done = await says('vault_batch', { steps }, /^3 steps \(change \d+\)$/, /^1\. created n\.md/);
  assert.match(done.at(-1), /^\[not checked, .*: 'big\.md' is larger than [^']*\]$/);
  await says('vault_daily', { create: true }, /^created /);
  await says('vault_daily', {}, /^\d{4}-\d\d-\d\d\.md \(\d+ lines?, etag [0-9a-f]{16}\)$/);
  assert.match((await ask('vault_search', { query: 'zebra' })).text, /^\[not searched, because it could not be read: big\.md\]$/m);
  await says('vault_delete', { path: 'Sub', recursive: true, confirm: 2 }, /^deleted Sub/);
  await says('vault_undo', {}, /^undone change \d+ \(2 files, change \d+\)$/, /^restored Sub$/);
});
