// `npm run demo:plans`: what it shows.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { ROOT, spawnNode } from '../helpers.mjs';

test('a person decides once, and another program cannot use the approval', async () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(scripts['demo:plans']).toBe('node scripts/setup.mjs && node examples/plans.mjs');
  const { status, stdout, stderr } = await spawnNode(['examples/plans.mjs']);
  expect([status, stderr]).toStrictEqual([0, '']);
  expect(stdout).toBe(`\
--- one decision for all calls of a program

A person is asked about refund:

The program can call 2 tools:
- listOrders: once
    line 2: listOrders({ customer: "ada" })
- refund: any number of times, only under a condition
    line 4: refund({ id: …, percent: 50 }) any number of times, only under a condition

2 refunds
The person was asked once.

--- what an approval of one program is worth for another

Tool execution failed: PlanError: The call of refund is not in the plan: it has no call with these arguments
ERR_CALL_NOT_PLANNED
`);
});
