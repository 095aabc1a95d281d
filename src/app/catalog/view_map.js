/* --- the map: nodes and links on a canvas, labels above it; titles and texts are only ever set as text --- */

const shown = { path: '', nodes: [], edges: [], beside: [], order: [], layout: null, hot: -1, view: { k: 1, x: 0, y: 0 } };
const pen = $('map').getContext('2d');
const still = matchMedia('(prefers-reduced-motion: reduce)');
const SLICE_MS = 12; // of the layout between two events of the page
const DRAW_MS = 120; // between two pictures of a layout that is going on
let colours = {}, labels = [], due = false, drawn = 0;

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
    const li = make('li', {}, name || 'other');
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

/** Prepare what does not change while a graph is shown, and begin its layout. */
function arrange({ nodes, edges, path, folders = [] }) {
  const { width, height } = $('graph').getBoundingClientRect();
  const least = Math.min(5, 1.1 + 0.04 * Math.sqrt(width * height / (nodes.length || 1))), large = nodes.length > 120 ? 10 : 0;
  connect(nodes, edges);
  nodes.forEach((n, i) => {
    const links = shown.beside[i].length, centre = i === 0 && Boolean(path);
    Object.assign(n, {
      centre, widths: {}, weight: (centre ? 1e6 : 0) + links - 10 * (n.distance ?? 0),
      radius: least + Math.min(least * 3, Math.sqrt(links) * least * 0.35) + (centre ? 2 : 0),
      label: n.title.length > 30 ? `${n.title.slice(0, 29)}…` : n.title,
    });
  });
  shown.order = nodes.map((n, i) => i).sort((a, b) => nodes[b].weight - nodes[a].weight || a - b);
  shown.order.forEach((i, rank) => { nodes[i].large = nodes[i].centre || rank < large; });
  Object.assign(shown, { nodes, hot: -1, view: { k: 1, x: 0, y: 0 } });
  paintGroups(nodes, folders);
  shown.layout = new Layout(nodes.length, shown.edges, width / (height || 1));
  drawn = 0;
  settle(shown.layout);
}

