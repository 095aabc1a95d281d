// The graph of notes around a note, in a real browser: at /graph, and as an MCP App in a host's
// frame. With SHOTS=folder it saves screenshots there.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { Session, copyVault, fetchHttp, startHttp, tempDir, until } from '../support.mjs';
import { USERS, startWithPeople } from './people.mjs';

const EXECUTABLE = process.env.CHROMIUM || '/usr/bin/chromium';
const SHOTS = process.env.SHOTS;
const VIEW = 'ui://vaultd/view';
const EVIL = '<img src=x onerror="document.title=1">';

async function openPage(t, options = {}) {
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
  t.after(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1000, height: 700 }, ...options });
  page.wrong = [];
  page.on('console', (m) => m.type() === 'error' && page.wrong.push(m.text()));
  page.on('pageerror', (e) => page.wrong.push(e.message));
  page.setDefaultTimeout(120_000);
  return page;
}

async function shoot(page, name) {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  await page.screenshot({ path: path.join(SHOTS, `view-${name}.png`) });
}

function vaultWithTraps(t) {
  const vault = copyVault(t);
  writeFileSync(path.join(vault, 'Trap.md'), `[[${EVIL.replaceAll('"', "'")}]] [[Home]] ${EVIL}\n`);
  return vault;
}

const nodes = (frame) => frame.locator('.node');
const labels = (frame) => frame.$$eval('.node', (all) => all.map((n) => n.dataset.title));

test('/graph shows the notes around a note, and navigates from note to note', async (t) => {
  const server = await startHttp(t, { vault: vaultWithTraps(t) });
  const page = await openPage(t);
  await page.goto(`http://127.0.0.1:${server.port}/graph?path=Home`);
  await nodes(page).first().waitFor();
  assert.equal(await page.textContent('h1'), 'Home');
  assert.ok((await labels(page)).includes('Vault conventions'));
  await shoot(page, 'home');
  await page.click('.node[data-title="Vault conventions"]', { force: true });
  await page.waitForFunction(() => document.querySelector('h1').textContent === 'Vault conventions');
  assert.match(page.url(), /path=.*Vault%20conventions/);
  await page.keyboard.press('Tab');
  await page.selectOption('#depth', '2');
  await page.waitForFunction(() => document.querySelectorAll('.node').length > 20);
  await page.setViewportSize({ width: 375, height: 740 });
  await shoot(page, 'phone');
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= 375), 'nothing sticks out');
  await page.fill('#word', 'raised beds');
  await page.press('#word', 'Enter');
  await page.click('#list button');
  await page.waitForFunction(() => document.querySelectorAll('.node').length > 0);
  assert.deepEqual(page.wrong, []);
});

test('note content is shown as text, never as markup', async (t) => {
  const server = await startHttp(t, { vault: vaultWithTraps(t) });
  const page = await openPage(t);
  await page.goto(`http://127.0.0.1:${server.port}/graph?path=Trap`);
  await nodes(page).first().waitFor();
  assert.equal(await page.title(), 'Trap');
  assert.equal(await page.locator('img').count(), 0);
  assert.match(await page.textContent('#text'), /<img src=x/);
  await page.goto(`http://127.0.0.1:${server.port}/graph?path=${encodeURIComponent('No such note')}`);
  await page.waitForFunction(() => /Not shown/.test(document.querySelector('#say').textContent));
});

test('/graph requires sign-in, and no one else gets its data', async (t) => {
  const server = await startWithPeople(t, { vault: copyVault(t) });
  const refused = await fetchHttp(server, { method: 'GET', path: '/graph/data?path=Home', headers: {} });
  assert.equal(refused.status, 401);
  assert.doesNotMatch(refused.text, /homelab/);
  const page = await openPage(t);
  await page.goto(`${server.origin}/graph`);
  await page.fill('input[name=username]', 'anna');
  await page.fill('input[name=password]', USERS.anna.password);
  await page.click('button[type=submit], form button');
  await nodes(page).first().waitFor();
  assert.ok((await labels(page)).length > 3);
});

