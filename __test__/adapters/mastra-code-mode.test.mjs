// `SESCodeModeTransport` of `ses-executor/mastra` in Mastra's own code mode.

import { createCodeMode, createTool } from '@mastra/core/tools';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { SESCodeModeTransport } from 'ses-executor/mastra';

import { deferred, withExecutor } from '../helpers.mjs';

const add = createTool({
  id: 'add-two',
  description: 'Adds.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.number(),
  execute: async ({ a, b }) => a + b,
});

/** Runs code in code mode. */
function runInCodeMode(code, { transport = {}, tools = { add }, context = {}, ...config } = {}) {
  const { tool } = createCodeMode({ tools, ...config }, new SESCodeModeTransport(transport));
  return tool.execute({ code }, { observe: { span: (_, run) => run(), log: () => {} }, ...context });
}

describe('in code mode', () => {
  test('a program calls tools as its instructions declare them, without a sandbox', async () => {
    const { instructions } = createCodeMode({ tools: { add } }, new SESCodeModeTransport());
    expect(instructions).toContain('external_add_two(input: { a: number; b: number })');
    const code = `const sum: number = await external_add_two({ a: 1, b: 2 });
console.log('sum', sum);
console.error('bad');
return { sum };`;
    expect(await runInCodeMode(code)).toStrictEqual({ success: true, result: { sum: 3 }, logs: ['sum 3', 'bad'] });
  });

  test('calls and results are traced, by the ids of the tools', async () => {
    const traced = [];
    const observe = {
      span: (name, run) => (traced.push(name), run()),
      log: (level, message, { tool, args }) => {
        traced.push([level, message, tool, args]);
        throw new Error('not the fault of the tool');
      },
    };
    const code = 'await external_add_two({ a: 1, b: 2 }); await external_add_two({ a: "1" }).catch(() => 5)';
    expect(await runInCodeMode(code, { context: { observe } })).toMatchObject({ success: true, result: 5 });
    expect(traced).toStrictEqual([
      'code-mode:execute_typescript',
      ['info', 'code-mode external call', 'add-two', { a: 1, b: 2 }],
      ['info', 'code-mode external result', 'add-two', undefined],
      ['info', 'code-mode external call', 'add-two', { a: '1' }],
      ['error', 'code-mode external result', 'add-two', undefined],
    ]);
  });

  test('a failure tells the model its position, and how to continue', async () => {
    const { success, error } = await runInCodeMode('const it: unknown = null;\nit.x');
    expect(success).toBe(false);
    expect(error).toMatchObject({ name: 'ExecutorError', line: 2 });
    expect(error.message).toMatch(/^ERR_RUNTIME_EXCEPTION: .*\(line 2, column 4\)\n[^]*\nHint: /);
  });

  test('wrong input for a tool fails in code with the reason of Mastra', async () => {
    const { error } = await runInCodeMode('return external_add_two({ a: "1", b: 2 })');
    expect(error.message).toContain('Tool input validation failed for add-two');
  });

  test('the lower timeout holds', async () => {
    for (const limits of [{ timeout: 50 }, { transport: { timeoutMs: 50 } }]) {
      const { success, error } = await runInCodeMode('while (true) {}', limits);
      expect(success).toBe(false);
      expect(error.message).toMatch(/^ERR_EXEC_TIMEOUT: .* 50 ?ms/);
    }
  });

  test('the signal of the call ends a program', async () => {
    const controller = new AbortController();
    const called = deferred();
    const wait = createTool({
      id: 'wait',
      description: '',
      execute: () => {
        called.resolve();
        return new Promise(() => {});
      },
    });
    const running = runInCodeMode('await external_wait({})', {
      tools: { wait },
      context: { abortSignal: controller.signal },
    });
    await called.promise;
    controller.abort(new Error('the person has left'));
    expect(await running).toMatchObject({ success: false, error: { message: expect.stringContaining('has left') } });
  });

  test('programs share nothing, also on an executor of the host', async () => {
    await withExecutor({}, {}, async (executor) => {
      for (const transport of [{}, { executor }]) {
        const run = (code) => runInCodeMode(code, { transport });
        const results = await Promise.all([run('globalThis.n = 1; return n'), run('return typeof globalThis.n')]);
        expect(results.map(({ result }) => result)).toStrictEqual([1, 'undefined']);
      }
    });
  });
});

test('a transport checks its options, and never rejects for a wrong call', async () => {
  expect(() => new SESCodeModeTransport({ timeout: 1 })).toThrow(
    'options.timeout is not an option; did you mean options.timeoutMs?',
  );
  const transport = new SESCodeModeTransport();
  expect(await transport.run({ program: '1', toolIds: undefined })).toStrictEqual({
    success: false,
    error: { name: 'TypeError', message: 'options.toolIds must be an array, got undefined' },
    logs: [],
  });
  expect(await transport.run({ program: 1, toolIds: [], timeout: 10 })).toMatchObject({
    error: { message: 'code must be a string, got 1' },
  });
});
