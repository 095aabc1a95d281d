// For tests written from the contracts' text alone: vaults made from a table of files, and a
// snapshot of all their bytes.
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
 * or to where a symbolic link leads. What goes away meanwhile, as temporary files do, is left out.
 */
export function picture(dir) {
  const read = (name) => {
    const file = path.join(dir, name), stat = lstatSync(file);
    if (stat.isSymbolicLink()) return [[name, `-> ${readlinkSync(file)}`]];
    if (!stat.isDirectory()) return [[name, readFileSync(file, 'latin1')]];
    return readdirSync(file).flatMap((entry) => (path.join(name, entry) === '.git' ? [] : look(path.join(name, entry))));
  };
  const look = (name) => {
    try {
      return read(name);
    } catch (error) {
      if (error.code === 'ENOENT') return [];
      throw error;
    }
  };
  return Object.fromEntries(look('').sort());
}

export const textOf = (dir, name) => readFileSync(path.join(dir, name), 'utf8');

/** Whatever these calls return, no byte of the vault may change. */
export async function changesNothing(dir, calls) {
  const before = picture(dir);
  for (const call of calls) {
    await call();
    assert.deepEqual(picture(dir), before, String(call));
  }
}
