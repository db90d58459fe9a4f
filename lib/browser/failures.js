// @ts-check
'use strict';

const { describeThrown, errorOf } = require('../contract/errors');
const { outputText } = require('../contract/render');
const { codeFrame } = require('../ses/code-frame');
const { loadPreparation, refusal } = require('./page-program');
const { SCRIPT } = require('./tab');

/** Longest text of a guest's error that is reported, in UTF-16 units. */
const MAX_TEXT = 8 << 10;
/** What is above the program in the text that the page compiles. */
const LINES_BEFORE = 1;
const MAX_FRAMES = 100;
/** Whether a text has frames of programs in it. */
const STACK = new RegExp(`^ {4}at .*\\b${SCRIPT}:\\d+:\\d+:\\d+`, 'm');
/** Those of an AggregateError that are told. */
const MAX_ERRORS = 4;
/** Programs of a session whose positions are kept. */
const MAX_PROGRAMS = 256;

const GONE = {
  navigated: 'the code has navigated away from its page',
  closed: 'the code has closed its page',
  crashed: 'the process of the page has ended',
};

/** Programs that a page has run, by the number of the run: what is above a place in a stack may be an earlier one's. */
class Programs {
  /** @type {Map<number, { program: import('../../native').NativePageProgram, lines: number }>} */
  #programs = new Map();
  /** @type {import('../../native').NativePageHistory | undefined} */
  #history;

  /** What they have left on the page. */
  get history() {
    this.#history ??= new (loadPreparation().NativePageHistory)();
    return this.#history;
  }

  /**
   * @param {number} run
   * @param {import('../../native').NativePageProgram} program
   */
  add(run, program) {
    this.#programs.set(run, { program, lines: program.code.split('\n').length });
    const [oldest] = this.#programs.keys();
    if (this.#programs.size > MAX_PROGRAMS) this.#programs.delete(oldest);
  }

  /**
   * The place in the code as it was given, if it is known.
   *
   * @param {number} run
   * @param {number} line from 1, in the text that the page compiles
   * @param {number} column from 1
   */
  original(run, line, column) {
    const found = this.#programs.get(run);
    // What calls the program is around it.
    if (found === undefined || line <= LINES_BEFORE || line > LINES_BEFORE + found.lines) return undefined;
    return found.program.original(line - LINES_BEFORE, column) ?? undefined;
  }

  /**
   * What a message says of a program as it was given.
   *
   * @param {number} run
   * @param {string} message
   */
  written(run, message) {
    return this.#programs.get(run)?.program.written(message) ?? message;
  }
}

/** What the failures of one run are to its caller. */
class Failures {
  /** The code as it was given. */
  code;
  #run;
  #programs;

  /**
   * @param {string} code as it was given
   * @param {number} run
   * @param {Programs} programs those that the page has run, and this one
   */
  constructor(code, run, programs) {
    this.code = code;
    this.#run = run;
    this.#programs = programs;
    this.stackOf = (/** @type {string} */ stack) => this.#guestStack(stack).text;
  }

  /**
   * What V8 has against the text.
   *
   * @param {{ text: string, line: number, column: number }} refusal
   */
  refused({ text, line, column }) {
    const location = this.#programs.original(this.#run, line + 1, column);
    const message = text.replace(/^SyntaxError: /, '');
    const diagnostics = [{ rule: 'syntax_valid', severity: 'ERROR', message, ...(location && { location }) }];
    return refusal(this.code, diagnostics);
  }

