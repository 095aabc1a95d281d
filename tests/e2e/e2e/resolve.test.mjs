// vaultd sync resolve: which version of a note to keep, whichever program has put the other one beside it.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, assertNoSanitizer, cleanEnv, run, tempDir } from '../support.mjs';

const hasScript = ['/usr/bin/script', '/bin/script'].some((f) => existsSync(f));
const CALLOUT = '> [!warning] Conflict with [[Git]]\n> Ann changed the same lines elsewhere (2026-11-16, commit 1234567). Copy what you need, then delete this note.\n\n';

function makeConflicts(t) {
  const dir = tempDir(t), vault = path.join(dir, 'vault');
  mkdirSync(path.join(vault, '.obsidian'), { recursive: true });
  for (const [name, text] of Object.entries({
    'Plan.md': '---\ntags: [a]\n---\n# Plan\n\n- one\n- mine\n- end\n',
    'Plan.sync-conflict-20261116-120000-ABC1234.md': '---\ntags: [b]\n---\n# Plan\n\n- one\n- theirs\n- end\n- new\n',
    'Git.md': 'ours\n',
    'Git (conflict 2026-11-16 from Ann).md': `${CALLOUT}of Ann\n`,
    'Alone.sync-conflict-20261116-120000-ABC1234.md': 'its note is gone\n',
  })) writeFileSync(path.join(vault, name), text);
  const env = cleanEnv(dir, { STATE_DIR: path.join(dir, 'state'), VAULT_PATH: vault });
  return {
    env,
    dir,
    text: (name) => readFileSync(path.join(vault, name), 'utf8'),
    names: () => readdirSync(vault).filter((name) => name.endsWith('.md')).sort(),
    run: async (...args) => {
      const end = await run(VAULTD, ['sync', 'resolve', ...args], { env });
      assertNoSanitizer(end.stderr, args.join(' '));
      return end;
    },
  };
}

test('a pipe lists the conflicts, of all programs; a version is kept with --keep', async (t) => {
  const v = makeConflicts(t), before = v.names();
  const list = await v.run();
  assert.deepEqual([list.code, list.stdout], [0, 'Git.md  Git (conflict 2026-11-16 from Ann).md\nPlan.md  Plan.sync-conflict-20261116-120000-ABC1234.md\n']);
  assert.deepEqual(JSON.parse((await v.run('--json')).stdout).conflicts.map((c) => c.path), ['Git.md', 'Plan.md']);
  const dry = await v.run('Git', '--keep', 'theirs', '--dry-run');
  assert.match(dry.stdout, /^-ours\n\+of Ann$/m);
  assert.deepEqual(v.names(), before);

  const theirs = await v.run('Git', '--keep', 'theirs');
  assert.match(theirs.stdout, /^kept theirs of Git\.md\nchange 1; undo it with vaultd undo 1\n$/);
  assert.equal(v.text('Git.md'), 'of Ann\n', 'without the callout');
  const both = await v.run('Plan', '--keep', 'both');
  assert.equal(both.code, 0, both.stderr);
  assert.equal(v.text('Plan.md'), '---\ntags: [a]\n---\n# Plan\n\n- one\n- mine\n- theirs\n- end\n- new\n');
  assert.deepEqual(v.names(), ['Alone.sync-conflict-20261116-120000-ABC1234.md', 'Git.md', 'Plan.md']);
  assert.equal((await v.run()).code, 1, 'there are none any more');

  // One undo restores the note and the copy.
  assert.equal((await run(VAULTD, ['undo'], { env: v.env })).code, 0);
  assert.match(v.text('Plan.md'), /- mine\n- end\n$/);
  assert.match(v.text('Plan.sync-conflict-20261116-120000-ABC1234.md'), /- theirs/);
  const mine = await v.run('--keep', 'mine');
  assert.match(mine.stdout, /kept mine of Plan\.md/);
  assert.match(v.text('Plan.md'), /- mine\n- end\n$/);
  assert.match((await v.run('Plan')).stderr, /'Plan\.md' has no conflict copy/);
});

test('on a terminal both versions are shown, and it asks', { skip: !hasScript && 'needs script of util-linux' }, async (t) => {
  const v = makeConflicts(t);
  const end = await run('script', ['-qefc', `stty cols 80; '${VAULTD}' sync resolve`, '/dev/null'], { env: { ...v.env, PATH: '/usr/bin:/bin', TERM: 'dumb', SHELL: '/bin/sh' }, input: '1\n4\n' });
  assert.match(end.stdout, /Git\.md[^]*-ours[^]*\+of Ann[^]*1 {2}later[^]*Plan\.md[^]*kept both of Plan\.md/);
  assert.equal(v.text('Git.md'), 'ours\n');
  assert.match(v.text('Plan.md'), /- mine\n- theirs\n/);
});
