// Changing the password on /account: with a browser, and as somebody attacks it.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, renameSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { copyVault, tempDir } from '../support.mjs';
import { Browser, USERS, callTool, letIn, startWithPeople } from './people.mjs';

const EXECUTABLE = process.env.CHROMIUM || '/usr/bin/chromium';
const NEW = 'correct horse battery';

/** A server whose users are in a file of its state folder, where it may write. */
async function startWithFile(t, options = {}) {
  const state = path.join(tempDir(t), 'state'), file = path.join(state, 'users');
  mkdirSync(state);
  writeFileSync(file, `# people\nanna:${USERS.anna.hash}\nbob:${USERS.bob.hash}\n`, { mode: 0o600 });
  const server = await startWithPeople(t, { vault: copyVault(t), state, env: { AUTH_USERS: '', AUTH_USERS_FILE: file }, ...options });
  return { server, file };
}

async function enter(server, name = 'anna', password = USERS[name].password) {
  const browser = new Browser(server);
  const answer = await browser.signIn(await browser.get('/account'), name, password);
  return { browser, answer };
}

const formOf = (page) => page.forms.find((f) => f.action === '/account/password');
const change = async (browser, fields, headers) => browser.submit(formOf(await browser.get('/account')), { old: USERS.anna.password, new: NEW, again: NEW, ...fields }, headers);

