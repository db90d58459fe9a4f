import { ExecutorError } from './errors';
import { failureOf } from './failure';
import { STATE_LOST, withStateLost } from './hints';
import { queueOf } from './executor-queue';
import { REFUSALS, invalidState } from './lifecycle';
import { passEntries } from './logs';
import { waitsText } from './model-text';
import { taskProgramsOf } from './task-programs';
import { forgetRecorded, pausedRunOf, runWaiting } from './waiting-call';
import type { Executor, LogEntry } from './executor-types';
import type { Plan } from './plan';
import type { Tools } from './tool-types';
import type { CodeFrame } from './failure';
import type { RunFailure } from './run-failure';
import type { EndedProgram, TaskProgram } from './task-programs';
import type { FinishedCall, PausedRun } from './waiting-call';
import type { Answer, WaitingCall } from './waiting-types';

/** Why a program cannot be continued. */
const NOT_WAITING = 'the program is no longer waiting, because an earlier answer continued it; nothing was run';

/** The result of a run: `failure` if it failed, `waiting` if it has not ended, otherwise `output`. */
export interface Report {
  output?: unknown;
  failure?: RunFailure;
  /** the calls that the program waits for, whose answers continue it */
  waiting?: readonly WaitingCall[];
  logs: string;
  logEntries: LogEntry[];
  /** files that the run has left, such as figures of Python */
  artifacts?: unknown;
  /** additional information for the author of the code, if there is no `failure` whose hint contains it */
  note?: string;
}

export interface SessionRunOptions {
  /** the tools that the code can call, of all that sessions have sent */
  tools?: Tools;
  /** whether the code runs as it is, and not as the front end of the session reads it */
  isPlain?: boolean;
  /** whether to discard the state of earlier runs first */
  afresh?: boolean;
  signal?: AbortSignal;
  timeoutMs?: number;
  /** Called if the code is that of a paused run. Without answers, the run goes on waiting. */
  answer?: (run: PausedRun) => Record<string, Answer> | undefined;
  /** Whether the code must be that of a paused run. If there is none, nothing runs. */
  continues?: boolean;
  plan?: Planning | undefined;
  /** Called with the finished calls of a paused run, before it continues. Its replay does not make them again. */
  onEarlier?: (calls: readonly FinishedCall[]) => void | Promise<void>;
  /** What the code is in a task that may run again from its start. If it has ended, it does not run again. */
  task?: TaskProgram | undefined;
  /** Called when the run leaves the queue. */
  begin?: () => void;
}

/** Plans a run. */
export interface Planning {
  /** Called before the program runs: the isolate has not run it yet. */
  begin: (program: ReadProgram | undefined, executor: Executor) => void;
  /** The plan that the run is held to, if any. */
  held: () => Promise<Plan | undefined>;
}

/** A program as a session reads it: what runs of the code, and how facts about it name its positions. */
export interface ReadProgram {
  text: string;
  note: string | undefined;
  /** what plans read of it, and the name of the function that it passes its values to */
  planned: { text: string; front: string | undefined };
  restore: (details: Record<string, unknown> | undefined) => void;
  restorePlan: (plan: Plan) => Plan;
}

/** How a session reads programs. */
export type FrontEnd = (code: string, livesOn: boolean) => Promise<ReadProgram>;

/** What a queued job can do while it has the executor for itself. */
export interface ExclusiveAccess {
  run: (code: string, options?: SessionRunOptions) => Promise<Report>;
  reset: () => Promise<void>;
}

export interface SessionKind {
  livesOn: boolean;
  codeFrame: CodeFrame;
  /** absent: code runs as it is */
  frontEnd?: FrontEnd;
  variables?: Record<string, unknown>;
}

/**
 * An executor for callers that must not fail. Runs wait in a queue with those of other sessions of the executor. A
 * failure is returned as a value. After a run that leaves the executor `DIRTY`, the next run gets a
 * new isolate. Code cannot call tools that another session or an earlier run has sent.
 */
