// Section 9 of the specification: one test for each cell of 9.1 to 9.7, numbered in the order of the cells. The files
// that are named after the features test them in full; here each cell stands for itself.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { describe, expect, test } from 'vitest';

import { ExecutorError, SESExecutor, prepareProgram, validateCode } from '../../index.mjs';
import { ROOT, deferred, expectCode, gateTool, neverTool, rejection, runChild, withExecutor } from '../helpers.mjs';

const boom = () => {
  throw new Error('boom');
};

describe('9.1 API and lifecycle', () => {
  test('9.1.1 the five methods of ICodeExecutor have their signatures and do what sections 3 and 4 say', async () => {
    const executor = new SESExecutor();
    for (const name of ['init', 'sendVariables', 'sendTools', 'run', 'cleanup']) {
      expect(executor[name]).toBeTypeOf('function');
    }
    const promises = [executor.init()];
    expect(await promises[0]).toBeUndefined();
    promises.push(executor.sendVariables({ x: 1, y: 1 }));
    expect(await promises[1]).toBeUndefined();
    promises.push(executor.sendVariables({ y: 2 }));
    expect(await promises[2]).toBeUndefined();
    promises.push(executor.sendTools({ add: async (a, b) => a + b }));
    expect(await promises[3]).toBeUndefined();
    promises.push(executor.run('console.log(x, y); await add(x, y)'));
    expect(await promises[4]).toMatchObject({ output: 3, logs: '1 2', is_final_answer: false });
    promises.push(executor.cleanup());
    expect(await promises[5]).toBeUndefined();
    for (const promise of promises) expect(promise).toBeInstanceOf(Promise);
  });

  test('9.1.2 the state goes as the table of 4.2 says', async () => {
    const executor = new SESExecutor();
    const states = [executor.state];
    const step = async (promise) => {
      states.push(executor.state);
      await promise.catch(() => {});
      states.push(executor.state);
    };
    await step(executor.init());
    await step(executor.init());
    await step(executor.run('1'));
    await step(executor.run('throw 1'));
    await step(executor.run('await new Promise(() => {})', { timeoutMs: 20 }));
    await step(executor.cleanup());
    await step(executor.cleanup());
    await step(executor.init());
    await step(executor.cleanup());
    expect(states).toEqual(
      [
        'NEW',
        ['INITIALIZING', 'READY'],
        ['READY', 'READY'],
        ['RUNNING', 'READY'],
        ['RUNNING', 'READY'],
        ['RUNNING', 'DIRTY'],
        ['DEAD', 'DEAD'],
        ['DEAD', 'DEAD'],
        ['INITIALIZING', 'READY'],
        ['DEAD', 'DEAD'],
      ].flat(),
    );
  });

  test('9.1.3 calls that the state does not allow fail with ERR_INVALID_STATE', async () => {
    const executor = new SESExecutor();
    const refused = async (state, ...calls) => {
      for (const call of calls) {
        const error = await expectCode(call(), 'ERR_INVALID_STATE');
        expect(error.message).toBe(`Invalid executor state: ${state}`);
        expect(executor.state).toBe(state);
      }
    };
    const calls = [
      () => executor.run('1'),
      () => executor.sendVariables({ x: 1 }),
      () => executor.sendTools({ t: () => 1 }),
    ];
    await refused('NEW', ...calls);
    const init = executor.init();
    await refused('INITIALIZING', ...calls);
    await init;
    const { tool, called } = neverTool();
    await executor.sendTools({ never: tool });
    const run = expectCode(executor.run('await never()', { timeoutMs: 300 }), 'ERR_EXEC_TIMEOUT');
    await called;
    await refused('RUNNING', ...calls, () => executor.init());
    await run;
    await refused('DIRTY', ...calls, () => executor.init());
    await executor.cleanup();
    await refused('DEAD', ...calls);
  });

  test('9.1.4 DEAD, init(), READY rebuilds; READY, init() does nothing', async () => {
    await withExecutor({}, {}, async (executor) => {
      await executor.run('var kept = 1;');
      await executor.init();
      expect((await executor.run('kept')).output).toBe(1);
      await executor.cleanup();
      expect(executor.state).toBe('DEAD');
      await executor.init();
      expect(executor.state).toBe('READY');
      expect((await executor.run('typeof kept')).output).toBe('undefined');
    });
  });

  test('9.1.5 runConcurrency "queue": first in, first out, up to maxQueuedRuns', async () => {
    await fifoUpToTwo();
  });
});

