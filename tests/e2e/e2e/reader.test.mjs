// Reading notes in a browser: /note, /file and /search, with and without scripts, for people who sign in and for those who need not.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { Session, copyVault, fetchHttp, startHttp, tempDir } from '../support.mjs';
import { Browser, USERS, letIn, startWithPeople } from './people.mjs';

const EXECUTABLE = process.env.CHROMIUM || '/usr/bin/chromium';
const SHOTS = process.env.SHOTS;
const VIEWS = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const PNG = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==', 'base64');
const EVIL = `# Evil <img src=x onerror="document.title='owned'">
<script>document.title='owned'</script>
[click](javascript:document.title='owned') <a href="javascript:document.title='owned'">x</a>
<iframe src="/changes"></iframe> ![[evil.svg]] ![pixel](https://evil.example/pixel.png)
| <b onmouseover="document.title='owned'">x</b> |
|---|
`;
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" onload="document.title=1"><script>top.document.title=\'owned\'</script><rect width="9" height="9"/></svg>';

const originOf = (server) => `http://127.0.0.1:${server.port}`;
const get = (server, where, accept = 'text/html') => fetchHttp(server, { method: 'GET', path: where, headers: { accept } });

async function openPage(t, options = {}) {
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
  t.after(() => browser.close());
  const context = await browser.newContext({ viewport: VIEWS.desktop, ...options });
  const page = await context.newPage();
  page.wrong = [];
  page.asked = [];
  page.on('console', (m) => m.type() === 'error' && !/status of 40/.test(m.text()) && page.wrong.push(m.text()));
  page.on('pageerror', (e) => page.wrong.push(e.message));
  page.on('request', (r) => page.asked.push(r.url()));
  return page;
}

async function assertFits(page, name) {
  const was = page.viewportSize();
  for (const colorScheme of ['light', 'dark'])
    for (const [view, size] of Object.entries(VIEWS)) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} ${view}: too wide`);
      if (SHOTS) mkdirSync(SHOTS, { recursive: true });
      if (SHOTS) await page.screenshot({ path: path.join(SHOTS, `reader-${name}-${colorScheme}-${view}.png`), fullPage: true });
    }
  await page.setViewportSize(was);
}

for (const javaScriptEnabled of [true, false])
  test(`a note is read, and leads to others, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async (t) => {
    const vault = copyVault(t);
    writeFileSync(path.join(vault, 'Pixel.png'), PNG);
    writeFileSync(path.join(vault, 'Reader.md'), '---\ntags: [a, b]\ndue: 2026-12-01\n---\n# Top\nTo [[Home]] and [[Not there]]. ![[Pixel.png|20]]\n\n## Part\n- [x] done\n\n> [!tip] Hint\n> text\n\n![[Home]]\n');
    const server = await startHttp(t, { vault });
    const page = await openPage(t, { javaScriptEnabled });
    await page.goto(`${originOf(server)}/note/Reader.md`);
    assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Reader');
    assert.match(await page.textContent('dl'), /tags.*a, b.*due.*2026-12-01/s);
    assert.equal(await page.locator('.missing').first().textContent(), 'Not there');
    assert.equal(await page.locator('article img').first().evaluate((img) => img.naturalWidth), 1, 'the picture is shown');
    assert.ok(await page.getByRole('checkbox', { name: 'done' }).isChecked());
    await page.locator('.callout.good').getByText('Hint').waitFor();
    await page.locator('.embed').getByRole('link', { name: 'Home', exact: true }).first().waitFor();
    await page.getByRole('navigation', { name: 'Outline' }).getByRole('link', { name: 'Part' }).click();
    assert.match(page.url(), /#h-1$/);
    await assertFits(page, 'note');
    await page.locator('article').getByRole('link', { name: 'Home', exact: true }).first().click();
    await page.waitForURL('**/note/Home.md');
    await page.getByRole('complementary').getByRole('link', { name: 'Reader' }).click();
    await page.waitForURL('**/note/Reader.md');
    await page.getByRole('main').getByRole('link', { name: 'Map' }).click();
    await page.waitForURL('**/graph?path=Reader.md&depth=1');
    if (javaScriptEnabled) await page.getByRole('link', { name: 'Read', exact: true }).click();
    if (javaScriptEnabled) await page.waitForURL('**/note/Reader.md');
    assert.deepEqual(page.wrong, []);
  });

