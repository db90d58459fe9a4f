import { randomUUID } from 'node:crypto';

import { currentCall, isApprovedByPlan } from '../../contract/current-call';
import { abortController, onAbort } from '../../contract/signals';
import { defineMember } from '../../contract/tool-names';
import { defined } from '../../contract/tool-traits';
import { WaitForAnswer, approvalRequest } from '../../contract/waiting-call';
import type { Tools } from '../../contract/tool-types';
import type { ApprovalRequest, Approve, CallContext } from './types';
import type { LanguageText } from './language';
import type { ProgressReports } from './run-progress';
import type { callables } from './definition';
import type { RunPlan } from './planner';

/** Makes the context of a call, given its arguments. */
type ContextOf = (name: string, args: unknown[]) => Omit<CallContext, 'input'>;

export type Callable = ReturnType<typeof callables>[number];

export interface RunOfTools {
  /** The caller's signal. */
  signal?: AbortSignal;
  /** Passed on to the tools. */
  context?: unknown;
  approve?: Approve;
  /** The plan of the run. */
  plan?: RunPlan;
  /** The language of the code. Default: JavaScript. */
  language?: LanguageText;
  progress?: ProgressReports;
}

/** Creates the functions that code of one run calls, and the function to call when the run has ended. */
export function hostTools(callable: Callable[], { signal, context, approve, plan, language, progress }: RunOfTools) {
  // Tools are notified when the run no longer waits for them.
  const ended = abortController();
  const stopListening = signal && onAbort(signal, () => ended.abort(signal.reason));
  const contextOf = (of: string, args: unknown[]) => ({
    signal: ended.signal,
    context,
    toolCallId: randomUUID(),
    approve: (name: string, input: unknown) =>
      mustBeApproved(approve, plan, { name, input, signal: ended.signal, context }, name === of ? args : undefined),
  });
  return {
    tools: hostFunctions(callable.map((it) => [it.name, toolOf(it, contextOf, language, progress)])),
    end: () => {
      stopListening?.();
      ended.abort();
    },
  };
}

/** Functions in the form that `sendTools` takes, by names with their namespaces. */
function hostFunctions(named: [name: string, fn: Tools[string]][]): Tools {
  const tools: Tools = {};
  for (const [name, fn] of named) {
    const path = name.split('.');
    const last = path.pop() as string;
    let holder = tools;
    for (const key of path) {
      if (!Object.hasOwn(holder, key)) defineMember(holder, key, {});
      holder = holder[key] as Tools;
    }
    defineMember(holder, last, fn);
  }
  return tools;
}

/** Returns an `async` function, so that code receives a promise immediately. */
function toolOf(
  callable: Callable,
  contextOf: ContextOf,
  language: LanguageText | undefined,
  progress: ProgressReports | undefined,
) {
  const during = <T>(call: () => T) => progress?.during(callable.name, async () => call()) ?? call();
  if (callable.takesObject && language?.namesArguments) {
    return async (...args: unknown[]) =>
      during(() => callable.call(callable.named(args), contextOf(callable.name, args)));
  }
  if (callable.takesObject) {
    const ofObject = async (...args: unknown[]) => {
      const [input = {}] = args;
      return during(() => callable.call(input, contextOf(callable.name, args)));
    };
    return defined(ofObject, callable.plainDefinition);
  }
  return async (...args: unknown[]) => during(() => callable.call(...args));
}

/**
 * @param args of the call, if it is the one that asks
 * @throws {Error} if the call must not be made, or not yet
 */
async function mustBeApproved(
  approve: Approve | undefined,
  runPlan: RunPlan | undefined,
  call: Omit<ApprovalRequest, 'plan'>,
  args: unknown[] | undefined,
) {
  const { name, signal } = call;
  const recorded = currentCall();
  if (recorded?.isApproved || (args !== undefined && isApprovedByPlan(name, args))) return;
  if (approve === undefined || runPlan === undefined) {
    if (recorded !== undefined) throw new WaitForAnswer(approvalRequest({ needsApproval: name }, await runPlan?.plan));
    throw approvalError(`${name} needs a person's approval, which code cannot get: call the tool directly instead`);
  }
  const isApproved = await runPlan.isApproved(name, args, async (plan) => {
    // The run may have ended while the plan was made.
    signal.throwIfAborted();
    return approve({ ...call, plan });
  });
  if (!isApproved) {
    throw approvalError(`a person has refused this call of ${name}: do not try it again unless the person asks for it`);
  }
  // The run may have ended while the caller decided.
  signal.throwIfAborted();
}

function approvalError(message: string) {
  return Object.assign(new Error(message), { name: 'ApprovalError', code: 'ERR_NOT_APPROVED' });
}
