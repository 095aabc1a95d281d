// Third-party clients drive vaultd and the fixture, in every era and transport.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { META, MODULES, NODE22, cleanEnv, copyVault, run, sleep, startHttp, tempDir, until, watchedCommand, within } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

/* --- what the vault really contains, read independently --- */

const OUTSIDE = 'Outside.md'; // a link out of the vault, which does not exist for clients
const isHidden = (name) => name.startsWith('.');
/** In whole seconds; a Date would round up what is just below one. */
const iso = (file) => new Date(Number(statSync(file, { bigint: true }).mtimeNs / 1_000_000_000n) * 1000).toISOString().replace(/\.\d+Z$/, 'Z');
const byBytes = (a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b));
const names = (dir) => readdirSync(dir).filter((n) => !isHidden(n) && n !== OUTSIDE).sort(byBytes);

function listing(dir) {
  return names(dir).map((name) => {
    const file = path.join(dir, name);
    return statSync(file).isDirectory()
      ? { name, type: 'folder', children: names(file).length }
      : { name, type: 'file', size: statSync(file).size, modified: iso(file) };
  });
}

function counts(dir, c = { notes: 0, attachments: 0, folders: 0, bytes: 0, last: '' }) {
  for (const name of names(dir)) {
    const file = path.join(dir, name);
    if (statSync(file).isDirectory()) {
      c.folders++;
      counts(file, c);
      continue;
    }
    c[/\.md$/i.test(name) ? 'notes' : 'attachments']++;
    c.bytes += statSync(file).size;
    if (iso(file) > c.last) c.last = iso(file);
  }
  return c;
}

const lineCount = (text) => text.split('\n').length - (text.endsWith('\n') || text === '' ? 1 : 0);
const lines = (text, first, last) => text.split(/(?<=\n)/).slice(first - 1, last).join('');

/** A copy of the example vault with a few more notes that are easy to get wrong. */
function makeVault(t) {
  const vault = copyVault(t);
  writeFileSync(path.join(vault, 'Line 200.md'), 'x\n'.repeat(200));
  writeFileSync(path.join(vault, 'Line 201.md'), 'x\n'.repeat(200) + 'last');
  writeFileSync(path.join(vault, 'Quotes "and" \'others\' & <tags>.md'), 'tab\there, \\ back, "quoted", \u2028 and \u{1F345}\n');
  symlinkSync('/etc/hostname', path.join(vault, OUTSIDE));
  return vault;
}

/** The JSON in a tool's text, which must not be an error; the first may have a block on notes for Claude. */
function data(result) {
  assert.ok(!result.isError, JSON.stringify(result.content));
  const [answer, ...more] = result.content;
  assert.deepEqual(more.map((block) => block.text.slice(0, 14)), more.length ? ['Notes for assi'] : []);
  assert.equal(answer.type, 'text');
  return JSON.parse(answer.text);
}

function without(data, key) {
  const { [key]: _, ...rest } = data;
  return rest;
}

/* --- the checks; each gets call(tool, args) and the vault's folder --- */

const AS_STORED = [
  'Home.md', 'Languages/日本語ノート.md', 'Languages/Заметка.md', 'Travel/Café à Paris.md', 'Recipes/🍅 Tomato sauce.md',
  'Areas/Homelab/Router notes.md', 'Areas/Garden/Soil test.md', 'Inbox.md', 'Scratch/Empty.md', 'Scratch/Broken properties.md',
  'Line 200.md', 'Quotes "and" \'others\' & <tags>.md', 'Attachments/seed-inventory.csv', 'Canvas/Garden year.canvas',
];

