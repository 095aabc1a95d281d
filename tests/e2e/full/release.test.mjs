// ./release as a whole, twice, in a copy of the project with all names filled in: what comes out is complete, consistent, and
// verified as its users would. The result stays in .build/release/dist, where the other files of this folder try the packages.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import Ajv from 'ajv';
import { SERVER_SCHEMA, mcpb } from '../bundle.mjs';
import { VALUES, VERSION, checkAsDocumented, fillIn, must, readBom } from '../release_project.mjs';
import { TOP, tempDir } from '../support.mjs';
import { HOUR_MS, copySources } from './chroot.mjs';

const skip = process.arch === 'x64' ? false : 'zig is pinned for x86-64 only';
const FOLDER = path.join(TOP, '.build/release'), DIST = path.join(FOLDER, 'dist');
const V = VERSION, ID = VALUES.WINGET_ID;
const MACHINES = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64', 'win32-x64'];
const FILES = [
  `vaultd-${V}-linux-x86_64.tar.gz`, `vaultd-${V}-linux-aarch64.tar.gz`, `vaultd-${V}-macos-universal.tar.gz`, `vaultd-${V}-windows-x86_64.zip`,
  `vaultd_${V}_amd64.deb`, `vaultd_${V}_arm64.deb`, `vaultd-${V}.tgz`, ...MACHINES.map((name) => `vaultd-${name}-${V}.tgz`),
  `vaultd-${V}.mcpb`, 'server.json', 'vaultd.rb', 'vaultd.json', `${ID}.yaml`, `${ID}.installer.yaml`, `${ID}.locale.en-US.yaml`, 'Dockerfile',
  `vaultd-${V}.cdx.json`, `vaultd-${V}.provenance.json`, 'NOTES.md', 'SHA256SUMS', 'SHA256SUMS.sig',
];
const BUILDS = ['static-amd64', 'static-arm64', 'macos-amd64', 'macos-arm64', 'windows-amd64'];
const read = (name) => readFileSync(path.join(DIST, name), 'utf8');
const sha256 = (name) => createHash('sha256').update(readFileSync(path.join(DIST, name))).digest('hex');

test('the whole release', { timeout: 6 * HOUR_MS, skip }, async (t) => {
  const project = path.join(FOLDER, 'project');
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  await copySources(project);
  const { key } = await fillIn(t, project);
  const env = { ...process.env, CROSS_FOLDER: process.env.CROSS_FOLDER ?? path.join(TOP, '.build/cross') };
  await must(path.join(project, 'release'), [V, '--key', key], { env, ms: 6 * HOUR_MS }); // fails if two builds differ
  cpSync(path.join(project, 'dist', V), DIST, { recursive: true });

  await t.test('it is complete', () => assert.deepEqual(readdirSync(DIST).sort(), [...FILES].sort()));

  await t.test('its signature and checksums are good, as the documentation says to check them', async () => {
    assert.equal(await checkAsDocumented(DIST, key), 0);
    assert.equal(read('SHA256SUMS').trim().split('\n').length, FILES.length - 2);
  });

  await t.test('a key of minisign signs, too', async (t) => {
    const folder = tempDir(t), file = path.join(folder, 'SHA256SUMS'), [secret, known] = ['secret', 'public'].map((name) => path.join(folder, name));
    await must('minisign', ['-G', '-W', '-s', secret, '-p', known]);
    const conf = path.join(project, 'packaging/project.conf'), before = readFileSync(conf, 'utf8'), publicKey = readFileSync(known, 'utf8').trim().split('\n').at(-1);
    cpSync(path.join(DIST, 'SHA256SUMS'), file);
    await assert.rejects(must(path.join(project, 'packaging/checksums/sign'), [secret, file])); // SIGNING_KEY is another
    writeFileSync(conf, before.replace(/^SIGNING_KEY=.*$/m, `SIGNING_KEY=${publicKey}`));
    t.after(() => writeFileSync(conf, before));
    await must(path.join(project, 'packaging/checksums/sign'), [secret, file]);
    await must('minisign', ['-V', '-P', publicKey, '-m', file]);
  });

  await t.test('manifests name files of the release, with their checksums', () => {
    const url = `${VALUES.REPOSITORY}/releases/download/v${V}/`;
    for (const name of ['vaultd.rb', 'vaultd.json', `${ID}.installer.yaml`, 'Dockerfile', 'server.json']) {
      const text = read(name), found = [...text.matchAll(/releases\/download\/v(\d[\d.]*)\/([\w.-]+)/g)];
      assert.ok(found.length > 0, name);
      for (const [, version, file] of found) {
        assert.equal(version, V);
        assert.ok(text.includes(url + file) && text.includes(sha256(file)), `${name}: ${file}`);
      }
    }
  });

  await t.test('the bundle and its entry in the registry are valid, and the package for npm has the same name', async (t) => {
    const validate = new Ajv({ allErrors: true, strict: false }).compile(SERVER_SCHEMA), entry = JSON.parse(read('server.json'));
    assert.ok(validate(entry), JSON.stringify(validate.errors));
    const unpacked = path.join(tempDir(t), 'bundle');
    await mcpb('unpack', path.join(DIST, `vaultd-${V}.mcpb`), unpacked);
    assert.match(await mcpb('validate', path.join(unpacked, 'manifest.json')), /valid|passes/i);
    const about = JSON.parse(await must('tar', ['-xzOf', path.join(DIST, `vaultd-${V}.tgz`), 'package/package.json']));
    assert.deepEqual([about.name, about.mcpName], [entry.packages[1].identifier, entry.name]);
    assert.deepEqual(Object.keys(about.optionalDependencies), MACHINES.map((name) => `${about.name}-${name}`));
  });

  await t.test('the SBOM has every library of every program', async () => {
    const bom = readBom(path.join(DIST, `vaultd-${V}.cdx.json`));
    const usersOf = (name, version) => bom.components.find((one) => one.name === name && one.version === version)?.properties.map((one) => one.value) ?? [];
    for (const build of BUILDS) {
      const list = readFileSync(path.join(project, '.build/clones/one/.build', build, 'tree/share/doc/vaultd/libraries.tsv'), 'utf8').trim().split('\n');
      assert.ok(list.length >= 9, build);
      for (const [name, version] of list.map((line) => line.split('\t'))) assert.ok(usersOf(name, version).includes(build), `${build}: ${name} ${version}`);
    }
    for (const arch of ['amd64', 'arm64']) {
      const deb = `vaultd_${V}_${arch}.deb`, used = bom.components.filter((one) => one.properties.some(({ value }) => value === deb)).map((one) => one.name);
      for (const name of ['glibc', 'libuv1', 'openssl', 'pcre2', 'sqlite3', 'xxhash']) assert.ok(used.includes(name), `${deb}: ${name}`);
    }
  });

  await t.test('the statement of provenance names every other file', () => {
    const named = JSON.parse(read(`vaultd-${V}.provenance.json`)).subject.map(({ name, digest }) => [name, digest.sha256]);
    const others = FILES.filter((name) => !/provenance|^SHA256SUMS/.test(name)).sort();
    assert.deepEqual(named.sort(), others.map((name) => [name, sha256(name)]));
  });

  await t.test('SEC-97 the static programs are hardened', async () => {
    for (const arch of ['amd64', 'arm64'])
      await must('python3', [path.join(TOP, 'tests/lint/hardened.py'), path.join(project, `.build/clones/one/.build/static-${arch}/src/app/vaultd`)]);
  });

  t.diagnostic(FILES.map((name) => `${name} ${readFileSync(path.join(DIST, name)).length}`).join(', '));
});
