// Real proxies on loopback, configured with the files in examples/proxy: only name, ports and
// certificate are changed, and whatever a test adds to break them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { SHIFTED, Server, TOP, VAULTD, cleanEnv, run, tempDir, until } from '../support.mjs';
import { freePort, startWithPeople } from './people.mjs';

/** A certificate for localhost, and the authority that vouches for it. */
export async function certificate(t) {
  const dir = tempDir(t);
  const at = (name) => path.join(dir, name);
  const openssl = async (...args) => {
    const end = await run('openssl', args, { env: cleanEnv(dir, SHIFTED ? { LD_PRELOAD: '' } : {}), cwd: dir });
    assert.equal(end.code, 0, end.stderr);
  };
  const days = SHIFTED ? '2000' : '2'; // from the kernel's date on, which git and Caddy have, until the shifted one
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  writeFileSync(at('names'), 'subjectAltName=DNS:localhost,IP:127.0.0.1\n');
  await openssl('req', '-x509', ...ec, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', days, '-subj', '/CN=vaultd tests');
  await openssl('req', ...ec, '-keyout', 'key.pem', '-out', 'request.pem', '-subj', '/CN=localhost');
  await openssl('x509', '-req', '-in', 'request.pem', '-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', days, '-extfile', 'names', '-out', 'cert.pem');
  return { ca: at('ca.pem'), cert: at('cert.pem'), key: at('key.pem') };
}

/** Text with every pair replaced; each must occur. */
function replaced(text, pairs) {
  for (const [from, to] of pairs) {
    assert.ok(text.includes(from), `the example has ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

const example = (name) => readFileSync(path.join(TOP, 'examples/proxy', name), 'utf8');

function nginx(dir, { port, backend, tls, change }) {
  const site = replaced(example('nginx.conf'), [
    ['listen 443 ssl', `listen 127.0.0.1:${port} ssl`],
    ['/etc/letsencrypt/live/vault.example.com/fullchain.pem', tls.cert],
    ['/etc/letsencrypt/live/vault.example.com/privkey.pem', tls.key],
    ['server_name vault.example.com', 'server_name localhost'],
    ['127.0.0.1:8090', `127.0.0.1:${backend}`],
  ]);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`).join('\n');
  writeFileSync(path.join(dir, 'nginx.conf'), `
daemon off; master_process off; pid ${dir}/pid; error_log stderr warn;
events {}
http { access_log off; ${temporary}
${change(site)}
}`);
  return ['/usr/sbin/nginx', ['-p', dir, '-c', path.join(dir, 'nginx.conf'), '-e', 'stderr']];
}

function caddy(dir, { port, backend, tls, change }) {
  const site = replaced(example('Caddyfile'), [
    ['vault.example.com {', `https://localhost:${port} {\n\tbind 127.0.0.1\n\ttls ${tls.cert} ${tls.key}`],
    ['127.0.0.1:8090', `127.0.0.1:${backend}`],
  ]);
  writeFileSync(path.join(dir, 'Caddyfile'), `{\n\tadmin off\n\tauto_https disable_redirects\n}\n${change(site)}`);
  return ['caddy', ['run', '--adapter', 'caddyfile', '--config', path.join(dir, 'Caddyfile')]];
}

export const PROXIES = { nginx, caddy };

/** Whether a server accepts connections there. */
export const answers = (port) =>
  new Promise((done) => {
    const socket = net.connect(port, '127.0.0.1', () => done(true)).on('error', () => done(false));
    socket.once('close', () => {}).setTimeout(1000, () => done(false));
    socket.on('connect', () => socket.destroy());
  });

/** Start one in front of a port; change may rewrite its configuration. */
export async function startProxy(t, kind, { port, backend, tls, change = (text) => text }) {
  const dir = tempDir(t);
  mkdirSync(path.join(dir, 'home'));
  const [program, args] = PROXIES[kind](dir, { port, backend, tls, change });
  const env = cleanEnv(path.join(dir, 'home'), { XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir });
  const proxy = new Server(spawn(program, args, { env, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] }), kind);
  t.after(async () => {
    proxy.child.kill('SIGKILL');
    await proxy.ended;
  });
  await until(`${kind} listens`, async () => {
    if (proxy.end) throw new Error(`${kind} ended: ${proxy.stderr}`);
    return answers(port);
  });
  return proxy;
}

/** vaultd with users behind a proxy; browsers and clients come through it. key: an API key. */
export async function startBehind(t, kind, { change, args = [], ...options } = {}) {
  const tls = await certificate(t);
  const port = await freePort();
  const state = path.join(tempDir(t), 'state');
  const url = `https://localhost:${port}`;
  const made = await run(VAULTD, ['key', 'add', 'doctor'], { env: cleanEnv(tempDir(t), { STATE_DIR: state }) });
  assert.equal(made.code, 0, made.stderr);
  const server = await startWithPeople(t, { url, state, args: ['--trusted-proxies', '127.0.0.1', ...args], ...options });
  server.proxy = await startProxy(t, kind, { port, backend: server.port, tls, change });
  server.front = { port, ca: readFileSync(tls.ca), servername: 'localhost' };
  server.tls = tls;
  server.key = made.stdout.trim();
  return server;
}
