// No program reaches a tool in a way that its plan does not show, however it is written.

import { describe, expect, test } from 'vitest';

import { planOf } from 'ses-executor/code-tool';

import { withExecutor } from '../helpers.mjs';
import { ATTACKS, ATTEMPTS } from './plan-attacks.mjs';
import { RecordingTools } from './plan-tools.mjs';

const OPTIONS = { timeoutMs: 10_000, maxToolCalls: 100 };
const sessions = (list) => list.map((programs) => [[programs].flat()]);

/** Runs a session. Each call is compared with two plans. Returns the calls. */
async function callsOf(programs) {
  const recording = new RecordingTools();
  const { tools } = recording;
  const made = [];
  await withExecutor(OPTIONS, tools, async (executor) => {
    await executor.sendVariables({ data: [1, 2], word: 'abc' });
    for (const [index, code] of programs.entries()) {
      const plan = planOf(code, { tools, earlier: programs.slice(0, index) });
      const { calls, refused } = await recording.during(plan, () => executor.run(code));
      expect(refused).toStrictEqual([]);
      // Without the earlier programs, a plan has at least the same tools.
      const possible = planOf(code, { tools }).tools.map(({ name }) => name);
      expect(calls.filter(({ name }) => !possible.includes(name))).toStrictEqual([]);
      made.push(...calls);
    }
  });
  return made;
}

describe('a plan has every call of the session', () => {
  test.each(sessions(ATTACKS))('%j', async (programs) => {
    expect(await callsOf(programs)).not.toStrictEqual([]);
  });

  test.each(sessions(ATTEMPTS))('%j', callsOf);
});
