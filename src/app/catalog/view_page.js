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

function go(n) {
  if (n.missing) return say(`“${n.title}” is linked, but there is no such note yet.`);
  if ($('depth').value === 'all') $('depth').value = '1';
  return show(n.path);
}

/* --- pages --- */

/** A link to the page of the note, where the server has such pages. */
function offerReading(path) {
  const search = document.querySelector('nav a[href$="/search"]');
  $('read').hidden = !search || !path?.endsWith('.md');
  if (!$('read').hidden) $('read').href = `note/${escaped(path)}${vaultPart().replace('&', '?')}`;
}

async function show(path, { keep = false } = {}) {
  say('Reading…');
  try {
    const depth = $('depth').value, data = await getGraph(path, depth);
    shown.path = data.path ?? '';
    shown.found = null;
    $('main').hidden = $('graph').hidden = false;
    $('title').textContent = document.title = data.title;
    $('text').textContent = data.text ?? '';
    $('open').hidden = !data.url;
    offerReading(data.path);
    $('open').onclick = () => (hosted ? ask('ui/open-link', { url: data.url }).catch(() => {}) : window.open(data.url));
    const some = counted(data.nodes.length, 'note', 'notes');
    say([data.truncated ? `Only the ${some} ${depth === 'all' ? 'with the most links' : 'nearest to it'} are shown.` : '', data.notice].filter(Boolean).join(' '));
    arrange(data);
    for (const n of data.nodes) n.note = n.missing ? 'not written yet' : n.path;
    drawList(shown.order.map((i) => data.nodes[i]));
    $('list').setAttribute('aria-label', 'Notes in the map');
    redraw();
    if (!hosted && !keep) history.pushState(null, '', `?path=${encodeURIComponent(shown.path)}&depth=${depth}${vaultPart()}`);
  } catch (error) {
    say(`Not shown: ${error.message}`);
  }
  fit();
}

function showResults(results, what, notice) {
  $('main').hidden = false;
  $('graph').hidden = true;
  $('side').open = true;
  shown.layout = null;
  $('title').textContent = what;
  $('text').textContent = '';
  $('groups').replaceChildren();
  $('open').hidden = $('read').hidden = true;
  drawList(results.map((r) => ({ path: r.path, title: r.title || r.path.replace(/^.*\//, '').replace(/\.md$/, ''), note: (r.snippet || r.path).replaceAll('**', '') })));
  say([results.length ? '' : 'Nothing was found.', notice].filter(Boolean).join(' '));
  fit();
}

const listedAt = (target) => target.closest?.('#list button')?.dataset.i;
$('list').addEventListener('click', (e) => listedAt(e.target) !== undefined && go(shown.listed[listedAt(e.target)]));
for (const name of ['focusin', 'pointerover']) $('list').addEventListener(name, (e) => light(shown.nodes.indexOf(shown.listed[listedAt(e.target)])));
for (const name of ['focusout', 'pointerleave']) $('list').addEventListener(name, () => light(-1));
$('list').addEventListener('keydown', (e) => {
  const to = { ArrowDown: 'nextSibling', ArrowUp: 'previousSibling' }[e.key];
  if (!to) return;
  e.preventDefault();
  e.target.closest('li')[to]?.firstChild.focus();
});
$('depth').addEventListener('change', () => show(shown.path));

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
  show(path, { keep: true });
}

async function findNotes(words) {
  $('word').value = words;
  try {
    const { results, notice } = await getFound(words);
    showResults(results, `“${words}”`, notice);
  } catch (error) { say(`Not found: ${error.message}`); }
}

/** A search has an address, so it can be shared, and the way back leads to the map. */
function find(e) {
  e.preventDefault();
  history.pushState(null, '', `?find=${encodeURIComponent($('word').value)}${vaultPart()}`);
  findNotes($('word').value);
}

/** While a word is typed, notes with it in their title stand out. */
function mark() {
  const word = $('word').value.trim().toLocaleLowerCase();
  shown.found = word && shown.nodes.length ? new Set(shown.nodes.filter((n) => n.title.toLocaleLowerCase().includes(word))) : null;
  if (shown.layout) say(shown.found ? `${counted(shown.found.size, 'note', 'notes')} here with “${word}” in the title. Enter searches the texts of all.` : '');
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
