// The option `globals`: timers, digests and random numbers, the clock, and signals.

import { createHash } from 'node:crypto';

import { describe, expect, test } from 'vitest';

import { SESExecutor, validateCode } from '../../index.mjs';
import { expectCode, gateTool, withExecutor } from '../helpers.mjs';

const ALL = ['timers', 'crypto', 'performance', 'abort', 'fetch'];
const TIMERS = { globals: ['timers'] };

const output = (options, code, tools = {}) =>
  withExecutor(options, tools, async (executor) => (await executor.run(code)).output);

const SLEEP = 'const sleep = (ms, value) => new Promise((resolve) => setTimeout(resolve, ms, value));';

describe('the option globals', () => {
  test('no global of the option exists without it', async () => {
    const names = [
      'setTimeout',
      'setInterval',
      'crypto',
      'performance',
      'AbortController',
      'fetch',
      'Headers',
      'Blob',
      'FormData',
    ];
    const code = `${JSON.stringify(names)}.filter((name) => name in globalThis)`;
    expect(await output({}, code)).toStrictEqual([]);
    expect(await output({ globals: [] }, code)).toStrictEqual([]);
  });

  test('each group has exactly its names', async () => {
    const code = 'return Object.getOwnPropertyNames(globalThis)';
    const before = await output({}, code);
    const added = async (globals) => (await output({ globals }, code)).filter((name) => !before.includes(name)).sort();
    expect(await added(['timers'])).toStrictEqual(['clearInterval', 'clearTimeout', 'setInterval', 'setTimeout']);
    expect(await added(['crypto'])).toStrictEqual(['crypto']);
    expect(await added(['performance'])).toStrictEqual(['performance']);
    expect(await added(['abort'])).toStrictEqual(['AbortController', 'AbortSignal']);
    expect(await added(['fetch'])).toStrictEqual([
      'Blob',
      'File',
      'FormData',
      'Headers',
      'Request',
      'Response',
      'fetch',
    ]);
  });

  test('a wrong name is refused with the names that exist', () => {
    expect(() => new SESExecutor({ globals: ['timer'] })).toThrow(
      new RangeError(
        'options.globals[0] must be "timers" or "crypto" or "performance" or "abort" or "fetch", got "timer"',
      ),
    );
    expect(() => new SESExecutor({ globals: 'timers' })).toThrow(
      new TypeError('options.globals must be an array, got "timers"'),
    );
  });

  test('validateCode warns of a global only where it does not exist, and names the option', () => {
    const [warning, ...more] = validateCode('setTimeout(() => {}, 1)');
    expect(more).toStrictEqual([]);
    expect(warning.message).toBe('setTimeout is not available unless the host provides it');
    expect(warning.fix).toBe(
      'Ask the host for a tool such as sleepTool(ms); hosts can allow it with globals: ["timers"]',
    );
    expect(validateCode('setTimeout(() => {}, 1)', TIMERS)).toStrictEqual([]);
    expect(
      validateCode('crypto.randomUUID(); fetch; Headers; AbortSignal; performance', { globals: ALL }),
    ).toStrictEqual([]);
    expect(validateCode('new FormData().append("a", new Blob())', { globals: ['fetch'] })).toStrictEqual([]);
  });

  test('the objects are frozen', async () => {
    const code = `[setTimeout, crypto, crypto.subtle, performance, AbortController, AbortSignal.prototype, fetch,
      Headers.prototype, Object.getPrototypeOf(Response), Blob.prototype, File, FormData.prototype,
      new Blob().stream().constructor, Object.getPrototypeOf(new Blob().stream().getReader())].every(Object.isFrozen)`;
    expect(await output({ globals: ALL }, code)).toBe(true);
  });

  test('a program and a tool may have the names', async () => {
    expect(await output({ globals: ALL }, 'const fetch = 1; const crypto = 2; [fetch, crypto]')).toStrictEqual([1, 2]);
    expect(await output({ globals: ALL }, 'fetch()', { fetch: () => 'of the tool' })).toBe('of the tool');
  });
});

