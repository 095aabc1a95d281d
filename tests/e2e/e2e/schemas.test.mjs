// The schemas describe what the server accepts: each compiles in strict mode, matching arguments
// are accepted, others are refused by name. And common variations that models send are understood.
import assert from 'node:assert/strict';
import test from 'node:test';
import Ajv2020 from 'ajv/dist/2020.js';
import { copyVault, startStdio } from '../support.mjs';

const KEYWORDS = ['type', 'properties', 'required', 'items', 'enum', 'description', 'default', 'minimum', 'maximum'];

/** A value for each argument, by name; where tools differ, by tool. */
const VALUES = {
  path: 'Inbox.md', paths: ['Home.md'], content: 'x', query: 'garden', to: 'Moved.md', topic: 'links', where: 'tag = #adr', folder: 'Areas', tag: 'journal',
  path_filter: ['*.md'], select: ['status'], sort: ['-file.name'], group: 'status', section: 'Inbox', block: 'x', old_text: 'Inbox', new_text: 'In', anchor: 'Inbox',
  edits: [{ old_text: 'Inbox', new_text: 'In' }], set: { a: 1 }, add: { tags: ['b'] }, take: { tags: ['b'] }, remove: ['b'], heading: 'Inbox', date: '2026-11-09', append: 'x',
  lines: '1', row: 'x', cells: { a: 'b' }, template: 'Project', dql: 'LIST',
  if_match: '0123456789abcdef', idempotency_key: 'one', limit: 3, offset: 1, budget: 1000, max_results: 3, kinds: ['broken_link'], depth: 2, line: 2, change: 4711, expect: 3, since: 1, before: 3,
  confirm: 1, links_to: 'Home.md', into: 'Home.md', base: 'Projects.base', view: 'Active', this: 'Home.md', property: 'due', steps: [{ tool: 'vault_edit', path: 'Inbox.md', old_text: 'Inbox', new_text: 'In', replace_all: true }],
};
/** Names that need no description, in every tool the same. */
const SELF_EXPLAINING = ['all', 'append', 'archive', 'block', 'content', 'count', 'depth', 'dry_run', 'due', 'expect', 'folder', 'from', 'if_match', 'keep_links', 'limit', 'line', 'offset', 'path', 'path_filter', 'paths', 'period', 'position', 'priority', 'property', 'recursive', 'remove', 'replace_all', 'query', 'scheduled', 'start', 'tag', 'text', 'this', 'view', 'where'];

const BY_TOOL = { vault_insert: { where: 'append' }, vault_task: { text: 'x', add: 'x', to: '#Inbox', status: 'done', due: '2026-12-01', scheduled: '2026-12-01', start: '', priority: 'high', lane: 'Now', position: 1 }, vault_canvas: { path: 'Canvas/Garden year.canvas', steps: [{ change: 'b7d1000000000004', text: 'x' }] } };

/** Arguments that some values of another one require. */
const ALSO = { vault_links: { path: 'Inbox.md', to: 'Home.md' }, vault_move: { path: 'Inbox.md', to: 'Moved.md' }, vault_delete: { path: 'Inbox.md' }, vault_frontmatter: { path: 'Inbox.md' }, vault_edit: { path: 'Inbox.md' }, vault_task: { path: 'Inbox.md' } };

const WRONG = { string: [5, true, {}, ['a']], integer: ['many', 1.5, true, {}, [1]], boolean: ['perhaps', 2, {}, []], array: [5, {}, [1]], object: [5, 'text', ['a']] };

const valueOf = (tool, name, schema) => BY_TOOL[tool.name]?.[name] ?? (schema.enum ? schema.enum.at(-1) : schema.type === 'boolean' ? true : VALUES[name]);

/** What a call needs: the required arguments, harmless ones. */
function baseOf(tool) {
  const { properties, required = [] } = tool.inputSchema;
  const base = { ...Object.fromEntries(required.map((name) => [name, valueOf(tool, name, properties[name])])), ...ALSO[tool.name] };
  return properties.dry_run ? { ...base, dry_run: true } : base;
}

async function open(t) {
  const io = startStdio(t, { vault: copyVault(t), args: ['--auto-context', 'off'] });
  await io.initialize();
  const { tools } = (await io.request('tools/list')).result;
  const call = async (tool, args) => {
    const { result, error } = await io.call(tool.name, args);
    assert.ok(result, `${tool.name} ${JSON.stringify(args)}: ${JSON.stringify(error)}`);
    return result;
  };
  return { tools, call };
}

/** Why the arguments themselves were refused; undefined if they were understood. */
function refusal(result, name) {
  if (!result.isError) return undefined;
  const { code, message } = JSON.parse(result.content[0].text).error;
  const about = new RegExp(`^(${name ?? '\\w+'} must be |${name ?? '\\w+'} is missing: |unknown argument )`);
  return code === 'INVALID_ARGUMENT' && about.test(message) ? message : undefined;
}

function* schemasIn(schema) {
  yield schema;
  for (const inner of [...Object.values(schema.properties ?? {}), ...(schema.items ? [schema.items] : [])]) yield* schemasIn(inner);
}

