// vaultd init on a terminal: what it asks, what it then does, and that it does nothing before.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, assertNoSanitizer, cleanEnv, copyVault, run, tempDir, until, within } from '../support.mjs';
import { Browser, startWithPeople } from './people.mjs';

const hasScript = ['/usr/bin/script', '/bin/script'].some((f) => existsSync(f));
const terminalTest = (name, body) => test(name, { skip: !hasScript && 'needs script of util-linux' }, body);

function makeHome(t) {
  const dir = path.join(tempDir(t), 'home');
  for (const name of ['Documents/Vault one/.obsidian', 'Documents/no vault', 'elsewhere/Two']) mkdirSync(path.join(dir, name), { recursive: true });
  mkdirSync(path.join(dir, '.config/obsidian'), { recursive: true });
  writeFileSync(path.join(dir, '.config/obsidian/obsidian.json'), JSON.stringify({ vaults: { a1: { path: path.join(dir, 'elsewhere/Two'), ts: 1, open: true }, b2: { path: '/gone' } } }));
  return dir;
}

/** Every file below a folder, with its text. */
const snapshot = (dir) => Object.fromEntries(readdirSync(dir, { recursive: true }).filter((f) => statSync(path.join(dir, f)).isFile()).map((f) => [f, readFileSync(path.join(dir, f), 'utf8')]));

/** vaultd init in its own terminal, which is wide enough for the paths, and without npm; answers are typed once their question is shown. */
class Terminal {
  constructor(t, home, env = {}) {
    this.child = spawn('script', ['-qefc', `stty cols 300; PATH='${env.PATH ?? '/nowhere'}' exec '${VAULTD}' init`, '/dev/null'], { env: cleanEnv(home, { PATH: '/usr/bin:/bin', TERM: 'dumb', SHELL: '/bin/sh', USER: 'ada', ...env }), cwd: home, stdio: ['pipe', 'pipe', 'pipe'] });
    this.text = '';
    this.seen = 0;
    this.child.stdout.on('data', (d) => (this.text += d));
    this.child.stdin.on('error', () => {});
    this.ended = new Promise((done) => this.child.once('close', done));
    this.ended.then((code) => (this.code = code));
    t.after(() => this.child.exitCode === null && this.child.kill('SIGKILL'));
  }

  async asks(question) {
    await until(`a question like ${question}, after ${JSON.stringify(this.text.slice(-500))}`, () => {
      const found = this.text.slice(this.seen).match(question);
      if (found) this.seen += found.index + found[0].length;
      else if (this.code !== undefined) throw new Error(`ended: ${this.text}`);
      return found;
    });
  }

  async answer(question, typed) {
    await this.asks(question);
    this.child.stdin.write(typed);
  }

  async end() {
    const code = await within(this.ended, 'vaultd init ends');
    assertNoSanitizer(this.text, 'vaultd init');
    return code;
  }
}

terminalTest('this computer only: all defaults connect the clients that are here', async (t) => {
  const home = makeHome(t);
  mkdirSync(path.join(home, '.config/Claude'));
  mkdirSync(path.join(home, '.codex'));
  writeFileSync(path.join(home, '.codex/config.toml'), 'model = "o"\n');
  const before = snapshot(home);
  const terminal = new Terminal(t, home);
  await terminal.answer(/1 {2}\S*elsewhere\/Two\r\n {2}2 {2}\S*Documents\/Vault one\r\nWhich vault\?.* \[1\]: $/, '\n');
  await terminal.answer(/Which one\? \[1\]: $/, '\n');
  await terminal.answer(/What may apps do with your notes\?\r\n {2}1 {2}Write: .*\r\n {2}2 {2}Propose: .*\r\n {2}3 {2}Read only\r\nWhich one\? \[1\]: $/, '\n');
  await terminal.answer(/Connect Claude Desktop\? \[yes\]: $/, '\n');
  await terminal.answer(/Connect Codex\? \[yes\]: $/, '\n');
  await terminal.asks(/These files will be written:\r\n {2}create .*\.config\/vaultd\/config\r\n {2}create .*claude_desktop_config.json\r\n {2}change .*config.toml\r\nGo ahead\? \[yes\]: $/);
  assert.deepEqual(snapshot(home), before, 'nothing was changed yet');
  terminal.child.stdin.write('\n');
  assert.equal(await terminal.end(), 0);
  assert.match(terminal.text, /Written: .*vaultd\/config\r\nWritten: .*claude_desktop_config.json\r\nWritten: .*config.toml\r\n {2}backup of the old file: .*\r\n\r\nWhat you need to do next:\r\nClaude Desktop: Quit/);
  const entry = { command: VAULTD, args: ['serve', '--stdio', '--vault-path', path.join(home, 'elsewhere/Two')] };
  assert.deepEqual(JSON.parse(readFileSync(path.join(home, '.config/Claude/claude_desktop_config.json'))).mcpServers.vault, entry);
  assert.match(readFileSync(path.join(home, '.codex/config.toml'), 'utf8'), /^model = "o"\n\n\[mcp_servers\.vault\]\n/);

  const again = new Terminal(t, home);
  await again.answer(/\[1\]: $/, '\n');
  await again.answer(/\[1\]: $/, '1\n');
  await again.answer(/\[1\]: $/, '1\n');
  assert.equal(await again.end(), 0);
  assert.match(again.text, /Claude Desktop is already connected\r\nCodex is already connected\r\n/);
});

