import { currentCall } from '../../contract/current-call';
import { isPlainObject } from '../../contract/describe';
import { WaitForAnswer, isAnswer } from '../../contract/waiting-call';
import type { Foreign } from '../../contract/foreign';
import type { PausedRun } from '../../contract/waiting-call';
import type { Answer, WaitingCall } from '../../contract/waiting-types';

// A program of a durable session whose call waits suspends the agent or workflow that runs the code tool. Mastra
// resumes it by a second call of the code tool with the same code, which answers the call that waits. A tool that had
// suspended is called again with the data that it is resumed with, as in Mastra itself.

/** What Mastra resumes a tool with. */
interface Resumption {
  data: unknown;
  /** what the tool had suspended with */
  payload: unknown;
}

/** Resumptions of calls of the program, by key. */
export type Resumed = Map<string, Resumption>;

/** The member of a payload that names the call of the program that waits. */
const CALL = 'waitingCall';

/**
 * Where a context of Mastra has `suspend` and its companions: the agent's part, the workflow's, or the context itself.
 */
function placeOf(toolContext: Foreign): Foreign {
  const { agent, workflow } = Object(toolContext);
  return [agent, workflow, toolContext].find((it) => typeof it?.suspend === 'function') ?? Object(toolContext);
}

/** What the code tool is resumed with; undefined if it has not suspended. */
export function resumptionOf(toolContext: Foreign): Resumption | undefined {
  const { resumeData, suspendPayload } = placeOf(toolContext);
  if (resumeData === undefined || resumeData === null || keyIn(suspendPayload) === undefined) return undefined;
  return { data: resumeData, payload: suspendPayload };
}

/** The key of the call that the code tool had suspended for. */
function keyIn(payload: Foreign): string | undefined {
  const key = payload?.[CALL]?.key;
  return typeof key === 'string' ? key : undefined;
}

/**
 * Suspends for the first of the calls.
 *
 * @returns whether the agent or workflow is suspended. Only a person who looks at the effects can decide about a call
 *   in doubt, and nobody can be asked outside of agents and workflows.
 */
export async function suspended(toolContext: Foreign, calls: readonly WaitingCall[]): Promise<boolean> {
  const { suspend } = placeOf(toolContext);
  if (typeof suspend !== 'function' || calls.length === 0 || calls.some(({ isInDoubt }) => isInDoubt)) return false;
  const [{ key, name, payload }] = calls;
  await suspend({ ...(isPlainObject(payload) ? payload : { payload }), [CALL]: { key, name } });
  return true;
}

/**
 * Answers the call that the code tool had suspended for, and no other.
 *
 * @param resumed gets the resumption of a call whose tool had suspended
 */
export function answerFrom({ data, payload }: Resumption, resumed: Resumed) {
  // The code tool passes the paused run on to adapters.
  const answer = (calls: readonly WaitingCall[], { memos }: PausedRun): Record<string, Answer> | undefined => {
    const key = keyIn(payload);
    const call = calls.find((it) => it.key === key);
    if (call === undefined || call.isInDoubt) return undefined;
    if (!isSuspension(memos.get(call.key))) return { [call.key]: answerOf(data) };
    resumed.set(call.key, { data, payload: call.payload });
    return { [call.key]: { approve: true } };
  };
  return answer as Foreign;
}

/** The data is the result of the call, unless it is an answer, or the decision about an approval. */
function answerOf(data: Foreign): Answer {
  if (!isPlainObject(data) || Object.keys(data).length !== 1) return { result: data };
  if (data.approved === true) return { approve: true };
  if (data.approved === false) return { error: { name: 'ApprovalError', message: 'a person has refused this call' } };
  return isAnswer(data) ? data : { result: data };
}

const SUSPENSION = { isSuspended: true };

function isSuspension(memo: unknown) {
  return (memo as Foreign)?.isSuspended === true;
}

/** A call of a tool by the program. */
export class NestedCall {
  /** The context that the tool gets. */
  context: Foreign;
  #payload: { payload: unknown } | undefined;
  #resumption: Resumption | undefined;

  constructor(name: string, toolCallId: string, toolContext: Foreign, resumed: Resumed) {
    const recorded = currentCall();
    this.#resumption = recorded && resumed.get(recorded.key);
    const suspend =
      recorded === undefined ? () => refuse(name) : async (payload: unknown) => void (this.#payload = { payload });
    const own = { suspend, resumeData: this.#resumption?.data, suspendPayload: this.#resumption?.payload };
    const { agent, workflow } = Object(toolContext);
    // A tool that is neither called by an agent nor by a workflow finds them in the context itself.
    this.context = {
      ...toolContext,
      ...own,
      ...(agent && { agent: { ...agent, toolCallId, ...own } }),
      ...(workflow && { workflow: { ...workflow, ...own } }),
    };
  }

  get isResumed(): boolean {
    return this.#resumption !== undefined;
  }

  /** @throws {WaitForAnswer} if the tool has suspended. As in Mastra, its result does not count then. */
  throwIfSuspended() {
    if (this.#payload !== undefined) throw new WaitForAnswer(this.#payload.payload, SUSPENSION);
  }
}

/**
 * Without a recorded session, the code cannot wait for an answer that arrives in another call of the agent. It would
 * continue without the answer, and run a second time with it.
 */
async function refuse(name: string): Promise<never> {
  throw Object.assign(
    new Error(`${name} suspends the agent, which it cannot do when code calls it: call the tool directly instead`),
    { name: 'SuspendError' },
  );
}
