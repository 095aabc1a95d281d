// The Debian package of the model for search by meaning: no complaints from lintian; installed, used and removed.
import assert from 'node:assert/strict';
import { existsSync, statSync } from 'node:fs';
import test from 'node:test';
import { VAULTD, cleanEnv, run, tempDir } from '../support.mjs';
import { HOUR_MS, copyIn, makePackage, newSystem } from './chroot.mjs';

const FILE = '/usr/share/vaultd/minilm.model';

test('the Debian package of the model', { timeout: HOUR_MS }, async (t) => {
  const deb = await makePackage('model');
  const system = await newSystem(t, 'model');

  await t.test('lintian has no complaints', async () => {
    const lint = await run('lintian', ['--fail-on', 'error,warning', deb], { env: process.env, ms: HOUR_MS });
    assert.deepEqual([lint.code, lint.stdout], [0, '']);
  });

  await t.test('it installs the file and its licence', async () => {
    copyIn(system, deb, '/tmp/model.deb');
    await system.install('/tmp/model.deb');
    assert.equal(statSync(system.path(FILE)).mode & 0o777, 0o644);
    assert.match(system.read('/usr/share/doc/vaultd-model-minilm/copyright'), /all-MiniLM-L6-v2[^]*Apache-2\.0[^]*common-licenses/);
    assert.ok(existsSync(system.path('/usr/share/common-licenses/Apache-2.0')));
    assert.match(await system.run(['dpkg-query', '-W', '-f', '${Architecture}', 'vaultd-model-minilm']), /^all$/);
  });

  await t.test('vaultd reads it', async (t) => {
    const env = cleanEnv(tempDir(t), { EMBEDDINGS_FILE: system.path(FILE) });
    const status = await run(VAULTD, ['model', 'status', '--json'], { env, ms: 60000 });
    assert.deepEqual([status.code, JSON.parse(status.stdout).name], [0, 'all-MiniLM-L6-v2']);
    const vectors = await run(VAULTD, ['model', 'embed'], { env, input: 'watering tomatoes\n', ms: 60000 });
    assert.equal(JSON.parse(vectors.stdout).vector.length, 384);
  });

  await t.test('removing it leaves nothing', async () => {
    await system.run(['apt-get', 'purge', '-y', '-qq', 'vaultd-model-minilm']);
    for (const file of [FILE, '/usr/share/vaultd', '/usr/share/doc/vaultd-model-minilm']) assert.ok(!existsSync(system.path(file)), file);
  });
});
