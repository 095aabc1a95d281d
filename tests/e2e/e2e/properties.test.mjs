// Types and schemas of properties (docs/schemas.md), and the rules of a folder that come with the first change there.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { Session, VAULTD, cleanEnv, modernMessage, postModern, run, startHttp, startStdio, tempDir, until } from '../support.mjs';

const NOTES = {
  '.obsidian/types.json': '{"types":{"pinned":"checkbox"}}',
  'Home.md': '---\npinned: true\n---\nhome\n',
  'Books/About.md': '---\nschema:\n  status: [to read, read]\n  author: {required: true}\n---\nBooks.\n',
  'Books/Dune.md': '---\nauthor: Herbert\nstatus: read\n---\ntext\n', 'Books/Bad.md': '---\nstatus: done\n---\n',
  'Books/CLAUDE.md': '---\ntags: [x]\n---\nWrite the title in the original language.\n', 'CLAUDE.md': 'Be brief.\n', 'Secret/CLAUDE.md': '---\nai: hidden\n---\nzephyr\n',
};

function makeVault(t) {
  const vault = tempDir(t);
  for (const [name, text] of Object.entries(NOTES)) {
    mkdirSync(path.dirname(path.join(vault, name)), { recursive: true });
    writeFileSync(path.join(vault, name), text);
  }
  return vault;
}

const textOf = (answer) => answer.result.content.map((block) => block.text).join('\n---\n');

test('a client is warned or refused, the owner is warned, and vault_check finds what is there', async (t) => {
  const vault = makeVault(t), env = cleanEnv(tempDir(t)), state = path.join(tempDir(t), 'state');
  const owner = (...args) => run(VAULTD, [...args, '--vault-path', vault, '--state-dir', state], { env });
  const own = await owner('frontmatter', 'Home', 'pinned=maybe');
  assert.equal(own.code, 0, own.stderr);
  assert.match(own.stdout, /note: 'Home.md': 'pinned' is a checkbox \(true or false\), but here the text 'maybe' \(types.json of Obsidian\)/);
  const found = await owner('check', '--kind', 'property_value');
  assert.equal(found.code, 1);
  assert.match(found.stdout, /'author' is required, but has no value \(Books\/About.md\)/);
  assert.match(found.stdout, /'status' is one of 'to read', 'read', but here the text 'done'/);
  const changed = await owner('frontmatter', 'Books/About', '--remove', 'other');
  assert.equal(changed.code, 0, changed.stderr);
  await owner('insert', 'Books/About', 'More.');
  const io = startStdio(t, { vault, state, args: ['--schema-policy', 'enforce'] });
  await io.initialize();
  const refused = await io.call('vault_frontmatter', { path: 'Books/Dune', set: { status: 'burnt' } });
  assert.match(textOf(refused), /PROPERTY_NOT_ALLOWED[^]*'status' is one of/);
  assert.equal(readFileSync(path.join(vault, 'Books/Dune.md'), 'utf8'), NOTES['Books/Dune.md']);
  assert.match(textOf(await io.call('vault_undo')), /POLICY_NOT_ALLOWED/); // what the owner wrote into the schema
  assert.match(textOf(await io.call('vault_check', { kinds: ['property_value'] })), /Books\/Bad.md/);
  await io.eof();
});

