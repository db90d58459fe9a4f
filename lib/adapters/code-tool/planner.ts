import { offerOf, programsOf } from '../../contract/executor';
import { anyCalls, anyPlan } from '../../contract/plan';
import { PlanGuard } from '../../contract/plan-guard';
import { REQUESTS } from '../../contract/tool-registry';
import { prepareOptions } from '../../ses/check';
import { planLater } from '../../ses/plan';
import { namesOf } from './plan';
import type { KnownPrograms, Offer } from '../../contract/executor';
import type { Executor } from '../../contract/executor-types';
import type { Plan } from '../../contract/plan';
import type { Planning, ReadProgram } from '../../contract/session';

/** Makes the plans of a code tool's programs. */
export class Planner {
  #paths;
  #helpers;

  /**
   * @param paths the keys from the global to each tool of the code tool
   * @param helpers those of the functions that this package adds. Their calls are not in plans.
   */
  constructor(paths: string[][], helpers: string[][]) {
    this.#paths = paths;
    this.#helpers = helpers;
  }

  /**
   * @param program as the front end has read the code
   * @param earlier programs of the isolate that runs it; undefined if programs of its kind are not read
   * @param offer what the isolate has besides the tools of the code tool. Requests are calls of `fetch`.
   */
  async of(
    code: string,
    program: ReadProgram | undefined,
    earlier: KnownPrograms | undefined,
    { tools: offered = [], variables = [], globals = [], network }: Offer = {},
  ): Promise<Plan> {
    // The owner of the isolate may have sent something else by these names.
    const taken = new Set([...variables, ...offered.map(({ path }) => path[0])]);
    const added = this.#helpers.filter(([name]) => !taken.has(name));
    const own = new Set([...this.#paths, ...added].map(([name]) => name));
    const others = offered.filter(({ path }) => !own.has(path[0]));
    const pathsOf = (isHelper: boolean) =>
      others.filter((it) => (it.isHelper ?? false) === isHelper).map((it) => it.path);
    const tools = [...this.#paths, ...pathsOf(false)];
    if (earlier === undefined) {
      const requests = network === undefined || own.has(REQUESTS) ? [] : [[REQUESTS]];
      return anyPlan(namesOf([...tools, ...requests]), 'other_language');
    }
    const helpers = [...added, ...pathsOf(true)];
    const { text = code, front } = program?.planned ?? {};
    const request = { tools: [...tools, ...helpers], earlier: earlier.texts, front };
    const plan = without(namesOf(helpers), await planLater(text, request, prepareOptions(earlier.options)));
    const read = program?.restorePlan(plan) ?? plan;
    const mayRequest =
      globals.includes('fetch') && !own.has(REQUESTS) && mayUseFetch([code, ...(earlier.texts ?? [])], plan);
    return mayRequest ? withRequests(read) : read;
  }
}

/** Whether a program can get at the global `fetch`: by its name, or by a computed name of the global object. */
function mayUseFetch(texts: string[], { unresolved }: Plan) {
  return unresolved.length > 0 || texts.some((text) => /fetch|\\u/.test(text));
}

/**
 * The plan with any number of requests. Programs can give the name `fetch` another meaning, so that what they call by
 * it is not known.
 */
function withRequests(plan: Plan): Plan {
  return { ...plan, complete: false, tools: [...plan.tools, anyCalls(REQUESTS)] };
}

/** The plan without these functions. */
function without(names: readonly string[], { version, unresolved, ...plan }: Plan): Plan {
  const tools = plan.tools.filter(({ name }) => !names.includes(name));
  return { version, complete: unresolved.length === 0 && tools.every(({ certain }) => certain), tools, unresolved };
}

/** @throws {TypeError} if runs of an executor cannot be held to their plans */
export function refuseUnplannable(executor: Executor, option: string) {
  if (programsOf(executor) !== undefined) return;
  throw new TypeError(`${option} needs a JavaScript executor of this package: other programs have no plans`);
}

/** The plan of one run. It is made when it is needed. */
export class RunPlan implements Planning {
  #planner;
  #code;
  #isEnforced;
  #make: () => Promise<Plan>;
  #plan: Promise<Plan> | undefined;
  /** Settles with the first decision. */
  #first: Promise<void> | undefined;
  /** Calls that are approved with the plan. */
  #approved: PlanGuard | undefined;

  constructor(planner: Planner, code: string, isEnforced: boolean) {
    this.#planner = planner;
    this.#code = code;
    this.#isEnforced = isEnforced;
    this.#make = () => planner.of(code, undefined, undefined);
  }

  /** @throws {TypeError} if the run has to be held to a plan and there is none */
  begin(program: ReadProgram | undefined, executor: Executor) {
    if (this.#isEnforced) refuseUnplannable(executor, 'options.enforcePlan');
    const earlier = programsOf(executor);
    const offer = offerOf(executor);
    this.#make = () => this.#planner.of(this.#code, program, earlier, offer);
  }

  async held(): Promise<Plan | undefined> {
    return this.#isEnforced ? this.plan : undefined;
  }

  get plan(): Promise<Plan> {
    return (this.#plan ??= this.#make());
  }

  /**
   * Decides whether a call is approved. While the first decision of the run is pending, other calls wait for it: it may
   * approve the plan.
   *
   * @param args undefined if a call with the plan does not cover this one
   * @param ask asks the caller
   */
  async isApproved(
    name: string,
    args: unknown[] | undefined,
    ask: (plan: Plan) => Promise<boolean | 'plan'>,
  ): Promise<boolean> {
    if (this.#first !== undefined) {
      await this.#first;
      if (args !== undefined && this.#allows(name, args)) return true;
    }
    const decision = this.#decide(name, args, ask);
    this.#first ??= decision.then(
      () => {},
      () => {},
    );
    return decision;
  }

  async #decide(name: string, args: unknown[] | undefined, ask: (plan: Plan) => Promise<boolean | 'plan'>) {
    const plan = await this.plan;
    const decision = await ask(plan);
    if (decision !== 'plan') return decision === true;
    this.#approved ??= new PlanGuard(plan);
    // The call itself counts.
    if (args !== undefined) this.#allows(name, args);
    return true;
  }

  /** Whether a call is approved with the plan. Counts it. */
  #allows(name: string, args: unknown[]) {
    return this.#approved !== undefined && this.#approved.refuse({ path: [name] }, args) === undefined;
  }
}
