// Tasks as the Tasks plugin has them: vault_task and vaultd task, and queries by their fields.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { VAULTD, assertNoSanitizer, cleanEnv, run, tempDir, until } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const SETTINGS = '.obsidian/plugins/obsidian-tasks-plugin/data.json';
const today = () => new Date().toLocaleDateString('sv'); // of this time zone, as the server's

function put(vault, file, text) {
  mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
  writeFileSync(path.join(vault, file), text);
}

function vaultOf(t, files) {
  const vault = path.join(tempDir(t), 'vault');
  for (const [file, text] of Object.entries(files)) put(vault, file, text);
  return vault;
}

/** A client on a vault with these files; says() calls a tool that must succeed, fails() one that must not. */
async function open(t, files, { row = CONNECTIONS[0], args = [] } = {}) {
  const vault = vaultOf(t, files);
  const sdk = await connect(t, row, { vault, args: ['--answers', 'text', '--auto-context', 'off', ...args] });
  const ask = async (name, wish) => {
    const result = await sdk.call({ name, arguments: wish });
    return { failed: result.isError === true, text: result.content[0].text };
  };
  return {
    sdk,
    vault,
    read: (file) => readFileSync(path.join(vault, file), 'utf8'),
    async says(name, wish) {
      const { failed, text } = await ask(name, wish);
      assert.ok(!failed, text);
      return text;
    },
    async fails(name, wish, why) {
      const { failed, text } = await ask(name, wish);
      assert.ok(failed, text);
      assert.match(text, why);
    },
  };
}

const GARDEN = '# Now\n\n- [ ] water the beans 🔁 every week 📅 2026-11-16\n\t- [ ] fill the can\n- [ ] call Ann #phone\n\n# Later\n\ntext\n';

