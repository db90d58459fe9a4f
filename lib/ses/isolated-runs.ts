import { describe } from '../contract/describe';
import { isExecutor, refuseOtherOptions } from '../contract/executor';
import { modelFailure, modelLogLines, modelOutput } from '../contract/model-text';
import { NO_LIMIT } from '../contract/options';
import { Session } from '../contract/session';
import { calledProgram } from './agent-program';
import { refuseWrongOptions } from './check-options';
import { codeFrame } from './code-frame';
import { SESExecutor } from './executor';
import type { Content } from '../contract/content';
import type { Given } from '../contract/options';
import type { Executor, LogEntry } from '../contract/executor-types';
import type { RunFailure } from '../contract/run-failure';
import type { Planning, Report } from '../contract/session';
import type { Tools } from '../contract/tool-types';

/** How one program runs. */
export interface IsolatedRun {
  tools: Tools;
  signal?: AbortSignal | undefined;
  /** The limit of the caller's framework. The lower one of this and the host's holds. */
  timeoutMs?: number | undefined;
  /** The same. An executor of the host keeps its own limit. */
  memoryLimitMb?: number | undefined;
  /** The line of a log entry. */
  lineOf: (entry: LogEntry) => string;
  /** Plans the run. */
  plan?: Planning | undefined;
  /** Receives the content of the output. Without it, content stays part of the output. */
  content?: Content | undefined;
}

/** What a model gets of a program. */
export interface IsolatedResult {
  /** The output if JSON can represent it completely and briefly, otherwise a string. Absent if there is none. */
  value?: unknown;
  failure?: RunFailure;
  logs: string[];
}

/** The highest deadline of a run. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/**
 * Runs the programs of a framework's code mode. Each has its own isolate, so they share nothing and may overlap.
 * On an executor of the host, they run one after the other, and it is cleaned up before and after each.
 */
export class IsolatedRuns {
  #executor: Executor | undefined;
  #options: Given;

  /**
   * Wrong options are rejected here, so that they do not fail each program.
   *
   * @param options `executor`, or options of executors
   * @param others names of the caller's own options, for messages
   * @throws {TypeError | RangeError}
   */
  constructor({ executor, ...options }: Given, others: readonly string[]) {
    this.#executor = executor;
    this.#options = { maxOperations: NO_LIMIT, ...options };
    if (executor === undefined) {
      refuseWrongOptions(options, others);
    } else {
      if (!isExecutor(executor)) throw new TypeError(`options.executor must be an executor, got ${describe(executor)}`);
      refuseOtherOptions(options, others);
    }
  }

  /** @returns rejects for a wrong program or limit, and if the signal is aborted before the program begins */
  async run(code: unknown, { tools, signal, lineOf, plan, content, ...limits }: IsolatedRun): Promise<IsolatedResult> {
    if (typeof code !== 'string') throw new TypeError(`code must be a string, got ${describe(code)}`);
    const timeoutMs = lower(limits.timeoutMs, this.#options.timeoutMs);
    const memoryLimitMb = lower(limits.memoryLimitMb, this.#options.memoryLimitMb);
    const memory = memoryLimitMb !== undefined && { memoryLimitMb };
    const executor = this.#executor ?? new SESExecutor({ ...this.#options, ...memory });
    const session = new Session(executor, { livesOn: false, codeFrame, frontEnd: calledProgram });
    return session.enqueue(async (access) => {
      try {
        await access.reset();
        const options = { tools, plan, ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) };
        return await resultOf(await access.run(code, options), lineOf, content);
      } finally {
        await access.reset().catch(() => {});
      }
    }, signal);
  }
}

/**
 * A deadline of a framework, where 0 means that there is none.
 *
 * @param name for messages
 * @throws {TypeError}
 */
export function deadlineOf(timeout: unknown, name: string): number | undefined {
  if (timeout === 0) return MAX_TIMEOUT_MS;
  return timeout === undefined ? undefined : Math.min(limitOf(timeout, name), MAX_TIMEOUT_MS);
}

/**
 * A limit of a framework as an integer.
 *
 * @throws {TypeError}
 */
export function limitOf(limit: unknown, name: string): number {
  if (typeof limit === 'number' && limit > 0) return Math.ceil(limit);
  throw new TypeError(`${name} must be a positive number, got ${describe(limit)}`);
}

function lower(limit: number | undefined, own: number | undefined): number | undefined {
  return limit === undefined || own === undefined ? (limit ?? own) : Math.min(limit, own);
}

async function resultOf(
  report: Report,
  lineOf: IsolatedRun['lineOf'],
  content: Content | undefined,
): Promise<IsolatedResult> {
  const { failure } = report;
  content?.addArtifacts(report.artifacts);
  const output = content === undefined ? report.output : content.takeFrom(report.output);
  const logs = await modelLogLines(report, lineOf);
  if (failure !== undefined) return { failure: modelFailure(failure), logs };
  return output === undefined ? { logs } : { value: (await modelOutput(output)).value, logs };
}
