// What every tool answers, word for word: golden/calls.json has the calls, golden/TOOL.json the
// answers in JSON, golden/words/TOOL.txt those for models. Each tool gets a fresh copy of the
// example vault and its calls in order.
//
// A row has args; write: files that are written before; tool: another tool, whose answer is
// not kept. In args, "$etag FILE" is replaced by the current etag of a file.
// UPDATE_GOLDEN=1 rewrites the answers: read the diff before you keep it.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { PORTABLE, TOP, copyVault, startStdio } from '../support.mjs';

const GOLDEN = path.join(TOP, 'tests/e2e/golden');
const calls = JSON.parse(readFileSync(path.join(GOLDEN, 'calls.json'), 'utf8'));

const TIMES = new Set(['modified', 'last_modified', 'time', 'lastModified']);
const CHANGES = new Set(['change', 'undone', 'undoes', 'undone_by', 'latest', 'since', 'before']);

/** Values that differ from run to run, or with every row that is added above. */
function steady(key, value) {
  if (TIMES.has(key)) return '<time>';
  if (CHANGES.has(key) && value > 0) return '<change>';
  if (key === 'server_version') return '<version>';
  if (PORTABLE && key === 'watching') return undefined; // only a portable build polls
  return value;
}

function answerOf(result) {
  const content = result.content.map((part) => {
    if (part.type === 'resource') return { ...part, resource: { ...part.resource, blob: `<${part.resource.blob.length} characters>` } };
    if (part.type !== 'text') return { ...part, data: `<${part.data.length} characters>` };
    try {
      return JSON.parse(part.text, steady);
    } catch {
      return part.text;
    }
  });
  return { ...(result.isError ? { isError: true } : {}), answer: content.length === 1 ? content[0] : content };
}

function checkGolden(name, got) {
  const file = path.join(GOLDEN, `${name}.json`);
  const text = `${JSON.stringify(got, null, 1)}\n`;
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, text);
  else assert.deepEqual(got, JSON.parse(readFileSync(file, 'utf8')));
}

async function withEtags(io, args = {}) {
  const entries = Object.entries(args).map(async ([key, value]) => {
    if (!String(value).startsWith('$etag ')) return [key, value];
    const { result } = await io.call('vault_read', { path: value.slice('$etag '.length) });
    return [key, /\betag\W+(\w+)/.exec(result.content[0].text.replace(/.*(?="etag")/s, ''))[1]];
  });
  return Object.fromEntries(await Promise.all(entries));
}

function writeFiles(vault, files = {}) {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
    writeFileSync(path.join(vault, file), text);
  }
}

async function run(io, vault, tool, rows) {
  const got = [];
  for (const row of rows) {
    writeFiles(vault, row.write);
    if (row.write) for (const file of Object.keys(row.write)) await io.call('vault_read', { path: file }); // the index sees it
    const { result, error } = await io.call(row.tool ?? tool, await withEtags(io, row.args));
    assert.ok(result, `${tool}, ${row.case}: ${JSON.stringify(error)}`);
    if (row.tool) assert.ok(!result.isError, JSON.stringify(result));
    else got.push({ case: row.case, ...(row.args ? { args: row.args } : {}), ...answerOf(result) });
  }
  return got;
}

async function answers(t, tool, rows, form) {
  const vault = copyVault(t);
  const io = startStdio(t, { vault, args: ['--auto-context', 'off', '--answers', form] });
  await io.initialize();
  return run(io, vault, tool, rows);
}

for (const [tool, rows] of Object.entries(calls))
  test(`golden answers: ${tool}`, async (t) => checkGolden(tool, await answers(t, tool, rows, 'json')));

/** What a model reads, without what differs from run to run. */
const asRead = (answer) =>
  (typeof answer === 'string' ? answer : JSON.stringify(answer))
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, '<time>')
    .replace(/\b(change|undoes|undone by|since|before) \d+/g, '$1 <n>')
    .replace(/^\d+(?= <time>)/gm, '<n>')
    .replace(PORTABLE ? /^watching: .*\n/gm : /$^/, '')
    .replace(/^(server_version|last_modified): .*$/gm, '$1: <>');

for (const [tool, rows] of Object.entries(calls))
  test(`golden answers in words: ${tool}`, async (t) => {
    const got = await answers(t, tool, rows, 'text');
    const text = got.map(({ case: name, args, isError, answer }) => {
      const parts = Array.isArray(answer) ? answer : [answer];
      return `>>> ${name} ${JSON.stringify(args ?? {})}${isError ? ' fails' : ''}\n${parts.map(asRead).join('\n')}\n`;
    });
    const file = path.join(GOLDEN, 'words', `${tool}.txt`);
    if (process.env.UPDATE_GOLDEN) writeFileSync(file, text.join(''));
    else assert.equal(text.join(''), readFileSync(file, 'utf8'));
  });

const LISTS = [['tools/list', 'tools'], ['prompts/list', 'prompts'], ['resources/templates/list', 'resourceTemplates']];

for (const [method, member] of LISTS)
  test(`golden ${method}, in both eras`, async (t) => {
    const io = startStdio(t);
    const modern = (await io.modern(method)).result;
    checkGolden(member, modern[member]);
    await io.initialize();
    assert.deepEqual((await io.request(method)).result, { [member]: modern[member] });
  });

/** Profiles with other servers' tools: what clients see of them. */
const PROFILES = ['obsidian-vault-mcp', 'vault-sync', 'obsidian-bundle', 'claude-desktop', 'vault-git'];

for (const profile of PROFILES)
  test(`golden tools/list of the profile ${profile}`, async (t) =>
    checkGolden(`tools-${profile}`, (await startStdio(t, { args: ['--tools', profile] }).modern('tools/list')).result.tools));

test('every tool has golden answers, and every golden file is used', async (t) => {
  const { tools } = (await startStdio(t).modern('tools/list')).result;
  assert.deepEqual(Object.keys(calls).sort(), tools.map((tool) => tool.name).sort());
  const used = ['calls', ...Object.keys(calls), ...LISTS.map(([, member]) => member), ...PROFILES.map((profile) => `tools-${profile}`)].map((name) => `${name}.json`).concat('words');
  assert.deepEqual(readdirSync(GOLDEN).sort(), used.sort());
  assert.deepEqual(readdirSync(path.join(GOLDEN, 'words')).sort(), Object.keys(calls).map((name) => `${name}.txt`).sort());
});