test('the data: limited, and only what was requested', async (t) => {
  const vault = copyVault(t);
  for (let i = 0; i < 400; i++) writeFileSync(path.join(vault, `Spoke ${i}.md`), '[[Hub]] [[Home]]\n');
  writeFileSync(path.join(vault, 'Hub.md'), 'x'.repeat(10_000));
  const server = await startHttp(t, { vault });
  const get = async (query) => (await fetchHttp(server, { method: 'GET', path: `/graph/data?${query}` }));
  const { message } = await get('path=Hub&depth=3');
  assert.equal(message.nodes.length, 150);
  assert.equal(message.nodes[0].path, 'Hub.md');
  assert.deepEqual([message.truncated, message.text.length, message.edges.length <= 1000], [true, 4000, true]);
  for (const [a, b] of message.edges) assert.ok(a < message.nodes.length && b < message.nodes.length && a !== b);
  assert.equal((await get('path=nope')).status, 404);
  assert.equal((await get('path=../../etc/passwd')).status, 404);
  assert.equal((await get('path=.obsidian/app.json')).status, 404);
  assert.equal((await get('find=homelab')).message.results[0].title.length > 0, true);
  assert.equal((await get('')).message.path, 'Home.md', 'the busiest note');
});

/* --- as an MCP App --- */

