// A new machine: ./run in a copy of the clone installs, builds and serves.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Session } from '../support.mjs';
import { HOUR_MS, copySources, newSystem } from './chroot.mjs';

test('./run on a new machine ends in an answer', { timeout: HOUR_MS }, async (t) => {
  const system = await newSystem(t, 'clone');
  await copySources(system.path('/root/vaultd'));
  const start = Date.now();
  const built = await system.run(['./run', '--build'], { folder: '/root/vaultd' });
  const server = await system.serve(t, ['./run', '--port=0'], { folder: '/root/vaultd' });
  const session = await Session.open(server);
  assert.match((await session.call('vault_read', { path: 'Home.md' })).text, /Home/);
  t.diagnostic(`from a clone to the first answer: ${Math.round((Date.now() - start) / 1000)} s`);
  assert.match(built, /\/vaultd\n$/);
});
