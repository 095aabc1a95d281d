// The static program: on a system that has nothing at all, and on an old one whose libraries must not disturb it.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { EXAMPLE_VAULT, Session, TOP, run, tempDir } from '../support.mjs';
import { HOUR_MS, RELEASE, copyIn, newSystem } from './chroot.mjs';
import { assertStatic, serveOnce, unpackTar } from './programs.mjs';

const OLD = 'bullseye'; // Debian 11, with glibc 2.31
// Modules of the system's C library that a static program must not load.
const MODULES = 'passwd: systemd sss files\nhosts: mymachines mdns4_minimal [NOTFOUND=return] myhostname dns\n';
const SIGN_IN = ['--port', '0', '--auth', 'required', '--server-url', 'https://vault.example.com', '--github-client-id', 'a', '--github-client-secret-file', '/etc/hostname', '--github-allowed-users', 'b'];

test('the static program', { timeout: HOUR_MS }, async (t) => {
  const { archive, unpacked } = await unpackTar(t);
  const program = path.join(unpacked, 'bin/vaultd');

  await t.test('it comes with its manual, completions and licences', () => {
    for (const file of ['README', 'share/man/man1/vaultd.1', 'share/bash-completion/completions/vaultd', 'share/zsh/site-functions/_vaultd',
      'share/fish/vendor_completions.d/vaultd.fish', 'share/doc/vaultd/LICENSE', 'share/doc/vaultd/docs/install.md'])
      assert.ok(existsSync(path.join(unpacked, file)), file);
    assert.deepEqual(readdirSync(unpacked).sort(), ['README', 'bin', 'share']);
    const licenses = readdirSync(path.join(unpacked, 'share/doc/vaultd/licenses'));
    for (const name of ['libc6-dev', 'libcrypt-dev', 'libpcre2-dev', 'libsqlite3-dev', 'libssl-dev', 'libstemmer-dev', 'libutf8proc-dev', 'libuv1-dev', 'libxxhash-dev', 'libyaml-dev', 'zlib1g-dev', 'LGPL-2.1'])
      assert.ok(licenses.includes(name), name);
    assert.match(readFileSync(path.join(unpacked, 'share/doc/vaultd/libraries.tsv'), 'utf8'), /^glibc\t2\..*^openssl\t3\./ms);
  });

  await t.test('it needs no library', async (t) => {
    await assertStatic(program);
    t.diagnostic(`${readFileSync(archive).length} bytes, program ${readFileSync(program).length} bytes`);
  });

  await t.test('SEC-97 it is hardened', { skip: RELEASE && 'release.test.mjs shows it: what was released has no symbols' }, async () => {
    const arch = (await run('dpkg', ['--print-architecture'], { env: process.env })).stdout.trim();
    const hardened = await run('python3', [path.join(TOP, 'tests/lint/hardened.py'), path.join(TOP, `.build/static-${arch}/src/app/vaultd`)], { env: process.env });
    assert.equal(hardened.code, 0, hardened.stdout);
  });

  await t.test('it runs where there is nothing else', async (t) => {
    const root = path.join(tempDir(t), 'root');
    cpSync(EXAMPLE_VAULT, path.join(root, 'notes'), { recursive: true });
    mkdirSync(path.join(root, 'state'));
    cpSync(program, path.join(root, 'vaultd'));
    await serveOnce(t, ['chroot', root, '/vaultd'], '/notes', { STATE_DIR: '/state' });
    assert.equal(readFileSync(path.join(root, 'notes/New.md'), 'utf8'), 'from a package');
  });

  await t.test('on Debian 11, it loads no module of that system', async (t) => {
    const system = await newSystem(t, 'tar', OLD);
    await system.install('libnss-systemd', 'libnss-myhostname', 'strace');
    copyIn(system, unpacked, '/usr/local');
    copyIn(system, EXAMPLE_VAULT, '/srv/notes');
    writeFileSync(system.path('/etc/nsswitch.conf'), MODULES);
    mkdirSync(system.path('/usr/lib/ssl'), { recursive: true });
    writeFileSync(system.path('/usr/lib/ssl/openssl.cnf'), 'openssl_conf = all\n[all]\nproviders = them\n[them]\nlegacy = one\n[one]\nactivate = 1\n');
    assert.match(await system.sh('vaultd --version; vaultd write --vault-path /srv/notes New.md text'), /created New\.md/);
    const calls = await system.sh('strace -f -e trace=openat vaultd write --vault-path /srv/notes Newer.md text 2>&1');
    assert.match(calls, /"\/etc\/passwd"/);
    assert.doesNotMatch(calls, /\.so\b(?!\.cache)|openssl\.cnf/);
    const session = await Session.open(await system.serve(t, ['vaultd', 'serve', '--port', '0', '/srv/notes']));
    assert.match((await session.call('vault_read', { path: 'New.md' })).text, /text/);
  });

  await t.test('settings that need another server are refused at the start', async (t) => {
    const vault = path.join(tempDir(t), 'notes');
    cpSync(EXAMPLE_VAULT, vault, { recursive: true });
    const env = { HOME: vault, STATE_DIR: path.join(tempDir(t), 'state'), GITHUB_CLIENT_SECRET: 'c' };
    for (const [library, expected, settings] of [['libcurl', 2, SIGN_IN], ['libcurl', 2, ['--port', '0', '--embeddings', 'http://127.0.0.1:9/v1']],
      ['libpq', 1, ['--port', '0', '--state-db', 'postgres://vaultd@127.0.0.1/vaultd']]]) {
      const { code, stderr } = await run(program, ['serve', ...settings, vault], { env });
      assert.equal(code, expected, stderr);
      assert.match(stderr, new RegExp(`this vaultd is a static program, which cannot load ${library} .*: install the Debian package`));
    }
  });
});
