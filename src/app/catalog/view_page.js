const $ = (id) => document.getElementById(id);
const make = (name, attributes = {}, ...inside) => {
  const e = Object.assign(document.createElement(name), attributes);
  e.append(...inside);
  return e;
};
const clamp = (low, value, high) => Math.max(low, Math.min(value, high));

/* --- where answers come from: the host of an MCP App, or the server itself --- */

const hosted = window.parent !== window;
const waiting = new Map();
let asked = 0;
const post = (message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const ask = (method, params) => new Promise((done, failed) => {
  waiting.set(++asked, { done, failed });
  post({ id: asked, method, params });
});
const escaped = (path) => path.split('/').map(encodeURIComponent).join('/');

async function fetchJson(url) {
  const answer = await fetch(url, { credentials: 'same-origin' });
  const data = await answer.json();
  if (!answer.ok) throw new Error(data.error || `status ${answer.status}`);
  return data;
}

async function readJson(first, rest) {
  const { contents } = await ask('resources/read', { uri: `vault-graph://${first}/${escaped(rest)}` });
  return JSON.parse(contents[0].text);
}

/** The part of addresses that names the vault, if there are several. */
const vaultPart = () => { const name = new URLSearchParams(location.search).get('vault'); return name ? `&vault=${encodeURIComponent(name)}` : ''; };
const getGraph = (path, depth) => (hosted ? readJson(depth, path) : fetchJson(`graph/data?path=${encodeURIComponent(path)}&depth=${depth}${vaultPart()}`));
const getFound = (words) => (hosted ? readJson('find', words) : fetchJson(`graph/data?find=${encodeURIComponent(words)}${vaultPart()}`));

/* --- the panel: the same notes as text --- */

const ROWS_AT_ONCE = 100; // so that a long list does not keep the page from answering

function rowOf({ path, title, note, missing }, i) {
  const button = make('button', { className: 'node', title: path }, title, ' ', make('small', {}, note || path));
  Object.assign(button.dataset, { i, title });
  if (missing) button.setAttribute('aria-disabled', 'true');
  return make('li', {}, button);
}

function drawList(items) {
  shown.listed = items;
  $('count').textContent = counted(items.length, 'note', 'notes');
  $('list').replaceChildren();
  const more = (from) => {
    if (shown.listed !== items) return;
    $('list').append(...items.slice(from, from + ROWS_AT_ONCE).map((item, i) => rowOf(item, from + i)));
    if (from + ROWS_AT_ONCE < items.length) setTimeout(more, 0, from + ROWS_AT_ONCE);
  };
  more(0);
}

function say(text) {
  $('say').textContent = text;
  $('say').hidden = !text;
}

const counted = (n, one, many) => `${n.toLocaleString('en')} ${n === 1 ? one : many}`;

/** The note under the pointer or with the focus, and its neighbours; -1: none. */
function light(i) {
  if (i === shown.hot) return;
  shown.hot = i;
  const n = shown.nodes[i];
  $('info').hidden = !n;
  if (n) $('info').replaceChildren(n.title, make('small', {}, `${n.missing ? 'not written yet' : n.path} · ${counted(shown.beside[i].length, 'link', 'links')}`));
  $('graph').classList.toggle('over', Boolean(n));
  redraw();
}

/** The buttons and choices beside the map. */
function drawFilters() {
  const { nodes, tags, tag, hidden, alone, aside } = shown, visible = shown.order.filter((i) => !nodes[i].off);
  for (const button of $('groups').querySelectorAll('button')) button.setAttribute('aria-pressed', String(!hidden.has(button.dataset.folder)));
  $('tags').hidden = tags.size === 0;
  $('tag').replaceChildren(new Option('All tags', ''), ...[...tags].map(([name, places]) => new Option(`#${name} (${places.size})`, name, false, name === tag)));
  $('loners').hidden = aside.length === 0;
  $('alone').checked = alone;
  $('alonetext').textContent = `${counted(aside.length, 'note', 'notes')} without links`;
  drawList(visible.map((i) => nodes[i]));
}

function toggle(folder) {
  if (!shown.hidden.delete(folder)) shown.hidden.add(folder);
  choose();
  keepAddress();
}

function go(n) {
  if (n.missing) return say(`“${n.title}” is linked, but there is no such note yet.`);
  if ($('depth').value === 'all') $('depth').value = '1';
  return show(n.path);
}

/* --- pages --- */

/** Whether the server has pages to read notes on. */
const hasReader = () => Boolean(document.querySelector('nav a[href$="/search"]'));

/** A link to the page of the note, where the server has such pages. */
function offerReading(path) {
  $('read').hidden = !hasReader() || !path?.endsWith('.md');
  if (!$('read').hidden) $('read').href = `note/${escaped(path)}${vaultPart().replace('&', '?')}`;
}

/** The note as the reader's page has it: made by the server, in which HTML of notes is text. Without the page, its text. */
async function preview(data) {
  const text = (data.text ?? '').replace(/^---\n[^]*?\n---\n/, '');
  $('text').replaceChildren(text ? make('pre', {}, text.trim()) : '');
  $('text').scrollTop = 0;
  if (!text || $('read').hidden) return;
  try {
    const answer = await fetch($('read').href, { credentials: 'same-origin', headers: { accept: 'text/html' } });
    const article = answer.ok && new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('article.note');
    if (!article || shown.path !== data.path) return;
    for (const e of article.querySelectorAll('[id]')) e.removeAttribute('id');
    article.querySelector('.properties')?.remove();
    $('text').replaceChildren(...article.childNodes);
  } catch { /* the text is there */ }
}

/* --- the address: what is shown, so that it can be shared --- */

let keeping = 0;

/** The part of the map in the window: how large, and what is in its middle. */
function viewPart() {
  const { width, height } = $('graph').getBoundingClientRect(), { k, x, y } = shown.view, pad = padding(width, height);
  if (k === 1 && !x && !y) return '';
  const part = (size, from, space) => (((size / 2 - from) / k - space) / (size - 2 * space)).toFixed(3);
  return `${k.toFixed(2)},${part(width, x, pad.x)},${part(height, y, pad.y)}`;
}

function applyView(text) {
  const [k, across, down] = (text ?? '').split(',').map(Number), { width, height } = $('graph').getBoundingClientRect(), pad = padding(width, height);
  if (![k, across, down].every(Number.isFinite) || k < 0.5 || k > 40) return;
  shown.view = { k, x: width / 2 - (pad.x + across * (width - 2 * pad.x)) * k, y: height / 2 - (pad.y + down * (height - 2 * pad.y)) * k };
}

function address() {
  const query = new URLSearchParams({ path: shown.path, depth: $('depth').value }), was = new URLSearchParams(location.search);
  const parts = { vault: was.get('vault'), q: $('word').value.trim(), hide: [...shown.hidden].map((name) => name || '/').join(','), tag: shown.tag, alone: shown.alone ? '' : '0', at: viewPart() };
  for (const [name, value] of Object.entries(parts)) if (value) query.set(name, value);
  return `?${query.toString().replaceAll('+', '%20').replaceAll('%2C', ',').replaceAll('%2F', '/')}`;
}

/** After what is shown was changed, without a step for the way back. */
function keepAddress() {
  clearTimeout(keeping);
  if (!hosted && shown.layout) keeping = setTimeout(() => history.replaceState(null, '', address()), 200);
}

async function show(path, { keep = false } = {}) {
  say('Reading…');
  try {
    const depth = $('depth').value, data = await getGraph(path, depth);
    shown.path = data.path ?? '';
    shown.found = null;
    $('main').hidden = $('graph').hidden = $('filters').hidden = false;
    $('title').textContent = document.title = data.title;
    $('open').hidden = !data.url;
    offerReading(data.path);
    preview(data);
    $('open').onclick = () => (hosted ? ask('ui/open-link', { url: data.url }).catch(() => {}) : window.open(data.url));
    const some = counted(data.nodes.length, 'note', 'notes');
    for (const n of data.nodes) n.note = n.missing ? 'not written yet' : n.path;
    say([data.truncated ? `Only the ${some} ${depth === 'all' ? 'with the most links' : 'nearest to it'} are shown.` : '', data.notice].filter(Boolean).join(' '));
    arrange(data);
    $('list').setAttribute('aria-label', 'Notes in the map');
    const at = keep && new URLSearchParams(location.search).get('at');
    if ($('word').value) mark();
    if (at) applyView(at);
    redraw();
    clearTimeout(keeping);
    if (!hosted && !keep) history.pushState(null, '', address());
  } catch (error) {
    say(`Not shown: ${error.message}`);
  }
  fit();
}

function showResults(results, what, notice) {
  $('main').hidden = false;
  $('graph').hidden = $('filters').hidden = true;
  $('side').open = true;
  shown.layout = null;
  $('title').textContent = what;
  $('text').replaceChildren();
  $('groups').replaceChildren();
  $('open').hidden = $('read').hidden = true;
  drawList(results.map((r) => ({ path: r.path, title: r.title || r.path.replace(/^.*\//, '').replace(/\.md$/, ''), note: (r.snippet || r.path).replaceAll('**', '') })));
  say([results.length ? '' : 'Nothing was found.', notice].filter(Boolean).join(' '));
  fit();
}

const listedAt = (target) => target.closest?.('#list button')?.dataset.i;
$('list').addEventListener('click', (e) => listedAt(e.target) !== undefined && go(shown.listed[listedAt(e.target)]));
for (const name of ['focusin', 'pointerover']) $('list').addEventListener(name, (e) => light(shown.nodes.indexOf(shown.listed[listedAt(e.target)])));
for (const name of ['focusout', 'pointerleave']) $('list').addEventListener(name, () => light(shown.pinned));
$('list').addEventListener('keydown', (e) => {
  const to = { ArrowDown: 'nextSibling', ArrowUp: 'previousSibling' }[e.key];
  if (!to) return;
  e.preventDefault();
  e.target.closest('li')[to]?.firstChild.focus();
});
$('depth').addEventListener('change', () => show(shown.path));
$('groups').addEventListener('click', (e) => e.target.dataset.folder !== undefined && toggle(e.target.dataset.folder));
$('tag').addEventListener('change', () => { shown.tag = $('tag').value; choose(); keepAddress(); });
$('alone').addEventListener('change', () => { shown.alone = $('alone').checked; choose(); keepAddress(); });

/* --- the beginning --- */

const fit = () => hosted && post({ method: 'ui/notifications/size-changed', params: { width: document.documentElement.scrollWidth, height: document.documentElement.scrollHeight } });

function dress(context = {}) {
  if (context.theme) document.documentElement.style.colorScheme = context.theme;
  for (const [name, value] of Object.entries(context.styles?.variables ?? {}))
    if (/^--[\w-]+$/.test(name)) document.documentElement.style.setProperty(name, value);
  if (context.containerDimensions || context.displayMode)
    document.body.classList.toggle('filled', Boolean(context.containerDimensions?.height) || context.displayMode === 'fullscreen');
  readColours();
}

/** What a tool answered, or else what it was asked: links of a note, or a search. */
let input = {};
async function take(result) {
  let data = result.structuredContent;
  try { data = data ?? JSON.parse(result.content.find((block) => block.type === 'text').text); } catch { data = {}; }
  try {
    if (Array.isArray(data.results)) showResults(data.results, `“${data.query ?? ''}”`);
    else if (data.path ?? input.path) show(data.path ?? input.path);
    else if (Array.isArray(data.links)) showResults(data.links.filter((l) => l.path), 'Notes');
    else if (input.query) showResults((await getFound(input.query)).results, `“${input.query}”`);
    else say('There is nothing to show.');
  } catch (error) { say(`Not shown: ${error.message}`); }
}

function listen() {
  window.addEventListener('message', ({ source, data: m }) => {
    if (source !== window.parent || !m || m.jsonrpc !== '2.0') return;
    if (m.id !== undefined && m.method) return post({ id: m.id, result: {} });
    if (m.id !== undefined) {
      const { done, failed } = waiting.get(m.id) ?? {};
      waiting.delete(m.id);
      return m.error ? failed?.(new Error(m.error.message)) : done?.(m.result);
    }
    if (m.method === 'ui/notifications/tool-input') input = m.params?.arguments ?? {};
    if (m.method === 'ui/notifications/tool-result') take(m.params);
    if (m.method === 'ui/notifications/host-context-changed') dress(m.params);
  });
  ask('ui/initialize', { protocolVersion: '2026-01-26', appInfo: { name: 'vaultd', version: '1' }, appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] } })
    .then((answer) => { dress(answer.hostContext); post({ method: 'ui/notifications/initialized' }); });
}

/** Without a path in the URL, the whole vault. */
function showUrl() {
  const wish = new URLSearchParams(location.search);
  if (wish.get('find')) return findNotes(wish.get('find'));
  const path = wish.get('path') ?? '', depth = wish.get('depth') ?? (path ? '1' : 'all');
  if ([...$('depth').options].some((o) => o.value === depth)) $('depth').value = depth;
  Object.assign(shown, { hidden: new Set((wish.get('hide') ?? '').split(',').filter(Boolean).map((name) => (name === '/' ? '' : name))), tag: wish.get('tag') ?? '', alone: wish.get('alone') !== '0' });
  $('word').value = wish.get('q') ?? '';
  show(path, { keep: true });
}

async function findNotes(words) {
  $('word').value = words;
  try {
    const { results, notice } = await getFound(words);
    showResults(results, `“${words}”`, notice);
  } catch (error) { say(`Not found: ${error.message}`); }
}

/** Those with the word in their title: the same, then those that begin with it, then those with the most links. */
function matches(word) {
  const rank = (title) => (title === word ? 0 : title.startsWith(word) ? 1 : 2);
  const all = shown.order.filter((i) => !shown.nodes[i].off && shown.nodes[i].title.toLocaleLowerCase().includes(word));
  return all.map((i) => [rank(shown.nodes[i].title.toLocaleLowerCase()), i]).sort((a, b) => a[0] - b[0]).map(([, i]) => i);
}

/** Where the texts of all notes are searched. */
const searchAddress = (words) => (hasReader() ? `search?q=${encodeURIComponent(words)}${vaultPart()}` : `?find=${encodeURIComponent(words)}${vaultPart()}`);

/** Go to the next note that was found, or back. */
function nextFound(by) {
  const all = shown.layout ? matches($('word').value.trim().toLocaleLowerCase()) : [];
  if (!all.length) return;
  goTo(all[(Math.max(all.indexOf(shown.pinned), by > 0 ? -1 : 0) + by + all.length) % all.length]);
}

/** Enter goes to the first note that was found, and then to the next; without one, the texts of all are searched. */
function find(e) {
  e.preventDefault();
  const words = $('word').value.trim();
  if (shown.layout && words && matches(words.toLocaleLowerCase()).length) return nextFound(1);
  if (!words) return;
  history.pushState(null, '', `?find=${encodeURIComponent(words)}${vaultPart()}`);
  findNotes(words);
}

/** While a word is typed, notes with it in their title stand out. */
function mark() {
  const words = $('word').value.trim(), word = words.toLocaleLowerCase(), all = word && shown.layout ? matches(word) : [];
  shown.found = word && shown.layout ? new Set(all.map((i) => shown.nodes[i])) : null;
  shown.pinned = -1;
  light(-1);
  if (shown.layout) say('');
  if (shown.layout && word) {
    const link = make('a', { href: searchAddress(words) }, 'Search the texts of all notes');
    $('say').replaceChildren(`${counted(all.length, 'note', 'notes')} here with “${words}” in the title${all.length ? '; Enter goes there' : ''}. `, link);
    $('say').hidden = false;
  }
  keepAddress();
  redraw();
}

function begin() {
  $('side').open = matchMedia('(min-width: 44rem)').matches;
  readColours();
  if (hosted) {
    document.body.classList.add('hosted');
    return listen();
  }
  $('find').hidden = false;
  $('find').addEventListener('submit', find);
  $('word').addEventListener('input', mark);
  window.addEventListener('popstate', showUrl);
  showUrl();
}
