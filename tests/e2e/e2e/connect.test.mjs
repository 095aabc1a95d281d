// vaultd connect: what it writes into the configuration of each client, and what it leaves alone.
import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import vm from 'node:vm';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { FOR_WINDOWS, PROGRAM, SYSTEM, VAULTD, assertNoSanitizer, cleanEnv, copyVault, run, shown, tempDir } from '../support.mjs';

/** A home folder with a vault, and vaultd in it. */
class Home {
  constructor(t, env = {}) {
    this.dir = path.join(tempDir(t), 'home');
    this.vault = path.join(this.dir, FOR_WINDOWS ? "My 'Notes'" : 'My "Notes"');
    mkdirSync(path.join(this.vault, '.obsidian'), { recursive: true });
    this.env = cleanEnv(this.dir, { PATH: '/usr/bin:/bin', ...env });
  }

  file(name) {
    return path.join(this.dir, name);
  }

  put(name, text, mode = 0o644) {
    mkdirSync(path.dirname(this.file(name)), { recursive: true });
    writeFileSync(this.file(name), text, { mode });
    return this.file(name);
  }

  read(name) {
    return readFileSync(this.file(name), 'utf8');
  }

  async run(code, ...args) {
    const end = await run(VAULTD, ['connect', ...args], { env: this.env, cwd: this.dir });
    assertNoSanitizer(end.stderr, `connect ${args.join(' ')}`);
    assert.equal(end.code, code, `${args.join(' ')}: ${end.stdout}${end.stderr}`);
    return code === 0 ? end.stdout : end.stderr;
  }

  write(client, ...args) {
    return this.run(0, client, '--vault-path', this.vault, '--write', ...args);
  }

  backups(name) {
    const { dir, base } = path.parse(this.file(name));
    return readdirSync(dir).filter((f) => f.startsWith(`${base}.backup-`)).map((f) => path.join(dir, f));
  }
}

/** Parse JSON with comments with a parser that is not ours: JavaScript's. */
const readJsonc = (text) => JSON.parse(JSON.stringify(vm.runInNewContext(`(${text.replace(/^\ufeff/, '')}\n)`)));

async function readToml(text) {
  const end = await run('python3', ['-c', 'import sys, json, tomllib; json.dump(tomllib.load(sys.stdin.buffer), sys.stdout, default=str)'], { env: process.env, input: text });
  assert.equal(end.code, 0, `${end.stderr}${text}`);
  return JSON.parse(end.stdout);
}

const URL = 'https://vault.example.com/mcp';
const below = (home, roaming) => (FOR_WINDOWS ? `AppData/Roaming/${roaming}` : home);
const CLIENTS = {
  'claude-desktop': { file: below('.config/Claude/claude_desktop_config.json', 'Claude/claude_desktop_config.json'), key: 'mcpServers' },
  'claude-code': { file: '.claude.json', key: 'mcpServers', typed: 'stdio', http: { type: 'http', url: URL } },
  cursor: { file: '.cursor/mcp.json', key: 'mcpServers', http: { url: URL } },
  vscode: { file: below('.config/Code/User/mcp.json', 'Code/User/mcp.json'), key: 'servers', typed: 'stdio', http: { type: 'http', url: URL } },
  codex: { file: '.codex/config.toml', key: 'mcp_servers', toml: true, http: { url: URL } },
  gemini: { file: '.gemini/settings.json', key: 'mcpServers', http: { httpUrl: URL } },
  windsurf: { file: '.codeium/windsurf/mcp_config.json', key: 'mcpServers', http: { serverUrl: URL } },
  zed: { file: below('.config/zed/settings.json', 'Zed/settings.json'), key: 'context_servers', http: { url: URL } },
  cline: { file: '.cline/data/settings/cline_mcp_settings.json', key: 'mcpServers', http: { type: 'streamableHttp', url: URL } },
  'lm-studio': { file: '.lmstudio/mcp.json', key: 'mcpServers', http: { url: URL } },
  opencode: { file: '.config/opencode/opencode.jsonc', key: 'mcp', line: true, http: { type: 'remote', url: URL } },
};

