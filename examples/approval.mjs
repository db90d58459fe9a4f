import { renderPlan } from 'ses-executor/code-tool';

/**
 * The option `approve` of the examples: a person reads the plan of a program, and decides once. The answer is written
 * down.
 */
export function approvePlan({ name, plan }) {
  console.log(`--- a person is asked about ${name}\n${renderPlan(plan)}\n--- the person approves the plan\n`);
  return 'plan';
}
