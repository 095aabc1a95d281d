// ai: hidden, and a hidden folder (docs/access.md): a vault with hidden notes and the same vault without them give the same
// answers, byte by byte: every tool of every set with every kind of argument, resources, prompts, completion, the feed, what the
// audit says about calls; over stdio and HTTP, in both eras, for hosted vaults, at a replica. access.test.mjs has chosen calls
// and what changes do.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, cleanEnv, modernMessage, postModern, run, startHttp, startStdio, tempDir, until, withToken } from '../support.mjs';
import { argumentsFrom } from './every_argument.mjs';
import { letIn, startWithPeople } from './people.mjs';
import { startPostgres } from './replica_world.mjs';

const WHEN = new Date('2026-01-02T03:04:05Z');
const note = (name) => `---\ntags: [zephyrtag, visible]\naliases: [Zephyr ${name}, Plam]\nstatus: zephyrstatus\ndue: 2026-11-20\n---\n# Zephyr heading\n\nzephyrword [[Plan]] [[Deep]] #visible ^here\n\n- [ ] zephyr task 📅 2026-11-20\n`;

const SEEN = {
  'Plan.md': '---\nstatus: open\naliases: [Scheme]\n---\n# Plan\n\nSee [[quartz]], [[Deep]], ![[shape.canvas]], ![[paper.pdf]], ![[table.base]], a mention of quartz and of Deep. #visible ^here\n\n- [ ] a task\n\n```base\nviews:\n  - type: table\n    order: [file.name, status]\n```\n',
  'Sub/Deep.md': '# Deep\n\n[[Plan]] [[Twice]]\n', 'Sub/Twice.md': 'one of two\n', 'Sub/All.base': 'views:\n  - type: table\n    order: [file.path, status, file.backlinks]\n',
  'Sub/Board.canvas': '{"nodes":[{"id":"1","type":"file","file":"Plan.md","x":0,"y":0,"width":9,"height":9},{"id":"2","type":"file","file":"Vault/quartz.md","x":0,"y":0,"width":9,"height":9}],"edges":[]}',
  'CLAUDE.md': 'visible rules\n', '.obsidian/types.json': '{"types":{"status":"text"}}', '.obsidian/templates.json': '{"folder":"Sub"}',
};

const PDF = Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n2 0 obj\n<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n3 0 obj\n<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>\nendobj\n4 0 obj\n<< /Length 44 >>\nstream\nBT /F1 12 Tf 20 250 Td (zephyrword plan) Tj ET\nendstream\nendobj\n5 0 obj\n<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>\nendobj\ntrailer << /Size 6 /Root 1 0 R >>\n');

/* By their own words, or by the rule of their folder; of every kind of file; each tries to be noticed. */
const HIDDEN = {
  'quartz.md': note('quartz').replace('---\n', '---\nai: hidden\n'), 'Sub/Plam.md': note('plam').replace('---\n', '---\nai: [hidden]\n'), 'Vault/Plan.md': note('plan'),
  'Sub/AGENTS.md': '---\nai: hidden\n---\nzephyrrules\n', 'Sub/Schema.md': '---\nai: hidden\nschema: {status: {type: number, required: true}}\n---\n', 'Ask.md': '---\nai: hidden\ndescription: zephyrprompt\n---\n#prompt zephyrask {{thing}}',
  'Skill.md': '---\nai: hidden\nskill: zephyr-skill\ndescription: zephyr\n---\nzephyrskill\n', 'Claude.md': '---\nai: hidden\ntags: [claude]\ndescription: zephyrguide\n---\nzephyrguide\n',
  'Vault/_policy.md': '---\nai: hidden\n---\nzephyrword\n', 'Vault/quartz.md': note('again'), 'Vault/Twice.md': note('twice'), 'Vault/paper.pdf': PDF, 'Vault/shape.canvas': '{"nodes":[{"id":"1","type":"text","text":"zephyrword","x":0,"y":0,"width":9,"height":9},{"id":"2","type":"file","file":"Plan.md","x":0,"y":0,"width":9,"height":9}],"edges":[]}',
  'Vault/table.base': 'filters: status == "open"\nviews:\n  - type: table\n    name: zephyr\n    order: [file.name]\n', 'Vault/picture.png': 'zephyr', 'Vault/list.txt': 'zephyrword\n', 'Vault/CLAUDE.md': 'zephyrrules\n', 'Vault/Deep/Deep.md': note('deep'),
};

