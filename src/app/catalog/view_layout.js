/* --- layout: linked notes attract, all repel, and a pull towards the middle keeps them together --- */

/**
 * Takes a fixed number of steps, in parts as small as one likes, so that a page can draw in between. Nothing in it is random:
 * the same notes and links always end in the same places. wide: width by height of the window that the picture should fill.
 */
class Layout {
  constructor(n, edges, wide) {
    this.n = n;
    this.edges = edges;
    this.wide = Math.sqrt(clamp(0.4, wide, 2.5));
    this.open = n > 5000 ? 3 : n > 2000 ? 1.5 : 0.8; // how near a square is that is looked into
    this.steps = n > 5000 ? 45 : n > 1500 ? 140 : n > 400 ? 220 : 300;
    this.at = 0;
    for (const name of ['x', 'y', 'vx', 'vy']) this[name] = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const turn = i * Math.PI * (3 - Math.sqrt(5)), far = 12 * Math.sqrt(i + 0.5);
      this.x[i] = far * Math.cos(turn) * this.wide;
      this.y[i] = far * Math.sin(turn) / this.wide;
    }
    this.degree = new Uint32Array(n);
    for (const [a, b] of edges) { this.degree[a]++; this.degree[b]++; }
    const cells = 4 * n + 64;
    this.tree = { kids: new Int32Array(4 * cells), leaf: new Int32Array(cells), mass: new Float64Array(cells), x: new Float64Array(cells), y: new Float64Array(cells), size: new Float64Array(cells), max: cells, n: 0 };
    this.stack = new Int32Array(512);
    this.job = this.run();
  }

  get done() { return this.at >= this.steps; }

  /** Go on for about so many units of work: links, or squares of the tree that are looked at. Returns how many it took. */
  work(units) {
    let spent = 0;
    while (spent < units && !this.done) spent += this.job.next().value ?? 0;
    return spent;
  }

  /** The steps; after each part, how much work that was. */
  * run() {
    const PART = 256;
    for (; this.at < this.steps; this.at++) {
      const heat = 0.005 ** (this.at / this.steps);
      for (let from = 0; from < this.edges.length; from += PART) yield this.pull(heat, from, Math.min(from + PART, this.edges.length));
      this.hold(heat);
      yield this.n;
      const corner = this.root();
      for (let i = 0; i < this.n;) {
        const end = Math.min(i + PART, this.n);
        for (; i < end; i++) this.insert(i, corner.x, corner.y);
        yield 8 * PART;
      }
      for (let i = 0; i < this.n;) {
        let looked = 0;
        for (; i < this.n && looked < 4 * PART; i++) looked += this.push(i, heat);
        yield looked;
      }
      for (let i = 0; i < this.n; i++) {
        this.x[i] += this.vx[i] *= 0.6;
        this.y[i] += this.vy[i] *= 0.6;
      }
      yield this.n;
    }
  }

  pull(heat, from, end) {
    const { x, y, vx, vy, degree, edges } = this;
    for (let e = from; e < end; e++) {
      const [a, b] = edges[e], dx = x[b] + vx[b] - x[a] - vx[a], dy = y[b] + vy[b] - y[a] - vy[a], d = Math.hypot(dx, dy) || 1e-3;
      const force = (d - 34) / d * heat / Math.min(degree[a], degree[b]), share = degree[a] / (degree[a] + degree[b]);
      vx[b] -= dx * force * share; vy[b] -= dy * force * share;
      vx[a] += dx * force * (1 - share); vy[a] += dy * force * (1 - share);
    }
    return end - from;
  }

  hold(heat) {
    const { x, y, vx, vy, wide } = this, hold = 0.06 * heat;
    for (let i = 0; i < this.n; i++) { vx[i] -= x[i] * hold / wide; vy[i] -= y[i] * hold * wide; }
  }

  cell(size) {
    const t = this.tree, c = t.n++;
    t.kids.fill(0, 4 * c, 4 * c + 4);
    t.leaf[c] = -1;
    t.mass[c] = t.x[c] = t.y[c] = 0;
    t.size[c] = size;
    return c;
  }

  /** A tree of squares with the mass in each (Barnes and Hut), so that a far group pushes as one; returns its corner. */
  root() {
    const { x, y, n } = this;
    let x0 = Infinity, y0 = Infinity, x1 = -Infinity, y1 = -Infinity;
    for (let i = 0; i < n; i++) { x0 = Math.min(x0, x[i]); x1 = Math.max(x1, x[i]); y0 = Math.min(y0, y[i]); y1 = Math.max(y1, y[i]); }
    this.tree.n = 0;
    this.cell(Math.max(x1 - x0, y1 - y0, 1));
    return { x: x0, y: y0 };
  }

  insert(i, x0, y0) {
    const { tree: t, x, y } = this;
    for (let c = 0; ;) {
      const before = t.mass[c]++, half = t.size[c] / 2;
      t.x[c] += x[i]; t.y[c] += y[i];
      if (before === 0) { t.leaf[c] = i; return; }
      if (half < 0.01 || t.n + 2 > t.max) return; // as good as the same place
      if (t.leaf[c] >= 0) { // it moves one square down
        const other = t.leaf[c], k = this.cell(half);
        t.kids[4 * c + (x[other] > x0 + half) + 2 * (y[other] > y0 + half)] = k;
        t.leaf[c] = -1; t.leaf[k] = other; t.mass[k] = 1; t.x[k] = x[other]; t.y[k] = y[other];
      }
      const right = x[i] > x0 + half, low = y[i] > y0 + half, slot = 4 * c + right + 2 * low;
      c = t.kids[slot] ||= this.cell(half);
      if (right) x0 += half;
      if (low) y0 += half;
    }
  }

  push(i, heat) {
    const { tree: t, stack, x, y, open } = this;
    let top = 1, fx = 0, fy = 0, looked = 0;
    stack[0] = 0;
    while (top > 0) {
      const c = stack[--top], m = t.mass[c], dx = x[i] - t.x[c] / m, dy = y[i] - t.y[c] / m, d = dx * dx + dy * dy;
      const inside = t.leaf[c] < 0 && t.size[c] * t.size[c] > open * d;
      let opened = false;
      looked++;
      for (let k = 4 * c; inside && k < 4 * c + 4; k++) if (t.kids[k]) { stack[top++] = t.kids[k]; opened = true; }
      if (opened || d < 1e-9) continue;
      const force = 45 * m / Math.max(d, 4);
      fx += dx * force; fy += dy * force;
    }
    this.vx[i] += fx * heat; this.vy[i] += fy * heat;
    return looked;
  }
}
