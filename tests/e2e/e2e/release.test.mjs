// ./release and what it makes from packages: manifests, lists and signatures, in a copy of the project with all names filled in.
// The packages here are a few bytes; tests/e2e/full builds real ones.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import Ajv from 'ajv';
import YAML from 'yaml';
import { VALUES, VERSION, checkAsDocumented, fillIn, must as mustRun, readBom } from '../release_project.mjs';
import { MODULES, TOP, run, tempDir } from '../support.mjs';

const PACKAGES = [
  `vaultd-${VERSION}-linux-x86_64.tar.gz`, `vaultd-${VERSION}-linux-aarch64.tar.gz`, `vaultd-${VERSION}-macos-universal.tar.gz`,
  `vaultd-${VERSION}-windows-x86_64.zip`, `vaultd-${VERSION}.mcpb`, `vaultd-${VERSION}.tgz`,
];
const LIBRARIES = {
  'static-amd64': 'glibc\t2.36-9+deb12u10\tdebian\nlibuv1\t1.44.2-1+deb12u1\tdebian\n',
  'windows-amd64': 'curl\t7.88.1-10+deb12u15\tdebian\nlibuv1\t1.44.2-1+deb12u1\tdebian\nzig\t0.16.0\tnpm:@zigpm/zig-linux-x64\n',
};
const ENV = { ...process.env, SOURCE_DATE_EPOCH: '1700000000' };
const read = (file) => readFileSync(file, 'utf8');
const sha256 = (file) => createHash('sha256').update(readFileSync(file)).digest('hex');

const must = (program, args, options) => mustRun(program, args, { env: ENV, ...options });

/** A project that could be released, in a repository of its own: its folder, and the private key. */
async function makeProject(t) {
  const top = path.join(tempDir(t), 'project');
  mkdirSync(top);
  for (const name of ['packaging', 'scripts', 'package', 'release', 'meson.build', 'CHANGELOG.md', 'LICENSE', '.gitignore']) cpSync(path.join(TOP, name), path.join(top, name), { recursive: true });
  return { top, ...(await fillIn(t, top)) };
}

/** dist/ of a project with small packages in it, and the lists of libraries of two builds. */
async function makePackages(t, top) {
  const dist = path.join(top, 'dist');
  mkdirSync(dist);
  for (const name of PACKAGES) writeFileSync(path.join(dist, name), `this is ${name}`);
  for (const arch of ['amd64', 'arm64']) {
    const root = path.join(tempDir(t), arch);
    mkdirSync(path.join(root, 'DEBIAN'), { recursive: true });
    writeFileSync(path.join(root, 'DEBIAN/control'), `Package: vaultd\nVersion: ${VERSION}\nArchitecture: ${arch}\nMaintainer: a <a@example.com>\nDepends: adduser, libc6 (>= 2.34)\nDescription: a\n`);
    chmodSync(path.join(root, 'DEBIAN'), 0o755);
    mkdirSync(path.join(root, 'usr/share/doc/vaultd'), { recursive: true });
    writeFileSync(path.join(root, 'usr/share/doc/vaultd/libraries.tsv'), 'xxhash\t0.8.1-1\tdebian\n');
    await must('dpkg-deb', ['--root-owner-group', '--build', root, path.join(dist, `vaultd_${VERSION}_${arch}.deb`)]);
  }
  for (const [build, text] of Object.entries(LIBRARIES)) {
    const folder = path.join(top, '.build', build, 'tree/share/doc/vaultd');
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, 'libraries.tsv'), text);
  }
  return dist;
}

test('./release says everything that is missing, and begins nothing', async (t) => {
  const { top, key, git } = await makeProject(t);
  const release = (...args) => run(path.join(top, 'release'), args, { env: ENV });
  const refused = async (reason, ...args) => {
    const { code, stdout, stderr } = await release(...args);
    assert.deepEqual([code, stdout], [1, ''], stderr);
    assert.match(stderr, reason);
    return stderr;
  };
  const ready = await release(VERSION, '--check', '--key', key);
  assert.deepEqual([ready.code, ready.stdout, ready.stderr], [0, `${VERSION} can be released\n`, '']);
  assert.equal((await release()).code, 2);
  assert.equal((await release('1.0', '--check')).code, 2);

  await refused(/name the private key/, VERSION);
  await refused(/'\/no\/key' cannot be read/, VERSION, '--key', '/no/key');
  const other = path.join(tempDir(t), 'other');
  await must('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', other]);
  await refused(/is not the private half of SIGNING_KEY/, VERSION, '--key', other);
  const all = await refused(/the version is .*, not 9\.9\.9/, '9.9.9', '--key', key);
  assert.match(all, /no section '## 9\.9\.9 /);
  assert.match(all, /the tag v9\.9\.9 is not at this commit/);

  writeFileSync(path.join(top, 'LICENSE'), 'changed');
  await refused(/changes that are not committed/, VERSION, '--key', key);
  await git('checkout', '-q', 'LICENSE');
  cpSync(path.join(TOP, 'packaging/project.conf'), path.join(top, 'packaging/project.conf'));
  const names = await refused(/fill in EMAIL/, VERSION, '--key', key);
  for (const name of ['REPOSITORY', 'REGISTRY_NAME', 'NPM_SCOPE', 'WINGET_ID', 'SIGNING_KEY']) assert.match(names, new RegExp(`fill in ${name}\n`));
});

