// attack: 64 files of 30 MB read at a time, faster than they can be handed over
// outcome: value 64
// state: READY
// options: {"timeoutMs":60000}
// peak: 704 the two that have room, some that are on their way, and what Node.js has not freed
// processPeak: 640 the same without those of the guest
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { withFiles } from './files.mjs';

export const scenario = withFiles(async (host, { root }) => {
  writeFileSync(join(root, 'large'), new Uint8Array(30e6).fill(97));
  return host.run(`
    const calls = Array.from({ length: 64 }, () => readBytes('large'));
    return (await Promise.allSettled(calls)).length;`);
});
