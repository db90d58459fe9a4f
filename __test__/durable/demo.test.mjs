// `npm run demo:durable`: what it shows.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT, spawnNode } from '../helpers.mjs';

test('three processes, two of which are killed, pay once', async () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts['demo:durable']).toBe('node scripts/setup.mjs && node examples/durable.mjs');
  const { status, stdout, stderr } = await spawnNode(['examples/durable.mjs']);
  expect([status, stderr]).toStrictEqual([0, '']);
  expect(stdout.slice(stdout.indexOf('  first process'))).toBe(`\
  first process: the session is READY
  first process: search coffee machine
  first process: waiting: order-7/1/2 wants to pay 95 EUR to South
  first process: killed
  second process: the session is WAITING
  second process: a person approves order-7/1/2
  second process: pay 95 EUR to South, attempt 1: order-7/1/2 is paid now
  second process: killed before the answer is in the journal
  third process: the session is WAITING
  third process: pay 95 EUR to South, attempt 2: order-7/1/2 was paid before
  third process: finished: {"bought":{"shop":"South","price":95},"receipt":"order-7/1/2"}

Payments:
  order-7/1/2 95 EUR to South

`);
});
