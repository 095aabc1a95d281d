// New Debian systems for tests: copies of one that is made once and kept in .build.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Server, Stdio, TOP, run, tempDir } from '../support.mjs';

export const HOUR_MS = 3_600_000;
const HERE = path.dirname(fileURLToPath(import.meta.url));
const FOLDER = path.join(TOP, '.build/chroot');
const ARCHIVES = path.join(FOLDER, 'archives'); // downloaded packages

// Mounts are visible only to this process and vanish with it.
const ENTER = `set -e; root=$1 archives=$2 user=$3 folder=$4; shift 4
mount --bind "$archives" "$root/var/cache/apt/archives"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot \${user:+--userspec="$user"} "$root" /bin/sh -c 'cd "$0"; exec "$@"' "$folder" "$@"`;

const ENV = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: '/root', LANG: 'C.UTF-8', DEBIAN_FRONTEND: 'noninteractive' };

export class System {
  constructor(root) {
    this.root = root;
    mkdirSync(ARCHIVES, { recursive: true });
  }

  path(name) {
    return path.join(this.root, name);
  }

  read(name) {
    return readFileSync(this.path(name), 'utf8');
  }

  /** The command line that runs words here; first: as process 1 of its own namespace. */
  #enter(words, { user = '', folder = '/', first = false }) {
    return [...(first ? ['--pid', '--fork', '--kill-child'] : []), '--mount', '--', '/bin/sh', '-c', ENTER, 'sh', this.root, ARCHIVES, user, folder, ...words];
  }

  /** Run to the end; returns its output. */
  async run(words, options = {}) {
    const end = await run('unshare', this.#enter(words, options), { env: { ...ENV, ...options.env }, ms: HOUR_MS, input: options.input });
    assert.equal(end.code, options.code ?? 0, `${words.join(' ')}: ${end.stdout.slice(-2000)} ${end.stderr.slice(-4000)}`);
    return end.stdout;
  }

  sh(script, options) {
    return this.run(['/bin/bash', '-ec', script], options);
  }

  install(...packages) {
    return this.run(['apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...packages]);
  }

  #spawn(words, options, stdio) {
    const child = spawn('unshare', this.#enter(words, options), { env: { ...ENV, ...options.env }, stdio });
    if (options.first) {
      const kill = child.kill.bind(child);
      child.kill = (signal) => (signal === 'SIGKILL' ? kill(signal) : process.kill(this.first(child.pid), signal));
    }
    return child;
  }

  /** Process 1 of the namespace that process pid made, by its pid outside. */
  first(pid) {
    return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]);
  }

  /** Start an HTTP server, whose log says where it is. */
  async serve(t, words, options = {}) {
    const server = new Server(this.#spawn(words, options, ['ignore', 'ignore', 'pipe']), words.join(' '));
    server.guard(t, () => server.stop());
    server.port = Number((await server.says(/ url=http:\/\/\S*:(\d+)\/mcp/))[1]);
    return server;
  }

  stdio(t, words, options = {}) {
    const server = new Stdio(this.#spawn(words, options, ['pipe', 'pipe', 'pipe']), words.join(' '));
    return server.guard(t, () => server.eof());
  }
}

/** A fresh system, of this machine's release of Debian or of another. */
export async function newSystem(t, name, release = '') {
  assert.equal(process.getuid(), 0, 'the suite full needs root');
  mkdirSync(FOLDER, { recursive: true });
  const base = path.join(FOLDER, release || 'base');
  const made = await run('bash', [path.join(HERE, 'base.sh'), base, release], { env: process.env, ms: HOUR_MS });
  assert.equal(made.code, 0, made.stderr);
  const root = path.join(FOLDER, `${name}-${process.pid}`);
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const copied = await run('cp', ['-a', base, root], { env: process.env, ms: HOUR_MS });
  assert.equal(copied.code, 0, copied.stderr);
  return new System(root);
}

/** The sources of the project, as a clone has them. */
export async function copySources(to) {
  mkdirSync(to, { recursive: true });
  const copied = await run('bash', ['-ec', '. "$1/scripts/install.sh"; copy_sources "$1" "$2"', 'bash', TOP, to], { env: process.env, ms: HOUR_MS });
  assert.equal(copied.code, 0, copied.stderr);
}

// The folder of a release (./release): if it is set, its packages are tried, and none is built.
export const RELEASE = process.env.RELEASE && path.resolve(TOP, process.env.RELEASE);

const MACHINES = { amd64: 'x86_64', arm64: 'aarch64', 'macos-universal': 'universal', 'windows-amd64': 'x86_64' };
const SYSTEMS = { macos: 'darwin', windows: 'win32' };
const systemOf = (arch) => arch.match(/^(macos|windows)-/)?.[1] ?? 'linux';

/** What ./release calls a package; its bundle is for all machines. */
const NAMES = {
  deb: (version, arch) => `vaultd_${version}_${arch}.deb`,
  tar: (version, arch) => `vaultd-${version}-${systemOf(arch)}-${MACHINES[arch]}.tar.gz`,
  zip: (version, arch) => `vaultd-${version}-windows-${MACHINES[arch]}.zip`,
  npm: (version, arch) => `vaultd-${SYSTEMS[systemOf(arch)] ?? 'linux'}-${arch.endsWith('amd64') ? 'x64' : 'arm64'}-${version}.tgz`,
  mcpb: (version) => `vaultd-${version}.mcpb`,
};

function findPackages(kind, archs) {
  const version = readFileSync(path.join(TOP, 'meson.build'), 'utf8').match(/^ +version: '(.*)'/m)[1];
  const here = kind === 'zip' ? 'windows-amd64' : { x64: 'amd64' }[process.arch] ?? process.arch;
  const names = (archs.length > 0 ? archs : [here]).map((arch) => NAMES[kind](version, arch));
  if (kind === 'npm') names.push(`vaultd-${version}.tgz`);
  return [...new Set(names)].map((name) => path.join(RELEASE, name));
}

/** Packages of a kind, for this machine or for others, built here unless there is a release; their paths. */
export async function makePackages(kind, ...archs) {
  if (RELEASE) return findPackages(kind, archs);
  const made = await run(path.join(TOP, 'package'), [kind, ...archs.flatMap((arch) => ['--arch', arch])], { env: process.env, ms: HOUR_MS });
  assert.equal(made.code, 0, made.stderr.slice(-4000));
  return made.stdout.trim().split('\n');
}

export const makePackage = async (kind, ...archs) => (await makePackages(kind, ...archs)).at(-1);

export const copyIn = (system, from, to) => cpSync(from, system.path(to), { recursive: true });
