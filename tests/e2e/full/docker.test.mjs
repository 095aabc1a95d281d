// The image, built from the steps of the Dockerfile; vaultd as process 1 of its container.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { EXAMPLE_VAULT, Session, TOP, tempDir, until } from '../support.mjs';
import { HOUR_MS, copyIn, copySources } from './chroot.mjs';
import { buildDockerfile, processesBelow } from './dockerfile.mjs';

test('the container image', { timeout: HOUR_MS }, async (t) => {
  const context = path.join(tempDir(t), 'context');
  await copySources(context);
  const image = await buildDockerfile(t, path.join(TOP, 'packaging/docker/Dockerfile'), context);
  const { system } = image;
  copyIn(system, EXAMPLE_VAULT, '/vault');
  await system.sh('chown -R vaultd:vaultd /vault');
  const start = (args) => [...image.entrypoint, ...args];
  const contained = (env = {}) => ({ user: image.user, folder: image.folder, env: { ...image.env, ...env }, first: true });

  await t.test('it does not run as root, and keeps vault and state in volumes', () => {
    assert.equal(image.user, 'vaultd:vaultd');
    assert.deepEqual(image.volumes, ['/vault', '/state']);
    assert.match(image.label, /^io\.modelcontextprotocol\.server\.name=/);
  });

  await t.test('it refuses to serve without authentication', async () => {
    await system.run(start(image.cmd), { ...contained(), code: 2 });
  });

  await t.test('it serves, is healthy, and exits immediately on SIGTERM', async (t) => {
    const server = await system.serve(t, start(image.cmd), contained({ AUTH: 'none', LISTEN_ADDR: `:${image.port}` }));
    const session = await Session.open(server);
    assert.match((await session.call('vault_read', { path: 'Home.md' })).text, /Home/);
    await system.run(image.health, contained());
    await server.stop();
    await system.run(image.health, { ...contained(), code: 1 });
  });

  await t.test('orphans do not remain as zombies', async (t) => {
    // a command whose child outlives it
    const server = await system.serve(t, start(['serve', '--port', '0', '--sync-command', "sh -c 'exec sleep 1 >/dev/null 2>&1 & exit 0'", '--sync-interval', '1']), contained({ LISTEN_ADDR: '' }));
    const first = system.first(server.pid);
    const orphan = await until('an orphan has come to process 1', () => processesBelow(first).find((p) => p.parent === first && p.name === 'sleep'));
    await until('it is gone, not a zombie', () => !existsSync(`/proc/${orphan.pid}`));
    await server.stop();
  });

  await t.test('on stdio it exits with its client, and on SIGTERM', async (t) => {
    const client = system.stdio(t, start(['serve', '--stdio']), contained());
    await client.initialize();
    assert.match(JSON.stringify(await client.call('vault_list')), /Home\.md/);
    await client.eof();
    const other = system.stdio(t, start(['serve', '--stdio']), contained());
    await other.initialize();
    other.child.kill('SIGTERM');
    const { code } = await other.ended;
    assert.ok([0, 128 + 15].includes(code), String(code));
    other.end = { signal: 'SIGKILL' }; // ended on purpose
  });
});

test('the compose example uses settings that exist', () => {
  const settings = readFileSync(path.join(TOP, 'docs/settings.md'), 'utf8');
  const compose = readFileSync(path.join(TOP, 'examples/docker/compose.yaml'), 'utf8');
  const variables = [...compose.matchAll(/^ {6}([A-Z_]+):/gm)].map((m) => m[1]);
  assert.ok(variables.length > 1);
  for (const name of variables) assert.ok(settings.includes(`\`${name}\``), name);
});
