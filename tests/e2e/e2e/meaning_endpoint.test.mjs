// Search by meaning with an endpoint that the operator named: what is sent to it, and what happens when it misbehaves.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { WORDS_NUMBERS, startEmbeddings } from '../embeddings.mjs';
import { EXAMPLE_VAULT, TOP, VAULTD, cleanEnv, copyVault, run, sleep, startStdio, tempDir, until } from '../support.mjs';

const QUESTION = 'how do I get my photos back after a disk died';
const ANSWER = 'Areas/Homelab/Restore runbook.md';
const QUERY_MS = 2000;
const BATCH = 32, BATCH_BYTES = 64 << 10;
const AT_ONCE = 4; // servers: each waits for its endpoint most of the time

const named = (standin, model, ...more) => ['--embeddings', standin.url, '--embeddings-model', model, ...more];

/** A vault of so many notes, each with a word of its own. */
function manyNotes(t, n) {
  const vault = path.join(tempDir(t), 'vault');
  mkdirSync(vault);
  for (let i = 0; i < n; i++) writeFileSync(path.join(vault, `Note ${i}.md`), `# Note ${i}\n\nThe ${i}th word is word${i}word. ${'It is about something. '.repeat(5)}\n`);
  return vault;
}

async function search(server, query = QUESTION, args = {}) {
  const began = Date.now();
  const { result } = await server.call('vault_search', { query, ...args });
  assert.notEqual(result.isError, true, JSON.stringify(result));
  return { ...JSON.parse(result.content[0].text), ms: Date.now() - began };
}

/** Wait until everything is embedded and questions are answered by meaning, too. */
const byMeaning = (server, query = QUESTION) =>
  until('a search by meaning', async () => {
    const found = await search(server, query);
    return found.mode === 'meaning' && found.meaning_note === undefined ? found : null;
  });

const isByWords = (found, why) => {
  assert.equal(found.mode, 'words', JSON.stringify(found));
  assert.match(found.meaning_note, why);
  assert.ok(found.results.some((hit) => hit.path === ANSWER), JSON.stringify(found.results));
};

test('SEC-126: nothing is sent unless an endpoint is named, whatever is in the environment', async (t) => {
  const standin = await startEmbeddings(t);
  const server = await startStdio(t, {
    vault: copyVault(t),
    env: { OPENAI_API_KEY: 'sk-found', OPENAI_BASE_URL: standin.url, OPENAI_API_BASE: standin.url, OLLAMA_HOST: standin.url, EMBEDDINGS_KEY: 'found', EMBEDDINGS_MODEL: 'words' },
  });
  await server.initialize();
  const found = await search(server);
  assert.equal(found.mode, 'words');
  assert.equal(found.meaning_note, undefined, 'nothing is missing');
  await sleep(500);
  assert.equal(standin.requests.length, 0);
});

test('texts are sent in batches, one request at a time, with the key and the prefixes', async (t) => {
  const standin = await startEmbeddings(t), key = path.join(tempDir(t), 'key');
  writeFileSync(key, `${standin.key}\n`, { mode: 0o600 });
  const server = await startStdio(t, {
    vault: manyNotes(t, 150),
    args: named(standin, 'locked', '--embeddings-key-file', key, '--embeddings-dimensions', String(WORDS_NUMBERS),
      '--embeddings-query-prefix', 'query: ', '--embeddings-document-prefix', 'passage: '),
  });
  await server.initialize();
  await until('all notes are sent', () => standin.texts.length >= 150);
  assert.equal(standin.mostAtOnce, 1);
  for (const r of standin.requests) {
    assert.equal(r.path, '/v1/embeddings');
    assert.equal(r.authorization, `Bearer ${standin.key}`);
    assert.equal(r.encoding_format, 'float');
    assert.equal(r.dimensions, WORDS_NUMBERS);
    assert.ok(r.input.length <= BATCH && Buffer.concat(r.input.map((text) => Buffer.from(text))).length <= BATCH_BYTES);
    for (const text of r.input) assert.match(text, /^passage: \S/);
  }
  assert.ok(standin.requests.some((r) => r.input.length > 1), 'not one by one');
  assert.equal(new Set(standin.texts).size, standin.texts.length, 'nothing is sent twice');
  const found = await byMeaning(server, 'which note is about word77word');
  assert.equal(found.results[0].path, 'Note 77.md');
  assert.equal(standin.texts.at(-1), 'query: which note is about word77word');
  assert.ok(!server.stderr.includes(standin.key) && !server.stderr.includes('word77word'));
});

test('SEC-126: nothing of a denied folder is sent', async (t) => {
  const standin = await startEmbeddings(t), vault = copyVault(t);
  writeFileSync(path.join(vault, 'People/Secret.md'), '# Secret\n\nThe password is xyzzyplugh.\n');
  const server = await startStdio(t, { vault, args: named(standin, 'words', '--deny-paths', 'People,Journal/**') });
  await server.initialize();
  await byMeaning(server);
  const sent = standin.texts.join('\n');
  assert.match(sent, /Restore runbook/);
  for (const secret of ['xyzzyplugh', 'Carpenter, three houses down', 'Fog so thick']) assert.ok(!sent.includes(secret), secret);
});

