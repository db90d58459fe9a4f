import { isExecutor } from '../../contract/executor';
import { isApprovalRequest, isRecorded, limitedPlan, pausedRunOf } from '../../contract/waiting-call';
import type { Executor } from '../../contract/executor-types';
import type { Answer, WaitingCall } from '../../contract/waiting-types';
import type { CallOptions, CodeToolResult } from './types';

// Approvals of calls that programs of a `DurableSession` make, in frameworks that ask for approval before they call a
// tool and have nothing for a tool that waits. The program runs while the framework wants to know whether the call of
// the code tool needs approval. If the program then waits for approval of its own calls, the call of the code tool
// needs approval, and the approved call continues the program. Otherwise the call returns the result that exists
// already.
//
// If a person refuses, the framework does not call the tool. The calls fail when the session is next used.

/** Results that the framework has not fetched. It does not fetch those of a conversation that was aborted. */
const MAX_RESULTS = 100;

/** A call of the code tool, as the framework describes it. */
export interface CallOfTool {
  id: string | undefined;
  /** Whether a person has approved it. */
  isApproved: boolean;
  /**
   * The code of earlier calls that a person has refused.
   *
   * @param requested the code of calls for which approval was requested in this process, by their ids
   */
  refused: (requested: ReadonlyMap<string | undefined, Requested>) => Refused[];
}

export interface Requested {
  code: string;
  /** Keys of the calls in the program. */
  keys: ReadonlySet<string>;
}

export interface Refused {
  code: string;
  /** What the person has said. */
  reason: string | undefined;
}

/** Runs code without approval of the call, or continues the program that waits and has this code. */
type Execute = (code: string, options?: Pick<CallOptions, 'answer' | 'continues'>) => Promise<CodeToolResult>;

/**
 * What is kept of the calls of one executor, by their ids. Models may give calls of different conversations the same
 * id.
 */
class KnownCalls {
  /** Results that the framework has not fetched, with the code of their programs. */
  readonly results: Map<string | undefined, { code: string; result: CodeToolResult }> = new Map();
  /** After a restart it is not known for what approval was requested. */
  readonly requested: Map<string | undefined, Requested> = new Map();
  /** Whether this process has begun a program. */
  hasBegun = false;
}

export class PausedPrograms {
  #known: WeakMap<Executor, KnownCalls> = new WeakMap();
  #approvesPlans;

  /** @param approvesPlans whether approval of a call is approval of the plan of its program */
  constructor(approvesPlans: boolean) {
    this.#approvesPlans = approvesPlans;
  }

  /** Whether the call needs approval. Runs the program as far as it comes. */
  async mustAsk(executor: Executor, code: string, call: CallOfTool, execute: Execute): Promise<boolean> {
    const { id } = call;
    const known = this.#of(executor);
    const requested = known.requested.get(id);
    if (known.results.get(id)?.code === code) return false;
    if (call.isApproved && (requested?.code ?? code) === code) {
      // Frameworks ask again when they have an answer.
      if (pausedRunOf(executor) !== undefined) return true;
      // The program may have ended in another process. Otherwise, the approval is one of all calls.
      if (requested !== undefined || !known.hasBegun) return false;
    }
    known.hasBegun = true;
    await this.#refuse(executor, call, execute);
    const result = await execute(code);
    const keys = 'waiting' in result ? result.waiting.filter(isForApproval).map(({ key }) => key) : [];
    if (keys.length === 0) keep(known.results, id, { code, result });
    else keep(known.requested, id, { code, keys: new Set(keys) });
    return keys.length > 0;
  }

  /** The result of the call, which has approval if it needs it. */
  async resultOf(executor: Executor, code: string, call: CallOfTool, execute: Execute): Promise<CodeToolResult> {
    const { id } = call;
    const known = this.#of(executor);
    const kept = known.results.get(id);
    known.results.delete(id);
    if (kept?.code === code) return kept.result;
    const requested = known.requested.get(id);
    if (!call.isApproved || (requested?.code ?? code) !== code) {
      known.hasBegun = true;
      await this.#refuse(executor, call, execute);
      return execute(code);
    }
    known.requested.delete(id);
    const isOfAllCalls = requested === undefined && known.hasBegun && pausedRunOf(executor) === undefined;
    const answer = (calls: readonly WaitingCall[]) => {
      const approved = calls.filter((it) => isForApproval(it) && (requested?.keys.has(it.key) ?? true));
      const answers = approved.map(({ key, payload }) => [key, { approve: this.#approvalOf(payload) }]);
      return answers.length === 0 ? undefined : Object.fromEntries(answers);
    };
    if (!isOfAllCalls) return execute(code, { answer, continues: true });
    // Nobody was asked about this call.
    let result = await execute(code);
    while ('waiting' in result && result.waiting.some(isForApproval)) {
      result = await execute(code, { answer, continues: true });
    }
    return result;
  }

  #of(executor: Executor): KnownCalls {
    const known = this.#known.get(executor) ?? new KnownCalls();
    this.#known.set(executor, known);
    return known;
  }

  #approvalOf(payload: unknown): true | 'plan' {
    return this.#approvesPlans && limitedPlan(payload) !== undefined ? 'plan' : true;
  }

  /** Lets the calls fail that a person has refused since. */
  async #refuse(executor: Executor, { refused }: CallOfTool, execute: Execute) {
    for (const { code, reason } of refused(this.#of(executor).requested)) {
      // Each refusal may lead the program to a further call, for which nobody was asked.
      while (pausedRunOf(executor)?.calls.some(isForApproval)) {
        let isRefused = false;
        const answer = (calls: readonly WaitingCall[]) => {
          const waiting = calls.filter(isForApproval);
          isRefused = waiting.length > 0;
          return isRefused ? Object.fromEntries(waiting.map((it) => [it.key, refusal(it, reason)])) : undefined;
        };
        await execute(code, { answer, continues: true });
        // Another program waits.
        if (!isRefused) break;
      }
    }
  }
}

/**
 * The executor of a call if its programs can wait for approval of their own calls. Undefined also if the function that
 * returns the executor fails: the call itself then reports this, as a failure of the tool.
 *
 * @param executor the option `executor` as the caller passed it
 * @param context what the framework passes to tools
 */
export async function recordedExecutor(executor: unknown, context: unknown): Promise<Executor | undefined> {
  try {
    const it = typeof executor === 'function' ? await executor(context) : executor;
    return isExecutor(it) && isRecorded(it) ? it : undefined;
  } catch {
    return undefined;
  }
}

function isForApproval({ payload, isInDoubt }: WaitingCall): boolean {
  return !isInDoubt && isApprovalRequest(payload);
}

function refusal({ name }: WaitingCall, reason: string | undefined): Answer {
  const message =
    `a person has refused this call of ${name}${reason === undefined ? '' : `: ${reason}`}; ` +
    'do not try it again unless the person asks for it';
  return { error: { name: 'ApprovalError', code: 'ERR_NOT_APPROVED', message } };
}

function keep<T>(map: Map<string | undefined, T>, id: string | undefined, value: T) {
  map.set(id, value);
  if (map.size > MAX_RESULTS) map.delete(map.keys().next().value);
}
