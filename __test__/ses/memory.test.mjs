// P4: a guest that takes more memory than it may ends its run with a coded outcome; the host lives,
// and the next executor works. Each bomb has its own process.
import { describe, expect, test, vi } from 'vitest';

import { SESExecutor } from '../../index.mjs';
import { expectCode, runChild, withExecutor } from '../helpers.mjs';

/** For a bomb on a machine that is busy with other things. A deadline would only hide what the memory limit does. */
const LONG_MS = 150_000;
vi.setConfig({ testTimeout: LONG_MS + 30_000 });

const LIMIT = 'ERR_MEMORY_LIMIT_EXCEEDED';
const RUNTIME = 'ERR_RUNTIME_EXCEPTION';

/// Runs `code` in a child and returns its outcome. In a function, so that nothing of it persists.
const detonate = async (code, { options = {}, limitMb = 64 } = {}) => {
  const { status, signal, stdout, stderr } = await runChild(
    `
    import { SESExecutor } from '${new URL('../../index.mjs', import.meta.url)}';
    const options = ${JSON.stringify({ memoryLimitMb: limitMb, maxOperations: 1e9, timeoutMs: 2 ** 31 - 1, ...options })};
    const executor = new SESExecutor(options);
    await executor.init();
    const neighbour = new SESExecutor({ memoryLimitMb: 64 });
    await neighbour.init();
    await neighbour.run('const kept = 41;');
    const before = process.resourceUsage().maxRSS;
    const outcome = await executor.run(${JSON.stringify(`return await (async () => { ${code}
 })();`)}).catch((error) => error);
    const grownMb = (process.resourceUsage().maxRSS - before) / 1024;
    const state = executor.state;
    const report = {
      code: outcome.code ?? null, message: outcome.message, retryable: outcome.retryable, severity: outcome.severity, details: outcome.details,
      output: outcome.output, logs: outcome.logs, state, grownMb,
    };
    if (state === 'READY') report.next = await executor.run('let n = 0; for (let i = 0; i < 1000; i++) n++; [n, new Uint8Array(1e6).length, "x".repeat(1e6).length]').then((r) => r.output, (e) => e.code);
    await executor.cleanup();
    report.dead = executor.state;
    await executor.init();
    report.again = (await executor.run('1 + 1')).output;
    await executor.cleanup();
    report.neighbour = (await neighbour.run('kept + 1')).output;
    await neighbour.cleanup();
    process.stdout.write(JSON.stringify(report));
  `,
    { timeoutMs: LONG_MS },
  );
  // V8 may write a line about its last collections to stderr.
  expect({ status, signal, stderr }).toMatchObject({ status: 0, signal: null });
  const report = JSON.parse(stdout);
  // Whatever it was: the executor recovers and others have noticed nothing.
  expect(report).toMatchObject({ dead: 'DEAD', again: 2, neighbour: 42 });
  expect(['READY', 'DIRTY']).toContain(report.state);
  if (report.state === 'READY') expect(report.next).toStrictEqual([1000, 1e6, 1e6]);
  return report;
};

const expectLimit = (report, limitMb = 64) => {
  expect(report).toMatchObject({
    code: LIMIT,
    message: `Memory limit exceeded (${limitMb} MB)`,
    retryable: true,
    severity: 'ERROR',
  });
  expect(report.state === 'DIRTY').toBe(report.details.parked === true);
};