describe('9.2 security', () => {
  test('9.2.1 lockdown happens once, before any isolate starts, whoever starts at once; the host is not touched', async () => {
    const before = Object.isFrozen(Object.prototype);
    const executors = Array.from({ length: 4 }, () => new SESExecutor());
    await Promise.all(executors.map((executor) => executor.init()));
    const code = '[Object, Array, Function.prototype, Promise, Map.prototype, Error].every(Object.isFrozen)';
    const runs = await Promise.all(executors.map((executor) => executor.run(code)));
    expect(runs.map(({ output }) => output)).toEqual([true, true, true, true]);
    await Promise.all(executors.map((executor) => executor.cleanup()));
    expect(Object.isFrozen(Object.prototype)).toBe(before);
    expect(before).toBe(false);
  });

  test('9.2.2 globals of Node.js and of browsers are not there', async () => {
    const names = [
      'process',
      'require',
      'module',
      'exports',
      'global',
      'fetch',
      'Buffer',
      'setTimeout',
      'setInterval',
      'setImmediate',
      'clearTimeout',
      'window',
      'document',
      'XMLHttpRequest',
      'WebSocket',
      'Deno',
      'WebAssembly',
      'SharedArrayBuffer',
      'Atomics',
      '__bootstrap',
      'navigator',
      'performance',
      'structuredClone',
    ];
    await withExecutor({}, {}, async (executor) => {
      const code = `[${names.map((name) => `typeof ${name}`)}, ${names.map((name) => `typeof globalThis.${name}`)}]`;
      const { output } = await executor.run(code);
      expect(new Set(output)).toEqual(new Set(['undefined']));
      for (const way of [
        'eval("1")',
        'new Function("1")()',
        '(async () => {}).constructor("1")',
        '(function* () {}).constructor("1")',
      ]) {
        await expectCode(executor.run(way), 'ERR_RUNTIME_EXCEPTION');
      }
    });
  });

  test('9.2.3 what is given to guest code cannot be changed by it', async () => {
    const tools = { Space: { tool: () => 1 }, plain: () => 1 };
    await withExecutor({}, tools, async (executor) => {
      await executor.sendVariables({ data: { list: [{ n: 1 }] } });
      const attempts = [
        'data.list = []',
        'data.list.push(1)',
        'data.list[0].n = 2',
        'delete data.list',
        'Space.tool = 1',
        'Space.other = 1',
        'plain.x = 1',
        'final_answer.x = 1',
        'console.log = 1',
        'Object.prototype.polluted = 1',
        'Array.prototype.map = 1',
        'Object.setPrototypeOf(data, null)',
      ];
      for (const attempt of attempts) {
        expect((await expectCode(executor.run(attempt), 'ERR_RUNTIME_EXCEPTION')).details.name, attempt).toBe(
          'TypeError',
        );
      }
      expect((await executor.run('[data, Space.tool(), plain()]')).output).toEqual([{ list: [{ n: 1 }] }, 1, 1]);
    });
  });

  test('9.2.4 a static import is refused with ERR_IMPORT_NOT_ALLOWED', async () => {
    await staticImportIsRefused();
  });

  test('9.2.5 a dynamic import gives modules of authorizedImports only', async () => {
    await dynamicImportByList();
  });
});

