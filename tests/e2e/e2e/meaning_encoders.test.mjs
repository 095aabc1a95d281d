// Sentence encoders of any shape, as their authors publish them. There are no weights of such models here: these are random
// ones of the same shapes, and what they must give is what NumPy says (encoders.py). Tokens are compared with SentencePiece's
// own program and with the library "tokenizers", on texts in more than thirty scripts.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { scriptsOf, someTexts } from '../many_scripts.mjs';
import { TOP, VAULTD, assertNoSanitizer, cleanEnv, run, tempDir } from '../support.mjs';

const PYTHON = '/usr/bin/python3'; // Debian's, which has NumPy
const MAKER = path.join(TOP, 'tests/e2e/encoders.py');
const TEXTS = 500 * Number(process.env.ROUNDS_FACTOR ?? 1); // 10,000 in ./test --full
const PIECES = 4000;

const python = (...args) => execFileSync(PYTHON, [MAKER, ...args], { maxBuffer: 1 << 28 }).toString();

/** A vocabulary that SentencePiece has learnt from texts in many scripts, and as tokenizer.json; made once. */
let learnt;
function unigram() {
  if (!learnt) {
    const folder = mkdtempSync(path.join(process.env.TMPDIR ?? '/tmp', 'encoders-'));
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    writeFileSync(path.join(folder, 'texts'), someTexts(3000, 5, true).join('\n'));
    execFileSync('spm_train', [`--input=${folder}/texts`, `--model_prefix=${folder}/learnt`, `--vocab_size=${PIECES}`, '--model_type=unigram',
      '--bos_id=0', '--pad_id=1', '--eos_id=2', '--unk_id=3', '--character_coverage=0.998', '--num_threads=1'], { stdio: 'ignore' });
    learnt = { model: path.join(folder, 'learnt.model'), json: path.join(folder, 'tokenizer.json') };
    python('unigram', learnt.model, learnt.json);
  }
  return learnt;
}

