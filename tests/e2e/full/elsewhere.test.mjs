// The static program on systems like Alpine, with musl and busybox and little else, and on an old Debian. On both, also as if
// the kernel were that of RHEL 8.
import assert from 'node:assert/strict';
import { chownSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { EXAMPLE_VAULT, Session, VAULTD, run, tempDir, until } from '../support.mjs';
import { HOUR_MS, System, copyIn, newSystem } from './chroot.mjs';
import { unpackTar } from './programs.mjs';

const HERE = import.meta.dirname;
const NOBODY = 4711; // a user that no file names
const MUSL = { x64: 'x86_64', arm64: 'aarch64' }[process.arch];
const KERNELS = [['this kernel', []], ['the kernel of RHEL 8', ['/opt/old_kernel']]];

async function must(program, ...args) {
  const end = await run(program, args, { env: process.env, ms: HOUR_MS });
  assert.equal(end.code, 0, `${program} ${args.join(' ')}: ${end.stderr}`);
  return end.stdout;
}

/** Without a C library of GNU, users, a resolver or certificates. */
async function likeAlpine(t) {
  const system = new System(path.join(tempDir(t), 'alpine'));
  for (const folder of ['bin', 'dev', 'etc', 'lib', 'opt', 'proc', 'srv', 'state', 'tmp', 'usr/local/bin', 'var/cache/apt/archives'])
    mkdirSync(system.path(folder), { recursive: true });
  cpSync('/bin/busybox', system.path('bin/busybox'));
  cpSync(`/lib/${MUSL}-linux-musl/libc.so`, system.path(`lib/ld-musl-${MUSL}.so.1`));
  await must('chroot', system.root, '/bin/busybox', '--install', '-s', '/bin');
  chownSync(system.path('state'), NOBODY, NOBODY);
  return system;
}

async function addProgram(system, unpacked, oldKernel) {
  copyIn(system, path.join(unpacked, 'bin/vaultd'), '/usr/local/bin/vaultd');
  copyIn(system, oldKernel, '/opt/old_kernel');
  copyIn(system, EXAMPLE_VAULT, '/srv/notes');
}

/** Search, write and read, on stdio and over HTTP. */
async function serveBoth(t, system, before, options = {}) {
  const client = system.stdio(t, [...before, 'vaultd', 'serve', '--stdio', '/srv/notes'], options);
  await client.initialize();
  assert.match(JSON.stringify(await client.call('vault_search', { query: 'tomato' })), /Tomato/);
  assert.match(JSON.stringify(await client.call('vault_write', { path: 'New.md', content: 'written elsewhere', overwrite: true })), /New\.md/);
  await client.eof();
  const server = await system.serve(t, [...before, 'vaultd', 'serve', '--port', '0', '/srv/notes'], options);
  const session = await Session.open(server);
  assert.match((await session.call('vault_read', { path: 'New.md' })).text, /written elsewhere/);
  const confined = before.length > 0 ? /sandbox confined="system calls" landlock=0/ : /sandbox confined="[^"]*system calls" landlock=/;
  await server.says(confined);
  await server.stop();
}

/** Changes go to the remote and come from it, with the system's git. */
async function syncBoth(t, system, before) {
  await system.sh('rm -rf /srv/remote.git /srv/other /srv/synced; git init -q --bare /srv/remote.git; cp -r /srv/notes /srv/synced');
  const git = ['--git-remote', '/srv/remote.git', '--git-pull-interval', '1'];
  const session = await Session.open(await system.serve(t, [...before, 'vaultd', 'serve', '--port', '0', ...git, '/srv/synced']));
  await session.call('vault_write', { path: 'Out.md', content: 'to the remote' });
  await until('it is pushed', async () => /Out\.md/.test(await system.sh('git -C /srv/remote.git ls-tree --name-only main 2>/dev/null || true')));
  await system.sh(`git clone -q -b main /srv/remote.git /srv/other; cd /srv/other; echo 'from the remote' >In.md
    git add In.md; git -c user.name=a -c user.email=a@example.com commit -q -m in; git push -q origin main`);
  await until('it is pulled', () => existsSync(system.path('/srv/synced/In.md')));
  assert.match((await session.call('vault_read', { path: 'In.md' })).text, /from the remote/);
}

test('the static program on other systems', { timeout: HOUR_MS }, async (t) => {
  const { unpacked } = await unpackTar(t), oldKernel = path.join(tempDir(t), 'old_kernel');
  await must('gcc', '-static', '-O1', '-Wall', '-Werror', '-o', oldKernel, path.join(HERE, 'old_kernel.c'));

  await t.test('like Alpine', async (t) => {
    const system = await likeAlpine(t);
    await addProgram(system, unpacked, oldKernel);
    await must('chown', '-R', `${NOBODY}:${NOBODY}`, system.path('srv/notes'));
    const options = { user: `${NOBODY}:${NOBODY}`, env: { HOME: '/state', STATE_DIR: '/state' } };
    for (const [kernel, before] of KERNELS) await t.test(`on ${kernel}`, (t) => serveBoth(t, system, before, options));

    await t.test('a command syncs, and without git the reason is given', async (t) => {
      await system.serve(t, ['vaultd', 'serve', '--port', '0', '--sync-command', "sh -c 'echo done >/state/synced'", '--sync-interval', '1', '/srv/notes'], options);
      await until('the command ran', () => existsSync(system.path('state/synced')) && readFileSync(system.path('state/synced'), 'utf8') === 'done\n');
      const doctor = await system.run(['vaultd', 'doctor', '--port', '0', '--git-remote', '/srv/remote.git', '/srv/notes'], { ...options, code: 1 });
      assert.match(doctor, /Sync: the program git is not installed/);
    });
  });

  await t.test('Debian 11', async (t) => {
    const system = await newSystem(t, 'elsewhere', 'bullseye');
    await system.install('git');
    await addProgram(system, unpacked, oldKernel);
    t.diagnostic((await system.sh('git --version; ldd --version | head -1')).replace('\n', ', '));
    for (const [kernel, before] of KERNELS) {
      await t.test(`on ${kernel}`, (t) => serveBoth(t, system, before));
      await t.test(`sync with git, on ${kernel}`, (t) => syncBoth(t, system, before));
    }
  });

  await t.test('programs and copies of itself, on the kernel of RHEL 8', async () => {
    const unit = path.resolve(path.dirname(VAULTD), '../../tests/unit/base/test_base_child');
    await must(oldKernel, unit);
  });
});
