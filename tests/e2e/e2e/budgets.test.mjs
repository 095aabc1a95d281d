// No answer exceeds its budget, whatever the vault contains: it ends with a whole item or line,
// says how many there are, and names the next call; following them gives every item once.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { startStdio, tempDir } from '../support.mjs';

const LIST_MAX = 16384; // bytes of tools/list
const TOKEN = 4; // bytes
const DEFAULT = 10000; // tokens
const BUDGETS = [undefined, 800, 25000];
const ERROR_MAX = 1000; // bytes of a message
const NOTES = 450;

const name = (i) => `Many/Note ${String(i).padStart(4, '0')}.md`;

const FILES = {
  'CLAUDE.md': `# Rules\n\n${Array.from({ length: 5500 }, (_, i) => `- Rule "${i}" of them\n`).join('')}`,
  'Hub.md': `---\ntags: hub\n---\n# Hub\n\n${Array.from({ length: NOTES }, (_, i) => `- [[Note ${String(i).padStart(4, '0')}]] "quoted" \\ and more\n`).join('')}`,
  'Long lines.md': Array.from({ length: 60 }, (_, i) => `${i} ${'\u00e9"'.repeat(400)}\n`).join(''),
  'One line.md': `${'word '.repeat(100000)}\n`,
  'Headings.md': Array.from({ length: 1000 }, (_, i) => `${'#'.repeat(1 + (i % 3))} Heading ${i}\n\ntext\n`).join('\n'),
  'Properties.md': `---\n${Array.from({ length: 2000 }, (_, i) => `key${i}: value of ${i}\n`).join('')}---\n`,
  'Twice.md': 'the same line\n'.repeat(5000),
  'Journal/2026-11-09.md': 'A line of the "day" \\\n'.repeat(5000),
};
for (let i = 0; i < NOTES; i++)
  FILES[name(i)] = `---\ntags: [claude, tag${i}/a, common]\nindex: ${i}\ndescription: ${'when to read '.repeat(5)}\n---\n[[Hub]] needle ${i}. Hub is named. [[Nowhere ${i}]]\n\n- [ ] task ${i}\n`;

async function open(t) {
  const dir = path.join(tempDir(t), 'vault');
  mkdirSync(path.join(dir, 'Many'), { recursive: true });
  mkdirSync(path.join(dir, 'Journal'));
  mkdirSync(path.join(dir, '.obsidian'));
  writeFileSync(path.join(dir, '.obsidian/daily-notes.json'), '{"folder":"Journal"}');
  for (const [file, text] of Object.entries(FILES)) writeFileSync(path.join(dir, file), text);
  const io = startStdio(t, { vault: dir });
  await io.initialize();
  await io.call('vault_info');
  const raw = async (tool, args) => {
    const { result } = await io.call(tool, args);
    return { text: result.content[0].text, failed: result.isError === true };
  };
  return { io, raw };
}

const range = (n) => Array.from({ length: n }, (_, i) => i);
const byBytes = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const NAMES = range(NOTES).map(name);
const ALL = Object.keys(FILES).sort(byBytes);

