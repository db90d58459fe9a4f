import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { currentCall } from '../../contract/current-call';
import { isPlainObject } from '../../contract/describe';
import { requirePeer } from '../../contract/peer-dependency';
import { WaitForAnswer, isAnswer } from '../../contract/waiting-call';
import type { Foreign } from '../../contract/foreign';
import type { PausedRun } from '../../contract/waiting-call';
import type { TaskProgram } from '../../contract/task-programs';
import type { Answer, WaitingCall } from '../../contract/waiting-types';

// A program of a durable session in a graph of LangGraph. LangGraph runs a node again to resume it, and `interrupt()`
// then returns the values that it had returned before, by their order. The calls of the program that have finished are
// not repeated, so the tools of the program must not count in this order. Each call of a tool gets its own count. The
// code tool itself interrupts the graph, once for each call that waits.

/** LangGraph's state of a task: the values to resume with, and how many of them were used. */
const SCRATCHPAD = '__pregel_scratchpad';
const TASK_ID = '__pregel_task_id';
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
function canAsk(calls: readonly WaitingCall[]): boolean {
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

/** The programs that an attempt at a task has begun: how many with each code, by session. */
interface Attempt {
  number: number;
  begun: Map<unknown, Map<string, number>>;
}

const attempts: WeakMap<object, Attempt> = new WeakMap();

/**
 * The program of a call of the code tool. When LangGraph runs a node again, the node has the same namespace, and the
 * values for its interrupts. In a retry, it also has the same scratchpad.
 */
export function programOf({ configurable, executionInfo }: Foreign): TaskProgram {
  const { [SCRATCHPAD]: scratchpad, [TASK_ID]: id, checkpoint_ns: namespace } = configurable;
  const number: number = executionInfo?.nodeAttempt ?? 1;
  const last = attempts.get(scratchpad);
  const begun: Attempt['begun'] = last !== undefined && last.number === number ? last.begun : new Map();
  attempts.set(scratchpad, { number, begun });
  // A call of a tool can run programs in other sessions. They are the call's.
  const call = currentCall();
  const task = [namespace || id || randomUUID(), ...(call === undefined ? [] : [call.key])].join('#');
  let own: number | undefined;
  const program: TaskProgram = {
    task,
    answers: valuesFor(scratchpad),
    used: 0,
    numberIn: (executor, code) => {
      // Callers may open the session again for each program.
      const session = (executor as { id?: unknown }).id ?? executor;
      const counts: Map<string, number> = begun.get(session) ?? new Map();
      begun.set(session, counts);
      own ??= counts.get(code) ?? 0;
      counts.set(code, Math.max(counts.get(code) ?? 0, own + 1));
      return own;
    },
    repeat: (used) => {
      for (; program.used < used; program.used++) interruptGraph(undefined);
    },
  };
  return program;
}

/** How many values LangGraph has for interrupts of a task. It gives the last one twice if the task has failed since. */
function valuesFor({ resume = [], nullResume }: Foreign): number {
  const isNew = nullResume !== undefined && !isDeepStrictEqual(nullResume, resume.at(-1));
  return resume.length + (isNew ? 1 : 0);
}

/**
 * Answers the first call that waits with the value that the graph is resumed with, or interrupts the graph.
 *
 * @param resumed gets the values for calls that interrupts have paused
 * @param program counts the values that it has used
 */
export function answerFromGraph(
  resumed: Map<string, unknown[]>,
  program: TaskProgram,
): (calls: readonly WaitingCall[]) => Record<string, Answer> | undefined {
  // The code tool passes the paused run on to adapters.
  const answer = (calls: readonly WaitingCall[], { memos }: PausedRun) => {
    if (!canAsk(calls)) return undefined;
    const [{ key, payload }] = calls;
    const value = interruptGraph(payload);
    program.used++;
    const memo = memos.get(key) as Memo | undefined;
    if (memo === undefined) return { [key]: answerOf(value) };
    resumed.set(key, [...memo.resumed, value]);
    return { [key]: { approve: true as const } };
  };
  return answer as Foreign;
}

function interruptGraph(payload: unknown): unknown {
  const user = 'an executor that waits in a graph of ses-executor/langchain';
  const { interrupt } = requirePeer(user, '@langchain/langgraph', () => require('@langchain/langgraph'));
  return interrupt(payload);
}

/** A value of `Command({ resume })` is the result of the call, unless it is an answer. */
function answerOf(value: Foreign): Answer {
  if (!isPlainObject(value) || Object.keys(value).length !== 1) return { result: value };
  return isAnswer(value) ? value : { result: value };
}
