// /proposals in a browser: who may decide, what is shown, and that nothing else is accepted. With SHOTS=folder it saves
// screenshots there.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { chromium } from 'playwright-core';
import { Session, VAULTD, cleanEnv, run, startHttp, tempDir } from '../support.mjs';
import { Browser, callTool, formsOf, startWithPeople } from './people.mjs';

const EXECUTABLE = process.env.CHROMIUM || '/usr/bin/chromium';
const SHOTS = process.env.SHOTS;
const NOTE = '# Plan\n\nCall Anna on Monday at ten.\n\nkeep\n\nbuy milk\n\nend\n';
const STEPS = [
  { tool: 'vault_edit', path: 'Plan.md', old_text: 'Monday', new_text: 'Tuesday' },
  { tool: 'vault_edit', path: 'Plan.md', old_text: 'milk', new_text: 'oat milk' },
  { tool: 'vault_write', path: 'New.md', content: 'new\n' },
];

function place(t, files = { 'Plan.md': NOTE }) {
  const dir = tempDir(t);
  const vault = path.join(dir, 'vault');
  const state = path.join(dir, 'state');
  mkdirSync(vault);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(vault, name), text);
  return {
    t, vault, state,
    text: (name) => readFileSync(path.join(vault, name), 'utf8'),
    put: (name, text) => writeFileSync(path.join(vault, name), text),
    has: (name) => existsSync(path.join(vault, name)),
    cli: (...args) => run(VAULTD, args, { env: cleanEnv(dir, { STATE_DIR: state }), cwd: dir }),
  };
}

const idIn = (text) => /"proposal":"([0-9a-f]{12})"/.exec(text)?.[1] ?? /proposal ([0-9a-f]{12})/.exec(text)?.[1] ?? assert.fail(text);

/** A server without sign-in, a proposal, and a browser that was opened by the operator. */
async function start(t, { files, steps = STEPS } = {}) {
  const p = place(t, files);
  p.server = await startHttp(t, { vault: p.vault, state: p.state, args: ['--writes', 'propose'] });
  p.server.issuer = `http://127.0.0.1:${p.server.port}`;
  p.session = await Session.open(p.server);
  p.propose = async (list) => {
    const { message } = await p.session.call('vault_batch', { steps: list });
    return idIn(message.result.content[0].text);
  };
  p.id = await p.propose(steps);
  p.link = async () => (await p.cli('proposals', '--link')).stdout.trim();
  p.open = async () => {
    const browser = new Browser(p.server);
    const url = new URL(await p.link());
    const answer = await browser.get(url.pathname + url.search);
    assert.equal(answer.status, 303, answer.text);
    return browser;
  };
  return p;
}

/** A browser in which a user has signed in, and a key of that user for a program. */
async function signedIn(p, server, name) {
  const browser = new Browser(server);
  const end = await browser.signIn(await browser.get('/proposals'), name);
  assert.equal(end.status, 303, end.text);
  const key = await run(VAULTD, ['key', 'add', `${name}/laptop`, 'write', '--state-dir', p.state], { env: cleanEnv(tempDir(p.t)) });
  return { browser, token: key.stdout.trim() };
}

const without = (form, ...names) => ({ ...form, fields: form.fields.filter(([name]) => !names.includes(name)) });

test('without sign-in, a client can read no proposal on the page and decide none', async (t) => {
  const p = await start(t);
  const client = new Browser(p.server); // sends all headers that a browser would
  const page = await client.get('/proposals');
  assert.match(page.text, /1 change waits for your review/);
  assert.match(page.text, /vaultd proposals --link/);
  assert.doesNotMatch(page.text, /Plan\.md|vault_batch/);
  assert.equal(page.forms.length, 0);
  assert.doesNotMatch((await client.get(`/proposals?id=${p.id}`)).text, /Plan\.md/);
  const person = await p.open();
  const [form] = (await person.get(`/proposals?id=${p.id}`)).forms;
  for (const what of ['accept', 'reject']) {
    const forged = await client.submit(form, { do: what }); // with the ticket and the digest of a page that it never saw
    assert.equal(forged.status, 403, forged.text);
  }
  client.cookies.set('vaultd_review', 'f'.repeat(64));
  assert.equal((await client.submit(form, { do: 'accept' })).status, 403);
  assert.equal(p.text('Plan.md'), NOTE);
  assert.equal((await person.submit(form, { do: 'accept' })).status, 303);
  assert.equal(p.text('New.md'), 'new\n');
});

