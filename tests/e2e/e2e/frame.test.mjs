// What all pages for people have in common: the header, the way back, the footer, no dead ends, local times, copy buttons.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { Session, copyVault, fetchHttp, startHttp, tempDir, until } from '../support.mjs';
import { Browser, letIn, startWithPeople } from './people.mjs';

const EXECUTABLE = process.env.CHROMIUM || '/usr/bin/chromium';
const originOf = (server) => `http://127.0.0.1:${server.port}`;
const get = (server, where, accept = 'text/html,*/*;q=0.8') => fetchHttp(server, { method: 'GET', path: where, headers: accept ? { accept } : {} });
const PEOPLE = ['/', '/changes', '/proposals', '/graph'];

async function openPage(t, options = {}) {
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
  t.after(() => browser.close());
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options });
  const page = await context.newPage();
  page.wrong = [];
  page.on('console', (m) => m.type() === 'error' && !/status of 40/.test(m.text()) && page.wrong.push(m.text()));
  page.on('pageerror', (e) => page.wrong.push(e.message));
  return page;
}

async function change(server, name = 'From a test.md') {
  const session = server.session ??= await Session.open(server);
  const { message } = await session.call('vault_write', { path: name, content: 'hello\n' });
  assert.ok(!message.result.isError, JSON.stringify(message));
}