const ERRORS = [
  ['a missing note', 'vault_read', { path: 'Nope.md' }, 'FILE_NOT_FOUND', /^File not found: Nope\.md/],
  ['a missing folder', 'vault_list', { path: 'Nope' }, 'FILE_NOT_FOUND', /Nope/],
  ['a path out of the vault', 'vault_read', { path: '../secret.md' }, 'PATH_NOT_ALLOWED', /'\.\.'/],
  ['a path out of the vault in the middle', 'vault_read', { path: 'Areas/../../secret.md' }, 'PATH_NOT_ALLOWED', /'\.\.'/],
  ['a path out of the vault, listed', 'vault_list', { path: '..' }, 'PATH_NOT_ALLOWED', /'\.\.'/],
  ['a hidden folder', 'vault_read', { path: '.obsidian/app.json' }, 'PATH_NOT_ALLOWED', /\.obsidian/],
  ['a backslash', 'vault_read', { path: 'Areas\\Garden' }, 'PATH_NOT_ALLOWED', /separate folders with '\/'/],
  ['a NUL in the path', 'vault_read', { path: 'Home.md\0.png' }, 'PATH_NOT_ALLOWED', /control character/],
  ['an offset after the end', 'vault_read', { path: 'Home.md', offset: 9999 }, 'INVALID_RANGE', /9999/],
  ['an unknown argument', 'vault_read', { path: 'Home.md', lines: 3 }, 'INVALID_ARGUMENT', /^unknown argument 'lines', nothing was done; known arguments: path, offset, limit/],
  ['a sound', 'vault_read', { path: 'Attachments/doorbell.wav', view: 'outline' }, 'NOT_TEXT', /not a text file/],
  ['a folder read as a note', 'vault_read', { path: 'Languages' }, 'INVALID_ARGUMENT', /is a folder/],
  ['a note listed as a folder', 'vault_list', { path: 'Home.md' }, 'INVALID_ARGUMENT', /is a file/],
  ['no path at all', 'vault_read', {}, 'INVALID_ARGUMENT', /path is missing/],
  ['a path that is not a string', 'vault_read', { path: 5 }, 'INVALID_ARGUMENT', /path must be a string/],
  ['a limit that is not a number', 'vault_read', { path: 'Home.md', limit: 'two' }, 'INVALID_ARGUMENT', /limit must be an integer/],
];

