import { randomUUID } from 'node:crypto';

import { currentCall } from '../../contract/current-call';
import { abortController, onAbort } from '../../contract/signals';
import { defineMember } from '../../contract/tool-names';
import { defined } from '../../contract/tool-traits';
import { WaitForAnswer } from '../../contract/waiting-call';
import type { Tools } from '../../contract/tool-types';
import type { ApprovalRequest, Approve, CallContext } from './types';
import type { LanguageText } from './language';
import type { ProgressReports } from './run-progress';
import type { callables } from './definition';

/** The context of all calls of one run. */
type RunContext = Omit<CallContext, 'input' | 'toolCallId'>;

export type Callable = ReturnType<typeof callables>[number];

export interface RunOfTools {
  /** The caller's signal. */
  signal?: AbortSignal;
  /** Passed on to the tools. */
  context?: unknown;
  approve?: Approve;
  /** The language of the code. Default: JavaScript. */
  language?: LanguageText;
  progress?: ProgressReports;
}

/** Creates the functions that code of one run calls, and the function to call when the run has ended. */
export function hostTools(callable: Callable[], { signal, context, approve, language, progress }: RunOfTools) {
  // Tools are notified when the run no longer waits for them.
  const ended = abortController();
  const stopListening = signal && onAbort(signal, () => ended.abort(signal.reason));
  const callContext = {
    signal: ended.signal,
    context,
    approve: (name: string, input: unknown) => mustBeApproved(approve, { name, input, signal: ended.signal, context }),
  };
  const toolOfRun = (it: Callable): Tools[string] => {
    const tool = toolOf(it, callContext, language);
    return progress === undefined ? tool : (...args: unknown[]) => progress.during(it.name, () => tool(...args));
  };
  return {
    tools: hostFunctions(callable.map((it) => [it.name, toolOfRun(it)])),
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
function toolOf(callable: Callable, context: RunContext, language: LanguageText | undefined) {
  const contextOfCall = () => ({ ...context, toolCallId: randomUUID() });
  if (callable.takesObject && language?.namesArguments) {
    return async (...args: unknown[]) => callable.call(callable.named(args), contextOfCall());
  }
  if (callable.takesObject) {
    return defined(async (input: unknown = {}) => callable.call(input, contextOfCall()), callable.plainDefinition);
  }
  return async (...args: unknown[]) => callable.call(...args);
}

/** @throws if the call must not be made, or not yet */
async function mustBeApproved(approve: Approve | undefined, request: ApprovalRequest) {
  const { name } = request;
  const recorded = currentCall();
  if (recorded?.isApproved) return;
  if (approve === undefined) {
    if (recorded !== undefined) throw new WaitForAnswer({ needsApproval: name });
    throw approvalError(`${name} needs a person's approval, which code cannot get: call the tool itself instead`);
  }
  if ((await approve(request)) !== true) {
    throw approvalError(`a person has refused this call of ${name}: do not try it again unless the person asks for it`);
  }
  // The run may have ended while the caller decided.
  request.signal.throwIfAborted();
}

function approvalError(message: string) {
  return Object.assign(new Error(message), { name: 'ApprovalError', code: 'ERR_NOT_APPROVED' });
}
