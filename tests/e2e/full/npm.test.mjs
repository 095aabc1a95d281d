// The packages for npm, installed from their archives without a network, and used as npx uses them.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { EXAMPLE_VAULT, cleanEnv, run, tempDir } from '../support.mjs';
import { HOUR_MS, makePackages } from './chroot.mjs';
import { assertStatic, serveOnce, startProgram } from './programs.mjs';

const QUIET = ['--offline', '--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];

test('the packages for npm', { timeout: HOUR_MS }, async (t) => {
  const packages = await makePackages('npm');
  const home = tempDir(t), project = path.join(home, 'project'), vault = path.join(home, 'notes');
  mkdirSync(project);
  cpSync(EXAMPLE_VAULT, vault, { recursive: true });
  const about = await run('tar', ['-xzOf', packages.at(-1), 'package/package.json'], { env: process.env });
  const NAME = JSON.parse(about.stdout).name, PROGRAM = `${NAME}-linux-${process.arch}`;
  const env = cleanEnv(home, { PATH: process.env.PATH });
  const npm = async (program, ...args) => {
    const end = await run(program, args, { env, cwd: project, ms: HOUR_MS });
    assert.equal(end.code, 0, `${args.join(' ')}: ${end.stdout}${end.stderr}`);
    return end.stdout;
  };
  await npm('npm', 'install', ...QUIET, ...packages);
  const program = path.join(project, 'node_modules', PROGRAM, 'bin/vaultd');
  const launcher = path.join(project, 'node_modules/.bin/vaultd');

  await t.test('they have no install scripts, and licences', () => {
    for (const name of [NAME, PROGRAM]) {
      const about = JSON.parse(readFileSync(path.join(project, 'node_modules', name, 'package.json'), 'utf8'));
      assert.equal(about.scripts, undefined);
      assert.equal(about.license, 'MIT');
      assert.doesNotMatch(JSON.stringify(about), /@[A-Z_]+@/);
      assert.equal(about.mcpName === undefined, name !== NAME); // the registry compares it with server.json
    }
    assert.ok(existsSync(path.join(path.dirname(program), '../licenses/libc6-dev')));
  });

  await t.test('npx starts the program', async (t) => {
    await assertStatic(program);
    assert.match(await npm('npx', ...QUIET, NAME, '--version'), /^vaultd \d/);
    await serveOnce(t, [launcher], vault);
  });

  await t.test('the launcher ends as the program does', async (t) => {
    assert.equal((await run(launcher, ['no-such-command'], { env })).code, 2);
    const client = await startProgram(t, [launcher], vault);
    client.child.kill('SIGTERM');
    const { code, signal } = await client.ended;
    assert.ok(code === 0 || signal === 'SIGTERM', `${code} ${signal}`);
    client.end = { signal: 'SIGKILL' }; // ended on purpose
  });

  await t.test('connect names the program, not npx', async () => {
    await npm('npx', ...QUIET, NAME, 'connect', 'claude-code', '-v', vault, '--write');
    const command = () => JSON.parse(readFileSync(path.join(home, '.claude.json'), 'utf8')).mcpServers.vault.command;
    assert.equal(command(), program);
    // without an installation, npx runs it from a cache
    await npm('npx', ...QUIET, '--yes', ...packages.map((one) => `--package=${one}`), '--prefix', home, '--', 'vaultd', 'connect', 'claude-code', '-v', vault, '--write');
    assert.equal(command(), path.join(home, '.local/share/vaultd/bin/vaultd'));
    assert.match((await run(command(), ['--version'], { env })).stdout, /^vaultd \d/);
  });

  await t.test('a machine without a package is named', async () => {
    rmSync(path.join(project, 'node_modules', PROGRAM), { recursive: true });
    const missing = await run(launcher, ['--version'], { env });
    assert.equal(missing.code, 1);
    assert.match(missing.stderr, new RegExp(`^vaultd: the package ${PROGRAM} is missing: install ${NAME} again`));
    const script = `Object.defineProperty(process, 'platform', { value: 'sunos' }); require(${JSON.stringify(path.join(project, 'node_modules', NAME, 'vaultd.js'))})`;
    assert.match((await run('node', ['-e', script], { env })).stderr, /there is no package for sunos-\w+ yet, only for linux-x64, linux-arm64/);
  });
});
