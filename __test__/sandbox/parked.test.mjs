// A program that parked its isolate counted for all executors of the process that have no owner: 21 of them made every
// `init()` fail.
import { expect, test } from 'vitest';

import { runChild } from '../helpers.mjs';

const CHILD = `
  import { SESExecutor, engineStats } from './index.mjs';
  import { SandboxManager, anyState } from './build/sandbox/index.js';
  const registry = { sources: [{ name: 'a', description: 'a', methods: [{ name: 'b', description: 'b', params: { type: 'object' } }] }] };
  const managerOf = (options) =>
    new SandboxManager({ registry, adapters: async () => 1, stateSchema: anyState, poolSize: 0, maxParkedMb: 8, ...options });
  const outcome = (work) => work.then(() => 'done', (error) => error.code);
  const parks = 'return "".split.call(new String("a".repeat(2 ** 28)), "")';
  const [own, other] = [managerOf({}), managerOf({ owner: 'other' })];
  const executor = new SESExecutor({ maxParkedMb: 8 });
  const seen = [
    await outcome(own.executeCode(parks)),
    engineStats().parked,
    await outcome(own.executeCode('return 1')),
    await outcome(other.executeCode('return 1')),
    await outcome(executor.init()),
    await outcome(managerOf({ owner: '' }).executeCode('return 1')),
  ];
  console.log(JSON.stringify(seen));
  process.exit();
`;

// Elsewhere V8's own limit of the heap ends such a program.
test.runIf(process.platform === 'linux')(
  'isolates that programs of a manager leave parked count only for its owner',
  async () => {
    const { status, stdout } = await runChild(CHILD);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toStrictEqual([
      'ERR_MEMORY_LIMIT_EXCEEDED',
      1,
      'ERR_SES_INIT_FAILED',
      'done',
      'done',
      'done',
    ]);
  },
);