export class Session {
  #executor: Executor;
  #queue;
  #livesOn;
  #codeFrame;
  #frontEnd;
  #variables;
  /** The isolate that has the variables. */
  #variablesIn: number | undefined;
  /** The isolate of earlier runs that reports have mentioned. State in another isolate is lost. */
  #isolate: number | undefined;
  #isClosed = false;

  /**
   * @param kind.livesOn whether there are further runs, which failures have to mention
   * @param kind.frontEnd reads the code of all runs
   * @param kind.variables that each isolate has
   */
  constructor(executor: Executor, { livesOn, codeFrame, frontEnd, variables }: SessionKind) {
    this.#executor = executor;
    this.#queue = queueOf(executor);
    this.#livesOn = livesOn;
    this.#codeFrame = codeFrame;
    this.#frontEnd = frontEnd;
    this.#variables = variables;
  }

  /** @returns rejects only with errors that are not an `ExecutorError`: those of the program around it */
  run(code: string, options: SessionRunOptions = {}): Promise<Report> {
    return this.enqueue((access) => access.run(code, options), options.signal).catch((thrown) =>
      this.#reportOf(thrown, code),
    );
  }

  /** Discards all state of earlier runs, and the journal of a durable session. */
  reset() {
    return this.enqueue((access) => access.reset());
  }

