// Canvases: read as an outline, changed by vault_canvas and vaultd canvas, as docs/canvas.md says.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync, existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { VAULTD, cleanEnv, run, tempDir } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const NODE = '{"id":"b2","type":"file","file":"Projects/Plan.md","x":500,"y":0,"width":400,"height":400}';
const MAP = `{
\t"nodes":[
\t\t{"id":"g1","type":"group","x":0,"y":0,"width":340,"height":200,"label":"Now"},
\t\t{"id":"a1","type":"text","text":"# Idea\\n\\n- one\\n- [[Plan]]","x":20,"y":20,"width":260,"height":60,"own":[1, 2]},
\t\t${NODE}
\t],
\t"edges":[
\t\t{"id":"e1","fromNode":"a1","fromSide":"right","toNode":"b2","toSide":"left","label":"leads to"}
\t]
}`;
const FILES = { 'Map.canvas': MAP, 'Projects/Plan.md': '# Plan\n\n## Goal\n', 'Broken.canvas': '{"nodes":[', 'Empty.canvas': '' };

function makeVault(t) {
  const vault = tempDir(t);
  for (const [file, text] of Object.entries(FILES)) {
    mkdirSync(path.dirname(path.join(vault, file)), { recursive: true });
    writeFileSync(path.join(vault, file), text);
  }
  return vault;
}

async function open(t, row, args = []) {
  const vault = makeVault(t);
  const sdk = await connect(t, row, { vault, args: ['--answers', 'text', '--auto-context', 'off', ...args] });
  const ask = async (name, wish) => {
    const { content, isError } = await sdk.call({ name, arguments: wish });
    return { text: content[0].text, failed: isError === true };
  };
  return {
    vault,
    text: (file) => readFileSync(path.join(vault, file), 'utf8'),
    async ok(name, wish) {
      const { text, failed } = await ask(name, wish);
      assert.ok(!failed, text);
      return text;
    },
    async fails(name, wish, message) {
      const { text, failed } = await ask(name, wish);
      assert.ok(failed, text);
      assert.match(text, message);
    },
    close: () => sdk.close(),
  };
}

const ROW = CONNECTIONS[0];
const body = (text) => text.split('\n').slice(1).join('\n').trimEnd();