test('the history of a note is its changes alone, and changes lead to notes', async (t) => {
  const server = await startHttp(t, { vault: copyVault(t) });
  const session = await Session.open(server);
  for (const [name, content] of [['One.md', 'a'], ['Two.md', 'b'], ['One.md', 'c']]) await session.call('vault_write', { path: name, content, overwrite: true });
  const page = await openPage(t, { javaScriptEnabled: false });
  await page.goto(`${originOf(server)}/note/One.md`);
  await page.getByRole('link', { name: 'History' }).click();
  assert.equal(await page.locator('.rows li').count(), 2);
  assert.doesNotMatch(await page.textContent('main'), /Two\.md/);
  await page.locator('.rows a').first().click();
  await page.getByRole('main').getByRole('link', { name: 'One.md' }).click();
  await page.waitForURL('**/note/One.md');
  await page.goto(`${originOf(server)}/changes?note=One.md`);
  await page.getByRole('link', { name: 'Show all' }).click();
  assert.equal(await page.locator('.rows li').count(), 3);
  await page.goto(`${originOf(server)}/changes?app=no-such-app`);
  await page.getByText('There are no changes.').waitFor();
  assert.deepEqual(page.wrong, []);
});

test('every note of the example vault is shown, with nothing from elsewhere', async (t) => {
  const vault = copyVault(t);
  const server = await startHttp(t, { vault });
  const { text } = await get(server, '/graph/data?depth=all', 'application/json');
  const page = await openPage(t);
  for (const { path: note } of JSON.parse(text).nodes.filter((n) => n.path.endsWith('.md'))) {
    const answer = await page.goto(`${originOf(server)}/note/${note.split('/').map(encodeURIComponent).join('/')}`);
    assert.equal(answer.status(), 200, note);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), note);
  }
  assert.deepEqual(page.asked.filter((url) => !url.startsWith(originOf(server))), []);
  assert.deepEqual(page.wrong, []);
});

test('a hostile note is text: no script, no address, no request', async (t) => {
  const vault = copyVault(t);
  writeFileSync(path.join(vault, 'Evil.md'), EVIL);
  writeFileSync(path.join(vault, 'evil.svg'), SVG);
  writeFileSync(path.join(vault, 'evil.html'), '<script>alert(1)</script>');
  const server = await startHttp(t, { vault });
  const page = await openPage(t);
  await page.goto(`${originOf(server)}/note/Evil.md`);
  await page.getByText("<script>document.title='owned'</script>").waitFor();
  assert.doesNotMatch(await page.title(), /owned/);
  assert.equal(await page.locator('article :is(script, iframe, a[href^=javascript], [onerror], [onmouseover])').count(), 0);
  assert.deepEqual(page.asked.filter((url) => !url.startsWith(originOf(server))), []);
  const policy = (await get(server, '/note/Evil.md')).headers['content-security-policy'];
  assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+'; script-src 'sha256-[^']+'; img-src 'self'; base-uri 'none'; frame-ancestors 'none'$/);
  await page.goto(`${originOf(server)}/file/evil.svg`);
  assert.doesNotMatch(await page.evaluate(() => document.title), /owned|1/);
  const svg = await get(server, '/file/evil.svg'), html = await get(server, '/file/evil.html');
  assert.match(svg.headers['content-security-policy'], /default-src 'none'.*sandbox/);
  assert.deepEqual([html.headers['content-type'], html.headers['content-disposition'], html.headers['x-content-type-options']], ['application/octet-stream', 'attachment', 'nosniff']);
});

test('a search has the hits of the tool, and links to notes', async (t) => {
  const server = await startHttp(t, { vault: copyVault(t), args: ['--answers', 'json'] });
  const session = await Session.open(server);
  const { message } = await session.call('vault_search', { query: 'raised beds' });
  const paths = [...new Set(JSON.parse(message.result.content[0].text).results.map((r) => r.path))];
  const page = await openPage(t, { javaScriptEnabled: false });
  await page.goto(`${originOf(server)}/search`);
  await page.getByRole('searchbox').fill('raised beds');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/search?q=raised+beds');
  const listed = await page.locator('.rows .item + p').allTextContents();
  assert.deepEqual(listed.slice(0, Math.min(5, paths.length)), paths.slice(0, 5));
  assert.ok((await page.locator('mark').allTextContents()).some((m) => /raised beds/i.test(m)));
  await assertFits(page, 'search');
  await page.locator('.rows a').first().click();
  await page.waitForURL('**/note/**');
  await page.goto(`${originOf(server)}/search?q=${encodeURIComponent('<img src=x onerror=1>nothing')}`);
  assert.equal(await page.locator('main img').count(), 0);
  assert.deepEqual(page.wrong, []);
});