const CHECKS = {
  async 'tools have names, descriptions, schemas and all hints'(sdk) {
    const { tools } = await sdk.client.listTools();
    for (const name of ['vault_info', 'vault_list', 'vault_read']) assert.ok(tools.some((t) => t.name === name), name);
    for (const tool of tools) {
      assert.match(tool.name, /^[A-Za-z0-9_.-]{1,64}$/);
      assert.ok(tool.description.length > 40, tool.name);
      assert.equal(tool.inputSchema.type, 'object');
      const hints = tool.annotations.readOnlyHint ? ['openWorldHint'] : ['readOnlyHint', 'destructiveHint', 'openWorldHint'];
      for (const hint of hints)
        assert.equal(typeof tool.annotations[hint], 'boolean', `${tool.name} ${hint}`);
    }
    const read = tools.find((t) => t.name === 'vault_read');
    assert.deepEqual(Object.keys(read.inputSchema.properties).slice(0, 3), ['path', 'offset', 'limit']);
    assert.deepEqual(read.inputSchema.required, ['path']);
    assert.equal(read.annotations.readOnlyHint, true);
  },

  async 'vault_info counts what is there'(sdk, vault) {
    const want = counts(vault);
    const { name, notes, attachments, folders, bytes, last_modified, server_version } = data(await sdk.call({ name: 'vault_info' }));
    assert.deepEqual({ name, notes, attachments, folders, bytes, last_modified, server_version }, {
      name: 'vault', notes: want.notes, attachments: want.attachments, folders: want.folders, bytes: want.bytes,
      last_modified: want.last, server_version: sdk.client.getServerVersion().version,
    });
  },

  async 'vault_list gives one level, with sizes, times and child counts'(sdk, vault) {
    for (const [asked, folder] of [[undefined, ''], ['/', ''], ['Areas', 'Areas'], ['/Languages/', 'Languages'], ['Areas/./Garden', 'Areas/Garden'], ['Recipes', 'Recipes']]) {
      const entries = listing(path.join(vault, folder));
      const got = data(await sdk.call({ name: 'vault_list', arguments: asked === undefined ? {} : { path: asked } }));
      assert.deepEqual(got, { path: `/${folder}`, entries, total_entries: entries.length }, String(asked));
    }
  },

  async 'vault_read gives notes as stored: unicode names, CRLF, BOM, no last newline, empty'(sdk, vault) {
    for (const note of [...AS_STORED, ...names(path.join(vault, 'People')).map((n) => `People/${n}`)]) {
      const text = readFileSync(path.join(vault, note), 'utf8');
      const view = note.endsWith('.canvas') ? { view: 'text' } : {}; // the default of a canvas is its outline
      const got = data(await sdk.call({ name: 'vault_read', arguments: { path: note, ...view } }));
      const n = lineCount(text);
      assert.deepEqual(Object.keys(got), ['path', 'total_lines', 'showing', 'content', 'etag'], note);
      assert.deepEqual(without(got, 'etag'), { path: note, total_lines: n, showing: n ? [1, n] : [0, 0], content: text }, note);
    }
    assert.ok(readFileSync(path.join(vault, 'Areas/Garden/Soil test.md')).subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])));
    assert.ok(readFileSync(path.join(vault, 'Areas/Homelab/Router notes.md')).includes('\r\n'));
  },

  async 'a long note is cut, says so, and can be read on'(sdk, vault) {
    const note = 'Areas/Garden/Garden log 2026.md';
    const text = readFileSync(path.join(vault, note), 'utf8'), n = lineCount(text);
    const first = data(await sdk.call({ name: 'vault_read', arguments: { path: note } }));
    assert.deepEqual(without(first, 'etag'), { path: note, total_lines: n, showing: [1, 200], content: lines(text, 1, 200), truncated: true, next: { offset: 201 } });
    const rest = data(await sdk.call({ name: 'vault_read', arguments: { path: note, offset: 201 } }));
    assert.deepEqual(without(rest, 'etag'), { path: note, total_lines: n, showing: [201, n], content: lines(text, 201, n) });
    const one = data(await sdk.call({ name: 'vault_read', arguments: { path: 'Line 201.md' } }));
    assert.deepEqual([one.truncated, one.showing, one.total_lines], [true, [1, 200], 201]);
  },

  async 'offset and limit choose lines; "5" is 5; limit 0 is all; a limit is never called truncated'(sdk, vault) {
    const note = 'Areas/Garden/Garden log 2026.md';
    const text = readFileSync(path.join(vault, note), 'utf8'), n = lineCount(text);
    for (const [args, first, last] of [
      [{ offset: 3, limit: 2 }, 3, 4], [{ limit: 5 }, 1, 5], [{ limit: '5' }, 1, 5], [{ offset: '7', limit: '1' }, 7, 7],
      [{ offset: 2.0, limit: 3.0 }, 2, 4], [{ limit: 0 }, 1, n], [{ offset: n }, n, n], [{ offset: n, limit: 10 }, n, n],
      [{ offset: null, limit: 4 }, 1, 4], [{ limit: n }, 1, n],
    ]) {
      const got = data(await sdk.call({ name: 'vault_read', arguments: { path: note, ...args } }));
      assert.deepEqual(without(got, 'etag'), { path: note, total_lines: n, showing: [first, last], content: lines(text, first, last) }, JSON.stringify(args));
    }
  },

  async 'failures are tool errors with a code and a sentence'(sdk) {
    for (const [what, name, args, code, message] of ERRORS) {
      const result = await sdk.call({ name, arguments: args });
      assert.equal(result.isError, true, what);
      const { error } = JSON.parse(result.content[0].text);
      assert.deepEqual(Object.keys(error), ['code', 'message'], what);
      assert.equal(error.code, code, what);
      assert.match(error.message, message, what);
      assert.deepEqual(result.structuredContent, { error }, what);
    }
  },

  async 'a link that leads out of the vault is not followed'(sdk) {
    const read = await sdk.call({ name: 'vault_read', arguments: { path: OUTSIDE } });
    assert.equal(read.isError, true, JSON.stringify(read.content));
  },

  async 'an unknown tool is a protocol error'(sdk) {
    await assert.rejects(sdk.call({ name: 'no_such_tool', arguments: {} }), (e) => e.code === -32602 && /no_such_tool/.test(e.message));
  },

  async 'many calls at once all come back to their own caller'(sdk) {
    const notes = [...AS_STORED, ...AS_STORED, ...AS_STORED];
    const got = await Promise.all(notes.map((note) => sdk.call({ name: 'vault_read', arguments: { path: note, limit: 1 } })));
    assert.deepEqual(got.map((r) => data(r).path), notes);
  },
};

