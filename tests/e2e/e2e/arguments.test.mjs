// What every tool of the default set makes of arguments that its schema does not have, and of numbers outside of
// the range that it says. Nothing here names a tool, so that new ones are tested, too.
import assert from 'node:assert/strict';
import test from 'node:test';
import { copyVault, startStdio } from '../support.mjs';

async function start(t, args = []) {
  const io = startStdio(t, { vault: copyVault(t), args });
  await io.initialize();
  const { tools } = (await io.request('tools/list')).result;
  const call = async (tool, args) => {
    const { result } = await io.call(tool.name, args);
    return { failed: result.isError === true, text: result.content.map((part) => part.text ?? part.type).join('\n') };
  };
  return { tools, call };
}

const SOME = { string: 'Home.md', integer: 1, number: 1, boolean: false, array: [], object: {} };

/** Arguments with everything that is required. */
function required({ inputSchema: { properties, required: names = [] } }) {
  return Object.fromEntries(names.map((name) => [name, properties[name].enum?.[0] ?? SOME[properties[name].type] ?? 'x']));
}

const listed = ({ inputSchema }) => Object.keys(inputSchema.properties);

test('SEC-66 every tool of the default set refuses an unknown argument and lists its own', async (t) => {
  const { tools, call } = await start(t);
  for (const tool of tools.filter((tool) => listed(tool).length > 0)) {
    const { failed, text } = await call(tool, { ...required(tool), zzzzzzzzz: 1 });
    assert.ok(failed && text.includes('INVALID_ARGUMENT'), `${tool.name}: ${text}`);
    assert.ok(text.includes(`unknown argument 'zzzzzzzzz', nothing was done; known arguments: ${listed(tool).join(', ')}`), `${tool.name}: ${text}`);
  }
});

test('every tool of the default set suggests the argument that was meant', async (t) => {
  const { tools, call } = await start(t);
  for (const tool of tools)
    for (const name of listed(tool).filter((name) => name.length > 3)) {
      const typo = `${name.slice(0, -2)}${name.at(-1)}${name.at(-2)}q`.slice(0, name.length);
      if (listed(tool).includes(typo)) continue;
      const { text } = await call(tool, { ...required(tool), [typo]: 1 });
      assert.match(text, new RegExp(`unknown argument '${typo}', nothing was done; did you mean '\\w+'\\? known`), `${tool.name} ${name}`);
    }
});

test('a tool without parameters ignores what it is given', async (t) => {
  const { tools, call } = await start(t);
  const bare = tools.filter((tool) => listed(tool).length === 0);
  assert.ok(bare.length > 0);
  for (const tool of bare) {
    const { failed, text } = await call(tool, { random_string: 'dummy' });
    assert.ok(!failed, `${tool.name}: ${text}`);
  }
});

test('a number outside of its range is the nearest one in it', async (t) => {
  const { tools, call } = await start(t);
  let tried = 0;
  for (const tool of tools.filter((tool) => tool.annotations.readOnlyHint))
    for (const [name, { type, minimum, maximum }] of Object.entries(tool.inputSchema.properties)) {
      if (type !== 'integer' || name === 'change') continue; // it names a change: the nearest one would be another
      for (const wild of [-5, 2 ** 40]) {
        const { text } = await call(tool, { ...required(tool), [name]: wild });
        assert.doesNotMatch(text, new RegExp(`${name} must be`), `${tool.name} ${name}`);
      }
      if (maximum === undefined) continue;
      tried++;
      for (const [wild, nearest] of [[minimum - 1, minimum], [-(2 ** 40), minimum], [maximum + 1, maximum], [2 ** 40, maximum]])
        assert.deepEqual(await call(tool, { ...required(tool), [name]: wild }), await call(tool, { ...required(tool), [name]: nearest }), `${tool.name} ${name} ${wild}`);
    }
  assert.ok(tried > 2, 'some schemas say a range');
});

for (const set of ['obsidian-vault-mcp', 'vault-sync', 'obsidian-bundle', 'claude-desktop', 'vault-git', 'chatgpt'])
  test(`tools of the set ${set} that only read ignore unknown arguments, and their schemas say no range`, async (t) => {
    const { tools, call } = await start(t, ['--tools', set]);
    assert.doesNotMatch(JSON.stringify(tools), /"(minimum|maximum)"/);
    for (const tool of tools.filter((tool) => tool.annotations?.readOnlyHint && !tool.annotations.openWorldHint))
      assert.doesNotMatch((await call(tool, { ...required(tool), zzzzzzzzz: 1 })).text, /unknown argument/, tool.name);
  });
