import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { BASE_BUILTIN_MODULES } from './options';
import { packagesIn } from './packages-folder';
import { pyodideFolder } from './pyodide-folder';
import { snapshotFolder } from './snapshot-folders';
import type { EngineFolder, EngineSpec } from '../ses/native-connection';

/** The files of Pyodide that an isolate runs. */
const PYODIDE_FILES = ['package.json', 'pyodide.asm.mjs', 'pyodide.asm.wasm', 'python_stdlib.zip'];

let digest: { value: string | undefined } | undefined;

/** Python of this machine. */
export function engineSpec(folders: EngineFolder[] = []): EngineSpec {
  const settings = {
    pyodide: [pyodideFolder()],
    guest: [join(__dirname, 'guest.js')],
    prelude: [join(__dirname, 'prelude')],
    modules: [...BASE_BUILTIN_MODULES],
  };
  return { name: 'python', settings, cache: snapshotFolder(), folders };
}

/**
 * Python of a worker of a fleet, which has its own files. They must be the same as those of this machine, if this
 * machine has any.
 *
 * @param packages a folder of this machine; the worker must have all of its packages
 */
export function remoteEngineSpec(packages: string | undefined): EngineSpec {
  const own = engineDigest();
  const settings = {
    ...(own !== undefined && { digest: [own] }),
    ...(packages !== undefined && { packages: packagesIn(packages) }),
  };
  return { name: 'python', settings, folders: [] };
}

/** Identifies the code of Python on this machine. Undefined if Pyodide is not installed. */
export function engineDigest(): string | undefined {
  digest ??= { value: makeDigest() };
  return digest.value;
}

function makeDigest() {
  let folder: string;
  try {
    folder = pyodideFolder();
  } catch {
    return undefined;
  }
  const prelude = join(__dirname, 'prelude');
  const files = [
    ...PYODIDE_FILES.map((name) => join(folder, name)),
    join(__dirname, 'guest.js'),
    ...readdirSync(prelude)
      .sort()
      .map((name) => join(prelude, name)),
  ];
  const all = createHash('sha256');
  for (const file of files) all.update(createHash('sha256').update(readFileSync(file)).digest());
  return all.digest('hex');
}