for (const [client, row] of Object.entries(CLIENTS))
  test(`${client}: the right entry in the right file`, async (t) => {
    const home = new Home(t);
    const read = async () => (row.toml ? readToml(home.read(row.file)) : JSON.parse(home.read(row.file)));
    const args = ['serve', '--stdio', '--vault-path', shown(home.vault)];
    const stdio = row.line ? { type: 'local', command: [PROGRAM, ...args] } : { ...(row.typed ? { type: row.typed } : {}), command: PROGRAM, args };

    const printed = await home.run(0, client, '-v', home.vault);
    assert.match(printed, /does not exist yet.*not seem to be installed\nNothing was written; add --write/s);
    assert.ok(!existsSync(home.file(row.file)));
    assert.match(await home.write(client), /Written\nA new file: .* does not seem to be installed here\n/);
    assert.deepEqual(await read(), { [row.key]: { vault: stdio } });
    assert.ok(printed.includes(home.read(row.file)), 'what was shown is what was written');

    const before = statSync(home.file(row.file));
    assert.match(await home.write(client), /Already up to date\n$/);
    assert.deepEqual([statSync(home.file(row.file)).ino, home.backups(row.file)], [before.ino, []], 'nothing was written');

    if (row.http) {
      assert.match(await home.run(0, client, '--url', 'https://vault.example.com', '-w', '--name', 'vault'), /Written\nBackup of the old file: /);
      assert.deepEqual(await read(), { [row.key]: { vault: row.http } });
    } else {
      assert.match(await home.run(0, client, '--url', 'https://vault.example.com/'), /URL: https:\/\/vault\.example\.com\/mcp\n1\. Settings > Connectors/);
    }
    assert.match(await home.run(0, client, '--remove', '-w'), /Removed\n/);
    assert.deepEqual((await read())[row.key] ?? {}, {});
    assert.match(await home.run(0, client, '--remove', '-w'), /There is no such entry\n$/);
  });

test('the entry starts a server exactly as written', async (t) => {
  for (const client of ['claude-desktop', 'claude-code']) {
    const home = new Home(t);
    home.vault = copyVault(t);
    await home.write(client, '--name', 'my-vault', '--', '--read-only');
    const { command, args } = JSON.parse(home.read(CLIENTS[client].file)).mcpServers['my-vault'];
    assert.equal(command, PROGRAM);
    const sdk = new Client({ name: 'e2e', version: '1' });
    t.after(() => sdk.close().catch(() => {}));
    await sdk.connect(new StdioClientTransport({ command: SYSTEM === 'wine' ? VAULTD : command, args, env: { ...home.env, VAULT_PATH: '/nowhere' }, cwd: '/', stderr: 'ignore' }), { timeout: 120_000 });
    const { tools } = await sdk.listTools();
    assert.ok(tools.some((tool) => tool.name === 'vault_read') && !tools.some((tool) => tool.name === 'vault_write'));
    const answer = await sdk.callTool({ name: 'vault_read', arguments: { path: 'Home.md' } }, undefined, { timeout: 120_000 });
    assert.ok(!answer.isError && answer.content[0].text.length > 0);
    await sdk.close();
  }
});