/** A host: it frames the page as the specification says and forwards what the page requests. */
async function startHost(t, html) {
  const host = `<!doctype html><iframe id=app sandbox="allow-scripts" style="width:100%;height:600px" srcdoc="${html.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe><script>
    const frame = document.getElementById('app'); window.seen = [];
    const say = (m) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...m }, '*');
    window.say = say;
    addEventListener('message', async ({ source, data: m }) => {
      if (source !== frame.contentWindow) return;
      window.seen.push(m.method ?? 'answer');
      if (m.method === 'ui/initialize') say({ id: m.id, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'test', version: '1' }, hostCapabilities: { serverResources: {} }, hostContext: { theme: 'dark' } } });
      else if (m.id !== undefined && m.method) {
        const answer = await window.serve(m.method, m.params);
        say({ id: m.id, ...answer });
      }
    });
  </script>`;
  const server = http.createServer((_, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(host)).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/`;
}

test('as an MCP App: links become a graph, results a list to click through', async (t) => {
  const server = await startHttp(t, { vault: vaultWithTraps(t) });
  const session = await Session.open(server);
  const tools = Object.fromEntries((await session.request('tools/list')).message.result.tools.map((tool) => [tool.name, tool]));
  for (const name of ['vault_links', 'vault_search']) assert.equal(tools[name]._meta.ui.resourceUri, VIEW);
  const { contents: [page] } = (await session.request('resources/read', { uri: VIEW })).message.result;
  assert.equal(page.mimeType, 'text/html;profile=mcp-app');
  assert.deepEqual(page._meta.ui.csp, { connectDomains: [], resourceDomains: [] });
  const listed = (await session.request('resources/list')).message.result.resources;
  assert.ok(!listed.some((r) => r.uri.startsWith('ui:')));

  const browser = await openPage(t);
  await browser.exposeFunction('serve', async (method, params) => {
    const { message } = await session.request(method, params);
    return message.error ? { error: message.error } : { result: message.result };
  });
  await browser.goto(await startHost(t, page.text));
  await browser.waitForFunction(() => window.seen.includes('ui/notifications/initialized'));
  const frame = browser.frames()[1];
  const tell = async (name, args) => {
    const { message } = await session.call(name, args);
    await browser.evaluate((params) => window.say({ method: 'ui/notifications/tool-result', params }), message.result);
  };
  await tell('vault_search', { query: 'homelab' });
  await frame.waitForSelector('#list button');
  assert.equal(await frame.textContent('h1'), '“homelab”');
  await shoot(browser, 'app-search');
  await frame.click('#list button');
  await frame.waitForSelector('.node');
  await tell('vault_links', { path: 'Home' });
  await frame.waitForFunction(() => document.querySelector('h1').textContent === 'Home');
  assert.ok((await labels(frame)).includes('Vault conventions'));
  await shoot(browser, 'app-graph');

  // answers that are text for a model: the arguments say what to show
  const answered = async (args, title) => {
    await browser.evaluate((params) => window.say({ method: 'ui/notifications/tool-input', params }), { arguments: args });
    await browser.evaluate(() => window.say({ method: 'ui/notifications/tool-result', params: { content: [{ type: 'text', text: 'plain text' }] } }));
    await frame.waitForFunction((t) => document.querySelector('h1').textContent === t, title);
  };
  await answered({ query: 'homelab' }, '“homelab”');
  assert.ok(await frame.locator('#list button').count() > 0);
  await answered({ path: 'Vault conventions' }, 'Vault conventions');
  await frame.selectOption('#depth', 'all');
  await frame.waitForFunction(() => document.querySelectorAll('.node').length > 40);
  await browser.evaluate(() => window.say({ id: 'bye', method: 'ui/resource-teardown', params: {} }));
  await browser.waitForFunction(() => window.seen.includes('answer'));
  assert.equal(await frame.evaluate(() => document.documentElement.style.colorScheme), 'dark');
  const light = () => frame.evaluate(() => Math.max(...getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)));
  assert.ok(await light() < 50, 'the theme of the host');
  const edge = await frame.evaluate(() => colours.edge);
  await browser.evaluate(() => window.say({ method: 'ui/notifications/host-context-changed', params: { theme: 'light' } }));
  await frame.waitForFunction((was) => colours.edge !== was, edge);
  assert.ok(await light() > 200);
  assert.deepEqual(browser.wrong, []);
});

/* --- the map --- */

const VIEWS = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
  dark: { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' },
};
const WORDS = 'garden beds cold frame compost tomato seedling soil frost harvest meeting plan review ideas reading weekly server backup network recipe'.split(' ');

/** A vault of n notes: groups in folders, a few hubs, some notes without links. Nothing in it is random. */
function vaultOf(t, n) {
  const vault = path.join(tempDir(t), `Vault of ${n}`);
  const title = (i) => `${WORDS[i % 20]} ${WORDS[(i * 7 + 3) % 20]} ${i}`;
  for (let f = 0; f < 8; f++) mkdirSync(path.join(vault, `Folder ${f}`), { recursive: true });
  for (let i = 0; i < n; i++) {
    const group = Math.floor(i / 25) * 25, to = i % 16 === 15 ? [] : [group + Math.floor((i - group) / 3), (i * 31) % 9 === 0 ? Math.floor(i / 60) : group];
    writeFileSync(path.join(vault, `Folder ${(i / 25 | 0) % 8}`, `${title(i)}.md`), to.map((k) => `[[${title(k)}]]\n`).join(''));
  }
  return vault;
}

const settled = (page) => page.waitForSelector('#graph[data-settled="true"]');
const boxes = (page) => page.$$eval('.label:not([hidden])', (all) => all.map((e) => {
  const { left, top, right, bottom } = e.getBoundingClientRect();
  return { text: e.textContent, left, top, right, bottom };
}));
/** Labels that lie on a node. */
const covering = (page) => page.evaluate(() => labels.flatMap(({ i, box: b }) => shown.nodes.filter((n) => !n.away && Math.hypot(n.x - Math.max(b.left, Math.min(n.x, b.right)), n.y - Math.max(b.top, Math.min(n.y, b.bottom))) < n.r - 0.01).map((n) => `${shown.nodes[i].title} / ${n.title}`)));
const overlapping = (all) => all.flatMap((a, i) => all.slice(i + 1).filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom).map((b) => `${a.text} / ${b.text}`));

/** The share of the map that is used: cells of a grid with something drawn in them. */
const usedShare = (page) => page.evaluate(() => {
  const map = document.querySelector('#map'), { width, height } = map, data = map.getContext('2d').getImageData(0, 0, width, height).data;
  const across = 8, down = 6, cells = new Set();
  for (let y = 0; y < height; y += 2)
    for (let x = 0; x < width; x += 2) if (data[4 * (y * width + x) + 3] > 20) cells.add(Math.floor(y * down / height) * across + Math.floor(x * across / width));
  return cells.size / (across * down);
});

test('folders keep their colours in every view, searches have an address, and titles stand out while one types', async (t) => {
  const server = await startHttp(t, { vault: copyVault(t) });
  const page = await openPage(t), at = `http://127.0.0.1:${server.port}/graph`;
  const legend = () => page.$$eval('#groups li', (all) => Object.fromEntries(all.map((li) => [li.textContent, li.style.getPropertyValue('--colour')])));
  await page.goto(at);
  await page.waitForFunction(() => document.querySelectorAll('#groups li').length > 2);
  const whole = await legend();
  assert.equal(whole.other, 'var(--group-0)');
  for (const near of ['Home', 'Rain barrel', 'Compost']) {
    await page.goto(`${at}?path=${encodeURIComponent(near)}&depth=1`);
    await page.waitForFunction(() => document.querySelectorAll('#groups li').length > 0);
    for (const [name, colour] of Object.entries(await legend())) assert.equal(colour, whole[name], `${near}: ${name}`);
  }
  await page.goto(at);
  await nodes(page).first().waitFor();
  await page.fill('#word', 'garden');
  await page.getByText(/\d+ notes here with “garden” in the title/).waitFor();
  await page.fill('#word', 'raised beds');
  await page.getByText('0 notes here').waitFor();
  await page.press('#word', 'Enter');
  await page.waitForURL('**/graph?find=raised%20beds');
  await page.waitForFunction(() => document.querySelector('#graph').hidden);
  const found = await page.locator('#list button').allTextContents();
  await page.reload();
  await page.waitForFunction((n) => document.querySelectorAll('#list button').length === n, found.length);
  assert.deepEqual(await page.locator('#list button').allTextContents(), found);
  await page.goBack();
  await page.waitForFunction(() => !document.querySelector('#graph').hidden);
  assert.deepEqual(page.wrong, []);
});

