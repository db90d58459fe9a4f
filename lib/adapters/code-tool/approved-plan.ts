import { HELPER_PATHS } from './helpers';
import { Planner, refuseUnplannable } from './planner';
import { describe } from '../../contract/describe';
import { offerOf, programsOf } from '../../contract/executor';
import { flattenTools } from '../../contract/tool-registry';
import type { Executor } from '../../contract/executor-types';
import type { Plan } from '../../contract/plan';
import type { Planning, ReadProgram } from '../../contract/session';
import type { Tools } from '../../contract/tool-types';
import type { ApprovePlan } from './types';

/** @throws {TypeError} */
export function checkApprovePlan(approve: unknown): ApprovePlan | undefined {
  if (approve === undefined || typeof approve === 'function') return approve as ApprovePlan | undefined;
  throw new TypeError(`options.approvePlan must be a function, got ${describe(approve)}`);
}

/** Asks about the plan of one run, and holds the run to it. */
export class ApprovedPlan implements Planning {
  #approve;
  #code;
  #tools;
  #make: (() => Promise<Plan>) | undefined;

  /** @param tools that the program can call */
  constructor(approve: ApprovePlan, code: string, tools: Tools) {
    this.#approve = approve;
    this.#code = code;
    this.#tools = tools;
  }

  begin(program: ReadProgram | undefined, executor: Executor) {
    refuseUnplannable(executor, 'options.approvePlan');
    const paths = flattenTools(this.#tools).map(({ path }) => path);
    const planner = new Planner(paths, HELPER_PATHS);
    this.#make = () => planner.of(this.#code, program, programsOf(executor), offerOf(executor));
  }

  /** Rejects if the plan is not approved. */
  async held(): Promise<Plan | undefined> {
    const plan = await this.#make?.();
    if (plan === undefined || (await this.#approve({ code: this.#code, plan })) === true) return plan;
    const message = 'The plan of this program was not approved. None of the code has run.';
    throw Object.assign(new Error(message), { name: 'ApprovalError', code: 'ERR_NOT_APPROVED' });
  }
}
