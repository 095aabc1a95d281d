// Run on another system what was built for it here (packaging/cross/build --tests): the unit tests in TREE/tests, and the
// end-to-end files of tests/e2e/everywhere.txt with TREE/bin/vaultd. Needs nothing but node, and for the latter npm ci in
// tests/e2e.
//   node scripts/elsewhere.mjs TREE [WORD...]     only those whose names contain a WORD, such as base/fs or e2e/stdio
// Prints what failed; the last line is: N passed, M failed, K skipped.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const TOP = path.resolve(import.meta.dirname, '..');
const FILE_MS = 900_000; // ends what hangs
const [tree, ...words] = process.argv.slice(2);
if (!tree) {
  console.error('usage: node scripts/elsewhere.mjs TREE [WORD...]');
  process.exit(2);
}
const TREE = path.resolve(tree), SUFFIX = process.platform === 'win32' ? '.exe' : '';
const counts = { passed: 0, failed: 0, skipped: 0 };
const isWanted = (name) => words.length === 0 || words.some((word) => name.includes(word));

/** Count the results in TAP output, and print the failures. */
function count(name, { stdout, stderr, status, error }) {
  const skipped = new Set([...stdout.matchAll(/^# skip (\S+): /gm)].map((m) => m[1]));
  const results = [...stdout.matchAll(/^ *(not )?ok (?:\d+ )?(?:- )?([^#\n]*?)\s*(# SKIP.*)?$/gm)];
  let failures = 0;
  for (const [, bad, title, skip] of results) {
    const kind = skip || (!bad && skipped.has(title)) ? 'skipped' : bad ? 'failed' : 'passed';
    counts[kind]++;
    if (kind !== 'failed') continue;
    failures++;
    console.log(`failed: ${name} ${title}`);
  }
  if (failures === 0 && status === 0 && results.length > 0) return;
  if (failures === 0) {
    counts.failed++;
    console.log(`failed: ${name}: ${error?.message ?? (status === 0 ? 'ran no tests' : `exited with ${status}`)}`);
  }
  console.log(`${stdout}${stderr}`.split('\n').slice(-60).map((line) => `    ${line}`).join('\n'));
}

const run = (command, args, env = {}) =>
  spawnSync(command, args, { encoding: 'utf8', timeout: FILE_MS, maxBuffer: 1 << 28, cwd: TOP, env: { ...process.env, NODE_TEST_CONTEXT: undefined, ...env } });

/** Paths of the programs below a folder, sorted. */
const programsIn = (folder) => (existsSync(folder) ? readdirSync(folder, { recursive: true, withFileTypes: true }) : [])
  .filter((entry) => entry.isFile() && entry.name.startsWith('test_')).map((entry) => path.join(entry.parentPath ?? entry.path, entry.name)).sort();

const programs = programsIn(path.join(TREE, 'tests'));
for (const program of programs) {
  // without a name, a program lists its files
  const files = [...run(program, []).stderr.matchAll(/test_(\w+)\.c$/gm)].map((m) => m[1]).sort();
  const room = path.basename(program, SUFFIX).replace('test_', '');
  for (const file of files.filter((one) => isWanted(`${room}/${one}`)))
    count(`${room}/${file}`, run(program, [file], { CMOCKA_MESSAGE_OUTPUT: 'TAP', TESTS_DIR: path.join(TOP, 'tests') }));
}

const VAULTD = path.join(TREE, 'bin', `vaultd${SUFFIX}`), FIXTURE = path.join(TREE, 'tests/fixture', `fixture${SUFFIX}`);
const LAUNCH = path.join(TREE, 'tests', `launch${SUFFIX}`); // on Windows
for (const program of [VAULTD, FIXTURE])
  if (!existsSync(program)) {
    console.error(`elsewhere: there is no ${program}: build the tree with --tests`);
    process.exit(2);
  }
for (const file of readFileSync(path.join(TOP, 'tests/e2e/everywhere.txt'), 'utf8').trim().split('\n'))
  if (isWanted(`e2e/${file}`)) count(`e2e/${file}`, run(process.execPath, ['--test', '--test-reporter=tap', `tests/e2e/e2e/${file}.test.mjs`], { VAULTD, FIXTURE, LAUNCH }));

console.log(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped`);
process.exit(counts.failed === 0 && counts.passed > 0 ? 0 : 1);