for (const row of CONNECTIONS)
  test(`${row.name} drives vaultd`, async (t) => {
    const vault = makeVault(t);
    const sdk = await connect(t, row, { vault });
    await t.test('it negotiates its revision and learns the server\'s name', () => {
      if (sdk.client.getNegotiatedProtocolVersion) assert.equal(sdk.client.getNegotiatedProtocolVersion(), row.revision);
      assert.equal(sdk.client.getServerVersion().name, 'vaultd');
      assert.match(sdk.client.getInstructions(), /vault/);
      assert.ok(sdk.client.getServerCapabilities().tools);
    });
    for (const [name, check] of Object.entries(CHECKS)) await t.test(name, () => check(sdk, vault));
    await t.test('it disconnects, and every server it started exits cleanly', async () => {
      const started = await sdk.close();
      if (!row.http) assert.ok(started >= 1);
    });
  });

/* --- the fixture: everything a server can do besides tools --- */

const person = { action: 'accept', content: { username: 'ada', email: 'ada@example.com', name: 'Ada', color: 'green', ok: true, context: 'tests' } };

/** Fill in the fields of a form for which we have values. */
function fillForm({ params }) {
  const wanted = Object.keys(params.requestedSchema.properties);
  return { action: 'accept', content: Object.fromEntries(Object.entries(person.content).filter(([k]) => wanted.includes(k))) };
}

function setup(sdk) {
  sdk.heard = [];
  sdk.asked = [];
  sdk.decline = false;
  sdk.handle('elicitation/create', (request) => {
    sdk.asked.push(request);
    return sdk.decline ? { action: 'decline' } : fillForm(request);
  });
  sdk.handle('sampling/createMessage', (request) => {
    sdk.asked.push(request);
    return { role: 'assistant', model: 'm', content: { type: 'text', text: 'Paris' } };
  });
  sdk.handle('roots/list', () => ({ roots: [{ uri: 'file:///here', name: 'here' }] }));
  for (const method of ['notifications/message', 'notifications/tools/list_changed', 'notifications/prompts/list_changed', 'notifications/resources/updated'])
    sdk.hear(method, (n) => void sdk.heard.push(n));
}

const heard = (sdk, method) => sdk.heard.filter((n) => n.method === method);
const textOf = (result) => result.content.map((c) => c.text).join('\n');
const rejectsWith = (code) => (error) => {
  assert.equal(error.code, code, String(error));
  return true;
};

/** Call a trigger until its notification has arrived: a legacy GET stream may open late. */
async function triggers(sdk, tool, method) {
  const before = heard(sdk, method).length;
  await until(`${method} after ${tool}`, async () => {
    await sdk.call({ name: tool });
    for (let i = 0; i < 20 && heard(sdk, method).length === before; i++) await sleep(10);
    return heard(sdk, method).length > before;
  });
}

