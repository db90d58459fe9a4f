// Large texts and bytes cross without a serializer, primitives too, and calls and answers in groups: what arrives is
// what structured clone would give, and limits hold.

import { afterEach, describe, expect, test } from 'vitest';

import { testIf } from '../../helpers.mjs';

/** @param {import('./index.mjs').Subject} subject */
export function describeLargeValues({ make, can }) {
  const open = [];
  afterEach(async () => {
    for (const executor of open.splice(0)) await executor.cleanup();
  });

  async function executorWith({ tools = {}, ...options } = {}) {
    const executor = make(options);
    open.push(executor);
    await executor.init();
    await executor.sendTools(tools);
    return executor;
  }

  const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => index & 255);
  const TEXTS = {
    'of ASCII': 'abcdefghij'.repeat(20_000),
    'of Latin-1': 'é\u0000ÿ'.repeat(50_000),
    'of two bytes a unit': 'é→😀'.repeat(50_000),
    'with a lone surrogate': `${'x'.repeat(100_000)}\ud800`,
    'just below the length that counts as large': 'é'.repeat(4_095),
    'of that length': 'é'.repeat(4_096),
    'that is short and not Latin-1': '→',
    'that is empty': '',
  };

  describe('a string', () => {
    test.each(Object.entries(TEXTS))('%s crosses', async (_, text) => {
      const executor = await executorWith({ tools: { echo: (value) => value, later: async (value) => value } });
      await executor.sendVariables({ text });
      expect((await executor.run('return text')).output).toBe(text);
      expect((await executor.run('final_answer(text)')).output).toBe(text);
      expect((await executor.run('return text.length')).output).toBe(text.length);
      expect((await executor.run('return echo(text) === text')).output).toBe(true);
      expect((await executor.run('return await later(text) === text')).output).toBe(true);
      expect((await executor.run('return [text, echo([text])[0] === text]')).output).toStrictEqual([text, true]);
    });
  });

  describe('large bytes', () => {
    test('cross in both directions as a Uint8Array on its own buffer', async () => {
      const seen = [];
      const executor = await executorWith({
        tools: {
          echo: (value) => (seen.push(value), value),
          later: async (value) => value,
        },
      });
      await executor.sendVariables({ data: bytes });
      const { output } = await executor.run('return data');
      expect(output).toStrictEqual(bytes);
      expect(output.constructor).toBe(Uint8Array);
      expect(output.buffer.byteLength).toBe(bytes.length);
      expect(structuredClone(output, { transfer: [output.buffer] })).toStrictEqual(bytes);
      const same = 'const same = (a) => a.every((byte, i) => byte === data[i]) && a.length === data.length;';
      const answer = await executor.run(
        `${same} return [same(echo(data)), same(await later(data)), echo(data) !== data]`,
      );
      expect(answer.output).toStrictEqual([true, true, true]);
      expect(seen[0]).toStrictEqual(bytes);
    });

    test('are copied: later changes by host or guest do not reach the other side', async () => {
      const executor = await executorWith();
      const data = bytes.slice();
      await executor.sendVariables({ data });
      data[1] = 99;
      expect((await executor.run('data[2] = 77; return [data[1], data[2]]')).output).toStrictEqual([1, 77]);
      expect(data[2]).toBe(2);
    });

    test('of a view cross without the rest of its buffer, and a Buffer crosses as a Uint8Array', async () => {
      const executor = await executorWith();
      await executor.sendVariables({ data: bytes.subarray(1, 100_001) });
      const look = 'return [data.length, data[0], data.byteOffset, data.buffer.byteLength]';
      expect((await executor.run(look)).output).toStrictEqual([100_000, 1, 0, 100_000]);
      await executor.sendVariables({ data: Buffer.from(bytes) });
      expect((await executor.run('return [data.constructor === Uint8Array, data[255]]')).output).toStrictEqual([
        true,
        255,
      ]);
    });

    test('of views over one buffer stay shared, and one value stays one', async () => {
      const executor = await executorWith();
      const { buffer } = bytes.slice();
      const one = new Uint8Array(buffer);
      await executor.sendVariables({ one, other: new Uint8Array(buffer), again: one });
      const code = 'other[7] = 200; return [one[7], one.buffer === other.buffer, one === again]';
      expect((await executor.run(code)).output).toStrictEqual([200, true, true]);
    });

    test('of a partial view leave the guest alone, and a view of a resizable buffer can enter it', async () => {
      const executor = await executorWith();
      const part = (await executor.run('return new Uint8Array(200000).fill(5).subarray(1, 150001)')).output;
      expect([part.length, part[0], part[149_999]]).toStrictEqual([150_000, 5, 5]);
      const data = new Uint8Array(new ArrayBuffer(200_000, { maxByteLength: 300_000 })).fill(6);
      await executor.sendVariables({ data });
      expect((await executor.run('return [data.buffer.byteLength, data[199999]]')).output).toStrictEqual([200_000, 6]);
    });

    testIf(can.survivesMemory)('count as memory of the isolate', async () => {
      const executor = await executorWith({ memoryLimitMb: 16, maxTransferBytes: 64 * 2 ** 20 });
      await expect(executor.sendVariables({ data: new Uint8Array(40 * 2 ** 20) })).rejects.toMatchObject({
        code: 'ERR_MEMORY_LIMIT_EXCEEDED',
      });
      await executor.sendVariables({ data: new Uint8Array(8 * 2 ** 20) });
      const code = 'try { new Uint8Array(10 * 2 ** 20); return "room" } catch (e) { return e.name }';
      expect((await executor.run(code)).output).toBe('RangeError');
    });
  });

  test('maxTransferBytes limits strings and bytes in both directions', async () => {
    const wide = can.countBytes ? 60_000 : 100_001;
    const executor = await executorWith({
      maxTransferBytes: 100_000,
      tools: { text: () => 'x'.repeat(100_001), wide: () => '→'.repeat(wide), bytes: () => bytes },
    });
    const limit = { code: 'ERR_TRANSFER_LIMIT_EXCEEDED' };
    for (const value of ['x'.repeat(100_001), '→'.repeat(wide), bytes]) {
      await expect(executor.sendVariables({ value })).rejects.toMatchObject(limit);
    }
    for (const code of ['"x".repeat(100001)', `"→".repeat(${wide})`, 'new Uint8Array(200000)']) {
      await expect(executor.run(`return ${code}`)).rejects.toMatchObject(limit);
    }
    for (const name of ['text', 'wide', 'bytes']) {
      const { output } = await executor.run(`try { ${name}() } catch (e) { return [e.name, e.code] }`);
      expect(output).toStrictEqual(['RangeError', 'ERR_TRANSFER_LIMIT_EXCEEDED']);
    }
  });

  describe('primitives', () => {
    const VALUES = [undefined, null, true, false, 0, -0, NaN, -Infinity, 2 ** 53, 0.1, -7, '', 'a', 10n ** 30n];

    test.each(VALUES.map((value) => [value]))('%s cross', async (value) => {
      const seen = [];
      const executor = await executorWith({ tools: { echo: (...args) => (seen.push(args), args[0]) } });
      await executor.sendVariables({ value });
      const { output } = await executor.run('return [Object.is(echo(value, 1, "x"), value), value]');
      expect(Object.is(output[1], value)).toBe(true);
      expect(output[0]).toBe(true);
      expect(seen).toStrictEqual([[value, 1, 'x']]);
      expect(Object.is((await executor.run('return value')).output, value)).toBe(true);
    });
  });

  describe('calls and answers in groups', () => {
    test('300 calls are made and answered in order', async () => {
      const made = [];
      const executor = await executorWith({
        maxConcurrentToolCalls: 1_000,
        tools: { note: async (n) => (made.push(n), n) },
      });
      const code =
        'const seen = []; await Promise.all(Array.from({ length: 300 }, (_, i) => note(i).then((n) => seen.push(n)))); return seen';
      const { output } = await executor.run(code);
      const all = Array.from({ length: 300 }, (_, index) => index);
      expect(made).toStrictEqual(all);
      expect(output).toStrictEqual(all);
    });

    test('calls that are not awaited are made while the guest continues', async () => {
      let calls = 0;
      const executor = await executorWith({ timeoutMs: 2_000, tools: { note: async () => void calls++ } });
      const endless = 'for (let i = 0; i < 5; i++) note(i); for (;;) {}';
      const code = can.limitOperations ? 'ERR_MAX_OPS_EXCEEDED' : 'ERR_EXEC_TIMEOUT';
      await expect(executor.run(endless)).rejects.toMatchObject({ code });
      expect(calls).toBe(5);
    });

    test('answers that arrive while a sync tool is awaited settle their promises afterwards', async () => {
      const executor = await executorWith({ tools: { later: async (n) => n, now: (n) => n } });
      const code =
        'const p = [1, 2, 3].map((n) => later(n)); const sync = [now(4), now(5)]; return [...await Promise.all(p), ...sync]';
      expect((await executor.run(code)).output).toStrictEqual([1, 2, 3, 4, 5]);
    });

    test('a failure among many names the line of the failed call', async () => {
      const executor = await executorWith({
        tools: {
          risky: async (n) => {
            if (n === 2) throw new TypeError('two');
            return n;
          },
        },
      });
      const failure = executor.run(
        'const a = risky(1);\nconst b = risky(2);\nconst c = risky(3);\nreturn [await a, await b, await c]',
      );
      await expect(failure).rejects.toMatchObject({ code: 'ERR_TOOL_PROXY_FAIL', details: { line: 2, column: 11 } });
    });
  });
}
