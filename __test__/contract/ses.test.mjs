// The contract, kept by an executor whose isolate lives on a thread of the host.

import { SESExecutor } from '../../index.mjs';
import { describeExecutor } from './suite/index.mjs';

describeExecutor('SESExecutor on a thread', (options) => new SESExecutor(options), {
  limitCpuTime: process.platform === 'linux',
  inChild: `
    import { SESExecutor } from './index.mjs';
    const make = (options) => new SESExecutor(options);`,
});