function makeVault(vault, ...sources) {
  for (const [file, text] of sources.flatMap(Object.entries)) {
    mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
    writeFileSync(path.join(vault, file), text);
  }
  for (const file of readdirSync(vault, { recursive: true })) utimesSync(path.join(vault, file), WHEN, WHEN);
  return vault;
}

const PATHS = ['Plan.md', 'Plam', 'quartz', 'quartz.md', 'Vault', 'Vault/paper.pdf', 'Vault/none.pdf', 'Vault/shape.canvas', 'Vault/table.base', 'Sub', 'Sub/Plam.md', 'Sub/All.base', 'Sub/Board.canvas', 'Twice', ''];
const WORDS = ['zephyrword', 'plam', 'quartz', 'tag:#zephyrtag', 'path:Vault', 'visible', 'status', 'TABLE file.inlinks FROM #visible', '1'];
/* Who writes to a name learns that it is taken (docs/access.md), so what changes something names only what is visible, and no new note
 * that would be one of the hidden ones; and a folder with something hidden in it does not move. */
const OPEN = ['Plan.md', 'Scheme', 'Sub/Deep.md', 'Sub/Board.canvas', 'New/None.md', ''];
const argumentsOf = argumentsFrom({ paths: (writes) => (writes ? OPEN : PATHS), words: (writes) => (writes ? WORDS.filter((word) => !/^(quartz|plam)$/.test(word)) : WORDS), places: (writes) => (writes ? ['Plan.md'] : ['Plan.md', 'quartz.md']) });