test('a link of the command line opens one browser, once', async (t) => {
  const p = await start(t);
  const url = new URL(await p.link());
  const first = new Browser(p.server), second = new Browser(p.server);
  const opened = await first.get(url.pathname + url.search);
  assert.match(String(opened.headers['set-cookie']), /HttpOnly; SameSite=Strict/);
  assert.equal(opened.location, '/proposals');
  assert.match((await first.get('/proposals')).text, /Plan\.md/);
  assert.equal((await second.get(url.pathname + url.search)).status, 403);
  assert.doesNotMatch((await second.get('/proposals')).text, /Plan\.md/);
});

test('a form of another site, or without its ticket, decides nothing', async (t) => {
  const p = await start(t);
  const browser = await p.open();
  const page = await browser.get(`/proposals?id=${p.id}`);
  const [form] = page.forms;
  assert.match(page.headers['content-security-policy'], /frame-ancestors 'none'/);
  assert.equal(page.headers['x-frame-options'], 'DENY');
  assert.equal((await browser.submit(form, { do: 'accept' }, { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' })).status, 403);
  assert.equal((await browser.submit(without(form, 'ticket'), { do: 'accept' })).status, 403);
  assert.equal((await browser.submit(without(form, 'seen'), { do: 'accept' })).status, 409);
  assert.equal((await browser.submit(form, { do: 'burn' })).status, 400);
  assert.equal((await browser.get(`/proposals?id=${p.id}&do=accept`)).status, 200);
  assert.equal(p.text('Plan.md'), NOTE);
});

test('hunks and files are chosen with checkboxes', async (t) => {
  const p = await start(t);
  const browser = await p.open();
  const [form] = (await browser.get(`/proposals?id=${p.id}`)).forms;
  assert.deepEqual(form.fields.map(([name]) => name).filter((n) => /^[fh]\d/.test(n)), ['f1', 'h1.1', 'h1.2', 'f2']);
  const none = await browser.submit(without(form, 'f1', 'f2'), { do: 'accept' });
  assert.equal(none.status, 409);
  assert.match(none.text, /Nothing is chosen/);
  const answer = await browser.submit(without(form, 'h1.1', 'f2'), { do: 'accept', reason: 'Monday <b>is</b> right' });
  assert.equal(answer.status, 303, answer.text);
  assert.equal(p.text('Plan.md'), NOTE.replace('milk', 'oat milk'));
  assert.equal(p.has('New.md'), false);
  const list = await browser.get('/proposals?done=accepted');
  assert.match(list.text, /Accepted: the change has been made/);
  assert.match(list.text, /Monday &lt;b&gt;is&lt;\/b&gt; right/);
});

test('what has changed since the page was shown is shown again', async (t) => {
  const p = await start(t);
  const browser = await p.open();
  const [form] = (await browser.get(`/proposals?id=${p.id}`)).forms;
  p.put('Plan.md', NOTE.replace('keep', 'keep this'));
  const again = await browser.submit(form, { do: 'accept' });
  assert.equal(again.status, 409);
  assert.match(again.text, /have changed since this page was shown, so nothing was accepted/);
  assert.match(again.text, /The note has changed since\. Both changes fit together/);
  assert.equal(p.text('Plan.md'), NOTE.replace('keep', 'keep this'));
  const part = await browser.submit(without(again.forms[0], 'h1.1', 'f2'), { do: 'accept' });
  assert.equal(part.status, 200, 'a part of what is merged is shown first');
  assert.match(part.text, /Please check the result/);
  assert.doesNotMatch(part.text, /Tuesday/);
  assert.equal(p.text('Plan.md'), NOTE.replace('keep', 'keep this'));
  const done = await browser.submit(part.forms[0], { do: 'accept' });
  assert.equal(done.status, 303, done.text);
  assert.equal(p.text('Plan.md'), NOTE.replace('keep', 'keep this').replace('milk', 'oat milk'));
});

test('a conflict cannot be chosen, the rest can', async (t) => {
  const p = await start(t);
  const browser = await p.open();
  p.put('Plan.md', NOTE.replace('Monday', 'Friday'));
  const page = await browser.get(`/proposals?id=${p.id}`);
  assert.match(page.text, /Conflict: this has changed since in the same places/);
  const [form] = page.forms;
  assert.deepEqual(form.fields.map(([name]) => name).filter((n) => /^[fh]\d/.test(n)), ['f1', 'h1.2', 'f2']);
  const forged = await browser.submit(form, { 'h1.1': 'on', do: 'accept' });
  assert.equal(forged.status, 409, 'a forged hunk');
  assert.equal(p.text('Plan.md'), NOTE.replace('Monday', 'Friday'));
  const first = await browser.submit(formsOf(forged.text)[0], { do: 'accept' });
  const done = first.status === 200 ? await browser.submit(first.forms[0], { do: 'accept' }) : first;
  assert.equal(done.status, 303, done.text);
  assert.equal(p.text('Plan.md'), NOTE.replace('Monday', 'Friday').replace('milk', 'oat milk'));
});

test('two browsers decide once', async (t) => {
  const p = await start(t);
  const browsers = [await p.open(), await p.open()];
  const forms = await Promise.all(browsers.map(async (b) => (await b.get(`/proposals?id=${p.id}`)).forms[0]));
  const answers = await Promise.all(browsers.map((b, i) => b.submit(forms[i], { do: i ? 'reject' : 'accept' })));
  assert.equal(answers.filter((a) => a.status === 303).length, 1, answers.map((a) => a.status).join());
  const [row] = JSON.parse((await p.cli('proposals', '--json')).stdout).proposals;
  assert.equal(p.has('New.md'), row.state === 'accepted');
  const late = await browsers[0].submit(forms[0], { do: 'accept' });
  assert.match(late.text, /This is decided/);
});

test('an edit that races with accepting is never lost, and never mixed with what was not shown', async (t) => {
  const p = await start(t);
  const browser = await p.open();
  for (let i = 0; i < 30; i++) {
    p.put('Plan.md', `# T\n\nfirst ${i}\n\nkeep\n\nlast\n`);
    const id = await p.propose([{ tool: 'vault_edit', path: 'Plan.md', old_text: `first ${i}`, new_text: `FIRST ${i}` }]);
    const [form] = (await browser.get(`/proposals?id=${id}`)).forms;
    const pressed = browser.submit(form, { do: 'accept' });
    for (let turn = 0; turn < i * 3; turn++) await new Promise(setImmediate); // a different moment each time
    writeFileSync(path.join(p.vault, 'new.tmp'), `# T\n\nfirst ${i}\n\nkeep\n\nlast, edited\n`);
    renameSync(path.join(p.vault, 'new.tmp'), path.join(p.vault, 'Plan.md')); // as an editor saves what it had
    const { status } = await pressed;
    assert.match(p.text('Plan.md'), /last, edited/, `${status}`);
    assert.ok([303, 409].includes(status), `${status}`);
    if (status === 409) assert.doesNotMatch(p.text('Plan.md'), /FIRST/);
  }
});

test('of a large note with many changes, only what the page shows is accepted', async (t) => {
  const base = Array.from({ length: 150000 }, (_, i) => `line ${i}\n`).join('');
  const p = await start(t, { files: { 'Plan.md': NOTE, 'Big.md': base }, steps: [
    { tool: 'vault_write', path: 'Big.md', content: base.replaceAll('5\n', 'five\n'), overwrite: true },
    { tool: 'vault_write', path: 'Small.md', content: 'small\n' },
  ] });
  const browser = await p.open();
  const page = await browser.get(`/proposals?id=${p.id}`);
  assert.equal(page.status, 200);
  assert.ok(page.text.length < 400000, `${page.text.length} bytes`);
  assert.equal((await browser.submit(page.forms[0], { do: 'accept' })).status, 303);
  assert.equal(p.text('Big.md'), base);
  assert.equal(p.text('Small.md'), 'small\n');
});

test('HTML, hidden text and long lines are shown as what they are', async (t) => {
  const long = 'x'.repeat(10000);
  const p = await start(t, {
    steps: [
      { tool: 'vault_write', path: 'a&lt;b.md', content: `<script>alert(1)</script>\nsafe\u202etxt\u200b\n${long}\n` },
      { tool: 'vault_edit', path: 'Plan.md', old_text: 'end', new_text: '</pre><form action="/x"><button>' },
    ],
  });
  const browser = await p.open();
  const page = await browser.get(`/proposals?id=${p.id}`);
  assert.doesNotMatch(page.text.replace(/<script>[^<]*<\/script>(?=<\/body>)/, ''), /<script|a&lt;b|<form action="\/x"/);
  assert.equal(page.forms.length, 1);
  assert.match(page.text, /a&amp;lt;b\.md/);
  assert.match(page.text, /&lt;script&gt;alert\(1\)/);
  assert.match(page.text, /safe‹U\+202E›txt‹U\+200B›/);
  assert.match(page.text, /text that readers do not see \(zero_width\)/);
  assert.ok(page.text.includes(long), 'all of a long line');
});

test('what is too large to be shown cannot be accepted here', async (t) => {
  const p = await start(t, { steps: [
    { tool: 'vault_write', path: 'Large.md', content: `${'0123456789\n'.repeat(700000 / 11)}` },
    { tool: 'vault_write', path: 'Small.md', content: 'small\n' },
  ] });
  const browser = await p.open();
  const page = await browser.get(`/proposals?id=${p.id}`);
  assert.ok(page.text.length < 400000, `${page.text.length} bytes`);
  assert.match(page.text, /too large for this page/);
  const [form] = page.forms;
  assert.deepEqual(form.fields.map(([name]) => name).filter((n) => /^[fh]\d/.test(n)), ['f2']);
  const done = await browser.submit(form, { f1: 'on', do: 'accept' });
  assert.equal(done.status, 303, done.text);
  assert.equal(p.has('Large.md'), false, 'a forged box takes nothing that was not shown');
  assert.equal(p.text('Small.md'), 'small\n');
});

test('a merge is shown as a whole, or its file cannot be accepted here', async (t) => {
  const lines = (n, end) => Array.from({ length: n }, (_, i) => `${'a line that is not short, so that many of them are a lot '.slice(0, 50)}${i} ${end}\n`).join('');
  for (const [n, fits] of [[900, true], [1500, false]]) {
    const p = await start(t, { files: { 'Long.md': `${lines(n, 'old')}\nend\n` }, steps: [
      { tool: 'vault_write', path: 'Long.md', content: `${lines(n, 'new')}\nend\n`, overwrite: true },
      { tool: 'vault_write', path: 'Small.md', content: 'small\n' },
    ] });
    const browser = await p.open();
    p.put('Long.md', `${lines(n, 'old')}\nend\n\nadded by a person\n`);
    const page = await browser.get(`/proposals?id=${p.id}`);
    const boxes = page.forms[0].fields.map(([name]) => name).filter((name) => /^f\d/.test(name));
    assert.deepEqual(boxes, fits ? ['f1', 'f2'] : ['f2'], `${n} lines`);
    if (fits) {
      assert.match(page.text, /Both changes fit together/);
      assert.ok(page.text.includes(`${n - 1} new`), 'the last line of the merge');
      continue;
    }
    assert.match(page.text, /too large for this page/);
    for (const forged of [{ f1: 'on' }, { choice: 'all' }, { choice: '1' }])
      await browser.submit(page.forms[0], { ...forged, do: 'accept' });
    assert.match(p.text('Long.md'), /7 old/, 'nothing is accepted that was not shown');
  }
});

test('with sign-in, people decide what was proposed on their behalf, and nobody else', async (t) => {
  const p = place(t);
  const server = await startWithPeople(t, { vault: p.vault, state: p.state, args: ['--writes', 'propose'] });
  const anna = await signedIn(p, server, 'anna');
  const ben = await signedIn(p, server, 'bob');
  const answer = await callTool(server, anna.token, 'vault_edit', { path: 'Plan.md', old_text: 'Monday', new_text: 'Tuesday' });
  const id = idIn(JSON.stringify(answer).replaceAll('\\"', '"'));
  const [form] = (await anna.browser.get(`/proposals?id=${id}`)).forms;
  assert.doesNotMatch((await ben.browser.get('/proposals')).text, /Plan\.md/);
  assert.equal((await ben.browser.get(`/proposals?id=${id}`)).status, 404);
  const forged = await ben.browser.post('/proposals', [['ticket', form.fields.find(([n]) => n === 'ticket')[1]], ['id', id], ['seen', 'x'], ['do', 'reject']]);
  assert.ok([403, 404].includes(forged.status), `${forged.status}`);
  const stranger = new Browser(server);
  assert.doesNotMatch((await stranger.get('/proposals')).text, /Plan\.md/);
  const token = await stranger.post('/proposals', [['id', id], ['do', 'accept']], { authorization: `Bearer ${anna.token}` });
  assert.doesNotMatch(token.location ?? '', /done=/, 'a token of a client is no sign-in');
  assert.equal(p.text('Plan.md'), NOTE);
  assert.match((await anna.browser.get('/', { accept: 'text/html' })).text, /Review 1 proposed change/);
  assert.doesNotMatch((await ben.browser.get('/', { accept: 'text/html' })).text, /Review 1/);
  assert.equal((await anna.browser.submit(form, { do: 'accept' })).status, 303);
  assert.equal(p.text('Plan.md'), NOTE.replace('Monday', 'Tuesday'));
  assert.match((await anna.browser.get('/proposals')).text, /accepted by <bdi>anna/);
});

test('with several vaults, a proposal belongs to one of them', async (t) => {
  const p = place(t);
  const second = path.join(path.dirname(p.vault), 'second');
  mkdirSync(second);
  writeFileSync(path.join(second, 'Plan.md'), NOTE);
  const server = await startHttp(t, { vault: `--vault=second=${second}`, state: p.state, args: [`--vault=first=${p.vault}`, '--writes', 'propose'] });
  server.issuer = `http://127.0.0.1:${server.port}`;
  const session = await Session.open(server);
  const { message } = await session.call('vault_edit', { path: 'Plan.md', old_text: 'Monday', new_text: 'Tuesday', vault: 'second' });
  const id = idIn(message.result.content[0].text);
  const read = (uri) => session.request('resources/read', { uri });
  assert.match((await read(`vault-proposal://second/${id}`)).message.result.contents[0].text, /Tuesday/);
  assert.ok((await read(`vault-proposal://first/${id}`)).message.error);
  assert.equal(JSON.parse((await p.cli('proposals', '--json')).stdout).proposals[0].vault, 'second');
  const browser = new Browser(server);
  const link = new URL((await p.cli('proposals', '--link')).stdout.trim());
  await browser.get(link.pathname + link.search);
  assert.doesNotMatch((await browser.get('/proposals')).text, /vault_edit/);
  assert.match((await browser.get('/proposals?vault=second')).text, /vault_edit: Plan\.md/);
  assert.equal((await browser.get(`/proposals?id=${id}`)).status, 404);
  const [form] = (await browser.get(`/proposals?id=${id}&vault=second`)).forms;
  const done = await browser.submit(form, { do: 'accept' });
  assert.equal(done.location, '/proposals?done=accepted&vault=second');
  assert.equal(p.text('Plan.md'), NOTE);
  assert.equal(readFileSync(path.join(second, 'Plan.md'), 'utf8'), NOTE.replace('Monday', 'Tuesday'));
});

test('on a phone: one thumb, without and with scripts', async (t) => {
  const p = await start(t);
  const browser = await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] });
  t.after(() => browser.close());
  for (const javaScriptEnabled of [false, true]) {
    const id = javaScriptEnabled ? await p.propose([{ tool: 'vault_edit', path: 'Plan.md', old_text: 'end', new_text: 'the end' }, STEPS[2]]) : p.id;
    const context = await browser.newContext({ javaScriptEnabled, viewport: { width: 390, height: 740 }, hasTouch: true, isMobile: true });
    const page = await context.newPage();
    const complaints = [];
    page.on('console', (message) => message.location().url.endsWith('/favicon.ico') || complaints.push(message.text()));
    await page.goto(await p.link());
    await page.goto(`${p.server.issuer}/proposals?id=${id}`);
    for (const name of ['Accept', 'Reject all']) {
      const box = await page.getByRole('button', { name, exact: true }).boundingBox();
      assert.ok(box.height >= 44 && box.width >= 120, `${name} is ${box.width} by ${box.height}`);
      assert.ok(box.y + box.height <= 740, `${name} is on the screen`);
    }
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(wide <= 390, `${wide} pixels`);
    for (const check of await page.getByRole('checkbox').all()) assert.ok((await check.evaluate((e) => e.labels[0]?.textContent)).length > 3);
    assert.equal(await page.locator('h1').count(), 1);
    if (!javaScriptEnabled) {
      assert.equal(await page.locator('ins', { hasText: 'Tuesday' }).count(), 1);
      assert.equal(await page.locator('del', { hasText: 'Monday' }).count(), 1);
      await page.getByLabel('Hunk 1.1').uncheck();
      if (SHOTS) {
        mkdirSync(SHOTS, { recursive: true });
        for (const colorScheme of ['light', 'dark']) {
          await page.emulateMedia({ colorScheme });
          await page.screenshot({ path: path.join(SHOTS, `proposal-${colorScheme}.png`) });
        }
      }
    }
    await page.getByLabel('Reason').fill('not this one');
    await page.getByRole('button', { name: 'Accept', exact: true }).click();
    await page.getByText('Accepted: the change has been made').waitFor();
    assert.deepEqual(complaints, []);
    await context.close();
  }
  assert.equal(p.text('Plan.md'), NOTE.replace('milk', 'oat milk').replace('end', 'the end'));
  assert.equal(p.text('New.md'), 'new\n');
});
