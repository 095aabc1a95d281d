// Bundles as the official tool sees them, and what the MCP registry requires of server.json.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { getMcpConfigForManifest } from '@anthropic-ai/mcpb';
import { MODULES, NODE22, run } from './support.mjs';

const CLI = path.join(MODULES, '@anthropic-ai/mcpb/dist/cli/cli.js');

export async function mcpb(...args) {
  const end = await run(NODE22, [CLI, ...args], { env: process.env });
  assert.equal(end.code, 0, `${args.join(' ')}: ${end.stdout}${end.stderr}`);
  return end.stdout;
}

/** How a desktop starts the bundle unpacked in folder: { command, args, env }. */
export const startOf = (folder, userConfig) =>
  getMcpConfigForManifest({
    manifest: JSON.parse(readFileSync(path.join(folder, 'manifest.json'), 'utf8')),
    extensionPath: folder, systemDirs: { HOME: folder }, userConfig, pathSeparator: '/',
  });

const text = (max) => ({ type: 'string', minLength: 1, maxLength: max });
const url = { type: 'string', pattern: '^https://' };
const input = {
  description: { type: 'string' }, isRequired: { type: 'boolean' }, isSecret: { type: 'boolean' },
  format: { enum: ['string', 'number', 'boolean', 'filepath'] }, default: { type: 'string' }, value: { type: 'string' },
  placeholder: { type: 'string' }, choices: { type: 'array', items: { type: 'string' } }, variables: { type: 'object' },
};
const object = (required, properties) => ({ type: 'object', required, additionalProperties: false, properties });
const named = object(['type', 'name'], { ...input, type: { const: 'named' }, name: { type: 'string' } });
const positional = object(['type', 'value'], { ...input, type: { const: 'positional' } });
const packaged = {
  transport: { type: 'object', required: ['type'], properties: { type: { enum: ['stdio', 'streamable-http', 'sse'] } } },
  packageArguments: { type: 'array', items: { oneOf: [named, positional] } },
  environmentVariables: { type: 'array', items: object(['name'], { ...input, name: { type: 'string' } }) },
};
const VERSION = { type: 'string', pattern: '^\\d+\\.\\d+\\.\\d+$' };

/** What the registry's documentation says about server.json. */
export const SERVER_SCHEMA = {
  type: 'object', required: ['$schema', 'name', 'description', 'version', 'packages'], additionalProperties: false,
  properties: {
    $schema: { type: 'string', pattern: '/schemas/\\d{4}-\\d\\d-\\d\\d/server\\.schema\\.json$' },
    name: { type: 'string', minLength: 3, maxLength: 200, pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$' },
    title: text(100), description: text(100), version: VERSION,
    repository: { type: 'object', required: ['url', 'source'], properties: { url, source: { enum: ['github', 'gitlab'] } } },
    websiteUrl: url,
    packages: {
      type: 'array', minItems: 1, items: {
        oneOf: [
          object(['registryType', 'identifier', 'transport', 'fileSha256'], {
            ...packaged, registryType: { const: 'mcpb' },
            identifier: { type: 'string', pattern: '^https://(github|gitlab)\\.com/.*/releases/.*mcp' },
            fileSha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
          }),
          object(['registryType', 'identifier', 'version', 'transport'], {
            ...packaged, registryType: { const: 'npm' }, identifier: { type: 'string' }, version: VERSION, runtimeHint: { const: 'npx' },
          }),
        ],
      },
    },
  },
};