const FIXTURE_CHECKS = {
  async 'content of every kind'(sdk) {
    assert.equal(textOf(await sdk.call({ name: 'test_simple_text' })), 'This is a simple text response for testing.');
    const [image] = (await sdk.call({ name: 'test_image_content' })).content;
    assert.deepEqual([image.type, image.mimeType, Buffer.from(image.data, 'base64').subarray(1, 4).toString()], ['image', 'image/png', 'PNG']);
    const [audio] = (await sdk.call({ name: 'test_audio_content' })).content;
    assert.deepEqual([audio.type, audio.mimeType, Buffer.from(audio.data, 'base64').subarray(0, 4).toString()], ['audio', 'audio/wav', 'RIFF']);
    const [embedded] = (await sdk.call({ name: 'test_embedded_resource' })).content;
    assert.equal(embedded.resource.uri, 'test://embedded-resource');
    const [link] = (await sdk.call({ name: 'test_resource_link' })).content;
    assert.deepEqual([link.type, link.uri, link.mimeType], ['resource_link', 'test://static-text', 'text/plain']);
    assert.deepEqual((await sdk.call({ name: 'test_multiple_content_types' })).content.map((c) => c.type), ['text', 'image', 'resource']);
    assert.equal((await sdk.call({ name: 'test_error_handling' })).isError, true);
    assert.deepEqual((await sdk.call({ name: 'show_graph' })).structuredContent, { nodes: [] });
  },

  async 'progress arrives while the call runs'(sdk) {
    const seen = [];
    const result = await sdk.call({ name: 'test_tool_with_progress' }, { onprogress: (p) => seen.push([p.progress, p.total, p.message]) });
    assert.equal(textOf(result), 'Progress done');
    assert.deepEqual(seen, [0, 50, 100].map((n) => [n, 100, 'working']));
  },

  async 'log messages come at the level asked for, and none above it'(sdk, row) {
    const logs = async (level) => {
      const before = heard(sdk, 'notifications/message').length;
      if (!row.modern && level) await sdk.client.setLoggingLevel(level);
      const meta = row.modern && level ? { _meta: { [`${META}logLevel`]: level } } : {};
      assert.equal(textOf(await sdk.call({ name: 'test_tool_with_logging', ...meta })), 'Logging done');
      return heard(sdk, 'notifications/message').slice(before).map((n) => [n.params.level, n.params.data]);
    };
    const all = ['Tool execution started', 'Tool processing data', 'Tool execution completed'].map((text) => ['info', text]);
    assert.deepEqual(await logs('debug'), all);
    assert.deepEqual(await logs('info'), all);
    assert.deepEqual(await logs('error'), []);
    if (row.modern) assert.deepEqual(await logs(), []);
    else await assert.rejects(sdk.client.setLoggingLevel('loud'));
  },

  async 'elicitation: accepted, declined, with defaults, with every enum'(sdk) {
    sdk.asked.length = 0;
    assert.equal(textOf(await sdk.call({ name: 'test_elicitation', arguments: { message: 'Who?' } })), 'User response: ada');
    assert.equal(sdk.asked[0].params.message, 'Who?');
    sdk.decline = true;
    assert.equal(textOf(await sdk.call({ name: 'test_elicitation', arguments: { message: 'Who?' } })), 'User declined');
    sdk.decline = false;
    for (const name of ['test_elicitation_sep1034_defaults', 'test_elicitation_sep1330_enums'])
      assert.match(textOf(await sdk.call({ name })), /Elicitation completed: .*"accept"/);
  },

  async 'sampling and roots'(sdk) {
    sdk.asked.length = 0;
    assert.equal(textOf(await sdk.call({ name: 'test_sampling', arguments: { prompt: 'Capital?' } })), 'LLM response: Paris');
    const { messages, maxTokens } = sdk.asked[0].params;
    assert.deepEqual([messages[0].role, messages[0].content.text ?? messages[0].content[0].text, maxTokens], ['user', 'Capital?', 100]);
    assert.equal(textOf(await sdk.call({ name: 'test_input_required_result_list_roots' })), 'roots listed');
  },

  async 'several rounds, several questions at once, and a prompt that asks'(sdk) {
    assert.equal(textOf(await sdk.call({ name: 'test_input_required_result_multi_round' })), 'Ada likes green');
    assert.equal(textOf(await sdk.call({ name: 'test_input_required_result_multiple_inputs' })), 'all answered');
    assert.equal(textOf(await sdk.call({ name: 'test_input_required_result_request_state' })), 'state-ok');
    const prompt = await sdk.client.getPrompt({ name: 'test_input_required_result_prompt' });
    assert.equal(prompt.messages[0].content.text, 'It is about tests');
  },

  async 'resources, templates, and one that is not there'(sdk, row) {
    const { resources } = await sdk.client.listResources();
    assert.deepEqual(resources.map((r) => r.uri), ['test://static-text', 'test://static-binary', 'test://watched-resource']);
    const { resourceTemplates } = await sdk.client.listResourceTemplates();
    assert.deepEqual(resourceTemplates.map((r) => r.uriTemplate), ['test://template/{id}/data']);
    const read = async (uri) => (await sdk.client.readResource({ uri })).contents[0];
    assert.equal((await read('test://static-text')).text, 'This is the content of the static text resource.');
    assert.equal(Buffer.from((await read('test://static-binary')).blob, 'base64').subarray(1, 4).toString(), 'PNG');
    assert.equal((await read('test://template/a%20b/data')).text, '{"id":"a b"}');
    await assert.rejects(sdk.client.readResource({ uri: 'test://nothing' }), rejectsWith(row.name.startsWith('SDK v1') ? -32002 : -32602)); // v2 maps one code to the other
  },

  async 'prompts and completion'(sdk) {
    const { prompts } = await sdk.client.listPrompts();
    assert.deepEqual(prompts.map((p) => p.name), ['test_simple_prompt', 'test_prompt_with_arguments', 'test_prompt_with_embedded_resource',
      'test_prompt_with_image', 'test_input_required_result_prompt']);
    const simple = await sdk.client.getPrompt({ name: 'test_simple_prompt' });
    assert.deepEqual(simple.messages, [{ role: 'user', content: { type: 'text', text: 'This is a simple prompt for testing.' } }]);
    const filled = await sdk.client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'ü', arg2: '2' } });
    assert.equal(filled.messages[0].content.text, "Prompt with arguments: arg1='ü', arg2='2'");
    await assert.rejects(sdk.client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: '1' } }), rejectsWith(-32602));
    await assert.rejects(sdk.client.getPrompt({ name: 'no_such_prompt' }), rejectsWith(-32602));
    const { completion } = await sdk.client.complete({ ref: { type: 'ref/prompt', name: 'test_prompt_with_arguments' }, argument: { name: 'arg1', value: 'pa' } });
    assert.deepEqual(completion.values, ['paris', 'park', 'party']);
  },

  async 'list changes are told'(sdk, row) {
    const stream = row.modern ? await sdk.client.listen({ toolsListChanged: true, promptsListChanged: true }) : null;
    await triggers(sdk, 'test_trigger_tool_change', 'notifications/tools/list_changed');
    await triggers(sdk, 'test_trigger_prompt_change', 'notifications/prompts/list_changed');
    await stream?.close();
  },

  async 'a subscribed resource is told of, until it is not any more'(sdk, row) {
    const method = 'notifications/resources/updated', uri = 'test://watched-resource';
    const stream = row.modern ? await sdk.client.listen({ resourceSubscriptions: [uri] }) : null;
    if (row.modern) assert.deepEqual(stream.honoredFilter, { resourceSubscriptions: [uri] });
    else await sdk.client.subscribeResource({ uri });
    await triggers(sdk, 'test_update_resource', method);
    assert.equal(heard(sdk, method).at(-1).params.uri, uri);
    if (row.modern) {
      await stream.close();
      assert.equal(await stream.closed, 'local');
    } else {
      await sdk.client.unsubscribeResource({ uri });
    }
    const before = heard(sdk, method).length;
    await sdk.call({ name: 'test_update_resource' });
    await triggersNothing(sdk, row, before, method);
  },

  async 'cancelled calls free their workers'(sdk) {
    const stop = new AbortController();
    const calls = Array.from({ length: 8 }, () => sdk.call({ name: 'test_wait', arguments: { ms: 60_000 } }, { signal: stop.signal }));
    const ends = Promise.allSettled(calls);
    await sleep(200);
    stop.abort('enough');
    assert.deepEqual((await ends).map((e) => e.status), calls.map(() => 'rejected'));
    // All eight workers were busy for a minute: this one is served because they stopped.
    assert.equal(textOf(await within(sdk.call({ name: 'test_simple_text' }), 'a call after the cancelled ones', 45_000)),
      'This is a simple text response for testing.');
  },
};

