// Section 9.8 of the specification: each case under its own name, with its setup, its code and all its assertions.
// Appendix C: the smoke test as the program that it is.

import { strict as assert } from 'node:assert';

import { describe, expect, test } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { expectCode, withExecutor } from '../helpers.mjs';

/** The tool that the cases wait with, as appendix C writes it. */
const sleepTool = async (ms) => new Promise((resolve) => setTimeout(resolve, ms).unref());

describe('9.8', () => {
  test('CF-01 lifecycle: init, cleanup, init', async () => {
    const executor = new SESExecutor();
    await executor.init();
    expect(executor.state).toBe('READY');
    await executor.cleanup();
    expect(executor.state).toBe('DEAD');
    await executor.init();
    expect(executor.state).toBe('READY');
    await executor.cleanup();
  });

  test('CF-02 reject: the second of two concurrent runs fails', async () => {
    await withExecutor({ runConcurrency: 'reject' }, { sleepTool }, async (executor) => {
      const first = executor.run('await sleepTool(300); "first"');
      const error = await expectCode(executor.run('await sleepTool(300)'), 'ERR_INVALID_STATE');
      expect(error.message).toBe('Invalid executor state: RUNNING');
      expect(await first).toMatchObject({ output: 'first', is_final_answer: false });
    });
  });

  test('CF-03 queue: first in, first out', async () => {
    const options = { runConcurrency: 'queue', maxQueuedRuns: 10 };
    await withExecutor(options, { sleepTool }, async (executor) => {
      const completed = [];
      const runA = executor.run('await sleepTool(100); final_answer("A")').finally(() => completed.push('runA'));
      const runB = executor.run('final_answer("B")').finally(() => completed.push('runB'));
      const [a, b] = await Promise.all([runA, runB]);
      expect(completed).toEqual(['runA', 'runB']);
      expect(a).toMatchObject({ output: 'A', is_final_answer: true });
      expect(b).toMatchObject({ output: 'B', is_final_answer: true });
    });
  });

  test('CF-04 queue capacity: with room for one, the third concurrent run fails at once', async () => {
    const options = { runConcurrency: 'queue', maxQueuedRuns: 1 };
    await withExecutor(options, { sleepTool }, async (executor) => {
      const settled = [];
      const first = executor.run('await sleepTool(300); 1').finally(() => settled.push('first'));
      const second = executor.run('2').finally(() => settled.push('second'));
      await expectCode(executor.run('3'), 'ERR_INVALID_STATE');
      expect(settled).toEqual([]);
      expect(executor.state).toBe('RUNNING');
      expect((await first).output).toBe(1);
      expect((await second).output).toBe(2);
      expect(settled).toEqual(['first', 'second']);
    });
  });

  test('CF-05 a static import is refused, and no code runs', async () => {
    let effects = 0;
    const effectTool = () => ++effects;
    await withExecutor({ authorizedImports: ['node:fs'] }, { effectTool }, async (executor) => {
      const alone = await expectCode(executor.run('import fs from "node:fs";'), 'ERR_IMPORT_NOT_ALLOWED');
      expect(alone.message).toBe('Import not allowed: node:fs');
      const code = 'globalThis.effect = effectTool();\nimport fs from "node:fs";';
      await expectCode(executor.run(code), 'ERR_IMPORT_NOT_ALLOWED');
      expect(effects).toBe(0);
      expect((await executor.run('typeof effect')).output).toBe('undefined');
      expect(executor.state).toBe('READY');
    });
  });

  test('CF-06 a dynamic import passes by authorizedImports only', async () => {
    await withExecutor({ authorizedImports: ['x-ok'] }, {}, async (executor) => {
      await expect(executor.run('await import("x-ok")')).resolves.toMatchObject({ is_final_answer: false });
      expect((await executor.run('await import("x-ok"); "executed"')).output).toBe('executed');
      const error = await expectCode(executor.run('await import("x-denied")'), 'ERR_IMPORT_NOT_ALLOWED');
      expect(error.message).toBe('Import not allowed: x-denied');
    });
  });

  test.each([
    [
      'throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['rejects', async () => Promise.reject(new Error('boom'))],
    ['returns a promise that rejects', () => Promise.reject(new Error('boom'))],
  ])('CF-07 a tool that %s', async (_, boomTool) => {
    await withExecutor({}, { boomTool }, async (executor) => {
      await expectCode(executor.run('await boomTool()'), 'ERR_TOOL_PROXY_FAIL');
      expect(executor.state).toBe('READY');
    });
  });

  test.each(['throw new Error("x")', 'missingVariable + 1'])('CF-08 an error without a tool: %s', async (code) => {
    await withExecutor({}, {}, async (executor) => {
      await expectCode(executor.run(code), 'ERR_RUNTIME_EXCEPTION');
      expect(executor.state).toBe('READY');
    });
  });

  test('CF-09 exceeded operations are told by structure', async () => {
    await withExecutor({ maxOperations: 10 }, {}, async (executor) => {
      const error = await expectCode(executor.run('while(true){}'), 'ERR_MAX_OPS_EXCEEDED');
      expect(error.details.maxOperations).toBe(10);
      // The text alone is not what tells it: guest code that forges it fails otherwise.
      const forged = 'throw Object.assign(new Error("Max operations exceeded (10)"), { code: "ERR_MAX_OPS_EXCEEDED" })';
      await expectCode(executor.run(forged), 'ERR_RUNTIME_EXCEPTION');
    });
  });

  test('CF-10 DIRTY and back', async () => {
    const executor = new SESExecutor({ timeoutMs: 100 });
    try {
      await executor.init();
      await executor.sendTools({ sleepTool });
      await expectCode(executor.run('await sleepTool(999999)'), 'ERR_EXEC_TIMEOUT');
      expect(executor.state).toBe('DIRTY');
      await executor.cleanup();
      expect(executor.state).toBe('DEAD');
      await executor.init();
      expect(await executor.run('final_answer("ok")')).toMatchObject({ output: 'ok', is_final_answer: true });
    } finally {
      await executor.cleanup();
    }
  });
});

test('Appendix C: Case A final_answer capture, Case B max operations guard, Case C timeout', async () => {
  const executor = new SESExecutor({
    maxOperations: 1000,
    timeoutMs: 2000,
    authorizedImports: [],
  });

  await executor.init();
  await executor.sendTools({
    readTool: async (path) => `content:${path}`,
    sleepTool: async (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
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
});
