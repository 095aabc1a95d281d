// --writes propose, --propose-paths: changes by clients wait until a person accepts them.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Session, VAULTD, cleanEnv, fetchHttp, run, startHttp, startStdio, tempDir } from '../support.mjs';
import { formsOf } from './people.mjs';

function place(t, files) {
  const dir = tempDir(t);
  const vault = path.join(dir, 'vault');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(vault, name)), { recursive: true });
    writeFileSync(path.join(vault, name), text);
  }
  const state = path.join(dir, 'state');
  return {
    vault, state,
    text: (name) => readFileSync(path.join(vault, name), 'utf8'),
    has: (name) => existsSync(path.join(vault, name)),
    cli: (...args) => run(VAULTD, [...args, '--vault-path', vault], { env: cleanEnv(dir, { STATE_DIR: state }) }),
    async start(...args) {
      const server = startStdio(t, { vault, state, args });
      await server.initialize();
      return server;
    },
  };
}

async function call(server, name, args) {
  const { result } = await server.request('tools/call', { name, arguments: args });
  return { text: result.content.map((c) => c.text).join('\n'), failed: result.isError === true };
}

const idOf = (answer) => /"proposal":"([0-9a-f]{12})"/.exec(answer.text)?.[1];

test('a change waits until it is accepted, and is then like any other', async (t) => {
  const p = place(t, { 'a.md': 'one\n' });
  const server = await p.start('--writes', 'propose');
  const answer = await call(server, 'vault_edit', { path: 'a.md', old_text: 'one', new_text: 'two', idempotency_key: 'k' });
  const id = idOf(answer);
  assert.equal(JSON.parse(answer.text).status, 'waiting for review: nothing was changed yet');
  assert.match(JSON.parse(answer.text).diff, /-one\n\+two/);
  assert.equal(p.text('a.md'), 'one\n');
  const again = await call(server, 'vault_edit', { path: 'a.md', old_text: 'one', new_text: 'two', idempotency_key: 'k' });
  assert.equal(idOf(again), id);
  assert.equal(JSON.parse(again.text).repeated, true);
  const listed = JSON.parse((await p.cli('proposals', '--json')).stdout).proposals;
  assert.deepEqual(listed.map((x) => [x.id, x.state]), [[id, 'waiting']]);
  assert.match((await p.cli('proposals', id)).stdout, /-one\n\+two/);
  const accepted = await p.cli('accept', id);
  assert.equal(accepted.code, 0, accepted.stderr);
  assert.equal(p.text('a.md'), 'two\n');
  const twice = await p.cli('accept', id);
  assert.match(twice.stderr, /is accepted/);
  assert.equal((await p.cli('undo')).code, 0);
  assert.equal(p.text('a.md'), 'one\n');
});

test('a rejected one changes nothing and keeps its reason', async (t) => {
  const p = place(t, { 'a.md': 'one\n' });
  const server = await p.start('--writes', 'propose');
  const id = idOf(await call(server, 'vault_write', { path: 'new.md', content: 'x\n' }));
  assert.equal(JSON.parse((await p.cli('reject', id, 'not', 'now', '--json')).stdout).state, 'rejected');
  assert.equal(p.has('new.md'), false);
  const [row] = JSON.parse((await p.cli('proposals', '--json')).stdout).proposals;
  assert.deepEqual([row.state, row.reason], ['rejected', 'not now']);
  assert.match((await p.cli('accept', id)).stderr, /is rejected/);
});

test('edits meanwhile are merged, or nothing is written', async (t) => {
  const p = place(t, { 'a.md': '# T\n\none\n\nlast\n' });
  const server = await p.start('--writes', 'propose');
  const first = idOf(await call(server, 'vault_edit', { path: 'a.md', old_text: 'one', new_text: 'ONE' }));
  const second = idOf(await call(server, 'vault_edit', { path: 'a.md', old_text: 'one', new_text: 'uno' }));
  writeFileSync(path.join(p.vault, 'a.md'), '# T\n\none\n\nlast, edited\n');
  assert.match((await p.cli('accept', first)).stdout, /merged/);
  assert.equal(p.text('a.md'), '# T\n\nONE\n\nlast, edited\n');
  const conflict = await p.cli('accept', second);
  assert.match(conflict.stderr, /'a.md' has changed since in the same places: nothing was changed/);
  assert.equal(p.text('a.md'), '# T\n\nONE\n\nlast, edited\n');
  assert.match((await p.cli('proposals')).stdout, new RegExp(`${second}.*waiting`));
});

