import { describeThrown, errorOf } from '../contract/errors';
import { outputText } from '../contract/render';
import { codeFrame } from '../ses/code-frame';
import { loadPreparation, refusal } from './page-program';
import { SCRIPT } from './tab';
import type { Diagnostic } from '../contract/diagnostic';
import type { Foreign } from '../contract/foreign';
import type { NativePageProgram } from '../../native';
import type { Called } from './run';
import type { Loss } from './tab';

/** Maximum length of a guest's error message in a report, in UTF-16 units. */
const MAX_TEXT = 8 << 10;
/** Lines above the program in the source that the page compiles. */
const LINES_BEFORE = 1;
const MAX_FRAMES = 100;
/** Matches a string that contains stack frames of programs. */
const STACK = new RegExp(`^ {4}at .*\\b${SCRIPT}:\\d+:\\d+:\\d+`, 'm');
/** Maximum number of reported errors of an AggregateError. */
const MAX_ERRORS = 4;
/** Maximum number of a session's programs whose positions are kept. */
const MAX_PROGRAMS = 256;

const GONE = {
  navigated: 'the code has navigated away from its page',
  closed: 'the code has closed its page',
  crashed: 'the process of the page has ended',
};

/** The programs that a page has run, by run number. A stack may contain frames of earlier programs. */
export class Programs {
  #programs: Map<number, { program: NativePageProgram; lines: number }> = new Map();
  #history: import('../../native').NativePageHistory | undefined;

  /** The declarations that they have left on the page. */
  get history() {
    this.#history ??= new (loadPreparation().NativePageHistory)();
    return this.#history;
  }

  add(run: number, program: NativePageProgram) {
    this.#programs.set(run, { program, lines: program.code.split('\n').length });
    const [oldest] = this.#programs.keys();
    if (this.#programs.size > MAX_PROGRAMS) this.#programs.delete(oldest);
  }

  /**
   * The position in the original code, if it is known.
   * @param line from 1, in the source that the page compiles
   * @param column from 1
   */
  original(run: number, line: number, column: number) {
    const found = this.#programs.get(run);
    // The position is in the wrapper that calls the program.
    if (found === undefined || line <= LINES_BEFORE || line > LINES_BEFORE + found.lines) return undefined;
    return found.program.original(line - LINES_BEFORE, column) ?? undefined;
  }

  /** A message in terms of the original code. */
  written(run: number, message: string) {
    return this.#programs.get(run)?.program.written(message) ?? message;
  }
}

/** Converts the failures of one run for its caller. */
export class Failures {
  stackOf;

  /** The original code. */
  code;
  #run;
  #programs;

  /**
   * @param code the original code
   * @param programs the programs that the page has run, including this one
   */
  constructor(code: string, run: number, programs: Programs) {
    this.code = code;
    this.#run = run;
    this.#programs = programs;
    this.stackOf = (stack: string) => this.#guestStack(stack).text;
  }

  /** V8's syntax error for the source. */
  refused({ text, line, column }: { text: string; line: number; column: number }) {
    const location = this.#programs.original(this.#run, line + 1, column);
    const message = text.replace(/^SyntaxError: /, '');
    const finding: Diagnostic = { rule: 'syntax_valid', severity: 'ERROR', message, ...(location && { location }) };
    return refusal(this.code, [finding]);
  }