test('every schema compiles in strict mode and uses only keywords that all clients know', async (t) => {
  const { tools } = await open(t);
  for (const tool of tools)
    for (const schema of [tool.inputSchema, tool.outputSchema].filter(Boolean)) {
      new Ajv2020({ strict: true, allErrors: true }).compile(schema);
      assert.equal(schema.type, 'object');
      for (const part of schemasIn(schema)) for (const key of Object.keys(part)) assert.ok(KEYWORDS.includes(key), `${tool.name}: ${key}`);
      for (const [name, part] of Object.entries(tool.inputSchema.properties)) assert.ok(part.description || SELF_EXPLAINING.includes(name), `${tool.name} ${name} says what it is`);
    }
});

test('arguments that match a schema are accepted, one at a time and many together', async (t) => {
  const { tools, call } = await open(t);
  let seed = 1;
  const random = () => (seed = (seed * 48271) % 2147483647) / 2147483647;
  for (const tool of tools) {
    const check = new Ajv2020({ strict: true }).compile(tool.inputSchema);
    const base = baseOf(tool), all = Object.entries(tool.inputSchema.properties);
    const rows = [base, ...all.map(([name, schema]) => ({ ...base, [name]: valueOf(tool, name, schema) }))];
    for (let i = 0; i < 10; i++) rows.push({ ...base, ...Object.fromEntries(all.filter(() => random() < 0.5).map(([name, schema]) => [name, valueOf(tool, name, schema)])) });
    for (const args of rows) {
      assert.ok(!Object.values(args).includes(undefined), `${tool.name}: no value for ${JSON.stringify(args)}`);
      assert.ok(check(args), `${tool.name} ${JSON.stringify(args)}`);
      assert.equal(refusal(await call(tool, args)), undefined, `${tool.name} ${JSON.stringify(args)}`);
    }
    for (const [name, schema] of all)
      for (const value of schema.enum ?? []) assert.equal(refusal(await call(tool, { ...base, [name]: value }), name), undefined, `${tool.name} ${name} ${value}`);
  }
});

test('SEC-66 arguments that do not match are refused by name', async (t) => {
  const { tools, call } = await open(t);
  for (const tool of tools) {
    const check = new Ajv2020({ strict: true }).compile(tool.inputSchema);
    const base = baseOf(tool), { properties, required = [] } = tool.inputSchema;
    for (const [name, schema] of Object.entries(properties))
      for (const value of [...WRONG[schema.type], ...(schema.enum ? ['no such choice'] : [])]) {
        if (['edits', 'steps'].includes(name) && Array.isArray(value)) continue; // its items report it themselves
        const args = { ...base, [name]: value };
        assert.ok(!check(args), `${tool.name} ${JSON.stringify(args)}`);
        assert.match(refusal(await call(tool, args), name) ?? '', new RegExp(`^${name} must be`), `${tool.name} ${JSON.stringify(args)}`);
      }
    for (const name of required) {
      const { [name]: left, ...args } = base;
      assert.ok(!check(args) && left !== undefined);
      assert.match(refusal(await call(tool, args), name) ?? '', /is missing/, `${tool.name} without ${name}`);
    }
    const stranger = refusal(await call(tool, { ...base, no_such_thing: 1 }));
    if (Object.keys(properties).length === 0) assert.equal(stranger, undefined, tool.name);
    else assert.match(stranger ?? '', /^unknown argument 'no_such_thing', nothing was done/, tool.name);
  }
});

/** The same value as models and forms send it. */
const spellings = (schema, value) => ({
  integer: [String(value), ` ${value}`], boolean: [String(value)], array: [JSON.stringify(value), ...(schema.items?.type === 'string' ? [value[0]] : [])],
  object: [JSON.stringify(value)], string: schema.enum ? [value.toUpperCase()] : [],
})[schema.type];

const camel = (name) => name.replace(/_(.)/g, (_, c) => c.toUpperCase());

test('numbers and lists as text, null for absent, camelCase: the answer is the same', async (t) => {
  const { tools, call } = await open(t);
  const steady = (result) => JSON.stringify(result).replaceAll(/\\"modified\\":\\"[^"]*\\"|\\"cursor\\":\d+/g, ''); // a cursor is a time
  for (const tool of tools) {
    const base = baseOf(tool), all = Object.entries(tool.inputSchema.properties);
    for (const [name, schema] of all) {
      if (tool.name === 'vault_undo' || name === 'idempotency_key') continue;
      const value = valueOf(tool, name, schema);
      const strict = steady(await call(tool, { ...base, [name]: value }));
      for (const other of spellings(schema, value))
        assert.equal(steady(await call(tool, { ...base, [name]: other })), strict, `${tool.name} ${name}: ${JSON.stringify(other)}`);
      if (camel(name) !== name) {
        const { [name]: left, ...rest } = base;
        assert.equal(steady(await call(tool, { ...rest, [camel(name)]: value })), strict, `${tool.name} ${camel(name)}`);
      }
    }
    const nothing = Object.fromEntries(all.filter(([name]) => !(name in base)).map(([name]) => [name, null]));
    assert.equal(steady(await call(tool, { ...nothing, ...base })), steady(await call(tool, base)), `${tool.name} with nulls`);
  }
});