test('only the folders of --propose-paths wait, and a client cannot go around them', async (t) => {
  const p = place(t, { 'a.md': 'one\n', 'Work/b.md': 'one\n' });
  const server = await p.start('--propose-paths', 'Work');
  const made = await call(server, 'vault_edit', { path: 'a.md', old_text: 'one', new_text: 'two' });
  assert.equal(idOf(made), undefined);
  assert.equal(p.text('a.md'), 'two\n');
  for (const [name, args] of [
    ['vault_edit', { path: 'Work/b.md', old_text: 'one', new_text: 'two' }],
    ['vault_move', { path: 'Work/b.md', to: 'Play/b.md' }],
    ['vault_move', { path: 'Work', to: 'Play' }],
    ['vault_delete', { path: 'Work/b.md' }],
  ]) {
    const answer = await call(server, name, args);
    assert.ok(idOf(answer), `${name}: ${answer.text}`);
    assert.equal(p.text('Work/b.md'), 'one\n');
  }
  const undo = await call(server, 'vault_undo', {});
  assert.equal(undo.failed, false, undo.text);
  assert.equal(p.text('a.md'), 'one\n');
});

test('text that a reader does not see is reported', async (t) => {
  const p = place(t, { 'a.md': 'one\n' });
  const server = await p.start('--writes', 'propose');
  const id = idOf(await call(server, 'vault_edit', { path: 'a.md', old_text: 'one', new_text: 'two\u202e' }));
  assert.match((await p.cli('proposals', id)).stdout, /not visible \(bidi/);
});

test('--state memory has no place for proposals', async (t) => {
  const p = place(t, { 'a.md': 'one\n' });
  const end = await run(VAULTD, ['serve', '--stdio', '--state', 'memory', '--writes', 'propose', p.vault], { env: cleanEnv(tempDir(t), { STATE_DIR: p.state }) });
  assert.match(end.stderr, /--state memory would forget what waits for a review/);
});

test('a model reads that the change waits', async (t) => {
  const p = place(t, { 'a.md': 'one\n' });
  const server = await p.start('--writes', 'propose', '--answers', 'text');
  const answer = await call(server, 'vault_edit', { path: 'a.md', old_text: 'one', new_text: 'two' });
  assert.match(answer.text, /^proposal [0-9a-f]{12} waits for the user's review, nothing was changed yet: edited a.md/);
  assert.match(answer.text, /-one\n\+two/);
});

test('over HTTP without sign-in, the page of changes undoes nothing around a review', async (t) => {
  const p = place(t, { 'a.md': 'one\n' });
  const server = await startHttp(t, { vault: p.vault, state: p.state, args: ['--writes', 'propose'] });
  const session = await Session.open(server);
  const { message } = await session.call('vault_edit', { path: 'a.md', old_text: 'one', new_text: 'two' });
  const id = idOf({ text: message.result.content.map((c) => c.text).join('\n') }) ?? /[0-9a-f]{12}/.exec(message.result.content[0].text)[0];
  assert.equal(p.text('a.md'), 'one\n');
  assert.equal((await p.cli('accept', id)).code, 0);
  assert.equal(p.text('a.md'), 'two\n');
  const origin = `http://127.0.0.1:${server.port}`;
  const { text } = await fetchHttp(server, { method: 'GET', path: '/changes', headers: { accept: 'text/html' } });
  const [form] = formsOf(text);
  const pressed = await fetch(`${origin}/changes`, { method: 'POST', redirect: 'manual', headers: { origin, 'content-type': 'application/x-www-form-urlencoded' }, body: new URLSearchParams(form.fields) });
  assert.equal(pressed.status, 409);
  assert.match(await pressed.text(), /is changed only after a review/);
  assert.equal(p.text('a.md'), 'two\n');
});
