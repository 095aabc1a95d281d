// --sync-ack push: a change is answered when the git remote has it, and a push that fails or takes
// too long is reported without making the change twice.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, cleanEnv, modernMessage, postModern, run, startClock, startHttp, tempDir, until, withLimit } from '../support.mjs';
import { startHttps } from './forges.mjs';
import { clientOf, makeWorld } from './git_world.mjs';
import { CONNECTIONS } from './sdk.mjs';

const serve = (t, w, remote = ['--git-remote', w.remote], more = []) =>
  startHttp(t, { vault: w.vault, state: w.state, args: [...remote, '--git-pull-interval', '0', '--sync-ack', 'push', ...more] });

const shows = (w, note) => w.git('remote.git', 'show', `main:${note}`);

for (const row of CONNECTIONS.filter(({ name }) => /v1 over HTTP|pinned over HTTP/.test(name)))
  test(`what was answered is on the remote: ${row.name}`, async (t) => {
    const w = makeWorld(t);
    const { call } = await clientOf(t, await serve(t, w), row);
    await call('vault_write', { path: 'One.md', content: 'one\n' });
    assert.equal(shows(w, 'One.md'), 'one');
    w.push({ 'Phone.md': 'phone\n' }, 'phone: meanwhile');
    await Promise.all(['a', 'b', 'c'].map((name) => call('vault_write', { path: `${name}.md`, content: name })));
    assert.deepEqual(['a', 'b', 'c', 'Phone'].map((name) => shows(w, `${name}.md`)), ['a', 'b', 'c', 'phone']);
    await call('vault_batch', { steps: [{ tool: 'vault_insert', path: 'One.md', content: 'two' }, { tool: 'vault_write', path: 'New.md', content: 'new\n' }] });
    assert.equal(shows(w, 'New.md'), 'new');
    await call('vault_undo', {});
    assert.equal(w.git('remote.git', 'rev-parse', 'main'), w.git('vault', 'rev-parse', 'HEAD'));
  });

test('a push that is refused is reported, the change is kept, and a retry does not make it twice', async (t) => {
  const w = makeWorld(t);
  const { call, refusal } = await clientOf(t, await serve(t, w, (await startHttps(t, w.remote)).args));
  await call('vault_sync');
  const lift = w.hook('echo "no notes on Fridays" >&2; exit 1');
  const wish = { path: 'Garden.md', content: 'Beans', idempotency_key: 'beans' };
  const error = await refusal('vault_insert', wish);
  assert.equal(error.code, 'NOT_PUSHED');
  assert.match(error.message, /made on this server and can be read here.*no notes on Fridays.*do not make it again.*change the note twice.*Only a call that had an idempotency_key may be repeated/s);
  assert.match((await call('vault_read', { path: 'Garden.md' })).content, /Beans/);
  assert.equal((await refusal('vault_insert', wish)).code, 'NOT_PUSHED', 'a retry with the key waits again');
  lift();
  await call('vault_insert', wish);
  assert.equal(shows(w, 'Garden.md').match(/Beans/g).length, 1);
  const preview = w.hook('exit 1');
  await call('vault_insert', { path: 'Garden.md', content: 'Peas', dry_run: true });
  preview();
});

test('a slow push blocks no other call, and one that is too slow times out', async (t) => {
  await withLimit(4, (limit) => pushSlowly(t, limit));
});

async function pushSlowly(t, limit) {
  const w = makeWorld(t);
  const server = await serve(t, w, (await startHttps(t, w.remote)).args, ['--sync-wait', String(limit)]);
  const { call } = await clientOf(t, server);
  await call('vault_sync');
  const go = path.join(w.top, 'go');
  const lift = w.hook(`while [ ! -e ${go} ]; do sleep 0.1; done`);
  const ask = async (name, args) => (await postModern(server, modernMessage('tools/call', { name, arguments: args }))).message.result;
  const clock = startClock();
  let answered = 0;
  const writes = Array.from({ length: 12 }, async (_, i) => {
    const result = await ask('vault_write', { path: `Slow ${i}.md`, content: 'x\n' });
    answered++;
    return result;
  });
  await until('they are written', async () => (await ask('vault_read', { path: 'Slow 11.md' })).isError !== true);
  if (answered > 0 && clock() >= limit) return false;
  assert.equal(answered, 0, 'none is answered before the remote has it, and reads go on');
  const results = await Promise.all(writes);
  for (const { isError, content } of results) {
    assert.ok(isError);
    assert.match(content[0].text, /NOT_PUSHED.*has not answered in time/);
  }
  writeFileSync(go, '');
  await until('a later change is acknowledged', async () => !(await ask('vault_write', { path: 'Later.md', content: 'x\n', overwrite: true })).isError);
  lift();
  assert.equal(w.git('remote.git', 'ls-tree', '--name-only', 'main').split('\n').filter((n) => /Slow/.test(n)).length, 12);
  return true;
}

test('an undo on /changes says whether the remote has it', async (t) => {
  const w = makeWorld(t);
  const server = await serve(t, w, (await startHttps(t, w.remote)).args);
  const { call } = await clientOf(t, server);
  await call('vault_write', { path: 'Note.md', content: 'one\n' });
  const origin = `http://127.0.0.1:${server.port}`;
  const page = async (query) => (await fetch(`${origin}/changes?${query}`)).text();
  const ticket = (await page('change=1')).match(/name="ticket" value="([^"]+)"/)[1];
  const lift = w.hook('exit 1');
  const undo = await fetch(`${origin}/changes`, { method: 'POST', redirect: 'manual', headers: { origin }, body: new URLSearchParams({ change: '1', ticket }) });
  assert.equal(undo.status, 303);
  assert.match(await page('change=1&done=undone'), /undone here, but not pushed to the git remote yet/);
  lift();
  await call('vault_write', { path: 'Other.md', content: 'two\n' });
  assert.match(await page('change=1&done=undone'), /undone and pushed to the git remote/);
  assert.throws(() => shows(w, 'Note.md'));
});

test('--sync-ack push without a git remote is refused at the start', async (t) => {
  const vault = path.join(tempDir(t), 'vault');
  mkdirSync(vault);
  for (const [args, why] of [
    [[], /--sync-ack push needs a git remote: give --git-remote/],
    [['--sync-command', 'true'], /--sync-ack push needs a git remote: give --git-remote/],
    [['--sync', 'git'], /needs a git remote, and the repository has none/],
  ]) {
    const end = await run(VAULTD, ['serve', '--stdio', '--sync-ack', 'push', ...args, vault], { env: cleanEnv(tempDir(t)) });
    assert.notEqual(end.code, 0);
    assert.match(end.stderr, why);
  }
});