  /**
   * Several calls without one of another session in between.
   *
   * @param signal that ends the wait in the queue
   */
  enqueue<T>(job: (access: ExclusiveAccess) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const access = {
      run: async (code: string, options: SessionRunOptions = {}) =>
        this.#noted(await this.#run(code, options), options),
      reset: () => this.#forget(),
    };
    return this.#queue.add(async () => {
      if (this.#isClosed) throw invalidState(this.#executor.state, 'run', REFUSALS.CLEANED_UP);
      return job(access);
    }, signal);
  }

  /** Ends the session immediately and permanently, including the current run and the waiting runs. */
  async close() {
    this.#isClosed = true;
    await this.#queue.cleanup();
  }

  async #run(
    code: string,
    {
      tools = {},
      isPlain = false,
      afresh = false,
      answer,
      continues = false,
      plan: planning,
      onEarlier,
      task,
      begin,
      ...runOptions
    }: SessionRunOptions,
  ): Promise<Report> {
    const reading = isPlain ? undefined : this.#frontEnd?.(code, this.#livesOn);
    // It is awaited below, unless something else fails first.
    reading?.catch(() => {});
    let program: ReadProgram | undefined;
    let noteFailure: ((report: Report) => Promise<void>) | undefined;
    try {
      begin?.();
      if (afresh) await this.#forget();
      await this.#makeReady();
      this.#isolate ??= this.#queue.isolate;
      await this.#queue.sendTools(tools);
      program = await reading;
      const text = program?.text ?? code;
      const tasks = task && taskProgramsOf(this.#executor);
      const known = task && (await tasks?.find(task, text));
      if (known !== undefined) task?.repeat(known.used);
      if (known?.ended !== undefined) return await repeatedReport(known.ended, program?.note, onEarlier);
      const paused = pausedRunOf(this.#executor);
      if (paused !== undefined && (paused.code !== text || known?.isOtherOpen)) return this.#otherWaits(paused.calls);
      if (paused === undefined && continues) throw invalidState(this.#executor.state, 'answer', NOT_WAITING);
      const answers = paused && answer?.(paused);
      // A run without calls to decide about was interrupted by the end of its process.
      if (paused !== undefined && answers === undefined && paused.calls.length > 0) return waitingReport(paused.calls);
      planning?.begin(program, this.#executor);
      const plan = await planning?.held();
      if (paused !== undefined && onEarlier !== undefined) await onEarlier(await paused.finished());
      const options = plan === undefined ? runOptions : { ...runOptions, plan };
      if (task !== undefined) noteFailure = (report) => tasks?.noteFailure(task, text, report) ?? Promise.resolve();
      let running =
        paused?.answer(answers ?? {}, { ...options, program: task }) ??
        (task && tasks?.run(task, text, options)) ??
        this.#executor.run(text, options);
      // In a task, the framework is asked before the turn of its next program.
      const next = task && answer;
      while (next !== undefined && (await isWaiting(running))) {
        const waiting = pausedRunOf(this.#executor);
        const more = waiting && next(waiting);
        if (waiting === undefined || more === undefined) break;
        running = waiting.answer(more, { ...options, program: task });
      }
      const outcome = await running;
      const { artifacts } = outcome as { artifacts?: unknown };
      const more = {
        ...(program?.note !== undefined && { note: program.note }),
        ...(artifacts !== undefined && { artifacts }),
      };
      return passEntries({ output: outcome.output, logs: outcome.logs, ...more }, outcome);
    } catch (thrown) {
      if (thrown instanceof ExecutorError) program?.restore(thrown.details);
      const report = this.#reportOf(thrown, code);
      // If it cannot be noted, the program runs again with its task.
      if (report.failure !== undefined) await noteFailure?.(report).catch(() => {});
      if (this.#executor.state === 'DIRTY') await this.#queue.discard();
      return report;
    }
  }

  /** @throws errors that are not an `ExecutorError` */
  #reportOf(thrown: unknown, code: string): Report {
    if (!(thrown instanceof ExecutorError)) throw thrown;
    const { calls } = thrown.details ?? {};
    // Only a session with further runs can continue the program.
    if (this.#livesOn && thrown.code === 'ERR_RUN_WAITING' && Array.isArray(calls)) {
      return passEntries({ waiting: calls as WaitingCall[], logs: thrown.logs ?? '' }, thrown);
    }
    const failure = failureOf(thrown, { code, codeFrame: this.#codeFrame });
    const { artifacts } = thrown as { artifacts?: unknown };
    return passEntries({ failure, logs: thrown.logs ?? '', ...(artifacts !== undefined && { artifacts }) }, thrown);
  }

  /** The failure of code that cannot run because another program of the session has not ended. */
  #otherWaits(calls: readonly WaitingCall[]): Report {
    const failure = {
      ...failureOf(runWaiting(calls)),
      hint: `This code has not run. ${waitsText('An earlier program', calls)}`,
    };
    return { failure, logs: '', logEntries: [] };
  }

  /** A run that was aborted drops its report, so the next run reports the lost state. */
  #noted(report: Report, { signal }: SessionRunOptions): Report {
    const { isolate } = this.#queue;
    if (!this.#livesOn || this.#isolate === undefined || this.#isolate === isolate) return report;
    if (signal?.aborted !== true) this.#isolate = isolate;
    const { failure } = report;
    const note = report.note === undefined ? STATE_LOST : `${report.note} ${STATE_LOST}`;
    const told = failure === undefined ? { note } : { failure: { ...failure, hint: withStateLost(failure.hint) } };
    return Object.assign(report, told);
  }

  async #forget() {
    await this.#queue.discard();
    await forgetRecorded(this.#executor);
    this.#isolate = undefined;
  }

  async #makeReady() {
    await this.#queue.makeReady();
    if (pausedRunOf(this.#executor) !== undefined) return;
    const { isolate } = this.#queue;
    if (this.#variables === undefined || this.#variablesIn === isolate) return;
    await this.#executor.sendVariables(this.#variables);
    this.#variablesIn = isolate;
  }
}

function isWaiting(running: Promise<unknown>): Promise<boolean> {
  return running.then(
    () => false,
    (thrown) => thrown instanceof ExecutorError && thrown.code === 'ERR_RUN_WAITING',
  );
}

/** The report of a program that has ended before. */
async function repeatedReport(
  { calls, ...ended }: EndedProgram,
  note: string | undefined,
  onEarlier: SessionRunOptions['onEarlier'],
): Promise<Report> {
  await onEarlier?.(calls);
  return { ...ended, ...(note !== undefined && ended.failure === undefined && { note }), logEntries: [] };
}

function waitingReport(waiting: readonly WaitingCall[]): Report {
  return { waiting, logs: '', logEntries: [] };
}
