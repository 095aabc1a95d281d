// A vault in git, with the real git and bare repositories in temp folders, seen through the
// official SDK, the webhook and the command line.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { META, VAULTD, assertNoSanitizer, cleanEnv, fetchHttp, modernMessage, postModern, run, startClock, startHttp, startStdio, tempDir, until, withLimit } from '../support.mjs';
import { startHttps } from './forges.mjs';
import { SECRET, clientOf, makeWorld } from './git_world.mjs';

const argsOf = (w, ...more) => ['--git-remote', w.remote, '--git-pull-interval', '0', ...more];
const serve = (t, w, ...more) => startHttp(t, { vault: w.vault, state: w.state, args: argsOf(w, ...more) });

test('the first start clones; a write is one commit with trailers, and pushed', async (t) => {
  const w = makeWorld(t);
  const { call } = await clientOf(t, await serve(t, w));
  assert.equal((await call('vault_read', { path: 'Garden.md' })).content, '# Garden\n\nTomatoes\n');
  const { change } = await call('vault_write', { path: 'Plans/New.md', content: 'hello\n' });
  await until('the commit is pushed', () => w.log().length === 2);
  assert.deepEqual(w.log('%s|%an|%ae'), ['vault_write: Plans/New.md|vaultd|vaultd@localhost', 'phone: the garden|Ann|ann@example.org']);
  const trailers = w.git('remote.git', 'log', '-1', '--format=%(trailers:unfold)', 'main').split('\n');
  assert.deepEqual(trailers, ['Tool: vault_write', 'Client: e2e 1', `Vaultd-Change: ${change}`]);
  assert.equal(w.git('remote.git', 'show', 'main:Plans/New.md'), 'hello');

  await call('vault_undo', {});
  await until('the undo is pushed', () => w.log().length === 3);
  assert.equal(w.git('remote.git', 'ls-tree', '-r', '--name-only', 'main'), 'Garden.md');
});

test('vault_sync pulls others\' pushes, indexes them, and does not commit them again', async (t) => {
  const w = makeWorld(t);
  const { call } = await clientOf(t, await serve(t, w));
  await call('vault_sync');
  const head = w.push({ 'Ideas/Compost.md': 'Worms and leaves #soil\n' }, 'phone: compost');
  assert.equal((await call('vault_search', { query: 'worms' })).results.length, 0);
  const state = await call('vault_sync');
  assert.deepEqual([state.kind, state.branch, state.ahead, state.behind, state.conflicts], ['git', 'main', 0, 0, []]);
  assert.match(state.last_success, /^\d{4}-\d\d-\d\dT/);
  assert.equal((await call('vault_search', { query: 'worms' })).results[0].path, 'Ideas/Compost.md');
  await call('vault_write', { path: 'Mine.md', content: 'x\n' });
  await call('vault_sync');
  assert.deepEqual(w.log(), ['vault_write: Mine.md', 'phone: compost', 'phone: the garden']);
  assert.equal(w.git('remote.git', 'rev-parse', 'main~1'), head);
  assert.deepEqual((await call('vault_info')).sync.ahead, 0);
});

test('a sync without news runs git once, and a pull of one file a few times', async (t) => {
  const w = makeWorld(t), bin = path.join(w.top, 'bin'), log = path.join(w.remote, 'runs'); // where the sandbox lets git write
  mkdirSync(bin);
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
  writeFileSync(path.join(bin, 'git'), `#!/bin/sh\necho "$*" >>'${log}'\nexec ${real} "$@"\n`, { mode: 0o755 });
  const server = await startHttp(t, { vault: w.vault, state: w.state, args: argsOf(w), env: { PATH: `${bin}:${process.env.PATH}` } });
  const { call } = await clientOf(t, server);
  const runs = async () => {
    writeFileSync(log, '');
    await call('vault_sync');
    return readFileSync(log, 'utf8').split('\n').filter(Boolean);
  };
  w.push({ 'Ideas/First.md': '1\n' }, 'phone: first');
  await runs();
  const idle = await runs();
  assert.equal(idle.length, 1, idle.join('\n'));
  w.push({ 'Ideas/Compost.md': 'Worms and leaves\n' }, 'phone: compost');
  const pull = await runs();
  assert.ok(pull.length <= 6, pull.join('\n'));
  assert.ok(existsSync(path.join(w.vault, 'Ideas/Compost.md')));
  w.git('vault', 'pack-refs', '--all');
  assert.equal((await runs()).length, 1, 'with packed refs');
});

test('vault_sync is a task for clients that support tasks, and a plain call for others', async (t) => {
  const w = makeWorld(t);
  const server = await serve(t, w);
  const ask = async (method, params, extensions = { [`${META}tasks`]: {} }) =>
    (await postModern(server, modernMessage(method, { ...params, _meta: { [`${META}clientCapabilities`]: { extensions } } }))).message.result;
  assert.deepEqual((await ask('server/discover', {})).capabilities.extensions[`${META}tasks`], {});
  w.push({ 'Ideas/Compost.md': 'Worms and leaves\n' }, 'phone: compost');
  const { resultType, taskId, status } = await ask('tools/call', { name: 'vault_sync', arguments: {} });
  assert.deepEqual([resultType, status], ['task', 'working']);
  let task;
  await until('the task is done', async () => (task = await ask('tasks/get', { taskId })).status !== 'working');
  const answer = (result) => JSON.parse(result.content[0].text);
  assert.deepEqual([task.status, answer(task.result).kind, answer(task.result).behind], ['completed', 'git', 0]);
  assert.ok(existsSync(path.join(w.vault, 'Ideas/Compost.md')));
  const now = await ask('tools/call', { name: 'vault_sync', arguments: { status: true } });
  assert.equal(answer(now).kind, 'git', 'the status is there at once');
  const plain = await ask('tools/call', { name: 'vault_sync', arguments: {} }, {});
  assert.equal(answer(plain).kind, 'git');
});

