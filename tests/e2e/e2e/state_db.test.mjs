// --state-db: sign-ins in PostgreSQL, shared by two servers; what happens when it goes away; vaultd
// state copy.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { startPostgres } from '../postgres.mjs';
import { EXAMPLE_VAULT, VAULTD, cleanEnv, fetchHttp, run, sleep, tempDir, until } from '../support.mjs';
import { Browser, authorizePath, callTool, freePort, letIn, startWithPeople } from './people.mjs';
import { startWire } from './wires.mjs';

const refresh = async (server, client_id, refresh_token) => {
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token });
  const answer = await fetch(`${server.origin}/oauth/token`, { method: 'POST', body });
  return { status: answer.status, retry: answer.headers.get('retry-after'), ...(await answer.json()) };
};
const works = async (server, token) => (await callTool(server, token, 'vault_info')).status;
const health = async (server) => (await fetchHttp(server, { method: 'GET', path: '/health' })).message.status;
const vaultd = (t, args, env = {}) => run(VAULTD, args, { env: cleanEnv(tempDir(t), env) });

const keyList = (t, url) => vaultd(t, ['key', 'list'], { STATE_DB: url });

/** Two servers with one database; clients know both by one URL. */
async function startTwo(t, url, args = []) {
  const issuer = `http://127.0.0.1:${await freePort()}`;
  const one = await startWithPeople(t, { url: issuer, args: ['--state-db', url, ...args] });
  const two = await startWithPeople(t, { url: issuer, args: ['--state-db', url, ...args] });
  return [one, two];
}

test('SEC-17 SEC-19 SEC-54 two servers share sign-ins: tokens, refresh, account page, revocation within a second', async (t) => {
  const postgres = startPostgres(t);
  const [one, two] = await startTwo(t, postgres.create().url);
  const { token, refresh_token, client, browser } = await letIn(one);
  assert.equal(await works(two, token), 200);

  const next = await refresh(two, client, refresh_token);
  assert.equal(next.status, 200, JSON.stringify(next));
  assert.equal(await works(one, next.access_token), 200);

  browser.server = two; // the browser's sign-in is valid there, too
  const account = await browser.get('/account');
  assert.match(account.text, /App \d+/);
  const revoke = account.forms.find((f) => f.action === '/account/revoke');
  assert.equal((await browser.submit(revoke)).status, 303);
  assert.equal(await works(two, next.access_token), 401);
  await until('the other server refuses', async () => (await works(one, next.access_token)) === 401);

  const again = await letIn(two);
  assert.equal((await refresh(one, again.client, again.refresh_token)).status, 200);
  const latest = await refresh(two, again.client, again.refresh_token); // the answer was lost: the same one again
  assert.equal(latest.status, 200);
  assert.equal((await refresh(one, again.client, latest.refresh_token)).status, 200);
  postgres.sql('d1', 'UPDATE grants SET rotations = decode(repeat(\'00\', 64), \'hex\')'); // long ago
  assert.equal((await refresh(two, again.client, again.refresh_token)).error, 'invalid_grant'); // reuse
  await until('the grant has ended', async () => (await works(one, latest.access_token)) === 401);
});

/** Try with someone new until both servers refuse what they have let through half of: they tell each other twice a second. */
async function limitTogether(what, attempt) {
  let wait = 600;
  return until(`both refuse ${what}`, async () => {
    const refused = await attempt(() => sleep(wait));
    wait *= 2;
    return refused;
  });
}