describe('timers', () => {
  test('callbacks run in the order of their times, then of their creation', async () => {
    const code = `
      const order = [];
      setTimeout(() => order.push('c'), 200);
      setTimeout(() => order.push('a'), 1);
      setTimeout((x, y) => order.push(x + y), 1, 'b', '1');
      Promise.resolve().then(() => order.push('microtask'));
      order.push('program');
      await new Promise((resolve) => setTimeout(resolve, 200));
      order`;
    expect(await output(TIMERS, code)).toStrictEqual(['program', 'microtask', 'a', 'b1', 'c']);
  });

  test('microtasks of a callback run before the next callback', async () => {
    const code = `
      const order = [];
      setTimeout(async () => { order.push(1); await null; await null; order.push(2); }, 1);
      setTimeout(() => order.push(3), 1);
      await new Promise((resolve) => setTimeout(resolve, 5));
      order`;
    expect(await output(TIMERS, code)).toStrictEqual([1, 2, 3]);
  });

  test('clearTimeout and clearInterval end timers, also from their own callbacks', async () => {
    const code = `${SLEEP}
      const calls = [];
      const gone = setTimeout(() => calls.push('gone'), 1);
      clearTimeout(gone);
      let ticks = 0;
      await new Promise((resolve) => {
        const id = setInterval(() => { if (++ticks === 3) { clearInterval(id); resolve(); } }, 1);
      });
      await sleep(20);
      clearTimeout(undefined);
      clearTimeout('x');
      [calls, ticks]`;
    expect(await output(TIMERS, code)).toStrictEqual([[], 3]);
  });

  test('a run does not wait for timers, and they end with it', async () => {
    await withExecutor(TIMERS, {}, async (executor) => {
      const { output: first, logs } = await executor.run(
        'globalThis.calls = 0; setInterval(() => calls++, 1); setTimeout(() => calls++, 1); "done"',
      );
      expect([first, logs]).toStrictEqual(['done', '']);
      expect((await executor.run(`${SLEEP} await sleep(30); calls`)).output).toBe(0);
    });
  });

  test('a promise that was declared last is awaited while timers may settle it', async () => {
    expect(await output(TIMERS, 'const late = new Promise((resolve) => setTimeout(resolve, 5, "late"))')).toBe('late');
  });

  test('waiting counts against timeoutMs, also with toolTimeoutMs', async () => {
    const forever = 'await new Promise((resolve) => setTimeout(resolve, 60_000))';
    for (const more of [{}, { toolTimeoutMs: 60_000 }]) {
      await withExecutor({ ...TIMERS, timeoutMs: 100, ...more }, {}, (executor) =>
        expectCode(executor.run(forever), 'ERR_EXEC_TIMEOUT'),
      );
    }
  });

  test('a callback that does not return can be aborted, and keepState keeps the rest', async () => {
    const options = { ...TIMERS, keepState: true, maxOperations: Infinity };
    const controller = new AbortController();
    const tools = { begun: () => void setImmediate(() => controller.abort()) };
    await withExecutor(options, tools, async (executor) => {
      await executor.run('let kept = 1');
      const code = 'setTimeout(() => { begun(); for (;;); }, 1); await new Promise(() => {})';
      const { details } = await expectCode(executor.run(code, { signal: controller.signal }), 'ERR_EXEC_TIMEOUT');
      expect(details.stateLost).toBe(false);
      expect((await executor.run(`${SLEEP} await sleep(1); kept`)).output).toBe(1);
    });
  });

  test('an aborted run ends its timers', async () => {
    await withExecutor(TIMERS, {}, async (executor) => {
      const controller = new AbortController();
      const run = executor.run('console.log("waits"); await new Promise((resolve) => setTimeout(resolve, 60_000))', {
        signal: controller.signal,
      });
      setImmediate(() => controller.abort());
      await expectCode(run, 'ERR_EXEC_TIMEOUT');
    });
  });

  test('timers do not count as tool calls', async () => {
    await withExecutor({ ...TIMERS, maxToolCalls: 0, maxConcurrentToolCalls: 1 }, {}, async (executor) => {
      const { output: ticks, stats } = await executor.run(`${SLEEP}
        let ticks = 0;
        for (let i = 0; i < 20; i++) { await sleep(1); ticks++; }
        ticks`);
      expect(ticks).toBe(20);
      expect(stats.toolCalls).toBe(0);
    });
  });

  test('onToolCall and a plan do not see them', async () => {
    const seen = [];
    const options = { ...TIMERS, onToolCall: ({ name }) => void seen.push(name) };
    await withExecutor(options, {}, async (executor) => {
      const plan = { version: 1, complete: true, tools: [], unresolved: [] };
      expect((await executor.run(`${SLEEP} await sleep(1, 'x')`, { plan })).output).toBe('x');
      expect(seen).toStrictEqual([]);
    });
  });

  test('a tool call and a timer may race', async () => {
    const { tool, open } = gateTool();
    const tools = { ask: tool, answer: async () => open('answered') };
    const code = `${SLEEP}
      const first = await Promise.race([ask(), sleep(5, 'late')]);
      const second = ask();
      await answer();
      [first, await Promise.race([second, sleep(5_000, 'late')])]`;
    expect(await output(TIMERS, code, tools)).toStrictEqual(['late', 'answered']);
  });

  test('an earlier timer is not late because the host waits for a later one', async () => {
    const code = `${SLEEP}
      const order = [];
      const slow = sleep(2_000).then(() => order.push('slow'));
      await sleep(1);
      await sleep(1);
      order`;
    expect(await output({ ...TIMERS, timeoutMs: 1_500 }, code)).toStrictEqual([]);
  });

  test('final_answer in a callback ends the run', async () => {
    await withExecutor(TIMERS, {}, async (executor) => {
      const code = 'setTimeout(() => final_answer(42), 1); await new Promise(() => {})';
      const { output: answer, is_final_answer } = await executor.run(code);
      expect([answer, is_final_answer]).toStrictEqual([42, true]);
    });
  });

  test('an error of a callback is logged and ends nothing', async () => {
    await withExecutor(TIMERS, {}, async (executor) => {
      const { output: value, logs } = await executor.run(`${SLEEP}
        setTimeout(() => { throw new TypeError('of the callback'); }, 1);
        await sleep(10, 'on')`);
      expect(value).toBe('on');
      expect(logs).toMatch(/Unhandled promise rejection: TypeError: of the callback/);
    });
  });

  test('there are at most 1,000 at the same time', async () => {
    const code = `
      let made = 0;
      try { for (;;) { setTimeout(() => {}, 1_000); made++; } } catch (error) { [made, error.name, error.message] }`;
    expect(await output(TIMERS, code)).toStrictEqual([
      1000,
      'RangeError',
      'There are 1000 timers already; clear those that are not needed any more',
    ]);
  });

  test('a string is not code', async () => {
    const code = "try { setTimeout('1 + 1', 1) } catch (error) { error.message }";
    expect(await output(TIMERS, code)).toBe('setTimeout: the first argument must be a function, got string');
  });

  test('they work in worker processes', async () => {
    const options = { ...TIMERS, isolation: 'process', maxToolCalls: 0 };
    expect(await output(options, `${SLEEP} for (let i = 0; i < 5; i++) await sleep(1); await sleep(1, 'x')`)).toBe('x');
  });
});

