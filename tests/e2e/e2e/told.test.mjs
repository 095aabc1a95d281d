// What answers must say so that a model need not ask again: found by a model that did forty tasks.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { tempDir } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

async function open(t, files) {
  const vault = tempDir(t);
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
    writeFileSync(path.join(vault, file), text);
  }
  const sdk = await connect(t, CONNECTIONS[0], { vault, args: ['--answers', 'text', '--auto-context', 'off'] });
  const ask = async (name, args) => {
    const { content, isError } = await sdk.call({ name, arguments: args });
    return { text: content[0].text, failed: isError === true };
  };
  return {
    read: (file) => readFileSync(path.join(vault, file), 'utf8'),
    async ok(name, args) {
      const { text, failed } = await ask(name, args);
      assert.ok(!failed, text);
      return text;
    },
    async fails(name, args, why) {
      const { text, failed } = await ask(name, args);
      assert.ok(failed, text);
      assert.match(text, why);
    },
  };
}

test('an outline is that of the section that was asked for', async (t) => {
  const s = await open(t, { 'A.md': '# A\n\n## B\n\n### C\n\n## D\n' });
  const lines = async (args) => (await s.ok('vault_read', { path: 'A', view: 'outline', ...args })).split('\n').slice(1, -1);
  assert.deepEqual(await lines({ section: 'B' }), ['3: ## B', '5: ### C']);
  assert.deepEqual(await lines({ section: 'B', offset: 4 }), ['5: ### C']);
  assert.equal((await lines({})).length, 4);
  await s.fails('vault_read', { path: 'A', view: 'outline', section: 'X' }, /X/);
});

test('a line with two links is shown once among backlinks', async (t) => {
  const s = await open(t, { 'A.md': '', 'B.md': 'From [[A]] to [[A|there]].\n\nAnd [[A]] again.\n' });
  assert.equal(await s.ok('vault_links', { path: 'A', direction: 'backlinks' }), 'A.md: 3 backlinks\nB.md\n1: From [[A]] to [[A|there]].\n3: And [[A]] again.\n');
});

test('hubs are listed by the number of links, and advice goes on after the message', async (t) => {
  const linking = Object.fromEntries([...Array(6).keys()].map((i) => [`n${i}.md`, i < 5 ? '[[A]] [[Z]]\n' : '[[Z]]\n']));
  const s = await open(t, { 'A.md': 'a', 'Z.md': 'z', ...linking, 'E.md': '' });
  assert.match(await s.ok('vault_check', { kinds: ['hub_note'] }), /Z\.md\nhub_note: 6 files link here\nA\.md\nhub_note: 5 files link here\n/);
  assert.match(await s.ok('vault_check', { kinds: ['empty_note'] }), /empty_note: The note is empty; write it, or delete it\n/);
});

test('a note from a template is shown, and a byte order mark is not hidden text', async (t) => {
  const s = await open(t, { '.obsidian/templates.json': '{"folder":"T"}', 'T/Meeting.md': '# {{title}}\n\n## People\n', 'Bom.md': '\uFEFFone\n' });
  assert.match(await s.ok('vault_write', { path: 'M.md', template: 'Meeting', content: 'text\n' }), /^created M\.md [^\n]*\n1: # M\n2: \n3: ## People\n[^]*text\n/);
  assert.doesNotMatch(await s.ok('vault_write', { path: 'N.md', content: 'text\n' }), /1: text/);
  const diff = await s.ok('vault_edit', { path: 'Bom', old_text: 'one', new_text: 'two', dry_run: true });
  assert.match(diff, /\n-one\n\+two\n/);
  assert.doesNotMatch(diff, /hidden|FEFF/i);
});

test('a refused undo names the later changes, a rename the heading that it left', async (t) => {
  const s = await open(t, { 'A.md': 'one\n', 'Old.md': '# Old\n' });
  for (const [was, is] of [['one', 'two'], ['two', 'three'], ['three', 'four']]) await s.ok('vault_edit', { path: 'A', old_text: was, new_text: is });
  await s.fails('vault_undo', { change: 1 }, /change 1 was not undone: 'A\.md' has changed since, by changes 3, 2: undo these first/);
  assert.match(await s.ok('vault_move', { path: 'Old', to: 'New' }), /its first heading is still '# Old'/);
  assert.equal(s.read('New.md'), '# Old\n');
});

test('patterns of paths match names in any normal form', async (t) => {
  const s = await open(t, { 'Cafe\u0301/Menu.md': 'soup\n', 'Other/Menu.md': 'soup\n' });
  for (const query of [{ query: 'soup', path_filter: ['Caf\u00e9/**'] }, { query: 'soup path:Caf\u00e9' }]) {
    const text = await s.ok('vault_search', query);
    assert.match(text, /Menu\.md/, JSON.stringify(query));
    assert.doesNotMatch(text, /Other/, JSON.stringify(query));
  }
});

test('the history says which tag or property was renamed', async (t) => {
  const s = await open(t, { 'A.md': '---\nrating: 1\n---\n#book\n' });
  await s.ok('vault_move', { tag: 'book', to: 'novel' });
  await s.ok('vault_move', { property: 'rating', to: 'score' });
  const text = await s.ok('vault_changes', {});
  assert.match(text, /^2 \S+ vault_move[^\n]*, renamed property rating to score: write A\.md\n1 \S+ vault_move[^\n]*, renamed tag book to novel: write A\.md\n/m);
});
