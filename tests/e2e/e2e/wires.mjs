// A connection to a port of this machine as over a bad network.
import net from 'node:net';

/** Pass on what one side sends, in order. */
function passOn(wire, from, to, end) {
  let last = Promise.resolve();
  from.on('data', (data) => {
    const due = Date.now() + wire.delay;
    last = last.then(() => new Promise((done) => setTimeout(done, Math.max(0, due - Date.now())))).then(() => {
      if (Math.random() < wire.loss) end();
      else if (!wire.cut && !to.destroyed) to.write(data);
    });
  }).on('error', end).on('close', () => last.then(end));
}

/** Several wires as one. */
export const bundle = (wires) => ({
  set delay(ms) { for (const wire of wires) wire.delay = ms; },
  set loss(share) { for (const wire of wires) wire.loss = share; },
  set cut(is) { for (const wire of wires) wire.cut = is; },
  drop: () => wires.forEach((wire) => wire.drop()),
});

/**
 * A port that leads to another one. delay: milliseconds for each piece; loss: how often a piece breaks its
 * connection; cut: nothing arrives, without an error.
 */
export async function startWire(t, target) {
  const wire = { delay: 0, loss: 0, cut: false, pairs: new Set() };
  const server = net.createServer((near) => {
    const far = net.connect(target, '127.0.0.1');
    const end = () => {
      near.destroy();
      far.destroy();
      wire.pairs.delete(end);
    };
    wire.pairs.add(end);
    passOn(wire, near, far, end);
    passOn(wire, far, near, end);
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.once('listening', done));
  wire.port = server.address().port;
  /** Drop every connection; new ones are accepted. */
  wire.drop = () => [...wire.pairs].forEach((end) => end());
  t.after(() => {
    wire.drop();
    server.close();
  });
  return wire;
}
