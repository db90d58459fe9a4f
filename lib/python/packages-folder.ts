import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { errorOf } from '../contract/errors';
import type { Foreign } from '../contract/foreign';
import type { EngineFolder } from '../ses/native-connection';

/** The file in a folder of packages that lists them. `packages/add.py` writes it. */
const LIST = 'ses-executor-packages.json';

/** A folder of packages, as an isolate gets it. */
export function packagesFolder(folder: string): EngineFolder {
  return { name: 'packages', root: resolve(folder), readOnly: true, list: LIST };
}

/**
 * The packages in a folder, each with its version and the digest of its wheel. Two folders with the same ones have the
 * same code.
 *
 * @throws {ExecutorError} `ERR_SES_INIT_FAILED` if the list cannot be read
 */
export function packagesIn(folder: string): string[] {
  const root = resolve(folder);
  try {
    const { packages } = JSON.parse(readFileSync(join(root, LIST), 'utf8'));
    return Object.entries(packages as Record<string, Foreign>).map(
      ([name, { version, sha256 }]) => `${name}==${version} ${sha256}`,
    );
  } catch (error) {
    const reason = `${LIST} cannot be read: ${(error as Error).message}; create them with: ses-executor python add`;
    throw errorOf('ERR_SES_INIT_FAILED', { details: `the packages in ${root} cannot be used: ${reason}` }, {});
  }
}
