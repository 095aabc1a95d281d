// Tasks as a model would do them, over the official SDKs: several calls each, judged by the
// files on disk. All tasks of one connection share a server and a vault; after each, everything it
// did is undone, and the vault must be as it was, byte for byte.
import assert from 'node:assert/strict';
import { appendFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { VAULTD, cleanEnv, copyVault, run, sleep, tempDir } from '../support.mjs';
import { CONNECTIONS, connect } from './sdk.mjs';

const ADR = 'Decisions/ADR-002 Three copies of everything.md';
const PROJECT = 'Projects/Backup rebuild.md';
const LONG = 'Areas/Garden/Garden log 2026.md';

/** Every file with its bytes, the trash included. */
function everything(dir, below = '') {
  return Object.fromEntries(readdirSync(path.join(dir, below)).flatMap((name) => {
    const at = path.posix.join(below, name);
    return statSync(path.join(dir, at)).isDirectory() ? Object.entries(everything(dir, at)) : [[at, readFileSync(path.join(dir, at), 'latin1')]];
  }));
}

/** What a task can use. */
class Desk {
  constructor(t, vault) {
    Object.assign(this, { t, vault, changes: [], asked: [], reply: 'accept' });
  }

  setup(sdk) {
    sdk.handle('elicitation/create', async ({ params }) => {
      this.asked.push(params.message);
      return this.reply === 'accept' ? { action: 'accept', content: {} } : { action: this.reply };
    });
  }

  async raw(name, args = {}) {
    const result = await this.sdk.call({ name, arguments: args });
    const value = JSON.parse(result.content.at(-1).text);
    if (value.change && !value.repeated) this.changes.push(value.change);
    return { result, value };
  }

  async ok(name, args) {
    const { result, value } = await this.raw(name, args);
    assert.ok(!result.isError, `${name} ${JSON.stringify(args)}: ${JSON.stringify(value)}`);
    return value;
  }

  async fails(name, args, code) {
    const before = everything(this.vault);
    const { result, value } = await this.raw(name, args);
    assert.ok(result.isError, `${name} ${JSON.stringify(args)} did not fail`);
    assert.equal(value.error.code, code, JSON.stringify(value));
    assert.deepEqual(everything(this.vault), before, 'and changed nothing');
    return value.error.message;
  }

  /** All items of an answer and of the calls that it names as next. */
  async follow(name, args, items) {
    const all = [];
    for (let rounds = 0; ; rounds++) {
      assert.ok(rounds < 1000, 'it ends');
      const value = await this.ok(name, args);
      all.push(...items(value));
      if (!value.truncated) return all;
      const { tool, ...next } = value.next;
      [name, args] = tool ? [tool, next] : [name, { ...args, ...next }];
    }
  }

  file(name) {
    return path.join(this.vault, name);
  }

  read(name) {
    return readFileSync(this.file(name), 'utf8');
  }

  has(name) {
    return existsSync(this.file(name));
  }

  /** Another program writes a file; wait until the server has noticed. */
  async outside(name, text) {
    mkdirSync(path.dirname(this.file(name)), { recursive: true });
    writeFileSync(this.file(name), text);
    await this.ok('vault_read', { path: name });
  }

  /** What vaultd check reports about links, as a separate process. */
  async brokenLinks() {
    const end = await run(VAULTD, ['check', '-k', 'broken_link,broken_subpath', '--json', '-v', this.vault], { env: cleanEnv(tempDir(this.t)) });
    return JSON.parse(end.stdout).findings.map((f) => f.message).sort();
  }

  async undoAll() {
    while (this.changes.length > 0) {
      const change = this.changes.pop();
      const { result, value } = await this.raw('vault_undo', { change });
      assert.ok(!result.isError, JSON.stringify(value));
      this.changes.pop(); // the undo itself
    }
  }
}

/* --- the tasks --- */

const TASKS = {
  async 'find a decision, add its outcome, link it from the note of the day'(d) {
    const { results } = await d.ok('vault_search', { query: 'tag:#adr [status:accepted] copies', mode: 'query' });
    assert.equal(results[0].path, ADR);
    const { headings, etag } = await d.ok('vault_read', { path: ADR, view: 'outline' });
    assert.ok(headings.some((h) => h.title === 'Consequences'));
    const before = d.read(ADR);
    const added = await d.ok('vault_insert', { path: ADR, where: 'section_end', anchor: 'Outcome', create: true, content: 'The first restore worked.', if_match: etag });
    assert.equal(d.read(ADR), `${before}\n## Outcome\n\nThe first restore worked.\n`);
    const section = await d.ok('vault_read', { path: ADR, section: added.target });
    assert.equal(section.content, '## Outcome\n\nThe first restore worked.\n');
    assert.equal(section.etag, added.etag);
    await d.ok('vault_daily', { date: '2026-11-13', append: '- [[ADR-002 Three copies of everything#Outcome]]', section: 'Evening' });
    assert.match(d.read('Journal/2026-11-13.md'), /^- \[ \] Weekly review.*\n- \[\[ADR-002 Three copies of everything#Outcome\]\]\n/m);
    const { links } = await d.ok('vault_links', { path: ADR, direction: 'backlinks' });
    assert.ok(links.some((l) => l.path === 'Journal/2026-11-13.md' && l.subpath === '#Outcome'));
  },

  async 'rename a project: no link breaks'(d) {
    const broken = await d.brokenLinks();
    const links = (await d.ok('vault_links', { path: PROJECT, direction: 'backlinks' })).total;
    assert.ok(links > 5);
    const look = await d.ok('vault_move', { path: PROJECT, to: 'Projects/Backups, again.md', dry_run: true });
    assert.ok(d.has(PROJECT) && look.diff.includes('[[Backups, again'));
    const moved = await d.ok('vault_move', { path: PROJECT, to: 'Projects/Backups, again.md' });
    assert.ok(!d.has(PROJECT) && d.has('Projects/Backups, again.md'));
    assert.equal(moved.rewritten_notes, look.rewritten_notes);
    assert.equal((await d.ok('vault_links', { path: 'Backups, again', direction: 'backlinks' })).total, links);
    assert.deepEqual(await d.brokenLinks(), broken);
    assert.ok(Object.values(everything(d.vault)).every((text) => !text.includes('[[Backup rebuild')));
  },

  async 'move a folder into another, with all that links there'(d) {
    const broken = await d.brokenLinks();
    await d.ok('vault_move', { path: 'Areas/Homelab', to: 'Archive/Homelab' });
    assert.ok(d.has('Archive/Homelab/Restore runbook.md') && !d.has('Areas/Homelab/Log.md'));
    assert.deepEqual(await d.brokenLinks(), broken);
    const { links } = await d.ok('vault_links', { path: 'Home.md', direction: 'outgoing' });
    assert.ok(links.some((l) => l.path === 'Archive/Homelab/Homelab.md'));
  },

  async 'tick off the open tasks of a note'(d) {
    const where = 'not task.done and file.name = "Repair workshop"';
    const { rows } = await d.ok('vault_query', { from: 'tasks', where });
    assert.equal(rows.length, 3);
    const note = rows[0].path;
    const edits = rows.map(({ task }) => ({ old_text: `- [ ] ${task}`, new_text: `- [x] ${task}` }));
    const { replacements } = await d.ok('vault_edit', { path: note, edits });
    assert.equal(replacements, 3);
    assert.equal((await d.ok('vault_query', { from: 'tasks', where })).total, 0);
    assert.ok(!d.read(note).includes('- [ ]') && d.read(note).includes('- [/] Leaflets'));
  },

  async 'a property becomes another one in every note that has it'(d) {
    const { rows } = await d.ok('vault_query', { where: 'mood exists', select: 'mood', folder: 'Journal' });
    assert.equal(rows.length, 5);
    for (const row of rows) await d.ok('vault_frontmatter', { path: row.path, set: { feeling: row.values.mood }, remove: 'mood' });
    const after = await d.ok('vault_query', { where: 'feeling exists', select: ['feeling', 'mood'] });
    assert.deepEqual(after.rows.map((r) => r.values.feeling), rows.map((r) => r.values.mood));
    for (const row of rows) assert.match(d.read(row.path), new RegExp(`^feeling: ${row.values.mood}$`, 'm'));
    assert.equal((await d.ok('vault_query', { where: 'mood exists', folder: 'Journal' })).total, 0);
  },

  async 'rename a tag with those below it'(d) {
    const tagged = async (tag) => (await d.ok('vault_list', { tag })).files.map((f) => f.path);
    const before = await tagged('project');
    const moved = await d.ok('vault_move', { tag: 'project', to: 'work/project' });
    assert.equal(moved.rewritten_notes, before.length + 2); // Projects.base and a canvas name it, too
    assert.deepEqual(await tagged('work/project'), before);
    assert.match((await d.ok('vault_list', { tag: 'project' })).note, /work\/project/);
    assert.match(d.read('Projects/Rain barrel.md'), /^ {2}- work\/project\/garden$/m);
    assert.match(d.read('Home.md'), / #work\/project\/workshop$/m);
  },

  async 'a concurrent change is not overwritten'(d) {
    const { etag, content } = await d.ok('vault_read', { path: 'Inbox.md' });
    const theirs = `${content}\n- from the phone\n`;
    await d.outside('Inbox.md', theirs);
    const message = await d.fails('vault_edit', { path: 'Inbox.md', old_text: 'oak offcuts', new_text: 'ash offcuts', if_match: etag }, 'CONFLICT');
    for (const [name, args] of [['vault_write', { content: 'x' }], ['vault_insert', { content: 'x' }], ['vault_frontmatter', { set: { a: 1 } }], ['vault_delete', {}]])
      await d.fails(name, { path: 'Inbox.md', ...args, if_match: etag }, 'CONFLICT');
    const now = await d.ok('vault_read', { path: 'Inbox.md' });
    assert.ok(message.includes(now.etag));
    await d.ok('vault_edit', { path: 'Inbox.md', old_text: 'oak offcuts', new_text: 'ash offcuts', if_match: now.etag });
    assert.equal(d.read('Inbox.md'), theirs.replace('oak offcuts', 'ash offcuts'));
    await d.undoAll();
    await d.outside('Inbox.md', content);
  },

  async 'read a long note to its end, however it is cut'(d) {
    const whole = d.read(LONG);
    for (const args of [{}, { budget: 400 }, { offset: 1, limit: 0, budget: 700 }])
      assert.equal((await d.follow('vault_read', { path: LONG, ...args }, (v) => [v.content])).join(''), whole, JSON.stringify(args));
    const section = whole.slice(whole.indexOf('## June'), whole.indexOf('## July'));
    assert.equal((await d.follow('vault_read', { path: LONG, section: 'June', budget: 150 }, (v) => [v.content])).join(''), section);
    const headings = await d.follow('vault_read', { path: LONG, view: 'outline', budget: 150 }, (v) => v.headings.map((h) => h.line));
    assert.deepEqual(headings, whole.split('\n').flatMap((line, i) => (/^#+ /.test(line) ? [i + 1] : [])));
    const links = await d.follow('vault_read', { path: 'Home.md', view: 'links', budget: 150 }, (v) => v.links.map((l) => l.link));
    assert.deepEqual(links, (await d.ok('vault_links', { path: 'Home.md', direction: 'outgoing' })).links.map((l) => l.link));
  },

  async 'every list to its end, in small pages'(d) {
    const lists = [
      ['vault_list', { recursive: true }, 'files'], ['vault_list', { path: 'Areas/Garden' }, 'entries'], ['vault_query', { from: 'tags' }, 'tags'],
      ['vault_search', { query: 'the', max_results: 7 }, 'results'], ['vault_query', { select: ['tags', 'status'] }, 'rows'],
      ['vault_links', { path: 'Home.md' }, 'links'], ['vault_links', { path: 'Tomasz Wrona', direction: 'mentions' }, 'links'],
    ];
    for (const [name, args, member] of lists) {
      const all = await d.follow(name, { ...args, budget: 25000, ...(name === 'vault_search' ? { max_results: 1000 } : {}) }, (v) => v[member]);
      assert.ok(all.length > 5, name);
      assert.deepEqual(await d.follow(name, { ...args, budget: 150 }, (v) => v[member]), all, name);
    }
  },

  async 'a note of the day from its template, twice'(d) {
    const made = await d.ok('vault_daily', { date: '2031-05-06' });
    assert.equal(made.path, 'Journal/2031-05-06.md');
    assert.match(d.read(made.path), /^---\ndate: "2031-05-06"\ntags:\n {2}- journal\n[^]*# Tuesday, 6 May 2031\n/);
    const again = await d.ok('vault_daily', { date: '2031-05-06' });
    assert.deepEqual([again.created, again.unchanged, again.content, again.etag], [false, true, made.content, made.etag]);
    await d.ok('vault_daily', { date: '2031-05-06', append: 'Sowed peas.', section: 'Morning', if_match: again.etag });
    assert.match(d.read(made.path), /## Morning\n\nSowed peas\.\n\n## Evening\n/);
    await d.fails('vault_daily', { date: '2031-05-06', append: 'Late.', if_match: again.etag }, 'CONFLICT');
  },

  async 'delete a note and bring it back from the trash'(d) {
    const text = d.read('Books/Walden.md');
    const { to } = await d.ok('vault_delete', { path: 'Books/Walden.md' });
    assert.ok(!d.has('Books/Walden.md') && d.read(to) === text);
    assert.equal((await d.ok('vault_search', { query: 'hut by a pond', mode: 'text' })).total_matches, 0);
    await d.fails('vault_read', { path: to }, 'PATH_NOT_ALLOWED');
    await d.ok('vault_write', { path: 'Books/Walden.md', content: 'another\n', overwrite: true });
    await d.fails('vault_delete', { path: to, restore: true }, 'FILE_EXISTS');
    await d.ok('vault_delete', { path: to, restore: true, to: 'Books/Walden, found.md' });
    assert.equal(d.read('Books/Walden, found.md'), text);
    assert.equal((await d.ok('vault_search', { query: 'hut by a pond' })).total_matches, 1);
  },

  async 'look at a picture'(d) {
    const { result, value } = await d.raw('vault_read', { path: 'bed-plan.png' });
    assert.deepEqual([result.content[0].type, result.content[0].mimeType, value.path], ['image', 'image/png', 'Attachments/bed-plan.png']);
    assert.ok(Buffer.from(result.content[0].data, 'base64').equals(readFileSync(d.file(value.path))));
    const { links } = await d.ok('vault_links', { path: value.path, direction: 'backlinks' });
    assert.ok(links.every((l) => l.embed));
    await d.fails('vault_edit', { path: value.path, old_text: 'a', new_text: 'b' }, 'NOT_TEXT');
    await d.fails('vault_frontmatter', { path: 'Canvas/Garden year.canvas', set: { a: 1 } }, 'INVALID_ARGUMENT');
  },

  async 'a prompt that is a note, and a new one'(d) {
    const { messages } = await d.sdk.client.getPrompt({ name: 'Weekly review', arguments: { week_start: '2026-11-09', focus: 'Backup rebuild' } });
    assert.match(messages[0].content.text, /^Read the daily notes from 2026-11-09 /);
    assert.match(messages[0].content.text, /Backup rebuild/);
    await d.ok('vault_write', { path: 'Assistant/Prompts/Haiku.md', content: '---\ntags: prompt\narguments:\n  - name: subject\n    required: true\n---\nA haiku on {{subject}}.\n' });
    const { prompts } = await d.sdk.client.listPrompts();
    assert.deepEqual(prompts.find((p) => p.name === 'Haiku').arguments, [{ name: 'subject', required: true }]);
    const haiku = await d.sdk.client.getPrompt({ name: 'Haiku', arguments: { subject: 'frost' } });
    assert.equal(haiku.messages[0].content.text, 'A haiku on frost.');
  },

  async 'are notified of a note that another program edits'(d) {
    const uri = 'vault:///Areas/Garden/Soil%20test.md';
    const text = d.read('Areas/Garden/Soil test.md');
    const heard = [];
    d.sdk.hear('notifications/resources/updated', ({ params }) => void heard.push(params.uri));
    const subscription = d.modern ? await d.sdk.client.listen({ resourceSubscriptions: [uri] }) : await d.sdk.client.subscribeResource({ uri });
    // A legacy session's stream may open after its handshake: write until a notification arrives.
    for (let tries = 0; heard.length === 0; tries++) {
      assert.ok(tries < 400, 'no notification came');
      appendFileSync(d.file('Areas/Garden/Soil test.md'), 'Still too wet.\n');
      await sleep(250);
    }
    assert.deepEqual([...new Set(heard)], [uri]);
    assert.match((await d.ok('vault_read', { path: 'Soil test' })).content, /Still too wet\.\n$/);
    if (d.modern) await subscription.close();
    else await d.sdk.client.unsubscribeResource({ uri });
    await d.outside('Areas/Garden/Soil test.md', text);
  },

  async 'the person is asked before a folder goes, and says no, then yes'(d) {
    d.reply = 'decline';
    assert.match(await d.fails('vault_delete', { path: 'Recipes', recursive: true }, 'NOT_CONFIRMED'), /nothing was changed/);
    assert.equal(d.asked.length, 1);
    assert.match(d.asked[0], /'Recipes' with everything in it/);
    d.reply = 'accept';
    await d.ok('vault_delete', { path: 'Recipes', recursive: true });
    assert.equal(d.asked.length, 2);
    assert.ok(!d.has('Recipes') && d.has('.trash/Recipes/Rye sourdough.md'));
    await d.ok('vault_delete', { path: 'Recipes', restore: true });
    assert.ok(d.has('Recipes/Rye sourdough.md'));
  },

  async 'what changed, and one thing of it undone'(d) {
    const { latest } = await d.ok('vault_changes', { limit: 1 });
    await d.ok('vault_insert', { path: 'Inbox.md', content: '- first' });
    const second = await d.ok('vault_write', { path: 'Second.md', content: 'second\n' });
    await d.ok('vault_insert', { path: 'Inbox.md', content: '- third' });
    const { changes } = await d.ok('vault_changes', { since: latest });
    assert.deepEqual(changes.map((c) => c.tool), ['vault_insert', 'vault_write', 'vault_insert']);
    assert.deepEqual((await d.follow('vault_changes', { limit: 1, since: latest }, (v) => v.changes)).map((c) => c.change), changes.map((c) => c.change));
    const back = await d.follow('vault_changes', { limit: 2 }, (v) => v.changes.map((c) => c.change));
    assert.deepEqual(back, Array.from({ length: changes.at(-1).change }, (_, i) => changes.at(-1).change - i), 'all there are, latest first');
    const undone = await d.ok('vault_undo', { change: second.change });
    assert.deepEqual(undone.files.map((file) => file.path), ['Second.md']);
    assert.ok(!d.has('Second.md') && d.read('Inbox.md').includes('- third'));
  },

  async 'a call that is repeated because its answer was lost'(d) {
    const call = { path: 'Inbox.md', content: '- only once', idempotency_key: `lost-${d.changes.length}-${Date.now()}` };
    const first = await d.ok('vault_insert', call);
    const second = await d.ok('vault_insert', call);
    assert.deepEqual([second.repeated, second.change, second.etag], [true, first.change, first.etag]);
    assert.equal(d.read('Inbox.md').split('- only once').length, 2);
    await d.fails('vault_insert', { ...call, content: '- something else' }, 'KEY_REUSED');
  },

  async 'a name that is not quite right leads to the note'(d) {
    const message = await d.fails('vault_edit', { path: 'Rain barel', old_text: 'x', new_text: 'y' }, 'FILE_NOT_FOUND');
    const [, suggested] = message.match(/did you mean '([^']+)'/);
    assert.equal((await d.ok('vault_read', { path: suggested })).path, 'Projects/Rain barrel.md');
    const both = await d.fails('vault_insert', { path: 'Log.md', content: 'x' }, 'AMBIGUOUS');
    const [, , log] = both.match(/'([^']+)', '([^']+)'/);
    await d.ok('vault_insert', { path: log, content: '## 2026-11-16\n\nPosters are up.' });
    assert.match(d.read('Projects/Repair workshop/Log.md'), /\n## 2026-11-16\n\nPosters are up\.\n$/);
    const text = await d.fails('vault_edit', { path: suggested, old_text: 'Empty it before the frist hard frost', new_text: 'x' }, 'TEXT_NOT_FOUND');
    const [, line] = text.match(/line \d+: "([^"]+)"/);
    await d.ok('vault_edit', { path: suggested, old_text: line, new_text: line.replace('hard', 'real') });
    assert.match(d.read(suggested), /before the first real frost/);
  },
};

const CHOSEN = CONNECTIONS.filter(({ name }) => /SDK v1|SDK v2 pinned/.test(name));

for (const row of CHOSEN)
  test(`${row.name}: sessions`, async (t) => {
    const vault = copyVault(t);
    const d = new Desk(t, vault);
    d.modern = row.modern;
    d.sdk = await connect(t, row, { vault, args: ['--auto-context', 'off'], setup: (sdk) => d.setup(sdk) });
    const start = everything(vault);
    for (const [name, task] of Object.entries(TASKS))
      await t.test(name, async () => {
        d.asked.length = 0;
        await task(d);
        await d.undoAll();
        rmSync(d.file('.trash'), { recursive: true, force: true }); // its folders may remain
        assert.deepEqual(everything(vault), start, 'undone, every byte');
      });
    await d.sdk.close();
  });
