// The shapes in docs/answers.md, and whether an answer has the right one.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const DOC = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../docs/answers.md');
const text = readFileSync(DOC, 'utf8');

/* --- the notation --- */

const TOKEN = /\s*("[^"]*"|\w+|[{}[\]()|,?:=])/y;

/** A check is a function: returns what is wrong with a value, or '' if nothing is. */
class Notation {
  types = {
    string: (v) => (typeof v === 'string' ? '' : 'is not text'),
    integer: (v) => (Number.isInteger(v) ? '' : 'is not an integer'),
    number: (v) => (typeof v === 'number' ? '' : 'is not a number'),
    boolean: (v) => (typeof v === 'boolean' ? '' : 'is not true or false'),
    null: (v) => (v === null ? '' : 'is not null'),
    true: (v) => (v === true ? '' : 'is not true'),
    false: (v) => (v === false ? '' : 'is not false'),
    time: (v) => (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(v) ? '' : 'is not a time'),
    path: (v) => (typeof v === 'string' && !v.startsWith('/') ? '' : 'is not a path'),
  };

  read(source) {
    this.tokens = [];
    TOKEN.lastIndex = 0;
    for (let m; TOKEN.lastIndex < source.trimEnd().length; this.tokens.push(m[1]))
      assert.ok((m = TOKEN.exec(source)), `not the notation: ${source.slice(0, 60)}`);
    while (this.tokens.length) {
      this.expect('type');
      const name = this.tokens.shift();
      this.expect('=');
      assert.ok(!(name in this.types), `${name} is defined twice`);
      this.types[name] = this.either();
    }
  }

  expect(token) {
    assert.equal(this.tokens.shift(), token);
  }

  takes(token) {
    return this.tokens[0] === token && this.tokens.shift();
  }

  either() {
    const all = [this.list()];
    while (this.takes('|')) all.push(this.list());
    if (all.length === 1) return all[0];
    return (v, at) => {
      const wrong = all.map((check) => check(v, at));
      return wrong.includes('') ? '' : wrong.reduce((a, b) => (deep(b) > deep(a) ? b : a));
    };
  }

  list() {
    let item = this.one();
    while (this.tokens[0] === '[' && this.tokens[1] === ']') {
      this.tokens.splice(0, 2);
      const of = item;
      item = (v, at) => (Array.isArray(v) ? v.map((x, i) => of(x, `${at}[${i}]`)).find(Boolean) ?? '' : `${at} is not a list`);
    }
    return item;
  }

  one() {
    const token = this.tokens.shift();
    if (token === '{') return this.object();
    if (token === '(') {
      const inner = this.either();
      this.expect(')');
      return inner;
    }
    if (token.startsWith('"')) return (v, at) => (v === token.slice(1, -1) ? '' : `${at} is not ${token}`);
    return (v, at) => {
      assert.ok(this.types[token], `docs/answers.md has no type ${token}`);
      const wrong = this.types[token](v, at);
      return wrong && !wrong.startsWith(at) ? `${at} ${wrong}` : wrong;
    };
  }

  object() {
    const fields = {};
    let any;
    for (; !this.takes('}'); this.takes(',')) {
      const open = this.takes('['), name = this.tokens.shift();
      if (open) this.expect(']');
      const optional = Boolean(this.takes('?'));
      this.expect(':');
      const check = this.either();
      if (open) any = check;
      else fields[name] = { optional, check };
    }
    return (v, at) => {
      if (v === null || typeof v !== 'object' || Array.isArray(v)) return `${at} is not an object`;
      const missing = Object.keys(fields).find((k) => !fields[k].optional && !(k in v));
      if (missing) return `${at}.${missing} is missing`;
      for (const [key, value] of Object.entries(v)) {
        const check = fields[key]?.check ?? any;
        const wrong = check ? check(value, `${at}.${key}`) : `${at}.${key} is not in docs/answers.md`;
        if (wrong) return wrong;
      }
      return '';
    };
  }
}

/* If no form matches, report the error of the closest one. */
const deep = (wrong) => wrong.split(' ')[0].split(/[.[]/).length;

const notation = new Notation();
for (const [, block] of text.matchAll(/^```ts\n(.*?)^```$/gms)) notation.read(block);

/* --- the shapes of a tool or verb --- */

const tools = {}, verbs = {};
for (const [, tool, verb, shapes] of text.matchAll(/^\| (?:`(\w+)`)? ?\| (?:`([\w -]+)`)? ?\| ([\w, ]+) \|$/gm)) {
  if (tool) tools[tool] = shapes.split(', ');
  if (verb) (verbs[verb.split(' ')[0]] ??= []).push(...shapes.split(', '));
}

function check(shapes, answer, who) {
  if (answer?.hidden_text !== undefined) { // any answer may have it
    const { hidden_text, ...rest } = answer;
    assert.equal(notation.types.hidden_text(hidden_text, 'hidden_text'), '', who);
    answer = rest;
  }
  const wrong = shapes.map((name) => notation.types[name](answer, name));
  if (!wrong.includes('')) assert.fail(`${who}: ${wrong.join('; ')}\n${JSON.stringify(answer).slice(0, 2000)}`);
}

export const SHAPES = { tools, verbs, check, text, types: notation.types };

/** Check the result of one of our own tools; errors are not checked. */
export function checkResult(tool, result) {
  if (!result?.content || result.isError) return;
  assert.ok(tools[tool], `docs/answers.md has no tool ${tool}`);
  const first = result.content.find((part) => part.type === 'text').text;
  check(tools[tool], tools[tool].includes('guide') ? first : JSON.parse(first), tool);
}

/** Check the output of a verb with --json. */
export function checkPrinted(verb, stdout) {
  assert.ok(verbs[verb], `docs/answers.md has no verb ${verb}`);
  check(verbs[verb], JSON.parse(stdout), `vaultd ${verb}`);
}