describe('P4 heap bombs', () => {
  const BOMBS = {
    'array push': 'const hoard = []; for (;;) hoard.push({ at: hoard.length });',
    'array of strings': 'const hoard = []; for (let i = 0; ; i++) hoard.push("s" + i);',
    'array of arrays': 'const hoard = []; for (;;) hoard.push(new Array(1000).fill(0.5));',
    'a linked list': 'let list = null; for (;;) list = { list };',
    Map: 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i });',
    Set: 'const s = new Set(); for (let i = 0; ; i++) s.add("k" + i);',
    'object keys': 'const o = {}; for (let i = 0; ; i++) o["key" + i] = i;',
    closures: 'const fs = []; for (let i = 0; ; i++) { const big = new Array(100).fill(i); fs.push(() => big); }',
    'strings that are flattened':
      'const hoard = []; for (let i = 0; ; i++) { const s = "x".repeat(1e5) + i; JSON.stringify(s); hoard.push(JSON.parse(JSON.stringify(s))); }',
    promises: 'const ps = []; for (;;) ps.push(new Promise(() => {}));',
    generators:
      'const gs = []; for (;;) { const g = (function* () { yield new Array(100).fill(1); })(); g.next(); gs.push(g); }',
    'in an async function':
      'const hoard = []; const grow = async () => { for (;;) { hoard.push(new Array(1000).fill(0.5)); await null; } }; await grow();',
    'in a callback of a builtin':
      'const hoard = []; Array.from({ length: 1e9 }, () => hoard.push(new Array(100).fill(0.5)));',
    'regexp matches': 'const hoard = []; for (let i = 0; ; i++) hoard.push("a".repeat(1000).match(/a/g));',
    BigInts: 'const hoard = []; for (let i = 1n; ; i++) hoard.push(2n ** 100000n + i);',
    errors: 'const hoard = []; for (;;) hoard.push(new Error("x"));',
    'logs that are kept':
      'const hoard = []; for (let i = 0; ; i++) { hoard.push("line " + i); console.log(hoard[i]); }',
  };

  test.each(Object.entries(BOMBS))('%s ends at the limit', async (_name, code) => {
    expectLimit(await detonate(code));
  });

  test('code that is compiled during a bomb keeps none of its memory alive', async () => {
    await withExecutor({ memoryLimitMb: 64, maxOperations: 1e9, timeoutMs: LONG_MS }, {}, async (executor) => {
      for (let round = 0; round < 30; round++) {
        await expectCode(executor.run(`return await (async () => { ${BOMBS['in an async function']} })()`), LIMIT);
        expect(executor.state).toBe('READY');
      }
    });
  });

  test('a bomb that the guest catches still ends the run', async () => {
    expectLimit(
      await detonate(
        'const hoard = []; for (;;) { try { for (;;) hoard.push(new Array(1000).fill(0.5)); } catch {} finally { hoard.push(1); } }',
      ),
    );
  });

  test('a bomb ends at the default limit of 128 MB', async () => {
    expectLimit(
      await detonate('const hoard = []; for (;;) hoard.push(new Array(1000).fill(0.5));', { limitMb: 128 }),
      128,
    );
  });

  test('a bomb ends at the smallest limit of 8 MB', async () => {
    const report = await detonate('const hoard = []; for (;;) hoard.push(new Array(1000).fill(0.5));', {
      limitMb: 8,
    }).catch((error) => error);
    // `next` of READY needs more memory than this limit has: only the outcome counts here.
    if (report instanceof Error) throw report;
    expectLimit(report, 8);
  });

  test('the memory of the host grows by little more than the limit', async () => {
    const report = await detonate('const hoard = []; for (;;) hoard.push({ at: hoard.length, list: [1, 2, 3] });');
    expectLimit(report);
    expect(report.grownMb).toBeLessThan(64 + 64);
  });
});

