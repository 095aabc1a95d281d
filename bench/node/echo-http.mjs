// node echo-http.mjs PORT
// Streamable HTTP with JSON responses, and one server and transport per session. Without
// sessions, the SDK needs a new pair for each request, which takes twice as long.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { echoServer, sdk } from './echo_server.mjs';

const { StreamableHTTPServerTransport } = await sdk('server/streamableHttp.js');
const sessions = new Map();

async function openSession() {
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse: true,
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => sessions.set(id, transport),
  });
  await echoServer().connect(transport);
  return transport;
}

http
  .createServer({ keepAliveTimeout: 60000 }, async (req, res) => {
    const transport = sessions.get(req.headers['mcp-session-id']) ?? (await openSession());
    await transport.handleRequest(req, res);
  })
  .listen(+process.argv[2], '127.0.0.1');