test('what is made from packages', async (t) => {
  const { top, key } = await makeProject(t);
  const dist = await makePackages(t, top);
  const build = (name) => must(path.join(top, 'packaging', name, 'build'), [dist]);
  const url = (name) => `${VALUES.REPOSITORY}/releases/download/v${VERSION}/${name}`;
  const sum = (name) => sha256(path.join(dist, name));
  const schema = (name) => JSON.parse(read(path.join(MODULES, 'schemastore/schemas/json', name)));
  const assertValid = (rules, value) => {
    const validate = new Ajv({ allErrors: true, strict: false, validateFormats: false }).compile(rules);
    assert.ok(validate(value), JSON.stringify(validate.errors, null, 1));
  };
  await build('manifests');
  const zip = PACKAGES[3];

  await t.test('every placeholder is filled in', () => {
    for (const name of readdirSync(dist).filter((one) => /\.(rb|json|yaml)$|^Dockerfile$/.test(one))) assert.doesNotMatch(read(path.join(dist, name)), /@[A-Z_]+@|@SHA256/, name);
  });

  await t.test('scoop', () => {
    const manifest = JSON.parse(read(path.join(dist, 'vaultd.json')));
    assertValid(schema('raw.githubusercontent.com/lukesampson/scoop/master/schema.json'), manifest);
    assert.deepEqual(manifest.architecture['64bit'], { url: url(zip), hash: sum(zip), extract_dir: zip.replace('.zip', '') });
  });

  await t.test('winget', () => {
    const manifest = (kind) => YAML.parse(read(path.join(dist, `People.vaultd${kind}.yaml`)));
    const installer = manifest('.installer'), locale = manifest('.locale.en-US');
    assertValid(schema('winget-pkgs-installer-1.0.0.json'), installer);
    assertValid(schema('winget-pkgs-locale-1.0.0.json'), { ...locale, ManifestType: 'locale' }); // that of the default one is not on npm
    assert.deepEqual(installer.Installers, [{ Architecture: 'x64', InstallerUrl: url(zip), InstallerSha256: sum(zip) }]);
    assert.equal(installer.NestedInstallerFiles[0].RelativeFilePath, `${zip.replace('.zip', '')}\\vaultd.exe`);
    for (const one of [installer, locale, manifest('')]) assert.deepEqual([one.PackageIdentifier, one.PackageVersion], ['People.vaultd', VERSION]);
  });

  await t.test('Homebrew', () => {
    const formula = read(path.join(dist, 'vaultd.rb'));
    for (const name of PACKAGES.slice(0, 3)) assert.match(formula, new RegExp(`url "${url(name)}"\\s+sha256 "${sum(name)}"`.replaceAll('.', '\\.')));
  });

  await t.test('the Dockerfile takes the packages of the release, and is otherwise ours', () => {
    const made = read(path.join(dist, 'Dockerfile')), ours = read(path.join(TOP, 'packaging/docker/Dockerfile'));
    assert.ok(made.endsWith(ours.slice(ours.lastIndexOf('\nFROM '))));
    for (const arch of ['amd64', 'arm64']) assert.ok(made.includes(`--checksum=sha256:${sum(`vaultd_${VERSION}_${arch}.deb`)} ${url(`vaultd_${VERSION}_${arch}.deb`)} `));
  });

  await t.test('the SBOM has every library, its version, and who uses it', async () => {
    await build('sbom');
    const bom = readBom(path.join(dist, `vaultd-${VERSION}.cdx.json`));
    assert.deepEqual(bom.components.filter(({ name }) => ['curl', 'libuv1', 'zig'].includes(name)).map(({ name, version, purl, properties }) => [name, version, purl, ...properties.map((one) => one.value)]), [
      ['curl', '7.88.1-10+deb12u15', 'pkg:deb/debian/curl@7.88.1-10%2Bdeb12u15?arch=source', 'windows-amd64'],
      ['libuv1', '1.44.2-1+deb12u1', 'pkg:deb/debian/libuv1@1.44.2-1%2Bdeb12u1?arch=source', 'static-amd64', 'windows-amd64'],
      ['zig', '0.16.0', 'pkg:npm/%40zigpm/zig-linux-x64@0.16.0', 'windows-amd64'],
    ]);
    const shared = bom.components.flatMap(({ name, properties }) => (properties.some((one) => one.value.endsWith('.deb')) ? [name] : []));
    assert.deepEqual(shared, ['glibc', 'xxhash']); // libc6, and what is inside; adduser is not a library
    assert.equal(bom.metadata.timestamp, '2023-11-14T22:13:20+00:00');
  });

  await t.test('the notes are the section of the changelog, with links that lead somewhere', async () => {
    await build('notes');
    const notes = read(path.join(dist, 'NOTES.md'));
    assert.match(notes, /^The first release\./);
    assert.match(notes, new RegExp(`\\(${VALUES.REPOSITORY}/blob/v${VERSION}/docs/install\\.md\\)`));
    assert.doesNotMatch(notes, /^# |\]\(docs/m);
  });

  await t.test('the statement names the commit and all files', async () => {
    await build('provenance');
    const statement = JSON.parse(read(path.join(dist, `vaultd-${VERSION}.provenance.json`)));
    assert.deepEqual([statement._type, statement.predicateType], ['https://in-toto.io/Statement/v1', 'https://slsa.dev/provenance/v1']);
    const [source, ...others] = statement.predicate.buildDefinition.resolvedDependencies;
    assert.equal(source.digest.gitCommit, (await must('git', ['-C', top, 'rev-parse', 'HEAD'])).trim());
    assert.ok(others.some((one) => one.uri.startsWith('pkg:deb/debian/curl@')));
    const named = Object.fromEntries(statement.subject.map(({ name, digest }) => [name, digest.sha256]));
    assert.deepEqual(named, Object.fromEntries(readdirSync(dist).filter((name) => !name.endsWith('.provenance.json')).map((name) => [name, sum(name)])));
  });

  await t.test('checksums and their signature are checked as the documentation says', async () => {
    await build('checksums');
    await must(path.join(top, 'packaging/checksums/sign'), [key, path.join(dist, 'SHA256SUMS')]);
    const verify = () => checkAsDocumented(dist, key);
    assert.equal(await verify(), 0);
    writeFileSync(path.join(dist, zip), 'changed');
    assert.notEqual(await verify(), 0);
    writeFileSync(path.join(dist, 'SHA256SUMS'), read(path.join(dist, 'SHA256SUMS')).replace(/^[0-9a-f]{64}(?=  vaultd-.*\.zip$)/m, sum(zip)));
    assert.notEqual(await verify(), 0);
  });

  await t.test('everything is the same a second time', async () => {
    const names = ['manifests', 'sbom', 'notes', 'provenance', 'checksums'];
    const all = async () => {
      for (const name of names) await build(name);
      return Object.fromEntries(readdirSync(dist).map((name) => [name, sum(name)]));
    };
    assert.deepEqual(await all(), await all());
  });
});

test('archives depend on nothing but their contents', async (t) => {
  const folder = path.join(tempDir(t), 'tree');
  mkdirSync(path.join(folder, 'bin'), { recursive: true });
  writeFileSync(path.join(folder, 'bin/vaultd'), 'program', { mode: 0o755 });
  writeFileSync(path.join(folder, 'Grüße.md'), 'text');
  for (const kind of ['zip', 'tar']) {
    const pack = async (name) => {
      const file = path.join(tempDir(t), name);
      await must('python3', [path.join(TOP, 'packaging/archive.py'), kind, file, folder, 'vaultd-1']);
      return file;
    };
    const first = await pack('first');
    await must('touch', ['-d', '2001-01-01', path.join(folder, 'bin/vaultd')]);
    assert.equal(sha256(await pack('second')), sha256(first));
    const to = tempDir(t);
    await must(kind === 'zip' ? 'python3' : 'tar', kind === 'zip' ? ['-m', 'zipfile', '-e', first, to] : ['-xzf', first, '-C', to]);
    assert.equal(read(path.join(to, 'vaultd-1/Grüße.md')), 'text');
    assert.equal(read(path.join(to, 'vaultd-1/bin/vaultd')), 'program');
  }
});