describe('P4 single allocations that are too large', () => {
  // Nothing here may end the process. Some of it is an error that guests can catch.
  test.each([
    ['Array(1e9).fill', LIMIT, 'Array(1e9).fill(1).length'],
    ['Array(1e8).fill', LIMIT, 'Array(1e8).fill(1).length'],
    ['Array.from a length', LIMIT, 'Array.from({ length: 5e7 }).length'],
    ['spread of a long string', LIMIT, '[..."x".repeat(5e7)].length'],
    ['split of a long string', LIMIT, '"x".repeat(1e8).split("").length'],
    ['a flattened string of 500 MB', LIMIT, 'const s = "ab".repeat(2.5e8); s.charCodeAt(5) + s.indexOf("zz")'],
    ['a string that doubles', 'Invalid string length', 'let s = "x"; for (;;) s += s;'],
    ['a string that doubles and is flattened', LIMIT, 'let s = "x"; for (;;) { s += s; s.charCodeAt(0); }'],
    ['repeat beyond the longest string', 'Invalid string length', '"x".repeat(2 ** 30)'],
    ['padStart', LIMIT, '"x".padStart(2 ** 29 - 100, "abc").charCodeAt(7)'],
    ['join of a sparse array', LIMIT, 'Array(1e8).join("xx").length'],
    ['replaceAll that grows', 'Invalid string length', '"a".repeat(1e6).replaceAll("a", "b".repeat(1000)).length'],
    ['JSON.stringify', LIMIT, 'JSON.stringify(Array(6e6).fill("0123456789")).length'],
    ['JSON.parse', LIMIT, 'JSON.parse("[" + "0,".repeat(3e7) + "0]").length'],
    ['a BigInt power', 'Maximum BigInt size exceeded', '2n ** (2n ** 30n)'],
    ['BigInt shifts', LIMIT, 'let n = 1n; for (;;) n = n << 50000000n;'],
    ['an invalid array length', 'Invalid array length', 'new Array(-1)'],
    ['concat of large arrays', LIMIT, 'let a = Array(1e6).fill(1); for (;;) a = a.concat(a);'],
    ['a regexp of a megabyte', 'SyntaxError', 'new RegExp("(a|b)".repeat(2e5)).test("ab".repeat(1e5))'],
    ['Object.fromEntries', LIMIT, 'Object.fromEntries(Array.from({ length: 3e6 }, (_, i) => ["k" + i, i])).k5'],
    ['structured output', LIMIT, 'return Array.from({ length: 2e6 }, (_, i) => ({ i }));'],
    ['normalize', LIMIT, '"\\u0344".repeat(5e7).normalize("NFD").length'],
    ['sort', LIMIT, 'Array.from({ length: 1e7 }, (_, i) => -i).sort().length'],
  ])('%s: %s', async (_name, expected, code) => {
    const report = await detonate(code);
    if (expected === LIMIT) return expectLimit(report);
    const { name, message } = report.details;
    expect([report.code, report.state, name === 'RangeError' ? message : name]).toStrictEqual([
      RUNTIME,
      'READY',
      expected,
    ]);
  });
});