describe('9.3 validation and transform', () => {
  test('9.3.1 code that does not parse gives structured diagnostics', async () => {
    const [diagnostic] = validateCode('const a = 1;\nconst b = ;');
    expect(diagnostic).toEqual({
      rule: 'syntax_valid',
      severity: 'ERROR',
      message: expect.stringMatching(/\w/),
      location: { line: 2, column: 11 },
    });
    await withExecutor({}, {}, async (executor) => {
      const error = await expectCode(executor.run('const a = 1;\nconst b = ;'), 'ERR_VALIDATION_FAILED');
      expect(error.details.diagnostics).toEqual([diagnostic]);
    });
  });

  test('9.3.2 the rules of 6.2 and appendix B are there', () => {
    const find = (code, options) => validateCode(code, options).map(({ rule, severity }) => [rule, severity]);
    expect(find(' \n')).toEqual([['code_non_empty', 'ERROR']]);
    expect(find('(')).toEqual([['syntax_valid', 'ERROR']]);
    expect(find('1', { maxOperations: 0 })).toEqual([['max_operations_valid', 'ERROR']]);
    expect(find('1', { timeoutMs: -1 })).toEqual([['timeout_valid', 'ERROR']]);
    expect(find('import("x")')).toEqual([['import_allowed', 'ERROR']]);
    expect(find('import "x"', { authorizedImports: ['x'] })).toEqual([['static_import_in_script_mode', 'ERROR']]);
    expect(find('process')).toEqual([['forbidden_global_access', 'WARNING']]);
    expect(find('1', { maxLogBytes: 1024 })).toEqual([['log_budget_too_small', 'INFO']]);
    expect(find('__smol_x')).toEqual([['reserved_identifier', 'ERROR']]);
  });

  test('9.3.3 every kind of loop has a guard', async () => {
    const loops = [
      'for (;;);',
      'for (const k in Object.fromEntries(Array.from({ length: 20 }, (_, i) => [i, i])));',
      'for (const v of Array(20));',
      'for await (const v of Array(20));',
      'while (true);',
      'do; while (true)',
    ];
    await withExecutor({ maxOperations: 10 }, {}, async (executor) => {
      for (const loop of loops) {
        expect(prepareProgram(loop).transformedCode).toContain('{\nif (--__smol_budget < 0) __smol_guard();\n');
        const error = await expectCode(executor.run(loop), 'ERR_MAX_OPS_EXCEEDED');
        expect(error.stats.operations).toBe(10);
      }
    });
  });

  test('9.3.4 more than maxOperations fails with ERR_MAX_OPS_EXCEEDED', async () => {
    await loopIsStopped();
  });

  test('9.3.5 ERR_MAX_OPS_EXCEEDED is told by structure, not by text', async () => {
    await withExecutor({ maxOperations: 10 }, {}, async (executor) => {
      const real = await expectCode(executor.run('for (;;);'), 'ERR_MAX_OPS_EXCEEDED');
      expect(real.details.maxOperations).toBe(10);
      await expectCode(executor.run('throw new Error("Max operations exceeded (10)")'), 'ERR_RUNTIME_EXCEPTION');
      await expectCode(
        executor.run(
          'throw Object.assign(new Error("Max operations exceeded (10)"), { code: "ERR_MAX_OPS_EXCEEDED" })',
        ),
        'ERR_RUNTIME_EXCEPTION',
      );
    });
  });
});

describe('9.4 runtime semantics', () => {
  test('9.4.1 final_answer(value) ends the run with is_final_answer true', async () => {
    await withExecutor({}, {}, async (executor) => {
      const result = await executor.run('final_answer({ n: 1 }); throw new Error("not reached")');
      expect(result).toMatchObject({ output: { n: 1 }, is_final_answer: true });
    });
  });

  test('9.4.2 other runs have is_final_answer false', async () => {
    await withExecutor({}, {}, async (executor) => {
      expect(await executor.run('1 + 1')).toMatchObject({ output: 2, is_final_answer: false });
      expect(await executor.run('return "returned"')).toMatchObject({ output: 'returned', is_final_answer: false });
    });
  });

  test('9.4.3 timeoutMs leads to ERR_EXEC_TIMEOUT and DIRTY', async () => {
    const { tool } = neverTool();
    await withExecutor({ timeoutMs: 50 }, { sleepTool: tool }, async (executor) => {
      const error = await expectCode(executor.run('await sleepTool(999999)'), 'ERR_EXEC_TIMEOUT');
      expect(error.message).toBe('Execution timed out after 50ms');
      expect(executor.state).toBe('DIRTY');
    });
  });

  test('9.4.4 logs are in order, and cut at maxLogBytes', async () => {
    await withExecutor({ maxLogBytes: 1024 }, { later: async () => {} }, async (executor) => {
      const code = 'console.log("a"); console.warn("b"); await later(); console.info("c"); console.error("d")';
      expect((await executor.run(code)).logs).toBe('a\nb\nc\nd');
      const { logs } = await executor.run('for (let i = 0; i < 200; i++) console.log(`line ${i} ${"x".repeat(20)}`)');
      expect(logs.startsWith('line 0 ')).toBe(true);
      expect(logs.endsWith('...[TRUNCATED]')).toBe(true);
      expect(logs.split('...[TRUNCATED]')).toHaveLength(2);
      expect(Buffer.byteLength(logs)).toBeLessThanOrEqual(1024 + '...[TRUNCATED]'.length);
    });
  });

  test('9.4.5 deadlines are tested with tools that wait, since there is no setTimeout inside', async () => {
    const { tool } = neverTool();
    await withExecutor({ timeoutMs: 50 }, { sleepTool: tool }, async (executor) => {
      expect((await executor.run('typeof setTimeout')).output).toBe('undefined');
      await expectCode(executor.run('await sleepTool(999999)'), 'ERR_EXEC_TIMEOUT');
    });
  });
});