/** Go on with the layout, a slice at a time, unless another one has begun. */
function settle(layout) {
  const until = performance.now() + SLICE_MS;
  while (!layout.done && performance.now() < until) layout.step();
  if (layout !== shown.layout) return;
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

/** Where nodes are on the screen: the layout stretched to fill the window, then zoomed and moved. */
function project(width, height) {
  const { layout, view: { k, x: left, y: top }, nodes } = shown;
  const padX = Math.min(64, width * 0.12), padY = Math.min(36, height * 0.1), grow = clamp(0.7, k ** 0.4, 2.2);
  const across = spreadOut(layout.x), down = spreadOut(layout.y);
  nodes.forEach((n, i) => {
    n.x = (padX + across[i] * (width - 2 * padX)) * k + left;
    n.y = (padY + down[i] * (height - 2 * padY)) * k + top;
    n.r = n.radius * grow;
  });
}

function redraw() {
  if (due || !shown.layout) return;
  due = true;
  requestAnimationFrame(draw);
}

function draw() {
  due = false;
  const { width, height } = $('graph').getBoundingClientRect(), dense = window.devicePixelRatio || 1;
  if (!width || !height || !shown.layout) return;
  const [w, h] = [Math.round(width * dense), Math.round(height * dense)];
  if ($('map').width !== w || $('map').height !== h) Object.assign($('map'), { width: w, height: h });
  project(width, height);
  pen.setTransform(dense, 0, 0, dense, 0, 0);
  pen.clearRect(0, 0, width, height);
  drawLines();
  drawNodes();
  placeLabels(width, height);
  drawn = performance.now();
}

function drawLines() {
  const { nodes, edges, hot } = shown, alpha = clamp(0.14, 6 / Math.sqrt(edges.length + 1), 0.6);
  const touches = (a, b) => a === hot || b === hot;
  const stroke = (colour, globalAlpha, lineWidth, wanted) => {
    pen.beginPath();
    for (const [a, b] of edges) if (wanted(a, b)) { pen.moveTo(nodes[a].x, nodes[a].y); pen.lineTo(nodes[b].x, nodes[b].y); }
    Object.assign(pen, { strokeStyle: colour, globalAlpha, lineWidth });
    pen.stroke();
  };
  stroke(colours.edge, hot < 0 ? alpha : alpha / 2, 1, (a, b) => !touches(a, b));
  if (hot >= 0) stroke(colours.mark, 0.8, 1.5, touches);
}

function drawDiscs(list, alpha, colour, border) {
  pen.beginPath();
  for (const n of list) { pen.moveTo(n.x + n.r, n.y); pen.arc(n.x, n.y, n.r, 0, 2 * Math.PI); }
  Object.assign(pen, { fillStyle: colour, globalAlpha: alpha });
  pen.fill();
  if (!border) return;
  Object.assign(pen, { strokeStyle: border, lineWidth: 1.2 });
  pen.setLineDash([2, 2]);
  pen.stroke();
  pen.setLineDash([]);
}

/** While a node is hot, all but it and its neighbours are faint. Notes that do not exist are hollow. */
function drawNodes() {
  const { nodes, hot, beside } = shown, near = hot < 0 ? shown.found : new Set([hot, ...beside[hot]].map((i) => nodes[i]));
  for (const [alpha, wanted] of near ? [[0.2, (n) => !near.has(n)], [1, (n) => near.has(n)]] : [[1, () => true]]) {
    colours.groups.forEach((colour, g) => drawDiscs(nodes.filter((n) => n.group === g && !n.missing && wanted(n)), alpha, colour));
    drawDiscs(nodes.filter((n) => n.missing && wanted(n)), alpha, colours.back, colours.groups[0]);
  }
  drawDiscs(nodes.filter((n, i) => n.centre || i === hot), 1, colours.mark);
}

/* --- labels --- */

/** Boxes by rows of the screen, to find quickly what is in the way. */
class Boxes {
  constructor() { this.rows = new Map(); }

  rowsOf(box) {
    const all = [];
    for (let row = Math.floor(box.top / 20); row <= Math.floor(box.bottom / 20); row++) all.push(row);
    return all;
  }

  add(box) {
    for (const row of this.rowsOf(box)) {
      if (!this.rows.has(row)) this.rows.set(row, []);
      this.rows.get(row).push(box);
    }
  }

  hit(b, except) {
    return this.rowsOf(b).some((row) => this.rows.get(row)?.some((o) => o !== except && b.left < o.right && o.left < b.right && b.top < o.bottom && o.top < b.bottom));
  }
}

const discOf = ({ x, y, r }) => ({ left: x - r, top: y - r, right: x + r, bottom: y + r });

/** What labels keep away from: the buttons, and what is said about the hot node. */
function placeControls(taken) {
  const from = $('graph').getBoundingClientRect();
  for (const { left, top, right, bottom, width } of [$('zoom'), $('info')].map((e) => e.getBoundingClientRect()))
    if (width) taken.add({ left: left - from.left, top: top - from.top, right: right - from.left, bottom: bottom - from.top });
}

/**
 * Put labels where there is room, the important ones first. Those that would overlap another stay hidden. Of many notes,
 * only the most important ones may cover other nodes.
 */
function placeLabels(width, height) {
  const { nodes, order, hot, beside, layout } = shown, taken = new Boxes(), discs = new Boxes();
  const most = Math.max(10, width * height / 8000), covering = nodes.length > 120 ? most / 3 : most;
  const fits = (b) => b.left >= 2 && b.top >= 2 && b.right <= width - 2 && b.bottom <= height - 2 && !taken.hit(b);
  const wanted = hot < 0 ? order : [hot, ...beside[hot].toSorted((a, b) => nodes[b].weight - nodes[a].weight || a - b)];
  const inView = (layout.done ? wanted : []).filter((i) => nodes[i].x > 0 && nodes[i].y > 0 && nodes[i].x < width && nodes[i].y < height);
  placeControls(taken);
  for (const n of nodes) n.disc = discOf(n);
  for (const n of nodes) discs.add(n.disc);
  labels = [];
  inView.slice(0, 3 * most).forEach((i, rank) => {
    const n = nodes[i], large = n.large || i === hot, free = spots(n, widthOf(n, large)).filter(fits);
    const box = free.find((b) => !discs.hit(b, n.disc)) ?? (rank < covering ? free[0] : undefined);
    if (!box || labels.length >= most) return;
    taken.add(box);
    labels.push({ i, box, large });
  });
  writeLabels();
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
function spots({ x, y, r }, wide) {
  const tall = 18, gap = r + 1, slant = 0.7 * r;
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
