import { performance } from '../contract/clock';
import { Content } from '../contract/content';
import { withEntries } from '../contract/logs';
import type { ContentBlock } from '../contract/content';
import type { LogEntry, RunStats } from '../contract/executor-types';
import type { SandboxError } from './errors';

/** The report of one execution. */
export interface ExecutionReport {
  kind: 'search' | 'execute' | 'mutate';
  /** Missing if the program was not parsed: the execution was refused or ended before that. */
  style?: 'sync' | 'async';
  ok: boolean;
  logs: string;
  logEntries: LogEntry[];
  /** What the program has shown with `display`: images, audio, files and texts. Absent if it has shown nothing. */
  content?: readonly ContentBlock[];
  /** Number of SDK calls by source. */
  sdkCalls: Record<string, number>;
  /** Milliseconds: waiting for a slot, preparing program and isolate, running, and in total. */
  times: { queuedMs: number; preparingMs: number; runMs: number; totalMs: number };
  operations?: number;
  heapUsedBytes?: number;
  /** `line` and `column` are positions in the code that was passed. */
  failure?: { code: string; message: string; line?: number; column?: number };
}

/** The parts of an output or an error that a report uses. */
type Ran = { logs?: string; logEntries?: LogEntry[]; stats?: RunStats };

/**
 * Collects the report of one execution.
 *
 * @internal
 */
export class Report {
  kind: ExecutionReport['kind'];
  /** What the program shows. */
  readonly content: Content = new Content();

  #asked = performance.now();
  #began = 0;
  #prepared = 0;
  #run: Ran = {};
  #stats: RunStats | undefined;
  /** Undefined until the program has been parsed. */
  style: 'sync' | 'async' | undefined;
  sdkCalls: Record<string, number> = {};

  constructor(kind: ExecutionReport['kind']) {
    this.kind = kind;
  }

  began() {
    this.#began = performance.now();
  }

  prepared() {
    this.#prepared = performance.now();
  }

  /** @param run the log of an output, or an error with its own */
  take(run: Ran, stats: RunStats | undefined = run.stats) {
    this.#run = run;
    this.#stats = stats;
  }

  /** @param error undefined if the execution has succeeded */
  finish(error: unknown): ExecutionReport {
    const now = performance.now();
    const run = this.#run;
    const stats = this.#stats;
    const began = this.#began === 0 ? now : this.#began;
    const facts = {
      kind: this.kind,
      ...(this.style !== undefined && { style: this.style }),
      ok: error === undefined,
      logs: run.logs ?? '',
      // Defined below; its place is after the logs.
      logEntries: [],
      ...(this.content.blocks.length > 0 && { content: this.content.blocks }),
      sdkCalls: this.sdkCalls,
      times: {
        queuedMs: began - this.#asked,
        preparingMs: this.#prepared === 0 ? 0 : this.#prepared - began,
        runMs: stats?.durationMs ?? 0,
        totalMs: now - this.#asked,
      },
      ...(stats !== undefined && { operations: stats.operations, heapUsedBytes: stats.heapUsedBytes }),
      ...(error !== undefined && { failure: factsOf(error) }),
    };
    const report = withEntries(facts, () => run.logEntries ?? []);
    contents.set(report, this.content);
    return report;
  }
}

const contents: WeakMap<ExecutionReport, Content> = new WeakMap();

/**
 * What the program of a report has shown, for outputs with further content.
 *
 * @internal
 */
export function contentOf(report: ExecutionReport | undefined): Content {
  return (report && contents.get(report)) ?? new Content();
}

function factsOf(error: unknown) {
  const { code = '', message = '', details } = error as Partial<SandboxError>;
  const { line, column } = details ?? {};
  return { code, message, ...(line !== undefined && { line, column }) };
}
