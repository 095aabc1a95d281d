/* --- moving about: drag, wheel, two fingers, keys, buttons --- */

function zoom(by, at) {
  const v = shown.view, box = $('graph').getBoundingClientRect(), k = clamp(0.5, v.k * by, 40);
  const x = at ? at.x - box.left : box.width / 2, y = at ? at.y - box.top : box.height / 2;
  Object.assign(v, { x: x - (x - v.x) * k / v.k, y: y - (y - v.y) * k / v.k, k });
  stir();
}

function move(x, y) {
  shown.view.x += x;
  shown.view.y += y;
  stir();
}

/** A node in the middle, near enough to be seen well. */
function goTo(i) {
  const { width, height } = $('graph').getBoundingClientRect(), v = shown.view, pad = padding(width, height), n = shown.nodes[i];
  const k = shown.nodes.length > 60 ? Math.max(v.k, 2.5) : v.k;
  Object.assign(v, { k, x: width / 2 - (pad.x + n.across * (width - 2 * pad.x)) * k, y: height / 2 - (pad.y + n.down * (height - 2 * pad.y)) * k });
  shown.pinned = i;
  light(i);
  stir();
}

const keys = {
  ArrowLeft: () => move(60, 0), ArrowRight: () => move(-60, 0), ArrowUp: () => move(0, 60), ArrowDown: () => move(0, -60),
  '+': () => zoom(1.4), '=': () => zoom(1.4), '-': () => zoom(1 / 1.4),
  0: () => { shown.view = { k: 1, x: 0, y: 0 }; stir(); },
  Escape: () => { shown.pinned = -1; light(-1); },
  Enter: () => shown.hot >= 0 && go(shown.nodes[shown.hot]),
  n: () => nextFound(1), p: () => nextFound(-1),
};
$('graph').addEventListener('keydown', (e) => {
  if (!keys[e.key] || e.ctrlKey || e.metaKey || e.altKey) return;
  e.preventDefault();
  keys[e.key]();
});
addEventListener('keydown', (e) => {
  if (e.key !== '/' || e.ctrlKey || e.metaKey || e.altKey || /INPUT|SELECT|TEXTAREA/.test(e.target.tagName) || $('find').hidden) return;
  e.preventDefault();
  $('word').focus();
});
$('zoom').addEventListener('click', (e) => keys[e.target.dataset.key]?.());
$('zoom').addEventListener('pointerdown', (e) => e.stopPropagation());

/** The note at a point: under its label, or the nearest one. */
function nodeAt({ clientX, clientY, pointerType }) {
  const box = $('graph').getBoundingClientRect(), x = clientX - box.left, y = clientY - box.top;
  const label = labels.find(({ box: b }) => x >= b.left && x <= b.right && y >= b.top && y <= b.bottom);
  if (label) return label.i;
  let best = -1, least = pointerType === 'touch' ? 22 : 8;
  shown.nodes.forEach((n, i) => {
    if (n.away) return;
    const d = Math.hypot(n.x - x, n.y - y) - n.r;
    if (d < least) { least = d; best = i; }
  });
  return best;
}

/** What is under the pointer, or else the note that was gone to. */
const pointed = (e) => { const i = nodeAt(e); return i >= 0 ? i : shown.pinned; };

const fingers = new Map();
const middle = () => { const all = [...fingers.values()]; return { x: all.reduce((sum, f) => sum + f.x, 0) / all.length, y: all.reduce((sum, f) => sum + f.y, 0) / all.length }; };
const spread = () => { const [a, b] = [...fingers.values()]; return b ? Math.hypot(a.x - b.x, a.y - b.y) : 0; };
let travelled = 0;

$('graph').addEventListener('wheel', (e) => {
  e.preventDefault();
  zoom(Math.exp(-clamp(-200, e.deltaY * (e.deltaMode ? 30 : 1), 200) * (e.ctrlKey ? 0.01 : 0.002)), { x: e.clientX, y: e.clientY });
}, { passive: false });
$('graph').addEventListener('pointerdown', (e) => {
  if (fingers.size === 0) travelled = 0;
  fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
  $('graph').setPointerCapture(e.pointerId);
});
$('graph').addEventListener('pointermove', (e) => {
  if (!fingers.has(e.pointerId)) return e.pointerType !== 'touch' && light(pointed(e));
  const before = middle(), wide = spread();
  fingers.set(e.pointerId, { x: e.clientX, y: e.clientY });
  const now = middle();
  travelled += Math.hypot(now.x - before.x, now.y - before.y) + Math.abs(spread() - wide);
  if (travelled < 5) return;
  $('graph').classList.add('moving');
  move(now.x - before.x, now.y - before.y);
  if (wide && spread()) zoom(spread() / wide, now);
});
const lift = (e) => {
  fingers.delete(e.pointerId);
  if (fingers.size === 0) $('graph').classList.remove('moving');
};
$('graph').addEventListener('pointercancel', lift);
$('graph').addEventListener('pointerup', (e) => {
  const tapped = fingers.size === 1 && travelled < 5, i = nodeAt(e);
  lift(e);
  if (!tapped) return;
  if (i >= 0 && (e.pointerType !== 'touch' || i === shown.hot)) go(shown.nodes[i]);
  else { shown.pinned = -1; light(i); } // the first tap shows the neighbours, the second one opens the note
});
$('graph').addEventListener('pointerleave', (e) => e.pointerType !== 'touch' && light(shown.pinned));
new ResizeObserver(redraw).observe($('graph'));
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', readColours);