test('everything else in the file is preserved byte for byte', async (t) => {
  const home = new Home(t);
  const zed = '// Zed\n{\n\t"theme": "One", // dark\n\t"context_servers": {\n\t\t/* mine */ "other": { "command": "x", "args": [], },\n\t},\n\t"vim_mode": true,\n}\n';
  home.put(CLIENTS.zed.file, zed, 0o600);
  await home.write('zed');
  const text = home.read(CLIENTS.zed.file);
  const added = text.match(/\n\t\t"vault": \{[^}]*\},/)[0];
  assert.equal(text.replace(added, ''), zed);
  assert.equal(readJsonc(text).context_servers.vault.command, PROGRAM);
  const [backup] = home.backups(CLIENTS.zed.file);
  assert.equal(readFileSync(backup, 'utf8'), zed);
  if (!FOR_WINDOWS) assert.deepEqual([statSync(backup).mode & 0o777, statSync(home.file(CLIENTS.zed.file)).mode & 0o777], [0o600, 0o600]);
  await home.run(0, 'zed', '--remove', '--write');
  assert.equal(home.read(CLIENTS.zed.file), zed);

  const codex = '# mine\nmodel = "o" # x\n\n[mcp_servers.other]\ncommand = \'y\'\n\n[[hooks]]\nx = 1979-05-27\n';
  home.put(CLIENTS.codex.file, codex);
  await home.write('codex');
  assert.ok(home.read(CLIENTS.codex.file).startsWith(codex));
  assert.deepEqual(Object.keys((await readToml(home.read(CLIENTS.codex.file))).mcp_servers), ['other', 'vault']);
  await home.run(0, 'codex', '--remove', '--write');
  assert.equal(home.read(CLIENTS.codex.file), codex);
});

test('manual additions to the entry are preserved', async (t) => {
  const home = new Home(t);
  home.put(CLIENTS.cline.file, JSON.stringify({ mcpServers: { vault: { type: 'streamableHttp', url: 'http://old', autoApprove: ['vault_read'], disabled: true } } }, null, 4));
  await home.write('cline');
  assert.deepEqual(JSON.parse(home.read(CLIENTS.cline.file)).mcpServers.vault, { autoApprove: ['vault_read'], disabled: true, command: PROGRAM, args: ['serve', '--stdio', '--vault-path', shown(home.vault)] });
});

test('an invalid file is refused and left unchanged', async (t) => {
  const home = new Home(t);
  for (const [client, text, says] of [
    ['claude-desktop', '{\n  "mcpServers": {},\n}', /line 2, column 19: unexpected comma; nothing was written/],
    ['claude-desktop', '{ // c\n}', /line 1, column 3: comments are not allowed/],
    ['cursor', '{"mcpServers": [}', /line 1, column 17/],
    ['cursor', '{"mcpServers": {}, "mcpServers": {}}', /'mcpServers' occurs twice/],
    ['cursor', '{"mcpServers": 7}', /'mcpServers' is not an object/],
    ['codex', 'a = "x\nb = 2\n', /line 1, column 5: this string is not closed/],
    ['codex', 'mcp_servers = {}\n', /'mcp_servers' is not a table: write it as a \[table\], or change the file by hand/],
  ]) {
    const file = home.put(CLIENTS[client].file, text);
    assert.match(await home.run(2, client, '-v', home.vault, '-w'), says);
    assert.equal(readFileSync(file, 'utf8'), text);
    assert.deepEqual(home.backups(CLIENTS[client].file), []);
  }
  assert.deepEqual(readdirSync(path.dirname(home.file(CLIENTS.codex.file))), ['config.toml'], 'no other file is left behind');
});

test('a symbolic link is followed, but a broken one is refused', async (t) => {
  if (SYSTEM === 'wine') return t.skip('Wine has no symbolic links');
  const home = new Home(t);
  const real = home.put('dotfiles/mcp.json', '{}');
  mkdirSync(home.file('.cursor'));
  symlinkSync('../dotfiles/mcp.json', home.file('.cursor/mcp.json'));
  await home.write('cursor');
  assert.ok(lstatSync(home.file('.cursor/mcp.json')).isSymbolicLink());
  assert.ok(JSON.parse(readFileSync(real, 'utf8')).mcpServers.vault);
  rmSync(real);
  assert.match(await home.run(2, 'cursor', '-v', home.vault, '-w'), /is a broken link/);
  assert.ok(!existsSync(real));
});