test('SEC-52 two servers have one rate limit together: of a connection, of an address, of sign-ins', async (t) => {
  const postgres = startPostgres(t);
  const servers = await startTwo(t, postgres.create().url, ['--rate-calls', '4', '--rate-address', '120', '--trusted-proxies', '127.0.0.1']);
  const [refused] = await limitTogether('calls', async (pause) => {
    const { token } = await letIn(servers[0]);
    const call = (i) => callTool(servers[i % 2], token, 'vault_info');
    for (let i = 0; i < 4; i++) assert.ok(!(await call(i)).message.result.isError);
    await pause();
    const answers = await Promise.all([call(0), call(1)]);
    return answers.every(({ message }) => message.result.isError) && answers;
  });
  assert.match(JSON.stringify(refused.message), /RATE_LIMITED.*too many requests within a minute/);

  let addresses = 0;
  const stranger = (i, from) => fetchHttp(servers[i % 2], { path: '/oauth/token', headers: { 'x-forwarded-for': from, 'content-type': 'application/x-www-form-urlencoded' }, body: 'x=1' });
  await limitTogether('an address', async (pause) => {
    const from = `203.0.113.${++addresses}`;
    const first = await Promise.all(Array.from({ length: 120 }, (_, i) => stranger(i, from)));
    assert.ok(first.every(({ status }) => status !== 429));
    await pause();
    return (await Promise.all([0, 1].map((i) => stranger(i, from)))).every(({ status }) => status === 429);
  });
  assert.notEqual((await stranger(0, '203.0.113.200')).status, 429);

  const guess = async (i, name) => {
    const browser = new Browser(servers[i % 2]);
    const from = { 'x-forwarded-for': '203.0.113.77' };
    const page = await browser.get('/account', from);
    const login = page.location ? await browser.follow(page) : page;
    return (await browser.submit(login.forms[0], { username: name, password: 'wrong' }, from)).status;
  };
  const seen = [];
  for (let i = 0; i < 24; i++) seen.push(await guess(i, `user${i}`));
  assert.equal(seen.indexOf(429), 20, `one address may guess twenty times, at once known to both: ${seen}`);
});

test('SEC-26 the database is killed: known clients are served, nothing is written, health says so, and it comes back', async (t) => {
  const postgres = startPostgres(t);
  const state = tempDir(t);
  const server = await startWithPeople(t, { state, args: ['--state-db', postgres.create().url] });
  const known = await letIn(server), unseen = await letIn(server, { name: 'bob' });
  assert.equal(await works(server, known.token), 200);
  assert.equal(await health(server), 'ok');

  postgres.kill();
  await until('health says so', async () => (await health(server)) === 'degraded');
  assert.equal(await works(server, known.token), 200);
  const refused = await callTool(server, unseen.token, 'vault_info');
  assert.deepEqual([refused.status, refused.message.error], [503, 'temporarily_unavailable']);
  const kept = await refresh(server, known.client, known.refresh_token);
  assert.deepEqual([kept.status, kept.error], [503, 'temporarily_unavailable']);
  assert.ok(Number(kept.retry) > 0);
  const page = await new (known.browser.constructor)(server).get(authorizePath(known.client));
  assert.equal(page.status, 503);
  const status = await vaultd(t, ['status', '--state-dir', state]);
  assert.match(status.stdout, /^degraded/);
  assert.match(status.stdout, /state-db +postgres:\/\/.* has not answered for/);

  postgres.again();
  await until('it is back', async () => (await health(server)) === 'ok');
  assert.equal(await works(server, unseen.token), 200);
  assert.equal((await refresh(server, known.client, known.refresh_token)).status, 200);
  await server.says(/state_db_away[\s\S]*state_db_back/);
});

test('a database that accepts connections and never answers does not block other calls', async (t) => {
  const port = await freePort();
  const postgres = startPostgres(t, { port });
  const wire = await startWire(t, port);
  const { name } = postgres.create();
  const server = await startWithPeople(t, { env: { STATE_DB: `postgres://vaultd:right%20horse@127.0.0.1:${wire.port}/${name}` } });
  const known = await letIn(server), unseen = await letIn(server, { name: 'bob' });
  assert.equal(await works(server, known.token), 200);

  wire.cut = true;
  const tokens = [unseen.token, ...Array(8).fill(known.token), unseen.token];
  const answers = () => Promise.all(tokens.map((token) => works(server, token)));
  assert.deepEqual(await answers(), [503, ...Array(8).fill(200), 503]);
  await until('health says so', async () => (await health(server)) === 'degraded');
  assert.deepEqual(await answers(), [503, ...Array(8).fill(200), 503]);

  wire.cut = false;
  wire.drop();
  await until('it is back', async () => (await health(server)) === 'ok');
  assert.equal(await works(server, unseen.token), 200);
});

