import { Console } from 'node:console';
import { Writable } from 'node:stream';

import { safeListener } from '../contract/logs';
import { truncated } from '../contract/truncation';
import { isPrintable, outputText } from '../contract/render';
import type { LogEntry, LogLevel } from '../contract/executor-types';

const MARKER = '...[TRUNCATED]';

/** Levels of the console methods whose name is not their level. */
const LEVEL_OF = {
  log: 'log',
  info: 'info',
  warn: 'warn',
  error: 'error',
  debug: 'debug',
  trace: 'error',
  assert: 'warn',
  table: 'log',
  dir: 'log',
  dirxml: 'log',
} as Record<string, LogLevel>;

const LABELLED = /^(?:count|time)/;

/** The log of a run. The console of Node.js prints the arguments of the page's console calls. */
export class Log {
  entries: LogEntry[] = [];
  #bytes = 0;
  #isCut = false;
  #maxBytes;
  #levels;
  #onEntry;
  /** The output of Node.js during the current call. */
  #printed: { text: string; isWarning: boolean } = { text: '', isWarning: false };
  #console;
  /** Labels of `count` and of `time`. */
  #labels: { counts: Set<string>; timers: Set<string> } = { counts: new Set(), timers: new Set() };

  constructor({
    maxLogBytes,
    collectConsoleLevels,
    onLog,
  }: {
    maxLogBytes: number;
    collectConsoleLevels: readonly string[];
    onLog?: ((entry: LogEntry) => void) | undefined;
  }) {
    this.#maxBytes = maxLogBytes;
    this.#levels = new Set(collectConsoleLevels);
    this.#onEntry = onLog && safeListener(onLog);
    const stream = (isWarning: boolean) =>
      new Writable({
        decodeStrings: false,
        write: (text, _encoding, done) => {
          this.#printed = { text: this.#printed.text + text, isWarning };
          done();
        },
      });
    this.#console = new Console({ stdout: stream(false), stderr: stream(true), colorMode: false });
  }

  get text() {
    return this.entries.map(({ message }) => message).join('\n');
  }

  /** Removes the entries, but keeps the groups, counts and timers of the console. */
  clear() {
    this.entries = [];
    this.#bytes = 0;
    this.#isCut = false;
  }

  call(method: string, args: unknown[]) {
    const ownLevel = LEVEL_OF[method];
    if (this.#isCut || (ownLevel !== undefined && !this.#levels.has(ownLevel))) return;
    if (method === 'trace') return this.#trace(args);
    this.#printed = { text: '', isWarning: false };
    try {
      const bounded = boundedArguments(args);
      // `dir` ignores custom inspectors, and remarks about omitted parts have one.
      if (method === 'dir' && bounded !== args) bounded[1] = Object.assign({}, bounded[1], { customInspect: true });
      const remark = LABELLED.test(method) ? this.#missed(method, bounded[0]) : undefined;
      if (remark !== undefined) return this.add('warn', `Warning: ${remark}`);
      Reflect.apply(Reflect.get(this.#console, method), this.#console, bounded);
    } catch (error) {
      this.#printed.text = `[inspection failed: ${(error as Error).message}]\n`;
    }
    const { text, isWarning } = this.#printed;
    if (text !== '') this.add(ownLevel ?? (isWarning ? 'warn' : 'log'), text.slice(0, -1));
  }

  /** The complaint about a call's label. Node.js would emit it as a process warning. */
  #missed(method: string, first: unknown = 'default') {
    const label = `${first}`;
    const { counts, timers } = this.#labels;
    switch (method) {
      case 'count':
        counts.add(label);
        break;
      case 'countReset':
        return counts.delete(label) ? undefined : `Count for '${label}' does not exist`;
      case 'time':
        if (timers.has(label)) return `Label '${label}' already exists for console.time()`;
        timers.add(label);
        break;
      case 'timeEnd':
        return timers.delete(label) ? undefined : `No such label '${label}' for console.timeEnd()`;
      case 'timeLog':
        return timers.has(label) ? undefined : `No such label '${label}' for console.timeLog()`;
    }
    return undefined;
  }

  add(level: LogLevel, message: string) {
    if (this.#isCut || !this.#levels.has(level)) return;
    const separator = this.entries.length === 0 ? 0 : 1;
    const room = Math.max(0, this.#maxBytes - this.#bytes - separator);
    let text = (message as string & { toWellFormed(): string }).toWellFormed();
    if (this.#bytes + separator + Buffer.byteLength(text) > this.#maxBytes) {
      text = beginning(text, room) + MARKER;
      this.#isCut = true;
    }
    this.#bytes += separator + Buffer.byteLength(text);
    const entry = { level, message: text, ts: new Date().toISOString() };
    this.entries.push(entry);
    this.#onEntry?.(entry);
  }

  /** @param args the last one is the stack of the call in the page */
  #trace(args: unknown[]) {
    const stack = String(args.at(-1));
    const message = args
      .slice(0, -1)
      .map((arg) => outputText(arg))
      .join(' ');
    const from = stack.indexOf('\n    at ');
    this.add('error', (message === '' ? 'Trace' : `Trace: ${message}`) + (from === -1 ? '' : stack.slice(from)));
  }
}

/**
 * Arguments that can be printed quickly. Printers have no bounds, and print a repeated part each time. A small value
 * can therefore have millions of parts, and so can a hundred arguments.
 */
function boundedArguments(args: unknown[]): unknown[] {
  const objects = args.filter(isObject);
  if (isPrintable(objects.length === 1 ? objects[0] : objects)) return args;
  const cut = objects.length === 1 ? [truncated(objects[0])] : (truncated(objects) as unknown[]);
  let next = 0;
  return args.map((arg) => (isObject(arg) ? (next < cut.length ? cut[next++] : '...') : arg));
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** The longest prefix of a string within that many bytes of UTF-8, without a partial character. */
function beginning(text: string, bytes: number) {
  const buffer = Buffer.from(text.slice(0, bytes));
  if (buffer.length <= bytes) return text.slice(0, bytes);
  let end = bytes;
  while (end > 0 && (buffer[end] & 0xc0) === 0x80) end--;
  return buffer.toString('utf8', 0, end);
}
