import { randomUUID } from 'node:crypto';

import { executionOf, seqOf } from './executions';
import { resultOf, sourceOf } from './results';
import { Catalog, lookupTools } from '../../catalog/catalog';
import { typeDeclarations } from '../../catalog/type-declarations';
import { refuseOtherMarks } from '../../contract/approval-marks';
import { describe } from '../../contract/describe';
import { isApprovedByPlan } from '../../contract/current-call';
import { NO_LIMIT, optionsOf, record } from '../../contract/options';
import { refuseReservedName } from '../../contract/tool-registry';
import { asciiIdentifier, byIdentifier } from '../../contract/tool-names';
import { Session } from '../../contract/session';
import { defined } from '../../contract/tool-traits';
import { approvalRequest, pausedRunOf, planToApprove } from '../../contract/waiting-call';
import { calledProgram } from '../../ses/agent-program';
import { codeFrame } from '../../ses/code-frame';
import { DurableSession, currentCall, durable, waitForAnswer } from '../../durable';
import { HELPER_PATHS, RunHelpers, helpersText } from '../code-tool/helpers';
import { Planner, RunPlan } from '../code-tool/planner';
import type { CodemodeExecution, PendingAction, ToolLogEntry } from './executions';
import type { DeclaredFunction } from '../../catalog/type-declarations';
import type { Content, ContentBlock } from '../../contract/content';
import type { Plan } from '../../contract/plan';
import type { Report } from '../../contract/session';
import type { Tools } from '../../contract/tool-types';
import type { Answer, WaitingCall } from '../../contract/waiting-types';
import type { DurableOptions, JournalKeys, JournalStore, RevertedCall } from '../../durable';

/** A function of a connector. The tools of `CodemodeConnector` of `@cloudflare/codemode` have this shape. */
export interface ConnectorTool {
  description?: string | undefined;
  /** JSON Schema of the object that it takes, for declarations and searches. */
  inputSchema?: object | undefined;
  outputSchema?: object | undefined;
  /** Whether a person must approve each call. The program waits meanwhile. */
  requiresApproval?: boolean | undefined;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- tools declare their inputs
  execute(args: any): unknown;
  /** Undoes a call in {@link CodemodeRuntime.rollback}. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as above
  revert?(args: any, result: any): unknown;
}

/** Functions that code calls as `name.function(args)`. */
export interface Connector {
  /** An identifier. */
  name: string;
  /** What a model has to know to use it. */
  instructions?: string | undefined;
  /** Names that are not identifiers are changed as in `@cloudflare/codemode`: `list-issues` becomes `list_issues`. */
  tools: Readonly<Record<string, ConnectorTool>>;
}

/** Options of {@link CodemodeRuntime}. */
export interface CodemodeRuntimeOptions {
  connectors: readonly Connector[];
  /** Where the journals of executions are: a store of `ses-executor/durable`. */
  store: JournalStore;
  /** Required unless the store is in memory. */
  keys?: JournalKeys | undefined;
  /** Runtimes of the same name and store share their executions. Default `"default"`. */
  name?: string | undefined;
  /** Limits and other options of the executors. Default: those of `SESExecutor`, without a limit of operations. */
  executor?: DurableOptions['executor'];
}

/**
 * The outcome of an execution, up to where it waits. `content` is what the program has shown with `display`: images,
 * audio, files and texts. It is absent if the program has shown nothing.
 */
export type CodemodeOutcome = { executionId: string; calls: ToolLogEntry[] } & (
  | { status: 'completed'; result: unknown; logs?: string[]; content?: readonly ContentBlock[] }
  | { status: 'paused'; pending: PendingAction[] }
  | { status: 'error'; error: string; logs?: string[]; content?: readonly ContentBlock[] }
);

/** What a search found. */
export interface CodemodeSearch {
  results: {
    path: string;
    connector: string;
    method: string;
    description: string;
    requiresApproval?: true;
    kind: 'method';
  }[];
  total: number;
  truncated: boolean;
}

/** The declarations of a connector or of one of its functions. */
export interface CodemodeDescription {
  path: string;
  description: string;
  requiresApproval?: true;
  /** TypeScript. */
  types: string;
  kind: 'connector' | 'method';
}

/** Which calls {@link CodemodeRuntime.approve} approves. */
export interface CodemodeApproval {
  executionId: string;
  /** The number of the call. Default: all calls that wait. */
  seq?: number | undefined;
  /**
   * Whether to approve the plan of the program: the call, and all further calls that need approval and are in
   * {@link PendingAction.plan}. Default `false`.
   */
  plan?: boolean | undefined;
}

const OPTIONS = ['connectors', 'store', 'keys', 'name', 'executor'];
/** The object with `search` and `describe` in code. */
const HOLDER = 'codemode';
const MAX_RESULTS = 50;
const MAX_TYPES = 20_000;
const MAX_INDEX = 6_000;
/** Calls that a rejected program may make before it is left waiting. */
const MAX_REFUSALS = 100;

/** Returns the plan of a program, for approval requests. */
type PlanOf = () => Promise<Plan | undefined>;

interface Method {
  connector: string;
  method: string;
  tool: ConnectorTool;
  declared: DeclaredFunction;
}

/**
 * The durable code mode of `@cloudflare/codemode` (`createCodemodeRuntime`) in Node.js: a program waits for approval of
 * its calls, even across restarts of the process, and continues after the call. Each execution is a `DurableSession`,
 * whose id is the id of the execution.
 *
 * @example
 * ```js
 * const store = fileStore('./executions');
 * const runtime = new CodemodeRuntime({ connectors: [github], store, keys: { sign: secret } });
 * const outcome = await runtime.execute({ code: 'async () => github.create_issue({ title: "Bug" })' });
 * if (outcome.status === 'paused') await runtime.approve({ executionId: outcome.executionId });
 * ```
 */
export class CodemodeRuntime {
  #name;
  #options: Pick<DurableOptions, 'store' | 'keys' | 'executor'>;
  #connectors: Map<string, Connector> = new Map();
  #methods: Map<string, Method> = new Map();
  #catalog;
  #planner;