test('SEC-74 the password of the database is read from a file, and never shown', async (t) => {
  const port = await freePort();
  const postgres = startPostgres(t, { port });
  const { name } = postgres.create();
  const file = path.join(tempDir(t), 'url');
  const url = `postgres://vaultd:right%20horse@127.0.0.1:${port}/${name}`;
  writeFileSync(file, `${url}\n`);
  const server = await startWithPeople(t, { args: ['--state-db-file', file, '--log-level', 'debug'] });
  const { token } = await letIn(server);
  assert.equal(await works(server, token), 200);
  assert.doesNotMatch(server.stderr, /right|horse/);
  assert.doesNotMatch(readFileSync(`/proc/${server.child.pid}/cmdline`, 'utf8'), /horse/);

  const wrong = { STATE_DB: url.replace('horse', 'cow') };
  const key = await vaultd(t, ['key', 'add', 'backup'], { STATE_DB: url });
  assert.equal(key.code, 0, key.stderr);
  assert.equal(await works(server, key.stdout.trim()), 200);
  const cases = [
    [['key', 'list'], wrong, 1, /PostgreSQL refused the sign-in: check the user, the password/],
    [['key', 'list', '--state-db', url], {}, 2, /every user of the machine can see a password/],
    [['key', 'list', '--state-db', 'mysql://x'], {}, 2, /must begin with postgres:/],
    [['key', 'list', '--state-db', 'postgres://x', '--state', 'memory'], {}, 2, /contradict/],
    [['key', 'list'], { STATE_DB: 'postgres://u@127.0.0.1:1/d' }, 1, /PostgreSQL cannot be reached/],
    [['key', 'list'], { STATE_DB: `postgres://u:a%zz@127.0.0.1/d` }, 2, /not a URL that libpq understands/],
  ];
  for (const [args, env, code, words] of cases) {
    const end = await vaultd(t, args, env);
    assert.equal(end.code, code, `${args} ${end.stderr}`);
    assert.match(end.stderr, words);
    assert.doesNotMatch(end.stderr, /horse|cow|a%zz/);
  }
  const good = await vaultd(t, ['doctor', EXAMPLE_VAULT], { STATE_DB: url });
  assert.match(good.stdout, /✓ Sign-in database: postgres:\/\/127\.0\.0\.1:\d+\/d1, version \d+/);
  const bad = await vaultd(t, ['doctor', EXAMPLE_VAULT], wrong);
  assert.match(bad.stdout, /✗ Sign-in database: PostgreSQL refused the sign-in/);
  postgres.sql(name, 'UPDATE vaultd_version SET version = 99');
  assert.match((await vaultd(t, ['key', 'list'], { STATE_DB: url })).stderr, /made by a newer vaultd \(version 99/);
  assert.match((await vaultd(t, ['doctor', EXAMPLE_VAULT], { STATE_DB: url })).stdout, /✗ Sign-in database: .*newer vaultd/);
});

/** A certificate of its own for a name, and PostgreSQL uses it. */
function useCertificate(postgres, folder, name) {
  const [key, certificate] = ['server.key', 'server.crt'].map((file) => path.join(folder, file));
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', `/CN=${name}`,
    '-addext', `subjectAltName=DNS:${name}`, '-keyout', key, '-out', certificate], { stdio: 'pipe' });
  for (const file of [key, certificate]) execFileSync('cp', [file, path.join(postgres.folder, 'data')]);
  execFileSync('sh', ['-c', 'chown --reference="$1/PG_VERSION" "$1"/server.* && chmod 600 "$1/server.key"', 'sh', path.join(postgres.folder, 'data')]);
  postgres.sql('postgres', 'ALTER SYSTEM SET ssl = on; SELECT pg_reload_conf();');
  return certificate;
}

