// Section 9 of the specification, the definition of done: the cases of 9.8 under their own names, with the cells of 9.1
// to 9.7 that they prove, then the cells that no case has. The lifecycle's cells 9.1.2 to 9.1.4 are in lifecycle.mjs,
// those of the error model, 9.5.1 to 9.5.3, in errors.mjs, that of logs, 9.4.4, in logs.mjs, and those of validation,
// 9.3.1 and 9.3.2, in `__test__/prepare/`.

import { strict as assert } from 'node:assert';

import { describe, expect, test } from 'vitest';

import { describeIf, expectCode, gateTool, neverTool, testIf } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeConformance({ make, withExecutor, can, expectGivenUp }) {
  describe('9.8 conformance cases', () => {
    test('CF-01 lifecycle: init, cleanup, init (9.7.1)', async () => {
      const executor = make();
      expect(executor.state).toBe('NEW');
      await executor.init();
      expect(executor.state).toBe('READY');
      await executor.cleanup();
      expect(executor.state).toBe('DEAD');
      await executor.init();
      expect(executor.state).toBe('READY');
      await executor.cleanup();
    });

    test('CF-02 reject: the second of two concurrent runs fails (9.7.2)', async () => {
      const gate = gateTool();
      await withExecutor({ runConcurrency: 'reject' }, { gate: gate.tool }, async (executor) => {
        const first = executor.run('await gate()');
        const error = await expectCode(executor.run('"second"'), 'ERR_INVALID_STATE');
        expect(error.message).toBe(
          'Invalid executor state: RUNNING: run() is refused: a run is under way; wait for it, or use runConcurrency: "queue" and maxQueuedRuns',
        );
        gate.open('first');
        expect(await first).toMatchObject({ output: 'first', is_final_answer: false });
      });
    });

    test('CF-03 queue: first in, first out (9.1.5, 9.7.3)', async () => {
      const gate = gateTool();
      const options = { runConcurrency: 'queue', maxQueuedRuns: 10 };
      await withExecutor(options, { gate: gate.tool }, async (executor) => {
        const completed = [];
        const note = ({ output, is_final_answer }) => completed.push([output, is_final_answer]);
        const runs = ['await gate(); final_answer("A")', 'final_answer("B")', '"C"'].map((code) =>
          executor.run(code).then(note),
        );
        await gate.called;
        expect(completed).toStrictEqual([]);
        gate.open();
        await Promise.all(runs);
        expect(completed).toStrictEqual([
          ['A', true],
          ['B', true],
          ['C', false],
        ]);
      });
    });

    test('CF-04 queue capacity: with room for one, the third concurrent run fails immediately (9.7.4)', async () => {
      const gate = gateTool();
      const options = { runConcurrency: 'queue', maxQueuedRuns: 1 };
      await withExecutor(options, { gate: gate.tool }, async (executor) => {
        const settled = [];
        const first = executor.run('await gate()').finally(() => settled.push('first'));
        const second = executor.run('2').finally(() => settled.push('second'));
        await expectCode(executor.run('3'), 'ERR_INVALID_STATE');
        expect(settled).toStrictEqual([]);
        expect(executor.state).toBe('RUNNING');
        gate.open(1);
        expect((await first).output).toBe(1);
        expect((await second).output).toBe(2);
        expect(settled).toStrictEqual(['first', 'second']);
      });
    });

    test('CF-05 a static import is refused, and no code runs (9.2.4, 9.7.5)', async () => {
      let effects = 0;
      const effectTool = () => ++effects;
      const options = can.importModules ? { authorizedImports: ['node:fs'] } : {};
      await withExecutor(options, { effectTool }, async (executor) => {
        const alone = await expectCode(executor.run('import fs from "node:fs";'), 'ERR_IMPORT_NOT_ALLOWED');
        expect(alone.message).toBe('Import not allowed: node:fs');
        const code = 'globalThis.effect = effectTool();\nimport fs from "node:fs";';
        await expectCode(executor.run(code), 'ERR_IMPORT_NOT_ALLOWED');
        if (can.checkImports) {
          expect(effects).toBe(0);
          expect((await executor.run('typeof effect')).output).toBe('undefined');
        }
        expect(executor.state).toBe('READY');
      });
    });

    testIf(can.importModules)(
      'CF-06 a dynamic import is allowed only by authorizedImports (9.2.5, 9.7.6)',
      async () => {
        const modules = { 'x-given': 'export const n = 1;', 'x-denied': 'export const n = 2;' };
        await withExecutor({ authorizedImports: ['x-ok', 'x-given'], modules }, {}, async (executor) => {
          await expect(executor.run('await import("x-ok")')).resolves.toMatchObject({ is_final_answer: false });
          expect((await executor.run('(await import("x-given")).n')).output).toBe(1);
          const error = await expectCode(executor.run('await import("x-denied")'), 'ERR_IMPORT_NOT_ALLOWED');
          expect(error.message).toBe('Import not allowed: x-denied');
          for (const code of ['await import("x-" + "denied")', 'await import("node:fs")']) {
            await expectCode(executor.run(code), 'ERR_IMPORT_NOT_ALLOWED');
          }
          expect(executor.state).toBe('READY');
        });
      },
    );

    const boom = () => {
      throw new Error('boom');
    };
    test.each([
      ['throws', boom],
      ['rejects', async () => boom()],
      ['returns a promise that rejects', () => Promise.reject(new Error('boom'))],
      ['returns a value that cannot be cloned', () => () => 1],
    ])('CF-07 a tool that %s (9.5.4, 9.7.7)', async (_, tool) => {
      await withExecutor({}, { tool }, async (executor) => {
        await expectCode(executor.run('await tool()'), 'ERR_TOOL_PROXY_FAIL');
        await expectCode(executor.run('await Promise.all([tool()])'), 'ERR_TOOL_PROXY_FAIL');
        expect(executor.state).toBe('READY');
      });
    });

    test.each([
      'throw new Error("boom")',
      'missingVariable + 1',
      'try { boom() } catch {} null.x',
      'try { boom() } catch (e) { throw new Error(e.message) }',
      '(await fine()).x.y',
    ])('CF-08 an error without a tool: %s (9.5.4, 9.7.8)', async (code) => {
      await withExecutor({}, { boom, fine: async () => ({}) }, async (executor) => {
        await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
        expect(executor.state).toBe('READY');
      });
    });

    testIf(can.limitOperations)(
      'CF-09 exceeded operations are recognized by structure, not by text (9.3.4, 9.3.5, 9.7.9)',
      async () => {
        await withExecutor({ maxOperations: 10 }, {}, async (executor) => {
          const error = await expectCode(executor.run('while(true){}'), 'ERR_MAX_OPS_EXCEEDED');
          expect(error.details.maxOperations).toBe(10);
          for (const forged of [
            'throw new Error("Max operations exceeded (10)")',
            'throw Object.assign(new Error("Max operations exceeded (10)"), { code: "ERR_MAX_OPS_EXCEEDED" })',
          ]) {
            await expectCode(executor.run(forged), 'ERR_RUNTIME_EXCEPTION');
          }
          expect((await executor.run('for (let i = 0; i < 10; i++); "enough"')).output).toBe('enough');
        });
      },
    );

    test('CF-10 an executor that became DIRTY works again after cleanup and init (9.4.3, 9.4.5, 9.7.10)', async () => {
      const { tool } = neverTool();
      await withExecutor({}, { sleepTool: tool }, async (executor) => {
        if (can.hasConsole && !can.browse) expect((await executor.run('typeof setTimeout')).output).toBe('undefined');
        const error = await expectCode(executor.run('await sleepTool(999999)', { timeoutMs: 100 }), 'ERR_EXEC_TIMEOUT');
        expect(error.message).toBe('Execution timed out after 100ms');
        expectGivenUp(executor, error);
        await executor.cleanup();
        expect(executor.state).toBe('DEAD');
        await executor.init();
        expect(await executor.run('final_answer("ok")')).toMatchObject({ output: 'ok', is_final_answer: true });
      });
    });
  });

  test('9.1.1 the five methods of ICodeExecutor have their signatures and behave as sections 3 and 4 say', async () => {
    const executor = make();
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

  // A suite without tests is a failure.
  describeIf(can.harden || (can.hasConsole && !can.browse))('9.2 security', () => {
    testIf(can.harden)(
      '9.2.1 lockdown happens once, before any isolate starts, even if several start together, and does not affect the host',
      async () => {
        const before = Object.isFrozen(Object.prototype);
        const executors = Array.from({ length: 4 }, () => make());
        await Promise.all(executors.map((executor) => executor.init()));
        const code = '[Object, Array, Function.prototype, Promise, Map.prototype, Error].every(Object.isFrozen)';
        const runs = await Promise.all(executors.map((executor) => executor.run(code)));
        expect(runs.map(({ output }) => output)).toStrictEqual([true, true, true, true]);
        await Promise.all(executors.map((executor) => executor.cleanup()));
        expect(Object.isFrozen(Object.prototype)).toBe(before);
        expect(before).toBe(false);
      },
    );

    testIf(can.hasConsole && !can.browse)('9.2.2 globals of Node.js and of browsers are missing', async () => {
      const names = `process require module exports fetch Buffer setTimeout setInterval setImmediate clearTimeout
        window document XMLHttpRequest WebSocket Deno WebAssembly SharedArrayBuffer Atomics __bootstrap navigator
        performance`.split(/\s+/);
      await withExecutor({}, {}, async (executor) => {
        const code = `[${names.map((name) => `typeof ${name}`)}, ${names.map((name) => `typeof globalThis.${name}`)}]`;
        const { output } = await executor.run(code);
        expect(new Set(output)).toStrictEqual(new Set(['undefined']));
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

    testIf(can.harden)('9.2.3 guest code cannot change values and functions of the host', async () => {
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
          const { details } = await expectCode(executor.run(attempt), 'ERR_RUNTIME_EXCEPTION');
          expect(details.name, attempt).toBe('TypeError');
        }
        expect((await executor.run('[data, Space.tool(), plain()]')).output).toStrictEqual([
          { list: [{ n: 1 }] },
          1,
          1,
        ]);
      });
    });
  });

  testIf(can.limitOperations)('9.3.3 every kind of loop has a guard', async () => {
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
        const error = await expectCode(executor.run(loop), 'ERR_MAX_OPS_EXCEEDED');
        expect(error.stats.operations).toBe(10);
      }
    });
  });

  test('9.4.1 final_answer(value) ends the run with is_final_answer true', async () => {
    await withExecutor({}, {}, async (executor) => {
      const result = await executor.run('final_answer({ n: 1 }); throw new Error("not reached")');
      expect(result).toMatchObject({ output: { n: 1 }, is_final_answer: true });
    });
  });

  test.each([
    [
      'a loop',
      'async function main() { const out = []; for (const n of [1, 2]) out.push(await get(n)); return out; }',
      [1, 2],
    ],
    ['a catch', 'async function main() { try { await fails(); } catch ({ message }) { return message; } }', 'nope'],
    [
      'branches',
      'const main = () => Promise.all([1, 2].map(async (n) => { await get(n); while (n < 5) n++; return n; }))',
      [5, 5],
    ],
    ['its own answer', 'async function main() { await get(1); final_answer("inner"); }', 'inner'],
  ])('9.4.1 final_answer(promise) ends the run when the promise settles: %s', async (_, declaration, expected) => {
    const tools = {
      get: async (value) => value,
      fails: async () => {
        throw new Error('nope');
      },
    };
    await withExecutor({}, tools, async (executor) => {
      const result = await executor.run(`${declaration}\ntry { final_answer(main()); } catch { } "not reached"`);
      expect(result).toMatchObject({ output: expected, is_final_answer: true });
    });
  });

  testIf(can.limitOperations)('9.4.1 a promise passed to final_answer runs under the limits of its run', async () => {
    await withExecutor({ maxOperations: 1000 }, { get: async (value) => value }, async (executor) => {
      const main = 'async function main() { await get(1); try { for (;;); } catch { } return 1; }';
      await expectCode(executor.run(`${main}\nfinal_answer(main())`), 'ERR_MAX_OPS_EXCEEDED');
      expect((await executor.run('1')).output).toBe(1);
    });
  });

  test('9.4.2 other runs have is_final_answer false', async () => {
    await withExecutor({}, {}, async (executor) => {
      expect(await executor.run('1 + 1')).toMatchObject({ output: 2, is_final_answer: false });
      expect(await executor.run('return "returned"')).toMatchObject({ output: 'returned', is_final_answer: false });
    });
  });

  test('9.6.1 callers that know only ICodeExecutor can use this executor', async () => {
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
    const executor = make();
    const result = await agent(executor, [
      'const list = await numbers(); console.log(question, list)',
      'list.total()',
      'let total = 0; for (const n of list) total += n; final_answer(total)',
    ]);
    const failure = can.hasConsole
      ? 'Runtime exception: TypeError: list.total is not a function'
      : "AttributeError: 'list' object has no attribute 'total'";
    expect(result).toStrictEqual({
      answer: 6,
      observations: [can.hasConsole ? 'the sum [ 1, 2, 3 ]' : 'the sum [1, 2, 3]', `ERR_RUNTIME_EXCEPTION: ${failure}`],
    });
    await executor.cleanup();
  });

  testIf(can.limitOperations)(
    '9.6.2 Appendix C: Case A final_answer capture, Case B max operations guard, Case C timeout',
    async () => {
      const executor = make({
        maxOperations: 1000,
        timeoutMs: 2000,
        authorizedImports: [],
      });

      await executor.init();
      await executor.sendTools({
        readTool: async (path) => `content:${path}`,
        sleepTool: async (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref()),
      });

      // Case A: final_answer capture
      {
        const code = `
        const text = await readTool("a.txt");
        final_answer(text + ":ok");
      `;
        const res = await executor.run(code);
        assert.equal(res.is_final_answer, true);
        assert.equal(res.output, 'content:a.txt:ok');
      }

      // Case B: max operations guard
      {
        const code = `while (true) {}`;
        let gotCode = '';
        try {
          await executor.run(code);
        } catch (e) {
          gotCode = e.code || '';
        }
        assert.equal(gotCode, 'ERR_MAX_OPS_EXCEEDED');
      }

      // Case C: timeout
      {
        const code = `
        await sleepTool(999999);
      `;
        let got = '';
        try {
          await executor.run(code);
        } catch (e) {
          got = e.code || e.message || '';
        }
        assert.match(String(got), /ERR_EXEC_TIMEOUT|timed out/);
      }

      await executor.cleanup();
      assert.equal(executor.state, 'DEAD');
    },
  );
}
