// examples/docker/compose-replicas.yaml without a container engine: what it names exists, and what it starts works
// together when it is started here as it says.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { parse } from 'yaml';
import { startPostgres } from '../postgres.mjs';
import { parseDockerfile } from '../full/dockerfile.mjs';
import { TOP, startHttp, tempDir } from '../support.mjs';
import { startHttps } from './forges.mjs';
import { makeWorld } from './git_world.mjs';
import { USERS, callTool, freePort, letIn } from './people.mjs';
import { startFront } from './replica_fronts.mjs';

const read = (name) => readFileSync(path.join(TOP, name), 'utf8');
const TEXT = read('examples/docker/compose-replicas.yaml');
const FILE = parse(TEXT, { merge: true });
const REPLICAS = Object.entries(FILE.services).filter(([, { image }]) => image === 'vaultd');
const IMAGE = parseDockerfile(path.join(TOP, 'packaging/docker/Dockerfile'));
const step = (op) => IMAGE.findLast((one) => one.op === op).text;

/** Files and folders next to the compose file, as its first lines list them. */
const listed = [...TEXT.matchAll(/^#   ([\w.-]+(?:, [\w.-]+)*)  /gm)].flatMap(([, names]) => names.split(', '));

test('compose: every setting, secret, volume and service that it names exists', () => {
  const settings = read('docs/settings.md');
  assert.equal(REPLICAS.length, 2);
  for (const [name, { environment, secrets, depends_on, volumes, user }] of REPLICAS) {
    for (const [variable, value] of Object.entries(environment)) {
      assert.ok(settings.includes(`\`${variable}\``), variable);
      if (value.startsWith('/run/secrets/')) assert.ok(secrets.includes(path.basename(value)), `${name} has ${value}`);
    }
    for (const other of depends_on) assert.ok(other in FILE.services, other);
    assert.deepEqual(volumes.map((volume) => volume.split(':')[1]), JSON.parse(step('VOLUME')), 'the volumes of the image');
    assert.match(user, /^\d+:\d+$/);
  }
  for (const service of Object.values(FILE.services)) for (const secret of service.secrets ?? []) assert.ok(secret in FILE.secrets, secret);
  const needed = [
    ...Object.values(FILE.secrets).map(({ file }) => file),
    ...Object.values(FILE.services).flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0])).filter((from) => from.startsWith('./')),
  ].map((name) => path.basename(name));
  assert.deepEqual(listed.sort(), needed.sort(), 'what has to be next to it is listed');
  const named = Object.values(FILE.services).flatMap(({ volumes = [] }) => volumes.map((volume) => volume.split(':')[0])).filter((from) => !/^[./]/.test(from));
  assert.deepEqual(Object.keys(FILE.volumes), named);
  assert.match(step('RUN'), / libpq5 /, 'the image has what STATE_DB needs');
  assert.match(TEXT, /nginx\.conf +examples\/proxy\/nginx-replicas\.conf with "server vaultd-1:8090" and "server vaultd-2:8090"/);
  assert.ok(step('ENV').includes(`LISTEN_ADDR=:${step('EXPOSE')}`) && step('EXPOSE') === '8090');
});

test('compose: PostgreSQL, nginx and two replicas work together as it says', { timeout: 120_000 }, async (t) => {
  const w = makeWorld(t);
  const forge = await startHttps(t, w.remote);
  const port = await freePort(), databasePort = await freePort();
  const postgres = startPostgres(t, { port: databasePort });
  const { POSTGRES_USER } = FILE.services.database.environment;
  postgres.sql('postgres', `CREATE DATABASE ${POSTGRES_USER}`); // as the image of PostgreSQL does
  const dir = tempDir(t);
  const password = 'right%20horse';
  const texts = {
    users: Object.entries(USERS).map(([name, { hash }]) => `${name}:${hash}\n`).join(''),
    token: readFileSync(forge.token, 'utf8'),
    state: TEXT.match(/state\.url +one line: (\S+)/)[1].replace('PASSWORD', password).replace('@database/', `@127.0.0.1:${databasePort}/`),
  };
  const secret = (value) => path.join(dir, path.basename(value));
  for (const [name, text] of Object.entries(texts)) writeFileSync(secret(name), text, { mode: 0o600 });
  const here = { SERVER_URL: `http://127.0.0.1:${port}`, TRUSTED_PROXIES: '127.0.0.1', GIT_REMOTE: forge.url };
  const replicas = [];
  for (const [name, { environment }] of REPLICAS) {
    const env = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, here[key] ?? (value.startsWith('/run/secrets/') ? secret(value) : value)]));
    const own = path.join(dir, name);
    mkdirSync(path.join(own, 'vault'), { recursive: true });
    assert.deepEqual(JSON.parse(step('CMD')), ['serve']);
    replicas.push(await startHttp(t, { vault: path.join(own, 'vault'), state: path.join(own, 'state'), env: { ...env, GIT_TOKEN_USER: 'ann', GIT_CA_FILE: forge.args.at(-1) } }));
  }
  await startFront(t, 'nginx', port, replicas.map((replica) => replica.port));
  const front = { port, origin: here.SERVER_URL, issuer: here.SERVER_URL, url: `${here.SERVER_URL}/mcp` };
  const anna = await letIn(front);
  const ask = async (name, args) => {
    const { message } = await callTool(front, anna.token, name, args);
    assert.ok(!message.result.isError, JSON.stringify(message));
    return message.result.content[0].text;
  };
  await ask('vault_write', { path: 'Composed.md', content: 'together\n' });
  assert.equal(w.git('remote.git', 'show', 'main:Composed.md'), 'together', 'SYNC_ACK: push');
  for (let i = 0; i < 4; i++) assert.match(await ask('vault_read', { path: 'Composed.md' }), /together/);
  await replicas[0].stop();
  for (let i = 0; i < 4; i++) assert.match(await ask('vault_read', { path: 'Composed.md' }), /together/, 'the other one serves alone');
});
