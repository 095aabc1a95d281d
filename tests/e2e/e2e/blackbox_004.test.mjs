// Contract 004 as a client author reads it: written from its text alone.
import assert from 'node:assert/strict';
import http from 'node:http';
import path from 'node:path';
import test from 'node:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { Session, startHttp, tempDir, until, withToken } from '../support.mjs';
import { changesNothing, picture, textOf, vaultOf } from './blackbox.mjs';
import { Browser, CALLBACK, authorizePath, freePort, learned, redeem, register, writing } from './people.mjs';

const WRITES = ['write_file', 'edit_file', 'delete_file', 'rename_file', 'create_directory'];
const READS = ['read_file', 'list_directory', 'search_files', 'grep', 'find_files', 'get_vault_info', 'get_backlinks', 'get_tags', 'get_obsidian_guide', 'get_claude_context'];

const git = (cwd, ...args) => execFileSync('git', ['-c', 'user.name=Phone', '-c', 'user.email=phone@example.com', '-c', 'core.quotePath=false', ...args], { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** A remote with these files, a phone that has cloned it, and a server that clones it. */
async function open(t, files, { env = {}, args = ['--auth', 'none'] } = {}) {
  const phone = vaultOf(t, { 'Home.md': '# Home\n', ...files });
  const top = path.dirname(phone);
  const remote = path.join(top, 'remote.git');
  git(top, 'init', '-q', '--bare', '-b', 'main', remote);
  git(phone, 'init', '-q', '-b', 'main');
  git(phone, 'remote', 'add', 'origin', remote);
  git(phone, 'add', '-A');
  git(phone, 'commit', '-qm', 'first');
  git(phone, 'push', '-q', '-u', 'origin', 'main');
  const vault = path.join(top, 'cloned');
  mkdirSync(vault);
  const server = await startHttp(t, { vault, args: ['--profile', 'vault-git', ...args, '--vault-path'], env: { GIT_REMOTE: remote, GIT_PULL_INTERVAL: '1', ...env } });
  await until('the vault is cloned', () => existsSync(path.join(vault, 'Home.md')));
  const it = {
    phone, remote, vault, server,
    read: (name) => textOf(vault, name),
    commits: () => git(remote, 'log', '--format=%H', 'main').trim().split('\n').length,
    atRemote: (name) => { try { return git(remote, 'show', `main:${name}`); } catch { return null; } },
    pushed: (what, fits) => until(`${what} is at the remote`, fits),
    async connect(to = server) {
      it.session = await Session.open(to, '2025-06-18');
    },
    async ok(name, given) {
      const { result, error } = (await it.session.call(name, given)).message;
      assert.ok(result && !result.isError, `${name}: ${JSON.stringify(result ?? error)}`);
      return result.content[0].text;
    },
    async refused(name, given) {
      const { result } = (await it.session.call(name, given)).message;
      assert.equal(result?.isError, true, `${name} ${JSON.stringify(given)}: ${JSON.stringify(result)}`);
      return result.content[0].text;
    },
  };
  if (args.includes('none')) await it.connect();
  return it;
}

test('S4-27 S4-28 S4-36 … S4-41 the tools, their warnings, and the prompts', async (t) => {
  const it = await open(t, {});
  const { tools } = (await it.session.request('tools/list')).message.result;
  assert.deepEqual(tools.map((tool) => tool.name).sort(), [...WRITES, ...READS].sort());
  for (const tool of tools) {
    assert.equal(tool.annotations.destructiveHint === true, WRITES.includes(tool.name), tool.name);
    if (WRITES.includes(tool.name)) assert.match(tool.description, /user/i);
  }
  assert.match(it.session.result.instructions, /show the user/i);
  assert.ok((await it.session.request('prompts/list')).message.result.prompts.length > 0);
});

test('S4-20 … S4-23 CLAUDE.md: the root one in the instructions, all on the path from get_claude_context, always current', async (t) => {
  const it = await open(t, { 'CLAUDE.md': 'ROOT-1\n', 'P/CLAUDE.md': 'PROJECT\n', 'P/deep dir/CLAUDE.md': 'DEEP\n', 'P/deep dir/Запись.md': 'x', 'Other/CLAUDE.md': 'OTHER\n' });
  assert.match(it.session.result.instructions, /ROOT-1/);
  assert.doesNotMatch(it.session.result.instructions, /PROJECT|DEEP|OTHER/);
  for (const place of ['P/deep dir', 'P/deep dir/Запись.md', 'P/deep dir/new.md']) {
    const text = await it.ok('get_claude_context', { path: place });
    assert.match(text, /ROOT-1[^]*PROJECT[^]*DEEP/);
    assert.doesNotMatch(text, /OTHER/);
  }
  for (const place of ['../x', 'P/../../x', '.git']) await it.refused('get_claude_context', { path: place });
  writeFileSync(path.join(it.vault, 'CLAUDE.md'), 'ROOT-2, which is longer\n');
  await until('the new text is told', async () => /ROOT-2/.test(await it.ok('get_claude_context', { path: '' })));
  assert.match((await Session.open(it.server, '2025-06-18')).result.instructions, /ROOT-2/);
});

test('S4-09 S4-26 S4-42 write, edit, rename and delete are each committed and pushed', async (t) => {
  const it = await open(t, { 'Sub/Заметка один.md': 'links [[Home]]\n', '.obsidian/app.json': '{}' });
  let commits = it.commits();
  const steps = [
    ['write_file', { path: 'new dir/Новая.md', content: 'text' }, () => it.atRemote('new dir/Новая.md') === 'text'],
    ['edit_file', { path: 'Home.md', edits: [{ oldText: '# Home', newText: '# House' }] }, () => it.atRemote('Home.md') === '# House\n'],
    ['rename_file', { source: 'Home.md', destination: 'House.md' }, () => it.atRemote('House.md') === '# House\n' && it.atRemote('Home.md') === null],
    ['delete_file', { path: 'new dir/Новая.md' }, () => it.atRemote('new dir/Новая.md') === null],
  ];
  for (const [tool, given, done] of steps) {
    await it.ok(tool, given);
    await it.pushed(tool, done);
    assert.ok(it.commits() > commits, tool);
    commits = it.commits();
  }
  assert.equal(it.atRemote('Sub/Заметка один.md'), 'links [[House]]\n');
  assert.equal(it.atRemote('.obsidian/app.json'), '{}');
});

test('S4-26 changes in quick succession get one commit each, named after the change', async (t) => {
  const it = await open(t, { 'Old.md': 'old\n' });
  await it.ok('write_file', { path: 'A.md', content: 'a' });
  await it.ok('edit_file', { path: 'Home.md', edits: [{ oldText: 'Home', newText: 'House' }] });
  await it.ok('delete_file', { path: 'Old.md' });
  await it.pushed('all', () => it.atRemote('A.md') === 'a' && it.atRemote('Home.md') === '# House\n' && it.atRemote('Old.md') === null);
  const log = git(it.remote, 'log', '--no-merges', '--reverse', '--format=+%s', '--name-only', 'main').split('+').slice(2);
  assert.deepEqual(log.map((commit) => commit.trim().split('\n').at(-1)), ['A.md', 'Home.md', 'Old.md'], log.join('\n'));
});

test('S4-26 as with git add . other modifications are committed too, and none are lost', async (t) => {
  const it = await open(t, {});
  writeFileSync(path.join(it.vault, 'By hand.md'), 'typed\n');
  await it.ok('write_file', { path: 'A.md', content: 'a' });
  await it.pushed('both files', () => it.atRemote('A.md') === 'a' && it.atRemote('By hand.md') === 'typed\n');
});

test('S4-02 S4-29 what a phone pushes arrives; if both sides change a note, both texts are kept without conflict markers', async (t) => {
  const it = await open(t, {});
  writeFileSync(path.join(it.phone, 'From phone.md'), 'hello');
  git(it.phone, 'add', '-A');
  git(it.phone, 'commit', '-qm', 'phone');
  git(it.phone, 'push', '-q');
  await until('the note arrives', () => existsSync(path.join(it.vault, 'From phone.md')));
  assert.equal(await it.ok('read_file', { path: 'From phone.md' }), 'hello');
  writeFileSync(path.join(it.phone, 'Home.md'), '# Home\nPHONE\n');
  git(it.phone, 'commit', '-qam', 'phone again');
  git(it.phone, 'push', '-q');
  await it.ok('write_file', { path: 'Home.md', content: '# Home\nSERVER\n' });
  const has = (word) => Object.values(picture(it.vault)).some((text) => text.includes(word));
  const remoteHas = (word) => git(it.remote, 'grep', '-l', '-e', word, 'main').length > 0;
  await until('the phone\'s text is in the vault', () => has('PHONE'));
  await it.pushed('the server\'s text', () => { try { return remoteHas('SERVER') && remoteHas('PHONE'); } catch { return false; } });
  assert.ok(has('SERVER'));
  for (const [name, text] of Object.entries(picture(it.vault))) assert.doesNotMatch(text, /^(<<<<<<<|>>>>>>>)/m, name);
});

test('S4-26 an unreachable remote fails no write; once it is back it gets all of them', async (t) => {
  const it = await open(t, {});
  renameSync(it.remote, `${it.remote}.away`);
  await it.ok('write_file', { path: 'A.md', content: 'one' });
  await it.ok('write_file', { path: 'A.md', content: 'two' });
  assert.equal(it.read('A.md'), 'two');
  renameSync(`${it.remote}.away`, it.remote);
  await it.pushed('the last text', () => it.atRemote('A.md') === 'two');
});

test('S4-25 S4-43 paths that escape the vault, are hidden or collide are refused: nothing changes and nothing is committed', async (t) => {
  const it = await open(t, { 'A.md': 'one one\n', 'Dir/B.md': 'b', '.obsidian/app.json': '{}' });
  const outside = tempDir(t);
  writeFileSync(path.join(outside, 'secret.md'), 'SECRET');
  symlinkSync(outside, path.join(it.vault, 'Dir/out'));
  const commits = it.commits();
  const bad = ['../x.md', 'Dir/../../x.md', '.git/config', '.git', '.obsidian/app.json', '.gitattributes', 'Dir/out/secret.md', 'Dir/out/new.md', 'A.md\u0000', '', 'Dir'];
  await changesNothing(it.vault, bad.flatMap((name) => [
    () => it.refused('read_file', { path: name }), () => it.refused('write_file', { path: name, content: 'x' }), () => it.refused('delete_file', { path: name }),
    () => it.refused('edit_file', { path: name, edits: [{ oldText: 'e', newText: 'x' }] }), ...(name === 'Dir' ? [] : [() => it.refused('rename_file', { source: 'A.md', destination: name })]),
  ]));
  await changesNothing(it.vault, [
    () => it.refused('rename_file', { source: 'A.md', destination: 'Home.md' }), () => it.refused('rename_file', { source: 'No.md', destination: 'X.md' }),
    () => it.refused('edit_file', { path: 'A.md', edits: [{ oldText: 'one', newText: 'x' }] }),
    () => it.refused('edit_file', { path: 'A.md', edits: [{ oldText: 'one one', newText: 'x' }, { oldText: 'missing', newText: 'y' }] }),
    () => it.ok('edit_file', { path: 'A.md', edits: [{ oldText: 'one one', newText: 'x' }], dryRun: true }),
    () => it.refused('grep', { pattern: '(' }), () => it.refused('create_directory', { path: 'A.md' }), () => it.refused('list_directory', { path: '../' }),
  ]);
  assert.equal(textOf(outside, 'secret.md'), 'SECRET');
  assert.doesNotMatch(await it.ok('grep', { pattern: 'SECRET|one' }), /SECRET/);
  assert.equal(it.commits(), commits);
});

test('S4-36 rename_file never overwrites anything, not even a directory', async (t) => {
  const it = await open(t, { 'A.md': 'a', 'Dir/B.md': 'b' });
  await changesNothing(it.vault, [() => it.refused('rename_file', { source: 'A.md', destination: 'Dir' })]);
});

test('S4-37 S4-38 S4-39 lists and searches see every note and nothing hidden', async (t) => {
  const it = await open(t, { 'Dir/Ещё один.md': '---\ntags: [work, area/home]\n---\nfoo 42 [[Home]]\n', 'Dir/b.txt': 'foo', '.obsidian/h.md': 'foo #hidden', 'tagged.md': '---\ntags: solo\n---\n#inline `#code`\n' });
  const listing = await it.ok('list_directory', { path: 'Dir' });
  assert.match(listing, /Ещё один\.md/);
  assert.match(await it.ok('list_directory', {}), /Dir/);
  assert.doesNotMatch(await it.ok('list_directory', {}), /\.git|\.obsidian/);
  assert.match(await it.ok('grep', { pattern: 'foo \\d+' }), /Dir\/Ещё один\.md:4/);
  assert.doesNotMatch(await it.ok('grep', { pattern: 'foo' }), /obsidian/);
  assert.match(await it.ok('search_files', { pattern: '**/*.md' }), /Dir\/Ещё один\.md/);
  assert.match(await it.ok('find_files', { name: 'ещё' }), /Dir\/Ещё один\.md/);
  assert.deepEqual(JSON.parse(await it.ok('get_backlinks', { path: 'Home.md' })).backlinks.map((link) => link.path), ['Dir/Ещё один.md']);
  const tags = JSON.parse(await it.ok('get_tags', {})).tags.filter((tag) => tag.count > 0).map((tag) => tag.tag);
  assert.deepEqual(tags.sort(), ['area/home', 'inline', 'solo', 'work']);
  assert.match(await it.ok('get_vault_info', {}), /main/);
});

test('S4-48 the profile\'s /vault is only a default: an explicit folder wins', async (t) => {
  const vault = vaultOf(t, { 'Home.md': 'home' });
  const server = await startHttp(t, { vault, args: ['--profile', 'vault-git', '--auth', 'none', '--sync', 'none'] });
  const { message } = await (await Session.open(server)).call('read_file', { path: 'Home.md' });
  assert.equal(message.result.content[0].text, 'home');
});

/** Plays GitHub: everyone who signs in is this user. */
async function startGithub(t, login) {
  const hub = { login, seen: [] };
  const server = http.createServer((request, response) => {
    hub.seen.push(request.url);
    const body = request.url.includes('access_token') ? { access_token: 'gho_x', token_type: 'bearer', scope: '' } : { login: hub.login, id: 1 };
    response.setHeader('content-type', 'application/json');
    request.resume().on('end', () => response.end(JSON.stringify(body)));
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  t.after(() => { server.closeAllConnections(); server.close(); });
  hub.url = `http://127.0.0.1:${server.address().port}`;
  return hub;
}

/** From /oauth/authorize to GitHub's sign-in URL, through our own page if there is one. */
async function toGithub(browser, client, hub) {
  let answer = await browser.get(authorizePath(client, { scope: undefined }));
  for (let steps = 0; !answer.location?.startsWith(hub.url) && steps < 4; steps++)
    answer = answer.location ? await browser.follow(answer) : await browser.submit(writing(answer), { decision: 'allow' });
  assert.ok(answer.location?.startsWith(hub.url), `${answer.status} ${answer.location} ${answer.text.slice(0, 300)}`);
  return new URL(answer.location);
}

test('S4-05 S4-07 S4-11 … S4-18 S4-33 S4-34 signing in with GitHub, in the eight documented steps', async (t) => {
  const hub = await startGithub(t, 'OctoCat');
  const port = await freePort();
  const it = await open(t, {}, {
    args: ['--port', String(port)],
    env: { GITHUB_CLIENT_ID: 'app', GITHUB_CLIENT_SECRET: 'hush', GITHUB_ALLOWED_USERS: 'someone,octocat', GITHUB_OAUTH_URL: hub.url, GITHUB_API_URL: hub.url, SERVER_URL: `http://127.0.0.1:${port}` },
  });
  Object.assign(it.server, { origin: `http://127.0.0.1:${port}`, issuer: `http://127.0.0.1:${port}` });
  const denied = await fetch(it.server.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  assert.equal(denied.status, 401);
  assert.match(denied.headers.get('www-authenticate'), /^Bearer .*resource_metadata=/);
  const client = await register(it.server);
  const browser = new Browser(it.server);
  const door = await toGithub(browser, client, hub);
  const back = `/oauth/github/callback?${new URLSearchParams({ code: 'from-github', state: door.searchParams.get('state') })}`;
  const told = learned(await browser.get(back));
  assert.equal(told.at, CALLBACK);
  assert.equal(told.state, 'a state & more');
  const again = await browser.get(back);
  assert.ok(!again.location?.startsWith(CALLBACK) || !learned(again).code, 'the session is for one use');
  const tokens = await redeem(it.server, client, told.code);
  assert.equal(tokens.status, 200, JSON.stringify(tokens));
  assert.equal(JSON.parse(Buffer.from(tokens.access_token.split('.')[1], 'base64url')).exp > Date.now() / 1000, true);
  assert.ok(tokens.refresh_token);
  assert.notEqual((await redeem(it.server, client, told.code)).status, 200, 'a code is for one use');
  const other = await redeem(it.server, client, told.code);
  assert.equal(other.error, 'invalid_grant');
});

test('S4-15 S4-18 a user who is not on the list gets no code; a forged JWT is refused; a valid one is accepted', async (t) => {
  const hub = await startGithub(t, 'octocat');
  const port = await freePort();
  const it = await open(t, {}, {
    args: ['--port', String(port)],
    env: { GITHUB_CLIENT_ID: 'app', GITHUB_CLIENT_SECRET: 'hush', GITHUB_ALLOWED_USERS: 'OCTOCAT', GITHUB_OAUTH_URL: hub.url, GITHUB_API_URL: hub.url, SERVER_URL: `http://127.0.0.1:${port}` },
  });
  Object.assign(it.server, { origin: `http://127.0.0.1:${port}`, issuer: `http://127.0.0.1:${port}` });
  const client = await register(it.server);
  const enter = async () => {
    const browser = new Browser(it.server);
    const door = await toGithub(browser, client, hub);
    return browser.get(`/oauth/github/callback?${new URLSearchParams({ code: 'c', state: door.searchParams.get('state') })}`);
  };
  hub.login = 'mallory';
  const no = await enter();
  assert.ok(!no.location || !new URL(no.location).searchParams.has('code'), no.location);
  hub.login = 'octocat';
  const { access_token } = await redeem(it.server, client, learned(await enter()).code);
  const [head, body, mark] = access_token.split('.');
  const none = Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url');
  for (const forged of [`${none}.${body}.`, `${head}.${body}.${mark.slice(0, -4)}AAAA`, `${head}.${body}`, 'x.y.z']) {
    const answer = await fetch(it.server.url, { method: 'POST', headers: { 'content-type': 'application/json', authorization: `Bearer ${forged}` }, body: '{}' });
    assert.equal(answer.status, 401, forged);
  }
  await it.connect(withToken(it.server, access_token));
  await it.ok('write_file', { path: 'Mine.md', content: 'x' });
  assert.equal(it.read('Mine.md'), 'x');
});
