// What docs/guide/scale.md derives from measured figures.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { derive } from '../../scripts/scale/derive.mjs';
import { ROOT } from '../helpers.mjs';

const FIGURES = {
  session: { workerMiB: 5, hostMiB: 0.5, brokerMiB: 0.1 },
  idle: { messagesPerPair: 16, brokerCpuPerPair: 0.001 },
  run: { cpu: { host: 100e-6, broker: 100e-6, worker: 200e-6 }, messages: 6, bytes: 1_000 },
  tool: { cpu: { host: 100e-6, broker: 100e-6, worker: 100e-6 }, messages: 4, bytes: 500 },
  journal: { perSecond: 2_000, bytes: 300, brokerCpu: 50e-6 },
  connectionMiB: 0.05,
};

const machine = { cpus: 16, memoryGiB: 64 };

test('a size takes as many runs and calls as its sessions make', () => {
  // 1,000 sessions: 100 runs and 500 tool calls a second.
  const size = derive(FIGURES, { sessions: 1_000, machine });
  expect(size).toMatchObject({ workers: 2, hosts: 1, pairs: 2, brokers: 1, appends: 1_200, streams: 1 });
  expect(size.workerGiB).toBeCloseTo(5_000 / 1_024, 9);
  expect(size.workerCpus).toBeCloseTo(100 * 200e-6 + 500 * 100e-6, 9);
  expect(size.messages).toBeCloseTo(100 * 6 + 500 * 4 + 2 * 16 + 1_200, 9);
  expect(size.bytes).toBeCloseTo(100 * 1_000 + 500 * 500 + 1_200 * 300, 9);
  expect(derive(FIGURES, { sessions: 100_000, machine })).toMatchObject({
    workers: 13,
    hosts: 10,
    pairs: 130,
    brokers: 3,
    streams: 100,
  });
});

test('the limit that is reached first comes first, with the sessions that reach it', () => {
  const { limits } = derive(FIGURES, { sessions: 1_000, machine });
  // 1,200 appends of the 1,200 that are planned with.
  expect(limits[0]).toMatchObject({ name: 'appends to the streams of journals' });
  expect(limits[0].share).toBeCloseTo(1, 9);
  expect(limits.map(({ share }) => share)).toStrictEqual(limits.map(({ share }) => share).toSorted((a, b) => b - a));
  const small = derive(FIGURES, { sessions: 10, machine: { cpus: 2, memoryGiB: 4 } });
  expect(small.limits[0].name).toBe('memory of the worker machines');
  expect(small.limits[0].mostSessions).toBe(Math.floor((4 * 0.6 * 1_024) / 5));
});

test('the page has the tables of the script', () => {
  const page = readFileSync(join(ROOT, 'docs/guide/scale.md'), 'utf8');
  const [, tables] = /<!-- written by `npm run scale -- --write` -->\n\n([^]*)\n\n<!-- end -->/.exec(page);
  for (const title of ['Memory of a session at the worker', 'Machines for workers', 'First limit of this plan']) {
    expect(tables).toContain(`| ${title} `);
  }
});
