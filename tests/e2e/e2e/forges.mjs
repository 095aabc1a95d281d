// Real servers of git repositories on loopback: OpenSSH's sshd, and nginx with fcgiwrap and git's own
// http-backend, with TLS from a private authority. Each can be stopped and restarted on its port, with
// everything it needs in a temp folder.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Server, cleanEnv, run, tempDir, until, within } from '../support.mjs';
import { freePort } from './people.mjs';
import { answers, certificate } from './proxies.mjs';

/** Programs that serve together on a port; commands() says how each is started. */
class Forge {
  #running = [];

  constructor(t, port, dir) {
    Object.assign(this, { port, dir });
    t.after(() => this.stop());
  }

  async start() {
    const env = cleanEnv(this.dir);
    this.#running = this.commands().map(([program, ...args]) =>
      new Server(spawn(program, args, { env, cwd: this.dir, detached: true, stdio: ['ignore', 'ignore', 'pipe'] }), program));
    await until('the forge listens', async () => {
      for (const one of this.#running) if (one.end) throw new Error(`${one.name} ended: ${one.stderr}`);
      return answers(this.port);
    });
  }

  /** Including all their children, which would keep our pipes open otherwise. */
  async stop() {
    for (const one of this.#running) if (!one.end) process.kill(-one.pid, 'SIGKILL');
    await Promise.all(this.#running.map((one) => within(one.ended, `${one.name} ends`)));
    this.#running = [];
  }
}

/* --- ssh --- */

const KEYS = { ed25519: ['-t', 'ed25519'], rsa: ['-t', 'rsa', '-b', '3072'] };

export async function makeKey(file, kind = 'ed25519') {
  const end = await run('ssh-keygen', ['-q', ...KEYS[kind], '-N', '', '-C', 'test', '-f', file], { env: cleanEnv(path.dirname(file)) });
  assert.equal(end.code, 0, end.stderr);
  return file;
}

class SshForge extends Forge {
  commands() {
    if (process.getuid() === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 }); // the folder it wants for chroot
    return [['/usr/sbin/sshd', '-D', '-e', '-f', path.join(this.dir, 'sshd_config')]];
  }

  /** The keys that are accepted from now on. */
  allow(...keys) {
    writeFileSync(path.join(this.dir, 'authorized_keys'), keys.map((key) => readFileSync(`${key}.pub`)).join(''));
  }

  /** The host key it uses from its next start on. */
  becomeHost(key) {
    copyFileSync(key, path.join(this.dir, 'host_key'));
    copyFileSync(`${key}.pub`, path.join(this.dir, 'host_key.pub'));
  }

  /** Its line in a known-hosts file. */
  hostLine(key) {
    return `[127.0.0.1]:${this.port} ${readFileSync(`${key}.pub`, 'utf8')}`;
  }
}

/** sshd with a repository; args are for vaultd: the URL, a key of that kind, the known hosts. */
export async function startSsh(t, repository, kind = 'ed25519') {
  const dir = tempDir(t);
  const at = (name) => path.join(dir, name);
  const forge = new SshForge(t, await freePort(), dir);
  forge.key = await makeKey(at('id'), kind);
  forge.host = await makeKey(at('host'));
  forge.knownHosts = at('known_hosts');
  writeFileSync(forge.knownHosts, forge.hostLine(forge.host));
  writeFileSync(at('sshd_config'), `
Port ${forge.port}
ListenAddress 127.0.0.1
HostKey ${dir}/host_key
PidFile none
AuthorizedKeysFile ${dir}/authorized_keys
AuthenticationMethods publickey
StrictModes no
KexAlgorithms curve25519-sha256
UsePAM no
`);
  forge.becomeHost(forge.host);
  forge.allow(forge.key);
  await forge.start();
  forge.url = `ssh://${os.userInfo().username}@127.0.0.1:${forge.port}${repository}`;
  forge.args = ['--git-remote', forge.url, '--git-ssh-key', forge.key, '--git-known-hosts', forge.knownHosts];
  forge.secrets = readFileSync(forge.key, 'utf8').split('\n').slice(1, 4); // these include lines of the private part
  return forge;
}

/* --- https --- */

class HttpsForge extends Forge {
  commands() {
    return [
      ['/usr/sbin/fcgiwrap', '-c', '4', '-s', `unix:${this.socket()}`],
      ['/usr/sbin/nginx', '-p', this.dir, '-c', path.join(this.dir, 'nginx.conf'), '-e', 'stderr'],
    ];
  }

