// The pages for people: / and /changes, in a real browser without scripts. With SHOTS=folder it saves screenshots there.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { EXAMPLE_VAULT, Session, VAULTD, cleanEnv, copyVault, fetchHttp, startHttp, tempDir } from '../support.mjs';
import { Browser, USERS, callTool, formsOf, letIn, startWithPeople } from './people.mjs';

const EXECUTABLE = process.env.CHROMIUM || '/usr/bin/chromium';
const SHOTS = process.env.SHOTS;
const EVIL = '<img src=x onerror="document.title=1">';
const VIEWS = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };

async function openPage(t, options = {}) {
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
  t.after(() => browser.close());
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: VIEWS.desktop, ...options });
  const page = await context.newPage();
  page.wrong = [];
  page.on('console', (m) => m.type() === 'error' && !/favicon|status of/.test(m.text()) && page.wrong.push(m.text()));
  return page;
}

/** Nothing overflows horizontally, on a desktop and on a phone; dark and light differ. */
async function assertFits(page, name) {
  const was = page.viewportSize(), grounds = [];
  for (const colorScheme of ['light', 'dark'])
    for (const [view, size] of Object.entries(VIEWS)) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      const { scroll, width, ground } = await page.locator('html').evaluate((e) => ({ scroll: e.scrollWidth, width: e.clientWidth, ground: getComputedStyle(e).backgroundColor }));
      assert.ok(scroll <= width, `${name} ${view}: ${scroll} > ${width}`);
      grounds.push(ground);
      if (SHOTS) mkdirSync(SHOTS, { recursive: true });
      if (SHOTS) await page.screenshot({ path: path.join(SHOTS, `page-${name}-${colorScheme}-${view}.png`), fullPage: true });
    }
  assert.equal(new Set(grounds).size, 2, `${name}: dark is not light`);
  await page.setViewportSize(was);
}

const get = (server, where, headers = {}) => fetchHttp(server, { method: 'GET', path: where, headers: { accept: 'text/html,*/*;q=0.8', ...headers } });
const originOf = (server) => `http://127.0.0.1:${server.port}`;
const post = (server, fields, headers = {}) =>
  fetch(`${originOf(server)}/changes`, { method: 'POST', redirect: 'manual', headers: { origin: originOf(server), 'content-type': 'application/x-www-form-urlencoded', ...headers }, body: new URLSearchParams(fields) });

async function call(server, name, args) {
  const session = server.session ??= await Session.open(server);
  const { message } = await session.call(name, args);
  assert.ok(message.result && !message.result.isError, JSON.stringify(message));
}

/* --- the front page --- */

test('GET / in a browser says what this is, whether it works, and how to connect', async (t) => {
  const server = await startHttp(t, { vault: copyVault(t) });
  const page = await openPage(t);
  await page.goto(`${originOf(server)}/`);
  await page.getByText('It is running.').waitFor();
  const text = await page.textContent('main');
  for (const word of ['MCP server', `${originOf(server)}/mcp`, `claude mcp add --transport http vault ${originOf(server)}/mcp`, 'codex mcp add', 'vaultd connect', 'not needed on this computer'])
    assert.ok(text.includes(word), word);
  assert.ok(!text.includes('claude.ai'), 'which cannot reach this machine');
  await assertFits(page, 'front');
  await page.getByRole('link', { name: 'Changes' }).click();
  await page.getByRole('heading', { name: 'Changes', level: 1 }).waitFor();
  await page.goBack();
  await page.getByRole('link', { name: 'Map' }).click();
  assert.match(page.url(), /\/graph$/);
  assert.deepEqual(page.wrong, []);

  for (const headers of [{ accept: '*/*' }, { accept: 'application/json' }]) assert.equal((await get(server, '/', headers)).status, 404, 'only for browsers');
  assert.equal((await get(server, '/', { 'x-forwarded-for': '203.0.113.7' })).status, 403, 'not through a proxy');
  assert.equal((await get(server, '/', { host: 'evil.example' })).status, 421);
});