describe('crypto', () => {
  const CRYPTO = { globals: ['crypto'] };

  test('digests are those of Node.js', async () => {
    for (const size of [0, 1, 100, 3_000_000]) {
      for (const name of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']) {
        const code = `const bytes = new Uint8Array(${size}).fill(7);
          [...new Uint8Array(await crypto.subtle.digest('${name}', bytes))]`;
        const expected = createHash(name.replace('-', '').toLowerCase()).update(Buffer.alloc(size, 7)).digest();
        expect(await output(CRYPTO, code), `${name} of ${size}`).toStrictEqual([...expected]);
      }
    }
  });

  test('digests take buffers, views and names as objects', async () => {
    const code = `const bytes = new Uint8Array([9, 97, 98, 99, 9]);
      const hex = async (name, data) => [...new Uint8Array(await crypto.subtle.digest(name, data))].slice(0, 2);
      [await hex('sha-256', bytes.subarray(1, 4)), await hex({ name: 'SHA-256' }, bytes.slice(1, 4).buffer),
        await hex('SHA-256', new DataView(bytes.buffer, 1, 3))]`;
    expect(await output(CRYPTO, code)).toStrictEqual(
      [
        [186, 120],
        [186, 120],
        [186, 120],
      ].map((pair) => pair),
    );
  });

  test('wrong arguments say what to do', async () => {
    const code = `const of = async (...args) => { try { await crypto.subtle.digest(...args); } catch (error) { return [error.name, error.message]; } };
      [await of('MD5', new Uint8Array(1)), await of('SHA-256', 'text')]`;
    expect(await output(CRYPTO, code)).toStrictEqual([
      ['NotSupportedError', 'crypto.subtle.digest: the algorithm must be SHA-1, SHA-256, SHA-384 or SHA-512'],
      [
        'TypeError',
        'crypto.subtle.digest: the data must be an ArrayBuffer or a typed array; encode text with new TextEncoder().encode(text)',
      ],
    ]);
  });

  test('random values differ, and UUIDs have version 4', async () => {
    const code = `const ids = Array.from({ length: 50 }, () => crypto.randomUUID());
      const array = new Uint32Array(4);
      [ids, crypto.getRandomValues(array) === array, [...array].some((word) => word > 0), [...crypto.getRandomValues(new Uint8Array(4).subarray(2))].length]`;
    const [ids, ...rest] = await output(CRYPTO, code);
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(rest).toStrictEqual([true, true, 2]);
    expect(await output(CRYPTO, 'crypto.randomUUID()')).not.toBe(ids[0]);
  });

  test('getRandomValues refuses other arrays and more than 65,536 bytes', async () => {
    const code = `[new Float64Array(1), new Uint8Array(65_537), 'x'].map((value) => { try { crypto.getRandomValues(value); } catch (error) { return error.name; } })`;
    expect(await output(CRYPTO, code)).toStrictEqual(['TypeMismatchError', 'QuotaExceededError', 'TypeMismatchError']);
  });
});

