// node echo-http.mjs PORT [stateless]
// Streamable HTTP with JSON answers: a server and a transport for each session, or with
// "stateless" for each request, as the SDK demands.
import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { echoServer, sdk } from './echo_server.mjs';

const { StreamableHTTPServerTransport } = await sdk('server/streamableHttp.js');
const [port, mode] = process.argv.slice(2);
const sessions = new Map();

async function open(options) {
  const transport = new StreamableHTTPServerTransport({ enableJsonResponse: true, ...options });
  await echoServer().connect(transport);
  return transport;
}

function openSession() {
  const opening = open({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: async (id) => sessions.set(id, await opening),
  });
  return opening;
}

async function withSession(req, res) {
  const transport = sessions.get(req.headers['mcp-session-id']) ?? (await openSession());
  await transport.handleRequest(req, res);
}

async function stateless(req, res) {
  const transport = await open({ sessionIdGenerator: undefined });
  res.on('close', () => transport.close());
  await transport.handleRequest(req, res);
}

http
  .createServer({ keepAliveTimeout: 60000 }, mode === 'stateless' ? stateless : withSession)
  .listen(+port, '127.0.0.1');
