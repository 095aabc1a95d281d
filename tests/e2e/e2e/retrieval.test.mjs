// How well search finds: bench/retrieval with a small set of questions over the example vault (tests/e2e/retrieval).
// The model is asked through a stand-in endpoint; the one inside vaultd is compared with the same engine elsewhere.
import assert from 'node:assert/strict';
import path from 'node:path';
import test from 'node:test';
import { startEmbeddings } from '../embeddings.mjs';
import { EXAMPLE_VAULT, TOP, VAULTD, cleanEnv, run, tempDir } from '../support.mjs';

const QUERIES = path.join(TOP, 'tests/e2e/retrieval');

const measured = (t, ...options) => measuredIn(t, EXAMPLE_VAULT, QUERIES, ...options);

async function measuredIn(t, vault, queries, ...options) {
  const words = [vault, queries, '--json', ...(options.length > 0 ? ['--', ...options] : [])];
  const end = await run(path.join(TOP, 'bench/retrieval'), words, { env: cleanEnv(tempDir(t), { VAULTD }), ms: 10 * 60_000 });
  assert.equal(end.code, 0, end.stderr);
  return JSON.parse(end.stdout);
}

/** NDCG@10 and recall@10 of a group are at least so high. */
function atLeast(figures, group, ndcg, recall) {
  const got = figures[group];
  assert.ok(got.ndcg >= ndcg && got.recall >= recall, `${group}: NDCG@10 ${got.ndcg.toFixed(3)} of ${ndcg}, recall@10 ${got.recall.toFixed(3)} of ${recall}`);
}

test('without vectors: names first, questions in plain words', async (t) => {
  const figures = await measured(t, '--embeddings', 'off');
  assert.equal(figures['with vectors'], undefined, 'embeddings are off');
  const found = figures['without vectors'];
  assert.ok(found.all.queries >= 25, 'a set of some size');
  atLeast(found, 'known', 0.99, 1);
  atLeast(found, 'question', 0.7, 0.8);
  assert.ok(found.all.ndcg >= figures.words.all.ndcg - 0.001, 'never worse than words');
  assert.ok(found.related.recall >= 0.6, `related: ${found.related.recall}`);
});

test('six languages in one vault: questions in words of the notes, in any form', async (t) => {
  const folder = path.join(TOP, 'bench/languages');
  const figures = await measuredIn(t, path.join(folder, 'vault'), folder, '--embeddings', 'off');
  for (const [mode, found] of Object.entries(figures)) {
    for (const [language, least] of Object.entries({ en: 0.95, zh: 0.9, ru: 0.9, de: 0.75, ja: 0.95, ar: 0.72 })) {
      assert.ok(found[`language ${language}`].queries >= 40);
      atLeast(found, `language ${language}`, least, least);
      t.diagnostic(`${mode} ${language}: ${found[`language ${language}`].ndcg.toFixed(3)}`);
    }
  }
});

test('with vectors: paraphrases, and nothing that words found is lost', async (t) => {
  const standin = await startEmbeddings(t);
  const figures = await measured(t, '--embeddings', standin.url, '--embeddings-model', 'minilm');
  const [without, found] = [figures['without vectors'], figures['with vectors']];
  atLeast(found, 'known', 0.99, 1);
  atLeast(found, 'question', 0.8, 0.9);
  atLeast(found, 'paraphrase', 0.7, 0.9);
  assert.ok(found.paraphrase.ndcg > without.paraphrase.ndcg + 0.1, 'meaning helps where words do not');
  assert.ok(found.all.ndcg >= without.all.ndcg && found.known.ndcg >= figures.words.known.ndcg - 0.001);
  assert.ok(found.related.mrr >= without.related.mrr - 0.05, `related: ${found.related.mrr} of ${without.related.mrr}`);
});
