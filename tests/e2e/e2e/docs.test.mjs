// The reference pages are generated from the tables, and the help is complete.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { TOP, VAULTD, cleanEnv, copyVault, run, startStdio, tempDir } from '../support.mjs';

const vaultd = async (t, ...args) => {
  const end = await run(VAULTD, args, { env: cleanEnv(tempDir(t)) });
  assert.deepEqual([end.code, end.stderr], [0, ''], args.join(' '));
  return end.stdout;
};

for (const page of ['settings', 'tools'])
  test(`docs/${page}.md is what vaultd docs ${page} prints`, async (t) => {
    assert.equal(readFileSync(path.join(TOP, 'docs', `${page}.md`), 'utf8'), await vaultd(t, 'docs', page));
  });

test('docs tools has every tool and every parameter that tools/list has', async (t) => {
  const page = await vaultd(t, 'docs', 'tools');
  const { tools } = (await startStdio(t, { vault: copyVault(t), args: ['--tools', 'default,chatgpt,adr', '--adr-repo', '/nowhere', '--sync', 'git'] }).modern('tools/list')).result;
  assert.deepEqual([...page.matchAll(/^## (\S+)$/gm)].map((m) => m[1]), tools.map((tool) => tool.name));
  for (const tool of tools) {
    const section = page.split(`## ${tool.name}\n`)[1].split('\n## ')[0];
    assert.ok(section.includes(tool.description), tool.name);
    for (const [name, property] of Object.entries(tool.inputSchema.properties ?? {})) {
      assert.match(section, new RegExp(`^\\| \`${name}\`${tool.inputSchema.required?.includes(name) ? ', required' : ''} \\| ${property.type} \\|`, 'm'));
      assert.ok(section.includes(property.description ?? ''));
    }
  }
});

test('vaultd help serve names every setting', async (t) => {
  const help = await vaultd(t, 'help', 'serve');
  assert.equal(await vaultd(t, 'serve', '--help'), help);
  for (const word of ['usage: vaultd serve', '--stdio', 'Network:', 'Sign-in:']) assert.ok(help.includes(word), word);
  const settings = await vaultd(t, 'docs', 'settings');
  const flags = [...settings.matchAll(/^\| `(--[a-z-]+)/gm)].map((m) => m[1]);
  assert.ok(flags.length >= 12);
  for (const flag of flags) assert.ok(help.includes(flag), flag);
  for (const [, variable] of settings.matchAll(/`([A-Z_]{4,})`/g)) assert.ok(help.includes(variable), variable);
});

test('the unit in docs/operate.md allows the system calls that the packaged unit allows', () => {
  const calls = (name) => readFileSync(path.join(TOP, name), 'utf8').match(/^SystemCall.*$/gm);
  assert.ok(calls('docs/operate.md').length > 2);
  assert.deepEqual(calls('docs/operate.md').sort(), calls('packaging/systemd/vaultd.service.in').sort());
});

test('the tests that tests/users.md names exist', () => {
  const files = new Map(readdirSync(path.join(TOP, 'tests'), { recursive: true }).filter((f) => !f.includes('node_modules')).map((f) => [path.basename(f), f]));
  const rows = [...readFileSync(path.join(TOP, 'tests/users.md'), 'utf8').matchAll(/^\| .* \| `(.*?)`: (.*) \|$/gm)];
  assert.ok(rows.length > 20);
  for (const [, file, title] of rows) assert.ok(readFileSync(path.join(TOP, 'tests', files.get(file)), 'utf8').includes(title), `${file}: ${title}`);
});

test('docs/start.md has twelve settings, which exist', async (t) => {
  const named = [...readFileSync(path.join(TOP, 'docs/start.md'), 'utf8').split('## The twelve settings')[1].matchAll(/^\| `(--[a-z-]+)/gm)].map((m) => m[1]);
  assert.equal(named.length, 12);
  const settings = await vaultd(t, 'docs', 'settings');
  for (const flag of named) assert.ok(settings.includes(`| \`${flag}`), flag);
});

/** The commands in code blocks and code spans of a page: the line, its command, and its flags before a pipe or "--". */
function commandsIn(text) {
  const blocks = [...text.matchAll(/^ *```(\w*)\n(.*?)^ *```/gms)].filter((m) => ['', 'sh', 'console'].includes(m[1])).flatMap((m) => m[2].replaceAll('\\\n', '').split('\n'));
  const lines = [...blocks.filter((l) => /^(\$ )?(sudo -u \S+ )?vaultd /.test(l)), ...[...text.matchAll(/`(vaultd [^`\n]+)`/g)].map((m) => m[1])];
  return lines.map((line) => {
    const [, first, rest] = line.split(' #')[0].replace(/'[^']*'|"[^"]*"/g, '').match(/vaultd (\S+)(.*)/);
    const flags = `${first.startsWith('-') ? first : ''} ${rest.split(/ -- | \| /)[0]}`.match(/(?<=[ [])--?[a-zA-Z][a-z-]*/g) ?? [];
    return { line, command: /^[-~/.A-Z]/.test(first) ? 'serve' : first, flags };
  });
}

/** With the options that all commands have. */
async function wholeHelp(t, command) {
  const text = await vaultd(t, 'help', command);
  return text.includes('--help-all') ? vaultd(t, command, '--help-all') : text;
}

test('every vaultd command in the documents exists, with its flags', async (t) => {
  const pages = ['README.md', ...readdirSync(path.join(TOP, 'docs')).filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`)];
  const found = pages.flatMap((page) => commandsIn(readFileSync(path.join(TOP, page), 'utf8')).map((c) => ({ page, ...c })));
  assert.ok(found.length > 300, String(found.length));
  const known = new Set([...(await vaultd(t, 'help', 'all')).matchAll(/^ {2}vaultd (\S+)/gm)].map((m) => m[1])), helps = new Map();
  for (const command of known) helps.set(command, `${await wholeHelp(t, command)} ${['doctor', 'key', 'state'].includes(command) ? await vaultd(t, 'help', 'serve') : ''}`);
  for (const { page, line, command, flags } of found) {
    assert.ok(known.has(command), `${page}: ${line}`);
    for (const flag of flags.map((f) => f.replace(/^--no-/, '--')))
      assert.match(helps.get(command), new RegExp(`(^|[\\s,])${flag}($|[\\s,=.])`, 'm'), `${page}: ${line}`);
  }
});

test('docs/limits.md has the values of the source', async (t) => {
  const source = execFileSync('grep', ['-rhE', '[A-Z_]{4,} =|^ +[0-9]', '--include=*.h', '--include=vault_batch.c', '--include=users.c', path.join(TOP, 'src')], { encoding: 'utf8', maxBuffer: 1 << 26 }).replace(/\s+/g, ' ');
  const rows = readFileSync(path.join(TOP, 'docs/limits.md'), 'utf8').match(/^\| .*`.*$/gm);
  const settings = await vaultd(t, 'docs', 'settings');
  for (const row of rows) {
    const named = [...row.split('|').at(-2).matchAll(/`([^`]+)`/g)].map((m) => m[1]);
    assert.ok(named.length > 0, row);
    for (const name of named) assert.match(name.startsWith('--') ? settings : source, new RegExp(`${name.replace(/[*]/g, '\\*')}(?![0-9])`), row);
  }
  assert.ok(rows.length >= 30);
});

test('docs/cli.md says which commands select a vault with --vault, and which add one', async (t) => {
  const known = [...(await vaultd(t, 'help', 'all')).matchAll(/^ {2}vaultd (\S+)/gm)].map((m) => m[1]), adds = [], selects = [];
  for (const command of new Set(known)) {
    const like = command === 'doctor' ? 'serve' : command; // it has the settings of serve
    const [, value] = (await wholeHelp(t, like)).match(/^ +(?:-\w, )?--vault (\S+)/m) ?? [];
    if (value) (value.startsWith('NAME=FOLDER') ? adds : selects).push(command);
  }
  const text = readFileSync(path.join(TOP, 'docs/cli.md'), 'utf8').replace(/\s+/g, ' ');
  const [, named] = text.match(/((?:`\w+`(?:, | and )?)+) follow the same rules but use all vaults, so their `--vault NAME=FOLDER` adds a vault/);
  assert.deepEqual([...named.matchAll(/`(\w+)`/g)].map((m) => m[1]).sort(), adds.sort());
  assert.ok(selects.includes('read') && text.includes('`--vault NAME` selects one'), selects.join(' '));
});

test('the manual has the date of the release', async (t) => {
  const [, date] = readFileSync(path.join(TOP, 'meson.build'), 'utf8').match(/^release_date = '(\d{4}-\d\d-\d\d)'/m);
  const debian = await run('python3', [path.join(TOP, 'packaging/project.py'), '--value', 'MAIL_DATE'], { env: process.env });
  assert.equal(new Date(debian.stdout).toISOString().slice(0, 10), date, 'the Debian package');
  const version = (await vaultd(t, '--version')).trim().split(' ')[1];
  const [, changes] = readFileSync(path.join(TOP, 'CHANGELOG.md'), 'utf8').match(new RegExp(`^## ${version.replaceAll('.', '\\.')} \\((.*)\\)$`, 'm'));
  assert.ok(['unreleased', date].includes(changes), changes);
  for (const page of ['man', 'man-search', 'man-serve']) assert.equal((await vaultd(t, 'docs', page)).match(/^\.TH \S+ 1 (\S+) /m)[1], date, page);
});

test('--version is one line with the version that clients see', async (t) => {
  const version = await vaultd(t, '--version');
  assert.match(version, /^vaultd \d+\.\d+\.\d+\S*\n$/);
  assert.equal(await vaultd(t, '-V'), version);
  const { result } = await startStdio(t).modern('server/discover');
  assert.equal(`vaultd ${result._meta['io.modelcontextprotocol/serverInfo'].version}\n`, version);
});

test('docs/metrics.md and the dashboard name what the program counts', () => {
  const sources = execFileSync('grep', ['-rhoE', '"(vaultd|process)_[a-z_]+"|^vaultd_[a-z_]+', '--include=operator.c', '--include=metrics.c', path.join(TOP, 'src/app')], { encoding: 'utf8' });
  const counted = new Set(sources.match(/(vaultd|process)_[a-z_]+/g));
  const listed = [...readFileSync(path.join(TOP, 'docs/metrics.md'), 'utf8').matchAll(/^\| `([a-z_]+)\S* \| (?:counter|gauge|histogram) \|/gm)].map((m) => m[1]);
  assert.deepEqual(listed.sort(), [...counted].sort());
  const dashboard = JSON.parse(readFileSync(path.join(TOP, 'examples/grafana/vaultd.json'), 'utf8'));
  const shown = JSON.stringify(dashboard).match(/(vaultd|process)_[a-z_]+(?=[{[ )"])/g).map((name) => name.replace(/_bucket$/, ''));
  for (const name of shown) assert.ok(counted.has(name), name);
});
