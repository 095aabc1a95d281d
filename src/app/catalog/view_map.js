/* --- the map: nodes and links on a canvas, labels above it; titles and texts are only ever set as text --- */

const shown = {
  path: '', nodes: [], edges: [], beside: [], order: [], layout: null, hot: -1, pinned: -1, found: null, view: { k: 1, x: 0, y: 0 },
  hidden: new Set(), tag: '', tags: new Map(), alone: true, drawing: {},
};
const pen = $('map').getContext('2d');
const still = matchMedia('(prefers-reduced-motion: reduce)');
const SLICE_MS = 8; // of the layout between two events of the page,
const SLICE_WORK = 60_000; // and no more work than this, however fast the machine is
const DRAW_MS = 120; // between two pictures of a layout that is going on
const CALM_MS = 160; // after the last movement, everything is drawn again
const LINES_MOVING = 4000; // links that are drawn while the map moves: those of the notes with the most
const SPOTS_MAX = 20_000; // places that are tried for the labels of one picture
let colours = {}, labels = [], due = false, drawn = 0, calm = 0;

/** The colours of the style sheet as the canvas needs them. */
function readColours() {
  const probe = make('i');
  document.body.append(probe);
  const read = (name) => { probe.style.color = `var(--${name})`; return getComputedStyle(probe).color; };
  colours = { back: read('back'), edge: read('edge'), mark: read('mark'), groups: [0, 1, 2, 3, 4, 5, 6].map((i) => read(`group-${i}`)) };
  probe.remove();
  redraw();
}

const folderOf = (path) => (path.includes('/') ? path.slice(0, path.indexOf('/')) : '');

/** Each of the largest top folders of the vault has a colour, always the same; the first colour is for everything else. */
function paintGroups(nodes, folders) {
  for (const n of nodes) n.group = folders.indexOf(folderOf(n.path)) + 1;
  const used = new Set(nodes.filter((n) => !n.missing).map((n) => n.group));
  $('groups').replaceChildren(...[...folders, ''].flatMap((name, i) => {
    const group = (i + 1) % (folders.length + 1);
    if (!used.has(group)) return [];
    const button = make('button', { type: 'button', title: 'Show or hide these notes' }, name || 'other');
    button.dataset.folder = name;
    button.dataset.group = group;
    const li = make('li', {}, button);
    li.style.setProperty('--colour', `var(--group-${group})`);
    return [li];
  }));
}

/** Links without their direction, each once, and the neighbours of each node. */
function connect(nodes, edges) {
  const once = new Set();
  shown.beside = nodes.map(() => []);
  shown.edges = edges.filter(([a, b]) => {
    const key = Math.min(a, b) * nodes.length + Math.max(a, b);
    if (once.has(key)) return false;
    once.add(key);
    shown.beside[a].push(b);
    shown.beside[b].push(a);
    return true;
  });
}

/** Titles that occur several times get their folder. */
function nameNodes(nodes) {
  const times = new Map();
  for (const n of nodes) times.set(n.title, (times.get(n.title) ?? 0) + 1);
  for (const n of nodes) {
    const folder = n.path.split('/').at(-2), name = times.get(n.title) > 1 && folder ? `${n.title} · ${folder}` : n.title;
    n.label = name.length > 34 ? `${name.slice(0, 33)}…` : name;
  }
}