test('variables relocate the files, and all known locations are checked', async (t) => {
  const home = new Home(t, { CODEX_HOME: '/', CLAUDE_CONFIG_DIR: '', XDG_CONFIG_HOME: '' });
  home.env = { ...home.env, CODEX_HOME: shown(home.file('cx')), XDG_CONFIG_HOME: shown(home.file('xdg')) };
  await home.write('codex');
  assert.ok(existsSync(home.file('cx/config.toml')));
  home.put('xdg/opencode/opencode.json', '{"mcp": {"servers": {"x": {"type": "local", "command": ["y"]}}}}');
  await home.write('opencode');
  assert.deepEqual(Object.keys(JSON.parse(home.read('xdg/opencode/opencode.json')).mcp.servers), ['x', 'vault']);
});

test('--list shows installed clients and stale entries', async (t) => {
  const home = new Home(t);
  const list = async () => {
    home.env.VAULT_PATH = '/not/this'; // our own environment is not the client's
    const { clients } = JSON.parse(await home.run(0, '--list', '--json'));
    return Object.fromEntries(clients.map((c) => [c.client, c]));
  };
  assert.ok(Object.values(await list()).every((c) => !c.installed && c.entries.length === 0));
  assert.deepEqual(Object.keys(await list()), Object.keys(CLIENTS));
  mkdirSync(home.file('.cursor'));
  await home.write('claude-desktop');
  await home.write('opencode', '--name', 'notes');
  home.put(CLIENTS.zed.file, '{');
  home.put(CLIENTS.codex.file, `[mcp_servers.vault]\ncommand = "/nowhere/vaultd"\nargs = ["serve", "--stdio", "/"]\n`);
  home.put(CLIENTS.gemini.file, JSON.stringify({ mcpServers: { a: { command: PROGRAM, args: ['serve', '--stdio', '/nowhere'] }, b: { command: PROGRAM, args: ['/'] }, c: { command: 'node' }, vault: { httpUrl: URL } } }));
  home.put('bin/vaultd', '#!/bin/sh\n');
  chmodSync(home.file('bin/vaultd'), 0o755);
  home.put(CLIENTS.cline.file, JSON.stringify({ mcpServers: { x: { command: home.file('bin/vaultd'), args: ['serve', '--stdio', '/'] } } }));
  const all = await list();
  assert.deepEqual([all.cursor.installed, all.cursor.entries], [true, []]);
  assert.deepEqual(all['claude-desktop'].entries, [{ name: 'vault', serves: shown(home.vault), good: true }]);
  assert.deepEqual(all.opencode.entries, [{ name: 'notes', serves: shown(home.vault), good: true }]);
  assert.match(all.zed.unreadable, /line 1, column 2/);
  const wrong = (client) => all[client].entries.map((e) => e.wrong?.replaceAll('\\', '/').replace(' Z:/', ' /'));
  assert.deepEqual(wrong('codex'), ['there is no program /nowhere/vaultd']);
  assert.deepEqual(wrong('gemini'), ['there is no folder /nowhere', 'it does not run vaultd serve --stdio', undefined]);
  assert.match(all.cline.entries[0].wrong, /it starts another program/);
  const text = await home.run(0, '--list');
  assert.match(text, /^claude-desktop {2}connected as vault: .*\nclaude-code {5}not found here\ncursor {10}installed, not connected\n/);
  assert.match(text, /^codex {11}stale as vault: there is no program/m);
});

test('several vaults, and server options', async (t) => {
  const home = new Home(t);
  mkdirSync(home.file('Work'));
  await home.run(0, 'cursor', '--vault', `work=${home.file('Work')}`, '--vault', 'home=~/Work/..', '-w', '--', '--tools', 'default');
  assert.deepEqual(JSON.parse(home.read('.cursor/mcp.json')).mcpServers.vault.args, ['serve', '--stdio', '--vault', `work=${shown(home.file('Work'))}`, '--vault', `home=${shown(home.dir)}`, '--tools', 'default']);
});

test('web clients get instructions', async (t) => {
  const home = new Home(t);
  assert.match(await home.run(0, 'chatgpt', '--url', URL), /^ChatGPT\nURL: https:\/\/vault\.example\.com\/mcp\n1\. .*Developer mode/);
  assert.match(await home.run(0, 'claude-web'), /URL: https:\/\/YOUR-NAME\/mcp\n1\. Settings > Connectors > Add custom connector\n/);
});

