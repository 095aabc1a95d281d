// Where symbolic links inside the vault lead: every tool with every kind of link. A path is judged by
// where it ends, so a link is never a way to hidden folders, or around --write-paths and folder rules.
import assert from 'node:assert/strict';
import { cpSync, lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { EXAMPLE_VAULT, startStdio, tempDir } from '../support.mjs';

const SECRET = 'zephyrsecret';

/* name: [target, what is below it] */
const HIDDEN_LINKS = {
  'Lead/git': ['../.git', 'config'],
  'Lead/obsidian': ['../.obsidian', 'app.json'],
  'Lead/config.md': ['../.git/config', ''],
  'Lead/chain.md': ['config.md', ''],
  'Lead/chains': ['git', 'config'],
  'Lead/hooks': ['git/hooks', 'post-commit'],
  'Lead/dangling.md': ['../.git/hooks/post-merge', ''],
  'Lead/through': ['../.git/../.git', 'config'],
  'Lead/short': ['../git~1', 'note.md'],
  'Lead/nested': ['../Areas/.git', 'config'],
};
const PRIVATE_LINKS = {
  'Lead/way.md': ['../Private/Plan.md', ''],
  'Lead/ways': ['../Private', 'Plan.md'],
  'Lead/new.md': ['../Private/none.md', ''],
  'Lead/round': ['ways', 'Plan.md'],
};

function makeVault(t, links) {
  const vault = path.join(tempDir(t), 'vault');
  cpSync(EXAMPLE_VAULT, vault, { recursive: true });
  for (const folder of ['Lead', 'Private', 'git~1', '.git/hooks', 'Areas/.git', '.obsidian/plugins']) mkdirSync(path.join(vault, folder), { recursive: true });
  for (const file of ['.git/config', '.obsidian/app.json', 'git~1/note.md', 'Areas/.git/config', 'Private/Plan.md']) writeFileSync(path.join(vault, file), `# ${SECRET}\n\n{"a": "${SECRET}"} ^block\n`);
  for (const [name, [target]] of Object.entries(links)) symlinkSync(target, path.join(vault, name));
  writeFileSync(path.join(vault, 'Lead/Plain.md'), '# Plain\n\ntext ^here\n');
  return vault;
}

const walk = (dir, below = '') => readdirSync(path.join(dir, below)).sort().flatMap((name) => {
  const at = path.posix.join(below, name), stat = lstatSync(path.join(dir, at));
  if (stat.isSymbolicLink()) return [[at, readlinkSync(path.join(dir, at))]];
  return stat.isDirectory() ? [[at, 'folder'], ...walk(dir, at)] : [[at, readFileSync(path.join(dir, at), 'latin1')]];
});
const contents = (dir, folders) => JSON.stringify(walk(dir).filter(([name]) => folders.some((folder) => name === folder || name.startsWith(`${folder}/`))));

const reads = (file) => [
  ...['text', 'outline', 'frontmatter', 'links'].map((view) => ['vault_read', { path: file, view }]),
  ['vault_read', { path: file, section: SECRET }], ['vault_read', { path: file, block: 'block' }], ['vault_read', { path: 'Home.md', paths: [file] }],
  ['vault_list', { path: file }], ['vault_list', { recursive: true, path: file }], ['vault_context', { path: file }], ['vault_check', { folder: file }],
  ['vault_links', { path: file }], ['vault_links', { path: file, direction: 'mentions' }], ['vault_links', { path: 'Home.md', direction: 'path', to: file }],
  ['vault_search', { query: SECRET, folder: file }], ['vault_search', { query: SECRET, path_filter: [file, `${file}/**`] }], ['vault_query', { folder: file }],
  ['vault_query', { base: file }], ['vault_query', { dql: file }], ['vault_query', { dql: `LIST FROM "${file}"` }],
];

const changes = (file) => [
  ['vault_write', { path: file, content: 'x' }], ['vault_write', { path: file, content: 'x', overwrite: true }], ['vault_write', { path: `${file}/deep/new.md`, content: 'x' }],
  ['vault_edit', { path: file, old_text: SECRET, new_text: 'y' }], ['vault_insert', { path: file, content: 'y' }], ['vault_insert', { path: file, content: 'y', create: true }],
  ['vault_task', { path: file, text: SECRET, status: 'done' }], ['vault_task', { path: file, add: 'y' }], ['vault_task', { path: 'Home.md', line: 1, to: file }],
  ['vault_canvas', { path: file, steps: [{ add: 'text', text: 'y' }] }], ['vault_canvas', { path: `${file}/New.canvas`, steps: [{ add: 'text', text: 'y' }] }],
  ['vault_frontmatter', { path: file, set: { a: 1 } }], ['vault_move', { path: 'Lead/Plain.md', to: `${file}/Plain.md` }], ['vault_move', { path: file, heading: SECRET, to: 'Other' }],
  ['vault_delete', { path: 'Nothing.md', restore: true, to: file }], ['vault_delete', { path: file, permanent: true }],
  ['vault_batch', { steps: [{ tool: 'vault_write', path: 'Lead/New.md', content: 'x' }, { tool: 'vault_edit', path: file, old_text: SECRET, new_text: 'y' }] }],
];
/* What takes the place itself away; a link may go, but not what is at its end. */
const takes = (file) => [['vault_move', { path: file, to: 'Lead/taken.md' }], ['vault_move', { path: file, to: 'Lead/taken' }],
  ['vault_delete', { path: file }], ['vault_delete', { path: file, recursive: true }], ['vault_delete', { path: file, recursive: true, permanent: true }]];

const places = (links) => Object.entries(links).flatMap(([name, [, below]]) => (below ? [name, `${name}/${below}`, `${name}/new.md`] : [name]));

async function start(t, vault, args) {
  const server = startStdio(t, { vault, args: ['--confirm', 'never', ...args] });
  await server.initialize();
  return server;
}

async function call(server, name, args) {
  const answer = await server.request('tools/call', { name, arguments: args }, 1);
  return JSON.stringify(answer.result ?? answer.error);
}

test('SEC-82 SEC-91: no tool follows a symbolic link to a hidden folder', async (t) => {
  const vault = makeVault(t, HIDDEN_LINKS);
  const kept = ['.git', '.obsidian', 'git~1', 'Areas/.git'], before = contents(vault, kept);
  const server = await start(t, vault, []);
  const { result: { tools } } = await server.request('tools/list', {}, 1);
  const used = new Set(['vault_changes', 'vault_daily', 'vault_guide', 'vault_info', 'vault_undo']); // take no path
  for (const file of places(HIDDEN_LINKS))
    for (const [name, args] of [...reads(file), ...changes(file), ...takes(file)]) {
      used.add(name);
      const answer = await call(server, name, args);
      const asked = JSON.stringify(args);
      assert.ok(asked.includes(SECRET) || !answer.includes(SECRET), `${name} ${asked}: ${answer}`);
      assert.equal(contents(vault, kept), before, `${name} ${asked}: ${answer}`);
    }
  const found = await call(server, 'vault_search', { query: SECRET });
  assert.match(found, /Private\/Plan\.md/);
  assert.doesNotMatch(found, /Lead\//);
  assert.deepEqual(tools.map((tool) => tool.name).filter((name) => !used.has(name)), []);
});

test('SEC-82: a symbolic link is not a way around --write-paths', async (t) => {
  const vault = makeVault(t, PRIVATE_LINKS);
  const before = contents(vault, ['Private']);
  const server = await start(t, vault, ['--write-paths', 'Lead']);
  assert.match(await call(server, 'vault_read', { path: 'Lead/way.md' }), new RegExp(SECRET), 'reading is allowed');
  for (const file of places(PRIVATE_LINKS))
    for (const [name, args] of [...changes(file), ...takes(file), ['vault_undo', {}]]) {
      const answer = await call(server, name, args);
      assert.equal(contents(vault, ['Private']), before, `${name} ${JSON.stringify(args)}: ${answer}`);
    }
  assert.match(await call(server, 'vault_write', { path: 'Lead/ways/Plan.md', content: 'x' }), /PATH_NOT_ALLOWED/);
  assert.match(await call(server, 'vault_write', { path: 'Lead/own.md', content: 'x' }), /Lead\/own\.md/);
});
