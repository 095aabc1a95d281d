// The official conformance suites, both versions, in every revision they support.
//
// Against the fixture every scenario must pass with exactly the checks listed here: this
// exposes a scenario that silently tests less. Against vaultd itself, the scenarios that do
// not need the fixture's tools must pass; in all others, each of its messages must be valid
// against the revision's schema.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import { MODULES, NODE22, Server, cleanEnv, run, startFixture, startHttp, tempDir, within } from '../support.mjs';
import { Browser, freePort, register, startWithPeople } from '../e2e/people.mjs';

const OLD = path.join(MODULES, 'conformance-0.1/dist/index.js');
const NEW = path.join(MODULES, '@modelcontextprotocol/conformance/dist/index.js');

/** "a 1, b 2" as a table. */
const table = (text) => Object.fromEntries(text.trim().split(/\s*,\s*/).map((row) => {
  const [name, n] = row.split(/\s+/);
  return [name, Number(n)];
}));

const OLD_ALL = table(`
  server-initialize 1, logging-set-level 1, ping 1, completion-complete 1, tools-list 1,
  tools-call-simple-text 1, tools-call-image 1, tools-call-audio 1, tools-call-embedded-resource 1,
  tools-call-mixed-content 1, tools-call-with-logging 1, tools-call-error 1,
  tools-call-with-progress 1, tools-call-sampling 1, tools-call-elicitation 1,
  json-schema-2020-12 4, elicitation-sep1034-defaults 5, server-sse-polling 3,
  server-sse-multiple-streams 1, elicitation-sep1330-enums 5, resources-list 1,
  resources-read-text 1, resources-read-binary 1, resources-templates-read 1,
  resources-subscribe 1, resources-unsubscribe 1, prompts-list 1, prompts-get-simple 1,
  prompts-get-with-args 1, prompts-get-embedded-resource 1, prompts-get-with-image 1,
  dns-rebinding-protection 2`);

const HANDSHAKE = table(`
  server-initialize 3, server-session-lifecycle 3, logging-set-level 2, ping 2,
  completion-complete 2, tools-list 3, tools-call-simple-text 2, tools-call-image 2,
  tools-call-audio 2, tools-call-embedded-resource 2, tools-call-mixed-content 2,
  tools-call-with-logging 2, tools-call-error 2, tools-call-with-progress 2,
  tools-call-sampling 2, tools-call-elicitation 2, json-schema-2020-12 8,
  elicitation-sep1034-defaults 6, server-sse-polling 3, server-sse-multiple-streams 1,
  elicitation-sep1330-enums 6, resources-list 2, resources-read-text 2, resources-read-binary 2,
  resources-templates-read 2, resources-subscribe 2, resources-unsubscribe 2, prompts-list 2,
  prompts-get-simple 2, prompts-get-with-args 2, prompts-get-embedded-resource 2,
  prompts-get-with-image 2, dns-rebinding-protection 2`);

const ONLY_MODERN = table(`
  server-stateless 30, sep-2164-resource-not-found 4, caching 8, http-header-validation 14,
  http-custom-header-server-validation 10, tasks-lifecycle 9, tasks-capability-negotiation 5,
  tasks-wire-fields 4, tasks-request-state-removal 3, tasks-mrtr-input 4, tasks-request-headers 5,
  tasks-dispatch-and-envelope 9, tasks-status-notifications 0, tasks-required-task-error 3,
  tasks-mrtr-composition 2, input-required-result-basic-elicitation 3,
  input-required-result-basic-sampling 3, input-required-result-basic-list-roots 3,
  input-required-result-request-state 3, input-required-result-multiple-input-requests 3,
  input-required-result-multi-round 4, input-required-result-missing-input-response 2,
  input-required-result-non-tool-request 3, input-required-result-result-type 2,
  input-required-result-unsupported-methods 2, input-required-result-tampered-state 2,
  input-required-result-capability-check 2, input-required-result-ignore-extra-params 2,
  input-required-result-validate-input 3`);

const SKILLS = table('sep-2640-skills-directory 7, sep-2640-skills-enumeration 32, sep-2640-skills-manifest 6');

/** Rows of the table, with some removed and others changed. */
const without = (rows, drop) => Object.fromEntries(Object.entries(rows).filter(([name]) => !drop.test(name)));

