// A PostgreSQL for a suite: tests/support/postgres.sh, which the C tests use, too.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TOP } from './support.mjs';

const SCRIPT = path.join(TOP, 'tests/support/postgres.sh');

/** A server that ends with the test; port: also on 127.0.0.1, where the password is "right horse". */
export function startPostgres(t, { port } = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'vaultd-postgres-')); // short: it is the path of a socket
  const script = (verb, more = [], input = '') =>
    execFileSync(SCRIPT, [verb, folder, ...more.map(String)], { input, stdio: ['pipe', 'inherit', 'inherit'] });
  const where = port ? [port] : [];
  let runs = true;
  script('start', where);
  t.after(() => {
    if (runs) script('stop');
    rmSync(folder, { recursive: true, force: true });
  });
  let databases = 0;
  return {
    folder,
    sql: (database, text) => script('sql', [database], text),
    /** The URL of a new, empty database, on the socket. */
    create() {
      const name = `d${++databases}`;
      script('sql', ['postgres'], `CREATE DATABASE ${name}`);
      return { name, url: `postgres://vaultd@/${name}?host=${folder}${port ? `&port=${port}` : ''}` };
    },
    kill: () => { script('kill'); runs = false; },
    again: () => { script('again', where); runs = true; },
    freeze: () => script('freeze'),
    thaw: () => script('thaw'),
  };
}