test('calls that wait for a silent remote block no other call, and time out', async (t) => {
  await withLimit(3, (limit) => waitForSilentRemote(t, limit));
});

async function waitForSilentRemote(t, limit) {
  const w = makeWorld(t);
  mkdirSync(w.vault, { recursive: true });
  writeFileSync(path.join(w.vault, 'Garden.md'), 'Tomatoes\n');
  const server = await startHttp(t, { vault: w.vault, state: w.state, args: ['--sync-command', 'sleep 3600', '--sync-wait', String(limit)] });
  const clock = startClock();
  const ask = async (name, args = {}) => {
    const { message } = await postModern(server, modernMessage('tools/call', { name, arguments: args }));
    assert.ok(!message.result.isError, JSON.stringify(message));
    return { value: JSON.parse(message.result.content[0].text), aside: message.result.content[1]?.text };
  };
  let answered = 0;
  const syncs = Array.from({ length: 12 }, async () => {
    const answer = await ask('vault_sync');
    answered++;
    return answer;
  });
  await until('the sync has begun', async () => (await ask('vault_sync', { status: true })).value.running_since);
  for (let i = 0; i < 5; i++) {
    await ask('vault_write', { path: `Note ${i}.md`, content: 'x\n' });
    assert.equal((await ask('vault_read', { path: `Note ${i}.md` })).value.content, 'x\n');
  }
  if (answered > 0 && clock() >= limit) return false;
  assert.equal(answered, 0, 'while they wait');
  for (const { value, aside } of await Promise.all(syncs)) {
    assert.match(value.running_since, /^\d{4}-/);
    assert.match(aside, /still running/);
  }
  return true;
}

test('a pull of more than fits into one change is made in parts, and nothing is missing', async (t) => {
  const w = makeWorld(t);
  const { call } = await clientOf(t, await serve(t, w));
  await call('vault_sync');
  await call('vault_write', { path: 'Both.md', content: 'ours\n' });
  await call('vault_sync');
  const files = { 'Both.md': 'ours\n\ntheirs\n', 'Notes/Small.md': 'small\n' };
  for (let i = 0; i < 5; i++) files[`Media/${i}.bin`] = Buffer.alloc(30 << 20, `file ${i}\n`);
  const head = w.push(files, 'phone: a lot');
  let state;
  await until('everything is pulled', async () => !(state = await call('vault_sync')).running_since);
  assert.deepEqual([state.ahead, state.behind, state.last_error], [0, 0, undefined]);
  for (const [file, content] of Object.entries(files))
    assert.ok(readFileSync(path.join(w.vault, file)).equals(Buffer.from(content)), file);
  assert.equal(w.git('vault', 'rev-parse', 'HEAD'), head, 'their commit itself');
  assert.equal(w.git('vault', 'status', '--porcelain'), '');
  assert.ok((await call('vault_changes', { limit: 10 })).changes.filter((c) => c.tool === 'sync').length >= 3, 'several changes');
  const all = (await call('vault_changes', { all: true })).files.filter((f) => f.tool === 'sync').map((f) => f.path);
  assert.deepEqual(all.sort(), Object.keys(files).sort(), 'in the list of what anyone changed');
});

test('a note changed on both sides: the remote version is kept next to ours, and both are reported', async (t) => {
  const w = makeWorld(t);
  const { call } = await clientOf(t, await serve(t, w, '--git-push-delay', '3600'));
  await call('vault_sync');
  w.push({ 'Garden.md': '# Garden\n\nBeans, says the phone\n' }, 'phone: beans');
  await call('vault_write', { path: 'Garden.md', content: '# Garden\n\nPeas, says the model\n', overwrite: true });
  const state = await call('vault_sync');
  assert.equal(state.conflicts.length, 1, JSON.stringify(state));
  const [{ path: ours, theirs }] = state.conflicts;
  assert.equal(ours, 'Garden.md');
  const both = [await call('vault_read', { path: ours }), await call('vault_read', { path: theirs })].map((r) => r.content).join('\n');
  assert.match(both, /Beans, says the phone/);
  assert.match(both, /Peas, says the model/);
  assert.doesNotMatch(both, /<<<<<<<|>>>>>>>/);
  assert.deepEqual((await call('vault_sync', { status: true })).conflicts, state.conflicts);
  assert.deepEqual((await call('vault_info')).sync.conflicts, state.conflicts);
  assert.ok(w.git('remote.git', '-c', 'core.quotePath=false', 'ls-tree', '-r', '--name-only', 'main').includes(theirs));
});

