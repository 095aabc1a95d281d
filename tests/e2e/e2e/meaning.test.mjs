// The vectors of notes: what is embedded, how often, and what `vaultd embeddings` says about it.
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { startEmbeddings } from '../embeddings.mjs';
import { VAULTD, cleanEnv, run, sleep, startStdio, tempDir, until } from '../support.mjs';

const SLOW_MS = 3000; // a section that was edited is embedded after at most so long

/** A vault of notes by path. */
function vaultOf(t, notes) {
  const vault = path.join(tempDir(t), 'vault');
  for (const [name, text] of Object.entries(notes)) write(vault, name, text);
  return vault;
}

function write(vault, name, text) {
  mkdirSync(path.dirname(path.join(vault, name)), { recursive: true });
  writeFileSync(path.join(vault, name), text);
}

const long = (word) => `${word} `.repeat(30);

const NOTES = {
  'Boats.md': `# Sails\n${long('sail')}\n# Oars\n${long('oar')}\n`,
  'Trains.md': 'Trains run on rails.\n',
  'private/Diary.md': 'A treasure is buried.\n',
};
const PIECES = 4;

const settings = (standin) => ['--embeddings', standin.url, '--embeddings-model', 'words'];

const embeddings = (t, what, vault, state, args = []) =>
  run(VAULTD, ['embeddings', what, '--vault-path', vault, '--state-dir', state, ...args], { env: cleanEnv(tempDir(t)) });

const about = async (server) => JSON.parse((await server.call('vault_info')).result.content[0].text);

const embedded = (server) =>
  until('all notes are embedded', async () => {
    const line = (await about(server)).search_by_meaning;
    return line?.includes(': all ') ? line : null;
  });

async function start(t, standin, vault, state, args = []) {
  const server = await startStdio(t, { vault, state, args: [...settings(standin), '--answers', 'json', ...args] });
  await server.initialize();
  return server;
}

test('a restart embeds nothing, an edit only its section', async (t) => {
  const standin = await startEmbeddings(t), vault = vaultOf(t, NOTES), state = tempDir(t);
  const first = await start(t, standin, vault, state);
  assert.match(await embedded(first), new RegExp(`all ${PIECES} chunks`));
  assert.equal(standin.texts.length, PIECES);
  await first.stop();
  const second = await start(t, standin, vault, state);
  await embedded(second);
  assert.equal(standin.texts.length, PIECES);
  write(vault, 'Boats.md', NOTES['Boats.md'].replaceAll('oar', 'rudder'));
  await until('the section is embedded', () => standin.texts.length > PIECES);
  assert.deepEqual(standin.texts.slice(PIECES).map((text) => text.split('\n')[0]), ['Boats > Oars']);
  await second.stop();
});

test('nothing of a denied folder is sent', async (t) => {
  const standin = await startEmbeddings(t), vault = vaultOf(t, NOTES);
  const server = await start(t, standin, vault, tempDir(t), ['--deny-paths', 'private']);
  await embedded(server);
  write(vault, 'private/More.md', 'Another treasure.\n');
  write(vault, 'Open.md', 'A map.\n');
  await until('the new note is sent', () => standin.texts.some((text) => text.includes('A map')));
  assert.ok(!standin.texts.some((text) => text.includes('treasure')), JSON.stringify(standin.texts));
  await server.stop();
});

test('two servers of one vault share what one of them makes', async (t) => {
  const standin = await startEmbeddings(t), vault = vaultOf(t, NOTES), state = tempDir(t);
  const servers = [await start(t, standin, vault, state), await start(t, standin, vault, state)];
  for (const server of servers) await embedded(server);
  assert.equal(standin.texts.length, PIECES);
  write(vault, 'New.md', 'Something new.\n');
  await until('it is sent', () => standin.texts.length > PIECES);
  await sleep(SLOW_MS);
  assert.equal(standin.texts.length, PIECES + 1);
  for (const server of servers) await server.stop();
});

test('vaultd embeddings builds, reports and removes vectors', async (t) => {
  const standin = await startEmbeddings(t), vault = vaultOf(t, NOTES), state = tempDir(t);
  const none = await embeddings(t, 'build', vault, state);
  assert.equal(none.code, 1);
  assert.match(none.stderr, /embeddings are off/);
  const built = await embeddings(t, 'build', vault, state, settings(standin));
  assert.equal(built.code, 0, built.stderr);
  assert.match(built.stdout, new RegExp(`all ${PIECES} chunks`));
  const files = readdirSync(state).filter((name) => name.startsWith('vectors-'));
  for (const name of files) assert.equal(statSync(path.join(state, name)).mode & 0o777, 0o600, name);
  const again = await embeddings(t, 'build', vault, state, settings(standin));
  assert.equal(again.code, 0, again.stderr);
  assert.equal(standin.texts.length, PIECES);
  const status = await embeddings(t, 'status', vault, state, [...settings(standin), '--json']);
  assert.deepEqual(JSON.parse(status.stdout), { model: JSON.parse(status.stdout).model, chunks: PIECES, embedded: PIECES, unread: 0 });
  const cleared = await embeddings(t, 'clear', vault, state);
  assert.equal(cleared.code, 0, cleared.stderr);
  assert.match(cleared.stdout, /Removed/);
  assert.match((await embeddings(t, 'clear', vault, state)).stdout, /no embeddings/);
  assert.equal((await embeddings(t, 'fill', vault, state)).code, 2);
});

test('an endpoint that refuses everything is a line, not an error', async (t) => {
  const standin = await startEmbeddings(t, 'locked'), vault = vaultOf(t, NOTES), state = tempDir(t);
  const built = await embeddings(t, 'build', vault, state, settings(standin));
  assert.equal(built.code, 1);
  assert.match(built.stderr, /key|401/);
});