test('what a client proposes is checked, too', async (t) => {
  const io = startStdio(t, { vault: makeVault(t), args: ['--writes', 'propose'] });
  await io.initialize();
  assert.match(textOf(await io.call('vault_frontmatter', { path: 'Books/Dune', set: { status: 'burnt' } })), /waiting for review[^]*'status' is one of|'status' is one of[^]*waiting for review/);
  await io.eof();
  // a proposal changes no schema that is enforced, nor does one that a person would accept in part
  const bound = startStdio(t, { vault: makeVault(t), args: ['--writes', 'propose', '--schema-policy', 'enforce'] });
  await bound.initialize();
  for (const steps of [[{ tool: 'vault_edit', path: 'Books/About', old_text: 'read]', new_text: 'read, burnt]' }], [{ tool: 'vault_insert', path: 'Home', content: 'x' }, { tool: 'vault_move', path: 'Books/About', to: 'Home/About.md' }],
    [{ tool: 'vault_write', path: 'New.md', content: '---\nschema-for: Books\nschema: {status: text}\n---\n' }], [{ tool: 'vault_move', property: 'schema', to: 'plan' }], [{ tool: 'vault_delete', path: 'Books', recursive: true }]])
    assert.match(textOf(await bound.call('vault_batch', { steps })), /POLICY_NOT_ALLOWED/, JSON.stringify(steps));
  assert.match(textOf(await bound.call('vault_frontmatter', { path: 'Books/Dune', set: { status: 'burnt' } })), /PROPERTY_NOT_ALLOWED/);
  assert.doesNotMatch(textOf(await bound.call('vault_changes')), /waiting/);
  await bound.eof();
});

test('the rules of a folder come once, in both eras, with proposals, and never hidden ones', async (t) => {
  const vault = makeVault(t);
  const rules = /Books\/CLAUDE.md\\nWrite the title in the original language/;
  for (const args of [[], ['--writes', 'propose']]) {
    const io = startStdio(t, { vault: makeVault(t), args });
    await io.initialize();
    assert.doesNotMatch(JSON.stringify(await io.call('vault_read', { path: 'Books/Dune' })), rules);
    const first = JSON.stringify(await io.call('vault_insert', { path: 'Books/Dune', content: 'a' }));
    assert.match(first, rules);
    assert.match(first, /Be brief/);
    for (const place of ['Books/Dune', 'Books/Bad']) assert.doesNotMatch(JSON.stringify(await io.call('vault_insert', { path: place, content: 'b' })), /Write the title|Be brief/);
    assert.doesNotMatch(JSON.stringify(await io.call('vault_write', { path: 'Secret/New', content: 'c' })), /zephyr/);
    await io.eof();
  }
  const server = await startHttp(t, { vault, args: ['--claude-md'] });
  const modern = async (name, args) => JSON.stringify((await postModern(server, modernMessage('tools/call', { name, arguments: args }))).message);
  assert.match(await modern('vault_insert', { path: 'Books/Dune', content: 'a', dry_run: true }), rules);
  assert.doesNotMatch(await modern('vault_insert', { path: 'Books/Dune', content: 'b' }), rules);
  const session = await Session.open(server, '2025-11-25');
  const first = (await session.call('vault_insert', { path: 'Books/Dune', content: 'c' })).text;
  assert.ok(first.includes('Write the title') && !first.includes('Be brief'), first); // the instructions have those of the root
  // rules that have changed are sent again
  writeFileSync(path.join(vault, 'Books/CLAUDE.md'), `${'A long rule. '.repeat(600)}\n`);
  await until('the index has them', async () => (await session.call('vault_read', { path: 'Books/CLAUDE.md' })).text.includes('long rule'));
  const again = (await session.call('vault_insert', { path: 'Books/Dune', content: 'd' })).text;
  assert.match(again, /cut after 4096 of \d+ bytes: read it with vault_read/);
  // what people do not see in them is flagged
  writeFileSync(path.join(vault, 'Books/CLAUDE.md'), 'Seen.<!-- and obey this -->\n');
  await until('the index has them', async () => (await session.call('vault_read', { path: 'Books/CLAUDE.md' })).text.includes('Seen.'));
  assert.match((await session.call('vault_insert', { path: 'Books/Dune', content: 'e' })).text, /\[hidden text: html_comment in line 1\. People do not see it/);
  const silent = startStdio(t, { vault: makeVault(t), args: ['--auto-context', 'off'] });
  await silent.initialize();
  assert.doesNotMatch(JSON.stringify(await silent.call('vault_insert', { path: 'Books/Dune', content: 'a' })), rules);
  await silent.eof();
});
