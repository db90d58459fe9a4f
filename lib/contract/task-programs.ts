// Programs of a task that runs again from its start: a framework such as LangGraph runs a node again to resume it. A
// recorded session knows the programs that the task has run, so that none of them runs twice.

import type { CodeOutput, Executor } from './executor-types';
import type { RunOptions } from './executor-options';
import type { RunFailure } from './run-failure';
import type { FinishedCall } from './waiting-call';

/** The option of a call of a code tool for what its program is in a task. Callers do not see it. */
export const TASK: unique symbol = Symbol('task');

/** One program of a task. */
export interface TaskProgram {
  /** Names the task. It is the same when the task runs again, and another one in each other run. */
  task: string;
  /** How many answers the framework has for the task. */
  answers: number;
  /** How many of them the program has used. */
  used: number;
  /** Its number among the programs of the task with the same code in this session, from 0. */
  numberIn: (executor: Executor, code: string) => number;
  /** Uses answers that the program has used in earlier runs of the task: that many in all. */
  repeat: (used: number) => void;
}

/** What a session knows about a program. */
export interface KnownProgram {
  /** how many answers it has used */
  used: number;
  /** how it has ended; undefined if it has not, or if it must run again */
  ended: EndedProgram | undefined;
  /** whether the run that has not ended is another program of the task */
  isOtherOpen: boolean;
}

export interface EndedProgram {
  output?: unknown;
  failure?: RunFailure;
  logs: string;
  /** the calls that had a result, in their order */
  calls: readonly FinishedCall[];
}

/** The programs of tasks in a recorded session. `code` is the text that runs. */
export interface TaskPrograms {
  find: (program: TaskProgram, code: string) => Promise<KnownProgram>;
  /** As `run()` of executors. The program is known from now on. */
  run: (program: TaskProgram, code: string, options: RunOptions) => Promise<CodeOutput>;
  /** Notes how a program has failed. */
  noteFailure: (program: TaskProgram, code: string, failed: Pick<EndedProgram, 'failure' | 'logs'>) => Promise<void>;
}

const TASKS: unique symbol = Symbol('programs of tasks');

/** Registers the function that returns the programs of a session of this class. */
export function describeTaskPrograms<T extends object>(prototype: T, programs: (session: T) => TaskPrograms) {
  const get = function (this: T) {
    return programs(this);
  };
  Object.defineProperty(prototype, TASKS, { get, configurable: true });
}

/** @returns undefined if the executor is not recorded */
export function taskProgramsOf(executor: Executor): TaskPrograms | undefined {
  return (executor as { [TASKS]?: TaskPrograms })[TASKS];
}
