// The contract of executors, with the isolate in a separate process.

import { SESExecutor } from '../../index.mjs';
import { describeExecutor } from '../contract/suite/index.mjs';

describeExecutor('SESExecutor in a process', (options) => new SESExecutor({ ...options, isolation: 'process' }), {
  limitCpuTime: process.platform === 'linux',
  inChild: `
    import { SESExecutor } from './index.mjs';
    const make = (options) => new SESExecutor({ ...options, isolation: 'process' });
  `,
});