/** What differs between two vaults with the same notes: when changes were made, and places in the log of changes. */
const settled = (answer, folder) => JSON.stringify(answer).replaceAll(folder, 'FOLDER').replace(/"id":\d+,?/g, '').replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (when) => (when.startsWith('2026-01-02T03:04:05') ? when : 'now'))
  .replace(/\b\d{15,16}\b/g, 'cursor').replace(/\b[0-9a-f]{12}\b/g, 'proposal').replace(/changed [^"\\]*? ago/g, 'changed').replace(/\b\d{4}-\d\d-\d\d \d\d:\d\d\b/g, 'minute');

function twins(pair) {
  let asked = 0;
  return {
    count: () => asked,
    async same(method, params = {}) {
      const answers = [];
      for (const { ask, folder } of pair) answers.push(settled(await ask(method, params), folder));
      asked++;
      assert.equal(answers[0], answers[1], `${method} ${JSON.stringify(params)}`);
      return JSON.parse(answers[0]);
    },
  };
}

/** Everything there is to ask. Tools that change something come last. */
async function askAll({ same, count }, { least = 300, only = () => true } = {}) {
  const { tools } = (await same('tools/list')).result;
  const writes = (tool) => (tool.annotations?.readOnlyHint ? 0 : 1);
  for (const tool of tools.sort((a, b) => writes(a) - writes(b)).filter(only))
    for (const args of argumentsOf(tool.inputSchema, writes(tool) > 0))
      if (args.restore !== true || args.path) // the trash is listed by time, to the second
        await same('tools/call', { name: tool.name, arguments: args });
  const resources = (await same('resources/list')).result?.resources ?? [];
  for (const { uri } of resources) await same('resources/read', { uri });
  for (const at of PATHS) await same('resources/read', { uri: `vault:///${at}` });
  const prompts = (await same('prompts/list')).result?.prompts ?? [];
  for (const { name, arguments: given = [] } of prompts)
    for (const value of ['quartz', 'Vault', 'Plan', 'Plam', '2026-11-16']) await same('prompts/get', { name, arguments: Object.fromEntries(given.map((one) => [one.name, value])) });
  for (const name of ['Ask', 'zephyr-skill', 'skill:zephyr-skill']) await same('prompts/get', { name, arguments: { thing: 'x' } });
  const refs = [...((await same('resources/templates/list')).result?.resourceTemplates ?? []).map(({ uriTemplate }) => ({ type: 'ref/resource', uri: uriTemplate, names: [...uriTemplate.matchAll(/\{\+?(\w+)\*?\}/g)].map((m) => m[1]) })),
    ...prompts.map(({ name, arguments: given = [] }) => ({ type: 'ref/prompt', name, names: given.map((one) => one.name) }))];
  for (const { names, ...ref } of refs)
    for (const name of names)
      for (const value of ['', 'q', 'z', 'Pl', 'Vault/', 'Sub/P', 'vis']) await same('completion/complete', { ref, argument: { name, value } });
  assert.ok(count() >= least, `only ${count()} questions`);
}

const reads = (tool) => tool.annotations?.readOnlyHint;
const both = (t, start) => Promise.all([[SEEN, HIDDEN], [SEEN]].map((files) => start(makeVault(path.join(tempDir(t), 'vault'), ...files))));
const LIMITS = ['--rate-calls', '0', '--rate-writes', '0', '--rate-address', '0'];

for (const tools of ['default', 'chatgpt', 'obsidian-vault-mcp', 'vault-sync', 'obsidian-bundle', 'claude-desktop', 'vault-git'])
  test(`stdio: ${tools}`, async (t) => {
    const pair = await both(t, async (folder) => {
      const server = startStdio(t, { vault: folder, args: ['--tools', tools, '--claude-md', '--pdf', 'on'] });
      await server.initialize();
      return { folder, ask: (method, params) => server.request(method, params, 1) };
    });
    await askAll(twins(pair), { least: 60 });
  });

test('the modern era, JSON answers, and what the audit says about calls', async (t) => {
  const pair = await both(t, async (folder) => {
    const audit = path.join(tempDir(t), 'own', 'calls.jsonl');
    const server = startStdio(t, { vault: folder, args: ['--answers', 'json', '--audit', audit] });
    return { folder, audit, server, ask: (method, params) => server.modern(method, params) };
  });
  const pages = twins(pair);
  await pages.same('server/discover');
  await askAll(pages, { only: reads });
  for (const { server } of pair) await server.eof();
  const lines = pair.map(({ audit }) => readFileSync(audit, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line)).map(({ read, changed, outcome, name, bytes_out }) => ({ read, changed, outcome, name, bytes_out })));
  assert.deepEqual(lines[0], lines[1]);
  assert.ok(lines[0].length > 300);
});

test('HTTP, and changes to hidden files', async (t) => {
  const pair = await both(t, async (folder) => {
    const server = await startHttp(t, { vault: folder, args: LIMITS });
    return { folder, ask: async (method, params) => (await postModern(server, modernMessage(method, params))).message };
  });
  const web = twins(pair);
  await askAll(web, { only: reads });
  const [{ folder }] = pair;
  writeFileSync(path.join(folder, 'Vault/new.md'), 'zephyrword\n');
  writeFileSync(path.join(folder, 'quartz.md'), `${HIDDEN['quartz.md']}more\n`);
  for (const { folder: both } of pair) writeFileSync(path.join(both, 'Seen.md'), 'seen\n');
  await until('both know the visible one', async () => {
    const found = await Promise.all(pair.map(({ ask }) => ask('tools/call', { name: 'vault_changes', arguments: { all: true } })));
    return found.every((answer) => JSON.stringify(answer).includes('Seen.md'));
  });
  const changed = JSON.stringify(await web.same('tools/call', { name: 'vault_changes', arguments: { all: true } }));
  assert.doesNotMatch(changed, /quartz|new\.md/);
  await web.same('tools/call', { name: 'vault_changes', arguments: {} });
  await web.same('tools/call', { name: 'vault_info', arguments: {} });
});

test('hosted vaults', async (t) => {
  const start = async (files) => {
    const top = tempDir(t), env = cleanEnv(top, { STATE_DIR: path.join(top, 'state'), VAULTS_DIR: path.join(top, 'vaults') });
    makeVault(path.join(top, 'vaults/garden'), ...files);
    makeVault(path.join(top, 'vaults/boat'), { 'Home.md': '# Boat\n' });
    for (const name of ['garden', 'boat'])
      for (const args of [['add', '--adopt', name], ['allow', name, 'anna']]) assert.equal((await run(VAULTD, ['vault', ...args], { env })).code, 0);
    const server = await startWithPeople(t, { vault: `--vaults-dir=${path.join(top, 'vaults')}`, state: path.join(top, 'state'), args: LIMITS });
    const as = withToken(server, (await letIn(server)).token);
    return { folder: top, ask: async (method, params) => (await postModern(as, modernMessage(method, params))).message };
  };
  const pair = [await start([SEEN, HIDDEN]), await start([SEEN])];
  await askAll(twins(pair), { only: reads });
});

test('a replica', async (t) => {
  const start = async (files) => {
    const pg = await startPostgres(t), top = tempDir(t), folder = makeVault(path.join(top, 'vault'), ...files);
    const server = await startHttp(t, { vault: folder, args: [...LIMITS, '--auth', 'none'], env: { STATE_DB: pg.url() } });
    return { folder, ask: async (method, params) => (await postModern(server, modernMessage(method, params))).message };
  };
  const pair = [await start([SEEN, HIDDEN]), await start([SEEN])];
  await askAll(twins(pair), { only: reads });
  assert.ok(statSync(pair[0].folder).isDirectory());
});
