// What a client sees of the vault besides tools that change it: resources and subscriptions,
// prompts, completion, instructions, and the two guidance tools.
import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { FOR_WINDOWS, META, SHIFTED, Session, copyVault, modernMessage, openModern, settle, startHttp, startStdio, tempDir, until } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const UPDATED = 'notifications/resources/updated';
const LIST_CHANGED = 'notifications/resources/list_changed';
const ODD_NAMES = ['Travel/Café à Paris.md', 'Recipes/🍅 Tomato sauce.md', 'Languages/日本語ノート.md', FOR_WINDOWS ? 'Odd/100% #1 [a] & b.md' : 'Odd/100% #1 [a] & b?.md'];

/** Every visible file, by bytes. */
function filesOf(vault, folder = '') {
  return readdirSync(path.join(vault, folder)).filter((name) => !name.startsWith('.')).flatMap((name) => {
    const file = path.posix.join(folder, name);
    return statSync(path.join(vault, file)).isDirectory() ? filesOf(vault, file) : [file];
  }).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

const uriOf = (file) => `vault:///${encodeURI(file).replace(/[?#\[\]]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)}`;
const pathOf = (uri) => decodeURIComponent(uri.slice('vault:///'.length));

function makeVault(t) {
  const vault = copyVault(t);
  mkdirSync(path.join(vault, 'Odd'));
  writeFileSync(path.join(vault, ODD_NAMES[3]), 'odd name\n');
  writeFileSync(path.join(vault, 'Odd/large.png'), Buffer.alloc((1 << 20) + 1));
  writeFileSync(path.join(vault, 'Odd/no extension'), 'plain\n');
  writeFileSync(path.join(vault, 'Odd/not really.txt'), Buffer.from([1, 0, 2, 0]));
  writeFileSync(path.join(vault, 'Odd/Weekly review.md'), 'Say {{hello}}. #prompt\n');
  writeFileSync(path.join(vault, 'Odd/daily_review.md'), 'Never seen, as a row has that name. #prompt\n');
  for (let i = 0; i < 500; i++) writeFileSync(path.join(vault, `Odd/Many ${i}.md`), `${i}\n`);
  return vault;
}

async function allResources(client) {
  const all = [];
  let cursor, pages = 0;
  do {
    const page = await client.listResources(cursor ? { cursor } : {});
    all.push(...page.resources);
    cursor = page.nextCursor;
    pages++;
  } while (cursor);
  return { all, pages };
}

const complete = async (client, ref, name, value) => (await client.complete({ ref, argument: { name, value } })).completion;
const TEMPLATE = { type: 'ref/resource', uri: 'vault:///{+path}' };
const data = (result) => {
  assert.ok(!result.isError, JSON.stringify(result.content));
  return JSON.parse(result.content[0].text);
};

const CHECKS = {
  async 'instructions are short, and their beginning says what matters'(sdk) {
    const text = sdk.client.getInstructions();
    assert.ok(text.length > 500 && text.length < 2000, String(text.length));
    for (const word of ['"vault"', "'/'", '[more', 'vault_search', 'vault_read', 'data']) assert.ok(text.slice(0, 500).includes(word), word);
  },

  async 'capabilities say it'(sdk) {
    const { resources, prompts, completions } = sdk.client.getServerCapabilities();
    assert.deepEqual(resources, { listChanged: true, subscribe: true });
    assert.ok(prompts && completions);
  },

  async 'the pages of the list are all files, once each'(sdk, vault, row) {
    const { all, pages } = await allResources(sdk.client);
    const files = filesOf(vault);
    if (row.name.startsWith('SDK v1')) assert.equal(pages, Math.ceil(files.length / 200)); // v2 follows pages by itself
    assert.deepEqual(all.map((r) => r.name), files);
    assert.deepEqual(all.map((r) => pathOf(r.uri)), files);
    for (const r of all) assert.match(r.uri, /^vault:\/\/\/[!-~]+$/);
    const note = all.find((r) => r.name === 'Travel/Café à Paris.md');
    assert.equal(note.uri, uriOf(note.name));
    assert.equal(note.mimeType, 'text/markdown');
    assert.equal(note.size, statSync(path.join(vault, note.name)).size);
    assert.match(note.annotations.lastModified, /^\d{4}-\d\d-\d\dT/);
  },

  async 'notes read as stored, whatever their names'(sdk, vault) {
    for (const file of ['Home.md', 'Scratch/Empty.md', ...ODD_NAMES]) {
      const { contents } = await sdk.client.readResource({ uri: uriOf(file) });
      assert.deepEqual(contents, [{ uri: uriOf(file), mimeType: 'text/markdown', text: readFileSync(path.join(vault, file), 'utf8') }]);
    }
    const raw = await sdk.client.readResource({ uri: 'vault:///Travel/Café à Paris.md' });
    assert.match(raw.contents[0].text, /Paris/);
  },

  async 'other files read as text or as bytes'(sdk, vault) {
    for (const [file, mimeType, binary] of [
      ['Attachments/seed-inventory.csv', 'text/csv'], ['Canvas/Garden year.canvas', 'application/json'], ['Attachments/network.svg', 'image/svg+xml'],
      ['Odd/no extension', 'text/plain'], ['Attachments/bed-plan.png', 'image/png', true], ['Attachments/repair-leaflet.pdf', 'application/pdf', true],
      ['Odd/not really.txt', 'application/octet-stream', true],
    ]) {
      const [content] = (await sdk.client.readResource({ uri: uriOf(file) })).contents;
      assert.equal(content.mimeType, mimeType, file);
      const bytes = binary ? Buffer.from(content.blob, 'base64') : Buffer.from(content.text);
      assert.ok(bytes.equals(readFileSync(path.join(vault, file))), file);
    }
  },

  async 'what cannot be read says why'(sdk, vault, row) {
    const notFound = row.name.startsWith('SDK v1') ? -32002 : -32602;
    for (const [uri, code, message] of [
      ['vault:///Nope.md', notFound, /not found/i], ['vault:///../secret.md', notFound, /\.\./], ['vault:///.obsidian/app.json', notFound, /obsidian/],
      ['vault:///%2e%2e/secret.md', notFound, /\.\./], ['vault:///Odd/large.png', -32602, /large/], ['vault:///Areas', -32602, /folder/],
      ['vault:///Areas%5CGarden', -32602, /'\/'/], ['vault:///bad%zzescape.md', notFound, /not found/i], ['file:///etc/passwd', notFound, /not found/i],
    ])
      await assert.rejects(sdk.client.readResource({ uri }), (e) => e.code === code && message.test(e.message), uri);
  },

  async 'the template, and completion of its path'(sdk) {
    const { resourceTemplates } = await sdk.client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map((r) => r.uriTemplate), ['vault:///{+path}', 'vault-base:///{view}/{+path}']);
    const values = async (typed) => (await complete(sdk.client, TEMPLATE, 'path', typed)).values;
    assert.equal((await values('soil'))[0], 'Areas/Garden/Soil test.md'); // by its name
    assert.equal((await values('areas/gar'))[0].startsWith('Areas/Garden/'), true); // from the root
    assert.deepEqual(await values('garden/soil'), ['Areas/Garden/Soil test.md']); // in the middle
    assert.equal((await values('CAFÉ'))[0], 'Travel/Café à Paris.md');
    assert.deepEqual((await values('garden')).slice(0, 3), ['Areas/Garden/Garden.md', 'Canvas/Garden year.canvas', 'Areas/Garden/Garden log 2026.md']);
    assert.ok((await values('garden')).includes('Areas/Garden/Compost.md')); // in a folder of that name
    assert.deepEqual(await values('no such thing'), []);
    const many = await complete(sdk.client, TEMPLATE, 'path', 'Many');
    assert.deepEqual([many.values.length, many.total, many.hasMore], [100, 500, true]);
  },

  async 'prompts: listed, filled in, completed'(sdk, vault) {
    const { prompts } = await sdk.client.listPrompts();
    assert.deepEqual(prompts.map((p) => p.name), ['answer_from_notes', 'daily_review', 'file_inbox', 'find_related', 'tidy_note', 'weekly_summary', 'Explain a decision', 'Weekly review', 'Odd/Weekly review']);
    assert.deepEqual(prompts.find((p) => p.name === 'Weekly review').arguments, [
      { name: 'week_start', description: 'The Monday of the week, as YYYY-MM-DD', required: true },
      { name: 'focus', description: 'A project or area to look at more closely', required: false }]);
    const get = async (name, args) => (await sdk.client.getPrompt({ name, arguments: args })).messages.map((m) => m.content);
    assert.match((await get('daily_review'))[0].text, /^Today is \d{4}-\d\d-\d\d\..*vault_daily/);
    assert.match((await get('answer_from_notes', { question: 'When is the frost?' }))[0].text, /When is the frost\?/);
    assert.match((await get('weekly_summary', { tag: '#area/garden' }))[0].text, /tag #area\/garden\./);
    assert.doesNotMatch((await get('weekly_summary'))[0].text, /tag/);
    for (const name of ['find_related', 'tidy_note'])
      for (const note of ['Areas/Garden/Soil test.md', 'Soil test', 'areas/garden/soil test']) {
        const [embedded, request] = await get(name, { note });
        assert.deepEqual([embedded.resource.uri, embedded.resource.text],
          [uriOf('Areas/Garden/Soil test.md'), readFileSync(path.join(vault, 'Areas/Garden/Soil test.md'), 'utf8')]);
        assert.match(request.text, /^This is 'Areas\/Garden\/Soil test\.md'\. /);
      }
    const [review] = await get('Weekly review', { week_start: '2026-11-09' });
    assert.match(review.text, /^Read the daily notes from 2026-11-09 to the Sunday .*Do not change any note\.$/s);
    assert.doesNotMatch(review.text, /\{\{/);
    assert.equal((await get('Odd/Weekly review'))[0].text, 'Say {{hello}}. #prompt');
    await assert.rejects(sdk.client.getPrompt({ name: 'Weekly review' }), (e) => e.code === -32602 && /week_start is missing/.test(e.message));
    await assert.rejects(sdk.client.getPrompt({ name: 'Home' }), (e) => e.code === -32602 && /Unknown prompt/.test(e.message));
    await assert.rejects(sdk.client.getPrompt({ name: 'tidy_note', arguments: { note: 'No such note' } }), (e) => e.code === -32602);
    await assert.rejects(sdk.client.getPrompt({ name: 'tidy_note' }), (e) => e.code === -32602);
    const notes = await complete(sdk.client, { type: 'ref/prompt', name: 'tidy_note' }, 'note', 'garden');
    assert.equal(notes.values[0], 'Areas/Garden/Garden.md');
    assert.ok(notes.values.every((v) => v.endsWith('.md')));
    const tags = await complete(sdk.client, { type: 'ref/prompt', name: 'weekly_summary' }, 'tag', '#AREA');
    assert.equal(tags.values[0], 'area');
    assert.ok(tags.values.includes('area/garden'));
    const below = await complete(sdk.client, { type: 'ref/prompt', name: 'weekly_summary' }, 'tag', 'gard');
    assert.ok(below.values.includes('area/garden'));
  },

  async 'vault_context: rules from the root down, and notes to know of'(sdk, vault) {
    const get = async (args) => data(await sdk.call({ name: 'vault_context', arguments: args }));
    const deep = await get({ path: 'Projects/Repair workshop/New note.md' });
    assert.deepEqual(deep.rules.map((r) => r.path), ['CLAUDE.md', 'Projects/CLAUDE.md']);
    assert.ok(readFileSync(path.join(vault, 'CLAUDE.md'), 'utf8').endsWith(deep.rules[0].text));
    assert.doesNotMatch(deep.rules[1].text, /^---/);
    assert.deepEqual(deep.notes.map((n) => n.path), ['Areas/Homelab/Restore runbook.md', 'Assistant/How I like answers.md', 'Assistant/Vault conventions.md']);
    assert.match(deep.notes[2].description, /^Read this before you create/);
    assert.equal(deep.truncated, undefined);
    assert.deepEqual((await get({})).rules.map((r) => r.path), ['CLAUDE.md']);
    assert.deepEqual((await get({ path: 'Projects' })).rules.map((r) => r.path), ['CLAUDE.md', 'Projects/CLAUDE.md']);
    const small = await get({ path: 'Projects', budget: 100 });
    assert.equal(small.truncated, true);
    assert.ok(small.rules.some((r) => r.truncated));
    const out = await sdk.call({ name: 'vault_context', arguments: { path: '../x' } });
    assert.ok(out.isError);
  },

  async 'vault_guide: a short text for each topic'(sdk) {
    const { tools } = await sdk.client.listTools();
    const topics = tools.find((tool) => tool.name === 'vault_guide').inputSchema.properties.topic.enum;
    assert.deepEqual(topics, ['links', 'embeds', 'callouts', 'properties', 'tags', 'tasks', 'tables', 'canvas', 'daily', 'search', 'bases']);
    for (const topic of topics) {
      const { content, isError } = await sdk.call({ name: 'vault_guide', arguments: { topic } });
      assert.ok(!isError);
      assert.match(content[0].text, /^# [A-Z]/);
      assert.ok(Buffer.byteLength(content[0].text) < 1500, `${topic}: ${Buffer.byteLength(content[0].text)}`);
    }
    assert.ok((await sdk.call({ name: 'vault_guide', arguments: { topic: 'cooking' } })).isError);
  },
};

for (const row of CONNECTIONS)
  test(`${row.name}: everything besides tools`, async (t) => {
    const vault = makeVault(t);
    const sdk = await connect(t, row, { vault });
    for (const [name, check] of Object.entries(CHECKS)) await t.test(name, () => check(sdk, vault, row));
    await sdk.close();
  });

/* --- subscriptions; next(method) is the next notification of that kind --- */

const SOIL = 'Areas/Garden/Soil test.md';
const CAFE = 'Travel/Café à Paris.md';

async function changesArrive(vault, next, call) {
  const before = new Set();
  /** The next update, but for repetitions: while the first index ends, a change may be noticed twice. */
  const updated = async (file) => {
    const { uri } = (await next(UPDATED)).params;
    if (uri !== uriOf(file)) assert.ok(before.has(uri), `${uri} instead of ${uriOf(file)}`);
    before.add(uri);
    if (uri !== uriOf(file)) await updated(file);
  };
  appendFileSync(path.join(vault, CAFE), 'more\n');
  await updated(CAFE);
  appendFileSync(path.join(vault, 'Home.md'), 'nobody asked for this one\n');
  appendFileSync(path.join(vault, SOIL), 'more\n');
  await updated(SOIL); // in a subscribed folder
  writeFileSync(path.join(vault, 'Areas/Garden/New.md'), 'new\n');
  await updated('Areas/Garden/New.md');
  await next(LIST_CHANGED);
  rmSync(path.join(vault, 'Areas/Garden/New.md'));
  await next(LIST_CHANGED);
  await updated('Areas/Garden/New.md');
  // A change made through the server, too.
  await call('vault_write', { path: SOIL, content: 'all new\n', overwrite: true });
  await updated(SOIL);
}

const SUBSCRIBED = [uriOf(CAFE), 'vault:///Areas/Garden'];

// Until the first index is complete, notes are read from the disk, and nothing notices that they change.
for (const legacy of [true, false])
  test(`a subscription made while the first index is read is not lost (${legacy ? 'legacy' : 'modern'})`, async (t) => {
    const vault = tempDir(t);
    for (let i = 0; i < 3000; i++) writeFileSync(path.join(vault, `Note ${i}.md`), `# Note ${i}\n\n${'Some words of it, to be indexed. '.repeat(60)}\n`);
    const edited = path.join(vault, 'Note 7.md'), uri = uriOf('Note 7.md');
    // a file system that may have another clock is polled, and then the times of files are not compared with ours
    const io = startStdio(t, { vault, args: SHIFTED ? ['--poll'] : [] });
    if (legacy) await io.initialize();
    assert.ok((await (legacy ? io.request('resources/read', { uri }) : io.modern('resources/read', { uri }))).result);
    if (legacy) {
      assert.deepEqual((await io.request('resources/subscribe', { uri })).result, {});
    } else {
      await io.send(modernMessage('subscriptions/listen', { notifications: { resourceSubscriptions: [uri] } }, 'ears'));
      await io.take('the acknowledgement', (m) => m.method === 'notifications/subscriptions/acknowledged');
    }
    appendFileSync(edited, 'changed\n');
    const { message } = await io.take('the update', (m) => m.method === UPDATED);
    assert.equal(message.params.uri, uri);
  });

test('a legacy client over stdio is notified of what it subscribed to', async (t) => {
  const vault = copyVault(t);
  const io = startStdio(t, { vault });
  await io.initialize();
  for (const uri of SUBSCRIBED) assert.deepEqual((await io.request('resources/subscribe', { uri })).result, {});
  await io.request('resources/list'); // the index is ready, and the vault is watched
  await io.says(/indexed/).catch(() => {});
  const next = async (method) => (await io.take(method, (m) => m.method === method)).message;
  await changesArrive(vault, next, (name, args) => io.call(name, args));
  assert.deepEqual((await io.request('resources/unsubscribe', { uri: SUBSCRIBED[0] })).result, {});
  appendFileSync(path.join(vault, CAFE), 'unheard\n');
  appendFileSync(path.join(vault, SOIL), 'heard\n');
  assert.equal((await next(UPDATED)).params.uri, uriOf(SOIL));
  // A note becomes a prompt, and stops being one.
  const names = async () => (await io.request('prompts/list')).result.prompts.map((p) => p.name);
  assert.ok(!(await names()).includes('Soil test'));
  for (const [text, is] of [['Dig. #prompt\n', true], ['Dig.\n', false]]) {
    writeFileSync(path.join(vault, SOIL), text);
    await next('notifications/prompts/list_changed');
    assert.equal((await names()).includes('Soil test'), is);
  }
  await io.eof();
});

test('a modern client over stdio is notified of what it listens to', async (t) => {
  const vault = copyVault(t);
  settle(vault);
  const io = startStdio(t, { vault });
  await io.modern('resources/list');
  await io.send(modernMessage('subscriptions/listen', { notifications: { resourcesListChanged: true, resourceSubscriptions: SUBSCRIBED } }, 'ears'));
  const next = async (method) => {
    const { message } = await io.take(method, (m) => m.method === method);
    assert.equal(message.params._meta[`${META}subscriptionId`], 'ears');
    return message;
  };
  assert.deepEqual((await next('notifications/subscriptions/acknowledged')).params.notifications,
    { resourcesListChanged: true, resourceSubscriptions: SUBSCRIBED });
  await changesArrive(vault, next, (name, args) => io.modern('tools/call', { name, arguments: args }));
  await io.eof();
});

/** The notifications of an open stream, each taken once. */
function taker(stream) {
  const taken = new Set();
  return (method) => until(`${method} on a stream`, () => {
    const at = stream.messages.findIndex((m, i) => m.method === method && !taken.has(i));
    if (at < 0) return null;
    taken.add(at);
    return stream.messages[at];
  });
}

test('over HTTP, in both eras', async (t) => {
  const vault = copyVault(t);
  const server = await startHttp(t, { vault });
  const session = await Session.open(server);
  await session.request('resources/list');
  for (const uri of SUBSCRIBED) await session.request('resources/subscribe', { uri });
  const legacy = await session.listen();
  const modern = await openModern(server, modernMessage('subscriptions/listen', { notifications: { resourcesListChanged: true, resourceSubscriptions: SUBSCRIBED } }, 7));
  await taker(modern)('notifications/subscriptions/acknowledged');
  const [one, other] = [taker(legacy), taker(modern)];
  const both = async (method) => {
    const [a, b] = [await one(method), await other(method)];
    assert.equal(a.params?.uri, b.params.uri);
    return b;
  };
  await changesArrive(vault, both, (name, args) => session.call(name, args));
  legacy.close();
  modern.close();
});
