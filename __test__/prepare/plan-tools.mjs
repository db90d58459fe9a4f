// Tools whose calls are compared with a plan.

import { PlanGuard } from '../../build/contract/plan-guard.js';

/** What the tools return, in turn. */
const RESULTS = ['t1', 1, { n: 1, k: 't2' }, [1, 2], null, 'x'];

/** The names of the tools. `t0`, `t3` and `ns.y` return promises. */
export const TOOL_NAMES = ['t0', 't1', 't2', 't3', 'ns.x', 'ns.y', 'ns.deep.z'];

export class RecordingTools {
  calls = [];
  tools;
  #next = 0;

  constructor() {
    const note = (name, args) => {
      this.calls.push({ name, args });
      return RESULTS[this.#next++ % RESULTS.length];
    };
    const now =
      (name) =>
      (...args) =>
        note(name, args);
    const later =
      (name) =>
      async (...args) =>
        note(name, args);
    this.tools = {
      t0: later('t0'),
      t1: now('t1'),
      t2: now('t2'),
      t3: later('t3'),
      ns: { x: now('ns.x'), y: later('ns.y'), deep: { z: now('ns.deep.z') } },
    };
  }

  /**
   * Makes a run, and finds its calls that are not in the plan, and tools that every run should have called.
   *
   * @returns `outcome` or `error` of the run
   */
  async during(plan, run) {
    this.calls = [];
    const result = await run().then(
      (outcome) => ({ outcome }),
      (error) => ({ error }),
    );
    const guard = new PlanGuard(plan);
    const refused = this.calls.filter(({ name, args }) => guard.refuse({ path: [name] }, args) !== undefined);
    const hasEnded = result.error === undefined && !result.outcome.is_final_answer;
    // Calls whose arguments cannot be cloned fail in the guest.
    const hasArrived = hasEnded && result.outcome.stats.toolCalls === this.calls.length;
    const isCalled = (name) => this.calls.some((call) => call.name === name);
    const missing = plan.tools.filter(({ name, conditional }) => hasArrived && !conditional && !isCalled(name));
    return { ...result, calls: this.calls, refused: [...refused, ...missing] };
  }
}
