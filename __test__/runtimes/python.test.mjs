// Python in each runtime: its bounds of memory are left to the processor (crates/engine/src/platform/traps.rs), and so
// are those of the runtime's own WebAssembly.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { PyodideExecutor } from '../../build/python/index.js';
import { FIRST_START_MS, failureOf } from '../python/suite.mjs';

/** A module whose `f` reads at 1 MiB, of a memory of 64 KiB. */
const OUT_OF_BOUNDS = [
  [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, 1, 5, 1, 0x60, 0, 1, 0x7f, 3, 2, 1, 0, 5, 3, 1, 0, 1, 7, 5, 1, 1, 0x66, 0, 0],
  [10, 12, 1, 10, 0, 0x41, 0x80, 0x80, 0xc0, 0, 0x28, 2, 0, 0x0b],
].flat();

/** The `f` of another instance of it. */
function outOfBounds() {
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(OUT_OF_BOUNDS)));
  return /** @type {() => void} */ (exports.f);
}

describe.each(/** @type {const} */ (['thread', 'process']))('Python in this runtime, isolation %s', (isolation) => {
  const before = outOfBounds();
  /** @type {PyodideExecutor} */
  let executor;
  beforeAll(() => {
    expect(before).toThrow(WebAssembly.RuntimeError);
    executor = new PyodideExecutor(['ctypes'], {
      isolation,
      mount: false,
      max_operations: 1e12,
      max_while_iterations: 1e12,
    });
    return executor.init();
  }, FIRST_START_MS);
  afterAll(() => executor.cleanup());

  test('runs code with synchronous and asynchronous tools', async () => {
    const later = async (n) => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      return { n };
    };
    await executor.sendTools({ add: (a, b) => a + b, later });
    await executor.sendVariables({ x: 40 });
    const { output, logs } = await executor.run('print("a")\n[x + 2, add(1, 2), later(3).n, (await later(4)).n]');
    expect({ output, logs }).toStrictEqual({ output: [42, 3, 3, 4], logs: 'a\n' });
  });

  test('reports a tool that throws', async () => {
    const thrown = new RangeError('too far');
    await executor.sendTools({ fail: () => Promise.reject(thrown) });
    const error = await failureOf(executor, 'fail()');
    expect([error.code, error.details.name, error.cause]).toStrictEqual(['ERR_TOOL_PROXY_FAIL', 'RangeError', thrown]);
  });

  test.each(['while True: pass', 'sum(range(10**12))'])('ends %s at a deadline', async (code) => {
    const error = await failureOf(executor, code, { timeoutMs: 300 });
    expect([error.code, error.details.timeoutMs]).toStrictEqual(['ERR_EXEC_TIMEOUT', 300]);
    expect((await executor.run('x + 2')).output).toBe(42);
  });

  test('enforces its memory limit', async () => {
    const error = await failureOf(executor, 'b = bytearray(2 * 10**9)');
    expect([error.code, error.details.name]).toStrictEqual(['ERR_MEMORY_LIMIT_EXCEEDED', 'MemoryError']);
    expect((await executor.run('x + 2')).output).toBe(42);
  });

  test("reports addresses outside Python's memory as a failure, and the runtime keeps its own traps", async () => {
    // Reading, and writing.
    for (const wild of ['string_at(0xF0000000, 8)', 'memset(0xFFFF0000, 1, 8)']) {
      const error = await failureOf(executor, `import ctypes\nctypes.${wild}`);
      expect([error.code, error.details.stateLost]).toStrictEqual(['ERR_RUNTIME_EXCEPTION', true]);
      // Compiled before there was Python, and now.
      expect(before).toThrow(WebAssembly.RuntimeError);
      expect(outOfBounds()).toThrow(WebAssembly.RuntimeError);
      expect((await executor.run('x + 2')).output).toBe(42);
    }
  });
});