/** tool, arguments, the list in its pages, and the expected total. */
const LISTS = [
  ['vault_list', { recursive: true }, (v) => v.files.map((f) => f.path), ALL],
  ['vault_list', { recursive: true, path: 'Many', limit: 100 }, (v) => v.files.map((f) => f.path), NAMES],
  ['vault_list', { path: 'Many' }, (v) => v.entries.map((e) => `Many/${e.name}`), NAMES],
  ['vault_search', { query: 'needle', max_results: 1000 }, (v) => v.results.map((r) => r.path), NAMES],
  ['vault_search', { query: 'needle \\d+', mode: 'regex' }, (v) => v.results.map((r) => r.path), NAMES],
  ['vault_search', { query: 'tag:#common needle', mode: 'query', max_results: 1000 }, (v) => v.results.map((r) => r.path), NAMES],
  ['vault_query', { where: 'tag = #common', select: ['index', 'description'], sort: 'index', limit: 1000 }, (v) => v.rows.map((r) => r.path), NAMES],
  ['vault_query', { from: 'tasks', sort: ['file.path'] }, (v) => v.rows.map((r) => r.path), NAMES],
  ['vault_query', { where: 'index exists', group: 'index', limit: 1000 }, (v) => v.groups.map((g) => g.value).sort((a, b) => a - b), null],
  ['vault_links', { path: 'Hub.md', direction: 'outgoing', limit: 1000 }, (v) => v.links.map((l) => l.path), NAMES],
  ['vault_links', { path: 'Hub.md', direction: 'backlinks' }, (v) => v.links.map((l) => l.path), NAMES],
  ['vault_links', { path: 'Hub.md', limit: 1000 }, (v) => v.links.map((l) => `${l.direction} ${l.path}`), [...NAMES.map((n) => `outgoing ${n}`), ...NAMES.map((n) => `backlink ${n}`)]],
  ['vault_links', { path: 'Hub.md', direction: 'neighbours', depth: 2, limit: 1000 }, (v) => v.links.map((l) => l.path), NAMES],
  ['vault_links', { direction: 'unresolved', limit: 1000 }, (v) => v.links.map((l) => l.link), range(NOTES).map((i) => `Nowhere ${i}`).sort(byBytes)],
  ['vault_links', { path: 'Hub.md', direction: 'mentions', limit: 1000 }, (v) => v.links.map((l) => l.path), NAMES],
  ['vault_query', { from: 'tags', limit: 1000 }, (v) => v.tags.map((x) => x.tag), null],
  ['vault_list', { tag: 'common' }, (v) => v.files.map((f) => f.path), NAMES],
  ['vault_read', { path: 'Headings.md', view: 'outline' }, (v) => v.headings.map((h) => h.title), range(1000).map((i) => `Heading ${i}`)],
  ['vault_read', { path: 'Hub.md', view: 'links' }, (v) => v.links.map((l) => l.path), NAMES],
];

/** One answer, checked against its budget, and the same again. */
async function look({ raw }, tool, args, budget = DEFAULT) {
  const { text, failed } = await raw(tool, args);
  assert.ok(!failed, `${tool} ${JSON.stringify(args)}: ${text}`);
  const size = Buffer.byteLength(text);
  assert.ok(size <= budget * TOKEN, `${tool} ${JSON.stringify(args)}: ${size} bytes of ${budget * TOKEN}`);
  assert.equal((await raw(tool, args)).text, text, `${tool} ${JSON.stringify(args)} says the same twice`);
  return JSON.parse(text);
}

async function follow(server, tool, args, items) {
  const all = [];
  for (let rounds = 0; ; rounds++) {
    assert.ok(rounds < 5000, `${tool} ends`);
    const value = await look(server, tool, args, args.budget);
    const page = items(value);
    all.push(...page);
    assert.equal(value.truncated === true, value.next !== undefined, JSON.stringify(value).slice(-300));
    if (!value.next) return { all, rounds };
    assert.ok(page.length > 0, `${tool} gets on`);
    const { tool: other, ...next } = value.next;
    [tool, args] = other ? [other, { ...next, ...(other === 'vault_links' ? { limit: 1000 } : {}), ...(args.budget ? { budget: args.budget } : {}) }] : [tool, { ...args, ...next }];
  }
}

test('tools/list fits its budget', async (t) => {
  const { result } = await startStdio(t).modern('tools/list');
  const size = Buffer.byteLength(JSON.stringify({ tools: result.tools }));
  assert.ok(size <= LIST_MAX, `${size} bytes`);
});