test('history: old versions of notes, diffs, commits in pages', async (t) => {
  const w = makeWorld(t);
  const { call, refusal } = await clientOf(t, await serve(t, w));
  await call('vault_sync');
  const first = w.log('%H')[0];
  await call('vault_edit', { path: 'Garden.md', old_text: 'Tomatoes', new_text: 'Potatoes' });
  await call('vault_write', { path: 'Other.md', content: 'one\n' });
  await call('vault_sync'); // a commit has the files as they are when it is made
  await call('vault_delete', { path: 'Other.md' });
  await call('vault_sync');

  const old = await call('vault_read', { path: 'Garden', at: first });
  assert.deepEqual([old.path, old.content, old.commit, old.etag], ['Garden.md', '# Garden\n\nTomatoes\n', first, undefined]);
  assert.equal((await call('vault_read', { path: 'Other.md', at: 'HEAD~1' })).content, 'one\n', 'a note that is gone now');
  assert.match((await call('vault_read', { path: 'Garden.md', diff_from: first })).diff, /^-Tomatoes\n\+Potatoes$/m);
  assert.match((await call('vault_read', { path: 'Garden.md', diff_from: 'HEAD', at: first })).diff, /^-Potatoes\n\+Tomatoes$/m);

  const all = (await call('vault_changes', { source: 'git' })).commits;
  assert.deepEqual(all.map((c) => c.subject), ['vault_delete: Other.md', 'vault_write: Other.md', 'vault_edit: Garden.md', 'phone: the garden']);
  assert.deepEqual([all[3].author, all[3].files, first.startsWith(all[3].commit)], ['Ann', ['Garden.md'], true]);
  assert.equal(all[0].client, 'e2e 1');
  const paged = [];
  for (let next = {}; next; ) {
    const page = await call('vault_changes', { source: 'git', limit: 1, ...next });
    paged.push(...page.commits);
    next = page.next;
  }
  assert.deepEqual(paged, all);
  const subjects = async (args) => (await call('vault_changes', { source: 'git', ...args })).commits.map((c) => c.subject);
  assert.deepEqual(await subjects({ path: 'Garden.md' }), ['vault_edit: Garden.md', 'phone: the garden']);
  assert.deepEqual(await subjects({ range: `${first}..HEAD~1` }), ['vault_write: Other.md', 'vault_edit: Garden.md']);
  assert.deepEqual(await subjects({ range: '..2001-01-01' }), []);

  assert.equal((await refusal('vault_read', { path: 'Garden.md', at: 'no such thing' })).code, 'UNKNOWN_REVISION');
  assert.equal((await refusal('vault_read', { path: 'Never.md', at: 'HEAD' })).code, 'FILE_NOT_FOUND');
  assert.equal((await refusal('vault_read', { path: '.obsidian/app.json', at: 'HEAD' })).code, 'PATH_NOT_ALLOWED');
  assert.match((await refusal('vault_read', { path: 'Garden.md', at: 'HEAD', view: 'links' })).message, /the current note only/);
});

test('versions of a note that were hidden from clients stay hidden', async (t) => {
  const w = makeWorld(t);
  w.push({ 'Diary.md': '---\nai: hidden\n---\nsecret\n' }, 'phone: a diary');
  w.push({ 'Diary.md': 'public now\n' }, 'phone: published');
  const { call, refusal } = await clientOf(t, await serve(t, w));
  await call('vault_sync');
  assert.equal((await call('vault_read', { path: 'Diary.md' })).content, 'public now\n');
  assert.equal((await call('vault_read', { path: 'Diary.md', at: 'HEAD' })).content, 'public now\n');
  for (const args of [{ at: 'HEAD~1' }, { diff_from: 'HEAD~1' }, { diff_from: 'HEAD', at: 'HEAD~1' }])
    assert.equal((await refusal('vault_read', { path: 'Diary.md', ...args })).code, 'FILE_NOT_FOUND', JSON.stringify(args));
});

test('a hidden note fails in the history like one that never existed', async (t) => {
  const w = makeWorld(t);
  w.push({ 'Kept.md': '---\nai: hidden\n---\nsecret\n', 'Seen.md': 'seen\n' }, 'phone: both');
  const { call, refusal } = await clientOf(t, await serve(t, w));
  await call('vault_sync');
  for (const args of [{ at: 'HEAD' }, { at: 'HEAD~1' }, { at: 'no such thing' }, { at: '1999-01-01' }, { diff_from: 'HEAD' }, { diff_from: 'HEAD~1', at: 'HEAD' }, { diff_from: 'no such thing' }]) {
    const [hidden, missing] = [await refusal('vault_read', { path: 'Kept.md', ...args }), await refusal('vault_read', { path: 'Nope.md', ...args })];
    assert.deepEqual(JSON.parse(JSON.stringify(hidden).replaceAll('Kept', 'Nope')), missing, JSON.stringify(args));
  }
  assert.deepEqual(await call('vault_changes', { source: 'git', path: 'Kept.md' }), await call('vault_changes', { source: 'git', path: 'Nope.md' }));
});

