// Plans of the programs in `plans/`. Each is a session whose runs are separated by `// ---- next run`. The text of its
// plans is next to it: `vitest -u` writes it again. The programs also run, held to their plans.

import { readFileSync, readdirSync } from 'node:fs';

import { describe, expect, test } from 'vitest';

import { planOf, renderPlan } from 'ses-executor/code-tool';

import { withExecutor } from '../helpers.mjs';
import { RecordingTools } from './plan-tools.mjs';

const FOLDER = new URL('plans/', import.meta.url);
const NEXT_RUN = '// ---- next run\n';

describe.each(readdirSync(FOLDER).filter((name) => /\.[jt]s$/.test(name)))('the session %s', (name) => {
  const programs = readFileSync(new URL(name, FOLDER), 'utf8').split(NEXT_RUN);

  test('has the plans next to it', async () => {
    const { tools } = new RecordingTools();
    const plans = programs.map((code, index) => planOf(code, { tools, earlier: programs.slice(0, index) }));
    const text = plans.map(renderPlan).join(`\n\n${NEXT_RUN}\n`);
    await expect(`${text}\n`).toMatchFileSnapshot(`plans/${name.replace(/\.[jt]s$/, '.plan.txt')}`);
  });

  test('makes no call that is not in its plans', async () => {
    const recording = new RecordingTools();
    await withExecutor({ timeoutMs: 30_000 }, recording.tools, async (executor) => {
      for (const [index, code] of programs.entries()) {
        const plan = planOf(code, { tools: recording.tools, earlier: programs.slice(0, index) });
        const { refused } = await recording.during(plan, () => executor.run(code, { plan }));
        expect(refused).toStrictEqual([]);
      }
    });
  });
});