describe('P4 array buffers', () => {
  const REFUSED = 'Array buffer allocation failed';
  const HOARD = 'const hoard = []; for (;;) hoard.push';
  test.each([
    ['one large ArrayBuffer', 'new ArrayBuffer(1e9);'],
    ['one large typed array', 'new Uint8Array(1e9);'],
    ['many typed arrays', `${HOARD}(new Uint8Array(1e6));`],
    ['slices', 'const b = new Uint8Array(1e7); const hoard = []; for (;;) hoard.push(b.slice());'],
    ['transfer', 'let b = new ArrayBuffer(1e6); for (let n = 1e6; ; n *= 2) b = b.transfer(n);'],
    ['typed arrays of objects', `${HOARD}(Float64Array.from({ length: 1e5 }, () => 1));`],
    [
      'a resizable buffer',
      'const b = new ArrayBuffer(1, { maxByteLength: 1e9 }); b.resize(1e9); new Uint8Array(b).fill(1);',
      'Resizable array buffers are not available here',
    ],
    ['from base64', `${HOARD}(Uint8Array.fromBase64("AAAA".repeat(1e6)));`, 'Uint8Array.fromBase64: Out of memory'],
  ])('%s: a RangeError', async (_name, code, message = REFUSED) => {
    const report = await detonate(code);
    expect(report).toMatchObject({ code: RUNTIME, state: 'READY', details: { name: 'RangeError', message } });
    expect(report.grownMb).toBeLessThan(64 + 64);
  });

  test('the guest can catch the RangeError and continue', async () => {
    await withExecutor({ memoryLimitMb: 64 }, {}, async (executor) => {
      const { output } = await executor.run(
        'const sizes = []; for (const size of [1e9, 2 ** 53, -1, 1e6]) { try { sizes.push(new Uint8Array(size).length); } catch (e) { sizes.push(e instanceof RangeError); } } sizes',
      );
      expect(output).toStrictEqual([true, true, true, 1e6]);
    });
  });

  test('a refused buffer does not cause a later bomb to park its isolate', async () => {
    const bomb = 'const hoard = []; for (;;) hoard.push(new Uint8Array(1e6));';
    const doubling = 'let s = "x"; for (;;) { s += s; s.charCodeAt(0); }';
    for (const programs of [[bomb, doubling], [`try { ${bomb} } catch {} ${doubling}`]]) {
      await withExecutor({ memoryLimitMb: 64 }, {}, async (executor) => {
        const failures = [];
        for (const program of programs) failures.push(await executor.run(program).catch((error) => error));
        expect(failures.pop()).toMatchObject({ code: LIMIT, details: { limitBytes: 64 * 2 ** 20 } });
        expect(executor.state).toBe('READY');
      });
    }
  });

  test('dropped buffers are released', async () => {
    await withExecutor({ memoryLimitMb: 64, maxOperations: 1e6 }, {}, async (executor) => {
      expect(
        (await executor.run('let n = 0; for (let i = 0; i < 500; i++) n += new Uint8Array(1e6).length; n')).output,
      ).toBe(5e8);
      expect(
        (await executor.run('let m = 0; for (let i = 0; i < 500; i++) m += new Uint8Array(1e6).length; m')).output,
      ).toBe(5e8);
    });
  });

  test('buffers below the limit are granted, zeroed and independent', async () => {
    await withExecutor({ memoryLimitMb: 64 }, {}, async (executor) => {
      const { output } = await executor.run(
        'const a = new Uint8Array(4e7); a[0] = 1; const b = new Uint8Array(1e6); [a.length, b[0], b.every((x) => x === 0)]',
      );
      expect(output).toStrictEqual([4e7, 0, true]);
    });
  });

  test('heap and buffers share one budget', async () => {
    const bytes = 'const bytes = []; for (let i = 0; i < 45; i++) bytes.push(new Uint8Array(1e6).fill(1));';
    const heap = 'const hoard = []; for (let i = 0; i < 45; i++) hoard.push(new Array(125000).fill(0.5));';
    expect((await detonate(`${bytes} return bytes.length`)).output).toBe(45);
    expect((await detonate(`${heap} return hoard.length`)).output).toBe(45);
    expectLimit(await detonate(`${bytes} ${heap} return bytes.length + hoard.length;`));
  });
});