test('a caller who may not read a folder learns nothing about it from the history', async (t) => {
  const w = makeWorld(t);
  w.push({ 'Private/Diary.md': 'a secret long enough to be followed by git\nwith lines\n' }, 'phone: Private/Diary.md');
  w.git('phone', 'mv', 'Private/Diary.md', 'Public.md');
  w.git('phone', 'commit', '--quiet', '-m', 'phone: published');
  w.git('phone', 'push', '--quiet', 'origin', 'main');
  const { call, refusal } = await clientOf(t, await serve(t, w, '--deny-paths', 'Private'));
  await call('vault_sync');
  assert.match((await call('vault_read', { path: 'Public.md' })).content, /a secret/);
  for (const file of ['Private/Diary.md', 'Public.md'])
    assert.equal((await refusal('vault_read', { path: file, at: 'HEAD~1' })).code, 'FILE_NOT_FOUND', file);
  assert.doesNotMatch(JSON.stringify(await call('vault_changes', { source: 'git' })), /Private|Diary/);
  // files hidden from clients are synced all the same
  w.push({ 'Private/More.md': 'more\n', 'Seen.md': 'seen\n' }, 'phone: more');
  await call('vault_sync');
  assert.equal(readFileSync(path.join(w.vault, 'Private/More.md'), 'utf8'), 'more\n');
  assert.equal((await refusal('vault_read', { path: 'Private/More.md' })).code, 'FILE_NOT_FOUND');
});

test('a read-only server follows its remote', async (t) => {
  const w = makeWorld(t);
  const server = await serve(t, w, '--read-only', '--webhook-secret-file', w.secret);
  const { sdk, call } = await clientOf(t, server);
  assert.ok(!(await sdk.client.listTools()).tools.some((tool) => ['vault_sync', 'vault_write'].includes(tool.name)));
  w.push({ 'Later.md': 'later on\n' }, 'phone: later');
  assert.equal((await hook(server, { after: '2' })).status, 202);
  await until('it is there', async () => (await call('vault_search', { query: 'later on' })).results.length === 1);
});

/* --- the webhook --- */

const sign = (body, secret = SECRET) => createHmac('sha256', secret).update(body).digest('hex');

function hook(server, payload, { headers, body = JSON.stringify(payload), method = 'POST' } = {}) {
  headers ??= { 'x-hub-signature-256': `sha256=${sign(body)}`, 'x-github-event': 'push', 'x-github-delivery': `id ${body.length} ${sign(body)}` };
  return fetchHttp(server, { method, path: '/hooks/git', headers: { 'content-type': 'application/json', ...headers }, body });
}

test('SEC-125 a signed webhook pulls immediately, and once', async (t) => {
  const w = makeWorld(t);
  const server = await serve(t, w, '--webhook-secret-file', w.secret);
  const { call } = await clientOf(t, server);
  await call('vault_sync');
  w.push({ 'Hooked.md': 'by a webhook\n' }, 'phone: hooked');
  const answer = await hook(server, { ref: 'refs/heads/main', after: '1' });
  assert.deepEqual([answer.status, answer.message.status], [202, 'pulling']);
  await until('the note is found', async () => (await call('vault_search', { query: 'by a webhook' })).results.length === 1);
  assert.equal((await hook(server, { ref: 'refs/heads/main', after: '1' })).message.status, 'seen before');
  const again = JSON.stringify({ ref: 'refs/heads/main', after: '1' });
  assert.equal((await hook(server, null, { body: again, headers: { 'x-hub-signature-256': `sha256=${sign(again)}`, 'x-github-delivery': 'another id' } })).message.status, 'seen before', 'an id is not signed');

  w.push({ 'Gitea.md': 'by the tea\n' }, 'phone: tea');
  const body = JSON.stringify({ after: '3' });
  assert.equal((await hook(server, null, { body, headers: { 'x-gitea-signature': sign(body), 'x-gitea-event': 'push', 'x-gitea-delivery': 'g1' } })).status, 202);
  await until('the note is found', async () => (await call('vault_search', { query: 'by the tea' })).results.length === 1);
  w.push({ 'Fox.md': 'by the fox\n' }, 'phone: fox');
  const fox = { body: JSON.stringify({ after: '4' }), headers: { 'x-gitlab-token': SECRET, 'x-gitlab-event': 'Push Hook' } };
  assert.equal((await hook(server, null, fox)).message.status, 'pulling');
  await until('the note is found', async () => (await call('vault_search', { query: 'by the fox' })).results.length === 1);
  assert.ok(!server.stderr.includes(SECRET));
  const ping = JSON.stringify({ zen: 'x' });
  assert.equal((await hook(server, null, { body: ping, headers: { 'x-hub-signature-256': `sha256=${sign(ping)}`, 'x-github-event': 'ping' } })).message.status, 'ignored');
});

test('SEC-125 a webhook that is not signed, wrongly signed or too large is refused', async (t) => {
  const w = makeWorld(t);
  const server = await serve(t, w, '--webhook-secret-file', w.secret);
  await server.says(/ synced /);
  const body = '{"after":"9"}';
  const wrong = [{}, { 'x-hub-signature-256': `sha256=${sign(body, 'another secret')}` }, { 'x-hub-signature-256': sign(body) },
    { 'x-hub-signature-256': 'sha256=' }, { 'x-hub-signature-256': `sha256=${sign(`${body} `)}` }, { 'x-hub-signature-256': `sha1=${sign(body)}` },
    { 'x-gitea-signature': sign(body).slice(0, 63) }, { 'x-gitea-signature': '' }, { 'x-hub-signature-256': 'sha256=zz', 'x-gitea-signature': sign(body) },
    { 'x-gitlab-token': 'another secret' }, { 'x-gitlab-token': '' }, { 'x-gitlab-token': sign(body) }];
  for (const headers of wrong) assert.equal((await hook(server, null, { body, headers })).status, 401, JSON.stringify(headers));
  assert.equal((await hook(server, null, { body: 'x'.repeat((1 << 20) + 1) })).status, 413);
  assert.equal((await fetchHttp(server, { method: 'GET', path: '/hooks/git' })).status, 405);
  await server.stop();
  assert.equal(server.stderr.match(/ synced /g).length, 1, 'nothing was pulled');
});