test('invalid calls say what to do', async (t) => {
  const home = new Home(t);
  for (const [says, ...args] of [
    [/the client is missing: vaultd connect --list/],
    [/no such client 'emacs'; known clients: claude-desktop, claude-code,/, 'emacs'],
    [/no vault: give --vault-path FOLDER/, 'cursor'],
    [/there is no folder '\/nowhere'/, 'cursor', '-v', '/nowhere'],
    [/'ftp:\/\/x' is not a URL/, 'cursor', '--url', 'ftp://x'],
    [/the name 'a b' must be 1 to 64 letters/, 'cursor', '-v', '/', '--name', 'a b'],
    [/unknown option '--reed-only'; did you mean '--read-only'/, 'cursor', '-v', '/', '--', '--reed-only'],
    [/'more' is not an option of vaultd serve/, 'cursor', '-v', '/', 'more'],
  ])
    assert.match(await home.run(2, ...args), says);
  assert.ok(!existsSync(home.file('.cursor')));
});

/* --- against third-party parsers --- */

let seed = 20261116;
const random = (n) => {
  seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff;
  return (seed >> 8) % n;
};
const pick = (list) => list[random(list.length)];

function mutate(text, pieces) {
  for (let k = random(4); k > 0; k--) {
    const at = random(text.length + 1);
    text = [
      () => text.slice(0, at) + pick(pieces) + text.slice(at),
      () => text.slice(0, at) + text.slice(at + 1 + random(3)),
      () => text.slice(0, at) + text.slice(at, at + random(20)) + text.slice(at),
    ][random(3)]();
  }
  return text;
}

/** The file without our entry, and the entry without the members we set. */
function apart(root, key) {
  const { vault = {}, ...others } = root[key] ?? {};
  const { command, args, url, ...kept } = vault;
  return { ...root, [key]: { ...others, vault: kept } };
}

test('JSON with comments is read as JavaScript reads it', async (t) => {
  const texts = ['// c\r\n{\r\n\t"mcpServers": { /* none */ },\r\n\t"x": 1, // y\r\n}\r\n', '{"mcpServers": {"vault": {/*1*/"url"/*2*/:/*3*/1/*4*/,/*5*/"l":[1,],/*6*/},},}', '\ufeff{\n  "a": {"b": [1, {"c": null}]},\n  "mcpServers": {\n    "z": {"k": "q"}, // z\n    "vault": {\n      "url": "u",\n      "k": -1.5e3\n    } /* e */\n  },\n  "s": "// \\" \\u00e9 { "\n}'];
  const pieces = ['"', '{', '}', '[', ']', ',', ':', '//', '/*', '*/', '\n', '\r', ' ', '1', 'null', '"a": 1', '"vault": {}', '\\', '-'];
  const home = new Home(t);
  let written = 0;
  for (let i = 0; i < 60; i++) {
    const text = mutate(pick(texts), pieces);
    const file = home.put(CLIENTS.cursor.file, text);
    const end = await run(VAULTD, ['connect', 'cursor', '-v', home.vault, '-w'], { env: home.env });
    assertNoSanitizer(end.stderr, text);
    const now = readFileSync(file, 'utf8');
    if (end.code !== 0) {
      assert.equal(now, text);
      continue;
    }
    written++;
    assert.deepEqual(apart(readJsonc(now), 'mcpServers'), apart(readJsonc(text), 'mcpServers'), JSON.stringify(text));
    assert.equal(readJsonc(now).mcpServers.vault.command, PROGRAM);
  }
  assert.ok(written > 10);
});

