// A project that could be released: a copy of this one, with all names filled in, in a repository of its own.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import { MODULES, TOP, run, tempDir } from './support.mjs';

export const VALUES = {
  MAINTAINER: 'Some People', EMAIL: 'people@example.com', REPOSITORY: 'https://github.com/people/vaultd',
  REGISTRY_NAME: 'io.github.people/vaultd', NPM_SCOPE: '@people', WINGET_ID: 'People.vaultd',
};
export const VERSION = readFileSync(path.join(TOP, 'meson.build'), 'utf8').match(/^ +version: '(.*)'/m)[1];
const DAY = readFileSync(path.join(TOP, 'meson.build'), 'utf8').match(/^release_date = '(.*)'/m)[1];

const read = (file) => readFileSync(file, 'utf8');

/** Run a program to its end; returns its output. */
export async function must(program, args, options = {}) {
  const end = await run(program, args, { env: process.env, ...options });
  assert.equal(end.code, 0, `${program} ${args.join(' ')}: ${end.stdout.slice(-4000)}${end.stderr.slice(-4000)}`);
  return end.stdout;
}

/** Fill in the names of the copy in top, and tag it: the private key, and git there. */
export async function fillIn(t, top) {
  const key = path.join(tempDir(t), 'key');
  await must('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', key]);
  const values = { ...VALUES, SIGNING_KEY: read(`${key}.pub`).trim() };
  writeFileSync(path.join(top, 'packaging/project.conf'), Object.entries(values).map(([name, value]) => `${name}=${value}\n`).join(''));
  const changes = path.join(top, 'CHANGELOG.md');
  writeFileSync(changes, read(changes).replace(`## ${VERSION} (unreleased)`, `## ${VERSION} (${DAY})`));
  const git = (...args) => must('git', ['-C', top, '-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args]);
  await git('init', '-q');
  await git('add', '-A');
  await git('commit', '-q', '-m', 'all');
  await git('tag', `v${VERSION}`);
  return { key, git };
}

/** The commands of docs/releases.md that check a release, run in a folder; their exit code. */
export async function checkAsDocumented(folder, key) {
  const commands = read(path.join(TOP, 'docs/releases.md')).match(/```sh\n(echo "release KEY".*?)```/s)[1].replace('KEY', read(`${key}.pub`).trim());
  return (await run('bash', ['-ec', commands], { env: process.env, cwd: folder })).code;
}

/** Fail unless the list of libraries in a file is valid by the schema of CycloneDX; returns it. */
export function readBom(file) {
  const bom = JSON.parse(read(file));
  const rules = (name) => JSON.parse(read(path.join(MODULES, '@cyclonedx/cyclonedx-library/res/schema', `${name}.SNAPSHOT.schema.json`)));
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const name of ['spdx', 'jsf-0.82']) ajv.addSchema({ ...rules(name), $id: `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json` });
  const validate = ajv.compile(rules('bom-1.5'));
  assert.ok(validate(bom), JSON.stringify(validate.errors));
  return bom;
}
