// The table of errors, and what follows from it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { ERRORS } from '../../lib/contract/error-table.js';
import { ExecutorError, abortedBeforeStart, transferLimitExceeded } from '../../lib/contract/errors.js';
import { failureOf, losesState } from '../../lib/contract/failure.js';
import { ROOT } from '../helpers.mjs';

test.each(ERRORS.map(({ code }) => code))('%s has its entry in the documentation', (code) => {
  expect(readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8')).toContain(`\n## ${code}\n`);
});

test('each code is there once, and a template needs what its parameters are', () => {
  const codes = ERRORS.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  for (const { message, params } of ERRORS) {
    expect([...message.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(Object.keys(params));
  }
});

test('errors of the facade are as the table says', () => {
  expect(transferLimitExceeded(1024, 'variables').toJSON()).toEqual({
    code: 'ERR_TRANSFER_LIMIT_EXCEEDED',
    severity: 'ERROR',
    message: 'Transfer limit exceeded (1024 bytes)',
    retryable: true,
    details: { maxTransferBytes: 1024, value: 'variables' },
    logs: undefined,
  });
  expect(abortedBeforeStart(undefined, 50).toJSON()).toEqual({
    code: 'ERR_EXEC_TIMEOUT',
    severity: 'ERROR',
    message: 'Execution timed out after 50ms',
    retryable: true,
    details: { timeoutMs: 50, aborted: true, reason: 'aborted' },
    logs: undefined,
  });
});

describe('what earlier runs have defined is lost', () => {
  test.each([
    ['by a deadline', { code: 'ERR_EXEC_TIMEOUT', details: {}, stats: {} }, true],
    ['by an abort', { code: 'ERR_EXEC_TIMEOUT', details: { aborted: true }, stats: {} }, true],
    ['not by an abort before the run', abortedBeforeStart('no', 50), false],
    ['by an isolate that is parked', { code: 'ERR_MEMORY_LIMIT_EXCEEDED', details: { parked: true } }, true],
    ['not by the memory limit', { code: 'ERR_MEMORY_LIMIT_EXCEEDED', details: {} }, false],
    ['not by an exception', { code: 'ERR_RUNTIME_EXCEPTION', details: {} }, false],
    ['not by other errors', new Error('other'), false],
    ['not by nothing', undefined, false],
  ])('%s', (_, error, expected) => expect(losesState(error)).toBe(expected));
});

test.each([
  ['on the first line behind what ran before it', { line: 1, column: 11 }, { line: 1, column: 1, codeFrame: '1:1' }],
  ['on another line', { line: 2, column: 1 }, { line: 2, column: 1, codeFrame: '2:1' }],
  ['not in what ran before it', { line: 1, column: 10 }, {}],
  ['not in what ran behind it', { line: 3, column: 1 }, {}],
])('the place of a failure is that in the code that is shown: %s', (_, details, place) => {
  const error = { code: 'ERR_RUNTIME_EXCEPTION', message: 'm', retryable: false, details };
  const codeFrame = (code, line, column) => `${line}:${column}`;
  expect(failureOf(error, { code: 'first\nlast', codeFrame, before: 10 })).toEqual({
    code: 'ERR_RUNTIME_EXCEPTION',
    message: 'm',
    ...place,
    hint: expect.any(String),
    retryable: false,
  });
});

describe('a run that took too long is told', () => {
  const TIMEOUT = { code: 'ERR_EXEC_TIMEOUT', severity: 'ERROR', retryable: true };
  const explain = (details) => new ExecutorError('Execution timed out after 50ms', { ...TIMEOUT, details }).explanation;

  test.each([
    [
      'that the deadline passed',
      { timeoutMs: 50, reason: 'deadline' },
      'Execution timed out after 50ms\nHint: Do less in one run, and await only promises that settle.',
    ],
    [
      'that its processor time is used up',
      { timeoutMs: 50, maxCpuMs: 10, reason: 'cpu' },
      'Execution used up its 10ms of processor time\nHint: Compute less in one run. Time in which it waits does not count.',
    ],
    [
      'what its signal says',
      { timeoutMs: 50, aborted: true, reason: 'cpu' },
      'Execution aborted: cpu\nHint: The caller has ended this run; the code is not to blame.',
    ],
  ])('%s', (_, details, expected) => {
    const lost = 'Variables and functions of earlier runs are gone: define again what is still needed.';
    const text = explain(details);
    expect(text.replace(` ${lost}`, '')).toBe(`ERR_EXEC_TIMEOUT: ${expected}`);
  });

  // A fix ends without a full stop: it ran into the sentence about what is lost.
  test('what is lost, in a sentence of its own behind a fix', () => {
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