for (const n of [30, 300, 3000])
  test(`the map of ${n} notes: no labels overlap, the window is used, the page stays responsive`, async (t) => {
    const server = await startHttp(t, { vault: vaultOf(t, n) });
    for (const [name, options] of Object.entries(VIEWS).slice(0, n > 3000 ? 1 : 3)) {
      const page = await openPage(t, options);
      await page.addInitScript(() => {
        let last = performance.now();
        window.longest = 0;
        const look = () => { window.longest = Math.max(window.longest, performance.now() - last); last = performance.now(); setTimeout(look, 0); };
        addEventListener('DOMContentLoaded', () => { last = performance.now(); look(); });
      });
      await page.goto(`http://127.0.0.1:${server.port}/graph`);
      await settled(page);
      await page.waitForFunction(() => document.querySelectorAll('.label:not([hidden])').length > 4);
      const longest = await page.evaluate(() => window.longest);
      assert.ok(longest < 2500, `${name}: the page did not answer for ${longest} ms`);
      assert.equal(await page.textContent('h1'), `Vault of ${n}`);
      const all = await boxes(page), window = page.viewportSize();
      assert.deepEqual(overlapping(all), [], name);
      assert.deepEqual(await covering(page), [], `${name}: no label covers a node`);
      const { most, drawing } = await page.evaluate(() => ({ most: shown.most, drawing: shown.drawing }));
      assert.ok(most <= 62_000 + Math.max(n, 4096) && drawing.spots <= 20_100, `${name}: ${most} units of work at once, ${drawing.spots} places tried`);
      if (n === 30) assert.ok(all.length >= (name === 'phone' ? 12 : 25), `${name}: ${all.length} labels of 30 notes`);
      for (const b of all) assert.ok(b.left >= 0 && b.right <= window.width && b.bottom <= window.height, `${name}: ${b.text} sticks out`);
      const share = await usedShare(page), map = await page.locator('#graph').boundingBox();
      assert.ok(share > (n === 30 ? 0.6 : 0.7), `${name}: only ${share} of the map is used`);
      assert.ok(map.width * map.height > 0.6 * window.width * window.height, `${name}: the map is small`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.documentElement.scrollHeight <= innerHeight), `${name}: nothing scrolls`);
      await page.waitForFunction((count) => document.querySelectorAll('.node').length === count, n); // the same notes as text
      await shoot(page, `${n}-${name}`);
      if (n <= 3000) await page.reload();
      await settled(page);
      await page.waitForFunction((count) => document.querySelectorAll('.label:not([hidden])').length === count, all.length);
      assert.deepEqual(await boxes(page), all, `${name}: the same notes are always in the same places`);
      assert.deepEqual(page.wrong, []);
      await page.context().browser().close();
    }
  });

