// The graph of notes around a note, in a real browser: at /graph, and as an MCP App in a host's
// frame. With SHOTS=folder it saves screenshots there.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { Session, copyVault, fetchHttp, startHttp } from '../support.mjs';
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
const labels = (frame) => frame.$$eval('.node', (all) => all.map((n) => n.getAttribute('aria-label')));

test('/graph shows the notes around a note, and navigates from note to note', async (t) => {
  const server = await startHttp(t, { vault: vaultWithTraps(t) });
  const page = await openPage(t);
  await page.goto(`http://127.0.0.1:${server.port}/graph?path=Home`);
  await nodes(page).first().waitFor();
  assert.equal(await page.textContent('h1'), 'Home');
  assert.ok((await labels(page)).includes('Vault conventions'));
  await shoot(page, 'home');
  await page.click('.node[aria-label="Vault conventions"]', { force: true });
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
  await browser.evaluate(() => window.say({ id: 'bye', method: 'ui/resource-teardown', params: {} }));
  await browser.waitForFunction(() => window.seen.includes('answer'));
  assert.equal(await frame.evaluate(() => document.documentElement.style.colorScheme), 'dark');
  assert.deepEqual(browser.wrong, []);
});