test('without a secret the route does not exist', async (t) => {
  const w = makeWorld(t);
  const server = await serve(t, w);
  assert.equal((await hook(server, { after: '1' })).status, 404);
});

/* --- failures --- */

test('SEC-125 a missing remote slows no write, and is reported without credentials', async (t) => {
  const w = makeWorld(t);
  const first = await serve(t, w);
  await first.says(/ synced /);
  await first.stop();
  const mute = net.createServer(() => {}).listen(0, '127.0.0.1'); // accepts connections, and sends nothing
  t.after(() => mute.close());
  await once(mute, 'listening');
  const connected = once(mute, 'connection');
  const remote = `https://joe:hunter22@127.0.0.1:${mute.address().port}/notes.git`;
  const server = await startHttp(t, { vault: w.vault, state: w.state, args: ['--git-remote', remote, '--git-branch', 'main'] });
  const { call } = await clientOf(t, server);
  await connected;
  for (let i = 0; i < 5; i++) await call('vault_write', { path: `Note ${i}.md`, content: 'x\n' });
  assert.doesNotMatch(server.stderr, / synced | sync_failed /, 'the sync still waits for its remote');
  assert.doesNotMatch(JSON.stringify(await call('vault_info')), /hunter22/);
  await server.stop();
  assert.doesNotMatch(server.stderr, /hunter22/);

  const local = await startHttp(t, { vault: w.vault, state: w.state, args: ['--git-remote', path.join(w.top, 'nowhere.git'), '--git-branch', 'main'] });
  const other = await clientOf(t, local);
  const error = await other.refusal('vault_sync');
  assert.equal(error.code, 'SYNC_FAILED');
  assert.match(error.message, /nowhere\.git|repository/);
  assert.match((await other.call('vault_sync', { status: true })).last_error, /nowhere\.git|repository/);
  await local.says(/warn sync_failed/);
});

test('changes not pushed before shutdown are pushed by the next server', async (t) => {
  const w = makeWorld(t);
  const server = await serve(t, w, '--git-push-delay', '3600');
  const { call } = await clientOf(t, server);
  await call('vault_sync');
  await call('vault_write', { path: 'Late.md', content: 'x\n' });
  await server.crash();
  const next = await serve(t, w);
  await (await clientOf(t, next)).call('vault_sync');
  assert.deepEqual(w.log(), ['vault_write: Late.md', 'phone: the garden']);
});

test('a change made just before the server stops is pushed, although pushes are delayed', async (t) => {
  const w = makeWorld(t);
  const server = await serve(t, w, '--git-push-delay', '3600');
  const { call } = await clientOf(t, server);
  await call('vault_sync');
  await call('vault_write', { path: 'Late.md', content: 'x\n' });
  await server.stop();
  assert.deepEqual(w.log(), ['vault_write: Late.md', 'phone: the garden']);
});

test('SEC-125 last pushes that hang end together, before the time to stop is over', async (t) => {
  const w = makeWorld(t);
  const forge = await startHttps(t, w.remote);
  const names = ['work', 'home', 'club'];
  for (const name of names) {
    w.git('', 'clone', '--quiet', '--bare', 'remote.git', `${name}.git`);
    w.git('', 'clone', '--quiet', `${name}.git`, name);
    w.git(name, 'remote', 'set-url', 'origin', new URL(`${name}.git`, forge.url).href);
    writeFileSync(path.join(w.top, `${name}.git/hooks/pre-receive`), '#!/bin/sh\nwhile :; do sleep 1; done\n', { mode: 0o755 });
  }
  const server = await startHttp(t, {
    vault: '--sync=git', state: w.state,
    args: [...forge.args.slice(2), '--git-token-host', new URL(forge.url).host, '--stop-timeout', '10', '--git-push-delay', '3600', '--git-pull-interval', '0', ...names.flatMap((name) => ['--vault', `${name}=${path.join(w.top, name)}`])],
  });
  const { call } = await clientOf(t, server);
  for (const vault of names) await call('vault_write', { vault, path: 'Late.md', content: 'x\n' });
  await server.stop();
  assert.doesNotMatch(server.stderr, /stopped_late/);
  for (const name of names) {
    assert.equal(w.git(name, 'log', '-1', '--format=%s'), 'vault_write: Late.md', `${name}: committed`);
    assert.equal(w.git(`${name}.git`, 'log', '-1', '--format=%s', 'main'), 'phone: the garden', `${name}: not pushed`);
  }
});

/* --- without git --- */

