// docs/answers.md: the page itself, and that tools and command line give the same answers.
// Real answers are checked against it wherever a test calls a tool or a verb (support.mjs).
import assert from 'node:assert/strict';
import { appendFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { SHAPES } from '../answers.mjs';
import { VAULTD, cleanEnv, copyVault, run, startStdio, tempDir } from '../support.mjs';

test('every tool and every verb with --json has a documented shape', async (t) => {
  const io = startStdio(t);
  await io.initialize();
  const { tools } = (await io.request('tools/list')).result;
  for (const { name } of tools) assert.ok(SHAPES.tools[name], name);
  const env = cleanEnv(tempDir(t));
  const verbs = [...(await run(VAULTD, ['help', 'all'], { env })).stdout.matchAll(/^  vaultd (\S+)/gm)];
  assert.ok(verbs.length > Object.keys(SHAPES.verbs).length, 'there are more verbs than those that answer');
  for (const [, verb] of verbs) {
    const help = (await run(VAULTD, [verb, '--help'], { env })).stdout;
    const answers = help.includes('--json') && !['init', 'serve', 'audit'].includes(verb); // lines of docs/audit.md
    assert.equal(verb in SHAPES.verbs, answers, verb);
  }
});

test('every shape has a section with a matching example', () => {
  const names = new Set([...Object.values(SHAPES.tools), ...Object.values(SHAPES.verbs)].flat());
  for (const name of names) {
    const section = SHAPES.text.split(/^## /m).find((s) => s.startsWith(`${name}\n`));
    assert.ok(section?.includes(`type ${name} =`), name);
    const example = section.match(/^```json\n(.*)\n```$/m)?.[1];
    if (name !== 'guide') SHAPES.check([name], JSON.parse(example), name);
  }
});

test('a field missing from the page is a failure', () => {
  const good = { tag: 'a', total: 1, notes: ['x.md'] };
  SHAPES.check(['tagged'], good, 'good');
  for (const bad of [{ ...good, more: 1 }, { tag: 'a', total: 1 }, { ...good, total: 'one' }, { ...good, notes: [1] }, []])
    assert.throws(() => SHAPES.check(['tagged'], bad, 'bad'), /tagged/);
});

/* The same questions: tool and arguments, verb and words. */
const SAME = [
  ['vault_search', { query: 'garden', max_results: 100 }, 'search garden -n 100'],
  ['vault_search', { query: 'garden bed', mode: 'words' }, 'search -m words -n 20 garden bed'],
  ['vault_search', { query: 'b[ae]d', mode: 'regex', folder: 'Areas', max_results: 3, offset: 2 }, 'search -m regex -n 3 --offset 2 --folder Areas b[ae]d'],
  ['vault_search', { query: 'tag:#project', mode: 'query' }, 'search -m query -n 20 tag:#project'],
  ['vault_links', { path: 'Home', direction: 'outgoing', limit: 1000 }, 'links Home'],
  ['vault_links', { path: 'Garden', direction: 'backlinks', limit: 1000 }, 'links -b Garden'],
  ['vault_links', { path: 'Garden', direction: 'mentions', limit: 200 }, 'links -m Garden'],
  ['vault_links', { path: 'Garden', direction: 'related', limit: 5 }, 'related Garden -n 5'],
  ['vault_links', { path: 'Garden', direction: 'neighbours', depth: 2, limit: 1000 }, 'links --depth 2 Garden'],
  ['vault_links', { path: 'Home', direction: 'path', to: 'Compost' }, 'links --to Compost Home'],
  ['vault_links', { direction: 'unresolved' }, 'links --unresolved'],
  ['vault_links', { direction: 'orphans', limit: 1000 }, 'links --orphans'],
  ['vault_list', { path: 'Areas/Garden' }, 'list Areas/Garden'],
  ['vault_list', { recursive: true, path: 'Projects' }, 'list -r Projects'],
  ['vault_query', { from: 'tags', limit: 1000 }, 'tags'],
  ['vault_check', { kinds: ['broken_link'], limit: 2 }, 'check --kind broken_link -n 2'],
  ['vault_query', { where: 'status exists', select: ['status', 'due'], sort: ['-due'], limit: 100 }, 'query -s status,due --sort=-due', 'status exists'],
  ['vault_query', { where: 'not task.done', from: 'tasks', limit: 5 }, 'query --tasks -n 5', 'not task.done'],
  ['vault_query', { where: 'status exists', group: 'status' }, 'query --group status', 'status exists'],
  ['vault_query', { from: 'properties', limit: 1000 }, 'properties'],
  ['vault_query', { where: 'statuss = done', count: true }, 'query --count', 'statuss = done'],
  ['vault_read', { path: 'Garden', limit: 0 }, 'read Garden'],
  ['vault_read', { path: 'Garden', section: 'Rules' }, 'read Garden --section Rules'],
  ['vault_read', { path: 'Garden', block: 'watering-rule' }, 'read Garden --block watering-rule'],
  ['vault_read', { path: 'Garden', view: 'outline' }, 'read Garden --outline'],
  ['vault_read', { path: 'Garden', offset: 5, limit: 4 }, 'read Garden --from 5 --lines 4'],
  ['vault_changes', {}, 'changes'],
];

test('a tool and its verb give the same answer', async (t) => {
  const vault = copyVault(t), state = tempDir(t);
  appendFileSync(path.join(vault, 'Inbox.md'), '\nGarden and compost\n');
  const io = startStdio(t, { vault, state });
  await io.initialize();
  await io.call('vault_write', { path: 'zz/Alone.md', content: 'alone\n' });
  await io.call('vault_write', { path: 'Alone too.md', content: 'alone\n' });
  const env = cleanEnv(tempDir(t), { STATE_DIR: state, VAULT_PATH: vault });
  for (const [tool, args, line, ...words] of SAME) {
    const { result } = await io.call(tool, args);
    const { stdout, stderr } = await run(VAULTD, [...line.split(' '), '--json', ...words], { env });
    assert.equal(stdout.trimEnd(), result.content[0].text, `${tool} ${JSON.stringify(args)} and vaultd ${line}: ${stderr}`);
  }
});
