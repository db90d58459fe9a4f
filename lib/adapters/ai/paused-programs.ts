import { isPlainObject } from '../../contract/describe';
import { pausedRunOf } from '../../contract/waiting-call';
import { isApproved, refusedCode } from './approval';
import type { Executor } from '../../contract/executor-types';
import type { Answer, WaitingCall } from '../../contract/waiting-types';
import type { CodeToolResult } from '../code-tool/types';
import type { Call } from './approval';

// Approvals of calls that programs of a `DurableSession` make. The AI SDK asks for approval before it calls a tool, and has
// nothing for a tool that waits. So the program runs while the SDK wants to know whether the call of the code tool needs
// approval. If the program then waits for approval of its own calls, the call of the code tool needs approval, and the
// approved call continues the program. Otherwise the call gives the result that is there already.
//
// If a person refuses, the SDK does not call the tool. The calls fail when the SDK next has something for the session.

/** Results that the SDK has not fetched. It does not fetch those of a conversation that was aborted. */
const MAX_RESULTS = 100;

type Execute = (
  code: string,
  call: Call,
  answer?: (calls: readonly WaitingCall[]) => Record<string, Answer> | undefined,
) => Promise<CodeToolResult>;

export class PausedPrograms {
  #execute;
  /** Results by the id of the call of the code tool. */
  #results: Map<string | undefined, CodeToolResult> = new Map();
  /** Keys of the calls for which approval was requested, by the same id. After a restart they are not known. */
  #requested: Map<string | undefined, Set<string>> = new Map();

  /** @param execute runs code without approval of the call, or continues the program that waits and has this code */
  constructor(execute: Execute) {
    this.#execute = execute;
  }

  /** Whether the call needs approval. Runs the program as far as it comes. */
  async mustAsk(executor: Executor, code: string, call: Call): Promise<boolean> {
    const { toolCallId: id } = call;
    // The SDK asks again when it has an answer.
    if (isApproved(call)) return pausedRunOf(executor) !== undefined;
    if (this.#results.has(id)) return false;
    await this.#refuse(executor, call);
    const result = await this.#execute(code, call);
    const keys = 'waiting' in result ? result.waiting.filter(isForApproval).map(({ key }) => key) : [];
    if (keys.length === 0) keep(this.#results, id, result);
    else keep(this.#requested, id, new Set(keys));
    return keys.length > 0;
  }

  /** The result of the call, which has approval if it needs it. */
  async resultOf(executor: Executor, code: string, call: Call): Promise<CodeToolResult> {
    const { toolCallId: id } = call;
    const result = this.#results.get(id);
    this.#results.delete(id);
    if (result !== undefined) return result;
    if (!isApproved(call)) {
      await this.#refuse(executor, call);
      return this.#execute(code, call);
    }
    const requested = this.#requested.get(id);
    this.#requested.delete(id);
    let isAnswered = false;
    return this.#execute(code, call, (calls) => {
      // Calls that the program makes afterwards need approval of their own.
      if (isAnswered) return undefined;
      isAnswered = true;
      const approved = calls.filter((it) => isForApproval(it) && (requested?.has(it.key) ?? true));
      return approved.length === 0
        ? undefined
        : Object.fromEntries(approved.map(({ key }) => [key, { approve: true as const }]));
    });
  }

  /** Lets the calls fail that a person has refused since. */
  async #refuse(executor: Executor, call: Call) {
    for (const { code, reason } of refusedCode(call)) {
      // Each refusal may lead the program to a further call, for which nobody was asked.
      while (pausedRunOf(executor)?.calls.some(isForApproval)) {
        let isRefused = false;
        await this.#execute(code, call, (calls) => {
          const refused = calls.filter(isForApproval);
          isRefused = refused.length > 0;
          return isRefused ? Object.fromEntries(refused.map((it) => [it.key, refusal(it, reason)])) : undefined;
        });
        // Another program waits.
        if (!isRefused) break;
      }
    }
  }
}

function isForApproval({ payload, isInDoubt }: WaitingCall): boolean {
  return !isInDoubt && isPlainObject(payload) && payload.needsApproval !== undefined;
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
