// The two official TypeScript SDKs with one interface, in every way they connect.
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as Stdio1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Http1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as types1 from '@modelcontextprotocol/sdk/types.js';
import { Client as Client2, StreamableHTTPClientTransport as Http2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as Stdio2 } from '@modelcontextprotocol/client/stdio';
import { MODERN, NEWEST_LEGACY, startHttp, watchedCommand } from '../support.mjs';

const INFO = { name: 'e2e', version: '1' };
const CAPABILITIES = { elicitation: {}, sampling: {}, roots: { listChanged: true } };
const PATIENCE = { timeout: 120_000, resetTimeoutOnProgress: true };

const SCHEMAS = {
  'elicitation/create': types1.ElicitRequestSchema,
  'sampling/createMessage': types1.CreateMessageRequestSchema,
  'roots/list': types1.ListRootsRequestSchema,
  'notifications/message': types1.LoggingMessageNotificationSchema,
  'notifications/tools/list_changed': types1.ToolListChangedNotificationSchema,
  'notifications/prompts/list_changed': types1.PromptListChangedNotificationSchema,
  'notifications/resources/updated': types1.ResourceUpdatedNotificationSchema,
};

function makeV1() {
  const client = new Client1(INFO, { capabilities: CAPABILITIES });
  return {
    client,
    transport: ({ url, command }) => (url ? new Http1(new URL(url)) : new Stdio1({ ...command, stderr: 'ignore' })),
    call: (params, options) => client.callTool(params, undefined, { ...PATIENCE, ...options }),
    handle: (method, fn) => client.setRequestHandler(SCHEMAS[method], fn),
    hear: (method, fn) => client.setNotificationHandler(SCHEMAS[method], fn),
  };
}

function makeV2(mode) {
  const client = new Client2(INFO, { capabilities: CAPABILITIES, versionNegotiation: { mode, probe: { timeoutMs: 60_000 } } });
  return {
    client,
    transport: ({ url, command }) => (url ? new Http2(new URL(url)) : new Stdio2({ ...command, stderr: 'ignore' })),
    call: (params, options) => client.callTool(params, { ...PATIENCE, ...options }),
    handle: (method, fn) => client.setRequestHandler(method, fn),
    hear: (method, fn) => client.setNotificationHandler(method, fn),
  };
}

const rows = (name, make, revision) => [
  { name: `${name} over stdio`, make, revision, http: false },
  { name: `${name} over HTTP`, make, revision, http: true },
];

export const CONNECTIONS = [
  ...rows('SDK v1', makeV1, NEWEST_LEGACY),
  ...rows('SDK v2 legacy', () => makeV2('legacy'), NEWEST_LEGACY),
  ...rows('SDK v2 auto', () => makeV2('auto'), MODERN),
  ...rows('SDK v2 pinned', () => makeV2({ pin: MODERN }), MODERN),
].map((row) => ({ ...row, modern: row.revision === MODERN }));

/**
 * Connect a row to a program ('vaultd' or 'fixture'). setup(sdk) may add handlers before.
 * close() disconnects and checks that every server it started has exited cleanly.
 */
export async function connect(t, row, { program = 'vaultd', vault, url, setup, args } = {}) {
  const sdk = row.make();
  setup?.(sdk);
  const watched = row.http ? null : watchedCommand(t, { program, vault, args });
  if (row.http) url ??= (await startHttp(t, { program, vault, args })).url;
  const transport = sdk.transport(row.http ? { url } : { command: { command: watched.command, args: watched.args, env: watched.env } });
  await sdk.client.connect(transport, PATIENCE);
  sdk.close = async () => {
    if (row.http && !row.modern) await transport.terminateSession();
    await sdk.client.close();
    return watched?.check();
  };
  t.after(() => sdk.client.close().catch(() => {}));
  return sdk;
}