/** Something sent later on the same connection has arrived, and the notification has not. */
async function triggersNothing(sdk, row, before, method) {
  const stream = row.modern ? await sdk.client.listen({ toolsListChanged: true }) : null;
  await triggers(sdk, 'test_trigger_tool_change', 'notifications/tools/list_changed');
  assert.equal(heard(sdk, method).length, before);
  await stream?.close();
}

for (const row of CONNECTIONS)
  test(`${row.name} drives the fixture`, async (t) => {
    const sdk = await connect(t, row, { program: 'fixture', setup });
    for (const [name, check] of Object.entries(FIXTURE_CHECKS)) await t.test(name, () => check(sdk, row));
    await t.test('it disconnects, and every server it started exits cleanly', () => sdk.close());
  });

/* --- the Inspector's command line --- */

const INSPECTOR = path.join(MODULES, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');

/** Run mcp-inspector --cli against a row's server; returns parsed output and exit code. */
async function inspect(t, { http, url, watched, era }, flags) {
  const home = tempDir(t);
  const environment = http ? [] : Object.entries(watched.env).flatMap(([k, v]) => ['-e', `${k}=${v}`]);
  const target = http ? [url] : [watched.command, '--', ...watched.args];
  // Options with several values come first: they would swallow the target.
  const end = await run(NODE22, [INSPECTOR, '--cli', ...flags, ...environment, '--format', 'json', '-q', '--connect-timeout', '60000',
    '--transport', http ? 'http' : 'stdio', '--protocol-era', era, ...target], { env: cleanEnv(home), cwd: home });
  let json;
  try {
    json = JSON.parse(end.stdout);
  } catch {
    json = undefined;
  }
  return { ...end, json: json?.result ?? json };
}

for (const http of [false, true])
  test(`Inspector over ${http ? 'HTTP' : 'stdio'} drives vaultd and the fixture`, async (t) => {
    const vault = makeVault(t);
    const server = http ? await startHttp(t, { vault }) : null;
    const fixture = http ? await startHttp(t, { program: 'fixture' }) : null;
    for (const era of ['legacy', 'auto', 'modern']) {
      const on = { http, era, url: server?.url, watched: http ? null : watchedCommand(t, { vault }) };
      const onFixture = { http, era, url: fixture?.url, watched: http ? null : watchedCommand(t, { program: 'fixture' }) };

      await t.test(`${era}: tools/list --strict reports no problem`, async () => {
        const got = await inspect(t, on, ['--method', 'tools/list', '--strict']);
        assert.equal(got.code, 0, got.stdout + got.stderr);
        const { tools } = got.json;
        assert.ok(tools.some((tool) => tool.name === 'vault_read'));
      });

      await t.test(`${era}: vault_read with key=value and with JSON arguments`, async () => {
        const note = 'Travel/Café à Paris.md';
        const text = readFileSync(path.join(vault, note), 'utf8');
        const plain = await inspect(t, on, ['--method', 'tools/call', '--tool-name', 'vault_read', '--tool-arg', `path=${note}`]);
        assert.equal(plain.code, 0, plain.stdout + plain.stderr);
        assert.equal(data(plain.json).content, text);
        const json = await inspect(t, on, ['--method', 'tools/call', '--tool-name', 'vault_read', '--tool-args-json', JSON.stringify({ path: note, limit: 1 })]);
        assert.equal(data(json.json).content, lines(text, 1, 1));
      });

      await t.test(`${era}: a tool error is shown as an error`, async () => {
        const got = await inspect(t, on, ['--method', 'tools/call', '--tool-name', 'vault_read', '--tool-arg', 'path=Nope.md']);
        assert.notEqual(got.code, 0);
        assert.match(got.stdout + got.stderr, /FILE_NOT_FOUND/);
      });

      await t.test(`${era}: the fixture's resource, prompt and app`, async () => {
        const read = await inspect(t, onFixture, ['--method', 'resources/read', '--uri', 'test://static-text']);
        assert.equal(read.json.contents[0].text, 'This is the content of the static text resource.');
        const prompt = await inspect(t, onFixture, ['--method', 'prompts/get', '--prompt-name', 'test_prompt_with_arguments', '--prompt-args', 'arg1=a', 'arg2=b']);
        assert.match(prompt.stdout, /arg1='a', arg2='b'/);
        const app = await inspect(t, onFixture, ['--method', 'tools/call', '--tool-name', 'show_graph', '--app-info']);
        assert.equal(app.code, 0, app.stdout + app.stderr);
        assert.match(app.stdout, /ui:\/\/fixture\/graph\.html/);
        const none = await inspect(t, onFixture, ['--method', 'tools/call', '--tool-name', 'echo', '--app-info']);
        assert.equal(none.code, 2, none.stdout + none.stderr);
      });

      if (!http)
        await t.test(`${era}: every server it started exited cleanly`, async () => {
          assert.ok((await on.watched.check()) >= 4);
          assert.ok((await onFixture.watched.check()) >= 4);
        });
    }
  });
