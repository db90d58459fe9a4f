import { currentCall } from '../../contract/current-call';
import { isPlainObject } from '../../contract/describe';
import { requirePeer } from '../../contract/peer-dependency';
import { WaitForAnswer, isAnswer } from '../../contract/waiting-call';
import type { Foreign } from '../../contract/foreign';
import type { PausedRun } from '../../contract/waiting-call';
import type { Answer, WaitingCall } from '../../contract/waiting-types';

// A program of a durable session in a graph of LangGraph. LangGraph runs a node again to resume it, and `interrupt()`
// then returns the values that it had returned before, by their order. The calls of the program that have finished are
// not repeated, so the tools of the program must not count in this order. Each call of a tool gets its own count. The
// code tool itself interrupts the graph, once for each call that waits.

/** LangGraph's state of a task: the values to resume with, and how many of them were used. */
const SCRATCHPAD = '__pregel_scratchpad';
/** Stores the values to resume with. */
const SEND = '__pregel_send';

/** Whether the graph is being resumed, for graphs that tools invoke. */
const RESUMING = '__pregel_resuming';
/** Graphs that one call invokes, and calls of one run, at most; others share checkpoints. */
const MAX_GRAPHS = 2 ** 10;
const MAX_CALLS = 2 ** 20;

/** The values that `interrupt()` has returned to a call already. */
interface Memo {
  resumed: unknown[];
}

export function isInGraph(config: Foreign): boolean {
  return config?.configurable?.[SCRATCHPAD] !== undefined;
}

export function isInterrupt(thrown: Foreign): boolean {
  return thrown?.is_bubble_up === true && Array.isArray(thrown.interrupts) && thrown.interrupts.length > 0;
}

/** Whether a graph can ask for answers. Only a person who looks at the effects can decide about a call in doubt. */
export function canAsk(calls: readonly WaitingCall[]): boolean {
  return calls.length > 0 && calls.every(({ isInDoubt }) => !isInDoubt);
}

/**
 * The configuration that the tool of a call gets. In a recorded session, the interrupts of the call, and the graphs
 * that it invokes, are counted on their own.
 *
 * @param resumed values for calls that interrupts have paused, by key
 */
export function configOfCall(config: Foreign, resumed: Map<string, unknown[]>): Foreign {
  const call = currentCall();
  if (call === undefined || !isInGraph(config)) return config ?? {};
  const values = [...(resumed.get(call.key) ?? [])];
  const { [RESUMING]: resuming, ...configurable } = config.configurable;
  const scratchpad: Foreign = {
    ...configurable[SCRATCHPAD],
    interruptCounter: -1,
    subgraphCounter: firstGraphOf(call.key),
    resume: values.slice(0, -1),
    nullResume: values.at(-1),
    consumeNullResume: () => {
      const value = scratchpad.nullResume;
      delete scratchpad.nullResume;
      return value;
    },
  };
  const isResumed = values.length > 0 && resuming !== undefined;
  const own = { [SCRATCHPAD]: scratchpad, [SEND]: undefined, ...(isResumed && { [RESUMING]: resuming }) };
  return { ...config, configurable: { ...configurable, ...own } };
}

/**
 * LangGraph numbers the graphs that a task invokes. Those of a call have their own numbers, which are the same each
 * time.
 */
function firstGraphOf(key: string) {
  const [run, call] = key.split('/').slice(-2).map(Number);
  return (run * MAX_CALLS + call) * MAX_GRAPHS;
}

/** The pause of a call whose tool has interrupted the graph. */
export function waitingForGraph({ interrupts }: Foreign, resumed: Map<string, unknown[]>): WaitForAnswer {
  const memo: Memo = { resumed: resumed.get(currentCall()?.key ?? '') ?? [] };
  return new WaitForAnswer(interrupts[0].value, memo);
}

/**
 * Answers the first call that waits with the value that the graph is resumed with, or interrupts the graph.
 *
 * @param resumed gets the values for calls that interrupts have paused
 */
export function answerFromGraph(
  resumed: Map<string, unknown[]>,
): (calls: readonly WaitingCall[]) => Record<string, Answer> | undefined {
  /** How many values this call of the code tool has read. */
  let used = 0;
  // The code tool passes the paused run on to adapters.
  const answer = (calls: readonly WaitingCall[], { answered, memos }: PausedRun) => {
    if (!canAsk(calls)) return undefined;
    const user = 'an executor that waits in a graph of ses-executor/langchain';
    const { interrupt } = requirePeer(user, '@langchain/langgraph', () => require('@langchain/langgraph'));
    // These values have continued the program in earlier calls of the code tool.
    for (; used < answered; used++) interrupt(undefined);
    const [{ key, payload }] = calls;
    const value = interrupt(payload);
    used++;
    const memo = memos.get(key) as Memo | undefined;
    if (memo === undefined) return { [key]: answerOf(value) };
    resumed.set(key, [...memo.resumed, value]);
    return { [key]: { approve: true as const } };
  };
  return answer as Foreign;
}

/** A value of `Command({ resume })` is the result of the call, unless it is an answer. */
function answerOf(value: Foreign): Answer {
  if (!isPlainObject(value) || Object.keys(value).length !== 1) return { result: value };
  return isAnswer(value) ? value : { result: value };
}