test('the map zooms and moves: wheel, drag, keys, buttons, and two fingers', async (t) => {
  const server = await startHttp(t, { vault: vaultOf(t, 300) });
  const page = await openPage(t, VIEWS.desktop);
  await page.goto(`http://127.0.0.1:${server.port}/graph`);
  await settled(page);
  const state = () => page.evaluate(() => ({ ...shown.view }));
  const at = { x: 400, y: 400 };
  const first = await boxes(page);
  await page.mouse.move(at.x, at.y);
  await page.mouse.wheel(0, -300);
  await page.waitForFunction(() => shown.view.k > 1.3);
  assert.deepEqual(overlapping(await boxes(page)), []);
  const zoomed = await state();
  await page.mouse.move(100, 120);
  await page.mouse.down();
  await page.mouse.move(160, 150, { steps: 4 });
  await page.mouse.up();
  const moved = await state();
  assert.ok(Math.abs(moved.x - zoomed.x - 60) < 20 && moved.k === zoomed.k, JSON.stringify([zoomed, moved]));
  assert.equal(await page.textContent('h1'), 'Vault of 300', 'a drag is not a click');
  await page.focus('#graph');
  await page.keyboard.press('ArrowLeft');
  assert.equal((await state()).x, moved.x + 60);
  await page.keyboard.press('+');
  assert.ok((await state()).k > moved.k);
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await page.getByRole('button', { name: 'Show all' }).click();
  assert.deepEqual(await state(), { k: 1, x: 0, y: 0 });
  await page.mouse.move(5, 5);
  await page.waitForFunction((count) => document.querySelectorAll('.label:not([hidden])').length === count, first.length);
  assert.deepEqual(await boxes(page), first, 'as in the beginning');

  const touch = await page.context().newCDPSession(page);
  const points = (...all) => all.map(([x, y], id) => ({ x, y, id }));
  await touch.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: points([300, 400], [400, 400]) });
  for (const out of [20, 40, 60]) await touch.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints: points([300 - out, 400], [400 + out, 400]) });
  await touch.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  assert.ok((await state()).k > 1.5, 'two fingers');
  assert.deepEqual(page.wrong, []);
});