terminalTest('a home folder is not offered as a vault', async (t) => {
  const home = path.join(tempDir(t), 'home');
  mkdirSync(path.join(home, 'Plain notes'), { recursive: true });
  writeFileSync(path.join(home, 'letter.md'), '# Letter\n');
  const terminal = new Terminal(t, home);
  await terminal.answer(/No Obsidian vault was found on this computer\.\r\nThe folder with your notes: $/, '\n');
  await terminal.answer(/Please enter a folder, such as ~\/Notes\r\nThe folder with your notes: $/, '~/Plain notes\n');
  await terminal.answer(/Which one\? \[1\]: $/, '\n');
  await terminal.answer(/Which one\? \[1\]: $/, '\n');
  await terminal.answer(/Go ahead\? \[yes\]: $/, '\n');
  assert.equal(await terminal.end(), 0);
  assert.match(terminal.text, /--vault-path '\S*home\/Plain notes' --write/);
});

terminalTest('a server: users, settings and a unit that work', async (t) => {
  const home = makeHome(t);
  const vault = copyVault(t);
  const terminal = new Terminal(t, home);
  await terminal.answer(/Which vault\?.*: $/, '7\n');
  await terminal.answer(/Please enter a number from 1 to 2, or a folder\r\nWhich vault\?.*: $/, '~/nothing\n');
  await terminal.answer(/there is no folder .*nothing'\r\n.*Which vault\?.*: $/s, `${vault}\n`);
  await terminal.answer(/Which one\? \[1\]: $/, 'x\n');
  await terminal.answer(/Please enter a number from 1 to 2\r\nWhich one\? \[1\]: $/, '2\n');
  await terminal.answer(/What may apps do.*Which one\? \[1\]: $/s, '2\n');
  await terminal.answer(/reach it, such as https:\/\/vault\.example\.com: $/, '\n');
  await terminal.answer(/Please enter the URL without a path.*: $/s, 'https://v.example.org/notes\n');
  await terminal.answer(/Please enter the URL without a path.*: $/s, 'v.example.org/mcp\n');
  await terminal.answer(/port on this computer \[8090\]: $/, '8123\n');
  await terminal.answer(/Name of the user who may sign in \[ada\]: $/, '\n');
  await terminal.answer(/Password: $/, 'sesame one\n');
  await terminal.answer(/Again: $/, 'sesame two\n');
  await terminal.answer(/the two passwords differ\r\n.*may sign in \[ada\]: $/, '\n');
  await terminal.answer(/Password: $/, 'sesame\n');
  await terminal.answer(/Again: $/, 'sesame\n');
  await terminal.answer(/too weak for a server that others can reach: .*\r\n.*may sign in \[ada\]: $/, '\n');
  await terminal.answer(/Password: $/, 'open sesame please\n');
  await terminal.answer(/Again: $/, 'open sesame please\n');
  await terminal.answer(/systemd unit.*\[yes\]: $/, '\n');
  await terminal.answer(/Go ahead\? \[yes\]: $/, 'yes\n');
  assert.equal(await terminal.end(), 0);
  assert.ok(!terminal.text.includes('sesame'), 'a password is not shown');
  for (const line of ['systemctl --user enable --now vaultd', 'v.example.org {', 'reverse_proxy 127.0.0.1:8123 {', 'vaultd doctor --connector https://v.example.org/mcp', 'vaultd connect claude-web --url https://v.example.org/mcp'])
    assert.ok(terminal.text.includes(line), `${line}: ${terminal.text}`);

  const config = path.join(home, '.config/vaultd');
  for (const name of ['users', 'vaultd.env']) assert.equal(statSync(path.join(config, name)).mode & 0o777, 0o600);
  const unit = readFileSync(path.join(home, '.config/systemd/user/vaultd.service'), 'utf8');
  assert.match(unit, new RegExp(`^EnvironmentFile=${config}/vaultd.env\nExecStart="${VAULTD}" serve$`, 'm'));

  // A shell reads the settings as systemd does, and vaultd starts with them.
  const shell = await run('/bin/sh', ['-c', `set -a; . '${config}/vaultd.env'; env -0`], { env: {} });
  const variables = Object.fromEntries(shell.stdout.split('\0').filter(Boolean).map((v) => v.split(/=(.*)/s).slice(0, 2)));
  assert.equal(variables.WRITES, 'propose');
  assert.deepEqual([variables.VAULT_PATH, variables.SERVER_URL, variables.LISTEN_ADDR], [vault, 'https://v.example.org', '127.0.0.1:8123']);
  const server = await startWithPeople(t, { vault, env: { AUTH_USERS: '', AUTH_USERS_FILE: variables.AUTH_USERS_FILE } });
  const browser = new Browser(server);
  const page = await browser.get('/account');
  assert.equal((await browser.signIn(page, 'ada', 'open sesame please')).status, 303);
});

terminalTest('Ctrl-C, the end of the input and no change nothing', async (t) => {
  for (const [stop, code] of [['\u0003', undefined], ['\u0004', 2]]) {
    const home = makeHome(t);
    mkdirSync(path.join(home, '.cursor'));
    const before = snapshot(home);
    for (const questions of [1, 2, 3, 4, 5]) {
      const terminal = new Terminal(t, home);
      for (let i = 1; i < questions; i++) await terminal.answer(/\[(1|yes)\]: $/, '\n');
      await terminal.answer(/\[(1|yes)\]: $/, stop);
      const end = await terminal.end();
      assert.ok(code === undefined ? end !== 0 : end === code, `${end}: ${terminal.text}`);
      if (code) assert.match(terminal.text, /stopped; nothing was changed/);
      assert.deepEqual(snapshot(home), before);
    }
  }
  const home = makeHome(t);
  mkdirSync(path.join(home, '.cursor'));
  const terminal = new Terminal(t, home);
  for (const typed of ['\n', '\n', '\n', 'maybe\n', 'y\n', 'n\n']) await terminal.answer(/\[(1|yes)\]: $/, typed);
  assert.equal(await terminal.end(), 0);
  assert.match(terminal.text, /Please answer yes or no.*Nothing was changed/s);
  assert.ok(!existsSync(path.join(home, '.cursor/mcp.json')));
});

terminalTest('the vault becomes the default of commands; read only, sync and the model are for those who want them', async (t) => {
  const home = makeHome(t), vault = path.join(home, 'elsewhere/Two'), bin = path.join(home, 'bin');
  mkdirSync(path.join(home, '.cursor'));
  mkdirSync(path.join(vault, '.git'), { recursive: true });
  writeFileSync(path.join(vault, '.git/config'), '[remote "origin"]\n\turl = /nowhere\n');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'npm'), `#!/bin/sh\ntouch '${home}/npm-ran'\necho no network >&2\nexit 1\n`, { mode: 0o755 });
  const terminal = new Terminal(t, home, { PATH: `${bin}:/usr/bin:/bin` });
  await terminal.answer(/Which vault\?.*\[1\]: $/, '\n');
  await terminal.answer(/Which one\? \[1\]: $/, '\n');
  await terminal.answer(/Which one\? \[1\]: $/, '3\n');
  await terminal.answer(/More\r\nSync the notes with the git remote .* \[no\]: $/, 'yes\n');
  await terminal.answer(/Find notes by meaning.* \[no\]: $/, 'yes\n');
  await terminal.answer(/Connect Cursor\? \[yes\]: $/, '\n');
  await terminal.asks(/Go ahead\? \[yes\]: $/);
  assert.ok(!existsSync(path.join(home, 'npm-ran')), 'nothing is downloaded before the last question');
  terminal.child.stdin.write('\n');
  assert.equal(await terminal.end(), 0);
  assert.match(terminal.text, /npm failed: no network.*What you need to do next/s, 'the rest is done');
  assert.match(readFileSync(path.join(home, '.config/vaultd/config'), 'utf8'), new RegExp(`^vault-path = ${vault}$`, 'm'));
  assert.deepEqual(JSON.parse(readFileSync(path.join(home, '.cursor/mcp.json'))).mcpServers.vault.args, ['serve', '--stdio', '--vault-path', vault, '--read-only', '--sync', 'git']);
  const list = await run(VAULTD, ['status'], { env: cleanEnv(home), cwd: home });
  assert.match(list.stdout, /commands +use ~\/elsewhere\/Two \(from ~\/\.config\/vaultd\/config\)/);

  const other = new Terminal(t, home);
  await other.answer(/Which vault\?.*\[1\]: $/, '2\n');
  await other.answer(/default vault of vaultd's commands, instead of .* \[no\]: $/, '\n');
  await other.answer(/Which one\? \[1\]: $/, '\u0004');
  assert.equal(await other.end(), 2);
});

test('without a terminal it names the commands that do the same', async (t) => {
  const end = await run(VAULTD, ['init'], { env: cleanEnv(tempDir(t)) });
  assert.deepEqual([end.code, end.stdout], [2, '']);
  assert.match(end.stderr, /needs a terminal; without one: vaultd connect CLIENT --vault-path FOLDER --write, vaultd hash-password/);
});