const MISBEHAVIOURS = {
  late: /did not answer within \d+ ms/,
  broken: /answered with status 500/,
  limited: /answered with status 429|asked again in/,
  half: /could not be reached|did not answer with JSON/,
  few: /returned 0 embeddings for 1 texts/,
  nan: /did not answer with JSON/,
  many: /returned 2 embeddings for 1 texts/,
  twice: /without a valid index/,
  flat: /a zero vector/,
  infinite: /dimensions instead of|a value that is not a number/,
  endless: /could not be reached|is longer than|too large|more than/,
  dripping: /did not answer within \d+ ms/,
  uneven: /dimensions instead of/,
  html: /did not answer with JSON/,
  moved: /redirects to another address/,
  deaf: /refuse/,
  locked: /did not accept the key \(401\)/,
};

test('a question that the endpoint does not answer is answered by words, and one line says why', { concurrency: AT_ONCE }, async (t) => {
  const elsewhere = await startEmbeddings(t);
  await Promise.all(Object.entries(MISBEHAVIOURS).map(([behaviour, why]) =>
    t.test(behaviour, async (t) => {
      const standin = await startEmbeddings(t);
      standin.elsewhere = elsewhere.url;
      const server = await startStdio(t, { vault: copyVault(t), args: named(standin, 'words') });
      await server.initialize();
      await byMeaning(server);
      standin.behaviour = behaviour;
      if (behaviour === 'limited' && standin.requests.length % 2 === 1) standin.requests.push({ input: [] });
      const first = await search(server, 'how can I restore photos after a disk died');
      isByWords(first, why);
      assert.ok(!first.meaning_note.includes('photos'), 'the text is not in the reason');
      const again = await search(server, 'how do I restore photos when a disk died');
      isByWords(again, /./);
    })));
  assert.equal(elsewhere.requests.length, 0, 'redirects are not followed');
});

test('an endpoint that never works leaves words, and is used when it does', { concurrency: AT_ONCE }, async (t) => {
  await Promise.all(Object.keys(MISBEHAVIOURS).filter((name) => name !== 'uneven').map((behaviour) =>
    t.test(behaviour, async (t) => {
      const standin = await startEmbeddings(t, behaviour);
      standin.elsewhere = standin.url;
      const server = await startStdio(t, { vault: copyVault(t), args: named(standin, 'words') });
      await server.initialize();
      await until('it is asked', () => standin.requests.length > 0);
      isByWords(await search(server), /./);
      assert.ok(!server.stderr.includes('runbook'), 'no text in the log');
      if (behaviour !== 'broken') return;
      standin.behaviour = null;
      assert.equal((await byMeaning(server)).mode, 'meaning');
    })));
});

test('another length of vectors after a restart: stored ones stay, words answer, and it is said', async (t) => {
  const standin = await startEmbeddings(t), vault = copyVault(t), state = tempDir(t);
  const args = named(standin, 'words');
  const first = await startStdio(t, { vault, args, state });
  await first.initialize();
  await byMeaning(first);
  await first.stop();
  standin.behaviour = 'shorter';
  writeFileSync(path.join(vault, 'New.md'), '# New\n\nSomething else entirely.\n');
  const second = await startStdio(t, { vault, args, state });
  await second.initialize();
  // until what is stored is loaded, words answer for another reason
  const reason = /numbers instead of|embeddings of \d+ dimensions, but the stored ones have/;
  const found = await until('it says so', async () => {
    const found = await search(second, 'how can I restore photos after a disk died');
    return found.mode === 'words' && reason.test(found.meaning_note) ? found : null;
  });
  isByWords(found, reason);
  await second.stop();
  standin.behaviour = null;
  const third = await startStdio(t, { vault, args, state });
  await third.initialize();
  const asked = standin.texts.length;
  await byMeaning(third);
  assert.ok(standin.texts.slice(asked).every((text) => /New|how/.test(text)), 'what was stored is not sent again');
});

test('a silent endpoint costs one search two seconds, and the next ones do not ask it', async (t) => {
  const standin = await startEmbeddings(t);
  const server = await startStdio(t, { vault: copyVault(t), args: named(standin, 'words') });
  await server.initialize();
  await byMeaning(server);
  standin.behaviour = 'late';
  const asked = standin.requests.length;
  const first = await search(server, 'where is the copy outside of the house');
  assert.ok(first.ms >= QUERY_MS - 100, `${first.ms} ms`);
  for (let i = 0; i < 5; i++) await search(server, `where is copy number ${i} of the photos`);
  assert.equal(standin.requests.length, asked + 1);
});

test('Retry-After is respected', async (t) => {
  const standin = await startEmbeddings(t, 'limited');
  const server = await startStdio(t, { vault: manyNotes(t, 40), args: named(standin, 'words') });
  await server.initialize();
  await until('all notes are sent', () => standin.requests.length >= 4);
  for (let i = 0; i + 1 < standin.requests.length; i += 2) {
    const waited = standin.requests[i + 1].at - standin.requests[i].at;
    assert.ok(waited >= 950, `asked again after ${waited} ms`);
  }
});

