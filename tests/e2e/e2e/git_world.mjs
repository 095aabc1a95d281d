// A git repository in a temp folder, another user who pushes to it, and a client of a server that
// syncs with it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { tempDir } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

/** The secret of its webhook. */
export const SECRET = 'a secret of the forge';

/** Pushes what 'phone' committed, as often as the server was faster. */
export function pushPhone(git) {
  for (let left = 20; ; left--) {
    try {
      return git('phone', 'push', '--quiet', 'origin', 'main');
    } catch (error) {
      if (left === 0 || !/\[rejected\]|cannot lock ref/.test(error.stderr)) throw error;
      git('phone', 'pull', '--quiet', '--rebase', 'origin', 'main');
    }
  }
}

/** Runs git in a folder below top, as another user. */
function gitIn(top) {
  const env = { PATH: process.env.PATH, HOME: top, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'Ann', GIT_AUTHOR_EMAIL: 'ann@example.org', GIT_COMMITTER_NAME: 'Ann', GIT_COMMITTER_EMAIL: 'ann@example.org' };
  const git = (cwd, ...args) => execFileSync('git', args, { cwd: path.join(top, cwd), env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
  return { env, git };
}

let seed; // what each world begins with: to copy it is cheaper than to run git six times

function makeSeed() {
  seed = mkdtempSync(path.join(tmpdir(), 'vaultd-seed-'));
  process.on('exit', () => rmSync(seed, { recursive: true, force: true }));
  const { git } = gitIn(seed);
  git('', 'init', '--quiet', '--bare', '--initial-branch=main', '--template=', 'remote.git');
  git('', 'clone', '--quiet', '--template=', 'remote.git', 'phone');
  git('phone', 'checkout', '-q', '-B', 'main');
  writeFileSync(path.join(seed, 'phone/Garden.md'), '# Garden\n\nTomatoes\n');
  git('phone', 'add', '.');
  git('phone', 'commit', '--quiet', '-m', 'phone: the garden');
  git('phone', 'push', '--quiet', 'origin', 'main');
}

/** A bare repository with a note in it, and another user's clone of it. */
export function makeWorld(t) {
  const top = tempDir(t), { env, git } = gitIn(top);
  if (!seed) makeSeed();
  cpSync(seed, top, { recursive: true });
  git('phone', 'remote', 'set-url', 'origin', path.join(top, 'remote.git'));
  const world = {
    top, env, git,
    remote: path.join(top, 'remote.git'),
    vault: path.join(top, 'vault'),
    state: path.join(top, 'state'),
    secret: path.join(top, 'secret'),
    /** The other user commits these files and pushes them. */
    push(files, subject) {
      git('phone', 'pull', '--quiet', '--rebase', 'origin', 'main');
      for (const [file, text] of Object.entries(files)) {
        mkdirSync(path.dirname(path.join(top, 'phone', file)), { recursive: true });
        writeFileSync(path.join(top, 'phone', file), text);
      }
      git('phone', 'add', '.');
      git('phone', 'commit', '--quiet', '-m', subject);
      pushPhone(git);
      return git('phone', 'rev-parse', 'HEAD');
    },
    /** The remote's hook that runs before a push is accepted; the result removes it. */
    hook(script) {
      const file = path.join(world.remote, 'hooks/pre-receive');
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, `#!/bin/sh\n${script}\n`);
      chmodSync(file, 0o755);
      return () => rmSync(file);
    },
    log: (format = '%s') => git('remote.git', 'log', `--format=${format}`, 'main').split('\n'),
  };
  writeFileSync(world.secret, `${SECRET}\n`);
  return world;
}

/** The SDK's client of a server, and its answers as values; heard has all of them as they came. */
export async function clientOf(t, server, row = CONNECTIONS.find((c) => c.name === 'SDK v2 auto over HTTP')) {
  const sdk = await connect(t, row, { url: server.url });
  const heard = [];
  const raw = async (name, args = {}) => {
    const result = await sdk.call({ name, arguments: args });
    heard.push(JSON.stringify(result));
    return result;
  };
  const call = async (name, args) => {
    const result = await raw(name, args);
    assert.ok(!result.isError, `${name}: ${JSON.stringify(result.content)}`);
    return JSON.parse(result.content[0].text);
  };
  const refusal = async (name, args) => {
    const result = await raw(name, args);
    assert.ok(result.isError, `${name} was not refused: ${JSON.stringify(result.content)}`);
    return JSON.parse(result.content[0].text).error;
  };
  return { sdk, call, refusal, heard };
}