test('without sync there is no vault_sync, and at reports that there is no history', async (t) => {
  const io = startStdio(t);
  await io.initialize();
  const { tools } = (await io.request('tools/list')).result;
  assert.ok(!tools.some((tool) => tool.name === 'vault_sync'));
  assert.ok(!tools.some((tool) => 'at' in tool.inputSchema.properties || 'source' in tool.inputSchema.properties));
  for (const [name, args] of [['vault_read', { path: 'Welcome.md', at: 'HEAD' }], ['vault_changes', { source: 'git' }]]) {
    const { result } = await io.call(name, args);
    assert.equal(JSON.parse(result.content[0].text).error.code, 'NO_HISTORY', name);
  }
  assert.equal(JSON.parse((await io.call('vault_info')).result.content[0].text).sync, undefined);
});

test('tools/list stays within its limit with git', async (t) => {
  const w = makeWorld(t);
  const io = startStdio(t, { vault: w.vault, state: w.state, args: argsOf(w) });
  const list = await io.modern('tools/list');
  assert.ok(list.result.tools.some((tool) => tool.name === 'vault_sync'));
  assert.ok(JSON.stringify(list.result.tools).length <= 16_500, `${JSON.stringify(list.result.tools).length}`);
});

test('a sync command: runs after changes and on request, and its failure is reported', async (t) => {
  const top = tempDir(t);
  const vault = path.join(top, 'my vault');
  mkdirSync(path.join(top, 'there'), { recursive: true });
  writeFileSync(path.join(top, 'there/From there.md'), 'from there\n');
  const script = path.join(top, 'mirror.sh');
  writeFileSync(script, `#!/bin/sh\n[ -e "$2/broken" ] && { echo "the drive is full" >&2; exit 3; }\ncp "$2"/*.md "$1"/ && cp "$1"/*.md "$2"/\n`, { mode: 0o700 });
  const server = await startHttp(t, { vault, args: ['--sync-command', `sh ${script} "{vault}" '${top}/there'`, '--sync-interval', '0', '--sync-quiet', '0'] });
  const { call, refusal } = await clientOf(t, server);
  assert.equal((await call('vault_sync')).kind, 'command');
  assert.equal((await call('vault_read', { path: 'From there' })).content, 'from there\n');
  await call('vault_write', { path: 'From here.md', content: 'from here\n' });
  await until('the command ran', () => existsSync(path.join(top, 'there/From here.md')));
  writeFileSync(path.join(top, 'there/broken'), '');
  assert.match((await refusal('vault_sync')).message, /the drive is full/);
  assert.match((await call('vault_info')).sync.last_error, /the drive is full/);
});

/* --- start-up --- */

test('contradictory settings are refused at startup', async (t) => {
  const w = makeWorld(t);
  const cases = [
    [['--git-remote', w.remote, '--sync-command', 'true', w.vault], /one of them/],
    [['--sync-command', '"open', w.vault], /unclosed quote/],
    [['--sync-command', '  ', w.vault], /names no program/],
    [['--sync', 'command', w.vault], /needs --sync-command/],
    [['--webhook-secret-file', w.secret, w.vault], /nothing to pull/],
    [['--git-remote', w.remote, '--git-ssh-key', '/no/such/key', w.vault], /git-ssh-key/],
    [['--git-remote', w.remote, '--webhook-secret-file', '/no/such', '--port', '0', w.vault], /webhook-secret-file/],
    [['--git-remote', w.remote, '--vault', `a=${w.top}/phone,b=${w.top}/remote.git`], /only a single vault can be synced/],
  ];
  for (const [args, said] of cases) {
    const end = await run(VAULTD, ['serve', '--state-dir', w.state, ...args], { env: cleanEnv(w.top) });
    assert.equal(end.code, 2, `${args.join(' ')}: ${end.stderr}`);
    assert.match(end.stderr, said);
  }
});

/* --- the command line --- */

test('vaultd sync clones, commits what the command line changed, and reports its status', async (t) => {
  const w = makeWorld(t);
  const vaultd = async (want, ...args) => {
    const end = await run(VAULTD, [...args, '--vault-path', w.vault, '--state-dir', w.state], { env: cleanEnv(w.top) });
    assertNoSanitizer(end.stderr, args.join(' '));
    assert.equal(end.code, want, `${args.join(' ')}: ${end.stderr}`);
    return end;
  };
  const first = await vaultd(0, 'sync', '--git-remote', w.remote, '--json');
  assert.deepEqual([JSON.parse(first.stdout).ahead, JSON.parse(first.stdout).kind], [0, 'git']);
  assert.deepEqual(readdirSync(w.vault).sort(), ['.git', 'Garden.md']);
  await vaultd(0, 'write', 'Typed.md', 'typed\n');
  w.push({ 'Phone.md': 'x\n' }, 'phone: x');
  assert.match((await vaultd(2, 'sync', '--sync', 'git')).stderr, /neither https nor ssh: to use it, name it with --git-remote/);
  const second = await vaultd(0, 'sync', '--git-remote', w.remote);
  assert.match(second.stdout, /^remote +\S+remote\.git$/m);
  assert.ok(w.log().includes('write: Typed.md'), w.log().join());
  assert.ok(existsSync(path.join(w.vault, 'Phone.md')));
  assert.equal(JSON.parse((await vaultd(0, 'sync', 'status', '--json')).stdout).behind, 0);
  assert.match((await vaultd(1, 'sync', '--git-remote', path.join(w.top, 'gone.git'), '--git-branch', 'main')).stderr, /gone\.git|repository/);
  assert.match((await vaultd(0, 'sync', 'status')).stdout, /^last error /m);
  assert.match((await vaultd(2, 'sync')).stderr, /sync is not configured/);
  assert.match((await vaultd(2, 'sync', 'now')).stderr, /usage: vaultd sync/);
});

