// Forty tasks of a person with a vault (examples/vault), and the calls with which an agent does each of them:
// [kind, task, calls, what must be true afterwards]. In arguments, $etag is the etag in the answer before.
const all = (...checks) => (s) => checks.every((check) => check(s));
const says = (...words) => (s) => words.every((word) => (word instanceof RegExp ? word.test(s.text) : s.text.includes(word)));
const has = (file, ...words) => (s) => words.every((word) => (word instanceof RegExp ? word.test(s.file(file)) : s.file(file).includes(word)));
const lacks = (file, word) => (s) => !s.file(file).includes(word);
const gone = (file) => (s) => s.file(file) === '';

export const SESSIONS = [
  ['find', 'When was the rain barrel full for the first time?', [['vault_search', { query: 'barrel filled first time' }]], says('20 June')],
  ['find', 'What did the parts of the barrel cost?', [['vault_search', { query: 'barrel parts price' }], ['vault_read', { path: 'Rain barrel', section: 'Parts' }]], says('**108.50**')],
  ['find', 'Which address does the NAS have?', [['vault_search', { query: 'NAS' }], ['vault_search', { query: 'otter 192' }]], says(/168\.20\.11/)],
  ['find', 'Who lent me a book?', [['vault_search', { query: 'lent me' }]], says('People/Ines Okafor.md')],
  ['find', 'When do I stop a restore?', [['vault_read', { path: 'Restore runbook', section: 'When to stop' }]], says('## When to stop')],
  ['find', 'The note about the café in Paris', [['vault_search', { query: 'cafe paris' }]], says('Travel/Café à Paris.md')],
  ['find', 'What am I reading?', [['vault_query', { where: 'status = reading', select: ['author'] }]], says('Walden.md | Henry David Thoreau')],
  ['find', 'What is open with Ines?', [['vault_query', { from: 'tasks', where: 'not task.done and (task.text contains Ines or file.name contains Ines)' }]], says('Projector for December')],
  ['find', 'Did a project cost more than planned?', [['vault_query', { where: 'spent > budget', count: true }]], says('0 notes')],
  ['find', 'Accepted decisions', [['vault_search', { query: 'tag:#adr [status:accepted]' }]], says('ADR-002', 'ADR-003')],
  ['find', 'Days with the best mood', [['vault_query', { where: 'mood >= 5', select: ['mood'] }]], says('Journal/2026-11-13.md | 5')],
  ['find', 'Which properties do my projects have?', [['vault_query', { from: 'properties', folder: 'Projects' }]], says('budget', 'status')],

  ['hop', 'Meetings with the person who runs the library of things', [['vault_search', { query: 'runs the library of things' }], ['vault_query', { where: 'attendees contains "Ines Okafor"', folder: 'Meetings' }]], says('2026-11-05', '2026-11-12')],
  ['hop', 'How is Walden connected with the backups?', [['vault_links', { path: 'Walden', direction: 'path', to: 'Backup rebuild' }]], says('How Buildings Learn.md')],
  ['hop', 'Where is the old decision about the mirror mentioned?', [['vault_links', { path: 'ADR-001 A mirror is enough', direction: 'backlinks' }]], says('Home.md', 'Projects/Backup rebuild.md')],
  ['hop', 'What follows from the decision behind the backup project?', [['vault_read', { path: 'Backup rebuild', view: 'frontmatter' }], ['vault_read', { path: 'ADR-002 Three copies of everything', section: 'Consequences' }]], says('## Consequences')],
  ['hop', 'Notes that name Tomasz Wrona without a link', [['vault_links', { path: 'Tomasz Wrona', direction: 'mentions' }]], says('Inbox.md')],
  ['hop', 'What is broken in the vault?', [['vault_check', {}]], says('Worm bin')],
  ['hop', 'The three notes with the most links to them', [['vault_query', { select: ['file.backlinks.length'], sort: ['-file.backlinks.length'], limit: 3 }]], says('Repair workshop.md')],
  ['hop', 'Who has to do what for the workshop?', [['vault_read', { path: '2026-11-12 Workshop walk-through', paths: ['2026-11-05 Workshop planning'], section: 'Actions' }]], says('blocks for two tables', 'extension lead')],

  ['edit', 'A task for this evening', [['vault_daily', { date: '2026-11-13', append: '- [ ] Oil the shears', section: 'Evening' }]], has('Journal/2026-11-13.md', '- [ ] Oil the shears')],
  ['edit', 'The drill is back', [['vault_search', { query: 'drill' }], ['vault_edit', { path: 'Inbox', old_text: '- [ ] Return the drill', new_text: '- [x] Return the drill' }]], has('Inbox.md', '- [x] Return the drill #errand')],
  ['edit', 'The cold frame is active now', [['vault_frontmatter', { path: 'Cold frame', set: { status: 'active', started: '2026-11-17' } }]], has('Projects/Cold frame.md', 'status: active', 'started: 2026-11-17', 'budget: 60')],
  ['edit', 'A hose for the barrel', [['vault_edit', { path: 'Rain barrel', section: 'Parts', row: 'Hose', cells: { 'Price (EUR)': '12.00' } }]], has('Projects/Rain barrel.md', /^\| Hose \| 12\.00 \|$/m)],
  ['edit', 'Reword the questions about the cold frame', [['vault_read', { path: 'Cold frame', section: 'Questions' }], ['vault_insert', { path: 'Cold frame', where: 'section_replace', anchor: 'Questions', content: '## Questions\n\n- Where?\n- How deep?\n' }]], all(has('Projects/Cold frame.md', '- Where?\n- How deep?\n', '## Next step'), lacks('Projects/Cold frame.md', 'late frosts'))],
  ['edit', 'An entry in the log of the workshop', [['vault_insert', { path: 'Projects/Repair workshop/Log', content: '## 2026-11-17\n\nLeaflets are printed.' }]], has('Projects/Repair workshop/Log.md', 'walk-through]].\n\n## 2026-11-17\n\nLeaflets are printed.')],
  ['edit', 'Walden is about company, too', [['vault_search', { query: 'three for society' }], ['vault_edit', { path: 'Walden', old_text: 'and the chapter on visitors is a long one.', new_text: 'and the chapter on visitors is the longest.' }]], has('Books/Walden.md', 'visitors is the longest.')],
  ['edit', 'The rules of the network, from line 31 on', [['vault_read', { path: 'Network', section: 'Rules' }], ['vault_edit', { path: 'Network', lines: '34', new_text: '2. Guests see only the internet.' }]], has('Areas/Homelab/Network.md', '\n2. Guests see only the internet.\n3. heron')],
  ['edit', 'A new project', [['vault_write', { path: 'Projects/Worm bin', template: 'Project', content: 'A box with worms.' }]], has('Projects/Worm bin.md', 'status: idea', '# Worm bin', 'A box with worms.')],
  ['edit', 'Write the note about sharpening again, with its properties', [['vault_read', { path: 'Sharpening angles' }], ['vault_write', { path: 'Reference/Sharpening angles.md', keep_properties: true, if_match: '$etag', content: '# Sharpening angles\n\nTwenty degrees for everything.\n' }]], has('Reference/Sharpening angles.md', /^---\n[^]*---\n# Sharpening angles\n\nTwenty degrees/)],

  ['refactor', 'The cold frame is called warm frame', [['vault_move', { path: 'Cold frame', to: 'Warm frame' }]], all(has('Home.md', '[[Warm frame]]'), gone('Projects/Cold frame.md'), has('Projects/Warm frame.md', '# Cold frame'))],
  ['refactor', 'The tag errand becomes todo/errand', [['vault_move', { tag: 'errand', to: 'todo/errand' }]], has('Inbox.md', '#todo/errand')],
  ['refactor', 'All decisions were reviewed today', [['vault_frontmatter', { where: 'tag = #adr', set: { reviewed: '2026-11-17' } }]], all(has('Decisions/ADR-001 A mirror is enough.md', 'reviewed: 2026-11-17'), has('Decisions/ADR-003 No digging.md', 'reviewed: 2026-11-17'))],
  ['refactor', 'Compost belongs into the note about the garden', [['vault_read', { path: 'Compost', section: 'What goes in' }], ['vault_batch', { steps: [{ tool: 'vault_insert', path: 'Garden', content: '## Compost\n\nKitchen scraps, leaves, straw; no bread.' }, { tool: 'vault_delete', path: 'Compost', links_to: 'Garden' }] }]], all(gone('Areas/Garden/Compost.md'), has('Areas/Garden/Garden.md', '## Compost'), lacks('Areas/Garden/Soil test.md', 'Compost'))],
  ['refactor', 'The questions about the cold frame go to the inbox', [['vault_move', { path: 'Cold frame', heading: 'Questions', into: 'Inbox' }]], all(has('Inbox.md', '## Questions', 'How deep?'), lacks('Projects/Cold frame.md', '## Questions'))],
  ['refactor', 'Mr Brandt is called Brand', [['vault_search', { query: 'Mr Brandt' }], ['vault_batch', { steps: [{ tool: 'vault_edit', path: 'Meetings/2026-11-12 Workshop walk-through.md', old_text: 'Mr Brandt', new_text: 'Mr Brand', replace_all: true }, { tool: 'vault_edit', path: 'Projects/Repair workshop/Log.md', old_text: 'Mr Brandt', new_text: 'Mr Brand', replace_all: true }] }]], all(lacks('Meetings/2026-11-12 Workshop walk-through.md', 'Brandt'), lacks('Projects/Repair workshop/Log.md', 'Brandt'))],

  ['recover', 'That was wrong, take it back', [['vault_edit', { path: 'Inbox', old_text: 'in theory', new_text: 'always' }], ['vault_undo', {}]], has('Inbox.md', 'in theory')],
  ['recover', 'I deleted something last week, what was it?', [['vault_delete', { path: 'Walden' }], ['vault_delete', { restore: true }], ['vault_delete', { restore: true, path: 'Walden' }]], has('Books/Walden.md', '# Walden')],
  ['recover', 'Write a note that is there already', [['vault_write', { path: 'Scratch/Empty.md', content: 'x' }], ['vault_write', { path: 'Projects/Cold frame.md', content: '# Cold frame\n' }], ['vault_write', { path: 'Projects/Cold frame.md', content: '# Cold frame\n', if_match: '$etag' }]], has('Projects/Cold frame.md', /^# Cold frame\n$/)],
  ['recover', 'Edit what another client has changed', [['vault_edit', { path: 'Inbox', old_text: 'in theory', new_text: 'always', if_match: '0123456789abcdef' }], ['vault_edit', { path: 'Inbox', old_text: 'in theory', new_text: 'always', if_match: '$etag' }]], has('Inbox.md', 'always')],
];
