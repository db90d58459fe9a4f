import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { createFileTools } from '../../build/files/index.js';

// Scenarios with file tools: a folder that guests may use, beside one that they must not reach.

/**
 * Has `scenario` called with an executor that has file tools, and with the folders: `root` is that of the tools, `outside` is beside it
 * and has a file `secret`.
 *
 * @param {(host: any, folders: { root: string, outside: string }) => Promise<string>} scenario
 */
export const withFiles = (scenario) => async (/** @type {any} */ host) => {
  const base = mkdtempSync(join(tmpdir(), 'ses-hostile-'));
  const [root, outside] = ['root', 'outside'].map((name) => join(base, name));
  mkdirSync(root);
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'secret');
  try {
    await host.executor.sendTools(createFileTools({ root }));
    return await scenario(host, { root, outside });
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
};
