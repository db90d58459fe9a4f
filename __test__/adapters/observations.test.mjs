// What the model is told about a step: `formatObservation` and `formatErrorObservation` of `ses-executor/smolagents`.

import { describe, expect, test } from 'vitest';

import { formatErrorObservation, formatObservation } from 'ses-executor/smolagents';

import { gateTool, rejection, withExecutor } from '../helpers.mjs';

describe('observations', () => {
  test('refuse values that are not results, and are strings for anything thrown', () => {
    expect(() => formatObservation(null)).toThrow(new TypeError('result must be an object, got null'));
    expect(() => formatObservation({ output: 1 })).toThrow(
      new TypeError('result.logs must be a string, got undefined'),
    );
    for (const thrown of [Object.create(null), Symbol('s'), new Proxy({}, {}), undefined]) {
      expect(formatErrorObservation(thrown)).toMatch(/^Error:\n./);
    }
  });

  test.each([
    ['text', 'Execution logs:\na\nb\nLast output from code snippet:\ntext'],
    ['', 'Execution logs:\na\nb\nLast output from code snippet:\n'],
    [undefined, 'Execution logs:\na\nb'],
    [null, 'Execution logs:\na\nb\nLast output from code snippet:\nnull'],
    [5, 'Execution logs:\na\nb\nLast output from code snippet:\n5'],
    [{ a: [1, 'x'] }, 'Execution logs:\na\nb\nLast output from code snippet:\n{\n  "a": [\n    1,\n    "x"\n  ]\n}'],
    [NaN, 'Execution logs:\na\nb\nLast output from code snippet:\nNaN'],
    [-0, 'Execution logs:\na\nb\nLast output from code snippet:\n-0'],
    [5n, 'Execution logs:\na\nb\nLast output from code snippet:\n5n'],
    [new Map([['a', 1]]), "Execution logs:\na\nb\nLast output from code snippet:\nMap(1) { 'a' => 1 }"],
    [{ a: undefined }, 'Execution logs:\na\nb\nLast output from code snippet:\n{ a: undefined }'],
    [new Date(0), 'Execution logs:\na\nb\nLast output from code snippet:\n1970-01-01T00:00:00.000Z'],
  ])('show value %#', (output, text) => {
    expect(formatObservation({ output, logs: 'a\nb' })).toBe(text);
  });

  test('show cycles, shared and deep values', () => {
    const cycle = {};
    cycle.self = cycle;
    expect(formatObservation({ output: cycle, logs: '' })).toBe(
      'Execution logs:\n\nLast output from code snippet:\n<ref *1> { self: [Circular *1] }',
    );
    const shared = [1];
    expect(formatObservation({ output: [shared, shared], logs: '' })).toMatch(/\n\[ \[ 1 \], \[ 1 \] \]$/);
    let deep = [];
    for (let i = 0; i < 100_000; i++) deep = [deep];
    expect(formatObservation({ output: deep, logs: '' })).toMatch(/\[Array\]/);
  });

  test('show more than a hundred items that JSON cannot represent', () => {
    const { length } = formatObservation({ output: Array(300).fill({ at: new Date(0) }), logs: '' }).match(/1970/g);
    expect(length).toBe(300);
  });

  test('of a run that timed out or was aborted report lost variables only if it had begun', async () => {
    const lost = /\nThe variables and functions of earlier steps are lost: define again what you need\.\n/;
    const gate = gateTool();
    await withExecutor({ runConcurrency: 'queue', maxQueuedRuns: 1 }, { gate: gate.tool }, async (executor) => {
      const before = await rejection(executor.run('1', { signal: AbortSignal.abort() }));
      const running = executor.run('await gate()');
      const controller = new AbortController();
      const queued = rejection(executor.run('1', { signal: controller.signal }));
      await gate.called;
      controller.abort();
      for (const error of [before, await queued]) {
        expect(error.code).toBe('ERR_EXEC_TIMEOUT');
        expect(formatErrorObservation(error)).not.toMatch(lost);
      }
      gate.open();
      await running;
      const begun = new AbortController();
      const waiting = gateTool();
      await executor.sendTools({ wait: waiting.tool });
      const aborted = rejection(executor.run('await wait()', { signal: begun.signal }));
      await waiting.called;
      begun.abort();
      expect(formatErrorObservation(await aborted)).toMatch(lost);
      expect(formatErrorObservation((await aborted).toJSON())).toMatch(lost);
      await executor.cleanup();
      await executor.init();
      const late = await rejection(executor.run('await new Promise(() => {})', { timeoutMs: 20 }));
      expect(formatErrorObservation(late)).toMatch(lost);
    });
  });

  test('show errors', async () => {
    const failed = (code) => withExecutor({}, {}, (executor) => rejection(executor.run(code)));
    const later = 'Correct the cause in your next code block. If that has failed before, try a different approach.';
    const runtime = await failed('console.log("seen");\nnope()');
    expect(formatErrorObservation(runtime)).toBe(`Execution logs:
seen
Error:
Runtime exception: ReferenceError: nope is not defined
  |
1 | console.log("seen");
2 | nope()
  | ^ ReferenceError: nope is not defined
${later}`);
    const syntax = await failed('import fs from "node:fs";');
    expect(formatErrorObservation(syntax)).toBe(`Error:
Import not allowed: node:fs
  |
1 | import fs from "node:fs";
  | ^ static import of "node:fs" is not available: programs run as scripts
ERROR at line 1, column 1: static import of "node:fs" is not available: programs run as scripts
ERROR at line 1, column 1: import of "node:fs" is not allowed. Do not import modules: none are authorized here; use the tools and variables that the host provides
${later}`);
    expect(formatErrorObservation(new Error('other'))).toBe(`Error:\nother\n${later}`);
    expect(formatErrorObservation('text')).toBe(`Error:\ntext\n${later}`);
    expect(formatErrorObservation(undefined)).toBe(`Error:\nundefined\n${later}`);
  });
});