/** Prepare what does not change while a graph is shown, and begin its layout: of the notes with links; others are aside. */
function arrange({ nodes, edges, path, folders = [], tags = [] }) {
  const { width, height } = $('graph').getBoundingClientRect();
  const least = Math.min(nodes.length > 100 ? 4 : 5, 1.1 + 0.04 * Math.sqrt(width * height / (nodes.length || 1))), large = nodes.length > 120 ? 10 : 0;
  connect(nodes, edges);
  nameNodes(nodes);
  nodes.forEach((n, i) => {
    const links = shown.beside[i].length, centre = i === 0 && Boolean(path);
    Object.assign(n, {
      centre, alone: links === 0 && !centre, widths: {}, weight: (centre ? 1e6 : 0) + links - 10 * (n.distance ?? 0),
      radius: least + Math.min(least * (nodes.length > 100 ? 1.6 : 2.5), Math.sqrt(links) * least * (nodes.length > 100 ? 0.22 : 0.35)) + (centre ? 2 : 0),
    });
  });
  shown.order = nodes.map((n, i) => i).sort((a, b) => nodes[b].weight - nodes[a].weight || a - b);
  shown.order.forEach((i, rank) => { nodes[i].large = nodes[i].centre || rank < large; });
  Object.assign(shown, { nodes, hot: -1, pinned: -1, folders, tags: new Map(tags.map(([name, places]) => [name, new Set(places)])), view: { k: 1, x: 0, y: 0 } });
  shown.edges.sort((p, q) => nodes[q[0]].weight + nodes[q[1]].weight - nodes[p[0]].weight - nodes[p[1]].weight);
  paintGroups(nodes, folders);
  shown.linked = nodes.map((n, i) => i).filter((i) => !nodes[i].alone);
  shown.aside = nodes.map((n, i) => i).filter((i) => nodes[i].alone).sort((a, b) => nodes[a].group - nodes[b].group || (nodes[a].path < nodes[b].path ? -1 : 1));
  const place = new Map(shown.linked.map((i, at) => [i, at]));
  shown.layout = new Layout(shown.linked.length, shown.edges.map(([a, b]) => [place.get(a), place.get(b)]), width / (height || 1));
  shown.most = 0;
  drawn = 0;
  choose();
  settle(shown.layout);
}

/** Which notes are shown, after a filter was changed. */
function choose() {
  const tagged = shown.tags.get(shown.tag);
  shown.nodes.forEach((n, i) => { n.off = (n.alone && !shown.alone) || shown.hidden.has(n.group ? folderOf(n.path) : '') || Boolean(tagged && !tagged.has(i)); });
  shown.spread = null;
  drawFilters();
  redraw();
}

/** Go on with the layout, a slice at a time, unless another one has begun. */
function settle(layout) {
  const until = performance.now() + SLICE_MS;
  let spent = 0;
  while (!layout.done && spent < SLICE_WORK && performance.now() < until) spent += layout.work(2000);
  if (layout !== shown.layout) return;
  shown.most = Math.max(shown.most, spent);
  shown.spread = null;
  $('graph').dataset.settled = layout.done;
  if (layout.done || (!still.matches && performance.now() - drawn > DRAW_MS)) redraw();
  if (!layout.done) setTimeout(settle, 0, layout);
}

/**
 * Coordinates on one axis as parts of its length, from 0 to 1: half by value and half by rank, so that a crowd gets room
 * and notes far out do not push everything else together.
 */
function spreadOut(values) {
  const sorted = values.toSorted(), n = values.length, low = sorted[0], long = sorted[n - 1] - low || 1;
  const rank = (value) => {
    let a = 0, b = n - 1;
    while (a < b) { const middle = (a + b) >> 1; if (sorted[middle] < value) a = middle + 1; else b = middle; }
    return n > 1 ? a / (n - 1) : 0.5;
  };
  return values.map((value) => ((value - low) / long + rank(value)) / 2);
}

/** The share of the height for notes without links, which are in rows below the others. */
function shareAside(wide) {
  const n = shown.aside.filter((i) => !shown.nodes[i].off).length, all = shown.nodes.length || 1;
  return { n, share: n === 0 ? 0 : shown.linked.length === 0 ? 1 : clamp(0.05, 0.5 * n / all, 0.3), wide };
}

