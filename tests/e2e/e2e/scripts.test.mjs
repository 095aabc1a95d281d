// The scripts at the top explain themselves; and where clients find a server, only the server itself says.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { EXAMPLE_VAULT, TOP, VAULTD, cleanEnv, fetchHttp, run, tempDir, until } from '../support.mjs';

const script = (t, name, ...args) => run(path.join(TOP, name), args, { env: cleanEnv(tempDir(t), { PATH: process.env.PATH }) });

for (const name of ['run', 'test', 'package', 'release'])
  for (const flag of ['--help', '-h'])
    test(`./${name} ${flag}`, async (t) => {
      const { code, stdout, stderr } = await script(t, name, flag);
      assert.deepEqual([code, stderr], [0, '']);
      assert.ok(stdout.startsWith(`usage: ./${name} `) && stdout.split('\n').length > 8, stdout);
    });

test('what the scripts do not understand', async (t) => {
  const unknown = await script(t, 'package', 'rpm');
  assert.equal(unknown.code, 2);
  assert.match(unknown.stderr, /^usage: \.\/package deb\|mcpb\|model\|npm\|tar\|zip /);
  for (const words of [['tar', '--arch'], ['tar', '--arch', 'i386'], ['deb', 'arm64'], ['zip', '--arch', 'amd64'], ['deb', '--arch', 'windows-amd64'], ['npm', '--arch', 'macos-universal']]) assert.equal((await script(t, 'package', ...words)).code, 2, words.join(' '));
  const missing = await script(t, 'run', '/nowhere/at/all');
  assert.equal(missing.code, 2);
  assert.match(missing.stderr, /no such folder: '\/nowhere\/at\/all'/);
});

test('./run says nothing about addresses of its own', () => {
  assert.doesNotMatch(readFileSync(path.join(TOP, 'run'), 'utf8'), /https?:|8090/);
});

/** vaultd serve on a terminal; says(pattern) waits for it on the screen. */
function onTerminal(t, ...args) {
  const child = spawn('script', ['-qefc', [VAULTD, 'serve', ...args, EXAMPLE_VAULT].map((word) => `'${word}'`).join(' '), '/dev/null'], {
    env: cleanEnv(tempDir(t), { STATE_DIR: path.join(tempDir(t), 'state'), TERM: 'xterm', SHELL: '/bin/sh' }), stdio: ['pipe', 'pipe', 'pipe'],
  });
  let screen = '';
  child.stdout.on('data', (data) => (screen += data));
  t.after(async () => {
    const ended = new Promise((done) => child.once('exit', done));
    child.stdin.write('\x03');
    await ended;
  });
  return (pattern) => until(String(pattern), () => screen.match(pattern));
}

test('on a terminal, a server says where it listens and how to connect', async (t) => {
  const says = onTerminal(t, '--listen-addr', '127.0.0.1:0');
  const [, port] = await says(/^ {2}URL +http:\/\/127\.0\.0\.1:(\d+)\/mcp\r?$/m);
  await says(new RegExp(`claude mcp add --transport http vault http://127\\.0\\.0\\.1:${port}/mcp\r?$`, 'm'));
  await says(/vaultd connect --list/);
  assert.match((await fetchHttp({ port: Number(port) }, { method: 'GET', path: '/health' })).message.status, /ok|starting/);
});

test('on a terminal, a server with a public URL names that', async (t) => {
  const says = onTerminal(t, '--listen-addr', '127.0.0.1:0', '--server-url', 'https://vault.example.com/', '--auth', 'none');
  await says(/^ {2}URL +https:\/\/vault\.example\.com\/mcp\r?$/m);
});