test('every list is within its budget, in pages without gaps or duplicates', async (t) => {
  const server = await open(t);
  for (const [tool, args, items, expected] of LISTS)
    await t.test(`${tool} ${JSON.stringify(args)}`, async () => {
      const whole = await follow(server, tool, args, items);
      if (expected) assert.deepEqual(whole.all, expected);
      assert.equal(new Set(whole.all).size, whole.all.length);
      assert.ok(whole.all.length >= NOTES);
      const small = await follow(server, tool, { ...args, budget: 1500 }, items);
      assert.deepEqual(small.all.sort(), whole.all.sort());
      assert.ok(small.rounds > 0);
      const first = await look(server, tool, { ...args, budget: 100 }, 100);
      assert.ok(items(first).length > 0 && first.truncated && first.next);
    });
});

test('texts are within their budget, truncated at lines', async (t) => {
  const server = await open(t);
  const texts = [['vault_read', { path: 'Hub.md' }], ['vault_read', { path: 'Long lines.md' }], ['vault_read', { path: 'Headings.md', section: 'Heading 0' }]];
  for (const [tool, args] of texts)
    for (const budget of BUDGETS) {
      const { all } = await follow(server, tool, { ...args, ...(budget ? { budget } : {}) }, (v) => {
        assert.ok(v.content.endsWith('\n'));
        return [v.content];
      });
      assert.equal(all.join(''), args.section ? FILES[args.path].split('# Heading 3\n')[0] : FILES[args.path], `${tool} ${JSON.stringify(args)} ${budget}`);
    }
  const line = await look(server, 'vault_read', { path: 'One line.md' });
  assert.match(line.note, /limit 1 without budget/);
  assert.equal(JSON.parse((await server.raw('vault_read', { path: 'One line.md', limit: 1 })).text).content, FILES['One line.md']);
  for (const budget of [100, 300]) {
    const cut = await look(server, 'vault_read', { path: 'Long lines.md', budget }, budget);
    assert.ok(cut.truncated && cut.next.offset > 1);
  }
});

test('several files, properties, rules and daily notes', async (t) => {
  const server = await open(t);
  for (const budget of BUDGETS) {
    const limited = budget ? { budget } : {};
    const many = await look(server, 'vault_read', { path: 'Hub.md', paths: NAMES.slice(0, 99), ...limited }, budget ?? DEFAULT);
    assert.equal(many.truncated === true, many.not_read !== undefined);
    const shown = many.files.map((f) => f.path);
    assert.deepEqual([...shown, ...(many.not_read ?? [])], ['Hub.md', ...NAMES.slice(0, 99)]);
    const properties = await look(server, 'vault_read', { path: 'Properties.md', view: 'frontmatter', ...limited }, budget ?? DEFAULT);
    assert.equal(properties.next !== undefined, properties.truncated === true);
    const rules = await look(server, 'vault_context', { ...limited }, budget ?? DEFAULT);
    const [rule] = rules.rules;
    assert.deepEqual([rule.truncated, rule.next.tool, rule.next.path], [true, 'vault_read', 'CLAUDE.md']);
    const { all } = await follow(server, 'vault_read', { path: 'CLAUDE.md', offset: rule.next.offset, limit: 0, budget: 25000 }, (v) => [v.content]);
    assert.equal(rule.text + all.join(''), FILES['CLAUDE.md']);
    assert.ok(rules.truncated && rules.next.tool === 'vault_query');
    const day = await look(server, 'vault_daily', { date: '2026-11-09', ...limited }, budget ?? DEFAULT);
    const rest = await follow(server, 'vault_read', { path: day.next.path, offset: day.next.offset, limit: 0, budget: 25000 }, (v) => [v.content]);
    assert.equal(day.content + rest.all.join(''), FILES['Journal/2026-11-09.md']);
  }
});