test('vaultd sync says what it did, knows its remote, and forgets a conflict that was solved', async (t) => {
  const w = makeWorld(t);
  const vaultd = async (want, ...args) => {
    const end = await run(VAULTD, [...args, '--vault-path', w.vault, '--state-dir', w.state], { env: cleanEnv(w.top, { TZ: 'UTC+5' }) });
    assert.equal(end.code, want, `${args.join(' ')}: ${end.stderr}`);
    return end;
  };
  const first = (out) => out.stdout.split('\n')[0];
  await vaultd(0, 'sync', '--git-remote', w.remote);
  assert.equal(first(await vaultd(0, 'sync', '--git-remote', w.remote)), 'Nothing to pull or push');
  w.push({ 'Phone.md': 'x\n', 'Tent.md': 'y\n' }, 'phone: x');
  w.push({ 'Phone.md': 'z\n' }, 'phone: z');
  const pulled = await vaultd(0, 'sync');
  assert.equal(first(pulled), 'Pulled 2 commits, which changed 2 files');
  assert.match(pulled.stderr, /^Syncing with \S*remote\.git, as the last time$/m);
  await vaultd(0, 'write', 'Typed.md', 'typed\n');
  assert.equal(first(await vaultd(0, 'sync')), 'Pushed 1 commit');
  w.push({ 'Phone.md': 'from the phone\n' }, 'phone: again');
  await vaultd(0, 'write', 'Phone.md', 'from here\n', '--overwrite');
  assert.match(first(await vaultd(0, 'sync')), /^Pulled 1 commit, which changed \d files?; pushed 2 commits$/);
  const state = await vaultd(0, 'sync', 'status');
  const [, theirs] = /the remote version is in (.*)$/m.exec(state.stdout);
  const utc = JSON.parse((await vaultd(0, 'sync', 'status', '--json')).stdout).last_success;
  const local = new Date(Date.parse(utc) - 5 * 3600 * 1000).toISOString().slice(0, 16).replace('T', ' ');
  assert.match(state.stdout, new RegExp(`^last success +${local}$`, 'm'), 'in local time');
  await vaultd(0, 'delete', theirs);
  assert.doesNotMatch((await vaultd(0, 'sync', 'status')).stdout, /conflict/);
  await vaultd(1, 'sync', '--git-remote', path.join(w.top, 'gone.git'), '--git-branch', 'main');
  assert.match((await vaultd(2, 'sync')).stderr, /sync is not configured/, 'a remote that failed is not taken again');
});

test('histories without a common commit are merged only with --git-join', async (t) => {
  const w = makeWorld(t);
  mkdirSync(w.vault, { recursive: true });
  writeFileSync(path.join(w.vault, 'Private.md'), 'private\n');
  const sync = (...args) => run(VAULTD, ['sync', '--git-remote', w.remote, '--git-add', 'all', '--vault-path', w.vault, '--state-dir', w.state, ...args], { env: cleanEnv(w.top) });
  const refused = await sync();
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /\(1 commits, [0-9a-f]{10}\) and .*\(\d+ commits, [0-9a-f]{10}\) have no common history.*--git-join/);
  assert.ok(!existsSync(path.join(w.vault, 'Garden.md')));
  assert.equal(w.log().length, 1, w.log().join());
  const joined = await sync('--git-join');
  assert.equal(joined.code, 0, joined.stderr);
  assert.ok(existsSync(path.join(w.vault, 'Garden.md')));
});