/** A tokenizer of the family BERT: the letters of the texts, and frequent pairs of them. */
function wordPiece(more = {}) {
  const words = new Set(['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...'abcdefghijklmnopqrstuvwxyz0123456789.,!?()"#/-%']);
  for (const text of someTexts(1500, 6, true)) {
    for (const word of text.toLowerCase().normalize('NFD').replace(/\p{Mn}/gu, '').match(/[\p{L}\p{N}]+/gu) ?? []) {
      const letters = [...word];
      words.add(letters[0]);
      if (words.size < PIECES / 2) words.add(letters.slice(0, 3).join(''));
      letters.slice(1).forEach((letter) => words.add(`##${letter}`));
    }
  }
  const vocab = Object.fromEntries([...words].slice(0, PIECES).map((word, i) => [word, i]));
  return JSON.stringify({
    version: '1.0', truncation: null, padding: null, decoder: null,
    added_tokens: ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]'].map((content, id) => ({ id, content, special: true, single_word: false, lstrip: false, rstrip: false, normalized: false })),
    normalizer: { type: 'BertNormalizer', clean_text: true, handle_chinese_chars: true, strip_accents: null, lowercase: true, ...more },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: { type: 'BertProcessing', sep: ['[SEP]', 3], cls: ['[CLS]', 2] },
    model: { type: 'WordPiece', unk_token: '[UNK]', continuing_subword_prefix: '##', max_input_chars_per_word: 100, vocab },
  });
}

const BERT = { model_type: 'bert', hidden_act: 'gelu', layer_norm_eps: 1e-12, vocab_size: PIECES, hidden_size: 64, num_hidden_layers: 2, num_attention_heads: 2,
  intermediate_size: 128, max_position_embeddings: 128, type_vocab_size: 2, pad_token_id: 0, dtype: 'F16', prefix: '', pooling: 'mean', length: 96 };
const XLMR = { ...BERT, model_type: 'xlm-roberta', layer_norm_eps: 1e-5, max_position_embeddings: 130, type_vocab_size: 1, pad_token_id: 1 };

/** A folder as its authors publish it, and vaultd model with a state folder of its own. */
class Encoder {
  constructor(t, shape = BERT, name = 'encoder') {
    this.home = tempDir(t);
    this.folder = path.join(this.home, name);
    this.state = path.join(this.home, 'state');
    this.env = cleanEnv(this.home, { STATE_DIR: this.state });
    mkdirSync(this.folder);
    const isUnigram = shape.tokenizer ? shape.tokenizer === 'unigram' : shape.model_type === 'xlm-roberta';
    writeFileSync(path.join(this.folder, 'tokenizer.json'), isUnigram ? readFileSync(unigram().json) : wordPiece());
    const { tokenizer, ...config } = shape;
    python('make', this.folder, JSON.stringify(config));
  }

  /** Change one of the JSON files. */
  edit(file, change) {
    const at = path.join(this.folder, file), j = JSON.parse(readFileSync(at));
    writeFileSync(at, JSON.stringify(change(j) ?? j));
  }

  async run(args, more = {}) {
    const end = await run(VAULTD, ['model', ...args], { env: this.env, ms: 300000, ...more });
    assertNoSanitizer(end.stderr, `vaultd model ${args.join(' ')}`);
    return end;
  }

  async install(...args) {
    const end = await this.run(['install', this.folder, ...args]);
    assert.deepEqual([end.code, end.stderr], [0, '']);
    return end.stdout;
  }

  async refused(message, ...args) {
    const end = await this.run(['install', this.folder, ...args]);
    assert.equal(end.code, 1, end.stdout);
    assert.match(end.stderr, message);
  }

  async embed(lines, ...args) {
    const end = await this.run(['embed', ...args], { input: lines.map((line) => `${line}\n`).join('') });
    assert.deepEqual([end.code, end.stderr], [0, '']);
    return end.stdout.trimEnd().split('\n').map((line) => JSON.parse(line));
  }

  async status() {
    return JSON.parse((await this.run(['status', '--json'])).stdout);
  }

  /** What NumPy gives for the same tokens. */
  expected(rows) {
    const input = rows.map((row) => `${JSON.stringify(row.tokens)}\n`).join('');
    return execFileSync(PYTHON, [MAKER, 'run', this.folder], { input, maxBuffer: 1 << 28 }).toString().trimEnd().split('\n').map((line) => JSON.parse(line));
  }
}

const dot = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
const furthest = (a, b) => Math.max(...a.map((x, i) => Math.abs(x - b[i])));

const SHAPES = [
  ['BERT, 16-bit weights', BERT],
  ['BERT, heads of 16, CLS pooling, tanh GELU, another epsilon', { ...BERT, num_attention_heads: 4, pooling: 'cls', hidden_act: 'gelu_new', layer_norm_eps: 1e-5 }],
  ['BERT with a prefix, heads of 48, ReLU, three layers', { ...BERT, prefix: 'bert.', hidden_size: 144, num_attention_heads: 3, hidden_act: 'relu', num_hidden_layers: 3 }],
  ['BERT with the tokenizer of XLM-R, as multilingual MiniLM', { ...BERT, tokenizer: 'unigram', layer_norm_eps: 1e-12 }],
  ['XLM-R, bfloat16, one head', { ...XLMR, dtype: 'BF16', num_attention_heads: 1 }],
  ['RoBERTa, positions from 1 on, sum over the root of the length', { ...XLMR, model_type: 'roberta', tokenizer: 'unigram', pad_token_id: 0, prefix: 'roberta.', pooling: 'sqrt',
    hidden_act: 'gelu_pytorch_tanh', hidden_size: 160 }],
  ['XLM-R, 32-bit weights', { ...XLMR, dtype: 'F32' }],
];

test('layers of every shape are those of NumPy', { timeout: 600000 }, async (t) => {
  const texts = someTexts(24, 11);
  for (const [name, shape] of SHAPES) {
    const encoder = new Encoder(t, shape);
    await encoder.install();
    const ours = await encoder.embed(texts), theirs = encoder.expected(ours);
    const far = Math.max(...ours.map((row, i) => furthest(row.vector, theirs[i])));
    const near = Math.min(...ours.map((row, i) => dot(row.vector, theirs[i])));
    t.diagnostic(`${name}: furthest ${far.toExponential(1)}, cosine at least ${near.toFixed(7)}`);
    assert.ok(shape.dtype === 'F32' ? near > 0.99999 : far < 1e-5, `${name}: ${far}, ${near}`);

    await encoder.install('--weights', '8');
    const bytes = await encoder.embed(texts);
    const close = Math.min(...bytes.map((row, i) => dot(row.vector, theirs[i])));
    t.diagnostic(`${name}, 8 bits: cosine at least ${close.toFixed(5)}`);
    assert.ok(close > 0.99, `${name}: ${close}`);
    assert.equal((await encoder.status()).bits, 8);
  }
});

/** Ours, cut to what the model reads: a text that is longer loses its end, not the last token. */
async function tokensOf(encoder, texts) {
  return (await encoder.embed(texts)).map((row) => row.tokens.join(' '));
}

const cut = (ids, max) => (ids.length > max ? [...ids.slice(0, max - 1), ids.at(-1)] : ids).join(' ');

async function library(file) {
  const { default: all } = await import('@anush008/tokenizers');
  const tokenizer = all.Tokenizer.fromFile(file);
  return async (text) => cut((await tokenizer.encode(text)).getIds(), BERT.length);
}

test('tokens are those of SentencePiece, and of the library tokenizers', { timeout: 3000000 }, async (t) => {
  const encoder = new Encoder(t, { ...XLMR, num_hidden_layers: 1, hidden_size: 16, num_attention_heads: 1, intermediate_size: 16 });
  await encoder.install();
  const texts = someTexts(TEXTS, 99), scripts = scriptsOf(texts);
  assert.ok(scripts.length >= 30, scripts.join(' '));
  const ours = await tokensOf(encoder, texts);
  const spm = execFileSync('spm_encode', [`--model=${unigram().model}`, '--output_format=id'], { input: texts.map((text) => `${text}\n`).join(''), maxBuffer: 1 << 28 })
    .toString().split('\n');
  // Two orders of the same pieces have the same sum of scores, but for rounding, which depends there on the words before.
  const inOrder = (ids) => ids.split(' ').sort().join(' ');
  let ties = 0;
  for (const [i, text] of texts.entries()) {
    const theirs = cut([0, ...spm[i].split(' ').filter(Boolean).map(Number), 2], XLMR.length);
    if (ours[i] !== theirs && inOrder(ours[i]) === inOrder(theirs)) ties++;
    else assert.equal(ours[i], theirs, JSON.stringify(text));
  }
  assert.ok(ties <= 1 + texts.length / 5000, `${ties} ties`);

  // The library replaces characters in clusters of less than six bytes, not from the longest match on, so decomposed text and
  // marks after a space differ there from SentencePiece and from us.
  const encode = await library(path.join(encoder.folder, 'tokenizer.json'));
  let decomposed = 0, different = 0;
  for (const [i, text] of texts.entries()) {
    const theirs = await encode(text), composed = text.normalize('NFC') === text && !/(^|\s)\p{M}/u.test(text);
    if (composed) assert.equal(ours[i], theirs, JSON.stringify(text));
    decomposed += !composed;
    different += !composed && ours[i] !== theirs;
  }
  t.diagnostic(`${texts.length} texts in ${scripts.length} scripts, ${decomposed} of them decomposed, ${different} of these different in the library, ${ties} ties`);
});

test('WordPiece with and without case is that of the library tokenizers', { timeout: 3000000 }, async (t) => {
  for (const options of [{}, { lowercase: false }, { lowercase: false, strip_accents: true }, { strip_accents: false, handle_chinese_chars: false }]) {
    const encoder = new Encoder(t, { ...BERT, num_hidden_layers: 1, hidden_size: 16, num_attention_heads: 1, intermediate_size: 16 });
    writeFileSync(path.join(encoder.folder, 'tokenizer.json'), wordPiece(options));
    await encoder.install();
    // The library's categories of characters are those of Unicode 8, which has no Adlam.
    const texts = someTexts(TEXTS, 7, true).filter((text) => !/\p{Script=Adlam}/u.test(text)), ours = await tokensOf(encoder, texts);
    const encode = await library(path.join(encoder.folder, 'tokenizer.json'));
    for (const [i, text] of texts.entries()) assert.equal(ours[i], await encode(text), `${JSON.stringify(options)} ${JSON.stringify(text)}`);
  }
});

test('prefixes: of a known model, of its files, of the user', async (t) => {
  const encoder = new Encoder(t, XLMR, 'my-encoder');
  await encoder.install();
  const [plain] = await encoder.embed(['question about tea']);
  encoder.edit('tokenizer.json', () => undefined);
  writeFileSync(path.join(encoder.folder, 'config_sentence_transformers.json'), JSON.stringify({ prompts: { query: 'query: ', document: 'passage: ' } }));
  const said = await encoder.install();
  assert.match(said, /^my-encoder .*\nreads +languages not known\nprefixes +"query: " before a question, "passage: " before a text\n/);
  assert.match(said, /\nIt replaces my-encoder: after the next start, all notes are embedded again in the background/);
  const [text] = await encoder.embed(['question about tea']), [question] = await encoder.embed(['question about tea'], '--question');
  assert.notDeepEqual(text.vector, plain.vector);
  assert.notDeepEqual(text.vector, question.vector);
  const [same] = await encoder.embed(['passage: question about tea'], '--embeddings-file', path.join(encoder.state, 'sentence.model'));
  assert.ok(same.tokens.length > text.tokens.length, 'and once more');
  await encoder.install('--query-prefix', 'none', '--document-prefix', 'none', '--languages', 'de fr', '--name', 'mine');
  assert.deepEqual((await encoder.embed(['question about tea'], '--question'))[0].vector, plain.vector);
  const status = await encoder.status();
  assert.deepEqual([status.name, status.languages, status.query_prefix, status.document_prefix, status.verified], ['mine', 'de fr', '', '', false]);
});

test('a known model has its prefixes and languages, and is checked', async (t) => {
  const shape = { ...BERT, tokenizer: 'unigram', hidden_size: 384, num_attention_heads: 12, num_hidden_layers: 12, intermediate_size: 16, pooling: 'mean', length: 512,
    max_position_embeddings: 512 };
  const encoder = new Encoder(t, shape, 'multilingual-e5-small');
  const said = await encoder.install();
  assert.match(said, /^multilingual-e5-small .*\nreads +about 100 languages; notes in other languages are found by words\nprefixes +"query: " before a question, "passage: " before a text\n/);
  assert.match(said, /\nlicence +MIT\nchecked +the weights are other ones than its authors publish \(SHA-256\)\n/);
  const status = await encoder.status();
  assert.deepEqual([status.tokens, status.dimensions, status.bits], [512, 384, 16]);
  assert.ok(['de', 'ru', 'zh', 'ja', 'ar', 'hi'].every((code) => status.languages.split(' ').includes(code)));
  const [russian, cherokee] = await encoder.embed(['резервное копирование заметок', 'ᏣᎳᎩ ᎦᏬᏂᎯᏍᏗ']);
  assert.equal(russian.reads, true);
  assert.equal(typeof cherokee.reads, 'boolean');
  await encoder.refused(/this is not multilingual-e5-base: it has 12 layers of 384, not 12 of 768; give it another name with --name/, '--name', 'multilingual-e5-base');
  await encoder.refused(/gte-multilingual-base cannot be used: it has rotary positions/, '--name', 'GTE-multilingual-base');
});

test('what cannot be done is refused with its name', async (t) => {
  const good = new Encoder(t);
  const attempts = [
    ['config.json', (j) => { j.model_type = 'new'; }, /config\.json: model_type 'new' is not supported \(bert, roberta, xlm-roberta and camembert are\)/],
    ['config.json', (j) => { j.position_embedding_type = 'rope'; }, /position_embedding_type 'rope' is not supported/],
    ['config.json', (j) => { j.hidden_act = 'silu'; }, /hidden_act 'silu' is not supported/],
    ['config.json', (j) => { j.num_attention_heads = 3; }, /a hidden_size of 64 with 3 heads/],
    ['config.json', (j) => { j.hidden_size = 1e9; }, /config\.json needs hidden_size, a number from 1 to 1024/],
    ['config.json', (j) => { j.vocab_size = -1; }, /config\.json needs vocab_size/],
    ['config.json', (j) => { j.num_hidden_layers = 3; }, /the weights lack encoder\.layer\.2\./],
    ['config.json', (j) => { j.intermediate_size = 144; }, /the weights have a encoder\.layer\.0\.intermediate\.dense\.bias of 1 x 128, not 1 x 144/],
    ['config.json', (j) => { j.layer_norm_eps = 7; }, /layer_norm_eps/],
    ['modules.json', (j) => [...j, { type: 'sentence_transformers.models.Dense' }], /the module 'sentence_transformers\.models\.Dense' is not supported/],
    ['1_Pooling/config.json', () => ({ pooling_mode_max_tokens: true }), /pooling by 'max' is not supported/],
    ['1_Pooling/config.json', () => ({ pooling_mode_cls_token: true, pooling_mode_mean_tokens: true }), /several or no modes/],
    ['tokenizer.json', (j) => { j.model.type = 'BPE'; }, /tokenizer\.json is for 'BPE'; WordPiece and Unigram are supported/],
    ['tokenizer.json', (j) => { j.normalizer = { type: 'NFKC' }; }, /tokenizer\.json has a normalizer that is not supported: \{"type":"NFKC"\}/],
    ['tokenizer.json', (j) => { j.post_processor = null; }, /post_processor that is not supported: null/],
  ];
  for (const [file, change, message] of attempts) {
    const folder = path.join(good.home, 'other');
    rmSync(folder, { recursive: true, force: true });
    cpSync(good.folder, folder, { recursive: true });
    const other = Object.assign(Object.create(Encoder.prototype), good, { folder });
    other.edit(file, change);
    await other.refused(message);
  }
  rmSync(path.join(good.folder, '1_Pooling'), { recursive: true });
  await good.refused(/1_Pooling\/config\.json is missing, which says how tokens become one vector/);
  rmSync(path.join(good.folder, 'model.safetensors'));
  writeFileSync(path.join(good.folder, 'pytorch_model.bin'), 'x');
  await good.refused(/1_Pooling|model\.safetensors is missing; pytorch_model\.bin can run code and is not read/);
});

test('8 bits take half of the file', async (t) => {
  const encoder = new Encoder(t, { ...XLMR, hidden_size: 128, intermediate_size: 512 });
  await encoder.install();
  const before = statSync(path.join(encoder.state, 'sentence.model')).size;
  await encoder.install('--weights', '8');
  const after = statSync(path.join(encoder.state, 'sentence.model')).size;
  assert.ok(after < before * 0.7, `${after} of ${before}`);
});
