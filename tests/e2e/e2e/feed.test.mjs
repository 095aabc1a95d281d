// vault_changes with `all`: what anyone has changed, across processes, restarts and kills.
import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { cleanEnv, run, startStdio, tempDir, until, VAULTD } from '../support.mjs';

function makeVault(t) {
  const vault = path.join(tempDir(t), 'vault');
  mkdirSync(vault);
  writeFileSync(path.join(vault, 'Home.md'), 'home\n');
  return { vault, state: tempDir(t), put: (file, text) => writeFileSync(path.join(vault, file), text) };
}

async function start(t, { vault, state }, args = []) {
  const server = startStdio(t, { vault, state, args });
  await server.initialize();
  return server;
}

const ask = async (server, args = {}) => JSON.parse((await server.call('vault_changes', { all: true, ...args })).result.content[0].text);
const brief = (f) => f.files.map((e) => [e.kind, ...(e.from ? [e.from] : []), e.path, ...(e.tool ? [e.tool] : [])].join(' '));

/** What comes after a cursor, when all of it is noticed: two processes and a watcher need their time. */
async function eventually(server, since, want) {
  let got;
  await until(`${want}`, async () => `${brief(got = await ask(server, { since }))}` === `${want}`);
  return got;
}

test('what a client, another program and another process change is in one list', async (t) => {
  const place = makeVault(t);
  const [one, two] = [await start(t, place), await start(t, place)];
  const { cursor, files } = await ask(one);
  assert.deepEqual(files, []);
  await one.call('vault_write', { path: 'New.md', content: 'new\n' });
  await eventually(one, cursor, ['created New.md vault_write']);
  place.put('Out.md', 'by an editor\n');
  await eventually(two, cursor, ['created New.md vault_write', 'created Out.md']);
  renameSync(path.join(place.vault, 'Out.md'), path.join(place.vault, 'Moved.md'));
  await eventually(one, cursor, ['created New.md vault_write', 'created Out.md', 'moved Out.md Moved.md']);
  rmSync(path.join(place.vault, 'Moved.md'));
  const all = ['created New.md vault_write', 'created Out.md', 'moved Out.md Moved.md', 'deleted Moved.md'];
  const mine = await eventually(one, cursor, all);
  assert.deepEqual((await eventually(two, cursor, all)).files, mine.files, 'both know the same');
  assert.deepEqual((await ask(two, { since: mine.cursor })).files, []);

  const { stdout, code } = await run(VAULTD, ['changes', '--all', '--json', '--since', String(cursor)], { env: cleanEnv(tempDir(t), { STATE_DIR: place.state, VAULT_PATH: place.vault }) });
  assert.equal(code, 0);
  const owner = JSON.parse(stdout).files;
  assert.equal(owner[0].change, 1, 'its owner also learns the number of the change');
  assert.deepEqual(owner.map(({ change, ...rest }) => rest), mine.files, 'else the command says the same');
});

test('after a kill nothing is missing: neither what was noticed nor what changed meanwhile', async (t) => {
  const place = makeVault(t);
  place.put('Diary.md', '---\nai: hidden\n---\n');
  const first = await start(t, place);
  const { cursor } = await ask(first);
  await first.eof(); // the index is stored
  const second = await start(t, place);
  place.put('Before.md', 'before\n');
  await eventually(second, cursor, ['created Before.md']);
  await second.crash();
  place.put('Home.md', 'home, changed while nothing ran\n');
  rmSync(path.join(place.vault, 'Diary.md'));
  const third = await start(t, place);
  const after = await eventually(third, cursor, ['created Before.md', 'changed Home.md']);
  assert.deepEqual([after.missed_before, after.repeated], [undefined, undefined]);
});
