// meson install, and the systemd units it installs.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test, { after } from 'node:test';
import { EXAMPLE_VAULT, Server, Session, TOP, VAULTD, cleanEnv, run, tempDir, until, untilQuiet } from '../support.mjs';

const BUILD = path.resolve(path.dirname(VAULTD), '../..');

const INSTALLED = [
  'bin/vaultd', 'etc/vaultd/vaultd.env', 'lib/systemd/system/vaultd.service', 'lib/systemd/system/vaultd.socket', 'lib/systemd/user/vaultd.service',
  'share/man/man1/vaultd.1', 'share/man/man1/vaultd-search.1', 'share/bash-completion/completions/vaultd', 'share/zsh/site-functions/_vaultd', 'share/fish/vendor_completions.d/vaultd.fish',
  'share/doc/vaultd/README.md', 'share/doc/vaultd/docs/install.md', 'share/doc/vaultd/examples/vault/Home.md', 'share/doc/vaultd/examples/systemd/sign-in.conf',
];

const ROOT = tempDir({ after });

async function installOnce() {
  const end = await run('meson', ['install', '-C', BUILD, '--no-rebuild', '--quiet', '--destdir', ROOT], { env: process.env });
  assert.equal(end.code, 0, end.stdout + end.stderr);
  return path.join(ROOT, 'usr/local');
}
let installed;
const install = () => (installed ??= installOnce());

/** The units in a separate folder, with an existing server. */
async function units(t, kind) {
  const from = path.join(await install(), 'lib/systemd', kind), to = tempDir(t);
  for (const name of readdirSync(from)) writeFileSync(path.join(to, name), readFileSync(path.join(from, name), 'utf8').replace('/usr/local/bin/vaultd', VAULTD));
  return to;
}

const analyze = (dir, ...args) => run('systemd-analyze', args, { cwd: dir, env: { ...cleanEnv(dir), XDG_RUNTIME_DIR: dir } });

test('meson install installs binary, manual, completions, units, documents and examples', async (t) => {
  const prefix = await install();
  for (const file of INSTALLED) assert.ok(existsSync(path.join(prefix, file)), file);
  assert.ok(!existsSync(path.join(prefix, 'share/doc/vaultd/examples/vault/.gitignore')));
  const page = readFileSync(path.join(prefix, 'share/man/man1/vaultd.1'), 'utf8');
  assert.equal(page, (await run(VAULTD, ['docs', 'man'], { env: cleanEnv(prefix) })).stdout);
});

test('systemd-analyze has no complaints about the units', async (t) => {
  const system = await units(t, 'system'), user = await units(t, 'user');
  for (const [dir, ...args] of [[system, './vaultd.service', './vaultd.socket'], [user, '--user', './vaultd.service']]) {
    const end = await analyze(dir, 'verify', '--man=no', ...args);
    assert.deepEqual([end.code, end.stderr], [0, ''], args.join(' '));
  }
});

test('nor about the drop-ins in the examples', async (t) => {
  const dir = await units(t, 'system'), extra = path.join(dir, 'vaultd.service.d');
  mkdirSync(extra);
  for (const name of ['sign-in.conf', 'vault.conf']) writeFileSync(path.join(extra, name), readFileSync(path.join(TOP, 'examples/systemd', name)));
  const end = await analyze(dir, 'verify', '--man=no', './vaultd.service', './vaultd.socket');
  assert.deepEqual([end.code, end.stderr], [0, '']);
});

test('SEC-96 the system service has an exposure of at most 1.5, with a regex compiler', async (t) => {
  const dir = await units(t, 'system');
  const end = await analyze(dir, 'security', '--offline=true', '--threshold=15', './vaultd.service');
  assert.equal(end.code, 0, end.stdout + end.stderr);
  assert.ok(Number(end.stdout.match(/exposure level for vaultd.service: ([\d.]+)/)[1]) <= 1.5);
  assert.doesNotMatch(readFileSync(path.join(dir, 'vaultd.service'), 'utf8'), /^MemoryDenyWriteExecute/m);
});

test('vaultd.env sets nothing, and everything it suggests is a setting', () => {
  const settings = readFileSync(path.join(TOP, 'docs/settings.md'), 'utf8');
  const lines = readFileSync(path.join(TOP, 'packaging/systemd/vaultd.env'), 'utf8').split('\n');
  assert.ok(lines.every((line) => line === '' || line.startsWith('#')));
  const names = lines.flatMap((line) => line.match(/^#([A-Z_]+)=/)?.[1] ?? []);
  assert.ok(names.length >= 3);
  for (const name of names) assert.ok(settings.includes(`\`${name}\``), name);
});

// As systemd would start it: an open socket, a notify socket, a watchdog.
const SYSTEMD = `
import os, socket, sys
notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
notify.bind(sys.argv[1])
door = socket.create_server(("127.0.0.1", 0))
print("port", door.getsockname()[1], flush=True)
pid = os.fork()
if pid == 0:
    os.dup2(door.fileno(), 3, True)
    own = str(os.getpid())
    os.environ.update(LISTEN_PID=own, LISTEN_FDS="1", NOTIFY_SOCKET=sys.argv[1], WATCHDOG_PID=own, WATCHDOG_USEC=sys.argv[2])
    os.execv(sys.argv[3], sys.argv[3:])
print("pid", pid, flush=True)
while True:
    text = notify.recv(4096).decode()
    print(text, flush=True)
    if text == "STOPPING=1":
        sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
`;

test('started by systemd: activated, ready, and watched', async (t) => {
  const dir = tempDir(t);
  const child = spawn('python3', ['-c', SYSTEMD, path.join(dir, 'notify'), '1000000', VAULTD, 'serve', EXAMPLE_VAULT],
    { env: cleanEnv(dir, { STATE_DIR: path.join(dir, 'state') }), stdio: ['ignore', 'pipe', 'pipe'] });
  const server = new Server(child, 'vaultd under systemd');
  let heard = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (heard += text));
  const pid = async () => Number((await until('its number', () => heard.match(/^pid (\d+)$/m)))[1]);
  server.guard(t, async () => process.kill(await pid(), 'SIGKILL'));
  server.port = Number((await until('a port', () => heard.match(/^port (\d+)$/m)))[1]);

  const session = await Session.open(server); // it waits in the socket until the server is ready
  assert.match((await session.call('vault_read', { path: 'Home.md' })).text, /Home/);
  await until('READY=1', () => heard.includes('READY=1\n'));
  await until('the watchdog hears of it again and again', () => heard.split('WATCHDOG=1\n').length > 3);
  assert.ok(heard.indexOf('READY=1') < heard.indexOf('WATCHDOG=1'));

  process.kill(await pid(), 'SIGSTOP'); // a hung process sends no notifications
  await untilQuiet(() => heard, 300); // what it sent before has arrived
  const before = heard.length;
  await new Promise((done) => setTimeout(done, 2500));
  assert.equal(heard.length, before);
  process.kill(await pid(), 'SIGCONT');
  await until('it is back', () => heard.length > before);

  process.kill(await pid(), 'SIGTERM');
  await until('STOPPING=1', () => heard.includes('STOPPING=1'));
  await server.endsCleanly();
});
