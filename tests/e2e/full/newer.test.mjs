// A newer Debian, with other compilers, headers and names of libraries: the package is built there, installed, and serves.
import assert from 'node:assert/strict';
import test from 'node:test';
import { EXAMPLE_VAULT, Session } from '../support.mjs';
import { HOUR_MS, copyIn, copySources, newSystem } from './chroot.mjs';

test('the Debian package on Debian 13', { timeout: HOUR_MS }, async (t) => {
  const system = await newSystem(t, 'newer', 'trixie');
  await copySources(system.path('/root/vaultd'));
  const deb = (await system.run(['./package', 'deb'], { folder: '/root/vaultd' })).trim();
  await system.install(deb);
  copyIn(system, EXAMPLE_VAULT, '/srv/notes');
  const session = await Session.open(await system.serve(t, ['vaultd', 'serve', '--port', '0', '/srv/notes']));
  assert.match((await session.call('vault_search', { query: 'tomato' })).text, /Tomato/);
  assert.match((await session.call('vault_write', { path: 'New.md', content: 'from the package' })).text, /New\.md/);
  assert.equal(system.read('/srv/notes/New.md'), 'from the package');
});
