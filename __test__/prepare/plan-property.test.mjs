// No random program makes a call that its plan does not contain. Sessions of up to three programs run in an executor,
// and each call is compared with the plan. `PLAN_SESSIONS` and `PLAN_SEED` are the number of sessions and the first
// seed.

import { expect, test } from 'vitest';

import { planOf } from 'ses-executor/code-tool';

import { withExecutor } from '../helpers.mjs';
import { randomSession } from './plan-programs.mjs';
import { RecordingTools } from './plan-tools.mjs';

const SESSIONS = Number(process.env.PLAN_SESSIONS ?? 200);
const FIRST_SEED = Number(process.env.PLAN_SEED ?? Date.now() % 1e6);
const PER_TEST = 100;

const PARTS = Array.from({ length: Math.ceil(SESSIONS / PER_TEST) }, (_, part) => FIRST_SEED + part * PER_TEST);
const OPTIONS = { maxOperations: 20_000, timeoutMs: 60_000, maxToolCalls: 2_000 };

test.each(PARTS)(
  'programs from seed %i on make no call that is not in their plans',
  { timeout: 300_000 },
  async (first) => {
    const last = Math.min(first + PER_TEST, FIRST_SEED + SESSIONS);
    for (let seed = first; seed < last; seed++) await runSession(seed);
  },
);

function runSession(seed) {
  const programs = randomSession(seed);
  const recording = new RecordingTools();
  const { tools } = recording;
  return withExecutor(OPTIONS, tools, async (executor) => {
    for (const [index, code] of programs.entries()) {
      const earlier = programs.slice(0, index);
      // Half of the sessions are not known to their plans.
      const plan = planOf(code, seed % 2 === 0 ? { tools, earlier } : { tools });
      const { refused } = await recording.during(plan, () => executor.run(code));
      expect(refused, `seed ${seed}:\n${programs.slice(0, index + 1).join('\n// ----\n')}`).toStrictEqual([]);
    }
  });
}