for (const row of CONNECTIONS.filter(({ name }) => /v1 over stdio|pinned over HTTP/.test(name)))
  test(`one call completes, reopens, re-dates, moves and adds a task: ${row.name}`, async (t) => {
    const s = await open(t, { 'Garden.md': GARDEN, 'Work/Inbox.md': '# Inbox\n\n- [ ] x\n' }, { row });
    const done = await s.says('vault_task', { path: 'Garden', text: 'water the beans', status: 'done' });
    assert.match(done, new RegExp(`^changed Garden\\.md \\(now 10 lines, etag \\w+, change 1\\)\n3: - \\[ \\] water the beans 🔁 every week 📅 2026-11-23\n4: - \\[x\\] water the beans 🔁 every week 📅 2026-11-16 ✅ ${today()}\n$`));
    assert.equal(s.read('Garden.md').split('\n')[4], '\t- [ ] fill the can', 'what belongs to it stays below it');
    await s.says('vault_task', { path: 'Garden', line: 4, text: 'water the beans', status: 'todo' });
    assert.equal(s.read('Garden.md').split('\n')[3], '- [ ] water the beans 🔁 every week 📅 2026-11-16');
    assert.match(await s.says('vault_task', { path: 'Garden', text: 'call Ann', due: '2026-12-01', scheduled: '2026-11-30', start: '2026-11-29', priority: 'high' }),
      /^6: - \[ \] call Ann #phone ⏫ 🛫 2026-11-29 ⏳ 2026-11-30 📅 2026-12-01$/m);
    assert.match(await s.says('vault_task', { path: 'Garden', line: 6, scheduled: '', start: 'none', priority: 'none' }), /^6: - \[ \] call Ann #phone 📅 2026-12-01$/m);
    assert.match(await s.says('vault_task', { path: 'Garden', text: 'call Ann', status: 'cancelled' }), new RegExp(`^6: - \\[-\\] call Ann #phone 📅 2026-12-01 ❌ ${today()}$`, 'm'));
    assert.match(await s.says('vault_task', { path: 'Garden', line: 4, to: 'Inbox#Inbox' }), /^changed Work\/Inbox\.md .*\n4: - \[ \] water the beans 🔁 every week 📅 2026-11-16\n5: \t- \[ \] fill the can\nchanged Garden\.md\n$/);
    assert.match(await s.says('vault_task', { path: 'Inbox', add: 'buy seeds 🔼', due: '2026-12-24', to: '#Inbox' }), /^6: - \[ \] buy seeds 🔼 📅 2026-12-24$/m);
    assert.match(await s.says('vault_task', { path: 'Inbox', text: 'buy seeds', due: '2026-12-24' }), /^unchanged Work\/Inbox\.md/);
    const before = s.read('Work/Inbox.md');
    assert.match(await s.says('vault_task', { path: 'Inbox', text: 'x', status: 'done', dry_run: true }), /dry run, nothing was changed/);
    assert.equal(s.read('Work/Inbox.md'), before);
    await s.says('vault_undo', {});
    assert.doesNotMatch(s.read('Work/Inbox.md'), /buy seeds/);
    await s.sdk.close();
  });

test('a task that is not the one that was read is refused', async (t) => {
  const s = await open(t, { 'A.md': GARDEN, 'B.md': '- [ ] same\n- [ ] same\n- [ ] bad 📅 2026-02-30\n- [ ] odd 🔁 sometimes\n- [ ] once 🏁 delete\n\t- [ ] part\n' });
  await s.fails('vault_task', { path: 'A', line: 3, text: 'call Ann', status: 'done' }, /^line 3 is now '- \[ \] water the beans .*'; the task 'call Ann' is at line 5: give that line$/);
  await s.fails('vault_task', { path: 'A', line: 3, text: 'gone', status: 'done' }, /^line 3 is now '.*', and no task has the text 'gone': read the note again$/);
  await s.fails('vault_task', { path: 'A', text: 'gone', status: 'done' }, /^no task has the text 'gone': read the note again$/);
  await s.fails('vault_task', { path: 'A', line: 9, status: 'done' }, /^line 9 is not a task, it is 'text'$/);
  await s.fails('vault_task', { path: 'B', text: 'same', status: 'done' }, /^2 tasks have the text 'same', at lines 1, 2: give line$/);
  await s.fails('vault_task', { path: 'B', text: 'bad', status: 'done' }, /due date of the task does not exist/);
  await s.fails('vault_task', { path: 'B', text: 'odd', status: 'done' }, /'sometimes' is not a rule/);
  await s.fails('vault_task', { path: 'B', text: 'once', status: 'done' }, /line 6 belongs to it: move or remove it first/);
  await s.fails('vault_task', { path: 'A', text: 'call Ann', status: 'finished' }, /is not a status: use done, todo, cancelled, next/);
  await s.fails('vault_task', { path: 'A', text: 'call Ann', due: 'soon' }, /is not a date \(YYYY-MM-DD\)/);
  await s.fails('vault_task', { path: 'A', text: 'call Ann', priority: 'urgent' }, /is not a priority: use highest/);
  await s.fails('vault_task', { path: 'A', text: 'call Ann' }, /nothing to do/);
  await s.fails('vault_task', { path: 'A', text: 'call Ann', to: '#Nowhere' }, /Heading "Nowhere" not found/);
  await s.fails('vault_task', { path: 'A', text: 'call Ann', to: 'Nothing' }, /File not found: Nothing/);
  /* another program moves the lines after the client has read them */
  await s.says('vault_read', { path: 'A' });
  put(s.vault, 'A.md', GARDEN.replace('- [ ] call Ann', '- [ ] call Bob\n- [ ] call Ann'));
  await s.fails('vault_task', { path: 'A', line: 5, status: 'done' }, /call Bob/);
  assert.equal(s.read('A.md'), GARDEN.replace('- [ ] call Ann', '- [ ] call Bob\n- [ ] call Ann'), 'nothing was changed');
});

test('tasks are steps of a batch', async (t) => {
  const s = await open(t, { 'A.md': GARDEN });
  const step = (text) => ({ tool: 'vault_task', path: 'A', text, status: 'done' });
  await s.fails('vault_batch', { steps: [step('call Ann'), step('gone')] }, /step 2 \(vault_task\): no task has the text 'gone'.*[Nn]othing was changed/s);
  assert.equal(s.read('A.md'), GARDEN);
  assert.match(await s.says('vault_batch', { steps: [step('call Ann'), step('fill the can')] }), /^2 steps/);
  assert.equal(s.read('A.md').match(/\[x\]/g).length, 2);
  await s.says('vault_undo', {});
  assert.equal(s.read('A.md'), GARDEN, 'one undo');
});

test('the settings of the plugin decide, and changes to them are noticed', async (t) => {
  const settings = { globalFilter: '#task', taskFormat: 'dataview', setCreatedDate: true, recurrenceOnNextLine: true, statusSettings: {
    coreStatuses: [{ symbol: ' ', name: 'Todo', nextStatusSymbol: '/', type: 'TODO' }, { symbol: 'x', name: 'Done', nextStatusSymbol: ' ', type: 'DONE' }],
    customStatuses: [{ symbol: '/', name: 'Doing', nextStatusSymbol: 'x', type: 'IN_PROGRESS' }, { symbol: 'w', name: 'Waiting', nextStatusSymbol: 'x', type: 'ON_HOLD' }] } };
  const s = await open(t, { [SETTINGS]: JSON.stringify(settings), 'A.md': '- [ ] #task dig  [repeat:: every day]  [due:: 2026-11-16]\n- [ ] plain [due:: 2026-11-16]\n- [ ] #task wait\n' });
  const line = async (wish, n) => (await s.says('vault_task', { path: 'A', ...wish }), s.read('A.md').split('\n')[n - 1]);
  assert.equal(await line({ text: 'wait', status: 'waiting' }, 3), '- [w] #task wait');
  assert.equal(await line({ text: 'wait', status: 'next' }, 3), `- [x] #task wait  [completion:: ${today()}]`);
  assert.equal(await line({ text: 'plain', status: 'next' }, 2), '- [/] plain [due:: 2026-11-16]', 'only the box');
  await s.fails('vault_task', { path: 'A', text: 'plain', due: '2026-12-01' }, /lacks the global filter '#task'/);
  assert.equal(await line({ text: 'dig', status: 'done' }, 1), `- [x] #task dig  [repeat:: every day]  [due:: 2026-11-16]  [completion:: ${today()}]`);
  assert.equal(s.read('A.md').split('\n')[1], `- [ ] #task dig  [repeat:: every day]  [created:: ${today()}]  [due:: 2026-11-17]`);
  assert.match(await s.says('vault_task', { path: 'A', add: 'new' }), new RegExp(`- \\[ \\] #task new  \\[created:: ${today()}\\]`));
  const query = (where) => s.says('vault_query', { from: 'tasks', where, select: ['task.status.name'] });
  assert.match(await query('task.due exists and task.status.type != done'), /^1 task\n/, 'a checkbox without the filter has no dates');
  assert.match(await query('task.status.type = in_progress'), /\[\/\] plain .* \| Doing$/m);
  put(s.vault, SETTINGS, JSON.stringify({ ...settings, globalFilter: '' }));
  await until('the filter is gone', async () => /^2 tasks\n/.test(await query('task.due exists and task.status.type != done')));
});

test('queries by the fields of tasks', async (t) => {
  const s = await open(t, {
    'A.md': '---\ndue: 2030-01-01\n---\n- [ ] dig 📅 2026-11-16 ⏫ 🆔 dig\n- [ ] sow ⛔ dig,far 📅 2026-11-18\n- [ ] rest 🔽\n',
    'B.md': '- [x] buy 📅 2026-11-10 ✅ 2026-11-12\n- [ ] water 🔁 every week 📅 2026-11-15\n- [ ] read  [due:: 2026-11-17]  [priority:: highest]\n- [ ] weed [effort:: 2]\n',
    'Secret/C.md': '- [ ] hidden 🆔 far 📅 2026-11-01\n- [ ] waits ⛔ water\n',
  }, { args: ['--deny-paths', 'Secret'] });
  const tasks = async (where, more = {}) => (await s.says('vault_query', { from: 'tasks', where, ...more })).match(/^\d+: \[.\] \w+/gm) ?? [];
  assert.deepEqual(await tasks('not task.done and task.due <= 2026-11-17', { sort: ['task.due'] }), ['2: [ ] water', '4: [ ] dig', '3: [ ] read']);
  assert.deepEqual(await tasks('not task.done and task.due exists', { sort: ['-task.due'] }), ['5: [ ] sow', '3: [ ] read', '4: [ ] dig', '2: [ ] water']);
  assert.deepEqual(await tasks('task.priority != none', { sort: ['priority'] }), ['3: [ ] read', '4: [ ] dig', '6: [ ] rest']);
  assert.deepEqual(await tasks('task.blocked'), ['5: [ ] sow']);
  assert.deepEqual(await tasks('task.blocking'), ['4: [ ] dig'], 'no visible task waits for what a caller cannot see');
  assert.deepEqual(await tasks('recurs'), ['2: [ ] water']);
  assert.deepEqual(await tasks('task.completion = 2026-11-12'), ['1: [x] buy']);
  assert.deepEqual(await tasks('due = 2030-01-01'), ['6: [ ] rest'], 'the property of the note, where the task has none');
  assert.deepEqual(await tasks('task.status = todo and task.priority >= high'), ['4: [ ] dig', '3: [ ] read']);
  assert.deepEqual(await tasks('task.status = done'), ['1: [x] buy']);
  assert.deepEqual(await tasks('task.priority < none'), ['6: [ ] rest']);
  assert.deepEqual(await tasks('task.effort > 1'), ['4: [ ] weed'], 'an inline field of the task');
  await s.fails('vault_query', { from: 'tasks', where: 'task.efort > 1' }, /unknown field 'task.efort'/);
  await s.fails('vault_query', { from: 'tasks', where: 'task.priority > hgh' }, /'hgh' is not a priority: use highest, high/);
  assert.match(await s.says('vault_query', { from: 'tasks', where: 'task.blocked', select: ['due', 'task.depends', 'task.status.name'] }), /5: \[ \] sow .* \| 2026-11-18 \| dig, far \| Todo$/m);
  await s.fails('vault_query', { where: 'task.due < today' }, /is a field of tasks; query tasks instead of notes/);
  await s.says('vault_task', { path: 'A', text: 'dig', status: 'done' });
  assert.deepEqual(await tasks('task.blocked'), [], 'the index follows');
});

test('a rule that the plugin does not read is named when the task is done', async (t) => {
  const s = await open(t, { 'A.md': '- [ ] water [repeat:: every week] 📅 2026-11-16\n- [ ] dig 🔁 every week, (deep)\n', 'B.md': '- [ ] sow 🔁 every week  [due:: 2026-11-16]\n' });
  assert.match(await s.says('vault_task', { path: 'A', text: 'water', status: 'done' }),
    new RegExp(`^1: - \\[x\\] water \\[repeat:: every week\\] 📅 2026-11-16 ✅ ${today()}\n\\[no next occurrence was added: the recurrence 'every week' is written for Dataview, and the Tasks plugin of this vault reads only emojis\\]$`, 'm'));
  assert.match(await s.says('vault_task', { path: 'A', text: 'dig', status: 'done' }), /no next occurrence was added: text follows the recurrence/);
  put(s.vault, SETTINGS, '{"taskFormat":"dataview"}');
  await until('the settings are read', async () => /written with an emoji/.test(await s.says('vault_task', { path: 'B', text: 'sow', status: 'done', dry_run: true })));
  await s.says('vault_task', { path: 'B', text: 'sow', status: 'done', to: 'A' });
  assert.match(s.read('A.md'), /\n- \[x\] sow 🔁 every week {2}\[due:: 2026-11-16\] {2}\[completion:: /);
});

test('a date that the plugin does not read is replaced, not doubled', async (t) => {
  const s = await open(t, { 'A.md': '- [ ] call 📅 2026-11-16 before noon\n- [ ] read [due:: 2026-11-16]\n' });
  assert.match(await s.says('vault_task', { path: 'A', line: 1, due: '2026-12-01' }), /^1: - \[ \] call before noon 📅 2026-12-01$/m);
  assert.match(await s.says('vault_task', { path: 'A', line: 2, due: '2026-12-02' }), /^2: - \[ \] read 📅 2026-12-02$/m);
});

test('an answer shows the task, not its neighbours', async (t) => {
  const s = await open(t, { 'A.md': '- [ ] one\n- [ ] two\n- [ ] three 🏁 delete\n- [ ] four\n' });
  const lines = async (wish) => (await s.says('vault_task', { path: 'A', ...wish })).split('\n').slice(1, -1);
  assert.deepEqual(await lines({ text: 'two', remove: true }), ['removed: - [ ] two']);
  assert.deepEqual(await lines({ text: 'three', status: 'done' }), ['removed: - [ ] three 🏁 delete']);
  assert.deepEqual(await lines({ text: 'one', to: 'A' }), ['2: - [ ] one']);
});

test('links to the block of a task move with it', async (t) => {
  const s = await open(t, {
    'A.md': 'See [[#^beans]].\n\n- [ ] water, see [[#Later]] ^beans\n\t- [ ] fill ^can\n\n# Later\n',
    'B.md': '# In\n\n- [ ] x ^mine\n', 'C.md': '[[A#^beans]], ![[A#^can|can]], [[A#Later]]\n', 'D.md': '- [ ] y ^mine\n',
  });
  const said = await s.says('vault_task', { path: 'A', text: 'water', status: 'done', to: 'B#In' });
  assert.match(said, /^changed B\.md \(rewrote 4 links in 1 note, /);
  assert.equal(s.read('A.md'), 'See [[B#^beans]].\n\n\n# Later\n');
  assert.equal(s.read('B.md'), `# In\n\n- [ ] x ^mine\n- [x] water, see [[A#Later]] ✅ ${today()} ^beans\n\t- [ ] fill ^can\n`);
  assert.equal(s.read('C.md'), '[[B#^beans]], ![[B#^can|can]], [[A#Later]]\n');
  await s.fails('vault_task', { path: 'D', text: 'y', to: 'B' }, /'B\.md' already has a block 'mine'/);
  await s.says('vault_undo', {});
  assert.equal(s.read('C.md'), '[[A#^beans]], ![[A#^can|can]], [[A#Later]]\n');
});

test('a checkbox without the global filter has no fields, also for names without task.', async (t) => {
  const s = await open(t, { 'A.md': '- [ ] plain [due:: 2026-11-16]\n- [ ] real #task [due:: 2026-11-17]\n', 'B.md': '---\ndue: 2026-11-18\n---\n- [ ] other [due:: 2026-11-19]\n', [SETTINGS]: '{"globalFilter":"#task"}' });
  const found = async (where) => (await s.says('vault_query', { from: 'tasks', where })).match(/\[.\] \w+/g);
  assert.deepEqual(await found('due exists'), ['[ ] real', '[ ] other']);
  assert.deepEqual(await found('due = 2026-11-18'), ['[ ] other'], 'the property of the note');
});

/* --- command line --- */

test('vaultd task and vaultd tasks', async (t) => {
  const vault = vaultOf(t, { 'A.md': GARDEN, 'Work/B.md': '# In\n\n- [ ] late 📅 2026-01-01 🔽\n- [x] over 📅 2026-01-01\n' });
  const home = tempDir(t);
  const env = cleanEnv(home, { STATE_DIR: path.join(home, 'state'), VAULT_PATH: vault });
  const cli = async (code, ...args) => {
    const end = await run(VAULTD, args, { env });
    assertNoSanitizer(end.stderr, args.join(' '));
    assert.equal(end.code, code, end.stderr);
    return code === 0 ? end.stdout : end.stderr;
  };
  const read = (file) => readFileSync(path.join(vault, file), 'utf8');
  assert.equal(await cli(0, 'tasks', '--due', '2026-11-16'), 'Work/B.md:3:[ ] late 📅 2026-01-01 🔽\nA.md:3:[ ] water the beans 🔁 every week 📅 2026-11-16\n');
  assert.equal(await cli(0, 'tasks', '--due', '100y', '--priority', 'low', '--folder', 'Work'), 'Work/B.md:3:[ ] late 📅 2026-01-01 🔽\n');
  assert.equal(await cli(1, 'tasks', '--priority', 'high'), '');
  assert.match(await cli(2, 'tasks', '--due', 'soon'), /'soon' is not a date/);
  assert.match(await cli(2, 'tasks', '--priority', 'urgent'), /'urgent' is not a priority/);
  await cli(0, 'task', 'A.md:3', '--done');
  assert.deepEqual(read('A.md').split('\n').slice(2, 4), ['- [ ] water the beans 🔁 every week 📅 2026-11-23', `- [x] water the beans 🔁 every week 📅 2026-11-16 ✅ ${today()}`]);
  await cli(0, 'task', 'A', 'call Ann', '--due', 'none', '--priority', 'medium', '--to', 'B#In');
  assert.match(read('Work/B.md'), /\n- \[ \] call Ann #phone 🔼\n$/);
  await cli(0, 'task', 'A', 'buy seeds', '--add', '--scheduled', '2026-12-01', '--to', '#Later');
  assert.match(read('A.md'), /\n- \[ \] buy seeds ⏳ 2026-12-01\n$/);
  assert.match(await cli(2, 'task', 'A', 'nothing', '--done'), /no task has the text 'nothing'/);
  await cli(0, 'task', 'A.md:4', '--todo');
  assert.equal(read('A.md').split('\n')[3], '- [ ] water the beans 🔁 every week 📅 2026-11-16');
  assert.match(await cli(2, 'task', 'A.md:4', '--todo', '--done'), /only one of --done, --todo and --status/);
  await cli(0, 'undo');
  assert.match(await cli(2, 'task', 'A', 'seeds'), /nothing to do: give --done/);
  assert.match(await cli(0, 'task', 'A', 'seeds', '--status', 'cancelled', '--dry-run'), /\+- \[-\] buy seeds/);
  await cli(0, 'undo');
  assert.doesNotMatch(read('A.md'), /buy seeds/);
});