test('in TOML only the entry changes, according to tomllib, and unusual forms are refused', async (t) => {
  const texts = ['# c\nm = "x"\n[mcp_servers.b]\nc = 1979-05-27 07:32:00\n[mcp_servers.vault] # ours\nurl = 1\nl = [\n 1, # x\n]\n[mcp_servers.vault.e]\nK = "v"\n[[h]]\nx = 1\n[h.y]\nz=2\n[[h]]\n', "mcp_servers = { b = { c = '''x''' }, vault = { u = 0x1F } }\n", 'mcp_servers.vault.u = "x"\nmcp_servers."b".c = """\ny\\\n  z"""', 'd = 2020-01-01T00:00:00.5+01:00\ni=[1_000,0o7,0b1,+1,-0.0,1e5,nan]\n[a.e]\n\'q t\' = inf\n[mcp_servers]\nx.command=\'y\'\n'];
  const pieces = ['"', "'", '\n', '=', '.', '[', ']', '{', '}', ',', '#', ' ', '1', '_', 'a', '-', '\\', '"""', "'''", 'true', 'vault', '\r', ':', '0'];
  const home = new Home(t);
  const rows = [];
  for (let i = 0; i < 60; i++) {
    const text = mutate(pick(texts), pieces);
    const file = home.put(CLIENTS.codex.file, text);
    const end = await run(VAULTD, ['connect', 'codex', '-v', home.vault, '-w'], { env: home.env });
    assertNoSanitizer(end.stderr, text);
    rows.push({ text, now: readFileSync(file, 'utf8'), good: end.code === 0, says: end.stderr });
  }
  const script = `
import json, sys, tomllib
def read(text):
    try: return tomllib.loads(text)
    except tomllib.TOMLDecodeError: return None
json.dump([[read(r["text"]), read(r["now"])] for r in json.load(sys.stdin)], sys.stdout, default=repr)`;
  const end = await run('python3', ['-c', script], { env: process.env, input: JSON.stringify(rows) });
  assert.equal(end.code, 0, end.stderr);
  const read = JSON.parse(end.stdout.replace(/\b(-?Infinity|NaN)\b/g, '"$1"'));
  for (const [i, { text, now, good, says }] of rows.entries()) {
    const [before, after] = read[i];
    if (!good) {
      assert.equal(now, text);
      assert.ok(!before || /by hand/.test(says), `refused: ${JSON.stringify(text)}: ${says}`);
      continue;
    }
    if (!before) continue; // an error elsewhere in the file may go unnoticed
    assert.ok(after, JSON.stringify(text));
    assert.deepEqual(apart(after, 'mcp_servers'), apart(before, 'mcp_servers'), JSON.stringify(text));
    assert.equal(after.mcp_servers.vault.command, PROGRAM);
  }
  assert.ok(rows.filter((r) => r.good).length > 10);
});

test('from the cache of npx, the program is copied to a place that lasts', async (t) => {
  if (SYSTEM === 'wine') return t.skip('a copy of the script that runs Wine is not a program of Windows');
  const home = new Home(t);
  const cached = home.file('.npm/_npx/0a1b/node_modules/@vaultd/linux-x64/bin/vaultd');
  const kept = home.file('.local/share/vaultd/bin/vaultd');
  mkdirSync(path.dirname(cached), { recursive: true });
  copyFileSync(VAULTD, cached);
  const connect = async (...args) => {
    const end = await run(cached, ['connect', 'claude-code', '--vault-path', home.vault, ...args], { env: home.env, cwd: home.dir });
    assert.equal(end.code, 0, end.stderr);
    return end.stdout;
  };
  assert.match(await connect(), new RegExp(`would be copied to ${kept}\\n`));
  assert.ok(!existsSync(kept));
  await connect('--write');
  assert.equal(JSON.parse(home.read('.claude.json')).mcpServers.vault.command, kept);
  assert.equal(statSync(kept).mode & 0o111, 0o111);
  assert.ok(readFileSync(kept).equals(readFileSync(cached)));
  assert.match(await connect('--write'), /Already up to date/);
  writeFileSync(kept, 'an older vaultd');
  assert.match(await connect('--write'), /Written/);
  assert.ok(readFileSync(kept).equals(readFileSync(cached)));
  assert.deepEqual(home.backups('.claude.json'), []);
  assert.deepEqual(readdirSync(path.dirname(kept)), ['vaultd']);
});