test('the map shows the neighbours of a note: pointer, focus, tap', async (t) => {
  const server = await startHttp(t, { vault: vaultOf(t, 300) });
  const page = await openPage(t, VIEWS.desktop);
  await page.goto(`http://127.0.0.1:${server.port}/graph`);
  await settled(page);
  const hub = page.locator('.label.large').first(), name = await hub.textContent(), box = await hub.boundingBox();
  const lit = () => page.evaluate(() => ({ title: shown.nodes[shown.hot]?.title, near: shown.beside[shown.hot]?.map((i) => shown.nodes[i].label) }));
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.waitForFunction(() => shown.hot >= 0);
  const { title, near } = await lit();
  assert.ok(title.startsWith(name.replace('…', '')) && near.length > 5);
  await page.waitForFunction((count) => document.querySelectorAll('.label:not([hidden])').length <= count, near.length + 1);
  for (const b of await boxes(page)) assert.ok([name, ...near].includes(b.text), `${b.text} is not a neighbour`);
  assert.match(await page.textContent('#info'), new RegExp(`${title}.*${near.length} links`));
  await shoot(page, 'neighbours');
  await page.mouse.move(3, 300);
  await page.waitForFunction(() => shown.hot < 0);

  await page.locator('#list button').first().focus();
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction(() => shown.hot === shown.order[1]);
  await page.keyboard.press('Enter');
  await page.waitForFunction((t) => document.querySelector('h1').textContent !== t, 'Vault of 300');
  assert.equal(await page.inputValue('#depth'), '1');
  await page.goBack();
  await page.waitForFunction(() => document.querySelector('h1').textContent === 'Vault of 300');

  const phone = await openPage(t, VIEWS.phone);
  await phone.goto(`http://127.0.0.1:${server.port}/graph`);
  await settled(phone);
  const first = await phone.locator('.label').first().boundingBox();
  await phone.touchscreen.tap(first.x + first.width / 2, first.y + first.height / 2);
  await phone.waitForFunction(() => shown.hot >= 0);
  assert.equal(await phone.textContent('h1'), 'Vault of 300', 'the first tap only shows the neighbours');
  await shoot(phone, 'tapped');
  const again = await phone.locator('.label').first().boundingBox();
  await phone.touchscreen.tap(again.x + again.width / 2, again.y + again.height / 2);
  await phone.waitForFunction(() => document.querySelector('h1').textContent !== 'Vault of 300');
  assert.deepEqual([...page.wrong, ...phone.wrong], []);
});

test('the search in the map goes to notes, filters hide notes, and the address has all of it', async (t) => {
  const vault = vaultOf(t, 300), server = await startHttp(t, { vault });
  for (let i = 0; i < 300; i += 50) writeFileSync(path.join(vault, `Tagged ${i}.md`), '#blue\n');
  await until('the new notes', async () => (await fetchHttp(server, { method: 'GET', path: '/graph/data?depth=all' })).message.nodes.length === 306);
  const page = await openPage(t, VIEWS.desktop), at = `http://127.0.0.1:${server.port}/graph`;
  const visible = () => page.evaluate(() => shown.nodes.filter((n) => !n.off).length);
  await page.goto(at);
  await settled(page);
  await page.keyboard.press('/');
  await page.keyboard.type('garden beds');
  await page.getByText(/notes? here with “garden beds” in the title; Enter goes there/).waitFor();
  const all = await page.evaluate(() => matches('garden beds'));
  await page.keyboard.press('Enter');
  await page.waitForFunction((i) => shown.hot === i, all[0]);
  const { x, y, width, height } = await page.evaluate(() => ({ x: shown.nodes[shown.hot].x, y: shown.nodes[shown.hot].y, width: $('graph').clientWidth, height: $('graph').clientHeight }));
  assert.ok(Math.abs(x - width / 2) < 2 && Math.abs(y - height / 2) < 2, `in the middle: ${x}, ${y} of ${width}, ${height}`);
  await page.keyboard.press('Enter');
  if (all.length > 1) await page.waitForFunction((i) => shown.hot === i, all[1]);
  await page.waitForURL(/[?&]at=/);
  const kept = page.url(), view = await page.evaluate(() => ({ ...shown.view }));
  const other = await openPage(t, VIEWS.desktop);
  await other.goto(kept);
  await settled(other);
  const same = await other.evaluate(() => ({ ...shown.view }));
  for (const name of ['k', 'x', 'y']) assert.ok(Math.abs(same[name] - view[name]) < 5, `${name}: ${same[name]} is not ${view[name]}`);
  assert.equal(await other.inputValue('#word'), 'garden beds');

  await page.goto(at);
  await settled(page);
  const alone = await page.evaluate(() => shown.aside.length), everything = await visible();
  assert.ok(alone > 6);
  const rows = await page.evaluate(() => ({ least: Math.min(...shown.aside.map((i) => shown.nodes[i].y)), most: Math.max(...shown.linked.map((i) => shown.nodes[i].y)) }));
  assert.ok(rows.least > rows.most, 'notes without links are below all others');
  await page.getByLabel(`${alone} notes without links`).uncheck();
  assert.equal(await visible(), everything - alone);
  await page.getByRole('button', { name: 'Folder 1', exact: true }).click();
  const rest = await visible();
  assert.ok(rest < everything - alone && await page.getByRole('button', { name: 'Folder 1', exact: true }).getAttribute('aria-pressed') === 'false');
  await page.waitForURL(/hide=Folder%201.*alone=0/);
  await page.reload();
  await settled(page);
  assert.equal(await visible(), rest, 'the same after a reload');
  await page.getByLabel(/notes without links/).check();
  await page.getByLabel('Only notes with a tag').selectOption('blue');
  assert.equal(await visible(), 6);
  await page.waitForFunction(() => document.querySelectorAll('.node').length === 6);
  await page.waitForURL(/tag=blue/);
  assert.deepEqual([...page.wrong, ...other.wrong], []);
});

