// The echo tool, the same in every Node server here.
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { z } from 'zod';

export function echoServer() {
  const server = new McpServer({ name: 'echo-node', version: '1' });
  server.registerTool('echo', { description: 'Says it again', inputSchema: { text: z.string() } },
    ({ text }) => ({ content: [{ type: 'text', text }] }));
  return server;
}
