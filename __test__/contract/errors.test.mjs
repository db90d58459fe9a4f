// The table of errors, and what follows from it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRequire } from 'node:module';

import { describe, expect, test } from 'vitest';

import { ROOT, runChild } from '../helpers.mjs';

// As the modules load each other: each is loaded once.
const require = createRequire(import.meta.url);
const { ERRORS } = require('../../build/contract/error-table.js');
const {
  ExecutorError,
  abortedBeforeStart,
  describeThrown,
  reasonText,
  transferLimitExceeded,
} = require('../../build/contract/errors.js');
const { failureOf, losesState } = require('../../build/contract/failure.js');
const { GENERAL_HINTS, STATE_LOST, withStateLost } = require('../../build/contract/hints.js');
const { failureText } = require('../../build/contract/failure-text.js');

test.each(ERRORS.map(({ code }) => code))('%s has an entry in the documentation', (code) => {
  expect(readFileSync(join(ROOT, 'docs', 'reference', 'errors.md'), 'utf8')).toContain(`\n## ${code}\n`);
});

test('codes are unique, and each template has exactly the listed parameters', () => {
  const codes = ERRORS.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  for (const { message, params } of ERRORS) {
    expect([...message.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toStrictEqual(Object.keys(params));
  }
});

test('errors of the facade match the table', () => {
  expect(transferLimitExceeded(1024, 'variables').toJSON()).toStrictEqual({
    code: 'ERR_TRANSFER_LIMIT_EXCEEDED',
    severity: 'ERROR',
    message: 'Transfer limit exceeded (1024 bytes)',
    retryable: true,
    details: { maxTransferBytes: 1024, value: 'variables' },
    logs: undefined,
  });
  expect(abortedBeforeStart(undefined, 50).toJSON()).toStrictEqual({
    code: 'ERR_EXEC_TIMEOUT',
    severity: 'ERROR',
    message: 'Execution timed out after 50ms',
    retryable: true,
    details: { timeoutMs: 50, aborted: true, reason: 'aborted' },
    logs: undefined,
  });
});

describe('the loss of state of earlier runs', () => {
  test.each([
    ['is caused by a deadline', { code: 'ERR_EXEC_TIMEOUT', details: {}, stats: {} }, true],
    ['is caused by an abort', { code: 'ERR_EXEC_TIMEOUT', details: { aborted: true }, stats: {} }, true],
    ['is not caused by an abort before the run', abortedBeforeStart('no', 50), false],
    ['is caused by a parked isolate', { code: 'ERR_MEMORY_LIMIT_EXCEEDED', details: { parked: true } }, true],
    ['is not caused by the memory limit', { code: 'ERR_MEMORY_LIMIT_EXCEEDED', details: {} }, false],
    ['is not caused by an exception', { code: 'ERR_RUNTIME_EXCEPTION', details: {} }, false],
    ['is not caused by other errors', new Error('other'), false],
    ['is not caused by success', undefined, false],
  ])('%s', (_, error, expected) => expect(losesState(error)).toBe(expected));
});

test.each([
  ['on the first line', { line: 1, column: 2 }, { line: 1, column: 2, codeFrame: '1:2' }],
  ['on another line', { line: 2, column: 1 }, { line: 2, column: 1, codeFrame: '2:1' }],
  ['not before it', { line: 1, column: 0 }, {}],
  ['not in code that ran after it', { line: 3, column: 1 }, {}],
])('a failure has a place only inside the code that is shown: %s', (_, details, place) => {
  const error = { code: 'ERR_RUNTIME_EXCEPTION', message: 'm', retryable: false, details };
  const codeFrame = (code, line, column) => `${line}:${column}`;
  expect(failureOf(error, { code: 'first\nlast', codeFrame })).toStrictEqual({
    code: 'ERR_RUNTIME_EXCEPTION',
    message: 'm',
    ...place,
    hint: expect.any(String),
    retryable: false,
  });
});

describe('the hint of a failure', () => {
  const failureOfDetails = (code, details, more = {}) =>
    failureOf({ code, message: 'm', retryable: false, details, ...more });
  const ERROR_FINDING = { rule: 'r', severity: 'ERROR', message: 'wrong', fix: 'Correct it' };

  test.each([
    ['of an aborted run names the abort, whatever else is known', 'ERR_EXEC_TIMEOUT', { aborted: true, reason: 'cpu', maxCpuMs: 5, hint: 'x' }, 'The caller has ended this run; the code is not to blame.'],
    ['of variables that are too large addresses the program around the code', 'ERR_TRANSFER_LIMIT_EXCEEDED', { value: 'variables', maxTransferBytes: 5 }, 'The variables that the program around the code sends take more than `maxTransferBytes`: it must send less, or have a larger limit. The code is not to blame.'],
    ['of an output that is too large addresses the code', 'ERR_TRANSFER_LIMIT_EXCEEDED', { value: 'output', maxTransferBytes: 5 }, 'Return less: a part, a count or a summary.'],
    ['of a finding is its fix', 'ERR_VALIDATION_FAILED', { hint: 'x', diagnostics: [ERROR_FINDING] }, 'Correct it'],
    ['of a warning is not its fix', 'ERR_VALIDATION_FAILED', { diagnostics: [{ ...ERROR_FINDING, severity: 'WARN' }] }, 'None of the code has run. Correct it and send all of it again.'],
    ['in the details takes precedence over the hint of the code', 'ERR_RUNTIME_EXCEPTION', { hint: 'Did you mean `x`?' }, 'Did you mean `x`?'],
    ['of an error without its own hint says that the code is not to blame', 'ERR_SES_INIT_FAILED', {}, 'The code is not to blame. Running it again does not help unless the program around it changes.'],
  ])('%s', (_, code, details, hint) => {
    expect(failureOfDetails(code, details).hint).toBe(hint);
  }); // prettier-ignore

  test('of another language takes precedence over that of the table', () => {
    const hints = { ERR_RUNTIME_EXCEPTION: 'in Python' };
    expect(failureOfDetails('ERR_RUNTIME_EXCEPTION', {}, { [GENERAL_HINTS]: hints }).hint).toBe('in Python');
    expect(failureOfDetails('ERR_EXEC_TIMEOUT', {}, { [GENERAL_HINTS]: hints }).hint).toBe(
      'Do less in one run, and await only promises that settle.',
    );
  });

  test('that ends a sentence gets no second full stop before the loss of state is reported', () => {
    const hints = ['Do it', 'Do it.', 'Do it?'].map((hint) => withStateLost(hint));
    expect(hints).toStrictEqual(['Do it.', 'Do it.', 'Do it?'].map((hint) => `${hint} ${STATE_LOST}`));
  });
});

describe('a failure', () => {
  const finding = (severity, message) => ({ rule: 'r', severity, message, location: { line: 2, column: 3 } });
  const all = [finding('INFO', 'i'), finding('WARN', 'w'), finding('ERROR', 'e')];

  test('has the findings of validation except informational ones, and the place of the first error', () => {
    const details = { diagnostics: all };
    expect(
      failureOf({ code: 'ERR_VALIDATION_FAILED', message: 'Code validation failed', retryable: true, details }),
    ).toStrictEqual({
      code: 'ERR_VALIDATION_FAILED',
      message: 'Code validation failed: e',
      line: 2,
      column: 3,
      diagnostics: all.slice(1),
      hint: 'None of the code has run. Correct it and send all of it again.',
      retryable: true,
    });
  });

  test('has neither findings nor a tool if there are none', () => {
    const error = { code: 'ERR_RUNTIME_EXCEPTION', message: 'm', retryable: false, details: { diagnostics: [all[0]] } };
    expect(Object.keys(failureOf(error))).toStrictEqual(['code', 'message', 'hint', 'retryable']);
    expect(failureOf({ ...error, details: { tool: 'search' } }).tool).toBe('search');
  });

  test('has a message without the logs that follow its cause', () => {
    const error = { code: 'ERR_RUNTIME_EXCEPTION', message: 'm\nlogs', retryable: false, details: { cause: 'm' } };
    expect(failureOf(error).message).toBe('m');
  });

  test('formatted as text reports a finding once', () => {
    const failure = {
      code: 'C',
      message: 'Code validation failed: e',
      hint: 'h',
      diagnostics: all.slice(1),
      line: 2,
      column: 3,
    };
    expect(failureText(failure)).toBe('C: Code validation failed: e (line 2, column 3)\nNote: line 2: w\nHint: h');
    const fixed = { ...failure, diagnostics: [{ severity: 'WARN', message: 'w', fix: 'Do it' }], codeFrame: '1 | x\n' };
    expect(failureText(fixed)).toBe('C: Code validation failed: e (line 2, column 3)\n1 | x\nNote: w (Do it)\nHint: h');
  });
});

describe('a thrown value', () => {
  test.each([
    [undefined, { name: 'Error', message: 'undefined' }],
    [null, { name: 'Error', message: 'null' }],
    [new TypeError('m'), { name: 'TypeError', message: 'm' }],
    [Object.assign(new Error('m'), { code: 'E', name: '' }), { name: 'Error', message: 'm', code: 'E' }],
    [Object.assign(new Error('m'), { code: {} }), { name: 'Error', message: 'm' }],
    [
      { message: 5, name: 5 },
      { name: 'Error', message: '5' },
    ],
    [{ a: 1 }, { name: 'Error', message: '{"a":1}' }],
    [() => {}, { name: 'Error', message: 'a function' }],
  ])('case %# is described by name, message and code', (thrown, expected) => {
    expect(describeThrown(thrown)).toStrictEqual(expected);
  });

  test('is cut at 32,768 units: name, message and code', () => {
    const long = 'x'.repeat(32_769);
    const cut = `${long.slice(1)}...`;
    const error = Object.assign(new Error(long), { name: long, code: long });
    expect(describeThrown(error)).toStrictEqual({ name: cut, message: cut, code: cut });
    expect(describeThrown(long.slice(1)).message).toBe(long.slice(1));
  });

  test.each([
    [undefined, 'aborted'],
    [null, 'null'],
    [0, '0'],
    ['', 'aborted'],
    [new Error(''), 'aborted'],
    [new Error('why'), 'why'],
  ])('as the reason %o of a signal becomes the text %s', (reason, text) => expect(reasonText(reason)).toBe(text));
});

describe('an ExecutorError', () => {
  const FIELDS = { code: 'C', severity: 'ERROR', retryable: true };

  test('has logs only if there are some, and a cause only if it has one', () => {
    const plain = new ExecutorError('m', FIELDS);
    expect(Object.keys(plain)).toStrictEqual(['code', 'severity', 'retryable', 'details']);
    expect('cause' in plain).toBe(false);
    const stats = { durationMs: 1 };
    const error = new ExecutorError('m', {
      ...FIELDS,
      details: { a: 1 },
      logs: '',
      logEntries: [],
      stats,
      cause: undefined,
    });
    expect(Object.keys(error)).toStrictEqual(['code', 'severity', 'retryable', 'details', 'logs']);
    expect(['cause' in error, error.stats, error.logEntries, error.name]).toStrictEqual([
      true,
      stats,
      [],
      'ExecutorError',
    ]);
  });

  test('does not keep the receivers of the functions in its stack alive', async () => {
    const script = `
      import { ExecutorError } from './index.mjs';
      import { setFlagsFromString } from 'node:v8';
      import { runInNewContext } from 'node:vm';
      setFlagsFromString('--expose-gc');
      const gc = runInNewContext('gc');
      class Holder { make() { return new ExecutorError('m', { code: 'C', severity: 'ERROR', retryable: true }); } }
      const make = () => { const holder = new Holder(); return [holder.make(), new WeakRef(holder)]; };
      const [error, held] = make();
      await new Promise((resolve) => setImmediate(resolve));
      gc();
      console.log(held.deref() === undefined, error.message);`;
    expect((await runChild(script)).stdout).toBe('true m\n');
  });
});

describe('the explanation of a run that took too long says', () => {
  const TIMEOUT = { code: 'ERR_EXEC_TIMEOUT', severity: 'ERROR', retryable: true };
  const explain = (details) => new ExecutorError('Execution timed out after 50ms', { ...TIMEOUT, details }).explanation;

  test.each([
    [
      'that the deadline has passed',
      { timeoutMs: 50, reason: 'deadline' },
      'Execution timed out after 50ms\nHint: Do less in one run, and await only promises that settle.',
    ],
    [
      'that the processor time is used up',
      { timeoutMs: 50, maxCpuMs: 10, reason: 'cpu' },
      'Execution used up its 10ms of processor time\nHint: Compute less in one run. Time in which it waits does not count.',
    ],
    [
      'the reason of the signal',
      { timeoutMs: 50, aborted: true, reason: 'cpu' },
      'Execution aborted: cpu\nHint: The caller has ended this run; the code is not to blame.',
    ],
  ])('%s', (_, details, expected) => {
    const lost = 'Variables and functions of earlier runs are gone: define again what is still needed.';
    const text = explain(details);
    expect(text.replace(` ${lost}`, '')).toBe(`ERR_EXEC_TIMEOUT: ${expected}`);
  });

  // A fix ends without a full stop: it ran into the sentence about what is lost.
  test('what is lost, in a separate sentence after a fix', () => {
    const finding = {
      rule: 'code_non_empty',
      severity: 'ERROR',
      message: 'the program is empty',
      fix: 'Pass a statement',
    };
    const error = new ExecutorError('Code validation failed', {
      code: 'ERR_VALIDATION_FAILED',
      severity: 'ERROR',
      retryable: true,
      details: { recovered: true, diagnostics: [finding] },
    });
    expect(error.explanation.split('\n').at(-1)).toBe(
      'Hint: Pass a statement. Variables and functions of earlier runs are gone: define again what is still needed.',
    );
  });
});
