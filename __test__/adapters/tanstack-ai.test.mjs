// `ses-executor/tanstack-ai`: the driver in the code mode of TanStack AI itself, and its contract.

import { getEventListeners } from 'node:events';

import { toolDefinition } from '@tanstack/ai';
import { createCodeMode } from '@tanstack/ai-code-mode';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { createSESIsolateDriver } from 'ses-executor/tanstack-ai';

import { deferred, spawnNode, withExecutor } from '../helpers.mjs';

const add = toolDefinition({
  name: 'add',
  description: 'Adds.',
  inputSchema: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.number(),
}).server(({ a, b }) => a + b);

/** Runs code in code mode. Resolves to its result and the events without their times. */
async function runInCodeMode(typescriptCode, { driver = {}, tools = [add], ...config } = {}) {
  const { tool } = createCodeMode({ driver: createSESIsolateDriver(driver), tools, ...config });
  const events = [];
  const emitCustomEvent = (name, { timestamp: _, duration: __, ...value }) => events.push([name, value]);
  return { ...(await tool.execute({ typescriptCode }, { emitCustomEvent })), events };
}

/** Runs code in its own context. */
async function executeIn(code, { driver, ...config } = {}) {
  const context = await createSESIsolateDriver(driver).createContext({ bindings: {}, ...config });
  try {
    return await context.execute(code);
  } finally {
    await context.dispose();
  }
}

const binding = (execute) => ({ name: 'any', description: '', inputSchema: {}, execute });