/** Places of all nodes in a square from 0 to 1; kept until the layout, the window or a filter changes. */
function spreadNodes(width, height) {
  if (shown.spread?.width === width && shown.spread?.height === height) return;
  const { nodes, linked, aside, layout } = shown, across = spreadOut(layout.x), down = spreadOut(layout.y);
  const { n, share } = shareAside(), top = share > 0 ? 1 - share - 0.04 * (share < 1) : 1;
  linked.forEach((i, at) => Object.assign(nodes[i], { across: across[at], down: down[at] * top }));
  const columns = Math.max(1, Math.ceil(Math.sqrt(n * width / Math.max(1, height * share)))), rows = Math.max(1, Math.ceil(n / columns));
  let at = 0;
  for (const i of aside) {
    if (nodes[i].off) continue;
    nodes[i].across = ((at % columns) + 0.5) / columns;
    nodes[i].down = 1 - share + share * (Math.floor(at / columns) + 0.5) / rows;
    at++;
  }
  shown.spread = { width, height };
}

const padding = (width, height) => ({ x: Math.min(64, width * 0.12), y: Math.min(36, height * 0.1) });

/** Where nodes are on the screen: the layout stretched to fill the window, then zoomed and moved. */
function project(width, height) {
  const { view: { k, x: left, y: top }, nodes } = shown, pad = padding(width, height), grow = clamp(0.7, k ** 0.4, 2.2);
  spreadNodes(width, height);
  for (const n of nodes) {
    n.x = (pad.x + n.across * (width - 2 * pad.x)) * k + left;
    n.y = (pad.y + n.down * (height - 2 * pad.y)) * k + top;
    n.r = (n.alone ? Math.min(n.radius, 3) : n.radius) * grow;
    n.away = n.off || n.x < -n.r || n.y < -n.r || n.x > width + n.r || n.y > height + n.r;
  }
}

function redraw() {
  if (due || !shown.layout) return;
  due = true;
  requestAnimationFrame(draw);
}

/** The map moves: less is drawn until it does not any more. */
function stir() {
  clearTimeout(calm);
  calm = setTimeout(() => { calm = 0; redraw(); keepAddress(); }, CALM_MS);
  redraw();
}

function draw() {
  due = false;
  const { width, height } = $('graph').getBoundingClientRect(), dense = window.devicePixelRatio || 1;
  if (!width || !height || !shown.layout) return;
  const [w, h] = [Math.round(width * dense), Math.round(height * dense)];
  if ($('map').width !== w || $('map').height !== h) Object.assign($('map'), { width: w, height: h });
  shown.drawing = { lines: 0, spots: 0, moving: calm > 0 };
  project(width, height);
  placeLabels(width, height);
  pen.setTransform(dense, 0, 0, dense, 0, 0);
  pen.clearRect(0, 0, width, height);
  drawLines();
  drawNodes();
  writeLabels();
  drawn = performance.now();
}

function strokeLines(edges, colour, globalAlpha, lineWidth, most) {
  const { nodes, drawing } = shown;
  let n = 0;
  pen.beginPath();
  for (const [i, k] of edges) {
    const a = nodes[i], b = nodes[k];
    if (a.off || b.off || (a.away && b.away)) continue;
    if (n++ === most) break;
    pen.moveTo(a.x, a.y);
    pen.lineTo(b.x, b.y);
  }
  drawing.lines += n;
  Object.assign(pen, { strokeStyle: colour, globalAlpha, lineWidth });
  pen.stroke();
}

function drawLines() {
  const { edges, hot, beside, drawing, layout } = shown, alpha = clamp(0.1, 6 / Math.sqrt(edges.length + 1), 0.6);
  const most = drawing.moving || !layout.done ? LINES_MOVING : edges.length;
  strokeLines(edges, colours.edge, hot < 0 ? alpha : alpha / 2, 1, most);
  if (hot >= 0) strokeLines(beside[hot].map((i) => [hot, i]), colours.mark, 0.8, 1.5, edges.length);
  for (const l of labels) // to a label that found no place beside its node
    if (l.far) {
      const n = shown.nodes[l.i], x = clamp(l.box.left, n.x, l.box.right), y = clamp(l.box.top, n.y, l.box.bottom);
      pen.beginPath();
      pen.moveTo(n.x, n.y);
      pen.lineTo(x, y);
      Object.assign(pen, { strokeStyle: colours.edge, globalAlpha: 0.8, lineWidth: 1 });
      pen.stroke();
    }
}