test('the note beside the map is shown as on its page, without its properties', async (t) => {
  const vault = vaultWithTraps(t);
  writeFileSync(path.join(vault, 'Shown.md'), `---\nstatus: zephyr\n---\n# Top\n- [x] done\n\n> [!tip] Hint\n> **bold** [[Home]] ${EVIL}\n`);
  const server = await startHttp(t, { vault });
  const page = await openPage(t, VIEWS.desktop);
  await page.goto(`http://127.0.0.1:${server.port}/graph?path=Shown`);
  await page.locator('#text .callout').getByText('Hint').waitFor();
  assert.deepEqual(await page.locator('#text strong').allTextContents(), ['bold']);
  assert.doesNotMatch(await page.textContent('#text'), /zephyr/);
  assert.equal(await page.locator('#text img').count(), 0);
  assert.notEqual(await page.title(), '1');
  await page.locator('#text').getByRole('link', { name: 'Home' }).click();
  await page.waitForURL('**/note/Home.md');
  assert.deepEqual(page.wrong, []);
});

test('the map is dark in a dark browser, and follows it', async (t) => {
  const server = await startHttp(t, { vault: vaultOf(t, 30) });
  const page = await openPage(t, VIEWS.dark);
  const light = () => page.evaluate(() => {
    const [r, g, b] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    return (r + g + b) / 3;
  });
  await page.goto(`http://127.0.0.1:${server.port}/graph`);
  await settled(page);
  assert.ok(await light() < 50);
  const dark = await page.evaluate(() => colours.edge);
  await page.emulateMedia({ colorScheme: 'light' });
  await page.waitForFunction((was) => colours.edge !== was, dark);
  assert.ok(await light() > 200);
});

test('the data of the whole vault: limited to the notes with the most links', async (t) => {
  const vault = copyVault(t);
  for (let i = 0; i < 10_100; i++) writeFileSync(path.join(vault, `Note ${i}.md`), i < 10_000 ? '[[Home]] [[Index of all]]\n' : '');
  writeFileSync(path.join(vault, 'Index of all.md'), '[[Home]]');
  const server = await startHttp(t, { vault });
  const get = async (query) => (await fetchHttp(server, { method: 'GET', path: `/graph/data?${query}` })).message;
  const whole = await get('depth=all');
  assert.deepEqual([whole.nodes.length, whole.truncated, whole.path, whole.text], [10_000, true, undefined, undefined]);
  assert.deepEqual(whole.nodes.slice(0, 2).map((n) => n.title), ['Home', 'Index of all']);
  assert.ok(whole.nodes.every((n) => /\.(md|canvas)$/.test(n.path)), 'without attachments');
  assert.ok(whole.edges.length <= 40_000 && whole.edges.every(([a, b]) => a < 10_000 && b < 10_000 && a !== b));
  const around = await get('depth=all&path=Note%2010050');
  assert.deepEqual([around.path, around.nodes[0].path, around.nodes.length], ['Note 10050.md', 'Note 10050.md', 10_000]);
});