test('GET / tells strangers nothing but that one can sign in', async (t) => {
  const vault = path.join(tempDir(t), 'Secret garden');
  cpSync(EXAMPLE_VAULT, vault, { recursive: true });
  const server = await startWithPeople(t, { vault });
  const answer = await get(server, '/');
  assert.equal(answer.status, 200);
  assert.match(answer.text, /Sign in/);
  for (const secret of ['Secret garden', '0.1.0', 'mcp add', 'notes read', 'running', '/changes', '/graph'])
    assert.ok(!answer.text.includes(secret), secret);
  const page = await openPage(t);
  await page.goto(`${server.origin}/`);
  await assertFits(page, 'stranger');
  await page.getByRole('link', { name: 'Sign in' }).click();
  await page.getByLabel('Name').fill('anna');
  await page.getByLabel('Password').fill(USERS.anna.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();
  await page.goto(`${server.origin}/`);
  const text = await page.textContent('body');
  for (const word of ['Secret garden', `${server.origin}/mcp`, 'Account', 'needed']) assert.ok(text.includes(word), word);
  assert.deepEqual(page.wrong, []);
});

/* --- changes --- */

test('/changes shows what an agent did, and takes it back', async (t) => {
  const vault = copyVault(t), note = path.join(vault, 'Plans.md');
  const server = await startHttp(t, { vault });
  await call(server, 'vault_write', { path: 'Plans.md', content: `# Plans\n\nfirst line\nsecond line\n` });
  await call(server, 'vault_edit', { path: 'Plans.md', edits: [{ old_text: 'second line', new_text: `${EVIL} and a very long line ${'x'.repeat(300)}` }] });
  await call(server, 'vault_move', { path: 'Plans.md', to: 'Garden/Deep/Plans.md' });
  const page = await openPage(t);
  await page.goto(`${originOf(server)}/changes`);
  await page.getByRole('link', { name: 'Moved Plans.md to Garden/Deep/Plans.md' }).waitFor();
  await assertFits(page, 'changes');
  await page.getByRole('link', { name: 'Changed Plans.md' }).click();
  assert.match((await page.locator('.diff del').allTextContents()).join(''), /second/, 'the words that are gone');
  assert.match((await page.locator('.diff ins').allTextContents()).join(''), /img.*onerror/s, 'and the new ones, as text');
  assert.equal(await page.locator('img').count(), 0);
  assert.match(await page.textContent('main'), /vault_edit/);
  await assertFits(page, 'change');
  for (const kind of ['ins', 'del']) assert.notEqual(await page.locator(`.diff ${kind}`).first().evaluate((e) => getComputedStyle(e).backgroundColor), 'rgba(0, 0, 0, 0)', 'in colour');

  // it has moved since: undone in order
  await page.goto(`${originOf(server)}/changes?change=3`);
  await page.getByRole('heading', { name: 'Moved Plans.md to Garden/Deep/Plans.md', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Undo Moved Plans.md' }).click();
  await page.getByRole('status').getByText('The change has been undone.').waitFor();
  await page.getByRole('link', { name: 'Undone by change 4' }).waitFor();
  assert.equal(await page.getByRole('button', { name: /Undo/ }).count(), 0);
  assert.ok(existsSync(note));

  // changed by someone else since: nothing is undone
  writeFileSync(note, `${readFileSync(note, 'utf8')}written in Obsidian\n`);
  await page.goto(`${originOf(server)}/changes?change=2`);
  const [refused] = await Promise.all([page.waitForResponse((r) => r.request().method() === 'POST'), page.getByRole('button', { name: 'Undo Changed Plans.md' }).click()]);
  assert.equal(refused.status(), 409);
  await page.getByRole('alert').getByText(/^Undo failed: change 2 was not undone: 'Plans.md' has changed since/).waitFor();
  await page.getByText('The notes were changed by another program since').waitFor();
  assert.match(readFileSync(note, 'utf8'), /written in Obsidian/);
  await assertFits(page, 'conflict');
  assert.deepEqual(page.wrong, []);
});

test('/changes is undone only by its own pages', async (t) => {
  const vault = copyVault(t), note = path.join(vault, 'Plans.md');
  const server = await startHttp(t, { vault });
  await call(server, 'vault_write', { path: 'Plans.md', content: 'hello' });
  const { text } = await get(server, '/changes?change=1');
  const { ticket } = Object.fromEntries(formsOf(text)[0].fields);
  assert.match(ticket, /^[0-9a-f]{64}$/);
  const all = { change: '1', ticket };
  const refusals = {
    'another site': [all, { origin: 'https://evil.example' }, 403],
    'another server of this machine': [all, { origin: 'http://127.0.0.1:1' }, 403],
    'another server by name': [all, { origin: `http://localhost:${server.port}` }, 403],
    'a frame without origin': [all, { origin: 'null' }, 403],
    'what the browser says': [all, { 'sec-fetch-site': 'cross-site' }, 403],
    'a page of the same site': [all, { 'sec-fetch-site': 'same-site' }, 403],
    'no ticket': [{ change: '1' }, {}, 403],
    'a wrong ticket': [{ change: '1', ticket: '0'.repeat(64) }, {}, 403],
    'no form': [all, { 'content-type': 'text/plain' }, 400],
    'no number': [{ ticket }, {}, 404],
    'not a number': [{ ticket, change: '-1' }, {}, 404],
    'no such change': [{ ticket, change: '99' }, {}, 404],
    'no such vault': [{ ...all, vault: 'nope' }, {}, 404],
    'a proxy': [all, { 'x-forwarded-for': '203.0.113.7' }, 403],
  };
  for (const [name, [fields, headers, status]] of Object.entries(refusals)) assert.equal((await post(server, fields, headers)).status, status, name);
  const rebound = await fetchHttp(server, { method: 'POST', path: '/changes', headers: { host: `evil.example:${server.port}`, 'content-type': 'application/x-www-form-urlencoded' }, body: new URLSearchParams(all).toString() });
  assert.equal(rebound.status, 421, 'DNS rebinding');
  assert.ok(existsSync(note), 'nothing was undone');

  // as a browser does it from another site, and in a frame of it
  const site = http.createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/frame') response.end(`<iframe src="${originOf(server)}/changes"></iframe>`);
    else response.end(`<form method="post" action="${originOf(server)}/changes"><input name="change" value="1"><input name="ticket" value="${ticket}"><button>go</button></form>`);
  }).listen(0, '127.0.0.1');
  await new Promise((done) => site.once('listening', done));
  t.after(() => site.close());
  const page = await openPage(t);
  await page.goto(`http://localhost:${site.address().port}/`);
  const [answer] = await Promise.all([page.waitForResponse((r) => r.url().endsWith('/changes')), page.getByRole('button').click()]);
  assert.equal(answer.status(), 403);
  await page.goto(`http://localhost:${site.address().port}/frame`);
  assert.ok(page.frames().every((frame) => !frame.url().endsWith('/changes')), 'not in a frame');
  assert.ok(existsSync(note), 'nothing was undone');

  const headers = (await fetch(`${originOf(server)}/changes`)).headers;
  assert.match(headers.get('content-security-policy'), /default-src 'none'.*frame-ancestors 'none'/);
  assert.deepEqual([headers.get('access-control-allow-origin'), headers.get('cache-control')], [null, 'no-store']);
  assert.equal((await post(server, all)).status, 303);
  assert.ok(!existsSync(note));
  assert.equal((await post(server, all)).status, 409, 'only once');
});

test('/changes: what holds a change is named and undone with it; counts, filters, and the words of the command line', async (t) => {
  const vault = copyVault(t), state = tempDir(t), server = await startHttp(t, { vault, state, args: ['--confirm', 'never'] });
  await call(server, 'vault_write', { path: 'A.md', content: '---\nrating: 3\n---\none\n' });
  await call(server, 'vault_edit', { path: 'A.md', edits: [{ old_text: 'one', new_text: 'one\ntwo' }] });
  await call(server, 'vault_write', { path: 'B.md', content: 'b\n' });
  await call(server, 'vault_move', { property: 'rating', to: 'score' });
  const page = await openPage(t), rows = page.locator('.rows li');
  const row = (what) => rows.filter({ has: page.getByRole('link', { name: what, exact: true }) });
  await page.goto(`${originOf(server)}/changes`);
  const summary = (await rows.first().getByRole('heading').textContent()), told = spawnSync(VAULTD, ['changes', '-n', '1', '-v', vault], { encoding: 'utf8', env: cleanEnv(state, { STATE_DIR: state }) }).stdout;
  assert.ok(told.includes(summary.replace('Renamed', 'renamed').replace(/ in \d+ files$/, '')), `${summary} / ${told}`);
  assert.equal(await row('Created A.md').getByRole('button').count(), 0);
  await row('Created A.md').getByText('changed again since').waitFor();
  assert.equal(await row('Created B.md').getByRole('button', { name: 'Undo Created B.md' }).count(), 1);
  assert.equal(await row('Created B.md').locator('.lines').textContent(), '+1 −0');

  await page.getByLabel('Note or folder').fill('B.md');
  await page.getByRole('button', { name: 'Filter' }).click();
  assert.equal(await rows.count(), 1);
  await page.getByLabel('Note or folder').fill('');
  await page.getByLabel('When').selectOption({ label: 'In the last week' });
  await page.getByRole('button', { name: 'Filter' }).click();
  assert.equal(await rows.count(), 4);
  for (const days of ['0', 'x', '-1', '99999999999']) assert.equal((await get(server, `/changes?days=${days}`)).status, 200, days);

  await page.goto(`${originOf(server)}/changes?change=1`);
  assert.deepEqual(await page.locator('.warning a').allTextContents(), ['4', '2'], 'those that have to be undone first');
  const [form] = formsOf(await page.content()).filter(({ fields }) => fields.some(([name]) => name === 'first'));
  const fields = Object.fromEntries(form.fields);
  assert.equal((await post(server, { ...fields, first: '2' })).status, 409, 'not what was shown');
  assert.ok(existsSync(path.join(vault, 'A.md')), 'nothing was undone');
  await page.getByRole('button', { name: 'Undo all 3 changes' }).click();
  await page.getByText('The change has been undone.').waitFor();
  assert.ok(!existsSync(path.join(vault, 'A.md')));
  assert.equal(readFileSync(path.join(vault, 'B.md'), 'utf8'), 'b\n');
  assert.deepEqual(page.wrong, []);
});

test('/changes is limited: pages, files, long diffs', async (t) => {
  const vault = copyVault(t);
  const server = await startHttp(t, { vault, args: ['--confirm', 'never', '--confirm-files', '0'] });
  for (let i = 0; i < 30; i++) await call(server, 'vault_write', { path: `Notes/N ${i}.md`, content: `${'line of text\n'.repeat(2000)}[[Home]]` });
  const first = await get(server, '/changes');
  assert.equal(first.text.match(/<li>/g).length, 25);
  const { text: second } = await get(server, '/changes?before=6');
  assert.match(second, /N 4\.md/);
  assert.doesNotMatch(second, /Earlier changes|N 5\.md/);
  assert.match(first.text, /href="\/changes\?before=6"[^>]*>Earlier changes/);
  await call(server, 'vault_move', { path: 'Home.md', to: 'Start.md' });
  const moved = (await get(server, '/changes?change=31')).text;
  assert.match(moved, /Moved Home\.md to Start\.md and \d+ more/);
  assert.ok(moved.length < 1_000_000, 'not too long');
  for (const wrong of ['change=0', 'change=x', 'change=99999', 'before=-1', 'vault=nope', 'change=1&change=2', 'change=%zz', 'change=99999999999999999999'])
    assert.equal((await get(server, `/changes?${wrong}`)).status, 404, wrong);
});

test('/changes on a read-only server, which keeps no list, and with several vaults', async (t) => {
  const state = tempDir(t), vault = copyVault(t), other = copyVault(t);
  const before = await startHttp(t, { vault, state });
  await call(before, 'vault_write', { path: 'Plans.md', content: 'hello' });
  await before.stop();
  const readOnly = await startHttp(t, { vault, state, args: ['--read-only'] });
  const { text } = await get(readOnly, '/changes');
  assert.doesNotMatch(text, /Undo<\/button/);
  assert.match(text, /The list of changes is not available: /);
  const several = await startHttp(t, { args: [`--vault=work=${vault}`], vault: `--vault=home=${other}` });
  await call(several, 'vault_write', { vault: 'home', path: 'There.md', content: 'hello' });
  const page = await openPage(t);
  await page.goto(`${originOf(several)}/changes`);
  await page.getByText('There are no changes.').waitFor();
  await page.getByRole('navigation', { name: 'Vaults' }).getByRole('link', { name: 'home' }).click();
  await page.getByRole('link', { name: 'Created There.md' }).click();
  await page.getByRole('button', { name: 'Undo Created There.md' }).click();
  await page.getByText('The change has been undone.').waitFor();
  assert.ok(!existsSync(path.join(other, 'There.md')));
  assert.deepEqual(page.wrong, []);
});

test('/changes shows users only their own changes, and nothing outside what is served', async (t) => {
  const vault = copyVault(t), state = tempDir(t);
  const server = await startWithPeople(t, { vault, state });
  const anna = await letIn(server, { name: 'anna' }), bob = await letIn(server, { name: 'bob' });
  await callTool(server, anna.token, 'vault_write', { path: 'Hers.md', content: 'a secret of anna' });
  await callTool(server, bob.token, 'vault_write', { path: 'Private/His.md', content: 'a secret of bob' });
  const page = async (who, where) => (await who.browser.get(where));
  assert.match((await page(anna, '/changes')).text, /Created Hers\.md/);
  assert.doesNotMatch((await page(anna, '/changes')).text, /His\.md/);
  assert.match((await page(anna, '/changes?change=1')).text, /a secret of anna/);
  assert.match((await page(anna, '/account')).text, /href="\/changes\?change=1"/);
  const hidden = await page(anna, '/changes?change=2');
  assert.equal(hidden.status, 404);
  assert.doesNotMatch(hidden.text, /secret of bob|His\.md/);
  const [form] = formsOf((await page(anna, '/changes?change=1')).text);
  const refused = await anna.browser.submit({ ...form, fields: form.fields.map(([name, value]) => [name, name === 'change' ? '2' : value]) });
  assert.equal(refused.status, 404);
  assert.ok(existsSync(path.join(vault, 'Private/His.md')));
  const stranger = new Browser(server);
  const asked = await stranger.get('/changes?change=1');
  assert.doesNotMatch(asked.text, /Hers|secret/);
  assert.match(asked.text, /Password/);
  assert.equal((await anna.browser.submit({ ...form, fields: form.fields.map(([name, value]) => [name, name === 'ticket' ? '0' : value]) })).status, 403);
  assert.equal((await anna.browser.submit(form)).status, 303);
  assert.ok(!existsSync(path.join(vault, 'Hers.md')));

  await server.stop();
  const denied = await startWithPeople(t, { vault, state, args: ['--deny-paths', 'Private/'] });
  const again = await letIn(denied, { name: 'bob' });
  assert.equal((await again.browser.get('/changes?change=2')).status, 404, 'the operator took the folder away');
  for (const where of ['/changes', '/account']) assert.doesNotMatch((await again.browser.get(where)).text, /His\.md/, where);
});