test('a password is changed in a browser without scripts: the old one, other sign-ins and apps end', async (t) => {
  const { server, file } = await startWithFile(t);
  const elsewhere = (await enter(server)).browser, app = await letIn(server, { name: 'anna' }), bobs = await letIn(server, { name: 'bob' });
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
  t.after(() => browser.close());
  const page = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await page.goto(`${server.origin}/account`);
  await page.getByLabel('User name').fill('anna');
  await page.getByLabel('Password').fill(USERS.anna.password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByText('Change the password').first().click();
  await page.getByLabel('Current password').fill('not this one');
  await page.getByLabel('New password', { exact: true }).fill(NEW);
  await page.getByLabel('Confirm the new password').fill(NEW);
  await page.getByRole('button', { name: 'Change the password' }).click();
  await page.getByRole('alert').getByText('The current password is wrong.').waitFor();
  assert.equal(readFileSync(file, 'utf8'), `# people\nanna:${USERS.anna.hash}\nbob:${USERS.bob.hash}\n`);
  await page.getByLabel('Current password').fill(USERS.anna.password);
  await page.getByLabel('New password', { exact: true }).fill(NEW);
  await page.getByLabel('Confirm the new password').fill(NEW);
  await page.getByRole('button', { name: 'Change the password' }).click();
  const changed = page.getByRole('status').getByText('Your password is changed.');
  await changed.waitFor().catch(async ({ message }) => assert.fail(`${message}\n${await page.locator('main').innerText()}`));
  await page.reload();
  await page.getByRole('heading', { name: 'Your account' }).waitFor();

  const [comment, anna, bob] = readFileSync(file, 'utf8').split('\n');
  assert.deepEqual([comment, bob, statSync(file).mode & 0o777], ['# people', `bob:${USERS.bob.hash}`, 0o600], 'the rest stays as it was');
  assert.match(anna, /^anna:\$2b\$12\$/);
  assert.deepEqual(readdirSync(path.dirname(file)).filter((name) => name.includes('tmp') || name.startsWith('.vaultd-users')), []);
  assert.match((await elsewhere.get('/account')).text, /name="password"/, 'another browser has to sign in again');
  assert.equal((await callTool(server, app.token, 'vault_info')).status, 401, 'and so do apps');
  assert.equal((await callTool(server, bobs.token, 'vault_info')).status, 200, 'but not those of others');
  assert.equal((await enter(server)).answer.status, 401, 'the old password is wrong');
  assert.equal((await enter(server, 'anna', NEW)).answer.status, 303);
});

test('a password is not changed by what is wrong, weak, or from elsewhere', async (t) => {
  const { server, file } = await startWithFile(t);
  const { browser } = await enter(server), before = readFileSync(file, 'utf8');
  const refusals = {
    'two different ones': [{ again: `${NEW}x` }, {}, 400, /The two new passwords differ/],
    'too short': [{ new: 'short', again: 'short' }, {}, 400, /too weak/],
    'too few characters': [{ new: 'a'.repeat(20), again: 'a'.repeat(20) }, {}, 400, /too weak/],
    'none': [{ new: '', again: '' }, {}, 400, /too weak/],
    'longer than bcrypt reads': [{ new: NEW.repeat(5), again: NEW.repeat(5) }, {}, 400, /at most 72 bytes/],
    'the same': [{ new: USERS.anna.password, again: USERS.anna.password }, {}, 400, /is the old one/],
    'a wrong old one': [{ old: 'x' }, {}, 401, /The current password is wrong/],
    'no ticket': [{ ticket: '0' }, {}, 400],
    'another site': [{}, { origin: 'https://evil.example' }, 403],
    'what the browser says': [{}, { 'sec-fetch-site': 'cross-site' }, 403],
  };
  for (const [name, [fields, headers, status, text]] of Object.entries(refusals)) {
    const answer = await change(browser, fields, headers);
    assert.equal(answer.status, status, name);
    if (text) assert.match(answer.text, text, name);
  }
  const form = formOf(await browser.get('/account'));
  assert.equal((await new Browser(server).submit(form, { old: USERS.anna.password, new: NEW, again: NEW })).status, 303, 'a stranger is sent to sign in');
  const { browser: bob } = await enter(server, 'bob');
  assert.equal((await bob.submit(form, { old: USERS.anna.password, new: NEW, again: NEW })).status, 403, 'the form of another user');
  assert.equal(readFileSync(file, 'utf8'), before);
  assert.doesNotMatch((await change(browser, { old: '"><b>', new: '"><b>', again: 'y' })).text, /"><b>/);
});

test('guessing the old password locks out, as at a sign-in', async (t) => {
  const { server, file } = await startWithFile(t);
  const { browser } = await enter(server);
  let answer;
  for (let i = 0; i < 8 && answer?.status !== 429; i++) answer = await change(browser, { old: `guess ${i}` });
  assert.equal(answer.status, 429);
  assert.ok(Number(answer.headers['retry-after']) > 0);
  assert.match(answer.text, /Too many failed sign-ins/);
  assert.equal((await change(browser, {})).status, 429, 'also with the right one');
  assert.match(readFileSync(file, 'utf8'), /B5G2GiWQ3ajScDKuXAzMl/);
});

test('what another program wrote meanwhile is kept, and a file that cannot be written is refused clearly', async (t) => {
  const { server, file } = await startWithFile(t);
  const { browser } = await enter(server);
  writeFileSync(file, `# new\nanna:${USERS.anna.hash}\ncarl:${USERS.bob.hash}\n`);
  chmodSync(file, 0o600);
  assert.equal((await change(browser, {})).status, 303);
  assert.match(readFileSync(file, 'utf8'), /^# new\nanna:\$2b\$12\$\S+\ncarl:\$2b\$10\$\S+\n$/);
  const again = await enter(server, 'anna', NEW), page = await again.browser.get('/account');
  renameSync(file, `${file}.away`);
  mkdirSync(file);
  const refused = await again.browser.submit(formOf(page), { old: NEW, new: `${NEW} 2`, again: `${NEW} 2` });
  assert.equal(refused.status, 503);
  assert.match(refused.text, /was not changed.*vaultd user add/s);
  assert.ok(existsSync(`${file}.away`));
});

test('where the password is elsewhere, /account says so and refuses', async (t) => {
  const server = await startWithPeople(t, { vault: copyVault(t) });
  const { browser } = await enter(server), page = await browser.get('/account');
  assert.match(page.text, /The operator of this server can give you a new one/);
  assert.equal(formOf(page), undefined);
  const [{ fields }] = page.forms;
  const answer = await browser.post('/account/password', [...fields.filter(([name]) => name === 'ticket'), ['old', USERS.anna.password], ['new', NEW], ['again', NEW]]);
  assert.equal(answer.status, 400);
  assert.match(answer.text, /cannot be changed here/);
});
