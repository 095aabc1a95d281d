// An MCP server with one tool, echo, built with the official SDK as its documentation suggests.
const packages = new URL('../../tests/e2e/node_modules/', import.meta.url);
const load = (path) => import(new URL(path, packages));
export const sdk = (path) => load(`@modelcontextprotocol/sdk/dist/esm/${path}`);

const { McpServer } = await sdk('server/mcp.js');
const { z } = await load('zod/index.js');

export function echoServer() {
  const server = new McpServer({ name: 'echo-node', version: '1' });
  server.registerTool(
    'echo',
    { description: 'Says it again', inputSchema: { text: z.string() } },
    ({ text }) => ({ content: [{ type: 'text', text }] }),
  );
  return server;
}