describe('performance', () => {
  test('the clock has whole milliseconds and begins with the session', async () => {
    const code = `const first = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 20));
      const second = performance.now();
      [first, Number.isInteger(second), second - first >= 19, Math.abs(performance.timeOrigin + second - Date.now()) <= 2]`;
    const [first, ...rest] = await output({ globals: ['performance', 'timers'] }, code);
    expect(first).toBeLessThan(1_000);
    expect(rest).toStrictEqual([true, true, true]);
  });
});

describe('abort', () => {
  const ABORT = { globals: ['abort'] };

  test('a controller aborts its signal once', async () => {
    const code = `
      const controller = new AbortController();
      const { signal } = controller;
      const seen = [];
      const once = (event) => seen.push(['listener', event.type, event.target === signal]);
      signal.onabort = () => seen.push('onabort');
      signal.addEventListener('abort', once);
      signal.addEventListener('abort', once);
      signal.addEventListener('abort', { handleEvent: () => seen.push('object') });
      const removed = () => seen.push('removed');
      signal.addEventListener('abort', removed);
      signal.removeEventListener('abort', removed);
      signal.addEventListener('abort', () => { throw new Error('of a listener'); });
      signal.addEventListener('abort', () => seen.push('last'));
      const before = signal.aborted;
      controller.abort('why');
      controller.abort('again');
      let thrown;
      try { signal.throwIfAborted(); } catch (reason) { thrown = reason; }
      [before, signal.aborted, signal.reason, thrown, seen]`;
    expect(await output(ABORT, code)).toStrictEqual([
      false,
      true,
      'why',
      'why',
      ['onabort', ['listener', 'abort', true], 'object', 'last'],
    ]);
  });

  test('reasons are errors with the names that web standards give them', async () => {
    const code = `
      const controller = new AbortController();
      controller.abort();
      const late = AbortSignal.timeout(1);
      await new Promise((resolve) => late.addEventListener('abort', resolve));
      [controller.signal.reason.name, controller.signal.reason.message, late.reason.name, AbortSignal.abort().aborted]`;
    expect(await output(ABORT, code)).toStrictEqual(['AbortError', 'This operation was aborted', 'TimeoutError', true]);
  });

  test('AbortSignal.any follows the first of its signals', async () => {
    const code = `
      const [a, b] = [new AbortController(), new AbortController()];
      const any = AbortSignal.any([a.signal, b.signal]);
      const outer = AbortSignal.any([any]);
      const seen = [];
      outer.addEventListener('abort', () => seen.push(outer.reason));
      b.abort('b');
      a.abort('a');
      [any.aborted, any.reason, seen, AbortSignal.any([a.signal]).reason, AbortSignal.any([]).aborted]`;
    expect(await output(ABORT, code)).toStrictEqual([true, 'b', ['b'], 'a', false]);
  });

  test('an error of a listener is logged and does not prevent calls of other listeners', async () => {
    const code = `
      const controller = new AbortController();
      const seen = [];
      controller.signal.addEventListener('abort', { get handleEvent() { throw new TypeError('of the getter'); } });
      controller.signal.addEventListener('abort', () => seen.push('last'));
      controller.abort();
      seen`;
    await withExecutor(ABORT, {}, async (executor) => {
      const { output: seen, logs } = await executor.run(code);
      expect(seen).toStrictEqual(['last']);
      expect(logs).toBe('Unhandled promise rejection: TypeError: of the getter (line 4)');
    });
  });

  // A signal has room for 1,000 signals and operations.
  test.each([
    [
      'follows several and is aborted',
      'const own = new AbortController(); AbortSignal.any([stop, own.signal]); own.abort();',
    ],
    [
      'cannot follow all of several',
      'try { AbortSignal.any([stop, full]); refused++; } catch ({ name }) { if (name !== "RangeError") throw name; }',
    ],
    [
      'removes a listener',
      'signal.addEventListener("abort", f, { signal: stop }); signal.removeEventListener("abort", f);',
    ],
    [
      'calls its listeners',
      'const own = new AbortController(); own.signal.addEventListener("abort", f, { signal: stop }); own.abort();',
    ],
  ])('a signal that %s leaves no listeners on other signals', async (_, statements) => {
    const code = `
      const [stop, full, signal] = Array.from({ length: 3 }, () => new AbortController().signal);
      const f = () => {};
      let refused = 0;
      for (let i = 0; i < 1_000; i++) AbortSignal.any([full]);
      for (let i = 0; i < 1_001; i++) { ${statements} }
      AbortSignal.any([stop]);
      refused`;
    expect(await output(ABORT, code)).toBe(0);
  });

  test('signals cannot be forged', async () => {
    const code = `[() => new AbortSignal(), () => AbortSignal.any([{}]), () => Reflect.get(AbortSignal.prototype, 'aborted', {}),
      () => new (Object.getPrototypeOf(class {}).constructor)('return 1')].map((call) => { try { call(); return 'no'; } catch (error) { return error.name; } })`;
    expect((await output(ABORT, code)).slice(0, 3)).toStrictEqual(['TypeError', 'TypeError', 'TypeError']);
  });
});