test('answers to changes are short, however much they change', async (t) => {
  const { raw } = await open(t);
  const short = async (tool, args) => {
    const { text, failed } = await raw(tool, args);
    assert.ok(!failed, text);
    assert.ok(Buffer.byteLength(text) <= DEFAULT * TOKEN, `${tool} ${JSON.stringify(args).slice(0, 100)}: ${Buffer.byteLength(text)} bytes`);
    return JSON.parse(text);
  };
  const both = async (tool, args) => {
    const { diff } = await short(tool, { ...args, dry_run: true });
    assert.ok(diff.length > 100, `${tool}: ${diff}`);
    return short(tool, args);
  };
  const changes = [
    ['vault_move', { path: 'Hub.md', to: 'Hubs/The hub.md' }], ['vault_move', { tag: 'common', to: 'shared' }], ['vault_delete', { path: 'Hubs/The hub.md', unlink: true }],
    ['vault_edit', { path: 'Twice.md', old_text: 'same', new_text: 'very same', replace_all: true }], ['vault_write', { path: 'Twice.md', content: '"quoted" \\\n'.repeat(20000), overwrite: true }],
    ['vault_insert', { path: 'Twice.md', content: '\u0001\t"'.repeat(20000) }], ['vault_frontmatter', { path: 'Properties.md', remove: range(40).map((i) => `key${i}`) }],
    ['vault_daily', { date: '2026-11-09', append: 'more "text"\n'.repeat(10000) }],
  ];
  for (const [tool, args] of changes) assert.ok((await both(tool, args)).change > 0, tool);
  const listed = [];
  for (let args = { limit: 3 }; args; ) {
    const { changes: page, next } = await short('vault_changes', args);
    listed.push(...page.map((c) => c.change));
    args = next && { limit: 3, ...next };
  }
  assert.deepEqual(listed, range(changes.length).map((i) => changes.length - i));
  for (let i = changes.length; i > 0; i--) await short('vault_undo', { change: i });
  for (const file of ['Hub.md', 'Twice.md', NAMES[7]]) assert.equal((await short('vault_read', { path: file, budget: 9000 })).content.slice(0, 500), FILES[file].slice(0, 500));
});

test('no error message is long, whatever it is about', async (t) => {
  const { raw } = await open(t);
  const long = 'x'.repeat(3000);
  const calls = [
    ['vault_edit', { path: 'Twice.md', old_text: 'same', new_text: 'x' }], ['vault_edit', { path: 'One line.md', old_text: 'word wort', new_text: 'x' }],
    ['vault_edit', { path: 'Long lines.md', old_text: '5 \u00e9"\u00e9\u00e8', new_text: 'x' }], ['vault_insert', { path: 'Headings.md', where: 'section_end', anchor: 'Heading', content: 'x' }],
    ['vault_read', { path: 'Headings.md', section: long }], ['vault_read', { path: 'Hub.md', block: long }], ['vault_read', { path: long }], ['vault_read', { path: `Many/${long}.md` }],
    ['vault_links', { path: 'Hub.md', direction: 'path', to: long }], ['vault_query', { where: `${long} = ` }], ['vault_search', { query: `(${long}`, mode: 'regex' }],
    ['vault_move', { path: long, to: 'x.md' }], ['vault_move', { path: 'Hub.md', heading: long, to: 'x' }], ['vault_move', { tag: long, to: 'x' }], ['vault_delete', { path: long }],
    ['vault_daily', { date: long }], ['vault_frontmatter', { path: 'Hub.md', [long]: 1 }], ['vault_guide', { topic: long }], ['vault_write', { path: `${long}/${long}.md`, content: '' }],
  ];
  for (const [tool, args] of calls) {
    const { text, failed } = await raw(tool, args);
    assert.ok(failed, `${tool} ${JSON.stringify(args).slice(0, 100)}: ${text.slice(0, 200)}`);
    assert.ok(Buffer.byteLength(text) <= ERROR_MAX, `${tool} ${JSON.stringify(args).slice(0, 100)}: ${text.length} bytes`);
  }
  for (const args of [{ tag: long }, { path: long, recursive: true }])
    assert.ok((await raw('vault_list', args)).text.length <= ERROR_MAX);
});
