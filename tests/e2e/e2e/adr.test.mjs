// adr_publish with repositories and remotes that do what they should not.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { cleanEnv, startHttp, tempDir } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

/** A repository with code, which fill() adds files to; and a vault with an accepted record. */
async function publisher(t, fill = () => {}) {
  const dir = tempDir(t), repo = path.join(dir, 'code.git'), work = path.join(dir, 'work'), vault = path.join(dir, 'vault');
  const who = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b', GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' };
  const git = (...args) => execFileSync('git', args, { cwd: dir, encoding: 'utf8', env: cleanEnv(dir, who), stdio: ['ignore', 'pipe', 'pipe'] });
  git('init', '-q', '--bare', '-b', 'main', repo);
  git('clone', '-q', repo, 'work');
  git('-C', work, 'checkout', '-q', '-B', 'main');
  writeFileSync(path.join(work, 'README'), 'code\n');
  fill(work, dir);
  git('-C', work, 'add', '.');
  git('-C', work, 'commit', '-qm', 'code');
  git('-C', work, 'push', '-q', 'origin', 'main');
  mkdirSync(vault);
  writeFileSync(path.join(vault, 'One.md'), '---\nstatus: accepted\n---\none\n');
  writeFileSync(path.join(vault, 'Two.md'), '---\nstatus: accepted\n---\ntwo\n');
  const server = await startHttp(t, { vault, args: ['--profile', 'obsidian-vault-mcp', '--adr-repo', repo, '--adr-branch', 'main'] });
  const sdk = await connect(t, CONNECTIONS.filter((row) => row.http)[0], { url: server.url });
  const publish = async (name) => {
    const result = await sdk.call({ name: 'adr_publish', arguments: { path: name } });
    return { failed: result.isError === true, ...JSON.parse(result.content[0].text) };
  };
  return { dir, repo, vault, git, publish };
}

test('a link in the repository does not lead a record out of docs/adr', async (t) => {
  const { dir, repo, git, publish } = await publisher(t, (work, top) => {
    mkdirSync(path.join(work, 'docs/adr'), { recursive: true });
    writeFileSync(path.join(top, 'outside'), 'outside\n');
    symlinkSync('../../README', path.join(work, 'docs/adr/One.md'));
    symlinkSync(path.join(top, 'outside'), path.join(work, 'docs/adr/Two.md'));
  });
  const said = [await publish('One.md'), await publish('Two.md')];
  assert.deepEqual(said.map((one) => one.changed), [true, true]);
  assert.equal(git('-C', repo, 'show', 'main:docs/adr/Two.md'), '---\nstatus: accepted\n---\ntwo\n');
  assert.equal(git('-C', repo, 'show', 'main:README'), 'code\n');
  assert.equal(readFileSync(path.join(dir, 'outside'), 'utf8'), 'outside\n');
});

test('docs/adr that is a link is not followed', async (t) => {
  const { dir, repo, git, publish } = await publisher(t, (work, top) => {
    mkdirSync(path.join(work, 'docs'));
    mkdirSync(path.join(top, 'elsewhere'));
    symlinkSync(path.join(top, 'elsewhere'), path.join(work, 'docs/adr'));
  });
  assert.equal((await publish('One.md')).changed, true);
  assert.match(git('-C', repo, 'ls-tree', '-r', 'main'), /100644 blob \w+\tdocs\/adr\/One.md/);
  assert.ok(!existsSync(path.join(dir, 'elsewhere/One.md')));
});

test('a record whose push fails is pushed with the next one, and the answer says so', async (t) => {
  const { repo, git, publish } = await publisher(t);
  const files = () => git('-C', repo, 'ls-tree', '-r', '--name-only', 'main').trim().split('\n');
  git('-C', repo, 'config', 'receive.maxInputSize', '1');
  const refused = await publish('One.md');
  assert.match(refused.error.message, /exceeds maximum allowed size.*the record is committed here, and is pushed with the next one/);
  assert.deepEqual(files(), ['README']);
  git('-C', repo, 'config', 'receive.maxInputSize', '0');
  assert.equal((await publish('Two.md')).changed, true);
  assert.deepEqual(files(), ['README', 'docs/adr/One.md', 'docs/adr/Two.md']);
});
