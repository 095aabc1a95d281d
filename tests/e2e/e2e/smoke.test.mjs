// One short session through the official SDKs, over both transports and in both eras: what ./test --quick runs after
// every change.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { copyVault } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

for (const row of CONNECTIONS)
  test(`smoke: ${row.name}`, async (t) => {
    const vault = copyVault(t);
    const sdk = await connect(t, row, { vault });
    const call = async (name, input) => {
      const answer = await sdk.call({ name, arguments: input });
      assert.ok(!answer.isError, answer.content[0].text);
      return answer.content[0].text;
    };
    const note = path.join(vault, 'Smoke.md');
    const { tools } = await sdk.client.listTools();
    assert.ok(tools.some((tool) => tool.name === 'vault_search'));

    await call('vault_write', { path: 'Smoke.md', content: '# Smoke\n\nfirst line\n' });
    assert.match(await call('vault_search', { query: 'first line' }), /Smoke\.md/);
    await call('vault_edit', { path: 'Smoke', old_text: 'first line', new_text: 'second line, [[Home]]' });
    assert.match(await call('vault_read', { path: 'Smoke' }), /second line/);
    await call('vault_undo', {});
    assert.match(readFileSync(note, 'utf8'), /first line/);
    await call('vault_undo', {});
    assert.ok(!existsSync(note));
    await sdk.close();
  });
