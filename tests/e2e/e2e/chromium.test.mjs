// Signing in with a real browser, without scripts. With SHOTS=folder it saves screenshots there.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { copyVault } from '../support.mjs';
import { USERS, authorizePath, callTool, redeem, register, startWithPeople } from './people.mjs';

const EXECUTABLE = process.env.CHROMIUM || '/usr/bin/chromium';
const SHOTS = process.env.SHOTS;
const VIEWS = { wide: { width: 1000, height: 800 }, phone: { width: 375, height: 740 } };

/** A program on this computer that waits for its code. */
async function startCallback(t) {
  const calls = [];
  const server = http.createServer((request, response) => {
    if (request.url.startsWith('/callback')) calls.push({ method: request.method, ...Object.fromEntries(new URL(request.url, 'http://x').searchParams) });
    response.setHeader('content-type', 'text/html').end('<title>client</title>thank you');
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  t.after(() => server.close());
  return { calls, url: `http://127.0.0.1:${server.address().port}/callback` };
}

async function openBrowser(t) {
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
  t.after(() => browser.close());
  return browser;
}

async function openPage(browser, options = {}) {
  const context = await browser.newContext({ javaScriptEnabled: false, viewport: VIEWS.wide, ...options });
  const page = await context.newPage();
  page.complaints = [];
  page.on('console', (message) => page.complaints.push(message.text()));
  return page;
}

async function picture(page, name) {
  if (!SHOTS) return;
  mkdirSync(SHOTS, { recursive: true });
  const was = page.viewportSize();
  for (const colorScheme of ['light', 'dark']) {
    for (const [view, size] of Object.entries(VIEWS)) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize(size);
      await page.screenshot({ path: path.join(SHOTS, `${name}-${colorScheme}-${view}.png`), fullPage: true });
    }
  }
  await page.setViewportSize(was);
}

async function signIn(page, name = 'anna', password = USERS[name].password) {
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

/** Nothing overflows horizontally. */
async function assertFits(page, what) {
  const { scroll, width } = await page.locator('html').evaluate((e) => ({ scroll: e.scrollWidth, width: e.clientWidth }));
  assert.ok(scroll <= width, `${what}: ${scroll} > ${width}`);
}

test('SEC-47 a user signs in, allows access, views the account, disconnects, signs out', async (t) => {
  const server = await startWithPeople(t, { vault: copyVault(t) });
  const callback = await startCallback(t);
  const client = await register(server, { client_name: 'Claude Code (laptop)', redirect_uris: ['http://127.0.0.1/callback'] });
  const browser = await openBrowser(t);
  const page = await openPage(browser);
  const start = server.origin + authorizePath(client, { redirect_uri: callback.url });

  await page.goto(start);
  await picture(page, 'login');
  await signIn(page, 'anna', 'wrong');
  await page.getByRole('alert').getByText('Wrong name or password.').waitFor();
  await picture(page, 'login-wrong');
  assert.equal(await page.getByLabel('User name').inputValue(), 'anna', 'only the password has to be entered again');
  await page.locator('#password:focus').waitFor();
  await signIn(page);

  await page.getByRole('heading', { name: 'Claude Code (laptop) wants to access your notes' }).waitFor();
  assert.match(page.url(), /\/oauth\/consent\?request=/);
  await page.reload();
  await page.getByText('Any program here could use its name').waitFor();
  await picture(page, 'consent');
  await page.getByRole('radio', { name: 'Read only' }).check();
  assert.equal(await page.getByLabel('Journal').isVisible(), false);
  await page.getByRole('radio', { name: 'Choose for each folder' }).check();
  await picture(page, 'consent-folders');
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByRole('alert').getByText('Choose at least one folder.').waitFor();
  await picture(page, 'consent-again');
  assert.ok(await page.getByRole('radio', { name: 'Choose for each folder' }).isChecked(), 'what was chosen stays chosen');
  await page.getByLabel('Journal').selectOption({ label: 'Read only' });
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('thank you').waitFor();

  const [call] = callback.calls;
  assert.deepEqual({ ...call, code: '' }, { method: 'GET', code: '', state: 'a state & more', iss: server.issuer });
  const tokens = await redeem(server, client, call.code, callback.url);
  assert.equal(tokens.scope, 'vault:read');
  assert.equal((await callTool(server, tokens.access_token, 'vault_info')).status, 200);

  // a second client with write access, so that the account has something to show
  const writer = await register(server, { client_name: 'Claude', redirect_uris: ['http://127.0.0.1/callback'] });
  await page.goto(server.origin + authorizePath(writer, { redirect_uri: callback.url }));
  await page.getByRole('radio', { name: 'Read and write' }).check();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('thank you').waitFor();
  const writing = await redeem(server, writer, callback.calls.at(-1).code, callback.url);
  await callTool(server, writing.access_token, 'vault_write', { path: 'Journal/From the browser.md', content: 'hello' });

  await page.goto(`${server.origin}/account`);
  await page.getByRole('heading', { name: 'Connected apps' }).waitFor();
  await picture(page, 'account');
  await page.getByRole('button', { name: 'Undo Created Journal/From the browser.md' }).click();
  await page.getByRole('status').getByText('The change has been undone.').waitFor();
  await page.getByRole('button', { name: 'Disconnect Claude Code (laptop)' }).click();
  await page.getByRole('status').getByText('The app is disconnected.').waitFor();
  await picture(page, 'account-disconnected');
  assert.equal((await callTool(server, tokens.access_token, 'vault_info')).status, 401);
  assert.equal((await callTool(server, writing.access_token, 'vault_info')).status, 200);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('heading', { name: 'You are signed out' }).waitFor();
  await picture(page, 'signed-out');
  await page.goBack();
  await page.goto(`${server.origin}/account`);
  await page.getByLabel('Password').waitFor();
  await picture(page, 'login-account');
  assert.deepEqual(page.complaints.filter((c) => !c.includes('favicon') && !c.includes('401') && !c.includes('400') && !c.includes('404')), []);
});

test('a user denies access; an invalid request shows a page', async (t) => {
  const server = await startWithPeople(t);
  const callback = await startCallback(t);
  const client = await register(server, { redirect_uris: ['http://127.0.0.1/callback'] });
  const page = await openPage(await openBrowser(t));
  await page.goto(server.origin + authorizePath(client, { redirect_uri: callback.url }));
  await signIn(page, 'bob');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('thank you').waitFor();
  assert.equal(callback.calls[0].error, 'access_denied');
  await page.goto(server.origin + authorizePath(client, { redirect_uri: 'https://evil.example/' }));
  await page.getByRole('heading', { name: 'This app sent an invalid return address' }).waitFor();
  await picture(page, 'error');
  assert.equal(callback.calls.length, 1);
});

test('with scripts, a long list of folders can be filtered, and none is where a password is entered', async (t) => {
  const server = await startWithPeople(t, { vault: copyVault(t) });
  const callback = await startCallback(t), client = await register(server, { redirect_uris: ['http://127.0.0.1/callback'] });
  const page = await openPage(await openBrowser(t), { javaScriptEnabled: true });
  await page.goto(server.origin + authorizePath(client, { redirect_uri: callback.url }));
  assert.equal(await page.locator('script').count(), 0);
  await signIn(page);
  await page.getByRole('radio', { name: 'Choose for each folder' }).check();
  const shown = page.locator('.folders li:visible'), all = await shown.count();
  await page.getByLabel('Filter the list').fill('gard');
  const left = await shown.allTextContents();
  assert.ok(left.length < all && left.some((text) => text.startsWith('Areas/Garden')) && left.at(-1).startsWith('Everything else'), left.join());
  await page.getByLabel('Areas/Garden').selectOption({ label: 'Read only' });
  await page.getByLabel('Filter the list').press('Enter');
  await page.getByLabel('Filter the list').fill('');
  assert.equal(await shown.count(), all, 'Enter sends nothing');
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('thank you').waitFor();
  assert.deepEqual(page.complaints.filter((c) => /Content Security/.test(c)), []);
});

test('axe-core finds nothing from the sign-in to the account, light and dark, wide and on a phone', async (t) => {
  const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  const server = await startWithPeople(t, { vault: copyVault(t) });
  const callback = await startCallback(t), client = await register(server, { redirect_uris: ['http://127.0.0.1/callback'] });
  const page = await openPage(await openBrowser(t), { javaScriptEnabled: true, bypassCSP: true });
  const check = async (name) => {
    for (const colorScheme of ['light', 'dark'])
      for (const width of [390, 1280]) {
        await page.emulateMedia({ colorScheme });
        await page.setViewportSize({ width, height: 844 });
        await page.addScriptTag({ content: axe });
        const { violations } = await page.evaluate(() => window.axe.run());
        assert.deepEqual(violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join('\n')}`), [], `${name} ${colorScheme} ${width}`);
        await assertFits(page, `${name} ${width}`);
      }
  };
  await page.goto(server.origin);
  await check('stranger');
  await page.goto(server.origin + authorizePath(client, { redirect_uri: callback.url }));
  await check('sign-in');
  await signIn(page, 'anna', 'wrong');
  await check('wrong password');
  await signIn(page);
  await page.getByRole('radio', { name: 'Choose for each folder' }).check();
  await check('consent');
  await page.getByRole('radio', { name: 'Read and write' }).check();
  await page.getByRole('button', { name: 'Allow' }).click();
  await page.getByText('thank you').waitFor();
  const { access_token: token } = await redeem(server, client, callback.calls[0].code, callback.url);
  await callTool(server, token, 'vault_write', { path: 'Inbox/New.md', content: 'x' });
  await page.goto(`${server.origin}/account`);
  await page.evaluate(() => { for (const d of document.querySelectorAll('details')) d.open = true; });
  await check('account');
  for (const where of ['/account/sign-out', '/nothing', '/oauth/authorize?x=1']) {
    await page.goto(server.origin + where);
    await check(where);
  }
});

test('everything works with the keyboard alone', async (t) => {
  const server = await startWithPeople(t);
  const callback = await startCallback(t);
  const client = await register(server, { redirect_uris: ['http://127.0.0.1/callback'] });
  const page = await openPage(await openBrowser(t));
  await page.goto(server.origin + authorizePath(client, { redirect_uri: callback.url }));
  await page.locator('#username:focus').waitFor();
  await page.keyboard.type('anna');
  await page.keyboard.press('Tab');
  await page.keyboard.type(USERS.anna.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'wants to access your notes' }).waitFor();
  await page.keyboard.press('Tab'); // access level
  while (!(await page.getByRole('radio', { name: 'Read only' }).isChecked())) await page.keyboard.press('ArrowDown');
  while (!(await page.locator('button[value=allow]:focus').count())) await page.keyboard.press('Tab'); // past the choice of tools
  await page.keyboard.press('Enter');
  await page.getByText('thank you').waitFor();
  assert.equal((await redeem(server, client, callback.calls[0].code, callback.url)).scope, 'vault:read');
});

test('SEC-46 pages cannot be framed or posted to from other sites', async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server);
  const site = http.createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/frame') response.end(`<title>evil</title><iframe src="${server.origin}/account"></iframe>`);
    else response.end(`<form method="post" action="${server.origin}/oauth/login"><input name="username" value="anna"><button>go</button></form>`);
  }).listen(0, '127.0.0.1');
  await new Promise((done) => site.once('listening', done));
  t.after(() => site.close());
  const evil = `http://localhost:${site.address().port}`;
  const page = await openPage(await openBrowser(t));
  await page.goto(server.origin + authorizePath(client));
  await page.goto(`${evil}/frame`);
  const frame = page.frames().at(-1);
  assert.notEqual(frame.url(), `${server.origin}/account`);
  assert.ok(page.complaints.some((c) => /frame-ancestors|X-Frame-Options/.test(c)), page.complaints.join('\n'));
  await page.goto(`${evil}/form`);
  const [answer] = await Promise.all([page.waitForResponse((r) => r.url().endsWith('/oauth/login')), page.getByRole('button').click()]);
  assert.equal(answer.status(), 403);
});

test('everything fits on a phone, and at twice the text size', async (t) => {
  const server = await startWithPeople(t);
  const client = await register(server, { client_name: `A client with a very long name ${'x'.repeat(48)}`, redirect_uris: ['https://a-very-long-host-name.that-goes-on-and-on.and-never-ends.client.example/callback'] });
  const browser = await openBrowser(t);
  for (const [name, options] of Object.entries({ phone: { viewport: { width: 320, height: 600 } }, zoomed: { viewport: { width: 500, height: 400 }, deviceScaleFactor: 2 } })) {
    const page = await openPage(browser, options);
    await page.goto(server.origin + authorizePath(client, { redirect_uri: undefined }));
    await assertFits(page, `${name} login`);
    await signIn(page);
    await page.getByRole('radio', { name: 'Choose for each folder' }).check();
    await assertFits(page, `${name} consent`);
    await picture(page, `long-${name}`);
    await page.goto(`${server.origin}/account`);
    await assertFits(page, `${name} account`);
    await page.context().close();
  }
});