const MODERN_ALL = {
  ...without(HANDSHAKE, /^(server-initialize|server-session-lifecycle|ping|logging-|server-sse-polling)|with-logging|-sampling$|-elicitation$|sep1|subscribe$/),
  ...ONLY_MODERN,
  'tools-list': 4,
};

const RUNS = [
  { name: '0.1.16 all', suite: OLD, args: ['--suite', 'all'], expect: OLD_ALL, scenarios: 32 },
  { name: 'requirements 2025-11-25', suite: NEW, args: ['--requirements', '2025-11-25'], expect: HANDSHAKE,
    scenarios: 33, says: /Not scored for 2025-11-25: 3 scenario\(s\) run, 0 failing/ },
  { name: 'requirements 2026-07-28', suite: NEW, args: ['--requirements', '2026-07-28'], expect: MODERN_ALL,
    scenarios: 50, says: /Not scored for 2026-07-28: 13 scenario\(s\) run, 0 failing/ },
  { name: 'all', suite: NEW, args: ['--suite', 'all'], expect: { ...HANDSHAKE, ...ONLY_MODERN, ...SKILLS }, scenarios: 65 },
  { name: 'all at 2025-06-18', suite: NEW, args: ['--suite', 'all', '--spec-version', '2025-06-18'], scenarios: 27,
    expect: { ...without(HANDSHAKE, /^(json-schema|elicitation-sep|server-sse|dns-)/), 'tools-list': 2 } },
  { name: 'all at 2025-03-26', suite: NEW, args: ['--suite', 'all', '--spec-version', '2025-03-26'], scenarios: 1,
    expect: { 'server-session-lifecycle': 3 } },
];

/** Scenarios that need nothing but a server, by run. */
const VAULTD_RUNS = [
  { name: '0.1.16 all', suite: OLD, args: ['--suite', 'all'], expect: table(`
      server-initialize 1, ping 1, tools-list 1, server-sse-multiple-streams 1, dns-rebinding-protection 2`) },
  { name: 'all', suite: NEW, args: ['--suite', 'all'], expect: table(`
      server-initialize 3, server-session-lifecycle 3, ping 2, tools-list 3,
      server-sse-multiple-streams 1, dns-rebinding-protection 2, http-header-validation 14,
      input-required-result-unsupported-methods 2, input-required-result-validate-input 3`) },
  { name: 'requirements 2026-07-28', suite: NEW, args: ['--requirements', '2026-07-28'], expect: table(`
      tools-list 4, server-sse-multiple-streams 1, dns-rebinding-protection 2,
      http-header-validation 14`) },
  { name: 'all at 2025-03-26', suite: NEW, args: ['--suite', 'all', '--spec-version', '2025-03-26'],
    expect: { 'server-session-lifecycle': 3 } },
  ...Object.entries(SKILLS).map(([name, n]) => ({ name: `a vault with skills: ${name}`, suite: NEW, args: ['--scenario', name], expect: { [name]: n } })),
];

/** vaultd with a vault that has a skill with a folder in it. */
function startWithSkills(t) {
  const vault = tempDir(t), skill = path.join(vault, '.claude/skills/minutes');
  mkdirSync(path.join(skill, 'templates'), { recursive: true });
  writeFileSync(path.join(skill, 'SKILL.md'), '---\nname: minutes\ndescription: Write minutes\nmetadata:\n  version: 1.10\n  since: 2026-01-01\n---\nSee templates/.\n');
  writeFileSync(path.join(skill, 'templates/minutes.md'), '# {{title}}\n');
  return startHttp(t, { vault });
}

/** Run a suite; returns exit, output, and the checks of each scenario. */
async function runSuite(t, server, { suite, args }) {
  const out = tempDir(t);
  const end = await run(NODE22, [suite, 'server', '--url', server.url, ...args, '-o', out],
    { env: cleanEnv(out), cwd: out, ms: 600_000 });
  const checks = {};
  for (const folder of readdirSync(out)) {
    const name = folder.match(/^server-(.*)-\d{4}-\d\d-\d\dT[\d-]+Z$/)?.[1];
    const file = path.join(out, folder, 'checks.json');
    if (name && existsSync(file)) checks[name] = JSON.parse(readFileSync(file, 'utf8'));
  }
  return { ...end, checks };
}

const having = (checks, status) => checks.filter((c) => c.status === status);
const describe = (check) => `${check.id}: ${check.errorMessage ?? check.description}`;

