// Real proxies in front of several replicas, configured with the files in examples/proxy: only names, ports and
// certificates are changed.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Server, TOP, cleanEnv, tempDir, until } from '../support.mjs';
import { answers } from './proxies.mjs';

const example = (name) => readFileSync(path.join(TOP, 'examples/proxy', name), 'utf8');

function nginx(dir, port, backends) {
  const servers = backends.map((backend) => `server 127.0.0.1:${backend} max_fails=1 fail_timeout=2s;`).join('\n');
  const site = example('nginx-replicas.conf').replace(/( *server 10\.0\.0\.1\d:8090.*\n)+/g, `${servers}\n`).replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
    .replace(/ *ssl_certificate.*\n/g, '').replace('server_name vault.example.com', 'server_name 127.0.0.1');
  for (const backend of backends) assert.ok(site.includes(`:${backend}`));
  assert.doesNotMatch(site, /10\.0\.0/);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${dir}/${name};`).join('\n');
  writeFileSync(path.join(dir, 'nginx.conf'), `daemon off; master_process off; pid ${dir}/pid; error_log stderr error;\nevents {}\nhttp { access_log off; ${temporary}\n${site}\n}`);
  return ['/usr/sbin/nginx', ['-p', dir, '-c', path.join(dir, 'nginx.conf'), '-e', 'stderr']];
}

function caddy(dir, port, backends) {
  assert.equal(backends.length, 2, 'as in the example');
  let site = example('Caddyfile-replicas').replace('vault.example.com {', `http://127.0.0.1:${port} {\n\tbind 127.0.0.1`)
    .replace('Host vault.example.com', `Host 127.0.0.1:${port}`);
  // no replica here hangs, but the machine may be too busy to answer within two seconds
  for (const limit of ['health_timeout', 'dial_timeout']) {
    assert.ok(site.includes(`${limit} 2s`));
    site = site.replace(`${limit} 2s`, `${limit} 60s`);
  }
  for (const [i, backend] of backends.entries()) site = site.replaceAll(`10.0.0.1${i + 1}:8090`, `127.0.0.1:${backend}`);
  assert.doesNotMatch(site, /example\.com|10\.0\.0/);
  assert.doesNotMatch(site, /^\s*(buffer_requests|request_buffers)/m, 'with them, Caddy mixes up bodies');
  writeFileSync(path.join(dir, 'Caddyfile'), `{\n\tadmin off\n}\n${site}`);
  return ['/usr/bin/caddy', ['run', '--adapter', 'caddyfile', '--config', path.join(dir, 'Caddyfile')]];
}

export const FRONTS = { nginx, caddy };

/** Which of them send a call to another replica if one cannot be reached. Caddy would mix up the bodies of calls (see its example). */
export const REPEATS = { nginx: true, caddy: false };

/** Start one on a port, in front of these ports. */
export async function startFront(t, kind, port, backends) {
  const dir = tempDir(t);
  const [program, args] = FRONTS[kind](dir, port, backends);
  const env = cleanEnv(dir, { XDG_DATA_HOME: dir, XDG_CONFIG_HOME: dir });
  const proxy = new Server(spawn(program, args, { env, cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] }), kind);
  t.after(async () => {
    proxy.child.kill('SIGKILL');
    await proxy.ended;
  });
  await until(`${kind} listens`, () => {
    if (proxy.end) throw new Error(`${kind} ended: ${proxy.stderr}`);
    return answers(port);
  });
}
