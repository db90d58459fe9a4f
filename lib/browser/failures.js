// @ts-check
'use strict';

const { describeThrown, errorOf } = require('../contract/errors');
const { outputText } = require('../contract/render');
const { codeFrame } = require('../ses/code-frame');
const { SCRIPT } = require('./tab');

/** Longest text of a guest's error that is reported, in UTF-16 units. */
const MAX_TEXT = 8 << 10;
/** What is above the program in the text that the page compiles. */
const LINES_BEFORE = 1;
const MAX_FRAMES = 100;

const GONE = {
  navigated: 'the code has navigated away from its page',
  closed: 'the code has closed its page',
  crashed: 'the process of the page has ended',
};

/** What the failures of one run are to its caller. */
class Failures {
  #code;
  #run;
  #program;
  #lines;

  /**
   * @param {string} code as it was given
   * @param {number} run
   * @param {import('../../native').NativePageProgram} program
   */
  constructor(code, run, program) {
    this.#code = code;
    this.#run = run;
    this.#program = program;
    this.#lines = program.code.split('\n').length;
    this.stackOf = (/** @type {string} */ stack) => this.#guestStack(stack).text;
  }

  /**
   * What V8 has against the text.
   *
   * @param {{ text: string, line: number, column: number }} refusal
   */
  refused({ text, line, column }) {
    const location = this.#original(line + 1, column);
    const message = text.replace(/^SyntaxError: /, '');
    const diagnostics = [{ rule: 'syntax_valid', severity: 'ERROR', message, ...(location && { location }) }];
    return errorOf('ERR_VALIDATION_FAILED', {}, { diagnostics });
  }

  /**
   * What the program has thrown.
   *
   * @param {any} thrown as it looks
   * @param {{ path: string[], isBridge: boolean } | undefined} called the tool that has failed
   */
  thrown(thrown, called) {
    const isError = thrown instanceof Error;
    const name = isError ? String(thrown.name || 'Error') : null;
    const message = shortened(isError ? String(thrown.message) : outputText(thrown) || String(thrown));
    const cause = name === null || name === 'Error' ? message : message === '' ? name : `${name}: ${message}`;
    const { code } = isError ? describeThrown(thrown) : { code: undefined };
    const at = isError ? placeIn(thrown.stack) : undefined;
    const details = {
      ...(called !== undefined && { tool: called.path.join('.') }),
      ...(called?.isBridge === true && { bridge: true }),
      name,
      message,
      ...(code !== undefined && { code }),
      ...(at !== undefined && { ...at, codeFrame: codeFrame(this.#code, at.line, at.column, cause) }),
      ...(isError && typeof thrown.stack === 'string' && { stack: shortened(thrown.stack) }),
    };
    return errorOf(called === undefined ? 'ERR_RUNTIME_EXCEPTION' : 'ERR_TOOL_PROXY_FAIL', { cause }, details);
  }

  /** @param {'navigated' | 'closed' | 'crashed'} reason */
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
    if (from === -1) return { text: stack };
    const frames = [];
    for (const line of stack.slice(from + 1).split('\n', MAX_FRAMES)) {
      const frame = this.#frame(line);
      if (frame !== undefined) frames.push(frame);
    }
    return { text: [stack.slice(0, from), ...frames].join('\n') };
  }

  /** @param {string} line */
  #frame(line) {
    const found = /^ {4}at (?:(.*) \()?(?:agent:(\d+)):(\d+):(\d+)\)?$/.exec(line);
    if (found === null) return undefined;
    const [, name, run, row, column] = found;
    // Of earlier runs of the session only the number is known.
    if (Number(run) !== this.#run) return name === undefined ? undefined : `    at ${name} (${SCRIPT}:${run})`;
    const at = this.#original(Number(row), Number(column));
    if (at === undefined) return undefined;
    const place = `${SCRIPT}:${run}:${at.line}:${at.column}`;
    return name === undefined || name === '' ? `    at ${place}` : `    at ${name} (${place})`;
  }

  /**
   * @param {number} line from 1, in the text that the page compiles
   * @param {number} column from 1
   */
  #original(line, column) {
    // What calls the program is around it.
    if (line <= LINES_BEFORE || line > LINES_BEFORE + this.#lines) return undefined;
    return this.#program.original(line - LINES_BEFORE, column) ?? undefined;
  }
}

/**
 * The place of the first frame of this run.
 *
 * @param {unknown} stack as `stackOf` gives it
 */
function placeIn(stack) {
  const [, line, column] = /agent:\d+:(\d+):(\d+)\)?(?:\n|$)/.exec(String(stack)) ?? [];
  return line === undefined ? undefined : { line: Number(line), column: Number(column) };
}

/** @param {string} text */
function shortened(text) {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}...` : text;
}

module.exports = { Failures };