  /**
   * What the program has thrown.
   *
   * @param {any} thrown as it looks
   * @param {import('./run').Called | undefined} called the tool that has failed
   */
  thrown(thrown, called) {
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
   * An error in brief.
   *
   * @param {any} thrown as it looks
   */
  header(thrown) {
    return inBrief(this.#described(thrown));
  }

  /**
   * The same, with the line if it is one of the run's.
   *
   * @param {any} thrown
   */
  brief(thrown) {
    const at = thrown instanceof Error ? placeIn(thrown.stack, this.#run) : undefined;
    return at === undefined ? this.header(thrown) : `${this.header(thrown)} (line ${at.line})`;
  }

  /**
   * What an error says of others, its cause or those that it stands for: as crates/engine/src/realm/exceptions.rs has it for isolates.
   *
   * @param {any} error as it looks
   */
  causes(error) {
    if (Object.hasOwn(error, 'cause')) return `Its cause: ${this.brief(error.cause)}`;
    const { errors } = error;
    if (!Array.isArray(errors) || errors.length === 0) return undefined;
    return `Its errors: ${errors
      .slice(0, MAX_ERRORS)
      .map((one) => this.brief(one))
      .join('; ')}`;
  }

  /**
   * @param {any} thrown
   * @param {import('./run').Called['failure']} [failure] of the tool that it stands for
   */
  #described(thrown, failure) {
    if (!(thrown instanceof Error)) {
      const message = typeof thrown === 'string' ? thrown : outputText(thrown) || String(thrown);
      return { name: null, code: null, ...failure, message: shortened(failure?.message ?? message) };
    }
    const own = { ...describeThrown(thrown), name: String(thrown.name || 'Error'), message: String(thrown.message) };
    const { name, message, code } = failure ?? own;
    return { name, message: shortened(this.#programs.written(this.#run, message)), code };
  }

  /** @param {Exclude<import('./tab').Loss, 'full'>} reason */
  gone(reason) {
    if (reason === 'crashed') return errorOf('ERR_BROWSER_CRASHED', { reason: GONE.crashed }, { reason: GONE.crashed });
    return errorOf('ERR_RUNTIME_EXCEPTION', { cause: GONE[reason] }, { name: null, message: GONE[reason], reason });
  }

  /** @param {unknown} error */
  unreadable(error) {
    const { message } = describeThrown(error);
    const cause = `what the page gave cannot be read: ${message}`;
    return errorOf('ERR_RUNTIME_EXCEPTION', { cause }, { name: null, message: cause });
  }

  /**
   * A stack with the frames of guest code only, and their places in the code that was given.
   *
   * @param {string} stack
   */
  #guestStack(stack) {
    const from = stack.search(/\n {4}at /);
    const written = (/** @type {string} */ text) => this.#programs.written(this.#run, text);
    if (from === -1) return { text: written(stack) };
    const frames = [];
    for (const line of stack.slice(from + 1).split('\n', MAX_FRAMES)) {
      const frame = this.#frame(line);
      if (frame !== undefined) frames.push(frame);
    }
    return { text: [written(stack.slice(0, from)), ...frames].join('\n') };
  }

  /**
   * What is printed, with the frames of stacks in it as those of `stackOf`.
   *
   * @param {unknown} value
   */
  printed(value) {
    if (typeof value !== 'string' || !STACK.test(value)) return value;
    let frames = 0;
    const lines = value.split('\n').flatMap((line) => {
      if (!line.startsWith('    at ') || ++frames > MAX_FRAMES) return line;
      return this.#frame(line) ?? [];
    });
    return this.#programs.written(this.#run, lines.join('\n'));
  }

  /** @param {string} line */
  #frame(line) {
    const found = /^ {4}at (?:async |(.*) \()?agent:(\d+):(\d+):(\d+)\)?$/.exec(line);
    if (found === null) return undefined;
    const [, called = '', run, row, column] = found;
    // What programs are compiled by is around them.
    const name = called === 'eval' || called === 'async eval' ? '' : called;
    const at = this.#programs.original(Number(run), Number(row), Number(column));
    if (at === undefined) return undefined;
    const place = `${SCRIPT}:${run}:${at.line}:${at.column}`;
    return name === '' ? `    at ${place}` : `    at ${name} (${place})`;
  }
}

/**
 * @param {number} limitMb
 * @param {Record<string, unknown>} [facts]
 */
function memoryExceeded(limitMb, facts = { limitMb }) {
  return errorOf('ERR_MEMORY_LIMIT_EXCEEDED', { limitMb }, facts);
}

/**
 * The place of the first frame of a run.
 *
 * @param {unknown} stack as `stackOf` gives it
 * @param {number} run
 */
function placeIn(stack, run) {
  const [, line, column] = new RegExp(`${SCRIPT}:${run}:(\\d+):(\\d+)\\)?(?:\\n|$)`).exec(String(stack)) ?? [];
  return line === undefined ? undefined : { line: Number(line), column: Number(column) };
}

/** @param {{ name: string | null, message: string }} error */
function inBrief({ name, message }) {
  if (name === null || name === 'Error') return message;
  return message === '' ? name : `${name}: ${message}`;
}

/** @param {string} text */
function shortened(text) {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text;
}

module.exports = { Failures, Programs, memoryExceeded };