for (const javaScriptEnabled of [true, false])
  test(`every page leads to every other, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async (t) => {
    const server = await startHttp(t, { vault: copyVault(t) });
    const page = await openPage(t, { javaScriptEnabled });
    await change(server);
    for (const from of [...PEOPLE, '/changes?change=1', '/nowhere', '/mcp']) {
      await page.goto(`${originOf(server)}${from}`);
      const pages = page.getByRole('navigation', { name: 'Pages' });
      for (const [name, to] of [['Home', '/'], ['Changes', '/changes'], ['Proposals', '/proposals'], ['Map', '/graph']])
        assert.equal(new URL(await pages.getByRole('link', { name, exact: true }).evaluate((a) => a.href)).pathname, to, `${from} to ${to}`);
      assert.equal(await pages.locator('[aria-current=page]').count(), PEOPLE.includes(from.split('?')[0]) ? 1 : 0, from);
      await pages.getByRole('link', { name: 'Changes', exact: true }).click();
      await page.getByRole('heading', { name: 'Changes', level: 1 }).waitFor();
    }
    assert.deepEqual(page.wrong, [], 'also no favicon is missing');
  });

test('people get pages and programs JSON, at paths that do not exist, too', async (t) => {
  const server = await startHttp(t, { vault: copyVault(t) });
  for (const where of ['/nowhere', '/account', '/changes/', '/graph/other', '/favicon.png']) {
    const page = await get(server, where), answer = await get(server, where, 'application/json'), bare = await get(server, where, null);
    assert.equal(page.status, 404, where);
    assert.match(page.headers['content-type'], /^text\/html/);
    assert.match(page.text, /Page not found.*Go to the start page/s);
    assert.match(page.headers['content-security-policy'], /^default-src 'none'/);
    for (const json of [answer, bare]) assert.deepEqual([json.status, JSON.parse(json.text).error], [404, 'there is nothing at this path'], where);
  }
  assert.equal((await fetchHttp(server, { method: 'POST', path: '/nowhere', headers: { accept: 'text/html' } })).status, 404);
  assert.match((await get(server, '/mcp')).text, /This address is for apps/);
  assert.doesNotMatch((await get(server, '/mcp', 'text/event-stream')).headers['content-type'] ?? '', /html/);
  for (const where of ['/favicon.svg', '/favicon.ico']) {
    const icon = await get(server, where, 'image/avif,image/*');
    assert.deepEqual([icon.status, icon.headers['content-type']], [200, 'image/svg+xml'], where);
    assert.doesNotMatch(icon.text, /<script/);
  }
});

test('with sign-in, strangers see neither version nor vault pages, and sign-in pages have no scripts', async (t) => {
  const server = await startWithPeople(t, { vault: copyVault(t) });
  const stranger = new Browser(server), html = { accept: 'text/html' };
  for (const where of ['/', '/changes', '/nowhere', '/mcp', '/account']) {
    const { text, headers } = await stranger.get(where, html);
    assert.doesNotMatch(text, /vaultd \d|<script/, where);
    assert.doesNotMatch(headers['content-security-policy'], /script/, where);
  }
  const { browser } = await letIn(server);
  for (const where of ['/', '/changes', '/account']) assert.match((await browser.get(where, html)).text, /vaultd \d+\.\d+\.\d+.*href="\/health"/s, where);
  assert.match((await browser.get('/account', html)).text, /href="\/account" aria-current="page"/);
  assert.match((await browser.get('/account/sign-out', html)).text, /href="\/changes"/, 'no dead end');
});

test('several vaults have a switch on every page, also the map', async (t) => {
  const other = copyVault(t);
  const server = await startHttp(t, { args: [`--vault=team=${other}`], vault: `--vault=mine=${copyVault(t)}` });
  const page = await openPage(t);
  for (const where of ['/changes', '/graph']) {
    await page.goto(`${originOf(server)}${where}`);
    const vaults = page.getByRole('navigation', { name: 'Vaults' });
    assert.deepEqual((await vaults.getByRole('link').allTextContents()).sort(), ['mine', 'team']);
    const shown = await vaults.locator('[aria-current=true]').textContent(), next = shown === 'team' ? 'mine' : 'team';
    await vaults.getByRole('link', { name: next }).click();
    await page.waitForURL(`**${where}?vault=${next}`);
    assert.equal(await vaults.locator('[aria-current=true]').textContent(), next, where);
  }
  await page.getByText('Whole vault').first().waitFor({ state: 'attached' });
  await page.waitForFunction(() => document.querySelectorAll('.node').length > 0);
  const data = await get(server, '/graph/data?vault=team&depth=all', 'application/json');
  assert.equal(JSON.parse(data.text).title, 'team');
  assert.equal((await get(server, '/graph/data?vault=none&depth=all', 'application/json')).status, 404);
  assert.deepEqual(page.wrong, []);
});

test('times are local and commands can be copied with scripts; without, times say UTC', async (t) => {
  const server = await startHttp(t, { vault: copyVault(t) });
  await change(server);
  const page = await openPage(t, { timezoneId: 'America/New_York', permissions: ['clipboard-read', 'clipboard-write'] });
  await page.goto(`${originOf(server)}/changes`);
  const time = page.locator('.rows time').first(), utc = await time.getAttribute('title');
  assert.match(utc, / UTC$/);
  assert.notEqual(await time.textContent(), utc);
  await page.goto(`${originOf(server)}/`);
  await page.getByRole('button', { name: 'Copy claude mcp add' }).click();
  await page.getByText('Copied').waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^claude mcp add --transport http vault http/);
  const plain = await openPage(t, { javaScriptEnabled: false });
  await plain.goto(`${originOf(server)}/changes`);
  assert.match(await plain.locator('.rows time').first().textContent(), /^\d\d:\d\d UTC$/);
  assert.deepEqual([...page.wrong, ...plain.wrong], []);
});

test('the start page says how things are: meaning, sync, activity, and how to connect each app', async (t) => {
  const vault = copyVault(t), server = await startHttp(t, { vault });
  await change(server, 'A.md');
  await change(server, 'B.md');
  const page = await openPage(t, { javaScriptEnabled: false });
  await page.goto(`${originOf(server)}/`);
  const facts = await page.locator('dl').first().textContent();
  for (const word of ['Search by meaning', 'Running since', ' notes']) assert.ok(facts.includes(word), word);
  assert.doesNotMatch(facts, /Sync/, 'which is off');
  assert.match(await page.getByRole('img').getAttribute('aria-label'), /^2 changes in the last 26 weeks$/);
  const days = await page.locator('.calendar i').evaluateAll((all) => all.map((day) => Number(/(\d+) changes?$/.exec(day.title)?.[1] ?? 0)));
  assert.equal(days.reduce((sum, n) => sum + n), 2, 'in one day, or two if a day has just ended');
  for (const app of ['Claude Code', 'Claude Desktop', 'Cursor', 'VS Code', 'Codex']) await page.getByText(app, { exact: true }).waitFor();
  assert.match(await page.textContent('main'), /\{"mcpServers":\{"vault":\{"url":"http:\/\/127\.0\.0\.1:\d+\/mcp"\}\}\}/);
  const app = page.locator('.columns > div').last().locator('.rows a').first(), name = await app.textContent();
  await app.click();
  await page.getByText(`Only by ${name}`).waitFor();
  assert.equal(await page.locator('.rows li').count(), 2);
  assert.deepEqual(page.wrong, []);
});

test('the start page names what needs a person: failing sync, and versions that could not be merged', async (t) => {
  const git = (...args) => execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], { stdio: 'pipe' });
  const folder = tempDir(t), remote = path.join(folder, 'remote.git'), vault = path.join(folder, 'vault');
  git('init', '-q', '--bare', '-b', 'main', remote);
  git('clone', '-q', remote, vault);
  writeFileSync(path.join(vault, 'Home.md'), 'x\n');
  git('-C', vault, 'checkout', '-q', '-b', 'main');
  git('-C', vault, 'add', '.');
  git('-C', vault, 'commit', '-qm', 'first');
  git('-C', vault, 'push', '-q', 'origin', 'main');
  const server = await startHttp(t, { vault, args: ['--git-remote', remote] });
  await until('the first sync', async () => /last synced/.test((await get(server, '/')).text));
  renameSync(remote, `${remote}.away`);
  await change(server, 'A.md');
  await until('a failed sync', async () => /Sync fails: /.test((await get(server, '/')).text));
  const { text } = await get(server, '/');
  assert.match(text, /role="alert">Sync fails: .*vaultd sync status/);
});

test('axe-core finds nothing on any page, light and dark, wide and on a phone', async (t) => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const server = await startHttp(t, { vault: copyVault(t) });
  const page = await openPage(t, { bypassCSP: true });
  await change(server);
  for (const where of [...PEOPLE, '/changes?change=1', '/nowhere', '/mcp'])
    for (const colorScheme of ['light', 'dark'])
      for (const width of [390, 1280]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 844 });
        await page.goto(`${originOf(server)}${where}`);
        if (where === '/graph') await page.waitForFunction(() => document.querySelectorAll('.node').length > 0);
        await page.addScriptTag({ content: axe });
        const { violations } = await page.evaluate(() => window.axe.run());
        assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join('\n')}`), [], `${where} ${colorScheme} ${width}`);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where} ${width}: too wide`);
      }
});
