// node bare-http.mjs PORT
// No MCP: the cost of Node's http module alone. Parses the body and returns its id and text.
import http from 'node:http';

http
  .createServer({ keepAliveTimeout: 60000 }, (req, res) => {
    const pieces = [];
    req.on('data', (piece) => pieces.push(piece));
    req.on('end', () => {
      const { id, params } = JSON.parse(Buffer.concat(pieces));
      const content = [{ type: 'text', text: params.arguments.text }];
      const answer = JSON.stringify({ jsonrpc: '2.0', id, result: { content } });
      res.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(answer),
      });
      res.end(answer);
    });
  })
  .listen(+process.argv[2], '127.0.0.1');
