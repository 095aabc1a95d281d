// A caller with a grant for one folder calls every tool of every set, with every kind of argument, and
// everything else there is to ask. What is in other folders, and their names, appears in no answer.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import test from 'node:test';
import { modernMessage, postModern, tempDir, until, withToken } from '../support.mjs';
import { argumentsFrom } from './every_argument.mjs';
import { letIn, startWithPeople } from './people.mjs';

/*
 * KRYPTON is in the text of everything that is hidden, Zephyr in its names. Calls that name Zephyr themselves
 * may get it back; quartz is a hidden note that visible notes link to.
 */
const CONTENT = /krypton/i, NAMES = /krypton|zephyr/i;

const hiddenNote = (name) => `---
tags: [kryptontag, zephyrtag]
aliases: [Krypton ${name}]
kryptonkey: kryptonvalue
---
# Krypton heading ${name}

kryptonword [[Plan]] [[Zephyr/quartz]] #kryptontag ^kryptonblock

- [ ] krypton task
`;

function put(vault, files) {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
    writeFileSync(path.join(vault, file), text);
  }
}

/** A vault in git: Open is granted; everything else is hidden, and lies in wait. */
function makeVault(t) {
  const top = tempDir(t), vault = path.join(top, 'vault');
  mkdirSync(vault);
  const env = { PATH: process.env.PATH, HOME: top, GIT_CONFIG_NOSYSTEM: '1', GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'a@example.org', GIT_COMMITTER_NAME: 'Ann', GIT_COMMITTER_EMAIL: 'a@example.org' };
  const git = (...args) => execFileSync('git', args, { cwd: vault, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const commit = (subject) => { git('add', '-A', '-f', '.'); git('commit', '--quiet', '-m', subject); };
  git('init', '--quiet', '--initial-branch=main');
  put(vault, {
    'Open/Plan.md': '---\nstatus: open\n---\n# Plan\n\nSee [[quartz]] and ![[quartz#Krypton]]. #visible ^here\n\n- [ ] a task\n'.replace('#Krypton', ''),
    'Open/Other.md': '# Other\n\n[[Plan]], a mention of quartz, [[link]]\n', 'Open/Sub/Deep.md': '# Deep\n\n[[Plan]]\n', 'Open/Data.canvas': '{"nodes":[{"id":"1","type":"file","file":"Open/Plan.md"}],"edges":[]}',
    'Zephyr/quartz.md': hiddenNote('quartz'), 'Zephyr/Zephyr.md': hiddenNote('z'), 'Zephyr/Ask.md': '---\ndescription: kryptonprompt\n---\n#prompt krypton {{thing}}',
    'Zephyr/CLAUDE.md': 'kryptonrules', 'CLAUDE.md': 'kryptonrules', 'AGENTS.md': 'kryptonrules', 'Home.md': hiddenNote('Home'), 'Zephyr/Open/Plan.md': hiddenNote('twin'),
    'Zephyr/Template.md': 'krypton template', 'Zephyr/adr/0001-krypton.md': hiddenNote('adr'), 'Zephyr/moved.md': `${hiddenNote('moved')}${'a line that stays\n'.repeat(30)}`,
    'Zephyr/krypton.canvas': '{"nodes":[{"id":"1","type":"text","text":"krypton"}],"edges":[]}', 'Zephyr/krypton.png': 'krypton',
    '.obsidian/app.json': '{"trashOption":"local","newFileLocation":"folder","newFileFolderPath":"Zephyr/New","attachmentFolderPath":"Zephyr/Files"}',
    '.obsidian/daily-notes.json': '{"folder":"Zephyr/Daily","template":"Zephyr/Template","format":"[Zephyr]-YYYY-MM-DD"}',
    '.obsidian/templates.json': '{"folder":"Zephyr"}', '.obsidian/core-plugins.json': '["daily-notes","templates"]',
    // what Obsidian deletes goes to the trash without its folder
    '.trash/quartz.md': hiddenNote('flat'), '.trash/Open/Plan.md': hiddenNote('a folder Open that was in Zephyr'), '.trash/Open/zephyr.md': hiddenNote('another'),
  });
  symlinkSync('../Zephyr/quartz.md', path.join(vault, 'Open/link.md'));
  symlinkSync('../Zephyr', path.join(vault, 'Open/linkdir'));
  symlinkSync('../.trash', path.join(vault, 'Open/trash'));
  commit('zephyr: krypton begins');
  git('mv', 'Zephyr/moved.md', 'Open/moved.md');
  put(vault, { 'Open/moved.md': `# Moved\n${'a line that stays\n'.repeat(30)}` });
  commit('move it out of zephyr (krypton)');
  put(vault, { 'Open/Plan.md': readFileSync(path.join(vault, 'Open/Plan.md'), 'utf8') + 'more\n', 'Zephyr/quartz.md': `${hiddenNote('quartz')}krypton two\n` });
  commit('both zephyr and open (krypton)');
  put(vault, { 'Open/Plan.md': `${readFileSync(path.join(vault, 'Open/Plan.md'), 'utf8')}and more\n` });
  commit('only open');
  return vault;
}

/* --- arguments from a schema --- */

const PATHS = ['Open/Plan.md', 'Plan', 'Open/link.md', 'link', 'Open/linkdir/quartz.md', 'Open/linkdir', 'Open/trash/quartz.md', 'Open/moved.md', 'quartz', 'quartz.md', 'Zephyr/quartz.md', 'Zephyr', 'Home.md', '',
  '.trash/quartz.md', '.trash/Open/Plan.md', '../vault/Zephyr/quartz.md', 'Open', 'Open/Sub', 'Zephyr/Open/Plan.md'];
const WORDS = ['k', 'krypton', 'quartz', 'task:', 'tag:#k', 'path:Z', '.', 'file.name', 'Plan', 'HEAD', 'HEAD~1', 'HEAD~2', '2020-01-01', '1', 'TABLE file.path', 'true', 'vault:///Open/link.md', 'vault:///Zephyr/quartz.md', '# H', 'visible'];

const argumentsOf = argumentsFrom({
  paths: () => PATHS,
  words: (writes) => [...WORDS, 'Open/link.md', 'quartz'].filter((word) => !writes || !NAMES.test(word)), // what is written may be read
  places: () => ['Open/link.md', 'Open/linkdir/quartz.md', 'quartz', 'quartz.md', 'Open/Plan.md', 'Open/moved.md'],
});

const list = (dir) => readdirSync(dir, { recursive: true }).filter((file) => statSync(path.join(dir, file)).isFile() && !/link|trash/.test(file));

async function asker(t, as) {
  let asked = 0;
  as.agent = new http.Agent({ keepAlive: true }); // a connection for each of thousands of questions would be half of the work
  t.after(() => as.agent.destroy());
  const ask = async (method, params = {}) => {
    const { status, message, text } = await postModern(as, modernMessage(method, params));
    asked++;
    const own = JSON.stringify(params), answer = JSON.stringify(message ?? text);
    // words of the question may come back, also as paths of an error
    const never = NAMES.test(own) ? (CONTENT.test(own) ? /kryptonword|kryptonvalue|krypton (task|two|template|begins)|Krypton heading|kryptonrules/ : CONTENT) : NAMES;
    assert.doesNotMatch(answer, never, `${method} ${own} (${status})`);
    return message;
  };
  return { ask, count: () => asked };
}

/** It does not exist, so every sync fails. */
const remoteOf = (vault) => path.join(vault, '../zephyr-krypton-remote.git');

const SETS = ['default', 'default,chatgpt', 'obsidian-vault-mcp', 'vault-sync', 'obsidian-bundle', 'claude-desktop', 'vault-git'];

for (const tools of SETS)
  test(`SEC-34: ${tools}: nothing outside the granted folder appears in any answer`, async (t) => {
    const vault = makeVault(t);
    const server = await startWithPeople(t, { vault, args: ['--tools', tools, '--git-remote', remoteOf(vault), '--git-branch', 'main', '--git-pull-interval', '0', '--rate-calls', '0', '--rate-writes', '0', '--rate-address', '0', '--auto-context', 'on', '--claude-md'] });
    const owner = withToken(server, (await letIn(server)).token);
    const as = withToken(server, (await letIn(server, { choices: [['access', 'write'], ['where', 'some'], ['folder', 'Open']] })).token);
    const { ask, count } = await asker(t, as);
    const own = (name, args) => postModern(owner, modernMessage('tools/call', { name, arguments: args }));
    if (tools.startsWith('default')) { // a history of hidden changes, and hidden notes in our own trash
      await own('vault_write', { path: 'Zephyr/new.md', content: 'krypton new' });
      await own('vault_edit', { path: 'Zephyr/quartz.md', old_text: 'krypton two', new_text: 'krypton three' });
      await own('vault_delete', { path: 'Zephyr/new.md' });
      await own('vault_move', { path: 'Zephyr/Zephyr.md', to: 'Zephyr/Renamed.md' });
      await own('vault_sync', {});
      await until('the sync has failed', async () => JSON.stringify((await own('vault_sync', { status: true })).message).includes('last_error'));
    }

    const offered = (await ask('tools/list')).result.tools;
    assert.ok(offered.length > 0);
    const safe = (tool) => (tool.annotations?.readOnlyHint ? 0 : 1);
    for (const tool of offered.sort((a, b) => safe(a) - safe(b)))
      for (const args of argumentsOf(tool.inputSchema, safe(tool) > 0)) {
        if (/sync/.test(tool.name) && args.status !== true && Object.keys(args).length > 0) continue;
        // a bare name renames in place, and a name that the client gave itself would be found later
        const named = NAMES.test(args.to ?? '') && !args.to.includes('/') && tool.inputSchema.properties.dry_run;
        await ask('tools/call', { name: tool.name, arguments: named ? { ...args, dry_run: true } : args });
      }

    await ask('server/discover');
    const resources = (await ask('resources/list')).result?.resources ?? [];
    for (const { uri } of resources) await ask('resources/read', { uri });
    for (const at of PATHS) await ask('resources/read', { uri: `vault:///${at}` });
    const refs = ((await ask('resources/templates/list')).result?.resourceTemplates ?? []).map(({ uriTemplate }) => ({ type: 'ref/resource', uri: uriTemplate, names: [...uriTemplate.matchAll(/\{\+?(\w+)\*?\}/g)].map((m) => m[1]) }));
    const prompts = (await ask('prompts/list')).result?.prompts ?? [];
    for (const { name, arguments: given = [] } of prompts) {
      refs.push({ type: 'ref/prompt', name, names: given.map((one) => one.name) });
      for (const value of ['quartz', 'Open/link.md', 'Plan', 'Open', '2026-11-16', 'Zephyr'])
        await ask('prompts/get', { name, arguments: Object.fromEntries(given.map((one) => [one.name, value])) });
    }
    for (const name of ['Ask', 'Zephyr/Ask']) await ask('prompts/get', { name, arguments: { thing: 'x' } });
    for (const { names, ...ref } of refs)
      for (const name of names)
        for (const value of ['', 'q', 'z', 'k', 'Z', 'Open/', 'Open/link', 'Zep'])
          await ask('completion/complete', { ref, argument: { name, value } });
    assert.ok(count() > 200, `only ${count()} questions`);

    // and nothing hidden was copied to where it can be read, or changed
    for (const file of list(path.join(vault, 'Open'))) assert.doesNotMatch(readFileSync(path.join(vault, 'Open', file), 'latin1').replaceAll('[[Zephyr', ''), /kryptonword|krypton (two|three|template)/, file);
    assert.match(readFileSync(path.join(vault, 'Zephyr/quartz.md'), 'utf8'), /^# Krypton heading quartz$/m);
    for (const file of ['Home.md', 'CLAUDE.md', '.trash/quartz.md', '.trash/Open/Plan.md', 'Zephyr/Open/Plan.md']) assert.match(readFileSync(path.join(vault, file), 'utf8'), /krypton/i, file);
  });

test('SEC-34: only what was deleted from where a caller may read comes back from the trash', async (t) => {
  const vault = makeVault(t);
  put(vault, { '.trash/Sub/Gone.md': hiddenNote('of Zephyr/Sub'), '.trash/quartz 1.md': hiddenNote('flat again') });
  const limits = { 'a grant': { folders: ['Open'], args: [] }, 'deny-paths': { folders: [], args: ['--deny-paths', 'Zephyr,Home.md'] } };
  for (const [name, { folders, args }] of Object.entries(limits))
    await t.test(name, async (t) => {
      const server = await startWithPeople(t, { vault, args: [...args, '--auto-context', 'off'] }); // rules of the root are visible here
      const choices = folders.length ? [['access', 'write'], ['where', 'some'], ...folders.map((folder) => ['folder', folder])] : [];
      const { ask } = await asker(t, withToken(server, (await letIn(server, { choices })).token));
      const call = async (tool, args) => (await ask('tools/call', { name: tool, arguments: args })).result;
      for (const at of ['quartz.md', '.trash/quartz.md', 'quartz 1.md', 'Sub/Gone.md', 'Sub', 'Open/Plan.md', 'Open'])
        for (const to of [undefined, 'Open/Back.md', 'Open/Back/'])
          for (const dry_run of [true, false]) {
            const got = await call('vault_delete', { path: at, restore: true, to, dry_run });
            assert.equal(got.isError, true, `${at} ${to}: ${JSON.stringify(got)}`);
            assert.match(JSON.stringify(got), /is not in the trash|not a file|hidden/, at);
          }
      // what is deleted here comes back, though a hidden file is in its place in the trash
      assert.ok(!(await call('vault_delete', { path: 'Open/Plan.md' })).isError);
      assert.ok(!existsSync(path.join(vault, 'Open/Plan.md')));
      assert.match(readFileSync(path.join(vault, '.trash/Open/Plan.md'), 'utf8'), /krypton/);
      const back = await call('vault_delete', { path: 'Open/Plan 1.md', restore: true, to: 'Open/Plan.md' });
      assert.ok(!back.isError, JSON.stringify(back));
      assert.match(readFileSync(path.join(vault, 'Open/Plan.md'), 'utf8'), /^# Plan$/m);
    });
});

test('a folder that the server cannot read is not named', { skip: process.getuid() === 0 && 'root reads anything' }, async (t) => {
  const vault = makeVault(t);
  chmodSync(path.join(vault, 'Zephyr/adr'), 0);
  t.after(() => chmodSync(path.join(vault, 'Zephyr/adr'), 0o700));
  const server = await startWithPeople(t, { vault });
  const { ask } = await asker(t, withToken(server, (await letIn(server, { choices: [['where', 'some'], ['folder', 'Open']] })).token));
  assert.ok(existsSync(vault));
  const info = JSON.parse((await ask('tools/call', { name: 'vault_info', arguments: {} })).result.content[0].text);
  assert.equal(info.unreadable_folders, undefined);
});