describe('deep recursion', () => {
  const OVERFLOW = [RUNTIME, 'RangeError', 'Maximum call stack size exceeded'];
  const nested = (levels, what) => `let o = {}; for (let i = 0; i < ${levels}; i++) o = ${what};`;
  test.each([
    ['a function', OVERFLOW, 'const f = (n) => f(n + 1) + 1; f(0);'],
    ['a getter', OVERFLOW, 'const o = { get a() { return this.a; } }; o.a;'],
    ['a proxy chain', OVERFLOW, `${nested(100_000, 'new Proxy(o, {})')} o.x;`],
    ['toString', OVERFLOW, 'const o = { toString() { return `${this}`; } }; `${o}`;'],
    ['flat', OVERFLOW, `${nested(1_000_000, '[o]')} o.flat(Infinity);`],
    ['a tool at the end of the stack', OVERFLOW, 'const f = () => { try { f(); } finally { tool(1); } }; f();'],
    ['JSON.stringify of a deep object', 6_000_002, `${nested(1_000_000, '{ o }')} JSON.stringify(o).length;`],
    ['JSON.parse of a deep text', 1, 'JSON.parse("[".repeat(2e6) + "]".repeat(2e6)).length'],
    ['a regexp', [RUNTIME, 'SyntaxError'], 'new RegExp("(".repeat(1e5) + ")".repeat(1e5))'],
    [
      'a deep tool argument',
      [
        'ERR_TOOL_PROXY_FAIL',
        'TypeError',
        'tool: the arguments cannot cross to the host: Maximum call stack size exceeded',
      ],
      `${nested(200_000, '[o]')} tool(o);`,
    ],
    [
      'console at the end of the stack',
      1,
      'const f = () => { try { f(); } catch { console.log({ a: [1] }); } }; f(); 1;',
    ],
    ['inspection of a deep value', 1, `${nested(100_000, '{ o }')} console.dir(o, { depth: Infinity }); 1;`],
    ['a class chain', {}, 'let C = class {}; for (let i = 0; i < 100000; i++) C = class extends C {}; new C();'],
  ])('%s is an error that guests can catch, or none', async (_name, expected, code) => {
    const { status, signal, stdout, stderr } = await runChild(
      `
      import { SESExecutor } from '${new URL('../../index.mjs', import.meta.url)}';
      const executor = new SESExecutor({ maxOperations: 1e7, timeoutMs: ${LONG_MS}, maxToolCalls: 1e6 });
      await executor.init();
      await executor.sendTools({ tool: (x) => 1 });
      const outcome = await executor.run(${JSON.stringify(code)}).catch((error) => error);
      const { name, message } = outcome.details ?? {};
      const report = { code: outcome.code, name, message, output: outcome.output, state: executor.state };
      report.next = (await executor.run('1 + 1')).output;
      await executor.cleanup();
      process.stdout.write(JSON.stringify(report));
    `,
      { timeoutMs: LONG_MS },
    );
    expect({ status, signal, stderr }).toMatchObject({ status: 0, signal: null });
    const { state, next, ...report } = JSON.parse(stdout);
    expect([state, next]).toStrictEqual(['READY', 2]);
    if (!Array.isArray(expected)) return expect(report).toStrictEqual({ output: expected });
    const [failure, name, message = report.message] = expected;
    expect(report).toStrictEqual({ code: failure, name, message });
  });
});

test('the limit applies to each executor separately', async () => {
  const executors = Array.from({ length: 4 }, () => new SESExecutor({ memoryLimitMb: 64 }));
  try {
    await Promise.all(executors.map((executor) => executor.init()));
    const outputs = await Promise.all(
      executors.map((executor) => executor.run('const a = new Uint8Array(4e7); a.length')),
    );
    expect(outputs.map(({ output }) => output)).toStrictEqual([4e7, 4e7, 4e7, 4e7]);
  } finally {
    await Promise.all(executors.map((executor) => executor.cleanup()));
  }
});

test('memory of earlier runs that nothing references is available to later runs', async () => {
  await withExecutor({ memoryLimitMb: 64, maxOperations: 1e9 }, {}, async (executor) => {
    for (let i = 0; i < 6; i++) {
      expect(
        (
          await executor.run(
            '{ const a = []; for (let i = 0; i < 300; i++) a.push(new Array(10000).fill(0.5)); a.length; }',
          )
        ).output,
      ).toBe(300);
    }
  });
});

test('a session whose variables nearly fill the limit is lost, and the error reports that', async () => {
  for (const isolation of ['thread', 'process']) {
    await withExecutor({ memoryLimitMb: 16, maxOperations: 1e9, isolation }, {}, async (executor) => {
      await executor.run('const kept = []');
      const error = await expectCode(executor.run('for (;;) kept.push(new Array(1000).fill(0.5))'), LIMIT);
      const { usedBytes, ...details } = error.details;
      expect(details).toStrictEqual({
        limitBytes: 16 * 2 ** 20,
        stateLost: true,
        hint:
          'Variables, including those of earlier runs, hold nearly all of the memory: work on smaller pieces, and keep ' +
          'results instead of intermediate values.',
      });
      expect(usedBytes).toBeGreaterThan(15 * 2 ** 20);
      expect(executor.state).toBe('DIRTY');
      expect(error.explanation).toBe(
        `ERR_MEMORY_LIMIT_EXCEEDED: Memory limit exceeded (16 MB)\nHint: ${details.hint} ` +
          'Variables and functions of earlier runs are gone: define again what is still needed.',
      );
    });
  }
});

