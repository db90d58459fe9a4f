// The simulation of a large fleet, with few sessions: client, broker and workers are real, the processes of the
// sessions run no code.

import { expect, test } from 'vitest';

import { simulate } from '../../scripts/simulate/measure.mjs';

test('the sessions of a fleet are shared by its workers, refused when it is full, and lost with their worker', async () => {
  const said = [];
  // It checks the outcomes of runs, tool calls and refused sessions itself.
  const figures = await simulate({ sessions: 201, workers: 3, idleMs: 100, say: (what) => said.push(what) });
  expect(figures).toMatchObject({
    sessionsOf: { w1: 67, w2: 67, w3: 67 },
    lost: { outcomes: { 'ERR_WORKER_LOST gone': 67, finished: 134 } },
  });
  expect(said).toStrictEqual([
    'the fleet is full',
    'the fleet is idle',
    'runs',
    'tool calls',
    'all sessions wait for a tool, and a worker is killed',
    'all sessions end',
  ]);
}, 240_000);
