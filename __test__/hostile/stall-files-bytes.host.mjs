// attack: 64 files of 30 MB read at a time, whose bytes the host's thread copies
// outcome: value 64
// state: READY
// options: {"timeoutMs":60000}
// peak: 768 some that are on their way, and the statistics
// processPeak: 768 the same
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { withFiles } from './files.mjs';
import { unlessStalled } from './stalls.mjs';

export const scenario = withFiles(async (host, { root }) => {
  writeFileSync(join(root, 'large'), new Uint8Array(30e6).fill(97));
  return unlessStalled(host, () =>
    host.run(`
      const calls = Array.from({ length: 64 }, () => readBytes('large'));
      return (await Promise.allSettled(calls)).length;`),
  );
});