  /** @throws `TypeError` for wrong options and for names that code cannot use */
  constructor(options: CodemodeRuntimeOptions) {
    const { connectors, store, keys, name = 'default', executor } = optionsOf(options, 'options', OPTIONS);
    if (typeof name !== 'string' || !/^[\w-]{1,30}$/.test(name)) {
      throw new TypeError(`options.name must have 1 to 30 letters, digits, "_" and "-", got ${describe(name)}`);
    }
    if (!Array.isArray(connectors)) {
      throw new TypeError(`options.connectors must be an array, got ${describe(connectors)}`);
    }
    this.#name = name;
    this.#options = { store, keys, executor: { maxOperations: NO_LIMIT, ...(executor as DurableOptions['executor']) } };
    for (const connector of connectors) this.#add(connector);
    const declared = [...this.#methods.values()].map((it) => it.declared);
    this.#catalog = new Catalog(declared, (some, maxChars) => typeDeclarations(some, maxChars).text, HOLDER);
    const helpers = HELPER_PATHS.filter(([helper]) => !this.#connectors.has(helper));
    this.#planner = new Planner(
      [...this.#methods.values()].map(({ connector, method }) => [connector, method]),
      [[HOLDER, 'search'], [HOLDER, 'describe'], ...helpers],
    );
  }

  /** What a model has to know to write code, for the description of a tool. */
  get description(): string {
    const instructions = [...this.#connectors.values()].flatMap(({ name, instructions: text }) =>
      text === undefined ? [] : [`${name}: ${text}`],
    );
    return [
      'Runs JavaScript: an async arrow function, whose return value is the result. Code calls the functions of connectors as ' +
        '`await connector.function(args)`. `await codemode.search("words")` finds functions, and ' +
        '`await codemode.describe("connector.function")` returns their types. Calls that need approval wait for a person.' +
        helpersText([...this.#connectors.keys()], false),
      ...instructions,
      this.#catalog.index(MAX_INDEX),
    ].join('\n\n');
  }

  /**
   * Runs code, which is an async arrow function, any other function or a program, until it ends or waits for approval.
   * Failures are outcomes.
   */
  execute({ code }: { code: string }): Promise<CodemodeOutcome> {
    const id = `${this.#name}.${randomUUID()}`;
    const source = sourceOf(code);
    const plan = new RunPlan(this.#planner, source, false);
    return this.#within(
      id,
      (run) => run(source, { plan }),
      () => plan.plan,
    );
  }

  /** Finds functions of the connectors by words. */
  async search(query: string): Promise<CodemodeSearch> {
    const found = await this.#catalog.search(query, this.#methods.size + 1);
    const results = found.slice(0, MAX_RESULTS).map(({ name: path, description }) => {
      const { connector, method, tool } = this.#methods.get(path) as Method;
      const approval = tool.requiresApproval === true && { requiresApproval: true as const };
      return { path, connector, method, description, ...approval, kind: 'method' as const };
    });
    return { results, total: found.length, truncated: found.length > results.length };
  }

  /**
   * The types of a connector or of one function.
   *
   * @throws `Error` if there is none
   */
  describe(target: string): CodemodeDescription {
    const connector = this.#connectors.get(target);
    if (connector !== undefined) {
      const own = [...this.#methods.values()].filter((it) => it.connector === target).map(({ declared }) => declared);
      const { text: types } = typeDeclarations(own, MAX_TYPES);
      return { path: target, description: connector.instructions ?? '', types, kind: 'connector' };
    }
    const types = this.#catalog.describe(target);
    const { tool, declared } = this.#methods.get(target) as Method;
    const approval = tool.requiresApproval === true && { requiresApproval: true as const };
    return { path: target, description: declared.description, ...approval, types, kind: 'method' };
  }

  /** The calls that wait for approval, of one execution or of all. */
  async pending(executionId?: string): Promise<PendingAction[]> {
    const executions = executionId === undefined ? await this.executions() : [await this.#execution(executionId)];
    return executions.flatMap(({ pending }) => pending);
  }

  /** All executions, the newest first. */
  async executions(limit: number = Infinity): Promise<CodemodeExecution[]> {
    const found: CodemodeExecution[] = [];
    for await (const { id } of this.#options.store.list()) {
      if (id.startsWith(`${this.#name}.`)) found.push(await this.#execution(id));
    }
    return found.sort((a, b) => b.time.localeCompare(a.time)).slice(0, limit);
  }

  /**
   * Approves the calls that wait, or one of them, and continues the program after them. If the execution does not wait
   * any more, nothing runs, and the outcome is what the journal says. If the process ended while a call was made, the
   * call is made again: immediately if it needs no approval, otherwise when somebody approves it once more.
   *
   * @throws `TypeError` for wrong options, and if a plan is approved that the call does not have
   */
  async approve(options: CodemodeApproval): Promise<CodemodeOutcome> {
    const { executionId, seq, plan = false } = record(options, 'options', ['executionId', 'seq', 'plan']);
    checkSeq(seq);
    if (typeof plan !== 'boolean') throw new TypeError(`options.plan must be a boolean, got ${describe(plan)}`);
    if (!plan) return this.#continue(executionId, seq, approval);
    return this.#continue(executionId, seq, planApproval);
  }

  /**
   * Rejects the calls that wait, or one of them: they fail in the program with an `ApprovalError`. So do the calls that
   * need approval and that the program makes afterwards.
   *
   * @returns whether there was such a call
   */
  async reject(options: Omit<CodemodeApproval, 'plan'>): Promise<boolean> {
    const { executionId, seq } = record(options, 'options', ['executionId', 'seq']);
    checkSeq(seq);
    const refusal = ({ name }: WaitingCall) => ({
      error: { name: 'ApprovalError', code: 'ERR_NOT_APPROVED', message: `a person has refused this call of ${name}` },
    });
    const refusals = (calls: readonly WaitingCall[]) => answersTo(calls, refusal);
    const isThere = (await this.pending(executionId)).some((action) => seq === undefined || action.seq === seq);
    if (!isThere) return false;
    let outcome = await this.#continue(executionId, seq, refusals);
    for (let i = 0; i < MAX_REFUSALS && outcome.status === 'paused'; i++) {
      outcome = await this.#continue(executionId, undefined, refusals);
    }
    return true;
  }

  /**
   * Undoes the calls that have ended, the last one first, with `revert` of their tools. Each is undone at most once.
   */
  async rollback({ executionId }: { executionId: string }): Promise<RevertedCall[]> {
    const session = await this.#open(executionId);
    try {
      return await session.revert();
    } finally {
      await session.cleanup();
    }
  }

  /** Removes an execution and its journal. */
  async deleteExecution(executionId: string): Promise<void> {
    await this.#options.store.remove(this.#checked(executionId));
  }

  #add(given: Connector) {
    const { name, tools } = given ?? {};
    if (typeof name !== 'string' || !/^[a-zA-Z_$][\w$]*$/.test(name)) {
      throw new TypeError(`the name of a connector must be an identifier, got ${describe(name)}`);
    }
    refuseReservedName(name, 'connectors');
    if (name === HOLDER || this.#connectors.has(name)) {
      throw new TypeError(`two connectors are called ${name}; give one of them another name`);
    }
    this.#connectors.set(name, given);
    for (const [method, tool] of Object.entries(byIdentifier({ ...tools }, asciiIdentifier))) {
      if (typeof tool?.execute !== 'function') {
        throw new TypeError(`${name}.${method} must be an object with a function \`execute\`, got ${describe(tool)}`);
      }
      const { requiresApproval = false } = tool;
      if (typeof requiresApproval !== 'boolean') {
        throw new TypeError(`${name}.${method}.requiresApproval must be a boolean, got ${describe(requiresApproval)}`);
      }
      refuseOtherMarks(`${name}.${method}`, tool, ['requiresApproval']);
      const { description = '', inputSchema: input, outputSchema: output } = tool;
      const declared = { name: `${name}.${method}`, description, input, output, isAsync: true };
      this.#methods.set(declared.name, { connector: name, method, tool, declared });
    }
  }

  #toolsOfCode(planOf: PlanOf): Tools {
    const lookups = {
      search: (query: unknown) => this.search(query as string) as never,
      describe: (target: unknown) => this.describe(target as string) as never,
    };
    const tools: Tools = lookupTools(lookups, HOLDER);
    for (const { connector, method, tool, declared } of this.#methods.values()) {
      const call = async (...given: unknown[]) => {
        // Thrown here, so that the guest has a promise meanwhile.
        if (tool.requiresApproval === true && !isApproved(declared.name, given)) {
          waitForAnswer(approvalRequest({ requiresApproval: true }, await planOf()));
        }
        const [args = {}] = given;
        return tool.execute(args);
      };
      const { description = '', inputSchema = {}, outputSchema = {} } = tool;
      const revert = ([args = {}]: unknown[], result: unknown) => tool.revert?.(args, result);
      const inDoubt = tool.requiresApproval === true ? 'wait' : 'repeat';
      const recorded = durable(call, { inDoubt, ...(tool.revert !== undefined && { revert }) });
      const made = defined(recorded, { description, inputSchema, outputSchema });
      tools[connector] = { ...(tools[connector] as object), [method]: made };
    }
    return tools;
  }

  async #continue(
    executionId: string,
    seq: number | undefined,
    decide: (calls: readonly WaitingCall[]) => Record<string, Answer>,
  ): Promise<CodemodeOutcome> {
    const id = this.#checked(executionId);
    let plan: Plan | undefined;
    const work = async (run: Session['run'], session: DurableSession) => {
      const paused = pausedRunOf(session);
      if (paused === undefined) return undefined;
      // The journal has the code as it runs, so that its plan would have other positions.
      plan = paused.calls.map(({ payload }) => planToApprove(payload) as Plan | undefined).find(Boolean);
      return run(paused.code, {
        isPlain: true,
        continues: true,
        answer: ({ calls }) => {
          const decided = calls.filter(({ key }) => seq === undefined || seqOf(key) === seq);
          return decided.length === 0 ? undefined : decide(decided);
        },
      });
    };
    return this.#within(id, work, async () => plan);
  }

  /** Works in the session of an execution, which is freed afterwards. */
  async #within(
    id: string,
    work: (run: Session['run'], session: DurableSession) => Promise<Report | undefined>,
    planOf: PlanOf,
  ): Promise<CodemodeOutcome> {
    const tools = this.#toolsOfCode(planOf);
    const session = await this.#open(id, tools);
    const runs = new Session(session, { livesOn: true, codeFrame, frontEnd: calledProgram });
    let report: Report | undefined;
    let shown: Content | undefined;
    try {
      report = await work((code, options) => {
        const helpers = new RunHelpers(code, { taken: () => [...this.#connectors.keys()] });
        shown = helpers.content;
        const { onEarlier } = helpers;
        return runs.run(code, { ...options, tools: { ...helpers.tools, ...tools }, onEarlier });
      }, session);
    } finally {
      shown?.end();
      await session.cleanup();
    }
    return this.#outcomeOf(await this.#execution(id), report, shown?.blocks ?? []);
  }

  async #outcomeOf(
    { executionId, status, calls, pending, ...last }: CodemodeExecution,
    report: Report | undefined,
    content: readonly ContentBlock[],
  ): Promise<CodemodeOutcome> {
    if (status === 'paused') return { status, executionId, pending, calls };
    if (report?.waiting !== undefined) {
      // The process ended while these calls were made, so nobody knows whether they took effect.
      const inDoubt = calls.filter(({ seq }) => report.waiting?.some(({ key }) => seqOf(key) === seq));
      const undecided = inDoubt.map(({ seq, connector, method, args }) => ({
        executionId,
        seq,
        connector,
        method,
        args,
      }));
      return { status: 'paused', executionId, pending: undecided, calls };
    }
    if (report === undefined) {
      return status === 'completed'
        ? { status, executionId, result: last.result, calls }
        : { status: 'error', executionId, error: last.error ?? 'the execution has not ended', calls };
    }
    const { result, error, logs } = await resultOf(report);
    const logged = { ...(logs !== undefined && { logs }), ...(content.length > 0 && { content }) };
    return error === undefined
      ? { status: 'completed', executionId, result, ...logged, calls }
      : { status: 'error', executionId, error, ...logged, calls };
  }

  #open(id: string, tools: Tools = this.#toolsOfCode(async () => undefined)) {
    return DurableSession.open(this.#checked(id), { ...this.#options, tools });
  }

  #execution(id: string): Promise<CodemodeExecution> {
    const { store, keys } = this.#options;
    const needsApproval = (path: string) => this.#methods.get(path)?.tool.requiresApproval === true;
    return executionOf(this.#checked(id), { store, keys }, needsApproval);
  }

  /** @throws {RangeError} for an execution of another runtime */
  #checked(id: unknown): string {
    if (typeof id === 'string' && id.startsWith(`${this.#name}.`)) return id;
    throw new RangeError(`${describe(id)} is not the id of an execution of this runtime`);
  }
}

/** @throws {TypeError} */
function checkSeq(seq: unknown) {
  if (seq === undefined || typeof seq === 'number') return;
  throw new TypeError(`options.seq must be a number, got ${describe(seq)}`);
}

function isApproved(name: string, args: readonly unknown[]): boolean {
  return currentCall()?.isApproved === true || isApprovedByPlan(name, args);
}

function answersTo(calls: readonly WaitingCall[], decide: (call: WaitingCall) => Answer): Record<string, Answer> {
  return Object.fromEntries(calls.map((call) => [call.key, decide(call)]));
}

function approval(calls: readonly WaitingCall[]) {
  return answersTo(calls, () => ({ approve: true }));
}

/** The other calls that wait ask again, and get their approval if they are in the plan. */
function planApproval(calls: readonly WaitingCall[]): Record<string, Answer> {
  const call = calls.find(({ payload }) => planToApprove(payload) !== undefined);
  if (call !== undefined) return { [call.key]: { approve: 'plan' } };
  throw new TypeError(`options.plan must be false: there is no plan for the call ${seqOf(calls[0].key)}`);
}
