// Whatever the guest does, the run settles with a coded outcome and the host lives: every attack of `hostile/` in a
// process of its own, and a walk over everything that guest code can reach.
import { describe, expect, test } from 'vitest';

import { ALLOW_LIST, auditRealm } from './hostile/audit.mjs';
import { expected, limiter, listAttacks, observed, runAttack } from './hostile/suite.mjs';

const attacks = listAttacks();
// Each of them may use as much as a core and some hundred megabytes.
const limited = limiter(2);

describe('attacks', () => {
  test.concurrent.each(attacks)('$name: $attack', { timeout: 120_000 }, async (attack) => {
    const result = await limited(() => runAttack(attack));
    expect(observed(attack, result)).toEqual(expected(attack));
  });

  test('there are as many as promised, in all groups', () => {
    expect(attacks.length).toBeGreaterThanOrEqual(85);
    const groups = [...new Set(attacks.map(({ group }) => group))];
    expect(groups).toEqual(['authority', 'host', 'logs', 'memory', 'source', 'stack', 'time', 'tools', 'values']);
  });
});

describe('what guest code can reach', () => {
  test('is frozen and of the realm of the guest', async () => {
    const { unfrozen, strangers, count } = await auditRealm();
    expect({ unfrozen, strangers }).toEqual({ unfrozen: [], strangers: [] });
    expect(count).toBeGreaterThan(800);
  });

  // If V8 or SES have added something that guests may have: `node __test__/hostile/audit.mjs --update`.
  test('is what the allow-list has, and nothing else', async () => {
    const { reachable } = await auditRealm();
    expect(reachable).toEqual(ALLOW_LIST);
  });
});