test('a variable whose buffer exceeds the limit is refused like one with many objects', async () => {
  await withExecutor({ memoryLimitMb: 16 }, {}, async (executor) => {
    for (const value of [new Uint8Array(40e6), Array.from({ length: 1e6 }, (_, i) => ({ i }))]) {
      const error = await expectCode(executor.sendVariables({ value }), LIMIT);
      expect([error.message, executor.state]).toStrictEqual(['Memory limit exceeded (16 MB)', 'READY']);
    }
    expect((await executor.run('typeof value')).output).toBe('undefined');
  });
});

test('formatters that nothing references do not count', async () => {
  await withExecutor({ memoryLimitMb: 32, maxOperations: 1e9 }, {}, async (executor) => {
    const { output } = await executor.run(`
      let length = 0;
      for (let i = 0; i < 5000; i++) length += new Intl.DateTimeFormat('en-CA', { timeZone: 'UTC' }).format(0).length;
      length`);
    expect(output).toBe(50_000);
  });
});

describe('an isolate after it has reached its limit', () => {
  const BUFFERS = '(() => { const hoard = []; Array.from({ length: 1e6 }, () => hoard.push(new Uint8Array(1e6))); })()';
  const CAUGHT = '(() => { const hoard = []; try { for (;;) hoard.push(new Uint8Array(1e6)); } catch {} return 1; })()';
  const HEAP = '(() => { const hoard = []; for (;;) hoard.push(new Array(1000).fill(0.5)); })()';
  const STRING = '(() => { let s = "x"; for (;;) { s += s; s.charCodeAt(0); } })()';
  const BIGINT = '2n ** (2n ** 30n)';

  test('survives bombs of all kinds in turn without being parked', async () => {
    await withExecutor({ memoryLimitMb: 64, maxOperations: 1e6, timeoutMs: LONG_MS }, {}, async (executor) => {
      const codes = { [BUFFERS]: RUNTIME, [STRING]: LIMIT, [HEAP]: LIMIT, [CAUGHT]: null, [BIGINT]: RUNTIME };
      for (const bomb of [BUFFERS, STRING, HEAP, CAUGHT, BIGINT, STRING, BUFFERS, BUFFERS, HEAP, CAUGHT, STRING]) {
        const { code = null } = await executor.run(bomb).catch((error) => error);
        expect({ bomb, code, state: executor.state }).toStrictEqual({ bomb, code: codes[bomb], state: 'READY' });
      }
    });
  });

  test('has its full memory again after array buffers that took all of it', async () => {
    await withExecutor({ memoryLimitMb: 64, maxOperations: 1e6, timeoutMs: LONG_MS }, {}, async (executor) => {
      for (let i = 0; i < 8; i++) {
        await expectCode(executor.run(BUFFERS), RUNTIME);
        expect((await executor.run('(() => new Array(4e6).fill(0.5).length)()')).output).toBe(4e6);
        expect((await executor.run(CAUGHT)).output).toBe(1);
        const text = '(() => { let s = "xy".repeat(1e7); s += "z"; return s.charCodeAt(2e7); })()';
        expect((await executor.run(text)).output).toBe(122);
      }
    });
  });
});

test('stats report the used heap', async () => {
  await withExecutor({}, {}, async (executor) => {
    const small = (await executor.run('1')).stats.heapUsedBytes;
    const { stats } = await executor.run('const kept = Array.from({ length: 200000 }, (_, i) => ({ i })); kept.length');
    expect(small).toBeGreaterThan(100_000);
    // Of each number, there is an object of four words, an element of the list, and what was not collected yet.
    const words = (stats.heapUsedBytes - small) / 200_000 / 8;
    expect(words).toBeGreaterThan(4 + 1);
    expect(words).toBeLessThan(2 * (4 + 1));
  });
});