describe('in code mode', () => {
  test('a program calls tools, and code mode makes its events', async () => {
    const code = `const sum: number = await external_add({ a: 1, b: 2 });
console.log('sum', sum);
console.warn('low');
console.error('bad');
console.info('fyi');
return { sum };`;
    expect(await runInCodeMode(code)).toStrictEqual({
      success: true,
      result: { sum: 3 },
      logs: ['sum 3', 'WARN: low', 'ERROR: bad', 'INFO: fyi'],
      events: [
        ['code_mode:execution_started', { codeLength: code.length }],
        ['code_mode:external_call', { function: 'external_add', args: { a: 1, b: 2 } }],
        ['code_mode:external_result', { function: 'external_add', result: 3 }],
        ['code_mode:console', { level: 'log', message: 'sum 3' }],
        ['code_mode:console', { level: 'warn', message: 'low' }],
        ['code_mode:console', { level: 'error', message: 'bad' }],
        ['code_mode:console', { level: 'info', message: 'fyi' }],
      ],
    });
  });

  test('a failed call of a tool is an event, and code can catch it', async () => {
    const broken = toolDefinition({ name: 'broken', description: '', inputSchema: z.object({}) }).server(() => {
      throw new Error('out of stock');
    });
    const code = 'try { await external_broken(); } catch ({ message }) { return message }';
    const { result, events } = await runInCodeMode(code, { tools: [broken] });
    expect(result).toBe('out of stock');
    expect(events.at(-1)).toStrictEqual([
      'code_mode:external_error',
      { function: 'external_broken', error: 'out of stock' },
    ]);
  });

  test('a failure tells the model the place in its own code if code mode does not remove types', async () => {
    const code = 'type Pair = [number, number];\nconst it: Pair = [1, 2];\nit.x.y';
    const { success, error } = await runInCodeMode(code, { transpile: (given) => given });
    expect(success).toBe(false);
    expect(error.name).toBe('ExecutorError');
    expect(error.message).toContain('ERR_RUNTIME_EXCEPTION: Runtime exception: TypeError: Cannot read properties');
    expect(error.message).toContain('(line 3, column 6)');
    expect(error.message).toContain('Hint: ');
  });

  test('the arguments and results of tools are checked before a program runs', async () => {
    const now = toolDefinition({ name: 'now', description: '', inputSchema: z.object({}) }).server(() => 5);
    const config = { driver: { typecheck: 'error' }, tools: [add, now], transpile: (code) => code };
    const wrong = 'await external_add({ a: 1, b: 2 });\nreturn await external_add({ a: 1, c: 2 });';
    const { success, error, events } = await runInCodeMode(wrong, config);
    expect(success).toBe(false);
    expect(error.message).toMatch(
      /^ERR_VALIDATION_FAILED: .*'c' does not exist in type '\{ a: number; b: number; \}'\. \(line 2, /,
    );
    expect(events.map(([name]) => name)).toStrictEqual(['code_mode:execution_started']);
    const right =
      'const n: number = await external_add({ a: 1, b: 2 });\nreturn [n, await external_now(), await external_now({})];';
    expect((await runInCodeMode(right, config)).result).toStrictEqual([3, 5, 5]);
  });

  test('the timeout ends a program', async () => {
    const { success, error } = await runInCodeMode('while (true) {}', { timeout: 50 });
    expect(success).toBe(false);
    expect(error.message).toMatch(/^ERR_EXEC_TIMEOUT: /);
  });

  test('the lower timeout holds, because code mode always passes one', async () => {
    const { error } = await runInCodeMode('while (true) {}', { driver: { timeoutMs: 50 } });
    expect(error.message).toMatch(/^ERR_EXEC_TIMEOUT: .* 50 ?ms/);
  });

  test('the lower memory limit holds', async () => {
    const code = 'const all = []; for (let n = 0; ; n++) all.push({ n });';
    for (const limits of [{ memoryLimit: 16 }, { driver: { memoryLimitMb: 16 } }]) {
      const { error } = await runInCodeMode(code, limits);
      expect(error.message).toMatch(/^ERR_MEMORY_LIMIT_EXCEEDED: /);
    }
  });

  test('a wrong limit is a failure of the execution', async () => {
    const { success, error } = await runInCodeMode('return 1', { timeout: -1 });
    expect(success).toBe(false);
    expect(error).toStrictEqual({
      name: 'TypeError',
      message: 'config.timeout must be a positive number, got -1',
    });
  });

  test('executions share nothing and may overlap', async () => {
    const { tool } = createCodeMode({ driver: createSESIsolateDriver(), tools: [add] });
    const run = (typescriptCode) => tool.execute({ typescriptCode }, { emitCustomEvent: () => {} });
    const results = await Promise.all([
      run('globalThis.n = 1; await external_add({ a: 1, b: 2 }); return globalThis.n'),
      run('return typeof globalThis.n'),
    ]);
    expect(results.map(({ result }) => result)).toStrictEqual([1, 'undefined']);
  });

  test('executions take turns on an executor of the host, which is clean afterwards', async () => {
    await withExecutor({}, {}, async (executor) => {
      const { tool } = createCodeMode({ driver: createSESIsolateDriver({ executor }), tools: [add] });
      const run = (typescriptCode) => tool.execute({ typescriptCode }, { emitCustomEvent: () => {} });
      const code = 'var n = (typeof n === "undefined" ? 0 : n) + 1; return external_add({ a: n, b: 0 })';
      const results = await Promise.all([run(code), run(code)]);
      expect(results.map(({ result }) => result)).toStrictEqual([1, 1]);
      expect(executor.state).toBe('DEAD');
    });
  });

  test('the example ends successfully', async () => {
    const { status, stdout, stderr } = await spawnNode(['examples/tanstack-ai.mjs']);
    expect({ status, stderr }).toStrictEqual({ status: 0, stderr: '' });
    expect(stdout).toContain("'town' does not exist in type '{ city: string; }'. (line 1, column 40)");
    expect(stdout).toContain(
      [
        '--- a person is asked about external_warn',
        'The program can call 1 tool:',
        '- external_warn: at most 2 times',
        '    line 2: external_warn({ city: "Lagos" | "Berlin" }) at most 2 times',
        '--- the person approves the plan\n\n--- code_mode:execution_started\n',
      ].join('\n'),
    );
    expect(stdout).toContain('--- result\n["sent to Lagos","sent to Berlin"]\n');
    expect(stdout).toContain('--- code_mode:console log 3 cities\n--- result\n{"city":"Lagos","degrees":30.25}\n');
    expect(stdout).toContain('--- the model sees: image image/png\n--- result\n"Lagos"\n');
  });
});

describe('a context', () => {
  test('ends running programs when it is disposed, and runs nothing afterwards', async () => {
    const called = deferred();
    const context = await createSESIsolateDriver().createContext({
      bindings: { wait: binding(() => new Promise(() => called.resolve())) },
    });
    const running = context.execute('await wait()');
    await called.promise;
    await context.dispose();
    expect(await running).toMatchObject({ success: false, error: { message: expect.stringContaining('abort') } });
    expect(await context.execute('1')).toStrictEqual({
      success: false,
      error: { name: 'DisposedError', message: 'The context has been disposed' },
      logs: [],
    });
    await context.dispose();
  });

  test('ends running programs when the signal of the driver is aborted', async () => {
    const controller = new AbortController();
    const driver = createSESIsolateDriver({ signal: controller.signal });
    const called = deferred();
    const bindings = { wait: binding(() => new Promise(() => called.resolve())) };
    const contexts = await Promise.all([driver.createContext({ bindings }), driver.createContext({ bindings })]);
    await contexts[0].dispose();
    const running = contexts[1].execute('await wait()');
    await called.promise;
    controller.abort(new Error('the person has left'));
    expect(await running).toMatchObject({ success: false, error: { message: expect.stringContaining('abort') } });
    await contexts[1].dispose();
    expect(getEventListeners(controller.signal, 'abort')).toStrictEqual([]);
    const late = await driver.createContext({ bindings });
    expect(await late.execute('1')).toMatchObject({
      success: false,
      error: { message: expect.stringContaining('abort') },
    });
  });

  test('passes an object to a tool that is called without an argument, and drops further arguments', async () => {
    const calls = [];
    const bindings = { count: binding(async (...args) => calls.push(args)) };
    expect(await executeIn('await count(); await count(null); await count({ n: 1 }, 2)', { bindings })).toMatchObject({
      success: true,
      value: 3,
    });
    expect(calls).toStrictEqual([[{}], [{}], [{ n: 1 }]]);
  });

  test('changes names that are not identifiers', async () => {
    const bindings = { 'external_get-user': binding(async () => 'Ada') };
    expect((await executeIn('return external_get_user()', { bindings })).value).toBe('Ada');
  });

  test.each([
    ['without a value', 'const f = () => {}; f()', undefined],
    ['with a last expression', '1 + 1', 2],
    ['in a fence', '```ts\nconst n: number = 2;\nreturn n;\n```', 2],
    ['that is a function', 'async () => 2', 2],
    ['with a value that JSON lacks', 'return { n: 2n ** 64n }', { n: '18446744073709551616' }],
  ])('runs a program %s', async (_, code, value) => {
    expect(await executeIn(code)).toStrictEqual({ success: true, value, logs: [] });
  });

  test('has no deadline if the timeout is 0, except that of the driver', async () => {
    expect(await executeIn('return 1', { timeout: 0 })).toMatchObject({ value: 1 });
    const { error } = await executeIn('while (true) {}', { timeout: 0, driver: { timeoutMs: 50 } });
    expect(error.code).toBe('ERR_EXEC_TIMEOUT');
  });

  test('shortens long logs for the model', async () => {
    const { logs } = await executeIn('for (let n = 0; n < 5000; n++) console.log("line", n, "x".repeat(50))');
    expect(logs).toHaveLength(1);
    expect(logs[0].length).toBeLessThan(30_000);
  });
});

test('a driver checks its options', () => {
  const messages = [{ timeout: 1 }, { signal: 1 }, { executor: {} }, { timeoutMs: 'x' }].map((options) => {
    try {
      return createSESIsolateDriver(options);
    } catch ({ name, message }) {
      return `${name}: ${message}`;
    }
  });
  expect(messages).toStrictEqual([
    'TypeError: options.timeout is not an option; did you mean options.timeoutMs?',
    'TypeError: options.signal must be an AbortSignal, got 1',
    'TypeError: options.executor must be an executor, got an object',
    expect.stringMatching(/^TypeError: options.timeoutMs must be a number/),
  ]);
});

test('createContext refuses wrong bindings', async () => {
  const { createContext } = createSESIsolateDriver();
  await expect(createContext({})).rejects.toThrow('config.bindings must be an object of bindings, got undefined');
  await expect(createContext({ bindings: { a: {} } })).rejects.toThrow('config.bindings.a.execute must be a function');
});

test('a binding that needs approval is refused, because nobody would be asked', async () => {
  const guarded = { ...binding(async () => 1), needsApproval: true };
  await expect(createSESIsolateDriver().createContext({ bindings: { guarded } })).rejects.toThrow(
    new TypeError(
      'config.bindings.guarded has needsApproval, which would be ignored: read the plan of the program before it runs',
    ),
  );
});
