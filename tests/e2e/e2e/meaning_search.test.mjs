// One search for the model: how names, exact text, words and meaning come together in an answer.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { startEmbeddings } from '../embeddings.mjs';
import { VAULTD, cleanEnv, run, startStdio, tempDir, until } from '../support.mjs';

const NOTES = {
  'Ops/Restic.md': '# Restic\n\nIt runs at night.\n\n## Restore a snapshot\n\nGet pictures back from the mirror with one command, which asks for the secret first.\n',
  'Ops/Disks.md': '# Disks\n\nA disk died in May, and pictures were on it.\n',
  'Home/Garden.md': '# Garden\n\nThe rain barrel is full. Pictures of beds.\n',
  'Home/Bread.md': '# Bread\n\nFlour, water, salt.\n',
};
const QUESTION = 'get pictures back from the mirror please';

function vaultOf(t, notes) {
  const vault = path.join(tempDir(t), 'vault');
  for (const [name, text] of Object.entries(notes)) {
    mkdirSync(path.dirname(path.join(vault, name)), { recursive: true });
    writeFileSync(path.join(vault, name), text);
  }
  return vault;
}

async function open(t, { answers = 'json', vault = vaultOf(t, NOTES), state = tempDir(t) } = {}) {
  const standin = await startEmbeddings(t);
  const settings = ['--embeddings', standin.url, '--embeddings-model', 'words'];
  const server = await startStdio(t, { vault, state, args: [...settings, '--answers', answers] });
  await server.initialize();
  const ask = async (tool, args) => {
    const { result } = await server.call(tool, args);
    assert.notEqual(result.isError, true, JSON.stringify(result));
    return answers === 'json' ? JSON.parse(result.content[0].text) : result.content[0].text;
  };
  await until('everything is embedded', async () => {
    const said = JSON.stringify(await ask('vault_search', { query: QUESTION, mode: 'meaning' }));
    return !said.includes('words only') && !said.includes('meaning index');
  });
  return { server, ask, vault, state, settings };
}

const paths = (hits) => hits.map((hit) => hit.path);

test('a question is answered by words and meaning, and each hit says why', async (t) => {
  const { ask } = await open(t);
  const found = await ask('vault_search', { query: QUESTION });
  assert.equal(found.mode, 'meaning');
  assert.equal(found.meaning_note, undefined, 'nothing is missing');
  assert.equal(found.results[0].path, 'Ops/Restic.md');
  assert.ok(found.results.some((hit) => hit.meaning > 0 && hit.meaning <= 1), JSON.stringify(found.results));
});

test('in words, a hit has the heading and the first line of what is near', async (t) => {
  const { ask } = await open(t, { answers: 'text' });
  const text = await ask('vault_search', { query: QUESTION, mode: 'meaning', max_results: 1 });
  assert.match(text, /^Ops\/Restic\.md\n\d+: (Restore a snapshot: )?.*\*\*pictures\*\*.* \(meaning 0\.\d\d\)$/m);
});

test('an answer in which nothing is near says so', async (t) => {
  const { ask } = await open(t);
  const far = 'boson hadron violin turbine';
  const found = await ask('vault_search', { query: far, mode: 'meaning' });
  assert.match(found.note, /^No note is close to this in meaning/, JSON.stringify(found));
  const near = await ask('vault_search', { query: QUESTION, mode: 'meaning' });
  assert.doesNotMatch(near.note ?? '', /No note is close/);
});

test('exact text comes first, then what is near', async (t) => {
  const { ask } = await open(t);
  const found = await ask('vault_search', { query: 'rain barrel' });
  assert.equal(found.mode, undefined);
  assert.deepEqual(paths(found.results), ['Home/Garden.md']);
  assert.ok((found.near ?? []).length <= 4);
  assert.ok(!paths(found.near ?? []).includes('Home/Garden.md'));
});

test('folders, exclusions and phrases hold for meaning, too', async (t) => {
  const { ask } = await open(t);
  const search = async (args) => paths((await ask('vault_search', args)).results);
  assert.deepEqual((await search({ query: QUESTION, folder: 'Home' })).filter((p) => p.startsWith('Ops/')), []);
  assert.ok(!(await search({ query: `${QUESTION} -secret` })).includes('Ops/Restic.md'));
  assert.ok(!(await search({ query: `${QUESTION} -secret`, mode: 'meaning' })).includes('Ops/Restic.md'));
  assert.deepEqual(await search({ query: 'pictures back "disk died"', mode: 'meaning' }), ['Ops/Disks.md']);
});

test('the mode is offered where there are vectors, and nowhere else', async (t) => {
  const modes = async (server) => {
    const { result } = await server.request('tools/list', {});
    return result.tools.find((tool) => tool.name === 'vault_search').inputSchema.properties.mode.enum;
  };
  const { server, vault } = await open(t);
  assert.ok((await modes(server)).includes('meaning'));
  const plain = await startStdio(t, { vault });
  await plain.initialize();
  assert.ok(!(await modes(plain)).includes('meaning'));
});

test('related notes and the command line say how near notes are', async (t) => {
  const { ask, server, vault, state, settings } = await open(t);
  const { links } = await ask('vault_links', { path: 'Ops/Disks.md', direction: 'related' });
  assert.ok(links.some((link) => link.meaning > 0), JSON.stringify(links));
  await server.stop?.();
  const cli = (...args) => run(VAULTD, [...args, '--vault-path', vault, '--state-dir', state, '--json', ...settings], { env: cleanEnv(tempDir(t)) });
  const { stdout } = await cli('search', '--mode', 'meaning', QUESTION);
  assert.equal(JSON.parse(stdout).results[0].path, 'Ops/Restic.md');
});