describe('9.5 error model', () => {
  test('9.5.1 codes, severities and messages are those of 8.2', async () => {
    const seen = [];
    const note = (error) => seen.push([error.code, error.severity, error.message]);
    note(await rejection(new SESExecutor().run('1')));
    await withExecutor({ maxOperations: 5, timeoutMs: 50 }, { boom }, async (executor) => {
      note(await rejection(executor.run('(')));
      note(await rejection(executor.run('import("x")')));
      note(await rejection(executor.run('for (;;);')));
      note(await rejection(executor.run('boom()')));
      note(await rejection(executor.run('throw new Error("x")')));
      note(await rejection(executor.run('await new Promise(() => {})')));
    });
    expect(seen).toEqual([
      ['ERR_INVALID_STATE', 'ERROR', 'Invalid executor state: NEW'],
      ['ERR_VALIDATION_FAILED', 'ERROR', 'Code validation failed'],
      ['ERR_IMPORT_NOT_ALLOWED', 'ERROR', 'Import not allowed: x'],
      ['ERR_MAX_OPS_EXCEEDED', 'ERROR', 'Max operations exceeded (5)'],
      ['ERR_TOOL_PROXY_FAIL', 'ERROR', 'Tool execution failed: boom'],
      ['ERR_RUNTIME_EXCEPTION', 'ERROR', 'Runtime exception: x'],
      ['ERR_EXEC_TIMEOUT', 'ERROR', 'Execution timed out after 50ms'],
    ]);
    // Every code of the table has its entry in the documentation.
    const documented = readFileSync(join(ROOT, 'docs', 'errors.md'), 'utf8');
    for (const code of [...seen.map(([name]) => name), 'ERR_SES_INIT_FAILED', 'ERR_CLEANUP_FAILED']) {
      expect(documented).toContain(`## ${code}`);
    }
  });

  test('9.5.2 errors have code, severity, retryable and message', async () => {
    await withExecutor({}, { boom }, async (executor) => {
      for (const code of ['(', 'import("x")', 'for (;;);', 'boom()', 'null.x']) {
        const error = await rejection(executor.run(code));
        expect(error).toBeInstanceOf(ExecutorError);
        expect(error).toBeInstanceOf(Error);
        expect(error).toMatchObject({
          code: expect.stringMatching(/^ERR_/),
          severity: 'ERROR',
          retryable: true,
          message: expect.stringMatching(/\w/),
        });
      }
      const refused = await rejection(new SESExecutor().run('1'));
      expect(refused).toMatchObject({ severity: 'ERROR', retryable: false });
    });
  });

  test('9.5.3 errors of a run carry its logs', async () => {
    await withExecutor({ maxOperations: 5 }, { boom }, async (executor) => {
      for (const code of ['null.x', 'boom()', 'for (;;);']) {
        expect((await rejection(executor.run(`console.log("so far"); ${code}`))).logs).toBe('so far');
      }
    });
  });

  test('9.5.4 failures of tools and failures of guest code are told apart', async () => {
    const tools = { boom, late: async () => boom(), bad: () => () => 1, fine: async () => ({}) };
    await withExecutor({}, tools, async (executor) => {
      for (const code of ['boom()', 'await late()', 'bad()', 'await fine(() => 1)', 'await Promise.all([late()])']) {
        await expectCode(executor.run(code), 'ERR_TOOL_PROXY_FAIL');
      }
      for (const code of [
        'throw new Error("boom")',
        '(await fine()).x.y',
        'try { boom() } catch {} null.x',
        'try { boom() } catch (e) { throw new Error(e.message) }',
      ]) {
        await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
      }
    });
  });
});