test('a text that is refused is left out; the others are embedded', async (t) => {
  const standin = await startEmbeddings(t), vault = manyNotes(t, 40);
  writeFileSync(path.join(vault, 'Bad.md'), '# Bad\n\nThis is unspeakable.\n');
  writeFileSync(path.join(vault, 'Empty.md'), '');
  const server = await startStdio(t, { vault, args: named(standin, 'picky') });
  await server.initialize();
  const found = await until('the other notes are found by meaning', async () => {
    const found = await search(server, 'which note is about word7word');
    return found.mode === 'meaning' && found.results[0].path === 'Note 7.md' ? found : null;
  });
  assert.equal(found.results[0].path, 'Note 7.md');
  const lone = () => standin.requests.filter((r) => r.input.length === 1 && /unspeakable/.test(r.input[0])).length;
  await until('the bad text is found', () => lone() > 0);
  await sleep(1500);
  assert.equal(lone(), 1, 'it is not sent again and again');
  for (const text of standin.texts) assert.notEqual(text.trim(), '');
});

test('killed while building, it continues where it was; restarted, it sends nothing', async (t) => {
  const standin = await startEmbeddings(t), vault = manyNotes(t, 200), state = path.join(tempDir(t), 'state');
  const start = async () => {
    const server = await startStdio(t, { vault, state, args: named(standin, 'slow') });
    await server.initialize();
    return server;
  };
  const first = await start();
  await until('some are embedded', () => standin.requests.length >= 3);
  await first.crash();
  const before = standin.texts.length;
  assert.ok(before < 200, `${before} were sent already`);
  const second = await start();
  await byMeaning(second, 'which note is about word123word');
  const pieces = standin.texts.filter((text) => !text.startsWith('which'));
  assert.equal(new Set(pieces).size, 200);
  assert.ok(pieces.length <= 200 + 2 * BATCH, `${pieces.length} texts for 200 notes`);
  await second.eof();
  const sent = standin.requests.length;
  const third = await start();
  await byMeaning(third, 'which note is about word123word');
  assert.ok(standin.requests.slice(sent).every((r) => r.input.length === 1 && r.input[0].startsWith('which')), 'only the question');
});

test('the operator and the model see to whom notes are sent, if they leave this machine', async (t) => {
  const about = async (url) => {
    const server = await startStdio(t, { vault: copyVault(t), args: ['--embeddings', url] });
    await server.initialize();
    const { result } = await server.call('vault_info');
    await server.eof();
    return { to: JSON.parse(result.content[0].text).notes_are_sent_to, log: server.stderr };
  };
  const away = await about('https://embeddings.invalid/v1');
  assert.equal(away.to, 'embeddings.invalid:443');
  assert.match(away.log, /notes_are_sent.*embeddings\.invalid:443/);
  const here = await about((await startEmbeddings(t)).url);
  assert.equal(here.to, undefined);
  assert.doesNotMatch(here.log, /notes_are_sent/);
});

test('the model behind an endpoint finds what is meant', async (t) => {
  const standin = await startEmbeddings(t), vault = manyNotes(t, 3);
  writeFileSync(path.join(vault, 'Compost.md'), '# Compost\n\nPeelings and leaves rot in the bin; after a year it is good earth for the beds.\n');
  const server = await startStdio(t, { vault, args: named(standin, 'minilm') });
  await server.initialize();
  const found = await byMeaning(server, 'turning kitchen scraps into soil');
  assert.equal(found.results[0].path, 'Compost.md');
});

/** The arguments of the commands in docs/search.md that name an endpoint. */
function documented() {
  const blocks = readFileSync(path.join(TOP, 'docs/search.md'), 'utf8').matchAll(/^```sh\n([^]*?)^```/gm);
  return [...blocks].flatMap(([, text]) => text.replaceAll('\\\n', ' ').split('\n')).filter((line) => line.startsWith('vaultd serve --embeddings'))
    .map((line) => line.match(/'[^']*'|\S+/g).slice(2).map((word) => word.replaceAll("'", '')));
}

test('the examples of docs/search.md are accepted, with a stand-in for each server', async (t) => {
  const standin = await startEmbeddings(t, 'words'), key = path.join(tempDir(t), 'key');
  writeFileSync(key, 'sesame\n', { mode: 0o600 });
  const examples = documented();
  assert.ok(examples.length >= 5, `${examples.length} examples`);
  for (const words of examples) {
    const args = words.map((word) => (/^https?:/.test(word) ? standin.url : /-key$/.test(word) ? key : word === '~/Notes' ? EXAMPLE_VAULT : word === '512' ? '64' : word));
    const { stdout } = await run(VAULTD, ['doctor', '--json', '--port', '0', ...args], { env: cleanEnv(tempDir(t)) });
    const check = JSON.parse(stdout).checks.find((c) => c.id === 'embeddings');
    assert.equal(check?.status, 'ok', `${words.join(' ')}: ${stdout}`);
  }
});