test('what is not there or not allowed is not shown, in every spelling', async (t) => {
  const vault = copyVault(t), outside = tempDir(t);
  mkdirSync(path.join(vault, 'Private'));
  writeFileSync(path.join(vault, 'Private/Secret.md'), 'zephyrsecret ![[Hidden]]\n');
  writeFileSync(path.join(vault, 'Hidden.md'), '---\nai: hidden\n---\nzephyrhidden\n');
  writeFileSync(path.join(vault, 'Embeds.md'), '![[Secret]] ![[Hidden]] [[Hidden]]\n');
  writeFileSync(path.join(outside, 'out.md'), 'zephyroutside');
  const server = await startHttp(t, { vault, args: ['--deny-paths', 'Private/'] });
  for (const where of ['/note/Private/Secret.md', '/note/Secret', '/note/Hidden.md', '/note/hidden.md', '/file/Hidden.md', '/note/.obsidian/app.json', '/file/.obsidian/app.json', '/note/..%2f..%2fetc/passwd',
    '/file/%2e%2e/%2e%2e/etc/passwd', '/note/%00', '/note/%ff', '/note/', '/file/', '/note/%', '/note/None.md', `/file/${encodeURIComponent(outside)}/out.md`]) {
    const { status, text } = await get(server, where);
    assert.equal(status, 404, where);
    assert.doesNotMatch(text, /zephyr|root:/, where);
  }
  for (const where of ['/note/Embeds.md', '/search?q=zephyrhidden', '/search?q=zephyrsecret', '/note/Home.md']) assert.doesNotMatch((await get(server, where)).text.replaceAll(/value="[^"]*"|‘[^’]*’|"zephyr\w*"/g, ''), /zephyr(secret|hidden)[^<]*<\/(p|div|mark)/, where);
  writeFileSync(path.join(vault, 'Home.md'), '---\nai: hidden\n---\nzephyrlate\n');
  assert.doesNotMatch((await get(server, '/note/Home.md')).text, /zephyrlate/, 'hidden a moment ago');
});

test('with sign-in: strangers sign in first and come back, users see hidden notes of their vault, and its setting removes all', async (t) => {
  const vault = copyVault(t);
  writeFileSync(path.join(vault, 'Hidden.md'), '---\nai: hidden\n---\nzephyrhidden\n');
  const server = await startWithPeople(t, { vault });
  const stranger = new Browser(server), html = { accept: 'text/html' };
  for (const where of ['/note/Home.md', '/search?q=garden']) {
    const asked = await stranger.get(where, html);
    assert.match(asked.text, /Password/);
    assert.doesNotMatch(asked.text, /Home\.md|garden/i);
    assert.equal((await stranger.signIn(asked)).location, `${server.issuer}${where}`, 'back to where they wanted to go');
    stranger.cookies.clear();
  }
  assert.equal((await stranger.get('/file/Home.md', html)).status, 401);
  const { browser } = await letIn(server);
  assert.match((await browser.get('/note/Hidden.md', html)).text, /zephyrhidden/, 'ai: hidden is about clients');
  assert.equal((await browser.get('/note/Home.md', { accept: '*/*' })).headers['content-type'], 'text/markdown; charset=utf-8');
  await server.stop();
  const without = await startHttp(t, { vault, args: ['--reader', 'off', '--auth', 'none'] });
  for (const where of ['/note/Home.md', '/file/Home.md', '/search']) assert.equal((await get(without, where)).status, 404, where);
  assert.doesNotMatch((await get(without, '/')).text, /href="\/search"/);
});

test('several vaults: links stay in the vault, and names of others are not found', async (t) => {
  const other = tempDir(t);
  writeFileSync(path.join(other, 'Only there.md'), 'To [[Second]] #tagged\n');
  writeFileSync(path.join(other, 'Second.md'), 'x\n');
  const server = await startHttp(t, { vault: `--vault=mine=${copyVault(t)}`, args: [`--vault=team=${other}`] });
  const first = /aria-current="true">team/.test((await get(server, '/search')).text) ? 'team' : 'mine', suffix = first === 'team' ? '' : '?vault=team';
  const { text } = await get(server, `/note/Only%20there.md${suffix}`);
  assert.match(text, new RegExp(`href="/note/Second\\.md${suffix.replace('?', '\\?')}"`));
  assert.equal((await get(server, `/note/Only%20there.md?vault=${first === 'team' ? 'mine' : first}`)).status, 404);
  assert.equal((await get(server, '/note/Home.md?vault=none')).status, 404);
});

test('axe-core finds nothing on notes and searches', async (t) => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const vault = copyVault(t);
  const server = await startHttp(t, { vault });
  const page = await openPage(t, { bypassCSP: true });
  for (const where of ['/note/Reference/Formatting%20sheet.md', '/note/Home.md', '/search?q=garden', '/search'])
    for (const colorScheme of ['light', 'dark']) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${originOf(server)}${where}`);
      await page.addScriptTag({ content: axe });
      const { violations } = await page.evaluate(() => window.axe.run());
      assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join('\n')}`), [], `${where} ${colorScheme}`);
    }
});