describe('9.6 integration baseline', () => {
  test('9.6.1 callers that use an executor by ICodeExecutor alone can use this one', async () => {
    /** As the loop of a code agent does it: it knows the five methods and the fields of section 3.1. */
    const agent = async (executor, steps) => {
      await executor.init();
      await executor.sendVariables({ question: 'the sum' });
      await executor.sendTools({ numbers: async () => [1, 2, 3], final_answer: (value) => value });
      const observations = [];
      for (const step of steps) {
        try {
          const { output, logs, is_final_answer } = await executor.run(step);
          if (is_final_answer) return { answer: output, observations };
          observations.push(logs);
        } catch (error) {
          observations.push(`${error.code}: ${error.message}`);
        }
      }
      return { observations };
    };
    const executor = new SESExecutor();
    const result = await agent(executor, [
      'const list = await numbers(); console.log(question, list)',
      'list.total()',
      'let total = 0; for (const n of list) total += n; final_answer(total)',
    ]);
    expect(result).toEqual({
      answer: 6,
      observations: [
        'the sum [ 1, 2, 3 ]',
        'ERR_RUNTIME_EXCEPTION: Runtime exception: TypeError: list.total is not a function',
      ],
    });
    await executor.cleanup();
  });

  test('9.6.2 the smoke test of appendix C passes', async () => {
    const { status, signal, stdout, stderr } = await runChild(`
      import { strict as assert } from 'node:assert';
      import { SESExecutor } from 'ses-executor';
      const executor = new SESExecutor({ maxOperations: 1000, timeoutMs: 500, authorizedImports: [] });
      await executor.init();
      await executor.sendTools({
        readTool: async (path) => 'content:' + path,
        sleepTool: async (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
      });
      const res = await executor.run('const text = await readTool("a.txt"); final_answer(text + ":ok");');
      assert.equal(res.is_final_answer, true);
      assert.equal(res.output, 'content:a.txt:ok');
      await assert.rejects(executor.run('while (true) {}'), { code: 'ERR_MAX_OPS_EXCEEDED' });
      await assert.rejects(executor.run('await sleepTool(999999);'), { code: 'ERR_EXEC_TIMEOUT' });
      await executor.cleanup();
      console.log('passed');
    `);
    expect({ status, signal, stdout, stderr }).toEqual({ status: 0, signal: null, stdout: 'passed\n', stderr: '' });
  });
});

