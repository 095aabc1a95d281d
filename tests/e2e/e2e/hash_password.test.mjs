// vaultd hash-password, and that its hash lets a user sign in.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { VAULTD, tempDir, until } from '../support.mjs';
import { Browser, startWithPeople } from './people.mjs';

const hash = (input, ...args) => spawnSync(VAULTD, ['hash-password', ...args], { input, encoding: 'utf8' });

test('a password from stdin becomes a hash that works', async (t) => {
  const made = hash('pässword with blanks \n');
  assert.equal(made.status, 0, made.stderr);
  assert.match(made.stdout, /^\$2b\$12\$[./A-Za-z0-9]{53}\n$/);
  assert.notEqual(hash('pässword with blanks \n').stdout, made.stdout);
  const server = await startWithPeople(t, { env: { AUTH_USERS: `eve:${made.stdout.trim()}` } });
  const browser = new Browser(server);
  const page = await browser.get('/account');
  assert.equal((await browser.signIn(page, 'eve', 'pässword with blanks')).status, 401);
  assert.equal((await browser.signIn(page, 'eve', 'pässword with blanks ')).status, 303);
});

test('vaultd user adds a user to the file of a running server, and a new password ends the old one', async (t) => {
  const file = path.join(tempDir(t), 'users');
  const user = (input, ...args) => spawnSync(VAULTD, ['user', ...args, '--auth-users-file', file], { input, encoding: 'utf8' });
  writeFileSync(file, '# who may sign in\n', { mode: 0o600 });
  const server = await startWithPeople(t, { env: { AUTH_USERS: '', AUTH_USERS_FILE: file } });
  const status = async (password) => {
    const browser = new Browser(server);
    return (await browser.signIn(await browser.get('/account'), 'eve', password)).status;
  };
  assert.equal(user('first long password\n', 'add', 'eve').status, 0);
  await until('eve can sign in', async () => (await status('first long password')) === 303);
  assert.equal(user('second long password\n', 'add', 'eve').status, 0);
  await until('the new password is known', async () => (await status('second long password')) === 303);
  assert.match(readFileSync(file, 'utf8'), /^# who may sign in\neve:\$2b\$12\$[^\n]*\n$/);
  assert.deepEqual(readdirSync(path.dirname(file)), ['users'], 'no copy with the old hash');
  assert.equal(user('', 'remove', 'eve').status, 0);
  assert.equal(readFileSync(file, 'utf8'), '# who may sign in\n');
});

test('the line end is not part of the password; 72 bytes fit, 73 do not', () => {
  assert.equal(hash('x'.repeat(72)).status, 0);
  assert.equal(hash(`${'x'.repeat(72)}\r\n`).status, 0);
  for (const input of ['x'.repeat(73), `${'x'.repeat(73)}\n`, 'x'.repeat(100_000), 'ä'.repeat(37), '', '\n', 'a\0b\n']) {
    const refused = hash(input);
    assert.equal(refused.status, 2, input.slice(0, 80));
    assert.equal(refused.stdout, '');
    assert.match(refused.stderr, /^vaultd: a password must have /);
  }
  const argument = hash('', 'secret');
  assert.equal(argument.status, 2);
  assert.doesNotMatch(argument.stderr, /secret/);
});

test('SEC-53 a server does not start with a hash that is broken or weak, and does not print it', () => {
  for (const bad of ['anna:secret', 'anna', 'anna:$2b$04$B5G2GiWQ3ajScDKuXAzMl.32tA0m3z4TcO1PIk2a4djy0EDmeOJWS', 'anna:$1$abcdefgh$0123456789012345678901'])  {
    const refused = spawnSync(VAULTD, ['serve', '--port', '1', '.'], { encoding: 'utf8', env: { HOME: '/nowhere', STATE_DIR: '/tmp', AUTH_USERS: bad }, timeout: 60_000 });
    assert.notEqual(refused.status, 0);
    assert.match(refused.stderr, /vaultd: user 1: /);
    assert.ok(!refused.stderr.includes(bad.slice(5) || 'anna'), refused.stderr);
  }
});
