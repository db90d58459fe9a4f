// The contract of executors, with the isolate on a worker of a fleet.

import { SESExecutor } from '../../index.mjs';
import { describeExecutor } from '../contract/suite/index.mjs';
import { fleetOfFile } from './helpers.mjs';

const fleet = fleetOfFile({ args: ['--capacity', '64', '--memory', '16384'] });

describeExecutor(
  'SESExecutor on a fleet',
  (options) => new SESExecutor({ ...options, isolation: 'remote', remote: fleet.remote }),
  {
    limitCpuTime: process.platform === 'linux',
    inChild: `
    import { SESExecutor } from './index.mjs';
    const remote = { servers: process.env.SES_EXECUTOR_SERVERS };
    const make = (options) => new SESExecutor({ ...options, isolation: 'remote', remote });
  `,
  },
);
