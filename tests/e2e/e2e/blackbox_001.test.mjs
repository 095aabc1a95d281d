// Contract 001 as a client author reads it: written from its text alone.
import assert from 'node:assert/strict';
import test from 'node:test';
import { textOf, changesNothing, vaultOf } from './blackbox.mjs';
import { callTool, letIn, startWithPeople } from './people.mjs';

async function open(t, files) {
  const vault = vaultOf(t, files);
  const server = await startWithPeople(t, { vault, url: 'https://vault.example.com', args: ['--profile', 'vault-sync'] });
  const { token } = await letIn(server);
  const result = async (name, given) => (await callTool(server, token, name, given)).message.result;
  return {
    server, vault, token,
    ok: async (name, given) => {
      const answer = await result(name, given);
      assert.ok(!answer.isError, JSON.stringify(answer));
      return JSON.parse(answer.content[0].text);
    },
    fails: async (code, message, name, given) => {
      const answer = await result(name, given);
      assert.equal(answer.isError, true, JSON.stringify(answer));
      const { error } = JSON.parse(answer.content[0].text);
      assert.deepEqual([error.code, ...(message ? [error.message] : [])], [code, ...(message ? [message] : [])]);
    },
  };
}

test('S1-14 S1-24 S1-25 S1-30 S1-31 S1-41 S1-47 … S1-92 the document\'s answers, key by key', async (t) => {
  const it = await open(t, { 'projects/vault-sync.md': '---\ntags: [project, go]\n---\nline 4\nline 5', 'projects/archive/a.md': '', 'daily/д 1.md': '---\ntags: daily\n---\n', 'pic.png': 'png', '.obsidian/app.json': '{}', 'long.md': 'l\n'.repeat(201) });
  assert.match(it.token, /^[0-9a-f]{64}$/);
  const asked = await fetch(it.server.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
  assert.equal(asked.status, 401);
  assert.ok(asked.headers.get('www-authenticate').startsWith(`Bearer resource_metadata="${it.server.issuer}/.well-known/oauth-protected-resource"`));
  const sent = { client_name: 'Claude', redirect_uris: ['https://claude.ai/oauth/callback'], grant_types: ['authorization_code'], response_types: ['code'], token_endpoint_auth_method: 'none' };
  const got = await (await fetch(`${it.server.origin}/oauth/register`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(sent) })).json();
  assert.match(got.client_id, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  for (const [key, value] of Object.entries(sent)) assert.deepEqual(got[key], value);
  assert.ok(!('client_secret' in got));

  const all = await it.ok('vault_list_all');
  assert.equal(all.total_files, 5);
  assert.deepEqual(Object.keys(all.files[0]), ['path', 'size', 'modified', 'tags']);
  assert.deepEqual(all.files.find((file) => file.path === 'projects/vault-sync.md').tags, ['project', 'go']);
  assert.match(all.files[0].modified, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  const list = await it.ok('vault_list', { path: 'projects' });
  assert.deepEqual([list.path, list.total_entries, list.entries.find((entry) => entry.type === 'folder')], ['/projects', 2, { name: 'archive', type: 'folder', children: 1 }]);
  assert.deepEqual(await it.ok('vault_read', { path: 'projects/vault-sync.md', offset: 4, limit: 1 }), { path: 'projects/vault-sync.md', total_lines: 5, showing: [4, 4], content: 'line 4\n' });
  assert.equal((await it.ok('vault_read', { path: 'long.md' })).truncated, true);
  await changesNothing(it.vault, [
    () => it.fails('FILE_NOT_FOUND', 'File not found: projects/nonexistent.md', 'vault_read', { path: 'projects/nonexistent.md' }),
    () => it.fails('FILE_NOT_FOUND', undefined, 'vault_list', { path: 'nope' }), () => it.fails('PATH_NOT_ALLOWED', undefined, 'vault_list', { path: '..' }),
    () => it.fails('INVALID_RANGE', undefined, 'vault_read', { path: 'long.md', offset: 500 }), () => it.fails('INVALID_RANGE', undefined, 'vault_read', { path: 'long.md', offset: -1 }),
    () => it.fails('PATH_NOT_ALLOWED', undefined, 'vault_write', { path: '.obsidian/app.json', content: 'x' }), () => it.fails('PATH_NOT_ALLOWED', undefined, 'vault_write', { path: 'a/../../x.md', content: 'x' }),
    () => it.fails('TEXT_NOT_FOUND', 'Text not found in file', 'vault_edit', { path: 'long.md', old_text: 'zz', new_text: '' }),
    () => it.fails('TEXT_NOT_UNIQUE', 'Text appears 201 times in file, must be unique', 'vault_edit', { path: 'long.md', old_text: 'l', new_text: '' }),
    () => it.fails('FILE_NOT_FOUND', undefined, 'vault_write', { path: 'no/dir.md', content: 'x', create_dirs: false }),
  ]);
  assert.deepEqual(await it.ok('vault_write', { path: 'new/é.md', content: 'é\n' }), { path: 'new/é.md', created: true, size: 3, total_lines: 1 });
  assert.deepEqual(await it.ok('vault_write', { path: 'new/é.md', content: 'a\nb' }), { path: 'new/é.md', created: false, size: 3, total_lines: 2 });
  assert.deepEqual(await it.ok('vault_edit', { path: 'new/é.md', old_text: 'a\n', new_text: '' }), { path: 'new/é.md', replaced: true, total_lines: 1 });
  assert.equal(textOf(it.vault, 'new/é.md'), 'b');
});

test('S1-66 S1-67 a query is one phrase: separate words on a line of tags do not match (a difference named in docs/profiles.md)', async (t) => {
  const it = await open(t, { 'projects/home-automation.md': '---\ntitle: x\ntags: [heating, controller, go, mqtt]\n---\n', 'projects/heating-system.md': 'the Go-based heating controller communicates\n' });
  const { results, total_matches } = await it.ok('vault_search', { query: 'heating controller' });
  assert.deepEqual(results.map((hit) => [hit.path, hit.match_type, hit.line]), [['projects/heating-system.md', 'content', 1]]);
  assert.equal(total_matches, 1);
});

test('S1-66 S1-70 a tag counts as a tag anywhere, and its line is content (a difference named in docs/profiles.md)', async (t) => {
  const it = await open(t, { 'a.md': '---\ntags: [heating]\n---\n', 'b.md': 'see #heating\n' });
  const { results } = await it.ok('vault_search', { query: 'heating' });
  assert.deepEqual(results.map((hit) => [hit.path, hit.match_type, hit.line]), [['a.md', 'tag', 2], ['b.md', 'tag', 1], ['a.md', 'content', 2], ['b.md', 'content', 1]]);
});
