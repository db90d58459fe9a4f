// Outputs that take more than a moment to read: the run still settles in time, by its signal, and with cleanup().

import { expect, test } from 'vitest';

import { checkOptions } from '../../build/contract/options.js';
import { RunScope } from '../../build/contract/run-scope.js';
import { ToolTimes } from '../../build/contract/tool-times.js';
import { NativeConnection } from '../../build/ses/native-connection.js';
import { readOutput } from '../../build/ses/output.js';
import { rejection } from '../helpers.mjs';

/** Each object has a distinct shape, which takes Node.js some milliseconds per thousand. */
const WIDE = 'Array.from({ length: 100_000 }, (_, i) => ({ ["a" + i]: 1 }))';
const TIMEOUT_MS = 60_000;

/** How such an output ends where `change` changes what bounds its reading, and `then` is called once that has begun. */
async function read(change, then = () => {}) {
  const core = new NativeConnection(checkOptions({ maxOperations: 1e9 }));
  await core.call((call) => core.native.init(call));
  try {
    const call = core.nextCall();
    const started = core.native.run(call, WIDE, null, TIMEOUT_MS, false, null);
    const outcome = await core.settled(call, started, { run: { toolTimes: new ToolTimes() } });
    const stats = { ...outcome.stats, durationMs: 1_000 };
    const limits = { maxTransferBytes: 1 << 30, timeoutMs: TIMEOUT_MS, signal: undefined, life: new RunScope() };
    const reading = readOutput({ ...outcome, stats }, { ...limits, ...change });
    then();
    const { code, message, details, logs, stats: given } = await rejection(reading);
    expect([logs, given]).toStrictEqual(['', stats]);
    return { code, message, details };
  } finally {
    await core.cleanup();
  }
}

test('the deadline of the run ends the reading of its output', async () => {
  expect(await read({ timeoutMs: 1_001 })).toStrictEqual({
    code: 'ERR_EXEC_TIMEOUT',
    message: 'Execution timed out after 1001ms',
    details: {
      timeoutMs: 1_001,
      reason: 'deadline',
      hint: 'The code ended in time, but reading its output takes too long: return less.',
      stateLost: false,
    },
  });
});

test('the signal of the run, aborted during the reading or just before, ends it', async () => {
  const failure = {
    code: 'ERR_EXEC_TIMEOUT',
    message: 'Execution timed out after 60000ms',
    details: { timeoutMs: TIMEOUT_MS, aborted: true, reason: 'enough', stateLost: false },
  };
  const controller = new AbortController();
  expect(await read({ signal: controller.signal }, () => controller.abort('enough'))).toStrictEqual(failure);
  expect(await read({ signal: controller.signal })).toStrictEqual(failure);
});

test('cleanup() ends the reading of an output', async () => {
  const life = new RunScope();
  expect(await read({ life }, () => life.end())).toStrictEqual({
    code: 'ERR_INVALID_STATE',
    message: 'Invalid executor state: DEAD: run() was ended by cleanup(); call init() before further calls',
    details: { state: 'DEAD', operation: 'run', hint: 'cleanup() was called' },
  });
});

test('cleanup() of an executor ends the scope of its run, not its own', async () => {
  const core = new NativeConnection(checkOptions({}));
  const { life } = core;
  await core.cleanup();
  expect([life.isOver, core.life.isOver]).toStrictEqual([true, false]);
});