test('SEC-74 the URL has the parameters of libpq: certificates, several hosts, a socket, escapes; a password is never shown', async (t) => {
  const port = await freePort();
  const postgres = startPostgres(t, { port });
  const { name } = postgres.create();
  const folder = tempDir(t);
  const certificate = useCertificate(postgres, folder, 'localhost');
  const other = path.join(folder, 'other.crt');
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2', '-subj', '/CN=localhost', '-keyout', path.join(folder, 'other.key'), '-out', other], { stdio: 'pipe' });
  postgres.sql('postgres', `CREATE ROLE odd LOGIN PASSWORD 'p@ss/w:rd%'; GRANT ALL ON DATABASE ${name} TO odd; CREATE DATABASE odd OWNER odd;`);
  await until('it speaks TLS', async () => (await keyList(t, `postgres://vaultd:right%20horse@localhost:${port}/${name}?sslmode=require`)).code === 0);
  const verify = (host, file) => `postgres://vaultd:right%20horse@${host}:${port}/${name}?sslmode=verify-full&sslrootcert=${file}`;
  const cases = [
    [verify('localhost', certificate), 0],
    [verify('127.0.0.1', certificate), 1, /PostgreSQL/], // not the name in the certificate
    [verify('localhost', other), 1, /PostgreSQL/], // issued by another CA
    [verify('localhost', '/nowhere/ca.crt'), 1, /the sslrootcert of --state-db cannot be read/],
    [`postgres://vaultd:right%20horse@127.0.0.1:1,127.0.0.1:${port}/${name}?target_session_attrs=read-write`, 0], // the first host is dead
    [`postgres://vaultd:right%20horse@127.0.0.1:1,127.0.0.1:2/${name}`, 1, /PostgreSQL cannot be reached/],
    [`postgres://vaultd@/${name}?host=${encodeURIComponent(postgres.folder)}&port=${port}`, 0], // a socket
    [`postgres://odd:p%40ss%2Fw%3Ard%25@127.0.0.1:${port}/odd`, 0],
    [`postgres://odd:p%40ss%2Fwrong%25@127.0.0.1:${port}/odd`, 1, /PostgreSQL refused the sign-in/],
    [`postgres://odd:p@ss/wrong%25@127.0.0.1:${port}/odd`, 1, /PostgreSQL|not a URL/],
    [`postgres://vaultd:right%20horse@127.0.0.1:${port}/${name}?nonsense=1`, 2, /not a URL that libpq understands/],
  ];
  for (const [url, code, words = /^$/] of cases) {
    const end = await keyList(t, url);
    assert.equal(end.code, code, `${url} ${end.stderr}`);
    assert.match(end.stderr, words, url);
    assert.doesNotMatch(end.stderr + end.stdout, /horse|right|p@ss|p%40ss|wrong/, url);
    if (code === 2) continue;
    const doctor = await vaultd(t, ['doctor', EXAMPLE_VAULT], { STATE_DB: url });
    assert.match(doctor.stdout, code === 0 ? /✓ Sign-in database/ : /✗ Sign-in database/, url);
    assert.doesNotMatch(doctor.stderr + doctor.stdout, /horse|p@ss|p%40ss|wrong/, url);
  }

  const file = path.join(folder, 'url');
  writeFileSync(file, `${verify('localhost', certificate)}\n`);
  const server = await startWithPeople(t, { args: ['--state-db-file', file] }); // also within the sandbox
  const { token } = await letIn(server);
  assert.equal(await works(server, token), 200);
  assert.doesNotMatch(server.stderr, /horse/);
  writeFileSync(file, `postgres://vaultd:right%20horse@127.0.0.1:1,127.0.0.1:${port}/${name}?target_session_attrs=read-write\n`);
  const second = await startWithPeople(t, { url: server.issuer, args: ['--state-db-file', file] });
  assert.equal(await works(second, token), 200);
});

test('vaultd state copy moves sign-ins to PostgreSQL and back', async (t) => {
  const postgres = startPostgres(t);
  const { url } = postgres.create();
  const [state, back] = [tempDir(t), path.join(tempDir(t), 'back')];
  const server = await startWithPeople(t, { state });
  const { token, client, refresh_token } = await letIn(server);
  await works(server, token);
  await server.stop();
  writeFileSync(path.join(state, 'session.key'), randomBytes(32), { mode: 0o600 });

  const there = await vaultd(t, ['state', 'copy', state, url]);
  assert.equal(there.code, 0, there.stderr);
  assert.match(there.stdout, /^clients\t1$/m);
  assert.match(there.stdout, /^tokens\t1$/m);
  const twice = await vaultd(t, ['state', 'copy', state, url]);
  assert.equal(twice.code, 1);
  assert.match(twice.stderr, /the target is not empty.*add the word replace/);
  assert.equal((await vaultd(t, ['state', 'copy', state, 'state-db', 'replace'], { STATE_DB: url })).code, 0);

  const shared = await startWithPeople(t, { args: ['--state-db', url] });
  assert.equal(await works(shared, token), 200);
  await shared.stop();
  const home = await vaultd(t, ['state', 'copy', url, back]);
  assert.equal(home.code, 0, home.stderr);
  const last = await startWithPeople(t, { state: back });
  assert.equal(await works(last, token), 200);
  assert.equal((await refresh(last, client, refresh_token)).status, 200);
  assert.deepEqual(readFileSync(path.join(back, 'session.key')), readFileSync(path.join(state, 'session.key')));

  for (const [args, words] of [
    [['copy', '/nowhere', url], /there are no sign-ins in \/nowhere/],
    [['copy', state], /usage: vaultd state copy FROM TO/],
    [['copy', state, 'state-db'], /give one of them/],
  ])
    assert.match((await vaultd(t, ['state', ...args])).stderr, words);
});
