// Settings: an invalid one is named with its valid values, before anything is served.
import assert from 'node:assert/strict';
import { symlinkSync, writeFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import test from 'node:test';
import { EXAMPLE_VAULT, VAULTD, assertNoSanitizer, cleanEnv, copyVault, initializeMessage, modernMessage, post, postModern, run, startHttp, startStdio, tempDir } from '../support.mjs';

const VAULT = EXAMPLE_VAULT;

const tried = (t, args, env = {}) => run(VAULTD, args, { env: cleanEnv(tempDir(t), env) });

// what, arguments, environment, what stderr must say
const WRONG = [
  ['an unknown flag, with a suggestion', ['serve', '--vault-pth', VAULT], {}, /unknown option '--vault-pth'; did you mean '--vault-path'\?/],
  ['another one', ['--prot', '1', VAULT], {}, /'--prot'; did you mean '--port'\?/],
  ['an unknown flag without a suggestion', ['--frobnicate', VAULT], {}, /unknown option '--frobnicate'; see --help/],
  ['an unknown letter', ['-x', VAULT], {}, /unknown option '-x'/],
  ['a flag without its value', [VAULT, '--port'], {}, /--port/],
  ['a port out of range', ['--port', '99999', VAULT], {}, /--port: '99999' is not a whole number from 0 to 65535/],
  ['a negative port', ['--port=-1', VAULT], {}, /--port: '-1'/],
  ['a port that is not a number', ['--port', '80a', VAULT], {}, /--port: '80a'/],
  ['an empty port', ['--port=', VAULT], {}, /--port/],
  ['the same in the environment', [VAULT], { PORT: 'abc' }, /PORT: 'abc' is not a whole number/],
  ['address and port that contradict each other', [VAULT], { LISTEN_ADDR: '127.0.0.1:8090', PORT: '8091' }, /listen-addr '127\.0\.0\.1:8090' and port 8091 contradict/],
  ['the same by flags', ['--listen-addr', '127.0.0.1:8090', '--port', '8091', VAULT], {}, /contradict/],
  ['a port that is only the tail of the other', ['--listen-addr', '127.0.0.1:18090', '--port', '8090', VAULT], {}, /contradict/],
  ['an address for everyone', ['--listen-addr', '0.0.0.0:0', VAULT], {}, /listen-addr '0\.0\.0\.0:0' makes the server reachable by others.*--auth none/],
  ['the short form of it', ['--listen-addr', ':0', VAULT], {}, /':0' makes the server reachable/],
  ['the IPv6 form of it', ['--listen-addr', '[::]:0', VAULT], {}, /reachable/],
  ['the same in the environment', [VAULT], { LISTEN_ADDR: '0.0.0.0:0' }, /reachable/],
  ['a public URL', ['--server-url', 'https://vault.example', VAULT], {}, /server-url 'https:\/\/vault\.example' makes the server reachable by others.*vaultd key add/],
  ['the same with state in memory', ['--server-url', 'https://vault.example', '--state', 'memory', VAULT], {}, /reachable/],
  ['the same on a unix socket', ['--server-url', 'https://vault.example', '--listen-addr', 'unix:/tmp/vaultd-never.sock', VAULT], {}, /reachable/],
  ['an allowed host of another machine', ['--allowed-hosts', 'localhost,nas', VAULT], {}, /allowed-hosts 'nas' makes/],
  ['a proxy', ['--trusted-proxies', '127.0.0.1', VAULT], {}, /trusted-proxies '127\.0\.0\.1' makes/],
  ['an invalid address', ['--listen-addr', 'nonsense', VAULT], {}, /listen-addr: .*'nonsense'/],
  ['a name instead of an address', ['--listen-addr', 'example.com:80', VAULT], {}, /listen-addr: .*'example\.com:80'/],
  ['a socket without path', ['--listen-addr', 'unix:', VAULT], {}, /listen-addr: .*unix/],
  ['a socket path too long', ['--listen-addr', `unix:/${'x'.repeat(200)}`, VAULT], {}, /listen-addr: .*unix/],
  ['no vault', ['serve'], {}, /--vault-path.*VAULT_PATH/],
  ['a missing vault', ['serve', '/nonexistent/vault'], {}, /\/nonexistent\/vault|vault/],
  ['a vault that is a file', ['serve', path.join(VAULT, 'Home.md')], {}, /Home\.md|folder/],
  ['a missing vault, over stdio', ['serve', '--stdio', '/nonexistent/vault'], {}, /vault/],
  ['two vaults', ['serve', VAULT, '/tmp'], {}, /'\/tmp' is a second vault/],
  ['a vault in two ways', ['serve', '--vault-path', VAULT, '/tmp'], {}, /is a second vault/],
  ['two variables that contradict each other', [], { VAULT_PATH: VAULT, OBSIDIAN_VAULT_PATH: '/tmp' }, /VAULT_PATH and OBSIDIAN_VAULT_PATH contradict/],
  ['an unknown log level', ['--log-level', 'loud', VAULT], {}, /--log-level: 'loud' is not one of debug, info, warn, error/],
  ['the same in the environment', [VAULT], { LOG_LEVEL: 'loud' }, /LOG_LEVEL: 'loud'/],
  ['an unknown log format', ['--log-format', 'xml', VAULT], {}, /--log-format: 'xml' is not one of text, json/],
  ['an unknown kind of auth', ['--auth', 'maybe', VAULT], {}, /--auth: 'maybe'/],
  ['a server URL of another kind', ['--server-url', 'ftp://x', VAULT], {}, /server-url .*'ftp:\/\/x'/],
  ['too few lines', ['--read-lines', '0', VAULT], {}, /--read-lines: '0'/],
  ['too few connections', ['--max-connections', '0', VAULT], {}, /--max-connections: '0'/],
  ['a switch that is neither on nor off', ['--stdio=maybe', VAULT], {}, /--stdio: 'maybe' is not on or off/],
  ['an unknown page of the manual', ['docs', 'nothing'], {}, /one page: settings\|tools\|man\|man-COMMAND\|bash\|zsh\|fish/],
];

test('an invalid setting is named, on stderr only, with exit 2', async (t) => {
  for (const [what, args, env, says] of WRONG)
    await t.test(`${what}: ${args.filter((a) => a !== VAULT).join(' ').slice(0, 60)}${Object.entries(env).map(([k, v]) => ` ${k}=${v === VAULT ? '…' : v}`).join('')}`, async (t) => {
      const end = await tried(t, args, env);
      assertNoSanitizer(end.stderr, 'vaultd');
      assert.equal(end.code, 2, end.stderr);
      assert.match(end.stderr, says);
      assert.match(end.stderr, /^vaultd: [^\n]+\n$/, 'one line');
      assert.equal(end.stdout, '');
    });
});

test('an address in use is not an invalid setting: exit 1', async (t) => {
  const taken = net.createServer();
  await new Promise((done) => taken.listen(0, '127.0.0.1', done));
  t.after(() => taken.close());
  const end = await tried(t, ['--port', String(taken.address().port), VAULT]);
  assert.equal(end.code, 1);
  assert.match(end.stderr, new RegExp(`127\\.0\\.0\\.1:${taken.address().port}`));
});

test('a port that vaultd itself uses is explained as such', async (t) => {
  const server = await startHttp(t, { vault: VAULT });
  const end = await run(VAULTD, ['serve', VAULT, '--port', String(server.port)], { env: cleanEnv(tempDir(t), { STATE_DIR: server.state }) });
  assert.equal(end.code, 1);
  assert.match(end.stderr, new RegExp(`port ${server.port} is in use by vaultd: process ${server.child.pid} serves .* on 127\\.0\\.0\\.1:${server.port}; vaultd status shows it, --port takes another one`));
});

/** Lines of the long note that vault_read returns. */
async function linesShown(io) {
  const { result } = await io.modern('tools/call', { name: 'vault_read', arguments: { path: 'Areas/Garden/Garden log 2026.md' } });
  return JSON.parse(result.content[0].text).showing[1];
}

test('a flag wins over the environment, which wins over the default', async (t) => {
  await t.test('the default', async (t) => assert.equal(await linesShown(startStdio(t)), 200));
  await t.test('the environment', async (t) => assert.equal(await linesShown(startStdio(t, { env: { READ_LINES: '7' } })), 7));
  await t.test('an empty variable counts as unset', async (t) => assert.equal(await linesShown(startStdio(t, { env: { READ_LINES: '' } })), 200));
  await t.test('the flag', async (t) => assert.equal(await linesShown(startStdio(t, { args: ['--read-lines', '9'], env: { READ_LINES: '7' } })), 9));
  await t.test('the flag, even if the variable is invalid', async (t) => assert.equal(await linesShown(startStdio(t, { args: ['--read-lines=9'], env: { READ_LINES: 'x' } })), 9));
  await t.test('the last flag of two', async (t) => assert.equal(await linesShown(startStdio(t, { args: ['--read-lines=8', '--read-lines', '9'] })), 9));
  await t.test('one port by flag, another in the environment', async (t) => {
    const server = await startHttp(t, { env: { PORT: '1', LOG_LEVEL: 'info' } }); // startHttp passes --port 0
    assert.notEqual(server.port, 1);
  });
  await t.test('an address by flag, a port in the environment, and the other way around', async (t) => {
    await startHttp(t, { listen: '127.0.0.1:0', env: { PORT: '1' } });
    const server = await startHttp(t, { env: { LISTEN_ADDR: '127.0.0.1:1' } });
    assert.notEqual(server.port, 1);
  });
  await t.test('the vault of the command line, whatever the environment says', async (t) => {
    const dir = tempDir(t);
    for (const args of [['--vault-path', VAULT], ['serve', VAULT], ['--vault', `a=${VAULT}`], ['--vaults-dir', dir]])
      for (const env of [{ VAULT_PATH: '/nonexistent' }, { VAULTS: 'b=/nonexistent' }, { VAULTS_DIR: '/nonexistent/dir' }, { VAULT_PATH: '/x', VAULTS: 'b=/y', VAULTS_DIR: '/z' }]) {
        const end = await run(VAULTD, [...args, '--stdio'], { env: cleanEnv(tempDir(t), env), input: '' });
        assert.equal(end.code, 0, `${args} ${JSON.stringify(env)}: ${end.stderr}`);
      }
  });
  await t.test('the vault of the command line, for doctor, connect and other commands', async (t) => {
    const other = copyVault(t);
    writeFileSync(path.join(other, 'Only.md'), 'here\n');
    for (const env of [{ VAULT_PATH: VAULT }, { VAULTS: `b=${VAULT}` }, { VAULTS_DIR: '/nonexistent/dir' }]) {
      const full = cleanEnv(tempDir(t), env);
      for (const args of [[other], ['--vault-path', other], ['--vault', `a=${other}`]]) {
        const { stdout } = await run(VAULTD, ['doctor', ...args], { env: full });
        assert.match(stdout, new RegExp(other), `doctor ${args} ${JSON.stringify(env)}: ${stdout}`);
        assert.doesNotMatch(stdout, new RegExp(VAULT), `doctor ${args}`);
      }
      for (const args of [['-v', other], ['--vaults', `a=${other}`], ['--vaults', `a=${other}`, '--vault', 'a']])
        assert.equal((await run(VAULTD, ['read', 'Only.md', ...args], { env: full })).code, 0, `read ${args} ${JSON.stringify(env)}`);
      const { stdout } = await run(VAULTD, ['connect', 'claude-code', '--vault', `a=${other}`], { env: full });
      assert.match(stdout, new RegExp(`a=${other}`), `connect: ${stdout}`);
      assert.doesNotMatch(stdout, /--vault-path/);
    }
    const both = await run(VAULTD, ['read', 'Only.md', '-v', other, '--vault', 'a', '--vaults', `a=${other}`], { env: cleanEnv(tempDir(t)) });
    assert.equal(both.code, 2);
    assert.match(both.stderr, /not both/);
  });
});

test('valid settings', async (t) => {
  const serves = async (t, args, env, input = '{"jsonrpc":"2.0","id":1,"method":"ping"}\n') => {
    const end = await run(VAULTD, args, { env: cleanEnv(tempDir(t), env), input });
    assert.equal(end.code, 0, end.stderr);
    assert.equal(end.stdout, '{"jsonrpc":"2.0","id":1,"result":{}}\n');
    assertNoSanitizer(end.stderr, 'vaultd');
    return end;
  };
  await t.test('the vault from either variable, or the same in both', async (t) => {
    await serves(t, ['--stdio'], { VAULT_PATH: VAULT });
    await serves(t, ['--stdio'], { OBSIDIAN_VAULT_PATH: VAULT });
    await serves(t, ['serve', '--stdio'], { VAULT_PATH: VAULT, OBSIDIAN_VAULT_PATH: VAULT });
  });
  await t.test('the vault as an argument, after --, with spaces, and through a link', async (t) => {
    const odd = path.join(tempDir(t), '--a vault with blanks');
    symlinkSync(copyVault(t), odd);
    await serves(t, ['serve', '--stdio', '--', odd], {});
    await serves(t, ['--stdio', `--vault-path=${odd}`], {});
  });
  await t.test('an address and a port that agree', async (t) => {
    const free = net.createServer();
    await new Promise((done) => free.listen(0, '127.0.0.1', done));
    const { port } = free.address();
    await new Promise((done) => free.close(done));
    await startHttp(t, { port, env: { LISTEN_ADDR: `127.0.0.1:${port}` } });
  });
  for (const listen of ['0.0.0.0:0', ':0', '127.0.0.1:0', 'localhost:0'])
    await t.test(`${listen}, without sign-in if configured so`, async (t) => {
      const server = await startHttp(t, { listen, args: ['--auth', 'none'] });
      assert.equal((await postModern(server, modernMessage('server/discover'))).status, 200);
      assert.equal((await postModern(server, modernMessage('server/discover'), { origin: 'https://evil.example' })).status, 403);
    });
  await t.test('stdio does not listen, so no address is invalid', async (t) => {
    await serves(t, ['--stdio', VAULT], { LISTEN_ADDR: '0.0.0.0:0' });
  });
  await t.test('logs as JSON lines', async (t) => {
    const end = await serves(t, ['--stdio', '--log-format', 'json', VAULT], {});
    for (const line of end.stderr.trimEnd().split('\n')) assert.equal(typeof JSON.parse(line), 'object');
  });
  await t.test('nothing below the level is logged', async (t) => assert.equal((await serves(t, ['--stdio', '--log-level', 'error', VAULT], {})).stderr, ''));
  await t.test('a state folder that cannot be created fails the first session, not the start', async (t) => {
    const file = path.join(tempDir(t), 'file');
    writeFileSync(file, '');
    const server = await startHttp(t, { args: ['--state-dir', path.join(file, 'state')] });
    assert.equal((await postModern(server, modernMessage('server/discover'))).status, 200);
    const refused = await post(server, initializeMessage());
    assert.equal(refused.message.error.code, -32603, refused.text);
    assert.equal(refused.headers['mcp-session-id'], undefined);
    assert.ok(!refused.text.includes(file), 'no path of the machine goes to a client');
  });
});
