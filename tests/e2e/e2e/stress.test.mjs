// Everything at once: callers with different folders use all tools in parallel while others write
// and edit the files outside. No call may hang, and the server must still end when it is asked to.
// The work is counted in rounds, so a slow machine only takes longer.
import assert from 'node:assert/strict';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, cleanEnv, copyVault, modernMessage, postModern, run, sleep, tempDir, withToken } from '../support.mjs';
import { startWithPeople } from './people.mjs';

const ROUNDS = process.env.ROUNDS_FACTOR ? 20 : 10;
const UNLIMITED = ['--rate-calls', '0', '--rate-writes', '0', '--rate-address', '0'];
const SETS = ['default,chatgpt', 'vault-git', 'vault-sync', 'obsidian-bundle', 'claude-desktop', 'obsidian-vault-mcp'];

/** What callers may use; the folder above a granted one is visible because of it. */
const GRANTS = [[], ['Areas/Garden'], ['Projects'], ['Areas/Homelab', 'Journal']];

/** Numbers that are the same in each run. */
function chooser(seed) {
  let state = seed;
  return (list) => list[(state = (state * 1103515245 + 12345) % 2147483648) % list.length];
}

const PATHS = ['Home', 'Home.md', 'Areas', 'Areas/Garden', 'Areas/Garden/Compost.md', 'Compost', 'Projects', 'No such folder', 'no such note.md', 'Areas/Garden/Stress.md', 'Projects/Stress.md', 'Stress.md', ''];
const WORDS = ['garden', 'soil', 'the', '#tag', '[[Home]]', 'x'];

/** A value that fits the schema of an argument, often one that means something. */
function valueOf(name, schema, choose) {
  const one = schema.anyOf?.[0] ?? schema;
  if (one.enum) return choose(one.enum);
  const type = Array.isArray(one.type) ? one.type[0] : one.type;
  if (type === 'boolean') return choose([true, false]);
  if (type === 'integer' || type === 'number') return choose([1, 2, one.minimum ?? 3].filter((n) => n >= (one.minimum ?? 0)));
  if (type === 'array') return [valueOf(name, one.items ?? {}, choose)];
  if (type === 'object') {
    const inner = Object.entries(one.properties ?? {}).filter(([field]) => one.required?.includes(field) || choose([true, false]));
    return Object.fromEntries(inner.map(([field, type]) => [field, valueOf(field, type, choose)]));
  }
  return /path|file|note|folder|from|^to$|source|target|dir|id/i.test(name) ? choose(PATHS) : choose(WORDS);
}

function argumentsFor(tool, choose) {
  const { properties = {}, required = [] } = tool.inputSchema;
  const names = Object.keys(properties).filter((name) => required.includes(name) || choose([true, false, false]));
  return Object.fromEntries(names.map((name) => [name, valueOf(name, properties[name], choose)]));
}

async function ask(as, method, params) {
  const { status, message, text } = await postModern(as, modernMessage(method, params));
  assert.equal(status, 200, `${method} ${JSON.stringify(params)}: ${text}`);
  return message;
}

/** One caller: every tool, ROUNDS times. */
async function useAll(as, seed) {
  const choose = chooser(seed);
  const { tools } = (await ask(as, 'tools/list')).result;
  let answered = 0;
  for (let round = 0; round < ROUNDS; round++)
    for (const tool of tools) {
      const message = await ask(as, 'tools/call', { name: tool.name, arguments: argumentsFor(tool, choose) });
      assert.ok(message.result ?? message.error, tool.name);
      answered++;
    }
  return answered;
}

function editOnce(vault, folder, i) {
  mkdirSync(path.join(vault, folder), { recursive: true });
  const file = path.join(vault, folder, `Edited ${i % 5}.md`);
  if (i % 3 === 2) rmSync(file, { force: true });
  else writeFileSync(file, `# Edit ${i}\n[[Home]] [[Compost]] #edited\n`);
}

/** Another program: notes come, change and go until done() says so. Tools move and delete its folders meanwhile, and may put a file there. */
async function editOutside(vault, done) {
  for (let i = 0; !done(); i++) {
    for (const folder of ['Areas/Garden', 'Projects', 'Outside'])
      try {
        editOnce(vault, folder, i);
      } catch (error) {
        if (!['EEXIST', 'ENOTDIR', 'ENOENT', 'EISDIR'].includes(error.code)) throw error;
      }
    await sleep(2);
  }
}

/** A server, and a caller for each of GRANTS. */
async function start(t, set) {
  const vault = copyVault(t);
  const server = await startWithPeople(t, { vault, args: [...UNLIMITED, '--tools', set] });
  const callers = [];
  for (const folders of GRANTS) {
    const end = await run(VAULTD, ['key', 'add', `robot ${callers.length}`, 'write', ...folders], { env: cleanEnv(tempDir(t), { STATE_DIR: server.state }) });
    assert.equal(end.code, 0, end.stderr);
    callers.push(withToken(server, end.stdout.trim()));
  }
  return { vault, server, callers };
}

/** Do the work while another program edits the vault, then end the server with SIGTERM. */
async function whileEdited({ vault, server }, work) {
  let done = false;
  const outside = editOutside(vault, () => done);
  try {
    await work();
  } finally {
    done = true;
    await outside;
  }
  await server.stop();
}

for (const set of SETS)
  test(`writers, folder grants, outside edits and all tools of ${set} at once`, async (t) => {
    const world = await start(t, set);
    await whileEdited(world, async () => {
      const answered = await Promise.all([...world.callers, ...world.callers].map((as, i) => useAll(as, i + 1)));
      assert.ok(answered.every((n) => n > 0), `${answered}`);
    });
  });

// The folder above a granted one is looked up in the index while the index is held.
test('questions about the folder above a grant do not wait for themselves', async (t) => {
  const world = await start(t, 'default');
  const gardener = world.callers[1];
  const about = [['vault_links', { path: 'Areas' }], ['vault_search', { query: 'nothing has this', folder: 'Areas' }], ['vault_query', { where: 'a = 1', folder: 'Areas' }], ['vault_read', { path: 'Areas' }]];
  await whileEdited(world, async () => {
    const askOften = async (name, args) => {
      for (let i = 0; i < ROUNDS * 20; i++) await ask(gardener, 'tools/call', { name, arguments: args });
    };
    const write = async (as, n) => {
      for (let i = 0; i < ROUNDS * 10; i++)
        await ask(as, 'tools/call', { name: 'vault_write', arguments: { path: `Projects/Written ${n}.md`, content: `${i}`, overwrite: true } });
    };
    await Promise.all([...about.map(([name, args]) => askOften(name, args)), write(world.callers[0], 1), write(world.callers[2], 2)]);
  });
});
