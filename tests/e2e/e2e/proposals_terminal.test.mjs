// Reviewing proposals in a terminal: by hunk, by number, and through the socket of a running server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { Session, VAULTD, assertNoSanitizer, cleanEnv, run, startHttp, startStdio, tempDir, until, within } from '../support.mjs';
import { freePort } from './people.mjs';

const hasScript = ['/usr/bin/script', '/bin/script'].some((f) => existsSync(f));
const terminalTest = (name, body) => test(name, { skip: !hasScript && 'needs script of util-linux' }, body);

const NOTE = '# Plan\n\nCall Anna on Monday at ten.\n\nkeep\n\nbuy milk\n\nend\n';

function place(t, files = { 'Plan.md': NOTE }) {
  const dir = tempDir(t);
  const vault = path.join(dir, 'vault');
  mkdirSync(vault);
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(vault, name), text);
  const state = path.join(dir, 'state');
  const env = cleanEnv(dir, { STATE_DIR: state, PATH: '/usr/bin:/bin', TERM: 'dumb', USER: 'ada' });
  return {
    dir, vault, state, env,
    text: (name) => readFileSync(path.join(vault, name), 'utf8'),
    put: (name, text) => writeFileSync(path.join(vault, name), text),
    has: (name) => existsSync(path.join(vault, name)),
    cli: (...args) => run(VAULTD, [...args, '--vault-path', vault], { env }),
    async client(...args) {
      const server = startStdio(t, { vault, state, args: ['--writes', 'propose', ...args] });
      await server.initialize();
      return server;
    },
  };
}

async function propose(server, steps) {
  const { result } = await server.request('tools/call', { name: 'vault_batch', arguments: { steps } });
  return /"proposal":"([0-9a-f]{12})"/.exec(result.content.map((c) => c.text).join('\n'))[1];
}

const STEPS = [
  { tool: 'vault_edit', path: 'Plan.md', old_text: 'Monday', new_text: 'Tuesday' },
  { tool: 'vault_edit', path: 'Plan.md', old_text: 'milk', new_text: 'oat milk' },
  { tool: 'vault_write', path: 'New.md', content: 'new\n' },
];

/** A command in its own terminal; answers are typed once their question is shown. */
class Terminal {
  constructor(t, p, args, env = {}) {
    const command = [VAULTD, ...args, '--vault-path', p.vault].map((a) => `'${a}'`).join(' ');
    this.child = spawn('script', ['-qefc', command, '/dev/null'], { env: { ...p.env, ...env }, stdio: ['pipe', 'pipe', 'pipe'] });
    this.text = '';
    this.seen = 0;
    this.child.stdout.on('data', (d) => (this.text += d));
    this.child.stdin.on('error', () => {});
    this.ended = new Promise((done) => this.child.once('close', done));
    this.ended.then((code) => (this.code = code));
    t.after(() => this.child.exitCode === null && this.child.kill('SIGKILL'));
  }

  async answer(question, typed) {
    await until(`a question like ${question}, after ${JSON.stringify(this.text.slice(-500))}`, () => {
      const found = this.text.slice(this.seen).match(question);
      if (found) this.seen += found.index + found[0].length;
      else if (this.code !== undefined) throw new Error(`ended: ${this.text}`);
      return found;
    });
    this.child.stdin.write(typed);
  }

  async end() {
    const code = await within(this.ended, 'the command ends');
    assertNoSanitizer(this.text, 'vaultd');
    return code;
  }
}