  /**
   * The error that the program has thrown.
   * @param thrown serialized for display
   * @param called the tool that failed
   */
  thrown(thrown: Foreign, called: Called | undefined) {
    const isError = thrown instanceof Error;
    const described = this.#described(thrown, called?.failure);
    const { name, message, code } = described;
    const cause = inBrief(described);
    const at = isError ? placeIn(thrown.stack, this.#run) : undefined;
    const details = {
      ...(called !== undefined && { tool: called.path.join('.') }),
      ...(called?.isBridge === true && { bridge: true }),
      name,
      message,
      ...(code !== undefined && code !== null && { code }),
      ...(at !== undefined && { ...at, codeFrame: codeFrame(this.code, at.line, at.column, cause) }),
      ...(isError && typeof thrown.stack === 'string' && { stack: shortened(thrown.stack) }),
    };
    return errorOf(called === undefined ? 'ERR_RUNTIME_EXCEPTION' : 'ERR_TOOL_PROXY_FAIL', { cause }, details);
  }

  /**
   * An error's name and message.
   * @param thrown serialized for display
   */
  header(thrown: Foreign) {
    return inBrief(this.#described(thrown));
  }

  /** The same, with the line if it is a line of this run. */
  brief(thrown: Foreign) {
    const at = thrown instanceof Error ? placeIn(thrown.stack, this.#run) : undefined;
    return at === undefined ? this.header(thrown) : `${this.header(thrown)} (line ${at.line})`;
  }

  /**
   * The lines for an error's cause and for the errors of an AggregateError, in the format of
   * crates/engine/src/errors/exceptions.rs.
   * @param error serialized for display
   */
  causes(error: Foreign) {
    if (Object.hasOwn(error, 'cause')) return `Its cause: ${this.brief(error.cause)}`;
    const { errors } = error;
    if (!Array.isArray(errors) || errors.length === 0) return undefined;
    return `Its errors: ${errors
      .slice(0, MAX_ERRORS)
      .map((one) => this.brief(one))
      .join('; ')}`;
  }

  /** @param failure of the tool that the error represents */
  #described(thrown: Foreign, failure?: Called['failure']) {
    if (!(thrown instanceof Error)) {
      const message = typeof thrown === 'string' ? thrown : outputText(thrown) || String(thrown);
      return { name: null, code: null, ...failure, message: shortened(failure?.message ?? message) };
    }
    const own = { ...describeThrown(thrown), name: String(thrown.name || 'Error'), message: String(thrown.message) };
    const { name, message, code } = failure ?? own;
    return { name, message: shortened(this.#programs.written(this.#run, message)), code };
  }

  gone(reason: Exclude<Loss, 'full'>) {
    if (reason === 'crashed') return errorOf('ERR_BROWSER_CRASHED', { reason: GONE.crashed }, { reason: GONE.crashed });
    return errorOf('ERR_RUNTIME_EXCEPTION', { cause: GONE[reason] }, { name: null, message: GONE[reason], reason });
  }

  unreadable(error: unknown) {
    const { message } = describeThrown(error);
    const cause = `the value of the page cannot be read: ${message}`;
    return errorOf('ERR_RUNTIME_EXCEPTION', { cause }, { name: null, message: cause });
  }

  /** A stack reduced to frames of guest code, with positions in the original code. */
  #guestStack(stack: string) {
    const from = stack.search(/\n {4}at /);
    const written = (text: string) => this.#programs.written(this.#run, text);
    if (from === -1) return { text: written(stack) };
    const frames = [];
    for (const line of stack.slice(from + 1).split('\n', MAX_FRAMES)) {
      const frame = this.#frame(line);
      if (frame !== undefined) frames.push(frame);
    }
    return { text: [written(stack.slice(0, from)), ...frames].join('\n') };
  }

  /** A value for printing, with its stack frames converted as by `stackOf`. */
  printed(value: unknown) {
    if (typeof value !== 'string' || !STACK.test(value)) return value;
    let frames = 0;
    const lines = value.split('\n').flatMap((line) => {
      if (!line.startsWith('    at ') || ++frames > MAX_FRAMES) return line;
      return this.#frame(line) ?? [];
    });
    return this.#programs.written(this.#run, lines.join('\n'));
  }

  #frame(line: string) {
    const found = /^ {4}at (?:async |(.*) \()?agent:(\d+):(\d+):(\d+)\)?$/.exec(line);
    if (found === null) return undefined;
    const [, called = '', run, row, column] = found;
    // This `eval` is the page's own call, which compiles the program.
    const name = called === 'eval' || called === 'async eval' ? '' : called;
    const at = this.#programs.original(Number(run), Number(row), Number(column));
    if (at === undefined) return undefined;
    const place = `${SCRIPT}:${run}:${at.line}:${at.column}`;
    return name === '' ? `    at ${place}` : `    at ${name} (${place})`;
  }
}

export function memoryExceeded(limitMb: number, facts: Record<string, unknown> = { limitMb }) {
  return errorOf('ERR_MEMORY_LIMIT_EXCEEDED', { limitMb }, facts);
}

/**
 * The position of a run's first frame.
 * @param stack as `stackOf` returns it
 */
function placeIn(stack: unknown, run: number) {
  const [, line, column] = new RegExp(`${SCRIPT}:${run}:(\\d+):(\\d+)\\)?(?:\\n|$)`).exec(String(stack)) ?? [];
  return line === undefined ? undefined : { line: Number(line), column: Number(column) };
}

function inBrief({ name, message }: { name: string | null; message: string }) {
  if (name === null || name === 'Error') return message;
  return message === '' ? name : `${name}: ${message}`;
}

function shortened(text: string) {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text;
}