test('SEC-124: nothing in the repository runs a program, publishes what is encrypted, or brings plugins; the status says so', async (t) => {
  const w = makeWorld(t);
  const ran = path.join(w.top, 'ran'), evil = path.join(w.top, 'evil');
  writeFileSync(evil, `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 });
  w.push({ '.gitattributes': 'secret/** filter=git-crypt\n', 'secret/a.md': '\0GITCRYPT', '.obsidian/plugins/evil/main.js': 'evil()\n', '.obsidian/app.json': '{}\n' }, 'phone: everything');
  w.git('', 'clone', '--quiet', 'remote.git', 'vault');
  for (const [key, value] of [['filter.git-crypt.clean', evil], ['filter.git-crypt.smudge', evil], ['core.fsmonitor', evil], ['core.sshCommand', evil], ['log.showSignature', 'true'],
    ['gpg.program', evil], [`url.ext::${evil} .insteadOf`, w.top], ['protocol.ext.allow', 'always']]) w.git('vault', 'config', key, value);
  const server = await serve(t, w);
  const { call, refusal } = await clientOf(t, server);
  await call('vault_write', { path: 'secret/a.md', content: 'PLAIN TEXT\n', overwrite: true });
  await call('vault_write', { path: 'Open.md', content: 'open\n' });
  w.push({ '.obsidian/plugins/evil/main.js': 'worse()\n', 'Garden.md': '# Garden\n\nBeans\n' }, 'phone: beans');
  const state = await call('vault_sync');
  assert.equal(w.git('remote.git', 'show', 'main:Open.md'), 'open');
  assert.match(w.git('remote.git', 'show', 'main:secret/a.md'), /GITCRYPT/);
  assert.match(readFileSync(path.join(w.vault, 'Garden.md'), 'utf8'), /Beans/);
  assert.equal(readFileSync(path.join(w.vault, '.obsidian/plugins/evil/main.js'), 'utf8'), 'evil()\n', 'as it was cloned by hand');
  assert.match(state.notices.join('\n'), /the filter 'git-crypt' are neither committed nor written/);
  assert.match(state.notices.join('\n'), /--git-plugins/);
  w.git('vault', '-c', 'core.fsmonitor=false', 'symbolic-ref', 'HEAD', 'refs/heads/draft');
  await call('vault_write', { path: 'More.md', content: 'more\n' });
  assert.match((await refusal('vault_sync')).message, /is on branch 'draft', and 'main' is synced: run 'git switch main' there/);
  const status = await run(VAULTD, ['sync', 'status', '--vault-path', w.vault, '--state-dir', w.state], { env: cleanEnv(w.top) });
  assert.match(status.stdout, /^last error +.*'draft'/m);
  assert.match(status.stdout, /the filter 'git-crypt'/);
  assert.ok(!existsSync(ran));
});

/* --- decision records --- */

const ADR = (status) => `---\nstatus: ${status}\n---\n# Use git\n\nSee [[0002 Sync|the sync]], [[0002 Sync#Why]], [[Garden]], ![[plan.png]] and [[Nowhere]].\n\n\`[[not a link]]\`\n`;

test('adr_publish puts accepted records into another repository, with relative links', async (t) => {
  const w = makeWorld(t);
  const vault = path.join(w.top, 'notes');
  mkdirSync(path.join(vault, 'ADR'), { recursive: true });
  writeFileSync(path.join(vault, 'Garden.md'), 'x\n');
  writeFileSync(path.join(vault, 'ADR/0001 Use git.md'), ADR('accepted'));
  writeFileSync(path.join(vault, 'ADR/0002 Sync.md'), ADR('proposed'));
  const server = await startHttp(t, { vault, state: w.state, args: ['--tools', 'default,adr', '--adr-repo', w.remote, '--adr-branch', 'main'] });
  const { call, refusal } = await clientOf(t, server);
  const want = '---\nstatus: accepted\n---\n# Use git\n\nSee [the sync](0002%20Sync.md), [0002 Sync > Why](0002%20Sync.md), Garden, plan.png and Nowhere.\n\n`[[not a link]]`\n';
  const preview = await call('adr_publish', { path: '0001 Use git', dry_run: true });
  assert.deepEqual([preview.published, preview.content, preview.changed], ['docs/adr/0001 Use git.md', want, false]);
  assert.equal(w.log().length, 1);

  assert.equal((await call('adr_publish', { path: '0001 Use git' })).changed, true);
  assert.deepEqual(w.log(), ['adr_publish: 0001 Use git.md', 'phone: the garden']);
  assert.equal(`${w.git('remote.git', 'show', 'main:docs/adr/0001 Use git.md')}\n`, want);
  assert.equal(w.git('remote.git', 'show', 'main:Garden.md'), '# Garden\n\nTomatoes', 'the rest stays');
  assert.equal((await call('adr_publish', { path: '0001 Use git' })).changed, false);
  assert.equal(w.log().length, 2);

  w.push({ 'code.c': 'int x;\n' }, 'phone: code');
  await call('vault_edit', { path: 'ADR/0001 Use git.md', old_text: '# Use git', new_text: '# Use git everywhere' });
  assert.equal((await call('adr_publish', { path: 'ADR/0001 Use git.md' })).changed, true);
  assert.match(w.git('remote.git', 'show', 'main:docs/adr/0001 Use git.md'), /# Use git everywhere/);
  assert.equal(w.git('remote.git', 'show', 'main:code.c'), 'int x;');

  assert.equal((await refusal('adr_publish', { path: '0002 Sync' })).code, 'NOT_ACCEPTED');
  assert.equal((await refusal('adr_publish', { path: 'Garden' })).code, 'NOT_ACCEPTED');
});

test('adr_publish to a missing branch is refused, and it needs a repository', async (t) => {
  const w = makeWorld(t);
  const vault = path.join(w.top, 'notes');
  mkdirSync(vault);
  writeFileSync(path.join(vault, '0001 Use git.md'), ADR('Accepted'));
  const server = await startHttp(t, { vault, state: w.state, args: ['--tools', 'adr', '--adr-repo', w.remote, '--adr-branch', 'decisions'] });
  const { refusal } = await clientOf(t, server);
  assert.equal((await refusal('adr_publish', { path: '0001 Use git' })).code, 'BRANCH_NOT_FOUND');
  assert.equal(w.git('remote.git', 'branch', '--list'), '* main');
  const end = await run(VAULTD, ['serve', '--tools', 'adr', '--state-dir', w.state, vault], { env: cleanEnv(w.top) });
  assert.deepEqual([end.code, /needs --adr-repo/.test(end.stderr)], [2, true], end.stderr);
});