  #started = 0;
  socket() {
    return path.join(this.dir, `fcgi-${this.#started}`);
  }

  /** A leftover socket file cannot be listened on again. */
  async start() {
    this.#started++;
    this.configure();
    await super.start();
    await until('fcgiwrap listens', () => existsSync(this.socket()));
  }

  /** The token that is accepted from now on. */
  allow(token) {
    const hash = execFileSync('openssl', ['passwd', '-apr1', '-stdin'], { input: token, encoding: 'utf8' });
    writeFileSync(path.join(this.dir, 'htpasswd'), `ann:${hash}`);
  }
}

/** nginx with a repository; args are for vaultd: the URL, the token file, the authority. */
export async function startHttps(t, repository) {
  const dir = tempDir(t);
  const tls = await certificate(t);
  const forge = new HttpsForge(t, await freePort(), dir);
  const backend = path.join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`).join('\n');
  forge.configure = () => writeFileSync(path.join(dir, 'nginx.conf'), `
daemon off; master_process off; pid ${dir}/pid; error_log stderr warn;
events {}
http { access_log off; ${temporary}
server {
  listen 127.0.0.1:${forge.port} ssl;
  ssl_certificate ${tls.cert}; ssl_certificate_key ${tls.key};
  auth_basic "notes"; auth_basic_user_file ${dir}/htpasswd;
  location / {
    client_max_body_size 0;
    fastcgi_pass unix:${forge.socket()};
    fastcgi_param SCRIPT_FILENAME ${backend};
    fastcgi_param GIT_PROJECT_ROOT ${path.dirname(repository)};
    fastcgi_param GIT_HTTP_EXPORT_ALL 1;
    fastcgi_param GIT_CONFIG_NOSYSTEM 1;
    fastcgi_param PATH_INFO $uri;
    fastcgi_param QUERY_STRING $query_string;
    fastcgi_param REQUEST_METHOD $request_method;
    fastcgi_param CONTENT_TYPE $content_type;
    fastcgi_param CONTENT_LENGTH $content_length;
    fastcgi_param REMOTE_USER $remote_user;
  }
} }`);
  forge.token = path.join(dir, 'token');
  forge.secrets = ['first-of-all-tokens'];
  writeFileSync(forge.token, `${forge.secrets[0]}\n`);
  forge.allow(forge.secrets[0]);
  await forge.start();
  forge.url = `https://127.0.0.1:${forge.port}/${path.basename(repository)}`;
  forge.credentials = ['--git-remote', forge.url, '--git-token-file', forge.token, '--git-token-user', 'ann'];
  forge.args = [...forge.credentials, '--git-ca-file', tls.ca];
  return forge;
}

/* --- a server that never answers --- */

/** Accepts connections on a port and never sends anything. */
export async function startMute(t, port) {
  const sockets = [];
  const mute = net.createServer((socket) => sockets.push(socket.on('error', () => {}).resume())).listen(port, '127.0.0.1');
  await new Promise((done, no) => mute.once('listening', done).once('error', no));
  const leave = () => {
    for (const socket of sockets) socket.destroy();
    return new Promise((done) => mute.close(done));
  };
  t.after(leave);
  return { leave, visited: (n = 1) => until(`${n} connections`, () => sockets.length >= n), isVisited: () => sockets.some((s) => !s.destroyed) };
}

export const FORGES = { ssh: startSsh, https: startHttps };