/** Small nodes are squares, which are drawn faster and look the same. */
function drawDiscs(list, alpha, colour, border) {
  pen.beginPath();
  for (const n of list) {
    if (n.r < 1.5) pen.rect(n.x - n.r, n.y - n.r, 2 * n.r, 2 * n.r);
    else { pen.moveTo(n.x + n.r, n.y); pen.arc(n.x, n.y, n.r, 0, 2 * Math.PI); }
  }
  Object.assign(pen, { fillStyle: colour, globalAlpha: alpha });
  pen.fill();
  if (!border) return;
  Object.assign(pen, { strokeStyle: border, lineWidth: 1.2 });
  pen.setLineDash([2, 2]);
  pen.stroke();
  pen.setLineDash([]);
}

/** While a node is hot, or notes were found, all but these are faint. Notes that do not exist are hollow. */
function drawNodes() {
  const { nodes, hot, beside, found } = shown, near = hot >= 0 ? new Set([hot, ...beside[hot]].map((i) => nodes[i])) : found;
  const lists = [false, true].map(() => ({ groups: colours.groups.map(() => []), missing: [] }));
  for (const n of nodes) {
    if (n.away) continue;
    const list = lists[Number(!near || near.has(n))];
    (n.missing ? list.missing : list.groups[n.group]).push(n);
  }
  lists.forEach((list, lit) => {
    const alpha = lit ? 1 : 0.18;
    list.groups.forEach((all, g) => drawDiscs(all, alpha, colours.groups[g]));
    drawDiscs(list.missing, alpha, colours.back, colours.groups[0]);
  });
  drawDiscs(nodes.filter((n, i) => !n.away && (n.centre || i === hot)), 1, colours.mark);
}

/* --- labels --- */

/** Things by the squares of the screen that they are in, to find quickly what is in the way. */
class Squares {
  constructor() { this.all = new Map(); }

  static of({ left, top, right, bottom }) {
    const keys = [];
    for (let y = Math.floor(top / 24); y <= Math.floor(bottom / 24); y++)
      for (let x = Math.floor(left / 24); x <= Math.floor(right / 24); x++) keys.push(y * 4096 + x);
    return keys;
  }

  add(box, thing = box) {
    for (const key of Squares.of(box)) {
      const there = this.all.get(key);
      if (there) there.push(thing);
      else this.all.set(key, [thing]);
    }
  }

  some(box, test) { return Squares.of(box).some((key) => this.all.get(key)?.some(test)); }

  every(box, test) {
    const found = new Set();
    for (const key of Squares.of(box)) for (const thing of this.all.get(key) ?? []) if (test(thing)) found.add(thing);
    return [...found];
  }
}

const discOf = ({ x, y, r }) => ({ left: x - r, top: y - r, right: x + r, bottom: y + r });
const meet = (b, o) => b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom;
/** Whether a disc reaches into a box. */
const reaches = (b, { x, y, r }) => Math.hypot(x - clamp(b.left, x, b.right), y - clamp(b.top, y, b.bottom)) < r + 0.5;

/** What labels keep away from: the buttons, and what is said about the hot node. */
function placeControls(taken) {
  const from = $('graph').getBoundingClientRect();
  for (const { left, top, right, bottom, width } of [$('zoom'), $('info')].map((e) => e.getBoundingClientRect()))
    if (width) taken.add({ left: left - from.left, top: top - from.top, right: right - from.left, bottom: bottom - from.top });
}

const MOVED_MAX = 11; // how far a small node makes room for a label
const MOVED_NODES = 200; // for one label

/** Small nodes below the label of an important note make room, up or down; null: not all of them can. */
function makeRoom(box, discs, taken) {
  const inside = discs.every(box, (n) => reaches(box, n)), moves = [];
  if (inside.length > MOVED_NODES) return null;
  for (const n of inside) {
    const up = box.top - n.r - 1, down = box.bottom + n.r + 1, ways = (n.y - up < down - n.y ? [up, down] : [down, up]);
    const y = ways.find((to) => n.r < 7 && Math.abs(to - (n.home ?? n.y)) <= MOVED_MAX + n.r && !taken.some(discOf({ ...n, y: to }), (o) => reaches(o, { ...n, y: to })));
    if (y === undefined) return null;
    moves.push({ n, y });
  }
  return moves;
}