describe('9.7 parity matrix', () => {
  test('9.7.1 NEW, init, READY, cleanup, DEAD, init, READY', async () => {
    const executor = new SESExecutor();
    expect(executor.state).toBe('NEW');
    await executor.init();
    expect(executor.state).toBe('READY');
    await executor.cleanup();
    expect(executor.state).toBe('DEAD');
    await executor.init();
    expect(executor.state).toBe('READY');
    await executor.cleanup();
  });

  test('9.7.2 "reject": the second concurrent run fails with ERR_INVALID_STATE', async () => {
    const gate = gateTool();
    await withExecutor({ runConcurrency: 'reject' }, { gate: gate.tool }, async (executor) => {
      const first = executor.run('await gate()');
      await expectCode(executor.run('2'), 'ERR_INVALID_STATE');
      gate.open(1);
      expect((await first).output).toBe(1);
    });
  });

  test('9.7.3 "queue": concurrent runs go first in, first out', async () => {
    await fifoUpToTwo();
  });

  test('9.7.4 maxQueuedRuns 1: the third concurrent run fails', async () => {
    const gate = gateTool();
    await withExecutor({ runConcurrency: 'queue', maxQueuedRuns: 1 }, { gate: gate.tool }, async (executor) => {
      const first = executor.run('await gate()');
      const second = executor.run('2');
      await expectCode(executor.run('3'), 'ERR_INVALID_STATE');
      gate.open(1);
      expect((await first).output).toBe(1);
      expect((await second).output).toBe(2);
    });
  });

  test('9.7.5 a static import is refused with the right code', async () => {
    await staticImportIsRefused();
  });

  test('9.7.6 a dynamic import passes if it is listed, and fails if not', async () => {
    await dynamicImportByList();
  });

  test('9.7.7 a tool that throws gives ERR_TOOL_PROXY_FAIL', async () => {
    await withExecutor({}, { boom, late: async () => boom() }, async (executor) => {
      await expectCode(executor.run('boom()'), 'ERR_TOOL_PROXY_FAIL');
      await expectCode(executor.run('await late()'), 'ERR_TOOL_PROXY_FAIL');
      expect(executor.state).toBe('READY');
    });
  });

  test('9.7.8 an error without a tool gives ERR_RUNTIME_EXCEPTION', async () => {
    await withExecutor({}, {}, async (executor) => {
      await expectCode(executor.run('throw new Error("x")'), 'ERR_RUNTIME_EXCEPTION');
      await expectCode(executor.run('missing'), 'ERR_RUNTIME_EXCEPTION');
      expect(executor.state).toBe('READY');
    });
  });

  test('9.7.9 a loop past its limit gives ERR_MAX_OPS_EXCEEDED, told by structure', async () => {
    await loopIsStopped();
  });

  test('9.7.10 a timeout leads to DIRTY, and cleanup() and init() recover', async () => {
    await withExecutor({ timeoutMs: 50 }, {}, async (executor) => {
      await expectCode(executor.run('await new Promise(() => {})'), 'ERR_EXEC_TIMEOUT');
      expect(executor.state).toBe('DIRTY');
      await executor.cleanup();
      expect(executor.state).toBe('DEAD');
      await executor.init();
      expect(await executor.run('final_answer("ok")')).toMatchObject({ output: 'ok', is_final_answer: true });
    });
  });
});

async function fifoUpToTwo() {
  const gate = gateTool();
  const done = deferred();
  await withExecutor({ runConcurrency: 'queue', maxQueuedRuns: 2 }, { gate: gate.tool }, async (executor) => {
    const completed = [];
    const runs = ['await gate(); "a"', '"b"', '"c"'].map((code) =>
      executor.run(code).then(({ output }) => {
        completed.push(output);
        if (completed.length === 3) done.resolve();
      }),
    );
    await expectCode(executor.run('"d"'), 'ERR_INVALID_STATE');
    await gate.called;
    expect(completed).toEqual([]);
    gate.open();
    await done.promise;
    await Promise.all(runs);
    expect(completed).toEqual(['a', 'b', 'c']);
  });
}

async function staticImportIsRefused() {
  let effects = 0;
  await withExecutor({ authorizedImports: ['node:fs'] }, { effect: () => ++effects }, async (executor) => {
    const error = await expectCode(executor.run('effect();\nimport fs from "node:fs";'), 'ERR_IMPORT_NOT_ALLOWED');
    expect(error.message).toBe('Import not allowed: node:fs');
    expect(effects).toBe(0);
  });
}

async function dynamicImportByList() {
  const options = {
    authorizedImports: ['x-ok'],
    modules: { 'x-ok': 'export const n = 1;', 'x-denied': 'export const n = 2;' },
  };
  await withExecutor(options, {}, async (executor) => {
    expect((await executor.run('(await import("x-ok")).n')).output).toBe(1);
    for (const code of ['await import("x-denied")', 'await import("x-" + "denied")', 'await import("node:fs")']) {
      await expectCode(executor.run(code), 'ERR_IMPORT_NOT_ALLOWED');
    }
    expect(executor.state).toBe('READY');
  });
}

async function loopIsStopped() {
  await withExecutor({ maxOperations: 10 }, {}, async (executor) => {
    const error = await expectCode(executor.run('while (true) {}'), 'ERR_MAX_OPS_EXCEEDED');
    expect(error.details).toMatchObject({ maxOperations: 10 });
    expect(executor.state).toBe('READY');
    expect((await executor.run('for (let i = 0; i < 10; i++); "enough"')).output).toBe('enough');
  });
}