test('hunks have numbers, and some of them can be accepted with a reason for the rest', async (t) => {
  const p = place(t);
  const id = await propose(await p.client(), STEPS);
  const shown = await p.cli('proposals', id);
  assert.match(shown.stdout, /^1 {2}changed Plan\.md\n@@ 1\.1, line 3 @@\n # Plan\n \n-Call Anna on Monday at ten\.\n\+Call Anna on Tuesday at ten\.\n/m);
  assert.match(shown.stdout, /^@@ 1\.2, line 7 @@/m);
  assert.match(shown.stdout, /^2 {2}created New\.md\n@@ 2\.1, line 1 @@\n\+new\n/m);
  const done = await p.cli('accept', id, '--hunks', '1.2,2', '--reason', 'Monday is right');
  assert.match(done.stdout, /^accepted in part \(1\.2,2\) as change \d+\n$/);
  assert.equal(p.text('Plan.md'), NOTE.replace('milk', 'oat milk'));
  assert.equal(p.text('New.md'), 'new\n');
  const [row] = JSON.parse((await p.cli('proposals', '--json')).stdout).proposals;
  assert.deepEqual([row.state, row.accepted, row.reason], ['partly accepted', '1.2,2', 'Monday is right']);
});

test('hunks that do not exist are refused, and nothing is decided', async (t) => {
  const p = place(t);
  const id = await propose(await p.client(), STEPS);
  for (const hunks of ['3', '1.3', '0', '1.1-9', 'x', '1.1;rm', '9999999999999999999999']) {
    const refused = await p.cli('accept', id, '--hunks', hunks);
    assert.equal(refused.code, 2, hunks);
    assert.match(refused.stderr, /has no hunk/, hunks);
  }
  assert.equal(p.text('Plan.md'), NOTE);
  assert.equal(JSON.parse((await p.cli('proposals', '--json')).stdout).proposals[0].state, 'waiting');
});

test('what was shown is what is accepted', async (t) => {
  const p = place(t);
  const id = await propose(await p.client(), STEPS);
  const { seen, files } = JSON.parse((await p.cli('proposals', id, '--json')).stdout);
  assert.deepEqual(files.map((f) => [f.path, f.now, f.hunks.length]), [['Plan.md', 'unchanged', 2], ['New.md', 'unchanged', 1]]);
  p.put('Plan.md', NOTE.replace('keep', 'keep this'));
  const stale = await p.cli('accept', id, '--seen', seen);
  assert.match(stale.stderr, /have changed since this was shown/);
  assert.equal(p.text('Plan.md'), NOTE.replace('keep', 'keep this'));
  const again = JSON.parse((await p.cli('proposals', id, '--json')).stdout);
  assert.equal(again.files[0].now, 'merged');
  assert.match(again.files[0].merged_diff, / keep this\n/);
  const done = JSON.parse((await p.cli('accept', id, '--seen', again.seen, '--json')).stdout);
  assert.deepEqual([done.state, done.merged, done.accepted], ['accepted', 1, 'all']);
  assert.equal(p.text('Plan.md'), NOTE.replace('keep', 'keep this').replace('Monday', 'Tuesday').replace('milk', 'oat milk'));
});

test('a conflict is shown with both texts, and the other hunks can be accepted', async (t) => {
  const p = place(t);
  const id = await propose(await p.client(), STEPS);
  p.put('Plan.md', NOTE.replace('Monday', 'Friday'));
  const shown = await p.cli('proposals', id);
  assert.match(shown.stdout, /note: conflict, it has changed since in the same places/);
  assert.match(shown.stdout, /the note has now:\n Call Anna on Friday at ten\./);
  assert.match(shown.stdout, /@@ 1\.1, line 3 @@\nnote: this cannot be accepted/);
  assert.match((await p.cli('accept', id)).stderr, /nothing was changed/);
  assert.match((await p.cli('accept', id, '--hunks', '1.2')).stdout, /accepted in part/);
  assert.equal(p.text('Plan.md'), NOTE.replace('Monday', 'Friday').replace('milk', 'oat milk'));
});

terminalTest('accept -p asks about each hunk, and for a reason', async (t) => {
  const p = place(t);
  const id = await propose(await p.client(), STEPS);
  const terminal = new Terminal(t, p, ['accept', '-p', id]);
  await terminal.answer(/~Call Anna on \[-Monday-\]\{\+Tuesday\+\} at ten\.[^]*Accept this hunk\? \[y,n,a,d,A,D,q,\?\]: /, '?\n');
  await terminal.answer(/quit, and decide nothing[^]*Accept this hunk\?[^:]*: /, 'n\n');
  await terminal.answer(/@@ 1\.2, line 7 @@[^]*Accept this hunk\?[^:]*: /, 'y\n');
  await terminal.answer(/created New\.md[^]*Accept this file\?[^:]*: /, 'n\n');
  await terminal.answer(/Why is the rest rejected[^:]*: /, 'Monday is right\n');
  assert.equal(await terminal.end(), 0, terminal.text);
  assert.match(terminal.text, /accepted in part \(1\.2\) as change/);
  assert.equal(p.text('Plan.md'), NOTE.replace('milk', 'oat milk'));
  assert.equal(p.has('New.md'), false);
  assert.equal(JSON.parse((await p.cli('proposals', '--json')).stdout).proposals[0].reason, 'Monday is right');
});

terminalTest('accept -p: quitting decides nothing, rejecting everything rejects it', async (t) => {
  const p = place(t);
  const id = await propose(await p.client(), STEPS);
  const quits = new Terminal(t, p, ['accept', '-p', id]);
  await quits.answer(/Accept this hunk\?[^:]*: /, 'y\n');
  await quits.answer(/Accept this hunk\?[^:]*: /, 'q\n');
  assert.equal(await quits.end(), 0);
  assert.match(quits.text, /Nothing was decided/);
  assert.equal(p.text('Plan.md'), NOTE);
  const rejects = new Terminal(t, p, ['accept', '-p', id]);
  await rejects.answer(/Accept this hunk\?[^:]*: /, 'D\n');
  await rejects.answer(/Why is it rejected[^:]*: /, '\n');
  assert.equal(await rejects.end(), 0);
  assert.equal(JSON.parse((await p.cli('proposals', '--json')).stdout).proposals[0].state, 'rejected');
});

terminalTest('accept -p: a note that changes while it asks is shown again', async (t) => {
  const p = place(t);
  const id = await propose(await p.client(), STEPS);
  const terminal = new Terminal(t, p, ['accept', '-p', id]);
  await terminal.answer(/Accept this hunk\?[^:]*: /, 'y\n');
  p.put('Plan.md', NOTE.replace('end', 'the end'));
  await terminal.answer(/Accept this hunk\?[^:]*: /, 'A\n');
  await terminal.answer(/have changed since this was shown[^]*it has changed since; accepting all of it merges both[^]*Accept this hunk\?[^:]*: /, 'A\n');
  assert.equal(await terminal.end(), 0, terminal.text);
  assert.equal(p.text('Plan.md'), NOTE.replace('end', 'the end').replace('Monday', 'Tuesday').replace('milk', 'oat milk'));
});

terminalTest('a long line is shown by the words that change', async (t) => {
  const words = Array.from({ length: 2000 }, (_, i) => `w${i}`).join(' ');
  const p = place(t, { 'Long.md': `${words}\n` });
  const id = await propose(await p.client(), [{ tool: 'vault_edit', path: 'Long.md', old_text: 'w1000 ', new_text: 'changed ' }]);
  const terminal = new Terminal(t, p, ['proposals', id]);
  assert.equal(await terminal.end(), 0);
  assert.match(terminal.text, /\[\d+ bytes unchanged\][^]*\[-w1000-\]\{\+changed\+\}[^]*\[\d+ bytes unchanged\]/);
  assert.ok(terminal.text.length < 2000, `${terminal.text.length} characters`);
  assert.match((await p.cli('proposals', id)).stdout, /w1999/, 'a pipe gets all of it');
});

test('what cannot be seen is written out, in notes, reasons and names', async (t) => {
  const p = place(t);
  const id = await propose(await p.client(), [{ tool: 'vault_write', path: 'N.md', content: 'safe\u202etxt\u200b\u{e0041}\u001b[2J\n' }]);
  const { stdout } = await p.cli('proposals', id);
  assert.match(stdout, /\+safe‹U\+202E›txt‹U\+200B›‹U\+E0041›‹U\+001B›\[2J/);
  assert.match(stdout, /not visible/);
  await p.cli('reject', id, 'a\u202eb');
  assert.match((await p.cli('proposals')).stdout, /\(a‹U\+202E›b\)/);
});

test('a running server answers, and its socket needs the key of the state folder', async (t) => {
  const p = place(t);
  const port = await freePort();
  const server = await startHttp(t, { vault: p.vault, state: p.state, args: ['--writes', 'propose', '--ops-addr', `127.0.0.1:${port}`] });
  const session = await Session.open(server);
  const { message } = await session.call('vault_batch', { steps: STEPS });
  const id = /"proposal":"([0-9a-f]{12})"/.exec(message.result.content[0].text)[1];
  const elsewhere = (...args) => run(VAULTD, args, { env: p.env, cwd: p.dir });
  assert.match((await elsewhere('status')).stdout, /proposals +1 to review: vaultd proposals/);
  assert.match((await elsewhere('proposals')).stdout, new RegExp(`^${id} .* waiting`));
  const refused = await new Promise((done) => http.request({ port, host: '127.0.0.1', path: '/proposals', method: 'POST', headers: { 'x-vaultd-key': 'x' } }, (r) => done(r.resume().statusCode)).end('{"do":"list"}'));
  assert.equal(refused, 403);
  assert.match((await elsewhere('accept', id, '--hunks', '1.1')).stdout, /accepted in part \(1\.1\)/);
  assert.equal(p.text('Plan.md'), NOTE.replace('Monday', 'Tuesday'));
  assert.match((await elsewhere('accept', id)).stderr, /is partly accepted/);
  await server.says(/proposal\.decided user=\w+/);
  assert.equal(readdirSync(path.join(p.state, 'run')).filter((f) => f.endsWith('.key')).length, 1);
});

test('two who accept at once accept once', async (t) => {
  const p = place(t);
  const id = await propose(await p.client(), STEPS);
  const both = await Promise.all([p.cli('accept', id), p.cli('accept', id)]);
  assert.deepEqual(both.map((r) => r.code).sort(), [0, 1], both.map((r) => r.stderr).join());
  assert.match(both.find((r) => r.code).stderr, /is (being )?accepted/);
  assert.equal(JSON.parse((await p.cli('changes', '--json')).stdout).changes.length, 1);
});