test('variables and tool results count against the limit', async () => {
  const tools = { give: () => new Uint8Array(64e6), text: () => 'x'.repeat(64e6) };
  await withExecutor({ memoryLimitMb: 16 }, tools, async (executor) => {
    const refused = await expectCode(executor.sendVariables({ big: new Uint8Array(64e6) }), LIMIT);
    expect([refused.message, refused.details.limitBytes]).toStrictEqual([
      'Memory limit exceeded (16 MB)',
      16 * 2 ** 20,
    ]);
    for (const [code, bytes] of [
      ['give().length', 64_000_020],
      ['text().length', 64_000_008],
    ]) {
      const { details } = await expectCode(executor.run(code), 'ERR_TOOL_PROXY_FAIL');
      expect([details.name, details.message]).toStrictEqual([
        'RangeError',
        `the result takes ${bytes} bytes, which together with results that the code has not received yet is more than its memory limit ` +
          '(16777216): make fewer calls at once',
      ]);
      expect((await executor.run('1')).output).toBe(1);
    }
  });
});

test('a bomb keeps the logs that were written before it', async () => {
  const report = await detonate(
    'console.log("before"); const hoard = []; for (;;) hoard.push(new Array(1000).fill(0.5));',
  );
  expectLimit(report);
  expect(report.logs).toBe('before');
});

test('expectCode sees the memory error as an ExecutorError', async () => {
  await withExecutor({ memoryLimitMb: 32, maxOperations: 1e9 }, {}, async (executor) => {
    const error = await expectCode(executor.run('const hoard = []; for (;;) hoard.push({});'), LIMIT);
    expect(error.details.limitBytes).toBe(32 * 2 ** 20);
    expect(error.name).toBe('ExecutorError');
  });
});

describe('P4 memory outside the heap', () => {
  test('unreachable Intl objects are collected before they count', async () => {
    await withExecutor({ memoryLimitMb: 64, maxOperations: 1e6, timeoutMs: LONG_MS }, {}, async (executor) => {
      const { output } = await executor.run(`
        let text = '';
        for (let i = 0; i < 10_000; i++) text = new Intl.NumberFormat('en', { minimumFractionDigits: 2 }).format(i);
        text;
      `);
      expect(output).toBe('9,999.00');
    });
  });

  test('formatters that are referenced count', async () => {
    const code = 'const kept = []; for (;;) kept.push(new Intl.DateTimeFormat("de"), new Intl.Collator("de"));';
    expectLimit(await detonate(code));
  });

  test('a variable that contains one string many times is refused before it is written', async () => {
    const text = 'x'.repeat(1e6);
    await withExecutor({ maxTransferBytes: 1e7 }, { many: (n) => Array(n).fill(text) }, async (executor) => {
      const error = await expectCode(
        executor.sendVariables({ v: Array(1e5).fill(text) }),
        'ERR_TRANSFER_LIMIT_EXCEEDED',
      );
      expect(error.details).toStrictEqual({ maxTransferBytes: 1e7, value: 'variables' });
      const { output } = await executor.run(`
        let caught;
        try { many(1e5); } catch (error) { caught = [error.name, error.code, error.message]; }
        [many(9).length, caught];
      `);
      expect(output).toStrictEqual([
        9,
        ['RangeError', 'ERR_TRANSFER_LIMIT_EXCEEDED', 'the result would take more than maxTransferBytes (10000000)'],
      ]);
    });
  });
});

/** V8 grants one beyond any limit, and would find out with the next one. */
test.runIf(process.platform === 'linux')('an object that exceeds the limit is not allocated', async () => {
  await withExecutor({ memoryLimitMb: 64 }, {}, async (executor) => {
    await expectCode(executor.run('new Array(2 ** 24).length'), LIMIT);
    expect((await executor.run('new Array(2 ** 22).length')).output).toBe(2 ** 22);
  });
});
