// For tests that were written from the contracts' text alone: vaults made of a table of files, and
// a picture of all their bytes.
import assert from 'node:assert/strict';
import { lstatSync, mkdirSync, readFileSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { tempDir } from '../support.mjs';

/** A folder with these files: path to text or bytes. */
export function vaultOf(t, files) {
  const dir = path.join(tempDir(t), 'vault');
  mkdirSync(dir);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(dir, name)), { recursive: true });
    writeFileSync(path.join(dir, name), content);
  }
  return dir;
}

/**
 * Every file below dir, hidden ones too (but not git's own): path to bytes,
 * or to where a symbolic link leads.
 */
export function picture(dir) {
  const files = readdirSync(dir, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory());
  const paths = files.map((entry) => path.relative(dir, path.join(entry.parentPath, entry.name)));
  const kept = paths.filter((name) => !name.startsWith('.git/')).sort();
  const bytes = (file) => (lstatSync(file).isSymbolicLink() ? `-> ${readlinkSync(file)}` : readFileSync(file, 'latin1'));
  return Object.fromEntries(kept.map((name) => [name, bytes(path.join(dir, name))]));
}

export const textOf = (dir, name) => readFileSync(path.join(dir, name), 'utf8');

/** Whatever these calls answer, no byte of the vault may change. */
export async function changesNothing(dir, calls) {
  const before = picture(dir);
  for (const call of calls) {
    await call();
    assert.deepEqual(picture(dir), before, String(call));
  }
}