/** All suites in parallel, each with its own server. */
async function runAll(t, start, runs) {
  return Promise.all(runs.map(async (row) => ({ row, got: await runSuite(t, await start(t), row) })));
}

function checkScenario(checks, n) {
  assert.ok(checks, 'the scenario did not run');
  for (const status of ['FAILURE', 'WARNING'])
    assert.deepEqual(having(checks, status).map(describe), [], status);
  assert.equal(having(checks, 'SUCCESS').length, n, 'checks that passed');
}

test('the fixture passes every scenario of both suites', async (t) => {
  for (const { row, got } of await runAll(t, startFixture, RUNS)) {
    await t.test(`${row.name}: ${row.scenarios} scenarios run and the suite passes`, () => {
      assert.equal(got.code, 0, got.stdout.slice(-3000) + got.stderr);
      assert.deepEqual(Object.keys(got.checks).sort(), Object.keys(row.expect).sort());
      assert.equal(Object.keys(got.checks).length, row.scenarios);
      if (row.says) assert.match(got.stdout, row.says);
    });
    for (const [name, n] of Object.entries(row.expect))
      await t.test(`${row.name}: ${name}, ${n} checks`, () => checkScenario(got.checks[name], n));
  }
});

test('vaultd passes the scenarios that need no fixture', async (t) => {
  for (const { row, got } of await runAll(t, startWithSkills, VAULTD_RUNS)) {
    for (const [name, n] of Object.entries(row.expect))
      await t.test(`${row.name}: ${name}, ${n} checks`, () => checkScenario(got.checks[name], n));

    await t.test(`${row.name}: every message of every scenario is valid against its schema`, () => {
      const invalid = Object.entries(got.checks).flatMap(([name, checks]) =>
        checks.filter((c) => c.id === 'wire-schema-valid' && c.status !== 'SUCCESS').map((c) => `${name}: ${describe(c)}`));
      assert.deepEqual(invalid, []);
    });

    if (got.checks['server-stateless'])
      await t.test(`${row.name}: server-stateless fails only where it needs the fixture's tools`, () => {
        const checks = got.checks['server-stateless'];
        assert.deepEqual(having(checks, 'FAILURE').filter((c) => !c.errorMessage.startsWith('Not testable')).map(describe), []);
        assert.deepEqual(having(checks, 'FAILURE').map((c) => c.id).sort(), [
          'sep-2575-http-server-no-independent-requests-on-stream',
          'sep-2575-missing-capability-http-400',
          'sep-2575-server-no-log-without-loglevel',
          'sep-2575-server-rejects-undeclared-capability',
        ]);
        assert.ok(having(checks, 'SUCCESS').length >= 24);
      });

    if (got.checks.caching)
      await t.test(`${row.name}: vaultd's lists carry caching hints`, () => {
        const offered = having(got.checks.caching, 'FAILURE').filter((c) => !/error -32601/.test(c.errorMessage));
        assert.deepEqual(offered.map(describe), []);
        assert.ok(having(got.checks.caching, 'SUCCESS').some((c) => c.id === 'sep-2549-tools-list-caching-hints'));
      });
  }
});

/** The suite prints the sign-in URL, and waits at its own callback. */
async function runAuthorization(t, server) {
  const out = tempDir(t), port = await freePort();
  const callback = `http://127.0.0.1:${port}/callback`;
  const client = await register(server, { redirect_uris: [callback] });
  const child = spawn(NODE22, [NEW, 'authorization', '--url', server.issuer, '--client-id', client, '--resource', server.url, '-p', String(port), '-o', out],
    { env: cleanEnv(out), cwd: out, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  const suite = new Server(child, 'the suite');
  child.stdout.setEncoding('utf8').on('data', (text) => (suite.stderr += text));
  const [url] = await suite.says(/^http\S+code_challenge\S+$/m);
  const browser = new Browser(server);
  const consent = await browser.toConsent(url.slice(server.issuer.length));
  const { location } = await browser.submit(consent.forms[0], { decision: 'allow' });
  assert.equal(location.slice(0, callback.length + 1), `${callback}?`);
  assert.equal((await fetch(location)).status, 200);
  const end = await within(suite.ended, 'the suite ends');
  return { code: end.code, said: suite.stderr };
}

test('vaultd passes the scenarios for authorization servers', async (t) => {
  const { code, said } = await runAuthorization(t, await startWithPeople(t));
  assert.equal(code, 0, said);
  assert.match(said, /Total: 3 passed, 0 failed/);
});