/**
 * Put labels where there is room, the important ones first: never over a node or over each other. For the most important
 * ones, small nodes make room.
 */
function placeLabels(width, height) {
  const { nodes, order, hot, beside, layout, found, drawing } = shown, taken = new Squares(), discs = new Squares();
  const most = Math.max(10, width * height / 8000), important = nodes.length > 120 ? Math.min(40, most / 3) : most;
  const fits = (b) => b.left >= 2 && b.top >= 2 && b.right <= width - 2 && b.bottom <= height - 2 && !taken.some(b, (o) => meet(b, o));
  const wanted = hot >= 0 ? [hot, ...beside[hot].toSorted((a, b) => nodes[b].weight - nodes[a].weight || a - b)] : found ? order.filter((i) => found.has(nodes[i])) : order;
  const inView = (layout.done ? wanted : []).filter((i) => !nodes[i].off && nodes[i].x > 0 && nodes[i].y > 0 && nodes[i].x < width && nodes[i].y < height);
  labels = [];
  if (!inView.length) return;
  placeControls(taken);
  for (const n of nodes) if (!n.away) { n.home = n.y; discs.add(discOf(n), n); }
  for (const [rank, i] of inView.slice(0, 3 * most).entries()) {
    const n = nodes[i], large = n.large || i === hot, wide = widthOf(n, large);
    if (labels.length >= most || drawing.spots > SPOTS_MAX) break;
    const near = spots(n, wide, 1), far = rank < important ? [14, 30, 48].flatMap((gap) => spots(n, wide, gap)) : [];
    const isFree = (b) => { drawing.spots++; return fits(b) && !discs.some(b, (o) => reaches(b, o)); };
    let box = near.find(isFree), moves = [];
    if (!box && rank < important)
      box = near.find((b) => { drawing.spots++; moves = fits(b) ? makeRoom(b, discs, taken) : null; return moves; });
    const isFar = !box;
    box = box ?? far.find(isFree);
    if (!box) continue;
    for (const { n: other, y } of moves ?? []) { other.y = y; discs.add(discOf(other), other); }
    taken.add(box);
    labels.push({ i, box, large, far: isFar });
  }
}

/** The width of a label, measured once for each size. */
function widthOf(n, large) {
  const size = large ? '600 14px' : '12px';
  if (!n.widths[size]) {
    pen.font = `${size} ${getComputedStyle($('labels')).fontFamily}`;
    n.widths[size] = Math.ceil(pen.measureText(n.label).width) + 8;
  }
  return n.widths[size];
}

/** Places for the label of a node, the best first. */
function spots({ x, y, r }, wide, space) {
  const tall = 18, gap = r + space, slant = 0.7 * (r + space);
  return [[x - wide / 2, y + gap], [x + gap, y - tall / 2], [x - wide / 2, y - gap - tall], [x - gap - wide, y - tall / 2],
    [x + slant, y + slant], [x + slant, y - slant - tall], [x - slant - wide, y + slant], [x - slant - wide, y - slant - tall]]
    .map(([left, top]) => ({ left, top, right: left + wide, bottom: top + tall }));
}

function writeLabels() {
  const all = $('labels');
  while (all.childElementCount < labels.length) all.append(make('span', { className: 'label' }));
  [...all.children].forEach((e, at) => {
    const l = labels[at];
    e.hidden = !l;
    if (!l) return;
    const n = shown.nodes[l.i];
    if (e.textContent !== n.label) e.textContent = n.label;
    e.className = `label${l.large ? ' large' : ''}${n.missing ? ' missing' : ''}`;
    e.style.transform = `translate(${Math.round(l.box.left) + 1}px, ${Math.round(l.box.top) + 1}px)`;
  });
}
