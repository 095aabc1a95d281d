// Boards of the Kanban plugin: read as lanes and cards, changed by vault_task and vaultd task.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { VAULTD, cleanEnv, run, tempDir } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const HEAD = '---\n\nkanban-plugin: board\n\n---\n\n';
const SETTINGS = '%% kanban:settings\n```\n{"kanban-plugin":"board","list-collapse":[false,false,true]}\n```\n%%';
const LANES = '## Todo\n\n- [ ] first @{2026-12-01}\n\tmore of it\n- [ ] water 🔁 every day 📅 2026-11-17\n\n\n## Doing (1)\n\n- [ ] now\n\n\n## Done\n\n**Complete**\n- [x] old\n\n\n\n\n';
const BOARD = HEAD + LANES + SETTINGS;

async function open(t, { tasks = false } = {}) {
  const vault = tempDir(t);
  writeFileSync(path.join(vault, 'Board.md'), BOARD);
  writeFileSync(path.join(vault, 'Note.md'), '# Note\n\n- [ ] from elsewhere\n');
  if (tasks) {
    const dir = path.join(vault, '.obsidian/plugins/obsidian-tasks-plugin');
    mkdirSync(dir, { recursive: true });
    writeFileSync(path.join(dir, 'data.json'), '{"setDoneDate":true}');
  }
  const sdk = await connect(t, CONNECTIONS[0], { vault, args: ['--answers', 'text', '--auto-context', 'off'] });
  const ask = async (name, args) => {
    const { content, isError } = await sdk.call({ name, arguments: args });
    return { text: content[0].text, failed: isError === true };
  };
  return {
    vault,
    text: () => readFileSync(path.join(vault, 'Board.md'), 'utf8'),
    async ok(name, args) {
      const { text, failed } = await ask(name, args);
      assert.ok(!failed, text);
      return text;
    },
    async task(args) {
      return this.ok('vault_task', { path: 'Board', ...args });
    },
    async fails(args, message) {
      const { text, failed } = await ask('vault_task', { path: 'Board', ...args });
      assert.ok(failed, text);
      assert.match(text, message);
    },
  };
}

test('a board is read as it is, with its lanes counted, or as lanes and cards', async (t) => {
  const v = await open(t);
  const read = await v.ok('vault_read', { path: 'Board' });
  assert.ok(read.includes(LANES));
  assert.match(read, /\n\[a board: Todo 2, Doing 1 of 1, Done 1\]\n$/);
  const outline = await v.ok('vault_read', { path: 'Board', view: 'outline' });
  assert.equal(outline.split('\n').slice(1).join('\n'), ['7: ## Todo (2 cards)', '9: - [ ] first @{2026-12-01}', '    more of it',
    '11: - [ ] water 🔁 every day 📅 2026-11-17', '14: ## Doing (1 card, at most 1)', '16: - [ ] now', '19: ## Done (1 card, checks off)', '22: - [x] old', ''].join('\n'));
});

test('cards are added, moved, put at a position, removed; the settings stay', async (t) => {
  const v = await open(t);
  await v.task({ add: 'new card\nwith two lines', lane: 'todo' });
  assert.equal(v.text(), BOARD.replace('2026-11-17\n', '2026-11-17\n- [ ] new card\n\twith two lines\n'));
  await v.task({ text: 'new card', position: 1 });
  assert.equal(v.text(), BOARD.replace('## Todo\n\n', '## Todo\n\n- [ ] new card\n\twith two lines\n'));
  await v.task({ text: 'new card', remove: true });
  assert.equal(v.text(), BOARD);
  const said = await v.task({ text: 'first', to: '#Doing' });
  assert.match(said, /the lane 'Doing' has 2 cards, more than its limit of 1/);
  assert.equal(v.text(), BOARD.replace('- [ ] first @{2026-12-01}\n\tmore of it\n', '').replace('- [ ] now\n', '- [ ] now\n- [ ] first @{2026-12-01}\n\tmore of it\n'));
  await v.ok('vault_undo', {});
  assert.equal(v.text(), BOARD);
});

test('a lane with Complete checks off, leaving it opens again', async (t) => {
  const v = await open(t);
  await v.task({ text: 'now', lane: 'Done' });
  assert.equal(v.text(), BOARD.replace('- [ ] now\n', '').replace('- [x] old\n', '- [x] old\n- [x] now\n'));
  await v.task({ text: 'now', line: 22, lane: '2' });
  assert.equal(v.text(), BOARD);
});

test('where Tasks is used, a card is completed by its rules', async (t) => {
  const v = await open(t, { tasks: true });
  await v.task({ text: 'water', lane: 'Done', position: 1 });
  const now = v.text();
  assert.match(now, /## Todo\n\n- \[ \] first @\{2026-12-01\}\n\tmore of it\n- \[ \] water 🔁 every day 📅 2026-11-18\n\n\n## Doing/, 'the next one stays');
  assert.match(now, /\*\*Complete\*\*\n- \[x\] water 🔁 every day 📅 2026-11-17 ✅ \d{4}-\d\d-\d\d\n- \[x\] old\n/);
  assert.ok(now.endsWith(SETTINGS));
});

test('the archive is made where the plugin puts it', async (t) => {
  const v = await open(t);
  await v.task({ text: 'old', archive: true, line: 22 });
  assert.equal(v.text(), HEAD + LANES.replace('- [x] old\n\n\n\n\n', '\n\n***\n\n## Archive\n\n- [x] old\n\n') + SETTINGS);
  await v.task({ text: 'now', archive: true });
  assert.ok(v.text().endsWith(`## Archive\n\n- [x] old\n- [ ] now\n\n${SETTINGS}`));
});

test('a task from another note comes into a lane, never after the settings', async (t) => {
  const v = await open(t);
  await v.ok('vault_task', { path: 'Note', text: 'from elsewhere', to: 'Board#Done' });
  assert.equal(v.text(), BOARD.replace('- [x] old\n', '- [x] old\n- [ ] from elsewhere\n'));
  await v.fails({ add: 'nowhere' }, /lane is missing: the board has Todo, Doing, Done/);
  await v.fails({ text: 'now', lane: 'Later' }, /no lane 'Later'; the board has Todo, Doing, Done/);
  await v.fails({ text: 'now', lane: 'Done', archive: true }, /only one of/);
  await v.fails({ path: 'Note', add: 'x', lane: 'Done' }, /is not a board/);
});

test('vaultd task and vaultd read', async (t) => {
  const v = await open(t);
  const vaultd = (...args) => run(VAULTD, [...args, '--vault-path', v.vault, '--state-dir', path.join(v.vault, '../state-of-cli')], { env: cleanEnv() });
  const { code, stderr } = await vaultd('task', 'Board', 'now', '--lane', 'Todo', '--position', '1');
  assert.equal(code, 0, stderr);
  assert.equal(v.text(), BOARD.replace('- [ ] now\n', '').replace('## Todo\n\n', '## Todo\n\n- [ ] now\n'));
  assert.match((await vaultd('read', 'Board', '--outline')).stdout, /^7: ## Todo \(3 cards\)\n9: - \[ \] now\n/);
  const { board } = JSON.parse((await vaultd('read', 'Board', '--outline', '--json')).stdout);
  assert.deepEqual(board.slice(0, 2), [{ lane: 'Todo', line: 7, cards: 3 }, { line: 9, status: ' ', text: 'now' }]);
  assert.equal(board[2].date, '2026-12-01');
});
