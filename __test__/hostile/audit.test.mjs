// A walk over everything that guest code can reach, and a look at the attacks that `npm run containment` runs.
import { describe, expect, test } from 'vitest';

import { ALLOW_LIST, GROUPS, auditGroups, auditRealm } from './audit.mjs';
import { listAttacks } from './suite.mjs';

describe('P1, P2: what guest code can reach', () => {
  test('is frozen and belongs to the realm of the guest', async () => {
    const { unfrozen, strangers, count } = await auditRealm();
    expect({ unfrozen, strangers }).toStrictEqual({ unfrozen: [], strangers: [] });
    expect(count).toBeGreaterThan(800);
  });

  // If V8 or SES have added something that guests may have: `node __test__/hostile/audit.mjs --update`.
  test('is exactly the content of the allow-list', async () => {
    const { reachable } = await auditRealm();
    expect(reachable).toStrictEqual(ALLOW_LIST.reachable);
  });

  test('grows with each group of the option globals by exactly what the allow-list has, frozen', async () => {
    const { optional } = await auditGroups();
    expect(Object.keys(ALLOW_LIST.optional)).toStrictEqual(GROUPS);
    for (const group of GROUPS) {
      const added = ALLOW_LIST.optional[group];
      expect(optional[group], group).toStrictEqual({ unfrozen: [], strangers: [], gone: [], added });
    }
  });
});

test('all groups contain as many attacks as promised', () => {
  const attacks = listAttacks('thread');
  expect(attacks.length).toBeGreaterThanOrEqual(330);
  const groups = [...new Set(attacks.map(({ group }) => group))];
  expect(groups).toStrictEqual(['authority', 'host', 'logs', 'memory', 'source', 'stack', 'stall', 'time', 'tools', 'values']);
});
