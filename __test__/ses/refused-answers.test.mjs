// Answers for which the guest has no room reach it as errors. Traces said that these calls had succeeded.

import { tracingChannel } from 'node:diagnostics_channel';

import { expect, onTestFinished, test } from 'vitest';

import { withExecutor } from '../helpers.mjs';

const BIG = 12 << 20;
const tools = { big: async (n) => `${n}`.repeat(BIG), small: async (n) => n };
// The guest computes while the answers arrive. How many of them it has taken depends on time.
const CODE = `const calls = [small(0), ...[1, 2, 3, 4, 5, 6, 7, 8].map((n) => big(n))];
let spun = 0; for (let i = 0; i < 3e7; i++) spun += i;
(await Promise.allSettled(calls)).map(({ reason }) => reason && [reason.message, reason.code])`;
const ROUNDS = 10;

test('traces have the error of each answer for which there was no room', { timeout: 120_000 }, () =>
  withExecutor({ memoryLimitMb: 64, maxOperations: Infinity }, tools, async (executor) => {
    const traced = [];
    const asyncEnd = ({ args, result, error }) => (traced[args[0]] = error?.message ?? `${result}`.length);
    const nothing = () => {};
    const subscriber = { start: nothing, end: nothing, asyncStart: nothing, asyncEnd, error: nothing };
    const channel = tracingChannel('ses-executor:tool-call');
    channel.subscribe(subscriber);
    onTestFinished(() => channel.unsubscribe(subscriber));
    let refused = 0;
    for (let round = 0; round < ROUNDS && refused === 0; round++) {
      const { output } = await executor.run(`{ ${CODE} }`);
      expect(traced).toStrictEqual([1, ...output.slice(1).map((reason) => reason?.[0] ?? BIG)]);
      const codes = output.flatMap((reason) => (reason === undefined ? [] : [reason[1]]));
      expect(codes).toStrictEqual(codes.map(() => 'ERR_TRANSFER_LIMIT_EXCEEDED'));
      refused = codes.length;
    }
    expect(refused).toBeGreaterThan(0);
  }),
);
