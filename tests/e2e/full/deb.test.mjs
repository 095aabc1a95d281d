// The Debian package: no complaints from lintian; installed, used, removed and purged on a new system.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { EXAMPLE_VAULT, Session, TOP, run } from '../support.mjs';
import { HOUR_MS, RELEASE, copyIn, makePackage, newSystem } from './chroot.mjs';

const AS_SERVICE = { user: 'vaultd:vaultd', env: { VAULT_PATH: '/var/lib/vaultd/vault', STATE_DIR: '/var/lib/vaultd/state', HOME: '/var/lib/vaultd' } };

test('the Debian package', { timeout: HOUR_MS }, async (t) => {
  const deb = await makePackage('deb');
  const system = await newSystem(t, 'deb');

  await t.test('lintian has no complaints', async () => {
    const lint = await run('lintian', ['--fail-on', 'error,warning', deb], { env: process.env, ms: HOUR_MS });
    assert.deepEqual([lint.code, lint.stdout], [0, '']);
  });

  await t.test('it installs everything that belongs to it', async () => {
    copyIn(system, deb, '/tmp/vaultd.deb');
    await system.install('/tmp/vaultd.deb');
    for (const file of ['usr/bin/vaultd', 'lib/systemd/system/vaultd.service', 'lib/systemd/system/vaultd.socket', 'usr/lib/systemd/user/vaultd.service',
      'usr/share/man/man1/vaultd.1.gz', 'usr/share/bash-completion/completions/vaultd', 'usr/share/zsh/vendor-completions/_vaultd',
      'usr/share/fish/vendor_completions.d/vaultd.fish', 'etc/vaultd/vaultd.env', 'usr/share/doc/vaultd/libraries.tsv', 'usr/share/doc/vaultd/licenses/libxxhash-dev'])
      assert.ok((await system.run(['dpkg', '-L', 'vaultd'])).includes(`/${file}\n`), file);
    assert.match(await system.run(['dpkg-query', '-W', '-f', '${Conffiles}', 'vaultd']), /^ \/etc\/vaultd\/vaultd\.env /m);
    assert.equal(await system.sh('stat -c "%U:%G %a" /var/lib/vaultd /var/lib/vaultd/state /var/lib/vaultd/vault'), 'vaultd:vaultd 700\n'.repeat(3));
    assert.match(await system.sh('getent passwd vaultd'), /:\/var\/lib\/vaultd:\/usr\/sbin\/nologin$/m);
    assert.match(await system.run(['vaultd', '--version']), /^vaultd \d/);
  });

  await t.test('SEC-97 its program is as hardened as ours', async () => {
    const hardened = await run('python3', [path.join(TOP, 'tests/lint/hardened.py'), system.path('usr/bin/vaultd')], { env: process.env });
    assert.equal(hardened.code, 0, hardened.stdout);
    if (RELEASE) return;
    const levels = await run('sh', ['-c', 'grep -oh "_FORTIFY_SOURCE=[0-9]" .build/deb-*/vaultd/obj-*/build.ninja | sort -u'], { env: process.env, cwd: TOP });
    assert.equal(levels.stdout, '_FORTIFY_SOURCE=3\n');
  });

  await t.test('what it can do with other packages is said, and they are named', async () => {
    assert.match(await system.run(['dpkg-query', '-W', '-f', '${Recommends}', 'vaultd']), /\bgit\b.*\blibcurl4\b.*\blibgd3\b.*\bpoppler-utils\b/);
    assert.match(await system.run(['dpkg-query', '-W', '-f', '${Suggests}', 'vaultd']), /\blibpq5\b/);
    const list = () => system.sh('vaultd key list 2>&1 || true', { env: { STATE_DB: 'postgres://vaultd@127.0.0.1:1/vaultd' } });
    assert.match(await list(), /--state-db needs libpq .*not installed: apt-get install libpq5/);
    await system.install('libpq5');
    assert.match(await list(), /PostgreSQL cannot be reached/);
  });

  await t.test('it serves over HTTP', async (t) => {
    copyIn(system, EXAMPLE_VAULT, '/var/lib/vaultd/vault');
    await system.sh('chown -R vaultd:vaultd /var/lib/vaultd/vault');
    const session = await Session.open(await system.serve(t, ['vaultd', 'serve', '--port', '0'], AS_SERVICE));
    assert.match((await session.call('vault_read', { path: 'Home.md' })).text, /Map of content|Home/);
    assert.match((await session.call('vault_write', { path: 'New.md', content: 'from the package' })).text, /New\.md/);
    assert.equal(system.read('/var/lib/vaultd/vault/New.md'), 'from the package');
  });

  await t.test('it serves on stdio', async (t) => {
    const client = system.stdio(t, ['vaultd', 'serve', '--stdio'], AS_SERVICE);
    await client.initialize();
    assert.match(JSON.stringify(await client.call('vault_read', { path: 'New.md' })), /from the package/);
    await client.eof();
  });

  await t.test('removing it leaves settings, state and notes', async () => {
    await system.run(['apt-get', 'remove', '-y', '-qq', 'vaultd']);
    for (const [file, there] of [['/usr/bin/vaultd', false], ['/etc/vaultd/vaultd.env', true], ['/var/lib/vaultd/state', true], ['/var/lib/vaultd/vault/New.md', true]])
      assert.equal(existsSync(system.path(file)), there, file);
  });

  await t.test('purging it leaves the notes alone', async () => {
    await system.run(['apt-get', 'purge', '-y', '-qq', 'vaultd']);
    for (const [file, there] of [['/etc/vaultd', false], ['/var/lib/vaultd/state', false], ['/var/lib/vaultd/vault/New.md', true]])
      assert.equal(existsSync(system.path(file)), there, file);
  });

  await t.test('purging it before first use leaves nothing', async () => {
    await system.sh('rm -rf /var/lib/vaultd');
    await system.install('/tmp/vaultd.deb');
    await system.run(['apt-get', 'purge', '-y', '-qq', 'vaultd']);
    for (const file of ['/etc/vaultd', '/var/lib/vaultd', '/usr/share/doc/vaultd']) assert.ok(!existsSync(system.path(file)), file);
  });
});
