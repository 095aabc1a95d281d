// Excalidraw notes: their texts and links count, their data is neither shown nor found nor damaged.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { VAULTD, cleanEnv, run, tempDir, until } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const TEXTS = `---

excalidraw-plugin: parsed
tags: [excalidraw]

---
# Excalidraw Data

## Text Elements
Pump near the [[Well]] ^aaaaaaaa

## Embedded Files
0123456789abcdef0123456789abcdef01234567: [[plan.png]]

`;
const DATA = `%%
## Drawing
\`\`\`compressed-json
N4KAkARALgngDgUwgLgAQQQDwMYEMA2AlgCYBOuA7hADTgQBuCpAzoQPYB2KqATLZMzYBXUtiRoIACyhQ4zZAHoFAc0JRJQgEYA6bGwC2CgF7N6hbEcK4OCtptbErHALRY8RMpWdx8Q1TdIEfARcZgRmBShcZQUebQBGbQAGGjoghH0EDihmbgBtcDBQMBKIEm4IAGEAFQBRAGk

zebradata
\`\`\`
%%`;
const SKETCH = TEXTS + DATA;

async function open(t) {
  const vault = tempDir(t);
  writeFileSync(path.join(vault, 'Sketch.excalidraw.md'), SKETCH);
  writeFileSync(path.join(vault, 'Well.md'), '# Well\n');
  writeFileSync(path.join(vault, 'plan.png'), 'x');
  const sdk = await connect(t, CONNECTIONS[0], { vault, args: ['--answers', 'text', '--auto-context', 'off'] });
  const ask = async (name, args) => {
    const { content, isError } = await sdk.call({ name, arguments: args });
    return { text: content[0].text, failed: isError === true };
  };
  return { vault, ask, text: () => readFileSync(path.join(vault, 'Sketch.excalidraw.md'), 'utf8') };
}

test('a drawing is read without its data, unless that is asked for', async (t) => {
  const { ask } = await open(t);
  const { text } = await ask('vault_read', { path: 'Sketch.excalidraw' });
  const [head, ...rest] = text.trimEnd().split('\n');
  assert.match(head, /^Sketch\.excalidraw\.md \(lines 1-14 of 22, etag /);
  assert.equal(rest.pop(), '[the data of the drawing, from line 15 on, is left out; view text shows it]');
  assert.equal(rest.join('\n'), TEXTS.trimEnd() + '\n');
  for (const wish of [{ view: 'text' }, { limit: 0 }])
    assert.ok((await ask('vault_read', { path: 'Sketch.excalidraw', ...wish })).text.trimEnd().endsWith(DATA));
  assert.match((await ask('vault_read', { path: 'Sketch.excalidraw', offset: 16 })).text, /^[^\n]*\n## Drawing\n/);
});

test('its texts are found, its links count, its data is not searched', async (t) => {
  const { ask } = await open(t);
  for (const mode of [undefined, 'text', 'words', 'regex', 'query']) {
    assert.match((await ask('vault_search', { query: 'Pump', ...(mode && { mode }) })).text, /Sketch\.excalidraw\.md/, mode);
    const { text } = await ask('vault_search', { query: 'zebradata', ...(mode && { mode }) });
    assert.doesNotMatch(text, /^Sketch/m, `${mode}: ${text}`);
  }
  assert.doesNotMatch((await ask('vault_search', { query: 'line:(zebradata)', mode: 'query' })).text, /^Sketch/m);
  assert.match((await ask('vault_links', { path: 'Well', direction: 'backlinks' })).text, /Sketch\.excalidraw\.md/);
  assert.match((await ask('vault_links', { path: 'plan.png', direction: 'backlinks' })).text, /Sketch\.excalidraw\.md/);
});

test('texts can be changed and links renamed, the data cannot', async (t) => {
  const { ask, text } = await open(t);
  const tries = [
    ['vault_edit', { path: 'Sketch.excalidraw', old_text: 'zebradata', new_text: 'zebra' }],
    ['vault_write', { path: 'Sketch.excalidraw.md', content: '# Empty\n', overwrite: true }],
    ['vault_insert', { path: 'Sketch.excalidraw', where: 'section_replace', anchor: 'Drawing', content: 'x' }],
  ];
  for (const [tool, args] of tries) {
    const { text: said, failed } = await ask(tool, args);
    assert.ok(failed, said);
    assert.match(said, /would lose its drawing: keep the data from line 15 on/);
    assert.equal(text(), SKETCH);
  }
  assert.ok(!(await ask('vault_edit', { path: 'Sketch.excalidraw', old_text: 'Pump near', new_text: 'Pump at' })).failed);
  assert.equal(text(), SKETCH.replace('Pump near', 'Pump at'));
  assert.ok(!(await ask('vault_move', { path: 'Well.md', to: 'Spring.md' })).failed);
  assert.ok(text().includes('[[Spring]]') && text().endsWith(DATA));
});

test('vaultd read gives the file into a pipe, byte for byte', async (t) => {
  const { vault } = await open(t);
  const { stdout } = await run(VAULTD, ['read', 'Sketch.excalidraw', '--vault-path', vault], { env: cleanEnv() });
  assert.equal(stdout, SKETCH);
});

/* --- without Markdown --- */

const PLAIN = JSON.stringify({ type: 'excalidraw', elements: [
  { type: 'text', id: 'a', text: 'Windmill\nplan', originalText: 'Windmill plan', rawText: 'Windmill plan for the [[Well]]' },
  { type: 'rectangle', id: 'b', link: '[[Well#Depth]]', x: 12345 },
  { type: 'text', id: 'c', text: 'gone', isDeleted: true },
], files: { f: { dataURL: 'data:image/png;base64,zebradata' } } });

test('a plain .excalidraw file is read and searched by its texts, and its links count', async (t) => {
  const { vault, ask } = await open(t);
  writeFileSync(path.join(vault, 'Mill.excalidraw'), PLAIN);
  writeFileSync(path.join(vault, 'Broken.excalidraw'), '{"elements":[');
  await until('it is indexed', async () => /Mill\.excalidraw/.test((await ask('vault_search', { query: 'Windmill' })).text));
  const { text } = await ask('vault_read', { path: 'Mill.excalidraw' });
  assert.match(text, /^Mill\.excalidraw \(2 lines, etag \w+\)\nWindmill plan for the \[\[Well\]\]\n\[\[Well#Depth\]\]\n\[the texts and links of a drawing; view text shows its data\]\n$/);
  assert.ok((await ask('vault_read', { path: 'Mill.excalidraw', view: 'text' })).text.includes(PLAIN));
  assert.match((await ask('vault_read', { path: 'Broken.excalidraw' })).text, /\{"elements":\[/);
  for (const query of ['zebradata', '12345', 'gone'])
    assert.doesNotMatch((await ask('vault_search', { query })).text, /Mill/, query);
  assert.match((await ask('vault_links', { path: 'Well', direction: 'backlinks' })).text, /Mill\.excalidraw[^]*Windmill plan/);
  const moved = (await ask('vault_move', { path: 'Well', to: 'Spring' })).text;
  assert.match(moved, /links in drawings were not changed, update them in Excalidraw: 'Mill\.excalidraw'/);
  assert.equal(readFileSync(path.join(vault, 'Mill.excalidraw'), 'utf8'), PLAIN);
  const cli = async (...args) => (await run(VAULTD, ['read', 'Mill.excalidraw', ...args, '--vault-path', vault], { env: cleanEnv() })).stdout;
  assert.equal(await cli(), PLAIN, 'a pipe gets the file');
  assert.match(JSON.parse(await cli('--json')).content, /^Windmill plan for/);
});
