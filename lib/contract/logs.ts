// Levels by their numbers in the protocol.
import { LEVELS } from './option-table';
import type { LogEntry, LogLevel } from './executor-types';

/** The positions of entries in the text of a log, one value per entry. */
export interface LogIndex {
  levels: Uint8Array;
  /** milliseconds since the Unix epoch */
  times: Float64Array;
  /** UTF-16 units */
  lengths: Uint32Array;
}

/** The entries of longer logs are created on request: a run may leave a quarter of a million. */
const MAX_EAGER_ENTRIES = 1_000;

/** How to list the entries of outcomes whose entries were not created yet. */
const listings: WeakMap<object, () => Iterable<LogEntry>> = new WeakMap();

/**
 * Adds the property `logEntries` to the outcome of a run.
 *
 * @param logs the messages, joined by line breaks
 */
export function defineEntries<T extends object>(
  outcome: T,
  logs: string,
  index: LogIndex,
  { enumerable }: { enumerable: boolean },
): T {
  if (index.levels.length <= MAX_EAGER_ENTRIES) {
    const value = entriesOf(logs, index);
    return Object.defineProperty(outcome, 'logEntries', { value, writable: true, enumerable, configurable: true });
  }
  listings.set(outcome, () => eachEntry(logs, index));
  return withEntries(outcome, () => entriesOf(logs, index), enumerable);
}

/** The entries of an outcome. Created one by one if creating all of them would take long. */
export function iterateEntries(outcome: { logEntries?: LogEntry[] }): Iterable<LogEntry> {
  return listings.get(outcome)?.() ?? outcome.logEntries ?? [];
}

/** Adds the property `logEntries` of an outcome to a report about it, without creating the entries. */
export function passEntries<T extends object>(report: T, outcome: { logEntries?: LogEntry[] }) {
  listings.set(report, () => iterateEntries(outcome));
  return withEntries(report, () => outcome.logEntries ?? []);
}

/**
 * Adds the property `logEntries`.
 *
 * @param make called when the property is read
 */
export function withEntries<T extends object>(report: T, make: () => LogEntry[], enumerable: boolean = true) {
  let entries: LogEntry[] | undefined;
  const get = () => (entries ??= make());
  const descriptor = { get, enumerable, configurable: true };
  return Object.defineProperty(report, 'logEntries', descriptor) as T & { logEntries: LogEntry[] };
}

function entriesOf(logs: string, index: LogIndex): LogEntry[] {
  return Array.from(eachEntry(logs, index));
}

export function* eachEntry(logs: string, { levels, times, lengths }: LogIndex): Generator<LogEntry, undefined> {
  let from = 0;
  let time = NaN;
  let ts = '';
  for (let i = 0; i < levels.length; i++) {
    const message = logs.slice(from, from + lengths[i]);
    from += lengths[i] + 1;
    // Most entries have the time of the entry before them, and formatting a time takes longer than everything else
    // here.
    if (times[i] !== time) {
      time = times[i];
      ts = new Date(time).toISOString();
    }
    yield { level: LEVELS[levels[i]] as LogLevel, message, ts };
  }
}

/** Another line in the log of a run, for the author of the code. */
export function noteEntry(note: string): LogEntry {
  return { level: 'warn', message: note, ts: new Date().toISOString() };
}

/** The log of a run with another line. Does not create the entries of the log. */
export function withNote<T extends { logs: string; logEntries: LogEntry[] }>(log: T, note: string | undefined): T {
  if (note === undefined) return log;
  const entry = noteEntry(note);
  const noted: T = Object.defineProperties({} as T, Object.getOwnPropertyDescriptors(log));
  noted.logs = log.logs === '' ? note : `${log.logs}\n${note}`;
  const get = () => [...log.logEntries, entry];
  listings.set(noted, function* () {
    yield* iterateEntries(log);
    yield entry;
  });
  return Object.defineProperty(noted, 'logEntries', { get, enumerable: true, configurable: true });
}

/**
 * Wraps a listener so that it cannot break anything. An exception or rejection becomes one warning of the process.
 *
 * @param option the option that the listener belongs to
 */
export function safeListener<T>(listener: (told: T) => unknown, option: 'onLog' | 'onReport' = 'onLog') {
  let hasWarned = false;
  const warn = (error: unknown) => {
    if (hasWarned) return;
    hasWarned = true;
    process.emitWarning(`options.${option} failed; further failures are not reported: ${text(error)}`, {
      type: 'SESExecutorWarning',
      code: option === 'onLog' ? 'SES_EXECUTOR_ON_LOG' : 'SES_EXECUTOR_ON_REPORT',
    });
  };
  return (told: T) => {
    try {
      const result = listener(told);
      if (typeof result === 'object' && result !== null) {
        new Promise((resolve) => resolve(result)).catch(warn);
      }
    } catch (error) {
      warn(error);
    }
  };
}

function text(error: unknown) {
  try {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  } catch {
    return 'an error that cannot be printed';
  }
}