for (const row of [CONNECTIONS[0], CONNECTIONS[7]]) {
  test(`${row.name}: a canvas is read as an outline, its JSON on request`, async (t) => {
    const v = await open(t, row);
    const outline = await v.ok('vault_read', { path: 'Map.canvas' });
    assert.match(outline, /^Map\.canvas \(10 lines, etag [0-9a-f]{16}\)\n/);
    assert.equal(body(outline), ['g1 group: Now', '  a1 text: # Idea', '      - one', '      - [[Plan]]', 'b2 file: Projects/Plan.md',
      'e1: Idea -> Plan (leads to)'].join('\n'));
    assert.equal(body(await v.ok('vault_read', { path: 'Map.canvas', view: 'text' })), MAP);
    assert.equal(body(await v.ok('vault_read', { path: 'Map.canvas', limit: 0 })), MAP);
    assert.equal(body(await v.ok('vault_read', { path: 'Map.canvas', offset: 3 })), 'b2 file: Projects/Plan.md\ne1: Idea -> Plan (leads to)');
    assert.match(await v.ok('vault_read', { path: 'Broken.canvas' }), /\{"nodes":\[/);
    assert.match(await v.ok('vault_read', { path: 'Empty.canvas' }), /the canvas is empty/);
    const both = await v.ok('vault_read', { path: 'Projects/Plan.md', paths: ['Map.canvas'] });
    assert.match(both, /## Goal[^]*e1: Idea -> Plan/);
    await v.close();
  });
}

test('steps of one call see each other, and only what they name changes', async (t) => {
  const v = await open(t, ROW);
  const call = {
    path: 'Map',
    steps: [
      { add: 'text', text: 'Question?', near: 'Idea' },
      { connect: 'Question?', to: 'Idea', label: 'asks' },
      { change: 'Now', color: '4' },
    ],
  };
  const promised = await v.ok('vault_canvas', { ...call, dry_run: true });
  const said = await v.ok('vault_canvas', call);
  const lines = said.trimEnd().split('\n');
  assert.match(lines[0], /^changed Map\.canvas \(lines 3-10, now 12 lines, etag [0-9a-f]{16}, change \d+\)$/);
  const id = /^added ([0-9a-f]{16}): text 'Question\?'$/.exec(lines[1])[1];
  assert.ok(promised.includes(/etag [0-9a-f]{16}/.exec(lines[0])[0]) && promised.includes(id), `the dry run promised them: ${promised}`);
  assert.match(lines[2], /^connected [0-9a-f]{16}: Question\? -> Idea \(asks\)$/);
  assert.equal(lines[3], "changed g1: group 'Now'");
  assert.equal(lines.length, 4);

  const now = v.text('Map.canvas').split('\n'), was = MAP.split('\n');
  assert.equal(now[2], '\t\t{"id":"g1","type":"group","x":0,"y":0,"width":340,"height":220,"label":"Now","color":"4"},', 'the group grew');
  assert.equal(now[3], was[3]);
  assert.equal(now[4], `${was[4]},`);
  assert.equal(now[5], `\t\t{"id":"${id}","type":"text","text":"Question?","x":20,"y":140,"width":260,"height":60}`);
  assert.match(now[9], new RegExp(`^\\t\\t\\{"id":"[0-9a-f]{16}","fromNode":"${id}","fromSide":"top","toNode":"a1","toSide":"bottom","label":"asks"\\}$`));

  const again = await v.ok('vault_canvas', { path: 'Map.canvas', steps: [{ remove: id }, { change: 'g1', color: null, height: 200 }] });
  assert.match(again, new RegExp(`removed ${id}: text 'Question\\?', with 1 edge`));
  assert.equal(v.text('Map.canvas'), MAP);
});

test('a new canvas is as Obsidian writes it, and can be undone', async (t) => {
  const v = await open(t, ROW);
  const said = await v.ok('vault_canvas', { path: 'New/Plans.canvas', steps: [
    { add: 'file', file: 'Plan#Goal' }, { add: 'link', url: 'https://example.org' }, { add: 'group', label: 'All', around: ['Plan', 'https://example.org'] }] });
  assert.match(said, /^created New\/Plans\.canvas/);
  const made = JSON.parse(v.text('New/Plans.canvas'));
  assert.deepEqual(made.nodes.map(({ id, ...rest }) => rest), [
    { type: 'group', x: -20, y: -20, width: 440, height: 900, label: 'All' },
    { type: 'file', file: 'Projects/Plan.md', subpath: '#Goal', x: 0, y: 0, width: 400, height: 400 },
    { type: 'link', url: 'https://example.org', x: 0, y: 460, width: 400, height: 400 },
  ]);
  assert.deepEqual(made.edges, []);
  assert.match(v.text('New/Plans.canvas'), /^\{\n\t"nodes":\[\n\t\t\{"id":"[0-9a-f]{16}","type":"group",/);
  assert.match(await v.ok('vault_links', { path: 'Plan', direction: 'backlinks' }), /New\/Plans\.canvas/);
  await v.ok('vault_undo', {});
  assert.ok(!existsSync(path.join(v.vault, 'New/Plans.canvas')));
});

test('what is not possible is refused, and nothing changes', async (t) => {
  const v = await open(t, ROW);
  const refuse = (steps, message) => v.fails('vault_canvas', { path: 'Map.canvas', steps }, message);
  await refuse([{ add: 'text', text: 'ok' }, { connect: 'ok', to: 'a2' }], /step 2: no node 'a2'; did you mean 'a1'\?/);
  await refuse([{ add: 'file', file: 'Projects/Plam.md' }], /did you mean 'Projects\/Plan\.md'/);
  await refuse([{ add: 'file', file: '../outside.md' }], /outside|not allowed|'\.\.'/);
  await refuse([{ add: 'file', file: 'Projects' }], /folder/);
  await refuse([{ connect: 'a1', to: 'b2' }], /connected already: change the edge e1/);
  await refuse([{ add: 'circle', text: 'x' }], /no type 'circle'/);
  await refuse([], /give 1 to 100 steps/);
  await v.fails('vault_canvas', { path: 'Projects/Plan.md', steps: [{ remove: 'x' }] }, /must end in \.canvas/);
  await v.fails('vault_canvas', { path: 'Broken.canvas', steps: [{ add: 'text', text: 'x' }] }, /line 1/);
  await v.fails('vault_canvas', { path: 'Missing.canvas', steps: [{ remove: 'x' }] }, /no node 'x'/);
  await v.fails('vault_canvas', { path: 'Map.canvas', if_match: '0123456789abcdef', steps: [{ remove: 'a1' }] }, /etag|changed/);
  assert.equal(v.text('Map.canvas'), MAP);
  assert.match(await v.ok('vault_canvas', { path: 'Map.canvas', dry_run: true, steps: [{ remove: 'a1' }] }), /^dry run[^]*-.*"id":"a1"/);
  assert.equal(v.text('Map.canvas'), MAP);
});

test('an edge that leads to no node is refused, unless it was there before', async (t) => {
  const v = await open(t, ROW);
  const wrong = MAP.replace('"toNode":"b2"', '"toNode":"b3"');
  assert.notEqual(wrong, MAP);
  await v.fails('vault_write', { path: 'Map.canvas', content: wrong, overwrite: true }, /would not be valid: line \d+: the toNode of an edge is 'b3', and no node has that id/);
  await v.fails('vault_write', { path: 'Other.canvas', content: wrong }, /no node has that id/);
  assert.equal(v.text('Map.canvas'), MAP);
  writeFileSync(path.join(v.vault, 'Old.canvas'), wrong);
  await v.ok('vault_canvas', { path: 'Old.canvas', steps: [{ change: 'a1', text: 'Other' }] });
  assert.match(v.text('Old.canvas'), /"toNode":"b3"/);
});

test('a canvas is a step of vault_batch, and sees notes of earlier steps', async (t) => {
  const v = await open(t, ROW);
  const said = await v.ok('vault_batch', { steps: [
    { tool: 'vault_write', path: 'Fresh.md', content: '# Fresh\n' },
    { tool: 'vault_canvas', path: 'Map.canvas', steps: [{ add: 'file', file: 'Fresh', in: 'Now' }] }] });
  assert.match(said, /2\. changed Map\.canvas[^]*added [0-9a-f]{16}: file 'Fresh'/);
  assert.match(v.text('Map.canvas'), /"file":"Fresh\.md"/);
});

test('answers in JSON have nodes and edges', async (t) => {
  const vault = makeVault(t);
  const sdk = await connect(t, ROW, { vault, args: ['--answers', 'json', '--auto-context', 'off'] });
  const ask = async (name, args) => JSON.parse((await sdk.call({ name, arguments: args })).content[0].text);
  const read = await ask('vault_read', { path: 'Map.canvas' });
  assert.deepEqual(read.nodes[1], { id: 'a1', type: 'text', in: 'g1', text: '# Idea\n\n- one\n- [[Plan]]' });
  assert.deepEqual(read.edges, [{ id: 'e1', from: 'a1', to: 'b2', label: 'leads to' }]);
  const { did } = await ask('vault_canvas', { path: 'Map.canvas', steps: [{ change: 'e1', label: null }] });
  assert.deepEqual(did, ['changed e1: Idea -> Plan']);
  await sdk.close();
});

test('vaultd read and vaultd canvas', async (t) => {
  const vault = makeVault(t);
  const vaultd = (...args) => run(VAULTD, [...args, '--vault-path', vault, '--state-dir', path.join(vault, '../state')], { env: cleanEnv() });
  assert.equal((await vaultd('read', 'Map.canvas')).stdout, MAP, 'into a pipe: byte for byte');
  assert.match((await vaultd('read', 'Map.canvas', '--outline')).stdout, /^g1 group: Now\n {2}a1 text: # Idea\n/);
  const json = JSON.parse((await vaultd('read', 'Map.canvas', '--outline', '--json')).stdout);
  assert.equal(json.nodes.length, 3);
  const made = await vaultd('canvas', 'Map', '{"add":"text","text":"More"}', '{"connect":"More","to":"Plan"}');
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /added [0-9a-f]{16}: text 'More'\nconnected [0-9a-f]{16}: More -> Plan\n/);
  assert.match(readFileSync(path.join(vault, 'Map.canvas'), 'utf8'), /"text":"More","x":960,"y":0/);
  assert.equal((await vaultd('undo')).code, 0);
  assert.equal(readFileSync(path.join(vault, 'Map.canvas'), 'utf8'), MAP);
  const bad = await vaultd('canvas', 'Map', 'add');
  assert.notEqual(bad.code, 0);
  assert.match(bad.stderr, /a STEP is a JSON object/);
});
