// This package, with a worker process per session, which has no sandbox of the operating system.

import { openWith } from './ses-executor.mjs';

export { hasWarmPool, traits, warm } from './ses-executor.mjs';

export const open = openWith({ isolation: 'process', sandbox: 'off' });
